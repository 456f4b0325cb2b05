"""headers.py: what the public headers declare, for the programs that list it."""
# SPDX-License-Identifier: MIT

import re
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "include/tenon"

# The first is what a program includes first; the others follow as they are needed.
ORDER = ("tenon", "base", "files", "scene", "convert", "gpu", "render", "edit", "bbmod", "gpb",
         "bmw", "modeldata", "bplx", "gltf", "obj", "fbx")

# A part of a header without blank lines outside of braces: its comment, without "//", and its code.
Block = namedtuple("Block", "text code")


def names():
    """The headers in the order of the reference; one that ORDER lacks comes last."""
    found = {path.stem for path in FOLDER.glob("*.h")}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def blocks(name):
    """The blocks of a header, without guards, includes and what is for C++ only."""
    source = (FOLDER / (name + ".h")).read_text(encoding="utf-8")
    source = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", source, flags=re.M | re.S)
    source = re.sub(r"^#if defined\(_WIN32\).*?^#endif\n", "", source, flags=re.M | re.S)
    source = re.sub(r"^#(?:include|ifndef TENON_|define TENON_\w+_H$|endif  //).*\n", "", source,
                    flags=re.M)
    found, lines, depth = [], [], 0
    for line in source.splitlines() + [""]:
        if line or depth:
            lines.append(line)
            depth += line.count("{") - line.count("}") if not line.startswith("//") else 0
        elif lines:
            is_text = [one.startswith("//") for one in lines] + [False]
            head = is_text.index(False)
            found.append(Block([one[3:] for one in lines[:head]], "\n".join(lines[head:])))
            lines = []
    return found


def plain(code):
    """Code without comments, on one line."""
    return " ".join(re.sub(r"//[^\n]*", "", code).split())


def functions(code):
    """The functions that a block declares: name to prototype."""
    found = re.findall(r"\bTENON_API ([^;]*?\b(tenon_\w+)\s*\([^;]*\));", plain(code))
    return {name: prototype for prototype, name in found}


def every_function():
    return {name: prototype for header in names() for block in blocks(header)
            for name, prototype in functions(block.code).items()}


def every_struct():
    """The names of all structs that have members."""
    code = plain("\n".join(block.code for header in names() for block in blocks(header)))
    return sorted(set(re.findall(r"\btypedef struct (tenon_\w+) \{", code)))


def every_constant():
    """The names of all constants of enumerations."""
    code = plain("\n".join(block.code for header in names() for block in blocks(header)))
    bodies = re.findall(r"\benum(?: tenon_\w+)? \{(.*?)\}", code)
    found = {name for body in bodies for name in re.findall(r"\b(TENON_[A-Z0-9_]+)\b(?!\()", body)}
    return sorted(found - {"TENON_CODE_ENUM"} | set(re.findall(r"\bX\((TENON_\w+),", code)))
