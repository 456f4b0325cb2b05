#!/usr/bin/env python3
"""test_gltf_quantize.py: `convert --quantize` stores vertices as integers, within what it says.

The models are those of test_gltf_keep.py and the samples. Each corner, posed by an independent
reader, is at most half a step of the 16 bits away; what Tenon measures is no less than that. With
TENON_CORPUS, all sample models are verified, and with Node, Khronos' validator accepts all files.
"""
# SPDX-License-Identifier: MIT

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("TENON", str(ROOT / "build/release/tenon"))
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "engine")]

import gltf as engine  # noqa: E402
import test_gltf_keep as keep  # noqa: E402
import test_gltf_validator as khronos  # noqa: E402

U8, I8, U16, I16 = 5121, 5120, 5123, 5122
MODELS = {"instances": keep.forest, "hidden": keep.theater, "looks": keep.gallery}
MEASURED = re.compile(r"by up to (\S+) of the diagonal")


def farthest(a, b, clips):
    """The largest distance of two corners, as a fraction of the diagonal of A at rest."""
    one, two = (engine.load(path, {}) for path in (a, b))
    corners = [p for triangle in one.pose(None, 0)[0] for p in triangle]
    size = sum((max(c) - min(c)) ** 2 for c in zip(*corners)) ** 0.5
    most = 0.0
    times = [(clip, one.length(clip) * t / 4) for clip in clips for t in range(5)]
    for clip, seconds in [(None, 0)] + times:
        poses = [sorted(model.pose(clip, seconds)[0]) for model in (one, two)]
        for p, q in zip(*poses, strict=True):
            for v, w in zip(p, q, strict=True):
                most = max(most, sum((x - y) ** 2 for x, y in zip(v, w)) ** 0.5)
    return most / size


class Quantizing(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def models(self):
        for name, make in MODELS.items():
            b, gltf = make()
            keep.write(self.folder / f"{name}.gltf", b, gltf)
            yield self.folder / f"{name}.gltf"
        yield ROOT / "samples" / "crane.glb"

    def quantize(self, model, name="q.glb", *options):
        out = self.folder / name
        return out, keep.run("convert", "--force", "--embed", "--quantize", *options, model, out)

    def test_corners_are_where_they_were(self):
        for model in self.models():
            out, report = self.quantize(model, "q.glb", "--verify")
            self.assertIn("verified", report)
            clips = [a.get("name") for a in keep.load(out)[0].get("animations", [])]
            error = farthest(model, out, [c for c in clips if c in engine.load(model, {}).clips])
            found = MEASURED.search(report)
            self.assertLess(error, 2e-5, model)
            self.assertLessEqual(error, 1.1 * float(found[1]) + 1e-7 if found else 1e-6, model)

    def test_numbers_are_integers(self):
        out, report = self.quantize(ROOT / "samples" / "crane.glb")
        json_ = keep.load(out)[0]
        for key in ("extensionsUsed", "extensionsRequired"):
            self.assertIn("KHR_mesh_quantization", json_[key])
        kinds = {}
        for mesh in json_["meshes"]:
            for name, index in mesh["primitives"][0]["attributes"].items():
                accessor = json_["accessors"][index]
                kinds.setdefault(name, set()).add((accessor["componentType"],
                                                   accessor.get("normalized", False)))
        self.assertEqual(kinds["POSITION"], {(U16, True)})
        self.assertEqual(kinds["NORMAL"], {(I8, True)})
        self.assertEqual(kinds["WEIGHTS_0"], {(U16, True)})
        self.assertEqual(kinds["JOINTS_0"], {(U8, False)})
        for feature in ("normals", "positions and weights"):
            self.assertIn(f"approximated: {feature} (", report)
        plain = self.folder / "p.glb"
        keep.run("convert", "--embed", ROOT / "samples" / "crane.bbmod", plain)
        self.assertLess(self.quantize(plain)[0].stat().st_size, plain.stat().st_size)

    def test_what_is_not_quantized_needs_no_extension(self):
        b, gltf = keep.forest()
        empty = {"scenes": [{"nodes": [0]}], "nodes": [{"name": "empty"}]}
        for change in ({}, empty):
            keep.write(self.folder / "m.gltf", b, {
                **gltf, "animations": [], "extensionsUsed": [], "nodes": [{"mesh": 0}],
                "scenes": [{"nodes": [0]}], **change})
            out = keep.load(self.quantize(self.folder / "m.gltf")[0])[0]
            self.assertEqual("KHR_mesh_quantization" in str(out), not change)

    def test_doing_it_again_changes_nothing(self):
        # Meshes are in the order of their nodes, of which there may be more the second time.
        for model in self.models():
            once, _ = self.quantize(model)
            twice, _ = self.quantize(once, "twice.glb")
            again, _ = self.quantize(twice, "again.glb")
            self.assertLess(abs(once.stat().st_size - twice.stat().st_size), 64, model)
            self.assertEqual(twice.read_bytes(), again.read_bytes(), model)

    def test_other_formats_are_told(self):
        report = keep.run("convert", "--quantize", ROOT / "samples" / "crane.glb",
                          self.folder / "m.bplx")
        self.assertIn("'--quantize' has no effect", report)

    @unittest.skipUnless(keep.CORPUS, "TENON_CORPUS is not set")
    def test_sample_models_are_verified(self):
        for i, file in enumerate(keep.sample_models()):
            _, report = self.quantize(file, f"{i}.glb", "--verify")
            self.assertIn(": verified: ", report, file)

    @unittest.skipIf(khronos.why_not(), "the validator is not installed")
    def test_the_validator_accepts_it(self):
        files = [self.quantize(m, f"{i}.glb")[0] for i, m in enumerate(self.models())]
        # The hidden mesh with a skin is not a root in the file, either.
        found = [line for line in khronos.complaints(khronos.validate(files))
                 if "NODE_SKINNED_MESH_NON_ROOT" not in line]
        self.assertEqual([], found)


if __name__ == "__main__":
    unittest.main(verbosity=2)
