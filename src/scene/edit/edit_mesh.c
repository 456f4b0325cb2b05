// edit_mesh.c: flip, reverse or compute normals, tangents, texture coordinates and windings.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"
#include "scene/model/pieces.h"
#include "scene/model/scene_finish.h"
#include "scene/surface/surface.h"

// -- Morph targets

// Set the weights at rest of the morph targets of one name. Returns whether there is one.
static bool edit_mesh_set_weight(tenon_scene *scene, const tenon_new_weight *set)
{
    bool is_known = false;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].morph_count; k++) {
            if (!tn_is_called(scene->meshes[i].morph_names[k], set->morph)) continue;
            scene->meshes[i].morph_weights[k] = set->weight;
            is_known = true;
        }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        for (uint32_t k = 0; node->morph_weights && k < scene->meshes[node->mesh].morph_count; k++)
            if (tn_is_called(scene->meshes[node->mesh].morph_names[k], set->morph))
                node->morph_weights[k] = set->weight;
    }
    return is_known;
}

void tn_edit_weights(tn_editor *editor)
{
    for (uint32_t i = 0; i < editor->meshes->weight_count && !editor->failed; i++) {
        const tenon_new_weight *set = &editor->meshes->weights[i];
        if (!(set->weight - set->weight == 0))
            tn_edit_fail(editor, TENON_ERR_VALUE, "a weight has to be a finite number");
        else if (!set->morph || !edit_mesh_set_weight(editor->scene, set))
            tn_edit_fail(editor, TENON_ERR_VALUE, "no morph target is called '%s'",
                         set->morph ? set->morph : "");
    }
}

// -- Flips

// `context` says which components change their signs.
static void edit_mesh_negate(const void *context, float *values, uint64_t count, uint32_t each)
{
    const bool *is_negated = context;
    for (uint64_t i = 0; i < count; i++, values += each)
        for (uint32_t k = 0; k < each; k++)
            if (is_negated[k]) values[k] = 0 - values[k];
}

// `context` says which components become 1 - value.
static void edit_mesh_flip(const void *context, float *values, uint64_t count, uint32_t each)
{
    const bool *is_flipped = context;
    for (uint64_t i = 0; i < count; i++, values += each)
        for (uint32_t k = 0; k < each; k++)
            if (is_flipped[k]) values[k] = 1 - values[k];
}

// Tangents follow the texture: they point along u, and the bitangent, cross(normal, tangent) * w,
// points to lower v.
static void edit_mesh_flip_streams(tn_editor *editor)
{
    const tenon_edit_mesh_opts *opts = editor->meshes;
    const bool all[3] = {true, true, true}, axes[2] = {opts->flip_u, opts->flip_v};
    bool flips_bitangent = (opts->flip_normals + opts->flip_u + opts->flip_v) % 2 != 0;
    const bool tangent[4] = {opts->flip_u, opts->flip_u, opts->flip_u, flips_bitangent};
    tn_stream_changes normals = {.editor = editor, .fn = edit_mesh_negate, .context = all};
    tn_stream_changes tangents = {.editor = editor, .fn = edit_mesh_negate, .context = tangent};
    tn_stream_changes uvs = {.editor = editor, .fn = edit_mesh_flip, .context = axes};
    for (uint32_t i = 0; i < editor->scene->mesh_count; i++)
        for (uint32_t k = 0; k < editor->scene->meshes[i].primitive_count; k++) {
            tenon_primitive *p = &editor->scene->meshes[i].primitives[k];
            if (opts->flip_normals) tn_change_stream(&normals, &p->normals, p->vertex_count, 3);
            tn_change_stream(&tangents, &p->tangents, p->vertex_count, 4);
            for (uint32_t m = 0; m < p->morph_count; m++) {
                tenon_morph *morph = &p->morphs[m];
                if (opts->flip_normals)
                    tn_change_stream(&normals, &morph->normals, p->vertex_count, 3);
                if (opts->flip_u) tn_change_stream(&normals, &morph->tangents, p->vertex_count, 3);
            }
            for (int set = 0; set < TENON_UV_SETS && (opts->flip_u || opts->flip_v); set++)
                tn_change_stream(&uvs, &p->uvs[set], p->vertex_count, 2);
        }
}

void tn_edit_windings(tn_editor *editor)
{
    for (uint32_t i = 0; i < editor->scene->mesh_count; i++)
        for (uint32_t k = 0; k < editor->scene->meshes[i].primitive_count && !editor->failed; k++) {
            tenon_primitive *p = &editor->scene->meshes[i].primitives[k], before = *p;
            (void)tn_edit_expect(editor, tn_reverse_winding(&before, editor->arena, p));
        }
}

