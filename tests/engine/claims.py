#!/usr/bin/env python3
"""claims.py: whether two models are drawn alike, at rest and in their clips.

Both are loaded as their engines, or specifications, have them. A triangle of one has to be among
those of the other, each corner within a distance and with the same winding; where there is none,
because a polygon was cut otherwise or a face has no area, its corners have to be corners of the
other and points inside of it on the other's surface. Large models are sampled, always in the same
way. Which triangles belong together is found at rest, so that in clips only those are posed.
"""
# SPDX-License-Identifier: MIT

import math
import sys
import types
from collections import defaultdict
from itertools import product

sys.dont_write_bytecode = True

import bbmod  # noqa: E402
import beowolf  # noqa: E402
import bplx  # noqa: E402
import coreengine  # noqa: E402
import gameplay  # noqa: E402
import gltf  # noqa: E402
import wavefront  # noqa: E402
from common import (Missing, Refused, centre, cross, dot, gap, lerp, subtract)  # noqa: E402

LOADERS = {"gpb": gameplay, "bbmod": bbmod, "bmw": beowolf, "cem": coreengine, "cea": coreengine,
           "bplx": bplx, "glb": gltf, "gltf": gltf, "obj": wavefront}
MOST_AT_REST = 2000   # Triangles that are searched for.
MOST_IN_CLIPS = 500
MOST_TIMES = 8        # Of a clip.
MOST_ON_SURFACE = 100
MOST_PARTNERS = 16    # Of a triangle that is there several times.
MOST_CLIPS = 8        # Of a model.
SLACK = 1e-6          # Of the largest coordinate: numbers have 24 bits.


def load(path, view=None):
    kind = path.suffix[1:].lower()
    options = types.SimpleNamespace(format=kind, rate=24.0,
                                    view=view or next(iter(LOADERS[kind].VIEWS)))
    return LOADERS[kind].load(path, options)


def load_source(path):
    """A model of other programs may contain more than its engine uses."""
    return load(path, {".bmw": "tree", ".gpb": "file"}.get(path.suffix.lower()))


