"""batch_models.py: folders of many small models, each with its own content."""
# SPDX-License-Identifier: MIT

import json
import struct
import sys
from pathlib import Path


def small_glb(number):
    """A mesh of a few triangles whose coordinates depend on `number`, about 1 KB."""
    corners = 12 + number % 24
    state = number * 2654435761 % 4294967296
    positions = []
    for _ in range(3 * corners):
        state = (state * 1103515245 + 12345) % 2147483648
        positions.append((state >> 8) % 2000 / 1000 - 1)
    points = [positions[3 * i:3 * i + 3] for i in range(corners)]
    indices = [i for k in range(1, corners - 1) for i in (0, k, k + 1)]
    data = struct.pack("<%df" % len(positions), *positions)
    data += struct.pack("<%dH" % len(indices), *indices)
    data += b"\0" * (-len(data) % 4)
    text = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "node%d" % number, "mesh": 0}],
        "meshes": [{"name": "mesh%d" % number,
                    "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": corners, "type": "VEC3",
             "min": [min(p[k] for p in points) for k in range(3)],
             "max": [max(p[k] for p in points) for k in range(3)]},
            {"bufferView": 1, "componentType": 5123, "count": len(indices), "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 12 * corners},
                        {"buffer": 0, "byteOffset": 12 * corners, "byteLength": 2 * len(indices)}],
        "buffers": [{"byteLength": len(data)}]}
    # The bounds of an accessor are those of its 32-bit numbers.
    for key in ("min", "max"):
        bounds = text["accessors"][0][key]
        text["accessors"][0][key] = [struct.unpack("<f", struct.pack("<f", v))[0] for v in bounds]
    chunk = json.dumps(text, separators=(",", ":")).encode()
    chunk += b" " * (-len(chunk) % 4)
    size = 12 + 8 + len(chunk) + 8 + len(data)
    return (struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<I4s", len(chunk), b"JSON")
            + chunk + struct.pack("<I4s", len(data), b"BIN\0") + data)


def make_models(folder, count, for_each=100):
    """Write `count` models into `folder`, `for_each` in each of its subfolders."""
    for number in range(count):
        place = Path(folder) / ("%03d" % (number // for_each // 100)) / (
            "%02d" % (number // for_each % 100))
        if number % for_each == 0:
            place.mkdir(parents=True, exist_ok=True)
        (place / ("model%06d.glb" % number)).write_bytes(small_glb(number))


if __name__ == "__main__":
    make_models(sys.argv[1], int(sys.argv[2]))
