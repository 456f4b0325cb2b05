#!/usr/bin/env python3
"""Make tests/fixtures/bbanim/: valid BBMOD animations of every generation, small enough for hex.

Each is of the dialect that its name begins with. Most move the arm of the skinned model fixtures.
"""
# SPDX-License-Identifier: MIT

import sys

import bbmod_arm as arm
import outputs
import parse_bbmod
from pack_bbmod import BONE, PARENT, WORLD, animation, channel, dual_quaternion, f32, keyframes, u32

FOLDER = outputs.ROOT / "tests" / "fixtures" / "bbanim"
SIZE_LIMIT = 2048
NODE_COUNT, BONE_COUNT = len(arm.NAMES), len(arm.BONES)
EVENTS = ((0.0, "start"), (1.0, "half"))


def dual(place):
    return dual_quaternion(place.rotation, place.translation)


# -- Baked frames of the arm

def frame(spaces, time):
    """One frame: parent, world and bone space, those that are requested."""
    places = arm.posed(time)
    worlds = arm.worlds(places)
    order = [arm.SLOTS.index(slot) for slot in range(NODE_COUNT)]
    rows = []
    if spaces & PARENT:
        rows += [places[i] for i in order]
    if spaces & WORLD:
        rows += [worlds[i] for i in order]
    if spaces & BONE:
        rows += [worlds[i].of(offset) for i, offset in zip(arm.BONES, arm.offsets(arm.rest()))]
    return b"".join(f32(*dual(place)) for place in rows)


def frames(spaces, count=2):
    return [frame(spaces, float(time)) for time in range(count)]


def wave(dialect, spaces=PARENT, **changes):
    """The arm's motion at 10 frames a second."""
    return animation(dialect, spaces, frames(spaces), NODE_COUNT, BONE_COUNT, 10.0, **changes)


# -- Keyframes of the arm

def wave_keys(dialect, moving=("upper", "lower")):
    channels = [channel(arm.SLOTS[arm.NAMES.index(name)], arm.position_keys(name),
                        arm.rotation_keys(name)) for name in moving]
    return keyframes(dialect, 2.0, 10.0, NODE_COUNT if dialect == "2" else BONE_COUNT, channels)


# -- Odd cases

def repeated():
    """What the broken savers wrote: the list of all frames in place of each frame."""
    whole = frames(PARENT)
    return animation("repeated", PARENT, [b"".join(whole)] * 2, NODE_COUNT, BONE_COUNT, 10.0,
                     events=EVENTS)


def float_bits():
    """Bits that a reader must not change, as the converter leaves them where a bone has no node."""
    odd = u32(0x7FC12345, 0x7F812345, 0xFFC00001, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001,
              0x7F7FFFFF)
    return animation("3.4", PARENT, [odd], 1, 0)


def fixture_animations():
    """Stem to bytes."""
    files = {
        "1_wave": wave_keys("1"),
        "1_empty": keyframes("1", 0.0, 25.0, 0, []),
        "2_wave": wave_keys("2"),
        "2_root": wave_keys("2", ("upper", "lower", "Armature")),
        "3.0_parent": wave("3.0", events=None),
        "3.0_bone": wave("3.0", BONE, events=None),
        "3.0-upper_parent": wave("3.0-upper", events=None),
        "3.0-upper_events": wave("3.0-upper", events=EVENTS),
        "3.1_bone": wave("3.1", BONE, events=None),
        "3.1_no_events": wave("3.1", events=()),
        "3.2_world_bone": wave("3.2", WORLD | BONE, events=None),
        "3.2_events": wave("3.2", events=EVENTS),
        "3.3_parent": wave("3.3", events=None),
        "3.3_events": wave("3.3", events=EVENTS),
        "3.1-lower_parent": wave("3.1-lower", events=None),
        "3.4_events": wave("3.4", events=EVENTS + ((0.5, ""),)),
        "3.4_fraction": wave("3.4", duration=1.5),
        "3.4_empty": animation("3.4", PARENT, [], NODE_COUNT, BONE_COUNT),
        "3.4_no_bones": animation("3.4", PARENT | BONE, [frame(PARENT, 0.0)], NODE_COUNT, 0),
        "3.4_utf8": wave("3.4", events=((1.0, "Schritt-歩"),)),
        "3.4_latin1": wave("3.4", events=((1.0, b"Schl\xe4ge"),)),
        "3.4_float_bits": float_bits(),
        "repeated_parent": repeated(),
        "document_parent": animation("document", PARENT, [frame(PARENT, 0.0)], NODE_COUNT,
                                     BONE_COUNT, 10.0, 2.0, EVENTS),
        "document_literal": animation("document", PARENT | WORLD, [frame(PARENT, 0.0)], NODE_COUNT,
                                      BONE_COUNT, 10.0, 2.0, EVENTS),
        "document-spaces_all": animation("document-spaces", 7, [frame(7, 0.0)], NODE_COUNT,
                                         BONE_COUNT, 10.0, 2.0, EVENTS),
        "document-frames_literal": animation("document-frames", 7,
                                             [frame(PARENT, 0.0), frame(PARENT, 1.0)], NODE_COUNT,
                                             BONE_COUNT, 10.0, 2.0, EVENTS),
    }
    for spaces in range(8):
        files["3.4_spaces_%d" % spaces] = wave("3.4", spaces)
    return files


# Where there is only the first space, both readings of the document are the same.
TWINS = {"document_parent": ["document", "document-spaces"]}


def fixture_files():
    """Name to bytes; refuses to make a file that is large, or of another dialect than its own."""
    files = {}
    for stem, data in fixture_animations().items():
        expected = TWINS.get(stem, [stem.split("_")[0]])
        if parse_bbmod.dialects(data)[:len(expected)] != expected:
            raise ValueError("%s is of %s" % (stem, parse_bbmod.dialects(data)))
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (stem, len(data)))
        files[stem + ".bbanim"] = data
    return files


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
