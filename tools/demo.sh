#!/bin/sh
# demo.sh: the sample model from GLB into every engine's format and back, measured.
# SPDX-License-Identifier: MIT
#
# Usage: demo.sh TENON FOLDER

set -eu
tenon=$1
folder=$2
root=$(cd "$(dirname "$0")/.." && pwd)

# The value of a number in a line of JSON.
number() { sed -n "s/.*\"$1\":\([0-9.e+-]*\).*/\1/p"; }

# Convert with proof: prints the error and how many losses were told.
convert() {
    line=$("$tenon" convert --json --force --verify "$1" "$2")
    losses=$(printf '%s' "$line" | grep -o '"kind":' | wc -l)
    printf '%-10.2g %8d  ' "$(printf '%s' "$line" | number largest)" "$losses"
}

printf '\nsamples/crane.glb into every format and back; the largest distance of any corner at\n'
printf 'any time, as a share of the diagonal, and how many kinds of losses were told:\n\n'
printf '%-8s %-10s %8s  %-10s %8s  files\n' format into losses back losses
for format in bbmod gpb bmw cea bplx; do
    mkdir -p "$folder/$format" "$folder/$format/back"
    printf '%-8s ' "$format"
    convert "$root/samples/crane.glb" "$folder/$format/crane.$format"
    convert "$folder/$format/crane.$format" "$folder/$format/back/crane.glb"
    printf '%s\n' "$(find "$folder/$format" -maxdepth 1 -type f | wc -l)"
done
printf '\nBPLX has no weights, so that its mesh stays at rest while the bones move: '
printf 'the loss says so.\n'
