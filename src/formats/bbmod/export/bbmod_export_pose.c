// bbmod_export_pose.c: poses of a scene, split into rigid transforms and stretches.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include <math.h>
#include <string.h>

#define NOISE        1e-9   // Rounding errors of double precision.
#define UNEVEN       1e-5   // Smaller changes of a stretch are ignored.
#define FLAT         1e-12  // A relative volume below which a matrix counts as singular.
#define RESCUE_TIMES 5      // Times of a clip at which a better stretch is searched.

// -- Flags of nodes

static bool bbmod_is_unit(const tenon_channel *channel)
{
    if (channel->curve == TENON_CUBIC) return false;
    for (uint64_t i = 0; i < 3 * (uint64_t)channel->key_count; i++)
        if (channel->values[i] != 1) return false;
    return true;
}

static void bbmod_find_plain(bbmod_exporter *w)
{
    const tenon_scene *s = w->s;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *node = &s->nodes[i];
        w->bodies[i].is_plain =
            !node->has_matrix && node->scale[0] == 1 && node->scale[1] == 1 && node->scale[2] == 1;
        w->bodies[i].bone = TENON_NONE;
    }
    for (uint32_t a = 0; a < s->animation_count; a++)
        for (uint32_t i = 0; i < s->animations[a].channel_count; i++) {
            const tenon_channel *channel = &s->animations[a].channels[i];
            if (channel->target == TENON_SCALE && !bbmod_is_unit(channel))
                w->bodies[channel->node].is_plain = false;
        }
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t parent = s->nodes[i].parent;
        if (parent != TENON_NONE && !w->bodies[parent].is_plain) w->bodies[i].is_plain = false;
    }
}

static void bbmod_find_shown(bbmod_exporter *w)
{
    for (uint32_t i = 0; i < w->rig.bone_count; i++)
        w->bodies[w->rig.bones[i].node].is_shown = true;
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        bbmod_source_node *body = &w->bodies[w->rig.parts[i].node];
        body->is_shown = body->is_shown || !bbmod_has_bones(&w->rig.parts[i]);
        body->is_needed = true;
    }
    for (uint32_t i = 0; i < w->s->node_count; i++)
        w->bodies[i].is_needed = w->bodies[i].is_needed || w->bodies[i].is_shown;
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
static bool bbmod_is_off(const bbmod_place *place, const bbmod_stretch *stretch)
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

static tn_mat4 bbmod_local_matrix(const bbmod_exporter *w, uint32_t node, const tn_trs *trs)
{
    tn_mat4 m;
    if (!w->s->nodes[node].has_matrix) return tn_mat4_from_trs(trs);
    memcpy(m.m, w->s->nodes[node].matrix, sizeof m.m);
    return m;
}

static void bbmod_place_node(bbmod_exporter *w, uint32_t node, const tn_trs *trs)
{
    uint32_t parent = w->s->nodes[node].parent;
    bbmod_place *place = &w->places[node];
    const bbmod_place *above = parent == TENON_NONE ? NULL : &w->places[parent];
    if (w->bodies[node].is_plain) {
        place->local = tn_dquat_make(trs->rotation, trs->translation);
        place->world = above ? tn_dquat_mul(above->world, place->local) : place->local;
        place->global = tn_dquat_to_mat4(place->world);
    } else {
        tn_mat4 local = bbmod_local_matrix(w, node, trs);
        place->global = above ? tn_mat4_mul(&above->global, &local) : local;
    }
}

static void bbmod_place_nodes(bbmod_exporter *w, const tn_motion *motion, double seconds)
{
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        tn_trs trs = tn_motion_local(motion, i, seconds);
        trs.rotation = tn_quat_normalise(trs.rotation);
        bbmod_place_node(w, i, &trs);
    }
}

void bbmod_pose(bbmod_exporter *w, const tn_motion *motion, double seconds)
{
    bbmod_place_nodes(w, motion, seconds);
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        bbmod_source_node *body = &w->bodies[i];
        bbmod_place *place = &w->places[i];
        if (body->is_plain) continue;
        place->world = bbmod_without_stretch(&place->global, &body->stretch);
        if (body->is_shown && !body->is_uneven)
            body->is_uneven = bbmod_is_off(place, &body->stretch);
    }
}

// -- Better stretches

// A node that is scaled to zero in the rest pose may be visible in a clip: use its largest stretch
// there.
static void bbmod_rescue_at(bbmod_exporter *w, const tn_motion *motion, double seconds)
{
    bbmod_place_nodes(w, motion, seconds);
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        bbmod_source_node *body = &w->bodies[i];
        if (body->is_plain || !body->is_uneven) continue;
        bbmod_stretch stretch = bbmod_stretch_of(&w->places[i].global);
        if (fabs(tn_mat3_determinant(&stretch.matrix)) >
            fabs(tn_mat3_determinant(&body->stretch.matrix)))
            body->stretch = stretch;
    }
}

static bool bbmod_rescue(bbmod_exporter *w)
{
    for (uint32_t a = 0; a < w->s->animation_count; a++) {
        tn_motion motion;
        tn_mark mark = tn_arena_mark(w->e->arena);
        if (!tn_motion_make(w->e, a, &motion)) return false;
        for (int i = 0; i < RESCUE_TIMES; i++)
            bbmod_rescue_at(w, &motion, motion.duration * i / (RESCUE_TIMES - 1));
        tn_arena_rewind(w->e->arena, mark);
    }
    return true;
}

// -- Stretches of all nodes

static bool bbmod_find_stretches(bbmod_exporter *w, const tn_motion *rest)
{
    bool some_flat = false;
    bbmod_place_nodes(w, rest, 0);
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        bbmod_source_node *body = &w->bodies[i];
        if (body->is_plain) {
            body->stretch = (bbmod_stretch){tn_mat3_identity(), tn_mat3_identity(), true};
            continue;
        }
        body->stretch = bbmod_stretch_of(&w->places[i].global);
        body->is_uneven = body->is_shown && bbmod_is_flat(&body->stretch.matrix);
        some_flat = some_flat || body->is_uneven;
    }
    if (some_flat && !bbmod_rescue(w)) return false;
    for (uint32_t i = 0; i < w->s->node_count; i++) w->bodies[i].is_uneven = false;
    return true;
}

bool bbmod_export_bodies(bbmod_exporter *w)
{
    tn_motion rest;
    w->bodies = tn_export_alloc(w->e, w->s->node_count, sizeof *w->bodies);
    w->places = tn_export_alloc(w->e, w->s->node_count, sizeof *w->places);
    if (!w->bodies || !w->places || !tn_motion_make(w->e, TENON_NONE, &rest)) return false;
    bbmod_find_plain(w);
    bbmod_find_shown(w);
    if (!bbmod_find_stretches(w, &rest)) return false;
    bbmod_pose(w, &rest, 0);
    return true;
}
