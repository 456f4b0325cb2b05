// api_import.c: the public entry points that import a model and its sidecars into a scene.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/arena.h"
#include "core/text/error.h"

#include <tenon/bbmod.h>
#include <tenon/scene.h>

#include <stdio.h>
#include <string.h>

typedef struct companion_file {
    struct companion_file *next;
    tenon_doc *doc;
    char *path, *clip;
} companion_file;

// A scene that is being imported.
typedef struct scene_importer {
    const char *path;       // Of the model.
    tenon_read_opts read;   // For what belongs to the model.
    tenon_scene_opts opts;  // With the path and the animation files of the model.
    tn_arena arena;
    companion_file *first, **end;
    uint32_t count;
    bool failed;  // Out of memory.
} scene_importer;

static void api_import_add_animation(void *user, const char *name)
{
    scene_importer *in = user;
    size_t folder = tn_path_folder_size(in->path), size = folder + strlen(name) + 1;
    companion_file *file = tn_arena_alloc(&in->arena, 1, sizeof *file + 2 * size, NULL);
    in->failed |= !file;
    if (!file) return;
    file->path = (char *)(file + 1);
    file->clip = file->path + size;
    (void)snprintf(file->path, size, "%.*s%s", (int)folder, in->path, name);
    tenon_str clip = tenon_bbanim_clip(in->path, file->path);
    (void)snprintf(file->clip, size, "%.*s", (int)clip.size, clip.data);
    *in->end = file;
    in->end = &file->next;
    in->count++;
}

// Read the animations that fit. A file that was found by its name alone may not belong to the
// model.
static bool api_import_read_animations(scene_importer *in, const tenon_bbmod *model,
                                       tenon_error *err)
{
    in->end = &in->first;
    if (!tenon_bbanim_find(in->opts.files, in->path, &in->opts.allocator, api_import_add_animation,
                           in, err))
        return false;
    tenon_companion *companions =
        in->count ? tn_arena_alloc(&in->arena, in->count, sizeof *companions, NULL) : NULL;
    if (in->failed || (in->count && !companions))
        return tn_error(err, TENON_ERR_MEMORY, "out of memory");
    in->opts.companions = companions;
    for (companion_file *file = in->first; file; file = file->next) {
        file->doc = tenon_read_file(file->path, &in->read, err);
        if (!file->doc && (tn_is_outage(err) || err->code == TENON_ERR_CANCELLED)) return false;
        const tenon_bbanim *animation = tenon_as_bbanim(file->doc);
        if (animation && tenon_bbanim_fits(animation, model)) {
            companions[in->opts.companion_count++] = (tenon_companion){file->doc, file->clip};
        } else if (in->opts.events.on_loss) {
            in->opts.events.on_loss(
                in->opts.events.user,
                &(tenon_loss){.kind = TENON_DROPPED,
                              .feature = "animation beside the model",
                              .why = file->doc ? "it does not fit the model" : "it cannot be read",
                              .count = 1,
                              .path = file->path});
        }
    }
    return true;
}

tenon_scene *tenon_import(const tenon_doc *doc, const tenon_read_opts *read_opts,
                          const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    scene_importer in = {0};
    if (read_opts) in.read = *read_opts;
    if (opts) in.opts = *opts;
    if (!in.opts.files) in.opts.files = in.read.files;
    in.path = in.read.beside = in.opts.model_path;
    in.read.format = in.read.dialect = in.read.name = NULL;
    in.arena = tn_arena_make(&in.opts.allocator, UINT64_MAX);
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)doc);
    bool searches = model && in.path && !in.opts.companions;
    bool ok = !searches || api_import_read_animations(&in, model, err);
    tenon_scene *scene = ok ? tenon_to_scene(doc, &in.opts, err) : NULL;
    for (companion_file *file = in.first; file; file = file->next) tenon_doc_free(file->doc);
    tn_arena_free(&in.arena);
    return scene;
}

tenon_scene *tenon_import_file(const char *path, const tenon_read_opts *read_opts,
                               const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_scene_opts with_path = {0};
    if (opts) with_path = *opts;
    with_path.model_path = path;
    tenon_doc *doc = tenon_read_file(path, read_opts, err);
    if (!doc) return NULL;
    tenon_scene *scene = tenon_import(doc, read_opts, &with_path, err);
    tenon_doc_free(doc);
    return scene;
}
