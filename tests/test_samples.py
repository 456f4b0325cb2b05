#!/usr/bin/env python3
"""The samples and fixtures are what their generators make, and the crane is what it should be."""
# SPDX-License-Identifier: MIT

import itertools
import json
import math
import pathlib
import re
import struct
import sys
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import crane  # noqa: E402
import make_fixtures_bplx  # noqa: E402
import make_samples  # noqa: E402
import outputs  # noqa: E402
import parse_bplx  # noqa: E402
from crane import maths, picture  # noqa: E402

MODEL = crane.build()
TRUTH = json.loads((ROOT / "samples" / "truth.json").read_text(encoding="ascii"))
DOCUMENT = (ROOT / "samples" / "crane.bplx").read_bytes()
SCRIPT = (ROOT / "samples" / "crane_script.bplx").read_bytes()
ROUNDING = 1e-6


# -- Helpers

def corners_of(pose, part):
    """Corner points of one part of a pose in truth.json."""
    flat = pose["positions"][9 * part["first_triangle"]:][:9 * part["triangle_count"]]
    return [flat[i:i + 3] for i in range(0, len(flat), 3)]


def distance(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))


def all_poses():
    """Every pose in truth.json, with the clip it belongs to."""
    clips = {clip.name: clip for clip in MODEL.clips}
    for pose in TRUTH["poses"]:
        yield clips.get(pose["clip"]), pose


def centered(points):
    """Points about the middle of their bounding box."""
    middle = [(min(axis) + max(axis)) / 2 for axis in zip(*points)]
    return [tuple(c - m for c, m in zip(point, middle)) for point in points]


def farthest(points, others):
    """How far the worst of `points` is from the nearest of `others`."""
    return max(min(distance(p, q) for q in others) for p in points)


def mirror_images(points):
    """The 24 mirror images that keep the axes in place."""
    for order in itertools.permutations(range(3)):
        swaps = sum(a > b for a, b in itertools.combinations(order, 2))
        for signs in itertools.product((1, -1), repeat=3):
            if (-1) ** swaps * signs[0] * signs[1] * signs[2] < 0:
                yield [tuple(s * p[i] for s, i in zip(signs, order)) for p in points]


def rotate(q, v):
    """v rotated by the quaternion q, as q v q*, which is not how the tools do it."""
    x, y, z, w = q
    t = [2 * c for c in maths.cross((x, y, z), v)]
    return maths.add(maths.add(v, maths.scale(t, w)), maths.cross((x, y, z), t))


# -- Chains of joints: a joint, its parent, and so on to the root

def chain_of(parents, index):
    chain = []
    while index >= 0:
        chain.append(index)
        index = parents[index]
    return chain


def pulled(vertex, bind, posed):
    """A skinned vertex: the mean of its positions under each of its joints alone."""
    parents = [joint.parent for joint in MODEL.joints]
    total = (0.0, 0.0, 0.0)
    for joint, weight in zip(vertex.joints, vertex.weights):
        chain = chain_of(parents, joint)
        place = from_bone(to_bone(vertex.position, chain, bind), chain, posed)
        total = maths.add(total, maths.scale(place, weight))
    return total


def from_bone(point, chain, pose):
    for index in chain:
        position, rotation = pose[index]
        point = maths.add(rotate(rotation, point), position)
    return point


def to_bone(point, chain, pose):
    for index in reversed(chain):
        position, (x, y, z, w) = pose[index]
        point = rotate((-x, -y, -z, w), maths.sub(point, position))
    return point


def pose_of_keys(rest, clip, time):
    """Position and rotation of every bone, from the keys of a BPLX clip."""
    pose = list(rest)
    for bone in {key["bone"] for key in clip["keys"]}:
        keys = [key for key in clip["keys"] if key["bone"] == bone]
        before = [key for key in keys if key["time"] <= time] or keys[:1]
        after = [key for key in keys if key["time"] > time] or keys[-1:]
        a, b = before[-1], after[0]
        span = b["time"] - a["time"]
        share = (time - a["time"]) / span if span > 0 and time >= a["time"] else 0.0
        pose[bone] = (maths.mix(a["position"], b["position"], share),
                      maths.slerp(a["rotation"], b["rotation"], share))
    return pose


