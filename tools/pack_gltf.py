"""glTF 2.0: the pieces of a file, and the crane as GLB."""
# SPDX-License-Identifier: MIT

import base64
import json
import math
import struct

from crane import inverse_binds
from crane.picture import texture_png

I8, U8, I16, U16, U32, F32 = 5120, 5121, 5122, 5123, 5125, 5126
CODES = {I8: "b", U8: "B", I16: "h", U16: "H", U32: "I", F32: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
VERTICES, INDICES = 34962, 34963  # What a view is for.
CORNERS = [0, 0, 0, 2, 0, 0, 0, 1, 0]


class Maker:
    """A file that grows: its JSON, and the bytes of its one buffer."""

    def __init__(self, **members):
        self.json = {"asset": {"version": "2.0"}, **members}
        self.bytes = b""

    def view(self, data, **members):
        """Add bytes as a buffer view; returns its index."""
        self.bytes += bytes(-len(self.bytes) % 4)
        views = self.json.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data),
                      **members})
        self.bytes += data
        return len(views) - 1

    def accessor(self, component, kind, count, **members):
        accessors = self.json.setdefault("accessors", [])
        accessors.append({"componentType": component, "count": count, "type": kind, **members})
        return len(accessors) - 1

    def numbers(self, component, kind, values, view=None, **members):
        """Add numbers, side by side, as an accessor, with members of its `view`; returns its
        index."""
        data = struct.pack("<%d%s" % (len(values), CODES[component]), *values)
        width = WIDTHS[kind]
        return self.accessor(component, kind, len(values) // width,
                             bufferView=self.view(data, **view or {}), **members)

    def positions(self, values=CORNERS):
        return self.numbers(F32, "VEC3", values,
                            min=[min(values[k::3]) for k in range(3)],
                            max=[max(values[k::3]) for k in range(3)])

    def times(self, values):
        return self.numbers(F32, "SCALAR", values, min=[values[0]], max=[values[-1]])

    def glb(self, *chunks):
        """The file as GLB, with more chunks after the usual two."""
        binary = self.bytes + bytes(-len(self.bytes) % 4)
        if binary:
            self.json["buffers"] = [{"byteLength": len(self.bytes)}]
        text = json.dumps(self.json, separators=(",", ":")).encode()
        parts = [(JSON_CHUNK, text + b" " * (-len(text) % 4))]
        if binary:
            parts.append((BIN_CHUNK, binary))
        body = b"".join(struct.pack("<II", len(data), kind) + data
                        for kind, data in parts + list(chunks))
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body

    def gltf(self):
        """The file as text, the buffer in it."""
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.bytes).decode()
        if self.bytes:
            self.json["buffers"] = [{"byteLength": len(self.bytes), "uri": uri}]
        return json.dumps(self.json, indent=1).encode() + b"\n"


# -- The crane
#
# A node for each joint. Rigid parts are children of their joints, each as a separate node; skinned
# parts are beside the skeleton. The texture is in the file.

def _bounds(points):
    return {"min": [min(column) for column in zip(*points)],
            "max": [max(column) for column in zip(*points)]}


def _vertex(vertex, is_skinned):
    """Position, normal, texture coordinates, color and influences, one after the other."""
    data = struct.pack("<8f4B", *vertex.position, *vertex.normal, *vertex.uv, *vertex.color)
    if not is_skinned:
        return data
    spare = 4 - len(vertex.joints)
    return data + struct.pack("<4B4f", *vertex.joints, *[0] * spare,
                              *vertex.weights, *[0.0] * spare)


