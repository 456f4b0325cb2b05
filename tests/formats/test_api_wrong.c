// test_api_wrong.c: calls that are wrong, and that the headers allow: unknown numbers and names,
// callbacks that stop, too little room, no memory. Those with NULL are in test_api_null.c.
// SPDX-License-Identifier: MIT
//
// tests/failures/test_wrong_calls.py lists the functions that no test calls wrongly.

#include <math.h>
#include <stdlib.h>

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/files.h>
#include <tenon/gltf.h>
#include <tenon/gpb.h>
#include <tenon/render.h>
#include <tenon/scene.h>

#include "../test.h"

static void *refuse_memory(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

static void ignore_memory(void *user, void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

static const tenon_allocator no_memory = {.alloc = refuse_memory, .free = ignore_memory};

static bool refuse_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return false;
}

static tenon_doc *read_model(const char *path)
{
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    if (!doc) exit(1);
    return doc;
}

TEST(tables_end_and_words_are_never_missing)
{
    const tenon_format *obj = tenon_format_by_name("obj");
    const tenon_dialect *none = tenon_dialect_by_name(obj, "no such dialect");
    CHECK(tenon_format_at(UINT32_MAX) == NULL && tenon_rule_at(UINT32_MAX) == NULL);
    CHECK(tenon_profile_at(UINT32_MAX) == NULL && tenon_format_by_name("") == NULL);
    CHECK(none == NULL && tenon_why_no_motion(tenon_format_by_name("gltf"), none) == NULL);
    CHECK_STR(tenon_code_word((tenon_code)999), "unknown");
    CHECK_STR(tenon_loss_word((tenon_loss_kind)999), "unknown");
    CHECK_STR(tenon_type_word((tenon_type)999), "unknown");
    CHECK_STR(tenon_slot_word((tenon_slot)999), "unknown");
    CHECK_STR(tenon_verdict_word((tenon_verdict)999), "unknown");
    CHECK_STR(tenon_verify_mode(NULL), "");
    CHECK(tenon_type_size((tenon_type)999) == 1);
    tenon_budget budget = tenon_budget_for(UINT64_MAX);  // It does not wrap around.
    CHECK(budget.memory.limit >= tenon_budget_for(UINT64_MAX / 64).memory.limit);
}

static bool stop_at_node(void *user, const tenon_tree_node *node)
{
    (void)node;
    ++*(int *)user;
    return false;
}

static void count_cut(void *user, const tenon_cut *cut)
{
    (void)cut;
    ++*(int *)user;
}

static void count_name(void *user, const char *name)
{
    (void)name;
    ++*(int *)user;
}

TEST(documents_refuse_what_they_cannot_do)
{
    tenon_error err;
    tenon_doc *doc = read_model("samples/crane.bplx");
    tenon_doc *obj = read_model("tests/fixtures/obj/minimal.obj");
    int cuts = 0, nodes = 0, names = 0;
    char text[4] = "xyz";
    tenon_cuts(doc, count_cut, &cuts);
    CHECK(cuts == 0);  // Nothing is missing.
    CHECK(tenon_doc_alloc(doc, SIZE_MAX) == NULL);
    CHECK(tenon_write(doc, refuse_bytes, NULL, &err) == TENON_ABSENT && err.code == TENON_ERR_IO);
    CHECK(tenon_tree(doc, stop_at_node, &nodes, &err) && nodes == 1);
    CHECK(tenon_dialect_by_extension(doc, "") == NULL);
    CHECK(tenon_number_text(TENON_TYPE_U8, (const uint8_t *)"\7", false, 0, text, 0) == 0);
    CHECK_STR(text, "xyz");
    CHECK(tenon_sidecars(doc, "", count_name, &names) && names == 0);  // It has none.
    CHECK(!tenon_recover(obj, NULL, &err) && err.code == TENON_ERR_UNSUPPORTED);
    tenon_doc_free(obj);
    tenon_info info;
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.model_path = "no/such/model"}, &info, NULL));
    tenon_info_free(&info);
    tenon_info_free(&info);  // It is empty then.
    tenon_doc_free(doc);
    CHECK(!tenon_load_stream((tenon_file)-1, "closed", NULL, &(tenon_bytes){0}, &err));
    CHECK(err.code == TENON_ERR_IO);
}

