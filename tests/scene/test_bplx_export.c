// test_bplx_export.c: scenes exported as BPLX: one mesh at rest, materials, bones that move.
// SPDX-License-Identifier: MIT

#include "export_help.h"

#include <tenon/bplx.h>

static const tenon_bplx *model_of(const written *w)
{
    return tenon_as_bplx(w->doc);
}

// Two plates, the second of which is a child of the first and moved by a clip, as far as a scene
// can have that.
typedef struct pair {
    stage s;
    uint32_t low, high;
    float times[3], places[9], turns[8];
} pair;

static void pair_begin(pair *p)
{
    *p = (pair){.times = {0, 1, 2},
                .places = {0, 5, 0, 1, 5, 0, 0, 5, 0},
                .turns = {0, 0, 0, 1, 0, 0, 1, 0}};
    stage_begin(&p->s);
    p->low = hand_node(&p->s.h, "low", TENON_NONE);
    p->high = hand_node(&p->s.h, "high", p->low);
    stage_move(&p->s, p->low, 10, 0, 0);
    stage_move(&p->s, p->high, 0, 5, 0);
    stage_triangle(&p->s, "first", p->low);
    stage_triangle(&p->s, "second", p->high);
    hand_clip(&p->s.h, "go", 3);
    hand_channel(&p->s.h, p->high, TENON_TRANSLATION, 3, p->times, p->places);
}

// -- The crane

static void check_rest(const char *path)
{
    tenon_scene *scene = scene_of(path);
    tenon_verify_result r;
    tenon_error err;
    scene->animation_count = 0;
    CHECK(tenon_export_verify(scene, &(tenon_export_opts){.format = "bplx"}, NULL, &r, &err));
    bool is_same = r.largest < 1e-6 && r.matched == 1 && r.reversed == 0 && !r.by_surface;
    if (!is_same) fprintf(stderr, "%s: %g, %g reversed\n", path, r.largest, r.reversed);
    CHECK(is_same);
    tenon_scene_free(scene);
}

TEST(the_crane_keeps_its_rest_pose)
{
    check_rest("samples/crane.glb");
    check_rest("samples/crane.gpb");
    check_rest("samples/crane.bmw");
    check_rest("samples/crane.cea");
    check_rest("samples/crane.bbmod");
    check_rest("samples/crane.bplx");
}

static void count_difference(void *user, const tenon_difference *difference)
{
    fprintf(stderr, "%s: %s, %s\n", difference->path, difference->a, difference->b);
    ++*(int *)user;
}

static void check_nothing_is_lost(const char *path, const char *dialect)
{
    tenon_scene *scene = scene_of(path);
    written w;
    uint64_t count = 1;
    int reported = 0;
    write_with(&w, scene, (tenon_export_opts){.format = "bplx", .dialect = dialect});
    CHECK(w.is_written && errors_in(w.doc) == 0 && w.reported.loss_count == 0);
    CHECK(tenon_diff(scene, w.scene, NULL, count_difference, &reported, &count, &w.err) &&
          count == 0);
    written_free(&w);
    tenon_scene_free(scene);
}

TEST(a_scene_of_the_format_loses_nothing)
{
    check_nothing_is_lost("samples/crane.bplx", "document");
    check_nothing_is_lost("samples/crane_script.bplx", "script");
}

TEST(bytes_are_the_same_on_every_run)
{
    tenon_scene *scene = scene_of("samples/crane.glb");
    check_same_bytes(scene, "bplx");
    tenon_scene_free(scene);
}

// -- The mesh

