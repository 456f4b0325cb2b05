#!/usr/bin/env python3
"""test_import_run.py: programs that behave badly in place of tenon-import.

TENON names the tool; TENON_IMPORT says which program it starts.
"""
# SPDX-License-Identifier: MIT

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import pipe_messages  # noqa: E402

TENON = os.path.abspath(os.environ.get("TENON", "build/release/tenon"))


class ImportRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "a.dae").write_bytes(b"<COLLADA/>\n")

    def program(self, body):
        path = pipe_messages.program(self.folder / "importer", body)
        return {**os.environ, "TENON_IMPORT": path}

    def run_with(self, body, *options):
        run = subprocess.run([TENON, "info", "--json", *options, "a.dae"], cwd=self.folder,
                             env=self.program(body), capture_output=True, timeout=1800)
        return run.returncode, json.loads(run.stdout)["error"]

    def check(self, body, status, code, words, *options):
        got, error = self.run_with(body, *options)
        self.assertEqual((got, error["code"]), (status, code), error)
        self.assertIn(words, error["message"])

    def test_a_crash_is_one_error(self):
        self.check("os.abort()", 1, "value", "crashed (Aborted)")
        self.check("os.kill(os.getpid(), 11)", 1, "value", "Segmentation fault")

    def test_a_crash_is_noticed_where_children_are_ignored(self):
        run = subprocess.run([TENON, "info", "a.dae"], cwd=self.folder,
                             env=self.program("os.abort()"), capture_output=True, timeout=1800,
                             preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertIn(b"crashed (Aborted)", run.stderr)

    def test_its_message_is_passed_on(self):
        self.check("sys.exit('tenon-import: no such thing\\nmore')", 1, "value", ": no such thing")
        self.check("sys.exit(1)", 1, "value", "does not say why")

    def test_garbage_is_refused(self):
        self.check("put(result_messages(b'glTF' + b'x' * 100))", 1, "value", "cannot be read")
        self.check("put(result_messages(b''))", 1, "value", "cannot be read")
        self.check("pass", 1, "value", "without a result")

    def test_a_result_that_is_not_complete_is_refused(self):
        self.check("begin(); send(DATA, b'glTF')", 1, "value", "without a result")
        self.check("begin(); send(DATA, b'glTF'); sys.exit('tenon-import: oh')", 1, "value", ": oh")
        self.check("begin(); send(DATA, b'glTF'); os.abort()", 1, "value", "crashed (Aborted)")

    def test_other_messages_are_refused(self):
        for body in ("put(b'glTF' + b'x' * 100)", "put(message(READY, version=1))",
                     "begin(); send(99)", "begin(); send(FOUND)", "begin(); send(READY)",
                     "send(LOOK, b'a.dae')", "send(DATA)", "send(DONE)",
                     "begin(); put(message(LOOK, b'a') + message(LOOK, b'a'))",
                     "begin(); send(DATA, b'a'); send(LOOK, b'a')",
                     "begin(); send(DONE, b'a')", "send(READY, b'a' * 257)",
                     "begin(); send(READ, b'a' * (NAME_MOST + 1))",
                     "begin(); send(READ, size=(1 << 64) - 1)"):
            with self.subTest(body):
                # It does not wait for more than announced, nor for the program to end.
                self.check(body + "\ntime.sleep(1000)", 1, "value", "does not follow the protocol")

    def test_too_much_is_refused(self):
        for body in ("send(DATA, b'x' * (3 << 20))", "send(DATA, size=(1 << 64) - 1)",
                     "put((message(DATA, b'x' * 999) + message(DATA)) * 9999)"):
            with self.subTest(body):
                self.check("begin(); " + body + "; time.sleep(1000)", 1, "limit",
                           "more than 1048576 bytes", "--max-memory", "1M")

    def test_too_much_time_is_refused(self):
        """A lower limit of the caller is used, so that this is quick."""
        run = subprocess.run([TENON, "info", "--json", "a.dae"], cwd=self.folder,
                             env=self.program("while True: pass"), capture_output=True,
                             timeout=1800, preexec_fn=lambda: resource.setrlimit(
                                 resource.RLIMIT_CPU, (1, 1)))
        error = json.loads(run.stdout)["error"]
        self.assertEqual((run.returncode, error["code"]), (1, "limit"))
        self.assertIn("takes more than", error["message"])

    def test_too_many_requests_are_refused(self):
        self.check("begin()\nfor i in range(REQUESTS_MOST + 1): ask(LOOK, b'/')", 1, "limit",
                   "more than 65536 requests")

    def test_many_words_do_not_hang_it(self):
        self.check("sys.stderr.write('w' * (1 << 20)); sys.exit(1)", 1, "value", "www")

    def test_an_absent_program_is_reported(self):
        run = subprocess.run([TENON, "info", "a.dae"], cwd=self.folder, capture_output=True,
                             text=True, env={**os.environ, "TENON_IMPORT": "/nonexistent"})
        self.assertEqual(run.returncode, 3)
        self.assertIn("libassimp-dev", run.stderr)


if __name__ == "__main__":
    unittest.main()
