#!/usr/bin/env python3
"""test_gltf_suite.py: `tenon check` agrees with the reports of Khronos' own test suite.

The suite is the folder gltf-validator of the real files: files, each with the report that
Khronos' glTF-Validator has to give. The result is the table in docs/formats/gltf.md.

    python3 tests/test_gltf_suite.py [--update]
"""
# SPDX-License-Identifier: MIT

import json
import os
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from real_files import CORPUS, NOT_SET  # noqa: E402

TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
DOCUMENT = ROOT / "docs/formats/gltf.md"
PART = re.compile(r"(<!-- suite: .*? -->\n\n)(.*?)(\n<!-- end of suite -->)", re.S)
TIMEOUT = 1800  # Seconds; only against hanging.
SKIPPED = 77
ERROR, WARNING = 0, 1  # Severities in Khronos' reports.

# Files with errors that Tenon does not find, and why.
MISSED = {}


class Judged:
    """A file of the suite, what Khronos reports for it, and what Tenon reports."""

    def __init__(self, path, ours):
        self.name = str(path.relative_to(CORPUS / "gltf-validator"))
        report = json.loads(Path(f"{path}.report.json").read_text(encoding="utf-8"))
        self.theirs = report["issues"]["messages"]
        self.findings = ours.get("findings", [])
        self.is_refused = "error" in ours
        self.is_bad = any(issue["severity"] == ERROR for issue in self.theirs)
        self.errors = [item for item in self.findings if item["severity"] == "error"]

    @property
    def folder(self):
        """base/mesh or ext/KHR_materials_ior."""
        parts = Path(self.name).parts
        return f"base/{parts[2]}" if parts[0] == "base" else f"ext/{parts[1]}"

    @property
    def is_called_bad(self):
        return self.is_refused or bool(self.errors)

    @property
    def verdict(self):
        if self.is_bad == self.is_called_bad:
            return "agreed"
        return "missed" if self.is_bad else "false"

    def is_reported(self, issue):
        """Whether a finding of Tenon's is at the place of the issue, in it, or around it. Issues
        of containers have no place in the text."""
        place = issue.get("pointer")
        return self.is_refused or any(
            place is None or (item["path"] + "/").startswith(place + "/") or
            (place + "/").startswith(item["path"] + "/") for item in self.findings)

    def warnings(self):
        """How many of Khronos' warnings Tenon has a finding for, and how many there are."""
        warnings = [issue for issue in self.theirs if issue["severity"] == WARNING]
        return sum(map(self.is_reported, warnings)), len(warnings)


def judge_all():
    folder = CORPUS / "gltf-validator"
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".gltf", ".glb")
                   and Path(f"{path}.report.json").is_file())
    done = subprocess.run([TOOL, "check", "--json", *map(str, paths)], capture_output=True,
                          text=True, timeout=TIMEOUT, check=False)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if len(reports) != len(paths):
        sys.exit(f"{len(paths)} files, but {len(reports)} reports: {done.stderr}")
    return [Judged(path, report) for path, report in zip(paths, reports)]


def table(judged):
    lines = ["| folder | files | agreed | missed | false | warnings |", "|---|---|---|---|---|---|"]
    folders = sorted({item.folder for item in judged})
    for folder in folders + ["all"]:
        files = [item for item in judged if folder in ("all", item.folder)]
        counts = Counter(item.verdict for item in files)
        found, total = map(sum, zip(*(item.warnings() for item in files)))
        verdicts = " | ".join(str(counts[word]) for word in ("agreed", "missed", "false"))
        lines.append(f"| {folder} | {len(files)} | {verdicts} | {found} of {total} |")
    return "\n".join(lines) + "\n"


class Suite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.judged = judge_all()

    def test_there_is_no_false_error(self):
        self.assertEqual({}, {item.name: [(error["rule"], error["path"]) for error in item.errors]
                              for item in self.judged if item.verdict == "false"})

    def test_every_error_is_found(self):
        missed = {item.name: [issue["code"] for issue in item.theirs if issue["severity"] == ERROR]
                  for item in self.judged if item.verdict == "missed"}
        self.assertEqual({}, {name: codes for name, codes in missed.items() if name not in MISSED})
        self.assertEqual([], [name for name in MISSED if name not in missed], "they are found")

    def test_the_table_is_that_of_the_document(self):
        self.assertEqual(PART.search(DOCUMENT.read_text(encoding="utf-8"))[2], table(self.judged),
                         "run tests/test_gltf_suite.py --update")


def update():
    text = DOCUMENT.read_text(encoding="utf-8")
    changed = PART.sub(lambda part: part[1] + table(judge_all()) + part[3], text)
    DOCUMENT.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    if not CORPUS or not (CORPUS / "gltf-validator").is_dir():
        print("skipped: " + (NOT_SET if not CORPUS else "there is no folder gltf-validator"))
        sys.exit(SKIPPED)
    if "--update" in sys.argv[1:]:
        update()
    else:
        unittest.main()