TEST(all_parts_become_one_mesh_at_rest)
{
    pair p;
    written w;
    pair_begin(&p);
    write_as(&w, &p.s, "bplx");
    const tenon_bplx *doc = model_of(&w);
    CHECK(doc->version == 1 && doc->vertex_count == 6 && doc->face_count == 2);
    CHECK(HOLDS(&doc->positions, 0, 10, 0, 0, 11, 0, 0, 10, 2, 0, 10, 5, 0));
    CHECK(HOLDS(&doc->normals, 0, 0, 0, 1));
    CHECK(HOLDS(&doc->uvs, 0, 0, 1, 1, 1, 0, 0.75f));
    CHECK(tn_span_u32(&doc->faces, 1) == 1 && tn_span_u32(&doc->faces, 3) == 3);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "meshes") == 2);
    CHECK(lost(&w.reported, TENON_DROPPED, "names of meshes") == 2);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "motion of meshes") == 1);
    CHECK(w.proof.largest > 0.01);
    CHECK(hand_near(reported_error(&w, "motion of meshes"), w.proof.largest, 1e-9));
    written_free(&w);
    stage_end(&p.s);
}

TEST(skins_are_at_rest)
{
    stage s;
    limb l = {.joints = {1}};
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "mesh", TENON_NONE);
    stage_move(&s, hand_node(&s.h, "bone", TENON_NONE), 5, 0, 0);
    stage_skin(&s, &l, node, 1);
    write_as(&w, &s, "bplx");
    CHECK(HOLDS(&model_of(&w)->positions, 0, 5, 0, 0, 6, 0, 0));
    CHECK(lost(&w.reported, TENON_DROPPED, "skin weights") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "skins") == 1 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_DROPPED, "nodes") == 0);
    written_free(&w);
    stage_end(&s);
}

TEST(mirrored_nodes_reverse_triangles)
{
    stage s;
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "mesh", TENON_NONE);
    stage_scale(&s, node, 1, -1, 1);
    stage_triangle(&s, "mesh", node);
    write_as(&w, &s, "bplx");
    CHECK(tn_span_u32(&model_of(&w)->faces, 1) == 2 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "normals") == 0);
    written_free(&w);
    stage_end(&s);
}

// Readers reverse faces to match their normals.
TEST(normals_that_point_away_do_not_reverse_the_mesh)
{
    stage s;
    written w;
    float away[9] = {0, 0, -1, 0, 0, -1, 0, 0, -1};
    stage_begin(&s);
    stage_triangle(&s, "mesh", hand_node(&s.h, "mesh", TENON_NONE))->normals = away;
    write_as(&w, &s, "bplx");
    CHECK(HOLDS(&model_of(&w)->normals, 0, 0, 0, 1) && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "normals") == 3);
    written_free(&w);
    stage_end(&s);
}

TEST(streams_that_cannot_be_held_are_reported)
{
    stage s;
    written w;
    float colors[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    float tangents[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    stage_begin(&s);
    tenon_primitive *p = stage_triangle(&s, "plate", hand_node(&s.h, "plate", TENON_NONE));
    p->colors[0] = colors;
    p->tangents = tangents;
    p->uvs[1] = corner_uvs;
    write_as(&w, &s, "bplx");
    CHECK(lost(&w.reported, TENON_DROPPED, "vertex colors") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "tangents") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "further texture coordinates") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "nodes") == 1);
    written_free(&w);
    stage_end(&s);
}

// -- Materials

// The pair with three materials, of which the second and the third are used.
static void paint_pair(pair *p, tenon_material materials[3], tenon_image *image)
{
    plain_material(&materials[0], "unused");
    plain_material(&materials[1], "brick");
    plain_material(&materials[2], "glass");
    *image = (tenon_image){.name = hand_text("brick"), .path = hand_text("brick.png")};
    materials[1].textures[TENON_SLOT_BASE_COLOR].image = 0;
    materials[1].specular[0] = 0.5;
    materials[1].shininess = 20;
    materials[1].emissive[1] = 0.25;
    materials[2].base_color[3] = 0.5;
    materials[2].alpha = TENON_BLEND;
    p->s.h.scene.materials = materials;
    p->s.h.scene.material_count = 3;
    p->s.h.scene.images = image;
    p->s.h.scene.image_count = 1;
    p->s.h.primitives[0].material = 1;
    p->s.h.primitives[1].material = 2;
}

