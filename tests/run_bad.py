#!/usr/bin/env python3
"""run_bad.py: broken files written as text; `tenon check --json` must say what is wrong with each.

A file of tests/bad is a header, a blank line, and the bytes:

    # A comment.
    name: the positions are cut short
    format: bplx
    expect: truncated 24 positions

    "BPLX" u32 1            | magic, version
    f32 0,0.5,-1  00*12     | three numbers, twelve zero bytes

Header keys:
    name      what is wrong, in words
    format    adds `--from FORMAT`; without it, the format is found from the content
    expect    CODE OFFSET PATH: the file is unreadable; `-` is the empty path
    finding   SEVERITY RULE PATH: the file is readable and this is found; may be repeated.
              No other rule may report an error.
    message   a part of the error's or of a finding's message
    profile   adds `--profile ENGINE`
    model     adds `--model PATH`, a file of the project
    file      what the file is called, for names of files beside it
    beside    NAME BYTES: a file in the same folder; may be repeated, the same NAME goes on
    like      PATH: the file is a copy of this file of the project, changed as the bytes say

Bytes: hex digits in pairs; "text" with \\n \\" \\\\ \\xNN; a number type (u8 u16 u32 u64 i8 i16 i32
i64 f32 f64, big-endian with `be` at the end) followed by numbers with commas between. Any of these
may have `*COUNT` at its end. `|` and `#` begin a comment.

Lines between `repeat COUNT` and `end` are repeated COUNT times; in these, the number `i` is 0
in the first copy, 1 in the second, and so on. After a line `at OFFSET` the bytes replace what is
there; this is how a file that is `like` another differs from it.

Everything that the tool says of each file, with its offsets and messages, is in
tests/golden/bad.txt; `--update` writes that again, and `git diff` shows what changed.
"""
# SPDX-License-Identifier: MIT

import difflib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden/bad.txt"
TIMEOUT = 1800  # Seconds; only against hanging.
SKIPPED = 77
KEYS = ("name", "format", "expect", "finding", "message", "profile", "model", "file", "beside",
        "like")
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i",
         "i64": "q", "f32": "f", "f64": "d"}
TOKEN = re.compile(r"""
    \s* (?: (?P<text> "(?:[^"\\]|\\.)*" )
          | (?P<type> [uif](?:8|16|32|64)) (?P<be> be)? \s+ (?P<numbers> [^\s*|\#"]+ )
          | (?P<hex> (?:[0-9A-Fa-f]{2})+ )
        ) (?: \*(?P<count> \d+) )? (?= \s | $ | [|\#] )
    """, re.VERBOSE)
AT = re.compile(r"\s*at\s+(0x[0-9A-Fa-f]+|\d+)\s*(?:[|#]|$)")
REPEAT = re.compile(r"\s*repeat\s+(\d+)\s*(?:[|#]|$)")
END = re.compile(r"\s*end\s*(?:[|#]|$)")


# -- The text form

def unescape(text):
    """The bytes of a quoted text."""
    known = {"n": b"\n", '"': b'"', "\\": b"\\"}

    def one(match):
        code = match.group(1)
        if code[0] == "x":
            return bytes([int(code[1:], 16)])
        if code not in known:
            raise ValueError(f"unknown escape \\{code}")
        return known[code]

    pieces = re.split(r"(\\(?:x[0-9A-Fa-f]{2}|.))", text[1:-1])
    return b"".join(one(re.match(r"\\(.*)", piece)) if piece.startswith("\\") else piece.encode()
                    for piece in pieces)


def pack_numbers(kind, big_endian, numbers, copy):
    read = float if kind[0] == "f" else lambda text: int(text, 0)
    order = ">" if big_endian else "<"
    return b"".join(struct.pack(order + CODES[kind], copy if text == "i" else read(text))
                    for text in numbers.split(","))


def token_bytes(token, copy):
    if token["text"]:
        data = unescape(token["text"])
    elif token["type"]:
        if token["type"] not in CODES:
            raise ValueError(f"unknown type {token['type']}")
        data = pack_numbers(token["type"], token["be"], token["numbers"], copy)
    else:
        data = bytes.fromhex(token["hex"])
    return data * int(token["count"] or 1)


