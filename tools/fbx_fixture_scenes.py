"""Small FBX scenes for tests/fixtures/fbx: what moves, what deforms, and what colors.

Each is a list of nodes of fbx_file.py, or the text of a file before version 7.
"""
# SPDX-License-Identifier: MIT

import struct

from fbx_file import Array, Int, Letter, Name, Node

SECOND = 46186158000
CONSTANT, LINEAR, CUBIC = 0x2, 0x4, 0x8
AUTO, TCB, USER, BREAK, CLAMP = 0x100, 0x200, 0x400, 0x800, 0x1000
TIME_INDEPENDENT, PROGRESSIVE, WEIGHTED = 0x2000, 0x4000, 0x3000000
IDENTITY = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
# A picture of one pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8df"
    "e0d000000681024063a3b76f0000000049454e44ae426082")


def moved(x, y, z):
    """A matrix as FBX stores it."""
    return IDENTITY[:12] + [x, y, z, 1.0]


# -- Parts of a scene of version 7

def prop(name, kind, *values, flags=""):
    return Node("P", [name, kind, "", flags, *values])


def props(*given):
    return Node("Properties70", [], list(given))


def vector(name, x, y, z):
    return prop(name, name if name.startswith("Lcl") else "Vector3D", float(x), float(y), float(z))


def number(name, value):
    return prop(name, "double", float(value))


def flag(name, value):
    return prop(name, "int", Int(value))


def layer(kind, mapping, fields, index=0):
    """`fields` is [(name, array)]; with an index array, entries are found through it."""
    reference = "IndexToDirect" if len(fields) > 1 or kind == "Material" else "Direct"
    return Node("LayerElement" + kind, [Int(index)], [
        Node("MappingInformationType", [mapping]), Node("ReferenceInformationType", [reference]),
        *[Node(name, [array]) for name, array in fields]])


class Scene:
    """Objects with rising ids, and what connects them."""

    def __init__(self, creator="Tenon's fixtures", settings=(), templates=()):
        self.objects, self.links, self.last, self.creator = [], [], 100, creator
        self.settings, self.templates = settings, templates

    def add(self, element, name, kind, children=(), name_kind=None, parent=None):
        self.last += 1
        self.objects.append(Node(element, [self.last, Name(name, name_kind or element), kind],
                                 list(children)))
        if parent is not None:
            self.link(self.last, parent)
        return self.last

    def link(self, child, parent, name=None):
        self.links.append(Node("C", ["OP" if name else "OO", child, parent] +
                               ([name] if name else [])))

    def model(self, name, kind, *properties, parent=0):
        return self.add("Model", name, kind, [props(*properties)], parent=parent)

    def mesh(self, model, points, corners, *layers, name="", extra=()):
        return self.add("Geometry", name, "Mesh", [
            Node("Vertices", [Array("d", points)]),
            Node("PolygonVertexIndex", [Array("i", corners)]), *extra, *layers], parent=model)

    def skin(self, geometry, clusters, kind=None):
        """`clusters` is [(bone, points, weights, matrix of the mesh, matrix of the bone)]."""
        style = [Node("SkinningType", [kind])] if kind else []
        skin = self.add("Deformer", "", "Skin", style, parent=geometry)
        for bone, points, weights, bind, place in clusters:
            cluster = self.add("Deformer", "", "Cluster", [
                Node("Indexes", [Array("i", points)]), Node("Weights", [Array("d", weights)]),
                Node("Transform", [Array("d", bind)]),
                Node("TransformLink", [Array("d", place)])], "SubDeformer", skin)
            self.link(bone, cluster)
        return skin

    def take(self, name, stop=1.0):
        return self.add("AnimationStack", name, "", [props(
            prop("LocalStart", "KTime", 0), prop("LocalStop", "KTime", round(stop * SECOND)))],
            "AnimStack")

    def track(self, take_layer, target, name, curves, **defaults):
        """`curves` is {axis: keys}; a key is (seconds, value, flags, four numbers or words)."""
        node = self.add("AnimationCurveNode", name, "", [props(
            *[number("d|" + axis, value) for axis, value in defaults.items()])], "AnimCurveNode",
            take_layer)
        self.link(node, target, name)
        for axis, keys in curves.items():
            self.link(self.curve(keys), node, "d|" + axis)
        return node

    def curve(self, keys, beyond=()):
        return self.add("AnimationCurve", "", "", [
            Node("KeyVer", [Int(4009)]),
            Node("KeyTime", [Array("l", [round(key[0] * SECOND) for key in keys])]),
            Node("KeyValueFloat", [Array("f", [float(key[1]) for key in keys])]),
            Node("KeyAttrFlags", [Array("i", [key[2] for key in keys])]),
            Node("KeyAttrDataFloat", [Array("f", [n for key in keys for n in key[3]])]),
            Node("KeyAttrRefCount", [Array("i", [1] * len(keys))]), *beyond], "AnimCurve")

    def nodes(self, version=7400):
        header = Node("FBXHeaderExtension", [], [Node("FBXHeaderVersion", [Int(1003)]),
                                                 Node("FBXVersion", [Int(version)])])
        settings = Node("GlobalSettings", [], [props(*self.settings)])
        return [header, Node("Creator", [self.creator]), settings,
                Node("Definitions", [], list(self.templates)),
                Node("Objects", [], self.objects), Node("Connections", [], self.links)]


