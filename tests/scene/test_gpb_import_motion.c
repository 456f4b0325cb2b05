// test_gpb_import_motion.c: the import of animations of gameplay bundles, and of damaged ones.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../scratch.h"
#include "gpb_import_help.h"
#include "hand_scene.h"

// -- Bundles with animations that the test makes

static tenon_gpb_animations *animations_of(tenon_gpb *doc)
{
    return &gpb_block(doc, TENON_GPB_ANIMATIONS)->body.animations;
}

typedef struct motion {
    const char *target;
    uint32_t attribute;
    uint32_t key_count;
    const uint32_t *times;
    const float *values;
    uint32_t value_count;
    const float *tangents_in, *tangents_out;
    uint32_t tangent_count;
    const uint32_t *interpolations;
    uint32_t interpolation_count;
} motion;

static void set_channel(tenon_gpb *doc, tenon_gpb_channel *c, const motion *m)
{
    c->target_id = hand_text(m->target);
    c->target_attribute = m->attribute;
    own_span(doc, &c->key_times, m->times, m->key_count);
    own_span(doc, &c->values, m->values, m->value_count);
    own_span(doc, &c->tangents_in, m->tangents_in, m->tangent_count);
    own_span(doc, &c->tangents_out, m->tangents_out, m->tangent_count);
    if (m->interpolation_count)
        own_span(doc, &c->interpolations, m->interpolations, m->interpolation_count);
}

// The arm with one animation, "wave", of these channels.
static tenon_gpb *arm_with(const motion *motions, uint32_t count)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_animations *all = animations_of(doc);
    tenon_gpb_channel *channels = tenon_doc_alloc(&doc->base, count * sizeof *channels);
    if (!channels) abort();
    for (uint32_t i = 0; i < count; i++) {
        channels[i] = all->animations[0].channels[0];
        set_channel(doc, &channels[i], &motions[i]);
    }
    all->animation_count = 1;
    all->animations[0].channels = channels;
    all->animations[0].channel_count = count;
    return doc;
}

// The local x, y or z of a node at a time of a clip.
static double place_at(const tenon_scene *s, uint32_t clip, double seconds, const char *node,
                       int axis)
{
    tenon_error err;
    tenon_pose *pose = tenon_pose_new(s, NULL, &err);
    if (!pose) abort();
    tenon_pose_set(pose, clip, seconds);
    double place = tenon_pose_global(pose, node_named(s, node))[12 + axis];
    tenon_pose_free(pose);
    return place;
}

static bool holds(const tenon_channel *c, uint32_t first, const double *want, uint32_t count)
{
    for (uint32_t i = 0; c && i < count; i++)
        if (!close_to(c->values[first + i], want[i], 1e-6)) return false;
    return c != NULL;
}

// -- Attributes

static const uint32_t second[2] = {0, 1000};

TEST(every_attribute_moves_its_property)
{
    static const float n[20] = {2, 3, 4, 0, 0, 1, 0, 5, 6, 7, 8, 9, 1, 0, 1, 0, 0, 2, 3, 4};
    static const struct {
        uint32_t attribute, size;
        int scale, turn, move;  // Their positions in a key.
    } all[] = {{1, 3, 0, -1, -1}, {8, 4, -1, 0, -1}, {9, 3, -1, -1, 0}, {16, 7, -1, 0, 4},
               {17, 10, 0, 3, 7}, {18, 6, 0, -1, 3}, {19, 7, 0, 3, -1}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tenon_gpb *doc = arm_with(&(motion){.target = "hand",
                                            .attribute = all[i].attribute,
                                            .key_count = 2,
                                            .times = second,
                                            .values = n,
                                            .value_count = 2 * all[i].size},
                                  1);
        tenon_scene *s = scene_of(doc, NULL, NULL);
        const tenon_channel *scale = channel_of(s, 0, "hand", TENON_SCALE);
        const tenon_channel *turn = channel_of(s, 0, "hand", TENON_ROTATION);
        const tenon_channel *move = channel_of(s, 0, "hand", TENON_TRANSLATION);
        CHECK((scale != NULL) == (all[i].scale >= 0) && (turn != NULL) == (all[i].turn >= 0));
        CHECK((move != NULL) == (all[i].move >= 0));
        for (uint32_t k = 0; k < 2; k++) {
            const float *key = n + k * all[i].size;
            for (int axis = 0; scale && axis < 3; axis++)
                CHECK(scale->values[3 * k + (uint32_t)axis] == key[all[i].scale + axis]);
            for (int axis = 0; move && axis < 3; axis++)
                CHECK(move->values[3 * k + (uint32_t)axis] == key[all[i].move + axis]);
            double square = 0;
            for (int part = 0; turn && part < 4; part++)
                square += pow((double)key[all[i].turn + part], 2);
            for (int part = 0; turn && part < 4; part++)
                CHECK(close_to(turn->values[4 * k + (uint32_t)part],
                               key[all[i].turn + part] / sqrt(square), 1e-6));
        }
        done(s, doc);
    }
}

