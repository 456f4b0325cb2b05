#!/usr/bin/env python3
"""test_gltf_strangers.py: rare but valid glTF files convert to GLB and to every engine's format.

Each result is verified, or what the format cannot hold is named; `tenon check` finds no error in
it, and GLB, as text and back, has the same bytes.
"""
# SPDX-License-Identifier: MIT

import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import test_gltf_everywhere as everywhere  # noqa: E402
import test_gltf_keep as keep  # noqa: E402

CORNERS = [0, 0, 0, 1, 0, 0, 0, 1, 0]
U16 = 5123


def model(b, primitives, **members):
    return b, {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
               "nodes": [{"mesh": 0}], "meshes": [{"primitives": primitives}],
               "accessors": b.accessors, "bufferViews": b.views, **members}


def plain(**members):
    b = keep.Buffer()
    return model(b, [{"attributes": {"POSITION": b.add(CORNERS, "VEC3")}}], **members)


def moved_textures():
    """Four sets of coordinates; the transform of a texture chooses another one."""
    b = keep.Buffer()
    attributes = {f"TEXCOORD_{i}": b.add([0, 0, 1 + i, 0, 0, 1], "VEC2") for i in range(4)}
    attributes.update(POSITION=b.add(CORNERS, "VEC3"), NORMAL=b.add([0, 0, 1] * 3, "VEC3"))
    moved = {"offset": [0.5, 0.25], "rotation": 0.5, "scale": [2, 3], "texCoord": 2}
    material = {"pbrMetallicRoughness": {"baseColorTexture": {
        "index": 0, "extensions": {"KHR_texture_transform": moved}}},
        "occlusionTexture": {"index": 0, "texCoord": 1},
        "emissiveTexture": {"index": 0, "texCoord": 3}}
    return model(b, [{"attributes": attributes, "material": 0}], textures=[{"source": 0}],
                 materials=[material], extensionsUsed=["KHR_texture_transform"],
                 images=[{"bufferView": b.view(keep.PNG), "mimeType": "image/png"}])


def all_sparse():
    b = keep.Buffer()

    def add(values, kind, code, changed, numbers, has_base=True, **more):
        index = b.add(values, kind, code)
        accessor = b.accessors[index]
        del accessor["min"], accessor["max"]
        accessor.update(sparse={
            "count": len(changed),
            "indices": {"bufferView": b.view(struct.pack(f"<{len(changed)}H", *changed)),
                        "componentType": U16},
            "values": {"bufferView": b.view(struct.pack(f"<{len(numbers)}{code}", *numbers))}},
            **more)
        if not has_base:
            del accessor["bufferView"]
        return index
    attributes = {
        "POSITION": add(CORNERS, "VEC3", "f", [1], [2, 0, 0], min=[0, 0, 0], max=[2, 1, 0]),
        "NORMAL": add([0, 0, 1] * 3, "VEC3", "f", [0], [0, 0, 1]),
        "TEXCOORD_0": add([0] * 6, "VEC2", "f", [1, 2], [1, 0, 0, 1], has_base=False),
        "COLOR_0": add([255] * 12, "VEC4", "B", [1], [0, 128, 255, 255], normalized=True),
        "JOINTS_0": add([0] * 12, "VEC4", "B", [2], [1, 0, 0, 0]),
        "WEIGHTS_0": add([1, 0, 0, 0] * 3, "VEC4", "f", [2], [0.5, 0.5, 0, 0])}
    offsets = add([0] * 9, "VEC3", "f", [2], [0, 0, 1], has_base=False, min=[0, 0, 0],
                  max=[0, 0, 1])
    times = add([0, 1, 2], "SCALAR", "f", [2], [3], min=[0], max=[3])
    return model(
        b, [{"attributes": attributes, "indices": add([0, 1, 2], "SCALAR", "H", [0, 1], [1, 0]),
             "targets": [{"POSITION": offsets}]}],
        scenes=[{"nodes": [0, 1]}], skins=[{"joints": [1, 2]}],
        nodes=[{"mesh": 0, "skin": 0}, {"children": [2]}, {"translation": [0, 1, 0]}],
        animations=[{"channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}},
                                  {"sampler": 1, "target": {"node": 0, "path": "weights"}}],
                     "samplers": [
                         {"input": times, "output": add([0] * 9, "VEC3", "f", [1], [0, 1, 0])},
                         {"input": times, "output": add([0] * 3, "SCALAR", "f", [1], [1])}]}])


