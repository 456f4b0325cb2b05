// test_gpb_export.c: scenes exported as gameplay bundles: nodes, meshes, skins, cameras and lights.
// SPDX-License-Identifier: MIT

#include "gpb_export_help.h"

#include <float.h>

// -- Meshes

TEST(a_mesh_is_as_the_encoder_writes_it)
{
    float normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, uvs[6] = {0, 0, 1, 0.25f, 0, 1};
    float colors[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0.5f};
    float tangents[12] = {1, 0, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "sail", AT_TOP);
    tenon_primitive *p = hand_mesh(&s.h, "sail", node, triangle, 3);
    p->normals = normals;
    p->uvs[0] = uvs;
    p->colors[0] = colors;
    p->tangents = tangents;
    write_stage(&b, &s);
    const tenon_gpb_mesh *mesh = &gpb_block(b.doc, TENON_GPB_MESH)->body.mesh;
    const uint32_t want[] = {1, 3, 2, 3, 4, 3, 5, 3, 8, 2, 3, 4};
    CHECK(mesh->element_count == 6 && memcmp(mesh->elements, want, sizeof want) == 0);
    CHECK(mesh->vertices.count == 3 && mesh->vertices.size == 3 * 72);
    // Of the second vertex: the binormal has the other sign, v goes upwards.
    const float second[] = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, -1, 0, 1, 0.75f, 0, 1, 0, 1};
    for (uint32_t i = 0; i < 18; i++) CHECK(gpb_f32_at(&mesh->vertices, 18 + i) == second[i]);
    CHECK(mesh->bounds.max[0] == 1 && mesh->bounds.max[1] == 2 && mesh->bounds.min[1] == 0);
    CHECK(mesh->bounds.center[0] == 0.5f && mesh->bounds.center[1] == 1);
    CHECK(close_to(mesh->bounds.radius, sqrt(1.25), 1e-6));
    CHECK(mesh->part_count == 1 && mesh->parts[0].primitive_type == 4);
    CHECK(mesh->parts[0].index_format == 0x1403 && mesh->parts[0].indices.count == 3);
    CHECK(is_same_pose(&b));
    CHECK(b.scene->meshes[0].primitives[0].tangents[3] == -1);
    bundle_free(&b);
    stage_end(&s);
}

TEST(objects_are_in_the_order_of_the_encoder)
{
    float times[2] = {0, 1}, values[6] = {0, 0, 0, 1, 0, 0};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t zebra = hand_node(&s.h, "zebra", AT_TOP), ant = hand_node(&s.h, "ant", zebra);
    hand_mesh(&s.h, "zebra", ant, triangle, 3);
    hand_clip(&s.h, "run", 1);
    hand_channel(&s.h, zebra, TENON_TRANSLATION, 2, times, values);
    write_stage(&b, &s);
    CHECK(b.doc->version[0] == 1 && b.doc->version[1] == 5);
    CHECK(b.doc->block_count == 3 && b.doc->blocks[0].kind == TENON_GPB_MESH);
    CHECK(b.doc->blocks[1].kind == TENON_GPB_SCENE);
    CHECK(b.doc->blocks[2].kind == TENON_GPB_ANIMATIONS);
    CHECK(b.doc->blocks[0].counts == TENON_GPB_COUNTS_MESHES && b.doc->mesh_count == 1);
    CHECK(b.doc->blocks[1].counts == TENON_GPB_COUNTS_OBJECTS && b.doc->object_count == 2);
    CHECK(is_sorted(b.doc) && b.doc->reference_count == 5);
    CHECK(has_id(b.doc, "__Animations__") && has_id(b.doc, "__SCENE__"));
    // A node may have the name as well: names of meshes are separate.
    CHECK(text_is(gpb_node_named(b.doc, "ant").node->model.mesh, "#zebra_Mesh"));
    CHECK(text_is(gpb_node_named(b.doc, "ant").node->parent_id, "zebra"));
    CHECK(lost_total(&b.lost, "names") == 1);  // The scene has none.
    bundle_free(&b);
    stage_end(&s);
}

