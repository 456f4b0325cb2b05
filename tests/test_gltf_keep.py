#!/usr/bin/env python3
"""test_gltf_keep.py: what glTF files say and scenes cannot hold is written again.

A model that has something at every place is converted to GLB, to text and back to GLB. The last two
GLBs must have the same bytes, and everything of the first, with indices that name the same objects.
Edits remove what they do not apply to, by name. With TENON_CORPUS, sample models, too, are stable.
"""
# SPDX-License-Identifier: MIT

import base64
import copy
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TENON = os.environ["TENON"]
CORPUS = Path(os.environ["TENON_CORPUS"]) if os.environ.get("TENON_CORPUS") else None
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AA"
                       "AAMBAQD3A0FDAAAAAElFTkSuQmCC")


def run(*words, status=0):
    result = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True)
    assert result.returncode == status, (words, result.returncode, result.stderr)
    return result.stderr


def load(path):
    """The JSON of a GLB or text file, and the binary chunk."""
    data = Path(path).read_bytes()
    if data[:4] != b"glTF":
        return json.loads(data), b""
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[28 + size:]


def convert_again(path):
    """The bytes of a GLB after it was text; as it is, it would only be copied."""
    text, two = path.with_suffix(".gltf"), path.with_name("two.glb")
    run("convert", path, text, "--force")
    run("convert", text, two, "--force", "--embed")
    return two.read_bytes()


def sample_models():
    return sorted([*CORPUS.glob("gltf/*.gl*"), *CORPUS.glob("gltf-extensions/*/*.gltf")])


