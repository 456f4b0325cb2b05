#!/usr/bin/env python3
"""Every reading of ModelData's own document: read, compared field by field, rewritten, posed.

tools/pack_document_modeldata.py packs the files from the document alone; here the tool reads them.
"""
# SPDX-License-Identifier: MIT

import dataclasses
import json
import math
import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import make_fixtures_modeldata  # noqa: E402
import pack_document_modeldata as packer  # noqa: E402
from conversions import run  # noqa: E402
from document_files import Files, differences  # noqa: E402
from pack_document_modeldata import Reading  # noqa: E402
from test_gltf_pose import Glb, slerp, transform  # noqa: E402

TICKS = 24.0  # Per second, where the tool has no other value.
TIMES = (3.0, 9.0, 24.0)  # Ticks.
NEAR = 2e-5
UNITS = {name: number for number, name in enumerate(packer.UNITS)}

# Field names of the document, and those of the tool's text form.
WORDS = {"Vertices": "vertices", "TextureCoordinates": "texture_coordinates",
         "Normals": "normals", "Tangents": "tangents", "JointIds": "joint_ids",
         "Weights": "weights", "Indices": "indices", "DiffuseColor": "diffuse_color",
         "GlowColor": "glow_color", "DisplacementFactor": "displacement_factor",
         "Tiling": "tiling", "Shininess": "shininess", "ShineDamping": "shine_damping",
         "DiffuseMap": "diffuse_map", "NormalMap": "normal_map", "SpecularMap": "specular_map",
         "DisplacementMap": "displacement_map", "AmbientOcclusionMap": "ambient_occlusion_map",
         "AlphaMap": "alpha_map", "ReflectionMap": "reflection_map", "GlowMap": "glow_map"}


# -- What the tool should print

def as_engine(case):
    """The same model in the engine's reading, with matrices as they are."""
    return dataclasses.replace(case, reading=Reading(
        joint_size="name", name_size=case.reading.name_size, columns=case.reading.columns))


def dialect_of(case):
    """The engine's, if the engine would have written the same bytes."""
    if as_engine(case).data == case.data:
        is_ascii = all(ord(letter) < 128 for letter in names_of(case))
        counts_bytes = is_ascii or case.reading.name_size == "bytes"
        return "current" if counts_bytes else "characters"
    has_joints = case.is_animated and case.model["Joints"]
    names = "-names" if has_joints and case.reading.joint_size == "name" else ""
    characters = "-characters" if case.reading.name_size == "characters" else ""
    return "document" + names + characters


def names_of(case):
    if not case.is_animated:
        return ""
    return "".join(item["Name"] for item in (case.model["Joints"] or []) + case.model["Animations"])


def is_document(case):
    return dialect_of(case).startswith("document")


def is_default(case, name, material):
    """Above 0 is true by the document; the engine uses a signed byte."""
    flag = material.get("Default" + name, 0)
    return flag > 0 if is_document(case) else 0 < flag < 128


def twin_material(case, material):
    reading, out = case.reading, {}
    for name in packer.COLORS:
        out["default_" + WORDS[name]] = material.get("Default" + name, 0)
    out["map_sizes"] = [packer.size_of(material.get(name, ""), reading) for name in packer.MAPS]
    for name in packer.FLOATS:
        out["default_" + WORDS[name]] = material.get("Default" + name, 0)
    flags = [material.get("Default" + name, 0) for name in packer.COLORS + packer.FLOATS]
    if is_document(case):
        out["omits_defaults"] = int(reading.leaves_defaults_out and any(flags))
    for name, usual in [(name, (1, 1, 1)) for name in packer.COLORS] + [
            (name, 0) for name in packer.FLOATS]:
        if not (reading.leaves_defaults_out and material.get("Default" + name, 0)):
            out[WORDS[name]] = material.get(name, usual)
    for name in packer.MAPS:
        out[WORDS[name]] = material.get(name, "")
    return out


