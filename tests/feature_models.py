"""feature_models.py: small glTF models, each with one feature of the format, for test_features.py.

A feature is a function that adds something to a plain model, a function that finds it again in the
JSON of a file, and the words that a reported loss must contain if it is not found.
"""
# SPDX-License-Identifier: MIT

import base64
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from make_fixtures_gltf import IDENTITY, PIXEL  # noqa: E402
from pack_gltf import F32, Maker, U8, U16  # noqa: E402

CORNERS = [0, 0, 0, 2, 0, 0, 2, 1, 0.25, 0, 1, 0.5]
FACES = [0, 1, 2, 0, 2, 3]
MODES = ("points", "lines", "line_loop", "line_strip", "triangle_list", "triangle_strip",
         "triangle_fan")
REPEAT, CLAMP, MIRROR, NEAREST, LINEAR, MIPMAPS = 10497, 33071, 33648, 9728, 9729, 9985


class Feature:
    def __init__(self, name, base, add, find, words):
        self.name, self.base, self.add, self.find = name, base, add, find
        self.words = words.split("|")

    def model(self):
        maker = BASES[self.base]()
        self.add(maker)
        return maker


# -- Plain models

def _attributes(maker):
    return {"POSITION": maker.positions(CORNERS),
            "NORMAL": maker.numbers(F32, "VEC3", [0, -0.28, 0.96] * 4),
            "TEXCOORD_0": maker.numbers(F32, "VEC2", [0, 1, 1, 1, 1, 0, 0, 0])}


def _rigid():
    """One node with one mesh of two triangles, and a material with a texture."""
    maker = Maker()
    maker.json.update(
        scene=0, scenes=[{"nodes": [0]}],
        nodes=[{"name": "thing", "mesh": 0}],
        meshes=[{"name": "thing", "primitives": [{
            "attributes": _attributes(maker), "material": 0,
            "indices": maker.numbers(U16, "SCALAR", FACES)}]}],
        materials=[{"name": "paint", "pbrMetallicRoughness": {
            "baseColorTexture": {"index": 0}, "metallicFactor": 0}}],
        textures=[{"source": 0}], images=[{"uri": "picture.png"}])
    return maker


def _moving():
    """The same on a node that a clip turns."""
    maker = _rigid()
    half = math.sqrt(0.5)
    add_clip(maker, "spin", 0, "rotation", [0, 1], [0, 0, 0, 1, 0, 0, half, half])
    return maker


def _skinned():
    """The same with two joints, one of which a clip turns."""
    maker = _rigid()
    maker.json["nodes"] += [{"name": "root", "children": [2]},
                            {"name": "tip", "translation": [1, 0, 0]}]
    maker.json["scenes"][0]["nodes"].append(1)
    maker.json["nodes"][0]["skin"] = 0
    binds = maker.numbers(F32, "MAT4", IDENTITY + IDENTITY[:12] + [-1, 0, 0, 1])
    maker.json["skins"] = [{"joints": [1, 2], "inverseBindMatrices": binds}]
    _primitive(maker)["attributes"].update(
        JOINTS_0=maker.numbers(U8, "VEC4", [0, 1, 0, 0] * 4),
        WEIGHTS_0=maker.numbers(F32, "VEC4", [1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0]))
    half = math.sqrt(0.5)
    add_clip(maker, "bend", 2, "rotation", [0, 1], [0, 0, 0, 1, 0, 0, half, half])
    return maker


BASES = {"rigid": _rigid, "moving": _moving, "skinned": _skinned}


# -- Changing them

def _primitive(maker):
    return maker.json["meshes"][0]["primitives"][0]


def add_clip(maker, name, node, path, times, values, curve="LINEAR"):
    kind = "VEC4" if path == "rotation" else "VEC3"
    maker.json.setdefault("animations", []).append({
        "name": name, "channels": [{"sampler": 0, "target": {"node": node, "path": path}}],
        "samplers": [{"input": maker.times(times), "output": maker.numbers(F32, kind, values),
                      "interpolation": curve}]})


def _add(path, value):
    """Put a value at a path of the JSON: "materials/0/name"; '+' is the end of a list."""
    def add(maker):
        place = maker.json
        *folders, last = path.split("/")
        for step in folders:
            place = place[int(step)] if step.isdigit() else place.setdefault(step, {})
        if last == "+" or (last.isdigit() and int(last) == len(place)):
            place.append(value)
        else:
            place[int(last) if last.isdigit() else last] = value
    return add


def _all(*steps):
    def add(maker):
        for step in steps:
            step(maker)
    return add


def _uses(*names):
    return _add("extensionsUsed", list(names))


