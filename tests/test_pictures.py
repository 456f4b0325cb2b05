#!/usr/bin/env python3
"""test_pictures.py: a picture costs no more than allowed, and is converted once.

A PNG of a few KB can have a gigabyte of pixels, and any number of images can name it.
"""
# SPDX-License-Identifier: MIT

import copy
import json
import resource
import shutil
import struct
import sys
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import conversions  # noqa: E402
from feature_models import BASES  # noqa: E402

CARDS = 4


def png(width, height):
    """A black picture of one bit a pixel. Rows that never change deflate to next to nothing."""
    def chunk(kind, data):
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) +
            chunk(b"IEND", b""))


def tga(width, height):
    """A gray picture, packed: two bytes for 128 pixels."""
    header = struct.pack("<BBBHHBHHHHBB", 0, 0, 11, 0, 0, 0, 0, 0, width, height, 8, 32)
    return header + b"\xff\x80" * (width * height // 128)


def model_of(images):
    """Cards, each with a separate material for one of the images."""
    maker = BASES["rigid"]()
    g = maker.json
    primitive, material = g["meshes"][0]["primitives"][0], g["materials"][0]
    g.update(images=images(maker), textures=[], materials=[])
    g["meshes"][0]["primitives"] = []
    for i in range(len(g["images"])):
        g["textures"].append({"source": i})
        g["materials"].append(copy.deepcopy(material))
        g["materials"][i]["name"] = f"paint{i}"
        g["materials"][i]["pbrMetallicRoughness"]["baseColorTexture"]["index"] = i
        g["meshes"][0]["primitives"].append({**primitive, "material": i})
    return maker


def embedded(picture, count):
    """Images that all have the same buffer view."""
    def images(maker):
        view = maker.view(picture)
        return [{"bufferView": view, "mimeType": "image/png", "name": f"image{i}"}
                for i in range(count)]
    return model_of(images)


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = conversions.scratch()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "out"

    def convert(self, model, output, *options):
        path = self.folder / "model.glb"
        path.write_bytes(model.glb())
        return conversions.run("convert", *options, path, self.out / output)

    def written(self, *endings):
        return sorted(p.name for p in self.out.iterdir() if p.suffix in endings)

    def test_a_large_png_is_refused_before_it_is_decoded(self):
        large = embedded(png(16384, 16384), 1)
        pixels = 16384 * 16384 * 4
        for options, allowed in ((["--max-memory", "32M"], 32 << 20), ([], 64 << 20)):
            done = self.convert(large, "a.bmw", "--json", *options)
            error = json.loads(done.stdout)["error"]
            self.assertEqual((done.returncode, error["code"]), (1, "limit"))
            needed, most = (int(word) for word in error["message"].split() if word.isdigit())
            self.assertTrue(pixels < needed < pixels + (16 << 20), error)
            self.assertTrue(allowed <= most < allowed + (16 << 20), error)
            self.assertFalse(self.out.exists() and any(self.out.iterdir()))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(most, 128 << 20)

    def test_with_enough_memory_it_is_converted(self):
        done = self.convert(embedded(png(1024, 1024), 1), "a.bmw", "--max-memory", "8M")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.out / "a_image0.dds").stat().st_size, 128 + (4 << 20))

    def test_work_and_output_are_limited(self):
        model = embedded(png(1024, 1024), 1)
        for option, limit in (("--max-work", 50000), ("--max-output", 1 << 20)):
            done = self.convert(model, "a.bmw", "--json", option, limit)
            error = json.loads(done.stdout)["error"]
            self.assertEqual((done.returncode, error["code"]), (1, "limit"), error)
            self.assertIn(str(limit), error["message"])

    def test_images_of_one_buffer_view_are_one_file(self):
        model = embedded(png(64, 64), CARDS)
        for extension, ending in (("bmw", ".dds"), ("gpb", ".png"), ("bbmod", ".png"),
                                  ("cem", ".png"), ("obj", ".png"), ("gltf", ".png")):
            with self.subTest(extension):
                done = self.convert(model, f"{extension}.{extension}")
                self.assertEqual(done.returncode, 0, done.stderr)
                pictures = [name for name in self.written(ending) if name.startswith(extension)]
                self.assertEqual(pictures, [f"{extension}_image0{ending}"])
        written = json.loads((self.out / "gltf.gltf").read_text())
        self.assertEqual([i["uri"] for i in written["images"]], ["gltf_image0.png"] * CARDS)
        self.assertEqual([i["name"] for i in written["images"]],
                         [f"image{i}" for i in range(CARDS)])
        done = conversions.run("check", *(self.out / f"{e}.{e}" for e in ("bmw", "gpb", "gltf")))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_images_of_one_buffer_view_stay_so(self):
        done = self.convert(embedded(png(64, 64), CARDS), "a.glb", "--scale", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = (self.out / "a.glb").read_bytes()
        written = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
        self.assertEqual(len({i["bufferView"] for i in written["images"]}), 1)
        self.assertEqual((len(written["images"]), data.count(b"\x89PNG")), (CARDS, 1))
        done = conversions.run("check", self.out / "a.glb")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_spellings_of_one_file_are_one_picture(self):
        names = ["a.tga", "./a.tga", "%61.tga", ".//%2E/a.tga"]
        (self.folder / "a.tga").write_bytes(tga(256, 128))
        model = model_of(lambda _: [{"uri": name} for name in names])
        for extension, ending in (("gpb", ".png"), ("bmw", ".dds"), ("gltf", ".png")):
            with self.subTest(extension):
                done = self.convert(model, f"{extension}.{extension}", "--textures", "copy")
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.written(".png", ".dds"), ["a.dds", "a.png", "gltf_a.png"])
        text = (self.out / "gpb.material").read_text()
        self.assertEqual(text.count("path = a.png"), CARDS)
        done = self.convert(model, "a.glb", "--scale", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.out / "a.glb").read_bytes().count(b"\x89PNG"), 1)

    def test_a_picture_is_decoded_once_for_all_spellings(self):
        """Four spellings take as many steps as one, except for what four materials take."""
        (self.folder / "a.tga").write_bytes(tga(1024, 1024))
        steps = []
        for names in (["a.tga"], ["a.tga", "./a.tga", ".//a.tga", "././a.tga"]):
            model = model_of(lambda _, names=names: [{"uri": name} for name in names])
            done = self.convert(model, "a.gpb", "--textures", "copy", "--force", "-v")
            self.assertEqual(done.returncode, 0, done.stderr)
            line = next(line for line in done.stderr.splitlines() if " steps" in line)
            steps.append(int(line.split(" of ")[-2].split()[-1]))
        self.assertLess(steps[1], steps[0] + 100000)


if __name__ == "__main__":
    if b"png_create_read_struct" not in conversions.TOOL.read_bytes():
        print("skipped: the tool was built without libpng")
        sys.exit(77)
    unittest.main()
