// test_scene_check.c: a valid scene, then one value that is invalid, and the error that follows.
// SPDX-License-Identifier: MIT

#include "../test.h"

#include <tenon/scene.h>

#include <math.h>

// Everything that a scene can have, once or twice.
static struct {
    tenon_scene scene;
    tenon_node nodes[2];
    tenon_mesh meshes[1];
    tenon_primitive primitives[1];
    float positions[6], normals[6], tangents[8], uvs[4], colors[8], weights[8];
    uint16_t joints[8];
    uint32_t indices[3];
    tenon_skin skins[1];
    uint32_t skin_joints[2];
    float binds[32];
    tenon_material materials[1];
    tenon_image images[1];
    tenon_animation animations[1];
    tenon_channel channels[2];
    float times[2], turns[8], moves[6];
    tenon_event events[2];
    tenon_camera cameras[1];
    tenon_light lights[1];
    tenon_extra extras[1];
} w;

#define NAME   \
    {          \
        "a", 1 \
    }

static void fill_nodes(void)
{
    for (int i = 0; i < 2; i++)
        w.nodes[i] = (tenon_node){.name = NAME,
                                  .parent = i ? 0 : TENON_NONE,
                                  .rotation = {0, 0, 0, 1},
                                  .scale = {1, 1, 1},
                                  .mesh = i ? TENON_NONE : 0,
                                  .skin = i ? TENON_NONE : 0,
                                  .camera = i ? 0 : TENON_NONE,
                                  .light = i ? 0 : TENON_NONE};
    w.skins[0] = (tenon_skin){NAME, 0, 2, w.skin_joints, w.binds, 0};
    w.skin_joints[1] = 1;
    for (int i = 0; i < 32; i++) w.binds[i] = i % 16 % 5 == 0;
    w.cameras[0] =
        (tenon_camera){.name = NAME, .field_of_view = 1, .near_plane = 1, .far_plane = 2};
    w.lights[0] = (tenon_light){.name = NAME};
}

static void fill_mesh(void)
{
    w.meshes[0] = (tenon_mesh){.name = NAME, .primitive_count = 1, .primitives = w.primitives};
    w.primitives[0] = (tenon_primitive){.mode = TENON_TRIANGLES,
                                        .vertex_count = 2,
                                        .positions = w.positions,
                                        .normals = w.normals,
                                        .tangents = w.tangents,
                                        .uvs = {w.uvs},
                                        .colors = {w.colors},
                                        .influence_count = 4,
                                        .joints = w.joints,
                                        .weights = w.weights,
                                        .index_count = 3,
                                        .indices = w.indices};
    for (int i = 0; i < 2; i++) w.normals[3 * i] = w.tangents[4 * i + 1] = w.weights[4 * i] = 1;
    w.indices[1] = 1;
    w.joints[4] = 1;
}

static void fill_rest(void)
{
    w.materials[0] = (tenon_material){.name = NAME, .metallic = 1, .roughness = 1};
    w.images[0] = (tenon_image){.name = NAME, .path = NAME};
    w.animations[0] = (tenon_animation){NAME, 1, 2, w.channels, 2, w.events, 0};
    w.channels[0] = (tenon_channel){.node = 0,
                                    .target = TENON_ROTATION,
                                    .curve = TENON_LINEAR,
                                    .key_count = 2,
                                    .times = w.times,
                                    .values = w.turns};
    w.channels[1] = (tenon_channel){.node = 1,
                                    .target = TENON_TRANSLATION,
                                    .curve = TENON_STEP,
                                    .key_count = 2,
                                    .times = w.times,
                                    .values = w.moves};
    w.turns[3] = w.turns[4] = w.times[1] = 1;
    w.events[0] = w.events[1] = (tenon_event){0.5, NAME};
    w.extras[0] = (tenon_extra){TENON_EXTRA_OF_NODE, 1, NAME, NAME};
}

static void fill(void)
{
    memset(&w, 0, sizeof w);
    fill_nodes();
    fill_mesh();
    fill_rest();
    w.scene = (tenon_scene){.name = NAME,
                            .node_count = 2,
                            .nodes = w.nodes,
                            .mesh_count = 1,
                            .meshes = w.meshes,
                            .skin_count = 1,
                            .skins = w.skins,
                            .material_count = 1,
                            .materials = w.materials,
                            .image_count = 1,
                            .images = w.images,
                            .animation_count = 1,
                            .animations = w.animations,
                            .camera_count = 1,
                            .cameras = w.cameras,
                            .light_count = 1,
                            .lights = w.lights,
                            .extra_count = 1,
                            .extras = w.extras};
}

