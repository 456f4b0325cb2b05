// test_scene_finish.c: whatever a format adds, a finished scene is valid as scene.h defines it.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "scene/model/scene_build.h"

#include <math.h>
#include <stdlib.h>

// -- Losses as text

static char reported[1024];

static void note(void *user, const tenon_loss *loss)
{
    size_t n = strlen(reported);
    (void)user;
    snprintf(reported + n, sizeof reported - n, "%s %s %u at %s; ", tenon_loss_word(loss->kind),
             loss->feature, (unsigned)loss->count, loss->path ? loss->path : "-");
}

static const tenon_scene_opts opts = {.events.on_loss = note};
static tenon_error err;

static tn_scene_builder begin(void)
{
    tn_scene_builder b;
    reported[0] = '\0';
    CHECK(tn_scene_begin(&b, &opts, 0, &err));
    return b;
}

static void finish(tn_scene_builder *b)
{
    CHECK(tn_scene_finish(b));
    CHECK(tenon_scene_check(b->scene, &err));
    if (err.code != TENON_OK) fprintf(stderr, "%s: %s\n", err.path, err.message);
}

static tenon_str str(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

// One triangle in the XY plane, front to +Z, as a mesh at a separate node.
static tenon_primitive *add_triangle(tn_scene_builder *b, uint32_t streams)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t mesh = tn_add_mesh(b, str("m"), 1), node = tn_add_node(b, str("n"), TENON_NONE);
    b->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    tn_primitive_alloc(b, p, 3, 3, streams);
    memcpy(p->positions, corners, sizeof corners);
    for (uint32_t i = 0; i < 3; i++) p->indices[i] = i;
    return p;
}

// -- Tests

TEST(an_empty_scene_is_valid)
{
    tn_scene_builder b = begin();
    finish(&b);
    CHECK_STR(reported, "");
    tenon_scene_free(b.scene);
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    CHECK(scene && tenon_scene_check(scene, &err));
    tenon_scene_free(scene);
    tenon_scene_free(NULL);
}

TEST(what_is_good_keeps_its_bits)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_triangle(&b, TN_WITH_NORMALS);
    for (int i = 0; i < 3; i++) p->normals[3 * i + 2] = 1;
    p->normals[0] = 0.6f, p->normals[2] = 0.8f;
    finish(&b);
    CHECK_STR(reported, "");
    CHECK(p->normals[0] == 0.6f && p->normals[2] == 0.8f && p->index_count == 3);
    tenon_scene_free(b.scene);
}

TEST(texts_become_utf8)
{
    tn_scene_builder b = begin();
    tn_add_node(&b,
                (tenon_str){"a\xff"
                            "b\0c",
                            5},
                TENON_NONE);
    tn_add_node(&b, str("gr\xc3\xbcn"), 0);
    finish(&b);
    CHECK_STR(b.scene->nodes[0].name.data, "a?b?c");
    CHECK_STR(b.scene->nodes[1].name.data, "gr\xc3\xbcn");
    CHECK_STR(reported, "approximated names 1 at -; ");
    tenon_scene_free(b.scene);
}

TEST(numbers_become_finite)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_triangle(&b, TN_WITH_UV0 | TN_WITH_COLOR);
    p->positions[4] = NAN;
    p->uvs[0][0] = INFINITY;
    p->colors[0][1] = 2;
    b.scene->nodes[0].translation[1] = -INFINITY;
    b.scene->nodes[0].rotation[3] = 7;
    finish(&b);
    CHECK(p->positions[4] == 0 && p->uvs[0][0] == 0 && p->colors[0][1] == 1);
    CHECK(b.scene->nodes[0].translation[1] == 0 && b.scene->nodes[0].rotation[3] == 1);
    CHECK_STR(reported, "approximated transforms of nodes 1 at nodes[0]; "
                        "approximated numbers of vertices 2 at meshes[0].primitives[0]; "
                        "approximated vertex colors 1 at meshes[0].primitives[0]; ");
    tenon_scene_free(b.scene);
}

