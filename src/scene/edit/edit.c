// edit.c: edit a scene: the order of the steps, and what they share.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"

#include "scene/model/scene_build.h"
#include "scene/pose/pose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Memory, errors, losses

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

static void *edit_allocate(tn_editor *editor, tn_arena *arena, uint64_t count, size_t size)
{
    if (editor->failed) return NULL;
    void *memory = tn_arena_alloc_or_fail(arena, count, size, "the scene", editor->err);
    editor->failed = !memory;
    return memory;
}

void *tn_edit_array(tn_editor *editor, uint64_t count, size_t size)
{
    return edit_allocate(editor, editor->arena, count, size);
}

void *tn_edit_scratch(tn_editor *editor, uint64_t count, size_t size)
{
    return edit_allocate(editor, &editor->scratch, count, size);
}

void *tn_edit_copy(tn_editor *editor, const void *items, uint64_t count, size_t size)
{
    void *copy = tn_edit_array(editor, count, size);
    if (copy && count) memcpy(copy, items, (size_t)count * size);
    return copy;
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
    if (editor->events->on_loss && count) editor->events->on_loss(editor->events->user, &loss);
}

bool tn_is_called(tenon_str name, const char *text)
{
    return strlen(text) == name.size && memcmp(name.data, text, name.size) == 0;
}

// -- Streams of numbers

float *tn_changed_copy(tn_editor *editor, tn_change_stream_fn *fn, const void *context,
                       const float *values, uint64_t count, uint32_t each)
{
    float *copy = tn_edit_copy(editor, values, count, each * sizeof *copy);
    if (copy) fn(context, copy, count, each);
    return copy;
}

struct tn_changed_stream {
    const float *from;
    uint64_t count;  // Of numbers.
    float *to;
};

static struct tn_changed_stream *edit_find_change(tn_stream_changes *c, const float *from,
                                                  uint64_t count)
{
    uint64_t hash = ((uint64_t)(uintptr_t)from ^ count << 1) * 0x9e3779b97f4a7c15u;
    uint64_t at = (hash ^ hash >> 32) & (c->room - 1);
    while (c->entries[at].from && (c->entries[at].from != from || c->entries[at].count != count))
        at = (at + 1) & (c->room - 1);
    return &c->entries[at];
}

void tn_change_stream(tn_stream_changes *changes, float **values, uint64_t count, uint32_t each)
{
    tn_editor *editor = changes->editor;
    if (!*values || editor->failed) return;
    if (2 * changes->count >= changes->room) {
        tn_stream_changes larger = *changes;
        larger.room = changes->room ? 2 * changes->room : 64;
        larger.entries = tn_edit_scratch(editor, larger.room, sizeof *larger.entries);
        if (!larger.entries) return;
        for (uint64_t i = 0; i < changes->room; i++) {
            struct tn_changed_stream *old = &changes->entries[i];
            if (old->from) *edit_find_change(&larger, old->from, old->count) = *old;
        }
        *changes = larger;
    }
    struct tn_changed_stream *entry = edit_find_change(changes, *values, count * each);
    if (!entry->from) {
        float *copy = tn_changed_copy(editor, changes->fn, changes->context, *values, count, each);
        if (!copy) return;
        *entry = (struct tn_changed_stream){*values, count * each, copy};
        changes->count++;
    }
    *values = entry->to;
}

// -- The steps

