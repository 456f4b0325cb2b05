// proof.h: an export, written to memory and read again, to be compared with its source.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_PROOF_H
#define TN_EXCHANGE_PROOF_H

#include "document/format.h"
#include "exchange/export_memory.h"

#include <tenon/scene.h>

// What was written, as it is understood.
typedef struct tn_proof {
    const tn_format *format;
    const tenon_dialect *dialect;
    const tenon_export_opts *opts;
    tn_memory_folder folder;
    tenon_files files;
    tenon_doc *model;
    tenon_companion *companions;  // Animations in separate files.
    uint32_t companion_count, companion_capacity;
    tenon_scene *scene;
    tenon_error *err;
    char path[TN_PATH_SIZE];  // The model's, as if there were a file.
} tn_proof;

// Write a scene to memory and read it again: proof->scene. False, with `err` set, if that failed.
// Has to be ended in any case.
bool tn_proof_begin(tn_proof *proof, const tn_format *format, const tenon_dialect *dialect,
                    const tenon_scene *scene, const tenon_export_opts *opts, tenon_error *err);
void tn_proof_end(tn_proof *proof);

#endif  // TN_EXCHANGE_PROOF_H
