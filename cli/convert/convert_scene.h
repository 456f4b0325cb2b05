// convert_scene.h: converts a model to another format, through a scene.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SCENE_H
#define TENON_CLI_CONVERT_SCENE_H

#include "convert/convert_plan.h"
#include "input/model.h"
#include "report/verdict.h"

#include <tenon/scene.h>

#define SCENE_LOSSES 32

// A loss whose error was measured: it may explain what '--verify' finds.
typedef struct measured_loss {
    double error;
    char feature[64];
} measured_loss;

typedef struct scene_conversion {
    const convert_opts *opts;
    convert_plan *plan;
    const convert_job *job;
    tenon_batch *batch;
    const model *model;          // The input, or the model of an animation.
    const cli_list *animations;  // Files that belong to a BBMOD model; none: those beside it.
    tenon_loss_fn *lost;         // Called once for every loss.
    void *user;
    const uint64_t *loss_count;  // How many losses were reported.

    // Results.
    char at_fault[4096];  // The file that an error is about.
    uint64_t size;        // Bytes of the main file.
    file_list stale;      // Files of an earlier conversion that will be read as part of the output.
    measured_loss measured[SCENE_LOSSES];
    uint32_t measured_count;
    bool is_proven;               // '--verify' was given, and these are its results:
    tenon_verify_result proof;    // in numbers,
    verdict_scope scope;          // what was compared,
    char sentence[VERDICT_SIZE];  // and in words.
    bool is_refused;              // Nothing is written because of them.
} scene_conversion;

// Whether a result may be written: it is verified, or '--accept-losses' was given. If not, `err` is
// set.
bool convert_accept_proof(scene_conversion *conversion, const convert_opts *opts, tenon_error *err);

// Whether a result with so many losses may be written: '--strict' forbids any. If not, `err` is
// set.
bool convert_allow_losses(const convert_opts *opts, uint64_t loss_count, tenon_error *err);

// Make a scene of the model and export it. With '--dry-run' or '--strict' nothing is written before
// all losses are known.
bool convert_scene(scene_conversion *conversion, tenon_error *err);

void scene_conversion_free(scene_conversion *conversion);

#endif  // TENON_CLI_CONVERT_SCENE_H
