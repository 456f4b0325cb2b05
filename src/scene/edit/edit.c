// edit.c: changing a scene: the order of the steps, and what they share.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"

#include "scene/model/scene_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Memory, failing, losing

void tn_edit_fail(tn_editor *editor, tenon_code code, const char *fmt, ...)
{
    if (editor->failed) return;
    editor->failed = true;
    char message[sizeof editor->err->message];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    (void)tn_error(editor->err, code, "%s", message);
}

bool tn_edit_expect(tn_editor *editor, bool ok)
{
    if (!ok && editor->pulse.stopped) tn_edit_fail(editor, TENON_ERR_CANCELLED, "cancelled");
    if (!ok) tn_edit_fail(editor, TENON_ERR_MEMORY, "out of memory");
    return !editor->failed;
}

static void *allocate(tn_editor *editor, tn_arena *arena, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory = editor->failed ? NULL : tn_arena_alloc(arena, count, size, &why);
    if (!memory && why == TN_OVER_LIMIT)
        tn_edit_fail(editor, TENON_ERR_LIMIT, "the scene would need more than %llu bytes",
                     (unsigned long long)arena->limit);
    (void)tn_edit_expect(editor, memory != NULL);
    return memory;
}

void *tn_edit_array(tn_editor *editor, uint64_t count, size_t size)
{
    return allocate(editor, editor->arena, count, size);
}

void *tn_edit_scratch(tn_editor *editor, uint64_t count, size_t size)
{
    return allocate(editor, &editor->scratch, count, size);
}

tenon_str tn_edit_text(tn_editor *editor, tenon_str text)
{
    char *copy = tn_edit_array(editor, (uint64_t)text.size + 1, 1);
    if (!copy) return (tenon_str){"", 0};
    memcpy(copy, text.data, text.size);
    return (tenon_str){copy, text.size};
}

void tn_edit_report(const tn_editor *editor, tenon_loss_kind kind, const char *feature,
                    uint64_t count, const char *path, const char *why)
{
    tenon_loss loss = {.kind = kind, .feature = feature, .why = why, .count = count, .path = path};
    if (editor->opts->lost && count) editor->opts->lost(editor->opts->user, &loss);
}

bool tn_is_called(tenon_str name, const char *text)
{
    return strlen(text) == name.size && memcmp(name.data, text, name.size) == 0;
}

// -- Streams of numbers

uint32_t tn_key_size(const tenon_channel *c)
{
    return (c->target == TENON_ROTATION ? 4u : 3u) * (c->curve == TENON_CUBIC ? 3u : 1u);
}

float *tn_changed_copy(tn_editor *editor, tn_change_stream_fn *fn, const void *context,
                       const float *values, uint64_t count, uint32_t each)
{
    float *copy = tn_edit_array(editor, count, each * sizeof *copy);
    if (!copy) return NULL;
    if (count) memcpy(copy, values, (size_t)count * each * sizeof *copy);
    fn(context, copy, count, each);
    return copy;
}

struct tn_changed_stream {
    const float *from;
    uint64_t count;  // Of numbers.
    float *to;
};

static struct tn_changed_stream *find_change(tn_stream_changes *c, const float *from,
                                             uint64_t count)
{
    uint64_t hash = ((uint64_t)(uintptr_t)from ^ count << 1) * 0x9e3779b97f4a7c15u;
    uint64_t at = (hash ^ hash >> 32) & (c->room - 1);
    while (c->entries[at].from && (c->entries[at].from != from || c->entries[at].count != count))
        at = (at + 1) & (c->room - 1);
    return &c->entries[at];
}

// Keep the table at most half full.
static bool grow_changes(tn_stream_changes *c)
{
    if (2 * c->count < c->room) return true;
    tn_stream_changes larger = *c;
    larger.room = c->room ? 2 * c->room : 64;
    larger.entries = tn_edit_scratch(c->editor, larger.room, sizeof *larger.entries);
    if (!larger.entries) return false;
    for (uint64_t i = 0; i < c->room; i++)
        if (c->entries[i].from)
            *find_change(&larger, c->entries[i].from, c->entries[i].count) = c->entries[i];
    *c = larger;
    return true;
}

void tn_change_stream(tn_stream_changes *c, float **values, uint64_t count, uint32_t each)
{
    if (!*values || c->editor->failed || !grow_changes(c)) return;
    struct tn_changed_stream *entry = find_change(c, *values, count * each);
    if (!entry->from) {
        float *copy = tn_changed_copy(c->editor, c->fn, c->context, *values, count, each);
        if (!copy) return;
        *entry = (struct tn_changed_stream){*values, count * each, copy};
        c->count++;
    }
    *values = entry->to;
}

