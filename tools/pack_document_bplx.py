"""BPLX files packed from the format's document, in every reading of it.

This module shares no code with the library or with the other packers. A model is plain data, in the
words of the document. Quaternions are x, y, z, w; transforms of bones are relative to parents.
"""
# SPDX-License-Identifier: MIT

import dataclasses
import itertools
import math
import struct


def uint(*values):
    return struct.pack("<%dI" % len(values), *values)


def sint(value):
    return struct.pack("<i", value)


def floats(values):
    values = list(values)
    return struct.pack("<%df" % len(values), *values)


def text(value):
    """A length, and the bytes."""
    data = value.encode("utf-8")
    return uint(len(data)) + data


def stream(rows):
    return floats(number for row in rows for number in row)


# -- The six chunks

def header(model):
    materials = model["Materials"]
    count = model.get("Material Count", len(materials) if materials is not None else 1)
    return (b"BPLX" + uint(1, len(model["Positions"]), len(model["Faces"]), count,
                           model.get("Padding", 0)))


def material(m, leaves_paths_out):
    packed = (text(m["Name"]) + floats(m["Diffuse Color"]) + floats(m["Specular Color"])
              + floats([m["Shininess"]]) + floats(m["Emissive Color"])
              + floats([m["Transparency"]]) + bytes([m["Is Textured"]]))
    if leaves_paths_out and m["Is Textured"] == 0:
        return packed
    return packed + text(m["Texture Path"])


def bone(b):
    return (text(b["Name"]) + sint(b["Parent Index"]) + floats(b["Rest Position"])
            + floats(b["Rest Rotation"]) + floats(b["Rest Scale"]))


def clip(c):
    packed = text(c["Name"]) + floats([c["Animation Length"]]) + uint(len(c["Keyframes"]))
    for key in c["Keyframes"]:
        packed += (floats([key["Time"]]) + uint(key["Bone Index"]) + floats(key["Position"])
                   + floats(key["Rotation"]) + floats(key["Scale"]))
    return packed


def pack(model, leaves_paths_out=False):
    """`Materials` None: without the block, as the published scripts write it."""
    packed = header(model)
    if model["Materials"] is not None:
        packed += uint(len(model["Materials"]))
        packed += b"".join(material(m, leaves_paths_out) for m in model["Materials"])
    packed += stream(model["Positions"]) + stream(model["Normals"]) + stream(model["UVs"])
    packed += b"".join(uint(*face) for face in model["Faces"])
    packed += uint(len(model["Bones"])) + b"".join(map(bone, model["Bones"]))
    return packed + uint(len(model["Clips"])) + b"".join(map(clip, model["Clips"]))


# -- Models

def turn(axis, degrees):
    half = math.radians(degrees) / 2
    length = math.sqrt(sum(value * value for value in axis))
    return tuple(math.sin(half) * value / length for value in axis) + (math.cos(half),)


STILL = (0.0, 0.0, 0.0, 1.0)
PLAIN = {"Name": "red", "Diffuse Color": (1.0, 0.25, 0.125), "Specular Color": (0.5, 0.5, 0.5),
         "Shininess": 16.0, "Emissive Color": (0.0, 0.0, 0.0625), "Transparency": 1.0,
         "Is Textured": 0, "Texture Path": ""}
GLASS = {**PLAIN, "Name": "glass", "Transparency": 0.25}
WOOD = {**PLAIN, "Name": "wood", "Is Textured": 1, "Texture Path": "wood.png"}
NAMED = {**PLAIN, "Name": "Grün", "Texture Path": "unused.png"}
TRUE = {**WOOD, "Name": "", "Is Textured": 255}


def strip(height):
    """A strip of squares along y."""
    positions = [(float(side), float(y), 0.0) for y in range(height + 1) for side in (-1, 1)]
    faces = []
    for y in range(height):
        a = 2 * y
        faces += [(a, a + 1, a + 3), (a, a + 3, a + 2)]
    return {"Positions": positions, "Normals": [(0.0, 0.0, 1.0)] * len(positions),
            "UVs": [((x + 1) / 2, y / max(1, height)) for x, y, _ in positions], "Faces": faces}


def bones():
    rests = [("mast", -1, (0.0, 0.5, 0.0), turn((0, 1, 0), 20), (1.0, 1.0, 1.0)),
             ("jib", 0, (0.0, 2.0, 0.0), turn((1, 0, 1), 35), (1.0, 2.0, 0.5)),
             ("hook", 1, (1.5, 0.0, 0.25), STILL, (1.0, 1.0, 1.0)),
             ("lamp", -1, (3.0, 0.0, 0.0), STILL, (1.0, 1.0, 1.0))]
    words = ("Name", "Parent Index", "Rest Position", "Rest Rotation", "Rest Scale")
    return [dict(zip(words, rest)) for rest in rests]


def keyframe(time, index, position, rotation, scale=(1.0, 1.0, 1.0)):
    return {"Time": time, "Bone Index": index, "Position": position, "Rotation": rotation,
            "Scale": scale}


def clips():
    slew = [keyframe(0.0, 0, (0.0, 0.5, 0.0), STILL), keyframe(0.0, 1, (0.0, 2.0, 0.0), STILL),
            keyframe(0.5, 1, (0.0, 2.5, 0.0), turn((0, 0, 1), 40), (1.0, 1.5, 1.0)),
            keyframe(2.0, 0, (1.0, 0.5, 0.0), turn((0, 1, 0), 70)),
            keyframe(2.0, 1, (0.0, 2.0, 1.0), turn((1, 1, 0), 60), (2.0, 1.0, 0.5))]
    return [{"Name": "slew", "Animation Length": 2.0, "Keyframes": slew},
            {"Name": "läuft", "Animation Length": 1.0,
             "Keyframes": [keyframe(0.25, 3, (3.0, 1.0, 0.0), STILL)]},
            {"Name": "", "Animation Length": 0.0, "Keyframes": []}]


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    model: dict
    leaves_paths_out: bool = False

    @property
    def file_name(self):
        return self.name + ".bplx"

    @property
    def data(self):
        return pack(self.model, self.leaves_paths_out)


def model(**more):
    return {"Materials": [PLAIN, GLASS, WOOD], **strip(2), "Bones": bones(), "Clips": clips(),
            **more}


def cases():
    """Every field and branch; each reading of the path of a material that is not textured."""
    palettes = {"none": [], "plain": [PLAIN], "wood": [WOOD], "three": [PLAIN, GLASS, WOOD],
                "true": [TRUE, PLAIN], "scripts": None}
    for (name, materials), left_out, height, parts in itertools.product(
            palettes.items(), (False, True), (0, 1, 3), ("", "bones", "all")):
        if left_out and (materials is None or all(m["Is Textured"] for m in materials)):
            continue
        shape = strip(height) if height else {key: [] for key in strip(1)}
        yield Case("%s%s_%d%s" % (name, "_left-out" * left_out, height, "_" * bool(parts) + parts),
                   {"Materials": materials, **shape, "Bones": bones() if parts else [],
                    "Clips": clips() if parts == "all" else []}, left_out)
    yield Case("path_without_texture", model(Materials=[NAMED, WOOD]))
    yield Case("padding", model(Padding=0xDEADBEEF))
    yield Case("counts_differ", model(**{"Material Count": 7}))
    yield Case("points", model(Faces=[]))
    yield Case("turned_round", model(Faces=[(a, c, b) for a, b, c in strip(2)["Faces"]]))
    yield Case("clips_without_bones", model(Bones=[], Clips=[clips()[2]]))
