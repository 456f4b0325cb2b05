// gpb_import_help.h: what the tests of the import of gameplay bundles share.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GPB_IMPORT_HELP_H
#define TENON_TESTS_GPB_IMPORT_HELP_H

#include "../formats/gpb_help.h"

#include <tenon/scene.h>

#include <math.h>

static inline bool close_to(double a, double b, double slack)
{
    return fabs(a - b) <= slack;
}

static inline bool text_is(tenon_str text, const char *want)
{
    return gpb_text_is(text, want);
}

// -- Losses

typedef struct losses {
    uint32_t kinds;
    struct {
        char feature[64], path[160], why[640];
        uint64_t count;
    } all[32];
} losses;

static inline void note_loss(void *user, const tenon_loss *loss)
{
    losses *lost = user;
    if (!lost || lost->kinds == 32) return;
    snprintf(lost->all[lost->kinds].feature, 64, "%s", loss->feature);
    snprintf(lost->all[lost->kinds].path, 160, "%s", loss->path ? loss->path : "");
    snprintf(lost->all[lost->kinds].why, 640, "%s", loss->why);
    lost->all[lost->kinds++].count = loss->count;
}

// The first loss of a feature; all losses of it together.
static inline uint64_t lost_count(const losses *lost, const char *feature)
{
    for (uint32_t i = 0; i < lost->kinds; i++)
        if (strcmp(lost->all[i].feature, feature) == 0) return lost->all[i].count;
    return 0;
}

static inline uint64_t lost_total(const losses *lost, const char *feature)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < lost->kinds; i++)
        if (strcmp(lost->all[i].feature, feature) == 0) total += lost->all[i].count;
    return total;
}

static inline const char *lost_path(const losses *lost, const char *feature)
{
    for (uint32_t i = 0; i < lost->kinds; i++)
        if (strcmp(lost->all[i].feature, feature) == 0) return lost->all[i].path;
    return "";
}

static inline const char *lost_why(const losses *lost, const char *feature)
{
    for (uint32_t i = 0; i < lost->kinds; i++)
        if (strcmp(lost->all[i].feature, feature) == 0) return lost->all[i].why;
    return "";
}

// -- Scenes

// A valid scene, or the program ends.
static inline tenon_scene *scene_of(const tenon_gpb *doc, const char *path, losses *lost)
{
    tenon_error err;
    tenon_scene_opts opts = {.model_path = path, .events = {.user = lost, .on_loss = note_loss}};
    tenon_scene *scene = tenon_to_scene(&doc->base, &opts, &err);
    if (scene && tenon_scene_check(scene, &err)) return scene;
    fprintf(stderr, "%s: no scene: %s: %s\n", path ? path : "", err.path, err.message);
    exit(1);
}

static inline void done(tenon_scene *scene, tenon_gpb *doc)
{
    tenon_scene_free(scene);
    tenon_doc_free(&doc->base);
}

static inline uint32_t node_named(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (text_is(scene->nodes[i].name, name)) return i;
    fprintf(stderr, "there is no node '%s'\n", name);
    exit(1);
}

static inline const tenon_material *material_named(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->material_count; i++)
        if (text_is(scene->materials[i].name, name)) return &scene->materials[i];
    return NULL;
}

static inline const char *extra_of(const tenon_scene *scene, tenon_extra_of of, uint32_t index,
                                   const char *name)
{
    for (uint32_t i = 0; i < scene->extra_count; i++)
        if (scene->extras[i].of == of && scene->extras[i].index == index &&
            text_is(scene->extras[i].name, name))
            return scene->extras[i].value.data;
    return "";
}

// -- Animations

static inline uint32_t clip_named(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (text_is(scene->animations[i].name, name)) return i;
    return TENON_NONE;
}

// The channel of a clip that moves a property of a node; NULL: there is none.
static inline const tenon_channel *channel_of(const tenon_scene *scene, uint32_t clip,
                                              const char *node, tenon_target target)
{
    const tenon_animation *a = clip < scene->animation_count ? &scene->animations[clip] : NULL;
    for (uint32_t i = 0; a && i < a->channel_count; i++)
        if (a->channels[i].target == target &&
            text_is(scene->nodes[a->channels[i].node].name, node))
            return &a->channels[i];
    return NULL;
}

// New numbers for a span; the document owns a copy of them.
static inline void own_span(tenon_gpb *doc, tenon_span *span, const void *numbers, uint64_t count)
{
    uint8_t *bytes = tenon_doc_alloc(&doc->base, (size_t)(4 * count + 1));
    if (!bytes) abort();
    wire_copy(bytes, numbers, (size_t)count, 4);
    span->data = bytes;
    span->count = count;
    span->size = 4 * count;
}

// What `info` reports about the animations of nodes.
static inline const char *joined_animations(tenon_gpb *doc)
{
    static const tenon_info_opts full = {.full = true};
    static char text[128];
    tenon_info info = {0};
    CHECK(tenon_doc_info(&doc->base, &full, &info, NULL));
    text[0] = '\0';
    for (uint32_t i = 0; i < info.fact_count; i++)
        if (strcmp(info.facts[i].label, "animations") == 0)
            snprintf(text, sizeof text, "%s", info.facts[i].text);
    tenon_info_free(&info);
    return text;
}

#endif  // TENON_TESTS_GPB_IMPORT_HELP_H
