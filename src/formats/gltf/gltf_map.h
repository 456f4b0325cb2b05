// gltf_map.h: the map of the JSON and the bytes of a glTF file.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_GLTF_MAP_H
#define TN_FORMATS_GLTF_GLTF_MAP_H

#include "core/cursor/io.h"

#include <tenon/gltf.h>

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

#endif  // TN_FORMATS_GLTF_GLTF_MAP_H
