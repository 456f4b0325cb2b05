// scene_load.c: scenes of models, with the animations and sidecars that belong to them.
// SPDX-License-Identifier: MIT

#include "input/scene_load.h"

#include "import/import_scene.h"
#include "input/job.h"
#include "input/paths.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>
#include <tenon/fbx.h>

// -- Animations beside a model

// Add the file `name` of a folder, which is the start of the model's path. False if memory ran out.
static bool scene_load_add_animation(loaded_scene *loaded, const char *model_file,
                                     size_t folder_size, const char *name)
{
    size_t size = folder_size + strlen(name) + 1;
    char *file = malloc(size);
    if (file) (void)snprintf(file, size, "%.*s%s", (int)folder_size, model_file, name);
    loaded_animation *longer =
        file ? realloc(loaded->animations, (loaded->animation_count + 1) * sizeof *longer) : NULL;
    if (longer) loaded->animations = longer;
    tenon_str clip_name = longer ? tenon_bbanim_clip(model_file, file) : (tenon_str){0};
    char *clip = longer ? text_copy(clip_name.data, clip_name.size) : NULL;
    if (!clip) {
        free(file);
        return false;
    }
    loaded->animations[loaded->animation_count++] = (loaded_animation){.file = file, .clip = clip};
    return true;
}

bool scene_find_animations(loaded_scene *loaded, const char *model_file, tenon_error *err)
{
    file_list names = {0};
    size_t folder_size = (size_t)(path_base_name(model_file) - model_file);
    bool ok = tenon_bbanim_find(guard_files(), model_file, NULL, file_list_take, &names, err);
    for (uint32_t i = 0; i < names.count && !names.failed; i++)
        names.failed = !scene_load_add_animation(loaded, model_file, folder_size, names.names[i]);
    if (names.failed) ok = job_out_of_memory(err);
    file_list_free(&names);
    return ok;
}

// Leave out an animation that was found by its name alone, and report that.
static void scene_load_drop_animation(loaded_scene *loaded, uint32_t index,
                                      const scene_load_opts *opts, const char *why)
{
    loaded_animation *animation = &loaded->animations[index];
    tenon_loss loss = {.kind = TENON_DROPPED,
                       .feature = "animation beside the model",
                       .why = why,
                       .count = 1,
                       .path = animation->file};
    if (opts->events.on_loss) opts->events.on_loss(opts->events.user, &loss);
    model_free(&animation->model);
    free(animation->file);
    free(animation->clip);
    loaded->animation_count--;
    memmove(animation, animation + 1, (loaded->animation_count - index) * sizeof *animation);
}

// Read the animations that the user has named, or else those beside the model. The former must fit:
// tenon_to_scene() says why one does not.
static bool scene_load_animations(loaded_scene *loaded, const cli_common *common,
                                  const model *source, const scene_load_opts *opts,
                                  const char **at_fault, tenon_error *err)
{
    uint32_t named_count = opts->animations ? opts->animations->count : 0;
    for (uint32_t i = 0; i < named_count; i++) {
        if (!scene_load_add_animation(loaded, source->file, 0, opts->animations->values[i]))
            return job_out_of_memory(err);
    }
    bool are_beside = !named_count && strcmp(source->doc->format->name, "bbmod") == 0 &&
                      !path_is_stream(source->file) && !opts->without_animations;
    if (are_beside && !scene_find_animations(loaded, source->file, err)) return false;

    cli_common reading = *common;
    reading.from = (cli_format){0};  // It says what the model is, not its animations.
    reading.beside = named_count ? NULL : source->file;
    const tenon_bbmod *bbmod = tenon_as_bbmod(source->doc);
    for (uint32_t i = 0; i < loaded->animation_count;) {
        loaded_animation *animation = &loaded->animations[i];
        if (!model_read(&animation->model, &reading, animation->file, err)) {
            // The file did not cause these.
            bool is_outage = err->code == TENON_ERR_MEMORY || err->code == TENON_ERR_IO ||
                             err->code == TENON_ERR_CANCELLED;
            if (named_count || is_outage) {
                *at_fault = animation->file;
                return false;
            }
            scene_load_drop_animation(loaded, i, opts, "it cannot be read");
            continue;
        }
        const tenon_bbanim *bbanim = tenon_as_bbanim(animation->model.doc);
        bool fits = bbanim && (!bbmod || tenon_bbanim_fits(bbanim, bbmod));
        if (!named_count && !fits)
            scene_load_drop_animation(loaded, i, opts, "it does not fit the model");
        else
            i++;
    }
    *err = (tenon_error){0};
    return true;
}

// -- Scenes

bool scene_from_model(loaded_scene *loaded, const cli_common *common, const model *source,
                      const scene_load_opts *opts, const char **at_fault, tenon_error *err)
{
    *loaded = (loaded_scene){0};
    *at_fault = source->file;
    if (!scene_load_animations(loaded, common, source, opts, at_fault, err)) return false;
    tenon_companion *companions = calloc(loaded->animation_count + 1, sizeof *companions);
    if (!companions) return job_out_of_memory(err);
    for (uint32_t i = 0; i < loaded->animation_count; i++)
        companions[i] =
            (tenon_companion){loaded->animations[i].model.doc, loaded->animations[i].clip};
    bool without_sidecars = path_is_stream(source->file) || opts->without_sidecars;
    progress line;
    tenon_scene_opts scene_opts = {
        .allocator = job_allocator(),
        .events =
            progress_begin_with_losses(&line, common, "understanding", source->file, &opts->events),
        .model_path = without_sidecars ? NULL : source->file,
        .files = guard_files(),
        .companions = companions,
        .companion_count = loaded->animation_count,
        .rate = opts->rate,
        .salvage = opts->salvage,
    };
    loaded->scene = tenon_to_scene(source->doc, &scene_opts, err);
    progress_end(&line);
    free(companions);
    if (!loaded->scene) return false;
    const tenon_fbx *fbx = tenon_as_fbx(source->doc);
    loaded->is_imported = source->format || fbx;
    if (fbx) loaded->unit = tenon_fbx_unit(fbx);
    if (!source->format) return true;
    loaded->scene->source = NULL;  // The importer's GLB is not the source: it holds other formats.
    bool ok = import_take_unit(loaded->scene, &loaded->unit) &&
              import_take_facts(loaded->scene, &loaded->facts) &&
              import_take_losses(loaded->scene, &opts->events);
    return ok || job_out_of_memory(err);
}

bool scene_load(loaded_scene *loaded, const cli_common *common, const char *file, tenon_error *err)
{
    const scene_load_opts opts = {0};
    const char *at_fault;
    model source;
    *loaded = (loaded_scene){0};
    if (!model_read(&source, common, file, err)) return false;
    bool ok = scene_from_model(loaded, common, &source, &opts, &at_fault, err);
    loaded->model = source;
    if (!ok) scene_unload(loaded);
    return ok;
}

void scene_unload(loaded_scene *loaded)
{
    tenon_scene_free(loaded->scene);
    for (uint32_t i = 0; i < loaded->animation_count; i++) {
        model_free(&loaded->animations[i].model);
        free(loaded->animations[i].file);
        free(loaded->animations[i].clip);
    }
    free(loaded->animations);
    import_facts_free(&loaded->facts);
    model_free(&loaded->model);
    *loaded = (loaded_scene){0};
}
