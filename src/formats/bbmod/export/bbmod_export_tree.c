// bbmod_export_tree.c: the nodes of a model: their poses without scale, the bones, which nodes are
// exported, one root, limited depth, bones numbered first.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "core/math/tree_links.h"
#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

#define NOISE        1e-9        // Rounding errors of double precision.
#define UNEVEN       1e-5        // Smaller changes of a stretch are ignored.
#define FLAT         1e-12       // A relative volume below which a matrix counts as singular.
#define SEARCH_TIMES 5           // Times of a clip at which a better stretch is searched.
#define ALIKE        1e-5        // Smaller differences between the bakes of bones are ignored.
#define DEPTH_MOST   250u        // Readers support 254.
#define NODES_MOST   0x1000000u  // Indices are floats, which are exact up to here.
#define STILL        1e-5        // Smaller changes of a scale are ignored.

// -- Stretches

static double bbmod_export_largest(const tn_mat3 *m)
{
    double largest = 0;
    for (int i = 0; i < 9; i++)
        if (fabs(m->m[i]) > largest) largest = fabs(m->m[i]);
    return largest;
}

static bbmod_stretch bbmod_export_stretch_of(const tn_mat4 *global)
{
    bbmod_stretch out;
    tn_mat3 upper = tn_mat4_upper(global), rotation;
    tn_mat3_polar(&upper, &rotation, &out.matrix);
    tn_mat4 matrix = tn_mat4_from_mat3(&out.matrix, (tn_vec3){0, 0, 0});
    out.has_inverse = tn_mat4_affine_inverse(&matrix, &matrix);
    out.inverse = tn_mat4_upper(&matrix);
    return out;
}

static bool bbmod_export_is_rotation(const tn_mat3 *m)
{
    tn_mat3 transposed = tn_mat3_transpose(m), square = tn_mat3_mul(&transposed, m);
    for (int i = 0; i < 9; i++)
        if (!(fabs(square.m[i] - (i % 4 == 0)) <= NOISE)) return false;
    return tn_mat3_determinant(m) > 0;
}

// `rotation` with the translation of `m`.
static tn_dquat bbmod_export_rigid(const tn_mat3 *rotation, const tn_mat4 *m)
{
    return tn_dquat_make(tn_quat_normalise(tn_quat_from_mat3(rotation)),
                         (tn_vec3){m->m[12], m->m[13], m->m[14]});
}

// -- Posing

static void bbmod_export_globals(bbmod_exporter *exporter, const tn_motion *motion, double seconds)
{
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        bbmod_node_pose *pose = &exporter->poses[i];
        const bbmod_node_pose *above =
            node->parent == TENON_NONE ? NULL : &exporter->poses[node->parent];
        tn_trs trs = tn_motion_local(motion, i, seconds);
        trs.rotation = tn_quat_normalise(trs.rotation);
        if (exporter->sources[i].is_plain) {
            pose->local = tn_dquat_make(trs.rotation, trs.translation);
            pose->world = above ? tn_dquat_mul(above->world, pose->local) : pose->local;
            pose->global = tn_dquat_to_mat4(pose->world);
            continue;
        }
        tn_mat4 local = tn_mat4_from_trs(&trs);
        if (node->has_matrix) memcpy(local.m, node->matrix, sizeof local.m);
        pose->global = above ? tn_mat4_mul(&above->global, &local) : local;
    }
}

void bbmod_pose(bbmod_exporter *exporter, const tn_motion *motion, double seconds)
{
    bbmod_export_globals(exporter, motion, seconds);
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        bbmod_node_pose *pose = &exporter->poses[i];
        if (source->is_plain) continue;
        // The rigid transform for which world * stretch is nearest to `global`.
        tn_mat3 upper = tn_mat4_upper(&pose->global),
                rotation = tn_mat3_mul(&upper, &source->stretch.inverse);
        if (!source->stretch.has_inverse || !bbmod_export_is_rotation(&rotation)) {
            tn_mat3 both = tn_mat3_mul(&upper, &source->stretch.matrix);
            tn_mat3_polar(&both, &rotation, NULL);
        }
        pose->world = bbmod_export_rigid(&rotation, &pose->global);
        if (!source->is_shown || source->is_uneven) continue;
        // Uneven if world * stretch differs from `global`.
        rotation = tn_mat3_from_quat(pose->world.real);
        tn_mat3 product = tn_mat3_mul(&rotation, &source->stretch.matrix);
        double size = bbmod_export_largest(&upper),
               other = bbmod_export_largest(&source->stretch.matrix);
        double slack = UNEVEN * (size > other ? size : other);
        for (int k = 0; k < 9; k++)
            if (!(fabs(product.m[k] - upper.m[k]) <= slack)) source->is_uneven = true;
    }
}

