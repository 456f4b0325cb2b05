#!/usr/bin/env python3
"""small_files.py: small models in formats that only tenon-import reads, and how to damage them."""
# SPDX-License-Identifier: MIT

import struct

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def ply():
    head = ["ply", "format ascii 1.0", f"element vertex {len(CORNERS)}", "property float x",
            "property float y", "property float z", "property uchar red", "property uchar green",
            "property uchar blue", f"element face {len(FACES)}",
            "property list uchar int vertex_indices", "end_header"]
    points = ["%g %g %g 255 0 128" % corner for corner in CORNERS]
    faces = ["3 %d %d %d" % face for face in FACES]
    return ("\n".join(head + points + faces) + "\n").encode()


def stl():
    out = bytes(80) + struct.pack("<I", len(FACES))
    for face in FACES:
        out += struct.pack("<12fH", 0, 0, 1, *(n for i in face for n in CORNERS[i]), 0)
    return out


def obj():
    points = ["v %g %g %g" % corner for corner in CORNERS]
    faces = ["f %d %d %d" % tuple(i + 1 for i in face) for face in FACES]
    return ("o tetrahedron\n" + "\n".join(points + faces) + "\n").encode()


def lws(name):
    """A scene whose only object is in a file beside it."""
    return f"LWSC\n3\n\nLoadObject {name}\nShowObject 7 7\n".encode()


def source(name, numbers, width, params):
    listed = " ".join("%g" % n for n in numbers)
    inside = "".join(f'<param name="{p}" type="float"/>' for p in params)
    return (f'<source id="{name}"><float_array id="{name}-a" count="{len(numbers)}">{listed}'
            f'</float_array><technique_common><accessor source="#{name}-a" '
            f'count="{len(numbers) // width}" stride="{width}">{inside}</accessor>'
            "</technique_common></source>")


def dae(up="Y_UP", metre="1"):
    """A tetrahedron with a texture that rotates around Y for a second."""
    numbers = [n for corner in CORNERS for n in corner]
    uvs = [0, 0, 1, 0, 0, 1, 1, 1]
    indices = " ".join(f"{i} {i}" for face in FACES for i in face)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="unit" meter="{metre}"/><up_axis>{up}</up_axis></asset>
<library_images><image id="wood"><init_from>wood.png</init_from></image></library_images>
<library_effects><effect id="fx"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>wood</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="common"><phong><diffuse><texture texture="t" texcoord="UV"/></diffuse>
</phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="m"><instance_effect url="#fx"/></material>
</library_materials>
<library_geometries><geometry id="g" name="tetrahedron"><mesh>
{source("p", numbers, 3, "XYZ")}{source("u", uvs, 2, "ST")}
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(FACES)}" material="mat"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="TEXCOORD" source="#u" offset="1" set="0"/><p>{indices}</p></triangles>
</mesh></geometry></library_geometries>
<library_animations><animation id="a">{source("in", [0, 1], 1, ["TIME"])}
{source("out", [0, 90], 1, ["ANGLE"])}
<source id="how"><Name_array id="how-a" count="2">LINEAR LINEAR</Name_array><technique_common>
<accessor source="#how-a" count="2"><param name="INTERPOLATION" type="name"/></accessor>
</technique_common></source>
<sampler id="sam"><input semantic="INPUT" source="#in"/><input semantic="OUTPUT" source="#out"/>
<input semantic="INTERPOLATION" source="#how"/></sampler>
<channel source="#sam" target="n/turn.ANGLE"/></animation></library_animations>
<library_visual_scenes><visual_scene id="vs"><node id="n" name="n" type="NODE">
<translate sid="move">1 2 3</translate><rotate sid="turn">0 1 0 0</rotate>
<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="mat" target="#m"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#vs"/></scene></COLLADA>
""".encode()


# -- Damage

def cut(data, rng):
    return data[:rng.randrange(len(data))]


def flip(data, rng):
    out = bytearray(data)
    for _ in range(rng.choice((1, 2, 8, 64))):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def fill(data, rng):
    at, size = rng.randrange(len(data)), rng.choice((1, 4, 8, 64))
    return data[:at] + bytes([rng.choice((0, 0x7f, 0x80, 0xff))]) * size + data[at + size:]


def repeat(data, rng):
    at, size = rng.randrange(len(data)), rng.randrange(1, 400)
    return data[:at] + data[at:at + size] * rng.randrange(2, 40) + data[at + size:]


def remove(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randrange(1, 400):]


def number(data, rng):
    """Another number where there is one, in a text; elsewhere, four bytes."""
    at = rng.randrange(len(data))
    digits = [i for i in range(at, min(at + 2000, len(data))) if 48 <= data[i] <= 57]
    if not digits:
        return data[:at] + rng.randbytes(4) + data[at + 4:]
    big = rng.choice((b"-1", b"0", b"99999999", b"4294967295", b"1e38", b"nan", b"2147483648"))
    return data[:digits[0]] + big + data[digits[0] + 1:]


def damage(data, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if data:
            data = rng.choice((cut, flip, flip, fill, repeat, remove, number, number))(data, rng)
    return data