TEST(parts_of_a_mesh_share_their_vertices)
{
    float uvs[6] = {0, 0, 1, 0, 0, 1}, other[9] = {5, 0, 0, 6, 0, 0, 5, 0, 1};
    float colors[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    stage s;
    bundle b;
    stage_begin(&s);
    hand_mesh(&s.h, "both", hand_node(&s.h, "a", AT_TOP), triangle, 3)->uvs[0] = uvs;
    tenon_primitive *second = &s.h.primitives[s.h.primitive_count++];
    *second = (tenon_primitive){.mode = TENON_TRIANGLE_FAN,
                                .material = TENON_NONE,
                                .vertex_count = 3,
                                .positions = other,
                                .colors = {colors, colors}};
    s.h.meshes[0].primitive_count = 2;
    s.h.nodes[hand_node(&s.h, "b", AT_TOP)].mesh = 0;
    write_stage(&b, &s);
    const tenon_gpb_mesh *mesh = &gpb_block(b.doc, TENON_GPB_MESH)->body.mesh;
    CHECK(b.doc->mesh_count == 1 && mesh->part_count == 2 && mesh->vertices.count == 6);
    CHECK(mesh->parts[1].primitive_type == 4);
    CHECK(lost_count(&b.lost, "vertex elements") == 2);
    CHECK(lost_count(&b.lost, "second vertex colors") == 1);
    CHECK(lost_total(&b.lost, "normals") == 6);
    CHECK(b.scene->mesh_count == 1 && b.scene->nodes[0].mesh == b.scene->nodes[1].mesh);
    CHECK(b.scene->meshes[0].primitives[0].colors[0][0] == 1);
    CHECK(b.scene->meshes[0].primitives[1].colors[0][0] == 0);
    CHECK(is_same_pose(&b));
    bundle_free(&b);
    stage_end(&s);
}

TEST(lines_and_points_are_kept)
{
    const tenon_mode modes[] = {TENON_POINTS,     TENON_LINES,          TENON_LINE_LOOP,
                                TENON_LINE_STRIP, TENON_TRIANGLE_STRIP, TENON_TRIANGLE_FAN};
    const uint32_t types[] = {0, 1, 1, 3, 5, 4}, counts[] = {3, 2, 6, 3, 3, 3};
    for (int i = 0; i < 6; i++) {
        stage s;
        bundle b;
        stage_begin(&s);
        hand_mesh(&s.h, "m", hand_node(&s.h, "n", AT_TOP), triangle, 3)->mode = modes[i];
        write_stage(&b, &s);
        const tenon_gpb_part *part = gpb_block(b.doc, TENON_GPB_MESH)->body.mesh.parts;
        CHECK(part->primitive_type == types[i] && part->indices.count == counts[i]);
        CHECK(lost_count(&b.lost, "vertices") == (modes[i] == TENON_LINES));
        bundle_free(&b);
        stage_end(&s);
    }
}

TEST(indices_are_as_wide_as_needed)
{
    enum { MANY = 65538 };
    float *positions = calloc(3 * MANY, sizeof *positions);
    stage s;
    bundle b;
    stage_begin(&s);
    for (uint32_t i = 0; i < MANY; i++) positions[3 * (size_t)i] = (float)i;
    hand_mesh(&s.h, "m", hand_node(&s.h, "n", AT_TOP), positions, MANY)->mode = TENON_POINTS;
    write_stage(&b, &s);
    const tenon_gpb_part *part = gpb_block(b.doc, TENON_GPB_MESH)->body.mesh.parts;
    CHECK(part->index_format == 0x1405 && part->indices.size == 4 * (uint64_t)MANY);
    CHECK(gpb_u32_at(&part->indices, MANY - 1) == MANY - 1);
    bundle_free(&b);
    stage_end(&s);
    free(positions);
}

TEST(what_is_empty_is_not_written)
{
    stage s;
    bundle b;
    stage_begin(&s);
    hand_mesh(&s.h, "nothing", hand_node(&s.h, "a", AT_TOP), NULL, 0);
    hand_mesh(&s.h, "too few", hand_node(&s.h, "b", AT_TOP), triangle, 2);
    hand_mesh(&s.h, "unseen", hand_node(&s.h, "c", AT_TOP), triangle, 3);
    s.h.nodes[2].mesh = TENON_NONE;
    write_stage(&b, &s);
    CHECK(b.doc->mesh_count == 0 && b.scene->node_count == 3);
    CHECK(lost_count(&b.lost, "meshes") == 3 && lost_count(&b.lost, "parts of meshes") == 2);
    bundle_free(&b);
    stage_end(&s);
}

// The engine's front face is fixed; that of a scene follows the matrices.
TEST(mirrored_meshes_have_their_triangles_reversed)
{
    const uint32_t indices[2][3] = {{0, 1, 2}, {0, 2, 1}};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t plain = hand_node(&s.h, "plain", AT_TOP), mirror = hand_node(&s.h, "mirror", AT_TOP);
    hand_mesh(&s.h, "sail", plain, triangle, 3);
    s.h.nodes[mirror].mesh = s.h.nodes[plain].mesh;
    s.h.nodes[mirror].scale[1] = -1;
    write_stage(&b, &s);
    CHECK(b.doc->mesh_count == 2 && lost_count(&b.lost, "meshes") == 1);
    CHECK(has_id(b.doc, "sail_Mesh") && has_id(b.doc, "sail_mirrored_Mesh"));
    for (uint32_t i = 0; i < 2 && b.doc->mesh_count == 2; i++) {
        const tenon_span *written = &b.doc->blocks[i].body.mesh.parts[0].indices;
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(written->data[2 * (size_t)k] == indices[i][k]);
            CHECK(b.scene->meshes[i].primitives[0].indices[k] == k);
        }
    }
    CHECK(b.scene->nodes[plain].mesh == 0 && b.scene->nodes[mirror].mesh == 1);
    CHECK(is_same_pose(&b));
    bundle_free(&b);
    stage_end(&s);
}

