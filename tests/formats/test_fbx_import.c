// test_fbx_import.c: what becomes of FBX files: skins, blend shapes, layers of animation, curves,
// looks, and the layouts before version 7. The numbers were computed by hand from the fixtures.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "formats/fbx/import/fbx_import_curves.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <tenon/scene.h>

#define FIXTURES "tests/fixtures/fbx/"
#define CLOSE    1e-6

typedef struct losses {
    char text[4096];
} losses;

static void take_loss(void *user, const tenon_loss *loss)
{
    losses *all = user;
    size_t used = strlen(all->text);
    snprintf(all->text + used, sizeof all->text - used, "%s (%" PRIu64 "); ", loss->feature,
             loss->count);
}

static tenon_scene *import_doc(tenon_doc *doc, losses *all)
{
    tenon_error err;
    tenon_scene_opts opts = {.events = {.user = all, .on_loss = all ? take_loss : NULL}};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &err) : NULL;
    if (!scene) fprintf(stderr, "%s\n", doc ? err.message : "the file cannot be read");
    if (!scene) abort();
    tenon_doc_free(doc);
    return scene;
}

static tenon_scene *import_fixture(const char *name, losses *all)
{
    char path[128];
    snprintf(path, sizeof path, FIXTURES "%s.fbx", name);
    return import_doc(tenon_read_file(path, NULL, NULL), all);
}

static uint32_t node_named(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].name.size == strlen(name) &&
            memcmp(scene->nodes[i].name.data, name, strlen(name)) == 0)
            return i;
    fprintf(stderr, "no node is named %s\n", name);
    abort();
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= CLOSE * (1 + fabs(b));
}

// Whether a vertex that is at `from` without animation is at `to` in a pose.
static bool goes_to(const tenon_scene *scene, uint32_t node, double seconds, const double from[3],
                    const double to[3])
{
    const tenon_primitive *p = &scene->meshes[scene->nodes[node].mesh].primitives[0];
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    float *at = malloc(3 * sizeof *at * p->vertex_count);
    bool is_there = false;
    if (!pose || !at) abort();
    tenon_pose_set(pose, 0, seconds);
    tenon_pose_skin(pose, node, 0, at, NULL);
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const float *rest = p->positions + 3 * (size_t)v, *now = at + 3 * (size_t)v;
        bool is_it = true, is_at = true;
        for (int k = 0; k < 3; k++) {
            is_it = is_it && is_near((double)rest[k], from[k]);
            is_at = is_at && fabs((double)now[k] - to[k]) < CLOSE;
        }
        if (!is_it) continue;
        is_there = is_at;
        if (!is_at)
            fprintf(stderr, "a vertex is at %g %g %g\n", (double)now[0], (double)now[1],
                    (double)now[2]);
    }
    free(at);
    tenon_pose_free(pose);
    return is_there;
}

static bool is_placed(const tenon_scene *scene, const char *name, double seconds,
                      const double place[3])
{
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    if (!pose) abort();
    if (seconds >= 0) tenon_pose_set(pose, 0, seconds);
    const double *m = tenon_pose_global(pose, node_named(scene, name));
    bool is_there = true;
    for (int k = 0; k < 3; k++) is_there = is_there && fabs(m[12 + k] - place[k]) < CLOSE;
    if (!is_there) fprintf(stderr, "%s is at %g %g %g\n", name, m[12], m[13], m[14]);
    tenon_pose_free(pose);
    return is_there;
}

// -- Deformers

TEST(skins_follow_their_joints)
{
    static const char *const names[] = {"skin", "skin_text"};
    for (int i = 0; i < 2; i++) {
        tenon_scene *scene = import_fixture(names[i], NULL);
        uint32_t strip = node_named(scene, "strip");
        CHECK(scene->skin_count == 1 && scene->skins[0].joint_count == 2);
        CHECK(scene->animation_count == 1 && scene->animations[0].name.size == 4);
        CHECK(scene->nodes[node_named(scene, "high")].is_joint);
        // The upper joint is at (2, 3) then, since the second layer counts half, and turned.
        CHECK(goes_to(scene, strip, 1, (double[]){-0.01, 0.04, 0}, (double[]){0, 0.02, 0}));
        CHECK(goes_to(scene, strip, 1, (double[]){-0.01, 0.02, 0}, (double[]){0.005, 0.02, 0}));
        CHECK(goes_to(scene, strip, 1, (double[]){1e-2, 0, 0}, (double[]){1e-2, 0, 0}));
        // A constant key holds the value of the next one from its time on.
        CHECK(is_placed(scene, "high", 0.25, (double[]){0, 0.0225, 0}));
        CHECK(is_placed(scene, "high", 0.75, (double[]){0.02, 0.0275, 0}));
        tenon_scene_free(scene);
    }
}

