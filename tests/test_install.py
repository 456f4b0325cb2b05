#!/usr/bin/env python3
"""test_install.py: what is installed, cloned or embedded can be used by others.

Usage: test_install.py PART BUILD_FOLDER

static      what this build installs: a consumer through find_package() and through pkg-config, as C
            and as C++; symbols, license, manual, no run path
shared      the same for a shared library, which is compiled for it
sources     the library compiles with one plain command and without a warning, and adds and
            multiplies as it does elsewhere
clone       a clone of the repository: make && make install DESTDIR=..., without Assimp and with it;
            the installed tool converts
subproject  another project takes the sources by add_subdirectory() and by FetchContent, and gets
            the library and nothing else
amalgamation  tenon.c and tenon.h of tools/amalgamate.py compile with one command and without a
            warning, the header also as C++, and convert to the same bytes
reproduce   two copies of the sources, in folders of different names, give the same tool and the
            same tenon-import, byte for byte
windows     a DLL exports tenon_ and nothing else, and a program imports it

The exit status is 77 if all went well but a part could not be tried.
"""
# SPDX-License-Identifier: MIT

import os
import platform
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
MINGW = "x86_64-w64-mingw32-gcc"
COMPILER = f"-DCMAKE_C_COMPILER={CC}"
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

CMAKE_HEAD = """
cmake_minimum_required(VERSION 3.18)
project(consumer VERSION 9.8.7 LANGUAGES C)
"""

CMAKE_PROGRAM = """
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE tenon::tenon)
"""

# The variables, targets and tests of another project before and after.
CMAKE_LOOK = """
get_property(targets_@ DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTY BUILDSYSTEM_TARGETS)
get_property(names_@ DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTY CACHE_VARIABLES)
get_property(variables_@ DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTY VARIABLES)
"""
CMAKE_COMPARE = """
foreach(kind targets names variables)
    list(REMOVE_ITEM ${kind}_after ${${kind}_before} "")
    message(STATUS "LEAKED ${kind}: ${${kind}_after}")
endforeach()
get_property(inner DIRECTORY "${tenon_SOURCE_DIR}" PROPERTY BUILDSYSTEM_TARGETS)
message(STATUS "TARGETS: ${inner}")
"""
CMAKE_EMBED = {
    "subdirectory": 'add_subdirectory("@ROOT@" tenon)\nset(tenon_SOURCE_DIR "@ROOT@")\n',
    "FetchContent": 'FetchContent_Declare(tenon SOURCE_DIR "@ROOT@")\n'
                    'FetchContent_MakeAvailable(tenon)\n',
}


class Failure(Exception):
    """A failed check; the message says which."""


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


def installed(prefix, name):
    """The one installed file of that name."""
    found = list(prefix.rglob(name))
    expect(len(found) == 1, f"{name} is installed {len(found)} times")
    return found[0]


# -- Consumers

def check_consumer(program):
    printed = run(program)
    expect(printed == f"{version()} format\n", f"the consumer printed {printed!r}")


def configure_consumer(source, lists, *options):
    """A project that uses the library; returns what CMake said."""
    source.mkdir()
    (source / "consumer.c").write_text(CONSUMER, encoding="utf-8")
    (source / "CMakeLists.txt").write_text(lists, encoding="utf-8")
    return run("cmake", "-S", source, "-B", source / "build", *options)


def build_consumer(source):
    run("cmake", "--build", source / "build", "-j2")
    check_consumer(source / "build/consumer")


def pkg_config_flags(kind, prefix):
    folder = installed(prefix, "tenon.pc").parent
    env = dict(os.environ, PKG_CONFIG_PATH=str(folder))
    printed = run("pkg-config", "--modversion", "tenon", env=env)
    expect(printed.strip() == version(), f"pkg-config says version {printed.strip()}")
    flags = run("pkg-config", "--cflags", "--libs", "tenon", env=env).split()
    expect("-lm" not in flags, "users of a shared library need not link the one for mathematics")
    if kind == "static":
        flags = run("pkg-config", "--static", "--cflags", "--libs", "tenon", env=env).split()
    libraries = next(flag[2:] for flag in flags if flag.startswith("-L"))
    return flags + [f"-Wl,-rpath,{os.path.realpath(libraries)}"]


