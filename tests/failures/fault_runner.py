"""fault_runner.py: runs commands with a fault in them and judges the results.

The tool is named by TENON, the library that makes calls fail (faults.c) by TENON_FAULTS.
"""
# SPDX-License-Identifier: MIT

import errno
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scenarios import MODELS, ROOT

SKIPPED = 77
SEED = 20  # Which faults are tried where not all are.
LARGE_MOST = 1000  # Faults that are tried where large files are read.
TIMEOUT = 1800  # Seconds; only against hanging.
TEMPORARY = ".tenon-"
MESSAGE = re.compile(r"(?:: error\[[a-z]+\]: |^tenon: )", re.M)
SYSTEM = 3  # The exit status of failures of the system.


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def tool():
    return Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()


def faults():
    path = os.environ.get("TENON_FAULTS", "")
    if not Path(path).is_file():
        skip("the library that makes calls fail is not built (Linux only)")
    return path


# -- One run

@dataclass(frozen=True)
class Fault:
    """Which call fails: its operation and number, `once` or for `ever`, and how."""
    operation: str
    number: int
    how: str = "once"
    what: str = f"error={errno.ENOMEM}"

    def __str__(self):
        return f"{self.operation}:{self.number}:{self.how}:{self.what}"


@dataclass
class Outcome:
    status: int
    out: bytes
    err: bytes
    files: dict  # Name: bytes.
    calls: dict  # Operation: how many there were; "failed": how many of them were made to fail.

    def same_as(self, other):
        return (self.status, self.out, self.err, self.files) == (
            other.status, other.out, other.err, other.files)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def environment(fault, log):
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("LC_", "TENON")) and name not in ("LANG", "COLUMNS")}
    env.update(LD_PRELOAD=faults(), TENON_FAULT_LOG=str(log), TENON_PAGE="page.html")
    # With a sanitizer, the library comes before its runtime; what is not freed at a crash is fine.
    env.update(ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0:exitcode=99",
               UBSAN_OPTIONS="exitcode=99:halt_on_error=1")
    if fault:
        env["TENON_FAULT"] = str(fault)
    return env


def read_log(log):
    text = log.read_text() if log.exists() else ""
    return {key: int(value) for key, value in (word.split("=") for word in text.split())}


class Place:
    """A folder in which a scenario runs, again and again."""

    def __init__(self, scenario, folder):
        self.scenario, self.folder = scenario, folder / "here"
        self.log = folder / "log"
        self.before = given_files(scenario)
        self.is_clean = False

    def clean(self):
        if self.is_clean:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name, data in self.before.items():
            (self.folder / name).write_bytes(data)
        self.is_clean = True

    def run(self, fault=None):
        self.clean()
        self.log.unlink(missing_ok=True)
        done = subprocess.run([str(tool()), *self.scenario.args], cwd=self.folder, timeout=TIMEOUT,
                              env=environment(fault, self.log), stdin=subprocess.DEVNULL,
                              capture_output=True)
        files = contents(self.folder)
        self.is_clean = files == self.before and not any(
            path.is_dir() for path in self.folder.iterdir())
        return Outcome(done.returncode, done.stdout, done.stderr, files, read_log(self.log))


def given_bytes(path):
    if isinstance(path, bytes):
        return path
    if not path:
        return dump_of("full.bmw")
    path, _, cut = path.partition("#")
    data = (ROOT / path).read_bytes()
    return data[:len(data) - int(cut or 0)]


def given_files(scenario):
    return {name: given_bytes(path) for name, path in scenario.given.items()}


def dump_of(model):
    return subprocess.run([str(tool()), "dump", str(ROOT / MODELS[model])], check=True,
                          capture_output=True).stdout


# -- Judging

def judge(scenario, fault, before, whole, now):
    """What is wrong with an outcome, in words; `whole` is the one without a fault."""
    if now.status < 0 or now.status > SYSTEM:
        return f"it ends with status {now.status}: {now.err.decode(errors='replace')[-400:]}"
    leftovers = [name for name in now.files if TEMPORARY in name]
    if leftovers and fault.operation != "remove":
        return f"temporaries stay: {leftovers}"
    if now.same_as(whole):
        return None
    files = {name: data for name, data in now.files.items() if name not in leftovers}
    if fault.operation == "stat" and scenario.command in ("info", "formats") and now.out:
        return None  # They report what can be seen of files, and these cannot be seen.
    if now.status != SYSTEM:
        return f"the status is {now.status}, but {difference(whole, now, files)}"
    return mixed(scenario, before, whole, files) or silent(scenario, now)


def mixed(scenario, before, whole, files):
    """Nothing has changed, or everything; of several files, each separately, except the report."""
    if files in (before, whole.files):
        return None
    odd = [name for name, data in files.items() if data not in (before.get(name),
                                                                whole.files.get(name))]
    if scenario.is_many and odd in ([], ["r.json"], ["sheet.png"]):
        return None
    return f"files are neither old nor new: {sorted(set(files) ^ set(whole.files))} {odd}"


def silent(scenario, now):
    """There is exactly one message."""
    count = len(MESSAGE.findall(now.err.decode(errors="replace")))
    if count == 1 or (scenario.is_many and count) or (not count and b'"error"' in now.out):
        return None
    return f"there are {count} messages: {now.err.decode(errors='replace')[-300:]}"


def difference(whole, now, files):
    if files != whole.files:
        return f"the files differ: {sorted(files)} and {sorted(whole.files)}"
    if now.out != whole.out:
        return f"other things are printed: {now.out[-300:]!r}"
    return f"other things are reported: {now.err.decode(errors='replace')[-300:]}"


# -- Many runs

class Campaign:
    """Scenarios, each with all its faults or with some of them, on all processors."""

    def __init__(self, most=None):
        self.most = most  # Faults of a scenario that are tried; None: all.
        self.runs = {}    # Command: how many.
        self.wrong = []
        self.lock = threading.Lock()

    def choose(self, scenario, found):
        """All, or some; for commands that read large files, some in any case."""
        most = self.most or (LARGE_MOST if scenario.is_large else len(found))
        if len(found) <= most:
            return found
        return random.Random(f"{SEED} {scenario.name}").sample(found, most)

    def try_scenario(self, scenario, faults_of):
        with tempfile.TemporaryDirectory(prefix="tenon-fail-") as folder:
            place = Place(scenario, Path(folder))
            whole = place.run()
            if whole.status > 1 or not whole.calls:
                self.note(scenario, 0, f"it fails without a fault: {whole.err!r}")
                return
            chosen = self.choose(scenario, faults_of(whole.calls))
            for fault in chosen:
                wrong = judge(scenario, fault, place.before, whole, place.run(fault))
                if wrong:
                    self.note(scenario, 0, f"{fault}: {wrong}")
            self.note(scenario, len(chosen))

    def note(self, scenario, count, wrong=None):
        with self.lock:
            self.runs[scenario.command] = self.runs.get(scenario.command, 0) + count
            if wrong:
                self.wrong.append(f"{scenario.name}: {wrong}")

    def run(self, scenarios, faults_of):
        faults()
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for done in [pool.submit(self.try_scenario, s, faults_of) for s in scenarios]:
                done.result()

    def end(self):
        for line in self.wrong[:200]:
            print(line)
        total = sum(self.runs.values())
        print(f"{total} faults: " + ", ".join(f"{k} {v}" for k, v in sorted(self.runs.items())))
        print(f"{len(self.wrong)} of them are wrong" if self.wrong else "ok")
        return 1 if self.wrong else 0
