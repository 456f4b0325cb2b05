// gltf_kept.h: what is kept of a glTF file for exports to glTF.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_GLTF_KEPT_H
#define TN_FORMATS_GLTF_GLTF_KEPT_H

#include "formats/gltf/gltf_extensions.h"
#include "scene/model/kept.h"

// The elements of an accessor, without gaps but for the padding of each to 4 bytes.
typedef struct gltf_kept_accessor {
    const uint8_t *data;  // NULL: it is not kept.
    uint32_t count, stride;
    bool is_packed;    // Elements are not padded.
    bool is_vertices;  // It is an attribute of vertices.
} gltf_kept_accessor;

typedef struct gltf_kept_view {
    const uint8_t *data;  // NULL: it is not kept.
    uint64_t size;
} gltf_kept_view;

// A material with extensions that scenes do not have. Textures have the `origin` of their images.
typedef struct gltf_kept_look {
    tenon_material file, shown;  // Without the extensions, and as it is in the scene.
} gltf_kept_look;

typedef struct gltf_kept {
    tenon_str json;  // The whole text.
    // For each object of some lists: whether the scene has it.
    bool *is_imported[LIST_COUNT];
    bool *is_channel_imported;  // For each channel of all animations.
    // For each node: it is never visible, and its mesh and light are not in the scene; channels for
    // its scale stand for channels of its visibility, which are not imported.
    bool *is_hidden, *is_blinking;
    gltf_kept_look **looks;         // For each material, or NULL.
    gltf_kept_accessor *accessors;  // For each, as far as something kept uses it.
    gltf_kept_view *views;
    tenon_image *images;  // For each: as the scene has or would have it; `origin` is the first
                          // one that is the same, plus 1, or 0 if it has no picture.
    bool lacks_data;      // Some accessor or view was damaged or too large to keep.
} gltf_kept;

#endif  // TN_FORMATS_GLTF_GLTF_KEPT_H
