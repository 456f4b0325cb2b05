#!/usr/bin/env python3
"""test_gltf_hostile.py: what Tenon writes of damaged glTF files, Tenon reads again.

Each value of some models, of which most is copied without being in the scene, is removed or
replaced by another one in turn. Whatever is converted to GLB, with and without an edit, must then
convert to text; and no model may end the tool.
"""
# SPDX-License-Identifier: MIT

import copy
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("TENON", str(ROOT / "build/release/tenon"))
sys.path.insert(0, str(ROOT / "tests"))

import test_gltf_keep as keep  # noqa: E402

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
NOTHING = object()
VALUES = (NOTHING, None, -1, 2, "x", [0])


def armory():
    """Bones that are not in the scene, with weapons, below a node that another scene has."""
    b = keep.Buffer()
    triangle = b.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
    joints, weights = b.add([0] * 12, "VEC4", "B"), b.add([1, 0, 0, 0] * 3, "VEC4")
    times, moves, shares = b.add([0, 1], "SCALAR"), b.add(6 * [0], "VEC3"), b.add([0, 1], "SCALAR")
    skinned = {"POSITION": triangle, "JOINTS_0": joints, "WEIGHTS_0": weights}
    return b, {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}, {"nodes": [1, 0]}],
        "nodes": [
            {"name": "knight", "mesh": 0, "skin": 0}, {"name": "root", "children": [2, 3]},
            {"name": "hand", "children": [4], "mesh": 1}, {"name": "back", "mesh": 1},
            {"name": "sword", "mesh": 2, "camera": 0, "children": [5]},
            {"name": "blade", "mesh": 2, "skin": 1}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
        "skins": [{"joints": [2]}, {"joints": [5]}],
        "meshes": [{"name": "body", "primitives": [{"attributes": skinned}]},
                   {"name": "box", "primitives": [{"attributes": {"POSITION": triangle}}]},
                   {"name": "edge", "weights": [0.5], "primitives": [
                       {"attributes": skinned, "targets": [{"POSITION": triangle}]}]}],
        "animations": [
            {"name": "both", "samplers": [{"input": times, "output": moves},
                                          {"input": times, "output": shares}],
             "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}},
                          {"sampler": 1, "target": {"node": 4, "path": "weights"}}]},
            {"name": "outside", "samplers": [{"input": times, "output": moves}],
             "channels": [{"sampler": 0, "target": {"node": 5, "path": "translation"}}]}],
        "accessors": b.accessors, "bufferViews": b.views}


def places(value, path=()):
    """The paths of all values inside of one."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield path + (key,)
            yield from places(value[key], path + (key,))


def damaged(gltf):
    """The model once for each value and each replacement, with what was done."""
    for path in places(gltf):
        if path[0] == "asset" or "extras" in path:
            continue
        for value in VALUES:
            other = copy.deepcopy(gltf)
            parent = other
            for key in path[:-1]:
                parent = parent[key]
            if value is NOTHING:
                del parent[path[-1]]
            else:
                parent[path[-1]] = value
            yield other, f"{'/'.join(map(str, path))} is {value if value != NOTHING else 'missing'}"


class Hostile(unittest.TestCase):
    def setUp(self):
        # Thousands of files, each of which is flushed, take minutes on a disk.
        temporary = tempfile.TemporaryDirectory(dir=MEMORY)
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def convert(self, source, target, *options):
        """Convert a folder; what was said of each model that was not written."""
        (self.folder / target).mkdir()
        done = subprocess.run([os.environ["TENON"], "convert", *options, source + "/", "-o",
                               target + "/"], capture_output=True, text=True, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr[-400:])
        lines = [line.partition(": error")[::2] for line in done.stderr.splitlines()]
        return {Path(path.split(":")[0]).stem: text for path, text in lines if text}

    def check(self, make):
        b, gltf = make()
        what = {}
        (self.folder / "in").mkdir()
        for i, (other, done) in enumerate(damaged(gltf)):
            keep.write(self.folder / "in" / f"{i:06}.gltf", b, other)
            what[f"{i:06}"] = done
        for name, options in (("as it is", []), ("edited", ["--scale", "2"])):
            self.convert("in", name, "--to", "gltf:glb", *options)
            self.assertGreater(sum(1 for _ in (self.folder / name).iterdir()), len(what) // 5)
            refused = self.convert(name, name + " again", "--to", "gltf:gltf")
            self.assertEqual({}, {what[stem]: text for stem, text in refused.items()}, name)

    def test_everything_kept(self):
        self.check(keep.model)

    def test_instances(self):
        self.check(keep.forest)

    def test_hidden_nodes(self):
        self.check(keep.theater)

    def test_looks(self):
        self.check(keep.gallery)

    def test_joints_outside_of_the_scene(self):
        self.check(armory)

    def test_what_is_below_joints_outside_of_the_scene_stays_outside(self):
        b, gltf = armory()
        keep.write(self.folder / "m.gltf", b, copy.deepcopy(gltf))
        report = keep.run("convert", "--verify", self.folder / "m.gltf", self.folder / "m.glb")
        self.assertIn("dropped: places of unused nodes (2)", report)
        self.assertIn(": verified: ", report)
        out = keep.load(self.folder / "m.glb")[0]
        nodes = keep.by_name(out, "nodes")
        self.assertEqual(nodes.keys(), keep.by_name(gltf, "nodes").keys())
        self.assertEqual([out["nodes"][i]["name"] for i in nodes["sword"]["children"]], ["blade"])
        shown = [out["nodes"][i]["name"] for i in out["scenes"][out["scene"]]["nodes"]]
        self.assertEqual(sorted(shown), ["knight", "root"])
        self.assertEqual((self.folder / "m.glb").read_bytes(),
                         keep.convert_again(self.folder / "m.glb"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