TEST(one_axis_alone_leaves_the_others_at_rest)
{
    static const float n[2] = {2, 4};
    for (uint32_t axis = 0; axis < 3; axis++) {
        tenon_gpb *doc =
            arm_with((motion[]){{"hand", 2 + axis, 2, second, n, 2, NULL, NULL, 0, NULL, 0},
                                {"hand", 10 + axis, 2, second, n, 2, NULL, NULL, 0, NULL, 0}},
                     2);
        tenon_scene *s = scene_of(doc, NULL, NULL);
        double scales[6] = {1, 1, 1, 1, 1, 1}, places[6] = {0, 1, 0, 0, 1, 0};
        scales[axis] = places[axis] = 2;
        scales[3 + axis] = places[3 + axis] = 4;
        CHECK(holds(channel_of(s, 0, "hand", TENON_SCALE), 0, scales, 6));
        CHECK(holds(channel_of(s, 0, "hand", TENON_TRANSLATION), 0, places, 6));
        CHECK(s->animations[0].channel_count == 2);
        done(s, doc);
    }
}

TEST(a_mirrored_node_is_decomposed_as_the_engine_does)
{
    // Mirrored along Z, sheared, and moved to 5, 6, 7; then only X and the rotation move.
    static const float sheared[16] = {2, 0, 0, 0, 0.5f, 2, 0, 0, 0, 0, -3, 0, 5, 6, 7, 1};
    static const float x[2] = {0, 10}, turns[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    losses lost = {0};
    tenon_gpb *doc = arm_with((motion[]){{"hand", 10, 2, second, x, 2, NULL, NULL, 0, NULL, 0},
                                         {"hand", 8, 2, second, turns, 8, NULL, NULL, 0, NULL, 0}},
                              2);
    memcpy(gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[1].children[0].transform, sheared,
           sizeof sheared);
    tenon_scene *s = scene_of(doc, NULL, &lost);
    const tenon_node *node = &s->nodes[node_named(s, "hand")];
    CHECK(!node->has_matrix && node->scale[0] > 0 && close_to(node->scale[2], -3, 1e-6));
    CHECK(lost_count(&lost, "shear") == 1);
    CHECK_STR(lost_path(&lost, "shear"), "blocks[1].scene.nodes[1].children[0].transform");
    CHECK(holds(channel_of(s, 0, "hand", TENON_TRANSLATION), 0, (double[]){0, 6, 7, 10, 6, 7}, 6));
    done(s, doc);
}

TEST(axes_with_separate_keys_are_merged)
{
    static const uint32_t later[2] = {500, 1500};
    static const float x[2] = {0, 10}, z[2] = {0, 1};
    tenon_gpb *doc = arm_with((motion[]){{"hand", 10, 2, second, x, 2, NULL, NULL, 0, NULL, 0},
                                         {"hand", 12, 2, later, z, 2, NULL, NULL, 0, NULL, 0}},
                              2);
    tenon_scene *s = scene_of(doc, NULL, NULL);
    const tenon_channel *c = channel_of(s, 0, "hand", TENON_TRANSLATION);
    const double want[12] = {0, 1, 0, 5, 1, 0, 10, 1, 0.5, 10, 1, 1};
    CHECK(s->animations[0].channel_count == 1 && c && c->key_count == 4);
    CHECK(c && c->times[1] == 0.5f && c->times[3] == 1.5f && c->curve == TENON_LINEAR);
    CHECK(holds(c, 0, want, 12));
    done(s, doc);
}

TEST(what_moves_nothing_is_reported)
{
    static const float n[20] = {0};
    losses lost = {0};
    tenon_gpb *doc = arm_with((motion[]){{"hand", 0, 2, second, n, 2, NULL, NULL, 0, NULL, 0},
                                         {"hand", 5, 2, second, n, 4, NULL, NULL, 0, NULL, 0},
                                         {"claw", 9, 2, second, n, 6, NULL, NULL, 0, NULL, 0},
                                         {"hand", 9, 2, second, n, 2, NULL, NULL, 0, NULL, 0},
                                         {"arm", 9, 2, second, n, 4, NULL, NULL, 0, NULL, 0}},
                              5);
    tenon_scene *s = scene_of(doc, NULL, &lost);
    CHECK(s->animation_count == 1 && s->animations[0].channel_count == 1);
    CHECK(s->animations[0].channels[0].key_count == 1);
    CHECK(lost_total(&lost, "channels") == 3 && lost_count(&lost, "keys") == 2);
    CHECK_STR(lost_path(&lost, "keys"), "blocks[2].animations.animations[0].channels[3]");
    done(s, doc);
}

TEST(keys_that_go_back_in_time_are_dropped)
{
    static const uint32_t times[5] = {0, 500, 500, 250, 1000};
    static const float n[5] = {0, 1, 9, 9, 2};
    losses lost = {0};
    tenon_gpb *doc = arm_with(&(motion){"hand", 10, 5, times, n, 5, NULL, NULL, 0, NULL, 0}, 1);
    tenon_scene *s = scene_of(doc, NULL, &lost);
    const tenon_channel *c = channel_of(s, 0, "hand", TENON_TRANSLATION);
    CHECK(c && c->key_count == 3 && c->values[3] == 1 && c->values[6] == 2);
    CHECK(lost_total(&lost, "keys") == 2);
    done(s, doc);
}

// -- Ways between keys

// The x of the hand under one interpolation at a time.
static tenon_scene *curved(const motion *m, tenon_gpb **doc, losses *lost)
{
    *doc = arm_with(m, 1);
    return scene_of(*doc, NULL, lost);
}

TEST(steps_and_hermite_are_imported_exactly)
{
    static const uint32_t step = 6, hermite = 4, times[2] = {0, 2000};
    static const float n[2] = {0, 8}, out[2] = {3, 0}, in[2] = {0, -3};
    tenon_gpb *doc;
    tenon_scene *s =
        curved(&(motion){"hand", 10, 2, times, n, 2, NULL, NULL, 0, &step, 1}, &doc, NULL);
    CHECK(channel_of(s, 0, "hand", TENON_TRANSLATION)->curve == TENON_STEP);
    CHECK(place_at(s, 0, 1.999, "hand", 0) == 0 && place_at(s, 0, 2, "hand", 0) == 8);
    done(s, doc);
    s = curved(&(motion){"hand", 10, 2, times, n, 2, in, out, 2, &hermite, 1}, &doc, NULL);
    const tenon_channel *c = channel_of(s, 0, "hand", TENON_TRANSLATION);
    // Tangents are for the whole interval, which takes two seconds.
    const double first[9] = {0, 0, 0, 0, 1, 0, 1.5, 0, 0};
    const double last[9] = {-1.5, 0, 0, 8, 1, 0, 0, 0, 0};
    CHECK(c->curve == TENON_CUBIC && c->key_count == 2 && holds(c, 0, first, 9));
    CHECK(holds(c, 9, last, 9));
    CHECK(close_to(place_at(s, 0, 1, "hand", 0), 4 + 0.375 + 0.375, 1e-6));
    done(s, doc);
}

// Bézier handles, and the same ones as Hermite tangents: three times as long, from the key on.
TEST(handles_at_thirds_of_the_time_are_a_polynomial)
{
    static const uint32_t kinds[2] = {2, 4}, times[2] = {0, 3000};
    static const float n[2] = {0, 6}, out[2][4] = {{1, 3, 0, 0}, {3, 9, 0, 0}};
    static const float in[2][4] = {{0, 0, 2, 3}, {0, 0, 3, 9}};
    for (int i = 0; i < 2; i++) {
        tenon_gpb *doc;
        motion m = {"hand", 10, 2, times, n, 2, in[i], out[i], 4, &kinds[i], 1};
        tenon_scene *s = curved(&m, &doc, NULL);
        CHECK(channel_of(s, 0, "hand", TENON_TRANSLATION)->curve == TENON_CUBIC);
        CHECK(close_to(place_at(s, 0, 1.5, "hand", 0), (0 + 3 * 3 + 3 * 3 + 6) / 8.0, 1e-6));
        CHECK(close_to(place_at(s, 0, 1, "hand", 0), (3 * 4 * 3 + 3 * 2 * 3 + 6) / 27.0, 1e-6));
        done(s, doc);
    }
}

TEST(handles_elsewhere_are_sampled_and_the_error_is_reported)
{
    static const uint32_t bezier = 2;
    static const float n[2] = {0, 1}, out[4] = {0, 1, 0, 0}, in[4] = {0, 0, 0, 1};
    losses lost = {0};
    tenon_gpb *doc;
    tenon_scene *s =
        curved(&(motion){"hand", 10, 2, second, n, 2, in, out, 4, &bezier, 1}, &doc, &lost);
    const tenon_channel *c = channel_of(s, 0, "hand", TENON_TRANSLATION);
    // Time is s³ and the value 1 - (1 - s)³: at an eighth of a second s is a half.
    CHECK(c->curve == TENON_LINEAR && c->key_count == 17);
    CHECK(close_to(place_at(s, 0, 0.125, "hand", 0), 0.875, 1e-6));
    CHECK(lost_count(&lost, "channels") == 1);
    // Worst half way to the first sample: s³ = 1/32, where a line has half of its value.
    double at = 1 - pow(1 - cbrt(1 / 32.0), 3), line = (1 - pow(1 - cbrt(1 / 16.0), 3)) / 2;
    const char *number = strrchr(lost_why(&lost, "channels"), ' ');
    CHECK(number && close_to(strtod(number, NULL), at - line, 1e-6));
    done(s, doc);
}

TEST(curves_through_neighbors_are_polynomials)
{
    static const uint32_t cardinal = 3, bspline = 5, times[3] = {0, 1000, 2000};
    static const float n[3] = {0, 1, 4}, peak[3] = {0, 6, 0};
    tenon_gpb *doc;
    tenon_scene *s =
        curved(&(motion){"hand", 10, 3, times, n, 3, NULL, NULL, 0, &cardinal, 1}, &doc, NULL);
    CHECK(channel_of(s, 0, "hand", TENON_TRANSLATION)->curve == TENON_CUBIC);
    // Half of 0 and 1, and an eighth of their slopes: 1 and 2.
    CHECK(close_to(place_at(s, 0, 0.5, "hand", 0), 0.5 + (1 - 2) / 8.0, 1e-6));
    CHECK(place_at(s, 0, 1, "hand", 0) == 1);
    done(s, doc);
    s = curved(&(motion){"hand", 10, 3, times, peak, 3, NULL, NULL, 0, &bspline, 1}, &doc, NULL);
    CHECK(close_to(place_at(s, 0, 1, "hand", 0), (0 + 4 * 6 + 0) / 6.0, 1e-6));
    CHECK(close_to(place_at(s, 0, 2, "hand", 0), 0, 1e-6));
    done(s, doc);
}

TEST(steps_among_lines_stay_steps)
{
    static const uint32_t how[3] = {6, 1, 1}, times[3] = {0, 1000, 2000};
    static const float n[3] = {0, 10, 20};
    tenon_gpb *doc;
    tenon_scene *s =
        curved(&(motion){"hand", 10, 3, times, n, 3, NULL, NULL, 0, how, 3}, &doc, NULL);
    CHECK(place_at(s, 0, 0.9999, "hand", 0) == 0 && place_at(s, 0, 1, "hand", 0) == 10);
    CHECK(close_to(place_at(s, 0, 1.5, "hand", 0), 15, 1e-6));
    done(s, doc);
}

TEST(curves_without_tangents_are_lines)
{
    static const uint32_t bezier = 2;
    static const float n[2] = {0, 8}, odd[3] = {1, 2, 3};
    tenon_gpb *doc;
    tenon_scene *s =
        curved(&(motion){"hand", 10, 2, second, n, 2, odd, odd, 3, &bezier, 1}, &doc, NULL);
    CHECK(channel_of(s, 0, "hand", TENON_TRANSLATION)->curve == TENON_LINEAR);
    CHECK(place_at(s, 0, 0.5, "hand", 0) == 4);
    done(s, doc);
}

TEST(rotations_along_curves_keep_their_length)
{
    static const uint32_t how[3] = {1, 4, 1}, times[3] = {0, 1000, 2000};
    static const float n[12] = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1}, flat[12] = {0};
    losses lost = {0};
    tenon_gpb *doc;
    tenon_scene *s =
        curved(&(motion){"hand", 8, 3, times, n, 12, flat, flat, 12, how, 3}, &doc, &lost);
    const tenon_channel *c = channel_of(s, 0, "hand", TENON_ROTATION);
    // A line, then sixteen pieces of a curve.
    CHECK(c->curve == TENON_LINEAR && c->key_count == 18 && lost_count(&lost, "channels") == 1);
    CHECK(close_to(c->values[4 * 9 + 1], sqrt(0.5), 1e-6));
    done(s, doc);
}

