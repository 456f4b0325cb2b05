#!/usr/bin/env python3
"""Make tests/fixtures/gpb/: small gameplay bundles of every version, switch and branch.

Names begin with the layout, dots and dashes made underscores. Those that no exact reader explains
without a rest (gaps, odd references) are listed in ODD.
"""
# SPDX-License-Identifier: MIT

import sys

import outputs
import pack_document_gpb
import parse_gpb
from pack_gpb import (CAMERA, FONT, IDENTITY, LIGHT, MESH, NODE, SCENE, Layout, bundle, counted,
                      f32, mark, mesh, moved, part, text, u8, u32)

FOLDER = outputs.ROOT / "tests" / "fixtures" / "gpb"
SIZE_LIMIT = 2048

QUARTER_TURN = (0.0, 0.70710678, 0.0, 0.70710678)
POSITION, NORMAL, COLOR, WEIGHTS, INDICES, UV = (1, 3), (2, 3), (3, 4), (6, 4), (7, 4), (8, 2)


# -- Parts of models

def triangle(name="tri_Mesh", parts=None):
    rows = [(0.0, 0.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 0.0, 1.0)]
    return mesh(name, [POSITION, UV], rows, [part((0, 1, 2))] if parts is None else parts)


def speck(name):
    """The smallest mesh: one point, no parts."""
    return mesh(name, [POSITION], [(1.0, 2.0, 3.0)], [])


