"""A small reader of BBMOD and BBANIM, which shares nothing with the packer, to check our files.

    model(data, "3.4")            a dict, or ParseError
    animation(data, "3.4")
    dialects(data)                the dialects that read the file to its very last byte
"""
# SPDX-License-Identifier: MIT

import math
import struct

TEXT_DIALECTS = ("document", "document-16", "document-byte", "document-byte-16", "document-indexed",
                 "document-indexed-16", "document-indexed-byte", "document-indexed-byte-16",
                 "document-f32", "document-f32-16", "document-f32-byte", "document-f32-byte-16",
                 "document-f32-indexed-16", "document-f32-indexed-byte",
                 "document-f32-indexed-byte-16")
MODEL_DIALECTS = ("3.4", "3.3", "3.2", "3.1", "3.0", "3.0-upper", "2", "1b", "1a", "1a-boneless",
                  "0") + TEXT_DIALECTS
ANIMATION_DIALECTS = ("3.4", "3.3", "3.2", "3.1", "3.0", "3.0-upper", "2", "1", "3.1-lower",
                      "repeated", "document", "document-spaces", "document-frames")

# Letters of struct for each attribute, in the order of the flags of 3.3.
ATTRIBUTES = (("position", "3f"), ("normal", "3f"), ("uv1", "2f"), ("uv2", "2f"), ("color", "4B"),
              ("tangent_w", "4f"), ("bones", "8f"), ("instance_id", "1f"))


class ParseError(Exception):
    pass


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, pattern):
        """Little-endian fields by a pattern of struct."""
        size = struct.calcsize("<" + pattern)
        if size > self.left():
            raise ParseError("%d bytes wanted at %d of %d" % (size, self.at, len(self.data)))
        self.at += size
        return struct.unpack_from("<" + pattern, self.data, self.at - size)

    def one(self, letter):
        return self.take(letter)[0]

    def word(self):
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise ParseError("no end of text at %d" % self.at)
        start, self.at = self.at, end + 1
        return self.data[start:end]

    def rows(self, count, pattern):
        if count * struct.calcsize("<" + pattern) > self.left():
            raise ParseError("%d rows of %s wanted at %d" % (count, pattern, self.at))
        return [self.take(pattern) for _ in range(count)]


def _check(condition, message):
    if not condition:
        raise ParseError(message)


def _reads_text(dialect, part=None):
    """Whether it is the format's document, and read as `part` says."""
    return dialect.startswith("document") and (part is None or part in dialect.split("-"))


def _end(source, result):
    _check(source.left() == 0, "%d bytes left over" % source.left())
    return result


def _minor(dialect):
    """The minor version; 4 for the format's document."""
    if dialect.startswith("document") or dialect == "repeated":
        return 4
    return int(dialect[2]) if dialect[1:2] == "." else 0


def _head(source, word, dialect):
    """Magic and version."""
    if dialect == "0":
        _check(source.take("B") == (0,), "no version 0")
        return
    lower = dialect in ("3.0", "2", "1", "1a", "1b", "1a-boneless", "3.1-lower")
    _check(source.word() == (word if lower else word.upper()), "another magic")
    major = int(dialect[0]) if dialect[0].isdigit() else 3
    _check(source.one("B") == major, "another version")
    if not lower or dialect == "3.1-lower":
        minor = source.one("B")
        _check(minor == _minor(dialect) or dialect == "repeated", "another minor version")


# -- Models

def _format(source, dialect):
    """The attributes of a vertex: names and letters."""
    absent = {"0": ("uv2", "bones", "instance_id"), "1a": ("uv2", "instance_id")}
    absent["1b"] = absent["1a-boneless"] = absent["1a"]
    missing = absent.get(dialect, () if _minor(dialect) >= 3 else ("uv2",))
    known = [item for item in ATTRIBUTES if item[0] not in missing]
    flags = source.take("%dB" % len(known))
    return [item for item, flag in zip(known, flags) if flag]


def _vertices(source, attributes, dialect):
    count = source.one("I")
    patterns = {name: "4f" if name == "bones" and _reads_text(dialect, "16") else pattern
                for name, pattern in attributes}
    if not patterns:
        return []
    rows = source.rows(count, "".join(patterns.values()))
    vertices = []
    for row in rows:
        item, at = {}, 0
        for name, pattern in patterns.items():
            item[name] = row[at:at + int(pattern[0])]
            at += int(pattern[0])
        vertices.append(item)
    return vertices


def _mesh(source, attributes, dialect):
    item = {"material": source.one("I"), "primitive": 4}
    if _minor(dialect) >= 1:
        item["box"] = source.take("6f")
    if _minor(dialect) >= 2:
        attributes = _format(source, dialect)
        item["primitive"] = source.one("B" if _reads_text(dialect, "byte") else "I")
    item["vertices"] = _vertices(source, attributes, dialect)
    return item


