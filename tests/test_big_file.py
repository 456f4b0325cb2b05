#!/usr/bin/env python3
"""test_big_file.py: `tenon info` on a gigabyte needs little memory and reads few pages.

The files are sparse, so they need no disk space. A limit of the system keeps memory below 16 MB;
at most one page was read for each page fault.
"""
# SPDX-License-Identifier: MIT

import os
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
GIGABYTE = 1 << 30
MEMORY = 16 << 20
PARTS = 1000


def header(vertices):
    return b"BPLX" + struct.pack("<5I", 1, vertices, 0, 1, 0)


def write_one_part(file):
    vertices = GIGABYTE // 32
    file.write(header(vertices))
    file.truncate(24 + 32 * vertices + 8)


def write_many_parts(file):
    keys = GIGABYTE // PARTS // 48
    file.write(header(0) + struct.pack("<2I", 0, PARTS))
    for _ in range(PARTS):
        file.write(struct.pack("<I4sfI", 4, b"clip", 1.0, keys))
        file.seek(48 * keys, os.SEEK_CUR)
    file.truncate(file.tell())


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


class Gigabyte(unittest.TestCase):
    def info(self, write):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "big.bplx")
            with open(path, "wb") as file:
                write(file)
            if path.stat().st_blocks * 512 > 64 << 20:
                self.skipTest("the file system has no sparse files")
            process = subprocess.Popen([TOOL, "info", str(path)], stdout=subprocess.PIPE,
                                       preexec_fn=limit_memory)
            printed = process.stdout.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stdout.close()
        self.assertEqual(process.returncode, 0)
        looked_at = (usage.ru_minflt + usage.ru_majflt) * resource.getpagesize()
        self.assertLess(looked_at, GIGABYTE // 100)
        return printed

    def setUp(self):
        if not sys.platform.startswith("linux"):
            self.skipTest("the limit of memory means something else here")
        if b"__asan_init" in Path(TOOL).read_bytes():
            self.skipTest("sanitizers need additional memory")

    def test_in_one_part(self):
        self.assertIn("vertices    33554432", self.info(write_one_part))

    def test_in_a_thousand_parts(self):
        self.assertIn("animations  1000", self.info(write_many_parts))


if __name__ == "__main__":
    unittest.main()
