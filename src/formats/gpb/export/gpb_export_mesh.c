// gpb_export_mesh.c: plans and exports meshes, their parts, their vertices and their bounds.
// SPDX-License-Identifier: MIT
//
// A mesh has one list of vertices, all with the same elements, and a part for each primitive.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "exchange/rig.h"
#include "exchange/vertex_codec.h"
#include "scene/model/pieces.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <math.h>

#define GPB_SHORT_MOST    0xffffu  // The largest index of 16 bits.
#define GPB_ELEMENTS_MOST 15

_Static_assert(GPB_USE_TEXCOORD0 == TN_UV0 + 1, "usages are meanings, from 1 on");

// In the encoder's order.
static const tenon_gpb_element gpb_order[GPB_ELEMENTS_MOST] = {
    {GPB_USE_POSITION, 3},      {GPB_USE_NORMAL, 3},        {GPB_USE_TANGENT, 3},
    {GPB_USE_BINORMAL, 3},      {GPB_USE_TEXCOORD0, 2},     {GPB_USE_TEXCOORD0 + 1, 2},
    {GPB_USE_TEXCOORD0 + 2, 2}, {GPB_USE_TEXCOORD0 + 3, 2}, {GPB_USE_TEXCOORD0 + 4, 2},
    {GPB_USE_TEXCOORD0 + 5, 2}, {GPB_USE_TEXCOORD0 + 6, 2}, {GPB_USE_TEXCOORD0 + 7, 2},
    {GPB_USE_COLOR, 4},         {GPB_USE_WEIGHTS, 4},       {GPB_USE_INDICES, 4},
};

// -- Planning

// Indices at the end of a list that are too few for another line or triangle.
static uint32_t gpb_tail_of(const tenon_primitive *p)
{
    bool is_list = p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    return is_list ? p->index_count % tn_piece_size(p->mode) : 0;
}

void gpb_plan_meshes(gpb_exporter *exporter, const tn_mirrored_meshes *mirrored)
{
    const tenon_scene *scene = exporter->scene;
    exporter->meshes = gpb_alloc(exporter, scene->mesh_count, sizeof *exporter->meshes);
    for (uint32_t i = 0; i < scene->mesh_count && !exporter->failed; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        mesh->block = TENON_NONE;
        mesh->parts = gpb_alloc(exporter, scene->meshes[i].primitive_count, sizeof *mesh->parts);
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !exporter->failed; k++)
            if (tn_piece_count(&scene->meshes[i].primitives[k]))
                mesh->parts[mesh->part_count++] = k;
        mesh->is_drawn = mesh->part_count > 0;
        mesh->is_mirrored = mirrored->is_mirrored && mirrored->is_mirrored[i];
        bool is_copy = i >= scene->mesh_count - mirrored->copy_count;
        tn_tally_at(&exporter->lost.mirrored, is_copy, "meshes", i);
    }
}

void gpb_plan_elements(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        for (uint32_t k = 0; k < mesh->part_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[mesh->parts[k]];
            const tenon_material *material =
                p->material == TENON_NONE ? NULL : &scene->materials[p->material];
            bool is_lit = tn_piece_size(p->mode) == 3 && (!material || !material->is_unlit);
            bool has_normal_map = is_lit && material && p->uvs[0] &&
                                  material->textures[TENON_SLOT_NORMAL].image != TENON_NONE &&
                                  material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
            bool loses_weights = p->influence_count && mesh->is_rigid && !mesh->is_skinned;
            mesh->usages |= 1u << GPB_USE_POSITION;
            if (p->normals || is_lit) mesh->usages |= 1u << GPB_USE_NORMAL;
            if (p->tangents || has_normal_map)
                mesh->usages |= 1u << GPB_USE_TANGENT | 1u << GPB_USE_BINORMAL;
            if (p->colors[0]) mesh->usages |= 1u << GPB_USE_COLOR;
            for (uint32_t set = 0; set < TENON_UV_SETS; set++)
                if (p->uvs[set]) mesh->usages |= 1u << (GPB_USE_TEXCOORD0 + set);
            tn_tally_at(&exporter->lost.weights, loses_weights, "meshes", i);
            tn_tally_at(&exporter->lost.colors, p->colors[1] != NULL, "meshes", i);
            tn_tally_at(&exporter->lost.tails, gpb_tail_of(p), "meshes", i);
        }
        tn_tally_at(&exporter->lost.parts, scene->meshes[i].primitive_count - mesh->part_count,
                    "meshes", i);
        if (mesh->is_skinned) mesh->usages |= 1u << GPB_USE_WEIGHTS | 1u << GPB_USE_INDICES;
    }
}

