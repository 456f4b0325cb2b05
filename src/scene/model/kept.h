// kept.h: what a file says that scenes cannot hold, kept for exports to the same format.
// SPDX-License-Identifier: MIT
//
// The importer of a format stores it with the scene, together with the losses that exports to other
// formats report. Objects of the scene are linked to it by their `origin`.

#ifndef TN_SCENE_MODEL_KEPT_H
#define TN_SCENE_MODEL_KEPT_H

#include "scene/model/scene_build.h"

// What edits have changed: bits of tenon_scene.edited. What is kept about it no longer applies.
enum {
    TN_EDITED_SHAPES = 1 << 0,  // Nodes, meshes or their space.
    TN_EDITED_MATERIALS = 1 << 1,
    TN_EDITED_TEXTURES = 1 << 2,
    TN_EDITED_CLIPS = 1 << 3,
};

// A loss of every export to another format.
typedef struct tn_kept_loss {
    struct tn_kept_loss *next;
    tenon_loss loss;
} tn_kept_loss;

typedef struct tn_kept {
    const tenon_format *format;  // Only its export knows the contents.
    const void *contents;
    tn_kept_loss *first, *last;
} tn_kept;

// Keep from now on: losses are stored with the scene. Returns NULL on failure.
tn_kept *tn_keep(tn_scene_builder *builder);

// Report a loss, now or if something is kept, in exports to other formats.
void tn_scene_report_unkept(tn_scene_builder *builder, tenon_loss_kind kind, const char *feature,
                            uint64_t count, const char *path, const char *why);

// The same for an omission.
void tn_scene_omit_unkept(tn_scene_builder *builder, const char *feature, uint64_t count,
                          const char *path, const char *why);

// Report the losses of an export to `format`.
void tn_report_kept(const tenon_scene *scene, const tenon_format *format,
                    const tenon_events *events);

#endif  // TN_SCENE_MODEL_KEPT_H
