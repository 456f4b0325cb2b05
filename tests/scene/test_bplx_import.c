// test_bplx_import.c: the import of BPLX: expectations computed by hand, documents that are wrong.
// SPDX-License-Identifier: MIT

#include "loss_help.h"

#include <tenon/bplx.h>

#define FOLDER "tests/fixtures/bplx/"

static tenon_bplx *open_model(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (doc) return tenon_as_bplx(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static const tenon_primitive *part_of(const made *m)
{
    return &m->scene->meshes[0].primitives[0];
}

// -- By hand

TEST(a_mesh_has_its_streams)
{
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    made m = make_scene(&doc->base);
    const tenon_primitive *p = part_of(&m);
    static const float uvs[6] = {0, 1, 1, 1, 0, 0};  // v from the top.
    CHECK(p->vertex_count == 3 && near3(p->positions + 3, 2, 0, 0) && near3(p->normals, 0, 0, 1));
    CHECK(memcmp(p->uvs[0], uvs, sizeof uvs) == 0 && p->index_count == 3);
    // The winding matches the normals, so it stays.
    CHECK(p->indices[0] == 0 && p->indices[1] == 1 && p->indices[2] == 2);
    CHECK(lost(&m, TENON_APPROXIMATED, "winding") == 0);
    CHECK(lost(&m, TENON_DEFAULTED, "axes") == 1 && lost(&m, TENON_SYNTHESIZED, "names") == 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(the_first_material_is_that_of_all_faces)
{
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    made m = make_scene(&doc->base);
    const tenon_material *red = &m.scene->materials[0];
    CHECK(m.scene->material_count == 1 && part_of(&m)->material == 0 && m.scene->image_count == 0);
    CHECK_STR(red->name.data, "red");
    CHECK(red->base_color[1] == 0.25 && red->base_color[3] == 0.75 && red->alpha == TENON_BLEND);
    CHECK(red->specular[0] == 0.5 && red->shininess == 16 && red->emissive[2] == 0.0625);
    CHECK(lost(&m, TENON_DROPPED, "materials") == 1);
    free_made(&m);

    doc->materials[0] = doc->materials[1];
    m = make_scene(&doc->base);
    CHECK_STR(m.scene->images[0].path.data, "f.png");
    CHECK(m.scene->materials[0].textures[TENON_SLOT_BASE_COLOR].image == 0);
    CHECK(m.scene->materials[0].alpha == TENON_OPAQUE);
    free_made(&m);

    doc->materials[0].is_textured = 0;  // The flag overrides.
    m = make_scene(&doc->base);
    CHECK(m.scene->image_count == 0 && lost(&m, TENON_DROPPED, "textures") == 1);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_script_has_no_materials)
{
    tenon_bplx *doc = open_model(FOLDER "script_animated.bplx");
    made m = make_scene(&doc->base);
    CHECK(m.scene->material_count == 0 && part_of(&m)->material == TENON_NONE);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(bones_are_nodes_that_move)
{
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    made m = make_scene(&doc->base);
    uint32_t mast = node_called(m.scene, "mast"), jib = node_called(m.scene, "jib");
    CHECK(m.scene->nodes[jib].parent == mast && m.scene->nodes[jib].is_joint);
    CHECK(m.scene->nodes[mast].translation[1] == 0.5 && m.scene->nodes[jib].scale[2] == 1.5);
    CHECK(m.scene->skin_count == 0);
    // At rest the jib's z axis, 1.5 long, points along x, from (0, 2.5, 0.25).
    const double *g = tenon_pose_global(m.pose, jib);
    CHECK(near(g[8], 1.5) && near(g[10], 0) && near(g[13], 2.5) && near(g[14], 0.25));
    // Half way through "slew" it has rotated back by half of 90 degrees, and reaches 2.75 up.
    tenon_pose_set(m.pose, 0, 0.75);
    CHECK(near(g[8], 1.5 * sqrt(0.5)) && near(g[10], 1.5 * sqrt(0.5)) && near(g[13], 2.75));
    tenon_pose_set(m.pose, 0, 1.5);
    CHECK(near(g[8], 0) && near(g[10], 2) && near(g[13], 3));
    CHECK(m.scene->animations[0].duration == 1.5 && m.scene->animations[0].channel_count == 6);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Faces

static void store_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(value >> (8 * i));
}

static void store_f32(uint8_t *p, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    store_u32(p, bits);
}

TEST(faces_that_point_away_from_their_normals_are_reversed)
{
    uint8_t faces[12] = {0};
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    store_u32(faces, 0), store_u32(faces + 4, 2), store_u32(faces + 8, 1);
    doc->faces.data = faces;
    made m = make_scene(&doc->base);
    const uint32_t *indices = part_of(&m)->indices;
    CHECK(indices[0] == 0 && indices[1] == 1 && indices[2] == 2);
    CHECK(lost(&m, TENON_APPROXIMATED, "winding") == 1);
    free_made(&m);
    store_u32(faces + 4, 3);  // A face that names no vertex has no direction.
    m = make_scene(&doc->base);
    CHECK(part_of(&m)->index_count == 0 && lost(&m, TENON_DROPPED, "triangles") == 1);
    CHECK(lost(&m, TENON_APPROXIMATED, "winding") == 0);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(a_file_that_was_cut_has_fewer_streams)
{
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    doc->faces = (tenon_span){0};
    doc->uvs.count = 1;
    made m = make_scene(&doc->base);
    const tenon_primitive *p = part_of(&m);
    CHECK(p->mode == TENON_POINTS && !p->indices && lost(&m, TENON_APPROXIMATED, "meshes") == 1);
    CHECK(p->uvs[0][1] == 1 && p->uvs[0][3] == 0 && p->uvs[0][5] == 0);
    CHECK(lost(&m, TENON_DEFAULTED, "texture coordinates") == 2);
    CHECK(lost(&m, TENON_DEFAULTED, "normals") == 0);
    free_made(&m);
    doc->uvs = (tenon_span){0};
    doc->normals.count = 2;
    m = make_scene(&doc->base);
    CHECK(!part_of(&m)->uvs[0] && part_of(&m)->normals);
    CHECK(lost(&m, TENON_DEFAULTED, "normals") == 1 && lost(&m, TENON_SYNTHESIZED, "normals") == 1);
    free_made(&m);
    doc->normals = (tenon_span){0};
    m = make_scene(&doc->base);
    CHECK(!part_of(&m)->normals && part_of(&m)->vertex_count == 3);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// -- Bones and keys that are wrong

TEST(bones_in_a_cycle_or_without_a_parent_become_roots)
{
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    doc->bones[0].parent_index = 1;
    made m = make_scene(&doc->base);
    uint32_t mast = node_called(m.scene, "mast"), jib = node_called(m.scene, "jib");
    CHECK((m.scene->nodes[mast].parent == TENON_NONE) !=
          (m.scene->nodes[jib].parent == TENON_NONE));
    CHECK(lost(&m, TENON_DROPPED, "parents") == 1);
    free_made(&m);
    doc->bones[0].parent_index = -2;
    doc->bones[1].parent_index = 2;
    m = make_scene(&doc->base);
    CHECK(lost(&m, TENON_DROPPED, "parents") == 2);
    CHECK_STR(lost_at(&m, "parents"), "bones[0]");
    free_made(&m);
    tenon_doc_free(&doc->base);
}

TEST(children_may_come_before_their_parents)
{
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    tenon_bplx_bone mast = doc->bones[0];
    doc->bones[0] = doc->bones[1];
    doc->bones[1] = mast;
    doc->bones[0].parent_index = 1;
    made m = make_scene(&doc->base);
    CHECK(m.scene->nodes[node_called(m.scene, "jib")].parent == node_called(m.scene, "mast"));
    CHECK(lost(&m, TENON_DROPPED, "parents") == 0);
    // Keys use the index in the file: those of bone 1 now move the mast.
    CHECK(m.scene->animations[0].channels[3].node == node_called(m.scene, "mast"));
    free_made(&m);
    tenon_doc_free(&doc->base);
}

static void store_key(uint8_t *p, float time, uint32_t bone, float x)
{
    memset(p, 0, 48);
    store_f32(p, time);
    store_u32(p + 4, bone);
    store_f32(p + 8, x);
    store_f32(p + 32, 1);  // No rotation.
}

TEST(keys_may_be_in_any_order)
{
    uint8_t keys[7 * 48];
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    tenon_span *span = &doc->clips[0].keyframes;
    store_key(keys, 1, 1, 11);
    store_key(keys + 48, 2, 1, 12);
    store_key(keys + 96, NAN, 1, 99);  // A NaN must not break the sorting.
    store_key(keys + 144, 0, 1, 10);
    store_key(keys + 192, 0.5f, 2, 99);
    store_key(keys + 240, 1, 1, 99);  // A second key at a time does not count.
    store_key(keys + 288, 1, 0, 1);
    *span = (tenon_span){keys, sizeof keys, 7, span->layout, false};
    made m = make_scene(&doc->base);
    const tenon_animation *a = &m.scene->animations[0];
    CHECK(a->channel_count == 6 && a->duration == 2);
    const tenon_channel *mast = &a->channels[0], *jib = &a->channels[3];
    CHECK(mast->node == node_called(m.scene, "mast") && mast->target == TENON_TRANSLATION);
    CHECK(mast->key_count == 1 && mast->times[0] == 1 && near3(mast->values, 1, 0, 0));
    CHECK(jib->node == node_called(m.scene, "jib") && jib->key_count == 3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(jib->times[i] == (float)i && near3(jib->values + 3 * i, 10 + (double)i, 0, 0));
    CHECK_STR(lost_at(&m, "keys"), "clips[0].keyframes[4]");
    // One of no bone; one without a time and one too many, in each of three channels.
    CHECK(lost(&m, TENON_DROPPED, "keys") == 1 + 2 * 3);
    free_made(&m);
    tenon_doc_free(&doc->base);
}

// Clips without keys cost nothing, however many bones there are.
TEST(many_bones_and_many_clips_do_not_multiply)
{
    enum { MANY = 40000 };
    tenon_bplx *doc = open_model(FOLDER "document_full.bplx");
    tenon_bplx_bone *bones = calloc(MANY, sizeof *bones);
    tenon_bplx_clip *clips = calloc(MANY, sizeof *clips);
    if (!bones || !clips) abort();
    for (uint32_t i = 0; i < MANY; i++) {
        bones[i] = doc->bones[0];
        bones[i].parent_index = (int32_t)i - 1;
        clips[i].name = doc->clips[0].name;
    }
    doc->bones = bones;
    doc->clips = clips;
    doc->bone_count = doc->clip_count = MANY;
    tenon_scene *scene = tenon_to_scene(&doc->base, NULL, NULL);
    CHECK(scene && scene->node_count == MANY + 1 && scene->animation_count == MANY);
    tenon_scene_free(scene);
    tenon_doc_free(&doc->base);
    free(bones);
    free(clips);
}

// -- Damage

TEST(no_damage_breaks_a_scene)
{
    static const char *const files[] = {FOLDER "document_full.bplx", FOLDER "script_animated.bplx",
                                        FOLDER "document_float_bits.bplx",
                                        FOLDER "script_latin1.bplx"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) CHECK(damage(files[i], "bplx") > 0);
}

TEST(memory_may_run_out)
{
    tenon_bplx *doc = open_model("samples/crane.bplx");
    check_without_memory(&doc->base);
    check_within_limits(&doc->base, 997);
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(a_mesh_has_its_streams);
    RUN(the_first_material_is_that_of_all_faces);
    RUN(a_script_has_no_materials);
    RUN(bones_are_nodes_that_move);
    RUN(faces_that_point_away_from_their_normals_are_reversed);
    RUN(a_file_that_was_cut_has_fewer_streams);
    RUN(bones_in_a_cycle_or_without_a_parent_become_roots);
    RUN(children_may_come_before_their_parents);
    RUN(keys_may_be_in_any_order);
    RUN(many_bones_and_many_clips_do_not_multiply);
    RUN(no_damage_breaks_a_scene);
    RUN(memory_may_run_out);
    TEST_END();
}