class Buffer:
    def __init__(self):
        self.bytes, self.views, self.accessors = b"", [], []
    def view(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data
        return len(self.views) - 1

    def add(self, values, kind, code="f", **more):
        size = {"f": 5126, "b": 5120, "B": 5121, "H": 5123}[code]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[kind]
        rows = [values[i:i + width] for i in range(0, len(values), width)]
        data = struct.pack(f"<{len(values)}{code}", *values)
        self.accessors.append({"bufferView": self.view(data),
                               "componentType": size, "count": len(rows), "type": kind,
                               "min": [min(c) for c in zip(*rows)],
                               "max": [max(c) for c in zip(*rows)], **more})
        return len(self.accessors) - 1


def looks(here, picture):
    """Materials, textures and pictures, with such extras and such buffer views."""
    def clearcoat(texture):
        return {"KHR_materials_clearcoat": {
            "clearcoatFactor": 0.5,
            "clearcoatTexture": {"index": texture, "texCoord": 0, "extensions": {
                "KHR_texture_transform": {"offset": [0.25, 0]}}, **here}}}

    return {
        "materials": [
            {"name": "of the other", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
             "extensions": clearcoat(1), **here},
            {"name": "shown", "pbrMetallicRoughness": {
                "baseColorTexture": {"index": 1, **here, "extensions": {"ACME_plain": {}}}, **here},
             "extensions": {**clearcoat(2), "KHR_materials_unlit": {}}, **here},
            {"name": "variant", "emissiveFactor": [1, 0, 0], "normalTexture": {"index": 0}}],
        "textures": [{"name": "t0", "source": 0, "sampler": 1},
                     {"name": "t1", "source": 1, "sampler": 0, **here,
                      "extensions": {"EXT_texture_webp": {"source": 2}}},
                     {"name": "t2", "source": 2}],
        "samplers": [{"name": "near", "magFilter": 9728, "minFilter": 9728, "wrapS": 33071, **here},
                     {"name": "far", "minFilter": 9985}],
        "images": [{"name": f"i{i}", "mimeType": "image/png", "bufferView": picture[i], **here}
                   for i in range(3)]}


def model():
    """Something at every place. Objects that the scene does not have come first in their lists, so
    that the others get new indices."""
    b = Buffer()
    here = {"extras": {"list": [1, {"deep": None}], "word": "w", "number": 2.50, "flag": True}}
    positions = b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
    normals = b.add([0, 0, 1] * 3, "VEC3")
    uvs = b.add([0, 0, 1, 0, 0, 1], "VEC2")
    own = b.add([1, 2, 3, 4, 5, 6, 7, 8, 9], "VEC3", "B", name="own", **here)
    ids = b.add([7, 8, 9], "SCALAR", "H")
    times = b.add([0, 1], "SCALAR")
    moves = b.add([0, 0, 0, 0, 1, 0], "VEC3")
    colors = b.add([1, 0, 0, 1, 0, 1, 0, 1], "VEC4")
    table = b.view(bytes(range(12)))
    picture = [b.view(PNG), b.view(PNG + b"\0"), b.view(PNG + b"\0\0")]
    attributes = {"POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs}

    gltf = {
        "asset": {"version": "2.0", "generator": "Brush 3", "copyright": "2026 Someone",
                  "extensions": {"KHR_xmp_json_ld": {"packet": 0}}, **here},
        "extensionsUsed": ["KHR_xmp_json_ld", "KHR_materials_variants", "KHR_materials_clearcoat",
                           "ACME_plain", "ACME_index", "KHR_lights_punctual",
                           "KHR_texture_transform", "KHR_animation_pointer",
                           "EXT_structural_metadata", "KHR_materials_unlit", "EXT_texture_webp"],
        "extensionsRequired": ["KHR_materials_clearcoat"],
        "extensions": {
            "KHR_xmp_json_ld": {"packets": [{"@context": {"dc": "x"}, "dc:title": "t"}]},
            "KHR_materials_variants": {"variants": [{"name": "red", **here}, {"name": "blue"}]},
            "KHR_lights_punctual": {"lights": [{"type": "point", "name": "other"},
                                               {"type": "point", "name": "lamp", **here}]},
            "EXT_structural_metadata": {"schema": {"id": "s"}, "propertyTables": [
                {"class": "c", "count": 12, "properties": {"p": {"values": table}}}]},
            "ACME_plain": {"words": ["a"], "share": 0.5}},
        "extras": ["of", "the", "root"],
        "scene": 1,
        "scenes": [{"name": "first", "nodes": [0], **here}, {"name": "shown", "nodes": [1], **here},
                   {"name": "last", "nodes": [1, 3]}],
        "nodes": [
            {"name": "elsewhere", "mesh": 0, "children": [2], **here},
            {"name": "here", "mesh": 1, "extensions": {
                "KHR_lights_punctual": {"light": 1}, "ACME_plain": {"b": True},
                "ACME_index": {"node": 1}}, **here},
            {"name": "below", "camera": 0},
            {"name": "third", "extensions": {"KHR_lights_punctual": {"light": 0}}}],
        "cameras": [{"type": "perspective", "name": "eye",
                     "perspective": {"yfov": 1, "znear": 0.1, **here}, **here}],
        "meshes": [
            {"name": "unused here", **here,
             "primitives": [{"attributes": attributes, "material": 0}]},
            {"name": "shown", "primitives": [
                {"attributes": {**attributes, "_OWN": own, "_ID": ids}, "material": 1, **here,
                 "extensions": {"KHR_materials_variants": {
                     "mappings": [{"variants": [0], "material": 2},
                                  {"variants": [1], "material": 1}]}}}], **here}],
        "animations": [
            {"name": "only pointers", "channels": [
                {"sampler": 0, "target": {"path": "pointer", "extensions": {
                    "KHR_animation_pointer": {"pointer": "/materials/2/emissiveFactor"}}}}],
             "samplers": [{"input": times, "output": moves}], **here},
            {"name": "both", "channels": [
                {"sampler": 1, **here, "target": {"path": "pointer", "extensions": {
                    "KHR_animation_pointer": {
                        "pointer": "/materials/1/pbrMetallicRoughness/baseColorFactor"}}}},
                {"sampler": 0, "target": {"node": 1, "path": "translation", **here}, **here}],
             "samplers": [{"input": times, "output": moves},
                          {"input": times, "output": colors, "interpolation": "STEP"}], **here}],
        "accessors": b.accessors, "bufferViews": b.views}
    return b, {**gltf, **looks(here, picture)}


def webp(color, width, height):
    """A WebP file of one color (red, green, blue, alpha), lossless."""
    bits, count = 0, 0

    def put(value, size):
        nonlocal bits, count
        bits |= value << count
        count += size
    put(0x2f, 8)
    put(width - 1, 14)
    put(height - 1, 14)
    put(1, 1)  # It has alpha.
    put(0, 3 + 1 + 1 + 1)  # The version; no transforms, no color cache, no further codes.
    for symbol in (color[1], color[0], color[2], color[3]):
        put(0b101, 3)  # A code with one symbol, of 8 bits.
        put(symbol, 8)
    put(0b001, 3)  # Of distances: a symbol of one bit.
    put(0, 1)
    data = bits.to_bytes((count + 7) // 8, "little")
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def textured(name, mime, data):
    """A triangle whose texture has a picture only by an extension."""
    b = Buffer()
    attributes = {"POSITION": b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3"),
                  "TEXCOORD_0": b.add([0, 0, 1, 0, 0, 1], "VEC2")}
    return b, {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
               "extensionsUsed": [name], "extensionsRequired": [name],
               "meshes": [{"primitives": [{"attributes": attributes, "material": 0}]}],
               "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
               "textures": [{"extensions": {name: {"source": 0}}}],
               "images": [{"mimeType": mime, "bufferView": b.view(data), "name": "paint"}],
               "accessors": b.accessors, "bufferViews": b.views}


def forest():
    """Two nodes with instances of a mesh that morphs, the second below a node that moves; the first
    one's have numbers."""
    b = Buffer()
    positions = b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
    moves = b.add([0, 0, 1] * 3, "VEC3")
    numbers = b.add([7, 8, 9], "SCALAR", "H")
    places = b.add([0, 0, 0, 2, 0, 0, 4, 0, 0], "VEC3")
    turns = b.add([0, 0, 0, 127] + [90, 0, 0, 90] + [0, 127, 0, 0], "VEC4", "b", normalized=True)
    sizes = b.add([1, 1, 1, 2, 2, 2], "VEC3")
    times = b.add([0, 1], "SCALAR")
    return b, {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}],
        "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "nodes": [
            {"name": "trees", "mesh": 0, "weights": [0.25], "extensions": {
                "EXT_mesh_gpu_instancing": {
                    "attributes": {"_ID": numbers, "TRANSLATION": places, "ROTATION": turns},
                    "extras": {"kind": "oak"}}}},
            {"name": "ship", "children": [2], "translation": [0, 5, 0]},
            {"name": "masts", "mesh": 0, "scale": [1, 3, 1], "extensions": {
                "EXT_mesh_gpu_instancing": {"attributes": {"SCALE": sizes}}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions},
                                    "targets": [{"POSITION": moves}]}], "weights": [0.5]}],
        "animations": [{"name": "sail", "samplers": [{"input": times, "output": sizes}],
                        "channels": [{"sampler": 0,
                                      "target": {"node": 1, "path": "translation"}}]}],
        "accessors": b.accessors, "bufferViews": b.views}


