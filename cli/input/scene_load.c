// scene_load.c: scenes of models, with the animations and sidecars that belong to them.
// SPDX-License-Identifier: MIT

#include "input/scene_load.h"

#include "import/import_draco.h"
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
    found_animation *longer =
        file ? realloc(loaded->animations, (loaded->animation_count + 1) * sizeof *longer) : NULL;
    if (longer) loaded->animations = longer;
    tenon_str clip_name = longer ? tenon_bbanim_clip(model_file, file) : (tenon_str){0};
    char *clip = longer ? text_copy(clip_name.data, clip_name.size) : NULL;
    if (!clip) {
        free(file);
        return false;
    }
    loaded->animations[loaded->animation_count++] = (found_animation){.file = file, .clip = clip};
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

// -- Scenes

bool scene_from_model(loaded_scene *loaded, const cli_common *common, const model *source,
                      const scene_load_opts *opts, tenon_error *err)
{
    *loaded = (loaded_scene){0};
    bool without_sidecars = path_is_stream(source->file) || opts->without_sidecars;
    cli_common reading = *common;
    reading.from = (cli_format){0};  // It says what the model is, not its animations.
    const tenon_read_opts read = model_read_opts(&reading, source->file);
    progress line;
    import_draco_user draco = {common, source->file};
    tenon_scene_opts scene_opts = {
        .allocator = job_allocator(),
        .events =
            progress_begin_with_losses(&line, common, "understanding", source->file, &opts->events),
        .model_path = without_sidecars ? NULL : source->file,
        .files = guard_files(),
        .decode_draco = import_decode_draco,
        .draco_user = &draco,
    };
    loaded->scene = opts->without_animations ? tenon_to_scene(source->doc, &scene_opts, err)
                                             : tenon_import(source->doc, &read, &scene_opts, err);
    progress_end(&line);
    if (!loaded->scene) return false;
    const tenon_fbx *fbx = tenon_as_fbx(source->doc);
    loaded->is_imported = source->format || fbx;
    if (fbx) loaded->unit = tenon_fbx_unit(fbx);
    if (!source->format) return true;
    loaded->scene->source = NULL;  // The importer's GLB is not the source: it holds other formats.
    loaded->scene->kept = NULL;
    bool ok = import_take_unit(loaded->scene, &loaded->unit) &&
              import_take_facts(loaded->scene, &loaded->facts) &&
              import_take_losses(loaded->scene, &opts->events);
    return ok || job_out_of_memory(err);
}

bool scene_load(loaded_scene *loaded, const cli_common *common, const char *file, tenon_error *err)
{
    const scene_load_opts opts = {0};
    model source;
    *loaded = (loaded_scene){0};
    if (!model_read(&source, common, file, err)) return false;
    bool ok = scene_from_model(loaded, common, &source, &opts, err);
    loaded->model = source;
    if (!ok) scene_unload(loaded);
    return ok;
}

static int scene_load_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

uint32_t scene_find_clip(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; name && i < scene->animation_count; i++) {
        const char *own = scene->animations[i].name.data, *bar = strrchr(own, '|'), *asked = name;
        if (bar && !strchr(name, '|')) own = bar + 1;
        while (*own && scene_load_lower(*own) == scene_load_lower(*asked)) own++, asked++;
        if (!*own && !*asked) return i;
    }
    return TENON_NONE;
}

void scene_unload(loaded_scene *loaded)
{
    tenon_scene_free(loaded->scene);
    for (uint32_t i = 0; i < loaded->animation_count; i++) {
        free(loaded->animations[i].file);
        free(loaded->animations[i].clip);
    }
    free(loaded->animations);
    import_facts_free(&loaded->facts);
    model_free(&loaded->model);
    *loaded = (loaded_scene){0};
}