# -- Generated files

class Files(unittest.TestCase):
    def test_samples_are_what_is_generated(self):
        found = outputs.differences(make_samples.FOLDER, make_samples.sample_files())
        self.assertEqual(found, [])

    def test_fixtures_are_what_is_generated(self):
        found = outputs.differences(make_fixtures_bplx.FOLDER, make_fixtures_bplx.fixture_files())
        self.assertEqual(found, [])

    def test_fixtures_fit_the_layout_of_their_name_only(self):
        readings = make_fixtures_bplx.reading_files()  # See test_document_bplx.py.
        for path in sorted(make_fixtures_bplx.FOLDER.glob("*.bplx")):
            if path.name in readings:
                continue
            with self.subTest(path.name):
                self.assertEqual(parse_bplx.layouts(path.read_bytes()), [path.stem.split("_")[0]])

    def test_odd_floats_keep_their_bits(self):
        for layout, start in (("document", 28), ("script", 24)):
            data = (make_fixtures_bplx.FOLDER / (layout + "_float_bits.bplx")).read_bytes()
            bits = struct.unpack_from("<9I", data, start)
            self.assertEqual(bits, make_fixtures_bplx.ODD_BITS)

    def test_readme_counts_are_true(self):
        text = (ROOT / "samples" / "README.md").read_text(encoding="utf-8")
        counts = {"joints": MODEL.joints, "parts": MODEL.parts, "materials": MODEL.materials,
                  "triangles": crane.merged(MODEL).triangles, "clips": MODEL.clips}
        for word, items in counts.items():
            self.assertEqual(re.search(r"(\d+)\s+%s" % word, text).group(1), str(len(items)))

    def test_texture_is_a_png_unlike_its_mirror_images(self):
        data = (ROOT / "samples" / "crane.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        pixels = data[data.index(b"IDAT") + 4:data.index(b"IEND") - 8]
        rows = zlib.decompress(pixels)
        letter = [rows[65 * y + 1:65 * y + 33] for y in range(32)]
        self.assertEqual(len(rows), picture.SIZE * (picture.SIZE + 1))
        self.assertNotEqual(letter, letter[::-1])
        self.assertNotEqual(letter, [row[::-1] for row in letter])


# -- The model

class Crane(unittest.TestCase):
    def test_names_are_ascii_and_unique(self):
        lists = (MODEL.joints, MODEL.parts, MODEL.materials, MODEL.clips)
        names = [item.name for items in lists for item in items]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(re.fullmatch("[a-z0-9_]+", name) for name in names))

    def test_parents_come_before_children_under_one_root(self):
        parents = [joint.parent for joint in MODEL.joints]
        self.assertEqual(parents.count(-1), 1)
        self.assertTrue(all(parent < i for i, parent in enumerate(parents)))

    def test_every_number_is_single_precision(self):
        numbers = []
        for part in MODEL.parts:
            for v in part.vertices:
                numbers += v.position + v.normal + v.uv + v.weights
        for joint in MODEL.joints:
            for place in (joint.rest, joint.bind):
                numbers += place.translation + place.rotation
        for channel in (channel for clip in MODEL.clips for channel in clip.channels):
            numbers += channel.times + tuple(c for value in channel.values for c in value)
        self.assertTrue(all(maths.f32(number) == number for number in numbers))

    def test_weights_sum_to_one_exactly(self):
        skinned = [v for part in MODEL.parts if part.joint is None for v in part.vertices]
        self.assertTrue(skinned)
        for vertex in skinned:
            self.assertEqual(math.fsum(vertex.weights), 1.0)
            self.assertEqual(len(vertex.weights), len(set(vertex.joints)))
            self.assertLessEqual(len(vertex.weights), 4)
            self.assertGreater(min(vertex.weights), 0.0)
        self.assertEqual(max(len(v.weights) for v in skinned), 4)

    def test_winding_agrees_with_normals_in_every_pose(self):
        for clip, pose in all_poses():
            soup = crane.merged(MODEL, clip, pose["time"])
            for triangle in soup.triangles:
                a, b, c = (soup.vertices[i] for i in triangle)
                face = maths.normalize(maths.cross(maths.sub(b.position, a.position),
                                                   maths.sub(c.position, a.position)))
                for vertex in (a, b, c):
                    self.assertGreater(maths.dot(face, vertex.normal), 0.5)

    def test_hook_is_not_its_own_mirror_image(self):
        claw = next(part for part in MODEL.parts if part.name == "hook_claw")
        points = centered([vertex.position for vertex in claw.vertices])
        for image in mirror_images(points):
            self.assertGreater(farthest(points, centered(image)), 0.1)

    def test_rest_pose_differs_from_the_bind_pose(self):
        moved = [joint.name for joint in MODEL.joints if joint.rest != joint.bind]
        self.assertEqual(moved, ["cable_1", "cable_3"])

    def test_clips_have_keys_of_both_kinds_at_unequal_times(self):
        self.assertEqual([(clip.name, clip.length) for clip in MODEL.clips],
                         [("travel", 2.0), ("lift", 1.5)])
        for clip in MODEL.clips:
            self.assertEqual({c.path for c in clip.channels}, {"translation", "rotation"})
            self.assertGreater(len({c.times for c in clip.channels}), 3)
            self.assertEqual(max(c.times[-1] for c in clip.channels), clip.length)
            for channel in clip.channels:
                self.assertEqual(list(channel.times), sorted(set(channel.times)))
                self.assertTrue(all(time * 4 == int(time * 4) for time in channel.times))

    def test_first_keys_differ_from_the_rest_pose(self):
        for clip in MODEL.clips:
            rest, start = crane.sample_pose(MODEL), crane.sample_pose(MODEL, clip, 0.0)
            self.assertGreaterEqual(sum(a != b for a, b in zip(rest, start)), 4)

    def test_rigid_parts_can_be_requested_as_skinned(self):
        offsets = crane.inverse_binds(MODEL)
        for part in MODEL.parts:
            if part.joint is None:
                continue
            for own, skinned in zip(part.vertices, crane.skinned_vertices(MODEL, part)):
                back = maths.transform_point(offsets[part.joint], skinned.position)
                self.assertLess(distance(back, own.position), ROUNDING)


