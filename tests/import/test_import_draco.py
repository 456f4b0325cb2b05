#!/usr/bin/env python3
"""test_import_draco.py: geometry compressed by Draco is decoded by tenon-import.

The models are made here, with Draco's sequential encoding without compression, which every decoder
reads. TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import pipe_messages  # noqa: E402

TENON = os.path.abspath(os.environ.get("TENON", "build/release/tenon"))
TYPES = {"b": (5120, 1), "B": (5121, 2), "h": (5122, 3), "H": (5123, 4), "I": (5125, 6),
         "f": (5126, 9)}  # Of components, in glTF and in Draco.
POSITIONS = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5]
NORMALS = [0, 0, 1] * 4
COLORS = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 99, 199, 255]
FACES = [0, 1, 2, 2, 1, 3]


def draco(faces, attributes):
    """A compressed mesh. An attribute is its values, its width and the code of its type."""
    points = len(attributes[0][0]) // attributes[0][1]
    out = b"DRACO" + struct.pack("<BBBBH", 2, 2, 1, 0, 0)
    out += bytes([len(faces) // 3, points, 1]) + bytes(faces) + b"\1"
    out += bytes([len(attributes)])
    for i, (_, width, code) in enumerate(attributes):
        out += bytes([min(i, 4), TYPES[code][1], width, 0, 10 + i])
    out += bytes(len(attributes))
    for values, _, code in attributes:
        out += struct.pack(f"<{len(values)}{code}", *values)
    return out


def model(change=lambda gltf: None, data=None):
    """A GLB with a compressed mesh; `data` in place of what is compressed."""
    attributes = [(POSITIONS, 3, "f"), (NORMALS, 3, "f"), (COLORS, 4, "B")]
    data = data or draco(FACES, attributes)
    kinds = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
    accessors = [{"componentType": 5123, "count": len(FACES), "type": "SCALAR"}]
    for values, width, code in attributes:
        accessors.append({"componentType": TYPES[code][0], "count": len(values) // width,
                          "type": kinds[width]})
    accessors[1].update({"min": [0, 0, 0], "max": [1, 1, 0.5]})
    accessors[3]["normalized"] = True
    gltf = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "extensionsUsed": ["KHR_draco_mesh_compression"],
            "extensionsRequired": ["KHR_draco_mesh_compression"],
            "meshes": [{"primitives": [{
                "attributes": {"POSITION": 1, "NORMAL": 2, "COLOR_0": 3}, "indices": 0,
                "extensions": {"KHR_draco_mesh_compression": {
                    "bufferView": 0,
                    "attributes": {"POSITION": 10, "NORMAL": 11, "COLOR_0": 12}}}}]}],
            "accessors": accessors, "buffers": [{"byteLength": len(data)}],
            "bufferViews": [{"buffer": 0, "byteLength": len(data)}]}
    change(gltf)
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    return (struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4e4f534a) +
            text + struct.pack("<II", len(data), 0x4e4942) + data)


class Draco(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, data, importer=None, to="out.gltf"):
        (self.folder / "in.glb").write_bytes(data)
        env = {**os.environ, **({"TENON_IMPORT": importer} if importer else {})}
        run = subprocess.run([TENON, "convert", "in.glb", to, "--force"], cwd=self.folder, env=env,
                             capture_output=True, text=True, timeout=600)
        return run.returncode, run.stderr

    def accessors(self):
        gltf = json.loads((self.folder / "out.gltf").read_text())
        binary = (self.folder / "out.bin").read_bytes()
        codes = {kind: code for code, (kind, _) in TYPES.items()}
        widths = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}

        def values(index):
            a = gltf["accessors"][index]
            start = (gltf["bufferViews"][a["bufferView"]].get("byteOffset", 0) +
                     a.get("byteOffset", 0))
            count = a["count"] * widths[a["type"]]
            return list(struct.unpack_from(f"<{count}{codes[a['componentType']]}", binary, start))
        primitive = gltf["meshes"][0]["primitives"][0]
        return gltf, {"indices": values(primitive["indices"]),
                      **{key: values(i) for key, i in primitive["attributes"].items()}}

    def test_the_numbers_are_those_that_were_compressed(self):
        status, message = self.convert(model())
        if "libdraco" in message or "not installed" in message:
            self.skipTest(message)
        self.assertEqual((status, "wrote" in message), (0, True), message)
        gltf, found = self.accessors()
        self.assertEqual(found, {"indices": FACES, "POSITION": POSITIONS, "NORMAL": NORMALS,
                                 "COLOR_0": COLORS})
        self.assertNotIn("draco", json.dumps(gltf))
        self.assertEqual(self.convert(model(), to="out.bbmod")[0], 0)

    def test_damage_is_one_error(self):
        if self.convert(model())[0] == 3:
            self.skipTest("tenon-import does not decode Draco")
        good = draco(FACES, [(POSITIONS, 3, "f")])

        def lacks(gltf):
            primitive = gltf["meshes"][0]["primitives"][0]
            primitive["extensions"]["KHR_draco_mesh_compression"]["attributes"]["NORMAL"] = 99

        def longer(gltf):
            for accessor in gltf["accessors"][1:]:
                accessor["count"] = 5
        cases = [(model(data=b"nothing of the kind"), "the compressed mesh is damaged"),
                 (model(data=good[:40]), "the compressed mesh is damaged"),
                 (model(data=good), "lacks an attribute"),
                 (model(lacks), "lacks an attribute"),
                 (model(longer), "another number of vertices")]
        for data, words in cases:
            status, message = self.convert(data)
            self.assertEqual((status, words in message), (1, True), message)

    def test_without_the_importer_the_status_is_3(self):
        status, message = self.convert(model(), importer="/nonexistent/tenon-import")
        self.assertEqual(status, 3, message)
        self.assertIn("geometry compressed by Draco needs tenon-import, which is not installed",
                      message)
        self.assertIn("libdraco-dev", message)

    def test_an_importer_without_draco_is_named(self):
        path = pipe_messages.program(self.folder / "importer", "sys.stderr.write("
                                     "'tenon-import: it was built without libdraco\\n'); "
                                     "sys.exit(4)")
        status, message = self.convert(model(), importer=path)
        self.assertEqual((status, "built without libdraco" in message), (3, True), message)

    def test_a_result_of_another_size_is_refused(self):
        path = pipe_messages.program(self.folder / "importer", "put(result_messages(b'x' * 7))")
        status, message = self.convert(model(), importer=path)
        self.assertEqual((status, "another size" in message), (1, True), message)


if __name__ == "__main__":
    unittest.main(verbosity=2)
