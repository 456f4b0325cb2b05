#!/usr/bin/env python3
"""test_import_damage.py: damaged files through tenon and tenon-import.

Of each format some files are damaged at random, always the same way. tenon must end with status 0
or 1, within its limits of time and memory, and leave no file and no process; tenon-import itself
may crash, but within the limits.

    test_import_damage.py [--long] [FORMAT...]

TENON names the tool. Skipped where tenon-import is not built.
"""
# SPDX-License-Identifier: MIT

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools")]
import pipe_messages  # noqa: E402
import small_files  # noqa: E402

TENON = os.path.abspath(os.environ.get("TENON", "build/release/tenon"))
SKIPPED = 77
SHORT, LONG = 24, 1000
MEMORY = 1 << 30  # Bytes, for tenon and what it starts.
CPU_SECONDS = 10
RARE = 20         # Only the long test has PLY, and not so many.


def importer():
    beside = Path(TENON).parent / "tenon-import"
    return os.environ.get("TENON_IMPORT") or (str(beside) if beside.exists() else
                                              shutil.which("tenon-import"))


def seeds(folder):
    """Whole files by name. PLY often catches Assimp in a loop, so that it takes long."""
    whole = {"a.dae": small_files.dae(), "a.obj": small_files.obj(), "a.ply": small_files.ply(),
             "a.stl": small_files.stl()}
    (folder / "s.dae").write_bytes(whole["a.dae"])
    subprocess.run([TENON, "convert", "-q", folder / "s.dae", folder / "s.glb"], check=True)
    whole["a.glb"] = (folder / "s.glb").read_bytes()
    for name in ("s.dae", "s.glb"):
        (folder / name).unlink()
    return whole


def run(command, sessions, data=None):
    """Exit status, seconds, bytes of memory of a command and all that it started.

    `sessions` gets the session that these processes are in. With `data`, the command is
    tenon-import with the limits that tenon sets: `data` is its model, without other files.
    """
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    start = time.monotonic()
    with tempfile.TemporaryFile() as messages:
        if data is not None:
            name = os.fsencode(Path(command[-1]).name)
            messages.write(pipe_messages.lone_model_messages(name, data))
            messages.seek(0)
            command = [*command[:-1], "--pipes"]
        process = subprocess.Popen(command, stdin=messages, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=None if data is None else limit)
        sessions.add(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.monotonic() - start, usage.ru_maxrss * 1024


def remaining_processes(program, sessions):
    """Processes of that program in these sessions that still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            session = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[3])
            is_ours = os.readlink(entry / "exe") == os.path.realpath(program)
            if is_ours and session in sessions:
                found.append(entry.name)
        except OSError:
            pass
    return found


class Trial:
    """One format, many damaged files."""

    def __init__(self, name, whole, count, folder):
        self.name, self.whole, self.count, self.folder = name, whole, count, folder
        self.statuses, self.faults, self.sessions = Counter(), [], set()
        self.slowest, self.largest = 0.0, 0

    def note(self, index, what, allowed, status, seconds, memory):
        self.statuses[f"{what} {status}"] += 1
        self.slowest, self.largest = max(self.slowest, seconds), max(self.largest, memory)
        if status not in allowed or memory > MEMORY:
            self.faults.append(f"{self.name} {index}: {what}: status {status}, {seconds:.1f} s, "
                               f"{memory >> 20} MiB")

    def go(self):
        rng = random.Random(self.name)
        out = self.folder / "out.glb"
        path = self.folder / self.name
        any_status = range(-64, 256)
        for index in range(self.count):
            data = b"" if index == 0 else small_files.damage(self.whole, rng)
            path.write_bytes(data)
            command = ["info", "--full"] if index % 2 else ["convert", "-q", "-f"]
            more = [] if index % 2 else [out]
            self.note(index, command[0], (0, 1),
                      *run([TENON, *command, path, *more], self.sessions))
            self.note(index, "import", any_status,
                      *run([importer(), path], self.sessions, data))
            out.unlink(missing_ok=True)
            left = set(os.listdir(self.folder)) - {self.name}
            if left:
                self.faults.append(f"{self.name} {index}: files left: {sorted(left)}")
        path.unlink()

    def report(self):
        counts = ", ".join(f"{what}: {n}" for what, n in sorted(self.statuses.items()))
        print(f"{self.name}: {counts}; at most {self.slowest:.2f} s, {self.largest >> 20} MiB")
        for fault in self.faults[:10]:
            print("  " + fault)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("formats", nargs="*")
    args = parser.parse_args()
    if not importer() or not Path(importer()).exists():
        print("skipped: tenon-import is not built")
        return SKIPPED
    faults, sessions = 0, set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file_name, whole in seeds(folder).items():
            if args.formats and file_name not in args.formats:
                continue
            is_rare = file_name == "a.ply"
            if is_rare and not args.long:
                continue
            count = LONG // (RARE if is_rare else 1) if args.long else SHORT
            trial = Trial(file_name, whole, count, folder)
            trial.go()
            trial.report()
            faults += len(trial.faults)
            sessions |= trial.sessions
    left = remaining_processes(importer(), sessions)
    if left:
        print(f"processes left: {left}")
    return 1 if faults or left else 0


if __name__ == "__main__":
    sys.exit(main())
