#!/usr/bin/env python3
"""Gameplay bundles packed from the format's own document, in all readings, are what was packed."""
# SPDX-License-Identifier: MIT

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import pack_document_gpb as text  # noqa: E402
from pack_document_gpb import Reading  # noqa: E402

TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
INFERRED = {"kind", "counts", "has_camera", "has_light", "has_model"}


def tenon(*args, status=0, data=None):
    done = subprocess.run([TOOL, *map(str, args)], input=data, capture_output=True, check=False)
    if status is not None and done.returncode != status:
        raise AssertionError("%s: status %d\n%s" % (args, done.returncode, done.stderr.decode()))
    return done


# -- What a dump of packed objects has to contain

def numbers(values):
    return [struct.unpack("<f", struct.pack("<f", v))[0] for v in values]


class Expected:
    """The fields of objects under the names that a dump has."""

    def __init__(self, reading):
        self.reading = reading

    def of(self, item):
        return getattr(self, item["kind"])(item)

    def scene(self, item):
        return {"nodes": [self.of(n) for n in item["nodes"]],
                "active_camera": item["active_camera_node"],
                "ambient_color": numbers(item["ambient_color"])}

    def node(self, item):
        result = {"node_type": item["type"], "transform": numbers(item["transform"]),
                  "parent_id": item["parent_id"],
                  "children": [self.of(n) for n in item["children"]]}
        for name in ("camera", "light", "model"):
            if item[name] is not None:
                result[name] = self.of(item[name])
            elif self.reading.absent in ("zero", "whole") or \
                    (self.reading.absent == "modelless" and name != "model"):
                result[name] = {name + "_type": 0} if name != "model" else \
                    {"mesh": ""} if self.reading.absent == "zero" else self.of(text.model(""))
        return result

    def camera(self, item):
        kind = text.CAMERAS.index(item["camera_type"])
        lens = {"field_of_view": numbers([item["field_of_view"]])[0]} if kind == 0 else \
            {"magnification": numbers(item["magnification"])}
        return {"camera_type": kind + self.reading.first, "aspect_ratio": item["aspect_ratio"],
                "near_plane": item["near_plane"], "far_plane": item["far_plane"], **lens}

    def light(self, item):
        kind = text.LIGHTS.index(item["light_type"]) + self.reading.first
        reach = {name: item[name] for name in ("range", "inner_angle", "outer_angle")
                 if name in item}
        return {"light_type": kind, "color": numbers(item["color"]), **reach}

    def model(self, item):
        skin = item["mesh_skin"]
        return {"mesh": item["mesh"], "has_skin": int(skin is not None),
                **({"skin": self.of(skin)} if skin else {}),
                "materials": [self.of(m) for m in item["materials"]]}

    @staticmethod
    def bounds(values):
        v = numbers(values)
        return {"min": v[:3], "max": v[3:6], "center": v[6:9], "radius": v[9]}

    def skin(self, item):
        poses = numbers(item["joints_bind_poses"])
        return {"bind_shape": numbers(item["bind_shape"]), "joints": item["joints"],
                "bind_pose_count": len(poses),
                "bind_poses": [poses[i:i + 16] for i in range(0, len(poses), 16)],
                "bounds": self.bounds(item["bounds"])}

    @staticmethod
    def material(item):
        return {"parameters": [{"name": n, "value": numbers(v), "type": t}
                               for n, v, t in item["parameters"]], "effect": item["effect"]}

    @staticmethod
    def effect(item):
        return {"vertex_shader": item["vertex_shader"], "fragment_shader": item["fragment_shader"]}

    def mesh(self, item):
        return {"elements": [{"usage": u, "size": n} for u, n in item["vertex_format"]],
                "vertex_size": 4 * sum(map(len, item["vertices"])),
                "vertices": [numbers(row) for row in item["vertices"]],
                "bounds": self.bounds(item["bounds"]),
                "parts": [self.of(p) for p in item["parts"]]}

    @staticmethod
    def part(item):
        width = {0x1401: 1, 0x1403: 2, 0x1405: 4}[item["index_format"]]
        return {"primitive_type": item["primitive_type"], "index_format": item["index_format"],
                "index_size": width * len(item["indices"]), "indices": item["indices"]}

    def animations(self, item):
        return {"animations": [self.of(a) for a in item["animations"]]}

    def animation(self, item):
        return {"id": item["name"], "channels": [self.of(c) for c in item["channels"]]}

    @staticmethod
    def channel(item):
        return {"target_id": item["target_id"], "target_attribute": item["target_attribute"],
                "key_times": item["key_times"], "values": numbers(item["values"]),
                "tangents_in": numbers(item["tangents_in"]),
                "tangents_out": numbers(item["tangents_out"]),
                "interpolations": item["interpolation"]}

    @staticmethod
    def font(item):
        glyphs = [{"code": g[0], "width": g[1], "uv": numbers(g[2])} for g in item["glyphs"]]
        return {"family": item["family"], "style": item["style"], "sizes": [{
            "size": item["size"], "charset": item["charset"], "glyphs": glyphs,
            "width": item["tex_map_width"], "height": item["tex_map_height"],
            "texels": list(item["tex_map"])}]}


