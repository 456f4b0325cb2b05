#!/usr/bin/env python3
"""The ModelData samples and fixtures are what their generators make, and the crane is posed,
moves and bends as it should when the engine's rules are applied to it."""
# SPDX-License-Identifier: MIT

import json
import math
import pathlib
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import crane  # noqa: E402
import make_fixtures_modeldata as fixtures  # noqa: E402
import outputs  # noqa: E402
import parse_modeldata  # noqa: E402
from crane import maths  # noqa: E402

MODEL = crane.build()
TRUTH = json.loads((ROOT / "samples" / "truth.json").read_text(encoding="ascii"))
STATIC = parse_modeldata.parse((ROOT / "samples" / "crane.cem").read_bytes(), "current")
ANIMATED = parse_modeldata.parse((ROOT / "samples" / "crane.cea").read_bytes(), "current")
TICKS = 24.0
TOLERANCE = 1e-5


def engine_fixtures():
    """Without those in other readings of the text: test_document_modeldata.py looks at these."""
    return [path for path in sorted(fixtures.FOLDER.iterdir())
            if path.name not in fixtures.reading_files()]


# -- The engine's rules: row-major matrices, column vectors, keys that replace the local pose

def multiply(a, b):
    return [sum(a[4 * r + k] * b[4 * k + c] for k in range(4)) for r in range(4) for c in range(4)]


def rotation_rows(q):
    x, y, z, w = (c / math.sqrt(sum(n * n for n in q)) for c in q)
    return ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))


def sample(keys, time, mix):
    """The value at a time; None before the first key, where the engine changes nothing."""
    before = [key for key in keys if key[0] <= time]
    after = [key for key in keys if key[0] > time]
    if not before:
        return None
    if not after:
        return before[-1][1:]
    a, b = before[-1], after[0]
    return mix(a[1:], b[1:], (time - a[0]) / (b[0] - a[0]))


def local_pose(joint, animation, time):
    pose = list(joint["local_pose"])
    if animation is None:
        return pose
    position = sample(animation["positions"][joint["index"]], time, maths.mix)
    rotation = sample(animation["rotations"][joint["index"]], time, maths.slerp)
    for r in range(3):
        if rotation is not None:
            pose[4 * r:4 * r + 3] = rotation_rows(rotation)[r]
        if position is not None:
            pose[4 * r + 3] = position[r]
    return pose


def skin_matrices(file, animation, time):
    """By index of the joint: global pose times inverse bind matrix."""
    poses, skins = {}, {}
    for joint in file["joints"]:
        pose = local_pose(joint, animation, time)
        if joint["parent"] >= 0:
            pose = multiply(poses[joint["parent"]], pose)
        poses[joint["index"]] = pose
        skins[joint["index"]] = multiply(pose, joint["inverse_bind"])
    return skins


def skinned(mesh, skins):
    points = []
    for (x, y, z), joints, weights in zip(mesh["vertices"], mesh["joints"], mesh["weights"]):
        total = [0.0, 0.0, 0.0]
        for joint, weight in zip(joints, weights):
            m = skins[joint]
            for r in range(3):
                total[r] += weight * (m[4 * r] * x + m[4 * r + 1] * y + m[4 * r + 2] * z
                                      + m[4 * r + 3])
        points.append(total)
    return points


def corners(points_of_meshes, file):
    """Numbers of all triangle corners, in the order of truth.json."""
    return [number for points, mesh in zip(points_of_meshes, file["meshes"])
            for i in mesh["indices"] for number in points[i]]


def worst(a, b):
    assert len(a) == len(b)
    return max(abs(x - y) for x, y in zip(a, b))


# -- Files

