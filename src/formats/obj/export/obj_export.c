// obj_export.c: exports the OBJ file: the vertices and faces of a scene in one pose.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/text/text.h"
#include "scene/compare/verify.h"
#include "scene/model/pieces.h"
#include "scene/pose/pose.h"

#include <string.h>

// A primitive in the current pose.
typedef struct obj_posed_primitive {
    const tenon_primitive *p;
    const float *positions, *normals, *uvs, *colors;  // NULL if not written.
    bool is_mirrored;                                 // The pose reverses the winding.
    bool goes_down;                                   // V is written without flipping it.
} obj_posed_primitive;

static bool obj_goes_on(const obj_exporter *w)
{
    return !obj_failed(w) && tn_export_goes_on(w->e, 1);
}

// -- Vertices

static void put_vertices(obj_exporter *w, const obj_posed_primitive *part)
{
    for (uint64_t i = 0; i < part->p->vertex_count && obj_goes_on(w); i++) {
        obj_put(w, "v");
        obj_put_f32s(w, part->positions + 3 * i, 3);
        if (part->colors) obj_put_f32s(w, part->colors + 4 * i, 3);
        obj_put(w, "\n");
    }
}

// V goes up in OBJ.
static void put_uvs(obj_exporter *w, const obj_posed_primitive *part)
{
    for (uint64_t i = 0; part->uvs && i < part->p->vertex_count && obj_goes_on(w); i++) {
        float v = part->uvs[2 * i + 1];
        const float uv[2] = {part->uvs[2 * i], part->goes_down ? v : 1 - v};
        obj_put(w, "vt");
        obj_put_f32s(w, uv, 2);
        obj_put(w, "\n");
    }
}

static void put_normals(obj_exporter *w, const obj_posed_primitive *part)
{
    for (uint64_t i = 0; part->normals && i < part->p->vertex_count && obj_goes_on(w); i++) {
        obj_put(w, "vn");
        obj_put_f32s(w, part->normals + 3 * i, 3);
        obj_put(w, "\n");
    }
}

// -- Pieces

// "7", "7/7", "7//7" or "7/7/7".
static void put_corner(obj_exporter *w, const obj_posed_primitive *part, uint32_t vertex)
{
    obj_put(w, " ");
    obj_put_u64(w, w->positions + vertex + 1);
    if (part->uvs || part->normals) obj_put(w, "/");
    if (part->uvs) obj_put_u64(w, w->uvs + vertex + 1);
    if (part->normals) obj_put(w, "/"), obj_put_u64(w, w->normals + vertex + 1);
}

// Strips contain many such triangles, which connect rows.
static bool is_flat(const uint32_t v[3])
{
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

static void put_pieces(obj_exporter *w, const obj_posed_primitive *part)
{
    static const char *const keys[] = {"p", "l", "f"};
    uint32_t size = tn_piece_size(part->p->mode), v[3];
    uint64_t count = tn_piece_count(part->p);
    for (uint64_t i = 0; i < count && obj_goes_on(w); i++) {
        tn_piece_at(part->p, i, v);
        if (size == 3 && is_flat(v)) {
            w->flat_count += part->p->mode == TENON_TRIANGLES;
            continue;
        }
        obj_put(w, keys[size - 1]);
        for (uint32_t k = 0; k < size; k++)
            put_corner(w, part, v[part->is_mirrored ? size - 1 - k : k]);
        obj_put(w, "\n");
    }
}

// -- Parts

// In OBJ points and lines have no normals, and points no texture coordinates.
static bool pose_part(obj_exporter *w, uint32_t node, uint32_t index, obj_posed_primitive *part)
{
    const tenon_scene *s = w->e->scene;
    const tenon_primitive *p = part->p = &s->meshes[s->nodes[node].mesh].primitives[index];
    uint32_t size = tn_piece_size(p->mode), set = obj_uv_set(s, p);
    bool has_normals = p->normals && size == 3;
    float *positions = tn_export_alloc(w->e, p->vertex_count, 3 * sizeof *positions);
    float *normals =
        has_normals ? tn_export_alloc(w->e, p->vertex_count, 3 * sizeof *normals) : NULL;
    if (!positions || (has_normals && !normals)) return false;
    if (p->vertex_count) tenon_pose_skin(w->pose, node, index, positions, normals);
    part->positions = positions;
    part->normals = normals;
    part->uvs = size > 1 && set != TENON_NONE ? p->uvs[set] : NULL;
    part->colors = p->colors[0];
    part->goes_down = obj_goes_down(w->e, p->material);
    part->is_mirrored = size == 3 && tn_pose_mirrors(w->pose, node);
    return true;
}

// -- Objects

// "g boom_1", then its material.
static void put_group(obj_exporter *w, uint32_t node, uint32_t index, uint32_t material)
{
    obj_put(w, "g ");
    obj_put(w, w->objects[node]);
    obj_put(w, "_");
    obj_put_u64(w, (uint64_t)index + 1);
    obj_put(w, "\n");
    if (!w->library) return;
    obj_put(w, "usemtl ");
    obj_put(w, material == TENON_NONE ? w->no_material : w->materials[material]);
    obj_put(w, "\n");
}

static bool step(obj_exporter *w, uint64_t vertices)
{
    w->done += vertices;
    if (obj_failed(w)) return false;
    return tn_export_expect(w->e, tn_pulse_report(&w->e->state->pulse, w->done, w->total));
}

static bool put_part(obj_exporter *w, uint32_t node, uint32_t index)
{
    obj_posed_primitive part;
    if (!pose_part(w, node, index, &part)) return false;
    uint64_t count = part.p->vertex_count;
    put_group(w, node, index, part.p->material);
    put_vertices(w, &part);
    put_uvs(w, &part);
    put_normals(w, &part);
    put_pieces(w, &part);
    w->positions += count;
    w->uvs += part.uvs ? count : 0;
    w->normals += part.normals ? count : 0;
    return step(w, count);
}

static bool put_object(obj_exporter *w, uint32_t node)
{
    const tenon_mesh *mesh = &w->e->scene->meshes[w->e->scene->nodes[node].mesh];
    obj_put(w, "\no ");
    obj_put(w, w->objects[node]);
    obj_put(w, "\n");
    tn_mark mark = tn_arena_mark(w->e->arena);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        bool ok = put_part(w, node, i);
        tn_arena_rewind(w->e->arena, mark);
        if (!ok) return false;
    }
    return true;
}

