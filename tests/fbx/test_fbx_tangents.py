#!/usr/bin/env python3
"""test_fbx_tangents.py: curves with tangents of every kind, and what is beyond their keys.

The expected values are computed here from what the format says. TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import math
import struct
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import Int, Letter, Node, as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import Scene  # noqa: E402

HOLDS, LINEAR, CUBIC = 0x2, 0x4, 0x8
AUTO, TCB, USER, BREAK = 0x100, 0x200, 0x400, 0x800
CLAMP, TIME_INDEPENDENT, PROGRESSIVE = 0x1000, 0x2000, 0x4000
WEIGHT_RIGHT, WEIGHT_LEFT = 0x1000000, 0x2000000
VELOCITY_RIGHT, VELOCITY_LEFT = 0x10000000, 0x20000000
THIRD = 1 / 3


class Key:
    """`right` and `left` are what the file says of this key and of the left side of the next one:
    slopes, biases, or tension and continuity; `more` is the bias of the last kind."""

    def __init__(self, time, value, flags, right=0.0, left=0.0, weights=(THIRD, THIRD), more=0.0):
        self.time, self.value, self.flags = time, value, flags
        self.right, self.left, self.weights, self.more = right, left, weights, more

    def numbers(self):
        if self.flags & TCB:
            return self.right, self.left, self.more, 0.0
        # Two weights and two velocities, each as ten thousandths, minus one, in 16 bits.
        packed = struct.pack("<HH", *(round(w * 9999) for w in self.weights))
        speeds = struct.pack("<hh", 5000, -2500)
        return self.right, self.left, *struct.unpack("<f", packed), *struct.unpack("<f", speeds)

    def weight(self, side):
        bit = WEIGHT_LEFT if side else WEIGHT_RIGHT
        return round(self.weights[side] * 9999) / 9999 if self.flags & bit else THIRD


def automatic(keys, k, bias):
    before, key, after = keys[k - 1:k + 2]
    left = (key.value - before.value) / (key.time - before.time)
    right = (after.value - key.value) / (after.time - key.time)
    slope = (after.value - before.value) / (after.time - before.time)
    rises = key.value - before.value, after.value - key.value
    if key.flags & CLAMP and min(map(abs, rises)) < 1e-4:
        return 0.0
    if not key.flags & TIME_INDEPENDENT:
        share = (key.time - before.time) / (after.time - before.time)
        slope = slope / 2 + (left * (1 - share) + right * share) / 2
        force = abs(bias) / 100
        slope = slope * (1 - force) + force * (right if bias > 0 else left)
        if force > 5:
            slope += math.copysign(40 * (force - 5) ** 2, bias)
    if key.flags & PROGRESSIVE:
        # The inner points of the curve stay between the values of the keys.
        reaches = before.weight(1) * (key.time - before.time), \
            key.weight(0) * (after.time - key.time)
        for rise, reach in zip(rises, reaches):
            most = rise / reach
            slope = 0.0 if most * slope <= 0 else math.copysign(min(abs(slope), abs(most)), slope)
    return slope


def slopes(keys, k):
    """To the left and to the right of a key."""
    key = keys[k]
    has_left, has_right = k > 0, k + 1 < len(keys)
    left = (key.value - keys[k - 1].value) / (key.time - keys[k - 1].time) if has_left else 0.0
    right = (keys[k + 1].value - key.value) / (keys[k + 1].time - key.time) if has_right else 0.0
    if key.flags & TCB:
        t, c, b = key.right, key.left, key.more
        half = 0.5 if has_left and has_right else 1.0
        return (half * (1 - t) * ((1 + b) * (1 - c) * left + (1 - b) * (1 + c) * right),
                half * (1 - t) * ((1 + b) * (1 + c) * left + (1 - b) * (1 - c) * right))
    if key.flags & USER or not key.flags & AUTO:
        return keys[k - 1].left if has_left else 0.0, key.right
    if not (has_left and has_right):
        slope = 0.0 if key.flags & PROGRESSIVE else left + right
        return slope, slope
    before = keys[k - 1]
    is_auto = before.flags & AUTO and not before.flags & USER
    biases = (-before.left if is_auto else key.right, key.right)
    return tuple(automatic(keys, k, bias) for bias in biases)


def between(keys, k, time):
    a, b = keys[k], keys[k + 1]
    span = b.time - a.time
    share = (time - a.time) / span
    if a.flags & HOLDS:
        return b.value if a.flags & AUTO and share > 0 else a.value
    if not a.flags & CUBIC:
        return a.value + share * (b.value - a.value)
    low, high = 0.0, 1.0
    for _ in range(80):
        m = (low + high) / 2
        n = 1 - m
        x = 3 * n * n * m * a.weight(0) + 3 * n * m * m * (1 - a.weight(1)) + m ** 3
        low, high = (m, high) if x < share else (low, m)
    up, down = slopes(keys, k)[1] * a.weight(0) * span, slopes(keys, k + 1)[0] * a.weight(1) * span
    return (n ** 3 * a.value + 3 * n * n * m * (a.value + up) + 3 * n * m * m * (b.value - down) +
            m ** 3 * b.value)


def within(keys, time):
    for k in range(len(keys) - 1):
        if keys[k].time <= time < keys[k + 1].time:
            return between(keys, k, time)
    return keys[-1].value if time >= keys[-1].time else keys[0].value


class FbxTangents(ConvertingTest):
    def scene(self, keys, beyond=(), stop=2.0):
        scene = Scene()
        box = scene.model("box", "Mesh")
        scene.mesh(box, [0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 100.0, 0.0], [0, 1, -3])
        take = scene.take("move", stop)
        base = scene.add("AnimationLayer", "base", "", [], "AnimLayer", take)
        node = scene.track(base, box, "Lcl Translation", {}, X=0, Y=0, Z=0)
        scene.link(scene.curve([(key.time, key.value, key.flags, key.numbers()) for key in keys],
                               beyond), node, "d|X")
        return scene

    def value(self, scene, time, encode):
        path, obj = self.folder / "a.fbx", self.folder / "a.obj"
        path.write_bytes(encode(scene.nodes()))
        run = tenon("convert", "-f", path, obj, "--clip", "move", "--at", time)
        self.assertEqual(run.returncode, 0, run.stderr)
        first = next(line for line in obj.read_text().splitlines() if line.startswith("v "))
        return 100 * float(first.split()[1])

    def check(self, keys, times=(0.1, 0.35, 0.5, 0.7, 1.1, 1.5, 1.9), wanted=None, **more):
        scene = self.scene(keys, **more)
        for i, time in enumerate(times):
            found = self.value(scene, time, as_binary if i % 3 else as_text)
            expected = wanted(time) if wanted else within(keys, time)
            # Keys between those of the file are as many as a 1e-5 of the size needs.
            self.assertLess(abs(found - expected), 0.01, (time, found, expected))

    # -- Tangents

    @staticmethod
    def keys(flags, *data, **more):
        """Four keys at uneven times, up, over a peak and down to where one is nearly level."""
        given = iter(data)
        return [Key(time, value, flags, *next(given, ()), **more) for time, value in (
            (0.0, 0.0), (0.4, 30.0), (1.2, 50.0), (2.0, -20.0))]

    def test_tangents_of_users(self):
        slope = [(40.0, -30.0), (80.0, 10.0), (-60.0, -200.0), (0.0, 0.0)]
        self.check(self.keys(CUBIC | USER, *slope))
        self.check(self.keys(CUBIC | USER | BREAK, *slope))
        for bits, weights in ((WEIGHT_RIGHT, (0.8, 0.2)), (WEIGHT_LEFT, (0.1, 0.9)),
                              (WEIGHT_RIGHT | WEIGHT_LEFT, (0.05, 0.95)),
                              (WEIGHT_RIGHT | WEIGHT_LEFT, (0.95, 0.95))):
            self.check(self.keys(CUBIC | USER | bits, *slope, weights=weights))

    def test_velocities_change_nothing(self):
        slope = [(40.0, -30.0), (80.0, 10.0), (-60.0, -200.0), (0.0, 0.0)]
        self.check(self.keys(CUBIC | USER | VELOCITY_RIGHT | VELOCITY_LEFT, *slope))

    def test_automatic_tangents(self):
        for flags in (0, CLAMP, TIME_INDEPENDENT, TIME_INDEPENDENT | CLAMP,
                      TIME_INDEPENDENT | PROGRESSIVE, PROGRESSIVE):
            with self.subTest(flags=hex(flags)):
                self.check(self.keys(CUBIC | AUTO | flags))
        level = [Key(0.0, 0.0, CUBIC | AUTO | CLAMP), Key(0.4, 30.0, CUBIC | AUTO | CLAMP),
                 Key(1.2, 30.00001, CUBIC | AUTO | CLAMP), Key(2.0, -20.0, CUBIC | AUTO | CLAMP)]
        self.check(level)

    def test_biases_of_automatic_tangents(self):
        for bias in (25.0, -25.0, 80.0, -100.0, 620.0, -700.0):
            with self.subTest(bias=bias):
                self.check(self.keys(CUBIC | AUTO, *[(bias, -bias)] * 4))
        # Sides that differ.
        self.check(self.keys(CUBIC | AUTO | BREAK, *[(50.0, 20.0)] * 4))
        self.check(self.keys(CUBIC | AUTO | TIME_INDEPENDENT, *[(50.0, -50.0)] * 4))

    def test_weights_of_automatic_tangents(self):
        for bits, weights in ((WEIGHT_RIGHT | WEIGHT_LEFT, (0.7, 0.6)), (WEIGHT_RIGHT, (0.9, 0.1))):
            for flags in (0, TIME_INDEPENDENT | PROGRESSIVE):
                self.check(self.keys(CUBIC | AUTO | bits | flags, weights=weights))

    def test_tension_continuity_and_bias(self):
        for t, c, b in ((0, 0, 0), (0.5, 0, 0), (-1, 0, 0), (0, 0.5, 0), (0, -1, 0), (0, 0, 0.75),
                        (0, 0, -0.5), (0.25, -0.5, 0.5)):
            with self.subTest(t=t, c=c, b=b):
                self.check(self.keys(CUBIC | TCB, *[(float(t), float(c))] * 4, more=float(b)))

    def test_kinds_next_to_each_other(self):
        self.check([Key(0.0, 0.0, LINEAR, 0.0, 25.0), Key(0.4, 30.0, CUBIC | AUTO),
                    Key(1.2, 50.0, CUBIC | USER, 10.0, 90.0), Key(1.5, -20.0, HOLDS),
                    Key(2.0, 5.0, CUBIC | AUTO)])
        self.check([Key(0.0, 0.0, HOLDS | AUTO), Key(0.4, 30.0, CUBIC | TCB, 0.5, 0.25),
                    Key(1.2, 50.0, HOLDS), Key(2.0, -20.0, LINEAR)])

    def test_huge_slopes_of_steps(self):
        self.check([Key(0.0, 0.0, HOLDS, 1e30, -1e30), Key(0.4, 30.0, HOLDS, 1e30, -1e30),
                    Key(2.0, 50.0, HOLDS, 1e30, -1e30)], times=(0.1, 0.39, 0.41, 1.9, 2.0))

    # -- Before and after the keys

    @staticmethod
    def beyond(kind, count, as_code=False):
        letter = Int(ord(kind)) if as_code else Letter(kind)
        return [Node(name, [], [Node("Type", [letter]), Node("Repetition", [Int(count)])])
                for name in ("Pre-Extrapolation", "Post-Extrapolation")]

    def test_extrapolation(self):
        keys = [Key(0.5, 0.0, CUBIC | USER, 40.0, -30.0), Key(0.7, 30.0, CUBIC | USER, 80.0, 120.0),
                Key(1.0, 50.0, LINEAR)]
        span = 0.5

        def outside(kind, count):
            def wanted(time):
                if 0.5 <= time <= 1.0:
                    return within(keys, time)
                cycle = math.floor((time - 0.5) / span)
                if kind == "K":
                    return (40.0 * (time - 0.5) if time < 0.5 else 50.0 + 120.0 * (time - 1.0))
                copies = -cycle if cycle < 0 else cycle
                along = time - 0.5 - cycle * span
                if kind == "C" or count == 0:
                    return keys[0].value if time < 0.5 else keys[-1].value
                if 0 <= count < copies:  # The end of the last copy stays.
                    along, cycle = (0.0, -count) if cycle < 0 else (span, count)
                if kind == "M" and cycle % 2:
                    along = span - along
                rise = 50.0 * cycle if kind == "A" else 0.0
                value = keys[-1].value if along == span else within(keys, 0.5 + along)
                return value + rise
            return wanted

        for kind, count in (("C", -1), ("K", -1), ("R", -1), ("A", -1), ("M", -1), ("R", 1),
                            ("A", 2), ("M", 1), ("M", 2), ("R", 0)):
            for as_code in (False, True):
                with self.subTest(kind=kind, count=count, as_code=as_code):
                    self.check(keys, (0.05, 0.3, 0.6, 1.1, 1.45, 1.7, 2.4),
                               outside(kind, count), beyond=self.beyond(kind, count, as_code),
                               stop=2.5)

    def test_keys_outside_of_the_take(self):
        """Keys before the start and after the end of a take shape what is within."""
        keys = [Key(-1.0, -40.0, CUBIC | USER, 60.0, 90.0),
                Key(0.3, 30.0, CUBIC | USER, 80.0, 10.0),
                Key(3.0, -50.0, LINEAR)]
        self.check(keys, (0.0, 0.2, 0.5, 0.9), stop=1.0)
        scene = self.scene(keys, stop=1.0)
        gltf, _ = self.convert("a.fbx", as_binary(scene.nodes()))
        times = gltf["accessors"][gltf["animations"][0]["samplers"][0]["input"]]
        self.assertEqual((times["min"], times["max"]), ([0], [1]))


if __name__ == "__main__":
    unittest.main()
