#!/usr/bin/env python3
"""The judge passes the samples, fails damaged copies of them, and judges what the tool converts.

The judge (tests/engine/judge.py) loads files as the engines do. Damage is done in the files' bytes:
a vertex moved by 1 % of the model, indices swapped, a face turned over, a key changed.
With TENON set to the path of the tool, samples/crane.gpb is converted to each format and judged.
"""
# SPDX-License-Identifier: MIT

import base64
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/engine"), str(ROOT / "tests"), str(ROOT / "tools")]

import bbmod  # noqa: E402
import beowolf  # noqa: E402
import bplx  # noqa: E402
import coreengine  # noqa: E402
import claims  # noqa: E402
import gameplay  # noqa: E402
import gltf  # noqa: E402
import judge as judge_command  # noqa: E402
from common import Refused, compare  # noqa: E402
import feature_models  # noqa: E402
import pack_bmw  # noqa: E402
import real_files  # noqa: E402
from test_jpeg import PICTURE as JPEG  # noqa: E402

SAMPLES = ROOT / "samples"
TOOL = os.environ.get("TENON")
FILES = (("gpb", "crane.gpb"), ("bbmod", "crane.bbmod"), ("bmw", "crane.bmw"),
         ("cem", "crane.cem"), ("cea", "crane.cea"), ("bplx", "crane.bplx"),
         ("bplx", "crane_script.bplx"), ("glb", "crane.glb"))
TARGETS = ("bbmod", "bmw", "cea", "bplx", "gpb")
SAMPLE_TOLERANCE = "1e-6"
SHIFT = 0.123  # One hundredth of the crane's diagonal.


def judge(kind, path, *options):
    """Returns the exit status and what was printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = judge_command.main([kind, str(path), *options])
    return status, printed.getvalue()


def load(module, path, kind):
    options = types.SimpleNamespace(format=kind, rate=24.0, view=next(iter(module.VIEWS)))
    return module.load(path, options)


# -- Where things are in a file

class Places:
    """Offsets in a sample: of a vertex of mesh 0, of its indices, and of a key's number."""

    def __init__(self, module, name, kind, order="<", index="I"):
        self.path, self.kind, self.order, self.index = SAMPLES / name, kind, order, index
        self.data = self.path.read_bytes()
        self.model = load(module, self.path, kind)
        self.mesh = self.model.meshes[0]

    def find(self, form, *numbers):
        wanted = struct.pack(self.order + form, *numbers)
        found = self.data.find(wanted)
        if found < 0:
            raise AssertionError(f"{self.path.name} does not hold {numbers}")
        return found

    def vertex(self):
        return self.find("3f", *self.mesh.positions[0])

    def indices(self):
        flat = [i for triangle in self.mesh.triangles[:4] for i in triangle]
        return self.find(f"12{self.index}", *flat)

    def index_size(self):
        return struct.calcsize(self.index)

    def key(self):
        """(file, offset) of the X of a position that 'travel' changes."""
        raise NotImplementedError


class GpbPlaces(Places):
    def key(self):
        channel = self.model.clips["travel"][0][0].channels[0]
        return self.path.name, self.find("6f", *channel.values[1], *channel.values[2])


class GlbPlaces(Places):
    """The first mesh has its vertices interleaved: only a whole row can be found."""

    def vertex(self):
        return self.find("6f", *self.mesh.positions[0], *self.mesh.normals[0])

    def key(self):
        channel = next(c for n, c in self.model.clips["travel"] if c.path == "translation"
                       and self.model.nodes[n]["name"] == "crane")
        return self.path.name, self.find("6f", *channel.values[1], *channel.values[2])


class CeaPlaces(Places):
    def key(self):
        joint = next(j for j in self.model.skeleton.values() if j.name == "crane")
        times, values = self.model.clips["travel"].positions[joint.index]
        return self.path.name, self.find("4f", times[1], *values[1]) + 4


