// proof.c: an export proven: written to memory, read again, posed and compared.
// SPDX-License-Identifier: MIT

#include "exchange/proof.h"
#include "core/memory/budget.h"
#include "document/document.h"
#include "exchange/export_document.h"
#include "exchange/scene_import.h"
#include "scene/model/scene_build.h"

#include <stdio.h>
#include <string.h>

// -- Animations beside the model

static bool is_animation(const tn_proof *p, const tn_memory_file *file)
{
    const char *dot = strrchr(file->name, '.');
    return p->format->clip_format && dot && dot != file->name &&
           strcmp(dot + 1, p->format->clip_format->face.extensions[0]) == 0;
}

static bool read_companion(tn_proof *p, tn_memory_file *file)
{
    tenon_read_opts read = {.allocator = p->opts->allocator};
    tenon_doc *doc =
        tn_doc_open(p->format->clip_format, file->data, file->size, NULL, &read, NULL, p->err);
    if (!doc) return false;
    // "lift" of "crane_lift.bbanim", of which the end is cut off.
    tenon_str clip = p->format->clip_name(p->path, file->name);
    size_t start = (size_t)(clip.data - file->name);
    file->name[start + clip.size] = '\0';
    p->companions[p->companion_count++] = (tenon_companion){doc, file->name + start};
    return true;
}

static bool read_companions(tn_proof *p)
{
    for (tn_memory_file *f = p->folder.first; f; f = f->next)
        p->companion_room += is_animation(p, f);
    size_t size = (p->companion_room + 1) * sizeof *p->companions;
    p->companions = tn_block_alloc(&p->opts->allocator, size);
    if (!p->companions) return tn_error(p->err, TENON_ERR_MEMORY, "out of memory");
    for (tn_memory_file *f = p->folder.first; f; f = f->next)
        if (is_animation(p, f) && !read_companion(p, f)) return false;
    return true;
}

// -- Reading it again

// Pictures have no part in the proof, which compares shapes and poses. They are neither read nor
// converted nor held in memory: each image is the name of a file that is somewhere else.
static bool write_all(tn_proof *p, const tenon_scene *scene)
{
    enum { NAME_SIZE = 24 };
    tenon_sink sink = tn_memory_sink(&p->folder);
    tenon_scene bare = *scene;
    tenon_export_opts silent = *p->opts;
    silent.lost = NULL;
    silent.told = NULL;
    silent.model_path = silent.texture_root = NULL;
    silent.embed = silent.copy_textures = false;
    if (!tenon_scene_check(scene, p->err)) return false;
    size_t count = scene->image_count, size = count * (sizeof(tenon_image) + NAME_SIZE) + 1;
    tenon_image *images = tn_block_alloc(&p->opts->allocator, size);
    if (!images) return tn_error(p->err, TENON_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        char *name = (char *)(images + count) + i * NAME_SIZE;
        int name_size = snprintf(name, NAME_SIZE, "picture%u.png", (unsigned)i);
        images[i] = (tenon_image){.name = {"", 0}, .path = {name, (uint32_t)name_size}};
    }
    bare.images = images;
    // What stays in memory counts as that.
    tenon_budget *budget = p->opts->allocator.budget;
    uint64_t before = budget ? budget->output.used : 0;
    bool ok = tn_export_scene(p->format, p->dialect, &bare, &silent, &sink, p->err);
    if (budget) budget->output.used = before;
    tn_block_free(&p->opts->allocator, images, size);
    if (p->folder.has_no_memory) (void)tn_error(p->err, TENON_ERR_MEMORY, "out of memory");
    return tn_budget_settle(budget, ok && !p->folder.has_no_memory, p->err);
}

static bool understand(tn_proof *p)
{
    const tn_memory_file *main_file = tn_memory_find(&p->folder, "");
    tenon_read_opts read = {.allocator = p->opts->allocator};
    p->model = tn_doc_open(p->format, main_file->data, main_file->size, NULL, &read, NULL, p->err);
    if (!p->model) return false;
    const char *stem = p->opts->name && *p->opts->name ? p->opts->name : "model";
    (void)snprintf(p->path, sizeof p->path, "%s.%s", stem, p->model->format->extensions[0]);
    if (!read_companions(p)) return false;
    p->files = tn_memory_files(&p->folder);
    tenon_scene_opts opts = {.allocator = p->opts->allocator,
                             .model_path = p->path,
                             .files = &p->files,
                             .companions = p->companions,
                             .companion_count = p->companion_count,
                             .rate = p->opts->rate};
    p->scene = tn_import(p->model, &opts, p->err);
    return p->scene != NULL;
}

bool tn_proof_begin(tn_proof *p, const tn_format *format, const tenon_dialect *dialect,
                    const tenon_scene *scene, const tenon_export_opts *opts, tenon_error *err)
{
    *p = (tn_proof){.format = format,
                    .dialect = dialect,
                    .opts = opts,
                    .folder = {.allocator = &opts->allocator},
                    .err = err};
    return write_all(p, scene) && understand(p);
}

void tn_proof_end(tn_proof *p)
{
    tn_scene_free(p->scene);
    for (uint32_t i = 0; i < p->companion_count; i++)
        tn_doc_free((tenon_doc *)p->companions[i].doc);
    size_t size = (p->companion_room + 1) * sizeof *p->companions;
    if (p->companions) tn_block_free(&p->opts->allocator, p->companions, size);
    tn_doc_free(p->model);
    tn_memory_free(&p->folder);
}
