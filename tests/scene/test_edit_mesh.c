// test_edit_mesh.c: meshes of a scene that is edited: directions, influences, baking, joining.
// SPDX-License-Identifier: MIT

#include "edit_help.h"

static const tenon_primitive *first_primitive(const tn_scene_builder *b)
{
    return &b->scene->meshes[0].primitives[0];
}

// A node with a triangle that has everything that flips can flip.
static void make_leaf(tn_scene_builder *b)
{
    scene_begin(b);
    uint32_t node = tn_add_node(b, str("leaf"), TENON_NONE);
    (void)add_triangle(b, node, "leaf", TN_WITH_NORMALS | TN_WITH_TANGENTS | TN_WITH_UV0);
}

// -- Flips

// Of every corner.
static bool has_tangents(const tenon_primitive *p, double x, double w)
{
    bool are_there = p->vertex_count == 3;
    for (uint32_t i = 0; i < p->vertex_count; i++)
        are_there =
            are_there && hand_at(p->tangents + 4 * i, x, 0, 0) && p->tangents[4 * i + 3] == w;
    return are_there;
}

TEST(flipped_pictures_flip_their_tangents)
{
    static const struct {
        bool normals, u, v;
        double x, w;
    } cases[] = {{true, false, false, 1, -1},
                 {false, true, false, -1, -1},
                 {false, false, true, 1, -1},
                 {false, true, true, -1, 1},
                 {true, true, true, -1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_scene_builder b;
        make_leaf(&b);
        must_reshape(b.scene, (edits){.meshes.flip_normals = cases[i].normals,
                                      .meshes.flip_u = cases[i].u,
                                      .meshes.flip_v = cases[i].v});
        const tenon_primitive *p = first_primitive(&b);
        CHECK(has_tangents(p, cases[i].x, cases[i].w));
        for (uint32_t k = 0; k < 3; k++)
            CHECK(hand_at(p->normals + 3 * k, 0, 0, cases[i].normals ? -1 : 1));
        CHECK(p->uvs[0][2] == (cases[i].u ? 0 : 1) && p->uvs[0][5] == (cases[i].v ? 1 : 0));
        scene_end(&b);
    }
}

// Tangents generated from the flipped picture equal those that were flipped with it.
TEST(flipped_tangents_equal_generated_ones)
{
    for (int i = 0; i < 4; i++) {
        tn_scene_builder a, b;
        make_leaf(&a);
        make_leaf(&b);
        edits opts = {.meshes.flip_u = i % 2, .meshes.flip_v = i / 2};
        must_reshape(a.scene, opts);
        opts.meshes.tangents = TENON_MAKE_SMOOTH;
        must_reshape(b.scene, opts);
        const tenon_primitive *p = first_primitive(&a), *q = first_primitive(&b);
        for (uint32_t k = 0; k < 12; k += 4) {
            const float *want = q->tangents + k;
            CHECK(hand_at(p->tangents + k, want[0], want[1], want[2]));
            CHECK(p->tangents[k + 3] == want[3]);
        }
        scene_end(&a);
        scene_end(&b);
    }
}

// -- Normals and tangents

// A roof of two slopes that share their ridge; the normals are wrong.
static void make_roof(tn_scene_builder *b, bool with_normals)
{
    static const float points[] = {0, 1, 0, 0, 1, -1, 1, 0, 0, -1, 0, 0};
    static const uint32_t indices[] = {0, 2, 1, 0, 1, 3};
    scene_begin(b);
    uint32_t node = tn_add_node(b, str("roof"), TENON_NONE);
    uint32_t mesh = tn_add_mesh(b, str("roof"), 1);
    b->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    tn_primitive_alloc(b, p, 4, 6, with_normals ? TN_WITH_NORMALS : 0);
    memcpy(p->positions, points, sizeof points);
    memcpy(p->indices, indices, sizeof indices);
    for (uint32_t i = 0; i < 4 && with_normals; i++) p->normals[3 * i + 2] = -1;
}

TEST(normals_are_generated_as_requested)
{
    tn_scene_builder b;
    make_roof(&b, true);
    must_reshape(b.scene, (edits){.meshes.normals = TENON_MAKE_MISSING});
    CHECK(hand_at(first_primitive(&b)->normals, 0, 0, -1));
    must_reshape(b.scene, (edits){.meshes.normals = TENON_MAKE_SMOOTH});
    CHECK(hand_at(first_primitive(&b)->normals, 0, 1, 0));
    CHECK(first_primitive(&b)->vertex_count == 4);
    must_reshape(b.scene, (edits){.meshes.normals = TENON_MAKE_FLAT});
    const tenon_primitive *p = first_primitive(&b);
    CHECK(p->vertex_count == 6 && p->index_count == 6);
    for (uint32_t i = 0; i < 6; i++)
        CHECK(
            hand_at(p->normals + 3 * p->indices[i], i < 3 ? sqrt(0.5) : -sqrt(0.5), sqrt(0.5), 0));
    CHECK_STR(reported, "");
    scene_end(&b);
    make_roof(&b, false);
    must_reshape(b.scene, (edits){.meshes.normals = TENON_MAKE_MISSING});
    CHECK(hand_at(first_primitive(&b)->normals, 0, 1, 0));
    scene_end(&b);
}

// Flat faces in one plane share their vertices, even if only old tangents kept these apart.
TEST(flat_normals_split_only_where_they_must)
{
    static const float points[] = {0, 1, 0, 0, 1, -1, 1, 1, 0, -1, 1, 0};
    static const uint32_t corners[] = {0, 2, 1, 0, 1, 3};
    tn_scene_builder b;
    make_roof(&b, true);
    tenon_primitive *p = b.scene->meshes[0].primitives;
    tn_primitive_alloc(&b, p, 6, 6, TN_WITH_NORMALS | TN_WITH_TANGENTS);
    for (uint32_t i = 0; i < 6; i++) {
        p->indices[i] = i;
        memcpy(p->positions + 3 * i, points + 3 * corners[i], 12);
        p->normals[3 * i + 2] = -1;
        p->tangents[4 * i + i / 3] = p->tangents[4 * i + 3] = 1;
    }
    must_reshape(b.scene, (edits){.meshes.normals = TENON_MAKE_FLAT});
    CHECK(first_primitive(&b)->vertex_count == 4 && first_primitive(&b)->index_count == 6);
    scene_end(&b);
}

TEST(tangents_follow_new_normals)
{
    tn_scene_builder b;
    make_leaf(&b);
    tenon_primitive *p = b.scene->meshes[0].primitives;
    for (int i = 0; i < 3; i++) {
        memcpy(p->normals + 3 * i, (float[3]){1, 0, 0}, 12);
        memcpy(p->tangents + 4 * i, (float[4]){0, 0, 1, -1}, 16);
    }
    must_reshape(b.scene, (edits){.meshes.normals = TENON_MAKE_SMOOTH});
    CHECK(has_tangents(first_primitive(&b), 1, 1) &&
          hand_at(first_primitive(&b)->normals, 0, 0, 1));
    scene_end(&b);
}

TEST(tangents_need_other_streams_and_report_them)
{
    tn_scene_builder b;
    make_roof(&b, false);
    must_reshape(b.scene, (edits){.meshes.tangents = TENON_MAKE_MISSING});
    CHECK(first_primitive(&b)->tangents && first_primitive(&b)->normals);
    CHECK_STR(reported, "synthesized normals 4 at meshes[0].primitives[0]; "
                        "synthesized tangents 4 at meshes[0].primitives[0]; ");
    scene_end(&b);
}

// -- Influences

// A triangle that four joints move apart.
static void make_crowd(tn_scene_builder *b)
{
    static const float weights[] = {0.4f, 0.3f, 0.2f, 0.1f, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0};
    scene_begin(b);
    uint32_t node = tn_add_node(b, str("skin"), TENON_NONE);
    tenon_primitive *p = add_triangle(b, node, "m", TN_WITH_SKIN);
    memcpy(p->weights, weights, sizeof weights);
    for (uint16_t i = 0; i < 12; i++) p->joints[i] = i % 4;
    uint32_t skin = tn_add_skin(b, str("skin"), 4);
    add_clip(b, "clip");
    for (uint32_t i = 0; i < 4; i++) {
        b->scene->skins[skin].joints[i] = tn_add_node(b, str("joint"), TENON_NONE);
        tenon_channel *c =
            add_channel(b, b->scene->skins[skin].joints[i], TENON_TRANSLATION, TENON_LINEAR, 2);
        c->values[3 + 2] = (float)i;
    }
    b->scene->nodes[node].skin = skin;
}

TEST(the_heaviest_influences_stay)
{
    tn_scene_builder b;
    make_crowd(&b);
    must_reshape(b.scene, (edits){.meshes.max_influences = 2});
    const tenon_primitive *p = first_primitive(&b);
    CHECK(p->influence_count == 4);
    CHECK(hand_near(p->weights[0], 4 / 7.0, 1e-6) && hand_near(p->weights[1], 3 / 7.0, 1e-6));
    CHECK(p->weights[2] == 0 && p->joints[2] == 0 && p->joints[1] == 1);
    CHECK(p->weights[8] == 0.5f && p->weights[9] == 0.5f);
    CHECK_STR(reported, "approximated influences 1 at meshes[0].primitives[0]; ");
    // At the end of the clip the vertex was at z = 1 and is at 3/7; the diagonal is sqrt(5).
    CHECK(hand_near(told_error, 4 / 7.0 / sqrt(5), 1e-6));
    scene_end(&b);
}

TEST(influences_that_fit_are_not_lost)
{
    tn_scene_builder b;
    make_crowd(&b);
    must_reshape(b.scene, (edits){.meshes.max_influences = 4});
    CHECK(hand_near(first_primitive(&b)->weights[3], 0.1, 1e-6));
    CHECK_STR(reported, "");
    scene_end(&b);
}

// -- Baking

// A rotated, moved and mirrored node with a triangle, and a camera under it.
static void make_turned(tn_scene_builder *b)
{
    scene_begin(b);
    uint32_t root = tn_add_node(b, str("root"), TENON_NONE);
    uint32_t node = tn_add_node(b, str("leaf"), root), eye = tn_add_node(b, str("eye"), node);
    (void)add_triangle(b, node, "leaf", TN_WITH_NORMALS | TN_WITH_TANGENTS | TN_WITH_UV0);
    b->scene->nodes[root].translation[0] = 5;
    b->scene->nodes[node].scale[0] = -2;
    b->scene->nodes[eye].camera = tn_add_camera(b, str("camera"));
    tn_add_extra(b, TENON_EXTRA_OF_NODE, node, "tag", str("leaf"));
    add_clip(b, "clip");
    (void)add_channel(b, root, TENON_TRANSLATION, TENON_LINEAR, 1);
}

TEST(nodes_go_into_the_vertices)
{
    tn_scene_builder b;
    make_turned(&b);
    must_reshape(b.scene, (edits){.meshes.pre_transform = true});
    const tenon_scene *s = b.scene;
    const tenon_primitive *p = first_primitive(&b);
    CHECK(s->node_count == 2 && s->nodes[0].mesh == 0 && s->nodes[1].camera == 0);
    CHECK(s->nodes[1].translation[0] == 5 && s->nodes[0].translation[0] == 0);
    CHECK(hand_at(p->positions, 5, 0, 0) && hand_at(p->positions + 3, 5, 2, 0));
    CHECK(hand_at(p->positions + 6, 3, 0, 0));  // The mirror reverses the triangle.
    CHECK(hand_at(p->normals, 0, 0, 1) && has_tangents(p, -1, -1));
    CHECK(s->extra_count == 1 && s->extras[0].index == 0);
    CHECK_STR(reported, "dropped animations 1 at animations[0]; ");
    scene_end(&b);
}

TEST(a_mesh_on_two_nodes_becomes_two)
{
    tn_scene_builder b;
    make_turned(&b);
    uint32_t more = tn_add_node(&b, str("more"), TENON_NONE);
    b.scene->nodes[more].mesh = 0;
    tn_add_extra(&b, TENON_EXTRA_OF_MESH, 0, "collision_shape", str("box"));
    must_reshape(b.scene, (edits){.meshes.pre_transform = true});
    CHECK(b.scene->mesh_count == 2 && b.scene->node_count == 3 && b.scene->extra_count == 3);
    CHECK(hand_at(b.scene->meshes[1].primitives[0].positions, 0, 0, 0));
    scene_end(&b);
}

// A mesh without volume has no normals either: they are synthesized.
TEST(squeezed_meshes_have_directions)
{
    tn_scene_builder b;
    make_turned(&b);
    for (int k = 0; k < 3; k++) b.scene->nodes[1].scale[k] = 0;
    must_reshape(b.scene, (edits){.meshes.pre_transform = true});
    CHECK(hand_at(first_primitive(&b)->normals, 0, 1, 0));
    scene_end(&b);
}

TEST(without_skins_meshes_stay_at_rest)
{
    tn_scene_builder b;
    make_crowd(&b);
    for (uint32_t i = 1; i < 5; i++) b.scene->nodes[i].translation[1] = 10;
    b.scene->nodes[0].translation[0] = 7;  // Does not move a skinned mesh.
    must_reshape(b.scene, (edits){.keep.drop = TENON_DROP_SKINS});
    const tenon_scene *s = b.scene;
    CHECK(s->skin_count == 0 && s->animation_count == 0 && s->mesh_count == 1);
    CHECK(s->node_count == 6 && s->nodes[0].mesh == TENON_NONE && s->nodes[5].mesh == 0);
    CHECK(hand_at(first_primitive(&b)->positions, 0, 10, 0));
    CHECK(first_primitive(&b)->influence_count == 0);
    CHECK_STR(reported, "dropped animations 1 at animations[0]; ");
    scene_end(&b);
}

TEST(a_node_that_does_not_move_keeps_its_baked_mesh)
{
    tn_scene_builder b;
    make_crowd(&b);
    must_reshape(b.scene, (edits){.keep.drop = TENON_DROP_SKINS | TENON_DROP_ANIMATIONS});
    CHECK(b.scene->node_count == 5 && b.scene->nodes[0].mesh == 0);
    CHECK_STR(reported, "");
    scene_end(&b);
}

// -- Joining

TEST(equal_materials_become_one)
{
    static const uint32_t joined[] = {0, 0, 1, 2, 0};
    tn_scene_builder b;
    scene_begin(&b);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t material = tn_add_material(&b, str(i % 2 ? "a" : "b"));
        uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
        add_triangle(&b, node, "m", 0)->material = material;
    }
    b.scene->materials[1].metallic = -0.0;
    b.scene->materials[2].roughness = 0.5;
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 3, "shader", str("x"));
    must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_MATERIALS});
    CHECK(b.scene->material_count == 3 && b.scene->extras[0].index == 2);
    for (uint32_t i = 0; i < 5; i++) CHECK(b.scene->meshes[i].primitives[0].material == joined[i]);
    scene_end(&b);
}

