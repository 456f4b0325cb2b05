// verify.c: pose two scenes at many times and say how far apart they are.
// SPDX-License-Identifier: MIT

#include "verify.h"

#include "../core/text.h"

#include <stdio.h>
#include <string.h>

#define MEMORY         ((uint64_t)64 << 20)
#define MEMORY_FACTOR  64
#define SAMPLES        16
#define CORNER_SHARE   0.999  // Of the triangles matched from which on corners are compared.
#define POINTS_MOST    65536  // Of a surface, at each time of a clip; at rest all.
#define PROGRESS_PARTS 1000   // Of each clip.

// Where one side is not matched: what has to be near the surface of the other.
typedef struct points {
    uint32_t vertex_count, triangle_count;
    uint32_t *vertices;   // Each once.
    uint32_t *triangles;  // Their centroids count.
    uint32_t offset;      // With which point to start, if not all are looked at.
} points;

// What was found so far.
typedef struct tally {
    double largest, squares;  // Largest is a square, too.
    uint64_t count;
    uint32_t vertex, clip;  // Of A, where it is worst; TENON_NONE: nowhere, at rest.
    double seconds;
} tally;

typedef struct verifier {
    tn_verify_room room;
    const tenon_verify_opts *opts;
    tenon_verify_result *result;
    tn_side a, b;
    double reach;  // The size of A, with its distance from the origin.
    points a_points, b_points;
    tn_surface *a_surface, *b_surface;  // NULL: nothing is compared with it.
    uint32_t base_clip;                 // How A stands when B is at rest.
    double base_seconds;
    uint32_t *clip_partners;
    tally worst;
    uint32_t clip;  // Being compared.
    double seconds;
    uint64_t done, total;
} verifier;

// -- Sizes

static uint64_t mesh_size(const tenon_mesh *mesh)
{
    uint64_t size = sizeof *mesh;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        size += sizeof *p + p->vertex_count * (12 + 6 * (uint64_t)p->influence_count);
        size += 4 * (uint64_t)p->index_count;
    }
    return size;
}

static uint64_t animation_size(const tenon_animation *animation)
{
    uint64_t size = sizeof *animation;
    for (uint32_t i = 0; i < animation->channel_count; i++)
        size += sizeof(tenon_channel) + 16 * (uint64_t)animation->channels[i].key_count;
    return size;
}

// What is compared of a scene, in bytes.
static uint64_t scene_size(const tenon_scene *scene)
{
    uint64_t size = scene->node_count * (uint64_t)sizeof(tenon_node);
    for (uint32_t i = 0; i < scene->mesh_count; i++) size += mesh_size(&scene->meshes[i]);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        size += animation_size(&scene->animations[i]);
    return size;
}

// Also, how far from the origin A lies: that decides how exact its positions can be.
static void measure(verifier *v)
{
    double min[3], max[3], square = 0, farthest = 0;
    tenon_pose_set(v->a.pose, TENON_NONE, 0);
    (void)tenon_pose_bounds(v->a.pose, min, max);
    for (uint32_t k = 0; k < 3; k++) {
        square += (max[k] - min[k]) * (max[k] - min[k]);
        if (fabs(min[k]) > farthest) farthest = fabs(min[k]);
        if (fabs(max[k]) > farthest) farthest = fabs(max[k]);
    }
    double diagonal = sqrt(square);
    v->result->diagonal = diagonal > 0 && diagonal < HUGE_VAL ? diagonal : 1;
    v->reach = v->result->diagonal;
    if (farthest > v->reach && farthest < HUGE_VAL) v->reach = farthest;
}

// -- Comparing

static void add(verifier *v, double square, uint32_t vertex)
{
    tally *t = &v->worst;
    t->squares += square;
    t->count++;
    if (!(square > t->largest)) return;
    t->largest = square;
    t->vertex = vertex;
    t->clip = v->clip;
    t->seconds = v->seconds;
}

static void compare_corners(verifier *v)
{
    for (uint32_t i = 0; i < v->a.triangle_count; i++) {
        uint32_t partner = v->a.partners[i];
        if (partner == TENON_NONE) continue;
        for (uint32_t k = 0; k < 3; k++) {
            const float *theirs = tn_corner(&v->b, TN_OTHER(partner), (k + TN_TURN(partner)) % 3);
            add(v, tn_apart(tn_corner(&v->a, i, k), theirs), v->a.corners[3 * (size_t)i + k]);
        }
    }
}

