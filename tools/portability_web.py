"""portability_web.py: what tools/portability does with the WebAssembly module and tool.

The tool for WASI and the module of the npm package have to print and write what the native tool
does, and two builds in different folders have to give the same bytes.
"""
# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess

import build_web
import cross

SOURCES = ("cli", "cmake", "include", "src", "web")  # What the programs are built from.


def make(folder, jobs):
    """Build both programs."""
    try:
        build_web.build(folder, jobs)
    except subprocess.CalledProcessError as error:
        raise cross.Failure("the WebAssembly programs cannot be built: %s" % error) from error


def module_complaints(folder, tool, log):
    """Whether the module says and writes what the tool does: a test of the package, without real
    models."""
    installed = folder / "installed"
    shutil.rmtree(installed, ignore_errors=True)
    shutil.copytree(build_web.assemble(folder), installed / "node_modules/tenon")
    (installed / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    settings = dict(os.environ, TENON_PACKAGE=str(installed.resolve()), TENON=str(tool.resolve()))
    settings.pop("TENON_CORPUS", None)
    command = ["node", "--test-reporter=spec", cross.ROOT / "tests/web/test_same.mjs"]
    with open(log, "ab") as out:
        done = subprocess.run(command, env=settings, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=out, check=False)
    return ["tenon.wasm (not what the tool makes: %s)" % log] if done.returncode else []


def complaints(folder, jobs):
    """Which programs have other bytes if they are built in another folder, from scratch."""
    elsewhere = folder.parent / "another folder/sources"
    shutil.rmtree(elsewhere.parent, ignore_errors=True)
    for name in SOURCES:
        shutil.copytree(cross.ROOT / name, elsewhere / name,
                        ignore=shutil.ignore_patterns("node_modules"))
    build_web.build(elsewhere.parent / "build", jobs, root=elsewhere,
                    env=dict(os.environ, CCACHE_DISABLE="1"))
    different = [name for name in build_web.PROGRAMS if (folder / name).read_bytes() !=
                 (elsewhere.parent / "build" / name).read_bytes()]
    shutil.rmtree(elsewhere.parent)
    return ["%s (not reproducible)" % name for name in different]
