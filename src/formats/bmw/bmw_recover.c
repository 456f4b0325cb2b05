// bmw_recover.c: completes the document of a damaged BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/recover.h"
#include "document/view.h"

#include <string.h>

// Frames include the transforms of nodes, so if the tree is lost, a new node with the right id is
// all that bones and weights need. Files have a few hundred nodes.
#define BMW_IDS_MOST 4096

static const float bmw_recover_identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// -- Structure

// Repair a node and its descendants. Their meshes are shown, and their ids are not lost.
static void bmw_recover_node(tn_node_recovery *recovery, tenon_bmw_node *node, bool *is_shown,
                             bool is_lost[BMW_IDS_MOST])
{
    tn_recover_node(recovery, &node->meshes, node->transform, bmw_recover_identity, 16);
    tn_mark_shown(&node->meshes, is_shown, recovery->mesh_count);
    if (node->node_id < BMW_IDS_MOST) is_lost[node->node_id] = false;
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_recover_node(recovery, &node->children[i], is_shown, is_lost);
}

// Add nodes with the lost ids as the last children of the root.
static bool bmw_recover_add_nodes(tenon_bmw_node *root, const bool is_lost[BMW_IDS_MOST],
                                  const tn_change *change)
{
    uint32_t added = 0, count = root->child_count;
    for (uint32_t id = 0; id < BMW_IDS_MOST; id++) added += is_lost[id];
    if (!added) return true;
    tenon_bmw_node *children =
        tn_arena_alloc(change->arena, (uint64_t)count + added, sizeof *children, NULL);
    if (!children) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    if (count) memcpy(children, root->children, count * sizeof *children);
    for (uint32_t id = 0; id < BMW_IDS_MOST; id++) {
        if (!is_lost[id]) continue;
        tenon_bmw_node *node = &children[count++];
        *node = (tenon_bmw_node){.node_id = id, .meshes.layout = &tn_layout_u32};
        memcpy(node->transform, bmw_recover_identity, sizeof bmw_recover_identity);
    }
    root->children = children;
    root->child_count = count;
    tn_change_report(
        change, TENON_SYNTHESIZED, "nodes", added,
        "used by bones or weights, but the file ends before them; added below the root");
    return true;
}

// -- Weights

static bool bmw_recover_has_node(const bmw_sorted *nodes, uint32_t id)
{
    return bmw_names_find(nodes, (tenon_bmw_name){.node_id = id}) != TENON_NONE;
}

// Whether a node id and a weight are plausible.
static bool bmw_recover_is_plausible(const bmw_sorted *nodes, const uint8_t *influence)
{
    return tn_weight_is_plausible(tn_load_f32(influence + 4, false)) &&
           bmw_recover_has_node(nodes, tn_load32(influence, false));
}

// Remove implausible influences and normalize the others of their vertex. Vertices that do not
// exist or lose all influences are removed.
static bool bmw_recover_filter_weights(tenon_bmw_mesh *mesh, const bmw_sorted *nodes,
                                       const char *path, const tn_change *change,
                                       tn_filtered *weights)
{
    tenon_span *weighted = &mesh->weighted_vertices;
    uint8_t *own = NULL;  // Until something is wrong.
    uint64_t from = 0, to = 0, kept = 0;
    for (uint64_t i = 0; i < weighted->count; i++) {
        const uint8_t *p = weighted->data + from;
        uint32_t count = tn_load32(p + 4, false), left = 0;
        bool has_vertex = tn_load32(p, false) < mesh->vertices.count;
        double sum = 0;
        for (uint32_t k = 0; has_vertex && k < count; k++) {
            const uint8_t *influence = p + 8 + 8 * (size_t)k;
            if (!bmw_recover_is_plausible(nodes, influence)) continue;
            sum += (double)tn_load_f32(influence + 4, false);
            left++;
        }
        bool is_good = has_vertex && left == count;
        bool is_kept = is_good || (left && sum > 0);
        if (!is_good) tn_count_filtered(weights, path, i);
        if (!is_good && !own && !(own = tn_own_bytes(change, weighted))) return false;
        if (own && is_kept) {
            uint8_t *record = own + from, *out = own + to;
            memmove(out, record, 4);
            tn_copy_numbers(out + 4, &left, 1, 4, false);
            for (uint32_t k = 0; k < count; k++) {
                const uint8_t *influence = record + 8 + 8 * (size_t)k;
                if (!is_good && !bmw_recover_is_plausible(nodes, influence)) continue;
                float share = tn_load_f32(influence + 4, false);
                if (!is_good) share = (float)((double)share / sum);
                out += 8;
                memmove(out, influence, 4);
                tn_copy_numbers(out + 4, &share, 1, 4, false);
            }
        }
        from += 8 + 8 * (uint64_t)count;
        if (is_kept) to += 8 + 8 * (uint64_t)left;
        kept += is_kept;
    }
    if (!own) return true;
    weighted->count = kept;
    weighted->size = to;
    return true;
}

