// obj_export.c: exports the OBJ file: the vertices and faces of a scene in one pose.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/text/text.h"
#include "scene/compare/match.h"
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

static bool obj_export_goes_on(const obj_exporter *exporter)
{
    return !obj_export_has_failed(exporter) && tn_export_goes_on(exporter->export, 1);
}

static void obj_export_vertices(obj_exporter *exporter, const obj_posed_primitive *posed)
{
    uint64_t count = posed->p->vertex_count;
    for (uint64_t i = 0; i < count && obj_export_goes_on(exporter); i++) {
        obj_export_write(exporter, "v");
        obj_export_f32s(exporter, posed->positions + 3 * i, 3);
        if (posed->colors) obj_export_f32s(exporter, posed->colors + 4 * i, 3);
        obj_export_write(exporter, "\n");
    }
    for (uint64_t i = 0; posed->uvs && i < count && obj_export_goes_on(exporter); i++) {
        float v = posed->uvs[2 * i + 1];  // V goes up in OBJ.
        const float uv[2] = {posed->uvs[2 * i], posed->v_goes_down ? v : 1 - v};
        obj_export_write(exporter, "vt");
        obj_export_f32s(exporter, uv, 2);
        obj_export_write(exporter, "\n");
    }
    for (uint64_t i = 0; posed->normals && i < count && obj_export_goes_on(exporter); i++) {
        obj_export_write(exporter, "vn");
        obj_export_f32s(exporter, posed->normals + 3 * i, 3);
        obj_export_write(exporter, "\n");
    }
}

// Faces, lines or points. A corner is "7", "7/7", "7//7" or "7/7/7".
static void obj_export_pieces(obj_exporter *exporter, const obj_posed_primitive *posed)
{
    static const char *const keys[] = {"p", "l", "f"};
    uint32_t size = tn_piece_size(posed->p->mode), v[3];
    uint64_t count = tn_piece_count(posed->p);
    for (uint64_t i = 0; i < count && obj_export_goes_on(exporter); i++) {
        tn_piece_at(posed->p, i, v);
        // Strips contain many flat triangles, which connect rows.
        if (size == 3 && (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])) {
            exporter->flat_count += posed->p->mode == TENON_TRIANGLES;
            continue;
        }
        obj_export_write(exporter, keys[size - 1]);
        for (uint32_t k = 0; k < size; k++) {
            uint32_t vertex = v[posed->is_mirrored ? size - 1 - k : k];
            obj_export_write(exporter, " ");
            obj_export_u64(exporter, exporter->positions + vertex + 1);
            if (posed->uvs || posed->normals) obj_export_write(exporter, "/");
            if (posed->uvs) obj_export_u64(exporter, exporter->uvs + vertex + 1);
            if (!posed->normals) continue;
            obj_export_write(exporter, "/");
            obj_export_u64(exporter, exporter->normals + vertex + 1);
        }
        obj_export_write(exporter, "\n");
    }
}

// A primitive is a group: "g boom_1", then its material.
static bool obj_export_primitive(obj_exporter *exporter, uint32_t node, uint32_t index)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    const tenon_primitive *p = &scene->meshes[scene->nodes[node].mesh].primitives[index];
    uint64_t count = p->vertex_count;
    // In OBJ points and lines have no normals, and points no texture coordinates.
    uint32_t size = tn_piece_size(p->mode), set = obj_export_uv_set(scene, p);
    bool has_normals = p->normals && size == 3;
    float *positions = tn_export_alloc(export, count, 3 * sizeof *positions);
    float *normals = has_normals ? tn_export_alloc(export, count, 3 * sizeof *normals) : NULL;
    if (!positions || (has_normals && !normals)) return false;
    if (count) tenon_pose_skin(exporter->pose, node, index, positions, normals);
    const obj_posed_primitive posed = {
        .p = p,
        .positions = positions,
        .normals = normals,
        .uvs = size > 1 && set != TENON_NONE ? p->uvs[set] : NULL,
        .colors = p->colors[0],
        .v_goes_down = obj_export_v_goes_down(export, p->material),
        .is_mirrored = size == 3 && tn_pose_mirrors(exporter->pose, node),
    };
    obj_export_write(exporter, "g ");
    obj_export_write(exporter, exporter->objects[node]);
    obj_export_write(exporter, "_");
    obj_export_u64(exporter, (uint64_t)index + 1);
    obj_export_write(exporter, "\n");
    if (exporter->library) {
        bool has_material = p->material != TENON_NONE;
        obj_export_line(exporter, "usemtl",
                        has_material ? exporter->materials[p->material]
                                     : exporter->default_material);
    }
    obj_export_vertices(exporter, &posed);
    obj_export_pieces(exporter, &posed);
    exporter->positions += count;
    exporter->uvs += posed.uvs ? count : 0;
    exporter->normals += normals ? count : 0;
    exporter->done += count;
    if (obj_export_has_failed(exporter)) return false;
    return tn_export_expect(
        export, tn_pulse_report(&export->state->pulse, exporter->done, exporter->total));
}

static bool obj_export_objects(obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    if (!tn_export_begin(export, "")) return false;
    obj_export_write(exporter,
                     "# Written by Tenon. Metres, Y is up, front faces counter-clockwise.\n");
    if (export->opts->clip) {
        obj_export_write(exporter, "# Clip '");
        obj_export_line_text(exporter, export->opts->clip, strlen(export->opts->clip));
        obj_export_write(exporter, "' at ");
        obj_export_f32(exporter, tn_narrow(export->opts->seconds, NULL));
        obj_export_write(exporter, " seconds.\n");
    }
    if (exporter->total == 0)
        obj_export_write(exporter, "# There is nothing to see in this scene.\n");
    if (exporter->library) obj_export_line(exporter, "mtllib", exporter->library);
    for (uint32_t i = 0; i < scene->node_count && !obj_export_has_failed(exporter); i++) {
        if (scene->nodes[i].mesh == TENON_NONE) continue;
        obj_export_line(exporter, "\no", exporter->objects[i]);
        tn_mark mark = tn_arena_mark(export->arena);
        for (uint32_t k = 0; k < scene->meshes[scene->nodes[i].mesh].primitive_count; k++) {
            bool ok = obj_export_primitive(exporter, i, k);
            tn_arena_rewind(export->arena, mark);
            if (!ok) return false;
        }
    }
    obj_export_flush(exporter);
    return tn_export_end(export);
}

bool obj_export(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    const char *clip = export->opts->clip;
    uint32_t animation = clip ? tn_find_clip(scene, clip) : TENON_NONE;
    if (clip && animation == TENON_NONE) {
        char shown[64];
        tn_text_clean(clip, strlen(clip), shown, sizeof shown);
        return tn_error(export->err, TENON_ERR_VALUE, "the clip '%s' does not exist", shown);
    }
    obj_exporter *exporter = tn_export_alloc(export, 1, sizeof *exporter);
    if (!exporter) return false;
    exporter->export = export;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (scene->nodes[i].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[i].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            exporter->total += mesh->primitives[k].vertex_count;
    }
    exporter->pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;
    tenon_pose_set(exporter->pose, animation, export->opts->seconds);
    bool ok = obj_export_choose_names(exporter) && obj_export_materials(exporter) &&
              obj_export_objects(exporter);
    tenon_pose_free(exporter->pose);
    if (ok) obj_export_report_losses(exporter);
    return ok;
}
