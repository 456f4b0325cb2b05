#!/usr/bin/env python3
"""Inputs for fuzzers that need more than a model: pictures, streams, views and bundles of files.

    fuzz_seeds.py [--check]

Without an option, writes the folders picture, inflate, meshopt, beside and tool of fuzz/corpus,
which the tests replay; --check only compares them with what this program makes. Further inputs in
these folders were found by fuzzers, and stay.
"""
# SPDX-License-Identifier: MIT

import hashlib
import random
import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import meshopt  # noqa: E402

CORPUS = ROOT / "fuzz" / "corpus"
FIXTURES = ROOT / "tests" / "fixtures"
SAMPLES = ROOT / "samples"


# -- Pictures

def dds(width, height, flags, code=b"\0\0\0\0", bits=0, masks=(0, 0, 0, 0), pixels=b"", more=b""):
    head = struct.pack("<4s7I44x", b"DDS ", 124, 0x1007, height, width, 0, 0, 1)
    layout = struct.pack("<2I4s5I", 32, flags, code, bits, *masks)
    return head + layout + struct.pack("<5I", 0x1000, 0, 0, 0, 0) + more + pixels


def tga(kind, bits, width=4, height=3, flags=0x20, color_map=b"", map_count=0, map_bits=0,
        pixels=None):
    head = struct.pack("<BBBHHBHHHHBB", 3, 1 if color_map else 0, kind, 0, map_count, map_bits,
                       0, 0, width, height, bits, flags)
    if pixels is None:
        pixels = bytes(i * 7 & 255 for i in range(width * height * ((bits + 7) // 8)))
    return head + b"tga" + color_map + pixels


def png(width, height, depth, color, rows, extra=(), interlace=0):
    def chunk(name, data):
        return (struct.pack(">I", len(data)) + name + data
                + struct.pack(">I", zlib.crc32(name + data)))
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    for name, data in extra:
        out += chunk(name, data)
    return out + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def jpeg(width, height, components, start=0xC0, scans=1):
    """Gray in every block: each table of codes has one code, of one bit."""
    def segment(marker, data):
        return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data
    out = b"\xff\xd8" + segment(0xDB, b"\0" + b"\1" * 64)
    sampling = 0x22 if components == 3 else 0x11
    parts = b"".join(bytes([i + 1, sampling if i == 0 else 0x11, 0]) for i in range(components))
    out += segment(start, struct.pack(">BHHB", 8, height, width, components) + parts)
    for kind in (0x00, 0x10):
        out += segment(0xC4, bytes([kind, 1] + [0] * 15 + [0]))
    ids = b"".join(bytes([i + 1, 0]) for i in range(components))
    spectrum = b"\0\x3f\0" if start == 0xC0 else b"\0\0\0"
    for _ in range(scans):
        out += segment(0xDA, bytes([components]) + ids + spectrum) + b"\0" * 12
    return out + b"\xff\xd9"


def pictures():
    blocks = bytes(range(64))
    masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    yield "dds_bc1", dds(8, 8, 4, b"DXT1", pixels=blocks[:32])
    yield "dds_bc2", dds(5, 7, 4, b"DXT3", pixels=blocks)
    yield "dds_bc3", dds(8, 8, 4, b"DXT5", pixels=blocks)
    yield "dds_rgba", dds(4, 4, 0x41, bits=32, masks=masks, pixels=blocks)
    yield "dds_rgb", dds(4, 4, 0x40, bits=24, masks=masks[:3] + (0,), pixels=blocks)
    yield "dds_565", dds(4, 4, 0x40, bits=16, masks=(0xF800, 0x7E0, 0x1F, 0), pixels=blocks)
    yield "dds_gray", dds(4, 4, 0x20000, bits=8, masks=(0xFF, 0, 0, 0), pixels=blocks)
    yield "dds_alpha", dds(4, 4, 2, bits=8, masks=(0, 0, 0, 0xFF), pixels=blocks)
    for number in (28, 61, 71, 74, 77, 86, 115):
        yield "dds_dx10_%d" % number, dds(4, 4, 4, b"DX10", pixels=blocks,
                                          more=struct.pack("<5I", number, 3, 0, 1, 0))
    for kind, bits in ((2, 15), (2, 16), (2, 24), (2, 32), (3, 8), (3, 16)):
        yield "tga_%d_%d" % (kind, bits), tga(kind, bits)
    yield "tga_map", tga(1, 8, color_map=bytes(range(48)), map_count=16, map_bits=24, flags=0)
    yield "tga_map_16", tga(1, 16, color_map=bytes(range(32)), map_count=16, map_bits=16)
    yield "tga_turned", tga(2, 24, flags=0x10)
    yield "tga_packed", tga(10, 24, pixels=b"\x85\1\2\3\x01\4\5\6\7\x08\x09\x83\7\7\7")
    yield "tga_packed_gray", tga(11, 8, width=200, height=2, pixels=b"\xff\1\xff\2\xff\3\x8f\4")
    yield "png_rgb", png(3, 2, 8, 2, b"\0" + b"abc" * 3 + b"\1" + b"abc" * 3)
    yield "png_rgba", png(2, 2, 8, 6, b"\2" + b"abcd" * 2 + b"\4" + b"abcd" * 2)
    yield "png_gray", png(3, 1, 8, 0, b"\0abc")
    yield "png_gray_alpha", png(2, 1, 16, 4, b"\0abcdefgh")
    yield "png_bits", png(9, 2, 1, 0, b"\0\xaa\x80\3\x55\0")
    yield "png_map", png(4, 2, 4, 3, b"\0\x01\x23\0\x32\x10",
                         [(b"PLTE", bytes(range(12))), (b"tRNS", b"\0\x80")])
    yield "png_gamma", png(2, 1, 8, 2, b"\0abcdef", [(b"gAMA", struct.pack(">I", 100000))])
    yield "png_interlaced", png(2, 2, 8, 0, b"\0a\0b\0cd", interlace=1)
    yield "png_huge", png(8192, 8192, 8, 6, b"")
    yield "jpeg_gray", jpeg(8, 8, 1)
    yield "jpeg_color", jpeg(16, 16, 3)
    yield "jpeg_cmyk", jpeg(8, 8, 4)
    yield "jpeg_progressive", jpeg(8, 8, 1, start=0xC2)
    yield "jpeg_scans", jpeg(8, 8, 1, start=0xC2, scans=8)
    yield "jpeg_large", jpeg(1024, 1024, 1)


# -- Bundles

MATERIAL = (b"material paint\n{\n sampler u_diffuseTexture\n {\n  path = m.png\n }\n"
            b" u_diffuseColor = 1, 0.5, 0, 1\n}\nmaterial body : paint\n{\n}\n")
MTL = (b"newmtl paint\nKd 1 0.5 0\nd 0.5\nmap_Kd -s 2 2 2 -o 1 0 0 -clamp on m.png\n"
       b"map_Bump m.dds\nnewmtl a\nPr 0.5\n")
OBJ = (b"mtllib m.mtl other.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
       b"g a\nusemtl paint\nf 1/1/1 2/1/1 3/1/1\nusemtl a\nf 1//1 3//1 2//1\n")
GLTF = (b'{"asset":{"version":"2.0"},"buffers":[{"uri":"m.bin","byteLength":48}],"bufferViews":'
        b'[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":12}],"accessors":'
        b'[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],'
        b'"max":[1,1,0]}],"images":[{"uri":"m.png"}],"textures":[{"source":0}],"materials":'
        b'[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"meshes":[{"primitives":'
        b'[{"attributes":{"POSITION":0},"material":0}]}],"nodes":[{"mesh":0}],"scenes":'
        b'[{"nodes":[0]}]}')
BUFFER = struct.pack("<9f3I", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)
SIDECAR = (b'{"defaultAnim":"rest","model":{"rotation":[0,90,0],"scale":2},"clips":[{"name":'
           b'"rest","start":0,"end":1,"hold":true},{"name":"run","start":1,"end":3,"loop":true,'
           b'"speed":2}]}')


def streams():
    """With the size of the data in front."""
    data = b"".join(struct.pack("<d", i % 37 / 8) for i in range(400)) + bytes(300)
    for name, strategy, level in (("stored", 0, 0), ("usual", 0, 9), ("codes", 2, 9),
                                  ("fixed", 4, 9), ("runs", 3, 9)):
        deflate = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
        packed = deflate.compress(data) + deflate.flush()
        yield name, struct.pack("<H", len(data)) + packed


def bundle(*files):
    return b"\n".join(b"@@" + name.encode() + b"\n" + data for name, data in files)


def side_files(form):
    """The files beside a model of a format."""
    small = dict(pictures())
    images = [("png", small["png_rgb"]), ("dds", small["dds_bc1"])]
    clips = [("bbanim", (FIXTURES / "bbanim" / name).read_bytes())
             for name in ("3.4_events.bbanim", "3.4_empty.bbanim")]
    return {"bbmod": [("bbmat", (SAMPLES / "crane_paint.bbmat").read_bytes())] + clips + images[:1],
            "bmw": [("json", SIDECAR)] + images, "gpb": [("material", MATERIAL)] + images[:1],
            "gltf": [("bin", BUFFER)] + images[:1], "obj": [("mtl", MTL)] + images}[form]


MODELS = {"bbmod": "3.4_full.bbmod 3.4_skinned.bbmod 2_static.bbmod", "gltf": "materials.gltf",
          "bmw": "R4_full.bmw R4_turned.bmw R2_full.bmw", "obj": "objects.obj",
          "gpb": "1_5_scene.gpb 1_5_branches.gpb 1_2_scene.gpb"}


def models(form):
    for name in MODELS[form].split():
        path = FIXTURES / form / name
        yield path.stem.replace(".", "_"), path.suffix[1:], path.read_bytes()
    if form == "gltf":
        yield "buffer", "gltf", GLTF
    if form == "obj":
        yield "libraries", "obj", OBJ


def bundles(form):
    for stem, extension, data in models(form):
        yield "%s_%s" % (form, stem), bundle((extension, data), *side_files(form))


def commands():
    """Bundles with the bytes that choose a command and its options."""
    for form in MODELS:
        for stem, extension, data in models(form):
            for step in range(6):
                name = "%s_%s_%d" % (form, stem, step)
                # Where a line break could start a mark, the bytes are no longer one file.
                args = hashlib.sha256(name.encode()).digest().replace(b"\n", b"\t")
                yield name, bundle((extension, data), *side_files(form), ("args", args))


# -- Compressed buffer views

def views():
    """Data of every mode and filter, in both versions, with the bytes that say what it is."""
    chance = random.Random(1)
    for version in range(2):
        for number, stride in enumerate((12, 8, 8, 12, 4)):
            plain = bytes(chance.choice((0, 1, 2, 255, chance.randrange(256)))
                          for _ in range(40 * stride))
            yield ("filter%d_v%d" % (number, version),
                   bytes((0, number, stride // 4, 40, 0)) +
                   meshopt.attributes(plain, stride, version, chance))
        corners = [corner for i in range(12) for corner in (i, i + 1, i + 2)] + [0, 1, 2, 5, 9, 3]
        data, _ = meshopt.triangles(corners, version, chance)
        yield "triangles_v%d" % version, bytes((1, 0, 2, len(corners), 0)) + data
    yield "indices", bytes((2, 0, 4, 20, 0)) + meshopt.indices(list(range(10)) * 2, chance)


# -- Writing them

def all_seeds():
    for name, data in pictures():
        yield CORPUS / "picture" / name, data
    for name, data in streams():
        yield CORPUS / "inflate" / name, data
    for name, data in views():
        yield CORPUS / "meshopt" / name, data
    for form in MODELS:
        for name, data in bundles(form):
            yield CORPUS / "beside" / name, data
    for name, data in commands():
        yield CORPUS / "tool" / name, data


def stale():
    return [path for path, data in all_seeds() if not path.exists() or path.read_bytes() != data]


def main():
    if sys.argv[1:] == ["--check"]:
        for path in stale():
            print("not as tools/fuzz_seeds.py makes it: %s" % path.relative_to(ROOT))
        sys.exit(bool(stale()))
    for path, data in all_seeds():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
