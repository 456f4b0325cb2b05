#!/usr/bin/env python3
"""gameplay.py: a bundle (.gpb) as gameplay3d loads it.

Driven by the reference table: the first scene, nodes named by their offset, meshes and joints by
'#id'. Versions 1.2 and later. Node matrices are decomposed into scale, rotation and translation.
Interpolation is always linear, by slerp for rotations unless they come with a scale alone
(attribute 19: number by number). A channel's own first and last key are stretched over the length
of its animation, which is that of the longest channel and must not be 0. Clips are the animations
by id, all of one id together, and the clips of a .animation file beside the bundle. Joints have to
be in the scene. Skinned meshes also pass through their node's world matrix. Front faces are
counterclockwise on the screen, also where matrices mirror, and normals follow the matrices.
Materials are found by name in the .material file beside the bundle. Textures are opened by their
extension: PNG, DDS or PVR.
Views: 'engine'; and 'file', which reads versions 1.0 and 1.1, too, and has clips as the encoder
intended: the k-th channel that moves one thing belongs to take k, animations from the same first
to the same last key that move different things are one clip, and keys are at their times.
"""
# SPDX-License-Identifier: MIT

import re
from itertools import product
from pathlib import Path

from common import (Cursor, IDENTITY, Mesh, Model, Refused, compose, decompose, determinant, lerp,
                    look_for, multiply, read_bytes, sample, slerp, whole)

MAGIC = b"\xabGPB\xbb\r\n\x1a\n"
SCENE, NODE, ANIMATIONS, MESH = 1, 2, 3, 34
JOINT = 2
VIEWS = {"engine": "as the engine plays it", "file": "as the file means it"}
OLD = ("root", "float", "attenuation", "bare")  # What files of version 1.0 may have, or not.
POSITION, NORMAL, WEIGHTS, INDICES, TEXCOORD0 = 1, 2, 6, 7, 8
INDEX_KINDS = {0x1401: "B", 0x1403: "H", 0x1405: "I"}
TRIANGLES, TRIANGLE_STRIP = 4, 5
LONGEST_STRING = 5000
PICTURES = {".png": b"\x89PNG\r\n\x1a\n", ".dds": b"DDS ", ".pvr": b""}  # PVR has two versions.

# Attribute of a channel: what its floats set, in order; in small letters a single axis.
ATTRIBUTES = {1: "S", 2: "sx", 3: "sy", 4: "sz", 8: "R", 9: "T", 10: "tx", 11: "ty", 12: "tz",
              16: "RT", 17: "SRT", 18: "ST", 19: "SR"}
WIDTHS = {"S": 3, "R": 4, "T": 3}


class Node:
    def __init__(self, name, kind, parent):
        self.name, self.kind, self.parent = name, kind, parent
        self.rest = None       # Translation, rotation, scale.
        self.has_camera = False
        self.model = None      # (mesh id, skin, material names)


class Skin:
    def __init__(self, bind_shape, joints, bind_poses):
        self.bind_shape, self.joints, self.bind_poses = bind_shape, joints, bind_poses


class Channel:
    def __init__(self, target, attribute, times, values):
        self.target, self.attribute, self.times, self.values = target, attribute, times, values


class Animation:
    def __init__(self, name, channels):
        self.name, self.channels = name, channels
        self.length = max((c.times[-1] - c.times[0] for c in channels), default=0)


# -- Reading

