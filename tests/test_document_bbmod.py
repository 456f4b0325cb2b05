#!/usr/bin/env python3
"""Files packed from the document of the BBMOD format alone, in all its readings, are understood.

Each file is dumped and compared field by field with what was packed, rewritten and built again byte
for byte, mapped without a gap and checked. Where it has a scene, a GLB reader poses that scene
without using the library, and the result is compared with numbers that are computed here.
"""
# SPDX-License-Identifier: MIT

import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import pack_document_bbmod as pack  # noqa: E402
from test_gltf_pose import Glb, transform  # noqa: E402

TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
SLACK = 1e-5
ENGINE = "3.4"


def run(*arguments, text=None, status=0):
    """What the tool prints; `status` is the exit status that is expected, None for any."""
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, input=text)
    if status is not None and done.returncode != status:
        raise AssertionError("%s: status %d: %s" % (" ".join(map(str, arguments)), done.returncode,
                                                    done.stderr.decode(errors="replace")))
    return done.stdout


def json_lines(output):
    return [json.loads(line) for line in output.splitlines()]


# -- Which dialect a file is

def model_dialect(model, reading):
    """The name of a reading; where two have the same bytes, the first one."""
    has_bones = any(mesh["vertex_format"]["bones"] and mesh["vertices"] for mesh in model["meshes"])
    is_short = has_bones and not reading.has_weights
    is_byte = bool(model["meshes"]) and reading.byte_primitive
    is_indexed = bool(model["offsets"]) and not reading.bare_offsets
    is_float = not reading.text_index
    if is_float and not is_short and not is_byte and (is_indexed or not model["offsets"]):
        return ENGINE
    parts = (("f32", is_float), ("indexed", is_indexed), ("byte", is_byte), ("16", is_short))
    return "-".join(["document"] + [name for name, is_so in parts if is_so])


def animation_dialect(animation, reading):
    rows = (animation["model_node_count"], animation["model_node_count"],
            animation["model_bone_count"])
    named = [bit for bit, count in zip((1, 2, 4), rows) if animation["spaces"] & bit and count]
    differs = any(bit != 1 for bit in named)  # In which spaces there are frames.
    is_literal = differs and not reading.all_spaces
    stored = [bit for bit in named if bit == 1 or not is_literal]
    is_one = bool(stored) and math.ceil(animation["duration"]) != 1 and not reading.all_frames
    if not is_literal:
        return ENGINE if not is_one else "document-spaces" if differs else "document"
    return "document" if is_one or not stored or animation["duration"] <= 1 else "document-frames"


# -- What a dump must contain

class Double(float):
    """A number that the file stores with 64 bits; other floats have 32."""


def expected_mesh(mesh, reading):
    flags = mesh["vertex_format"]
    rows = []
    for vertex in mesh["vertices"]:
        row = {}
        for name, size in pack.vertex_fields(flags, reading):
            value = vertex[name]
            row[name] = (list(struct.pack("<I", value)) if name == "color"
                         else list(value)[:size] if size > 1 else value[0])
        rows.append(row)
    return {"material_index": mesh["material_index"], "bbox_min": list(mesh["bbox_min"]),
            "bbox_max": list(mesh["bbox_max"]), "vertex_format": flags,
            "primitive_type": mesh["primitive_type"],
            "vertices": rows if any(flags.values()) else {"count": mesh["vertex_count"]}}


def expected_node(node, reading):
    return {"name": node["name"],
            "index": node["index"] if reading.text_index else float(node["index"]),
            "is_bone": node["is_bone"], "transform": list(node["transform"]),
            "meshes": node["meshes"],
            "children": [expected_node(child, reading) for child in node["children"]]}


def expected_model(model, reading):
    bones = [list(offset) if reading.bare_offsets else {"index": index, "offset": list(offset)}
             for index, offset in model["offsets"]]
    return {"tenon": 1, "format": "bbmod", "dialect": model_dialect(model, reading),
            "version_major": 3, "version_minor": 4,
            "meshes": [expected_mesh(mesh, reading) for mesh in model["meshes"]],
            "node_count": model["node_count"], "root": expected_node(model["root"], reading),
            "bones": bones, "material_names": model["material_names"]}


