// convert_one.h: converts one file, and reports what was lost and written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_ONE_H
#define TENON_CLI_CONVERT_ONE_H

#include "convert/convert_materials.h"
#include "convert/convert_scene.h"
#include "report/json_out.h"

typedef struct file_conversion {
    const convert_opts *opts;
    convert_plan *plan;
    const convert_job *job;
    model input;
    model *merged;               // What is added to the input.
    merged_materials materials;  // Of all of them.
    scene_conversion scene;
    cli_list animation;     // The input, if it is converted together with its model.
    tenon_batch *batch;     // Files get their names when all are complete.
    json_out *json;         // The file's object in the report; NULL: no report.
    const char *at_fault;   // The file that an error is about,
    const char *loss_file;  // and the one that losses are about.
    uint64_t loss_count;
    uint64_t size;    // Bytes of the output.
    bool is_changed;  // The output differs from the input.
    bool is_written;
} file_conversion;

// The outcome for one file.
typedef struct convert_result {
    tenon_error err;      // Already reported.
    const char *skipped;  // Why a file that was found in a folder is not converted; or NULL.
} convert_result;

// Read, convert and write one file, and report what was lost. `json` (NULL: none) gets an object
// with the same information. Returns the exit status.
int convert_one(const convert_opts *opts, convert_plan *plan, const convert_job *job,
                json_out *json, convert_result *result);

// How to get from the input's format to the output's.
typedef enum conversion_kind { SAME_FORMAT, TO_FONT, TO_SCENE } conversion_kind;

conversion_kind convert_find_kind(const file_conversion *conversion);

const tenon_format *convert_find_format(const file_conversion *conversion);

// The dialect that an option names, or the extension of the output. NULL: none.
const char *convert_find_dialect(const file_conversion *conversion);

// Edit the document, change its dialect, and verify the result.
bool convert_change_document(file_conversion *conversion, tenon_error *err);

bool convert_write_document(file_conversion *conversion, tenon_error *err);

// A tenon_loss_fn; `user` is the conversion.
void convert_report_loss(void *user, const tenon_loss *loss);

// Print the result of '--verify'.
void convert_report_proof(const file_conversion *conversion);

// Print all files that were written, each in a line on standard error; of a dry run the main one,
// with the others below it, on standard output.
void convert_report_files(const file_conversion *conversion);

// End the list of losses, and add the outcome to the file's object in the report.
void convert_report_end_json(const file_conversion *conversion, const tenon_error *err,
                             const char *skipped);

#endif  // TENON_CLI_CONVERT_ONE_H