// -- The file

// A comment with clip and time; none for the rest pose.
static void put_moment(obj_exporter *w)
{
    const tenon_export_opts *opts = w->e->opts;
    if (!opts->clip) return;
    obj_put(w, "# Clip '");
    obj_put_text(w, opts->clip, strlen(opts->clip));
    obj_put(w, "' at ");
    obj_put_f32(w, tn_narrow(opts->seconds, NULL));
    obj_put(w, " seconds.\n");
}

static void put_head(obj_exporter *w)
{
    obj_put(w, "# Written by Tenon. Metres, Y is up, front faces counter-clockwise.\n");
    put_moment(w);
    if (w->total == 0) obj_put(w, "# There is nothing to see in this scene.\n");
    if (!w->library) return;
    obj_put(w, "mtllib ");
    obj_put(w, w->library);
    obj_put(w, "\n");
}

static bool write_objects(obj_exporter *w)
{
    const tenon_scene *s = w->e->scene;
    if (!tn_export_begin(w->e, "")) return false;
    put_head(w);
    for (uint32_t i = 0; i < s->node_count && !obj_failed(w); i++)
        if (s->nodes[i].mesh != TENON_NONE && !put_object(w, i)) return false;
    obj_flush(w);
    return tn_export_end(w->e);
}

static uint64_t vertex_total(const tenon_scene *s)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &s->meshes[s->nodes[i].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            total += mesh->primitives[k].vertex_count;
    }
    return total;
}

bool obj_export(const tn_export *e)
{
    const tenon_scene *s = e->scene;
    const char *clip = e->opts->clip;
    const tn_name_list clips = {s->animations, sizeof *s->animations, s->animation_count};
    uint32_t animation = TENON_NONE;
    if (clip) animation = tn_find_name(&clips, (tenon_str){clip, (uint32_t)strlen(clip)});
    if (clip && animation == TENON_NONE) {
        char shown[64];
        tn_text_clean(clip, strlen(clip), shown, sizeof shown);
        return tn_error(e->err, TENON_ERR_VALUE, "the clip '%s' does not exist", shown);
    }
    obj_exporter *w = tn_export_alloc(e, 1, sizeof *w);
    if (!w) return false;
    w->e = e;
    w->total = vertex_total(s);
    w->pose = tenon_pose_new(s, &e->opts->allocator, e->err);
    if (!w->pose) return false;
    tenon_pose_set(w->pose, animation, e->opts->seconds);
    bool ok = obj_name_all(w) && obj_export_materials(w) && write_objects(w);
    tenon_pose_free(w->pose);
    if (ok) obj_report_losses(w);
    return ok;
}
