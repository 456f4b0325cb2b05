"""FBX 7.4: the crane as a binary file, one node for each joint, in meters."""
# SPDX-License-Identifier: MIT

import math

from crane import maths, world_matrices
from fbx_file import Array, Int, Name, Node, as_binary

SECOND = 46186158000                  # Ticks of FBX in a second.
LINEAR = 0x4
PROPERTIES = {"translation": "Lcl Translation", "rotation": "Lcl Rotation"}


def angles(rotation, before=(0.0, 0.0, 0.0)):
    """Angles about X, Y and Z in degrees, as near to those before as whole turns allow."""
    axis = max(range(3), key=lambda k: abs(rotation[k]))
    turn = math.degrees(2.0 * math.atan2(rotation[axis], rotation[3]))
    turn += 360.0 * round((before[axis] - turn) / 360.0)
    return tuple(round(turn, 6) + 0.0 if k == axis else 0.0 for k in range(3))


def all_angles(rotations):
    found = [angles(rotations[0])]
    for rotation in rotations[1:]:
        found.append(angles(rotation, found[-1]))
    return found


def columns(matrix):
    """A matrix of three rows as FBX stores it."""
    rows = list(matrix) + [(0.0, 0.0, 0.0, 1.0)]
    return [float(rows[r][c]) for c in range(4) for r in range(4)]


def property_of(name, kind, *values):
    return Node("P", [name, kind, "", "A", *values])


def layer_element(kind, field, numbers, mapping="ByPolygonVertex", reference="Direct", letter="d"):
    return Node("LayerElement" + kind, [Int(0)], [
        Node("Version", [Int(101)]), Node("Name", [""]),
        Node("MappingInformationType", [mapping]),
        Node("ReferenceInformationType", [reference]),
        Node(field, [Array(letter, numbers)])])


def layer(*kinds):
    return Node("Layer", [Int(0)], [Node("Version", [Int(100)])] + [
        Node("LayerElement", [], [Node("Type", ["LayerElement" + kind]),
                                  Node("TypedIndex", [Int(0)])]) for kind in kinds])


