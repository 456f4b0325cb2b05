#!/usr/bin/env python3
"""test_generated.py: generated files are what the programs in tools/ would make now."""
# SPDX-License-Identifier: MIT

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Generated(unittest.TestCase):
    def test_every_generator_finds_its_files_fresh(self):
        makers = sorted((ROOT / "tools").glob("make_*.py"))
        self.assertTrue(makers)
        for maker in makers:
            with self.subTest(maker=maker.name):
                done = subprocess.run([sys.executable, "-B", str(maker), "--check"],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
