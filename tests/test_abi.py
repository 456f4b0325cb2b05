#!/usr/bin/env python3
"""test_abi.py: the binary interface is that of tests/abi.txt, and the library has all of it.

What is changed on purpose is recorded by `tools/abi.py --update`.
"""
# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import abi  # noqa: E402
import headers  # noqa: E402


class Interface(unittest.TestCase):
    def test_it_is_the_recorded_one(self):
        if not shutil.which(os.environ.get("CC", "cc")):
            self.skipTest("there is no C compiler")
        done = subprocess.run([sys.executable, "-B", str(ROOT / "tools/abi.py"), "--check"],
                              capture_output=True, text=True)
        if done.returncode == abi.SKIPPED:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_library_defines_what_the_headers_declare(self):
        folder = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve().parent
        library = next((path for name in ("libtenon.a", "libtenon.so")
                        for path in folder.glob(name)), None)
        if not library or not shutil.which("nm"):
            self.skipTest("nm, or the library beside the tool, is not there")
        dynamic = ["-D"] if library.suffix == ".so" else []
        printed = subprocess.run(["nm", "-g", "--defined-only", *dynamic, str(library)],
                                 capture_output=True, text=True, check=True).stdout
        words = [line.split() for line in printed.splitlines()]
        defined = {word[-1] for word in words if len(word) == 3 and word[1] == "T"}
        public = {name for name in defined if name.startswith("tenon_")}
        self.assertEqual(public, set(headers.every_function()))

    def test_a_change_is_shown(self):
        prototype = "function void tenon_doc_free(tenon_doc *doc)"
        self.assertIn(prototype + "\n", abi.LIST.read_text(encoding="utf-8"))
        self.assertEqual(headers.functions("TENON_API void tenon_doc_free(\n  int doc);  // No."),
                         {"tenon_doc_free": "void tenon_doc_free( int doc)"})


if __name__ == "__main__":
    unittest.main()
