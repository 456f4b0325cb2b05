#!/usr/bin/env python3
"""test_outputs.py: everything that is written has the same bytes as before.

    test_outputs.py [--corpus] [--update] [--list FILE]

Compares hashes of what is made of samples/ with tests/golden/outputs.txt: files, exit statuses, and
JSON without its sentences, which may change. With --corpus, of what is made of the real models
(TENON_CORPUS) with tests/golden/outputs_corpus.txt, one hash for each folder and format. --list
writes a hash of every single output, to see which one changed; --update writes the golden file.
"""
# SPDX-License-Identifier: MIT

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests"))
import conversions  # noqa: E402
import real_files  # noqa: E402
import sample_outputs  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
SENTENCES = ("message", "fix", "text", "label")  # Keys of JSON whose values are words for people.
REAL = (".bbmod", ".bmw", ".bplx", ".cea", ".cem", ".glb", ".gltf", ".gpb", ".obj")
IMPORTED = "fbx"  # Read by tenon-import, whose results are Assimp's.
SKIPPED = 77


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def run(folder, build, program, *words):
    done = subprocess.run([str(build / program), *words], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


def without_sentences(value):
    if isinstance(value, list):
        return [without_sentences(item) for item in value]
    if isinstance(value, dict):
        return {key: None if key in SENTENCES else without_sentences(item)
                for key, item in value.items()}
    return value


def lasting_part(output):
    """What of an output must stay: all bytes of a file, and the data in printed text."""
    if output.status is None or output.name.startswith("dump "):
        return output.all_bytes()
    lines = output.data.decode("utf-8").splitlines()
    objects = [without_sentences(json.loads(line)) for line in lines if line.startswith("{")]
    return b"%d\n" % output.status + json.dumps(objects).encode("utf-8")


# -- The samples

def of_samples(folder):
    shutil.copytree(ROOT / "samples", folder / "samples")

    def run_here(program, *words):
        return run(folder, conversions.TOOL.parent, program, *words)

    for source in (sample_outputs.of_library, sample_outputs.of_tool):
        for output in source(run_here, folder):
            yield output.name, digest(lasting_part(output))


# -- Real models

def convert_real(model, form, folder):
    """One hash of all files that a conversion writes, and of its status."""
    place = Path(tempfile.mkdtemp(dir=folder))
    status, _, _ = run(place, conversions.TOOL.parent, "tenon", "convert", str(model), "-o",
                       "model." + form)
    files = [one.name.encode() + b"\n" + one.data
             for one in sample_outputs.written_files(place, ".")]
    shutil.rmtree(place)
    return digest(b"%d\n" % status + b"\n".join(files))


def of_corpus(folder):
    models = [model for model in real_files.find(*REAL)
              if model.relative_to(real_files.CORPUS).parts[0] != IMPORTED]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        tasks = [(model, form, pool.submit(convert_real, model, form, folder))
                 for model in models for form in sample_outputs.FORMATS]
        for model, form, task in tasks:
            path = model.relative_to(real_files.CORPUS).as_posix()
            yield "%s to %s" % (path, form), task.result()


def by_folder(hashes):
    """One hash for each folder of the corpus and each format."""
    together = {}
    for name, value in sorted(hashes.items()):
        key = re.sub(r"/.* to ", " to ", name)
        together.setdefault(key, []).append(value)
    return {"%s (%d)" % (key, len(values)): digest("".join(values).encode())
            for key, values in together.items()}


# -- Running

def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--list", type=Path, metavar="FILE")
    return parser.parse_args()


def as_text(hashes):
    return "".join("%s %s\n" % (value, name) for name, value in sorted(hashes.items()))


def main():
    options = parse()
    if options.corpus and not real_files.CORPUS:
        print("skipped: %s" % real_files.NOT_SET)
        return SKIPPED
    folder = conversions.scratch()
    try:
        hashes = dict((of_corpus if options.corpus else of_samples)(folder))
    finally:
        shutil.rmtree(folder)
    if options.list:
        options.list.write_text(as_text(hashes), encoding="utf-8")
    golden = GOLDEN / ("outputs_corpus.txt" if options.corpus else "outputs.txt")
    new = as_text(by_folder(hashes) if options.corpus else hashes)
    if options.update:
        golden.write_text(new, encoding="utf-8")
        return 0
    old = golden.read_text(encoding="utf-8")
    changed = sorted(set(old.splitlines()) ^ set(new.splitlines()), key=lambda line: line[17:])
    print("\n".join(changed[:20]))
    print("%d outputs, %d lines differ from %s" % (len(hashes), len(changed), golden.name))
    return 1 if changed or not hashes else 0


if __name__ == "__main__":
    sys.exit(main())
