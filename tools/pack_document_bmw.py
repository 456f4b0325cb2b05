"""BMW files packed from the format's document alone: every field and branch of it, in every
reading of it.

    cases()       the files, each with the model that it holds and the reading it was packed by
    sidecars()    JSON files beside a model: every key, and every way to get one wrong
    pack(model, reading), unpack(data, reading)

Nothing here comes from the library, from its layouts or from pack_bmw.py. The document leaves open
what ends the header, whether "for duration" counts the tick at the end of the animation, and if a
matrix is stored row by row or column by column. It also does not define the numbers of nodes.
"""
# SPDX-License-Identifier: MIT

import itertools
import math
import struct
from dataclasses import dataclass, field

HEADER = b"Beo-Model-Wolf Format Version 1"

# What may end the header: the end of every string, nothing, that of a line, and both.
HEADER_ENDS = {"nul": b"\0", "bare": b"", "newline": b"\n", "newline-nul": b"\n\0",
               "nul-newline": b"\0\n", "crlf": b"\r\n", "crlf-nul": b"\r\n\0"}


@dataclass(frozen=True)
class Reading:
    header_end: str = "nul"
    extra_frame: bool = False  # Ticks 0 to `duration`: one matrix more than `duration`.
    by_rows: bool = False      # Matrices row by row, not column by column.


ALL_READINGS = [Reading(end, extra, rows) for end, extra, rows
                in itertools.product(HEADER_ENDS, (False, True), (False, True))]
READINGS_OF_HEADERS = [Reading(end) for end in HEADER_ENDS]


# -- Models, in the order of the document. A matrix is four rows of four, for column vectors.

@dataclass
class Vertex:
    position: tuple
    color: tuple = (255, 255, 255, 255)
    uv: tuple = (0.0, 0.0)
    normal: tuple = (0.0, 0.0, 1.0)


@dataclass
class Mesh:
    vertices: list = field(default_factory=list)
    faces: list = field(default_factory=list)
    weights: list = field(default_factory=list)  # (vertex id, [(node id, weight), ...])


@dataclass
class Node:
    node_id: int
    matrix: tuple
    meshes: list = field(default_factory=list)
    children: list = field(default_factory=list)


@dataclass
class Animation:
    """`bones` are pairs of a node id and its matrices; the duration follows from their number,
    unless there is no bone."""
    speed: int
    bones: list
    empty_duration: int = 0

    def frame_count(self):
        return len(self.bones[0][1]) if self.bones else 0


@dataclass
class Model:
    root: Node
    materials: list = field(default_factory=list)  # Lists of paths, as bytes.
    meshes: list = field(default_factory=list)
    animations: list = field(default_factory=list)


def all_nodes(node):
    """(node, its parents from the root down), in the order of the file."""
    waiting = [(node, ())]
    while waiting:
        found, parents = waiting.pop()
        yield found, parents
        waiting += [(child, parents + (found,)) for child in reversed(found.children)]


# -- Matrices

IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def multiply(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4))
                 for i in range(4))


def translation(x, y, z):
    return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z), (0.0, 0.0, 0.0, 1.0))


def scaling(x, y, z):
    return ((x, 0.0, 0.0, 0.0), (0.0, y, 0.0, 0.0), (0.0, 0.0, z, 0.0), (0.0, 0.0, 0.0, 1.0))


def rotation(degrees, axis):
    length = math.sqrt(sum(c * c for c in axis))
    x, y, z = (c / length for c in axis)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    t = 1.0 - c
    return ((t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0),
            (t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0),
            (t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0),
            (0.0, 0.0, 0.0, 1.0))


def apply(matrix, point):
    return [sum(row[i] * point[i] for i in range(3)) + row[3] for row in matrix[:3]]


# -- Packing

def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def _matrix(matrix, reading):
    rows = matrix if reading.by_rows else tuple(zip(*matrix))
    return f32(*(number for row in rows for number in row))


