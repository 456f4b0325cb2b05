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
    bool v_goes_down;                                 // V is written without flipping it.
} obj_posed_primitive;

static bool obj_goes_on(const obj_exporter *exporter)
{
    return !obj_has_failed(exporter) && tn_export_goes_on(exporter->export, 1);
}

// -- Vertices

static void write_vertices(obj_exporter *exporter, const obj_posed_primitive *part)
{
    for (uint64_t i = 0; i < part->p->vertex_count && obj_goes_on(exporter); i++) {
        obj_write(exporter, "v");
        obj_write_f32s(exporter, part->positions + 3 * i, 3);
        if (part->colors) obj_write_f32s(exporter, part->colors + 4 * i, 3);
        obj_write(exporter, "\n");
    }
}

// V goes up in OBJ.
static void write_uvs(obj_exporter *exporter, const obj_posed_primitive *part)
{
    for (uint64_t i = 0; part->uvs && i < part->p->vertex_count && obj_goes_on(exporter); i++) {
        float v = part->uvs[2 * i + 1];
        const float uv[2] = {part->uvs[2 * i], part->v_goes_down ? v : 1 - v};
        obj_write(exporter, "vt");
        obj_write_f32s(exporter, uv, 2);
        obj_write(exporter, "\n");
    }
}

static void write_normals(obj_exporter *exporter, const obj_posed_primitive *part)
{
    for (uint64_t i = 0; part->normals && i < part->p->vertex_count && obj_goes_on(exporter); i++) {
        obj_write(exporter, "vn");
        obj_write_f32s(exporter, part->normals + 3 * i, 3);
        obj_write(exporter, "\n");
    }
}

// -- Pieces

// "7", "7/7", "7//7" or "7/7/7".
static void write_corner(obj_exporter *exporter, const obj_posed_primitive *part, uint32_t vertex)
{
    obj_write(exporter, " ");
    obj_write_u64(exporter, exporter->positions + vertex + 1);
    if (part->uvs || part->normals) obj_write(exporter, "/");
    if (part->uvs) obj_write_u64(exporter, exporter->uvs + vertex + 1);
    if (part->normals)
        obj_write(exporter, "/"), obj_write_u64(exporter, exporter->normals + vertex + 1);
}

// Strips contain many such triangles, which connect rows.
static bool is_flat(const uint32_t v[3])
{
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

static void write_pieces(obj_exporter *exporter, const obj_posed_primitive *part)
{
    static const char *const keys[] = {"p", "l", "f"};
    uint32_t size = tn_piece_size(part->p->mode), v[3];
    uint64_t count = tn_piece_count(part->p);
    for (uint64_t i = 0; i < count && obj_goes_on(exporter); i++) {
        tn_piece_at(part->p, i, v);
        if (size == 3 && is_flat(v)) {
            exporter->flat_count += part->p->mode == TENON_TRIANGLES;
            continue;
        }
        obj_write(exporter, keys[size - 1]);
        for (uint32_t k = 0; k < size; k++)
            write_corner(exporter, part, v[part->is_mirrored ? size - 1 - k : k]);
        obj_write(exporter, "\n");
    }
}

// -- Parts

// In OBJ points and lines have no normals, and points no texture coordinates.
static bool pose_primitive(obj_exporter *exporter, uint32_t node, uint32_t index,
                           obj_posed_primitive *part)
{
    const tenon_scene *s = exporter->export->scene;
    const tenon_primitive *p = part->p = &s->meshes[s->nodes[node].mesh].primitives[index];
    uint32_t size = tn_piece_size(p->mode), set = obj_uv_set(s, p);
    bool has_normals = p->normals && size == 3;
    float *positions = tn_export_alloc(exporter->export, p->vertex_count, 3 * sizeof *positions);
    float *normals = has_normals
                         ? tn_export_alloc(exporter->export, p->vertex_count, 3 * sizeof *normals)
                         : NULL;
    if (!positions || (has_normals && !normals)) return false;
    if (p->vertex_count) tenon_pose_skin(exporter->pose, node, index, positions, normals);
    part->positions = positions;
    part->normals = normals;
    part->uvs = size > 1 && set != TENON_NONE ? p->uvs[set] : NULL;
    part->colors = p->colors[0];
    part->v_goes_down = obj_v_goes_down(exporter->export, p->material);
    part->is_mirrored = size == 3 && tn_pose_mirrors(exporter->pose, node);
    return true;
}

// -- Objects

// "g boom_1", then its material.
static void write_group(obj_exporter *exporter, uint32_t node, uint32_t index, uint32_t material)
{
    obj_write(exporter, "g ");
    obj_write(exporter, exporter->objects[node]);
    obj_write(exporter, "_");
    obj_write_u64(exporter, (uint64_t)index + 1);
    obj_write(exporter, "\n");
    if (!exporter->library) return;
    obj_write(exporter, "usemtl ");
    obj_write(exporter,
              material == TENON_NONE ? exporter->default_material : exporter->materials[material]);
    obj_write(exporter, "\n");
}

static bool report_progress(obj_exporter *exporter, uint64_t vertices)
{
    exporter->done += vertices;
    if (obj_has_failed(exporter)) return false;
    return tn_export_expect(exporter->export, tn_pulse_report(&exporter->export->state->pulse,
                                                              exporter->done, exporter->total));
}

static bool write_primitive(obj_exporter *exporter, uint32_t node, uint32_t index)
{
    obj_posed_primitive part;
    if (!pose_primitive(exporter, node, index, &part)) return false;
    uint64_t count = part.p->vertex_count;
    write_group(exporter, node, index, part.p->material);
    write_vertices(exporter, &part);
    write_uvs(exporter, &part);
    write_normals(exporter, &part);
    write_pieces(exporter, &part);
    exporter->positions += count;
    exporter->uvs += part.uvs ? count : 0;
    exporter->normals += part.normals ? count : 0;
    return report_progress(exporter, count);
}

static bool write_object(obj_exporter *exporter, uint32_t node)
{
    const tenon_mesh *mesh =
        &exporter->export->scene->meshes[exporter->export->scene->nodes[node].mesh];
    obj_write(exporter, "\no ");
    obj_write(exporter, exporter->objects[node]);
    obj_write(exporter, "\n");
    tn_mark mark = tn_arena_mark(exporter->export->arena);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        bool ok = write_primitive(exporter, node, i);
        tn_arena_rewind(exporter->export->arena, mark);
        if (!ok) return false;
    }
    return true;
}

