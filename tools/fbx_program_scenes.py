"""Small FBX scenes with what Blender, Maya, 3ds Max, MotionBuilder and ZBrush do differently.

Each is a scene of fbx_fixture_scenes.py; docs/formats/fbx.md describes the habits.
"""
# SPDX-License-Identifier: MIT

from fbx_file import Array, Int, Node
from fbx_fixture_scenes import (AUTO, BREAK, CONSTANT, CUBIC, FLAT, IDENTITY, LINEAR, STRIP,
                                STRIP_CORNERS, USER, Scene, flag, layer, moved, number, prop, props,
                                vector, word)

FRAME = 1 / 24
VELOCITY = 0x30000000
HUGE = 1e30


def named(*texts):
    """Properties of the scene: which program made it, and in which version."""
    return [prop("Original|Application" + end, "KString", said)
            for end, said in zip(("Vendor", "Name", "Version"), texts)]


class ProgramScene(Scene):
    """A scene that says which program wrote it."""

    def __init__(self, creator, program, settings=()):
        super().__init__(creator, settings)
        self.program = program

    def nodes(self, version=7400):
        nodes = super().nodes(version)
        nodes[0].children.append(Node("SceneInfo", ["GlobalInfo", "UserData"],
                                      [props(*named(*self.program))]))
        return nodes


def axes(up, front, sign, unit):
    return [flag("UpAxis", up), flag("UpAxisSign", 1), flag("FrontAxis", front),
            flag("FrontAxisSign", sign), flag("CoordAxis", 0), flag("CoordAxisSign", 1),
            flag("OriginalUpAxis", -1), number("UnitScaleFactor", unit)]


def blender():
    """Meters, as nodes 100 times as large in a file in centimeters; a key for each frame."""
    s = ProgramScene("Blender (stable FBX IO) - 4.4.0 - 5.13.0",
                     ("Blender Foundation", "Blender (stable FBX IO)", "4.4.0"),
                     axes(1, 2, 1, 1))
    size = vector("Lcl Scaling", 100, 100, 100)
    rig = s.model("Armature", "Null", vector("Lcl Rotation", -90, 0, 0), size)
    low = s.model("low", "LimbNode", parent=rig)
    high = s.model("high", "LimbNode", vector("Lcl Translation", 0, 2, 0), parent=low)
    s.model("high_end", "LimbNode", vector("Lcl Translation", 0, 2, 0), parent=high)
    strip = s.model("strip", "Mesh", vector("Lcl Rotation", -90, 0, 0), size)
    mesh = s.mesh(strip, STRIP, STRIP_CORNERS, layer("Smoothing", "ByPolygon", [
        ("Smoothing", Array("i", [0, 1]))]))
    half = [Node("Version", [Int(100)])]
    high_place = [100.0, 0.0, 0.0, 0.0, 0.0, 0.0, -100.0, 0.0, 0.0, 100.0, 0.0, 0.0,
                  0.0, 0.0, -200.0, 1.0]
    s.skin(mesh, [(low, [0, 1, 2, 3], [1.0, 1.0, 0.5, 0.5], IDENTITY,
                   high_place[:12] + [0.0, 0.0, 0.0, 1.0]),
                  (high, [2, 3, 4, 5], [0.5, 0.5, 1.0, 1.0], moved(0.0, -2.0, 0.0), high_place)])
    shape = s.add("Deformer", "Key", "BlendShape", half, parent=mesh)
    wide = s.add("Deformer", "wide", "BlendShapeChannel", [
        Node("DeformPercent", [0.0]), Node("FullWeights", [Array("d", [100.0, 50.0])])],
        "SubDeformer", shape)
    s.add("Geometry", "wide", "Shape", [
        Node("Indexes", [Array("i", [4, 5])]),
        Node("Vertices", [Array("d", [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0])])], parent=wide)
    take = s.take("Armature|bend", 2 * FRAME)
    base = s.add("AnimationLayer", "Armature|bend", "", [], "AnimLayer", take)
    keys = [(k * FRAME, 30 * k, LINEAR | AUTO, FLAT) for k in range(3)]
    s.track(base, high, "Lcl Rotation", {"Z": keys}, X=0, Y=0, Z=0)
    s.track(base, wide, "DeformPercent", {"DeformPercent": [(0, 0, LINEAR, FLAT),
                                                            (2 * FRAME, 100, LINEAR, FLAT)]})
    s.track(base, mesh, "wide", {"wide": [(0, 0, LINEAR, FLAT), (2 * FRAME, 1, LINEAR, FLAT)]})
    return s


