// convert_plan.h: which file becomes which, decided before anything is written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_PLAN_H
#define TENON_CLI_CONVERT_PLAN_H

#include "batch/manifest.h"
#include "convert/convert_claims.h"
#include "input/inputs.h"
#include "input/paths.h"
#include "options/cli.h"
#include "system/workers.h"

#include <tenon/convert.h>

#include <stdio.h>

enum { AXIS_Y, AXIS_Z };
enum { HAND_OWN, HAND_RIGHT, HAND_LEFT };  // The format's own; right; left.

typedef struct convert_opts {
    cli_common common;
    const char *output;  // NULL: the second operand, or --in-place.
    const char *as;      // NULL: keep the dialect.
    const char *report;  // NULL: no report.
    const char *model;   // NULL: not given.
    double rate;         // 0: the format's.
    cli_format to;
    bool force, in_place, strict, dry_run, refresh, merge, clear_shape;
    cli_list animations;               // Values of --anim.
    cli_list shapes;                   // Values of --set-shape.
    cli_list morphs;                   // Values of --morph.
    uint32_t space_bits;               // Value of --spaces.
    const struct model *loaded_model;  // The file of --model; NULL: not given.

    // Runs.
    const char *shard;   // K/N; NULL: everything.
    const char *recipe;  // NULL: none was named.
    bool skip_unchanged, prune, check_only, watch;
    bool is_of_recipe;  // This is a rule of it.
    bool is_repeated;   // By '--watch': what is unchanged is not worth a word.

    bool salvage;  // Leave damaged parts out of the scene.

    // Of other commands that write one file for each input.
    const char *added;      // To names of inputs, for those of outputs in a folder; NULL: none is.
    const char *removed;    // From them, and what inputs in folders have to end in; NULL: nothing.
    bool takes_animations;  // Files of animations in folders are inputs of their own.

    // Export.
    bool embed, without_materials, without_prefix, quantize, verify, accept_losses;
    uint32_t textures;  // A tenon_textures.
    uint32_t grouping;  // A tenon_grouping.
    double at;          // Seconds of the clip in which an OBJ file is posed.
    double tolerance;   // Of sampled clips, and of --verify.

    // Import, and edits of the scene.
    double source_rate, source_scale, scale;
    uint32_t source_up, up, source_hand, hand;  // AXIS_…, HAND_…
    uint32_t units;                             // A tenon_units.
    bool keep_lead_in;
    cli_list nodes, clips, clips_from, events, loops, holds;
    uint32_t drop, join;         // TENON_DROP_… and TENON_JOIN_… bits.
    uint32_t lod;                // One more than the level; 0: all.
    uint32_t normals, tangents;  // A tenon_make.
    bool flip_normals, flip_u, flip_v, reverse_winding, pre_transform;
    uint64_t max_weights;
} convert_opts;

// The options of tenon convert.
extern const cli_option convert_options[];

// One file to convert.
typedef struct planned_job {
    const char *in;                // "-" is standard input.
    char *out;                     // "-" is standard output.
    uint32_t index;                // Of all inputs, also those of other shards.
    bool is_from_folder;           // It was found in a folder, not named itself.
    uint64_t in_stamp, out_stamp;  // Before the run: see platform_look(); 0: not known.
} planned_job;

typedef struct convert_plan {
    const cli_command *command;
    const convert_opts *opts;
    const char *output;  // NULL: each input is changed in place.
    planned_job *jobs;
    uint32_t job_count;
    char **merged;  // What is added to the only job's input, with --merge.
    uint32_t merged_count;
    tenon_file_id *inputs;  // Files that must not be replaced, sorted.
    uint32_t input_count;
    bool has_unknown_inputs;  // Some have no id.
    manifest manifest;
    bool has_manifest;
    char options_hash[HASH_SIZE];  // Of what the files depend on besides the inputs.
    uint64_t shard, shard_count;   // 0: everything.
    bool is_into_folder;
    bool wants_stamps;          // Of files, to compare them with the manifest.
    bool is_in_order;           // An output could be part of a later input.
    workers_lock *lock;         // Of `created_folders` while jobs are prepared.
    const tenon_format *to;     // The format to write; NULL: the same as the input.
    inputs sources;             // The inputs; folders among them are searched.
    summary summary;            // What was skipped there, and later the outcome of each job.
    file_list created_folders;  // For the outputs.
    claims claims;              // Which job each file belongs to.
    FILE *report;               // Collects the list of '--report'; NULL: not requested.
    bool has_reported;          // It has members.
} convert_plan;

// Make the plan. Returns CLI_GO_ON, or the exit status after an error was reported. Call
// convert_plan_free() in any case.
int convert_plan_make(convert_plan *plan, const cli_command *command, const convert_opts *opts);

void convert_plan_free(convert_plan *plan);

// Whether a file is one of the inputs.
bool convert_plan_has_input(const convert_plan *plan, tenon_file_id id);

#endif  // TENON_CLI_CONVERT_PLAN_H
