"""Shapes that parts are made of: lofts with flat faces, and a smooth tube."""
# SPDX-License-Identifier: MIT

from dataclasses import dataclass, field, replace

from crane.maths import add, cross, f32s, mix, normalize, scale, sin_cos, sub
from crane.model import Vertex


@dataclass
class Shape:
    """Vertices and triangles under construction."""
    vertices: list = field(default_factory=list)
    triangles: list = field(default_factory=list)

    def add_face(self, corners, uvs):
        """A flat convex face, its corners counter-clockwise seen from outside."""
        first = len(self.vertices)
        normal = f32s(normalize(_face_normal(corners)))
        for corner, uv in zip(corners, uvs):
            self.vertices.append(Vertex(f32s(corner), normal, uv))
        for k in range(1, len(corners) - 1):
            self.triangles.append((first, first + k, first + k + 1))

    def __add__(self, other):
        first = len(self.vertices)
        moved = [tuple(first + i for i in triangle) for triangle in other.triangles]
        return Shape(self.vertices + other.vertices, self.triangles + moved)


def _face_normal(corners):
    """Twice the area vector, which for a bent quad is the mean of its two halves."""
    total = (0.0, 0.0, 0.0)
    for k in range(1, len(corners) - 1):
        total = add(total, cross(sub(corners[k], corners[0]), sub(corners[k + 1], corners[0])))
    return total


def on_grid(value):
    """Texture coordinates are whole 1024ths, so that 1 - v is exact in single precision."""
    return round(value * 1024.0) / 1024.0


def _rect_uvs(rect):
    """Corners of a rectangle (left, top, right, bottom), counter-clockwise from bottom left."""
    left, top, right, bottom = rect
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def _cap_uvs(rect, count):
    """Texture coordinates of a face of `count` corners: the rectangle's own, or a ring in it."""
    if count == 4:
        return _rect_uvs(rect)
    left, top, right, bottom = rect
    uvs = []
    for k in range(count):
        s, c = sin_cos(360.0 * k / count)
        u, v = mix((left, top), (right, bottom), 0.5)
        uvs.append((on_grid(u + c * (right - left) / 2), on_grid(v - s * (bottom - top) / 2)))
    return uvs


def loft(sections, sides, caps):
    """Flat faces between successive closed sections, and over the first and the last.

    Sections run counter-clockwise seen from the last one. `sides` is one texture rectangle per
    edge of a section; `caps` two for the ends, None to leave an end open.
    """
    shape = Shape()
    count = len(sections[0])
    if caps[0]:
        shape.add_face(sections[0][::-1], _cap_uvs(caps[0], count))
    for low, high in zip(sections, sections[1:]):
        for k in range(count):
            after = (k + 1) % count
            shape.add_face([low[k], low[after], high[after], high[k]], _rect_uvs(sides[k]))
    if caps[1]:
        shape.add_face(sections[-1], _cap_uvs(caps[1], count))
    return shape


def box(center, size, rect, front=None, closed=True):
    """A box, upright; `front` is a texture rectangle for its +Z face alone."""
    x, y, z = scale(size, 0.5)
    plan = [(-x, z), (x, z), (x, -z), (-x, -z)]
    sections = [[add(center, (px, h, pz)) for px, pz in plan] for h in (-y, y)]
    caps = (rect, rect) if closed else (None, None)
    return loft(sections, [front or rect, rect, rect, rect], caps)


def ring(center, right, up, radius, count):
    """Corners of a regular polygon, counter-clockwise seen from the side of `right` x `up`."""
    corners = []
    for k in range(count):
        s, c = sin_cos(360.0 * k / count)
        corners.append(add(center, add(scale(right, c * radius), scale(up, s * radius))))
    return corners


def tube(start, length, radius, sides, rings, rect):
    """A smooth open tube, `length` downwards from `start`.

    Every ring has its first vertex twice, so that the texture can go all the way round.
    """
    shape = Shape()
    left, top, right, bottom = rect
    for i in range(rings):
        v = on_grid(top + (bottom - top) * i / (rings - 1))
        for k in range(sides + 1):
            s, c = sin_cos(360.0 * (k % sides) / sides)
            spot = add(start, (s * radius, -length * i / (rings - 1), c * radius))
            u = on_grid(left + (right - left) * k / sides)
            shape.vertices.append(Vertex(f32s(spot), f32s((s, 0.0, c)), (u, v)))
    for i in range(rings - 1):
        for k in range(sides):
            a = i * (sides + 1) + k
            b = a + sides + 1
            shape.triangles += [(b, b + 1, a + 1), (b, a + 1, a)]
    return shape


def tint(shape, bottom, top):
    """Vertex colors from `bottom` at the shape's lowest point to `top` at its highest."""
    heights = [vertex.position[1] for vertex in shape.vertices]
    low, span = min(heights), max(heights) - min(heights)
    painted = []
    for vertex in shape.vertices:
        color = mix(bottom, top, (vertex.position[1] - low) / span)
        painted.append(replace(vertex, color=tuple(round(c) for c in color)))
    return Shape(painted, shape.triangles)
