#!/usr/bin/env python3
"""test_zip.py: examples/read_from_zip.c finds a model and its sidecars in an archive."""
# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
PROGRAM = TOOL.parent / "examples/read_from_zip"
BBMOD = ["crane.bbmod", "crane_lift.bbanim", "crane_travel.bbanim", "crane_paint.bbmat",
         "crane_stripes.bbmat", "crane.png"]


class Archives(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.archive = Path(self.folder.name, "models.zip")

    def pack(self, names, folder="", method=zipfile.ZIP_STORED):
        with zipfile.ZipFile(self.archive, "w", method) as archive:
            for name in names:
                archive.write(ROOT / "samples" / name, folder + name)

    def read(self, path):
        done = subprocess.run([str(PROGRAM), str(self.archive), path], capture_output=True,
                              text=True, cwd=self.folder.name)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.returncode == 0, not done.stderr)
        return done.stdout

    def test_sidecars_are_found_in_every_folder(self):
        for folder in ("", "models/", "a/b/"):
            self.pack(BBMOD, folder)
            self.assertEqual(self.read(folder + "crane.bbmod"),
                             "14 meshes, 1 pictures\nclip lift\nclip travel\n")
        self.pack(["crane.gpb", "crane.material"])
        self.assertEqual(self.read("crane.gpb"), "1 meshes, 1 pictures\nclip travel\nclip lift\n")

    def test_what_is_not_in_the_archive_is_not_read(self):
        # The files are on the disk beside the archive, which must not help.
        for name in BBMOD:
            Path(self.folder.name, name).write_bytes((ROOT / "samples" / name).read_bytes())
        self.pack(["crane.bbmod"])
        self.assertEqual(self.read("crane.bbmod"), "14 meshes, 0 pictures\n")
        self.assertEqual(self.read("crane_lift.bbanim"), "")

    def test_other_archives_are_refused(self):
        self.pack(BBMOD, method=zipfile.ZIP_DEFLATED)
        self.assertEqual(self.read("crane.bbmod"), "")
        self.pack(["crane.bbmod"])
        whole = self.archive.read_bytes()
        for size in [*range(64), *range(64, len(whole) - 22, 997)]:
            self.archive.write_bytes(whole[:size])
            self.read("crane.bbmod")


if __name__ == "__main__":
    if not PROGRAM.exists():
        print("skipped: the examples are not built")
        sys.exit(77)
    unittest.main()
