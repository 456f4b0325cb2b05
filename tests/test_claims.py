#!/usr/bin/env python3
"""test_claims.py: other programs than Tenon confirm what `tenon convert --verify` calls verified.

Models go from every format into every other one. Where the tool says "verified", `tenon verify` of
the two files has to agree, and so do the loaders of tests/engine, which pose both files as their
engines do. The models are the samples, and those of feature_models.py, whose shapes and motions
are also converted from each format to the others; with --real small real models (TENON_CORPUS),
with --all every one.

    test_claims.py [--real | --all] [--only WORD] [--jobs N] [--keep FOLDER]

Each disagreement is a line: source, target, what the tool reports, what was found, and where.
"""
# SPDX-License-Identifier: MIT

import argparse
import collections
import concurrent.futures
import json
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "engine"))
import claims  # noqa: E402
import conversions  # noqa: E402
import real_files  # noqa: E402
from feature_models import FEATURES, PIXEL  # noqa: E402

FORMATS = ("bbmod", "gpb", "bmw", "cea", "cem", "bplx", "glb", "obj")
REAL = tuple(f".{name}" for name in FORMATS) + (".gltf",)
TOLERANCE = 1e-4
SMALL = 110_000  # Bytes of a real model that is tried without --all.
SKIPPED = 77
# Unverified results are written and converted, too. Which textures an engine loads is not claimed.
OPTIONS = ("--verify", "--accept-losses", "--no-materials")
LEAST = {"own": 2000, "real": 350, "all": 600}  # Claims that must be checked.

# Features converted on from each format: these, and those with skins and clips except some.
SHAPES = ("translation", "rotation", "scale", "uneven_scale", "mirror", "matrix", "shear",
          "shared_mesh", "points", "two_parts", "equal_names_of_nodes")
IDLE = ("extras_", "name_", "unused_", "no_name_", "events", "loop", "skeleton", "skin_without",
        "weights_without")


class Claim:
    """What the tool reports for a conversion: `verdict` is None if it failed."""

    def __init__(self, source, target):
        self.source, self.target = source, target
        made = conversions.Conversion(source, target, *OPTIONS)
        found = made.report.get("verify", {}) if made.status == 0 else {}
        self.verdict, self.scope = found.get("verdict"), found.get("scope")
        self.largest = float(found.get("largest", "nan"))

    def words(self):
        rest = " at rest" if self.scope == "rest" else ""
        return f"{self.verdict}{rest}, {self.largest:.1e}"

    def command_fault(self):
        """None, or how `tenon verify` disagrees with the claim."""
        options = ["--rest"] if self.scope == "rest" else []
        done = conversions.run("verify", "--json", *options, self.source, self.target)
        if done.returncode == 0:
            return None
        found = json.loads(done.stdout) if done.stdout.strip() else {"error": done.stderr.strip()}
        return f"verify exits with {done.returncode}: " + ", ".join(
            f"{key} {found[key]}" for key in ("verdict", "largest", "mode", "reversed",
                                              "missing_clips", "missing_meshes", "error")
            if key in found)


# -- One source

class Result:
    def __init__(self):
        self.counts, self.lines, self.written = collections.Counter(), [], []

    def disagree(self, claim, text):
        self.counts["disagreements"] += 1
        source = claim.source
        self.lines.append(f"DISAGREES {source.parent.name}/{source.name} to "
                          f"{claim.target.suffix[1:]}: {claim.words()}: {text}")


def load_side(source):
    """The source as its engine loads it; a text if it cannot be loaded."""
    try:
        return claims.Side(claims.load_source(source))
    except (claims.Refused, claims.Missing, RecursionError) as error:
        return str(error)


