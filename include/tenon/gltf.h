// gltf.h: the document of a glTF 2.0 file, binary (GLB) or text, in the words of its specification.
// SPDX-License-Identifier: MIT
//
// The document holds the container, byte for byte. What the JSON in it means is found out by
// tenon_to_scene(), tenon_check() and tenon_doc_info().

#ifndef TENON_GLTF_H
#define TENON_GLTF_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_GLTF_TEXT = 1 << 0,  // The whole file is the JSON.
};

// Types of chunks; those of other types are extensions.
enum {
    TENON_GLTF_CHUNK_JSON = 0x4e4f534a,
    TENON_GLTF_CHUNK_BIN = 0x004e4942,
};

typedef struct tenon_gltf_chunk {
    uint32_t length;  // Bytes of the data.
    uint32_t type;    // TENON_GLTF_CHUNK_JSON and so on.
    tenon_str json;   // Of the first chunk, if that is JSON.
    tenon_span data;  // Of every other.
} tenon_gltf_chunk;

typedef struct tenon_gltf {
    tenon_doc base;
    uint32_t version;  // GLB: 2. As below, 0 for a text file.
    uint32_t length;   // GLB: bytes of the whole file.
    uint32_t chunk_count;
    tenon_gltf_chunk *chunks;
    tenon_span leftover;  // GLB: bytes behind the last chunk, too few for another.
    uint32_t text_size;   // Bytes of `json`, of a text file.
    tenon_str json;       // The whole of a text file; of GLB use tenon_gltf_json().
} tenon_gltf;

// `doc` as a glTF document, or NULL if it is none.
TENON_API tenon_gltf *tenon_as_gltf(tenon_doc *doc);

// The JSON text, of either kind, as it stands in the file; empty if a GLB file has none. *offset
// (may be NULL) gets where it starts.
TENON_API tenon_str tenon_gltf_json(const tenon_gltf *doc, uint64_t *offset);

#ifdef __cplusplus
}
#endif
#endif  // TENON_GLTF_H
