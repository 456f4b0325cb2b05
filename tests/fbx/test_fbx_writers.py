#!/usr/bin/env python3
"""test_fbx_writers.py: what some writers of FBX leave out, repeat, or put in another order.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import itertools
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import Array, Int, Node, as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import (FLAT, IDENTITY, LINEAR, Scene, flag, layer, number,  # noqa: E402
                                prop, props, vector)
from fbx_paint import png  # noqa: E402
from vectors import apply, multiply, rotation, translation  # noqa: E402

TRIANGLE = [0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 100.0, 0.0]
POINTS = [tuple(TRIANGLE[i:i + 3]) for i in (0, 3, 6)]
RISE = [(0, 0, LINEAR, FLAT), (1, 10, LINEAR, FLAT)]


class FbxWriters(ConvertingTest):
    def setUp(self):
        super().setUp()
        self.scene = Scene()

    def faces(self, nodes, *options):
        """The faces, lines and points of an OBJ file, in centimeters, from both encodings."""
        found = []
        for data in (as_text(nodes), as_binary(nodes)):
            path, obj = self.folder / "a.fbx", self.folder / "a.obj"
            path.write_bytes(data)
            run = tenon("convert", "-f", path, obj, *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            lines = [line.split() for line in obj.read_text().splitlines()]
            points = [[100 * float(word) for word in line[1:4]] for line in lines
                      if line[:1] == ["v"]]
            found.append([(line[0], [points[int(word.split("/")[0]) - 1] for word in line[1:]])
                          for line in lines if line[:1] in (["f"], ["l"], ["p"])])
        self.assertEqual(*found)
        return found[0]

    def check(self, wanted, *options, nodes=None):
        """The faces are these, each a kind and its points."""
        found = self.faces(nodes or self.scene.nodes(), *options)
        self.assertEqual([(kind, len(points)) for kind, points in found],
                         [(kind, len(points)) for kind, points in wanted])
        for (_, points), (_, others) in zip(found, wanted):
            for point, other in zip(points, others):
                for a, b in zip(point, other):
                    self.assertAlmostEqual(a, b, 3)

    def triangle(self, *properties, layers=(), corners=(0, 1, -3)):
        node = self.scene.model("triangle", "Mesh", *properties)
        return node, self.scene.mesh(node, TRIANGLE, list(corners), *layers)

    def losses(self):
        path = self.folder / "a.fbx"
        path.write_bytes(as_text(self.scene.nodes()))
        run = tenon("convert", path, self.folder / "b.glb", "--dry-run", "--json")
        return {loss["feature"]: loss["count"] for loss in json.loads(run.stdout)["losses"]}

    # -- Objects

    def test_every_system_of_axes(self):
        for up, front, right in itertools.permutations(range(3)):
            for signs in itertools.product((1, -1), repeat=3):
                axes = dict(zip(("UpAxis", "FrontAxis", "CoordAxis"), (up, front, right)))
                values = dict(zip(("UpAxisSign", "FrontAxisSign", "CoordAxisSign"), signs))
                self.scene = Scene(settings=[flag(*one) for one in {**axes, **values}.items()])
                self.triangle(vector("Lcl Translation", 10, 20, 30),
                              vector("Lcl Rotation", 10, 20, 30))
                placed = multiply(translation((10, 20, 30)), rotation((10, 20, 30)))
                moved = [apply(placed, point) for point in POINTS]
                moved = [(signs[2] * p[right], signs[0] * p[up], signs[1] * p[front])
                         for p in moved]
                # The order of three axes and their signs say which hand it is.
                odd = sum(a > b for a, b in itertools.combinations((right, up, front), 2)) % 2
                is_left = (signs[0] * signs[1] * signs[2] < 0) != bool(odd)
                first, *rest = moved
                wanted = [first, *reversed(rest)] if is_left else moved
                with self.subTest((up, front, right), signs=signs):
                    found = self.faces(self.scene.nodes())[0][1]
                    for point in wanted:
                        near = min(range(3), key=lambda i, p=point: sum(
                            (a - b) ** 2 for a, b in zip(found[i], p)))
                        for a, b in zip(found[near], point):
                            self.assertAlmostEqual(a, b, 3)
                    start = min(range(3), key=lambda i: sum(
                        (a - b) ** 2 for a, b in zip(found[i], wanted[0])))
                    for a, b in zip(found[(start + 1) % 3], wanted[1]):
                        self.assertAlmostEqual(a, b, 3)

    def test_repeated_connections_count_once(self):
        node, mesh = self.triangle()
        self.scene.link(mesh, node)
        self.check([("f", POINTS)])

    def test_a_class_may_have_several_lists_of_templates(self):
        turned = props(vector("PreRotation", 0, 0, 90), flag("RotationOrder", 5),
                       vector("Lcl Translation", 5, 0, 0))
        templates = [Node("ObjectType", ["Model"], [Node("Count", [Int(1)])]),
                     Node("ObjectType", ["Model"], [Node("PropertyTemplate", ["FbxNode"],
                                                         [turned])])]
        self.scene = Scene(templates=templates)
        self.triangle(vector("Lcl Rotation", 10, 20, 30))
        placed = multiply(translation((5, 0, 0)), rotation((0, 0, 90)),
                          rotation((10, 20, 30), "ZYX"))
        self.check([("f", [apply(placed, point) for point in POINTS])])

    def test_lights_do_not_have_the_template_of_cameras(self):
        self.scene = Scene(templates=[Node("ObjectType", ["NodeAttribute"], [
            Node("PropertyTemplate", ["FbxCamera"], [props(vector("Color", 0.5, 0.25, 1))])])])
        lamp = self.scene.model("lamp", "Light")
        self.scene.add("NodeAttribute", "lamp", "Light", [], parent=lamp)
        gltf, _ = self.convert("a.fbx", as_text(self.scene.nodes()))
        light = gltf["extensions"]["KHR_lights_punctual"]["lights"][0]
        self.assertEqual(light.get("color", [1, 1, 1]), [1, 1, 1])

    def test_cameras_of_the_viewer_are_no_content(self):
        self.triangle()
        for name in ("Producer Perspective", "eye"):
            node = self.scene.model(name, "Camera")
            self.scene.add("NodeAttribute", name, "Camera", [], parent=node)
        gltf, _ = self.convert("a.fbx", as_text(self.scene.nodes()))
        self.assertEqual([node["name"] for node in gltf["nodes"]], ["triangle", "eye"])

    def test_a_text_may_end_with_the_mark_of_dos(self):
        self.triangle()
        path, tree, copy = (self.folder / name for name in ("a.fbx", "a.json", "b.fbx"))
        path.write_bytes(as_text(self.scene.nodes()) + b"\x1a\0\0")
        self.assertEqual(tenon("check", path).returncode, 0)
        tree.write_text(tenon("dump", path).stdout)
        self.assertEqual(tenon("build", tree, copy).returncode, 0)
        self.assertEqual(copy.read_bytes(), path.read_bytes())
        path.write_bytes(as_text(self.scene.nodes()).replace(b"Objects", b"\0bjects"))
        run = tenon("check", path)
        self.assertEqual(run.returncode, 1)
        self.assertIn("NUL", run.stdout + run.stderr)

    # -- Meshes

    def test_a_mesh_may_not_say_that_it_is_one(self):
        self.triangle()
        self.scene.objects[-1].values[2] = ""
        self.check([("f", POINTS)])

    def test_corners_that_do_not_exist(self):
        for corners, kept in (((0, 1, 2), [("f", POINTS)]),
                              ((0, 1, -3, 0, 1, -4), [("f", POINTS)]),
                              ((0, 1, -3, -2 ** 31), [("f", POINTS)]),
                              ((0, 1, -3, 0, -2, -1), [("f", POINTS), ("l", POINTS[:2]),
                                                       ("p", POINTS[:1])])):
            with self.subTest(corners):
                self.scene = Scene()
                self.triangle(corners=corners)
                self.check(kept)

    def coordinates(self):
        gltf, data = self.convert("a.fbx", as_text(self.scene.nodes()))
        attributes = gltf["meshes"][0]["primitives"][0]["attributes"]
        return [[tuple(value) for value in self.vectors(gltf, data, attributes["TEXCOORD_%d" % i])]
                for i in range(2) if "TEXCOORD_%d" % i in attributes]

    @staticmethod
    def vectors(gltf, data, index):
        accessor = gltf["accessors"][index]
        view = gltf["bufferViews"][accessor["bufferView"]]
        at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", 8)
        return [memoryview(data)[at + i * step:at + i * step + 8].cast("f").tolist()
                for i in range(accessor["count"])]

    def test_sets_are_in_the_order_of_their_numbers(self):
        self.triangle(layers=[
            layer("UV", "AllSame", [("UV", Array("d", [0.5, 1.0]))], index=1),
            layer("UV", "AllSame", [("UV", Array("d", [0.25, 1.0]))], index=0)])
        self.assertEqual(self.coordinates(), [[(0.25, 0)] * 3, [(0.5, 0)] * 3])

    def test_polygons_may_mean_corners(self):
        self.triangle(layers=[layer("UV", "ByPolygon", [
            ("UV", Array("d", [0.0, 1.0, 0.25, 1.0, 0.5, 1.0]))])])
        self.assertEqual(self.coordinates(), [[(0, 0), (0.25, 0), (0.5, 0)]])

    def test_an_index_of_a_direct_layer_counts_if_it_is_needed(self):
        for numbers, wanted in (((0.0, 1.0, 0.5, 1.0), [(0.5, 0), (0, 0), (0.5, 0)]),
                                ((0.0, 1.0, 0.5, 1.0, 0.25, 1.0), [(0, 0), (0.5, 0), (0.25, 0)])):
            self.scene = Scene()
            made = layer("UV", "ByPolygonVertex", [("UV", Array("d", list(numbers))),
                                                   ("UVIndex", Array("i", [1, 0, 1]))])
            made.children[1].values = ["Direct"]
            self.triangle(layers=[made])
            self.assertEqual(self.coordinates(), [wanted])

    def test_a_model_may_have_a_material_twice(self):
        node, _ = self.triangle(corners=(0, 1, -3, 0, 1, -3), layers=[
            layer("Material", "ByPolygon", [("Materials", Array("i", [1, 2]))])])
        twice, once = (self.scene.add("Material", name, "", []) for name in ("twice", "once"))
        for paint in (twice, twice, once):
            self.scene.link(paint, node)
        gltf, _ = self.convert("a.fbx", as_text(self.scene.nodes()))
        self.assertEqual([part["material"] for part in gltf["meshes"][0]["primitives"]], [0, 1])

    def test_lines(self):
        node = self.scene.model("line", "Line", vector("Lcl Translation", 5, 0, 0))
        self.scene.add("Geometry", "", "Line", [
            Node("Points", [Array("d", TRIANGLE)]),
            Node("PointsIndex", [Array("i", [0, 1, -3, 2, -1])])], parent=node)
        a, b, c = [(x + 5, y, z) for x, y, z in POINTS]
        self.check([("l", [a, b]), ("l", [b, c]), ("l", [c, a])])

    def test_points_without_weights_stay(self):
        for move in (0, 3):
            self.scene = Scene()
            _, mesh = self.triangle(vector("Lcl Translation", 0, move, 0))
            bone = self.scene.model("bone", "LimbNode", vector("Lcl Translation", 7, 0, 0))
            bind = IDENTITY[:13] + [float(move)] + IDENTITY[14:]
            self.scene.skin(mesh, [(bone, [0], [0.25], bind, IDENTITY)])
            self.check([("f", [(7, move, 0), (100, move, 0), (0, 100 + move, 0)])])

    def test_a_skin_and_a_shape_and_a_geometric_transform(self):
        _, mesh = self.triangle(vector("GeometricTranslation", 0, 0, 5),
                                vector("GeometricScaling", 2, 2, 2))
        bone = self.scene.model("bone", "LimbNode", vector("Lcl Rotation", 0, 0, 90))
        self.scene.skin(mesh, [(bone, [0, 1, 2], [1.0] * 3, IDENTITY, IDENTITY)])
        shape = self.scene.add("Deformer", "", "BlendShape", [], parent=mesh)
        channel = self.scene.add("Deformer", "c", "BlendShapeChannel",
                                 [props(number("DeformPercent", 50))], "SubDeformer", shape)
        self.scene.add("Geometry", "t", "Shape", [
            Node("Indexes", [Array("i", [1])]), Node("Vertices", [Array("d", [0.0, 10.0, 0.0])])],
            parent=channel)
        self.check([("f", [(0, 0, 5), (-10, 200, 5), (-200, 0, 5)])])

    # -- Curves

    def moves(self, name, curves, lone=False, **defaults):
        node, _ = self.triangle(vector("Lcl Translation", 1, 2, 3))
        take = None if lone else self.scene.take("Take")
        base = self.scene.add("AnimationLayer", "Take", "", [], "AnimLayer", take)
        self.scene.track(base, node, name, curves, **defaults)

    def shifted(self, *by):
        return [("f", [tuple(a + b for a, b in zip(point, by)) for point in POINTS])]

    def test_curves_without_attributes_are_lines(self):
        self.moves("Lcl Translation", {"X": RISE}, Y=7)
        for item in self.scene.objects:
            if item.name == "AnimationCurve":
                item.children = [c for c in item.children if not c.name.startswith("KeyAttr")]
        self.check(self.shifted(5, 7, 3), "--clip", "Take", "--at", "0.5")

    def test_axes_may_have_no_prefix(self):
        self.moves("Lcl Translation", {"Y": RISE}, X=0, Z=0)
        for link in self.scene.links:
            if link.values[-1] == "d|Y":
                link.values[-1] = "Y"
        self.check(self.shifted(0, 5, 0), "--clip", "Take", "--at", "0.5")

    def test_a_layer_may_be_in_no_stack(self):
        self.moves("Lcl Translation", {"X": RISE}, lone=True, Y=0, Z=0)
        self.check(self.shifted(5, 0, 0), "--clip", "Take", "--at", "0.5")

    def test_pivots_may_move(self):
        node, _ = self.triangle(vector("Lcl Rotation", 0, 0, 90))
        base = self.scene.add("AnimationLayer", "Take", "", [], "AnimLayer",
                              self.scene.take("Take"))
        self.scene.track(base, node, "RotationPivot", {"X": RISE}, Y=0, Z=0)
        for time in (0, 0.25, 1):
            placed = multiply(translation((10 * time, 0, 0)), rotation((0, 0, 90)),
                              translation((-10 * time, 0, 0)))
            self.check([("f", [apply(placed, point) for point in POINTS])],
                       "--clip", "Take", "--at", time)

    # -- Textures

    def test_a_layered_texture_may_have_a_texture_twice(self):
        node, _ = self.triangle(layers=[layer("UV", "AllSame", [("UV", Array("d", [0.0, 0.0]))])])
        paint = self.scene.add("Material", "paint", "", [], parent=node)
        layers = self.scene.add("LayeredTexture", "layers", "", [
            Node("BlendModes", [Array("i", [5, 2])]), Node("Alphas", [Array("d", [1.0, 0.5])])])
        self.scene.link(layers, paint, "DiffuseColor")
        made = self.scene.add("Texture", "a", "", [props(prop("UVSet", "KString", "")),
                                                   Node("RelativeFilename", ["a.png"])])
        for _ in range(2):
            self.scene.link(made, layers)
        (self.folder / "a.png").write_bytes(png(1, 2, 3))
        gltf, _ = self.convert("a.fbx", as_text(self.scene.nodes()), "--textures", "refer")
        self.assertEqual(gltf["materials"][0]["extras"]["DiffuseColor|layer 1"],
                         "a.png, multiply, 0.5")


if __name__ == "__main__":
    unittest.main()
