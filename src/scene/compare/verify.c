// verify.c: poses two scenes at many times and measures how far apart they are.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/math/bounds.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "scene/pose/pose.h"

#include <stdio.h>
#include <string.h>

#define MEMORY         ((uint64_t)64 << 20)
#define MEMORY_FACTOR  64
#define SHOWN_MEMORY   ((uint64_t)1 << 30)
#define SAMPLES        16
#define TOLERANCE      1e-4
#define CORNER_SHARE   0.999  // Of triangles that match, from which on corners are compared.
#define SURFACE_SHARE  1e-3   // Of the area, by which surfaces may differ.
#define SURFACE_TIMES  16   // Of a clip, at least, if surfaces are compared: that is slow, so there
#define SURFACE_WORK   1e6  // are more only while triangles * times * clips are below this.
#define PROGRESS_PARTS 1000  // Of each clip.

typedef struct verify_job {
    tn_match_context context;
    const tenon_scene *scenes[2];  // Without points at nodes, which `a` and `b` may have.
    const tenon_verify_opts *opts;
    uint32_t wanted;  // TN_VERIFY_… bits.
    tenon_verify_result *result;
    tn_verify_measures *measures;
    double tolerance;
    tn_posed_scene a, b;
    double extent;  // The size of A or its distance from the origin, whichever is larger.
    tn_comparison comparison;
    tn_pose_bounds *bounds;       // NULL: all poses are compared.
    tn_pose_distances distances;  // Of all poses so far.
    tn_pose_comparer comparer;    // Of the poses of clips.
    bool is_one_time;             // Compare A at one time of a clip with B in its rest pose.
    uint32_t only_clip;           // The clip of A to compare; TENON_NONE: all.
    uint32_t base_clip;           // The pose of A that is compared with the rest pose of B;
    double base_seconds;          // TENON_NONE: the rest pose.
    uint32_t clip_count;          // To be compared.
    uint64_t progress_total;      // Of the pulse.
} verify_job;

static bool verify_wants_all(const verify_job *job, uint32_t bits)
{
    return (job->wanted & bits) == bits;
}

// -- Sizes

// The bytes of a scene that are compared: those of its meshes, or of its meshes as often as nodes
// show them.
static uint64_t verify_scene_size(const tenon_scene *scene, bool as_shown)
{
    uint64_t size = scene->node_count * (uint64_t)sizeof(tenon_node);
    for (uint32_t i = 0; i < (as_shown ? scene->node_count : scene->mesh_count); i++) {
        uint32_t index = as_shown ? scene->nodes[i].mesh : i;
        if (index == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[index];
        size += sizeof *mesh;
        for (uint32_t k = 0; k < mesh->primitive_count; k++) {
            const tenon_primitive *p = &mesh->primitives[k];
            size += sizeof *p + p->vertex_count * (12 + 6 * (uint64_t)p->influence_count);
            size += 4 * (uint64_t)p->index_count;
        }
    }
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        const tenon_animation *animation = &scene->animations[i];
        size += sizeof *animation;
        for (uint32_t k = 0; k < animation->channel_count; k++)
            size += sizeof(tenon_channel) + 16 * (uint64_t)animation->channels[k].key_count;
    }
    return size;
}

// The distance from the origin limits how exact positions can be.
static void verify_measure_extent(verify_job *job)
{
    tn_bounds bounds = tn_bounds_empty();
    for (uint32_t i = 0; i < job->a.vertex_count; i++)
        tn_bounds_add_f32(&bounds, job->a.positions + 3 * (size_t)i);
    double diagonal = tn_bounds_diagonal(&bounds), farthest = tn_bounds_farthest(&bounds);
    job->result->diagonal = diagonal > 0 && diagonal < HUGE_VAL ? diagonal : 1;
    job->extent = job->result->diagonal;
    if (farthest > job->extent && farthest < HUGE_VAL) job->extent = farthest;
}

static bool verify_report_progress(verify_job *job, uint64_t done)
{
    tn_match_context *context = &job->context;
    return tn_pulse_report(&context->pulse, done, job->progress_total) || tn_match_cancel(context);
}

// -- Matching