// -- Vertices and parts

// Compute normals and tangents, and count other elements, which get default values.
static void gpb_add_missing_streams(gpb_exporter *exporter, uint32_t mesh, tenon_primitive *p)
{
    const tn_export *export = exporter->export;
    uint32_t usages = exporter->meshes[mesh].usages;
    if (usages & 1u << GPB_USE_NORMAL && !p->normals) {
        float *normals = gpb_alloc(exporter, p->vertex_count, 3 * sizeof *normals);
        if (!normals) return;
        bool ok = tn_smooth_normals(p, export->arena, &export->state->pulse, normals);
        exporter->failed = !tn_export_expect(export, ok);
        p->normals = normals;
        tn_tally_at(&exporter->lost.normals, p->vertex_count, "meshes", mesh);
    }
    if (usages & 1u << GPB_USE_TANGENT && !p->tangents && !exporter->failed) {
        float *tangents = gpb_alloc(exporter, p->vertex_count, 4 * sizeof *tangents);
        if (!tangents) return;
        bool has_faces = p->uvs[0] && tn_piece_size(p->mode) == 3;
        bool ok = !has_faces || tn_make_tangents(p, export->arena, &export->state->pulse, tangents);
        // Without faces, any tangents that are perpendicular to the normals.
        for (uint32_t i = 0; !has_faces && i < p->vertex_count; i++) {
            const float *n = p->normals + 3 * (size_t)i;
            bool is_along_x = n[0] > 0.9f || n[0] < -0.9f;
            tn_vec3 axis = is_along_x ? (tn_vec3){0, 1, 0} : (tn_vec3){1, 0, 0};
            tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, axis);
            side = tn_vec3_normalise(side);
            float *t = tangents + 4 * (size_t)i;
            t[0] = tn_to_float(side.x), t[1] = tn_to_float(side.y), t[2] = tn_to_float(side.z),
            t[3] = 1;
        }
        exporter->failed = !tn_export_expect(export, ok);
        p->tangents = tangents;
        tn_tally_at(&exporter->lost.tangents, p->vertex_count, "meshes", mesh);
    }
    uint64_t defaulted = usages & 1u << GPB_USE_COLOR && !p->colors[0];
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        defaulted += usages & 1u << (GPB_USE_TEXCOORD0 + set) && !p->uvs[set];
    tn_tally_at(&exporter->lost.elements, defaulted, "meshes", mesh);
}

