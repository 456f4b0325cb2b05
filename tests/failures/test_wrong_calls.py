#!/usr/bin/env python3
"""test_wrong_calls.py: every public function has a test that calls it wrongly.

Such a call is one in tests/formats/test_api_wrong.c, one with NULL as its first argument, or one of
which a CHECK() says that it fails. Functions that can only be called rightly are listed here.
Where an argument has to be right, the comment of the header says that it must, and no test calls it
otherwise.
"""
# SPDX-License-Identifier: MIT

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import headers  # noqa: E402

WITHOUT_ARGUMENTS = {"tenon_version", "tenon_system_files", "tenon_stdin"}
WITH_DUTIES = {"tenon_pose_global", "tenon_pose_palette", "tenon_pose_skin",
               "tenon_pose_clip_bounds", "tenon_gpb_glyph_at"}
FAILURE = r"!%s\(|\b%s\((?:[^()]|\([^()]*\))*\) == (?:NULL|TENON_NONE|TENON_ABSENT)"
CALL = r"\b(tenon_\w+)\("


def wrongly_called():
    """The functions that a test calls wrongly."""
    found = set()
    for path in [*(ROOT / "tests").rglob("*.c"), *(ROOT / "tests").rglob("*.h")]:
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        if path.name == "test_api_wrong.c":
            found.update(re.findall(CALL, text))
        found.update(re.findall(CALL + r"NULL\b", text))
        for check in re.findall(r"\bCHECK\(.*?;", text, re.S):
            found.update(name for name in re.findall(CALL, check)
                         if name not in found and re.search(FAILURE % (name, name), check))
    return found


def duties():
    """The functions whose comments say that something must be right."""
    return {name for header in headers.names() for block in headers.blocks(header)
            for name in headers.functions(block.code)
            if re.search(r"\bmust\b", " ".join(block.text))}


def main():
    functions = set(headers.every_function())
    faults = [f"{name}: no test calls it wrongly"
              for name in sorted(functions - wrongly_called() - WITHOUT_ARGUMENTS
                                 - WITH_DUTIES)]
    faults += [f"{name}: its comment does not say what must be right"
               for name in sorted(WITH_DUTIES - duties())]
    faults += [f"{name}: listed here, but not public"
               for name in sorted((WITHOUT_ARGUMENTS | WITH_DUTIES) - functions)]
    print("\n".join([*faults, f"{len(functions)} public functions, {len(faults)} faults"]))
    return 1 if faults or len(functions) < 90 else 0


if __name__ == "__main__":
    sys.exit(main())
