// convert_scene.h: from one format to another, through what the model means.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SCENE_H
#define TENON_CLI_CONVERT_SCENE_H

#include "convert_plan.h"
#include "model.h"

#include <tenon/scene.h>

#define SCENE_FILES 64  // Of an output, that are told.

typedef struct scene_conversion {
    const convert_opts *opts;
    const convert_plan *plan;
    const convert_job *job;
    tenon_batch *batch;
    const model *m;
    tenon_loss_fn *lost;  // Told every loss once.
    void *user;
    const uint64_t *loss_count;   // How many were told.
    char at_fault[4096];          // Result: the file that an error is about.
    uint64_t size;                // Result: bytes of the main file.
    char *files[SCENE_FILES];     // Result: all files, the main one last; to be freed.
    uint64_t sizes[SCENE_FILES];  // And their bytes.
    uint32_t file_count;
    file_list stale;      // Result: what others will take for files of the output.
    double largest_told;  // The largest error of a loss.
    bool is_proven;       // Result: '--verify' was asked for, and found:
    tenon_verify_result proof;
} scene_conversion;

// Make a scene of the model and write it. With '--dry-run' or '--strict' nothing is written before
// all losses are known.
bool convert_scene(scene_conversion *c, tenon_error *err);

// Free the names of all these files.
void scene_conversion_free(scene_conversion *c);

#endif  // TENON_CLI_CONVERT_SCENE_H