// -- Normals and tangents

static void edit_mesh_compute_smooth_normals(tn_editor *editor, tenon_primitive *p)
{
    float *normals = tn_edit_array(editor, p->vertex_count, 3 * sizeof *normals);
    if (!normals ||
        !tn_edit_expect(editor, tn_smooth_normals(p, &editor->scratch, &editor->pulse, normals)))
        return;
    p->normals = normals;
}

// Offsets of normals and tangents do not fit recomputed ones. Returns how many there were.
static uint32_t edit_mesh_drop_offsets(tenon_primitive *p, bool of_normals)
{
    uint32_t dropped = 0;
    for (uint32_t k = 0; k < p->morph_count; k++) {
        tenon_morph *morph = &p->morphs[k];
        dropped += (of_normals && morph->normals) || morph->tangents;
        if (of_normals) morph->normals = NULL;
        morph->tangents = NULL;
    }
    return dropped;
}

// Give every face separate vertices. If there were indices, join the ones that are still equal.
static void edit_mesh_compute_flat_normals(tn_editor *editor, tenon_primitive *p)
{
    tenon_primitive apart;
    bool had_indices = p->indices != NULL;
    p->tangents = NULL;  // Different tangents would prevent joining.
    if (!tn_edit_expect(editor,
                        tn_unshare(p, had_indices ? &editor->scratch : editor->arena, &apart)))
        return;
    size_t size = 3 * sizeof *p->normals;
    float *normals = had_indices ? tn_edit_scratch(editor, apart.vertex_count, size)
                                 : tn_edit_array(editor, apart.vertex_count, size);
    if (!normals) return;
    tn_flat_normals(&apart, normals);
    apart.normals = normals;
    if (had_indices)
        (void)tn_edit_expect(editor, tn_weld(&apart, editor->arena, &editor->pulse, p));
    else
        *p = apart;
}

static bool edit_mesh_is_wanted(tenon_make make, const float *stream)
{
    return make == TENON_MAKE_MISSING ? !stream : make != TENON_MAKE_AS_NEEDED;
}

void tn_edit_streams(tn_editor *editor)
{
    const tenon_edit_mesh_opts *opts = editor->meshes;
    tenon_scene *scene = editor->scene;
    tn_tally added_normals = {0}, arbitrary_tangents = {0}, offsets = {0};
    if (opts->flip_normals || opts->flip_u || opts->flip_v) edit_mesh_flip_streams(editor);
    if (opts->reverse_winding) tn_edit_windings(editor);
    if (!opts->normals && !opts->tangents) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !editor->failed; k++) {
            tenon_primitive *p = &scene->meshes[i].primitives[k];
            if (tn_piece_size(p->mode) != 3) continue;
            bool had_tangents = p->tangents != NULL;
            bool wants_normals = edit_mesh_is_wanted(opts->normals, p->normals);
            // New normals make old tangents wrong.
            bool needs_tangents =
                edit_mesh_is_wanted(opts->tangents, p->tangents) || (had_tangents && wants_normals);
            if (wants_normals || needs_tangents)
                tn_tally_in(&offsets, edit_mesh_drop_offsets(p, wants_normals), "meshes", i,
                            "primitives", k);
            if (wants_normals && opts->normals == TENON_MAKE_FLAT)
                edit_mesh_compute_flat_normals(editor, p);
            else if (wants_normals)
                edit_mesh_compute_smooth_normals(editor, p);
            if (!needs_tangents || editor->failed) continue;
            if (!p->normals) {
                edit_mesh_compute_smooth_normals(editor, p);
                tn_tally_in(&added_normals, p->vertex_count, "meshes", i, "primitives", k);
            }
            if (!p->uvs[0])
                tn_tally_in(&arbitrary_tangents, p->vertex_count, "meshes", i, "primitives", k);
            float *tangents = tn_edit_array(editor, p->vertex_count, 4 * sizeof *tangents);
            if (tangents && tn_edit_expect(editor, tn_make_tangents(p, &editor->scratch,
                                                                    &editor->pulse, tangents)))
                p->tangents = tangents;
        }
    tn_edit_report(editor, TENON_DROPPED, "normals and tangents of morph targets", offsets.count,
                   offsets.path, "those of the mesh are computed");
    tn_edit_report(editor, TENON_SYNTHESIZED, "normals", added_normals.count, added_normals.path,
                   "tangents need them");
    tn_edit_report(editor, TENON_SYNTHESIZED, "tangents", arbitrary_tangents.count,
                   arbitrary_tangents.path,
                   "without texture coordinates their direction is arbitrary");
}