static void gpb_export_vertices(gpb_exporter *exporter, uint32_t mesh, tenon_gpb_mesh *out)
{
    const gpb_mesh_plan *plan = &exporter->meshes[mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[mesh].primitives;
    tn_vertices to = {.is_v_up = true};
    tenon_layout *layout = gpb_alloc(exporter, 1, sizeof *layout);
    tenon_element *elements = gpb_alloc(exporter, GPB_ELEMENTS_MOST, sizeof *elements);
    out->elements = gpb_alloc(exporter, GPB_ELEMENTS_MOST, sizeof *out->elements);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < GPB_ELEMENTS_MOST; i++) {
        tenon_gpb_element element = gpb_order[i];
        if (!(plan->usages & 1u << element.usage)) continue;
        elements[out->element_count] = (tenon_element){
            gpb_usage_name(element.usage), TENON_TYPE_F32, element.size, 0, layout->stride};
        out->elements[out->element_count++] = element;
        to.streams[element.usage - 1] =
            (tn_vertex_stream){&out->vertices, layout->stride, element.size};
        layout->stride += 4 * (uint64_t)element.size;
    }
    layout->elements = elements;
    layout->element_count = out->element_count;
    uint64_t count = 0;
    for (uint32_t i = 0; i < plan->part_count; i++)
        count += primitives[plan->parts[i]].vertex_count;
    uint8_t *bytes = gpb_alloc(exporter, count, (size_t)layout->stride);
    if (exporter->failed) return;
    out->vertices = (tenon_span){
        .data = bytes, .size = count * layout->stride, .count = count, .layout = layout};
    uint32_t *numbers = NULL;  // The joints of a skin keep their numbers.
    uint64_t reduced = 0;
    for (uint32_t i = 0; i < plan->part_count && !exporter->failed; i++) {
        tenon_primitive p = primitives[plan->parts[i]];
        if (!plan->is_skinned) p.influence_count = 0;
        if (p.influence_count > TN_INFLUENCES && !numbers) {
            numbers = gpb_alloc(exporter, UINT16_MAX + 1, sizeof *numbers);
            for (uint32_t k = 0; numbers && k <= UINT16_MAX; k++) numbers[k] = k;
        }
        if (!exporter->failed) gpb_add_missing_streams(exporter, mesh, &p);
        tn_part part = {.p = &p, .is_skinned = true, .bones = numbers};
        if (!tn_part_prepare(exporter->export, &part)) exporter->failed = true;
        if (exporter->failed) return;
        tn_pack_vertices(&to, &p, bytes);
        uint8_t *binormal = bytes + to.streams[TN_BINORMAL].offset;
        const float *n = p.normals, *t = p.tangents;
        uint32_t sided = to.streams[TN_BINORMAL].count ? p.vertex_count : 0;
        for (uint32_t k = 0; k < sided; k++, n += 3, t += 4, binormal += layout->stride) {
            tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
            side = tn_vec3_scale(tn_vec3_normalise(side), t[3] < 0 ? -1 : 1);
            float v[3] = {tn_to_float(side.x), tn_to_float(side.y), tn_to_float(side.z)};
            tn_copy_numbers(binormal, v, 3, 4, false);
        }
        uint8_t *record = bytes;
        for (uint32_t v = 0; p.influence_count && v < p.vertex_count;
             v++, record += layout->stride) {
            uint32_t bones[TN_INFLUENCES];
            float weights[TN_INFLUENCES], joints[TN_INFLUENCES];
            size_t first = TN_INFLUENCES * (size_t)v;
            bool has_more = p.influence_count > TN_INFLUENCES;
            if (has_more) reduced += tn_part_influences(&part, v, bones, weights) > 0;
            for (uint32_t k = 0; k < TN_INFLUENCES; k++)
                joints[k] = has_more ? (float)bones[k] : (float)p.joints[first + k];
            tn_copy_numbers(record + to.streams[TN_WEIGHTS].offset,
                            has_more ? weights : p.weights + first, TN_INFLUENCES, 4, false);
            tn_copy_numbers(record + to.streams[TN_JOINTS].offset, joints, TN_INFLUENCES, 4, false);
        }
        bytes += p.vertex_count * layout->stride;
    }
    tn_tally_at(&exporter->lost.influences, reduced, "meshes", mesh);
}

void gpb_export_mesh(gpb_exporter *exporter, uint32_t mesh, tenon_gpb_mesh *out)
{
    const gpb_mesh_plan *plan = &exporter->meshes[mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[mesh].primitives;
    uint64_t base = 0;
    out->parts = gpb_alloc(exporter, plan->part_count, sizeof *out->parts);
    for (uint32_t i = 0; i < plan->part_count && !exporter->failed; i++) {
        const tenon_primitive *p = &primitives[plan->parts[i]];
        // Line loops and triangle fans, which a bundle does not support, and mirrored triangles are
        // exported as lists. Primitive types are the numbers of OpenGL, in files and in scenes.
        // Indices have 16 bits if that is enough.
        tenon_gpb_part *part = &out->parts[i];
        uint32_t each = tn_piece_size(p->mode), mode = p->mode;
        bool is_mirrored = plan->is_mirrored && each == 3;
        uint64_t count = p->index_count - gpb_tail_of(p), top = 0;
        const uint32_t *indices = p->indices;
        if (is_mirrored || p->mode == TENON_LINE_LOOP || p->mode == TENON_TRIANGLE_FAN) {
            uint64_t pieces = tn_piece_count(p);
            uint32_t *list = gpb_alloc(exporter, pieces, each * sizeof *list), v[3] = {0};
            if (!list) return;
            for (uint64_t k = 0; k < pieces; k++) {
                tn_piece_at(p, k, v);
                for (uint32_t n = 0; n < each; n++)
                    list[each * k + n] = v[is_mirrored && n ? each - n : n];
            }
            mode = p->mode == TENON_LINE_LOOP ? TENON_LINES : TENON_TRIANGLES;
            count = pieces * each;
            indices = list;
        }
        for (uint64_t k = 0; k < count; k++)
            if (indices[k] > top) top = indices[k];
        bool is_short = base + top <= GPB_SHORT_MOST;
        uint32_t width = is_short ? 2 : 4;
        uint8_t *bytes = gpb_alloc(exporter, count, width);
        for (uint64_t k = 0; bytes && k < count; k++) {
            uint32_t whole = (uint32_t)(base + indices[k]);
            uint16_t half = (uint16_t)whole;
            tn_copy_numbers(bytes + width * k, is_short ? (void *)&half : (void *)&whole, 1, width,
                            false);
        }
        part->primitive_type = mode;
        part->index_format = is_short ? 0x1403 : 0x1405;
        part->indices = (tenon_span){.data = bytes,
                                     .size = width * count,
                                     .count = count,
                                     .layout = is_short ? &tn_layout_u16 : &tn_layout_u32};
        base += p->vertex_count;
        if (base > UINT32_MAX)
            exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT,
                                         "meshes[%u] has too many vertices", mesh);
    }
    out->part_count = plan->part_count;
    if (!exporter->failed) gpb_export_vertices(exporter, mesh, out);
}