bool bbmod_export_find_stretches(bbmod_exporter *exporter)
{
    uint32_t node_count = exporter->scene->node_count;
    tn_motion rest;
    exporter->sources = tn_export_alloc(exporter->export, node_count, sizeof *exporter->sources);
    exporter->poses = tn_export_alloc(exporter->export, node_count, sizeof *exporter->poses);
    if (!exporter->sources || !exporter->poses ||
        !tn_motion_make(exporter->export, TENON_NONE, &rest))
        return false;
    const tenon_scene *scene = exporter->scene;
    const tn_rig *rig = &exporter->rig;
    bbmod_source_node *sources = exporter->sources;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        sources[i].is_plain =
            !node->has_matrix && node->scale[0] == 1 && node->scale[1] == 1 && node->scale[2] == 1;
        sources[i].bone = TENON_NONE;
    }
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *channel = &scene->animations[a].channels[i];
            if (channel->target != TENON_SCALE) continue;
            bool is_unit = channel->curve != TENON_CUBIC;
            for (uint64_t k = 0; is_unit && k < 3 * (uint64_t)channel->key_count; k++)
                if (channel->values[k] != 1) is_unit = false;
            if (!is_unit) sources[channel->node].is_plain = false;
        }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent != TENON_NONE && !sources[parent].is_plain) sources[i].is_plain = false;
    }
    for (uint32_t i = 0; i < rig->bone_count; i++) {
        sources[rig->bones[i].node].is_shown = true;
        sources[rig->bones[i].node].is_needed = true;
    }
    for (uint32_t i = 0; i < rig->part_count; i++) {
        bbmod_source_node *source = &sources[rig->parts[i].node];
        if (!bbmod_export_has_bones(&rig->parts[i])) source->is_shown = true;
        source->is_needed = true;
    }
    bbmod_export_globals(exporter, &rest, 0);
    bool some_flat = false;
    for (uint32_t i = 0; i < node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        if (source->is_plain) {
            source->stretch = (bbmod_stretch){tn_mat3_identity(), tn_mat3_identity(), true};
            continue;
        }
        source->stretch = bbmod_export_stretch_of(&exporter->poses[i].global);
        double size = bbmod_export_largest(&source->stretch.matrix);
        double volume = fabs(tn_mat3_determinant(&source->stretch.matrix));
        source->is_uneven = source->is_shown && !(volume > FLAT * size * size * size);
        some_flat = some_flat || source->is_uneven;
    }
    if (some_flat) {
        // A node that is scaled to zero in the rest pose may be visible in a clip: use its largest
        // stretch there.
        for (uint32_t a = 0; a < exporter->scene->animation_count; a++) {
            tn_motion motion;
            tn_mark mark = tn_arena_mark(exporter->export->arena);
            if (!tn_motion_make(exporter->export, a, &motion)) return false;
            for (int k = 0; k < SEARCH_TIMES; k++) {
                bbmod_export_globals(exporter, &motion, motion.duration * k / (SEARCH_TIMES - 1));
                for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
                    bbmod_source_node *source = &exporter->sources[i];
                    if (source->is_plain || !source->is_uneven) continue;
                    bbmod_stretch stretch = bbmod_export_stretch_of(&exporter->poses[i].global);
                    if (fabs(tn_mat3_determinant(&stretch.matrix)) >
                        fabs(tn_mat3_determinant(&source->stretch.matrix)))
                        source->stretch = stretch;
                }
            }
            tn_arena_rewind(exporter->export->arena, mark);
        }
    }
    for (uint32_t i = 0; i < node_count; i++) exporter->sources[i].is_uneven = false;
    bbmod_pose(exporter, &rest, 0);
    return true;
}

// -- Bones