TEST(blend_shapes_pass_the_targets_between)
{
    static const char *const names[] = {"shapes", "shapes_text"};
    for (int i = 0; i < 2; i++) {
        tenon_scene *scene = import_fixture(names[i], NULL);
        const tenon_mesh *mesh = &scene->meshes[0];
        uint32_t face = node_named(scene, "face");
        CHECK(mesh->morph_count == 3 && mesh->morph_weights != NULL);
        CHECK(is_near(mesh->morph_weights[0], 0.5) && mesh->morph_weights[1] == 0);
        CHECK(is_near(mesh->morph_weights[2], 0.1));
        const double far[3] = {0.01, 0.02, 0}, near[3] = {-0.01, 0, 0};
        CHECK(goes_to(scene, face, 0.5, far, (double[]){0.01, 0.02, 0.01}));
        CHECK(goes_to(scene, face, 0.75, far, (double[]){0.01, 0.02, 0.025}));
        CHECK(goes_to(scene, face, 1, far, (double[]){0.01, 0.02, 0.04}));
        CHECK(goes_to(scene, face, 1, near, (double[]){-0.01, 0, 0.002}));
        // Blender's factor of the second point is a half.
        CHECK(goes_to(scene, face, 1, (double[]){0.01, 0, 0}, (double[]){0.01, 0, 0.001}));
        tenon_scene_free(scene);
    }
}

TEST(old_shapes_skins_and_takes_are_read)
{
    losses all = {""};
    tenon_scene *scene = import_fixture("six", &all);
    CHECK(scene->mesh_count == 1 && scene->skin_count == 1 && scene->animation_count == 1);
    CHECK(scene->meshes[0].morph_count == 1 && scene->node_count == 2);
    CHECK(is_near(scene->meshes[0].morph_weights[0], 0.5));
    CHECK(strstr(all.text, "additive skin clusters (1)") && strstr(all.text, "hidden nodes (1)"));
    CHECK(strstr(all.text, "animation curves (1)"));
    const tenon_material *paint = &scene->materials[0];
    CHECK(paint->base_color[3] == 0.5 && paint->alpha == TENON_BLEND);
    CHECK(paint->textures[TENON_SLOT_BASE_COLOR].image == 0 && scene->image_count == 1);
    tenon_scene_free(scene);
    scene = import_fixture("five", NULL);
    const tenon_primitive *p = &scene->meshes[0].primitives[0];
    CHECK(scene->node_count == 2 && scene->nodes[1].parent == 0 && p->normals && p->uvs[0]);
    CHECK(is_placed(scene, "Lid", -1, (double[]){0.02, 0, 0}));
    CHECK(scene->animations[0].duration == 1 && scene->animations[0].channel_count == 2);
    CHECK(scene->skin_count == 1 && scene->skins[0].joint_count == 2 && p->morph_count == 1);
    CHECK(scene->material_count == 1 && scene->materials[0].alpha == TENON_BLEND);
    tenon_scene_free(scene);
}

// -- Places

