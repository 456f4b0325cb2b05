#!/usr/bin/env python3
"""Make broken glTF files: our own fixtures and samples, each with one thing changed.

The same seed makes the same files. Not every change breaks a file: another program judges that.
"""
# SPDX-License-Identifier: MIT

import argparse
import copy
import json
import pathlib
import random
import struct
import sys

import make_fixtures_gltf
import outputs

JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
BESIDE = {"skins/red paint.png": make_fixtures_gltf.PIXEL}  # What a fixture names.
BASES = ("tests/fixtures/gltf/*.gl*", "samples/*.glb")
ITEMS_MOST = 8  # Of each list, that changes are made in.
VALUES = (-1, 0, 1, 2, 3, 5, 7, 100, 99999, 0.5, -0.5, 1e20, "x", "", True, False, None, [], {},
          [0], [1, 2, 3], {"a": 1}, 5120, 5121, 5123, 5125, 5126, 34962, 34963, "VEC2", "VEC3",
          "SCALAR", "MAT4", "image/jpeg", "CUBICSPLINE", "weights", "data:,x", "http://a/b.bin")
WORDS = (0x7FFFFFFF, 0x7FC00000, 0xFFFFFFFF, 0xFF800000, 0x447A0000, 0xC0400000, 0x01010101, 0)
# Members that objects of these lists may have, and values for them.
MEMBERS = {
    "accessors": {"normalized": True, "byteOffset": 2, "min": [0], "sparse": {"count": 1}},
    "animations": {"samplers": [{}], "channels": []},
    "buffers": {"uri": "nowhere.bin", "byteLength": 7},
    "bufferViews": {"byteStride": 8, "target": 34963, "byteOffset": 3},
    "images": {"mimeType": "image/jpeg", "bufferView": 0, "uri": "nowhere.png"},
    "materials": {"alphaMode": "MASK", "alphaCutoff": 0.25, "emissiveTexture": {"index": 0},
                  "normalTexture": {"index": 0, "texCoord": 3}},
    "meshes": {"weights": [0.5], "extensions": {"KHR_materials_unlit": {}}},
    "nodes": {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "skin": 0, "mesh": 0,
              "children": [0], "camera": 0, "scale": [1, 1, 1], "rotation": [0, 0, 0, 1],
              "weights": [1]},
    "scenes": {"nodes": [0, 1]},
    "skins": {"skeleton": 1, "inverseBindMatrices": 0, "joints": [0]},
    "textures": {"sampler": 1, "source": 0},
}


# -- Files

class Model:
    """A file in its parts: the JSON as data, and the bytes of a GLB file; None: it is text."""

    def __init__(self, path):
        data = path.read_bytes()
        self.name, self.binary = path.stem, None
        if data[:4] != b"glTF":
            self.json = json.loads(data)
            return
        size = struct.unpack_from("<I", data, 12)[0]
        rest = data[20 + size:]
        self.json = json.loads(data[20:20 + size])
        self.binary = bytearray(rest[8:8 + struct.unpack_from("<I", rest)[0]] if rest else b"")

    def text(self):
        return json.dumps(self.json, separators=(",", ":")).encode()

    def pack(self):
        text = self.text()
        if self.binary is None:
            return text
        chunks = [(JSON_CHUNK, text + b" " * (-len(text) % 4))]
        if self.binary:
            chunks.append((BIN_CHUNK, bytes(self.binary)))
        body = b"".join(struct.pack("<II", len(data), kind) + data for kind, data in chunks)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


# -- Places in the JSON

def _places(value, path=()):
    """Every value below the top, as (what holds it, its key, its path)."""
    items = value.items() if isinstance(value, dict) else \
        enumerate(value[:ITEMS_MOST]) if isinstance(value, list) else ()
    for key, item in items:
        if key == "extras":
            continue
        yield value, key, path + (key,)
        yield from _places(item, path + (key,))


