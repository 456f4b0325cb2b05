#!/usr/bin/env python3
"""make_pictures.py: the pictures of the documents, drawn by the tool from the samples.

Usage: make_pictures.py [--check]

The tool is the one in the environment variable TENON, or build/release/tenon. With --check nothing
is written; the exit status is 1 if a picture has other bytes than the tool draws: they are the same
on every machine.
"""
# SPDX-License-Identifier: MIT

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/pictures"
FORMATS = ("bbmod", "gpb", "bmw", "cea", "bplx", "glb", "fbx", "cem")

PICTURES = {
    "formats.png": ["--sheet", "--size", "150", *(f"samples/crane.{name}" for name in FORMATS)],
    "lift.png": ["--clip", "lift", "--at", "1", "--size", "320x240", "--bones",
                 "samples/crane.gpb"],
    "compare.png": ["--compare", "--clip", "lift", "--at", "1", "--size", "230",
                    "samples/crane.glb", "samples/crane.bplx"],
}


def main():
    tool = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
    check = sys.argv[1:] == ["--check"]
    stale = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in PICTURES.items():
            made = Path(folder) / name
            subprocess.run([tool, "render", "-q", "-o", made, *arguments], cwd=ROOT, check=True)
            kept = FOLDER / name
            if kept.exists() and kept.read_bytes() == made.read_bytes():
                continue
            if check:
                digest = hashlib.sha256(made.read_bytes()).hexdigest()[:16]
                print(f"docs/pictures/{name} is stale (now {digest}): run tools/make_pictures.py")
                stale += 1
            else:
                FOLDER.mkdir(exist_ok=True)
                kept.write_bytes(made.read_bytes())
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