// -- Nodes

TEST(a_sheared_node_becomes_two)
{
    const double sheared[16] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 2, 0, 3, 4, 5, 1};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t first = hand_node(&s.h, "first", AT_TOP), node = hand_node(&s.h, "lean", first);
    uint32_t child = hand_node(&s.h, "child", node);
    hand_node(&s.h, "last", first);
    s.h.nodes[node].has_matrix = true;
    memcpy(s.h.nodes[node].matrix, sheared, sizeof sheared);
    hand_mesh(&s.h, "m", child, triangle, 3);
    write_stage(&b, &s);
    CHECK(gpb_node_named(b.doc, "lean_shear").depth == 1);
    CHECK(gpb_node_named(b.doc, "lean").depth == 2 && gpb_node_named(b.doc, "child").depth == 3);
    const tenon_gpb_node *parent = gpb_node_named(b.doc, "first").node;
    CHECK(text_is(tenon_gpb_id(b.doc, parent->children[0].reference), "lean_shear"));
    CHECK(lost_count(&b.lost, "nodes") == 1);
    for (uint32_t i = 0; i < b.scene->node_count; i++) CHECK(!b.scene->nodes[i].has_matrix);
    CHECK(is_same_pose(&b));
    bundle_free(&b);
    stage_end(&s);
}

TEST(names_become_ids)
{
    char *longest = malloc(6001);
    stage s;
    bundle b;
    stage_begin(&s);
    memset(longest, 'x', 6000);
    longest[6000] = '\0';
    hand_node(&s.h, "", AT_TOP);
    hand_node(&s.h, "twin", AT_TOP);
    hand_node(&s.h, "twin", AT_TOP);
    hand_node(&s.h, "__Animations__", AT_TOP);
    hand_node(&s.h, longest, AT_TOP);
    s.h.scene.name = hand_text("twin");
    write_stage(&b, &s);
    CHECK(has_id(b.doc, "node") && has_id(b.doc, "twin") && has_id(b.doc, "twin_2"));
    CHECK(has_id(b.doc, "twin_Scene") && has_id(b.doc, "__Animations___2"));
    for (uint32_t i = 0; i < b.doc->reference_count; i++)
        CHECK(b.doc->references[i].id.size < 5000);
    CHECK(lost_count(&b.lost, "names") == 4);
    bundle_free(&b);
    stage_end(&s);
    free(longest);
}

TEST(a_scene_without_anything_is_a_bundle)
{
    stage s;
    bundle b;
    stage_begin(&s);
    write_stage(&b, &s);
    CHECK(b.doc->block_count == 1 && b.lost.kinds == 1 && lost_count(&b.lost, "names") == 1);
    CHECK(b.folder.first == b.folder.last);
    bundle_free(&b);
    stage_end(&s);
}