def check_source(source, folder, is_kept):
    """Convert a model to every other format, and check the claims."""
    result, side = Result(), None
    folder.mkdir(parents=True, exist_ok=True)
    for name in FORMATS:
        if source.suffix.lower() == "." + name:
            continue
        claim = Claim(source, folder / f"{source.stem}.{name}")
        if claim.verdict is not None:
            result.written.append(claim.target)
        if claim.verdict != "verified":
            result.counts[claim.verdict or "not converted"] += 1
            continue
        side = side or load_side(source)
        if isinstance(side, str):
            result.counts["source not read"] += 1
            result.lines.append(f"source not read: {source.parent.name}/{source.name}: {side}")
        else:
            check_claim(claim, side, result)
    if not is_kept:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def check_claim(claim, side, result):
    fault = claim.command_fault()
    if fault:
        result.disagree(claim, fault)
    try:
        found = claims.compare(side, claim.target, TOLERANCE, claim.scope == "rest")
    except (claims.Refused, claims.Missing) as error:
        result.disagree(claim, f"the result cannot be loaded: {error}")
        return
    result.counts["claims"] += 1
    result.counts["poses"] += found.poses
    result.counts["triangles looked for at rest"] += found.looked_at
    result.counts["triangles at rest"] += len(found.source.rest) + len(found.target.rest)
    for text in found.skipped:
        result.counts["left out: " + text.split(":")[0]] += 1
    for fault in found.faults:
        result.disagree(claim, f"{found.share(fault):.2g} of the diagonal at {fault.pose}: "
                        f"{fault.remark}")


# -- All of them

def own_sources(folder):
    """The samples, and the models with one feature each."""
    shutil.copytree(conversions.ROOT / "samples", folder / "samples")
    conversions.run("convert", "-q", folder / "samples/crane.glb", folder / "samples/crane.obj")
    found = [folder / "samples" / f"crane.{name}" for name in FORMATS]
    (folder / "features").mkdir()
    for name in ("picture.png", "second.png"):
        (folder / "features" / name).write_bytes(PIXEL)
    for number, feature in enumerate(FEATURES):
        path = folder / "features" / f"{number:03d}-{feature.name}.glb"
        path.write_bytes(feature.model().glb())
        found.append(path)
    return found


def goes_on(source):
    """Whether the results of a source are sources as well."""
    feature = next((f for f in FEATURES if source.name.endswith(f"-{f.name}.glb")), None)
    return feature is not None and source.parent.name == "features" and (
        feature.name in SHAPES or feature.base != "rigid" and not feature.name.startswith(IDLE))


def size_of(path):
    """Bytes of a model and of its buffers, if they are separate files."""
    buffers = json.loads(path.read_text("utf-8")).get("buffers", []) \
        if path.suffix == ".gltf" else []
    return path.stat().st_size + sum(buffer["byteLength"] for buffer in buffers
                                     if not buffer.get("uri", "data:").startswith("data:"))


def real_sources(is_all):
    return [path for path in real_files.find(*REAL)
            if path.relative_to(real_files.CORPUS).parts[0] != "fbx"
            and (is_all or size_of(path) <= SMALL)]


def check_all(args, folder, kind):
    """Check the claims of all sources; returns counts."""
    sources = own_sources(folder) if kind == "own" else real_sources(kind == "all")
    jobs = [(source, folder / str(number)) for number, source in enumerate(sources)
            if args.only in str(source)]
    total, is_kept = collections.Counter(), bool(kind == "own" or args.keep)
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        while jobs:
            more = []
            for (source, place), result in zip(jobs, pool.map(check_source, *zip(*jobs),
                                                              [is_kept] * len(jobs))):
                total.update(result.counts)
                for line in sorted(set(result.lines)):
                    print(line, flush=True)
                if goes_on(source):
                    more += [(path, place / path.suffix[1:]) for path in result.written]
            jobs = more
    return total


def main(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args(words)
    kind = "all" if args.all else "real" if args.real else "own"
    if kind != "own" and not real_files.CORPUS:
        print("skipped: %s" % real_files.NOT_SET)
        return SKIPPED
    folder = args.keep or conversions.scratch()
    folder.mkdir(exist_ok=True)
    try:
        total = check_all(args, folder, kind)
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    print(", ".join(f"{count} {what}" for what, count in sorted(total.items())))
    if total["claims"] < LEAST[kind] and not args.only:
        print(f"{total['claims']} claims were checked, at least {LEAST[kind]} expected")
        return 1
    return 1 if total["disagreements"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
