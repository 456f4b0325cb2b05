#!/usr/bin/env python3
"""abi.py: the binary interface: public functions, sizes of structs, values of constants.

Usage: abi.py --check | --update

tests/abi.txt has the list, for 64-bit systems. With --check its differences from the headers are
printed and the exit status is 1 if there are any; --update writes the list. The compiler is the one
in the environment variable CC, or cc. If it does not compile for 64 bits, the status is 77.
"""
# SPDX-License-Identifier: MIT

import difflib
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import headers

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/abi.txt"
SKIPPED = 77


def program():
    """A C program that prints what only a compiler knows."""
    lines = ["#include <stdio.h>"]
    lines += [f"#include <tenon/{name}.h>" for name in headers.names()]
    lines += ["int main(void)", "{", "if (sizeof(void *) != 8) return %d;" % SKIPPED]
    lines += [f'printf("struct {name} %zu\\n", sizeof({name}));'
              for name in headers.every_struct()]
    lines += [f'printf("constant {name} %lld\\n", (long long){name});'
              for name in headers.every_constant()]
    return "\n".join([*lines, "return 0;", "}", ""])


def measured():
    with tempfile.TemporaryDirectory(prefix="tenon-abi-") as folder:
        source, binary = Path(folder, "abi.c"), Path(folder, "abi")
        source.write_text(program(), encoding="utf-8")
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c11", "-O0",
                        f"-I{ROOT}/include", str(source), "-o", str(binary)], check=True)
        done = subprocess.run([str(binary)], capture_output=True, text=True)
    if done.returncode == SKIPPED:
        print("skipped: sizes are those of 64-bit systems")
        sys.exit(SKIPPED)
    return done.stdout


def interface():
    prototypes = sorted(headers.every_function().items())
    return "".join(f"function {text}\n" for _, text in prototypes) + measured()


def main(arguments):
    if arguments not in (["--check"], ["--update"]):
        sys.exit(__doc__)
    new = interface()
    if arguments == ["--update"]:
        LIST.write_text(new, encoding="utf-8")
        return 0
    old = LIST.read_text(encoding="utf-8") if LIST.is_file() else ""
    changes = list(difflib.unified_diff(old.splitlines(), new.splitlines(), "tests/abi.txt",
                                        "the headers", n=0, lineterm=""))
    if not changes:
        return 0
    print("\n".join(changes))
    gone = sum(line.startswith("-") for line in changes[2:])
    print(f"{gone} lines of the binary interface changed or are gone; if that is intended, run "
          "tools/abi.py --update")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
