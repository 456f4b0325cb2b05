// bmw_dialects.c: the order of matrices; conversion between the layouts of BMW, and its losses.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "core/text/number.h"

#include <math.h>
#include <string.h>

#define LOST_RATE     60    // Of later exports of the only known model in R2a.
#define NAME_SIZE     16    // "node_4294967295" and its NUL.
#define SHEAR         4e-6  // Cosine between columns. Rounding gives up to 1e-6 in known files.
#define ORDERS_ENOUGH 64    // No known file mixes the two orders.

// The order changed, but not the header, and old converters stayed in use.

typedef struct bmw_order_counts {
    uint32_t rows, columns;
} bmw_order_counts;

bool bmw_matrix_is_sheared(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m);
    for (size_t i = 0; i < 3; i++) {
        tn_vec3 a = tn_mat3_column(&upper, i), b = tn_mat3_column(&upper, (i + 1) % 3);
        if (fabs(tn_vec3_dot(a, b)) > SHEAR * tn_vec3_length(a) * tn_vec3_length(b)) return true;
    }
    return false;
}

bool bmw_matrix_load_lanes(const tenon_span *frames, bool is_row_major, uint64_t end, float *out)
{
    if (end < TN_LANES || end > frames->count) return false;
    tn_copy_numbers(out, frames->data + 64 * (end - TN_LANES), 16 * TN_LANES, 4,
                    frames->big_endian);
    for (int i = 0; i < TN_LANES && is_row_major; i++) {
        tn_mat4 m = tn_mat4_from_rows(out + 16 * i);
        tn_mat4_to_columns(&m, out + 16 * i);
    }
    return true;
}

// Count the order of one more matrix; false if there are enough.
static bool bmw_matrix_order_count(bmw_order_counts *counts, const float m[16])
{
    int order = tn_stored_order(m);
    counts->rows += order > 0;
    counts->columns += order < 0;
    return counts->rows + counts->columns < ORDERS_ENOUGH;
}

static bool bmw_matrix_order_count_nodes(bmw_order_counts *counts, const tenon_bmw_node *node)
{
    if (!bmw_matrix_order_count(counts, node->transform)) return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!bmw_matrix_order_count_nodes(counts, &node->children[i])) return false;
    return true;
}

void bmw_matrix_find_order(tenon_bmw *doc)
{
    uint32_t flags = doc->base.dialect->flags;
    bmw_order_counts counts = {0};
    doc->is_row_major = (flags & TENON_BMW_ROW_MAJOR) != 0;
    doc->is_order_assumed = false;
    // Frames that were counted by their last row are row-major.
    if (flags & (TENON_BMW_ORDER_FORCED | TENON_BMW_FRAMES_INFERRED)) return;
    bool needs_more = bmw_matrix_order_count_nodes(&counts, &doc->root);
    for (uint32_t a = 0; a < doc->animation_count && needs_more; a++)
        for (uint32_t b = 0; b < doc->animations[a].bone_count && needs_more; b++) {
            const tenon_span *frames = &doc->animations[a].bones[b].frames;
            if (!frames->data) continue;  // Built from text: the order is not used.
            for (uint64_t i = 0; i < frames->count && needs_more; i++) {
                float m[16];
                tn_copy_numbers(m, frames->data + 64 * i, 16, 4, frames->big_endian);
                needs_more = bmw_matrix_order_count(&counts, m);
            }
        }
    doc->is_order_assumed = counts.rows == counts.columns;
    if (!doc->is_order_assumed) doc->is_row_major = counts.rows > counts.columns;
}

// -- Transposing

uint64_t bmw_matrix_transpose_nodes(tenon_bmw_node *node)
{
    uint64_t count = tn_stored_transpose(node->transform);
    for (uint32_t i = 0; i < node->child_count; i++)
        count += bmw_matrix_transpose_nodes(&node->children[i]);
    return count;
}

