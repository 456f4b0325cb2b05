// gltf_export_meshes.c: meshes: positions, colors, influences and synthesized tangents.
// SPDX-License-Identifier: MIT
//
// Streams that several primitives share are examined once.

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"
#include "scene/model/pieces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINTS_MOST  65536u
#define EMPTY        (TENON_NONE - 1)  // The mesh has nothing to draw.
#define WEIGHT_SLACK 1e-7              // How far from 1 a sum of weights may be.

// -- Positions

// Positions, or offsets of a morph target. `cube` is NULL if they are floats.
static uint32_t gltf_export_meshes_add_positions(gltf_exporter *exporter, const float *positions,
                                                 uint32_t count, const gltf_place *cube,
                                                 bool are_offsets)
{
    gltf_stream stream = !cube ? GLTF_POSITIONS : are_offsets ? GLTF_OFFSETS16 : GLTF_POSITIONS16;
    uint32_t *place = gltf_export_find_planned(exporter, stream, positions, cube, count, 3);
    if (!place) return TENON_NONE;
    if (*place != TENON_NONE) return *place;
    uint32_t index = *place = gltf_export_add_accessor(exporter, stream, positions, count, 3);
    float *bounds = gltf_export_alloc(exporter, 6, sizeof *bounds);
    if (!bounds) return index;
    exporter->accessors[index].place = cube;
    for (int k = 0; k < 3; k++) bounds[k] = bounds[3 + k] = positions[k];
    for (uint64_t i = 1; i < count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            float v = positions[3 * i + k];
            if (v < bounds[k]) bounds[k] = v;
            if (v > bounds[3 + k]) bounds[3 + k] = v;
        }
    }
    exporter->accessors[index].bounds = bounds;
    return index;
}

// -- Colors

// Written as bytes if every value is a multiple of 1/255.
static uint32_t gltf_export_meshes_add_colors(gltf_exporter *exporter, const float *colors,
                                              uint32_t count, uint32_t mesh)
{
    uint32_t *place = gltf_export_find_planned(exporter, GLTF_COLORS, colors, NULL, count, 4);
    if (!place) return TENON_NONE;
    if (*place != TENON_NONE) return *place;
    uint64_t value_count = 4 * (uint64_t)count, outside = 0;
    for (uint64_t i = 0; i < value_count; i++) outside += !(colors[i] >= 0 && colors[i] <= 1);
    if (outside) {
        tn_tally_at(&exporter->losses[LOST_COLORS], outside, "meshes", mesh);
        float *clamped = gltf_export_alloc(exporter, value_count, sizeof *clamped);
        if (!clamped) return TENON_NONE;
        for (uint64_t i = 0; i < value_count; i++)
            clamped[i] = colors[i] > 1 ? 1 : colors[i] >= 0 ? colors[i] : 0;
        colors = clamped;
    }
    bool are_bytes = true;
    for (uint64_t i = 0; i < value_count && are_bytes; i++) {
        // Computed as double and rounded once: some machines keep more precision in between.
        float nearest = (float)((uint32_t)(colors[i] * 255.0 + 0.5) / 255.0);
        are_bytes = nearest == colors[i];
    }
    gltf_stream stream = are_bytes ? GLTF_COLORS8 : GLTF_COLORS;
    return *place = gltf_export_add_accessor(exporter, stream, colors, count, 4);
}

// -- Influences

// Whether the influences of a vertex can be written as they are: no joint twice, joint 0 where the
// weight is 0, and a sum of 1 within the precision of floats.
static bool gltf_export_meshes_is_clean(gltf_exporter *exporter, const uint16_t *joints,
                                        const float *weights, uint32_t count)
{
    double sum = 0;
    exporter->mark++;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
        if (weights[i] == 0 && joints[i] != 0) return false;
        if (weights[i] == 0) continue;
        if (exporter->joint_marks[2 * joints[i]] == exporter->mark) return false;
        exporter->joint_marks[2 * joints[i]] = exporter->mark;
    }
    return fabs(sum - 1) <= WEIGHT_SLACK;
}

