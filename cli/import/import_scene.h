// import_scene.h: what is done to scenes of files that tenon-import has read.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_IMPORT_SCENE_H
#define TENON_CLI_IMPORT_SCENE_H

#include <tenon/scene.h>

// The length of the file's unit in meters, which an extra of the scene says; the extra is removed.
// 0: the file does not say.
double import_take_unit(tenon_scene *scene);

// What the file says about itself. `text` is what `list` points into; free both.
typedef struct import_facts {
    tenon_fact *list;
    uint32_t count;
    char *text;
} import_facts;

// Take them out of the extra of the scene that says them. False if memory ran out.
bool import_take_facts(tenon_scene *scene, import_facts *facts);

void import_facts_free(import_facts *facts);

// Make all clips start at their first key, as tenon_reshape() does with `start_at_first_key`.
// `lost` (may be NULL) gets one loss if that has cut something off.
bool import_start_at_first_key(tenon_scene *scene, tenon_loss_fn *lost, void *user,
                               tenon_error *err);

#endif  // TENON_CLI_IMPORT_SCENE_H
