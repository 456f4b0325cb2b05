"""What the tests of files packed from a format's own document share: they all use the tool."""
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
        """What a command prints for all files, by case."""
        done = run(command, "--json", *options, *(self.path(case) for case in self.cases))
        found = [line for line in map(json.loads, done.stdout.splitlines()) if "file" in line]
        assert len(found) == len(self.cases), done.stderr
        return list(zip(self.cases, found))

    def converted(self, *options):
        """Convert all files at once; the output and the report of each, by case."""
        target = self.folder / ("converted%d" % len(list(self.folder.glob("converted*"))))
        target.mkdir()
        done = run("convert", "--json", *options, *(self.path(case) for case in self.cases), "-o",
                   str(target) + "/")
        reports = {Path(line["file"]).name: line
                   for line in map(json.loads, done.stdout.splitlines()) if "file" in line}
        assert len(reports) == len(self.cases), done.stderr
        return [(case, Path(reports[case.file_name]["output"]), reports[case.file_name])
                for case in self.cases]

    def text(self, case):
        """The path of the dump."""
        path = self.folder / (case.file_name + ".json")
        if not path.exists():
            done = run("dump", self.path(case), "-o", path)
            assert done.returncode == 0, done.stderr
        return path

    def twin(self, case):
        return json.loads(self.text(case).read_bytes())

    def rewriting_faults(self, case):
        """The file built from the dump has the same bytes; the map covers all of them."""
        built, end = self.folder / "built", 0
        done = run("build", "-f", self.text(case), built)
        if done.returncode or built.read_bytes() != case.data:
            yield "dump | build: " + (done.stderr or "other bytes")
        for line in run("map", "--json", "--all", self.path(case)).stdout.splitlines():
            part = json.loads(line)
            if "offset" not in part or not part.get("size"):
                continue
            if part["offset"] != end or part.get("kind") in ("gap", "unread"):
                yield "map: a gap at %d" % end
            end = part["offset"] + part["size"]
        if end != len(case.data):
            yield "map: ends at %d of %d" % (end, len(case.data))