// -- Owning

static void *copy_list(tn_editor *editor, const void *items, uint64_t count, size_t size)
{
    void *copy = tn_edit_array(editor, count, size);
    if (copy && count) memcpy(copy, items, (size_t)count * size);
    return copy;
}

// The lists of a scene may be shared, too: from here on they are not.
static void copy_lists(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    scene->nodes = copy_list(editor, scene->nodes, scene->node_count, sizeof *scene->nodes);
    editor->node_room = scene->node_count;
    scene->meshes = copy_list(editor, scene->meshes, scene->mesh_count, sizeof *scene->meshes);
    scene->skins = copy_list(editor, scene->skins, scene->skin_count, sizeof *scene->skins);
    scene->materials =
        copy_list(editor, scene->materials, scene->material_count, sizeof *scene->materials);
    scene->images = copy_list(editor, scene->images, scene->image_count, sizeof *scene->images);
    scene->animations =
        copy_list(editor, scene->animations, scene->animation_count, sizeof *scene->animations);
    scene->cameras = copy_list(editor, scene->cameras, scene->camera_count, sizeof *scene->cameras);
    scene->lights = copy_list(editor, scene->lights, scene->light_count, sizeof *scene->lights);
    scene->extras = copy_list(editor, scene->extras, scene->extra_count, sizeof *scene->extras);
    for (uint32_t i = 0; !editor->failed && i < scene->mesh_count; i++) {
        tenon_mesh *m = &scene->meshes[i];
        m->primitives = copy_list(editor, m->primitives, m->primitive_count, sizeof *m->primitives);
    }
    for (uint32_t i = 0; !editor->failed && i < scene->skin_count; i++) {
        tenon_skin *skin = &scene->skins[i];
        skin->joints = copy_list(editor, skin->joints, skin->joint_count, sizeof *skin->joints);
    }
    for (uint32_t i = 0; !editor->failed && i < scene->animation_count; i++) {
        tenon_animation *a = &scene->animations[i];
        a->channels = copy_list(editor, a->channels, a->channel_count, sizeof *a->channels);
        a->events = copy_list(editor, a->events, a->event_count, sizeof *a->events);
    }
}

// -- The order

static void edit_source_space(tn_editor *editor)
{
    const tenon_reshape_opts *opts = editor->opts;
    int turns = opts->source_z_has_turned ? 1 : -1;
    tn_edit_space(editor, opts->source_scale, opts->source_is_z_up ? turns : 0,
                  opts->source_is_mirrored);
}

static void edit_result_space(tn_editor *editor)
{
    const tenon_reshape_opts *opts = editor->opts;
    // What is mirrored in Z afterwards has to look the other way before.
    int turns = opts->mirror != opts->z_will_turn ? -1 : 1;
    tn_edit_space(editor, opts->scale, opts->to_z_up ? turns : 0, opts->mirror);
}

// Clips from elsewhere come before all but the start of the scene's own, so that what is said of
// the source is said of them, too, and all that follows finds them among the others.
static void (*const steps[])(tn_editor *) = {
    tn_edit_start_clips, tn_edit_add_clips, edit_source_space,  tn_edit_keep,
    tn_edit_drop,        tn_edit_meshes,    tn_edit_influences, tn_edit_bake,
    tn_edit_join,        tn_edit_markers,   edit_result_space,
};

#define STEP_COUNT (sizeof steps / sizeof steps[0])

static void run_steps(tn_editor *editor)
{
    for (size_t i = 0; i < STEP_COUNT && !editor->failed; i++)
        if (tn_edit_expect(editor, tn_pulse_report(&editor->pulse, i, STEP_COUNT)))
            steps[i](editor);
}

bool tn_edit_scene(tenon_scene *scene, const tenon_reshape_opts *opts, tenon_error *err)
{
    tn_arena *arena = &scene->owner->arena;
    tn_editor editor = {.scene = scene, .opts = opts, .arena = arena, .err = err};
    editor.pulse = (tn_pulse){.progress = &opts->progress, .budget = arena->allocator.budget};
    editor.scratch = tn_arena_make(&arena->allocator, UINT64_MAX);
    copy_lists(&editor);
    run_steps(&editor);
    tn_pulse_end(&editor.pulse);
    tn_arena_free(&editor.scratch);
    // Numbers may have grown beyond what floats can hold.
    return !editor.failed && tenon_scene_check(scene, err);
}
