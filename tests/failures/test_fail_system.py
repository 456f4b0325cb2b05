#!/usr/bin/env python3
"""test_fail_system.py: full disks, closed outputs, other locales, other writers, shrinking files.

Usage: test_fail_system.py PART [--long], where PART is disk, output, locale, writers or shrink.
"""
# SPDX-License-Identifier: MIT

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fault_runner import SKIPPED, TEMPORARY, contents, tool
from scenarios import CRANE, MODELS, ROOT

IS_LONG = "--long" in sys.argv
TIMEOUT = 1800  # Seconds; only against hanging.


class Failure(Exception):
    """A check has failed."""


def expect(holds, what):
    if not holds:
        raise Failure(what)


def run(*args, folder, env=None, **options):
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([str(tool()), *map(str, args)], cwd=folder, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                          env={**os.environ, **(env or {})}, **options)


def place_crane(folder, kind):
    for name in CRANE[kind]:
        shutil.copy(ROOT / "samples" / name, folder)


# -- A full disk

def mount(folder, size):
    """A file system of so many bytes, or None where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={size}".encode())
    return None if failed else lambda: libc.umount2(str(folder).encode(), 2)


def full_disk(folder):
    """A conversion onto a disk that fills up at each page in turn leaves nothing."""
    place_crane(folder, "gpb")
    disk = folder / "disk"
    disk.mkdir()
    args = ("convert", "crane.gpb", "disk/out.bbmod", "--textures", "copy")
    whole = fill(folder, disk, args, 4 << 20)
    if whole is None:
        print("skipped: mounting a small file system is not allowed here")
        return SKIPPED
    expect(whole[0] == 0, f"it fails with room enough: {whole}")
    need = sum(-(-len(data) // 4096) * 4096 for data in whole[2].values())
    failures = 0
    for size in range(4096, need + 16384, 4096 if IS_LONG else 32768):
        status, err, files = fill(folder, disk, args, size)
        failures += status != 0
        expect(status in (0, 3), f"{size} bytes: status {status}")
        expect(files == (whole[2] if status == 0 else {}), f"{size} bytes: {sorted(files)}")
        expect(status == 0 or err.count(b"No space left on device") == 1, f"{size} bytes: {err}")
    print(f"disk: full in {failures} of the sizes up to {need} bytes")
    expect(failures > 0, "the disk was never full")
    return 0


def fill(folder, disk, args, size):
    unmount = mount(disk, size)
    if not unmount:
        return None
    try:
        done = run(*args, folder=folder)
        return done.returncode, done.stderr, contents(disk)
    finally:
        unmount()


# -- Outputs that end

def closed_outputs(folder):
    """/dev/full, closed streams, `ulimit -f` and pipes without reader."""
    for name in ("scene.gpb", "skin.glb"):
        shutil.copy(ROOT / MODELS[name], folder / name)
    commands = (["info", "scene.gpb"], ["check", "scene.gpb"], ["dump", "scene.gpb"],
                ["map", "--all", "scene.gpb"], ["formats"], ["help"], ["version"],
                ["convert", "scene.gpb", "-", "--to", "glb"], ["diff", "scene.gpb", "skin.glb"],
                ["verify", "scene.gpb", "scene.gpb"], ["convert", "--help"])
    for args in commands:
        with open("/dev/full", "wb") as full:
            done = run(*args, folder=folder, stdout=full)
        expect(done.returncode == 3 and done.stderr.count(b"No space left") == 1,
               f"{args} to a full disk: {done}")
        done = run(*args, folder=folder, preexec_fn=lambda: os.close(1))
        expect(done.returncode == 3 and b"cannot write to standard output" in done.stderr,
               f"{args} to a closed output: {done}")
        expect(no_reader(args, folder) == -signal.SIGPIPE, f"{args} to a pipe without a reader")
        expect(no_reader(args, folder, preexec_fn=ignore_pipes) == 3, f"{args} ignoring SIGPIPE")
    before = contents(folder)
    status = no_reader(["convert", "--json", "scene.gpb", "out.bplx"], folder)
    new = set(contents(folder)) - set(before)
    expect(status == -signal.SIGPIPE and new == {"out.bplx"}, f"{status} leaves {sorted(new)}")
    (folder / "out.bplx").unlink()
    limit_sizes(folder)
    return 0


def ignore_pipes():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def no_reader(args, folder, **how):
    """The status of a command whose standard output is a closed pipe."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = run(*args, folder=folder, stdout=write_end, **how)
    os.close(write_end)
    expect(done.stderr.count(b"error[") == 0, f"{args} complains about a pipe: {done.stderr}")
    return done.returncode


def limit_sizes(folder):
    """Whatever size files may have, they are whole or not there."""
    args = ["convert", "scene.gpb", "out.bmw", "--force"]
    run(*args, folder=folder)
    whole = contents(folder)
    most = max(len(data) for data in whole.values())
    for size in range(0, most + 64, 64 if IS_LONG else 1024):
        for name in ("out.bmw", "out.json"):
            (folder / name).unlink(missing_ok=True)
        done = run(*args, folder=folder, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, size)))
        files = contents(folder)
        expect(done.returncode in (0, 3), f"ulimit -f {size}: {done}")
        expect(files == whole if done.returncode == 0 else set(files) == {"scene.gpb", "skin.glb"},
               f"ulimit -f {size}: {done.returncode} leaves {sorted(files)}")


