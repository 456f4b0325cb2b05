#!/usr/bin/env python3
"""test_import_formats.py: what tenon-import passes on besides poses: pictures, colors, axes.

TENON names the tool. Skipped where tenon-import is not built.
"""
# SPDX-License-Identifier: MIT

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools")]
import small_files  # noqa: E402
from fbx_file import Node, as_binary, as_text  # noqa: E402
from fbx_model import Joint, Model  # noqa: E402
from fbx_paint import PaintedModel, png  # noqa: E402

TENON = os.environ.get("TENON", "build/release/tenon")
SKIPPED = 77


def tenon(*args):
    return subprocess.run([TENON, *map(str, args)], capture_output=True, text=True,
                          errors="replace", timeout=1800)


def gltf_of(glb):
    data = glb.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[28 + size:]


class ImportFormats(unittest.TestCase):
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

    def info(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return json.loads(tenon("info", "--full", "--json", path).stdout)

    # -- FBX

    def facts(self, nodes, pack):
        info = self.info("a.fbx", pack(nodes))
        return {fact["label"]: fact["text"] for fact in info["facts"]}

    def test_info_says_where_a_file_comes_from(self):
        model = Model([Joint("Box", kind="Mesh")], up="Z", unit=2.54)
        for pack, kind in ((as_text, "text"), (as_binary, "binary")):
            nodes = model.nodes()
            facts = self.facts(nodes, pack)
            self.assertEqual(facts["program"], "tests")
            self.assertEqual(facts["encoding"], kind)
            self.assertEqual(facts["unit"], "0.0254 m")
            self.assertEqual(facts["axes"], "+Z up, -Y front, right-handed")
            self.assertNotIn("generator", facts)
            said = [Node("P", ["%s|Application%s" % (group, name), "KString", "", "", text])
                    for group, name, text in (("Original", "Name", "Maker"),
                                              ("LastSaved", "Name", "Sa\tver"),
                                              ("LastSaved", "Version", "3.1"))]
            for node in nodes:
                if node.name == "FBXHeaderExtension":
                    node.children.append(Node("SceneInfo", ["GlobalInfo", "UserData"],
                                              [Node("Properties70", [], said)]))
            self.assertEqual(self.facts(nodes, pack)["program"], "Sa?ver 3.1")
        text = tenon("info", self.folder / "a.fbx").stdout
        self.assertIn("  axes        +Z up, -Y front, right-handed\n", text)
        gltf, _ = self.convert("a.fbx", as_binary(nodes))
        self.assertNotIn("tenon_import", json.dumps(gltf))

    def test_embedded_pictures_are_converted(self):
        picture = png(1, 2, 3)
        model = PaintedModel("C:\\work\\wood.png", picture)
        gltf, rest = self.convert("a.fbx", as_binary(model.nodes()))
        view = gltf["bufferViews"][gltf["images"][0]["bufferView"]]
        start = view.get("byteOffset", 0)
        self.assertEqual(rest[start:start + view["byteLength"]], picture)

    def test_pictures_beside_are_found(self):
        for said, where in (("wood.png", "wood.png"), ("..\\x\\wood.png", "wood.png"),
                            ("C:\\a\\wood.png", "textures/wood.png"),
                            ("/etc/wood.png", "wood.png")):
            with self.subTest(said):
                place = self.folder / where
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(png(9, 9, 9))
                gltf, _ = self.convert("a.fbx", as_text(PaintedModel(said).nodes()),
                                       "--textures", "refer")
                self.assertEqual(gltf["images"][0]["uri"], where)
                place.unlink()

    def test_coordinates_and_colors_are_kept(self):
        (self.folder / "wood.png").write_bytes(png(9, 9, 9))
        gltf, _ = self.convert("a.fbx", as_binary(PaintedModel("wood.png").nodes()))
        attributes = gltf["meshes"][0]["primitives"][0]["attributes"]
        self.assertLessEqual({"TEXCOORD_0", "TEXCOORD_1", "COLOR_0"}, set(attributes))
        low = gltf["accessors"][attributes["POSITION"]]["min"]
        self.assertEqual([round(n, 6) for n in low], [-0.01, -0.02, -0.005])
        self.assertEqual(gltf["materials"][0]["name"], "Wood")

    # -- Others

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
        self.assertLessEqual({"fbx", "dae", "3ds", "ply", "stl", "x", "md5mesh"}, set(imported))
        self.assertTrue(imported["fbx"]["read"])


if __name__ == "__main__":
    if "not there" in tenon("formats").stdout:
        print("skipped: tenon-import is not built")
        sys.exit(SKIPPED)
    unittest.main()
