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
bool gltf_sidecars(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user);
bool gltf_export(const struct tn_export *export);

// -- Maps

// Whether the observers want all parts of the JSON and the bytes: maps and searches for a path do.
// The text twin has the JSON and the bytes as one value each.
bool gltf_map_wants_detail(const tn_io *io);

// Report the values of JSON that starts at `offset`, up to the first error.
void gltf_map_report_json(tn_io *io, tenon_str text, uint64_t offset);

// The BIN chunk.
typedef struct gltf_chunk_place {
    const char *path;  // Of the field.
    const uint8_t *data;
    uint64_t offset, size;
} gltf_chunk_place;

// Report the buffer views in the chunk: `bufferViews[3]`. Bytes of several views are reported for
// the first; the others report how many they share. Bytes of no view are a gap.
void gltf_map_report_views(tn_io *io, const tenon_gltf *doc, const gltf_chunk_place *chunk);

#endif  // TN_FORMATS_GLTF_GLTF_FORMAT_H
