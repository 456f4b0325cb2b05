#!/usr/bin/env python3
"""test_import_run.py: programs that behave badly in place of tenon-import.

TENON names the tool; TENON_IMPORT tells it which program to start.
"""
# SPDX-License-Identifier: MIT

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TENON = os.path.abspath(os.environ.get("TENON", "build/release/tenon"))


class ImportRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "a.fbx").write_bytes(b"; FBX 7.4.0 project file\n")

    def program(self, body):
        path = self.folder / "importer"
        path.write_text(f"#!{sys.executable} -IS\nimport os, resource, sys, time\n{body}\n")
        path.chmod(0o755)
        return {**os.environ, "TENON_IMPORT": str(path)}

    def run_with(self, body, *options):
        run = subprocess.run([TENON, "info", "--json", *options, "a.fbx"], cwd=self.folder,
                             env=self.program(body), capture_output=True, timeout=1800)
        return run.returncode, json.loads(run.stdout)["error"]

    def check(self, body, status, code, words, *options):
        got, error = self.run_with(body, *options)
        self.assertEqual((got, error["code"]), (status, code), error)
        self.assertIn(words, error["message"])

    def test_a_crash_is_one_error(self):
        self.check("os.abort()", 1, "value", "crashed (Aborted)")
        self.check("os.kill(os.getpid(), 11)", 1, "value", "Segmentation fault")

    def test_its_message_is_passed_on(self):
        self.check("sys.exit('tenon-import: no such thing\\nmore')", 1, "value", ": no such thing")
        self.check("sys.exit(1)", 1, "value", "does not say why")

    def test_garbage_is_refused(self):
        self.check("sys.stdout.write('glTF' + 'x' * 100)", 1, "value", "cannot be read")
        self.check("pass", 1, "value", "cannot be read")

    def test_too_much_is_refused(self):
        self.check("sys.stdout.write('x' * (3 << 20))", 1, "limit", "bytes", "--max-memory", "1M")

    def test_many_words_do_not_hang_it(self):
        self.check("sys.stderr.write('w' * (1 << 20)); sys.exit(1)", 1, "value", "www")

    def test_memory_is_limited(self):
        body = ("assert resource.getrlimit(resource.RLIMIT_AS)[0] < 2 << 30\n"
                "assert resource.getrlimit(resource.RLIMIT_CPU)[0] <= 10\n"
                "assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0\n"
                "sys.exit('tenon-import: all is limited')")
        _, error = self.run_with(body)
        if "AssertionError" in error["message"] or "Traceback" in error["message"]:
            self.skipTest("a sanitizer takes all addresses there are")
        self.assertIn("all is limited", error["message"])

    def test_no_file_can_be_written(self):
        self.run_with("open('stray', 'w').write('x'); sys.exit(1)")
        stray = self.folder / "stray"
        self.assertEqual(stray.stat().st_size if stray.exists() else 0, 0)

    def test_nothing_is_open_there(self):
        body = ("found = [fd for fd in range(3, 64) if os.path.exists(f'/proc/self/fd/{fd}')]\n"
                "sys.exit('tenon-import: ' + ('open' if len(found) > 1 else 'closed'))")
        self.check(body, 1, "value", ": closed")

    def test_an_absent_program_is_told(self):
        run = subprocess.run([TENON, "info", "a.fbx"], cwd=self.folder, capture_output=True,
                             text=True, env={**os.environ, "TENON_IMPORT": "/nonexistent"})
        self.assertEqual(run.returncode, 3)
        self.assertIn("libassimp-dev", run.stderr)

    def test_a_signal_ends_both(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                env = self.program("open('/dev/null')\nos.rename('a.fbx', str(os.getpid()))\n"
                                   "time.sleep(50)")
                process = subprocess.Popen([TENON, "info", "a.fbx"], cwd=self.folder, env=env,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                child = self.wait_for_child()
                process.send_signal(number)
                self.assertEqual(process.wait(1800), -number)
                self.assertTrue(self.is_gone(child))
                (self.folder / str(child)).rename(self.folder / "a.fbx")

    def wait_for_child(self):
        for _ in range(100000):
            named = [entry.name for entry in self.folder.iterdir() if entry.name.isdigit()]
            if named:
                return int(named[0])
            time.sleep(0.01)
        self.fail("the program was not started")

    @staticmethod
    def is_gone(pid):
        for _ in range(100000):
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                return True
            if state == "Z":
                return True
            time.sleep(0.01)
        return False


if __name__ == "__main__":
    unittest.main()
