// edit_markers.c: add collision shapes, events, loops and holds, which only some formats have.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"

#include <string.h>

// -- Shapes

void tn_edit_shapes(tn_editor *editor)
{
    if (!editor->meshes->shape_count) return;
    const tenon_scene *scene = editor->scene;
    const char **values = tn_edit_scratch(editor, scene->mesh_count, sizeof *values);
    for (uint32_t k = 0; k < editor->meshes->shape_count && !editor->failed; k++) {
        const tenon_new_shape *shape = &editor->meshes->shapes[k];
        bool is_known = !shape->mesh;
        for (uint32_t i = 0; i < scene->mesh_count; i++) {
            if (shape->mesh && !tn_is_called(scene->meshes[i].name, shape->mesh)) continue;
            values[i] = shape->shape;
            is_known = true;
        }
        if (!is_known) tn_edit_fail(editor, TENON_ERR_VALUE, "no mesh is called '%s'", shape->mesh);
    }
    if (!editor->failed)
        tn_set_extras(editor, TENON_EXTRA_OF_MESH, "collision_shape", values, scene->mesh_count);
}

// -- Events

static void edit_markers_add_event(tn_editor *editor, const tenon_new_event *e)
{
    bool is_known = false;
    for (uint32_t i = 0; i < editor->scene->animation_count && !editor->failed; i++) {
        tenon_animation *a = &editor->scene->animations[i];
        if (!tn_is_called(a->name, e->clip)) continue;
        is_known = true;
        // The time of the last frame may be rounded to slightly after the end.
        double time = e->seconds > a->duration ? a->duration : e->seconds;
        if (!(e->seconds >= 0 && e->seconds <= a->duration * (1 + 1e-6))) {
            tn_edit_fail(editor, TENON_ERR_VALUE, "the event '%s' is not within the clip '%s'",
                         e->name, e->clip);
            return;
        }
        tenon_str name = tn_edit_text(editor, (tenon_str){e->name, (uint32_t)strlen(e->name)});
        tenon_event *events = tn_edit_array(editor, (uint64_t)a->event_count + 1, sizeof *events);
        if (!events) return;
        // Before the first event that is later.
        uint32_t at = a->event_count;
        while (at > 0 && a->events[at - 1].time > time) at--;
        if (at) memcpy(events, a->events, at * sizeof *events);
        events[at] = (tenon_event){time, name};
        if (at < a->event_count)
            memcpy(events + at + 1, a->events + at, (a->event_count - at) * sizeof *events);
        a->events = events;
        a->event_count++;
    }
    if (!is_known) tn_edit_fail(editor, TENON_ERR_VALUE, "no clip is called '%s'", e->clip);
}

// -- Flags of clips

static void edit_markers_add_flags(tn_editor *editor, const char *const *clips, uint32_t count,
                                   const char *flag)
{
    const tenon_scene *scene = editor->scene;
    const char **values = tn_edit_scratch(editor, scene->animation_count, sizeof *values);
    for (uint32_t k = 0; k < count && !editor->failed; k++) {
        bool is_all = strcmp(clips[k], "*") == 0, is_known = is_all;
        for (uint32_t i = 0; i < scene->animation_count; i++) {
            if (!is_all && !tn_is_called(scene->animations[i].name, clips[k])) continue;
            values[i] = "true";
            is_known = true;
        }
        if (!is_known) tn_edit_fail(editor, TENON_ERR_VALUE, "no clip is called '%s'", clips[k]);
    }
    if (!editor->failed)
        tn_set_extras(editor, TENON_EXTRA_OF_ANIMATION, flag, values, scene->animation_count);
}

void tn_edit_markers(tn_editor *editor)
{
    const tenon_edit_clip_opts *opts = editor->clips;
    for (uint32_t i = 0; i < opts->new_event_count && !editor->failed; i++)
        edit_markers_add_event(editor, &opts->new_events[i]);
    if (opts->loop_count) edit_markers_add_flags(editor, opts->loops, opts->loop_count, "loop");
    if (opts->hold_count) edit_markers_add_flags(editor, opts->holds, opts->hold_count, "hold");
}
