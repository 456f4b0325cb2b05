// test_modeldata_import.c: the import of ModelData: expectations computed by hand, and every pose
// of models against an evaluation of the document.
// SPDX-License-Identifier: MIT
//
// Given files, it compares those with their documents instead: test_modeldata_import FILE.cea...

#include "modeldata_direct.h"
#include "modeldata_help.h"

// -- By hand

TEST(a_skinned_triangle_moves)
{
    tenon_modeldata *doc = open_full();
    made m = make_scene(&doc->base);
    float p[9];
    pose_mesh(&m, -1, p);
    CHECK(near3(p, 0, 0, 0) && near3(p + 3, 2, 0, 0) && near3(p + 6, 0, 1, 0));
    // After 6 ticks the mast has made a sixth of its way up by 0.5, and the jib, whose 90 degrees
    // about y take 12 ticks, has rotated by 45: x goes towards -z.
    double up = 0.5 / 6, half = sqrt(0.5);
    pose_mesh(&m, 6, p);
    CHECK(near3(p, 0, up, 0) && near3(p + 3, 2 * half, up, -2 * half) &&
          near3(p + 6, 0, 1 + up, 0));
    pose_mesh(&m, 36, p);
    CHECK(near3(p, 0, 0.5, 0) && near3(p + 3, 0, 0.5, -2) && near3(p + 6, 0, 1.5, 0));
    CHECK(m.scene->animation_count == 1 && m.scene->animations[0].duration == 1.5);
    CHECK_STR(m.scene->animations[0].name.data, "slew");
    CHECK(m.scene->animations[0].channel_count == 2);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_mesh_has_its_streams_in_the_conventions_of_scenes)
{
    tenon_modeldata *doc = open_full();
    made m = make_scene(&doc->base);
    const tenon_primitive *p = part_of(&m, 0);
    CHECK(p->mode == TENON_TRIANGLES && p->vertex_count == 3 && p->index_count == 3);
    CHECK(p->indices[0] == 0 && p->indices[1] == 1 && p->indices[2] == 2);
    static const float uvs[6] = {0, 1, 1, 1, 0, 0};  // v from the top.
    CHECK(memcmp(p->uvs[0], uvs, sizeof uvs) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(near3(p->normals + 3 * i, 0, 0, 1));
        CHECK(near3(p->tangents + 4 * i, 1, 0, 0) && p->tangents[4 * i + 3] == 1);
    }
    CHECK(p->influence_count == 4 && p->joints[4] == 1 && p->joints[8] == 0 && p->joints[9] == 1);
    CHECK(p->weights[4] == 1 && p->weights[8] == 0.25f && p->weights[9] == 0.75f);
    CHECK_STR(m.scene->meshes[0].name.data, "mesh_0");
    CHECK_STR(extra_of(m.scene, TENON_EXTRA_OF_MESH, 0, "collision_shape"), "sphere/1");
    // The mesh and its material have no name in the file, which has no times either.
    CHECK(lost(&m, TENON_SYNTHESIZED, "names") == 2 && lost(&m, TENON_DEFAULTED, "rate") == 1);
    CHECK(m.loss_count == 2);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(joints_become_nodes_and_a_skin)
{
    tenon_modeldata *doc = open_full();
    made m = make_scene(&doc->base);
    uint32_t mast = node_called(m.scene, "mast"), jib = node_called(m.scene, "jib");
    CHECK(m.scene->node_count == 3 && m.scene->nodes[jib].parent == mast);
    CHECK(m.scene->nodes[mast].parent == TENON_NONE && m.scene->nodes[mast].is_joint);
    CHECK(!m.scene->nodes[jib].has_matrix && m.scene->nodes[jib].translation[1] == 2);
    const tenon_skin *skin = &m.scene->skins[0];
    CHECK(m.scene->skin_count == 1 && skin->joint_count == 2);
    CHECK(skin->joints[0] == mast && skin->joints[1] == jib);
    CHECK(skin->inverse_binds[16 + 13] == -2 && skin->inverse_binds[16 + 7] == 0);
    CHECK(m.scene->nodes[node_called(m.scene, "mesh_0")].skin == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_static_model_is_at_the_root)
{
    tenon_modeldata *doc = open_model(FOLDER "current_two_meshes.cem");
    made m = make_scene(&doc->base);
    CHECK(m.scene->node_count == 2 && m.scene->mesh_count == 2 && m.scene->skin_count == 0);
    CHECK(m.scene->nodes[0].mesh == 0 && m.scene->nodes[1].mesh == 1);
    CHECK(m.scene->nodes[1].parent == TENON_NONE && m.scene->nodes[1].skin == TENON_NONE);
    const tenon_primitive *bare = part_of(&m, 0);
    CHECK(!bare->normals && !bare->tangents && !bare->uvs[0] && !bare->joints && bare->indices);
    CHECK(part_of(&m, 1)->normals && part_of(&m, 1)->uvs[0]);
    CHECK(lost(&m, TENON_DEFAULTED, "rate") == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Materials

static const char *image_of(const made *m, uint32_t material, tenon_slot slot)
{
    uint32_t image = m->scene->materials[material].textures[slot].image;
    return image == TENON_NONE ? "" : m->scene->images[image].path.data;
}

TEST(a_material_has_its_colors_and_maps)
{
    tenon_modeldata *doc = open_model(FOLDER "current_full.cem");
    made m = make_scene(&doc->base);
    const tenon_material *paint = &m.scene->materials[0];
    CHECK(m.scene->material_count == 1 && part_of(&m, 0)->material == 0);
    CHECK(paint->base_color[0] == 0.5 && paint->base_color[1] == 0.25 && paint->base_color[3] == 1);
    CHECK(paint->emissive[0] == 0 && paint->emissive[2] == 0.5);
    CHECK(paint->is_classic && paint->specular[1] == 0.75 && paint->shininess == 16);
    CHECK(paint->alpha == TENON_MASK && paint->alpha_cutoff == 0.5 && !paint->double_sided);
    CHECK_STR(image_of(&m, 0, TENON_SLOT_BASE_COLOR), "d.png");
    CHECK_STR(image_of(&m, 0, TENON_SLOT_NORMAL), "n.png");
    CHECK_STR(image_of(&m, 0, TENON_SLOT_SPECULAR), "s.png");
    CHECK_STR(image_of(&m, 0, TENON_SLOT_DISPLACEMENT), "h.png");
    CHECK_STR(image_of(&m, 0, TENON_SLOT_OCCLUSION), "ao.png");
    CHECK_STR(image_of(&m, 0, TENON_SLOT_EMISSIVE), "g.png");
    CHECK_STR(extra_of(m.scene, TENON_EXTRA_OF_MATERIAL, 0, "alpha_map"), "a.png");
    CHECK_STR(extra_of(m.scene, TENON_EXTRA_OF_MATERIAL, 0, "reflection_map"), "r.png");
    CHECK_STR(extra_of(m.scene, TENON_EXTRA_OF_MATERIAL, 0, "displacement_factor"), "0.01");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// The engine samples at (u t, 1 - v t); a scene has v' = 1 - v and samples at scale * v' + offset.
TEST(tiling_repeats_a_texture_from_the_bottom)
{
    static const float tilings[] = {2, 2.5f, 0.75f, 1};
    tenon_modeldata *doc = open_model(FOLDER "current_full.cem");
    for (int i = 0; i < 4; i++) {
        doc->meshes[0].material.tiling = tilings[i];
        made m = make_scene(&doc->base);
        const tenon_texture *t = &m.scene->materials[0].textures[TENON_SLOT_NORMAL];
        double tiling = (double)tilings[i], v = 0.375;
        CHECK(t->scale[0] == tiling && t->offset[0] == 0);
        CHECK(near(t->scale[1] * (1 - v) + t->offset[1], 1 - v * tiling));
        free_made(&m);
    }
    tenon_doc_free(&doc->base);
}

TEST(flags_mean_the_defaults_of_the_engine)
{
    tenon_modeldata *doc = open_model(FOLDER "current_defaults.cem");
    for (int i = 0; i < 2; i++) {
        made m = make_scene(&doc->base);
        const tenon_material *plain = &m.scene->materials[0];
        CHECK(plain->base_color[0] == 1 && plain->base_color[2] == 1 && plain->emissive[0] == 0);
        CHECK(near(plain->specular[0], 0.2) && plain->shininess == 10);
        CHECK(plain->alpha == TENON_OPAQUE && m.scene->extra_count == 0);
        CHECK(lost(&m, TENON_DEFAULTED, "materials") == (uint64_t)i);
        free_made(&m);
        doc->meshes[0].material_size = 0;  // Without a material it is the same.
    }
    tenon_doc_free(&doc->base);
}

TEST(a_flag_is_a_signed_byte_and_a_small_exponent_is_1)
{
    tenon_modeldata *doc = open_model(FOLDER "current_full.cem");
    tenon_modeldata_material *from = &doc->meshes[0].material;
    from->default_diffuse_color = 0x80;
    from->default_shininess = 0x7f;
    from->shine_damping = 0.25f;
    made m = make_scene(&doc->base);
    CHECK(m.scene->materials[0].base_color[0] == 0.5);
    CHECK(near(m.scene->materials[0].specular[0], 0.2) && m.scene->materials[0].shininess == 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(equal_materials_are_one)
{
    tenon_modeldata *doc = open_model("samples/crane.cem");
    made m = make_scene(&doc->base);
    CHECK(m.scene->mesh_count == 17 && m.scene->material_count == 6);
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_modeldata_material *from = &doc->meshes[i].material;
        const tenon_material *to = &m.scene->materials[part_of(&m, i)->material];
        for (int k = 0; k < 3; k++) CHECK(to->base_color[k] == (double)from->diffuse_color[k]);
        CHECK_STR(image_of(&m, part_of(&m, i)->material, TENON_SLOT_BASE_COLOR),
                  from->maps[TENON_MODELDATA_DIFFUSE_MAP].data);
    }
    // Numbered by the meshes that have them first.
    CHECK(part_of(&m, 0)->material == 0 && part_of(&m, 1)->material == 1);
    CHECK_STR(m.scene->materials[1].name.data, "material_1");
    CHECK_STR(extra_of(m.scene, TENON_EXTRA_OF_MESH, 8, "collision_shape"), "triangleMesh");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Keys

TEST(ticks_last_as_long_as_requested)
{
    tenon_modeldata *doc = open_full();
    made m = make_scene_with(&doc->base, (tenon_scene_opts){.rate = 48});
    const tenon_channel *c = channel_of(&m, "mast", TENON_TRANSLATION);
    CHECK(c->key_count == 2 && c->times[1] == 0.75f && m.scene->animations[0].duration == 0.75);
    CHECK(lost(&m, TENON_DEFAULTED, "rate") == 0);
    free_made(&m);
    static const double absurd[] = {NAN, INFINITY, -24, 1e-300, 1e300};
    for (int i = 0; i < 5; i++) {
        m = make_scene_with(&doc->base, (tenon_scene_opts){.rate = absurd[i]});
        CHECK(m.scene && lost(&m, TENON_DEFAULTED, "rate") == (i < 3));
        free_made(&m);
    }
    tenon_doc_free(&doc->base);
}

TEST(scales_are_not_imported)
{
    tenon_modeldata *doc = open_full();
    FLOATS(&doc->animations[0].scales[1].keys, 0, 1, 1, 1, 48, 1, 2, 1, 12, NAN, 1, 1);
    made m = make_scene(&doc->base);
    CHECK(channel_of(&m, "jib", TENON_SCALE)->key_count == 0);
    CHECK(lost(&m, TENON_DROPPED, "scale keys") == 2);
    CHECK_STR(lost_at(&m, "scale keys"), "animations[0].scales[1]");
    free_made(&m);
    // But the end of the animation is that of any list.
    FLOATS(&doc->animations[0].scales[1].keys, 0, 1, 1, 1, 48, 1, 1, 1);
    m = make_scene(&doc->base);
    CHECK(m.scene->animations[0].duration == 2 && lost(&m, TENON_DROPPED, "scale keys") == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// The engine makes the pose of an animated joint from position and rotation alone.
TEST(an_animated_joint_loses_the_scale_of_its_rest_pose)
{
    tenon_modeldata *doc = open_full();
    for (int k = 0; k < 3; k++) doc->joints[1].bind_local_pose[5 * k] = 3;
    made m = make_scene(&doc->base);
    const tenon_channel *c = channel_of(&m, "jib", TENON_SCALE);
    CHECK(c->key_count == 1 && c->times[0] == 0 && near3(c->values, 1, 1, 1));
    float p[9];
    pose_mesh(&m, -1, p);
    CHECK(near3(p + 3, 6, -4, 0));  // 2 below a joint that makes it three times as far.
    pose_mesh(&m, 0, p);
    CHECK(near3(p + 3, 2, 0, 0));
    free_made(&m);
    // With keys of both kinds there is still one.
    doc->animations[0].positions[1] = doc->animations[0].positions[0];
    m = make_scene(&doc->base);
    CHECK(m.scene->animations[0].channel_count == 4);
    CHECK(lost(&m, TENON_DROPPED, "channels") == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(keys_in_disorder_are_sorted)
{
    tenon_modeldata *doc = open_full();
    FLOATS(&doc->animations[0].positions[0].keys, 24, 2, 0, 0, NAN, 9, 9, 9, 0, 0, 0, 0, 12, 1, 0,
           0, INFINITY, 9, 9, 9);
    made m = make_scene(&doc->base);
    const tenon_channel *c = channel_of(&m, "mast", TENON_TRANSLATION);
    CHECK(c->key_count == 3 && c->times[0] == 0 && c->times[1] == 0.5f && c->times[2] == 1);
    CHECK(near3(c->values, 0, 0, 0) && near3(c->values + 3, 1, 0, 0) &&
          near3(c->values + 6, 2, 0, 0));
    CHECK(lost(&m, TENON_APPROXIMATED, "lists of keys") == 1 &&
          lost(&m, TENON_DROPPED, "keys") == 2);
    CHECK_STR(lost_at(&m, "lists of keys"), "animations[0].positions[0]");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(keys_before_the_start_make_one_at_the_start)
{
    tenon_modeldata *doc = open_full();
    tenon_span *keys = &doc->animations[0].positions[0].keys;
    FLOATS(keys, -24, 9, 0, 0, -12, 1, 0, 0, 36, 5, 0, 0);
    // A rotation by 90 degrees about y, of which a third is over at 0.
    FLOATS(&doc->animations[0].rotations[1].keys, -4, 0, 0, 0, 1, 8, 0, (float)sqrt(0.5), 0,
           (float)sqrt(0.5));
    made m = make_scene(&doc->base);
    const tenon_channel *c = channel_of(&m, "mast", TENON_TRANSLATION);
    CHECK(c->key_count == 2 && c->times[0] == 0 && c->times[1] == 1.5f);
    CHECK(near3(c->values, 2, 0, 0) && near3(c->values + 3, 5, 0, 0));
    const tenon_channel *turn = channel_of(&m, "jib", TENON_ROTATION);
    double eighth = 3.14159265358979 / 12;  // Half of 30 degrees.
    CHECK(turn->key_count == 2 && turn->times[0] == 0 &&
          near((double)turn->values[1], sin(eighth)));
    CHECK(lost(&m, TENON_DROPPED, "keys") == 3 && lost(&m, TENON_APPROXIMATED, "keys") == 0);
    free_made(&m);

    FLOATS(keys, -24, 9, 0, 0, 0, 1, 0, 0, 24, 5, 0, 0);  // One is there already.
    m = make_scene(&doc->base);
    c = channel_of(&m, "mast", TENON_TRANSLATION);
    CHECK(c->key_count == 2 && near3(c->values, 1, 0, 0));
    free_made(&m);

    FLOATS(keys, -24, 9, 0, 0, -12, 1, 0, 0);  // All are over.
    m = make_scene(&doc->base);
    c = channel_of(&m, "mast", TENON_TRANSLATION);
    CHECK(c->key_count == 1 && c->times[0] == 0 && near3(c->values, 1, 0, 0));
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(what_starts_late_is_reported)
{
    tenon_modeldata *doc = open_full();
    FLOATS(&doc->animations[0].positions[0].keys, 12, 1, 0, 0, 24, 5, 0, 0);
    made m = make_scene(&doc->base);
    float p[9];
    pose_mesh(&m, 0, p);
    CHECK(near3(p, 1, 0, 0) && lost(&m, TENON_APPROXIMATED, "lists of keys") == 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(lists_may_be_fewer_than_joints)
{
    tenon_modeldata *doc = open_full();
    doc->animations[0].rotation_list_count = 1;
    doc->animations[0].position_list_count = 0;
    doc->animations[0].scale_list_count = 0;
    doc->animations[0].name = (tenon_str){"", 0};
    made m = make_scene(&doc->base);
    CHECK(m.scene->animation_count == 1 && m.scene->animations[0].channel_count == 0);
    CHECK_STR(m.scene->animations[0].name.data, "animation");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Every pose, against the document

static double box_diagonal(const tenon_modeldata *doc)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_span *vertices = &doc->meshes[i].arrays[TENON_MODELDATA_VERTICES];
        for (uint64_t k = 0; k < 3 * vertices->count; k++) {
            low[k % 3] = fmin(low[k % 3], direct_f32(vertices, k));
            high[k % 3] = fmax(high[k % 3], direct_f32(vertices, k));
        }
    }
    return sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
}

// The largest distance between the vertices of scene and document at a time.
static double largest_gap(const tenon_modeldata *doc, const made *m,
                          const tenon_modeldata_animation *a, double ticks)
{
    double largest = 0;
    rows *palette = direct_palette(doc, a, ticks);
    tenon_pose_set(m->pose, a ? (uint32_t)(a - doc->animations) : TENON_NONE, ticks / RATE);
    for (uint32_t i = 0, mesh = 0; i < m->scene->node_count; i++) {
        if (m->scene->nodes[i].mesh == TENON_NONE) continue;
        const tenon_modeldata_mesh *from = &doc->meshes[mesh];
        float *positions = malloc((part_of(m, mesh)->vertex_count + 1) * 3 * sizeof *positions);
        if (!positions) abort();
        tenon_pose_skin(m->pose, i, 0, positions, NULL);
        for (uint32_t v = 0; v < part_of(m, mesh)->vertex_count; v++) {
            double p[3], square = 0;
            bool is_skinned = from->arrays[TENON_MODELDATA_WEIGHTS].count != 0;
            direct_vertex(from, v, is_skinned ? palette : NULL, p);
            for (int k = 0; k < 3; k++)
                square += pow(p[k] - (double)positions[3 * v + (uint32_t)k], 2);
            largest = fmax(largest, sqrt(square));
        }
        free(positions);
        mesh++;
    }
    free(palette);
    return largest;
}

// At every key of every list, and between them.
static double largest_gap_in(const tenon_modeldata *doc, const made *m,
                             const tenon_modeldata_animation *a, uint32_t *pose_count)
{
    double largest = 0, end = 0;
    for (uint32_t i = 0; i < a->position_list_count + a->rotation_list_count; i++) {
        bool is_turn = i >= a->position_list_count;
        const tenon_span *keys =
            is_turn ? &a->rotations[i - a->position_list_count].keys : &a->positions[i].keys;
        if (keys->count) end = fmax(end, direct_f32(keys, (is_turn ? 5 : 4) * (keys->count - 1)));
    }
    for (double ticks = 0; ticks <= end; ticks += 0.25, ++*pose_count)
        largest = fmax(largest, largest_gap(doc, m, a, ticks));
    return largest;
}

static void compare_with_document(const char *path)
{
    tenon_modeldata *doc = open_model(path);
    made m = make_scene(&doc->base);
    double diagonal = box_diagonal(doc);
    double largest = m.scene ? largest_gap(doc, &m, NULL, 0) : HUGE_VAL;
    uint32_t pose_count = 1;
    for (uint32_t i = 0; i < doc->animation_count && m.scene; i++)
        largest = fmax(largest, largest_gap_in(doc, &m, &doc->animations[i], &pose_count));
    printf("  %s: within %.2g of the diagonal in %u poses\n", path, largest / diagonal, pose_count);
    for (uint32_t i = 0; i < m.loss_count; i++)
        printf("    %s: %" PRIu64 " %s %s\n", tenon_loss_word(m.losses[i].kind), m.losses[i].count,
               m.losses[i].feature, m.losses[i].path);
    CHECK(largest <= 1e-6 * diagonal);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(every_pose_is_that_of_the_document)
{
    compare_with_document("samples/crane.cea");
    compare_with_document("samples/crane.cem");
    compare_with_document(FOLDER "current_full.cea");
    compare_with_document(FOLDER "current_full.cem");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) compare_with_document(argv[i]);
    if (argc > 1) TEST_END();
    RUN(a_skinned_triangle_moves);
    RUN(a_mesh_has_its_streams_in_the_conventions_of_scenes);
    RUN(joints_become_nodes_and_a_skin);
    RUN(a_static_model_is_at_the_root);
    RUN(a_material_has_its_colors_and_maps);
    RUN(tiling_repeats_a_texture_from_the_bottom);
    RUN(flags_mean_the_defaults_of_the_engine);
    RUN(a_flag_is_a_signed_byte_and_a_small_exponent_is_1);
    RUN(equal_materials_are_one);
    RUN(ticks_last_as_long_as_requested);
    RUN(scales_are_not_imported);
    RUN(an_animated_joint_loses_the_scale_of_its_rest_pose);
    RUN(keys_in_disorder_are_sorted);
    RUN(keys_before_the_start_make_one_at_the_start);
    RUN(what_starts_late_is_reported);
    RUN(lists_may_be_fewer_than_joints);
    RUN(every_pose_is_that_of_the_document);
    TEST_END();
}