static void gltf_export_meshes_clean(gltf_exporter *exporter, uint16_t *joints, float *weights,
                                     uint32_t count)
{
    double sum = 0;
    exporter->mark++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *mark = &exporter->joint_marks[2 * joints[i]];
        sum += weights[i];
        if (weights[i] != 0 && mark[0] != exporter->mark) {
            mark[0] = exporter->mark;
            mark[1] = i;
            continue;
        }
        if (weights[i] != 0) weights[mark[1]] += weights[i];
        weights[i] = 0;
        joints[i] = 0;
    }
    for (uint32_t i = 0; i < count && sum > 0; i++) weights[i] = (float)(weights[i] / sum);
}

// Marks increase; before they overflow, all are reset.
static bool gltf_export_meshes_prepare_marks(gltf_exporter *exporter, uint32_t count)
{
    if (!exporter->joint_marks)
        exporter->joint_marks =
            gltf_export_alloc(exporter, JOINTS_MOST, 2 * sizeof *exporter->joint_marks);
    if (!exporter->joint_marks) return false;
    if (exporter->mark < UINT32_MAX / 2 && count < UINT32_MAX / 4) return true;
    memset(exporter->joint_marks, 0, JOINTS_MOST * 2 * sizeof *exporter->joint_marks);
    exporter->mark = 0;
    return true;
}

// Replace the influences by a clean copy if a vertex needs that.
static bool gltf_export_meshes_clean_influences(gltf_exporter *exporter, const uint16_t **joints,
                                                const float **weights, uint32_t count,
                                                uint32_t each)
{
    uint64_t first = 0;
    if (!gltf_export_meshes_prepare_marks(exporter, count)) return false;
    while (first < count && gltf_export_meshes_is_clean(exporter, *joints + first * each,
                                                        *weights + first * each, each))
        first++;
    if (first == count) return true;
    uint16_t *new_joints = gltf_export_alloc(exporter, (uint64_t)count * each, sizeof *new_joints);
    float *new_weights = gltf_export_alloc(exporter, (uint64_t)count * each, sizeof *new_weights);
    if (!new_joints || !new_weights || !gltf_export_meshes_prepare_marks(exporter, count))
        return false;
    memcpy(new_joints, *joints, (size_t)count * each * sizeof *new_joints);
    memcpy(new_weights, *weights, (size_t)count * each * sizeof *new_weights);
    for (uint64_t i = first; i < count; i++)
        if (!gltf_export_meshes_is_clean(exporter, new_joints + i * each, new_weights + i * each,
                                         each))
            gltf_export_meshes_clean(exporter, new_joints + i * each, new_weights + i * each, each);
    *joints = new_joints;
    *weights = new_weights;
    return true;
}

static void gltf_export_meshes_add_influences(gltf_exporter *exporter, gltf_primitive *out,
                                              uint32_t count)
{
    const tenon_primitive *p = out->source;
    uint32_t each = p->influence_count, most = 0;
    const uint16_t *joints = p->joints;
    const float *weights = p->weights;
    out->set_count = each / 4;
    uint32_t *place =
        gltf_export_find_planned(exporter, GLTF_JOINTS16, joints, weights, count, each);
    if (!place) return;
    if (*place == TENON_NONE) {
        *place = exporter->accessor_count;
        if (!gltf_export_meshes_clean_influences(exporter, &joints, &weights, count, each)) return;
        for (uint64_t i = 0; i < (uint64_t)count * each; i++)
            most = joints[i] > most ? joints[i] : most;
        gltf_stream stream = most <= UINT8_MAX ? GLTF_JOINTS8 : GLTF_JOINTS16;
        if (exporter->places) weights = gltf_export_round_weights(exporter, weights, count, each);
        if (exporter->failed) return;
        for (uint32_t k = 0; k < out->set_count; k++)
            gltf_export_add_accessor(exporter, stream, joints + 4 * (size_t)k, count, each);
        for (uint32_t k = 0; k < out->set_count; k++)
            gltf_export_add_accessor(exporter, exporter->places ? GLTF_WEIGHTS16 : GLTF_WEIGHTS,
                                     weights + 4 * (size_t)k, count, each);
    }
    out->joints = *place;
    out->weights = *place + out->set_count;
}

// -- Tangents
//
// The tangent of a vertex is the mean direction of increasing u of the faces around it, weighted by
// area. Primitives that share vertices share tangents.

// Tangents that are being computed: sums of directions and of handedness.
typedef struct gltf_tangent_sums {
    struct gltf_tangent_sums *next;
    const float *normals;
    float *tangents;
    uint32_t count;
} gltf_tangent_sums;