TEST(pivots_scales_and_axes_become_plain_nodes)
{
    losses all = {""};
    tenon_scene *scene = import_fixture("frames_text", &all);
    const double inch = 0.0254;
    // The file is left-handed, with Z up and Y to the front.
    CHECK(is_placed(scene, "top", -1, (double[]){0, 0, 0}));
    CHECK(strstr(all.text, "spheric rotation order (1)") && strstr(all.text, "hidden nodes (1)"));
    CHECK(strstr(all.text, "connections (1)"));
    // PreRotation 90 about Z, and PostRotation -30 about Y: X becomes (0, cos 30, sin -30) of the
    // file, twice as far from the parent that is scaled.
    double x = 2 * inch;
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    const double *m = tenon_pose_global(pose, node_named(scene, "rest"));
    double length = sqrt(m[12] * m[12] + m[13] * m[13] + m[14] * m[14]);
    CHECK(is_near(length, x));
    tenon_pose_set(pose, 0, 0);
    m = tenon_pose_global(pose, node_named(scene, "rest"));
    length = sqrt(m[12] * m[12] + m[13] * m[13] + m[14] * m[14]);
    CHECK(is_near(length, inch));
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

// -- Curves

static float value_at(const fbx_curve *curve, double time)
{
    return (float)fbx_import_curve_value(curve, time);
}

static fbx_curve make_curve(fbx_raw_key *raw, uint32_t count, fbx_key *keys)
{
    uint32_t kept = fbx_import_curve_keys(raw, count, 1, keys);
    return (fbx_curve){.keys = keys, .key_count = kept, .before = {'C', -1}, .after = {'C', -1}};
}

static fbx_raw_key raw_key(int64_t ticks, float value, uint32_t flags)
{
    const float third = (float)(1.0 / 3);
    return (fbx_raw_key){ticks, value, flags, {0, 0, 0}, third, third};
}

TEST(tension_continuity_and_bias_shape_a_curve)
{
    fbx_key keys[3];
    fbx_raw_key raw[3] = {raw_key(0, 0, FBX_KEY_CUBIC | FBX_KEY_TCB),
                          raw_key(1, 2, FBX_KEY_CUBIC | FBX_KEY_TCB),
                          raw_key(2, 0, FBX_KEY_CUBIC | FBX_KEY_TCB)};
    (void)make_curve(raw, 3, keys);
    CHECK(keys[0].right == 2 && keys[0].left == 0 && keys[1].right == 0 && keys[1].left == -2);
    raw[1].data[0] = 0.5f;  // Tension halves both slopes, bias prefers the chord to the left.
    raw[1].data[2] = 1;
    (void)make_curve(raw, 3, keys);
    CHECK(keys[0].left == 1 && keys[1].right == 1);
    raw[1].data[0] = raw[1].data[2] = 0;
    raw[1].data[1] = -1;  // A corner: each side has its own chord.
    (void)make_curve(raw, 3, keys);
    CHECK(keys[0].left == 2 && keys[1].right == -2);
}

TEST(automatic_tangents_are_smooth_and_may_be_clamped)
{
    fbx_key keys[3];
    const uint32_t automatic = FBX_KEY_CUBIC | FBX_KEY_AUTO;
    fbx_raw_key raw[3] = {raw_key(0, 0, automatic), raw_key(1, 1, automatic),
                          raw_key(3, 5, automatic)};
    // Half of the chord across, 5/3, and half of a mix of 1 and 2 by the lengths.
    (void)make_curve(raw, 3, keys);
    CHECK(is_near((double)keys[1].right, 5.0 / 6 + (1 * 2.0 / 3 + 2 * 1.0 / 3) / 2));
    raw[1].flags |= FBX_KEY_TIME_INDEPENDENT;
    (void)make_curve(raw, 3, keys);
    CHECK(is_near((double)keys[1].right, 5.0 / 3) && is_near((double)keys[0].left, 5.0 / 3));
    raw[1].flags = automatic | FBX_KEY_CLAMP;
    raw[2].value = 1;
    (void)make_curve(raw, 3, keys);
    CHECK(keys[1].right == 0 && keys[0].left == 0);
    // Not beyond the neighbors: below the rise over the weight's share of the time.
    raw[1].flags = automatic | FBX_KEY_TIME_INDEPENDENT | FBX_KEY_PROGRESSIVE;
    raw[1].value = 0.1f, raw[2].value = 30;
    (void)make_curve(raw, 3, keys);
    CHECK(is_near((double)keys[1].right, 0.1 * 3));
    raw[1].value = 40;
    (void)make_curve(raw, 3, keys);
    CHECK(keys[1].right == 0);
    // A bias of 100 takes the chord to the right, and more than 500 overshoots.
    raw[1] = raw_key(1, 1, automatic);
    raw[1].data[0] = 100, raw[2].value = 5;
    (void)make_curve(raw, 3, keys);
    CHECK(is_near((double)keys[1].right, 2));
    raw[1].data[0] = 600;
    (void)make_curve(raw, 3, keys);
    CHECK((double)keys[1].right > 40);
}

TEST(curves_go_on_beyond_their_keys)
{
    fbx_key keys[2];
    fbx_raw_key raw[2] = {raw_key(1, 0, FBX_KEY_LINEAR), raw_key(3, 4, FBX_KEY_LINEAR)};
    fbx_curve curve = make_curve(raw, 2, keys);
    CHECK(value_at(&curve, -9) == 0 && value_at(&curve, 9) == 4 && value_at(&curve, 2) == 2);
    curve.before = curve.after = (fbx_beyond){'R', -1};
    CHECK(value_at(&curve, 3.5) == 1 && value_at(&curve, 0.5) == 3);
    curve.before = curve.after = (fbx_beyond){'A', -1};
    CHECK(value_at(&curve, 3.5) == 5 && value_at(&curve, 0.5) == -1);
    curve.before = curve.after = (fbx_beyond){'M', -1};
    CHECK(value_at(&curve, 3.5) == 3 && value_at(&curve, 5.5) == 1 && value_at(&curve, 0.5) == 1);
    curve.before = curve.after = (fbx_beyond){'K', -1};
    CHECK(value_at(&curve, 4) == 6 && value_at(&curve, 0) == -2);
    curve.before = curve.after = (fbx_beyond){'A', 1};
    CHECK(value_at(&curve, 99) == 8 && value_at(&curve, -99) == -4);
    curve.after = (fbx_beyond){'R', 0};
    CHECK(value_at(&curve, 99) == 4);
    raw[0].flags = raw[1].flags = FBX_KEY_CONSTANT;
    curve = make_curve(raw, 2, keys);
    curve.before = curve.after = (fbx_beyond){'K', -1};
    CHECK(value_at(&curve, 4) == 4 && value_at(&curve, 2.9) == 0 && fbx_import_curve_moves(&curve));
}

TEST(weighted_tangents_bend_time)
{
    fbx_key keys[2];
    fbx_raw_key raw[2] = {raw_key(0, 0, FBX_KEY_CUBIC | FBX_KEY_USER),
                          raw_key(1, 1, FBX_KEY_CUBIC | FBX_KEY_USER)};
    raw[0].right_weight = 1, raw[0].left_weight = 1;
    fbx_curve curve = make_curve(raw, 2, keys);
    // Symmetric, flat at both ends and steep between.
    CHECK(is_near((double)value_at(&curve, 0.5), 0.5) && value_at(&curve, 0.25) < 0.05f);
    raw[0].value = NAN;
    curve = make_curve(raw, 2, keys);
    CHECK(curve.key_count == 1);
    raw[0] = raw_key(5, 1, 0), raw[1] = raw_key(5, 2, 0);
    curve = make_curve(raw, 2, keys);
    CHECK(curve.key_count == 1 && value_at(&curve, 0) == 1);
}

TEST(layers_mix_as_their_modes_say)
{
    tenon_scene *scene = import_fixture("curves_text", NULL);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    CHECK(pose && scene->animations[0].duration == 4);
    // At 2 s each layer counts half and has the value 2: the first multiplies 1 by a root of 2,
    // the second is 2 whatever its weight, the third is a root of 1 * 2.
    static const char *const names[] = {"a", "b", "c"};
    const double root = sqrt(2), heights[] = {root, 2, root};
    tenon_pose_set(pose, 0, 2);
    for (int i = 0; i < 3; i++) {
        const double *m = tenon_pose_global(pose, node_named(scene, names[i]));
        double height = sqrt(m[4] * m[4] + m[5] * m[5] + m[6] * m[6]);
        CHECK(fabs(height - heights[i]) < 1e-4);
    }
    // The rotation of "d" goes on with its slope: 20 degrees a second from 10 degrees on.
    const double *m = tenon_pose_global(pose, node_named(scene, "d"));
    CHECK(fabs(atan2(m[6], m[5]) - 20 * 3.14159265358979 / 180) < 1e-4);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

// -- Looks

TEST(materials_of_several_programs_are_read)
{
    losses all = {""};
    tenon_scene *scene = import_fixture("looks", &all);
    CHECK(scene->material_count == 3 && scene->camera_count == 1 && scene->light_count == 1);
    const tenon_material *phong = &scene->materials[0], *arnold = phong + 1, *max = phong + 2;
    CHECK(phong->is_classic && phong->base_color[0] == 0.5 && phong->base_color[2] == 0.5);
    CHECK(phong->base_color[3] == 0.75 && phong->alpha == TENON_BLEND);
    CHECK(phong->emissive[0] == 0.25 && phong->shininess == 25 && phong->roughness == 0.5);
    const tenon_texture *color = &phong->textures[TENON_SLOT_BASE_COLOR];
    CHECK(scene->images[color->image].size > 40 && color->scale[0] == 2 && color->scale[1] == 4);
    CHECK(color->offset[0] == 0.25 && color->offset[1] == -3.5);
    CHECK(color->wrap[0] == TENON_CLAMP && color->wrap[1] == TENON_REPEAT);
    CHECK(strstr(all.text, "bump textures (1)") && !strstr(all.text, "rotations of textures"));
    CHECK(is_near(phong->textures[TENON_SLOT_NORMAL].rotation, tn_radians(45)));
    CHECK(strstr(all.text, "textures (1)"));
    CHECK(!arnold->is_classic && arnold->metallic == 1 && arnold->roughness == 1);
    CHECK(arnold->textures[TENON_SLOT_METALLIC_ROUGHNESS].image != TENON_NONE);
    CHECK(strstr(all.text, "pictures (1)") && strstr(all.text, "layers of textures (1)"));
    CHECK(arnold->emissive[0] == 0.5 && arnold->base_color[0] == 1);
    CHECK(arnold->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE);
    CHECK(!max->is_classic && max->roughness == 0.75 && max->base_color[3] == 0.5);
    tenon_scene_free(scene);
}

TEST(layers_of_meshes_are_read_in_every_mapping)
{
    tenon_scene *scene = import_fixture("looks", NULL);
    const tenon_mesh *mesh = &scene->meshes[0];
    CHECK(mesh->primitive_count == 5);
    const tenon_primitive *quad = &mesh->primitives[0], *edge = &mesh->primitives[3];
    CHECK(edge->mode == TENON_LINES && edge->index_count == 2);
    CHECK(mesh->primitives[4].mode == TENON_POINTS && mesh->primitives[4].index_count == 1);
    // The geometric transform turns Z to X, makes the strip twice as wide, and moves it.
    CHECK(is_near((double)quad->positions[0], 0.01) && is_near((double)quad->positions[2], 0.02));
    CHECK(is_near((double)quad->normals[0], 1) && is_near((double)quad->tangents[2], -1));
    CHECK(quad->uvs[0] && quad->uvs[1] && quad->colors[0] && quad->uvs[1][0] == 0.5f);
    CHECK(quad->uvs[0][1] == 1 && quad->uvs[0][3] == 0.75f && quad->colors[0][7] == 0.5f);
    const tenon_camera *lens = &scene->cameras[0];
    CHECK(is_near(lens->aspect_ratio, 16.0 / 9) && is_near(lens->near_plane, 0.1));
    CHECK(is_near(tan(lens->field_of_view / 2), 9.0 / 16));
    const tenon_light *bulb = &scene->lights[0];
    CHECK(bulb->kind == TENON_SPOT_LIGHT && bulb->intensity == 2 && bulb->color[1] == 0.5);
    CHECK(is_near(bulb->outer_angle, 3.14159265358979 / 6));
    tenon_scene_free(scene);
}

// The second link of a geometry overwrote its name while that was part of a tree of names.
TEST(geometries_of_version_6_may_have_several_links)
{
    static const char file[] = "; FBX 6.1.0 project file\n"
                               "Objects: {\n"
                               "Model: \"Model::a\", \"Mesh\" {\n}\n"
                               "Model: \"Model::b\", \"Mesh\" {\n}\n"
                               "Geometry: \"Geometry::g\", \"Mesh\" {\n"
                               "NodeAttributeName: \"x\"\n"
                               "Vertices: 0,0,0,1,0,0,0,1,0\n"
                               "PolygonVertexIndex: 0,1,-3\n}\n"
                               "Geometry: \"Geometry::h\", \"Mesh\" {\n"
                               "NodeAttributeName: \"y\"\n}\n"
                               "Geometry: \"Geometry::i\", \"Mesh\" {\n"
                               "NodeAttributeName: \"zz\"\n}\n"
                               "}\n"
                               "Connections: {\n"
                               "Connect: \"OO\", \"Geometry::g\", \"Model::a\"\n"
                               "Connect: \"OO\", \"Geometry::h\", \"Model::a\"\n"
                               "Connect: \"OO\", \"Geometry::i\", \"Model::a\"\n"
                               "Connect: \"OO\", \"Geometry::g\", \"Model::b\"\n"
                               "Connect: \"OO\", \"Geometry::i\", \"Model::b\"\n"
                               "Connect: \"OO\", \"Geometry::h\", \"Model::b\"\n"
                               "}\n";
    tenon_scene *scene = import_doc(tenon_read(file, sizeof file - 1, NULL, NULL), NULL);
    const uint32_t a = scene->nodes[0].mesh, b = scene->nodes[1].mesh;
    CHECK(scene->node_count == 2 && a != TENON_NONE && b != TENON_NONE);
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(skins_follow_their_joints);
    RUN(blend_shapes_pass_the_targets_between);
    RUN(old_shapes_skins_and_takes_are_read);
    RUN(pivots_scales_and_axes_become_plain_nodes);
    RUN(tension_continuity_and_bias_shape_a_curve);
    RUN(automatic_tangents_are_smooth_and_may_be_clamped);
    RUN(curves_go_on_beyond_their_keys);
    RUN(weighted_tangents_bend_time);
    RUN(layers_mix_as_their_modes_say);
    RUN(materials_of_several_programs_are_read);
    RUN(layers_of_meshes_are_read_in_every_mapping);
    RUN(geometries_of_version_6_may_have_several_links);
    TEST_END();
}