// -- Clips

// Animations of one channel each, that move the x or y of a node from 0 to 1.
typedef struct small {
    const char *id, *target;
    uint32_t attribute, start, end;
} small;

static tenon_scene *scene_losing(const small *from, uint32_t count, tenon_gpb **out, losses *lost)
{
    static const float n[2] = {0, 1};
    tenon_gpb *doc = *out = gpb_open_copy(GPB_SCENE);
    tenon_gpb_animations *all = animations_of(doc);
    tenon_gpb_channel model = all->animations[0].channels[0];
    all->animations = tenon_doc_alloc(&doc->base, count * sizeof *all->animations);
    if (!all->animations) abort();
    all->animation_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t times[2] = {from[i].start, from[i].end};
        tenon_gpb_channel *c = tenon_doc_alloc(&doc->base, sizeof *c);
        uint32_t keys = times[0] == times[1] ? 1 : 2;
        if (!c) abort();
        *c = model;
        set_channel(doc, c,
                    &(motion){from[i].target, from[i].attribute, keys, times, n, keys, NULL, NULL,
                              0, NULL, 0});
        all->animations[i] =
            (tenon_gpb_animation){.id = hand_text(from[i].id), .channel_count = 1, .channels = c};
    }
    return scene_of(doc, NULL, lost);
}

