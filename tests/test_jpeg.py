#!/usr/bin/env python3
"""test_jpeg.py: JPEG textures are converted for engines, and hostile ones do no harm.

Beowolf reads uncompressed DDS files, so that a JPEG texture has to be decoded.
"""
# SPDX-License-Identifier: MIT

import json
import re
import resource
import shutil
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import conversions  # noqa: E402
from feature_models import BASES  # noqa: E402

# 16 by 16 pixels: red at the top left, green below it, blue at the right.
PICTURE = bytes.fromhex("""
ffd8ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e
110e0b0b1016101113141515150c0f171816141812141514ffdb00430103040405040509050509140d0b0d14141414
14141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414ff
c00011080010001003011100021101031101ffc400160001010100000000000000000000000000090708ffc4001410
0100000000000000000000000000000000ffc40017010003010000000000000000000000000008090a07ffc4001411
0100000000000000000000000000000000ffda000c03010002110311003f00ce8c30d4d023c62742869cc0342f1466
395fffd9""")
FRAME = PICTURE.index(b"\xff\xc0")  # The marker, two bytes of size, one of precision, then sizes.
DDS_HEADER = 128


def dds_pixel(data, x, y):
    """Red, green, blue of a pixel; rows go from the bottom up."""
    height, width = struct.unpack_from("<II", data, 12)
    blue, green, red, _ = data[DDS_HEADER + 4 * ((height - 1 - y) * width + x):][:4]
    return red, green, blue


def model_with(picture):
    maker = BASES["rigid"]()
    maker.json["images"] = [{"bufferView": maker.view(picture), "mimeType": "image/jpeg",
                             "name": "photo"}]
    return maker.glb()


class Jpeg(unittest.TestCase):
    def setUp(self):
        self.folder = conversions.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, pictures):
        """Convert models with these textures to BMW; none may make the conversion fail. Returns
        for each the features that were lost, and its texture, if there is one."""
        files = [self.folder / f"{i}.glb" for i in range(len(pictures))]
        for file, picture in zip(files, pictures):
            file.write_bytes(model_with(picture))
        done = conversions.run("convert", "--json", *files, "-o", f"{self.folder}/out/", "--to",
                               "bmw")
        self.assertEqual(done.returncode, 0, done.stderr)
        reports = [line for line in map(json.loads, done.stdout.splitlines()) if "file" in line]
        self.assertEqual(len(reports), len(pictures))
        for i, report in enumerate(reports):
            lost = {loss["feature"] for loss in report["losses"]}
            texture = self.folder / "out" / f"{i}_photo.dds"
            yield lost, texture.read_bytes() if texture.exists() else None

    def test_colors_are_those_of_the_picture(self):
        (_, texture), = self.convert([PICTURE])
        self.assertEqual(struct.unpack_from("<II", texture, 12), (16, 16))
        for place, color in (((2, 2), (255, 0, 0)), ((2, 13), (0, 255, 0)), ((13, 5), (0, 0, 255))):
            have = dds_pixel(texture, *place)
            self.assertLess(max(abs(a - b) for a, b in zip(have, color)), 12, (place, have))

    def test_a_file_that_ends_early_is_reported(self):
        cut = [PICTURE[:size] for size in range(3, len(PICTURE) - 2)]
        for lost, texture in self.convert(cut):
            self.assertIsNone(texture)
            self.assertIn("textures", lost)

    def test_a_file_whose_pixels_end_early_is_reported(self):
        """The end marker follows too few pixels; libjpeg would make the others gray."""
        large = bytearray(PICTURE[:-8] + b"\xff\xd9")
        struct.pack_into(">HH", large, FRAME + 5, 2000, 2000)
        for lost, texture in self.convert([bytes(large), PICTURE[:-8] + b"\xff\xd9"]):
            self.assertTrue(texture is None)  # Its bytes would be very many lines.
            self.assertIn("textures", lost)

    def test_every_byte_may_be_wrong(self):
        broken = [PICTURE[:i] + bytes([PICTURE[i] ^ 0xff]) + PICTURE[i + 1:]
                  for i in range(3, len(PICTURE))]
        for lost, texture in self.convert(broken):
            self.assertTrue(texture or "textures" in lost)

    def test_a_very_large_picture_is_refused_before_it_is_decoded(self):
        large = bytearray(PICTURE)
        struct.pack_into(">HH", large, FRAME + 5, 65500, 65500)
        model, output = self.folder / "large.glb", self.folder / "large.bmw"
        model.write_bytes(model_with(bytes(large)))
        done = conversions.run("convert", "--json", model, output)
        error = json.loads(done.stdout)["error"]
        self.assertEqual((done.returncode, error["code"]), (1, "limit"))
        self.assertGreater(int(re.search(r"\d+", error["message"])[0]), 4 * 65500 * 65500)
        self.assertFalse(output.exists())
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(most, 128 << 20)


if __name__ == "__main__":
    if b"jpeg_read_header" not in conversions.TOOL.read_bytes():
        print("skipped: the tool was built without libjpeg")
        sys.exit(77)
    unittest.main()
