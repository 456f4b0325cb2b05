// stage_help.h: scenes made by hand, to be written.
// SPDX-License-Identifier: MIT

#ifndef TEST_STAGE_HELP_H
#define TEST_STAGE_HELP_H

#include "hand_scene.h"

#include <stdlib.h>

// A scene made by hand that owns its memory, as all scenes do.
typedef struct stage {
    hand h;
    tenon_scene *owner;
} stage;

static inline void stage_begin(stage *s)
{
    hand_begin(&s->h);
    s->owner = tenon_scene_new(NULL, NULL);
    if (!s->owner) abort();
    s->h.scene.owner = s->owner->owner;
}

static inline void stage_end(stage *s)
{
    tenon_scene_free(s->owner);
}

#endif  // TEST_STAGE_HELP_H