TEST(materials_are_kept_but_not_their_assignment)
{
    pair p;
    tenon_material materials[3];
    tenon_image image;
    written w;
    pair_begin(&p);
    paint_pair(&p, materials, &image);
    materials[2].emissive[0] = 1;
    materials[2].textures[TENON_SLOT_EMISSIVE].image = 0;
    write_as(&w, &p.s, "bplx");
    const tenon_bplx *doc = model_of(&w);
    CHECK(doc->material_count == 3 && doc->material_list_count == 3);
    const tenon_bplx_material *brick = &doc->materials[0], *glass = &doc->materials[1];
    CHECK(text_is(brick->name, "brick") && text_is(brick->texture_path, "brick.png"));
    CHECK(brick->is_textured == 1 && brick->specular_color[0] == 0.5f && brick->shininess == 20);
    CHECK(brick->emissive_color[1] == 0.25f && brick->transparency == 1);
    CHECK(glass->transparency == 0.5f && glass->is_textured == 0);
    CHECK(glass->emissive_color[0] == 0 &&
          lost(&w.reported, TENON_DROPPED, "emissive colors") == 1);
    CHECK(text_is(doc->materials[2].name, "unused"));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "materials") == 3);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "alpha modes") == 0);
    written_free(&w);
    stage_end(&p.s);
}

TEST(the_script_layout_has_no_materials)
{
    pair p;
    tenon_material materials[3];
    tenon_image image;
    written w;
    pair_begin(&p);
    paint_pair(&p, materials, &image);
    write_with(&w, &p.s.h.scene, (tenon_export_opts){.format = "bplx", .dialect = "script"});
    CHECK(w.is_written && model_of(&w)->material_list_count == 0);
    CHECK_STR(w.doc->dialect->name, "script");
    CHECK(lost(&w.reported, TENON_DROPPED, "materials") == 3);
    written_free(&w);
    stage_end(&p.s);
}

TEST(material_values_that_cannot_be_held_are_reported)
{
    pair p;
    tenon_material materials[3];
    tenon_image image;
    written w;
    pair_begin(&p);
    paint_pair(&p, materials, &image);
    tenon_material *m = &materials[1];
    m->is_classic = false;
    m->double_sided = m->is_unlit = true;
    m->alpha = TENON_MASK;
    m->normal_scale = 2;
    m->textures[TENON_SLOT_NORMAL].image = 0;
    m->textures[TENON_SLOT_BASE_COLOR].offset[0] = 0.5;
    m->textures[TENON_SLOT_BASE_COLOR].wrap[0] = TENON_CLAMP;
    write_as(&w, &p.s, "bplx");
    static const char *const dropped[] = {"metal and roughness", "double-sided materials",
                                          "unlit materials",     "strengths of textures",
                                          "further textures",    "edges of textures"};
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
        CHECK(lost(&w.reported, TENON_DROPPED, dropped[i]) == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "alpha modes") == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "transforms of textures") == 1);
    CHECK(HOLDS(&model_of(&w)->uvs, 0, 0.5f, 1, 1.5f, 1));
    written_free(&w);
    stage_end(&p.s);
}

// -- Bones and clips

TEST(joints_and_moving_nodes_are_bones_with_all_ancestors)
{
    pair p;
    written w;
    pair_begin(&p);
    uint32_t still = hand_node(&p.s.h, "still", TENON_NONE);
    write_as(&w, &p.s, "bplx");
    const tenon_bplx *doc = model_of(&w);
    CHECK(doc->bone_count == 2 && text_is(doc->bones[0].name, "low"));
    CHECK(doc->bones[0].parent_index == -1 && doc->bones[1].parent_index == 0);
    CHECK(doc->bones[0].rest_position[0] == 10 && doc->bones[1].rest_position[1] == 5);
    CHECK(doc->bones[1].rest_rotation[3] == 1 && doc->bones[1].rest_scale[2] == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "nodes") == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "nodes") == 2);
    written_free(&w);
    p.s.h.nodes[still].is_joint = true;
    write_as(&w, &p.s, "bplx");
    CHECK(model_of(&w)->bone_count == 3);
    written_free(&w);
    stage_end(&p.s);
}

