// obj_import_normals.c: computes normals from smoothing groups.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import_shape.h"

#include "core/math/math.h"

typedef struct obj_normal_builder {
    obj_model *model;
    double (*sums)[3];
    uint32_t count;
    uint32_t *owners;       // For each item of `shared`, its normal plus one.
    obj_triples shared;     // Vertices and smoothing groups.
    uint64_t corner_count;  // Corners that got a normal.
} obj_normal_builder;

const float *obj_normal_at(const obj_model *m, uint32_t index)
{
    if (index < m->normal_count) return m->normals + 3 * (size_t)index;
    return m->computed_normals + 3 * (size_t)(index - m->normal_count);
}

// Parts without normals stay so, unless they have smoothing groups.
static bool lacks_normals(const obj_part *part)
{
    bool is_wanted = part->is_smoothed || part->with_normal;
    return part->mode == TENON_TRIANGLES && is_wanted && part->with_normal < part->corner_count;
}

// The normal that all corners at a vertex in a smoothing group share.
static uint32_t shared_normal(obj_normal_builder *builder, uint32_t vertex, uint32_t group)
{
    uint32_t place = obj_triples_add(&builder->shared, vertex, group, 0);
    if (builder->owners[place] == 0) builder->owners[place] = ++builder->count;
    return builder->owners[place] - 1;
}

static void add_face(obj_normal_builder *builder, const obj_element *element)
{
    obj_model *m = builder->model;
    obj_corner *corners = m->corners + element->first;
    bool is_smooth = element->smoothing != 0 && element->smoothing != OBJ_NOT_SMOOTHED;
    uint32_t own = TENON_NONE;
    double normal[3];
    obj_polygon_normal(m, corners, element->count, normal);
    for (uint32_t i = 0; i < element->count; i++) {
        if (corners[i].vn != TENON_NONE) continue;
        bool is_new = is_smooth || own == TENON_NONE;
        uint32_t index = is_smooth ? shared_normal(builder, corners[i].v, element->smoothing) : own;
        if (index == TENON_NONE) index = own = builder->count++;
        for (int k = 0; is_new && k < 3; k++) builder->sums[index][k] += normal[k];
        corners[i].vn = m->normal_count + index;
        builder->corner_count++;
    }
}

static bool allocate_normals(obj_normal_builder *builder, tn_arena *arena)
{
    uint64_t lacking = 0;
    for (uint32_t i = 0; i < builder->model->part_count; i++) {
        const obj_part *part = &builder->model->parts[i];
        if (lacks_normals(part)) lacking += part->corner_count - part->with_normal;
    }
    builder->sums = tn_arena_alloc(arena, lacking, sizeof *builder->sums, NULL);
    builder->owners = tn_arena_alloc(arena, lacking, sizeof *builder->owners, NULL);
    return builder->sums && builder->owners && obj_triples_begin(&builder->shared, lacking, arena);
}

uint64_t obj_compute_normals(obj_model *m, tn_arena *arena)
{
    obj_normal_builder builder = {.model = m};
    if (!allocate_normals(&builder, arena)) return TENON_ABSENT;
    for (uint32_t i = 0; i < m->element_count; i++)
        if (lacks_normals(&m->parts[m->elements[i].part])) add_face(&builder, &m->elements[i]);
    for (uint32_t i = 0; i < m->part_count; i++)
        if (lacks_normals(&m->parts[i])) m->parts[i].with_normal = m->parts[i].corner_count;
    m->computed_normals =
        tn_arena_alloc(arena, builder.count, 3 * sizeof *m->computed_normals, NULL);
    if (!m->computed_normals) return TENON_ABSENT;
    for (uint32_t i = 0; i < builder.count; i++) {
        const double *sum = builder.sums[i];
        tn_vec3 n = tn_vec3_normalise((tn_vec3){sum[0], sum[1], sum[2]});
        float *out = m->computed_normals + 3 * (size_t)i;
        out[0] = tn_to_float(n.x), out[1] = tn_to_float(n.y), out[2] = tn_to_float(n.z);
    }
    return builder.corner_count;
}
