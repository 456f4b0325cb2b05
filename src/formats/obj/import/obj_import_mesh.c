// obj_import_mesh.c: converts the elements of an OBJ file to primitives.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import.h"

// -- Preparation

// Counting sort by part, in file order.
static bool sort_elements(obj_importer *s)
{
    const obj_model *m = &s->m;
    uint32_t start = 0;
    s->order = obj_import_alloc(s, m->element_count, sizeof *s->order);
    s->starts = obj_import_alloc(s, m->part_count, sizeof *s->starts);
    if (s->b->failed) return false;
    for (uint32_t i = 0; i < m->part_count; i++) {
        s->starts[i] = start;
        start += m->parts[i].element_count;
    }
    for (uint32_t i = 0; i < m->element_count; i++) s->order[s->starts[m->elements[i].part]++] = i;
    for (uint32_t i = 0; i < m->part_count; i++) s->starts[i] -= m->parts[i].element_count;
    return true;
}

bool obj_prepare_meshes(obj_importer *s)
{
    const obj_model *m = &s->m;
    uint64_t part_most = 0, polygon_most = 3;
    for (uint32_t i = 0; i < m->part_count; i++)
        if (m->parts[i].corner_count > part_most) part_most = m->parts[i].corner_count;
    for (uint32_t i = 0; i < m->element_count; i++)
        if (m->elements[i].count > polygon_most) polygon_most = m->elements[i].count;
    s->numbers = obj_import_alloc(s, part_most, sizeof *s->numbers);
    s->triangles = obj_import_alloc(s, polygon_most - 2, 3 * sizeof *s->triangles);
    if (!sort_elements(s)) return false;
    if (obj_triples_begin(&s->vertices, part_most, s->arena) &&
        obj_clipper_begin(&s->clipper, polygon_most, m->corner_count, s->arena, &s->b->pulse))
        return true;
    return obj_import_out_of_memory(s);
}

// -- Vertices

// Equal corners become one vertex.
static void weld(obj_importer *s, uint32_t index)
{
    const obj_part *part = &s->m.parts[index];
    uint32_t used = 0;
    obj_triples_clear(&s->vertices, part->corner_count);
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &s->m.elements[s->order[s->starts[index] + i]];
        const obj_corner *corner = s->m.corners + element->first;
        for (uint32_t k = 0; k < element->count; k++, corner++)
            s->numbers[used++] = obj_triples_add(&s->vertices, corner->v, corner->vt, corner->vn);
    }
}

// V goes up in OBJ.
static void fill_uv(obj_importer *s, uint32_t index, float *out)
{
    if (index == TENON_NONE) {
        s->missing_uvs++;
        return;
    }
    const float *uv = s->m.uvs + 2 * (size_t)index;
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

static void fill_vertices(obj_importer *s, tenon_primitive *p)
{
    const obj_model *m = &s->m;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const uint32_t *corner = s->vertices.items[i];
        for (size_t k = 0; k < 3; k++)
            p->positions[3 * (size_t)i + k] = m->positions[3 * (size_t)corner[0] + k];
        if (p->uvs[0]) fill_uv(s, corner[1], p->uvs[0] + 2 * (size_t)i);
        for (size_t k = 0; p->normals && k < 3; k++)
            p->normals[3 * (size_t)i + k] = obj_normal_at(m, corner[2])[k];
        if (p->colors[0]) fill_color(m, corner[0], p->colors[0] + 4 * (size_t)i);
    }
}

static bool has_color(const obj_importer *s)
{
    for (uint32_t i = 0; s->m.colors && i < s->vertices.count; i++) {
        const float *color = s->m.colors + 3 * (size_t)s->vertices.items[i][0];
        if (color[0] == color[0]) return true;
    }
    return false;
}

// -- Indices

static uint32_t *put_face(obj_importer *s, const obj_element *element, const uint32_t *numbers,
                          uint32_t *out)
{
    const obj_corner *corners = s->m.corners + element->first;
    obj_clipping how = obj_triangulate(&s->clipper, &s->m, corners, element->count, s->triangles);
    if (how == OBJ_CROSSING)
        obj_report_loss(&s->m, OBJ_LOST_CROSSING, element->line, element->offset);
    if (how == OBJ_FAN) obj_report_loss(&s->m, OBJ_LOST_FANS, element->line, element->offset);
    if (s->b->pulse.stopped) return out;
    for (uint32_t i = 0; i < 3 * (element->count - 2); i++) *out++ = numbers[s->triangles[i]];
    return out;
}

static uint32_t *put_line(const obj_element *element, const uint32_t *numbers, uint32_t *out)
{
    for (uint32_t i = 0; i + 1 < element->count; i++) {
        *out++ = numbers[i];
        *out++ = numbers[i + 1];
    }
    return out;
}

static void fill_indices(obj_importer *s, uint32_t index, tenon_primitive *p)
{
    const obj_part *part = &s->m.parts[index];
    const uint32_t *numbers = s->numbers;
    uint32_t *out = p->indices;
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &s->m.elements[s->order[s->starts[index] + i]];
        if (part->mode == TENON_TRIANGLES)
            out = put_face(s, element, numbers, out);
        else if (part->mode == TENON_LINES)
            out = put_line(element, numbers, out);
        else
            for (uint32_t k = 0; k < element->count; k++) *out++ = numbers[k];
        numbers += element->count;
    }
}

void obj_fill_primitive(obj_importer *s, uint32_t index, tenon_primitive *p)
{
    const obj_part *part = &s->m.parts[index];
    uint32_t streams = 0;
    weld(s, index);
    if (part->with_uv) streams |= TN_WITH_UV0;
    if (part->with_normal) streams |= TN_WITH_NORMALS;
    if (has_color(s)) streams |= TN_WITH_COLOR;
    p->mode = part->mode;
    p->material = part->material == TENON_NONE ? TENON_NONE : s->materials[part->material];
    tn_primitive_alloc(s->b, p, s->vertices.count, part->index_count, streams);
    // If all polygons are triangles, no list is needed.
    bool has_polygons =
        part->mode == TENON_TRIANGLES && part->index_count > 3 * (uint64_t)part->element_count;
    if (has_polygons)
        p->polygon_sizes = tn_scene_array(s->b, part->element_count, sizeof *p->polygon_sizes);
    if (s->b->failed) return;
    for (uint32_t i = 0; has_polygons && i < part->element_count; i++)
        p->polygon_sizes[p->polygon_count++] =
            s->m.elements[s->order[s->starts[index] + i]].count - 2;
    fill_vertices(s, p);
    fill_indices(s, index, p);
    if (s->b->pulse.stopped) (void)tn_scene_fail(s->b, TENON_ERR_CANCELLED, NULL, "cancelled");
}