TEST(chains_that_readers_refuse_are_refused)
{
    enum { DEEP = 300 };
    static tenon_node nodes[DEEP];
    stage s;
    bundle b;
    stage_begin(&s);
    hand_node(&s.h, "n", AT_TOP);
    for (uint32_t i = 0; i < DEEP; i++) {
        nodes[i] = s.h.nodes[0];
        nodes[i].parent = i ? i - 1 : AT_TOP;
    }
    s.h.scene.nodes = nodes;
    s.h.scene.node_count = DEEP;
    write_with(&b, &s.h.scene, (tenon_export_opts){0});
    CHECK(!b.is_written && b.err.code == TENON_ERR_LIMIT && b.folder.first == NULL);
    bundle_free(&b);
    s.h.scene.node_count = 200;
    write_stage(&b, &s);
    CHECK(b.scene->node_count == 200);
    bundle_free(&b);
    stage_end(&s);
}

TEST(numbers_too_large_for_a_float_are_clamped_and_reported)
{
    stage s;
    bundle b;
    stage_begin(&s);
    hand_node(&s.h, "n", AT_TOP);
    s.h.nodes[0].translation[1] = 1e200;
    write_stage(&b, &s);
    CHECK(b.scene->nodes[0].translation[1] == FLT_MAX);
    CHECK(lost_count(&b.lost, "numbers") == 1);
    bundle_free(&b);
    stage_end(&s);
}

// -- Skins

// The skeleton: a root that is not at the origin, with a joint below it.
static uint32_t add_skeleton(stage *s, limb *l)
{
    uint32_t root = hand_node(&s->h, "root", AT_TOP), tip = hand_node(&s->h, "tip", root);
    s->h.nodes[root].translation[0] = 4;
    s->h.nodes[tip].translation[1] = 1;
    l->joints[0] = root;
    l->joints[1] = tip;
    return root;
}

TEST(a_skinned_mesh_is_at_the_scene_root)
{
    limb l = {0};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t root = add_skeleton(&s, &l), node = hand_node(&s.h, "body", root);
    s.h.nodes[node].scale[2] = 3;
    stage_skin(&s, &l, "m", node, 2);
    write_stage(&b, &s);
    finding body = gpb_node_named(b.doc, "body");
    CHECK(body.depth == 0 && body.node->transform[10] == 1 && body.node->model.has_skin == 1);
    CHECK(text_is(body.node->model.skin.joints[1], "#tip"));
    CHECK(body.node->model.skin.bind_shape[0] == 1 && body.node->model.skin.bind_shape[1] == 0);
    CHECK(gpb_node_named(b.doc, "tip").node->node_type == 2 && body.node->node_type == 1);
    CHECK(lost_count(&b.lost, "places of skinned meshes") == 1);
    CHECK(is_same_pose(&b) && b.scene->node_count == 3);
    bundle_free(&b);
    stage_end(&s);
}

TEST(a_skinned_mesh_that_does_not_move_and_is_outside_its_skeleton_stays)
{
    limb l = {0};
    stage s;
    bundle b;
    stage_begin(&s);
    (void)add_skeleton(&s, &l);
    uint32_t group = hand_node(&s.h, "group", AT_TOP), node = hand_node(&s.h, "body", group);
    stage_skin(&s, &l, "m", node, 2);
    write_stage(&b, &s);
    CHECK(gpb_node_named(b.doc, "body").depth == 1);
    CHECK(lost_count(&b.lost, "places of skinned meshes") == 0 && is_same_pose(&b));
    bundle_free(&b);
    stage_end(&s);
}

TEST(a_node_that_is_needed_leaves_its_skinned_mesh_to_another)
{
    limb l = {0};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t root = add_skeleton(&s, &l);
    stage_skin(&s, &l, "m", root, 2);
    write_stage(&b, &s);
    finding holder = gpb_node_named(b.doc, "root_model");
    CHECK(holder.depth == 0 && holder.node->transform[12] == 0 && holder.node->model.mesh.size);
    CHECK(gpb_node_named(b.doc, "root").node->model.mesh.size == 0);
    CHECK(lost_count(&b.lost, "nodes") == 1 && is_same_pose(&b));
    bundle_free(&b);
    stage_end(&s);
}