def check_pkg_config(kind, folder, prefix, compiler, suffix):
    source, program = folder / f"consumer.{suffix}", folder / f"consumer_{suffix}"
    source.write_text(CONSUMER, encoding="utf-8")
    standard = "-std=c11" if suffix == "c" else "-std=c++11"
    run(compiler, standard, *WARNINGS, source, "-o", program, *pkg_config_flags(kind, prefix))
    check_consumer(program)


# -- What is installed

def symbols(*command):
    lines = [line.split() for line in run("nm", *command).splitlines()]
    return [words[-1] for words in lines if len(words) == 3]


def check_symbols(kind, prefix):
    """A shared library exports only tenon_; in a static one every name has one of our prefixes."""
    if kind == "shared":
        names = symbols("-D", "--defined-only", installed(prefix, f"libtenon.so.{version()}"))
        allowed = ("tenon_",)
    else:
        names = symbols("-g", "--defined-only", installed(prefix, "libtenon.a"))
        table = (ROOT / "src/formats/formats.h").read_text()
        allowed = ("tenon_", "tn_", *re.findall(r"\btn_(\w+_)format[,;]", table))
    wrong = [name for name in names if not name.startswith(allowed)]
    expect(names and not wrong, f"{len(names)} symbols are visible, of these wrong: {wrong}")


def check_files(prefix):
    for name in ("tenon.1", "_tenon", "tenon.fish", "tenon.thumbnailer", "tenon.xml",
                 "bash-completion/completions/tenon", "LICENSE", "NOTICE"):
        installed(prefix, name)
    for program in [prefix / "bin/tenon", *prefix.rglob("tenon-import")]:
        head = run("readelf", "-d", program)
        expect("RPATH" not in head and "RUNPATH" not in head, f"{program.name} has a run path")


def check_tool(prefix):
    """The tool still works after the tree has moved."""
    moved = prefix.with_name("moved")
    shutil.copytree(prefix, moved, symlinks=True)
    library = next(moved.rglob("libtenon*")).parent
    env = dict(os.environ, LD_LIBRARY_PATH=str(library))
    printed = run(moved / "bin/tenon", "version", env=env)
    expect(version() in printed, f"the installed tool says {printed!r}")


def install_shared(build, prefix):
    """In a folder beside the other build, ccache finds what was compiled there."""
    with tempfile.TemporaryDirectory(prefix="shared-", dir=build.resolve().parent) as name:
        run("cmake", "-S", ROOT, "-B", name, COMPILER, "-DTENON_TESTS=OFF",
            "-DBUILD_SHARED_LIBS=ON")
        run("cmake", "--build", name, "-j2")
        run("cmake", "--install", name, "--prefix", prefix)


def test_kind(kind, folder, build):
    """Returns what could not be tried here, and why."""
    prefix, missing = folder / "prefix", []
    if kind == "static":
        run("cmake", "--install", build, "--prefix", prefix)
    else:
        install_shared(build, prefix)
    check_symbols(kind, prefix)
    check_files(prefix)
    check_tool(prefix)
    package = f"find_package(tenon {version()} REQUIRED)\n"
    configure_consumer(folder / "with_cmake", CMAKE_HEAD + package + CMAKE_PROGRAM, COMPILER,
                       f"-DCMAKE_PREFIX_PATH={prefix}")
    build_consumer(folder / "with_cmake")
    if not shutil.which("pkg-config"):
        return missing + ["pkg-config, which is not installed"]
    check_pkg_config(kind, folder, prefix, CC, "c")
    if shutil.which(CXX):
        check_pkg_config(kind, folder, prefix, CXX, "cpp")
    else:
        missing.append("C++, for which there is no compiler")
    return missing


# -- Sources

INCLUDES = [f"-I{ROOT}/include", f"-I{ROOT}/src"]


def sources_of(folder):
    return sorted((ROOT / folder).rglob("*.c"))


def fused(folder):
    """How many fused operations the compiler made where the machine has them."""
    return run("objdump", "-d", *folder.glob("*.o")).count("vfm")


