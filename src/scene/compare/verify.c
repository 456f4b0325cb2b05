// verify.c: pose two scenes at many times and say how far apart they are.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/text/text.h"
#include "scene/pose/pose.h"

#include <stdio.h>
#include <string.h>

#define MEMORY         ((uint64_t)64 << 20)
#define MEMORY_FACTOR  64
#define SHOWN_MEMORY   ((uint64_t)1 << 30)
#define SAMPLES        16
#define TOLERANCE      1e-4
#define CORNER_SHARE   0.999  // Of the triangles matched from which on corners are compared.
#define SURFACE_SHARE  1e-3   // Of the area, by which surfaces may differ.
#define SURFACE_TIMES  16     // Of a clip, at least, if surfaces are compared: that takes its time,
#define SURFACE_WORK   1e6    // so that there are more only up to so many triangles in all clips.
#define PROGRESS_PARTS 1000   // Of each clip.

// Where it is worst so far.
typedef struct worst_place {
    uint32_t vertex, clip;  // Of A; TENON_NONE: nowhere, at rest.
    double seconds;
} worst_place;

typedef struct verify_job {
    tn_verify_context context;
    const tenon_verify_opts *opts;
    tenon_verify_result *result;
    tn_posed_scene a, b;
    double extent;  // The size of A, with its distance from the origin.
    tn_comparison comparison;
    uint32_t base_clip;  // How A stands when B is at rest.
    double base_seconds;
    uint32_t *clip_partners;
    worst_place worst;
    uint32_t clip_count;  // To be compared.
    uint64_t total;       // Of the pulse.
} verify_job;

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

// What is compared of a scene, in bytes: its meshes, or what all nodes show of them.
static uint64_t scene_size(const tenon_scene *scene, bool as_shown)
{
    uint64_t size = scene->node_count * (uint64_t)sizeof(tenon_node);
    for (uint32_t i = 0; i < (as_shown ? scene->node_count : scene->mesh_count); i++) {
        uint32_t mesh = as_shown ? scene->nodes[i].mesh : i;
        if (mesh != TENON_NONE) size += mesh_size(&scene->meshes[mesh]);
    }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        size += animation_size(&scene->animations[i]);
    return size;
}

// Also, how far from the origin A lies: that decides how exact its positions can be.
static void measure(verify_job *job)
{
    double min[3], max[3], square = 0, farthest = 0;
    tenon_pose_set(job->a.pose, TENON_NONE, 0);
    (void)tenon_pose_bounds(job->a.pose, min, max);
    for (uint32_t k = 0; k < 3; k++) {
        square += (max[k] - min[k]) * (max[k] - min[k]);
        if (fabs(min[k]) > farthest) farthest = fabs(min[k]);
        if (fabs(max[k]) > farthest) farthest = fabs(max[k]);
    }
    double diagonal = sqrt(square);
    job->result->diagonal = diagonal > 0 && diagonal < HUGE_VAL ? diagonal : 1;
    job->extent = job->result->diagonal;
    if (farthest > job->extent && farthest < HUGE_VAL) job->extent = farthest;
}

// -- Progress

static bool advance(verify_job *job, uint64_t done)
{
    return tn_verify_expect(&job->context, tn_pulse_report(&job->context.pulse, done, job->total));
}

// -- Matching

static bool pair_meshes(verify_job *job, uint32_t **partners)
{
    const tenon_scene *a = job->a.scene, *b = job->b.scene;
    const tn_name_list names_a = {a->meshes, sizeof *a->meshes, a->mesh_count};
    const tn_name_list names_b = {b->meshes, sizeof *b->meshes, b->mesh_count};
    *partners = tn_verify_alloc(&job->context, a->mesh_count, sizeof **partners);
    uint32_t *back = tn_verify_alloc(&job->context, b->mesh_count, sizeof *back);
    if (job->context.failed || !tn_pair_names(&job->context, &names_a, &names_b, false, *partners))
        return false;
    for (uint32_t i = 0; i < b->mesh_count; i++) back[i] = TENON_NONE;
    for (uint32_t i = 0; i < a->mesh_count; i++)
        if ((*partners)[i] != TENON_NONE) back[(*partners)[i]] = i;
    for (uint32_t i = 0; i < job->b.part_count; i++)
        job->b.parts[i].partner_mesh = back[job->b.parts[i].mesh];
    return true;
}