def maya():
    """Joint orients and scale compensation, a take from frame 1, stepped tangents."""
    s = ProgramScene("FBX SDK/FBX Plugins version 2020.2",
                     ("Autodesk", "Maya", "2023"), axes(1, 2, 1, 1))
    active, joint = flag("RotationActive", 1), flag("InheritType", 2)
    hip = s.model("hip", "LimbNode", active, joint, vector("PreRotation", 0, 0, 90),
                  vector("Lcl Scaling", 1, 2, 1))
    knee = s.model("knee", "LimbNode", active, joint, vector("PreRotation", 0, 0, -90),
                   vector("Lcl Translation", 0, 3, 0), parent=hip)
    s.link(knee, hip, "lockInfluenceWeights")
    box = s.model("box", "Mesh", active, vector("RotationPivot", 1, 0, 0),
                  vector("ScalingPivot", 1, 0, 0), vector("Lcl Rotation", 0, 0, 90), parent=knee)
    s.mesh(box, STRIP, STRIP_CORNERS)
    take = s.add("AnimationStack", "Take 001", "", [props(
        prop("LocalStart", "KTime", 1924423250), prop("LocalStop", "KTime", 5 * 1924423250))],
        "AnimStack")
    base = s.add("AnimationLayer", "BaseLayer", "", [], "AnimLayer", take)
    s.track(base, knee, "Lcl Rotation", {"X": [
        (FRAME, 0, CONSTANT, (HUGE, -HUGE, 0.0, 0.0)), (3 * FRAME, 45, CONSTANT, FLAT),
        (5 * FRAME, 90, CUBIC | USER | BREAK, (-HUGE, HUGE, 0.0, 0.0))]}, X=0, Y=0, Z=0)
    # Between two ticks of other programs.
    s.track(base, box, "Lcl Translation", {"Y": [
        (FRAME + 1e-6, 0, CUBIC | AUTO, FLAT), (5 * FRAME - 1e-6, 4, CUBIC | AUTO, FLAT)]},
        X=0, Y=0, Z=0)
    return s


def max3ds():
    """Z up, inches, offsets of objects, odd names in a code page, hidden edges, groups."""
    s = ProgramScene("FBX SDK/FBX Plugins version 2020.3",
                     ("Autodesk", "3ds Max", "2024"), axes(2, 1, -1, 2.54))
    street = b"Stra\xdfe".decode("utf-8", "surrogateescape")  # In the code page 1252.
    box = s.model(street + ' "A:B::C"', "Mesh", vector("GeometricTranslation", 0, 0, 1),
                  vector("GeometricRotation", 0, 0, 90), vector("GeometricScaling", 1, 1, 2),
                  flag("InheritType", 1))
    s.mesh(box, STRIP, STRIP_CORNERS, layer("Smoothing", "ByPolygon", [
        ("Smoothing", Array("i", [1, 3]))]),
        layer("Visibility", "ByEdge", [("Visibility", Array("b", [1, 0, 1]))]),
        extra=[Node("Edges", [Array("i", [0, 1, 2])])])
    s.model("child", "Null", vector("Lcl Translation", 1, 0, 0), parent=box)
    s.add("Material", "paint", "", [Node("ShadingModel", ["unknown"]), props(
        vector("DiffuseColor", 1, 0, 0), prop("3dsMax|ClassIDa", "Integer", Int(1030429932)),
        prop("3dsMax|Parameters|base_weight", "Float", 1.0),
        prop("3dsMax|Parameters|base_color", "ColorAndAlphaRGBA", 0.0, 0.5, 0.0, 1.0),
        prop("3dsMax|Parameters|roughness", "Float", 0.25),
        prop("3dsMax|Parameters|roughness_inv", "Bool", Int(1)),
        prop("3dsMax|Parameters|metalness", "Float", 0.0))], parent=box)
    return s


def motionbuilder():
    """Systems of the program, a character, layers without curves, automatic keys with a bias."""
    s = ProgramScene("FBX SDK/FBX Plugins version 2019.2",
                     ("Autodesk", "MotionBuilder", "2019"), axes(1, 2, 1, 1))
    for name in ("Renderer", "Player"):
        s.add("MotionBuilder_System", name, "", [])
    hips = s.model("Hips", "LimbNode", flag("InheritType", 0), vector("Lcl Scaling", 1, 2, 1))
    spine = s.model("Spine", "LimbNode", flag("InheritType", 0),
                    vector("Lcl Translation", 0, 1, 0), vector("Lcl Rotation", 0, 0, 90),
                    parent=hips)
    character = s.add("Constraint", "Character", "Character", [props(flag("Active", 0))],
                      name_kind="Constraint")
    s.link(hips, character, "HipsLink")
    take = s.take("Take 001", 1.0)
    base = s.add("AnimationLayer", "BaseAnimation", "", [], "AnimLayer", take)
    for name in ("AnimLayer1", "AnimLayer2"):
        s.add("AnimationLayer", name, "", [props(number("Weight", 100))], "AnimLayer", take)
    auto = CUBIC | AUTO | VELOCITY
    s.track(base, spine, "Lcl Rotation", {"Z": [
        (0, 90, auto, (0.0, 0.0, word(0.3, 0.3), 0.0)), (0.5, 45, auto, (50.0, 50.0, 0.0, 0.0)),
        (1, 0, auto, FLAT)]}, X=0, Y=0, Z=90)
    return s


def zbrush():
    """No name of a program, normals of points, groups of polygons, creases."""
    s = ProgramScene("FBX SDK/FBX Plugins version 2017.1", ("", "", ""), axes(1, 2, 1, 1))
    ball = s.model("ball", "Mesh")
    s.mesh(ball, STRIP, STRIP_CORNERS,
           layer("Normal", "ByVertice", [("Normals", Array("d", [0.0, 0.0, 1.0] * 6))]),
           layer("PolygonGroup", "ByPolygon", [("PolygonGroup", Array("i", [1, 2]))]),
           layer("EdgeCrease", "ByEdge", [("EdgeCrease", Array("d", [1.0, 0.0]))]),
           extra=[Node("Edges", [Array("i", [0, 1])]), Node("PreviewDivisionLevels", [Int(2)]),
                  Node("RenderDivisionLevels", [Int(2)]), Node("Smoothness", [Int(3)]),
                  Node("BoundaryRule", [Int(0)])])
    return s


SCENES = {"blender": blender, "maya": maya, "max": max3ds, "motionbuilder": motionbuilder,
          "zbrush": zbrush}
