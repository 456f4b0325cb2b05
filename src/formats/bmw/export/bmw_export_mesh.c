// bmw_export_mesh.c: the vertices, faces and weights of BMW meshes.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <string.h>

// Writes one mesh.
typedef struct bmw_filler {
    bmw_exporter *m;
    const bmw_group *group;
    const tn_part *part;
    float *positions, *normals;           // Of the part, as they are stored.
    bool is_mirrored;                     // Its faces must be reversed.
    uint8_t *vertices, *faces, *weights;  // The next bytes to write.
    uint32_t vertex_id;                   // Of the next vertex.
    uint64_t weighted_count;
} bmw_filler;

// -- Positions

static tn_vec3 bmw_load_vector(const float *v)
{
    return (tn_vec3){v[0], v[1], v[2]};
}

static void bmw_store_vector(float *to, tn_vec3 v)
{
    to[0] = tn_to_float(v.x), to[1] = tn_to_float(v.y), to[2] = tn_to_float(v.z);
}

// From the scene to the model's node.
static void bmw_move_vertices(bmw_filler *f)
{
    const tn_mat4 *to_model = &f->m->to_model;
    tn_mat4 back = tn_mat4_identity();
    (void)tn_mat4_affine_inverse(to_model, &back);
    tn_mat4 turned = tn_mat4_transpose(&back);
    for (uint32_t i = 0; i < f->part->p->vertex_count; i++) {
        float *p = f->positions + 3 * (size_t)i, *n = f->normals + 3 * (size_t)i;
        bmw_store_vector(p, tn_mat4_point(to_model, bmw_load_vector(p)));
        bmw_store_vector(n, tn_vec3_normalise(tn_mat4_vector(&turned, bmw_load_vector(n))));
    }
}

// Vertices that frames or nodes of the tree move are stored unchanged. All others are stored in the
// rest pose.
static bool bmw_place_vertices(bmw_filler *f)
{
    const tn_part *part = f->part;
    const tenon_primitive *p = part->p;
    const bmw_exporter *m = f->m;
    bool is_moved = m->is_animated && (part->is_skinned || part->bone != TENON_NONE);
    f->positions = p->positions;
    f->normals = p->normals;
    f->is_mirrored = false;
    if (is_moved || (m->keeps_tree && !part->is_skinned)) return true;
    f->positions = tn_export_alloc(&m->e, p->vertex_count, 3 * sizeof(float));
    f->normals = tn_export_alloc(&m->e, p->vertex_count, 3 * sizeof(float));
    if (!f->positions || !f->normals) return false;
    tenon_pose_skin(m->pose, part->node, part->primitive, f->positions, f->normals);
    if (m->model != TENON_NONE) bmw_move_vertices(f);
    bmw_export_finite(f->m, f->positions, 3 * (uint64_t)p->vertex_count);
    bmw_export_finite(f->m, f->normals, 3 * (uint64_t)p->vertex_count);
    if (part->is_skinned) return true;
    tn_mat4 global;
    memcpy(global.m, tenon_pose_global(m->pose, part->node), sizeof global.m);
    tn_mat4 seen = tn_mat4_mul(&m->to_model, &global);
    f->is_mirrored = tn_mat4_determinant(&seen) < 0;
    return true;
}

// -- Vertices

