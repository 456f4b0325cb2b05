#!/usr/bin/env python3
"""style_test.py: every rule of style.py finds what it should, and nothing in a clean file."""
# SPDX-License-Identifier: MIT

import sys

import style

HEAD = "// x.c: a file.\n// SPDX-License-Identifier: MIT\n"
MARK = "TO" "DO"


def body(lines):
    """A C file with one function."""
    return HEAD + "void f(void)\n{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


CLEAN = HEAD + """
#include <stdint.h>

// 100 % safe: isalpha() and printf("%f") are only spoken of here.
static const char *const words[] = {"sprintf(", "goto"};
static const uint32_t limit = 3;

static void f(tn_io *io)
{
    for (uint32_t i = 0; i < limit; i++) {
        if (io->exit(i)) goto done;
    }
done:
    tn_snprint(words[0], "%u%%", limit);
}
"""

# (path, text, part of the one message expected, or None if there is to be none)
CASES = [
    ("src/core/x.c", CLEAN, None),
    ("docs/a.txt", "a\tb\n", "a tab"),
    ("Makefile", "# SPDX-License-Identifier: MIT\nall:\n\techo\n", None),
    ("samples/a.json", "{\t}", None),
    ("docs/a.txt", "a \n", "white space"),
    ("docs/a.txt", "a", "no newline"),
    ("docs/a.txt", "a\n\n", "blank line at the end"),
    ("docs/a.txt", f"{MARK}: later\n", "take the mark out"),
    ("docs/a.txt", "in /ho" "me/me/x\n", "path of one machine"),
    ("docs/a.txt", "src/home/x and $X/root/y\n", None),
    ("tools/x.py", "# SPDX-License-Identifier: MIT\n# " + "x" * 99 + "\n", "101 columns"),
    ("tests/x.c", HEAD + "// " + "x" * 98 + " \n", None),
    ("tests/x.c", HEAD + "int x;\n" * 700, "702 lines in a file"),
    ("tests/x.c", "// x.c: a file.\n", "no SPDX line"),
    ("tests/x.c", "// x.c: a file. SPDX-License-Identifier: MIT\n", "no SPDX line"),
    ("tests/x.c", "// y.c: a file.\n// SPDX-License-Identifier: MIT\n", "first line"),
    ("tests/x.c", body(["g();"] * 58), None),
    ("tests/x.c", body(["g();"] * 79), "81 lines in a function"),
    ("tests/x.c", body(["if (a) {"] * 4 + ["}"] * 4), None),
    ("tests/x.c", body(["goto a;", "goto a;", "a:;"]), "2 gotos"),
    ("tests/x.c", HEAD + "/* no */\n", "comment begins with //"),
    ("tests/x.c", HEAD + "#if 0\n#endif\n", "dead code"),
    ("tools/x.py", "# SPDX-License-Identifier: MIT\ndef f():\n" + "    g()\n" * 80, "81 lines"),
    ("src/core/x.c", body(["x = strtod(s, 0);"]), "depends on the locale"),
    ("src/document/x.c", body(['tn_found(check, "flag", path, "is 2");']), None),
    ("src/formats/bplx/x.c", body(['tn_found(check, "key-bone", path, "bone 2");']), None),
    ("src/formats/gpb/x.c", body(['tn_found_tally(c, "key-bone", t, "2");']), "no rule 'key-bone'"),
    ("src/formats/gpb/x.c", body(['tn_found(c, "key-bone", p, "2");']), "no rule 'key-bone'"),
    ("src/core/x.c", body(['printf("x");']), "never prints"),
    ("src/core/x.c", body(["x = sin(y);"]), "differs between machines"),
    ("src/core/x.c", body(['tn_say("%5.2f m", x);']), "'%5.2f'"),
    ("src/core/x.c", HEAD + "static int calls;\n", "global that can change"),
    ("src/core/x.c", HEAD + 'static const char *name = "x";\n', "add a const"),
    ("src/core/x.c", HEAD + "#include <unistd.h>\n", "not of the C standard library"),
    ("src/core/files/file_x.c", HEAD.replace("x.c", "file_x.c") + "#include <unistd.h>\n", None),
    ("src/formats/y/x.c", body(['tn_u32(io, "a", &a);']), "only a description"),
    ("src/formats/y/x_describe.c",
     body(['tn_u32(io, "a", &a);']).replace("x.c", "x_describe.c"), None),
]

# (path, what it includes, part of the message expected); whether the files exist is not asked.
INCLUDES = [
    (style.dependencies, "src/core/x.c", "scene/y.h", "src/core must not include scene/y.h"),
    (style.dependencies, "src/scene/pose/x.c", "formats/y.h", "src/scene must not include"),
    (style.dependencies, "src/formats/a/x.c", "core/text/y.h", None),
    (style.dependencies, "src/formats/a/x.c", "../cli/y.h", "must not include ../cli/y.h"),
    (style.dependencies, "src/api/x.c", "formats/y.h", None),
    (style.other_formats, "src/formats/a/import/x.c", "formats/b/y.h", "another format's"),
    (style.other_formats, "src/formats/a/import/x.c", "formats/a/y.h", None),
    (style.other_formats, "src/formats/formats.c", "formats/b/y.h", None),
    (style.public_only, "cli/convert/x.c", "../src/core/y.h", "not cli/../src/core/y.h"),
    (style.public_only, "cli/convert/x.c", "report/report.h", None),
]


def judge(label, messages, expected):
    """Print and count a failure unless the messages are just what was expected."""
    if expected is None and not messages:
        return 0
    if expected is not None and len(messages) == 1 and expected in messages[0]:
        return 0
    print(f"not ok {label}\n    expected {expected!r}\n    found {messages}")
    return 1


def main():
    failed = 0
    for path, text, expected in CASES:
        messages = [message for _, _, message in style.check_text(path, text)]
        failed += judge(f"{path}: {text[-60:]!r}", messages, expected)
    for rule, path, name, expected in INCLUDES:
        source = style.Source(path, f'#include "{name}"\n')
        failed += judge(f"{path} includes {name}", [m for _, m in rule(source)], expected)
    names = style.check_names(["src/a.c", "cli/a.c", "cli/b.c"])
    failed += judge("names", [message for _, _, message in names], "has the name of src/a.c")
    total = len(CASES) + len(INCLUDES) + 1
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
