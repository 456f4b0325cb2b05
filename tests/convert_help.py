"""convert_help.py: what tests of imported files share: convert bytes to glTF and open that."""
# SPDX-License-Identifier: MIT

import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

TENON = os.environ.get("TENON", "build/release/tenon")


def tenon(*args):
    return subprocess.run([TENON, *map(str, args)], capture_output=True, text=True,
                          errors="replace", timeout=1800)


def gltf_of(glb):
    data = glb.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[28 + size:]


class ConvertingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def convert(self, name, data, *options):
        path, glb = self.folder / name, self.folder / "out.glb"
        path.write_bytes(data)
        run = tenon("convert", "-f", *options, path, glb)
        self.assertEqual(run.returncode, 0, run.stderr)
        return gltf_of(glb)