// Pair objects by name, the closest first: "Run" is rather "Run" than "run". The remaining ones are
// paired in order; with `only_equal_counts`, and if the counts differ, only those without a name.
static bool verify_pair_objects(verify_job *job, tn_object_list list, uint32_t a_count,
                                uint32_t b_count, bool only_equal_counts, tn_pairing *pairing)
{
    tn_match_context *context = &job->context;
    tn_ids names;
    if (!tn_pairing_begin(context, pairing, a_count, b_count)) return false;
    tn_mark mark = tn_arena_mark(&context->arena);
    for (tn_name_rule rule = TN_NAME_EXACT; rule < TN_NAME_RULE_COUNT; rule++)
        if (!tn_number_names(context, job->scenes, list, rule, pairing, &names) ||
            !tn_pair_ids(context, pairing, &names))
            return false;
    tn_pair_in_order(pairing, only_equal_counts && a_count != b_count ? names.of[0] : NULL);
    tn_arena_rewind(&context->arena, mark);
    return true;
}

static double verify_share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

// Count the pieces and meshes that have no partner, and decide how to compare. A mesh of A is
// missing if it is shown and B has no mesh of its name and none of its pieces.
static bool verify_count_matches(verify_job *job, const uint32_t *mesh_partners, uint32_t reversed)
{
    const tn_posed_scene *a = &job->a, *b = &job->b;
    tenon_verify_result *result = job->result;
    uint32_t total = tn_total_piece_count(a), matched = 0, matched_triangles = 0;
    bool *is_missing = tn_match_alloc(&job->context, a->scene->mesh_count, sizeof *is_missing);
    if (!is_missing) return false;
    for (uint32_t i = 0; i < a->part_count; i++)
        is_missing[a->parts[i].mesh] = mesh_partners[a->parts[i].mesh] == TENON_NONE;
    for (uint32_t i = 0; i < total; i++) {
        bool has_partner = a->partners[i] != TENON_NONE;
        if (has_partner) is_missing[a->parts[a->piece_parts[i]].mesh] = false;
        matched += has_partner;
        matched_triangles += has_partner && i < a->triangle_count;
        result->missing_lines += !has_partner && tn_corner_count(a, i) == 2;
        result->missing_points += !has_partner && tn_corner_count(a, i) == 1;
    }
    for (uint32_t i = 0; i < a->scene->mesh_count; i++) result->missing_meshes += is_missing[i];
    for (uint32_t i = b->triangle_count; i < tn_total_piece_count(b); i++) {
        bool has_partner = b->partners[i] != TENON_NONE;
        result->extra_lines += !has_partner && tn_corner_count(b, i) == 2;
        result->extra_points += !has_partner && tn_corner_count(b, i) == 1;
    }
    bool is_empty = total == 0 && tn_total_piece_count(b) == 0;
    result->matched = is_empty ? 1 : verify_share(matched, total);
    result->reversed = verify_share(reversed, a->triangle_count);
    bool has_triangles = a->triangle_count > 0 || b->triangle_count > 0;
    result->by_surface =
        has_triangles && verify_share(matched_triangles, a->triangle_count) < CORNER_SHARE;
    return true;
}

// Values that do not depend on how a surface is split into triangles: its area, the sum of its
// normals, and the volume below it. They show holes, doubled parts and the side that it faces,
// which distances to the surface do not show. All but the total area are of triangles without a
// partner.
typedef struct surface_sums {
    double total_area, area, normal[3], volume;
} surface_sums;

static surface_sums verify_sum_surface(const tn_posed_scene *posed, const double center[3])
{
    surface_sums sums = {0};
    for (uint32_t i = 0; i < posed->triangle_count; i++) {
        double p[3][3], cross[3], square = 0;
        bool is_unpaired = posed->partners[i] == TENON_NONE;
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t k = 0; k < 3; k++)
                p[c][k] = (double)tn_corner(posed, i, c)[k] - center[k];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
            cross[k] = (p[1][x] - p[0][x]) * (p[2][y] - p[0][y]) -
                       (p[1][y] - p[0][y]) * (p[2][x] - p[0][x]);
            square += cross[k] * cross[k];
            if (is_unpaired) sums.normal[k] += cross[k] / 2;
            if (is_unpaired) sums.volume += p[0][k] * cross[k] / 6;
        }
        sums.total_area += sqrt(square) / 2;
        if (is_unpaired) sums.area += sqrt(square) / 2;
    }
    return sums;
}

