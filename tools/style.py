#!/usr/bin/env python3
"""style.py: checks those house rules that a machine can check, over the files of the repository.

Usage: style.py [--self-test]

Prints `path:line: message` for each finding; the exit status is 1 if there is one. A rule is a
function that takes a Source and yields (line, message); rules_for() says where it applies. What the
compiler, clang-format, clang-tidy and tests/test_docs.py find is not checked here.
"""
# SPDX-License-Identifier: MIT

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent

MAX_COLUMNS = 100
MAX_FILE_LINES = 700
MAX_FUNCTION_LINES = 80
MAX_GOTOS = 1
HEAD_LINES = 6

TEXT_SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake", ".in", ".md", ".txt", ".json", ".1", ".bash",
                 ".fish", ".dict"}
TEXT_NAMES = {"Makefile", "LICENSE", ".gitignore", ".editorconfig", ".clang-format", ".clang-tidy",
              "run"}
DATA_FOLDERS = ("samples/", "tests/fixtures/")  # Their text is as engines write it.
CODE_SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake"}
CODE_NAMES = {"Makefile", "CMakeLists.txt", "run"}

# What the library must not call, and why.
FORBIDDEN_CALLS = {
    "the library never prints": "printf fprintf vprintf vfprintf puts fputs putchar putc perror",
    "the library never ends the program": "exit _exit _Exit quick_exit abort",
    "the library does not read the environment": "getenv secure_getenv",
    "no bound": "sprintf vsprintf strcpy strcat gets",
    "depends on the locale": "setlocale localeconv strtod strtof strtold atof atoi atol atoll "
                             "strtol strtoul strtoll strtoull scanf sscanf fscanf strcoll "
                             "isalpha isalnum isdigit isxdigit isspace isupper islower ispunct "
                             "isprint iscntrl isgraph isblank tolower toupper",
    "hidden control flow or stack use": "alloca setjmp longjmp",
    "differs between machines": "sin cos tan asin acos atan atan2 sinh cosh tanh pow exp exp2 log "
                                "log2 log10 cbrt hypot fma fmod sinf cosf tanf asinf acosf atanf "
                                "atan2f powf expf logf fmodf qsort rand",
}
C_HEADERS = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
    signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
    threads time uchar wchar wctype""".split())
POSIX_FILES = re.compile(r"src/core/files/file(_\w+)?\.c")

# What describes a field of a file; only descriptions may call it.
DESCRIBE_CALLS = """tn_magic tn_u8 tn_u16 tn_i16 tn_u32 tn_i32 tn_f32 tn_f64 tn_u8s tn_i16s tn_f32s
    tn_u32_array tn_str tn_str32 tn_strz tn_records tn_bytes tn_rest tn_list tn_items
    tn_inferred_items tn_inferred_u32 tn_window_begin tn_enter tn_next""".split()
DESCRIPTION = re.compile(r"src/formats/(\w+/)+\w+_describe(_\w+)?\.[ch]")
SHARED_FIELDS = {("src/document/doc_read.c", "tn_rest")}  # Bytes after a model, of any format.

# The folders of src/, lowest first: each may include from itself and those before it.
LAYERS = ("core", "scene", "document", "exchange", "formats", "api")

# Written in pieces, so that this file does not find itself.
OPEN_MARKS = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK")) + r")\b")
OWN_PATHS = re.compile(r"(?<![\w.$}/-])/(home|root|work|Users)/\w")


class Source:
    """A file: `path` relative to the root, its text, and views of it computed on demand."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.name = PurePosixPath(path).name
        self.suffix = PurePosixPath(path).suffix
        self.lines = text.split("\n")

    def blanked(self, is_blanked):
        """The lines of C text, those comments and literals made spaces that `is_blanked` picks."""
        token = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

        def blank(match):
            text = match.group()
            return re.sub(r"[^\n]", " ", text) if is_blanked(text) else text

        return re.sub(token, blank, self.text, flags=re.S).split("\n")

    @cached_property
    def code_lines(self):
        """Without comments and literals."""
        return self.blanked(lambda text: True)

    @cached_property
    def uncommented_lines(self):
        return self.blanked(lambda text: text[0] == "/")

    @cached_property
    def functions(self):
        """(first line, lines) of each C function: its braces are the only ones in column one."""
        found, start = [], None
        for number, line in enumerate(self.code_lines, 1):
            if line == "{":
                start = number
            elif line == "}" and start is not None:
                found.append((start, self.code_lines[start - 1:number]))
                start = None
        return found

    @cached_property
    def includes(self):
        """(line, bracket, name) of each #include."""
        pattern = re.compile(r'\s*#\s*include\s*(["<])([^">]+)')
        matches = ((n, pattern.match(line)) for n, line in enumerate(self.lines, 1))
        return [(n, m.group(1), m.group(2)) for n, m in matches if m]

    def matches(self, pattern, lines=None):
        """(line, match) of each place where the pattern occurs, in the code or other lines."""
        lines = self.code_lines if lines is None else lines
        pattern = re.compile(getattr(pattern, "pattern", pattern), re.M)
        if not pattern.search("\n".join(lines)):
            return
        for number, line in enumerate(lines, 1):
            for match in pattern.finditer(line):
                yield number, match

    def included_path(self, name):
        """The path, relative to the root, of what `#include "name"` names: from src/ or cli/, or,
        outside of the library, from the folder of the file."""
        beside = os.path.normpath(str(PurePosixPath(self.path).parent / name))
        top = self.path.split("/")[0]
        if top in ("src", "cli"):
            return top + "/" + name
        return beside if (ROOT / beside).is_file() else "src/" + name