def twin_mesh(case, mesh):
    reading, out = case.reading, {}
    material = packer.pack_material(mesh["Material"], reading) if mesh.get("Material") else b""
    shape = mesh.get("CollisionShape", "")
    for name in packer.ARRAYS:
        out[WORDS[name] + "_size"] = packer.array_size(mesh, name, reading)
    out["material_size"], out["collision_shape_size"] = len(material), len(shape.encode())
    out["size_factor"] = 1
    if is_document(case):
        has_arrays = any(mesh.get(name) for name in packer.ARRAYS)
        out["size_unit"] = UNITS[unit_of(mesh, reading)] if has_arrays else 0
    for name in packer.ARRAYS:
        numbers = packer.numbers_of(mesh, name, reading)
        width = len(numbers) // max(1, len(mesh.get(name, ())))
        out[WORDS[name]] = (numbers if width < 2 else
                            [numbers[i:i + width] for i in range(0, len(numbers), width or 1)])
    if material:
        out["material"] = twin_material(case, mesh["Material"])
    if shape:
        out["collision_shape"] = shape
    return out


def unit_of(mesh, reading):
    """Of units that give the same sizes, the tool reports the first."""
    sizes = [packer.array_size(mesh, name, reading) for name in packer.ARRAYS]
    for unit in packer.UNITS:
        other = dataclasses.replace(reading, sizes=unit)
        if sizes == [packer.array_size(mesh, name, other) for name in packer.ARRAYS]:
            return unit
    return reading.sizes


def twin_joint(joint, reading):
    def matrix(rows):
        return ([rows[4 * row + column] for column in range(4) for row in range(4)]
                if reading.columns else rows)
    return {"index": joint["Index"], "parent_index": joint["ParentIndex"], "name": joint["Name"],
            "inverse_bind_matrix": matrix(joint["InverseBindMatrix"]),
            "bind_local_pose": matrix(joint["BindLocalPoseMatrix"])}


def twin_animation(case, animation):
    reading = case.reading
    out = {"name_size": packer.size_of(animation["Name"], reading), "name": animation["Name"]}
    for word, plural in (("position", "Positions"), ("rotation", "Rotations"), ("scale", "Scales")):
        lists = animation[plural]
        out[word + "_list_count"] = len(lists)
        out[word + "_key_counts"] = [len(keys) for keys in lists]
        out[word + "s"] = [[{"time": time, "vec": packer.rotation_of(vec, reading)
                             if word == "rotation" else vec} for time, vec in keys]
                           for keys in lists]
    if is_document(case):
        has_keys = any(animation["Rotations"])
        out["rotation_size"] = reading.rotation if has_keys else 4
    return out


def twin_of(case):
    """The dump, without the sizes of parts and the counts in front of them."""
    meshes = case.model["Meshes"] or []
    out = {"tenon": 1, "format": "modeldata", "dialect": dialect_of(case),
           "is_animated": int(case.is_animated)}
    if case.model["Meshes"] is not None:
        out["meshes"] = [twin_mesh(case, m) for m in meshes]
    if case.is_animated:
        if case.model["Joints"] is not None:
            out["joints"] = [twin_joint(j, case.reading) for j in case.model["Joints"]]
        out["animations"] = [twin_animation(case, a) for a in case.model["Animations"]]
    return out


PART_SIZES = ("model_size", "skeleton_size", "animation_count", "animation_sizes", "mesh_count",
              "mesh_sizes", "joint_count", "joint_sizes")


def without_part_sizes(twin):
    twin = {key: value for key, value in twin.items() if key not in PART_SIZES}
    for mesh in twin.get("meshes", []):
        material = mesh.get("material", {})
        for key in [key for key in material if key.endswith("_bytes")]:
            del material[key]
    for part in twin.get("joints", []) + twin.get("animations", []):
        part.pop("name_bytes", None)
    return twin


# -- Where every vertex has to be

def at_time(keys, ticks, mix):
    before = [key for key in keys if key[0] <= ticks]
    after = [key for key in keys if key[0] > ticks]
    if not before or not after:
        return (before[-1] if before else after[0])[1]
    (start, a), (end, b) = before[-1], after[0]
    return mix(a, b, (ticks - start) / (end - start))