bbmod_extent bbmod_export_extent_of(const tenon_primitive *p)
{
    bbmod_extent out = {0, 0};
    tn_bounds bounds = tn_bounds_empty();
    double square = 0;
    for (uint32_t i = 0; i < p->vertex_count; i++)
        tn_bounds_add_f32(&bounds, p->positions + 3 * (size_t)i);
    for (int k = 0; k < 3; k++) {
        double low = bounds.min[k], high = bounds.max[k];
        if (fabs(low) > out.reach) out.reach = fabs(low);
        if (fabs(high) > out.reach) out.reach = fabs(high);
        square += (high - low) * (high - low);
    }
    double least = 1e-3 * out.reach;  // A point needs a size, too.
    out.size = sqrt(square) > least ? sqrt(square) : least;
    return out;
}

bool bbmod_export_matrices_agree(const tn_mat4 *a, const tn_mat4 *b, const bbmod_extent *extent,
                                 double slack)
{
    double turned = 0, moved = 0, scale = 0;
    for (int i = 0; i < 12; i++) {
        double gap = fabs(a->m[i] - b->m[i]);
        if (gap > turned) turned = gap;
        if (fabs(a->m[i]) > scale) scale = fabs(a->m[i]);
    }
    for (int i = 12; i < 15; i++)
        if (fabs(a->m[i] - b->m[i]) > moved) moved = fabs(a->m[i] - b->m[i]);
    return 3 * turned * extent->reach + moved <= slack * scale * extent->size;
}

// Split what a bone does to a vertex before its world transform, stretch * inverse bind, into an
// offset and a bake. `offset` may be NULL: then the bake does not rotate.
static void bbmod_export_split_bind(bbmod_exporter *exporter, uint32_t index,
                                    const tn_dquat *offset)
{
    const tn_bone *bone = &exporter->rig.bones[index];
    bbmod_bone_plan *out = &exporter->bones[index];
    const tn_mat3 *stretch = &exporter->sources[bone->node].stretch.matrix;
    tn_mat4 matrix = tn_mat4_from_mat3(stretch, (tn_vec3){0, 0, 0});
    tn_mat4 bind = tn_mat4_mul(&matrix, &bone->inverse_bind);
    tn_mat3 upper = tn_mat4_upper(&bind), rotation;
    if (!offset) tn_mat3_polar(&upper, &rotation, NULL);
    out->offset = offset ? *offset : bbmod_export_rigid(&rotation, &bind);
    tn_mat4 undo = tn_dquat_to_mat4(tn_dquat_inverse(out->offset));
    out->bake = tn_mat4_mul(&undo, &bind);
}

bool bbmod_export_bones(bbmod_exporter *exporter)
{
    uint32_t count = exporter->rig.bone_count;
    bool some_share = false;
    exporter->bones = tn_export_alloc(exporter->export, count, sizeof *exporter->bones);
    if (!exporter->bones) return false;
    // All bones of one node share the offset of the first.
    for (uint32_t i = 0; i < count; i++) {
        bbmod_source_node *source = &exporter->sources[exporter->rig.bones[i].node];
        bool is_first = source->bone == TENON_NONE;
        if (is_first) source->bone = i;
        bbmod_export_split_bind(exporter, i,
                                is_first ? NULL : &exporter->bones[source->bone].offset);
        some_share = some_share || !is_first;
    }
    if (some_share) {
        // If skins have different bind poses for the same joints, usually only the place of the
        // mesh differs, and all bones of a vertex have the same bake. If not, these bones get
        // separate nodes.
        for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
            const tn_part *part = &exporter->rig.parts[i];
            if (!part->is_skinned) continue;
            bbmod_extent extent = bbmod_export_extent_of(part->p);
            for (uint32_t v = 0; v < part->p->vertex_count; v++) {
                uint32_t bones[TN_INFLUENCES];
                float weights[TN_INFLUENCES];
                bool agree = true;
                (void)tn_part_influences(part, v, bones, weights);
                const tn_mat4 *first = &exporter->bones[bones[0]].bake;
                for (uint32_t k = 1; k < TN_INFLUENCES && weights[k] > 0; k++)
                    agree = agree && bbmod_export_matrices_agree(
                                         first, &exporter->bones[bones[k]].bake, &extent, ALIKE);
                for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0 && !agree; k++)
                    if (exporter->sources[exporter->rig.bones[bones[k]].node].bone != bones[k])
                        exporter->bones[bones[k]].is_separate = true;
            }
        }
        for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
            if (exporter->bones[i].is_separate) bbmod_export_split_bind(exporter, i, NULL);
    }
    return true;
}