// Meshes of A that are drawn and that B has neither under their name, nor in their place, nor in
// pieces of another mesh.
static bool count_missing_meshes(verify_job *job, const uint32_t *partners)
{
    const tn_posed_scene *a = &job->a;
    bool *is_missing = tn_verify_alloc(&job->context, a->scene->mesh_count, sizeof *is_missing);
    if (!is_missing) return false;
    for (uint32_t i = 0; i < a->part_count; i++)
        is_missing[a->parts[i].mesh] = partners[a->parts[i].mesh] == TENON_NONE;
    for (uint32_t i = 0; i < tn_total_piece_count(a); i++)
        if (a->partners[i] != TENON_NONE) is_missing[a->parts[a->piece_parts[i]].mesh] = false;
    for (uint32_t i = 0; i < a->scene->mesh_count; i++)
        job->result->missing_meshes += is_missing[i];
    return true;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void judge_matches(verify_job *job, uint32_t reversed)
{
    tenon_verify_result *r = job->result;
    uint32_t triangles = job->a.triangle_count, total = tn_total_piece_count(&job->a);
    uint32_t matched = 0, matched_triangles = 0;
    for (uint32_t i = 0; i < total; i++) {
        bool has_partner = job->a.partners[i] != TENON_NONE;
        matched += has_partner;
        matched_triangles += has_partner && i < triangles;
        r->missing_lines += !has_partner && tn_corner_count(&job->a, i) == 2;
        r->missing_points += !has_partner && tn_corner_count(&job->a, i) == 1;
    }
    for (uint32_t i = job->b.triangle_count; i < tn_total_piece_count(&job->b); i++) {
        bool has_partner = job->b.partners[i] != TENON_NONE;
        r->extra_lines += !has_partner && tn_corner_count(&job->b, i) == 2;
        r->extra_points += !has_partner && tn_corner_count(&job->b, i) == 1;
    }
    bool is_empty = total == 0 && tn_total_piece_count(&job->b) == 0;
    r->matched = is_empty ? 1 : share(matched, total);
    r->reversed = share(reversed, triangles);
    bool has_triangles = triangles > 0 || job->b.triangle_count > 0;
    r->by_surface = has_triangles && share(matched_triangles, triangles) < CORNER_SHARE;
}

// What any way to cut a surface into triangles has in common: its area, the sum of its normals, and
// the volume below it. Points on a surface do not show holes, doubled parts or the side it faces.
// Of triangles with partners only the area of all is of interest.
typedef struct surface_sums {
    double total, area, normal[3], volume;
} surface_sums;

static surface_sums sum_surface(const tn_posed_scene *posed, const double center[3])
{
    surface_sums sums = {0};
    for (uint32_t i = 0; i < posed->triangle_count; i++) {
        double p[3][3], cross[3], square = 0;
        bool is_free = posed->partners[i] == TENON_NONE;
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t k = 0; k < 3; k++)
                p[c][k] = (double)tn_corner(posed, i, c)[k] - center[k];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
            cross[k] = (p[1][x] - p[0][x]) * (p[2][y] - p[0][y]) -
                       (p[1][y] - p[0][y]) * (p[2][x] - p[0][x]);
            square += cross[k] * cross[k];
            if (is_free) sums.normal[k] += cross[k] / 2;
            if (is_free) sums.volume += p[0][k] * cross[k] / 6;
        }
        sums.total += sqrt(square) / 2;
        if (is_free) sums.area += sqrt(square) / 2;
    }
    return sums;
}

