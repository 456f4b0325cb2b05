// prepare.c: prepare a scene for a format: as triangles, with the streams that the format needs.
// SPDX-License-Identifier: MIT

#include "exchange/prepare.h"

#include "exchange/export_names.h"
#include "scene/model/pieces.h"
#include "scene/model/scene_finish.h"
#include "scene/surface/surface.h"

#include <string.h>

typedef struct scene_preparer {
    const tn_export *export;
    uint32_t needs;
    tn_tally points, lines, remainders, normals, zero_uvs, box_uvs, tangents;
    bool failed;
} scene_preparer;

static bool prepare_needs(const scene_preparer *preparer, uint32_t what)
{
    return (preparer->needs & what) != 0;
}

static float *prepare_allocate_floats(scene_preparer *preparer, uint32_t count, uint32_t each)
{
    float *out = tn_export_alloc(preparer->export, count, each * sizeof *out);
    preparer->failed = preparer->failed || !out;
    return out;
}

static void prepare_expect(scene_preparer *preparer, bool ok)
{
    preparer->failed = preparer->failed || !tn_export_expect(preparer->export, ok);
}

// Make a primitive a list of whole triangles. False if it has points or lines.
static bool prepare_make_triangles(scene_preparer *preparer, tenon_primitive *p, uint32_t mesh,
                                   uint32_t primitive)
{
    if (!prepare_needs(preparer, TN_NEEDS_TRIANGLES)) return true;
    if (p->mode < TENON_TRIANGLES) {
        tn_tally *dropped = p->mode == TENON_POINTS ? &preparer->points : &preparer->lines;
        tn_tally_in(dropped, tn_piece_count(p), "meshes", mesh, "primitives", primitive);
        return false;
    }
    if (p->mode == TENON_TRIANGLES) {
        uint32_t *count = p->indices ? &p->index_count : &p->vertex_count;
        tn_tally_in(&preparer->remainders, *count % 3, "meshes", mesh, "primitives", primitive);
        *count -= *count % 3;
        return true;
    }
    const tenon_primitive before = *p;
    prepare_expect(preparer, tn_list_triangles(&before, preparer->export->arena, p));
    return true;
}

// Add the streams that are missing. Equal vertices are joined before tangents are computed, so that
// they get the same tangent.
static void prepare_add_streams(scene_preparer *preparer, tenon_primitive *p, uint32_t mesh,
                                uint32_t primitive)
{
    tn_arena *arena = preparer->export->arena;
    tn_pulse *pulse = &preparer->export->state->pulse;
    if (!p->normals && !preparer->failed &&
        prepare_needs(preparer, TN_NEEDS_NORMALS | TN_NEEDS_TANGENTS)) {
        float *normals = prepare_allocate_floats(preparer, p->vertex_count, 3);
        if (!normals) return;
        prepare_expect(preparer, tn_smooth_normals(p, arena, pulse, normals));
        p->normals = normals;
        tn_tally_in(&preparer->normals, p->vertex_count, "meshes", mesh, "primitives", primitive);
    }
    if (!p->uvs[0] && !preparer->failed && prepare_needs(preparer, TN_NEEDS_UVS)) {
        bool as_box = prepare_needs(preparer, TN_NEEDS_TANGENTS) && !p->tangents;
        tn_tally *added = as_box ? &preparer->box_uvs : &preparer->zero_uvs;
        p->uvs[0] = prepare_allocate_floats(preparer, p->vertex_count, 2);
        if (p->uvs[0] && as_box) tn_box_uvs(p, p->uvs[0]);
        tn_tally_in(added, p->vertex_count, "meshes", mesh, "primitives", primitive);
    }
    if (!p->indices && !preparer->failed && prepare_needs(preparer, TN_NEEDS_INDICES)) {
        tenon_primitive with_indices;
        prepare_expect(preparer, tn_weld(p, arena, pulse, &with_indices));
        if (!preparer->failed) *p = with_indices;
    }
    if (!p->tangents && p->uvs[0] && !preparer->failed &&
        prepare_needs(preparer, TN_NEEDS_TANGENTS)) {
        float *tangents = prepare_allocate_floats(preparer, p->vertex_count, 4);
        if (!tangents) return;
        prepare_expect(preparer, tn_make_tangents(p, arena, pulse, tangents));
        p->tangents = tangents;
        tn_tally_in(&preparer->tangents, p->vertex_count, "meshes", mesh, "primitives", primitive);
    }
}

