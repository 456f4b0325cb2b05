#!/usr/bin/env python3
"""judge.py: loads a model as its engine would, poses it, and compares it with the truth.

Every pose of the truth is compared: triangles as a set, by the positions of their corners and by
their winding, whatever their order. The error is the largest distance of a corner as a share of
the diagonal of the rest pose's box. Exit status: 0 if all is within the tolerance; 1 if not, or if
the engine would refuse the file; 2 for wrong usage; 3 if a file is missing.
"""
# SPDX-License-Identifier: MIT

import argparse
import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import bbmod  # noqa: E402
import beowolf  # noqa: E402
import bplx  # noqa: E402
import coreengine  # noqa: E402
import gameplay  # noqa: E402
import gltf  # noqa: E402
import wavefront  # noqa: E402
from common import Missing, Refused, Truth, compare, cross, dot, subtract  # noqa: E402

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
LOADERS = {"gpb": gameplay, "bbmod": bbmod, "bmw": beowolf, "cem": coreengine, "cea": coreengine,
           "modeldata": coreengine, "bplx": bplx, "glb": gltf, "gltf": gltf, "obj": wavefront}
MOST_OPPOSED = 0.05
OK, FAILED, MISSING = 0, 1, 3


# -- Poses

class Verdict:
    """Counts poses and keeps the worst of errors and of exit statuses."""

    def __init__(self):
        self.status, self.worst, self.poses, self.skipped = OK, 0.0, 0, 0

    def add(self, error, status):
        self.poses += 1
        self.worst, self.status = max(self.worst, error), max(self.status, status)


def pose_name(clip, seconds):
    return "rest" if clip is None else f"{clip} {seconds:g}"


def joint_error(expected, actual):
    """The largest distance of joints, by name."""
    absent = [name for name in expected if name not in actual]
    if absent:
        return math.inf, f"there is no joint '{absent[0]}'"
    return max((math.dist(expected[name], actual[name]) for name in expected), default=0.0), ""


def judge_pose(model, pose, diagonal, tolerance):
    """Returns error, status and remarks of one pose; None if there is nothing to compare."""
    clip, seconds, triangles, joints = pose
    allowed, error, remarks = tolerance * diagonal, 0.0, []
    compare_joints = joints is not None and model.joints(None, 0) is not None
    if clip is not None and model.no_clips and not compare_joints:
        return None
    if clip is None or not model.no_clips:
        posed, note = model.pose(clip, seconds)
        error, remark = compare(triangles, posed, allowed)
        remarks += [note, remark]
    if compare_joints:
        distance, remark = joint_error(joints, model.joints(clip, seconds))
        error = max(error, distance)
        remarks += ["with joints", remark]
    status = OK if error <= allowed else FAILED
    return error / diagonal, status, ", ".join(filter(None, remarks))


def judge_poses(model, truth, tolerance, say):
    verdict = Verdict()
    for pose in truth.poses:
        name = pose_name(pose[0], pose[1])
        try:
            found = judge_pose(model, pose, truth.diagonal, tolerance)
        except (Refused, Missing) as error:
            found = math.inf, MISSING if isinstance(error, Missing) else FAILED, str(error)
        if found is None:
            verdict.skipped += 1
            continue
        error, status, remarks = found
        verdict.add(error, status)
        say(f"{name:<14} {error:8.1e}  {'FAIL' if status else 'ok':<4}  {remarks}".rstrip())
    return verdict


# -- What is stored with the vertices

def opposed_faces(mesh):
    """Faces whose front points away from their normals, and all faces that have a side."""
    opposed = sided = 0
    for triangle in mesh.triangles:
        a, b, c = (mesh.positions[i] for i in triangle)
        face = cross(subtract(b, a), subtract(c, a))
        side = sum(dot(face, mesh.normals[i]) for i in triangle)
        sided += side != 0
        opposed += side > 0 if mesh.is_mirrored else side < 0
    return opposed, sided


def check_uvs(model, say):
    stored = [uv for mesh in model.meshes for uv in mesh.uvs or ()]
    broken = sum(not all(math.isfinite(v) for v in uv) for uv in stored)
    if any(mesh.uvs is None for mesh in model.meshes):
        say("warning: a mesh without texture coordinates")
    if broken:
        say(f"FAIL: {broken} of {len(stored)} texture coordinates are not finite")
    return FAILED if broken else OK


def check_normals(model, say):
    if any(mesh.normals is None for mesh in model.meshes):
        say("warning: a mesh without normals")
    counts = [opposed_faces(mesh) for mesh in model.meshes if mesh.normals is not None]
    opposed, sided = (sum(column) for column in zip(*counts)) if counts else (0, 0)
    if not opposed:
        return OK
    is_bad = opposed > MOST_OPPOSED * sided
    say(f"{'FAIL' if is_bad else 'warning'}: {opposed} of {sided} faces oppose their normals")
    return FAILED if is_bad else OK


# -- Command line

def other_views(loader, args, truth, say):
    """The file in another view, where the loader has one: for information only."""
    for view, meaning in loader.VIEWS.items():
        if view != args.view:
            seen = argparse.Namespace(**{**vars(args), "view": view})
            found = judge_poses(loader.load(args.file, seen), truth, args.tolerance,
                                lambda line: None)
            say(f"note: {meaning} (--view {view}): largest error {found.worst:.1e}")


def judge(args, say):
    loader, truth = LOADERS[args.format], Truth(args.truth)
    model = loader.load(args.file, args)
    if args.clips:
        for line in model.clip_lines() or ["no clips"]:
            say(line)
    verdict = judge_poses(model, truth, args.tolerance, say)
    verdict.status = max(verdict.status, check_uvs(model, say), check_normals(model, say))
    for text in model.warnings:
        say(f"warning: {text}")
    if verdict.skipped:
        say(f"skipped: {verdict.skipped} poses of clips: {model.no_clips}")
    other_views(loader, args, truth, say)
    say(f"{args.file}: poses {verdict.poses}, {loader.VIEWS[args.view]}: largest error "
        f"{verdict.worst:.1e} (tolerance {args.tolerance:.1e}): "
        f"{'FAIL' if verdict.status else 'ok'}")
    return verdict.status


def assumptions():
    loaders = {loader: None for loader in LOADERS.values()}
    return "What the loaders assume:\n\n" + "\n".join(loader.__doc__ for loader in loaders)


def parse_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, epilog=assumptions(),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("format", choices=LOADERS, metavar="FORMAT", help=", ".join(LOADERS))
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--truth", type=Path, default=SAMPLES / "truth.json", metavar="FILE",
                        help="poses to compare with (samples/truth.json)")
    parser.add_argument("--clips", action="store_true", help="also list the clips of the file")
    parser.add_argument("--tolerance", type=float, default=1e-4, metavar="SHARE",
                        help="of the rest box's diagonal (1e-4)")
    parser.add_argument("--rate", type=float, default=24.0, metavar="TICKS",
                        help="ticks a second of ModelData, which stores none (24)")
    parser.add_argument("--view", metavar="NAME",
                        help="how to see the file where there are two ways (the first named below)")
    args = parser.parse_args(words)
    views = list(LOADERS[args.format].VIEWS)
    args.view = args.view or views[0]
    if args.view not in views:
        parser.error(f"--view of {args.format} is one of: {', '.join(views)}")
    return args


def main(words):
    args = parse_arguments(words)
    try:
        return judge(args, print)
    except Missing as error:
        print(f"judge.py: {error}", file=sys.stderr)
        return MISSING
    except (Refused, RecursionError) as error:
        print(f"judge.py: {args.file}: the engine would refuse it: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
