#!/usr/bin/env python3
"""test_hardening.py: the tool and tenon-import are linked and compiled with hardening options.

Skipped where readelf is not installed, and for builds that do not ask for hardening: those with
sanitizers or gcov, and those with TENON_HARDEN=OFF.
"""
# SPDX-License-Identifier: MIT

import os
import platform
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

TOOL = Path(os.environ.get("TENON", "build/release/tenon")).resolve()
BUILD = TOOL.parent
PROGRAMS = [path for path in (TOOL, BUILD / "tenon-import") if path.exists()]


def settings():
    """What this build was configured with."""
    cache = BUILD / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    return dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.M))


def skip_reason():
    found = settings()
    if not shutil.which("readelf"):
        return "readelf is not installed"
    if not TOOL.exists() or TOOL.read_bytes()[:4] != b"\x7fELF":
        return "the tool is not an ELF program"
    if found.get("TENON_HARDEN") != "ON":
        return "this build is not hardened"
    flags = found.get("CMAKE_C_FLAGS", "") + found.get("CMAKE_EXE_LINKER_FLAGS", "")
    if re.search("-fsanitize|--coverage", flags):
        return "sanitizers and gcov do their own checks"
    return None


def readelf(*words):
    return subprocess.run(["readelf", "-W", *map(str, words)], check=True, capture_output=True,
                          text=True).stdout


class Hardening(unittest.TestCase):
    def test_programs_are_position_independent(self):
        for program in PROGRAMS:
            self.assertRegex(readelf("-h", program), r"Type: +DYN", program.name)
            self.assertRegex(readelf("-d", program), r"FLAGS_1.*\bPIE\b", program.name)

    def test_tables_of_addresses_are_read_only(self):
        for program in PROGRAMS:
            self.assertIn("GNU_RELRO", readelf("-l", program), program.name)
            self.assertRegex(readelf("-d", program), r"FLAGS_1.*\bNOW\b", program.name)
            self.assertNotIn("TEXTREL", readelf("-d", program), program.name)

    def test_no_memory_is_writable_and_executable(self):
        for program in PROGRAMS:
            table = readelf("-l", program)
            segments = re.findall(r"^ +(LOAD|GNU_STACK) .* ([R ][W ][E ]) +0x", table, re.M)
            self.assertTrue(segments, program.name)
            self.assertFalse([s for s in segments if s[1][1:] == "WE"], program.name)

    def test_the_stack_is_protected(self):
        for program in PROGRAMS:
            self.assertIn("__stack_chk_fail", readelf("-s", program), program.name)

    @unittest.skipUnless(platform.libc_ver()[0] == "glibc", "the C library checks no buffers")
    def test_buffers_are_checked(self):
        if settings().get("CMAKE_BUILD_TYPE") not in ("Release", "RelWithDebInfo", "MinSizeRel"):
            self.skipTest("buffers are checked in optimized builds")
        for program in PROGRAMS:
            self.assertRegex(readelf("-s", program), r"\b__v?snprintf_chk\b", program.name)

    @unittest.skipUnless(platform.machine() == "x86_64", "shadow stacks are those of x86-64")
    def test_every_object_of_ours_takes_a_shadow_stack(self):
        if settings().get("TENON_HAS_CF_PROTECTION") != "1":
            self.skipTest("the compiler does not know shadow stacks")
        objects = [path for name in ("tenon_objects", "tenon_cli_objects", "tenon_import")
                   for path in BUILD.rglob("%s.dir/**/*.c.o" % name)]
        self.assertGreater(len(objects), 100)
        notes = readelf("-n", *objects)
        without = [part.split("\n")[0] for part in notes.split("\nFile: ")[1:]
                   if "SHSTK" not in part]
        self.assertEqual(without, [])


if __name__ == "__main__":
    REASON = skip_reason()
    if REASON:
        print("skipped: %s" % REASON)
        sys.exit(77)
    unittest.main()