FLAT = (0.0, 0.0, 0.0, 0.0)
# A strip of two quads, 4 high.
STRIP = [float(n) for y in (0, 2, 4) for x in (-1, 1) for n in (x, y, 0)]
STRIP_CORNERS = [0, 1, 3, -3, 2, 3, 5, -5]


def word(right, left):
    """Two weights of tangents as the bits of a number."""
    bits = round(right * 9999) | round(left * 9999) << 16
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def skin():
    """Two joints bend a strip, in a take of two layers; the upper joint has a bind pose only."""
    s = Scene()
    low = s.model("low", "LimbNode")
    high = s.model("high", "LimbNode", vector("Lcl Translation", 0, 2, 0), parent=low)
    strip = s.model("strip", "Mesh")
    mesh = s.mesh(strip, STRIP, STRIP_CORNERS)
    s.skin(mesh, [(low, [0, 1, 2, 3], [1.0, 1.0, 0.5, 0.5], IDENTITY, IDENTITY),
                  (high, [2, 3, 4, 5], [0.5, 0.5, 1.0, 1.0], moved(0.0, -2.0, 0.0),
                   moved(0.0, 2.0, 0.0))])
    s.add("Pose", "bind", "BindPose", [Node("NbPoseNodes", [Int(1)]), Node("PoseNode", [], [
        Node("Node", [high]), Node("Matrix", [Array("d", moved(0.0, 2.0, 0.0))])])])
    take = s.take("rig|bend")
    base = s.add("AnimationLayer", "base", "", [], "AnimLayer", take)
    s.track(base, high, "Lcl Rotation",
            {"Z": [(0, 0, CUBIC | USER, (0.0, 0.0, 0.0, 0.0)), (1, 90, CUBIC | USER, FLAT)]},
            X=0, Y=0, Z=0)
    s.track(base, high, "Lcl Translation",
            {"Y": [(0, 2, LINEAR, FLAT), (1, 3, LINEAR, FLAT)]}, X=0, Y=2, Z=0)
    more = s.add("AnimationLayer", "more", "", [props(number("Weight", 50))], "AnimLayer", take)
    s.track(more, high, "Lcl Translation",
            {"X": [(0, 0, CONSTANT, FLAT), (0.5, 2, CONSTANT | AUTO, FLAT), (1, 4, LINEAR, FLAT)]},
            X=0, Y=0, Z=0)
    return s