// -- Nodes that are left out

static bool bbmod_export_scale_changes(const tenon_channel *channel)
{
    bool is_cubic = channel->curve == TENON_CUBIC;
    uint32_t stride = is_cubic ? 9 : 3, at = is_cubic ? 3 : 0;
    for (uint64_t i = 1; i < channel->key_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double first = (double)channel->values[at + k];
            double now = (double)channel->values[i * stride + at + k];
            if (!(fabs(now - first) <= STILL * fabs(first))) return true;
        }
    return false;
}

// Which nodes are left out first.
typedef enum bbmod_rank {
    BBMOD_KEPT,
    BBMOD_STILL,  // Invisible and not animated: children can take over its transform.
    BBMOD_SPARE,  // Invisible, and no descendant is visible either.
} bbmod_rank;

// Nodes of the model if those of `rank` and above are left out.
static uint64_t bbmod_export_count_below(const bbmod_exporter *exporter, const uint8_t *ranks,
                                         bbmod_rank rank)
{
    uint64_t count = 1;  // For a root that may be added.
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        count += !exporter->sources[i].is_left_out && ranks[i] < rank;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) count += exporter->bones[i].is_separate;
    return count;
}

static bool bbmod_export_leave_out_nodes(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint8_t *ranks = tn_export_alloc(exporter->export, scene->node_count, sizeof *ranks);
    if (!ranks) return false;
    // Invisible nodes that only scale their children, such as the two nodes that replace a matrix
    // with shear. Without scale, they would only disturb the interpolation between frames.
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *channel = &scene->animations[a].channels[i];
            bbmod_source_node *source = &exporter->sources[channel->node];
            if (channel->target != TENON_SCALE || source->is_needed || source->is_left_out)
                continue;
            source->is_left_out = bbmod_export_scale_changes(channel);
            tn_tally_at(&exporter->tallies.scaling, source->is_left_out, "nodes", channel->node);
        }
    // More nodes than the engine supports.
    bool is_crowded = bbmod_export_count_below(exporter, ranks, BBMOD_STILL) > BBMOD_ENGINE_MOST;
    if (!is_crowded || exporter->rig.bone_count == 0) return true;
    bool *moves = tn_export_alloc(exporter->export, scene->node_count, sizeof *moves);
    bool *is_used = tn_export_alloc(exporter->export, scene->node_count, sizeof *is_used);
    if (!moves || !is_used) return false;
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++)
            moves[scene->animations[a].channels[i].node] = true;
    for (uint32_t i = scene->node_count; i-- > 0;) {
        const bbmod_source_node *source = &exporter->sources[i];
        uint32_t parent = scene->nodes[i].parent;
        is_used[i] = is_used[i] || source->is_needed;
        if (parent != TENON_NONE && is_used[i]) is_used[parent] = true;
        if (source->is_needed || source->is_left_out || parent == TENON_NONE) continue;
        ranks[i] = !is_used[i] ? BBMOD_SPARE : moves[i] ? BBMOD_KEPT : BBMOD_STILL;
    }
    bbmod_rank rank = BBMOD_SPARE;
    if (bbmod_export_count_below(exporter, ranks, rank) > BBMOD_ENGINE_MOST) rank = BBMOD_STILL;
    if (bbmod_export_count_below(exporter, ranks, rank) > BBMOD_ENGINE_MOST) return true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (exporter->sources[i].is_left_out || ranks[i] < rank) continue;
        exporter->sources[i].is_left_out = true;
        tn_tally_at(&exporter->tallies.spare, 1, "nodes", i);
    }
    return true;
}

// -- Plans

// A node that would be too deep becomes a sibling of its parent.
static void bbmod_export_plan_node(bbmod_exporter *exporter, tenon_str name, uint32_t node,
                                   uint32_t parent)
{
    bbmod_node_plan *plan = &exporter->plans[exporter->node_count++];
    *plan = (bbmod_node_plan){
        .name = name, .node = node, .parent = parent, .bone = TENON_NONE, .slot = TENON_NONE};
    if (parent == TENON_NONE) return;
    if (exporter->plans[parent].depth == DEPTH_MOST) {
        plan->parent = exporter->plans[parent].parent;
        tn_tally_at(&exporter->tallies.too_deep, 1, "nodes", node);
    }
    plan->depth = exporter->plans[plan->parent].depth + 1;
}

