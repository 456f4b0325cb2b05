#!/usr/bin/env python3
"""test_batch.py: runs over many files: the same results for any number of threads, also when some
fail, are interrupted or share files."""
# SPDX-License-Identifier: MIT

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from batch_models import make_models, small_glb  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
TENON = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
SAMPLES = ROOT / "samples"


def tree(folder):
    """The files below a folder, by name, with what they contain."""
    folder = Path(folder)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Batch(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-batch-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def tenon(self, *words, **more):
        return subprocess.run([TENON, *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, timeout=600, **more)

    def make_mixed(self):
        """Small models, the samples in all formats, damaged files, and what is no model."""
        make_models(self.folder / "in", 60, 20)
        for i, name in enumerate(("crane.glb", "crane.gpb", "crane.bplx", "crane.bmw", "crane.cem",
                                  "crane.bbmod", "crane.obj")):
            place = self.folder / "in" / ("sample%d" % i)
            place.mkdir()
            for path in SAMPLES.glob("crane*"):
                if path.name == name or path.suffix not in (
                        ".glb", ".gpb", ".bplx", ".bmw", ".cem", ".bbmod", ".obj", ".gltf",
                        ".cea", ".fbx"):
                    shutil.copy(path, place)
        (self.folder / "in/cut.glb").write_bytes(small_glb(7)[:500])
        (self.folder / "in/empty.gpb").write_bytes(b"")
        (self.folder / "in/notes.txt").write_text("no model")

    def test_number_of_threads_changes_nothing(self):
        self.make_mixed()
        commands = (("convert", "-r", "in", "-o", "OUT/", "--to", "gpb"),
                    ("convert", "-r", "in", "-o", "OUT/", "--to", "bbmod", "--json"),
                    ("convert", "-r", "in", "-o", "OUT/", "--to", "obj", "--report", "report"),
                    ("convert", "-r", "in", "-o", "OUT/", "--to", "glb", "--dry-run"),
                    ("convert", "-r", "in", "-o", "OUT/", "--to", "bplx", "--verify", "-v"),
                    ("check", "-r", "in", "--strict"), ("check", "-r", "in", "--json"),
                    ("info", "-r", "in"), ("info", "-r", "in", "--json", "--full"),
                    ("map", "-r", "in", "--at", "0"), ("map", "-r", "in", "--json"),
                    ("dump", "-r", "in", "-o", "OUT/"),
                    ("dump", "-r", "in", "-o", "OUT/", "--json"),
                    ("render", "-r", "in", "-o", "OUT/", "--size", "32x32"),
                    ("salvage", "-r", "in", "-o", "OUT/"),
                    ("diff", "-r", "in", "other"), ("diff", "-r", "in", "other", "--json"),
                    ("verify", "-r", "in", "other"), ("verify", "-r", "in", "other", "--json"))
        shutil.copytree(self.folder / "in", self.folder / "other")
        (self.folder / "other/000/01/model000025.glb").unlink()
        (self.folder / "other/000/01/model000026.glb").write_bytes(small_glb(1))
        for command in commands:
            seen = []
            for threads in (1, 2, 3, 8):
                done = self.tenon(*command, "-j", threads)
                report = self.folder / "report"
                seen.append((done.returncode, done.stdout, done.stderr, tree(self.folder / "OUT"),
                             report.read_text() if report.exists() else ""))
                shutil.rmtree(self.folder / "OUT", ignore_errors=True)
                report.unlink(missing_ok=True)
            for one in seen[1:]:
                self.assertEqual(one, seen[0], command)
            self.assertEqual(seen[0][0], 1)  # Two files are damaged.

    def test_dump_and_build_are_opposites(self):
        make_models(self.folder / "in", 40, 20)
        for name in ("crane.gpb", "crane.bplx", "crane.bmw", "crane.cem", "crane.cea"):
            shutil.copy(SAMPLES / name, self.folder / "in")
        (self.folder / "in/notes.json").write_text("{}")
        done = self.tenon("dump", "-r", "in", "-o", "text/", "-j", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "text/notes.json").write_text("{}")
        done = self.tenon("build", "-r", "text", "-o", "out/", "-j", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("45 files built, 1 skipped", done.stderr)
        expected = tree(self.folder / "in")
        del expected["notes.json"]
        self.assertEqual(tree(self.folder / "out"), expected)
        done = self.tenon("dump", "-r", "in", "-o", "text/")
        self.assertEqual(done.returncode, 2)  # They exist.

    def test_folders_are_compared_in_pairs(self):
        make_models(self.folder / "a", 6, 3)
        done = self.tenon("convert", "-q", "-r", "a", "-o", "b/", "--to", "bplx")
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copy(SAMPLES / "crane.gpb", self.folder / "b")
        (self.folder / "b/000/01/model000004.bplx").unlink()
        done = self.tenon("verify", "-r", "a", "b", "--json")
        self.assertEqual(done.returncode, 1)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([line for line in lines if "only_in" in line],
                         [{"pair": "000/01/model000004.glb", "only_in": "A"},
                          {"pair": "crane.gpb", "only_in": "B"}])
        self.assertEqual(lines[-1]["summary"]["verified"], 5)
        done = self.tenon("verify", "-r", "a", "b", "--exclude", "crane*", "--exclude", "*4.glb",
                          "--exclude", "000/01", "-q")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.tenon("diff", "a", "b/crane.gpb").returncode, 2)
        (self.folder / "none").mkdir()
        self.assertEqual(self.tenon("diff", "none", "none").returncode, 3)
        self.assertEqual(self.tenon("diff", "-q", "-r", "a", "a").returncode, 0)

    def test_shared_sidecars_are_the_first_ones(self):
        """Pictures of one name: the same bytes are shared, others are refused, in their order."""
        made = self.folder / "made"
        self.tenon("convert", "-q", SAMPLES / "crane.glb", "made/m.gltf")
        listed = []
        for i in range(24):
            folder = self.folder / "in" / ("%02d" % i)
            shutil.copytree(made, folder)
            (folder / "m.gltf").rename(folder / ("m%02d.gltf" % i))
            listed.append("in/%02d/m%02d.gltf" % (i, i))
            if i % 3 == 2:  # A chunk of text makes a picture another one.
                text = b"tEXtA\0B"
                text = b"\0\0\0\x03" + text + zlib.crc32(text).to_bytes(4, "big")
                picture = folder / "m_crane.png"
                before = picture.read_bytes()
                picture.write_bytes(before[:33] + text + before[33:])
        seen = []
        for threads in (1, 2, 8, 8, 8):
            done = self.tenon("convert", *listed, "-o", "OUT/", "-q", "-j", threads)
            seen.append((done.returncode, done.stderr, tree(self.folder / "OUT")))
            shutil.rmtree(self.folder / "OUT", ignore_errors=True)
        self.assertEqual(seen[0][0], 2)
        self.assertIn("file of another input", seen[0][1])
        self.assertGreater(len(seen[0][2]), 16)
        for one in seen[1:]:
            self.assertEqual(one, seen[0])

    def test_fail_fast_stops_at_the_first(self):
        make_models(self.folder / "in", 300, 50)
        for number in (130, 40, 290):
            (self.folder / ("in/000/%02d/model%06d.glb" % (number // 50, number))).write_bytes(b"x")
        seen = []
        for threads in (1, 4):
            done = self.tenon("convert", "-r", "in", "-o", "OUT/", "--to", "bplx", "--fail-fast",
                              "-j", threads)
            seen.append((done.returncode, done.stderr, tree(self.folder / "OUT")))
            self.assertEqual(list(self.folder.rglob("*.tenon-*")), [])
            shutil.rmtree(self.folder / "OUT")
        self.assertEqual(seen[0][0], 1)
        self.assertEqual(len(seen[0][2]), 40)
        self.assertEqual(seen[0], seen[1])
        done = self.tenon("convert", "-r", "in", "-o", "OUT/", "--to", "bplx", "-q")
        self.assertEqual((done.returncode, len(tree(self.folder / "OUT"))), (1, 297))

    def test_interrupting_leaves_no_temporary(self):
        make_models(self.folder / "in", 4000)
        for number, threads in ((signal.SIGINT, 4), (signal.SIGTERM, 2), (signal.SIGINT, 1)):
            child = subprocess.Popen([TENON, "convert", "-q", "-r", "in", "-o", "OUT/", "--to",
                                      "bplx", "-j", str(threads)], cwd=self.folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            end = time.time() + 60
            while not (self.folder / "OUT/000/01").exists() and time.time() < end:
                time.sleep(0.002)
            time.sleep(0.02)
            child.send_signal(number)
            child.communicate(timeout=60)
            if child.returncode != 0:  # It may have been faster.
                self.assertEqual(child.returncode, -number)
            self.assertEqual([p for p in (self.folder / "OUT").rglob("*") if ".tenon-" in p.name],
                             [])
            shutil.rmtree(self.folder / "OUT")

    def test_few_open_files_are_enough(self):
        make_models(self.folder / "in", 300)
        done = subprocess.run("ulimit -n 40; exec '%s' convert -q -r in -o OUT/ --to bplx -j 3"
                              % TENON, shell=True, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(tree(self.folder / "OUT")), 300)

    def test_timeout_is_a_failure_of_the_file(self):
        make_models(self.folder / "in", 20)
        shutil.copy(SAMPLES / "crane.glb", self.folder / "in/crane.glb")
        done = self.tenon("convert", "-r", "in", "-o", "OUT/", "--to", "gpb", "--verify",
                          "--timeout", "0.000001")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error[limit]: takes more than 1e-6 s", done.stderr)

    def test_summary_is_an_object(self):
        self.make_mixed()
        done = self.tenon("check", "-r", "in", "--json")
        last = json.loads(done.stdout.splitlines()[-1])["summary"]
        self.assertEqual((last["failed"], last["status"]), (2, 1))
        self.assertEqual([f["file"] for f in last["failures"]], ["in/cut.glb", "in/empty.gpb"])
        self.assertIn("not a model", last["reasons"])
        self.assertEqual(last["skipped"], sum(last["reasons"].values()))


if __name__ == "__main__":
    unittest.main()