def _mesh(mesh):
    out = u32(len(mesh.weights))
    for vertex_id, influences in mesh.weights:
        out += u32(vertex_id, len(influences))
        for node_id, weight in influences:
            out += u32(node_id) + f32(weight)
    out += u32(len(mesh.vertices))
    for v in mesh.vertices:
        out += f32(*v.position) + struct.pack("<4i", *v.color) + f32(*v.uv, *v.normal)
    out += u32(len(mesh.faces))
    return out + b"".join(u32(*face) for face in mesh.faces)


def _node(node, reading):
    out = u32(node.node_id) + _matrix(node.matrix, reading)
    out += u32(len(node.meshes), *node.meshes, len(node.children))
    return out + b"".join(_node(child, reading) for child in node.children)


def stored_duration(animation, reading):
    if not animation.bones:
        return animation.empty_duration
    return animation.frame_count() - reading.extra_frame


def _animation(animation, reading):
    out = u32(stored_duration(animation, reading), animation.speed, len(animation.bones))
    for node_id, matrices in animation.bones:
        out += u32(node_id) + b"".join(_matrix(m, reading) for m in matrices)
    return out


def pack(model, reading):
    out = HEADER + HEADER_ENDS[reading.header_end]
    out += u32(len(model.materials))
    for textures in model.materials:
        out += u32(len(textures)) + b"".join(path + b"\0" for path in textures)
    out += u32(len(model.meshes)) + b"".join(_mesh(mesh) for mesh in model.meshes)
    out += _node(model.root, reading)
    out += u32(len(model.animations))
    return out + b"".join(_animation(a, reading) for a in model.animations)


# -- Unpacking, for files that the tool writes by the document

class _Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, pattern):
        layout = struct.Struct("<" + pattern)
        values = layout.unpack_from(self.data, self.at)
        self.at += layout.size
        return values

    def count(self):
        return self.take("I")[0]

    def text(self):
        end = self.data.index(b"\0", self.at)
        start, self.at = self.at, end + 1
        return self.data[start:end]


def unpack(data, reading):
    """The model of a file; ValueError unless it ends where its data does."""
    head = HEADER + HEADER_ENDS[reading.header_end]
    if not data.startswith(head):
        raise ValueError("another header")
    cursor = _Cursor(data)
    cursor.at = len(head)

    def matrix():
        numbers = cursor.take("16f")
        rows = tuple(numbers[4 * i:4 * i + 4] for i in range(4))
        return rows if reading.by_rows else tuple(zip(*rows))

    def mesh():
        out = Mesh()
        for _ in range(cursor.count()):
            vertex_id = cursor.count()
            out.weights.append((vertex_id, [cursor.take("If") for _ in range(cursor.count())]))
        for _ in range(cursor.count()):
            out.vertices.append(Vertex(cursor.take("3f"), cursor.take("4i"), cursor.take("2f"),
                                       cursor.take("3f")))
        out.faces = [cursor.take("3I") for _ in range(cursor.count())]
        return out

    def node():
        out = Node(cursor.count(), matrix())
        out.meshes = [cursor.count() for _ in range(cursor.count())]
        out.children = [node() for _ in range(cursor.count())]
        return out

    def animation():
        duration, speed, bone_count = cursor.take("3I")
        frames = duration + reading.extra_frame
        bones = [(cursor.count(), [matrix() for _ in range(frames)]) for _ in range(bone_count)]
        return Animation(speed, bones, duration)

    materials = [[cursor.text() for _ in range(cursor.count())] for _ in range(cursor.count())]
    meshes = [mesh() for _ in range(cursor.count())]
    out = Model(node(), materials, meshes)
    out.animations = [animation() for _ in range(cursor.count())]
    if cursor.at != len(data):
        raise ValueError("%d bytes left" % (len(data) - cursor.at))
    return out


# -- Small models

MOVED = multiply(translation(3.0, -1.5, 0.25), rotation(90.0, (0.0, 0.0, 1.0)))
SCALED = multiply(translation(0.0, 2.0, 0.0), scaling(2.0, 2.0, 2.0))


def triangle(size=1.0, color=(255, 255, 255, 255)):
    return [Vertex((0.0, 0.0, 0.0), color, (0.0, 0.0), (0.0, 0.0, 1.0)),
            Vertex((size, 0.0, 0.0), color, (1.0, 0.0), (0.0, 0.0, 1.0)),
            Vertex((0.0, size, 0.5), color, (0.25, 1.0), (0.0, 0.6, 0.8))]


