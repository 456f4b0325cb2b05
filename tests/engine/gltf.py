#!/usr/bin/env python3
"""gltf.py: what a .glb shows, by the rules of glTF, to compare what engines make of conversions.

Triangles have their front where glTF has it: a matrix with a negative determinant reverses them,
and so does a skin most of whose matrices have one. Curves are linear or steps. Morph targets,
sparse accessors and other files are not read.
"""
# SPDX-License-Identifier: MIT

import json
import struct
from pathlib import Path

from common import (IDENTITY, compose, determinant, lerp, multiply, read_bytes, sample, slerp,
                    transform)

CODES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 4, 5, 6
PARTS = ("translation", "rotation", "scale")
REST = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0))


def step(a, b, share):
    return a


class Glb:
    def __init__(self, path):
        data = read_bytes(Path(path))
        size = struct.unpack_from("<I", data, 12)[0]
        self.json, self.buffer = json.loads(data[20:20 + size]), data[28 + size:]
        self.nodes = self.json["nodes"]
        self.clips = {clip.get("name"): clip for clip in self.json.get("animations", ())}

    def numbers(self, index):
        """The elements of an accessor, as tuples."""
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        row = struct.Struct(f"<{WIDTHS[accessor['type']]}{CODES[accessor['componentType']]}")
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", row.size)
        rows = [row.unpack_from(self.buffer, start + i * stride) for i in range(accessor["count"])]
        most = 2 ** (8 * row.size // WIDTHS[accessor["type"]]) - 1
        return [tuple(v / most for v in r) for r in rows] if accessor.get("normalized") else rows

    def locals_at(self, clip, seconds):
        parts = [[node.get(part, rest) for part, rest in zip(PARTS, REST)] for node in self.nodes]
        for channel in self.clips[clip]["channels"] if clip else ():
            sampler = self.clips[clip]["samplers"][channel["sampler"]]
            path, node = channel["target"]["path"], channel["target"]["node"]
            mix = step if sampler.get("interpolation") == "STEP" else \
                slerp if path == "rotation" else lerp
            times = [time for time, in self.numbers(sampler["input"])]
            values = self.numbers(sampler["output"])
            parts[node][PARTS.index(path)] = sample(times, values, seconds, mix)
        return [tuple(node["matrix"]) if "matrix" in node else compose(*part)
                for node, part in zip(self.nodes, parts)]

    def worlds(self, clip, seconds):
        found, own = {}, self.locals_at(clip, seconds)
        waiting = [(root, IDENTITY) for root in self.json["scenes"][0]["nodes"]]
        while waiting:
            node, parent = waiting.pop()
            found[node] = multiply(parent, own[node])
            waiting += [(child, found[node]) for child in self.nodes[node].get("children", ())]
        return found

    def pose(self, clip=None, seconds=0):
        """All triangles, as corners, fronts counterclockwise."""
        worlds, found = self.worlds(clip, seconds), []
        for index, world in worlds.items():
            if "mesh" in self.nodes[index]:
                for primitive in self.json["meshes"][self.nodes[index]["mesh"]]["primitives"]:
                    found += self.draw(self.nodes[index], primitive, world, worlds)
        return found

    def draw(self, node, primitive, world, worlds):
        attributes = primitive["attributes"]
        points = self.numbers(attributes["POSITION"])
        is_mirrored = determinant(world) < 0
        if "skin" in node:
            skin = self.json["skins"][node["skin"]]
            palette = [multiply(worlds[joint], bind) for joint, bind in
                       zip(skin["joints"], self.numbers(skin["inverseBindMatrices"]))]
            is_mirrored = 2 * sum(determinant(m) < 0 for m in palette) > len(palette)
            rows = zip(points, self.numbers(attributes["JOINTS_0"]),
                       self.numbers(attributes["WEIGHTS_0"]))
            moved = [self.blend(palette, *row) for row in rows]
        else:
            moved = [transform(world, point) for point in points]
        indices = [i for i, in self.numbers(primitive["indices"])] if "indices" in primitive \
            else range(len(points))
        for a, b, c in triangles_of(primitive.get("mode", TRIANGLES), indices):
            yield (moved[a], moved[c], moved[b]) if is_mirrored else (moved[a], moved[b], moved[c])

    @staticmethod
    def blend(palette, point, joints, weights):
        parts = [(w, transform(palette[j], point)) for j, w in zip(joints, weights) if w]
        return tuple(sum(w * part[axis] for w, part in parts) for axis in range(3))


def triangles_of(mode, indices):
    count = len(indices)
    if mode == TRIANGLES:
        return [tuple(indices[i:i + 3]) for i in range(0, count - 2, 3)]
    if mode == TRIANGLE_FAN:
        return [(indices[0], indices[i], indices[i + 1]) for i in range(1, count - 1)]
    if mode == TRIANGLE_STRIP:
        return [(indices[i], indices[i + 1 + i % 2], indices[i + 2 - i % 2])
                for i in range(count - 2)]
    return []
