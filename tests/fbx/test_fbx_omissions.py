#!/usr/bin/env python3
"""test_fbx_omissions.py: what FBX files hold and the scene does not is reported by name.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools")]
from fbx_file import Array, Int, Name, Node, as_binary, as_text  # noqa: E402
from fbx_model import LINEAR, Curve, Joint, Model  # noqa: E402

TENON = os.environ.get("TENON", "build/release/tenon")
SLIDE = {"Lcl Translation": {0: Curve((0.0, 0, LINEAR), (1.0, 4, LINEAR))}}


class File:
    """A box below a node, to which a test adds something; `box` is the number of its model."""

    def __init__(self, curves=None, skin=False, **options):
        root = Joint("Root", None, curves=curves or {})
        joints = [root, Joint("Box", root, kind="Mesh")]
        if skin:
            bones = [Joint("A", None), Joint("B", None, parts={"Lcl Translation": (0, 4, 0)})]
            joints = bones + [Joint("Box", None, kind="Mesh", curves=curves or {})]
            skin = [(bones[0], [0.5] * 8), (bones[1], [0.5] * 8)]
        self.model = Model(joints, skin=skin or None, **options)
        self.tree = self.model.nodes()
        self.box = self.model.ids[id(joints[-1])]
        self.root = self.model.ids[id(joints[0])]
        self.geometry = self.find("Geometry")

    def find(self, kind, subtype=None):
        return next(n for n in self.model.objects
                    if n.name == kind and subtype in (None, n.values[2]))

    def add(self, kind, subtype, children=(), parent=None, prop=None, name=""):
        number = self.model.new_id()
        self.model.objects.append(Node(kind, [number, Name(name, kind), subtype], list(children)))
        if parent is not None:
            self.model.link(number, parent, prop)
        return number

    def animate(self, number, prop, *values):
        """A curve of that property, with a key each second, in the take."""
        node = self.add("AnimationCurveNode", "", parent=self.find("AnimationLayer").values[0])
        self.model.link(node, number, prop)
        curve = self.model.add_curve(Curve(*((float(k), v, LINEAR)
                                             for k, v in enumerate(values))))
        self.model.link(curve, node, "d|" + prop)


def setting(name, value):
    return Node("Properties70", [], [Node("P", [name, "Number", "", "A", value])])


def geometry(kind):
    file = File()
    curve = file.add("Model", kind, parent=0, name="Curve")
    file.add("Geometry", kind, [Node("Order", [Int(4)])], curve)
    return file


def cache(active):
    file = File()
    file.add("Deformer", "VertexCacheDeformer", [setting("Active", Int(active))],
             file.geometry.values[0])
    return file


def subdivision(smoothness, levels):
    file = File()
    file.geometry.children += [Node("Smoothness", [Int(smoothness)]),
                               Node("PreviewDivisionLevels", [Int(levels)]),
                               Node("RenderDivisionLevels", [Int(levels)])]
    return file


def holes(*marks):
    file = File()
    file.geometry.children.append(Node("LayerElementHole", [Int(0)], [
        Node("MappingInformationType", ["ByPolygon"]), Node("ReferenceInformationType", ["Direct"]),
        Node("Hole", [Array("i", list(marks))])]))
    return file


def constraint(kind, *children):
    file = File()
    file.add("Constraint", kind, [Node("Type", [kind]), *children], name="Pin")
    return file


def skinning(kind=None, mode=None, instances=1, curves=None):
    file = File(skin=True, curves=curves)
    if kind:
        file.find("Deformer", "Skin").children.append(Node("SkinningType", [kind]))
    if mode:
        file.find("Deformer", "Cluster").children.append(Node("Mode", [mode]))
    for _ in range(1, instances):
        file.model.link(file.geometry.values[0], file.add("Model", "Mesh", parent=0, name="Twin"))
    return file


def visibility(prop, *values):
    file = File()
    file.animate(file.root, prop, *values)
    return file


def tangents(flags, bias):
    """Three keys, the middle one of which has that."""
    file = File(curves={"Lcl Translation": {0: Curve((0.0, 0, LINEAR), (0.5, 4, flags, bias),
                                                     (1.0, 0, LINEAR))}})
    return file


def hidden(*children, layer=None):
    file = File()
    file.add("Model", "Mesh", children, parent=0, name="Ghost")
    file.model.link(file.geometry.values[0], file.model.next_id)
    if layer is not None:
        number = file.add("CollectionExclusive", "DisplayLayer", [setting("Show", Int(layer))])
        file.model.link(file.box, number)
    return file


def ticks(version, definition):
    file = File(curves=SLIDE)
    file.tree[0].children[0].values = [Int(version)]
    file.tree[0].children.append(Node("OtherFlags", [],
                                      [Node("TCDefinition", [Int(definition)])]))
    return file


class Omissions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, command, file, encode, *more):
        path = self.folder / "a.fbx"
        path.write_bytes(encode(file.tree))
        return subprocess.run([TENON, command, path, *more], capture_output=True, text=True)

    def losses(self, file, encode=as_text):
        """Kind, feature and first object of all that is reported."""
        run = self.run_tool("convert", file, encode, self.folder / "a.glb", "--dry-run", "--json")
        return [(loss["kind"], loss["feature"], loss.get("path", ""))
                for loss in json.loads(run.stdout)["losses"]]

    def omitted(self, file, encode=as_text):
        """What a comparison of the file with itself does not cover."""
        run = self.run_tool("verify", file, encode, self.folder / "a.fbx")
        lines = [line.split(None, 2)[2] for line in run.stdout.splitlines()
                 if line.startswith("  not read")]
        found = {(part[:part.index(" (")].strip(), int(part[part.index(" (") + 2:part.index(")")]))
                 for line in lines for part in line.split(",")}
        places = {feature: path for _, feature, path in self.losses(file, encode)}
        return sorted((feature, count, places.get(feature)) for feature, count in found)

    def check(self, file, *wanted):
        """What is omitted: features with the number of times, and the place of the first."""
        for encode in (as_text, as_binary):
            with self.subTest(wanted, encode=encode.__name__):
                self.assertEqual(self.omitted(file, encode), list(wanted))

    def test_plain_files_omit_nothing(self):
        self.check(File(curves=SLIDE))
        self.check(skinning())

    def test_geometry_that_is_not_read(self):
        self.check(geometry("NurbsCurve"), ("NURBS curves", 1, "Curve"))
        self.check(geometry("NurbsSurface"), ("NURBS surfaces", 1, "Curve"))
        self.check(geometry("Patch"), ("geometry", 1, "Curve"))

    def test_caches(self):
        self.check(cache(1), ("geometry caches", 1, "Box"))
        self.check(cache(0))

    def test_subdivision(self):
        self.check(subdivision(2, 1), ("subdivision", 1, "Box"))
        self.check(subdivision(0, 2))
        self.check(subdivision(2, 0))

    def test_holes_are_not_drawn(self):
        found = self.losses(holes(0, 0, 1, 0, 0, 0))
        self.assertIn(("dropped", "faces", "Box"), found)
        self.assertEqual(self.omitted(holes(0, 0, 1, 0, 0, 0)), [])
        found = self.losses(holes(0, 0, 0, 0, 0, 0))
        self.assertNotIn("faces", [feature for _, feature, _ in found])

    def test_constraints(self):
        self.check(constraint("Aim"), ("constraints", 1, "Pin"))
        self.check(constraint("Aim", setting("Active", Int(0))))
        self.check(constraint("Character"))
        self.check(constraint("Character", setting("Active", Int(1))), ("constraints", 1, "Pin"))

    def test_skinning(self):
        self.check(skinning("DualQuaternion"), ("dual quaternion skinning", 1, "Box"))
        self.check(skinning("Blend"), ("dual quaternion skinning", 1, "Box"))
        self.check(skinning("Linear"))
        self.check(skinning("Rigid"))
        self.check(skinning(mode="Additive"), ("additive skin clusters", 1, "Box"))
        self.check(skinning(instances=2))

    def test_motion_of_skinned_meshes(self):
        def held(value):
            return {"Lcl Translation": {0: Curve((0.0, value, LINEAR), (1.0, value, LINEAR))}}

        self.check(skinning(curves=SLIDE), ("motion of skinned meshes", 1, "Box"))
        self.check(skinning(curves=held(5)), ("motion of skinned meshes", 1, "Box"))
        # Some programs write curves for everything, also for what stays where it is.
        self.check(skinning(curves=held(0)))
        # In some programs the place of a skinned mesh has no effect.
        for program, wanted in (("3ds Max", ()), ("MotionBuilder", ()),
                                ("Maya", (("motion of skinned meshes", 1, "Box"),))):
            file = skinning(curves=SLIDE)
            file.tree[0].children.append(Node("SceneInfo", ["GlobalInfo", "UserData"], [
                Node("Properties70", [], [Node("P", ["Original|ApplicationName", "KString", "",
                                                     "", program])])]))
            self.check(file, *wanted)

    def test_animated_visibility(self):
        self.check(visibility("Visibility", 1, 0, 1), ("animations of visibility", 1, "Root"))
        self.check(visibility("Show", 1, 0), ("animations of visibility", 1, "Root"))
        self.check(visibility("Visibility", 1, 1))
        self.check(visibility("ColorIndex", 1, 0))

    def test_tangents_layers_and_ticks_are_read(self):
        self.check(tangents(0x208, 0.0))
        self.check(tangents(0x108, 20.0))
        self.check(File(curves=SLIDE, layers=2))
        self.check(ticks(1004, 0))

    def test_what_is_hidden_or_one_of_several_is_drawn(self):
        def features(file):
            return [[feature, path] for kind, feature, path in self.losses(file)
                    if feature in ("hidden nodes", "levels of detail")]
        self.assertEqual(features(hidden()), [])
        self.assertEqual(features(hidden(setting("Visibility", 0.0))), [["hidden nodes", "Ghost"]])
        self.assertEqual(features(hidden(setting("Show", Int(0)))), [["hidden nodes", "Ghost"]])
        self.assertEqual(features(hidden(layer=0)), [["hidden nodes", "Box"]])
        self.assertEqual(features(hidden(layer=1)), [])
        file = File()
        file.add("NodeAttribute", "LodGroup", parent=file.root)
        self.assertEqual(features(file), [])
        file.add("Model", "Null", parent=file.root, name="Far")
        self.assertEqual(features(file), [["levels of detail", "Root"]])


if __name__ == "__main__":
    unittest.main()
