"""The gantry crane: its joints, its materials and the parts they carry.

Two bogies on four wheels run along Z and carry, on leaning legs, a girder along X; on the girder
runs a trolley with a drum, from which a cable hangs down to the hook. Nothing is symmetric: the
sign with the letter F faces +Z, the cabin is at -X and the hook is shaped like no mirror image
of itself, so that an import with a flipped axis, texture or winding can be seen and measured.
"""
# SPDX-License-Identifier: MIT

from dataclasses import replace

from crane.maths import f32, f32s, turn
from crane.model import Joint, Material, Model, Part, Transform
from crane.motion import WHEEL_RADIUS, make_clips
from crane.picture import FILE_NAME, LETTER_F, PAINT, PLATE, STRIPES
from crane.pose import world_matrices
from crane.shapes import Shape, box, loft, ring, tint, tube

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
CABLE_JOINTS = 5
CABLE_STEP = 0.75                     # Meters from one cable joint to the next.

WHITE, GREY = (255, 255, 255, 255), (170, 170, 180, 255)


# -- Joints

def make_joints():
    joints = []

    def joint(name, parent, translation, axis=Y, degrees=0.0, bind_degrees=None):
        """Append a joint; the rest pose is the bind pose unless `bind_degrees` says otherwise."""
        parent_index = [j.name for j in joints].index(parent) if parent else -1
        rest = Transform(f32s(translation), f32s(turn(axis, degrees)))
        bind = rest
        if bind_degrees is not None:
            bind = replace(rest, rotation=f32s(turn(axis, bind_degrees)))
        joints.append(Joint(name, parent_index, rest, bind))

    joint("crane", None, (0.0, 0.0, 0.0))
    for side, x, lean in (("left", -4.0, -6.0), ("right", 4.0, 6.0)):
        joint("bogie_" + side, "crane", (x, 0.5, 0.0))
        joint("wheel_" + side + "_front", "bogie_" + side, (0.0, -0.125, 1.0), X, 10.0)
        joint("wheel_" + side + "_rear", "bogie_" + side, (0.0, -0.125, -1.0))
        joint("leg_" + side, "bogie_" + side, (0.0, 0.25, 0.0), Z, lean)
    joint("girder", "crane", (0.0, 6.0, 0.0))
    joint("cabin", "girder", (-2.25, -0.65, 0.9), Y, 25.0)
    joint("trolley", "girder", (0.75, 0.9, 0.0))
    joint("drum", "trolley", (0.0, 0.5, 0.0), Z, 15.0)
    _hang_cable(joint)
    joint("hook", "cable_4", (0.0, -0.125, 0.0), Y, 30.0)
    return tuple(joints)


def _hang_cable(joint):
    """The cable was skinned straight, but at rest it hangs with a kink."""
    joint("cable_0", "trolley", (0.0, -0.125, 0.0))
    joint("cable_1", "cable_0", (0.0, -CABLE_STEP, 0.0), Z, 14.0, 0.0)
    joint("cable_2", "cable_1", (0.0, -CABLE_STEP, 0.0))
    joint("cable_3", "cable_2", (0.0, -CABLE_STEP, 0.0), Z, -20.0, 0.0)
    joint("cable_4", "cable_3", (0.0, -CABLE_STEP, 0.0))


# -- Materials

def make_materials():
    return (
        _material("paint", (1.0, 1.0, 1.0), (0.25, 0.25, 0.25), 20.0, texture=FILE_NAME),
        _material("stripes", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 1.0, texture=FILE_NAME),
        _material("steel", (0.25, 0.27, 0.3), (0.6, 0.6, 0.65), 48.0),
        _material("wire", (0.1, 0.1, 0.12), (0.2, 0.2, 0.2), 8.0),
        _material("glass", (0.4, 0.65, 0.75), (1.0, 1.0, 1.0), 96.0, (0.0, 0.03, 0.05), 0.5),
        _material("red_paint", (0.8, 0.1, 0.06), (0.4, 0.4, 0.4), 32.0),
    )


def _material(name, diffuse, specular, shininess, emissive=(0.0, 0.0, 0.0), opacity=1.0,
              texture=""):
    return Material(name, f32s(diffuse), f32s(specular), f32(shininess), f32s(emissive),
                    f32(opacity), texture)


# -- Rigid parts, each in the space of its joint

def _girder_beams():
    return (box((0.0, 0.35, 1.0), (9.0, 0.7, 0.4), PAINT)
            + box((0.0, 0.35, -1.0), (9.0, 0.7, 0.4), PAINT))


def _legs():
    return (box((0.0, 2.65, 1.0), (0.4, 5.3, 0.36), PAINT, closed=False)
            + box((0.0, 2.65, -1.0), (0.4, 5.3, 0.36), PAINT, closed=False))


def _wheel(outwards):
    """A hexagonal wheel on the outer flank of its bogie (-1: at -X), which hides its inner face."""
    right, up = (Y, Z) if outwards > 0 else (Z, Y)
    sections = [ring((outwards * x, 0.0, 0.0), right, up, WHEEL_RADIUS, 6) for x in (0.2, 0.45)]
    return loft(sections, [PLATE] * 6, (None, PLATE))


def _drum():
    sections = [ring((0.0, 0.0, z), X, Y, 0.35, 6) for z in (-0.7, 0.7)]
    return loft(sections, [PLATE] * 6, (PLATE, PLATE))


