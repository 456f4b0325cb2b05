#!/usr/bin/env python3
"""beowolf.py: a model (.bmw) and its sidecar (.json) as Beowolf loads them.

The newest layout, matrices by columns; names may be missing, what follows is ignored. A model with
clips is animated: the matrices of a tick go directly to the shader, a node without any has the
identity. They are set only when the tick changes: a clip that stays on its first tick, as one with
a single tick does, leaves them all at identity. Ids of 128 and more are ignored. A vertex keeps its
4 heaviest influences. Clips are ranges of ticks in the sidecar; the engine shows the tick below the
time, a time between two is blended from both. The rest pose is what the engine shows of the first
tick of the default clip, without clips the vertices as stored. Texture i belongs to mesh i.
Views: 'engine' ignores the transforms of nodes, draws mesh i for the i-th mesh reference, and lets
a mesh inherit influences of the meshes before it; 'tree' follows the tree of nodes: meshes
without influences are where their nodes are, reversed if that mirrors them; animations without a
clip are clips, named by their number; a frame that is not finite is the next one. It also reads
older layouts, and matrices by rows.
"""
# SPDX-License-Identifier: MIT

import json
import math
from pathlib import Path

from common import (Cursor, IDENTITY, Mesh, Model, Refused, between, compose, corners,
                    look_for, multiply, normalize, read_bytes, transpose)

VIEWS = {"engine": "as the engine draws it", "tree": "as the tree means it"}
HEADER = "Beo-Model-Wolf Format Version 1"
MOST_MATRICES = 128
MOST_INFLUENCES = 4
UPDATES, STEP = 200, 0.0163  # Seconds from one update of the engine to the next.


# -- Reading

class Animation:
    def __init__(self, cursor):
        self.duration, self.rate, bone_count = cursor.many("I", 3)
        if bone_count == 0:
            raise Refused("an animation without bones: the loader crashes")
        self.tracks = {}
        for _ in range(bone_count):
            node = cursor.one("I")
            self.tracks[node] = cursor.rows(16, self.duration + 1)

    def repair(self):
        """A frame that is not finite is the next one that is."""
        for track in self.tracks.values():
            for i in reversed(range(len(track) - 1)):
                if not all(map(math.isfinite, track[i])):
                    track[i] = track[i + 1]


class Node:
    def __init__(self, cursor, parent, found, has_id=True):
        self.id = cursor.one("I") if has_id else len(found)
        self.local, self.parent = cursor.many("f", 16), parent
        found.append(self)
        self.meshes = cursor.many("I", cursor.one("I"))
        for _ in range(cursor.one("I")):
            Node(cursor, self, found, has_id)


class File:
    """What the loader reads from one .bmw. Older ones have animations after the nodes (R2), or
    neither animations nor weights (R1)."""

    def __init__(self, path, layout="R4"):
        cursor = Cursor(read_bytes(path))
        if cursor.cstring() != HEADER:
            raise Refused(f"{path.name} does not begin as a model")
        self.textures = [cursor.cstring() for _ in range(cursor.one("I"))
                         for _ in range(cursor.one("I"))]
        self.animations, self.weights, self.meshes = [], [], []
        if layout == "R4":
            self.animations = [Animation(cursor) for _ in range(cursor.one("I"))]
        for _ in range(cursor.one("I")):
            self.weights.append(read_weights(cursor) if layout != "R1" else {})
            self.meshes.append(read_mesh(cursor))
        self.nodes = []
        Node(cursor, None, self.nodes, layout != "R1")
        if layout == "R2":
            self.animations = [Animation(cursor) for _ in range(cursor.one("I"))]
        self.names = {}
        if layout == "R4" and cursor.left() >= 4:
            self.names = dict((cursor.one("I"), cursor.cstring()) for _ in range(cursor.one("I")))
        self.left = cursor.left()

    def turn_rows(self):
        """Matrices that have their translation in the last column are stored by rows."""
        tracks = [track for animation in self.animations for track in animation.tracks.values()]
        for found in ([node.local for node in self.nodes], [m for track in tracks for m in track]):
            rows = sum(any(m[3:12:4]) and not any(m[12:15]) for m in found)
            columns = sum(any(m[12:15]) and not any(m[3:12:4]) for m in found)
            if rows != columns:
                break
        if rows > columns:
            for node in self.nodes:
                node.local = transpose(node.local)
            for track in tracks:
                track[:] = [transpose(m) for m in track]


