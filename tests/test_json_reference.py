#!/usr/bin/env python3
"""test_json_reference.py: our JSON tokenizer accepts what a strict reference accepts, no more.

The reference is Python's json with the rules that it lacks: no NaN and Infinity, no byte order
mark, valid UTF-8, no lone surrogates, at most 1024 levels. Run with the path of json_verdicts.
"""
# SPDX-License-Identifier: MIT

import json
import random
import struct
import subprocess
import sys

MUTATIONS = 40000
DEPTH = 1024

VALID = r"""
{} [] 0 -0 1 -1 10 1.5 1e5 1E+5 1e-5 -1.25e10 "" "a" true false null
[[]] [1,2,3] {"a":1} {"a":{"b":[1,{"c":null}]}} "\u00e9" "\ud83d\ude00" "\"\\\/\b\f\n\r\t"
[1.0,2e3,-4.5E-6] {"":0} ["é","日本","😀"] 123456789012345678901234567890 1e400 -1e-400
"\u0000" {"a":1,"a":2} [[[[[[[[]]]]]]]] [true,false,null] {"k":"v","n":[0.1,0.2]}
""".split()

INVALID = r"""
{ } [ ] , : {, [, [1,] {"a":1,} {"a"} {"a":} {a:1} {'a':1} [1 2] 01 -01 +1 .5 1. 1.e5 1e 1e+ - -a
0x10 NaN Infinity -Infinity nan tru truee nul "a "\x" "\u12" "\u123g" "\ud800" "\udc00"
"\ud800\u0041" [1,,2] {"a":1,,"b":2} [1]] {}} 1,2 // /**/ [1/**/] #c ]1[ "\ud83d" 1e5.5 1..2 --1
{"a":1 "b":2} [} {]
""".split()

RAW = [b"", b" ", b"\n", b"\xef\xbb\xbf{}", b'"\xff"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\x00"',
       b'"\x1f"', b'"\x7f"', b'"\xf4\x90\x80\x80"', b'"\xf4\x8f\xbf\xbf"', b"\x00", b"[\x0c1]",
       b"[\xc2\xa01]", b" \t\r\n[1]\r\n\t ", b"[\x0b]", b'["\xe9"]', b'"\xe2\x82"', b"1\x00",
       b"[" * DEPTH + b"]" * DEPTH, b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1)]


def refuse(word):
    raise ValueError(word)


def depth_of(text):
    depth = most = 0
    in_string = escaped = False
    for c in text:
        if in_string:
            in_string = escaped or c != '"'
            escaped = not escaped and c == "\\"
        elif c == '"':
            in_string = True
        elif c in "[{":
            depth += 1
            most = max(most, depth)
        elif c in "]}":
            depth -= 1
    return most


def has_surrogate(value):
    """Whether an escape gave half of a surrogate pair; iterative, since values can be deep."""
    rest = [value]
    while rest:
        v = rest.pop()
        if isinstance(v, str) and any("\ud800" <= c <= "\udfff" for c in v):
            return True
        if isinstance(v, list):
            rest.extend(v)
        if isinstance(v, dict):
            rest.extend(v.keys())
            rest.extend(v.values())
    return False


def reference(raw):
    try:
        text = raw.decode("utf-8")
        if text.startswith("\ufeff") or depth_of(text) > DEPTH:
            return False
        pairs = []  # A later key hides an earlier one of the same name: look at all of them.
        value = json.loads(text, parse_constant=refuse,
                           object_pairs_hook=lambda p: pairs.append(p) or dict(p))
        return not has_surrogate(value) and not has_surrogate([list(m) for p in pairs for m in p])
    except ValueError:
        return False


def mutate(rng, texts):
    text = bytearray(rng.choice(texts))
    alphabet = (b'{}[],:"\\/ \t\n0123456789.-+eEuabfnrtlsxd'
                b'\xc3\xa9\xed\xa0\x80\xf0\x9f\x98\x00\x1f\x7f')
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        kind = rng.randint(0, 3)
        if kind == 0 or not text:
            text.insert(at, rng.choice(alphabet))
        elif kind == 1:
            del text[at:at + rng.randint(1, 3)]
        elif kind == 2 and at < len(text):
            text[at] = rng.choice(alphabet)
        else:
            text[at:at] = rng.choice(texts)[:24]
    return bytes(text)


def verdicts(program, texts):
    stream = b"".join(struct.pack("<I", len(t)) + t for t in texts)
    done = subprocess.run([program], input=stream, capture_output=True, check=True)
    return [c == ord("1") for c in done.stdout]


def main(arguments):
    sys.setrecursionlimit(20000)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    valid = [t.encode() for t in VALID]
    texts = valid + [t.encode() for t in INVALID] + RAW
    wrong = [t for t in valid if not reference(t)]
    wrong += [t.encode() for t in INVALID if reference(t.encode())]
    rng = random.Random(20)
    texts += [mutate(rng, texts[:len(VALID) + len(INVALID)]) for _ in range(MUTATIONS)]
    ours = verdicts(arguments[0], texts)
    theirs = [reference(t) for t in texts]
    differ = [t for t, a, b in zip(texts, ours, theirs) if a != b]
    for text in (wrong + differ)[:20]:
        print(f"not ok: {text[:80]!r}: reference says {reference(text)}")
    print(f"{len(texts)} texts, {sum(theirs)} valid, {len(differ)} judged differently")
    return 1 if wrong or differ or len(ours) != len(texts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
