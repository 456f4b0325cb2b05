#!/usr/bin/env python3
"""test_batch_recipe.py: recipes (tenon.json), and runs that watch their inputs."""
# SPDX-License-Identifier: MIT

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from batch_models import make_models, small_glb  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
TENON = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
SCHEMA = ROOT / "docs/tenon-recipe.schema.json"
RECIPE = {"inputs": ["models"], "output": "assets", "exclude": ["wip"],
          "options": {"to": "gpb"},
          "rules": [{"match": "props/**", "options": {"to": "bplx", "scale": 0.5}},
                    {"match": ["*.raw.glb", "old"], "skip": True}]}


def names(folder):
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*")
                  if p.is_file() and not p.name.startswith(".") and p.suffix != ".material")


class Recipe(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-recipe-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        for name in ("hero", "props/lamp", "props/deep/chair", "wip/test", "x.raw"):
            path = self.folder / "models" / (name + ".glb")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(small_glb(len(name)))

    def tenon(self, *words, where=None):
        return subprocess.run([TENON, *words], cwd=where or self.folder, capture_output=True,
                              text=True, timeout=300)

    def write(self, recipe):
        text = recipe if isinstance(recipe, str) else json.dumps(recipe, indent=2)
        (self.folder / "tenon.json").write_text(text)

    def test_rules_decide_what_becomes_what(self):
        self.write(RECIPE)
        done = self.tenon("convert", "--check-only", "-q")
        self.assertEqual(done.returncode, 1, done.stderr)
        done = self.tenon("convert")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = ["hero.gpb", "props/deep/chair.bplx", "props/lamp.bplx"]
        self.assertEqual(names(self.folder / "assets"), made)
        self.assertEqual(self.tenon("convert", "--check-only", "-q").returncode, 0)
        (self.folder / "models/props/lamp.glb").unlink()
        self.assertEqual(self.tenon("convert", "--check-only", "-q").returncode, 1)
        # From elsewhere, and with other options beside it.
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        done = self.tenon("convert", "--recipe", "../tenon.json", "-j", "2", where=elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(names(self.folder / "assets"), made[:2])
        self.assertEqual(list(elsewhere.iterdir()), [])
        # A change of one rule concerns its files only.
        recipe = json.loads(json.dumps(RECIPE))
        recipe["rules"][0]["options"]["scale"] = 2
        self.write(recipe)
        done = self.tenon("convert", "--json")
        summaries = [json.loads(line)["summary"] for line in done.stdout.splitlines()
                     if line.startswith('{"summary"')]
        self.assertEqual([s["converted"] for s in summaries], [1, 0])

    def test_mistakes_are_named(self):
        for recipe, message in (
                ('{"inputs": ["models"],\n "output": }', ":2:1: error[value]: a value is expected"),
                ({"inputs": ["models"]}, "'output' must be the name of a folder"),
                ({"output": "out"}, "'inputs' is missing"),
                ({"output": "out", "inputs": "models", "rule": []}, "'rule' is not known"),
                ({"output": "out", "inputs": 3}, "'inputs' must be a text or a list of texts"),
                ({"output": "out", "inputs": "--force"}, "'inputs' must not begin with '-'"),
                ({"output": "out", "inputs": "models", "rules": [{"options": {}}]},
                 "'match' is missing in a rule"),
                ({"output": "out", "inputs": "models", "options": {"to": "gbp"}},
                 "unknown format 'gbp'"),
                ({"output": "out", "inputs": "models", "options": {"verfy": True}},
                 "did you mean '--verify'?"),
                ({"output": "out", "inputs": "models", "options": {"to": {}}},
                 "'to' must be a text, a number, true or false"),
                ("[" * 100, "nested too deeply"), ('{"a": "\\q"}', "an escape that is not known"),
                ('{"a": "x', "a string does not end"), ("[]", "must be an object"),
                ("{} x", "something follows the value"), ("\0", "it contains a NUL")):
            self.write(recipe)
            done = self.tenon("convert")
            self.assertIn(done.returncode, (1, 2), recipe)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "out").exists())
        (self.folder / "tenon.json").unlink()
        done = self.tenon("convert")
        self.assertEqual(done.returncode, 2)
        self.assertIn("IN is missing", done.stderr)

    def test_two_rules_do_not_write_one_file(self):
        (self.folder / "models/hero.bplx").write_bytes(
            (ROOT / "samples/crane.bplx").read_bytes())
        recipe = {"inputs": "models", "output": "out", "options": {"to": "gpb"},
                  "rules": [{"match": "*.bplx"}]}
        self.write(recipe)
        done = self.tenon("convert")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("two rules of the recipe would write 'out/hero.gpb'", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_schema_knows_what_the_tool_knows(self):
        schema = json.loads(SCHEMA.read_text())
        self.assertEqual(set(schema["properties"]), {"$schema", "inputs", "output", "exclude",
                                                     "options", "rules"})
        rule = schema["properties"]["rules"]["items"]
        self.assertEqual(set(rule["properties"]), {"match", "exclude", "options", "skip"})
        self.assertFalse(schema["additionalProperties"] or rule["additionalProperties"])
        self.assertEqual(set(RECIPE) - set(schema["properties"]), set())
        recipe = re.search(r"```json\n(.*?)```", (ROOT / "docs/batch.md").read_text(), re.S)
        self.write(recipe.group(1))
        done = self.tenon("convert", "--dry-run")
        self.assertNotIn("tenon.json", done.stderr)


class Watch(unittest.TestCase):
    setUp = Recipe.setUp

    def wait(self, check):
        end = time.time() + 60
        while not check() and time.time() < end:
            time.sleep(0.02)
        self.assertTrue(check())

    def run_watch(self, *words):
        out = self.folder / "out"
        child = subprocess.Popen([TENON, "convert", "-r", "models", "-o", "out/", "--to", "gpb",
                                  "--watch", *words], cwd=self.folder, stderr=subprocess.PIPE,
                                 text=True)
        try:
            self.wait(lambda: len(names(out)) == 5)
            before = (out / "hero.gpb").read_bytes()
            (self.folder / "models/hero.glb").write_bytes(small_glb(99))
            self.wait(lambda: (out / "hero.gpb").read_bytes() != before)
            make_models(self.folder / "models/new", 3)
            self.wait(lambda: len(names(out)) == 8)
            (self.folder / "models/new/000/00/late.glb").write_bytes(small_glb(5))
            self.wait(lambda: len(names(out)) == 9)
            (self.folder / "models/new/000/00/late.glb").write_bytes(b"damaged")
            time.sleep(0.3)
            self.assertIsNone(child.poll())
        finally:
            child.send_signal(signal.SIGINT)
            _, messages = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, messages)
        self.assertEqual([p for p in out.rglob("*") if p.name.endswith((".log", ".new"))], [])
        return messages

    def test_changes_are_converted(self):
        messages = self.run_watch("-j", "2")
        self.assertIn("1 file converted", messages)

    def test_one_thread_watches_too(self):
        self.run_watch("-j", "1", "-q")


if __name__ == "__main__":
    unittest.main()