TEST(a_joint_with_two_matrices_becomes_two)
{
    limb l = {0}, other = {0};
    stage s;
    bundle b;
    stage_begin(&s);
    (void)add_skeleton(&s, &l);
    other.joints[0] = l.joints[0];
    other.joints[1] = l.joints[1];
    uint32_t first = hand_node(&s.h, "first", AT_TOP), second = hand_node(&s.h, "second", AT_TOP);
    stage_skin(&s, &l, "a", first, 2);
    stage_skin(&s, &other, "b", second, 2);
    other.binds[16 + 12] = -7;
    write_stage(&b, &s);
    const tenon_gpb_skin *skin = &gpb_node_named(b.doc, "second").node->model.skin;
    CHECK(text_is(skin->joints[0], "#root") && text_is(skin->joints[1], "#tip_bind"));
    CHECK(gpb_node_named(b.doc, "tip_bind").depth == 2);
    CHECK(gpb_node_named(b.doc, "tip_bind").node->node_type == 2);
    CHECK(lost_count(&b.lost, "nodes") == 1 && is_same_pose(&b));
    bundle_free(&b);
    stage_end(&s);
}

#define CROWD 20

// Vertices with room for `each` influences, of which the first has five.
static void check_crowd(uint32_t each)
{
    float weights[3 * CROWD] = {0.3f, 0.25f, 0.2f, 0.15f, 0.1f}, binds[80];
    uint16_t numbers[3 * CROWD] = {0, 1, 2, 3, 4};
    uint32_t joints[5];
    limb l = {0};
    stage s;
    bundle b;
    stage_begin(&s);
    tenon_primitive *p = stage_skin(&s, &l, "m", hand_node(&s.h, "body", AT_TOP), 1);
    for (uint32_t i = 0; i < 5; i++) joints[i] = hand_node(&s.h, "joint", AT_TOP);
    for (uint32_t i = 0; i < 80; i++) binds[i] = i % 16 % 5 == 0;
    s.h.nodes[joints[4]].translation[2] = 50;
    s.h.skins[0] = (tenon_skin){hand_text("m"), TENON_NONE, 5, joints, binds, 0};
    weights[each] = weights[2 * each] = 1;
    p->influence_count = each;
    p->weights = weights;
    p->joints = numbers;
    write_stage(&b, &s);
    CHECK(lost_count(&b.lost, "influences") == 1);
    CHECK(b.proof.largest > 0.01);
    const tenon_gpb_mesh *mesh = &gpb_block(b.doc, TENON_GPB_MESH)->body.mesh;
    uint64_t stride = mesh->vertices.layout->stride / 4;
    double sum = 0;
    for (uint32_t i = 0; i < 4; i++) sum += gpb_f32_at(&mesh->vertices, stride - 8 + i);
    CHECK(close_to(sum, 1, 1e-6) && gpb_f32_at(&mesh->vertices, stride - 1) == 3);
    bundle_free(&b);
    stage_end(&s);
}

TEST(the_heaviest_influences_are_kept_and_the_error_is_measured)
{
    check_crowd(8);
    check_crowd(CROWD);
}

// Bounds are relative to the parent of the root joint, and hold all poses.
TEST(bounds_of_skinned_meshes_hold_all_clips)
{
    float times[2] = {0, 1}, values[6] = {0, 1, 0, 0, 11, 0};
    limb l = {0};
    stage s;
    bundle b;
    stage_begin(&s);
    uint32_t top = hand_node(&s.h, "top", AT_TOP), root = hand_node(&s.h, "root", top);
    uint32_t tip = hand_node(&s.h, "tip", root);
    s.h.nodes[top].translation[0] = 100;
    s.h.nodes[root].translation[0] = 4;
    s.h.nodes[tip].translation[1] = 1;
    l.joints[0] = tip;
    l.joints[1] = root;
    stage_skin(&s, &l, "m", hand_node(&s.h, "body", AT_TOP), 2);
    hand_clip(&s.h, "up", 1);
    hand_channel(&s.h, tip, TENON_TRANSLATION, 2, times, values);
    write_stage(&b, &s);
    const tenon_gpb_bounds *bounds = &gpb_block(b.doc, TENON_GPB_MESH)->body.mesh.bounds;
    CHECK(close_to(bounds->min[0], 4, 1e-5) && close_to(bounds->max[0], 5, 1e-5));
    CHECK(close_to(bounds->min[1], 0, 1e-5) && close_to(bounds->max[1], 11, 1e-5));
    CHECK(bounds->radius >= 5.5f && bounds->radius < 6);
    bundle_free(&b);
    stage_end(&s);
}