// Without any triangle, vertices in their order.
static void compare_vertices(verifier *v)
{
    uint32_t a = v->a.vertex_count, b = v->b.vertex_count;
    for (uint32_t i = 0; i < a && i < b; i++)
        add(v, tn_apart(v->a.positions + 3 * (size_t)i, v->b.positions + 3 * (size_t)i), i);
}

// Where point `i` of a list is; returns a vertex there, or near.
static uint32_t point_at(const tn_side *side, const points *list, uint32_t i, double out[3])
{
    if (i < list->vertex_count) {
        const float *p = side->positions + 3 * (size_t)list->vertices[i];
        for (uint32_t k = 0; k < 3; k++) out[k] = (double)p[k];
        return list->vertices[i];
    }
    uint32_t t = list->triangles[i - list->vertex_count];
    const float *a = tn_corner(side, t, 0), *b = tn_corner(side, t, 1), *c = tn_corner(side, t, 2);
    for (uint32_t k = 0; k < 3; k++) out[k] = ((double)a[k] + (double)b[k] + (double)c[k]) / 3;
    return side->corners[3 * (size_t)t];
}

// How far the points of one side are from the surface of the other. Many points take turns: at each
// time others are looked at.
static void compare_points(verifier *v, const tn_side *side, points *list, tn_surface *surface)
{
    uint32_t count = list->vertex_count + list->triangle_count, nearest = TENON_NONE;
    if (count == 0) return;
    uint32_t step = v->clip == v->base_clip ? 1 : (count - 1) / POINTS_MOST + 1;
    tn_surface_refit(surface);
    for (uint32_t i = list->offset++ % step; i < count; i += step) {
        double p[3];
        uint32_t vertex = point_at(side, list, i, p);
        double square = tn_surface_distance(surface, p, &nearest);
        if (side == &v->b)
            vertex = nearest == TENON_NONE ? TENON_NONE : v->a.corners[3 * (size_t)nearest];
        add(v, square, vertex);
    }
}

static void compare(verifier *v)
{
    if (v->a.triangle_count == 0 && v->b.triangle_count == 0) compare_vertices(v);
    if (!v->result->by_surface) compare_corners(v);
    compare_points(v, &v->a, &v->a_points, v->b_surface);
    compare_points(v, &v->b, &v->b_points, v->a_surface);
}

// -- Progress

static bool advance(verifier *v, uint64_t done)
{
    const tenon_progress *progress = &v->opts->progress;
    v->done = done;
    if (!progress->step || progress->step(progress->user, done, v->total)) return true;
    v->room.failed = true;
    return tn_error(v->room.err, TENON_ERR_CANCELLED, "cancelled");
}

// -- Matching

static bool pair_meshes(verifier *v, uint32_t **partners)
{
    const tenon_scene *a = v->a.scene, *b = v->b.scene;
    const tn_names names_a = {a->meshes, sizeof *a->meshes, a->mesh_count};
    const tn_names names_b = {b->meshes, sizeof *b->meshes, b->mesh_count};
    *partners = tn_verify_alloc(&v->room, a->mesh_count, sizeof **partners);
    uint32_t *back = tn_verify_alloc(&v->room, b->mesh_count, sizeof *back);
    if (v->room.failed || !tn_pair_names(&v->room, &names_a, &names_b, false, *partners))
        return false;
    for (uint32_t i = 0; i < b->mesh_count; i++) back[i] = TENON_NONE;
    for (uint32_t i = 0; i < a->mesh_count; i++)
        if ((*partners)[i] != TENON_NONE) back[(*partners)[i]] = i;
    for (uint32_t i = 0; i < v->b.part_count; i++)
        v->b.parts[i].partner_mesh = back[v->b.parts[i].mesh];
    return true;
}