# -- Any text

def tabs(source):
    for number, line in enumerate(source.lines, 1):
        if "\t" in line and source.name != "Makefile":
            yield number, "a tab; indent with spaces"


def trailing_whitespace(source):
    for number, line in enumerate(source.lines, 1):
        if line != line.rstrip():
            yield number, "white space at the end of the line"


def final_newline(source):
    if source.text and not source.text.endswith("\n"):
        yield len(source.lines), "no newline at the end of the file"
    elif source.text.endswith("\n\n"):
        yield len(source.lines) - 1, "a blank line at the end of the file"


def open_marks(source):
    for number, match in source.matches(OPEN_MARKS, source.lines):
        yield number, f"'{match.group()}': finish it or take the mark out"


def own_paths(source):
    for number, match in source.matches(OWN_PATHS, source.lines):
        yield number, f"'{match.group()}': a path of one machine"


# -- Any code

def columns(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"


def file_length(source):
    count = len(source.lines) - 1
    if count > MAX_FILE_LINES:
        yield count, f"{count} lines in a file, at most {MAX_FILE_LINES}"


def license(source):
    if source.suffix == ".in":
        return
    lines = source.lines if source.suffix == ".py" else source.lines[:HEAD_LINES]
    if not any(re.fullmatch(r"\W*SPDX-License-Identifier: MIT\W*", line) for line in lines):
        yield 1, f"no SPDX line in the first {HEAD_LINES} lines"


def python_functions(source):
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.FunctionDef):
            count = node.end_lineno - node.lineno + 1
            if count > MAX_FUNCTION_LINES:
                yield node.lineno, f"{count} lines in a function, at most {MAX_FUNCTION_LINES}"


# -- C

def first_line(source):
    if not source.lines[0].startswith(f"// {source.name}: "):
        yield 1, f"the first line should be '// {source.name}: what is in it.'"


def function_length(source):
    for number, lines in source.functions:
        if len(lines) > MAX_FUNCTION_LINES:
            yield number, f"{len(lines)} lines in a function, at most {MAX_FUNCTION_LINES}"


def gotos(source):
    for number, lines in source.functions:
        count = sum(len(re.findall(r"\bgoto\b", line)) for line in lines)
        if count > MAX_GOTOS:
            yield number, f"{count} gotos in a function, at most {MAX_GOTOS}"


def block_comments(source):
    lines = source.blanked(lambda text: not text.startswith("/*"))
    for number, line in enumerate(lines, 1):
        if "/*" in line and not line.endswith("\\"):
            yield number, "a comment begins with //"


def dead_code(source):
    for number, _ in source.matches(r"^\s*#\s*if\s+0\b"):
        yield number, "#if 0: take dead code out"


# -- The library

def forbidden_calls(source):
    reasons = {name: why for why, names in FORBIDDEN_CALLS.items() for name in names.split()}
    for number, match in source.matches(r"(?<![\w.>])(\w+)\s*\("):
        if match.group(1) in reasons:
            yield number, f"{match.group(1)}(): {reasons[match.group(1)]}"


def float_formats(source):
    in_strings = re.compile(r'%[-+ #0]*[\d*]*(?:\.[\d*]+)?L?[fFeEgGaA](?![A-Za-z])[^"]*"')
    for number, match in source.matches(in_strings, source.uncommented_lines):
        yield number, f"'{match.group().split()[0]}': the text of a float depends on the locale"


def mutable_globals(source):
    depth = 0
    for number, line in enumerate(source.code_lines, 1):
        if depth == 0 and re.match(r"static\s+(?!const\b|inline\b)[^(]*(=|;|\{)", line):
            if not re.search(r"\bconst\b\s*\w+\s*(\[.*)?(=|;)", line):
                yield number, "a global that can change"
        if depth == 0 and re.match(r"static\s+const\s+[\w ]+\*\s*\w+\s*(\[|=|;)", line):
            yield number, "a global pointer that can change: add a const after the *"
        depth += line.count("{") - line.count("}")


def system_headers(source):
    if POSIX_FILES.fullmatch(source.path):
        return
    for number, bracket, name in source.includes:
        known = name.startswith("tenon/") or name.removesuffix(".h") in C_HEADERS
        if bracket == "<" and not known:
            yield number, f"<{name}> is not of the C standard library"


def wire_fields(source):
    if source.path.startswith("src/core/") or DESCRIPTION.fullmatch(source.path):
        return
    for number, match in source.matches(r"\b(" + "|".join(DESCRIBE_CALLS) + r")\s*\("):
        if (source.path, match.group(1)) not in SHARED_FIELDS:
            yield number, f"{match.group(1)}(): only a description names the fields of a file"