class Packer:
    """Objects and connections of one file."""

    def __init__(self, model):
        self.model, self.objects, self.links, self.last_id = model, [], [], 1000
        self.joints = [self.add_joint(joint) for joint in model.joints]
        for joint, number in zip(model.joints, self.joints):
            self.link(number, self.joints[joint.parent] if joint.parent >= 0 else 0)
        self.materials = [self.add_material(material) for material in model.materials]
        for part in model.parts:
            self.add_part(part)
        self.add_pose()
        for clip in model.clips:
            self.add_clip(clip)

    def add(self, kind, name, subkind, children, name_kind=None):
        self.last_id += 1
        self.objects.append(Node(kind, [self.last_id, Name(name, name_kind or kind), subkind],
                                 children))
        return self.last_id

    def link(self, child, parent, name=None):
        self.links.append(Node("C", ["OP" if name else "OO", child, parent] +
                               ([name] if name else [])))

    # -- Nodes, meshes, materials

    def add_joint(self, joint):
        return self.add("Model", joint.name, "LimbNode", [
            Node("Version", [Int(232)]), Node("Properties70", [], [
                property_of("Lcl Translation", "Lcl Translation", *joint.rest.translation),
                property_of("Lcl Rotation", "Lcl Rotation", *angles(joint.rest.rotation))])])

    def add_material(self, material):
        colors = (("DiffuseColor", material.diffuse), ("SpecularColor", material.specular),
                  ("EmissiveColor", material.emissive))
        numbers = (("ShininessExponent", material.shininess), ("Opacity", material.opacity),
                   ("TransparencyFactor", 1.0 - material.opacity))
        number = self.add("Material", material.name, "", [
            Node("Version", [Int(102)]), Node("ShadingModel", ["phong"]),
            Node("Properties70", [], [property_of(n, "Color", *v) for n, v in colors] +
                 [property_of(n, "Number", v) for n, v in numbers])])
        if material.texture:
            names = [Node("FileName", [material.texture]),
                     Node("RelativeFilename", [material.texture])]
            texture = self.add("Texture", material.name, "", [
                Node("Type", ["TextureVideoClip"]), Node("Version", [Int(202)]), *names])
            self.link(texture, number, "DiffuseColor")
        return number

    def add_part(self, part):
        node = self.add("Model", part.name, "Mesh", [Node("Version", [Int(232)]),
                                                     Node("Properties70", [], [])])
        self.link(node, 0 if part.joint is None else self.joints[part.joint])
        corners = [part.vertices[i] for triangle in part.triangles for i in triangle]
        geometry = self.add("Geometry", part.name, "Mesh", [
            Node("GeometryVersion", [Int(124)]),
            Node("Vertices", [Array("d", [n for v in part.vertices for n in v.position])]),
            Node("PolygonVertexIndex", [Array("i", [n for a, b, c in part.triangles
                                                    for n in (a, b, -1 - c)])]),
            layer_element("Normal", "Normals", [n for v in corners for n in v.normal]),
            layer_element("UV", "UV", [n for v in corners for n in (v.uv[0], 1.0 - v.uv[1])]),
            layer_element("Color", "Colors", [n / 255.0 for v in corners for n in v.color]),
            layer_element("Material", "Materials", [0], "AllSame", "IndexToDirect", "i"),
            layer("Normal", "UV", "Color", "Material")])
        self.link(geometry, node)
        self.link(self.materials[part.material], node)
        if part.joint is None:
            self.add_skin(part, geometry)

    def add_skin(self, part, geometry):
        skin = self.add("Deformer", part.name, "Skin", [Node("Version", [Int(101)])])
        self.link(skin, geometry)
        binds = world_matrices(self.model.joints, [joint.bind for joint in self.model.joints])
        for j in sorted({j for vertex in part.vertices for j in vertex.joints}):
            pairs = [(i, weight) for i, vertex in enumerate(part.vertices)
                     for joint, weight in zip(vertex.joints, vertex.weights) if joint == j]
            cluster = self.add("Deformer", self.model.joints[j].name, "Cluster", [
                Node("Version", [Int(100)]),
                Node("Indexes", [Array("i", [i for i, _ in pairs])]),
                Node("Weights", [Array("d", [weight for _, weight in pairs])]),
                Node("Transform", [Array("d", columns(maths.invert_rigid(binds[j])))]),
                Node("TransformLink", [Array("d", columns(binds[j]))])], "SubDeformer")
            self.link(cluster, skin)
            self.link(self.joints[j], cluster)

    def add_pose(self):
        """Where all joints were when the skins were bound."""
        binds = world_matrices(self.model.joints, [joint.bind for joint in self.model.joints])
        self.add("Pose", "bind", "BindPose", [
            Node("Type", ["BindPose"]), Node("Version", [Int(100)]),
            Node("NbPoseNodes", [Int(len(binds))]),
            *[Node("PoseNode", [], [Node("Node", [number]),
                                    Node("Matrix", [Array("d", columns(bind))])])
              for number, bind in zip(self.joints, binds)]])

    # -- Clips

    def add_clip(self, clip):
        span = (("LocalStart", 0.0), ("LocalStop", clip.length))
        stack = self.add("AnimationStack", clip.name, "", [Node("Properties70", [], [
            Node("P", [name, "KTime", "Time", "", round(at * SECOND)]) for name, at in span])],
            "AnimStack")
        layer_id = self.add("AnimationLayer", clip.name, "", [], "AnimLayer")
        self.link(layer_id, stack)
        for channel in clip.channels:
            values = channel.values if channel.path == "translation" else all_angles(channel.values)
            self.add_channel(channel, values, layer_id)

    def add_channel(self, channel, values, layer_id):
        name = PROPERTIES[channel.path]
        node = self.add("AnimationCurveNode", name[4], "", [Node("Properties70", [], [
            property_of("d|" + "XYZ"[k], "Number", float(values[0][k])) for k in range(3)])],
            "AnimCurveNode")
        self.link(node, layer_id)
        self.link(node, self.joints[channel.joint], name)
        count = len(channel.times)
        for k in range(3):
            curve = self.add("AnimationCurve", "", "", [
                Node("Default", [0.0]), Node("KeyVer", [Int(4008)]),
                Node("KeyTime", [Array("l", [round(time * SECOND) for time in channel.times])]),
                Node("KeyValueFloat", [Array("f", [value[k] for value in values])]),
                Node("KeyAttrFlags", [Array("i", [LINEAR])]),
                Node("KeyAttrDataFloat", [Array("f", [0.0] * 4)]),
                Node("KeyAttrRefCount", [Array("i", [count])])], "AnimCurve")
            self.link(curve, node, "d|" + "XYZ"[k])


def settings():
    """Y up, +Z to the front, right-handed, meters."""
    axes = (("Up", 1), ("Front", 2), ("Coord", 0))
    whole = [(name + end, value) for name, axis in axes
             for end, value in (("Axis", axis), ("AxisSign", 1))]
    return Node("GlobalSettings", [], [Node("Version", [Int(1000)]), Node("Properties70", [], [
        Node("P", [name, "int", "Integer", "", Int(value)]) for name, value in whole] +
        [Node("P", ["UnitScaleFactor", "double", "Number", "", 100.0])])])


def pack(model):
    """Nothing is compressed, since versions of zlib do not all give the same bytes."""
    packer = Packer(model)
    return as_binary([
        Node("FBXHeaderExtension", [], [Node("FBXHeaderVersion", [Int(1003)]),
                                        Node("FBXVersion", [Int(7400)]),
                                        Node("Creator", ["tenon samples"])]),
        settings(),
        Node("Definitions", [], [Node("Version", [Int(100)]), Node("Count", [Int(0)])]),
        Node("Objects", [], packer.objects), Node("Connections", [], packer.links)],
        most_plain=math.inf)
