#!/usr/bin/env python3
"""test_corpus_scene.py: every real model converts to a valid GLB that moves as the source does.

Skipped without a folder of real models (TENON_CORPUS).
"""
# SPDX-License-Identifier: MIT

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import real_files  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
VALIDATOR = ROOT / "tests/validator"
EXTENSIONS = (".bbmod", ".gpb", ".bmw", ".cem", ".cea", ".bplx")
SKIPPED = 77


def run(*arguments):
    return subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True)


def convert(model, out):
    """None, or why the model has no scene or could not be converted."""
    done = run("convert", "-q", model, out)
    if done.returncode == 0:
        return None
    return done.stderr.strip().splitlines()[0]


def fault_in_motion(model, out):
    done = run("verify", "--json", model, out)
    if done.returncode != 0:
        return f"{model.name}: verify: {done.stdout}{done.stderr}"
    result = json.loads(done.stdout)
    return f"{model.name}: compared by surface" if result["mode"] == "surface" else None


def faults_of_validator(files):
    """What Khronos' validator says; None if it is not installed."""
    node = shutil.which("node")
    if not node or not (VALIDATOR / "node_modules").is_dir():
        return None
    done = subprocess.run([node, str(VALIDATOR / "validate.mjs"), *map(str, files)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return [done.stderr]
    found = []
    for line in done.stdout.splitlines():
        report = json.loads(line)
        bad = [i for i in report["issues"] if i["severity"] in ("error", "warning")]
        found += [f"{report['file']}: {i['code']} {i['pointer']}" for i in bad]
        found += [f"{report['file']}: names {name}, which is missing"
                  for name in report.get("missing", [])]
    return found


def main():
    if not real_files.CORPUS:
        print("skipped: %s" % real_files.NOT_SET)
        return SKIPPED
    faults, files, fonts = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for model in real_files.find(*EXTENSIONS):
            out = Path(folder, model.name + ".glb")
            why = convert(model, out)
            if why and "a font bundle does not contain a scene" in why:
                fonts += 1
            elif why:
                faults.append(f"{model.name}: {why}")
            else:
                files.append(out)
                fault = fault_in_motion(model, out)
                faults += [fault] if fault else []
        judged = faults_of_validator(files)
    faults += judged or []
    print("\n".join(faults))
    print(f"{len(files)} models, {fonts} fonts, {len(faults)} faults"
          + ("" if judged is not None else "; gltf-validator is not installed"))
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