static void compare_surfaces(const verify_job *job)
{
    double center[3] = {0, 0, 0}, turned = 0;
    for (uint32_t k = 0; job->a.triangle_count && k < 3; k++)
        center[k] = (double)tn_corner(&job->a, 0, 0)[k];
    surface_sums a = sum_surface(&job->a, center), b = sum_surface(&job->b, center);
    double area = a.total > b.total ? a.total : b.total;
    if (!(area > 0 && area < HUGE_VAL)) return;
    for (uint32_t k = 0; k < 3; k++) {
        double gap = a.normal[k] - b.normal[k];
        turned += gap * gap;
    }
    double change = fabs(a.area - b.area) / area;
    change = fmax(change, sqrt(turned) / area);
    change = fmax(change, 3 * fabs(a.volume - b.volume) / (area * job->result->diagonal));
    job->result->surface = change < HUGE_VAL ? change : 0;
}

static bool match(verify_job *job)
{
    uint32_t *mesh_partners, reversed;
    tn_vertex_pair_list polygons;
    tn_pose_scene(&job->a, job->base_clip, job->base_seconds);
    if (!pair_meshes(job, &mesh_partners)) return false;
    if (!tn_match_geometry(&job->context, &job->a, &job->b, job->extent, &polygons, &reversed))
        return false;
    if (!count_missing_meshes(job, mesh_partners)) return false;
    judge_matches(job, reversed);
    compare_surfaces(job);
    bool by_surface = job->result->by_surface;
    if (!tn_compare_begin(&job->context, &job->comparison, &job->a, &job->b, &polygons, by_surface))
        return false;
    return !by_surface || tn_find_coincident_vertices(&job->context, &job->comparison, job->extent);
}

// -- Clips

static double tolerance_of(const verify_job *job)
{
    return job->opts->tolerance > 0 ? job->opts->tolerance : TOLERANCE;
}

static bool is_one_time(const verify_job *job)
{
    return job->opts->at_one_time && job->opts->seconds >= 0;
}

static uint32_t find_clip(const tenon_scene *scene, const char *name)
{
    const tn_name_list names = {scene->animations, sizeof *scene->animations,
                                scene->animation_count};
    return tn_find_name(&names, (tenon_str){name, (uint32_t)strlen(name)});
}

// Which clip of A to look at, if it is one; and how A stands when B is at rest.
static bool choose_clip(verify_job *job, uint32_t *only)
{
    uint32_t count = job->a.scene->animation_count;
    *only = TENON_NONE;
    job->base_clip = TENON_NONE;
    if (job->opts->rest_only || (!job->opts->clip && !is_one_time(job))) return true;
    if (!job->opts->clip && count != 1) {
        job->context.failed = true;
        return tn_error(job->context.err, TENON_ERR_VALUE,
                        "one time of a clip was asked for, but not of which: there are %u",
                        (unsigned)count);
    }
    *only = job->opts->clip ? find_clip(job->a.scene, job->opts->clip) : 0;
    if (*only == TENON_NONE) {
        char shown[64];
        tn_text_clean(job->opts->clip, strlen(job->opts->clip), shown, sizeof shown);
        job->context.failed = true;
        return tn_error(job->context.err, TENON_ERR_VALUE, "there is no clip '%s'", shown);
    }
    if (!is_one_time(job)) return true;
    job->base_clip = *only;
    job->base_seconds = job->opts->seconds;
    return true;
}

static bool pair_clips(verify_job *job)
{
    const tenon_scene *a = job->a.scene, *b = job->b.scene;
    const tn_name_list names_a = {a->animations, sizeof *a->animations, a->animation_count};
    const tn_name_list names_b = {b->animations, sizeof *b->animations, b->animation_count};
    job->clip_partners =
        tn_verify_alloc(&job->context, a->animation_count, sizeof *job->clip_partners);
    return !job->context.failed &&
           tn_pair_names(&job->context, &names_a, &names_b, true, job->clip_partners);
}

// Compare the sides as they stand, which is at that time of a clip of A.
static void compare(verify_job *job, uint32_t clip, double seconds)
{
    double before = job->comparison.largest;
    tn_compare(&job->comparison, clip == job->base_clip);
    if (job->comparison.largest > before)
        job->worst = (worst_place){job->comparison.worst_vertex, clip, seconds};
}