def _attributes(maker, part):
    is_skinned = part.joint is None
    rows = [_vertex(vertex, is_skinned) for vertex in part.vertices]
    shared = {"bufferView": maker.view(b"".join(rows), byteStride=len(rows[0]), target=VERTICES)}
    count = len(rows)
    attributes = {
        "POSITION": maker.accessor(F32, "VEC3", count, **shared,
                                   **_bounds([vertex.position for vertex in part.vertices])),
        "NORMAL": maker.accessor(F32, "VEC3", count, byteOffset=12, **shared),
        "TEXCOORD_0": maker.accessor(F32, "VEC2", count, byteOffset=24, **shared),
        "COLOR_0": maker.accessor(U8, "VEC4", count, byteOffset=32, normalized=True, **shared),
    }
    if is_skinned:
        attributes["JOINTS_0"] = maker.accessor(U8, "VEC4", count, byteOffset=36, **shared)
        attributes["WEIGHTS_0"] = maker.accessor(F32, "VEC4", count, byteOffset=40, **shared)
    return attributes


def _mesh(maker, part):
    corners = [corner for triangle in part.triangles for corner in triangle]
    indices = maker.numbers(U16, "SCALAR", corners, {"target": INDICES})
    return {"name": part.name,
            "primitives": [{"attributes": _attributes(maker, part), "indices": indices,
                            "material": part.material}]}


def _material(source):
    """Phong's terms, which glTF lacks, are kept beside what comes closest to them."""
    pbr = {"baseColorFactor": [*source.diffuse, source.opacity], "metallicFactor": 0,
           "roughnessFactor": math.sqrt(2 / (source.shininess + 2))}
    if source.texture:
        pbr["baseColorTexture"] = {"index": 0}
    result = {"name": source.name, "pbrMetallicRoughness": pbr,
              "extras": {"specular": [*source.specular], "shininess": source.shininess}}
    if any(source.emissive):
        result["emissiveFactor"] = [*source.emissive]
    if source.opacity < 1:
        result["alphaMode"] = "BLEND"
    return result


def _nodes(model):
    """Nodes of the joints, in their order, then those of the parts; and the roots among them."""
    nodes = [{"name": joint.name, "translation": [*joint.rest.translation],
              "rotation": [*joint.rest.rotation]} for joint in model.joints]
    roots = []
    parents = [joint.parent for joint in model.joints] + [part.joint for part in model.parts]
    for mesh, part in enumerate(model.parts):
        skin = {"skin": 0} if part.joint is None else {}
        nodes.append({"name": part.name, "mesh": mesh, **skin})
    for index, parent in enumerate(parents):
        if parent is None or parent < 0:
            roots.append(index)
        else:
            nodes[parent].setdefault("children", []).append(index)
    return nodes, roots


def _animation(maker, clip):
    channels, samplers = [], []
    for channel in clip.channels:
        kind = "VEC4" if channel.path == "rotation" else "VEC3"
        values = [number for value in channel.values for number in value]
        samplers.append({"input": maker.times(channel.times),
                         "output": maker.numbers(F32, kind, values)})
        channels.append({"sampler": len(channels),
                         "target": {"node": channel.joint, "path": channel.path}})
    return {"name": clip.name, "channels": channels, "samplers": samplers}


def _columns(m):
    """Three rows of four as sixteen numbers, column by column."""
    return [m[row][column] if row < 3 else float(column == 3)
            for column in range(4) for row in range(4)]


def pack(model):
    """The model as GLB."""
    maker = Maker()
    nodes, roots = _nodes(model)
    binds = [number for m in inverse_binds(model) for number in _columns(m)]
    maker.json.update(
        scene=0, scenes=[{"name": model.name, "nodes": roots}], nodes=nodes,
        meshes=[_mesh(maker, part) for part in model.parts],
        skins=[{"joints": list(range(len(model.joints))), "skeleton": 0,
                "inverseBindMatrices": maker.numbers(F32, "MAT4", binds)}],
        animations=[_animation(maker, clip) for clip in model.clips],
        materials=[_material(source) for source in model.materials],
        textures=[{"source": 0, "sampler": 0}], samplers=[{"wrapS": 10497, "wrapT": 10497}],
        images=[{"name": "crane", "mimeType": "image/png",
                 "bufferView": maker.view(texture_png())}])
    return maker.glb()
