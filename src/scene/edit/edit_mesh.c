// edit_mesh.c: directions, texture coordinates and windings of meshes.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface.h"

#include <stdio.h>

// -- Flips

// Which of the numbers of a vector change their signs.
static void negate(const void *context, float *values, uint64_t count, uint32_t each)
{
    const bool *is_negated = context;
    for (uint64_t i = 0; i < count; i++, values += each)
        for (uint32_t k = 0; k < each; k++)
            if (is_negated[k]) values[k] = 0 - values[k];
}

// Which of the numbers of a vector go the other way between 0 and 1.
static void flip(const void *context, float *values, uint64_t count, uint32_t each)
{
    const bool *is_flipped = context;
    for (uint64_t i = 0; i < count; i++, values += each)
        for (uint32_t k = 0; k < each; k++)
            if (is_flipped[k]) values[k] = 1 - values[k];
}

// Tangents stay true to the pictures: along u, and the bitangent, cross(normal, tangent) * w, up
// where v gets less.
static void flip_streams(tn_editor *editor)
{
    const tenon_reshape_opts *opts = editor->opts;
    const bool all[3] = {true, true, true}, axes[2] = {opts->flip_u, opts->flip_v};
    bool turns = (opts->flip_normals + opts->flip_u + opts->flip_v) % 2 != 0;
    const bool tangent[4] = {opts->flip_u, opts->flip_u, opts->flip_u, turns};
    tn_stream_changes normals = {.editor = editor, .fn = negate, .context = all};
    tn_stream_changes tangents = {.editor = editor, .fn = negate, .context = tangent};
    tn_stream_changes uvs = {.editor = editor, .fn = flip, .context = axes};
    for (uint32_t i = 0; i < editor->scene->mesh_count; i++)
        for (uint32_t k = 0; k < editor->scene->meshes[i].primitive_count; k++) {
            tenon_primitive *p = &editor->scene->meshes[i].primitives[k];
            if (opts->flip_normals) tn_change_stream(&normals, &p->normals, p->vertex_count, 3);
            tn_change_stream(&tangents, &p->tangents, p->vertex_count, 4);
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

// What came unasked.
typedef struct made {
    uint64_t normals, tangents;
    char normals_path[64], tangents_path[64];
} made;

static void note(uint64_t *count, char path[64], uint64_t more, uint32_t mesh, uint32_t primitive)
{
    if (*count == 0)
        (void)snprintf(path, 64, "meshes[%u].primitives[%u]", (unsigned)mesh, (unsigned)primitive);
    *count += more;
}

static void smooth(tn_editor *editor, tenon_primitive *p)
{
    float *normals = tn_edit_array(editor, p->vertex_count, 3 * sizeof *normals);
    if (!normals ||
        !tn_edit_expect(editor, tn_smooth_normals(p, &editor->scratch, &editor->pulse, normals)))
        return;
    p->normals = normals;
}

// Every face gets vertices of its own; those that are equal all the same become one again, where
// there were indices.
static void flatten(tn_editor *editor, tenon_primitive *p)
{
    tenon_primitive apart;
    bool had_indices = p->indices != NULL;
    p->tangents = NULL;  // Old ones would keep equal vertices apart.
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

static void make_tangents(tn_editor *editor, tenon_primitive *p)
{
    float *tangents = tn_edit_array(editor, p->vertex_count, 4 * sizeof *tangents);
    if (!tangents ||
        !tn_edit_expect(editor, tn_make_tangents(p, &editor->scratch, &editor->pulse, tangents)))
        return;
    p->tangents = tangents;
}

// Whether something is to be made.
static bool wants(tenon_make make, const float *stream)
{
    return make == TENON_MAKE_MISSING ? !stream : make != TENON_MAKE_AS_NEEDED;
}

static void make_directions(tn_editor *editor, uint32_t mesh, uint32_t primitive, made *m)
{
    tenon_primitive *p = &editor->scene->meshes[mesh].primitives[primitive];
    if (tn_piece_size(p->mode) != 3) return;
    bool had_tangents = p->tangents != NULL, is_new = wants(editor->opts->normals, p->normals);
    bool needs_tangents = wants(editor->opts->tangents, p->tangents) || (had_tangents && is_new);
    if (is_new && editor->opts->normals == TENON_MAKE_FLAT)
        flatten(editor, p);
    else if (is_new)
        smooth(editor, p);
    if (!needs_tangents || editor->failed) return;
    if (!p->normals) {
        smooth(editor, p);
        note(&m->normals, m->normals_path, p->vertex_count, mesh, primitive);
    }
    if (!p->uvs[0]) note(&m->tangents, m->tangents_path, p->vertex_count, mesh, primitive);
    if (!editor->failed) make_tangents(editor, p);
}

void tn_edit_meshes(tn_editor *editor)
{
    const tenon_reshape_opts *opts = editor->opts;
    made m = {0};
    if (opts->flip_normals || opts->flip_u || opts->flip_v) flip_streams(editor);
    if (opts->reverse_winding) tn_edit_windings(editor);
    if (!opts->normals && !opts->tangents) return;
    for (uint32_t i = 0; i < editor->scene->mesh_count; i++)
        for (uint32_t k = 0; k < editor->scene->meshes[i].primitive_count && !editor->failed; k++)
            make_directions(editor, i, k, &m);
    tn_edit_report(editor, TENON_MADE_UP, "normals", m.normals, m.normals_path,
                   "tangents need them");
    tn_edit_report(editor, TENON_MADE_UP, "tangents", m.tangents, m.tangents_path,
                   "without texture coordinates they have no direction of their own");
}