def frames(count, axis=(0.0, 0.0, 1.0), step=20.0, away=0.5):
    """A node that rotates and moves away."""
    return [multiply(translation(away * i, 0.0, -away * i), rotation(step * i, axis))
            for i in range(count)]


def empty():
    return Model(Node(0, IDENTITY))


def still():
    """A tree without weights and animations; only nodes move the meshes."""
    leaf = Node(3, SCALED, [1])
    inner = Node(1, MOVED, [0], [Node(2, translation(0.0, 0.0, 4.0)), leaf])
    return Model(Node(0, IDENTITY, [], [inner]), [[b"a.dds"], [b"b.dds"]],
                 [Mesh(triangle(), [(0, 1, 2)]), Mesh(triangle(2.0), [(0, 1, 2), (2, 1, 0)])])


def full():
    """Something of everything: materials with none, one and two textures, meshes with and without
    weights, branches, and three animations, one of them without bones."""
    skinned = Mesh(triangle(1.0, (255, 0, 128, 255)) + [Vertex((2.0, 2.0, 2.0), uv=(0.5, 0.75))],
                   [(0, 1, 2), (1, 3, 2)],
                   [(0, [(1, 1.0)]), (1, [(1, 0.25), (2, 0.75)]),
                    (3, [(2, 0.5), (1, 0.125), (3, 0.375)])])
    plain = Mesh(triangle(3.0), [(0, 1, 2)])
    knee = Node(2, SCALED, [], [Node(3, translation(1.0, 1.0, 1.0))])
    root = Node(0, IDENTITY, [0], [Node(1, MOVED, [], [knee]), Node(4, MOVED, [1])])
    walk = Animation(24, [(1, frames(4)), (2, frames(4, (1.0, 0.0, 0.0)))])
    wave = Animation(10, [(3, frames(2, (0.0, 1.0, 0.0), 45.0, 1.0))])
    return Model(root, [[], [b"skin.dds"], [b"maps/cloth.dds", b"spare.dds"]], [skinned, plain],
                 [walk, Animation(30, [], 5), wave])


def animated_node():
    """An animation moves a node without weights, and the mesh on it."""
    root = Node(0, IDENTITY, [], [Node(1, translation(1.0, 0.0, 0.0), [0])])
    return Model(root, [[b"a.dds"]], [Mesh(triangle(), [(0, 1, 2)])],
                 [Animation(5, [(1, frames(3))])])


def odd_ids():
    """Nodes may have any numbers, the root as well."""
    root = Node(7, IDENTITY, [0], [Node(0xFFFFFFFF, MOVED), Node(3, MOVED, [], [Node(0, SCALED)])])
    mesh = Mesh(triangle(), [(0, 1, 2)],
                [(2, [(0, 1.0)]), (0, [(3, 1.0)]), (1, [(0xFFFFFFFF, 0.5), (7, 0.5)])])
    return Model(root, [[b"a.dds"]], [mesh],
                 [Animation(8, [(7, frames(2)), (0, frames(2)), (0xFFFFFFFF, frames(2))])])


def shared_meshes():
    """A node with several meshes, a mesh of several nodes, and one of none."""
    meshes = [Mesh(triangle(float(i + 1)), [(0, 1, 2)]) for i in range(3)]
    root = Node(0, MOVED, [1, 0], [Node(1, SCALED, [1]), Node(2, IDENTITY, [0, 1])])
    return Model(root, [[b"a.dds", b"b.dds", b"c.dds"]], meshes)


def values_of_all_kinds():
    """Numbers that a file may hold, whatever they are for."""
    smallest, largest = 2.0 ** -149, (2.0 - 2.0 ** -23) * 2.0 ** 127
    vertices = [Vertex((-0.0, smallest, largest), (-1, 256, 2 ** 31 - 1, -2 ** 31), (-2.5, 7.0)),
                Vertex((1.0, 0.0, 0.0), (0, 0, 0, 0)), Vertex((0.0, 1.0, 0.0))]
    mesh = Mesh(vertices, [(0, 1, 2), (1, 1, 1)], [(1, [])])
    return Model(Node(0, MOVED, [0]), [[b"", "Ähre/鋼.dds".encode(), b"a" * 300]], [mesh],
                 [Animation(0, [(0, [IDENTITY])]), Animation(0xFFFFFFFF, [(0, [MOVED])])])


