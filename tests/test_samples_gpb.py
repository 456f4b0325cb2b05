#!/usr/bin/env python3
"""The gameplay bundles of tools/, and real ones, are what they should be, by our own parser."""
# SPDX-License-Identifier: MIT

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import crane  # noqa: E402
import make_fixtures_gpb  # noqa: E402
import outputs  # noqa: E402
import pack_gpb  # noqa: E402
import parse_gpb  # noqa: E402
import real_files  # noqa: E402
from crane import maths  # noqa: E402

SAMPLES = ROOT / "samples"
MODEL = crane.build()
TRUTH = json.loads((SAMPLES / "truth.json").read_text(encoding="ascii"))
TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
TOLERANCE = 1e-5


# -- The engine's rules. Matrices are sixteen numbers, column by column.

def times(a, b):
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4))
            for column in range(4) for row in range(4)]


def moved(m, p):
    return [m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row] for row in range(3)]


def names_of(bundle):
    """What a node is called, by its place in the file."""
    return {place: name for name, kind, place in bundle["references"] if kind == parse_gpb.NODE}


def local_matrix(node, name, channels, time):
    """The node's own matrix, or what the channels make of its rotation and translation."""
    rotation = [c for c in channels if c["target"] == name and c["attribute"] == 8]
    place = [c for c in channels if c["target"] == name and c["attribute"] == 9]
    matrix = list(node["transform"])
    if rotation:
        rows = maths.matrix((0.0, 0.0, 0.0), sampled(rotation[0], time, 4, maths.slerp))
        matrix[:12] = [rows[row][column] if row < 3 else 0.0
                       for column in range(3) for row in range(4)]
    if place:
        matrix[12:15] = sampled(place[0], time, 3, maths.mix)
    return matrix


def sampled(channel, time, size, between):
    """Stretched from the first key to the last, as the engine does it; time is in milliseconds."""
    keys, values = channel["times"], channel["values"]
    value = [values[size * i:size * i + size] for i in range(len(keys))]
    after = next((i for i, key in enumerate(keys) if key > time), len(keys))
    if after in (0, len(keys)):
        return value[min(after, len(keys) - 1)]
    share = (time - keys[after - 1]) / (keys[after] - keys[after - 1])
    return between(value[after - 1], value[after], share)


def world_matrices(bundle, scene, channels, time):
    """Name to matrix of every node, and the node itself."""
    names, result = names_of(bundle), {}

    def walk(node, parent):
        name = names[node["place"]]
        world = times(parent, local_matrix(node, name, channels, time))
        result[name] = (world, node)
        for child in node["children"]:
            walk(child, world)

    for root in scene["nodes"]:
        walk(root, list(pack_gpb.IDENTITY))
    return result


def drawn(bundle, clip=None, time=0.0):
    """Corners of the triangles of each part of the one skinned mesh."""
    scene = next(o for o in bundle["objects"] if o["kind"] == "scene")
    mesh = next(o for o in bundle["objects"] if o["kind"] == "mesh")
    world = world_matrices(bundle, scene, clip["channels"] if clip else [], time)
    node_world, node = next(pair for pair in world.values() if pair[1]["model"])
    skin = node["model"]["skin"]
    palette = []
    for i, joint in enumerate(skin["joints"]):
        inverse = skin["bind_poses"][16 * i:16 * i + 16]
        palette.append(times(times(world[joint[1:]][0], inverse), skin["bind_shape"]))
    points = []
    for row in mesh["vertices"]:
        posed = [0.0, 0.0, 0.0]
        for weight, joint in zip(row[12:16], row[16:20]):
            posed = [a + weight * b for a, b in zip(posed, moved(palette[int(joint)], row))]
        points.append(moved(node_world, posed))
    return [[points[i] for i in part["indices"]] for part in mesh["parts"]]


def truth_corners(pose):
    """Those of truth.json, by material."""
    result = {}
    for part in TRUTH["parts"]:
        first, count = 9 * part["first_triangle"], 9 * part["triangle_count"]
        numbers = pose["positions"][first:first + count]
        corners = [numbers[i:i + 3] for i in range(0, count, 3)]
        result.setdefault(part["material"], []).extend(corners)
    return [result[material.name] for material in MODEL.materials]


# -- Tests

class Fixtures(unittest.TestCase):
    def test_they_are_what_is_generated(self):
        found = outputs.differences(make_fixtures_gpb.FOLDER, make_fixtures_gpb.fixture_files())
        self.assertEqual(found, [])


