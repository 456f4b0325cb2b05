// bplx_scene.c: what a BPLX file means.
// SPDX-License-Identifier: MIT
//
// One mesh in its rest pose. Bones have no weights, so they move by themselves and the mesh stays.

#include "bplx_format.h"

#include "../../core/sort.h"
#include "../../core/span.h"
#include "../../scene/scene_build.h"

#include <stdio.h>
#include <string.h>

// -- The mesh

// Copy the numbers of a stream; a file that was cut may have fewer than it has vertices.
static void bplx_copy(const tenon_span *span, uint32_t each, uint64_t count, void *out)
{
    tn_copy_numbers(out, span->data, each * (span->count < count ? span->count : count), 4, false);
}

// How a face lies to the normals of its corners: below 0 if it looks away from them.
static double bplx_agreement(const tenon_primitive *p, const uint32_t *corners)
{
    double edges[2][3], normal[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const float *a = p->positions + 3 * (size_t)corners[0];
        edges[0][k] = (double)p->positions[3 * (size_t)corners[1] + (size_t)k] - a[k];
        edges[1][k] = (double)p->positions[3 * (size_t)corners[2] + (size_t)k] - a[k];
        for (int c = 0; c < 3; c++)
            normal[k] += (double)p->normals[3 * (size_t)corners[c] + (size_t)k];
    }
    double dot = 0;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        dot += normal[k] * (edges[0][l] * edges[1][m] - edges[0][m] * edges[1][l]);
    }
    return dot;
}

// Published files are wound clockwise; nothing says which way is right but the normals.
static void bplx_turn_faces(tn_builder *b, tenon_primitive *p)
{
    uint64_t along = 0, against = 0;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        const uint32_t *corners = p->indices + i;
        if (corners[0] >= p->vertex_count || corners[1] >= p->vertex_count ||
            corners[2] >= p->vertex_count)
            continue;
        double agreement = bplx_agreement(p, corners);
        along += agreement > 0;
        against += agreement < 0;
    }
    if (against <= along) return;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        uint32_t second = p->indices[i + 1];
        p->indices[i + 1] = p->indices[i + 2];
        p->indices[i + 2] = second;
    }
    tn_scene_lose(b, TENON_APPROXIMATED, "winding", against, "faces[0]",
                  "the faces look away from their normals, and were turned");
}

static void bplx_add_mesh(tn_builder *b, const tenon_bplx *doc)
{
    const tenon_str name = {"mesh", 4};
    uint32_t mesh = tn_add_mesh(b, name, 1), node = tn_add_node(b, name, TENON_NONE);
    if (b->failed) return;
    b->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    tn_primitive_alloc(b, p, doc->positions.count, 3 * doc->faces.count,
                       TN_WITH_NORMALS | TN_WITH_UV0);
    if (b->failed) return;
    bplx_copy(&doc->positions, 3, p->vertex_count, p->positions);
    bplx_copy(&doc->normals, 3, p->vertex_count, p->normals);
    bplx_copy(&doc->uvs, 2, p->vertex_count, p->uvs[0]);
    for (uint32_t i = 0; i < p->vertex_count; i++)
        p->uvs[0][2 * (size_t)i + 1] = 1 - p->uvs[0][2 * (size_t)i + 1];
    if (p->indices) bplx_copy(&doc->faces, 3, doc->faces.count, p->indices);
    if (p->indices) bplx_turn_faces(b, p);
    if (b->scene->material_count) p->material = 0;
}

// -- Materials

static void bplx_add_material(tn_builder *b, const tenon_bplx_material *from)
{
    uint32_t index = tn_add_material(b, from->name);
    if (b->failed) return;
    tenon_material *m = &b->scene->materials[index];
    m->is_classic = true;
    for (int k = 0; k < 3; k++) {
        m->base_color[k] = from->diffuse_color[k];
        m->specular[k] = from->specular_color[k];
        m->emissive[k] = from->emissive_color[k];
    }
    m->shininess = from->shininess;
    m->base_color[3] = from->transparency;  // It is the opacity, whatever it is called.
    if (from->transparency < 1) m->alpha = TENON_BLEND;
    if (from->texture_path.size)
        tn_set_texture(b, index, TENON_SLOT_BASE_COLOR, from->texture_path);
}

// No face says which material it has.
static void bplx_add_materials(tn_builder *b, const tenon_bplx *doc)
{
    if (doc->material_list_count) bplx_add_material(b, &doc->materials[0]);
    if (doc->material_list_count > 1)
        tn_scene_lose(b, TENON_DROPPED, "materials", doc->material_list_count - 1, "materials[1]",
                      "no face says which material it has, so all have the first");
}

// -- Bones

// Returns the node of each bone.
static uint32_t *bplx_add_bones(tn_builder *b, const tenon_bplx *doc)
{
    uint32_t count = doc->bone_count;
    uint32_t *parents = tn_scene_array(b, count, sizeof *parents);
    uint32_t *order = tn_scene_array(b, count, sizeof *order);
    uint32_t *nodes = tn_scene_array(b, count, sizeof *nodes);
    if (b->failed) return NULL;
    for (uint32_t i = 0; i < count; i++) parents[i] = (uint32_t)doc->bones[i].parent_index;
    tn_scene_lose(b, TENON_DROPPED, "parents", tn_order_parents(b, parents, count, order), NULL,
                  "bones that hang on themselves");
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        const tenon_bplx_bone *bone = &doc->bones[order[i]];
        uint32_t parent = parents[order[i]];
        uint32_t node = tn_add_node(b, bone->name, parent < count ? nodes[parent] : TENON_NONE);
        nodes[order[i]] = node;
        if (b->failed) return NULL;
        tenon_node *n = &b->scene->nodes[node];
        n->is_joint = true;
        for (int k = 0; k < 3; k++) {
            n->translation[k] = bone->rest_position[k];
            n->scale[k] = bone->rest_scale[k];
        }
        for (int k = 0; k < 4; k++) n->rotation[k] = bone->rest_rotation[k];
    }
    return nodes;
}

