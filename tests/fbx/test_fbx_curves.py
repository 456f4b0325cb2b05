#!/usr/bin/env python3
"""test_fbx_curves.py: which curves of FBX files move what, and which move nothing in a scene.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import struct
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import Array, Int, Letter, Node, as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import FLAT, LINEAR, Scene, number, props  # noqa: E402

RAMP = [(0, 0, LINEAR, FLAT), (1, 100, LINEAR, FLAT)]
LOWER = [(0, 0, LINEAR, FLAT), (1, 50, LINEAR, FLAT)]
SQUARE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]


class FbxCurves(ConvertingTest):
    def setUp(self):
        super().setUp()
        self.scene = Scene()
        self.take = self.scene.take("move")
        self.base = self.scene.add("AnimationLayer", "base", "", [], "AnimLayer", self.take)

    def ends(self):
        """The last value of each channel by name of the node and path, from both encodings."""
        text = self.convert("a.fbx", as_text(self.scene.nodes()))
        gltf, data = self.convert("a.fbx", as_binary(self.scene.nodes()))
        self.assertEqual(text, (gltf, data))
        found = {}
        for animation in gltf.get("animations", []):
            for channel in animation["channels"]:
                output = gltf["accessors"][animation["samplers"][channel["sampler"]]["output"]]
                view = gltf["bufferViews"][output["bufferView"]]
                at = view.get("byteOffset", 0) + output.get("byteOffset", 0)
                numbers = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[output["type"]] * output["count"]
                target = channel["target"]
                each = 1 if output["type"] == "SCALAR" else numbers // output["count"]
                values = struct.unpack_from("<%df" % numbers, data, at)[-each:]
                name = gltf["nodes"][target["node"]]["name"], target["path"]
                found[name] = tuple(round(value, 5) for value in values)
        return found

    def losses(self):
        path = self.folder / "a.fbx"
        path.write_bytes(as_text(self.scene.nodes()))
        run = tenon("convert", path, self.folder / "b.glb", "--dry-run", "--json")
        return {loss["feature"]: (loss["count"], loss.get("path", ""))
                for loss in json.loads(run.stdout)["losses"]}

    # -- Several curves of one property

    def test_axes_may_be_in_separate_curve_nodes(self):
        box = self.scene.model("box", "Null")
        self.scene.track(self.base, box, "Lcl Translation", {"X": RAMP}, X=0)
        self.scene.track(self.base, box, "Lcl Translation", {"Y": LOWER}, Y=0)
        self.assertEqual(self.ends(), {("box", "translation"): (1, 0.5, 0)})
        self.assertNotIn("animation curves", self.losses())

    def test_the_first_of_several_curves_counts(self):
        box = self.scene.model("box", "Null")
        node = self.scene.track(self.base, box, "Lcl Translation", {"X": RAMP}, X=0, Y=0, Z=0)
        self.scene.link(self.scene.curve(LOWER), node, "d|X")
        self.scene.track(self.base, box, "Lcl Translation", {"X": LOWER, "Z": LOWER}, X=0, Z=0)
        self.assertEqual(self.ends(), {("box", "translation"): (1, 0, 0.5)})
        self.assertEqual(self.losses()["animation curves"][0], 2)

    # -- Blend shapes

    def shape(self, name="smile", percent=None):
        """A square with a shape; its geometry and its channel."""
        face = self.scene.model("face", "Mesh")
        square = self.scene.mesh(face, SQUARE, [0, 1, 2, -4])
        deformer = self.scene.add("Deformer", "", "BlendShape", [], parent=square)
        channel = self.scene.add("Deformer", name, "BlendShapeChannel", [
            Node("FullWeights", [Array("d", [100.0])])], "SubDeformer", deformer)
        self.scene.add("Geometry", name, "Shape", [
            Node("Indexes", [Array("i", [0])]), Node("Vertices", [Array("d", [0.0, 0.0, 1.0])])],
            parent=channel)
        return square, channel

    def test_a_property_of_the_geometry_moves_a_shape(self):
        square, _ = self.shape()
        self.scene.track(self.base, square, "smile", {"smile": RAMP})
        self.assertEqual(self.ends(), {("face", "weights"): (1,)})
        self.assertNotIn("animations of properties", self.losses())

    def test_the_percentage_of_a_shape_comes_before_the_property_of_the_geometry(self):
        square, channel = self.shape()
        self.scene.track(self.base, square, "smile", {"smile": RAMP})
        self.scene.track(self.base, channel, "DeformPercent", {"DeformPercent": LOWER})
        self.assertEqual(self.ends(), {("face", "weights"): (0.5,)})
        self.assertNotIn("animations of properties", self.losses())

    def test_shapes_inside_of_a_geometry_have_its_properties(self):
        face = self.scene.model("face", "Mesh")
        inside = Node("Shape", ["smile"], [Node("Indexes", [Array("i", [0])]),
                                           Node("Vertices", [Array("d", [0.0, 0.0, 1.0])])])
        square = self.scene.mesh(face, SQUARE, [0, 1, 2, -4],
                                 extra=[props(number("smile", 25)), inside])
        self.scene.track(self.base, square, "smile", {"smile": RAMP})
        self.assertEqual(self.ends(), {("face", "weights"): (1,)})
        gltf, _ = self.convert("a.fbx", as_text(self.scene.nodes()))
        self.assertEqual(gltf["meshes"][0]["weights"], [0.25])

    # -- What a scene does not have

    def test_other_animations_are_reported(self):
        lamp = self.scene.model("lamp", "Light")
        bulb = self.scene.add("NodeAttribute", "bulb", "Light", [props(number("Intensity", 100))],
                              parent=lamp)
        self.scene.track(self.base, bulb, "Intensity", {"Intensity": RAMP})
        self.scene.track(self.base, lamp, "health", {"health": RAMP})
        self.scene.track(self.base, lamp, "rust", {"rust": [(0, 1, LINEAR, FLAT)]})
        self.assertEqual(self.losses()["animations of properties"], (2, "lamp"))

    def test_endless_repetitions_end_somewhere(self):
        box = self.scene.model("box", "Null")
        node = self.scene.track(self.base, box, "Lcl Translation", {})
        beyond = [Node("Post-Extrapolation", [], [Node("Type", [Letter("R")]),
                                                  Node("Repetition", [Int(-1)])])]
        keys = [(0, 0, LINEAR, FLAT), (1e-6, 1, LINEAR, FLAT)]
        self.scene.link(self.scene.curve(keys, beyond), node, "d|X")
        self.assertIn("animations", self.losses())
        _, data = self.convert("a.fbx", as_binary(self.scene.nodes()))
        self.assertLess(len(data), 1 << 21)


if __name__ == "__main__":
    unittest.main()