static void verify_compare_surfaces(const verify_job *job)
{
    double center[3] = {0, 0, 0}, turned = 0;
    for (uint32_t k = 0; job->a.triangle_count && k < 3; k++)
        center[k] = (double)tn_corner(&job->a, 0, 0)[k];
    surface_sums a = verify_sum_surface(&job->a, center), b = verify_sum_surface(&job->b, center);
    double area = a.total_area > b.total_area ? a.total_area : b.total_area;
    if (!(area > 0 && area < HUGE_VAL)) return;
    for (uint32_t k = 0; k < 3; k++) {
        double difference = a.normal[k] - b.normal[k];
        turned += difference * difference;
    }
    double change = fabs(a.area - b.area) / area;
    change = fmax(change, sqrt(turned) / area);
    change = fmax(change, 3 * fabs(a.volume - b.volume) / (area * job->result->diagonal));
    job->result->surface = change < HUGE_VAL ? change : 0;
}

// Joints are paired by name; the remaining ones in order, if both scenes have as many nodes.
static bool verify_match_skeletons(verify_job *job)
{
    tn_match_context *context = &job->context;
    tenon_verify_result *result = job->result;
    const tenon_scene *a = job->scenes[0], *b = job->scenes[1];
    tn_pairing nodes, meshes;
    tn_vertex_pair_list points = {0};
    tn_pose_scene(&job->a, job->base_clip, job->base_seconds);
    if (!verify_pair_objects(job, TN_MESHES, a->mesh_count, b->mesh_count, false, &meshes) ||
        !verify_pair_objects(job, TN_NODES, a->node_count, b->node_count, true, &nodes) ||
        !tn_pair_skeletons(context, &job->a, &job->b, nodes.partners[0], &points,
                           &result->missing_nodes))
        return false;
    bool *is_counted = tn_match_alloc(context, a->mesh_count, sizeof *is_counted);
    for (uint32_t i = 0; is_counted && i < a->node_count; i++) {
        uint32_t mesh = a->nodes[i].mesh;  // It has no pieces.
        if (mesh == TENON_NONE || meshes.partners[0][mesh] != TENON_NONE) continue;
        result->missing_meshes += !is_counted[mesh];
        is_counted[mesh] = true;
    }
    uint64_t matched = points.count / TN_SKELETON_POINTS;
    result->by_node = true;
    result->matched =
        result->missing_nodes ? verify_share(matched, matched + result->missing_nodes) : 1;
    return tn_compare_begin(context, &job->comparison, &job->a, &job->b, &points, false,
                            verify_wants_all(job, TN_VERIFY_ALL));
}

static bool verify_match_geometry(verify_job *job)
{
    tn_match_context *context = &job->context;
    tenon_verify_result *result = job->result;
    uint32_t reversed;
    tn_vertex_pair_list polygons;
    tn_pose_scene(&job->a, job->base_clip, job->base_seconds);
    tn_pairing meshes;
    if (!verify_pair_objects(job, TN_MESHES, job->a.scene->mesh_count, job->b.scene->mesh_count,
                             false, &meshes))
        return false;
    for (uint32_t i = 0; i < job->b.part_count; i++)
        job->b.parts[i].partner_mesh = meshes.partners[1][job->b.parts[i].mesh];
    if (!tn_match_geometry(context, &job->a, &job->b, job->extent, &polygons, &reversed) ||
        !verify_count_matches(job, meshes.partners[0], reversed))
        return false;
    if (verify_wants_all(job, TN_VERIFY_VERDICT)) verify_compare_surfaces(job);
    return tn_compare_begin(context, &job->comparison, &job->a, &job->b, &polygons,
                            result->by_surface, verify_wants_all(job, TN_VERIFY_ALL)) &&
           (!result->by_surface || tn_find_coincident_vertices(&job->comparison, job->extent));
}

// -- Clips

