#!/usr/bin/env python3
"""Every reading of BPLX's own document: read, compared field by field, rewritten, posed.

tools/pack_document_bplx.py packs the files from the document alone; here the tool reads them.
"""
# SPDX-License-Identifier: MIT

import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import pack_document_bplx as packer  # noqa: E402
from conversions import run  # noqa: E402
from document_files import Files, differences  # noqa: E402
from test_gltf_pose import Glb, compose, multiply, slerp  # noqa: E402

NEAR = 2e-5
TIMES = (0.0, 0.2, 0.5, 1.3, 2.0)


def dialect_of(case):
    if case.model["Materials"] is None:
        return "script"
    return "document-short" if case.leaves_paths_out else "document"


def snake(word):
    return word.lower().replace(" ", "_")


def renamed(part):
    return {snake(key): value for key, value in part.items()}


def twin_of(case):
    model, materials = case.model, case.model["Materials"]
    usual = 1 if materials is None else len(materials)
    out = {"tenon": 1, "format": "bplx", "dialect": dialect_of(case), "version": 1,
           "vertex_count": len(model["Positions"]), "face_count": len(model["Faces"]),
           "material_count": model.get("Material Count", usual),
           "padding": model.get("Padding", 0), "positions": model["Positions"],
           "normals": model["Normals"], "uvs": model["UVs"], "faces": model["Faces"],
           "bones": [renamed(bone) for bone in model["Bones"]],
           "clips": [{**renamed(clip), "keyframes": [renamed(key) for key in clip["Keyframes"]]}
                     for clip in model["Clips"]]}
    if materials is not None:
        out["materials"] = [renamed(material) for material in materials]
        for material in out["materials"]:
            if case.leaves_paths_out and material["is_textured"] == 0:
                del material["texture_path"]
    return out


# -- Where every bone has to be

def at_time(keys, seconds):
    before = [key for key in keys if key["Time"] <= seconds]
    after = [key for key in keys if key["Time"] > seconds]
    if not before or not after:
        key = before[-1] if before else after[0]
        return key["Position"], key["Rotation"], key["Scale"]
    a, b = before[-1], after[0]
    share = (seconds - a["Time"]) / (b["Time"] - a["Time"])

    def mix(word):
        return [x + share * (y - x) for x, y in zip(a[word], b[word])]
    return mix("Position"), slerp(a["Rotation"], b["Rotation"], share), mix("Scale")


def globals_of(model, clip, seconds):
    """The matrix of each bone by name, column by column."""
    matrices = []
    for index, bone in enumerate(model["Bones"]):
        keys = [key for key in clip["Keyframes"] if key["Bone Index"] == index] if clip else []
        local = compose(*(at_time(keys, seconds) if keys else
                          (bone["Rest Position"], bone["Rest Rotation"], bone["Rest Scale"])))
        parent = bone["Parent Index"]
        matrices.append(multiply(matrices[parent], local) if parent >= 0 else local)
    return {bone["Name"]: matrix for bone, matrix in zip(model["Bones"], matrices)}