// Transpose all matrices.
static bool bmw_matrix_transpose_all(tenon_bmw *doc, const tn_change *change)
{
    uint64_t count = 0;
    for (uint32_t a = 0; a < doc->animation_count; a++)
        for (uint32_t b = 0; b < doc->animations[a].bone_count; b++) {
            tenon_span *frames = &doc->animations[a].bones[b].frames;
            uint8_t *bytes = tn_change_alloc(change, frames->size, 1, "the transposed matrices");
            if (!bytes) return false;
            for (uint64_t i = 0; i < frames->count; i++) {
                float m[16];
                tn_copy_numbers(m, frames->data + 64 * i, 16, 4, false);
                count += tn_stored_transpose(m);
                tn_copy_numbers(bytes + 64 * i, m, 16, 4, false);
            }
            frames->data = bytes;
        }
    count += bmw_matrix_transpose_nodes(&doc->root);
    doc->is_row_major = !doc->is_row_major;
    if (doc->is_order_assumed)
        tn_change_report(
            change, TENON_DEFAULTED, "matrix order", count,
            "cannot be detected without a translation; the usual order of the layout was used");
    return true;
}

// -- Durations

bool bmw_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bmw *doc = any;
    uint32_t flags = doc->base.dialect->flags;
    bool is_inferred = flags & TENON_BMW_FRAMES_INFERRED;
    (void)arena;
    (void)err;
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        tenon_bmw_animation *animation = &doc->animations[a];
        for (uint32_t b = 0; b < animation->bone_count; b++)
            animation->bones[b].frame_count =
                is_inferred ? (uint32_t)animation->bones[b].frames.count : 0;
        if (animation->bone_count == 0 || is_inferred) continue;
        // Writing fails if other bones have a different number of frames.
        uint64_t count = bmw_info_frame_count(animation);
        bool is_literal = flags & TENON_BMW_FRAMES_LITERAL;
        animation->duration = (uint32_t)(is_literal || count == 0 ? count : count - 1);
    }
    return true;
}

// Extend all bones of an animation to the same number of frames, with copies of their last frame,
// or the identity if they have none.
static bool bmw_equalize_frame_counts(tenon_bmw *doc, const tn_change *change)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    uint64_t fewest = change->to->flags & TENON_BMW_FRAMES_LITERAL ? 0 : 1, added = 0;
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        tenon_bmw_animation *animation = &doc->animations[a];
        uint64_t most = fewest;
        for (uint32_t b = 0; b < animation->bone_count; b++)
            if (animation->bones[b].frames.count > most) most = animation->bones[b].frames.count;
        for (uint32_t b = 0; b < animation->bone_count; b++) {
            tenon_span *frames = &animation->bones[b].frames;
            if (frames->count == most) continue;
            uint8_t *bytes = tn_change_alloc(change, most, 64, "the added frames");
            if (!bytes) return false;
            if (frames->size) memcpy(bytes, frames->data, (size_t)frames->size);
            if (!frames->count) tn_copy_numbers(bytes, identity, 16, 4, false);
            for (uint64_t i = frames->count ? frames->count : 1; i < most; i++)
                memcpy(bytes + 64 * i, bytes + 64 * (i - 1), 64);
            added += most - frames->count;
            *frames = (tenon_span){bytes, 64 * most, most, &bmw_matrix_layout, false};
        }
    }
    tn_change_report(change, TENON_SYNTHESIZED, "frames", added,
                     "this layout stores the same number of frames for all bones, at least one");
    return true;
}

// Adapt the durations to how the target layout counts frames, and set lost rates.
static void bmw_change_durations(tenon_bmw *doc, const tn_change *change)
{
    uint32_t flags = doc->base.dialect->flags, to_flags = change->to->flags;
    bool to_literal = to_flags & ~flags & TENON_BMW_FRAMES_LITERAL;
    bool from_literal = flags & ~to_flags & TENON_BMW_FRAMES_LITERAL;
    uint64_t changed = 0;
    for (uint32_t a = 0; a < doc->animation_count && (to_literal || from_literal); a++) {
        tenon_bmw_animation *animation = &doc->animations[a];
        uint64_t frames = bmw_info_frame_count(animation), duration = frames - from_literal;
        if (frames && animation->duration != duration) changed++;
        if (to_literal && animation->duration < UINT32_MAX) animation->duration++;
        if (from_literal && animation->duration > 0) animation->duration--;
    }
    if (!((flags | to_flags) & TENON_BMW_FRAMES_INFERRED))
        tn_change_report(
            change, TENON_APPROXIMATED, "durations", changed,
            to_literal ? "one tick longer, because this layout counts frames"
                       : "one tick shorter, because this layout does not count the last frame");
    if (!(flags & ~to_flags & TENON_BMW_FRAMES_INFERRED)) return;

    double wanted = change->opts->rate > 0 ? change->opts->rate : LOST_RATE;
    uint32_t rate = UINT32_MAX;
    if (wanted < UINT32_MAX) rate = wanted < 1 ? 1 : (uint32_t)(wanted + 0.5);
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        doc->animations[a].duration = 0;
        doc->animations[a].rate = rate;
    }
    tn_change_report(change, TENON_SYNTHESIZED, "rate", doc->animation_count,
                     change->opts->rate > 0
                         ? "the layout R2a does not store it; the given rate was used"
                         : "the layout R2a does not store it; assumed 60 ticks per second");
    if (rate != wanted)
        tn_change_report(change, TENON_APPROXIMATED, "rate", doc->animation_count,
                         "rounded to whole ticks per second");
}

