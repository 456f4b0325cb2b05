#!/usr/bin/env python3
"""bplx.py: a model (.bplx) in the document's layout, else in that of the published scripts.

The scripts' reader supports only the layout without materials, and stops after the faces. There are
no weights: joints cannot move the mesh, so only the rest pose is compared, and the joints where the
truth has them. Joints are local to their parent, keys replace what they have, times are seconds;
keys of all joints share a list. Sampled linearly, held before the first and after the last key.
"""
# SPDX-License-Identifier: MIT

from pathlib import Path

from common import (Cursor, IDENTITY, Mesh, Model, Refused, compose, lerp, look_for, multiply,
                    read_bytes, sample, slerp)

VIEWS = {"engine": "as it is stored"}


class Bone:
    def __init__(self, cursor):
        self.name, self.parent = cursor.string(cursor.one("I")), cursor.one("i")
        self.rest = read_transform(cursor)


class Clip:
    """`keys[bone]` is a list of (time, (position, rotation, scale)) in order of time."""

    def __init__(self, cursor):
        self.name = cursor.string(cursor.one("I"))
        self.length, count = cursor.one("f"), cursor.one("I")
        self.keys = {}
        for _ in range(count):
            time, bone = cursor.one("f"), cursor.one("I")
            self.keys.setdefault(bone, []).append((time, read_transform(cursor)))
        for keys in self.keys.values():
            keys.sort(key=lambda key: key[0])


def read_transform(cursor):
    return cursor.many("f", 3), cursor.many("f", 4), cursor.many("f", 3)


def mix_transforms(a, b, share):
    return lerp(a[0], b[0], share), slerp(a[1], b[1], share), lerp(a[2], b[2], share)


def read_texture(cursor):
    """A material's texture path, empty if it has none."""
    cursor.string(cursor.one("I"))
    cursor.take(44)
    textured, path = cursor.one("B"), cursor.string(cursor.one("I"))
    if textured > 1:
        raise Refused(f"a material says {textured} for 'is textured'")
    return path if textured else ""


class BplxModel(Model):
    no_clips = "the format has no weights"

    def __init__(self, data, with_materials, folder):
        super().__init__()
        cursor = Cursor(data)
        if cursor.take(min(4, len(data))) != b"BPLX":
            raise Refused("the file does not begin as BPLX")
        version, vertex_count, face_count, material_count, _ = cursor.many("I", 5)
        if version != 1:
            raise Refused(f"version {version}")
        textures = self.read_materials(cursor, material_count) if with_materials else []
        positions, normals = (cursor.rows(3, vertex_count) for _ in range(2))
        uvs = cursor.rows(2, vertex_count)
        triangles = [cursor.many("I", 3) for _ in range(face_count)]
        self.meshes = [Mesh(positions, normals, uvs, triangles)]
        self.bones = [Bone(cursor) for _ in range(cursor.one("I"))]
        clips = [Clip(cursor) for _ in range(cursor.one("I"))]
        self.clips = {clip.name: clip for clip in clips}
        self.check_bones()
        if cursor.left():
            raise Refused(f"{cursor.left()} bytes after the end")
        for name in filter(None, textures):
            look_for(self, folder / name, "texture")

    def read_materials(self, cursor, expected):
        count = cursor.one("I")
        if count != expected:
            raise Refused(f"{count} materials, {expected} in the header")
        return [read_texture(cursor) for _ in range(count)]

    def check_bones(self):
        for i, bone in enumerate(self.bones):
            if not -1 <= bone.parent < len(self.bones):
                raise Refused(f"bone '{bone.name}' has parent {bone.parent}")
            above, steps = bone.parent, 0
            while above != -1 and steps <= len(self.bones):
                above, steps = self.bones[above].parent, steps + 1
            if above != -1:
                raise Refused(f"bone {i} is its own ancestor")
        for clip in self.clips.values():
            if any(bone >= len(self.bones) for bone in clip.keys):
                raise Refused(f"clip '{clip.name}' names a bone that is not there")

    def draws(self, clip, seconds):
        return [(self.meshes[0], self.meshes[0].placed(IDENTITY))]

    def local(self, index, clip, seconds):
        keys = clip.keys.get(index) if clip else None
        if not keys:
            return compose(*self.bones[index].rest)
        times, values = zip(*keys)
        return compose(*sample(times, values, seconds, mix_transforms))

    def joints(self, clip, seconds):
        chosen = None if clip is None else self.need_clip(clip)
        found = {}
        for i, bone in enumerate(self.bones):
            world, above = self.local(i, chosen, seconds), bone.parent
            while above != -1:
                world = multiply(self.local(above, chosen, seconds), world)
                above = self.bones[above].parent
            found[bone.name] = world[12:15]
        return found

    def clip_lines(self):
        return [f"clip {name}: {clip.length:g} s, keys for {len(clip.keys)} joints"
                for name, clip in self.clips.items()]


def load(path, options):
    data, folder = read_bytes(path), Path(path).parent
    try:
        model = BplxModel(data, True, folder)
    except Refused as with_materials:
        try:
            return BplxModel(data, False, folder)
        except Refused as error:
            raise Refused(f"{error}; with materials: {with_materials}") from error
    model.warn("materials, which the published reader cannot skip")
    return model
