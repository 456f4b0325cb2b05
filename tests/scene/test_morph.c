// test_morph.c: morph targets in poses, after edits, and baked for formats without them.
// SPDX-License-Identifier: MIT

#include "hand_scene.h"

#include "core/memory/arena.h"
#include "scene/edit/bake_morphs.h"
#include "scene/surface/surface.h"

#include <tenon/edit.h>
#include <tenon/files.h>

static const tenon_allocator usual;

// A triangle that two targets move: "up" lifts all corners, "wide" moves the second one sideways.
// Two nodes show it; the second has weights of its own.
static tenon_scene *build_face(void)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t mesh = tenon_scene_add_mesh(scene, "face");
    tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, 3, 0, TENON_WITH_NORMALS);
    for (int i = 0; i < 3; i++) p->normals[3 * i + 2] = 1;
    p->positions[3] = p->positions[7] = 1;
    CHECK(tenon_scene_add_morph(scene, mesh, "up") == 0);
    CHECK(tenon_scene_add_morph(scene, mesh, "wide") == 1);
    tenon_morph *up = tenon_scene_add_offsets(scene, mesh, 0, 0, TENON_WITH_NORMALS);
    for (int i = 0; i < 3; i++) up->positions[3 * i + 1] = 2, up->normals[3 * i] = 1;
    tenon_scene_add_offsets(scene, mesh, 0, 1, 0)->positions[3] = 4;
    scene->meshes[mesh].morph_weights[1] = 0.5;
    for (int i = 0; i < 2; i++) {
        CHECK(tenon_scene_add_node(scene, i ? "second" : "first", TENON_NONE) == (uint32_t)i);
        scene->nodes[i].mesh = mesh;
    }
    double *weights = tenon_scene_add_weights(scene, 1);
    CHECK(weights[0] == 0 && weights[1] == 0.5);
    weights[0] = 1;
    return scene;
}

// Two seconds: "up" goes from 0 to 1, "wide" from 1 to 0.
static tenon_channel *add_clip(tenon_scene *scene, tenon_curve curve)
{
    uint32_t clip = tenon_scene_add_animation(scene, "blink");
    tenon_channel *c = tenon_scene_add_channel(scene, clip, 0, TENON_WEIGHTS, curve, 2);
    size_t row = curve == TENON_CUBIC ? 6 : 2, at = curve == TENON_CUBIC ? 2 : 0;
    c->times[1] = 2;
    c->values[at + 1] = c->values[row + at] = 1;
    return c;
}

static bool is_at(const float *v, double x, double y, double z)
{
    return hand_near((double)v[0], x, 1e-7) && hand_near((double)v[1], y, 1e-7) &&
           hand_near((double)v[2], z, 1e-7);
}

