#!/usr/bin/env python3
"""test_gltf_pose.py: GLB files are drawn as the scene was, at rest and in motion.

An independent reader, which does not use the library, poses and skins the files. The expected
position of each vertex comes from the library's poses of the scenes that were written.
"""
# SPDX-License-Identifier: MIT

import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
from bisect import bisect_right
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon")
SCENES = TOOL.parent / "tests" / "test_gltf_export_files"
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
LETTERS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
SLACK = 1e-5  # Of the largest number that occurs.


# -- Matrices of 16 numbers, column by column

IDENTITY = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def multiply(a, b):
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4))
            for column in range(4) for row in range(4)]


def transform(m, p):
    return [m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row] for row in range(3)]


def compose(t, r, s):
    x, y, z, w = r
    turn = [[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]]
    columns = [[c * scale for c in column] + [0.0] for column, scale in zip(turn, s)]
    return [n for column in columns for n in column] + list(t) + [1.0]


# -- Curves

def slerp(a, b, t):
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-x for x in b], -dot
    angle = math.acos(min(dot, 1.0))
    if angle < 1e-9:
        return a
    first, second = math.sin((1 - t) * angle), math.sin(t * angle)
    return [(first * x + second * y) / math.sin(angle) for x, y in zip(a, b)]


def hermite(keys, i, t, span):
    _, a, out = keys[3 * i:3 * i + 3]
    into, b, _ = keys[3 * i + 3:3 * i + 6]
    s, q = t * t, t * t * t
    factors = (2 * q - 3 * s + 1, span * (q - 2 * s + t), -2 * q + 3 * s, span * (q - s))
    return [sum(f * v for f, v in zip(factors, column)) for column in zip(a, out, b, into)]


def normalize(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def sample(times, values, curve, path, seconds):
    """The value of a channel at a time."""
    step = 3 if curve == "CUBICSPLINE" else 1
    middle = values[1::3] if step == 3 else values
    at = bisect_right(times, seconds) - 1
    if at < 0 or at == len(times) - 1 or curve == "STEP":
        value = middle[max(at, 0)]
    else:
        span = times[at + 1] - times[at]
        t = (seconds - times[at]) / span
        if step == 3:
            value = hermite(values, at, t, span)
        elif path == "rotation":
            return slerp(values[at], values[at + 1], t)
        else:
            value = [x + t * (y - x) for x, y in zip(values[at], values[at + 1])]
    return normalize(value) if path == "rotation" else value


# -- Files

class Glb:
    def __init__(self, path):
        data = path.read_bytes()
        size = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + size])
        self.buffer = data[28 + size:]
        self.cache = {}

    def accessor(self, index):
        """The elements of an accessor: lists of numbers, or numbers."""
        if index not in self.cache:
            self.cache[index] = self.read(self.json["accessors"][index])
        return self.cache[index]

    def read(self, accessor):
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = WIDTHS[accessor["type"]]
        layout = struct.Struct(f"<{width}{LETTERS[accessor['componentType']]}")
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", layout.size)
        rows = [layout.unpack_from(self.buffer, start + i * stride)
                for i in range(accessor["count"])]
        return [row[0] for row in rows] if width == 1 else [list(row) for row in rows]

    def locals(self, clip, seconds):
        """Translation, rotation and scale of every node."""
        parts = [{"translation": n.get("translation", [0, 0, 0]),
                  "rotation": n.get("rotation", [0, 0, 0, 1]),
                  "scale": n.get("scale", [1, 1, 1])} for n in self.json.get("nodes", [])]
        for channel in clip["channels"] if clip else []:
            sampler = clip["samplers"][channel["sampler"]]
            target = channel["target"]
            parts[target["node"]][target["path"]] = sample(
                self.accessor(sampler["input"]), self.accessor(sampler["output"]),
                sampler.get("interpolation", "LINEAR"), target["path"], seconds)
        return [compose(p["translation"], p["rotation"], p["scale"]) for p in parts]

    def globals(self, clip, seconds):
        matrices = self.locals(clip, seconds)
        waiting = list(self.json["scenes"][0].get("nodes", []))
        while waiting:
            node = waiting.pop()
            for child in self.json["nodes"][node].get("children", []):
                matrices[child] = multiply(matrices[node], matrices[child])
                waiting.append(child)
        return matrices

    def palette(self, skin, matrices):
        binds = self.accessor(skin["inverseBindMatrices"])
        return [multiply(matrices[j], bind) for j, bind in zip(skin["joints"], binds)]

    def skinned(self, attributes, palette):
        points = []
        sets = [[self.accessor(attributes[f"{name}_{k}"]) for name in ("JOINTS", "WEIGHTS")]
                for k in range(8) if f"JOINTS_{k}" in attributes]
        for i, position in enumerate(self.accessor(attributes["POSITION"])):
            total = [0.0, 0.0, 0.0]
            for joints, weights in sets:
                for joint, weight in zip(joints[i], weights[i]):
                    moved = transform(palette[joint], position) if weight else total
                    total = [a + weight * b for a, b in zip(total, moved)]
            points.append(total)
        return points

    def draw(self, clip, seconds):
        """Of every node with a mesh: the mesh's name, and the points of its primitives."""
        matrices = self.globals(clip, seconds)
        for index, node in enumerate(self.json.get("nodes", [])):
            if "mesh" not in node:
                continue
            mesh = self.json["meshes"][node["mesh"]]
            primitives = []
            for primitive in mesh["primitives"]:
                attributes = primitive["attributes"]
                if "skin" in node:
                    skin = self.json["skins"][node["skin"]]
                    points = self.skinned(attributes, self.palette(skin, matrices))
                else:
                    points = [transform(matrices[index], p)
                              for p in self.accessor(attributes["POSITION"])]
                primitives.append(points)
            yield mesh.get("name", ""), primitives