def skinned_strip(name="arm_Mesh", rings=4):
    """A ribbon along Y between two joints at 0 and 1."""
    rows = []
    for i in range(rings):
        share = i / (rings - 1)
        for x in (-0.25, 0.25):
            rows.append((x, share, 0.0, 1.0 - share, share, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    indices = [2 * i + k for i in range(rings - 1) for k in (0, 1, 2, 2, 1, 3)]
    return mesh(name, [POSITION, WEIGHTS, INDICES], rows, [part(indices)])


def bind_poses():
    return IDENTITY + moved(0.0, -1.0, 0.0)


def skeleton(layout, light=u8(0)):
    hand = layout.node("hand", "arm", kind=2, transform=moved(0.0, 1.0, 0.0), light=light)
    return layout.node("arm", "", [hand], kind=2)


def arm_skin(layout):
    return layout.skin(("arm", "hand"), bind_poses(), "arm")


def wave(layout):
    """Both kinds of time are whole; one clip has a channel, the other two."""
    turn = (0.0, 0.0, 0.0, 1.0) + QUARTER_TURN
    place = IDENTITY[12:15]
    first = layout.channel("hand", 8, (0, 500), turn)
    second = layout.channel("arm", 17, (250, 1000),
                            2 * ((1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0) + place))
    third = layout.channel("hand", 9, (1000,), (0.0, 1.5, 0.0))
    return layout.animations([("wave", [first, second]), ("reach", [third])])


# -- Every layout

def full_scene(layout):
    """All that nodes can have, in a size above which robustness tests take samples."""
    spot = layout.light("lamp_Light", 3, (1.0, 0.5, 0.25), (8.0, 0.25, 0.5),
                        (1.0, 0.0, 0.125, 0.5, 2.0))
    camera = layout.camera("eye_Camera", (45.0,))
    materials = [layout.material("skin", [("u_tint", (1.0, 0.5, 0.0), 3)], "#glow")]
    body = layout.node("body", "", model=layout.model("arm_Mesh", arm_skin(layout), materials))
    nodes = [layout.node("eye", "", camera=camera, transform=moved(0.0, 0.0, 5.0)),
             skeleton(layout, spot), body]
    return layout.scene("stage", nodes, "#eye", (0.125, 0.0, 0.0))


def scene_file(name):
    layout = Layout(name)
    objects = [full_scene(layout)] + wave(layout)
    if layout.is_document:
        objects.append(layout.effect("glow", "void main() {}", "#version 100"))
    return layout.scene_bundle([skinned_strip(rings=2)], objects)


def font_sizes(layout, count):
    glyphs = [layout.glyph(65, 3, (0.0, 0.0, 0.75, 1.0), 1, 5),
              layout.glyph(66, 4, (0.0, 0.0, 1.0, 1.0), -1, 4)]
    return [layout.font_size(8 * (i + 1), glyphs, 4, 2, bytes(range(32 * i, 32 * i + 8)), i)
            for i in range(count)]


def font_file(name):
    layout = Layout(name)
    sizes = font_sizes(layout, 2 if layout.minor >= 4 else 1)
    font = layout.font("tiny", "Tiny Sans", sizes)
    return layout.bundle(counted([font]) if layout.is_document else font)


# Each switch alone, all of them, and a mix that a real file has. The C tests make the others.
OLD = ("1.0", "1.0-attenuation", "1.0-root", "1.0-float", "1.0-bare", "1.0-float-attenuation",
       "1.0-bare-float-root-attenuation")


def layout_files():
    for name in ("1.5", "1.4", "1.3", "1.2", "1.1", "document") + OLD:
        yield name, "scene", scene_file(name)
    for name in ("1.5", "1.5-unicode", "1.4", "1.3", "1.2", "1.1", "1.0", "document"):
        yield name, "font", font_file(name)


# -- Branches of one layout

NEW = Layout("1.5")


def lit_nodes():
    """Every light and camera. The camera of `view` is not in the table: its node took the name."""
    lights = [("sun", 1, ()), ("bulb", 2, (3.0,)), ("spot", 3, (4.0, 0.125, 0.25))]
    nodes = [NEW.node(name, light=NEW.light(name + "_Light", kind, (1.0, 1.0, 1.0), reach))
             for name, kind, reach in lights]
    nodes.append(NEW.node("plan", camera=NEW.camera("plan_Camera", (8.0, 6.0))))
    nodes.append(NEW.node("view", camera=NEW.camera(None, (60.0,))))
    return nodes


def all_parts():
    return [part((0, 1, 2), 0x1401), part((0, 1, 2), 0x1405), part((0, 1, 1, 2), primitive=1),
            part((0, 1, 2, 0), primitive=3), part((0, 1, 2), primitive=5), part((2,), primitive=0)]


def odd_clips():
    """What real files hold: an empty animation, takes under one name, tangents, several modes."""
    take = NEW.channel("sun", 12, (0, 40), (0.0, 1.0))
    longer = NEW.channel("sun", 12, (0, 40, 80), (0.0, 1.0, 0.5))
    hidden = NEW.channel("sun", 0, (0, 100), (1.0, 0.0),
                         ((0.0, 1.0, 0.5, 1.0), (0.25, 1.0, 1.0, 0.0)), (2, 6))
    return [("Take 001", [take, longer, hidden]), ("Take 001", [])]


def branches():
    """All that one scene can show, with an ambient light that is in the table but unwritten."""
    model = NEW.model("tri_Mesh", None, [text("m%d" % i) for i in range(6)])
    names = ("関節".encode("shift_jis"), "Gelenk-ß", b"nul\0in\0it")
    nodes = lit_nodes() + [NEW.node(name) for name in names] + [NEW.node("n", model=model)]
    scene = NEW.scene("scène", nodes, "#view", (0.25, 0.25, 0.25))
    meshes = [triangle(parts=all_parts()), triangle("bare_Mesh", [])]
    return NEW.scene_bundle(meshes, [scene] + NEW.animations(odd_clips()),
                            [("sky_Light", LIGHT, 0)])


def third_party():
    """Of another exporter: no counts, scene first, no order, '#' for no model and for parents."""
    layout = Layout("1.2")
    leaf = layout.node("leaf", "#root", model=layout.model("m"))
    root = layout.node("root", "#", [leaf], model=text("#"))
    return layout.bundle([layout.scene("s", [root]), speck("m")], is_sorted=False)


def bare_nodes():
    """What the first encoder wrote for one node; here two, of which one has a child."""
    layout = Layout("1.2")
    nodes = [layout.node("a", "", [layout.node("b", "a")]), layout.node("c")]
    return layout.scene_bundle([], nodes)


def odd_floats():
    """Bits that a reader must not change: NaNs with payloads, infinities, -0, a subnormal."""
    bits = (0x7FC12345, 0x7F812345, 0xFFC00001, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001,
            0x7F7FFFFF, 0x3F800000)
    data = u32(*bits)
    pieces = [mark(MESH, "m"), u32(1, 1, 3, len(data)), data, f32(*[0.0] * 10), u32(0)]
    return NEW.scene_bundle([pieces], [NEW.scene("s", [])])


def odd_sizes():
    """Bytes that are too few for a vertex, an index or a matrix."""
    layout = Layout("1.2")
    odd = [mark(MESH, "odd"), u32(1, 1, 3, 14), f32(1.0, 2.0, 3.0), b"\1\2", f32(*[0.0] * 10),
           u32(1, 4, 0x1403, 3), b"\0\0\7"]
    skin = layout.skin(("j",), IDENTITY + (1.0, 2.0))
    nodes = [layout.node("j", kind=2, model=layout.model("odd", skin))]
    empty = [mark(MESH, "none"), u32(0, 4), b"abcd", f32(*[0.0] * 10), u32(0)]
    return layout.scene_bundle([odd, empty], [layout.scene("s", nodes)])


def embedded_face():
    layout = Layout("1.5-unicode")
    data = bytes(range(12))
    return layout.bundle([mark(FONT, "u"), text("Uni"), u32(0, 1), u32(2, 16, 24),
                          u32(len(data)), data])


def two_fonts():
    return NEW.bundle([NEW.font("a", "A", font_sizes(NEW, 1)), NEW.font("b", "B", [])])


def two_scenes():
    return NEW.scene_bundle([], [NEW.scene("first", [NEW.node("a")]), NEW.scene("second", [])])


def branch_files():
    yield "1.5", "branches", branches()
    yield "1.5", "floats", odd_floats()
    yield "1.5", "two_fonts", two_fonts()
    yield "1.5", "two_scenes", two_scenes()
    yield "1.5", "meshes_only", NEW.scene_bundle([speck("m")], [])
    yield "1.5", "no_objects", NEW.scene_bundle([], [])
    yield "1.2", "minimal", bundle(2, [])
    yield "1.2", "third_party", third_party()
    yield "1.2", "bare_nodes", bare_nodes()
    yield "1.5-unicode", "face", embedded_face()
    yield "document", "no_objects", Layout("document").scene_bundle([], [])


# -- Files that hold more than their objects, or less

def gaps():
    """Bytes that nothing explains, in front of a block, between two, and after the last."""
    return NEW.bundle([b"lead", speck("m"), b"gap", NEW.scene("s", []), b"tail"])


def hostile_references():
    """All kept, none trusted: into the middle, past the end, twice to one place, unknown types."""
    def file(mesh_at):
        extra = [("again", MESH, mesh_at), ("middle", NODE, mesh_at + 5), ("beyond", NODE, 5000),
                 ("lens", CAMERA, mesh_at), ("sun", LIGHT, 0xFFFFFFFF), ("what", 77, mesh_at + 1),
                 ("never", MESH, 0), ("", SCENE, 0)]
        scene = NEW.scene("s", [NEW.node("n")])
        return NEW.scene_bundle([speck("m")], [scene], extra)
    return file(file(0).index(u32(1, *POSITION, 12)))


def shared_mesh():
    """A mesh with two ids, of which a model uses the second; the engine finds it by either."""
    def file(mesh_at):
        scene = NEW.scene("s", [NEW.node("n", model=NEW.model("z"))])
        return NEW.scene_bundle([speck("m")], [scene], [("z", MESH, mesh_at)])
    return file(file(0).index(u32(1, *POSITION, 12)))


def false_node():
    """A reference to a node in a gap that holds none."""
    return NEW.bundle([mark(NODE, "ghost"), b"no node at all", NEW.scene("s", [])])


def odd_files():
    yield "1.2", "odd_sizes", odd_sizes()
    yield "1.5", "gaps", gaps()
    yield "1.5", "references", hostile_references()
    yield "1.5", "shared_mesh", shared_mesh()
    yield "1.5", "false_node", false_node()


# -- The format's document in all its readings

def reading_files():
    """Packed by another program, from the document only."""
    for reading in pack_document_gpb.readings():
        words = [word for word in reading.words() if word != "uncounted"]
        if reading.counted and words:
            data = pack_document_gpb.pack(pack_document_gpb.small_scene(reading), reading)
            yield "-".join(["document"] + words), "scene", data
    bare = pack_document_gpb.Reading(counted=False)
    yield "document", "uncounted", pack_document_gpb.pack(pack_document_gpb.small_scene(bare), bare)
    yield "document", "objects", pack_document_gpb.pack(pack_document_gpb.all_alone())


# -- All

def _checked(name, stem, data):
    """Refuse to make a file that is large, or fits another layout than its own.

    Layouts of one version that differ in what the file does not hold are the same.
    """
    fitting = parse_gpb.layouts(data)
    same = [layout for layout in fitting if layout[:3] == name[:3]]
    is_told = fitting == [name] or (fitting == same and fitting[0] == name and "-" not in name)
    if not is_told or (name[:3] == "1.0" and stem == "scene" and len(fitting) > 1):
        raise ValueError("%s %s fits the layouts %s" % (name, stem, fitting))
    if len(data) >= SIZE_LIMIT:
        raise ValueError("%s %s has %d bytes" % (name, stem, len(data)))
    return data


def _file_name(name, stem):
    return "%s_%s.gpb" % (name.replace(".", "_").replace("-", "_"), stem)


def fixture_files():
    """Name to bytes."""
    files = {}
    for name, stem, data in list(layout_files()) + list(branch_files()):
        files[_file_name(name, stem)] = _checked(name, stem, data)
    for name, stem, data in list(odd_files()) + list(reading_files()):
        files[_file_name(name, stem)] = data
    return files


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
