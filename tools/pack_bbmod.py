"""BBMOD and BBANIM bytes: the pieces of files of every generation, and the crane as files.

A dialect is named as the library names it: "3.4" down to "0" for models and "1" for animations,
"1a", "1b" and "1a-boneless" for the variants of version 1, "3.0-upper" and "3.1-lower" for files
under the wrong magic, "repeated" for those of a broken saver, "document" for the format's own text.
"""
# SPDX-License-Identifier: MIT

import struct

PARENT, WORLD, BONE = 1, 2, 4
POINTS, LINES, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = range(1, 7)

FLAGS = ("vertices", "normals", "texture_coords", "texture_coords2", "colors", "tangent_w", "bones",
         "ids")

MINORS = {"3.4": 4, "3.3": 3, "3.2": 2, "3.1": 1, "3.0-upper": 0, "document": 4,
          "document-spaces": 4, "repeated": 4}


# -- Pieces

def u8(*values):
    return struct.pack("<%dB" % len(values), *values)


def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def f64(*values):
    return struct.pack("<%dd" % len(values), *values)


def text(value):
    """Text with a zero behind it; bytes are taken as they are."""
    return (value if isinstance(value, bytes) else value.encode("utf-8")) + b"\0"


def counted(items):
    return u32(len(items)) + b"".join(items)


def header(name, dialect):
    """Magic and version; `name` is "bbmod" or "bbanim"."""
    if dialect in MINORS:
        return text(name.upper()) + u8(3, MINORS[dialect])
    if dialect == "3.1-lower":
        return text(name) + u8(3, 1)
    major = int(dialect[0])
    return u8(0) if major == 0 else text(name) + u8(major)


def dual_quaternion(rotation, translation):
    """Rotate, then translate: real part, then half the translation times the real part."""
    x, y, z, w = rotation
    a, b, c = (component / 2 for component in translation)
    return (x, y, z, w, a * w + b * z - c * y, b * w + c * x - a * z, c * w + a * y - b * x,
            -a * x - b * y - c * z)


# -- Meshes

def known_flags(dialect):
    """The flags that a vertex format of the dialect has."""
    if dialect == "0":
        unknown = ("texture_coords2", "bones", "ids")
    elif dialect.startswith("1"):
        unknown = ("texture_coords2", "ids")
    else:
        unknown = () if dialect in ("3.4", "3.3", "document") else ("texture_coords2",)
    return [flag for flag in FLAGS if flag not in unknown]


def vertex_format(dialect, flags):
    return u8(*(1 if flag in flags else 0 for flag in known_flags(dialect)))


def vertex(position, normal=None, uv=None, uv2=None, color=None, tangent=None, bones=None,
           weights=None, instance=None):
    """Attributes in file order, those that are given. Colours are four bytes."""
    data = f32(*position)
    for numbers in (normal, uv, uv2):
        data += f32(*numbers) if numbers is not None else b""
    data += u8(*color) if color is not None else b""
    for numbers in (tangent, bones, weights):
        data += f32(*numbers) if numbers is not None else b""
    return data + (f32(instance) if instance is not None else b"")


def has_own_formats(dialect):
    return dialect in ("3.4", "3.3", "3.2", "document")


def mesh(dialect, flags, vertices, material=0, box=None, primitive=TRIANGLES):
    """`box` is six numbers; left out, that of the vertices, which start with their position."""
    pieces = [u32(material)]
    if has_own_formats(dialect) or dialect == "3.1":
        pieces.append(f32(*(bounds(vertices) if box is None else box)))
    if has_own_formats(dialect):
        pieces += [vertex_format(dialect, flags), u32(primitive)]
    return b"".join(pieces) + counted(vertices)


def bounds(vertices):
    points = [struct.unpack_from("<3f", data) for data in vertices] or [(0.0, 0.0, 0.0)]
    return ([min(point[k] for point in points) for k in range(3)]
            + [max(point[k] for point in points) for k in range(3)])


# -- Nodes and bones

def node(dialect, name, index, transform, meshes=(), children=(), is_bone=False):
    """`transform` has eight or, in version 2, sixteen numbers; children are packed."""
    number = text(str(index)) if dialect == "document" else f32(index)
    return (text(name) + number + u8(is_bone) + f32(*transform) + counted([u32(m) for m in meshes])
            + counted(children))


def bone(dialect, index, offset):
    return (b"" if dialect == "document" else f32(index)) + f32(*offset)


def v1_node(name, meshes=(), children=()):
    return text(name) + counted(meshes) + counted(children)


def v1_bone(name, index, transform, offset, children=()):
    return text(name) + f32(index) + f32(*transform) + f32(*offset) + counted(children)


# -- Models

def v0_model(flags, vertices):
    return header("bbmod", "0") + vertex_format("0", flags) + counted(vertices)


def v1_model(dialect, flags, inverse, root, bone_count=0, skeleton=b"", materials=()):
    pieces = [header("bbmod", dialect), vertex_format(dialect, flags), f32(*inverse), root]
    if dialect != "1a-boneless":
        pieces += [u32(bone_count), skeleton]
    pieces.append(u32(len(materials)))
    if dialect == "1b":
        pieces += [text(name) for name in materials]
    return b"".join(pieces)


def model(dialect, flags, meshes, node_count, root, bones=(), materials=(), inverse=None):
    """A model of version 2 or 3 of packed parts."""
    pieces = [header("bbmod", dialect)]
    if not has_own_formats(dialect):
        pieces.append(vertex_format(dialect, flags))
    pieces.append(counted(meshes))
    if dialect == "2":
        pieces.append(f32(*inverse))
    pieces += [u32(node_count), root, counted(bones), counted([text(name) for name in materials])]
    return b"".join(pieces)


# -- Animations

def animation(dialect, spaces, frames, node_count, bone_count, rate=60.0, duration=None, events=()):
    """`frames` are packed; `events` of (frame, name), None for no block of events at all."""
    duration = len(frames) if duration is None else duration
    pieces = [header("bbanim", dialect), u8(spaces), f64(duration, rate),
              u32(node_count, bone_count)] + list(frames)
    if events is not None:
        pieces.append(counted([f64(frame) + text(name) for frame, name in events]))
    return b"".join(pieces)


def channel(index, positions, rotations):
    """Keys are (time, numbers)."""
    return (f32(index) + counted([f64(time) + f32(*value) for time, value in positions])
            + counted([f64(time) + f32(*value) for time, value in rotations]))


def keyframes(dialect, duration, rate, model_count, channels):
    return header("bbanim", dialect) + f64(duration, rate) + u32(model_count) + counted(channels)
