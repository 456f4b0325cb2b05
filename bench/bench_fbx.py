#!/usr/bin/env python3
"""Compare reading a large FBX file with decompressing its arrays by zlib alone.

    bench_fbx.py [MEGABYTES]

Makes a binary file of meshes with tools/fbx_file.py, 50 MB by default. Prints the user
CPU seconds of zlib for all arrays, of `tenon info`, which reads the nodes, and of `tenon check`,
which also decodes every array. The tool is the one in TENON, or build/release/tenon.
"""
# SPDX-License-Identifier: MIT

import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import fbx_file  # noqa: E402

TOOL = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
SIDE = 200      # Vertices along each side of a mesh.
REPEATS = 5     # The least of these counts.
ARRAYS = {b"f": 4, b"d": 8, b"i": 4, b"l": 8, b"b": 1, b"c": 1}
PLAIN = {b"C": 1, b"B": 1, b"Y": 2, b"I": 4, b"L": 8, b"F": 4, b"D": 8}
HEADER = struct.Struct("<IIIB")


def mesh():
    """A wavy sheet: values of as many digits as a program would have."""
    chance = random.Random(1)
    vertices = [v for y in range(SIDE) for x in range(SIDE)
                for v in (x * 0.1, chance.uniform(-1.0, 1.0), y * 0.1)]
    corners = [c for y in range(SIDE - 1) for x in range(SIDE - 1)
               for c in (y * SIDE + x, y * SIDE + x + 1, y * SIDE + SIDE + x + 1,
                         -(y * SIDE + SIDE + x) - 1)]
    normals = [chance.choice((-0.5, 0.25, 0.125, 1.0)) * k for _ in corners for k in (0, 1, 0.1)]
    array = fbx_file.Array
    return [fbx_file.Node("Vertices", [array("d", vertices)]),
            fbx_file.Node("PolygonVertexIndex", [array("i", corners)]),
            fbx_file.Node("LayerElementNormal", [fbx_file.Int(0)],
                          [fbx_file.Node("Normals", [array("d", normals)])])]


def make(megabytes):
    parts = mesh()
    size = len(fbx_file.as_binary(parts))
    objects = [fbx_file.Node("Geometry", [i + 1, fbx_file.Name("Sheet%d" % i, "Geometry"), "Mesh"],
                             parts) for i in range(megabytes * 1000000 // size + 1)]
    return fbx_file.as_binary([fbx_file.Node("Objects", [], objects)])


def streams(data, at=27):
    """The compressed arrays of a file, in order."""
    while True:
        end, count, _, name = HEADER.unpack_from(data, at)
        if end == 0:
            return
        at += HEADER.size + name
        for _ in range(count):
            code = data[at:at + 1]
            at += 1
            if code in PLAIN:
                at += PLAIN[code]
            elif code in b"SR":
                at += 4 + struct.unpack_from("<I", data, at)[0]
            else:
                number_count, packed, size = struct.unpack_from("<III", data, at)
                at += 12 + size
                if packed:
                    yield data[at - size:at], number_count * ARRAYS[code]
        if at < end:
            yield from streams(data, at)
        at = end


def seconds_of_zlib(path):
    data = path.read_bytes()
    start = time.process_time()
    found = list(streams(data))
    expanded = sum(len(zlib.decompress(stream, bufsize=size)) for stream, size in found)
    return time.process_time() - start, expanded


def seconds_of_tool(command, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([TOOL, command, str(path)], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sheets.fbx")
        path.write_bytes(make(megabytes))
        size = path.stat().st_size
        alone, expanded = min(seconds_of_zlib(path) for _ in range(REPEATS))
        print("%.1f MB, arrays of %.1f MB" % (size / 1e6, expanded / 1e6))
        print("zlib        %.3f s" % alone)
        for command in ("info", "check"):
            least = min(seconds_of_tool(command, path) for _ in range(REPEATS))
            print("tenon %-5s %.3f s, %.2f times zlib" % (command, least, least / alone))


if __name__ == "__main__":
    main()
