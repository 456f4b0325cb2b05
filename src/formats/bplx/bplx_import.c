// bplx_import.c: import BPLX.
// SPDX-License-Identifier: MIT
//
// One mesh in the rest pose. Bones have no weights, so they do not move the mesh.

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "document/findings.h"
#include "exchange/vertex_codec.h"
#include "scene/model/origin.h"
#include "scene/model/scene_finish.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

// -- The mesh

tn_turns bplx_turns(const tenon_primitive *p)
{
    const tenon_span faces = {.data = (const uint8_t *)p->indices,
                              .size = 4 * (uint64_t)p->index_count,
                              .big_endian = tn_host_is_big()};
    const tenon_span at = {.data = (const uint8_t *)p->positions, .count = p->vertex_count};
    const tenon_span up = {.data = (const uint8_t *)p->normals, .count = p->vertex_count};
    return tn_turns_of(&faces, &at, &up);
}

static void bplx_import_mesh(tn_scene_builder *builder, const tenon_bplx *doc)
{
    const tenon_str name = {"mesh", 4};
    uint32_t mesh = tn_add_mesh(builder, name, 1), node = tn_add_node(builder, name, TENON_NONE);
    if (builder->failed) return;
    builder->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    const tn_vertices vertices = {.count = doc->positions.count,
                                  .is_v_up = true,
                                  .streams = {[TN_POSITION] = tn_find_stream(&doc->positions, ""),
                                              [TN_NORMAL] = tn_find_stream(&doc->normals, ""),
                                              [TN_UV0] = tn_find_stream(&doc->uvs, "")}};
    tn_import_vertices(builder, &vertices, 3 * doc->faces.count, 0, p);
    if (builder->failed) return;
    // A cut file may have fewer normals or texture coordinates than vertices.
    const tenon_span *others[] = {&doc->uvs, &doc->normals};
    for (int i = 0; i < 2; i++)
        tn_scene_report(builder, TENON_DEFAULTED, i ? "normals" : "texture coordinates",
                        others[i]->count < p->vertex_count ? p->vertex_count - others[i]->count : 0,
                        NULL, "the file ends before they are complete");
    tn_copy_numbers(p->indices, doc->faces.data, p->index_count, 4, false);
    // Published files are wound clockwise; only the normals show which side is the front.
    tn_turns turns = {0, 0};
    if (p->indices && p->normals) turns = bplx_turns(p);
    bool is_flipped = turns.against > turns.with;
    for (uint32_t i = 0; is_flipped && i + 2 < p->index_count; i += 3)
        tn_reverse_triangle(p->indices + i);
    tn_scene_report(builder, TENON_APPROXIMATED, "winding", is_flipped ? turns.against : 0,
                    "faces[0]", "the faces pointed away from their normals and were flipped");
    static const char *const beside[] = {"normals", "uvs", NULL};
    tn_add_origin(builder, p,
                  &(tn_origin){.corners = {.path = "faces", .per_record = 3},
                               .vertices = {.path = "positions"},
                               .beside = beside});
    // Without faces it is unknown which vertices form a triangle.
    bool is_points = !p->indices && p->vertex_count;
    if (is_points) p->mode = TENON_POINTS;
    tn_scene_report(builder, TENON_APPROXIMATED, "meshes", is_points, NULL,
                    "imported as points, because the file has no faces");
    if (builder->scene->material_count) p->material = 0;
    tn_scene_report(builder, TENON_SYNTHESIZED, "names", 1, NULL,
                    "the file does not store a name for its mesh");
}

// -- Clips

static uint32_t bplx_import_bone_of(const tenon_span *keys, uint32_t key)
{
    return tn_load32(tn_span_record(keys, key) + 4, false);
}

static bool bplx_import_is_lower(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return a < b;
}

// Memory to sort the keys of a clip by bone, and those of each bone by time.
typedef struct bplx_keys {
    uint32_t *items, *spare;  // With room for the longest clip.
    uint32_t *bones;          // Those that have keys, in ascending order.
    uint32_t *ends;           // Of each bone: where its items end. All 0 between two clips.
} bplx_keys;

