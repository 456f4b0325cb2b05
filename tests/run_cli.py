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

A comment `# needs: COMMAND` has the whole file skipped where that command fails.

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
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 1800  # Seconds; only against hanging.
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


def shell(command, folder, env):
    """Run a command. Returns its exit status, standard output and standard error."""
    process = subprocess.Popen(["sh", "-c", command], cwd=folder, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"(stopped after {TIMEOUT} seconds)\n".encode()
    status = process.returncode
    return status if status >= 0 else 128 - status, out, err


def run_command(command, folder, env):
    """Returns the lines that the case should hold after its command."""
    status, out, err = shell(command, folder, env)
    return (encode(out, stdout_line, "\\") + encode(err, stderr_line, "!\\")
            + ([f"? {status}"] if status else []))


def prepare(folder):
    for name, source in (("samples", ROOT / "samples"), ("fixtures", ROOT / "tests/fixtures")):
        if source.is_dir():
            shutil.copytree(source, folder / name)


def unmet_need(text, folder, env):
    """The first command that the file needs and that fails here, or None."""
    needs = re.findall(r"^# needs: (.+)$", text, re.M)
    return next((need for need in needs if shell(need, folder, env)[0] != 0), None)


def run_cases(name, text, folder, env):
    """Run a file's cases. Returns its new text, the number of cases, and the differences."""
    after, cases, differences = [], 0, []
    for number, lines in parts(text):
        if lines[0].startswith("$ "):
            actual = lines[:1] + run_command(lines[0][2:], folder, env)
            cases += 1
            if actual != lines:
                differences += difflib.unified_diff(lines, actual, f"{name}:{number} expected",
                                                    f"{name}:{number} actual", lineterm="")
            lines = actual
        after += lines
    return "\n".join(after) + "\n", cases, differences


def run_file(path, tool, update):
    """Run a file and say how it went. Returns 'passed', 'failed' or 'skipped'."""
    before = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="tenon-cli-") as name:
        folder = Path(name)
        prepare(folder)
        env = environment(tool, folder)
        need = unmet_need(before, folder, env)
        if need:
            print(f"skipped: {path.name} needs `{need}`, which fails here")
            return "skipped"
        text, cases, differences = run_cases(path.name, before, folder, env)
    if differences and update:
        path.write_text(text, encoding="utf-8")
        print(f"updated {path.name} ({cases} commands)")
        return "passed"
    print("".join(line + "\n" for line in differences), end="")
    print(f"{'not ok' if differences else 'ok'} {path.name} ({cases} commands)")
    return "failed" if differences else "passed"


# -- Command line

def find_tool():
    tool = Path(os.environ.get("TENON", ROOT / "build/release/tenon")).resolve()
    if not os.access(tool, os.X_OK):
        sys.exit(f"run_cli.py: no tool at {tool}")
    return tool


def main():
    parser = argparse.ArgumentParser(description="Run the tests of the command line.")
    parser.add_argument("files", nargs="*", type=Path, help="default: tests/cli/*.txt")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations")
    parser.add_argument("--filter", metavar="TEXT", default="", help="only files named so")
    args = parser.parse_args()

    tool = find_tool()
    files = args.files or sorted((ROOT / "tests/cli").glob("*.txt"))
    results = [run_file(path, tool, args.update) for path in files if args.filter in path.name]
    count = Counter(results)
    if len(results) != 1:
        print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    if count["failed"]:
        return 1
    return 0 if count["passed"] else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
