// test_truth.c: the crane of every format, posed, against the true positions of its triangles.
// SPDX-License-Identifier: MIT
//
// samples/truth.json was made with the crane, without the library. Triangles are paired by their
// rest positions; then every corner has to be in its place at all times. A failure names the
// part and joint, the time, the distance, and whether a mirror, another axis or the winding would
// explain it.

#include "truth_help.h"

#define TOLERANCE 1e-6  // Of the diagonal.
#define TOLD_MOST 6     // Parts of one file that are reported.

// -- Pairing at rest

// A way in which a model may be oriented wrongly: the sign and the source of each axis.
typedef struct guess {
    const char *what;
    int axis[3], sign[3];
    double scale;
} guess;

static const guess guesses[] = {
    {"as it is", {0, 1, 2}, {1, 1, 1}, 1},
    {"mirrored in X", {0, 1, 2}, {-1, 1, 1}, 1},
    {"mirrored in Y", {0, 1, 2}, {1, -1, 1}, 1},
    {"mirrored in Z", {0, 1, 2}, {1, 1, -1}, 1},
    {"turned half round Y", {0, 1, 2}, {-1, 1, -1}, 1},
    {"with Z up", {0, 2, 1}, {1, 1, -1}, 1},
    {"with Z up, the other way", {0, 2, 1}, {1, -1, 1}, 1},
    {"with Y and Z swapped", {0, 2, 1}, {1, 1, 1}, 1},
    {"100 times as large", {0, 1, 2}, {1, 1, 1}, 0.01},
    {"a hundredth as large", {0, 1, 2}, {1, 1, 1}, 100},
};

#define GUESS_COUNT (sizeof guesses / sizeof guesses[0])

typedef struct pairing {
    uint32_t *partners;  // Of each true triangle, a triangle of the model; TENON_NONE.
    uint32_t *turns;     // Its corner k is (k + turn) % 3 there.
    uint32_t found;
} pairing;

static double corner_distance(const double *truly, const float *p, const guess *g)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double gap = truly[k] - g->scale * g->sign[k] * (double)p[g->axis[k]];
        square += gap * gap;
    }
    return sqrt(square);
}

// The turn in which the corners fit, or TENON_NONE.
static uint32_t fitting_turn(const double *truly, const float *corners, const guess *g,
                             bool is_reversed, double slack)
{
    for (uint32_t turn = 0; turn < 3; turn++) {
        uint32_t k = 0;
        while (k < 3) {
            uint32_t other = is_reversed ? (turn + 3 - k) % 3 : (turn + k) % 3;
            if (!(corner_distance(truly + 3 * k, corners + 3 * other, g) <= slack)) break;
            k++;
        }
        if (k == 3) return turn;
    }
    return TENON_NONE;
}

// Pair each true triangle with one of the model that no other one has.
static pairing pair(const truth *t, const crane *c, const guess *g, bool is_reversed)
{
    pairing p = {malloc(4 * t->triangle_count), malloc(4 * t->triangle_count), 0};
    bool *is_taken = calloc(c->count + 1, 1);
    if (!p.partners || !p.turns || !is_taken) abort();
    for (uint32_t i = 0; i < t->triangle_count; i++) {
        p.partners[i] = TENON_NONE;
        for (uint32_t k = 0; k < c->count && p.partners[i] == TENON_NONE; k++) {
            if (is_taken[k]) continue;
            p.turns[i] =
                fitting_turn(t->moments[0].corners + 9 * (size_t)i, c->corners + 9 * (size_t)k, g,
                             is_reversed, TOLERANCE * t->diagonal);
            if (p.turns[i] != TENON_NONE) p.partners[i] = k;
        }
        if (p.partners[i] != TENON_NONE) is_taken[p.partners[i]] = true, p.found++;
    }
    free(is_taken);
    return p;
}

static void free_pairing(pairing *p)
{
    free(p->partners);
    free(p->turns);
}

// How far the triangle that is nearest to a true one is from it.
static double nearest_triangle(const truth *t, const crane *c, uint32_t i)
{
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < 3 * c->count; k++) {
        double most = 0;
        for (uint32_t v = 0; v < 3; v++)
            most = fmax(most, corner_distance(t->moments[0].corners + 9 * (size_t)i + 3 * v,
                                              c->corners + 9 * (size_t)(k / 3) + 3 * ((k + v) % 3),
                                              &guesses[0]));
        least = fmin(least, most);
    }
    return least;
}

