#!/usr/bin/env python3
"""test_install.py: what is installed can be used by others.

Usage: test_install.py static|shared|sources

static, shared: build that kind of library, install it into a temporary folder, build a consumer
through find_package() and through pkg-config, as C and as C++, and look at the symbols.
sources: the library compiles with one plain command and without a warning.

The exit status is 77 if all went well but a part could not be tried.
"""
# SPDX-License-Identifier: MIT

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

CONSUMER = """
#include <stdio.h>
#include <tenon/tenon.h>

int main(void)
{
    tenon_error err;
    tenon_doc *doc = tenon_read("no model", 8, NULL, &err);
    tenon_doc_free(doc);
    printf("%s %s\\n", tenon_version(), doc ? "read" : tenon_code_word(err.code));
    return 0;
}
"""

CMAKE_CONSUMER = """
cmake_minimum_required(VERSION 3.18)
project(consumer C)
find_package(tenon VERSION REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE tenon::tenon)
"""


class Failure(Exception):
    """A check that did not hold; the message says which."""


def run(*command, **options):
    """Run a command. Returns what it printed; fails with the end of that if it fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        words = textwrap.shorten(" ".join(map(str, command)), 200)
        raise Failure("\n".join([words] + done.stdout.splitlines()[-30:]))
    return done.stdout


def expect(condition, message):
    if not condition:
        raise Failure(message)


def version():
    header = (ROOT / "include/tenon/tenon.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"VERSION_{part} +(\d+)", header).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


# -- Making and installing

def install(kind, folder):
    """Build and install the library and the tool, quickly. Returns the prefix."""
    build, prefix = folder / "build", folder / "prefix"
    run("cmake", "-S", ROOT, "-B", build, f"-DCMAKE_C_COMPILER={CC}", "-DTENON_TESTS=OFF",
        "-DCMAKE_BUILD_TYPE=Debug", f"-DBUILD_SHARED_LIBS={'ON' if kind == 'shared' else 'OFF'}")
    run("cmake", "--build", build, "-j2")
    run("cmake", "--install", build, "--prefix", prefix)
    return prefix


def installed(prefix, name):
    """The one installed file of that name."""
    found = list(prefix.rglob(name))
    expect(len(found) == 1, f"{name} is installed {len(found)} times")
    return found[0]


# -- Using

def check_consumer(program):
    printed = run(program)
    expect(printed == f"{version()} format\n", f"the consumer printed {printed!r}")


def check_find_package(folder, prefix):
    source = folder / "with_cmake"
    source.mkdir()
    (source / "consumer.c").write_text(CONSUMER, encoding="utf-8")
    text = CMAKE_CONSUMER.replace("VERSION R", f"{version()} R")
    (source / "CMakeLists.txt").write_text(text, encoding="utf-8")
    run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_C_COMPILER={CC}",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", source / "build")
    check_consumer(source / "build/consumer")


def pkg_config_flags(prefix):
    folder = installed(prefix, "tenon.pc").parent
    env = dict(os.environ, PKG_CONFIG_PATH=str(folder))
    printed = run("pkg-config", "--modversion", "tenon", env=env)
    expect(printed.strip() == version(), f"pkg-config says version {printed.strip()}")
    flags = run("pkg-config", "--cflags", "--libs", "tenon", env=env).split()
    libraries = next(flag[2:] for flag in flags if flag.startswith("-L"))
    return flags + [f"-Wl,-rpath,{os.path.realpath(libraries)}"]


def check_pkg_config(folder, prefix, compiler, suffix):
    source, program = folder / f"consumer.{suffix}", folder / f"consumer_{suffix}"
    source.write_text(CONSUMER, encoding="utf-8")
    standard = "-std=c11" if suffix == "c" else "-std=c++11"
    run(compiler, standard, *WARNINGS, source, "-o", program, *pkg_config_flags(prefix))
    check_consumer(program)


def check_manual(prefix):
    for name in ("tenon.1", "_tenon", "tenon.fish", "bash-completion/completions/tenon"):
        installed(prefix, name)


def check_tool(prefix):
    """The tool finds the library also after the tree has moved."""
    moved = prefix.with_name("moved")
    shutil.copytree(prefix, moved, symlinks=True)
    printed = run(moved / "bin/tenon", "version")
    expect(version() in printed, f"the installed tool says {printed!r}")


# -- Symbols

def symbols(*command):
    lines = [line.split() for line in run("nm", *command).splitlines()]
    return [words[-1] for words in lines if len(words) == 3]


def check_symbols(kind, prefix):
    """A shared library exports only tenon_; in a static one every name has a prefix of ours."""
    if kind == "shared":
        names = symbols("-D", "--defined-only", installed(prefix, f"libtenon.so.{version()}"))
        allowed = ("tenon_",)
    else:
        names = symbols("-g", "--defined-only", installed(prefix, "libtenon.a"))
        formats = (ROOT / "src/formats").glob("*/*_format.c")
        allowed = ("tenon_", "tn_", *(path.stem[:-len("format")] for path in formats))
    wrong = [name for name in names if not name.startswith(allowed)]
    expect(names and not wrong, f"{len(names)} symbols are visible, of these wrong: {wrong}")


# -- Parts

def test_kind(kind, folder):
    """Returns what could not be tried here, and why."""
    prefix, missing = install(kind, folder), []
    check_symbols(kind, prefix)
    check_manual(prefix)
    check_find_package(folder, prefix)
    if kind == "static" or os.path.exists("/proc/self/exe"):
        check_tool(prefix)
    else:
        missing.append("the moved tool, since /proc is not mounted")
    if not shutil.which("pkg-config"):
        return missing + ["pkg-config, which is not installed"]
    check_pkg_config(folder, prefix, CC, "c")
    if shutil.which(CXX):
        check_pkg_config(folder, prefix, CXX, "cpp")
    else:
        missing.append("C++, for which there is no compiler")
    return missing


def test_sources(folder):
    """The command is the README's, with warnings as errors."""
    sources = [path for pattern in ("*.c", "*/*.c", "*/*/*.c")
               for path in sorted((ROOT / "src").glob(pattern))]
    run(CC, "-std=c11", "-O2", *WARNINGS, f"-I{ROOT}/include", "-c", *sources, cwd=folder)
    return []


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("static", "shared", "sources"):
        sys.exit(__doc__)
    part = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tenon-install-") as name:
        folder = Path(name)
        try:
            missing = test_sources(folder) if part == "sources" else test_kind(part, folder)
        except Failure as failure:
            print(f"not ok {part}: {failure}")
            return 1
    if not missing:
        print(f"ok {part}")
        return 0
    print(f"skipped: {'; '.join(missing)} (all else passed)")
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
