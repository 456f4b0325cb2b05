// gltf.h: the document of a glTF 2.0 file, binary (GLB) or text, in the words of its specification.
// SPDX-License-Identifier: MIT
//
// The document has the bytes of the container. To interpret its JSON, use tenon_to_scene(),
// tenon_check() and tenon_doc_info().

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
    uint32_t version;  // GLB: 2. This and the next three are 0 in a text file.
    uint32_t length;   // GLB: bytes of the whole file.
    uint32_t chunk_count;
    tenon_gltf_chunk *chunks;
    tenon_span leftover;  // GLB: bytes after the last chunk, too few for another.
    uint32_t text_size;   // Text file: bytes of `json`.
    tenon_str json;       // Text file: the whole file. tenon_gltf_json() works for GLB as well.
} tenon_gltf;

// Returns `doc` as a glTF document, or NULL if it is of another format.
TENON_API tenon_gltf *tenon_as_gltf(tenon_doc *doc);

// Returns the JSON of a GLB or text file, byte for byte; empty if a GLB file has none. *offset,
// which may be NULL, gets its offset in the file.
TENON_API tenon_str tenon_gltf_json(const tenon_gltf *doc, uint64_t *offset);

// -- Draco: what tenon_scene_opts.decode_draco gets

// Numbers that are in a mesh compressed by Draco.
typedef struct tenon_draco_part {
    uint32_t id;              // Of an attribute in the compressed data; TENON_NONE: the indices.
    uint32_t component_type;  // 5120 to 5126, as in glTF.
    uint32_t width;           // Components of an element.
    uint32_t count;           // Elements: all vertices, or three indices for each triangle.
    uint8_t *out;             // Gets them: without gaps, little-endian.
    uint64_t size;            // Bytes of `out`.
} tenon_draco_part;

typedef struct tenon_draco_mesh {
    const uint8_t *data;
    uint64_t size;
    uint32_t part_count;
    tenon_draco_part *parts;
} tenon_draco_mesh;

// Decodes all meshes of a file that are compressed by Draco. False, with `err` set, on failure.
typedef bool tenon_draco_fn(void *user, const tenon_draco_mesh *meshes, uint32_t count,
                            tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_GLTF_H
