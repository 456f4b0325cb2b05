// obj_format.h: what the row of OBJ in the table of formats is made of.
// SPDX-License-Identifier: MIT

#ifndef TN_OBJ_FORMAT_H
#define TN_OBJ_FORMAT_H

#include "../formats.h"

#include <tenon/obj.h>

int obj_probe(const uint8_t *data, uint64_t size);
void obj_describe(tn_io *io, void *doc);
bool obj_finalize(void *doc, tn_arena *arena, tenon_error *err);
void obj_info(tn_informer *informer, const void *doc);
void obj_to_scene(struct tn_builder *b, const void *doc);

#endif  // TN_OBJ_FORMAT_H