// How many of the times of a clip to look at.
static uint32_t count_looks(const verify_job *job, uint32_t times)
{
    if (!job->result->by_surface) return times;
    double triangles = 1.0 + job->a.triangle_count + job->b.triangle_count;
    double most = SURFACE_WORK / triangles / job->clip_count, asked = job->opts->samples;
    if (most < SURFACE_TIMES) most = SURFACE_TIMES;
    if (most < asked) most = asked;
    return most < times ? (uint32_t)most : times;
}

static bool shows_frames(const tenon_scene *scene)
{
    return scene->source && scene->source->caps & TENON_SHOWS_FRAMES;
}

// The last of some moments that is not after `seconds`.
static double moment_before(const tn_time_list *moments, double seconds)
{
    uint32_t low = 0, high = moments->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (moments->seconds[middle] <= seconds)
            low = middle;
        else
            high = middle;
    }
    return moments->count ? moments->seconds[low] : seconds;
}

// How far the sides are apart between frames, where the one that shows frames still shows the last
// of them. That is motion which nothing has lost, so it is kept apart from the other distances.
static bool compare_between(verify_job *job, uint32_t clip, uint32_t other,
                            const tn_time_list *frames)
{
    uint32_t samples = job->opts->samples ? job->opts->samples : SAMPLES;
    bool a_shows = shows_frames(job->a.scene), b_shows = shows_frames(job->b.scene);
    double duration = job->a.scene->animations[clip].duration;
    tn_comparison saved = job->comparison;
    job->comparison.largest = 0;
    for (uint32_t i = 0; i < samples && !job->context.failed; i++) {
        double seconds = duration * ((double)i + 0.5) / (double)samples;
        double frame = moment_before(frames, seconds);
        tn_pose_scene(&job->a, clip, a_shows ? frame : seconds);
        tn_pose_scene(&job->b, other, b_shows ? frame : seconds);
        tn_compare(&job->comparison, false);
    }
    double apart = sqrt(job->comparison.largest) / job->result->diagonal;
    if (apart > job->result->between_frames) job->result->between_frames = apart;
    job->comparison = saved;
    return !job->context.failed;
}

static bool compare_clip(verify_job *job, uint32_t clip, uint64_t start)
{
    uint32_t other = job->clip_partners[clip];
    uint32_t samples = job->opts->samples ? job->opts->samples : SAMPLES;
    tn_time_list times;
    tn_mark mark = tn_arena_mark(&job->context.arena);
    const tenon_animation *a = &job->a.scene->animations[clip];
    const tenon_animation *b = &job->b.scene->animations[other];
    bool a_shows = shows_frames(job->a.scene), b_shows = shows_frames(job->b.scene);
    if (!tn_collect_times(&job->context, a_shows ? a : NULL, b_shows ? b : NULL, 0, &times))
        return false;
    // A clip without frames that differ stands still all the time.
    if (times.count < 2) {
        if (!tn_collect_times(&job->context, a, b, samples, &times)) return false;
    } else {
        job->result->at_frames = true;
        if (!compare_between(job, clip, other, &times)) return false;
    }
    uint32_t looks = count_looks(job, times.count);
    for (uint32_t i = 0; i < looks; i++) {
        // The first and the last one are always among them.
        uint64_t at = looks < 2 ? 0 : (uint64_t)i * (times.count - 1) / (looks - 1);
        double seconds = times.seconds[at];
        tn_pose_scene(&job->a, clip, seconds);
        tn_pose_scene(&job->b, other, seconds);
        compare(job, clip, seconds);
        if (!advance(job, start + (uint64_t)PROGRESS_PARTS * (i + 1) / looks)) return false;
    }
    tn_arena_rewind(&job->context.arena, mark);
    job->result->clip_count++;
    return true;
}

