#!/usr/bin/env python3
"""test_costs.py: small files that would cost much are cheap, or the budget refuses them.

Each model is made here. What the tool has used is what `convert -v` prints, in steps and bytes, so
that the numbers are the same each time; the memory of the process is checked as well, unless a
sanitizer needs more for itself.
"""
# SPDX-License-Identifier: MIT

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
TIMEOUT = 1800  # Seconds; only against hanging.
MIB = 1 << 20
GROWTH = 12  # Ten times the input may take at most so many times the steps.
FREE_STEPS = 500_000  # A bounded cost may grow up to its bound: some hundredths of a second.
FORMATS = ["bbmod", "gpb", "bmw", "cea", "bplx", "glb", "obj"]
USED = re.compile(r": used (\d+) of (\d+) bytes of memory, (\d+) of (\d+) bytes of output, "
                  r"(\d+) of (\d+) steps")
REFUSED = re.compile(r"error\[limit\]: this (needs|writes|takes) at least (\d+) .*and (\d+) are "
                     "allowed")


class Costs:
    """What a run of the tool has used and printed."""

    def __init__(self, status, text, resident):
        self.status, self.text, self.resident = status, text, resident
        used = USED.search(text)
        numbers = [int(n) for n in used.groups()] if used else [0] * 6
        self.memory, self.memory_limit, self.output, self.output_limit, self.steps = numbers[:5]
        refused = REFUSED.search(text)
        self.refused = refused and (refused[1], int(refused[2]), int(refused[3]))


def run(folder, *args):
    """Convert in a folder. The memory of the process is in bytes."""
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen([TOOL, "convert", "-v", *args], cwd=folder, stderr=said,
                                 stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode(errors="replace")
    return Costs(child.returncode, text, usage.ru_maxrss * 1024)


# -- Models

def glb(document, binary):
    """The bytes of a GLB file."""
    document = {"asset": {"version": "2.0"}, **document}
    document["buffers"] = [{"byteLength": len(binary)}]
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    size = 12 + 8 + len(text) + 8 + len(binary)
    return (b"glTF" + struct.pack("<II", 2, size) + struct.pack("<I", len(text)) + b"JSON" + text +
            struct.pack("<I", len(binary)) + b"BIN\0" + binary)


class Model:
    """A glTF document that grows: one triangle, and what is added."""

    def __init__(self):
        self.binary, self.document = b"", {"bufferViews": [], "accessors": []}
        triangle = self.add([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3", min=[0, 0, 0],
                            max=[1, 1, 0])
        self.document["meshes"] = [{"primitives": [{"attributes": {"POSITION": triangle}}]}]
        self.document["scene"] = 0

    def add(self, rows, kind, **more):
        """An accessor of floats."""
        data = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
        views, accessors = self.document["bufferViews"], self.document["accessors"]
        views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "type": kind,
                          "count": len(rows), **more})
        self.binary += data
        return len(accessors) - 1

    def add_times(self, count, rate):
        return self.add([(i / rate,) for i in range(count)], "SCALAR", min=[0],
                        max=[(count - 1) / rate])

    def bytes(self, nodes, roots):
        return glb({**self.document, "nodes": nodes, "scenes": [{"nodes": roots}]}, self.binary)


def turning(count):
    """Rotations to and fro."""
    return [(0, 0, 0.6, 0.8) if i % 2 else (0, 0, 0, 1) for i in range(count)]


def flat(count):
    return [{"mesh": 0, "name": f"n{i}"} for i in range(count)], list(range(count))


def clips_of_all_nodes(clips, nodes, keys):
    """Every clip turns every node, and all have the same keys."""
    model = Model()
    sampler = {"input": model.add_times(keys, 30), "output": model.add(turning(keys), "VEC4")}
    channels = [{"sampler": 0, "target": {"node": i, "path": "rotation"}} for i in range(nodes)]
    model.document["animations"] = [{"name": f"c{i}", "samplers": [sampler], "channels": channels}
                                    for i in range(clips)]
    return model.bytes(*flat(nodes))


def clips_of_one_node(clips, nodes, keys):
    """Each clip turns one of many nodes."""
    model = Model()
    sampler = {"input": model.add_times(keys, 30), "output": model.add(turning(keys), "VEC4")}
    model.document["animations"] = [
        {"name": f"c{i}", "samplers": [sampler],
         "channels": [{"sampler": 0, "target": {"node": i % nodes, "path": "rotation"}}]}
        for i in range(clips)]
    return model.bytes(*flat(nodes))


def chain(nodes, skins):
    """Nodes one below the other, with a mesh at the end, and skins that name all of them."""
    model = Model()
    list_of_nodes = [{"name": f"n{i}", "children": [i + 1]} for i in range(nodes - 1)]
    list_of_nodes.append({"name": "last", "mesh": 0})
    if skins:
        model.document["skins"] = [{"joints": list(range(nodes))} for _ in range(skins)]
    return model.bytes(list_of_nodes, [0])