static bool bbmod_export_list_plans(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    bbmod_source_node *sources = exporter->sources;
    uint64_t most = (uint64_t)scene->node_count + exporter->rig.bone_count + 1;
    bool *is_below = tn_export_alloc(exporter->export, scene->node_count, sizeof *is_below);
    if (most > NODES_MOST)
        return tn_error(exporter->export->err, TENON_ERR_LIMIT,
                        "the scene has too many nodes for BBMOD");
    exporter->plans = tn_export_alloc(exporter->export, most, sizeof *exporter->plans);
    if (!exporter->plans || !is_below) return false;
    uint32_t root_count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_under = parent != TENON_NONE && is_below[parent];
        root_count += !is_under && !sources[i].is_left_out;
        is_below[i] = is_under || !sources[i].is_left_out;
    }
    exporter->added_count = root_count != 1;
    if (root_count != 1)
        bbmod_export_plan_node(exporter, (tenon_str){"RootNode", 8}, TENON_NONE, TENON_NONE);
    // A node that is left out refers to its nearest exported ancestor.
    uint32_t root = root_count == 1 ? TENON_NONE : 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        uint32_t above = parent == TENON_NONE ? root : sources[parent].plan;
        sources[i].plan = sources[i].is_left_out ? above : exporter->node_count;
        if (!sources[i].is_left_out)
            bbmod_export_plan_node(exporter, scene->nodes[i].name, i, above);
    }
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) {
        uint32_t node = exporter->rig.bones[i].node, plan = sources[node].plan;
        if (exporter->bones[i].is_separate) {
            bbmod_export_plan_node(exporter, scene->nodes[node].name, node, plan);
            plan = exporter->node_count - 1;
            exporter->added_count++;
        }
        exporter->bones[i].plan = plan;
        if (exporter->plans[plan].bone == TENON_NONE) exporter->plans[plan].bone = i;
    }
    return true;
}

// The children of each node.
static tn_tree_link *bbmod_export_link_children(const bbmod_exporter *exporter)
{
    tn_tree_link *links = tn_export_alloc(exporter->export, exporter->node_count, sizeof *links);
    if (!links) return NULL;
    for (uint32_t i = 0; i < exporter->node_count; i++) links[i].parent = exporter->plans[i].parent;
    (void)tn_tree_link_all(links, exporter->node_count);
    return links;
}

static void bbmod_export_give_slot(bbmod_exporter *exporter, uint32_t plan, uint32_t *slot)
{
    if (exporter->plans[plan].slot != TENON_NONE) return;
    exporter->plans[plan].slot = *slot;
    exporter->by_slot[(*slot)++] = plan;
}

bool bbmod_export_plan_nodes(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    const tn_rig *rig = &exporter->rig;
    uint32_t slot = 0;
    if (!bbmod_export_leave_out_nodes(exporter) || !bbmod_export_list_plans(exporter)) return false;
    tn_tree_link *links = bbmod_export_link_children(exporter);
    exporter->by_slot =
        tn_export_alloc(exporter->export, exporter->node_count, sizeof *exporter->by_slot);
    bool *is_seen = tn_export_alloc(exporter->export, scene->skin_count, sizeof *is_seen);
    if (!links || !exporter->by_slot || !is_seen) return false;
    // Bones in the order of the joints of skins, so that an imported model keeps its numbers; then
    // the other bones.
    for (uint32_t i = 0; i < rig->part_count; i++) {
        const tn_part *part = &rig->parts[i];
        uint32_t skin = scene->nodes[part->node].skin;
        if (!part->is_skinned || is_seen[skin]) continue;
        is_seen[skin] = true;
        for (uint32_t k = 0; k < scene->skins[skin].joint_count; k++)
            if (part->bones[k] != TENON_NONE)
                bbmod_export_give_slot(exporter, exporter->bones[part->bones[k]].plan, &slot);
    }
    for (uint32_t i = 0; i < rig->bone_count; i++)
        bbmod_export_give_slot(exporter, exporter->bones[i].plan, &slot);
    exporter->bone_count = slot;
    // All other nodes, depth first.
    uint32_t count = exporter->node_count;
    for (uint32_t i = 0; i != TN_NO_NODE; i = tn_tree_next(links, count, i, TN_NO_NODE, NULL))
        bbmod_export_give_slot(exporter, i, &slot);
    return true;
}

