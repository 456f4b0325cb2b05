// import_scene.c: what is done to scenes of files that tenon-import has read.
// SPDX-License-Identifier: MIT

#include "import_scene.h"

#include "report.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

double import_take_unit(tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra *extra = &scene->extras[i];
        char text[32] = "";
        if (extra->of != TENON_EXTRA_OF_SCENE) continue;
        if (strcmp(extra->name.data, "tenon_import_unit") != 0) continue;
        if (extra->value.size < sizeof text) memcpy(text, extra->value.data, extra->value.size);
        // The tool never sets a locale, so the point is a point.
        double unit = strtod(text, NULL);
        scene->extra_count--;
        memmove(extra, extra + 1, (scene->extra_count - i) * sizeof *extra);
        return unit > 0 && unit <= DBL_MAX ? unit : 0;
    }
    return 0;
}

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