// Only bones that have keys are visited, so that the cost is not the product of bones and clips.
static void bplx_import_clip(tn_scene_builder *builder, const tenon_bplx *doc, uint32_t clip,
                             const uint32_t *nodes, const bplx_keys *keys, tn_tally *orphans)
{
    const tenon_span *span = &doc->clips[clip].keyframes;
    uint32_t bone_count = 0;
    bool ascends = true;
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t bone = bplx_import_bone_of(span, i);
        if (bone >= doc->bone_count) {
            tn_tally_in(orphans, 1, "clips", clip, "keyframes", i);
            continue;
        }
        if (keys->ends[bone]++ > 0) continue;
        ascends &= bone_count == 0 || keys->bones[bone_count - 1] < bone;
        keys->bones[bone_count++] = bone;
    }
    if (!ascends) tn_sort(keys->bones, keys->spare, bone_count, bplx_import_is_lower, NULL);
    for (uint32_t i = 0, next = 0, count; i < bone_count; i++, next += count) {
        count = keys->ends[keys->bones[i]];
        keys->ends[keys->bones[i]] = next;
    }
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t bone = bplx_import_bone_of(span, i);
        if (bone < doc->bone_count) keys->items[keys->ends[bone]++] = i;
    }

    if (bone_count > TENON_NONE / 3)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "clips", "a clip animates too many bones");
    uint32_t index = tn_add_animation(builder, doc->clips[clip].name, 3 * bone_count);
    if (builder->failed) return;
    tenon_animation *animation = &builder->scene->animations[index];
    animation->duration = doc->clips[clip].animation_length;
    tenon_channel *channels = animation->channels;
    for (uint32_t i = 0, first = 0, end; i < bone_count; i++, first = end, channels += 3) {
        uint32_t bone = keys->bones[i], *items = keys->items + first;
        end = keys->ends[bone];
        keys->ends[bone] = 0;
        tn_channels_alloc(builder, channels, nodes[bone], end - first);
        if (builder->failed) return;
        // The keys of a bone are far apart in the file, so each is read once.
        for (size_t k = 0; k < end - first; k++) {
            float key[12];  // Time, bone, and the values in the order of tenon_target.
            tn_copy_numbers(key, tn_span_record(span, items[k]), 12, 4, false);
            // A time that is not finite becomes infinity: such keys are sorted last and removed.
            float time = key[0] - key[0] == 0 ? key[0] : INFINITY;
            tn_channels_set(channels, k, time, key + 2);
        }
        for (int target = 0; target < 3; target++)
            (void)tn_channel_sort(builder, channels + target);
    }
}

void bplx_import(tn_scene_builder *builder, const void *opaque)
{
    const tenon_bplx *doc = opaque;
    if (doc->material_list_count) {
        const tenon_bplx_material *from = &doc->materials[0];
        uint32_t index = tn_add_material(builder, from->name);
        if (builder->failed) return;
        tenon_material *material = &builder->scene->materials[index];
        material->is_classic = true;
        for (int k = 0; k < 3; k++) {
            material->base_color[k] = from->diffuse_color[k];
            material->specular[k] = from->specular_color[k];
            material->emissive[k] = from->emissive_color[k];
        }
        material->shininess = from->shininess;
        material->base_color[3] = from->transparency;  // Despite its name the field is the opacity.
        if (from->transparency < 1) material->alpha = TENON_BLEND;
        if (from->texture_path.size && from->is_textured)
            tn_set_texture(builder, index, TENON_SLOT_BASE_COLOR, from->texture_path);
        tn_scene_report(builder, TENON_DROPPED, "textures",
                        from->texture_path.size && !from->is_textured, "materials[0].texture_path",
                        "the material is marked as not textured");
    }
    if (doc->material_list_count > 1)
        tn_scene_report(builder, TENON_DROPPED, "materials", doc->material_list_count - 1,
                        "materials[1]",
                        "BPLX does not assign materials to faces; the first is used for all");
    bplx_import_mesh(builder, doc);
    uint32_t count = doc->bone_count;
    uint32_t *parents = tn_scene_array(builder, count, sizeof *parents);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    uint32_t *nodes = tn_scene_array(builder, count, sizeof *nodes);
    if (builder->failed) return;
    tn_tally missing = {0};
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = (uint32_t)doc->bones[i].parent_index;  // Of roots, any beyond the list.
        tn_tally_at(&missing, doc->bones[i].parent_index != -1 && parents[i] >= count, "bones", i);
    }
    tn_tally_report(builder, &missing, TENON_DROPPED, "parents", "the bone does not exist");
    tn_scene_report(builder, TENON_DROPPED, "parents",
                    tn_order_parents(builder, parents, count, order), NULL,
                    "the bones are their own ancestors");
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        const tenon_bplx_bone *bone = &doc->bones[order[i]];
        uint32_t parent = parents[order[i]];
        uint32_t node =
            tn_add_node(builder, bone->name, parent < count ? nodes[parent] : TENON_NONE);
        nodes[order[i]] = node;
        tn_set_trs_floats(builder, node, bone->rest_position, bone->rest_rotation,
                          bone->rest_scale);
        if (!builder->failed) builder->scene->nodes[node].is_joint = true;
    }

    uint64_t longest = 0;
    for (uint32_t i = 0; i < doc->clip_count; i++)
        if (doc->clips[i].keyframes.count > longest) longest = doc->clips[i].keyframes.count;
    uint64_t moved_most = longest < doc->bone_count ? longest : doc->bone_count;
    const bplx_keys keys = {.items = tn_scene_array(builder, longest, sizeof *keys.items),
                            .spare = tn_scene_array(builder, longest, sizeof *keys.spare),
                            .bones = tn_scene_array(builder, moved_most, sizeof *keys.bones),
                            .ends = tn_scene_array(builder, doc->bone_count, sizeof *keys.ends)};
    tn_tally orphans = {0};
    for (uint32_t i = 0; i < doc->clip_count && !builder->failed; i++)
        bplx_import_clip(builder, doc, i, nodes, &keys, &orphans);
    tn_tally_report(builder, &orphans, TENON_DROPPED, "keys", "their bones do not exist");
    if (builder->failed) return;
    tn_scene_report(builder, TENON_DEFAULTED, "axes", 1, NULL,
                    "not stored in the file; assumed Y up and right-handed");
}