static tn_vec3 gltf_export_meshes_point(const float *values, uint32_t vertex)
{
    const float *v = values + 3 * (size_t)vertex;
    return (tn_vec3){v[0], v[1], v[2]};
}

static void gltf_export_meshes_add_face(const tenon_primitive *p, const float *uvs,
                                        const uint32_t v[3], float *tangents)
{
    const float *a = uvs + 2 * (size_t)v[0], *b = uvs + 2 * (size_t)v[1],
                *c = uvs + 2 * (size_t)v[2];
    tn_vec3 origin = gltf_export_meshes_point(p->positions, v[0]);
    tn_vec3 e1 = tn_vec3_sub(gltf_export_meshes_point(p->positions, v[1]), origin);
    tn_vec3 e2 = tn_vec3_sub(gltf_export_meshes_point(p->positions, v[2]), origin);
    double u1 = (double)b[0] - a[0], u2 = (double)c[0] - a[0];
    double v1 = (double)b[1] - a[1], v2 = (double)c[1] - a[1];
    double side = u1 * v2 - u2 * v1 > 0 ? 1 : -1;
    double area = tn_vec3_length(tn_vec3_cross(e1, e2));
    tn_vec3 t = tn_vec3_sub(tn_vec3_scale(e1, v2), tn_vec3_scale(e2, v1));
    t = tn_vec3_scale(tn_vec3_normalise(t), side * area);
    for (int k = 0; k < 3; k++) {
        float *sum = tangents + 4 * (size_t)v[k];
        sum[0] += (float)t.x, sum[1] += (float)t.y, sum[2] += (float)t.z;
        // v points down in the picture, the bitangent up.
        sum[3] -= (float)(side * area);
    }
}

static uint32_t gltf_export_meshes_tangents_for(gltf_exporter *exporter, const tenon_primitive *p,
                                                uint32_t uv_set, uint32_t count)
{
    uint32_t *place =
        gltf_export_find_planned(exporter, GLTF_TANGENTS, p->normals, p->uvs[uv_set], count, 4);
    if (!place) return TENON_NONE;
    if (*place == TENON_NONE) {
        gltf_tangent_sums *sums = gltf_export_alloc(exporter, 1, sizeof *sums);
        float *tangents = gltf_export_alloc(exporter, count, 4 * sizeof *tangents);
        if (!sums || !tangents) return TENON_NONE;
        *sums = (gltf_tangent_sums){exporter->tangent_sums, p->normals, tangents, count};
        exporter->tangent_sums = sums;
        *place = gltf_export_add_accessor(
            exporter, exporter->places ? GLTF_TANGENTS8 : GLTF_TANGENTS, tangents, count, 4);
    }
    if (*place == TENON_NONE) return TENON_NONE;
    float *tangents = (float *)(uintptr_t)exporter->accessors[*place].data;
    for (uint64_t i = 0; i < tn_piece_count(p); i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        gltf_export_meshes_add_face(p, p->uvs[uv_set], v, tangents);
    }
    return *place;
}

// Make a sum of directions a tangent: perpendicular to the normal, of length 1.
static void gltf_export_meshes_finish_tangent(tn_vec3 n, float *tangent)
{
    tn_vec3 t = {tangent[0], tangent[1], tangent[2]};
    tn_vec3 flat = tn_vec3_sub(t, tn_vec3_scale(n, tn_vec3_dot(n, t)));
    if (!(tn_vec3_length(flat) > 1e-4 * tn_vec3_length(t))) {
        // Any direction perpendicular to the normal.
        tn_vec3 axis = fabs(n.x) < 0.5 ? (tn_vec3){1, 0, 0} : (tn_vec3){0, 1, 0};
        flat = tn_vec3_cross(axis, n);
    }
    t = tn_vec3_normalise(flat);
    tangent[0] = (float)t.x, tangent[1] = (float)t.y, tangent[2] = (float)t.z;
    tangent[3] = tangent[3] < 0 ? -1 : 1;
}

