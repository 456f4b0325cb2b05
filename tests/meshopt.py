"""meshopt.py: an encoder and the filters of EXT_meshopt_compression, for tests.

It makes what a decoder has to understand, not small files: of the encodings that fit it chooses one
at random. The filters are those of the specification, in numbers of Python.
"""
# SPDX-License-Identifier: MIT

import math
import struct

GROUP, BLOCK_BYTES, BLOCK_MOST = 16, 8192, 256


def zigzag(value, bits):
    value &= (1 << bits) - 1
    return ((value << 1) ^ (-(value >> (bits - 1)))) & ((1 << bits) - 1)


def number(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


# -- Attributes

def group(values, bits):
    """16 bytes in fields of so many bits; those that do not fit follow."""
    if bits == 0:
        return None if any(values) else b""
    if bits == 8:
        return bytes(values)
    top, fields, rest = (1 << bits) - 1, [], b""
    for value in values:
        fields.append(min(value, top))
        if value >= top:
            rest += bytes([value])
    packed = bytearray(2 * bits)
    for i, field in enumerate(fields):
        bit = i * bits % 8
        packed[i * bits // 8] |= field << (bit if bits == 1 else 8 - bits - bit)
    return bytes(packed) + rest


def groups(values, widths, random):
    values = values + [0] * (-len(values) % GROUP)
    headers, out = [], b""
    for first in range(0, len(values), GROUP):
        packed = [group(values[first:first + GROUP], width) for width in widths]
        choice = random.choice([i for i, data in enumerate(packed) if data is not None])
        headers.append(choice)
        out += packed[choice]
    headers += [0] * (-len(headers) % 4)
    return bytes(a | b << 2 | c << 4 | d << 6
                 for a, b, c, d in zip(*(headers[i::4] for i in range(4)))) + out


def deltas(rows, last, channel):
    """Four lists of bytes: the differences of four bytes of each row."""
    kind, turn, out = channel & 3, channel >> 4, [[], [], [], []]
    for row in rows:
        if kind == 2:
            change = int.from_bytes(row, "little") ^ int.from_bytes(last, "little")
            coded = ((change << turn | change >> (32 - turn)) & 0xffffffff).to_bytes(4, "little")
        else:
            size = 2 if kind == 1 else 1
            coded = b"".join(
                zigzag(int.from_bytes(row[k:k + size], "little") -
                       int.from_bytes(last[k:k + size], "little"),
                       8 * size).to_bytes(size, "little")
                for k in range(0, 4, size))
        for k in range(4):
            out[k].append(coded[k])
        last = row
    return out


def attributes(data, stride, version, random):
    rows = [data[i:i + stride] for i in range(0, len(data), stride)]
    most = min(BLOCK_BYTES // stride // GROUP * GROUP, BLOCK_MOST)
    channels = [random.choice((0, 1, 2 | random.randrange(16) << 4)) if version else 0
                for _ in range(stride // 4)]
    out, last = bytes([0xa0 | version]), rows[0]
    for first in range(0, len(rows), most):
        block, controls, body = rows[first:first + most], [], b""
        for k in range(0, stride, 4):
            parts = deltas([row[k:k + 4] for row in block], last[k:k + 4], channels[k // 4])
            control = 0
            for j, part in enumerate(parts):
                choice = random.choice((0, 1, 3) + ((2,) if not any(part) else ()))
                if not version:
                    body += groups(part, (0, 2, 4, 8), random)
                elif choice == 3:
                    body += bytes(part)
                elif choice != 2:
                    body += groups(part, ((0, 1, 2, 4), (1, 2, 4, 8))[choice], random)
                control |= choice << 2 * j
            controls.append(control)
        out += (bytes(controls) if version else b"") + body
        last = block[-1]
    tail = rows[0] + (bytes(channels) if version else b"")
    return out + bytes(max((24 if version else 32) - len(tail), 0)) + tail


# -- Indices

def indices(values, random):
    out, last = b"\xd1", [0, 0]
    for value in values:
        side = random.randrange(2)
        out += number(zigzag(value - last[side], 32) << 1 & 0xffffffff | side)
        last[side] = value
    return out + bytes(4)


class Triangles:
    """The state that encoder and decoder share: edges, vertices, the next and the last vertex."""

    def __init__(self, version):
        self.edges, self.vertices = [(None, None)] * 16, [None] * 16
        self.next, self.last = 0, 0
        self.most = 13 if version else 15
        self.codes, self.data, self.table = b"", b"", [0] * 16

    def edge(self, a, b):
        self.edges = [(a, b)] + self.edges[:15]

    def vertex(self, a):
        self.vertices = [a] + self.vertices[:15]

    def free(self, value):
        self.data += number(zigzag(value - self.last, 32))
        self.last = value

    def add(self, corners, random):
        """Returns the corners as they are read: another may be the first."""
        turned = [corners[turn:] + corners[:turn] for turn in range(3)]
        for a, b, c in turned:
            if (a, b) in self.edges[:15] and random.random() < 0.9:
                self.at_edge(self.edges.index((a, b)), a, b, c)
                return a, b, c
        # A corner that is new comes first: a code of 0 and two new ones after it mean a restart.
        first = next((t for t in turned if t[0] == self.next), corners)
        if sorted(corners) == [0, 1, 2] and self.next and random.random() < 0.9:
            first, self.next = (0, 1, 2), 3
            self.codes += b"\xfe"
            self.data += b"\x00"
            self.keep(first, (0, 0, 0))
        else:
            self.apart(first)
        return first

    def at_edge(self, edge, a, b, c):
        if c == self.next:
            code, self.next = 0, self.next + 1
        elif c in self.vertices[1:self.most]:
            code = self.vertices.index(c, 1)
        elif self.most == 13 and abs(c - self.last) == 1:
            code, self.last = 13 if c < self.last else 14, c
        else:
            code = 15
            self.free(c)
        self.codes += bytes([edge << 4 | code])
        if code == 0 or code >= self.most:
            self.vertex(c)
        self.edge(c, b)
        self.edge(a, c)

    def apart(self, corners):
        codes = []
        for corner in corners:
            if corner == self.next:
                codes.append(0)
                self.next += 1
            elif codes and corner in self.vertices[:14]:
                codes.append(self.vertices.index(corner) + 1)
            else:
                codes.append(15)
        more = codes[1] << 4 | codes[2]
        if codes[0] == 0 and 15 not in codes:
            if more not in self.table and 0 in self.table[1:14]:
                self.table[self.table.index(0, 1)] = more
        if codes[0] == 0 and 15 not in codes and more in self.table[:14]:
            self.codes += bytes([0xf0 | self.table.index(more)])
        else:
            self.codes += b"\xfe" if codes[0] == 0 else b"\xff"
            self.data += bytes([more])
        for corner, code in zip(corners, codes):
            if code == 15:
                self.free(corner)
        self.keep(corners, codes)

    def keep(self, corners, codes):
        for corner, code in zip(corners, codes):
            if code in (0, 15):
                self.vertex(corner)
        a, b, c = corners
        self.edge(b, a)
        self.edge(c, b)
        self.edge(a, c)


def triangles(values, version, random):
    """Returns the data, and the indices as they are read."""
    coder, order = Triangles(version), []
    for i in range(0, len(values), 3):
        order += coder.add(tuple(values[i:i + 3]), random)
    return bytes([0xe0 | version]) + coder.codes + coder.data + bytes(coder.table), order


# -- Filters: what bytes become

def rounded(value):
    return int(value + (0.5 if value >= 0 else -0.5))


def octahedral(data, size):
    kind, top = ("b", 127) if size == 1 else ("h", 32767)
    out = b""
    for x, y, one, w in struct.iter_unpack(f"<4{kind}", data):
        z = one - abs(x) - abs(y)
        below = min(z, 0)
        x, y = x + (below if x >= 0 else -below), y + (below if y >= 0 else -below)
        scale = top / math.sqrt(x * x + y * y + z * z)
        out += struct.pack(f"<4{kind}", *(rounded(v * scale) for v in (x, y, z)), w)
    return out


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def exponential(data):
    return b"".join(struct.pack("<f", math.ldexp(signed(v & 0xffffff, 24), signed(v >> 24, 8)))
                    for v, in struct.iter_unpack("<I", data))


def quaternion(data):
    out = b""
    for *three, last in struct.iter_unpack("<4h", data):
        unit = math.sqrt(0.5) / (last | 3)
        small = [v * unit for v in three]
        rest = 1 - sum(v * v for v in small)
        row, missing = [0] * 4, last & 3
        for k, v in enumerate(small):
            row[(missing + 1 + k) & 3] = rounded(v * 32767)
        row[missing] = rounded(math.sqrt(max(rest, 0)) * 32767)
        out += struct.pack("<4h", *row)
    return out


def color(data, size):
    kind, top = ("B", 255) if size == 1 else ("H", 65535)
    out = b""
    for luma, orange, green, alpha in struct.iter_unpack(f"<4{kind}", data):
        orange, green = signed(orange, 8 * size), signed(green, 8 * size)
        most = (1 << alpha.bit_length()) - 1
        row = (luma + orange - green, luma + green, luma - orange - green,
               (alpha << 1 & most) | (alpha & 1))
        out += struct.pack(f"<4{kind}", *(min(max(rounded(v * (top / most)), 0), top)
                                          for v in row))
    return out
