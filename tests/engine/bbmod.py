#!/usr/bin/env python3
"""bbmod.py: a model (.bbmod 3.x) and its animations (.bbanim 3.x) as BBMOD's runtime loads them.

Animations are the files <model>_<clip>.bbanim beside the model; they bind by node index and by the
two counts, never by name. Where an animation holds several spaces, bone space is preferred to
world space, and that to parent space. The palette is [bones: bone space][other nodes: world space];
a mesh with bones uses it, a mesh without is placed by its node. Data is left-handed: Z is mirrored
and the winding reversed to compare. The runtime shows the nearest whole frame; a time between two
is blended from both. Views: 'linear' blends weights as the truth does, 'dual' as the runtime does,
in dual quaternions: the results differ where joints rotate against each other, which is not a fault
of a file.
Materials are <model>_<material>.bbmat, else <material>.bbmat.
"""
# SPDX-License-Identifier: MIT

import json
import math
from pathlib import Path

from common import (Cursor, Mesh, Missing, Model, Refused, between, compose, corners, dot,
                    look_for, read_bytes, transform, whole)

NEWEST_MINOR = 4
MOST_BONES = MOST_NODES = 128
PARENT, WORLD, BONE = 1, 2, 4
TRIANGLE_LIST, TRIANGLE_STRIP = 4, 5
VIEWS = {"linear": "weights blended as matrices", "dual": "weights blended as dual quaternions"}

# The vertex's attributes in order: name, 4-byte numbers.
ATTRIBUTES = (("position", 3), ("normal", 3), ("uv", 2), ("uv2", 2), ("color", 1), ("tangent", 4),
              ("bones", 8), ("id", 1))


# -- Dual quaternions, 8 numbers: real x y z w, dual x y z w