TEST(weights_at_rest_are_those_of_the_mesh_unless_the_node_has_some)
{
    tenon_scene *scene = build_face();
    float at[9], normals[9];
    double low[3], high[3];
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    tenon_pose_skin(pose, 0, 0, at, normals);
    CHECK(is_at(at, 0, 0, 0) && is_at(at + 3, 3, 0, 0) && is_at(normals, 0, 0, 1));
    tenon_pose_skin(pose, 1, 0, at, normals);
    CHECK(is_at(at, 0, 2, 0) && is_at(at + 3, 3, 2, 0));
    CHECK(is_at(normals, sqrt(0.5), 0, sqrt(0.5)));
    CHECK(tenon_pose_bounds(pose, low, high));
    CHECK(low[1] == 0 && high[0] == 3 && high[1] == 3);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

TEST(clips_move_weights_along_every_curve)
{
    // "up" at half a second: a quarter of the way, the first key, and a spline with flat ends.
    static const double expected[] = {0.25, 0, 0.15625};
    for (int curve = TENON_LINEAR; curve <= TENON_CUBIC; curve++) {
        tenon_scene *scene = build_face();
        tenon_channel *c = add_clip(scene, (tenon_curve)curve);
        double up = expected[curve], value[4];
        float at[9];
        CHECK(tenon_scene_finish(scene, NULL, NULL) && scene->animations[0].channel_count == 1);
        CHECK(hand_near(tenon_channel_sample_weight(c, 0, 0.5), up, 1e-12));
        CHECK(hand_near(tenon_channel_sample_weight(c, 1, 0.5), 1 - up, 1e-12));
        CHECK(tenon_channel_sample_weight(c, 2, 0.5) == 0);
        CHECK(tenon_channel_sample_weight(c, 0, 9) == 1);
        tenon_channel_sample(c, 0.5, value);
        CHECK(value[0] == 0 && value[3] == 0);
        tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
        tenon_pose_set(pose, 0, 0.5);
        tenon_pose_skin(pose, 0, 0, at, NULL);
        CHECK(is_at(at + 3, 1 + 4 * (1 - up), 2 * up, 0));
        tenon_pose_set(pose, TENON_NONE, 0);
        tenon_pose_skin(pose, 0, 0, at, NULL);
        CHECK(is_at(at + 3, 3, 0, 0));
        tenon_pose_free(pose);
        tenon_scene_free(scene);
    }
    CHECK(tenon_channel_sample_weight(NULL, 0, 0) == 0);
}

TEST(what_does_not_fit_is_refused_or_removed)
{
    tenon_error err;
    tenon_scene *scene = build_face();
    tenon_channel *c = add_clip(scene, TENON_LINEAR);
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    c->weight_count = 1;
    CHECK(!tenon_scene_check(scene, &err));
    CHECK_STR(err.path, "animations[0].channels[0]");
    CHECK(tenon_scene_finish(scene, NULL, NULL) && scene->animations[0].channel_count == 0);
    tenon_primitive *p = &scene->meshes[0].primitives[0];
    p->normals = NULL;
    CHECK(!tenon_scene_check(scene, &err));
    CHECK_STR(err.path, "meshes[0].primitives[0]");
    CHECK(tenon_scene_finish(scene, NULL, NULL) && !p->morphs[0].normals);
    p->morphs[0].positions[0] = (float)HUGE_VAL;
    scene->nodes[1].morph_weights[0] = HUGE_VAL;
    CHECK(!tenon_scene_check(scene, &err));
    CHECK(tenon_scene_finish(scene, NULL, NULL) && p->morphs[0].positions[0] == 0);
    CHECK(scene->nodes[1].morph_weights[0] == 0);
    p->morph_count = 1;
    CHECK(!tenon_scene_check(scene, &err));
    CHECK(tenon_scene_finish(scene, NULL, NULL) && p->morph_count == 0);
    scene->nodes[1].mesh = TENON_NONE;
    CHECK(!tenon_scene_check(scene, &err));
    CHECK_STR(err.path, "nodes[1]");
    CHECK(tenon_scene_finish(scene, NULL, NULL) && !scene->nodes[1].morph_weights);
    tenon_scene_free(scene);
}

// One edit of the model, and where a corner is then, halfway through the clip.
typedef struct edit_case {
    tenon_edit_space_opts space;
    tenon_edit_keep_opts keep;
    tenon_edit_mesh_opts meshes;
    double x, y, z;
} edit_case;

TEST(edits_keep_morph_targets_in_step)
{
    static const char *const first = "first";
    static const edit_case cases[] = {
        {.x = 3, .y = 1},
        {.space = {.scale = 10}, .x = 30, .y = 10},
        {.space = {.mirror = true, .scale = 2}, .x = 6, .y = 2},
        {.space = {.turns = 1}, .x = 3, .z = 1},
        {.keep = {.drop = TENON_DROP_NORMALS}, .x = 3, .y = 1},
        {.keep = {.nodes = &first, .node_count = 1}, .x = 3, .y = 1},
        {.meshes = {.normals = TENON_MAKE_FLAT}, .x = 3, .y = 1},
        {.meshes = {.reverse_winding = true, .flip_normals = true}, .x = 3, .y = 1},
        {.meshes = {.join = TENON_JOIN_MESHES | TENON_JOIN_NODES}, .x = 3, .y = 1},
        // Everything stays as it is at rest.
        {.meshes = {.pre_transform = true}, .x = 3, .y = 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const edit_case *edit = &cases[k];
        tenon_scene *scene = build_face();
        (void)add_clip(scene, TENON_LINEAR);
        float at[9];
        CHECK(tenon_scene_finish(scene, NULL, NULL));
        CHECK(tenon_edit_space(scene, &edit->space, NULL));
        CHECK(tenon_edit_keep(scene, &edit->keep, NULL));
        CHECK(tenon_edit_meshes(scene, &edit->meshes, NULL));
        tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
        tenon_pose_set(pose, 0, 1);
        tenon_pose_skin(pose, 0, 0, at, NULL);
        bool is_found = false;
        for (int i = 0; i < 3; i++)
            is_found = is_found || is_at(at + 3 * i, edit->x, edit->y, edit->z);
        CHECK(is_found);
        tenon_pose_free(pose);
        tenon_scene_free(scene);
    }
}

TEST(weights_at_rest_can_be_set_by_name)
{
    tenon_error err;
    tenon_scene *scene = build_face();
    const tenon_new_weight up = {"up", 3}, none = {"down", 1}, huge = {"up", HUGE_VAL};
    tenon_edit_mesh_opts opts = {.weights = &up, .weight_count = 1};
    CHECK(tenon_scene_finish(scene, NULL, NULL) && tenon_edit_meshes(scene, &opts, &err));
    CHECK(scene->meshes[0].morph_weights[0] == 3 && scene->meshes[0].morph_weights[1] == 0.5);
    CHECK(scene->nodes[1].morph_weights[0] == 3 && scene->nodes[1].morph_weights[1] == 0.5);
    opts.weights = &none;
    CHECK(!tenon_edit_meshes(scene, &opts, &err) && err.code == TENON_ERR_VALUE);
    tenon_scene_free(scene);
    scene = build_face();
    opts.weights = &huge;
    CHECK(tenon_scene_finish(scene, NULL, NULL) && !tenon_edit_meshes(scene, &opts, &err));
    tenon_scene_free(scene);
}

typedef struct seen_differences {
    int count;
    char path[64];
} seen_differences;

static void see_difference(void *user, const tenon_difference *difference)
{
    seen_differences *seen = user;
    if (strcmp(difference->kind, "morph targets") && strcmp(difference->kind, "channels")) return;
    if (seen->count++ == 0) snprintf(seen->path, sizeof seen->path, "%s", difference->path);
}

// What differs between the model and a changed one.
static seen_differences compare_with(tenon_scene *changed)
{
    tenon_scene *scene = build_face();
    seen_differences seen = {0};
    uint64_t count = 0;
    (void)add_clip(scene, TENON_LINEAR);
    CHECK(tenon_scene_finish(scene, NULL, NULL) && tenon_scene_finish(changed, NULL, NULL));
    CHECK(tenon_diff(scene, changed, NULL, see_difference, &seen, &count, NULL));
    CHECK((count > 0) == (seen.count > 0));
    tenon_scene_free(scene);
    tenon_scene_free(changed);
    return seen;
}

TEST(comparisons_find_what_differs)
{
    for (int what = 0; what < 6; what++) {
        static const char *const paths[] = {"",
                                            "meshes[face].morph_names[1]",
                                            "meshes[face].morph_weights[1]",
                                            "nodes[second].morph_weights[0]",
                                            "meshes[face].primitives[0].morphs[2]",
                                            "animations[blink].channels[first.weights][1]"};
        tenon_scene *changed = build_face();
        tenon_channel *c = add_clip(changed, TENON_LINEAR);
        if (what == 1) changed->meshes[0].morph_names[1].data = "Wide";
        if (what == 2) changed->meshes[0].morph_weights[1] = 0.75;
        if (what == 3) changed->nodes[1].morph_weights[0] = 0.5;
        if (what == 4) changed->meshes[0].primitives[0].morphs[0].positions[7] = 9;
        if (what == 5) c->values[3] = 2;
        seen_differences seen = compare_with(changed);
        CHECK(seen.count == (what > 0));
        CHECK_STR(seen.path, paths[what]);
    }
}

TEST(joined_parts_have_the_offsets_of_both)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t mesh = tenon_scene_add_mesh(scene, "two parts");
    for (int i = 0; i < 2; i++) {
        tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, 3, 0, 0);
        p->positions[3] = p->positions[7] = (float)(1 + i);
    }
    CHECK(tenon_scene_add_morph(scene, mesh, NULL) == 0);
    tenon_scene_add_offsets(scene, mesh, 0, 0, 0)->positions[0] = 5;
    tenon_scene_add_offsets(scene, mesh, 1, 0, 0)->positions[0] = 6;
    CHECK(tenon_scene_add_node(scene, "node", TENON_NONE) == 0);
    scene->nodes[0].mesh = mesh;
    const tenon_edit_mesh_opts opts = {.join = TENON_JOIN_MESHES};
    CHECK(tenon_scene_finish(scene, NULL, NULL) && tenon_edit_meshes(scene, &opts, NULL));
    const tenon_mesh *m = &scene->meshes[0];
    CHECK(m->morph_count == 1 && m->primitive_count == 1);
    CHECK(m->primitives[0].vertex_count == 6 && m->primitives[0].morph_count == 1);
    CHECK(m->primitives[0].morphs[0].positions[0] == 5);
    CHECK(m->primitives[0].morphs[0].positions[9] == 6);
    tenon_scene_free(scene);
}

