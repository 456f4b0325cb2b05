#!/usr/bin/env python3
"""test_gltf_validator.py: Khronos' glTF-Validator accepts the files that are written.

No errors and no warnings, in scenes made by hand, in absurd ones, and in the samples. Needs Node
and the packages that `npm ci --prefix tests/validator` installs.
"""
# SPDX-License-Identifier: MIT

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon")
SCENES = TOOL.parent / "tests" / "test_gltf_export_files"
VALIDATOR = ROOT / "tests" / "validator"
SAMPLES = ["crane.bbmod", "crane.gpb", "crane.bmw", "crane.cem", "crane.cea", "crane.bplx",
           "crane_script.bplx"]
SKIP_STATUS = 77


def why_not():
    """What is missing, or None."""
    if not shutil.which("node"):
        return "Node is not installed"
    if not (VALIDATOR / "node_modules" / "gltf-validator").is_dir():
        return "run npm ci --prefix tests/validator"
    if not SCENES.is_file():
        return f"{SCENES} is not built"
    return None


def png():
    """A picture of one red pixel."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


def validate(files):
    """The validator's reports, one for each file."""
    command = ["node", str(VALIDATOR / "validate.mjs"), *map(str, files)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def complaints(reports):
    for report in reports:
        for issue in report["issues"]:
            if issue["severity"] in ("error", "warning"):
                yield "{}: {severity}: {code} at {pointer}: {message}".format(
                    Path(report["file"]).name, **issue)


class Validator(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def judge(self):
        files = sorted(self.folder.glob("*.gl*"))
        reports = validate(files)
        self.assertEqual(len(reports), len(files))
        self.assertEqual([], list(complaints(reports)))
        self.assertEqual([], [uri for report in reports for uri in report["missing"]])
        codes = Counter(issue["code"] for report in reports for issue in report["issues"])
        print(f"{len(files)} files; also reported: {dict(codes)}")
        return reports

    def test_scenes_of_all_kinds(self):
        (self.folder / "sub").mkdir()
        for name in ("a b.png", "sub/c.JPG", "t.png"):
            (self.folder / name).write_bytes(png())
        subprocess.run([str(SCENES), str(self.folder)], check=True)
        self.assertGreater(len(self.judge()), 200)

    def test_the_samples(self):
        for name in SAMPLES:
            for output in ("glb", "gltf"):
                path = self.folder / f"{name}.{output}"
                subprocess.run([str(TOOL), "convert", "--embed", f"samples/{name}", str(path)],
                               check=True, cwd=ROOT, capture_output=True)
        self.judge()

    def test_the_validator_finds_what_is_wrong(self):
        broken = {"asset": {"version": "2.0"}, "nodes": [{"mesh": 7}]}
        path = self.folder / "broken.gltf"
        path.write_text(json.dumps(broken), encoding="ascii")
        self.assertEqual(1, len(list(complaints(validate([path])))))


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP_STATUS)
    unittest.main()
