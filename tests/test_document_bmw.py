#!/usr/bin/env python3
"""test_document_bmw.py: BMW as its document describes it, in every reading of that document.

tools/pack_document_bmw.py packs the files without using the library. The tool reads them; what it
prints is compared field by field with what was packed, the bytes are compared after rewriting, and
what is drawn with numbers computed here.
"""
# SPDX-License-Identifier: MIT

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import pack_document_bmw as text  # noqa: E402
from test_gltf_pose import Glb  # noqa: E402

TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
SLACK = 2e-5  # Of the largest coordinate.
WORKERS = 4
# Where flushing hundreds of small files to a disk costs nothing.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def tool(*arguments, data=None, status=0):
    done = subprocess.run([TOOL, *map(str, arguments)], input=data, capture_output=True)
    if status is not None and done.returncode != status:
        raise AssertionError("%s: status %d\n%s" % (arguments, done.returncode,
                                                    done.stderr.decode()[-2000:]))
    return done.stdout


def json_lines(*arguments, status=0):
    return [json.loads(line) for line in tool(*arguments, status=status).splitlines()]


def whole_number(digits):
    """An integer of JSON; minus zero stays what it is."""
    return -0.0 if digits == "-0" else int(digits)


def dialect_of(case, has_bones):
    """The dialect that the tool should find; without bones both ways to count are the same."""
    base = "document" if has_bones and not case.reading.extra_frame else "R2"
    end = case.reading.header_end
    return base if end == "nul" else base + "-" + end


# -- The document, field by field

def bits(value):
    """A float as 32 bits: dumps write those that JSON lacks as "f32:7fc00000"."""
    if isinstance(value, str):
        return int(value[4:], 16)
    number, = struct.unpack("<I", struct.pack("<f", value))
    return number


def rounded(numbers):
    return [bits(n) for n in numbers]


def stored(matrix, reading):
    rows = matrix if reading.by_rows else tuple(zip(*matrix))
    return [number for row in rows for number in row]


def dumped_text(value):
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()


class Fields:
    """Compares a dump with the model it should be."""

    def __init__(self, test, case, dump):
        self.test, self.case, self.dump = test, case, dump

    def check(self):
        model, dump = self.case.model, self.dump
        self.test.assertEqual([[dumped_text(t) for t in m["textures"]]
                               for m in dump["materials"]], model.materials)
        self.test.assertEqual(len(dump["meshes"]), len(model.meshes))
        for got, wanted in zip(dump["meshes"], model.meshes):
            self.check_mesh(got, wanted)
        self.check_node(dump["root"], model.root)
        self.test.assertEqual(len(dump["animations"]), len(model.animations))
        for got, wanted in zip(dump["animations"], model.animations):
            self.check_animation(got, wanted)

    def check_mesh(self, got, wanted):
        equal = self.test.assertEqual
        equal([(w["vertex_id"], [(i["node_id"], bits(i["weight"])) for i in w["influences"]])
               for w in got["weighted_vertices"]],
              [(vertex, [(node, bits(weight)) for node, weight in influences])
               for vertex, influences in wanted.weights])
        equal([(rounded(v["position"]), v["color"], rounded(v["uv"]), rounded(v["normal"]))
               for v in got["vertices"]],
              [(rounded(v.position), list(v.color), rounded(v.uv), rounded(v.normal))
               for v in wanted.vertices])
        equal([tuple(face) for face in got["faces"]], [tuple(face) for face in wanted.faces])

    def check_node(self, got, wanted):
        equal = self.test.assertEqual
        equal(got["node_id"], wanted.node_id)
        equal(rounded(got["transform"]), rounded(stored(wanted.matrix, self.case.reading)))
        equal(got["meshes"], wanted.meshes)
        equal(len(got["children"]), len(wanted.children))
        for child, wanted_child in zip(got["children"], wanted.children):
            self.check_node(child, wanted_child)

    def check_animation(self, got, wanted):
        reading, equal = self.case.reading, self.test.assertEqual
        equal((got["duration"], got["rate"]), (text.stored_duration(wanted, reading), wanted.speed))
        equal([(bone["node_id"], [rounded(m) for m in bone["frames"]]) for bone in got["bones"]],
              [(node, [rounded(stored(m, reading)) for m in matrices])
               for node, matrices in wanted.bones])


