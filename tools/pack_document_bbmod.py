"""BBMOD and BBANIM files packed from the format's document alone, in each reading of it.

The document leaves several things open or says them twice. A model is packed by a `ModelReading`,
an animation by an `AnimationReading`: every combination of the two answers to each open question.
What is packed is plain Python data in the words of the document, so that a test can compare it
field by field with what a reader makes of the bytes. No code is shared with the library or with the
packers of the engine's files.
"""
# SPDX-License-Identifier: MIT

import itertools
import math
import struct
from collections import namedtuple

SPACE_PARENT, SPACE_WORLD, SPACE_BONE = 0x1, 0x2, 0x4
POINTS, LINES, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP = range(1, 6)
IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)

# The flags of a vertex format in their order, the fields that each brings, and how many floats each
# field has. A color is one integer.
ATTRIBUTES = (
    ("vertices", (("position", 3),)),
    ("normals", (("normal", 3),)),
    ("texture_coords", (("uv1", 2),)),
    ("texture_coords2", (("uv2", 2),)),
    ("colors", (("color", 1),)),
    ("tangent_w", (("tangent_w", 4),)),
    ("bones", (("bone_indices", 4), ("bone_weights", 4))),
    ("ids", (("instance_id", 1),)),
)
FLAGS = tuple(flag for flag, _ in ATTRIBUTES)

# has_weights: the list of fields decides, so that bones take 32 bytes; else bytesize(): 16.
# text_index: the index of a node is a String, as in the document; else a f32, as in the engine.
# bare_offsets: an offset is its dual quaternion; else the engine's f32 index comes first.
# byte_primitive: PrimitiveType, whose width is not said, is a u8; else a u32.
ModelReading = namedtuple("ModelReading", "has_weights text_index bare_offsets byte_primitive")

# all_spaces: `Spaces & X == 1` means "the bit is set"; else it is true for SPACE_PARENT alone.
# all_frames: there are as many frames as Duration says; else one, as the document lists them.
AnimationReading = namedtuple("AnimationReading", "all_spaces all_frames")

MODEL_READINGS = tuple(ModelReading(*bits) for bits in itertools.product((True, False), repeat=4))
ANIMATION_READINGS = tuple(AnimationReading(*bits)
                           for bits in itertools.product((False, True), repeat=2))
ENGINE_MODEL = ModelReading(True, False, False, False)
ENGINE_ANIMATION = AnimationReading(True, True)


# -- Types

def u8(value):
    return struct.pack("<B", value)


def u32(value):
    return struct.pack("<I", value)


def f32(values):
    return struct.pack("<%df" % len(values), *values)


def f64(value):
    return struct.pack("<d", value)


def string(value):
    return (value if isinstance(value, bytes) else value.encode("utf-8")) + b"\0"


# -- Models

def vertex_fields(flags, reading):
    """Names and sizes of the fields of a vertex."""
    fields = [field for flag, own in ATTRIBUTES if flags[flag] for field in own]
    return [field for field in fields if reading.has_weights or field[0] != "bone_weights"]


def pack_vertex(vertex, flags, reading):
    data = b""
    for name, size in vertex_fields(flags, reading):
        data += u32(vertex[name]) if name == "color" else f32(vertex[name][:size])
    return data


def pack_mesh(mesh, reading):
    flags = mesh["vertex_format"]
    data = u32(mesh["material_index"]) + f32(mesh["bbox_min"]) + f32(mesh["bbox_max"])
    data += b"".join(u8(flags[flag]) for flag in FLAGS)
    data += (u8 if reading.byte_primitive else u32)(mesh["primitive_type"])
    data += u32(mesh["vertex_count"])
    return data + b"".join(pack_vertex(vertex, flags, reading) for vertex in mesh["vertices"])


