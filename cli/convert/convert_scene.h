// convert_scene.h: from one format to another, through what the model means.
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
    const convert_plan *plan;
    const convert_job *job;
    tenon_batch *batch;
    const model *model;          // What to write: the input, or the model of an animation.
    const cli_list *animations;  // Files that belong to a BBMOD model; none: those beside it.
    tenon_loss_fn *lost;         // Called once for every loss.
    void *user;
    const uint64_t *loss_count;  // How many losses were reported.
    char at_fault[4096];         // Result: the file that an error is about.
    uint64_t size;               // Result: bytes of the main file.
    file_list stale;             // Result: what others will take for files of the output.
    measured_loss measured[SCENE_LOSSES];
    uint32_t measured_count;
    bool is_proven;  // Result: '--verify' was asked for, and found:
    tenon_verify_result proof;
    verdict_scope scope;          // What that is about,
    char sentence[VERDICT_SIZE];  // and in words.
    bool is_refused;              // Result: nothing is written because of it.
} scene_conversion;

// Whether a result may be written: it is verified, or its losses are accepted. If not, `err` says
// so.
bool convert_accept_proof(scene_conversion *c, const convert_opts *opts, tenon_error *err);

// Whether so many losses may be written: '--strict' forbids any. If not, `err` says so.
bool convert_allow_losses(const convert_opts *opts, uint64_t loss_count, tenon_error *err);

// Make a scene of the model and write it. With '--dry-run' or '--strict' nothing is written before
// all losses are known.
bool convert_scene(scene_conversion *c, tenon_error *err);

// Free the names of stale files.
void scene_conversion_free(scene_conversion *c);

#endif  // TENON_CLI_CONVERT_SCENE_H
