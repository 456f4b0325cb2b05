// gltf_format.c: glTF 2.0 in the table of formats.
// SPDX-License-Identifier: MIT

#include "gltf_format.h"

static const tenon_dialect gltf_dialects[] = {
    {.name = "glb", .summary = "binary, everything in one file"},
    {.name = "gltf", .summary = "JSON, with a .bin file beside it", .flags = GLTF_IS_TEXT},
};

const tn_format tn_gltf_format = {
    .face = {.name = "gltf",
             .title = "glTF 2.0",
             .engine = "all engines",
             .extensions = {"glb", "gltf"},
             .caps = TENON_CAN_WRITE | TENON_FROM_SCENE,
             .dialects = gltf_dialects,
             .dialect_count = sizeof gltf_dialects / sizeof gltf_dialects[0]},
    .export = gltf_export,
};