def flat(value):
    """All numbers of nested lists and dictionaries."""
    if isinstance(value, dict):
        return [n for item in value.values() for n in flat(item)]
    return [n for item in value for n in flat(item)] if isinstance(value, list) else [value]


def same(a, b):
    """Numbers as floats of 32 bits; values that a dump infers are not compared."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = set(b) - INFERRED
        return set(a) - INFERRED == keys and all(same(a[k], b[k]) for k in keys)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) == len(b) and all(same(x, y) for x, y in zip(a, b)):
            return True
        return bool(a) and isinstance(a[0], list) and flat(a) == [numbers([v])[0] for v in flat(b)]
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or numbers([a]) == numbers([b])
    return a == b


# -- glb files. Matrices are sixteen numbers, column by column.

def times(a, b):
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4))
            for column in range(4) for row in range(4)]


def moved(m, p):
    return [m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row] for row in range(3)]


def matrix_of(translation, rotation, scale):
    x, y, z, w = rotation
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    columns = [[rows[r][c] * scale[c] for r in range(3)] + [0.0] for c in range(3)]
    return columns[0] + columns[1] + columns[2] + list(translation) + [1.0]


class Glb:
    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        size = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + size])
        self.bytes = data[28 + size:]
        self.nodes = self.json.get("nodes", [])
        self.parents = {c: i for i, n in enumerate(self.nodes) for c in n.get("children", [])}
        self.channels = {}

    def accessor(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        letter, width = {5126: ("f", 4), 5123: ("H", 2), 5121: ("B", 1), 5125: ("I", 4)}[
            a["componentType"]]
        size = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[a["type"]]
        stride = view.get("byteStride", size * width)
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        rows = [struct.unpack_from("<%d%s" % (size, letter), self.bytes, start + i * stride)
                for i in range(a["count"])]
        top = {5123: 65535, 5121: 255}.get(a["componentType"]) if a.get("normalized") else None
        return [[v / top for v in row] if top else list(row) for row in rows]

    def pose(self, clip, time):
        """Sample a linear animation at a time that has a key, or between two."""
        self.channels = {}
        for c in clip["channels"]:
            sampler = clip["samplers"][c["sampler"]]
            keys = [k[0] for k in self.accessor(sampler["input"])]
            values = self.accessor(sampler["output"])
            at = max(i for i, k in enumerate(keys) if k <= time + 1e-6 or i == 0)
            assert abs(keys[at] - time) < 1e-6 or time > keys[-1], "there is no key at that time"
            self.channels[c["target"]["node"], c["target"]["path"]] = values[at]

    def local(self, index):
        node = self.nodes[index]
        if "matrix" in node:
            return node["matrix"]
        rest = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
        return matrix_of(*(self.channels.get((index, path), node.get(path, rest[path]))
                           for path in ("translation", "rotation", "scale")))

    def world(self, index):
        local = self.local(index)
        return times(self.world(self.parents[index]), local) if index in self.parents else local

    def named(self, name):
        return next(i for i, n in enumerate(self.nodes) if n.get("name") == name)

    def points(self, index):
        """The positions of a node's mesh, in the world."""
        node, result = self.nodes[index], []
        for p in self.json["meshes"][node["mesh"]]["primitives"]:
            rows = self.accessor(p["attributes"]["POSITION"])
            if "skin" not in node:
                result += [moved(self.world(index), row) for row in rows]
                continue
            skin = self.json["skins"][node["skin"]]
            binds = self.accessor(skin["inverseBindMatrices"])
            palette = [times(self.world(j), bind) for j, bind in zip(skin["joints"], binds)]
            joints = self.accessor(p["attributes"]["JOINTS_0"])
            weights = self.accessor(p["attributes"]["WEIGHTS_0"])
            for row, js, ws in zip(rows, joints, weights):
                parts = [[w * v for v in moved(palette[j], row)] for j, w in zip(js, ws) if w]
                result.append([sum(axis) for axis in zip(*parts)])
        return result


