#!/usr/bin/env python3
"""coverage.py: which lines and branches of src/ and cli/ the tests reached, from gcov's files.

Usage: coverage.py BUILD_FOLDER
"""
# SPDX-License-Identifier: MIT

import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def gcov_reports(build):
    """The JSON report of every object that ran."""
    counters = sorted(str(path.resolve()) for path in build.rglob("*.gcda"))
    with tempfile.TemporaryDirectory() as folder:
        command = ["gcov", "--json-format", "--branch-probabilities", "--hash-filenames"]
        subprocess.run(command + counters, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for path in Path(folder).glob("*.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as report:
                yield json.load(report)


def own_name(report, name):
    """The file's name relative to the project, or None if it is not of the library or the tool."""
    path = (Path(report["current_working_directory"]) / name).resolve()
    if ROOT not in path.parents:
        return None
    relative = path.relative_to(ROOT)
    return str(relative) if relative.parts[0] in ("src", "cli") else None


def collect(build):
    """name -> {line or branch: was it reached}, over all objects."""
    lines, branches = defaultdict(dict), defaultdict(dict)
    for report in gcov_reports(build):
        for source in report["files"]:
            name = own_name(report, source["file"])
            if name is None:
                continue
            for line in source["lines"]:
                number = line["line_number"]
                lines[name][number] = lines[name].get(number, False) or line["count"] > 0
                for i, branch in enumerate(line["branches"]):
                    reached = branches[name].get((number, i), False)
                    branches[name][number, i] = reached or branch["count"] > 0
    return lines, branches


def percent(reached):
    return 100.0 * sum(reached) / len(reached) if reached else 100.0


def missing(lines):
    return ",".join(str(number) for number in sorted(lines) if not lines[number])[:40]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines, branches = collect(Path(sys.argv[1]))
    print(f"{'file':40} {'lines':>7} {'branches':>9}  not reached")
    for name in sorted(lines):
        in_lines, in_branches = lines[name].values(), branches[name].values()
        print(f"{name:40} {percent(in_lines):6.1f}% {percent(in_branches):8.1f}%  "
              f"{missing(lines[name])}")
    all_lines = [reached for name in lines for reached in lines[name].values()]
    all_branches = [reached for name in branches for reached in branches[name].values()]
    print(f"{'all':40} {percent(all_lines):6.1f}% {percent(all_branches):8.1f}%")


if __name__ == "__main__":
    main()
