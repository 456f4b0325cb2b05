// edit.c: changing a scene: the order of the steps, and what they share.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"

#include "scene/model/scene_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Memory, failing, losing

void tn_edit_fail(tn_editor *r, tenon_code code, const char *fmt, ...)
{
    if (r->failed) return;
    r->failed = true;
    char message[sizeof r->err->message];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    (void)tn_error(r->err, code, "%s", message);
}

bool tn_edit_expect(tn_editor *r, bool ok)
{
    if (!ok && r->pulse.stopped) tn_edit_fail(r, TENON_ERR_CANCELLED, "cancelled");
    if (!ok) tn_edit_fail(r, TENON_ERR_MEMORY, "out of memory");
    return !r->failed;
}

static void *allocate(tn_editor *r, tn_arena *arena, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory = r->failed ? NULL : tn_arena_alloc(arena, count, size, &why);
    if (!memory && why == TN_OVER_LIMIT)
        tn_edit_fail(r, TENON_ERR_LIMIT, "the scene would need more than %llu bytes",
                     (unsigned long long)arena->limit);
    (void)tn_edit_expect(r, memory != NULL);
    return memory;
}

void *tn_edit_array(tn_editor *r, uint64_t count, size_t size)
{
    return allocate(r, r->arena, count, size);
}

void *tn_edit_room(tn_editor *r, uint64_t count, size_t size)
{
    return allocate(r, &r->work, count, size);
}

tenon_str tn_edit_text(tn_editor *r, tenon_str text)
{
    char *copy = tn_edit_array(r, (uint64_t)text.size + 1, 1);
    if (!copy) return (tenon_str){"", 0};
    memcpy(copy, text.data, text.size);
    return (tenon_str){copy, text.size};
}

void tn_edit_report(const tn_editor *r, tenon_loss_kind kind, const char *feature, uint64_t count,
                    const char *path, const char *why)
{
    tenon_loss loss = {.kind = kind, .feature = feature, .why = why, .count = count, .path = path};
    if (r->opts->lost && count) r->opts->lost(r->opts->user, &loss);
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

float *tn_changed_copy(tn_editor *r, tn_change_stream_fn *fn, const void *context,
                       const float *values, uint64_t count, uint32_t each)
{
    float *copy = tn_edit_array(r, count, each * sizeof *copy);
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
    larger.entries = tn_edit_room(c->r, larger.room, sizeof *larger.entries);
    if (!larger.entries) return false;
    for (uint64_t i = 0; i < c->room; i++)
        if (c->entries[i].from)
            *find_change(&larger, c->entries[i].from, c->entries[i].count) = c->entries[i];
    *c = larger;
    return true;
}

void tn_change_stream(tn_stream_changes *c, float **values, uint64_t count, uint32_t each)
{
    if (!*values || c->r->failed || !grow_changes(c)) return;
    struct tn_changed_stream *entry = find_change(c, *values, count * each);
    if (!entry->from) {
        float *copy = tn_changed_copy(c->r, c->fn, c->context, *values, count, each);
        if (!copy) return;
        *entry = (struct tn_changed_stream){*values, count * each, copy};
        c->count++;
    }
    *values = entry->to;
}

// -- Owning

static void *own(tn_editor *r, const void *items, uint64_t count, size_t size)
{
    void *copy = tn_edit_array(r, count, size);
    if (copy && count) memcpy(copy, items, (size_t)count * size);
    return copy;
}

// The lists of a scene may be shared, too: from here on they are not.
static void own_lists(tn_editor *r)
{
    tenon_scene *s = r->scene;
    s->nodes = own(r, s->nodes, s->node_count, sizeof *s->nodes);
    r->node_room = s->node_count;
    s->meshes = own(r, s->meshes, s->mesh_count, sizeof *s->meshes);
    s->skins = own(r, s->skins, s->skin_count, sizeof *s->skins);
    s->materials = own(r, s->materials, s->material_count, sizeof *s->materials);
    s->images = own(r, s->images, s->image_count, sizeof *s->images);
    s->animations = own(r, s->animations, s->animation_count, sizeof *s->animations);
    s->cameras = own(r, s->cameras, s->camera_count, sizeof *s->cameras);
    s->lights = own(r, s->lights, s->light_count, sizeof *s->lights);
    s->extras = own(r, s->extras, s->extra_count, sizeof *s->extras);
    for (uint32_t i = 0; !r->failed && i < s->mesh_count; i++) {
        tenon_mesh *m = &s->meshes[i];
        m->primitives = own(r, m->primitives, m->primitive_count, sizeof *m->primitives);
    }
    for (uint32_t i = 0; !r->failed && i < s->skin_count; i++) {
        tenon_skin *skin = &s->skins[i];
        skin->joints = own(r, skin->joints, skin->joint_count, sizeof *skin->joints);
    }
    for (uint32_t i = 0; !r->failed && i < s->animation_count; i++) {
        tenon_animation *a = &s->animations[i];
        a->channels = own(r, a->channels, a->channel_count, sizeof *a->channels);
        a->events = own(r, a->events, a->event_count, sizeof *a->events);
    }
}

// -- The order

static void understand_source(tn_editor *r)
{
    const tenon_reshape_opts *o = r->opts;
    int turns = o->source_z_has_turned ? 1 : -1;
    tn_edit_space(r, o->source_scale, o->source_is_z_up ? turns : 0, o->source_is_mirrored);
}

static void lay_result(tn_editor *r)
{
    const tenon_reshape_opts *o = r->opts;
    // What is mirrored in Z afterwards has to look the other way before.
    int turns = o->mirror != o->z_will_turn ? -1 : 1;
    tn_edit_space(r, o->scale, o->to_z_up ? turns : 0, o->mirror);
}

// Clips from elsewhere come before all but the start of the scene's own, so that what is said of
// the source is said of them, too, and all that follows finds them among the others.
static void (*const steps[])(tn_editor *) = {
    tn_edit_start_clips, tn_edit_add_clips, understand_source,  tn_edit_keep,
    tn_edit_drop,        tn_edit_meshes,    tn_edit_influences, tn_edit_bake,
    tn_edit_join,        tn_edit_marks,     lay_result,
};

#define STEP_COUNT (sizeof steps / sizeof steps[0])

static void run_steps(tn_editor *r)
{
    for (size_t i = 0; i < STEP_COUNT && !r->failed; i++)
        if (tn_edit_expect(r, tn_pulse_report(&r->pulse, i, STEP_COUNT))) steps[i](r);
}

bool tn_edit_scene(tenon_scene *scene, const tenon_reshape_opts *opts, tenon_error *err)
{
    tn_arena *arena = &scene->owner->arena;
    tn_editor r = {.scene = scene, .opts = opts, .arena = arena, .err = err};
    r.pulse = (tn_pulse){.progress = &opts->progress, .budget = arena->allocator.budget};
    r.work = tn_arena_make(&arena->allocator, UINT64_MAX);
    own_lists(&r);
    run_steps(&r);
    tn_pulse_end(&r.pulse);
    tn_arena_free(&r.work);
    // Numbers may have grown beyond what floats can hold.
    return !r.failed && tenon_scene_check(scene, err);
}
