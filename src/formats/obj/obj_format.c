// obj_format.c: Wavefront OBJ in the table of formats.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"
#include "formats/obj/export/obj_export.h"

static const tenon_dialect obj_dialects[] = {
    {"text", "the text as it is", 0, false},
};

static const char *obj_format_still(const tenon_dialect *dialect)
{
    (void)dialect;
    return "which OBJ cannot hold";
}

const tn_format tn_obj_format = {
    .face = {.name = "obj",
             .title = "Wavefront OBJ",
             .engine = "all engines",
             .extensions = {"obj"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHECK |
                     TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = obj_dialects,
             .dialect_count = sizeof obj_dialects / sizeof obj_dialects[0],
             .rules = obj_rules,
             .rule_count = OBJ_RULE_COUNT},
    .doc_size = sizeof(tenon_obj),
    .probe = obj_probe,
    .describe = obj_describe,
    .check = obj_check,
    .info = obj_info,
    .info_sidecars = obj_info_sidecars,
    .sides = obj_sidecars,
    .finalize = obj_finalize,
    .import = obj_import,
    .still = obj_format_still,
    .export = obj_export,
    .holds_morphs = true,  // In the pose that it writes.
};

tenon_obj *tenon_as_obj(tenon_doc *doc)
{
    return doc && doc->format == &tn_obj_format.face ? (tenon_obj *)doc : NULL;
}
