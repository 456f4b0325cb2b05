#!/usr/bin/env python3
"""vectors.py: 4x4 matrices as lists of rows, to compute where things must be."""
# SPDX-License-Identifier: MIT

import math

IDENTITY = [[float(r == c) for c in range(4)] for r in range(4)]


def multiply(*matrices):
    product = IDENTITY
    for m in matrices:
        product = [[sum(row[k] * m[k][c] for k in range(4)) for c in range(4)] for row in product]
    return product


def translation(v):
    return [[1, 0, 0, v[0]], [0, 1, 0, v[1]], [0, 0, 1, v[2]], [0, 0, 0, 1]]


def scaling(v):
    return [[v[0], 0, 0, 0], [0, v[1], 0, 0], [0, 0, v[2], 0], [0, 0, 0, 1]]


def axis_rotation(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    a, b = (axis + 1) % 3, (axis + 2) % 3
    m = [row[:] for row in IDENTITY]
    m[a][a] = m[b][b] = c
    m[a][b], m[b][a] = -s, s
    return m


def rotation(degrees, order="XYZ"):
    """Angles in degrees; the first axis of the order rotates first."""
    turns = [axis_rotation("XYZ".index(axis), degrees["XYZ".index(axis)]) for axis in order]
    return multiply(*reversed(turns))


def invert(m):
    """Of a matrix whose last row is 0 0 0 1."""
    a = [row[:3] for row in m[:3]]
    cofactors = [[a[(r + 1) % 3][(c + 1) % 3] * a[(r + 2) % 3][(c + 2) % 3] -
                  a[(r + 1) % 3][(c + 2) % 3] * a[(r + 2) % 3][(c + 1) % 3]
                  for c in range(3)] for r in range(3)]
    determinant = sum(a[0][c] * cofactors[0][c] for c in range(3))
    inverse = [[cofactors[c][r] / determinant for c in range(3)] for r in range(3)]
    move = [-sum(inverse[r][k] * m[k][3] for k in range(3)) for r in range(3)]
    return [inverse[r] + [move[r]] for r in range(3)] + [[0, 0, 0, 1]]


def is_mirrored(m):
    (a, b, c), (d, e, f), (g, h, i) = (row[:3] for row in m[:3])
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0


def apply(m, point):
    return [sum(m[r][k] * point[k] for k in range(3)) + m[r][3] for r in range(3)]
