"""Gameplay bundles packed from the format's document alone, in every reading of it.

An object is a dictionary: its members under the names of the document in snake_case, `kind` for its
type, and `id` if the table has it. What the document leaves open is a `Reading`. Nothing here uses
what the engine or Tenon does.
"""
# SPDX-License-Identifier: MIT

import itertools
import math
import struct
from dataclasses import dataclass, replace

IDENTIFIER = bytes((0xAB, ord("G"), ord("P"), ord("B"), 0xBB)) + b"\r\n\x1a\n"
VERSION = bytes((1, 1))
TYPES = {"scene": 1, "node": 2, "animations": 3, "animation": 4, "channel": 5, "model": 11,
         "material": 16, "effect": 17, "camera": 32, "light": 33, "mesh": 34, "part": 35,
         "skin": 36, "font": 128}
CAMERAS = ("perspective", "orthographic")
LIGHTS = ("directional", "point", "spot")
IDENTITY = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
POSITION, NORMAL, COLOR, TANGENT, BINORMAL, BLENDWEIGHTS, BLENDINDICES, TEXCOORD0 = range(1, 9)
INDEX8, INDEX16, INDEX32 = 0x1401, 0x1403, 0x1405


@dataclass(frozen=True)
class Reading:
    """One way to understand what the document does not say.

    counted: Object[] has its length in front, as other arrays have.
    first: the number of the first name in {perspective|orthographic} and {directional|point|spot}.
    absent: how a node says that it has no camera, light or model. "zero": a type of 0, and an empty
    name of a mesh. "nothing": no bytes. "modelless": a type of 0, and no bytes for a model.
    "whole": a type of 0, and a model with an empty name and empty lists. "flags": a byte in front
    of each, 0 or 1.
    skin: "flag": a byte in front of meshSkin says if it is there. "plain": a skin, or nothing.
    order: of the references: "id", "offset" or "reverse".
    """
    counted: bool = True
    first: int = 1
    absent: str = "zero"
    skin: str = "flag"
    order: str = "id"

    def words(self):
        """What differs from the engine's reading, as a name for files."""
        words = [] if self.first else ["zero"]
        words += [self.absent] if self.absent != "zero" else []
        words += ["plain"] if self.skin == "plain" else []
        words += [] if self.counted else ["uncounted"]
        return words

    def needs_all(self):
        """Types from 0 leave no number for what is absent."""
        return self.first == 0 and self.absent in ("zero", "whole")


def readings():
    """All that differ in bytes."""
    for counted, first, absent, skin in itertools.product(
            (True, False), (1, 0), ("zero", "nothing", "modelless", "whole", "flags"),
            ("flag", "plain")):
        is_odd = (absent, skin) == ("flags", "plain") or (absent, first) == ("modelless", 0)
        if not is_odd:
            yield Reading(counted, first, absent, skin)


# -- Primitives

def byte(value):
    return struct.pack("<B", value)


def uint(value):
    return struct.pack("<I", value)


def floats(values):
    return struct.pack("<%df" % len(values), *values)


def uints(values):
    return struct.pack("<%dI" % len(values), *values)


def string(value):
    data = value if isinstance(value, bytes) else value.encode("utf-8")
    return uint(len(data)) + data


def byte_array(data):
    return uint(len(data)) + data


def float_array(values):
    return uint(len(values)) + floats(values)


def uint_array(values):
    return uint(len(values)) + uints(values)


# -- Objects

class _Mark:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name


