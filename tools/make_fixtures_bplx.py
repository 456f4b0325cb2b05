#!/usr/bin/env python3
"""Make tests/fixtures/bplx/: valid BPLX files small enough to read as hex.

Each fits exactly one layout, the one its name begins with.
"""
# SPDX-License-Identifier: MIT

import sys

import outputs
import pack_document_bplx as text
import parse_bplx
from pack_bplx import bone, clip, counted, faces, header, key, material, u32, vertices

FOLDER = outputs.ROOT / "tests" / "fixtures" / "bplx"
SIZE_LIMIT = 600

NO_BONES = NO_CLIPS = NO_MATERIALS = u32(0)
IDENTITY = (0.0, 0.0, 0.0, 1.0)
QUARTER_TURN_Y = (0.0, 0.70710678, 0.0, 0.70710678)

ONE_TRIANGLE = vertices(
    [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
    [(0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)],
    [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)],
) + faces([(0, 1, 2)])

# Three corners whose bits a reader must not change: a quiet, a signalling and a negative NaN
# with payloads, both infinities, -0, the smallest subnormal, the largest number and 1.
ODD_BITS = (0x7FC12345, 0x7F812345, 0xFFC00001,
            0x7F800000, 0xFF800000, 0x80000000,
            0x00000001, 0x7F7FFFFF, 0x3F800000)
ODD_TRIANGLE = u32(*ODD_BITS) + ONE_TRIANGLE[4 * len(ODD_BITS):]

TWO_BONES = counted([
    bone("mast", -1, (0.0, 0.5, 0.0), IDENTITY),
    bone("jib", 0, (0.0, 2.0, 0.25), QUARTER_TURN_Y, (1.0, 1.0, 1.5)),
])

# Both bones' keys in one list; the child has one more than the root.
ONE_CLIP = counted([
    clip("slew", 1.5, [
        key(0.0, 0, (0.0, 0.5, 0.0), IDENTITY),
        key(0.0, 1, (0.0, 2.0, 0.25), QUARTER_TURN_Y),
        key(1.5, 1, (0.0, 2.5, 0.25), IDENTITY, (1.0, 1.0, 2.0)),
    ]),
])

TWO_MATERIALS = counted([
    material("red", (1.0, 0.25, 0.125), (0.5, 0.5, 0.5), 16.0, (0.0, 0.0, 0.0625), 0.75),
    material("skin", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 1.0, (0.0, 0.0, 0.0), 1.0, "f.png"),
])


def _plain_material(name, texture=""):
    return material(name, (0.5, 0.5, 0.5), (0.0, 0.0, 0.0), 1.0, (0.0, 0.0, 0.0), 1.0, texture)


def _named(bone_name, clip_name):
    """A bone, and a clip with one key, of these names."""
    still = [key(0.0, 0, (0.0, 0.0, 0.0), IDENTITY)]
    return (counted([bone(bone_name, -1, (0.0, 0.0, 0.0), IDENTITY)])
            + counted([clip(clip_name, 1.0, still)]))


def _document_files():
    """The layout of the format's document, which has a block of materials."""
    utf8 = counted([_plain_material("Stahl-Grün", "Ähre/鋼.png")])
    latin1 = counted([_plain_material(b"Gr\xfcn", b"\xc4hre.png")])
    return {
        "document_empty": header(0, 0, 0) + NO_MATERIALS + NO_BONES + NO_CLIPS,
        "document_minimal": header(3, 1, 0) + NO_MATERIALS + ONE_TRIANGLE + NO_BONES + NO_CLIPS,
        "document_full": header(3, 1, 2) + TWO_MATERIALS + ONE_TRIANGLE + TWO_BONES + ONE_CLIP,
        "document_utf8": header(3, 1, 1) + utf8 + ONE_TRIANGLE + _named("Gelenk-ß", "läuft"),
        "document_latin1": header(3, 1, 1) + latin1 + ONE_TRIANGLE + _named(b"Fu\xdf", b"l\xe4uft"),
        "document_float_bits": header(3, 1, 0) + NO_MATERIALS + ODD_TRIANGLE + NO_BONES + NO_CLIPS,
    }


def _script_files():
    """The layout of the published programs: one material counted, none written."""
    return {
        "script_empty": header(0, 0, 1) + NO_BONES + NO_CLIPS,
        "script_minimal": header(3, 1, 1) + ONE_TRIANGLE + NO_BONES + NO_CLIPS,
        "script_animated": header(3, 1, 1) + ONE_TRIANGLE + TWO_BONES + ONE_CLIP,
        "script_utf8": header(3, 1, 1) + ONE_TRIANGLE + _named("関節", "läuft"),
        "script_latin1": header(3, 1, 1) + ONE_TRIANGLE + _named(b"Fu\xdf", b"l\xe4uft"),
        "script_float_bits": header(3, 1, 1) + ODD_TRIANGLE + NO_BONES + NO_CLIPS,
    }


def reading_files():
    """In another reading of the format's document; tests/test_document_bplx.py tests such files."""
    return {"document-short_materials.bplx": text.pack(
        {"Materials": [text.PLAIN, text.WOOD, text.GLASS], **text.strip(1), "Bones": [],
         "Clips": []}, True)}


def fixture_files():
    """Name to bytes; refuses to make a file that is large, or fits another layout than its own."""
    files = {}
    for stem, data in {**_document_files(), **_script_files()}.items():
        layout = stem.split("_")[0]
        if parse_bplx.layouts(data) != [layout]:
            raise ValueError("%s fits the layouts %s" % (stem, parse_bplx.layouts(data)))
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (stem, len(data)))
        files[stem + ".bplx"] = data
    return {**files, **reading_files()}


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
