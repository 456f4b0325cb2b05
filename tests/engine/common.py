#!/usr/bin/env python3
"""common.py: what the engines' loaders share: numbers, bytes, posed meshes, the truth.

Matrices are flat tuples of 16, column-major, for column vectors. Quaternions are x y z w.
"""
# SPDX-License-Identifier: MIT

import json
import math
import struct
from collections import defaultdict
from pathlib import Path

IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class Refused(Exception):
    """The engine would not load the file, or would draw from outside its arrays."""


class Missing(Exception):
    """A file that the engine opens is missing."""


# -- Bytes

class Cursor:
    """Reads numbers one after the other. `order` is '<' or '>', as in struct."""

    def __init__(self, data, order="<"):
        self.data, self.order, self.pos = data, order, 0

    def left(self):
        return len(self.data) - self.pos

    def take(self, size):
        if size < 0 or size > self.left():
            raise Refused(f"{size} bytes needed at 0x{self.pos:06x}, only {self.left()} left")
        self.pos += size
        return self.data[self.pos - size:self.pos]

    def many(self, kind, count):
        size = count * struct.calcsize(self.order + kind)
        return struct.unpack(f"{self.order}{count}{kind}", self.take(size))

    def one(self, kind):
        return self.many(kind, 1)[0]

    def rows(self, width, count):
        """`count` tuples of `width` floats."""
        flat = self.many("f", width * count)
        return [flat[i:i + width] for i in range(0, len(flat), width)]

    def cstring(self):
        end = self.data.find(b"\0", self.pos)
        if end < 0:
            raise Refused(f"the string at 0x{self.pos:06x} has no end")
        text = self.take(end - self.pos)
        self.pos += 1
        return text.decode("utf-8", "replace")

    def string(self, size):
        return self.take(size).decode("utf-8", "replace")


def read_bytes(path):
    if not Path(path).is_file():
        raise Missing(f"there is no file {path}")
    return Path(path).read_bytes()


def whole(number, what):
    """A float that is used as an index."""
    if not math.isfinite(number) or number != math.floor(number):
        raise Refused(f"{what} {number:g} is not a whole number")
    return int(number)


# -- Vectors, quaternions, matrices

def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def lerp(a, b, share):
    return tuple(x + (y - x) * share for x, y in zip(a, b))


def normalize(v):
    size = math.sqrt(dot(v, v))
    return tuple(x / size for x in v) if size > 0 else tuple(v)


def slerp(a, b, share):
    """The shorter way round."""
    cosine = dot(a, b)
    if cosine < 0:
        b, cosine = tuple(-x for x in b), -cosine
    if cosine > 0.999999:
        return normalize(lerp(a, b, share))
    angle = math.acos(cosine)
    u, v = math.sin((1 - share) * angle), math.sin(share * angle)
    return normalize(tuple(x * u + y * v for x, y in zip(a, b)))


def sample(times, values, time, mix):
    """Keys at a time, held before the first and after the last. `mix` is lerp or slerp."""
    if time <= times[0]:
        return values[0]
    for i in range(1, len(times)):
        if time < times[i]:
            share = (time - times[i - 1]) / (times[i] - times[i - 1])
            return mix(values[i - 1], values[i], share)
    return values[-1]


def multiply(a, b):
    return tuple(a[r] * b[c] + a[r + 4] * b[c + 1] + a[r + 8] * b[c + 2] + a[r + 12] * b[c + 3]
                 for c in (0, 4, 8, 12) for r in range(4))


def determinant(m):
    """Of the upper three rows and columns; negative if the matrix mirrors."""
    return dot(cross(m[0:3], m[4:7]), m[8:11])


def transpose(m):
    return tuple(m[r * 4 + c] for c in range(4) for r in range(4))


def transform(m, p):
    """A point through an affine matrix."""
    x, y, z = p
    return (m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
            m[2] * x + m[6] * y + m[10] * z + m[14])