// Whether a clip moves a node. One that only shows the rest pose, which some writers have to add
// and others have to leave out, changes nothing that can be seen.
static bool moves_something(verify_job *job, tn_posed_scene *posed, uint32_t clip)
{
    tn_time_list times;
    const tn_subtrees *trees = &posed->pose->trees;
    const tn_moved_roots *roots = &posed->pose->roots;
    uint32_t count = 0, next = 0;
    tn_mark mark = tn_arena_mark(&job->context.arena);
    tenon_pose_set(posed->pose, clip, 0);
    for (uint32_t i = 0; i < roots->count; i++) count += trees->sizes[roots->nodes[i]];
    uint32_t *nodes = tn_verify_alloc(&job->context, count, sizeof *nodes);  // That it moves.
    double *rest = tn_verify_alloc(&job->context, count, 16 * sizeof *rest);
    if (!tn_collect_times(&job->context, &posed->scene->animations[clip], NULL, SAMPLES, &times) ||
        !nodes || !rest)
        return false;
    for (uint32_t i = 0; i < roots->count; i++)
        for (uint32_t k = 0; k < trees->sizes[roots->nodes[i]]; k++)
            nodes[next++] = trees->nodes[trees->places[roots->nodes[i]] + k];
    tenon_pose_set(posed->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < count; i++)
        memcpy(rest + 16 * (size_t)i, tenon_pose_global(posed->pose, nodes[i]), 16 * sizeof *rest);
    bool moves = false;
    for (uint32_t i = 0; i < times.count && !moves; i++) {
        if (!tn_verify_expect(&job->context, tn_goes_on(&job->context.pulse, 1))) break;
        tenon_pose_set(posed->pose, clip, times.seconds[i]);
        for (uint32_t k = 0; k < count && !moves; k++) {
            const double *now = tenon_pose_global(posed->pose, nodes[k]);
            const double *then = rest + 16 * (size_t)k;
            double largest = 0, turned = 0, moved = 0;
            for (uint32_t at = 0; at < 12; at++) {  // However small the node makes things.
                largest = fmax(largest, fmax(fabs(now[at]), fabs(then[at])));
                turned = fmax(turned, fabs(now[at] - then[at]));
            }
            for (uint32_t at = 12; at < 15; at++) moved = fmax(moved, fabs(now[at] - then[at]));
            moves = !(turned <= tolerance_of(job) * largest &&
                      moved <= tolerance_of(job) * job->result->diagonal);
        }
    }
    tn_arena_rewind(&job->context.arena, mark);
    return moves;
}

static bool count_extra_clips(verify_job *job)
{
    uint32_t count = job->b.scene->animation_count;
    bool *is_paired = tn_verify_alloc(&job->context, count, sizeof *is_paired);
    if (!is_paired) return false;
    for (uint32_t i = 0; i < job->a.scene->animation_count; i++)
        if (job->clip_partners[i] != TENON_NONE) is_paired[job->clip_partners[i]] = true;
    for (uint32_t i = 0; i < count; i++)
        job->result->extra_clips += !is_paired[i] && moves_something(job, &job->b, i);
    return !job->context.failed;
}

static bool compare_clips(verify_job *job, uint32_t only)
{
    uint32_t count = job->a.scene->animation_count;
    if (job->opts->rest_only) return true;
    if (is_one_time(job)) {
        job->result->clip_count = only != TENON_NONE;
        return true;
    }
    if (!pair_clips(job)) return false;
    if (only == TENON_NONE && !count_extra_clips(job)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (only != TENON_NONE && i != only) continue;
        if (job->clip_partners[i] == TENON_NONE) {
            job->result->missing_clips += i == only || moves_something(job, &job->a, i);
            continue;
        }
        if (!compare_clip(job, i, (uint64_t)PROGRESS_PARTS * (only == TENON_NONE ? i + 1 : 1)))
            return false;
    }
    return !job->context.failed;
}

// -- The result

static void put_name(char out[64], tenon_str name, uint32_t index)
{
    if (name.size > 0)
        tn_text_clean(name.data, name.size, out, 64);
    else
        (void)snprintf(out, 64, "#%u", (unsigned)index);
}

static void tell_where(verify_job *job)
{
    const worst_place *worst = &job->worst;
    const tenon_scene *scene = job->a.scene;
    tenon_verify_result *r = job->result;
    if (worst->clip != TENON_NONE)
        put_name(r->clip, scene->animations[worst->clip].name, worst->clip);
    r->seconds = worst->seconds;
    if (worst->vertex == TENON_NONE) return;
    uint32_t bone = tn_main_joint(&job->a, worst->vertex),
             mesh = tn_part_of_vertex(&job->a, worst->vertex)->mesh;
    put_name(r->bone, scene->nodes[bone].name, bone);
    put_name(r->mesh, scene->meshes[mesh].name, mesh);
    tn_pose_scene(&job->a, TENON_NONE, 0);
    for (uint32_t k = 0; k < 3; k++)
        r->where[k] = (double)job->a.positions[3 * (size_t)worst->vertex + k];
}

