// proof.h: reads what an export wrote again, so that it can be compared.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_PROOF_H
#define TN_EXCHANGE_PROOF_H

#include "document/format.h"
#include "exchange/export_memory.h"

#include <tenon/scene.h>

typedef struct tn_proof {
    const tn_format *format;
    const tenon_export_opts *opts;
    tn_memory_folder folder;  // What was written, without pictures.
    tenon_files files;
    tenon_doc *model;
    tenon_companion *companions;  // Animations in separate files.
    uint32_t companion_count, companion_capacity;
    tenon_scene *scene;
    tenon_error *err;
    char path[TN_PATH_SIZE];  // Of the model, as if it were a file.
} tn_proof;

// Begin with an empty `proof->folder`. Write the export there, then read it as `proof->scene`:
// false, with `err` set, on failure. Call tn_proof_end() in both cases.
void tn_proof_begin(tn_proof *proof, const tn_format *format, const tenon_export_opts *opts,
                    tenon_error *err);
bool tn_proof_read(tn_proof *proof);
void tn_proof_end(tn_proof *proof);

#endif  // TN_EXCHANGE_PROOF_H
