#!/usr/bin/env python3
"""run_cli.py: runs the command lines of tests/cli/*.txt and compares what they print.

A file is a list of cases, separated by blank lines and comments:

    # A comment, to the end of the line.
    $ tenon info samples/crane.bplx
    a line of standard output
    ! a line of standard error
    ? 1

`$` is the command, run by sh. `?` is the exit status, left out when it is 0. An output line that is
empty or begins with one of # $ ! ? | \\ is written with a `|` before it (a single `|` is an empty
line). A line holding only `\\` says that the output ends without a newline; `!\\` for standard
error. Control characters and bytes that are not UTF-8 are written \\xNN.

The cases of a file run in one temporary folder, so that a command can look at what an earlier one
wrote. It holds copies of the project's `samples` and, as `fixtures`, of tests/fixtures. The tool's
folder is first on PATH, standard input is empty, the locale is C, and NO_COLOR and COLUMNS are
unset. TENON names the tool (build/release/tenon).
"""
# SPDX-License-Identifier: MIT

import argparse
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 30  # Seconds a command may take.
SKIPPED = 77
NOT_INHERITED = ("NO_COLOR", "COLUMNS", "LINES", "LANG", "LANGUAGE", "TENON")


# -- The text form

def parts(text):
    """Split a file: each part is (line number, lines); a case begins with a `$` line."""
    found, in_case = [], False
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        begins = line.startswith("$ ")
        ends = not line or line.startswith("#")
        if begins or (ends and in_case) or not found:
            found.append((number, []))
        if not (begins or ends or in_case):
            sys.exit(f"run_cli.py: line {number} is neither comment nor command: {line}")
        in_case = begins or (in_case and not ends)
        found[-1][1].append(line)
    return found


def printable(data):
    """Bytes as text in which nothing can disturb a terminal or an editor."""
    text = data.decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x09\x0b-\x1f\x7f]", lambda m: f"\\x{ord(m.group()):02x}", text)


def encode(data, line_form, unfinished):
    """Output as lines of a case; `unfinished` is added if there is no newline at the end."""
    *lines, last = printable(data).split("\n")
    return [line_form(line) for line in lines] + ([line_form(last), unfinished] if last else [])


def stdout_line(line):
    return f"|{line}" if not line or line[0] in "#$!?|\\" else line


def stderr_line(line):
    return f"! {line}" if line else "!"


# -- Running

def environment(tool, folder):
    env = {name: value for name, value in os.environ.items()
           if name not in NOT_INHERITED and not name.startswith("LC_")}
    env.update(PATH=f"{tool.parent}:{env.get('PATH', '/usr/bin:/bin')}", LC_ALL="C",
               HOME=str(folder), TMPDIR=str(folder))
    return env


def run_command(command, folder, env):
    """Returns the lines that the case should hold after its command."""
    process = subprocess.Popen(["sh", "-c", command], cwd=folder, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"(stopped after {TIMEOUT} seconds)\n".encode()
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return (encode(out, stdout_line, "\\") + encode(err, stderr_line, "!\\")
            + ([f"? {status}"] if status else []))


def prepare(folder):
    for name, source in (("samples", ROOT / "samples"), ("fixtures", ROOT / "tests/fixtures")):
        if source.is_dir():
            shutil.copytree(source, folder / name)


def run_file(path, tool):
    """Run a file's cases. Returns its new text, the number of cases, and the differences."""
    text, cases, differences = [], 0, []
    with tempfile.TemporaryDirectory(prefix="tenon-cli-") as name:
        folder = Path(name)
        prepare(folder)
        env = environment(tool, folder)
        for number, lines in parts(path.read_text(encoding="utf-8")):
            if lines[0].startswith("$ "):
                actual = lines[:1] + run_command(lines[0][2:], folder, env)
                cases += 1
                if actual != lines:
                    where = f"{path.name}:{number}"
                    differences += difflib.unified_diff(lines, actual, f"{where} expected",
                                                        f"{where} actual", lineterm="")
                lines = actual
            text += lines
    return "\n".join(text) + "\n", cases, differences


# -- Command line

def find_tool():
    tool = Path(os.environ.get("TENON", ROOT / "build/release/tenon")).resolve()
    if not os.access(tool, os.X_OK):
        sys.exit(f"run_cli.py: there is no tool at {tool}")
    return tool


def report(path, cases, differences, updated):
    if differences and not updated:
        print("\n".join(differences))
    word = "updated" if updated else "not ok" if differences else "ok"
    print(f"{word} {path.name} ({cases} commands)")


def main():
    parser = argparse.ArgumentParser(description="Run the tests of the command line.")
    parser.add_argument("files", nargs="*", type=Path, help="default: tests/cli/*.txt")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations")
    parser.add_argument("--filter", metavar="TEXT", default="", help="only files named so")
    args = parser.parse_args()

    tool, failed, total = find_tool(), 0, 0
    files = args.files or sorted((ROOT / "tests/cli").glob("*.txt"))
    for path in (path for path in files if args.filter in path.name):
        text, cases, differences = run_file(path, tool)
        updated = bool(differences) and args.update
        if updated:
            path.write_text(text, encoding="utf-8")
        report(path, cases, differences, updated)
        total += 1
        failed += bool(differences) and not updated
    if total == 0:
        print("skipped: there are no such files")
        return SKIPPED
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
