"""ModelData and AnimatedModelData bytes: the pieces of a file, and the crane as files.

Everything is big-endian, and nearly every piece has its size stored in front of the piece around
it. Differences of the engine's writers can be requested: `factor` 4 for the sizes of the first
releases, "characters" for names whose size counts characters, "document" for sizes of joints.
"""
# SPDX-License-Identifier: MIT

import struct

from crane import inverse_binds, maths, merged, skinned_vertices

TICKS = 24.0  # A second; the format does not say.
MAPS = ("diffuse_map", "normal_map", "specular_map", "displacement_map", "ambient_occlusion_map",
        "alpha_map", "reflection_map", "glow_map")
FLOATS = ("displacement_factor", "tiling", "shininess", "shine_damping")
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


# -- Pieces

def u32(*values):
    return struct.pack(">%dI" % len(values), *values)


def i32(*values):
    return struct.pack(">%di" % len(values), *values)


def f32(*values):
    return struct.pack(">%df" % len(values), *values)


def text(value):
    """Bytes are not changed."""
    return value if isinstance(value, bytes) else value.encode("utf-8")


def name_size(value, names="bytes"):
    """What the size of a name says; the engine's writer counts UTF-16 units."""
    return len(value.encode("utf-16-be")) // 2 if names == "characters" else len(text(value))


def table(items):
    return u32(*(len(item) for item in items))


def rows(pack, items):
    return b"".join(pack(*item) for item in items)


# -- Meshes

def material(diffuse=None, glow=None, names="bytes", rest=b"", **values):
    """One material. `values` may have the MAPS as names of files, and the FLOATS; what is not
    given is flagged as default, and has the placeholder that the engine's writer stores."""
    maps = [values.get(name, "") for name in MAPS]
    floats = [values.get(name) for name in FLOATS]
    return (struct.pack(">BB", diffuse is None, glow is None)
            + struct.pack(">8h", *(name_size(name, names) for name in maps))
            + struct.pack(">4B", *(value is None for value in floats))
            + f32(*(diffuse or (1.0, 1.0, 1.0)), *(glow or (1.0, 1.0, 1.0)))
            + b"".join(text(name) for name in maps)
            + f32(*(value or 0.0 for value in floats)) + rest)


def mesh_of(arrays, material_bytes=b"", shape="", factor=1, rest=b""):
    """A mesh of its seven arrays, as bytes."""
    parts = [material_bytes, text(shape)]
    return (table(arrays) + u32(*(factor * len(part) for part in parts))
            + b"".join(arrays) + b"".join(parts) + rest)


def mesh(vertices=(), uvs=(), normals=(), tangents=(), joints=(), weights=(), triangles=(), **more):
    return mesh_of([rows(f32, vertices), rows(f32, uvs), rows(f32, normals), rows(f32, tangents),
                    rows(i32, joints), rows(f32, weights), rows(u32, triangles)], **more)


def model(meshes):
    return u32(len(meshes)) + table(meshes) + b"".join(meshes)


# -- Skeleton and animations

def joint(index, parent, name, inverse_bind=IDENTITY, local_pose=IDENTITY):
    """A joint and its name, of which the skeleton has to know the size."""
    return name, i32(index, parent) + text(name) + f32(*inverse_bind, *local_pose)


def skeleton(joints, names="bytes", rest=b""):
    sizes = [len(data) if names == "document" else name_size(name, names) for name, data in joints]
    return u32(len(joints), *sizes) + b"".join(data for _, data in joints) + rest


def animation(name, positions, rotations, scales, names="bytes", rest=b""):
    """Lists of keys (time, numbers...), one for each joint."""
    kinds = (positions, rotations, scales)
    counts = u32(*(len(keys) for kind in kinds for keys in kind))
    data = b"".join(f32(*key) for kind in kinds for keys in kind for key in keys)
    return (u32(name_size(name, names), *(len(kind) for kind in kinds)) + counts + text(name)
            + data + rest)


