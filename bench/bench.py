#!/usr/bin/env python3
"""Compare Tenon with the limits of the machine, and write docs/performance.md.

    bench.py BUILD WORK [--out FILE] [--rounds N] [--without-big] [--only KIND,...] [--restart]
             [--note TEXT] [--conversions] [--before TOOL]

BUILD holds the programs of `make bench`, WORK gets the files, up to 1 GB at a time, and what was
measured: a run that was interrupted continues where it stopped; `--restart` forgets it. All that
is compared is measured in turns, in one run. Times depend on the machine and on its other load;
counts of instructions do not.
"""
# SPDX-License-Identifier: MIT

import argparse
import json
import math
import os
import pickle
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bench_convert import (count_samples, measure_growth, measure_models,  # noqa: E402
                           measure_real_files)
from bench_report import write_conversions, write_report  # noqa: E402

MB = 1000 * 1000
SIZES = (MB, 100 * MB, 1000 * MB)
# Kind, extension, what it is converted to.
KINDS = (("bbmod", "bbmod", "glb"), ("bbanim", "bbanim", "glb"), ("gpb", "gpb", "glb"),
         ("gpb-motion", "gpb", "glb"), ("bmw", "bmw", "glb"), ("modeldata", "cea", "glb"),
         ("bplx", "bplx", "glb"), ("glb", "glb", "bbmod"), ("obj", "obj", "glb"))
TEXTS = ("glb", "obj")  # Not made with 1 GB.
COUNTED = ("read", "safe", "check", "scene", "convert")
ANONYMOUS_MOST = 16 * MB
# So that a block of bytes counts as the few instructions that it takes on a machine without
# special ones for that.
TUNABLES = ("glibc.cpu.x86_rep_stosb_threshold=1000000000:"
            "glibc.cpu.x86_rep_movsb_threshold=1000000000")


MEASURED = ("times", "instructions", "processes", "memory", "scaling", "conversions", "converting",
            "growth", "corpus", "samples", "before", "done")