class BmwPlaces(Places):
    def key(self):
        node = next(i for i, name in self.model.file.names.items() if name == "trolley")
        track = self.model.file.animations[0].tracks[node]
        tick = pack_bmw.REST_TICKS + 7  # 0.35 s.
        return self.path.name, self.find("32f", *track[tick], *track[tick + 1]) + 4 * 12


class BbmodPlaces(Places):
    """Without indices: whole vertices change places."""

    def vertex(self):
        return self.find("6f", *self.mesh.positions[0], *self.mesh.normals[0])

    def indices(self):
        return self.vertex()

    def index_size(self):
        return self.find("6f", *self.mesh.positions[1], *self.mesh.normals[1]) - self.vertex()

    def key(self):
        node = next(n for n in self.model.nodes if n.name == "crane")
        frame = 21  # 0.35 s.
        return "crane_travel.bbanim", 34 + 32 * (frame * len(self.model.nodes) + node.index) + 16


PLACES = {"gpb": lambda: GpbPlaces(gameplay, "crane.gpb", "gpb", index="H"),
          "bbmod": lambda: BbmodPlaces(bbmod, "crane.bbmod", "bbmod"),
          "bmw": lambda: BmwPlaces(beowolf, "crane.bmw", "bmw"),
          "cea": lambda: CeaPlaces(coreengine, "crane.cea", "cea", order=">", index="i"),
          "cem": lambda: Places(coreengine, "crane.cem", "cem", order=">", index="i"),
          "bplx": lambda: Places(bplx, "crane.bplx", "bplx"),
          "glb": lambda: GlbPlaces(gltf, "crane.glb", "glb", index="H")}
ANIMATED = ("gpb", "bbmod", "bmw", "cea", "glb")


# -- Damage

def add_to_float(data, offset, order, amount):
    value = struct.unpack_from(order + "f", data, offset)[0]
    struct.pack_into(order + "f", data, offset, value + amount)


def swap(data, a, b, size):
    data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]


