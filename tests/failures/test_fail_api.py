#!/usr/bin/env python3
"""test_fail_api.py: every public function is called while memory runs out and files fail.

A function that the headers declare and that tests/robust*.[ch] and the headers they share with the
fuzzers do not call is an error, so that no new function is left out.
"""
# SPDX-License-Identifier: MIT

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DECLARED = re.compile(r"TENON_API\s[^;]*?\b(tenon_\w+)\s*\(")


def declared():
    """The functions of all public headers."""
    return {name for header in (ROOT / "include/tenon").glob("*.h")
            for name in DECLARED.findall(header.read_text())}


def called():
    tests = ROOT / "tests"
    sources = [*tests.glob("robust*.[ch]"), tests / "edits.h", tests / "api_walk.h"]
    text = "".join(path.read_text() for path in sources)
    return set(re.findall(r"\b(tenon_\w+)\s*\(", re.sub(r"//[^\n]*", "", text)))


def main():
    functions = declared()
    missing = sorted(functions - called())
    for name in missing:
        print(f"{name}: nothing calls it while memory runs out and files fail")
    print(f"{len(functions)} public functions, {len(missing)} of them untried")
    return 1 if missing or len(functions) < 90 else 0


if __name__ == "__main__":
    sys.exit(main())