def assemble_line(line, copy=0):
    data, pos = b"", 0
    while not re.compile(r"\s*([|#]|$)").match(line, pos):
        token = TOKEN.match(line, pos)
        if token is None:
            raise ValueError(f"not bytes: {line[pos:].strip()}")
        data += token_bytes(token, copy)
        pos = token.end()
    return data


def unroll(lines):
    """[(line number, line, number of the copy)], without `repeat` and `end`."""
    result, group, count = [], [], None
    for number, line in lines:
        repeat = REPEAT.match(line)
        if repeat and count is None:
            group, count = [], int(repeat[1])
        elif count is None:
            result.append((number, line, 0))
        elif END.match(line):
            result += [(at, text, copy) for copy in range(count) for at, text in group]
            count = None
        else:
            group.append((number, line))
    if count is not None:
        raise ValueError("'repeat' without 'end'")
    return result


def assemble(lines, origin=b""):
    """The bytes of [(line number, line)], after those of `origin` or in place of some of them."""
    data, pos = bytearray(origin), len(origin)
    for number, line, copy in unroll(lines):
        at = AT.match(line)
        try:
            piece = b"" if at else assemble_line(line, copy)
        except (ValueError, struct.error) as error:
            raise ValueError(f"line {number}: {error}") from error
        pos = int(at[1], 0) if at else pos
        if pos > len(data):
            raise ValueError(f"line {number}: there are only {len(data)} bytes")
        data[pos:pos + len(piece)] = piece
        pos += len(piece)
    return bytes(data)


def parse_header(lines):
    header = {}
    for number, line in lines:
        if line.startswith("#"):
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS:
            raise ValueError(f"line {number}: expected one of {', '.join(KEYS)}")
        header.setdefault(key, []).append(value.strip())
    if ("expect" in header) == ("finding" in header):
        raise ValueError("needs either 'expect' or 'finding'")
    return header


def parse(text):
    """A case: its header (key to list of values) and its bytes."""
    lines = list(enumerate(text.splitlines(), 1))
    blank = next((i for i, (_, line) in enumerate(lines) if not line.strip()), len(lines))
    header = parse_header(lines[:blank])
    origin = (ROOT / header["like"][0]).read_bytes() if "like" in header else b""
    return header, assemble(lines[blank:], origin)


# -- Comparing

def compare_error(report, expected):
    """What differs between the report and 'CODE OFFSET PATH'."""
    code, offset, path = (expected.split() + ["-"])[:3]
    wanted = {"code": code, "offset": int(offset, 0), "path": "" if path == "-" else path}
    error = report.get("error")
    if error is None:
        return [f"expected {expected}, but the file was readable"]
    return [f"{key} is {error.get(key)!r}, expected {value!r}"
            for key, value in wanted.items() if (error.get(key) or "") != (value or "")]


def compare_findings(report, expected):
    """What differs between the report and a list of 'SEVERITY RULE PATH'."""
    if "error" in report:
        return [f"expected findings, but the file was unreadable: {report['error']}"]
    found = [(f["severity"], f["rule"], f.get("path") or "-") for f in report.get("findings", [])]
    wanted = [tuple((line.split() + ["-"])[:3]) for line in expected]
    rules = {rule for _, rule, _ in wanted}
    return ([f"not found: {' '.join(want)}" for want in wanted if want not in found]
            + [f"also found: {' '.join(have)}" for have in found
               if have[0] == "error" and have[1] not in rules])


def messages(report):
    items = [report["error"]] if "error" in report else report.get("findings", [])
    return [item.get("message", "") for item in items]


def wanted_status(header):
    is_error = "expect" in header or any(line.startswith("error ") for line in header["finding"])
    return 1 if is_error else 0


