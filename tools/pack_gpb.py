"""Gameplay bundle bytes: the pieces of a file in every layout, and the crane as a file.

An object is a list of pieces: bytes, marks that references point to, and lists of pieces. A bundle
is made in two passes: where the marks are is known when everything in front of them is.
"""
# SPDX-License-Identifier: MIT

import struct
from dataclasses import dataclass

from crane import inverse_binds, maths, posed_corners, skinned_vertices

MAGIC = b"\xabGPB\xbb\r\n\x1a\n"
SCENE, NODE, ANIMATIONS, ANIMATION, MATERIAL, EFFECT = 1, 2, 3, 4, 16, 17
CAMERA, LIGHT, MESH, FONT = 32, 33, 34, 128
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


# -- Numbers and text

def u8(*values):
    return struct.pack("<%dB" % len(values), *values)


def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def text(value):
    """A counted string; bytes are not changed."""
    data = value if isinstance(value, bytes) else value.encode("utf-8")
    return u32(len(data)) + data


def run(values, pack):
    return u32(len(values)) + pack(*values)


def counted(items):
    return [u32(len(items)), list(items)]


def moved(x, y, z):
    """A column-major matrix that moves."""
    return IDENTITY[:12] + (x, y, z, 1.0)


# -- Bundles

@dataclass(frozen=True)
class Mark:
    """An object of this type and name starts here."""
    kind: int
    name: bytes


def mark(kind, name):
    """No name, no mark: the object will not be in the table."""
    data = name.encode("utf-8") if isinstance(name, str) else name
    return [] if data is None else Mark(kind, data)


def _flat(pieces):
    if isinstance(pieces, (bytes, Mark)):
        yield pieces
    else:
        for piece in pieces:
            yield from _flat(piece)


def _table(references):
    return u32(len(references)) + b"".join(text(name) + u32(kind, offset)
                                           for name, kind, offset in references)


def bundle(minor, body, extra=(), is_sorted=True):
    """A file. `extra` are references of (name, type, offset) that no object has."""
    pieces = list(_flat(body))
    references = [(name.encode("utf-8"), kind, offset) for name, kind, offset in extra]
    marks = [piece for piece in pieces if isinstance(piece, Mark)]
    at = len(MAGIC) + 2 + len(_table(references + [(m.name, m.kind, 0) for m in marks]))
    for piece in pieces:
        if isinstance(piece, Mark):
            references.append((piece.name, piece.kind, at))
        else:
            at += len(piece)
    if is_sorted:
        references.sort(key=lambda r: r[0])
    data = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    return MAGIC + u8(1, minor) + _table(references) + data


# -- Meshes, which are the same in every version

def bounds(positions):
    """The box, and the sphere around its middle: what the encoder computes."""
    low = tuple(min(p[k] for p in positions) for k in range(3))
    high = tuple(max(p[k] for p in positions) for k in range(3))
    center = tuple((a + b) / 2 for a, b in zip(low, high))
    radius = max(maths.length(maths.sub(p, center)) for p in positions)
    return f32(*low, *high, *center, radius)


def part(indices, kind=0x1403, primitive=4):
    letter = {0x1401: "B", 0x1403: "H", 0x1405: "I"}[kind]
    data = struct.pack("<%d%s" % (len(indices), letter), *indices)
    return u32(primitive, kind, len(data)) + data


def mesh(name, elements, rows, parts, box=None):
    """Elements are (usage, size); the first three floats of a row are its position."""
    data = b"".join(f32(*row) for row in rows)
    return [mark(MESH, name), u32(len(elements)), b"".join(u32(*e) for e in elements),
            u32(len(data)), data, box or bounds([row[:3] for row in rows]), counted(parts)]


# -- What depends on the layout

