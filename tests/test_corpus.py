#!/usr/bin/env python3
"""Real files: the tool counts what an independent parser counts, and keeps each byte.

They are not part of the project: TENON_CORPUS names their folder. Skipped without it.
"""
# SPDX-License-Identifier: MIT

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from real_files import CORPUS, NOT_SET, find  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
COUNTS = ("version", "dialect", "size", "meshes", "vertices", "triangles", "nodes", "joints",
          "animations", "channels", "frames", "materials", "fonts", "font_sizes")
SKIPPED = 77


def tool(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, check=False)


def load_facts():
    lines = (CORPUS / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    facts = [json.loads(line) for line in lines]
    assert facts, "there are no facts"
    return facts


class Corpus(unittest.TestCase):
    def test_counts_are_those_of_another_parser(self):
        for fact in load_facts():
            with self.subTest(fact["file"]):
                done = tool("info", "--json", CORPUS / fact["file"])
                self.assertEqual(done.returncode, 0, done.stdout)
                report = json.loads(done.stdout)
                self.assertEqual(report["format"], fact["format"])
                known = {key: fact[key] for key in COUNTS if key in fact}
                self.assertEqual({key: report.get(key) for key in known}, known)

    def test_rewriting_and_the_text_twin_keep_every_byte(self):
        with tempfile.TemporaryDirectory(prefix="tenon-corpus-") as folder:
            for fact in load_facts():
                with self.subTest(fact["file"]):
                    self.keep(CORPUS / fact["file"], pathlib.Path(folder))

    def test_the_text_twin_of_glb_has_its_json_and_keeps_every_byte(self):
        with tempfile.TemporaryDirectory(prefix="tenon-corpus-") as folder:
            text = pathlib.Path(folder) / "text.json"
            for path in find(".glb"):
                with self.subTest(path.name):
                    text.write_bytes(tool("dump", path).stdout)
                    self.assertIn("asset", json.loads(text.read_bytes())["chunks"][0]["json"])
                    self.assertEqual(tool("build", text, "-").stdout, path.read_bytes())

    def keep(self, path, folder):
        copy, text, built = (folder / (name + path.suffix) for name in ("copy", "text", "built"))
        before = path.read_bytes()
        done = tool("convert", "--force", path, copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(copy.read_bytes(), before)
        text.write_bytes(tool("dump", path).stdout)
        done = tool("build", "--force", text, built)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(built.read_bytes(), before)


if __name__ == "__main__":
    if not CORPUS:
        print("skipped: %s" % NOT_SET)
        sys.exit(SKIPPED)
    unittest.main()