def theater():
    """Hidden nodes with a mesh, a skin, instances and a light; one that blinks, and pointers."""
    b = Buffer()
    triangle = b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
    joints = b.add([0, 0, 0, 0] * 3, "VEC4", "B")
    weights = b.add([1, 0, 0, 0] * 3, "VEC4")
    places = b.add([0, 0, 0, 2, 0, 0], "VEC3")
    times = b.add([0, 1, 2], "SCALAR")
    visible = b.add([1, 0, 1], "SCALAR", "B")
    moves = b.add([0, 0, 0, 0, 1, 0, 0, 2, 0], "VEC3")

    def pointer(sampler, text):
        return {"sampler": sampler, "target": {"path": "pointer", "extensions": {
            "KHR_animation_pointer": {"pointer": text}}}}
    hidden = {"KHR_node_visibility": {"visible": False}}
    return b, {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [1, 6, 7, 8]}],
        "extensionsUsed": ["KHR_node_visibility", "KHR_lights_punctual", "KHR_animation_pointer",
                           "EXT_mesh_gpu_instancing"],
        "extensionsRequired": ["KHR_node_visibility"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "name": "lamp"}]}},
        "nodes": [
            {"name": "puppet", "mesh": 1, "skin": 0},
            {"name": "backstage", "mesh": 0, "children": [0, 2, 3, 4], "extensions": hidden},
            {"name": "spot", "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "crowd", "mesh": 0, "extensions": {
                "EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": places}}}},
            {"name": "eye", "camera": 0}, {"name": "bone"},
            {"name": "ghost", "mesh": 2, "scale": [1, 2, 1], "extensions": hidden},
            {"name": "actor", "mesh": 2}, {"name": "root", "children": [5]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
        "skins": [{"joints": [5]}],
        "meshes": [
            {"name": "chair", "primitives": [{"attributes": {"POSITION": triangle}}]},
            {"name": "puppet", "primitives": [{"attributes": {
                "POSITION": triangle, "JOINTS_0": joints, "WEIGHTS_0": weights}}]},
            {"name": "actor", "primitives": [{"attributes": {"POSITION": triangle}}]}],
        "animations": [
            {"name": "only visibility", "samplers": [
                {"input": times, "output": visible, "interpolation": "STEP"}],
             "channels": [pointer(0, "/nodes/6/extensions/KHR_node_visibility/visible")]},
            {"name": "play", "samplers": [
                {"input": times, "output": visible, "interpolation": "STEP"},
                {"input": times, "output": moves}],
             "channels": [pointer(0, "/nodes/6/extensions/KHR_node_visibility/visible"),
                          pointer(1, "/nodes/7/translation"),
                          {"sampler": 1, "target": {"node": 7, "path": "scale"}}]}],
        "accessors": b.accessors, "bufferViews": b.views}


