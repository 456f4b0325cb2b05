// import_scene.c: what tenon-import says about a file, taken out of the scene's extras.
// SPDX-License-Identifier: MIT

#include "import/import_scene.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/report.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/edit.h>

// Remove an extra of the scene. *text is a copy of its value, to be freed by the caller; NULL: the
// scene has no such extra. False if memory ran out.
static bool import_scene_take_extra(tenon_scene *scene, const char *name, char **text)
{
    *text = NULL;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra *extra = &scene->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE || strcmp(extra->name.data, name) != 0) continue;
        *text = text_copy(extra->value.data, extra->value.size);
        scene->extra_count--;
        memmove(extra, extra + 1, (scene->extra_count - i) * sizeof *extra);
        return *text != NULL;
    }
    return true;
}

bool import_take_unit(tenon_scene *scene, double *unit)
{
    char *text;
    *unit = 0;
    if (!import_scene_take_extra(scene, "tenon_import_unit", &text)) return false;
    // The tool never sets a locale, so the decimal separator is a point.
    double value = text ? strtod(text, NULL) : 0;
    if (value > 0 && value <= DBL_MAX) *unit = value;
    free(text);
    return true;
}

bool import_take_facts(tenon_scene *scene, import_facts *facts)
{
    *facts = (import_facts){0};
    if (!import_scene_take_extra(scene, "tenon_import_facts", &facts->text)) return false;
    if (!facts->text) return true;
    uint32_t line_count = 0;
    for (const char *c = facts->text; *c; c++) line_count += *c == '\n';
    facts->list = calloc((size_t)line_count + 1, sizeof *facts->list);
    if (!facts->list) return false;
    // Each line is a label, a tab and a text.
    for (char *line = facts->text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        *tab = '\0';
        facts->list[facts->count++] = (tenon_fact){line, tab + 1};
    }
    return true;
}

void import_facts_free(import_facts *facts)
{
    free(facts->list);
    free(facts->text);
    *facts = (import_facts){0};
}

// -- Losses

// The text up to the next tab or the end of the line; *at moves past it.
static const char *import_scene_read_field(char **at)
{
    char *text = *at, *end = text + strcspn(text, "\t\n");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return text;
}

// A copy that lives as long as the scene; its data is NULL if memory ran out.
static tenon_str import_copy_to_scene(tenon_scene *scene, const char *text)
{
    size_t size = strlen(text);
    char *copy = tenon_scene_alloc(scene, size + 1);
    if (copy) memcpy(copy, text, size);
    return (tenon_str){copy, (uint32_t)size};
}

// Add to the scene's list of what it lacks of the file.
static bool import_scene_add_omission(tenon_scene *scene, const tenon_loss *loss)
{
    uint32_t count = scene->omission_count;
    bool is_full = (count & (count - 1)) == 0;  // The room doubles at powers of two.
    tenon_omission *longer =
        is_full ? tenon_scene_alloc(scene, 2 * ((size_t)count + 1) * sizeof *longer)
                : scene->omissions;
    tenon_omission added = {.feature = import_copy_to_scene(scene, loss->feature),
                            .why = import_copy_to_scene(scene, loss->why),
                            .count = loss->count,
                            .path = import_copy_to_scene(scene, loss->path ? loss->path : "")};
    if (!longer || !added.feature.data || !added.why.data || !added.path.data) return false;
    if (is_full && count) memcpy(longer, scene->omissions, count * sizeof *longer);
    longer[count] = added;
    scene->omissions = longer;
    scene->omission_count++;
    return true;
}

bool import_take_losses(tenon_scene *scene, const tenon_events *events)
{
    // Each line is kind, count, feature, reason and path. Kinds are those of tenon_loss; one more
    // is for what the scene cannot represent.
    const unsigned long omitted = TENON_SYNTHESIZED + 1;
    char *text;
    if (!import_scene_take_extra(scene, "tenon_import_losses", &text)) return false;
    bool ok = true;
    for (char *at = text; ok && at && *at;) {
        unsigned long kind = strtoul(import_scene_read_field(&at), NULL, 10);
        tenon_loss loss = {.kind = kind < omitted ? (tenon_loss_kind)kind : TENON_DROPPED};
        loss.count = strtoull(import_scene_read_field(&at), NULL, 10);
        loss.feature = import_scene_read_field(&at);
        loss.why = import_scene_read_field(&at);
        loss.path = import_scene_read_field(&at);
        if (!*loss.path) loss.path = NULL;
        ok = kind != omitted || import_scene_add_omission(scene, &loss);
        if (ok && events->on_loss) events->on_loss(events->user, &loss);
    }
    free(text);
    return ok;
}

// -- Clips

bool import_start_at_first_key(tenon_scene *scene, const tenon_events *events, tenon_error *err)
{
    const tenon_edit_clip_opts opts = {.start_at_first_key = true};
    double *durations = calloc((size_t)scene->animation_count + 1, sizeof *durations);
    if (!durations) return job_out_of_memory(err);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        durations[i] = scene->animations[i].duration;
    bool ok = tenon_edit_clips(scene, &opts, err);
    tenon_loss loss = {
        .kind = TENON_DEFAULTED, .feature = "lead-in", .why = "clips start at their first key"};
    for (uint32_t i = 0; ok && i < scene->animation_count; i++) {
        if (!(scene->animations[i].duration < durations[i])) continue;
        if (loss.count++ == 0) loss.path = scene->animations[i].name.data;
    }
    if (events->on_loss && loss.count) events->on_loss(events->user, &loss);
    free(durations);
    return ok;
}