# -- What is expected

def read_expected(path):
    """Moments, as clip and seconds, with the meshes drawn then, as name and primitives."""
    moments = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(" ") or not line:
            numbers = [float(word) for word in line.split()]
            moment[-1][1].append([numbers[i:i + 3] for i in range(0, len(numbers), 3)])
        else:
            clip, seconds, name = line.split(" ", 2)
            moment = moments.setdefault((int(clip), float(seconds)), [])
            moment.append((name, []))
    return moments


def largest(meshes):
    return max((abs(c) for _, primitives in meshes for points in primitives for p in points
                for c in p), default=0)


def is_same(wanted, got, slack):
    """Whether primitives are equal, except for those, and vertices, that cannot be drawn."""
    wanted = list(wanted)
    for points in got:
        while wanted and not is_near(wanted[0][:len(points)], points, slack):
            wanted.pop(0)
        if not wanted:
            return False
        wanted.pop(0)
    return True


def is_near(a, b, slack):
    return len(a) == len(b) and all(abs(x - y) <= slack for p, q in zip(a, b) for x, y in zip(p, q))


class Poses(unittest.TestCase):
    def compare(self, glb, clip, seconds, wanted):
        """Every mesh that is drawn is one that is expected there."""
        slack = SLACK * max(1.0, largest(wanted))
        left = list(wanted)
        for name, primitives in glb.draw(clip, seconds):
            found = next((i for i, (other, points) in enumerate(left)
                          if other == name and is_same(points, primitives, slack)), None)
            self.assertIsNotNone(found, f"{name} at {seconds} s")
            left.pop(found)
        drawable = [mesh for mesh in left if self.has_parts(glb, mesh[0])]
        self.assertEqual([], drawable)

    @staticmethod
    def has_parts(glb, name):
        return any(mesh["name"] == name for mesh in glb.json.get("meshes", []))

    def test_scenes_of_all_kinds(self):
        moments = 0
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([str(SCENES), folder], check=True)
            for path in sorted(Path(folder).glob("*.expected")):
                glb = Glb(path.with_suffix(".glb"))
                # At rest there is no clip; and a clip in which nothing moves is left out.
                clips = {clip["name"]: clip for clip in glb.json.get("animations", [])}
                for (clip, seconds), wanted in read_expected(path).items():
                    with self.subTest(file=path.name, clip=clip, seconds=seconds):
                        self.compare(glb, clips.get(f"clip {clip}"), seconds, wanted)
                    moments += 1
        print(f"{moments} moments")
        self.assertGreater(moments, 100)


if __name__ == "__main__":
    if not SCENES.is_file():
        print(f"skipped: {SCENES} is not built")
        raise SystemExit(77)
    unittest.main()
