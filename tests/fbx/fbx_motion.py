#!/usr/bin/env python3
"""fbx_motion.py: curves and joints of FBX models, and where they are by the format's own formulas.

A node is T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1. How it inherits the
scales of its ancestors is one of three: 1 is its parent times that; in 0 all rotations come before
all scales; in 2, in addition, the scale of its parent itself is left out.
"""
# SPDX-License-Identifier: MIT

from vectors import IDENTITY, apply, invert, multiply, rotation, scaling, translation

ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
LINEAR, CONSTANT, CUBIC = 0x4, 0x2, 0x8 | 0x400


class Curve:
    """Keys of one axis: (seconds, value, kind, slope); a slope belongs to both sides of its key.

    `before` and `after` are its extrapolation: C stays, R repeats, A repeats higher, M mirrors, K
    keeps its slope.
    """

    def __init__(self, *keys, before="C", after="C"):
        self.keys, self.before, self.after = keys, before, after

    def at(self, time):
        first, last = self.keys[0], self.keys[-1]
        if first[0] <= time <= last[0]:
            return self.within(time)
        kind, end = (self.before, first) if time < first[0] else (self.after, last)
        if kind == "K":
            return end[1] + end[3] * (time - end[0])
        if kind == "C":
            return end[1]
        span = last[0] - first[0]
        times = (time - first[0]) // span
        rest = time - first[0] - times * span
        if kind == "M" and times % 2:
            rest = span - rest
        rise = times * (last[1] - first[1]) if kind == "A" else 0
        return self.within(first[0] + rest) + rise

    def within(self, time):
        for a, b in zip(self.keys, self.keys[1:]):
            if time < b[0]:
                return self.between(a, b, (time - a[0]) / (b[0] - a[0]))
        return self.keys[-1][1]

    @staticmethod
    def between(a, b, t):
        if a[2] == CONSTANT:
            return a[1]
        if a[2] == LINEAR:
            return a[1] + (b[1] - a[1]) * t
        third = (b[0] - a[0]) / 3
        points = a[1], a[1] + a[3] * third, b[1] - b[3] * third, b[1]
        weights = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t ** 3
        return sum(p * w for p, w in zip(points, weights))


class Joint:
    """A node of the model. `parts` are properties by their FBX names; `curves` by property.

    `active` says whether the rotations around its own and the order of the axes are used, and
    `for_limits` that they are used for limits only, which means not at all.
    """

    def __init__(self, name, parent=None, order="XYZ", parts=None, curves=None, kind="LimbNode",
                 inherit=1, active=1, for_limits=0):
        self.name, self.parent, self.order, self.kind = name, parent, order, kind
        self.parts, self.curves, self.inherit = parts or {}, curves or {}, inherit
        self.active, self.for_limits = active, for_limits

    def settings(self):
        return (("RotationOrder", "enum", ORDERS.index(self.order)),
                ("RotationActive", "bool", self.active),
                ("RotationSpaceForLimitOnly", "bool", self.for_limits),
                ("InheritType", "enum", self.inherit))

    def value(self, name, time):
        fallback = (1.0,) * 3 if name.endswith("Scaling") else (0.0,) * 3
        value = list(self.parts.get(name, fallback))
        if time is not None:
            for axis, curve in self.curves.get(name, {}).items():
                value[axis] = curve.at(time)
        return value

    def turn(self, time):
        own = self.value("Lcl Rotation", time)
        if not self.active or self.for_limits:
            return rotation(own)
        return multiply(rotation(self.value("PreRotation", time)), rotation(own, self.order),
                        invert(rotation(self.value("PostRotation", time))))

    def local(self, time):
        def v(name):
            return self.value(name, time)

        pivot, scale_pivot = translation(v("RotationPivot")), translation(v("ScalingPivot"))
        return multiply(translation(v("Lcl Translation")), translation(v("RotationOffset")), pivot,
                        self.turn(time), invert(pivot), translation(v("ScalingOffset")),
                        scale_pivot, scaling(v("Lcl Scaling")), invert(scale_pivot))

    def world(self, time=None):
        return self.placed(time)[0]

    def placed(self, time):
        """In the world: the whole transform, the rotation, and the scale that goes with it."""
        local, own_turn = self.local(time), self.turn(time)
        if not self.parent:
            return local, own_turn, scaling(self.value("Lcl Scaling", time))
        above, turn, stretch = self.parent.placed(time)
        turn = multiply(turn, own_turn)
        if self.inherit == 1:
            world = multiply(above, local)
            return world, turn, without_place(multiply(invert(turn), world))
        if self.inherit == 2:
            stretch = multiply(stretch, invert(scaling(self.parent.value("Lcl Scaling", time))))
        stretch = multiply(stretch, scaling(self.value("Lcl Scaling", time)))
        place = apply(above, [row[3] for row in local[:3]])
        return multiply(translation(place), turn, stretch), turn, stretch

    def geometric(self):
        return multiply(translation(self.value("GeometricTranslation", None)),
                        rotation(self.value("GeometricRotation", None)),
                        scaling(self.value("GeometricScaling", None)))


def without_place(matrix):
    return [row[:3] + [0.0] for row in matrix[:3]] + [IDENTITY[3]]
