#!/usr/bin/env python3
"""wavefront.py: an OBJ file: positions, and faces that are cut from one of their corners.

That is the first, unless a triangle would then face the other way than the whole face. A backslash
at the end of a line joins it with the next.
"""
# SPDX-License-Identifier: MIT

from pathlib import Path

from common import IDENTITY, Mesh, Model, Refused, cross, dot, read_bytes, subtract

VIEWS = {"text": "as it is written"}


def cut(face, positions):
    """The triangles of a face; where no corner sees all others, they are those of the first."""
    if any(i >= len(positions) for i in face):
        raise Refused(f"index {max(face) + 1}, but there are {len(positions)} positions")
    fans = [[(face[k], face[k + i - len(face)], face[k + i + 1 - len(face)])
             for i in range(1, len(face) - 1)] for k in range(len(face))]
    for fan in fans if len(face) > 3 else ():
        faces = [cross(subtract(positions[b], positions[a]), subtract(positions[c], positions[a]))
                 for a, b, c in fan]
        whole = tuple(map(sum, zip(*faces)))
        if all(dot(one, whole) >= 0 for one in faces):
            return fan
    return fans[0] if len(face) > 2 else []


class ObjModel(Model):
    no_clips = "OBJ stores only one pose"

    def __init__(self, data):
        super().__init__()
        text = data.decode("utf-8", "replace").lstrip("\ufeff").replace("\r\n", "\n")
        lines = [line for line in text.replace("\r", "\n").split("\n") if line[:1] != "#"]
        lines = "\n".join(lines).replace("\\\n", " ").split("\n")
        positions, faces = [], []
        try:
            for words in map(str.split, lines):
                if words[:1] == ["v"]:
                    positions.append(tuple(float(word) for word in words[1:4]))
                elif words[:1] in (["f"], ["fo"]):
                    faces.append([self.index(word, len(positions)) for word in words[1:]])
        except ValueError as error:
            raise Refused(str(error)) from error
        triangles = [triangle for face in faces for triangle in cut(face, positions)]
        self.meshes = [Mesh(positions, None, None, triangles)]

    @staticmethod
    def index(word, count):
        number = int(word.split("/")[0])
        return number - 1 if number > 0 else count + number

    def draws(self, clip, seconds):
        return [(self.meshes[0], self.meshes[0].placed(IDENTITY))]


def load(path, options):
    return ObjModel(read_bytes(Path(path)))
