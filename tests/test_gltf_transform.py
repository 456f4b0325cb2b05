#!/usr/bin/env python3
"""test_gltf_transform.py: another reader of glTF finds the same in what is written.

glTF-Transform, which knows the extensions, reads a model, the GLB that Tenon makes of it, and the
GLB that Tenon makes of that: materials with textures and pictures, extensions and extras of all
objects, animations, cameras and skins must be the same. Compression is undone. The models are those
of test_gltf_keep.py and, if TENON_CORPUS names it, all of the corpus. Needs Node and the packages
that `npm ci --prefix tests/transform` installs.
"""
# SPDX-License-Identifier: MIT

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("TENON", str(ROOT / "build/release/tenon"))
sys.path.insert(0, str(ROOT / "tests"))

import test_gltf_keep as keep  # noqa: E402

TRANSFORM = ROOT / "tests" / "transform"
SKIP_STATUS = 77
SLACK = 1e-5
# How data is stored: not kept.
PACKING = {"KHR_mesh_quantization", "KHR_draco_mesh_compression", "KHR_meshopt_compression",
           "EXT_meshopt_compression"}
LISTS = ("materials", "textures", "animations", "cameras", "skins", "meshes", "nodes", "scenes")
# What glTF-Transform cannot read.
UNREAD = {"KHR_meshopt_compression"}
# Where shapes and places are: what `convert --verify` compares.
SHAPES = {"nodes": ("children", "translation", "rotation", "scale", "skin"), "meshes": (),
          "primitives": ("attributes", "indices", "targets"), "scenes": ("children",)}


def why_not():
    if not shutil.which("node"):
        return "Node is not installed"
    if not (TRANSFORM / "node_modules" / "@gltf-transform" / "extensions").is_dir():
        return "run npm ci --prefix tests/transform"
    return None


def read(files):
    done = subprocess.run(["node", str(TRANSFORM / "read.mjs"), *map(str, files)],
                          capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_shapes(value, kind):
    """The object of a list without its shape and place."""
    if isinstance(value, list):
        return [without_shapes(item, kind) for item in value]
    return {key: without_shapes(item, key) if key in SHAPES else item
            for key, item in value.items() if key not in SHAPES.get(kind, ())}


class Comparison:
    """What glTF-Transform finds in two files."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def numbers(self, found, name):
        """The numbers of an accessor. Rotations need not have length 1 in files."""
        accessor = found["accessors"][int(name.split()[1])]
        values = accessor["values"]
        if accessor["type"] != "VEC4":
            return values
        rows = [values[i:i + 4] for i in range(0, len(values), 4)]
        lengths = [sum(x * x for x in row) ** 0.5 or 1 for row in rows]
        return [x / size for row, size in zip(rows, lengths) for x in row]

    def difference(self, x, y, path=""):
        """The path of the first difference, or None."""
        if all(isinstance(v, str) and v.startswith("accessor ") for v in (x, y)):
            x, y = self.numbers(self.a, x), self.numbers(self.b, y)
        if {type(x), type(y)} <= {int, float}:
            return None if abs(x - y) <= SLACK * max(1, abs(x)) else f"{path}: {x} is {y}"
        if type(x) is not type(y):
            return f"{path}: {str(x)[:80]} is {str(y)[:80]}"
        if isinstance(x, dict) and set(x) != set(y):
            return f"{path}: {sorted(x)} is {sorted(y)}"
        if isinstance(x, list) and len(x) != len(y):
            return f"{path}: {len(x)} items are {len(y)}"
        if not isinstance(x, (dict, list)):
            return None if x == y else f"{path}: {x!r} is {y!r}"
        for key in x if isinstance(x, dict) else range(len(x)):
            found = self.difference(x[key], y[key], f"{path}/{key}")
            if found:
                return found
        return None

    def list_differences(self, key):
        """Objects of a list without a counterpart, whose place may be another."""
        before, after = (without_shapes(found[key], key) for found in (self.a, self.b))
        for item in before + after if key == "animations" else ():
            item["channels"].sort(key=lambda c: (c["targetPath"], str(c["targetNode"]),
                                                 c["sampler"]["interpolation"]))
        left = list(range(len(after)))
        for i, item in enumerate(before):
            found = [(k, self.difference(item, after[k], f"{key}/{i}"))
                     for k in sorted(left, key=lambda k: (k != i, k))]
            equal = next((k for k, what in found if not what), None)
            if equal is None:
                yield found[0][1] if found else f"{key}/{i} is missing"
            else:
                left.remove(equal)
        if len(after) > len(before):
            yield f"{len(before)} {key} are {len(after)}"

    def differences(self):
        for key in ("used", "required"):
            if set(self.a[key]) - PACKING != set(self.b[key]):
                yield f"extensions: {self.a[key]} are {self.b[key]}"
        for key in ("asset", "root", "extras"):
            found = self.difference(self.a[key], self.b[key], key)
            if found:
                yield found
        for key in LISTS:
            yield from self.list_differences(key)


class Transform(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def differences(self, models):
        """For each model, the differences to two generations of GLB; None: not readable."""
        files = []
        for i, model in enumerate(models):
            files += [model, self.folder / f"{i}_one.glb", self.folder / f"{i}_two.glb"]
            for source, target in zip(files[-3:], files[-2:]):
                keep.run("convert", "--embed", source, target)
        found = read(files)
        for was, one, two in zip(found[::3], found[1::3], found[2::3]):
            self.assertNotIn("error", {**one, **two})
            if "error" in was and any(name in was["error"] for name in UNREAD):
                print(f"{Path(was['file']).name}: {was['error']}")
                was = one
            self.assertNotIn("error", was)
            yield [line for after in (one, two) for line in Comparison(was, after).differences()]

    def test_models_with_something_at_every_place(self):
        for make in (keep.model, keep.forest, keep.gallery, keep.theater):
            b, gltf = make()
            # Numbers of an unknown extension may be indices: they are dropped, and named.
            for node in gltf["nodes"]:
                node.get("extensions", {}).pop("ACME_index", None)
            gltf["extensionsUsed"] = [n for n in gltf["extensionsUsed"] if n != "ACME_index"]
            keep.write(self.folder / "m.gltf", b, gltf)
            self.assertEqual([[]], list(self.differences([self.folder / "m.gltf"])))
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def test_a_difference_is_found(self):
        b, gltf = keep.forest()
        keep.write(self.folder / "a.gltf", b, gltf)
        gltf["animations"][0]["channels"][0]["target"]["node"] = 0
        gltf["nodes"][2]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["SCALE"] = 3
        keep.write(self.folder / "b.gltf", b, gltf)
        found = list(Comparison(*read([self.folder / f"{c}.gltf" for c in "ab"])).differences())
        self.assertEqual(["animations", "nodes"], [line.split("/")[0] for line in found])

    @unittest.skipUnless(keep.CORPUS, "TENON_CORPUS is not set")
    def test_sample_models(self):
        self.maxDiff = None
        files = keep.sample_models()
        self.assertGreater(len(files), 30)
        found = dict(zip((file.name for file in files), self.differences(files)))
        self.assertEqual({}, {name: lines for name, lines in found.items() if lines})


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP_STATUS)
    unittest.main()