// The color byte that is nearest to a linear value.
static uint32_t bmw_level(const bmw_exporter *m, double value)
{
    uint32_t low = 0, high = 255;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (m->levels[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return value - m->levels[low] <= m->levels[high] - value ? low : high;
}

static bool bmw_is_near(double a, double b)
{
    return a - b < 1e-6 && b - a < 1e-6;
}

// The color of the material is multiplied into that of the vertex.
static void bmw_put_color(bmw_filler *f, uint32_t vertex, uint8_t *to)
{
    const float *from = f->part->p->colors[0];
    const bmw_material_plan *paint = bmw_paint_of(f->m, f->part->p);
    uint32_t color[4] = {255, 255, 255, 255};
    bool is_exact = true;
    for (uint32_t k = 0; k < 4; k++) {
        double value = from ? from[4 * (size_t)vertex + k] : 1;
        if (k < 3) value *= paint->color[k];
        value = value < 0 ? 0 : value > 1 ? 1 : value;
        color[k] = k < 3 ? bmw_level(f->m, value) : (uint32_t)(255 * value + 0.5);
        double stored = k < 3 ? f->m->levels[color[k]] : color[k] / 255.0;
        is_exact = is_exact && bmw_is_near(stored, value);
    }
    if (f->vertex_id >= f->group->front) f->m->counts.colors += !is_exact;
    tn_copy_numbers(to, color, 4, 4, false);
}

static void bmw_put_uv(const bmw_filler *f, uint32_t vertex, uint8_t *to)
{
    const bmw_material_plan *paint = bmw_paint_of(f->m, f->part->p);
    const float *from = f->part->p->uvs[paint->uv_set];
    float uv[2] = {0, 0};
    if (from) {
        double u = from[2 * (size_t)vertex], v = from[2 * (size_t)vertex + 1];
        uv[0] = tn_to_float(u);
        uv[1] = tn_to_float(1 - v);
        if (paint->has_transform) {
            uv[0] = tn_to_float(paint->across[0] * u + paint->across[1] * v + paint->across[2]);
            uv[1] = tn_to_float(1 - (paint->down[0] * u + paint->down[1] * v + paint->down[2]));
        }
    }
    bmw_export_finite(f->m, uv, 2);
    tn_copy_numbers(to, uv, 2, 4, false);
}

static void bmw_put_vertex(bmw_filler *f, uint32_t vertex)
{
    uint8_t *to = f->vertices;
    tn_copy_numbers(to, f->positions + 3 * (size_t)vertex, 3, 4, false);
    bmw_put_color(f, vertex, to + 12);
    bmw_put_uv(f, vertex, to + 28);
    tn_copy_numbers(to + 36, f->normals + 3 * (size_t)vertex, 3, 4, false);
    f->vertices += BMW_VERTEX_SIZE;
}

static void bmw_put_u32(uint8_t **to, uint32_t value)
{
    tn_copy_numbers(*to, &value, 1, 4, false);
    *to += 4;
}

// All weights of a vertex, which the format's own text allows, but the engine does not.
static void bmw_put_all_weights(bmw_filler *f, uint32_t vertex)
{
    const tn_part *part = f->part;
    size_t all = part->p->influence_count, at = all * vertex;
    uint32_t count = 0;
    for (size_t i = 0; i < all; i++) count += part->p->weights[at + i] > 0;
    if (count == 0) return;
    f->weighted_count++;
    bmw_put_u32(&f->weights, f->vertex_id);
    bmw_put_u32(&f->weights, count);
    for (size_t i = 0; i < all; i++) {
        if (!(part->p->weights[at + i] > 0)) continue;
        bmw_put_u32(&f->weights, f->m->bone_ids[part->bones[part->p->joints[at + i]]]);
        tn_copy_numbers(f->weights, &part->p->weights[at + i], 1, 4, false);
        f->weights += 4;
    }
}

static void bmw_put_weights(bmw_filler *f, uint32_t vertex)
{
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    uint32_t count = bmw_vertex_bones(f->m, f->part, vertex, bones, weights);
    if (count == 0) return;
    f->weighted_count++;
    bmw_put_u32(&f->weights, f->vertex_id);
    bmw_put_u32(&f->weights, count);
    for (uint32_t i = 0; i < count; i++) {
        bmw_put_u32(&f->weights, f->m->bone_ids[bones[i]]);
        tn_copy_numbers(f->weights, &weights[i], 1, 4, false);
        f->weights += 4;
    }
}

static void bmw_put_both(bmw_filler *f, uint32_t vertex)
{
    bmw_put_vertex(f, vertex);
    if (f->m->keeps_tree && f->part->is_skinned)
        bmw_put_all_weights(f, vertex);
    else if (f->group->is_weighted)
        bmw_put_weights(f, vertex);
    f->vertex_id++;
}

// -- Meshes

static void bmw_put_faces(bmw_filler *f, uint32_t base)
{
    const tenon_primitive *p = f->part->p;
    for (uint32_t i = 0; i + 3 <= p->index_count; i += 3) {
        bmw_put_u32(&f->faces, base + p->indices[i]);
        bmw_put_u32(&f->faces, base + p->indices[i + (f->is_mirrored ? 2 : 1)]);
        bmw_put_u32(&f->faces, base + p->indices[i + (f->is_mirrored ? 1 : 2)]);
    }
}

// The padding is copies of the first vertex, which change neither bounds nor bones.
static bool bmw_put_part(bmw_filler *f)
{
    tn_mark mark = tn_arena_mark(f->m->e.arena);
    if (!bmw_place_vertices(f)) return false;
    while (f->vertex_id < f->group->front) bmw_put_both(f, 0);
    uint32_t base = f->vertex_id;
    for (uint32_t i = 0; i < f->part->p->vertex_count; i++) {
        if (!tn_export_goes_on(&f->m->e, 1)) return false;
        bmw_put_both(f, i);
    }
    bmw_put_faces(f, base);
    tn_arena_rewind(f->m->e.arena, mark);
    return true;
}

static bool bmw_export_mesh(bmw_exporter *m, const bmw_group *group, tenon_bmw_mesh *mesh)
{
    uint64_t vertices = group->vertex_count, influences = TN_INFLUENCES;
    for (uint32_t i = 0; i < group->count && m->keeps_tree; i++) {
        uint64_t own = m->rig.parts[m->order[group->first + i]].p->influence_count;
        if (own > influences) influences = own;
    }
    uint64_t most = 8 + 8 * influences;
    uint64_t weighted = group->is_weighted ? vertices : 0, faces = group->index_count / 3;
    uint8_t *vertex_bytes = tn_export_alloc(&m->e, vertices, BMW_VERTEX_SIZE);
    uint8_t *face_bytes = tn_export_alloc(&m->e, faces, 12);
    uint8_t *weight_bytes = tn_export_alloc(&m->e, weighted, (size_t)most);
    if (!vertex_bytes || !face_bytes || !weight_bytes) return false;
    bmw_filler f = {.m = m,
                    .group = group,
                    .vertices = vertex_bytes,
                    .faces = face_bytes,
                    .weights = weight_bytes};
    for (uint32_t i = 0; i < group->count; i++) {
        f.part = &m->rig.parts[m->order[group->first + i]];
        if (!bmw_put_part(&f)) return false;
    }
    mesh->vertices =
        (tenon_span){vertex_bytes, vertices * BMW_VERTEX_SIZE, vertices, &bmw_vertex_layout, false};
    uint64_t face_size = (uint64_t)(f.faces - face_bytes);
    mesh->faces = (tenon_span){face_bytes, face_size, face_size / 12, &tn_layout_u32x3, false};
    mesh->weighted_vertices = (tenon_span){weight_bytes, (uint64_t)(f.weights - weight_bytes),
                                           f.weighted_count, &bmw_weighted_layout, false};
    return true;
}

bool bmw_export_meshes(bmw_exporter *m)
{
    // The engine does not convert colors, so they are sRGB.
    for (int i = 0; i < 256; i++) m->levels[i] = (float)tn_linear_from_srgb(i / 255.0);
    m->doc->meshes = tn_export_alloc(&m->e, m->group_count, sizeof *m->doc->meshes);
    if (!m->doc->meshes) return false;
    m->doc->mesh_count = m->group_count;
    tenon_pose_set(m->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < m->group_count; i++)
        if (!bmw_export_mesh(m, &m->groups[i], &m->doc->meshes[i])) return false;
    return true;
}
