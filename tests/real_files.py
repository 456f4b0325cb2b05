"""real_files.py: models made by other programs, to test against.

They are not part of the project: the environment variable TENON_CORPUS names their folder. A test
that needs them is skipped where it is not set. Where it is set, there must be files.
"""
# SPDX-License-Identifier: MIT

import os
from pathlib import Path

CORPUS = Path(os.environ["TENON_CORPUS"]) if os.environ.get("TENON_CORPUS") else None
NOT_SET = "real files, since TENON_CORPUS is not set"
# Files made to cost too much, or to be refused: not models that have to come through.
HOSTILE = ("attacks", "gltf-validator")


def find(*suffixes):
    """The real models whose names end in one of the suffixes, in a fixed order."""
    found = sorted(path for path in CORPUS.rglob("*")
                   if path.suffix.lower() in suffixes and path.is_file()
                   and path.relative_to(CORPUS).parts[0] not in HOSTILE)
    if not found:
        raise FileNotFoundError("there is no %s below %s" % (" or ".join(suffixes), CORPUS))
    return found
