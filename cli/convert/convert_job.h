// convert_job.h: a job of tenon convert: one file to convert, its steps, and what became of it.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_JOB_H
#define TENON_CLI_CONVERT_JOB_H

#include "batch/trace.h"
#include "convert/convert_materials.h"
#include "convert/convert_plan.h"
#include "input/model.h"
#include "report/json_out.h"
#include "report/progress.h"
#include "report/verdict.h"

#include <tenon/scene.h>

#define MEASURED_LOSSES 32

// How to get from the input to the output.
typedef enum convert_how {
    WITHIN_FORMAT,  // The document is copied, edited, or changed to another dialect.
    THROUGH_SCENE,  // A new model is exported.
    AS_FONT,        // A font bundle becomes pictures and BMFont text.
} convert_how;

// A loss whose error was measured: it may explain what '--verify' finds.
typedef struct measured_loss {
    double error;
    char feature[64];
} measured_loss;

// What only converting needs, and the text of what '--verify' found.
typedef struct convert_work {
    measured_loss measured[MEASURED_LOSSES];
    uint32_t measured_count;
    progress line;                                            // While converting,
    bool (*step)(void *user, uint64_t done, uint64_t total);  // which shows it; NULL: do not.
    tenon_error outage;           // Why an intact picture could not be converted.
    char sentence[VERDICT_SIZE];  // The result of '--verify' in words.
} convert_work;

// There are many of these at a time, until their files get their names.
typedef struct convert_job {
    convert_plan *plan;
    const convert_opts *opts;
    uint32_t number;       // Of the job in the plan.
    const char *in, *out;  // "-" is standard input, standard output.

    // What to convert.
    model input;
    model *merged;               // What is added to the input.
    merged_materials materials;  // Of all of them.
    const tenon_format *to;      // The format to write,
    const char *dialect;         // and the dialect within the format; NULL: keep it.
    convert_how how;
    const model *source;  // What the scene is made from: the input, or the model of an animation.
    const char *const *animations;  // Files that belong to a BBMOD model; none: those beside it.
    uint32_t animation_count;
    bool without_sidecars;                // Neither read nor copy those of the source.
    const tenon_dialect *dialect_before;  // Of a document that stays in its format,
    const tenon_dialect *dialect_after;   // and what it becomes.
    tenon_scene *scene;                   // While it is edited;
    double unit;                          // meters of the file's unit, 0: unknown;
    bool is_imported;                     // from a file with a timeline of its own.
    bool is_exporting;                    // The scene is complete.

    // Losses.
    tenon_events events;  // `on_loss` is called once for each loss.
    json_out json;        // The object of the file in reports; to NULL: it has none.
    char *json_text;      // What was written of it,
    size_t json_size;     // and how much.
    const char *loss_file;
    uint64_t loss_count;
    convert_work *work;  // While it is needed; else NULL.

    // What the manifest records.
    trace files;
    char key[HASH_SIZE];
    bool is_unchanged;       // Nothing has to be done.
    bool is_recorded;        // The manifest has a line for it,
    uint32_t manifest_line;  // which is this one.

    // The output. Of many jobs each is prepared in any thread, and the files get their names later,
    // in the order of the jobs: until then it changes nothing that jobs share.
    bool is_deferred;
    file_list shared;    // Files that existed and that the output has in common with others.
    bool has_failed;     // `err` says why.
    int status;          // What is known of the exit status.
    tenon_batch *batch;  // Files get their names when all are complete.
    file_list written;   // The files, in the order of writing.
    file_list stale;     // Files of an earlier conversion that will be read as part of the output.
    uint64_t size;       // Bytes of the main file.
    bool may_write;      // It was checked that the output may be written.
    bool is_changed;     // The output differs from the input.
    bool is_written;
    const char *skipped;  // Why a file that was found in a folder is not converted; or NULL.
    tenon_error err;
    const char *at_fault;  // The file that `err` is about.

    // The result of '--verify', if it is known.
    bool is_proven;
    tenon_verify_result proof;  // In numbers,
    verdict_scope scope;        // and what was compared.
    bool is_refused;            // Nothing is written because of it.
} convert_job;

// Convert file `number` of the plan up to files that have no names yet, and report what was lost.
// Returns NULL if memory ran out.
convert_job *convert_start(convert_plan *plan, uint32_t number, bool is_deferred);

// Whether a deferred job has to be started again when all before it are finished: because it needs
// a file that another one has written, or because memory or the system failed.
bool convert_must_repeat(const convert_job *job);

// Give the files their names, report what was written, in words, for '--json' and '--report' and in
// the summary of the plan, and free the job. Returns the exit status. NULL is a job for which there
// was no memory.
int convert_finish(convert_plan *plan, uint32_t number, convert_job *job);

// Free a job; files without names are removed.
void convert_discard(convert_job *job);

// Free what a job has, if it was not made by convert_start().
void convert_job_free(convert_job *job);

// -- The steps. They return false, with `job->err` set, on failure.

// Convert the source with tenon_convert(). `job->how` says whether a new model is made.
bool convert_model(convert_job *job);

// Add the files beside the output that will be read as part of it, though an earlier conversion
// left them there, to `job->stale`, and report them.
bool convert_report_stale_files(convert_job *job);

// Write OUT.fnt and OUT.png for a font of one size, or OUT-16.fnt, OUT-16.png and so on for several
// sizes.
bool convert_font(convert_job *job);

// Whether a document holds fonts and nothing else.
bool convert_is_font(tenon_doc *doc);

// -- Decisions

// Whether a result may be written: it is verified, or '--accept-losses' was given.
bool convert_accept_proof(convert_job *job);

// The same for losses, which '--strict' forbids.
bool convert_allow_losses(convert_job *job);

// -- The report

// For tenon_events; `user` is the job.
void convert_report_loss(void *user, const tenon_loss *loss);

// Begin the object of the file, up to the list of losses. False if memory ran out.
bool convert_report_begin(convert_job *job);

// Report what is known before files get their names. Sets `job->status`.
void convert_report_result(convert_job *job, bool ok);

// Report an error in words.
void convert_report_error(convert_job *job);

// Report the outcome. Returns the exit status.
int convert_report_end(convert_job *job);

#endif  // TENON_CLI_CONVERT_JOB_H