// A key has all three properties; keys of all bones are in the order of their times.
TEST(keys_are_merged)
{
    pair p;
    written w;
    float half[] = {0.5f, 2.5f};
    pair_begin(&p);
    hand_channel(&p.s.h, p.high, TENON_ROTATION, 2, half, p.turns);
    hand_channel(&p.s.h, p.low, TENON_ROTATION, 2, half, p.turns);
    write_as(&w, &p.s, "bplx");
    const tenon_bplx_clip *clip = &model_of(&w)->clips[0];
    CHECK(text_is(clip->name, "go") && clip->animation_length == 3);
    CHECK(clip->keyframes.count == 7);
    CHECK(HOLDS(&clip->keyframes, 0, 0));
    CHECK(HOLDS(&clip->keyframes, 2, 0, 5, 0, 0, 0, 0, 1, 1, 1, 1));
    static const float times[] = {0, 0.5f, 0.5f, 1, 2, 2.5f, 2.5f};
    static const uint32_t bones[] = {1, 0, 1, 1, 1, 0, 1};
    for (uint64_t i = 0; i < 7; i++) {
        CHECK(holds(&clip->keyframes, 12 * i, &times[i], 1));
        CHECK(tn_load32(clip->keyframes.data + 48 * i + 4, false) == bones[i]);
    }
    CHECK(HOLDS(&clip->keyframes, 12 * 2 + 2, 0.5f, 5, 0));
    written_free(&w);
    stage_end(&p.s);
}

// A curve between two times that have no float between them: key times still rise.
TEST(keys_closer_than_floats_still_rise)
{
    pair p;
    written w;
    float times[] = {0, 1, 1 + 0x1p-23f, 2};
    float values[36] = {0};
    pair_begin(&p);
    for (int i = 0; i < 4; i++) values[9 * i + 3] = i % 2 ? 8.0f : 0.0f, values[9 * i + 4] = 5;
    values[9 + 6] = 1e9f;
    values[18] = -1e9f;
    p.s.h.channels[0] = (tenon_channel){.node = p.high,
                                        .target = TENON_TRANSLATION,
                                        .curve = TENON_CUBIC,
                                        .key_count = 4,
                                        .times = times,
                                        .values = values};
    write_as(&w, &p.s, "bplx");
    const tenon_span *keys = &model_of(&w)->clips[0].keyframes;
    CHECK(keys->count > 4);
    for (uint64_t i = 1; i < keys->count; i++)
        CHECK(tn_load_f32(keys->data + 48 * i, false) >
              tn_load_f32(keys->data + 48 * i - 48, false));
    written_free(&w);
    stage_end(&p.s);
}

TEST(bones_move_as_the_nodes_did)
{
    tenon_scene *scene = scene_of("samples/crane.glb");
    written w;
    write_with(&w, scene, (tenon_export_opts){.format = "bplx"});
    tenon_pose *a = tenon_pose_new(scene, NULL, &w.err);
    tenon_pose *b = tenon_pose_new(w.scene, NULL, &w.err);
    CHECK(w.scene->animation_count == 2);
    for (uint32_t at = 0; at < 20; at++) {
        tenon_pose_set(a, at % 2, 0.1 * at);
        tenon_pose_set(b, at % 2, 0.1 * at);
        uint32_t x = node_called(scene, "hook"), y = node_called(w.scene, "hook");
        CHECK(x != TENON_NONE && y != TENON_NONE);
        for (int k = 0; k < 16; k++)
            CHECK(hand_near(tenon_pose_global(a, x)[k], tenon_pose_global(b, y)[k], 1e-5));
    }
    tenon_pose_free(a);
    tenon_pose_free(b);
    written_free(&w);
    tenon_scene_free(scene);
}

// -- Odd scenes