class _Packer:
    """Makes pieces of objects: bytes, and marks where an object with an id starts."""

    def __init__(self, reading):
        self.reading = reading

    def pack(self, item):
        pieces = [_Mark(TYPES[item["kind"]], item["id"])] if "id" in item else []
        return pieces + getattr(self, item["kind"])(item)

    def array(self, items):
        pieces = [uint(len(items))]
        for item in items:
            pieces += self.pack(item)
        return pieces

    def scene(self, item):
        return (self.array(item["nodes"])
                + [string(item["active_camera_node"]), floats(item["ambient_color"])])

    def node(self, item):
        pieces = [uint(item["type"]), floats(item["transform"]), string(item["parent_id"])]
        pieces += self.array(item["children"])
        for name in ("camera", "light", "model"):
            pieces += self.part_of_node(name, item[name])
        return pieces

    def part_of_node(self, name, item):
        absent = self.reading.absent
        flag = [byte(item is not None)] if absent == "flags" else []
        if item is not None:
            return flag + self.pack(item)
        if absent in ("nothing", "flags") or (absent, name) == ("modelless", "model"):
            return flag
        if name != "model":
            assert self.reading.first == 1, "there is no number for 'none'"
            return [byte(0)]
        return [string("")] if absent == "zero" else self.pack(model(""))

    def camera(self, item):
        kind = self.reading.first + CAMERAS.index(item["camera_type"])
        lens = [item["field_of_view"]] if item["camera_type"] == "perspective" else \
            item["magnification"]
        return [byte(kind), floats([item["aspect_ratio"], item["near_plane"], item["far_plane"]]),
                floats(lens)]

    def light(self, item):
        kind = self.reading.first + LIGHTS.index(item["light_type"])
        reach = [item[name] for name in ("range", "inner_angle", "outer_angle") if name in item]
        return [byte(kind), floats(item["color"]), floats(reach)]

    def model(self, item):
        skin = item["mesh_skin"]
        flag = [byte(skin is not None)] if self.reading.skin == "flag" else []
        return ([string(item["mesh"])] + flag + (self.pack(skin) if skin else [])
                + self.array(item["materials"]))

    def skin(self, item):
        return [floats(item["bind_shape"]), uint(len(item["joints"]))] + \
            [string(joint) for joint in item["joints"]] + \
            [float_array(item["joints_bind_poses"]), floats(item["bounds"])]

    def material(self, item):
        pieces = [uint(len(item["parameters"]))]
        for name, value, kind in item["parameters"]:
            pieces += [string(name), float_array(value), uint(kind)]
        return pieces + [string(item["effect"])]

    def effect(self, item):
        return [string(item["vertex_shader"]), string(item["fragment_shader"])]

    def mesh(self, item):
        elements = [uint(len(item["vertex_format"]))] + [uints(e) for e in item["vertex_format"]]
        vertices = b"".join(floats(row) for row in item["vertices"])
        return elements + [byte_array(vertices), floats(item["bounds"])] + \
            self.array(item["parts"])

    def part(self, item):
        letter = {INDEX8: "B", INDEX16: "H", INDEX32: "I"}[item["index_format"]]
        data = struct.pack("<%d%s" % (len(item["indices"]), letter), *item["indices"])
        return [uint(item["primitive_type"]), uint(item["index_format"]), byte_array(data)]

    def animations(self, item):
        return self.array(item["animations"])

    def animation(self, item):
        return [string(item["name"])] + self.array(item["channels"])

    def channel(self, item):
        return [string(item["target_id"]), uint(item["target_attribute"]),
                uint_array(item["key_times"]), float_array(item["values"]),
                float_array(item["tangents_in"]), float_array(item["tangents_out"]),
                uint_array(item["interpolation"])]

    def font(self, item):
        glyphs = [uint(len(item["glyphs"]))] + [uints(g[:2]) + floats(g[2]) for g in item["glyphs"]]
        return [string(item["family"]), uint(item["style"]), uint(item["size"]),
                string(item["charset"])] + glyphs + \
            [uint(item["tex_map_width"]), uint(item["tex_map_height"]),
             byte_array(item["tex_map"])]


def pack(objects, reading=Reading()):
    """A bundle of these objects, in their order."""
    packer = _Packer(reading)
    pieces = [uint(len(objects))] if reading.counted else []
    for item in objects:
        pieces += packer.pack(item)
    marks = [piece for piece in pieces if isinstance(piece, _Mark)]
    at = len(IDENTIFIER) + len(VERSION) + 4 + sum(len(string(m.name)) + 8 for m in marks)
    for piece in pieces:
        if isinstance(piece, _Mark):
            piece.offset = at
        else:
            at += len(piece)
    if reading.order == "id":
        marks.sort(key=lambda m: m.name.encode("utf-8"))
    if reading.order == "reverse":
        marks.reverse()
    table = uint(len(marks)) + b"".join(string(m.name) + uint(m.kind) + uint(m.offset)
                                        for m in marks)
    return IDENTIFIER + VERSION + table + b"".join(p for p in pieces if isinstance(p, bytes))


