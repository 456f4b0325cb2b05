// gltf_format.h: what the files of the glTF format share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_GLTF_FORMAT_H
#define TN_FORMATS_GLTF_GLTF_FORMAT_H

#include "formats/formats.h"

#include <tenon/gltf.h>

int gltf_describe_probe(const uint8_t *data, uint64_t size);
bool gltf_describe_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect);
void gltf_describe(tn_io *io, void *doc);
void gltf_check(tn_check *check, const void *doc);
void gltf_info(tn_info_builder *builder, const void *doc);
void gltf_info_report_tree(tn_walk *walk, const void *doc);
void gltf_import(struct tn_scene_builder *builder, const void *doc);
bool gltf_sidecars(const void *doc, tenon_str stem, tenon_side_fn *fn, void *user);
bool gltf_export(const struct tn_export *export);

#endif  // TN_FORMATS_GLTF_GLTF_FORMAT_H