// -- Animations

// The first frame is exempt: that of the engine's own converter contains NaNs.
typedef struct bmw_frame_limit {
    double limit;
    const uint8_t *first;
} bmw_frame_limit;

static bool bmw_recover_is_frame_plausible(const void *context, const uint8_t *frame)
{
    const bmw_frame_limit *limit = context;
    float m[16];
    tn_copy_numbers(m, frame, 16, 4, false);
    return frame == limit->first || tn_is_plausible(m, 16, limit->limit);
}

// Drop bones whose node does not exist, and replace frames that are not plausible.
static bool bmw_recover_filter_animations(tenon_bmw *doc, const bmw_sorted *nodes,
                                          const tn_change *change)
{
    tn_filtered bones = {0}, frames = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < doc->animation_count; i++) {
        tenon_bmw_animation *animation = &doc->animations[i];
        tn_path_text path = tn_path("animations[%u].bones", i);
        tn_magnitudes sizes = {0};
        uint32_t kept = 0;
        for (uint32_t b = 0; b < animation->bone_count; b++) {
            const tenon_bmw_bone bone = animation->bones[b];
            if (!bmw_recover_has_node(nodes, bone.node_id)) {
                tn_count_filtered(&bones, path.text, b);
                continue;
            }
            animation->bones[kept++] = bone;
            for (uint64_t k = 0; k < bone.frames.count; k++) {
                float m[16];
                tn_copy_numbers(m, bone.frames.data + 64 * k, 16, 4, false);
                tn_add_magnitude(&sizes, m, 16);
            }
        }
        animation->bone_count = kept;
        bmw_frame_limit limit = {.limit = tn_usual_limit(&sizes)};
        for (uint32_t b = 0; ok && b < kept; b++) {
            tenon_span *span = &animation->bones[b].frames;
            limit.first = span->data;
            ok = tn_repeat_plausible(change, span, 64, bmw_recover_is_frame_plausible, &limit,
                                     tn_path("%s[%u].frames", path.text, b).text, &frames);
        }
    }
    tn_report_filtered(change, &bones, TENON_DROPPED, "bones of animations", "no node has this id");
    tn_report_filtered(change, &frames, TENON_APPROXIMATED, "frames",
                       "damaged; replaced by the previous frame");
    return ok;
}

