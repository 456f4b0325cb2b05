"""The gantry crane, our own test model: one description from which every sample is packed.

    import crane
    model = crane.build()                    # joints, materials, parts and clips, as plain data
    soup = crane.merged(model)               # all of it as one triangle mesh in the rest pose

`model.py` defines what a model is, `design.py` and `motion.py` describe this one, `pose.py` has the
corners at a given time. Nothing in here knows a file format, and nothing uses libtenon: the
library is measured against these numbers.
"""
# SPDX-License-Identifier: MIT

from crane.design import build
from crane.model import Channel, Clip, Joint, Material, Model, Part, Transform, Vertex
from crane.pose import (Soup, inverse_binds, merged, skinned_vertices, posed_corners, sample_pose,
                        world_matrices)

__all__ = [
    "Channel", "Clip", "Joint", "Material", "Model", "Part", "Soup", "Transform", "Vertex", "build",
    "inverse_binds", "merged", "posed_corners", "sample_pose", "skinned_vertices", "world_matrices",
]
