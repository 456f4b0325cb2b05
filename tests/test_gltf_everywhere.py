#!/usr/bin/env python3
"""test_gltf_everywhere.py: glTF sample models convert to GLB and to every engine's format.

Each result is verified, or what the format cannot hold is named: in the sentence itself, or as a
loss for what is missing. Skipped without a folder of real models (TENON_CORPUS).
"""
# SPDX-License-Identifier: MIT

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("TENON", str(ROOT / "build/release/tenon"))
sys.path.insert(0, str(ROOT / "tests"))

import test_gltf_keep as keep  # noqa: E402

TARGETS = ("glb", "gpb", "bbmod", "bmw", "cea", "bplx")
SKIPPED = 77
VERDICT = re.compile(r": (verified(?: at rest)?|not within tolerance|different): ?(.*)")
REASON = re.compile(r"\(.+, which .+ cannot hold\)$")
# For what is missing, the losses that explain it.
EXPLAINED = {"clip": "animations", "clips": "animations", "mesh": "points|lines",
             "meshes": "points|lines", "lines": "lines", "points": "points"}


def fault_of(report):
    """Why a report is not good enough, or None."""
    found = VERDICT.findall(report)
    if not found:
        return "there is no verdict: " + report
    verdict, text = found[-1]
    if verdict.startswith("verified") or (verdict.startswith("not") and REASON.search(text)):
        return None
    if verdict == "different":
        missing = re.findall(r"\d+ (\w+) of the first model missing", text)
        words = [EXPLAINED.get(word, "$.") for word in missing]
        if missing and all(re.search(rf"(dropped|approximated): [^:]*({w})", report)
                           for w in words):
            return None
    return f"{verdict}: {text}"


class Everywhere(unittest.TestCase):
    def test_a_bare_difference_is_a_fault(self):
        self.assertIsNone(fault_of("m: verified: at most 0 of the diagonal off"))
        self.assertIsNone(fault_of("m: not within tolerance: 0.3 (curves, which X cannot hold)"))
        self.assertIsNotNone(fault_of("m: not within tolerance: 0.3 of the diagonal"))
        self.assertIsNotNone(fault_of("m: different: 1 clip of the first model missing"))
        self.assertIsNotNone(fault_of("m: error: out of memory"))

    def test_sample_models(self):
        faults, folder = {}, tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for file in keep.sample_models():
            for target in TARGETS:
                out = Path(folder.name) / f"m.{target}"
                report = keep.run("convert", "--force", "--verify", "--accept-losses", "--textures",
                                  "refer", file, out)
                fault = fault_of(report)
                if fault:
                    faults[f"{file.name} to {target}"] = fault
        self.assertEqual({}, faults)


if __name__ == "__main__":
    if not keep.CORPUS:
        print("skipped: TENON_CORPUS is not set")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
