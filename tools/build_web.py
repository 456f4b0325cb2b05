#!/usr/bin/env python3
"""build_web.py: the library as WebAssembly, and the npm package that contains it.

Usage: build_web.py [--build DIR] [--jobs N] [--list]

Writes DIR/tenon.wasm and DIR/tenon-VERSION.tgz (build/web). The same sources give the same bytes.

exit status: 1 if a step fails, 3 if something is missing; it is named, with the packages.
"""
# SPDX-License-Identifier: MIT

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cross  # noqa: E402

ROOT = cross.ROOT
NPM = ROOT / "web/npm"
PROGRAMS = ("tenon.wasm", "tenon-cli.wasm")


def needs():
    return cross.BUILDING + cross.by_name("wasm").build + ("npm",)


def version():
    header = (ROOT / "include/tenon/tenon.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define TENON_VERSION_\w+ +(\d+)", header, re.M))


def run(command, **options):
    subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, **options)


def build(folder, jobs, target="all", root=ROOT, **options):
    run(["cmake", "-S", root / "web", "-B", folder, "--log-level=WARNING",
         "-DCMAKE_BUILD_TYPE=Release", "--toolchain", root / "cmake/cross/wasi.cmake"], **options)
    run(["cmake", "--build", folder, "-j%d" % jobs, "--target", target], **options)


def assemble(folder):
    """Put what the package has into one folder, which is returned."""
    package = folder / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(NPM, package, ignore=shutil.ignore_patterns("*.wasm", "*.tgz"))
    about = json.loads((package / "package.json").read_text(encoding="utf-8"))
    about["version"] = version()
    (package / "package.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", package)
    for name in PROGRAMS:
        shutil.copy(folder / name, package)
        (package / name).chmod(0o644)
    return package


def pack(folder):
    """Let npm make the archive of the package. Returns its path."""
    package = assemble(folder)
    run(["npm", "pack", "--silent", "--pack-destination", folder.resolve()], cwd=package)
    return folder / ("tenon-%s.tgz" % version())


def command(about, folder, needed, make, words):
    """The command line of a build. `make` gets the folder and the number of jobs, and returns what
    it made, or None after it has said what is missing."""
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--build", type=Path, default=folder, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--list", action="store_true", help="only say what is missing")
    options = parser.parse_args(words)
    lacks = cross.missing(needed)
    if lacks:
        print("missing: %s" % cross.install(lacks))
        return 3
    if options.list:
        return 0
    try:
        made = make(options.build, options.jobs)
    except subprocess.CalledProcessError as error:
        print("%s: %s" % (about.split(":")[0], error), file=sys.stderr)
        return 1
    if made is None:
        return 3
    print(os.path.relpath(made))
    return 0


def make_package(folder, jobs):
    build(folder, jobs)
    return pack(folder)


def main(words):
    return command(__doc__, ROOT / "build/web", needs(), make_package, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