def compose(translation, rotation, scale=(1.0, 1.0, 1.0)):
    x, y, z, w = normalize(rotation)
    columns = ((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
               (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
               (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
    scaled = [tuple(v * s for v in column) + (0.0,) for column, s in zip(columns, scale)]
    return scaled[0] + scaled[1] + scaled[2] + tuple(translation) + (1.0,)


def decompose(m):
    """Translation, rotation and scale; a mirror goes into the scale of Z, shear is lost."""
    columns = [m[0:3], m[4:7], m[8:11]]
    scale = [math.sqrt(dot(column, column)) for column in columns]
    if dot(cross(columns[0], columns[1]), columns[2]) < 0:
        scale[2] = -scale[2]
    axes = [tuple(v / s if s else 0.0 for v in column) for column, s in zip(columns, scale)]
    return tuple(m[12:15]), rotation_of(axes), tuple(scale)


def rotation_of(axes):
    """The quaternion of three orthonormal columns: the largest component is found first."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = axes
    squares = (1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz)
    rows = ((squares[0], xy + yx, xz + zx, yz - zy), (xy + yx, squares[1], yz + zy, zx - xz),
            (xz + zx, yz + zy, squares[2], xy - yx), (yz - zy, zx - xz, xy - yx, squares[3]))
    return normalize(rows[squares.index(max(squares))])


# -- Models

class Mesh:
    """Vertices as stored. `influences` has a list of (matrix number, weight) for each vertex."""

    is_mirrored = False  # As shown at rest, so that its triangles are stored the other way round.

    def __init__(self, positions, normals, uvs, triangles, influences=None):
        self.positions, self.normals, self.uvs = positions, normals, uvs
        self.triangles, self.influences = triangles, influences
        top = max((i for triangle in triangles for i in triangle), default=-1)
        if top >= len(positions):
            raise Refused(f"index {top}, but the mesh has {len(positions)} vertices")

    def facing(self, matrix):
        """The mesh, reversed if the matrix mirrors it."""
        return self.turned_over() if determinant(matrix) < 0 else self

    def turned_over(self):
        return Mesh(self.positions, self.normals, self.uvs, [t[::-1] for t in self.triangles],
                    self.influences)

    def placed(self, matrix):
        """Where vertex i is, if the mesh is placed by a matrix: a function."""
        positions = self.positions
        return lambda i: transform(matrix, positions[i])

    def skinned(self, matrices, outer=IDENTITY):
        """The same for a linear blend. `matrices` maps numbers to matrices. Weights are normalized,
        since shaders sum up the fourth coordinate as well, by which everything is divided."""
        positions, influences = self.positions, self.influences

        def place(i):
            x = y = z = total = 0.0
            for number, weight in influences[i]:
                if weight:
                    px, py, pz = transform(matrices[number], positions[i])
                    x, y, z = x + weight * px, y + weight * py, z + weight * pz
                    total += weight
            if total and total != 1:
                x, y, z = x / total, y / total, z / total
            return (x, y, z) if outer is IDENTITY else transform(outer, (x, y, z))
        return place


def corners(draws, chosen=None):
    """The triangles of (mesh, place) pairs. `chosen` has the numbers of those that are wanted, a
    list for each pair; None is all."""
    found = []
    for number, (mesh, place) in enumerate(draws):
        triangles = mesh.triangles
        if chosen is not None:
            triangles = [triangles[t] for t in chosen[number]]
        used = {i for triangle in triangles for i in triangle}
        at = {i: place(i) for i in used}
        found += [(at[a], at[b], at[c]) for a, b, c in triangles]
    return found


class Model:
    """The result of a loader: `pose` gives the corners of all triangles.

    `clips` maps the name to what the loader needs; case is ignored if no clip matches exactly.
    `no_clips` says why poses of clips cannot be compared at all; empty if they can.
    """

    no_clips = ""

    def __init__(self):
        self.meshes, self.clips, self.warnings = [], {}, []

    def warn(self, text):
        if text not in self.warnings:
            self.warnings.append(text)

    def clip_name(self, name):
        """The name as the model spells it; None if it has no such clip."""
        if name in self.clips:
            return name
        return next((own for own in self.clips if own.lower() == name.lower()), None)

    def need_clip(self, name):
        if self.clip_name(name) is None:
            raise Refused(f"there is no clip '{name}'")
        return self.clips[self.clip_name(name)]

    def draws(self, clip, seconds):
        """What is drawn, always in the same order: meshes, and where each of their vertices is.

        A loader of whole frames gives those of the rest pose, and has its own `pose`.
        """
        raise NotImplementedError

    def pose(self, clip, seconds, chosen=None):
        """Returns the triangles and a remark; clip None is the rest pose. See corners()."""
        return corners(self.draws(clip, seconds), chosen), ""

    def length(self, clip):
        """Seconds that a clip lasts."""
        raise NotImplementedError

    def rate(self, clip):
        """Frames a second of an engine that shows whole frames only; 0 if it does not."""
        return 0

    def joints(self, clip, seconds):
        """World positions of the joints by name; None if the loader does not offer them."""
        return None

    def clip_lines(self):
        return [f"clip {name}" for name in self.clips]


def between(frame_of, position, last):
    """Blend of the neighboring frames of an engine that shows whole frames only."""
    position = min(max(position, 0.0), float(last))
    near = round(position)
    if abs(position - near) < 1e-4:
        return frame_of(near), ""
    low = math.floor(position)
    pairs = zip(frame_of(low), frame_of(low + 1))
    mixed = [tuple(lerp(p, q, position - low) for p, q in zip(a, b)) for a, b in pairs]
    return mixed, "between frames"


def look_for(model, path, what):
    """Warn if a sidecar that the engine does not need is missing. Returns whether it is."""
    if path.is_file():
        return True
    model.warn(f"{what}: there is no file {path.name}")
    return False


# -- The truth

class Truth:
    """Poses as (clip, seconds, triangles, joints), and the size of the rest pose."""

    def __init__(self, path):
        stored = json.loads(read_bytes(path))
        self.poses = [(pose["clip"], pose["time"], triangles_of(pose["positions"]),
                       pose.get("joints")) for pose in stored["poses"]]
        rest = next(pose[2] for pose in self.poses if pose[0] is None)
        points = [corner for triangle in rest for corner in triangle]
        low, high = ([limit(p[axis] for p in points) for axis in range(3)] for limit in (min, max))
        self.diagonal = math.dist(low, high)


def triangles_of(flat):
    points = [tuple(flat[i:i + 3]) for i in range(0, len(flat), 3)]
    return [tuple(points[i:i + 3]) for i in range(0, len(points), 3)]


# -- Comparison

def gap(a, b):
    """The largest distance of two triangles' corners, over the three ways to begin."""
    (a0, a1, a2), (b0, b1, b2), far = a, b, math.dist
    return min(max(far(a0, b0), far(a1, b1), far(a2, b2)),
               max(far(a0, b1), far(a1, b2), far(a2, b0)),
               max(far(a0, b2), far(a1, b0), far(a2, b1)))


def centre(triangle):
    return tuple(sum(corner[axis] for corner in triangle) / 3 for axis in range(3))


def cells(triangles, size):
    found = defaultdict(list)
    for i, triangle in enumerate(triangles):
        found[tuple(math.floor(v / size) for v in centre(triangle))].append(i)
    return found


def close_pairs(ours, theirs, size):
    """(gap, i, j) of triangles whose centers share a cell or are in neighboring ones."""
    grid = cells(theirs, size)
    near = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    for cell, members in cells(ours, size).items():
        others = [j for step in near for j in grid.get(tuple(map(sum, zip(cell, step))), ())]
        yield from ((gap(ours[i], theirs[j]), i, j) for i in members for j in others)


def match(pairs, limit):
    """One partner each, the closest first. Returns {i: (gap, j)}."""
    partner, taken = {}, set()
    for distance, i, j in sorted(pairs):
        if distance <= limit and i not in partner and j not in taken:
            partner[i] = (distance, j)
            taken.add(j)
    return partner


def compare(expected, actual, allowed):
    """Compare two sets of triangles. Returns the largest gap and a remark.

    What has no partner within `allowed` is matched by the centers of the remaining triangles.
    """
    if len(expected) != len(actual):
        return math.inf, f"{len(actual)} triangles, expected {len(expected)}"
    if not all(math.isfinite(v) for triangle in actual for corner in triangle for v in corner):
        return math.inf, "positions that are not finite"
    cell = 4 * max(allowed, 1e-9)
    partner = match(close_pairs(expected, actual, cell), allowed)
    worst = max((distance for distance, _ in partner.values()), default=0.0)
    taken = {j for _, j in partner.values()}
    lost = [t for i, t in enumerate(expected) if i not in partner]
    left = [t for j, t in enumerate(actual) if j not in taken]
    if not lost:
        return worst, ""
    centres = [centre(triangle) for triangle in left]
    rest = match(((math.dist(centre(a), b), i, j) for i, a in enumerate(lost)
                  for j, b in enumerate(centres)), math.inf)
    gaps = [gap(lost[i], left[j]) for i, (_, j) in rest.items()]
    turned = match(close_pairs(lost, [t[::-1] for t in left], cell), allowed)
    remark = f"{len(lost)} triangles differ" + (f", {len(turned)} inside out" if turned else "")
    return max([worst] + gaps), remark
