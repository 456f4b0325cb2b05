"""pack_character.py: a character like those of animation services, as FBX: a skeleton of 65 joints
in centimeters, bound in a T-pose, with one take in each file, whose name is always the same.
"""
# SPDX-License-Identifier: MIT

import math

from fbx_file import Array, Int, Name, Node
from pack_fbx import SECOND, columns, layer_element, property_of, settings

PREFIX = "mixamorig:"
TAKE = "mixamo.com"
RATE = 30
LINEAR = 0x4
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def skeleton():
    """Name, parent, place relative to the parent, and pre-rotation of each joint, parents first."""
    joints = [("Hips", None, (0, 100, 0), (0, 0, 0)), ("Spine", "Hips", (0, 10, 0), (0, 0, 0)),
              ("Spine1", "Spine", (0, 12, 0), (3, 0, 0)),
              ("Spine2", "Spine1", (0, 12, 0), (-3, 0, 0)),
              ("Neck", "Spine2", (0, 15, 0), (0, 0, 0)), ("Head", "Neck", (0, 10, 0), (0, 0, 0)),
              ("HeadTop_End", "Head", (0, 18, 0), (0, 0, 0))]
    for side, sign in (("Left", 1), ("Right", -1)):
        arm = (0, 0, -90 * sign)
        joints += [(side + "Shoulder", "Spine2", (6 * sign, 11, 0), arm),
                   (side + "Arm", side + "Shoulder", (0, 13, 0), (0, 0, 0)),
                   (side + "ForeArm", side + "Arm", (0, 28, 0), (0, 0, 0)),
                   (side + "Hand", side + "ForeArm", (0, 26, 0), (0, 0, 0))]
        for f, finger in enumerate(FINGERS):
            parent, place = side + "Hand", (4 - 2 * f, 9, 0)
            for k in range(4):
                name = f"{side}Hand{finger}{k + 1}"
                joints.append((name, parent, place, (0, 0, 5 * sign if finger == "Thumb" else 0)))
                parent, place = name, (0, 3, 0)
        joints += [(side + "UpLeg", "Hips", (9 * sign, -5, 0), (0, 0, 180)),
                   (side + "Leg", side + "UpLeg", (0, 42, 0), (0, 0, 0)),
                   (side + "Foot", side + "Leg", (0, 43, 0), (60, 0, 0)),
                   (side + "ToeBase", side + "Foot", (0, 15, 0), (30, 0, 0)),
                   (side + "Toe_End", side + "ToeBase", (0, 8, 0), (0, 0, 0))]
    return joints


def times(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(3)) + (a[r][3] if c == 3 else 0.0)
             for c in range(4)] for r in range(3)]


def turned(degrees):
    """The rotation by angles about X, then Y, then Z."""
    result = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    for axis, angle in enumerate(degrees):
        s, c = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = [[float(r == k) for k in range(4)] for r in range(3)]
        turn[i][i], turn[i][j], turn[j][i], turn[j][j] = c, -s, s, c
        result = times(turn, result)
    return result


def inverse(matrix):
    """Of a rotation and a translation."""
    turn = [[matrix[c][r] for c in range(3)] for r in range(3)]
    return [turn[r] + [-sum(turn[r][k] * matrix[k][3] for k in range(3))] for r in range(3)]


def bind_matrices(joints):
    worlds = {}
    for name, parent, place, before in joints:
        local = turned(before)
        for k in range(3):
            local[k][3] = float(place[k])
        worlds[name] = times(worlds[parent], local) if parent else local
    return worlds


