#!/usr/bin/env python3
"""Run the fuzzers, each format separately, and print what they did.

    fuzz.py BUILD [--time SECONDS] [--only PATTERN]... [--also FOLDER]... [--length BYTES]
                  [--jobs N] [--ledger FILE] [--minimize] [--list]

BUILD holds the programs of the preset `fuzz`. A target is a fuzzer and a format: `read.bmw` reads
every input as BMW, `write.gpb` writes every scene as GPB. The time is shared by all targets that a
PATTERN (`read.*`) matches. Seeds are the fixtures, the samples, the inputs under fuzz/corpus and
what is in the folders of --also; words are those that occur in them. New inputs are kept in
BUILD/corpus/TARGET. --minimize then puts inputs that reach code that no seed reaches under
fuzz/corpus, for the tests to replay; not together with --also, since that is published.

The last line of a run counts executions and findings; the status is 1 if there was one.
"""
# SPDX-License-Identifier: MIT

import argparse
import collections
import datetime
import fnmatch
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
NATIVE = ("bbanim", "bbmod", "bmw", "bplx", "gpb", "modeldata")
READ = NATIVE + ("gltf", "obj", "fbx")
WRITTEN = [name for name in READ if name not in ("bbanim", "fbx")]  # BBMOD writes the first.
SUFFIXES = {"modeldata": ("cem", "cea"), "gltf": ("glb", "gltf"), "json": ("json", "gltf"),
            "sides": ("bbmat", "material", "json"), "picture": ("dds", "png", "jpg", "tga")}
SEED_MOST = 64 << 10    # Larger files are slow, and add nothing.
KEPT_MOST = 4 << 10     # Of the inputs that are published.
WORDS_MOST = 200
# Half as fast again; one input frees far less than 4 MB, so every use after free is still found.
QUICK_OPTIONS = "malloc_context_size=1:quarantine_size_mb=4:check_printf=0:max_redzone=64"

Target = collections.namedtuple("Target", "name program format environment")


def targets():
    """All targets; the format says which files are seeds, None for all."""
    for name in READ:
        yield Target("read." + name, "fuzz_read", name, {"TENON_FUZZ_FORMAT": name})
    for name in NATIVE:
        yield Target("quick." + name, "fuzz_quick", name,
                     {"TENON_FUZZ_FORMAT": name, "ASAN_OPTIONS": QUICK_OPTIONS})
    for name in WRITTEN:
        yield Target("write." + name, "fuzz_convert", None, {"TENON_FUZZ_TO": name})
    yield Target("convert", "fuzz_convert", None, {})
    yield Target("scene", "fuzz_scene", None, {})
    yield Target("scene.fbx", "fuzz_scene", "fbx", {"TENON_FUZZ_FORMAT": "fbx"})
    yield Target("render", "fuzz_render", None, {})
    yield Target("api", "fuzz_api", None, {})
    yield Target("budget", "fuzz_budget", None, {})
    yield Target("formats", "fuzz_formats", None, {})
    yield Target("beside", "fuzz_beside", "beside", {})
    yield Target("files", "fuzz_files", None, {})
    yield Target("tool", "fuzz_tool", "tool", {})
    yield Target("picture", "fuzz_picture", "picture", {})
    yield Target("mtl", "fuzz_mtl", "mtl", {})
    yield Target("sides", "fuzz_sides", "sides", {})
    yield Target("json", "fuzz_json", "json", {})
    yield Target("inflate", "fuzz_inflate", "inflate", {})
    yield Target("meshopt", "fuzz_meshopt", "meshopt", {})


# -- Seeds and words

def is_of(path, form):
    return form is None or path.suffix[1:].lower() in SUFFIXES.get(form, (form,))


def seed_files(target, also):
    """Our files of that format, or of all formats."""
    folders = [ROOT / "tests" / "fixtures", ROOT / "samples"] + [Path(name) for name in also]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and is_of(path, target.format) and path.stat().st_size <= SEED_MOST:
                yield path
    for name in [target.format] if target.format else READ:
        yield from sorted((CORPUS / name).glob("*"))


def copy_seeds(target, also, folder):
    """To a separate folder, by their hashes."""
    for path in seed_files(target, also):
        data = path.read_bytes()
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def quoted(word):
    return '"%s"' % "".join("\\x%02x" % byte for byte in word)


def write_words(target, folder, out):
    """The texts that occur most often in the seeds, and those in fuzz/dict."""
    counts = collections.Counter()
    for path in folder.iterdir():
        counts.update(set(re.findall(rb"[\x20-\x7e]{3,24}", path.read_bytes())))
    ours = [ROOT / "fuzz" / "dict" / (name + ".dict") for name in ("models", target.format or "")]
    lines = [path.read_text() for path in ours if path.exists()]
    lines += [quoted(word) for word, _ in counts.most_common(WORDS_MOST)]
    out.write_text("\n".join(lines) + "\n")


# -- Running

