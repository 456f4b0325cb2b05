"""Where a model's vertices are: sampling of clips, joint matrices, linear blend skinning."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Tuple

from crane import maths
from crane.model import Vertex


# -- Joints

def sample_channel(channel, time):
    """The channel's value at a time: interpolated between keys, held before and after them."""
    after = bisect_right(channel.times, time)
    if after == 0:
        return channel.values[0]
    if after == len(channel.times):
        return channel.values[-1]
    start, end = channel.times[after - 1], channel.times[after]
    interpolate = maths.slerp if channel.path == "rotation" else maths.mix
    share = (time - start) / (end - start)
    return interpolate(channel.values[after - 1], channel.values[after], share)


def sample_pose(model, clip=None, time=0.0):
    """The local transform of every joint at a time of a clip; the rest pose without a clip."""
    pose = [joint.rest for joint in model.joints]
    for channel in clip.channels if clip else ():
        value = sample_channel(channel, time)
        pose[channel.joint] = replace(pose[channel.joint], **{channel.path: value})
    return pose


def world_matrices(joints, pose):
    """Joint space to model space, for every joint."""
    world = []
    for joint, local in zip(joints, pose):
        own = local.matrix()
        world.append(own if joint.parent < 0 else maths.multiply(world[joint.parent], own))
    return world


def inverse_binds(model):
    """Model space to joint space as of the bind pose, for every joint."""
    world = world_matrices(model.joints, [joint.bind for joint in model.joints])
    return [maths.invert_rigid(m) for m in world]


# -- Vertices

def skinned_vertices(model, part):
    """The part's vertices as a skin has them: model space of the bind pose, joints and weights.

    For a rigid part that means weight 1 on its joint, which moves it all the same.
    """
    if part.joint is None:
        return part.vertices
    bind = world_matrices(model.joints, [joint.bind for joint in model.joints])[part.joint]
    return tuple(replace(_moved(vertex, bind), joints=(part.joint,), weights=(1.0,))
                 for vertex in part.vertices)


def _moved(vertex, matrix):
    normal = maths.normalize(maths.transform_direction(matrix, vertex.normal))
    return replace(vertex, position=maths.f32s(maths.transform_point(matrix, vertex.position)),
                   normal=maths.f32s(normal))


def _vertex_matrices(part, world, offsets):
    """For every vertex of the part, the matrix that takes it to model space."""
    if part.joint is not None:
        return [world[part.joint]] * len(part.vertices)
    palette = [maths.multiply(w, offset) for w, offset in zip(world, offsets)]
    return [maths.blend([palette[j] for j in vertex.joints], vertex.weights)
            for vertex in part.vertices]


def posed_corners(model, clip=None, time=0.0):
    """Positions of all triangle corners, in double precision: for every part a list of points."""
    world = world_matrices(model.joints, sample_pose(model, clip, time))
    offsets = inverse_binds(model)
    result = []
    for part in model.parts:
        matrices = _vertex_matrices(part, world, offsets)
        points = [maths.transform_point(m, vertex.position)
                  for m, vertex in zip(matrices, part.vertices)]
        result.append([points[i] for triangle in part.triangles for i in triangle])
    return result


# -- One mesh

@dataclass(frozen=True)
class Soup:
    """The whole model as one mesh in model space, parts one after another, no weights."""
    vertices: Tuple[Vertex, ...]
    triangles: Tuple[Tuple[int, int, int], ...]


def merged(model, clip=None, time=0.0):
    """All parts as one mesh, in the rest pose or at a time of a clip."""
    world = world_matrices(model.joints, sample_pose(model, clip, time))
    offsets = inverse_binds(model)
    vertices, triangles = [], []
    for part in model.parts:
        first = len(vertices)
        for vertex, matrix in zip(part.vertices, _vertex_matrices(part, world, offsets)):
            vertices.append(replace(_moved(vertex, matrix), joints=(), weights=()))
        triangles += [tuple(first + i for i in triangle) for triangle in part.triangles]
    return Soup(tuple(vertices), tuple(triangles))
