#!/usr/bin/env python3
"""Make tests/fixtures/modeldata/: valid ModelData files small enough to read as hex.

Each is of the dialect that its name begins with, and of the kind that its extension says.
"""
# SPDX-License-Identifier: MIT

import sys

import outputs
import pack_document_modeldata as text
import parse_modeldata
from pack_modeldata import (animated, animation, f32, i32, joint, material, mesh, mesh_of, model,
                            skeleton, u32)

FOLDER = outputs.ROOT / "tests" / "fixtures" / "modeldata"
SIZE_LIMIT = 900

UP = (0.0, 0.0, 1.0)
RIGHT = (1.0, 0.0, 0.0)
TURN_Y = (0.0, 0.70710678, 0.0, 0.70710678)
STILL = (0.0, 0.0, 0.0, 1.0)

TRIANGLE = {
    "vertices": ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    "uvs": ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
    "normals": (UP, UP, UP),
    "tangents": (RIGHT, RIGHT, RIGHT),
    "triangles": ((0, 1, 2),),
}
SKIN = {
    "joints": ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)),
    "weights": ((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.25, 0.75, 0.0, 0.0)),
}

# Rows; the child is 2 above its parent.
RAISED = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
LOWERED = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)

# Three corners whose bits a reader must not change: a quiet, a signalling and a negative NaN
# with payloads, both infinities, -0, the smallest subnormal, the largest number and 1.
ODD_BITS = (0x7FC12345, 0x7F812345, 0xFFC00001,
            0x7F800000, 0xFF800000, 0x80000000,
            0x00000001, 0x7F7FFFFF, 0x3F800000)


EMPTY = model([mesh()])


def _joints():
    return [joint(0, -1, "mast"), joint(1, 0, "jib", LOWERED, RAISED)]


def _slew(name="slew", **more):
    """The root moves, the child rotates and grows."""
    return animation(name, [[(0.0, 0.0, 0.0, 0.0), (36.0, 0.0, 0.5, 0.0)], []],
                     [[], [(0.0,) + STILL, (12.0,) + TURN_Y]],
                     [[], [(0.0, 1.0, 1.0, 1.0)]], **more)


def _still(name, **more):
    """For one joint, which does nothing."""
    return animation(name, [[]], [[]], [[]], **more)


def _named(joint_name, animation_name, names="bytes", body=EMPTY):
    """A joint and an animation of these names; the document's sizes are of joints only."""
    more = {} if names == "document" else {"names": names}
    return animated(body, skeleton([joint(0, -1, joint_name)], names),
                    [_still(animation_name, **more)])


# -- Static

def _static_files():
    maps = {"diffuse_map": "d.png", "normal_map": "n.png", "specular_map": "s.png",
            "displacement_map": "h.png", "ambient_occlusion_map": "ao.png", "alpha_map": "a.png",
            "reflection_map": "r.png", "glow_map": "g.png"}
    full = material((0.5, 0.25, 0.125), (0.0, 0.0, 0.5), displacement_factor=0.01, tiling=2.0,
                    shininess=0.75, shine_damping=16.0, **maps)
    shapes = ("convex", "triangleMesh", "sphere/0.5", "box/1/2/1", "capsule/0.5/2.0",
              "cylinder/0.16/0.96/0.16", "cone/1.0/2.0",
              "compound sphere/1 1-0-0-0-0-1-0-0-0-0-1-0-0.5-2-0-1 "
              "box/1/1/1 1-0-0-0-0-1-0-0-0-0-1-0-0-0-0-1")
    bare = mesh(vertices=TRIANGLE["vertices"], triangles=TRIANGLE["triangles"])
    odd = mesh_of([u32(*ODD_BITS), b"", b"", b"", b"", b"", u32(0, 1, 2)])
    return {
        "current_minimal.cem": model([bare]),
        "current_full.cem": model([mesh(**TRIANGLE, material_bytes=full, shape="box/1/2/1")]),
        "current_defaults.cem": model([mesh(**TRIANGLE, material_bytes=material())]),
        "current_shapes.cem": model([mesh(shape=shape) for shape in shapes]),
        "current_empty_mesh.cem": model([mesh()]),
        "current_two_meshes.cem": model([bare, mesh(**TRIANGLE, shape="convex")]),
        "current_utf8.cem": model([mesh(material_bytes=material(diffuse_map="Ähre/鋼.png"),
                                        shape="sphere/1")]),
        "current_latin1.cem": model([mesh(material_bytes=material(diffuse_map=b"Gr\xfcn.png"))]),
        "current_float_bits.cem": model([odd]),
    }


# -- Animated

def _animated_files():
    skinned = mesh(**TRIANGLE, **SKIN, shape="sphere/1",
                   material_bytes=material(diffuse_map="d.png"))
    one = skeleton([joint(0, -1, "mast")])
    return {
        "current_full.cea": animated(model([skinned]), skeleton(_joints()), [_slew()]),
        "current_animations.cea": animated(EMPTY, one, [_still("a"), _still("b"), _still("")]),
        "current_no_animation.cea": animated(EMPTY, one),
        "current_no_skeleton.cea": animated(EMPTY),
        "current_empty_skeleton.cea": animated(EMPTY, skeleton([]), [_still("a")]),
        "current_no_mesh.cea": animated(model([]), one, [_still("a")]),
        "current_utf8.cea": _named("関節", "läuft"),
        "current_latin1.cea": _named(b"Fu\xdf", b"l\xe4uft"),
        "current_order.cea": animated(EMPTY, skeleton(_joints()[::-1])),
    }


