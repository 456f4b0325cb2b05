"""The crane's texture, 64 x 64 texels in four quarters, and a small PNG encoder.

The quarters differ, and the letter F is not its own mirror image: a flipped texture shows.
"""
# SPDX-License-Identifier: MIT

import struct
import zlib

FILE_NAME = "crane.png"
SIZE = 64

# Texture rectangles (left, top, right, bottom), half a texel inside their quarter.
_IN = 0.5 / SIZE
LETTER_F = (_IN, _IN, 0.5 - _IN, 0.5 - _IN)
STRIPES = (0.5 + _IN, _IN, 1.0 - _IN, 0.5 - _IN)
PAINT = (_IN, 0.5 + _IN, 0.5 - _IN, 1.0 - _IN)
PLATE = (0.5 + _IN, 0.5 + _IN, 1.0 - _IN, 1.0 - _IN)

PALETTE = ((245, 190, 30), (200, 145, 20), (30, 30, 32), (250, 250, 245), (215, 215, 210))
YELLOW, OCHRE, BLACK, WHITE, LIGHT = range(5)

_F_ROWS = ("#####", "#....", "#....", "####.", "#....", "#....", "#....")


# -- The quarters, 32 x 32 each

def _letter(x, y):
    """An F of 4 x 4 texel blocks in a black frame."""
    if min(x, y, 31 - x, 31 - y) == 0:
        return BLACK
    column, row = (x - 7) // 4, (y - 2) // 4
    inside = 0 <= column < 5 and 0 <= row < 7
    return BLACK if inside and _F_ROWS[row][column] == "#" else WHITE


def _stripe(x, y):
    return BLACK if (x + y) % 16 < 8 else YELLOW


def _paint(x, y):
    """Yellow, with a border and a rivet in two corners."""
    rivet = (x in (3, 4) and y in (3, 4)) or (x in (27, 28) and y in (27, 28))
    return OCHRE if rivet or min(x, y, 31 - x, 31 - y) == 0 else YELLOW


def _plate(x, y):
    """Light tread plate: short bars, crosswise by turns."""
    cell_x, cell_y = x // 8, y // 8
    along, across = (x % 8, y % 8) if (cell_x + cell_y) % 2 else (y % 8, x % 8)
    return LIGHT if along in (3, 4) and 1 <= across <= 6 else WHITE


def texel(x, y):
    """Palette index of a texel, counted from the top left."""
    quarters = ((_letter, _stripe), (_paint, _plate))
    return quarters[y // 32][x // 32](x % 32, y % 32)


# -- PNG

def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _stored(data):
    """A zlib stream of one stored block: compressors differ in their output, this cannot."""
    block = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF)
    return b"\x78\x01" + block + data + struct.pack(">I", zlib.adler32(data))


def encode_png(width, height, palette, rows):
    """A PNG file of 8-bit palette indices, less than 64 KiB of them."""
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    colors = b"".join(bytes(color) for color in palette)
    pixels = b"".join(b"\x00" + bytes(row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"PLTE", colors)
            + _chunk(b"IDAT", _stored(pixels)) + _chunk(b"IEND", b""))


def texture_png():
    """The texture as the bytes of a PNG file."""
    rows = [[texel(x, y) for x in range(SIZE)] for y in range(SIZE)]
    return encode_png(SIZE, SIZE, PALETTE, rows)