// Vertices that only a morph target tells apart stay apart.
TEST(welding_compares_offsets)
{
    float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    float offsets[18] = {0};
    tenon_morph morph = {.positions = offsets};
    tenon_primitive p = {.mode = TENON_TRIANGLES,
                         .vertex_count = 6,
                         .positions = positions,
                         .morph_count = 1,
                         .morphs = &morph};
    tenon_primitive welded;
    for (uint32_t moved = 0; moved < 2; moved++) {
        tn_arena arena = tn_arena_make(&usual, UINT64_MAX);
        offsets[9] = (float)moved;
        CHECK(tn_weld(&p, &arena, NULL, &welded));
        CHECK(welded.vertex_count == 3 + moved && welded.morph_count == 1);
        CHECK(welded.morphs[0].positions[3 * welded.indices[3]] == (float)moved);
        tn_arena_free(&arena);
    }
}

TEST(baking_gives_each_node_the_mesh_that_it_shows_at_rest)
{
    tenon_scene *scene = build_face(), baked;
    (void)add_clip(scene, TENON_LINEAR);
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    tn_arena arena = tn_arena_make(&usual, UINT64_MAX);
    CHECK(tn_count_morphs(scene) == 2 && tn_has_moving_morphs(scene));
    CHECK(tn_bake_morphs(scene, &arena, &baked, NULL));
    CHECK(tenon_scene_check(&baked, NULL));
    CHECK(tn_count_morphs(&baked) == 0 && !tn_has_moving_morphs(&baked));
    CHECK(baked.mesh_count == 2 && baked.nodes[0].mesh == 0 && baked.nodes[1].mesh == 1);
    CHECK(is_at(baked.meshes[0].primitives[0].positions + 3, 3, 0, 0));
    CHECK(is_at(baked.meshes[1].primitives[0].positions + 3, 3, 2, 0));
    CHECK(is_at(baked.meshes[1].primitives[0].normals, sqrt(0.5), 0, sqrt(0.5)));
    const tenon_verify_opts at_rest = {.rest_only = true};
    tenon_verify_result result;
    CHECK(tenon_verify(scene, &baked, &at_rest, &result, NULL) && result.largest < 1e-7);
    CHECK(tenon_verify(scene, &baked, NULL, &result, NULL) && result.largest > 0.1);
    tn_arena_free(&arena);
    tenon_scene_free(scene);
}

