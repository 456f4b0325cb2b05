// api_edit.c: public functions that edit a scene.
// SPDX-License-Identifier: MIT

#include "core/memory/budget.h"
#include "scene/edit/editor.h"
#include "scene/model/kept.h"
#include "scene/model/scene_build.h"

// A call: its steps, in their order, with an editor that has the options. No steps: nothing to do.
static bool api_edit(tn_editor editor, tn_edit_step *const *steps, size_t step_count,
                     tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!editor.scene) return tn_error(err, TENON_ERR_VALUE, "there is no scene");
    if (!step_count) return true;
    tenon_budget *budget = editor.scene->owner->arena.allocator.budget;
    return tn_budget_settle(budget, tn_edit_scene(&editor, steps, step_count, err), err);
}

// What is no longer kept of the file when TENON_DROP_… bits are dropped.
static uint32_t api_edit_dropped(uint32_t drop)
{
    enum { OF_SHAPES = TENON_DROP_SKINS | TENON_DROP_CAMERAS | TENON_DROP_LIGHTS };
    const uint32_t of_streams = TENON_DROP_NORMALS | TENON_DROP_TANGENTS | TENON_DROP_UVS |
                                TENON_DROP_MORE_UVS | TENON_DROP_COLORS;
    uint32_t edited = drop & (OF_SHAPES | of_streams) ? TN_EDITED_SHAPES : 0;
    if (drop & (TENON_DROP_ANIMATIONS | TENON_DROP_SKINS)) edited |= TN_EDITED_CLIPS;
    if (drop & TENON_DROP_MATERIALS) edited |= TN_EDITED_MATERIALS | TN_EDITED_TEXTURES;
    if (drop & TENON_DROP_TEXTURES) edited |= TN_EDITED_TEXTURES;
    return edited;
}

bool tenon_edit_space(tenon_scene *scene, const tenon_edit_space_opts *opts, tenon_error *err)
{
    static const tenon_edit_space_opts no_opts;
    static tn_edit_step *const steps[] = {tn_edit_space};
    if (!opts) opts = &no_opts;
    bool is_wanted = opts->scale != 0 || opts->turns != 0 || opts->mirror;
    if (scene && is_wanted) scene->edited |= TN_EDITED_SHAPES;
    return api_edit((tn_editor){.scene = scene, .events = &opts->events, .space = opts}, steps,
                    is_wanted ? 1 : 0, err);
}

bool tenon_edit_keep(tenon_scene *scene, const tenon_edit_keep_opts *opts, tenon_error *err)
{
    static const tenon_edit_keep_opts no_opts;
    static tn_edit_step *const steps[] = {tn_edit_keep_objects, tn_edit_drop};
    if (!opts) opts = &no_opts;
    bool is_wanted = opts->node_count || opts->clip_count || opts->drop || opts->lod;
    if (scene && (opts->node_count || opts->lod)) scene->edited |= TN_EDITED_SHAPES;
    if (scene && opts->clip_count) scene->edited |= TN_EDITED_CLIPS;
    if (scene) scene->edited |= api_edit_dropped(opts->drop);
    return api_edit((tn_editor){.scene = scene, .events = &opts->events, .keep = opts}, steps,
                    is_wanted ? 2 : 0, err);
}

bool tenon_edit_meshes(tenon_scene *scene, const tenon_edit_mesh_opts *opts, tenon_error *err)
{
    static const tenon_edit_mesh_opts no_opts;
    static tn_edit_step *const steps[] = {tn_edit_weights, tn_edit_streams, tn_edit_influences,
                                          tn_edit_bake,    tn_edit_join,    tn_edit_shapes};
    if (!opts) opts = &no_opts;
    bool is_wanted = opts->flip_normals || opts->flip_u || opts->flip_v || opts->reverse_winding ||
                     opts->normals || opts->tangents || opts->max_influences ||
                     opts->pre_transform || opts->join || opts->shape_count || opts->weight_count;
    if (scene && is_wanted) scene->edited |= TN_EDITED_SHAPES;
    return api_edit((tn_editor){.scene = scene, .events = &opts->events, .meshes = opts}, steps,
                    is_wanted ? 6 : 0, err);
}

bool tenon_edit_clips(tenon_scene *scene, const tenon_edit_clip_opts *opts, tenon_error *err)
{
    static const tenon_edit_clip_opts no_opts;
    static tn_edit_step *const steps[] = {tn_edit_start_clips, tn_edit_markers};
    if (!opts) opts = &no_opts;
    bool is_wanted =
        opts->start_at_first_key || opts->new_event_count || opts->loop_count || opts->hold_count;
    if (scene && opts->start_at_first_key) scene->edited |= TN_EDITED_CLIPS;
    return api_edit((tn_editor){.scene = scene, .events = &opts->events, .clips = opts}, steps,
                    is_wanted ? 2 : 0, err);
}

bool tenon_edit_add_clips(tenon_scene *scene, const tenon_scene *from, const tenon_events *events,
                          tenon_error *err)
{
    static const tenon_events no_events;
    static tn_edit_step *const steps[] = {tn_edit_add_clips};
    if (!events) events = &no_events;
    return api_edit((tn_editor){.scene = scene, .events = events, .clips_from = from}, steps,
                    from ? 1 : 0, err);
}