def not_finite():
    bad = ((math.nan, 0.0, 0.0, math.inf),) + IDENTITY[1:]
    mesh = Mesh([Vertex((math.nan, math.inf, -math.inf))] + triangle(), [(1, 2, 3)])
    return Model(Node(0, MOVED, [0]), [], [mesh], [Animation(2, [(0, [bad, IDENTITY])])])


def references_to_nothing():
    """Ids and indices of what does not exist."""
    mesh = Mesh(triangle(), [(0, 1, 2), (0, 1, 9)], [(9, [(0, 1.0)]), (0, [(9, 1.0)])])
    return Model(Node(0, MOVED, [0, 5]), [], [mesh], [Animation(2, [(9, frames(2))])])


def many_influences():
    """More than any engine allows, twice the same node, and weights that do not add up."""
    nodes = [Node(i + 1, translation(float(i), 0.0, 0.0)) for i in range(12)]
    weights = [(0, [(i + 1, 0.125) for i in range(12)]), (1, [(1, 0.5), (1, 0.25), (2, 0.25)]),
               (2, [(3, 3.0), (4, 1.0)])]
    return Model(Node(0, IDENTITY, [0], nodes), [[b"a.dds"]],
                 [Mesh(triangle(), [(0, 1, 2)], weights)],
                 [Animation(4, [(i + 1, frames(2, away=i + 1.0)) for i in range(12)])])


def parts_of_nothing():
    """Meshes without vertices, without faces, and a material without textures."""
    return Model(Node(0, MOVED, [0, 1, 2]), [[]],
                 [Mesh(), Mesh(triangle()), Mesh(triangle(), [(0, 1, 2)])])


def no_frames():
    """A bone with no matrix at all, where "for duration" allows that."""
    return Model(Node(0, MOVED, [0], [Node(1, MOVED)]), [], [Mesh(triangle(), [(0, 1, 2)])],
                 [Animation(4, [(1, []), (0, [])])])


def deep(levels=100):
    node = Node(levels, translation(0.0, 1.0, 0.0), [0])
    for i in reversed(range(levels)):
        node = Node(i, translation(0.0, 1.0, 0.0), [], [node])
    return Model(node, [[b"a.dds"]], [Mesh(triangle(), [(0, 1, 2)])])


def only_turned():
    """No translation shows in which order the matrices are."""
    turn = rotation(30.0, (0.0, 0.0, 1.0))
    return Model(Node(0, turn, [0], [Node(1, turn)]), [], [Mesh(triangle(), [(0, 1, 2)])],
                 [Animation(4, [(1, [turn, IDENTITY])])])


def with_materials(count):
    """The count begins with bytes that could be the end of the header."""
    return Model(Node(0, MOVED, [0], [Node(1, MOVED)]), [[] for _ in range(count)],
                 [Mesh(triangle(), [(0, 1, 2)])], [Animation(4, [(1, frames(2))])])


# -- All files

@dataclass
class Case:
    name: str
    model: Model
    reading: Reading

    def data(self):
        return pack(self.model, self.reading)


SHORT = {"extra_frame": {False: "literal", True: "inclusive"},
         "by_rows": {False: "columns", True: "rows"}}
COUNTS_LIKE_ENDS = (0x0A, 0x0D, 0x0100, 0x0A00, 0x0A0D, 0x0D00)


def _case(name, model, reading):
    words = [name, reading.header_end, SHORT["extra_frame"][reading.extra_frame],
             SHORT["by_rows"][reading.by_rows]]
    return Case("_".join(words), model, reading)


