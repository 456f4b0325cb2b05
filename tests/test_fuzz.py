#!/usr/bin/env python3
"""test_fuzz.py: all that is read, written or public has a fuzz target, and the ledger adds up."""
# SPDX-License-Identifier: MIT

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
# With BBMOD; from fonts of GPB; from documents only.
WRITTEN_WITH_OTHERS = {"bbanim", "fnt", "fbx"}

NOT_FUZZED = {
    "tenon_budget_give_back": "called by the library wherever memory is freed",
    "tenon_budget_take": "called by the library wherever memory is allocated",
    "tenon_budget_work": "called by the library wherever steps are counted",
    "tenon_rule_at": "a table, which no input changes",
    "tenon_stdin": "a number",
    "tenon_version": "a constant",
}

sys.path.insert(0, str(ROOT / "tools"))
import fuzz  # noqa: E402
import fuzz_seeds  # noqa: E402


def formats():
    lines = subprocess.run([TOOL, "formats", "--json"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def has_sanitizers():
    """Whether clang is installed with its libraries for sanitizers."""
    words = ["clang", "-fsanitize=fuzzer,address", "-x", "c", "-", "-o", os.devnull]
    program = "int LLVMFuzzerTestOneInput(const void *data, long size) { return !data || !size; }"
    return bool(shutil.which("clang")) and subprocess.run(
        words, input=program, text=True, capture_output=True, check=False).returncode == 0


class Presets(unittest.TestCase):
    @unittest.skipUnless(has_sanitizers(), "clang and its sanitizers are not installed")
    def test_each_can_be_configured_from_nothing(self):
        for preset in ("fuzz", "fuzz-quick"):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(["cmake", "--preset", preset, "-B", folder], cwd=ROOT,
                                      capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, preset + ": " + done.stderr)


class Targets(unittest.TestCase):
    def setUp(self):
        self.names = {target.name for target in fuzz.targets()}

    def test_every_reader_has_one(self):
        for form in formats():
            if form.get("read") and "dialects" in form:
                self.assertIn("read." + form["name"], self.names)

    def test_every_writer_has_one(self):
        for form in formats():
            if form.get("write") and form["name"] not in WRITTEN_WITH_OTHERS:
                self.assertIn("write." + form["name"], self.names)

    def test_every_program_is_used(self):
        programs = {path.stem for path in (ROOT / "fuzz").glob("fuzz_*.c")}
        self.assertEqual(programs, {target.program for target in fuzz.targets()})

    def test_every_target_has_seeds(self):
        for target in fuzz.targets():
            if target.format != "mtl":  # Material libraries are written beside a model.
                self.assertTrue(list(fuzz.seed_files(target, [])), target.name)


    def test_seeds_are_fresh(self):
        self.assertEqual(fuzz_seeds.stale(), [], "tools/fuzz_seeds.py makes others")


def without_comments(path):
    return re.sub(r"//.*", "", path.read_text())


class PublicFunctions(unittest.TestCase):
    def setUp(self):
        self.functions = set()
        for header in (ROOT / "include/tenon").glob("*.h"):
            self.functions.update(re.findall(r"TENON_API[^;]*?\b(tenon_\w+)\(",
                                             without_comments(header)))
        shared = ["robust_properties.h", "edits.h", "api_walk.h"]
        sources = [*(ROOT / "fuzz").glob("*.[ch]"), *(ROOT / "tests" / name for name in shared)]
        self.called = {name for path in sources
                       for name in re.findall(r"\b(tenon_\w+)\(", without_comments(path))}

    def test_every_one_is_fuzzed(self):
        self.assertGreater(len(self.functions), 100)
        self.assertEqual(self.functions - self.called - set(NOT_FUZZED), set())

    def test_exceptions_are_needed(self):
        self.assertEqual(set(NOT_FUZZED) - (self.functions - self.called), set())


class Ledger(unittest.TestCase):
    def test_it_adds_up(self):
        seconds = executions = 0
        rows = re.findall(r"^\| \d{4}-\d\d-\d\d \|.*$", (ROOT / "docs/robustness.md").read_text(),
                          re.MULTILINE)
        self.assertTrue(rows)
        for row in rows:
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            if "not CPU" not in cells[3]:
                seconds += fuzz.unspoken(cells[3])
            executions += int(cells[4].replace(",", ""))
            self.assertEqual(fuzz.unspoken(cells[6]), seconds, row)
            self.assertEqual(int(cells[7].replace(",", "")), executions, row)


if __name__ == "__main__":
    unittest.main()
