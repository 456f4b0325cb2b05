"""BBMOD and BBANIM bytes: the pieces of files of every generation, and the crane as files.

A dialect is named as the library names it: "3.4" down to "0" for models and "1" for animations,
"1a", "1b" and "1a-boneless" for the variants of version 1, "3.0-upper" and "3.1-lower" for files
under the wrong magic, "repeated" for those of a broken saver, "document" for the format's document,
with "16", "byte", "indexed" and "f32" after it for other readings of that.
"""
# SPDX-License-Identifier: MIT

import json
import struct

from bbmod_arm import Place
from crane import sample_pose

PARENT, WORLD, BONE = 1, 2, 4
POINTS, LINES, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = range(1, 7)

FLAGS = ("vertices", "normals", "texture_coords", "texture_coords2", "colors", "tangent_w", "bones",
         "ids")

MINORS = {"3.4": 4, "3.3": 3, "3.2": 2, "3.1": 1, "3.0-upper": 0, "repeated": 4}


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
    """Text followed by a zero; bytes are not changed."""
    return (value if isinstance(value, bytes) else value.encode("utf-8")) + b"\0"


def counted(items):
    return u32(len(items)) + b"".join(items)


def is_document(dialect, part=None):
    """Whether it is the format's document, read as `part` says."""
    return dialect.startswith("document") and (part is None or part in dialect.split("-"))


def header(name, dialect):
    """Magic and version; `name` is "bbmod" or "bbanim"."""
    if dialect in MINORS or is_document(dialect):
        return text(name.upper()) + u8(3, MINORS.get(dialect, 4))
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
        has_both = dialect in ("3.4", "3.3") or is_document(dialect)
        unknown = () if has_both else ("texture_coords2",)
    return [flag for flag in FLAGS if flag not in unknown]


def vertex_format(dialect, flags):
    return u8(*(1 if flag in flags else 0 for flag in known_flags(dialect)))


def vertex(position, normal=None, uv=None, uv2=None, color=None, tangent=None, bones=None,
           weights=None, instance=None):
    """Attributes in file order, those that are given. Colors are four bytes."""
    data = f32(*position)
    for numbers in (normal, uv, uv2):
        data += f32(*numbers) if numbers is not None else b""
    data += u8(*color) if color is not None else b""
    for numbers in (tangent, bones, weights):
        data += f32(*numbers) if numbers is not None else b""
    return data + (f32(instance) if instance is not None else b"")


def has_own_formats(dialect):
    return dialect in ("3.4", "3.3", "3.2") or is_document(dialect)


def mesh(dialect, flags, vertices, material=0, box=None, primitive=TRIANGLES):
    """`box` is six numbers; left out, that of the vertices, which start with their position."""
    pieces = [u32(material)]
    if has_own_formats(dialect) or dialect == "3.1":
        pieces.append(f32(*(bounds(vertices) if box is None else box)))
    if has_own_formats(dialect):
        width = u8 if is_document(dialect, "byte") else u32
        pieces += [vertex_format(dialect, flags), width(primitive)]
    return b"".join(pieces) + counted(vertices)


def bounds(vertices):
    points = [struct.unpack_from("<3f", data) for data in vertices] or [(0.0, 0.0, 0.0)]
    return ([min(point[k] for point in points) for k in range(3)]
            + [max(point[k] for point in points) for k in range(3)])


# -- Nodes and bones

def node(dialect, name, index, transform, meshes=(), children=(), is_bone=False):
    """`transform` has eight or, in version 2, sixteen numbers; children are packed."""
    has_text = is_document(dialect) and not is_document(dialect, "f32")
    number = text(str(index)) if has_text else f32(index)
    return (text(name) + number + u8(is_bone) + f32(*transform) + counted([u32(m) for m in meshes])
            + counted(children))


def bone(dialect, index, offset):
    is_bare = is_document(dialect) and not is_document(dialect, "indexed")
    return (b"" if is_bare else f32(index)) + f32(*offset)


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


# -- The crane
#
# BBMOD is left-handed: Z is negated and triangles are reversed. Y stays up, as the converter
# leaves it, and texture coordinates start at the top left, as they do in the crane.

RATE = 60.0
EVENTS = {"travel": ((30.0, "half_speed"), (72.5, "swing"))}
SPACES = {"travel": PARENT, "lift": WORLD | BONE}