// -- Cameras and lights

TEST(cameras_and_lights_are_kept)
{
    tenon_camera cameras[2] = {{.name = hand_text("eye"),
                                .field_of_view = 1,
                                .near_plane = 0.5,
                                .far_plane = 80,
                                .aspect_ratio = 2},
                               {.name = hand_text(""),
                                .is_orthographic = true,
                                .field_of_view = 1,
                                .half_width = 3,
                                .half_height = 2,
                                .near_plane = 1}};
    tenon_light lights[2] = {{.name = hand_text("sun"),
                              .kind = TENON_DIRECTIONAL_LIGHT,
                              .color = {1, 1, 0.5},
                              .intensity = 1},
                             {.name = hand_text("lamp"),
                              .kind = TENON_SPOT_LIGHT,
                              .color = {1, 0, 0},
                              .intensity = 4,
                              .inner_angle = 0.25,
                              .outer_angle = 0.5}};
    tenon_extra extras[3] = {
        {TENON_EXTRA_OF_SCENE, 0, hand_text("ambient_color"), hand_text("0.25/0.5/1")},
        {TENON_EXTRA_OF_SCENE, 0, hand_text("active_camera"), hand_text("second")},
        {TENON_EXTRA_OF_NODE, 0, hand_text("mood"), hand_text("good")}};
    stage s;
    bundle b;
    stage_begin(&s);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t node = hand_node(&s.h, i ? "second" : "first", AT_TOP);
        s.h.nodes[node].camera = s.h.nodes[node].light = i;
    }
    s.h.scene.cameras = cameras, s.h.scene.camera_count = 2;
    s.h.scene.lights = lights, s.h.scene.light_count = 2;
    s.h.scene.extras = extras, s.h.scene.extra_count = 3;
    write_stage(&b, &s);
    const tenon_scene *made = b.scene;
    CHECK(made->camera_count == 2 && made->light_count == 2);
    CHECK(close_to(made->cameras[0].field_of_view, 1, 1e-6) && made->cameras[0].far_plane == 80);
    CHECK(made->cameras[1].is_orthographic && made->cameras[1].half_height == 2);
    CHECK(made->cameras[1].aspect_ratio == 1.5 && made->cameras[1].far_plane == 1000);
    CHECK(made->lights[0].color[2] == 0.5 && made->lights[0].intensity == 1);
    CHECK(made->lights[1].intensity == 4 && made->lights[1].range == 20);
    CHECK(made->lights[1].outer_angle == 0.5);
    CHECK_STR(extra_of(made, TENON_EXTRA_OF_SCENE, 0, "ambient_color"), "0.25/0.5/1");
    CHECK_STR(extra_of(made, TENON_EXTRA_OF_SCENE, 0, "active_camera"), "second");
    CHECK(lost_count(&b.lost, "cameras") == 1 && lost_count(&b.lost, "ranges of lights") == 1);
    CHECK(lost_count(&b.lost, "extras") == 1 && lost_count(&b.lost, "active camera") == 0);
    CHECK(lost_count(&b.lost, "intensities of lights") == 0);
    bundle_free(&b);
    stage_end(&s);
}

// -- Everything

static tenon_scene *scene_of_file(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene_opts opts = {.model_path = path};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &err) : NULL;
    tenon_doc_free(doc);
    if (scene) return scene;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

TEST(the_crane_is_converted_from_every_format)
{
    static const char *const paths[] = {
        "samples/crane.glb", "samples/crane.gpb",  "samples/crane.bmw",  "samples/crane.cea",
        "samples/crane.cem", "samples/crane.bplx", "samples/crane.bbmod"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        tenon_scene *scene = scene_of_file(paths[i]);
        bundle b;
        write_with(&b, scene, (tenon_export_opts){0});
        CHECK(b.is_written && is_accepted(b.doc) && is_same_pose(&b));
        CHECK(b.proof.clip_count == scene->animation_count);
        bundle_free(&b);
        tenon_scene_free(scene);
    }
}

