// bench_safe.c: the least that a loader has to check in a file before it uses its arrays: numbers
// are finite, indices in range. Nothing is copied.
// SPDX-License-Identifier: MIT

#include "bench.h"

#include "core/cursor/span.h"
#include "document/findings.h"

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/bplx.h>
#include <tenon/gpb.h>
#include <tenon/modeldata.h>

#define BLOCK 256   // Vertices decoded at once,
#define PIECE 2048  // and checked.

static bool is_finite(const tenon_span *span)
{
    return span->count == 0 || tn_span_not_finite(span, NULL) == TENON_ABSENT;
}

static bool is_below(const tenon_span *indices, uint64_t limit)
{
    return indices->count == 0 || tn_span_top(indices) < limit;
}

// Joints of vertices that are stored as floats.
static bool joints_are_below(const tenon_span *vertices, const char *name, uint64_t limit)
{
    const tenon_element *joints = tn_layout_find(vertices->layout, name);
    float block[4 * BLOCK];
    if (!joints || joints->count != 4) return true;
    for (uint64_t at = 0; at < vertices->count; at += BLOCK) {
        uint64_t left = vertices->count - at, count = left < BLOCK ? left : BLOCK;
        tn_span_f32(vertices, joints, at, count, block);
        if (!tn_joints_are_plain(block, 4 * count, (float)limit - 1)) return false;
    }
    return true;
}

// Both, while the vertices are in a cache.
static bool vertices_are_safe(const tenon_span *vertices, const char *joints, uint64_t limit)
{
    for (uint64_t at = 0; at < vertices->count; at += PIECE) {
        tenon_span piece = *vertices;
        piece.data = tn_span_record(vertices, at);
        piece.count = vertices->count - at < PIECE ? vertices->count - at : PIECE;
        piece.size = piece.count * piece.layout->stride;
        if (!is_finite(&piece) || !joints_are_below(&piece, joints, limit)) return false;
    }
    return true;
}

static bool bbmod_is_safe(const tenon_bbmod *doc)
{
    bool is_safe = true;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_span *vertices = &doc->meshes[i].vertices;
        is_safe = is_safe && vertices_are_safe(vertices, "bone_indices", doc->bones.count);
    }
    return is_safe;
}

static bool gpb_mesh_is_safe(const tenon_gpb_mesh *mesh, uint64_t joint_count)
{
    bool is_safe = vertices_are_safe(&mesh->vertices, "indices", joint_count);
    for (uint32_t i = 0; i < mesh->part_count; i++)
        is_safe = is_safe && is_below(&mesh->parts[i].indices, mesh->vertices.count);
    return is_safe;
}

static bool gpb_motion_is_safe(const tenon_gpb_animations *all)
{
    bool is_safe = true;
    for (uint32_t a = 0; a < all->animation_count; a++)
        for (uint32_t c = 0; c < all->animations[a].channel_count; c++)
            is_safe = is_safe && is_finite(&all->animations[a].channels[c].values);
    return is_safe;
}

static bool find_joint_count(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    (void)depth;
    if (node->model.has_skin) *(uint32_t *)user = node->model.skin.joint_count;
    return true;
}

// The files of make_big_models have one skin for all meshes.
static bool gpb_is_safe(const tenon_gpb *doc)
{
    bool is_safe = true;
    uint32_t joint_count = 0;
    tenon_gpb_each_node(doc, find_joint_count, &joint_count);
    for (uint32_t i = 0; i < doc->block_count; i++) {
        const tenon_gpb_block *block = &doc->blocks[i];
        if (block->kind == TENON_GPB_MESH)
            is_safe = is_safe && gpb_mesh_is_safe(&block->body.mesh, joint_count);
        if (block->kind == TENON_GPB_ANIMATIONS)
            is_safe = is_safe && gpb_motion_is_safe(&block->body.animations);
    }
    return is_safe;
}

// Only a walk through a list of weights finds where an item begins.
static bool bmw_weights_are_safe(const tenon_bmw_mesh *mesh, uint32_t node_count)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        if (vertex >= mesh->vertices.count) return false;
        p += 8;
        for (const uint8_t *end = p + 8 * (size_t)count; p < end; p += 8) {
            uint32_t weight = tn_load32(p + 4, false);
            if (tn_load32(p, false) >= node_count) return false;
            if ((weight & 0x7f800000u) == 0x7f800000u) return false;
        }
    }
    return true;
}

static bool bmw_is_safe(const tenon_bmw *doc)
{
    bool is_safe = true;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_bmw_mesh *mesh = &doc->meshes[i];
        is_safe = is_safe && is_finite(&mesh->vertices) &&
                  is_below(&mesh->faces, mesh->vertices.count) &&
                  bmw_weights_are_safe(mesh, doc->name_count);
    }
    for (uint32_t a = 0; a < doc->animation_count; a++)
        for (uint32_t b = 0; b < doc->animations[a].bone_count; b++)
            is_safe = is_safe && is_finite(&doc->animations[a].bones[b].frames);
    return is_safe;
}

static bool modeldata_is_safe(const tenon_modeldata *doc)
{
    bool is_safe = true;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_span *arrays = doc->meshes[i].arrays;
        for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++) {
            bool is_index = k == TENON_MODELDATA_INDICES, is_joint = k == TENON_MODELDATA_JOINT_IDS;
            uint64_t limit = is_joint ? doc->joint_count : arrays[TENON_MODELDATA_VERTICES].count;
            is_safe = is_safe &&
                      (is_index || is_joint ? is_below(&arrays[k], limit) : is_finite(&arrays[k]));
        }
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const tenon_modeldata_animation *a = &doc->animations[i];
        for (uint32_t k = 0; k < a->position_list_count; k++)
            is_safe = is_safe && is_finite(&a->positions[k].keys);
        for (uint32_t k = 0; k < a->rotation_list_count; k++)
            is_safe = is_safe && is_finite(&a->rotations[k].keys);
        for (uint32_t k = 0; k < a->scale_list_count; k++)
            is_safe = is_safe && is_finite(&a->scales[k].keys);
    }
    return is_safe;
}

static bool bplx_keys_are_safe(const tenon_span *keys, uint32_t bone_count)
{
    bool is_safe = is_finite(keys);
    for (uint64_t i = 0; i < keys->count; i++)
        is_safe = is_safe && tn_load32(tn_span_record(keys, i) + 4, false) < bone_count;
    return is_safe;
}

static bool bplx_is_safe(const tenon_bplx *doc)
{
    bool is_safe = is_finite(&doc->positions) && is_finite(&doc->normals) && is_finite(&doc->uvs) &&
                   is_below(&doc->faces, doc->vertex_count);
    for (uint32_t i = 0; i < doc->clip_count; i++)
        is_safe = is_safe && bplx_keys_are_safe(&doc->clips[i].keyframes, doc->bone_count);
    return is_safe;
}

bool bench_is_safe(tenon_doc *doc)
{
    if (tenon_as_bbmod(doc)) return bbmod_is_safe(tenon_as_bbmod(doc));
    if (tenon_as_bbanim(doc)) return is_finite(&tenon_as_bbanim(doc)->frames);
    if (tenon_as_gpb(doc)) return gpb_is_safe(tenon_as_gpb(doc));
    if (tenon_as_bmw(doc)) return bmw_is_safe(tenon_as_bmw(doc));
    if (tenon_as_modeldata(doc)) return modeldata_is_safe(tenon_as_modeldata(doc));
    if (tenon_as_bplx(doc)) return bplx_is_safe(tenon_as_bplx(doc));
    return true;  // Nothing is known about a text before it is parsed.
}
