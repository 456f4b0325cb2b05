// convert_plan.h: which file becomes which, decided before anything is written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_PLAN_H
#define TENON_CLI_CONVERT_PLAN_H

#include "convert/convert_claims.h"
#include "convert/convert_folder.h"
#include "input/inputs.h"
#include "options/cli.h"

#include <tenon/files.h>

enum { TEXTURES_AUTO, TEXTURES_REFER, TEXTURES_COPY, TEXTURES_EMBED };
enum { AXIS_Y, AXIS_Z };
enum { HAND_OWN, HAND_RIGHT, HAND_LEFT };  // That of the format; right; left.
enum { UNITS_AUTO, UNITS_KEEP, UNITS_METERS };

typedef struct convert_opts {
    cli_common common;
    const char *output;  // NULL: the second operand, or --in-place.
    const char *as;      // NULL: the dialect stays.
    const char *report;  // NULL: none is wanted.
    const char *model;   // NULL: none is given.
    double rate;         // 0: the format's.
    cli_format to;
    bool force, in_place, strict, dry_run, refresh, merge, clear_shape, recursive;
    cli_list animations;               // What --anim says.
    cli_list shapes;                   // What --set-shape says.
    uint32_t space_bits;               // What --spaces says.
    const struct model *loaded_model;  // What --model names; NULL: none is given.

    bool salvage;  // Leave out of the scene what is damaged.

    // Out of a scene.
    bool embed, without_materials, without_prefix, verify, accept_losses;
    uint32_t textures;  // TEXTURES_…
    uint32_t grouping;  // A tenon_grouping.
    double at;          // Seconds of the clip that an OBJ file is posed in.
    double tolerance;   // Of what is sampled, and of --verify.

    // Into a scene, and in it.
    double source_rate, source_scale, scale;
    uint32_t source_up, up, source_hand, hand;  // AXIS_…, HAND_…
    uint32_t units;                             // UNITS_…
    bool keep_lead_in;
    cli_list nodes, clips, clips_from, events, loops, holds;
    uint32_t drop, join;         // TENON_DROP_… and TENON_JOIN_… bits.
    uint32_t normals, tangents;  // A tenon_make.
    bool flip_normals, flip_u, flip_v, reverse_winding, pre_transform;
    uint64_t max_weights;
} convert_opts;

// The options of tenon convert.
extern const cli_option convert_options[];

// One file to convert.
typedef struct convert_job {
    const char *in;  // "-" is standard input.
    char *out;       // "-" is standard output.
    tenon_file_id out_id;
    bool out_exists;
    bool is_from_folder;            // In a folder; it was not named itself.
    const char *conflicting_input;  // The input that has the same output, so that this one has
                                    // none; or NULL.
} convert_job;

typedef struct convert_plan {
    convert_job *jobs;
    uint32_t job_count;
    char **merged;  // What is added to the only job's input, with --merge.
    uint32_t merged_count;
    tenon_file_id *inputs;  // What must not be replaced.
    uint32_t input_count;
    const tenon_format *to;      // What to make; NULL: the same as the input.
    inputs sources;              // The inputs; folders among them are searched.
    summary summary;             // What was skipped there, and then what became of the jobs.
    file_list *created_folders;  // Folders that were created for the outputs.
    file_list *written_files;    // The files of the job at hand, in the order of writing.
    claims *claims;              // Whose the files of all outputs are.
} convert_plan;

// Decide. Returns CLI_GO_ON, or the exit status after a mistake was reported. The plan has to be
// freed in any case.
int convert_plan_make(convert_plan *plan, const cli_command *command, const convert_opts *opts);

void convert_plan_free(convert_plan *plan);

// A file of a job is about to get its name: false, with `err` set, if that is another's.
bool convert_claim(const convert_plan *plan, const convert_opts *opts, const convert_job *job,
                   const char *path, tenon_error *err);

// A side file of a job is there already.
bool convert_claim_existing(const convert_plan *plan, const convert_job *job, const char *path,
                            tenon_error *err);

// Nothing of a job was written after all.
void convert_release_claims(const convert_plan *plan, const convert_job *job);

// Whether `path` may be written, as far as one can tell without doing it. Its folder is created if
// it is missing, unless this is a dry run.
bool convert_may_write(const convert_plan *plan, const convert_opts *opts, const char *path,
                       tenon_error *err);

#endif  // TENON_CLI_CONVERT_PLAN_H
