#!/usr/bin/env python3
"""test_fbx_character.py: a character with its takes in separate files, through every format.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
import pack_character  # noqa: E402
from fbx_file import as_binary, as_text  # noqa: E402

TENON = os.environ.get("TENON", "build/release/tenon")


def tenon(*arguments):
    return subprocess.run([TENON, *map(str, arguments)], capture_output=True, text=True)


class Character(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, encode, **options):
        path = self.folder / name
        path.write_bytes(encode(pack_character.pack_character(**options)))
        return path

    def pack(self, encode):
        """The character, a take with its skin and a take without one."""
        return (self.write("hero.fbx", encode, seconds=0.1),
                self.write("run.fbx", encode, motion=pack_character.run, with_skin=False),
                self.write("walk.fbx", encode, motion=pack_character.walk))

    def test_both_encodings_are_one_model(self):
        text = self.write("text.fbx", as_text, motion=pack_character.walk)
        binary = self.write("binary.fbx", as_binary, motion=pack_character.walk)
        done = tenon("verify", text, binary, "--tolerance", "1e-6")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_format_has_the_character_and_its_takes(self):
        for encode in (as_binary, as_text):
            hero, run, walk = self.pack(encode)
            for extension in ("bbmod", "gpb", "bmw", "cea", "glb", "bplx"):
                with self.subTest(encode=encode.__name__, extension=extension):
                    out = self.folder / f"{encode.__name__}.{extension}"
                    done = tenon("convert", hero, out, "--clips-from", run, "--clips-from", walk,
                                 "--verify")
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("verified", done.stdout + done.stderr)

    def test_takes_with_one_name_get_the_names_of_their_files(self):
        hero, run, walk = self.pack(as_binary)
        out = self.folder / "all.glb"
        done = tenon("convert", hero, out, "--clips-from", run, "--clips-from", walk)
        self.assertEqual(done.returncode, 0, done.stderr)
        clips = json.loads(tenon("info", "--json", out).stdout)["clips"]
        self.assertEqual([clip["name"] for clip in clips], [pack_character.TAKE, "run", "walk"])
        for name, path in (("run", run), ("walk", walk)):
            alone = self.folder / f"{name}.glb"
            self.assertEqual(tenon("convert", hero, alone, "--clips-from", path,
                                   "--clip", name).returncode, 0)
        self.assertIn("run", tenon("convert", hero, out, "-f", "--clips-from", run).stderr)

    def test_the_skeleton_is_complete(self):
        hero, _, _ = self.pack(as_binary)
        found = json.loads(tenon("info", "--json", hero).stdout)
        self.assertEqual(len(pack_character.skeleton()), 65)
        self.assertEqual(found["nodes"], 66)


if __name__ == "__main__":
    unittest.main()