// -- Layouts without durations

// Copy as many bytes as there is room for. Returns their number.
static size_t bmw_dialects_copy(uint8_t *to, size_t room, const void *from, uint64_t size)
{
    size_t copied = size < room ? (size_t)size : room;
    if (copied) memcpy(to, from, copied);
    return copied;
}

// Copy the bytes that follow an animation, up to a whole matrix. Returns their number.
static size_t bmw_find_following(const tenon_bmw *doc, uint32_t next, uint8_t out[64])
{
    size_t size = 0;
    for (uint32_t a = next; a < doc->animation_count && size < 64; a++) {
        const tenon_bmw_animation *animation = &doc->animations[a];
        uint8_t start[12] = {0}, id[4];
        tn_copy_numbers(start + 8, &animation->bone_count, 1, 4, false);
        size += bmw_dialects_copy(out + size, 64 - size, start, sizeof start);
        for (uint32_t b = 0; b < animation->bone_count && size < 64; b++) {
            const tenon_span *frames = &animation->bones[b].frames;
            tn_copy_numbers(id, &animation->bones[b].node_id, 1, 4, false);
            size += bmw_dialects_copy(out + size, 64 - size, id, sizeof id);
            size += bmw_dialects_copy(out + size, 64 - size, frames->data, frames->size);
        }
    }
    return size + bmw_dialects_copy(out + size, 64 - size, doc->base.trailing.data,
                                    doc->base.trailing.size);
}

// Drop durations and rates, and set the last row of every matrix to 0 0 0 1, by which R2a's frames
// are found. The file would be unreadable if the bytes after an animation looked like one more
// frame.
static bool bmw_drop_durations(tenon_bmw *doc, const tn_change *change)
{
    static const float last_row[4] = {0, 0, 0, 1};
    uint64_t count = 0;
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        tenon_bmw_animation *animation = &doc->animations[a];
        animation->duration = animation->rate = 0;
        for (uint32_t b = 0; b < animation->bone_count; b++) {
            tenon_span *frames = &animation->bones[b].frames;
            uint8_t *bytes = NULL;
            for (uint64_t i = 0; i < frames->count; i++) {
                if (bmw_describe_ends_affine(frames->data + 64 * i)) continue;
                if (!bytes) {
                    bytes = tn_change_alloc(change, frames->count, 64, "the changed matrices");
                    if (!bytes) return false;
                    memcpy(bytes, frames->data, (size_t)frames->size);
                    frames->data = bytes;
                }
                tn_copy_numbers(bytes + 64 * i + 48, last_row, 4, 4, false);
                count++;
            }
        }
    }
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        uint8_t following[64];
        if (doc->animations[a].bone_count &&
            bmw_find_following(doc, a + 1, following) == sizeof following &&
            bmw_describe_ends_affine(following))
            return tn_error(change->err, TENON_ERR_UNSUPPORTED,
                            "the data after animation %u looks like another frame, and the layout "
                            "R2a does not store durations",
                            (unsigned)a);
    }
    tn_change_report(change, TENON_APPROXIMATED, "matrices", count,
                     "the last row was set to 0 0 0 1, because readers of layout R2a need it to "
                     "find the frames");
    tn_change_report(change, TENON_DROPPED, "durations and rates", doc->animation_count,
                     "the layout R2a stores zeros instead");
    return true;
}

// -- Nodes

