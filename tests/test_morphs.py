#!/usr/bin/env python3
"""test_morphs.py: poses of morph targets, compared with those of tests/engine/gltf.py.

Models of our own have every curve, sparse targets, weights of meshes and of nodes, and a skin; with
TENON_CORPUS, sample models of glTF too. Each is posed by `tenon convert --clip --at` and, after a
conversion to GLB and to a text with its buffer, by the other evaluator.
"""
# SPDX-License-Identifier: MIT

import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "engine"))

import gltf  # noqa: E402
import wavefront  # noqa: E402

TENON = os.environ["TENON"]
CORPUS = Path(os.environ["TENON_CORPUS"]) if os.environ.get("TENON_CORPUS") else None
SAMPLES = ["gltf/AnimatedMorphCube.glb", "gltf-extensions/SimpleMorph-glTF/SimpleMorph.gltf"]
FIXTURE = Path(__file__).resolve().parent / "fixtures/gltf/morphs.glb"
TIMES = (0, 0.1, 0.3, 0.5, 0.77, 1, 1.6, 2)
MOST = 1e-6


class Builder:
    """The parts of a glTF file in one buffer."""

    def __init__(self):
        self.bytes, self.views, self.accessors = b"", [], []

    def view(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data
        return len(self.views) - 1

    def floats(self, rows, kind="VEC3"):
        rows = [(row,) for row in rows] if kind == "SCALAR" else rows
        flat = [number for row in rows for number in row]
        accessor = {"bufferView": self.view(struct.pack(f"<{len(flat)}f", *flat)),
                    "componentType": 5126, "count": len(rows), "type": kind,
                    "min": [min(column) for column in zip(*rows)],
                    "max": [max(column) for column in zip(*rows)]}
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def sparse(self, count, rows):
        """Zeros but for the rows of a dict by index."""
        indices = self.view(struct.pack(f"<{len(rows)}H", *sorted(rows)))
        flat = [number for index in sorted(rows) for number in rows[index]]
        values = self.view(struct.pack(f"<{len(flat)}f", *flat))
        columns = list(zip((0, 0, 0), *rows.values()))
        self.accessors.append({
            "componentType": 5126, "count": count, "type": "VEC3",
            "min": [min(column) for column in columns], "max": [max(column) for column in columns],
            "sparse": {"count": len(rows),
                       "indices": {"bufferView": indices, "componentType": 5123},
                       "values": {"bufferView": values}}})
        return len(self.accessors) - 1

    def write(self, path, rest):
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.bytes).decode()
        path.write_text(json.dumps({
            "asset": {"version": "2.0"}, "bufferViews": self.views, "accessors": self.accessors,
            "buffers": [{"byteLength": len(self.bytes), "uri": uri}], **rest}))