def expected_animation(animation, reading):
    frames = [{name: [list(row) for row in rows] for name, rows in frame if rows}
              for frame in pack.stored_frames(animation, reading)]
    frames = [frame for frame in frames if frame]
    head = {"tenon": 1, "format": "bbanim", "dialect": animation_dialect(animation, reading),
            "version_major": 3, "version_minor": 4, "spaces": animation["spaces"],
            "duration": Double(animation["duration"]),
            "tics_per_second": Double(animation["tics_per_second"]),
            "model_node_count": animation["model_node_count"],
            "model_bone_count": animation["model_bone_count"], "frame_count": len(frames)}
    names = [name for name, rows in pack.stored_frames(dict(animation, duration=1.0), reading)[0]
             if rows]
    if names:  # Frames of no bytes are not listed.
        head["frames"] = frames
    head["events"] = [{"frame": Double(frame), "name": name} for frame, name in animation["events"]]
    return head


def difference(wanted, found, path=""):
    """Where the two differ, to the bit; "" if they do not."""
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or list(wanted) != list(found):
            return "%s: keys %s" % (path, list(found) if isinstance(found, dict) else found)
        parts = [difference(wanted[key], found[key], path + "." + key) for key in wanted]
    elif isinstance(wanted, (list, tuple)):
        if not isinstance(found, list) or len(wanted) != len(found):
            return "%s: %s" % (path, found)
        parts = [difference(a, b, "%s[%d]" % (path, i))
                 for i, (a, b) in enumerate(zip(wanted, found))]
    elif isinstance(wanted, float):
        letter = "<d" if isinstance(wanted, Double) else "<f"
        same = struct.pack(letter, wanted) == struct.pack(letter, found)
        return "" if same else "%s: %r is %r" % (path, wanted, found)
    else:
        return "" if wanted == found else "%s: %r is %r" % (path, wanted, found)
    return next((part for part in parts if part), "")


# -- Where vertices are: dual quaternions as matrices, with Z mirrored

def matrix_of(dual):
    """Sixteen numbers, column by column."""
    x, y, z, w = dual[:4]
    a, b, c, d = dual[4:]
    t = (2 * (a * w - d * x + c * y - b * z), 2 * (b * w - d * y + a * z - c * x),
         2 * (c * w - d * z + b * x - a * y))
    return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0.0,
            2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0.0,
            2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0.0, *t, 1.0]


def product(a, b):
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4))
            for column in range(4) for row in range(4)]


def inverse(m):
    """Of a rotation and a translation."""
    turn = [m[4 * row + column] for column in range(3) for row in range(3)]
    back = [-sum(turn[3 * k + row] * m[12 + k] for k in range(3)) for row in range(3)]
    return turn[:3] + [0.0] + turn[3:6] + [0.0] + turn[6:] + [0.0] + back + [1.0]


def nodes_of(model):
    """Every node with its parent's position in the list, parents first."""
    listed = []

    def visit(node, parent):
        listed.append((node, parent))
        own = len(listed) - 1
        for child in node["children"]:
            visit(child, own)
    visit(model["root"], None)
    return listed


def worlds_of(model, stored=None):
    """The matrix of each node by its index, at rest or as a frame has it."""
    stored = stored or {}
    offsets = {int(index): matrix_of(offset) for index, offset in model["offsets"]}
    by_place, worlds = [], {}
    for node, parent in nodes_of(model):
        slot = int(float(node["index"]))
        local = matrix_of(stored["parent"][slot] if "parent" in stored else node["transform"])
        world = local if parent is None else product(by_place[parent], local)
        if "parent" not in stored and "world" in stored:
            world = matrix_of(stored["world"][slot])
        elif "parent" not in stored and "bone" in stored and slot in offsets:
            world = product(matrix_of(stored["bone"][slot]), inverse(offsets[slot]))
        by_place.append(world)
        worlds[slot] = world
    return worlds


def corners_of(model, reading, stored=None):
    """Every vertex that a node draws, in scene coordinates."""
    worlds = worlds_of(model, stored)
    offsets = {int(index): matrix_of(offset) for index, offset in model["offsets"]}
    points = []
    for node, _ in nodes_of(model):
        for mesh in (model["meshes"][m] for m in node["meshes"]):
            if not mesh["vertex_format"]["vertices"]:
                continue
            for vertex in mesh["vertices"]:
                if mesh["vertex_format"]["bones"]:
                    weights = vertex["bone_weights"] if reading.has_weights else (1.0, 0, 0, 0)
                    point = [0.0, 0.0, 0.0]
                    for bone, weight in zip(vertex["bone_indices"], weights):
                        moved = transform(product(worlds[int(bone)], offsets[int(bone)]),
                                          vertex["position"])
                        point = [a + weight * b for a, b in zip(point, moved)]
                else:
                    point = transform(worlds[int(float(node["index"]))], vertex["position"])
                points.append((point[0], point[1], -point[2]))
    return points