def curves_of_weights():
    b = keep.Buffer()
    targets = [{"POSITION": b.add([0, 0, 0.1 * i] * 3, "VEC3")} for i in range(1, 6)]
    times = b.add([0, 1, 2], "SCALAR")
    cubic, others = (b.add([(7 * i % 10) / 10 for i in range(n)], "SCALAR") for n in (45, 15))
    return model(b, [{"attributes": {"POSITION": b.add(CORNERS, "VEC3")}, "targets": targets}],
                 nodes=[{"mesh": 0, "weights": [0.1, 0.2, 0.3, 0.4, 0.5]}],
                 animations=[{"name": curve, "samplers": [{
                     "input": times, "interpolation": curve,
                     "output": cubic if curve == "CUBICSPLINE" else others}],
                     "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}
                     for curve in ("CUBICSPLINE", "LINEAR", "STEP")])


def skin(joints, weights, sets=1, **more):
    """Without inverse bind matrices, below nodes that mirror, with the same names twice."""
    b = keep.Buffer()
    attributes = {"POSITION": b.add(CORNERS, "VEC3")}
    for i in range(sets):
        attributes[f"JOINTS_{i}"] = b.add([0, 1, 2, 0] * 3, "VEC4", joints)
        attributes[f"WEIGHTS_{i}"] = b.add(weights, "VEC4", **more)
    turns = b.add([0, 0, 0, 1, 0, 0, 0.7071068, 0.7071068], "VEC4")
    return model(b, [{"attributes": attributes}], scenes=[{"nodes": [0, 1]}],
                 skins=[{"joints": [1, 2, 3]}],
                 nodes=[{"mesh": 0, "skin": 0}, {"children": [2], "scale": [-1, 1, 1]},
                        {"name": "x", "translation": [0, 1, 0], "children": [3]}, {"name": "x"}],
                 animations=[{"samplers": [{"input": b.add([0, 1], "SCALAR"), "output": turns}],
                              "channels": [{"sampler": 0,
                                            "target": {"node": 2, "path": "rotation"}}]}])


def instances(*keys):
    b = keep.Buffer()
    positions = b.add(CORNERS, "VEC3")
    values = {"TRANSLATION": ([0, 0, 0, 2, 0, 0], "VEC3"), "SCALE": ([1, 1, 1, -2, 2, 2], "VEC3"),
              "ROTATION": ([0, 0, 0, 1, 0, 0, 1, 0], "VEC4"), "_ID": ([4, 5], "SCALAR", "H")}
    attributes = {key: b.add(*values[key]) for key in keys}
    name = "EXT_mesh_gpu_instancing"
    return model(b, [{"attributes": {"POSITION": positions}}], extensionsUsed=[name],
                 nodes=[{"mesh": 0, "translation": [1, 1, 1],
                         "extensions": {name: {"attributes": attributes}}}])


def modes():
    b = keep.Buffer()
    positions = b.add(CORNERS, "VEC3")
    return model(b, [{"attributes": {"POSITION": positions}, "mode": i} for i in range(7)])


def duplicates():
    b, gltf = plain(materials=[{"name": "a"}, {"name": "a"}], scenes=[{"nodes": [0, 1]}],
                    nodes=[{"name": "a", "mesh": 0}, {"name": "a", "mesh": 0, "scale": [1, -1, 1]}])
    gltf["meshes"][0]["primitives"] = [
        {**gltf["meshes"][0]["primitives"][0], "material": i} for i in range(2)]
    return b, gltf


MODELS = {
    "moved textures": moved_textures, "sparse": all_sparse, "curves": curves_of_weights,
    "16-bit joints": lambda: skin("H", [0.5, 0.5, 0, 0] * 3),
    "weights of bytes": lambda: skin("B", [128, 127, 0, 0] * 3, code="B", normalized=True),
    "other sums": lambda: skin("B", [3, 1, 0, 0, 0.2, 0.1, 0, 0, 1, 0, 0, 0]),
    "eight influences": lambda: skin("H", [0.125, 0.25, 0.125, 0] * 3, sets=2),
    "instances": lambda: instances("TRANSLATION", "ROTATION", "SCALE", "_ID"),
    "turned instances": lambda: instances("ROTATION"),
    "scaled instances": lambda: instances("SCALE"),
    "instances in one place": lambda: instances("_ID"),
    "modes": modes, "duplicates": duplicates,
    "no default scene": lambda: plain(scene=1, scenes=[{"nodes": [0]}, {"nodes": [0]}]),
    "empty scene": lambda: plain(scenes=[{}]),
}


class Strangers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def faults(self, path):
        """What is wrong with the conversions of a model."""
        for target in everywhere.TARGETS:
            out = self.folder / target / f"m.{target}"
            report = keep.run("convert", "--verify", "--accept-losses", "--textures", "refer", path,
                              out)
            fault = everywhere.fault_of(report)
            if fault:
                yield f"{target}: {fault}"
            found = subprocess.run([keep.TENON, "check", out], capture_output=True, text=True,
                                   check=False)
            if "error[" in found.stdout + found.stderr:
                yield f"{target}: {found.stdout}{found.stderr}"
        one = self.folder / "one.glb"
        keep.run("convert", "--embed", path, one)
        if one.read_bytes() != keep.convert_again(one):
            yield "a second conversion to GLB is another one"

    def test_models(self):
        folder = self.folder
        for name, make in MODELS.items():
            with self.subTest(name):
                self.folder = folder / name
                self.folder.mkdir()
                keep.write(self.folder / "m.gltf", *make())
                self.assertEqual([], list(self.faults(self.folder / "m.gltf")))

    def test_names_with_escapes(self):
        b, gltf = moved_textures()
        (self.folder / "my dä+ta.bin").write_bytes(b.bytes)
        (self.folder / "pic #1.png").write_bytes(keep.PNG)
        gltf.update(buffers=[{"byteLength": len(b.bytes), "uri": "my%20d%C3%A4%2Bta.bin"}],
                    images=[{"uri": "pic%20%231.png"}])
        (self.folder / "m.gltf").write_text(json.dumps(gltf))
        self.assertEqual([], list(self.faults(self.folder / "m.gltf")))

    def test_glb_with_more_chunks(self):
        b, gltf = plain(buffers=[{"byteLength": 36}])
        text = json.dumps(gltf).encode()
        chunks = [(0x4e4f534a, text + b" " * (-len(text) % 4)), (0x004e4942, b.bytes),
                  (0x12345678, b"more"), (0x12345679, b"")]
        body = b"".join(struct.pack("<II", len(data), kind) + data for kind, data in chunks)
        path = self.folder / "m.glb"
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
        self.assertEqual([], list(self.faults(path)))

    def test_what_is_missing_is_named(self):
        _, gltf = plain(buffers=[{"byteLength": 36, "uri": "gone.bin"}])
        (self.folder / "m.gltf").write_text(json.dumps(gltf))
        report = keep.run("convert", self.folder / "m.gltf", self.folder / "m.gpb", status=3)
        self.assertIn("gone.bin", report)
        self.assertFalse((self.folder / "m.gpb").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
