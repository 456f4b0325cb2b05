// import_scene.c: what is done to scenes of files that tenon-import has read.
// SPDX-License-Identifier: MIT

#include "import/import_scene.h"

#include "report/report.h"

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

// Split lines of a label, a tab and a text.
static bool split_facts(import_facts *facts)
{
    uint32_t room = 0;
    for (const char *c = facts->text; *c; c++) room += *c == '\n';
    facts->list = calloc((size_t)room + 1, sizeof *facts->list);
    if (!facts->list) return false;
    for (char *line = facts->text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        *tab = '\0';
        facts->list[facts->count++] = (tenon_fact){line, tab + 1};
    }
    return true;
}

bool import_take_facts(tenon_scene *scene, import_facts *facts)
{
    *facts = (import_facts){0};
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra *extra = &scene->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE) continue;
        if (strcmp(extra->name.data, "tenon_import_facts") != 0) continue;
        facts->text = calloc((size_t)extra->value.size + 1, 1);
        if (facts->text) memcpy(facts->text, extra->value.data, extra->value.size);
        scene->extra_count--;
        memmove(extra, extra + 1, (scene->extra_count - i) * sizeof *extra);
        return facts->text && split_facts(facts);
    }
    return true;
}

void import_facts_free(import_facts *facts)
{
    free(facts->list);
    free(facts->text);
    *facts = (import_facts){0};
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
