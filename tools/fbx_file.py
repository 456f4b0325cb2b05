#!/usr/bin/env python3
"""fbx_file.py: writes FBX 7.4 files, as text or binary, from a tree of nodes.

A node is Node(name, values, children). Values are plain: int becomes a 64-bit integer, float a
number, str a text, bytes raw data; Int is a 32-bit integer, Letter one character. An array is
Array(letter, numbers), with the letter of the binary format: d, f, i or l. Name(text, kind) is the
name of an object.
"""
# SPDX-License-Identifier: MIT

import struct
import zlib
from collections import namedtuple

Int = namedtuple("Int", "value")
Letter = namedtuple("Letter", "value")
Array = namedtuple("Array", "letter numbers")
Name = namedtuple("Name", "text kind")

HEAD = b"Kaydara FBX Binary  \x00\x1a\x00"
MAGIC = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
VERSION = 7400
RAW = "surrogateescape"  # Bytes that are not UTF-8.


class Node:
    """A node of the tree; `children` is None where the file has no list at all."""

    def __init__(self, name, values=(), children=None):
        self.name, self.values, self.children = name, list(values), children


# -- Text

def text_value(value):
    if isinstance(value, Name):
        return text_value(f"{value.kind}::{value.text}")
    if isinstance(value, (Int, Letter)):
        return str(value.value)
    if isinstance(value, str):
        return '"' + value.replace('"', "&quot;") + '"'
    if isinstance(value, bytes):
        return '"' + value.decode("ascii") + '"'
    return repr(value)


def bits(number):
    return struct.unpack("<i", struct.pack("<f", number))[0]


def text_array(array, name):
    """Tangents are written as the bits of their numbers."""
    as_bits = name == "KeyAttrDataFloat"
    numbers = ",".join(repr(bits(n) if as_bits else n) for n in array.numbers)
    return f"*{len(array.numbers)} {{\n\ta: {numbers}\n}}"


def text_node(node, depth=0):
    tabs = "\t" * depth
    if len(node.values) == 1 and isinstance(node.values[0], Array):
        return f"{tabs}{node.name}: {text_array(node.values[0], node.name)}\n"
    line = f"{tabs}{node.name}: " + ", ".join(text_value(v) for v in node.values)
    if node.children is None:
        return line.rstrip() + "\n"
    inside = "".join(text_node(child, depth + 1) for child in node.children)
    return f"{line} {{\n{inside}{tabs}}}\n"


def as_text(nodes):
    return ("; FBX 7.4.0 project file\n; written for tests\n\n" +
            "\n".join(text_node(node) for node in nodes)).encode(errors=RAW)


# -- Binary

def binary_array(array, most_plain):
    data = struct.pack(f"<{len(array.numbers)}{array.letter.replace('l', 'q')}", *array.numbers)
    packed = zlib.compress(data) if len(data) > most_plain else data
    encoding = int(packed is not data)
    return array.letter.encode() + struct.pack("<III", len(array.numbers), encoding,
                                               len(packed)) + packed


def binary_text(data):
    return b"S" + struct.pack("<I", len(data)) + data


def binary_value(value, most_plain):
    if isinstance(value, Array):
        return binary_array(value, most_plain)
    if isinstance(value, Name):
        return binary_text(value.text.encode(errors=RAW) + b"\x00\x01" + value.kind.encode())
    if isinstance(value, Int):
        return b"I" + struct.pack("<i", value.value)
    if isinstance(value, Letter):
        return b"C" + value.value.encode()
    if isinstance(value, str):
        return binary_text(value.encode(errors=RAW))
    if isinstance(value, bytes):
        return b"R" + struct.pack("<I", len(value)) + value
    return (b"D" + struct.pack("<d", value) if isinstance(value, float)
            else b"L" + struct.pack("<q", value))


def binary_node(node, start, most_plain):
    values = b"".join(binary_value(v, most_plain) for v in node.values)
    name = node.name.encode()
    inside_at = start + 13 + len(name) + len(values)
    inside = b"" if node.children is None else binary_list(node.children, inside_at, most_plain)
    end = inside_at + len(inside)
    return struct.pack("<IIIB", end, len(node.values), len(values), len(name)) + \
        name + values + inside


def binary_list(nodes, start, most_plain):
    out = b""
    for node in nodes:
        out += binary_node(node, start + len(out), most_plain)
    return out + bytes(13)


def mixed(data, key):
    """The bytes of `data`, each combined with `key` and with the one before."""
    out, last = bytearray(), 0x40
    for a, b in zip(data, key):
        last ^= a ^ b
        out.append(last)
    return bytes(out)


def file_code():
    """What programs derive from the time of creation: 1970-01-01 10:00:00:000, as Blender says."""
    source = bytes.fromhex("58aba9f06ca2d83f4d4749a3b4b2e73d")
    key = bytes.fromhex("e24f7b5fcde4c86ddbd8fbd74058c678")
    time = b"0001100100197000"  # Second, month, hour, day, hundredth, year, minute.
    return mixed(mixed(mixed(source, time), key), time)


def footer(start):
    """The end of a file whose nodes end at `start`."""
    padding = bytes(16 - start % 16)
    return file_code() + padding + struct.pack("<II", 0, VERSION) + bytes(120) + MAGIC


def as_binary(nodes, most_plain=128):
    """Arrays of more than `most_plain` bytes are compressed."""
    out = HEAD + struct.pack("<I", VERSION)
    out += binary_list(nodes, len(out), most_plain)
    return out + footer(len(out))