class Files(unittest.TestCase):
    def test_fixtures_are_what_is_generated(self):
        self.assertEqual(outputs.differences(fixtures.FOLDER, fixtures.fixture_files()), [])

    def test_fixtures_are_what_their_names_say(self):
        for path in engine_fixtures():
            with self.subTest(path.name):
                data, dialect = path.read_bytes(), path.stem.split("_")[0]
                self.assertEqual(parse_modeldata.dialects(data)[0], dialect)
                self.assertEqual("." + parse_modeldata.parse(data, dialect)["kind"], path.suffix)

    def test_names_that_are_not_ascii_say_what_is_counted(self):
        for path in engine_fixtures():
            if "utf8" in path.stem or "characters" in path.stem:
                counted = {"characters" in d for d in parse_modeldata.dialects(path.read_bytes())}
                self.assertEqual(counted, {"characters" in path.stem})

    def test_odd_floats_keep_their_bits(self):
        data = (fixtures.FOLDER / "current_float_bits.cem").read_bytes()
        self.assertEqual(struct.unpack_from(">9I", data, 44), fixtures.ODD_BITS)

    def test_samples_are_of_the_current_dialect(self):
        for name in ("crane.cem", "crane.cea"):
            data = (ROOT / "samples" / name).read_bytes()
            self.assertEqual(parse_modeldata.dialects(data)[0], "current")
        self.assertEqual((STATIC["kind"], ANIMATED["kind"]), ("cem", "cea"))


# -- The crane

class Crane(unittest.TestCase):
    def test_the_static_one_is_at_rest(self):
        found = corners([mesh["vertices"] for mesh in STATIC["meshes"]], STATIC)
        self.assertLess(worst(found, TRUTH["poses"][0]["positions"]), TOLERANCE)

    def test_the_animated_one_is_where_truth_has_it(self):
        animations = {a["name"].decode(): a for a in ANIMATED["animations"]}
        for pose in TRUTH["poses"]:
            animation = animations[pose["clip"]] if pose["clip"] else None
            skins = skin_matrices(ANIMATED, animation, pose["time"] * TICKS)
            found = corners([skinned(mesh, skins) for mesh in ANIMATED["meshes"]], ANIMATED)
            self.assertLess(worst(found, pose["positions"]), TOLERANCE)

    def test_each_part_is_a_mesh_with_its_material(self):
        for file in (STATIC, ANIMATED):
            self.assertEqual(len(file["meshes"]), len(MODEL.parts))
            for mesh, part in zip(file["meshes"], MODEL.parts):
                source = MODEL.materials[part.material]
                self.assertEqual(mesh["material"]["maps"]["diffuse"], source.texture.encode())
                self.assertEqual(mesh["material"]["diffuse"], source.diffuse)
                self.assertEqual(mesh["material"]["floats"][3], source.shininess)

    def test_uv_origin_is_bottom_left(self):
        for mesh, part in zip(ANIMATED["meshes"], MODEL.parts):
            flipped = [(v.uv[0], 1.0 - v.uv[1]) for v in part.vertices]
            self.assertEqual(mesh["uvs"], flipped)

    def test_tangents_are_of_length_one_and_upright(self):
        for mesh in STATIC["meshes"] + ANIMATED["meshes"]:
            for normal, tangent in zip(mesh["normals"], mesh["tangents"]):
                self.assertAlmostEqual(maths.length(tangent), 1.0, delta=1e-6)
                self.assertAlmostEqual(maths.dot(normal, tangent), 0.0, delta=1e-6)

    def test_the_engine_accepts_it(self):
        """Its limits: all arrays, fewer than 50 joints, a list for each, one root, sums of 1."""
        for mesh in ANIMATED["meshes"]:
            counts = {len(mesh[name]) for name in ("vertices", "uvs", "normals", "tangents",
                                                   "joints", "weights")}
            self.assertEqual(len(counts), 1)
            self.assertTrue(all(sum(weights) == 1.0 for weights in mesh["weights"]))
        indices = [joint["index"] for joint in ANIMATED["joints"]]
        self.assertEqual(indices, list(range(len(indices))))
        self.assertLess(len(indices), 50)
        self.assertEqual([joint["parent"] for joint in ANIMATED["joints"]].count(-1), 1)
        for animation in ANIMATED["animations"]:
            for kind in ("positions", "rotations", "scales"):
                self.assertEqual(len(animation[kind]), len(indices))

    def test_keys_start_at_zero_and_ascend(self):
        for animation in ANIMATED["animations"]:
            for keys in animation["positions"] + animation["rotations"]:
                times = [key[0] for key in keys]
                self.assertEqual(times, sorted(set(times)))
                self.assertTrue(not times or times[0] == 0.0)
                self.assertTrue(all(time == int(time) for time in times))


if __name__ == "__main__":
    unittest.main()
