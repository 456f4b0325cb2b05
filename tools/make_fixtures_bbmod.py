#!/usr/bin/env python3
"""Make tests/fixtures/bbmod/: valid BBMOD models of every generation, small enough to read as hex.

Each is of the dialect that its name begins with.
"""
# SPDX-License-Identifier: MIT

import sys

import bbmod_arm as arm
import outputs
import parse_bbmod
from bbmod_arm import Place
from crane.maths import cross, normalize, sub, turn
from pack_bbmod import (FLAGS, LINES, LINE_STRIP, POINTS, TRIANGLE_FAN, TRIANGLE_STRIP, bone,
                        dual_quaternion, is_document, known_flags, mesh, model, node, u32, v0_model,
                        v1_bone, v1_model, v1_node, vertex)

FOLDER = outputs.ROOT / "tests" / "fixtures" / "bbmod"
SIZE_LIMIT = 2048
V3_DIALECTS = ("3.4", "3.3", "3.2", "3.1", "3.0", "3.0-upper")

PLAIN = ("vertices", "normals", "texture_coords")
TRIANGLE = ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.5))
UVS = ((0.0, 1.0), (1.0, 1.0), (0.0, 0.0))
UP = (0.0, -0.4472136, 0.8944272)
STILL = dual_quaternion((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))

# Without materials to be named, the variants of version 1 are one; without a bone, so are the
# readings of the document that differ in bones.
TWINS = {"1b_unnamed": ["1b", "1a"], "1b_empty": ["1b", "1a"],
         "document_static": [name for name in parse_bbmod.TEXT_DIALECTS
                             if "f32" not in name and "byte" not in name]}


def dual(place):
    return dual_quaternion(place.rotation, place.translation)


# -- One triangle with any attributes

def corners(flags, bgra=False):
    """Vertices with these attributes, all of them different from vertex to vertex."""
    color = (64, 128, 255, 200) if bgra else (255, 128, 64, 200)
    made = []
    for i, (position, uv) in enumerate(zip(TRIANGLE, UVS)):
        made.append(vertex(
            position, UP if "normals" in flags else None,
            uv if "texture_coords" in flags else None,
            (0.25 * i, 0.5) if "texture_coords2" in flags else None,
            color[:3] + (200 + i,) if "colors" in flags else None,
            (1.0, 0.0, 0.0, -1.0) if "tangent_w" in flags else None,
            (0.0, 0.0, 0.0, 0.0) if "bones" in flags else None,
            (1.0, 0.0, 0.0, 0.0) if "bones" in flags else None,
            float(i) if "ids" in flags else None))
    return made


def static(dialect, flags=PLAIN, materials=("paint",), **changes):
    """One triangle at the root."""
    root = node(dialect, "Plane", 0, STILL, [0])
    return model(dialect, flags, [mesh(dialect, flags, corners(flags), **changes)], 1, root, (),
                 materials)


def full(dialect):
    """Every attribute that the dialect has, with a bone."""
    flags = [flag for flag in FLAGS if flag in known_flags(dialect)]
    child = node(dialect, "bone", 0, dual(Place((1.0, 0.0, 0.0), turn(arm.Y, 45.0))), is_bone=True)
    root = node(dialect, "root", 1, STILL, [0], [child])
    offset = dual(Place((1.0, 0.0, 0.0), turn(arm.Y, 45.0)).inverse())
    return model(dialect, flags, [mesh(dialect, flags, corners(flags))], 2, root,
                 [bone(dialect, 0, offset)], ["paint", "steel"])


# -- The arm

def arm_vertices(unit=Place()):
    back = unit.inverse()
    made = []
    for i, (position, bones, weights) in enumerate(arm.CORNERS):
        a, b, c = (corner[0] for corner in arm.CORNERS[i - i % 3:i - i % 3 + 3])
        normal = normalize(cross(sub(b, a), sub(c, a)))
        made.append(vertex(back.point(position), normal, (0.5, 0.25), bones=bones, weights=weights))
    return made


ARM_FLAGS = PLAIN + ("bones",)


def arm_tree(pack_node, index=0):
    children = [arm_tree(pack_node, i) for i, parent in enumerate(arm.PARENTS) if parent == index]
    return pack_node(index, children)


def skinned(dialect):
    """The arm in version 3."""
    places = arm.rest()

    def pack_node(i, children):
        return node(dialect, arm.NAMES[i], arm.SLOTS[i], dual(places[i]), [0] if i == 4 else [],
                    children, i in arm.BONES)

    bones = [bone(dialect, i, dual(offset)) for i, offset in enumerate(arm.offsets(places))]
    return model(dialect, ARM_FLAGS, [mesh(dialect, ARM_FLAGS, arm_vertices())], 5,
                 arm_tree(pack_node), bones, ["skin"])


