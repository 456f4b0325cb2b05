// import_scene.h: what tenon-import says about a file, taken out of the scene's extras.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_IMPORT_SCENE_H
#define TENON_CLI_IMPORT_SCENE_H

#include <tenon/scene.h>

// Take out the length of the file's unit in meters; 0: unknown. False if memory ran out.
bool import_take_unit(tenon_scene *scene, double *unit);

// What the file says about itself. `text` is what `list` points into; free both.
typedef struct import_facts {
    tenon_fact *list;
    uint32_t count;
    char *text;
} import_facts;

// Take out the facts. False if memory ran out.
bool import_take_facts(tenon_scene *scene, import_facts *facts);

void import_facts_free(import_facts *facts);

// Take out the losses and report each; `events` may have no callback. What a scene cannot represent
// becomes one of its omissions. False if memory ran out.
bool import_take_losses(tenon_scene *scene, const tenon_events *events);

// Make all clips start at their first key, as tenon_edit_clips() does with `start_at_first_key`.
// One loss is reported if a clip became shorter.
bool import_start_at_first_key(tenon_scene *scene, const tenon_events *events, tenon_error *err);

#endif  // TENON_CLI_IMPORT_SCENE_H