class Layout:
    """Packs objects as one layout has them: "1.5", "1.0-bare-float", "document" and so on."""

    def __init__(self, name):
        self.name = name
        self.is_document = name == "document"
        self.minor = 1 if self.is_document else int(name[2])
        self.switches = set(name.split("-")[1:])

    def bundle(self, body, extra=(), is_sorted=True):
        return bundle(self.minor, body, extra, is_sorted)

    def scene_bundle(self, meshes, objects, extra=()):
        """What the encoder writes: both lists counted. The document has one list."""
        if self.is_document:
            return self.bundle(counted(list(meshes) + list(objects)), extra)
        return self.bundle([counted(meshes), counted(objects)], extra)

    # -- Nodes

    def node(self, name, parent="", children=(), kind=1, transform=IDENTITY, camera=u8(0),
             light=u8(0), model=u32(0)):
        has_parent = self.is_document or self.minor >= 2
        return [mark(NODE, name), u32(kind), f32(*transform), text(parent) if has_parent else b"",
                counted(children), camera, light, model]

    def camera(self, name, lens, aspect=1.5, near=0.5, far=100.0):
        """One number is a field of view, two are a width and a height."""
        return [mark(CAMERA, name), u8(len(lens)), f32(aspect, near, far, *lens)]

    def light(self, name, kind, color, reach=(), attenuation=()):
        numbers = attenuation if "attenuation" in self.switches else reach
        return [mark(LIGHT, name), u8(kind), f32(*color, *numbers)]

    def skin(self, joints, bind_poses, root="", box=(0.0,) * 10):
        return [f32(*IDENTITY), text(root) if "root" in self.switches else b"",
                counted([text("#" + joint) for joint in joints]), run(bind_poses, f32),
                f32(*box) if self.is_document else b""]

    def material(self, name, parameters=(), effect=""):
        if not self.is_document:
            return text(name)
        return [counted([[text(n), run(value, f32), u32(kind)] for n, value, kind in parameters]),
                text(effect)]

    def model(self, mesh_name, skin=None, materials=()):
        return [text("#" + mesh_name), u8(0) if skin is None else [u8(1), skin],
                counted(materials)]

    def scene(self, name, nodes, active_camera="", ambient=(0.0, 0.0, 0.0)):
        return [mark(SCENE, name), counted(nodes), text(active_camera), f32(*ambient)]

    def effect(self, name, vertex_shader, fragment_shader):
        return [mark(EFFECT, name), text(vertex_shader), text(fragment_shader)]

    # -- Animations

    def channel(self, target, attribute, times, values, tangents=((), ()), interpolation=(1,)):
        pack_times = f32 if "float" in self.switches else u32
        return [text(target), u32(attribute), run(times, pack_times), run(values, f32),
                run(tangents[0], f32), run(tangents[1], f32), run(interpolation, u32)]

    def animations(self, clips):
        """Objects of all clips, which are pairs of a name and channels."""
        if "bare" in self.switches:
            return [[mark(ANIMATIONS, name), counted(channels)] for name, channels in clips]
        return [[mark(ANIMATIONS, "__Animations__"),
                 counted([[text(name), counted(channels)] for name, channels in clips])]]

    # -- Fonts

    def glyph(self, code, width, uv, bearing=0, advance=0):
        metrics = struct.pack("<iI", bearing, advance) if self.minor >= 5 else b""
        return u32(code, width) + metrics + f32(*uv)

    def font_size(self, size, glyphs, width, height, texels, kind=0):
        return [u32(size), text(""), counted(glyphs), u32(width, height), u32(len(texels)), texels,
                u32(kind) if self.minor >= 3 else b""]

    def font(self, name, family, sizes, style=0):
        word = u32(0) if "unicode" in self.switches else b""
        return [mark(FONT, name), text(family), u32(style), word,
                counted(sizes) if self.minor >= 4 else sizes[0]]


# -- The crane
#
# As the engine needs it: one skeleton at the root of the scene, which a skin owns, and beside it a
# node with the skinned mesh, one part for each material. Y is up, faces are counter-clockwise, and
# v goes upwards in textures, all as in OpenGL.

VERTEX = [(1, 3), (2, 3), (8, 2), (3, 4), (6, 4), (7, 4)]
TICK = 0.05  # Seconds between the poses that the bounds take in.


def _columns(m):
    """Three rows of four as sixteen numbers, column by column."""
    return tuple(m[row][column] if row < 3 else float(column == 3)
                 for column in range(4) for row in range(4))


def _row(vertex):
    spare = 4 - len(vertex.joints)
    return (vertex.position + vertex.normal + (vertex.uv[0], 1.0 - vertex.uv[1])
            + tuple(c / 255.0 for c in vertex.color) + vertex.weights + (0.0,) * spare
            + tuple(float(j) for j in vertex.joints) + (0.0,) * spare)


def _crane_bounds(model):
    """The extent of the mesh in any pose, sampled as the encoder does."""
    points = [p for part in posed_corners(model) for p in part]
    for clip in model.clips:
        for tick in range(int(clip.length / TICK) + 1):
            points += [p for part in posed_corners(model, clip, tick * TICK) for p in part]
    return bounds(points)


def _crane_mesh(model):
    rows, indices = [], [[] for _ in model.materials]
    for piece in model.parts:
        first = len(rows)
        rows += [_row(vertex) for vertex in skinned_vertices(model, piece)]
        indices[piece.material] += [first + i for triangle in piece.triangles for i in triangle]
    return mesh("crane_Mesh", VERTEX, rows, [part(run) for run in indices], _crane_bounds(model))