// Meshes of A that are drawn and that B has neither under their name, nor in their place, nor in
// pieces of another mesh.
static bool count_missing_meshes(verifier *v, const uint32_t *partners)
{
    const tn_side *a = &v->a;
    bool *is_missing = tn_verify_alloc(&v->room, a->scene->mesh_count, sizeof *is_missing);
    if (!is_missing) return false;
    for (uint32_t i = 0; i < a->part_count; i++)
        is_missing[a->parts[i].mesh] = partners[a->parts[i].mesh] == TENON_NONE;
    for (uint32_t i = 0; i < a->triangle_count; i++)
        if (a->partners[i] != TENON_NONE) is_missing[a->parts[a->triangle_parts[i]].mesh] = false;
    for (uint32_t i = 0; i < a->scene->mesh_count; i++) v->result->missing_meshes += is_missing[i];
    return true;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void judge_matches(verifier *v, uint32_t reversed)
{
    tenon_verify_result *r = v->result;
    uint32_t matched = 0, total = v->a.triangle_count;
    for (uint32_t i = 0; i < total; i++) matched += v->a.partners[i] != TENON_NONE;
    r->matched = share(matched, total);
    r->reversed = share(reversed, total);
    r->by_surface = r->matched < CORNER_SHARE;
    if (total > 0 || v->b.triangle_count > 0) return;
    uint32_t a = v->a.vertex_count, b = v->b.vertex_count;
    r->matched = a == b ? 1 : a < b ? share(a, b) : share(b, a);
    r->by_surface = false;
}

// -- Points to compare with surfaces

static bool gather_points(verifier *v, const tn_side *side, points *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->triangle_count; i++)
        count += v->result->by_surface || side->partners[i] == TENON_NONE;
    if (count == 0) return true;
    list->triangles = tn_verify_alloc(&v->room, count, sizeof *list->triangles);
    list->vertices = tn_verify_alloc(&v->room, 3 * (uint64_t)count, sizeof *list->vertices);
    bool *is_listed = tn_verify_alloc(&v->room, side->vertex_count, sizeof *is_listed);
    if (v->room.failed) return false;
    for (uint32_t i = 0; i < side->triangle_count; i++) {
        if (!v->result->by_surface && side->partners[i] != TENON_NONE) continue;
        list->triangles[list->triangle_count++] = i;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = side->corners[3 * (size_t)i + k];
            if (!is_listed[vertex]) list->vertices[list->vertex_count++] = vertex;
            is_listed[vertex] = true;
        }
    }
    return true;
}

static bool prepare_surfaces(verifier *v)
{
    if (!gather_points(v, &v->a, &v->a_points) || !gather_points(v, &v->b, &v->b_points))
        return false;
    if (v->a_points.triangle_count > 0) v->b_surface = tn_surface_new(&v->room, &v->b);
    if (v->b_points.triangle_count > 0) v->a_surface = tn_surface_new(&v->room, &v->a);
    return !v->room.failed;
}

static bool match(verifier *v)
{
    uint32_t *mesh_partners, reversed;
    tn_side_pose(&v->a, v->base_clip, v->base_seconds);
    if (!pair_meshes(v, &mesh_partners)) return false;
    if (!tn_match_triangles(&v->room, &v->a, &v->b, v->reach, &reversed)) return false;
    if (!count_missing_meshes(v, mesh_partners)) return false;
    judge_matches(v, reversed);
    return prepare_surfaces(v);
}

// -- Clips

static bool is_one_time(const verifier *v)
{
    return v->opts->at_one_time && v->opts->seconds >= 0;
}

static uint32_t find_clip(const tenon_scene *scene, const char *name)
{
    tenon_str wanted = {name, (uint32_t)strlen(name)};
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (tn_same_name(scene->animations[i].name, wanted)) return i;
    return TENON_NONE;
}

// Which clip of A to look at, if it is one; and how A stands when B is at rest.
static bool choose_clip(verifier *v, uint32_t *only)
{
    *only = TENON_NONE;
    v->base_clip = TENON_NONE;
    if (!v->opts->clip) return true;
    *only = find_clip(v->a.scene, v->opts->clip);
    if (*only == TENON_NONE) {
        char shown[64];
        tn_text_clean(v->opts->clip, strlen(v->opts->clip), shown, sizeof shown);
        v->room.failed = true;
        return tn_error(v->room.err, TENON_ERR_VALUE, "there is no clip '%s'", shown);
    }
    if (!is_one_time(v)) return true;
    v->base_clip = *only;
    v->base_seconds = v->opts->seconds;
    return true;
}

static bool pair_clips(verifier *v)
{
    const tenon_scene *a = v->a.scene, *b = v->b.scene;
    const tn_names names_a = {a->animations, sizeof *a->animations, a->animation_count};
    const tn_names names_b = {b->animations, sizeof *b->animations, b->animation_count};
    v->clip_partners = tn_verify_alloc(&v->room, a->animation_count, sizeof *v->clip_partners);
    return !v->room.failed && tn_pair_names(&v->room, &names_a, &names_b, true, v->clip_partners);
}

