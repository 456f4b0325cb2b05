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

// How the error of an approximation is measured, so that each approximation has its own error.
typedef enum tn_measure {
    TN_MEASURE_REMAINDER,       // What remains after the other errors are measured.
    TN_MEASURE_INFLUENCES,      // By limiting the influences of the scene to four.
    TN_MEASURE_AT_REST,         // In the rest pose.
    TN_MEASURE_BETWEEN_FRAMES,  // Between frames, in engines that do not blend them.
    TN_MEASURE_ESTIMATED,       // The remainder if nothing else has it, else the format's estimate.
} tn_measure;

// A loss whose error is measured after everything is written.
typedef struct tn_approximation {
    struct tn_approximation *next;
    tn_measure measure;
    tenon_loss loss;
    char path[96];
} tn_approximation;

// The error of a clip at a rate, without jumps.
typedef struct tn_measured_rate {
    const tenon_scene *scene;  // NULL: nothing was measured.
    uint32_t animation;
    double rate, error;
} tn_measured_rate;

// What an export has done so far.
typedef struct tn_export_state {
    tn_pulse pulse;
    tn_approximation *approximations;
    tn_name_set taken;           // Names of sidecars.
    const char **picture_paths;  // Of each image: what tn_export_picture() returned; NULL: nothing.
    tn_name_tree pictures[6];    // The pictures that tn_export_share_picture() knows.
    struct tn_owned_doc *docs;   // From tn_export_doc().
    tn_measured_rate measured_rate;  // The last one that was chosen.
    struct tn_levers *levers;  // How far errors of curves move vertices; NULL: not computed yet.
    uint32_t steps_most;       // Of a cubic curve between two keys; 0: not computed yet.
    bool is_in_picture;        // The file being written is a picture.
} tn_export_state;

typedef struct tn_export {
    const tenon_scene *scene;       // Checked. Without morph targets unless the format holds them.
    const tenon_scene *source;      // With them.
    const tenon_dialect *dialect;   // NULL: the one that the format's engine reads.
    const tenon_export_opts *opts;  // Never NULL.
    const tenon_sink *sink;
    tn_arena *arena;         // Freed when the export ends.
    tenon_error *err;        // Never NULL.
    tn_export_state *state;  // Never NULL.
} tn_export;

// Report what the format cannot hold; nothing if `count` is 0. `path` may be NULL.
void tn_export_report(const tn_export *export, tenon_loss_kind kind, const char *feature,
                      uint64_t count, const char *path, const char *why);

void tn_export_report_tally(const tn_export *export, const tn_tally *tally, tenon_loss_kind kind,
                            const char *feature, const char *why);

// Report, after everything is written, that the format holds something only approximately, so that
// poses differ. The difference is measured by reading the result and posing both scenes. `feature`
// and `why` must live as long as the export.
void tn_export_approximate(const tn_export *export, tn_measure measure, const char *feature,
                           uint64_t count, const char *path, const char *why);

// The same, for an error that the format has estimated.
void tn_export_approximate_by(const tn_export *export, double error, const char *feature,
                              uint64_t count, const char *path, const char *why);

// Whether the transform of a node is the identity.
bool tn_is_unmoved(const tenon_node *node);

// How a texture is transformed: u becomes rows[0][0] * u + rows[0][1] * v + rows[0][2], v the same
// with rows[1]. Returns whether it is transformed at all.
bool tn_texture_rows(const tenon_texture *texture, double rows[2][3]);

// Report the names of pictures that a format loses because it stores their paths only. Names that
// follow from the path are not lost, nor are those of pictures without one: their new files are
// named so.
void tn_export_report_picture_names(const tn_export *export);

// Report how many meshes and clips of the scene are done. False, with the error set, if the export
// is cancelled.
bool tn_export_step(const tn_export *export, uint64_t mesh_count, uint64_t clip_count);

// Whether a loop continues with an item that takes `steps` steps. False, with the error set, if the
// export is cancelled.
bool tn_export_goes_on(const tn_export *export, uint32_t steps);

// Returns `ok`, the result of something that fails if it is out of memory or if the pulse of the
// state has stopped. If it failed, the error is set.
bool tn_export_expect(const tn_export *export, bool ok);

// Zeroed memory; NULL, with the error set, if out of memory.
void *tn_export_alloc(const tn_export *export, uint64_t count, size_t size);

// Start, continue and end a file of the export; "" is the main file. False if the sink refuses or
// an earlier call failed.
bool tn_export_begin(const tn_export *export, const char *name);
bool tn_export_begin_picture(const tn_export *export, const char *name);
bool tn_export_write(const tn_export *export, const void *bytes, size_t size);
bool tn_export_end(const tn_export *export);

#endif  // TN_EXCHANGE_EXPORT_H
