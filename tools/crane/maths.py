"""Vectors, quaternions and matrices in double precision, equal to the last bit on every machine.

Only + - * / and the square root are used, which IEEE 754 fixes. The C library's sine may differ in
the last bit from one system to the next, and `sum` and `math.dist` from one Python to the next.
"""
# SPDX-License-Identifier: MIT

import math
import struct

PI = 3.141592653589793
IDENTITY = (0.0, 0.0, 0.0, 1.0)


def f32(value):
    """The nearest single-precision number, with -0 made 0."""
    return struct.unpack("<f", struct.pack("<f", value))[0] + 0.0


def f32s(values):
    return tuple(f32(value) for value in values)


# -- Trigonometry

def _sine(x):
    """Sine of |x| <= pi / 2 radians."""
    term = total = x
    for n in range(3, 29, 2):
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def _cosine(x):
    """Cosine of |x| <= pi / 4 radians."""
    term = total = 1.0
    for n in range(2, 24, 2):
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def _arctangent(x):
    """Arc tangent of 0 <= x <= 1: halve the angle twice, then its series."""
    for _ in range(2):
        x = x / (1.0 + math.sqrt(1.0 + x * x))
    power, total = x, x
    for n in range(3, 29, 2):
        power *= -x * x
        total += power / n
    return 4.0 * total


def sin_cos(degrees):
    """Sine and cosine, exact at every multiple of 90 degrees."""
    quarter = math.floor(degrees / 90.0 + 0.5)
    rest = (degrees - 90.0 * quarter) * PI / 180.0
    s, c = _sine(rest), _cosine(rest)
    return ((s, c), (c, -s), (-s, -c), (-c, s))[quarter % 4]


# -- Vectors

def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, k):
    return (a[0] * k, a[1] * k, a[2] * k)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(dot(a, a))


def normalize(a):
    return scale(a, 1.0 / length(a))


def mix(a, b, t):
    """Linear interpolation of two tuples of one size."""
    return tuple(x + (y - x) * t for x, y in zip(a, b))


# -- Quaternions, x y z w

def turn(axis, degrees):
    """The rotation about a unit axis. Past 180 degrees w is negative, past 540 positive again."""
    s, c = sin_cos(degrees / 2.0)
    return (axis[0] * s, axis[1] * s, axis[2] * s, c)


def _norm(q):
    return math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])


def slerp(a, b, t):
    """Spherical interpolation along the shorter way round."""
    if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
        b = tuple(-x for x in b)
    apart = _norm([x - y for x, y in zip(a, b)])
    around = _norm([x + y for x, y in zip(a, b)])
    angle = 2.0 * _arctangent(apart / around)
    if angle < 1e-6:
        return mix(a, b, t)
    ka = _sine((1.0 - t) * angle) / _sine(angle)
    kb = _sine(t * angle) / _sine(angle)
    return tuple(ka * x + kb * y for x, y in zip(a, b))


# -- Matrices: three rows of four, for column vectors; the fourth row is 0 0 0 1

def matrix(translation, rotation):
    """The matrix that rotates, then translates."""
    n = _norm(rotation)
    x, y, z, w = (c / n for c in rotation)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), translation[0]),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), translation[1]),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), translation[2]),
    )


def multiply(a, b):
    """The matrix that applies `b` first, then `a`."""
    rows = []
    for r in a:
        row = [r[0] * b[0][i] + r[1] * b[1][i] + r[2] * b[2][i] for i in range(4)]
        row[3] += r[3]
        rows.append(tuple(row))
    return tuple(rows)


def invert_rigid(m):
    """The inverse of a rotation and a translation: the transpose does it."""
    columns = [(m[0][i], m[1][i], m[2][i]) for i in range(3)]
    origin = (m[0][3], m[1][3], m[2][3])
    return tuple(c + (-dot(c, origin),) for c in columns)


def blend(matrices, weights):
    """The weighted sum of matrices, which is all that linear blend skinning is."""
    total = [[0.0] * 4 for _ in range(3)]
    for m, weight in zip(matrices, weights):
        for i in range(3):
            for j in range(4):
                total[i][j] += weight * m[i][j]
    return total


def transform_point(m, p):
    return tuple(r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3] for r in m)


def transform_direction(m, d):
    return tuple(r[0] * d[0] + r[1] * d[1] + r[2] * d[2] for r in m)
