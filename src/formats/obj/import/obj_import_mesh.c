// obj_import_mesh.c: converts the elements of an OBJ file to primitives, and computes normals.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import.h"

#include "core/math/math.h"

// -- Normals

// Parts without normals stay so, unless they have smoothing groups.
static bool obj_import_mesh_lacks_normals(const obj_part *part)
{
    bool is_wanted = part->is_smoothed || part->with_normal;
    return part->mode == TENON_TRIANGLES && is_wanted && part->with_normal < part->corner_count;
}

uint64_t obj_import_compute_normals(obj_model *model, tn_arena *arena)
{
    uint64_t lacking = 0, corner_count = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const obj_part *part = &model->parts[i];
        if (obj_import_mesh_lacks_normals(part)) lacking += part->corner_count - part->with_normal;
    }
    // All corners of a vertex in a smoothing group share a normal, all other corners of a face
    // another.
    obj_triples shared;  // Vertices and smoothing groups.
    double(*sums)[3] = tn_arena_alloc(arena, lacking, sizeof *sums, NULL);
    uint32_t *owners = tn_arena_alloc(arena, lacking, sizeof *owners, NULL);  // Normals plus one.
    if (!sums || !owners || !obj_parse_triples_begin(&shared, lacking, arena)) return TENON_ABSENT;
    for (uint32_t i = 0; i < model->element_count; i++) {
        const obj_element *element = &model->elements[i];
        if (!obj_import_mesh_lacks_normals(&model->parts[element->part])) continue;
        obj_corner *corners = model->corners + element->first;
        bool is_smooth = element->smoothing != 0 && element->smoothing != OBJ_NOT_SMOOTHED;
        uint32_t face_normal = TENON_NONE;
        double normal[3];
        obj_import_polygon_normal(model, corners, element->count, normal);
        for (uint32_t k = 0; k < element->count; k++) {
            if (corners[k].vn != TENON_NONE) continue;
            bool is_added = is_smooth || face_normal == TENON_NONE;
            uint32_t index;
            if (is_smooth) {
                uint32_t item = obj_parse_triples_add(&shared, corners[k].v, element->smoothing, 0);
                if (owners[item] == 0) owners[item] = ++count;
                index = owners[item] - 1;
            } else {
                if (face_normal == TENON_NONE) face_normal = count++;
                index = face_normal;
            }
            for (int j = 0; is_added && j < 3; j++) sums[index][j] += normal[j];
            corners[k].vn = model->normal_count + index;
            corner_count++;
        }
    }
    for (uint32_t i = 0; i < model->part_count; i++)
        if (obj_import_mesh_lacks_normals(&model->parts[i]))
            model->parts[i].with_normal = model->parts[i].corner_count;
    model->computed_normals =
        tn_arena_alloc(arena, count, 3 * sizeof *model->computed_normals, NULL);
    if (!model->computed_normals) return TENON_ABSENT;
    for (uint32_t i = 0; i < count; i++) {
        tn_vec3 n = tn_vec3_normalise((tn_vec3){sums[i][0], sums[i][1], sums[i][2]});
        float *out = model->computed_normals + 3 * (size_t)i;
        out[0] = tn_to_float(n.x), out[1] = tn_to_float(n.y), out[2] = tn_to_float(n.z);
    }
    return corner_count;
}

// -- Primitives

bool obj_import_prepare_meshes(obj_importer *importer)
{
    const obj_model *model = &importer->model;
    tn_scene_builder *builder = importer->builder;
    uint64_t part_most = 0, polygon_most = 3;
    for (uint32_t i = 0; i < model->part_count; i++)
        if (model->parts[i].corner_count > part_most) part_most = model->parts[i].corner_count;
    for (uint32_t i = 0; i < model->element_count; i++)
        if (model->elements[i].count > polygon_most) polygon_most = model->elements[i].count;
    uint32_t *vertices = obj_import_alloc(importer, part_most, sizeof *vertices);
    uint32_t *triangles = obj_import_alloc(importer, polygon_most - 2, 3 * sizeof *triangles);
    uint32_t *order = obj_import_alloc(importer, model->element_count, sizeof *order);
    uint32_t *starts = obj_import_alloc(importer, model->part_count, sizeof *starts);
    if (builder->failed) return false;
    // Counting sort by part, in file order.
    uint32_t start = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        starts[i] = start;
        start += model->parts[i].element_count;
    }
    for (uint32_t i = 0; i < model->element_count; i++)
        order[starts[model->elements[i].part]++] = i;
    for (uint32_t i = 0; i < model->part_count; i++) starts[i] -= model->parts[i].element_count;
    importer->corner_vertices = vertices;
    importer->triangles = triangles;
    importer->order = order;
    importer->starts = starts;
    if (obj_parse_triples_begin(&importer->vertices, part_most, importer->arena) &&
        obj_import_clipper_begin(&importer->clipper, polygon_most, model->corner_count,
                                 importer->arena, &builder->pulse))
        return true;
    return obj_import_out_of_memory(importer);
}

