#!/usr/bin/env python3
"""test_fbx_files.py: pictures, coordinates and colors of FBX files.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest  # noqa: E402
from fbx_file import as_binary, as_text  # noqa: E402
from fbx_paint import PaintedModel, png  # noqa: E402


class FbxFiles(ConvertingTest):
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

    def test_texts_in_other_forms_say_the_same(self):
        text = as_text(PaintedModel("wood.png").nodes())
        (self.folder / "wood.png").write_bytes(png(9, 9, 9))
        wanted = self.convert("a.fbx", text)
        start = text.index(b"FBXHeaderExtension")
        array = re.compile(rb"(a: [^\n]*)\n")
        for name, other in (
                ("byte order mark", b"\xef\xbb\xbf" + text),
                ("lines of Windows", text.replace(b"\n", b"\r\n")),
                ("lines of old Macs", text.replace(b"\n", b"\r")),
                ("empty lines first", b"\n \n" + text),
                ("no version", text[start:]),
                ("another comment", b"; mine\n" + text[start:]),
                ("comments after lists", array.sub(rb"\1 ; 5, 6 {\n", text)),
                ("comments in lists", array.sub(
                    lambda found: found.group(0).replace(b",", b", ; 7, }\n", 3), text)),
                ("blanks around commas", re.sub(rb",(?=-?\d)", b"\t,\n ", text)),
                ("braces on the next line", re.sub(rb" \{\n", b"\n\t{\n", text)),
                ("wrong counts", re.sub(rb"\*\d+", b"*1", text))):
            with self.subTest(name):
                self.assertNotEqual(other, text)
                self.assertEqual(self.convert("a.fbx", other), wanted)


if __name__ == "__main__":
    unittest.main()
