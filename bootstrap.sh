#!/bin/sh
# bootstrap.sh: from a fresh clone to a working tool, on Debian or Ubuntu with nothing but git.
# SPDX-License-Identifier: MIT
set -eu

usage()
{
    cat <<'END'
usage: ./bootstrap.sh build|demo|test|ci|cluster

  build   build the library and the tool
  demo    build, then show the tool at work on a model of our own
  test    build, then run the tests
  ci      only install what .ci/run needs beyond the tests
  cluster only install what `make test-cluster` needs

What is missing is installed from the distribution's packages, after saying what and why. When
nothing is missing, nothing is installed and no package manager is started. There is no prompt:
without root, sudo is used if it needs no password; otherwise the command to run is printed.

exit status: 2 usage, 3 something is missing and could not be installed, else that of the step
END
}

say() { printf 'bootstrap: %s\n' "$*"; }

# -- What is needed

packages=
reasons=

has() { command -v "$1" >/dev/null 2>&1; }

# want PACKAGES WHY: have these installed.
want()
{
    packages="$packages $1"
    reasons="$reasons  $1: $2
"
}

# A compiler without the C library's headers is no use, and Debian installs them apart.
compiles() { has "$1" && echo '#include <stdlib.h>' | "$@" -fsyntax-only - 2>/dev/null; }

# has_header NAME: a library's header is there for the compiler.
has_header() { echo "#include <$1>" | "${CC:-cc}" -x c -fsyntax-only - 2>/dev/null; }

need_build_tools()
{
    compiles "${CC:-cc}" -x c || want 'gcc libc6-dev' 'the C compiler and the C library'
    has make || want make 'runs the commands of the build'
    has cmake || want cmake 'plans the build'
    has_header png.h || want libpng-dev 'writes pictures'
    has_header jerror.h || want libjpeg-dev 'reads JPEG pictures'
    has_header webp/decode.h || want libwebp-dev 'reads WebP pictures'
    has_header assimp/cimport.h || want libassimp-dev 'imports COLLADA and others'
    [ -e /usr/include/draco/draco_features.h ] || want 'libdraco-dev g++' 'decodes Draco in glTF'
}

need_test_tools()
{
    has python3 || want python3 'runs the tests of the command line'
    compiles "${CXX:-c++}" -x c++ || want g++ 'the test that the headers are C++, too'
    has pkg-config || want pkg-config 'the test of the installed package'
}

need_ci_tools()
{
    has clang-format-14 || want clang-format-14 'checks the formatting'
    has ccache || want ccache 'compiles nothing twice'
    has valgrind || want valgrind 'counts instructions'
    has strace || want strace 'the test of paths that lead out of a folder'
    has clang && has wasm-ld || want 'clang lld' 'compiles for WebAssembly'
    [ -f /usr/lib/wasm32-wasi/libc.a ] || want wasi-libc 'the C library for WebAssembly'
    ls /usr/lib/llvm-14/lib/clang/14*/lib/wasi/libclang_rt.builtins-wasm32.a >/dev/null 2>&1 ||
        want libclang-rt-14-dev-wasm32 'arithmetic for WebAssembly'
    has npm && has node || want 'nodejs npm' 'runs WebAssembly and packs the npm package'
    has chromium || want chromium 'the browser that the page is tested in'
}

need_cluster_tools()
{
    # Daemons are not on the path of every user.
    for program in slurmctld slurmd; do
        has "$program" || [ -x "/usr/sbin/$program" ] ||
            want "$program" 'runs shards on a cluster of one machine'
    done
    has sbatch || want 'slurm-wlm slurm-client' 'starts the shards'
    has munged || [ -x /usr/sbin/munged ] || want munge 'proves to Slurm who asks'
}

# -- Installing it

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_be_root() { [ "$(id -u)" -eq 0 ] || { has sudo && sudo -n true 2>/dev/null; }; }

install_missing()
{
    [ -n "$packages" ] || return 0
    command="apt-get install -y --no-install-recommends$packages"
    say "missing here, to be installed from the distribution's packages:"
    printf '%s' "$reasons"
    if ! has apt-get; then
        say "there is no apt-get; install them by other means and run this again" >&2
        exit 3
    fi
    if ! can_be_root; then
        say "that needs root; run this as root, then try again:" >&2
        say "  apt-get update && $command" >&2
        exit 3
    fi
    as_root apt-get -q update || say "the package lists could not be renewed; trying with the old"
    say "running: $command"
    # Unquoted on purpose: $command is words.
    as_root env DEBIAN_FRONTEND=noninteractive $command </dev/null || {
        say "the packages could not be installed" >&2
        exit 3
    }
}

check_cmake()
{
    version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    if [ "${version% *}" -lt 3 ] || { [ "${version% *}" -eq 3 ] && [ "${version#* }" -lt 18 ]; }
    then
        say "cmake is too old: 3.18 is needed, $(cmake --version | head -n 1) is installed" >&2
        exit 3
    fi
}

# -- Steps

main()
{
    [ $# -eq 1 ] || { usage >&2; exit 2; }
    case $1 in
    build | demo) need_build_tools ;;
    test) need_build_tools; need_test_tools ;;
    ci) need_build_tools; need_test_tools; need_ci_tools ;;
    cluster) need_cluster_tools ;;
    -h | --help | help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    cd "$(dirname "$0")"
    install_missing
    [ "$1" = cluster ] && exit 0
    check_cmake
    case $1 in
    build) exec make ;;
    demo | test) exec make "$1" ;;
    esac
}

main "$@"