// Engines find clips by name: a clip without one gets the same name in all formats.
static bool prepare_name_clips(const tn_export *export, tenon_scene *scene)
{
    static const tenon_str word = {"animation", 9};
    tn_name_set taken = {.arena = export->arena};
    tn_tally unnamed = {0};
    for (uint32_t i = 0; i < scene->animation_count; i++)
        tn_tally_at(&unnamed, !scene->animations[i].name.size, "animations", i);
    if (!unnamed.count) return true;
    tenon_animation *all = tn_export_alloc(export, scene->animation_count, sizeof *all);
    if (!all) return false;
    memcpy(all, scene->animations, scene->animation_count * sizeof *all);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (all[i].name.size && !tn_names_reserve(&taken, all[i].name))
            return tn_names_fail(&taken, export->err);
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        if (all[i].name.size) continue;
        const char *name = tn_names_take(&taken, word, "");
        if (!name) return tn_names_fail(&taken, export->err);
        all[i].name = (tenon_str){name, (uint32_t)strlen(name)};
    }
    scene->animations = all;
    tn_export_report(export, TENON_SYNTHESIZED, "names of clips", unnamed.count, unnamed.path,
                     "clips without one are called animation, animation_2 and so on");
    return true;
}

static void prepare_report(const tn_export *export, tenon_loss_kind kind, const char *feature,
                           const tn_tally *tally, const char *why)
{
    tn_export_report(export, kind, feature, tally->count, tally->path, why);
}

const tenon_scene *tn_prepare(const tn_export *export, uint32_t what)
{
    scene_preparer preparer = {.export = export, .needs = what};
    const tenon_scene *from = export->scene;
    tenon_scene *out = tn_export_alloc(export, 1, sizeof *out);
    tenon_mesh *meshes = tn_export_alloc(export, from->mesh_count, sizeof *meshes);
    if (!out || !meshes) return NULL;
    *out = *from;
    out->meshes = meshes;
    for (uint32_t i = 0; i < from->mesh_count; i++) {
        tenon_mesh *mesh = &meshes[i];
        *mesh = from->meshes[i];
        mesh->primitives = tn_export_alloc(export, mesh->primitive_count, sizeof *mesh->primitives);
        if (!mesh->primitives) return NULL;
        mesh->primitive_count = 0;
        for (uint32_t k = 0; k < from->meshes[i].primitive_count && !preparer.failed; k++) {
            tenon_primitive *p = &mesh->primitives[mesh->primitive_count];
            *p = from->meshes[i].primitives[k];
            if (!prepare_make_triangles(&preparer, p, i, k)) continue;
            prepare_add_streams(&preparer, p, i, k);
            mesh->primitive_count++;
        }
        if (preparer.failed || !tn_export_step(export, i + 1, 0)) return NULL;
    }
    if (!prepare_name_clips(export, out)) return NULL;
    prepare_report(export, TENON_DROPPED, "points", &preparer.points,
                   "the format has triangles only");
    prepare_report(export, TENON_DROPPED, "lines", &preparer.lines,
                   "the format has triangles only");
    prepare_report(export, TENON_DROPPED, "vertices", &preparer.remainders,
                   "they make no whole triangle");
    prepare_report(export, TENON_SYNTHESIZED, "normals", &preparer.normals,
                   "the format needs them: computed from the faces around each vertex");
    prepare_report(export, TENON_DEFAULTED, "texture coordinates", &preparer.zero_uvs,
                   "the format needs them: they are 0");
    prepare_report(export, TENON_SYNTHESIZED, "texture coordinates", &preparer.box_uvs,
                   "the format needs them: projected from the box around the mesh");
    prepare_report(export, TENON_SYNTHESIZED, "tangents", &preparer.tangents,
                   "the format needs them: computed from normals and texture coordinates");
    return out;
}
