#!/usr/bin/env python3
"""mutation.py: makes random small mistakes in the library and tests whether the tests notice them.

Each mutant is one change to one line of src/**/*.c, drawn with a generator that starts from the
seed: the same seed gives the same mutants of the same sources. The file is compiled as the build
compiles it, with AddressSanitizer and UBSan where they work, put into a copy of the library, and
the nearest tests are linked with that copy and run until one fails: a read past the end of an
array or memory that is not freed is a failure, as in `make asan`. The source tree is never touched.

Which tests are near is measured: the library is built once more so that it records what is
executed, and every test is run with it. Of the tests that execute the line, those come first of
whose executed lines most are in the same file; but before them those that compare everything that
the library reports for many files. The record is kept in the build folder.

A mutant that does not compile, or whose object code is that of the original, is replaced by
another draw. A test that takes ten times as long as usual has failed. Mutants that no test can
notice are listed in tests/mutation/equivalent.txt with the reason; they do not count, and it is an
error if a test fails with one of them.
"""
# SPDX-License-Identifier: MIT

import argparse
import fnmatch
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from mutants import find_mutants  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
REQUIRED = 90  # Percent of the mutants that count.
NEAREST = 24  # Tests that a mutant is tried with, at most.
BROAD = ".golden"  # Such tests compare all the library reports: few mutants get past them.
BROAD_MOST = 8  # Of these the nearest are tried as well, and first.
SECONDS = 20  # A test has at least this long.
SKIPPED = 77
# Not tests of the library's behavior, or too slow, or they measure time, or build it otherwise.
NOT_NEAR = re.compile(r"header|limits|fail|install|corpus|import|fuzz|style|portability|engine"
                      r"|robust_(threads|sides)|big_|paths|instructions|docs|completions"
                      r"|generated|gltf_everywhere|gltf_transform|gltf_validator|plain_files"
                      r"|mutation|claims")
TOO_SLOW = {"long"}  # A label of tests.
# Memory that is not initialized is not zero by luck, and a write after the end of an object is
# noticed when it is freed, where the C library can do that.
CHECKED_HEAP = {"MALLOC_PERTURB_": "165", "MALLOC_CHECK_": "3"}
HEAP_CHECKER = "libc_malloc_debug.so.0"
if not subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": HEAP_CHECKER}, check=False,
                      capture_output=True).stderr:
    CHECKED_HEAP["LD_PRELOAD"] = HEAP_CHECKER
SANITIZERS = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
SANITIZED_HEAP = {"ASAN_OPTIONS": "allocator_may_return_null=1:exitcode=99:malloc_fill_byte=165"
                                  ":max_malloc_fill_size=1000000000"}
PLAIN = ["-O2", "-g0", "-fno-sanitize=all"]  # To see whether the code is the same.
QUICK = {"robust": ["--few"]}  # Arguments for programs whose names begin so.

RECORDER = r"""
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#define SIZE 0x1000000
extern void tenon_mutation_first(void);
void __sanitizer_cov_trace_pc(void);
static char unused[SIZE], *seen = unused;

// All processes of a test write to one file.
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("TENON_MUTATION_RECORD");
    int file = path ? open(path, O_RDWR) : -1;
    void *shared = file < 0 ? MAP_FAILED : mmap(0, SIZE, PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) seen = shared;
    if (file >= 0) close(file);  // Tests look at which numbers are free.
}

void __sanitizer_cov_trace_pc(void)
{
    size_t at = (size_t)((char *)__builtin_return_address(0) - (char *)tenon_mutation_first);
    if (at < SIZE) seen[at] = 1;
}
"""


def digest(items):
    total = hashlib.sha256()
    for item in items:
        total.update(item if isinstance(item, bytes) else str(item).encode())
    return total.hexdigest()


