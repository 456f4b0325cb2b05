// fbx_format.c: FBX in the table of formats.
// SPDX-License-Identifier: MIT

#include "formats/fbx/fbx_format.h"

static const tenon_dialect fbx_dialects[] = {
    {.name = "binary", .summary = "records, with compressed arrays from version 7 on"},
    {.name = "text", .summary = "the same nodes as text", .flags = TENON_FBX_TEXT},
};

const tn_format tn_fbx_format = {
    .face = {.name = "fbx",
             .title = "Autodesk FBX",
             .engine = "all engines",
             .extensions = {"fbx"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_HAS_MAGIC |
                     TENON_CAN_CHECK | TENON_CAN_CHANGE | TENON_TO_SCENE,
             .dialects = fbx_dialects,
             .dialect_count = sizeof fbx_dialects / sizeof fbx_dialects[0],
             .rules = fbx_rules,
             .rule_count = FBX_RULE_COUNT},
    .doc_size = sizeof(tenon_fbx),
    .probe = fbx_describe_probe,
    .fits = fbx_describe_fits,
    .describe = fbx_describe,
    .check = fbx_check,
    .info = fbx_info,
    .finalize = fbx_describe_finalize,
    .change = fbx_binary_change,
    .recover = fbx_recover,
    .tree = fbx_info_tree,
    .import = fbx_import,
};

tenon_fbx *tenon_as_fbx(tenon_doc *doc)
{
    return doc && doc->format == &tn_fbx_format.face ? (tenon_fbx *)doc : NULL;
}
