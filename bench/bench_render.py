#!/usr/bin/env python3
"""bench_render.py: user CPU and memory of a 512 pixel thumbnail, beside f3d.

Usage: bench_render.py [--runs N] [--keep FOLDER] [FILE.glb]...
       bench_render.py --counts

Each FILE (samples/crane.glb) is drawn by both programs in turn, N times; the medians are printed.
f3d draws under Xvfb, whose own time is not counted. Its pictures, and ours, are kept in FOLDER.
--counts prints the instructions for spheres of 1,000 to 1,000,000 triangles instead, and for
pictures of several sizes, without reading the model and writing the picture; it needs valgrind.
TENON names the tool (build/release/tenon).
"""
# SPDX-License-Identifier: MIT

import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
DISPLAY = ":87"


def measure(command, env):
    """User and system seconds and the largest resident set in MiB of a command."""
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"bench_render.py: status {child.returncode}: {' '.join(map(str, command))}")
    return usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024


def sphere(path, rings):
    """Write an OBJ file of 2 * rings * 2 * (rings - 1) triangles."""
    columns = 2 * rings
    with open(path, "w", encoding="utf-8") as out:
        for i in range(rings + 1):
            for k in range(columns):
                up, around = math.pi * i / rings, 2 * math.pi * k / columns
                out.write("v %.6f %.6f %.6f\n" % (math.sin(up) * math.cos(around), math.cos(up),
                                                  math.sin(up) * math.sin(around)))
        for i in range(rings):
            for k in range(columns):
                a, b = i * columns + k + 1, i * columns + (k + 1) % columns + 1
                if i > 0:
                    out.write("f %d %d %d\n" % (a, b, b + columns))
                if i < rings - 1:
                    out.write("f %d %d %d\n" % (a, b + columns, a + columns))
    return columns * (2 * rings - 2)


def instructions(folder, model, side):
    """Of tenon_render() alone."""
    counts = folder / "counts"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}",
                    "--toggle-collect=tenon_render", TOOL, "render", "-q", "--force", model, "-o",
                    folder / "out.png", "--size", str(side)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return int(re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.M).group(1))


def count():
    if not shutil.which("valgrind"):
        sys.exit("bench_render.py: valgrind is needed: apt-get install valgrind")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, model, base = folder / "sphere.obj", folder / "sphere.glb", None
        print(f"{'triangles':>10} {'side':>6} {'instructions':>14} {'of a triangle more':>19}")
        for rings in (16, 50, 158, 500):
            triangles = sphere(text, rings)
            # It is read with less work.
            subprocess.run([TOOL, "convert", "-q", "--force", text, "-o", model], check=True)
            work = instructions(folder, model, 512)
            more = f"{(work - base[1]) / (triangles - base[0]):19.0f}" if base else ""
            base = base or (triangles, work)
            print(f"{triangles:10} {512:6} {work:14} {more}", flush=True)
        triangles, base = sphere(text, 16), None
        subprocess.run([TOOL, "convert", "-q", "--force", text, "-o", model], check=True)
        print(f"{'triangles':>10} {'side':>6} {'instructions':>14} {'of a pixel more':>19}")
        for side in (128, 512, 2048):
            work = instructions(folder, model, side)
            more = f"{(work - base[1]) / (side ** 2 - base[0]):19.0f}" if base else ""
            base = base or (side ** 2, work)
            print(f"{triangles:10} {side:6} {work:14} {more}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("files", nargs="*", type=Path, default=[ROOT / "samples/crane.glb"])
    args = parser.parse_args()
    if args.counts:
        count()
        return
    if not shutil.which("f3d") or not shutil.which("Xvfb"):
        sys.exit("bench_render.py: f3d and Xvfb are needed: apt-get install f3d xvfb")
    folder = args.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    server = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1024x1024x24"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    env = dict(os.environ, DISPLAY=DISPLAY)
    print(f"{'file':32} {'tenon user s':>12} {'MiB':>6} {'f3d user s':>11} {'MiB':>6} "
          f"{'CPU':>6} {'memory':>7}")
    try:
        for path in args.files:
            ours = [TOOL, "render", "-q", "--force", path, "-o", folder / f"{path.stem}.tenon.png"]
            theirs = ["f3d", path, "--output", folder / f"{path.stem}.f3d.png",
                      "--resolution", "512,512", "--no-background"]
            results = {"tenon": [], "f3d": []}
            for _ in range(args.runs):
                results["tenon"].append(measure(ours, env))
                results["f3d"].append(measure(theirs, env))
            median = {name: [statistics.median(column) for column in zip(*rows)]
                      for name, rows in results.items()}
            a, b = median["tenon"], median["f3d"]
            print(f"{path.name:32} {a[0]:12.3f} {a[2]:6.1f} {b[0]:11.3f} {b[2]:6.1f} "
                  f"{b[0] / max(a[0], 1e-3):5.1f}x {b[2] / a[2]:6.1f}x", flush=True)
    finally:
        server.terminate()
        server.wait()
        if not args.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