# -- What is drawn

def influences_of(model, mesh, vertex):
    """The weights of a vertex that are not zero, normalized."""
    known = {node.node_id for node, _ in text.all_nodes(model.root)}
    found = [(node, weight) for owner, listed in mesh.weights if owner == vertex
             for node, weight in listed if node in known and weight > 0]
    total = sum(weight for _, weight in found)
    return [(node, weight / total) for node, weight in found]


def unnamed(number):
    """What a clip without a name is called."""
    return "animation_%d" % (number + 1) if number else "animation"


def drawn(model, palette):
    """Points of every mesh of every node; `palette` has the matrices of the nodes that move."""
    moved_by_weights = {node for mesh in model.meshes for _, listed in mesh.weights
                        for node, _ in listed}
    shapes = []
    for node, parents in text.all_nodes(model.root):
        world = text.IDENTITY
        for step in parents + (node,):
            world = text.multiply(world, step.matrix)
        if node.node_id in palette and node.node_id not in moved_by_weights:
            world = palette[node.node_id]
        for index in node.meshes:
            mesh = model.meshes[index]
            if mesh.weights:
                shapes.append([skinned(model, mesh, i, palette)
                               for i in range(len(mesh.vertices))])
            else:
                shapes.append([text.apply(world, v.position) for v in mesh.vertices])
    return shapes


def skinned(model, mesh, index, palette):
    position = mesh.vertices[index].position
    influences = influences_of(model, mesh, index)
    if not influences:
        return list(position)
    points = [text.apply(palette.get(node, text.IDENTITY), position) for node, _ in influences]
    return [sum(weight * point[i] for (_, weight), point in zip(influences, points))
            for i in range(3)]


def is_near(a, b):
    slack = SLACK * max([1.0] + [abs(c) for p in a for c in p])
    return len(a) == len(b) and all(abs(x - y) <= slack for p, q in zip(a, b) for x, y in zip(p, q))


class Drawing(unittest.TestCase):
    """What of a GLB file can be compared with a model."""

    def assert_drawn(self, glb, clip, seconds, wanted):
        got = [points for _, primitives in glb.draw(clip, seconds) for points in primitives]
        left = list(wanted)
        for points in got:
            found = next((i for i, other in enumerate(left) if is_near(other, points)), None)
            self.assertIsNotNone(found, "%s is none of %s" % (points, left))
            left.pop(found)
        self.assertEqual(left, [])

    def assert_posed(self, glb, model, order=None):
        """At rest, and at every tick of every animation."""
        self.assert_drawn(glb, None, 0.0, drawn(model, {}))
        clips = {clip["name"]: clip for clip in glb.json.get("animations", [])}
        for number, animation in enumerate(model.animations):
            if animation.frame_count() == 0:
                self.assertNotIn(unnamed(number), clips)
                continue
            clip = clips[unnamed(number)]
            for tick in range(animation.frame_count()):
                palette = {node: matrices[tick] for node, matrices in animation.bones}
                self.assert_drawn(glb, clip, tick / (animation.speed or 60), drawn(model, palette))

    def assert_surface(self, glb, model):
        """Texture coordinates with v flipped, normals, and colors made linear."""
        wanted = [mesh for mesh in model.meshes]
        for mesh in glb.json["meshes"]:
            attributes = mesh["primitives"][0]["attributes"]
            positions = glb.accessor(attributes["POSITION"])
            source = next(m for m in wanted
                          if is_near([v.position for v in m.vertices], positions))
            uvs = glb.accessor(attributes["TEXCOORD_0"])
            normals = glb.accessor(attributes["NORMAL"])
            for v, uv, normal in zip(source.vertices, uvs, normals):
                self.assertTrue(is_near([(*v.uv, 0.0)], [(uv[0], 1.0 - uv[1], 0.0)]))
                self.assertTrue(is_near([v.normal], [normal]))
            if "COLOR_0" in attributes:
                for v, color in zip(source.vertices, glb.accessor(attributes["COLOR_0"])):
                    for wanted_part, part in zip(v.color[:3], color):
                        level = part / 255 if isinstance(part, int) else part
                        self.assertLess(abs(linear(wanted_part / 255) - level), 0.004)


