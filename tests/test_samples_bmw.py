#!/usr/bin/env python3
"""The BMW fixtures and the crane as BMW are what they should be, by an independent parser."""
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

import crane  # noqa: E402
import make_fixtures_bmw  # noqa: E402
import outputs  # noqa: E402
import parse_bmw  # noqa: E402

SAMPLES = ROOT / "samples"
TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
TOLERANCE = 1e-5


# -- The engine's rules

def clip_of(sidecar, name):
    return next(clip for clip in sidecar["clips"] if clip["name"] == name)


def shown_frame(sidecar, clip, seconds, rate):
    """The tick that the engine shows some time after a clip began."""
    clip = clip_of(sidecar, clip)
    return min(math.floor(clip["start"] + seconds * rate + 1e-9), clip["end"])


def skinned(position, influences, palette):
    """The sum of weight times matrix times position; sixteen numbers, column by column."""
    total = [0.0, 0.0, 0.0]
    strongest = sorted(influences, key=lambda pair: (-pair[1], -pair[0]))[:4]
    for node, weight in strongest:
        m = palette[node]
        for i in range(3):
            total[i] += weight * (m[i] * position[0] + m[4 + i] * position[1]
                                  + m[8 + i] * position[2] + m[12 + i])
    return total


def drawn(model, tick):
    """Corners of all triangles as the engine draws them at a tick of the first animation."""
    palette = {bone["node"]: bone["frames"][tick] for bone in model["animations"][0]["bones"]}
    corners = []
    for mesh in model["meshes"]:
        weights = {entry["vertex"]: entry["influences"] for entry in mesh["weights"]}
        points = [skinned(v["position"], weights[i], palette)
                  for i, v in enumerate(mesh["vertices"])]
        corners += [points[i] for face in mesh["faces"] for i in face]
    return [number for corner in corners for number in corner]


# -- Tests

class Fixtures(unittest.TestCase):
    def test_they_are_what_is_generated(self):
        found = outputs.differences(make_fixtures_bmw.FOLDER, make_fixtures_bmw.fixture_files())
        self.assertEqual(found, [])

    def test_each_fits_the_layout_of_its_name(self):
        for path in sorted(make_fixtures_bmw.FOLDER.glob("*.bmw")):
            with self.subTest(path.name):
                fitting = parse_bmw.layouts(path.read_bytes())
                self.assertEqual(fitting[0], path.stem.split("_")[0])
                # What distinguishes them may be absent.
                self.assertIn(fitting[1:], ([], ["document"], ["R0"]))

    def test_every_layout_has_both_orders(self):
        seen = set()
        for path in make_fixtures_bmw.FOLDER.glob("*.bmw"):
            layout = parse_bmw.layouts(path.read_bytes())[0]
            seen.add((layout, parse_bmw.is_row_major(parse_bmw.parse(path.read_bytes(), layout))))
        for layout in parse_bmw.LAYOUTS:
            self.assertTrue({(layout, True), (layout, False)} <= seen, layout)


class Crane(unittest.TestCase):
    def setUp(self):
        self.model = parse_bmw.parse((SAMPLES / "crane.bmw").read_bytes(), "R4")
        self.sidecar = json.loads((SAMPLES / "crane.json").read_text(encoding="ascii"))
        self.truth = json.loads((SAMPLES / "truth.json").read_text(encoding="ascii"))

    def test_it_is_r4_and_column_major(self):
        data = (SAMPLES / "crane.bmw").read_bytes()
        self.assertEqual(parse_bmw.layouts(data), ["R4"])
        self.assertIs(parse_bmw.is_row_major(self.model), False)

    def test_the_engine_draws_it_where_truth_has_it(self):
        rate = self.model["animations"][0]["rate"]
        for pose in self.truth["poses"]:
            with self.subTest(clip=pose["clip"], time=pose["time"]):
                tick = shown_frame(self.sidecar, pose["clip"] or "rest", pose["time"], rate)
                worst = max(abs(a - b) for a, b in zip(drawn(self.model, tick),
                                                       pose["positions"]))
                self.assertLess(worst, TOLERANCE)

    def test_ids_count_up_and_every_node_has_a_name(self):
        ids = [node["id"] for node in parse_bmw.nodes(self.model)]
        self.assertEqual(ids, list(range(len(ids))))
        self.assertEqual([i for i, _ in self.model["names"]], ids)
        names = {name.decode() for _, name in self.model["names"]}
        self.assertTrue({joint.name for joint in crane.build().joints} <= names)

    def test_clips_are_inside_the_animation(self):
        duration = self.model["animations"][0]["duration"]
        self.assertIn(self.sidecar["defaultAnim"], [c["name"] for c in self.sidecar["clips"]])
        self.assertEqual(max(clip["end"] for clip in self.sidecar["clips"]), duration)

    def test_triangles_turn_with_their_normals(self):
        mesh, = self.model["meshes"]
        for a, b, c in ([mesh["vertices"][i] for i in face] for face in mesh["faces"]):
            u, v = ([q - p for p, q in zip(a["position"], other["position"])] for other in (b, c))
            face = [u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]
                    for i in range(3)]
            self.assertGreater(sum(x * y for x, y in zip(face, a["normal"])), 0.0)

    def test_texture_is_stored_upside_down(self):
        data = (SAMPLES / "crane.dds").read_bytes()
        self.assertEqual((data[:4], len(data)), (b"DDS ", 128 + 4 * 64 * 64))
        last = [data[128 + 4 * (64 * 63 + x):][:3] for x in range(64)]
        self.assertEqual(last[0], bytes((32, 30, 30)))  # The black frame of the letter, above.


class Tool(unittest.TestCase):
    """The tool and the parser see the same in every file."""

    def setUp(self):
        if not os.access(TOOL, os.X_OK):
            self.skipTest("no tool at %s" % TOOL)

    def check_file(self, path, info):
        data = path.read_bytes()
        model = parse_bmw.parse(data, info["dialect"])
        self.assertEqual(parse_bmw.layouts(data)[0], info["dialect"])
        self.assertEqual(len(parse_bmw.nodes(model)), info["nodes"])
        self.assertEqual(sum(len(m["vertices"]) for m in model["meshes"]), info["vertices"])
        self.assertEqual(len(model["animations"]), info["animations"])

    def test_on_the_fixtures_and_the_crane(self):
        paths = sorted(make_fixtures_bmw.FOLDER.glob("*.bmw")) + [SAMPLES / "crane.bmw"]
        done = subprocess.run([TOOL, "info", "--json"] + [str(path) for path in paths],
                              capture_output=True, check=True)
        for path, line in zip(paths, done.stdout.splitlines()):
            with self.subTest(path.name):
                self.check_file(path, json.loads(line))


if __name__ == "__main__":
    unittest.main()
