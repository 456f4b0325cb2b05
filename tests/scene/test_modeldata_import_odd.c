// test_modeldata_import_odd.c: the import of wrong ModelData documents: arrays that do not
// fit, joints that do not exist, damage of every kind, memory that runs out.
// SPDX-License-Identifier: MIT

#include "modeldata_help.h"

// -- Arrays that are missing, short or wrong

TEST(arrays_may_be_missing)
{
    for (int k = TENON_MODELDATA_TEXTURE_COORDINATES; k < TENON_MODELDATA_INDICES; k++) {
        tenon_modeldata *doc = open_full();
        doc->meshes[0].arrays[k] = (tenon_span){0};
        made m = make_scene(&doc->base);
        const tenon_primitive *p = part_of(&m, 0);
        bool is_skin = k == TENON_MODELDATA_JOINT_IDS || k == TENON_MODELDATA_WEIGHTS;
        CHECK(!p->uvs[0] == (k == TENON_MODELDATA_TEXTURE_COORDINATES));
        CHECK(!p->normals == (k == TENON_MODELDATA_NORMALS));
        // Tangents without normals are ignored.
        CHECK(!p->tangents == (k == TENON_MODELDATA_NORMALS || k == TENON_MODELDATA_TANGENTS));
        CHECK(!p->joints == is_skin && lost(&m, TENON_DROPPED, "weights") == is_skin);
        free_made(&m);
        tenon_doc_free(&doc->base);
    }
}

