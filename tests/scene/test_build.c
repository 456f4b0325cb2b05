// test_build.c: scenes that programs build with the public functions, and what is found in them.
// SPDX-License-Identifier: MIT

#include <tenon/scene.h>

#include <math.h>
#include <string.h>

#include "../test.h"

// A flag on a pole: two joints, a skinned quad, a picture, and a clip that turns the flag.
static tenon_scene *build_flag(void)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t root = tenon_scene_add_node(scene, "flag", TENON_NONE);
    uint32_t joints[2];
    joints[0] = tenon_scene_add_node(scene, "pole", root);
    joints[1] = tenon_scene_add_node(scene, "cloth", joints[0]);
    scene->nodes[joints[1]].translation[1] = 2;
    uint32_t picture = tenon_scene_add_image(scene, "red.png", NULL, 0);
    uint32_t red = tenon_scene_add_material(scene, "red");
    scene->materials[red].textures[TENON_SLOT_BASE_COLOR].image = picture;
    uint32_t mesh = tenon_scene_add_mesh(scene, "quad");
    tenon_primitive *quad =
        tenon_scene_add_primitive(scene, mesh, 4, 6, TENON_WITH_UV0 | TENON_WITH_SKIN);
    const float corners[] = {0, 0, 0, 1, 0, 0, 1, 3, 0, 0, 3, 0};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    memcpy(quad->positions, corners, sizeof corners);
    memcpy(quad->indices, triangles, sizeof triangles);
    quad->material = red;
    for (int i = 0; i < 4; i++) {
        quad->joints[4 * i] = i >= 2;
        quad->weights[4 * i] = 3;  // They are normalized.
    }
    scene->nodes[root].mesh = mesh;
    scene->nodes[root].skin = tenon_scene_add_skin(scene, "flag", joints, 2, NULL);
    uint32_t wave = tenon_scene_add_animation(scene, "wave");
    tenon_channel *turn =
        tenon_scene_add_channel(scene, wave, joints[1], TENON_ROTATION, TENON_LINEAR, 2);
    turn->times[1] = 1.5f;
    turn->values[3] = 1;
    turn->values[4 + 1] = 1;  // Half a turn around Y.
    CHECK(tenon_scene_add_event(scene, wave, 0.5, "flap"));
    CHECK(tenon_scene_add_extra(scene, TENON_EXTRA_OF_MESH, mesh, "collision_shape", "box"));
    return scene;
}

static void count_loss(void *user, const tenon_loss *loss)
{
    (void)loss;
    ++*(int *)user;
}

TEST(a_scene_built_in_code_is_a_scene)
{
    tenon_error err;
    int losses = 0;
    const tenon_scene_opts opts = {.events = {.user = &losses, .on_loss = count_loss}};
    tenon_scene *scene = build_flag();
    CHECK(!tenon_scene_check(scene, NULL));  // Weights are 3.
    CHECK(tenon_scene_finish(scene, &opts, &err));
    CHECK(losses == 1 && tenon_scene_check(scene, NULL));
    CHECK(scene->animations[0].duration == 1.5);
    CHECK(scene->skins[0].inverse_binds[16 + 13] == -2);  // Bound to the nodes as they were.
    // Half a turn moves the upper corners to the other side.
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    float positions[12];
    tenon_pose_set(pose, 0, 1.5);
    tenon_pose_skin(pose, 0, 0, positions, NULL);
    CHECK(fabsf(positions[3] - 1) < 1e-6f && fabsf(positions[6] + 1) < 1e-6f);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

TEST(zeroed_objects_are_valid)
{
    tenon_scene *scene = build_flag();
    // All lists have a first object, which an index of 0 must not mean here.
    tenon_scene_add_camera(scene, "camera");
    tenon_scene_add_light(scene, "light");
    uint32_t node = tenon_scene_add_node(scene, "zeros", TENON_NONE);
    uint32_t moved = tenon_scene_add_node(scene, "moved", TENON_NONE);
    uint32_t mesh = tenon_scene_add_mesh(scene, "zeros");
    uint32_t holder = tenon_scene_add_mesh(scene, "zeroed primitive");
    uint32_t material = tenon_scene_add_material(scene, "zeros");
    CHECK(tenon_scene_add_primitive(scene, holder, 0, 0, 0) != NULL);
    CHECK(tenon_scene_add_primitive(scene, holder, 3, 0, 0) != NULL);
    scene->nodes[node] = (tenon_node){0};
    scene->nodes[moved] = (tenon_node){.translation = {1, 2, 3}};
    scene->meshes[mesh] = (tenon_mesh){0};
    scene->meshes[holder].primitives[0] = (tenon_primitive){0};
    scene->meshes[holder].primitives[1].material = material;
    scene->materials[material] = (tenon_material){.base_color = {1, 1, 1, 1}};
    scene->animations[0].name = (tenon_str){0};
    scene->animations[0].events[0].name = (tenon_str){0};
    CHECK(!tenon_scene_check(scene, NULL));
    tenon_error err;
    CHECK(tenon_scene_finish(scene, NULL, &err));
    const tenon_node *n = &scene->nodes[moved];
    CHECK(n->parent == TENON_NONE && n->mesh == TENON_NONE && n->light == TENON_NONE);
    CHECK(n->rotation[3] == 1 && n->scale[0] == 1 && n->translation[2] == 3);
    CHECK(n->name.data && n->name.size == 0);
    for (uint32_t i = 0; i < scene->material_count; i++)
        if (!scene->materials[i].name.size)
            CHECK(scene->materials[i].textures[TENON_SLOT_NORMAL].image == TENON_NONE);
    CHECK(scene->nodes[0].mesh == 0 && scene->nodes[0].skin == 0);  // A 0 that was meant.
    const tenon_export_opts to = {.format = "gltf"};
    tenon_doc *doc = tenon_from_scene(scene, &to, &err);
    CHECK(doc);
    tenon_doc_free(doc);
    tenon_scene_free(scene);
}

TEST(a_program_may_fill_zeroed_lists_itself)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    scene->nodes = tenon_scene_alloc(scene, 2 * sizeof *scene->nodes);
    scene->meshes = tenon_scene_alloc(scene, sizeof *scene->meshes);
    scene->materials = tenon_scene_alloc(scene, sizeof *scene->materials);
    scene->node_count = 2;
    scene->mesh_count = scene->material_count = 1;
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    CHECK(scene->node_count == 2 && scene->nodes[1].parent == TENON_NONE);
    tenon_scene_free(scene);
}

