"""cross.py: the systems that Tenon is built for, what each needs, and how it is built there."""
# SPDX-License-Identifier: MIT

import contextlib
import os
import re
import shutil
import subprocess
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/portability"
SOURCES = WORK / "sources"
OPTIMIZED = "-DCMAKE_C_FLAGS_RELEASE=-O2"  # Only tested programs are published.

SYSTEM = Path("/")  # Where files of packages are searched for.

# `build` is what building for the target needs, `run` what starting its programs needs in addition:
# commands, and files by their patterns. `compiler` is the command line of the C compiler,
# `emulator` what starts a program.
Target = namedtuple("Target", "name title build run compiler emulator")

WASI_BUILTINS = "/usr/lib/llvm-14/lib/clang/14*/lib/wasi/libclang_rt.builtins-wasm32.a"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

# What every target is built with, and what fetching the sources of the libraries needs.
BUILDING = ("cmake", "make")
FETCHING = ("apt-get", "dpkg-source", "patch", KEYRING)

TARGETS = [
    Target("gcc", "this machine, GCC: what the others are compared with",
           ("gcc", "/usr/include/stdio.h"), (), ("gcc",), ()),
    Target("clang", "this machine, Clang", ("clang", "/usr/include/stdio.h"), (), ("clang",), ()),
    Target("musl", "this machine, the C library musl, static",
           ("musl-gcc", "ar"), (), ("musl-gcc",), ()),
    Target("i686", "32-bit x86 Linux",
           ("i686-linux-gnu-gcc", "/usr/i686-linux-gnu/lib/libc.a"), (),
           ("i686-linux-gnu-gcc",), ()),
    Target("s390x", "big-endian Linux, run by QEMU",
           ("s390x-linux-gnu-gcc", "/usr/s390x-linux-gnu/lib/libc.a"), ("qemu-s390x-static",),
           ("s390x-linux-gnu-gcc",), ("qemu-s390x-static",)),
    Target("mingw", "64-bit Windows, run by Wine",
           ("x86_64-w64-mingw32-gcc",), ("wine",), ("x86_64-w64-mingw32-gcc",), ("wine",)),
    Target("dll", "64-bit Windows, run by Wine: the library as a DLL",
           ("x86_64-w64-mingw32-gcc",), ("wine",), ("x86_64-w64-mingw32-gcc",), ("wine",)),
    Target("wasm", "WebAssembly, run by Node: the library, the module and the tool",
           ("clang", "wasm-ld", "/usr/lib/wasm32-wasi/libc.a", WASI_BUILTINS), ("node",),
           ("clang", "--target=wasm32-wasi"),
           ("node", "--no-warnings", str(ROOT / "tools/wasi_run.mjs"))),
]

# The packages of Debian that contain all of that.
PACKAGES = {
    "cmake": "cmake", "make": "make", "ar": "binutils",
    "apt-get": "apt", "dpkg-source": "dpkg-dev", "patch": "patch",
    KEYRING: "debian-archive-keyring",
    "gcc": "gcc", "/usr/include/stdio.h": "libc6-dev", "clang": "clang", "musl-gcc": "musl-tools",
    "i686-linux-gnu-gcc": "gcc-i686-linux-gnu",
    "/usr/i686-linux-gnu/lib/libc.a": "libc6-dev-i386-cross",
    "s390x-linux-gnu-gcc": "gcc-s390x-linux-gnu",
    "/usr/s390x-linux-gnu/lib/libc.a": "libc6-dev-s390x-cross",
    "qemu-s390x-static": "qemu-user-static",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64", "wine": "wine wine64",
    "wasm-ld": "lld", "/usr/lib/wasm32-wasi/libc.a": "wasi-libc",
    WASI_BUILTINS: "libclang-rt-14-dev-wasm32", "node": "nodejs", "npm": "npm",
    "/usr/share/doc/musl-dev/copyright": "musl-dev",
    "/usr/share/doc/mingw-w64-x86-64-dev/copyright": "mingw-w64-x86-64-dev",
}
TOOLCHAINS = {"musl": "musl", "i686": "i686", "s390x": "s390x", "mingw": "mingw",
              "dll": "mingw", "wasm": "wasi"}