TEST(triangles_without_vertices_are_removed)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_triangle(&b, 0);
    p->indices = tn_scene_array(&b, 8, sizeof *p->indices);
    static const uint32_t indices[8] = {0, 1, 3, 0, 1, 2, 0, 1};
    memcpy(p->indices, indices, sizeof indices);
    p->index_count = 8;
    finish(&b);
    CHECK(p->index_count == 3 && p->indices[2] == 2);
    CHECK_STR(reported, "dropped triangles 2 at meshes[0].primitives[0]; ");
    tenon_scene_free(b.scene);
}

TEST(a_strip_ends_at_the_first_missing_vertex)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_triangle(&b, 0);
    p->mode = TENON_TRIANGLE_STRIP;
    p->indices[1] = 9;
    finish(&b);
    CHECK(p->index_count == 1);
    tenon_scene_free(b.scene);
}

TEST(normals_without_a_direction_are_rebuilt)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_triangle(&b, TN_WITH_NORMALS | TN_WITH_TANGENTS);
    p->normals[3] = 5;  // The second has one, but is too long.
    finish(&b);
    CHECK(p->normals[2] == 1 && p->normals[3] == 1 && p->normals[5] == 0 && p->normals[8] == 1);
    CHECK(p->tangents[3] == 1);
    CHECK_STR(reported, "synthesized normals 2 at meshes[0].primitives[0]; "
                        "synthesized tangents 3 at meshes[0].primitives[0]; ");
    tenon_scene_free(b.scene);
}

// A triangle with a skin of two joints; the weights are to be set.
static tenon_primitive *add_skinned(tn_scene_builder *b)
{
    tenon_primitive *p = add_triangle(b, TN_WITH_SKIN);
    uint32_t skin = tn_add_skin(b, str("s"), 2);
    for (uint32_t i = 0; i < 2; i++)
        b->scene->skins[skin].joints[i] = tn_add_node(b, str("j"), TENON_NONE);
    b->scene->nodes[0].skin = skin;
    return p;
}

TEST(weights_add_up)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_skinned(&b);
    static const float weights[12] = {0.5f, 0.5f, 0, 0, 3, 1, -1, NAN, 0, 0.25f, 0, 0};
    static const uint16_t joints[12] = {0, 1, 9, 9, 1, 0, 1, 1, 1, 1, 9, 9};
    memcpy(p->weights, weights, sizeof weights);
    memcpy(p->joints, joints, sizeof joints);
    finish(&b);
    CHECK(p->weights[0] == 0.5f && p->joints[2] == 0);
    CHECK(p->weights[4] == 0.75f && p->weights[5] == 0.25f && p->weights[6] == 0);
    CHECK(p->weights[9] == 1 && p->joints[8] == 0 && p->joints[9] == 1);
    CHECK_STR(reported, "approximated weights 2 at meshes[0]; ");
    tenon_scene_free(b.scene);
}

TEST(vertices_that_no_joint_moves_stay_with_their_node)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_skinned(&b);
    p->weights[0] = 1;
    p->weights[4] = 1, p->joints[4] = 7;
    finish(&b);
    const tenon_skin *skin = &b.scene->skins[0];
    CHECK(skin->joint_count == 3 && skin->joints[2] == 0 && skin->inverse_binds[32] == 1);
    CHECK(p->joints[4] == 2 && p->weights[4] == 1 && p->joints[8] == 2 && p->weights[8] == 1);
    CHECK_STR(reported,
              "dropped influences 1 at meshes[0]; synthesized influences 2 at meshes[0]; ");
    tenon_scene_free(b.scene);
}

TEST(an_unusable_skin_is_removed)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_skinned(&b);
    b.scene->nodes[0].skin = TENON_NONE;
    finish(&b);
    CHECK(p->influence_count == 0 && !p->joints && !p->weights);
    CHECK_STR(reported, "dropped weights 1 at meshes[0].primitives[0]; ");
    tenon_scene_free(b.scene);
}