def spread(count, most):
    """At most `most` of `count` numbers, evenly."""
    return range(count) if count <= most else [i * count // most for i in range(most)]


# -- Triangles

class Side:
    """A model with all triangles of its rest pose."""

    def __init__(self, model):
        self.model = model
        self.counts = [len(mesh.triangles) for mesh, _ in model.draws(None, 0)]
        self.rest, _ = model.pose(None, 0)
        self.grid, self.cell = None, 0.0

    def pose(self, clip, seconds, numbers):
        """Triangles with these numbers at a time: {number: triangle}."""
        numbers, chosen, start = sorted(numbers), [], 0
        place = 0
        for count in self.counts:
            mine = []
            while place < len(numbers) and numbers[place] < start + count:
                mine.append(numbers[place] - start)
                place += 1
            chosen.append(mine)
            start += count
        return dict(zip(numbers, self.model.pose(clip, seconds, chosen)[0]))

    def box(self):
        points = [corner for triangle in self.rest for corner in triangle]
        return [[limit(p[axis] for p in points) for axis in range(3)] for limit in (min, max)]

    def near(self, triangle, allowed, turned=False):
        """Numbers of the triangles at rest whose corners are within a distance of these."""
        if self.cell != 4 * allowed:
            self.grid, self.cell = defaultdict(list), 4 * allowed
            for number, other in enumerate(self.rest):
                key = tuple(math.floor(v / self.cell) for v in centre(other))
                self.grid[key].append(number)
        if turned:
            triangle = triangle[::-1]
        ranges = [range(math.floor((v - allowed) / self.cell),
                        math.floor((v + allowed) / self.cell) + 1) for v in centre(triangle)]
        return [number for key in product(*ranges) for number in self.grid.get(key, ())
                if gap(triangle, self.rest[number]) <= allowed]


class Surface:
    """Triangles in a grid, to find those within a distance of a point."""

    def __init__(self, triangles, allowed):
        self.triangles, self.allowed = triangles, allowed
        points = [corner for triangle in triangles for corner in triangle]
        self.corners = defaultdict(set)
        for point in points:
            self.corners[tuple(math.floor(v / (4 * allowed)) for v in point)].add(point)
        self.low = [min(p[axis] for p in points) - allowed for axis in range(3)]
        size = max(max(p[axis] for p in points) - self.low[axis] for axis in range(3)) + allowed
        self.cell = size / min(max(round(len(triangles) ** (1 / 3)), 4), 24)
        self.grid = defaultdict(list)
        for triangle in triangles:
            spans = [range(self.step(min(c[axis] for c in triangle) - allowed, axis),
                           self.step(max(c[axis] for c in triangle) + allowed, axis) + 1)
                     for axis in range(3)]
            for key in product(*spans):
                self.grid[key].append(triangle)

    def step(self, value, axis):
        return math.floor((value - self.low[axis]) / self.cell)

    def has_corner(self, point):
        spans = [range(math.floor((v - self.allowed) / (4 * self.allowed)),
                       math.floor((v + self.allowed) / (4 * self.allowed)) + 1) for v in point]
        return any(math.dist(point, other) <= self.allowed for key in product(*spans)
                   for other in self.corners.get(key, ()))

    def at(self, point):
        key = tuple(self.step(point[axis], axis) for axis in range(3))
        return [t for t in self.grid.get(key, ())
                if distance_to_triangle(point, t) <= self.allowed]

    def distance(self, point, to_corners):
        if to_corners:
            return min(math.dist(point, c) for t in self.triangles for c in t)
        return min(distance_to_triangle(point, t) for t in self.triangles)


def distance_to_triangle(p, triangle):
    """After Ericson, Real-Time Collision Detection, 5.1.5."""
    a, b, c = triangle
    ab, ac, ap = subtract(b, a), subtract(c, a), subtract(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0 and d2 <= 0:
        return math.dist(p, a)
    bp = subtract(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0 and d4 <= d3:
        return math.dist(p, b)
    cp = subtract(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0 and d5 <= d6:
        return math.dist(p, c)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if vc <= 0 <= d1 and d3 <= 0 and d1 != d3:
        return math.dist(p, lerp(a, b, d1 / (d1 - d3)))
    if vb <= 0 <= d2 and d6 <= 0 and d2 != d6:
        return math.dist(p, lerp(a, c, d2 / (d2 - d6)))
    if va <= 0 and d4 >= d3 and d5 >= d6 and (d4 - d3) + (d5 - d6) > 0:
        return math.dist(p, lerp(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6))))
    total = va + vb + vc
    if total == 0:
        return min(math.dist(p, corner) for corner in triangle)
    v, w = vb / total, vc / total
    return math.dist(p, tuple(a[k] + ab[k] * v + ac[k] * w for k in range(3)))


def face_of(triangle):
    a, b, c = triangle
    return cross(subtract(b, a), subtract(c, a))


def height_of(triangle):
    """The smallest: how far a corner is from the opposite edge, at least."""
    longest = max(math.dist(triangle[i], triangle[i - 1]) for i in range(3))
    face = face_of(triangle)
    return math.sqrt(dot(face, face)) / longest if longest else 0.0


def off_surface(triangle, surface, allowed):
    """How far points of a triangle are from a surface, and whether it faces the other way."""
    for corner in triangle:
        if not surface.has_corner(corner):
            return surface.distance(corner, True), False
    for point in [centre(triangle)] + [lerp(triangle[i], triangle[i - 1], 0.5) for i in range(3)]:
        if not surface.at(point):
            return surface.distance(point, False), False
    if height_of(triangle) <= 4 * allowed:
        return 0.0, False
    face = face_of(triangle)
    return 0.0, all(dot(face, face_of(t)) < 0 for t in surface.at(centre(triangle)))


# -- Comparing

class Fault:
    def __init__(self, pose, distance, remark):
        self.pose, self.distance, self.remark = pose, distance, remark


class Direction:
    """Triangles of one model that are searched for in another."""

    def __init__(self, ours, theirs, allowed, is_back):
        self.ours, self.theirs, self.allowed = ours, theirs, allowed
        self.is_back, self.prefix = is_back, "of the result " if is_back else ""
        self.partners, self.alone = {}, []
        self.turned = []
        for number in spread(len(ours.rest), MOST_AT_REST):
            triangle = ours.rest[number]
            found = theirs.near(triangle, allowed)
            if found:
                self.partners[number] = found[:MOST_PARTNERS]
            elif theirs.near(triangle, allowed, True) and height_of(triangle) > 4 * allowed:
                self.turned.append(number)
            else:
                self.alone.append(number)
        numbers = list(self.partners)
        self.few = [numbers[i] for i in spread(len(numbers), MOST_IN_CLIPS)]
        self.their_few = {j for number in self.few for j in self.partners[number]}

    def surface_fault(self, pose, triangles, others):
        """A fault of triangles that have no partner; others is the surface."""
        if not triangles:
            return None
        if not others:
            return Fault(pose, math.inf, f"all {self.prefix}triangles are missing")
        surface, worst, turned = Surface(others, self.allowed), 0.0, 0
        chosen = [triangles[i] for i in spread(len(triangles), MOST_ON_SURFACE)]
        for triangle in chosen:
            distance, is_turned = off_surface(triangle, surface, self.allowed)
            worst, turned = max(worst, distance), turned + is_turned
        if worst > self.allowed:
            return Fault(pose, worst, f"{len(triangles)} triangles {self.prefix}have no partner "
                         "and are off the surface")
        if turned:
            return Fault(pose, 0.0, f"{turned} triangles {self.prefix}inside out")
        return None

    def rest_fault(self):
        if self.turned:
            return Fault("rest", 0.0, f"{len(self.turned)} triangles {self.prefix}inside out")
        return self.surface_fault("rest", [self.ours.rest[n] for n in self.alone],
                                  self.theirs.rest)

    def clip_fault(self, clips, seconds, ours, theirs):
        """A fault at a time of a clip. `clips` has the names in our and in their model; ours and
        theirs are {number: triangle}."""
        pose = f"{clips[self.is_back]} {seconds:.4g} s"
        gaps = [min(gap(ours[n], theirs[j]) for j in self.partners[n]) for n in self.few]
        off = sum(not distance <= self.allowed for distance in gaps)
        if off:
            return Fault(pose, max(gaps), f"{off} of {len(gaps)} triangles {self.prefix}differ")
        if not self.alone:
            return None
        alone = [self.alone[i] for i in spread(len(self.alone), MOST_ON_SURFACE)]
        return self.surface_fault(pose, list(self.ours.pose(clips[0], seconds, alone).values()),
                                  self.theirs.model.pose(clips[1], seconds)[0])


class Comparison:
    """`faults` is empty if the result is drawn like the source, as far as was compared."""

    def __init__(self, source, target, tolerance, only_rest):
        self.source, self.target, self.faults = source, target, []
        self.poses, self.skipped, self.looked_at = 1, [], 0
        self.diagonal = 0.0
        if not source.rest and not target.rest:
            self.skipped.append("no triangles")
            return
        low, high = (source if source.rest else target).box()
        self.diagonal = math.dist(low, high)
        allowed = tolerance * self.diagonal + SLACK * max(abs(v) for v in low + high)
        self.allowed = max(allowed, 1e-12)
        if any(not all(map(math.isfinite, corner)) for side in (source, target)
               for triangle in side.rest for corner in triangle):
            self.faults.append(Fault("rest", math.inf, "positions that are not finite"))
            return
        ways = [Direction(source, target, self.allowed, False),
                Direction(target, source, self.allowed, True)]
        self.looked_at = sum(len(spread(len(way.ours.rest), MOST_AT_REST)) for way in ways)
        self.faults += [fault for fault in (way.rest_fault() for way in ways) if fault][:1]
        if not only_rest and not self.faults:
            self.compare_clips(ways)

    def share(self, fault):
        return fault.distance / self.diagonal if self.diagonal else fault.distance

    def compare_clips(self, ways):
        ours, theirs = self.source.model, self.target.model
        if ours.no_clips or theirs.no_clips:
            if ours.clips or theirs.clips:
                self.skipped.append(f"clips: {ours.no_clips or theirs.no_clips}")
            return
        pairs = clip_pairs(ours, theirs)
        for clips in [pairs[i] for i in spread(len(pairs), MOST_CLIPS)]:
            self.compare_clip(clips, ways)
        if len(pairs) > MOST_CLIPS:
            self.skipped.append(f"{len(pairs) - MOST_CLIPS} of {len(pairs)} clips")

    def compare_clip(self, clips, ways):
        times = times_of(self.source.model, self.target.model, clips)
        if clips[1] is None:
            if any(self.moves(ways[0], clips[0], t) for t in times):
                self.faults.append(Fault(clips[0], math.inf, "the clip is missing"))
            return
        if not times:
            self.skipped.append(f"clip {clips[0]}: no frame at the same time in both")
        faults = []
        for seconds in times:
            self.poses += 1
            there, back = ways
            ours = self.source.pose(clips[0], seconds, back.their_few.union(there.few))
            theirs = self.target.pose(clips[1], seconds, there.their_few.union(back.few))
            found = [there.clip_fault(clips, seconds, ours, theirs),
                     back.clip_fault(clips[::-1], seconds, theirs, ours)]
            faults += [fault for fault in found if fault]
        if faults:
            worst = max(faults, key=lambda fault: fault.distance)
            worst.remark += f" (at {len(faults)} of {len(times)} times, both ways counted)"
            self.faults.append(worst)

    def moves(self, way, clip, seconds):
        posed = self.source.pose(clip, seconds, way.few)
        return any(gap(posed[n], self.source.rest[n]) > self.allowed for n in way.few)


def plain(name):
    return "".join(c for c in name.split("|")[-1].lower() if c.isalnum())


def clip_pairs(ours, theirs):
    """(our name, their name): by name, else by order; theirs is None if there is none left."""
    found, free = {}, list(theirs.clips)
    for same in (lambda a, b: a == b, lambda a, b: plain(a) == plain(b),
                 lambda a, b: not is_made_up(theirs, b)):
        for name in ours.clips:
            match = next((other for other in free if name not in found and same(name, other)), None)
            if match is not None:
                found[name] = match
                free.remove(match)
    return [(name, found.get(name)) for name in ours.clips]


def is_made_up(model, name):
    """The still clip with which a .bmw begins."""
    clip = model.clips[name]
    return name == getattr(model, "default", None) and clip.is_still()


def times_of(ours, theirs, clips):
    """Times of a clip: those of frames where a model shows whole frames only."""
    length = ours.length(clips[0])
    rates = [ours.rate(clips[0]), theirs.rate(clips[1]) if clips[1] is not None else 0]
    rate = min((r for r in rates if r), default=0)
    shares = [0.0, 1.0] + [(k + 0.618) / (MOST_TIMES - 2) % 1 for k in range(MOST_TIMES - 2)]
    if not rate:
        return sorted({share * length for share in shares})
    frames = {round(share * length * rate) for share in shares}
    other = max(rates)
    if rate != other and all(rates):
        last = math.floor(length * rate + 1e-6)
        frames = [k for k in range(last + 1) if abs(k * other / rate - round(k * other / rate))
                  < 1e-4]
        frames = [frames[i] for i in spread(len(frames), MOST_TIMES)]
    return sorted(k / rate for k in frames if k / rate <= length + 1e-6)


def compare(source, target_path, tolerance, only_rest):
    """Returns a comparison; raises Refused or Missing if the result cannot be loaded."""
    try:
        return Comparison(source, Side(load(target_path)), tolerance, only_rest)
    except (IndexError, KeyError, OverflowError, RecursionError, ZeroDivisionError) as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


__all__ = ["Comparison", "Missing", "Refused", "Side", "compare", "load_source"]
