"""The crane's two clips.

Key times are whole quarter seconds: exact in single precision, in milliseconds, at 24 ticks and at
60 frames a second, so that no format has to round one. Otherwise the keys are as awkward as real
ones: unequal times from joint to joint and from path to path, first keys after 0, last keys before
the end, first values unlike the rest pose, joints without keys, quaternions of either sign.
"""
# SPDX-License-Identifier: MIT

from crane.maths import PI, f32s, turn
from crane.model import Channel, Clip

WHEEL_RADIUS = 0.375
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class _Keys:
    """Collects the channels of one clip, by joint name."""

    def __init__(self, joints):
        self._indices = {joint.name: i for i, joint in enumerate(joints)}
        self._channels = []

    def move(self, joint, *keys):
        """Keys of (time, (x, y, z))."""
        self._add(joint, "translation", keys)

    def rotate(self, joint, axis, *keys):
        """Keys of (time, degrees about one axis)."""
        self._add(joint, "rotation", [(time, turn(axis, degrees)) for time, degrees in keys])

    def rotate_to(self, joint, *keys):
        """Keys of (time, quaternion)."""
        self._add(joint, "rotation", keys)

    def _add(self, joint, path, keys):
        times = f32s(time for time, _ in keys)
        values = tuple(f32s(value) for _, value in keys)
        self._channels.append(Channel(self._indices[joint], path, times, values))

    def clip(self, name, length):
        order = sorted(self._channels, key=lambda c: (c.joint, c.path != "translation"))
        return Clip(name, length, tuple(order))


def _with_positive_w(rotation):
    """The same rotation. Between two keys the sign may now jump, as it does in real files."""
    return rotation if rotation[3] >= 0.0 else tuple(-c for c in rotation)


def _roll_wheels(keys):
    """Wheels turn as far as the crane goes; never half a turn between two keys."""
    travelled = ((0.0, 0.0), (0.5, 0.5), (0.75, 1.0625), (1.0, 1.625), (1.25, 2.1875),
                 (1.5, 2.75), (2.0, 3.25))
    ends = (("front", 40.0), ("rear", 5.0))
    for side in ("left", "right"):
        for end, start in ends:
            turns = [(time, _with_positive_w(turn(X, start + way / WHEEL_RADIUS * 180.0 / PI)))
                     for time, way in travelled]
            keys.rotate_to("wheel_%s_%s" % (side, end), *turns)


def _travel(joints):
    """The crane rolls along +Z, the trolley along +X, and the load swings after it."""
    keys = _Keys(joints)
    keys.move("crane", (0.0, (0.0, 0.0, -1.5)), (0.5, (0.0, 0.0, -1.0)), (1.5, (0.0, 0.0, 1.25)),
              (2.0, (0.0, 0.0, 1.75)))
    _roll_wheels(keys)
    keys.rotate("cabin", Y, (0.5, -20.0), (1.25, 45.0))
    keys.move("trolley", (0.25, (-1.25, 0.9, 0.0)), (1.0, (0.5, 0.9, 0.0)), (1.75, (2.0, 0.9, 0.0)))
    keys.rotate("cable_0", X, (0.0, 0.0), (0.5, 9.0), (1.25, 3.0), (1.75, -10.0))
    keys.rotate("cable_1", Z, (0.0, -4.0), (0.75, -16.0), (1.5, -10.0), (2.0, 12.0))
    keys.rotate("cable_2", X, (0.25, 2.0), (0.75, 16.0), (1.5, -4.0), (2.0, -18.0))
    keys.rotate("cable_3", Z, (0.0, -3.0), (1.0, -18.0), (1.75, 8.0))
    keys.rotate("hook", Y, (0.0, 50.0), (1.25, 150.0), (2.0, 80.0))
    return keys.clip("travel", 2.0)


def _lift(joints):
    """The drum winds the cable up: its joints draw together, and the hook spins and sways."""
    keys = _Keys(joints)
    keys.rotate("drum", Z, *[(i / 4, 20.0 + 90.0 * i) for i in range(7)])
    keys.rotate("cable_0", Z, (0.0, -5.0), (0.75, 4.0), (1.5, -3.0))
    keys.move("cable_1", (0.0, (0.0, -0.75, 0.0)), (1.5, (0.0, -0.375, 0.0)))
    keys.rotate("cable_1", X, (0.25, 8.0), (1.0, -6.0), (1.25, 0.0))
    keys.move("cable_2", (0.0, (0.0, -0.8125, 0.0)), (0.5, (0.0, -0.625, 0.0)),
              (1.5, (0.0, -0.375, 0.0)))
    keys.move("cable_3", (0.25, (0.0, -0.8125, 0.0)), (1.25, (0.0, -0.4375, 0.0)))
    keys.rotate("cable_3", Z, (0.0, 12.0), (0.5, -15.0), (1.5, 5.0))
    keys.move("cable_4", (0.0, (0.0, -0.875, 0.0)), (0.75, (0.0, -0.5, 0.0)),
              (1.5, (0.0, -0.4375, 0.0)))
    keys.move("hook", (0.5, (0.0, -0.125, 0.0)), (1.0, (0.0, -0.1875, 0.0)))
    keys.rotate("hook", Y, (0.0, 30.0), (0.25, -60.0), (1.0, 45.0), (1.5, 100.0))
    return keys.clip("lift", 1.5)


def make_clips(joints):
    return (_travel(joints), _lift(joints))
