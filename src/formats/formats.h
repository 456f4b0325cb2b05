// formats.h: the table of formats.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FORMATS_H
#define TN_FORMATS_FORMATS_H

#include "document/format.h"

// The formats, NULL past the last one.
const tn_format *tn_format_at(uint32_t index);

// The format whose content this is. On failure NULL, and `err` names the candidates. `name` is the
// file's name, whose extension settles a tie; it may be NULL.
const tn_format *tn_format_probe(const uint8_t *data, uint64_t size, const char *name,
                                 tenon_error *err);

// The format of that name; NULL if there is none.
const tn_format *tn_format_by_name(const char *name);

extern const tn_format tn_bbmod_format, tn_bbanim_format, tn_gpb_format, tn_bmw_format,
    tn_modeldata_format, tn_bplx_format, tn_gltf_format, tn_obj_format, tn_fbx_format,
    tn_fnt_format;

#endif  // TN_FORMATS_FORMATS_H
