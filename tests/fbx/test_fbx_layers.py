#!/usr/bin/env python3
"""test_fbx_layers.py: what several layers of an animation make together.

The expected places are computed here from what the format says about layers, with rotations as
matrices. TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import itertools
import math
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import FLAT, LINEAR, Scene, flag, number, props  # noqa: E402
from fbx_motion import ORDERS  # noqa: E402
from vectors import IDENTITY, axis_rotation, invert, multiply, rotation  # noqa: E402

TIMES = (0.25, 1.0)
ADDS, REPLACES, MIXES = 0, 1, 2
# A triangle with one corner on each axis.
CORNERS = [100.0, 0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 100.0]


def power(turn, share):
    """The same rotation by a share of its angle, the short way."""
    axis = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    length = math.sqrt(sum(a * a for a in axis))
    angle = math.atan2(length, turn[0][0] + turn[1][1] + turn[2][2] - 1)
    if length < 1e-12:
        return IDENTITY
    x, y, z = (a / length for a in axis)
    c, s = math.cos(share * angle), math.sin(share * angle)
    d = 1 - c
    return [[c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x, 0],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z, 0], IDENTITY[3]]


def signed_power(value, exponent):
    return math.copysign(abs(value) ** exponent, value)


class Layer:
    """`ramp` is the values at 0 and 1 seconds; `weight` one percentage, or those at both."""

    def __init__(self, ramp, blend=ADDS, weight=100.0, by_angle=0, adds=0, mute=0, solo=0):
        self.ramp, self.blend, self.by_angle, self.adds = ramp, blend, by_angle, adds
        self.weight, self.mute, self.solo = weight, mute, solo

    def at(self, time):
        return [a + (b - a) * time for a, b in zip(*self.ramp)]

    def share(self, time):
        start, end = self.weight if isinstance(self.weight, tuple) else (self.weight,) * 2
        return min(1.0, max(0.0, (start + (end - start) * time) / 100))


def mixed(layers, time, rest):
    """Numbers that are added."""
    value = list(rest)
    for i, layer in enumerate(layers):
        own, share = layer.at(time), layer.share(time)
        if i == 0 or layer.blend == REPLACES:
            value = own
        elif layer.blend == ADDS:
            value = [a + share * b for a, b in zip(value, own)]
        else:
            value = [(1 - share) * a + share * b for a, b in zip(value, own)]
    return value


def sized(layers, time):
    value = [1.0, 1.0, 1.0]
    for i, layer in enumerate(layers):
        own, share = layer.at(time), layer.share(time)
        if i == 0 or layer.blend == REPLACES:
            value = own
        elif layer.blend == ADDS:
            value = [a + share * b if layer.adds else a * signed_power(b, share)
                     for a, b in zip(value, own)]
        else:
            value = [(1 - share) * a + share * b if layer.adds else
                     signed_power(a, 1 - share) * signed_power(b, share)
                     for a, b in zip(value, own)]
    return value


def turned(layers, time, order):
    """Angles as long as layers say so, then whole rotations."""
    angles, turn = [0.0, 0.0, 0.0], None
    for i, layer in enumerate(layers):
        own, share = layer.at(time), layer.share(time)
        if i == 0 or layer.blend == REPLACES:
            angles, turn = own, None
        elif layer.by_angle and turn is None:
            angles = [a + share * b if layer.blend == ADDS else (1 - share) * a + share * b
                      for a, b in zip(angles, own)]
        else:
            turn = rotation(angles, order) if turn is None else turn
            other = rotation(own, order)
            if layer.blend == ADDS:
                turn = multiply(turn, power(other, share))
            else:
                turn = multiply(turn, power(multiply(invert(turn), other), share))
    return rotation(angles, order) if turn is None else turn


class FbxLayers(ConvertingTest):
    def scene(self, name, layers, order="XYZ"):
        scene = Scene()
        self.box = scene.model("box", "Mesh", flag("RotationOrder", ORDERS.index(order)),
                               flag("RotationActive", 1))
        scene.mesh(self.box, CORNERS, [0, 1, -3])
        self.take = take = scene.take("move")
        for i, layer in enumerate(layers):
            weight = layer.weight if isinstance(layer.weight, float) else 100.0
            made = scene.add("AnimationLayer", "layer %d" % i, "", [props(
                number("Weight", weight), flag("Mute", layer.mute), flag("Solo", layer.solo),
                flag("BlendMode", layer.blend), flag("RotationAccumulationMode", layer.by_angle),
                flag("ScaleAccumulationMode", layer.adds))], "AnimLayer", take)
            ends = zip(*layer.ramp)
            scene.track(made, self.box, name, {
                axis: [(0, a, LINEAR, FLAT), (1, b, LINEAR, FLAT)]
                for axis, (a, b) in zip("XYZ", ends)})
            if isinstance(layer.weight, tuple):
                scene.track(made, made, "Weight", {"Weight": [
                    (k, value, LINEAR, FLAT) for k, value in enumerate(layer.weight)]})
        return scene

    def corners(self, scene, time):
        """The corners at a time, in hundreds of centimeters."""
        path, obj = self.folder / "a.fbx", self.folder / "a.obj"
        path.write_bytes((as_binary if time == 1 else as_text)(scene.nodes()))
        run = tenon("convert", "-f", path, obj, "--clip", "move", "--at", time)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [[float(word) for word in line.split()[1:4]]
                for line in obj.read_text().splitlines() if line.startswith("v ")]

    def check(self, name, layers, wanted, order="XYZ"):
        scene = self.scene(name, layers, order)
        for time in TIMES:
            for k, corner in enumerate(self.corners(scene, time)):
                for a, b in zip(corner, wanted(time, k)):
                    self.assertAlmostEqual(a, b, 4, (name, time, k))

    # -- Modes and weights

    SLIDE = ((10.0, 20.0, -30.0), (60.0, -40.0, 0.0))
    PUSH = ((30.0, -10.0, 20.0), (-50.0, 70.0, 10.0))
    WEIGHTS = (100.0, 30.0, 0.0, (0.0, 100.0), (-50.0, 150.0))

    def test_translations(self):
        for blend, weight in itertools.product((ADDS, REPLACES, MIXES), self.WEIGHTS):
            with self.subTest(blend=blend, weight=weight):
                layers = [Layer(self.SLIDE), Layer(self.PUSH, blend, weight),
                          Layer(self.SLIDE, ADDS, 50.0)]
                self.check("Lcl Translation", layers, lambda time, k: [
                    (axis == k) + n / 100
                    for axis, n in enumerate(mixed(layers, time, (0, 0, 0)))])

    GROW = ((1.0, 2.0, 0.5), (3.0, 0.25, -1.0))
    SHRINK = ((2.0, -0.5, 4.0), (0.5, -2.0, 1.0))

    def test_scales(self):
        for blend, weight, adds in itertools.product((ADDS, REPLACES, MIXES), self.WEIGHTS, (0, 1)):
            with self.subTest(blend=blend, weight=weight, adds=adds):
                # Powers of what passes 0 bend at once there, so that keys cannot follow them.
                grow = self.GROW if adds or blend == REPLACES else (
                    (1.0, 2.0, 0.5), (3.0, 0.25, 1.0))
                layers = [Layer(grow), Layer(self.SHRINK, blend, weight, adds=adds)]
                self.check("Lcl Scaling", layers, lambda time, k: [
                    n * (axis == k) for axis, n in enumerate(sized(layers, time))])

    TURN = ((10.0, 70.0, -20.0), (50.0, -10.0, 40.0))
    SPIN = ((0.0, 30.0, 80.0), (-60.0, 20.0, 10.0))

    def test_rotations(self):
        for blend, weight, by_angle in itertools.product((ADDS, REPLACES, MIXES), self.WEIGHTS,
                                                         (0, 1)):
            with self.subTest(blend=blend, weight=weight, by_angle=by_angle):
                layers = [Layer(self.TURN), Layer(self.SPIN, blend, weight, by_angle),
                          Layer(self.TURN, ADDS, 25.0, 1 - by_angle)]
                for order in ("XYZ", "ZXY"):
                    self.check("Lcl Rotation", layers, lambda time, k: [
                        row[k] for row in turned(layers, time, order)[:3]], order)

    # -- Which layers count

    def test_mute_and_solo(self):
        base, push, lift = (Layer(self.SLIDE), Layer(self.PUSH),
                            Layer(((0.0, 40.0, 0.0), (0.0, 80.0, 0.0))))

        def check(layers, counting, rest=(0, 0, 0)):
            self.check("Lcl Translation", layers, lambda time, k: [
                (axis == k) + n / 100 for axis, n in enumerate(mixed(counting, time, rest))])

        check([base, Layer(self.PUSH, mute=1), lift], [base, lift])
        # Layers that are alone leave all others out, also the bottom one: above it nothing is
        # replaced.
        check([base, Layer(self.PUSH, solo=1), lift],
              [Layer(((0.0,) * 3, (0.0,) * 3)), push])
        check([Layer(self.SLIDE, solo=1), push, lift], [base])
        # The only layer counts in any case.
        check([Layer(self.SLIDE, mute=1)], [base])

    def test_layers_without_curves_leave_a_property_alone(self):
        scene = self.scene("Lcl Translation", [Layer(self.SLIDE)])
        scene.add("AnimationLayer", "empty", "", [props(number("Weight", 100.0),
                                                        flag("BlendMode", REPLACES))], "AnimLayer",
                  self.take)
        for time in TIMES:
            wanted = mixed([Layer(self.SLIDE)], time, (0, 0, 0))
            for a, b, corner in zip(self.corners(scene, time)[0], wanted, (1, 0, 0)):
                self.assertAlmostEqual(a, corner + b / 100, 4)

    def test_quarter_turns(self):
        """The independent formulas are right where the result is known."""
        half = power(axis_rotation(2, 90.0), 0.5)
        for a, b in zip(sum(half, []), sum(axis_rotation(2, 45.0), [])):
            self.assertAlmostEqual(a, b, 9)


if __name__ == "__main__":
    unittest.main()