static tenon_scene *scene_with(const small *from, uint32_t count, tenon_gpb **out)
{
    return scene_losing(from, count, out, NULL);
}

TEST(animations_of_one_time_are_one_clip)
{
    tenon_gpb *doc;
    const small bones[] = {{"arm", "arm", 10, 0, 500},
                           {"hand", "hand", 10, 0, 500},
                           {"hand", "hand", 11, 0, 500},
                           {"eye", "eye", 10, 250, 500},
                           {"eye.matrix", "eye", 11, 100, 100}};
    tenon_scene *s = scene_with(bones, 5, &doc);
    CHECK(s->animation_count == 2 && text_is(s->animations[0].name, "animations"));
    CHECK(s->animations[0].channel_count == 3 && text_is(s->animations[1].name, "eye"));
    // A node that does not move, named like its animation, belongs to the rest pose.
    CHECK(channel_of(s, 0, "eye", TENON_TRANSLATION)->values[1] == 0);
    CHECK_STR(joined_animations(doc),
              "5 of 5 have the name of the node that they move: a conversion merges those of equal "
              "length into one clip");
    done(s, doc);
}

TEST(animations_of_one_name_are_one_clip)
{
    tenon_gpb *doc;
    const small takes[] = {{"Take 001", "arm", 10, 0, 500},
                           {"Take 001", "hand", 10, 100, 900},
                           {"Take 001", "arm", 10, 0, 700},
                           {"Take 001", "hand", 10, 0, 600},
                           {"pose", "eye", 10, 0, 0}};
    tenon_scene *s = scene_with(takes, 5, &doc);
    CHECK(s->animation_count == 3 && text_is(s->animations[0].name, "Take 001"));
    CHECK(text_is(s->animations[1].name, "Take 001 2") && text_is(s->animations[2].name, "pose"));
    CHECK(s->animations[0].duration == (double)0.9f && s->animations[1].duration == (double)0.7f);
    CHECK(s->animations[0].channel_count == 2 && s->animations[1].channel_count == 2);
    done(s, doc);
}

