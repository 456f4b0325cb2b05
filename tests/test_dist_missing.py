#!/usr/bin/env python3
"""test_dist_missing.py: what `make dist` and tools/portability need, on machines that lack it.

A machine is a folder of programs that do nothing, used as PATH, and a folder of files.
"""
# SPDX-License-Identifier: MIT

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import cross  # noqa: E402
import build_web  # noqa: E402


def load(name):
    """A program of tools that has no extension."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


dist, portability = load("dist"), load("portability")

PAPERS = tuple(dist.RUNTIMES.values())
ENOUGH = cross.BUILDING + cross.FETCHING + ("musl-gcc", "ar", "x86_64-w64-mingw32-gcc") + PAPERS


class Missing(unittest.TestCase):
    @contextlib.contextmanager
    def machine(self, *has, has_sources=False):
        """This machine, with only the named programs and files."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for need in has:
                path = folder / (need.lstrip("/") if need.startswith("/") else "bin/" + need)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("#!/bin/sh\nexit 9\n")
                path.chmod(0o755)
            sources = folder / "sources"
            for library in cross.LIBRARIES if has_sources else ():
                (sources / (library + "-1.0")).mkdir(parents=True)
            with mock.patch.dict(os.environ, PATH=str(folder / "bin")), \
                    mock.patch.object(cross, "SYSTEM", folder), \
                    mock.patch.object(cross, "SOURCES", sources):
                yield folder

    def said(self, main, *words):
        """Exit status, and all that is printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = main(list(words))
        return status, out.getvalue()

    def test_dist_asks_once_for_all(self):
        with self.machine("apt-get") as folder:
            status, text = self.said(dist.main, str(folder / "out"))
        self.assertEqual(status, 3)
        self.assertEqual(text.count("apt-get install"), 1)
        asked = set(text.partition("apt-get install")[2].split())
        for package in ("cmake", "make", "dpkg-dev", "patch", "musl-tools", "binutils",
                        "gcc-mingw-w64-x86-64", "debian-archive-keyring"):
            self.assertIn(package, asked)

    def test_dist_asks_only_for_what_is_needed(self):
        with self.machine("apt-get"):
            for package in ("wine", "wine64", "clang", "nodejs", "qemu-user-static"):
                self.assertNotIn(package, dist.unready().split())
        with self.machine(*(set(ENOUGH) - {"dpkg-source"})):
            self.assertEqual(dist.lacking(), ["dpkg-source"])
            self.assertTrue(dist.unready().endswith("apt-get install dpkg-dev"))
        with self.machine(*ENOUGH):
            self.assertEqual(dist.lacking(), [])

    def test_sources_that_are_here_need_not_be_fetched(self):
        without = set(ENOUGH) - set(cross.FETCHING)
        with self.machine(*without, has_sources=True):
            self.assertIsNone(dist.unready())
        with self.machine(*without):
            self.assertEqual(set(dist.lacking()), set(cross.FETCHING))

    def test_packages_of_debian_are_named_only_on_debian(self):
        with self.machine(*(set(ENOUGH) - {"apt-get", "patch"})):
            self.assertIn("Debian", dist.unready())
            self.assertNotIn("apt-get install", dist.unready())

    def test_a_target_names_only_what_it_lacks(self):
        with self.machine("cmake", "make", "x86_64-w64-mingw32-gcc"):
            lacks = cross.missing(cross.needs_of(cross.by_name("mingw")))
            self.assertEqual(cross.install(lacks), "apt-get install wine wine64")
        with self.machine("cmake", "make", "clang", "wasm-ld", "node",
                          "/usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/"
                          "libclang_rt.builtins-wasm32.a"):
            lacks = cross.missing(cross.needs_of(cross.by_name("wasm")))
            self.assertEqual(cross.install(lacks), "apt-get install wasi-libc")

    def test_portability_asks_once_for_all_targets(self):
        with self.machine("apt-get") as folder, mock.patch.object(cross, "WORK", folder / "work"):
            status, text = self.said(portability.main)
        self.assertEqual(status, 3)
        first = text.splitlines()[0]
        for target in cross.TARGETS:
            for need in cross.needs_of(target):
                for package in cross.PACKAGES[need].split():
                    self.assertIn(package, first.split())
        self.assertIn("dpkg-dev", first)

    def test_portability_needs_only_the_requested_targets(self):
        with self.machine("apt-get") as folder, mock.patch.object(cross, "WORK", folder / "work"):
            _, text = self.said(portability.main, "musl")
        self.assertIn("musl-tools", text)
        self.assertNotIn("wine", text)

    def test_every_need_has_a_package(self):
        needs = set(cross.BUILDING + cross.FETCHING + PAPERS + build_web.needs())
        for target in cross.TARGETS:
            needs |= set(target.build + target.run)
        self.assertEqual(needs, set(cross.PACKAGES))


if __name__ == "__main__":
    unittest.main()