// -- The file

// A comment with clip and time; none for the rest pose.
static void write_pose_comment(obj_exporter *exporter)
{
    const tenon_export_opts *opts = exporter->export->opts;
    if (!opts->clip) return;
    obj_write(exporter, "# Clip '");
    obj_write_line_text(exporter, opts->clip, strlen(opts->clip));
    obj_write(exporter, "' at ");
    obj_write_f32(exporter, tn_narrow(opts->seconds, NULL));
    obj_write(exporter, " seconds.\n");
}

static void write_head(obj_exporter *exporter)
{
    obj_write(exporter, "# Written by Tenon. Metres, Y is up, front faces counter-clockwise.\n");
    write_pose_comment(exporter);
    if (exporter->total == 0) obj_write(exporter, "# There is nothing to see in this scene.\n");
    if (!exporter->library) return;
    obj_write(exporter, "mtllib ");
    obj_write(exporter, exporter->library);
    obj_write(exporter, "\n");
}

static bool write_objects(obj_exporter *exporter)
{
    const tenon_scene *s = exporter->export->scene;
    if (!tn_export_begin(exporter->export, "")) return false;
    write_head(exporter);
    for (uint32_t i = 0; i < s->node_count && !obj_has_failed(exporter); i++)
        if (s->nodes[i].mesh != TENON_NONE && !write_object(exporter, i)) return false;
    obj_flush(exporter);
    return tn_export_end(exporter->export);
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

bool obj_export(const tn_export *export)
{
    const tenon_scene *s = export->scene;
    const char *clip = export->opts->clip;
    const tn_name_list clips = {s->animations, sizeof *s->animations, s->animation_count};
    uint32_t animation = TENON_NONE;
    if (clip) animation = tn_find_name(&clips, (tenon_str){clip, (uint32_t)strlen(clip)});
    if (clip && animation == TENON_NONE) {
        char shown[64];
        tn_text_clean(clip, strlen(clip), shown, sizeof shown);
        return tn_error(export->err, TENON_ERR_VALUE, "the clip '%s' does not exist", shown);
    }
    obj_exporter *exporter = tn_export_alloc(export, 1, sizeof *exporter);
    if (!exporter) return false;
    exporter->export = export;
    exporter->total = vertex_total(s);
    exporter->pose = tenon_pose_new(s, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;
    tenon_pose_set(exporter->pose, animation, export->opts->seconds);
    bool ok =
        obj_choose_names(exporter) && obj_export_materials(exporter) && write_objects(exporter);
    tenon_pose_free(exporter->pose);
    if (ok) obj_report_losses(exporter);
    return ok;
}
