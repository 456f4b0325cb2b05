#!/usr/bin/env python3
"""test_docs.py: the commands and programs in README.md and docs/library.md do what they say.

In README.md, `console` blocks must print what they show, on both streams together; in `sh` blocks
each line that calls the tool must succeed; the `c` block is compiled and run. The `c` blocks of
docs/library.md are compiled, and the functions and examples that it names exist. Links in all
documents must lead to files and headings. `test_docs.py --update` writes what the commands print
into README.md.
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
        self.can_import = (self.tool.parent / "tenon-import").exists()

    def run_here(self, command):
        return subprocess.run(command, cwd=self.folder.name, env=self.environment,
                              shell=isinstance(command, str), capture_output=True, text=True)

    def printed(self, block):
        """The block with what its commands print now. What cannot be run here is kept."""
        out = ""
        for case in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = case.partition("\n")
            if self.can_import or ".fbx" not in command:
                shown = self.run_here(f"({command}) 2>&1").stdout
            out += f"$ {command}\n{shown}"
        return out

    def test_console_blocks_print_what_they_show(self):
        for block in blocks("console"):
            self.assertEqual(self.printed(block), block)

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
            self.skipTest("no compiler, or no static library beside the tool")
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


class Library(unittest.TestCase):
    text = (ROOT / "docs/library.md").read_text(encoding="utf-8")

    def test_the_programs_compile(self):
        compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
        if not compiler:
            self.skipTest("there is no C compiler")
        code = re.findall(r"^```c\n(.*?)^```$", self.text, re.M | re.S)
        self.assertGreater(len(code), 3)
        source = "#include <stdio.h>\n#include <tenon/scene.h>\n" + "\n".join(code)
        done = subprocess.run([compiler, "-std=c11", "-Wall", "-Werror", "-Wno-unused-function",
                               "-fsyntax-only", f"-I{ROOT}/include", "-x", "c", "-"],
                              input=source, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_it_names_exists(self):
        headers = "".join(path.read_text() for path in (ROOT / "include/tenon").glob("*.h"))
        for name in re.findall(r"\btenon_\w+\b", self.text):
            self.assertRegex(headers, r"\b%s(\b|_\w+\()" % name.rstrip("_"))
        for name in re.findall(r"`(\w+\.c(?:pp)?)`", self.text):
            self.assertTrue((ROOT / "examples" / name).is_file(), name)


def anchors(path):
    """The headings of a document as GitHub names them in links."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def documents():
    """All documents of the project, but not those of builds and of packages."""
    for path in sorted(ROOT.rglob("*.md")):
        if not {"build", "node_modules", ".git"} & set(path.relative_to(ROOT).parts):
            yield path


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for document in documents():
            for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
                if link.startswith(("http:", "https:")):
                    continue
                with self.subTest(document=document.name, link=link):
                    name, _, anchor = link.partition("#")
                    target = document.parent / name if name else document
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_every_document_is_in_the_index(self):
        index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        for document in (ROOT / "docs").rglob("*.md"):
            name = document.relative_to(ROOT / "docs").as_posix()
            if name != "README.md":
                self.assertIn("](%s)" % name, index)


def update():
    readme, text = Readme(), README
    readme.setUp()
    for block in blocks("console"):
        text = text.replace(block, readme.printed(block))
    readme.doCleanups()
    (ROOT / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
