// bplx_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BPLX_BPLX_FORMAT_H
#define TN_FORMATS_BPLX_BPLX_FORMAT_H

#include "formats/formats.h"

#include <tenon/bplx.h>

// time, bone_index, position, rotation, scale.
extern const tenon_layout bplx_keyframe_layout;

extern const struct tn_views bplx_views;

enum { BPLX_RULE_COUNT = 21 };
extern const tenon_rule bplx_rules[BPLX_RULE_COUNT];

void bplx_describe(tn_io *io, void *doc);
bool bplx_recover(void *doc, const tn_change *change);
void bplx_check(tn_check *check, const void *doc);

// The winding of triangles in the order of the host.
tn_turns bplx_turns(const float *positions, const float *normals, uint32_t vertex_count,
                    const uint32_t *indices, uint32_t index_count);

void bplx_import(struct tn_scene_builder *b, const void *doc);

#endif  // TN_FORMATS_BPLX_BPLX_FORMAT_H