def pack_node(node, reading):
    index = string(node["index"]) if reading.text_index else f32([float(node["index"])])
    data = string(node["name"]) + index + u8(node["is_bone"]) + f32(node["transform"])
    data += u32(len(node["meshes"])) + b"".join(u32(mesh) for mesh in node["meshes"])
    children = b"".join(pack_node(child, reading) for child in node["children"])
    return data + u32(len(node["children"])) + children


def pack_model(model, reading):
    data = string("BBMOD") + u8(3) + u8(4)
    data += u32(len(model["meshes"]))
    data += b"".join(pack_mesh(mesh, reading) for mesh in model["meshes"])
    data += u32(model["node_count"]) + pack_node(model["root"], reading)
    data += u32(len(model["offsets"]))
    for index, offset in model["offsets"]:
        data += (b"" if reading.bare_offsets else f32([index])) + f32(offset)
    names = model["material_names"]
    return data + u32(len(names)) + b"".join(string(name) for name in names)


# -- Animations

def stored_spaces(spaces, reading):
    """The names of the lists that are present, in their order."""
    known = ((SPACE_PARENT, "parent"), (SPACE_WORLD, "world"), (SPACE_BONE, "bone"))
    return [name for bit, name in known
            if (spaces & bit != 0 if reading.all_spaces else spaces & bit == 1)]


def stored_frames(animation, reading):
    """Each frame as a list of (space, rows)."""
    names = stored_spaces(animation["spaces"], reading)
    count = math.ceil(animation["duration"]) if reading.all_frames else 1
    frames = animation["frames"][:count]
    return [[(name, frame[name]) for name in names] for frame in frames]


def pack_animation(animation, reading):
    data = string("BBANIM") + u8(3) + u8(4) + u8(animation["spaces"])
    data += f64(animation["duration"]) + f64(animation["tics_per_second"])
    data += u32(animation["model_node_count"]) + u32(animation["model_bone_count"])
    for frame in stored_frames(animation, reading):
        data += b"".join(f32(row) for _, rows in frame for row in rows)
    data += u32(len(animation["events"]))
    return data + b"".join(f64(frame) + string(name) for frame, name in animation["events"])


# -- What is packed

def flags_of(*names, value=1):
    return {flag: value if flag in names else 0 for flag in FLAGS}


def dual_quaternion(rotation, translation):
    """Rotate, then translate: the dual part is half the translation times the rotation."""
    x, y, z, w = rotation
    a, b, c = (number / 2 for number in translation)
    return (x, y, z, w, a * w + b * z - c * y, b * w + c * x - a * z, c * w + a * y - b * x,
            -a * x - b * y - c * z)


def vertex_at(number, bone_count=1):
    """A vertex with every field, all numbers of which differ from vertex to vertex."""
    step = number / 8.0
    weights = (0.5, 0.25, 0.125, 0.125) if bone_count > 3 else (0.75, 0.25, 0.0, 0.0)
    bones = [float((number + k) % bone_count) for k in range(4)]
    return {"position": (step, 1.0 + step * step, -step), "normal": (0.0, 0.6, -0.8),
            "uv1": (step, 0.25), "uv2": (0.75, -step), "color": 0x80402010 + number,
            "tangent_w": (1.0, 0.0, 0.0, -1.0 if number % 2 else 1.0), "bone_indices": bones,
            "bone_weights": weights, "instance_id": (float(number),)}


def mesh_of(flags, vertices, primitive=TRIANGLES, material=0, vertex_count=None):
    """A mesh; `vertex_count` is for vertices without a byte."""
    points = [vertex["position"] for vertex in vertices] if flags["vertices"] else []
    box = [tuple(f(point[k] for point in points) for k in range(3)) if points else (0.0, 0.0, 0.0)
           for f in (min, max)]
    count = len(vertices) if vertex_count is None else vertex_count
    return {"material_index": material, "bbox_min": box[0], "bbox_max": box[1],
            "vertex_format": flags, "primitive_type": primitive, "vertex_count": count,
            "vertices": vertices if any(flags.values()) else []}