class Maths(unittest.TestCase):
    def test_sine_and_cosine_are_those_of_the_c_library(self):
        for degrees in range(-720, 721, 7):
            s, c = maths.sin_cos(degrees)
            self.assertAlmostEqual(s, math.sin(math.radians(degrees)), delta=2e-15)
            self.assertAlmostEqual(c, math.cos(math.radians(degrees)), delta=2e-15)

    def test_slerp_turns_evenly_the_shorter_way(self):
        axis = (0.6, 0.0, 0.8)
        for end in (1e-5, 20.0, 90.0, 179.0):
            for sign in (1.0, -1.0):
                target = tuple(sign * c for c in maths.turn(axis, 10.0 + end))
                middle = maths.slerp(maths.turn(axis, 10.0), target, 0.3)
                expected = maths.turn(axis, 10.0 + 0.3 * end)
                self.assertLess(distance(middle, expected), 1e-14)


# -- truth.json

class Truth(unittest.TestCase):
    def test_it_is_small_and_complete(self):
        self.assertLess((ROOT / "samples" / "truth.json").stat().st_size, 390000)
        self.assertEqual([part["name"] for part in TRUTH["parts"]], [p.name for p in MODEL.parts])
        self.assertEqual(len(TRUTH["poses"]), 1 + 5 * len(MODEL.clips))
        triangles = sum(part["triangle_count"] for part in TRUTH["parts"])
        for pose in TRUTH["poses"]:
            self.assertEqual(len(pose["positions"]), 9 * triangles)

    def test_times_are_both_ends_and_others_between_keys(self):
        for clip in MODEL.clips:
            times = [p["time"] for p in TRUTH["poses"] if p["clip"] == clip.name]
            keys = {time for channel in clip.channels for time in channel.times}
            self.assertEqual((times[0], times[-1]), (0, clip.length))
            self.assertTrue(keys.isdisjoint(times[1:-1]))

    def test_rest_pose_is_the_merged_mesh(self):
        soup = crane.merged(MODEL)
        expected = [soup.vertices[i].position for triangle in soup.triangles for i in triangle]
        flat = [number for point in expected for number in point]
        for a, b in zip(TRUTH["poses"][0]["positions"], flat):
            self.assertAlmostEqual(a, b, delta=ROUNDING)

    def test_rigid_parts_stay_rigid(self):
        for part in TRUTH["parts"]:
            shapes = [corners_of(pose, part) for pose in TRUTH["poses"]]
            lengths = [[distance(a, b) for a, b in itertools.combinations(s[:12], 2)]
                       for s in shapes]
            change = max(abs(a - b) for other in lengths for a, b in zip(lengths[0], other))
            if part["joint"] is None:
                self.assertGreater(change, 0.1)
            else:
                self.assertLess(change, 4 * ROUNDING)

    def test_cable_is_where_its_joints_pull_it(self):
        """Skinning again, point by point through the chains of joints instead of by matrices."""
        cable, record = MODEL.parts[-1], TRUTH["parts"][-1]
        bind = [(j.bind.translation, j.bind.rotation) for j in MODEL.joints]
        for clip, pose in all_poses():
            locals_ = crane.sample_pose(MODEL, clip, pose["time"])
            posed = [(local.translation, local.rotation) for local in locals_]
            points = [pulled(vertex, bind, posed) for vertex in cable.vertices]
            expected = [points[i] for triangle in cable.triangles for i in triangle]
            for a, b in zip(corners_of(pose, record), expected):
                self.assertLess(distance(a, b), 5 * ROUNDING)


