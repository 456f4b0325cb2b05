// test_api_clears.c: a call that succeeds leaves nothing in the error of an earlier one.
// SPDX-License-Identifier: MIT

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/files.h>
#include <tenon/gpb.h>
#include <tenon/modeldata.h>
#include <tenon/scene.h>

#include "../edits.h"
#include "../test.h"

static tenon_error last;

// An error as an earlier call may have left it.
static tenon_error *dirty(void)
{
    last = (tenon_error){.code = TENON_ERR_IO, .system = 5, .offset = 7, .line = 8, .column = 9};
    strcpy(last.path, "elsewhere");
    strcpy(last.message, "of an earlier call");
    strcpy(last.note, "with a note");
    return &last;
}

// Whether the call whose result is `ok` has succeeded, and has left no error.
static bool is_clear(bool ok)
{
    return ok && last.code == TENON_OK && last.system == 0 && last.offset == TENON_ABSENT &&
           last.line == 0 && last.column == 0 && !last.path[0] && !last.message[0] && !last.note[0];
}

static bool ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static void ignore_difference(void *user, const tenon_difference *difference)
{
    (void)user, (void)difference;
}

static void ignore_finding(void *user, const tenon_finding *finding)
{
    (void)user, (void)finding;
}

static bool ignore_part(void *user, const tenon_part *part)
{
    (void)user, (void)part;
    return true;
}

static bool ignore_node(void *user, const tenon_tree_node *node)
{
    (void)user, (void)node;
    return true;
}