// Two leaves under a moving node, one elsewhere that moves by itself.
static void make_tree(tn_scene_builder *b)
{
    scene_begin(b);
    uint32_t trunk = tn_add_node(b, str("trunk"), TENON_NONE);
    uint32_t twig = tn_add_node(b, str("twig"), trunk);
    uint32_t left = tn_add_node(b, str("left"), twig), right = tn_add_node(b, str("right"), twig);
    uint32_t fruit = tn_add_node(b, str("fruit"), trunk);
    (void)add_triangle(b, left, "left", 0);
    (void)add_triangle(b, right, "right", 0);
    (void)add_triangle(b, fruit, "fruit", 0);
    b->scene->nodes[twig].translation[1] = 1;
    b->scene->nodes[right].translation[0] = 3;
    b->scene->nodes[trunk].translation[2] = 9;
    add_clip(b, "clip");
    (void)add_channel(b, trunk, TENON_ROTATION, TENON_LINEAR, 1);
    b->scene->animations[0].channels[0].values[3] = 1;
    (void)add_channel(b, fruit, TENON_TRANSLATION, TENON_LINEAR, 1);
}

TEST(meshes_that_move_alike_become_one)
{
    tn_scene_builder b;
    make_tree(&b);
    must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_MESHES});
    const tenon_scene *s = b.scene;
    uint32_t trunk = find_node(s, "trunk"), fruit = find_node(s, "fruit");
    CHECK(s->mesh_count == 2 && s->node_count == 5 && s->nodes[fruit].mesh != TENON_NONE);
    CHECK(s->nodes[trunk].mesh != TENON_NONE);
    const tenon_mesh *mesh = &s->meshes[s->nodes[trunk].mesh];
    CHECK_STR(mesh->name.data, "left");
    CHECK(mesh->primitive_count == 1 && mesh->primitives[0].vertex_count == 6);
    CHECK(hand_at(mesh->primitives[0].positions, 0, 1, 0));
    CHECK(hand_at(mesh->primitives[0].positions + 9, 3, 1, 0));
    scene_end(&b);
}

