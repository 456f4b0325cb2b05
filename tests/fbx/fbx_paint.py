#!/usr/bin/env python3
"""fbx_paint.py: materials, textures, texture coordinates and colors for boxes."""
# SPDX-License-Identifier: MIT

import struct
import zlib

from fbx_file import Array, Int, Name, Node
from fbx_model import QUADS, Joint, Model


def png(red, green, blue, width=1, height=1):
    """The bytes of a picture; each color is a number, or one for each pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    count = width * height
    colors = zip(*[c if isinstance(c, (list, bytes)) else [c] * count
                   for c in (red, green, blue)])
    pixels = b"".join(map(bytes, colors))
    rows = b"".join(b"\0" + pixels[3 * width * y:3 * width * (y + 1)] for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def paeth(a, b, c):
    """The neighbor that is nearest to a + b - c."""
    return min((a, b, c), key=lambda n: abs(a + b - c - n))


def pixels_of(data):
    """Width, height and the pixels of a PNG with 8 bits for each color, and perhaps alpha."""
    at, packed, width, height, each = 8, b"", 0, 0, 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height, bits, colors = struct.unpack_from(">IIBB", data, at + 8)
            assert bits == 8
            each = {2: 3, 6: 4}[colors]
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    rows, out, above = zlib.decompress(packed), [], [0] * (each * width)
    for y in range(height):
        row = rows[y * (each * width + 1):(y + 1) * (each * width + 1)]
        line = []
        for i, value in enumerate(row[1:]):
            left = line[i - each] if i >= each else 0
            corner = above[i - each] if i >= each else 0
            guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))
            line.append((value + guess[row[0]]) & 255)
        out += [tuple(line[i:i + each]) for i in range(0, each * width, each)]
        above = line
    return width, height, out


def corner_layer(kind, index, numbers, field, name=""):
    """Numbers for each corner of each face."""
    return Node(f"LayerElement{kind}", [Int(index)], [
        Node("Version", [Int(101)]), Node("Name", [name]),
        Node("MappingInformationType", ["ByPolygonVertex"]),
        Node("ReferenceInformationType", ["Direct"]), Node(field, [Array("d", numbers)])])


def layer(index, kinds):
    return Node("Layer", [Int(index)], [Node("Version", [Int(100)])] + [
        Node("LayerElement", [], [Node("Type", [f"LayerElement{kind}"]),
                                  Node("TypedIndex", [Int(index)])]) for kind in kinds])


class PaintedModel(Model):
    """A box with two sets of texture coordinates, colors, a material and a texture."""

    def __init__(self, texture, content=None):
        super().__init__([Joint("Box", kind="Mesh")])
        self.texture, self.content = texture, content

    def add_box(self, joint, number):
        super().add_box(joint, number)
        corners = 4 * len(QUADS)
        first = [n for i in range(corners) for n in (i / corners, 0.25)]
        second = [n for i in range(corners) for n in (0.5, i / corners)]
        colors = [n for _ in range(corners) for n in (1.0, 0.5, 0.25, 1.0)]
        self.objects[-1].children += [
            corner_layer("UV", 0, first, "UV", "one"), corner_layer("UV", 1, second, "UV", "two"),
            corner_layer("Color", 0, colors, "Colors"), self.material_layer(),
            layer(0, ("UV", "Color", "Material")), layer(1, ("UV",))]
        self.add_material(number)

    @staticmethod
    def material_layer():
        return Node("LayerElementMaterial", [Int(0)], [
            Node("Version", [Int(101)]), Node("Name", [""]),
            Node("MappingInformationType", ["AllSame"]),
            Node("ReferenceInformationType", ["IndexToDirect"]),
            Node("Materials", [Array("i", [0])])])

    def add_material(self, number):
        material, texture, video = self.new_id(), self.new_id(), self.new_id()
        color = Node("P", ["DiffuseColor", "Color", "", "A", 0.8, 0.6, 0.4])
        self.objects.append(Node("Material", [material, Name("Wood", "Material"), ""], [
            Node("Version", [Int(102)]), Node("ShadingModel", ["phong"]),
            Node("Properties70", [], [color])]))
        names = [Node("FileName", [self.texture]), Node("RelativeFilename", [self.texture])]
        self.objects.append(Node("Texture", [texture, Name("wood", "Texture"), ""], [
            Node("Type", ["TextureVideoClip"]), Node("Version", [Int(202)]), *names]))
        content = [Node("Content", [self.content])] if self.content else []
        self.objects.append(Node("Video", [video, Name("wood", "Video"), "Clip"],
                                 [Node("Type", ["Clip"]), *names, *content]))
        self.link(material, number)
        self.link(texture, material, "DiffuseColor")
        self.link(video, texture)