# -- The BPLX samples

class Bplx(unittest.TestCase):
    def test_each_fits_one_layout(self):
        self.assertEqual(parse_bplx.layouts(DOCUMENT), ["document"])
        self.assertEqual(parse_bplx.layouts(SCRIPT), ["script"])

    def test_both_hold_the_same_but_for_materials(self):
        document = parse_bplx.parse(DOCUMENT, "document")
        script = parse_bplx.parse(SCRIPT, "script")
        self.assertEqual((document["material_count"], script["material_count"]), (6, 1))
        self.assertEqual([m["name"].decode() for m in document["materials"]],
                         [m.name for m in MODEL.materials])
        self.assertEqual([m["is_textured"] for m in document["materials"]], [1, 1, 0, 0, 0, 0])
        for field in ("positions", "normals", "uvs", "faces", "bones", "clips"):
            self.assertEqual(document[field], script[field])

    def test_mesh_is_the_merged_mesh(self):
        data, soup = parse_bplx.parse(DOCUMENT, "document"), crane.merged(MODEL)
        self.assertEqual(tuple(data["positions"]), tuple(v.position for v in soup.vertices))
        self.assertEqual(tuple(data["normals"]), tuple(v.normal for v in soup.vertices))
        self.assertEqual(data["uvs"], [(v.uv[0], 1.0 - v.uv[1]) for v in soup.vertices])
        self.assertEqual(tuple(data["faces"]), soup.triangles)

    def test_keys_ascend_in_time(self):
        for clip in parse_bplx.parse(DOCUMENT, "document")["clips"]:
            order = [(key["time"], key["bone"]) for key in clip["keys"]]
            self.assertEqual(order, sorted(set(order)))
            self.assertEqual(order[-1][0], clip["length"])

    def test_bones_carry_the_rigid_parts_where_truth_has_them(self):
        data = parse_bplx.parse(DOCUMENT, "document")
        clips = {clip["name"].decode(): clip for clip in data["clips"]}
        names = [bone["name"].decode() for bone in data["bones"]]
        parents = [bone["parent"] for bone in data["bones"]]
        rest = [(bone["position"], bone["rotation"]) for bone in data["bones"]]
        for pose in TRUTH["poses"][1:]:
            posed = pose_of_keys(rest, clips[pose["clip"]], pose["time"])
            for part in (p for p in TRUTH["parts"] if p["joint"]):
                chain = chain_of(parents, names.index(part["joint"]))
                for start, end in zip(corners_of(TRUTH["poses"][0], part), corners_of(pose, part)):
                    local = to_bone(start, chain, rest)
                    self.assertLess(distance(from_bone(local, chain, posed), end), 5 * ROUNDING)


if __name__ == "__main__":
    unittest.main()