class Bundle(Cursor):
    def __init__(self, data, model, old=()):
        super().__init__(data)
        self.model, self.nodes, self.old = model, {}, old
        if self.take(min(9, len(data))) != MAGIC:
            raise Refused("the file does not begin as a bundle")
        major, self.minor = self.many("B", 2)
        if major != 1 or (self.minor < 2 and model.view == "engine"):
            raise Refused(f"version {major}.{self.minor}: the engine loads 1.2 and later")
        self.refs = [(self.text(), self.one("I"), self.one("I")) for _ in range(self.one("I"))]
        if any(not name for name, _, _ in self.refs):
            raise Refused("the reference table has an empty id")

    def text(self):
        size = self.one("I")
        if size >= LONGEST_STRING:
            raise Refused(f"a string of {size} bytes at 0x{self.pos:06x}")
        return self.string(size)

    def seek(self, name, kind):
        for ref, ref_kind, offset in self.refs:
            if ref == name and ref_kind == kind:
                self.pos = offset
                return
        raise Refused(f"'{name}' is not in the reference table as type {kind}")

    def scene(self):
        name = next((ref for ref, kind, _ in self.refs if kind == SCENE), None)
        if name is None:
            raise Refused("the reference table has no scene")
        self.seek(name, SCENE)
        for _ in range(self.one("I")):
            self.node(None)
        camera = self.text()
        if camera and not getattr(self.nodes.get(camera[1:]), "has_camera", False):
            raise Refused(f"the active camera '{camera}' is not a node with a camera")
        self.take(12)

    def node(self, parent):
        name = next((ref for ref, kind, offset in self.refs
                     if kind == NODE and offset == self.pos), None)
        if name is None:
            raise Refused(f"the node at 0x{self.pos:06x} is not in the reference table")
        kind = self.one("I")
        if kind not in (1, JOINT):
            raise Refused(f"node '{name}' has type {kind}")
        node = self.nodes[name] = Node(name, kind, parent)
        self.place(node, self.many("f", 16))
        if self.minor >= 2:
            self.text()
        for _ in range(self.one("I")):
            self.node(node)
        node.has_camera = self.camera()
        self.light()
        self.attach_model(node)

    def place(self, node, matrix):
        node.rest = decompose(matrix)
        if max(abs(a - b) for a, b in zip(matrix, compose(*node.rest))) > 1e-4:
            self.model.warn(f"node '{node.name}': shear is lost on loading")

    def camera(self):
        kind = self.one("B")
        if kind not in (0, 1, 2):
            raise Refused(f"camera type {kind} at 0x{self.pos - 1:06x}")
        self.take((0, 16, 20)[kind])
        return kind != 0

    def light(self):
        kind = self.one("B")
        if kind not in (0, 1, 2, 3):
            raise Refused(f"light type {kind} at 0x{self.pos - 1:06x}")
        self.take((0, 12, 24, 32)[kind] if "attenuation" in self.old else (0, 12, 16, 24)[kind])

    def attach_model(self, node):
        xref = self.text()
        if len(xref) < 2 or xref[0] != "#":
            return
        skin = self.skin() if self.one("B") else None
        node.model = (xref[1:], skin, [self.text() for _ in range(self.one("I"))])

    def skin(self):
        bind_shape = self.many("f", 16)
        if "root" in self.old:
            self.text()
        joints = [self.text() for _ in range(self.one("I"))]
        floats = self.many("f", self.one("I"))
        if not joints or len(floats) != 16 * len(joints):
            raise Refused(f"a skin with {len(joints)} joints and {len(floats)} floats of poses")
        return Skin(bind_shape, [j[1:] for j in joints],
                    [floats[i:i + 16] for i in range(0, len(floats), 16)])

    def mesh(self, name):
        self.seek(name, MESH)
        elements = [self.many("I", 2) for _ in range(self.one("I"))]
        stride = sum(size for _, size in elements)
        size = self.one("I")
        if stride == 0 or size % (4 * stride):
            raise Refused(f"mesh '{name}': {size} bytes of vertices, {4 * stride} for each")
        rows = self.rows(stride, size // (4 * stride))
        columns, start = {}, 0
        for usage, width in elements:
            columns[usage] = [row[start:start + width] for row in rows]
            start += width
        self.take(40)
        return columns, self.triangles(len(rows))

    def triangles(self, vertex_count):
        parts = [self.part() for _ in range(self.one("I"))]
        return sum(parts, []) if parts else list_of(range(vertex_count))

    def part(self):
        primitive, kind, size = self.many("I", 3)
        if kind not in INDEX_KINDS:
            raise Refused(f"index format 0x{kind:x}")
        indices = self.many(INDEX_KINDS[kind], size // {"B": 1, "H": 2, "I": 4}[INDEX_KINDS[kind]])
        if primitive == TRIANGLE_STRIP:
            return [indices[i:i + 3] if i % 2 == 0 else (indices[i + 1], indices[i], indices[i + 2])
                    for i in range(len(indices) - 2)]
        return list_of(indices) if primitive == TRIANGLES else []

    def animations(self):
        found = []
        for name, kind, offset in self.refs:
            if kind == ANIMATIONS:
                self.pos = offset
                if "bare" in self.old:
                    found.append(Animation(name, self.channels()))
                    continue
                found += [Animation(self.text(), self.channels()) for _ in range(self.one("I"))]
        return found

    def channels(self):
        found = [self.channel() for _ in range(self.one("I"))]
        return [channel for channel in found if channel]

    def channel(self):
        target, attribute = self.text(), self.one("I")
        times = self.many("f" if "float" in self.old else "I", self.one("I"))
        if any(b < a for a, b in zip(times, times[1:])) or any(t > 1e9 for t in times):
            raise Refused(f"'{target}': times of keys out of order")
        values = self.many("f", self.one("I"))
        for kind in "ffI":  # Tangents and interpolation are read and ignored.
            self.many(kind, self.one("I"))
        if target not in self.nodes:
            raise Refused(f"a channel names '{target}', which is not a node")
        if attribute not in ATTRIBUTES:
            return None
        width = width_of(ATTRIBUTES[attribute])
        if not times or len(values) != width * len(times):
            raise Refused(f"'{target}': {len(times)} keys, {len(values)} values, {width} for each")
        rows = [values[i:i + width] for i in range(0, len(values), width)]
        return Channel(target, ATTRIBUTES[attribute], times, rows)


def list_of(indices):
    return [tuple(indices[i:i + 3]) for i in range(0, len(indices) - 2, 3)]


def width_of(attribute):
    return 1 if attribute[0].islower() else sum(WIDTHS[letter] for letter in attribute)


# -- Posing

def apply_channel(channel, time, local):
    """Set what the channel animates. `local` is [translation, rotation, scale]."""
    if channel.attribute[0].islower():
        slot, axis = (0 if channel.attribute[0] == "t" else 2), "xyz".index(channel.attribute[1])
        value = list(local[slot])
        value[axis] = sample(channel.times, channel.values, time, lerp)[0]
        local[slot] = tuple(value)
        return
    start = 0
    for letter in channel.attribute:
        values = [row[start:start + WIDTHS[letter]] for row in channel.values]
        mix = slerp if letter == "R" and channel.attribute != "SR" else lerp
        local["TRS".index(letter)] = sample(channel.times, values, time, mix)
        start += WIDTHS[letter]


def takes_of(animations):
    """Animations as clips: (name, channels)."""
    takes = {}
    for animation in animations:
        counts = {}
        for channel in animation.channels:
            moved = channel.target, channel.attribute
            counts[moved] = counts.get(moved, 0) + 1
            takes.setdefault((animation.name, counts[moved]), []).append(channel)
    clips = []
    for (name, _), channels in takes.items():
        span = min(c.times[0] for c in channels), max(c.times[-1] for c in channels)
        moved = {(c.target, c.attribute) for c in channels}
        clip = next((c for c in clips if c[0] == span and not c[1] & moved), None)
        if clip:
            clip[1].update(moved)
            clip[2].append(name)
            clip[3].extend(channels)
        else:
            clips.append((span, moved, [name], list(channels)))
    return [Animation(names[0] if len(set(names)) == 1 else "animations", channels)
            for _, _, names, channels in clips]


class GameplayModel(Model):
    def __init__(self, path, view, old=()):
        super().__init__()
        self.view = view
        bundle = Bundle(read_bytes(path), self, old)
        bundle.scene()
        self.nodes = bundle.nodes
        self.drawn = [(node, self.load_mesh(bundle, node)) for node in self.nodes.values()
                      if node.model]
        self.meshes = [mesh for _, mesh in self.drawn]
        worlds = self.worlds(None, 0)
        for node, mesh in self.drawn:
            palette = self.palette(node.model[1], worlds) if node.model[1] else [IDENTITY]
            mirrors = [determinant(multiply(worlds[node.name], m)) < 0 for m in palette]
            mesh.is_mirrored = 2 * sum(mirrors) > len(mirrors)
        self.load_clips(bundle.animations(), path.with_suffix(".animation"))
        self.check_materials(path.with_suffix(".material"))

    def load_mesh(self, bundle, node):
        name, skin, _ = node.model
        columns, triangles = bundle.mesh(name)
        if POSITION not in columns:
            raise Refused(f"mesh '{name}' has no positions")
        influences = self.influences(columns, skin, name) if skin else None
        return Mesh([p[:3] for p in columns[POSITION]], columns.get(NORMAL),
                    columns.get(TEXCOORD0), triangles, influences)

    def influences(self, columns, skin, name):
        for joint in skin.joints:
            if getattr(self.nodes.get(joint), "kind", None) != JOINT:
                raise Refused(f"skin of '{name}': '{joint}' is not a node of type JOINT")
        if WEIGHTS not in columns or INDICES not in columns:
            raise Refused(f"mesh '{name}' has a skin but no weights")
        found = [[(whole(i, "bone index"), w) for i, w in zip(indices, weights) if w]
                 for indices, weights in zip(columns[INDICES], columns[WEIGHTS])]
        if any(not 0 <= i < len(skin.joints) for vertex in found for i, _ in vertex):
            raise Refused(f"mesh '{name}': a bone index beyond {len(skin.joints)} joints")
        if any(abs(sum(w for _, w in vertex) - 1) > 1e-3 for vertex in found):
            self.warn(f"mesh '{name}': weights that do not sum to 1")
        return found

    def load_clips(self, animations, clip_file):
        if self.view == "file":
            for animation in takes_of(animations):
                name = animation.name
                while name in self.clips:
                    name += " 2"
                end = max(channel.times[-1] for channel in animation.channels)
                self.clips[name] = ([animation], 0, end)
            return
        for animation in animations:
            if animation.channels and animation.length == 0:
                raise Refused(f"'{animation.name}' lasts 0 ms: playing it divides 0 by 0")
            for channel in animation.channels:
                if channel.times[-1] - channel.times[0] != animation.length > 0 and \
                        len(channel.times) > 1:
                    self.warn(f"'{animation.name}': the keys of '{channel.target}' at "
                              f"{channel.times[0]}..{channel.times[-1]} ms are stretched")
            entry = self.clips.setdefault(animation.name, ([], 0, 0))
            length = max(entry[2], animation.length)
            self.clips[animation.name] = (entry[0] + [animation], 0, length)
        if clip_file.is_file() and animations:
            self.cut_clips(clip_file.read_text("utf-8", "replace"), animations)

    def cut_clips(self, text, animations):
        """Clips of the .animation file, in frames of the whole animation."""
        text = re.sub(r"//.*", "", text)
        head = re.search(r"\banimation\s+(\S+)\s*\{", text)
        count = re.search(r"\bframeCount\s*=\s*(\d+)", text)
        if not head or not count or int(count[1]) == 0:
            raise Refused("the .animation file has no animation with a frameCount")
        chosen = [a for a in animations if a.name == head[1]] or animations[:1]
        scale = max(a.length for a in chosen) / int(count[1])
        for name, body in re.findall(r"\bclip\s+(\S+)\s*\{([^}]*)\}", text):
            begin, end = (re.search(rf"\b{key}\s*=\s*(\d+)", body) for key in ("begin", "end"))
            if not begin or not end:
                raise Refused(f"clip '{name}' of the .animation file has no begin and end")
            self.clips[name] = (chosen, int(begin[1]) * scale, int(end[1]) * scale)

    def check_materials(self, path):
        names = {name for node, _ in self.drawn for name in node.model[2] if name}
        if not names or not look_for(self, path, "the engine draws without materials"):
            return
        text = path.read_text("utf-8", "replace")
        blocks = {m[1]: m for m in re.finditer(
            r"^material\s+(\w+)(?:\s*:\s*(\w+))?(.*?)(?=^material\s|\Z)", text, re.M | re.S)}
        for name in sorted(names):
            if name not in blocks:
                self.warn(f"material '{name}' is not in {path.name}")
                continue
            body = blocks[name][3] + (blocks[blocks[name][2]][3] if blocks[name][2] in blocks
                                      else "")
            self.check_material(name, body, path)

    def check_material(self, name, body, path):
        for picture in re.findall(r"^\s*path\s*=\s*(\S+)", body, re.M):
            ending, file = Path(picture).suffix.lower(), path.parent / picture
            if ending not in PICTURES:
                raise Refused(f"texture '{picture}' of material '{name}' is not PNG, DDS or PVR")
            if look_for(self, file, f"texture of material '{name}'") and \
                    not file.read_bytes().startswith(PICTURES[ending]):
                raise Refused(f"texture '{picture}' of material '{name}' is not what it ends in")
        for node, _ in self.drawn:
            if node.model[1] is None or name not in node.model[2]:
                continue
            limit = re.search(r"SKINNING_JOINT_COUNT\s+(\d+)", body)
            if not limit or int(limit[1]) < len(node.model[1].joints):
                self.warn(f"material '{name}' is not made for {len(node.model[1].joints)} joints")

    def locals_at(self, clip, seconds):
        local = {name: list(node.rest) for name, node in self.nodes.items()}
        if clip is None:
            return local
        animations, begin, end = self.need_clip(clip)
        time = min(begin + seconds * 1000, end)
        for animation in animations:
            share = min(time / animation.length, 1.0) if animation.length else 0.0
            for channel in animation.channels:
                first, last = channel.times[0], channel.times[-1]
                at = time if self.view == "file" else first + share * (last - first)
                apply_channel(channel, at, local[channel.target])
        return local

    def worlds(self, clip, seconds):
        found, local = {}, self.locals_at(clip, seconds)
        for name, node in self.nodes.items():  # Parents are loaded before their children.
            parent = found[node.parent.name] if node.parent else IDENTITY
            found[name] = multiply(parent, compose(*local[name]))
        return found

    def joints(self, clip, seconds):
        return {name: world[12:15] for name, world in self.worlds(clip, seconds).items()}

    def draws(self, clip, seconds):
        worlds = self.worlds(clip, seconds)
        return [(mesh, self.place(node, mesh, worlds)) for node, mesh in self.drawn]

    def place(self, node, mesh, worlds):
        skin = node.model[1]
        if skin is None:
            return mesh.placed(worlds[node.name])
        return mesh.skinned(self.palette(skin, worlds), worlds[node.name])

    @staticmethod
    def palette(skin, worlds):
        return [multiply(multiply(worlds[joint], pose), skin.bind_shape)
                for joint, pose in zip(skin.joints, skin.bind_poses)]

    def length(self, clip):
        _, begin, end = self.need_clip(clip)
        return (end - begin) / 1000

    def clip_lines(self):
        return [f"clip {name}: {(end - begin) / 1000:g} s, {sum(len(a.channels) for a in found)} "
                f"channels" for name, (found, begin, end) in self.clips.items()]


def load(path, options):
    path = Path(path)
    if options.view == "engine" or read_bytes(path)[9:11] != b"\x01\0":
        return GameplayModel(path, options.view)
    for old in product(*((False, True) for _ in OLD)):
        try:
            return GameplayModel(path, "file", [word for word, on in zip(OLD, old) if on])
        except Refused as error:
            why = error
    raise Refused(f"no kind of version 1.0 fits: {why}")
