// proof.c: reads what an export wrote again, so that it can be compared.
// SPDX-License-Identifier: MIT

#include "exchange/proof.h"
#include "document/document.h"
#include "exchange/scene_import.h"
#include "scene/model/scene_build.h"

#include <stdio.h>
#include <string.h>

// Whether a file is an animation beside the model.
static bool proof_is_animation(const tn_proof *proof, const tn_memory_file *file)
{
    const char *dot = strrchr(file->name, '.');
    return proof->format->clip_format && dot && dot != file->name &&
           strcmp(dot + 1, proof->format->clip_format->face.extensions[0]) == 0;
}

void tn_proof_begin(tn_proof *proof, const tn_format *format, const tenon_export_opts *opts,
                    tenon_error *err)
{
    *proof = (tn_proof){
        .format = format, .opts = opts, .folder = {.allocator = &opts->allocator}, .err = err};
}

bool tn_proof_read(tn_proof *proof)
{
    const tn_format *format = proof->format, *clip_format = format->clip_format;
    const tn_memory_file *main_file = tn_memory_find(&proof->folder, "");
    tenon_read_opts read = {.allocator = proof->opts->allocator};
    proof->model =
        tn_doc_open(format, main_file->data, main_file->size, NULL, &read, NULL, proof->err);
    if (!proof->model) return false;
    const char *stem = proof->opts->name && *proof->opts->name ? proof->opts->name : "model";
    (void)snprintf(proof->path, sizeof proof->path, "%s.%s", stem,
                   proof->model->format->extensions[0]);
    for (tn_memory_file *file = proof->folder.first; file; file = file->next)
        proof->companion_capacity += proof_is_animation(proof, file);
    size_t size = (proof->companion_capacity + 1) * sizeof *proof->companions;
    proof->companions = tn_block_alloc(&proof->opts->allocator, size);
    if (!proof->companions) return tn_error(proof->err, TENON_ERR_MEMORY, "out of memory");
    for (tn_memory_file *file = proof->folder.first; file; file = file->next) {
        if (!proof_is_animation(proof, file)) continue;
        tenon_doc *doc =
            tn_doc_open(clip_format, file->data, file->size, NULL, &read, NULL, proof->err);
        if (!doc) return false;
        // The clip "lift" of "crane_lift.bbanim". The file's name is cut after it.
        tenon_str clip = format->clip_name(proof->path, file->name);
        size_t start = (size_t)(clip.data - file->name);
        file->name[start + clip.size] = '\0';
        proof->companions[proof->companion_count++] = (tenon_companion){doc, file->name + start};
    }
    proof->files = tn_memory_files(&proof->folder);
    tenon_scene_opts opts = {.allocator = proof->opts->allocator,
                             .model_path = proof->path,
                             .files = &proof->files,
                             .companions = proof->companions,
                             .companion_count = proof->companion_count,
                             .rate = proof->opts->rate};
    proof->scene = tn_import(proof->model, &opts, proof->err);
    return proof->scene != NULL;
}

void tn_proof_end(tn_proof *proof)
{
    tn_scene_free(proof->scene);
    for (uint32_t i = 0; i < proof->companion_count; i++)
        tn_doc_free((tenon_doc *)proof->companions[i].doc);
    size_t size = (proof->companion_capacity + 1) * sizeof *proof->companions;
    if (proof->companions) tn_block_free(&proof->opts->allocator, proof->companions, size);
    tn_doc_free(proof->model);
    tn_memory_free(&proof->folder);
}