class Failure(Exception):
    """A step that should have worked did not; the text says which."""


def by_name(name):
    return next((target for target in TARGETS if target.name == name), None)


def is_here(need):
    if not need.startswith("/"):
        return shutil.which(need) is not None
    return any(SYSTEM.glob(need.lstrip("/")))


def missing(needs):
    """What of it is missing, each once."""
    return [need for need in dict.fromkeys(needs) if not is_here(need)]


def install(needs):
    """The command that installs all of it; without apt-get, what to look for."""
    packages = " ".join(sorted({p for need in needs for p in PACKAGES[need].split()}))
    if "apt-get" in needs:
        return "apt-get is not here; a Debian system has it, and these packages: %s" % packages
    return "apt-get install %s" % packages


def needs_of(target):
    """What building a target and running its programs needs."""
    return BUILDING + target.build + target.run


def run(command, log, **options):
    """Run a command, its output going to the end of the file `log`."""
    with open(log, "ab") as out:
        out.write(("$ %s\n" % " ".join(map(str, command))).encode())
        out.flush()
        status = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT,
                                stdin=subprocess.DEVNULL, **options).returncode
    if status != 0:
        raise Failure("'%s' failed; see %s" % (Path(str(command[0])).name, shown(log)))


def shown(path):
    return os.path.relpath(path, os.getcwd())


# -- zlib, libpng and libjpeg, which Debian has for this machine only

LIBRARIES = ("zlib", "libpng1.6", "libjpeg-turbo")


def source_folder(package):
    return next((p for p in sorted(SOURCES.glob(package + "-*")) if p.is_dir()), None)


def archives():
    """The archives of the distribution that this machine gets its packages from."""
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)",
                           "Created-By: Packages", "Origin: Debian", "Component: main"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = sorted(set(done.stdout.splitlines()))
    if not found:
        raise Failure("apt-get knows no archive of Debian; 'apt-get update' may help")
    return found


def apt(words, places, log):
    """apt-get with a separate package list: no root, nothing installed, signatures checked."""
    state = SOURCES / "apt"
    (state / "lists/partial").mkdir(parents=True, exist_ok=True)
    key = "[signed-by=%s]" % KEYRING
    lines = ("deb-src %s %s main\n" % (key, place) for place in places)
    (state / "sources.list").write_text("".join(lines), encoding="utf-8")
    settings = {"Dir::Etc::SourceList": state / "sources.list",
                "Dir::Etc::SourceParts": "/dev/null", "Dir::State::Lists": state / "lists",
                "Dir::Cache": state, "APT::Sandbox::User": ""}
    options = [word for item in settings.items() for word in ("-o", "%s=%s" % item)]
    run(["apt-get", "-q"] + options + words, log, cwd=SOURCES)


def needs_of_sources():
    """What getting the sources of the libraries needs: nothing, if they are here."""
    return () if all(source_folder(name) for name in LIBRARIES) else FETCHING


def fetch_sources():
    """The reason why the sources of the libraries cannot be fetched, or None."""
    if not needs_of_sources():
        return None
    lacking = missing(FETCHING)
    if lacking:
        return install(lacking)
    SOURCES.mkdir(parents=True, exist_ok=True)
    try:
        everywhere = archives()
    except Failure as failure:
        return str(failure)
    # Mirrors may lack what the security archive has only just got.
    settled = [place for place in everywhere if not place.endswith("-security")]
    for places in (everywhere, settled):
        reason = None
        try:
            apt(["update"], places, SOURCES / "log.txt")
            apt(["source", *LIBRARIES], places, SOURCES / "log.txt")
            break
        except (Failure, OSError) as error:
            reason = str(error)
    return reason


def make_archive(target, folder, name, sources, include, jobs, log):
    objects = folder / name
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir(parents=True)
    command = [*target.compiler, "-O2", "-DPNG_INTEL_SSE_OPT=0",
               *("-I%s" % path for path in include), "-c"]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda path: run(command + [str(path)], log, cwd=objects), sources))
    archive = folder / ("lib%s.a" % name)
    ar = shutil.which(re.sub(r"-gcc$|^gcc$|^clang$", "-ar", target.compiler[0])) or "ar"
    run([ar, "rcs", str(archive)] + sorted(str(p) for p in objects.glob("*.o*")), log)