static void tell_unpaired_parts(const truth *t, const crane *c, const pairing *p)
{
    for (uint32_t i = 0, reported = 0; i < t->part_count && reported < TOLD_MOST; i++) {
        const part *of = &t->parts[i];
        uint32_t missing = 0;
        double most = 0;
        for (uint32_t k = of->first; k < of->first + of->count; k++) {
            if (p->partners[k] != TENON_NONE) continue;
            missing++;
            most = fmax(most, nearest_triangle(t, c, k));
        }
        if (missing == 0) continue;
        reported++;
        complain(c->file,
                 "at rest, %u of %u triangles of part '%s' (joint '%s') are not there; the nearest "
                 "are up to %.3g m away",
                 missing, of->count, of->name, of->joint, most);
    }
}

// Print in which other orientation more of the triangles fit.
static void explain_unpaired(const truth *t, const crane *c, uint32_t found)
{
    for (size_t i = 0; i < 2 * GUESS_COUNT; i++) {
        const guess *g = &guesses[i / 2];
        pairing p = pair(t, c, g, i % 2 == 1);
        if (p.found > found)
            complain(c->file, "at rest, %u of %u triangles fit if the model is taken %s%s", p.found,
                     t->triangle_count, g->what, i % 2 == 1 ? ", with reversed winding" : "");
        free_pairing(&p);
    }
}

static void check_rest(const truth *t, const crane *c, const pairing *p)
{
    if (c->count != t->triangle_count)
        complain(c->file, "%u triangles, but there should be %u", c->count, t->triangle_count);
    if (p->found == t->triangle_count) return;
    complain(c->file, "at rest, %u of %u triangles are where they should be", p->found,
             t->triangle_count);
    tell_unpaired_parts(t, c, p);
    explain_unpaired(t, c, p->found);
}

// -- Joints
// A rigid part moves as its joint does, which can be seen even where no vertex follows a joint.

static uint32_t node_named(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (strcmp(scene->nodes[i].name.data, name) == 0) return i;
    return TENON_NONE;
}

static void transform(const double m[16], const double p[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k];
}

// The inverse of a joint's transform, which rotates and moves only.
static void untransform(const double m[16], const double p[3], double out[3])
{
    double from[3] = {p[0] - m[12], p[1] - m[13], p[2] - m[14]};
    for (int k = 0; k < 3; k++) {
        double square =
            m[4 * k] * m[4 * k] + m[4 * k + 1] * m[4 * k + 1] + m[4 * k + 2] * m[4 * k + 2];
        out[k] = (m[4 * k] * from[0] + m[4 * k + 1] * from[1] + m[4 * k + 2] * from[2]) / square;
    }
}

// How far the corners of a part would be off if the joint moved them from their rest positions;
// negative if there is no such joint.
static double joint_error(const truth *t, const crane *c, const part *of, const moment *now,
                          uint32_t clip)
{
    double rest[16], worst = 0;
    uint32_t node = of->joint[0] ? node_named(c->scene, of->joint) : TENON_NONE;
    if (node == TENON_NONE) return -1;
    tenon_pose_set(c->pose, TENON_NONE, 0);
    memcpy(rest, tenon_pose_global(c->pose, node), sizeof rest);
    tenon_pose_set(c->pose, clip, now->seconds);
    for (uint32_t i = 3 * of->first; i < 3 * (of->first + of->count); i++) {
        double own[3], moved[3], square = 0;
        untransform(rest, t->moments[0].corners + 3 * (size_t)i, own);
        transform(tenon_pose_global(c->pose, node), own, moved);
        for (int k = 0; k < 3; k++)
            square += pow(moved[k] - now->corners[3 * (size_t)i + (size_t)k], 2);
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

static void check_joints(const truth *t, const crane *c)
{
    for (uint32_t i = 0; i < t->part_count; i++) {
        const part *of = &t->parts[i];
        double worst = 0, seconds = 0;
        const char *clip_name = "";
        for (uint32_t m = 0; m < t->moment_count && of->joint[0]; m++) {
            const moment *now = &t->moments[m];
            double error = joint_error(t, c, of, now, clip_named(c->scene, now->clip));
            if (error >= 0 && error <= worst) continue;
            worst = error < 0 ? HUGE_VAL : error, seconds = now->seconds, clip_name = now->clip;
        }
        if (worst == HUGE_VAL)
            complain(c->file, "there is no joint '%s'", of->joint);
        else if (worst > TOLERANCE * t->diagonal)
            complain(c->file, "joint '%s' is off by %.3g m (%.2g of the diagonal) in '%s' at %g s",
                     of->joint, worst, worst / t->diagonal, clip_name, seconds);
    }
}

// -- Corners at all times

typedef struct worst_corner {
    double distance;
    uint32_t moment, corner;
    uint32_t wrong_moments;
    float place[3];
} worst_corner;

static void look_at_part(const truth *t, const crane *c, const pairing *p, const part *of,
                         uint32_t moment_index, worst_corner *worst)
{
    const moment *now = &t->moments[moment_index];
    bool is_wrong = false;
    for (uint32_t i = 3 * of->first; i < 3 * (of->first + of->count); i++) {
        uint32_t partner = p->partners[i / 3];
        if (partner == TENON_NONE) continue;
        const float *q = c->corners + 9 * (size_t)partner + 3 * ((i % 3 + p->turns[i / 3]) % 3);
        double distance = corner_distance(now->corners + 3 * (size_t)i, q, &guesses[0]);
        if (!(distance <= TOLERANCE * t->diagonal)) is_wrong = true;
        if (distance <= worst->distance) continue;
        worst->distance = distance, worst->moment = moment_index, worst->corner = i;
        memcpy(worst->place, q, sizeof worst->place);
    }
    worst->wrong_moments += is_wrong;
}

// Whether the winding of the triangle agrees with its normals.
static void check_normals(const truth *t, const crane *c, const moment *now)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const float *p = c->corners + 9 * (size_t)i, *n = c->normals + 9 * (size_t)i;
        double a[3], b[3];
        for (int k = 0; k < 3; k++) a[k] = p[3 + k] - p[k], b[k] = p[6 + k] - p[k];
        double face[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                          a[0] * b[1] - a[1] * b[0]};
        bool is_right = true;
        for (int v = 0; v < 3; v++)
            is_right = is_right && face[0] * (double)n[3 * v] + face[1] * (double)n[3 * v + 1] +
                                           face[2] * (double)n[3 * v + 2] >
                                       0;
        wrong += !is_right;
    }
    if (wrong)
        complain(c->file, "the normals of %u of %u triangles point inwards in '%s' at %g s", wrong,
                 t->triangle_count, now->clip, now->seconds);
}

