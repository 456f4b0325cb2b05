// scene_export.h: how formats without a document write a scene.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_EXPORT_H
#define TN_SCENE_EXPORT_H

#include "../core/arena.h"
#include "../core/error.h"

#include <tenon/scene.h>

typedef struct tn_export {
    const tenon_scene *scene;       // Checked.
    const tenon_dialect *dialect;   // Which way of writing it; NULL: the format has but one.
    const tenon_export_opts *opts;  // Never NULL.
    const tenon_sink *sink;
    tn_arena *arena;   // For whatever is needed; freed afterwards.
    tenon_error *err;  // Never NULL.
} tn_export;

// Tell what the format cannot hold; nothing if `count` is 0.
void tn_export_lose(const tn_export *e, tenon_loss_kind kind, const char *feature, uint64_t count,
                    const char *path, const char *why);

// Zeroed memory; NULL, with the error set, if there is none.
void *tn_export_alloc(const tn_export *e, uint64_t count, size_t size);

// Start, continue and end a file of the export; "" is the main one. False: the sink said stop, or
// an earlier call failed.
bool tn_export_begin(const tn_export *e, const char *name);
bool tn_export_write(const tn_export *e, const void *bytes, size_t size);
bool tn_export_end(const tn_export *e);

#endif  // TN_SCENE_EXPORT_H