def _list(source, item):
    return [item() for _ in range(source.one("I"))]


def _node(source, dialect):
    item = {"name": source.word()}
    has_text = _reads_text(dialect) and not _reads_text(dialect, "f32")
    item["index"] = source.word() if has_text else source.one("f")
    item["is_bone"] = source.one("B")
    item["transform"] = source.take("16f" if dialect == "2" else "8f")
    item["meshes"] = _list(source, lambda: source.one("I"))
    item["children"] = _list(source, lambda: _node(source, dialect))
    return item


def _v1_node(source, attributes, dialect):
    return {"name": source.word(),
            "meshes": _list(source, lambda: _mesh(source, attributes, dialect)),
            "children": _list(source, lambda: _v1_node(source, attributes, dialect))}


def _v1_bone(source):
    return {"name": source.word(), "index": source.one("f"), "transform": source.take("16f"),
            "offset": source.take("16f"), "children": _list(source, lambda: _v1_bone(source))}


def _v1_model(source, dialect):
    attributes = _format(source, dialect)
    item = {"inverse": source.take("16f"), "root": _v1_node(source, attributes, dialect)}
    item["bone_count"] = 0 if dialect == "1a-boneless" else source.one("I")
    item["skeleton"] = _v1_bone(source) if item["bone_count"] else None
    item["material_count"] = source.one("I")
    names = item["material_count"] if dialect == "1b" else 0
    item["materials"] = [source.word() for _ in range(names)]
    return item


def model(data, dialect):
    """The file's content under one dialect; ParseError unless it ends exactly where that does."""
    source = _Bytes(data)
    _head(source, b"bbmod", dialect)
    if dialect == "0":
        vertices = _vertices(source, _format(source, dialect), dialect)
        return _end(source, {"meshes": [{"vertices": vertices, "primitive": 4}]})
    if dialect.startswith("1"):
        return _end(source, _v1_model(source, dialect))
    attributes = None if _minor(dialect) >= 2 else _format(source, dialect)
    item = {"meshes": _list(source, lambda: _mesh(source, attributes, dialect))}
    if dialect == "2":
        item["inverse"] = source.take("16f")
    item["node_count"] = source.one("I")
    item["root"] = _node(source, dialect)
    is_bare = _reads_text(dialect) and not _reads_text(dialect, "indexed")
    entry = "17f" if dialect == "2" else "8f" if is_bare else "9f"
    item["bones"] = _list(source, lambda: source.take(entry))
    item["materials"] = _list(source, source.word)
    return _end(source, item)


# -- Animations

def _keyframes(source, item):
    item["model_count"] = source.one("I")
    item["channels"] = _list(source, lambda: {
        "index": source.one("f"),
        "positions": _list(source, lambda: source.take("d3f")),
        "rotations": _list(source, lambda: source.take("d4f"))})
    return _end(source, item)


def _frame(source, item, stored, copies):
    frame = {}
    for bit, name, count in ((1, "parent", "node_count"), (2, "world", "node_count"),
                             (4, "bone", "bone_count")):
        if stored & bit:
            frame[name] = source.rows(item[count] * copies, "8f")
    return frame


def _frames(source, item, dialect):
    count = math.ceil(item["duration"]) if item["duration"] > 0 else 0
    stored = item["spaces"] & (1 if dialect in ("document", "document-frames") else 7)
    copies = count if dialect == "repeated" else 1
    has_one = dialect in ("document", "document-spaces")
    if has_one:
        count = 1
    rows = (((stored & 1) + (stored >> 1 & 1)) * item["node_count"]
            + (stored >> 2 & 1) * item["bone_count"])
    if rows == 0:
        return []
    if 32 * rows * count > source.left() and not has_one:
        count = math.floor(item["duration"])
    _check(32 * rows * count <= source.left(), "frames are missing")
    return [_frame(source, item, stored, copies) for _ in range(count)]


def animation(data, dialect):
    source = _Bytes(data)
    _head(source, b"bbanim", dialect)
    if dialect in ("1", "2"):
        duration, rate = source.take("dd")
        return _keyframes(source, {"duration": duration, "rate": rate})
    item = dict(zip(("spaces", "duration", "rate", "node_count", "bone_count"),
                    source.take("BddII")))
    item["frames"] = _frames(source, item, dialect)
    item["has_events"] = _minor(dialect) >= 4 or source.left() > 0
    if item["has_events"]:
        item["events"] = _list(source, lambda: (source.one("d"), source.word()))
    return _end(source, item)


def dialects(data):
    """Every dialect under which the file is read to its last byte, and no further."""
    fitting = []
    for names, parse in ((MODEL_DIALECTS, model), (ANIMATION_DIALECTS, animation)):
        for dialect in names:
            try:
                parse(data, dialect)
            except ParseError:
                continue
            fitting.append(dialect)
    return fitting
