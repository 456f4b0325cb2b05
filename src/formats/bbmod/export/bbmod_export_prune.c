// bbmod_export_prune.c: choosing nodes that are not exported.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include <math.h>

#define STILL 1e-5  // Smaller changes of a scale are ignored.

// -- Nodes with animated scale

static bool bbmod_wavers(const tenon_channel *channel)
{
    uint32_t stride = channel->curve == TENON_CUBIC ? 9 : 3,
             at = channel->curve == TENON_CUBIC ? 3 : 0;
    for (uint64_t i = 1; i < channel->key_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double first = (double)channel->values[at + k];
            double now = (double)channel->values[i * stride + at + k];
            if (!(fabs(now - first) <= STILL * fabs(first))) return true;
        }
    return false;
}

// Leave out invisible nodes that only scale their children, such as the two nodes that replace a
// matrix with shear. Without scale, they would only disturb the interpolation between frames.
static void bbmod_leave_wavering(bbmod_exporter *w)
{
    for (uint32_t a = 0; a < w->s->animation_count; a++)
        for (uint32_t i = 0; i < w->s->animations[a].channel_count; i++) {
            const tenon_channel *channel = &w->s->animations[a].channels[i];
            bbmod_source_node *body = &w->bodies[channel->node];
            if (channel->target != TENON_SCALE || body->is_needed || body->is_left_out) continue;
            body->is_left_out = bbmod_wavers(channel);
            tn_tally_at(&w->notes.wavering, body->is_left_out, "nodes", channel->node);
        }
}

// -- More nodes than the engine supports

// Which nodes are left out first.
typedef enum bbmod_rank {
    BBMOD_KEPT,
    BBMOD_STILL,  // Invisible and not animated: children can take over its transform.
    BBMOD_SPARE,  // Invisible, and no descendant is visible either.
} bbmod_rank;

static bool bbmod_rank_nodes(bbmod_exporter *w, uint8_t *ranks)
{
    bool *moves = tn_export_alloc(w->e, w->s->node_count, sizeof *moves);
    bool *is_used = tn_export_alloc(w->e, w->s->node_count, sizeof *is_used);
    if (!moves || !is_used) return false;
    for (uint32_t a = 0; a < w->s->animation_count; a++)
        for (uint32_t i = 0; i < w->s->animations[a].channel_count; i++)
            moves[w->s->animations[a].channels[i].node] = true;
    for (uint32_t i = w->s->node_count; i-- > 0;) {
        uint32_t parent = w->s->nodes[i].parent;
        is_used[i] = is_used[i] || w->bodies[i].is_needed;
        if (parent != TENON_NONE && is_used[i]) is_used[parent] = true;
        bool is_free = !w->bodies[i].is_needed && !w->bodies[i].is_left_out && parent != TENON_NONE;
        if (is_free && !is_used[i])
            ranks[i] = BBMOD_SPARE;
        else if (is_free && !moves[i])
            ranks[i] = BBMOD_STILL;
    }
    return true;
}

static uint64_t bbmod_count_below(const bbmod_exporter *w, const uint8_t *ranks, bbmod_rank rank)
{
    uint64_t count = 1;  // For a root that may be added.
    for (uint32_t i = 0; i < w->s->node_count; i++)
        count += !w->bodies[i].is_left_out && ranks[i] < rank;
    for (uint32_t i = 0; i < w->rig.bone_count; i++) count += w->bones[i].is_apart;
    return count;
}

static bool bbmod_leave_spare(bbmod_exporter *w)
{
    uint8_t *ranks = tn_export_alloc(w->e, w->s->node_count, sizeof *ranks);
    if (!ranks || !bbmod_rank_nodes(w, ranks)) return false;
    bbmod_rank rank = BBMOD_SPARE;
    if (bbmod_count_below(w, ranks, rank) > BBMOD_ENGINE_MOST) rank = BBMOD_STILL;
    if (bbmod_count_below(w, ranks, rank) > BBMOD_ENGINE_MOST) return true;
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        if (w->bodies[i].is_left_out || ranks[i] < rank) continue;
        w->bodies[i].is_left_out = true;
        tn_tally_at(&w->notes.spare, 1, "nodes", i);
    }
    return true;
}

bool bbmod_leave_out(bbmod_exporter *w)
{
    uint8_t *none = tn_export_alloc(w->e, w->s->node_count, sizeof *none);
    if (!none) return false;
    bbmod_leave_wavering(w);
    bool is_crowded = bbmod_count_below(w, none, BBMOD_STILL) > BBMOD_ENGINE_MOST;
    return !is_crowded || w->rig.bone_count == 0 || bbmod_leave_spare(w);
}