// -- Transforms

tn_dquat bbmod_export_plan_world(const bbmod_exporter *exporter, uint32_t plan)
{
    uint32_t node = exporter->plans[plan].node;
    return node == TENON_NONE ? tn_dquat_identity() : exporter->poses[node].world;
}

tn_dquat bbmod_export_plan_local(const bbmod_exporter *exporter, uint32_t index)
{
    const bbmod_node_plan *plan = &exporter->plans[index];
    if (plan->parent == TENON_NONE) return bbmod_export_plan_world(exporter, index);
    uint32_t above = exporter->plans[plan->parent].node;
    if (above == plan->node) return tn_dquat_identity();
    bool is_whole = exporter->sources[plan->node].is_plain &&
                    exporter->scene->nodes[plan->node].parent == above;
    if (is_whole) return exporter->poses[plan->node].local;
    return tn_dquat_mul(tn_dquat_inverse(bbmod_export_plan_world(exporter, plan->parent)),
                        exporter->poses[plan->node].world);
}

bool bbmod_export_store_transform(const bbmod_exporter *exporter, tn_dquat transform,
                                  float numbers[8])
{
    tn_vec3 move = tn_mirror_vec3(tn_dquat_translation(transform));
    bbmod_rig_dual_store(tn_dquat_make(tn_mirror_quat(transform.real), move), numbers);
    for (int i = 0; i < 8; i++)
        if (!isfinite(numbers[i]))
            return tn_error(exporter->export->err, TENON_ERR_VALUE,
                            "a node position is too large for BBMOD");
    return true;
}

// -- The document

bool bbmod_export_fill_tree(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    tenon_bbmod *doc = exporter->doc;
    uint32_t count = exporter->node_count, ref_count = exporter->rig.part_count, used = 1;
    uint8_t *refs = tn_export_alloc(export, ref_count, 4);
    tn_tree_link *links = bbmod_export_link_children(exporter);
    tenon_bbmod_node *nodes = tn_export_alloc(export, count, sizeof *nodes);
    uint32_t *order = tn_export_alloc(export, count, sizeof *order);  // Starts with the root, 0.
    uint64_t stride = bbmod_bone_layout.stride, bone_count = exporter->bone_count;
    uint8_t *bones = tn_export_alloc(export, bone_count, (size_t)stride);
    if (!refs || !links || !nodes || !order || !bones) return false;
    tn_copy_numbers(refs, exporter->refs, ref_count, 4, false);
    // All nodes in one array, level by level, so that the children of each are adjacent.
    for (uint32_t i = 0; i < count; i++) {
        const bbmod_node_plan *plan = &exporter->plans[order[i]];
        uint32_t first_child = used;
        for (uint32_t k = links[order[i]].first_child; k != TN_NO_NODE; k = links[k].next_sibling)
            order[used++] = k;
        nodes[i] = (tenon_bbmod_node){.name = plan->name,
                                      .index = (float)plan->slot,
                                      .is_bone = plan->bone != TENON_NONE,
                                      .meshes = bbmod_span(refs + 4 * (size_t)plan->first_ref,
                                                           plan->ref_count, &tn_layout_u32),
                                      .child_count = used - first_child,
                                      .children = nodes + first_child};
        tn_dquat local = bbmod_export_plan_local(exporter, order[i]);
        if (!bbmod_export_store_transform(exporter, local, nodes[i].transform)) return false;
    }
    doc->root = nodes[0];
    doc->node_count = count;
    for (uint32_t slot = 0; slot < bone_count; slot++) {
        float numbers[9] = {(float)slot};
        uint32_t bone = exporter->plans[exporter->by_slot[slot]].bone;
        if (!bbmod_export_store_transform(exporter, exporter->bones[bone].offset, numbers + 1))
            return false;
        tn_copy_numbers(bones + slot * stride, numbers, 9, 4, false);
    }
    doc->bones = bbmod_span(bones, bone_count, &bbmod_bone_layout);
    return true;
}
