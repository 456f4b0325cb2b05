#!/usr/bin/env python3
"""test_fbx_programs.py: what Blender, Maya, 3ds Max, MotionBuilder and ZBrush do differently.

The files are fixtures that tools/make_fixtures_fbx.py makes. TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import struct
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "tools")]
from convert_help import ConvertingTest, gltf_of, tenon  # noqa: E402
from fbx_fixture_scenes import STRIP  # noqa: E402
from fbx_motion import Joint  # noqa: E402
from vectors import apply  # noqa: E402

POINTS = [tuple(STRIP[i:i + 3]) for i in range(0, len(STRIP), 3)]


class FbxPrograms(ConvertingTest):
    def load(self, program, *options):
        """The glTF of a fixture with its buffer, and its losses."""
        fixture = ROOT / "tests/fixtures/fbx" / (program + ".fbx")
        run = tenon("convert", "-f", fixture, self.folder / "a.glb", "--json", *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.gltf, self.data = gltf_of(self.folder / "a.glb")
        self.nodes = {node["name"]: node for node in self.gltf["nodes"]}
        self.lost = {loss["feature"]: loss["count"] for loss in json.loads(run.stdout)["losses"]}
        self.info = json.loads(tenon("info", "--json", fixture).stdout)
        self.facts = {fact["label"]: fact["text"] for fact in self.info["facts"]}
        run = tenon("convert", "-f", fixture, self.folder / "a.obj")
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = (self.folder / "a.obj").read_text().splitlines()
        self.places = {tuple(round(float(word), 5) + 0.0 for word in line.split()[1:4])
                       for line in lines if line.startswith("v ")}

    def numbers(self, index):
        accessor = self.gltf["accessors"][index]
        view = self.gltf["bufferViews"][accessor["bufferView"]]
        count = accessor["count"] * {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return struct.unpack_from("<%df" % count, self.data, start)

    def channel(self, name, path):
        """Times, values and the kind of a channel of the only clip."""
        clip, = self.gltf["animations"]
        for channel in clip["channels"]:
            target = channel["target"]
            if (self.gltf["nodes"][target["node"]]["name"], target["path"]) == (name, path):
                sampler = clip["samplers"][channel["sampler"]]
                return (self.numbers(sampler["input"]), self.numbers(sampler["output"]),
                        sampler.get("interpolation", "LINEAR"))
        self.fail(f"nothing moves the {path} of {name}")

    def check_places(self, matrix, unit, points=POINTS):
        wanted = {tuple(round(n * unit, 5) + 0.0 for n in apply(matrix, point))
                  for point in points}
        self.assertEqual(self.places, wanted)

    def test_blender(self):
        self.load("blender")
        self.assertEqual(self.facts["program"], "Blender (stable FBX IO) 4.4.0")
        # 4 m high, though it is 4 times 100 units of a centimeter.
        self.assertEqual(self.places, {(x, 0.0, -y + 0.0) for x, y, _ in POINTS})
        self.assertIn("high_end", self.nodes)
        self.assertEqual([clip["name"] for clip in self.gltf["animations"]], ["bend"])
        self.assertEqual(self.channel("strip", "weights")[1][-1], 1)
        target, = self.gltf["meshes"][0]["primitives"][0]["targets"]
        offsets = self.numbers(target["POSITION"])
        sizes = {round(max(map(abs, offsets[i:i + 3])), 4) for i in range(0, len(offsets), 3)}
        # A point moves half as far, since the vertex group of the shape has half of it.
        self.assertEqual(sizes, {0.0, 0.005, 0.01})
        self.assertNotIn("animations of properties", self.lost)

    def test_maya(self):
        self.load("maya")
        self.assertEqual(self.facts["program"], "Maya 2023")
        hip = Joint("hip", parts={"PreRotation": (0, 0, 90), "Lcl Scaling": (1, 2, 1)}, inherit=2)
        knee = Joint("knee", hip, parts={"PreRotation": (0, 0, -90),
                                         "Lcl Translation": (0, 3, 0)}, inherit=2)
        box = Joint("box", knee, parts={"RotationPivot": (1, 0, 0), "ScalingPivot": (1, 0, 0),
                                        "Lcl Rotation": (0, 0, 90)}, kind="Mesh")
        self.check_places(box.world(), 0.01)
        times, values, kind = self.channel("knee", "rotation")
        self.assertEqual((times[0], kind), (0, "STEP"))
        self.assertLess(abs(times[-1] - 4 / 24), 1e-6)
        self.assertEqual(len(set(values[3::4])), 3)

    def test_3ds_max(self):
        self.load("max")
        self.assertEqual(self.facts["unit"], "0.0254 m")
        self.assertEqual(self.facts["axes"], "+Z up, -Y front, right-handed")
        name = 'Straße "A:B::C"'
        self.assertIn(name, self.nodes)
        # Turned about Z by the offset of the object, twice as high and moved, then Z becomes up.
        self.assertEqual(self.places, {(round(-y * 0.0254, 5) + 0.0, 0.0254,
                                        round(-x * 0.0254, 5) + 0.0) for x, y, _ in POINTS})
        child = self.nodes["child"]
        self.assertAlmostEqual(child["translation"][0], 0.0254, 6)
        paint = self.gltf["materials"][0]["pbrMetallicRoughness"]
        self.assertEqual(paint["baseColorFactor"], [0, 0.5, 0, 1])
        self.assertAlmostEqual(paint["roughnessFactor"], 0.75, 6)
        self.assertEqual((self.lost["hidden edges"], self.lost["names"]), (1, 1))

    def test_motionbuilder(self):
        self.load("motionbuilder")
        self.assertEqual(self.facts["program"], "MotionBuilder 2019")
        self.assertNotIn("constraints", self.lost)
        self.assertEqual(len(self.gltf["animations"]), 1)
        times, values, _ = self.channel("Spine", "rotation")
        middle = min(range(len(times)), key=lambda k: abs(times[k] - 0.5))
        turned = values[4 * middle:4 * middle + 4]
        self.assertAlmostEqual(abs(turned[2]), 0.38268, 4)  # The sine of half of 45 degrees.
        self.assertEqual(sorted(self.nodes)[:2], ["Hips", "Spine"])

    def test_zbrush(self):
        self.load("zbrush")
        self.assertEqual(self.facts["program"],
                         "FBX SDK/FBX Plugins version 2017.1")
        self.assertEqual(self.lost["creases"], 1)
        self.assertNotIn("subdivision", self.lost)
        normals = self.gltf["meshes"][0]["primitives"][0]["attributes"]["NORMAL"]
        self.assertEqual(set(self.numbers(normals)), {0.0, 1.0})


if __name__ == "__main__":
    unittest.main()