def find_sanitizers(cc):
    """The options for sanitizers if a program that is compiled with them runs, or none."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "program")
        done = subprocess.run([cc, "-x", "c", "-", *SANITIZERS, "-o", program], check=False,
                              input=b"int main(void) { return 0; }\n", capture_output=True)
        works = done.returncode == 0 and subprocess.run(
            [program], check=False, capture_output=True).returncode == 0
    return SANITIZERS if works else []


class Build:
    """A build folder: how it compiles the library, and how it links and runs the tests."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder.resolve()
        self.scratch = self.folder / "mutation"
        self.archive = self.folder / "libtenon.a"
        sources = sorted(path for part in ("src", "include") for path in
                         (root / part).rglob("*.[ch]"))
        self.key = digest(item for path in sources for item in (path, path.read_bytes()))
        self.commands = {}  # Source, relative to the root -> the command that compiles it.
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            path = Path(entry["file"])
            if root / "src" in path.parents and "/tenon_objects.dir/" in entry["command"]:
                self.commands[path.relative_to(root).as_posix()] = shlex.split(entry["command"])
        self.links = {}  # Program -> the command that links it.
        for path in sorted(self.folder.glob("CMakeFiles/*.dir/link.txt")):
            command = shlex.split(path.read_text())
            if "libtenon.a" in command and "-o" in command:
                output = self.folder / command[command.index("-o") + 1]
                if output.exists():
                    self.links[str(output)] = command
        self.tests = self.list_tests()
        self.sanitizers = find_sanitizers(next(iter(self.commands.values()))[0])

    def list_tests(self):
        """Name -> (command, environment, folder) of the tests that a mutant may be tried with."""
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.folder, check=True,
                               capture_output=True)
        tests = {}
        for test in json.loads(shown.stdout)["tests"]:
            properties = {item["name"]: item["value"] for item in test.get("properties", [])}
            command = test.get("command")
            labels = properties.get("LABELS", [])
            if not command or NOT_NEAR.match(test["name"]) or set(labels) & TOO_SLOW:
                continue
            values = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
            if self.programs(command, values):
                quick = [QUICK[key] for key in QUICK if test["name"].startswith(key)]
                tests[test["name"]] = (command + sum(quick, []), values,
                                       properties["WORKING_DIRECTORY"])
        return tests

    def programs(self, command, values):
        return [name for name in [*command, *values.values()] if name in self.links]

    def compile(self, source, text, options, output):
        """Whether `text`, in the place of the source, compiles to the object `output`."""
        command = self.commands[source]
        copy = output.parent / Path(source).name
        copy.write_text(text, encoding="utf-8")
        command = command[:command.index("-o")] + options + [
            "-w", "-iquote", str((self.root / source).parent), "-o", str(output), "-c", str(copy)]
        return subprocess.run(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def original(self, source):
        """The object of an unchanged source, to compare with; made once."""
        folder = self.scratch / "originals"
        text = (self.root / source).read_text(encoding="utf-8")
        output = folder / (digest([self.key, source]) + ".o")
        if not output.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as place:
                self.compile(source, text, PLAIN, Path(place) / "plain.o")
                (Path(place) / "plain.o").replace(output)
        return output

    def link(self, program, library, folder):
        """The program with another library, in a folder; made once."""
        output = folder / Path(program).relative_to(self.folder)
        if not output.exists():
            output.parent.mkdir(parents=True, exist_ok=True)
            command = list(self.links[program])
            at = command.index("libtenon.a")
            command[at:at + 1] = [str(path) for path in library]
            if library[0] in SANITIZERS:  # They are shared libraries.
                command = [word for word in command if word != "-static-pie"]
            command[command.index("-o") + 1] = str(output)
            subprocess.run(command, cwd=self.folder, check=True)
        return str(output)

    def run(self, name, library, folder, seconds, extra=()):
        """Run a test whose programs are linked with `library`. Returns its status; None if it
        took too long."""
        command, values, place = self.tests[name]
        new = {old: self.link(old, library, folder) for old in self.programs(command, values)}
        temporary = folder / "tmp"
        temporary.mkdir(exist_ok=True)
        sanitized = any("-fsanitize" in str(word)
                        for word in [*library, *self.links[next(iter(new))]])
        environment = dict(os.environ, TMPDIR=str(temporary), TENON_CORPUS="",
                           **(SANITIZED_HEAP if sanitized else CHECKED_HEAP))
        environment.update({key: new.get(value, value) for key, value in values.items()})
        environment.update(extra)
        limits = "ulimit -f 2000000; " + ("" if sanitized else "ulimit -v 8000000; ")
        process = subprocess.Popen(
            ["sh", "-c", limits + 'exec "$@"', "sh", *[new.get(word, word) for word in command]],
            cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:  # What the test started may still run.
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


# -- What each test executes

def build_recorder(build, jobs):
    """The whole library as one object that records; and where each of its places comes from.
    Made once for the same sources."""
    folder = build.scratch / "record"
    folder.mkdir(parents=True, exist_ok=True)
    first, recorder, whole, named, made = (folder / name for name in
                                           ("first.o", "recorder.o", "whole.o", "named", "key"))
    # Some tests include a source of the library.
    library = ["-Wl,-z,muldefs", recorder, whole]
    key = digest([build.key, RECORDER])
    if made.exists() and made.read_text() == key:
        return library, named
    made.unlink(missing_ok=True)
    cc = next(iter(build.commands.values()))[0]
    (folder / "first.c").write_text("void tenon_mutation_first(void) {}\n")
    (folder / "recorder.c").write_text(RECORDER)
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    for name in ("first", "recorder", "main"):
        subprocess.run([cc, "-O1", "-fPIC", "-c", f"{name}.c"], cwd=folder, check=True)
    options = ["-O0", "-g1", "-fno-sanitize=all", "-fsanitize-coverage=trace-pc"]
    objects = [folder / (Path(source).stem + ".o") for source in build.commands]

    def compile_one(source, output):
        return build.compile(source, (build.root / source).read_text(), options, output)

    with ThreadPoolExecutor(jobs) as pool:
        if not all(pool.map(compile_one, build.commands, objects)):
            sys.exit("mutation.py: the library does not compile with -fsanitize-coverage=trace-pc")
    subprocess.run(["ld", "-r", "-o", str(whole), str(first), *map(str, objects)], check=True)
    subprocess.run([cc, "-o", str(named), "main.o", "recorder.o", str(whole), "-lm"], cwd=folder,
                   check=True)
    subprocess.run(["strip", "--strip-debug", str(whole)], check=True)
    made.write_text(key)
    return library, named


def name_places(build, named, places):
    """Place -> (source, line), from the debug information of a program with the whole library."""
    symbols = subprocess.run(["nm", str(named)], check=True, capture_output=True, text=True).stdout
    first = int(re.search(r"^(\w+) \w tenon_mutation_first$", symbols, re.M).group(1), 16)
    text = "".join(f"{first + place - 1:x}\n" for place in places)
    lines = subprocess.run(["addr2line", "-e", str(named)], input=text, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    sources = {Path(source).name: source for source in build.commands}
    found = {}
    for place, where in zip(places, lines):
        name, _, line = where.split(" ")[0].rpartition(":")
        if Path(name).name in sources and line.isdigit():
            found[place] = sources[Path(name).name], int(line)
    return found


def record_test(build, name, library, folder):
    """The places that a test executes and how long it takes; no places if it does not pass."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="seen-") as seen:
        seen.truncate(0x1000000)
        begin = time.monotonic()
        status = build.run(name, library, folder, 300, {"TENON_MUTATION_RECORD": seen.name})
        seconds = time.monotonic() - begin
        data = Path(seen.name).read_bytes() if status in (0, SKIPPED) else b""
    return [match.start() for match in re.finditer(b"\1", data)], seconds


def record(build, jobs):
    """Test -> {"seconds": ..., "lines": {source: lines}}, measured again for what has changed."""

    def key(name):
        command, values, _ = build.tests[name]
        parts = [word for program in build.programs(command, values)
                 for word in build.links[program] if word.endswith(".o")] + command[1:]
        files = [path for path in (build.folder / part for part in parts) if path.is_file()]
        return digest([build.key, RECORDER, command] + [path.read_bytes() for path in files])

    cache = build.scratch / "record.json"
    known = json.loads(cache.read_text()) if cache.exists() else {}
    keys = {name: key(name) for name in build.tests}
    tests = {name: known[name] for name in keys if known.get(name, {}).get("key") == keys[name]}
    missing = [name for name in keys if name not in tests]
    if missing:
        print(f"mutation.py: seeing what {len(missing)} tests execute", file=sys.stderr)
        library, named = build_recorder(build, jobs)
        programs = build.scratch / "recorded"
        shutil.rmtree(programs, ignore_errors=True)
        programs.mkdir()
        for program in {program for name in missing
                        for program in build.programs(*build.tests[name][:2])}:
            build.link(program, library, programs)
        with ThreadPoolExecutor(jobs) as pool:
            seen = dict(zip(missing, pool.map(
                lambda name: record_test(build, name, library, programs), missing)))
        executed = sorted({place for places, _ in seen.values() for place in places})
        where = name_places(build, named, executed)
        for name, (places, seconds) in seen.items():
            lines = {}
            for source, line in {where[place] for place in places if place in where}:
                lines.setdefault(source, []).append(line)
            tests[name] = {"key": keys[name], "seconds": seconds,
                           "lines": {source: sorted(found) for source, found in lines.items()}}
        shutil.rmtree(programs)
        cache.write_text(json.dumps(tests))
    return tests


def nearest_tests(tests, mutant):
    """Tests that execute the mutant's line, nearest first. Only the first line of a block is
    recorded: a line between two that are may be of either block."""
    executed = sorted({line for test in tests.values() for line in
                       test["lines"].get(mutant.path, ())})
    at = bisect_right(executed, mutant.line)
    blocks = {line for line in executed[max(at - 1, 0):at] if line >= mutant.first}
    if mutant.line not in blocks:
        blocks.update(executed[at:at + 1])

    def distance(name):
        lines = tests[name]["lines"]
        return -len(lines[mutant.path]) / sum(map(len, lines.values())), name

    near = [name for name, test in tests.items()
            if not blocks.isdisjoint(test["lines"].get(mutant.path, ()))]
    near.sort(key=distance)
    broad = [name for name in near if BROAD in name]
    return broad[:BROAD_MOST] + [name for name in near if name not in broad][:NEAREST]


# -- Mutants

def read_equivalents(root):
    """Key of a mutant -> why it is equivalent. Ends the program unless each fits one mutant."""
    path = root / "tests/mutation/equivalent.txt"
    found = {}
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.M) if path.exists() else ""
    for block in re.split(r"\n\s*\n", text.strip()) if text.strip() else []:
        match = re.fullmatch(r"(\S+\.c) (\w+)\n- (.+)\n\+ (.+)\n((?:.|\n)+)", block.strip())
        if not match:
            sys.exit(f"mutation.py: {path}: not an entry:\n{block}")
        source, function, before, after, why = match.groups()
        found[source, function, before, after] = " ".join(why.split())
    for source in sorted({key[0] for key in found}):
        text = (root / source).read_text() if (root / source).exists() else ""
        known = [mutant.key() for line in find_mutants(source, text) for mutant in line]
        for key in found:
            if key[0] == source and known.count(key) != 1:
                sys.exit(f"mutation.py: {path}: {known.count(key)} mutants fit: {key[0]} {key[1]}\n"
                         f"- {key[2]}\n+ {key[3]}")
    return found


def put_into_library(build, source, text, folder):
    """What to link for the library with a source that has another text."""
    command = build.commands[source]
    output = folder / Path(command[command.index("-o") + 1]).name
    build.compile(source, text, build.sanitizers, output)
    archive = folder / "libtenon.a"
    shutil.copyfile(build.archive, archive)
    subprocess.run(["ar", "r", str(archive), str(output)], check=True, capture_output=True)
    return [*build.sanitizers, archive]


def is_sound(build, tests, test, source):
    """Whether a test passes with the unchanged source; run once for each test."""
    if "sound" not in tests[test]:
        with tempfile.TemporaryDirectory(dir=build.scratch, prefix="original-") as name:
            text = (build.root / source).read_text(encoding="utf-8")
            library = put_into_library(build, source, text, Path(name))
            seconds = max(SECONDS, 10 * tests[test]["seconds"])
            tests[test]["sound"] = build.run(test, library, Path(name), seconds) in (0, SKIPPED)
        if not tests[test]["sound"]:
            print(f"mutation.py: {test} fails without a mutant: it is not used", file=sys.stderr)
    return tests[test]["sound"]


def try_mutant(build, tests, mutant):
    """(verdict, detail): "invalid", "same", "killed" with the test, or "survived"."""
    with tempfile.TemporaryDirectory(dir=build.scratch, prefix="mutant-") as name:
        folder = Path(name)
        text = (build.root / mutant.path).read_text(encoding="utf-8")
        plain, original = folder / "plain.o", build.original(mutant.path)
        if not build.compile(mutant.path, mutant.apply(text), PLAIN, plain):
            return "invalid", ""
        if plain.read_bytes() == original.read_bytes():
            return "same", ""
        library = put_into_library(build, mutant.path, mutant.apply(text), folder)
        near = nearest_tests(tests, mutant)
        for test in near:
            seconds = max(SECONDS, 10 * tests[test]["seconds"])
            status = build.run(test, library, folder, seconds)
            if status in (0, SKIPPED) or not is_sound(build, tests, test, mutant.path):
                continue
            return "killed", test + (" (too slow)" if status is None else "")
        return "survived", ", ".join(near) or "no test executes it"


def excerpt(mutant):
    """The change with a little of its context."""
    before, after = mutant.before, mutant.after
    head = len(os.path.commonprefix([before, after]))
    tail = len(os.path.commonprefix([before[head:][::-1], after[head:][::-1]]))
    head, tail = max(head - 24, 0), max(tail - 24, 0)
    return f"`{before[head:len(before) - tail]}` -> `{after[head:len(after) - tail]}`"


def draw(lines, seed):
    """Mutants in random order: each line that has some is as likely as another."""
    generator, drawn = random.Random(seed), set()
    while len(drawn) < sum(map(len, lines)):
        mutant = generator.choice(generator.choice(lines))
        if mutant not in drawn:
            drawn.add(mutant)
            yield mutant


def run_mutants(build, tests, lines, options):
    """Print the results of the mutants. Returns whether enough were killed."""
    equivalents = read_equivalents(build.root)
    counts = dict.fromkeys(("killed", "survived", "equivalent", "wrong", "invalid", "same"), 0)
    mutants = draw(lines, options.seed)
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = []
        while sum(counts.values()) - counts["invalid"] - counts["same"] < options.count:
            for mutant in mutants:
                waiting.append((mutant, pool.submit(try_mutant, build, tests, mutant)))
                if len(waiting) > options.jobs:
                    break
            if not waiting:
                break
            mutant, future = waiting.pop(0)
            verdict, detail = future.result()
            why = equivalents.get(mutant.key())
            if why and verdict in ("killed", "survived"):
                verdict = "wrong" if verdict == "killed" else "equivalent"
                detail = f"but killed by {detail}" if verdict == "wrong" else why
            counts[verdict] += 1
            if verdict not in ("invalid", "same"):
                text = {"killed": f"killed by {detail}", "survived": f"SURVIVED {detail}",
                        "equivalent": f"equivalent: {detail}",
                        "wrong": f"LISTED AS EQUIVALENT, {detail}"}[verdict]
                print(f"{mutant.path}:{mutant.line}: {excerpt(mutant)}: {text}", flush=True)
    total = counts["killed"] + counts["survived"]
    percent = 100 * counts["killed"] / total if total else 100
    raw = total + counts["equivalent"]
    print(f"seed {options.seed}: {counts['killed']} of {total} mutants killed ({percent:.1f} %; "
          f"{REQUIRED} % required); {100 * counts['killed'] / raw if raw else 100:.1f} % with the "
          f"{counts['equivalent']} listed as equivalent; drawn again: {counts['invalid']} that do "
          f"not compile, {counts['same']} with the same object code")
    return percent >= REQUIRED and counts["wrong"] == 0


def parse_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1, help="start of the random numbers (1)")
    parser.add_argument("--count", type=int, default=50, help="mutants that count (50)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutation", metavar="FOLDER",
                        help="a build with its tests (build/mutation)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--only", default="*", metavar="GLOB", help="sources that are changed")
    parser.add_argument("--list", action="store_true", help="only show which mutants are drawn")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args(words)


def main(words=None, root=ROOT):
    options = parse_arguments(words)
    if options.self_test:
        from mutation_test import self_test
        return self_test()
    paths = sorted(path.relative_to(root).as_posix() for path in (root / "src").rglob("*.c"))
    lines = [line for path in paths if fnmatch.fnmatch(path, options.only)
             for line in find_mutants(path, (root / path).read_text(encoding="utf-8"))]
    if not lines:
        sys.exit(f"mutation.py: nothing to change in '{options.only}'")
    if options.list:
        for mutant, _ in zip(draw(lines, options.seed), range(options.count)):
            print(f"{mutant.path}:{mutant.line}: {excerpt(mutant)}")
        return 0
    build = Build(root, options.build)
    build.scratch.mkdir(exist_ok=True)
    return 0 if run_mutants(build, record(build, options.jobs), lines, options) else 1


if __name__ == "__main__":
    sys.exit(main())
