"""A small arm with two bones, from which the skinned BBMOD fixtures of all generations are packed.

    Armature (root) - upper (bone 0) - lower (bone 1) - tip
                    - Body, which has the mesh
"""
# SPDX-License-Identifier: MIT

from dataclasses import dataclass
from typing import Tuple

from crane.maths import IDENTITY, add, cross, matrix, mix, scale, slerp, turn

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

NAMES = ("Armature", "upper", "lower", "tip", "Body")
PARENTS = (-1, 0, 1, 2, 0)
SLOTS = (2, 0, 1, 3, 4)               # Bones first, then the other nodes in the order of the tree.
BONES = (1, 2)                        # By slot: the place of each bone in NAMES.

# Position in model space as of the bind pose, bones, weights: two triangles.
CORNERS = (
    ((-0.25, 0.5, 1.25), (0, 0, 0, 0), (1.0, 0.0, 0.0, 0.0)),
    ((0.25, 0.5, 1.25), (0, 0, 0, 0), (1.0, 0.0, 0.0, 0.0)),
    ((0.0, 0.25, 2.5), (0, 1, 0, 0), (0.5, 0.5, 0.0, 0.0)),
    ((0.25, 0.5, 1.25), (0, 1, 0, 0), (0.75, 0.25, 0.0, 0.0)),
    ((-0.5, 0.0, 3.5), (1, 0, 0, 0), (1.0, 0.0, 0.0, 0.0)),
    ((0.0, 0.25, 2.5), (0, 1, 0, 0), (0.5, 0.5, 0.0, 0.0)),
)


# -- Transforms

def rotated(q, v):
    t = scale(cross(q[:3], v), 2.0)
    return add(add(v, scale(t, q[3])), cross(q[:3], t))


def product(a, b):
    """The rotation that applies `b` first, then `a`."""
    vector = add(add(scale(b[:3], a[3]), scale(a[:3], b[3])), cross(a[:3], b[:3]))
    return vector + (a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],)


@dataclass(frozen=True)
class Place:
    """Scale, then rotate, then translate."""
    translation: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: Tuple[float, float, float, float] = IDENTITY
    scale: float = 1.0

    def point(self, v):
        return add(rotated(self.rotation, scale(v, self.scale)), self.translation)

    def of(self, inner):
        """`inner` first, then this."""
        return Place(self.point(inner.translation), product(self.rotation, inner.rotation),
                     self.scale * inner.scale)

    def inverse(self):
        x, y, z, w = self.rotation
        back = Place((0.0, 0.0, 0.0), (-x, -y, -z, w), 1.0 / self.scale)
        return Place(scale(back.point(self.translation), -1.0), back.rotation, back.scale)

    def columns(self):
        """Sixteen numbers for column vectors, the translation at the right."""
        rows = matrix(self.translation, self.rotation)
        return tuple(number for row in rows
                     for number in scale(row[:3], self.scale) + row[3:]) + (0.0, 0.0, 0.0, 1.0)

    def rows(self):
        """Sixteen numbers for row vectors, the translation at the end."""
        m = self.columns()
        return tuple(m[4 * c + r] for r in range(4) for c in range(4))


# -- The arm

def rest(root_scale=1.0):
    """The local transform of every node, in the order of NAMES."""
    return (Place((0.0, 0.5, 0.25), turn(X, 90.0), root_scale),
            Place((0.0, 1.0, 0.0), turn(Z, 30.0)),
            Place((0.0, 1.5, 0.0), turn(X, -20.0)),
            Place((0.0, 0.75, 0.0)),
            Place((0.125, 0.0, 0.0)))


def worlds(places, above=Place()):
    """Node space to model space; `above` comes after the root."""
    result = []
    for place, parent in zip(places, PARENTS):
        result.append((above if parent < 0 else result[parent]).of(place))
    return result


def offsets(places, above=Place(), unit=Place()):
    """Mesh space to bone space, by slot. `unit` takes mesh space to model space."""
    posed_ = worlds(places, above)
    return [posed_[bone].inverse().of(unit) for bone in BONES]


# -- Motion, at 10 tics a second, over 2 tics

def position_keys(name):
    """Keys of (tics, position)."""
    still = rest()[NAMES.index(name)].translation
    if name == "lower":
        return ((0.0, still), (2.0, (0.0, 1.75, 0.125)))
    return ((0.0, still),)


def rotation_keys(name):
    axis, degrees = {"upper": (Z, (30.0, 60.0, 10.0)), "lower": (X, (-20.0, 40.0, -50.0)),
                     "Armature": (X, (90.0, 100.0, 95.0))}[name]
    return tuple((float(i), turn(axis, d)) for i, d in enumerate(degrees))


def _sample(keys, time, interpolate):
    for (start, a), (end, b) in zip(keys, keys[1:]):
        if start <= time <= end:
            return interpolate(a, b, (time - start) / (end - start))
    return keys[0][1] if time < keys[0][0] else keys[-1][1]


def posed(time, moving=("upper", "lower")):
    """The local transform of every node at a time in tics."""
    places = list(rest())
    for name in moving:
        places[NAMES.index(name)] = Place(_sample(position_keys(name), time, mix),
                                          _sample(rotation_keys(name), time, slerp))
    return tuple(places)
