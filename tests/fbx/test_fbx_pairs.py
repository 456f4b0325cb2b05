#!/usr/bin/env python3
"""test_fbx_pairs.py: FBX files and the poses that the same programs saved of them as OBJ.

Every pair of pairs.tsv must match within the tolerance, or name what the scene cannot have of the
file. Skipped without a folder of real models (TENON_CORPUS).
"""
# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import real_files  # noqa: E402

TENON = os.environ.get("TENON", "build/release/tenon")
SKIPPED = 77
TOLERANCE = "1e-4"

# What scenes do not have; such a pair is answered with the name.
NOT_READ = {"subdivision", "geometry caches", "NURBS surfaces", "dual quaternion skinning"}
# The OBJ file has only a part of the scene.
PARTIAL = {"blender_340_z_up.obj"}
# Maya poses this 3e-4 of the size elsewhere; other readers do, too.
ROUGH = {"maya_poses.obj": 5e-4}


def run(*arguments):
    return subprocess.run([TENON, *map(str, arguments)], capture_output=True, text=True)


def pairs(folder):
    for line in (folder / "fbx/pairs.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            fbx, obj, clip, seconds = line.split("\t")
            where = folder / "fbx" / obj
            yield folder / "fbx" / fbx, where if where.exists() else folder / "obj" / obj, \
                clip, seconds


def arguments(fbx, obj, clip, seconds):
    found = ["verify", fbx, obj, "--tolerance", TOLERANCE]
    at = ["--at", seconds] + (["--clip", clip] if clip != "-" else [])
    # A take in which only a geometry cache moves something is no clip.
    is_posed = seconds != "-" and "there are 0 clips" not in run(*found, *at).stderr
    return found + (at if is_posed else ["--rest"])


def not_read(text):
    """The features in the line `not read    subdivision (1), cameras (2) of A`."""
    lines = [line.split(None, 2)[2] for line in text.splitlines() if "not read  " in line]
    return {part.rsplit(" (", 1)[0].strip() for line in lines for part in line.split(",")}


def fault(fbx, obj, clip, seconds):
    """None, or what is wrong with a pair."""
    command = arguments(fbx, obj, clip, seconds)
    result = json.loads(run(*command, "--json").stdout)
    if "verdict" not in result:
        return f"{fbx.name} {obj.name} {clip} {seconds}: {result}"
    largest = result.get("largest")
    if result["verdict"] == "verified":
        return None
    named = not_read(run(*command).stdout)
    if named & NOT_READ:
        return None
    if obj.name in PARTIAL and result["matched"] > 0:
        return None
    if obj.name in ROUGH and largest is not None and largest < ROUGH[obj.name]:
        return None
    return f"{fbx.name} {obj.name} {clip} {seconds}: {result['verdict']}, {largest} {named}"


def main():
    if not real_files.CORPUS:
        print("skipped:", real_files.NOT_SET)
        return SKIPPED
    every = list(pairs(real_files.CORPUS))
    faults = [found for found in (fault(*pair) for pair in every) if found]
    for found in faults:
        print(found)
    print(f"{len(every)} pairs, {len(faults)} faults")
    return 1 if faults or len(every) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