// Copy the lists of a scene, which may be shared.
static void edit_copy_lists(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    scene->nodes = tn_edit_copy(editor, scene->nodes, scene->node_count, sizeof *scene->nodes);
    editor->node_room = scene->node_count;
    scene->meshes = tn_edit_copy(editor, scene->meshes, scene->mesh_count, sizeof *scene->meshes);
    scene->skins = tn_edit_copy(editor, scene->skins, scene->skin_count, sizeof *scene->skins);
    scene->materials =
        tn_edit_copy(editor, scene->materials, scene->material_count, sizeof *scene->materials);
    scene->images = tn_edit_copy(editor, scene->images, scene->image_count, sizeof *scene->images);
    scene->animations =
        tn_edit_copy(editor, scene->animations, scene->animation_count, sizeof *scene->animations);
    scene->cameras =
        tn_edit_copy(editor, scene->cameras, scene->camera_count, sizeof *scene->cameras);
    scene->lights = tn_edit_copy(editor, scene->lights, scene->light_count, sizeof *scene->lights);
    scene->extras = tn_edit_copy(editor, scene->extras, scene->extra_count, sizeof *scene->extras);
    for (uint32_t i = 0; !editor->failed && i < scene->mesh_count; i++) {
        tenon_mesh *m = &scene->meshes[i];
        m->primitives =
            tn_edit_copy(editor, m->primitives, m->primitive_count, sizeof *m->primitives);
        if (!m->morph_count) continue;
        m->morph_weights =
            tn_edit_copy(editor, m->morph_weights, m->morph_count, sizeof *m->morph_weights);
        for (uint32_t k = 0; !editor->failed && k < m->primitive_count; k++) {
            tenon_primitive *p = &m->primitives[k];
            p->morphs = tn_edit_copy(editor, p->morphs, p->morph_count, sizeof *p->morphs);
        }
    }
    for (uint32_t i = 0; !editor->failed && i < scene->node_count; i++) {
        tenon_node *n = &scene->nodes[i];
        if (n->morph_weights)
            n->morph_weights = tn_edit_copy(editor, n->morph_weights, tn_morph_count(scene, i),
                                            sizeof *n->morph_weights);
    }
    for (uint32_t i = 0; !editor->failed && i < scene->skin_count; i++) {
        tenon_skin *skin = &scene->skins[i];
        skin->joints = tn_edit_copy(editor, skin->joints, skin->joint_count, sizeof *skin->joints);
    }
    for (uint32_t i = 0; !editor->failed && i < scene->animation_count; i++) {
        tenon_animation *a = &scene->animations[i];
        a->channels = tn_edit_copy(editor, a->channels, a->channel_count, sizeof *a->channels);
        a->events = tn_edit_copy(editor, a->events, a->event_count, sizeof *a->events);
    }
}

// Drop weights of nodes whose mesh has no morph targets any more.
static void edit_drop_lost_weights(tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!tn_morph_count(scene, i)) scene->nodes[i].morph_weights = NULL;
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        tenon_animation *a = &scene->animations[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < a->channel_count; k++) {
            const tenon_channel *c = &a->channels[k];
            bool is_lost = c->target == TENON_WEIGHTS && !tn_morph_count(scene, c->node);
            if (!is_lost) a->channels[kept++] = *c;
        }
        a->channel_count = kept;
    }
}

// Count the work of checking the scene.
static bool edit_count_check(const tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    uint64_t steps = scene->node_count;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            steps += (uint64_t)p->vertex_count + p->index_count;
        }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            steps += scene->animations[i].channels[k].key_count;
    return tn_budget_work(editor->arena->allocator.budget, steps);
}

bool tn_edit_scene(tn_editor *editor, tn_edit_step *const *steps, size_t step_count,
                   tenon_error *err)
{
    editor->err = err;
    editor->arena = &editor->scene->owner->arena;
    editor->pulse = (tn_pulse){.events = editor->events, .budget = editor->arena->allocator.budget};
    editor->scratch = tn_arena_make(&editor->arena->allocator, UINT64_MAX);
    edit_copy_lists(editor);
    for (size_t i = 0; i < step_count && !editor->failed; i++)
        if (tn_edit_expect(editor, tn_pulse_report(&editor->pulse, i, step_count))) {
            steps[i](editor);
            if (!editor->failed) edit_drop_lost_weights(editor->scene);
        }
    tn_pulse_end(&editor->pulse);
    tn_arena_free(&editor->scratch);
    // Values may have grown beyond the range of floats.
    return !editor->failed && tn_edit_expect(editor, edit_count_check(editor)) &&
           tenon_scene_check(editor->scene, err);
}