static void tell(verify_job *job)
{
    const tn_comparison *c = &job->comparison;
    if (c->count == 0) return;
    job->result->largest = sqrt(c->largest) / job->result->diagonal;
    job->result->rms = sqrt(c->squares / (double)c->count) / job->result->diagonal;
    if (c->largest > 0) tell_where(job);
}

const char *tenon_verdict_word(tenon_verdict verdict)
{
    static const char *const words[] = {
        [TENON_VERIFIED] = "verified",
        [TENON_BEYOND_TOLERANCE] = "not within tolerance",
        [TENON_DIFFERENT] = "different",
        [TENON_NOT_VERIFIED] = "not verified",
    };
    return verdict <= TENON_NOT_VERIFIED ? words[verdict] : "unknown";
}

static void judge(const verify_job *job)
{
    tenon_verify_result *r = job->result;
    bool is_different = r->missing_clips || r->extra_clips || r->missing_meshes ||
                        r->missing_lines || r->extra_lines || r->missing_points ||
                        r->extra_points || r->reversed > 0 || r->surface > SURFACE_SHARE;
    if (!(r->largest <= tolerance_of(job)))
        r->verdict = TENON_BEYOND_TOLERANCE;
    else if (is_different)
        r->verdict = TENON_DIFFERENT;
    else if (job->a.scene->omission_count || job->b.scene->omission_count)
        r->verdict = TENON_NOT_VERIFIED;
}

// -- All of it

static bool run(verify_job *job, const tenon_scene *a, const tenon_scene *b)
{
    uint32_t only;
    if (!tn_posed_scene_begin(&job->context, &job->a, a) ||
        !tn_posed_scene_begin(&job->context, &job->b, b))
        return false;
    if (!choose_clip(job, &only)) return false;
    job->clip_count = job->opts->rest_only ? 0 : only == TENON_NONE ? a->animation_count : 1;
    job->total = PROGRESS_PARTS * ((uint64_t)job->clip_count + 1);
    measure(job);
    if (!advance(job, 0) || !match(job)) return false;
    if (!job->opts->clip || job->opts->rest_only || is_one_time(job))
        compare(job, job->base_clip, job->base_seconds);
    if (!advance(job, PROGRESS_PARTS) || !compare_clips(job, only)) return false;
    tell(job);
    judge(job);
    return true;
}

bool tenon_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
                  tenon_verify_result *result, tenon_error *err)
{
    static const tenon_verify_opts defaults;
    tenon_verify_result unwanted;
    if (!opts) opts = &defaults;
    if (!result) result = &unwanted;
    tn_error_clear(err);
    *result = (tenon_verify_result){0};
    if (!tenon_scene_check(a, err) || !tenon_scene_check(b, err)) return false;
    // Small files can show a mesh very often: that is granted up to a limit of its own.
    uint64_t limit = MEMORY + MEMORY_FACTOR * (scene_size(a, false) + scene_size(b, false));
    uint64_t shown = MEMORY + MEMORY_FACTOR * (scene_size(a, true) + scene_size(b, true));
    if (shown > SHOWN_MEMORY) shown = SHOWN_MEMORY;
    if (shown > limit) limit = shown;
    verify_job job = {
        .context = {.arena = tn_arena_make(&opts->allocator, limit),
                    .pulse = {.progress = &opts->progress, .budget = opts->allocator.budget},
                    .err = err},
        .opts = opts,
        .result = result,
        .worst = {.vertex = TENON_NONE, .clip = TENON_NONE}};
    bool ok = run(&job, a, b);
    tn_posed_scene_end(&job.a);
    tn_posed_scene_end(&job.b);
    tn_arena_free(&job.context.arena);
    tn_pulse_end(&job.context.pulse);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}
