// test_bmw_export.c: scenes exported as BMW: nodes, vertices, weights, textures.
// SPDX-License-Identifier: MIT

#include "bmw_export_help.h"

static const tenon_export_opts plain;

// A triangle of a material with that texture; "": it has none.
static uint32_t add_painted(const char *name, float z, const char *texture)
{
    uint32_t mesh = add_triangle(&b, name, z, TN_WITH_NORMALS | TN_WITH_UV0);
    uint32_t material = tn_add_material(&b, str(name));
    if (*texture) tn_set_texture(&b, material, TENON_SLOT_BASE_COLOR, str(texture));
    b.scene->meshes[mesh].primitives->material = material;
    return add_mesh_node(&b, name, TENON_NONE, mesh);
}

// -- Nodes

TEST(constant_transforms_go_into_the_vertices)
{
    start(NULL);
    uint32_t top = tn_add_node(&b, str("top"), TENON_NONE);
    b.scene->nodes[top].translation[0] = 3;
    uint32_t node = add_mesh_node(&b, "tri", top, add_triangle(&b, "tri", 2, TN_WITH_NORMALS));
    b.scene->nodes[node].scale[1] = 4;
    made m = make_bmw(plain);
    CHECK(vertex_is(&m, 0, 0, 3, 0, 2) && vertex_is(&m, 0, 2, 3, 4, 2));
    CHECK(m.bmw->root.child_count == 1 && m.bmw->root.children[0].meshes.count == 1);
    for (int i = 0; i < 16; i++) {
        CHECK(m.bmw->root.transform[i] == (i % 5 == 0));
        CHECK(m.bmw->root.children[0].transform[i] == (i % 5 == 0));
    }
    CHECK(!m.side && m.bmw->meshes[0].weighted_vertices.count == 0);
    CHECK(reported(TENON_APPROXIMATED, "transforms of nodes") == 1);
    CHECK(reported(TENON_DROPPED, "nodes") == 1);
    CHECK(proof_of(b.scene, plain).largest < 1e-6 && errors_in(&m) == 0);
    made_free(&m);
    done();
}

TEST(mirrored_meshes_keep_their_front)
{
    start(make_triangle);
    b.scene->nodes[0].scale[0] = -1;
    made m = make_bmw(plain);
    CHECK(vertex_is(&m, 0, 1, -1, 0, 0));
    CHECK(tn_span_u32(&m.bmw->meshes[0].faces, 0) == 0);
    CHECK(tn_span_u32(&m.bmw->meshes[0].faces, 1) == 2);
    CHECK(tn_span_u32(&m.bmw->meshes[0].faces, 2) == 1);
    made_free(&m);
    done();
}

TEST(bones_come_first_and_the_last_node_has_the_first_mesh)
{
    start(make_skinned);
    add_painted("box", 1, "box.dds");
    made m = make_bmw(plain);
    const tenon_bmw_node *root = &m.bmw->root;
    CHECK(m.bmw->mesh_count == 2 && root->child_count == 5);
    static const char *const names[] = {"root", "hip", "knee", "still", "leg", "box"};
    CHECK(m.bmw->name_count == 6);
    for (uint32_t i = 0; i < 6 && i < m.bmw->name_count; i++) {
        CHECK(m.bmw->names[i].node_id == i && text_is(m.bmw->names[i].name, names[i]));
        if (i) CHECK(root->children[i - 1].node_id == i && root->children[i - 1].child_count == 0);
    }
    CHECK(tn_span_u32(&root->children[3].meshes, 0) == 1);
    CHECK(tn_span_u32(&root->children[4].meshes, 0) == 0);
    CHECK(root->children[1].transform[13] == 1);  // The knee, relative to the root.
    made_free(&m);
    done();
}