def test_sources(folder, _):
    """The command is the README's, with warnings as errors."""
    run(CC, "-std=c11", *WARNINGS, *INCLUDES, "-c", *sources_of("src"), cwd=folder)
    arithmetic = sources_of("src/core/math") + sources_of("src/scene")
    refused = subprocess.run([CC, "-ffast-math", *INCLUDES, "-fsyntax-only", arithmetic[0]],
                             capture_output=True, text=True, check=False)
    expect(refused.returncode != 0 and "-ffast-math" in refused.stderr, "-ffast-math is accepted")
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        return ["fused operations, which are looked for in x86-64 code by objdump"]
    machine = ["-O3", "-mfma", "-mavx2", "-std=gnu11", *INCLUDES, "-c"]
    (folder / "trial.c").write_text("double f(double a, double b, double c) { return a * b + c; }")
    (folder / "fused").mkdir()
    (folder / "apart").mkdir()
    run(CC, *machine, "-ffp-contract=fast", folder / "trial.c", cwd=folder / "fused")
    run(CC, *machine, *arithmetic, cwd=folder / "apart")
    expect(fused(folder / "fused") == 1, "this test does not see fused operations")
    expect(fused(folder / "apart") == 0, "products and sums are fused, so that bytes would differ")
    return []


EMBEDDER = """
#include "tenon.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    const tenon_export_opts opts = {.format = "glb", .model_path = argv[1], .embed = true};
    tenon_scene *scene = tenon_import_file(argv[1], NULL, NULL, NULL);
    tenon_memory *files = scene ? tenon_export_memory(scene, &opts, NULL) : NULL;
    tenon_memory_file file;
    bool ok = tenon_memory_find(files, "model.glb", &file) &&
              fwrite(file.data, 1, file.size, stdout) == file.size;
    tenon_memory_free(files);
    tenon_scene_free(scene);
    return ok ? 0 : 1;
}
"""


def test_amalgamation(folder, build):
    run(sys.executable, "-B", ROOT / "tools" / "amalgamate.py", folder)
    flags = ["-Wall", "-Wextra", "-Werror"]
    run(CC, "-std=c11", "-O1", *flags, "-c", "tenon.c", cwd=folder)
    (folder / "embedder.c").write_text(EMBEDDER)
    run(CC, "-std=c11", *flags, "embedder.c", "tenon.o", "-lm", "-o", "embedder", cwd=folder)
    sample = ROOT / "samples" / "crane.gpb"
    run(build / "tenon", "convert", "-q", sample, folder / "crane.glb")
    made = subprocess.run([folder / "embedder", sample], capture_output=True, check=True)
    expect(made.stdout == (folder / "crane.glb").read_bytes(), "its bytes are not the tool's")
    if not shutil.which(CXX):
        return ["the header as C++, for which there is no compiler"]
    (folder / "embedder.cpp").write_text('#include "tenon.h"\nint main() { return 0; }\n')
    run(CXX, "-std=c++17", *flags, "-fsyntax-only", "embedder.cpp", cwd=folder)
    if not shutil.which(MINGW):
        return ["for Windows, for which there is no compiler"]
    run(MINGW, "-std=c11", *flags, "-fsyntax-only", "tenon.c", cwd=folder)
    return []


# -- A clone

def make_install(clone, folder, *words):
    run("make", *words, cwd=clone)
    run("make", "install", f"DESTDIR={folder}", "PREFIX=/usr", *words, cwd=clone)
    return folder / "usr"