// Number the nodes in file order, from *next on. Returns how many had another id.
static uint64_t bmw_number_nodes(tenon_bmw_node *node, uint32_t *next)
{
    uint64_t changed = node->node_id != *next;
    node->node_id = (*next)++;
    for (uint32_t i = 0; i < node->child_count; i++)
        changed += bmw_number_nodes(&node->children[i], next);
    return changed;
}

// Add names for a node and its descendants. `text` has NAME_SIZE bytes for each.
static void bmw_name_nodes(tenon_bmw *doc, const tenon_bmw_node *node, char *text)
{
    char *name = text + (uint64_t)NAME_SIZE * doc->name_count;
    memcpy(name, "node_", 5);
    uint32_t size = 5 + (uint32_t)tn_u64_text(node->node_id, name + 5);
    doc->names[doc->name_count++] = (tenon_bmw_name){node->node_id, {name, size}};
    for (uint32_t k = 0; k < node->child_count; k++) bmw_name_nodes(doc, &node->children[k], text);
}

// -- All

bool bmw_change(void *any, const tn_change *change)
{
    tenon_bmw *doc = any;
    uint32_t flags = doc->base.dialect->flags, to_flags = change->to->flags;
    uint32_t lost = flags & ~to_flags, gained = to_flags & ~flags;
    const char *why = "not supported by this layout";
    if (change->to == doc->base.dialect) return true;
    if (lost & TENON_BMW_ANIMATIONS) {
        tn_change_report(change, TENON_DROPPED, "animations", doc->animation_count, why);
        doc->animation_count = 0;
    }
    if (!bmw_equalize_frame_counts(doc, change)) return false;
    bmw_change_durations(doc, change);
    bool is_row_major = to_flags & TENON_BMW_ROW_MAJOR;
    if (doc->is_row_major != is_row_major && !bmw_matrix_transpose_all(doc, change)) return false;
    if (to_flags & TENON_BMW_ORDER_FORCED) doc->is_order_assumed = false;
    if ((gained & TENON_BMW_FRAMES_INFERRED) && !bmw_drop_durations(doc, change)) return false;

    uint64_t weights = 0, faces = 0;
    for (uint32_t m = 0; m < doc->mesh_count; m++) {
        tenon_bmw_mesh *mesh = &doc->meshes[m];
        weights += mesh->weighted_vertices.count;
        faces += mesh->faces.count;
        if (lost & TENON_BMW_WEIGHTS) mesh->weighted_vertices = (tenon_span){0};
        if (lost & TENON_BMW_FACES) mesh->faces = (tenon_span){0};
    }
    if (lost & TENON_BMW_WEIGHTS) tn_change_report(change, TENON_DROPPED, "weights", weights, why);
    if (lost & TENON_BMW_FACES) tn_change_report(change, TENON_DROPPED, "faces", faces, why);
    if (gained & TENON_BMW_FACES)
        tn_change_report(change, TENON_DEFAULTED, "faces", doc->mesh_count,
                         "not stored in the source layout; the meshes have none");

    if ((gained | lost) & TENON_BMW_NODE_IDS) {
        uint32_t count = 0;
        uint64_t changed = bmw_number_nodes(&doc->root, &count);
        if (gained & TENON_BMW_NODE_IDS)
            tn_change_report(change, TENON_SYNTHESIZED, "node ids", count,
                             "not stored in the source layout; numbered in file order");
        else
            tn_change_report(change, TENON_DROPPED, "node ids", changed,
                             "this layout numbers nodes in file order");
    }
    if (lost & TENON_BMW_NAMES) {
        tn_change_report(change, TENON_DROPPED, "names", doc->name_count, why);
        doc->name_count = 0;
    }
    if (!(gained & TENON_BMW_NAMES)) return true;
    uint64_t count = bmw_info_count_nodes(&doc->root);
    doc->name_count = 0;
    doc->names = tn_change_alloc(change, count, sizeof *doc->names, "the names");
    char *text = doc->names ? tn_change_alloc(change, count, NAME_SIZE, "the names") : NULL;
    if (!text) return false;
    bmw_name_nodes(doc, &doc->root, text);
    tn_change_report(change, TENON_SYNTHESIZED, "names", count,
                     "not stored in the source layout; set to 'node_' and the id of the node");
    return true;
}