def skinned_v2(root_scale=1.0, unit=Place(), accident=False):
    """The arm in version 2. `unit` takes the mesh to the model, and is in every offset."""
    places = arm.rest(root_scale)
    inverse = places[0].inverse()

    def pack_node(i, children):
        place = inverse if accident and i == 0 else places[i]
        return node("2", arm.NAMES[i], arm.SLOTS[i], place.rows(), [0] if i == 4 else [], children,
                    i in arm.BONES)

    bones = [bone("2", i, offset.rows())
             for i, offset in enumerate(arm.offsets(places, inverse, unit))]
    return model("2", ARM_FLAGS, [mesh("2", ARM_FLAGS, arm_vertices(unit))], 5, arm_tree(pack_node),
                 bones, ["skin"], inverse.rows())


def skinned_v1(dialect, root_scale=1.0):
    """The arm in version 1, whose writers stored the inverse in place of the root's transform."""
    places = arm.rest(root_scale)
    inverse = places[0].inverse()
    numbers = Place.columns if dialect == "1a" else Place.rows
    offsets = arm.offsets(places, inverse)

    def pack_bone(i, children):
        is_bone = i in arm.BONES
        return v1_bone(arm.NAMES[i], arm.SLOTS[i] if is_bone else -1,
                       numbers(places[i] if i else inverse),
                       numbers(offsets[arm.SLOTS[i]] if is_bone else Place()), children)

    body = v1_node("Body", [mesh(dialect, ARM_FLAGS, arm_vertices())])
    return v1_model(dialect, ARM_FLAGS, numbers(inverse), v1_node("Armature", (), [body]), 2,
                    arm_tree(pack_bone), ["skin"])


# -- Files without bones

def static_v1(dialect, materials=("paint", "steel"), column_vectors=False):
    inverse = Place((0.0, 0.5, -0.25), turn(arm.X, 90.0), 0.5)
    numbers = inverse.columns() if column_vectors or dialect != "1b" else inverse.rows()
    child = v1_node("wing", [mesh(dialect, PLAIN, corners(PLAIN), max(len(materials) - 1, 0))])
    root = v1_node("body", [mesh(dialect, PLAIN, corners(PLAIN))], [child])
    return v1_model(dialect, PLAIN, numbers, root, materials=materials)


def static_v2():
    """Two meshes on two nodes, with a scale in the root, as in files made of FBX."""
    root_place = Place((0.0, 0.0, 1.0), turn(arm.X, 90.0), 0.01)
    meshes = [mesh("2", PLAIN, corners(PLAIN)), mesh("2", PLAIN, corners(PLAIN), 1)]
    child = node("2", "wing", 1, Place((3.0, 0.0, 0.0)).rows(), [1])
    root = node("2", "body", 0, root_place.rows(), [0], [child])
    return model("2", PLAIN, meshes, 2, root, (), ["paint", "steel"], root_place.inverse().rows())


# -- Version 3.4, the odd cases

def primitives():
    kinds = (POINTS, LINES, LINE_STRIP, TRIANGLE_STRIP, TRIANGLE_FAN)
    counts = (1, 2, 3, 4, 4)
    points = [vertex((float(i), float(i % 2), 0.0)) for i in range(4)]
    meshes = [mesh("3.4", ("vertices",), points[:count], primitive=kind)
              for kind, count in zip(kinds, counts)]
    root = node("3.4", "all", 0, STILL, range(len(meshes)))
    return model("3.4", (), meshes, 1, root, (), ["paint"])


def instances():
    """One mesh at two nodes, and mesh formats that differ."""
    left = node("3.4", "left", 1, dual(Place((-1.0, 0.0, 0.0))), [0])
    right = node("3.4", "right", 2, dual(Place((1.0, 0.0, 0.0), turn(arm.Z, 180.0))), [0, 1])
    bare = ("vertices",)
    meshes = [mesh("3.4", PLAIN, corners(PLAIN)), mesh("3.4", bare, corners(bare))]
    return model("3.4", (), meshes, 3, node("3.4", "root", 0, STILL, (), [left, right]), (),
                 ["paint"])


def named(root_name, material):
    root = node("3.4", root_name, 0, STILL, [0])
    return model("3.4", (), [mesh("3.4", PLAIN, corners(PLAIN))], 1, root, (), [material])