# -- Making objects

def named(item, name):
    """The same object, in the table."""
    return item if name is None else dict(item, id=name)


def moved(x, y, z):
    return IDENTITY[:12] + (x, y, z, 1)


def scene(name, nodes, active="", ambient=(0.25, 0.5, 0.75)):
    return named({"kind": "scene", "nodes": nodes, "active_camera_node": active,
                  "ambient_color": ambient}, name)


def node(name, parent="", children=(), kind=1, transform=IDENTITY, camera=None, light=None,
         model=None):  # pylint: disable=redefined-outer-name
    return named({"kind": "node", "type": kind, "transform": transform, "parent_id": parent,
                  "children": list(children), "camera": camera, "light": light, "model": model},
                 name)


def perspective(name=None, field_of_view=45.0, aspect=1.5, near=0.5, far=100.0):
    return named({"kind": "camera", "camera_type": "perspective", "aspect_ratio": aspect,
                  "near_plane": near, "far_plane": far, "field_of_view": field_of_view}, name)


def orthographic(name=None, magnification=(8.0, 6.0), aspect=1.25, near=0.25, far=50.0):
    return named({"kind": "camera", "camera_type": "orthographic", "aspect_ratio": aspect,
                  "near_plane": near, "far_plane": far, "magnification": list(magnification)}, name)


def directional(name=None, color=(1.0, 0.75, 0.5)):
    return named({"kind": "light", "light_type": "directional", "color": color}, name)


def point(name=None, color=(0.5, 1.0, 0.25), reach=12.0):
    return named({"kind": "light", "light_type": "point", "color": color, "range": reach}, name)


def spot(name=None, color=(0.25, 0.5, 1.0), reach=20.0, inner=0.25, outer=0.5):
    return named({"kind": "light", "light_type": "spot", "color": color, "range": reach,
                  "inner_angle": inner, "outer_angle": outer}, name)


def model(mesh, skin=None, materials=(), name=None):  # pylint: disable=redefined-outer-name
    return named({"kind": "model", "mesh": mesh, "mesh_skin": skin, "materials": list(materials)},
                 name)


def skin(joints, poses, name=None, shape=IDENTITY, bounds=(-1, -2, -3, 4, 5, 6, 1.5, 1.5, 1.5, 7)):
    return named({"kind": "skin", "bind_shape": shape, "joints": list(joints),
                  "joints_bind_poses": list(poses), "bounds": bounds}, name)


def material(parameters=(), effect="", name=None):  # pylint: disable=redefined-outer-name
    return named({"kind": "material", "parameters": list(parameters), "effect": effect}, name)


def effect(name, vertex="void main() { gl_Position = a_position; }",
           fragment="void main() { gl_FragColor = u_diffuseColor; }"):
    return named({"kind": "effect", "vertex_shader": vertex, "fragment_shader": fragment}, name)


def part(indices, form=INDEX16, primitive=4, name=None):
    return named({"kind": "part", "primitive_type": primitive, "index_format": form,
                  "indices": list(indices)}, name)


def bounds_of(rows):
    low = [min(row[k] for row in rows) for k in range(3)]
    high = [max(row[k] for row in rows) for k in range(3)]
    center = [(a + b) / 2 for a, b in zip(low, high)]
    return low + high + center + [max(math.dist(row[:3], center) for row in rows)]


def mesh(name, vertex_format, vertices, parts):
    return named({"kind": "mesh", "vertex_format": list(vertex_format), "vertices": list(vertices),
                  "bounds": bounds_of(vertices), "parts": list(parts)}, name)


def channel(target, attribute, times, values, tangents=((), ()), interpolation=(1,), name=None):
    return named({"kind": "channel", "target_id": target, "target_attribute": attribute,
                  "key_times": list(times), "values": list(values),
                  "tangents_in": list(tangents[0]), "tangents_out": list(tangents[1]),
                  "interpolation": list(interpolation)}, name)


def animation(title, channels, name=None):
    return named({"kind": "animation", "name": title, "channels": list(channels)}, name)


def animations(name, items):
    return named({"kind": "animations", "animations": list(items)}, name)


