#!/usr/bin/env python3
"""test_matrix.py: the sample model converts from every format to every other one, and back.

Every file that is written passes the checks of its engine, is written back byte for byte, is
the same twice, and poses as its source does. What differs after a round trip was reported.
"""
# SPDX-License-Identifier: MIT

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import conversions  # noqa: E402
from conversions import MOVING, ROOT, Conversion  # noqa: E402

FORMATS = ("bbmod", "gpb", "bmw", "cea", "cem", "bplx", "glb", "obj")
LIMIT = 1e-4

# Which losses explain a kind of difference: any whose feature has one of the words.
EXPLAINED = {
    "names": ("name", "node", "mesh", "skin", "clip", "scene"),
    "nodes": ("node", "joint", "bone", "parent"),
    "parents": ("node", "joint", "parent", "bone"),
    "transforms": ("node", "joint", "parent", "bone", "transform", "scale", "place"),
    "references": ("node", "joint", "mesh", "camera", "light", "skin", "name", "place"),
    "meshes": ("mesh", "part", "primitive"),
    "counts": ("mesh", "vert", "part", "weld", "normal", "triangle"),
    "bounds": ("mesh", "node", "place", "pose", "transform", "morph"),
    "triangles": ("mesh", "node", "place", "pose", "transform", "vert", "morph"),
    "windings": ("winding",),
    "assignments": ("mesh", "material", "texture", "specular"),  # Equal materials are one.
    "positions": ("mesh", "node", "place", "pose", "transform", "vert", "morph"),
    "normals": ("normal", "mesh", "pose", "node", "morph"),
    "tangents": ("tangent",),
    "texture coordinates": ("texture coordinate", "uv", "mesh"),
    "colors": ("color",),
    "weights": ("weight", "influence", "skin", "bone", "joint", "mesh"),
    "morph targets": ("morph", "clip", "animation", "weight"),
    "skins": ("skin", "joint", "bone", "node", "weight"),
    "joints": ("skin", "joint", "bone", "weight"),
    "inverse binds": ("skin", "joint", "bone", "bind", "scale", "weight"),
    "materials": ("material", "color", "metal", "shin", "specular", "alpha", "emissive", "texture",
                  "rough", "transparen", "sides"),
    "textures": ("texture", "picture", "material", "specular"),
    "images": ("texture", "picture", "image", "material"),
    "animations": ("clip", "animation", "duration", "key", "length", "rate"),
    "channels": ("channel", "key", "frame", "node", "parent", "joint", "animation", "clip", "scale",
                 "rate"),
    "events": ("event",),
    "cameras": ("camera",),
    "lights": ("light",),
    "extras": ("extra", "clip", "material", "shape"),
}


def place_sample(folder, name):
    """The crane in one format, with its sidecars, in a separate folder."""
    place = folder / name
    place.mkdir()
    for path in (ROOT / "samples").glob("crane*"):
        shutil.copy(path, place)
    if name == "obj":
        conversions.run("convert", "-q", place / "crane.glb", place / "crane.obj")
    return place / f"crane.{name}"


def differences(a, b):
    done = conversions.run("diff", "--json", a, b)
    return [json.loads(line) for line in done.stdout.splitlines()]


def unexplained(there, back):
    """The kinds of differences after a round trip that no report mentions."""
    reported = there.features() | back.features()
    kinds = {d["kind"] for d in differences(there.source, back.target)}
    kinds.discard("images")  # Their paths: copies were requested.
    return {kind for kind in kinds
            if not any(word in feature for word in EXPLAINED[kind] for feature in reported)}


class Matrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.files = {name: place_sample(cls.folder, name) for name in FORMATS}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def convert(self, source, target, back=""):
        # Beside the source's folder, so that pictures keep their places.
        place = self.folder / f"{source.parent.name}_{target}{back}"
        place.mkdir()
        conversion = Conversion(source, place / f"crane.{target}", "--textures", "copy")
        self.assertIsNone(conversion.why_not(), f"{source.name} to {target}")
        return conversion

    def check_file(self, target):
        self.assertIsNone(conversions.check_fault(target))
        self.assertIsNone(conversions.rewrite_fault(target))

    def check_again(self, conversion):
        place = self.folder / (conversion.target.parent.name + "_again")
        place.mkdir()
        again = Conversion(conversion.source, place / conversion.target.name, "--textures", "copy")
        self.assertIsNone(again.why_not())
        for path in sorted(place.iterdir()):
            first = conversion.target.parent / path.name
            self.assertEqual(path.read_bytes(), first.read_bytes(), path)

    def check_pair(self, source, target):
        there = self.convert(self.files[source], target)
        self.check_file(there.target)
        self.check_again(there)
        if {source, target} <= set(MOVING):
            self.assertIsNone(conversions.pose_fault(there, LIMIT))
            back = self.convert(there.target, source, "_back")
            self.assertEqual(unexplained(there, back), set(), f"{source} to {target} and back")


def add_tests():
    for source in FORMATS:
        for target in FORMATS:
            if source != target:
                def test(self, source=source, target=target):
                    self.check_pair(source, target)
                setattr(Matrix, f"test_{source}_to_{target}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
