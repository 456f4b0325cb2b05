#!/usr/bin/env python3
"""measure.py: numbers about the code that show how easy it is to maintain.

Usage: measure.py [--check] [BUILD]

Prints, for the library, its folders, the tool and the importer: lines of code, functions per 1,000
lines, static functions that are called once, lengths of functions, struct types, and words to
avoid in what a person reads. They are aims to work towards, not limits. The limits are also
checked, and alone with --check: no type is defined twice, and, with a build folder, no layer of
src/ calls one above it (from the symbols of the objects). The exit status is 1 if one does.
"""
# SPDX-License-Identifier: MIT

import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import style  # noqa: E402

AREAS = ("src", "src/api", "src/core", "src/document", "src/exchange", "src/scene", "src/formats",
         "cli", "import")
AIMS = {"functions per 1,000": 40, "called once": 45, "median": 14, "95 %": 60}
AVOIDED = {
    "told, tell": r"\b(?:told|tells?|telling)\b",
    "behind": r"\bbehind\b",
    "of its own": r"\bof (?:its|their|his) own\b",
    "anew": r"\banew\b",
    "is no X": r"\b(?<!there )(?:is|are|was|were) no (?!longer|more|less)\w",
    "cannot be had": r"\b(?:be|is|was) had\b",
    "in earnest": r"\bin earnest\b",
    "stands, lies, hangs": r"\b(?:stands?|lies|lie|hangs?)\b",
    "meant": r"\bmeant\b",
    "strays": r"\bstrays?\b",
    "likewise": r"\blikewise\b",
    "nobody, who, somebody": r"\b(?:nobody|somebody|whoever|who)\b",
    "synthesized": r"\bmade up\b",
    "torn": r"\btorn\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
}
STRUCT = re.compile(r"^\s*(?:typedef )?struct (\w+) \{|^typedef struct \{", re.M)


def sources(area):
    return [style.Source(path, (ROOT / path).read_text(encoding="utf-8"))
            for path in style.list_files()
            if path.startswith(area + "/") and style.is_c(path)]


def code_lines(source):
    return sum(1 for line in source.uncommented_lines if line.strip())


class Function:
    def __init__(self, source, start, lines):
        head, number = "", start - 2  # `start` is the line of the brace, counted from 1.
        while number >= 0 and source.code_lines[number].strip():
            head = source.code_lines[number] + "\n" + head
            if not source.code_lines[number].startswith(" "):
                break
            number -= 1
        match = re.search(r"(\w+)\s*\(", head)
        self.name = match.group(1) if match else ""
        self.is_static = head.startswith("static ")
        self.length = len(lines) - 2
        self.source = source


def functions(source):
    return [Function(source, start, lines) for start, lines in source.functions]


def called_once(source, found):
    """How many static functions of a file are named once, apart from definition and prototype."""
    text = "\n".join(source.code_lines)
    names = Counter(re.findall(r"\w+", text))
    declared = Counter(re.findall(r"^static [^;{}=()]*\b(\w+)\s*\(", text, re.M))
    return sum(1 for function in found
               if function.is_static and names[function.name] - declared[function.name] == 1)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0


def structs(source):
    text = "\n".join(source.code_lines)
    return [match.group(1) for match in STRUCT.finditer(text)]


def words_for_people(source):
    """Comments and texts of C, all of a document."""
    if source.suffix == ".md":
        return source.text
    if source.suffix == ".py":
        return "\n".join(re.findall(r"#.*|\"\"\".*?\"\"\"", source.text, re.S))
    token = r'//[^\n]*|"(?:\\.|[^"\\\n])*"'
    return "\n".join(re.findall(token, source.text))


# -- What is printed

def measure_area(area):
    files = sources(area)
    if not files:
        return
    lines = sum(map(code_lines, files))
    by_file = [(source, functions(source)) for source in files]
    found = [function for _, some in by_file for function in some]
    static = [function for function in found if function.is_static]
    once = sum(called_once(source, some) for source, some in by_file)
    lengths = [function.length for function in found]
    print("%-13s %6d %6d %6d %5.0f %7d %4.0f%% %5d %5d %5d %6d" % (
        area, len(files), lines, len(found), 1000 * len(found) / lines, len(static),
        100 * once / max(1, len(static)), percentile(lengths, 0.5), percentile(lengths, 0.95),
        max(lengths, default=0), sum(len(structs(source)) for source in files)))