def farthest(wanted, got):
    return max((abs(a - b) for p, q in zip(wanted, got) for a, b in zip(p, q)), default=0)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = Files(packer.cases())

    @classmethod
    def tearDownClass(cls):
        cls.files.remove()

    def test_every_reading_is_read_as_its_dialect(self):
        for case, info in self.files.lines("info"):
            with self.subTest(case.name):
                self.assertEqual(info.get("dialect"), dialect_of(case))
                self.assertEqual(info["vertices"], len(case.model["Positions"]))
                self.assertEqual(info["triangles"], len(case.model["Faces"]))
                self.assertEqual(info["joints"], len(case.model["Bones"]))
                self.assertEqual(info["animations"], len(case.model["Clips"]))

    def test_no_file_has_a_second_fit(self):
        done = run("info", *(self.files.path(case) for case in self.files.cases))
        self.assertEqual(done.stderr, "")

    def test_every_field_is_what_was_packed(self):
        for case in self.files.cases:
            with self.subTest(case.name):
                self.assertEqual(list(differences(twin_of(case), self.files.twin(case))), [])

    def test_files_are_rewritten_and_mapped_byte_for_byte(self):
        for case, copy, _ in self.files.converted():
            with self.subTest(case.name):
                self.assertEqual(copy.read_bytes(), case.data)
                self.assertEqual(list(self.files.rewriting_faults(case)), [])

    def test_nothing_is_an_error(self):
        for case, line in self.files.lines("check"):
            errors = [f["rule"] for f in line["findings"] if f["severity"] == "error"]
            with self.subTest(case.name):
                self.assertEqual(errors, [])

    def test_the_scene_is_what_was_packed(self):
        for case, path, _ in self.files.converted("--to", "glb"):
            with self.subTest(case.name):
                self.check_scene(case, Glb(path))

    def check_scene(self, case, glb):
        model = case.model
        names = [node["name"] for node in glb.json["nodes"]]
        clips = {clip["name"]: clip for clip in glb.json.get("animations", [])}
        for clip in [None, *model["Clips"]]:
            if clip and clip["Name"] not in clips:
                self.assertFalse(model["Bones"] and clip["Keyframes"], clip["Name"])
                continue
            for seconds in TIMES if clip else (0.0,):
                found = glb.globals(clips[clip["Name"]] if clip else None, seconds)
                for name, wanted in globals_of(model, clip, seconds).items():
                    self.assertLess(farthest([wanted], [found[names.index(name)]]), NEAR, name)
        if not model["Positions"]:
            return
        part = glb.json["meshes"][0]["primitives"][0]
        wanted = {"POSITION": model["Positions"], "NORMAL": model["Normals"],
                  "TEXCOORD_0": [(u, 1 - v) for u, v in model["UVs"]]}
        for name, rows in wanted.items():
            self.assertLess(farthest(rows, glb.accessor(part["attributes"][name])), NEAR)
        if model["Faces"]:
            indices = glb.accessor(part["indices"])
            faces = [set(indices[i:i + 3]) for i in range(0, len(indices), 3)]
            self.assertEqual(faces, [set(face) for face in model["Faces"]])
        if model["Materials"]:
            self.check_material(model["Materials"][0], glb.json["materials"][part["material"]])

    def check_material(self, wanted, found):
        color = found["pbrMetallicRoughness"].get("baseColorFactor", [1, 1, 1, 1])
        rgba = (*wanted["Diffuse Color"], wanted["Transparency"])
        self.assertLess(farthest([rgba], [color]), NEAR)
        self.assertLess(farthest([wanted["Emissive Color"]], [found["emissiveFactor"]]), NEAR)
        self.assertEqual(found["extras"]["specular"], list(wanted["Specular Color"]))
        self.assertEqual(found["extras"]["shininess"], wanted["Shininess"])
        path = found["extras"].get("baseColorTexture", "")
        self.assertEqual(path.endswith(wanted["Texture Path"] or "/"), wanted["Is Textured"] != 0)


class Changes(unittest.TestCase):
    def setUp(self):
        model = packer.model(Materials=[packer.NAMED, packer.PLAIN, packer.WOOD])
        self.files = Files([packer.Case("all", model)])
        self.addCleanup(self.files.remove)
        self.source = self.files.path(self.files.cases[0])

    def convert(self, source, name, *options):
        out = self.files.folder / name
        done = run("convert", "-f", "--json", *options, source, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, {loss["feature"] for loss in json.loads(done.stdout)["losses"]}

    def test_a_path_that_has_no_place_is_reported(self):
        out, lost = self.convert(self.source, "short.bplx", "--as", "document-short")
        self.assertEqual(lost, {"texture paths"})
        without = packer.model(Materials=[{**packer.NAMED, "Texture Path": ""}, packer.PLAIN,
                                          packer.WOOD])
        self.assertEqual(out.read_bytes(), packer.pack(without, True))
        back, lost = self.convert(out, "back.bplx", "--as", "document")
        self.assertEqual((back.read_bytes(), lost), (packer.pack(without), set()))

    def test_what_is_written_is_the_text_and_complete(self):
        """To glTF and back: every field that a scene has is filled, in the document's layout."""
        glb, _ = self.convert(self.source, "a.glb")
        back, _ = self.convert(glb, "back.bplx")
        twin, first = (json.loads(run("dump", path).stdout) for path in (back, self.source))
        self.assertEqual(twin["dialect"], "document")
        for key in ("positions", "normals", "uvs", "faces"):
            self.assertEqual(list(differences(first[key], twin[key])), [], key)
        for key in ("diffuse_color", "specular_color", "shininess", "emissive_color",
                    "transparency"):
            self.assertEqual(twin["materials"][0][key], first["materials"][0][key])
        bones = [bone["name"] for bone in twin["bones"]]
        self.assertTrue(set(bone["name"] for bone in first["bones"]) <= set(bones), bones)
        self.assertEqual([clip["name"] for clip in twin["clips"]][:2], ["slew", "läuft"])


if __name__ == "__main__":
    unittest.main()
