// scene_load.c: what models mean, for commands that compare and convert them.
// SPDX-License-Identifier: MIT

#include "input/scene_load.h"

#include "import/import_scene.h"
#include "input/job.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>

// -- Names

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *copy_part(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

// -- Animations beside a model

static bool add_animation(loaded_scene *s, const char *model_file, char *file)
{
    loaded_animation *longer =
        file ? realloc(s->animations, (s->animation_count + 1) * sizeof *longer) : NULL;
    if (longer) s->animations = longer;
    tenon_str name = longer ? tenon_bbanim_clip(model_file, file) : (tenon_str){0};
    char *clip = longer ? copy_part(name.data, name.size) : NULL;
    if (!clip) {
        free(file);
        return false;
    }
    s->animations[s->animation_count++] = (loaded_animation){.file = file, .clip = clip};
    return true;
}

typedef struct animation_search {
    loaded_scene *scene;
    const char *model_file;
    bool failed;
} animation_search;

static void take_animation(void *user, const char *name)
{
    animation_search *search = user;
    size_t folder_size = (size_t)(base_name(search->model_file) - search->model_file);
    size_t size = folder_size + strlen(name) + 1;
    char *path = malloc(size);
    if (path) (void)snprintf(path, size, "%.*s%s", (int)folder_size, search->model_file, name);
    search->failed |= !add_animation(search->scene, search->model_file, path);
}

bool scene_find_animations(loaded_scene *s, const char *model_file, tenon_error *err)
{
    animation_search search = {.scene = s, .model_file = model_file};
    bool ok = tenon_bbanim_find(guard_files(), model_file, NULL, take_animation, &search, err);
    if (search.failed) *err = report_make(TENON_ERR_MEMORY, "out of memory");
    return ok && !search.failed;
}

static bool list_animations(loaded_scene *s, const model *m, const scene_load_opts *wants,
                            tenon_error *err)
{
    if (wants->animations && wants->animations->count) {
        for (uint32_t i = 0; i < wants->animations->count; i++) {
            const char *file = wants->animations->values[i];
            if (add_animation(s, m->file, copy_part(file, strlen(file)))) continue;
            *err = report_make(TENON_ERR_MEMORY, "out of memory");
            return false;
        }
        return true;
    }
    bool may_have = strcmp(m->doc->format->name, "bbmod") == 0 && strcmp(m->file, "-") != 0 &&
                    !wants->without_animations;
    return !may_have || scene_find_animations(s, m->file, err);
}

// -- Scenes

static bool make_scene(loaded_scene *s, const cli_common *opts, const model *m,
                       const scene_load_opts *wants, tenon_error *err)
{
    tenon_companion *companions = calloc(s->animation_count + 1, sizeof *companions);
    if (!companions) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < s->animation_count; i++)
        companions[i] = (tenon_companion){s->animations[i].model.doc, s->animations[i].clip};
    progress line;
    tenon_scene_opts scene = {
        .allocator = job_allocator(),
        .progress = progress_begin(&line, opts, "understanding", m->file),
        .model_path = strcmp(m->file, "-") == 0 || wants->without_sidecars ? NULL : m->file,
        .files = guard_files(),
        .companions = companions,
        .companion_count = s->animation_count,
        .rate = wants->rate,
        .salvage = wants->salvage,
        .lost = wants->lost,
        .user = wants->user,
    };
    s->scene = tenon_to_scene(m->doc, &scene, err);
    progress_end(&line);
    free(companions);
    if (!s->scene || !m->format) return s->scene != NULL;
    s->is_imported = true;
    s->scene->source = NULL;  // Not the importer's GLB: it holds what other formats said.
    s->unit = import_take_unit(s->scene);
    bool ok = import_take_facts(s->scene, &s->facts) &&
              import_take_losses(s->scene, wants->lost, wants->user);
    if (ok) return true;
    *err = report_make(TENON_ERR_MEMORY, "out of memory");
    return false;
}

// -- Whether they fit

static bool is_misfit(tenon_doc *model_doc, tenon_doc *doc)
{
    const tenon_bbmod *bbmod = tenon_as_bbmod(model_doc);
    const tenon_bbanim *animation = tenon_as_bbanim(doc);
    return !animation || (bbmod && !tenon_bbanim_fits(animation, bbmod));
}

// What was found by its name alone may be something else: it is left out, and told.
static void leave_out(loaded_scene *s, uint32_t index, const scene_load_opts *wants,
                      const char *why)
{
    loaded_animation *a = &s->animations[index];
    tenon_loss loss = {.kind = TENON_DROPPED,
                       .feature = "animation beside the model",
                       .why = why,
                       .count = 1,
                       .path = a->file};
    if (wants->lost) wants->lost(wants->user, &loss);
    model_free(&a->model);
    free(a->file);
    free(a->clip);
    s->animation_count--;
    memmove(a, a + 1, (s->animation_count - index) * sizeof *a);
}

// Whether nothing is wrong with a file, but with the machine.
static bool is_outage(const tenon_error *err)
{
    return err->code == TENON_ERR_MEMORY || err->code == TENON_ERR_IO ||
           err->code == TENON_ERR_CANCELLED;
}

// Those that the user has named must fit; the library says why one does not.
static bool read_animations(loaded_scene *s, const cli_common *opts, const model *m,
                            const scene_load_opts *wants, const char **at_fault, tenon_error *err)
{
    bool are_named = wants->animations && wants->animations->count;
    for (uint32_t i = 0; i < s->animation_count;) {
        loaded_animation *a = &s->animations[i];
        bool is_read = model_read(&a->model, opts, a->file, err);
        if (!is_read && (are_named || is_outage(err))) {
            *at_fault = a->file;
            return false;
        }
        if (!is_read)
            leave_out(s, i, wants, "it cannot be read");
        else if (!are_named && is_misfit(m->doc, a->model.doc))
            leave_out(s, i, wants, "it does not fit the model");
        else
            i++;
    }
    return true;
}

bool scene_from_model(loaded_scene *s, const cli_common *opts, const model *m,
                      const scene_load_opts *wants, const char **at_fault, tenon_error *err)
{
    cli_common plain = *opts;
    plain.from = (cli_format){0};  // It says what the model is, not its animations.
    plain.beside = wants->animations && wants->animations->count ? NULL : m->file;
    *s = (loaded_scene){0};
    *at_fault = m->file;
    if (!list_animations(s, m, wants, err)) return false;
    if (!read_animations(s, &plain, m, wants, at_fault, err)) return false;
    *err = (tenon_error){0};
    return make_scene(s, opts, m, wants, err);
}

bool scene_load(loaded_scene *s, const cli_common *opts, const char *file, tenon_error *err)
{
    const scene_load_opts wants = {0};
    const char *at_fault;
    model m;
    *s = (loaded_scene){0};
    if (!model_read(&m, opts, file, err)) return false;
    bool ok = scene_from_model(s, opts, &m, &wants, &at_fault, err);
    s->model = m;
    if (!ok) scene_unload(s);
    return ok;
}

void scene_unload(loaded_scene *s)
{
    tenon_scene_free(s->scene);
    for (uint32_t i = 0; i < s->animation_count; i++) {
        model_free(&s->animations[i].model);
        free(s->animations[i].file);
        free(s->animations[i].clip);
    }
    free(s->animations);
    import_facts_free(&s->facts);
    model_free(&s->model);
    *s = (loaded_scene){0};
}
