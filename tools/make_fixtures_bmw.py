#!/usr/bin/env python3
"""Make tests/fixtures/bmw/: valid BMW files of every layout and both matrix orders, small enough to
read as hex.

Each is of the layout that its name begins with. Without a bone R2 and "document" are the same file.
"""
# SPDX-License-Identifier: MIT

import sys

import outputs
import parse_bmw
from pack_bmw import (IDENTITY, animation, bone, f32, file_of, material, mesh, name, node, turned,
                      u32, vertex, weighted)

FOLDER = outputs.ROOT / "tests" / "fixtures" / "bmw"
SIZE_LIMIT = 2048

# Column by column: a quarter turn about z, scaled by 2, then moved. And one that only rotates.
MOVED = (0.0, 2.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 3.0, -1.5, 0.25, 1.0)
TURNED = (0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)

# The oldest layouts are row-major, unless stated otherwise.
ROWS = ("R2", "R2a", "R1", "R0")

# Bits that a reader must not change: NaNs of all kinds with payloads, both infinities, -0, the
# smallest subnormal, the largest number and 1.
ODD_BITS = (0x7FC12345, 0x7F812345, 0xFFC00001, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001,
            0x7F7FFFFF, 0x3F800000)
ODD_MATRIX = u32(*ODD_BITS, *ODD_BITS[:7])
ALL_NAN = u32(*[0x7FC00000] * 16)

TRIANGLE = (
    vertex((0.0, 0.0, 0.0), (255, 0, 0, 255)),
    vertex((2.0, 0.0, 0.0), (0, 255, 0, 255), (1.0, 0.0)),
    vertex((0.0, 1.0, 0.0), (0, 0, 255, 0), (0.0, 1.0)),
)
FACE = ((0, 1, 2),)
WEIGHTS = (weighted(0, (1, 1.0)), weighted(1, (1, 0.25), (2, 0.75)))
FIVE = (weighted(2, (0, 0.125), (1, 0.125), (2, 0.25), (3, 0.25), (4, 0.25)),)


# -- A model with something of everything

def _in_order(layout, numbers, row_major=None):
    rows = layout in ROWS if row_major is None else row_major
    return turned(numbers) if rows else numbers


def _animations(layout, row_major):
    """Two bones at two ticks, and one bone at one tick; durations as the layout counts them."""
    moved, turn = (_in_order(layout, m, row_major) for m in (MOVED, TURNED))
    duration = {"R2a": (0, 0), "document": (2, 1)}.get(layout, (1, 0))
    rate = 0 if layout == "R2a" else 24
    return [animation(duration[0], rate, [bone(1, [IDENTITY, moved]), bone(2, [moved, turn])]),
            animation(duration[1], rate, [bone(2, [turn])])]


def _nodes(layout, row_major):
    """0 - 1 - 2, and 3 beside 1; ids in the order of the file."""
    moved = _in_order(layout, MOVED, row_major)
    knee = node(layout, 1, moved, (), [node(layout, 2, moved, (1,))])
    return node(layout, 0, IDENTITY, (0,), [knee, node(layout, 3)])


def _full(layout, row_major=None):
    meshes = [mesh(layout, TRIANGLE, FACE, WEIGHTS), mesh(layout, TRIANGLE[:2], ())]
    names = [name(0, "root"), name(1, "hip"), name(2, "knee"), name(3, "lamp")]
    return file_of(layout, [material(), material("skin.png", "maps\\cloth.jpg")],
                   _animations(layout, row_major), meshes, _nodes(layout, row_major), names)


# -- Smaller ones

def _empty(layout):
    return file_of(layout, [], [], [], node(layout, 0))


def _static(layout, transform=IDENTITY):
    """One mesh; `transform` is not changed."""
    child = node(layout, 1, transform, (0,))
    return file_of(layout, [material("a.dds")], [], [mesh(layout, TRIANGLE, FACE)],
                   node(layout, 0, children=[child]), [name(0, "root"), name(1, "box")])


def _named(texture, *names):
    return file_of("R4", [material(texture)], [], [mesh("R4", TRIANGLE, FACE)],
                   node("R4", 0, meshes=(0,), children=[node("R4", 1)]),
                   [name(i, value) for i, value in enumerate(names)])


def _moving(layout, animations, weights=()):
    chain = node(layout, 0, children=[node(layout, 1, children=[node(layout, 2), node(layout, 3),
                                                                node(layout, 4)])])
    return file_of(layout, [], animations, [mesh(layout, TRIANGLE, FACE, weights)], chain,
                   [name(1, "hip"), name(2, "knee")])


def _deep(depth):
    inner = node("R4", depth)
    for i in reversed(range(depth)):
        inner = node("R4", i, children=[inner])
    return file_of("R4", [], [], [], inner)


def _odd_floats():
    corners = [u32(*ODD_BITS[i:i + 3]) + TRIANGLE[i // 3][12:] for i in (0, 3, 6)]
    move = animation(1, 30, [bone(0, [ODD_MATRIX, IDENTITY])])
    return file_of("R4", [], [move], [mesh("R4", corners, FACE)], node("R4", 0, meshes=(0,)))


# -- All

def _fixtures():
    tick = animation(1, 60, [bone(1, [ALL_NAN, MOVED]), bone(2, [ALL_NAN, TURNED])])
    uneven = animation(0, 0, [bone(1, [turned(MOVED)]), bone(2, [IDENTITY] * 3)])
    four = animation(3, 30, [bone(2, [MOVED] * 4)])
    files = {layout + "_full": _full(layout) for layout in parse_bmw.LAYOUTS + ("R2a",)}
    files.update({layout + "_row": _full(layout, True) for layout in ("R4", "R3", "document")})
    files.update({layout + "_column": _full(layout, False) for layout in ("R2", "R1", "R0")})
    files.update({layout + "_empty": _empty(layout) for layout in ("R4", "R3", "R2", "R1")})
    files.update({layout + "_turned": _static(layout, TURNED) for layout in ("R4", "R2", "R1")})
    files.update({
        "R3_static": _static("R3", MOVED),
        "R4_utf8": _named("Ähre/鋼.png", "Wurzel", "Gelenk-ß"),
        "R4_latin1": _named(b"\xc4hre.png", b"Fu\xdf", "a"),
        "R4_float_bits": _odd_floats(),
        "R4_deep": _deep(10),
        "R4_influences": _moving("R4", [], FIVE),
        "R4_tick_zero": _moving("R4", [tick], WEIGHTS),
        "R4_no_bones": _moving("R4", [animation(7, 30, [])]),
        "R3_no_bones": _moving("R3", [animation(0, 0, []), four]),
        "document_no_frames": _moving("document", [animation(0, 30, [bone(1, []), bone(2, [])])]),
        "R2a_uneven": _moving("R2a", [uneven, animation(0, 0, [])]),
    })
    return files


def fixture_files():
    """Name to bytes; refuses to make a file that is large, or of another layout than its own."""
    files = {}
    for stem, data in _fixtures().items():
        fitting = parse_bmw.layouts(data)
        if fitting[:1] != [stem.split("_")[0]]:
            raise ValueError("%s fits the layouts %s" % (stem, fitting))
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (stem, len(data)))
        files[stem + ".bmw"] = data
    return files


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