TEST(animations_of_the_same_nodes_are_separate_clips)
{
    tenon_gpb *doc;
    const small clips[] = {
        {"walk", "arm", 10, 0, 500}, {"run", "arm", 10, 0, 500}, {"run", "hand", 10, 0, 500}};
    tenon_scene *s = scene_with(clips, 3, &doc);
    CHECK(s->animation_count == 2 && text_is(s->animations[0].name, "walk"));
    CHECK(text_is(s->animations[1].name, "run") && s->animations[1].channel_count == 2);
    done(s, doc);
}

// They move different things, and have chosen names.
TEST(chosen_names_of_one_time_are_two_clips)
{
    tenon_gpb *doc;
    losses lost = {0};
    const small clips[] = {{"open", "arm", 10, 0, 500},
                           {"close", "hand", 10, 0, 500},
                           {"eye", "eye", 10, 0, 500},
                           {"arm", "arm", 11, 0, 500}};
    tenon_scene *s = scene_losing(clips, 4, &doc, &lost);
    // Any other animation of that length could belong to either.
    CHECK(s->animation_count == 3 && text_is(s->animations[0].name, "open"));
    CHECK(text_is(s->animations[1].name, "close") && s->animations[1].channel_count == 1);
    CHECK(text_is(s->animations[2].name, "animations") && s->animations[2].channel_count == 2);
    CHECK(lost_count(&lost, "names of animations") == 2);
    CHECK_STR(lost_why(&lost, "names of animations"),
              "animations of equal length that move different nodes were merged into one clip: "
              "'eye', 'arm'");
    CHECK(strncmp(joined_animations(doc), "2 of 4 ", 7) == 0);
    done(s, doc);
}