def shapes():
    """A blend shape with one target between, and one with a factor for each of its points."""
    s = Scene(creator="Blender (stable FBX IO)")
    face = s.model("face", "Mesh")
    mesh = s.mesh(face, STRIP[:12], [0, 1, 3, -3])
    deformer = s.add("Deformer", "", "BlendShape", [], parent=mesh)
    smile = s.add("Deformer", "smile", "BlendShapeChannel", [
        props(number("DeformPercent", 25)), Node("FullWeights", [Array("d", [50.0, 100.0])])],
        "SubDeformer", deformer)
    for name, offset in (("half", 1.0), ("full", 4.0)):
        s.add("Geometry", name, "Shape", [
            Node("Indexes", [Array("i", [3])]), Node("Vertices", [Array("d", [0.0, 0.0, offset])]),
            Node("Normals", [Array("d", [0.0, 1.0, 0.0])])], parent=smile)
    blink = s.add("Deformer", "blink", "BlendShapeChannel", [
        Node("DeformPercent", [10.0]), Node("FullWeights", [Array("d", [100.0, 50.0])])],
        "SubDeformer", deformer)
    s.add("Geometry", "blink", "Shape", [
        Node("Indexes", [Array("i", [0, 1])]),
        Node("Vertices", [Array("d", [0.0, 0.0, 2.0, 0.0, 0.0, 2.0])])], parent=blink)
    take = s.take("talk")
    base = s.add("AnimationLayer", "base", "", [], "AnimLayer", take)
    s.track(base, smile, "DeformPercent",
            {"DeformPercent": [(0, 0, LINEAR, FLAT), (1, 100, LINEAR, FLAT)]})
    return s


def texture(s, name, owner, slot, *properties, parent=None):
    made = s.add("Texture", name, "", [props(*properties), Node("FileName", ["C:\\art\\" + name]),
                                       Node("RelativeFilename", ["..\\" + name])])
    s.link(made, owner, slot if parent is None else None)
    return made


def looks():
    """Layers of all mappings, materials of several programs, a camera and a light."""
    s = Scene(templates=[Node("ObjectType", ["Material"], [Node("PropertyTemplate", [
        "FbxSurfacePhong"], [props(number("Shininess", 25))])])])
    box = s.model("box", "Mesh", vector("GeometricTranslation", 1, 0, 0),
                  vector("GeometricRotation", 0, 90, 0), vector("GeometricScaling", 2, 1, 1))
    corners = STRIP_CORNERS + [0, -6, -5, 1, 3, -3]
    s.mesh(box, STRIP, corners,
           layer("Normal", "ByPolygon", [("Normals", Array("d", [0.0, 0.0, 1.0] * 5))]),
           layer("Tangent", "ByVertice", [("Tangents", Array("d", [1.0, 0.0, 0.0] * 6))]),
           layer("Binormal", "AllSame", [("Binormals", Array("d", [0.0, -1.0, 0.0]))]),
           layer("UV", "ByPolygonVertex", [
               ("UV", Array("d", [0.0, 0.0, 1.0, 0.25])),
               ("UVIndex", Array("i", [0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, -1]))]),
           layer("UV", "", [("UV", Array("d", [0.5, 0.5] * 6))], 1),
           layer("Color", "ByPolygonVertex", [
               ("Colors", Array("d", [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5])),
               ("ColorIndex", Array("i", [0, 1] * 7))]),
           layer("Material", "ByPolygon", [("Materials", Array("i", [0, 1, 0, 0, 2]))]),
           layer("Hole", "ByPolygon", [("Hole", Array("i", [0, 0, 0, 0, 0]))]),
           name="box")
    phong = s.add("Material", "phong", "", [props(
        vector("DiffuseColor", 0.5, 0.25, 1), number("DiffuseFactor", 0.5),
        vector("EmissiveColor", 1, 1, 1), number("EmissiveFactor", 0.25),
        number("TransparencyFactor", 0.25))], parent=box)
    clip = s.add("Video", "pixel", "Clip", [Node("Content", [PIXEL])])
    color = texture(s, "color.png", phong, "DiffuseColor", vector("Translation", 0.25, 0.5, 0),
                    vector("Scaling", 2, 4, 1), flag("WrapModeU", 1))
    s.link(clip, color)
    texture(s, "bump.png", phong, "Bump", vector("Rotation", 0, 0, 45))
    texture(s, "clear.png", phong, "TransparentColor")
    texture(s, "other.png", phong, "Reflection")
    maya = s.add("Material", "arnold", "", [props(
        prop("Maya|baseColor", "Vector3D", 0.5, 0.5, 0.5), number("Maya|metalness", 1),
        number("Maya|specularRoughness", 0.25), number("Maya|emission", 2),
        prop("Maya|emissionColor", "Vector3D", 0.25, 0.0, 0.0))], parent=box)
    s.link(clip, texture(s, "rough.png", maya, "Maya|specularRoughness"))
    layers = s.add("LayeredTexture", "two", "", [Node("BlendModes", [Array("i", [5, 2])]),
                                                 Node("Alphas", [Array("d", [1.0, 0.5])])])
    s.link(layers, maya, "Maya|baseColor")
    texture(s, "below.png", layers, None, parent=layers)
    texture(s, "above.png", layers, None, parent=layers)
    s.add("Material", "max", "", [props(
        prop("3dsMax|main|baseColor", "ColorAndAlphaRGBA", 1.0, 1.0, 1.0, 0.5),
        number("3dsMax|main|roughness", 0.75))], parent=box)
    eye = s.model("eye", "Camera", vector("Lcl Rotation", 0, 90, 0))
    s.add("NodeAttribute", "lens", "Camera", [props(
        number("AspectWidth", 16), number("AspectHeight", 9), number("FieldOfView", 90),
        flag("ApertureMode", 1), number("NearPlane", 10), number("FarPlane", 1000))], parent=eye)
    lamp = s.model("lamp", "Light")
    s.add("NodeAttribute", "bulb", "Light", [props(
        flag("LightType", 2), vector("Color", 1, 0.5, 0.25), number("Intensity", 200),
        number("OuterAngle", 60), number("InnerAngle", 30))], parent=lamp)
    return s


