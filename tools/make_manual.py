#!/usr/bin/env python3
"""make_manual.py: the manual page and the completions, from the tool's own tables.

Usage: make_manual.py [--check]

`tenon help --json` and `tenon formats --json` have everything about commands, options and
formats; this turns it into share/. The tool is the one in the environment variable TENON, or
build/release/tenon. With --check nothing is written; the exit status is 1 if something is stale.
"""
# SPDX-License-Identifier: MIT

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import completions
import outputs

ROOT = Path(__file__).resolve().parent.parent


def ask(*arguments):
    tool = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


# -- The manual page

def roff(text):
    """Text without special characters for roff."""
    for plain, escape in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga")):
        text = text.replace(plain, escape)
    return re.sub(r"^\.", "\\&.", text, flags=re.M)


def option_head(option):
    value = f" \\fI{roff(option['metavar'])}\\fR" if "metavar" in option else ""
    short = f"\\fB\\-{option['short']}\\fR, " if "short" in option else ""
    return f"{short}\\fB\\-\\-{roff(option['long'])}\\fR{value}"


def option_lines(option):
    default = f" (default: {option['default']})" if "default" in option else ""
    return [".TP", option_head(option), roff(option["help"] + default)]


def command_lines(command):
    lines = [f".SS {roff(command['name'])}"]
    lines += [".nf"]
    lines += [f"\\fBtenon {command['name']}\\fR {roff(u)}" for u in command["usage"]]
    lines += [".fi"]
    lines += [".PP", roff(command["summary"][0].upper() + command["summary"][1:] + ".")]
    if "details" in command:
        lines += [roff(command["details"])]
    if "alias" in command:
        lines += [f"\\fBtenon {command['alias']}\\fR is the same."]
    for option in command["options"]:
        if option["own"]:
            lines += option_lines(option)
    for example in command["examples"]:
        lines += [".PP", f"\\fB{roff(example['line'])}\\fR"]
        lines += [".RS 4", roff(example["meaning"]), ".RE"]
    return lines


def shared_options(commands):
    """Options that several commands have, each once."""
    seen = {}
    for command in commands:
        for option in command["options"]:
            if not option["own"]:
                seen.setdefault(option["long"], option)
    return seen.values()


def format_lines(formats):
    lines = []
    for f in formats:
        files = ", ".join("." + e for e in f["extensions"])
        names = ", ".join(d["name"] for d in f["dialects"])
        text = f"{f['title']}, of {f['engine']} ({files}). Dialects: {names}."
        lines += [".TP", f"\\fB{f['name']}\\fR", roff(text)]
    return lines


STATUSES = ["Success.",
            "A model is unreadable, has an error, or would lose something with --strict.",
            "The command line is invalid, or an output exists or is an input.",
            "A file is missing, reading or writing failed, or out of memory."]

DESCRIPTION = """Results go to standard output, messages to standard error. '-' is standard input or
output. Nothing is overwritten without --force, no input is touched without --in-place, and files
appear whole or not at all."""


def manual(version, commands, formats):
    lines = [f'.TH TENON 1 "" "tenon {version}" "User Commands"', ".SH NAME",
             "tenon \\- read, check, explain and convert the models of five game engines",
             ".SH SYNOPSIS", ".B tenon",
             "\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...",
             ".SH DESCRIPTION", roff(DESCRIPTION), ".SH COMMANDS"]
    for command in commands:
        lines += command_lines(command)
    lines += [".SH COMMON OPTIONS",
              roff("Every command has --json, --color and --help; those that read models have "
                   "all of these.")]
    for option in shared_options(commands):
        lines += option_lines(option)
    lines += [".SH FORMATS"] + format_lines(formats)
    lines += [".SH EXIT STATUS"]
    for number, meaning in enumerate(STATUSES):
        lines += [".TP", f".B {number}", roff(meaning)]
    lines += [".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "If it is set, the output has no color."]
    lines += [".TP", ".B COLUMNS", "The width of tables, instead of that of the terminal."]
    return "\n".join(lines) + "\n"


# -- All together

def files():
    commands = ask("help", "--json")
    formats = ask("formats", "--json")
    own = [f for f in formats if not f.get("imported")]
    version = ask("version", "--json")[0]["version"]
    return {
        "tenon.1": manual(version, commands, own),
        "tenon.bash": completions.bash(commands, formats),
        "_tenon": completions.zsh(commands, formats),
        "tenon.fish": completions.fish(commands, formats),
    }


def main():
    made = {name: text.encode() for name, text in files().items()}
    return outputs.main("The manual page and the completions, from the tool's own tables.",
                        ROOT / "share", made, ["tenon-mime.xml", "tenon.thumbnailer"])


if __name__ == "__main__":
    sys.exit(main())
