"""A small ModelData reader, which shares nothing with the packer, to check our samples.

    parse(data, dialect)      a dict, or ParseError
    dialects(data)            the dialects that read the file to its very last byte

A dialect is "current", "legacy", "characters", "legacy-characters" or "document". Bytes that a part
has left over are kept in a field "rest"; a dialect that leaves any is only used if all others do.
"""
# SPDX-License-Identifier: MIT

import struct

DIALECTS = ("current", "legacy", "characters", "legacy-characters", "document")
ARRAYS = (("vertices", "fff"), ("uvs", "ff"), ("normals", "fff"), ("tangents", "fff"),
          ("joints", "iiii"), ("weights", "ffff"), ("indices", "I"))
MAPS = ("diffuse", "normal", "specular", "displacement", "ambient_occlusion", "alpha",
        "reflection", "glow")


class ParseError(Exception):
    pass


class _Bytes:
    """A part of the file; `wrong` counts bytes that no field has, for all parts."""

    def __init__(self, data, dialect, wrong):
        self.data, self.at, self.dialect, self.wrong = data, 0, dialect, wrong

    def left(self):
        return len(self.data) - self.at

    def need(self, count):
        if count > self.left():
            raise ParseError("%d bytes wanted, %d left" % (count, self.left()))

    def take(self, count):
        self.need(count)
        self.at += count
        return self.data[self.at - count:self.at]

    def part(self, size):
        return _Bytes(self.take(size), self.dialect, self.wrong)

    def numbers(self, pattern):
        pattern = ">" + pattern
        return struct.unpack(pattern, self.take(struct.calcsize(pattern)))

    def u32(self):
        return self.numbers("I")[0]

    def u32s(self, count):
        self.need(4 * count)
        return [self.u32() for _ in range(count)]

    def rest(self):
        over = self.take(self.left())
        self.wrong.extend(over)
        return over

    def name(self, size):
        """`size` bytes, or the bytes of so many characters as Java counts them."""
        if "characters" not in self.dialect:
            return self.take(size)
        for end in range(self.at, len(self.data) + 1):
            raw = self.data[self.at:end]
            try:
                if len(raw.decode("utf-8").encode("utf-16-le")) == 2 * size:
                    return self.take(len(raw))
            except UnicodeDecodeError:
                continue
        raise ParseError("not %d characters" % size)


# -- Meshes

def _material(source):
    flags = list(source.numbers("BB"))
    sizes = source.numbers("8H")
    flags += source.numbers("4B")
    colors = source.numbers("6f")
    names = {name: source.name(size) for name, size in zip(MAPS, sizes)}
    return {"flags": flags, "diffuse": colors[:3], "glow": colors[3:], "maps": names,
            "floats": source.numbers("4f"), "rest": source.rest()}


def _array(source, size, pattern):
    width = 4 * len(pattern)
    source.need(size)
    flat = source.numbers(pattern * (size // width))
    source.wrong.extend(source.take(size % width))
    if len(pattern) == 1:
        return list(flat)
    return [flat[i:i + len(pattern)] for i in range(0, len(flat), len(pattern))]


def _factor(source, sizes):
    """4 where the sizes of material and shape are four times too large."""
    quarter = sum(sizes[:7]) + sizes[7] // 4 + sizes[8] // 4 == source.left()
    divisible = sizes[7] % 4 == 0 and sizes[8] % 4 == 0
    is_legacy = sum(sizes) != source.left() and divisible and quarter
    return 4 if "legacy" in source.dialect and is_legacy else 1


def _mesh(source):
    sizes = source.u32s(9)
    factor = _factor(source, sizes)
    mesh = {"factor": factor}
    for (name, pattern), size in zip(ARRAYS, sizes):
        mesh[name] = _array(source, size, pattern)
    mesh["material"] = _material(source.part(sizes[7] // factor)) if sizes[7] else None
    mesh["shape"] = source.take(sizes[8] // factor)
    mesh["rest"] = source.rest()
    return mesh


def _model(source):
    return [_mesh(source.part(size)) for size in source.u32s(source.u32())]


# -- Skeleton and animations

def _joint(source, size):
    if source.dialect == "document":
        size -= 136
        if size < 0:
            raise ParseError("a joint of less than 136 bytes")
    index, parent = source.numbers("ii")
    name = source.name(size)
    return {"index": index, "parent": parent, "name": name,
            "inverse_bind": source.numbers("16f"), "local_pose": source.numbers("16f")}


def _skeleton(source):
    joints = [_joint(source, size) for size in source.u32s(source.u32())]
    source.rest()
    return joints


def _keys(source, counts, width):
    return [[source.numbers("%df" % width) for _ in range(count)] for count in counts]


def _animation(source):
    name, *lists = source.u32s(4)
    counts = [source.u32s(count) for count in lists]
    animation = {"name": source.name(name), "positions": _keys(source, counts[0], 4),
                 "rotations": _keys(source, counts[1], 5), "scales": _keys(source, counts[2], 4)}
    animation["rest"] = source.rest()
    return animation


# -- Files

def _animated(source):
    model, skeleton, count = source.u32s(3)
    sizes = source.u32s(count)
    inner = source.part(model)
    file = {"meshes": _model(inner)}
    inner.rest()
    file["joints"] = _skeleton(source.part(skeleton)) if skeleton else []
    file["animations"] = [_animation(source.part(size)) for size in sizes]
    return file


def _read(data, dialect, wrong):
    """A ModelData if that ends where the file does, else an AnimatedModelData."""
    for kind in ("cem", "cea"):
        source = _Bytes(data, dialect, wrong)
        del wrong[:]
        try:
            file = _animated(source) if kind == "cea" else {"meshes": _model(source)}
        except ParseError:
            continue
        if source.left() == 0:
            return {"kind": kind, "joints": [], "animations": [], **file}
    raise ParseError("neither kind of file ends where this one does")


def parse(data, dialect):
    """The file's content in one dialect; ParseError unless it ends exactly where that does."""
    return _read(data, dialect, [])


def dialects(data):
    """Every dialect in which the file is read to its last byte, with the fewest bytes left over."""
    over = {}
    for dialect in DIALECTS:
        wrong = []
        try:
            _read(data, dialect, wrong)
        except ParseError:
            continue
        over[dialect] = len(wrong)
    return [dialect for dialect in over if over[dialect] == min(over.values())]