static void tell_worst(const truth *t, const crane *c, const part *of, const worst_corner *w)
{
    const moment *now = &t->moments[w->moment];
    const double *rest = t->moments[0].corners + 3 * (size_t)w->corner;
    const double *truly = now->corners + 3 * (size_t)w->corner;
    double joint = joint_error(t, c, of, now, clip_named(c->scene, now->clip));
    complain(c->file,
             "part '%s' (joint '%s') is wrong at %u of %u times, most in '%s' at %g s: off by "
             "%.3g m (%.2g of the diagonal)\n"
             "  what rests at (%.5g %.5g %.5g) should be at (%.5g %.5g %.5g) and is at (%.5g %.5g "
             "%.5g)",
             of->name, of->joint, w->wrong_moments, t->moment_count, now->clip, now->seconds,
             w->distance, w->distance / t->diagonal, rest[0], rest[1], rest[2], truly[0], truly[1],
             truly[2], (double)w->place[0], (double)w->place[1], (double)w->place[2]);
    if (joint >= 0)
        fprintf(stderr, "  the joint itself is off by %.3g m: %s\n", joint,
                joint > TOLERANCE * t->diagonal ? "look at its keys or parents"
                                                : "look at weights and inverse bind matrices");
}

static void check_corners(const truth *t, crane *c, const pairing *p)
{
    worst_corner worst[PARTS_MOST] = {{0}};
    for (uint32_t m = 0; m < t->moment_count; m++) {
        const moment *now = &t->moments[m];
        pose_crane(c, clip_named(c->scene, now->clip), now->seconds);
        check_normals(t, c, now);
        for (uint32_t i = 0; i < t->part_count; i++)
            look_at_part(t, c, p, &t->parts[i], m, &worst[i]);
    }
    double most = 0;
    for (uint32_t i = 0, reported = 0; i < t->part_count; i++) {
        most = fmax(most, worst[i].distance);
        if (worst[i].wrong_moments && reported++ < TOLD_MOST)
            tell_worst(t, c, &t->parts[i], &worst[i]);
    }
    printf("  %s: corners are within %.2g of the diagonal\n", c->file, most / t->diagonal);
}

// -- The letter

// The sign faces +Z: where the letter F can be read, u grows to the right and v downwards.
static void check_letter(const truth *t, const crane *c, const pairing *p)
{
    const part *sign = NULL;
    uint32_t wrong = 0, seen = 0;
    for (uint32_t i = 0; i < t->part_count; i++)
        if (strcmp(t->parts[i].name, "girder_sign") == 0) sign = &t->parts[i];
    if (!sign) return;
    for (uint32_t i = sign->first; i < sign->first + sign->count; i++) {
        const double *truly = t->moments[0].corners + 9 * (size_t)i;
        if (truly[2] != truly[5] || truly[2] != truly[8] || truly[2] < 1.25) continue;
        if (p->partners[i] == TENON_NONE) return;  // Already reported.
        const triangle *tri = &c->triangles[p->partners[i]];
        const float *uvs = primitive_of(c, tri)->uvs[0];
        seen++;
        for (uint32_t k = 0; uvs && k < 3; k++) {
            uint32_t next = (k + 1) % 3;
            const float *from = uvs + 2 * (size_t)tri->v[(k + p->turns[i]) % 3];
            const float *to = uvs + 2 * (size_t)tri->v[(next + p->turns[i]) % 3];
            double right = truly[3 * next] - truly[3 * k],
                   up = truly[3 * next + 1] - truly[3 * k + 1];
            wrong += (right != 0 && !(right * (double)(to[0] - from[0]) > 0));
            wrong += (up != 0 && !(up * (double)(to[1] - from[1]) < 0));
        }
        wrong += !uvs;
    }
    if (seen != 2 || wrong)
        complain(c->file, "the letter F on the sign cannot be read: texture coordinates are wrong");
}