class Folder(unittest.TestCase):
    """A copy of the samples to damage."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="tenon-engine-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name) / "samples"
        shutil.copytree(SAMPLES, self.folder)

    def change(self, name, function):
        data = bytearray((self.folder / name).read_bytes())
        before = bytes(data)
        function(data)
        self.assertNotEqual(before, bytes(data), "the damage changes nothing")
        (self.folder / name).write_bytes(data)

    def expect(self, kind, name, status, words="", options=()):
        found, text = judge(kind, self.folder / name, *options)
        self.assertEqual(found, status, text)
        self.assertIn(words, text)
        self.assertNotIn("Traceback", text)


class Samples(unittest.TestCase):
    def test_every_sample_passes(self):
        for kind, name in FILES:
            with self.subTest(name):
                status, text = judge(kind, SAMPLES / name, "--tolerance", SAMPLE_TOLERANCE)
                self.assertEqual(status, 0, text)
                self.assertNotIn("oppose", text)

    def test_the_command(self):
        command = [sys.executable, str(ROOT / "tests/engine/judge.py")]
        for words, status in ((["gpb", SAMPLES / "crane.gpb", "--clips"], 0), (["--help"], 0),
                              (["gpb", "no.gpb"], 3), (["gpb"], 2),
                              (["gpb", SAMPLES / "crane.bmw"], 1)):
            done = subprocess.run(command + [str(word) for word in words], capture_output=True)
            self.assertEqual(done.returncode, status, done.stderr)

    def test_both_views_of_a_bmw_pass(self):
        for view in beowolf.VIEWS:
            status, text = judge("bmw", SAMPLES / "crane.bmw", "--view", view)
            self.assertEqual(status, 0, text)

    def test_modeldata_is_recognized_by_its_extension(self):
        for name, count in (("crane.cem", "poses 1,"), ("crane.cea", "poses 11,")):
            status, text = judge("modeldata", SAMPLES / name)
            self.assertEqual(status, 0, text)
            self.assertIn(count, text)


class Damaged(Folder):
    def damage_each(self, kinds, spoil, words=""):
        for kind in kinds:
            with self.subTest(kind):
                places = PLACES[kind]()
                self.change(places.path.name, lambda data, at=places: spoil(at, data))
                self.expect(kind, places.path.name, 1, words)

    def test_a_vertex_moved_by_one_percent(self):
        self.damage_each(PLACES, lambda at, data: add_to_float(data, at.vertex(), at.order, SHIFT),
                         "triangles differ")

    def test_two_indices_swapped(self):
        def spoil(at, data):
            size, start = at.index_size(), at.indices()
            swap(data, start, start + 10 * size, size)
        self.damage_each(PLACES, spoil, "triangles differ")

    def test_a_face_turned_over(self):
        def spoil(at, data):
            size, start = at.index_size(), at.indices()
            swap(data, start + size, start + 2 * size, size)
        self.damage_each(PLACES, spoil, "1 inside out")

    def test_a_key_changed(self):
        for kind in ANIMATED:
            with self.subTest(kind):
                places = PLACES[kind]()
                name, offset = places.key()
                self.change(name, lambda data, p=places, o=offset:
                            add_to_float(data, o, p.order, SHIFT))
                self.expect(kind, places.path.name, 1, "travel 0.35")

    def test_texture_coordinates_that_are_not_finite(self):
        def spoil(at, data):
            offset = at.find("2f", *at.mesh.uvs[0])
            struct.pack_into(at.order + "f", data, offset, float("nan"))
        self.damage_each(("cem", "bplx"), spoil, "not finite")

    def turn_normals(self, mesh_count, normal_count):
        def spoil(data):
            places = PLACES["cem"]()
            for mesh in places.model.meshes[:mesh_count]:
                flat = [v for normal in mesh.normals[:normal_count] for v in normal]
                offset = places.find(f"{len(flat)}f", *flat)
                struct.pack_into(f">{len(flat)}f", data, offset, *(-v for v in flat))
        self.change("crane.cem", spoil)

    def test_one_side_that_opposes_its_normals(self):
        self.turn_normals(1, 4)
        self.expect("cem", "crane.cem", 0, "warning: 2 of 348 faces oppose")

    def test_many_faces_that_oppose_their_normals(self):
        self.turn_normals(3, None)
        self.expect("cem", "crane.cem", 1, "FAIL: 44 of 348 faces oppose")


class Refusals(Folder):
    def test_versions_that_the_engine_does_not_load(self):
        self.change("crane.gpb", lambda data: struct.pack_into("B", data, 10, 1))
        self.expect("gpb", "crane.gpb", 1, "version 1.1")
        self.change("crane.bbmod", lambda data: struct.pack_into("B", data, 7, 5))
        self.expect("bbmod", "crane.bbmod", 1, "version 3.5")

    def test_a_default_clip_that_is_missing(self):
        sidecar = json.loads((self.folder / "crane.json").read_text())
        sidecar["defaultAnim"] = "idle"
        (self.folder / "crane.json").write_text(json.dumps(sidecar))
        self.expect("bmw", "crane.bmw", 1, "'idle' is not among the clips")

    def test_a_default_clip_that_never_takes_effect(self):
        sidecar = json.loads((self.folder / "crane.json").read_text())
        rest = next(clip for clip in sidecar["clips"] if clip["name"] == "rest")
        for end, holds, status in ((0, True, 1), (1, True, 0), (1, False, 1)):
            rest["end"], rest["hold"] = end, holds
            (self.folder / "crane.json").write_text(json.dumps(sidecar))
            self.expect("bmw", "crane.bmw", status, "rest" if status else "")

    def test_a_sidecar_that_is_not_json(self):
        (self.folder / "crane.json").write_text('{"clips": [],}')
        self.expect("bmw", "crane.bmw", 1, "crane.json")

    def test_a_model_without_its_clips(self):
        (self.folder / "crane.json").unlink()
        self.expect("bmw", "crane.bmw", 1, "there is no clip 'travel'")

    def test_an_animation_of_another_model(self):
        self.change("crane_lift.bbanim", lambda data: struct.pack_into("<I", data, 26, 3))
        self.expect("bbmod", "crane.bbmod", 1, "is for 3 nodes")

    def test_a_joint_beyond_the_fiftieth(self):
        places = PLACES["cea"]()
        joint = next(j for j in places.model.skeleton.values() if j.name == "hook")
        offset = places.find("2i4s", joint.index, joint.parent, b"hook")
        self.change("crane.cea", lambda data: struct.pack_into(">i", data, offset, 50))
        self.expect("cea", "crane.cea", 1, "index 50")

    def test_every_cut_is_refused(self):
        for kind, name in FILES:
            data = (SAMPLES / name).read_bytes()
            for size in (0, 3, 30, len(data) // 2):
                with self.subTest(f"{name} cut to {size}"):
                    (self.folder / name).write_bytes(data[:size])
                    self.expect(kind, name, 1, "would refuse")

    def test_files_that_are_missing(self):
        self.expect("gpb", "no.gpb", 3, "no.gpb")
        self.expect("gpb", "crane.gpb", 3, "no.json", ("--truth", "no.json"))
        (self.folder / "crane_lift.bbanim").unlink()
        self.expect("bbmod", "crane.bbmod", 3, "crane_lift.bbanim")
        (self.folder / "crane.material").unlink()
        self.expect("gpb", "crane.gpb", 0, "crane.material")


class Engines(Folder):
    """What the engines do with files that have another meaning elsewhere."""

    def test_gameplay_stretches_a_channel_that_ends_early(self):
        places = PLACES["gpb"]()
        trolley = next(c for c in places.model.clips["travel"][0][0].channels
                       if c.target == "trolley")
        offset = places.find("5I", *trolley.times) + 4 * 4
        self.change("crane.gpb", lambda data: struct.pack_into("<I", data, offset, 1900))
        self.expect("gpb", "crane.gpb", 1, "the keys of 'trolley' at 0..1900 ms are stretched")

    def test_coreengine_waits_for_the_first_key(self):
        places = PLACES["cea"]()
        joint = next(j for j in places.model.skeleton.values() if j.name == "crane")
        times, values = places.model.clips["travel"].positions[joint.index]
        offset = places.find("4f", times[0], *values[0])
        self.change("crane.cea", lambda data: struct.pack_into(">f", data, offset, 1.0))
        self.expect("cea", "crane.cea", 1, "travel 0 ")

    def test_times_between_frames_are_blended(self):
        truth = json.loads((SAMPLES / "truth.json").read_text())
        first, second = (p for p in truth["poses"] if (p["clip"], p["time"]) in
                         (("travel", 0.35), ("travel", 0.8)))
        second["time"] = 0.351
        second["positions"] = first["positions"]
        (self.folder / "truth.json").write_text(json.dumps(truth))
        options = ("--truth", str(self.folder / "truth.json"), "--tolerance", "1e-2")
        self.expect("bbmod", "crane.bbmod", 0, "between frames", options)
        self.expect("bmw", "crane.bmw", 0, "between frames", options)

    def test_joints_are_compared_where_the_truth_has_them(self):
        model = load(gameplay, SAMPLES / "crane.gpb", "gpb")
        truth = json.loads((SAMPLES / "truth.json").read_text())
        for pose in truth["poses"]:
            pose["joints"] = model.joints(pose["clip"], pose["time"])
            for name in ("body", "eye", "sun"):
                del pose["joints"][name]
        (self.folder / "truth.json").write_text(json.dumps(truth))
        options = ("--truth", str(self.folder / "truth.json"))
        self.expect("bplx", "crane.bplx", 0, "poses 11,", options)
        self.change("crane.bplx", self.spoil_bplx_key)
        self.expect("bplx", "crane.bplx", 1, "with joints", options)

    @staticmethod
    def spoil_bplx_key(data):
        places = PLACES["bplx"]()
        bone = next(i for i, b in enumerate(places.model.bones) if b.name == "crane")
        time, (position, _, _) = places.model.clips["travel"].keys[bone][1]
        offset = places.find("fI3f", time, bone, *position) + 8
        add_to_float(data, offset, "<", SHIFT)


class Claims(Folder):
    """The samples are one model in many formats, so that they can be compared with each other."""

    def faults(self, source, target):
        side = claims.Side(claims.load_source(source))
        return claims.compare(side, target, 1e-4, False).faults

    def expect_fault(self, kind, name, words):
        with self.subTest(kind):
            found = self.faults(SAMPLES / ("crane.cea" if kind == "glb" else "crane.glb"),
                                self.folder / name)
            self.assertIn(words, "; ".join(f"{f.pose}: {f.remark}" for f in found))

    def test_samples_agree(self):
        for source in ("crane.cea", "crane.glb"):
            for kind, name in FILES:
                with self.subTest(source=source, target=name):
                    self.assertEqual(self.faults(SAMPLES / source, SAMPLES / name), [])

    def test_a_vertex_moved(self):
        for kind in PLACES:
            at = PLACES[kind]()
            self.change(at.path.name,
                        lambda data, at=at: add_to_float(data, at.vertex(), at.order, SHIFT))
            self.expect_fault(kind, at.path.name, "rest: ")

    def test_a_face_turned_over(self):
        for kind in PLACES:
            at = PLACES[kind]()
            size, start = at.index_size(), at.indices()
            self.change(at.path.name, lambda data, size=size, start=start:
                        swap(data, start + size, start + 2 * size, size))
            self.expect_fault(kind, at.path.name, "1 triangles inside out")

    def test_a_key_changed(self):
        for kind in ("gpb", "cea", "glb"):  # Of whole frames only some are compared.
            at = PLACES[kind]()
            name, offset = at.key()
            self.change(name, lambda data, at=at, o=offset: add_to_float(data, o, at.order, 3.0))
            self.expect_fault(kind, at.path.name, "travel ")

    def test_a_face_left_out(self):
        """Both directions are compared, so that it does not matter which model lacks it."""
        at = PLACES["cem"]()
        start = at.indices()
        self.change("crane.cem", lambda data: data.__setitem__(
            slice(start, start + 12), data[start + 12:start + 24]))
        for one, other in ((SAMPLES / "crane.gpb", self.folder / "crane.cem"),
                           (self.folder / "crane.cem", SAMPLES / "crane.gpb")):
            found = self.faults(one, other)
            self.assertIn("no partner", found[0].remark)


class Converted(unittest.TestCase):
    """Models that the tool converts, as their engine loads them."""

    def setUp(self):
        if not TOOL:
            self.skipTest("TENON does not name the tool")
        place = tempfile.TemporaryDirectory(prefix="tenon-engine-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def convert(self, source, name, *options):
        """Returns the features of the losses that were reported."""
        done = subprocess.run([TOOL, "convert", "--json", str(source), str(self.folder / name),
                               *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {loss["feature"] for loss in json.loads(done.stdout)["losses"]}

    def compare(self, source, model, clips=(None, None), seconds=0, allowed=1e-4):
        """`clips` has the names in the source and in the model."""
        (expected, _), (actual, _) = (side.pose(clip, seconds)
                                      for side, clip in zip((source, model), clips))
        error, remark = compare(expected, actual, allowed)
        self.assertLessEqual(error, allowed, remark)


class Mirrors(Converted):
    """gameplay3d's front face is fixed: under a mirroring node, triangles have to be reversed."""

    def test_mirrored_nodes_are_not_inside_out(self):
        path = ROOT / "tests/fixtures/gltf/mirrored.glb"
        self.assertIn("meshes", self.convert(path, "mirrored.gpb"))
        source = load(gltf, path, "glb")
        model = load(gameplay, self.folder / "mirrored.gpb", "gpb")
        for clip, seconds in ((None, 0), ("turn", 0.5), ("turn", 1)):
            self.compare(source, model, (clip, clip), seconds)
        self.assertEqual([], [m for m in model.meshes if judge_command.opposed_faces(m)[0]])

    def test_they_are_read_again_as_they_were(self):
        path = ROOT / "tests/fixtures/gltf/mirrored.glb"
        self.convert(path, "mirrored.gpb")
        self.convert(self.folder / "mirrored.gpb", "again.glb")
        source, again = (load(gltf, file, "glb") for file in (path, self.folder / "again.glb"))
        self.compare(source, again, allowed=1e-5)

    def test_a_key_that_mirrors_is_reported(self):
        for to, is_lost in ((-1, True), (2, False)):
            maker = feature_models.BASES["rigid"]()
            feature_models.add_clip(maker, "grow", 0, "scale", [0, 1], [1, 1, 1, to, 1, 1])
            (self.folder / "grow.glb").write_bytes(maker.glb())
            lost = self.convert(self.folder / "grow.glb", f"{to}.gpb")
            self.assertEqual("mirroring animations" in lost, is_lost, lost)

    @unittest.skipUnless(real_files.CORPUS, real_files.NOT_SET)
    def test_a_real_model(self):
        path = real_files.CORPUS / "gltf/NegativeScaleTest.glb"
        self.convert(path, "real.gpb")
        self.compare(load(gltf, path, "glb"), load(gameplay, self.folder / "real.gpb", "gpb"))