TEST(a_joint_named_twice_gets_a_second_node)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_skinned(&b);
    for (int i = 0; i < 3; i++) p->weights[4 * i] = 1;
    uint32_t first = b.scene->skins[0].joints[0];
    b.scene->skins[0].joints[1] = first;
    finish(&b);
    uint32_t made = b.scene->skins[0].joints[1];
    CHECK(made == 3 && b.scene->nodes[made].parent == first);
    CHECK_STR(reported, "synthesized joints 1 at skins[0].joints[1]; ");
    tenon_scene_free(b.scene);
}

TEST(unused_materials_and_images_are_removed)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_triangle(&b, TN_WITH_UV0);
    tn_add_material(&b, str("unused"));
    uint32_t used = tn_add_material(&b, str("used"));
    tn_set_texture(&b, 0, TENON_SLOT_BASE_COLOR, str("a.png"));
    tn_set_texture(&b, used, TENON_SLOT_BASE_COLOR, str("tex\\b.png"));
    tn_set_texture(&b, used, TENON_SLOT_NORMAL, str("tex/b.png"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "k", str("v"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 1, "k", str("w"));
    b.scene->materials[used].base_color[0] = 7;
    p->material = used;
    finish(&b);
    CHECK(b.scene->material_count == 1 && b.scene->image_count == 1 && p->material == 0);
    CHECK_STR(b.scene->materials[0].name.data, "used");
    CHECK_STR(b.scene->images[0].path.data, "tex/b.png");
    CHECK(b.scene->materials[0].textures[TENON_SLOT_NORMAL].image == 0);
    CHECK(b.scene->materials[0].base_color[0] == 1);
    CHECK(b.scene->extra_count == 1 && b.scene->extras[0].index == 0);
    CHECK_STR(reported, "dropped materials 1 at -; approximated materials 1 at materials[0]; ");
    tenon_scene_free(b.scene);
}

TEST(many_images_are_distinguished)
{
    tn_scene_builder b = begin();
    char name[16];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "%u.png", (unsigned)i);
            CHECK(tn_add_image(&b, str(name)) == i);
        }
    CHECK(b.scene->image_count == 1000);
    tenon_scene_free(b.scene);
}

TEST(times_of_keys_increase)
{
    tn_scene_builder b = begin();
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE), a = tn_add_animation(&b, str("a"), 4);
    static const float times[5] = {-1, 0, 0, 0.5f, 0.25f};
    for (int i = 0; i < 4; i++) {
        tenon_channel *c = &b.scene->animations[a].channels[i];
        c->node = i == 3 ? 99 : node;
        c->target = i == 1 ? TENON_ROTATION : TENON_TRANSLATION;
        tn_channel_alloc(&b, c, 5);
        memcpy(c->times, times, sizeof times);
        for (int k = 0; k < 5; k++) c->values[(c->target == TENON_ROTATION ? 4 : 3) * k] = (float)k;
    }
    finish(&b);
    const tenon_animation *animation = &b.scene->animations[a];
    CHECK(animation->channel_count == 2 && animation->duration == 0.5);
    CHECK(animation->channels[0].key_count == 2 && animation->channels[0].values[3] == 3);
    CHECK(animation->channels[1].values[0] == 1 && animation->channels[1].values[4] == 1);
    CHECK_STR(reported, "dropped keys 6 at animations[0]; dropped channels 2 at animations[0]; ");
    tenon_scene_free(b.scene);
}