def make_png(target, folder, jobs, log):
    include = folder / "include"
    zlib, png = source_folder("zlib"), source_folder("libpng1.6")
    for path in [zlib / "zlib.h", zlib / "zconf.h", png / "png.h", png / "pngconf.h"]:
        shutil.copy(path, include)
    shutil.copy(png / "scripts/pnglibconf.h.prebuilt", include / "pnglibconf.h")
    make_archive(target, folder, "z",
                 [p for p in sorted(zlib.glob("*.c")) if not p.name.startswith("gz")], [zlib],
                 jobs, log)
    make_archive(target, folder, "png",
                 [p for p in sorted(png.glob("png*.c")) if p.name != "pngtest.c"],
                 [include, png], jobs, log)


def make_jpeg(target, folder, jobs, log):
    """Without assembly, so that every machine decodes to the same pixels."""
    source, made = source_folder("libjpeg-turbo"), folder / "jpeg"
    run(["cmake", "-S", str(source), "-B", str(made), "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_INSTALL_PREFIX=/usr", "-DENABLE_SHARED=OFF", "-DWITH_SIMD=OFF",
         "-DWITH_TURBOJPEG=OFF",
         *compiler_options(target)], log)
    build(made, jobs, log, ["jpeg-static"])
    for name in ("jpeglib.h", "jmorecfg.h", "jerror.h"):
        shutil.copy(source / name, folder / "include")
    shutil.copy(made / "jconfig.h", folder / "include")
    shutil.copy(made / "libjpeg.a", folder)


def picture_options(target, jobs, log):
    """Options for CMake that name libraries of the target, which are built first."""
    folder = WORK / target.name / "libraries"
    if not (folder / "libjpeg.a").exists():
        (folder / "include").mkdir(parents=True, exist_ok=True)
        make_png(target, folder, jobs, log)
        make_jpeg(target, folder, jobs, log)
    places = {"PNG_LIBRARY": "libpng.a", "PNG_PNG_INCLUDE_DIR": "include",
              "ZLIB_LIBRARY": "libz.a", "ZLIB_INCLUDE_DIR": "include",
              "JPEG_LIBRARY": "libjpeg.a", "JPEG_INCLUDE_DIR": "include"}
    return ["-DTENON_PNG=ON"] + ["-D%s=%s" % (name, folder / places[name]) for name in places]


# -- Tenon

def compiler_options(target):
    if target.name not in TOOLCHAINS:
        return ["-DCMAKE_C_COMPILER=%s" % target.compiler[0]]
    return ["--toolchain", str(ROOT / "cmake/cross" / (TOOLCHAINS[target.name] + ".cmake"))]


def configure(target, folder, options, log):
    run(["cmake", "-S", str(ROOT), "-B", str(folder), "--log-level=WARNING",
         "-DCMAKE_BUILD_TYPE=Release", "-DTENON_IMPORT=OFF", "-DTENON_INSTALL=OFF",
         *compiler_options(target), *options], log)


def build(folder, jobs, log, goals):
    run(["cmake", "--build", str(folder), "-j%d" % jobs, "--target", *goals], log)


def environment():
    """For emulators: Wine keeps its files with ours, and prints no messages."""
    return dict(os.environ, WINEPREFIX=str(WORK / "wine"), WINEDEBUG="-all",
                WINEDLLOVERRIDES="mscoree,mshtml=", WINEPATH="")


@contextlib.contextmanager
def emulator(target):
    """Wine's server ends with the last program, and starting it takes longer than most of them.

    Its services live as long as it does and inherit the pipes of the program that starts them,
    which would then never end: so they are started before all others, without pipes.
    """
    server = shutil.which("wineserver") if target.emulator == ("wine",) else None
    (WORK / "wine").mkdir(parents=True, exist_ok=True)
    if server:
        quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, env=environment(), check=False)
        subprocess.run([server, "-p"], **quiet)
        subprocess.run([*target.emulator, "wineboot"], **quiet)
    try:
        yield
    finally:
        if server:
            subprocess.run([server, "-k"], env=environment(), check=False)
