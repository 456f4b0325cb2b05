#!/usr/bin/env python3
"""test_commands.py: no command of the tool trusts a count.

In small files of every format each integer, one of each kind of field, is set to the largest
values that its bytes can hold. Every command then takes at most some times the branches of the
undamaged file, and little more memory. TENON is a tool that counts its branches (count_tool.c).

    python3 tests/limits/test_commands.py [--long]     all commands for each number, not one in turn
"""
# SPDX-License-Identifier: MIT

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = os.environ["TENON"]
TIMEOUT = 1800  # Seconds; only against hanging.
LARGEST = 16 << 10  # Bytes of a file.
BRANCHES_TIMES, BRANCHES_MORE = 16, 1_000_000
MEMORY_MORE = 32 << 10  # KiB.
WIDTHS = {"u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "str32": 4}
TEXT_NUMBERS = ["4294967295", "2147483647", "65535"]

COMMANDS = {
    "info": lambda file, whole: ["info", "--full", "--tree", file],
    "check": lambda file, whole: ["check", file],
    "map": lambda file, whole: ["map", file],
    "dump": lambda file, whole: ["dump", file, "-o", "out.json", "--force"],
    "diff": lambda file, whole: ["diff", file, whole],
    "verify": lambda file, whole: ["verify", file, whole],
    "copy": lambda file, whole: ["convert", "--force", "--refresh", file, "copy" + file[-6:]],
    "salvage": lambda file, whole: ["salvage", "--force", file, "saved" + file[-6:]],
    **{f"to {to}": lambda file, whole, to=to: ["convert", "--force", file, f"out.{to}"]
       for to in ("bbmod", "gpb", "bmw", "cea", "bplx", "glb", "obj")},
}


def run(folder, args):
    """The exit status, branches, and memory in KiB."""
    count = Path(folder, "count")
    count.unlink(missing_ok=True)
    child = subprocess.Popen([TOOL, *args], cwd=folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             env={**os.environ, "TENON_COUNT": str(count)})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, int(count.read_text()) if count.exists() else None, usage.ru_maxrss


def kind_of(path):
    """The path of a field without its indices."""
    return re.sub(r"\[\d+\]", "[]", path)


def damage_binary(data, seen, format_name):
    """Each kind of integer that is not in `seen` yet, set to its largest values."""
    done = subprocess.run([TOOL, "map", "--json", "-"], input=data, capture_output=True,
                          timeout=TIMEOUT, check=True)
    for line in done.stdout.decode().splitlines():
        part = json.loads(line)
        kind, width = (format_name, kind_of(part["path"])), WIDTHS.get(part["type"])
        if not width or part.get("kind") or part["size"] < width or kind in seen:
            continue
        seen.add(kind)
        at = part["offset"]
        for value in (b"\xff" * width, b"\xff" * (width - 1) + b"\x7f",
                      b"\x7f" + b"\xff" * (width - 1)):
            yield kind, data[:at] + value + data[at + width:]


def damage_text(data, seen, format_name):
    """The same for numbers in a text; their kind is the word before them."""
    for number in re.finditer(rb'([A-Za-z_]\w*)"?[:\s\[]*(\d+)', data):
        kind = (format_name, number[1].decode())
        if kind in seen:
            continue
        seen.add(kind)
        for value in TEXT_NUMBERS:
            yield kind, data[:number.start(2)] + value.encode() + data[number.end(2):]


class CommandsTest(unittest.TestCase):
    is_long = False

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def judge(self, whole, what, name, before):
        """One command on the damaged file."""
        file = "damaged" + whole[-6:]
        status, branches, memory = run(self.folder.name, COMMANDS[name](file, whole))
        case = f"{what} of {whole}, {name}: status {status}, {branches} branches, {memory} KiB; " \
               f"undamaged: {before}"
        self.assertIn(status, (0, 1), case)
        self.assertIsNotNone(branches, case)
        self.assertLessEqual(branches, BRANCHES_TIMES * before[1] + BRANCHES_MORE, case)
        self.assertLessEqual(memory, before[2] + MEMORY_MORE, case)

    def try_file(self, path, seen):
        """All kinds of numbers that no other file had. Returns how often a command was run."""
        data, tried = path.read_bytes(), 0
        format_name = path.parent.name
        is_text = path.suffix in (".obj", ".gltf")
        variants = list((damage_text if is_text else damage_binary)(data, seen, format_name))
        if not variants:
            return 0
        Path(self.folder.name, path.name).write_bytes(data)
        before = {name: run(self.folder.name, make(path.name, path.name))
                  for name, make in COMMANDS.items()}
        names = list(COMMANDS)
        for what, damaged in variants:
            Path(self.folder.name, "damaged" + path.name[-6:]).write_bytes(damaged)
            for name in names if self.is_long else names[:1]:
                self.judge(path.name, what[1], name, before[name])
                tried += 1
            names = names[1:] + names[:1]
        return tried

    def test_no_command_trusts_a_count(self):
        seen, tried = set(), 0
        for folder in sorted((ROOT / "tests/fixtures").iterdir()):
            for path in sorted(folder.iterdir(), key=lambda p: (p.stat().st_size, p.name)):
                if path.stat().st_size <= LARGEST and path.suffix not in (".bin", ".mtl", ".png"):
                    tried += self.try_file(path, seen)
        print(f"# {len(seen)} kinds of numbers, {tried} commands")
        self.assertGreater(len(seen), 200)


if __name__ == "__main__":
    if "--long" in sys.argv:
        sys.argv.remove("--long")
        CommandsTest.is_long = True
    unittest.main(argv=sys.argv)
