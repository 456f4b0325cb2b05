#!/usr/bin/env python3
"""Make samples/: the gantry crane in every format, its texture, and where its corners must be."""
# SPDX-License-Identifier: MIT

import sys

import crane
import outputs
import pack_bbmod
import pack_bmw
import pack_bplx
import pack_fbx
import pack_gltf
import pack_gpb
import pack_modeldata
from crane.picture import FILE_NAME, texture_png
from crane.truth import truth_text

FOLDER = outputs.ROOT / "samples"


def sample_files():
    """Name to bytes of everything in samples/."""
    model = crane.build()
    return {
        FILE_NAME: texture_png(),
        "truth.json": truth_text(model).encode("ascii"),
        "crane.bplx": pack_bplx.pack(model, "document"),
        "crane_script.bplx": pack_bplx.pack(model, "script"),
        "crane.cem": pack_modeldata.pack_static(model),
        "crane.cea": pack_modeldata.pack_animated(model),
        "crane.bmw": pack_bmw.pack(model),
        "crane.json": pack_bmw.sidecar(model).encode("ascii"),
        **pack_bmw.texture_files(),
        **pack_bbmod.crane_files(model),
        "crane.fbx": pack_fbx.pack(model),
        "crane.glb": pack_gltf.pack(model),
        "crane.gpb": pack_gpb.pack(model),
        "crane.material": pack_gpb.material_text(model).encode("ascii"),
    }


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, sample_files()))
