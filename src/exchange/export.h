// export.h: how formats write a scene.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_EXPORT_H
#define TN_EXCHANGE_EXPORT_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"
#include "core/text/tally.h"
#include "exchange/export_names.h"

#include <tenon/scene.h>

// How the error of an approximation is found, so that it is the error of that one alone.
typedef enum tn_measure {
    TN_MEASURE_REMAINDER,       // What is left when the others have their own.
    TN_MEASURE_INFLUENCES,      // By limiting the influences of the scene to four.
    TN_MEASURE_AT_REST,         // At rest.
    TN_MEASURE_BETWEEN_FRAMES,  // Between frames, in engines that do not blend them.
    TN_MEASURE_ESTIMATED,       // The remainder if there is no other, else as the writer says.
} tn_measure;

// A loss whose error is known only when all is written.
typedef struct tn_approximation {
    struct tn_approximation *next;
    tn_measure measure;
    tenon_loss loss;
    char path[96];
} tn_approximation;

// What an export has done so far.
typedef struct tn_export_state {
    tn_pulse pulse;
    tn_approximation *approximations;
    tn_name_set taken;           // Names of side files.
    const char **picture_paths;  // Of each image of the scene, if it was asked for.
    tn_name_tree pictures[6];    // What tn_export_share_picture() has seen.
    struct tn_owned_doc *docs;   // That were made for it.
    struct tn_levers *levers;    // How far errors of curves carry; NULL: not found out yet.
    uint32_t steps_most;         // Of a cubic curve between two keys; 0: not found out yet.
} tn_export_state;

typedef struct tn_export {
    const tenon_scene *scene;       // Checked.
    const tenon_dialect *dialect;   // What was asked for; NULL: what the format's engine reads.
    const tenon_export_opts *opts;  // Never NULL.
    const tenon_sink *sink;
    tn_arena *arena;         // For whatever is needed; freed afterwards.
    tenon_error *err;        // Never NULL.
    tn_export_state *state;  // Never NULL.
} tn_export;

// Tell what the format cannot hold; nothing if `count` is 0.
void tn_export_report(const tn_export *export, tenon_loss_kind kind, const char *feature,
                      uint64_t count, const char *path, const char *why);

void tn_export_report_tally(const tn_export *export, const tn_tally *tally, tenon_loss_kind kind,
                            const char *feature, const char *why);

// Report, when all is written, that the format holds something only roughly, so that poses differ;
// how much is then measured by reading the result and posing both. `feature` and `why` live as long
// as the export.
void tn_export_approximate(const tn_export *export, tn_measure measure, const char *feature,
                           uint64_t count, const char *path, const char *why);

// The same, of which the writer has an estimate.
void tn_export_approximate_by(const tn_export *export, double error, const char *feature,
                              uint64_t count, const char *path, const char *why);

// What several formats cannot say of a material.
bool tn_is_double_sided(const tenon_material *m);
bool tn_is_unlit(const tenon_material *m);
bool tn_has_strengths(const tenon_material *m);  // Of normals or occlusion, other than 1.

// Whether a node lies as its parent does.
bool tn_is_unmoved(const tenon_node *node);

// Tell that a format which stores paths only does not have the names of pictures. Of one that is in
// the scene alone, the file gets the name.
void tn_export_report_picture_names(const tn_export *export);

// Tell that so many meshes and clips of the scene are done. False, with the error set, if the
// export is cancelled.
bool tn_export_step(const tn_export *export, uint64_t mesh_count, uint64_t clip_count);

// Whether a loop goes on with an item that takes that many steps. False, with the error set, if the
// export is cancelled.
bool tn_export_goes_on(const tn_export *export, uint32_t steps);

// Whether something went well that fails for want of memory, or since the pulse of the state has
// stopped; if not, the error is set.
bool tn_export_expect(const tn_export *export, bool ok);

// Zeroed memory; NULL, with the error set, if there is none.
void *tn_export_alloc(const tn_export *export, uint64_t count, size_t size);

// Start, continue and end a file of the export; "" is the main one. False: the sink said stop, or
// an earlier call failed.
bool tn_export_begin(const tn_export *export, const char *name);
bool tn_export_write(const tn_export *export, const void *bytes, size_t size);
bool tn_export_end(const tn_export *export);

#endif  // TN_EXCHANGE_EXPORT_H
