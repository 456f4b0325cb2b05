#!/usr/bin/env python3
"""test_desktop.py: file managers know the models' types, and their thumbnails are drawn.

The command of share/tenon.thumbnailer is run as GNOME runs it. The types of share/tenon-mime.xml
are looked up with gio, if it and update-mime-database are installed. TENON names the tool
(build/release/tenon).
"""
# SPDX-License-Identifier: MIT

import json
import os
import shlex
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
TYPES = {"bbmod": "x-bbmod", "bbanim": "x-bbanim", "gpb": "x-gpb", "bmw": "x-bmw",
         "modeldata": "x-coreengine", "bplx": "x-bplx"}
XML = "{http://www.freedesktop.org/standards/shared-mime-info}"


def samples():
    names = ["crane.bbmod", "crane_lift.bbanim", "crane.gpb", "crane.bmw", "crane.cea",
             "crane.cem", "crane.bplx"]
    return [ROOT / "samples" / name for name in names]


def entry():
    lines = (ROOT / "share/tenon.thumbnailer").read_text().splitlines()[1:]
    return dict(line.split("=", 1) for line in lines)


class Desktop(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_thumbnails_are_drawn(self):
        """The picture may exist already, as an empty temporary file."""
        words = shlex.split(entry()["Exec"])
        self.assertEqual(words[0], "tenon")
        for sample in samples():
            picture = self.folder / "thumbnail.png"
            picture.write_bytes(b"")
            values = {"%s": "128", "%i": str(sample), "%o": str(picture)}
            command = [TOOL, *(values.get(word, word) for word in words[1:])]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), sample)
            head = picture.read_bytes()[:24]
            self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", head[16:]), (128, 128))

    def test_types_are_those_of_the_formats(self):
        listed = entry()["MimeType"].rstrip(";").split(";")
        self.assertEqual(sorted(listed), sorted("model/" + name for name in TYPES.values()))
        document = ElementTree.parse(ROOT / "share/tenon-mime.xml")
        globs = {kind.get("type"): [glob.get("pattern") for glob in kind.iter(XML + "glob")]
                 for kind in document.iter(XML + "mime-type")}
        self.assertEqual(sorted(globs), sorted(listed))
        printed = subprocess.run([TOOL, "formats", "--json"], capture_output=True, check=True)
        formats = [json.loads(line) for line in printed.stdout.splitlines()]
        for one in formats:
            if one.get("name") not in TYPES:
                continue
            patterns = ["*." + extension for extension in one["extensions"]]
            self.assertEqual(sorted(globs["model/" + TYPES[one["name"]]]), sorted(patterns))

    def test_files_are_recognized(self):
        if not shutil.which("gio") or not shutil.which("update-mime-database"):
            self.skipTest("gio or update-mime-database is not installed")
        packages = self.folder / "mime/packages"
        packages.mkdir(parents=True)
        shutil.copy(ROOT / "share/tenon-mime.xml", packages / "tenon.xml")
        subprocess.run(["update-mime-database", self.folder / "mime"], check=True,
                       capture_output=True)
        env = dict(os.environ, XDG_DATA_HOME=str(self.folder), XDG_DATA_DIRS=str(self.folder))
        for sample in samples():
            done = subprocess.run(["gio", "info", "-a", "standard::content-type", sample],
                                  capture_output=True, text=True, env=env)
            self.assertIn("model/x-", done.stdout, sample)


if __name__ == "__main__":
    unittest.main()