# Bits that a reader must not change: NaNs with payloads, quiet and signalling, both infinities, -0,
# the smallest subnormal, the largest number and 1.
ODD_BITS = u32(0x7FC12345, 0x7F812345, 0xFFC00001, 0x7F800000, 0xFF800000, 0x80000000,
               0x00000001, 0x7F7FFFFF, 0x3F800000)


def float_bits():
    vertices = [ODD_BITS[12 * i:12 * i + 12] for i in range(3)]
    root = node("3.4", "odd", 0, STILL, [0])
    return model("3.4", (), [mesh("3.4", ("vertices",), vertices, box=(0.0,) * 6)], 1, root, (),
                 ["paint"])


def _v3_files():
    files = {}
    for dialect in V3_DIALECTS:
        files[dialect + "_full"] = full(dialect)
    for dialect in ("3.4", "3.1", "3.0"):
        files[dialect + "_skinned"] = skinned(dialect)
    files["3.4_static"] = static("3.4")
    files["3.1_unset"] = static("3.1", box=(0.0,) * 6)
    empty = mesh("3.4", PLAIN, [])
    files["3.4_empty_mesh"] = model("3.4", (), [empty], 1, node("3.4", "none", 0, STILL, [0]), (),
                                    ["paint"])
    files["3.4_no_mesh"] = model("3.4", (), [], 1, node("3.4", "none", 0, STILL))
    files["3.4_primitives"] = primitives()
    files["3.4_bare_vertices"] = _bare_vertices()
    files["3.4_instances"] = instances()
    files["3.4_utf8"] = named("Flügel-翼", "Stahl-Grün")
    files["3.4_latin1"] = named(b"Fl\xfcgel", b"Gr\xfcn")
    files["3.4_float_bits"] = float_bits()
    return files


def _document_model(dialect):
    """What the readings of the document differ in: bones, indices, offsets and a primitive type."""
    flags = ("vertices", "bones")
    weights = None if is_document(dialect, "16") else (1.0, 0.0, 0.0, 0.0)
    data = [vertex(position, bones=(0.0, 0.0, 0.0, 0.0), weights=weights) for position in TRIANGLE]
    child = node(dialect, "bone", 0, STILL, is_bone=True)
    root = node(dialect, "root", 1, STILL, [0], [child])
    return model(dialect, flags, [mesh(dialect, flags, data)], 2, root, [bone(dialect, 0, STILL)],
                 ["paint"])


def _bare_vertices():
    """Vertices that are counted, but have no attribute and so no bytes, beside some that do."""
    meshes = [mesh("3.4", (), [], box=(0.0,) * 6)[:-4] + u32(0xffffffff),
              mesh("3.4", PLAIN, corners(PLAIN))]
    return model("3.4", (), meshes, 1, node("3.4", "root", 0, STILL, [0, 1]), (), ["paint"])


def fixture_models():
    """Stem to bytes."""
    every = [flag for flag in FLAGS if flag in known_flags("0")]
    files = {
        "0_minimal": v0_model(("vertices",), corners(("vertices",))),
        "0_full": v0_model(every, corners(every, bgra=True)),
        "1a_static": static_v1("1a"),
        "1a_skinned": skinned_v1("1a"),
        "1a_scaled": skinned_v1("1a", root_scale=0.01),
        "1a-boneless_static": static_v1("1a-boneless"),
        "1b_static": static_v1("1b"),
        "1b_skinned": skinned_v1("1b"),
        "1b_unnamed": static_v1("1b", (), column_vectors=True),
        "2_static": static_v2(),
        "2_skinned": skinned_v2(),
        "2_accident": skinned_v2(accident=True),
        "2_scaled": skinned_v2(root_scale=0.01, unit=Place(scale=0.5)),
        "document_static": static("document"),
    }
    for dialect in parse_bbmod.TEXT_DIALECTS:
        files[dialect + "_skinned"] = _document_model(dialect)
    files["1b_empty"] = v1_model("1b", (), Place().rows(), v1_node(""))
    files.update(_v3_files())
    return files


def fixture_files():
    """Name to bytes; refuses to make a file that is large, or of another dialect than its own."""
    files = {}
    for stem, data in fixture_models().items():
        expected = TWINS.get(stem, [stem.split("_")[0]])
        fitting = parse_bbmod.dialects(data)
        # A file is read as "document" if it is nothing else.
        fitting = [name for name in fitting if name not in parse_bbmod.TEXT_DIALECTS] or fitting
        if fitting != expected:
            raise ValueError("%s is of %s" % (stem, fitting))
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (stem, len(data)))
        files[stem + ".bbmod"] = data
    return files


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