// -- Bounds
//
// The engine uses these bounds to cull meshes outside the view. A skinned vertex is always within
// the hull of its positions for each single joint. So the boxes around the vertices of each joint,
// moved by the joints in all clips, contain it. The engine transforms these bounds by the parent of
// the root joint, so they are relative to that.

#define GPB_SAMPLE_STEP 0.033      // Seconds, as in the encoder.
#define GPB_SAMPLES     1024.0     // At most, for each clip.
#define GPB_WORK_MOST   10000000u  // Matrices computed for all clips together, at most.

// A node that has a mesh with a skin.
typedef struct gpb_skinned_node {
    const tenon_skin *skin;
    tn_bounds *boxes;   // Of the vertices of each joint, in the bind pose.
    uint32_t root;      // The root joint, a planned node.
    tn_bounds *result;  // Bounds of the mesh.
} gpb_skinned_node;

// Add all skinned meshes as they are in one pose to their bounds.
static void gpb_add_pose(const gpb_exporter *exporter, tenon_pose *pose,
                         const gpb_skinned_node *list, uint32_t count, uint32_t animation,
                         double seconds)
{
    const gpb_node_plan *nodes = exporter->nodes;
    tenon_pose_set(pose, animation, seconds);
    for (uint32_t n = 0; n < count; n++) {
        const gpb_skinned_node *node = &list[n];
        // The matrix from the scene to the parent of the root.
        uint32_t root = node->root, parent = nodes[root].parent;
        bool is_sheared = parent != TENON_NONE && nodes[parent].origin == root && parent != root;
        uint32_t above = is_sheared ? nodes[parent].parent : parent;
        tn_mat4 global = tn_mat4_identity(), to_parent;
        if (above != TENON_NONE) global = pose->globals[nodes[above].origin];
        if (is_sheared) global = tn_mat4_mul(&global, &nodes[parent].local);
        (void)tn_mat4_affine_inverse(&global, &to_parent);
        for (uint32_t i = 0; i < node->skin->joint_count; i++) {
            const tn_bounds *box = &node->boxes[i];
            if (tn_bounds_is_empty(box)) continue;
            tn_mat4 bind = tn_mat4_from_columns(node->skin->inverse_binds + 16 * (size_t)i);
            tn_mat4 joint = tn_mat4_mul(&to_parent, &pose->globals[node->skin->joints[i]]);
            joint = tn_mat4_mul(&joint, &bind);
            for (int k = 0; k < 8; k++) {
                tn_vec3 corner = {k & 1 ? box->max[0] : box->min[0],
                                  k & 2 ? box->max[1] : box->min[1],
                                  k & 4 ? box->max[2] : box->min[2]};
                tn_vec3 at = tn_mat4_point(&joint, corner);
                tn_bounds_add(node->result, (const double[3]){at.x, at.y, at.z});
            }
        }
    }
}

