"""A small BPLX reader, which shares nothing with the packer, to check our samples.

    parse(data, "document")       a dict, or ParseError
    layouts(data)                 the layouts that read the file to its very last byte
"""
# SPDX-License-Identifier: MIT

import struct

LAYOUTS = ("document", "script")


class ParseError(Exception):
    pass


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise ParseError("%d bytes wanted at %d of %d" % (count, self.at, len(self.data)))
        self.at += count
        return self.data[self.at - count:self.at]

    def fields(self, pattern):
        """Little-endian fields by the letters of struct."""
        values = []
        for letter in pattern:
            raw = self.take(1 if letter == "B" else 4)
            values.append(struct.unpack("<" + letter, raw)[0])
        return tuple(values)

    def count(self):
        return self.fields("I")[0]

    def name(self):
        return self.take(self.count())

    def rows(self, count, pattern):
        if count * 4 * len(pattern) > len(self.data) - self.at:
            raise ParseError("%d rows wanted at %d" % (count, self.at))
        return [self.fields(pattern) for _ in range(count)]


def _material(source):
    name, numbers = source.name(), source.fields("f" * 11)
    return {"name": name, "diffuse": numbers[0:3], "specular": numbers[3:6],
            "shininess": numbers[6], "emissive": numbers[7:10], "transparency": numbers[10],
            "is_textured": source.fields("B")[0], "texture": source.name()}


def _bone(source):
    name, (parent,), numbers = source.name(), source.fields("i"), source.fields("f" * 10)
    return {"name": name, "parent": parent, "position": numbers[0:3], "rotation": numbers[3:7],
            "scale": numbers[7:10]}


def _clip(source):
    name, (length, key_count) = source.name(), source.fields("fI")
    keys = [{"time": row[0], "bone": row[1], "position": row[2:5], "rotation": row[5:9],
             "scale": row[9:12]} for row in source.rows(key_count, "fI" + "f" * 10)]
    return {"name": name, "length": length, "keys": keys}


def _list(source, item):
    return [item(source) for _ in range(source.count())]


def parse(data, layout):
    """The file's content under one layout; ParseError unless it ends exactly where that does."""
    source = _Bytes(data)
    if source.take(4) != b"BPLX":
        raise ParseError("no BPLX")
    version, vertex_count, face_count, material_count, reserved = source.fields("IIIII")
    model = {"version": version, "material_count": material_count, "reserved": reserved}
    model["materials"] = _list(source, _material) if layout == "document" else []
    model["positions"] = source.rows(vertex_count, "fff")
    model["normals"] = source.rows(vertex_count, "fff")
    model["uvs"] = source.rows(vertex_count, "ff")
    model["faces"] = source.rows(face_count, "III")
    model["bones"] = _list(source, _bone)
    model["clips"] = _list(source, _clip)
    if source.at != len(data):
        raise ParseError("%d bytes left over" % (len(data) - source.at))
    return model


def layouts(data):
    """Every layout under which the file is read to its last byte, and no further."""
    fitting = []
    for layout in LAYOUTS:
        try:
            parse(data, layout)
        except ParseError:
            continue
        fitting.append(layout)
    return fitting
