#!/usr/bin/env python3
"""Measure a run of `tenon convert` over many small models.

    bench_batch.py BUILD WORK [--count N] [--rounds N]

BUILD holds `tenon` and `bench_many` (`cmake --build BUILD --target tenon_cli bench_many`). Prints
each run, then a table: what was measured, what it is compared with, the ratio, and what it should
be; the exit status is 1 if one of them is worse. Other load on the machine changes times; the load
is printed. WORK should be on a disk: in memory, flushing costs nothing. 100,000 models take about
five minutes, and 2 GB there.
"""
# SPDX-License-Identifier: MIT

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from batch_models import make_models  # noqa: E402

EXTENSION = "bplx"


# A new process has at least the peak of memory of the one that starts it: so that one is small.
MEASURE = """
import os, sys, time
begun = time.time()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(time.time() - begun, used.ru_utime, used.ru_maxrss * 1024, used.ru_stime)
sys.exit(status != 0)
"""


# Two processes that write half of the files each: what the file system gains by a second writer.
HALVES = '''"$0" write "$1" "$2" < "$3" & "$0" write "$1" "$2" < "$4" && wait $!'''


def measured(command, **more):
    """Seconds of wall time and of user CPU, the peak of memory in bytes, seconds of system CPU."""
    done = subprocess.run([sys.executable, "-ISc", MEASURE, *command], text=True,
                          stdout=subprocess.PIPE, **more)
    if done.returncode:
        sys.exit("%s failed" % " ".join(command))
    return tuple(float(word) for word in done.stdout.split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    tenon, many = given.build.resolve() / "tenon", given.build.resolve() / "bench_many"
    if not many.exists():
        sys.exit("%s is missing: cmake --build %s --target bench_many" % (many, given.build))
    work = given.work / "batch"
    shutil.rmtree(work, ignore_errors=True)
    source = work / "in"
    make_models(source, given.count)
    names = sorted(str(p.relative_to(source)) for p in source.rglob("*.glb"))
    rename = [name[:-3] + EXTENSION for name in names]
    (work / "convert.list").write_text("".join("%s\t%s\n" % p for p in zip(names, rename)))
    copied = ["%s\t%s\n" % (p, p) for p in rename]
    (work / "copy.list").write_text("".join(copied))
    halves = work / "first.list", work / "last.list"
    halves[0].write_text("".join(copied[:len(copied) // 2]))
    halves[1].write_text("".join(copied[len(copied) // 2:]))
    best = {}

    def measure(name, command, stdin=None):
        values = measured([str(word) for word in command], stdin=stdin and stdin.open())
        print("%-8s %8.2f s wall %8.2f s user %8.2f s system %8.1f MiB"
              % (name, values[0], values[1], values[3], values[2] / (1 << 20)), flush=True)
        best[name] = tuple(min(pair) for pair in zip(best.get(name, values), values))

    def convert(name, out, threads, *words):
        os.sync()
        measure(name, [tenon, "convert", "-q", "-r", source, "-o", str(out) + "/", "--to",
                       EXTENSION, "-j", threads, *words])

    # Nothing is removed before the end: ext4 does not use the numbers of removed files again for
    # minutes, and searches past them for each new file.
    for i in range(given.rounds):
        out, alone = work / ("out%d" % i), work / ("alone%d" % i)
        convert("-j 1", work / ("one%d" % i), 1)
        convert("-j 2", work / ("two%d" % i), 2)
        convert("first", out, 2, "--skip-unchanged")
        convert("second", out, 2, "--skip-unchanged")
        os.sync()
        measure("alone", [many, "convert", EXTENSION, source, alone], work / "convert.list")
        os.sync()
        measure("copies", [many, "write", out, work / ("copies%d" % i)], work / "copy.list")
        os.sync()
        measure("halves", ["sh", "-c", HALVES, many, out, work / ("halves%d" % i), *halves])
    same = subprocess.run(["diff", "-rq", out, alone], capture_output=True, text=True)
    different = [line for line in same.stdout.splitlines() if ".tenon-manifest" not in line]
    if different:
        sys.exit("the results differ: " + different[0])
    wall, user, memory, system = range(4)
    rows = (
        ("user CPU, against one by one in one process", best["-j 1"][user], best["alone"][user],
         1.2),
        ("all CPU, against one by one in one process", best["-j 1"][user] + best["-j 1"][system],
         best["alone"][user] + best["alone"][system], None),
        ("wall time of -j 2, against writing with the same flushes", best["-j 2"][wall],
         best["copies"][wall], 1.3),
        ("wall time of -j 2, against -j 1", best["-j 2"][wall], best["-j 1"][wall], 1 / 1.6),
        ("wall time of two processes that write, against one", best["halves"][wall],
         best["copies"][wall], None),
        ("wall time of a second run, against the first", best["second"][wall], best["first"][wall],
         0.05),
        ("memory, against 64 MiB and 400 bytes for each file",
         max(best[name][memory] for name in ("-j 1", "-j 2", "first", "second")),
         (64 << 20) + 400 * given.count, 1))
    print("%d models, load %.1f on %d processors" % (given.count, os.getloadavg()[0],
                                                    os.cpu_count()))
    failed = False
    for text, value, other, most in rows:
        ratio = value / other
        print("%-58s %14.2f %14.2f  %.3f  %s" % (text, value, other, ratio, "at most %.3f" % most
                                                 if most else ""))
        failed |= bool(most) and ratio > most
    shutil.rmtree(work)
    sys.exit(failed)


if __name__ == "__main__":
    main()