static bool ignore_name(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static bool ignore_end(void *user)
{
    (void)user;
    return true;
}

static const tenon_sink nowhere = {ignore_name, ignore_bytes, ignore_end, NULL};

// -- Documents

TEST(calls_for_files_of_any_format)
{
    tenon_bytes bytes = {0};
    CHECK(tenon_load("samples/crane.gpb", NULL, &bytes, NULL));
    CHECK(is_clear(tenon_map(bytes.data, bytes.size, NULL, ignore_part, NULL, dirty())));
    tenon_doc *doc = tenon_read(bytes.data, bytes.size, NULL, dirty());
    CHECK(is_clear(doc != NULL));
    tenon_doc_free(doc);
    tenon_unload(&bytes);
    tenon_batch *batch = tenon_batch_new(NULL, dirty());
    CHECK(is_clear(batch != NULL));
    CHECK(is_clear(tenon_batch_commit(batch, dirty())));
    tenon_batch_free(batch);
}

TEST(calls_for_documents)
{
    tenon_doc *doc = tenon_read_file("samples/crane.gpb", NULL, dirty());
    CHECK(is_clear(doc != NULL));
    tenon_doc *other = tenon_read_file("tests/fixtures/gpb/1_5_scene.gpb", NULL, NULL);
    tenon_check_result result;
    tenon_change_opts change = {.dialect = "1.4"};
    tenon_info info;
    CHECK(is_clear(tenon_write(doc, ignore_bytes, NULL, dirty()) != TENON_ABSENT));
    CHECK(is_clear(tenon_dump(doc, ignore_bytes, NULL, dirty())));
    CHECK(is_clear(tenon_check(doc, NULL, ignore_finding, NULL, &result, dirty())));
    const tenon_info_opts beside = {.full = true, .model_path = "samples/crane.gpb"};
    CHECK(is_clear(tenon_doc_info(doc, &beside, &info, dirty())));
    tenon_info_free(&info);
    CHECK(is_clear(tenon_tree(doc, ignore_node, NULL, dirty())));
    CHECK(is_clear(tenon_finalize(doc, dirty())));
    CHECK(is_clear(tenon_merge(doc, other, NULL, dirty())));
    CHECK(is_clear(tenon_change(doc, &change, dirty())));
    CHECK(is_clear(tenon_recover(doc, NULL, dirty())));
    tenon_doc_free(doc);
    tenon_doc_free(other);
}

TEST(calls_for_texts)
{
    static const char text[] = "{\"a\": 1}";
    tenon_bbmat *material = tenon_bbmat_read(text, strlen(text), NULL, dirty());
    CHECK(is_clear(material != NULL));
    CHECK(is_clear(tenon_bbmat_set_text(material, "b", "c", dirty())));
    CHECK(is_clear(tenon_bbmat_set_number(material, "a", 2, dirty())));
    CHECK(is_clear(tenon_bbmat_write(material, ignore_bytes, NULL, dirty())));
    tenon_bbmat_free(material);
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read(text, strlen(text), NULL, dirty());
    CHECK(is_clear(sidecar != NULL));
    CHECK(is_clear(tenon_bmw_sidecar_write(sidecar, ignore_bytes, NULL, dirty())));
    tenon_bmw_sidecar_free(sidecar);
    CHECK(is_clear(!tenon_bmw_sidecar_beside("tests/fixtures/none.bmw", NULL, dirty())));
    tenon_gpb_properties *properties = tenon_gpb_properties_read("a b\n{\n}\n", 8, NULL, dirty());
    CHECK(is_clear(properties != NULL));
    tenon_gpb_properties_free(properties);
    CHECK(is_clear(
        !tenon_gpb_properties_beside("tests/fixtures/none.gpb", "material", NULL, dirty())));
}

TEST(calls_for_one_format)
{
    tenon_doc *doc = tenon_read_file("tests/fixtures/modeldata/current_full.cem", NULL, NULL);
    CHECK(is_clear(tenon_modeldata_set_shape(tenon_as_modeldata(doc), 0, "box/1/2/3", dirty())));
    tenon_doc_free(doc);
    doc = tenon_read_file("samples/crane.bmw", NULL, NULL);
    const tenon_bmw *model = tenon_as_bmw(doc);
    CHECK(is_clear(tenon_bmw_match(model, model, &model->animations[0], NULL, NULL, dirty())));
    tenon_doc_free(doc);
    doc = tenon_read_file("tests/fixtures/gpb/1_5_font.gpb", NULL, NULL);
    const tenon_gpb *bundle = tenon_as_gpb(doc);
    uint32_t font = 0;
    while (font < bundle->block_count && bundle->blocks[font].kind != TENON_GPB_FONT) font++;
    CHECK(is_clear(tenon_gpb_write_fnt(&bundle->blocks[font].body.font, 0, "font.png", ignore_bytes,
                                       NULL, dirty())));
    tenon_doc_free(doc);
}

// -- Scenes

TEST(calls_for_scenes)
{
    tenon_doc *doc = tenon_read_file("samples/crane.gpb", NULL, NULL);
    tenon_scene *scene = tenon_to_scene(doc, NULL, dirty());
    CHECK(is_clear(scene != NULL));
    tenon_scene *empty = tenon_scene_new(NULL, dirty());
    CHECK(is_clear(empty != NULL));
    tenon_pose *pose = tenon_pose_new(scene, NULL, dirty());
    CHECK(is_clear(pose != NULL));
    tenon_verify_result result;
    uint64_t count;
    tenon_export_opts opts = {.format = "bplx"};
    edits reshape = {.space.scale = 2};
    CHECK(is_clear(tenon_scene_check(scene, dirty())));
    CHECK(is_clear(tenon_verify(scene, scene, NULL, &result, dirty())));
    CHECK(is_clear(tenon_diff(scene, scene, NULL, ignore_difference, NULL, &count, dirty())));
    CHECK(is_clear(tenon_export(scene, &opts, &nowhere, dirty())));
    CHECK(is_clear(tenon_export_verify(scene, &opts, NULL, &result, dirty())));
    CHECK(is_clear(edit_scene(scene, &reshape, dirty())));
    tenon_pose_free(pose);
    tenon_scene_free(empty);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(calls_for_files_of_any_format);
    RUN(calls_for_documents);
    RUN(calls_for_texts);
    RUN(calls_for_one_format);
    RUN(calls_for_scenes);
    TEST_END();
}