# -- The full scene as the document defines it: matrices times matrices, computed here

def arm_points(arm, hand, body=text.moved(3, 0, 0)):
    """Corners of the arm where the joints have these local matrices: the lower two follow the arm,
    the upper two the hand. Bind shape, inverse bind matrix, joint, and then the mesh's node."""
    shape, result = text.moved(1, 0, 0), []
    for corner in text.QUAD:
        joint = arm if corner[1] == 0 else times(arm, hand)
        bind = text.IDENTITY if corner[1] == 0 else text.moved(0, -1, 0)
        result.append(moved(times(body, times(joint, times(bind, shape))), corner))
    return result


def close(a, b, slack=1e-5):
    """The same points, in any order, each once or several times."""
    def is_in(p, points):
        return any(max(abs(x - y) for x, y in zip(p, q)) < slack for q in points)
    return all(is_in(p, b) for p in a) and all(is_in(p, a) for p in b)


class DocumentTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.folder / (name + ".gpb")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    # -- One file

    def check_file(self, path, objects, reading):
        data = path.read_bytes()
        dumped = tenon("dump", path).stdout
        tree = json.loads(dumped)
        kinds = [b["kind"] for b in tree["blocks"]]
        self.assertEqual(kinds, [text.TYPES[o["kind"]] for o in objects], path.name)
        for item, block in zip(objects, tree["blocks"]):
            self.assertNotIn("gap", block, path.name)
            found, wanted = block[item["kind"]], Expected(reading).of(item)
            self.assertTrue(same(wanted, found),
                            "%s: %s\n%s" % (path.name, json.dumps(wanted), json.dumps(found)))
        self.assertNotIn("trailing", tree, path.name)
        built = self.folder / "built.gpb"
        tenon("build", "-", "-f", "-o", built, data=dumped)
        self.assertEqual(built.read_bytes(), data, path.name)
        at = 0
        for line in tenon("map", "--json", path).stdout.splitlines():
            field = json.loads(line)
            if "size" not in field or field.get("size") == 0 or "offset" not in field:
                continue
            if field["offset"] + field["size"] <= at:
                continue
            self.assertEqual(field["offset"], at, "%s: %s" % (path.name, field))
            self.assertNotRegex(field.get("path", ""), "gap|trailing|leftover", path.name)
            at += field["size"]
        self.assertEqual(at, len(data), path.name)

    def check_files(self, files):
        """Name, objects and reading of each. Returns the paths."""
        paths = [self.write(name, text.pack(objects, reading)) for name, objects, reading in files]
        for path, (_, objects, reading) in zip(paths, files):
            self.check_file(path, objects, reading)
        copies = self.folder / "copies"
        copies.mkdir(exist_ok=True)
        tenon("convert", *paths, "-o", str(copies) + "/", "-f")
        for path in paths:
            self.assertEqual((copies / path.name).read_bytes(), path.read_bytes(), path.name)
        return paths

    # -- Readings

    def test_every_reading_is_read_and_written(self):
        files = [("_".join(["full"] + r.words()), text.full_scene(r), r) for r in text.readings()]
        paths = self.check_files(files)
        infos = tenon("info", "--json", *paths).stdout.splitlines()
        for line, (name, _, reading) in zip(infos, files):
            info = json.loads(line)
            words = [w for w in reading.words() if w != "uncounted"]
            self.assertEqual(info["dialect"], "-".join(["document"] + words), name)
            self.assertNotIn("also", info, name)
            self.assertEqual((info["meshes"], info["nodes"], info["joints"], info["animations"],
                              info["channels"], info["materials"]), (2, 12, 2, 2, 3, 2), name)
            self.assertEqual([m["name"] if isinstance(m, dict) else m
                              for m in info["material_list"]], ["red", "material9"], name)

    def test_objects_without_ids_need_no_table(self):
        """Only objects that are not part of another one have to be in the table."""
        def strip(item):
            if isinstance(item, dict):
                return {k: strip(v) for k, v in item.items() if k != "id"}
            return [strip(v) for v in item] if isinstance(item, list) else item
        files = []
        for reading in text.readings():
            objects = [dict(strip(o), id=o["id"]) for o in text.full_scene(reading)]
            files.append(("_".join(["anonymous"] + reading.words()), objects, reading))
        self.check_files(files)

    def test_every_reading_means_the_same(self):
        paths = [self.write("_".join(["full"] + r.words()), text.pack(text.full_scene(r), r))
                 for r in text.readings()]
        tenon("convert", *paths, "--to", "glb", "-o", str(self.folder / "glb") + "/")
        for path in paths:
            self.check_scene(Glb(self.folder / "glb" / (path.stem + ".glb")), path.name)

    def check_scene(self, glb, name):
        arm, hand = text.IDENTITY, text.moved(0, 1, 0)
        body = next(i for i, n in enumerate(glb.nodes)
                    if "skin" in n and "mesh" in n)
        self.assertTrue(close(glb.points(body), arm_points(arm, hand)), name)
        for node, matrix in (("eye", text.moved(0, 1, 9)), ("pair", text.moved(0, 5, 0))):
            self.assertEqual(glb.world(glb.named(node)), list(matrix), name)
        shown = glb.named("all")
        self.assertTrue(close(glb.points(shown), text.QUAD), name)
        eye = glb.json["cameras"][glb.nodes[glb.named("eye")]["camera"]]
        self.assertAlmostEqual(eye["perspective"]["yfov"], 0.7853981, 5, name)
        wide = glb.json["cameras"][glb.nodes[glb.named("wide")]["camera"]]["orthographic"]
        self.assertEqual((wide["xmag"], wide["ymag"]), (4, 3), name)
        lights = glb.json["extensions"]["KHR_lights_punctual"]["lights"]
        kinds = [lights[glb.nodes[glb.named(n)]["extensions"]["KHR_lights_punctual"]["light"]]
                 for n in ("sun", "bulb", "cone")]
        self.assertEqual([k["type"] for k in kinds], ["directional", "point", "spot"], name)
        self.assertEqual([k.get("range") for k in kinds], [None, 12, 20], name)
        self.assertAlmostEqual(kinds[2]["spot"]["outerConeAngle"], 0.5, 6, name)
        red = next(m for m in glb.json["materials"] if m["name"] == "red")
        self.assertEqual(red["pbrMetallicRoughness"]["baseColorFactor"], [0.75, 0.25, 0.125, 0.5])
        self.assertEqual(red["extras"]["gpb.parameter.u_glow"], "2:0.5/0.25", name)
        self.assertEqual(red["extras"]["gpb.parameter.u_nothing"], "0:", name)
        self.assertIn("gl_FragColor", red["extras"]["gpb.effect.fragmentShader"], name)
        wave = next(a for a in glb.json["animations"] if a["name"] == "wave")
        glb.pose(wave, 1.0)
        turned = matrix_of((0, 0, 0), (0, 0, 0.6, 0.8), (1, 1, 1))
        self.assertTrue(close(glb.points(body), arm_points(turned, text.moved(0, 1, 0))), name)

    # -- Every type of object, field and branch

    def test_objects_can_be_alone_in_a_file(self):
        files = []
        for counted in (True, False):
            for first in (1, 0):
                reading = Reading(counted=counted, first=first)
                tag = "_".join(reading.words())
                files += [("%s_%s" % (name, tag), objects, reading)
                          for name, objects in text.singles()]
                files.append(("all_" + tag, text.all_alone(), reading))
                files.append(("backwards_" + tag, text.all_alone()[::-1], reading))
        paths = self.check_files(files)
        for line in tenon("check", "--json", *paths, status=None).stdout.splitlines():
            for finding in json.loads(line).get("findings", []):
                self.assertNotIn(finding["rule"], ("gpb/reference-type", "gpb/reference-target",
                                                   "gpb/gap", "gpb/object-count"), line)

    def test_every_field_and_branch(self):
        self.check_files([(name, objects, Reading(order=order)) for name, objects in text.branches()
                          for order in ("offset",)])
        for order in ("offset", "reverse"):
            reading = Reading(order=order)
            self.check_files([("order_" + order, text.full_scene(reading), reading)])

    def test_loose_objects_become_nodes_where_there_are_none(self):
        objects = [text.model("#quad", None, [text.material([text.RED])], "shown"),
                   text.quad("quad"), text.perspective("lens"), text.point("lamp")]
        path = self.write("loose", text.pack(objects))
        tenon("convert", path, self.folder / "loose.glb")
        glb = Glb(self.folder / "loose.glb")
        self.assertTrue(close(glb.points(glb.named("shown")), text.QUAD))
        self.assertIn("camera", glb.nodes[glb.named("lens")])
        self.assertIn("extensions", glb.nodes[glb.named("lamp")])

    def test_a_channel_by_itself_is_a_clip(self):
        objects = [text.channel("hip", 9, [0, 10], [0, 0, 0, 1, 2, 3], name="step"),
                   text.scene("stage", [text.node("hip", model=text.model("#quad"))]),
                   text.quad("quad")]
        tenon("convert", self.write("step", text.pack(objects)), self.folder / "step.glb")
        glb = Glb(self.folder / "step.glb")
        self.assertEqual([a["name"] for a in glb.json["animations"]], ["step"])
        glb.pose(glb.json["animations"][0], 0.01)
        self.assertEqual(glb.world(glb.named("hip")), list(text.moved(1, 2, 3)))

    # -- Names of objects

    def shown(self, name, mesh, joints=("#arm", "#hand"), effect="#paint", active="#eye"):
        """A scene that names objects in these ways."""
        shown = text.model(mesh, text.arm_skin(None, joints), [text.material([text.RED], effect)])
        nodes = [text.node("body", model=shown), text.node("eye", camera=text.perspective("lens"))]
        own = [text.node("arm", "", [text.node("hand", "arm", kind=2,
                                               transform=text.moved(0, 1, 0))], kind=2)]
        objects = [text.arm_mesh("arm_mesh"), text.scene("stage", nodes + own, active),
                   text.effect("paint")]
        return self.check_files([(name, objects, Reading())])[0]

    def findings(self, path, rule="gpb/unresolved-xref"):
        out = tenon("check", "--json", path, status=None).stdout
        return [f["message"] for f in json.loads(out)["findings"] if f["rule"] == rule]

    def test_ids_without_a_sign_are_ids(self):
        path = self.shown("plain", "arm_mesh", ("arm", "hand"), "paint", "eye")
        self.assertEqual(self.findings(path), [])
        tenon("convert", path, self.folder / "plain.glb")
        glb = Glb(self.folder / "plain.glb")
        self.assertTrue(close(glb.points(glb.named("body")), arm_points(
            text.IDENTITY, text.moved(0, 1, 0), text.IDENTITY)))

    def test_other_bundles_are_followed(self):
        other = text.full_scene(Reading())
        for place in ("other", "parts/other"):
            self.write(place, text.pack(other))
            file = place + ".gpb#"
            path = self.shown("here", file + "arm_mesh", (file + "arm", file + "hand"),
                              file + "paint", file + "eye")
            self.assertEqual(self.findings(path), [], place)
            tenon("convert", path, self.folder / "here.glb", "-f")
            glb = Glb(self.folder / "here.glb")
            self.assertTrue(close(glb.points(glb.named("body")), arm_points(
                text.IDENTITY, text.moved(0, 1, 0), text.IDENTITY)), place)
            shaders = glb.json["materials"][0]["extras"]
            self.assertIn("gl_Position", shaders["gpb.effect.vertexShader"])

    def test_models_of_nodes_in_other_bundles_stay_there(self):
        """A mesh of the same id in this bundle is not shown by them either."""
        arm = text.node("arm", kind=2, model=text.model("#arm_mesh"))
        self.write("other", text.pack([text.arm_mesh("arm_mesh"), text.scene("stage", [arm])]))
        path = self.shown("here", "#arm_mesh", ("other.gpb#arm", "#hand"))
        done = tenon("convert", path, self.folder / "here.glb", "-f")
        self.assertIn(b"dropped: models (1)", done.stderr)
        glb = Glb(self.folder / "here.glb")
        self.assertEqual([n["name"] for n in glb.json["nodes"] if "mesh" in n], ["body"])

    def test_what_other_bundles_do_not_have_is_reported(self):
        self.write("other", text.pack(text.full_scene(Reading())))
        outside = self.folder / "inner"
        outside.mkdir()
        for file, why in (("missing.gpb#", "not exist"), ("../other.gpb#", "not in the folder"),
                          (str(self.folder / "other.gpb") + "#", "not in the folder")):
            folder, self.folder = self.folder, outside
            path = self.shown("lost", file + "arm_mesh", (file + "arm", "#hand"), file + "paint",
                              file + "eye")
            found = self.findings(path)
            self.assertEqual(len(found), 4, found)
            self.assertTrue(all(why in message for message in found), found)
            done = tenon("convert", path, self.folder / "lost.glb", "-f")
            for word in (b"models", b"effects", b"other bundles", b"active cameras"):
                self.assertIn(b"dropped: " + word, done.stderr)
            self.folder = folder
        path = self.shown("wrong", "other.gpb#nothing", ("other.gpb#arm_mesh", "#hand"),
                          "#arm_mesh", "#missing")
        self.assertEqual(len(self.findings(path)), 4)

    # -- Materials

    def test_materials_survive_all_conversions(self):
        path = self.write("full", text.pack(text.full_scene(Reading())))
        glb, back = self.folder / "full.glb", self.folder / "back.gpb"
        tenon("convert", path, glb)
        tenon("convert", glb, back, "--to", "gpb:document")
        tree = json.loads(tenon("dump", back).stdout)
        self.assertEqual(tree["dialect"], "document")
        names = {r["id"]: r["type"] for r in tree["references"]}
        self.assertEqual(names["material9"], 16)
        self.assertEqual(names["wave"], 4)
        found = []

        def collect(value):
            if isinstance(value, dict):
                found.extend(value.get("materials", []))
                for item in value.values():
                    collect(item)
            if isinstance(value, list):
                for item in value:
                    collect(item)
        collect(tree["blocks"])
        found = [m for m in found if m["parameters"]]  # A part had no material.
        self.assertEqual(len(found), 2)
        for material in found:
            values = {p["name"]: (p["value"], p["type"]) for p in material["parameters"]}
            self.assertEqual(values["u_diffuseColor"], ([0.75, 0.25, 0.125, 0.5], 4))
            self.assertEqual(values["u_glow"], ([0.5, 0.25], 2))
            effect = material["effect"]
            self.assertEqual(names[effect[1:]], 17)
        again = self.folder / "again.glb"
        tenon("convert", back, again)
        colors = {m["name"]: m["pbrMetallicRoughness"].get("baseColorFactor")
                  for m in Glb(again).json["materials"]}
        del colors["unnamed"]  # That of a part without a material.
        self.assertEqual(len(colors), 2)
        self.assertEqual(list(colors.values()), [[0.75, 0.25, 0.125, 0.5]] * 2)

    def test_changing_to_the_engine_and_back_keeps_names(self):
        path = self.write("full", text.pack(text.full_scene(Reading())))
        done = tenon("convert", path, self.folder / "new.gpb", "--as", "1.5")
        self.assertIn(b"material parameters", done.stderr)
        tenon("convert", self.folder / "new.gpb", self.folder / "old.gpb", "--as", "document")
        names = {r["id"] for r in json.loads(tenon("dump", self.folder / "old.gpb").stdout)[
            "references"] if r["type"] == 16}
        self.assertEqual(names, {"red", "material9"})

    # -- What cannot be read

    def test_a_message_says_which_readings_were_tried(self):
        data = text.pack(text.full_scene(Reading()))
        path = self.write("cut", data[:-3])
        done = tenon("info", path, status=1)
        self.assertRegex(done.stderr.decode(), "(?s)tried.*document")


if __name__ == "__main__":
    unittest.main()
