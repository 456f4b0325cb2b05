#!/usr/bin/env python3
"""Make tests/fixtures/gltf/: valid glTF 2.0 files, small, each with one thing that readers must do.

What readers must make of their numbers is in tests/scene/test_gltf_import.c.
"""
# SPDX-License-Identifier: MIT

import base64
import struct
import sys

import outputs
from pack_gltf import F32, I16, I8, Maker, U16, U32, U8

FOLDER = outputs.ROOT / "tests" / "fixtures" / "gltf"
SIZE_LIMIT = 4000

IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
PIXEL = bytes.fromhex(  # A PNG of one red pixel.
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8cfc0000003010100"
    "18dd8db00000000049454e44ae426082")


def _shown(maker, mesh, **node):
    """One node that shows one mesh."""
    maker.json.update(meshes=[mesh], nodes=[{"mesh": 0, **node}], scenes=[{"nodes": [0]}], scene=0)


def _triangle():
    maker = Maker()
    _shown(maker, {"primitives": [{"attributes": {"POSITION": maker.positions()}}]})
    return maker


def _indexed(component):
    maker = Maker()
    indices = maker.numbers(component, "SCALAR", [2, 1, 0])
    _shown(maker, {"primitives": [{"attributes": {"POSITION": maker.positions()},
                                   "indices": indices}]})
    return maker


def _quantized():
    """Interleaved: positions of 16 bits, normals and colors of 8, texture coordinates of 16."""
    maker = Maker(extensionsUsed=["KHR_mesh_quantization"],
                  extensionsRequired=["KHR_mesh_quantization"])
    rows = [(-32768, 0, 32767, 0, 0, 127, 0, 0, 255), (16384, 100, -5, 127, 0, 0, 65535, 0, 0),
            (1, 2, 3, 0, -127, 0, 32768, 16384, 128)]
    data = b"".join(struct.pack("<3hxx3bxHHBBBx", *row[:6], *row[6:8], 255, 0, row[8])
                    for row in rows)
    view = maker.view(data, byteStride=20)
    shared = {"bufferView": view}
    attributes = {
        "POSITION": maker.accessor(I16, "VEC3", 3, normalized=True, min=[-32768, 0, -5],
                                   max=[16384, 100, 32767], **shared),
        "NORMAL": maker.accessor(I8, "VEC3", 3, normalized=True, byteOffset=8, **shared),
        "TEXCOORD_0": maker.accessor(U16, "VEC2", 3, normalized=True, byteOffset=12, **shared),
        "COLOR_0": maker.accessor(U8, "VEC3", 3, normalized=True, byteOffset=16, **shared),
    }
    _shown(maker, {"primitives": [{"attributes": attributes}]})
    return maker


def _sparse():
    """One stream with replaced elements, and one of zeros with one that is not."""
    maker = Maker()
    base = maker.positions()
    places = maker.view(struct.pack("<2H", 0, 2))
    values = maker.view(struct.pack("<6f", 5, 6, 7, -1, -2, -3))
    one = maker.view(struct.pack("<B", 1))
    up = maker.view(struct.pack("<3f", 0, 0, 1))
    accessors = maker.json["accessors"]
    accessors[base].update(sparse={
        "count": 2, "indices": {"bufferView": places, "componentType": U16},
        "values": {"bufferView": values}}, min=[-1, -2, -3], max=[5, 6, 7])
    zeros = maker.accessor(F32, "VEC3", 3, sparse={
        "count": 1, "indices": {"bufferView": one, "componentType": U8},
        "values": {"bufferView": up}})
    _shown(maker, {"primitives": [{"attributes": {"POSITION": base, "COLOR_0": zeros}}]})
    return maker


def _modes():
    """One primitive of every mode over the same vertices."""
    maker = Maker()
    positions = maker.positions([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0])
    _shown(maker, {"primitives": [{"attributes": {"POSITION": positions}, "mode": mode}
                                  for mode in range(7)]})
    return maker


