// bbmod_export_prune.c: choosing nodes that are not exported.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include <math.h>

#define STILL 1e-5  // Smaller changes of a scale are ignored.

// -- Nodes with animated scale

static bool bbmod_scale_changes(const tenon_channel *channel)
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
static void bbmod_leave_out_scaling(bbmod_exporter *exporter)
{
    for (uint32_t a = 0; a < exporter->scene->animation_count; a++)
        for (uint32_t i = 0; i < exporter->scene->animations[a].channel_count; i++) {
            const tenon_channel *channel = &exporter->scene->animations[a].channels[i];
            bbmod_source_node *source = &exporter->sources[channel->node];
            if (channel->target != TENON_SCALE || source->is_needed || source->is_left_out)
                continue;
            source->is_left_out = bbmod_scale_changes(channel);
            tn_tally_at(&exporter->tallies.scaling, source->is_left_out, "nodes", channel->node);
        }
}

// -- More nodes than the engine supports

// Which nodes are left out first.
typedef enum bbmod_rank {
    BBMOD_KEPT,
    BBMOD_STILL,  // Invisible and not animated: children can take over its transform.
    BBMOD_SPARE,  // Invisible, and no descendant is visible either.
} bbmod_rank;

static bool bbmod_rank_nodes(bbmod_exporter *exporter, uint8_t *ranks)
{
    bool *moves = tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *moves);
    bool *is_used = tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *is_used);
    if (!moves || !is_used) return false;
    for (uint32_t a = 0; a < exporter->scene->animation_count; a++)
        for (uint32_t i = 0; i < exporter->scene->animations[a].channel_count; i++)
            moves[exporter->scene->animations[a].channels[i].node] = true;
    for (uint32_t i = exporter->scene->node_count; i-- > 0;) {
        uint32_t parent = exporter->scene->nodes[i].parent;
        is_used[i] = is_used[i] || exporter->sources[i].is_needed;
        if (parent != TENON_NONE && is_used[i]) is_used[parent] = true;
        bool is_free = !exporter->sources[i].is_needed && !exporter->sources[i].is_left_out &&
                       parent != TENON_NONE;
        if (is_free && !is_used[i])
            ranks[i] = BBMOD_SPARE;
        else if (is_free && !moves[i])
            ranks[i] = BBMOD_STILL;
    }
    return true;
}

static uint64_t bbmod_count_below(const bbmod_exporter *exporter, const uint8_t *ranks,
                                  bbmod_rank rank)
{
    uint64_t count = 1;  // For a root that may be added.
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        count += !exporter->sources[i].is_left_out && ranks[i] < rank;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) count += exporter->bones[i].is_separate;
    return count;
}

static bool bbmod_leave_out_spare(bbmod_exporter *exporter)
{
    uint8_t *ranks = tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *ranks);
    if (!ranks || !bbmod_rank_nodes(exporter, ranks)) return false;
    bbmod_rank rank = BBMOD_SPARE;
    if (bbmod_count_below(exporter, ranks, rank) > BBMOD_ENGINE_MOST) rank = BBMOD_STILL;
    if (bbmod_count_below(exporter, ranks, rank) > BBMOD_ENGINE_MOST) return true;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        if (exporter->sources[i].is_left_out || ranks[i] < rank) continue;
        exporter->sources[i].is_left_out = true;
        tn_tally_at(&exporter->tallies.spare, 1, "nodes", i);
    }
    return true;
}

bool bbmod_choose_left_out(bbmod_exporter *exporter)
{
    uint8_t *none = tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *none);
    if (!none) return false;
    bbmod_leave_out_scaling(exporter);
    bool is_crowded = bbmod_count_below(exporter, none, BBMOD_STILL) > BBMOD_ENGINE_MOST;
    return !is_crowded || exporter->rig.bone_count == 0 || bbmod_leave_out_spare(exporter);
}