void gltf_export_add_tangents(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->mesh_count; i++) {
        const gltf_mesh *mesh = &exporter->meshes[i];
        for (uint32_t k = 0; k < mesh->count && !exporter->failed; k++) {
            gltf_primitive *p = &exporter->primitives[mesh->first + k];
            uint32_t count = exporter->accessors[p->positions].count;
            if (p->source->normals)
                p->tangents = gltf_export_share_accessor(
                    exporter, exporter->places ? GLTF_TANGENTS8 : GLTF_TANGENTS,
                    p->source->tangents, count, false);
            if (p->tangents != TENON_NONE || p->material == TENON_NONE) continue;
            const gltf_material *material = &exporter->materials[p->material];
            if (!gltf_export_has_texture(exporter, material, TENON_SLOT_NORMAL)) continue;
            const tenon_texture *texture =
                &exporter->scene->materials[material->source].textures[TENON_SLOT_NORMAL];
            p->tangents =
                gltf_export_meshes_tangents_for(exporter, p->source, texture->uv_set, count);
            tn_tally_at(&exporter->losses[LOST_TANGENTS], count, "meshes", mesh->source);
        }
    }
    const gltf_tangent_sums *sums = exporter->tangent_sums;
    for (; sums && !exporter->failed; sums = sums->next)
        for (uint32_t i = 0; i < sums->count; i++)
            gltf_export_meshes_finish_tangent(gltf_export_meshes_point(sums->normals, i),
                                              sums->tangents + 4 * (size_t)i);
}

// -- Primitives

// The textures that the primitive has texture coordinates for. Normal textures also need normals,
// and tangents or triangles to compute them.
static uint32_t gltf_export_meshes_usable_slots(gltf_exporter *exporter, const tenon_primitive *p,
                                                uint32_t mesh)
{
    const tenon_material *material = &exporter->scene->materials[p->material];
    bool can_have_tangents = p->normals && (p->tangents || p->mode >= TENON_TRIANGLES);
    uint32_t slots = 0;
    for (uint32_t slot = 0; slot <= TENON_SLOT_EMISSIVE; slot++) {
        const tenon_texture *texture = &material->textures[slot];
        if (texture->image == TENON_NONE) continue;
        if (!p->uvs[texture->uv_set])
            tn_tally_at(&exporter->losses[LOST_TEXTURES], 1, "meshes", mesh);
        else if (slot == TENON_SLOT_NORMAL && !can_have_tangents)
            tn_tally_at(&exporter->losses[LOST_NORMAL_TEXTURES], 1, "meshes", mesh);
        else
            slots |= 1u << slot;
    }
    return slots;
}

// The morph targets of a primitive. All primitives of a mesh have the same number of them, and none
// may be empty: one that moves nothing gets offsets of 0.
static void gltf_export_meshes_plan_morphs(gltf_exporter *exporter, gltf_primitive *out,
                                           uint32_t morph_count, uint32_t count,
                                           const gltf_place *cube)
{
    const tenon_primitive *p = out->source;
    float *zeros = NULL;
    out->morphs = gltf_export_alloc(exporter, morph_count, sizeof *out->morphs);
    for (uint32_t i = 0; i < morph_count && !exporter->failed; i++) {
        tenon_morph morph = i < p->morph_count ? p->morphs[i] : (tenon_morph){0};
        if (!morph.positions && !morph.normals && !morph.tangents) {
            if (!zeros) zeros = gltf_export_alloc(exporter, count, 3 * sizeof *zeros);
            morph.positions = zeros;
            if (!zeros) return;
        }
        out->morphs[i].positions =
            morph.positions
                ? gltf_export_meshes_add_positions(exporter, morph.positions, count, cube, true)
                : TENON_NONE;
        out->morphs[i].normals =
            gltf_export_share_accessor(exporter, GLTF_NORMALS, morph.normals, count, false);
        out->morphs[i].tangents =
            gltf_export_share_accessor(exporter, GLTF_NORMALS, morph.tangents, count, false);
    }
}