def line(a, b, share):
    return [x + share * (y - x) for x, y in zip(a, b)]


def quaternion_of(rows):
    """The matrix of a rotation, row by row."""
    w = math.sqrt(max(0.0, 1 + rows[0] + rows[5] + rows[10])) / 2
    return ((rows[9] - rows[6]) / (4 * w), (rows[2] - rows[8]) / (4 * w),
            (rows[4] - rows[1]) / (4 * w), w)


def local_of(case, joint, animation, ticks):
    rest = joint["BindLocalPoseMatrix"]
    if animation is None:
        return rest

    def keys(kind):
        lists = animation[kind]
        return lists[joint["Index"]] if joint["Index"] < len(lists) else []
    position, rotation, scale = [rest[3], rest[7], rest[11]], quaternion_of(rest), (1.0, 1.0, 1.0)
    if keys("Positions"):
        position = at_time(keys("Positions"), ticks, line)
    if keys("Rotations"):
        rotation = at_time(keys("Rotations"), ticks, slerp)
    if keys("Scales") and is_document(case):  # The engine ignores them.
        scale = at_time(keys("Scales"), ticks, line)
    return packer.rows_of(rotation, position, scale)


def moving(case):
    """The animations that have a key for some joint."""
    return [animation for animation in case.model.get("Animations", [])
            if any(animation["Positions"]) or any(animation["Rotations"])]


def columns(rows):
    return [rows[4 * row + column] for column in range(4) for row in range(4)]


def drawn(case, animation, ticks):
    """The points of each mesh that has some."""
    joints, globals_ = case.model.get("Joints") or [], {}
    for joint in joints:
        local = local_of(case, joint, animation, ticks)
        parent = globals_.get(joint["ParentIndex"])
        globals_[joint["Index"]] = packer.multiply(parent, local) if parent else local
    palette = {joint["Index"]: columns(packer.multiply(globals_[joint["Index"]],
                                                       joint["InverseBindMatrix"]))
               for joint in joints}
    for mesh in case.model["Meshes"] or []:
        points = []
        for i, vertex in enumerate(mesh["Vertices"]):
            ids = mesh.get("JointIds", [()] * (i + 1))[i][:case.reading.influences]
            weights = mesh.get("Weights", [()] * (i + 1))[i][:case.reading.influences]
            used = [(joint, weight) for joint, weight in zip(ids, weights)
                    if weight and joint in palette]
            total = sum(weight for _, weight in used)
            if not total:  # It stays with its mesh.
                points.append(vertex)
                continue
            moved = [[weight / total * value for value in transform(palette[joint], vertex)]
                     for joint, weight in used]
            points.append([sum(part) for part in zip(*moved)])
        if points:
            yield points