def animated(model_bytes, skeleton_bytes=b"", animations=()):
    return (u32(len(model_bytes), len(skeleton_bytes), len(animations)) + table(animations)
            + model_bytes + skeleton_bytes + b"".join(animations))


# -- The crane

SHAPES = {"girder_beams": "triangleMesh", "hook_claw": "convex"}


def _tangents(vertices, triangles):
    """The direction in which u grows, at right angles to the normal."""
    sums = [(0.0, 0.0, 0.0)] * len(vertices)
    for triangle in triangles:
        a, b, c = (vertices[i] for i in triangle)
        e1, e2 = maths.sub(b.position, a.position), maths.sub(c.position, a.position)
        v1, v2 = b.uv[1] - a.uv[1], c.uv[1] - a.uv[1]
        area = (b.uv[0] - a.uv[0]) * v2 - (c.uv[0] - a.uv[0]) * v1
        if area:
            way = maths.scale(maths.sub(maths.scale(e1, v2), maths.scale(e2, v1)), 1.0 / area)
            for i in triangle:
                sums[i] = maths.add(sums[i], way)
    return [_upright(total, vertex.normal) for total, vertex in zip(sums, vertices)]


def _upright(way, normal):
    """`way` without its part along the normal; any direction if nothing else is left."""
    flat = maths.sub(way, maths.scale(normal, maths.dot(way, normal)))
    if maths.length(flat) < 1e-6:
        axis = (1.0, 0.0, 0.0) if abs(normal[0]) < 0.7 else (0.0, 1.0, 0.0)
        flat = maths.cross(normal, axis)
    return maths.normalize(flat)


def _material_of(source):
    """Phong's exponent is the damping; what the engine calls shininess is the strength."""
    return material(source.diffuse, source.emissive, diffuse_map=source.texture,
                    shininess=source.specular[0], shine_damping=source.shininess)


def _mesh_of(source, part, vertices, skin):
    """UV origin bottom-left; up to four joints, the rest padded with joint 0 and weight 0."""
    pad = (0, 0, 0, 0)
    return mesh([v.position for v in vertices], [(v.uv[0], 1.0 - v.uv[1]) for v in vertices],
                [v.normal for v in vertices], _tangents(vertices, part.triangles),
                [(v.joints + pad)[:4] for v in vertices] if skin else (),
                [(v.weights + pad)[:4] for v in vertices] if skin else (), part.triangles,
                material_bytes=_material_of(source.materials[part.material]),
                shape=SHAPES.get(part.name, ""))


def _row_major(matrix):
    return tuple(number for row in matrix for number in row) + (0.0, 0.0, 0.0, 1.0)


def _skeleton_of(source):
    """The pose without animation is the local pose; skins were made in the bind pose."""
    inverse = inverse_binds(source)
    return skeleton([joint(i, j.parent, j.name, _row_major(inverse[i]), _row_major(j.rest.matrix()))
                     for i, j in enumerate(source.joints)])


def _keys_of(source, clip, path):
    """Lists by joint, each from 0 on: before its first key the engine leaves a joint alone."""
    lists = [[] for _ in source.joints]
    for channel in clip.channels:
        if channel.path != path:
            continue
        keys = [(time * TICKS,) + value for time, value in zip(channel.times, channel.values)]
        if keys[0][0] > 0.0:
            keys.insert(0, (0.0,) + keys[0][1:])
        lists[channel.joint] = keys
    return lists


def pack_animated(source):
    """Every part as a skinned mesh."""
    meshes = [_mesh_of(source, part, skinned_vertices(source, part), True)
              for part in source.parts]
    animations = [animation(clip.name, _keys_of(source, clip, "translation"),
                            _keys_of(source, clip, "rotation"), [[] for _ in source.joints])
                  for clip in source.clips]
    return animated(model(meshes), _skeleton_of(source), animations)


def pack_static(source):
    """Every part in its rest pose."""
    at_rest, meshes, first = merged(source).vertices, [], 0
    for part in source.parts:
        vertices = at_rest[first:first + len(part.vertices)]
        first += len(part.vertices)
        meshes.append(_mesh_of(source, part, vertices, False))
    return model(meshes)