TEST(sheared_transforms_are_reported)
{
    pair p;
    written w;
    pair_begin(&p);
    tenon_node *node = &p.s.h.nodes[p.low];
    node->has_matrix = true;
    for (int i = 0; i < 16; i++) node->matrix[i] = i % 5 == 0;
    node->matrix[4] = 1;
    write_as(&w, &p.s, "bplx");
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "shear") == 1);
    written_free(&w);
    stage_end(&p.s);
}

TEST(an_empty_scene_is_an_empty_mesh)
{
    stage s;
    written w;
    stage_begin(&s);
    hand_clip(&s.h, "", 0);
    write_as(&w, &s, "bplx");
    CHECK(model_of(&w)->vertex_count == 0 && model_of(&w)->clip_count == 1);
    CHECK(lost(&w.reported, TENON_SYNTHESIZED, "meshes") == 1);
    written_free(&w);
    stage_end(&s);
}

TEST(memory_may_run_out_anywhere)
{
    tenon_scene *scene = scene_of("samples/crane.glb");
    check_export_without_memory(scene, "bplx");
    tenon_scene_free(scene);
}

// A mesh of 65,537 vertices in 65,535 nodes has three vertices more than fit; then the same with
// indices.
TEST(more_than_one_mesh_can_have_is_refused)
{
    enum { NODES = 65535, VERTICES = 65537 };
    for (int k = 0; k < 2; k++) {
        stage s;
        tenon_error err;
        stage_begin(&s);
        uint32_t node = hand_node(&s.h, "node", TENON_NONE);
        tenon_primitive *p = stage_triangle(&s, "mesh", node);
        tenon_node *nodes = malloc(NODES * sizeof *nodes);
        float *numbers = calloc(VERTICES, 3 * sizeof *numbers);
        uint32_t *indices = calloc(VERTICES + 1, sizeof *indices);
        if (!nodes || !numbers || !indices) exit(1);
        for (uint32_t i = 0; i < NODES; i++) nodes[i] = s.h.nodes[node];
        tenon_primitive large = {.mode = TENON_TRIANGLES,
                                 .material = TENON_NONE,
                                 .vertex_count = k == 0 ? VERTICES : 3,
                                 .positions = numbers,
                                 .indices = indices,
                                 .index_count = k == 0 ? 3 : VERTICES + 1};
        *p = large;
        s.h.scene.nodes = nodes;
        s.h.scene.node_count = NODES;
        CHECK(!tenon_export(&s.h.scene, &(tenon_export_opts){.format = "bplx"},
                            &(tenon_sink){.user = NULL}, &err));
        CHECK(err.code == TENON_ERR_UNSUPPORTED);
        CHECK_STR(err.message, "the scene has too many vertices for one BPLX mesh");
        stage_end(&s);
        free(nodes);
        free(numbers);
        free(indices);
    }
}

int main(void)
{
    RUN(the_crane_keeps_its_rest_pose);
    RUN(a_scene_of_the_format_loses_nothing);
    RUN(bytes_are_the_same_on_every_run);
    RUN(all_parts_become_one_mesh_at_rest);
    RUN(skins_are_at_rest);
    RUN(mirrored_nodes_reverse_triangles);
    RUN(normals_that_point_away_do_not_reverse_the_mesh);
    RUN(streams_that_cannot_be_held_are_reported);
    RUN(materials_are_kept_but_not_their_assignment);
    RUN(the_script_layout_has_no_materials);
    RUN(material_values_that_cannot_be_held_are_reported);
    RUN(joints_and_moving_nodes_are_bones_with_all_ancestors);
    RUN(keys_are_merged);
    RUN(keys_closer_than_floats_still_rise);
    RUN(bones_move_as_the_nodes_did);
    RUN(sheared_transforms_are_reported);
    RUN(an_empty_scene_is_an_empty_mesh);
    RUN(memory_may_run_out_anywhere);
    RUN(more_than_one_mesh_can_have_is_refused);
    TEST_END();
}
