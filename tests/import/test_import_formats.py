#!/usr/bin/env python3
"""test_import_formats.py: what tenon-import passes on besides poses: pictures, colors, axes.

TENON names the tool. Skipped where tenon-import is not built.
"""
# SPDX-License-Identifier: MIT

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(HERE), str(TESTS), str(TESTS / "fbx"), str(TESTS.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
import small_files  # noqa: E402
from fbx_paint import png  # noqa: E402

SKIPPED = 77


class ImportFormats(ConvertingTest):
    def info(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return json.loads(tenon("info", "--full", "--json", path).stdout)

    def test_collada(self):
        (self.folder / "wood.png").write_bytes(png(9, 9, 9))
        info = self.info("a.dae", small_files.dae())
        self.assertEqual((info["format"], info["triangles"], info["animations"]), ("dae", 4, 1))
        self.assertEqual(info["material_list"][0]["texture"], "wood.png")
        self.assertEqual(info["material_list"][0]["texture_state"], "found")
        self.assertEqual(info["clips"][0]["seconds"], 1)

    def test_axes_and_units_of_collada(self):
        path, obj = self.folder / "z.DAE", self.folder / "z.obj"
        path.write_bytes(small_files.dae("Z_UP", "0.01"))
        # The corner (0 0 3), moved by (1 2 3), with Z up, in meters or the file's centimeters.
        for units, corner in (("auto", (0.01, 0.06, -0.02)), ("keep", (1, 6, -2))):
            run = tenon("convert", "-f", path, obj, "--units", units)
            self.assertEqual(run.returncode, 0)
            self.assertEqual("defaulted: unit" in run.stderr, units == "auto")
            points = [[float(n) for n in line.split()[1:4]]
                      for line in obj.read_text().splitlines() if line.startswith("v ")]
            self.assertTrue(any(max(abs(a - b) for a, b in zip(p, corner)) < 1e-6 for p in points),
                            points)

    def test_ply_and_stl(self):
        self.assertEqual(self.info("a.ply", small_files.ply())["triangles"], 4)
        self.assertEqual(self.info("a.STL", small_files.stl())["triangles"], 4)
        gltf, _ = self.convert("b.ply", small_files.ply())
        self.assertIn("COLOR_0", gltf["meshes"][0]["primitives"][0]["attributes"])

    def test_formats_are_listed(self):
        rows = [json.loads(line) for line in tenon("formats", "--json").stdout.splitlines()]
        imported = {row["name"]: row for row in rows if row.get("imported")}
        self.assertLessEqual({"dae", "3ds", "ply", "stl", "x", "md5mesh"}, set(imported))
        self.assertTrue(imported["dae"]["read"])
        self.assertNotIn("fbx", imported)


if __name__ == "__main__":
    if "not there" in tenon("formats").stdout:
        print("skipped: tenon-import is not built")
        sys.exit(SKIPPED)
    unittest.main()