# -- Locales

def make_locale(folder):
    """The path of a locale with decimal commas, or None if none can be made."""
    if not shutil.which("localedef"):
        return None
    for source, charset in (("de_DE", "UTF-8"), ("fr_FR", "UTF-8")):
        place = folder / f"{source}.{charset}"
        subprocess.run(["localedef", "-c", "-i", source, "-f", charset, str(place)],
                       capture_output=True, check=False)
        if (place / "LC_NUMERIC").exists():
            return place.name
    return None


def decimal_commas(folder):
    """The tool, and a program that has set the locale, write the same bytes as in the C locale."""
    locales = folder / "locales"
    locales.mkdir()
    name = make_locale(locales)
    if not name:
        print("skipped: localedef cannot make a locale with decimal commas")
        return SKIPPED
    env = {"LOCPATH": str(locales), "LC_ALL": name}
    shown = subprocess.run(["locale", "decimal_point"], env={**os.environ, **env}, check=False,
                           capture_output=True, text=True).stdout.strip()
    expect(shown in (",", ""), f"the locale has no decimal comma: {shown!r}")
    for model, path in MODELS.items():
        compare_locales(folder, ROOT / path, Path(model).suffix, env)
    digest = os.environ.get("TENON_LOCALE_PROGRAM")
    if digest:
        done = subprocess.run([digest], cwd=ROOT, env={**os.environ, **env}, check=False)
        expect(done.returncode == 0, "a program with that locale gets other bytes")
    return 0


def compare_locales(folder, path, suffix, env):
    targets = (".glb", ".gltf", ".obj", suffix) if suffix != ".bbanim" else (suffix,)
    for target in targets:
        made = []
        for extra in ({"LC_ALL": "C"}, env):
            out = folder / f"out{target}"
            run("convert", path, out, "--force", folder=folder, env=extra)
            made.append((out.read_bytes(), run("dump", path, folder=folder, env=extra).stdout))
        expect(made[0] == made[1], f"{path} as {target} depends on the locale")


# -- Two writers

def two_writers(folder):
    """Two conversions to one file at once: one of them writes it, and both report their result."""
    for name in ("scene.gpb", "full.bplx"):
        shutil.copy(ROOT / MODELS[name], folder / name)
    wanted = []
    for name in ("scene.gpb", "full.bplx"):
        expect(run("convert", name, "out.glb", "--force", folder=folder).returncode == 0, name)
        wanted.append((folder / "out.glb").read_bytes())
    for options in (["--force"], []):
        for _ in range(100 if IS_LONG else 15):
            (folder / "out.glb").unlink(missing_ok=True)
            statuses = race(folder, options)
            expect(statuses == ([0, 0] if options else [0, 2]), f"{options}: {statuses}")
            expect((folder / "out.glb").read_bytes() in wanted, "the file is neither")
            expect(not [n for n in contents(folder) if TEMPORARY in n], "a temporary stays")
    return 0


def race(folder, options):
    writers = [subprocess.Popen([str(tool()), "convert", name, "out.glb", *options], cwd=folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for name in ("scene.gpb", "full.bplx")]
    return sorted(writer.wait(timeout=TIMEOUT) for writer in writers)


# -- Files that shrink

def shrinking_files(folder):
    """A mapped file that is cut while it is read: a message that names it, status 3."""
    for attempt in range(20):
        names = ("a.bplx", "b.bplx")
        for name in names:
            write_large(folder / name)
        process = subprocess.Popen([str(tool()), "map", "--all", "a.bplx"], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(4096)  # It has begun, and waits for the pipe.
        os.truncate(folder / "a.bplx", 100)
        process.stdout.read()
        status, err = process.wait(timeout=TIMEOUT), process.stderr.read()
        expect(status == 3, f"status {status}: {err}")
        expect(err == b"a.bplx: error[io]: the file shrank while it was read\n", err.decode())
        if not IS_LONG or attempt >= 4:
            break
    return shrink_second(folder)


def write_large(path):
    """As in tests/cli/streams.txt: a header, four million zeros, an end."""
    path.write_bytes(b"BPLX\1\0\0\0\0\0\2\0\0\0\0\0\1\0\0\0\0\0\0\0" + bytes(4194304) + bytes(8))


def shrink_second(folder):
    """Of two mapped files, the one that shrank is named, and no output is left."""
    named = 0
    for _ in range(12):
        for name in ("a.bplx", "b.bplx"):
            write_large(folder / name)
        process = subprocess.Popen([str(tool()), "diff", "a.bplx", "b.bplx"], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.01)
        os.truncate(folder / "b.bplx", 100)
        _, err = process.communicate(timeout=TIMEOUT)
        status = process.returncode
        expect(status in (0, 1, 3), f"status {status}: {err}")
        expect(status != -signal.SIGBUS, "it dies of the signal")
        named += err == b"b.bplx: error[io]: the file shrank while it was read\n"
    print(f"shrink: cut while it was read in {named} of 12 comparisons")
    return 0


PARTS = {"disk": full_disk, "output": closed_outputs, "locale": decimal_commas,
         "writers": two_writers, "shrink": shrinking_files}


def main():
    part = PARTS[sys.argv[1]]
    with tempfile.TemporaryDirectory(prefix="tenon-fail-") as folder:
        try:
            return part(Path(folder))
        except Failure as failure:
            print(failure)
            return 1


if __name__ == "__main__":
    sys.exit(main())