class Textures(Converted):
    """gameplay3d loads PNG, DDS and PVR files, but not JPEG."""

    def model(self, **image):
        """A model with one texture; `bytes` of it are in the file."""
        maker = feature_models.BASES["rigid"]()
        if "bytes" in image:
            image["bufferView"] = maker.view(image.pop("bytes"))
        maker.json["images"] = [image]
        (self.folder / "in.glb").write_bytes(maker.glb())
        return self.folder / "in.glb"

    def texture(self, bundle):
        """The path of the texture in the .material file."""
        text = (self.folder / bundle).with_suffix(".material").read_text()
        return re.search(r"^\s*path = (.*)$", text, re.M)[1]

    def need_jpeg(self):
        if b"jpeg_read_header" not in pathlib.Path(TOOL).read_bytes():
            self.skipTest("the tool was built without libjpeg")

    def test_a_jpeg_in_the_model_becomes_a_png(self):
        self.need_jpeg()
        source = self.model(bytes=JPEG, mimeType="image/jpeg", name="photo")
        self.assertNotIn("textures", self.convert(source, "out.gpb"))
        self.assertEqual(self.texture("out.gpb"), "out_photo.png")
        load(gameplay, self.folder / "out.gpb", "gpb")

    def test_a_copied_jpeg_becomes_a_png(self):
        self.need_jpeg()
        for ending in ("jpg", "JPEG"):
            (self.folder / f"photo.{ending}").write_bytes(JPEG)
            source = self.model(uri=f"photo.{ending}")
            (self.folder / ending).mkdir()
            for out in (f"beside_{ending}.gpb", f"{ending}/out.gpb"):
                self.assertNotIn("textures", self.convert(source, out, "--textures", "copy", "-f"))
                self.assertEqual(self.texture(out), "photo.png")
                load(gameplay, self.folder / out, "gpb")

    def test_a_jpeg_that_is_only_referred_to_is_reported(self):
        (self.folder / "photo.jpg").write_bytes(JPEG)
        source = self.model(uri="photo.jpg")
        self.assertIn("textures", self.convert(source, "out.gpb", "--textures", "refer"))
        self.assertEqual(self.texture("out.gpb"), "photo.jpg")
        with self.assertRaisesRegex(Refused, "not PNG"):
            load(gameplay, self.folder / "out.gpb", "gpb")

    def test_a_broken_jpeg_stays_and_is_reported(self):
        source = self.model(bytes=JPEG[:60], mimeType="image/jpeg", name="photo")
        self.assertIn("textures", self.convert(source, "out.gpb"))
        self.assertEqual(self.texture("out.gpb"), "out_photo.jpg")
        self.assertEqual((self.folder / "out_photo.jpg").read_bytes(), JPEG[:60])


