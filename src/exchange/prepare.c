// prepare.c: a scene made ready for a format: only what the format can hold in the way it holds it.
// SPDX-License-Identifier: MIT

#include "exchange/prepare.h"

#include "exchange/export_names.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface.h"

#include <stdio.h>
#include <string.h>

// What was made up or left out: how often, and where first.
typedef struct made {
    uint64_t count;
    char path[64];
} made;

typedef struct preparer {
    const tn_export *e;
    uint32_t needs;
    uint32_t mesh, primitive;  // Where it is.
    made points, lines, tails, normals, zero_uvs, box_uvs, tangents;
    bool failed;
} preparer;

static void note(const preparer *r, made *m, uint64_t count)
{
    if (m->count == 0 && count > 0)
        (void)snprintf(m->path, sizeof m->path, "meshes[%u].primitives[%u]", (unsigned)r->mesh,
                       (unsigned)r->primitive);
    m->count += count;
}

static bool needs(const preparer *r, uint32_t what)
{
    return (r->needs & what) != 0;
}

static float *floats(preparer *r, uint32_t count, uint32_t each)
{
    float *out = tn_export_alloc(r->e, count, each * sizeof *out);
    r->failed = r->failed || !out;
    return out;
}

static void expect(preparer *r, bool ok)
{
    r->failed = r->failed || !tn_export_expect(r->e, ok);
}

// -- Triangles

// What is left of a list that ends early is not seen by anyone.
static void cut_list(preparer *r, tenon_primitive *p)
{
    uint32_t *count = p->indices ? &p->index_count : &p->vertex_count;
    note(r, &r->tails, *count % 3);
    *count -= *count % 3;
}

// False if the primitive has no triangles to be kept.
static bool make_triangles(preparer *r, tenon_primitive *p)
{
    if (!needs(r, TN_NEEDS_TRIANGLES)) return true;
    if (p->mode < TENON_TRIANGLES) {
        note(r, p->mode == TENON_POINTS ? &r->points : &r->lines, tn_piece_count(p));
        return false;
    }
    const tenon_primitive before = *p;
    if (p->mode == TENON_TRIANGLES)
        cut_list(r, p);
    else
        expect(r, tn_list_triangles(&before, r->e->arena, p));
    return true;
}

// -- Streams

static void make_normals(preparer *r, tenon_primitive *p)
{
    if (p->normals || r->failed || !needs(r, TN_NEEDS_NORMALS | TN_NEEDS_TANGENTS)) return;
    float *normals = floats(r, p->vertex_count, 3);
    if (!normals) return;
    expect(r, tn_smooth_normals(p, r->e->arena, &r->e->state->pulse, normals));
    p->normals = normals;
    note(r, &r->normals, p->vertex_count);
}

static void make_uvs(preparer *r, tenon_primitive *p)
{
    if (p->uvs[0] || r->failed || !needs(r, TN_NEEDS_UVS)) return;
    bool as_box = needs(r, TN_NEEDS_TANGENTS) && !p->tangents;
    p->uvs[0] = floats(r, p->vertex_count, 2);
    if (p->uvs[0] && as_box) tn_box_uvs(p, p->uvs[0]);
    note(r, as_box ? &r->box_uvs : &r->zero_uvs, p->vertex_count);
}

static void make_indices(preparer *r, tenon_primitive *p)
{
    tenon_primitive with_indices;
    if (p->indices || r->failed || !needs(r, TN_NEEDS_INDICES)) return;
    expect(r, tn_weld(p, r->e->arena, &r->e->state->pulse, &with_indices));
    if (!r->failed) *p = with_indices;
}

static void make_tangents(preparer *r, tenon_primitive *p)
{
    if (p->tangents || !p->uvs[0] || r->failed || !needs(r, TN_NEEDS_TANGENTS)) return;
    float *tangents = floats(r, p->vertex_count, 4);
    if (!tangents) return;
    expect(r, tn_make_tangents(p, r->e->arena, &r->e->state->pulse, tangents));
    p->tangents = tangents;
    note(r, &r->tangents, p->vertex_count);
}

// -- Everything

