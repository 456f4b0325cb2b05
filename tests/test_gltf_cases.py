#!/usr/bin/env python3
"""test_gltf_cases.py: what `tenon check` finds in small glTF files, each with one peculiarity.

Every finding of every file is listed here. Where Khronos' glTF-Validator is installed
(`npm ci --prefix tests/validator`), it has to agree about which files have errors.
"""
# SPDX-License-Identifier: MIT

import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import test_gltf_validator as validator  # noqa: E402

TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
TIMEOUT = 1800  # Seconds; only against hanging.
U8, F32 = 5121, 5126


# -- Pictures

def png(*chunks):
    """One red pixel, with other chunks in front of it."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            b"".join(chunk(*item) for item in chunks) +
            chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


def jpeg(segment=b"\xff\xe0\0\x10" + 14 * b"x", colors=3):
    """Only the part that gives the size of the picture."""
    return b"\xff\xd8" + segment + b"\xff\xc0\0\x11\x08\0\1\0\1" + bytes([colors]) + 9 * b"\1"


PNG = png()
WEBP = base64.b64decode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")


def data_uri(data, kind="image/png", head="data:"):
    return head + kind + ";base64," + base64.b64encode(data).decode()


# Beside every file.
BESIDE = {
    "red.png": PNG,
    "large.png": png((b"tEXt", 9000 * b"x")),
    "cut.png": png((b"tEXt", 9000 * b"x"))[:5000],
    "red.jpg": jpeg(),
    "large.jpg": jpeg(b"\xff\xe2\xff\xf0" + 0xffee * b"x"),
    "cut.jpg": jpeg(b"\xff\xe2\xff\xf0" + 0xffee * b"x")[:60000],
    "short.jpg": jpeg(b"\xff\xe0\0\1"),
    "colors.jpg": jpeg(colors=2),
    "text.png": b"this is not a picture at all",
    "red.webp": WEBP,
    "three.bin": bytes(3),
}


# -- Files

def gltf(**members):
    return {"asset": {"version": "2.0"}, **members}


def numbers(data, accessors, **members):
    """A file with accessors of one buffer."""
    uri = data_uri(data, "application/octet-stream")
    return gltf(buffers=[{"byteLength": len(data), "uri": uri}],
                bufferViews=[{"buffer": 0, "byteLength": len(data)}], accessors=accessors,
                **members)


def image(**members):
    return gltf(images=[members])


def extended(name, where, **members):
    """A file with one object that has an extension."""
    return gltf(extensionsUsed=[name], **{where: [{"extensions": {name: members}}]})


def glb(members, binary=None):
    text = json.dumps(members).encode()
    chunks = [(0x4e4f534a, text + b" " * (-len(text) % 4))]
    if binary is not None:
        chunks.append((0x004e4942, binary))
    body = b"".join(struct.pack("<II", len(data), kind) + data for kind, data in chunks)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def zeros(shape, component=F32, **members):
    return {"componentType": component, "count": 3, "type": shape, **members}


POINTS = zeros("VEC3", min=[0, 0, 0], max=[1, 1, 1])
SPHERE = gltf(  # All the objects that are zeros by default, with bounds that are not.
    accessors=[POINTS, zeros("VEC3"), zeros("VEC4", U8), zeros("VEC4"), zeros("MAT4"),
               zeros("SCALAR", min=[0], max=[2]), zeros("VEC4"), zeros("SCALAR", U8),
               zeros("VEC4")],
    meshes=[{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "JOINTS_0": 2,
                                            "WEIGHTS_0": 3, "TANGENT": 8}, "indices": 7}]}],
    skins=[{"joints": [1, 2, 3], "inverseBindMatrices": 4}],
    nodes=[{"mesh": 0, "skin": 0}, {"children": [2]}, {"children": [3]}, {"name": "end"}],
    scenes=[{"nodes": [0, 1]}],
    animations=[{"samplers": [{"input": 5, "output": 6}],
                 "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}]}])


def pointer(target, **members):
    """A channel with a target."""
    return gltf(accessors=[zeros("SCALAR", min=[0], max=[1]), zeros("VEC4")],
                animations=[{"samplers": [{"input": 0, "output": 1}],
                             "channels": [{"sampler": 0, "target": target}]}], **members)


def primitive(attributes=None, material=None, count=3, **members):
    part = {"attributes": attributes or {"POSITION": 0}, "material": 0, **members}
    accessors = [{**POINTS, "count": count}, zeros("VEC2"), zeros("VEC4"), zeros("VEC4", U8)]
    return gltf(accessors=accessors, meshes=[{"primitives": [part]}],
                materials=[material or {"name": "plain"}], textures=[{"name": "none"}])


def skinned(node=None, parent=None):
    return {**SPHERE, "scenes": [{"nodes": [4, 1]}], "animations": [],
            "nodes": [{"mesh": 0, "skin": 0, **(node or {})}, *SPHERE["nodes"][1:],
                      {"children": [0], **(parent or {})}]}


def without(members, *keys):
    return {key: value for key, value in members.items() if key not in keys}


VARIANTS = {"extensionsUsed": ["KHR_materials_variants"],
            "extensions": {"KHR_materials_variants": {"variants": [{"name": "a"}, {"name": "b"}]}}}


def mapped(*mappings):
    extension = {"KHR_materials_variants": {"mappings": list(mappings)}}
    return {**primitive(extensions=extension), **VARIANTS}


# -- Cases: file and findings, "severity rule pointer"

PICTURE = "error gltf/picture /images/0"
CHOICE = "warning gltf/choice "
ROTATION = {"rotation": [0, 1, 0, 0]}
HALF = struct.pack("<I", 0x3f800002)  # The second float after 1.
TIE = 1.0000001788139343              # As a double, halfway between the first and the second one.
CASES = {
    # Versions.
    "2.1": ({"asset": {"version": "2.1"}}, ["warning gltf/version-unknown /asset/version"]),
    "2.1 that 2.0 can read": ({"asset": {"version": "2.1", "minVersion": "2.0"}},
                              ["warning gltf/version-unknown /asset/version"]),
    "2.1 that only 2.1 can read": ({"asset": {"version": "2.1", "minVersion": "2.1"}},
                                   ["warning gltf/version-unknown /asset/version"]),
    "3.0": ({"asset": {"version": "3.0"}}, ["error gltf/version /asset/version"]),
    "minVersion above version": ({"asset": {"version": "2.0", "minVersion": "2.1"}},
                                 ["error gltf/version /asset/minVersion"]),
    "three numbers": ({"asset": {"version": "2.0.1"}}, ["error gltf/version /asset/version"]),
    "a word": ({"asset": {"version": "2.0", "minVersion": "new"}},
               ["error gltf/version /asset/minVersion"]),

    # Bounds.
    "bounds that round twice": (numbers(HALF, [
        {"bufferView": 0, "componentType": F32, "count": 1, "type": "SCALAR", "min": [TIE],
         "max": [TIE]}]), []),
    "bounds of other numbers": (numbers(struct.pack("<4f", 1, 2, 3, 4), [
        {"bufferView": 0, "componentType": F32, "count": 2, "type": "VEC2", "min": [1, 1],
         "max": [3, 3]}]), ["error gltf/bounds /accessors/0/min/1",
                            "error gltf/bounds /accessors/0/max/1"]),
    "bounds that no byte can have": (gltf(accessors=[zeros("SCALAR", U8, min=[-1], max=[256])]),
                                     ["error gltf/value /accessors/0/min/0",
                                      "error gltf/value /accessors/0/max/0"]),
    "bounds of bytes with a fraction": (gltf(accessors=[zeros("SCALAR", U8, min=[0.5])]),
                                        ["error gltf/type /accessors/0/min/0"]),
    "too many bounds": (gltf(accessors=[zeros("SCALAR", min=[0, 0])]),
                        ["error gltf/size /accessors/0/min"]),

    # Accessors without bytes are zeros, which are not stored anywhere.
    "zeros": (SPHERE, []),
    "a sparse number among zeros": (numbers(struct.pack("<If", 1, 5), [
        zeros("SCALAR", min=[0], max=[4], sparse={
            "count": 1, "indices": {"bufferView": 0, "componentType": 5125},
            "values": {"bufferView": 0, "byteOffset": 4}})]),
        ["error gltf/bounds /accessors/0/max/0"]),
    "an offset without bytes": (gltf(accessors=[zeros("SCALAR", byteOffset=4)]),
                                ["error gltf/missing /accessors/0/byteOffset"]),

    # The last column of a matrix has no padding after it.
    "matrices of bytes": (numbers(bytes(14), [
        {"bufferView": 0, "componentType": U8, "count": 2, "type": "MAT2"}]), []),
    "matrices that are cut": (numbers(bytes(13), [
        {"bufferView": 0, "componentType": U8, "count": 2, "type": "MAT2"}]),
        ["error gltf/bytes /accessors/0"]),

    # Buffers whose bytes are missing still have a size.
    "a buffer without a name": (gltf(
        buffers=[{"byteLength": 8}], bufferViews=[{"buffer": 0, "byteLength": 8}],
        accessors=[{"bufferView": 0, "componentType": F32, "count": 2, "type": "SCALAR",
                    "min": [1], "max": [2]}]), ["info gltf/placeholder /buffers/0"]),
    "too much of a buffer without a name": (gltf(
        buffers=[{"byteLength": 8}], bufferViews=[{"buffer": 0, "byteLength": 8}],
        accessors=[{"bufferView": 0, "componentType": F32, "count": 3, "type": "SCALAR"}]),
        ["info gltf/placeholder /buffers/0", "error gltf/bytes /accessors/0"]),
    "a second buffer of GLB": (glb(gltf(buffers=[{"byteLength": 4}, {"byteLength": 4}]), bytes(4)),
                               ["info gltf/placeholder /buffers/1"]),
    "GLB without its chunk": (glb(gltf(buffers=[{"byteLength": 4}])),
                              ["error gltf/bytes /buffers/0"]),
    "a buffer that is missing": (gltf(
        buffers=[{"byteLength": 8, "uri": "none.bin"}],
        bufferViews=[{"buffer": 0, "byteLength": 9}]),
        ["error gltf/bytes /buffers/0/uri", "error gltf/bytes /bufferViews/0"]),
    "a buffer that is short": (gltf(buffers=[{"byteLength": 4, "uri": "three.bin"}]),
                               ["error gltf/bytes /buffers/0"]),
    "a buffer with escapes": (gltf(buffers=[
        {"byteLength": 3, "uri": "data:application/octet-stream,%00a%FF"}]), []),
    "a data URI in GLB": (glb(gltf(buffers=[
        {"byteLength": 3, "uri": data_uri(bytes(3), "application/octet-stream")}])),
        ["warning gltf/uri /buffers/0/uri"]),

    # Extensions.
    "an unknown extension": (extended("ACME_magic", "nodes", power=-1),
                             ["info gltf/extension-unknown /extensionsUsed/0"]),
    "an unknown extension that is required": (
        {**extended("ACME_magic", "nodes"), "extensionsRequired": ["ACME_magic"]},
        ["info gltf/extension-unknown /extensionsUsed/0"]),
    "an unknown extension that is not an object": (
        gltf(extensionsUsed=["ACME_magic"], extensions={"ACME_magic": 7}),
        ["info gltf/extension-unknown /extensionsUsed/0",
         "error gltf/type /extensions/ACME_magic"]),
    "an unknown extension that is not listed": (gltf(extensions={"ACME_magic": {}}),
                                                ["error gltf/extension /extensions/ACME_magic"]),
    "an extension in the wrong place": (
        extended("KHR_materials_ior", "nodes"),
        ["error gltf/extension /nodes/0/extensions/KHR_materials_ior"]),
    "a member of an extension": (extended("KHR_materials_ior", "materials", power=1), [
        "warning gltf/member /materials/0/extensions/KHR_materials_ior/power"]),
    "a texture of an extension": (
        {**primitive(material={"extensions": {"KHR_materials_sheen": {
            "sheenColorTexture": {"index": 0, "texCoord": 1}}}}),
         "extensionsUsed": ["KHR_materials_sheen"]},
        ["error gltf/attribute /meshes/0/primitives/0/material"]),
    "anisotropy without tangents": (
        {**primitive(material={"extensions": {"KHR_materials_anisotropy": {
            "anisotropyTexture": {"index": 0}}}}, attributes={"POSITION": 0, "TEXCOORD_0": 1}),
         "extensionsUsed": ["KHR_materials_anisotropy"]},
        ["error gltf/attribute /meshes/0/primitives/0/material"]),
    "variants": (mapped({"variants": [0], "material": 0}, {"variants": [1], "material": 0}), []),
    "a variant twice": (mapped({"variants": [0], "material": 0},
                               {"variants": [0], "material": 0}), [
        "error gltf/duplicate /meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/1"
        "/variants/0"]),
    "a variant that is not there": (mapped({"variants": [2], "material": 0}), [
        "error gltf/index /meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0"
        "/variants/0"]),
    "a variant without a name": (
        gltf(extensionsUsed=["KHR_materials_variants"],
             extensions={"KHR_materials_variants": {"variants": [{"extras": 1}]}}),
        ["error gltf/missing /extensions/KHR_materials_variants/variants/0"]),
    "a pointer": (pointer({"path": "pointer", "extensions": {
        "KHR_animation_pointer": {"pointer": "/materials/0/a~1b~0"}}},
        extensionsUsed=["KHR_animation_pointer"]), []),
    "a pointer that is none": (pointer({"path": "pointer", "extensions": {
        "KHR_animation_pointer": {"pointer": "materials/0"}}},
        extensionsUsed=["KHR_animation_pointer"]),
        ["error gltf/value /animations/0/channels/0/target/extensions/KHR_animation_pointer"
         "/pointer"]),
    "a pointer with a wrong escape": (pointer({"path": "pointer", "extensions": {
        "KHR_animation_pointer": {"pointer": "/materials/~2"}}},
        extensionsUsed=["KHR_animation_pointer"]),
        ["error gltf/value /animations/0/channels/0/target/extensions/KHR_animation_pointer"
         "/pointer"]),
    "a pointer and a path": (pointer({"path": "scale", "extensions": {
        "KHR_animation_pointer": {"pointer": "/materials/0"}}},
        extensionsUsed=["KHR_animation_pointer"]),
        ["error gltf/keys /animations/0/channels/0/target/extensions/KHR_animation_pointer"]),
    "a pointer and a node": (
        {**pointer({"path": "pointer", "node": 0, "extensions": {
            "KHR_animation_pointer": {"pointer": "/materials/0"}}},
            extensionsUsed=["KHR_animation_pointer"]), "nodes": [{"name": "moved"}]},
        ["error gltf/keys /animations/0/channels/0/target/extensions/KHR_animation_pointer"]),
    "a pointer without its extension": (pointer({"path": "pointer"}),
                                        [CHOICE + "/animations/0/channels/0/target/path"]),

    # Pictures.
    "PNG": (image(uri="red.png"), []),
    "PNG with a large chunk": (image(uri="large.png"), []),
    "PNG that is cut": (image(uri="cut.png"), [PICTURE]),
    "JPEG": (image(uri="red.jpg"), []),
    "JPEG with a large segment": (image(uri="large.jpg"), []),
    "JPEG that is cut": (image(uri="cut.jpg"), [PICTURE]),
    "JPEG with a segment of one byte": (image(uri="short.jpg"), [PICTURE]),
    "JPEG of two colors": (image(uri="colors.jpg"), [PICTURE]),
    "a picture that is missing": (image(uri="none.png"),
                                  ["error gltf/picture-missing /images/0/uri"]),
    "a picture without a name": (image(uri=""), ["error gltf/picture-missing /images/0/uri"]),
    "a picture of an extension that is missing": (
        {**image(uri="none.webp"), "extensionsUsed": ["EXT_texture_webp"]},
        ["warning gltf/picture-unknown /images/0/uri"]),
    "a picture of a required extension that is missing": (
        {**image(uri="none.webp"), "extensionsUsed": ["EXT_texture_webp"],
         "extensionsRequired": ["EXT_texture_webp"]}, ["error gltf/picture-missing /images/0/uri"]),
    "a picture elsewhere": (image(uri="https://example.com/red.png"),
                            ["warning gltf/uri /images/0/uri"]),
    "a name that is not a relative path": (image(uri="red.png?a=b"), [
        "warning gltf/uri /images/0/uri", "error gltf/picture-missing /images/0/uri"]),
    "a text for a picture": (image(uri="text.png"), ["warning gltf/picture-unknown /images/0"]),
    "PNG that says it is JPEG": (image(uri="red.png", mimeType="image/jpeg"), [PICTURE]),
    "PNG that says it is GIF": (image(uri="red.png", mimeType="image/gif"),
                                [CHOICE + "/images/0/mimeType", PICTURE]),
    "WebP without its extension": (image(uri="red.webp"), [PICTURE]),
    "WebP": ({**image(uri="red.webp"), "extensionsUsed": ["EXT_texture_webp"]}, []),
    "WebP for a texture": (
        {**image(uri="red.webp"), "extensionsUsed": ["EXT_texture_webp"],
         "textures": [{"source": 0}]}, ["error gltf/picture /textures/0/source"]),
    "PNG for a texture of WebP": (
        {**image(uri="red.png"), **extended("EXT_texture_webp", "textures", source=0)},
        ["error gltf/picture /textures/0/extensions/EXT_texture_webp/source"]),
    "a picture without a type": (
        {**numbers(PNG, [zeros("SCALAR")]), "images": [{"bufferView": 0}]},
        ["error gltf/missing /images/0"]),
    "neither bytes nor a name": (image(mimeType="image/png"), ["error gltf/missing /images/0"]),
    "a data URI": (image(uri=data_uri(PNG)), []),
    "a data URI in capitals": (image(uri=data_uri(PNG, "IMAGE/PNG", "DATA:")), []),
    "a data URI with a parameter": (image(uri=data_uri(PNG, "image/png;charset=utf-8")), []),
    "a data URI with escapes": (
        image(uri="data:image/png," + "".join("%%%02x" % byte for byte in PNG)), []),
    "a data URI without bytes": (image(uri="data:image/png;base64"), [PICTURE + "/uri"]),
    "a data URI of other characters": (image(uri="data:image/png;base64,@@@@"), [PICTURE + "/uri"]),
    "a data URI of one character": (image(uri="data:image/png;base64,A"), [PICTURE + "/uri"]),
    "a data URI of nothing": (image(uri="data:image/png;base64,"), [PICTURE]),
    "a data URI with a line feed": (image(uri=data_uri(PNG) + "\n"), [PICTURE + "/uri"]),
    "a data URI without a type": (image(uri=data_uri(PNG, "")), [PICTURE]),
    "a data URI of another type": (image(uri=data_uri(PNG, "image/gif")), [PICTURE]),
    "a data URI of bytes": (image(uri=data_uri(PNG, "application/octet-stream")), [PICTURE]),
    "a data URI with a text": (image(uri=data_uri(b"this is not a picture")), [PICTURE]),

    # Cameras.
    "a camera of both kinds": (gltf(cameras=[
        {"type": "perspective", "perspective": {"yfov": 1, "znear": 1},
         "orthographic": {"xmag": 1, "ymag": 1, "znear": 1, "zfar": 2}}]),
        ["error gltf/missing /cameras/0"]),
    "a camera of the other kind": (gltf(cameras=[
        {"type": "orthographic", "perspective": {"yfov": 1, "znear": 1}}]),
        ["error gltf/missing /cameras/0"]),
    "a camera with more members": (gltf(cameras=[
        {"type": "perspective", "perspective": {"yfov": 1, "znear": 1, "more": 1}, "other": {}}]),
        ["warning gltf/member /cameras/0/perspective/more",
         "warning gltf/member /cameras/0/other"]),
    "a camera of an unknown kind": (gltf(cameras=[{"type": "fisheye"}]),
                                    [CHOICE + "/cameras/0/type"]),
    "a camera that sees too much": (gltf(cameras=[
        {"type": "perspective", "perspective": {"yfov": 4, "znear": 1}}]),
        ["warning gltf/implausible /cameras/0/perspective/yfov"]),
    "a camera that mirrors": (gltf(cameras=[
        {"type": "orthographic", "orthographic": {"xmag": -1, "ymag": 1, "znear": 1, "zfar": 2}}]),
        ["warning gltf/implausible /cameras/0/orthographic/xmag"]),

    # Values that are not in a list: later versions and extensions may know them.
    "a type that does not exist": (gltf(accessors=[zeros("VEC5")]), [CHOICE + "/accessors/0/type"]),
    "a type that a mesh uses": (
        {**primitive(), "accessors": [zeros("VEC3", 5127)]},
        [CHOICE + "/accessors/0/componentType",
         "error gltf/attribute /meshes/0/primitives/0/attributes/POSITION"]),
    "sparse indices of an unknown type": (gltf(
        buffers=[{"byteLength": 8}], bufferViews=[{"buffer": 0, "byteLength": 8}],
        accessors=[zeros("SCALAR", sparse={
            "count": 1, "indices": {"bufferView": 0, "componentType": 5124},
            "values": {"bufferView": 0, "byteOffset": 4}})]),
        ["info gltf/placeholder /buffers/0", CHOICE + "/accessors/0/sparse/indices/componentType"]),
    "an unknown kind of light": (
        gltf(extensionsUsed=["KHR_lights_punctual"],
             extensions={"KHR_lights_punctual": {"lights": [{"type": "sphere"}]}}),
        [CHOICE + "/extensions/KHR_lights_punctual/lights/0/type"]),
    "an unknown alpha mode": (gltf(materials=[{"alphaMode": "DITHER"}]),
                              [CHOICE + "/materials/0/alphaMode"]),
    "an unknown wrap mode": (gltf(samplers=[{"wrapS": 1}]), [CHOICE + "/samplers/0/wrapS"]),

    # Attributes that come in sets.
    "joints without weights": (primitive({"POSITION": 0, "JOINTS_0": 3}),
                               ["error gltf/attribute /meshes/0/primitives/0/attributes"]),
    "sets with a gap": (primitive({"POSITION": 0, "TEXCOORD_1": 1}),
                        ["error gltf/attribute /meshes/0/primitives/0/attributes"]),
    "weights of no node": (pointer({"path": "weights"}),
                           ["error gltf/keys /animations/0/samplers/0/output"]),

    # Things without effect, or that are hardly right.
    "four corners of triangles": (primitive(count=4),
                                  ["warning gltf/implausible /meshes/0/primitives/0"]),
    "three ends of lines": (primitive(mode=1), ["warning gltf/implausible /meshes/0/primitives/0"]),
    "one end of a strip": (primitive(mode=3, count=1),
                           ["warning gltf/implausible /meshes/0/primitives/0"]),
    "a cutoff without a mask": (gltf(materials=[{"alphaCutoff": 0.5}]),
                                ["warning gltf/no-effect /materials/0/alphaCutoff"]),
    "strength of no light": (
        extended("KHR_materials_emissive_strength", "materials", emissiveStrength=2),
        ["warning gltf/no-effect /materials/0/extensions/KHR_materials_emissive_strength"]),
    "dispersion of no volume": (
        extended("KHR_materials_dispersion", "materials"),
        ["warning gltf/no-effect /materials/0/extensions/KHR_materials_dispersion"]),
    "a volume that lets nothing through": (
        extended("KHR_materials_volume", "materials"),
        ["warning gltf/no-effect /materials/0/extensions/KHR_materials_volume"]),
    "a volume with two sides": (
        gltf(extensionsUsed=["KHR_materials_volume", "KHR_materials_transmission"],
             materials=[{"doubleSided": True, "extensions": {
                 "KHR_materials_volume": {}, "KHR_materials_transmission": {}}}]),
        ["warning gltf/implausible /materials/0/extensions/KHR_materials_volume"]),
    "a coat on what is unlit": (
        gltf(extensionsUsed=["KHR_materials_unlit", "KHR_materials_clearcoat"],
             materials=[{"extensions": {"KHR_materials_unlit": {},
                                        "KHR_materials_clearcoat": {}}}]),
        ["warning gltf/implausible /materials/0/extensions/KHR_materials_unlit"]),
    "normals of other coordinates": (
        gltf(extensionsUsed=["KHR_materials_clearcoat"], textures=[{"name": "none"}],
             materials=[{"normalTexture": {"index": 0}, "extensions": {
                 "KHR_materials_clearcoat": {
                     "clearcoatNormalTexture": {"index": 0, "texCoord": 1}}}}]),
        ["warning gltf/implausible /materials/0/extensions/KHR_materials_clearcoat"
         "/clearcoatNormalTexture"]),
    "a skinned mesh at rest": (without(skinned(), "animations"), []),
    "a skinned mesh that is moved": (without(skinned(node=ROTATION), "animations"),
                                     ["warning gltf/no-effect /nodes/0"]),
    "a skinned mesh below what is moved": (without(skinned(parent=ROTATION), "animations"),
                                           ["warning gltf/no-effect /nodes/0"]),
    "a skinned mesh with keys": (
        {**SPHERE, "animations": [{**SPHERE["animations"][0], "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}]},
        ["warning gltf/no-effect /animations/0/channels/0/target/path"]),
}

# Extensions of materials: the members that are numbers, and which of these values they may have.
VALUES = (-0.5, 0, 0.5, 1.5)
UNIT, FROM_ZERO, FROM_ONE, ABOVE, ANY = (0, 0.5), (0, 0.5, 1.5), (1.5,), (0.5, 1.5), VALUES
RANGES = {
    "KHR_materials_anisotropy": {"anisotropyStrength": UNIT, "anisotropyRotation": ANY},
    "KHR_materials_clearcoat": {"clearcoatFactor": UNIT, "clearcoatRoughnessFactor": UNIT},
    "KHR_materials_dispersion": {"dispersion": FROM_ZERO},
    "KHR_materials_emissive_strength": {"emissiveStrength": FROM_ZERO},
    "KHR_materials_ior": {"ior": (0, 1.5)},
    "KHR_materials_iridescence": {
        "iridescenceFactor": UNIT, "iridescenceIor": FROM_ONE,
        "iridescenceThicknessMinimum": FROM_ZERO, "iridescenceThicknessMaximum": FROM_ZERO},
    "KHR_materials_pbrSpecularGlossiness": {
        "diffuseFactor*4": UNIT, "specularFactor*3": UNIT, "glossinessFactor": UNIT},
    "KHR_materials_sheen": {"sheenColorFactor*3": UNIT, "sheenRoughnessFactor": UNIT},
    "KHR_materials_specular": {"specularFactor": UNIT, "specularColorFactor*3": FROM_ZERO},
    "KHR_materials_transmission": {"transmissionFactor": UNIT},
    "KHR_materials_volume": {
        "thicknessFactor": FROM_ZERO, "attenuationDistance": ABOVE, "attenuationColor*3": UNIT},
}


def range_cases():
    """Name to file, and to the errors in it."""
    for extension, members in RANGES.items():
        for member, allowed in members.items():
            key, _, width = member.partition("*")
            for value in VALUES:
                place = f"error gltf/value /materials/0/extensions/{extension}/{key}"
                places = [f"{place}/{i}" for i in range(int(width or 0))] or [place]
                values = [value] * int(width) if width else value
                yield (f"{extension} {key} {value}",
                       (extended(extension, "materials", **{key: values}),
                        [] if value in allowed else places))


# Khronos' validator does not find these.
STRICTER = {
    "a picture of a required extension that is missing": "Tenon alone knows what is required",
}
# It gets another picture in place of a missing PNG, and fetches what Tenon does not.
UNSEEN = ("a picture that is missing", "a picture elsewhere", "a name that is not a relative path",
          "a picture of an extension that is missing")


# -- Tests

class Cases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        for name, data in BESIDE.items():
            (cls.folder / name).write_bytes(data)
        cls.cases = {**CASES, **dict(range_cases())}
        cls.paths = {}
        for i, (name, (content, _)) in enumerate(cls.cases.items()):
            is_binary = isinstance(content, bytes)
            path = cls.folder / (f"{i:03}.glb" if is_binary else f"{i:03}.gltf")
            path.write_bytes(content if is_binary else json.dumps(content).encode())
            cls.paths[name] = path
        done = subprocess.run([TOOL, "check", "--json", *map(str, cls.paths.values())],
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        reports = map(json.loads, done.stdout.splitlines())
        cls.reports = dict(zip(cls.paths, reports))

    def findings(self, name):
        report = self.reports[name]
        self.assertNotIn("error", report, name)
        return ["%(severity)s %(rule)s %(path)s" % item for item in report["findings"]]

    def test_every_finding_is_expected(self):
        for name, (_, expected) in CASES.items():
            with self.subTest(name):
                self.assertEqual(sorted(expected), sorted(self.findings(name)))

    def test_numbers_of_extensions_stay_in_their_ranges(self):
        for name, (_, expected) in range_cases():
            with self.subTest(name):
                errors = [item for item in self.findings(name) if item.startswith("error")]
                self.assertEqual(expected, errors)

    def test_an_unknown_extension_is_named(self):
        messages = [item["message"] for item in self.reports["an unknown extension"]["findings"]]
        self.assertEqual(["'ACME_magic' is unknown: its content is not checked"], messages)

    def test_later_versions_are_copied_byte_for_byte(self):
        for name in ("2.1 that 2.0 can read", "2.1 that only 2.1 can read"):
            copy = self.folder / "copy.gltf"
            done = subprocess.run([TOOL, "convert", "-f", self.paths[name], copy],
                                  capture_output=True, text=True, timeout=TIMEOUT, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertEqual(self.paths[name].read_bytes(), copy.read_bytes())

    def test_a_later_version_is_read_if_2_0_is_enough(self):
        for least, status in (("2.0", 0), ("2.1", 1)):
            path = self.folder / "later.gltf"
            later = {**SPHERE, "asset": {"version": "2.1", "minVersion": least}}
            path.write_text(json.dumps(later), encoding="ascii")
            done = subprocess.run([TOOL, "convert", "-f", path, self.folder / "later.obj"],
                                  capture_output=True, text=True, timeout=TIMEOUT, check=False)
            self.assertEqual(status, done.returncode, done.stderr)

    def test_khronos_agrees_about_errors(self):
        reason = validator.why_not()
        if reason:
            self.skipTest(reason)
        names = [name for name in self.cases if name not in UNSEEN]
        reports = validator.validate([self.paths[name] for name in names])
        self.assertEqual(len(names), len(reports))
        for name, report in zip(names, reports):
            ours = [item for item in self.findings(name) if item.startswith("error")]
            theirs = [issue["code"] for issue in report["issues"] if issue["severity"] == "error"]
            with self.subTest(name):
                self.assertEqual(bool(ours), bool(theirs) or name in STRICTER, (ours, theirs))


if __name__ == "__main__":
    unittest.main()