def read_any_layout(path):
    """The first layout that ends where the file does."""
    for layout in ("R4", "R2", "R1"):
        try:
            file = File(path, layout)
        except (Refused, MemoryError, OverflowError, RecursionError) as error:
            why = error
            continue
        if not file.left and file.nodes[0].id == 0:
            file.turn_rows()
            for animation in file.animations:
                animation.repair()
            return file
    raise Refused(f"{path.name}: no layout fits: {why}")


def read_weights(cursor):
    found = {}
    for _ in range(cursor.one("I")):
        vertex, count = cursor.many("I", 2)
        pairs = [(cursor.one("I"), cursor.one("f")) for _ in range(count)]
        found.setdefault(vertex, []).extend(pairs)
    return found


def read_mesh(cursor):
    positions, normals, uvs = [], [], []
    for _ in range(cursor.one("I")):
        positions.append(cursor.many("f", 3))
        cursor.take(16)
        uvs.append(cursor.many("f", 2))
        normals.append(cursor.many("f", 3))
    triangles = [cursor.many("I", 3) for _ in range(cursor.one("I"))]
    return Mesh(positions, normals, uvs, triangles)


# -- The sidecar

def read_sidecar(path):
    if not path.is_file():
        return {"defaultAnim": ""}
    try:
        stored = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise Refused(f"{path.name}: {error}") from error
    return {"defaultAnim": "idle", **stored}


def vector(text):
    x, y, z = text.split()
    return (float(x), float(y), float(z))


def model_transform(sidecar):
    """Translation × rotation × scale; the angle is in degrees."""
    half = math.radians(sidecar.get("rotation", 0)) / 2
    axis = normalize(vector(sidecar.get("rotationAngle", "0 1 0")))
    rotation = tuple(v * math.sin(half) for v in axis) + (math.cos(half),)
    return compose(vector(sidecar.get("translation", "0 0 0")), rotation,
                   vector(sidecar.get("scale", "1 1 1")))


class Clip:
    def __init__(self, name, animation, start, end, holds=False):
        self.name, self.animation, self.start, self.end = name, animation, start, end
        self.holds = holds

    def takes_effect(self):
        """Whether the tick changes while the clip is played, which is when the engine sets the
        matrices. A time after the end stays there if the clip is held; else it goes back to
        the start, or to the default clip. So the last tick of a clip that is not held is shown only
        if time hits it, which it does not here."""
        time = self.start
        for _ in range(UPDATES):
            time += STEP * self.animation.rate
            if time > self.end and not self.holds:
                return False
            if int(min(time, self.end)) != int(self.start):
                return True
        return False

    def is_still(self):
        ticks = slice(int(self.start), int(self.end) + 1)
        return all(matrix == track[ticks.start] for track in self.animation.tracks.values()
                   for matrix in track[ticks])


def outside_animation(path, own):
    """Animation 0 of another file, its ids changed to those of the nodes with the same names."""
    other = File(path)
    if not other.animations:
        raise Refused(f"{path.name} has no animation")
    ids = {name: node for node, name in own.names.items()}
    animation = other.animations[0]
    animation.tracks = {ids.get(other.names.get(node), node): track
                        for node, track in animation.tracks.items()}
    return animation


