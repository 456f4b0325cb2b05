#!/usr/bin/env python3
"""test_demo.py: the files of `make demo` can be opened, and README.md has its numbers."""
# SPDX-License-Identifier: MIT

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON", ROOT / "build/release/tenon")).resolve()


def text_of(path):
    """The JSON of a .glb file."""
    data = path.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    return json.loads(data[20:20 + size])


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="tenon-demo-")
        cls.folder = Path(cls.temporary.name).resolve() / "demo"
        cls.printed = subprocess.run(["sh", str(ROOT / "tools/demo.sh"), str(TOOL), cls.folder],
                                     check=True, capture_output=True, text=True).stdout

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_listed_file_is_complete(self):
        listed = re.findall(r"^  (\S+\.glb)$", self.printed.split("== Open")[1], re.M)
        files = [path for path in self.folder.rglob("*.glb") if "samples" not in path.parts]
        self.assertEqual(sorted(listed), sorted(map(str, files)))
        self.assertEqual(len(files), 6)
        for path in files:
            with self.subTest(path):
                gltf = text_of(path)
                self.assertTrue(gltf["images"])
                for part in gltf["images"] + gltf["buffers"]:
                    self.assertNotIn("uri", part)
                self.assertEqual([other.name for other in path.parent.iterdir()], [path.name])

    def test_it_starts_with_the_main_uses(self):
        first = re.findall(r"^\$ (.*)$", self.printed, re.M)[:2]
        self.assertRegex(first[0], r"^tenon convert samples/crane\.(fbx|glb) \S+\.bbmod .*--verify")
        self.assertRegex(first[1], r"^tenon convert samples/crane\.gpb \S+\.glb --verify$")

    def test_readme_has_the_numbers(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        rows = re.findall(r"^(\w+) +(\S+) +\d+  (\S+) +\d+  (\d+)$", self.printed, re.M)
        self.assertEqual(len(rows), 5)
        for name, into, back, files in rows:
            self.assertRegex(readme, r"(?m)^\| %s \| (rest pose: )?%s \| %s \| %s: " %
                             tuple(map(re.escape, (name, into, back, files))))


if __name__ == "__main__":
    unittest.main()
