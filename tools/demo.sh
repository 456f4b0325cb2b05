#!/bin/sh
# demo.sh: the main uses, shown with our own model, then every format and back, measured.
# SPDX-License-Identifier: MIT
#
# Usage: demo.sh TENON FOLDER

set -eu
tenon=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
samples=$(cd "$(dirname "$0")/.." && pwd)/samples

# Each command is shown before what it prints. They run in the folder, beside a copy of the samples.
run()
{
    printf '\n$ %s\n' "$*"
    (cd "$folder" && PATH="$(dirname "$tenon"):$PATH" && eval "$*") 2>&1
}

say() { printf '\n== %s\n' "$*"; }

# The value of a number in a line of JSON.
number() { sed -n "s/.*\"$1\":\([0-9.e+-]*\).*/\1/p"; }

# Convert and verify: prints the error and the number of reported losses.
convert()
{
    line=$("$tenon" convert --json --force --verify "$1" "$2")
    losses=$(printf '%s' "$line" | grep -o '"kind":' | wc -l)
    printf '%-10.2g %8d  ' "$(printf '%s' "$line" | number largest)" "$losses"
}

cp -R "$samples" "$folder/samples"

if [ -e "$(dirname "$tenon")/tenon-import" ]; then
    source=fbx
    say 'FBX into an engine: a model for GameMaker, with clips and materials'
else
    source=glb
    say 'glTF into an engine (FBX needs Assimp): a model for GameMaker, with clips and materials'
fi
run "tenon convert samples/crane.$source for_gamemaker/crane.bbmod --textures copy --verify"

say 'Out of an engine: glTF for Blender and other programs'
run 'tenon convert samples/crane.gpb from_gameplay3d/crane.glb --verify'

say 'What is in a file?'
run 'tenon info samples/crane.bbmod'

say 'What is wrong with a file? This one is cut short'
run 'head -c 40000 samples/crane.bbmod > broken.bbmod'
run 'tenon check broken.bbmod' || true

say 'Every byte of a file'
run 'tenon map samples/crane.gpb | head -n 16'

say 'From glTF into every format and back'
printf '\nThe largest distance between matching corners at any time of any clip, as a share of\n'
printf 'the diagonal of the model, and how many kinds of losses were reported:\n\n'
printf '%-8s %-10s %8s  %-10s %8s  files\n' format into losses back losses
for format in bbmod gpb bmw cea bplx; do
    mkdir -p "$folder/$format" "$folder/$format/back"
    printf '%-8s ' "$format"
    convert "$samples/crane.glb" "$folder/$format/crane.$format"
    convert "$folder/$format/crane.$format" "$folder/$format/back/crane.glb"
    printf '%s\n' "$(find "$folder/$format" -maxdepth 1 -type f | wc -l)"
done
printf '\nBPLX has no skin weights: its mesh keeps the rest pose, which the report says.\n'

say 'Open these files in Blender or in any glTF viewer: their textures are inside'
printf '\n'
find "$2" -name '*.glb' ! -path '*/samples/*' | sort | sed 's/^/  /'