def _hook_claw():
    """A J whose point is thin and leans out to +Z: left, right (x, y) and back, front z."""
    stations = (
        ((-0.12, -0.25), (0.12, -0.25), -0.12, 0.12),
        ((-0.15, -0.70), (0.12, -0.68), -0.15, 0.15),
        ((-0.06, -1.16), (0.21, -0.90), -0.15, 0.17),
        ((0.40, -1.35), (0.40, -1.00), -0.11, 0.21),
        ((0.82, -1.10), (0.60, -0.88), -0.02, 0.26),
        ((0.85, -0.64), (0.75, -0.65), 0.15, 0.32),
    )
    sections = []
    for left, right, back, front in stations:
        sections.append([left + (back,), right + (back,), right + (front,), left + (front,)])
    return loft(sections, [PLATE] * 4, (PLATE, PLATE))


def _rigid_shapes():
    """Name, joint, material and shape of every rigid part."""
    sign = box((2.75, 0.35, 1.25), (1.5, 1.5, 0.1), PAINT, front=LETTER_F)
    for side, outwards in (("left", -1.0), ("right", 1.0)):
        bogie = box((0.0, 0.0, 0.0), (0.6, 0.5, 3.0), STRIPES)
        yield "bogie_%s_frame" % side, "bogie_" + side, "stripes", tint(bogie, GREY, WHITE)
        for end in ("front", "rear"):
            name = "wheel_%s_%s" % (side, end)
            yield name + "_tyre", name, "steel", tint(_wheel(outwards), GREY, WHITE)
        yield "leg_%s_posts" % side, "leg_" + side, "paint", tint(_legs(), GREY, WHITE)
    yield "girder_beams", "girder", "paint", tint(_girder_beams(), GREY, WHITE)
    yield "girder_sign", "girder", "paint", sign
    cabin = box((0.0, 0.0, 0.0), (1.1, 1.3, 1.3), PLATE)
    yield "cabin_body", "cabin", "paint", tint(cabin, (120, 150, 190, 255), (200, 225, 255, 255))
    window = box((0.1, 0.2, 0.65), (0.75, 0.55, 0.1), PLATE)
    yield "cabin_window", "cabin", "glass", tint(window, (190, 220, 255, 255), WHITE)
    trolley = box((0.0, 0.0, 0.0), (1.5, 0.4, 2.3), PLATE)
    yield "trolley_frame", "trolley", "paint", tint(trolley, (150, 130, 90, 255), WHITE)
    yield "drum_body", "drum", "steel", tint(_drum(), (120, 90, 60, 255), (255, 230, 200, 255))
    block = box((0.0, 0.0, 0.0), (0.6, 0.5, 0.5), STRIPES)
    yield "hook_block", "hook", "stripes", tint(block, GREY, WHITE)
    yield "hook_claw", "hook", "red_paint", tint(_hook_claw(), WHITE, (150, 120, 120, 255))


# -- The skinned cable

def _spline_weights(place):
    """Weights of the cable joints at `place`, counted in joints from the top.

    A uniform cubic B-spline: four joints share every point, and each weight changes smoothly.
    Weights are whole 1024ths, so that their sum is 1 in single precision too.
    """
    span = min(max(int(place), 0), CABLE_JOINTS - 2)
    t = place - span
    shares = ((1 - t) ** 3 / 6, (3 * t ** 3 - 6 * t * t + 4) / 6,
              (-3 * t ** 3 + 3 * t * t + 3 * t + 1) / 6, t ** 3 / 6)
    parts = [0] * CABLE_JOINTS
    for k, share in enumerate(shares):
        joint = min(max(span + k - 1, 0), CABLE_JOINTS - 1)
        parts[joint] += round(share * 1024)
    parts[parts.index(max(parts))] += 1024 - sum(parts)
    used = [(-part, k) for k, part in enumerate(parts) if part]
    return [(k, -part / 1024) for part, k in sorted(used)]


def _cable_part(joints, material):
    """A tube along the bind pose, from inside the trolley into the hook block."""
    first = [joint.name for joint in joints].index("cable_0")
    top = world_matrices(joints, [joint.bind for joint in joints])[first]
    start = (top[0][3], top[1][3], top[2][3])
    reach = CABLE_STEP * (CABLE_JOINTS - 1)
    shape = tint(tube(start, reach, 0.1, 5, 2 * CABLE_JOINTS - 1, PLATE), WHITE, GREY)
    vertices = []
    for vertex in shape.vertices:
        pairs = _spline_weights((start[1] - vertex.position[1]) / CABLE_STEP)
        vertices.append(replace(vertex, joints=tuple(first + k for k, _ in pairs),
                                weights=tuple(weight for _, weight in pairs)))
    return _part("cable_tube", None, material, Shape(vertices, shape.triangles))


# -- All together

def _part(name, joint, material, shape):
    return Part(name, material, joint, tuple(shape.vertices), tuple(shape.triangles))


def build():
    """The crane, the same on every call and every machine."""
    joints = make_joints()
    materials = make_materials()
    joint_names = [joint.name for joint in joints]
    material_names = [material.name for material in materials]
    parts = [_part(name, joint_names.index(joint), material_names.index(material), shape)
             for name, joint, material, shape in _rigid_shapes()]
    parts.append(_cable_part(joints, material_names.index("wire")))
    return Model("gantry_crane", joints, materials, tuple(parts), make_clips(joints))