TEST(the_chosen_name_is_that_of_the_whole)
{
    tenon_gpb *doc;
    losses lost = {0};
    const small clips[] = {{"arm", "arm", 10, 0, 500},   {"", "arm", 11, 0, 500},
                           {"wave", "hand", 10, 0, 500}, {"animations", "eye", 10, 0, 500},
                           {"wink", "eye", 11, 0, 501},  {"wave", "eye", 12, 1, 500}};
    tenon_scene *s = scene_losing(clips, 6, &doc, &lost);
    CHECK(s->animation_count == 2 && text_is(s->animations[1].name, "wink"));
    CHECK(text_is(s->animations[0].name, "wave") && s->animations[0].channel_count == 3);
    CHECK(lost_count(&lost, "names of animations") == 2);
    CHECK_STR(lost_path(&lost, "names of animations"), "blocks[2].animations.animations[0]");
    CHECK_STR(lost_why(&lost, "names of animations"),
              "animations of equal length that move different nodes were merged into one clip: "
              "'arm', 'animations'");
    CHECK_STR(joined_animations(doc), "");  // Only one is.
    done(s, doc);
}

// As many as fit.
TEST(names_that_are_lost_are_listed)
{
    enum { COUNT = 12 };
    static char names[COUNT][64];
    static const char *const nodes[] = {"arm", "hand", "eye"};
    small clips[COUNT];
    tenon_gpb *doc;
    losses lost = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *node = nodes[i / 4];
        static const uint32_t attributes[] = {2, 3, 10, 11};
        snprintf(names[i], sizeof names[i], "%s.%055u", node, (unsigned)i);
        clips[i] = (small){names[i], node, attributes[i % 4], 0, 500};
    }
    tenon_scene *s = scene_losing(clips, COUNT, &doc, &lost);
    CHECK(s->animation_count == 1 && text_is(s->animations[0].name, "animations"));
    CHECK(lost_count(&lost, "names of animations") == COUNT);
    const char *why = lost_why(&lost, "names of animations"), *end = strrchr(why, ',');
    CHECK(end && strncmp(end, ", 'hand.0", 9) == 0);
    CHECK(end && strstr(end, "6' and 5 more") != NULL);
    done(s, doc);
}

TEST(takes_of_one_animation_are_clips)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    tenon_scene *s = scene_of(doc, NULL, NULL);
    CHECK(s->animation_count == 2 && text_is(s->animations[1].name, "Take 001 2"));
    const tenon_channel *first = channel_of(s, 0, "sun", TENON_TRANSLATION);
    const tenon_channel *last = channel_of(s, 1, "sun", TENON_TRANSLATION);
    CHECK(first && first->key_count == 2 && first->values[5] == 1);
    CHECK(last && last->key_count == 3 && last->values[8] == 0.5f && last->times[2] == 0.08f);
    done(s, doc);
}

#define CLIPS                                                                  \
    "animation wave\n{\n frameCount = 10\n"                                    \
    " clip half\n {\n  begin = 2\n  end = 5\n  repeatCount = INDEFINITE\n }\n" \
    " clip back\n {\n  begin = 2\n  end = 5\n  speed = -2.0\n }\n"             \
    " clip bad\n {\n  begin = 5\n  end = 50\n }\n}\n"                          \
    "animation other\n{\n clip bad\n {\n  begin = 0\n  end = 1\n }\n}\n"