def _skinned():
    """Two joints, two sets of influences, one clip with every kind of interpolation."""
    maker = Maker()
    attributes = {
        "POSITION": maker.positions(),
        "JOINTS_0": maker.numbers(U8, "VEC4", [0, 1, 0, 0] * 3),
        "WEIGHTS_0": maker.numbers(F32, "VEC4", [0.5, 0.3, 0, 0] * 3),
        "JOINTS_1": maker.numbers(U16, "VEC4", [2, 0, 0, 0] * 3),
        "WEIGHTS_1": maker.numbers(U8, "VEC4", [51, 0, 0, 0] * 3, normalized=True),
    }
    binds = maker.numbers(F32, "MAT4", IDENTITY + IDENTITY[:12] + [0, -1, 0, 1] + IDENTITY)
    pair, three = maker.times([0, 1]), maker.times([0, 0.5, 2])
    turns = maker.numbers(I16, "VEC4", [0, 0, 0, 32767, 0, 0, 32767, 0], normalized=True)
    steps = maker.numbers(F32, "VEC3", [1, 1, 1, 2, 2, 2, 3, 3, 3])
    curve = maker.numbers(F32, "VEC3", [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0])
    maker.json.update(
        meshes=[{"name": "arm", "primitives": [{"attributes": attributes}]}],
        nodes=[{"name": "body", "mesh": 0, "skin": 0},
               {"name": "tip", "translation": [0, 1, 0]},
               {"name": "root", "children": [1, 3]},
               {"name": "side"}],
        skins=[{"inverseBindMatrices": binds, "joints": [2, 1, 3], "skeleton": 2}],
        scenes=[{"nodes": [0, 2]}],
        animations=[{
            "name": "wave",
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                         {"sampler": 1, "target": {"node": 3, "path": "scale"}},
                         {"sampler": 2, "target": {"node": 2, "path": "translation"}}],
            "samplers": [{"input": pair, "output": turns},
                         {"input": three, "output": steps, "interpolation": "STEP"},
                         {"input": pair, "output": curve, "interpolation": "CUBICSPLINE"}],
            "extras": {"loop": "true", "speed": 1.5,
                       "events": [{"time": 0.5, "name": "clap"}]},
        }])
    return maker