def _attribute(name, kind, values, component=F32, **members):
    def add(maker):
        _primitive(maker)["attributes"][name] = maker.numbers(component, kind, values, **members)
    return add


def _without(name):
    def add(maker):
        del _primitive(maker)["attributes"][name]
    return add


def _mode(mode):
    def add(maker):
        primitive = _primitive(maker)
        primitive["mode"] = mode
        primitive["indices"] = maker.numbers(U16, "SCALAR", [0, 1, 3, 2])
    return add


def _texture(slot, **members):
    """A further texture of the material, with its own picture."""
    def add(maker):
        material = maker.json["materials"][0]
        parent = material if slot[0] in "neo" else material["pbrMetallicRoughness"]
        parent[slot] = {"index": len(maker.json["textures"]), **members}
        maker.json["textures"].append({"source": len(maker.json["images"])})
        maker.json["images"].append({"uri": "second.png"})
    return add


def _sampler(**members):
    return _all(_add("samplers", [members]), _add("textures/0/sampler", 0))


def _transform(**members):
    info = "materials/0/pbrMetallicRoughness/baseColorTexture/extensions"
    return _all(_uses("KHR_texture_transform"), _add(info, {"KHR_texture_transform": members}))


def _camera(**members):
    return _all(_add("cameras", [{"name": "eye", **members}]),
                _add("nodes/+", {"name": "eye", "camera": 0, "translation": [0, 0, 5]}), _show_last)


def _light(**members):
    used = {"KHR_lights_punctual": {"light": 0}}
    lights = {"lights": [{"name": "sun", **members}]}
    return _all(_uses("KHR_lights_punctual"), _add("extensions", {"KHR_lights_punctual": lights}),
                _add("nodes/+", {"name": "sun", "extensions": used}), _show_last)


def _show_last(maker):
    maker.json["scenes"][0]["nodes"].append(len(maker.json["nodes"]) - 1)


def _below(**members):
    """A node with that transform above the mesh."""
    def add(maker):
        nodes = maker.json["nodes"]
        nodes.append({"name": "above", "children": [0], **members})
        maker.json["scenes"][0]["nodes"][0] = len(nodes) - 1
    return add


def _second_skin(maker):
    json = maker.json
    json["skins"].append({"name": "other", "joints": [2, 1]})
    json["nodes"].append({"name": "twin", "mesh": 0, "skin": 1})
    _show_last(maker)


def _morphs(maker):
    _primitive(maker)["targets"] = [{"POSITION": maker.positions([0, 0, 1] * 4)}]


