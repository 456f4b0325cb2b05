#!/usr/bin/env python3
"""test_fbx_old.py: files before version 7: what models contain themselves, and the letters of keys.

The expected numbers are those of the formulas of the format, computed here. TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_paint import png  # noqa: E402

SECOND = 46186158000
IDENTITY = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
# A bone 2 above the origin, and the way there from a mesh at the origin.
RAISED = "1,0,0,0,0,1,0,0,0,0,1,0,0,2,0,1"
LOWERED = "1,0,0,0,0,1,0,0,0,0,1,0,0,-2,0,1"


def channel(name, *inside):
    return 'Channel: "%s" {\n%s\n}' % (name, "\n".join(inside))


def moves(letter, **keys):
    """The part of a transform with that letter: keys of axes, or a constant."""
    axes = [channel(axis, "Default: 0" if isinstance(given, str) else "Default: %g" % given,
                    given if isinstance(given, str) else "")
            for axis, given in keys.items()]
    return channel(letter, *axes)


def keys(*values, version=4005):
    return "KeyVer: %d\nKeyCount: 2\nKey: %s" % (version, ",".join(map(str, values)))


def bone(name, *inside, children=()):
    listed = "Children: " + ",".join('"Model::%s"' % child for child in children)
    return 'Model: "Model::%s" {\nVersion: 194\nType: "LimbNode"\n%s\n%s\n}' % (
        name, "\n".join(inside), listed if children else "")


def square(*inside):
    return '''Model: "Model::square" {
    Vertices: 0,0,0,2,0,0,2,4,0,0,4,0
    PolygonVertexIndex: 0,1,2,-4
    MaterialAssignation: "AllSame"
    Materials: 0
    GeometryUVInfo: {
        MappingInformationType: "ByPolygon"
        TextureUV: 0,0,1,0,1,1,0,1
        TextureUVVerticeIndex: 0,1,2,3
    }
    %s
}''' % "\n".join(inside)


def link(name, points, weights, bind, place):
    return '''Link: "Model::%s" {
        Mode: "Total1"
        Indexes: %s
        Weights: %s
        Transform: %s
        TransformLink: %s
    }''' % (name, points, weights, bind, place)


def take(*models):
    return '''Takes: {
    Current: "Take 001"
    Take: "Take 001" {
        LocalTime: 0,%d
        %s
    }
}''' % (SECOND, "\n".join(models))


def moving(name, *channels):
    return 'Model: "Model::%s" {\n%s\n}' % (name, "\n".join(channels))


class FbxOld(ConvertingTest):
    def file(self, *parts, version=5800):
        text = "; FBX %s project file\n" % ".".join(str(version)[:3])
        text += "FBXHeaderExtension: {\nFBXVersion: %d\n}\n" % version
        return (text + "\n".join(parts) + "\n").encode()

    def posed(self, data, seconds):
        """The vertices of an OBJ file at a time, in centimeters."""
        path, obj = self.folder / "a.fbx", self.folder / "a.obj"
        path.write_bytes(data)
        run = tenon("convert", "-f", path, obj, "--clip", "Take 001", "--at", seconds)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [tuple(round(100 * float(word), 4) + 0.0 for word in line.split()[1:4])
                for line in obj.read_text().splitlines() if line.startswith("v ")]

    def losses(self, data):
        path = self.folder / "a.fbx"
        path.write_bytes(data)
        run = tenon("convert", path, self.folder / "b.glb", "--dry-run", "--json")
        return {loss["feature"]: loss["count"] for loss in json.loads(run.stdout)["losses"]}

    # -- Inside of models

    def test_bones_inside_of_a_mesh_move_it(self):
        data = self.file(
            bone("low", channel("Transform", moves("T", X=0, Y=0, Z=0)), children=["high"]),
            bone("high", channel("Transform", moves("T", X=0, Y=2, Z=0))),
            square(link("low", "0,1,2", "1,1,0.25", IDENTITY, IDENTITY),
                   link("high", "2,3", "0.75,1", LOWERED, RAISED)),
            take(moving("high", channel("Transform", moves(
                "T", X=keys(0, 0, "L", SECOND, 4, "L"), Y=2, Z=0)))))
        self.assertEqual(self.posed(data, 0.5),
                         [(0, 0, 0), (2, 0, 0), (3.5, 4, 0), (2, 4, 0)])
        self.assertNotIn("connections", self.losses(data))
        lost = self.file(square(link("gone", "0", "1", IDENTITY, IDENTITY)))
        self.assertEqual(self.losses(lost)["connections"], 1)

    def test_materials_inside_of_models(self):
        wood = '''Material: "Material::wood" {
            ShadingModel: "phong"
            Diffuse: 0.25,0.5,0.75
            Emissive: 0.125,0,0
            Shininess: 25
            Alpha: 0.5
        }
        Texture: "Texture::grain" {
            FileName: "C:\\art\\grain.png"
        }'''
        (self.folder / "grain.png").write_bytes(png(1, 2, 3))
        other = square(wood).replace("Model::square", "Model::other")
        gltf, _ = self.convert("a.fbx", self.file(square(wood), other), "--textures", "refer")
        self.assertEqual(len(gltf["materials"]), 1)
        made = gltf["materials"][0]
        surface = made["pbrMetallicRoughness"]
        self.assertEqual(made["name"], "wood")
        self.assertEqual(made["emissiveFactor"], [0.125, 0, 0])
        self.assertEqual((surface["roughnessFactor"], surface["baseColorFactor"][3]), (0.5, 0.5))
        self.assertEqual(gltf["images"][0]["uri"], "grain.png")
        plain, _ = self.convert("a.fbx", self.file(square(wood.partition("Texture:")[0])))
        self.assertEqual(plain["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"],
                         [0.25, 0.5, 0.75, 0.5])

    def test_channels_of_shapes_have_an_ending(self):
        shape = '''Shape: "wide" {
            Indexes: 1,2
            Vertices: 2,0,0,2,0,0
            Normals: 0,0,0,0,0,0
        }'''
        for version, name in ((5800, "wide (Shape)"), (5800, "wide")):
            data = self.file(
                square(shape, channel(name, "Default: 25")),
                take(moving("square", channel(name, "Default: 0",
                                              keys(0, 0, "L", SECOND, 100, "L")))),
                version=version)
            self.assertEqual(self.posed(data, 0.5)[1], (3, 0, 0), name)
            gltf, _ = self.convert("a.fbx", data)
            self.assertEqual(gltf["meshes"][0]["weights"], [0.25])

    def test_cameras_and_lights_have_fields(self):
        lamp = '''Model: "Model::lamp" {
            Type: "Light"
            LightType: 2
            Intensity: 50
            Color: 1,0.5,0.25
            ConeAngle: 60
        }
        Model: "Model::eye" {
            Type: "Camera"
            AspectW: 320
            AspectH: 160
            Aperture: 40
            NearPlane: 5
            FarPlane: 500
        }'''
        gltf, _ = self.convert("a.fbx", self.file(lamp))
        light = gltf["extensions"]["KHR_lights_punctual"]["lights"][0]
        self.assertEqual((light["type"], light["color"], light["intensity"]),
                         ("spot", [1, 0.5, 0.25], 0.5))
        self.assertAlmostEqual(light["spot"]["outerConeAngle"], 0.5235988, 6)
        camera = gltf["cameras"][0]["perspective"]
        self.assertEqual((camera["aspectRatio"], camera["znear"], camera["zfar"]), (2, 0.05, 5))
        self.assertAlmostEqual(camera["yfov"], 0.6981317, 6)

    def test_transforms_that_only_takes_have_are_those_at_rest(self):
        here = channel("Transform", moves("T", X=1, Y=2, Z=3), moves("S", X=2, Y=2, Z=2))
        there = channel("Transform", moves("T", X=5, Y=5, Z=5))
        for takes in ((take(moving("square", here)), take(moving("square", there))),
                      (take(moving("square", there)).replace("Take 001", "Take 002"),
                       take(moving("square", here)))):
            joined = "Takes: {\n%s\n%s\n%s\n}" % ("Current: \"Take 001\"", *(
                one.partition("\n")[2].partition("\n")[2].rpartition("}")[0] for one in takes))
            gltf, _ = self.convert("a.fbx", self.file(square(), joined))
            self.assertEqual(gltf["nodes"][0]["translation"], [0.01, 0.02, 0.03])
            self.assertEqual(gltf["nodes"][0]["scale"], [2, 2, 2])
        gltf, _ = self.convert("a.fbx", self.file(square(there), take(moving("square", here))))
        self.assertEqual(gltf["nodes"][0]["translation"], [0.05, 0.05, 0.05])

    def test_textures_of_version_6_belong_to_the_materials_of_their_polygons(self):
        def layer(name, mapping, index, numbers):
            return '''%s: %d {
                MappingInformationType: "%s"
                ReferenceInformationType: "IndexToDirect"
                %s
            }''' % (name, index, mapping, numbers)

        def connect(*names):
            return "".join('Connect: "OO", "%s", "%s"\n' % pair for pair in names)

        def picture(name):
            (self.folder / (name + ".png")).write_bytes(png(1, 2, 3))
            return 'Texture: "Texture::%s", "" {\nRelativeFilename: "%s.png"\n}' % (name, name)

        model = '''Model: "Model::roof", "Mesh" {
            Vertices: 0,0,0,1,0,0,0,1,0,1,1,0
            PolygonVertexIndex: 0,1,-3,1,3,-3
            %s
        }''' % "\n".join((
            layer("LayerElementMaterial", "ByPolygon", 0, "Materials: 0,1"),
            layer("LayerElementUV", "AllSame", 0, "UV: 0,0"),
            layer("LayerElementEmissiveUV", "AllSame", 0, "UV: 0.5,0"),
            layer("LayerElementTexture", "ByPolygon", 0, "TextureId: 1,0"),
            layer("LayerElementTexture", "ByPolygon", 1, "TextureId: -1,2"),
            layer("LayerElementEmissive_Textures", "ByPolygon", 0, "TextureId: -1,2")))
        names = ("moss", "brick", "glow")
        objects = "Objects: {\n%s\n}" % "\n".join([model] + [picture(name) for name in names] + [
            'Material: "Material::%s", "" {\n}' % name for name in "ab"])
        links = "Connections: {\n%s}" % connect(
            ("Model::roof", "Model::Scene"), ("Material::a", "Model::roof"),
            ("Material::b", "Model::roof"),
            *(("Texture::" + name, "Model::roof") for name in names))
        gltf, _ = self.convert("a.fbx", self.file(objects, links, version=6100), "--textures",
                               "refer")

        def used(material, slot):
            info = {**material, **material["pbrMetallicRoughness"]}.get(slot)
            return info and gltf["images"][gltf["textures"][info["index"]]["source"]]["uri"]

        first, second = gltf["materials"]
        self.assertEqual((used(first, "baseColorTexture"), used(first, "emissiveTexture")),
                         ("brick.png", None))
        self.assertEqual((used(second, "baseColorTexture"), used(second, "emissiveTexture")),
                         ("moss.png", "glow.png"))
        self.assertEqual(second["extras"]["DiffuseColor|layer 1"], "glow.png")
        self.assertIn("TEXCOORD_1", gltf["meshes"][0]["primitives"][0]["attributes"])

    # -- Keys

    def test_models_may_have_keys_outside_of_takes(self):
        rise = channel("Transform", moves("T", X=keys(0, 0, "L", SECOND, 4, "L"), Y=2, Z=0))
        gltf, _ = self.convert("a.fbx", self.file(square(rise)))
        self.assertEqual([clip["name"] for clip in gltf["animations"]], ["Take"])
        # Those of takes come before them.
        data = self.file(square(rise), take(moving("square", channel("Transform", moves(
            "T", X=keys(0, 0, "L", SECOND, 8, "L"), Y=2, Z=0)))))
        self.assertEqual(self.posed(data, 0.5)[0], (4, 2, 0))
        gltf, _ = self.convert("a.fbx", data)
        self.assertEqual([clip["name"] for clip in gltf["animations"]], ["Take 001"])

    def at(self, *values, version=4005, seconds=0.5, file_version=6100):
        """The height at a time of a square with these keys."""
        written = keys(*values, version=version)
        if not version:
            written = written.partition("\n")[2]
        data = self.file(square(), take(moving("square", channel("Transform", moves(
            "T", X=0, Y=written, Z=0)))), version=min(file_version, 5800))
        self.assertNotIn("animation curves", self.losses(data), values)
        return self.posed(data, seconds)[0][1]

    def test_kinds_of_keys(self):
        def cubic(right, left, share_right=1 / 3, share_left=1 / 3):
            """Half of the way in time from 0 to 8 of a Bezier curve, by bisection."""
            low, high = 0.0, 1.0
            for _ in range(60):
                m = (low + high) / 2
                n = 1 - m
                x = 3 * n * n * m * share_right + 3 * n * m * m * (1 - share_left) + m ** 3
                low, high = (m, high) if x < 0.5 else (low, m)
            return round(3 * n * n * m * right * share_right +
                         3 * n * m * m * (8 - left * share_left) + 8 * m ** 3, 4)

        end = (SECOND, 8, "L")
        for values, version, wanted in (
                ((0, 0, "L", *end), 4005, 4),
                ((0, 0, "C", "s", *end), 4005, 0),
                ((0, 0, "C", "n", *end), 4005, 8),
                ((0, 0, "C", *end), 4003, 0),
                ((0, 0, "U", "s", 3, 6, "n", *end), 4005, cubic(3, 6)),
                ((0, 0, "U", "b", 3, 6, "c", *end), 4002, cubic(3, 6)),
                ((0, 0, "U", "s", 3, 6, *end), 4003, cubic(3, 6)),
                # Letters that the version of the keys should not have, or should.
                ((0, 0, "U", "s", 3, 6, *end), 4005, cubic(3, 6)),
                ((0, 0, "U", "b", 3, 6, "n", *end), 4003, cubic(3, 6)),
                ((0, 0, "U", "a", "n", SECOND, 8, "U", "a", "n"), 4001, 4),
                ((0, 0, "C", *end), 4005, 0),
                ((0, 0, "C", "n", *end), 4002, 8),
                ((0, 0, "U", "s", 3, 6, "a", 0.5, 0.25, *end), 4005, cubic(3, 6, 0.5, 0.25)),
                ((0, 0, "U", "s", 3, 6, "r", 0.5, *end), 4004, cubic(3, 6, 0.5)),
                ((0, 0, "U", "s", 3, 6, "l", 0.5, *end), 4005, cubic(3, 6, 1 / 3, 0.5)),
                # Automatic tangents are flat at the ends.
                ((0, 0, "U", "a", "n", SECOND, 8, "U", "a", "n"), 4005, 4),
                ((0, 0, "U", "a", SECOND, 8, "U", "a"), 4004, 4),
                ((0, 0, "U", "d", 1, "n", *end), 4005, cubic(0, 0)),
                ((0, 0, "U", "p", 1, 2, "n", "n", *end), 4005, cubic(0, 0)),
                ((0, 0, "U", "q", 1, 2, "n", *end), 4004, cubic(0, 0)),
                # Tension 1 is flat.
                ((0, 0, "U", "t", 1, 0, 0, SECOND, 8, "U", "t", 1, 0, 0), 4005, cubic(0, 0))):
            with self.subTest(values=values, version=version):
                self.assertAlmostEqual(self.at(*values, version=version), wanted, 3)

    def test_automatic_tangents_stay_between_their_neighbors(self):
        # A key on the way up: its slope is that from the key before it to the one after it.
        rising = (0, 0, "U", "a", "n", SECOND // 2, 2, "U", "a", "n", SECOND, 8, "U", "a", "n")
        half = 0.5
        before = 3 * 0.25 * half * (2 - 8 * half / 3) + half ** 3 * 2
        self.assertAlmostEqual(self.at(*rising, seconds=0.25), before, 3)
        # A peak is flat.
        peak = (0, 0, "U", "a", "n", SECOND // 2, 8, "U", "a", "n", SECOND, 0, "U", "a", "n")
        self.assertAlmostEqual(self.at(*peak, seconds=0.25), 4, 3)

    def test_the_version_of_a_file_is_that_of_its_keys(self):
        # From version 4004 on, constant keys have a second letter.
        self.assertAlmostEqual(self.at(0, 1, "C", SECOND, 8, "L", version=0, file_version=4050), 1)
        self.assertAlmostEqual(self.at(0, 1, "C", "n", SECOND, 8, "L", version=0,
                                       file_version=5800), 8)


if __name__ == "__main__":
    unittest.main()