TEST(names_are_unique)
{
    start(NULL);
    uint32_t mesh = add_triangle(&b, "tri", 0, TN_WITH_NORMALS);
    for (int i = 0; i < 3; i++) add_mesh_node(&b, i < 2 ? "twin" : "", TENON_NONE, mesh);
    made m = make_bmw(plain);
    CHECK(text_is(m.bmw->names[1].name, "tri"));  // Of the mesh, where the node has none.
    CHECK(text_is(m.bmw->names[2].name, "twin") && text_is(m.bmw->names[3].name, "twin_2"));
    CHECK(reported(TENON_APPROXIMATED, "names") == 1);
    CHECK(reported(TENON_APPROXIMATED, "shared meshes") == 1);
    made_free(&m);
    done();
}

TEST(the_transform_of_the_model_goes_into_the_sidecar)
{
    start(NULL);
    uint32_t top = tn_add_node(&b, str("model"), TENON_NONE);
    tenon_node *node = &b.scene->nodes[top];
    node->translation[2] = 7;
    node->rotation[0] = -0.6, node->rotation[3] = 0.8;
    node->scale[0] = node->scale[1] = node->scale[2] = 0.5;
    add_mesh_node(&b, "tri", top, add_triangle(&b, "tri", 2, TN_WITH_NORMALS));
    made m = make_bmw(plain);
    CHECK(vertex_is(&m, 0, 1, 1, 0, 2));
    CHECK(m.side && m.side->clip_count == 0 && m.side->translation[2] == 7);
    CHECK(m.side && m.side->scale[1] == 0.5 && fabs(m.side->rotation_angle[0] + 1) < 1e-12);
    CHECK(m.side && fabs(m.side->rotation - 73.7397952917) < 1e-9);
    CHECK(reported(TENON_DROPPED, "nodes") == 0);
    CHECK(proof_of(b.scene, plain).largest < 1e-6);
    made_free(&m);
    done();
}

// -- Vertices

TEST(vertices_have_the_numbers_of_the_file)
{
    start(make_triangle);
    tenon_primitive *p = b.scene->meshes[0].primitives;
    tn_primitive_alloc(&b, p, 3, 0, TN_WITH_NORMALS | TN_WITH_UV0 | TN_WITH_COLOR);
    static const float color[4] = {0.21586053f, 1, 0, 0.6f};  // The sRGB byte 128 is 0.2158605.
    for (int i = 0; i < 3; i++) {
        p->positions[3 * i + i % 2] = (float)i + 1;
        p->normals[3 * i + 1] = 1;
        p->uvs[0][2 * i] = 0.25f, p->uvs[0][2 * i + 1] = 0.125f;
        memcpy(p->colors[0] + 4 * i, color, sizeof color);
    }
    made m = make_bmw(plain);
    CHECK(vertex_number(&m, 0, 0, 7) == 0.25 && vertex_number(&m, 0, 0, 8) == 0.875);
    CHECK(vertex_number(&m, 0, 0, 9) == 0 && vertex_number(&m, 0, 0, 10) == 1);
    CHECK(color_of(&m, 0, 0, 0) == 128 && color_of(&m, 0, 0, 1) == 255);
    CHECK(color_of(&m, 0, 0, 2) == 0 && color_of(&m, 0, 0, 3) == 153);
    CHECK(reported(TENON_APPROXIMATED, "vertex colors") == 0);
    p->colors[0][0] = 0.217f;
    made_free(&m);
    m = make_bmw(plain);
    CHECK(color_of(&m, 0, 0, 0) == 128 && reported(TENON_APPROXIMATED, "vertex colors") == 1);
    made_free(&m);
    done();
}

