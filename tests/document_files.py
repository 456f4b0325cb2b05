"""Files packed from a format's own text, through the tool: what the tests of all such files share."""
# SPDX-License-Identifier: MIT

import json
import shutil
import struct
from pathlib import Path

import conversions
from conversions import run


def single(value):
    """A number as a float of 32 bits has it."""
    return struct.unpack(">f", struct.pack(">f", value))[0]


def differences(wanted, got, path=""):
    """The paths at which two texts of JSON differ. Numbers are compared as floats of 32 bits."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in sorted(set(wanted) | set(got)):
            if key not in wanted or key not in got:
                yield "%s.%s is only in one" % (path, key)
            else:
                yield from differences(wanted[key], got[key], "%s.%s" % (path, key))
    elif isinstance(wanted, (list, tuple)) and isinstance(got, list):
        if len(wanted) != len(got):
            yield "%s has %d items, not %d" % (path, len(got), len(wanted))
        for i, (a, b) in enumerate(zip(wanted, got)):
            yield from differences(a, b, "%s[%d]" % (path, i))
    elif isinstance(wanted, (int, float)) and isinstance(got, (int, float)):
        if single(wanted) != single(got):
            yield "%s is %r, not %r" % (path, got, wanted)
    elif wanted != got:
        yield "%s is %r, not %r" % (path, got, wanted)


class Files:
    """Cases, written into a new folder. A case has a file_name and data."""

    def __init__(self, cases):
        self.folder = conversions.scratch()
        self.cases = list(cases)
        for case in self.cases:
            self.path(case).write_bytes(case.data)

    def path(self, case):
        return self.folder / case.file_name

    def remove(self):
        shutil.rmtree(self.folder)

    def lines(self, command, *options):
        """What a command says of all files, by case."""
        done = run(command, "--json", *options, *(self.path(case) for case in self.cases))
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(found) == len(self.cases), done.stderr
        return list(zip(self.cases, found))

    def converted(self, ending, *options):
        """Convert all files at once; the outputs, and the losses of each, by case."""
        target = self.folder / ("to_" + ending)
        target.mkdir()
        done = run("convert", "--json", *options, "--to", ending,
                   *(self.path(case) for case in self.cases), "-o", str(target) + "/")
        reports = {Path(line["file"]).name: line
                   for line in map(json.loads, done.stdout.splitlines())}
        return [(case, target / (Path(case.file_name).stem + "." + ending),
                 reports.get(case.file_name, {})) for case in self.cases]

    def twin(self, case):
        done = run("dump", self.path(case))
        return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr}

    def rewriting_faults(self, case):
        """Whether a copy, and what is built from the dump, are the same bytes, and all are mapped."""
        copy, text, built = (self.folder / name for name in ("copy", "text.json", "built"))
        for command in (["convert", "-f", self.path(case), "--to", self.format, copy],
                        ["dump", "-f", self.path(case), "-o", text], ["build", "-f", text, built]):
            done = run(*command)
            if done.returncode:
                yield "%s: %s" % (command[0], done.stderr)
                return
        for name, made in (("convert", copy), ("dump | build", built)):
            if made.read_bytes() != case.data:
                yield "%s: other bytes" % name
        end = 0
        for line in run("map", "--json", "--all", self.path(case)).stdout.splitlines():
            part = json.loads(line)
            if "offset" not in part or not part.get("size"):
                continue
            if part["offset"] != end or part.get("kind") in ("gap", "unread"):
                yield "map: a gap at %d" % end
            end = part["offset"] + part["size"]
        if end != len(case.data):
            yield "map: ends at %d of %d" % (end, len(case.data))