def instances(nodes, triangles):
    """One mesh, shown by many nodes."""
    model = Model()
    corners = [(i % 50 + k % 2, i // 50 + k // 2, 0) for i in range(triangles) for k in range(3)]
    many = model.add(corners, "VEC3", min=[0, 0, 0], max=[51, triangles, 0])
    model.document["meshes"] = [{"primitives": [{"attributes": {"POSITION": many}}]}]
    return model.bytes(*flat(nodes))


def uncounted_materials():
    """94 bytes of BBMOD 1 with a material count but no names: as many as can be counted.
    Magic, version, vertex format, inverse transform, one root, no bones."""
    unit = struct.pack("<16f", *[float(i % 5 == 0) for i in range(16)])
    return b"bbmod\0\x01" + bytes(6) + unit + b"\0" + bytes(12) + b"\xff" * 4


# -- Tests

class CostsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.is_sanitized = b"__asan_init" in Path(TOOL).read_bytes()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def save(self, name, data):
        Path(self.folder.name, name).write_bytes(data)
        return len(data)

    def convert(self, name, to, *args):
        """Convert, and check that the process has used what the tool reports, and no more."""
        for name_left in self.is_left():
            Path(self.folder.name, name_left).unlink()
        costs = run(self.folder.name, "-q", name, f"out.{to}", *args)
        self.assertIn(costs.status, (0, 1), costs.text)
        self.assertLessEqual(costs.memory, costs.memory_limit)
        self.assertLessEqual(costs.output, costs.output_limit)
        if not self.is_sanitized:
            self.assertLess(costs.resident, 1.5 * costs.memory + 24 * MIB, costs.text)
        return costs

    def is_left(self):
        """The names of outputs."""
        return sorted(p.name for p in Path(self.folder.name).iterdir() if p.name.startswith("out"))

    def test_a_count_without_bytes_costs_nothing(self):
        self.assertEqual(self.save("small.bbmod", uncounted_materials()), 94)
        for to in FORMATS:
            self.assertLess(self.convert("small.bbmod", to).steps, 10_000)

    def check_growth(self, make, formats=FORMATS):
        """Ten times the input, whichever of its numbers grows."""
        for to in formats:
            for number, (small, large) in enumerate(make):
                self.save("small.glb", small)
                self.save("large.glb", large)
                few, many = self.convert("small.glb", to), self.convert("large.glb", to)
                self.assertEqual((few.status, few.refused), (0, None), few.text)
                if many.status:
                    self.assertIn("error[limit]", many.text)  # By the budget, or by the format.
                    continue
                # A format has to write what it stores for each node and clip.
                growth = GROWTH * max(1, many.output / (few.output + 1) / 10)
                times = (many.steps - FREE_STEPS) / few.steps
                self.assertLessEqual(times, growth, f"{to}, case {number}: {few.steps} to "
                                     f"{many.steps} steps, {few.output} to {many.output} bytes")

    def test_clips_nodes_and_keys(self):
        self.check_growth([
            (clips_of_all_nodes(20, 20, 30), clips_of_all_nodes(200, 20, 30)),
            (clips_of_all_nodes(20, 20, 30), clips_of_all_nodes(20, 200, 30)),
            (clips_of_all_nodes(20, 20, 30), clips_of_all_nodes(20, 20, 300)),
        ])

    def test_clips_that_move_one_of_many_nodes(self):
        self.check_growth([
            (clips_of_one_node(30, 30, 20), clips_of_one_node(300, 30, 20)),
            (clips_of_one_node(30, 30, 20), clips_of_one_node(30, 300, 20)),
            (clips_of_one_node(30, 30, 20), clips_of_one_node(300, 300, 20)),
        ])

    def test_a_deep_hierarchy(self):
        self.check_growth([(chain(200, 0), chain(2000, 0)), (chain(200, 2), chain(2000, 2))])

    def test_instances_are_refused_before_they_fill_the_disk(self):
        size = self.save("many.glb", instances(4000, 4000))
        self.assertLess(size, 400_000)
        costs = self.convert("many.glb", "obj")
        self.assertEqual(costs.status, 1)
        self.assertEqual(costs.refused[0], "writes")
        self.assertEqual(costs.refused[2], 64 * MIB + 256 * size)
        self.assertEqual(self.is_left(), [])

    def test_requested_limits_are_respected(self):
        self.save("many.glb", clips_of_all_nodes(10, 50, 100))
        for option, verb in (("--max-memory", "needs"), ("--max-output", "writes"),
                             ("--max-work", "takes")):
            costs = self.convert("many.glb", "bmw", option, "300K")
            self.assertEqual((costs.status, costs.refused[0], costs.refused[2]),
                             (1, verb, 300 * 1024))
            self.assertGreater(costs.refused[1], 300 * 1024)
            self.assertEqual(self.is_left(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
