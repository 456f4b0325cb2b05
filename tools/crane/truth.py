"""samples/truth.json: where every triangle corner of the crane is, at rest and in both clips.

A converter is right when a file, read back and posed, puts the corners in these places.
"""
# SPDX-License-Identifier: MIT

import json

from crane.pose import posed_corners

DECIMALS = 6

# Between keys, except for the ends; on frames at 20 and 60 a second, for the formats that bake.
TIMES = {"travel": (0.0, 0.35, 0.8, 1.6, 2.0), "lift": (0.0, 0.2, 0.65, 1.1, 1.5)}

ABOUT = (
    ("what", "positions of all triangle corners of the gantry crane, posed and skinned"),
    ("space", "model space: right-handed, +Y up, metres, counter-clockwise front faces"),
    ("positions", "x y z of three corners, a triangle a line, in the order of 'parts'"),
    ("parts", "triangles of each mesh part; 'joint' moves it, null means it is skinned"),
    ("poses", "'clip' null is the rest pose, which is not the bind pose; 'time' is in seconds"),
    ("sampling", "linear, rotations by slerp the shorter way; held before and after the keys"),
    ("skinning", "linear blend of joint world times inverse bind, in double precision"),
    ("precision", "single-precision model data; results rounded to %d decimals" % DECIMALS),
)


def number(value):
    """Shortest text of a number rounded to DECIMALS places."""
    text = ("%.*f" % (DECIMALS, value)).rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _part_line(model, part, first):
    record = {
        "name": part.name,
        "joint": None if part.joint is None else model.joints[part.joint].name,
        "material": model.materials[part.material].name,
        "first_triangle": first,
        "triangle_count": len(part.triangles),
    }
    return json.dumps(record)


def _part_lines(model):
    first, lines = 0, []
    for part in model.parts:
        lines.append(_part_line(model, part, first))
        first += len(part.triangles)
    return ",\n".join(lines)


def _pose_text(model, clip, time):
    lines = []
    for corners in posed_corners(model, clip, time):
        for i in range(0, len(corners), 3):
            lines.append(",".join(number(c) for corner in corners[i:i + 3] for c in corner))
    head = '{"clip": %s, "time": %s, "positions": [\n' % (
        json.dumps(clip.name if clip else None), number(time))
    return head + ",\n".join(lines) + "]}"


def truth_text(model):
    """The whole file."""
    poses = [_pose_text(model, None, 0.0)]
    for clip in model.clips:
        poses += [_pose_text(model, clip, time) for time in TIMES[clip.name]]
    about = ",\n".join("%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in ABOUT)
    return '{"about": {\n%s},\n"model": %s,\n"parts": [\n%s],\n"poses": [\n%s]}\n' % (
        about, json.dumps(model.name), _part_lines(model), ",\n".join(poses))
