"""A small reader of gameplay bundles, which shares nothing with the packer, to check our files.

    parse(data, "1.5")       a dict, or ParseError
    layouts(data)            the layouts that read the file to its very last byte

The engine seeks to what it needs; this reader walks the file from front to back, and every byte
has to belong to something. Layouts are named like the dialects of the library.
"""
# SPDX-License-Identifier: MIT

import itertools
import struct

MAGIC = b"\xabGPB\xbb\r\n\x1a\n"
SCENE, NODE, ANIMATIONS, ANIMATION, MATERIAL, EFFECT = 1, 2, 3, 4, 16, 17
CAMERA, LIGHT, MESH, FONT = 32, 33, 34, 128
SWITCHES = ("bare", "float", "root", "attenuation")
NEWER = ("1.5", "1.5-unicode", "1.4", "1.3", "1.2", "1.1", "document")


def old_layouts():
    """Every combination of the four switches of 1.0."""
    for on in itertools.product((False, True), repeat=4):
        yield "-".join(["1.0"] + [name for name, is_on in zip(SWITCHES, on) if is_on])


class ParseError(Exception):
    pass


class _Reader:
    def __init__(self, data, layout):
        self.data, self.at, self.layout = data, 0, layout
        self.minor = 1 if layout == "document" else int(layout[2])
        self.places = {}

    def has(self, switch):
        return switch in self.layout.split("-")

    @property
    def is_document(self):
        return self.layout == "document"

    def take(self, count):
        if count > len(self.data) - self.at:
            raise ParseError("%d bytes wanted at %d of %d" % (count, self.at, len(self.data)))
        self.at += count
        return self.data[self.at - count:self.at]

    def u8(self):
        return self.take(1)[0]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def numbers(self, letter, count):
        return struct.unpack("<%d%s" % (count, letter), self.take(4 * count))

    def floats(self, count):
        return self.numbers("f", count)

    def name(self):
        return self.take(self.u32())

    def run(self, letter):
        return self.numbers(letter, self.u32())

    def listed(self, item):
        return [item(self) for _ in range(self.u32())]

    def here(self, kind):
        self.places[self.at] = kind


# -- Meshes

def _part(r):
    primitive, kind, size = r.u32(), r.u32(), r.u32()
    letter, width = {0x1401: ("B", 1), 0x1403: ("H", 2), 0x1405: ("I", 4)}[kind]
    count, raw = size // width, r.take(size)
    return {"primitive": primitive, "format": kind,
            "indices": struct.unpack("<%d%s" % (count, letter), raw[:count * width])}


