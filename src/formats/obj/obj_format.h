// obj_format.h: the functions of OBJ in the table of formats.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_OBJ_FORMAT_H
#define TN_FORMATS_OBJ_OBJ_FORMAT_H

#include "formats/formats.h"

#include <tenon/obj.h>

int obj_probe(const uint8_t *data, uint64_t size);
void obj_describe(tn_io *io, void *doc);
bool obj_finalize(void *doc, tn_arena *arena, tenon_error *err);

enum { OBJ_RULE_COUNT = 22 };
extern const tenon_rule obj_rules[OBJ_RULE_COUNT];
void obj_check(tn_check *check, const void *doc);

void obj_import(struct tn_scene_builder *builder, const void *doc);

#endif  // TN_FORMATS_OBJ_OBJ_FORMAT_H
