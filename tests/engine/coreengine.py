#!/usr/bin/env python3
"""coreengine.py: models (.cem) and animated models (.cea) as CoreEngine loads them.

Big-endian. A mesh needs positions, texture coordinates, normals, tangents and indices, an animated
one also joint ids and weights. At most 50 joints, by index; one root, every parent present. List i
of an animation belongs to joint i. A key replaces what the joint has; before a list's first key
the joint keeps its local bind pose, after the last the key is held. Scale keys are ignored: a joint
that is animated has scale 1. The rest pose is the local bind poses. No rate is stored: --rate says
the ticks a second.
"""
# SPDX-License-Identifier: MIT

from pathlib import Path

from common import (Cursor, IDENTITY, Mesh, Model, Refused, compose, decompose, lerp, look_for,
                    multiply, read_bytes, sample, slerp, transpose)

VIEWS = {"engine": "as the engine plays it"}
MOST_JOINTS = 50
NEEDED = ("positions", "texture coordinates", "normals", "tangents")
MAPS = ("diffuse", "normal", "specular", "displacement", "ambient occlusion", "alpha",
        "reflection", "glow")


# -- Reading

def read_model(data, animated, warn_about):
    cursor = Cursor(data, ">")
    sizes = cursor.many("i", cursor.one("i"))
    return [read_mesh(cursor.take(size), animated, warn_about) for size in sizes]