def frames():
    """A left-handed file in inches: pivots, all kinds of inheritance, and a cycle."""
    axes = (("UpAxis", 2), ("UpAxisSign", 1), ("FrontAxis", 1), ("FrontAxisSign", 1),
            ("CoordAxis", 0), ("CoordAxisSign", 1))
    s = Scene(settings=[flag(*axis) for axis in axes] + [number("UnitScaleFactor", 2.54)])
    top = s.model("top", "Null", vector("Lcl Scaling", 2, 1, 1), vector("PreRotation", 0, 0, 90),
                  flag("RotationOrder", 5), vector("PostRotation", 0, 30, 0))
    s.model("rest", "Null", vector("Lcl Translation", 1, 0, 0), flag("InheritType", 0), parent=top)
    third = s.model("third", "Null", vector("Lcl Translation", 1, 0, 0), flag("InheritType", 2),
                    vector("RotationPivot", 0, 1, 0), vector("ScalingPivot", 1, 0, 0),
                    vector("ScalingOffset", 0, 0, 1), vector("RotationOffset", 0, 2, 0),
                    vector("Lcl Rotation", 0, 0, 90), vector("Lcl Scaling", 1, 3, 1), parent=top)
    s.model("spheric", "Null", flag("RotationOrder", 6), flag("Visibility", 0), parent=third)
    a = s.model("a", "Null", parent=third)
    b = s.model("b", "Null", parent=a)
    s.link(a, b)
    s.link(a, 9999)
    take = s.take("move")
    base = s.add("AnimationLayer", "base", "", [], "AnimLayer", take)
    s.track(base, third, "Lcl Rotation", {"Z": [(0, 0, LINEAR, FLAT), (1, 90, LINEAR, FLAT)]})
    s.track(base, third, "Lcl Scaling", {"Y": [(0, 1, LINEAR, FLAT), (1, 3, LINEAR, FLAT)]},
            X=1, Y=1, Z=1)
    s.track(base, top, "Lcl Scaling", {"X": [(0, 1, LINEAR, FLAT), (1, 2, LINEAR, FLAT)]},
            X=1, Y=1, Z=1)
    return s