// Equal vertices become one before tangents are made, so that those are made once for them.
static void prepare_mesh(preparer *r, const tenon_mesh *from, tenon_mesh *to)
{
    uint32_t kept = 0;
    to->primitives = tn_export_alloc(r->e, from->primitive_count, sizeof *to->primitives);
    r->failed = r->failed || !to->primitives;
    for (r->primitive = 0; !r->failed && r->primitive < from->primitive_count; r->primitive++) {
        tenon_primitive *p = &to->primitives[kept];
        *p = from->primitives[r->primitive];
        if (!make_triangles(r, p)) continue;
        make_normals(r, p);
        make_uvs(r, p);
        make_indices(r, p);
        make_tangents(r, p);
        kept++;
    }
    to->primitive_count = kept;
}

// Clips are found by their names in engines, so that one without a name has the same in all of
// them.
static bool name_clips(const tn_export *e, tenon_scene *out)
{
    static const tenon_str word = {"animation", 9};
    tn_name_set taken = {.arena = e->arena};
    uint64_t made_up = 0;
    char path[64];
    for (uint32_t i = out->animation_count; i-- > 0;) {
        if (out->animations[i].name.size) continue;
        (void)snprintf(path, sizeof path, "animations[%u]", (unsigned)i);
        made_up++;
    }
    if (!made_up) return true;
    tenon_animation *all = tn_export_alloc(e, out->animation_count, sizeof *all);
    if (!all) return false;
    memcpy(all, out->animations, out->animation_count * sizeof *all);
    for (uint32_t i = 0; i < out->animation_count; i++)
        if (all[i].name.size && !tn_names_reserve(&taken, all[i].name))
            return tn_names_fail(&taken, e->err);
    for (uint32_t i = 0; i < out->animation_count; i++) {
        if (all[i].name.size) continue;
        const char *name = tn_names_take(&taken, word, "");
        if (!name) return tn_names_fail(&taken, e->err);
        all[i].name = (tenon_str){name, (uint32_t)strlen(name)};
    }
    out->animations = all;
    tn_export_report(e, TENON_MADE_UP, "names of clips", made_up, path,
                     "clips without one are called animation, animation_2 and so on");
    return true;
}

static void tell(const preparer *r)
{
    const tn_export *e = r->e;
    tn_export_report(e, TENON_DROPPED, "points", r->points.count, r->points.path,
                     "the format has triangles only");
    tn_export_report(e, TENON_DROPPED, "lines", r->lines.count, r->lines.path,
                     "the format has triangles only");
    tn_export_report(e, TENON_DROPPED, "vertices", r->tails.count, r->tails.path,
                     "they make no whole triangle");
    tn_export_report(e, TENON_MADE_UP, "normals", r->normals.count, r->normals.path,
                     "the format needs them: the faces around each vertex tell them");
    tn_export_report(e, TENON_DEFAULTED, "texture coordinates", r->zero_uvs.count, r->zero_uvs.path,
                     "the format needs them: they are 0");
    tn_export_report(e, TENON_MADE_UP, "texture coordinates", r->box_uvs.count, r->box_uvs.path,
                     "the format needs them: the box around the mesh tells them");
    tn_export_report(e, TENON_MADE_UP, "tangents", r->tangents.count, r->tangents.path,
                     "the format needs them: normals and texture coordinates tell them");
}

const tenon_scene *tn_prepare(const tn_export *e, uint32_t what)
{
    preparer r = {.e = e, .needs = what};
    const tenon_scene *from = e->scene;
    tenon_scene *out = tn_export_alloc(e, 1, sizeof *out);
    tenon_mesh *meshes = tn_export_alloc(e, from->mesh_count, sizeof *meshes);
    if (!out || !meshes) return NULL;
    *out = *from;
    out->meshes = meshes;
    for (r.mesh = 0; r.mesh < from->mesh_count && !r.failed; r.mesh++) {
        meshes[r.mesh] = from->meshes[r.mesh];
        prepare_mesh(&r, &from->meshes[r.mesh], &meshes[r.mesh]);
        r.failed = r.failed || !tn_export_step(e, r.mesh + 1, 0);
    }
    if (r.failed || !name_clips(e, out)) return NULL;
    tell(&r);
    return out;
}
