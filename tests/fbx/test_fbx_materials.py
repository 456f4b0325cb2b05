#!/usr/bin/env python3
"""test_fbx_materials.py: materials and textures of the programs that write FBX.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import math
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import Array, Node, as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import (Scene, flag, layer, number, prop, props, texture,  # noqa: E402
                                vector)
from fbx_paint import pixels_of, png  # noqa: E402

SQUARE = [float(n) for n in (0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0)]


def color(name, *values):
    return prop(name, "ColorAndAlpha", *map(float, values))


class FbxMaterials(ConvertingTest):
    def scene(self, *properties, creator="tests", textures=()):
        """A square with one material; `textures` are (property, name of the file)."""
        scene = Scene(creator=creator)
        square = scene.model("square", "Mesh")
        scene.mesh(square, SQUARE, [0, 1, 2, -4],
                   layer("UV", "AllSame", [("UV", Array("d", [0.0, 0.0]))]),
                   layer("Normal", "AllSame", [("Normals", Array("d", [0.0, 0.0, 1.0]))]))
        self.paint = scene.add("Material", "paint", "", [props(*properties)], parent=square)
        for slot, name in textures:
            texture(scene, name, self.paint, slot)
            (self.folder / name).write_bytes(png(1, 2, 3))
        return scene

    def material(self, *properties, **more):
        scene = self.scene(*properties, **more)
        text, _ = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "refer")
        binary, _ = self.convert("a.fbx", as_binary(scene.nodes()), "--textures", "refer")
        self.assertEqual(text["materials"], binary["materials"])
        made = dict(text["materials"][0])
        surface = made.pop("pbrMetallicRoughness", {})
        self.images = [image["uri"] for image in text.get("images", [])]
        return {**surface, **made}

    def check(self, made, **wanted):
        """Numbers of a material are these, as precisely as floats are; None: it has none."""
        for key, value in wanted.items():
            found = made.get(key)
            if isinstance(value, (list, tuple)):
                self.assertEqual(len(found), len(value), (key, made))
                for a, b in zip(found, value):
                    self.assertAlmostEqual(a, b, 5, (key, made))
            elif isinstance(value, float):
                self.assertAlmostEqual(found, value, 5, (key, made))
            else:
                self.assertEqual(found, value, (key, made))

    def losses(self, scene):
        path = self.folder / "a.fbx"
        path.write_bytes(as_text(scene.nodes()))
        run = tenon("convert", path, self.folder / "b.glb", "--dry-run", "--json")
        return {loss["feature"]: loss["count"] for loss in json.loads(run.stdout)["losses"]}

    # -- Shaders

    def test_gltf_material_of_3ds_max(self):
        def gltf(mode, *more):
            start = "3dsMax|main|"
            return self.material(
                color(start + "baseColor", 0.1, 0.2, 0.3, 0.5), flag(start + "alphaMode", mode),
                number(start + "alphaCutoff", 0.25), number(start + "metalness", 0.75),
                number(start + "roughness", 0.125), flag(start + "DoubleSided", 1),
                color(start + "emissionColor", 0.5, 0.25, 0, 0),
                number("3dsMax|extension|clearcoat", 0.5), *more)
        self.check(gltf(1), baseColorFactor=[0.1, 0.2, 0.3, 0.5], metallicFactor=0.75,
                   roughnessFactor=0.125, doubleSided=True, emissiveFactor=[0.5, 0.25, 0])
        self.check(gltf(2), alphaMode="MASK", alphaCutoff=0.25)
        made = gltf(3, flag("3dsMax|extension|unlit", 1))
        self.assertEqual(made["alphaMode"], "BLEND")
        self.assertIn("KHR_materials_unlit", made["extensions"])
        self.assertEqual(made["extras"]["3dsMax|extension|clearcoat"], "0.5")

    def test_physical_material_of_3ds_max(self):
        start = "3dsMax|Parameters|"
        for inverted, roughness in ((0, 0.25), (1, 0.75)):
            made = self.material(
                number(start + "base_weight", 0.5), color(start + "base_color", 0.2, 0.4, 0.6, 0),
                number(start + "metalness", 1), number(start + "roughness", 0.25),
                flag(start + "roughness_inv", inverted), number(start + "emission", 0.5),
                color(start + "emit_color", 1, 0.5, 0, 1), number(start + "transparency", 0.25),
                number(start + "coating", 0.5))
            self.check(made, baseColorFactor=[0.1, 0.2, 0.3, 0.75], metallicFactor=None,
                       roughnessFactor=roughness, emissiveFactor=[0.5, 0.25, 0], alphaMode="BLEND")
            self.assertEqual(made["extras"][start + "coating"], "0.5")

    def test_pbr_materials_of_3ds_max(self):
        start = "3dsMax|main|"
        for use, roughness in ((1, 0.75), (2, 0.25)):
            self.check(self.material(
                color(start + "baseColor", 0.1, 0.2, 0.3, 0), number(start + "metalness", 0.5),
                number(start + "roughness", 0.25), flag(start + "useGlossiness", use)),
                baseColorFactor=[0.1, 0.2, 0.3, 1], metallicFactor=0.5, roughnessFactor=roughness)
        # A specular color as dark as that of dielectrics is no metal; a bright one is all metal.
        for diffuse, specular, base, metal in (
                ((0.5, 0.25, 0.125), (0.04,) * 3, (0.5, 0.25, 0.125), 0.0),
                ((0.0,) * 3, (0.75, 0.5, 0.25), (0.75, 0.5, 0.25), None)):
            self.check(self.material(
                color(start + "baseColor", *diffuse, 1), color(start + "Specular", *specular, 1),
                number(start + "glossiness", 0.25), flag(start + "useGlossiness", 1)),
                baseColorFactor=[*base, 1], metallicFactor=metal, roughnessFactor=0.75)

    def test_surfaces_of_maya(self):
        self.check(self.material(
            number("Maya|base", 0.5), prop("Maya|baseColor", "Vector3D", 0.2, 0.4, 0.6),
            number("Maya|metalness", 0.25), number("Maya|specularRoughness", 0.5),
            number("Maya|emission", 0.5), prop("Maya|emissionColor", "Vector3D", 1.0, 0.5, 0.0),
            prop("Maya|opacity", "Vector3D", 0.5, 0.5, 0.5)),
            baseColorFactor=[0.1, 0.2, 0.3, 0.5], metallicFactor=0.25, roughnessFactor=0.5,
            emissiveFactor=[0.5, 0.25, 0], alphaMode="BLEND")

    def test_arnold_in_3ds_max(self):
        start = "3dsMax|ai_standard_surface Parameters/Connections|"
        shader = [number(start + "base", 0.5), color(start + "base_color", 0.2, 0.4, 0.6, 1),
                  number(start + "metalness", 0.25), number(start + "specular_roughness", 0.5),
                  number(start + "emission", 0.5), color(start + "emission_color", 1, 0.5, 0, 1),
                  color(start + "opacity", 0.5, 0.5, 0.5, 1), number(start + "coat", 0.25)]
        made = self.material(*shader)
        self.check(made, baseColorFactor=[0.1, 0.2, 0.3, 0.5], metallicFactor=0.25,
                   roughnessFactor=0.5, emissiveFactor=[0.5, 0.25, 0], alphaMode="BLEND")
        self.assertEqual(made["extras"][start + "coat"], "0.25")
        made = self.material(*shader, textures=((start + "base_color.shader", "a.png"),))
        self.check(made, baseColorFactor=[0.5, 0.5, 0.5, 0.5])
        self.assertEqual(self.images, ["a.png"])

    def test_stingray(self):
        shader = [prop("Maya|base_color", "Vector3D", 0.2, 0.4, 0.6), number("Maya|metallic", 0.25),
                  number("Maya|roughness", 0.5), prop("Maya|emissive", "Vector3D", 1.0, 0.5, 0.0),
                  number("Maya|emissive_intensity", 0.5)]
        paints = (("Maya|TEX_color_map", "a.png"), ("Maya|TEX_normal_map", "n.png"))
        self.check(self.material(*shader), baseColorFactor=[0.2, 0.4, 0.6, 1], metallicFactor=0.25,
                   roughnessFactor=0.5, emissiveFactor=[0.5, 0.25, 0])
        made = self.material(*shader, number("Maya|use_color_map", 0),
                             number("Maya|use_normal_map", 1), textures=paints)
        self.check(made, baseColorFactor=[0.2, 0.4, 0.6, 1], baseColorTexture=None)
        self.assertEqual(self.images, ["n.png"])
        made = self.material(*shader, number("Maya|use_color_map", 1), textures=paints)
        self.check(made, baseColorFactor=None)
        self.assertEqual(self.images, ["a.png", "n.png"])

    def test_open_pbr(self):
        start = "Maya|"
        self.check(self.material(
            number(start + "base_weight", 0.5),
            prop(start + "base_color", "Vector3D", 0.2, 0.4, 0.6),
            number(start + "base_metalness", 0.25), number(start + "specular_roughness", 0.5),
            number(start + "emission_luminance", 500), number(start + "geometry_opacity", 0.5),
            prop(start + "emission_color", "Vector3D", 1.0, 0.5, 0.0)),
            baseColorFactor=[0.1, 0.2, 0.3, 0.5], metallicFactor=0.25, roughnessFactor=0.5,
            emissiveFactor=[0.5, 0.25, 0])

    def test_phong_and_the_surface_of_blender(self):
        phong = [prop("DiffuseColor", "Color", 0.2, 0.4, 0.6), number("DiffuseFactor", 0.5),
                 number("Shininess", 25), number("ReflectionFactor", 0.75),
                 number("TransparencyFactor", 0.25)]
        self.check(self.material(*phong), baseColorFactor=[0.1, 0.2, 0.3, 0.75], metallicFactor=0,
                   roughnessFactor=0.5)
        self.check(self.material(*phong, creator="Blender (stable FBX IO)"),
                   baseColorFactor=[0.1, 0.2, 0.3, 0.75], metallicFactor=0.75, roughnessFactor=0.5)

    # -- Textures

    def test_textures_take_the_place_of_colors(self):
        made = self.material(prop("DiffuseColor", "Color", 0.2, 0.4, 0.6),
                             number("DiffuseFactor", 0.5),
                             prop("EmissiveColor", "Color", 0.0, 0.0, 0.0),
                             textures=(("DiffuseColor", "a.png"), ("EmissiveColor", "b.png")))
        self.check(made, baseColorFactor=[0.5, 0.5, 0.5, 1], emissiveFactor=[1, 1, 1])
        self.assertEqual(self.images, ["a.png", "b.png"])

    def test_metalness_and_roughness_in_one_picture(self):
        shader = [prop("Maya|baseColor", "Vector3D", 1.0, 1.0, 1.0), number("Maya|metalness", 0.25),
                  number("Maya|specularRoughness", 0.5)]
        one = self.material(*shader, textures=(("Maya|metalness", "m.png"),
                                               ("Maya|specularRoughness", "m.png")))
        self.assertIn("metallicRoughnessTexture", one)
        self.check(one, metallicFactor=None, roughnessFactor=None)

    # -- Metalness and roughness in two pictures

    METAL = ("Maya|metalness", "metal.png")
    ROUGH = ("Maya|specularRoughness", "rough.png")

    def joined(self, *textures, properties=(), pictures=None):
        """The material, and the pixels of the picture that was made of those."""
        shader = [prop("Maya|baseColor", "Vector3D", 1.0, 1.0, 1.0), number("Maya|metalness", 0.25),
                  number("Maya|specularRoughness", 0.5), *properties]
        scene = self.scene(*shader, textures=textures)
        for name, data in (pictures or {}).items():
            (self.folder / name).write_bytes(data)
        gltf, blob = self.convert("a.fbx", as_binary(scene.nodes()), "--textures", "embed")
        made = gltf["materials"][0]
        surface = {**made.get("pbrMetallicRoughness", {}), **made}
        if "metallicRoughnessTexture" not in surface:
            return surface, None, self.losses(scene)
        picture = gltf["images"][gltf["textures"][
            surface["metallicRoughnessTexture"]["index"]]["source"]]
        view = gltf["bufferViews"][picture["bufferView"]]
        start = view.get("byteOffset", 0)
        return surface, pixels_of(blob[start:start + view["byteLength"]]), self.losses(scene)

    def test_metalness_and_roughness_become_one_picture(self):
        pictures = {"metal.png": png([10, 20, 30, 40], 1, 2, 2, 2),
                    "rough.png": png([200, 100], 7, 7, 1, 2)}
        made, pixels, losses = self.joined(self.METAL, self.ROUGH, pictures=pictures)
        self.assertEqual(pixels, (2, 2, [(255, 200, 10), (255, 200, 20), (255, 100, 30),
                                         (255, 100, 40)]))
        self.check(made, metallicFactor=None, roughnessFactor=None)
        self.assertEqual((losses["pictures"], losses.get("textures")), (1, None))

    def test_the_number_counts_where_a_picture_is_missing(self):
        made, pixels, _ = self.joined(self.ROUGH, pictures={"rough.png": png(90, 0, 0)})
        self.assertEqual(pixels, (1, 1, [(255, 90, 255)]))
        self.check(made, metallicFactor=0.25, roughnessFactor=None)
        made, pixels, _ = self.joined(self.METAL, pictures={"metal.png": png(90, 0, 0)})
        self.assertEqual(pixels, (1, 1, [(255, 255, 90)]))
        self.check(made, metallicFactor=None, roughnessFactor=0.5)

    def test_glossiness_becomes_roughness(self):
        start = "3dsMax|main|"
        for slot, *shader in (
                ("roughness_map", color(start + "base_color", 1, 1, 1, 1),
                 number(start + "metalness", 0), number(start + "roughness", 1),
                 flag(start + "roughness_inv", 1)),
                ("glossiness_map", color(start + "baseColor", 1, 1, 1, 1),
                 color(start + "Specular", 1, 1, 1, 1), number(start + "glossiness", 0),
                 flag(start + "useGlossiness", 1))):
            scene = self.scene(*shader, textures=((start + slot, "r.png"),))
            (self.folder / "r.png").write_bytes(png(55, 0, 0))
            gltf, blob = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "embed")
            view = gltf["bufferViews"][gltf["images"][0]["bufferView"]]
            at = view.get("byteOffset", 0)
            self.assertEqual(pixels_of(blob[at:at + view["byteLength"]])[2], [(255, 200, 255)])

    def test_color_and_opacity_become_one_picture(self):
        (self.folder / "clear.png").write_bytes(png([0, 100], 9, 9, 1, 2))
        (self.folder / "color.png").write_bytes(png([1, 2], [3, 4], 5, 2, 1))
        start = "3dsMax|main|"
        shader = [color(start + "baseColor", 0.5, 0.5, 0.5, 1), number(start + "metalness", 0),
                  number(start + "roughness", 1), flag(start + "useGlossiness", 2)]
        for textures, wanted, factor in (
                (((start + "base_color_map", "color.png"), (start + "opacity_map", "clear.png")),
                 [(1, 3, 5, 0), (2, 4, 5, 0), (1, 3, 5, 100), (2, 4, 5, 100)], None),
                (((start + "opacity_map", "clear.png"),),
                 [(255, 255, 255, 0), (255, 255, 255, 100)], [0.5, 0.5, 0.5, 1])):
            scene = self.scene(*shader)
            for slot, name in textures:
                texture(scene, name, self.paint, slot)
            gltf, blob = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "embed")
            made = gltf["materials"][0]
            self.assertEqual(made["alphaMode"], "BLEND")
            self.check(made["pbrMetallicRoughness"], baseColorFactor=factor)
            view = gltf["bufferViews"][gltf["images"][0]["bufferView"]]
            at = view.get("byteOffset", 0)
            self.assertEqual(pixels_of(blob[at:at + view["byteLength"]])[2], wanted)

    def test_pictures_that_cannot_be_joined_are_named(self):
        def check(scene_of):
            made, pixels, losses = scene_of
            self.assertIsNone(pixels)
            self.assertEqual(losses["textures"], 2)
            self.check(made, metallicFactor=0.25, roughnessFactor=0.5)
            self.assertEqual(made["extras"]["Maya|specularRoughness"], "rough.png")

        check(self.joined(self.METAL, self.ROUGH, pictures={"metal.png": png(1, 1, 1),
                                                            "rough.png": b"\x89PNG nothing"}))
        (self.folder / "rough.png").unlink()
        scene = self.scene(prop("Maya|baseColor", "Vector3D", 1.0, 1.0, 1.0),
                           number("Maya|metalness", 0.25), number("Maya|specularRoughness", 0.5),
                           textures=(self.METAL,))
        texture(scene, "rough.png", self.paint, "Maya|specularRoughness",
                vector("Scaling", 2, 2, 1))
        (self.folder / "rough.png").write_bytes(png(1, 1, 1))
        gltf, _ = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "embed")
        check(({**gltf["materials"][0], **gltf["materials"][0]["pbrMetallicRoughness"]}, None,
               self.losses(scene)))

    def test_opacity_is_the_alpha_of_the_color(self):
        same = self.material(textures=(("DiffuseColor", "a.png"), ("TransparentColor", "a.png")))
        self.assertEqual(same["alphaMode"], "BLEND")
        # In a picture of transparency white is opaque; the number next to it is not used.
        scene = self.scene(number("TransparencyFactor", 0.75), textures=(
            ("DiffuseColor", "a.png"), ("TransparentColor", "b.png")))
        (self.folder / "b.png").write_bytes(png(200, 9, 9))
        gltf, blob = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "embed")
        view = gltf["bufferViews"][gltf["images"][0]["bufferView"]]
        at = view.get("byteOffset", 0)
        self.assertEqual(pixels_of(blob[at:at + view["byteLength"]])[2], [(1, 2, 3, 200)])
        self.assertEqual(gltf["materials"][0]["alphaMode"], "BLEND")
        self.check(gltf["materials"][0]["pbrMetallicRoughness"], baseColorFactor=None)
        self.assertNotIn("textures", self.losses(scene))
        # One that cannot be read is named.
        other = (("DiffuseColor", "a.png"), ("TransparentColor", "b.jpg"))
        scene = self.scene(textures=other)
        (self.folder / "b.jpg").write_bytes(b"\xff\xd8\xff nothing")
        gltf, _ = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "refer")
        self.assertNotIn("alphaMode", gltf["materials"][0])
        self.assertEqual(gltf["materials"][0]["extras"]["TransparentColor"], "b.jpg")
        self.assertEqual(self.losses(scene)["textures"], 1)

    def test_layers_and_helpers_of_textures(self):
        scene = self.scene()
        layers = scene.add("LayeredTexture", "layers", "", [])
        scene.link(layers, self.paint, "DiffuseColor")
        scene.objects[-1].children = [Node("BlendModes", [Array("i", [5, 2, 30])]),
                                      Node("Alphas", [Array("d", [1.0, 0.5, 1.0])])]
        for name in ("below.png", "above.png", "top.png"):
            texture(scene, name, layers, None)
            (self.folder / name).write_bytes(png(1, 2, 3))
        # A texture of 3ds Max that passes another one on.
        helper = scene.add("Texture", "output", "", [])
        scene.link(helper, self.paint, "NormalMap")
        texture(scene, "normal.png", helper, "3dsMax|parameters|sourceMap")
        (self.folder / "normal.png").write_bytes(png(1, 2, 3))
        # A texture of another program in 3ds Max, whose file is a property.
        foreign = scene.add("Texture", "image", "", [props(prop(
            "3dsMax|ai_image Parameters/Connections|filename", "KString", "D:\\art\\glow.png"))])
        scene.link(foreign, self.paint, "EmissiveColor")
        (self.folder / "glow.png").write_bytes(png(1, 2, 3))
        gltf, _ = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "refer")
        self.assertEqual([image["uri"] for image in gltf["images"]],
                         ["below.png", "normal.png", "glow.png"])
        self.assertEqual(self.losses(scene)["layers of textures"], 2)
        extras = gltf["materials"][0]["extras"]
        self.assertEqual(extras["DiffuseColor|layer 1"], "above.png, multiply, 0.5")
        self.assertEqual(extras["DiffuseColor|layer 2"], "top.png, overlay")

    def test_places_and_edges_of_textures(self):
        scene = self.scene()
        texture(scene, "a.png", self.paint, "DiffuseColor", vector("Translation", 0.25, 0.5, 0),
                vector("Scaling", 2, 4, 1), flag("WrapModeU", 1))
        (self.folder / "a.png").write_bytes(png(1, 2, 3))
        gltf, _ = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "refer")
        info = gltf["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
        place = info["extensions"]["KHR_texture_transform"]
        # (u, v) becomes (2 u + 0.25, 4 v + 0.5), with v upwards there and downwards here.
        self.assertEqual((place["scale"], place["offset"]), ([2, 4], [0.25, -3.5]))
        self.assertEqual(gltf["samplers"][0]["wrapS"], 33071)
        self.assertEqual(gltf["samplers"][0].get("wrapT", 10497), 10497)

    def test_turned_textures(self):
        """Points go where the file says, with v upwards there and downwards in glTF."""
        def rotated(point, degrees):
            c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            return [c * point[0] - s * point[1], s * point[0] + c * point[1]]

        for move, size, turn, pivot, center, *swap in (
                # As Maya writes a turn by 45 degrees about the center of the picture.
                ((0.5, -0.207106781186548), (1, 1), 45, (0, 0), (0, 0)),
                ((0.25, 0.5), (2, 3), 30, (0.5, 0.5), (0, 0)),
                ((0, 0), (2, -1), -120, (0.25, 0.75), (0.5, 0.125)),
                ((0, 0), (4, 0.5), 0, (0, 0), (0.5, 0.5)),
                ((0, 0), (1, 1), 0, (0, 0), (0, 0), 1),
                ((0.25, 0.5), (2, -3), 30, (0.5, 0.25), (0.125, 1), 1)):
            scene = self.scene()
            texture(scene, "a.png", self.paint, "DiffuseColor", vector("Translation", *move, 0),
                    vector("Scaling", *size, 1), vector("Rotation", 0, 0, turn),
                    vector("TextureRotationPivot", *pivot, 0),
                    vector("TextureScalingPivot", *center, 0), *[flag("UVSwap", 1)] * len(swap))
            (self.folder / "a.png").write_bytes(png(1, 2, 3))
            gltf, _ = self.convert("a.fbx", as_text(scene.nodes()), "--textures", "refer")
            self.assertNotIn("rotations of textures", self.losses(scene))
            info = gltf["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
            place = info["extensions"]["KHR_texture_transform"]
            for u, v in ((0, 0), (1, 0), (0.3, 0.8)):
                scaled = [s * (p - q) + q - r
                          for p, s, q, r in zip((v, u) if swap else (u, v), size, center, pivot)]
                wanted = [a + b + c for a, b, c in zip(rotated(scaled, turn), pivot, move)]
                given = [n * s for n, s in zip((u, 1 - v), place.get("scale", (1, 1)))]
                # glTF turns the other way, since v points down.
                given = rotated(given, -math.degrees(place.get("rotation", 0)))
                given = [a + b for a, b in zip(given, place.get("offset", (0, 0)))]
                self.assertAlmostEqual(given[0], wanted[0], 5)
                self.assertAlmostEqual(1 - given[1], wanted[1], 5)

    def test_textures_turned_out_of_their_plane_are_reported(self):
        scene = self.scene()
        texture(scene, "a.png", self.paint, "DiffuseColor", vector("Rotation", 30, 0, 0))
        (self.folder / "a.png").write_bytes(png(1, 2, 3))
        self.assertEqual(self.losses(scene)["rotations of textures"], 1)

    def test_a_picture_may_be_stored_once_for_several_videos(self):
        scene = self.scene()
        for slot, content in (("DiffuseColor", []), ("EmissiveColor", [png(1, 2, 3)])):
            picture = scene.add("Texture", slot, "", [Node("FileName", ["C:\\art\\one.png"])])
            scene.link(picture, self.paint, slot)
            said = [Node("Filename", ["C:\\art\\one.png"]), Node("Content", content)]
            scene.link(scene.add("Video", slot, "Clip", said), picture)
        gltf, _ = self.convert("a.fbx", as_binary(scene.nodes()))
        self.assertEqual((len(gltf["images"]), len(gltf["textures"])), (1, 1))
        self.assertIn("bufferView", gltf["images"][0])

    def test_names_of_embedded_pictures_are_safe(self):
        for said in ("C:\\art\\..", "..", "../../up.png", "a\u0001b.png", "con.png", ".", "",
                     "x" * 300 + ".png", "a:b|c?.png", "-rf.png"):
            with self.subTest(said):
                scene = self.scene()
                picture = scene.add("Texture", "t", "", [Node("FileName", [said]),
                                                         Node("RelativeFilename", [said])])
                scene.link(picture, self.paint, "DiffuseColor")
                scene.link(scene.add("Video", "v", "Clip", [Node("Content", [png(1, 2, 3)])]),
                           picture)
                inner = self.folder / "in" / "ner"
                inner.mkdir(parents=True, exist_ok=True)
                (inner / "a.fbx").write_bytes(as_binary(scene.nodes()))
                run = tenon("convert", "-f", "--textures", "copy", inner / "a.fbx",
                            inner / "a.gltf")
                self.assertEqual(run.returncode, 0, run.stderr)
                made = {path.name for path in inner.iterdir()} - {"a.fbx", "a.gltf", "a.bin"}
                self.assertEqual(len(made), 1, made)
                self.assertRegex(made.pop(), r"^a_[A-Za-z0-9 ._-]{0,200}\.png$|^a\.png$")
                for path in inner.iterdir():
                    path.unlink()
                left = [path.name for path in self.folder.rglob("*") if path.is_file()]
                self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