TEST(arrays_may_be_too_short_or_too_long)
{
    tenon_modeldata *doc = open_full();
    tenon_span *arrays = doc->meshes[0].arrays;
    FLOATS(&arrays[TENON_MODELDATA_NORMALS], 0, 0, 2, 0, 0, 1);
    FLOATS(&arrays[TENON_MODELDATA_TEXTURE_COORDINATES], 0.25f, 0.25f);
    FLOATS(&arrays[TENON_MODELDATA_TANGENTS], 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0);
    FLOATS(&arrays[TENON_MODELDATA_WEIGHTS], 1, 0, 0, 0, 1, 0, 0, 0);
    made m = make_scene(&doc->base);
    const tenon_primitive *p = part_of(&m, 0);
    CHECK(lost(&m, TENON_APPROXIMATED, "vertices") == 1 + 2 + 1 + 1);
    CHECK_STR(lost_at(&m, "vertices"), "meshes[0].texture_coordinates[1]");
    CHECK(near3(p->normals + 6, 0, 0, 1) && lost(&m, TENON_SYNTHESIZED, "normals") == 1);
    CHECK(near3(p->tangents + 4, 0, 1, 0) && near3(p->tangents + 8, 1, 0, 0));
    CHECK(p->uvs[0][1] == 0.75f && p->uvs[0][2] == 0 && p->uvs[0][3] == 0);
    // The last vertex has no weights: it stays with its mesh while the others move.
    float posed[9];
    pose_mesh(&m, 36, posed);
    CHECK(near3(posed, 0, 0.5, 0) && near3(posed + 6, 0, 1, 0));
    CHECK(lost(&m, TENON_SYNTHESIZED, "influences") == 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_mesh_without_indices_is_points)
{
    tenon_modeldata *doc = open_full();
    doc->meshes[0].arrays[TENON_MODELDATA_INDICES] = (tenon_span){0};
    made m = make_scene(&doc->base);
    CHECK(part_of(&m, 0)->mode == TENON_POINTS && !part_of(&m, 0)->indices);
    CHECK(lost(&m, TENON_APPROXIMATED, "meshes") == 1);
    CHECK_STR(lost_at(&m, "meshes"), "meshes[0]");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(triangles_of_vertices_that_do_not_exist_are_dropped)
{
    tenon_modeldata *doc = open_full();
    INTEGERS(&doc->meshes[0].arrays[TENON_MODELDATA_INDICES], 0, 1, 3, 2, 1, 0, 0, -1, 1, 2, 2);
    made m = make_scene(&doc->base);
    const tenon_primitive *p = part_of(&m, 0);
    CHECK(p->index_count == 3 && p->indices[0] == 2 && p->indices[1] == 1 && p->indices[2] == 0);
    CHECK(lost(&m, TENON_DROPPED, "triangles") == 3);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_mesh_may_be_empty)
{
    static const char *const files[] = {
        FOLDER "current_empty_mesh.cem", FOLDER "current_no_mesh.cea",
        FOLDER "current_no_skeleton.cea", FOLDER "current_empty_skeleton.cea",
        FOLDER "current_shapes.cem"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        tenon_modeldata *doc = open_model(files[i]);
        made m = make_scene(&doc->base);
        CHECK(m.scene && m.scene->mesh_count == doc->mesh_count);
        CHECK(m.scene && m.scene->animation_count == doc->animation_count);
        free_made(&m);
        tenon_doc_free(&doc->base);
    }
}

TEST(bytes_that_belong_to_no_field_are_reported)
{
    tenon_modeldata *doc = open_model(FOLDER "current_leftovers.cea");
    made m = make_scene(&doc->base);
    CHECK(lost(&m, TENON_DROPPED, "leftover bytes") == 2 + 1 + 5 + 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Joints that are wrong

TEST(joint_ids_may_be_any_number)
{
    tenon_modeldata *doc = open_full();
    tenon_span *arrays = doc->meshes[0].arrays;
    doc->joints[0].index = 1000000;
    doc->joints[1].index = 1023;
    doc->joints[1].parent_index = 1000000;
    INTEGERS(&arrays[TENON_MODELDATA_JOINT_IDS], 1000000, 0, 0, 0, 1023, -1, 0, 0, 7, 1023,
             INT32_MIN, INT32_MAX);
    FLOATS(&arrays[TENON_MODELDATA_WEIGHTS], 1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.25f, 0.25f, 0.25f,
           0.25f);
    made m = make_scene(&doc->base);
    const tenon_primitive *p = part_of(&m, 0);
    CHECK(p->joints[0] == 0 && p->joints[4] == 1 && p->joints[9] == 1);
    CHECK(p->weights[4] == 1 && p->weights[5] == 0 && p->weights[8] == 0 && p->weights[9] == 1);
    CHECK(lost(&m, TENON_DROPPED, "influences") == 4);
    CHECK(m.scene->nodes[node_called(m.scene, "jib")].parent == node_called(m.scene, "mast"));
    // The keys are those of the joints 0 and 1, which are gone.
    CHECK(lost(&m, TENON_DROPPED, "lists of keys") == 2);
    CHECK_STR(lost_at(&m, "lists of keys"), "animations[0].positions[0]");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(joints_may_be_in_any_order)
{
    tenon_modeldata *doc = open_model(FOLDER "current_order.cea");
    CHECK_STR(doc->joints[0].name.data, "jib");
    made m = make_scene(&doc->base);
    uint32_t mast = node_called(m.scene, "mast"), jib = node_called(m.scene, "jib");
    CHECK(m.scene->nodes[jib].parent == mast && mast < jib);
    // The skin keeps the order of the file.
    CHECK(m.scene->skins[0].joints[0] == jib && m.scene->skins[0].joints[1] == mast);
    CHECK(m.scene->skins[0].inverse_binds[13] == -2);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(joints_in_a_cycle_become_roots)
{
    tenon_modeldata *doc = open_full();
    doc->joints[0].parent_index = 1;
    made m = make_scene(&doc->base);
    uint32_t mast = node_called(m.scene, "mast"), jib = node_called(m.scene, "jib");
    bool is_mast_root = m.scene->nodes[mast].parent == TENON_NONE;
    bool is_jib_root = m.scene->nodes[jib].parent == TENON_NONE;
    CHECK(is_mast_root != is_jib_root && lost(&m, TENON_DROPPED, "parents") == 1);
    free_made(&m);
    doc->joints[0].parent_index = 0;  // One that is its own parent.
    doc->joints[1].parent_index = 77;
    doc->joints[1].name = (tenon_str){"", 0};
    m = make_scene(&doc->base);
    CHECK(lost(&m, TENON_DROPPED, "parents") == 2 && node_called(m.scene, "joint_1") == 1);
    CHECK_STR(lost_at(&m, "parents"), "joints[1]");
    free_made(&m);
    doc->joints[0].index = -1;  // Which is not an index that a parent could have.
    doc->joints[0].parent_index = doc->joints[1].parent_index = -1;
    m = make_scene(&doc->base);
    CHECK(m.scene->nodes[0].parent == TENON_NONE && m.scene->nodes[1].parent == TENON_NONE);
    CHECK(lost(&m, TENON_DROPPED, "parents") == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(of_joints_with_one_index_the_first_is_used)
{
    tenon_modeldata *doc = open_full();
    doc->joints[1].index = 0;
    doc->joints[1].parent_index = -1;
    made m = make_scene(&doc->base);
    CHECK(m.scene->nodes[0].parent == TENON_NONE && m.scene->nodes[1].parent == TENON_NONE);
    CHECK(lost(&m, TENON_APPROXIMATED, "indices of joints") == 1);
    CHECK_STR(lost_at(&m, "indices of joints"), "joints[1]");
    CHECK(m.scene->animations[0].channel_count == 1 &&
          m.scene->animations[0].channels[0].node == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

static bool note_depth(void *user, const tenon_tree_node *node)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 64 - used, "%s:%u ", node->name.data, (unsigned)node->depth);
    return true;
}

// The tree of the document, too, uses indices and not positions.
TEST(a_tree_finds_parents_of_any_index)
{
    tenon_modeldata *doc = open_full();
    char text[64] = "";
    doc->joints[0].index = 1000000;
    doc->joints[1].parent_index = 1000000;
    CHECK(tenon_tree(&doc->base, note_depth, text, NULL));
    CHECK_STR(text, "mast:0 jib:1 ");
    doc->joints[0].index = -1;  // Which is not an index that a parent could have.
    doc->joints[1].parent_index = -1;
    text[0] = '\0';
    CHECK(tenon_tree(&doc->base, note_depth, text, NULL));
    CHECK_STR(text, "mast:0 jib:0 ");
    tenon_doc_free(&doc->base);
}

TEST(matrices_may_be_invalid_transforms)
{
    tenon_modeldata *doc = open_full();
    doc->joints[0].bind_local_pose[12] = 0.5f;
    doc->joints[0].bind_local_pose[0] = NAN;
    doc->joints[1].inverse_bind_matrix[15] = 2;
    doc->joints[1].bind_local_pose[1] = 0.75f;  // A shear, of an animated joint.
    made m = make_scene(&doc->base);
    CHECK(lost(&m, TENON_APPROXIMATED, "matrices of joints") == 2);
    CHECK(lost(&m, TENON_APPROXIMATED, "transforms of nodes") >= 1);
    CHECK(lost(&m, TENON_DROPPED, "shear") >= 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_static_model_ignores_weights)
{
    tenon_modeldata *doc = open_full();
    doc->is_animated = 0;
    made m = make_scene(&doc->base);
    CHECK(!part_of(&m, 0)->joints && m.scene->skin_count == 0 && m.scene->animation_count == 0);
    CHECK(lost(&m, TENON_DROPPED, "weights") == 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Damage

TEST(no_damage_breaks_a_scene)
{
    static const char *const files[] = {
        FOLDER "current_full.cea",      FOLDER "current_full.cem",
        FOLDER "legacy_material.cea",   FOLDER "document_full.cea",
        FOLDER "current_leftovers.cea", FOLDER "current_odd_arrays.cem"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(damage(files[i], "modeldata") > 0);
}

TEST(memory_may_run_out)
{
    tenon_modeldata *doc = open_model("samples/crane.cea");
    check_without_memory(&doc->base);
    check_within_limits(&doc->base, 997);
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(arrays_may_be_missing);
    RUN(arrays_may_be_too_short_or_too_long);
    RUN(a_mesh_without_indices_is_points);
    RUN(triangles_of_vertices_that_do_not_exist_are_dropped);
    RUN(a_mesh_may_be_empty);
    RUN(bytes_that_belong_to_no_field_are_reported);
    RUN(joint_ids_may_be_any_number);
    RUN(joints_may_be_in_any_order);
    RUN(joints_in_a_cycle_become_roots);
    RUN(of_joints_with_one_index_the_first_is_used);
    RUN(a_tree_finds_parents_of_any_index);
    RUN(matrices_may_be_invalid_transforms);
    RUN(a_static_model_ignores_weights);
    RUN(no_damage_breaks_a_scene);
    RUN(memory_may_run_out);
    TEST_END();
}