TEST(a_damaged_key_is_removed_from_its_channel_only)
{
    static const float times[3] = {0, 1, 2};
    tenon_scene_opts salvage = {.events.on_loss = note, .salvage = true};
    tn_scene_builder b = begin();
    b.opts = &salvage;
    add_triangle(&b, 0);
    uint32_t a = tn_add_animation(&b, str("a"), 2);
    tenon_channel *channels = b.scene->animations[a].channels;
    for (int i = 0; i < 2; i++) {
        channels[i].node = 0;
        channels[i].target = i ? TENON_SCALE : TENON_TRANSLATION;
        tn_channel_alloc(&b, &channels[i], 3);
        for (int k = 0; k < 9; k++) channels[i].values[k] = (float)(1 + k / 3);
    }
    memcpy(channels[0].times, times, sizeof times);
    channels[1].times = channels[0].times;
    channels[0].values[4] = NAN;
    finish(&b);
    CHECK(channels[0].key_count == 2 && channels[0].times[1] == 2 && channels[0].values[3] == 3);
    CHECK(channels[1].key_count == 3 && channels[1].times[1] == 1 && channels[1].times[2] == 2);
    CHECK_STR(reported, "dropped keys of animations 1 at animations[0].channels[0]; ");
    tenon_scene_free(b.scene);
}

// Of a cubic key the middle third is the rotation; the tangents around it stay as they are.
TEST(rotations_have_length_1_and_their_tangents_any)
{
    static const float times[2] = {0, 1};
    tn_scene_builder b = begin();
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE), a = tn_add_animation(&b, str("a"), 2);
    tenon_channel *channels = b.scene->animations[a].channels;
    for (int i = 0; i < 2; i++) {
        uint32_t each = i ? 12 : 4;
        channels[i].node = node;
        channels[i].target = TENON_ROTATION;
        channels[i].curve = i ? TENON_CUBIC : TENON_LINEAR;
        tn_channel_alloc(&b, &channels[i], 2);
        memcpy(channels[i].times, times, sizeof times);
        for (uint32_t k = 0; k < 2 * each; k++) channels[i].values[k] = (float)(k % 4 + 1);
        if (i == 0) tn_add_node(&b, str("m"), TENON_NONE);
        channels[i].node = (uint32_t)i;
    }
    finish(&b);
    for (int i = 0; i < 2; i++)
        for (uint32_t key = 0; key < 2; key++) {
            const float *turn = channels[i].values + (i ? 12 * key + 4 : 4 * key);
            for (int k = 0; k < 4; k++) CHECK(fabs((double)turn[k] - (k + 1) / sqrt(30)) < 1e-7);
            for (int k = 0; k < 4 && i; k++)
                CHECK(turn[k - 4] == (float)(k + 1) && turn[k + 4] == (float)(k + 1));
        }
    tenon_scene_free(b.scene);
}

TEST(an_animated_node_has_no_matrix)
{
    tn_scene_builder b = begin();
    static const double sheared[16] = {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE), a = tn_add_animation(&b, str("a"), 1);
    tn_set_matrix(&b, node, sheared);
    CHECK(b.scene->nodes[node].has_matrix);
    tenon_channel *c = &b.scene->animations[a].channels[0];
    c->node = node;
    tn_channel_alloc(&b, c, 1);
    finish(&b);
    CHECK(!b.scene->nodes[node].has_matrix && b.scene->nodes[node].translation[2] == 7);
    CHECK_STR(reported, "dropped shear 1 at nodes[0]; ");
    CHECK(b.scene->omission_count == 1);
    CHECK_STR(b.scene->omissions[0].why.data,
              "animated nodes cannot be sheared: off by up to 51 %");
    tenon_scene_free(b.scene);
}

TEST(matrices_are_split_where_that_is_exact)
{
    tn_scene_builder b = begin();
    static const double turned[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
    tn_set_matrix(&b, node, turned);
    const tenon_node *n = &b.scene->nodes[node];
    CHECK(!n->has_matrix && fabs(n->scale[0] - 2) < 1e-12 && fabs(n->scale[1] - 3) < 1e-12);
    CHECK(fabs(n->rotation[2] - sqrt(0.5)) < 1e-12 && n->translation[0] == 5);
    static const double far[16] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 1e7, 0, 0, 1};
    tn_set_matrix(&b, node, far);
    CHECK(n->has_matrix);
    tenon_scene_free(b.scene);
}