static bool compare_clip(verifier *v, uint32_t clip, uint64_t start)
{
    uint32_t other = v->clip_partners[clip];
    uint32_t samples = v->opts->samples ? v->opts->samples : SAMPLES;
    if (other == TENON_NONE) {
        v->result->missing_clips++;
        return true;
    }
    tn_times times;
    tn_mark mark = tn_arena_mark(&v->room.arena);
    if (!tn_collect_times(&v->room, &v->a.scene->animations[clip], &v->b.scene->animations[other],
                          samples, &times))
        return false;
    v->clip = clip;
    for (uint32_t i = 0; i < times.count; i++) {
        v->seconds = times.seconds[i];
        tn_side_pose(&v->a, clip, v->seconds);
        tn_side_pose(&v->b, other, v->seconds);
        compare(v);
        if (!advance(v, start + (uint64_t)PROGRESS_PARTS * (i + 1) / times.count)) return false;
    }
    tn_arena_rewind(&v->room.arena, mark);
    v->result->clip_count++;
    return true;
}

static bool compare_clips(verifier *v, uint32_t only)
{
    uint32_t count = v->a.scene->animation_count;
    if (is_one_time(v)) {
        v->result->clip_count = only != TENON_NONE;
        return true;
    }
    if (!pair_clips(v)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (only != TENON_NONE && i != only) continue;
        if (!compare_clip(v, i, (uint64_t)PROGRESS_PARTS * (only == TENON_NONE ? i + 1 : 1)))
            return false;
    }
    return true;
}

// -- The result

static void put_name(char out[64], tenon_str name, uint32_t index)
{
    if (name.size > 0)
        tn_text_clean(name.data, name.size, out, 64);
    else
        (void)snprintf(out, 64, "#%u", (unsigned)index);
}

static void tell_where(verifier *v)
{
    const tally *t = &v->worst;
    const tenon_scene *scene = v->a.scene;
    tenon_verify_result *r = v->result;
    if (t->clip != TENON_NONE) put_name(r->clip, scene->animations[t->clip].name, t->clip);
    r->seconds = t->seconds;
    if (t->vertex == TENON_NONE) return;
    uint32_t bone = tn_side_mover(&v->a, t->vertex), mesh = tn_side_part(&v->a, t->vertex)->mesh;
    put_name(r->bone, scene->nodes[bone].name, bone);
    put_name(r->mesh, scene->meshes[mesh].name, mesh);
    tn_side_pose(&v->a, TENON_NONE, 0);
    for (uint32_t k = 0; k < 3; k++)
        r->where[k] = (double)v->a.positions[3 * (size_t)t->vertex + k];
}

static void tell(verifier *v)
{
    const tally *t = &v->worst;
    if (t->count == 0) return;
    v->result->largest = sqrt(t->largest) / v->result->diagonal;
    v->result->rms = sqrt(t->squares / (double)t->count) / v->result->diagonal;
    if (t->largest > 0) tell_where(v);
}

// -- All of it

static bool run(verifier *v, const tenon_scene *a, const tenon_scene *b)
{
    uint32_t only;
    if (!tn_side_begin(&v->room, &v->a, a) || !tn_side_begin(&v->room, &v->b, b)) return false;
    if (!choose_clip(v, &only)) return false;
    uint64_t clips = only == TENON_NONE ? a->animation_count : 1;
    v->total = PROGRESS_PARTS * (clips + 1);
    measure(v);
    if (!advance(v, 0) || !match(v)) return false;
    if (!v->opts->clip || is_one_time(v)) {
        v->clip = v->base_clip;
        v->seconds = v->base_seconds;
        compare(v);
    }
    if (!advance(v, PROGRESS_PARTS) || !compare_clips(v, only)) return false;
    tell(v);
    return true;
}

bool tenon_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
                  tenon_verify_result *result, tenon_error *err)
{
    static const tenon_verify_opts defaults;
    if (!opts) opts = &defaults;
    tn_error_clear(err);
    *result = (tenon_verify_result){0};
    if (!tenon_scene_check(a, err) || !tenon_scene_check(b, err)) return false;
    uint64_t limit = MEMORY + MEMORY_FACTOR * (scene_size(a) + scene_size(b));
    verifier v = {.room = {.arena = tn_arena_make(&opts->allocator, limit), .err = err},
                  .opts = opts,
                  .result = result,
                  .worst = {.vertex = TENON_NONE, .clip = TENON_NONE}};
    bool ok = run(&v, a, b);
    tn_side_end(&v.a);
    tn_side_end(&v.b);
    tn_arena_free(&v.room.arena);
    return ok;
}
