// verdict.h: the outcome of comparing two models, for people and for programs.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_VERDICT_H
#define TENON_CLI_VERDICT_H

#include "report/json_out.h"

#include <tenon/scene.h>

#define VERDICT_SIZE 512

// What was compared. Zeroed: everything.
typedef struct verdict_scope {
    bool at_rest;          // Clips were left out.
    const char *clip;      // One pose was compared: this time of this clip; NULL: not so.
    double seconds;        // Of `clip`.
    uint32_t still_clips;  // Clips that were left out,
    const char *still;     // and why: "which OBJ cannot hold".
    const char *cause;     // The cause of the largest distance, such as "shear"; NULL: not known.
    const char *format;    // The name of the format that cannot store `cause`.
    double tolerance;      // Larger distances are said of what is not verified; 0: none are.
} verdict_scope;

// One sentence, such as "verified: at most 1.2e-07 of the diagonal off, at rest and in 2 clips, by
// corner". `a` and `b` list what was not read of their files; NULL: nothing.
void verdict_sentence(const tenon_verify_result *result, const verdict_scope *scope,
                      const tenon_scene *a, const tenon_scene *b, char out[VERDICT_SIZE]);

// The same as members of a JSON object.
void verdict_json(json_out *json, const tenon_verify_result *result, const verdict_scope *scope);

// "morph targets (2), instances (1)" of a scene; "" if everything was read.
void verdict_omissions(const tenon_scene *scene, char out[VERDICT_SIZE]);

#endif  // TENON_CLI_VERDICT_H