def farthest(wanted, got):
    return max((abs(a - b) for p, q in zip(wanted, got) for a, b in zip(p, q)), default=0)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = Files(packer.cases())

    @classmethod
    def tearDownClass(cls):
        cls.files.remove()

    def test_every_reading_is_read_as_its_dialect(self):
        for case, info in self.files.lines("info"):
            with self.subTest(case.name):
                self.assertNotIn("error", info)
                self.assertEqual(info["dialect"], dialect_of(case))
                meshes = case.model["Meshes"] or []
                self.assertEqual(info["meshes"], len(meshes))
                self.assertEqual(info["vertices"], sum(len(m["Vertices"]) for m in meshes))
                self.assertEqual(info["triangles"], sum(len(m["Indices"]) // 3 for m in meshes))
                if case.is_animated:
                    self.assertEqual(info["joints"], len(case.model["Joints"] or []))
                    self.assertEqual(info["animations"], len(case.model["Animations"]))

    def test_no_file_has_a_second_fit(self):
        done = run("info", *(self.files.path(case) for case in self.files.cases))
        self.assertEqual(done.stderr, "")

    def test_every_field_is_what_was_packed(self):
        for case in self.files.cases:
            with self.subTest(case.name):
                twin = without_part_sizes(self.files.twin(case))
                self.assertEqual(list(differences(twin_of(case), twin)), [])

    def test_files_are_rewritten_and_mapped_byte_for_byte(self):
        for case, copy, _ in self.files.converted():
            with self.subTest(case.name):
                self.assertEqual(copy.read_bytes(), case.data)
                self.assertEqual(list(self.files.rewriting_faults(case)), [])

    def test_what_was_assumed_is_reported(self):
        rich = [(case, info) for case, info in self.files.lines("info")
                if case.name.startswith("rich_")]
        for case, info in rich:
            facts = {fact["label"]: fact["text"] for fact in info["facts"]}
            with self.subTest(case.name):
                self.assertEqual(facts["matrices"], "%s (detected)" % (
                    "column-major" if case.reading.columns else "row-major"))
                self.assertEqual("sizes" in facts, case.reading.sizes != "bytes")
                self.assertEqual("defaults" in facts, case.reading.leaves_defaults_out)
                self.assertEqual("rotations" in facts, case.reading.rotation == 3)
                self.assertEqual("influences" in facts, case.reading.influences != 4)
                self.assertEqual("tangents" in facts, case.reading.tangent != 3)

    def test_the_engine_profile_names_every_difference(self):
        rules = {"size-unit": lambda r: r.sizes != "bytes",
                 "omitted-values": lambda r: r.leaves_defaults_out,
                 "joint-sizes": lambda r: r.joint_size == "joint",
                 "rotation-size": lambda r: r.rotation == 3,
                 "matrix-columns": lambda r: r.columns,
                 "numbers-each": lambda r: r.influences != 4 or r.tangent != 3}
        for case, line_ in self.files.lines("check", "--profile", "coreengine"):
            if not case.name.startswith("rich_"):
                continue
            found = {finding["rule"] for finding in line_["findings"]}
            with self.subTest(case.name):
                for rule, test in rules.items():
                    self.assertEqual("modeldata/" + rule in found, test(case.reading), rule)

    def test_without_a_profile_nothing_is_an_error(self):
        for case, line_ in self.files.lines("check"):
            errors = [finding for finding in line_["findings"] if finding["severity"] == "error"]
            allowed = {"modeldata/character-count", "modeldata/root-count", "modeldata/weight-zero",
                       "modeldata/list-count", "modeldata/joint-id"}
            with self.subTest(case.name):
                self.assertEqual([e for e in errors if e["rule"] not in allowed], [])

    def test_flags_above_0_are_true_by_the_text(self):
        flagged = [(case, line_) for case, line_ in self.files.lines("check")
                   if case.name.startswith("flag_")]
        self.assertEqual(len(flagged), 60)
        for case, line_ in flagged:
            material = case.model["Meshes"][0]["Material"]
            flag = max(value for name, value in material.items() if name.startswith("Default"))
            found = any(f["rule"] == "modeldata/flag" for f in line_["findings"])
            with self.subTest(case.name):
                self.assertEqual(found, flag > 1 and not is_document(case))

    def test_a_flag_of_255_takes_the_default_by_the_text_only(self):
        """The engine tests a signed byte, which is below 0 then."""
        case = next(c for c in self.files.cases if c.name == "flag_tiling_255")
        for options, says_tiling in (((), True), (("--from", "modeldata:document"), False)):
            out = self.files.folder / "flag.glb"
            done = run("convert", "-f", *options, self.files.path(case), out)
            self.assertEqual(done.returncode, 0, done.stderr)
            texture = Glb(out).json["materials"][0]["extras"]["baseColorTexture"]
            self.assertEqual(isinstance(texture, dict), says_tiling)
            self.assertEqual(" tiling 3" in run("info", *options, self.files.path(case)).stdout,
                             says_tiling)

    def test_poses_are_those_computed_here(self):
        for case, path, report in self.files.converted("--to", "glb"):
            points = [m for m in case.model["Meshes"] or [] if m["Vertices"]]
            if not points:
                continue
            with self.subTest(case.name):
                glb = Glb(path)
                clips = {clip["name"]: clip for clip in glb.json.get("animations", [])}
                self.check_pose(case, glb, None, None, 0.0)
                if case.model.get("Joints"):
                    names = [a["Name"] or ("animation_%d" % (i + 1) if i else "animation")
                             for i, a in enumerate(case.model["Animations"])]
                    for name, animation in zip(names, case.model["Animations"]):
                        self.assertEqual(name in clips, animation in moving(case), name)
                        for ticks in TIMES if name in clips else ():
                            self.check_pose(case, glb, animation, clips[name], ticks)
                said = {loss["feature"] for loss in report["losses"]}
                has_angles = case.reading.rotation == 3 and bool(clips)
                self.assertEqual("rotations of three numbers" in said, has_angles)

    def check_pose(self, case, glb, animation, clip, ticks):
        got = {name: primitives[0] for name, primitives in glb.draw(clip, ticks / TICKS)}
        for i, wanted in enumerate(drawn(case, animation, ticks)):
            self.assertLess(farthest(wanted, got["mesh_%d" % i]), NEAR, (i, ticks))

    def test_vertices_keep_their_numbers(self):
        case = next(c for c in self.files.cases if c.name.startswith("rich_triangles-flat-joint"))
        path = self.files.folder / "one.glb"
        self.assertEqual(run("convert", self.files.path(case), path).returncode, 0)
        glb = Glb(path)
        for mesh, out in zip(case.model["Meshes"], glb.json["meshes"]):
            part = out["primitives"][0]
            indices = glb.accessor(part["indices"])
            self.assertEqual(indices, mesh["Indices"])
            uvs = glb.accessor(part["attributes"]["TEXCOORD_0"])
            flipped = [(u, 1 - v) for u, v in mesh["TextureCoordinates"]]
            self.assertLess(farthest(flipped, uvs), NEAR)
            for name, key in (("NORMAL", "Normals"), ("POSITION", "Vertices")):
                self.assertLess(farthest(mesh[key], glb.accessor(part["attributes"][name])), NEAR)
            if "Weights" in mesh:
                weights = glb.accessor(part["attributes"]["WEIGHTS_0"])
                self.assertLess(farthest(mesh["Weights"], weights), NEAR)


class Fixtures(unittest.TestCase):
    def test_readings_are_of_the_dialect_that_their_name_says(self):
        names = make_fixtures_modeldata.reading_files()
        paths = [make_fixtures_modeldata.FOLDER / name for name in names]
        found = [json.loads(line_) for line_ in run("info", "--json", *paths).stdout.splitlines()]
        self.assertEqual([f.get("dialect") for f in found], [n.split("_")[0] for n in names])


class Changes(unittest.TestCase):
    def setUp(self):
        self.files = Files(packer.Case("rich_" + reading.name, packer.rich_model(), reading)
                           for reading in packer.readings())
        self.addCleanup(self.files.remove)

    def test_as_current_is_what_the_engine_reads(self):
        # A `current` file is not changed, so the order has to be requested.
        for case, out, report in self.files.converted("--as", "current-row"):
            if case.reading.influences != 4 or case.reading.tangent != 3:
                continue
            with self.subTest(case.name):
                wanted = dataclasses.replace(case, reading=Reading(joint_size="name")).data
                if case.reading.rotation == 4:
                    self.assertEqual(out.read_bytes(), wanted)
                else:  # Angles become quaternions, which are rounded.
                    self.assertEqual(len(out.read_bytes()), len(wanted))
                    self.assertIn("rotations of three numbers",
                                  {loss["feature"] for loss in report["losses"]})

    def test_influences_become_four(self):
        for case, out, _ in self.files.converted("--as", "current-row"):
            if case.reading.influences == 4 and case.reading.tangent == 3:
                continue
            with self.subTest(case.name):
                twin = json.loads(run("dump", out).stdout)
                ids, weights = (twin["meshes"][0][name] for name in ("joint_ids", "weights"))
                self.assertEqual({len(row) for row in ids + weights}, {4})
                for wanted, row in zip(case.model["Meshes"][0]["Weights"], weights):
                    kept = list(wanted[:case.reading.influences]) + [0.0] * 4
                    order = sorted(kept, reverse=True) if case.reading.influences > 4 else kept
                    self.assertLess(farthest([order[:4]], [row]), NEAR)
                self.assertEqual({len(row) for row in twin["meshes"][0]["tangents"]}, {3})

    def test_an_order_can_be_requested(self):
        rows, columns_ = (packer.Case("a", packer.rich_model(), Reading(columns=order)).data
                          for order in (False, True))
        source = self.files.folder / "rows.cea"
        source.write_bytes(rows)
        out = self.files.folder / "columns.cea"
        self.assertEqual(run("convert", "--as", "document-column", source, out).returncode, 0)
        self.assertEqual(out.read_bytes(), columns_)
        back = self.files.folder / "back.cea"
        self.assertEqual(run("convert", "--as", "document-row", out, back).returncode, 0)
        self.assertEqual(back.read_bytes(), rows)

    def test_an_order_that_nothing_shows_is_assumed_and_reported(self):
        turned = packer.rows_of(packer.turn((0, 0, 1), 40), (0.0, 0.0, 0.0))
        joint = {"Index": 0, "ParentIndex": -1, "Name": "a", "BindLocalPoseMatrix": turned,
                 "InverseBindMatrix": packer.inverse(turned)}
        mesh = {**packer.skinned(), "JointIds": [(0, 0, 0, 0)] * 6,
                "Weights": [(1.0, 0.0, 0.0, 0.0)] * 6}
        source = self.files.folder / "turned.cea"
        source.write_bytes(packer.pack_animated({"Meshes": [mesh], "Joints": [joint],
                                                 "Animations": []}, Reading()))
        self.assertIn("row-major (assumed, cannot be detected)", run("info", source).stdout)
        self.assertIn("modeldata/matrix-order", run("check", source).stdout)
        done = run("convert", "--json", source, self.files.folder / "turned.glb")
        losses = json.loads(done.stdout)["losses"]
        self.assertIn("matrix order", [loss["feature"] for loss in losses])
        forced = run("info", "--from", "modeldata:document-column", source).stdout
        self.assertIn("column-major (as requested)", forced)

    def test_angles_beyond_a_turn_are_degrees(self):
        model = packer.rich_model()
        model["Animations"] = [{"Name": "a", "Positions": [[]], "Scales": [[]],
                                "Rotations": [[(0.0, (0.0, 0.0, 0.0)), (24.0, (90.0, 0.0, 0.0))]]}]
        source = self.files.folder / "degrees.cea"
        reading = Reading(rotation=4)  # Three numbers are packed without change.
        source.write_bytes(packer.pack_animated(model, reading))
        self.assertIn("read as degrees", run("info", source).stdout)
        out = self.files.folder / "degrees.glb"
        self.assertEqual(run("convert", source, out).returncode, 0)
        glb = Glb(out)
        clip = glb.json["animations"][0]
        last = glb.accessor(clip["samplers"][0]["output"])[-1]
        self.assertLess(farthest([packer.turn((1, 0, 0), 90)], [last]), NEAR)


class Written(unittest.TestCase):
    """What is written from a scene."""

    def setUp(self):
        self.files = Files([packer.Case("rich", packer.rich_model(), Reading())])
        self.addCleanup(self.files.remove)

    def convert(self, source, name, *options):
        out = self.files.folder / name
        done = run("convert", "-f", "--json", *options, source, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads(done.stdout)

    def test_document_is_complete(self):
        """To glTF and back: every field of the document that a scene has is filled again."""
        case = self.files.cases[0]
        glb, _ = self.convert(self.files.path(case), "a.glb")
        back, report = self.convert(glb, "back.cea", "--to", "modeldata:document")
        twin = json.loads(run("dump", back).stdout)
        self.assertEqual(twin["dialect"], "document")
        self.assertNotIn("scale channels", {loss["feature"] for loss in report["losses"]})
        names = [joint["name"] for joint in twin["joints"]]
        grow = next(a for a in twin["animations"] if a["name"] == "grow")
        self.assertEqual([key["vec"] for key in grow["scales"][names.index("jib")]],
                         [[1, 1, 1], [2, 1.5, 0.5]])
        first, second = (twin["meshes"][i]["material"] for i in (0, 1))
        self.assertEqual((first["default_tiling"], first["tiling"]), (0, 2))
        self.assertEqual((second["default_diffuse_color"], second["diffuse_color"]),
                         (0, [0.5, 0.25, 0.125]))
        self.assertEqual((second["default_displacement_factor"], second["tiling"]), (0, 3))
        self.assertEqual((second["shininess"], second["shine_damping"]), (0.75, 16))
        for name in packer.MAPS:
            self.assertTrue(second[WORDS[name]].endswith(name.lower() + ".png"), name)
        self.assertEqual(twin["meshes"][0]["collision_shape"], "box/1/2/1")
        posed, _ = self.convert(back, "b.glb")
        for clip_name in ("slew", "grow"):
            a, b = Glb(glb), Glb(posed)
            for ticks in TIMES:
                one, other = (dict(g.draw(next(c for c in g.json["animations"]
                                               if c["name"] == clip_name), ticks / TICKS))
                              for g in (a, b))
                for name in one:
                    self.assertLess(farthest(one[name][0], other[name][0]), 1e-4)

    def test_tiling_survives_a_missing_picture_and_no_picture(self):
        for material in (packer.MATERIAL, {"Tiling": 2.0},
                         {"Tiling": 0.5, "SpecularMap": "s.png"}):
            with self.subTest(material):
                case = packer.Case("tiled", {"Meshes": [packer.mesh(Material=material)]}, Reading(),
                                   False)
                source = self.files.folder / "tiled.cem"
                source.write_bytes(case.data)
                glb, _ = self.convert(source, "tiled.glb")
                back, _ = self.convert(glb, "back.cem")
                found = json.loads(run("dump", back).stdout)["meshes"][0]["material"]
                self.assertEqual(found["default_tiling"], 0)
                self.assertEqual(found["tiling"], material["Tiling"])


class OtherFiles(unittest.TestCase):
    """Other files are not taken for ModelData, though it has no magic number."""

    def test_fixtures_of_other_formats(self):
        others = [path for path in (ROOT / "tests" / "fixtures").glob("*/*")
                  if path.is_file() and path.parent.name != "modeldata"]
        self.assertGreater(len(others), 100)
        done = run("info", "--json", *others)
        found = [json.loads(line_) for line_ in done.stdout.splitlines()]
        self.assertEqual([f["file"] for f in found if f.get("format") == "modeldata"], [])

    def test_random_bytes(self):
        files = Files(random_cases())
        self.addCleanup(files.remove)
        for case, info in files.lines("info"):
            with self.subTest(case.name):
                self.assertNotEqual(info.get("format"), "modeldata")


@dataclasses.dataclass(frozen=True)
class RandomCase:
    file_name: str
    data: bytes

    @property
    def name(self):
        return self.file_name


def random_cases():
    """Bytes of all kinds, and small numbers, as sizes are: those could add up by chance."""
    numbers = random.Random(24)
    for i in range(300):
        size = 4 * numbers.randrange(3, 80)
        if i % 3 == 0:
            data = numbers.randbytes(size)
        elif i % 3 == 1:
            data = b"".join(numbers.choice((0, 0, 1, 2, 4, 12, 36)).to_bytes(4, "big")
                            for _ in range(size // 4))
        else:
            data = bytes([0, 0, 0, numbers.randrange(3)]) + numbers.randbytes(size)
        yield RandomCase("random_%d.bin" % i, data)


if __name__ == "__main__":
    unittest.main()