def linear(c):
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


# -- Files

class Files(Drawing):
    """All files of the packer, each written to a temporary folder."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(dir=MEMORY)
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "in").mkdir()
        cls.cases = text.cases()
        for case in cls.cases:
            cls.path(case).write_bytes(case.data())

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def path(cls, case):
        return cls.folder / "in" / (case.name + ".bmw")

    def each(self, work):
        """work(case), for several files at a time, then a test of each result."""
        with ThreadPoolExecutor(WORKERS) as pool:
            yield from zip(self.cases, pool.map(work, self.cases))

    def test_info(self):
        infos = json_lines("info", "--json", *map(self.path, self.cases))
        self.assertEqual(len(infos), len(self.cases))
        for case, info in zip(self.cases, infos):
            with self.subTest(case.name):
                self.check_info(case, info)

    def check_info(self, case, info):
        model = case.model
        has_bones = any(a.bones for a in model.animations)
        self.assertEqual(info["dialect"], dialect_of(case, has_bones))
        self.assertNotIn("also", info)
        self.assertEqual(info["meshes"], len(model.meshes))
        self.assertEqual(info["vertices"], sum(len(m.vertices) for m in model.meshes))
        self.assertEqual(info["triangles"], sum(len(m.faces) for m in model.meshes))
        self.assertEqual(info["nodes"], len(list(text.all_nodes(model.root))))
        self.assertEqual(info["animations"], len(model.animations))
        self.assertEqual(info["materials"], len(model.materials))
        self.assertEqual([m.get("texture", "") for m in info["material_list"]],
                         [m[0].decode() if m else "" for m in model.materials])
        more = [fact["text"] for fact in info["facts"] if fact["label"] == "texture"]
        self.assertEqual(len(more), sum(max(len(m) - 1, 0) for m in model.materials))
        self.assertEqual([clip["frames"] for clip in info["clips"]],
                         [a.frame_count() for a in model.animations])
        order, = [f["text"] for f in info["facts"] if f["label"] == "matrices"]
        if "assumed" not in order:
            self.assertEqual(order, ("row" if case.reading.by_rows else "column")
                             + "-major (detected)")
        self.assertEqual("assumed" in order, case.name.startswith(("empty", "turned")))

    def test_fields(self):
        def dump(case):
            return tool("dump", self.path(case))
        for case, dumped in self.each(dump):
            with self.subTest(case.name):
                Fields(self, case, json.loads(dumped, parse_int=whole_number)).check()

    def test_the_same_bytes_are_written(self):
        out = self.folder / "same"
        tool("convert", *map(self.path, self.cases), "-o", str(out) + "/")
        for case in self.cases:
            with self.subTest(case.name):
                self.assertEqual((out / (case.name + ".bmw")).read_bytes(), case.data())

    def test_the_same_bytes_are_built(self):
        def build(case):
            return tool("build", "-", "-o", "-", data=tool("dump", self.path(case)))
        for case, built in self.each(build):
            with self.subTest(case.name):
                self.assertEqual(built, case.data())

    def test_the_map_has_no_gap(self):
        def parts_of(case):
            return json_lines("map", "--json", self.path(case))
        for case, parts in self.each(parts_of):
            with self.subTest(case.name):
                at = 0
                for part in parts:
                    self.assertNotIn(part.get("kind"), ("gap", "rest", "fault"))
                    self.assertEqual(part["offset"], at)
                    at += part["size"]
                self.assertEqual(at, len(case.data()))

    def test_only_mistakes_are_found(self):
        wrong = {"references": {"bmw/weight-vertex", "bmw/weight-node", "bmw/index-range",
                                "bmw/node-mesh", "bmw/animation-node"},
                 "full": {"bmw/animation-empty"},
                 "not_finite": {"bmw/not-finite"}}
        results = json_lines("check", "--json", *map(self.path, self.cases), status=1)
        for case, result in zip(self.cases, results):
            with self.subTest(case.name):
                model = case.name.rsplit("_", 3)[0]
                errors = {f["rule"] for f in result["findings"] if f["severity"] == "error"}
                self.assertEqual(errors, wrong.get(model, set()))

    def test_they_are_drawn_where_the_numbers_have_them(self):
        out = self.folder / "glb"
        tool("convert", *map(self.path, self.cases), "--to", "glb", "-o", str(out) + "/")
        posed = ("full", "odd_ids", "still", "animated_node", "shared_meshes", "influences",
                 "deep", "materials")
        count = 0
        for case in self.cases:
            if not case.name.startswith(posed):
                continue
            with self.subTest(case.name):
                glb = Glb(out / (case.name + ".glb"))
                self.assert_posed(glb, case.model)
                self.assert_surface(glb, case.model)
                count += 1
        self.assertGreater(count, 100)

    def test_the_order_of_matrices_can_be_found(self):
        """Where no translation shows it."""
        for case in self.cases:
            if not case.name.startswith("turned_nul_"):
                continue
            with self.subTest(case.name):
                base = "R2" if case.reading.extra_frame else "document"
                order = "row" if case.reading.by_rows else "column"
                out = self.folder / (case.name + ".glb")
                tool("convert", self.path(case), out, "--from", "bmw:%s-%s" % (base, order))
                self.assert_posed(Glb(out), case.model)

    def test_other_headers_become_the_usual_one(self):
        model = text.full()
        for reading in text.READINGS_OF_HEADERS:
            with self.subTest(reading.header_end):
                case = text.Case("header", model, reading)
                self.path(case).write_bytes(case.data())
                out = self.folder / "usual.bmw"
                tool("convert", self.path(case), out, "--as", "document", "--force")
                self.assertEqual(out.read_bytes(), text.pack(model, text.Reading()))
                if reading.header_end == "nul":
                    continue
                back = self.folder / "back.bmw"
                tool("convert", out, back, "--as", "document-" + reading.header_end, "--force")
                self.assertEqual(back.read_bytes(), case.data())


# -- Sidecars

def numbers(value):
    return tuple(float(word) for word in value.split())


def model_matrix(expected):
    said = dict(text.DEFAULTS, **expected)
    turn = text.rotation(said["rotation"], numbers(said["rotationAngle"]))
    moved = text.multiply(text.translation(*numbers(said["translation"])), turn)
    return text.multiply(moved, text.scaling(*numbers(said["scale"])))


class Sidecars(Drawing):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(dir=MEMORY)
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "in").mkdir()
        cls.model = text.acting()
        cls.cases = text.sidecars()
        data = text.pack(cls.model, text.Reading())
        for number, case in enumerate(cls.cases):
            cls.path(case).write_bytes(data)
            written = json.dumps(case.value, indent=("\t", None)[number % 2])
            cls.path(case).with_suffix(".json").write_text(written, encoding="utf-8")
        cls.paths = [cls.path(case) for case in cls.cases]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def path(cls, case):
        return cls.folder / "in" / (case.name + ".bmw")

    def clips_of(self, case):
        return case.expected.get("clips", [])

    def test_info_says_what_is_in_them(self):
        for case, info in zip(self.cases, json_lines("info", "--json", *self.paths)):
            with self.subTest(case.name):
                clips = self.clips_of(case)
                self.assertEqual(info["materials"], len(info["material_list"]))
                if clips:
                    self.assertEqual([(c["loop"], c["hold"], c["seconds"], c["frames"])
                                      for c in info["clips"]],
                                     [(c.get("loop", False), c.get("hold", False),
                                       (c["end"] - c["start"]) / 5, c["end"] - c["start"] + 1)
                                      for c in clips])
                    named = [c["name"] or "animation_2" for c in info["clips"]]
                    self.assertEqual(named, [c["name"] for c in clips])
                else:
                    self.assertEqual([c["name"] for c in info["clips"]], [""])
                faults = [f["text"] for f in info["facts"] if f["label"] == "sidecar"]
                self.assertEqual(len(faults), len(case.faults))
                for path, fault in zip(sorted(case.faults), sorted(faults, key=self.fault_path)):
                    self.assertEqual(self.fault_path(fault), path)
                overrides = [f["text"] for f in info["facts"] if f["label"] == "override"]
                self.assertEqual(overrides, [o["texture"] for o
                                             in case.expected.get("textureOverrides", []) if o])

    @staticmethod
    def fault_path(fact):
        """Of "line 1, column 2: clips[1]: it is wrong"."""
        return fact.split(": ")[1]

    def test_check_finds_what_cannot_be_used(self):
        results = json_lines("check", "--json", *self.paths, status=1)
        for case, result in zip(self.cases, results):
            with self.subTest(case.name):
                found = [f["path"].split(":")[1] for f in result["findings"]
                         if f["rule"] == "bmw/sidecar-invalid"]
                self.assertEqual(sorted(found), sorted(case.faults))
                others = {f["rule"] for f in result["findings"] if f["severity"] == "error"}
                clips = [c["name"] for c in self.clips_of(case)]
                default = case.expected.get("defaultAnim", "idle")
                is_wrong = bool(clips) and default not in clips
                self.assertEqual("bmw/clip-default" in others, is_wrong)
                others -= {"bmw/clip-default", "bmw/sidecar-invalid"}
                self.assertEqual(others, set())

    def test_they_travel_with_the_model(self):
        out = self.folder / "same"
        tool("convert", *self.paths, "-o", str(out) + "/")
        for path in self.paths:
            for side in (path, path.with_suffix(".json")):
                self.assertEqual((out / side.name).read_bytes(), side.read_bytes())

    def test_they_are_drawn_where_the_numbers_have_them(self):
        out, report = self.folder / "glb", self.folder / "report.json"
        tool("convert", *self.paths, "--to", "glb", "-o", str(out) + "/", "--report", report)
        losses = {Path(entry["file"]).stem: entry["losses"]
                  for entry in json.loads(report.read_text())}
        for case in self.cases:
            with self.subTest(case.name):
                lost = [loss["path"].partition(":")[2] for loss in losses[case.name]
                        if loss["feature"] == "value of the sidecar"]
                self.assertEqual(sorted(lost), sorted(case.faults))
                self.check_scene(case, Glb(out / (case.name + ".glb")))

    def check_scene(self, case, glb):
        model, clips = self.model, self.clips_of(case)
        (node, matrices), = model.animations[0].bones
        above = model_matrix(case.expected)

        def moved(palette):
            return [[text.apply(above, point) for point in points]
                    for points in drawn(model, palette)]
        first = [c for c in clips if c["name"] == case.expected.get("defaultAnim", "idle")]
        rest = {node: matrices[int(first[-1]["start"])]} if first else {}
        self.assert_drawn(glb, None, 0.0, moved(rest))
        found = glb.json["animations"]
        if not clips:
            self.assertEqual([c["name"] for c in found], ["animation"])
            for tick, matrix in enumerate(matrices):
                self.assert_drawn(glb, found[0], tick / 5, moved({node: matrix}))
        for clip, got in zip(clips, found):
            self.assertEqual(got["name"], clip["name"])
            start, end = int(clip["start"]), int(clip["end"])
            for tick in range(start, end + 1):
                self.assert_drawn(glb, got, (tick - start) / 5, moved({node: matrices[tick]}))
            extras = got.get("extras", {})
            for key in ("loop", "hold"):
                wanted = str(clip[key]).lower() if key in clip else None
                self.assertEqual(extras.get(key), wanted)
        overrides = case.expected.get("textureOverrides", [])
        named = {m["name"] for m in glb.json["materials"]}
        for number, own in enumerate(("first", "second")):
            other = overrides[number] if number < len(overrides) else None
            wanted = Path(other["texture"]).stem if other else own
            self.assertIn(wanted, named)

    def test_clips_come_back_with_what_they_said(self):
        """BMW to GLB to BMW."""
        out, back = self.folder / "there", self.folder / "back"
        some = [case for case in self.cases if self.clips_of(case) and len(case.faults) != 1]
        tool("convert", *map(self.path, some), "--to", "glb", "-o", str(out) + "/")
        glbs = [out / (case.name + ".glb") for case in some]
        tool("convert", *glbs, "--to", "bmw:document", "-o", str(back) + "/")
        for case in some:
            clips = self.clips_of(case)
            with self.subTest(case.name):
                written = json.loads((back / (case.name + ".json")).read_text())
                data = (back / (case.name + ".bmw")).read_bytes()
                speed = text.unpack(data, text.Reading()).animations[0].speed
                by_name = {clip["name"]: clip for clip in written["clips"]}
                for clip in clips:
                    got = by_name[clip["name"]]
                    self.assertEqual((got["end"] - got["start"]) * 5,
                                     (clip["end"] - clip["start"]) * speed)
                    self.assertEqual((got.get("loop"), got.get("hold")),
                                     (clip.get("loop"), clip.get("hold")))


# -- Writing by the document

class Written(Drawing):
    """What the scene has is in a file that is written by the document, in every field of it."""

    def test_every_field_is_filled(self):
        model = text.full()
        del model.animations[1]  # No scene holds an animation without bones.
        with tempfile.TemporaryDirectory(dir=MEMORY) as name:
            folder = Path(name)
            (folder / "full.bmw").write_bytes(text.pack(model, text.Reading()))
            side = {"rotation": 90, "scale": "2 2 2", "translation": "1 2 3",
                    "defaultAnim": "go", "clips": [{"name": "go", "start": 0, "end": 3,
                                                    "loop": False, "hold": True}]}
            (folder / "full.json").write_text(json.dumps(side))
            for texture in ("skin.dds", "maps/cloth.dds"):
                (folder / texture).parent.mkdir(exist_ok=True)
                (folder / texture).write_bytes(tiny_dds())
            tool("convert", folder / "full.bmw", folder / "full.glb", "--embed")
            out = folder / "out"
            tool("convert", folder / "full.glb", "--to", "bmw:document", "-o", str(out) + "/")
            data = (out / "full.bmw").read_bytes()
            made = text.unpack(data, text.Reading())
            self.assertEqual(text.pack(made, text.Reading()), data)
            self.check_made(model, made)
            self.assert_same_tree(Glb(folder / "full.glb"), made)
            self.check_sidecar(side, json.loads((out / "full.json").read_text()))
            textures = [path.decode() for m in made.materials for path in m]
            self.assertEqual(len(textures), len(made.meshes))
            for path in textures:
                self.assertTrue((out / path).with_suffix(".dds").is_file(), path)
            tool("convert", out / "full.bmw", folder / "again.glb")
            self.assert_same_motion(Glb(folder / "full.glb"), Glb(folder / "again.glb"))

    def check_made(self, model, made):
        self.assertEqual(len(made.meshes), len(model.meshes))
        for wanted in model.meshes:
            got = next(m for m in made.meshes if len(m.vertices) == len(wanted.vertices))
            self.assertEqual(len(got.faces), len(wanted.faces))
            self.assertEqual({v for v, _ in got.weights if v < len(wanted.vertices)},
                             set(range(len(wanted.vertices))) if wanted.weights else
                             {v for v, _ in got.weights})
            self.assertEqual(sorted(v.uv for v in got.vertices),
                             sorted(v.uv for v in wanted.vertices))
            self.assertEqual(sorted(v.color for v in got.vertices),
                             sorted(v.color for v in wanted.vertices))
            self.assertTrue(all(any(v.normal) for v in got.vertices))
        ids = [node.node_id for node, _ in text.all_nodes(made.root)]
        self.assertEqual(ids, list(range(len(ids))))
        animation, = made.animations
        self.assertTrue(animation.speed > 0 and animation.bones)

    def check_sidecar(self, wanted, got):
        self.assertEqual(got["defaultAnim"], "go")
        clip = next(c for c in got["clips"] if c["name"] == "go")
        self.assertEqual((clip["loop"], clip["hold"]), (False, True))
        self.assertTrue(is_near([numbers(got["scale"]), numbers(got["translation"])],
                                [numbers(wanted["scale"]), numbers(wanted["translation"])]))
        self.assertAlmostEqual(got["rotation"], 90.0, places=4)

    def assert_same_tree(self, glb, made):
        """Every node of the scene, except that of the sidecar, is in the tree at its place."""
        nodes = glb.json["nodes"]
        wanted, waiting = [], [(n, 0) for n in glb.json["scenes"][0]["nodes"]]
        for node, depth in waiting:
            is_model = nodes[node].get("name") == "model"
            waiting += [(n, depth + (not is_model)) for n in nodes[node].get("children", [])]
            if not is_model:
                wanted.append((depth, "mesh" in nodes[node], glb.locals(None, 0.0)[node]))
        got = [(len(parents) - 1, bool(node.meshes), [n for row in zip(*node.matrix) for n in row])
               for node, parents in text.all_nodes(made.root) if parents]
        self.assertEqual(len(got), len(wanted))
        for depth, has_mesh, matrix in wanted:
            found = next((i for i, other in enumerate(got) if other[:2] == (depth, has_mesh)
                          and is_near([matrix], [other[2]])), None)
            self.assertIsNotNone(found, "%s at %d" % (matrix, depth))
            got.pop(found)

    def test_all_weights_are_written(self):
        model = text.many_influences()
        with tempfile.TemporaryDirectory(dir=MEMORY) as name:
            folder = Path(name)
            (folder / "many.bmw").write_bytes(text.pack(model, text.Reading()))
            tool("convert", folder / "many.bmw", folder / "many.glb")
            tool("convert", folder / "many.glb", folder / "out.bmw", "--to", "bmw:document")
            made = text.unpack((folder / "out.bmw").read_bytes(), text.Reading())
            mesh, = made.meshes
            weights = [[w for _, w in influences] for _, influences in sorted(mesh.weights)]
            self.assertEqual([len(w) for w in weights], [12, 2, 2])
            for own in weights:
                self.assertAlmostEqual(sum(own), 1.0, places=6)

    def test_other_ends_of_the_header_can_be_requested(self):
        with tempfile.TemporaryDirectory(dir=MEMORY) as name:
            folder = Path(name)
            (folder / "in.bmw").write_bytes(text.pack(text.full(), text.Reading()))
            tool("convert", folder / "in.bmw", folder / "in.glb")
            for reading in text.READINGS_OF_HEADERS[1:]:
                out = folder / (reading.header_end + ".bmw")
                tool("convert", folder / "in.glb", out, "--to", "bmw:document-"
                     + reading.header_end)
                text.unpack(out.read_bytes(), reading)

    def assert_same_motion(self, a, b):
        clips = {clip["name"]: clip for clip in b.json["animations"]}
        for clip in a.json["animations"]:
            for tick in range(4):
                shapes = [points for _, parts in a.draw(clip, tick / 24) for points in parts]
                self.assert_drawn(b, clips[clip["name"]], tick / 24, shapes)


def tiny_dds():
    """One white pixel."""
    pixels = struct.pack("<8I", 32, 0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    head = struct.pack("<7I", 124, 0x100F, 1, 1, 4, 0, 0) + bytes(44)
    return b"DDS " + head + pixels + struct.pack("<5I", 0x1000, 0, 0, 0, 0) + b"\xff" * 4


if __name__ == "__main__":
    if not os.access(TOOL, os.X_OK):
        print("skipped: no tool at %s" % TOOL)
        raise SystemExit(77)
    unittest.main()