// Returns false if there is nothing to draw.
static bool gltf_export_meshes_plan_primitive(gltf_exporter *exporter, const tenon_primitive *p,
                                              uint32_t mesh, bool is_skinned)
{
    uint32_t drawn = p->indices ? p->index_count : p->vertex_count;
    uint32_t left_over =
        p->mode == TENON_LINES || p->mode == TENON_TRIANGLES ? drawn % tn_piece_size(p->mode) : 0;
    uint32_t whole = drawn - left_over;
    if (!p->vertex_count || tn_piece_count(p) == 0) return false;
    tn_tally_at(&exporter->losses[LOST_VERTICES], left_over, "meshes", mesh);
    uint32_t count = p->indices ? p->vertex_count : whole;
    gltf_primitive out = {.source = p, .material = TENON_NONE};
    // 0xffff is not a valid 16-bit index: it means primitive restart.
    gltf_stream indices = p->vertex_count <= UINT16_MAX ? GLTF_INDICES16 : GLTF_INDICES32;
    out.indices = gltf_export_share_accessor(exporter, indices, p->indices, whole, false);
    const gltf_place *cube = gltf_export_place_of(exporter, mesh, is_skinned);
    out.positions = gltf_export_meshes_add_positions(exporter, p->positions, count, cube, false);
    out.normals = gltf_export_share_accessor(
        exporter, exporter->places ? GLTF_NORMALS8 : GLTF_NORMALS, p->normals, count, false);
    out.tangents = TENON_NONE;  // See gltf_export_add_tangents().
    for (int k = 0; k < TENON_UV_SETS; k++)
        out.uvs[k] = gltf_export_share_accessor(
            exporter, gltf_export_uv_stream(exporter, p->uvs[k], count), p->uvs[k], count, false);
    // Sets are numbered without gaps: a missing set of texture coordinates is a copy of the next.
    for (int k = TENON_UV_SETS - 1; k > 0; k--) {
        if (out.uvs[k] == TENON_NONE || out.uvs[k - 1] != TENON_NONE) continue;
        out.uvs[k - 1] = out.uvs[k];
        tn_tally_at(&exporter->losses[LOST_UV_GAPS], 1, "meshes", mesh);
    }
    for (int k = 0; k < TENON_COLOR_SETS; k++) {
        out.colors[k] = TENON_NONE;
        if (!p->colors[k]) continue;
        if (k == 0 || p->colors[k - 1])
            out.colors[k] = gltf_export_meshes_add_colors(exporter, p->colors[k], count, mesh);
        else
            tn_tally_at(&exporter->losses[LOST_COLOR_SETS], 1, "meshes", mesh);
    }
    uint32_t morph_count = exporter->scene->meshes[mesh].morph_count;
    if (morph_count) gltf_export_meshes_plan_morphs(exporter, &out, morph_count, count, cube);
    if (is_skinned)
        gltf_export_meshes_add_influences(exporter, &out, count);
    else if (p->influence_count)
        tn_tally_at(&exporter->losses[LOST_WEIGHTS], 1, "meshes", mesh);
    if (p->material != TENON_NONE)
        out.material = gltf_export_material_for(exporter, p->material,
                                                gltf_export_meshes_usable_slots(exporter, p, mesh));
    uint32_t index = gltf_export_grow(exporter, (void **)(void *)&exporter->primitives,
                                      &exporter->primitive_count, &exporter->primitive_room,
                                      sizeof *exporter->primitives);
    if (index != TENON_NONE) exporter->primitives[index] = out;
    return true;
}

// -- Meshes

uint32_t gltf_export_mesh_for(gltf_exporter *exporter, uint32_t source, bool is_skinned)
{
    if (exporter->failed) return TENON_NONE;
    uint32_t *place =
        is_skinned ? &exporter->skinned_mesh_of[source] : &exporter->plain_mesh_of[source];
    if (*place != TENON_NONE) return *place == EMPTY ? TENON_NONE : *place;
    const tenon_mesh *mesh = &exporter->scene->meshes[source];
    uint32_t first = exporter->primitive_count;
    for (uint32_t i = 0; i < mesh->primitive_count && !exporter->failed; i++)
        if (!gltf_export_meshes_plan_primitive(exporter, &mesh->primitives[i], source, is_skinned))
            tn_tally_at(&exporter->losses[LOST_PARTS], 1, "meshes", source);
    uint32_t count = exporter->primitive_count - first;
    *place = EMPTY;
    if (count == 0 || exporter->failed) return TENON_NONE;
    uint32_t index =
        gltf_export_grow(exporter, (void **)(void *)&exporter->meshes, &exporter->mesh_count,
                         &exporter->mesh_room, sizeof *exporter->meshes);
    if (index != TENON_NONE) exporter->meshes[index] = (gltf_mesh){source, first, count};
    return *place = index;
}

void gltf_export_report_unused_meshes(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->scene->mesh_count && !exporter->failed; i++) {
        bool has_plain = exporter->plain_mesh_of[i] < EMPTY;
        bool has_skinned = exporter->skinned_mesh_of[i] < EMPTY;
        tn_tally_at(&exporter->losses[LOST_MESHES], !has_plain && !has_skinned, "meshes", i);
    }
}

