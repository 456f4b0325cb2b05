#!/usr/bin/env python3
"""test_fbx_meshes.py: what FBX files say about meshes and nodes besides their places.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import math
import struct
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import Array, Int, Node, as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import (IDENTITY, Scene, layer, number, prop, props, texture,  # noqa: E402
                                vector)

# A strip of three quads that is bent at x = 1 and at x = 2.
POINTS = [float(n) for x, z in ((0, 0), (1, 1), (2, 1), (3, 0)) for y in (0, 1) for n in (x, y, z)]
CORNERS = [0, 2, 3, -2, 2, 4, 5, -4, 4, 6, 7, -6]
SLANT = math.sqrt(0.5)
LEFT, MIDDLE, RIGHT = (-SLANT, 0, SLANT), (0, 0, 1), (SLANT, 0, SLANT)


def mean(*normals):
    summed = [sum(axis) for axis in zip(*normals)]
    length = math.sqrt(sum(n * n for n in summed))
    return tuple(n / length for n in summed)


class FbxMeshes(ConvertingTest):
    def numbers(self, glb, index):
        """The entries of an accessor of floats or short integers."""
        gltf, data = glb
        accessor = gltf["accessors"][index]
        view = gltf["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        letter = {5126: "f", 5123: "H", 5121: "B", 5125: "I"}[accessor["componentType"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        size = struct.calcsize("<%d%s" % (width, letter))
        stride = view.get("byteStride", size)
        return [struct.unpack_from("<%d%s" % (width, letter), data, start + k * stride)
                for k in range(accessor["count"])]

    def made(self, scene, *options):
        """The file as glTF, the same from both encodings."""
        text = self.convert("a.fbx", as_text(scene.nodes()), *options)
        binary = self.convert("a.fbx", as_binary(scene.nodes()), *options)
        self.assertEqual(text, binary)
        return text

    def losses(self, scene):
        path = self.folder / "a.fbx"
        path.write_bytes(as_text(scene.nodes()))
        run = tenon("convert", path, self.folder / "b.glb", "--dry-run", "--json")
        return {loss["feature"]: (loss["kind"], loss["count"])
                for loss in json.loads(run.stdout)["losses"]}

    # -- Normals

    def normals_at(self, scene):
        """For each place on the strip, x, the set of normals there."""
        glb = self.made(scene)
        attributes = glb[0]["meshes"][0]["primitives"][0]["attributes"]
        found = {}
        for place, normal in zip(self.numbers(glb, attributes["POSITION"]),
                                 self.numbers(glb, attributes["NORMAL"])):
            found.setdefault(round(100 * place[0]), set()).add(tuple(round(n, 5) for n in normal))
        return found

    def check_normals(self, layers, wanted):
        scene = Scene()
        scene.mesh(scene.model("strip", "Mesh"), POINTS, CORNERS, *layers)
        found = self.normals_at(scene)
        for x, normals in enumerate(wanted):
            self.assertEqual(found[x], {tuple(round(n, 5) + 0.0 for n in one) for one in normals})
        self.assertEqual(self.losses(scene)["normals"], ("synthesized", 1))

    def test_groups_of_polygons_are_smooth(self):
        for masks, wanted in (
                ((1, 1, 2), ({LEFT}, {mean(LEFT, MIDDLE)}, {MIDDLE, RIGHT}, {RIGHT})),
                ((0, 0, 0), ({LEFT}, {LEFT, MIDDLE}, {MIDDLE, RIGHT}, {RIGHT})),
                ((1, 3, -2 ** 31 + 2), ({LEFT}, {mean(LEFT, MIDDLE)}, {mean(MIDDLE, RIGHT)},
                                        {RIGHT}))):
            with self.subTest(masks):
                self.check_normals([layer("Smoothing", "ByPolygon",
                                          [("Smoothing", Array("i", list(masks)))])], wanted)

    def test_edges_are_hard_or_smooth(self):
        # Edges by the corner at which they start: from (1, 0) to (1, 1), and from (2, 0) to (2, 1).
        edges = Node("Edges", [Array("i", [1, 5, 0])])
        for marks, wanted in (
                ((1, 0, 0), ({LEFT}, {mean(LEFT, MIDDLE)}, {MIDDLE, RIGHT}, {RIGHT})),
                ((0, 1, 1), ({LEFT}, {LEFT, MIDDLE}, {mean(MIDDLE, RIGHT)}, {RIGHT}))):
            with self.subTest(marks):
                self.check_normals([edges, layer("Smoothing", "ByEdge", [
                    ("Smoothing", Array("i", list(marks)))])], wanted)

    def test_normals_of_the_file_are_kept(self):
        scene = Scene()
        scene.mesh(scene.model("strip", "Mesh"), POINTS, CORNERS,
                   layer("Normal", "AllSame", [("Normals", Array("d", [0.0, 1.0, 0.0]))]),
                   layer("Smoothing", "ByPolygon", [("Smoothing", Array("i", [1, 1, 1]))]))
        self.assertEqual(set.union(*self.normals_at(scene).values()), {(0, 1, 0)})
        self.assertNotIn("normals", self.losses(scene))

    # -- Edges and polygons

    def test_creases_hidden_edges_and_holes_are_reported(self):
        scene = Scene()
        scene.mesh(scene.model("strip", "Mesh"), POINTS, CORNERS,
                   Node("Edges", [Array("i", [1, 5, 0])]),
                   layer("EdgeCrease", "ByEdge", [("EdgeCrease", Array("d", [0.5, 0.0, 1.0]))]),
                   layer("VertexCrease", "ByVertice", [("VertexCrease", Array("d", [1.0]))]),
                   layer("Visibility", "ByEdge", [("Visibility", Array("i", [1, 0, 0]))]),
                   layer("Hole", "ByPolygon", [("Hole", Array("i", [0, 1, 0]))]))
        found = self.losses(scene)
        self.assertEqual(found["creases"], ("dropped", 3))
        self.assertEqual(found["hidden edges"], ("dropped", 2))
        self.assertEqual(found["faces"], ("dropped", 1))
        gltf, _ = self.made(scene)
        index = gltf["meshes"][0]["primitives"][0]["indices"]
        self.assertEqual(gltf["accessors"][index]["count"], 12)

    # -- Texture coordinates

    def painted(self, names, wanted):
        """A mesh with sets of these names, and a texture that uses one of them."""
        scene = Scene()
        strip = scene.model("strip", "Mesh")
        scene.mesh(strip, POINTS, CORNERS, *[
            Node("LayerElementUV", [Int(i)], [
                Node("Name", [name]), Node("MappingInformationType", ["AllSame"]),
                Node("ReferenceInformationType", ["Direct"]),
                Node("UV", [Array("d", [0.25 * i, 0.0])])]) for i, name in enumerate(names)])
        paint = scene.add("Material", "paint", "", [], parent=strip)
        texture(scene, "a.png", paint, "DiffuseColor", prop("UVSet", "KString", wanted))
        return scene

    def test_textures_use_sets_by_name(self):
        (self.folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
        for wanted, number_of in (("map1", 0), ("light", 1), ("default", 0), ("unknown", 0)):
            with self.subTest(wanted):
                gltf, _ = self.made(self.painted(("map1", "light"), wanted), "--textures", "refer")
                info = gltf["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
                self.assertEqual(info.get("texCoord", 0), number_of)

    def test_sets_at_different_places_are_reported(self):
        scene = self.painted(("map1", "light"), "light")
        other = scene.model("other", "Mesh")
        scene.mesh(other, POINTS, CORNERS, Node("LayerElementUV", [Int(0)], [
            Node("Name", ["light"]), Node("MappingInformationType", ["AllSame"]),
            Node("ReferenceInformationType", ["Direct"]), Node("UV", [Array("d", [0.0, 0.0])])]))
        paint = next(n.values[0] for n in scene.objects if n.name == "Material")
        scene.link(paint, other)
        self.assertEqual(self.losses(scene)["texture coordinates of textures"],
                         ("approximated", 1))

    # -- Skins

    def test_several_skins_of_a_mesh_move_it(self):
        for second, shares in (([4, 5, 6, 7], False), ([3, 4, 5, 6, 7], True)):
            with self.subTest(second):
                scene = Scene()
                bones = [scene.model(name, "LimbNode") for name in "ab"]
                mesh = scene.mesh(scene.model("strip", "Mesh"), POINTS, CORNERS)
                scene.skin(mesh, [(bones[0], [0, 1, 2, 3], [1.0] * 4, IDENTITY, IDENTITY)])
                scene.skin(mesh, [(bones[1], second, [1.0] * len(second), IDENTITY, IDENTITY)])
                glb = self.made(scene)
                attributes = glb[0]["meshes"][0]["primitives"][0]["attributes"]
                self.assertEqual(len(glb[0]["skins"][0]["joints"]), 2)
                for place, joints, weights in zip(
                        self.numbers(glb, attributes["POSITION"]),
                        self.numbers(glb, attributes["JOINTS_0"]),
                        self.numbers(glb, attributes["WEIGHTS_0"])):
                    used = {j for j, w in zip(joints, weights) if w > 0}
                    is_shared = shares and round(100 * place[0]) == 1 and place[1] > 0
                    self.assertEqual(used, {0, 1} if is_shared else {int(place[0] > 0.015)})
                self.assertEqual("skins" in self.losses(scene), shares)

    # -- Nodes

    def test_properties_of_users_become_extras(self):
        scene = Scene()
        node = scene.model("box", "Null", prop("health", "Integer", Int(7), flags="A+U"),
                           prop("tag", "KString", "left hand", flags="U"),
                           prop("tint", "Vector3D", 0.5, 0.25, 1.0, flags="AU"),
                           prop("hidden", "Compound", flags="U"), number("Size", 3.0))
        scene.add("NodeAttribute", "box", "Null", [props(prop("kind", "KString", "door",
                                                              flags="U"))], parent=node)
        gltf, _ = self.made(scene)
        self.assertEqual(gltf["nodes"][0]["extras"],
                         {"health": "7", "tag": "left hand", "tint": "0.5 0.25 1", "kind": "door"})

    def levels(self):
        scene = Scene()
        group = scene.model("group", "LodGroup")
        scene.add("NodeAttribute", "", "LodGroup", [props(
            prop("Thresholds|Level0", "Distance", 10.0, "cm"))], parent=group)
        for name in ("fine", "coarse"):
            scene.mesh(scene.model(name, "Mesh", parent=group), POINTS, CORNERS)
        scene.mesh(scene.model("alone", "Mesh"), POINTS, CORNERS)
        return scene

    def test_levels_of_detail_are_all_kept_with_their_numbers(self):
        gltf, _ = self.made(self.levels())
        extras = {node["name"]: node.get("extras") for node in gltf["nodes"]}
        self.assertEqual(extras, {"group": {"Thresholds|Level0": "10"}, "fine": {"lod": "0"},
                                  "coarse": {"lod": "1"}, "alone": None})
        self.assertEqual(self.losses(self.levels())["levels of detail"], ("approximated", 2))

    def test_one_level_of_detail_can_be_kept(self):
        for level, kept in (("0", "fine"), ("1", "coarse"), ("5", "coarse")):
            gltf, _ = self.made(self.levels(), "--lod", level)
            names = {node["name"] for node in gltf["nodes"] if "mesh" in node}
            self.assertEqual(names, {kept, "alone"})

    def test_left_handed_files_have_normals_outside(self):
        """The front of such a file is -Z."""
        scene = Scene(settings=[prop(name, "int", Int(value)) for name, value in
                                (("UpAxis", 1), ("UpAxisSign", 1), ("FrontAxis", 2),
                                 ("FrontAxisSign", -1), ("CoordAxis", 0), ("CoordAxisSign", 1))])
        scene.mesh(scene.model("strip", "Mesh", vector("Lcl Scaling", 1, 1, 1)), POINTS, CORNERS,
                   layer("Smoothing", "ByPolygon", [("Smoothing", Array("i", [0, 0, 0]))]))
        found = self.normals_at(scene)
        self.assertEqual(found[0], {(round(-SLANT, 5), 0, round(-SLANT, 5))})

    def test_the_last_of_equal_properties_counts(self):
        scene = Scene()
        scene.mesh(scene.model("strip", "Mesh", vector("Lcl Translation", 1, 2, 3),
                               vector("Lcl Translation", 4, 5, 6)), POINTS, CORNERS)
        gltf, _ = self.made(scene)
        self.assertEqual(gltf["nodes"][0]["translation"], [0.04, 0.05, 0.06])


if __name__ == "__main__":
    unittest.main()