def _morphs():
    """Two shapes to change into, the second of zeros with one that is not, and a clip of them."""
    maker = Maker()
    attributes = {"POSITION": maker.positions(),
                  "NORMAL": maker.numbers(F32, "VEC3", [0, 0, 1] * 3)}
    place = maker.view(struct.pack("<B", 2))
    moved = maker.view(struct.pack("<3f", 0, 0, 4))
    sparse = maker.accessor(F32, "VEC3", 3, min=[0, 0, 0], max=[0, 0, 4], sparse={
        "count": 1, "indices": {"bufferView": place, "componentType": U8},
        "values": {"bufferView": moved}})
    targets = [{"POSITION": maker.positions([0, 0, 1] * 3)}, {"POSITION": sparse}]
    times = maker.times([0, 1])
    values = maker.numbers(F32, "SCALAR", [0, 0, 1, 0.5])
    _shown(maker, {"primitives": [{"attributes": attributes, "targets": targets}],
                   "weights": [0.25, 0]}, weights=[0, 1])
    maker.json["animations"] = [{
        "name": "smile", "samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}]
    return maker


def _scenes():
    """Two scenes, a node in none, children before their parents, cameras, lights, a matrix."""
    spot = {"type": "spot", "name": "lamp", "color": [1, 0.5, 0.25], "intensity": 20, "range": 8,
            "spot": {"innerConeAngle": 0.25, "outerConeAngle": 0.5}}
    lights = [{"type": "point"}, spot, {"type": "directional", "intensity": 3}]
    light = [{"KHR_lights_punctual": {"light": k}} for k in range(3)]
    return Maker(
        extensionsUsed=["KHR_lights_punctual"],
        extensions={"KHR_lights_punctual": {"lights": lights}},
        cameras=[{"type": "perspective", "name": "eye",
                  "perspective": {"yfov": 0.75, "aspectRatio": 1.5, "znear": 0.125, "zfar": 64}},
                 {"type": "orthographic",
                  "orthographic": {"xmag": 3, "ymag": 2, "znear": 0, "zfar": 10}}],
        nodes=[{"name": "leaf", "camera": 0, "rotation": [0, 0, 1, 0]},
               {"name": "stem", "children": [0, 3], "scale": [2, 2, 2], "extensions": light[1]},
               {"name": "elsewhere", "extensions": light[0]},
               {"camera": 1, "extensions": light[2],
                "matrix": [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1]},
               {"name": "lost"}],
        scenes=[{"nodes": [2]}, {"name": "shown", "nodes": [1], "extras": {"mood": "calm"}}],
        scene=1)


def _materials():
    """Every texture of a material, every extension of one, and what Tenon keeps in extras."""
    maker = Maker(extensionsUsed=["KHR_texture_transform", "KHR_materials_unlit",
                                  "KHR_materials_emissive_strength"])
    moved = {"KHR_texture_transform": {"offset": [0.5, 0.25], "rotation": 0.5, "scale": [2, 3],
                                       "texCoord": 1}}
    full = {
        "name": "paint",
        "pbrMetallicRoughness": {
            "baseColorFactor": [1, 0.5, 0.25, 0.75], "metallicFactor": 0.125,
            "roughnessFactor": 0.375, "baseColorTexture": {"index": 0, "extensions": moved},
            "metallicRoughnessTexture": {"index": 1}},
        "normalTexture": {"index": 1, "scale": 0.5, "texCoord": 1},
        "occlusionTexture": {"index": 2, "strength": 0.25},
        "emissiveTexture": {"index": 0}, "emissiveFactor": [0.5, 0.25, 1],
        "alphaMode": "MASK", "alphaCutoff": 0.125, "doubleSided": True,
        "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}},
        "extras": {"specular": [0.5, 0.5, 1], "shininess": 32, "lightMapTexture": "li%67ht.png",
                   "engine": "own", "layers": [1, 2]},
    }
    plain = {"alphaMode": "BLEND", "extensions": {"KHR_materials_unlit": {}}}
    attributes = {"POSITION": maker.positions()}
    for k in range(2):
        attributes["TEXCOORD_%d" % k] = maker.numbers(F32, "VEC2", [0, 0, 1, 0, 0, 1])
    attributes["NORMAL"] = maker.numbers(F32, "VEC3", [0, 0, 1] * 3)
    picture = maker.view(PIXEL)
    uri = "data:image/png;base64," + base64.b64encode(PIXEL).decode()
    maker.json.update(
        materials=[full, plain],
        textures=[{"source": 0, "sampler": 0}, {"source": 1}, {"source": 2, "sampler": 1}],
        samplers=[{"wrapS": 33071, "wrapT": 33648}, {}],
        images=[{"uri": "skins/red%20paint.png", "name": "red"}, {"uri": uri},
                {"bufferView": picture, "mimeType": "image/png"}])
    _shown(maker, {"extras": {"shape": "box/1/2/1"},
                   "primitives": [{"attributes": attributes, "material": k} for k in range(2)]},
           name="thing", extras={"joint": True, "note": "here", "weight": 2.50})
    return maker


def _mirrored():
    """One mesh shown plainly, mirrored, and mirrored twice; one mirrored by a matrix, without
    normals; and one whose only joint mirrors."""
    maker = Maker()
    corners = [0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1]
    faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    third = 3 ** -0.5
    wedge = {"POSITION": maker.positions(corners),
             "NORMAL": maker.numbers(F32, "VEC3", [-third] * 3 + [1, 0, 0, 0, 1, 0, 0, 0, 1])}
    skinned = {**wedge, "JOINTS_0": maker.numbers(U8, "VEC4", [0] * 16),
               "WEIGHTS_0": maker.numbers(F32, "VEC4", [1, 0, 0, 0] * 4)}
    indices = maker.numbers(U16, "SCALAR", faces)
    strip = maker.numbers(U16, "SCALAR", [0, 1, 3, 2, 0])
    half = 0.5 ** 0.5
    turns = maker.numbers(F32, "VEC4", [0, 0, 0, 1, 0, half, 0, half])
    binds = maker.numbers(F32, "MAT4", IDENTITY)
    maker.json.update(
        scene=0, scenes=[{"nodes": [0, 1, 2, 4, 5, 6]}],
        meshes=[{"name": "wedge", "primitives": [{"attributes": wedge, "indices": indices}]},
                {"name": "strip", "primitives": [{"attributes": {"POSITION": wedge["POSITION"]},
                                                  "indices": strip, "mode": 5}]},
                {"name": "skinned", "primitives": [{"attributes": skinned, "indices": indices}]}],
        nodes=[{"name": "plain", "mesh": 0},
               {"name": "mirror", "mesh": 0, "translation": [-1, 0, 0], "scale": [-1, 1, 1]},
               {"name": "outer", "children": [3], "scale": [1, -2, 1]},
               {"name": "inner", "mesh": 0, "translation": [0, 5, 0], "scale": [1, 1, -1]},
               {"name": "matrix", "mesh": 1,
                "matrix": [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1]},
               {"name": "body", "mesh": 2, "skin": 0},
               {"name": "joint", "translation": [0, 0, -3], "scale": [1, 1, -1]}],
        skins=[{"joints": [6], "inverseBindMatrices": binds}],
        animations=[{"name": "turn", "samplers": [{"input": maker.times([0, 1]), "output": turns}],
                     "channels": [{"sampler": 0, "target": {"node": n, "path": "rotation"}}
                                  for n in (1, 6)]}])
    return maker


def _files():
    extra = (0x54534554, b"more" * 10)
    return {
        "triangle.glb": _triangle().glb(),
        "triangle.gltf": _triangle().gltf(),
        "three_chunks.glb": _triangle().glb(extra),
        "no_buffer.glb": Maker().glb(),
        "indices_8.glb": _indexed(U8).glb(),
        "indices_16.glb": _indexed(U16).glb(),
        "indices_32.glb": _indexed(U32).glb(),
        "quantized.glb": _quantized().glb(),
        "sparse.glb": _sparse().glb(),
        "modes.glb": _modes().glb(),
        "morphs.glb": _morphs().glb(),
        "skinned.glb": _skinned().glb(),
        "mirrored.glb": _mirrored().glb(),
        "scenes.gltf": _scenes().gltf(),
        "materials.gltf": _materials().gltf(),
    }


def fixture_files():
    """Name to bytes; refuses to make a large file."""
    files = _files()
    for name, data in files.items():
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (name, len(data)))
    return files


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
