#!/usr/bin/env python3
"""make_fixtures_obj.py: OBJ files with one thing to read in each, for the tests."""
# SPDX-License-Identifier: MIT

import sys

import outputs

FOLDER = outputs.ROOT / "tests/fixtures/obj"
SIZE_LIMIT = 1024  # Tests damage small files everywhere.

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def cube():
    """Six quads around 0, with normals and texture coordinates."""
    corners = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    sides = [("1 3 4 2", "0 0 -1"), ("5 6 8 7", "0 0 1"), ("1 2 6 5", "0 -1 0"),
             ("3 7 8 4", "0 1 0"), ("1 5 7 3", "-1 0 0"), ("2 4 8 6", "1 0 0")]
    lines = ["# A cube.", "o cube"]
    lines += ["v %d %d %d" % corner for corner in corners]
    lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
    lines += ["vn %s" % normal for _, normal in sides]
    for number, (side, _) in enumerate(sides):
        lines.append("f " + " ".join("%s/%d/%d" % (v, i + 1, number + 1)
                                     for i, v in enumerate(side.split())))
    return "\n".join(lines) + "\n"


def shapes():
    """Polygons, lines and points."""
    arrow = "v 0 2 0\nv 1 0 0\nv 0 0.5 0\nv -1 0 0\n"
    return {
        "minimal": TRIANGLE + "f 1 2 3\n",
        "cube": cube(),
        "concave": arrow + "f 2 1 4 3\n",
        "lines": SQUARE + "vt 0\nvt 0.5\nvt 1\nl 1/1 2/2 3/3\nl -1 1\np 1 2\np 4\n",
        "cloud": "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\n",
        "negative": SQUARE + "vt 0 0\nvn 0 0 1\nf -4/-1/-1 -3/-1/-1 -2/-1/-1\n" + TRIANGLE
                    + "f -3 -2 -1\n",
        "weights": "v 0 0 0 1\nv 1 0 0 0.5\nv 0 1 0 1\nvt 0 0 0\nvt 1 0 0.25\nf 1/1 2/2 3/2\n",
        "colors": "v 0 0 0 1 0.5 0.25\nv 1 0 0\nv 0 1 0 0 0 0\nf 1 2 3\n",
    }


def structure():
    """Objects, groups, materials, smoothing."""
    return {
        "objects": TRIANGLE + "o left\nf 1 2 3\no right\ng inner\nf 3 2 1\no left\nf 2 3 1\n",
        "groups": "g default\n" + TRIANGLE + "g a b\nf 1 2 3\ng\nf 3 2 1\n",
        "materials": "mtllib paint.mtl\n" + SQUARE + "o box\nusemtl red\nf 1 2 3\n"
                     "usemtl blue\nf 1 3 4\nusemtl red\nf 4 3 2\n",
        "smoothing": "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 -1\nv 0 1 -1\n"
                     "s 1\nf 1 2 3 4\nf 1 4 6 5\ns off\nf 4 3 6\n",
        "free_form": SQUARE + "vp 0.5\ncstype bezier\ndeg 3\ncurv 0 1 1 2 3 4\nparm u 0 1\nend\n"
                     "lod 2\nf 1 2 3 4\n",
    }


def spelling():
    """One triangle, written in all ways."""
    return {
        "crlf": (TRIANGLE + "f 1 2 3\n").replace("\n", "\r\n"),
        "cr": (TRIANGLE + "f 1 2 3\n").replace("\n", "\r"),
        "no_newline": TRIANGLE + "f 1 2 3",
        "continued": "v 0 \\\n0 0\nv 1 0 0\nv 0 1\\\n 0\no two \\\n  words\n"
                     "f 1 \\\n\\\n2 3 # end\n",
        "blanks": "\n \t\n  v\t0 0  0 \nv 1 0 0\t\nv 0 1 0\n\n# end\n\tf 1  2\t3 \n",
        "numbers": "v +0 -0 .0\nv 1. 0e5 000\nv 0E-3 +1.0e+0 -.0\nvn 0 0 .5e1\nf 1//1 2//1 3//1\n",
        "half_corners": TRIANGLE + "vt 0 0\nf 1/ 2// 3\n",
        "mark": "\ufeff" + TRIANGLE + "f 1 2 3\n",
        "utf8": TRIANGLE + "o Flügel 鋼\nf 1 2 3\n",
        "latin1": (TRIANGLE + "o Flügel\nf 1 2 3\n").encode("latin-1"),
    }


def fixture_files():
    """Name to bytes."""
    files = {}
    for stem, text in {**shapes(), **structure(), **spelling()}.items():
        data = text if isinstance(text, bytes) else text.encode()
        if len(data) >= SIZE_LIMIT:
            raise ValueError("%s has %d bytes" % (stem, len(data)))
        files[stem + ".obj"] = data
    return files


if __name__ == "__main__":
    sys.exit(outputs.main(__doc__, FOLDER, fixture_files()))