def font(name, style=0, charset=""):
    glyphs = [(65, 3, (0.0, 0.0, 0.75, 1.0)), (66, 1, (0.75, 0.0, 1.0, 1.0))]
    return named({"kind": "font", "family": "Sans", "style": style, "size": 12, "charset": charset,
                  "glyphs": glyphs, "tex_map_width": 4, "tex_map_height": 2,
                  "tex_map": bytes(range(8))}, name)


# -- Models

QUAD = [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 2.0, 0.0), (1.0, 2.0, 0.0)]


def quad(name, parts=None):
    """Two triangles, of one part unless others are given."""
    return mesh(name, [(POSITION, 3)], QUAD, parts or [part([0, 1, 2, 2, 1, 3])])


def arm_mesh(name, parts=None):
    """A quad whose lower corners follow joint 0 and whose upper ones follow joint 1."""
    rows = [p + ((1.0, 0.0, 0.0, 0.0) if p[1] == 0 else (0.0, 1.0, 0.0, 0.0)) + (0.0, 1.0, 0.0, 0.0)
            for p in QUAD]
    return mesh(name, [(POSITION, 3), (BLENDWEIGHTS, 4), (BLENDINDICES, 4)], rows,
                parts or [part([0, 1, 2, 2, 1, 3])])


def arm_skin(name=None, joints=("#arm", "#hand")):
    """The bind shape moves by 1 along X; the joints are at the origin and 1 up."""
    return skin(joints, IDENTITY + moved(0, -1, 0), name, moved(1, 0, 0))


RED = ("u_diffuseColor", (0.75, 0.25, 0.125, 0.5), 4)
SHINE = ("u_specularExponent", (16.0,), 1)
GLOW = ("u_glow", (0.5, 0.25), 2)
EMPTY = ("u_nothing", (), 0)


def whole_parts(index, named_parts=True):
    """A camera, a light and a model: every branch as the index goes through them."""
    camera = (perspective, orthographic)[index % 2]
    light = (directional, point, spot)[index % 3]
    tag = (lambda text: "%s%d" % (text, index)) if named_parts else (lambda text: None)
    return {"camera": camera(tag("camera")), "light": light(tag("light")),
            "model": model("#quad", None, [material([RED, GLOW], "#paint", tag("material"))],
                           tag("model"))}


def full_scene(reading, xref="#%s"):
    """Every type of object, in its place and in the table; absent parts where the reading has them.
    """
    joints = (xref % "arm", xref % "hand")
    shown = model(xref % "arm_mesh", arm_skin("arm_skin", joints),
                  [material([RED, SHINE, GLOW, EMPTY], xref % "paint", "red")], "arm_model")
    fill = (lambda index: dict(whole_parts(index), model=None)) if reading.needs_all() else \
        lambda index: {}
    hand = node("hand", "arm", kind=2, transform=moved(0, 1, 0), **fill(0))
    nodes = [node("arm", "", [hand], 2, moved(0, 0, 0), **fill(1)),
             node("body", "", [], 1, moved(3, 0, 0), **dict(fill(2), model=shown)),
             node("eye", transform=moved(0, 1, 9), **dict(fill(3), camera=perspective("lens"))),
             node("wide", transform=moved(0, 2, 9), **dict(fill(4), camera=orthographic("flat"))),
             node("sun", **dict(fill(5), light=directional("sun_light"))),
             node("bulb", **dict(fill(6), light=point("bulb_light"))),
             node("cone", **dict(fill(7), light=spot("cone_light"))),
             node("group", "", [
                 node("pair", "group", transform=moved(0, 5, 0),
                      **dict(fill(8), camera=perspective("pair_lens"), light=spot("pair_light"))),
                 node("all", "group", **whole_parts(9)),
                 node("plain", "group", **fill(10))], **fill(11))]
    moving = animation("wave", [
        channel("hand", 9, [0, 500, 1000], [0, 1, 0, 0, 2, 0, 0, 1, 0], name="lift"),
        channel("arm", 8, [0, 1000], [0, 0, 0, 1, 0, 0, 0.6, 0.8], name="turn")], "wave")
    return [arm_mesh("arm_mesh", [part([0, 1, 2], INDEX8, name="lower"),
                                  part([2, 1, 3], INDEX32, name="upper")]),
            quad("quad"), scene("stage", nodes, xref % "eye"),
            animations("moves", [moving, animation("still", [
                channel("group", 1, [0], [1, 1, 1])])]),
            effect("paint")]