class Run:
    """One target, with its folders; the fuzzer runs from start() to finish()."""

    def __init__(self, build, target, options):
        self.target = target
        self.program = build / target.program
        self.corpus = build / "corpus" / target.name
        self.seeds = build / "seeds" / target.name
        self.words = build / (target.name + ".dict")
        self.log = build / (target.name + ".log")
        self.finding = build / (target.name + ".")
        self.options = options
        self.executions = self.seconds = 0
        self.is_clean = True

    def prepare(self):
        shutil.rmtree(self.seeds, ignore_errors=True)
        for folder in (self.corpus, self.seeds):
            folder.mkdir(parents=True, exist_ok=True)
        copy_seeds(self.target, self.options.also, self.seeds)
        write_words(self.target, self.seeds, self.words)

    def start(self, seconds):
        self.prepare()
        command = [str(self.program), "-max_total_time=%d" % seconds, "-print_final_stats=1",
                   "-max_len=%d" % self.options.length, "-dict=%s" % self.words, "-timeout=300",
                   "-artifact_prefix=%s" % self.finding, str(self.corpus), str(self.seeds)]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=self.environment())

    def environment(self):
        return {**os.environ, **self.target.environment}

    def finish(self):
        """Returns when the fuzzer has ended, with what it used."""
        _, status, usage = os.wait4(self.process.pid, 0)
        self.seconds = usage.ru_utime + usage.ru_stime
        self.is_clean = status == 0
        text = self.log.read_text(errors="replace")
        found = re.search(r"number_of_executed_units: (\d+)", text)
        self.executions = int(found.group(1)) if found else 0
        reached = re.findall(r"cov: (\d+)", text)
        print("%-16s %7.0f s %12s executions %6s edges  %s" % (
            self.target.name, self.seconds, "{:,}".format(self.executions),
            reached[-1] if reached else "0",
            "nothing found" if self.is_clean else "FOUND, see %s" % self.log), flush=True)

    def minimize(self):
        """Inputs that reach code that no seed reaches, to fuzz/corpus."""
        with tempfile.TemporaryDirectory() as name:
            known = {path.name for path in self.seeds.iterdir()}
            for path in self.seeds.iterdir():
                shutil.copy(path, name)
            subprocess.run([str(self.program), "-merge=1", "-max_len=%d" % KEPT_MOST,
                            "-use_counters=0", name, str(self.corpus)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=self.environment())
            new = [path for path in Path(name).iterdir()
                   if path.name not in known and 0 < path.stat().st_size <= KEPT_MOST]
            folder = CORPUS / self.target.format
            folder.mkdir(parents=True, exist_ok=True)
            for path in new:
                shutil.copy(path, folder / hashlib.sha1(path.read_bytes()).hexdigest()[:12])
        print("%-16s %d inputs added" % (self.target.name, len(new)))


def run_all(runs, seconds, jobs):
    """A few at a time, each for its share."""
    share = max(1, int(seconds * jobs / len(runs)))
    for start in range(0, len(runs), jobs):
        group = runs[start:start + jobs]
        for run in group:
            run.start(share)
        for run in group:
            run.finish()


# -- The ledger

def spoken(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return ("%d h " % hours if hours else "") + "%d min %d s" % (minutes, seconds)


def unspoken(text):
    """The seconds of `1 h 2 min 3 s`."""
    units = {"h": 3600, "min": 60, "s": 1}
    return sum(int(count) * units[unit] for count, unit in re.findall(r"(\d+) (h|min|s)\b", text))


def append_rows(path, runs):
    """After the last row of the table, adding up its last two columns."""
    lines = path.read_text().split("\n")
    last = max(i for i, line in enumerate(lines) if re.match(r"\| \d{4}-\d\d-\d\d \|", line))
    cells = [cell.strip() for cell in lines[last].strip("|").split("|")]
    seconds, executions = unspoken(cells[6]), int(cells[7].replace(",", ""))
    rows = []
    for run in runs:
        seconds += round(run.seconds)
        executions += run.executions
        rows.append("| %s | `%s` | %s | %s | %s | %d | %s | %s |" % (
            datetime.date.today(), run.target.program, run.target.name.partition(".")[2] or "all",
            spoken(run.seconds), "{:,}".format(run.executions), not run.is_clean,
            spoken(seconds), "{:,}".format(executions)))
    lines[last + 1:last + 1] = rows
    path.write_text("\n".join(lines))


# -- From the command line

def chosen(patterns):
    return [target for target in targets()
            if any(fnmatch.fnmatch(target.name, pattern) for pattern in patterns or ["*"])]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--time", type=int, default=600, help="seconds in all (600)")
    parser.add_argument("--only", action="append", help="targets, like read.*")
    parser.add_argument("--also", action="append", default=[], help="a folder of more seeds")
    parser.add_argument("--length", type=int, default=16384, help="of inputs, at most (16384)")
    parser.add_argument("--jobs", type=int, default=1, help="fuzzers at a time (1)")
    parser.add_argument("--ledger", type=Path, help="a table to add rows to")
    parser.add_argument("--minimize", action="store_true")
    parser.add_argument("--list", action="store_true", help="only name the targets")
    return parser.parse_args()


def main():
    options = parse_arguments()
    some = chosen(options.only)
    if options.list:
        print("\n".join(target.name for target in some))
        return
    if not some:
        sys.exit("no target has such a name; --list lists them")
    if options.minimize and options.also:
        sys.exit("what was learned from other people's files is not published")
    runs = [Run(options.build, target, options) for target in some]
    run_all(runs, options.time, options.jobs)
    for run in runs if options.minimize else ():
        if run.target.format:
            run.minimize()
    if options.ledger:
        append_rows(options.ledger, runs)
    findings = sum(not run.is_clean for run in runs)
    print("%s executions, %d findings" % ("{:,}".format(sum(run.executions for run in runs)),
                                          findings))
    sys.exit(findings != 0)


if __name__ == "__main__":
    main()
