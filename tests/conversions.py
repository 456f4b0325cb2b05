"""Convert a model to a format and collect the results, for the tests that try all formats."""
# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()

# Formats by the extension of their files: the profile of their engine, and what they can hold.
PROFILES = {"bbmod": "bbmod", "gpb": "gameplay", "bmw": "beowolf", "cea": "coreengine",
            "cem": "coreengine", "bplx": None, "glb": None, "obj": None}
MOVING = ("bbmod", "gpb", "bmw", "cea", "glb")  # They hold both skin and animation.


def scratch():
    """A new folder for very many files, in memory if possible: each file is flushed to its disk."""
    memory = "/dev/shm"
    return Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None))


def run(*arguments):
    return subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True)


class Conversion:
    """One conversion: the report of the tool, and what `verify` finds afterwards."""

    def __init__(self, source, target, *options):
        self.source, self.target = Path(source), Path(target)
        done = run("convert", "--json", *options, source, target)
        self.status, self.errors = done.returncode, done.stderr
        self.report = json.loads(done.stdout) if done.stdout.strip() else {}
        self.losses = self.report.get("losses", [])

    def why_not(self):
        """None if it went well, else the reason."""
        if self.status == 0:
            return None
        return self.report.get("error", {}).get("message") or self.errors.strip()

    def verify(self):
        """What `tenon verify` reports for source and target."""
        done = run("verify", "--json", "--tolerance", "1", self.source, self.target)
        result = json.loads(done.stdout)
        for key in ("largest", "rms"):  # JSON has no infinity, so that this is a text.
            if isinstance(result[key], str):
                result[key] = float("inf")
        return result

    def features(self):
        return {loss["feature"] for loss in self.losses}

    def largest_reported(self):
        """The largest error that the losses report."""
        return max((loss.get("error", 0) for loss in self.losses), default=0)


def pose_fault(conversion, limit):
    """None, or how the poses of source and target differ by more than was reported."""
    result = conversion.verify()
    name = f"{conversion.source.name} to {conversion.target.name}"
    reported = conversion.largest_reported()
    is_reported = reported / 2 <= result["largest"] <= 2 * reported
    # Where bones scale a vertex differently, its rest position differs, too.
    is_moved = "scales of bones" in conversion.features() and is_reported
    if result.get("missing_nodes") and not conversion.features() & {"nodes", "joints"}:
        return f"{name}: {result['missing_nodes']} nodes are missing"
    if result["mode"] == "surface" and not is_moved:
        return f"{name}: compared by surface, {result['matched']:.3f} matched"
    if result["largest"] > limit and not is_reported:
        return f"{name}: off by {result['largest']:.2g}, reported {reported:.2g}"
    if result["missing_clips"] or result["missing_meshes"] or result["reversed"]:
        return f"{name}: clips {result['missing_clips']}, meshes {result['missing_meshes']} " \
               f"missing, {result['reversed']:.2g} inside out"
    return None


def check_fault(target):
    """None, or the first error that `check` finds with the profile of the format's engine."""
    profile = PROFILES[target.suffix[1:]]
    done = run("check", "--json", *(("--profile", profile) if profile else ()), target)
    findings = [item for line in done.stdout.splitlines() for item in json.loads(line)["findings"]]
    rules = {item["rule"] for item in findings if item["severity"] == "error"}
    # Many real models name pictures that no longer exist.
    if done.returncode == 0 or rules == {"gltf/picture-missing"}:
        return None
    return f"{target.name}: check: {done.stdout[:600]}{done.stderr}"


def rewrite_fault(target):
    """None, or that the file is not written back byte for byte."""
    copy = target.with_name("again_" + target.name)
    done = run("convert", "-q", target, copy)
    if done.returncode != 0:
        return f"{target.name}: cannot be written back: {done.stderr}"
    is_same = copy.read_bytes() == target.read_bytes()
    copy.unlink()
    return None if is_same else f"{target.name}: written back with other bytes"