def _mesh(r):
    r.here(MESH)
    elements = [(r.u32(), r.u32()) for _ in range(r.u32())]
    raw = r.take(r.u32())
    stride = 4 * sum(size for _, size in elements)
    count = len(raw) // stride if stride else 0
    rows = [struct.unpack_from("<%df" % (stride // 4), raw, stride * i) for i in range(count)]
    return {"kind": "mesh", "elements": elements, "vertices": rows,
            "bounds": (r.floats(3), r.floats(3)), "sphere": (r.floats(3), r.floats(1)[0]),
            "parts": r.listed(_part)}


# -- Nodes

def _camera(r):
    place, kind = r.at, r.u8()
    if kind == 0:
        return None
    r.places[place] = CAMERA
    aspect, near, far = r.floats(3)
    camera = {"type": kind, "aspect": aspect, "near": near, "far": far}
    camera["lens"] = r.floats(1 if kind == 1 else 2)
    return camera


def _light(r):
    place, kind = r.at, r.u8()
    if kind == 0:
        return None
    r.places[place] = LIGHT
    light = {"type": kind, "color": r.floats(3)}
    if r.has("attenuation"):
        light["attenuation"] = r.floats({1: 0, 2: 3, 3: 5}[kind])
    else:
        light["range"] = r.floats({1: 0, 2: 1, 3: 3}[kind])
    return light


def _parameter(r):
    return {"name": r.name(), "value": r.run("f"), "type": r.u32()}


def _material(r):
    r.here(MATERIAL)
    return {"parameters": r.listed(_parameter), "effect": r.name()}


def _skin(r):
    skin = {"bind_shape": r.floats(16), "root": r.name() if r.has("root") else None,
            "joints": r.listed(_Reader.name), "bind_poses": r.run("f")}
    if r.is_document:
        skin["bounds"] = (r.floats(3), r.floats(3), r.floats(3), r.floats(1)[0])
    return skin


def _model(r):
    mesh = r.name()
    if len(mesh) < 2 or mesh[:1] != b"#":
        return None
    skin = _skin(r) if r.u8() else None
    return {"mesh": mesh, "skin": skin,
            "materials": r.listed(_material if r.is_document else _Reader.name)}


def _node(r):
    place = r.at
    r.here(NODE)
    node = {"kind": "node", "place": place, "type": r.u32(), "transform": r.floats(16)}
    if node["type"] not in (1, 2):
        raise ParseError("a node of type %d" % node["type"])
    node["parent"] = r.name() if r.is_document or r.minor >= 2 else None
    node["children"] = r.listed(_node)
    node["camera"], node["light"], node["model"] = _camera(r), _light(r), _model(r)
    return node


def _scene(r):
    r.here(SCENE)
    return {"kind": "scene", "nodes": r.listed(_node), "active_camera": r.name(),
            "ambient": r.floats(3)}


# -- Animations

def _channel(r):
    channel = {"target": r.name(), "attribute": r.u32()}
    channel["times"] = r.run("f" if r.has("float") else "I")
    for name in ("values", "tangents_in", "tangents_out"):
        channel[name] = r.run("f")
    channel["interpolations"] = r.run("I")
    if r.minor == 0 and r.has("float") and any(0 < t < 0.5 for t in channel["times"]):
        raise ParseError("times that are not floats")
    if r.minor == 0 and not r.has("float") and any(t >= 0x3f000000 for t in channel["times"]):
        raise ParseError("times that are floats")
    return channel


def _animation(r):
    if r.is_document:
        r.here(ANIMATION)
    return {"id": r.name(), "channels": r.listed(_channel)}


def _animations(r):
    r.here(ANIMATIONS)
    if r.has("bare"):
        return {"kind": "animations", "animations": [{"channels": r.listed(_channel)}]}
    return {"kind": "animations", "animations": r.listed(_animation)}


# -- Fonts

def _glyph(r):
    glyph = {"code": r.u32(), "width": r.u32()}
    if r.minor >= 5:
        glyph["bearing"], glyph["advance"] = r.numbers("i", 1)[0], r.u32()
    glyph["uv"] = r.floats(4)
    return glyph


def _font_size(r):
    size = {"size": r.u32(), "charset": r.name(), "glyphs": r.listed(_glyph),
            "width": r.u32(), "height": r.u32(), "texels": r.take(r.u32())}
    if r.minor >= 3:
        size["format"] = r.u32()
    return size


def _font(r):
    r.here(FONT)
    font = {"kind": "font", "family": r.name(), "style": r.u32(), "face": None}
    if r.has("unicode") and r.u32():
        font["face_sizes"], font["face"], font["sizes"] = r.run("I"), r.take(r.u32()), []
    elif r.minor >= 4:
        font["sizes"] = r.listed(_font_size)
    else:
        font["sizes"] = [_font_size(r)]
    return font


def _effect(r):
    r.here(EFFECT)
    return {"kind": "effect", "vertex_shader": r.name(), "fragment_shader": r.name()}


# -- The file

_BODIES = {SCENE: _scene, NODE: _node, ANIMATIONS: _animations, MESH: _mesh, FONT: _font,
           EFFECT: _effect}


def _starts(r, references):
    """Offset to type of all objects that can be in the table; a node can only outside of scenes."""
    kinds = set(_BODIES) if r.is_document else set(_BODIES) - {EFFECT}
    return {offset: kind for _, kind, offset in reversed(references) if kind in kinds and offset}


def _expected_counts(r, objects, is_counted):
    """(number, objects in front of it), as the encoder puts them; or none, as other programs do."""
    if r.is_document:
        return [(len(objects), 0)]
    meshes = sum(o["kind"] == "mesh" for o in objects)
    return [(meshes, 0), (len(objects) - meshes, meshes)] if is_counted else []


def _objects(r, references):
    """Everything after the table. What no reference points to can only be a count."""
    starts, objects, counts = _starts(r, references), [], []
    while r.at < len(r.data):
        if r.at not in starts:
            counts.append((r.u32(), len(objects)))
            continue
        place = r.at
        objects.append(dict(_BODIES[starts[place]](r), place=place))
    if counts != _expected_counts(r, objects, bool(counts)):
        raise ParseError("the counts are %r" % counts)
    return objects


def parse(data, layout):
    """The file's content under one layout; ParseError unless all of it is explained."""
    r = _Reader(data, layout)
    if r.take(9) != MAGIC or tuple(r.take(2)) != (1, r.minor):
        raise ParseError("no bundle of version 1.%d" % r.minor)
    references = [(r.name(), r.u32(), r.u32()) for _ in range(r.u32())]
    objects = _objects(r, references)
    for name, kind, offset in references:
        if offset and r.places.get(offset) != kind:
            raise ParseError("%r is not at the start of an object of type %d" % (name, kind))
    return {"references": references, "objects": objects}


def layouts(data):
    """Every layout that explains the whole file."""
    fitting = []
    for layout in itertools.chain(NEWER, old_layouts()):
        try:
            parse(data, layout)
        except (ParseError, KeyError, struct.error):
            continue
        fitting.append(layout)
    return fitting