def gallery():
    """Materials with extensions that are approximated elsewhere."""
    b = Buffer()
    attributes = {"POSITION": b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3"),
                  "NORMAL": b.add([0, 0, 1] * 3, "VEC3"),
                  "TEXCOORD_0": b.add([0, 0, 1, 0, 0, 1], "VEC2")}
    materials = [
        {"name": "gloss", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
         "extensions": {"KHR_materials_pbrSpecularGlossiness": {
             "diffuseFactor": [0.5, 0.25, 1, 1], "diffuseTexture": {"index": 1},
             "specularFactor": [0.5, 0.5, 0.25], "glossinessFactor": 0.5,
             "specularGlossinessTexture": {"index": 2}}}},
        {"name": "coated", "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.5},
         "extensions": {"KHR_materials_ior": {"ior": 3}, "KHR_materials_specular": {
             "specularFactor": 0.5, "specularColorFactor": [1, 0.5, 0]}}},
        {"name": "pane", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5]},
         "extensions": {"KHR_materials_transmission": {"transmissionFactor": 0.5}}},
        {"name": "frosted", "pbrMetallicRoughness": {"metallicFactor": 0},
         "extensions": {"KHR_materials_specular": {"specularFactor": 0}}},
        {"name": "metal", "extensions": {"KHR_materials_ior": {"ior": 2}}},
        {"name": "plain", "pbrMetallicRoughness": {"metallicFactor": 0},
         "extensions": {"KHR_materials_ior": {"ior": 1.5}}}]
    return b, {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "extensionsUsed": ["KHR_materials_pbrSpecularGlossiness", "KHR_materials_ior",
                           "KHR_materials_specular", "KHR_materials_transmission"],
        "meshes": [{"primitives": [{"attributes": attributes, "material": i}
                                   for i in range(len(materials))]}],
        "materials": materials, "textures": [{"source": i} for i in range(3)],
        "images": [{"mimeType": "image/png", "bufferView": b.view(PNG + b"\0" * i)}
                   for i in range(3)],
        "accessors": b.accessors, "bufferViews": b.views}


def write(path, b, gltf):
    gltf["buffers"] = [{"byteLength": len(b.bytes),
                        "uri": "data:application/octet-stream;base64," +
                        base64.b64encode(b.bytes).decode()}]
    Path(path).write_text(json.dumps(gltf))


def by_name(gltf, key):
    return {item.get("name"): item for item in gltf.get(key, [])}


