#!/usr/bin/env python3
"""gltf.py: a glTF 2.0 model (.glb, .gltf) drawn as its specification defines.

The scene that `scene` names, else the first, else every node. Accessors of all types, normalized,
interleaved, sparse or without bytes; buffers in the chunk, in data URIs and in files beside the
model. Lists, strips and fans of triangles; points and lines are left out. Faces of a node whose
world matrix mirrors are reversed, and so are those of a skin most of whose matrices do. A
skinned mesh is where its joints have it; weights are normalized. Morph targets have the
weights of the clip, else those of the node, else those of the mesh. Channels are LINEAR (rotations
by slerp), STEP or CUBICSPLINE. EXT_mesh_gpu_instancing and KHR_mesh_quantization are supported,
and KHR_node_visibility, with KHR_animation_pointer to it and to transforms and weights of nodes:
what is never visible is not drawn, what is hidden for a while is a point. Files that need meshopt
or Draco are refused.
"""
# SPDX-License-Identifier: MIT

import base64
import json
import struct
from bisect import bisect_right
from pathlib import Path
from urllib.parse import unquote

from common import (IDENTITY, Mesh, Model, Refused, compose, determinant, dot, lerp, multiply,
                    normalize, read_bytes, slerp)

VIEWS = {"scene": "as the specification has it"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
# For a component type: its letter in struct, and the value of 1 if it is normalized.
KINDS = {5120: ("b", 127), 5121: ("B", 255), 5122: ("h", 32767), 5123: ("H", 65535),
         5125: ("I", 1), 5126: ("f", 1)}
TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 4, 5, 6
COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")
REST = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


# -- Reading

class File:
    """The JSON of a file, and its accessors as lists of tuples."""

    def __init__(self, path):
        data, self.chunk = read_bytes(path), b""
        self.folder, self.buffers, self.cache = path.parent, {}, {}
        text = data
        if data[:4] == b"glTF":
            size, = struct.unpack_from("<I", data, 12)
            text, rest = data[20:20 + size], data[20 + size:]
            if len(rest) >= 8:
                size, = struct.unpack_from("<I", rest)
                self.chunk = rest[8:8 + size]
        try:
            self.json = json.loads(text)
        except ValueError as error:
            raise Refused(f"{path.name}: {error}") from error
        for name in COMPRESSED:
            if name in self.json.get("extensionsUsed", []):
                raise Refused(f"{path.name} needs {name}")

    def buffer(self, index):
        if index not in self.buffers:
            uri = self.json["buffers"][index].get("uri")
            if uri is None:
                self.buffers[index] = self.chunk
            elif uri.startswith("data:"):
                self.buffers[index] = base64.b64decode(uri.split(",", 1)[1] + "==")
            else:
                self.buffers[index] = read_bytes(self.folder / unquote(uri))
        return self.buffers[index]

    def rows(self, view, offset, count, width, kind):
        view = self.json["bufferViews"][view]
        layout = struct.Struct(f"<{width}{KINDS[kind][0]}")
        start = view.get("byteOffset", 0) + offset
        stride = view.get("byteStride") or layout.size
        data = self.buffer(view["buffer"])
        if count and start + (count - 1) * stride + layout.size > len(data):
            raise Refused("an accessor reaches beyond its buffer")
        if stride == layout.size:
            return list(layout.iter_unpack(data[start:start + count * stride]))
        return [layout.unpack_from(data, start + i * stride) for i in range(count)]

    def accessor(self, index):
        if index not in self.cache:
            self.cache[index] = self.read(self.json["accessors"][index])
        return self.cache[index]

    def read(self, accessor):
        kind, width, count = accessor["componentType"], WIDTHS[accessor["type"]], accessor["count"]
        found = [(0,) * width] * count
        if "bufferView" in accessor:
            found = self.rows(accessor["bufferView"], accessor.get("byteOffset", 0), count, width,
                              kind)
        sparse = accessor.get("sparse")
        if sparse:
            places, values = sparse["indices"], sparse["values"]
            numbers = self.rows(places["bufferView"], places.get("byteOffset", 0), sparse["count"],
                                1, places["componentType"])
            rows = self.rows(values["bufferView"], values.get("byteOffset", 0), sparse["count"],
                             width, kind)
            for (number,), row in zip(numbers, rows):
                found[number] = row
        if accessor.get("normalized"):
            unit = KINDS[kind][1]
            found = [tuple(max(v / unit, -1.0) for v in row) for row in found]
        return found


def triangles_of(indices, mode):
    if mode == TRIANGLES:
        return [tuple(indices[i:i + 3]) for i in range(0, len(indices) - 2, 3)]
    steps = range(len(indices) - 2)
    if mode == TRIANGLE_STRIP:
        return [(indices[i], indices[i + 1 + i % 2], indices[i + 2 - i % 2]) for i in steps]
    if mode == TRIANGLE_FAN:
        return [(indices[i + 1], indices[i + 2], indices[0]) for i in steps]
    return []


class Primitive:
    """A mesh, and how its morph targets move its vertices."""

    def __init__(self, file, stored):
        attributes = stored["attributes"]
        positions = file.accessor(attributes["POSITION"])
        indices = range(len(positions))
        if "indices" in stored:
            indices = [i for i, in file.accessor(stored["indices"])]
        triangles = triangles_of(indices, stored.get("mode", TRIANGLES))
        sets = [[file.accessor(attributes[f"{name}_{k}"]) for name in ("JOINTS", "WEIGHTS")]
                for k in range(16) if f"JOINTS_{k}" in attributes and f"WEIGHTS_{k}" in attributes]
        influences = self.influences(sets, len(positions)) if sets else None
        normals, uvs = (file.accessor(attributes[name]) if name in attributes else None
                        for name in ("NORMAL", "TEXCOORD_0"))
        self.mesh = Mesh(positions, normals, uvs, triangles, influences)
        self.targets = [file.accessor(target["POSITION"]) if "POSITION" in target else None
                        for target in stored.get("targets", [])]

    @staticmethod
    def influences(sets, count):
        found = []
        for i in range(count):
            pairs = [(joint, weight) for joints, weights in sets
                     for joint, weight in zip(joints[i], weights[i]) if weight]
            total = sum(weight for _, weight in pairs) or 1.0
            found.append([(joint, weight / total) for joint, weight in pairs])
        return found

    def morphed(self, weights):
        """The mesh with its vertices moved by morph targets."""
        moving = [(w, target) for w, target in zip(weights, self.targets) if w and target]
        if not moving:
            return self.mesh
        positions = [tuple(p[axis] + sum(w * target[i][axis] for w, target in moving)
                           for axis in range(3)) for i, p in enumerate(self.mesh.positions)]
        return Mesh(positions, None, None, self.mesh.triangles, self.mesh.influences)


class Channel:
    def __init__(self, file, sampler, path, width):
        self.path, self.curve = path, sampler.get("interpolation", "LINEAR")
        self.times = [t for t, in file.accessor(sampler["input"])]
        rows = file.accessor(sampler["output"])
        if path == "weights":
            flat = [v for v, in rows]
            rows = [tuple(flat[i:i + width]) for i in range(0, len(flat), width)]
        self.values = rows

    def at(self, time):
        times, values, curve = self.times, self.values, self.curve
        i = bisect_right(times, time * (1 + 1e-7)) - 1  # Times are stored in 32 bits.
        step = 3 if curve == "CUBICSPLINE" else 1
        if i < 0 or i >= len(times) - 1 or curve == "STEP":
            value = values[min(max(i, 0), len(times) - 1) * step + step // 2]
        else:
            span = times[i + 1] - times[i]
            share = max(time - times[i], 0.0) / span
            if step == 3:
                value = self.spline(i, share, span)
            else:
                mix = slerp if self.path == "rotation" else lerp
                value = mix(values[i], values[i + 1], share)
        return normalize(value) if self.path == "rotation" else value

    def spline(self, i, t, span):
        _, a, out = self.values[3 * i:3 * i + 3]
        into, b, _ = self.values[3 * i + 3:3 * i + 6]
        s, q = t * t, t * t * t
        factors = (2 * q - 3 * s + 1, span * (q - 2 * s + t), -2 * q + 3 * s, span * (q - s))
        return tuple(dot(factors, column) for column in zip(a, out, b, into))


# -- Posing

class GltfModel(Model):
    def __init__(self, path):
        super().__init__()
        self.file = File(path)
        self.json = self.file.json
        self.nodes = self.json.get("nodes", [])
        self.primitives = {}
        self.order = self.in_order()
        for animation in self.json.get("animations", []):
            self.add_clip(animation)
        blinking = {node for channels in self.clips.values() for node, channel in channels
                    if channel.path == "visible"}
        hidden = {}
        for node, parent in self.order:
            hidden[node] = hidden.get(parent, False) or (
                node not in blinking and not self.is_visible(node))
        self.drawn = [(n, p) for n in self.shown() if "mesh" in self.nodes[n] and not hidden[n]
                      for p in self.primitives_of(self.nodes[n]["mesh"])]
        self.meshes = [primitive.mesh for _, primitive in self.drawn]

    def is_visible(self, node):
        extensions = self.nodes[node].get("extensions", {})
        return extensions.get("KHR_node_visibility", {}).get("visible", True)

    def primitives_of(self, index):
        if index not in self.primitives:
            stored = self.json["meshes"][index]["primitives"]
            self.primitives[index] = [Primitive(self.file, p) for p in stored
                                      if "POSITION" in p["attributes"]]
        return self.primitives[index]

    def in_order(self):
        """(node, parent), parents first."""
        children = {child for node in self.nodes for child in node.get("children", [])}
        found = [(n, None) for n in range(len(self.nodes)) if n not in children]
        for node, _ in found:
            found += [(child, node) for child in self.nodes[node].get("children", [])]
            if len(found) > len(self.nodes):
                raise Refused("a node has two parents")
        return found

    def shown(self):
        scenes = self.json.get("scenes", [])
        if not scenes:
            return range(len(self.nodes))
        found = list(scenes[self.json.get("scene", 0)].get("nodes", []))
        for node in found:
            found += self.nodes[node].get("children", [])
        return found

    def add_clip(self, stored):
        channels = []
        for channel in stored["channels"]:
            target = channel["target"]
            node, path = target.get("node"), target["path"]
            if path == "pointer":
                pointer = target["extensions"]["KHR_animation_pointer"]["pointer"].split("/")
                if pointer[1] == "nodes":
                    node, path = int(pointer[2]), pointer[-1]
            if node is None or path not in (*REST, "weights", "visible"):
                continue
            width = 1
            if path == "weights":
                mesh = self.json["meshes"][self.nodes[node]["mesh"]]
                width = len(mesh["primitives"][0].get("targets", []))
            sampler = stored["samplers"][channel["sampler"]]
            channels.append((node, Channel(self.file, sampler, path, width)))
        if not channels:
            return
        name = first = stored.get("name") or "animation"
        number = 1
        while name in self.clips:
            number += 1
            name = f"{first}_{number}"
        self.clips[name] = channels

    def draws(self, clip, seconds):
        changed = {}
        for node, channel in self.need_clip(clip) if clip is not None else ():
            changed.setdefault(node, {})[channel.path] = channel.at(seconds)
        worlds = {}
        for index, parent in self.order:
            local = self.local(self.nodes[index], changed.get(index, {}))
            visible = changed.get(index, {}).get("visible", [self.is_visible(index)])
            if not visible[0]:
                local = multiply(local, compose(REST["translation"], REST["rotation"], (0, 0, 0)))
            worlds[index] = local if parent is None else multiply(worlds[parent], local)
        found = []
        for index, primitive in self.drawn:
            found += self.draw(index, primitive, worlds, changed.get(index, {}).get("weights"))
        return found

    @staticmethod
    def local(node, changed):
        if "matrix" in node and not set(changed) & set(REST):
            return tuple(node["matrix"])
        parts = {name: changed.get(name) or node.get(name, rest) for name, rest in REST.items()}
        return compose(*parts.values())

    def draw(self, index, primitive, worlds, weights):
        node = self.nodes[index]
        stored = weights or node.get("weights") or self.json["meshes"][node["mesh"]].get("weights")
        mesh = primitive.morphed(stored or ())
        if "skin" in node and mesh.influences is not None:
            palette = self.palette(node["skin"], worlds)
            is_mirrored = 2 * sum(determinant(m) < 0 for m in palette) > len(palette)
            facing = primitive.mesh.turned_over() if is_mirrored else primitive.mesh
            return [(facing, mesh.skinned(palette))]
        found = []
        for instance in self.instances(node):
            world = multiply(worlds[index], instance)
            found.append((primitive.mesh.facing(world), mesh.placed(world)))
        return found

    def palette(self, index, worlds):
        skin = self.json["skins"][index]
        binds = [IDENTITY] * len(skin["joints"])
        if "inverseBindMatrices" in skin:
            binds = self.file.accessor(skin["inverseBindMatrices"])
        return [multiply(worlds[joint], bind) for joint, bind in zip(skin["joints"], binds)]

    def instances(self, node):
        stored = node.get("extensions", {}).get("EXT_mesh_gpu_instancing", {}).get("attributes")
        if not stored:
            return [IDENTITY]
        columns = {name: self.file.accessor(stored[name.upper()])
                   for name in REST if name.upper() in stored}
        count = len(next(iter(columns.values())))
        return [compose(*(columns[name][i] if name in columns else rest
                          for name, rest in REST.items())) for i in range(count)]

    def length(self, clip):
        return max((channel.times[-1] for _, channel in self.need_clip(clip)), default=0.0)


def load(path, options):
    try:
        return GltfModel(Path(path))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise Refused(f"{Path(path).name}: {type(error).__name__}: {error}") from error