def _mirrored(transform):
    x, y, z = transform.translation
    qx, qy, qz, qw = transform.rotation
    return Place((x, y, -z), (-qx, -qy, qz, qw))


def _worlds(model, places):
    result = []
    for joint, place in zip(model.joints, places):
        result.append(place if joint.parent < 0 else result[joint.parent].of(place))
    return result


def crane_slots(model):
    """The index of every joint: first those with skinned vertices, then the others as they come."""
    bones = []
    for part in model.parts:
        for vertex_ in part.vertices:
            bones += [joint for joint in vertex_.joints if joint not in bones]
    others = [i for i in range(len(model.joints)) if i not in bones]
    return {joint: slot for slot, joint in enumerate(sorted(bones) + others)}, len(bones)


def _corner(source, slots):
    x, y, z = source.position
    nx, ny, nz = source.normal
    bones = weights = None
    if source.joints:
        bones = [slots[joint] for joint in source.joints] + [0] * (4 - len(source.joints))
        weights = source.weights + (0.0,) * (4 - len(source.weights))
    return vertex((x, y, -z), (nx, ny, -nz), source.uv, None, source.color, None, bones, weights)


def _crane_mesh(part, slots):
    flags = ["vertices", "normals", "texture_coords", "colors"]
    if part.joint is None:
        flags.append("bones")
    corners = [_corner(part.vertices[i], slots) for a, b, c in part.triangles for i in (a, c, b)]
    return mesh("3.4", flags, corners, part.material)


def _crane_node(model, index, slots, bone_count):
    joint = model.joints[index]
    children = [_crane_node(model, i, slots, bone_count)
                for i, other in enumerate(model.joints) if other.parent == index]
    # Meshes with bones have no transform; the root holds them.
    held = [i for i, part in enumerate(model.parts)
            if part.joint == index or (part.joint is None and index == 0)]
    place = _mirrored(joint.rest)
    return node("3.4", joint.name, slots[index], dual_quaternion(place.rotation, place.translation),
                held, children, slots[index] < bone_count)


def crane_model(source):
    slots, bone_count = crane_slots(source)
    binds = _worlds(source, [_mirrored(joint.bind) for joint in source.joints])
    offsets = {slots[i]: bind.inverse() for i, bind in enumerate(binds)}
    bones = [bone("3.4", slot, dual_quaternion(offsets[slot].rotation, offsets[slot].translation))
             for slot in range(bone_count)]
    return model("3.4", (), [_crane_mesh(part, slots) for part in source.parts],
                 len(source.joints), _crane_node(source, 0, slots, bone_count), bones,
                 [material.name for material in source.materials])


def crane_animation(source, clip):
    """All frames of a clip, its last moment included."""
    slots, bone_count = crane_slots(source)
    order = sorted(slots, key=slots.get)
    binds = _worlds(source, [_mirrored(joint.bind) for joint in source.joints])
    spaces, frames = SPACES[clip.name], []
    for i in range(round(clip.length * RATE) + 1):
        places = [_mirrored(local) for local in sample_pose(source, clip, i / RATE)]
        worlds = _worlds(source, places)
        rows = [places[j] for j in order] if spaces & PARENT else []
        rows += [worlds[j] for j in order] if spaces & WORLD else []
        rows += ([worlds[j].of(binds[j].inverse()) for j in order[:bone_count]]
                 if spaces & BONE else [])
        frames.append(b"".join(f32(*dual_quaternion(row.rotation, row.translation))
                               for row in rows))
    return animation("3.4", spaces, frames, len(source.joints), bone_count, RATE,
                     events=EVENTS.get(clip.name, ()))


def crane_material(material):
    """The .bbmat of a material with a texture."""
    content = {
        "__MaterialName": "BBMOD_MATERIAL_DEFAULT",
        "RenderQueue": "Default",
        "BaseOpacityMultiplier": {"Red": 255.0, "Green": 255.0, "Blue": 255.0, "Alpha": 1.0},
        "Repeat": False,
        "__Textures": {"BaseOpacity": material.texture},
    }
    return (json.dumps(content, indent=4) + "\n").encode("ascii")


def crane_files(source):
    """Name to bytes: the model, its clips, its textured materials."""
    files = {"crane.bbmod": crane_model(source)}
    for clip in source.clips:
        files["crane_%s.bbanim" % clip.name] = crane_animation(source, clip)
    for material in source.materials:
        if material.texture:
            files["crane_%s.bbmat" % material.name] = crane_material(material)
    return files
