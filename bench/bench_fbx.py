#!/usr/bin/env python3
"""Compare reading a large FBX file with decompressing its arrays by zlib alone.

    bench_fbx.py [MEGABYTES] [BUILD]

Makes a binary file of meshes with tools/fbx_file.py, 50 MB by default. Prints the user
CPU seconds of zlib for all arrays, of `tenon info`, which reads the nodes, of `tenon check`,
which also decodes every array, and of making a scene; and, where it is installed, of `assimp info`.
The programs are those of BUILD, build/bench unless it is given (`make bench` builds them).
"""
# SPDX-License-Identifier: MIT

import random
import os
import resource
import shutil
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
    uvs = [n / SIDE for y in range(SIDE) for x in range(SIDE) for n in (x, y)]
    indices = [c if c >= 0 else -1 - c for c in corners]
    array = fbx_file.Array
    node = fbx_file.Node

    def layer(kind, mapping, reference, *arrays):
        return node("LayerElement" + kind, [fbx_file.Int(0)], [
            node("MappingInformationType", [mapping]),
            node("ReferenceInformationType", [reference]),
            *[node(name, [array(letter, numbers)]) for name, letter, numbers in arrays]])

    return [node("Vertices", [array("d", vertices)]),
            node("PolygonVertexIndex", [array("i", corners)]),
            layer("Normal", "ByPolygonVertex", "Direct", ("Normals", "d", normals)),
            layer("UV", "ByPolygonVertex", "IndexToDirect", ("UV", "d", uvs),
                  ("UVIndex", "i", indices)),
            node("Layer", [fbx_file.Int(0)], [
                node("LayerElement", [], [node("Type", ["LayerElement" + kind]),
                                          node("TypedIndex", [fbx_file.Int(0)])])
                for kind in ("Normal", "UV")])]


def make(megabytes):
    parts = mesh()
    size = len(fbx_file.as_binary(parts))
    objects, links, node, name = [], [], fbx_file.Node, fbx_file.Name
    version = node("Version", [fbx_file.Int(232)])
    for i in range(2, 2 * (megabytes * 1000000 // size + 2), 2):
        called = "Sheet%d" % i
        objects += [node("Model", [i, name(called, "Model"), "Mesh"], [version]),
                    node("Geometry", [i + 1, name(called, "Geometry"), "Mesh"], parts)]
        links += [node("C", ["OO", i, 0]), node("C", ["OO", i + 1, i])]
    # assimp needs all of these.
    header = [node("FBXHeaderExtension", [], [node("FBXHeaderVersion", [fbx_file.Int(1003)]),
                                              node("FBXVersion", [fbx_file.Int(7400)])]),
              node("Creator", ["bench_fbx.py"]),
              node("GlobalSettings", [], [version, node("Properties70", [], [])]),
              node("Definitions", [], [version])]
    return fbx_file.as_binary(header + [node("Objects", [], objects),
                                        node("Connections", [], links)])


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


def cost(command):
    """User CPU seconds, and the most memory, in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("failed: " + " ".join(command))
    return usage.ru_utime, usage.ru_maxrss * 1024


def part(*arguments):
    """What this program prints as another process, since memory of this one counts as that of all
    that it starts."""
    done = subprocess.run([sys.executable, __file__, *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE)
    return [float(word) for word in done.stdout.split()]


def measure(path, build):
    commands = {"tenon info": [str(build / "tenon"), "info", str(path)],
                "tenon check": [str(build / "tenon"), "check", str(path)],
                "scene": [str(build / "tenon_bench"), "once", "scene", str(path), "", "glb"]}
    if shutil.which("assimp"):
        commands["assimp info"] = ["assimp", "info", str(path)]
    alone, costs = [], {}
    # In turns, so that the load of the machine is the same for all.
    for _ in range(REPEATS):
        alone.append(part("zlib", path))
        for name, command in commands.items():
            costs.setdefault(name, []).append(cost(command))
    least, expanded = min(alone)
    print("%.1f MB, arrays of %.1f MB" % (path.stat().st_size / 1e6, expanded / 1e6))
    print("%-12s %.3f s" % ("zlib", least))
    for name, found in costs.items():
        seconds, memory = min(found)
        print("%-12s %.3f s, %.2f times zlib; %.0f MB, %.2f times the arrays" % (
            name, seconds, seconds / least, memory / 1e6, memory / expanded))


def main(arguments):
    if arguments[:1] == ["make"]:
        Path(arguments[1]).write_bytes(make(int(arguments[2])))
    elif arguments[:1] == ["zlib"]:
        print(*seconds_of_zlib(Path(arguments[1])))
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "sheets.fbx")
            part("make", path, arguments[0] if arguments else 50)
            measure(path, Path(arguments[1] if len(arguments) > 1 else ROOT / "build/bench"))


if __name__ == "__main__":
    main(sys.argv[1:])
