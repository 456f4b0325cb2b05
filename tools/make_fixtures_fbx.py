#!/usr/bin/env python3
"""Make tests/fixtures/fbx/: FBX files of every kind, small enough to read as hex."""
# SPDX-License-Identifier: MIT

import struct
import sys
import zlib

import fbx_file
import fbx_fixture_scenes
import fbx_program_scenes
import outputs

FOLDER = outputs.ROOT / "tests" / "fixtures" / "fbx"
SIZE_LIMIT = 9000

MAGIC = b"Kaydara FBX Binary  \x00\x1a"
FOOTER = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
CODE = bytes(range(0xA0, 0xB0))      # Programs derive it from the time; readers ignore it.
ARRAYS = {"c": "B", "b": "B", "i": "i", "l": "q", "f": "f", "d": "d"}
SINGLES = {"C": "B", "B": "B", "Y": "h", "I": "i", "L": "q", "F": "f", "D": "d"}


# -- Binary

class Packer:
    def __init__(self, version, order="<"):
        self.order, self.version = order, version
        self.size = "QQQB" if version >= 7500 else "IIIB"
        self.head = struct.calcsize("<" + self.size)

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def value(self, code, value):
        """One value; arrays as (numbers, whether they are compressed)."""
        if code in SINGLES:
            return code.encode() + self.pack(SINGLES[code], value)
        if code in "SR":
            return code.encode() + self.pack("I", len(value)) + value
        numbers, is_packed = value
        data = self.pack("%d%s" % (len(numbers), ARRAYS[code]), *numbers)
        stored = zlib.compress(data, 1) if is_packed else data
        return code.encode() + self.pack("III", len(numbers), is_packed, len(stored)) + stored

    def node(self, start, name, values=(), children=None):
        """`children` None: there is no list, not even an empty one."""
        data = b"".join(self.value(*value) for value in values)
        out = name + data
        if children is not None:
            out += self.nodes(start + self.head + len(out), children)
        end = start + self.head + len(out)
        return self.pack(self.size, end, len(values), len(data), len(name)) + out

    def nodes(self, start, children):
        out = b""
        for child in children:
            out += self.node(start + len(out), *child)
        return out + bytes(self.head)

    def footer(self, start, is_spaced=False, list_start=None):
        at = start + 16 + (4 if is_spaced else 0)
        out = CODE + bytes(at - start - 16 + 16 - at % 16)
        if not is_spaced:
            out += self.pack("I", start + len(out) - list_start if list_start else 0)
        return out + self.pack("I", self.version) + bytes(120) + FOOTER

    def file(self, children, is_spaced=False, extension=None, container=None):
        out = MAGIC + bytes([self.order == ">"]) + self.pack("I", container or self.version)
        out += self.nodes(len(out), children)
        out += self.footer(len(out), is_spaced)
        if extension is not None:
            start = len(out)
            out += self.nodes(start, extension)
            out += self.footer(len(out), list_start=start)
        return out


def text(value):
    return "S", value.encode(errors=fbx_file.RAW)


def header(version):
    return (b"FBXHeaderExtension", [], [(b"FBXHeaderVersion", [("I", 1003)]),
                                        (b"FBXVersion", [("I", version)])])


CREATOR = (b"Creator", [text("Tenon's fixtures")])
CORNERS = (0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 0.5)


def square(is_packed):
    return (b"Geometry", [("L", 10), text("Square\x00\x01Geometry"), text("Mesh")], [
        (b"Vertices", [("d", (CORNERS, is_packed))]),
        (b"PolygonVertexIndex", [("i", ((0, 1, 2, -4), is_packed))]),
        (b"GeometryVersion", [("I", 124)])])


def model(number, name, kind):
    return (b"Model", [("L", number), text(name + "\x00\x01Model"), text(kind)], [
        (b"Version", [("I", 232)]),
        (b"Properties70", [], [
            (b"P", [text("Lcl Translation"), text("Lcl Translation"), text(""), text("A"),
                    ("D", 1.5), ("D", -2.0), ("D", 0.25)])]),
        (b"Shading", [("C", ord("T"))])])


def link(child, parent):
    return b"C", [text("OO"), ("L", child), ("L", parent)]


def scene(version, is_packed):
    return [
        header(version), CREATOR,
        (b"GlobalSettings", [], [(b"Properties70", [], [
            (b"P", [text("UpAxis"), text("int"), text("Integer"), text(""), ("I", 1)]),
            (b"P", [text("UnitScaleFactor"), text("double"), text("Number"), text(""),
                    ("D", 100.0)])])]),
        (b"References", [], []),
        (b"Objects", [], [square(is_packed), model(20, "mast", "Null"),
                          model(21, "jib", "Mesh"), (b"Material", [
                              ("L", 30), text("red\x00\x01Material"), text("")], []),
                          (b"AnimationStack", [("L", 40), text("lift\x00\x01AnimStack"),
                                               text("")], [])]),
        (b"Connections", [], [link(20, 0), link(21, 20), link(10, 21), link(30, 21)]),
        (b"Takes", [], [(b"Take", [text("lift")], [
            (b"LocalTime", [("L", 0), ("L", 46186158000)])])])]


# Every type of value, with numbers whose bits a reader must not change.
ODD = [header(7400), (b"Values", [
    ("C", 1), ("B", 255), ("Y", -32768), ("I", -1), ("L", -2 ** 63), ("F", float("-inf")),
    ("D", -0.0), text(""), ("S", b"a\x00b\xff"), ("R", bytes(5))], [
        (b"Bytes", [("c", ((1, 2, 255), 0))]), (b"Flags", [("b", ((1, 0), 0))]),
        (b"Floats", [("f", ((0.5, float("inf"), -0.0), 0))]),
        (b"Times", [("l", ((0, 2 ** 63 - 1, -5), 1))]), (b"Doubles", [("d", ((1e-300,), 0))]),
        (b"Empty", [("i", ((), 0))]), (b"", []), (b"List", [], [])])]