def read_mesh(data, animated, warn_about):
    cursor = Cursor(data, ">")
    sizes = cursor.many("i", 9)
    for size, item in zip(sizes, (12, 8, 12, 12, 16, 16, 12)):
        if size % item:
            raise Refused(f"an array of {size} bytes, {item} for each")
    columns = [cursor.rows(width, size // (4 * width)) for width, size
               in zip((3, 2, 3, 3), sizes)]
    ids = cursor.many("i", sizes[4] // 4)
    weights = cursor.rows(4, sizes[5] // 16)
    indices = cursor.many("i", sizes[6] // 4)
    for name, column in zip(NEEDED + ("indices",), columns + [indices]):
        if not column:
            raise Refused(f"a mesh has no {name}")
    check_counts(columns, len(ids), len(weights), animated)
    if min(indices) < 0:
        raise Refused(f"index {min(indices)}")
    if sizes[7]:
        read_material(data[cursor.pos:], warn_about)
    triangles = [indices[i:i + 3] for i in range(0, len(indices) - 2, 3)]
    influences = [[(i, w) for i, w in zip(ids[4 * v:4 * v + 4], weights[v]) if w]
                  for v in range(len(weights))] if animated else None
    return Mesh(columns[0], columns[2], columns[1], triangles, influences)


def check_counts(columns, id_count, weight_count, animated):
    count = len(columns[0])
    for name, column in zip(NEEDED, columns):
        if len(column) != count:
            raise Refused(f"{len(column)} {name}, but {count} positions")
    if animated and (id_count != 4 * count or weight_count != count):
        raise Refused(f"{id_count} joint ids and {weight_count} sets of weights, but {count} "
                      "vertices")


def read_material(data, warn_about):
    """Only the names of the maps. Fields beyond the end of a material are zero."""
    cursor = Cursor(data + bytes(max(0, 62 - len(data))), ">")
    cursor.take(2)
    sizes = cursor.many("h", 8)
    cursor.take(28)
    for name, size in zip(MAPS, sizes):
        if size > 0:
            warn_about(cursor.string(size), f"{name} map")


class Joint:
    def __init__(self, index, parent, name, inverse_bind, local):
        self.index, self.parent, self.name = index, parent, name
        self.inverse_bind, self.local = inverse_bind, local


def read_skeleton(data):
    """Joints with parents before their children; matrices are stored by rows."""
    cursor, found = Cursor(data, ">"), {}
    for size in cursor.many("i", cursor.one("i")):
        index, parent = cursor.many("i", 2)
        name = cursor.string(size)
        matrices = [transpose(m) for m in cursor.rows(16, 2)]
        if not 0 <= index < MOST_JOINTS:
            raise Refused(f"joint '{name}' has index {index}: the engine has room for "
                          f"{MOST_JOINTS}")
        if index in found:
            raise Refused(f"two joints have index {index}")
        found[index] = Joint(index, parent, name, *matrices)
    if sum(joint.parent == -1 for joint in found.values()) != 1:
        raise Refused("the skeleton has not exactly one root")
    return in_order(found)


def in_order(found):
    ordered, waiting = {-1: None}, list(found.values())
    while waiting:
        ready = [joint for joint in waiting if joint.parent in ordered]
        if not ready:
            raise Refused(f"joint '{waiting[0].name}' is not below the root")
        ordered.update((joint.index, joint) for joint in ready)
        waiting = [joint for joint in waiting if joint.index not in ordered]
    del ordered[-1]
    return ordered


class Animation:
    """Lists of (times, values), one for each joint index."""

    def __init__(self, data):
        cursor = Cursor(data, ">")
        name_size, *list_counts = cursor.many("i", 4)
        key_counts = [cursor.many("i", count) for count in list_counts]
        self.name = cursor.string(name_size)
        self.positions, self.rotations, scales = (
            [split_keys(cursor.rows(width, count)) for count in counts]
            for width, counts in zip((4, 5, 4), key_counts))
        self.has_scale = any(abs(v - 1) > 1e-5 for _, keys in scales for key in keys for v in key)
        self.list_count = min(list_counts[:2])
        every = self.positions + self.rotations + scales
        self.length = max((times[-1] for times, _ in every if times), default=0.0)


def split_keys(rows):
    return [row[0] for row in rows], [row[1:] for row in rows]


# -- Posing

def key_at(keys, time, mix):
    """None before the first key: the joint keeps what it has."""
    times, values = keys
    return sample(times, values, time, mix) if times and times[0] <= time else None


class CoreModel(Model):
    def __init__(self, path, is_static, rate):
        super().__init__()
        self.ticks, self.folder, self.skeleton = rate, path.parent, {}
        if rate <= 0:
            raise Refused(f"{rate:g} ticks a second")
        data = read_bytes(path)
        if is_static:
            self.no_clips = "a .cem has no joints"
            self.meshes = read_model(data, False, self.warn_about)
            return
        cursor = Cursor(data, ">")
        model_size, skeleton_size, animation_count = cursor.many("i", 3)
        sizes = cursor.many("i", animation_count)
        self.meshes = read_model(cursor.take(model_size), True, self.warn_about)
        skeleton = cursor.take(skeleton_size)
        if not skeleton:
            raise Refused("an animated model without skeleton")
        self.skeleton = read_skeleton(skeleton)
        for size in sizes:
            self.add_animation(Animation(cursor.take(size)))
        self.check_influences()

    def warn_about(self, name, what):
        look_for(self, self.folder / name, what)

    def add_animation(self, animation):
        top = max(self.skeleton)
        if animation.list_count <= top:
            raise Refused(f"'{animation.name}' has {animation.list_count} lists of keys, but a "
                          f"joint has index {top}")
        if animation.has_scale:
            self.warn(f"'{animation.name}': scale keys, which the engine ignores")
        if animation.name in self.clips:
            self.warn(f"two animations '{animation.name}': the last one counts")
        self.clips[animation.name] = animation

    def check_influences(self):
        vertices = [vertex for mesh in self.meshes for vertex in mesh.influences]
        unknown = {i for vertex in vertices for i, _ in vertex} - set(self.skeleton)
        if unknown:
            raise Refused(f"a vertex names joint {min(unknown)}, which is not there")
        if any(abs(sum(w for _, w in vertex) - 1) > 1e-3 for vertex in vertices):
            self.warn("weights that do not sum to 1")

    def local(self, joint, animation, time):
        if animation is None:
            return joint.local
        position = key_at(animation.positions[joint.index], time, lerp)
        rotation = key_at(animation.rotations[joint.index], time, slerp)
        if position is None and rotation is None:
            return joint.local
        own_position, own_rotation, _ = decompose(joint.local)
        return compose(position or own_position, rotation or own_rotation)

    def draws(self, clip, seconds):
        if not self.skeleton:
            return [(mesh, mesh.placed(IDENTITY)) for mesh in self.meshes]
        animation = None if clip is None else self.need_clip(clip)
        worlds, palette = {-1: IDENTITY}, {}
        for index, joint in self.skeleton.items():
            local = self.local(joint, animation, seconds * self.ticks)
            worlds[index] = multiply(worlds[joint.parent], local)
            palette[index] = multiply(worlds[index], joint.inverse_bind)
        return [(mesh, mesh.skinned(palette)) for mesh in self.meshes]

    def length(self, clip):
        return self.need_clip(clip).length / self.ticks

    def clip_lines(self):
        return [f"clip {name}: {a.length:g} ticks, {self.ticks:g} a second by --rate"
                for name, a in self.clips.items()]


def load(path, options):
    ending = options.format if options.format != "modeldata" else Path(path).suffix[1:].lower()
    return CoreModel(Path(path), ending == "cem", options.rate)