TEST(the_scene_that_is_changed_is_valid)
{
    tenon_error err;
    fill();
    CHECK(tenon_scene_check(&w.scene, &err));
    CHECK_STR(err.message, "");
    w.nodes[1].has_matrix = true;  // Of zeros, which are finite; but the node is animated.
    CHECK(!tenon_scene_check(&w.scene, &err));
    CHECK_STR(err.path, "animations[0].channels[1]");
    CHECK_STR(err.message, "a node with a matrix is animated");
}

// -- Breaking it

typedef enum broken_as { WHOLE, DOUBLE, FLOAT, NOTHING, NO_TEXT, NO_UTF8, WITH_NUL } broken_as;

typedef struct broken {
    void *place;
    broken_as as;
    double number;  // What WHOLE, DOUBLE and FLOAT become.
    const char *path, *message;
} broken;

static void break_at(const broken *b)
{
    static const tenon_str texts[] = {{NULL, 0}, {"a\xff", 2}, {"a\0b", 3}};
    uint32_t whole = b->as == WHOLE ? (uint32_t)b->number : 0;
    float number = (float)b->number;
    void *nothing = NULL;
    if (b->as == WHOLE) memcpy(b->place, &whole, sizeof whole);
    if (b->as == DOUBLE) memcpy(b->place, &b->number, sizeof b->number);
    if (b->as == FLOAT) memcpy(b->place, &number, sizeof number);
    if (b->as == NOTHING) memcpy(b->place, &nothing, sizeof nothing);
    if (b->as >= NO_TEXT) memcpy(b->place, &texts[b->as - NO_TEXT], sizeof texts[0]);
}

static void check_broken(const broken *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tenon_error err = {0};
        fill();
        break_at(&cases[i]);
        CHECK(!tenon_scene_check(&w.scene, &err));
        CHECK(err.code == TENON_ERR_VALUE);
        CHECK_STR(err.message, cases[i].message);
        CHECK_STR(err.path, cases[i].path);
        CHECK(!tenon_scene_check(&w.scene, NULL));
    }
}

#define CHECK_BROKEN(cases) check_broken(cases, sizeof cases / sizeof cases[0])

TEST(nodes_and_skins_are_checked)
{
    const broken cases[] = {
        {&w.scene.name, NO_UTF8, 0, "", "the scene's name is not UTF-8 text"},
        {&w.nodes[0].name, NO_TEXT, 0, "nodes[0]", "a name is not UTF-8 text"},
        {&w.nodes[1].name, WITH_NUL, 0, "nodes[1]", "a name is not UTF-8 text"},
        {&w.nodes[1].parent, WHOLE, 1, "nodes[1]", "a parent comes after its child"},
        {&w.nodes[0].mesh, WHOLE, 1, "nodes[0]", "the mesh does not exist"},
        {&w.nodes[0].skin, WHOLE, 1, "nodes[0]", "the skin does not exist"},
        {&w.nodes[1].camera, WHOLE, 1, "nodes[1]", "the camera does not exist"},
        {&w.nodes[1].light, WHOLE, 1, "nodes[1]", "the light does not exist"},
        {&w.nodes[1].skin, WHOLE, 0, "nodes[1]", "a skin needs a mesh"},
        {&w.nodes[0].translation[2], DOUBLE, HUGE_VAL, "nodes[0]", "a transform is not finite"},
        {&w.nodes[0].rotation[0], DOUBLE, -HUGE_VAL, "nodes[0]", "a transform is not finite"},
        {&w.nodes[0].scale[1], DOUBLE, (double)NAN, "nodes[0]", "a transform is not finite"},
        {&w.nodes[0].rotation[0], DOUBLE, 1, "nodes[0]", "a rotation is not of length 1"},
        {&w.skins[0].name, NO_TEXT, 0, "skins[0]", "a name is not UTF-8 text"},
        {&w.skins[0].root, WHOLE, 2, "skins[0]", "the root does not exist"},
        {&w.binds[17], FLOAT, HUGE_VAL, "skins[0]", "an inverse bind matrix is not finite"},
        {&w.skin_joints[1], WHOLE, 2, "skins[0]", "the joint does not exist"},
    };
    CHECK_BROKEN(cases);
    tenon_error err;
    fill();
    w.nodes[1].has_matrix = true;
    w.nodes[1].matrix[7] = HUGE_VAL;
    CHECK(!tenon_scene_check(&w.scene, &err));
    CHECK_STR(err.message, "a matrix is not finite");
}

