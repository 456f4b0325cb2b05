"""What a model is: plain data in glTF's conventions.

Right-handed, +Y up, meters, seconds; front faces are counter-clockwise; UV origin top-left, v down;
quaternions x y z w; colors 0..255. All numbers are representable in single precision, so that
every format can hold them unchanged. There is no scale: BBMOD 3 has none.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from crane import maths

Vec2 = Tuple[float, float]
Vec3 = Tuple[float, float, float]
Quat = Tuple[float, float, float, float]


@dataclass(frozen=True)
class Transform:
    """Rotate, then translate."""
    translation: Vec3 = (0.0, 0.0, 0.0)
    rotation: Quat = maths.IDENTITY

    def matrix(self):
        return maths.matrix(self.translation, self.rotation)


@dataclass(frozen=True)
class Joint:
    name: str
    parent: int                       # Index into Model.joints, less than its own; -1 for the root.
    rest: Transform                   # Local to the parent: the transform with no clip.
    bind: Transform                   # Local to the parent: the transform when skins were made.


@dataclass(frozen=True)
class Material:
    """Phong's terms, which game formats have. Vertex colors multiply the diffuse color."""
    name: str
    diffuse: Vec3
    specular: Vec3
    shininess: float
    emissive: Vec3 = (0.0, 0.0, 0.0)
    opacity: float = 1.0
    texture: str = ""                 # File beside the model; "" for none.


@dataclass(frozen=True)
class Vertex:
    position: Vec3
    normal: Vec3
    uv: Vec2
    color: Tuple[int, int, int, int] = (255, 255, 255, 255)
    joints: Tuple[int, ...] = ()      # Up to four indices into Model.joints; () in rigid parts.
    weights: Tuple[float, ...] = ()   # As many, largest first, of sum 1 exactly.


@dataclass(frozen=True)
class Part:
    """A triangle mesh of one material.

    Rigid: vertices are in the space of `joint`, and move with it.
    Skinned: `joint` is None and vertices are in model space, as of the bind pose.
    """
    name: str
    material: int                     # Index into Model.materials.
    joint: Optional[int]
    vertices: Tuple[Vertex, ...]
    triangles: Tuple[Tuple[int, int, int], ...]


@dataclass(frozen=True)
class Channel:
    """Keys of one property of one joint: linear (rotations spherical), held outside the keys."""
    joint: int
    path: str                         # "translation" or "rotation"; absolute, replaces the rest's.
    times: Tuple[float, ...]          # Ascending.
    values: Tuple[Tuple[float, ...], ...]


@dataclass(frozen=True)
class Clip:
    name: str
    length: float
    channels: Tuple[Channel, ...]     # By joint, then path. What has no channel stays at rest.


@dataclass(frozen=True)
class Model:
    name: str
    joints: Tuple[Joint, ...]         # Parents before children, one root.
    materials: Tuple[Material, ...]
    parts: Tuple[Part, ...]
    clips: Tuple[Clip, ...]

    def joint_index(self, name):
        return [joint.name for joint in self.joints].index(name)
