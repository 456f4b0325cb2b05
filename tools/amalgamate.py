#!/usr/bin/env python3
"""amalgamate.py: the library as two files, tenon.c and tenon.h.

Usage: amalgamate.py [FOLDER]

Writes them to FOLDER, build/amalgamation by default. They need nothing but the C library:

    cc -std=c11 -O2 -c tenon.c

The files are those of include/ and src/, one after the other. Names that several source files use
for different things get the name of their file at the end; macros end with their file.
"""
# SPDX-License-Identifier: MIT

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = ("base", "tenon", "files", "scene", "places", "convert", "edit", "gpu", "render", "bbmod",
          "bmw", "bplx", "fbx", "gltf", "gpb", "modeldata", "obj")
LAYERS = ("core", "document", "scene", "exchange", "formats", "api")
LAST = ("file_posix.c", "file_windows.c")  # They include headers of the system, with their macros.
INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<(tenon/\w+\.h)>)\s*(?://.*)?$')
GUARD = re.compile(r"^#ifndef (TN_\w+_H|TENON_\w+_H)$", re.M)
FEATURE = re.compile(r"^#define (_\w+)\s+\w+", re.M)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def version():
    text = read("include/tenon/tenon.h")
    return ".".join(re.search(rf"#define TENON_VERSION_{part} (\d+)", text)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


def without_guard(text):
    """A header without the lines of its include guard."""
    guard = GUARD.search(text)
    if not guard:
        return text
    name = guard[1]
    text = text.replace(f"#ifndef {name}\n#define {name}\n", "", 1)
    return re.sub(rf"#endif  // {name}\n*$", "", text)


def without_license(text):
    return text.replace("// SPDX-License-Identifier: MIT\n", "", 1)


def public_header():
    parts = []
    unlisted = {h.stem for h in (ROOT / "include/tenon").glob("*.h")} - set(PUBLIC)
    if unlisted:
        sys.exit(f"amalgamate.py: PUBLIC lacks {', '.join(sorted(unlisted))}")
    for name in PUBLIC:
        text = without_license(without_guard(read(f"include/tenon/{name}.h")))
        parts.append("".join(line for line in text.splitlines(keepends=True)
                             if not INCLUDE.match(line.rstrip("\n"))))
    return (f"// tenon.h: Tenon {version()}, all public headers in one file.\n"
            "// SPDX-License-Identifier: MIT\n\n#ifndef TENON_ALL_H\n#define TENON_ALL_H\n\n" +
            "\n".join(parts) + "\n#endif  // TENON_ALL_H\n")


def sources():
    files = []
    for layer in LAYERS:
        files += sorted((ROOT / "src" / layer).rglob("*.c"))
    files += sorted((ROOT / "src").glob("formats/*.c"))
    files = list(dict.fromkeys(files))
    return ([f for f in files if f.name not in LAST] + [f for f in files if f.name in LAST])


def local_names(text):
    """What a source file defines for itself."""
    text = re.sub(r"//[^\n]*", "", text)
    names = set(re.findall(r"^static (?:const )?[\w ]+?[ *]+(?:const )?(\w+)(?:\[[^\]]*\])*\s*[=;]",
                           text, re.M))
    names |= set(re.findall(r"^static [\w ]+?[ *]+(\w+)\(", text, re.M))
    names |= set(re.findall(r"^static [^=;{}()]*\(\*\s*(?:const )?(\w+)", text, re.M))
    names |= set(re.findall(r"^\} (\w+)(?:\[\w*\])?(?: =.*)?;?$", text, re.M))
    names |= set(re.findall(r"^(?:typedef )?(?:struct|enum|union) (\w+) \{", text, re.M))
    for body in re.findall(r"^(?:typedef )?enum[ \w]*\{(.*?)\}", text, re.M | re.S):
        names |= set(re.findall(r"(?:^|,)\s*([A-Z][A-Z0-9_]+)\b", body))
    return names


def rename(text, names, suffix):
    """Append `suffix` to names, but not to members and not inside of texts and comments."""
    if not names:
        return text
    word = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|//[^\n]*|(?<![\w.>])(' +
                      "|".join(sorted(names)) + r")\b")
    return word.sub(lambda m: m[0] if not m[1] else f"{m[1]}_{suffix}", text)


class Amalgamation:
    def __init__(self):
        self.out = []
        self.included = set()
        files = sources()
        self.texts = {f: f.read_text(encoding="utf-8") for f in files}
        headers = [h.read_text(encoding="utf-8") for h in (ROOT / "src").rglob("*.h")]
        uses = Counter(name for text in [*self.texts.values(), *headers]
                       for name in local_names(text))
        self.shared = {name for name, count in uses.items() if count > 1}

    def inline(self, text):
        lines = []
        for line in text.splitlines():
            match = INCLUDE.match(line)
            if not match:
                lines.append(line)
            elif match[1]:
                header = read("src/" + match[1])
                if GUARD.search(header) and match[1] in self.included:
                    continue
                self.included.add(match[1])
                lines += self.inline(without_license(without_guard(header))).splitlines()
        return "\n".join(lines) + "\n"

    def write(self):
        features = {}
        for text in self.texts.values():
            for match in FEATURE.finditer(text):
                features[match[1]] = match[0]
        windows = [line for name, line in features.items() if name.startswith(("_WIN", "_CRT"))]
        others = [line for name, line in features.items() if not name.startswith(("_WIN", "_CRT"))]
        self.out = [f"// tenon.c: Tenon {version()}, all of the library in one file.\n"
                    "// SPDX-License-Identifier: MIT\n//\n"
                    "// On 32-bit x86, compile with -msse2 -mfpmath=sse to get the same bytes as\n"
                    "// everywhere.\n\n"
                    "#ifdef _WIN32\n" + "\n".join(windows) + "\n#else\n" + "\n".join(others) +
                    '\n#endif\n\n#include "tenon.h"\n']
        for path, text in self.texts.items():
            names = local_names(text) & self.shared
            text = FEATURE.sub("", without_license(text))
            macros = re.findall(r"^#define (\w+)", text, re.M)
            undone = "".join(f"#undef {name}\n" for name in dict.fromkeys(macros))
            self.out.append(rename(self.inline(text), names, path.stem) + undone)
        return "\n".join(self.out)


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "amalgamation"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tenon.h").write_text(public_header(), encoding="utf-8")
    (folder / "tenon.c").write_text(Amalgamation().write(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