# Before version 7, a node has one value for each number.
OLD = [(b"Model", [text("Plane")], [
    (b"Vertices", [("D", float(i % 5)) for i in range(36)]),
    (b"PolygonVertexIndex", [("I", -1 - i % 12 if i % 3 == 2 else i % 12) for i in range(33)]),
    (b"Key", [("L", 0), ("D", 1.5), ("C", ord("L")), ("L", 1924423250), ("D", 2.0),
              ("C", ord("L"))]), (b"Children", [text("Jib")])]),
       (b"Model", [text("Jib")], [(b"Type", [text("Limb")])]),
       (b"Takes", [], [(b"Current", [text("")])])]
EXTENSION = [(b"FileId", [("R", bytes(16))]), (b"Summary", [], [(b"Version", [("I", 100)])])]


# -- Text

TEXT = """\
; FBX 7.4.0 project file
; ----------------------------------------------------

FBXHeaderExtension:  {
  FBXHeaderVersion: 1003
  FBXVersion: 7400
}
Creator: , "Tenon's &quot;fixtures&quot;"
Objects:  {
  Geometry: 10, "Geometry::Square", "Mesh" {
    Vertices: *12 {
      a: 0,0,0,2,0,0,2,1,0,0,1,5e-1
    }
    PolygonVertexIndex: *4 {
      a: 0,1,2,-4
    }
  }
  Model: 20, "Model::mast", "Null" {
    Properties70:  {
      P: "Lcl Translation", "Lcl Translation", "", "A",1.5,-2,.25
    }
    Shading: T
    Culling: "CullingOff"
  }
  Model: 21, "Model::jib", "Mesh" {
  }
  Video: 50, "Video::none", "Clip" {
    Content: ,
      "AAECAwQFBgc=",
      "CAkK"
  }
}
Connections:  {
  ;Model::mast, Model::RootNode
  C: "OO",20,0
  C: "OO",21,20
  C: "OO",10,21
}
Takes:  {
  Current: ""
}
"""

OLD_TEXT = """\
FBXHeaderExtension: {
  FBXVersion: 6100
}
Objects: {
  Model: "Model::Plane", "Mesh" {
    Version: 232
    Vertices: 0.0,0.0,0.0,1.0,0.0,0.0,1.0,1.0,0.0,0.0,1.0,0.0
    ,0.0,0.0,1.0,1.0,0.0,1.0,1.0,1.0,1.0,0.0,1.0,1.0
    ,+007.,1.#INF,-1.#IND,1e400,-0.0,1E+3,12345678901234567890123,-9,0,1,2,3
    PolygonVertexIndex: 0,1,2,-4,
      4,5,6,-8
  }
  Model: "Model::Jib", "Limb" {
    Channel: "X" {
      Key:
        1924423250,0.5,U,s,-1,0.25,n,
        3848846500,1.5,L
    }
  }
}
Connections: {
  Connect: "OO", "Model::Plane", "Model::Scene"
  Connect: "OO", "Model::Jib", "Model::Plane"
}
"""


# -- Scenes

def packed_value(value):
    """A value of fbx_file.py for the packer; long arrays are compressed."""
    if isinstance(value, fbx_file.Array):
        size = len(value.numbers) * struct.calcsize(ARRAYS[value.letter])
        return value.letter, (value.numbers, size > 128)
    if isinstance(value, fbx_file.Name):
        return text(value.text + "\x00\x01" + value.kind)
    if isinstance(value, fbx_file.Int):
        return "I", value.value
    if isinstance(value, fbx_file.Letter):
        return "C", ord(value.value)
    if isinstance(value, bytes):
        return "R", value
    return text(value) if isinstance(value, str) else ("D" if isinstance(value, float) else "L",
                                                       value)


def packed_node(node):
    children = None if node.children is None else [packed_node(n) for n in node.children]
    return node.name.encode(), [packed_value(value) for value in node.values], children


def scene_fixtures():
    """Those that move in both encodings, the others in one."""
    for name, make in fbx_fixture_scenes.SCENES.items():
        nodes = make().nodes()
        if name not in ("curves", "frames"):
            yield name, Packer(7400).file([packed_node(node) for node in nodes])
        if name != "looks":
            yield name + "_text", fbx_file.as_text(nodes)
    for name, make in fbx_program_scenes.SCENES.items():
        nodes = [packed_node(node) for node in make().nodes()]
        if name == "max":
            yield name, fbx_file.as_text(make().nodes())
        else:
            yield name, Packer(7400).file(nodes, is_spaced=name == "blender")
    yield "six", fbx_fixture_scenes.SIX.encode()
    yield "five", fbx_fixture_scenes.FIVE.encode()


def fixtures():
    yield "narrow", Packer(7400).file(scene(7400, 0), is_spaced=True)
    yield "wide", Packer(7500).file(scene(7500, 1))
    yield "big_endian", Packer(7400, ">").file(scene(7400, 1))
    yield "values", Packer(7400).file(ODD)
    yield "old", Packer(5800).file(OLD, extension=EXTENSION, container=3000)
    yield "text", TEXT.replace("  ", "\t").encode()
    yield "text_old", OLD_TEXT.replace("\n", "\r\n").encode()
    yield from scene_fixtures()


def fixture_files():
    made = {name + ".fbx": data for name, data in fixtures()}
    for name, data in made.items():
        assert len(data) <= SIZE_LIMIT, "%s: %d bytes" % (name, len(data))
    return made


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