// -- Files

typedef struct sample {
    const char *file;
    const char *companions[2];  // Files of its clips, "travel" and "lift".
    bool is_still;              // It has no clips.
    bool is_rigid;              // Joints move, but no vertex is bound to them.
} sample;

static const sample samples[] = {
    {.file = "samples/crane.bbmod",
     .companions = {"samples/crane_travel.bbanim", "samples/crane_lift.bbanim"}},
    {.file = "samples/crane.glb"},
    {.file = "samples/crane.gpb"},
    {.file = "samples/crane.bmw"},
    {.file = "samples/crane.cea"},
    {.file = "samples/crane.cem", .is_still = true},
    {.file = "samples/crane.bplx", .is_rigid = true},
    {.file = "samples/crane_script.bplx", .is_rigid = true},
};

static tenon_doc *read_or_complain(const char *file)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(file, NULL, &err);
    if (!doc) complain(file, "%s: %s", err.path, err.message);
    return doc;
}

static tenon_scene *make_scene(const sample *s)
{
    static const char *const clips[2] = {"travel", "lift"};
    tenon_companion companions[2];
    tenon_scene_opts opts = {.model_path = s->file, .companions = companions};
    tenon_error err;
    tenon_doc *doc = read_or_complain(s->file), *docs[2] = {0};
    tenon_scene *scene = NULL;
    for (uint32_t i = 0; i < 2 && s->companions[i]; i++)
        if ((docs[i] = read_or_complain(s->companions[i])))
            companions[opts.companion_count++] = (tenon_companion){docs[i], clips[i]};
    if (doc) scene = tenon_to_scene(doc, &opts, &err);
    if (doc && !scene && err.code == TENON_ERR_UNSUPPORTED)
        printf("  %s: skipped, it cannot be made into a scene yet\n", s->file);
    else if (doc && !scene)
        complain(s->file, "%s: %s", err.path, err.message);
    tenon_doc_free(docs[0]);
    tenon_doc_free(docs[1]);
    tenon_doc_free(doc);
    return scene;
}

// A file without clips, or without a clip, is compared at the times that it has.
static void leave_out_clips(truth *t, const crane *c, const sample *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->moment_count; i++) {
        const char *name = t->moments[i].clip;
        bool is_there = !name[0] || clip_named(c->scene, name) != TENON_NONE;
        bool is_news = kept == 0 || strcmp(t->moments[kept - 1].clip, name) != 0;
        if (!is_there && !s->is_still && is_news && t->moments[i].seconds == 0)
            complain(c->file, "there is no clip '%s' among %u clips", name,
                     c->scene->animation_count);
        if (is_there)
            t->moments[kept++] = t->moments[i];
        else
            free(t->moments[i].corners);
    }
    t->moment_count = kept;
}

static void check_crane(truth *t, crane *c, const sample *s)
{
    gather_triangles(c);
    pose_crane(c, TENON_NONE, 0);
    pairing p = pair(t, c, &guesses[0], false);
    check_rest(t, c, &p);
    leave_out_clips(t, c, s);
    if (s->is_rigid) {
        check_normals(t, c, &t->moments[0]);
        check_joints(t, c);
        printf("  %s: corners are compared at rest, joints at all times\n", c->file);
    } else {
        check_corners(t, c, &p);
    }
    check_letter(t, c, &p);
    free_pairing(&p);
}

static void check_sample(const sample *s)
{
    truth t;
    tenon_error err;
    crane c = {.file = s->file, .scene = make_scene(s)};
    if (!c.scene) return;
    if (!tenon_scene_check(c.scene, &err)) complain(s->file, "%s: %s", err.path, err.message);
    c.pose = tenon_pose_new(c.scene, NULL, &err);
    if (!c.pose) abort();
    if (load_truth(&t))
        check_crane(&t, &c, s);
    else
        complain("samples/truth.json", "is not as it should be");
    free_truth(&t);
    tenon_pose_free(c.pose);
    tenon_scene_free(c.scene);
    free(c.triangles);
    free(c.corners);
    free(c.normals);
}

TEST(every_corner_is_in_its_place_at_all_times)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) check_sample(&samples[i]);
}

int main(void)
{
    RUN(every_corner_is_in_its_place_at_all_times);
    TEST_END();
}