// V goes up in OBJ.
static void obj_import_mesh_fill_vertices(obj_importer *importer, tenon_primitive *p)
{
    const obj_model *model = &importer->model;
    for (size_t i = 0; i < p->vertex_count; i++) {
        const uint32_t *corner = importer->vertices.items[i];
        for (size_t k = 0; k < 3; k++)
            p->positions[3 * i + k] = model->positions[3 * (size_t)corner[0] + k];
        if (p->uvs[0] && corner[1] == TENON_NONE) {
            importer->missing_uvs++;
        } else if (p->uvs[0]) {
            const float *uv = model->uvs + 2 * (size_t)corner[1];
            p->uvs[0][2 * i] = uv[0];
            p->uvs[0][2 * i + 1] = 1 - uv[1];
        }
        if (p->normals) {
            uint32_t index = corner[2], count = model->normal_count;
            const float *normal = index < count
                                      ? model->normals + 3 * (size_t)index
                                      : model->computed_normals + 3 * (size_t)(index - count);
            for (size_t k = 0; k < 3; k++) p->normals[3 * i + k] = normal[k];
        }
        if (p->colors[0]) {
            const float *color = model->colors + 3 * (size_t)corner[0];
            bool has_color = color[0] == color[0];
            for (size_t k = 0; k < 3; k++) p->colors[0][4 * i + k] = has_color ? color[k] : 1;
            p->colors[0][4 * i + 3] = 1;
        }
    }
}

void obj_import_fill_primitive(obj_importer *importer, uint32_t index, tenon_primitive *p)
{
    tn_scene_builder *builder = importer->builder;
    obj_model *model = &importer->model;
    const obj_part *part = &model->parts[index];
    const uint32_t *order = importer->order + importer->starts[index];
    uint32_t used = 0, streams = 0;
    // Equal corners become one vertex.
    obj_parse_triples_clear(&importer->vertices, part->corner_count);
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &model->elements[order[i]];
        const obj_corner *corner = model->corners + element->first;
        for (uint32_t k = 0; k < element->count; k++, corner++)
            importer->corner_vertices[used++] =
                obj_parse_triples_add(&importer->vertices, corner->v, corner->vt, corner->vn);
    }
    if (part->with_uv) streams |= TN_WITH_UV0;
    if (part->with_normal) streams |= TN_WITH_NORMALS;
    bool has_color = false;
    for (uint32_t i = 0; model->colors && i < importer->vertices.count && !has_color; i++) {
        const float *color = model->colors + 3 * (size_t)importer->vertices.items[i][0];
        has_color = color[0] == color[0];
    }
    if (has_color) streams |= TN_WITH_COLOR;
    p->mode = part->mode;
    p->material = part->material == TENON_NONE ? TENON_NONE : importer->materials[part->material];
    tn_primitive_alloc(builder, p, importer->vertices.count, part->index_count, streams);
    // If all polygons are triangles, no list is needed.
    bool has_polygons =
        part->mode == TENON_TRIANGLES && part->index_count > 3 * (uint64_t)part->element_count;
    if (has_polygons)
        p->polygon_sizes = tn_scene_array(builder, part->element_count, sizeof *p->polygon_sizes);
    if (builder->failed) return;
    for (uint32_t i = 0; has_polygons && i < part->element_count; i++)
        p->polygon_sizes[p->polygon_count++] = model->elements[order[i]].count - 2;
    obj_import_mesh_fill_vertices(importer, p);

    const uint32_t *vertices = importer->corner_vertices;
    uint32_t *out = p->indices;
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &model->elements[order[i]];
        if (part->mode == TENON_TRIANGLES) {
            obj_clipping how =
                obj_import_triangulate(&importer->clipper, model, model->corners + element->first,
                                       element->count, importer->triangles);
            if (how == OBJ_CROSSING)
                obj_parse_report_loss(model, OBJ_LOST_CROSSING, element->line, element->offset);
            if (how == OBJ_FAN)
                obj_parse_report_loss(model, OBJ_LOST_FANS, element->line, element->offset);
            uint32_t index_count = builder->pulse.stopped ? 0 : 3 * (element->count - 2);
            for (uint32_t k = 0; k < index_count; k++) *out++ = vertices[importer->triangles[k]];
        }
        for (uint32_t k = 0; part->mode == TENON_LINES && k + 1 < element->count; k++) {
            *out++ = vertices[k];
            *out++ = vertices[k + 1];
        }
        for (uint32_t k = 0; part->mode == TENON_POINTS && k < element->count; k++)
            *out++ = vertices[k];
        vertices += element->count;
    }
    if (builder->pulse.stopped)
        (void)tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
}