bool bmw_recover(void *any, const tn_change *change)
{
    tenon_bmw *doc = any;
    bool is_lost[BMW_IDS_MOST] = {false};  // Ids that are used, but no node has.
    // Complete or drop what the file ends in: the last mesh, the root, or the last bone of an
    // animation.
    static const float nowhere[16];
    uint32_t flags = doc->base.dialect->flags;
    if (doc->mesh_count) {
        tenon_bmw_mesh *mesh = &doc->meshes[doc->mesh_count - 1];
        bool has_faces = flags & TENON_BMW_FACES;
        if (!has_faces) {  // Three vertices are a triangle.
            mesh->vertices.count -= mesh->vertices.count % 3;
            mesh->vertices.size = mesh->vertices.count * mesh->vertices.layout->stride;
        }
        if ((has_faces ? mesh->faces.count : mesh->vertices.count) == 0) {
            tn_change_report(change, TENON_DROPPED, "meshes", 1, "the file ends before its faces");
            doc->mesh_count--;
        }
    }
    if (memcmp(doc->root.transform, nowhere, sizeof nowhere) == 0) {
        memcpy(doc->root.transform, bmw_recover_identity, sizeof bmw_recover_identity);
        tn_change_report(change, TENON_SYNTHESIZED, "nodes", 1,
                         "the file ends before its root; a root without a transform was added");
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        tenon_bmw_animation *animation = &doc->animations[i];
        if (!animation->bone_count) continue;
        tenon_bmw_bone *bone = &animation->bones[animation->bone_count - 1];
        uint64_t wanted =
            (uint64_t)animation->duration + (flags & TENON_BMW_FRAMES_LITERAL ? 0 : 1);
        if (flags & TENON_BMW_FRAMES_INFERRED) {
            bone->frame_count = (uint32_t)bone->frames.count;
        } else if (bone->frames.count != wanted) {
            tn_change_report(change, TENON_DROPPED, "bones of an animation", 1,
                             "some of its frames are missing");
            animation->bone_count--;
        }
    }
    // The engine cannot load animations without bones. Only the last can have lost them all.
    if (doc->animation_count && !doc->animations[doc->animation_count - 1].bone_count) {
        tn_change_report(change, TENON_DROPPED, "animations", 1,
                         "all of its bones have missing frames");
        doc->animation_count--;
    }
    bool *is_shown = tn_arena_alloc(change->arena, doc->mesh_count, sizeof *is_shown, NULL);
    if (!is_shown) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    bool needs_ids = change->is_cut && (doc->base.dialect->flags & TENON_BMW_NODE_IDS);
    for (uint32_t i = 0; i < doc->animation_count && needs_ids; i++)
        for (uint32_t k = 0; k < doc->animations[i].bone_count; k++) {
            uint32_t id = doc->animations[i].bones[k].node_id;
            if (id < BMW_IDS_MOST) is_lost[id] = true;
        }
    for (uint32_t i = 0; i < doc->mesh_count && needs_ids; i++) {
        const uint8_t *p = doc->meshes[i].weighted_vertices.data;
        for (uint64_t v = 0; v < doc->meshes[i].weighted_vertices.count; v++, p += 8)
            for (uint32_t count = tn_load32(p + 4, false); count > 0; count--) {
                p += 8;
                if (tn_load32(p, false) < BMW_IDS_MOST) is_lost[tn_load32(p, false)] = true;
            }
    }
    tn_node_recovery recovery = {.change = change, .mesh_count = doc->mesh_count};
    bmw_recover_node(&recovery, &doc->root, is_shown, is_lost);
    tn_report_nodes(&recovery);
    if (recovery.failed) return false;
    if (change->is_cut &&
        !(tn_attach_to_root(change, &doc->root.meshes, is_shown, doc->mesh_count) &&
          bmw_recover_add_nodes(&doc->root, is_lost, change)))
        return false;

    bmw_sorted nodes = bmw_names_nodes_by_id(doc, change->arena);
    if (!nodes.order) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    tn_mesh_outliers removed = {0};
    bool ok = tn_view_remove_outliers(change, &bmw_views, doc);
    for (uint32_t i = 0; ok && i < doc->mesh_count; i++)
        ok = bmw_recover_filter_weights(&doc->meshes[i], &nodes,
                                        tn_path("meshes[%u].weighted_vertices", i).text, change,
                                        &removed.weights);
    tn_report_mesh_outliers(change, &removed);
    return ok && bmw_recover_filter_animations(doc, &nodes, change);
}
