"""ModelData files packed from the format's document, in every reading of it.

This module shares no code with the library or with the other packers. A model is plain data, in
the words of the document; `Reading` says how the sentences that leave something open are
understood. What the document does not say at all (numbers per vertex, the parent of a root) is as
usual: 3, 2, 3, 3, 4, 4 and 1 numbers, and -1.
"""
# SPDX-License-Identifier: MIT

import dataclasses
import itertools
import math
import struct

MAPS = ("DiffuseMap", "NormalMap", "SpecularMap", "DisplacementMap", "AmbientOcclusionMap",
        "AlphaMap", "ReflectionMap", "GlowMap")
COLORS = ("DiffuseColor", "GlowColor")
FLOATS = ("DisplacementFactor", "Tiling", "Shininess", "ShineDamping")
ARRAYS = ("Vertices", "TextureCoordinates", "Normals", "Tangents", "JointIds", "Weights", "Indices")
NUMBERS = {"Vertices": 3, "TextureCoordinates": 2, "Normals": 3, "Tangents": 3, "JointIds": 4,
           "Weights": 4, "Indices": 1}
UNITS = ("bytes", "numbers", "elements", "elements-flat", "triangles", "triangles-flat")


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a sentence of the document is understood."""
    # VerticesSize and the six others count bytes; floats and ints; one for each vertex and index;
    # the same with one for each joint id and weight; the same with one for each triangle.
    sizes: str = "bytes"
    leaves_defaults_out: bool = False  # A value whose Default flag is set is not in the file.
    joint_size: str = "joint"          # JointNSize: the bytes of the joint, or of its name.
    name_size: str = "bytes"           # NameSize and its like: bytes, or characters.
    rotation: int = 4                  # Floats of a rotation: a quaternion, or three angles.
    columns: bool = False              # Matrices are stored column by column.
    influences: int = 4                # Joint ids and weights of a vertex.
    tangent: int = 3                   # Floats of a tangent.

    @property
    def name(self):
        words = [self.sizes, self.joint_size]
        words += ["left-out"] * self.leaves_defaults_out + ["characters"] * (
            self.name_size == "characters") + ["angles"] * (self.rotation == 3)
        words += ["columns"] * self.columns
        words += ["influences%d" % self.influences] * (self.influences != 4)
        words += ["tangents%d" % self.tangent] * (self.tangent != 3)
        return "-".join(words)


# -- Fundamental data types

def float32(*values):
    return struct.pack(">%df" % len(values), *values)


def short(*values):
    return struct.pack(">%dH" % len(values), *values)


def int32(*values):
    return struct.pack(">%di" % len(values), *values)


def string(value):
    return value.encode("utf-8")


def size_of(value, reading):
    if reading.name_size == "characters":
        return len(value.encode("utf-16-be")) // 2
    return len(string(value))


def joined(parts):
    return b"".join(parts)


# -- Meshes

def numbers_of(mesh, name, reading):
    """The numbers of an array, one vertex after the other."""
    numbers = []
    for element in mesh.get(name, ()):
        element = [element] if name == "Indices" else list(element)
        if name in ("JointIds", "Weights"):
            element = (element + [0] * reading.influences)[:reading.influences]
        if name == "Tangents" and reading.tangent == 4:
            element = element + [1.0]
        numbers += element
    return numbers


def array_size(mesh, name, reading):
    count = len(numbers_of(mesh, name, reading))
    per_element = {"JointIds": reading.influences, "Weights": reading.influences,
                   "Tangents": reading.tangent}.get(name, NUMBERS[name])
    if reading.sizes == "bytes":
        return 4 * count
    if reading.sizes == "numbers":
        return count
    if name == "Indices":
        return count // 3 if reading.sizes.startswith("triangles") else count
    if name in ("JointIds", "Weights") and reading.sizes.endswith("-flat"):
        return count
    return count // per_element


def pack_mesh(mesh, reading):
    material = pack_material(mesh["Material"], reading) if mesh.get("Material") else b""
    shape = string(mesh.get("CollisionShape", ""))
    sizes = [array_size(mesh, name, reading) for name in ARRAYS] + [len(material), len(shape)]
    arrays = [(int32 if name in ("JointIds", "Indices") else float32)(
        *numbers_of(mesh, name, reading)) for name in ARRAYS]
    return int32(*sizes) + joined(arrays) + material + shape


def pack_material(material, reading):
    """`material` has the flags, such as "DefaultTiling", the values and the maps that are set."""
    def values(names):
        parts = []
        for name in names:
            if reading.leaves_defaults_out and material.get("Default" + name, 0) > 0:
                continue
            value = material.get(name, (1.0, 1.0, 1.0) if name in COLORS else 0.0)
            parts.append(float32(*value) if name in COLORS else float32(value))
        return joined(parts)

    flags = [material.get("Default" + name, 0) for name in COLORS + FLOATS]
    maps = [material.get(name, "") for name in MAPS]
    return (bytes(flags[:2]) + short(*(size_of(name, reading) for name in maps)) + bytes(flags[2:])
            + values(COLORS) + joined(string(name) for name in maps) + values(FLOATS))


def pack_model(meshes, reading):
    packed = [pack_mesh(mesh, reading) for mesh in meshes]
    return int32(len(packed), *map(len, packed)) + joined(packed)


# -- Skeleton and animations

def matrix(rows, reading):
    """Of 16 numbers, row by row."""
    if reading.columns:
        rows = [rows[4 * row + column] for column in range(4) for row in range(4)]
    return float32(*rows)


def pack_skeleton(joints, reading):
    packed = [int32(joint["Index"], joint["ParentIndex"]) + string(joint["Name"])
              + matrix(joint["InverseBindMatrix"], reading)
              + matrix(joint["BindLocalPoseMatrix"], reading) for joint in joints]
    sizes = [size_of(joint["Name"], reading) for joint in joints]
    if reading.joint_size == "joint":  # As many as there are, but for how the name is counted.
        sizes = [len(data) - len(string(joint["Name"])) + size
                 for data, joint, size in zip(packed, joints, sizes)]
    return int32(len(joints), *sizes) + joined(packed)


def rotation_of(quaternion, reading):
    return quaternion if reading.rotation == 4 else angles_of(quaternion)


def pack_animation(animation, reading):
    kinds = [animation["Positions"], animation["Rotations"], animation["Scales"]]
    rotations = [[(time, rotation_of(vec, reading)) for time, vec in keys] for keys in kinds[1]]
    lists = [kinds[0], rotations, kinds[2]]
    counts = [len(keys) for kind in lists for keys in kind]
    keys = joined(float32(time, *vec) for kind in lists for keys in kind for time, vec in keys)
    return (int32(size_of(animation["Name"], reading), *map(len, lists), *counts)
            + string(animation["Name"]) + keys)


def pack_animated(model, reading):
    """`model` has Meshes, Joints and Animations. None for the first two: not even a count."""
    meshes, joints = model["Meshes"], model["Joints"]
    body = b"" if meshes is None else pack_model(meshes, reading)
    skeleton = b"" if joints is None else pack_skeleton(joints, reading)
    animations = [pack_animation(animation, reading) for animation in model["Animations"]]
    return (int32(len(body), len(skeleton), len(animations), *map(len, animations))
            + body + skeleton + joined(animations))


# -- Numbers to compare with

def multiply(a, b):
    return [sum(a[4 * row + k] * b[4 * k + column] for k in range(4))
            for row in range(4) for column in range(4)]


def rows_of(quaternion, position, scale=(1.0, 1.0, 1.0)):
    """A transform as a matrix for column vectors, row by row."""
    x, y, z, w = quaternion
    turn = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
    rows = []
    for line, at in zip(turn, position):
        rows += [value * factor for value, factor in zip(line, scale)] + [at]
    return rows + [0.0, 0.0, 0.0, 1.0]


def inverse(rows):
    """Of a rotation and a translation, row by row."""
    turned = [[rows[4 * column + row] for column in range(3)] for row in range(3)]
    at = [rows[4 * row + 3] for row in range(3)]
    result = []
    for line in turned:
        result += line + [-sum(value * place for value, place in zip(line, at))]
    return result + [0.0, 0.0, 0.0, 1.0]


def turn(axis, degrees):
    """A quaternion."""
    half = math.radians(degrees) / 2
    length = math.sqrt(sum(value * value for value in axis))
    return tuple(math.sin(half) * value / length for value in axis) + (math.cos(half),)


def angles_of(quaternion):
    """Three angles in radians: first about x, then about y, then about z."""
    rows = rows_of(quaternion, (0.0, 0.0, 0.0))
    return (math.atan2(rows[9], rows[10]), math.asin(max(-1.0, min(1.0, -rows[8]))),
            math.atan2(rows[4], rows[0]))


# -- Models

STILL = (0.0, 0.0, 0.0, 1.0)
MATERIAL = {"DefaultDiffuseColor": 0, "DiffuseColor": (0.5, 0.25, 0.125), "DefaultGlowColor": 1,
            "DiffuseMap": "d.png", "GlowMap": "maps/glow.png", "DefaultDisplacementFactor": 1,
            "DefaultTiling": 0, "Tiling": 2.0, "DefaultShininess": 0, "Shininess": 0.75,
            "DefaultShineDamping": 1}
FULL_MATERIAL = {"DiffuseColor": (0.5, 0.25, 0.125), "GlowColor": (0.0, 0.0, 0.5),
                 "DisplacementFactor": 0.01, "Tiling": 3.0, "Shininess": 0.75, "ShineDamping": 16.0,
                 **{name: name.lower() + ".png" for name in MAPS}}


def mesh(height=2, **more):
    """A strip of `height` squares along y; as many vertices on the left as on the right."""
    count = height + 1
    vertices = [(float(side), float(y), 0.0) for y in range(count) for side in (-1, 1)]
    indices = []
    for y in range(height):
        a = 2 * y
        indices += [a, a + 1, a + 3, a, a + 3, a + 2]
    return {"Vertices": vertices,
            "TextureCoordinates": [((x + 1) / 2, y / height) for x, y, _ in vertices],
            "Normals": [(0.0, 0.0, 1.0)] * len(vertices),
            "Tangents": [(1.0, 0.0, 0.0)] * len(vertices), "Indices": indices, **more}


def skinned(height=2, **more):
    strip = mesh(height, **more)
    shares = [y / height for _, y, _ in strip["Vertices"]]
    strip["JointIds"] = [(7, 3, 0, 0)] * len(shares)
    strip["Weights"] = [(1.0 - share, share, 0.0, 0.0) for share in shares]
    return strip


def skeleton():
    """Two joints, whose indices are not their places, and a third that moves no vertex."""
    locals_ = [rows_of(turn((0, 0, 1), 30), (0.25, 0.0, 0.5)),
               rows_of(turn((1, 2, 0), 50), (0.0, 1.5, 0.0)),
               rows_of(turn((0, 1, 0), -20), (0.0, 0.0, 2.0))]
    globals_ = [locals_[0], multiply(locals_[0], locals_[1])]
    globals_.append(multiply(globals_[1], locals_[2]))
    names = [(7, -1, "mast"), (3, 7, "jib"), (0, 3, "hook")]
    return [{"Index": index, "ParentIndex": parent, "Name": name, "InverseBindMatrix": inverse(at),
             "BindLocalPoseMatrix": local}
            for (index, parent, name), local, at in zip(names, locals_, globals_)]


def animation(name="slew", scaled=False):
    """Lists for the joints 0 to 7; only 3 and 7 have keys."""
    lists = {kind: [[] for _ in range(8)] for kind in ("Positions", "Rotations", "Scales")}
    lists["Positions"][7] = [(0.0, (0.25, 0.0, 0.5)), (12.0, (1.25, 0.5, 0.5))]
    lists["Rotations"][7] = [(0.0, turn((0, 0, 1), 30)), (24.0, turn((0, 0, 1), 80))]
    lists["Rotations"][3] = [(0.0, STILL), (6.0, turn((1, 0, 0), 40)), (24.0, turn((0, 1, 1), 70))]
    if scaled:
        lists["Scales"][3] = [(0.0, (1.0, 1.0, 1.0)), (24.0, (2.0, 1.5, 0.5))]
    return {"Name": name, **lists}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    model: dict        # Meshes; Joints and Animations, where it is animated.
    reading: Reading
    is_animated: bool = True

    @property
    def file_name(self):
        return self.name + (".cea" if self.is_animated else ".cem")

    @property
    def data(self):
        if self.is_animated:
            return pack_animated(self.model, self.reading)
        return pack_model(self.model["Meshes"], self.reading)


def rich_model():
    return {"Meshes": [skinned(Material=MATERIAL, CollisionShape="box/1/2/1"),
                       skinned(4, Material=FULL_MATERIAL), mesh(1)],
            "Joints": skeleton(), "Animations": [animation(), animation("grow", scaled=True)]}


def readings():
    """All combinations that make sense."""
    for sizes, left_out, joint_size, rotation, columns in itertools.product(
            UNITS, (False, True), ("joint", "name"), (4, 3), (False, True)):
        yield Reading(sizes, left_out, joint_size, "bytes", rotation, columns)
    for sizes, influences, tangent in itertools.product(
            ("bytes", "numbers"), (1, 2, 3, 4, 5, 6, 8), (3, 4)):
        if (influences, tangent) != (4, 3):
            yield Reading(sizes, influences=influences, tangent=tangent)


def static_cases():
    """Every field and branch of a ModelData."""
    def case(name, *meshes, reading=Reading()):
        return Case(name, {"Meshes": list(meshes)}, reading, False)

    for sizes, left_out in itertools.product(UNITS, (False, True)):
        reading = Reading(sizes, left_out)
        name = "-left-out" * left_out
        yield case("full_%s%s" % (sizes, name), reading=reading, *[
            mesh(Material=FULL_MATERIAL, CollisionShape="convex")])
        yield case("mixed_%s%s" % (sizes, name), reading=reading, *[
            mesh(Material=MATERIAL), mesh(3, CollisionShape="sphere/1"), mesh(1)])
    for sizes in UNITS:
        yield case("bare_%s" % sizes, mesh(), reading=Reading(sizes))
    for absent in ARRAYS[1:4]:
        yield case("without_%s" % absent.lower(), {**mesh(), absent: []})
    yield case("points", {**mesh(), "Indices": []})
    yield case("nothing_in_it", {name: [] for name in ARRAYS})
    for name in MAPS:
        yield case("map_%s" % name.lower(), mesh(Material={name: "a.png"}))
    for flag, left_out in itertools.product((1, 2, 127, 128, 255), (False, True)):
        for name in COLORS + FLOATS:
            yield case("flag_%s_%d%s" % (name.lower(), flag, "_left-out" * left_out),
                       mesh(Material={**FULL_MATERIAL, "Default" + name: flag}),
                       reading=Reading(leaves_defaults_out=left_out))
    every = {"Default" + name: 1 for name in COLORS + FLOATS}
    for left_out in (False, True):
        yield case("all_default" + "_left-out" * left_out, mesh(Material=every),
                   reading=Reading(leaves_defaults_out=left_out))


def animated_cases():
    """Every field and branch of an AnimatedModelData."""
    def case(name, reading=Reading(), **parts):
        return Case(name, {**rich_model(), **parts}, reading)

    for joint_size in ("joint", "name"):
        reading = Reading(joint_size=joint_size)
        yield case("no_animation_" + joint_size, reading, Animations=[])
        yield case("no_mesh_" + joint_size, reading, Meshes=[])
        yield case("model_size_0_" + joint_size, reading, Meshes=None)
        yield case("one_joint_" + joint_size, reading, Joints=skeleton()[:1], Animations=[])
        yield case("names_" + joint_size, reading,
                   Joints=[{**joint, "Name": name} for joint, name in
                           zip(skeleton(), ("", "Gelenk-ß", "関節"))],
                   Animations=[animation(name) for name in ("", "läuft", "歩く")])
    yield case("skeleton_size_0", Joints=None, Animations=[])
    yield case("no_joint", Joints=[], Animations=[])
    yield case("animation_only", Meshes=[], Joints=None)
    yield case("animation_only_sizes_0", Meshes=None, Joints=None)
    empty = {"Name": "still", "Positions": [], "Rotations": [], "Scales": []}
    yield case("empty_lists", Animations=[empty, {**animation(), "Scales": []}])
    yield case("lists_differ", Animations=[{**empty, "Positions": [[]] * 9,
                                            "Rotations": [[]] * 8, "Scales": [[]]}])
    for sizes, left_out, joint_size in itertools.product(
            ("bytes", "numbers"), (False, True), ("joint", "name")):
        grown = {**MATERIAL, "DiffuseMap": "Grün.png", "NormalMap": "鋼😀.png"}
        yield case("characters_%s_%s%s" % (sizes, joint_size, "_left-out" * left_out),
                   Reading(sizes, left_out, joint_size, "characters"),
                   Meshes=[skinned(Material=grown, CollisionShape="convex")],
                   Joints=[{**joint, "Name": name} for joint, name in
                           zip(skeleton(), ("Fuß", "関節", "😀"))],
                   Animations=[animation("läuft")])


def cases():
    for reading in readings():
        yield Case("rich_" + reading.name, rich_model(), reading)
    yield from static_cases()
    yield from animated_cases()
