#!/usr/bin/env python3
"""The library takes few instructions for a byte of a file, as `make bench` counts them.

    test_instructions.py FOLDER

FOLDER holds the programs of `make bench`. The targets are those of bench/bench_report.py, with a
margin for other versions of the compiler.
"""
# SPDX-License-Identifier: MIT

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import bench  # noqa: E402
import bench_report  # noqa: E402

MARGIN = 1.15
OPERATIONS = ("safe", "check", "scene")


def skip_reason():
    """The targets are for machines like the one they were set on."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed"
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "what this processor can do is unknown"
    return None if " avx2" in flags else "the processor has no AVX2"


def count_all(programs, folder):
    """A bench that has counted the instructions of all kinds of files that have a target."""
    work = bench.Bench(programs, folder, 1)
    for kind, extension, _ in bench.KINDS:
        if kind not in bench.TEXTS:
            bench.count_instructions(work, kind, extension, "-", OPERATIONS)
    return work


def main():
    reason = skip_reason()
    if reason:
        print("skipped: %s" % reason)
        return 77
    bench_report.MARGIN = MARGIN
    with tempfile.TemporaryDirectory() as folder:
        rows = list(bench_report.instruction_targets(count_all(sys.argv[1], folder)))
    for what, got, limit, holds in rows:
        print("%-7s %-52s %6s  %s" % ("ok" if holds else "TOO MANY", what, got, limit))
    return 0 if rows and all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
