// bbmod_export_pose.c: poses of a scene, split into rigid transforms and stretches.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include <math.h>
#include <string.h>

#define NOISE        1e-9   // Rounding errors of double precision.
#define UNEVEN       1e-5   // Smaller changes of a stretch are ignored.
#define FLAT         1e-12  // A relative volume below which a matrix counts as singular.
#define SEARCH_TIMES 5      // Times of a clip at which a better stretch is searched.

// -- Flags of nodes

static bool bbmod_is_unit(const tenon_channel *channel)
{
    if (channel->curve == TENON_CUBIC) return false;
    for (uint64_t i = 0; i < 3 * (uint64_t)channel->key_count; i++)
        if (channel->values[i] != 1) return false;
    return true;
}

static void bbmod_find_plain(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        exporter->sources[i].is_plain =
            !node->has_matrix && node->scale[0] == 1 && node->scale[1] == 1 && node->scale[2] == 1;
        exporter->sources[i].bone = TENON_NONE;
    }
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *channel = &scene->animations[a].channels[i];
            if (channel->target == TENON_SCALE && !bbmod_is_unit(channel))
                exporter->sources[channel->node].is_plain = false;
        }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent != TENON_NONE && !exporter->sources[parent].is_plain)
            exporter->sources[i].is_plain = false;
    }
}

static void bbmod_find_shown(bbmod_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
        exporter->sources[exporter->rig.bones[i].node].is_shown = true;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        bbmod_source_node *source = &exporter->sources[exporter->rig.parts[i].node];
        source->is_shown = source->is_shown || !bbmod_has_bones(&exporter->rig.parts[i]);
        source->is_needed = true;
    }
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        exporter->sources[i].is_needed =
            exporter->sources[i].is_needed || exporter->sources[i].is_shown;
}

// -- Stretches

static double bbmod_largest(const tn_mat3 *m)
{
    double largest = 0;
    for (int i = 0; i < 9; i++)
        if (fabs(m->m[i]) > largest) largest = fabs(m->m[i]);
    return largest;
}

static bool bbmod_is_flat(const tn_mat3 *m)
{
    double size = bbmod_largest(m);
    return !(fabs(tn_mat3_determinant(m)) > FLAT * size * size * size);
}

static bbmod_stretch bbmod_stretch_of(const tn_mat4 *global)
{
    bbmod_stretch out;
    tn_mat3 upper = tn_mat4_upper(global), turn;
    tn_mat3_polar(&upper, &turn, &out.matrix);
    tn_mat4 matrix = tn_mat4_from_mat3(&out.matrix, (tn_vec3){0, 0, 0});
    out.has_inverse = tn_mat4_affine_inverse(&matrix, &matrix);
    out.inverse = tn_mat4_upper(&matrix);
    return out;
}

static bool bbmod_is_turn(const tn_mat3 *m)
{
    tn_mat3 transposed = tn_mat3_transpose(m), square = tn_mat3_mul(&transposed, m);
    for (int i = 0; i < 9; i++)
        if (!(fabs(square.m[i] - (i % 4 == 0)) <= NOISE)) return false;
    return tn_mat3_determinant(m) > 0;
}

static tn_dquat bbmod_place_at(const tn_mat3 *turn, const tn_mat4 *m)
{
    return tn_dquat_make(tn_quat_normalise(tn_quat_from_mat3(turn)),
                         (tn_vec3){m->m[12], m->m[13], m->m[14]});
}

// The rigid transform for which world * stretch is nearest to `global`.
static tn_dquat bbmod_without_stretch(const tn_mat4 *global, const bbmod_stretch *stretch)
{
    tn_mat3 upper = tn_mat4_upper(global), turn = tn_mat3_mul(&upper, &stretch->inverse);
    if (!stretch->has_inverse || !bbmod_is_turn(&turn)) {
        tn_mat3 both = tn_mat3_mul(&upper, &stretch->matrix);
        tn_mat3_polar(&both, &turn, NULL);
    }
    return bbmod_place_at(&turn, global);
}

tn_dquat bbmod_rigid_part(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m), turn;
    tn_mat3_polar(&upper, &turn, NULL);
    return bbmod_place_at(&turn, m);
}

// Whether world * stretch differs from the global transform.
static bool bbmod_stretch_differs(const bbmod_node_pose *place, const bbmod_stretch *stretch)
{
    tn_mat3 turn = tn_mat3_from_quat(place->world.real);
    tn_mat3 made = tn_mat3_mul(&turn, &stretch->matrix), upper = tn_mat4_upper(&place->global);
    double size = bbmod_largest(&upper), other = bbmod_largest(&stretch->matrix);
    double slack = UNEVEN * (size > other ? size : other);
    for (int i = 0; i < 9; i++)
        if (!(fabs(made.m[i] - upper.m[i]) <= slack)) return true;
    return false;
}

