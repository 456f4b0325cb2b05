"""A small BMW reader, which shares nothing with the packer, to check our samples.

    parse(data, "R4")             a dict, or ParseError
    layouts(data)                 the layouts that read the file to its very last byte
    is_row_major(model)           what the numbers show about its matrices; None: nothing

R2a is only tried when nothing else fits, since its frames are counted by their content.
"""
# SPDX-License-Identifier: MIT

import struct

HEADER = b"Beo-Model-Wolf Format Version 1\0"
LAYOUTS = ("R4", "R3", "R2", "document", "R1", "R0")
LAST_RESORT = "R2a"
WITH_ANIMATIONS = ("R4", "R3", "R2", "document", "R2a")
ANIMATIONS_EARLY = ("R4", "R3")


class ParseError(Exception):
    pass


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def rows(self, count, pattern):
        """`count` tuples of little-endian fields by the letters of struct."""
        size = struct.calcsize("<" + pattern)
        if count * size > len(self.data) - self.at:
            raise ParseError("%d rows wanted at %d of %d" % (count, self.at, len(self.data)))
        start, self.at = self.at, self.at + count * size
        return list(struct.iter_unpack("<" + pattern, self.data[start:self.at]))

    def count(self):
        return self.rows(1, "I")[0][0]

    def text(self):
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise ParseError("no NUL after %d" % self.at)
        start, self.at = self.at, end + 1
        return self.data[start:end]

    def looks_affine(self):
        """Whether the next 64 bytes end like a row-major affine matrix."""
        end = self.data[self.at + 48:self.at + 64]
        return len(end) == 16 and struct.unpack("<4f", end) == (0.0, 0.0, 0.0, 1.0)


def _list(source, item):
    return [item(source) for _ in range(source.count())]


def _texture_list(source):
    return _list(source, _Bytes.text)


# -- Animations

def _bone(source, layout, duration):
    node = source.count()
    if layout != LAST_RESORT:
        return {"node": node, "frames": source.rows(duration + (layout != "document"), "16f")}
    frames = []
    while source.looks_affine():
        frames += source.rows(1, "16f")
    return {"node": node, "frames": frames}


def _animations(source, layout):
    animations = []
    for _ in range(source.count()):
        (duration, rate), = source.rows(1, "II")
        bones = _list(source, lambda s, d=duration: _bone(s, layout, d))
        animations.append({"duration": duration, "rate": rate, "bones": bones})
    return animations


# -- Meshes and nodes

def _weighted_vertex(source):
    vertex = source.count()
    return {"vertex": vertex, "influences": source.rows(source.count(), "If")}


def _mesh(source, layout):
    has_weights = layout not in ("R1", "R0")
    weights = _list(source, _weighted_vertex) if has_weights else []
    vertices = [{"position": row[0:3], "color": row[3:7], "uv": row[7:9], "normal": row[9:12]}
                for row in source.rows(source.count(), "3f4i5f")]
    faces = source.rows(source.count(), "III") if layout != "R0" else []
    return {"weights": weights, "vertices": vertices, "faces": faces}


def _node(source, layout):
    node = {"id": None if layout in ("R1", "R0") else source.count(),
            "transform": source.rows(1, "16f")[0]}
    node["meshes"] = [row[0] for row in source.rows(source.count(), "I")]
    node["children"] = _list(source, lambda s: _node(s, layout))
    return node


# -- The whole

def parse(data, layout):
    """The file's content under one layout; ParseError unless it ends exactly where that does."""
    source = _Bytes(data)
    if source.text() + b"\0" != HEADER:
        raise ParseError("no BMW")
    model = {"materials": _list(source, _texture_list), "animations": [], "names": []}
    if layout in ANIMATIONS_EARLY:
        model["animations"] = _animations(source, layout)
    model["meshes"] = _list(source, lambda s: _mesh(s, layout))
    try:
        model["root"] = _node(source, layout)
    except RecursionError as error:
        raise ParseError("nodes nested too deep") from error
    if layout in WITH_ANIMATIONS and layout not in ANIMATIONS_EARLY:
        model["animations"] = _animations(source, layout)
    if layout == "R4":
        model["names"] = _list(source, lambda s: (s.count(), s.text()))
    if source.at != len(data):
        raise ParseError("%d bytes left over" % (len(data) - source.at))
    return model


def _try(data, layout):
    """How sure it is that the file has this layout: 2, 1 if the root is not node 0, or 0."""
    try:
        model = parse(data, layout)
    except ParseError:
        return 0
    return 1 if model["root"]["id"] else 2


def layouts(data):
    """Every layout under which the file is read to its last byte, and no further; only the surest
    of them."""
    sure = {layout: _try(data, layout) for layout in LAYOUTS}
    if not any(sure.values()):
        sure = {LAST_RESORT: _try(data, LAST_RESORT)}
    best = max(sure.values())
    return [layout for layout in sure if best and sure[layout] == best]


def nodes(model):
    """All nodes, parents before children, in the order of the file."""
    found, waiting = [], [model["root"]]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += reversed(node["children"])
    return found


def matrices(model):
    yield from (node["transform"] for node in nodes(model))
    for animation in model["animations"]:
        for bone in animation["bones"]:
            yield from bone["frames"]


def is_row_major(model, tolerance=1e-5):
    """Which end of the matrices holds translations, by majority; None if there are none."""
    balance = 0
    for m in matrices(model):
        row = max(abs(m[3]), abs(m[7]), abs(m[11])) > tolerance
        column = max(abs(m[12]), abs(m[13]), abs(m[14])) > tolerance
        balance += row - column
    return balance > 0 if balance else None
