// bplx_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BPLX_BPLX_FORMAT_H
#define TN_FORMATS_BPLX_BPLX_FORMAT_H

#include "formats/formats.h"

#include <tenon/bplx.h>
#include <tenon/scene.h>

// time, bone_index, position, rotation, scale.
extern const tenon_layout bplx_keyframe_layout;

enum { BPLX_RULE_COUNT = 21 };
extern const tenon_rule bplx_rules[BPLX_RULE_COUNT];

void bplx_describe(tn_io *io, void *doc);
void bplx_check(tn_check *check, const void *doc);
void bplx_import(struct tn_scene_builder *builder, const void *doc);
bool bplx_export(const struct tn_export *export);

// The winding of triangles in the order of the host.
tn_turns bplx_turns(const tenon_primitive *p);

#endif  // TN_FORMATS_BPLX_BPLX_FORMAT_H