def _crane_joint(layout, model, index):
    joint = model.joints[index]
    children = [_crane_joint(layout, model, i) for i, other in enumerate(model.joints)
                if other.parent == index]
    parent = model.joints[joint.parent].name if joint.parent >= 0 else ""
    return layout.node(joint.name, parent, children, 2, _columns(joint.rest.matrix()))


def _same_side(values):
    """Quaternions whose sign does not jump: all readers agree on the path between them."""
    result = []
    for q in values:
        last = result[-1] if result else q
        side = last[0] * q[0] + last[1] * q[1] + last[2] * q[2] + last[3] * q[3]
        result.append(tuple(-c for c in q) if side < 0.0 else q)
    return result


def _crane_channel(layout, model, clip, channel):
    """The engine stretches a channel to its clip, so that every one has keys at both ends."""
    times, values = list(channel.times), list(channel.values)
    if times[0] > 0.0:
        times.insert(0, 0.0)
        values.insert(0, values[0])
    if times[-1] < clip.length:
        times.append(clip.length)
        values.append(values[-1])
    is_rotation = channel.path == "rotation"
    numbers = [c for value in (_same_side(values) if is_rotation else values) for c in value]
    return layout.channel(model.joints[channel.joint].name, 8 if is_rotation else 9,
                          [int(1000 * time) for time in times], numbers)


def pack(model, name="1.5"):
    """The model as a bundle."""
    layout = Layout(name)
    poses = [number for m in inverse_binds(model) for number in _columns(m)]
    skin = layout.skin([joint.name for joint in model.joints], poses, model.joints[0].name)
    shape = layout.model("crane_Mesh", skin, [layout.material(m.name) for m in model.materials])
    eye = layout.camera("eye_Camera", (40.0,), 1.5, 0.1, 100.0)
    sun = layout.light("sun_Light", 1, (1.0, 1.0, 0.95))
    down = maths.matrix((0.0, 10.0, 0.0), maths.turn((1.0, 0.0, 0.0), -60.0))
    nodes = [_crane_joint(layout, model, 0), layout.node("body", model=shape),
             layout.node("eye", transform=moved(0.0, 3.5, 16.0), camera=eye),
             layout.node("sun", transform=_columns(down), light=sun)]
    clips = [(clip.name, [_crane_channel(layout, model, clip, c) for c in clip.channels])
             for clip in model.clips]
    scene = layout.scene("__SCENE__", nodes, "#eye", (0.2, 0.2, 0.2))
    return layout.scene_bundle([_crane_mesh(model)], [scene] + layout.animations(clips))


def _property_lines(block, depth=0):
    """Blocks are (header, members); a member is a block or a pair of name and value."""
    indent = "    " * depth
    yield indent + block[0]
    yield indent + "{"
    for member in block[1]:
        if isinstance(member[1], str):
            yield "%s    %s = %s" % (indent, *member)
        else:
            yield from _property_lines(member, depth + 1)
    yield indent + "}"


def _material_block(source):
    color = ", ".join("%g" % c for c in source.diffuse + (source.opacity,))
    members = [("u_diffuseColor", color), ("u_specularExponent", "%g" % source.shininess)]
    if source.texture:
        sampler = [("path", source.texture), ("mipmap", "true"), ("wrapS", "REPEAT"),
                   ("wrapT", "REPEAT"), ("minFilter", "LINEAR_MIPMAP_LINEAR"),
                   ("magFilter", "LINEAR")]
        members.append(("sampler u_diffuseTexture", sampler))
    if source.opacity < 1.0:
        members.append(("renderState", [("blend", "true"), ("blendSrc", "SRC_ALPHA"),
                                        ("blendDst", "ONE_MINUS_SRC_ALPHA")]))
    kind = "textured" if source.texture else "colored"
    return "material %s : %s" % (source.name, kind), members


def _base_block(model, kind):
    defines = "SPECULAR;VERTEX_COLOR;SKINNING;SKINNING_JOINT_COUNT %d" % len(model.joints)
    shaders = [("vertexShader", "res/shaders/%s.vert" % kind),
               ("fragmentShader", "res/shaders/%s.frag" % kind), ("defines", defines)]
    return "material " + kind, [
        ("u_worldViewProjectionMatrix", "WORLD_VIEW_PROJECTION_MATRIX"),
        ("u_matrixPalette", "MATRIX_PALETTE"),
        ("renderState", [("cullFace", "true"), ("depthTest", "true")]),
        ("technique", [("pass", shaders)])]


def material_text(model):
    """The file with the model's materials, which the engine searches for beside the bundle."""
    blocks = [_base_block(model, kind) for kind in ("colored", "textured")]
    blocks += [_material_block(source) for source in model.materials]
    return "\n".join("".join(line + "\n" for line in _property_lines(block)) for block in blocks)