class Habits(Converted):
    """What users of the engines' own tools expect."""

    def write(self, name, maker):
        (self.folder / name).write_bytes(maker.glb())
        return self.folder / name

    def test_clips_without_a_name_have_one_name(self):
        maker = feature_models.BASES["skinned"]()
        feature_models.add_clip(maker, "", 2, "translation", [0, 2], [1, 0, 0, 2, 0, 0])
        feature_models.add_clip(maker, "", 2, "translation", [0, 3], [1, 0, 0, 3, 0, 0])
        for clip in maker.json["animations"][1:]:
            del clip["name"]
        source = self.write("in.glb", maker)
        for kind, module in (("gpb", gameplay), ("bmw", beowolf), ("cea", coreengine),
                             ("bplx", bplx)):
            with self.subTest(kind):
                self.assertIn("names of clips", self.convert(source, f"out.{kind}"))
                clips = set(load(module, self.folder / f"out.{kind}", kind).clips) - {"rest"}
                self.assertEqual(clips, {"bend", "animation", "animation_2"})
        self.convert(source, "out.bbmod")
        self.assertEqual({path.name for path in self.folder.glob("*.bbanim")},
                         {"out_bend.bbanim", "out_animation.bbanim", "out_animation_2.bbanim"})

    def test_gameplay_groups_a_skeleton_as_its_encoder_does(self):
        maker = feature_models.BASES["skinned"]()
        maker.json["nodes"].append({"name": "lamp"})
        maker.json["scenes"][0]["nodes"].append(3)
        first = maker.json["animations"][0]
        first["channels"].append({"sampler": 1, "target": {"node": 3, "path": "translation"}})
        first["samplers"].append({"input": maker.times([0, 1]), "output": maker.numbers(
            feature_models.F32, "VEC3", [0, 0, 0, 0, 1, 0])})
        feature_models.add_clip(maker, "animations", 2, "translation", [0, 2], [1, 0, 0, 2, 0, 0])
        source = self.write("in.glb", maker)
        for grouping, names in (("clips", ["animations", "bend"]),
                                ("encoder", ["animations", "animations_2", "bend"])):
            lost = self.convert(source, "out.gpb", "-f", "--grouping", grouping)
            self.assertEqual("names of clips" in lost, grouping == "encoder")
            model = load(gameplay, self.folder / "out.gpb", "gpb")
            self.assertEqual(sorted(model.clips), names)
        (group,), (rest,) = (model.clips[name][0] for name in ("animations", "bend"))
        self.assertEqual([c.target for c in group.channels], ["tip"])
        self.assertEqual([c.target for c in rest.channels], ["lamp"])
        self.convert(self.folder / "out.gpb", "again.glb")
        again = load(gltf, self.folder / "again.glb", "glb")
        self.assertEqual(sorted(again.clips), ["animations_2", "bend"])
        self.compare(load(gltf, source, "glb"), again, ("bend", "bend"), 0.5)

    def test_bbmod_has_texture_coordinates_where_the_source_has(self):
        for has_uvs in (False, True):
            maker = feature_models.BASES["rigid"]()
            primitive = maker.json["meshes"][0]["primitives"][0]
            if not has_uvs:
                del primitive["attributes"]["TEXCOORD_0"], primitive["material"]
            lost = self.convert(self.write("in.glb", maker), "out.bbmod", "-f")
            mesh, = load(bbmod, self.folder / "out.bbmod", "bbmod").meshes
            self.assertEqual(mesh.uvs is not None, has_uvs)
            self.assertNotIn("texture coordinates", lost)
            self.assertEqual("tangents" in lost, has_uvs)

    def test_bplx_in_the_layout_of_its_text_is_noted(self):
        source = self.write("in.glb", feature_models.BASES["rigid"]())
        for target, is_noted in (("bplx", True), ("bplx:script", False), ("bplx:document", False)):
            lost = self.convert(source, "out.bplx", "-f", "--to", target)
            self.assertEqual("layout" in lost, is_noted, target)