// Find the clip and the time that the options ask for.
static bool verify_choose_clip(verify_job *job)
{
    const tenon_scene *a = job->a.scene;
    const tenon_verify_opts *opts = job->opts;
    job->is_one_time = opts->at_one_time && opts->seconds >= 0;
    if (opts->rest_only || (!opts->clip && !job->is_one_time)) return true;
    if (!opts->clip && a->animation_count != 1) {
        job->context.failed = true;
        return tn_error(job->context.err, TENON_ERR_VALUE,
                        "a time needs the name of a clip: there are %u clips",
                        (unsigned)a->animation_count);
    }
    job->only_clip = opts->clip ? tn_find_clip(a, opts->clip) : 0;
    if (job->only_clip == TENON_NONE) {
        char shown[64];
        tn_text_clean(opts->clip, strlen(opts->clip), shown, sizeof shown);
        job->context.failed = true;
        return tn_error(job->context.err, TENON_ERR_VALUE, "no clip is called '%s'", shown);
    }
    if (job->is_one_time) {
        job->base_clip = job->only_clip;
        job->base_seconds = opts->seconds;
    }
    return true;
}

static bool verify_shows_frames(const tenon_scene *scene)
{
    return scene->source && scene->source->caps & TENON_SHOWS_FRAMES;
}

static bool verify_add_pose(verify_job *job, tn_pose_list *list, const tn_pose_pair *pair)
{
    if (list->count == list->room) {
        uint32_t room = 2 * list->room + 64;
        tn_pose_pair *pairs = tn_match_alloc(&job->context, room, sizeof *pairs);
        if (!pairs) return false;
        if (list->count) memcpy(pairs, list->pairs, list->count * sizeof *pairs);
        list->pairs = pairs;
        list->room = room;
    }
    list->pairs[list->count] = *pair;
    list->pairs[list->count++].is_thorough = pair->a_clip == job->base_clip;
    return true;
}

// List the poses of a clip in `poses`. In `between` those between frames, while the scene that
// shows frames keeps showing the previous one: this motion is not lost, so it counts separately.
static bool verify_list_poses(verify_job *job, uint32_t clip, uint32_t other, tn_pose_list *poses,
                              tn_pose_list *between)
{
    uint32_t samples = job->opts->samples ? job->opts->samples : SAMPLES, taken = 0;
    tn_time_list times;
    const tenon_animation *a = &job->a.scene->animations[clip];
    const tenon_animation *b = &job->b.scene->animations[other];
    bool a_shows = verify_shows_frames(job->a.scene), b_shows = verify_shows_frames(job->b.scene);
    job->result->clip_count++;
    if (!tn_collect_times(&job->context, a_shows ? a : NULL, b_shows ? b : NULL, 0, &times))
        return false;
    if (times.count >= 2) {
        job->result->at_frames = true;
        taken = job->wanted & TN_VERIFY_BETWEEN_FRAMES ? samples : 0;
    } else if (!tn_collect_times(&job->context, a, b, samples, &times)) {
        return false;  // A clip with fewer than two frames does not move.
    }
    for (uint32_t i = 0, at = 0; i < taken; i++) {
        double seconds = a->duration * ((double)i + 0.5) / (double)samples;
        while (at + 1 < times.count && times.seconds[at + 1] <= seconds) at++;
        double frame = times.seconds[at];
        const tn_pose_pair pair = {
            .a_clip = clip,
            .b_clip = other,
            .a_seconds = a_shows ? frame : seconds,
            .b_seconds = b_shows ? frame : seconds,
        };
        if (!verify_add_pose(job, between, &pair)) return false;
    }
    uint32_t count = job->wanted & TN_VERIFY_LARGEST ? times.count : 0;
    if (job->result->by_surface) {
        double triangles = 1.0 + job->a.triangle_count + job->b.triangle_count;
        double most = SURFACE_WORK / triangles / job->clip_count, asked = job->opts->samples;
        if (most < SURFACE_TIMES) most = SURFACE_TIMES;
        if (most < asked) most = asked;
        if (most < count) count = (uint32_t)most;
    }
    for (uint32_t i = 0; i < count; i++) {
        // The first and the last time are always included.
        uint64_t at = count < 2 ? 0 : (uint64_t)i * (times.count - 1) / (count - 1);
        double seconds = times.seconds[at];
        const tn_pose_pair pair = {
            .a_clip = clip, .b_clip = other, .a_seconds = seconds, .b_seconds = seconds};
        if (!verify_add_pose(job, poses, &pair)) return false;
    }
    return true;
}