TEST(objects_are_found_by_name)
{
    tenon_scene *scene = build_flag();
    CHECK(tenon_find_node(scene, "cloth") == 2 && tenon_find_node(scene, "clot") == TENON_NONE);
    CHECK(tenon_find_mesh(scene, "quad") == 0 && tenon_find_mesh(scene, "") == TENON_NONE);
    CHECK(tenon_find_material(scene, "red") == 0);
    CHECK(tenon_find_animation(scene, "wave") == 0);
    CHECK(tenon_find_material(scene, NULL) == TENON_NONE);
    CHECK(tenon_find_node(NULL, "cloth") == TENON_NONE);
    CHECK(tenon_find_mesh(NULL, "quad") == TENON_NONE);
    CHECK(tenon_find_material(NULL, "red") == TENON_NONE);
    CHECK(tenon_find_animation(NULL, "wave") == TENON_NONE);
    CHECK_STR(tenon_find_extra(scene, TENON_EXTRA_OF_MESH, 0, "collision_shape"), "box");
    CHECK(!tenon_find_extra(scene, TENON_EXTRA_OF_MESH, 1, "collision_shape"));
    CHECK(!tenon_find_extra(scene, TENON_EXTRA_OF_NODE, 0, "collision_shape"));
    CHECK(!tenon_find_extra(scene, TENON_EXTRA_OF_MESH, 0, NULL));
    CHECK(!tenon_find_extra(NULL, TENON_EXTRA_OF_MESH, 0, "collision_shape"));
    tenon_scene_free(scene);
}

TEST(a_channel_can_be_sampled)
{
    tenon_scene *scene = build_flag();
    double value[4];
    tenon_channel_sample(&scene->animations[0].channels[0], 0.75, value);
    CHECK(fabs(value[1] - sqrt(0.5)) < 1e-12 && fabs(value[3] - sqrt(0.5)) < 1e-12);
    tenon_channel_sample(&scene->animations[0].channels[0], 99, value);
    CHECK(value[1] == 1);
    const tenon_channel empty = {0};
    tenon_channel_sample(&empty, 0, value);
    CHECK(value[0] == 0 && value[3] == 0);
    tenon_channel_sample(NULL, 0, value);
    CHECK(value[1] == 0);
    tenon_scene_free(scene);
}

TEST(lists_grow_also_those_that_a_program_has_replaced)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    for (uint32_t i = 0; i < 1000; i++)
        CHECK(tenon_scene_add_node(scene, "node", i ? i - 1 : TENON_NONE) == i);
    tenon_node *own = tenon_scene_alloc(scene, sizeof *own);
    own[0] = scene->nodes[0];
    scene->nodes = own;  // A list with room for one.
    scene->node_count = 1;
    for (uint32_t i = 1; i < 40; i++) CHECK(tenon_scene_add_node(scene, "node", 0) == i);
    uint32_t first = tenon_scene_add_mesh(scene, "first");
    uint32_t second = tenon_scene_add_mesh(scene, "second");
    for (uint32_t i = 0; i < 50; i++) {
        CHECK(tenon_scene_add_primitive(scene, first, i, 0, 0) != NULL);
        CHECK(tenon_scene_add_primitive(scene, second, 2 * i, 0, 0) != NULL);
    }
    for (uint32_t i = 0; i < 50; i++) {
        CHECK(scene->meshes[first].primitives[i].vertex_count == i);
        CHECK(scene->meshes[second].primitives[i].vertex_count == 2 * i);
    }
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    tenon_scene_free(scene);
}