def read_clips(sidecar, file, folder):
    """The engine counts animations of other files first, then those of the model."""
    stored = sidecar.get("clips", [])
    outside = [outside_animation(folder / clip["file"], file) for clip in stored if "file" in clip]
    animations, skipped, found = outside + file.animations, 0, {}
    for clip in stored:
        if "name" not in clip or not ("file" in clip or ("start" in clip and "end" in clip)):
            raise Refused("a clip of the sidecar lacks its name or its range")
        if skipped >= len(animations):
            raise Refused(f"clip '{clip['name']}' has no animation")
        animation = animations[skipped]
        start, end = clip.get("start", 0), clip.get("end", animation.duration)
        if "file" in clip:
            start, end, skipped = 0, animation.duration, skipped + 1
        if not all(isinstance(tick, (int, float)) for tick in (start, end)):
            raise TypeError(f"clip '{clip['name']}'")
        found[clip["name"]] = Clip(clip["name"], animation, start, end, clip.get("hold", False))
    return found


# -- Posing

class BeowolfModel(Model):
    def __init__(self, path, view):
        super().__init__()
        self.view = view
        self.file = File(path) if view == "engine" else read_any_layout(path)
        self.meshes = self.file.meshes
        try:
            self.use_sidecar(read_sidecar(path.with_suffix(".json")), path.parent)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Refused(f"the sidecar has a value of the wrong kind: {error}") from error
        self.check_clips()
        self.set_influences()
        self.references = [(node, mesh) for node in self.file.nodes for mesh in node.meshes]
        self.check_references()

    def use_sidecar(self, sidecar, folder):
        self.outer = model_transform(sidecar)
        if self.view == "tree":  # A clip whose file is missing is left out.
            there = [clip for clip in sidecar.get("clips", [])
                     if "file" not in clip or (folder / clip["file"]).is_file()]
            sidecar = {**sidecar, "clips": there}
        self.clips = read_clips(sidecar, self.file, folder)
        self.default = str(sidecar["defaultAnim"])
        played = [clip.animation for clip in self.clips.values()]
        for number, animation in enumerate(self.file.animations if self.view == "tree" else ()):
            if animation not in played:
                name = f"animation_{number + 1}" if number else "animation"
                self.clips[name] = Clip(name, animation, 0, animation.duration)
        if self.view == "tree":
            return
        if self.clips and self.default not in self.clips:
            raise Refused(f"the default clip '{self.default}' is not among the clips")
        self.check_textures(sidecar, folder)

    def check_clips(self):
        for clip in self.clips.values():
            if not 0 <= clip.start <= clip.end or clip.start > clip.animation.duration:
                raise Refused(f"clip '{clip.name}' is {clip.start}..{clip.end} of "
                              f"{clip.animation.duration} ticks")
            if clip.end > clip.animation.duration:
                self.warn(f"clip '{clip.name}' ends after the last tick")

    def set_influences(self):
        inherited = {}
        for mesh, weights in zip(self.meshes, self.file.weights):
            if self.view == "engine":
                for vertex, pairs in weights.items():
                    inherited[vertex] = inherited.get(vertex, []) + pairs
                weights = {vertex: sorted(pairs, key=lambda p: (-p[1], -p[0]))[:MOST_INFLUENCES]
                           for vertex, pairs in inherited.items()}
            mesh.influences = [weights.get(i, []) for i in range(len(mesh.positions))]
            sums = [sum(w for _, w in pairs) for pairs in mesh.influences]
            if self.clips and any(abs(total - 1) > 1e-3 for total in sums):
                self.warn("weights that do not sum to 1")

    def check_references(self):
        count = len(self.meshes)
        if len(self.references) > count or any(mesh >= count for _, mesh in self.references):
            raise Refused(f"{len(self.references)} references to meshes, {count} meshes: the "
                          "engine reads beyond its list")
        if len(self.references) < count:
            self.warn(f"{count - len(self.references)} meshes that no node refers to")

    def check_textures(self, sidecar, folder):
        chosen = [entry["texture"] for entry in sidecar.get("textureOverrides", [])]
        for name in (chosen + self.file.textures[len(chosen):])[:len(self.meshes)]:
            for ending in (".jpg", ".png"):
                if ending in name:
                    name = name[:name.index(ending)] + ".dds"
                    break
            look_for(self, folder / name.replace("\\", "/"), "texture")

    def matrices(self, animation, tick):
        """Those of a tick; None: none was ever set."""
        found = {node: IDENTITY for mesh in self.meshes for pairs in mesh.influences
                 for node, _ in pairs}
        if tick is not None:
            found.update((node, track[tick]) for node, track in animation.tracks.items()
                         if node < MOST_MATRICES or self.view == "tree")
        if self.view == "engine" and any(node >= MOST_MATRICES for node in found):
            self.warn(f"ids of {MOST_MATRICES} and more do not move")
        return found

    def draws_of_tick(self, animation, tick):
        matrices = self.matrices(animation, tick) if animation else None
        if self.view == "tree":
            return self.draws_of_tree(matrices or {})
        return [(mesh, mesh.skinned(matrices, self.outer) if matrices
                 else mesh.placed(self.outer)) for mesh in self.meshes[:len(self.references)]]

    def draws(self, clip, seconds):
        return self.draws_of_tick(None, 0)

    def frame(self, animation, tick, chosen):
        return corners(self.draws_of_tick(animation, tick), chosen)

    def draws_of_tree(self, matrices):
        """Stored matrices are relative to the root; a node without one follows its parent."""
        root, found = self.file.nodes[0].local, []
        palette = {i: multiply(root, m) for i, m in matrices.items()}
        for node, index in self.references:
            mesh, world = self.meshes[index], self.world(node, matrices)
            if not any(mesh.influences):
                world = multiply(self.outer, world)
                found.append((mesh.facing(world), mesh.placed(world)))
                continue
            if not matrices:
                found.append((mesh, mesh.placed(self.outer)))
                continue
            loose = [pairs or [(None, 1.0)] for pairs in mesh.influences]
            whole_mesh = Mesh(mesh.positions, None, None, mesh.triangles, loose)
            found.append((mesh, whole_mesh.skinned({**palette, None: IDENTITY}, self.outer)))
        return found

    def world(self, node, matrices):
        if node.id in matrices and node.parent:
            return multiply(self.file.nodes[0].local, matrices[node.id])
        above = self.world(node.parent, matrices) if node.parent else IDENTITY
        return multiply(above, node.local)

    def pose(self, clip, seconds, chosen=None):
        if clip is None:
            return self.rest(chosen)
        entry = self.need_clip(clip)
        animation, rate = entry.animation, self.rate(clip)
        if self.view == "engine" and not entry.takes_effect():
            return self.frame(animation, None, chosen), "never takes effect"
        tick = min(entry.start + seconds * rate, entry.end)
        return between(lambda i: self.frame(animation, i, chosen), tick, animation.duration)

    def rest(self, chosen):
        """The first tick of the default clip; as stored without clips."""
        clip = self.clips.get(self.default)
        if clip:
            is_shown = self.view == "tree" or clip.takes_effect()
            tick = int(clip.start) if is_shown else None
            return self.frame(clip.animation, tick, chosen), f"clip {clip.name}"
        return self.frame(None, 0, chosen), "vertices as stored"

    def length(self, clip):
        entry = self.need_clip(clip)
        return (min(entry.end, entry.animation.duration) - entry.start) / self.rate(clip)

    def rate(self, clip):
        rate = self.need_clip(clip).animation.rate
        if rate == 0:
            raise Refused(f"clip '{clip}' plays at 0 ticks a second")
        return rate

    def clip_lines(self):
        return [f"clip {name}: ticks {c.start:g}..{c.end:g}, {c.animation.rate} a second"
                for name, c in self.clips.items()]


def load(path, options):
    return BeowolfModel(Path(path), options.view)