def node_of(name, index, transform=IDENTITY, meshes=(), children=(), is_bone=0):
    return {"name": name, "index": str(index), "is_bone": is_bone, "transform": transform,
            "meshes": list(meshes), "children": list(children)}


def model_of(meshes, root, offsets=(), names=("paint",), node_count=None):
    """`offsets` are (index, dual quaternion) in ascending order of the index."""
    def size(node):
        return 1 + sum(size(child) for child in node["children"])
    return {"meshes": list(meshes), "node_count": size(root) if node_count is None else node_count,
            "root": root, "offsets": list(offsets), "material_names": list(names)}


def _arm(meshes):
    """Two bones below a root that is not one, all rotated and moved; bones come first."""
    half = 0.5 ** 0.5
    upper = dual_quaternion((0.0, 0.0, half, half), (1.0, 0.0, 0.0))
    lower = dual_quaternion((half, 0.0, 0.0, half), (0.0, 2.0, 0.0))
    hand = node_of("lower", 1, lower, is_bone=1)
    arm = node_of("upper", 0, upper, children=[hand], is_bone=1)
    root = node_of("root", 2, dual_quaternion((0.0, half, 0.0, half), (0.0, 0.0, 3.0)),
                   meshes, [arm])
    offsets = [(0.0, dual_quaternion((0.0, 0.0, -half, half), (0.0, 1.0, 0.0))),
               (1.0, dual_quaternion((0.0, -half, 0.0, half), (0.5, -1.0, 0.25)))]
    return root, offsets


def _skinned():
    flags = flags_of("vertices", "normals", "texture_coords", "bones")
    root, offsets = _arm([0, 1])
    meshes = [mesh_of(flags, [vertex_at(i, 2) for i in range(6)]),
              mesh_of(flags_of("vertices", "colors"), [vertex_at(i) for i in range(3)], material=1)]
    return model_of(meshes, root, offsets, ("skin", "plain"))


def _gap():
    """Bones whose indices do not start at 0: the root has the first."""
    finger = node_of("b", 2, dual_quaternion((0.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0)), is_bone=1)
    bone = node_of("a", 1, dual_quaternion((0.0, 0.0, 0.0, 1.0), (2.0, 0.0, 0.0)),
                   children=[finger], is_bone=1)
    root = node_of("root", 0, IDENTITY, [0], [bone])
    offsets = [(1.0, dual_quaternion((0.0, 0.0, 0.0, 1.0), (-2.0, 0.0, 0.0))),
               (2.0, dual_quaternion((0.0, 0.0, 0.0, 1.0), (-2.0, -1.0, 0.5)))]
    corners = [dict(vertex_at(i), bone_indices=[1.0 + i % 2, 2.0, 1.0, 1.0]) for i in range(3)]
    return model_of([mesh_of(flags_of("vertices", "bones"), corners)], root, offsets)


def _every_format():
    """A mesh for each of the 256 sets of flags; that without any has no bytes to its vertices."""
    meshes = []
    for bits in itertools.product((0, 1), repeat=len(FLAGS)):
        flags = dict(zip(FLAGS, bits))
        meshes.append(mesh_of(flags, [vertex_at(i, 2) for i in range(3)]))
    root, offsets = _arm(range(len(meshes)))
    return model_of(meshes, root, offsets)


def _primitives():
    counts = ((POINTS, 4), (LINES, 4), (LINE_STRIP, 4), (TRIANGLES, 6), (TRIANGLE_STRIP, 5))
    flags = flags_of("vertices", "texture_coords")
    meshes = [mesh_of(flags, [vertex_at(i) for i in range(count)], kind) for kind, count in counts]
    return model_of(meshes, node_of("all", 0, meshes=range(len(meshes))))


