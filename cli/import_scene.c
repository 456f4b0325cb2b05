// import_scene.c: what is done to scenes of files that tenon-import has read.
// SPDX-License-Identifier: MIT

#include "import_scene.h"

#include "report.h"

#include <stdlib.h>

bool import_start_at_first_key(tenon_scene *scene, tenon_loss_fn *lost, void *user,
                               tenon_error *err)
{
    const tenon_reshape_opts opts = {.start_at_first_key = true};
    double *durations = calloc((size_t)scene->animation_count + 1, sizeof *durations);
    if (!durations) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        durations[i] = scene->animations[i].duration;
    bool ok = tenon_reshape(scene, &opts, err);
    tenon_loss loss = {.kind = TENON_DEFAULTED,
                       .feature = "lead-in",
                       .why = "clips start at their first key: '--keep-lead-in' keeps the time "
                              "before it"};
    for (uint32_t i = 0; ok && i < scene->animation_count; i++) {
        if (!(scene->animations[i].duration < durations[i])) continue;
        if (loss.count++ == 0) loss.path = scene->animations[i].name.data;
    }
    if (lost && loss.count) lost(user, &loss);
    free(durations);
    return ok;
}