# -- What writers do wrong

def _odd_files():
    """Sizes with something over, of the first releases, in characters, and of joints."""
    over = material(diffuse_map="d.png", rest=b"\1\2")
    arrays = [f32(0.0, 0.0, 0.0, 1.0), f32(0.0), b"", b"", i32(1), b"", b"\0\0\0\0\7"]
    grown = material(diffuse_map="Grün.png", normal_map="鋼😀.png", names="characters")
    return {
        "current_leftovers.cea": animated(
            model([mesh(material_bytes=over), mesh(shape="convex", rest=b"\3")]),
            skeleton([joint(0, -1, "mast")], rest=b"\4\5\6\7\x08"), [_still("a", rest=b"\x09")]),
        "current_odd_arrays.cem": model([mesh_of(arrays)]),
        "legacy_material.cea": animated(model([mesh(material_bytes=material(), factor=4)]),
                                        skeleton(_joints()), [_slew()]),
        "legacy_shape.cem": model([mesh(**TRIANGLE, shape="sphere/1", factor=4)]),
        "legacy_both.cem": model([mesh(material_bytes=material(diffuse_map="d.png"),
                                       shape="convex", factor=4)]),
        "legacy_mixed.cem": model([mesh(material_bytes=material()),
                                   mesh(material_bytes=material(), factor=4)]),
        "characters_map.cem": model([mesh(material_bytes=grown, shape="convex")]),
        "characters_full.cea": _named("関節", "läuft 😀", "characters",
                                      model([mesh(material_bytes=grown, shape="convex")])),
        "legacy-characters_map.cem": model([mesh(material_bytes=grown, shape="convex", factor=4)]),
        "legacy-characters_full.cea": _named("関節", "läuft", "characters",
                                              model([mesh(material_bytes=grown, factor=4)])),
        "document_full.cea": animated(model([mesh(material_bytes=material(), shape="convex")]),
                                      skeleton(_joints(), "document"), [_slew()]),
        "document_utf8.cea": _named("Gelenk-ß", "läuft", "document"),
    }


# -- Readings of the format's document, which the engine does not share

def reading_files():
    """Packed from the document; tests/test_document_modeldata.py tests such files."""
    def skinned(names=("mast", "jib"), **more):
        strip = text.skinned(1, **more)
        strip["JointIds"] = [(0, 1, 0, 0)] * len(strip["Vertices"])
        joints = [{"Index": i, "ParentIndex": i - 1, "Name": name, "InverseBindMatrix": LOWERED,
                   "BindLocalPoseMatrix": RAISED} for i, name in enumerate(names)]
        return {"Meshes": [strip], "Joints": joints, "Animations": []}

    turned = {"Name": "turn", "Positions": [[], []], "Scales": [[], []],
              "Rotations": [[], [(0.0, (0.0, 0.0, 0.0)), (24.0, (0.5, 0.25, -0.5))]]}
    moving = {**skinned(), "Meshes": [], "Animations": [turned]}
    still = {**turned, "Rotations": [[], [(0.0, STILL)]]}
    return {
        "document_numbers.cem": text.pack_model([text.mesh(1, Material=text.MATERIAL)],
                                                text.Reading("numbers", True)),
        "document_triangles.cem": text.pack_model([text.mesh(1, CollisionShape="convex")],
                                                  text.Reading("triangles")),
        "document_angles.cea": text.pack_animated(moving, text.Reading(columns=True)),
        "document_influences.cea": text.pack_animated(
            skinned(), text.Reading(influences=2, tangent=4)),
        "document_flags.cem": text.pack_model([text.mesh(1, Material={
            **text.FULL_MATERIAL, "DefaultTiling": 255})], text.Reading(leaves_defaults_out=True)),
        "document-names_elements.cea": text.pack_animated(
            skinned(), text.Reading("elements", joint_size="name")),
        "document-names-characters_flat.cea": text.pack_animated(
            skinned(("Fuß", "関節")),
            text.Reading("elements-flat", joint_size="name", name_size="characters")),
        "current_columns.cea": text.pack_animated(
            {**moving, "Animations": [still]}, text.Reading(joint_size="name", columns=True)),
        "current_no_model.cea": text.pack_animated(
            {**moving, "Meshes": None, "Animations": []}, text.Reading(joint_size="name")),
        "current_only_animation.cea": text.pack_animated(
            {"Meshes": None, "Joints": None, "Animations": [still]}, text.Reading()),
    }


def fixture_files():
    """Name to bytes; refuses to make a file that is large, or not what its name says."""
    files = {**_static_files(), **_animated_files(), **_odd_files()}
    readings = reading_files()
    for name, data in files.items():
        dialect, kind = name.split("_")[0], name.split(".")[1]
        if parse_modeldata.dialects(data)[0] != dialect:
            raise ValueError("%s fits the dialects %s" % (name, parse_modeldata.dialects(data)))
        if parse_modeldata.parse(data, dialect)["kind"] != kind:
            raise ValueError("%s is of the other kind" % name)
    for name, data in {**files, **readings}.items():
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (name, len(data)))
    return {**files, **readings}


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