def cases():
    """Every model, in all readings or in those of the header."""
    every = {"full": full()}
    some = {"odd_ids": odd_ids(), "empty": empty(), "still": still(),
            "animated_node": animated_node(), "shared_meshes": shared_meshes(),
            "values": values_of_all_kinds(),
            "not_finite": not_finite(), "references": references_to_nothing(),
            "influences": many_influences(), "nothing": parts_of_nothing(), "deep": deep(),
            "turned": only_turned()}
    found = [_case(name, model, r) for name, model in every.items() for r in ALL_READINGS]
    found += [_case("materials_%d" % count, with_materials(count), r)
              for count in COUNTS_LIKE_ENDS for r in READINGS_OF_HEADERS]
    found += [_case(name, model, r) for name, model in some.items() for r in READINGS_OF_HEADERS]
    # Each of the others once more, in the other ways to count frames and to store matrices.
    found += [_case(name, model, Reading("nul", extra, rows)) for name, model in some.items()
              for extra, rows in ((True, False), (False, True), (True, True))]
    found += [_case("no_frames", no_frames(), r) for r in READINGS_OF_HEADERS]
    return found


# -- Sidecars

def acting():
    """What the sidecars are beside: one animation of ten ticks, a weighted mesh and a plain one."""
    skinned = Mesh(triangle(), [(0, 1, 2)], [(i, [(1, 1.0)]) for i in range(3)])
    root = Node(0, IDENTITY, [0], [Node(1, MOVED), Node(2, MOVED, [1])])
    return Model(root, [[b"first.dds"], [b"second.dds"]],
                 [skinned, Mesh(triangle(2.0), [(0, 1, 2)])], [Animation(5, [(1, frames(10))])])


# Every key of the sidecar, with ticks of the model above.
WHOLE = {
    "rotation": 75.0,
    "rotationAngle": "0.6 0.0 0.8",
    "scale": "0.5 0.25 1.5",
    "translation": "-2.0 0.5 0.25",
    "textureOverrides": [{"texture": "other/bark.dds"}],
    "defaultAnim": "idle",
    "clips": [
        {"name": "idle", "start": 2, "end": 5, "loop": True},
        {"name": "fall", "start": 5, "end": 8, "hold": True},
        {"name": "rise", "start": 0, "end": 9, "loop": False},
    ],
}

# The defaults where a key is left out.
DEFAULTS = {"rotation": 0.0, "rotationAngle": "0 1 0", "scale": "1 1 1", "translation": "0 0 0",
            "textureOverrides": [], "defaultAnim": "idle", "clips": []}

# Kinds of JSON, one of each, and texts that are not a vector.
KINDS = {"string": "a word", "number": 7, "bool": True, "null": None, "array": [], "object": {}}
RIGHT_KINDS = {"rotation": "number", "rotationAngle": "string", "scale": "string",
               "translation": "string", "textureOverrides": "array", "defaultAnim": "string",
               "clips": "array", "name": "string", "start": "number", "end": "number",
               "loop": "bool", "hold": "bool", "texture": "string", "clip": "object",
               "override": "object"}
NO_VECTORS = ("", "1 2", "1 2 3 4", "1,2,3", "x y z", "1 2 three")


@dataclass
class Sidecar:
    """`expected` is `value` without what cannot be used: `faults` are its paths."""
    name: str
    value: object
    expected: dict
    faults: tuple = ()


def _copy(value):
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _without(value, *path):
    out = _copy(value)
    at = out
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    return out


def _with(value, new, *path):
    out = _copy(value)
    at = out
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = new
    return out


def _path_text(path):
    text = ""
    for step in path:
        text += "[%d]" % step if isinstance(step, int) else ("." if text else "") + step
    return text


def _bad(path, kind, value, expected):
    name = "bad_%s_%s" % (_path_text(path).replace("[", "_").replace("]", "").replace(".", "_"),
                          kind)
    return Sidecar(name, _with(WHOLE, value, *path), expected, (_path_text(path),))