def _pick(chance, model, wanted=lambda value: True):
    """A value that is wanted; all kinds of places are as likely, however often they occur."""
    kinds = {}
    for holder, key, path in _places(model.json):
        if wanted(holder[key]):
            kind = tuple("#" if isinstance(step, int) else step for step in path)
            kinds.setdefault(kind, []).append((holder, key, path))
    if not kinds:
        return None
    return chance.choice(kinds[chance.choice(sorted(kinds))])


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# -- Changes
#
# Each changes the model, or returns the bytes of the file; and says what it did. None: it cannot.

def _remove(chance, model):
    holder, key, path = _pick(chance, model)
    del holder[key]
    return "without %s" % (path,)


def _other_number(chance, model):
    place = _pick(chance, model, _is_number)
    if not place:
        return None
    holder, key, path = place
    old = holder[key]
    holder[key] = chance.choice([old + 1, old - 1, -old, old * 2, old + 0.5, 999, 2 ** 31,
                                 2 ** 62, 0, 1, 2, 3])
    return "%s: %r is %r" % (path, old, holder[key])


def _other_value(chance, model):
    holder, key, path = _pick(chance, model)
    holder[key] = copy.deepcopy(chance.choice(VALUES))
    return "%s is %r" % (path, holder[key])


def _list(chance, model):
    place = _pick(chance, model, lambda value: isinstance(value, list) and value)
    if not place:
        return None
    holder, key, path = place
    items = holder[key]
    if chance.random() < 0.5:
        items.append(copy.deepcopy(chance.choice(items)))
        return "%s has an item twice" % (path,)
    items.pop(chance.randrange(len(items)))
    return "%s lacks an item" % (path,)


def _member(chance, model):
    lists = [name for name in sorted(MEMBERS) if model.json.get(name)]
    if not lists:
        return None
    name = chance.choice(lists)
    key = chance.choice(sorted(MEMBERS[name]))
    index = chance.randrange(len(model.json[name]))
    model.json[name][index][key] = copy.deepcopy(MEMBERS[name][key])
    return "%s %d has %r" % (name, index, key)


def _swap(chance, model):
    """A value replaces another one of its kind."""
    place, other = _pick(chance, model), _pick(chance, model)
    if type(place[0][place[1]]) is not type(other[0][other[1]]):
        return None
    place[0][place[1]] = copy.deepcopy(other[0][other[1]])
    return "%s is as %s" % (place[2], other[2])


def _key(chance, model):
    place = _pick(chance, model, lambda value: isinstance(value, dict) and value)
    if not place:
        return None
    holder, key, path = place
    name = chance.choice(sorted(holder[key]))
    other = chance.choice([name + "x", name.lower(), name.upper(), "_" + name, "", "TEXCOORD_2",
                           "COLOR_0", "NORMAL", "JOINTS_1", "skeleton", "uri"])
    holder[key][other] = holder[key].pop(name)
    return "%s: %r is called %r" % (path, name, other)


def _numbers(chance, model):
    if not model.binary:
        return None
    at = chance.randrange(0, max(len(model.binary) - 3, 1), 4)
    word = chance.choice(WORDS)
    model.binary[at:at + 4] = struct.pack("<I", word)
    return "the bytes at %d are %08x" % (at, word)


def _picture(chance, model):
    """The bytes of a picture, near its start."""
    views = [model.json["bufferViews"][image["bufferView"]]
             for image in model.json.get("images", []) if "bufferView" in image]
    if not views or not model.binary:
        return None
    view = chance.choice(views)
    at = view.get("byteOffset", 0) + chance.randrange(min(32, view["byteLength"]))
    model.binary[at] ^= 1 << chance.randrange(8)
    return "byte %d of a picture has another bit" % (at - view.get("byteOffset", 0))


def _text(chance, model):
    text = bytearray(model.text())
    at = chance.randrange(len(text))
    piece = chance.choice([b"", b",", b"}", b"]", b'"', b"\\", b"\0", b"\xff", b"//", b"01"])
    text[at:at + chance.randrange(2)] = piece
    size = len(text)
    if model.binary is not None:
        text += b" " * (-size % 4)
        rest = struct.pack("<II", len(model.binary), BIN_CHUNK) + model.binary
        body = struct.pack("<II", len(text), JSON_CHUNK) + text + (rest if model.binary else b"")
        text = struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body
    return "the text has %r at %d" % (piece, at), bytes(text)