def small_scene(reading):
    """A model with a skin and one without, a camera and a light, and nodes without them."""
    fill = {"camera": orthographic(), "light": point()} if reading.needs_all() else {}
    shown = model("#m", skin(["#a"], IDENTITY, "k"), [material([RED], "#e", "red")], "o")
    plain = model("m", None, [])
    nodes = [node("a", "", [node("b", "a", **dict(fill, model=plain))], 2, **fill),
             node("c", model=shown, **fill),
             node("d", **dict(fill, camera=perspective("l"), light=spot()))]
    rows = [p + (1.0, 0.0) for p in QUAD[:3]]
    form = [(POSITION, 3), (BLENDWEIGHTS, 1), (BLENDINDICES, 1)]
    return [mesh("m", form, rows, [part([0, 1, 2], INDEX8, name="p")]),
            scene("s", nodes, "#d"), effect("e", "v", "f")]


def singles():
    """One object of each type by itself: (name, objects)."""
    yield "scene", [scene("alone", [])]
    yield "node", [node("alone", **whole_parts(0, False)), quad("quad"), effect("paint")]
    yield "animations", [animations("alone", [animation("a", [])])]
    step = [channel("hip", 9, [0, 10], [0, 0, 0, 1, 2, 3])]
    yield "animation", [animation("walk", step, "alone"),
                        node("hip", **whole_parts(1, False)), quad("quad"), effect("paint")]
    yield "channel", [channel("hip", 9, [0, 10], [0, 0, 0, 1, 2, 3], name="alone"),
                      node("hip", **whole_parts(0, False)), quad("quad"), effect("paint")]
    yield "model", [model("#quad", None, [material([RED])], "alone"), quad("quad")]
    yield "skinned_model", [model("#quad", arm_skin(joints=("#a", "#b")), [], "alone"),
                            quad("quad")]
    yield "material", [material([RED, GLOW], "#paint", "alone"), effect("paint")]
    yield "effect", [effect("alone")]
    yield "perspective", [perspective("alone")]
    yield "orthographic", [orthographic("alone")]
    for light in (directional, point, spot):
        yield light.__name__, [light("alone")]
    yield "mesh", [quad("alone")]
    yield "part", [part([0, 1, 2], name="alone")]
    yield "skin", [arm_skin("alone")]
    yield "font", [font("alone", 4, "AB")]


def all_alone():
    """Every type beside the others, in the order of the document, and what they name."""
    items = [quad("quad"), effect("paint")]
    items += [node(name, kind=2, camera=perspective(), light=point(), model=model("#quad"))
              for name in ("arm", "hand", "a", "b", "hip")]
    for name, objects in singles():
        items += [dict(item, id="%s_%s" % (name, item["id"])) for item in objects[:1]]
    return items


def branches():
    """Fields and branches that the others leave out: (name, objects)."""
    usages = [(usage, 3 if usage < 6 else 4 if usage < 8 else 2) for usage in range(1, 16)]
    rows = [tuple(float(v + k) for k in range(sum(e[1] for e in usages))) for v in range(3)]
    yield "usages", [mesh("all", usages, rows, [part([0, 1, 2])])]
    for name, primitive in (("triangles", 4), ("strip", 5), ("lines", 1), ("line_strip", 3),
                            ("points", 0)):
        yield name, [quad("quad", [part([0, 1, 2, 3, 0, 2], primitive=primitive)])]
    for form in (INDEX8, INDEX16, INDEX32):
        yield "index%x" % form, [quad("quad", [part([0, 1, 2], form), part([2, 1, 3], form)])]
    yield "no_parts", [dict(mesh("bare", [(POSITION, 3)], QUAD[:3], []), parts=[])]
    for style in (0, 1, 2, 4):
        yield "style%d" % style, [font("face", style, "xyz")]
    yield "curves", [animations("curves", [animation("c", [
        channel("n", 9, [0, 100], [0, 0, 0, 1, 1, 1], ((0,) * 6, (1,) * 6), (4, 4))])]),
        scene("s", [node("n", **whole_parts(0, False))]), quad("quad"), effect("paint")]
    yield "no_objects", []