def hamilton(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def chain(a, b):
    """First b, then a."""
    real = hamilton(a[:4], b[:4])
    parts = zip(hamilton(a[:4], b[4:]), hamilton(a[4:], b[:4]))
    return real + tuple(p + q for p, q in parts)


def conjugate(q):
    return (-q[0], -q[1], -q[2], q[3])


def matrix_of(dq):
    moved = hamilton(dq[4:], conjugate(dq[:4]))
    return compose(tuple(2 * v for v in moved[:3]), dq[:4])


def blend(parts):
    """Weighted sum with equal signs, divided by the length of the real part."""
    first = parts[0][1][:4]
    total = [0.0] * 8
    for weight, dq in parts:
        sign = weight if dot(first, dq[:4]) >= 0 else -weight
        total = [t + sign * v for t, v in zip(total, dq)]
    size = math.sqrt(dot(total[:4], total[:4])) or 1.0
    return tuple(v / size for v in total)


# -- Reading

class Node:
    def __init__(self, name, index, is_bone, rest, parent):
        self.name, self.index, self.is_bone = name, index, is_bone
        self.rest, self.parent, self.meshes = rest, parent, []


def read_header(cursor, word):
    magic = cursor.cstring()
    if magic not in (word.lower(), word.upper()):
        raise Refused(f"the file does not begin as {word}")
    major = cursor.one("B")
    minor = cursor.one("B") if magic == word.upper() else 0
    if major != 3 or minor > NEWEST_MINOR:
        raise Refused(f"version {major}.{minor}: the runtime loads 3.0 to 3.{NEWEST_MINOR}")
    return minor


def read_format(cursor, minor):
    flags = [bool(v) for v in cursor.many("B", 8 if minor >= 3 else 7)]
    return flags if minor >= 3 else flags[:3] + [False] + flags[3:]


def read_mesh(cursor, minor, flags):
    material = cursor.one("I")
    if minor >= 1:
        cursor.take(24)
    primitive = TRIANGLE_LIST
    if minor >= 2:
        flags, primitive = read_format(cursor, minor), cursor.one("I")
    width = sum(size for (_, size), flag in zip(ATTRIBUTES, flags) if flag)
    rows = cursor.rows(width, cursor.one("I")) if width else []
    columns, start = {}, 0
    for (name, size), flag in zip(ATTRIBUTES, flags):
        if flag:
            columns[name] = [row[start:start + size] for row in rows]
            start += size
    if "position" not in columns:
        raise Refused("a mesh has no positions")
    return material, build_mesh(columns, primitive)


def build_mesh(columns, primitive):
    count = len(columns["position"])
    triangles = []
    if primitive == TRIANGLE_LIST:
        triangles = [(i, i + 1, i + 2) for i in range(0, count - 2, 3)]
    elif primitive == TRIANGLE_STRIP:
        triangles = [(i, i + 1, i + 2) if i % 2 == 0 else (i + 1, i, i + 2)
                     for i in range(count - 2)]
    bones = columns.get("bones")
    influences = bones and [[(whole(i, "bone index"), w) for i, w in zip(row[:4], row[4:]) if w]
                            for row in bones]
    return Mesh(columns["position"], columns.get("normal"), columns.get("uv"), triangles,
                influences)


def read_node(cursor, parent, found):
    name, index, is_bone = cursor.cstring(), cursor.one("f"), cursor.one("B")
    node = Node(name, whole(index, "node index"), bool(is_bone), cursor.many("f", 8), parent)
    found.append(node)
    node.meshes = cursor.many("I", cursor.one("I"))
    for _ in range(cursor.one("I")):
        read_node(cursor, node, found)
    return node


class Animation:
    """Frames by space: `frames[space][frame][index]`."""

    def __init__(self, path, node_count, bone_count):
        cursor = Cursor(read_bytes(path))
        minor = read_header(cursor, "bbanim")
        self.spaces = cursor.one("B")
        duration, self.rate = cursor.many("d", 2)
        if not (duration >= 1 and self.rate > 0 and math.isfinite(self.rate)):
            raise Refused(f"{path.name}: {duration:g} frames at {self.rate:g} a second")
        counts = cursor.many("I", 2)
        if counts != (node_count, bone_count):
            raise Refused(f"{path.name} is for {counts[0]} nodes and {counts[1]} bones, the model "
                          f"has {node_count} and {bone_count}")
        if not self.spaces & (PARENT | WORLD | BONE):
            raise Refused(f"{path.name} holds no frames")
        self.count = whole(duration, f"{path.name}: duration")
        self.frames = {PARENT: [], WORLD: [], BONE: []}
        for _ in range(self.count):
            for space, size in ((PARENT, counts[0]), (WORLD, counts[0]), (BONE, counts[1])):
                if self.spaces & space:
                    self.frames[space].append(cursor.rows(8, size))
        if minor >= 4:
            for _ in range(cursor.one("I")):
                cursor.take(8)
                cursor.cstring()


# -- Posing

class BbmodModel(Model):
    def __init__(self, path, view):
        super().__init__()
        self.path, self.view = path, view
        cursor = Cursor(read_bytes(path))
        minor = read_header(cursor, "bbmod")
        flags = read_format(cursor, minor) if minor < 2 else None
        loaded = [read_mesh(cursor, minor, flags) for _ in range(cursor.one("I"))]
        self.meshes = [mesh for _, mesh in loaded]
        self.read_nodes(cursor)
        self.read_bones(cursor)
        names = [cursor.cstring() for _ in range(cursor.one("I"))]
        self.check_materials(names, [material for material, _ in loaded])
        self.check_influences()
        for file in sorted(path.parent.glob("*.bbanim")):
            if file.stem.lower().startswith(path.stem.lower() + "_"):
                self.clips[file.stem[len(path.stem) + 1:]] = file

    def read_nodes(self, cursor):
        count, self.nodes = cursor.one("I"), []
        read_node(cursor, None, self.nodes)
        if len(self.nodes) != count or sorted(n.index for n in self.nodes) != list(range(count)):
            raise Refused(f"{len(self.nodes)} nodes, {count} counted, or an index used twice")
        if any(m >= len(self.meshes) for node in self.nodes for m in node.meshes):
            raise Refused("a node names a mesh that is not there")
        if count > MOST_NODES:
            raise Refused(f"{count} nodes: playback has room for {MOST_NODES}")

    def read_bones(self, cursor):
        found = [(cursor.one("f"), cursor.many("f", 8)) for _ in range(cursor.one("I"))]
        self.offsets = {whole(index, "bone"): offset for index, offset in found}
        if sorted(self.offsets) != list(range(len(found))):
            raise Refused("the bones' indices are not 0 to their count")
        if sorted(self.offsets) != sorted(n.index for n in self.nodes if n.is_bone):
            raise Refused("the bones are not the nodes marked as bones")
        if len(found) > MOST_BONES:
            raise Refused(f"{len(found)} bones: the shaders have room for {MOST_BONES}")

    def check_materials(self, names, used):
        for index in sorted(set(used)):
            if index >= len(names):
                raise Refused(f"material {index}, but there are {len(names)}")
            places = [self.path.parent / f"{self.path.stem}_{names[index]}.bbmat",
                      self.path.parent / f"{names[index]}.bbmat"]
            file = next((place for place in places if place.is_file()), None)
            if file:
                self.check_bbmat(file)

    def check_bbmat(self, file):
        try:
            stored = json.loads(file.read_text("utf-8"))
        except ValueError as error:
            raise Refused(f"{file.name}: {error}") from error
        if not isinstance(stored, dict):
            raise Refused(f"{file.name} is not an object")
        for slot, picture in stored.get("__Textures", {}).items():
            picture = picture["Path"] if isinstance(picture, dict) else picture
            look_for(self, file.parent / picture.replace("\\", "/"), f"{file.name}, {slot}")

    def check_influences(self):
        skinned = [mesh for mesh in self.meshes if mesh.influences is not None]
        vertices = [vertex for mesh in skinned for vertex in mesh.influences]
        if any(not 0 <= i < len(self.offsets) for vertex in vertices for i, _ in vertex):
            raise Refused(f"a bone index beyond {len(self.offsets)} bones")
        if any(abs(sum(w for _, w in vertex) - 1) > 1e-3 for vertex in vertices):
            self.warn("weights that do not sum to 1")

    def worlds(self, local):
        found = {}
        for node in self.nodes:
            mine = local[node.index]
            found[node.index] = chain(found[node.parent.index], mine) if node.parent else mine
        return found

    def palette(self, animation, frame):
        """Bones in bone space, then the other nodes in world space, as far as they are known."""
        bones = None
        if animation is None:
            worlds = self.worlds({node.index: node.rest for node in self.nodes})
        elif animation.spaces & WORLD:
            worlds = dict(enumerate(animation.frames[WORLD][frame]))
        elif animation.spaces & PARENT:
            worlds = self.worlds(animation.frames[PARENT][frame])
        else:
            worlds = {}  # Bone space alone: the places of nodes are not known.
        if animation is not None and animation.spaces & BONE:
            bones = dict(enumerate(animation.frames[BONE][frame]))
        if bones is None:
            bones = {i: chain(worlds[i], offset) for i, offset in self.offsets.items()}
        return {**worlds, **bones}, worlds

    def draws_of_frame(self, animation, number):
        palette, worlds = self.palette(animation, number)
        matrices = {i: matrix_of(dq) for i, dq in palette.items()}
        return [(self.meshes[index], self.place(self.meshes[index], node, palette, matrices,
                                                worlds))
                for node in self.nodes for index in node.meshes]

    def draws(self, clip, seconds):
        return self.draws_of_frame(None, 0)

    def frame(self, animation, number, chosen):
        found = corners(self.draws_of_frame(animation, number), chosen)
        return [tuple((x, y, -z) for x, y, z in triangle[::-1]) for triangle in found]

    def place(self, mesh, node, palette, matrices, worlds):
        if mesh.influences is None:
            if node.index not in worlds:
                raise Refused(f"no world transform for node '{node.name}' in this animation")
            return mesh.placed(matrix_of(worlds[node.index]))
        if self.view == "dual":
            return lambda i: self.blended(mesh.positions[i], mesh.influences[i], palette)
        return mesh.skinned(matrices)

    def blended(self, point, vertex, palette):
        if not vertex:
            return (0.0, 0.0, 0.0)
        return transform(matrix_of(blend([(weight, palette[i]) for i, weight in vertex])), point)

    def pose(self, clip, seconds, chosen=None):
        if clip is None:
            return self.frame(None, 0, chosen), ""
        animation = self.animation(clip)
        return between(lambda i: self.frame(animation, i, chosen), seconds * animation.rate,
                       animation.count - 1)

    def length(self, clip):
        return (self.animation(clip).count - 1) / self.rate(clip)

    def rate(self, clip):
        return self.animation(clip).rate

    def animation(self, name):
        own = self.clip_name(name)
        if own is None:
            raise Missing(f"there is no file {self.path.stem}_{name}.bbanim")
        name = own
        if isinstance(self.clips[name], Path):
            self.clips[name] = Animation(self.clips[name], len(self.nodes), len(self.offsets))
        return self.clips[name]

    def clip_lines(self):
        return [f"clip {name}: {a.count} frames at {a.rate:g} a second, spaces {a.spaces}"
                for name, a in ((name, self.animation(name)) for name in list(self.clips))]


def load(path, options):
    return BbmodModel(Path(path), options.view)