def _morph_clip(maker):
    _morphs(maker)
    times, values = maker.times([0, 1]), maker.numbers(F32, "SCALAR", [0, 1])
    maker.json["animations"] = [{
        "name": "smile", "samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}]


def _six_joints(maker):
    """A vertex with six influences that are not zero."""
    nodes, skin = maker.json["nodes"], maker.json["skins"][0]
    for k in range(4):
        nodes.append({"name": "more%d" % k, "translation": [0, k + 1, 0]})
        skin["joints"].append(len(nodes) - 1)
        _show_last(maker)
    skin["inverseBindMatrices"] = maker.numbers(F32, "MAT4", IDENTITY * 6)
    _attribute("JOINTS_0", "VEC4", [0, 1, 2, 3] * 4, U8)(maker)
    _attribute("JOINTS_1", "VEC4", [4, 5, 0, 0] * 4, U8)(maker)
    _attribute("WEIGHTS_0", "VEC4", [0.2, 0.2, 0.2, 0.2] * 4)(maker)
    _attribute("WEIGHTS_1", "VEC4", [0.1, 0.1, 0, 0] * 4)(maker)
    half = math.sqrt(0.5)
    add_clip(maker, "turn", 6, "rotation", [0, 1], [0, 0, 0, 1, half, 0, 0, half])


def _embedded(maker):
    maker.json["images"][0] = {"bufferView": maker.view(PIXEL), "mimeType": "image/png"}


def _data_uri(maker):
    uri = "data:image/png;base64," + base64.b64encode(PIXEL).decode()
    maker.json["images"][0] = {"uri": uri}


def _no_material(maker):
    del _primitive(maker)["material"]
    for key in ("materials", "textures", "images"):
        del maker.json[key]


def _keys(path, curve="LINEAR", times=(0, 1, 2)):
    """Another clip, of the node with the mesh or of a joint."""
    values = {"translation": [0, 0, 0, 1, 2, 0, 0, 1, 1], "scale": [1, 1, 1, 2, 2, 2, 1, 1, 1],
              "rotation": [0, 0, 0, 1, 0, 0.6, 0, 0.8, 0.6, 0, 0, 0.8]}[path]
    width = len(values) // 3
    if curve == "CUBICSPLINE":
        flat = [0] * width
        values = [n for k in range(3) for n in flat + values[k * width:(k + 1) * width] + flat]

    def add(maker):
        node = 2 if "skins" in maker.json else 0
        add_clip(maker, "more", node, path, list(times), values, curve)
    return add


# -- Finding them again. All of these ignore order, since formats do not keep it.

def _rounded(value):
    if isinstance(value, float):
        return round(value, 3) + 0.0
    if isinstance(value, list):
        return tuple(map(_rounded, value))
    return value


def _found(g, path):
    """All values at a path, where '*' is any item: "materials/*/name"."""
    found = [g]
    for step in path.split("/"):
        if step == "*":
            found = [item for value in found for item in value]
        else:
            found = [value[step] for value in found if step in value]
    return found


def _values(path):
    """The set of all values at a path."""
    return lambda g: {str(_rounded(value)) for value in _found(g, path)}


def _has(path, value):
    find = _values(path)
    return lambda g: str(_rounded(value)) in find(g)


def _count(path):
    """How many values are at a path."""
    return lambda g: len(_found(g, path))


def _has_attribute(name):
    find = _count("meshes/*/primitives/*/attributes/" + name)
    return lambda g: find(g) > 0


def _drawn(g):
    """How many points, lines and triangles are drawn: strips, fans and lists are the same."""
    counts = [0, 0, 0]
    for mesh in g.get("meshes", []):
        for part in mesh["primitives"]:
            mode = part.get("mode", 4)
            corners = g["accessors"][part.get("indices", part["attributes"]["POSITION"])]["count"]
            counts[(0, 1, 1, 1, 2, 2, 2)[mode]] += (
                corners, corners // 2, corners, corners - 1, corners // 3, corners - 2,
                corners - 2)[mode]
    return counts


def _matrix(node):
    """The transform of a node, column by column."""
    if "matrix" in node:
        return node["matrix"]
    (x, y, z, w), s = node.get("rotation", (0, 0, 0, 1)), node.get("scale", (1, 1, 1))
    axes = ((1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0),
            (2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0),
            (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0))
    return [n * s[k] for k in range(3) for n in axes[k]] + [*node.get("translation", (0, 0, 0)), 1]


def _transforms(g):
    """The transforms that are not the identity, of nodes in any order."""
    rounded = [[round(n, 3) + 0.0 for n in _matrix(node)] for node in g.get("nodes", [])]
    return sorted(m for m in rounded if m != IDENTITY)


def _slot(path):
    """Whether the material has that texture, and it has a picture."""
    return lambda g: _count("materials/*/" + path + "/index")(g) > 0


BASE_SLOT = "pbrMetallicRoughness/baseColorTexture"
MOVED = BASE_SLOT + "/extensions/KHR_texture_transform/"
LIGHTS = "extensions/KHR_lights_punctual/lights/*/"

FEATURES = [
    # The file.
    Feature("copyright", "rigid", _add("asset/copyright", "2026 me"),
            _values("asset/copyright"), "copyright"),
    Feature("extras_of_file", "rigid", _add("extras", {"mood": "calm"}), _values("extras/mood"),
            "extras"),
    Feature("extras_of_asset", "rigid", _add("asset/extras", {"mood": "calm"}),
            _values("asset/extras/mood"), "extras"),
    Feature("second_scene", "rigid", _add("scenes/1", {"name": "other", "nodes": [0]}),
            _count("scenes/*"), "scenes"),
    Feature("name_of_scene", "rigid", _add("scenes/0/name", "yard"), _values("scenes/*/name"),
            "name|name of the scene"),
    Feature("extras_of_scene", "rigid", _add("scenes/0/extras", {"mood": "calm"}),
            _values("scenes/*/extras/mood"), "extras"),
    Feature("unused_node", "rigid", _add("nodes/1", {"name": "hidden"}),
            _has("nodes/*/name", "hidden"), "nodes"),
    Feature("unused_mesh", "rigid", lambda m: m.json["meshes"].append(
        {"name": "spare", "primitives": [_primitive(m)]}),
        _has("meshes/*/name", "spare"), "meshes"),
    Feature("unused_skin", "skinned", _add("skins/1", {"name": "spare", "joints": [2]}),
            _has("skins/*/name", "spare"), "skins"),
    Feature("unused_material", "rigid", _add("materials/1", {"name": "spare"}),
            _has("materials/*/name", "spare"), "materials"),
    Feature("unused_texture", "rigid", _all(_add("textures/1", {"source": 1}),
                                            _add("images/1", {"uri": "second.png"})),
            _count("images/*"), "textures|pictures"),
    Feature("unused_image", "rigid", _add("images/1", {"uri": "second.png"}),
            _count("images/*"), "pictures"),
    Feature("unused_camera", "rigid", _add("cameras", [
        {"type": "perspective", "perspective": {"yfov": 1, "znear": 0.5}}]),
        _count("cameras/*"), "cameras"),
    Feature("unused_light", "rigid", _all(_uses("KHR_lights_punctual"), _add(
        "extensions", {"KHR_lights_punctual": {"lights": [{"type": "point"}]}})),
        _count(LIGHTS + "type"), "lights"),
    Feature("unknown_extension", "rigid", _all(_uses("KHR_materials_dispersion"), _add(
        "materials/0/extensions", {"KHR_materials_dispersion": {"dispersion": 0.1}})),
        _values("materials/*/extensions/KHR_materials_dispersion/dispersion"),
        "KHR_materials_dispersion"),
    Feature("refraction", "rigid", _all(_uses("KHR_materials_ior"), _add(
        "materials/0/extensions", {"KHR_materials_ior": {"ior": 1.4}})),
        _values("materials/*/extensions/KHR_materials_ior/ior"),
        "reflectance|reflectance and transmission"),
    Feature("transmission", "rigid", _all(_uses("KHR_materials_transmission"), _add(
        "materials/0/extensions", {"KHR_materials_transmission": {"transmissionFactor": 0.5}})),
        _values("materials/*/extensions/KHR_materials_transmission/transmissionFactor"),
        "transmission"),

    # Names.
    Feature("name_of_node", "rigid", _add("nodes/0/name", "other"),
            _has("nodes/*/name", "other"), "names of nodes|nodes"),
    Feature("name_of_mesh", "rigid", _add("meshes/0/name", "other"),
            _has("meshes/*/name", "other"), "names of meshes"),
    Feature("name_of_material", "rigid", _add("materials/0/name", "other"),
            _has("materials/*/name", "other"), "names of materials"),
    Feature("odd_name_of_material", "rigid", _add("materials/0/name", "two words/\u00e9"),
            _has("materials/*/name", "two words/\u00e9"), "names of materials|names"),
    Feature("equal_names_of_materials", "rigid", _all(
        _add("materials/1", {"name": "paint", "doubleSided": True}), lambda m: m.json["meshes"][0]
        ["primitives"].append({**_primitive(m), "material": 1})),
        lambda g: sum(m.get("name") == "paint" for m in g.get("materials", [])),
        "names of materials|names|materials"),
    Feature("equal_names_of_nodes", "rigid", _all(
        _add("nodes/1", {"name": "thing", "mesh": 0, "translation": [3, 0, 0]}), _show_last),
        lambda g: sum(n.get("name") == "thing" for n in g.get("nodes", [])),
        "names|nodes|names of nodes"),
    Feature("name_of_skin", "skinned", _add("skins/0/name", "suit"),
            _has("skins/*/name", "suit"), "names of skins|skins|skin weights"),
    Feature("name_of_clip", "skinned", _add("animations/0/name", "two words"),
            _has("animations/*/name", "two words"),
            "names of animations|names of clips|animations"),
    Feature("no_name_of_clip", "skinned", lambda m: m.json["animations"][0].pop("name"),
            lambda g: [a.get("name") for a in g.get("animations", [])] == [None],
            "names of animations|names of clips|animations|names|clips"),
    Feature("clips_that_differ_in_case", "skinned", lambda m: m.json["animations"].append(
        {**m.json["animations"][0], "name": "Bend"}), _values("animations/*/name"),
        "names of animations|names of clips|animations|names"),
    Feature("name_of_camera", "rigid", _all(
        _camera(type="perspective", perspective={"yfov": 1, "znear": 0.5, "aspectRatio": 1.5,
                                                 "zfar": 10}),
        _add("cameras/0/name", "lens")), _has("cameras/*/name", "lens"), "names|cameras"),
    Feature("name_of_light", "rigid", _all(
        _light(type="point", range=3),
        _add("extensions/KHR_lights_punctual/lights/0/name", "lamp")),
        _has(LIGHTS + "name", "lamp"), "names|lights"),
    Feature("name_of_image", "rigid", _add("images/0/name", "red"),
            _has("images/*/name", "red"), "names of pictures"),
    Feature("name_of_texture", "rigid", _add("textures/0/name", "red"),
            _has("textures/*/name", "red"), "names of textures"),
    Feature("name_of_sampler", "rigid", _sampler(name="usual", wrapS=REPEAT),
            _has("samplers/*/name", "usual"), "names of textures"),

    # Extras.
    *[Feature("extras_of_" + key, base, _add(path + "/extras", {"note": "here"}),
              _values(pattern + "/extras/note"), "extras")
      for key, base, path, pattern in (
          ("node", "rigid", "nodes/0", "nodes/*"),
          ("mesh", "rigid", "meshes/0", "meshes/*"),
          ("primitive", "rigid", "meshes/0/primitives/0", "meshes/*/primitives/*"),
          ("material", "rigid", "materials/0", "materials/*"),
          ("pbr", "rigid", "materials/0/pbrMetallicRoughness", "materials/*/pbrMetallicRoughness"),
          ("texture_info", "rigid", "materials/0/" + BASE_SLOT, "materials/*/" + BASE_SLOT),
          ("texture", "rigid", "textures/0", "textures/*"),
          ("image", "rigid", "images/0", "images/*"),
          ("skin", "skinned", "skins/0", "skins/*"),
          ("clip", "skinned", "animations/0", "animations/*"),
          ("channel", "skinned", "animations/0/channels/0", "animations/*/channels/*"),
          ("keys", "skinned", "animations/0/samplers/0", "animations/*/samplers/*"),
          ("accessor", "rigid", "accessors/0", "accessors/*"))],
    Feature("extras_of_camera", "rigid", _camera(
        type="orthographic", extras={"note": "here"},
        orthographic={"xmag": 2, "ymag": 1, "znear": 0, "zfar": 9}),
        _values("cameras/*/extras/note"), "extras|cameras"),
    Feature("extras_of_light", "rigid", _light(type="point", extras={"note": "here"}),
            _values(LIGHTS + "extras/note"), "extras|lights"),
    Feature("nested_extras", "rigid", _add("nodes/0/extras", {"list": [1, 2]}),
            _values("nodes/*/extras/list"), "extras"),
    Feature("extras_that_are_no_object", "rigid", _add("nodes/0/extras", "text"),
            _values("nodes/*/extras"), "extras"),

    # Nodes.
    Feature("node_above", "rigid", _below(translation=[0, 0, 3]),
            _has("nodes/*/name", "above"), "nodes"),
    Feature("empty_node", "rigid", _all(_add("nodes/1", {"name": "socket"}), _show_last),
            _has("nodes/*/name", "socket"), "nodes"),
    *[Feature(name, "rigid", _add("nodes/0/" + key, value), _transforms,
              "nodes|scales of nodes|transforms of nodes|sheared transforms")
      for name, key, value in (
          ("translation", "translation", [1, 2, 3]),
          ("rotation", "rotation", [0, 0.6, 0, 0.8]),
          ("scale", "scale", [2, 2, 2]), ("uneven_scale", "scale", [1, 2, 3]),
          ("mirror", "scale", [-1, 1, 1]),
          ("matrix", "matrix", [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]),
          ("shear", "matrix", [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]))],
    Feature("shared_mesh", "rigid", _all(
        _add("nodes/1", {"name": "copy", "mesh": 0, "translation": [3, 0, 0]}), _show_last),
        lambda g: (_count("meshes/*")(g), _count("nodes/*/mesh")(g)), "shared meshes|meshes"),
    Feature("scale_of_joint", "skinned", _add("nodes/1/scale", [2, 2, 2]),
            _has("nodes/*/scale", [2, 2, 2]), "nodes|scales of nodes|scales of joints|scale"),

    # Meshes.
    Feature("no_normals", "rigid", _without("NORMAL"), _has_attribute("NORMAL"), "normals"),
    Feature("tangents", "rigid", _attribute("TANGENT", "VEC4", [1, 0, 0, 1] * 4),
            _has_attribute("TANGENT"), "tangents"),
    Feature("second_texture_coordinates", "rigid",
            _attribute("TEXCOORD_1", "VEC2", [0, 0, 2, 0, 2, 2, 0, 2]),
            _has_attribute("TEXCOORD_1"), "further texture coordinates"),
    Feature("third_texture_coordinates", "rigid", _all(
        _attribute("TEXCOORD_1", "VEC2", [0, 0, 2, 0, 2, 2, 0, 2]),
        _attribute("TEXCOORD_2", "VEC2", [0, 0, 3, 0, 3, 3, 0, 3])),
        _has_attribute("TEXCOORD_2"), "further texture coordinates"),
    Feature("ninth_texture_coordinates", "rigid", _all(*[
        _attribute("TEXCOORD_%d" % k, "VEC2", [0, 0, k, 0, k, k, 0, k]) for k in range(1, 9)]),
        _has_attribute("TEXCOORD_8"), "further texture coordinates|vertex attributes"),
    Feature("colors", "rigid", _attribute("COLOR_0", "VEC3", [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]),
            _has_attribute("COLOR_0"), "vertex colors"),
    Feature("colors_with_alpha", "rigid", _attribute("COLOR_0", "VEC4", [1, 1, 1, 0.25] * 4),
            _has_attribute("COLOR_0"), "vertex colors"),
    Feature("second_colors", "rigid", _all(
        _attribute("COLOR_0", "VEC3", [1, 0, 0] * 4), _attribute("COLOR_1", "VEC3", [0, 1, 0] * 4)),
        _has_attribute("COLOR_1"), "further vertex colors|second vertex colors|vertex colors"),
    Feature("third_colors", "rigid", _all(*[
        _attribute("COLOR_%d" % k, "VEC3", [0, 1, 0] * 4) for k in range(3)]),
        _has_attribute("COLOR_2"), "vertex attributes"),
    Feature("own_attribute", "rigid", _attribute("_HEAT", "SCALAR", [1, 2, 3, 4]),
            _has_attribute("_HEAT"), "vertex attributes"),
    *[Feature(name, "rigid", _mode(mode), _drawn, "meshes|parts of meshes|primitives|nodes")
      for mode, name in enumerate(MODES) if mode != 4],
    Feature("no_indices", "rigid", lambda m: _primitive(m).pop("indices"), _drawn, "meshes"),
    Feature("no_texture_coordinates", "rigid", _all(_without("TEXCOORD_0"), _no_material),
            _has_attribute("TEXCOORD_0"), "texture coordinates|vertex elements"),
    Feature("two_parts", "rigid", lambda m: m.json["meshes"][0]["primitives"].append(
        {"attributes": {**_primitive(m)["attributes"], "POSITION": m.positions(
            [x + 3 for x in CORNERS])}, "indices": _primitive(m)["indices"]}),
        _count("meshes/*/primitives/*"), "meshes|parts of meshes|materials"),
    Feature("morph_targets", "rigid", _morphs, _count("meshes/*/primitives/*/targets/*"),
            "morph targets"),
    Feature("weights_of_morph_targets", "rigid", _all(_morphs, _add("meshes/0/weights", [1])),
            _count("meshes/*/weights"), "morph targets"),
    Feature("clip_of_morph_targets", "rigid", _morph_clip, _count("animations/*"),
            "animations of morph targets|animations"),

    # Skins.
    Feature("skin", "skinned", lambda m: None, _count("skins/*/joints/*"), "skins"),
    Feature("six_joints_of_a_vertex", "skinned", _six_joints, _has_attribute("JOINTS_1"),
            "influences|weights|skins|skin weights"),
    Feature("no_inverse_binds", "skinned", lambda m: m.json["skins"][0].pop("inverseBindMatrices"),
            _count("skins/*/joints/*"), "skins"),
    Feature("skeleton", "skinned", _add("skins/0/skeleton", 1), _count("skins/*/skeleton"),
            "roots of skins|skins"),
    Feature("weights_without_skin", "skinned", lambda m: m.json["nodes"][0].pop("skin"),
            _has_attribute("WEIGHTS_0"), "weights"),
    Feature("skin_without_weights", "skinned", _all(_without("JOINTS_0"), _without("WEIGHTS_0")),
            _count("skins/*"), "skins"),
    Feature("two_skins", "skinned", _second_skin, _count("skins/*"), "skins"),

    # Materials.
    Feature("no_material", "rigid", _no_material, _count("materials/*"), "materials"),
    Feature("base_color", "rigid", _add("materials/0/pbrMetallicRoughness/baseColorFactor",
                                        [1, 0.5, 0.25, 1]),
            _values("materials/*/pbrMetallicRoughness/baseColorFactor"), "base colors"),
    Feature("alpha_of_base_color", "rigid", _all(
        _add("materials/0/pbrMetallicRoughness/baseColorFactor", [1, 1, 1, 0.5]),
        _add("materials/0/alphaMode", "BLEND")),
        _values("materials/*/pbrMetallicRoughness/baseColorFactor"), "alpha of base colors"),
    Feature("metal", "rigid", _add("materials/0/pbrMetallicRoughness/metallicFactor", 0.75),
            _values("materials/*/pbrMetallicRoughness/metallicFactor"),
            "metal|metal and roughness|metallic and roughness|metalness and shine"),
    Feature("roughness", "rigid", _add("materials/0/pbrMetallicRoughness/roughnessFactor", 0.25),
            _values("materials/*/pbrMetallicRoughness/roughnessFactor"),
            "metal and roughness|metallic and roughness|metalness and shine"),
    Feature("metal_texture", "rigid", _texture("metallicRoughnessTexture"),
            _slot("pbrMetallicRoughness/metallicRoughnessTexture"),
            "textures|further textures|metallic, roughness and occlusion textures"),
    Feature("normal_texture", "rigid", _texture("normalTexture"), _slot("normalTexture"),
            "textures|further textures|normal textures"),
    Feature("strength_of_normals", "rigid", _texture("normalTexture", scale=0.5),
            _values("materials/*/normalTexture/scale"),
            "strengths of textures|strength of normals and occlusion|further textures"),
    Feature("occlusion_texture", "rigid", _texture("occlusionTexture"), _slot("occlusionTexture"),
            "textures|further textures|occlusion textures|"
            "metallic, roughness and occlusion textures"),
    Feature("strength_of_occlusion", "rigid", _texture("occlusionTexture", strength=0.5),
            _values("materials/*/occlusionTexture/strength"),
            "strengths of textures|strength of normals and occlusion|occlusion textures|textures|"
            "further textures"),
    Feature("emissive_texture", "rigid", _all(_texture("emissiveTexture"),
                                              _add("materials/0/emissiveFactor", [1, 1, 1])),
            _slot("emissiveTexture"), "textures|further textures|emissive textures|"
            "emissive textures and light maps"),
    Feature("emissive_color", "rigid", _add("materials/0/emissiveFactor", [1, 0.5, 0]),
            _values("materials/*/emissiveFactor"), "emissive colors"),
    Feature("emissive_strength", "rigid", _all(
        _uses("KHR_materials_emissive_strength"), _add("materials/0/emissiveFactor", [1, 0.5, 0]),
        _add("materials/0/extensions", {"KHR_materials_emissive_strength":
                                        {"emissiveStrength": 4}})),
        _values("materials/*/extensions/KHR_materials_emissive_strength/emissiveStrength"),
        "emissive colors"),
    Feature("mask", "rigid", _add("materials/0/alphaMode", "MASK"),
            _values("materials/*/alphaMode"), "alpha modes|alpha of textures"),
    Feature("cutoff", "rigid", _all(_add("materials/0/alphaMode", "MASK"),
                                    _add("materials/0/alphaCutoff", 0.25)),
            _values("materials/*/alphaCutoff"), "alpha modes|alpha cutoff|alpha cutoffs|"
            "alpha of textures"),
    Feature("blend", "rigid", _add("materials/0/alphaMode", "BLEND"),
            _values("materials/*/alphaMode"), "alpha modes|alpha of textures"),
    Feature("double_sided", "rigid", _add("materials/0/doubleSided", True),
            _values("materials/*/doubleSided"), "double-sided materials"),
    Feature("unlit", "rigid", _all(_uses("KHR_materials_unlit"), _add(
        "materials/0/extensions", {"KHR_materials_unlit": {}})),
        _count("materials/*/extensions/KHR_materials_unlit"), "unlit materials"),

    # Textures.
    Feature("texture", "rigid", lambda m: None, _slot(BASE_SLOT), "textures"),
    Feature("texture_of_second_coordinates", "rigid", _all(
        _attribute("TEXCOORD_1", "VEC2", [0, 0, 2, 0, 2, 2, 0, 2]),
        _add("materials/0/" + BASE_SLOT + "/texCoord", 1)),
        _has("materials/*/" + BASE_SLOT + "/texCoord", 1),
        "textures|places of textures|transforms of textures|sets of texture coordinates|"
        "further texture coordinates"),
    *[Feature(name, "rigid", _sampler(wrapS=wrap_s, wrapT=wrap_t),
              lambda g, s=wrap_s, t=wrap_t: any(
                  (i.get("wrapS", REPEAT), i.get("wrapT", REPEAT)) == (s, t)
                  for i in g.get("samplers", [])), "edges of textures|places of textures")
      for name, wrap_s, wrap_t in (("clamp", CLAMP, CLAMP), ("mirror_edges", MIRROR, MIRROR),
                                   ("clamp_one_way", CLAMP, REPEAT))],
    Feature("nearest", "rigid", _sampler(magFilter=NEAREST), _values("samplers/*/magFilter"),
            "filters of textures"),
    Feature("nearest_from_afar", "rigid", _sampler(minFilter=NEAREST),
            _values("samplers/*/minFilter"), "filters of textures"),
    Feature("no_mipmaps", "rigid", _sampler(minFilter=LINEAR), _values("samplers/*/minFilter"),
            "filters of textures"),
    Feature("offset_of_texture", "rigid", _transform(offset=[0.5, 0.25]),
            _values("materials/*/" + MOVED + "offset"),
            "places of textures|transforms of textures"),
    Feature("scale_of_texture", "rigid", _transform(scale=[2, 3]),
            _values("materials/*/" + MOVED + "scale"), "places of textures|transforms of textures"),
    Feature("rotation_of_texture", "rigid", _transform(rotation=0.5),
            _values("materials/*/" + MOVED + "rotation"),
            "places of textures|transforms of textures|rotations of textures"),
    Feature("picture_in_the_file", "rigid", _embedded, _slot(BASE_SLOT), "textures"),
    Feature("picture_as_data", "rigid", _data_uri, _slot(BASE_SLOT), "textures"),
    Feature("picture_of_two_kinds", "rigid", _all(
        _uses("MSFT_texture_dds"), _add("images/1", {"uri": "second.dds"}),
        _add("textures/0/extensions", {"MSFT_texture_dds": {"source": 1}})),
        _has("images/*/uri", "second.dds"), "pictures"),

    # Cameras and lights.
    Feature("camera", "rigid", _camera(type="perspective", perspective={
        "yfov": 0.75, "aspectRatio": 1.5, "znear": 0.125, "zfar": 64}),
        _values("cameras/*/perspective/yfov"), "cameras"),
    Feature("endless_camera", "rigid", _camera(type="perspective", perspective={
        "yfov": 0.75, "znear": 0.125}), lambda g: _count("cameras/*")(g) -
        _count("cameras/*/perspective/zfar")(g), "cameras"),
    Feature("orthographic_camera", "rigid", _camera(type="orthographic", orthographic={
        "xmag": 3, "ymag": 2, "znear": 0.5, "zfar": 10}),
        _values("cameras/*/orthographic/xmag"), "cameras"),
    Feature("directional_light", "rigid", _light(type="directional", intensity=3),
            _values(LIGHTS + "intensity"), "lights|intensities of lights"),
    Feature("point_light", "rigid", _light(type="point", color=[1, 0.5, 0.25]),
            _values(LIGHTS + "color"), "lights"),
    Feature("range_of_light", "rigid", _light(type="point", range=8), _values(LIGHTS + "range"),
            "lights"),
    Feature("spot_light", "rigid", _light(type="spot", range=8, spot={
        "innerConeAngle": 0.25, "outerConeAngle": 0.5}), _values(LIGHTS + "spot/outerConeAngle"),
        "lights"),

    # Clips.
    Feature("clip_of_node", "moving", lambda m: None, _count("animations/*"), "animations"),
    Feature("clip_of_joint", "skinned", lambda m: None, _count("animations/*"), "animations"),
    *[Feature(f"{path}_keys_of_{base}", base, _keys(path),
              _has("animations/*/channels/*/target/path", path),
              "animations|channels|keys|scale channels|curves|motion of meshes")
      for path in ("translation", "scale") for base in ("moving", "skinned")],
    *[Feature(f"{name}_curve", "skinned", _keys("rotation", curve),
              _has("animations/*/samplers/*/interpolation", curve),
              "animations|curves|keys|motion between frames")
      for name, curve in (("step", "STEP"), ("cubic", "CUBICSPLINE"))],
    Feature("late_clip", "skinned", _keys("rotation", times=(1, 1.5, 2)),
            lambda g: any(a.get("max") == [2] for a in g["accessors"]), "animations|keys|curves"),
    Feature("clips_with_equal_names", "skinned", lambda m: m.json["animations"].append(
        {**m.json["animations"][0]}), lambda g: [a.get("name") for a in g.get("animations", [])],
        "names of animations|names of clips|animations|names"),
    Feature("events", "skinned", _add("animations/0/extras", {
        "events": [{"time": 0.5, "name": "clap"}]}), _values("animations/*/extras/events"),
        "events|animations"),
    Feature("loop", "skinned", _add("animations/0/extras", {"loop": True}),
            _values("animations/*/extras/loop"), "extras"),
    Feature("clip_of_camera", "rigid", _all(_camera(type="perspective", perspective={
        "yfov": 0.75, "aspectRatio": 1.5, "znear": 0.125, "zfar": 64}), lambda m: add_clip(
            m, "pan", 1, "translation", [0, 1], [0, 0, 0, 1, 0, 0])),
        _count("animations/*"), "animations|channels"),
]