// -- Posing

static tn_mat4 bbmod_local_matrix(const bbmod_exporter *exporter, uint32_t node, const tn_trs *trs)
{
    tn_mat4 m;
    if (!exporter->scene->nodes[node].has_matrix) return tn_mat4_from_trs(trs);
    memcpy(m.m, exporter->scene->nodes[node].matrix, sizeof m.m);
    return m;
}

static void bbmod_place_node(bbmod_exporter *exporter, uint32_t node, const tn_trs *trs)
{
    uint32_t parent = exporter->scene->nodes[node].parent;
    bbmod_node_pose *place = &exporter->poses[node];
    const bbmod_node_pose *above = parent == TENON_NONE ? NULL : &exporter->poses[parent];
    if (exporter->sources[node].is_plain) {
        place->local = tn_dquat_make(trs->rotation, trs->translation);
        place->world = above ? tn_dquat_mul(above->world, place->local) : place->local;
        place->global = tn_dquat_to_mat4(place->world);
    } else {
        tn_mat4 local = bbmod_local_matrix(exporter, node, trs);
        place->global = above ? tn_mat4_mul(&above->global, &local) : local;
    }
}

static void bbmod_place_nodes(bbmod_exporter *exporter, const tn_motion *motion, double seconds)
{
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        tn_trs trs = tn_motion_local(motion, i, seconds);
        trs.rotation = tn_quat_normalise(trs.rotation);
        bbmod_place_node(exporter, i, &trs);
    }
}

void bbmod_pose(bbmod_exporter *exporter, const tn_motion *motion, double seconds)
{
    bbmod_place_nodes(exporter, motion, seconds);
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        bbmod_node_pose *place = &exporter->poses[i];
        if (source->is_plain) continue;
        place->world = bbmod_without_stretch(&place->global, &source->stretch);
        if (source->is_shown && !source->is_uneven)
            source->is_uneven = bbmod_stretch_differs(place, &source->stretch);
    }
}

// -- Better stretches

// A node that is scaled to zero in the rest pose may be visible in a clip: use its largest stretch
// there.
static void bbmod_search_stretches_at(bbmod_exporter *exporter, const tn_motion *motion,
                                      double seconds)
{
    bbmod_place_nodes(exporter, motion, seconds);
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        if (source->is_plain || !source->is_uneven) continue;
        bbmod_stretch stretch = bbmod_stretch_of(&exporter->poses[i].global);
        if (fabs(tn_mat3_determinant(&stretch.matrix)) >
            fabs(tn_mat3_determinant(&source->stretch.matrix)))
            source->stretch = stretch;
    }
}

static bool bbmod_search_stretches(bbmod_exporter *exporter)
{
    for (uint32_t a = 0; a < exporter->scene->animation_count; a++) {
        tn_motion motion;
        tn_mark mark = tn_arena_mark(exporter->export->arena);
        if (!tn_motion_make(exporter->export, a, &motion)) return false;
        for (int i = 0; i < SEARCH_TIMES; i++)
            bbmod_search_stretches_at(exporter, &motion, motion.duration * i / (SEARCH_TIMES - 1));
        tn_arena_rewind(exporter->export->arena, mark);
    }
    return true;
}

// -- Stretches of all nodes

static bool bbmod_measure_stretches(bbmod_exporter *exporter, const tn_motion *rest)
{
    bool some_flat = false;
    bbmod_place_nodes(exporter, rest, 0);
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        if (source->is_plain) {
            source->stretch = (bbmod_stretch){tn_mat3_identity(), tn_mat3_identity(), true};
            continue;
        }
        source->stretch = bbmod_stretch_of(&exporter->poses[i].global);
        source->is_uneven = source->is_shown && bbmod_is_flat(&source->stretch.matrix);
        some_flat = some_flat || source->is_uneven;
    }
    if (some_flat && !bbmod_search_stretches(exporter)) return false;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        exporter->sources[i].is_uneven = false;
    return true;
}

bool bbmod_find_stretches(bbmod_exporter *exporter)
{
    tn_motion rest;
    exporter->sources =
        tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *exporter->sources);
    exporter->poses =
        tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *exporter->poses);
    if (!exporter->sources || !exporter->poses ||
        !tn_motion_make(exporter->export, TENON_NONE, &rest))
        return false;
    bbmod_find_plain(exporter);
    bbmod_find_shown(exporter);
    if (!bbmod_measure_stretches(exporter, &rest)) return false;
    bbmod_pose(exporter, &rest, 0);
    return true;
}