def curves():
    """Keys with every kind of tangent, what is beyond them, and layers of each kind."""
    s = Scene()
    nodes = [s.model(name, "Null") for name in "abcd"]
    take = s.take("all", 4.0)
    base = s.add("AnimationLayer", "base", "", [], "AnimLayer", take)
    auto = CUBIC | AUTO
    keys = [(0, 0, auto, (50.0, -600.0, 0.0, 0.0)), (1, 2, auto | CLAMP, FLAT),
            (2, 2, CUBIC | TCB, (0.5, -0.5, 0.25, 0.0)), (3, 6, auto | TIME_INDEPENDENT, FLAT),
            (4, 1, auto | TIME_INDEPENDENT | PROGRESSIVE, FLAT)]
    s.track(base, nodes[0], "Lcl Translation", {
        "X": keys, "Y": [(0, 0, CUBIC | USER | BREAK | WEIGHTED, (1.0, 2.0, word(0.25, 0.75), 0.0)),
                         (2, 3, CUBIC | USER, FLAT)]})
    for at, letter in enumerate("RAMK"):
        node = s.track(base, nodes[at], "Lcl Rotation", {})
        kinds = [Node(name, [], [Node("Type", [Letter(letter)]), Node("Repetition", [Int(count)])])
                 for name, count in (("Pre-Extrapolation", -1), ("Post-Extrapolation", 2))]
        s.link(s.curve([(1, 0, LINEAR, FLAT), (1.5, 10, LINEAR, FLAT)], kinds), node, "d|X")
    for at, (blend, mode) in enumerate(((0, 0), (1, 1), (2, 0))):
        more = s.add("AnimationLayer", "more", "", [props(
            number("Weight", 50), flag("BlendMode", blend), flag("RotationAccumulationMode", mode),
            flag("ScaleAccumulationMode", mode))], "AnimLayer", take)
        for name in ("Lcl Rotation", "Lcl Scaling"):
            s.track(more, nodes[at], name, {"Y": [(0, 1, LINEAR, FLAT), (4, 3, LINEAR, FLAT)]},
                    X=1, Y=1, Z=1)
        s.track(more, more, "Weight", {"Weight": [(0, 0, LINEAR, FLAT), (4, 100, LINEAR, FLAT)]})
    return s


# -- Before version 7