// Whether a node's matrix differs from that in the rest pose. Rotation and scale are compared
// relative to their size, because parents may scale them to almost nothing.
static bool verify_is_moved(const verify_job *job, const double *matrix, const double *rest)
{
    double largest = 0, turned = 0, moved = 0;
    for (uint32_t i = 0; i < 12; i++) {
        largest = fmax(largest, fmax(fabs(matrix[i]), fabs(rest[i])));
        turned = fmax(turned, fabs(matrix[i] - rest[i]));
    }
    for (uint32_t i = 12; i < 15; i++) moved = fmax(moved, fabs(matrix[i] - rest[i]));
    return !(turned <= job->tolerance * largest && moved <= job->tolerance * job->result->diagonal);
}

// Whether a clip, at the time that is posed, gives a node other weights than those at rest.
static bool verify_clip_morphs(const verify_job *job, const tn_posed_scene *posed, uint32_t clip)
{
    const tenon_animation *animation = &posed->scene->animations[clip];
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_channel *c = &animation->channels[i];
        if (c->target != TENON_WEIGHTS) continue;
        const double *rest = tn_rest_weights(posed->scene, c->node);
        const double *weights = posed->pose->weights + posed->pose->weight_starts[c->node];
        for (uint32_t k = 0; rest && k < c->weight_count; k++)
            if (!(fabs(weights[k] - rest[k]) <= job->tolerance)) return true;
    }
    return false;
}

// Whether a clip moves a node or a morph target. A clip that only repeats the rest pose, which some
// exporters have to add and others have to omit, makes no visible difference.
static bool verify_clip_moves(verify_job *job, tn_posed_scene *posed, uint32_t clip)
{
    tn_match_context *context = &job->context;
    tn_time_list times;
    const tn_subtrees *trees = &posed->pose->trees;
    const tn_moved_roots *roots = &posed->pose->roots;
    uint32_t count = 0, next = 0;
    tn_mark mark = tn_arena_mark(&context->arena);
    tenon_pose_set(posed->pose, clip, 0);
    for (uint32_t i = 0; i < roots->count; i++) count += trees->sizes[roots->nodes[i]];
    uint32_t *nodes = tn_match_alloc(context, count, sizeof *nodes);  // That have channels above.
    double *rest = tn_match_alloc(context, count, 16 * sizeof *rest);
    if (!tn_collect_times(context, &posed->scene->animations[clip], NULL, SAMPLES, &times) ||
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
        if (!tn_match_goes_on(context, 1)) break;
        tenon_pose_set(posed->pose, clip, times.seconds[i]);
        moves = verify_clip_morphs(job, posed, clip);
        for (uint32_t k = 0; k < count && !moves; k++)
            moves = verify_is_moved(job, tenon_pose_global(posed->pose, nodes[k]),
                                    rest + 16 * (size_t)k);
    }
    tn_arena_rewind(&context->arena, mark);
    return moves;
}

static bool verify_compare_clips(verify_job *job)
{
    const tenon_scene *a = job->a.scene, *b = job->b.scene;
    tn_match_context *context = &job->context;
    tenon_verify_result *result = job->result;
    uint32_t only = job->only_clip;
    tn_pose_list poses = {0}, between = {0};
    tn_pairing clips;
    if (!verify_pair_objects(job, TN_ANIMATIONS, a->animation_count, b->animation_count, true,
                             &clips))
        return false;
    bool needs_missing = verify_wants_all(job, TN_VERIFY_VERDICT);
    for (uint32_t i = 0; needs_missing && only == TENON_NONE && i < b->animation_count; i++)
        if (clips.partners[1][i] == TENON_NONE)
            result->extra_clips += verify_clip_moves(job, &job->b, i);
    if (context->failed) return false;
    for (uint32_t i = 0; i < a->animation_count; i++) {
        if (only != TENON_NONE && i != only) continue;
        uint32_t partner = clips.partners[0][i];
        if (partner == TENON_NONE) {
            if (needs_missing)
                result->missing_clips += i == only || verify_clip_moves(job, &job->a, i);
            continue;
        }
        if (!verify_list_poses(job, i, partner, &poses, &between)) return false;
    }
    const tn_pose_worker worker = {
        .a = &job->a, .b = &job->b, .comparison = &job->comparison, .bounds = job->bounds};
    if (context->failed ||
        !tn_pose_comparer_begin(context, &job->comparer, &worker,
                                (uint64_t)poses.count + between.count, job->opts->executor))
        return false;
    uint64_t total = job->progress_total;
    tn_pose_distances of_between = {0};
    if (between.count && !tn_compare_poses(&job->comparer, &between, false, total / 2, &of_between))
        return false;
    result->between_frames = sqrt(of_between.largest) / result->diagonal;
    return tn_compare_poses(&job->comparer, &poses, verify_wants_all(job, TN_VERIFY_ALL), total,
                            &job->distances);
}