class Bench:
    """The programs, the folder, and what was measured."""

    def __init__(self, build, work, rounds):
        self.build, self.work, self.rounds = Path(build), Path(work), rounds
        self.times = {}         # (kind, size): {operation: (least, median, peak)}, and "bytes".
        self.instructions = {}  # kind: {operation: per byte}
        self.processes = {}     # name: (least, median)
        self.memory = {}        # kind: {command: bytes of anonymous memory, at most}
        self.scaling = {}       # name: [(items, instructions for each)]
        self.conversions = {}   # model: {conversion: (user CPU, memory, bytes)}
        self.converting = {}    # model: {conversion: instructions}
        self.growth = {}        # (what is doubled, target): instructions, times those before
        self.corpus = {}        # mode: (slowest, largest, count)
        self.samples = {}       # (target, mode): (samples for each key, exports, comparisons)
        self.before = None      # User CPU of an older tool, that of this one, number of files
        self.done = set()       # Steps, by name.

    def step(self, name, work, *arguments):
        """Do a step once, even if the run is interrupted."""
        if name in self.done:
            return
        say(name)
        work(self, *arguments)
        self.done.add(name)
        self.saved().write_bytes(pickle.dumps({key: getattr(self, key) for key in MEASURED}))

    def large_rounds(self):
        """For files of 1 GB, which take long."""
        return max(3, self.rounds * 2 // 3)

    def saved(self):
        return self.work / "measured.pickle"

    def resume(self):
        if self.saved().exists():
            self.__dict__.update(pickle.loads(self.saved().read_bytes()))

    def program(self, name):
        return str(self.build / name)

    def path(self, kind, extension, size):
        return self.work / ("%s_%d.%s" % (kind.replace("-", "_"), size, extension))

    def make(self, kind, extension, size):
        path = self.path(kind, extension, size)
        if not path.exists():
            run([self.program("make_big_models"), kind, str(size), str(path)])
        return path


def run(command, **more):
    """What it prints; a failure ends the run, since a number would be missing."""
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def model_for(bench, kind):
    """An animation needs a model."""
    return [str(bench.make("bbmod", "bbmod", 1000))] if kind == "bbanim" else []


def measure_file(bench, kind, extension, to, size):
    """All operations on one file, in turns."""
    path = bench.make(kind, extension, size)
    out = bench.work / ("out." + extension)
    if size == SIZES[2]:
        to = "-"
    rounds = bench.rounds if size < SIZES[2] else bench.large_rounds()
    text = run([bench.program("tenon_bench"), "run", str(rounds), str(path), str(out), to]
               + model_for(bench, kind))
    row = {"bytes": path.stat().st_size}
    for line in text.splitlines():
        name, least, median, peak = line.split()
        row[name] = (float(least), float(median), int(peak))
    bench.times[kind, size] = row
    out.unlink(missing_ok=True)


def callgrind(command, *options):
    """How many instructions a program takes, whatever its status."""
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(words + list(options) + command, check=False, capture_output=True,
                          text=True, env=dict(os.environ, GLIBC_TUNABLES=TUNABLES))
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def instructions_of(bench, op, path, to, model):
    """Of one operation."""
    command = [bench.program("tenon_bench"), "once", op, str(path), str(bench.work / "out"), to]
    return callgrind(command + model, "--toggle-collect=bench_measured")


def count_instructions(bench, kind, extension, to, operations=COUNTED):
    """Instructions for each byte of the smallest file."""
    path = bench.make(kind, extension, SIZES[0])
    counts = bench.instructions.setdefault(kind, {})
    for op in operations:
        collected = instructions_of(bench, op, path, to, model_for(bench, kind))
        counts[op] = collected / path.stat().st_size


def count_welding(bench):
    """Scenes of BBMOD, for each corner: finding equal vertices is most of it."""
    rows = bench.scaling["welding, for a corner"] = []
    for size in (MB, 2 * MB, 4 * MB):
        path = bench.make("bbmod", "bbmod", size)
        corners = json.loads(run([bench.program("tenon"), "info", "--json", str(path)]))["vertices"]
        rows.append((corners, instructions_of(bench, "scene", path, "-", []) / corners))


def count_verifying(bench, name, factor):
    """A model and a larger one, for each triangle."""
    rows = bench.scaling[name] = []
    tenon, other = bench.program("tenon"), str(bench.work / "larger.glb")
    for size in (MB // 2, MB, 2 * MB):
        path = str(bench.make("obj", "obj", size))
        run([tenon, "convert", "--force", "--scale", factor, path, other])
        triangles = json.loads(run([tenon, "info", "--json", path]))["triangles"]
        rows.append((triangles, callgrind([tenon, "verify", path, other]) / triangles))


def wavy_sheet(cells, shift):
    """A square as OBJ; with a shift, other points of the same surface."""
    rows, lines = range(cells + 1), []
    for j in rows:
        for i in rows:
            x, y = [(k + (shift if 0 < k < cells else 0)) / cells for k in (i, j)]
            lines.append("v %.7g %.7g %.7g" % (x, y, 0.05 * math.sin(9 * x) * math.cos(7 * y)))
    for j in range(cells):
        for a in range(1 + j * (cells + 1), 1 + j * (cells + 1) + cells):
            lines.append("f %d %d %d\nf %d %d %d" % (a, a + 1, a + cells + 2,
                                                     a, a + cells + 2, a + cells + 1))
    return "\n".join(lines) + "\n"


def count_surfaces(bench):
    """The same surface, cut into other triangles: nothing matches, and the size of the distances
    beside that of the triangles stays the same."""
    rows = bench.scaling["`verify` of sheets by surface, for a triangle"] = []
    for cells in (50, 100, 200):
        paths = [bench.work / name for name in ("sheet.obj", "other.obj")]
        for path, shift in zip(paths, (0, 0.3)):
            path.write_text(wavy_sheet(cells, shift))
        count = callgrind([bench.program("tenon"), "verify"] + [str(path) for path in paths])
        rows.append((2 * cells * cells, count / (2 * cells * cells)))


def measure_scaling(bench):
    """The cost of a model twice as large."""
    count_welding(bench)
    count_verifying(bench, "`verify` by corner, for a triangle", "1.0001")
    count_verifying(bench, "`verify` by surface, for a triangle", "1.002")
    count_surfaces(bench)


def limit_memory(most):
    """For a child: the heap and all private mappings that can be written to."""
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def fits(bench, command, path, most):
    """Whether the tool can do its work with so much anonymous memory."""
    done = subprocess.run([bench.program("tenon"), command, str(path)], capture_output=True,
                          preexec_fn=limit_memory(most), check=False)
    return done.returncode == 0


def measure_memory(bench, kind, extension, size):
    """The least limit, in powers of two and the allowed one, with which info and check work."""
    path = bench.make(kind, extension, size)
    limits = [1 << k for k in range(20, 24)] + [ANONYMOUS_MOST] + [1 << k for k in range(25, 34)]
    for command in ("info", "check"):
        least = next((most for most in limits if fits(bench, command, path, most)), None)
        bench.memory.setdefault(kind, {})[command] = least


def time_processes(bench, rounds, commands):
    """Whole programs, in turns; `commands` has a name for each."""
    words = [bench.program("tenon_bench"), "process", str(rounds)]
    for command in commands.values():
        words += command + ["--"]
    for name, line in zip(commands, run(words).splitlines()):
        bench.processes[name] = tuple(float(number) for number in line.split())


def measure_start(bench):
    """The cost of starting the tool."""
    tiny = bench.make("bbanim", "bbanim", 1)
    small = bench.make("gpb", "gpb", 3 * MB)
    tenon = bench.program("tenon")
    time_processes(bench, 101, {"empty": [bench.program("bench_empty")],
                                "info 2 KB": [tenon, "info", str(tiny)],
                                "info 3 MB": [tenon, "info", str(small)]})


def measure_assimp(bench, size):
    """Assimp with the formats that both support, each program as a whole."""
    tenon, out = bench.program("tenon"), str(bench.work / "out")
    for kind in TEXTS:
        path = str(bench.make(kind, kind, size))
        time_processes(bench, max(3, bench.rounds // 3), {
            "tenon check %s %d" % (kind, size): [tenon, "check", path],
            "assimp info %s %d" % (kind, size): ["assimp", "info", path, "--raw"],
            "tenon convert %s %d" % (kind, size):
                [tenon, "convert", "--force", path, out + ".bbmod"],
            "assimp export %s %d" % (kind, size): ["assimp", "export", path, out + ".glb"]})


def measure_large(bench, kind, extension, to):
    """1 GB, which is removed afterwards."""
    measure_memory(bench, kind, extension, SIZES[2])
    measure_file(bench, kind, extension, to, SIZES[2])
    bench.path(kind, extension, SIZES[2]).unlink()


def measure_conversion_part(bench, before):
    if not bench.scaling:
        bench.step("scaling", measure_scaling)
    bench.step("growth", measure_growth, callgrind)
    if shutil.which("assimp"):
        bench.step("conversions", measure_models, callgrind)
    bench.step("samples", count_samples)
    bench.step("real files", measure_real_files, before)


def measure_all(bench, only, with_big, before):
    """Everything, the largest files last and one at a time."""
    kinds = [row for row in KINDS if not only or row[0] in only]
    for kind, extension, to in kinds:
        bench.step("%s: instructions" % kind, count_instructions, kind, extension, to)
        for size in SIZES[:2]:
            bench.step("%s: %d MB" % (kind, size // MB), measure_file, kind, extension, to, size)
        if kind not in TEXTS:
            bench.path(kind, extension, SIZES[1]).unlink(missing_ok=True)
    bench.step("scaling", measure_scaling)
    bench.step("starting", measure_start)
    measure_conversion_part(bench, before)
    for kind, extension, to in kinds if with_big else ():
        if kind not in TEXTS:
            bench.step("%s: 1 GB" % kind, measure_large, kind, extension, to)
    for size in SIZES[:2] if shutil.which("assimp") else ():
        bench.step("assimp: %d MB" % (size // MB), measure_assimp, size)


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--out", default="docs/performance.md")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    parser.add_argument("--without-big", action="store_true")
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--conversions", action="store_true",
                        help="measure these only, and replace their part of the report")
    parser.add_argument("--before", help="an older tool, to compare conversions of real files with")
    parser.add_argument("--note", default="", help="what else is to be known of this run")
    options = parser.parse_args()
    Path(options.work).mkdir(parents=True, exist_ok=True)
    bench = Bench(options.build, options.work, options.rounds)
    if not options.restart:
        bench.resume()
    if options.conversions:
        measure_conversion_part(bench, options.before)
        print(write_conversions(bench, options.out))
        return
    measure_all(bench, [name for name in options.only.split(",") if name], not options.without_big,
                options.before)
    print(write_report(bench, options.out, options.note))


if __name__ == "__main__":
    main()
