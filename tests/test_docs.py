#!/usr/bin/env python3
"""test_docs.py: the commands and the program in README.md do what it says.

`console` blocks must print what they show, on both streams together; in `sh` blocks each line that
calls the tool must succeed; the `c` block is compiled and run.
"""
# SPDX-License-Identifier: MIT

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(r"^```" + language + r"\n(.*?)^```$", README, re.M | re.S)


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        shutil.copytree(ROOT / "samples", Path(self.folder.name, "samples"))
        self.tool = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
        self.environment = dict(os.environ, PATH=f"{self.tool.parent}:{os.environ['PATH']}")

    def run_here(self, command):
        return subprocess.run(command, cwd=self.folder.name, env=self.environment,
                              shell=isinstance(command, str), capture_output=True, text=True)

    def test_console_blocks_print_what_they_show(self):
        self.run_here("head -c 1000 samples/crane.bplx > broken.bplx")
        for block in blocks("console"):
            for case in block.split("$ ")[1:]:
                command, _, wanted = case.partition("\n")
                self.assertEqual(self.run_here(f"({command}) 2>&1").stdout, wanted)

    def test_every_command_succeeds(self):
        lines = "\n".join(blocks("sh")).splitlines()
        lines = [line for line in lines if line.startswith(("tenon ", "cmp "))]
        self.assertGreater(len(lines), 5)
        for line in lines:
            with self.subTest(line=line):
                done = self.run_here(line)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_program_compiles_and_runs(self):
        compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
        library = next(iter(self.tool.parent.glob("libtenon.a")), None)
        if not compiler or not library:
            self.skipTest("there is no compiler, or no static library beside the tool")
        code = blocks("c")[0].replace("crane.bplx", "samples/crane.bplx")
        head, body = code.split("\n\n", 1)
        Path(self.folder.name, "tour.c").write_text(
            f"#include <stdio.h>\n{head}\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n",
            encoding="utf-8")
        is_sanitized = b"__asan_init" in self.tool.read_bytes()
        sanitize = ["-fsanitize=address,undefined"] if is_sanitized else []
        done = self.run_here([compiler, "-std=c11", "-Wall", "-Werror", *sanitize,
                              f"-I{ROOT}/include", "tour.c", str(library), "-lm", "-o", "tour"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_here(["./tour"]).stdout, "578 vertices\n")


if __name__ == "__main__":
    unittest.main()