class Scene(Glb):
    """The GLB of a file; it is not written to disk, which would take most of the time."""

    def __init__(self, path):
        self.data = run("convert", "-q", path, "-", "--to", "glb")
        super().__init__(self)

    def read_bytes(self):
        return self.data

    def points(self, clip=None, seconds=0.0):
        animation = self.json["animations"][clip] if clip is not None else None
        return [point for _, primitives in self.draw(animation, seconds)
                for points in primitives for point in points]

    def colors(self):
        """Of every vertex that has one, as numbers from 0 to 1."""
        found = []
        for mesh in self.json["meshes"]:
            for primitive in mesh["primitives"]:
                index = primitive["attributes"].get("COLOR_0")
                if index is None:
                    continue
                most = {5121: 255, 5123: 65535}.get(
                    self.json["accessors"][index]["componentType"], 1)
                found += [[v / most for v in color] for color in self.accessor(index)]
        return found


def farthest(wanted, found):
    """How far the points of either list are from the nearest one of the other."""
    def one_way(a, b):
        return max((min(math.dist(p, q) for q in b) for p in a), default=0.0)
    return max(one_way(wanted, found), one_way(found, wanted)) if found else math.inf


# -- The tests

class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.expected, cls.bytes = {}, {}
        for name, model in pack.models().items():
            for number, reading in enumerate(pack.MODEL_READINGS):
                # Only text can hold an index that is not a number.
                if reading.text_index or name != "texts":
                    cls.add("%s-%02d.bbmod" % (name, number), pack.pack_model(model, reading),
                            expected_model(model, reading))
        for name, animation in pack.animations().items():
            for number, reading in enumerate(pack.ANIMATION_READINGS):
                cls.add("%s-%02d.bbanim" % (name, number), pack.pack_animation(animation, reading),
                        expected_animation(animation, reading))
        cls.paths = [cls.folder / name for name in cls.bytes]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def add(cls, name, data, expected):
        (cls.folder / name).write_bytes(data)
        cls.bytes[name], cls.expected[name] = data, expected

    def test_info_says_what_was_packed(self):
        for line in json_lines(run("info", "--json", *self.paths)):
            name = pathlib.Path(line["file"]).name
            with self.subTest(name):
                wanted = self.expected[name]
                self.assertEqual((line["format"], line["version"], line["dialect"]),
                                 (wanted["format"], "3.4", wanted["dialect"]))
                # An ambiguous file is reported, and this one is not ambiguous.
                self.assertNotIn("also", line)
                if wanted["format"] == "bbanim":
                    counts = (line["nodes"], line["joints"], line["frames"])
                    self.assertEqual(counts, (wanted["model_node_count"],
                                              wanted["model_bone_count"], wanted["frame_count"]))
                    continue
                vertices = sum(mesh["vertices"]["count"] if isinstance(mesh["vertices"], dict)
                               else len(mesh["vertices"]) for mesh in wanted["meshes"])
                self.assertEqual((line["meshes"], line["vertices"], line["nodes"], line["joints"],
                                  line["materials"]),
                                 (len(wanted["meshes"]), vertices, wanted["node_count"],
                                  len(wanted["bones"]), len(wanted["material_names"])))

    def test_every_field_is_dumped_and_built_again(self):
        for path in self.paths:
            with self.subTest(path.name):
                text = run("dump", path)
                found = json.loads(text)
                self.assertEqual(difference(self.expected[path.name], found), "")
                self.assertEqual(run("build", "-", "-", text=text), self.bytes[path.name])

    def test_another_program_may_rewrite_the_dump(self):
        for name in ("skinned-00.bbmod", "counts-00.bbmod", "events-00.bbanim"):
            again = json.dumps(json.loads(run("dump", self.folder / name))).encode()
            self.assertEqual(run("build", "-", "-", text=again), self.bytes[name])

    def test_files_are_rewritten_byte_for_byte(self):
        for name, data in self.bytes.items():
            with self.subTest(name):
                self.assertEqual(run("convert", self.folder / name, "-"), data)

    def test_the_map_has_no_gap(self):
        for path in self.paths:
            with self.subTest(path.name):
                at = 0
                for part in json_lines(run("map", "--json", path)):
                    self.assertEqual(part["offset"], at)
                    self.assertIn(part.get("kind", "field"), ("field", "inferred"))
                    at += part["size"]
                self.assertEqual(at, path.stat().st_size)

    def test_check_finds_what_is_odd_and_nothing_else(self):
        # By the name of what is packed; the rules of all others may report only notes.
        odd = {"counts": {"bbmod/vertex-format"}, "bare": {"bbmod/vertex-format"},
               "skinned": {"bbmod/winding"},
               "formats": {"bbmod/vertex-format", "bbmod/winding"},
               "spaces0_1": {"bbanim/spaces-none"}, "spaces0_3": {"bbanim/spaces-none"},
               "texts": {"bbmod/node-index"}, "true": {"bbmod/flag"}, "gap": {"bbmod/vertex-bone"},
               "fraction": {"bbanim/duration"}, "unknown": {"bbanim/spaces-unknown"},
               "events": {"bbanim/event-frame"}, "zero": {"bbanim/event-frame"},
               "no_nodes": {"bbanim/event-frame"}}
        for line in json_lines(run("check", "--json", *self.paths, status=None)):
            name = pathlib.Path(line["file"]).name
            found = {finding["rule"] for finding in line["findings"]
                     if finding["severity"] != "info"}
            with self.subTest(name):
                self.assertNotIn("error", line)
                self.assertLessEqual(found, odd.get(name.split("-")[0], set()))