TEST(meshes_are_checked)
{
    static const char part[] = "meshes[0].primitives[0]";
    tenon_primitive *p = &w.primitives[0];
    const broken cases[] = {
        {&w.meshes[0].name, NO_UTF8, 0, "meshes[0]", "a name is not UTF-8 text"},
        {&p->mode, WHOLE, 7, part, "unknown mode"},
        {&p->material, WHOLE, 1, part, "the material does not exist"},
        {&p->positions, NOTHING, 0, part, "vertices need positions"},
        {&w.positions[5], FLOAT, HUGE_VAL, part, "a position is not finite"},
        {&w.normals[5], FLOAT, 1, part, "a normal is not of length 1"},
        {&w.normals[0], FLOAT, (double)NAN, part, "a normal is not of length 1"},
        {&w.tangents[0], FLOAT, 1, part, "a tangent is not of length 1, or has no normal"},
        {&p->normals, NOTHING, 0, part, "a tangent is not of length 1, or has no normal"},
        {&w.uvs[3], FLOAT, HUGE_VAL, part, "a texture coordinate is not finite"},
        {&w.colors[7], FLOAT, HUGE_VAL, part, "a color is not finite"},
        {&p->influence_count, WHOLE, 3, part, "influences come in fours"},
        {&p->joints, NOTHING, 0, part, "influences need joints and weights"},
        {&p->weights, NOTHING, 0, part, "influences need joints and weights"},
        {&w.weights[1], FLOAT, -1, part, "a weight is negative"},
        {&w.weights[5], FLOAT, 1, part, "weights do not add up to 1"},
        {&w.indices[2], WHOLE, 2, part, "an index is out of range"},
        {&p->influence_count, WHOLE, 0, "nodes[0].mesh", "a part of a skinned mesh has no weights"},
        {&w.skins[0].joint_count, WHOLE, 1, "nodes[0].mesh",
         "an influence names no joint of the skin"},
    };
    CHECK_BROKEN(cases);
}

TEST(materials_are_checked)
{
    tenon_material *m = &w.materials[0];
    tenon_texture *t = &m->textures[TENON_SLOT_NORMAL];
    const broken cases[] = {
        {&m->name, NO_UTF8, 0, "materials[0]", "a name is not UTF-8 text"},
        {&m->base_color[3], DOUBLE, HUGE_VAL, "materials[0]", "a color is not finite"},
        {&m->emissive[1], DOUBLE, HUGE_VAL, "materials[0]", "a color is not finite"},
        {&m->specular[2], DOUBLE, HUGE_VAL, "materials[0]", "a color is not finite"},
        {&m->metallic, DOUBLE, 1.5, "materials[0]", "metallic and roughness must be from 0 to 1"},
        {&m->metallic, DOUBLE, -1, "materials[0]", "metallic and roughness must be from 0 to 1"},
        {&m->roughness, DOUBLE, 1.5, "materials[0]", "metallic and roughness must be from 0 to 1"},
        {&m->roughness, DOUBLE, -1, "materials[0]", "metallic and roughness must be from 0 to 1"},
        {&m->alpha, WHOLE, 3, "materials[0]", "unknown alpha mode"},
        {&t->image, WHOLE, 1, "materials[0]", "the image does not exist"},
        {&t->uv_set, WHOLE, 8, "materials[0]", "the set of texture coordinates does not exist"},
        {&t->wrap[0], WHOLE, 3, "materials[0]", "unknown wrap mode"},
        {&t->wrap[1], WHOLE, 3, "materials[0]", "unknown wrap mode"},
        {&t->offset[1], DOUBLE, HUGE_VAL, "materials[0]",
         "the transform of a texture is not finite"},
        {&t->scale[1], DOUBLE, HUGE_VAL, "materials[0]",
         "the transform of a texture is not finite"},
        {&t->rotation, DOUBLE, HUGE_VAL, "materials[0]",
         "the transform of a texture is not finite"},
        {&w.images[0].name, NO_TEXT, 0, "images[0]", "a name or a path is not UTF-8 text"},
        {&w.images[0].path, NO_UTF8, 0, "images[0]", "a name or a path is not UTF-8 text"},
    };
    CHECK_BROKEN(cases);
}

