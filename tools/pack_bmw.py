"""BMW bytes: the pieces of a file in every layout, and the crane as a file with its sidecar.

The header says "Version 1" in all of them. R4 is what the engine reads; R3 lacks the names; R2 has
the animations last; "document" is R2 with one frame less, as the format's document counts; R2a is
R2 with zeros for durations and rates; R1 has no animations, weights and node ids; R0 no faces.
"""
# SPDX-License-Identifier: MIT

import json
import struct

from crane import (inverse_binds, maths, picture, sample_pose, skinned_vertices, world_matrices)

HEADER = b"Beo-Model-Wolf Format Version 1\0"
RATE = 20  # Ticks a second; all times in truth.json fall on ticks.
REST_TICKS = 2
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


# -- Pieces

def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def text(value):
    """Text up to a NUL; bytes are not changed."""
    data = value if isinstance(value, bytes) else value.encode("utf-8")
    return data + b"\0"


def counted(items):
    return u32(len(items)) + b"".join(items)


def material(*textures):
    return counted([text(texture) for texture in textures])


def bone(node_id, frames):
    """`frames` are the numbers of one matrix each, in the order of the file, or their bytes."""
    return u32(node_id) + b"".join(m if isinstance(m, bytes) else f32(*m) for m in frames)


def animation(duration, rate, bones):
    return u32(duration, rate) + counted(bones)


def weighted(vertex_id, *influences):
    """`influences` are pairs of node id and weight."""
    return u32(vertex_id) + counted([u32(node) + f32(weight) for node, weight in influences])


def vertex(position, color=(255, 255, 255, 255), uv=(0.0, 0.0), normal=(0.0, 0.0, 1.0)):
    return f32(*position) + struct.pack("<4i", *color) + f32(*uv, *normal)


def mesh(layout, vertices, faces, weights=()):
    pieces = [counted(list(weights))] if layout not in ("R1", "R0") else []
    pieces.append(counted(list(vertices)))
    if layout != "R0":
        pieces.append(counted([u32(*face) for face in faces]))
    return b"".join(pieces)


def node(layout, node_id, transform=IDENTITY, meshes=(), children=()):
    head = u32(node_id) if layout not in ("R1", "R0") else b""
    return head + f32(*transform) + u32(len(meshes), *meshes) + counted(list(children))


def name(node_id, value):
    return u32(node_id) + text(value)


def file_of(layout, materials, animations, meshes, root, names=()):
    """The blocks in the order of the layout."""
    pieces = [HEADER, counted(list(materials))]
    moves = [] if layout in ("R1", "R0") else [counted(list(animations))]
    body = [counted(list(meshes)), root]
    pieces += moves + body if layout in ("R4", "R3") else body + moves
    if layout == "R4":
        pieces.append(counted(list(names)))
    return b"".join(pieces)


def columns(matrix):
    """Three rows of four, as in crane.maths, to sixteen numbers, column by column."""
    rows = tuple(matrix) + ((0.0, 0.0, 0.0, 1.0),)
    return tuple(rows[i][j] for j in range(4) for i in range(4))