def compare(header, report, status):
    if "expect" in header:
        problems = compare_error(report, header["expect"][0])
    else:
        problems = compare_findings(report, header["finding"])
    problems += [f"no message has {text!r}: {messages(report)}"
                 for text in header.get("message", [])
                 if not any(text in message for message in messages(report))]
    if status != wanted_status(header):
        problems.append(f"exit status {status}, expected {wanted_status(header)}")
    return problems


# -- Running

def write_files(header, data, stem, folder):
    """The file and those beside it, in `folder`. Returns its path."""
    for line in header.get("beside", []):
        name, _, text = line.partition(" ")
        with open(folder / name, "ab") as file:
            file.write(assemble_line(text))
    default = f"{stem}.{header.get('format', ['bin'])[0].partition(':')[0]}"
    origin = Path(header.get("like", [default])[0]).name
    model = folder / header.get("file", [origin])[0]
    model.write_bytes(data)
    return str(model)


def command_line(header, tool, model):
    options = [f"--from={name}" for name in header.get("format", [])]
    options += [f"--profile={name}" for name in header.get("profile", [])]
    options += [f"--model={ROOT / path}" for path in header.get("model", [])]
    return [tool, "check", "--json", *options, model]


def describe(report, folder):
    """The whole report, as lines without the name of the folder."""
    items = [report["error"]] if "error" in report else report.get("findings", [])
    values = [[f"{key} {value}" for key, value in item.items() if value not in (None, "")]
              for item in items]
    lines = ["; ".join(parts).replace(f"{folder}/", "") for parts in values]
    return [line.encode("unicode_escape").decode("ascii").rstrip() for line in lines]


def run_case(path, tool, folder, said):
    """What is wrong with the case, as a list of lines; what the tool prints is added to `said`."""
    try:
        header, data = parse(path.read_text(encoding="utf-8"))
        model = write_files(header, data, path.stem, folder)
    except (ValueError, OSError) as error:
        return [str(error)]
    try:
        done = subprocess.run(command_line(header, tool, model), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT, check=False)
        report = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return [f"no answer in {TIMEOUT} seconds"]
    except ValueError:
        return [f"not JSON (exit status {done.returncode}): {done.stdout!r}",
                done.stderr.decode("utf-8", "replace")]
    said[path.stem] = describe(report, folder)
    return compare(header, report, done.returncode)


def compare_golden(said, is_update):
    """Compare the output with the golden file, or update that. Returns whether they agree."""
    text = GOLDEN.read_text(encoding="utf-8") if GOLDEN.exists() else ""
    before = {block.split("\n")[0]: block.rstrip("\n").split("\n")[1:]
              for block in re.split(r"^== ", text, flags=re.M)[1:]}
    if is_update:
        known = {path.stem for path in (ROOT / "tests/bad").glob("*.txt")}
        after = sorted({name: lines for name, lines in {**before, **said}.items()
                        if name in known}.items())
        GOLDEN.write_text("".join("\n".join([f"== {name}", *lines, ""]) for name, lines in after),
                          encoding="utf-8")
        return True
    differences = [line for name, lines in said.items() for line in difflib.unified_diff(
        before.get(name, []), lines, f"{name} before", f"{name} now", lineterm="", n=1)]
    print("".join(f"{line}\n" for line in differences), end="")
    return not differences


def main():
    tool = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
    if not os.access(tool, os.X_OK):
        sys.exit(f"run_bad.py: no tool at {tool}")
    names = [name for name in sys.argv[1:] if name != "--update"]
    files = [Path(name) for name in names] or sorted((ROOT / "tests/bad").glob("*.txt"))
    if not files:
        print("skipped: tests/bad has no cases")
        return SKIPPED
    failed, said = 0, {}
    for path in files:
        with tempfile.TemporaryDirectory(prefix="tenon-bad-") as folder:
            problems = run_case(path, tool, Path(folder), said)
        print("not ok" if problems else "ok", path.name)
        print("".join(f"    {line}\n" for line in problems), end="")
        failed += bool(problems)
    print(f"{len(files) - failed} passed, {failed} failed")
    is_same = compare_golden(said, "--update" in sys.argv)
    return 1 if failed or not is_same else 0


if __name__ == "__main__":
    sys.exit(main())