def _twice(chance, model):
    """A key that an object has twice."""
    key = chance.choice(sorted(model.json))
    text = model.text()
    doubled = b"{" + json.dumps(key).encode() + b":null," + text[1:]
    if model.binary is not None:
        return None
    return "the key %r is there twice" % key, doubled


def _container(chance, model):
    if model.binary is None:
        return None
    data = bytearray(model.pack())
    chunk = 20 + struct.unpack_from("<I", data, 12)[0]
    words = [4, 8, 12, 16] + ([chunk, chunk + 4] if chunk < len(data) else [])
    at = chance.choice(words)
    old = struct.unpack_from("<I", data, at)[0]
    new = chance.choice([old + 1, old - 1, old + 4, max(old - 4, 0), 0, 1, 3, 2 ** 32 - 1,
                         JSON_CHUNK, BIN_CHUNK])
    struct.pack_into("<I", data, at, new)
    return "the word at %d of the container is %d, not %d" % (at, new, old), bytes(data)


def _size(chance, model):
    data = model.pack()
    size = chance.randrange(len(data))
    if chance.random() < 0.5:
        return "cut to %d bytes" % size, data[:size]
    more = bytes(chance.randrange(256) for _ in range(chance.choice([1, 4, 8, 12])))
    return "%d bytes more" % len(more), data + more


# What is changed, how often, and how.
KINDS = {
    "remove": (5, _remove, "a member or item is left out"),
    "number": (9, _other_number, "a number is another one"),
    "value": (7, _other_value, "a value is another one, perhaps of another type"),
    "list": (3, _list, "a list has an item twice, or lacks one"),
    "member": (6, _member, "an object has a member that its kind can have"),
    "swap": (4, _swap, "a value is that of another place"),
    "key": (2, _key, "a member has another name"),
    "numbers": (6, _numbers, "four of the bytes after the text are changed"),
    "picture": (2, _picture, "a bit of a picture is another one"),
    "text": (2, _text, "the text has a character too many, or another one"),
    "twice": (1, _twice, "an object has a key twice"),
    "container": (3, _container, "a word of the container's headers is another one"),
    "size": (1, _size, "the file is cut, or longer than it says"),
}


# -- All of them

def bases():
    return [path for pattern in BASES for path in sorted(outputs.ROOT.glob(pattern))]


def broken_files(seed, count):
    """(name, bytes, what was changed) of each file."""
    chance = random.Random(seed)
    paths = bases()
    names, weights = list(KINDS), [weight for weight, _, _ in KINDS.values()]
    made = 0
    while made < count:
        model = Model(chance.choice(paths))
        kind = chance.choices(names, weights)[0]
        result = KINDS[kind][1](chance, model)
        if result is None:
            continue
        what, data = result if isinstance(result, tuple) else (result, model.pack())
        suffix = "gltf" if model.binary is None else "glb"
        yield "%04d_%s_%s.%s" % (made, model.name, kind, suffix), data, what
        made += 1


def write_beside(folder):
    """The files that those in `folder` need."""
    for name, data in BESIDE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _arguments():
    kinds = "\n".join("  %-10s %s" % (name, text) for name, (_, _, text) in KINDS.items())
    parser = argparse.ArgumentParser(description=__doc__, epilog="kinds of changes:\n" + kinds,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="where to write the files")
    parser.add_argument("--count", type=int, default=300, help="how many (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the chance (%(default)s)")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit 1 if the seed does not make the same files twice")
    arguments = parser.parse_args()
    if not arguments.folder and not arguments.check:
        parser.error("where to?")
    return arguments


def main():
    arguments = _arguments()
    if arguments.check:
        first, again = (list(broken_files(arguments.seed, arguments.count)) for _ in range(2))
        return 0 if first == again else 1
    write_beside(arguments.folder)
    for name, data, what in broken_files(arguments.seed, arguments.count):
        (arguments.folder / name).write_bytes(data)
        print("%s: %s" % (name, what))
    return 0


if __name__ == "__main__":
    sys.exit(main())
