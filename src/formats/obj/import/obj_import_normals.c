// obj_import_normals.c: computes normals from smoothing groups.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import_shape.h"

#include "core/math/math.h"

typedef struct making {
    obj_model *m;
    double (*sums)[3];
    uint32_t count;
    uint32_t *owners;       // For each item of `shared`, its normal plus one.
    obj_triples shared;     // Vertices and smoothing groups.
    uint64_t corner_count;  // Corners that got a normal.
} making;

const float *obj_normal_at(const obj_model *m, uint32_t index)
{
    if (index < m->normal_count) return m->normals + 3 * (size_t)index;
    return m->made + 3 * (size_t)(index - m->normal_count);
}

// Parts without normals stay so, unless they have smoothing groups.
static bool lacks_normals(const obj_part *part)
{
    bool is_wanted = part->is_smoothed || part->with_normal;
    return part->mode == TENON_TRIANGLES && is_wanted && part->with_normal < part->corner_count;
}

// The normal that all corners at a vertex in a smoothing group share.
static uint32_t shared_normal(making *made, uint32_t vertex, uint32_t group)
{
    uint32_t place = obj_triples_add(&made->shared, vertex, group, 0);
    if (made->owners[place] == 0) made->owners[place] = ++made->count;
    return made->owners[place] - 1;
}

static void add_face(making *made, const obj_element *element)
{
    obj_model *m = made->m;
    obj_corner *corners = m->corners + element->first;
    bool is_smooth = element->smoothing != 0 && element->smoothing != OBJ_NOT_SMOOTHED;
    uint32_t own = TENON_NONE;
    double normal[3];
    obj_polygon_normal(m, corners, element->count, normal);
    for (uint32_t i = 0; i < element->count; i++) {
        if (corners[i].vn != TENON_NONE) continue;
        bool is_new = is_smooth || own == TENON_NONE;
        uint32_t index = is_smooth ? shared_normal(made, corners[i].v, element->smoothing) : own;
        if (index == TENON_NONE) index = own = made->count++;
        for (int k = 0; is_new && k < 3; k++) made->sums[index][k] += normal[k];
        corners[i].vn = m->normal_count + index;
        made->corner_count++;
    }
}

static bool reserve(making *made, tn_arena *arena)
{
    uint64_t lacking = 0;
    for (uint32_t i = 0; i < made->m->part_count; i++) {
        const obj_part *part = &made->m->parts[i];
        if (lacks_normals(part)) lacking += part->corner_count - part->with_normal;
    }
    made->sums = tn_arena_alloc(arena, lacking, sizeof *made->sums, NULL);
    made->owners = tn_arena_alloc(arena, lacking, sizeof *made->owners, NULL);
    return made->sums && made->owners && obj_triples_begin(&made->shared, lacking, arena);
}

uint64_t obj_export_normals(obj_model *m, tn_arena *arena)
{
    making made = {.m = m};
    if (!reserve(&made, arena)) return TENON_ABSENT;
    for (uint32_t i = 0; i < m->element_count; i++)
        if (lacks_normals(&m->parts[m->elements[i].part])) add_face(&made, &m->elements[i]);
    for (uint32_t i = 0; i < m->part_count; i++)
        if (lacks_normals(&m->parts[i])) m->parts[i].with_normal = m->parts[i].corner_count;
    m->made = tn_arena_alloc(arena, made.count, 3 * sizeof *m->made, NULL);
    if (!m->made) return TENON_ABSENT;
    for (uint32_t i = 0; i < made.count; i++) {
        const double *sum = made.sums[i];
        tn_vec3 n = tn_vec3_normalise((tn_vec3){sum[0], sum[1], sum[2]});
        float *out = m->made + 3 * (size_t)i;
        out[0] = tn_to_float(n.x), out[1] = tn_to_float(n.y), out[2] = tn_to_float(n.z);
    }
    return made.corner_count;
}
