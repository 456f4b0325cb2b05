#!/usr/bin/env python3
"""The BBMOD fixtures are of the dialects they name, and the crane is where it should be."""
# SPDX-License-Identifier: MIT

import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import make_fixtures_bbanim  # noqa: E402
import make_fixtures_bbmod  # noqa: E402
import outputs  # noqa: E402
import parse_bbmod  # noqa: E402

SAMPLES = ROOT / "samples"
TRUTH = json.loads((SAMPLES / "truth.json").read_text(encoding="ascii"))
TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
TOLERANCE = 1e-5


# -- The engine's rules, with matrices of four rows for column vectors

def matrix_of(dual):
    """The matrix of a dual quaternion; its translation is twice dual times real conjugated."""
    x, y, z, w = dual[:4]
    a, b, c, d = dual[4:]
    t = (2 * (a * w - d * x + c * y - b * z), 2 * (b * w - d * y + a * z - c * x),
         2 * (c * w - d * z + b * x - a * y))
    return ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), t[0]),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), t[1]),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), t[2]))


def product(m, n):
    rows = []
    for row in m:
        cells = [sum(row[k] * n[k][c] for k in range(3)) for c in range(4)]
        rows.append(tuple(cells[:3]) + (cells[3] + row[3],))
    return tuple(rows)


def point(m, p):
    return [row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3] for row in m]


def chain(node, above, local, worlds):
    """Fill in the world matrix of every node, by index, and return what draws each mesh."""
    index = int(node["index"])
    own = local[index] if local else matrix_of(node["transform"])
    worlds[index] = product(above, own) if above else own
    drawn = [(mesh, index) for mesh in node["meshes"]]
    for child in node["children"]:
        drawn += chain(child, worlds[index], local, worlds)
    return drawn


def pose_of(model, animation=None, frame=0):
    """World matrices of nodes, matrices of bones, and which node draws which mesh."""
    worlds, stored = {}, animation["frames"][frame] if animation else {}
    local = [matrix_of(row) for row in stored["parent"]] if "parent" in stored else None
    drawn = chain(model["root"], None, local, worlds)
    if "world" in stored:
        worlds = {i: matrix_of(row) for i, row in enumerate(stored["world"])}
    skin = {int(entry[0]): product(worlds[int(entry[0])], matrix_of(entry[1:]))
            for entry in model["bones"]}
    if "bone" in stored:
        skin = {i: matrix_of(row) for i, row in enumerate(stored["bone"])}
    return worlds, skin, drawn


def skinned(vertex, skin):
    total = [0.0, 0.0, 0.0]
    for index, weight in zip(vertex["bones"][:4], vertex["bones"][4:]):
        if weight:
            moved = point(skin[int(index)], vertex["position"])
            total = [a + weight * b for a, b in zip(total, moved)]
    return total


def corners(model, animation=None, frame=0):
    """Corners of all triangles in the order of the meshes, in the crane's own axes and winding."""
    worlds, skin, drawn = pose_of(model, animation, frame)
    places = dict(drawn)
    result = []
    for number, mesh in enumerate(model["meshes"]):
        points = []
        for vertex in mesh["vertices"]:
            x, y, z = (skinned(vertex, skin) if "bones" in vertex
                       else point(worlds[places[number]], vertex["position"]))
            points.append((x, y, -z))
        for i in range(0, len(points), 3):
            result += [points[i], points[i + 2], points[i + 1]]
    return [number for corner in result for number in corner]


# -- Tests

class Fixtures(unittest.TestCase):
    def test_they_are_what_is_generated(self):
        for maker in (make_fixtures_bbmod, make_fixtures_bbanim):
            self.assertEqual(outputs.differences(maker.FOLDER, maker.fixture_files()), [])

    def test_every_dialect_has_one(self):
        stems = {path.stem.split("_")[0] for path in make_fixtures_bbmod.FOLDER.glob("*.bbmod")}
        self.assertEqual(stems, set(parse_bbmod.MODEL_DIALECTS))
        stems = {path.stem.split("_")[0] for path in make_fixtures_bbanim.FOLDER.glob("*.bbanim")}
        self.assertEqual(stems, set(parse_bbmod.ANIMATION_DIALECTS))

    def test_the_tool_finds_the_dialect_of_each(self):
        for folder in (make_fixtures_bbmod.FOLDER, make_fixtures_bbanim.FOLDER):
            files = sorted(str(path) for path in folder.iterdir())
            done = subprocess.run([TOOL, "info", "--json"] + files, capture_output=True, check=True)
            for line in done.stdout.splitlines():
                report = json.loads(line)
                stem = pathlib.Path(report["file"]).stem
                with self.subTest(stem):
                    self.assertEqual(report["dialect"], stem.split("_")[0])
                    self.assertNotIn("also", report)


class Crane(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = parse_bbmod.model((SAMPLES / "crane.bbmod").read_bytes(), "3.4")
        cls.clips = {clip: parse_bbmod.animation(
            (SAMPLES / ("crane_%s.bbanim" % clip)).read_bytes(), "3.4")
            for clip in ("travel", "lift")}

    def test_corners_are_where_truth_has_them(self):
        for pose in TRUTH["poses"]:
            clip = self.clips.get(pose["clip"])
            frame = round(pose["time"] * clip["rate"]) if clip else 0
            made = corners(self.model, clip, frame)
            self.assertEqual(len(made), len(pose["positions"]))
            worst = max(abs(a - b) for a, b in zip(made, pose["positions"]))
            self.assertLess(worst, TOLERANCE)

    def test_triangles_turn_as_their_normals_say(self):
        for mesh in self.model["meshes"]:
            for i in range(0, len(mesh["vertices"]), 3):
                a, b, c = (v["position"] for v in mesh["vertices"][i:i + 3])
                u, v = ([q - p for p, q in zip(a, other)] for other in (b, c))
                turn = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                        u[0] * v[1] - u[1] * v[0])
                normal = mesh["vertices"][i]["normal"]
                self.assertGreater(sum(p * q for p, q in zip(turn, normal)), 0.0)

    def test_bones_come_first_and_frames_have_both_ends(self):
        self.assertEqual([int(entry[0]) for entry in self.model["bones"]], [0, 1, 2, 3, 4])
        self.assertEqual((self.clips["travel"]["spaces"], self.clips["lift"]["spaces"]), (1, 6))
        self.assertEqual(len(self.clips["travel"]["frames"]), 121)
        self.assertEqual(len(self.clips["travel"]["events"]), 2)

    def test_dual_quaternions_are_of_unit_length(self):
        for clip in self.clips.values():
            rows = [row for frame in clip["frames"] for space in frame.values() for row in space]
            for row in rows:
                self.assertAlmostEqual(math.fsum(c * c for c in row[:4]), 1.0, delta=1e-6)
                dot = sum(a * b for a, b in zip(row[:4], row[4:]))
                self.assertAlmostEqual(dot, 0.0, delta=1e-5)

    def test_the_tool_finds_nothing_wrong(self):
        files = ["crane.bbmod", "crane_travel.bbanim", "crane_lift.bbanim"]
        done = subprocess.run([TOOL, "check", "--json"] + [str(SAMPLES / name) for name in files],
                              capture_output=True, check=True)
        for line in done.stdout.splitlines():
            self.assertEqual(json.loads(line)["findings"], [])


if __name__ == "__main__":
    unittest.main()
