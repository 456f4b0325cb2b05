// test_render_distance.c: scenes that show how far two others are apart.
// SPDX-License-Identifier: MIT

#include "render_help.h"

#include <math.h>

static const double white[4] = {1, 1, 1, 1};

// A square of two triangles at a height, which a clip raises by 2.
static tenon_scene *square_at(float z)
{
    static const float corners[6][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 0}, {4, 4}, {0, 4}};
    float positions[18];
    for (int i = 0; i < 6; i++) {
        positions[3 * i] = corners[i][0];
        positions[3 * i + 1] = corners[i][1];
        positions[3 * i + 2] = z;
    }
    tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
    add_primitive(scene, TENON_TRIANGLES, positions, 6, 0);
    uint32_t clip = tenon_scene_add_animation(scene, "raise");
    tenon_channel *c = tenon_scene_add_channel(scene, clip, 0, TENON_TRANSLATION, TENON_LINEAR, 2);
    if (!c) abort();
    c->times[1] = 1;
    c->values[5] = 2;
    if (!tenon_scene_finish(scene, NULL, &render_err)) abort();
    return scene;
}

TEST(distances_are_measured_and_colored)
{
    tenon_scene *a = square_at(0), *b = square_at(0.5f);
    double largest = -1;
    tenon_scene *shown = tenon_distance_scene(a, b, NULL, &largest, &render_err);
    CHECK(shown && largest == 0.5);
    CHECK(shown && shown->mesh_count == 2 && tenon_scene_check(shown, NULL));
    // All vertices are equally far: the last color.
    const tenon_primitive *p = shown ? shown->meshes[0].primitives : NULL;
    CHECK(p && p->index_count == 6 && p->colors[0][0] < 0.2f && p->colors[0][1] < 0.02f);
    tenon_scene_free(shown);
    tenon_distance_opts opts = {.most = 5};
    shown = tenon_distance_scene(a, b, &opts, NULL, &render_err);
    CHECK(shown && shown->meshes[0].primitives[0].colors[0][1] > 0.4f);
    tenon_scene_free(shown);
    // A clip brings one of them away from the other.
    opts = (tenon_distance_opts){.a_clip = "raise", .seconds = 0.5};
    shown = tenon_distance_scene(a, b, &opts, &largest, &render_err);
    CHECK(shown && largest == 0.5);
    tenon_scene_free(shown);
    opts.b_clip = "raise";
    opts.seconds = 1;
    opts.a_clip = NULL;
    shown = tenon_distance_scene(a, b, &opts, &largest, &render_err);
    CHECK(shown && largest == 2.5);
    tenon_scene_free(shown);
    tenon_scene_free(a);
    tenon_scene_free(b);
}

TEST(the_same_scenes_have_no_distance)
{
    tenon_scene *a = square_at(1), *b = square_at(1);
    double largest = -1;
    tenon_scene *shown = tenon_distance_scene(a, b, NULL, &largest, &render_err);
    CHECK(shown && largest == 0 && shown->meshes[1].primitives[0].colors[0][0] > 0.4f);
    tenon_scene_free(shown);
    tenon_scene_free(a);
    tenon_scene_free(b);
}

TEST(what_cannot_be_compared_does_no_harm)
{
    tenon_scene *a = square_at(0), *empty = begin_scene(white, TENON_OPAQUE);
    double largest = -1;
    CHECK(tenon_distance_scene(NULL, a, NULL, NULL, NULL) == NULL);
    CHECK(tenon_distance_scene(a, NULL, NULL, NULL, &render_err) == NULL);
    CHECK(render_err.code == TENON_ERR_VALUE);
    tenon_distance_opts opts = {.a_clip = "fall"};
    CHECK(tenon_distance_scene(a, a, &opts, NULL, &render_err) == NULL);
    CHECK_STR(render_err.message, "no clip is called 'fall'");
    // Nothing to be near to: all of it has the last color, and there is no largest distance.
    tenon_scene *shown = tenon_distance_scene(a, empty, NULL, &largest, &render_err);
    CHECK(shown && largest == 0 && shown->mesh_count == 1);
    CHECK(shown && shown->meshes[0].primitives[0].colors[0][1] < 0.02f);
    tenon_scene_free(shown);
    tenon_budget memory = {.memory.limit = 2000}, work = {.work.limit = 3};
    opts = (tenon_distance_opts){.allocator.budget = &memory};
    CHECK(tenon_distance_scene(a, a, &opts, NULL, &render_err) == NULL);
    CHECK(render_err.code == TENON_ERR_LIMIT && memory.memory.used == 0);
    opts.allocator.budget = &work;
    CHECK(tenon_distance_scene(a, a, &opts, NULL, &render_err) == NULL);
    CHECK(render_err.code == TENON_ERR_LIMIT);
    tenon_scene_free(a);
    tenon_scene_free(empty);
}

TEST(colors_go_from_gray_to_purple)
{
    static const struct {
        double share;
        uint8_t color[3];
    } cases[] = {{-1, {190, 194, 200}},         {0, {190, 194, 200}}, {0.25, {244, 226, 120}},
                 {0.375, {243, 188, 86}},       {1, {98, 22, 92}},    {7, {98, 22, 92}},
                 {(double)NAN, {190, 194, 200}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t color[3];
        tenon_distance_color(cases[i].share, color);
        CHECK(memcmp(color, cases[i].color, sizeof color) == 0);
    }
}

int main(void)
{
    RUN(distances_are_measured_and_colored);
    RUN(the_same_scenes_have_no_distance);
    RUN(what_cannot_be_compared_does_no_harm);
    RUN(colors_go_from_gray_to_purple);
    TEST_END();
}