TEST(the_first_mistake_is_reported_at_the_end)
{
    tenon_error err;
    const uint32_t nowhere = 7;
    for (int mistake = 0; mistake < 13; mistake++) {
        tenon_scene *scene = build_flag();
        switch (mistake) {
        case 0:
            CHECK(tenon_scene_add_node(scene, "lost", 99) == TENON_NONE);
            break;
        case 1:
            CHECK(!tenon_scene_add_primitive(scene, 1, 3, 0, 0));
            break;
        case 2:
            CHECK(tenon_scene_add_skin(scene, "lost", &nowhere, 1, NULL) == TENON_NONE);
            break;
        case 3:
            CHECK(tenon_scene_add_skin(scene, "lost", NULL, 1, NULL) == TENON_NONE);
            break;
        case 4:
            CHECK(!tenon_scene_add_channel(scene, 0, 99, TENON_SCALE, TENON_STEP, 1));
            break;
        case 5:
            CHECK(!tenon_scene_add_channel(scene, 1, 0, TENON_SCALE, TENON_STEP, 1));
            break;
        case 6:
            CHECK(!tenon_scene_add_channel(scene, 0, 0, (tenon_target)7, TENON_STEP, 1));
            break;
        case 7:
            CHECK(tenon_scene_add_morph(scene, 99, "lost") == TENON_NONE);
            break;
        case 8:
            CHECK(!tenon_scene_add_offsets(scene, 0, 0, 0, 0));
            break;
        case 9:
            CHECK(!tenon_scene_add_weights(scene, 99));
            break;
        case 10:
            CHECK(!tenon_scene_add_channel(scene, 0, 2, TENON_WEIGHTS, TENON_STEP, 1));
            break;
        case 11:
            CHECK(!tenon_scene_add_event(scene, TENON_NONE, 0, "lost"));
            break;
        default:
            CHECK(!tenon_scene_add_extra(scene, TENON_EXTRA_OF_NODE, 3, "lost", NULL));
        }
        // Nothing is added any more, and nothing crashes.
        CHECK(tenon_scene_add_material(scene, "late") == TENON_NONE);
        CHECK(!tenon_scene_finish(scene, NULL, &err));
        CHECK(err.code == TENON_ERR_VALUE && err.message[0]);
        tenon_scene_free(scene);
    }
}

TEST(null_is_refused)
{
    CHECK(tenon_scene_add_node(NULL, NULL, 0) == TENON_NONE);
    CHECK(tenon_scene_add_mesh(NULL, NULL) == TENON_NONE);
    CHECK(tenon_scene_add_material(NULL, NULL) == TENON_NONE);
    CHECK(tenon_scene_add_animation(NULL, NULL) == TENON_NONE);
    CHECK(tenon_scene_add_camera(NULL, NULL) == TENON_NONE);
    CHECK(tenon_scene_add_light(NULL, NULL) == TENON_NONE);
    CHECK(!tenon_scene_add_primitive(NULL, 0, 0, 0, 0));
    CHECK(tenon_scene_add_skin(NULL, NULL, NULL, 0, NULL) == TENON_NONE);
    CHECK(tenon_scene_add_image(NULL, NULL, NULL, 0) == TENON_NONE);
    CHECK(!tenon_scene_add_channel(NULL, 0, 0, TENON_SCALE, TENON_STEP, 1));
    CHECK(tenon_scene_add_morph(NULL, 0, NULL) == TENON_NONE);
    CHECK(!tenon_scene_add_offsets(NULL, 0, 0, 0, 0) && !tenon_scene_add_weights(NULL, 0));
    CHECK(!tenon_scene_add_event(NULL, 0, 0, NULL));
    CHECK(!tenon_scene_add_extra(NULL, TENON_EXTRA_OF_SCENE, 0, NULL, NULL));
    CHECK(!tenon_scene_finish(NULL, NULL, NULL));
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    CHECK(tenon_scene_add_node(scene, NULL, TENON_NONE) == 0);
    CHECK(tenon_scene_add_image(scene, NULL, "", 0) == 0);
    CHECK(tenon_scene_add_camera(scene, NULL) == 0 && tenon_scene_add_light(scene, NULL) == 0);
    CHECK(tenon_scene_add_extra(scene, TENON_EXTRA_OF_SCENE, 0, NULL, NULL));
    CHECK(tenon_scene_finish(scene, NULL, NULL) && scene->nodes[0].name.size == 0);
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(a_scene_built_in_code_is_a_scene);
    RUN(zeroed_objects_are_valid);
    RUN(a_program_may_fill_zeroed_lists_itself);
    RUN(objects_are_found_by_name);
    RUN(a_channel_can_be_sampled);
    RUN(lists_grow_also_those_that_a_program_has_replaced);
    RUN(the_first_mistake_is_reported_at_the_end);
    RUN(null_is_refused);
    TEST_END();
}
