#!/usr/bin/env python3
"""test_samples_gltf.py: the crane as GLB, read by an independent reader, is where truth.json
has it, and Khronos' glTF-Validator accepts it.
"""
# SPDX-License-Identifier: MIT

import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import crane  # noqa: E402
import make_fixtures_gltf as fixtures  # noqa: E402
import outputs  # noqa: E402
import test_gltf_validator as validator  # noqa: E402
from test_gltf_pose import Glb  # noqa: E402

MODEL = crane.build()
SAMPLE = ROOT / "samples" / "crane.glb"
TRUTH = json.loads((ROOT / "samples" / "truth.json").read_text(encoding="ascii"))
TOLERANCE = 5e-6  # Metres.


def corners(glb, clip, seconds):
    """All corners of all triangles, part by part, in the order of truth.json."""
    for mesh, (_, (points,)) in zip(glb.json["meshes"], glb.draw(clip, seconds)):
        for corner in glb.accessor(mesh["primitives"][0]["indices"]):
            yield from points[corner]


class Crane(unittest.TestCase):
    def setUp(self):
        self.glb = Glb(SAMPLE)

    def test_fixtures_are_what_is_generated(self):
        self.assertEqual(outputs.differences(fixtures.FOLDER, fixtures.fixture_files()), [])

    def test_it_is_where_truth_has_it(self):
        clips = {clip["name"]: clip for clip in self.glb.json["animations"]}
        for pose in TRUTH["poses"]:
            found = list(corners(self.glb, clips.get(pose["clip"]), pose["time"]))
            self.assertEqual(len(found), len(pose["positions"]))
            worst = max(abs(a - b) for a, b in zip(found, pose["positions"]))
            self.assertLess(worst, TOLERANCE, (pose["clip"], pose["time"]))

    def test_parts_have_their_materials(self):
        names = [material["name"] for material in self.glb.json["materials"]]
        self.assertEqual(names, [material.name for material in MODEL.materials])
        self.assertEqual([mesh["primitives"][0]["material"] for mesh in self.glb.json["meshes"]],
                         [part.material for part in MODEL.parts])

    def test_the_texture_is_in_it(self):
        view = self.glb.json["bufferViews"][self.glb.json["images"][0]["bufferView"]]
        data = self.glb.buffer[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
        self.assertEqual(data, (ROOT / "samples" / "crane.png").read_bytes())

    @unittest.skipIf(validator.why_not(), validator.why_not())
    def test_the_validator_accepts_it(self):
        self.assertEqual([], list(validator.complaints(validator.validate([SAMPLE]))))


if __name__ == "__main__":
    unittest.main()