TEST(animations_are_checked)
{
    static const char clip[] = "animations[0]";
    static const char turn[] = "animations[0].channels[0]", move[] = "animations[0].channels[1]";
    const broken cases[] = {
        {&w.animations[0].name, WITH_NUL, 0, clip, "a name is not UTF-8 text"},
        {&w.animations[0].duration, DOUBLE, -1, clip, "a duration is not finite"},
        {&w.animations[0].duration, DOUBLE, HUGE_VAL, clip, "a duration is not finite"},
        {&w.animations[0].duration, DOUBLE, 0.5, turn, "a key is after the end of the clip"},
        {&w.events[0].name, NO_TEXT, 0, clip, "an event has no name or no time"},
        {&w.events[0].time, DOUBLE, (double)NAN, clip, "an event has no name or no time"},
        {&w.events[1].time, DOUBLE, (double)NAN, clip, "an event has no name or no time"},
        {&w.channels[0].node, WHOLE, 2, turn, "the node does not exist"},
        {&w.channels[1].target, WHOLE, 4, move, "unknown target or curve"},
        {&w.channels[1].curve, WHOLE, 3, move, "unknown target or curve"},
        {&w.channels[1].key_count, WHOLE, 0, move, "a channel has no keys"},
        {&w.moves[5], FLOAT, HUGE_VAL, move, "a key is not finite"},
        {&w.turns[0], FLOAT, 1, turn, "a rotation is not of length 1"},
        {&w.times[0], FLOAT, -1, turn, "a time is below 0"},
        {&w.times[1], FLOAT, 0, turn, "times do not increase"},
    };
    CHECK_BROKEN(cases);
}

TEST(cameras_lights_and_extras_are_checked)
{
    tenon_camera *camera = &w.cameras[0];
    const broken cases[] = {
        {&camera->name, NO_TEXT, 0, "cameras[0]", "a name is not UTF-8 text"},
        {&camera->field_of_view, DOUBLE, 0, "cameras[0]", "a number is out of range"},
        {&camera->near_plane, DOUBLE, -1, "cameras[0]", "a number is out of range"},
        {&camera->far_plane, DOUBLE, 0.5, "cameras[0]",
         "the far plane is nearer than the near plane"},
        {&w.lights[0].name, NO_TEXT, 0, "lights[0]", "a name is not UTF-8 text"},
        {&w.lights[0].color[2], DOUBLE, HUGE_VAL, "lights[0]", "a color is not finite"},
        {&w.lights[0].kind, WHOLE, 3, "lights[0]", "unknown kind of light"},
        {&w.extras[0].of, WHOLE, 5, "extras[0]", "it belongs to nothing"},
        {&w.extras[0].name, NO_TEXT, 0, "extras[0]", "a name or a value is not UTF-8 text"},
        {&w.extras[0].value, NO_UTF8, 0, "extras[0]", "a name or a value is not UTF-8 text"},
    };
    CHECK_BROKEN(cases);
}

// -- Functions that need a valid scene check it first

TEST(an_invalid_scene_is_refused_everywhere)
{
    tenon_error err;
    tenon_verify_result result;
    uint64_t count;
    fill();
    w.nodes[1].parent = 1;
    static const tenon_scene empty = {.name = {"", 0}};
    CHECK(!tenon_verify(&w.scene, &empty, NULL, &result, &err));
    CHECK_STR(err.path, "nodes[1]");
    CHECK(!tenon_verify(&empty, &w.scene, NULL, &result, &err));
    CHECK_STR(err.path, "nodes[1]");
    CHECK(!tenon_diff(&w.scene, &empty, NULL, NULL, NULL, &count, &err));
    CHECK(!tenon_diff(&empty, &w.scene, NULL, NULL, NULL, &count, &err));
    CHECK_STR(err.message, "a parent comes after its child");
    CHECK(!tenon_export_file(&w.scene, "never_written.glb", &(tenon_export_opts){.format = "glb"},
                             NULL, &err));
    CHECK_STR(err.path, "nodes[1]");
    CHECK(fopen("never_written.glb", "rb") == NULL);
}

int main(void)
{
    RUN(the_scene_that_is_changed_is_valid);
    RUN(nodes_and_skins_are_checked);
    RUN(meshes_are_checked);
    RUN(materials_are_checked);
    RUN(animations_are_checked);
    RUN(cameras_lights_and_extras_are_checked);
    RUN(an_invalid_scene_is_refused_everywhere);
    TEST_END();
}