TEST(colors_and_transforms_of_textures_go_into_the_vertices)
{
    start(NULL);
    (void)add_painted("box", 0, "box.dds");
    tenon_material *material = &b.scene->materials[0];
    material->base_color[1] = 0.21586053;
    tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    t->offset[0] = 0.5, t->scale[1] = 2, t->uv_set = 0, t->wrap[0] = TENON_CLAMP;
    made m = make_bmw(plain);
    CHECK(color_of(&m, 0, 0, 0) == 255 && color_of(&m, 0, 0, 1) == 128);
    CHECK(vertex_number(&m, 0, 0, 7) == 0.5 && vertex_number(&m, 0, 0, 8) == -1);
    CHECK(reported(TENON_APPROXIMATED, "base colors") == 1);
    CHECK(reported(TENON_APPROXIMATED, "transforms of textures") == 1);
    CHECK(reported(TENON_DROPPED, "edges of textures") == 1);
    made_free(&m);
    done();
}

// -- Textures

TEST(texture_names_show_whether_they_are_transparent)
{
    start(NULL);
    (void)add_painted("opaque", 0, "sub/a.png");
    (void)add_painted("photo", 1, "b.jpg");
    (void)add_painted("leaf", 2, "c.dds");
    (void)add_painted("glass", 3, "d.jpg");
    b.scene->materials[2].alpha = TENON_MASK;
    b.scene->materials[3].alpha = TENON_BLEND;
    made m = make_bmw(plain);
    static const char *const names[] = {"sub/a.dds", "b.jpg", "c.png", "d.png"};
    CHECK(m.bmw->material_count == 4 && k.file_count == 1);
    for (uint32_t i = 0; i < 4 && i < m.bmw->material_count; i++) {
        CHECK(m.bmw->materials[i].texture_count == 1);
        CHECK(text_is(m.bmw->materials[i].textures[0], names[i]));
    }
    CHECK(reported(TENON_APPROXIMATED, "textures") == 3);  // All but the .dds have to be converted.
    CHECK(reported(TENON_APPROXIMATED, "alpha modes") == 1);
    made_free(&m);
    done();
}

TEST(meshes_without_a_texture_have_a_white_one_if_others_have_one)
{
    start(NULL);
    (void)add_painted("bare", 0, "");
    made m = make_bmw(plain);
    CHECK(m.bmw->material_count == 0 && k.file_count == 1);
    made_free(&m);
    (void)add_painted("box", 1, "box.dds");
    m = make_bmw(plain);
    const kept_file *white = kept_named(&k, "box_white.dds");
    CHECK(m.bmw->material_count == 2);
    CHECK(text_is(m.bmw->materials[0].textures[0], "box_white.dds"));
    CHECK(white && white->size == 132 && memcmp(white->bytes + 128, "\xff\xff\xff\xff", 4) == 0);
    CHECK(reported(TENON_SYNTHESIZED, "textures") == 1);
    made_free(&m);
    done();
}

// -- Weights

// Two animated boxes and one that does not move, with two textures.
static void make_boxes(tn_scene_builder *builder)
{
    (void)builder;
    uint32_t first = add_painted("first", 0, "a.dds"), second = add_painted("second", 1, "b.dds");
    (void)add_painted("third", 2, "a.dds");
    b.scene->nodes[second].translation[0] = 5;
    (void)add_clip(&b, "lift", first, 3);
}

