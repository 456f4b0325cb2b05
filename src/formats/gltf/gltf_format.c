// gltf_format.c: glTF 2.0 in the table of formats.
// SPDX-License-Identifier: MIT

#include "formats/gltf/gltf_format.h"

#include "core/text/text.h"
#include "formats/gltf/check/gltf_check.h"

static const tenon_dialect gltf_dialects[] = {
    {.name = "glb", .summary = "binary, everything in one file"},
    {.name = "gltf", .summary = "JSON, with a .bin file next to it", .flags = TENON_GLTF_TEXT},
};

// Text and binary files differ, so that renaming a file does not convert it.
static const tenon_dialect *gltf_format_dialect_by_extension(const void *doc, const char *extension)
{
    const tenon_doc *base = doc;
    for (size_t i = 0; i < sizeof gltf_dialects / sizeof gltf_dialects[0]; i++)
        if (tn_same_word(extension, gltf_dialects[i].name) && base->dialect != &gltf_dialects[i])
            return &gltf_dialects[i];
    return NULL;
}

const tn_format tn_gltf_format = {
    .face = {.name = "gltf",
             .title = "glTF 2.0",
             .engine = "all engines",
             .extensions = {"glb", "gltf"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_HAS_MAGIC |
                     TENON_CAN_CHECK | TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = gltf_dialects,
             .dialect_count = sizeof gltf_dialects / sizeof gltf_dialects[0],
             .rules = gltf_rules,
             .rule_count = RULE_COUNT},
    .doc_size = sizeof(tenon_gltf),
    .probe = gltf_describe_probe,
    .fits = gltf_describe_fits,
    .describe = gltf_describe,
    .check = gltf_check,
    .info = gltf_info,
    .dialect_by_extension = gltf_format_dialect_by_extension,
    .tree = gltf_info_report_tree,
    .import = gltf_import,
    .export = gltf_export,
    .holds_morphs = true,
    .sides = gltf_sidecars,
};

tenon_gltf *tenon_as_gltf(tenon_doc *doc)
{
    return doc && doc->format == &tn_gltf_format.face ? (tenon_gltf *)doc : NULL;
}