def turned(numbers):
    """A matrix in the other order."""
    return tuple(numbers[4 * (i % 4) + i // 4] for i in range(16))


# -- Textures

def dds(width, height, rows):
    """An uncompressed DDS file; `rows` of red, green, blue from the top are stored upside down,
    since the engine passes them to OpenGL without a change."""
    flags, pitch = 0x100F, 4 * width
    head = u32(124, flags, height, width, pitch, 0, 0) + u32(0) * 11
    pixel_format = u32(32, 0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    body = b"".join(bytes((b, g, r, 255)) for row in reversed(rows) for r, g, b in row)
    return b"DDS " + head + pixel_format + u32(0x1000, 0, 0, 0, 0) + body


def texture_files():
    """The texture under the name that the engine searches for when the model says .png."""
    size = picture.SIZE
    rows = [[picture.PALETTE[picture.texel(x, y)] for x in range(size)] for y in range(size)]
    return {"crane.dds": dds(size, size, rows)}


def _white_uv():
    """The middle of a white texel."""
    size = picture.SIZE
    x, y = next((x, y) for y in range(size) for x in range(size)
                if picture.texel(x, y) == picture.WHITE)
    return ((x + 0.5) / size, (y + 0.5) / size)


# -- The crane
#
# One mesh: the engine's loader confuses the weights of several, and mesh i can only have texture i.
# Parts without a texture use a white texel, and colors go into the vertices.

class _Tree:
    """Ids of the nodes, numbered in the order of the file: a root that does nothing, the joints
    below each other, and the node that names the mesh."""

    def __init__(self, model):
        self.model = model
        self.ids, self.names = {}, [model.name]
        self.roots = [self._number(i) for i, joint in enumerate(model.joints) if joint.parent < 0]
        self.names.append(model.name + "_mesh")

    def _number(self, index):
        """(joint, its children)"""
        self.ids[index] = len(self.names)
        self.names.append(self.model.joints[index].name)
        below = [i for i, joint in enumerate(self.model.joints) if joint.parent == index]
        return index, [self._number(i) for i in below]

    def _node_of(self, branch):
        index, below = branch
        local = self.model.joints[index].rest.matrix()
        return node("R4", self.ids[index], columns(local), (), [self._node_of(b) for b in below])

    def root(self):
        joints = [self._node_of(branch) for branch in self.roots]
        return node("R4", 0, children=joints + [node("R4", len(self.names) - 1, meshes=(0,))])


def _vertex_of(source, paint):
    """v points up."""
    color = [int(c * d) for c, d in zip(source.color, paint.diffuse)] + [source.color[3]]
    u, v = source.uv if paint.texture else _white_uv()
    return vertex(source.position, color, (u, 1.0 - v), source.normal)


def _mesh_of(model, ids):
    vertices, faces, weights = [], [], []
    for part in model.parts:
        first = len(vertices)
        faces += [tuple(first + i for i in triangle) for triangle in part.triangles]
        for source in skinned_vertices(model, part):
            influences = [(ids[j], w) for j, w in zip(source.joints, source.weights)]
            weights.append(weighted(len(vertices), *influences))
            vertices.append(_vertex_of(source, model.materials[part.material]))
    return mesh("R4", vertices, faces, weights)


def timeline(model):
    """(clip or None, time) of every tick: the rest pose, then one clip after the other, since the
    engine can play only the first animation of a file. It shows a clip as soon as the tick changes,
    so that the rest pose has two."""
    ticks = [(None, 0.0)] * REST_TICKS
    for clip in model.clips:
        ticks += [(clip, tick / RATE) for tick in range(round(clip.length * RATE) + 1)]
    return ticks


def _animation_of(model, ids):
    offsets, ticks = inverse_binds(model), timeline(model)
    poses = [world_matrices(model.joints, sample_pose(model, clip, time)) for clip, time in ticks]
    bones = []
    for index in sorted(ids, key=ids.get):
        frames = [columns(maths.multiply(world[index], offsets[index])) for world in poses]
        bones.append(bone(ids[index], frames))
    return animation(len(ticks) - 1, RATE, bones)


def pack(model):
    """R4, column-major, as the engine reads it."""
    tree = _Tree(model)
    return file_of("R4", [material(picture.FILE_NAME)], [_animation_of(model, tree.ids)],
                   [_mesh_of(model, tree.ids)], tree.root(),
                   [name(i, value) for i, value in enumerate(tree.names)])


def sidecar(model):
    """The clips, as ticks of the one animation; `end` is the last tick that is shown."""
    clips = [{"name": "rest", "start": 0, "end": REST_TICKS - 1, "hold": True}]
    start = REST_TICKS
    for clip in model.clips:
        end = start + round(clip.length * RATE)
        clips.append({"name": clip.name, "start": start, "end": end, "loop": True})
        start = end + 1
    return json.dumps({"defaultAnim": "rest", "clips": clips}, indent="\t") + "\n"