def dependencies(source):
    """Which of them call each other is for tools/measure.py, which looks at symbols."""
    here = PurePosixPath(source.path).parts[1]
    for number, bracket, name in source.includes:
        there = name.split("/")[0]
        if bracket == '"' and there not in LAYERS[:LAYERS.index(here) + 1]:
            yield number, f"src/{here} must not include {name}"


def other_formats(source):
    """A format is one folder: it includes nothing of another format."""
    own = PurePosixPath(source.path).parts
    for number, bracket, name in source.includes:
        path = PurePosixPath(name).parts
        if bracket == '"' and own[1] == "formats" and path[0] == "formats":
            if len(own) > 3 and len(path) > 2 and path[1] != own[2]:
                yield number, f"{own[2]} must not include another format's {name}"


@cache
def rule_names(folder):
    """The names in the tables of rules below a folder: "index-range" of "gpb/index-range"."""
    row = re.compile(r'\{"[a-z0-9]+/([a-z0-9-]+)",\s+TENON_(?:ERROR|WARNING|INFO)\b')
    return set(row.findall("".join(path.read_text() for path in (ROOT / folder).rglob("*.c"))))


def findings(source):
    """A finding is noted under the name of a rule; an unknown one would not be noted at all."""
    call = re.compile(r"\btn_found(?:_tally)?\(((?:[^,]*,){2})"
                      r"|\b\w+_check_found\w*\(((?:[^,]*,){3})")
    is_format = source.path.startswith("src/formats/")
    folder = "/".join(source.path.split("/")[:3]) if is_format else "src"
    for match in call.finditer(source.text):
        for name in re.findall(r'"([a-z0-9-]+)"', match.group(1) or match.group(2)):
            if name not in rule_names(folder):
                yield source.text[:match.start()].count("\n") + 1, f"there is no rule '{name}'"


# -- The tool and the examples

def public_only(source):
    for number, bracket, name in source.includes:
        path = source.included_path(name)
        is_own = os.path.normpath(path).split("/")[0] == source.path.split("/")[0]
        if bracket == '"' and not is_own:
            yield number, f"only <tenon/...> and its own headers, not {path}"


# -- Where the rules apply

ANY_TEXT = [tabs, final_newline, open_marks, own_paths]
ANY_CODE = [file_length, license]
ANY_C = [first_line, function_length, gotos, block_comments, dead_code]
LIBRARY = [forbidden_calls, float_formats, mutable_globals, system_headers, wire_fields,
           dependencies, other_formats, findings]


def is_text(path):
    suffix, name = PurePosixPath(path).suffix, PurePosixPath(path).name
    is_data = path.startswith(DATA_FOLDERS) and suffix != ".md"
    return not is_data and (suffix in TEXT_SUFFIXES or name in TEXT_NAMES)


def is_c(path):
    return PurePosixPath(path).suffix in (".c", ".h")


def rules_for(path):
    top, suffix = path.split("/")[0], PurePosixPath(path).suffix
    is_code = suffix in CODE_SUFFIXES or PurePosixPath(path).name in CODE_NAMES
    rules = list(ANY_TEXT) if is_text(path) else []
    if is_text(path) and not is_c(path):
        rules.append(trailing_whitespace)
    if is_code:
        rules += ANY_CODE
    if is_code and not is_c(path):
        rules.append(columns)
    if suffix == ".py":
        rules.append(python_functions)
    if is_c(path):
        rules += ANY_C
        rules += LIBRARY if top == "src" else [public_only] if top in ("cli", "examples") else []
    return rules


def check_text(path, text):
    """Findings of one file, as (path, line, message)."""
    source = Source(path, text)
    return [(path, line, message) for rule in rules_for(path) for line, message in rule(source)]


def check_names(paths):
    """The names of C files are unique in the tree, since messages and tests use them alone."""
    by_name = defaultdict(list)
    for path in filter(is_c, paths):
        by_name[PurePosixPath(path).name].append(path)
    return [(path, 1, f"has the name of {same[0]}")
            for same in by_name.values() for path in same[1:]]


# -- Running

def walk_tree():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", "build", "__pycache__")]
        for name in files:
            yield (Path(folder) / name).relative_to(ROOT).as_posix()


def list_files():
    """What git tracks or would track; without git, all files."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        paths = done.stdout.decode("utf-8").split("\0")
    except (OSError, subprocess.CalledProcessError):
        paths = walk_tree()
    return sorted(path for path in set(paths) if path and (ROOT / path).is_file())


def check_file(path):
    try:
        return check_text(path, (ROOT / path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        return [(path, 1, f"not UTF-8: byte {error.start}")]


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.path.insert(0, str(ROOT / "tools"))
        import style_test
        return style_test.main()
    if sys.argv[1:]:
        sys.exit(__doc__)
    paths = [path for path in list_files() if rules_for(path)]
    findings = [finding for path in paths for finding in check_file(path)] + check_names(paths)
    for path, line, message in sorted(findings):
        print(f"{path}:{line}: {message}")
    print(f"{len(paths)} files, {len(findings)} findings")
    return 1 if findings or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
