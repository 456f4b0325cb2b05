#!/usr/bin/env python3
"""test_batch_manifest.py: runs that continue earlier ones: manifests, shards, and kills at any
moment. `--long` kills 50 times."""
# SPDX-License-Identifier: MIT

import json
import os
import random
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
SAMPLES = ROOT / "samples"
KILLS = 50 if "--long" in sys.argv else 8


def tree(folder):
    """The outputs in a folder, by name, without the manifests."""
    folder = Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".tenon-manifest")}


class Manifest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-manifest-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.source, self.out = self.folder / "in", self.folder / "out"

    def tenon(self, *words):
        return subprocess.run([TENON, *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, timeout=600)

    def convert(self, *words, status=0):
        done = self.tenon("convert", "-r", "in", "-o", "out/", "--to", "gpb", "--skip-unchanged",
                          "--json", *words)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout[-2000:])
        return json.loads(done.stdout.splitlines()[-1])["summary"]

    def test_only_what_changed_is_converted(self):
        make_models(self.source, 40, 20)
        shutil.copy(SAMPLES / "crane.bbmod", self.source)
        for path in SAMPLES.glob("crane*.bb*"):
            shutil.copy(path, self.source / path.name)
        self.assertEqual(self.convert()["converted"], 41)
        self.assertEqual(self.convert()["unchanged"], 41)
        first = tree(self.out)
        model = self.source / "000/01/model000033.glb"
        for change, count in (
                (lambda: os.utime(model), 0),                               # Only its time,
                (lambda: model.write_bytes(small_glb(1033)), 1),            # its content,
                (lambda: (self.source / "crane_lift.bbanim").unlink(), 1),  # a sidecar is gone,
                (lambda: shutil.copy(SAMPLES / "crane_lift.bbanim", self.source), 1),  # is back,
                (lambda: shutil.copy(SAMPLES / "crane_lift.bbanim",         # or is new,
                                     self.source / "crane_up.bbanim"), 1),
                (lambda: (self.source / "crane_paint.bbmat").write_text("{}"), 1)):  # has changed.
            change()
            self.assertEqual(self.convert().get("converted"), count)
            self.assertEqual(self.convert()["converted"], 0)
        # Other options are another output; after that, the first ones are again.
        self.assertEqual(self.convert("--scale", 2)["converted"], 41)
        self.assertEqual(self.convert("--scale", 2)["converted"], 0)
        for path in SAMPLES.glob("crane*.bb*"):
            shutil.copy(path, self.source / path.name)
        (self.source / "crane_up.bbanim").unlink()
        model.write_bytes(small_glb(33))
        self.assertEqual(self.convert("-j", 3)["converted"], 41)
        self.assertEqual(tree(self.out), first)

    def test_times_do_not_matter(self):
        """After a copy, as in CI, every time and every number of a file is another one."""
        make_models(self.source, 20)
        self.convert()
        for name in ("in", "out"):
            shutil.copytree(self.folder / name, self.folder / (name + "2"))
            shutil.rmtree(self.folder / name)
            (self.folder / (name + "2")).rename(self.folder / name)
        self.assertEqual(self.convert()["unchanged"], 20)

    def test_a_file_that_has_just_changed_is_read_again(self):
        """Its time may stay the same when it changes once more."""
        make_models(self.source, 2)
        one, other = sorted(self.source.rglob("*.glb"))
        os.utime(one, (4e9, 4e9))
        os.utime(other, (1e9, 1e9))
        time.sleep(0.2)  # The other one is old by now, however long this takes.
        self.convert()
        fields = {line.split("\t")[1]: line.split("\t") for line in
                  (self.out / ".tenon-manifest").read_text().splitlines()[1:]}
        stamps = {name: text[text.index("1") + 2] for name, text in fields.items()}
        self.assertEqual([bool(stamps[name]) for name in sorted(stamps)], [False, True])
        self.assertEqual(self.convert()["unchanged"], 2)

    def test_edited_and_foreign_files_stay(self):
        make_models(self.source, 10)
        self.convert()
        edited = self.out / "000/00/model000003.gpb"
        edited.write_bytes(b"edited")
        (self.source / "000/00/foreign.glb").write_bytes(small_glb(77))
        foreign = self.out / "000/00/foreign.gpb"
        foreign.write_bytes(b"foreign")
        summary = self.convert(status=2)
        self.assertEqual((summary["unchanged"], summary["failed"]), (9, 2))
        self.assertEqual((edited.read_bytes(), foreign.read_bytes()), (b"edited", b"foreign"))
        self.assertEqual(self.convert("--force")["converted"], 2)
        self.assertEqual(self.convert()["unchanged"], 11)

    def test_prune_removes_only_what_was_written(self):
        make_models(self.source, 30, 10)
        self.convert()
        shutil.rmtree(self.source / "000/01")
        (self.source / "000/02/model000025.glb").unlink()
        (self.source / "000/02/model000026.glb").unlink()
        (self.out / "000/02/model000026.gpb").write_bytes(b"edited")
        (self.out / "000/02/mine.txt").write_text("mine")
        before = tree(self.out)
        self.convert("--prune", "--dry-run", status=2)
        self.assertEqual(tree(self.out), before)
        # What is not selected is not gone.
        self.convert("--prune", "--exclude", "00", "--exclude", "02*6.glb", status=2)
        self.assertFalse((self.out / "000/01").exists())
        self.assertTrue((self.out / "000/00/model000000.gpb").exists())
        self.assertEqual((self.out / "000/02/model000026.gpb").read_bytes(), b"edited")
        self.assertTrue((self.out / "000/02/mine.txt").exists())
        self.assertFalse((self.out / "000/02/model000025.gpb").exists())
        self.assertEqual(self.convert("--prune")["unchanged"], 18)

    def test_damaged_manifest_is_not_trusted(self):
        make_models(self.source, 10)
        self.convert()
        manifest = self.out / ".tenon-manifest"
        sound = manifest.read_bytes()
        for damaged in (b"", b"something else\n", sound[:-20], sound[:300] + b"?" + sound[301:],
                        sound.replace(b"\t", b" ", 1), sound + b"\n", sound + b"\0" * 40):
            manifest.write_bytes(damaged)
            done = self.tenon("convert", "-r", "in", "-o", "out/", "--to", "gpb", "-q",
                              "--skip-unchanged")
            self.assertEqual(done.returncode, 2, damaged[:40])
            self.assertIn("this manifest is not used", " ".join(done.stderr.split()))
            manifest.write_bytes(sound)
            self.assertEqual(self.convert()["unchanged"], 10)

    def test_two_runs_do_not_write_one_manifest(self):
        make_models(self.source, 3000)
        first = subprocess.Popen([TENON, "convert", "-q", "-r", "in", "-o", "out/", "--to", "gpb",
                                  "--skip-unchanged"], cwd=self.folder)
        end = time.time() + 60
        while not (self.out / ".tenon-manifest.log").exists() and time.time() < end:
            time.sleep(0.001)
        done = self.tenon("convert", "-r", "in", "-o", "out/", "--to", "gpb", "--skip-unchanged")
        if first.poll() is None or done.returncode:
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("another run is writing to this folder", done.stderr)
        self.assertEqual(first.wait(), 0)

    def test_what_a_killed_run_left_is_removed(self):
        """Also where every output is there already."""
        make_models(self.source, 30)
        self.convert()
        expected = tree(self.out)
        manifest = next(self.out.glob(".tenon-manifest*"))
        output = next(self.out.rglob("*.gpb"))
        left = output.with_name(f".{output.name}.tenon-0123456789abcdef")
        left.write_bytes(b"half of a model")
        self.assertEqual(self.convert()["unchanged"], 30)
        self.assertTrue(left.exists())  # It may be that of a run that goes on.
        head = manifest.read_bytes().split(b"\n")[0] + b"\n"
        (self.out / ".tenon-manifest.log").write_bytes(head)
        self.assertEqual(self.convert()["unchanged"], 30)
        self.assertEqual(tree(self.out), expected)

    def test_runs_that_are_killed_continue(self):
        make_models(self.source, 1500)
        whole = self.folder / "whole"
        done = self.tenon("convert", "-q", "-r", "in", "-o", "whole/", "--to", "gpb")
        self.assertEqual(done.returncode, 0)
        expected = tree(whole)
        chance = random.Random(1)
        begun = time.time()
        self.convert("-j", 2)
        seconds = time.time() - begun
        shutil.rmtree(self.out)
        for i in range(KILLS):
            if i % 6 == 5 or not self.out.exists():
                shutil.rmtree(self.out, ignore_errors=True)
            child = subprocess.Popen([TENON, "convert", "-q", "-r", "in", "-o", "out/", "--to",
                                      "gpb", "--skip-unchanged", "-j", str(1 + i % 3)],
                                     cwd=self.folder)
            time.sleep(seconds * chance.random())
            child.send_signal(signal.SIGKILL)
            child.wait()
            for name, content in tree(self.out).items():
                if ".tenon-" not in name:  # A temporary file.
                    self.assertEqual(content, expected[name], name)
        self.convert()
        self.assertEqual(tree(self.out), expected)
        self.assertEqual(self.convert()["unchanged"], 1500)

    def test_shards_are_one_run(self):
        make_models(self.source, 200, 20)
        shutil.copy(SAMPLES / "crane.bplx", self.source)
        (self.source / "cut.glb").write_bytes(small_glb(3)[:99])
        (self.source / "a.txt").write_text("no model")
        (self.source / "b.txt").write_text("no model")
        for name in ("000/notes.md", "crane.png"):
            (self.source / name).write_text("?")
        done = self.tenon("convert", "-q", "-r", "in", "-o", "whole/", "--to", "gpb", "--report",
                          "whole.json")
        self.assertEqual(done.returncode, 1)
        counts = []
        for shard in (3, 1, 5, 2, 4):
            done = self.tenon("convert", "-q", "-r", "in", "-o", "out/", "--to", "gpb", "--shard",
                              "%d/5" % shard, "--skip-unchanged", "--report", "%d.json" % shard)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            counts.append(len(json.loads((self.folder / ("%d.json" % shard)).read_text())))
        self.assertGreater(min(counts), 20)
        self.assertEqual(tree(self.out), tree(self.folder / "whole"))
        done = self.tenon("report", "merge", *("%d.json" % i for i in range(1, 6)), "-o",
                          "merged.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        merged = (self.folder / "merged.json").read_text().replace('"out/', '"whole/')
        self.assertEqual(merged, (self.folder / "whole.json").read_text())
        # A run without shards uses what they have made.
        self.assertEqual(self.convert(status=1)["unchanged"], 201)
        done = self.tenon("report", "merge", *sorted(self.out.glob(".tenon-manifest-*")), "-o",
                          "manifest")
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in self.out.glob(".tenon-manifest*"):
            path.unlink()
        shutil.copy(self.folder / "manifest", self.out / ".tenon-manifest")
        self.assertEqual(self.convert(status=1)["unchanged"], 201)

    def test_shards_can_run_at_once(self):
        """They create the same folders, and read the manifests that others write."""
        make_models(self.source, 400, 5)
        self.assertEqual(self.tenon("convert", "-q", "-r", "in", "-o", "whole/", "--to",
                                    "gpb").returncode, 0)
        for _ in range(2):
            shutil.rmtree(self.out, ignore_errors=True)
            shards = [subprocess.Popen([TENON, "convert", "-q", "-r", "in", "-o", "out/", "--to",
                                        "gpb", "--skip-unchanged", "-j", "2", "--shard",
                                        "%d/8" % i], cwd=self.folder, stderr=subprocess.PIPE,
                                       text=True) for i in range(1, 9)]
            said = [shard.communicate()[1] for shard in shards]
            self.assertEqual([shard.returncode for shard in shards], [0] * 8, said)
            self.assertEqual(tree(self.out), tree(self.folder / "whole"))

    def test_folders_below_a_link_are_inside(self):
        make_models(self.source, 4, 2)
        (self.folder / "real").mkdir()
        self.out.symlink_to("real")
        for words in (("--dry-run",), ()):
            done = self.tenon("convert", "-q", "-r", "in", "-o", "out/", "--to", "gpb", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_wrong_shards_are_refused(self):
        for wrong in ("0/4", "5/4", "1", "a/b", "1/0", "-1/2", "1/2/3"):
            done = self.tenon("convert", "-r", "in", "-o", "out/", "--shard", wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn("expected K/N", done.stderr)

    def test_check_only_changes_nothing(self):
        make_models(self.source, 12)
        done = self.tenon("convert", "-r", "in", "-o", "out/", "--to", "gpb", "--check-only")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.out.exists())
        self.convert()
        self.assertEqual(self.convert("--check-only")["unchanged"], 12)
        (self.source / "000/00/model000002.glb").unlink()
        self.convert("--check-only", status=1)
        self.convert("--prune")
        self.convert("--check-only")
        (self.source / "000/00/model000004.glb").write_bytes(small_glb(5))
        before = tree(self.folder)
        summary = self.convert("--check-only", status=1)
        self.assertEqual((summary["unchanged"], summary["failed"]), (10, 1))
        self.assertEqual(tree(self.folder), before)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--long"])