TEST(a_sidecar_cuts_animations_into_clips)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    scratch_save("arm.animation", CLIPS, sizeof CLIPS - 1);
    tenon_scene *s = scene_of(doc, scratch("arm.gpb"), &lost);
    remove(scratch("arm.animation"));
    CHECK(s->animation_count == 4 && lost_count(&lost, "clips") == 2);
    CHECK_STR(lost_path(&lost, "clips"), "line 16 of the .animation file");
    uint32_t half = clip_named(s, "half"), back = clip_named(s, "back");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_ANIMATION, half, "repeat_count"), "INDEFINITE");
    const tenon_channel *turn = channel_of(s, half, "hand", TENON_ROTATION);
    const tenon_channel *again = channel_of(s, back, "hand", TENON_ROTATION);
    // A quarter turn in half a second: after a fifth of a second it is 36 degrees.
    double some = 18 * 3.14159265358979 / 180;
    CHECK(turn && turn->key_count == 2 && turn->times[0] == 0 &&
          close_to(turn->times[1], 0.3, 1e-7));
    CHECK(holds(turn, 0, (double[]){0, sin(some), 0, cos(some), 0, sqrt(0.5), 0, sqrt(0.5)}, 8));
    CHECK(again && again->times[0] == 0 && close_to(again->times[1], 0.15, 1e-7));
    CHECK(holds(again, 0, (double[]){0, sqrt(0.5), 0, sqrt(0.5), 0, sin(some), 0, cos(some)}, 8));
    CHECK(close_to(s->animations[back].duration, 0.15, 1e-7));
    // The arm has a key within, at a quarter of a second.
    CHECK(channel_of(s, half, "arm", TENON_SCALE)->key_count == 3);
    CHECK(close_to(channel_of(s, half, "arm", TENON_SCALE)->times[1], 0.05, 1e-7));
    done(s, doc);
}

// Half a second of a curve and of steps: at its own speed, three times as fast backwards, and with
// an invalid speed.
#define CURVE_CLIPS                                                   \
    "animation wave\n{\n frameCount = 1000\n"                         \
    " clip part\n {\n  begin = 300\n  end = 800\n }\n"                \
    " clip back\n {\n  begin = 300\n  end = 800\n  speed = -3\n }\n"  \
    " clip zero\n {\n  begin = 300\n  end = 800\n  speed = 0.0\n }\n" \
    " clip none\n {\n  begin = 800\n  end = 300\n }\n}\n"

// At each time, a clip has the pose of the whole animation at that time.
static void check_part(const tenon_scene *s, const char *name, double begin, double speed)
{
    static const double times[] = {0.01, 0.055, 0.11, 0.125, 0.15};
    uint32_t clip = clip_named(s, name);
    CHECK(clip != TENON_NONE && close_to(s->animations[clip].duration, 0.5 / fabs(speed), 1e-6));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        double whole = begin + speed * times[i];
        CHECK(
            close_to(place_at(s, clip, times[i], "arm", 0), place_at(s, 0, whole, "arm", 0), 1e-5));
        CHECK(close_to(place_at(s, clip, times[i], "hand", 1), place_at(s, 0, whole, "hand", 1),
                       1e-5));
    }
}

TEST(parts_of_curves_and_steps_move_as_the_whole_does)
{
    static const uint32_t times[] = {0, 400, 1000}, hermite[] = {4}, step[] = {6};
    static const float values[] = {0, 0, 0, 4, 0, 0, 1, 0, 0}, more[] = {0, 1, 0, 0, 5, 0, 0, 2, 0};
    static const float in[9] = {1, 0, 0, -3, 0, 0, 2}, out[9] = {2, 0, 0, 5, 0, 0, 1};
    losses lost = {0};
    const motion motions[] = {{"arm", 9, 3, times, values, 9, in, out, 9, hermite, 1},
                              {"hand", 9, 3, times, more, 9, NULL, NULL, 0, step, 1}};
    tenon_gpb *doc = arm_with(motions, 2);
    scratch_save("arm.animation", CURVE_CLIPS, sizeof CURVE_CLIPS - 1);
    tenon_scene *s = scene_of(doc, scratch("arm.gpb"), &lost);
    remove(scratch("arm.animation"));
    CHECK(channel_of(s, 0, "arm", TENON_TRANSLATION)->curve == TENON_CUBIC);
    CHECK(channel_of(s, 0, "hand", TENON_TRANSLATION)->curve == TENON_STEP);
    check_part(s, "part", 0.3, 1);
    check_part(s, "back", 0.8, -3);
    check_part(s, "zero", 0.3, 1);
    CHECK(clip_named(s, "none") == TENON_NONE && lost_count(&lost, "clips") == 1);
    done(s, doc);
}

// -- What no bundle may break