TEST(parts_of_one_texture_are_one_mesh_and_indices_do_not_overlap)
{
    start(make_boxes);
    made m = make_bmw(plain);
    CHECK(m.bmw->mesh_count == 2);
    // The small one is first; the other begins after its three vertices.
    CHECK(m.bmw->meshes[0].vertices.count == 3 && m.bmw->meshes[1].vertices.count == 9);
    CHECK(text_is(m.bmw->materials[0].textures[0], "b.dds"));
    CHECK(vertex_is(&m, 0, 0, 5, 0, 1));
    for (uint32_t i = 0; i < 4; i++) CHECK(vertex_is(&m, 1, i, 0, 0, 0));
    CHECK(vertex_is(&m, 1, 4, 1, 0, 0) && vertex_is(&m, 1, 6, 0, 0, 2));
    for (uint64_t i = 0; i < 6; i++) CHECK(tn_span_u32(&m.bmw->meshes[1].faces, i) == 3 + i);
    CHECK(m.bmw->meshes[1].weighted_vertices.count == 9);
    for (uint32_t i = 0; i < 9; i++) {
        CHECK(weight_u32(&m, 1, 4 * i) == i && weight_u32(&m, 1, 4 * i + 1) == 1);
        CHECK(weight_u32(&m, 1, 4 * i + 2) == (i < 6 ? 1 : 2));  // "first", or "still".
        CHECK(weight_u32(&m, 1, 4 * i + 3) == 0x3f800000u);
    }
    CHECK(reported(TENON_SYNTHESIZED, "vertices") == 3 &&
          reported(TENON_APPROXIMATED, "meshes") == 2);
    CHECK(proof_of(b.scene, plain).largest < 1e-6 && errors_in(&m) == 0);
    made_free(&m);
    done();
}

TEST(more_than_four_weights_are_reported_with_their_error)
{
    start(make_skinned);
    uint32_t joints[5] = {0, 1};
    for (uint32_t i = 2; i < 5; i++) {
        joints[i] = tn_add_node(&b, str("more"), TENON_NONE);
        b.scene->nodes[joints[i]].translation[0] = i;
    }
    uint32_t skin = add_skin(&b, joints, 5);
    tenon_primitive *p = b.scene->meshes[0].primitives;
    b.scene->nodes[2].skin = skin;
    p->influence_count = 8;
    p->joints = tn_scene_array(&b, 24, sizeof *p->joints);
    p->weights = tn_scene_array(&b, 24, sizeof *p->weights);
    for (int i = 0; i < 15; i++) {
        p->joints[8 * (i / 5) + i % 5] = (uint16_t)(i % 5);
        p->weights[8 * (i / 5) + i % 5] = i % 5 ? 0.2125f : 0.15f;
    }
    made m = make_bmw(plain);
    CHECK(weight_u32(&m, 0, 1) == 4 && reported(TENON_APPROXIMATED, "weights") == 3);
    tenon_verify_result result;
    CHECK(tenon_export_verify(b.scene, &(tenon_export_opts){.format = "bmw"}, NULL, &result, NULL));
    CHECK(result.largest > 0.01 && told_error("weights") == result.largest);
    made_free(&m);
    done();
}

TEST(what_has_no_faces_is_reported)
{
    start(make_leftovers);
    made m = make_bmw(plain);
    CHECK(m.bmw->mesh_count == 2);                  // The first triangles of two parts.
    CHECK(reported(TENON_DROPPED, "meshes") == 2);  // One has no part, one is not shown.
    made_free(&m);
    done();
}

// -- Anything

// Points and parts of triangles are the only things that may be missing.
TEST(every_scene_is_written_and_read_again)
{
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        int failures = test_failures;
        start(all_scenes[i].make);
        made m = make_bmw(plain);
        const kept_file *file = kept_named(&k, "");
        kept_file before = *file;
        uint8_t *copy = malloc(file->size + 1);
        if (!copy) abort();
        memcpy(copy, file->bytes, file->size);
        CHECK(errors_in(&m) == 0);
        tenon_error err;
        tenon_scene *scene = tenon_to_scene(m.doc, NULL, &err);
        CHECK(scene && tenon_scene_check(scene, &err));
        tenon_scene_free(scene);
        made_free(&m);
        m = make_bmw(plain);
        file = kept_named(&k, "");
        CHECK(file->size == before.size && memcmp(file->bytes, copy, file->size) == 0);
        free(copy);
        made_free(&m);
        bool is_whole = all_scenes[i].make != make_leftovers && all_scenes[i].make != make_streams;
        if (is_whole) CHECK(proof_of(b.scene, plain).largest < 1e-4);
        if (test_failures != failures) fprintf(stderr, "after '%s'\n", all_scenes[i].name);
        done();
    }
}