TEST(marked_meshes_stay_separate)
{
    tn_scene_builder b;
    make_tree(&b);
    tn_add_extra(&b, TENON_EXTRA_OF_MESH, 0, "collision_shape", str("box"));
    must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_MESHES});
    CHECK(b.scene->mesh_count == 3 && b.scene->extras[0].index == 0);
    scene_end(&b);
}

TEST(meshes_of_one_skin_become_one)
{
    tn_scene_builder b;
    make_crowd(&b);
    uint32_t more = tn_add_node(&b, str("more"), TENON_NONE);
    tenon_primitive *p = add_triangle(&b, more, "more", TN_WITH_SKIN);
    p->joints[0] = 3;
    b.scene->nodes[more].skin = 0;
    must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_MESHES});
    const tenon_scene *s = b.scene;
    CHECK(s->mesh_count == 1 && s->nodes[0].skin == 0);
    CHECK(s->nodes[5].mesh == TENON_NONE && s->nodes[5].skin == TENON_NONE);
    CHECK(s->meshes[0].primitive_count == 1 && s->meshes[0].primitives[0].vertex_count == 6);
    CHECK(s->meshes[0].primitives[0].joints[12] == 3);
    scene_end(&b);
}

// Parts of one mesh: two of one material that share their vertices, one of another material, one
// with other streams.
TEST(only_parts_that_are_drawn_alike_are_joined)
{
    static uint32_t indices[] = {0, 1, 2}, strip[] = {2, 1, 0};
    tn_scene_builder b;
    make_leaf(&b);
    uint32_t material = tn_add_material(&b, str("paint"));
    tenon_primitive leaf = b.scene->meshes[0].primitives[0];
    tenon_primitive *parts = tn_scene_array(&b, 5, sizeof *parts);
    for (int i = 0; i < 5; i++) parts[i] = leaf;
    parts[0].indices = indices, parts[0].index_count = 3;
    parts[1].material = material;
    parts[2].uvs[0] = NULL;
    parts[3].indices = strip, parts[3].index_count = 3, parts[3].mode = TENON_TRIANGLE_STRIP;
    parts[4].mode = TENON_LINE_LOOP;
    b.scene->meshes[0].primitives = parts;
    b.scene->meshes[0].primitive_count = 5;
    must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_MESHES});
    const tenon_mesh *mesh = &b.scene->meshes[0];
    CHECK(mesh->primitive_count == 4 && mesh->primitives[3].mode == TENON_LINE_LOOP);
    CHECK(mesh->primitives[0].vertex_count == 3 && mesh->primitives[0].index_count == 6);
    CHECK(mesh->primitives[0].indices[3] == 2 && mesh->primitives[0].uvs[0]);
    CHECK(mesh->primitives[1].material == material && !mesh->primitives[2].uvs[0]);
    scene_end(&b);
}