@unittest.skipUnless(TOOL, "TENON does not name the tool")
class Conversions(Folder):
    def convert_and_judge(self, kind):
        """Returns None if all is well, else what is wrong."""
        out = self.folder.parent / kind / f"crane.{kind}"
        out.parent.mkdir()
        done = subprocess.run([TOOL, "convert", str(self.folder / "crane.gpb"), str(out)],
                              capture_output=True, text=True)
        if done.returncode:
            return f"not converted (exit {done.returncode}): {done.stderr.strip()}"
        status, text = judge(kind, out)
        return f"judged {status}:\n{text}" if status else None

    def convert_moment(self, kind):
        """A triangle whose one clip is a single key, 2 to the right of its rest position."""
        numbers = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<4f", 0, 2, 0, 0)
        views = [{"buffer": 0, "byteOffset": at, "byteLength": size}
                 for at, size in ((0, 36), (36, 4), (40, 12))]
        accessors = [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                      "min": [0, 0, 0], "max": [1, 1, 0]},
                     {"bufferView": 1, "componentType": 5126, "count": 1, "type": "SCALAR",
                      "min": [0], "max": [0]},
                     {"bufferView": 2, "componentType": 5126, "count": 1, "type": "VEC3"}]
        channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
        uri = "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()
        source = self.folder / "moment.gltf"
        source.write_text(json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "box", "mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "animations": [{"name": "moment", "channels": [channel],
                            "samplers": [{"input": 1, "output": 2}]}],
            "accessors": accessors, "bufferViews": views,
            "buffers": [{"byteLength": len(numbers), "uri": uri}]}))
        out = self.folder / kind / f"moment.{kind}"
        out.parent.mkdir()
        subprocess.run([TOOL, "convert", "-q", str(source), str(out)], check=True)
        return out

    def test_a_clip_of_one_key(self):
        for kind, module in (("gpb", gameplay), ("bmw", beowolf)):
            with self.subTest(kind):
                model = load(module, self.convert_moment(kind), kind)
                for clip, x in ((None, 0), ("moment", 2)):
                    triangles, _ = model.pose(clip, 0)
                    left = min(corner[0] for triangle in triangles for corner in triangle)
                    self.assertAlmostEqual(left, x, places=5)

    def test_coreengine_in_seconds(self):
        """Ticks of a second each: the engine plays them at its usual speed, exactly."""
        out = self.folder / "seconds.cea"
        subprocess.run([TOOL, "convert", "-q", "--rate", "1", str(self.folder / "crane.gpb"),
                        str(out)], check=True)
        status, text = judge("cea", out, "--rate", "1", "--tolerance", SAMPLE_TOLERANCE)
        self.assertEqual(status, 0, text)
        clip = load(coreengine, out, "cea").clips["travel"]
        times = {time for stamps, _ in clip.positions for time in stamps}
        self.assertTrue(times and all(time * 4 == int(time * 4) for time in times), times)

    def test_the_crane_in_every_format(self):
        wrong = {kind: self.convert_and_judge(kind) for kind in TARGETS}
        wrong = {kind: text for kind, text in wrong.items() if text}
        absent = sum(text.startswith("not converted") for text in wrong.values())
        print(f"{len(TARGETS)} conversions: {len(TARGETS) - len(wrong)} as they should be, "
              f"{absent} not converted, {len(wrong) - absent} judged wrong")
        for kind, text in wrong.items():
            with self.subTest(kind):
                self.fail(text)


if __name__ == "__main__":
    unittest.main()
