#!/usr/bin/env python3
"""pipe_messages.py: messages between tenon and tenon-import (cli/import/import_protocol.h).

Programs that tests put in the place of tenon-import use send(), receive() and ask().
"""
# SPDX-License-Identifier: MIT

import os
import struct
import sys
from pathlib import Path

NAME, MODEL, FOUND, MISSING = range(1, 5)
READY, LOOK, READ, DATA, DONE = range(16, 21)
VERSION = 0x31504954
NAME_MOST = 4096
REQUESTS_MOST = 65536


def message(kind, data=b"", size=None, version=VERSION):
    return struct.pack("<IIQ", version, kind, len(data) if size is None else size) + data


def model_messages(name, data):
    return message(NAME, name) + message(MODEL, data)


def lone_model_messages(name, data):
    """All messages of tenon if there are no files beside the model, however often it is asked."""
    return model_messages(name, data) + message(MISSING) * 1000


def result_in(output):
    """The result among the messages of tenon-import."""
    result, at, kind = b"", 0, None
    while kind != DONE:
        _, kind, size = struct.unpack_from("<IIQ", output, at)
        at += 16 + size
        if kind == DATA:
            result += output[at - size:at]
    return result


def result_messages(data):
    """All messages of a program that needs nothing."""
    return message(READY) + message(DATA, data) + message(DONE)


# -- In the place of tenon-import

def program(path, body, python=sys.executable):
    """Write a program that uses this module; its path as TENON_IMPORT expects it."""
    path.write_text(f"#!{python} -BIS\nimport os, resource, signal, sys, time\n"
                    f"sys.path.insert(0, {str(Path(__file__).resolve().parent)!r})\n"
                    f"from pipe_messages import *\n{body}\n")
    path.chmod(0o755)
    return str(path)


def put(data):
    while data:
        data = data[os.write(1, data):]


def send(kind, data=b"", size=None):
    put(message(kind, data, size))


def take(size):
    pieces, left = [], size
    while left:
        pieces.append(os.read(0, min(left, 1 << 20)))
        left -= len(pieces[-1])
        if not pieces[-1]:
            sys.exit("tenon-import: the pipe was closed")
    return b"".join(pieces)


def receive():
    _, kind, size = struct.unpack("<IIQ", take(16))
    return kind, take(size)


def begin():
    """The model's name and bytes, as tenon-import expects them."""
    send(READY)
    return receive()[1], receive()[1]


def ask(kind, name):
    send(kind, name)
    return receive()
