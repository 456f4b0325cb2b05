// gltf_export_keep.h: what an export to glTF writes again of the file that the scene is from.
// SPDX-License-Identifier: MIT
//
// The JSON of the file is parsed again. In the objects that the scene has, and in objects that only
// the file has, indices are replaced by those of the output, and what refers to objects that are
// not written is removed and reported. Then the writers of objects copy what is left.

#ifndef TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_KEEP_H
#define TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_KEEP_H

#include "formats/gltf/export/gltf_export.h"
#include "formats/gltf/gltf_kept.h"

// An extension that the output uses, or that was lost.
typedef struct gltf_kept_name {
    tn_named named;
    struct gltf_kept_name *next;
    bool is_used, is_required;
    bool is_listed[2];  // In 'extensionsUsed' and 'extensionsRequired'.
    tn_tally lost_references, lost_indices, lost_shapes;
} gltf_kept_name;

// Bytes that are copied. Each has its own buffer view.
typedef struct gltf_kept_bytes {
    const uint8_t *data;
    uint64_t size, offset;
    uint32_t stride, target;  // 0: not written.
} gltf_kept_bytes;

typedef struct gltf_keep {
    const gltf_kept *kept;
    tn_json_tree tree;
    const tn_json_value *lists[LIST_COUNT];
    // For each object of the file: its index in the output, or TENON_NONE.
    uint32_t *out_of[LIST_COUNT];
    uint32_t own_count[LIST_COUNT];  // Objects of the output that are not only copied.
    uint32_t *copies[LIST_COUNT], copy_count[LIST_COUNT];  // Objects that are copied, in order.
    // For each texture of the file: the image that it shows, as `origin`, and its wrap modes.
    uint32_t *sources, (*wraps)[2];
    const tn_json_value **primitives, **channels;  // All of them, by `origin` - 1.
    uint32_t primitive_count, channel_count;
    uint32_t *first_channels;  // The first channel of each animation.
    bool *is_channel_kept, *is_primitive_done;
    gltf_kept_bytes *bytes;
    uint32_t bytes_count, *bytes_of;  // `bytes_of` each accessor.
    tn_name_tree names;
    gltf_kept_name *first_name, *last_name;
    tn_tally lost_objects, lost_places, lost_channels, lost_attributes;
    tenon_scene scene;  // With the images that only extensions use.
    tn_export export;   // Of that scene.
    uint32_t first_image;
    uint32_t scenes_before;  // Scenes that are copied before that of the scene.
} gltf_keep;

// The entry of an extension, which is added; NULL: there is no memory. In gltf_export_kept.c.
gltf_kept_name *gltf_export_kept_name(gltf_exporter *exporter, tenon_str name);

// Undo in the scene of `keep` what the import has changed, in gltf_export_restore.c: instances are
// nodes, hidden nodes have no light, and those that blink are scaled.
void gltf_export_restore(gltf_exporter *exporter);

// What can be left out of an object of the file if an index names nothing that is written: the
// index, or the texture whose index it is. NULL: nothing.
tn_json_value *gltf_export_restore_optional(tn_json_value *index);

// Replace the indices of the mesh and the skin of a hidden node of the file.
void gltf_export_restore_hidden(gltf_exporter *exporter, const tn_json_value *node);

// Replace the indices in an object of the file, or in a part of one, and remove what cannot be
// written again. Only extensions are looked at if the scene has the object. Returns false if an
// index of the object itself, not of an extension, names nothing that is written.
bool gltf_export_keep_rewrite(gltf_exporter *exporter, tn_json_value *top, bool is_of_scene);

#endif  // TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_KEEP_H