// The rest pose, and as many poses of each clip as the encoder uses, within a limit.
static void gpb_add_poses(gpb_exporter *exporter, tn_bounds *results)
{
    const tenon_scene *scene = exporter->scene;
    gpb_skinned_node *list = gpb_alloc(exporter, scene->node_count, sizeof *list);
    bool *is_member = gpb_alloc(exporter, exporter->node_count, sizeof *is_member);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        uint32_t skin = scene->nodes[i].skin, mesh = scene->nodes[i].mesh;
        if (!gpb_is_skinned(exporter, i) || scene->skins[skin].joint_count == 0) continue;
        const uint32_t *joints = exporter->joints[skin];
        uint32_t joint_count = scene->skins[skin].joint_count;
        gpb_skinned_node *node = &list[listed++];
        *node = (gpb_skinned_node){&scene->skins[skin], NULL, joints[0], &results[mesh]};
        node->boxes = gpb_alloc(exporter, joint_count, sizeof *node->boxes);
        if (exporter->failed) break;
        for (uint32_t k = 0; k < joint_count; k++) node->boxes[k] = tn_bounds_empty();
        const gpb_mesh_plan *plan = &exporter->meshes[mesh];
        for (uint32_t part = 0; part < plan->part_count; part++) {
            const tenon_primitive *p = &scene->meshes[mesh].primitives[plan->parts[part]];
            uint32_t each = p->influence_count;
            for (uint64_t k = 0; k < (uint64_t)p->vertex_count * each; k++)
                if (p->weights[k] > 0)
                    tn_bounds_add_f32(&node->boxes[p->joints[k]], p->positions + 3 * (k / each));
        }
        // The engine's rule: the topmost ancestor of the first joint, or itself, that is a joint of
        // the skin.
        for (uint32_t k = 0; k < joint_count; k++) is_member[joints[k]] = true;
        for (uint32_t at = joints[0]; at != TENON_NONE; at = exporter->nodes[at].parent)
            if (is_member[at]) node->root = at;
        for (uint32_t k = 0; k < joint_count; k++) is_member[joints[k]] = false;
    }
    if (exporter->failed || !listed) return;
    tenon_pose *pose =
        tenon_pose_new(scene, &exporter->export->opts->allocator, exporter->export->err);
    if (!pose) {
        exporter->failed = true;
        return;
    }
    uint64_t cost = (uint64_t)scene->node_count + 1;  // Matrices computed for one pose.
    for (uint32_t i = 0; i < listed; i++) cost += list[i].skin->joint_count;
    uint64_t left = GPB_WORK_MOST / cost + 1;
    gpb_add_pose(exporter, pose, list, listed, TENON_NONE, 0);
    for (uint32_t i = 0; i < scene->animation_count && left; i++) {
        double duration = scene->animations[i].duration;
        double samples = ceil(duration / GPB_SAMPLE_STEP);
        uint32_t count = (uint32_t)(samples < GPB_SAMPLES ? samples : GPB_SAMPLES);
        for (uint32_t k = 0; k <= count && left; k++, left--)
            gpb_add_pose(exporter, pose, list, listed, i, count ? duration * k / count : 0);
    }
    tenon_pose_free(pose);
}

void gpb_export_bounds(gpb_exporter *exporter)
{
    uint32_t count = exporter->scene->mesh_count;
    tn_bounds *boxes = gpb_alloc(exporter, count, sizeof *boxes);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) boxes[i] = tn_bounds_empty();
    gpb_add_poses(exporter, boxes);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const gpb_mesh_plan *plan = &exporter->meshes[i];
        if (plan->block == TENON_NONE) continue;
        tenon_gpb_mesh *mesh = &exporter->doc->blocks[plan->block].body.mesh;
        const uint8_t *p = mesh->vertices.data;
        uint64_t added = plan->is_rigid || tn_bounds_is_empty(&boxes[i]) ? mesh->vertices.count : 0;
        for (uint64_t v = 0; v < added; v++, p += mesh->vertices.layout->stride)
            tn_bounds_add_f32(&boxes[i],
                              (const float[3]){tn_load_f32(p, false), tn_load_f32(p + 4, false),
                                               tn_load_f32(p + 8, false)});
        // The sphere of a mesh without a skin ends at the vertex that is farthest from its center.
        tenon_gpb_bounds *bounds = &mesh->bounds;
        double corner = 0, farthest = 0;
        for (int k = 0; k < 3; k++) {
            bounds->min[k] = tn_narrow(boxes[i].min[k], NULL);
            bounds->max[k] = tn_narrow(boxes[i].max[k], NULL);
            double half = ((double)bounds->max[k] - bounds->min[k]) / 2;
            bounds->center[k] = tn_narrow(bounds->min[k] + half, NULL);
            corner += half * half;
        }
        p = mesh->vertices.data;
        uint64_t used = plan->is_skinned ? 0 : mesh->vertices.count;
        for (uint64_t v = 0; v < used; v++, p += mesh->vertices.layout->stride) {
            double square = 0;
            for (uint32_t k = 0; k < 3; k++) {
                double d = (double)tn_load_f32(p + 4 * k, false) - bounds->center[k];
                square += d * d;
            }
            if (square > farthest) farthest = square;
        }
        bounds->radius = tn_narrow(sqrt(plan->is_skinned ? corner : farthest), NULL);
    }
}
