"""BPLX bytes: the pieces of a file, and the crane as a file.

Two layouts exist. "document" is that of the format's document; "script" is what its published
programs write, which count a material and then leave out the materials.
"""
# SPDX-License-Identifier: MIT

import struct

from crane import merged, sample_pose

SCALE_ONE = (1.0, 1.0, 1.0)


# -- Pieces, in file order

def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def text(value):
    """A counted string; bytes are not changed."""
    data = value if isinstance(value, bytes) else value.encode("utf-8")
    return u32(len(data)) + data


def header(vertex_count, face_count, material_count):
    return b"BPLX" + u32(1, vertex_count, face_count, material_count, 0)


def material(name, diffuse, specular, shininess, emissive, transparency, texture=""):
    """One material. `transparency` is 1 for opaque: the name in the document is misleading."""
    colors = f32(*diffuse, *specular, shininess, *emissive, transparency)
    return text(name) + colors + struct.pack("<B", 1 if texture else 0) + text(texture)


def vertices(positions, normals, uvs):
    """Three runs, not interleaved."""
    return b"".join(f32(*item) for run in (positions, normals, uvs) for item in run)


def faces(triangles):
    return b"".join(u32(*triangle) for triangle in triangles)


def bone(name, parent, position, rotation, scale=SCALE_ONE):
    return text(name) + struct.pack("<i", parent) + f32(*position, *rotation, *scale)


def key(time, bone_index, position, rotation, scale=SCALE_ONE):
    return f32(time) + u32(bone_index) + f32(*position, *rotation, *scale)


def clip(name, length, keys):
    return text(name) + f32(length) + u32(len(keys)) + b"".join(keys)


def counted(items):
    return u32(len(items)) + b"".join(items)


# -- A model

def _material_of(source):
    return material(source.name, source.diffuse, source.specular, source.shininess,
                    source.emissive, source.opacity, source.texture)


def _clip_of(model, source):
    """A key holds position and rotation both, so each joint has one wherever it has either."""
    moments = sorted({(time, channel.joint) for channel in source.channels
                      for time in channel.times})
    keys = []
    for time, joint in moments:
        local = sample_pose(model, source, time)[joint]
        keys.append(key(time, joint, local.translation, local.rotation))
    return clip(source.name, source.length, keys)


def pack(model, layout):
    """The model as one mesh in its rest pose, UV origin bottom-left; "document" or "script"."""
    soup = merged(model)
    is_document = layout == "document"
    pieces = [header(len(soup.vertices), len(soup.triangles),
                     len(model.materials) if is_document else 1)]
    if is_document:
        pieces.append(counted([_material_of(m) for m in model.materials]))
    pieces.append(vertices([v.position for v in soup.vertices], [v.normal for v in soup.vertices],
                           [(v.uv[0], 1.0 - v.uv[1]) for v in soup.vertices]))
    pieces.append(faces(soup.triangles))
    pieces.append(counted([bone(j.name, j.parent, j.rest.translation, j.rest.rotation)
                           for j in model.joints]))
    pieces.append(counted([_clip_of(model, c) for c in model.clips]))
    return b"".join(pieces)
