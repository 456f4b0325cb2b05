// gltf_map.h: what lies where in the text and in the bytes of a glTF file.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_GLTF_MAP_H
#define TN_FORMATS_GLTF_GLTF_MAP_H

#include "core/cursor/io.h"

#include <tenon/gltf.h>

// Whether somebody watches who asks for places alone, not for the structure of a document: a map,
// or the search for a path. The text twin keeps text and bytes in one piece.
bool gltf_wants_detail(const tn_io *io);

// Tell the values of a JSON text that starts at `offset`; up to the fault if it is broken.
void gltf_report_json(tn_io *io, tenon_str text, uint64_t offset);

// The chunk for bytes.
typedef struct gltf_chunk_place {
    const char *path;  // Of the field.
    const uint8_t *data;
    uint64_t offset, size;
} gltf_chunk_place;

// Tell the buffer views in the chunk: `bufferViews[3]`. Bytes that several have are told as those
// of the first, and the others are told to share them; bytes that none has are a gap.
void gltf_report_views(tn_io *io, const tenon_gltf *doc, const gltf_chunk_place *chunk);

#endif  // TN_FORMATS_GLTF_GLTF_MAP_H