// What is accepted becomes a valid scene that can be posed, or an error.
static void try_scene(const tenon_doc *doc)
{
    tenon_error err;
    tenon_scene *s = tenon_to_scene(doc, NULL, &err);
    if (!s) {
        CHECK(err.code == TENON_ERR_UNSUPPORTED || err.code == TENON_ERR_LIMIT);
        return;
    }
    bool is_good = tenon_scene_check(s, &err);
    if (!is_good) fprintf(stderr, "%s: %s\n", err.path, err.message);
    CHECK(is_good);
    tenon_pose *pose = tenon_pose_new(s, NULL, &err);
    double min[3], max[3];
    for (uint32_t i = 0; pose && i <= s->animation_count; i++) {
        tenon_pose_set(pose, i, 0.1);
        (void)tenon_pose_bounds(pose, min, max);
    }
    tenon_pose_free(pose);
    tenon_scene_free(s);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void damage(const char *path, uint32_t rounds)
{
    static const uint32_t words[] = {0,          1,          2,          3,          0xffffffff,
                                     0x7fc00000, 0x7f800000, 0x80000000, 0x3f800000, 17};
    blob file = blob_load(path);
    uint32_t state = 7, taken = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        uint8_t *copy = malloc(file.size);
        if (!copy) abort();
        memcpy(copy, file.data, file.size);
        for (uint32_t k = next_random(&state) % 4; k < 4; k++) {
            size_t at = next_random(&state) % (file.size - 4);
            uint32_t word = words[next_random(&state) % 10];
            memcpy(copy + at, &word, next_random(&state) % 2 ? 4 : 1);
        }
        tenon_error err;
        tenon_doc *doc = tenon_read(copy, file.size, NULL, &err);
        if (doc && tenon_as_gpb(doc)) try_scene(doc);
        taken += doc != NULL;
        tenon_doc_free(doc);
        free(copy);
    }
    CHECK(taken > rounds / 20);
    blob_free(&file);
}

TEST(damaged_bundles_do_no_harm)
{
    damage(GPB_SCENE, 4000);
    damage(GPB_FOLDER "1_5_branches.gpb", 4000);
    damage(GPB_FOLDER "document_scene.gpb", 2000);
    damage(GPB_FOLDER "1_0_bare_float_root_attenuation_scene.gpb", 2000);
    damage("samples/crane.gpb", 400);
}

TEST(running_out_of_memory_anywhere_is_an_error)
{
    tenon_gpb *doc = gpb_open_copy("samples/crane.gpb");
    hand_memory memory = {0};
    tenon_scene_opts opts = {.allocator = hand_allocator(&memory),
                             .model_path = "samples/crane.gpb"};
    tenon_error err;
    tenon_scene_free(tenon_to_scene(&doc->base, &opts, &err));
    uint64_t calls = memory.calls;
    CHECK(calls > 0 && memory.live == 0);
    for (uint64_t i = 1; i <= calls; i++) {
        memory = (hand_memory){.refused = i};
        tenon_scene *s = tenon_to_scene(&doc->base, &opts, &err);
        CHECK(s == NULL && err.code == TENON_ERR_MEMORY);
        tenon_scene_free(s);
        CHECK(memory.live == 0);
    }
    opts.max_memory = 20000;
    memory = (hand_memory){0};
    CHECK(tenon_to_scene(&doc->base, &opts, &err) == NULL && err.code == TENON_ERR_LIMIT);
    CHECK(memory.live == 0);
    tenon_doc_free(&doc->base);
}

int main(void)
{
    scratch_begin();
    RUN(every_attribute_moves_its_property);
    RUN(one_axis_alone_leaves_the_others_at_rest);
    RUN(a_mirrored_node_is_decomposed_as_the_engine_does);
    RUN(axes_with_separate_keys_are_merged);
    RUN(what_moves_nothing_is_reported);
    RUN(keys_that_go_back_in_time_are_dropped);
    RUN(steps_and_hermite_are_imported_exactly);
    RUN(handles_at_thirds_of_the_time_are_a_polynomial);
    RUN(handles_elsewhere_are_sampled_and_the_error_is_reported);
    RUN(curves_through_neighbors_are_polynomials);
    RUN(steps_among_lines_stay_steps);
    RUN(curves_without_tangents_are_lines);
    RUN(rotations_along_curves_keep_their_length);
    RUN(animations_of_one_time_are_one_clip);
    RUN(animations_of_one_name_are_one_clip);
    RUN(animations_of_the_same_nodes_are_separate_clips);
    RUN(chosen_names_of_one_time_are_two_clips);
    RUN(the_chosen_name_is_that_of_the_whole);
    RUN(names_that_are_lost_are_listed);
    RUN(takes_of_one_animation_are_clips);
    RUN(a_sidecar_cuts_animations_into_clips);
    RUN(parts_of_curves_and_steps_move_as_the_whole_does);
    RUN(damaged_bundles_do_no_harm);
    RUN(running_out_of_memory_anywhere_is_an_error);
    scratch_end();
    TEST_END();
}
