#!/usr/bin/env python3
"""test_corpus_matrix.py: real models convert to every format that holds skin and animation.

Each result passes the checks of its engine and poses as its source does, to 1e-4 of the diagonal,
or a loss says by how much it does not. glTF files may be refused for an extension. Only small
models, or with --all every one. Skipped without a folder of real models (TENON_CORPUS).
"""
# SPDX-License-Identifier: MIT

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import conversions  # noqa: E402
import real_files  # noqa: E402
from conversions import MOVING, Conversion  # noqa: E402

EXTENSIONS = (".bbmod", ".gpb", ".bmw", ".cem", ".cea", ".bplx", ".glb", ".gltf")
SMALL = 200_000  # Bytes.
LIMIT = 1e-4
SKIPPED = 77

# Losses after which triangles are gone, or have another rest position.
REBUILT = {"influences", "points", "lines", "faces", "meshes", "points and lines"}


def models(is_all):
    return [p for p in real_files.find(*EXTENSIONS) if is_all or p.stat().st_size <= SMALL]


def is_beyond_limits(conversion):
    """Whether a loss says that the engine cannot hold as many joints."""
    return any("joint" in loss["feature"] or "bone" in loss["feature"] or "node" in loss["feature"]
               for loss in conversion.losses if loss["kind"] == "approximated")


def fault_of(conversion):
    fault = conversions.pose_fault(conversion, LIMIT)
    if fault and conversion.features() & REBUILT:
        fault = None
    return fault or conversions.rewrite_fault(conversion.target) or (
        None if is_beyond_limits(conversion) else conversions.check_fault(conversion.target))


def try_all(files, folder):
    faults, refused, done = [], [], 0
    for number, model in enumerate(files):
        for target in MOVING:
            if model.suffix == "." + target:
                continue
            place = folder / f"{number}_{target}"
            place.mkdir()
            conversion = Conversion(model, place / f"x.{target}")
            why = conversion.why_not()
            if why and "does not contain a scene" in why:
                break
            if why and "requires the extension" in why:
                refused.append(f"{model.name}: {why}")
                break
            done += 1
            fault = f"{model.name} to {target}: {why}" if why else fault_of(conversion)
            if fault:
                faults.append(fault)
    return faults, refused, done


def main():
    if not real_files.CORPUS:
        print("skipped: %s" % real_files.NOT_SET)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        faults, refused, done = try_all(models("--all" in sys.argv[1:]), Path(folder))
    print("\n".join(refused + faults))
    print(f"{done} conversions, {len(refused)} models refused, {len(faults)} faults")
    return 1 if faults or not done else 0


if __name__ == "__main__":
    sys.exit(main())
