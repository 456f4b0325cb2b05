// scene_load.h: what models mean, for commands that compare and convert them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_SCENE_LOAD_H
#define TENON_CLI_SCENE_LOAD_H

#include "import/import_scene.h"
#include "input/model.h"

#include <tenon/scene.h>

// What a command wants of a scene. Zeroed: as the files are.
typedef struct scene_load_opts {
    const cli_list *animations;  // Files that belong to a BBMOD model; none: those found beside it.
    double rate;                 // 0: the format's.
    bool salvage;                // Leave out what is damaged.
    bool without_animations;     // Of a BBMOD model: they are not looked for.
    bool without_sidecars;       // Nor are other files beside the model.
    tenon_loss_fn *lost;         // NULL: nobody asks.
    void *user;
} scene_load_opts;

// A file of animations that belongs to a model.
typedef struct loaded_animation {
    model model;
    char *file, *clip;
} loaded_animation;

typedef struct loaded_scene {
    model model;
    loaded_animation *animations;
    uint32_t animation_count;
    tenon_scene *scene;
    bool is_imported;    // By tenon-import.
    double unit;         // Meters, of a file that says so; 0: not known.
    import_facts facts;  // What an imported file says about itself.
} loaded_scene;

// Load a file and all that belongs to it. On failure, which is in `err`, everything is freed.
bool scene_load(loaded_scene *s, const cli_common *opts, const char *file, tenon_error *err);

// The scene of a model that is read already, which stays the caller's; `s->m` is not used. Has to
// be unloaded in any case. *at_fault gets the file that an error is about.
bool scene_from_model(loaded_scene *s, const cli_common *opts, const model *m,
                      const scene_load_opts *wants, const char **at_fault, tenon_error *err);

// The animations beside a BBMOD model, by their names; nothing is read. False, with `err` set, if
// they cannot be listed. Has to be unloaded in any case.
bool scene_find_animations(loaded_scene *s, const char *model_file, tenon_error *err);

// Free what was loaded. Zeroed is fine.
void scene_unload(loaded_scene *s);

#endif  // TENON_CLI_SCENE_LOAD_H
