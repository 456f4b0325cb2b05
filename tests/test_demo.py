#!/usr/bin/env python3
"""test_demo.py: what `make demo` leaves can be opened: each .glb file has everything inside."""
# SPDX-License-Identifier: MIT

import json
import os
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
    def test_every_glb_is_complete(self):
        with tempfile.TemporaryDirectory(prefix="tenon-demo-") as folder:
            subprocess.run(["sh", str(ROOT / "tools/demo.sh"), str(TOOL), folder], check=True,
                           stdout=subprocess.DEVNULL)
            files = sorted(Path(folder).rglob("*.glb"))
            self.assertEqual(len(files), 5)
            for path in files:
                with self.subTest(path.parent.parent.name):
                    gltf = text_of(path)
                    self.assertTrue(gltf["images"])
                    for part in gltf["images"] + gltf["buffers"]:
                        self.assertNotIn("uri", part)
                    self.assertEqual([other.name for other in path.parent.iterdir()], [path.name])


if __name__ == "__main__":
    unittest.main()