// -- The result

static void verify_put_name(char out[64], tenon_str name, uint32_t index)
{
    if (name.size > 0)
        tn_text_clean(name.data, name.size, out, 64);
    else
        (void)snprintf(out, 64, "#%u", (unsigned)index);
}

static void verify_report_distances(verify_job *job)
{
    const tn_pose_distances *distances = &job->distances;
    const tenon_scene *scene = job->a.scene;
    tenon_verify_result *result = job->result;
    uint32_t clip = distances->clip, vertex = distances->worst_vertex;
    if (distances->count == 0) return;
    result->largest = sqrt(distances->largest) / result->diagonal;
    if (verify_wants_all(job, TN_VERIFY_ALL))
        result->rms = sqrt(distances->sum / (double)distances->count) / result->diagonal;
    if (!(distances->largest > 0)) return;
    if (clip != TENON_NONE) verify_put_name(result->clip, scene->animations[clip].name, clip);
    result->seconds = distances->seconds;
    if (vertex == TENON_NONE) return;
    uint32_t bone = tn_main_joint(&job->a, vertex), mesh = tn_part_of_vertex(&job->a, vertex)->mesh;
    verify_put_name(result->bone, scene->nodes[bone].name, bone);
    if (!result->by_node) verify_put_name(result->mesh, scene->meshes[mesh].name, mesh);
    tn_pose_scene(&job->a, TENON_NONE, 0);
    for (uint32_t k = 0; k < 3; k++)
        result->where[k] = (double)job->a.positions[3 * (size_t)vertex + k];
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

const char *tenon_verify_mode(const tenon_verify_result *result)
{
    if (!result) return "";
    return result->by_node ? "node" : result->by_surface ? "surface" : "corner";
}

static void verify_choose_verdict(const verify_job *job)
{
    tenon_verify_result *result = job->result;
    bool is_different = result->missing_clips || result->extra_clips || result->missing_meshes ||
                        result->missing_nodes || result->missing_lines || result->extra_lines ||
                        result->missing_points || result->extra_points || result->reversed > 0 ||
                        result->surface > SURFACE_SHARE;
    // What was not read may be what makes the difference.
    if (job->a.scene->omission_count || job->b.scene->omission_count)
        result->verdict = TENON_NOT_VERIFIED;
    else if (!(result->largest <= job->tolerance))
        result->verdict = TENON_BEYOND_TOLERANCE;
    else if (is_different)
        result->verdict = TENON_DIFFERENT;
}

// -- Verifying

static bool verify_scenes(verify_job *job, const tenon_scene *a, const tenon_scene *b)
{
    const tenon_verify_opts *opts = job->opts;
    tenon_scene skeletons[2];
    double reach = 0;
    bool by_node = !tn_shows_pieces(a) && !tn_shows_pieces(b);
    if (by_node && (!tn_measure_skeleton(&job->context, a, &reach) ||
                    !tn_make_skeleton(&job->context, a, &skeletons[0]) ||
                    !tn_make_skeleton(&job->context, b, &skeletons[1])))
        return false;
    if (!tn_posed_scene_begin(&job->context, &job->a, by_node ? &skeletons[0] : a, reach) ||
        !tn_posed_scene_begin(&job->context, &job->b, by_node ? &skeletons[1] : b, reach) ||
        !verify_choose_clip(job))
        return false;
    bool needs_clips = !opts->rest_only || verify_wants_all(job, TN_VERIFY_CLIPS_APART);
    job->clip_count = !needs_clips ? 0 : job->only_clip == TENON_NONE ? a->animation_count : 1;
    job->progress_total = PROGRESS_PARTS * ((uint64_t)job->clip_count + 1);
    verify_measure_extent(job);
    if (!verify_report_progress(job, 0) ||
        !(by_node ? verify_match_skeletons(job) : verify_match_geometry(job)))
        return false;
    tn_comparison *comparison = &job->comparison;
    if (!opts->clip || opts->rest_only || job->is_one_time) {
        tn_compare(comparison, true);
        job->distances = (tn_pose_distances){.largest = comparison->largest,
                                             .sum = comparison->sum,
                                             .count = comparison->count,
                                             .worst_vertex = comparison->worst_vertex,
                                             .clip = job->base_clip,
                                             .seconds = job->base_seconds};
    }
    double diagonal = job->result->diagonal;
    if (job->distances.count) job->measures->at_rest = sqrt(job->distances.largest) / diagonal;
    if (job->wanted == TN_VERIFY_AT_REST) return true;
    tenon_verify_result at_rest;
    if (opts->rest_only) {
        verify_report_distances(job);
        verify_choose_verdict(job);
        at_rest = *job->result;
        job->wanted = TN_VERIFY_LARGEST;
    }
    bool has_clips = job->clip_count && !job->is_one_time;
    if (has_clips && !by_node && verify_wants_all(job, TN_VERIFY_ALL))
        comparison->runs = tn_pair_runs_new(&job->context, comparison);
    else if (has_clips && !by_node)
        job->bounds = tn_pose_bounds_new(&job->context, comparison);
    if (!verify_report_progress(job, PROGRESS_PARTS)) return false;
    if (job->is_one_time && !opts->rest_only)
        job->result->clip_count = job->only_clip != TENON_NONE;
    else if (needs_clips && !verify_compare_clips(job))
        return false;
    if (opts->rest_only) {
        job->measures->in_clips = sqrt(job->distances.largest) / diagonal;
        *job->result = at_rest;
        return true;
    }
    verify_report_distances(job);
    verify_choose_verdict(job);
    return true;
}

bool tn_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
               uint32_t wanted, tn_verify_measures *measures, tenon_error *err)
{
    *measures = (tn_verify_measures){0};
    // A small file can show a mesh very often: that is allowed up to a separate limit.
    uint64_t limit =
        MEMORY + MEMORY_FACTOR * (verify_scene_size(a, false) + verify_scene_size(b, false));
    uint64_t shown =
        MEMORY + MEMORY_FACTOR * (verify_scene_size(a, true) + verify_scene_size(b, true));
    if (shown > SHOWN_MEMORY) shown = SHOWN_MEMORY;
    if (shown > limit) limit = shown;
    verify_job job = {
        .context = {.arena = tn_arena_make(&opts->allocator, limit),
                    .pulse = {.events = &opts->events, .budget = opts->allocator.budget},
                    .err = err},
        .scenes = {a, b},
        .opts = opts,
        .wanted = wanted,
        .result = &measures->result,
        .measures = measures,
        .tolerance = opts->tolerance > 0 ? opts->tolerance : TOLERANCE,
        .only_clip = TENON_NONE,
        .base_clip = TENON_NONE,
        .distances = {.worst_vertex = TENON_NONE, .clip = TENON_NONE}};
    bool ok = verify_scenes(&job, a, b);
    tn_pose_comparer_end(&job.comparer);
    tn_posed_scene_end(&job.a);
    tn_posed_scene_end(&job.b);
    tn_arena_free(&job.context.arena);
    tn_pulse_end(&job.context.pulse);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}

bool tenon_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
                  tenon_verify_result *result, tenon_error *err)
{
    static const tenon_verify_opts defaults;
    tn_verify_measures measures = {0};
    tn_error_clear(err);
    if (!opts) opts = &defaults;
    uint32_t wanted = opts->largest_only ? TN_VERIFY_VERDICT : TN_VERIFY_ALL;
    bool ok = tenon_scene_check(a, err) && tenon_scene_check(b, err) &&
              tn_verify(a, b, opts, wanted, &measures, err);
    if (result) *result = measures.result;
    return ok;
}