def _bad_values():
    """Every key with a value of every other kind: that value alone is lost."""
    plain = [key for key in WHOLE]
    for key in plain:
        for kind, value in KINDS.items():
            if kind != RIGHT_KINDS[key]:
                yield _bad((key,), kind, value, _without(WHOLE, key))
    for key in ("rotationAngle", "scale", "translation"):
        for number, text in enumerate(NO_VECTORS):
            yield _bad((key,), "vector%d" % number, text, _without(WHOLE, key))
    for kind, value in KINDS.items():
        if kind != "object":
            yield _bad(("clips", 1), kind, value, _without(WHOLE, "clips", 1))
            yield _bad(("textureOverrides", 0), kind, value, _without(WHOLE, "textureOverrides"))
        for key in ("start", "end"):
            if kind != "number":
                yield _bad(("clips", 1, key), kind, value, _without(WHOLE, "clips", 1))
        if kind != "string":
            nameless = _with(WHOLE, "animation_2", "clips", 1, "name")
            yield _bad(("clips", 1, "name"), kind, value, nameless)
            yield _bad(("textureOverrides", 0, "texture"), kind, value,
                       _without(WHOLE, "textureOverrides"))
        if kind != "bool":
            yield _bad(("clips", 0, "loop"), kind, value, _without(WHOLE, "clips", 0, "loop"))
            yield _bad(("clips", 1, "hold"), kind, value, _without(WHOLE, "clips", 1, "hold"))


def sidecars():
    """Every key, alone and left out; clips in every state; and what is wrong in every way."""
    found = [Sidecar("whole", WHOLE, WHOLE), Sidecar("nothing", {}, {}),
             Sidecar("reversed", dict(reversed(list(WHOLE.items()))), WHOLE)]
    for key in WHOLE:
        found.append(Sidecar("without_" + key, _without(WHOLE, key), _without(WHOLE, key)))
        found.append(Sidecar("only_" + key, {key: WHOLE[key]}, {key: WHOLE[key]}))
    for loop, hold in itertools.product((None, False, True), repeat=2):
        clip = {"name": "a", "start": 1, "end": 4}
        clip.update({key: value for key, value in (("loop", loop), ("hold", hold))
                     if value is not None})
        value = {"defaultAnim": "a", "clips": [clip]}
        found.append(Sidecar("clip_%s_%s" % (loop, hold), value, value))
    others = {"whole_numbers": {"rotation": 90, "scale": "2 2 2"},
              "spaces": {"scale": "  .5\t1.  +2e0 ", "translation": "-1 007 0.0"},
              "fractions": {"clips": [{"name": "idle", "start": 1.0, "end": 3e0}]},
              "one_tick": {"clips": [{"name": "idle", "start": 4, "end": 4}]},
              "empty_lists": {"clips": [], "textureOverrides": []},
              "more_overrides": {"textureOverrides": [{"texture": "a.dds"},
                                                      {"texture": "b.dds"},
                                                      {"texture": "c.dds"}]},
              "unknown_keys": {"author": "me", "scale": "2 2 2", "clips": [
                  {"name": "idle", "start": 0, "end": 1, "mode": "hold"}]}}
    found += [Sidecar(name, value, value) for name, value in others.items()]
    found += [Sidecar("clip_without_" + key, _without(WHOLE, "clips", 1, key),
                      _without(WHOLE, "clips", 1), ("clips[1]",)) for key in ("start", "end")]
    found.append(Sidecar("clip_without_name", _without(WHOLE, "clips", 1, "name"),
                         _with(WHOLE, "animation_2", "clips", 1, "name"), ("clips[1]",)))
    found.append(Sidecar("override_without_texture", _with(WHOLE, {}, "textureOverrides", 0),
                         _without(WHOLE, "textureOverrides"), ("textureOverrides[0]",)))
    everything = {"rotation": "x", "rotationAngle": 1, "scale": "1", "translation": [1, 2, 3],
                  "textureOverrides": [1, {"texture": "kept.dds"}], "defaultAnim": 5,
                  "clips": [{"name": "kept", "start": 1, "end": 2, "loop": 1}, None]}
    kept = {"textureOverrides": [None, {"texture": "kept.dds"}],
            "clips": [{"name": "kept", "start": 1, "end": 2}]}
    found.append(Sidecar("bad_everything", everything, kept,
                         ("rotation", "rotationAngle", "scale", "translation",
                          "textureOverrides[0]", "defaultAnim", "clips[0].loop", "clips[1]")))
    return found + list(_bad_values())