def test_clone(folder, _):
    """The last commit and the changes that are not committed, as a new user gets it."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return ["a clone, since this is not a git repository"]
    clone = folder / "tenon"
    run("git", "clone", "-q", ROOT, clone)
    change = subprocess.run(["git", "diff", "--binary", "HEAD"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE).stdout
    if change:
        subprocess.run(["git", "apply"], cwd=clone, input=change, check=True)
    sample = folder / "crane.glb"
    shutil.copy(ROOT / "samples/crane.glb", sample)
    alone = make_install(clone, folder / "alone", "CMAKE_OPTIONS=-DTENON_IMPORT=OFF")
    expect(not list(alone.rglob("tenon-import")), "tenon-import is installed without Assimp")
    run(alone / "bin/tenon", "convert", sample, folder / "crane.gpb", "--verify")
    both = make_install(clone, folder / "both", "CMAKE_OPTIONS=-DTENON_IMPORT=ON")
    check_files(both)
    if not list(both.rglob("tenon-import")):
        return ["COLLADA, since Assimp is not installed"]
    sys.path[:0] = [str(ROOT / "tests/import")]
    import small_files
    (folder / "hero.dae").write_bytes(small_files.dae())
    run(both / "bin/tenon", "convert", folder / "hero.dae", folder / "hero.bbmod", "--verify")
    return []


# -- The same bytes again

def build_copy(copy):
    """The programs of a copy of the repository; ccache would hide a difference."""
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run("cmake", "-S", copy, "-B", copy / "made", COMPILER, "-DTENON_TESTS=OFF",
        "-DTENON_CCACHE=TENON_CCACHE-NOTFOUND")
    run("cmake", "--build", copy / "made", "-j2", "--target", "tenon_programs")
    return {path.name: path.read_bytes() for path in (copy / "made").glob("tenon*")
            if path.is_file() and os.access(path, os.X_OK)}


def test_reproduce(folder, _):
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return ["copies, since this is not a git repository"]
    first = build_copy(folder / "a")
    second = build_copy(folder / "another folder" / "deeper")
    expect("tenon" in first and set(first) == set(second), f"made were {set(first) | set(second)}")
    for name, data in first.items():
        expect(data == second[name], f"{name} differs from folder to folder")
        expect(os.fsencode(folder) not in data, f"{name} names the folder it was made in")
    return []


# -- A part of another project

def test_subproject(folder, _):
    """Another project gets only the library: its cache, its options and its tests stay."""
    for way, lines in CMAKE_EMBED.items():
        lists = (CMAKE_HEAD + "include(FetchContent)\n" + CMAKE_LOOK.replace("@", "before")
                 + lines.replace("@ROOT@", str(ROOT)) + CMAKE_LOOK.replace("@", "after")
                 + CMAKE_COMPARE + CMAKE_PROGRAM)
        said = configure_consumer(folder / way, lists, COMPILER)
        leaked = dict(re.findall(r"LEAKED (\w+): (.*)", said))
        ours = re.compile(r"(?i)_?(tenon|fetchcontent|_cmake_|targets_|names_|variables_)")
        for kind in ("targets", "names", "variables"):
            wrong = [name for name in leaked[kind].split(";") if name and not ours.match(name)]
            expect(not wrong, f"{way}: {kind} of the other project change: {wrong}")
        targets = re.search(r"TARGETS: (.*)", said).group(1).split(";")
        expect(set(targets) == {"tenon", "tenon_objects"}, f"{way}: targets {targets}")
        for name in ("CTestTestfile.cmake", "compile_commands.json"):
            expect(not (folder / way / "build" / name).exists(), f"{way}: {name} is made")
    build_consumer(folder / "subdirectory")
    return []


# -- A DLL

def test_windows(folder, _):
    """Built where MinGW is installed, run where Wine is, too."""
    if not shutil.which(MINGW):
        return [f"Windows, for which {MINGW} is not installed"]
    lists = CMAKE_HEAD + f'add_subdirectory("{ROOT}" tenon)\n' + CMAKE_PROGRAM
    source = folder / "consumer"
    configure_consumer(source, lists, "-DBUILD_SHARED_LIBS=ON",
                       f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/cross/mingw.cmake")
    run("cmake", "--build", source / "build", "-j2")
    library = next((source / "build").rglob("libtenon*.dll"))
    tables = run("x86_64-w64-mingw32-objdump", "-p", library)
    names = re.findall(r"^\s+\[ *\d+\] (?:\+base\[ *\d+\] )?(?:[0-9a-f]+ )?(\w+)$", tables, re.M)
    wrong = [name for name in names if not name.startswith("tenon_")]
    expect(names and not wrong, f"{len(names)} symbols are exported, of these wrong: {wrong}")
    imports = run("x86_64-w64-mingw32-objdump", "-p", source / "build/consumer.exe")
    expect(f"DLL Name: {library.name}" in imports, "the program does not import the DLL")
    if not shutil.which("wine"):
        return ["running it, since Wine is not installed"]
    shutil.copy(library, source / "build")
    printed = run("wine", source / "build/consumer.exe", env=dict(os.environ, WINEDEBUG="-all"))
    expect(f"{version()} format" in printed, f"the program printed {printed!r}")
    return []


PARTS = {"sources": test_sources, "amalgamation": test_amalgamation, "clone": test_clone,
         "subproject": test_subproject, "windows": test_windows, "reproduce": test_reproduce,
         "static": lambda *rest: test_kind("static", *rest),
         "shared": lambda *rest: test_kind("shared", *rest)}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in PARTS:
        sys.exit(__doc__)
    part = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tenon-install-") as name:
        try:
            missing = PARTS[part](Path(name), Path(sys.argv[2]))
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