// What the scene keeps of a bundle is in the bundle that is exported again.
TEST(the_crane_stays_the_same)
{
    tenon_scene *scene = scene_of_file("samples/crane.gpb");
    tenon_error err;
    bundle b;
    uint64_t count = 1;
    write_with(&b, scene, (tenon_export_opts){0});
    CHECK(tenon_diff(scene, b.scene, NULL, NULL, NULL, &count, &err) && count == 0);
    CHECK(b.lost.kinds == 0);
    for (uint32_t i = 0; i < b.lost.kinds; i++) fprintf(stderr, "%s\n", b.lost.all[i].feature);
    bundle_free(&b);
    tenon_scene_free(scene);
}

TEST(older_versions_are_written_as_well)
{
    static const char *const dialects[] = {"1.4", "1.2", "1.1", "1.0-bare-float-root-attenuation",
                                           "document"};
    tenon_scene *scene = scene_of_file("samples/crane.gpb");
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        bundle b;
        write_with(&b, scene, (tenon_export_opts){.dialect = dialects[i]});
        CHECK(b.is_written && is_same_pose(&b));
        if (b.doc && i < 3) CHECK_STR(b.doc->base.dialect->name, dialects[i]);
        bundle_free(&b);
    }
    tenon_scene_free(scene);
}

TEST(the_same_scene_gives_the_same_bytes)
{
    tenon_scene *scene = scene_of_file("samples/crane.glb");
    bundle a, b;
    write_with(&a, scene, (tenon_export_opts){0});
    write_with(&b, scene, (tenon_export_opts){0});
    const tn_memory_file *x = a.folder.first, *y = b.folder.first;
    for (; x && y; x = x->next, y = y->next)
        CHECK(x->size == y->size && memcmp(x->data, y->data, x->size) == 0);
    CHECK(!x && !y);
    bundle_free(&a);
    bundle_free(&b);
    tenon_scene_free(scene);
}

static void fail_every_allocation(const char *path)
{
    tenon_scene *scene = scene_of_file(path);
    bool is_written = false;
    for (uint64_t at = 1; !is_written && at < 2000; at++) {
        hand_memory memory = {.refused = at};
        tn_memory_folder folder = {.allocator = &plain_allocator};
        tenon_sink sink = tn_memory_sink(&folder);
        tenon_export_opts opts = {.format = "gpb", .allocator = hand_allocator(&memory)};
        tenon_error err;
        is_written = tenon_export(scene, &opts, &sink, &err);
        CHECK(is_written || err.code == TENON_ERR_MEMORY);
        CHECK(memory.live == 0);
        tn_memory_free(&folder);
    }
    CHECK(is_written);
    tenon_scene_free(scene);
}

TEST(every_allocation_may_fail)
{
    fail_every_allocation("samples/crane.glb");
    fail_every_allocation("tests/fixtures/gltf/mirrored.glb");
}

int main(void)
{
    RUN(a_mesh_is_as_the_encoder_writes_it);
    RUN(objects_are_in_the_order_of_the_encoder);
    RUN(parts_of_a_mesh_share_their_vertices);
    RUN(lines_and_points_are_kept);
    RUN(indices_are_as_wide_as_needed);
    RUN(what_is_empty_is_not_written);
    RUN(mirrored_meshes_have_their_triangles_reversed);
    RUN(a_sheared_node_becomes_two);
    RUN(names_become_ids);
    RUN(a_scene_without_anything_is_a_bundle);
    RUN(chains_that_readers_refuse_are_refused);
    RUN(numbers_too_large_for_a_float_are_clamped_and_reported);
    RUN(a_skinned_mesh_is_at_the_scene_root);
    RUN(a_skinned_mesh_that_does_not_move_and_is_outside_its_skeleton_stays);
    RUN(a_node_that_is_needed_leaves_its_skinned_mesh_to_another);
    RUN(a_joint_with_two_matrices_becomes_two);
    RUN(the_heaviest_influences_are_kept_and_the_error_is_measured);
    RUN(bounds_of_skinned_meshes_hold_all_clips);
    RUN(cameras_and_lights_are_kept);
    RUN(the_crane_is_converted_from_every_format);
    RUN(the_crane_stays_the_same);
    RUN(older_versions_are_written_as_well);
    RUN(the_same_scene_gives_the_same_bytes);
    RUN(every_allocation_may_fail);
    TEST_END();
}
