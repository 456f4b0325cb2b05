// obj_import_mesh.c: converts the elements of an OBJ file to primitives.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import.h"

// -- Preparation

// Counting sort by part, in file order.
static bool sort_elements(obj_importer *importer)
{
    const obj_model *m = &importer->model;
    uint32_t start = 0;
    importer->order = obj_import_alloc(importer, m->element_count, sizeof *importer->order);
    importer->starts = obj_import_alloc(importer, m->part_count, sizeof *importer->starts);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < m->part_count; i++) {
        importer->starts[i] = start;
        start += m->parts[i].element_count;
    }
    for (uint32_t i = 0; i < m->element_count; i++)
        importer->order[importer->starts[m->elements[i].part]++] = i;
    for (uint32_t i = 0; i < m->part_count; i++) importer->starts[i] -= m->parts[i].element_count;
    return true;
}

bool obj_prepare_meshes(obj_importer *importer)
{
    const obj_model *m = &importer->model;
    uint64_t part_most = 0, polygon_most = 3;
    for (uint32_t i = 0; i < m->part_count; i++)
        if (m->parts[i].corner_count > part_most) part_most = m->parts[i].corner_count;
    for (uint32_t i = 0; i < m->element_count; i++)
        if (m->elements[i].count > polygon_most) polygon_most = m->elements[i].count;
    importer->corner_vertices =
        obj_import_alloc(importer, part_most, sizeof *importer->corner_vertices);
    importer->triangles =
        obj_import_alloc(importer, polygon_most - 2, 3 * sizeof *importer->triangles);
    if (!sort_elements(importer)) return false;
    if (obj_triples_begin(&importer->vertices, part_most, importer->arena) &&
        obj_clipper_begin(&importer->clipper, polygon_most, m->corner_count, importer->arena,
                          &importer->builder->pulse))
        return true;
    return obj_import_out_of_memory(importer);
}

// -- Vertices

// Equal corners become one vertex.
static void weld(obj_importer *importer, uint32_t index)
{
    const obj_part *part = &importer->model.parts[index];
    uint32_t used = 0;
    obj_triples_clear(&importer->vertices, part->corner_count);
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element =
            &importer->model.elements[importer->order[importer->starts[index] + i]];
        const obj_corner *corner = importer->model.corners + element->first;
        for (uint32_t k = 0; k < element->count; k++, corner++)
            importer->corner_vertices[used++] =
                obj_triples_add(&importer->vertices, corner->v, corner->vt, corner->vn);
    }
}

// V goes up in OBJ.
static void fill_uv(obj_importer *importer, uint32_t index, float *out)
{
    if (index == TENON_NONE) {
        importer->missing_uvs++;
        return;
    }
    const float *uv = importer->model.uvs + 2 * (size_t)index;
    out[0] = uv[0];
    out[1] = 1 - uv[1];
}

static void fill_color(const obj_model *m, uint32_t vertex, float *out)
{
    const float *color = m->colors + 3 * (size_t)vertex;
    bool has_color = color[0] == color[0];
    for (int k = 0; k < 3; k++) out[k] = has_color ? color[k] : 1;
    out[3] = 1;
}

static void fill_vertices(obj_importer *importer, tenon_primitive *p)
{
    const obj_model *m = &importer->model;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const uint32_t *corner = importer->vertices.items[i];
        for (size_t k = 0; k < 3; k++)
            p->positions[3 * (size_t)i + k] = m->positions[3 * (size_t)corner[0] + k];
        if (p->uvs[0]) fill_uv(importer, corner[1], p->uvs[0] + 2 * (size_t)i);
        for (size_t k = 0; p->normals && k < 3; k++)
            p->normals[3 * (size_t)i + k] = obj_normal_at(m, corner[2])[k];
        if (p->colors[0]) fill_color(m, corner[0], p->colors[0] + 4 * (size_t)i);
    }
}

static bool has_color(const obj_importer *importer)
{
    for (uint32_t i = 0; importer->model.colors && i < importer->vertices.count; i++) {
        const float *color = importer->model.colors + 3 * (size_t)importer->vertices.items[i][0];
        if (color[0] == color[0]) return true;
    }
    return false;
}

// -- Indices

static uint32_t *add_face_indices(obj_importer *importer, const obj_element *element,
                                  const uint32_t *corner_vertices, uint32_t *out)
{
    const obj_corner *corners = importer->model.corners + element->first;
    obj_clipping how = obj_triangulate(&importer->clipper, &importer->model, corners,
                                       element->count, importer->triangles);
    if (how == OBJ_CROSSING)
        obj_report_loss(&importer->model, OBJ_LOST_CROSSING, element->line, element->offset);
    if (how == OBJ_FAN)
        obj_report_loss(&importer->model, OBJ_LOST_FANS, element->line, element->offset);
    if (importer->builder->pulse.stopped) return out;
    for (uint32_t i = 0; i < 3 * (element->count - 2); i++)
        *out++ = corner_vertices[importer->triangles[i]];
    return out;
}

static uint32_t *add_line_indices(const obj_element *element, const uint32_t *corner_vertices,
                                  uint32_t *out)
{
    for (uint32_t i = 0; i + 1 < element->count; i++) {
        *out++ = corner_vertices[i];
        *out++ = corner_vertices[i + 1];
    }
    return out;
}

static void fill_indices(obj_importer *importer, uint32_t index, tenon_primitive *p)
{
    const obj_part *part = &importer->model.parts[index];
    const uint32_t *corner_vertices = importer->corner_vertices;
    uint32_t *out = p->indices;
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element =
            &importer->model.elements[importer->order[importer->starts[index] + i]];
        if (part->mode == TENON_TRIANGLES)
            out = add_face_indices(importer, element, corner_vertices, out);
        else if (part->mode == TENON_LINES)
            out = add_line_indices(element, corner_vertices, out);
        else
            for (uint32_t k = 0; k < element->count; k++) *out++ = corner_vertices[k];
        corner_vertices += element->count;
    }
}

void obj_fill_primitive(obj_importer *importer, uint32_t index, tenon_primitive *p)
{
    const obj_part *part = &importer->model.parts[index];
    uint32_t streams = 0;
    weld(importer, index);
    if (part->with_uv) streams |= TN_WITH_UV0;
    if (part->with_normal) streams |= TN_WITH_NORMALS;
    if (has_color(importer)) streams |= TN_WITH_COLOR;
    p->mode = part->mode;
    p->material = part->material == TENON_NONE ? TENON_NONE : importer->materials[part->material];
    tn_primitive_alloc(importer->builder, p, importer->vertices.count, part->index_count, streams);
    // If all polygons are triangles, no list is needed.
    bool has_polygons =
        part->mode == TENON_TRIANGLES && part->index_count > 3 * (uint64_t)part->element_count;
    if (has_polygons)
        p->polygon_sizes =
            tn_scene_array(importer->builder, part->element_count, sizeof *p->polygon_sizes);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; has_polygons && i < part->element_count; i++)
        p->polygon_sizes[p->polygon_count++] =
            importer->model.elements[importer->order[importer->starts[index] + i]].count - 2;
    fill_vertices(importer, p);
    fill_indices(importer, index, p);
    if (importer->builder->pulse.stopped)
        (void)tn_scene_fail(importer->builder, TENON_ERR_CANCELLED, NULL, "cancelled");
}
