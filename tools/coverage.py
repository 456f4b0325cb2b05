#!/usr/bin/env python3
"""coverage.py: which lines and branches of the library the tests reached, from gcov's files.

A line whose comment is `// unreachable: why` holds code that no input and no caller can
reach. Its unreached branches are counted separately. A mark on a line that was reached in full is
an error, so that marks do not outlive their reason.
"""
# SPDX-License-Identifier: MIT

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"// unreachable: \S")
MARKED_MOST = 1.0  # Percent of all branches.
WORST = 20  # Files that are listed.


class File:
    """The coverage of one source file: which lines and branches (line, index) were reached."""

    def __init__(self):
        self.lines = {}
        self.branches = {}
        self.marked = set()  # Lines.
        self.text = []

    def add(self, line):
        number = line["line_number"]
        self.lines[number] = self.lines.get(number, False) or line["count"] > 0
        for i, branch in enumerate(line["branches"]):
            reached = self.branches.get((number, i), False)
            self.branches[number, i] = reached or branch["count"] > 0

    def read(self, path):
        self.text = path.read_text(encoding="utf-8").splitlines()
        self.marked = {n for n, text in enumerate(self.text, 1) if MARK.search(text)}

    def missed_branches(self):
        """Line -> how many of its branches were not reached."""
        missed = defaultdict(int)
        for (number, _), reached in self.branches.items():
            missed[number] += not reached
        return {number: count for number, count in missed.items() if count}

    def missed_lines(self):
        return {number for number, reached in self.lines.items() if not reached}

    def stale_marks(self):
        return sorted(self.marked - self.missed_lines() - set(self.missed_branches()))


class Count:
    """How many of how many, of which some are marked."""

    def __init__(self, total=0, missed=0, marked=0):
        self.total, self.missed, self.marked = total, missed, marked

    def __iadd__(self, other):
        self.total += other.total
        self.missed += other.missed
        self.marked += other.marked
        return self

    def percent(self):
        most = self.total - self.marked
        return 100.0 * (most - self.missed) / most if most else 100.0

    def marked_percent(self):
        return 100.0 * self.marked / self.total if self.total else 0.0


def gcov_reports(build):
    """The JSON report of every object that ran."""
    counters = sorted(str(path.resolve()) for path in build.rglob("*.gcda"))
    if not counters:
        sys.exit(f"coverage.py: {build}: no test has run here")
    with tempfile.TemporaryDirectory() as folder:
        command = ["gcov", "--json-format", "--branch-probabilities", "--hash-filenames"]
        subprocess.run(command + counters, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for path in Path(folder).glob("*.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as report:
                yield json.load(report)


def own_name(report, name):
    """The file's name relative to the project, or None if it is not part of the library."""
    path = (Path(report["current_working_directory"]) / name).resolve()
    if ROOT not in path.parents:
        return None
    relative = path.relative_to(ROOT)
    return str(relative) if relative.parts[0] == "src" else None


def collect(build):
    """Name -> File, over all objects: a header is in several."""
    files = defaultdict(File)
    for report in gcov_reports(build):
        for source in report["files"]:
            name = own_name(report, source["file"])
            for line in source["lines"] if name else []:
                files[name].add(line)
    for name, file in files.items():
        file.read(ROOT / name)
    return files


def count_lines(file):
    missed = file.missed_lines()
    return Count(len(file.lines), len(missed - file.marked), len(missed & file.marked))


def count_branches(file):
    missed = file.missed_branches()
    marked = sum(count for number, count in missed.items() if number in file.marked)
    return Count(len(file.branches), sum(missed.values()) - marked, marked)


def total(files, count):
    result = Count()
    for file in files.values():
        result += count(file)
    return result


def print_worst(files):
    missed = {name: count_branches(file).missed for name, file in files.items()}
    print(f"{'most branches not reached':54} {'lines':>7} {'branches':>9} {'left':>5}")
    for name in sorted(missed, key=lambda name: (-missed[name], name))[:WORST]:
        file = files[name]
        print(f"{name:54} {count_lines(file).percent():6.1f}% "
              f"{count_branches(file).percent():8.1f}% {missed[name]:5}")


def print_missed(name, file):
    branches = file.missed_branches()
    for number in sorted(set(branches) | file.missed_lines()):
        if number in file.marked:
            continue
        what = "line" if not file.lines.get(number, True) else f"{branches[number]} of branches"
        print(f"{name}:{number}: {what}: {file.text[number - 1].strip()}")


def faults(files, require):
    """What is wrong, as lines of text."""
    for name in sorted(files):
        for number in files[name].stale_marks():
            yield f"{name}:{number}: marked as unreachable, but reached"
    if not require:
        return
    lines, branches = total(files, count_lines), total(files, count_branches)
    if lines.percent() < require[0]:
        yield f"less than {require[0]:g} % of the lines are reached"
    if branches.percent() < require[1]:
        yield f"less than {require[1]:g} % of the branches are reached"
    if branches.marked_percent() > MARKED_MOST:
        yield f"more than {MARKED_MOST:g} % of the branches are marked as unreachable"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path, help="the folder in which the tests ran")
    parser.add_argument("--require", nargs=2, type=float, metavar=("LINES", "BRANCHES"),
                        help="fail if less is reached, in percent, or if more than "
                        f"{MARKED_MOST:g} %% of all branches are marked")
    parser.add_argument("--show", metavar="TEXT", help="print every line that was not reached in "
                        "full, in the files whose name contains TEXT")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    files = collect(arguments.build)
    if arguments.show:
        for name in sorted(files):
            if arguments.show in name:
                print_missed(name, files[name])
        return 0
    print_worst(files)
    lines, branches = total(files, count_lines), total(files, count_branches)
    print(f"library: {lines.percent():.2f} % of {lines.total} lines, "
          f"{branches.percent():.2f} % of {branches.total} branches; marked as unreachable: "
          f"{branches.marked} branches ({branches.marked_percent():.2f} %), {lines.marked} lines")
    found = list(faults(files, arguments.require))
    for fault in found:
        print(f"coverage.py: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