def model(path, curve, is_of_node):
    """Two triangles with two targets, shown by two nodes; the clip moves one of them."""
    build = Builder()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 0, 0), (3, 0, 0), (2, 1, 0.5)]
    primitive = {
        "attributes": {"POSITION": build.floats(corners),
                       "NORMAL": build.floats([(0, 0, 1)] * 6)},
        "targets": [{"POSITION": build.sparse(6, {1: (0.5, 0, 1), 4: (0, 2, 0)})},
                    {"POSITION": build.floats([(i / 8, -i / 4, i % 3) for i in range(6)]),
                     "NORMAL": build.floats([(0, 0.5, 0)] * 6)}]}
    keys = [(0, 1), (1, 0.25), (-0.5, 2)]
    values = [number for key in keys for number in key]
    if curve == "CUBICSPLINE":
        values = [number for key in keys for number in (0.5, -1, *key, 1, 0.75)]
    sampler = {"input": build.floats((0, 0.5, 2), "SCALAR"), "interpolation": curve,
               "output": build.floats(values, "SCALAR")}
    moved = {"mesh": 0, "name": "moved", "translation": [0, 0, 4]}
    if is_of_node:
        moved["weights"] = [0.75, -0.25]
    build.write(path, {
        "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [moved, {"mesh": 0, "name": "still", "scale": [2, 1, 1]}],
        "meshes": [{"primitives": [primitive], "weights": [0.125, 0.5],
                    "extras": {"targetNames": ["smile", "blink"]}}],
        "animations": [{"name": "talk", "samplers": [sampler], "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "weights"}}]}]})


def run(*args):
    done = subprocess.run([TENON, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: {done.stderr}")


def corners_of(loaded, clip, seconds):
    """All corners of what is drawn, sorted."""
    return sorted(tuple(points(corner)) for mesh, points in loaded.draws(clip, seconds)
                  for triangle in mesh.triangles for corner in triangle)


def distance(a, b):
    if len(a) != len(b):
        raise AssertionError(f"{len(a)} corners, but {len(b)}")
    # Rounding may change the order of corners that are nearly equal: each takes its nearest.
    worst = 0.0
    for point in a:
        worst = max(worst, min(max(abs(x - y) for x, y in zip(point, other)) for other in b))
    return worst


class Poses(unittest.TestCase):
    def check(self, path, folder):
        source = gltf.load(path, {})
        clip = next(iter(source.clips))
        texts = [folder / "copy.glb", folder / "copy.gltf"]
        for copy in texts:
            run("convert", path, "-o", copy, "--force", "--flip-u")  # Else bytes are copied.
            again = gltf.load(copy, {})
            self.assertLessEqual(distance(corners_of(source, None, 0),
                                          corners_of(again, None, 0)), MOST)
            for seconds in TIMES:
                self.assertLessEqual(
                    distance(corners_of(source, clip, seconds),
                             corners_of(again, next(iter(again.clips)), seconds)), MOST)
        for seconds in TIMES:
            posed = folder / "posed.obj"
            run("convert", path, "-o", posed, "--force", "--clip", clip, "--at", seconds)
            self.assertLessEqual(distance(corners_of(source, clip, seconds),
                                          corners_of(wavefront.load(posed, {}), None, 0)), MOST)

    def test_models_of_our_own(self):
        for curve in ("LINEAR", "STEP", "CUBICSPLINE"):
            for is_of_node in (False, True):
                with self.subTest(curve=curve, node=is_of_node), \
                        tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "model.gltf"
                    model(path, curve, is_of_node)
                    self.check(path, Path(folder))

    def test_the_fixture(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(FIXTURE, Path(folder))

    def test_samples(self):
        if not CORPUS:
            self.skipTest("real files, since TENON_CORPUS is not set")
        for name in SAMPLES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = CORPUS / name
                if path.suffix == ".gltf":  # Poses of clips without a name cannot be asked for.
                    stored = json.loads(path.read_text())
                    stored["animations"][0]["name"] = "clip"
                    for buffer in stored["buffers"]:
                        shutil.copy(path.parent / buffer["uri"], folder)
                    path = Path(folder) / path.name
                    path.write_text(json.dumps(stored))
                self.check(path, Path(folder))

    def test_other_weights_at_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            path, posed = Path(folder) / "model.gltf", Path(folder) / "posed.obj"
            for is_of_node in (False, True):
                model(path, "LINEAR", is_of_node)
                source = gltf.load(path, {})
                run("convert", path, posed, "--force", "--morph", "smile=-1.5", "--morph",
                    "blink=0.25")
                for node in source.json["nodes"]:
                    node["weights"] = [-1.5, 0.25]
                self.assertLessEqual(distance(corners_of(source, None, 0),
                                              corners_of(wavefront.load(posed, {}), None, 0)), MOST)

    def test_names_and_weights_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path, copy = Path(folder) / "model.gltf", Path(folder) / "copy.glb"
            model(path, "LINEAR", True)
            run("convert", path, copy)
            stored = gltf.File(copy).json
            self.assertEqual(stored["meshes"][0]["extras"]["targetNames"], ["smile", "blink"])
            self.assertEqual(stored["meshes"][0]["weights"], [0.125, 0.5])
            self.assertEqual(stored["nodes"][0]["weights"], [0.75, -0.25])
            self.assertNotIn("weights", stored["nodes"][1])


if __name__ == "__main__":
    unittest.main()