SIX = """\
; FBX 6.1.0 project file
FBXHeaderExtension:  {
  FBXVersion: 6100
}
Objects:  {
  Model: "Model::arm", "Mesh" {
    Properties60:  {
      Property: "Lcl Translation", "Lcl Translation", "A+",0,1,0
      Property: "Lcl Scaling", "Lcl Scaling", "A+",1,1,1
      Property: "bulge", "Shape", "A+",50
    }
    Vertices: 0,0,0,1,0,0,1,1,0,0,1,0
    PolygonVertexIndex: 0,1,2,-4
    LayerElementMaterial: 0 {
      MappingInformationType: "AllSame"
      ReferenceInformationType: "Direct"
      Materials: 0
    }
    Shape: "bulge" {
      Indexes: 1,2
      Vertices: 0,0,1,0,0,2
      Normals: 0,0,0,0,0,0
    }
  }
  Model: "Model::bone", "Limb" {
    Properties60:  {
      Property: "Visibility", "Visibility", "A+",0
    }
  }
  Model: "Model::Producer Front", "Camera" {
  }
  Material: "Material::paint", "" {
    Properties60:  {
      Property: "DiffuseColor", "ColorRGB", "",1,0.5,0.25
      Property: "Opacity", "double", "",0.5
    }
  }
  Texture: "Texture::image", "TextureVideoClip" {
    RelativeFilename: "image.png"
  }
  Deformer: "Deformer::skin", "Skin" {
  }
  Deformer: "SubDeformer::cluster", "Cluster" {
    Mode: "Additive"
    Indexes: 0,1,2,3
    Weights: 1,0.5,0.25,1
    Transform: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
  }
}
Connections:  {
  Connect: "OO", "Model::arm", "Model::Scene"
  Connect: "OO", "Model::bone", "Model::Scene"
  Connect: "OO", "Model::none", "Model::Scene"
  Connect: "OO", "Material::paint", "Model::arm"
  Connect: "OO", "Texture::image", "Model::arm"
  Connect: "OO", "Deformer::skin", "Model::arm"
  Connect: "OO", "SubDeformer::cluster", "Deformer::skin"
  Connect: "OO", "Model::bone", "SubDeformer::cluster"
  Connect: "PO", "Model::bone", "x", "Model::arm"
}
Takes:  {
  Current: "wave"
  Take: "wave" {
    LocalTime: 0,46186158000
    Model: "Model::bone" {
      Channel: "Transform" {
        Channel: "T" {
          Channel: "X" {
            Default: 0
            KeyVer: 4005
            Key: 0,0,U,s,1,2,r,0.5,11546539500,1,U,b,1,1,a,0.25,0.75
              ,23093079000,2,U,a,n,34639618500,3,U,t,0,0,0,46186158000,1,L
          }
          Channel: "Y" {
            KeyVer: 4003
            Key: 0,1,C,46186158000,1,U,s,0,0
          }
        }
        Channel: "R" {
          Channel: "Z" {
            KeyVer: 4005
            Key: 0,0,C,n,23093079000,45,U,d,0,n,34639618500,0,U,p,0,0,n,n,46186158000,90,C,s
          }
        }
      }
    }
    Model: "Model::arm" {
      Channel: "bulge" {
        KeyVer: 4005
        Key: 0,0,L,46186158000,100,U,?
      }
    }
  }
}
"""

FIVE = """\
; FBX 5.8.0 project file
Model: "Model::Box" {
  Channel: "Transform" {
    Channel: "T" {
      Channel: "X" {
        Default: 2
      }
    }
  }
  Type: "Mesh"
  Vertices: 0,0,0,1,0,0,1,1,0,0,1,0
  PolygonVertexIndex: 0,1,2,-4
  Normals: 0,0,1,0,0,1,0,0,1,0,0,1
  Materials: 1
  MaterialAssignation: "AllSame"
  GeometryUVInfo: {
    MappingInformationType: "ByPolygon"
    TextureUV: 0,0,1,0,1,1,0,1
    TextureUVVerticeIndex: 0,1,2,3
  }
  Material: "Material::tin", "" {
    Diffuse: 1,0,0
    Alpha: 0.5
  }
  Link: "Model::Lid" {
    Mode: "Total1"
    Indexes: 2,3
    Weights: 1,0.5
    Transform: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
    TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,2,0,0,1
  }
  Link: "Model::Box" {
    Mode: "Total1"
    Indexes: 0,1,3
    Weights: 1,1,0.5
    Transform: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
    TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,2,0,0,1
  }
  Shape: "dent" {
    Indexes: 0
    Vertices: 0,0,-1
  }
  Children: "Model::Lid"
}
Model: "Model::Lid" {
  Type: "Limb"
}
Takes: {
  Take: "turn" {
    ReferenceTime: 0,46186158000
    Model: "Model::Lid" {
      Channel: "Transform" {
        Channel: "R" {
          Channel: "X" {
            KeyVer: 4005
            Key: 0,0,L,46186158000,90,L
          }
        }
      }
    }
    Model: "Model::Box" {
      Channel: "dent (Shape)" {
        KeyVer: 4003
        Key: 0,0,L,46186158000,100,L
      }
    }
  }
}
"""

SCENES = {"skin": skin, "shapes": shapes, "looks": looks, "frames": frames, "curves": curves}