TEST(older_layouts_are_what_a_change_makes)
{
    static const char *const dialects[] = {"R4", "R3", "R2", "document", "R1", "R0", "R2a"};
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        start(make_skinned);
        tenon_error err;
        kept_free(&k);
        CHECK(write_scene(b.scene, "bmw", (tenon_export_opts){.dialect = dialects[i]}, &k));
        const kept_file *file = kept_named(&k, "");
        tenon_doc *doc = file ? tenon_read(file->bytes, file->size, NULL, &err) : NULL;
        CHECK(doc != NULL);
        if (doc) CHECK_STR(doc->dialect->name, dialects[i]);
        // Without animations, the sidecar would name what is not there.
        bool has_clips = doc && tenon_as_bmw(doc)->animation_count > 0;
        CHECK(has_clips == (kept_named(&k, "model.json") != NULL));
        CHECK(has_clips == (dialects[i][1] != '1' && dialects[i][1] != '0'));
        if (strcmp(dialects[i], "R1") == 0) {
            tenon_verify_result result;
            tenon_export_opts opts = {.format = "bmw", .dialect = "R1"};
            CHECK(tenon_export_verify(b.scene, &opts, NULL, &result, &err));
            CHECK(result.matched == 1 && result.largest < 1e-6);  // At rest.
        }
        tenon_doc_free(doc);
        done();
    }
}

// Every allocation and every call of the sink may fail.
typedef struct poor {
    uint64_t calls, fail_at;
    int64_t live;
} poor;

static void *poor_alloc(void *user, size_t size)
{
    poor *p = user;
    void *memory = ++p->calls == p->fail_at ? NULL : malloc(size);
    p->live += memory != NULL;
    return memory;
}

static void poor_free(void *user, void *memory, size_t size)
{
    (void)size;
    ((poor *)user)->live--;
    free(memory);
}

TEST(memory_may_run_out)
{
    bool is_made = false;
    start(make_boxes);
    for (uint64_t at = 1; !is_made && at < 2000; at++) {
        poor p = {.fail_at = at};
        kept_free(&k);
        is_made = write_scene(b.scene, "bmw",
                              (tenon_export_opts){.allocator = {poor_alloc, poor_free, &p}}, &k);
        CHECK(is_made || k.err.code == TENON_ERR_MEMORY);
        CHECK(p.live == 0);
    }
    CHECK(is_made);
    done();
}

TEST(the_sink_may_refuse)
{
    bool is_made = false;
    start(make_boxes);
    for (long calls = 1; !is_made && calls < 2000; calls++) {
        kept_free(&k);
        k.calls_left = calls;
        is_made = write_scene(b.scene, "bmw", plain, &k);
        CHECK(is_made || k.err.code == TENON_ERR_IO);
    }
    CHECK(is_made);
    done();
}

int main(void)
{
    RUN(constant_transforms_go_into_the_vertices);
    RUN(mirrored_meshes_keep_their_front);
    RUN(bones_come_first_and_the_last_node_has_the_first_mesh);
    RUN(names_are_unique);
    RUN(the_transform_of_the_model_goes_into_the_sidecar);
    RUN(vertices_have_the_numbers_of_the_file);
    RUN(colors_and_transforms_of_textures_go_into_the_vertices);
    RUN(texture_names_show_whether_they_are_transparent);
    RUN(meshes_without_a_texture_have_a_white_one_if_others_have_one);
    RUN(parts_of_one_texture_are_one_mesh_and_indices_do_not_overlap);
    RUN(more_than_four_weights_are_reported_with_their_error);
    RUN(what_has_no_faces_is_reported);
    RUN(every_scene_is_written_and_read_again);
    RUN(older_layouts_are_what_a_change_makes);
    RUN(memory_may_run_out);
    RUN(the_sink_may_refuse);
    TEST_END();
}