// -- Text

static void gltf_export_meshes_set(gltf_exporter *exporter, const char *name, uint32_t set,
                                   uint32_t accessor)
{
    char key[24];
    if (accessor == TENON_NONE) return;
    (void)snprintf(key, sizeof key, "%s_%u", name, (unsigned)set);
    gltf_export_index(exporter, key, accessor);
}

void gltf_export_write_mesh(gltf_exporter *exporter, uint32_t index)
{
    const gltf_mesh *mesh = &exporter->meshes[index];
    const tenon_mesh *source = &exporter->scene->meshes[mesh->source];
    gltf_export_name(exporter, source->name);
    gltf_export_begin_array(exporter, "primitives");
    for (uint32_t k = 0; k < mesh->count; k++) {
        const gltf_primitive *p = &exporter->primitives[mesh->first + k];
        gltf_export_begin_object(exporter, NULL);
        gltf_export_begin_object(exporter, "attributes");
        gltf_export_index(exporter, "POSITION", p->positions);
        gltf_export_index(exporter, "NORMAL", p->normals);
        gltf_export_index(exporter, "TANGENT", p->tangents);
        for (uint32_t n = 0; n < TENON_UV_SETS; n++)
            gltf_export_meshes_set(exporter, "TEXCOORD", n, p->uvs[n]);
        for (uint32_t n = 0; n < TENON_COLOR_SETS; n++)
            gltf_export_meshes_set(exporter, "COLOR", n, p->colors[n]);
        for (uint32_t n = 0; n < p->set_count; n++)
            gltf_export_meshes_set(exporter, "JOINTS", n, p->joints + n);
        for (uint32_t n = 0; n < p->set_count; n++)
            gltf_export_meshes_set(exporter, "WEIGHTS", n, p->weights + n);
        gltf_export_kept_attributes(exporter, p);
        gltf_export_end_object(exporter);
        gltf_export_index(exporter, "indices", p->indices);
        gltf_export_index(exporter, "material", p->material);
        if (p->source->mode != TENON_TRIANGLES)
            gltf_export_index(exporter, "mode", (uint32_t)p->source->mode);
        if (source->morph_count) gltf_export_begin_array(exporter, "targets");
        for (uint32_t n = 0; n < source->morph_count; n++) {
            gltf_export_begin_object(exporter, NULL);
            gltf_export_index(exporter, "POSITION", p->morphs[n].positions);
            gltf_export_index(exporter, "NORMAL", p->morphs[n].normals);
            gltf_export_index(exporter, "TANGENT", p->morphs[n].tangents);
            gltf_export_end_object(exporter);
        }
        if (source->morph_count) gltf_export_end_array(exporter);
        gltf_export_kept_members(exporter, gltf_export_kept_primitive(exporter, p->source->origin));
        gltf_export_end_object(exporter);
    }
    gltf_export_end_array(exporter);
    static const char *const names[] = {"targetNames", NULL};
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_MESHES, source->origin);
    if (!gltf_export_all_equal(source->morph_weights, source->morph_count, 0) ||
        (source->morph_count && tn_json_tree_get(from, "weights")))
        gltf_export_numbers(exporter, "weights", source->morph_weights, source->morph_count);
    bool has_extras = gltf_export_has_extras(exporter, TENON_EXTRA_OF_MESH, mesh->source, from);
    bool has_names = false;
    gltf_export_kept_extensions(exporter, from);
    for (uint32_t n = 0; n < source->morph_count; n++)
        has_names = has_names || source->morph_names[n].size;
    if (!has_names) {
        gltf_export_extras(exporter, TENON_EXTRA_OF_MESH, mesh->source, from);
        return;
    }
    gltf_export_begin_object(exporter, "extras");
    gltf_export_begin_array(exporter, "targetNames");
    for (uint32_t n = 0; n < source->morph_count; n++)
        tn_json_put_string_bytes(&exporter->json, source->morph_names[n].data,
                                 source->morph_names[n].size);
    gltf_export_end_array(exporter);
    if (has_extras)
        gltf_export_extra_members(exporter, TENON_EXTRA_OF_MESH, mesh->source, from, names);
    gltf_export_end_object(exporter);
}
