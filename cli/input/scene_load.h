// scene_load.h: scenes of models, with the animations and sidecars that belong to them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_SCENE_LOAD_H
#define TENON_CLI_SCENE_LOAD_H

#include "import/import_scene.h"
#include "input/model.h"

#include <tenon/scene.h>

// Options for making a scene of a model. Zeroed: the defaults.
typedef struct scene_load_opts {
    bool without_animations;  // Do not look for animations beside a BBMOD model,
    bool without_sidecars;    // nor for other sidecars.
    tenon_events events;      // Losses.
} scene_load_opts;

// An animation file beside a model, and the name of its clip.
typedef struct found_animation {
    char *file, *clip;
} found_animation;

typedef struct loaded_scene {
    model model;
    found_animation *animations;  // By scene_find_animations().
    uint32_t animation_count;
    tenon_scene *scene;
    bool is_imported;    // By tenon-import, or from FBX: clips are on the file's own timeline.
    double unit;         // Meters, if the file says so; 0: unknown.
    import_facts facts;  // What an imported file says about itself.
} loaded_scene;

// Load a file and everything that belongs to it. On failure `err` is set and everything is freed.
bool scene_load(loaded_scene *loaded, const cli_common *common, const char *file, tenon_error *err);

// Make the scene of a model that is read already. The caller keeps the model; `loaded->model` is
// not used. Call scene_unload() in any case.
bool scene_from_model(loaded_scene *loaded, const cli_common *common, const model *source,
                      const scene_load_opts *opts, tenon_error *err);

// Find the animations beside a BBMOD model by their names, without reading them. False, with `err`
// set, if the folder cannot be listed. Call scene_unload() in any case.
bool scene_find_animations(loaded_scene *loaded, const char *model_file, tenon_error *err);

// The clip of that name; letter case and the part before the last '|' are ignored, as in
// tenon_verify(). TENON_NONE if there is none, or if `name` is NULL.
uint32_t scene_find_clip(const tenon_scene *scene, const char *name);

// Free what was loaded. Zeroed is fine.
void scene_unload(loaded_scene *loaded);

#endif  // TENON_CLI_SCENE_LOAD_H