class Crane(unittest.TestCase):
    def setUp(self):
        self.data = (SAMPLES / "crane.gpb").read_bytes()
        self.bundle = parse_gpb.parse(self.data, "1.5")

    def test_it_is_drawn_where_truth_has_it(self):
        container = next(o for o in self.bundle["objects"] if o["kind"] == "animations")
        clips = {clip["id"].decode(): clip for clip in container["animations"]}
        for pose in TRUTH["poses"]:
            parts = drawn(self.bundle, clips.get(pose["clip"]), 1000.0 * pose["time"])
            error = max(abs(a - b) for got, want in zip(parts, truth_corners(pose))
                        for p, q in zip(got, want) for a, b in zip(p, q))
            self.assertLess(error, TOLERANCE, pose["clip"])
            self.assertEqual([len(p) for p in parts], [len(p) for p in truth_corners(pose)])

    def test_references_are_sorted_and_complete(self):
        names = [name for name, _, _ in self.bundle["references"]]
        self.assertEqual(names, sorted(set(names)))
        kinds = [kind for _, kind, _ in self.bundle["references"]]
        self.assertEqual(kinds.count(parse_gpb.NODE), len(MODEL.joints) + 3)

    def test_textures_and_colors_are_in_the_engine_s_conventions(self):
        mesh = next(o for o in self.bundle["objects"] if o["kind"] == "mesh")
        vertices = [v for part in MODEL.parts for v in part.vertices]
        for row, vertex in zip(mesh["vertices"], vertices):
            self.assertAlmostEqual(row[6], vertex.uv[0], delta=1e-6)
            self.assertAlmostEqual(row[7], 1.0 - vertex.uv[1], delta=1e-6)
            self.assertAlmostEqual(row[9] * 255.0, vertex.color[1], delta=1e-3)

    def test_bounds_hold_every_pose(self):
        mesh = next(o for o in self.bundle["objects"] if o["kind"] == "mesh")
        low, high = mesh["bounds"]
        for pose in TRUTH["poses"]:
            for i, number in enumerate(pose["positions"]):
                self.assertLess(low[i % 3] - 0.01, number)
                self.assertLess(number, high[i % 3] + 0.01)

    def test_materials_are_in_the_file_beside(self):
        text = (SAMPLES / "crane.material").read_text(encoding="ascii")
        scene = next(o for o in self.bundle["objects"] if o["kind"] == "scene")
        names = next(n["model"]["materials"] for n in scene["nodes"] if n["model"])
        self.assertEqual([n.decode() for n in names], [m.name for m in MODEL.materials])
        for name in names:
            self.assertIn("material %s :" % name.decode(), text)
        self.assertEqual(text.count("{"), text.count("}"))


@unittest.skipUnless(os.access(TOOL, os.X_OK), "there is no tool")
class Upgrades(unittest.TestCase):
    """What the library writes, checked by a parser that does not use the library."""

    def convert(self, path, dialect):
        with tempfile.TemporaryDirectory(prefix="tenon-gpb-") as folder:
            out = pathlib.Path(folder) / "out.gpb"
            subprocess.run([TOOL, "convert", str(path), str(out), "--as", dialect], check=True,
                           capture_output=True)
            return out.read_bytes()

    def compare(self, old, new):
        """Equal meshes, skins and keys; times to half a millisecond."""
        kinds = ("mesh", "scene")
        for kind in kinds:
            before = [o for o in old["objects"] if o["kind"] == kind]
            after = [o for o in new["objects"] if o["kind"] == kind]
            self.assertEqual(len(before), len(after))
            for a, b in zip(before, after):
                self.assertEqual(strip(a), strip(b))
        self.assertEqual([c["values"] for c in channels(old)], [c["values"] for c in channels(new)])
        for a, b in zip(channels(old), channels(new)):
            self.assertEqual((a["target"], a["attribute"]), (b["target"], b["attribute"]))
            self.assertLessEqual(max(abs(s - t) for s, t in zip(a["times"], b["times"])), 0.5)

    def test_fixtures_of_old_versions_become_1_5(self):
        for path in sorted(make_fixtures_gpb.FOLDER.glob("1_[01]_*scene.gpb")):
            with self.subTest(path.name):
                layout = parse_gpb.layouts(path.read_bytes())[0]
                self.compare(parse_gpb.parse(path.read_bytes(), layout),
                             parse_gpb.parse(self.convert(path, "1.5"), "1.5"))

    def test_the_crane_goes_to_every_layout_and_back(self):
        before = parse_gpb.parse((SAMPLES / "crane.gpb").read_bytes(), "1.5")
        for layout in ("1.2", "1.1", "document", *parse_gpb.old_layouts()):
            with self.subTest(layout):
                data = self.convert(SAMPLES / "crane.gpb", layout)
                self.compare(before, parse_gpb.parse(data, layout))

    def test_real_files_of_old_versions_become_1_5(self):
        if not real_files.CORPUS:
            self.skipTest(real_files.NOT_SET)
        for path in [p for p in real_files.find(".gpb") if re.search("__1.[01]__", p.name)]:
            with self.subTest(path.name):
                layout = parse_gpb.layouts(path.read_bytes())[0]
                before = parse_gpb.parse(path.read_bytes(), layout)
                self.compare(before, parse_gpb.parse(self.convert(path, "1.5"), "1.5"))


def channels(bundle):
    return [c for o in bundle["objects"] if o["kind"] == "animations"
            for a in o["animations"] for c in a["channels"]]


def strip(value):
    """Without what a version adds: places, parents, roots, and how a light fades."""
    extra = ("place", "parent", "root", "range", "attenuation", "materials", "bounds")
    if isinstance(value, dict):
        kept = {k: strip(v) for k, v in value.items() if k not in extra}
        return dict(kept, bounds=value["bounds"]) if value.get("kind") == "mesh" else kept
    return [strip(v) for v in value] if isinstance(value, list) else value


if __name__ == "__main__":
    unittest.main()