// -- Clips

// A clip's keys by bone: those of bone i are items[first[i]] to items[first[i + 1]].
typedef struct bplx_keys {
    const tenon_span *span;
    uint32_t *items, *first;
} bplx_keys;

static const uint8_t *bplx_value(const bplx_keys *keys, const char *name, uint32_t index)
{
    const tenon_layout *layout = &bplx_keyframe_layout;
    return keys->span->data + layout->stride * index + tn_layout_find(layout, name)->offset;
}

static float bplx_time(const bplx_keys *keys, uint32_t index)
{
    return tn_load_f32(bplx_value(keys, "time", index), false);
}

static uint32_t bplx_bone_of(const bplx_keys *keys, uint32_t index)
{
    return tn_load32(bplx_value(keys, "bone_index", index), false);
}

static bool bplx_is_earlier(const void *context, uint32_t a, uint32_t b)
{
    return bplx_time(context, a) < bplx_time(context, b);
}

// Sort the keys by bone, and those of each bone by time. Returns how many belong to no bone.
static uint64_t bplx_group_keys(tn_builder *b, const tenon_bplx *doc, bplx_keys *keys)
{
    uint32_t count = (uint32_t)keys->span->count, bones = doc->bone_count;
    keys->items = tn_scene_array(b, count, sizeof *keys->items);
    keys->first = tn_scene_array(b, (uint64_t)bones + 2, sizeof *keys->first);
    uint32_t *spare = tn_scene_array(b, count, sizeof *spare);
    if (b->failed) return 0;
    uint64_t strays = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bone = bplx_bone_of(keys, i);
        strays += bone >= bones;
        if (bone < bones) keys->first[bone + 2]++;
    }
    for (uint32_t i = 2; i < bones + 2; i++) keys->first[i] += keys->first[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bone = bplx_bone_of(keys, i);
        if (bone < bones) keys->items[keys->first[bone + 1]++] = i;
    }
    for (uint32_t i = 0; i < bones; i++)
        tn_sort(keys->items + keys->first[i], spare, keys->first[i + 1] - keys->first[i],
                bplx_is_earlier, keys);
    return strays;
}

// Copy one property of all keys of a bone.
static void bplx_fill_channel(tn_builder *b, const bplx_keys *keys, uint32_t bone,
                              tenon_channel *channel)
{
    static const char *const names[] = {
        [TENON_TRANSLATION] = "position", [TENON_ROTATION] = "rotation", [TENON_SCALE] = "scale"};
    uint32_t each = channel->target == TENON_ROTATION ? 4 : 3;
    uint32_t first = keys->first[bone], count = keys->first[bone + 1] - first;
    tn_channel_alloc(b, channel, count);
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        uint32_t item = keys->items[first + i];
        channel->times[i] = bplx_time(keys, item);
        tn_copy_numbers(channel->values + (size_t)i * each,
                        bplx_value(keys, names[channel->target], item), each, 4, false);
    }
}

static void bplx_add_clip(tn_builder *b, const tenon_bplx *doc, const tenon_bplx_clip *clip,
                          const uint32_t *nodes, uint64_t *strays)
{
    bplx_keys keys = {.span = &clip->keyframes};
    *strays += bplx_group_keys(b, doc, &keys);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < doc->bone_count && !b->failed; i++)
        moved += keys.first[i + 1] > keys.first[i];
    if (moved > TENON_NONE / 3)
        tn_scene_fail(b, TENON_ERR_LIMIT, "clips", "a clip moves too many bones");
    uint32_t index = tn_add_animation(b, clip->name, 3 * moved);
    if (b->failed) return;
    tenon_animation *animation = &b->scene->animations[index];
    animation->duration = clip->animation_length;
    tenon_channel *channel = animation->channels;
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        if (keys.first[i + 1] == keys.first[i]) continue;
        for (int target = TENON_TRANSLATION; target <= TENON_SCALE; target++, channel++) {
            channel->node = nodes[i];
            channel->target = (tenon_target)target;
            bplx_fill_channel(b, &keys, i, channel);
        }
    }
}

void bplx_to_scene(tn_builder *b, const void *opaque)
{
    const tenon_bplx *doc = opaque;
    bplx_add_materials(b, doc);
    bplx_add_mesh(b, doc);
    uint32_t *nodes = bplx_add_bones(b, doc);
    uint64_t strays = 0;
    for (uint32_t i = 0; i < doc->clip_count && !b->failed; i++)
        bplx_add_clip(b, doc, &doc->clips[i], nodes, &strays);
    if (b->failed) return;
    tn_scene_lose(b, TENON_DROPPED, "keys", strays, NULL, "they move bones that do not exist");
    tn_scene_lose(b, TENON_DEFAULTED, "axes", 1, NULL,
                  "the format does not say which way is up: Y, and right-handed");
}
