#!/usr/bin/env python3
"""test_broken_gltf.py: where Khronos' glTF-Validator reports an error, `tenon check` does, too.

The files are those of tools/make_broken_gltf.py. None of them may crash the tool, keep it busy, or
make it take much memory. Needs Node and the packages that `npm ci --prefix tests/validator`
installs.

    python3 tests/test_broken_gltf.py [SEED [COUNT]]
"""
# SPDX-License-Identifier: MIT

import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import make_broken_gltf  # noqa: E402
import test_gltf_validator as validator  # noqa: E402

TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
TIMEOUT = 1800  # Seconds; only against hanging.
MEMORY_LIMIT = 512    # MiB; the files have 60 KiB at most.
PIECE = 50            # Files that the validator gets at once.
SEED, COUNT = 1, 300


# -- What is reported

def ask_tool(path):
    """The exit status, and what was found."""
    done = subprocess.run([TOOL, "check", "--json", str(path)], capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout


def run_validator(paths):
    """Its reports, up to the first file that it cannot read, and whether it was too slow there."""
    command = ["node", str(validator.VALIDATOR / "validate.mjs"), *map(str, paths)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
        output, is_slow = done.stdout, False
    except subprocess.TimeoutExpired as expired:
        output, is_slow = expired.stdout or b"", True
    lines = output.decode().split("\n")[:-1]
    return [json.loads(line) for line in lines], is_slow


def ask_validator(paths):
    """For each file, the codes of the validator's errors; None: the validator does not finish,
    for example where an accessor without bytes has two thousand million zeros."""
    verdicts = []
    while len(verdicts) < len(paths):
        reports, is_slow = run_validator(paths[len(verdicts):])
        verdicts += [["%s %s" % (issue["code"], issue["pointer"]) for issue in report["issues"]
                      if issue["severity"] == "error"] for report in reports]
        if len(verdicts) < len(paths):
            verdicts.append(None if is_slow else ["NOT_RECOGNIZED"])
    return verdicts


def memory_of_children():
    """The peak memory of one of them, in MiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


class Broken(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def make(self):
        """Path to what was changed."""
        made = {}
        make_broken_gltf.write_beside(self.folder)
        for name, data, what in make_broken_gltf.broken_files(SEED, COUNT):
            (self.folder / name).write_bytes(data)
            made[self.folder / name] = what
        return made

    def test_errors_are_found(self):
        made = self.make()
        paths, counts, missed = list(made), Counter(), []
        verdicts = {path: ask_tool(path) for path in paths}
        self.assertEqual([], [(path.name, status) for path, (status, _) in verdicts.items()
                              if status not in (0, 1)])
        self.assertLess(memory_of_children(), MEMORY_LIMIT)
        errors = [item for at in range(0, len(paths), PIECE)
                  for item in ask_validator(paths[at:at + PIECE])]
        for path, codes in zip(paths, errors):
            if codes is None:
                continue
            is_refused = verdicts[path][0] == 1
            counts[(bool(codes), is_refused)] += 1
            if codes and not is_refused:
                missed.append("%s: %s: %s" % (path.name, made[path], codes[:2]))
        print("%d files: %d are errors for both, %d for Tenon alone, %d for neither" % (
            len(paths), counts[True, True], counts[False, True], counts[False, False]))
        self.assertEqual([], missed)

    def test_the_same_seed_makes_the_same_files(self):
        first, again = (list(make_broken_gltf.broken_files(7, 20)) for _ in range(2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, list(make_broken_gltf.broken_files(8, 20)))


if __name__ == "__main__":
    reason = validator.why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(validator.SKIP_STATUS)
    numbers = [int(word) for word in sys.argv[1:3] if word.isdigit()]
    SEED, COUNT = (numbers + [SEED, COUNT][len(numbers):])[:2]
    unittest.main(argv=sys.argv[:1])