TEST(scenes_and_poses_refuse_unknown_numbers)
{
    tenon_error err;
    tenon_scene *scene = tenon_import_file("samples/crane.gpb", NULL, NULL, NULL);
    if (!scene) exit(1);
    CHECK(tenon_scene_alloc(scene, SIZE_MAX) == NULL);
    CHECK(tenon_pose_new(scene, &no_memory, &err) == NULL && err.code == TENON_ERR_MEMORY);
    tenon_doc *doc = read_model("samples/crane.gpb");
    CHECK(tenon_to_scene(doc, &(tenon_scene_opts){.allocator = no_memory}, &err) == NULL);
    CHECK(err.code == TENON_ERR_MEMORY);
    tenon_doc_free(doc);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    double rest[6], now[6];
    CHECK(pose && tenon_pose_bounds(pose, rest, rest + 3));
    tenon_pose_set(pose, UINT32_MAX - 1, 0.5);  // No such animation: at rest.
    CHECK(tenon_pose_bounds(pose, now, now + 3) && memcmp(rest, now, sizeof now) == 0);
    static const double times[] = {-1, 1e300, NAN};
    for (int i = 0; i < 3; i++) {
        tenon_pose_set(pose, 0, times[i]);
        CHECK(tenon_pose_bounds(pose, now, now + 3));
        for (int k = 0; k < 6; k++) CHECK(isfinite(now[k]));
    }
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

TEST(materials_and_animations_of_bbmod_refuse_what_is_not_there)
{
    tenon_error err;
    int names = 0;
    tenon_bbmat *material = tenon_bbmat_read("{\"a\": [1]}", 10, NULL, NULL);
    if (!material) exit(1);
    CHECK(tenon_bbmat_get(material, "").data == NULL && tenon_bbmat_get(material, "b").size == 0);
    CHECK(tenon_bbmat_get(material, "a").data == NULL);  // A list has no text.
    CHECK(!tenon_bbmat_set_number(material, "b.c", 1, &err) && err.message[0]);
    CHECK(!tenon_bbmat_write(material, refuse_bytes, NULL, &err) && err.message[0]);
    tenon_bbmat_free(material);
    CHECK(tenon_bbanim_clip("hero.bbmod", "").size == 0);
    CHECK(!tenon_bbanim_find(NULL, "no/such/folder/hero.bbmod", NULL, count_name, &names, &err));
    CHECK(names == 0 && err.code == TENON_ERR_IO);
    tenon_doc *model = read_model("samples/crane.bbmod");
    tenon_doc *animation = read_model("samples/crane_lift.bbanim");
    CHECK(tenon_bbanim_fits(tenon_as_bbanim(animation), tenon_as_bbmod(model)));
    tenon_as_bbmod(model)->node_count--;
    CHECK(!tenon_bbanim_fits(tenon_as_bbanim(animation), tenon_as_bbmod(model)));
    tenon_as_bbmod(model)->node_count++;
    tenon_doc_free(animation);
    tenon_doc_free(model);
}

static bool stop_at_gpb_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    (void)node, (void)depth;
    ++*(int *)user;
    return false;
}

static bool stop_at_block(void *user, const tenon_gpb_properties *block)
{
    (void)block;
    ++*(int *)user;
    return false;
}

TEST(bundles_and_property_files_refuse_what_is_not_there)
{
    static const char text[] =
        "material a\n{\n    technique\n    {\n    }\n    technique\n    {\n    }\n}";
    int nodes = 0, blocks = 0;
    tenon_doc *doc = read_model("samples/crane.gpb");
    CHECK(tenon_gpb_id(tenon_as_gpb(doc), UINT32_MAX).size == 0);
    tenon_gpb_each_node(tenon_as_gpb(doc), stop_at_gpb_node, &nodes);
    CHECK(nodes == 1);
    tenon_doc_free(doc);
    tenon_gpb_properties *file = tenon_gpb_properties_read(text, sizeof text - 1, NULL, NULL);
    if (!file) exit(1);
    CHECK(tenon_gpb_properties_find(file, "shader", (tenon_str){"a", 1}) == NULL);
    CHECK(tenon_gpb_property_value(file->children, "color").data == NULL);
    tenon_gpb_properties_each(file->children, "technique", stop_at_block, &blocks);
    CHECK(blocks == 1);
    tenon_gpb_properties_free(file);
}

TEST(beowolf_and_gltf_refuse_what_is_not_there)
{
    uint64_t offset = 7;
    char out[4] = "xyz";
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read("{}", 2, NULL, NULL);
    CHECK(sidecar && tenon_bmw_sidecar_alloc(sidecar, SIZE_MAX) == NULL);
    CHECK(sidecar && tenon_bmw_clip_animation(sidecar, UINT32_MAX) == 0);
    tenon_bmw_sidecar_free(sidecar);
    CHECK(tenon_bmw_texture_name((tenon_str){"a.png", 5}, out, 5) == 0 && !out[0]);
    tenon_doc *model = read_model("samples/crane.bmw");
    tenon_bmw *bmw = tenon_as_bmw(model);
    tenon_bmw_bone stranger = {.node_id = 123456789};
    const tenon_bmw_animation animation = {.bone_count = 1, .bones = &stranger};
    uint32_t id, unmatched;
    CHECK(tenon_bmw_match(bmw, bmw, &animation, &id, &unmatched, NULL));
    CHECK(id == stranger.node_id && unmatched == 1);
    tenon_doc_free(model);
    tenon_doc *glb = read_model("samples/crane.glb");
    tenon_as_gltf(glb)->chunk_count = 0;
    CHECK(tenon_gltf_json(tenon_as_gltf(glb), &offset).size == 0 && offset != 7);
    tenon_doc_free(glb);
}

TEST(distances_that_are_no_numbers_have_the_first_color)
{
    uint8_t color[3], first[3];
    tenon_distance_color(0, first);
    tenon_distance_color((double)NAN, color);
    CHECK(memcmp(color, first, sizeof color) == 0);
}

int main(void)
{
    RUN(tables_end_and_words_are_never_missing);
    RUN(documents_refuse_what_they_cannot_do);
    RUN(scenes_and_poses_refuse_unknown_numbers);
    RUN(materials_and_animations_of_bbmod_refuse_what_is_not_there);
    RUN(bundles_and_property_files_refuse_what_is_not_there);
    RUN(beowolf_and_gltf_refuse_what_is_not_there);
    RUN(distances_that_are_no_numbers_have_the_first_color);
    TEST_END();
}