def _tree():
    """Names of all sorts, a chain and siblings, a mesh of several nodes, indices in no order."""
    turn = dual_quaternion((0.0, 0.6, 0.0, 0.8), (1.0, 2.0, 3.0))
    chain = node_of("leaf", 5, turn, [0])
    for index in (4, 3, 2):
        chain = node_of("chain", index, turn, children=[chain])
    root = node_of("", 6, turn, [0, 1], [chain, node_of("gr\u00fc\u00df dich", 0, turn, [1]),
                                         node_of("a b/c.\\d", 1)])
    meshes = [mesh_of(flags_of("vertices"), [vertex_at(i) for i in range(3)], material=m)
              for m in (1, 0)]
    return model_of(meshes, root, (), ("", "gr\u00fcn", "unused"))


def _bare_counts():
    """Vertices that are counted and have no bytes, beside those that do."""
    none = flags_of()
    meshes = [mesh_of(none, [], TRIANGLES, vertex_count=3), mesh_of(none, [], vertex_count=0),
              mesh_of(flags_of("vertices"), [vertex_at(i) for i in range(3)]),
              mesh_of(none, [], POINTS, vertex_count=0xffffffff),
              mesh_of(flags_of("vertices"), [], TRIANGLE_STRIP)]
    return model_of(meshes, node_of("root", 0, meshes=range(5)))


def _texts():
    """Indices that are text: numbers written otherwise, and what is not a number."""
    nodes = [node_of(name, index) for name, index in (("plain", "1"), ("real", "2.0"),
                                                      ("word", "left arm"), ("empty", ""))]
    return model_of([], node_of("root", "0", children=nodes))


def models():
    """Name to content. What only a String can be is packed under readings with one."""
    lone = model_of([], node_of("", 0), (), ())
    true = model_of([mesh_of(flags_of("vertices", "bones", value=255),
                             [vertex_at(i) for i in range(3)])],
                    node_of("root", 0, meshes=[0], is_bone=2), [(0.0, IDENTITY)])
    # Whatever the width of its type, such a mesh can be followed by something that looks valid.
    bare = model_of([mesh_of(flags_of(), [], vertex_count=3)], node_of("bare node", 0, meshes=[0]))
    return {"lone": lone, "bare": bare, "skinned": _skinned(), "gap": _gap(),
            "formats": _every_format(), "primitives": _primitives(), "tree": _tree(),
            "counts": _bare_counts(), "texts": _texts(), "true": true}


def animation_of(spaces, duration, node_count, bone_count, events=(), rate=30.0):
    """Frames in every space, whether or not they are stored; as many as the duration begins."""
    frame_count = max(1, math.ceil(duration))
    frames = []
    for f in range(frame_count):
        def row(space, i):
            half = 0.5 ** 0.5
            return dual_quaternion((0.0, half, 0.0, half) if f % 2 else (0.0, 0.0, 0.0, 1.0),
                                   (f + 0.25 * i, float(space), -0.5 * i))
        frames.append({"parent": [row(1, i) for i in range(node_count)],
                       "world": [row(2, i) for i in range(node_count)],
                       "bone": [row(4, i) for i in range(bone_count)]})
    return {"spaces": spaces, "duration": duration, "tics_per_second": rate,
            "model_node_count": node_count, "model_bone_count": bone_count, "frames": frames,
            "events": list(events)}


def animations():
    """Name to content."""
    named = {}
    for spaces in range(8):
        for duration in (1.0, 3.0):
            named["spaces%d_%d" % (spaces, duration)] = animation_of(spaces, duration, 3, 2)
    events = ((0.0, "start"), (1.5, ""), (-0.0, "\u00fc"), (1e300, "far"))
    named["events"] = animation_of(SPACE_PARENT | SPACE_BONE, 3.0, 3, 2, events)
    named["zero"] = animation_of(SPACE_PARENT, 0.0, 3, 2, events[:1])
    named["fraction"] = animation_of(SPACE_PARENT | SPACE_BONE, 2.5, 3, 2, rate=23.976)
    named["no_nodes"] = animation_of(7, 3.0, 0, 0, events)
    named["no_bones"] = animation_of(7, 3.0, 2, 0)
    named["unknown"] = animation_of(8 | SPACE_PARENT, 2.0, 3, 2)
    return named