class Keeping(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.maxDiff = 4000

    def convert(self, change=None, options=()):
        b, gltf = model()
        if change:
            change(gltf)
        write(self.folder / "in.gltf", b, copy.deepcopy(gltf))
        one = self.folder / "one.glb"
        report = run("convert", self.folder / "in.gltf", one, "--force", *options)
        out, data = load(one)
        return gltf, out, data, report

    def test_a_second_conversion_changes_nothing(self):
        self.convert()
        self.assertEqual((self.folder / "one.glb").read_bytes(),
                         convert_again(self.folder / "one.glb"))

    def test_every_object_is_there_with_what_it_says(self):
        was, out, _, report = self.convert()
        # Of the unknown extension with a number.
        self.assertEqual(report.count("dropped"), 1, report)
        self.assertIn("dropped: ACME_index (1)", report)
        self.assertEqual(out["asset"]["copyright"], was["asset"]["copyright"])
        self.assertTrue(out["asset"]["generator"].endswith(", from Brush 3"), out["asset"])
        self.assertEqual(out["asset"]["extensions"], was["asset"]["extensions"])
        for key in ("extras", "extensionsRequired"):
            self.assertEqual(out[key], was[key])
        self.assertEqual(out["extensionsUsed"],
                         [name for name in was["extensionsUsed"] if name != "ACME_index"])
        for key in ("KHR_xmp_json_ld", "KHR_materials_variants", "ACME_plain"):
            self.assertEqual(out["extensions"][key], was["extensions"][key])
        self.assertEqual([s["name"] for s in out["scenes"]], ["first", "shown", "last"])
        self.assertEqual(out["scene"], 1)
        for key in ("scenes", "nodes", "meshes", "materials", "textures", "samplers", "images",
                    "cameras", "animations"):
            before, after = by_name(was, key), by_name(out, key)
            self.assertEqual(set(before), set(after), key)
            for name, item in before.items():
                self.assertEqual(item.get("extras"), after[name].get("extras"), (key, name))

    def test_indices_name_the_same_objects(self):
        was, out, data, _ = self.convert()

        def name(key, index):
            return out[key][index]["name"]

        nodes, materials = by_name(out, "nodes"), by_name(out, "materials")
        self.assertEqual([name("nodes", i) for i in nodes["elsewhere"]["children"]], ["below"])
        self.assertEqual(name("cameras", nodes["below"]["camera"]), "eye")
        self.assertEqual(name("meshes", nodes["elsewhere"]["mesh"]), "unused here")
        self.assertEqual([[name("nodes", i) for i in s["nodes"]] for s in out["scenes"]],
                         [["elsewhere"], ["here"], ["here", "third"]])
        lights = out["extensions"]["KHR_lights_punctual"]["lights"]
        for node, light in (("here", "lamp"), ("third", "other")):
            index = nodes[node]["extensions"]["KHR_lights_punctual"]["light"]
            self.assertEqual(lights[index]["name"], light)
        self.assertNotIn("ACME_index", nodes["here"]["extensions"])
        primitive = by_name(out, "meshes")["shown"]["primitives"][0]
        mappings = primitive["extensions"]["KHR_materials_variants"]["mappings"]
        self.assertEqual([name("materials", m["material"]) for m in mappings], ["variant", "shown"])
        for material, texture in (("of the other", "t1"), ("shown", "t2")):
            coat = materials[material]["extensions"]["KHR_materials_clearcoat"]["clearcoatTexture"]
            self.assertEqual(name("textures", coat["index"]), texture)
            self.assertEqual(coat["extensions"], {"KHR_texture_transform": {"offset": [0.25, 0]}})
        base = materials["shown"]["pbrMetallicRoughness"]["baseColorTexture"]
        self.assertEqual(name("textures", base["index"]), "t1")
        self.assertEqual(base["extensions"], {"ACME_plain": {}})
        for texture, sampler in (("t0", "far"), ("t1", "near")):
            index = by_name(out, "textures")[texture]["sampler"]
            self.assertEqual(name("samplers", index), sampler)
        for i in range(3):
            self.assertEqual(name("images", by_name(out, "textures")[f"t{i}"]["source"]), f"i{i}")
        webp = by_name(out, "textures")["t1"]["extensions"]["EXT_texture_webp"]["source"]
        self.assertEqual(name("images", webp), "i2")
        pointers = sorted(channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"]
                          for animation in out["animations"] for channel in animation["channels"]
                          if channel["target"]["path"] == "pointer")
        index = {item["name"]: i for i, item in enumerate(out["materials"])}
        self.assertEqual(pointers, sorted([
            f"/materials/{index['variant']}/emissiveFactor",
            f"/materials/{index['shown']}/pbrMetallicRoughness/baseColorFactor"]))

        def elements(accessor, size):
            view = out["bufferViews"][accessor["bufferView"]]
            stride = view.get("byteStride", size)
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            return [data[start + i * stride:start + i * stride + size]
                    for i in range(accessor["count"])]

        own = out["accessors"][primitive["attributes"]["_OWN"]]
        self.assertEqual(own["extras"], was["accessors"][3]["extras"])
        self.assertEqual(elements(own, 3), [bytes([1, 2, 3]), bytes([4, 5, 6]), bytes([7, 8, 9])])
        ids = out["accessors"][primitive["attributes"]["_ID"]]
        self.assertEqual(elements(ids, 2), [struct.pack("<H", i) for i in (7, 8, 9)])
        table = out["extensions"]["EXT_structural_metadata"]["propertyTables"][0]["properties"]["p"]
        view = out["bufferViews"][table["values"]]
        self.assertEqual(data[view["byteOffset"]:][:12], bytes(range(12)))

    def test_what_is_copied_names_only_what_is_written(self):
        def change(gltf):
            # Both scenes have a mesh that has nothing to draw.
            gltf["nodes"][0]["mesh"] = gltf["nodes"][1]["mesh"] = 1
            gltf["meshes"][1]["primitives"][0]["mode"] = 4
            gltf["accessors"][0]["count"] = 2
            gltf["meshes"][1]["primitives"][0]["attributes"] = {"POSITION": 0}
        self.assertNotIn("mesh", by_name(self.convert(change)[1], "nodes")["elsewhere"])
        for drop, part in (("materials", "meshes"), ("textures", "materials")):
            out = self.convert(options=["--drop", drop])[1]
            self.assertNotIn("Texture" if drop == "textures" else '"material"',
                             json.dumps(out[part]))

    def test_marks_of_programs_stay(self):
        def change(gltf):
            gltf["extensionsUsed"] += ["GODOT_single_root", "ACME_mark",
                                       "KHR_draco_mesh_compression"]
            gltf["extensionsRequired"].append("GODOT_single_root")
        was, out, _, _ = self.convert(change)
        self.assertEqual(out["extensionsUsed"], [
            name for name in was["extensionsUsed"] if name not in ("ACME_index",
                                                                   "KHR_draco_mesh_compression")])
        self.assertEqual(out["extensionsRequired"], was["extensionsRequired"])

    def test_what_changes_nothing_stays(self):
        strengths = {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}
        moved = {"KHR_texture_transform": {"texCoord": 0, "extras": {"a": [1]}}}

        def change(gltf):
            gltf["extensionsUsed"].append("KHR_materials_emissive_strength")
            shown = gltf["materials"][1]
            del shown["extensions"]["KHR_materials_unlit"]
            shown["extensions"].update(strengths)
            shown["emissiveFactor"] = [0.75, 0.5, 0]
            shown["pbrMetallicRoughness"]["baseColorTexture"].update(texCoord=1, extensions=moved)
        _, out, _, _ = self.convert(change)
        shown = by_name(out, "materials")["shown"]
        self.assertEqual(shown["extensions"].keys(), {"KHR_materials_clearcoat", *strengths})
        self.assertEqual(shown["extensions"]["KHR_materials_emissive_strength"],
                         strengths["KHR_materials_emissive_strength"])
        self.assertEqual(shown["emissiveFactor"], [0.75, 0.5, 0])
        base = shown["pbrMetallicRoughness"]["baseColorTexture"]
        self.assertEqual((base["texCoord"], base["extensions"]), (1, moved))

    def test_an_index_that_stays_the_same_is_kept(self):
        def change(gltf):
            gltf["nodes"][1]["extensions"]["ACME_index"] = {"count": 1e6, "name": "1"}
        _, out, _, report = self.convert(change)
        self.assertNotIn("dropped", report)
        self.assertEqual(by_name(out, "nodes")["here"]["extensions"]["ACME_index"],
                         {"count": 1e6, "name": "1"})

    def test_edits_drop_what_they_do_not_apply_to(self):
        _, out, _, report = self.convert(options=["--scale", "2"])
        self.assertEqual([s["name"] for s in out["scenes"]], ["shown"])
        self.assertIn("unused objects and scenes (", report)
        self.assertIn("vertex attributes (2)", report)
        self.assertNotIn("_OWN", json.dumps(out))
        self.assertIn("KHR_materials_clearcoat", json.dumps(out["materials"]))
        _, out, _, report = self.convert(options=["--drop", "materials"])
        self.assertIn("dropped: KHR_materials_variants (1):\n  it refers to what is not written",
                      report)
        self.assertNotIn("materials", out)
        _, out, _, report = self.convert(options=["--drop", "textures"])
        self.assertIn("dropped: KHR_materials_clearcoat (", report)
        self.assertNotIn("textures", out)
        self.assertIn("variant", by_name(out, "materials"))
        _, out, _, report = self.convert(options=["--drop", "clips"])
        self.assertNotIn("animations", out)
        self.assertIn("dropped: channels (1)", report)

    def test_other_formats_report_what_they_lose(self):
        report = run("convert", self.write_plain(), self.folder / "m.bbmod")
        for lost in ("KHR_materials_clearcoat (1)", "scenes (2)", "copyright (1)", "channels (2)",
                     "filters of textures (1)", "vertex attributes (2)"):
            self.assertIn("dropped: " + lost, report)

    def write_plain(self):
        b, gltf = model()
        write(self.folder / "m.gltf", b, gltf)
        return self.folder / "m.gltf"

    def test_damage_in_what_is_only_kept_does_not_matter(self):
        def change(gltf):
            gltf["accessors"][3]["count"] = 1000
            gltf["images"][2]["bufferView"] = 99
            gltf["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = 77
        _, out, _, report = self.convert(change)
        self.assertIn("dropped", report)
        self.assertNotIn("unused here", json.dumps(out["meshes"]))

    def test_pictures_of_extensions_are_kept_and_converted(self):
        picture = webp((10, 200, 30, 255), 3, 2)
        b, gltf = textured("EXT_texture_webp", "image/webp", picture)
        write(self.folder / "m.gltf", b, gltf)
        run("convert", self.folder / "m.gltf", self.folder / "m.glb")
        out, data = load(self.folder / "m.glb")
        self.assertEqual(out["textures"], gltf["textures"])
        self.assertEqual(out["extensionsRequired"], ["EXT_texture_webp"])
        view = out["bufferViews"][out["images"][0]["bufferView"]]
        self.assertEqual(data[view["byteOffset"]:][:view["byteLength"]], picture)
        report = run("convert", self.folder / "m.gltf", self.folder / "m.bbmod",
                     "--textures", "copy")
        if "libwebp" not in report and "cannot be converted" not in report:
            png = (self.folder / "m_paint.png").read_bytes()
            self.assertEqual(struct.unpack_from(">II", png, 16), (3, 2))
            self.assertNotIn("dropped: textures", report)

    def test_ktx2_is_kept_and_reported(self):
        picture = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(100)
        b, gltf = textured("KHR_texture_basisu", "image/ktx2", picture)
        write(self.folder / "m.gltf", b, gltf)
        run("convert", self.folder / "m.gltf", self.folder / "m.glb")
        out, data = load(self.folder / "m.glb")
        self.assertEqual(out["textures"], gltf["textures"])
        self.assertIn(picture, data)
        report = run("convert", self.folder / "m.gltf", self.folder / "m.bbmod")
        self.assertIn("a KTX2 picture: convert it to PNG first", report)

    def test_instances_stay_instances(self):
        b, gltf = forest()
        write(self.folder / "m.gltf", b, copy.deepcopy(gltf))
        report = run("convert", "--verify", self.folder / "m.gltf", self.folder / "m.glb")
        self.assertNotIn("synthesized", report)
        out, data = load(self.folder / "m.glb")
        self.assertEqual([n.get("name") for n in out["nodes"]], ["trees", "ship", "masts"])
        self.assertEqual(out["nodes"][0]["weights"], [0.25])

        def values(accessor, code):
            a = out["accessors"][accessor]
            size = struct.calcsize(code) * {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
            at = out["bufferViews"][a["bufferView"]].get("byteOffset", 0) + a.get("byteOffset", 0)
            row = f"<{size // struct.calcsize(code)}{code}"
            return [struct.unpack_from(row, data, at + i * size) for i in range(a["count"])]

        first, second = (out["nodes"][i]["extensions"]["EXT_mesh_gpu_instancing"] for i in (0, 2))
        self.assertEqual(list(first["attributes"]), ["_ID", "TRANSLATION", "ROTATION"])
        self.assertEqual(first["extras"], {"kind": "oak"})
        self.assertEqual(values(first["attributes"]["_ID"], "H"), [(7,), (8,), (9,)])
        self.assertEqual(values(first["attributes"]["TRANSLATION"], "f"),
                         [(0, 0, 0), (2, 0, 0), (4, 0, 0)])
        self.assertAlmostEqual(values(first["attributes"]["ROTATION"], "f")[1][0], 0.5 ** 0.5)
        self.assertEqual(list(second["attributes"]), ["SCALE"])
        self.assertEqual(values(second["attributes"]["SCALE"], "f"), [(1, 1, 1), (2, 2, 2)])
        self.assertEqual((self.folder / "m.glb").read_bytes(),
                         convert_again(self.folder / "m.glb"))

    def test_instances_become_nodes_where_nodes_change(self):
        b, gltf = forest()
        write(self.folder / "m.gltf", b, gltf)
        for option, names in (("--up=z", ["trees", "ship", "masts"]),
                              ("--node=masts", ["ship", "masts"]),
                              ("--join=nodes", ["ship"] + ["trees"] * 3 + ["masts"] * 2)):
            report = run("convert", option, "--verify", self.folder / "m.gltf", "--force",
                         self.folder / "m.glb")
            out = load(self.folder / "m.glb")[0]
            self.assertEqual([n.get("name") for n in out["nodes"]], names, option)
            self.assertEqual("EXT_mesh_gpu_instancing" in json.dumps(out), option != "--join=nodes")
            self.assertEqual("dropped: EXT_mesh_gpu_instancing (2)" in report,
                             option == "--join=nodes", report)

    def test_hidden_nodes_stay_and_pointers_move(self):
        b, gltf = theater()
        write(self.folder / "m.gltf", b, copy.deepcopy(gltf))
        report = run("convert", "--verify", self.folder / "m.gltf", self.folder / "m.glb")
        self.assertNotIn("dropped", report)
        self.assertIn("verified: at most 0 of the diagonal off, at rest and in 2 clips", report)
        out = load(self.folder / "m.glb")[0]
        for key in ("extensionsUsed", "extensionsRequired", "extensions"):
            self.assertEqual(out[key], gltf[key])
        before, after = by_name(gltf, "nodes"), by_name(out, "nodes")
        self.assertEqual(before.keys(), after.keys())
        for name, node in before.items():
            self.assertEqual("extensions" in node, "extensions" in after[name], name)
            self.assertEqual(node.get("scale"), after[name].get("scale"))
            mesh = after[name].get("mesh")
            self.assertEqual(None if mesh is None else out["meshes"][mesh]["name"],
                             {"puppet": "puppet", "backstage": "chair", "crowd": "chair",
                              "ghost": "actor", "actor": "actor"}.get(name))
        self.assertEqual(after["puppet"]["skin"], 0)
        names = [n["name"] for n in out["nodes"]]
        self.assertEqual(names[out["skins"][0]["joints"][0]], "bone")
        targets = sorted(str(c["target"]) for a in out["animations"] for c in a["channels"])
        for pointer in (f"/nodes/{names.index('ghost')}/extensions/KHR_node_visibility/visible",
                        f"/nodes/{names.index('actor')}/translation"):
            self.assertTrue(any(pointer in target for target in targets), targets)
        self.assertEqual(len(targets), 4)
        self.assertEqual((self.folder / "m.glb").read_bytes(),
                         convert_again(self.folder / "m.glb"))

    def test_hidden_nodes_are_hidden_elsewhere(self):
        b, gltf = theater()
        write(self.folder / "m.gltf", b, gltf)
        report = run("convert", "--verify", self.folder / "m.gltf", self.folder / "m.gpb")
        self.assertIn("dropped: hidden nodes (3)", report)
        self.assertIn("approximated: visibility of nodes (2)", report)
        self.assertIn("verified: at most 0 of the diagonal off, at rest and in 2 clips", report)
        # Without clips, what is hidden at first is.
        report = run("convert", "--verify", "--drop=clips", self.folder / "m.gltf", "--force",
                     self.folder / "m.glb")
        nodes = by_name(load(self.folder / "m.glb")[0], "nodes")
        self.assertEqual(nodes["ghost"]["scale"], [0, 0, 0])
        self.assertNotIn("extensions", nodes["ghost"])
        self.assertIn("extensions", nodes["backstage"])
        gltf["nodes"][6]["skin"] = 0
        gltf["animations"][1]["channels"][1] = {"sampler": 1, "target": {
            "path": "pointer", "extensions": {"KHR_animation_pointer": {
                "pointer": "/meshes/2/weights"}}}}
        write(self.folder / "m.gltf", b, gltf)
        report = run("convert", "--verify", self.folder / "m.gltf", self.folder / "other.gpb",
                     status=1)
        self.assertIn("not read: visibility of nodes (1), animated properties (1)", report)

    def test_looks_are_approximated_elsewhere(self):
        b, gltf = gallery()
        write(self.folder / "m.gltf", b, gltf)
        report = run("convert", self.folder / "m.gltf", self.folder / "m.gpb")
        for lost in ("approximated: specular and glossiness (1)", "approximated: reflectance (2)",
                     "approximated: transmission (1)",
                     "dropped: reflectance and transmission (1)"):
            self.assertIn(lost, report)
        text = (self.folder / "m.material").read_text()
        found = {block.split()[0]: block for block in ("\n" + text).split("\nmaterial ")[1:]}
        for name, lines in {"gloss": ["u_modulateColor = 0.5, 0.25, 1, 1", "u_specularTexture"],
                            "coated": ["SPECULAR", "u_specularExponent = 30"],
                            "pane": ["u_diffuseColor = 1, 1, 1, 0.3", "blend = true"],
                            "metal": [], "frosted": [], "plain": []}.items():
            for line in lines:
                self.assertIn(line.lower(), found[name].lower())
            self.assertEqual("SPECULAR" in found[name], name in ("gloss", "coated"), name)
        run("convert", self.folder / "m.gltf", self.folder / "m.glb")
        out = load(self.folder / "m.glb")[0]
        self.assertEqual(by_name(out, "materials"), by_name(gltf, "materials"))
        report = run("convert", "--force", "--drop=textures", self.folder / "m.gltf",
                     self.folder / "m.glb")
        self.assertIn("dropped: extensions of materials (1)", report)
        gloss = by_name(load(self.folder / "m.glb")[0], "materials")["gloss"]
        self.assertNotIn("extensions", gloss)
        self.assertEqual(gloss["pbrMetallicRoughness"]["baseColorFactor"], [0.5, 0.25, 1, 1])

    def test_a_small_buffer_beside_a_large_text_is_no_limit(self):
        b, gltf = model()
        gltf["materials"] += [{"name": f"more {i}", "extras": {"i": i}} for i in range(2000)]
        gltf["meshes"][1]["primitives"] *= 100
        write(self.folder / "in.gltf", b, gltf)
        gltf["buffers"][0]["uri"] = "in.bin"
        (self.folder / "in.bin").write_bytes(b.bytes)
        (self.folder / "in.gltf").write_text(json.dumps(gltf))
        run("convert", self.folder / "in.gltf", self.folder / "m.glb")
        self.assertEqual(len(load(self.folder / "m.glb")[0]["materials"]), 2003)

    @unittest.skipUnless(CORPUS, "TENON_CORPUS is not set")
    def test_sample_models_are_stable(self):
        files = sample_models()
        self.assertGreater(len(files), 30)
        for file in files:
            if "Draco" in str(file):
                continue
            one = self.folder / "one.glb"
            run("convert", file, one, "--force", "--embed")
            self.assertEqual(one.read_bytes(), convert_again(one), file.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