def box(at, size):
    corners = [tuple(at[k] + (size if i >> k & 1 else -size) for k in range(3)) for i in range(8)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, faces


def walk(name, time):
    """Angles of a joint; different for each, so that a mix-up shows."""
    phase = sum(map(ord, name)) % 17 / 17.0 * 2.0 * math.pi
    swing = 1.0 if "Hand" in name else 6.0
    return tuple(swing * math.sin(math.pi * time + phase + k) * (1.0, 0.4, 0.3)[k]
                 for k in range(3))


def run(name, time):
    return tuple(-1.1 * angle for angle in walk(name, time))


class Packer:
    def __init__(self, with_skin, motion, seconds):
        self.objects, self.links, self.last_id = [], [], 500000
        self.skeleton = skeleton()
        self.ids = {}
        for name, parent, place, before in self.skeleton:
            self.ids[name] = self.add("Model", PREFIX + name, "LimbNode", [
                Node("Version", [Int(232)]), Node("Properties70", [], [
                    Node("P", ["RotationActive", "bool", "", "", Int(1)]),
                    Node("P", ["InheritType", "enum", "", "", Int(1)]),
                    property_of("PreRotation", "Vector3D", *map(float, before)),
                    property_of("Lcl Translation", "Lcl Translation", *map(float, place))])])
            self.link(self.ids[name], self.ids[parent] if parent else 0)
        if with_skin:
            self.add_skin()
        self.add_take(motion, seconds)

    def add(self, kind, name, subkind, children, name_kind=None):
        self.last_id += 1
        self.objects.append(Node(kind, [self.last_id, Name(name, name_kind or kind), subkind],
                                 children))
        return self.last_id

    def link(self, child, parent, name=None):
        self.links.append(Node("C", ["OP" if name else "OO", child, parent] +
                               ([name] if name else [])))

    def add_skin(self):
        worlds, points, corners, weights = bind_matrices(self.skeleton), [], [], {}
        for name, parent, _, _ in self.skeleton:
            vertices, faces = box([worlds[name][k][3] for k in range(3)],
                                  1.0 if "Hand" in name else 4.0)
            for i, point in enumerate(vertices):
                share = 0.35 if parent and i % 2 else 0.0
                weights.setdefault(name, []).append((len(points) + i, 1.0 - share))
                if share:
                    weights.setdefault(parent, []).append((len(points) + i, share))
            for face in faces:
                corners += [len(points) + i for i in face[:3]] + [-1 - len(points) - face[3]]
            points += vertices
        model = self.add("Model", "Body", "Mesh", [Node("Version", [Int(232)]),
                                                   Node("Properties70", [], [])])
        self.link(model, 0)
        geometry = self.add("Geometry", "Body", "Mesh", [
            Node("GeometryVersion", [Int(124)]),
            Node("Vertices", [Array("d", [float(n) for p in points for n in p])]),
            Node("PolygonVertexIndex", [Array("i", corners)]),
            layer_element("UV", "UV", [n for p in points for n in (p[0] / 200.0, p[1] / 200.0)],
                          "ByVertice")])
        self.link(geometry, model)
        skin = self.add("Deformer", "Body", "Skin", [Node("Version", [Int(101)])])
        self.link(skin, geometry)
        for name, pairs in weights.items():
            cluster = self.add("Deformer", name, "Cluster", [
                Node("Version", [Int(100)]),
                Node("Indexes", [Array("i", [i for i, _ in pairs])]),
                Node("Weights", [Array("d", [weight for _, weight in pairs])]),
                Node("Transform", [Array("d", columns(inverse(worlds[name])))]),
                Node("TransformLink", [Array("d", columns(worlds[name]))])], "SubDeformer")
            self.link(cluster, skin)
            self.link(self.ids[name], cluster)

        self.add("Pose", "bind", "BindPose", [
            Node("Type", ["BindPose"]), Node("Version", [Int(100)]),
            Node("NbPoseNodes", [Int(len(worlds))]),
            *[Node("PoseNode", [], [Node("Node", [self.ids[name]]),
                                    Node("Matrix", [Array("d", columns(worlds[name]))])])
              for name in worlds]])

    def add_take(self, motion, seconds):
        span = (("LocalStart", 0.0), ("LocalStop", seconds))
        stack = self.add("AnimationStack", TAKE, "", [Node("Properties70", [], [
            Node("P", [name, "KTime", "Time", "", round(at * SECOND)]) for name, at in span])],
            "AnimStack")
        layer = self.add("AnimationLayer", "BaseLayer", "", [], "AnimLayer")
        self.link(layer, stack)
        at = [k / RATE for k in range(round(seconds * RATE) + 1)]
        for name, _, place, _ in self.skeleton:
            self.add_curves(layer, name, "Lcl Rotation", at,
                            [motion(name, t) if motion else (0.0, 0.0, 0.0) for t in at])
        hips = [(2.0 * math.sin(3.0 * t) if motion else 0.0, 100.0, 90.0 * t if motion else 0.0)
                for t in at]
        self.add_curves(layer, "Hips", "Lcl Translation", at, hips)

    def add_curves(self, layer, joint, prop, at, values):
        node = self.add("AnimationCurveNode", prop[4], "", [Node("Properties70", [], [
            property_of("d|" + "XYZ"[k], "Number", float(values[0][k])) for k in range(3)])],
            "AnimCurveNode")
        self.link(node, layer)
        self.link(node, self.ids[joint], prop)
        for k in range(3):
            curve = self.add("AnimationCurve", "", "", [
                Node("Default", [0.0]), Node("KeyVer", [Int(4009)]),
                Node("KeyTime", [Array("l", [round(t * SECOND) for t in at])]),
                Node("KeyValueFloat", [Array("f", [float(value[k]) for value in values])]),
                Node("KeyAttrFlags", [Array("i", [LINEAR])]),
                Node("KeyAttrDataFloat", [Array("f", [0.0] * 4)]),
                Node("KeyAttrRefCount", [Array("i", [len(at)])])], "AnimCurve")
            self.link(curve, node, "d|" + "XYZ"[k])


def in_centimeters(nodes):
    for node in nodes.children[1].children:
        if node.values[0] == "UnitScaleFactor":
            node.values[4] = 1.0
    return nodes


def pack_character(with_skin=True, motion=None, seconds=1.0):
    """The nodes of a file: for as_text() and as_binary() of fbx_file.py."""
    packer = Packer(with_skin, motion, seconds)
    return [Node("FBXHeaderExtension", [], [Node("FBXHeaderVersion", [Int(1003)]),
                                            Node("FBXVersion", [Int(7400)]),
                                            Node("Creator", ["tenon samples"])]),
            in_centimeters(settings()),
            Node("Definitions", [], [Node("Version", [Int(100)]), Node("Count", [Int(0)])]),
            Node("Objects", [], packer.objects), Node("Connections", [], packer.links)]
