#!/usr/bin/env python3
"""fbx_model.py: small FBX models with everything that makes FBX hard, and where their vertices are.

A node's mesh is also moved by its geometric transform; fbx_motion.py has the formulas of nodes.
"""
# SPDX-License-Identifier: MIT

from fbx_file import Array, Int, Letter, Name, Node
from fbx_motion import CONSTANT, CUBIC, LINEAR, Curve, Joint  # noqa: F401
from vectors import apply, invert, is_mirrored, multiply

SECOND = 46186158000

# For each system of axes: the file's axis and its sign that is up, to the front, and right.
AXES = {"Y": ((1, 1), (2, 1), (0, 1)), "Z": ((2, 1), (1, -1), (0, 1)),
        "X": ((0, 1), (2, 1), (1, -1)), "DOWN": ((1, -1), (2, -1), (0, 1)),
        "LEFT": ((1, 1), (2, -1), (0, 1))}

# A box: corners, and quads seen from outside.
CORNERS = [[x, y, z] for x in (-1.0, 1.0) for y in (-2.0, 2.0) for z in (-0.5, 0.5)]
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


class Model:
    """Joints, some with a box; a skinned box if `skin` says [(joint, weights of the corners)].

    Other takes are {name: (span, {joint's name: its curves})}. `old` leaves the times to the
    section that files had before. `layers` is how many the first take has, `empty` how many more.
    """

    def __init__(self, joints, take="Take", span=(0.0, 1.0), skin=None, up="Y", unit=1.0,
                 others=None, old=False, layers=1, empty=0):
        self.joints, self.take, self.span, self.skin = joints, take, span, skin
        self.up, self.unit, self.others, self.old = up, unit, others or {}, old
        self.layers, self.empty = layers, empty

    # -- Truth

    def to_ours(self, point):
        up, front, right = AXES[self.up]
        return [sign * 0.01 * self.unit * point[axis] for axis, sign in (right, up, front)]

    def box_at(self, joint, time):
        if not self.skin:
            matrix = multiply(joint.world(time), joint.geometric())
            return [apply(matrix, corner) for corner in CORNERS]
        out = [[0.0] * 3 for _ in CORNERS]
        for bone, weights in self.skin:
            matrix = multiply(bone.world(time), invert(bone.world()), joint.world(),
                              joint.geometric())
            for i, weight in enumerate(weights):
                moved = apply(matrix, CORNERS[i])
                out[i] = [o + weight * m for o, m in zip(out[i], moved)]
        return out

    def obj(self, time):
        lines, first = [], 1
        for joint in self.joints:
            if joint.kind != "Mesh":
                continue
            lines.append(f"o {joint.name}")
            for point in self.box_at(joint, time):
                lines.append("v %.9g %.9g %.9g" % tuple(self.to_ours(point)))
            is_inside_out = (self.up == "LEFT") != is_mirrored(joint.world(time))
            # A quad may bend, so that its triangles must be the same in both files.
            for a, b, c, d in QUADS:
                for triangle in ((a, b, c), (a, c, d)):
                    seen = triangle[::-1] if is_inside_out else triangle
                    lines.append("f " + " ".join(str(first + i) for i in seen))
            first += len(CORNERS)
        return "\n".join(lines) + "\n"

    # -- The file

    def nodes(self):
        self.next_id, self.objects, self.links, self.ids = 1000, [], [], {}
        for joint in self.joints:
            self.add_joint(joint)
        if self.skin:
            self.add_skin()
        self.add_take(self.take, self.span, lambda joint: joint.curves, self.layers,
                      self.empty)
        for name, (span, curves) in self.others.items():
            self.add_take(name, span, lambda joint, of=curves: of.get(joint.name, {}))
        nodes = [header(), settings(self.up, self.unit), definitions(),
                 Node("Objects", [], self.objects), Node("Connections", [], self.links)]
        return nodes + ([self.old_takes()] if self.old else [])

    def new_id(self, thing=None):
        self.next_id += 1
        self.ids[id(thing)] = self.next_id
        return self.next_id

    def link(self, child, parent, prop=None):
        values = ["OP" if prop else "OO", child, parent] + ([prop] if prop else [])
        self.links.append(Node("C", values))

    def add_joint(self, joint):
        number = self.new_id(joint)
        props = [vector(name, value) for name, value in joint.parts.items()]
        props += [Node("P", [name, kind, "", "", Int(value)])
                  for name, kind, value in joint.settings()]
        self.objects.append(Node("Model", [number, Name(joint.name, "Model"), joint.kind],
                                 [Node("Version", [Int(232)]), Node("Properties70", [], props)]))
        self.link(number, self.ids[id(joint.parent)] if joint.parent else 0)
        if joint.kind == "Mesh":
            self.add_box(joint, number)

    def add_box(self, joint, number):
        self.geometry = self.new_id()
        corners = [c for quad in QUADS for c in quad[:-1] + [-1 - quad[-1]]]
        numbers = [n for corner in CORNERS for n in corner]
        name = Name(joint.name, "Geometry")
        self.objects.append(Node("Geometry", [self.geometry, name, "Mesh"], [
            Node("GeometryVersion", [Int(124)]),
            Node("Vertices", [Array("d", numbers)]),
            Node("PolygonVertexIndex", [Array("i", corners)]),
        ]))
        self.link(self.geometry, number)

    def add_skin(self):
        mesh = next(joint for joint in self.joints if joint.kind == "Mesh")
        number = self.new_id()
        self.objects.append(Node("Deformer", [number, Name("", "Deformer"), "Skin"],
                                 [Node("Version", [Int(101)])]))
        self.link(number, self.geometry)
        for bone, weights in self.skin:
            used = [i for i, weight in enumerate(weights) if weight]
            cluster = self.new_id()
            # From the mesh to the bone, when both were bound.
            bind = multiply(invert(bone.world()), mesh.world())
            self.objects.append(Node("Deformer", [cluster, Name("", "SubDeformer"), "Cluster"], [
                Node("Version", [Int(100)]),
                Node("Indexes", [Array("i", used)]),
                Node("Weights", [Array("d", [weights[i] for i in used])]),
                Node("Transform", [Array("d", columns(bind))]),
                Node("TransformLink", [Array("d", columns(bone.world()))]),
            ]))
            self.link(cluster, number)
            self.link(self.ids[id(bone)], cluster)

    def add_take(self, name, span, curves_of, layers=1, empty=0):
        stack = self.new_id()
        times = [] if self.old else [Node("P", [prop, "KTime", "Time", "", round(at * SECOND)])
                                     for prop, at in zip(("LocalStart", "LocalStop"), span)]
        self.objects.append(Node("AnimationStack", [stack, Name(name, "AnimStack"), ""],
                                 [Node("Properties70", [], times)]))
        for k in range(layers + empty):
            layer = self.new_id()
            self.objects.append(Node("AnimationLayer", [layer, Name("Layer", "AnimLayer"), ""], []))
            self.link(layer, stack)
            for joint in self.joints if k < layers else []:
                for prop, curves in curves_of(joint).items():
                    self.add_curves(joint, prop, curves, layer)

    def old_takes(self):
        takes = [(self.take, self.span)] + [(name, o[0]) for name, o in self.others.items()]
        return Node("Takes", [], [Node("Current", [self.take])] + [
            Node("Take", [name], [Node("LocalTime", [round(at * SECOND) for at in span])])
            for name, span in takes])

    def add_curves(self, joint, prop, curves, layer):
        number = self.new_id()
        props = [Node("P", ["d|" + "XYZ"[k], "Number", "", "A", float(value)])
                 for k, value in enumerate(joint.value(prop, None))]
        self.objects.append(Node("AnimationCurveNode", [number, Name(prop[4], "AnimCurveNode"), ""],
                                 [Node("Properties70", [], props)]))
        self.link(number, layer)
        self.link(number, self.ids[id(joint)], prop)
        for axis, curve in curves.items():
            self.link(self.add_curve(curve), number, "d|" + "XYZ"[axis])

    def add_curve(self, curve):
        number, keys = self.new_id(), curve.keys
        slopes = [key[3] if len(key) > 3 else 0.0 for key in keys] + [0.0]
        data = [n for k in range(len(keys)) for n in (slopes[k], slopes[k + 1], 0.0, 0.0)]
        self.objects.append(Node("AnimationCurve", [number, Name("", "AnimCurve"), ""], [
            Node("Default", [0.0]),
            Node("KeyVer", [Int(4008)]),
            Node("KeyTime", [Array("l", [round(key[0] * SECOND) for key in keys])]),
            Node("KeyValueFloat", [Array("f", [key[1] for key in keys])]),
            Node("KeyAttrFlags", [Array("i", [key[2] for key in keys])]),
            Node("KeyAttrDataFloat", [Array("f", data)]),
            Node("KeyAttrRefCount", [Array("i", [1] * len(keys))]),
        ] + [Node(name, [], [Node("Type", [Letter(kind)]), Node("Repetition", [Int(-1)])])
             for name, kind in (("Pre-Extrapolation", curve.before),
                                ("Post-Extrapolation", curve.after)) if kind != "C"]))
        return number


# -- Parts of every file

def vector(name, value):
    return Node("P", [name, name if name.startswith("Lcl") else "Vector3D", "", "A",
                      *(float(v) for v in value)])


def columns(matrix):
    return [float(matrix[r][c]) for c in range(4) for r in range(4)]


def header():
    return Node("FBXHeaderExtension", [], [Node("FBXHeaderVersion", [Int(1003)]),
                                           Node("FBXVersion", [Int(7400)]),
                                           Node("Creator", ["tests"])])


def settings(up, unit):
    props = []
    for name, (axis, sign) in zip(("UpAxis", "FrontAxis", "CoordAxis"), AXES[up]):
        props.append(Node("P", [name, "int", "Integer", "", Int(axis)]))
        props.append(Node("P", [name + "Sign", "int", "Integer", "", Int(sign)]))
    props.append(Node("P", ["UnitScaleFactor", "double", "Number", "", float(unit)]))
    return Node("GlobalSettings", [], [Node("Version", [Int(1000)]),
                                       Node("Properties70", [], props)])


def definitions():
    return Node("Definitions", [], [Node("Version", [Int(100)]), Node("Count", [Int(0)])])
