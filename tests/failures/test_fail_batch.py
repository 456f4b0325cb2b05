#!/usr/bin/env python3
"""test_fail_batch.py: runs over many files in four threads when the disk is full, fails or is
read-only: the files that were written are whole, no temporary file is left, each failure is
reported, and a later run completes the work. And runs beside others in the same folder.
"""
# SPDX-License-Identifier: MIT

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from batch_models import make_models  # noqa: E402
from fault_runner import Fault, contents, environment, faults, skip, tool  # noqa: E402
from test_fail_system import mount  # noqa: E402

COUNT = 600


def run(folder, *words, env=None):
    return subprocess.run([tool(), "convert", "-r", "in", "-o", "disk/", "--to", "gpb", "-j", "4",
                           "--skip-unchanged", *words], cwd=folder, capture_output=True, text=True,
                          env=env, timeout=600)


def judge(done, disk, expected, what):
    """What a run has left after a failure."""
    files = {name: data for name, data in contents(disk).items()
             if not name.startswith(".tenon-manifest")}
    assert done.returncode == 3, f"{what}: {done}"
    assert done.stderr, f"{what}: nothing was said"
    for name, data in files.items():
        assert ".tenon-" not in name, f"{what}: {name} was left"
        assert data == expected[name], f"{what}: {name} is damaged"
    return len(files)


def full_disk(folder, disk, expected):
    """A disk that becomes full at several places. A message may be missing, but no bytes."""
    seen = set()
    for size in (16 << 10, 200 << 10, 700 << 10, 1500 << 10, 2500 << 10):
        unmount = mount(disk, size)
        if not unmount:
            skip("no file system can be mounted here: needs root")
        try:
            seen.add(judge(run(folder), disk, expected, f"disk of {size} bytes"))
            # More room: the run continues.
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
            done = run(folder)
            assert done.returncode == 0, f"after a disk of {size} bytes: {done}"
            left = {name: data for name, data in contents(disk).items()
                    if not name.startswith(".tenon-manifest")}
            assert left == expected, f"after a disk of {size} bytes"
        finally:
            unmount()
    assert len(seen) > 2, f"the disk was always full at the same place: {seen}"


def read_only(folder, disk):
    unmount = mount(disk, 1 << 20)
    try:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        done = run(folder)
        assert done.returncode == 3 and done.stderr, f"read-only: {done}"
    finally:
        unmount()


def failing_disk(folder, disk, expected):
    """Operations fail once, or from some call on."""
    log = folder / "log"
    for operation in ("sync", "write", "rename", "open", "lock", "close"):
        for number, how in ((3, "once"), (40, "ever"), (900, "ever"), (1500, "once")):
            fault = Fault(operation, number, how, f"error={errno.EIO}")
            done = run(folder, env=environment(fault, log))
            what = str(fault)
            assert done.returncode in (0, 1, 2, 3), f"{what}: {done}"
            files = {name: data for name, data in contents(disk).items()
                     if not name.startswith(".tenon-manifest")}
            for name, data in files.items():
                assert name not in expected or data == expected[name], f"{what}: {name} is damaged"
            if done.returncode == 0:
                assert set(expected) <= set(files), f"{what}: files are missing"
            # Without the fault it goes on, whatever was left.
            done = run(folder)
            assert done.returncode == 0, f"after {what}: {done}"
            assert {n: d for n, d in contents(disk).items()
                    if not n.startswith(".tenon-manifest")} == expected, f"after {what}"
            subprocess.run(["rm", "-rf", str(disk)], check=True)


def rivals(folder, disk, expected):
    """Other shards create and remove the same folders, and end, at the worst moments."""
    for rival in ("make", "remove", "log"):
        disk.mkdir()
        log = disk / ".tenon-manifest-2-of-8.log"
        log.write_bytes((folder / "whole/.tenon-manifest").read_bytes())
        env = environment(Fault("read", 0), folder / "log")
        done = run(folder, env=dict(env, TENON_RIVAL=rival))
        assert (done.returncode, "error" in done.stderr) == (0, False), f"{rival}: {done}"
        assert log.exists() == (rival != "log"), f"{rival}: the log was not looked at"
        assert {n: d for n, d in contents(disk).items()
                if not n.startswith(".tenon-manifest")} == expected, rival
        subprocess.run(["rm", "-rf", str(disk)], check=True)


def main():
    faults()
    with tempfile.TemporaryDirectory(prefix="tenon-fail-batch-") as name:
        folder = Path(name)
        make_models(folder / "in", COUNT, 50)
        subprocess.run([tool(), "convert", "-q", "-r", "in", "-o", "whole/", "--to", "gpb",
                        "--skip-unchanged"], cwd=folder, check=True)
        expected = contents(folder / "whole")
        expected.pop(".tenon-manifest")
        disk = folder / "disk"
        rivals(folder, disk, expected)
        failing_disk(folder, disk, expected)
        disk.mkdir()
        full_disk(folder, disk, expected)
        read_only(folder, disk)
    print(f"batch: {COUNT} files in four threads on disks that fail")


if __name__ == "__main__":
    main()
