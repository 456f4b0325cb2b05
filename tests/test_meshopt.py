#!/usr/bin/env python3
"""test_meshopt.py: compressed buffer views of glTF mean exactly what uncompressed ones mean.

Random models are written twice: with views that tests/meshopt.py compresses, in both versions, all
modes and all filters, and with the same bytes uncompressed. `tenon convert` has to make the same
GLB of both. Damaged data is refused, or is read as something, and never crashes the tool.
"""
# SPDX-License-Identifier: MIT

import base64
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import meshopt

TENON = os.environ["TENON"]
SEEDS = 24


class Twins:
    """Two files of one model."""

    def __init__(self, seed):
        self.random, self.version = random.Random(seed), seed % 2
        self.name = ("EXT", "KHR")[self.version] + "_meshopt_compression"
        self.plain, self.packed = b"", b""
        self.views, self.compressed, self.accessors = [], [], []

    def view(self, plain, packed, mode, stride, count, has_stride, filtered="NONE"):
        pad = bytes(-len(self.plain) % 4)
        view = {"buffer": 0, "byteOffset": len(self.plain + pad), "byteLength": len(plain)}
        if has_stride:
            view["byteStride"] = stride
        self.plain += pad + plain
        stored = {"buffer": 1, "byteOffset": len(self.packed), "byteLength": len(packed),
                  "byteStride": stride, "count": count, "mode": mode}
        if filtered != "NONE" or self.random.random() < 0.5:
            stored["filter"] = filtered
        self.packed += packed
        self.views.append(view)
        self.compressed.append({**view, "extensions": {self.name: stored}})
        return len(self.views) - 1

    def accessor(self, **members):
        self.accessors.append(members)
        return len(self.accessors) - 1

    def attribute(self, raw, plain, stride, filtered="NONE", has_stride=True):
        packed = meshopt.attributes(raw, stride, self.version, self.random)
        return self.view(plain, packed, "ATTRIBUTES", stride, len(raw) // stride, has_stride,
                         filtered)

    def numbers(self, count, kind, low, high):
        return [self.random.randint(low, high) for _ in range(count)]

    def positions(self, count):
        if self.random.random() < 0.5:
            floats = [self.random.randint(-900, 900) / 64 for _ in range(3 * count)]
            raw = plain = struct.pack(f"<{3 * count}f", *floats)
            filtered = "NONE"
        else:
            raw = b"".join(struct.pack("<I", (m & 0xffffff) | (self.random.randint(-12, -4) & 255)
                                       << 24) for m in self.numbers(3 * count, "i", -4000, 4000))
            plain, filtered = meshopt.exponential(raw), "EXPONENTIAL"
        rows = list(struct.iter_unpack("<3f", plain))
        return self.accessor(bufferView=self.attribute(raw, plain, 12, filtered), count=count,
                             componentType=5126, type="VEC3",
                             min=[min(c) for c in zip(*rows)], max=[max(c) for c in zip(*rows)])

    def normals(self, count):
        size = self.random.choice((1, 2))
        top, kind = (127, "b") if size == 1 else (32767, "h")
        raw = b"".join(struct.pack(f"<4{kind}", *self.numbers(2, kind, -top, top),
                                   self.random.choice((top, top // 3)),
                                   self.random.randint(-top, top)) for _ in range(count))
        # A sum of 0 has no direction.
        raw = raw.replace(struct.pack(f"<2{kind}", 0, 0), struct.pack(f"<2{kind}", 1, 0))
        return self.accessor(
            bufferView=self.attribute(raw, meshopt.octahedral(raw, size), 4 * size, "OCTAHEDRAL"),
            count=count, componentType=5120 if size == 1 else 5122, normalized=True, type="VEC3")

    def colors(self, count):
        size = self.random.choice((1, 2))
        kind, bits = ("B", 8) if size == 1 else ("H", 16)
        half, quarter = 1 << (bits - 1), 1 << (bits - 3)
        rows = [(self.random.randrange(half), self.random.randint(-quarter, quarter) % (1 << bits),
                 self.random.randint(-quarter, quarter) % (1 << bits),
                 self.random.randrange(half) | half) for _ in range(count)]
        raw = b"".join(struct.pack(f"<4{kind}", *row) for row in rows)
        return self.accessor(
            bufferView=self.attribute(raw, meshopt.color(raw, size), 4 * size, "COLOR"),
            count=count, componentType=5121 if size == 1 else 5123, normalized=True, type="VEC4")

    def indices(self, count):
        """A grid, in which triangles share edges, and then whatever comes."""
        values = []
        for i in range(0, count - 9, 3):
            values += [i, i + 1, i + 2, i + 2, i + 1, i + 3]
        values += self.numbers(3 * 40, "i", 0, count - 1)
        values += [0, 1, 2, 2, 1, 3]
        stride = self.random.choice((2, 4))
        mode = self.random.choice(("TRIANGLES", "INDICES"))
        if mode == "TRIANGLES":
            packed, values = meshopt.triangles(values, self.random.randrange(2), self.random)
        else:
            packed = meshopt.indices(values, self.random)
        plain = struct.pack(f"<{len(values)}{'H' if stride == 2 else 'I'}", *values)
        return self.accessor(
            bufferView=self.view(plain, packed, mode, stride, len(values), False),
            count=len(values), componentType=5123 if stride == 2 else 5125, type="SCALAR")

    def turns(self, count):
        times = struct.pack(f"<{count}f", *(i / 8 for i in range(count)))
        raw = b"".join(struct.pack("<4h", *self.numbers(3, "h", -900, 900),
                                   self.random.randrange(4) | 2044) for _ in range(count))
        return {"input": self.accessor(bufferView=self.attribute(times, times, 4, has_stride=False),
                                       count=count, componentType=5126, type="SCALAR", min=[0],
                                       max=[(count - 1) / 8]),
                "output": self.accessor(
                    bufferView=self.attribute(raw, meshopt.quaternion(raw), 8, "QUATERNION", False),
                    count=count, componentType=5122, normalized=True, type="VEC4")}

    def write(self, folder):
        count = self.random.choice((12, 16, 17, 255, 256, 257, 600))
        attributes = {"POSITION": self.positions(count), "NORMAL": self.normals(count)}
        if self.version:
            attributes["COLOR_0"] = self.colors(count)
        rest = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0}],
                "meshes": [{"primitives": [{"attributes": attributes,
                                            "indices": self.indices(count)}]}],
                "animations": [{"samplers": [self.turns(self.random.randrange(2, 40))], "channels":
                                [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}],
                "accessors": self.accessors}
        uri = "data:application/octet-stream;base64,"
        plain = {"byteLength": len(self.plain), "uri": uri + base64.b64encode(self.plain).decode()}
        (folder / "plain.gltf").write_text(json.dumps(
            {**rest, "bufferViews": self.views, "buffers": [plain]}))
        fallback = {"byteLength": len(self.plain), "extensions": {self.name: {"fallback": True}}}
        packed = {"byteLength": len(self.packed),
                  "uri": uri + base64.b64encode(self.packed).decode()}
        used = {"extensionsUsed": [self.name], "extensionsRequired": [self.name]}
        (folder / "packed.gltf").write_text(json.dumps(
            {**rest, **used, "bufferViews": self.compressed, "buffers": [fallback, packed]}))
        return {**rest, **used, "bufferViews": self.compressed, "buffers": [fallback, packed]}


def convert(source, result):
    return subprocess.run([TENON, "convert", source, result, "--force"], capture_output=True,
                          text=True, check=False)


class Meshopt(unittest.TestCase):
    def test_compressed_models_are_the_same(self):
        for seed in range(SEEDS):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                Twins(seed).write(folder)
                for twin in ("plain", "packed"):
                    done = convert(folder / f"{twin}.gltf", folder / f"{twin}.glb")
                    self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue((folder / "plain.glb").read_bytes() ==
                                (folder / "packed.glb").read_bytes())

    def test_damaged_models_are_refused_or_read(self):
        chance, refused = random.Random(1), 0
        for seed in range(SEEDS):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as name:
                folder, twins = Path(name), Twins(seed)
                stored = twins.write(folder)
                data = bytearray(twins.packed)
                for _ in range(chance.randrange(1, 9)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
                stored["buffers"][1]["uri"] = ("data:application/octet-stream;base64," +
                                               base64.b64encode(data).decode())
                (folder / "packed.gltf").write_text(json.dumps(stored))
                done = convert(folder / "packed.gltf", folder / "packed.glb")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                refused += done.returncode
        self.assertGreater(refused, 0)


if __name__ == "__main__":
    unittest.main()