TEST(parents_come_first)
{
    tn_scene_builder b = begin();
    uint32_t parents[6] = {2, TENON_NONE, 1, 4, 5, 3}, order[6], place[6];
    CHECK(tn_order_parents(&b, parents, 6, order) == 1);
    for (uint32_t i = 0; i < 6; i++) place[order[i]] = i;
    for (uint32_t i = 0; i < 6; i++)
        CHECK(parents[i] == TENON_NONE || place[parents[i]] < place[i]);
    CHECK(order[0] == 1 && order[1] == 2 && order[2] == 0);
    tenon_scene_free(b.scene);
}

TEST(memory_has_a_limit)
{
    const tenon_scene_opts small = {.max_memory = 4096};
    tn_scene_builder b;
    CHECK(tn_scene_begin(&b, &small, 0, &err));
    for (int i = 0; i < 100; i++) tn_add_node(&b, str("n"), TENON_NONE);
    CHECK(b.failed && err.code == TENON_ERR_LIMIT);
    CHECK(tn_add_node(&b, str("n"), TENON_NONE) == TENON_NONE);
    CHECK(tn_add_mesh(&b, str("n"), 1) == TENON_NONE && tn_scene_floats(&b, 1, 1) == NULL);
    CHECK(!tn_scene_finish(&b));
    tenon_scene_free(b.scene);
}

// -- The checker, against scenes that others made

TEST(the_checker_finds_what_is_wrong)
{
    tn_scene_builder b = begin();
    tenon_primitive *p = add_skinned(&b);
    for (int i = 0; i < 3; i++) p->weights[4 * i] = 1;
    finish(&b);
    p->indices[2] = 3;
    CHECK(!tenon_scene_check(b.scene, &err));
    CHECK_STR(err.path, "meshes[0].primitives[0]");
    CHECK_STR(err.message, "an index is out of range");
    p->indices[2] = 2;
    p->joints[0] = 2;
    CHECK(!tenon_scene_check(b.scene, &err));
    CHECK_STR(err.message, "an influence names no joint of the skin");
    p->joints[0] = 0;
    p->weights[0] = 0.5f;
    CHECK(!tenon_scene_check(b.scene, &err));
    CHECK_STR(err.message, "weights do not add up to 1");
    p->weights[0] = 1;
    b.scene->nodes[1].parent = 1;
    CHECK(!tenon_scene_check(b.scene, NULL));
    b.scene->nodes[1].parent = 0;
    p->positions[0] = INFINITY;
    CHECK(!tenon_scene_check(b.scene, &err));
    p->positions[0] = 0;
    CHECK(tenon_scene_check(b.scene, &err));
    tenon_scene_free(b.scene);
}

int main(void)
{
    RUN(an_empty_scene_is_valid);
    RUN(what_is_good_keeps_its_bits);
    RUN(texts_become_utf8);
    RUN(numbers_become_finite);
    RUN(triangles_without_vertices_are_removed);
    RUN(a_strip_ends_at_the_first_missing_vertex);
    RUN(normals_without_a_direction_are_rebuilt);
    RUN(weights_add_up);
    RUN(vertices_that_no_joint_moves_stay_with_their_node);
    RUN(an_unusable_skin_is_removed);
    RUN(a_joint_named_twice_gets_a_second_node);
    RUN(unused_materials_and_images_are_removed);
    RUN(many_images_are_distinguished);
    RUN(times_of_keys_increase);
    RUN(a_damaged_key_is_removed_from_its_channel_only);
    RUN(rotations_have_length_1_and_their_tangents_any);
    RUN(an_animated_node_has_no_matrix);
    RUN(matrices_are_split_where_that_is_exact);
    RUN(parents_come_first);
    RUN(memory_has_a_limit);
    RUN(the_checker_finds_what_is_wrong);
    TEST_END();
}