def doubled_types():
    """Struct types that two files of the library, the tool or the importer define."""
    places = defaultdict(set)
    for area in ("src", "cli", "import"):
        for source in sources(area):
            for name in structs(source):
                if name:
                    places[area, name].add(source.path)
    return {name: sorted(paths) for (_, name), paths in places.items() if len(paths) > 1}


def count_words():
    """Words to avoid: in code of the product, in documents, in tests and tools."""
    texts = defaultdict(list)
    for path in style.list_files():
        kind = {"src": "code", "cli": "code", "import": "code", "include": "code", "docs": "docs",
                "tests": "tests", "tools": "tests", "fuzz": "tests", "bench": "tests"}.get(
                    path.split("/")[0], "docs" if path.endswith(".md") else None)
        if path != "tools/measure.py" and kind and Path(path).suffix in (".c", ".h", ".md", ".py"):
            source = style.Source(path, (ROOT / path).read_text(encoding="utf-8"))
            texts[kind].append(words_for_people(source))
    return {word: {kind: len(re.findall(pattern, "\n".join(text), re.I))
                   for kind, text in texts.items()} for word, pattern in AVOIDED.items()}


# -- Layers

def layer_of(path):
    match = re.search(r"/src/(\w+)/", path)
    return match.group(1) if match and match.group(1) in style.LAYERS else None


def upward_calls(build):
    """(object, symbol, layer of the symbol) wherever a layer needs one that is above it."""
    folder = build / "CMakeFiles" / "tenon_objects.dir"
    objects = sorted(path for path in folder.rglob("*.o")
                     if (ROOT / path.relative_to(folder).with_suffix("")).is_file())
    if not objects:
        sys.exit("measure.py: %s: no objects; build first" % folder)
    printed = subprocess.run(["nm", "-A", *map(str, objects)], capture_output=True, text=True,
                             check=True).stdout
    defined, needed = {}, []
    for line in printed.splitlines():
        path, _, rest = line.rpartition(":")
        kind, symbol = rest.split()[-2:]
        if kind == "U":
            needed.append((path, symbol))
        elif kind.isupper():
            defined[symbol] = layer_of(path)
    found = []
    for path, symbol in needed:
        here, there = layer_of(path), defined.get(symbol)
        if here and there and style.LAYERS.index(there) > style.LAYERS.index(here):
            found.append((path[path.index("/src/") + 1:-2], symbol, there))
    return found


def print_measurements():
    print("%-13s %6s %6s %6s %5s %7s %5s %5s %5s %5s %6s" % (
        "", "files", "lines", "funcs", "/1000", "static", "once", "med", "95%", "max", "types"))
    for area in AREAS:
        measure_area(area)
    print("aims: at most %(functions per 1,000)d functions per 1,000 lines, %(called once)d %% "
          "called once, median %(median)d, 95 %% within %(95 %)d lines" % AIMS)
    print("\nwords to avoid       code  docs tests")
    total = Counter()
    for word, counts in count_words().items():
        print("%-19s %5d %5d %5d" % (word, counts["code"], counts["docs"], counts["tests"]))
        total.update(counts)
    print("%-19s %5d %5d %5d\n" % ("all", total["code"], total["docs"], total["tests"]))


def main():
    words = sys.argv[1:]
    is_check = "--check" in words
    builds = [Path(word) for word in words if word != "--check"]
    if len(builds) > 1 or any(str(build).startswith("-") for build in builds):
        sys.exit(__doc__)
    if not is_check:
        print_measurements()
    faults = ["struct %s is defined twice: %s" % (name, ", ".join(paths))
              for name, paths in sorted(doubled_types().items())]
    for build in builds:
        faults += ["%s calls %s(), which is in src/%s, above it" % call
                   for call in upward_calls(build)]
    print("\n".join(faults + ["%d faults" % len(faults)]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