class Scenes(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def test_models_are_where_they_are_computed(self):
        for name in ("skinned", "gap", "primitives", "tree", "counts"):
            model = pack.models()[name]
            for number, reading in enumerate(pack.MODEL_READINGS):
                with self.subTest(name, reading=reading):
                    path = self.write("m%02d.bbmod" % number, pack.pack_model(model, reading))
                    found = Scene(path).points()
                    self.assertLess(farthest(corners_of(model, reading), found), SLACK)

    def test_colors_are_argb_in_the_text_and_rgba_in_the_engine(self):
        model = pack.models()["skinned"]
        wanted = [vertex["color"] for vertex in model["meshes"][1]["vertices"]]
        for reading in pack.MODEL_READINGS:
            shifts = (0, 8, 16, 24) if reading == pack.ENGINE_MODEL else (16, 8, 0, 24)
            with self.subTest(reading=reading):
                path = self.write("m.bbmod", pack.pack_model(model, reading))
                found = Scene(path).colors()
                self.assertEqual(len(found), len(wanted))
                for color, packed in zip(found, wanted):
                    levels = [(packed >> shift & 255) / 255 for shift in shifts]
                    linear = [((v + 0.055) / 1.055) ** 2.4 if v > 0.04045 else v / 12.92
                              for v in levels[:3]] + levels[3:]
                    self.assertLess(math.dist(color, linear), 1e-3)

    def test_changed_models_are_where_they_were(self):
        """Every reading as 3.4, and 3.4 as every reading that has room for weights."""
        for name in ("skinned", "gap", "tree"):
            model = pack.models()[name]
            for reading in pack.MODEL_READINGS:
                with self.subTest(name, reading=reading):
                    source = self.write("a.bbmod", pack.pack_model(model, reading))
                    newest = self.write("b.bbmod",
                                        run("convert", "-q", source, "-", "--as", ENGINE))
                    found = Scene(newest).points()
                    self.assertLess(farthest(corners_of(model, reading), found), SLACK)
                    if not reading.has_weights:
                        continue
                    back = run("convert", "--strict", newest, "-", "--as",
                               model_dialect(model, reading))
                    self.assertEqual(back, source.read_bytes())

    def test_the_text_is_written_complete(self):
        """From a scene, every field of the document that the scene has; by default 3.4."""
        model = pack.models()["skinned"]
        source = self.write("m.bbmod", pack.pack_model(model, pack.ENGINE_MODEL))
        glb = self.write("m.glb", Scene(source).data)
        for to, dialect in (("bbmod", ENGINE), ("bbmod:document", "document")):
            out = self.folder / (dialect + ".bbmod")
            run("convert", "-q", glb, out, "--to", to)
            found = json.loads(run("dump", out))
            self.assertEqual(found["dialect"], dialect)
            fields = [set(mesh["vertices"][0]) for mesh in found["meshes"]]
            self.assertEqual(sum("color" in names for names in fields), 1)
            skinned = {"position", "normal", "uv1", "bone_indices", "bone_weights"}
            self.assertEqual(sum(skinned <= names for names in fields), 1)
            self.assertEqual(sorted(found["material_names"]), ["plain", "skin"])
            self.assertLess(farthest(corners_of(model, pack.ENGINE_MODEL), Scene(out).points()),
                            SLACK)

    def test_clips_pose_as_their_frames_say(self):
        model = pack.models()["skinned"]
        source = self.write("m.bbmod", pack.pack_model(model, pack.MODEL_READINGS[0]))
        for spaces in range(1, 8):
            animation = pack.animations()["spaces%d_3" % spaces]
            for reading in pack.ANIMATION_READINGS:
                frames = [{name: rows for name, rows in frame}
                          for frame in pack.stored_frames(animation, reading)]
                if not frames[0]:
                    continue
                with self.subTest(spaces=spaces, reading=reading):
                    self.write("m_walk.bbanim", pack.pack_animation(animation, reading))
                    scene = Scene(source)  # Animation files in the same folder are converted, too.
                    for f in range(3):
                        wanted = corners_of(model, pack.MODEL_READINGS[0],
                                            frames[min(f, len(frames) - 1)])
                        found = scene.points(0, f / animation["tics_per_second"])
                        self.assertLess(farthest(wanted, found), SLACK)


class Animations(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def change(self, animation, reading, dialect, *more, status=0):
        """The animation in another dialect, as a dump; None if it is not written."""
        source, out = self.folder / "a.bbanim", self.folder / "b.bbanim"
        source.write_bytes(pack.pack_animation(animation, reading))
        run("convert", "-f", source, out, "--as", dialect, *more, status=status)
        return json.loads(run("dump", out)) if status == 0 else None

    def test_one_frame_lasts_as_long_as_it_did(self):
        animation = pack.animations()["spaces1_3"]
        reading = pack.AnimationReading(all_spaces=False, all_frames=False)
        found = self.change(animation, reading, ENGINE, "--strict")
        self.assertEqual(found["duration"], 3)
        self.assertEqual(len(found["frames"]), 3)
        self.assertEqual(found["frames"][1:], found["frames"][:1] * 2)
        back = self.folder / "c.bbanim"
        run("convert", self.folder / "b.bbanim", back, "--as", "document", "--strict")
        self.assertEqual(back.read_bytes(), (self.folder / "a.bbanim").read_bytes())

    def test_a_duration_that_cannot_be_kept_is_reported(self):
        plain = pack.animations()["spaces1_3"]
        reading = pack.AnimationReading(all_spaces=False, all_frames=False)
        for duration in (0.0, 2.5, 1e9, 1e300, -1.0, math.inf):
            animation = dict(plain, duration=duration)
            with self.subTest(duration):
                self.assertIsNone(self.change(animation, reading, ENGINE, "--strict", status=1))
                self.change(animation, reading, ENGINE)

    def test_spaces_without_frames_are_reported(self):
        animation = pack.animations()["spaces7_3"]
        reading = pack.AnimationReading(all_spaces=False, all_frames=True)
        self.assertIsNone(self.change(animation, reading, ENGINE, "--strict", status=1))
        found = self.change(animation, reading, ENGINE)
        self.assertEqual((found["spaces"], found["duration"], len(found["frames"])), (1, 3, 3))

    def test_two_ways_to_read_a_file_are_reported(self):
        """One frame in two spaces is as long as two frames in one."""
        reading = pack.AnimationReading(all_spaces=True, all_frames=False)
        path = self.folder / "a.bbanim"
        path.write_bytes(pack.pack_animation(pack.animation_of(3, 2.0, 3, 2), reading))
        line = json_lines(run("info", "--json", path))[0]
        self.assertEqual((line["dialect"], line["also"]), ("document-spaces", "document-frames"))


class Trials(unittest.TestCase):
    def test_the_list_of_fields_wins_where_both_fit(self):
        """A file that ends well with bones of 32 bytes and of 16: the weights are also a root."""
        weights = struct.unpack("<4f", pack.u32(1) + b"elevenbytes\0")
        vertex = {"bone_indices": (0.0,) * 4, "bone_weights": weights}
        mesh = pack.mesh_of(pack.flags_of("bones"), [vertex], pack.POINTS)
        # In the other reading the number of nodes is the index "a", and the sixth number of the
        # transform counts the meshes of the node, which are what follows it.
        two = struct.unpack("<f", pack.u32(2))
        root = pack.node_of("abc", "0", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0) + two + (0.0,))
        model = pack.model_of([mesh], root, (), (), node_count=ord("a"))
        data = pack.pack_model(model, pack.MODEL_READINGS[1])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "both.bbmod"
            path.write_bytes(data)
            line = json_lines(run("info", "--json", path))[0]
            self.assertEqual((line["dialect"], line["also"]), ("document", "document-16"))
            for dialect in ("document", "document-16"):
                run("dump", "--from", "bbmod:" + dialect, path)


if __name__ == "__main__":
    unittest.main()