TEST(unneeded_nodes_are_removed)
{
    tn_scene_builder b;
    make_tree(&b);
    uint32_t tag = tn_add_node(&b, str("tag"), 1), empty = tn_add_node(&b, str("empty"), tag);
    (void)tn_add_node(&b, str("deeper"), empty);
    tn_add_extra(&b, TENON_EXTRA_OF_NODE, tag, "note", str("here"));
    must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_NODES});
    const tenon_scene *s = b.scene;
    CHECK(s->node_count == 5 && find_node(s, "twig") == TENON_NONE);
    uint32_t right = find_node(s, "right");
    CHECK(s->nodes[right].parent == find_node(s, "trunk"));
    CHECK(s->nodes[right].translation[0] == 3 && s->nodes[right].translation[1] == 1);
    CHECK(s->extras[0].index == find_node(s, "tag"));
    scene_end(&b);
}

// An animated child cannot take over a stretch along one axis.
TEST(nodes_stay_where_their_children_need_them)
{
    for (int is_even = 0; is_even < 2; is_even++) {
        tn_scene_builder b;
        scene_begin(&b);
        uint32_t upper = tn_add_node(&b, str("upper"), TENON_NONE);
        uint32_t node = tn_add_node(&b, str("stretch"), upper);
        uint32_t child = tn_add_node(&b, str("child"), node);
        for (int k = 0; k < 3; k++) b.scene->nodes[node].scale[k] = is_even || k == 0 ? 2 : 1;
        b.scene->nodes[upper].translation[0] = 1;
        add_clip(&b, "clip");
        float *key = add_channel(&b, child, TENON_TRANSLATION, TENON_CUBIC, 1)->values;
        key[0] = key[3] = key[6] = 5;
        must_reshape(b.scene, (edits){.meshes.join = TENON_JOIN_NODES});
        CHECK(b.scene->node_count == (is_even ? 1 : 2));
        const tenon_channel *c = &b.scene->animations[0].channels[0];
        CHECK(hand_at(c->values + 3, is_even ? 11 : 5, 0, 0));
        CHECK(hand_at(c->values, is_even ? 10 : 5, 0, 0));  // Tangents are not positions.
        CHECK(hand_at(c->values + 6, is_even ? 10 : 5, 0, 0));
        CHECK(b.scene->nodes[0].translation[0] == 1);
        scene_end(&b);
    }
}

int main(void)
{
    RUN(flipped_pictures_flip_their_tangents);
    RUN(flipped_tangents_equal_generated_ones);
    RUN(normals_are_generated_as_requested);
    RUN(flat_normals_split_only_where_they_must);
    RUN(tangents_follow_new_normals);
    RUN(tangents_need_other_streams_and_report_them);
    RUN(the_heaviest_influences_stay);
    RUN(influences_that_fit_are_not_lost);
    RUN(nodes_go_into_the_vertices);
    RUN(a_mesh_on_two_nodes_becomes_two);
    RUN(squeezed_meshes_have_directions);
    RUN(without_skins_meshes_stay_at_rest);
    RUN(a_node_that_does_not_move_keeps_its_baked_mesh);
    RUN(equal_materials_become_one);
    RUN(meshes_that_move_alike_become_one);
    RUN(marked_meshes_stay_separate);
    RUN(meshes_of_one_skin_become_one);
    RUN(only_parts_that_are_drawn_alike_are_joined);
    RUN(unneeded_nodes_are_removed);
    RUN(nodes_stay_where_their_children_need_them);
    TEST_END();
}
