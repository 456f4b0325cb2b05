"""mutants.py: the small changes that tools/mutation.py makes to C sources, found in their text.

The code relies on the layout of clang-format: binary operators are between spaces, the braces of
functions are alone in the first column.
"""
# SPDX-License-Identifier: MIT

import re
from bisect import bisect_right
from dataclasses import dataclass

# Binary operator -> what it is replaced by.
BINARY = {
    "+": ["-"], "-": ["+"], "*": ["+", "/"], "/": ["*"], "%": ["/"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
    "^=": ["|="], "<<=": [">>="], ">>=": ["<<="],
}
BINARY_PATTERN = re.compile(
    r"(?<= )(" + "|".join(re.escape(name) for name in sorted(BINARY, key=len, reverse=True))
    + r")(?=[ \n])")
INTEGER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]+|0|[1-9]\d*)([uUlL]*)(?![\w.])")
FLOAT = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)f?(?![\w.])")
DECLARATION = re.compile(r"\s*(?!return|goto)(?:\w+ )+\**\w+(?:\[[^\]]*\])*"
                         r"(?:, \**\w+(?:\[[^\]]*\])*)*;\s*")
ARRAY_SIZE = re.compile(r"\b(?!return|else|case)\w+ \**\w+(?:\[[^\]]*\])*\[$")
CONDITION = re.compile(r"\b(if|while) \(")
RETURN = re.compile(r"\breturn (?!0;|NULL;)([^;]+);")
STATEMENT = re.compile(r"(?!(?:if|for|while|switch|return|else|do|case|sizeof|goto)\b)"
                       r"(?:\(void\))?\**[A-Za-z_](?:\w|->|\.|\[[^\]\n]*\])*"
                       r"(?:\(| (?:[-+*/|&^%]|<<|>>)?= |\+\+|--)")
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                     r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\b_Static_assert\b[^;]*;", re.S | re.M)


@dataclass(frozen=True)
class Mutant:
    """A file in which the text from `start` to `end` becomes `new`."""

    path: str  # Relative to the root.
    function: str
    first: int  # Line of the function's brace.
    line: int
    start: int
    end: int
    new: str
    before: str  # The lines that change, on one line; and after the change.
    after: str

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]

    def key(self):
        """What names the mutant when lines above it come or go."""
        return self.path, self.function, self.before, self.after


def blank(text):
    """The text with its comments, literals and directives made spaces."""
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def functions(code):
    """(name, start, end) of the body of each function."""
    for match in re.finditer(r"^\{\n(.*?)^\}$", code, re.S | re.M):
        heads = re.findall(r"^\w[^;{}]*?(\w+)\(", code[:match.start()], re.M)
        yield heads[-1] if heads else "", match.start(1), match.end(1)


def closing(code, at):
    """The place of the bracket that closes the one at `at`, or None."""
    depth = 0
    for match in re.compile(r"[()]").finditer(code, at):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            return match.start()
    return None


def statement_end(code, start):
    """After the semicolon of the statement that begins at `start`."""
    depth = 0
    for match in re.compile(r"[(){};]").finditer(code, start):
        if match.group() == ";" and depth == 0:
            return match.end()
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(match.group(), 0)
    return None


def operators(code, start, end):
    for match in BINARY_PATTERN.finditer(code, start, end):
        for new in BINARY[match.group()]:
            yield match.start(), match.end(), new
    for match in re.compile(r"\+\+|--").finditer(code, start, end):
        yield match.start(), match.end(), "--" if match.group() == "++" else "++"
    for match in re.compile(r"!(?=[\w(])").finditer(code, start, end):
        yield match.start(), match.end(), ""


def constants(code, start, end):
    for match in INTEGER.finditer(code, start, end):
        if ARRAY_SIZE.search(code, code.rfind("\n", 0, match.start()) + 1, match.start()):
            continue
        value, suffix = int(match.group(1), 0), match.group(2)
        for new in sorted({value + 1, abs(value - 1), 0} - {value}):
            yield match.start(), match.end(), f"{new}{suffix}"
    for match in FLOAT.finditer(code, start, end):
        yield match.start(), match.end(), f"({match.group()} + 1)"
        if float(match.group().rstrip("f")) != 0:
            yield match.start(), match.end(), "0.0"


def conditions(code, start, end):
    for match in CONDITION.finditer(code, start, end):
        last = closing(code, match.end() - 1)
        if last:
            inner = code[match.end():last]
            if not re.fullmatch(r"!\w[\w.>-]*", inner):  # Its `!` is removed as an operator.
                yield match.end(), last, f"!({inner})"
    for match in RETURN.finditer(code, start, end):
        new = {"true": "false", "false": "true"}.get(match.group(1), "0")
        yield match.start(1), match.end(1), new


def deletions(code, start, end):
    """Calls and assignments that are statements: first on a line, or after `if (...)`."""
    begins = [match.end() for match in re.compile(r"^ +(?=\S)", re.M).finditer(code, start, end)
              if code[:match.start()].rstrip()[-1] in ";{}):"
              or code[:match.start()].rstrip().endswith("else")]
    for match in re.compile(r"\b(?:if|for|while) \(").finditer(code, start, end):
        last = closing(code, match.end() - 1)
        if last and code[last + 1:last + 2] == " ":
            begins.append(last + 2)
    for begin in begins:
        last = statement_end(code, begin) if STATEMENT.match(code, begin) else None
        if last and last <= end:
            yield begin, last, ";"


def find_mutants(path, text):
    """All mutants of a file, as lists of those that begin on the same line."""
    code = blank(text)
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    by_line = {}
    for name, first, last in functions(code):
        brace = bisect_right(starts, first) - 1
        for find in (operators, constants, conditions, deletions):
            for start, end, new in find(code, first, last):
                line = bisect_right(starts, start)
                head = starts[line - 1]
                tail = text.find("\n", end)
                if DECLARATION.fullmatch(code, head, text.find("\n", start)):
                    continue
                if new.startswith("!("):
                    new = f"!({text[start:end]})"
                before = " ".join(text[head:tail].split())
                after = " ".join((text[head:start] + new + text[end:tail]).split())
                by_line.setdefault(line, []).append(
                    Mutant(path, name, brace, line, start, end, new, before, after))
    return [by_line[line] for line in sorted(by_line)]