static void count_losses(void *user, const tenon_loss *loss)
{
    if (strcmp(loss->feature, "animations of morph targets") == 0 && loss->error > 0.1)
        ++*(int *)user;
}

TEST(formats_without_morph_targets_get_the_rest_pose_and_a_measured_loss)
{
    static const char *const formats[] = {"bbmod", "gpb", "bmw", "modeldata", "bplx"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        tenon_scene *scene = build_face();
        int losses = 0;
        (void)add_clip(scene, TENON_LINEAR);
        CHECK(tenon_scene_finish(scene, NULL, NULL));
        tenon_export_opts opts = {.format = formats[i],
                                  .events = {.user = &losses, .on_loss = count_losses}};
        struct tenon_memory *files = tenon_export_memory(scene, &opts, NULL);
        CHECK(files != NULL && losses == 1);
        tenon_memory_free(files);
        tenon_scene_free(scene);
    }
}

// In a model of many vertices, comparisons bound by their matrices how far poses can be apart.
TEST(the_error_of_a_large_model_is_measured)
{
    enum { TRIANGLES = 400 };
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t mesh = tenon_scene_add_mesh(scene, "field");
    tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, 3 * TRIANGLES, 0, 0);
    CHECK(tenon_scene_add_morph(scene, mesh, "up") == 0);
    tenon_morph *up = tenon_scene_add_offsets(scene, mesh, 0, 0, 0);
    for (int i = 0; i < 3 * TRIANGLES; i++) {
        p->positions[3 * i] = (float)(i / 3 % 20) + (i % 3 == 1 ? 0.5f : 0);
        p->positions[3 * i + 2] = (float)(i / 60) + (i % 3 == 2 ? 0.5f : 0);
        up->positions[3 * i + 1] = 20;
    }
    CHECK(tenon_scene_add_node(scene, "node", TENON_NONE) == 0);
    scene->nodes[0].mesh = mesh;
    uint32_t clip = tenon_scene_add_animation(scene, "rise");
    tenon_channel *c = tenon_scene_add_channel(scene, clip, 0, TENON_WEIGHTS, TENON_LINEAR, 2);
    c->times[1] = c->values[1] = 1;
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    int losses = 0;
    const tenon_export_opts opts = {.format = "gpb",
                                    .events = {.user = &losses, .on_loss = count_losses}};
    struct tenon_memory *files = tenon_export_memory(scene, &opts, NULL);
    CHECK(files != NULL && losses == 1);
    tenon_memory_free(files);
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(weights_at_rest_are_those_of_the_mesh_unless_the_node_has_some);
    RUN(clips_move_weights_along_every_curve);
    RUN(what_does_not_fit_is_refused_or_removed);
    RUN(edits_keep_morph_targets_in_step);
    RUN(weights_at_rest_can_be_set_by_name);
    RUN(comparisons_find_what_differs);
    RUN(joined_parts_have_the_offsets_of_both);
    RUN(welding_compares_offsets);
    RUN(baking_gives_each_node_the_mesh_that_it_shows_at_rest);
    RUN(formats_without_morph_targets_get_the_rest_pose_and_a_measured_loss);
    RUN(the_error_of_a_large_model_is_measured);
    TEST_END();
}
