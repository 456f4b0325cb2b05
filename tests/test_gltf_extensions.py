#!/usr/bin/env python3
"""test_gltf_extensions.py: what an extension that is not read does to a conversion.

Extensions about looks, sounds, physics and metadata never refuse a model, and it is verified; those
that shapes or motion depend on are named. A name that is only listed changes nothing.
"""
# SPDX-License-Identifier: MIT

import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("TENON", str(ROOT / "build/release/tenon"))
sys.path.insert(0, str(ROOT / "tests"))

import test_gltf_keep as keep  # noqa: E402

LOOKS = (
    "ADOBE_materials_clearcoat_specular", "ADOBE_materials_clearcoat_tint",
    "ADOBE_materials_thin_transparency", "AGI_articulations", "AGI_stk_metadata",
    "ASOBO_normal_map_convention", "CESIUM_primitive_outline", "EXT_instance_features",
    "EXT_lights_ies", "EXT_lights_image_based", "EXT_materials_bump", "EXT_mesh_features",
    "EXT_mesh_manifold", "EXT_structural_metadata", "EXT_texture_avif", "FB_geometry_metadata",
    "FB_ngon_encoding", "GODOT_single_root", "GRIFFEL_bim_data", "KHR_audio_emitter",
    "KHR_character", "KHR_environment_map", "KHR_interactivity", "KHR_materials_anisotropy",
    "KHR_materials_clearcoat", "KHR_materials_diffuse_transmission", "KHR_materials_dispersion",
    "KHR_materials_iridescence", "KHR_materials_sheen", "KHR_materials_variants",
    "KHR_materials_volume", "KHR_node_hoverability", "KHR_node_selectability",
    "KHR_physics_rigid_bodies", "KHR_techniques_webgl", "KHR_xmp", "KHR_xmp_json_ld",
    "MOZ_hubs_components", "MSFT_audio_emitter", "MSFT_lod", "MSFT_packing_normalRoughnessMetallic",
    "MSFT_packing_occlusionRoughnessMetallic", "NEEDLE_components", "NV_materials_mdl",
    "OMI_physics_body", "VRM", "VRMC_materials_mtoon", "VRMC_springBone", "VRMC_vrm")
SHAPES = ("ASOBO_property_animation", "CESIUM_RTC", "EXT_mesh_primitive_restart",
          "EXT_primitive_voxels", "KHR_accessor_float64", "KHR_billboard", "MPEG_accessor_timed",
          "VRMC_node_constraint", "WEB3D_quantized_attributes", "ACME_unknown")


def triangle(**more):
    b = keep.Buffer()
    positions = b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
    return b, {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
               "meshes": [{"primitives": [{"attributes": {"POSITION": positions}}]}],
               "accessors": b.accessors, "bufferViews": b.views, **more}


class Extensions(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def convert(self, target, model, status=0):
        keep.write(self.folder / "m.gltf", *model)
        return keep.run("convert", "--verify", "--force", "--textures", "refer",
                        self.folder / "m.gltf", self.folder / f"m.{target}", status=status)

    def test_looks_refuse_nothing(self):
        for name in LOOKS:
            report = self.convert("bplx", triangle(
                extensionsUsed=[name], extensionsRequired=[name], extensions={name: {}}))
            self.assertIn(": verified: ", report, name)
            self.assertIn(f"dropped: {name} (1)", report)

    def test_shapes_are_named(self):
        for name in SHAPES:
            model = triangle(extensionsUsed=[name], extensions={name: {}})
            report = self.convert("bplx", model, status=1)
            self.assertIn(f"dropped: {name} (1)", report)
            self.assertIn(f"not verified: not read: {name} (1)", report)
            keep.run("convert", "--force", self.folder / "m.gltf", self.folder / "m.glb")
            self.assertIn(name, keep.load(self.folder / "m.glb")[0]["extensions"])
            model[1]["extensions"][name] = {"accessor": 0}
            keep.write(self.folder / "m.gltf", *model)
            report = keep.run("convert", "--force", self.folder / "m.gltf", self.folder / "m.glb")
            self.assertIn("its numbers may be indices", report)
            self.assertNotIn("extensions", keep.load(self.folder / "m.glb")[0])
            model[1]["extensionsRequired"] = [name]
            self.assertIn(f"requires the extension '{name}'", self.convert("bplx", model, status=1))

    def test_a_name_that_is_only_listed_changes_nothing(self):
        for name in SHAPES:
            report = self.convert("bplx", triangle(extensionsUsed=[name]))
            self.assertIn(": verified: ", report)
            self.assertNotIn(name, report)

    def test_an_extension_that_is_not_listed(self):
        report = self.convert("bplx", triangle(extensions={"MSFT_lod": {}}))
        self.assertIn("dropped: undeclared extensions (1)", report)
        self.assertIn(": verified: ", report)
        report = self.convert("bplx", triangle(extensions={"ACME_unknown": {}}), status=1)
        self.assertIn("not verified: not read: undeclared extensions (1)", report)

    def test_levels_of_detail_stay(self):
        b, gltf = triangle(extensionsUsed=["MSFT_lod"], materials=[
            {"name": "far"}, {"name": "near", "extensions": {"MSFT_lod": {"ids": [0]}}}])
        gltf["meshes"][0]["primitives"][0]["material"] = 1
        gltf["scenes"] = [{"nodes": [1]}]
        gltf["nodes"] = [{"name": "coarse", "mesh": 0},
                         {"name": "fine", "mesh": 0, "extensions": {"MSFT_lod": {"ids": [0]}},
                          "extras": {"MSFT_screencoverage": [0.5, 0.1]}}]
        self.convert("glb", (b, gltf))
        out = keep.load(self.folder / "m.glb")[0]
        for key, finest, next_one in (("nodes", "fine", "coarse"), ("materials", "near", "far")):
            item = keep.by_name(out, key)[finest]
            self.assertEqual([out[key][i]["name"] for i in item["extensions"]["MSFT_lod"]["ids"]],
                             [next_one])
        report = self.convert("bplx", (b, gltf))
        self.assertIn("only the finest level of detail is read", report)


if __name__ == "__main__":
    unittest.main(verbosity=2)
