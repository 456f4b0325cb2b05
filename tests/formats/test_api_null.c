// test_api_null.c: NULL wherever the headers allow it, for a model of every format.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/bplx.h>
#include <tenon/edit.h>
#include <tenon/fbx.h>
#include <tenon/files.h>
#include <tenon/gltf.h>
#include <tenon/gpb.h>
#include <tenon/modeldata.h>
#include <tenon/obj.h>
#include <tenon/places.h>
#include <tenon/scene.h>

#include "../scratch.h"
#include "../test.h"

static const char *const models[] = {
    "samples/crane.bbmod", "samples/crane_lift.bbanim", "samples/crane.gpb",
    "samples/crane.bmw",   "samples/crane.cea",         "samples/crane.cem",
    "samples/crane.bplx",  "samples/crane.glb",         "tests/fixtures/obj/minimal.obj",
};

static bool begin(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static bool ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static bool end(void *user)
{
    (void)user;
    return true;
}

static void use_document(tenon_doc *doc, const char *path)
{
    tenon_info info;
    const char *copy = scratch("copy");
    const tenon_write_opts replace = {.force = true};
    tenon_cuts(doc, NULL, NULL);
    CHECK(!tenon_locate(doc, "no such field", NULL, NULL));
    uint64_t size = tenon_write(doc, NULL, NULL, NULL);
    CHECK(size == doc->source_size);
    (void)remove(copy);
    CHECK(tenon_write_file(doc, copy, NULL, NULL));
    CHECK(!tenon_write_file(doc, copy, NULL, NULL));  // It exists.
    CHECK(tenon_change(doc, NULL, NULL));
    CHECK(tenon_write(doc, NULL, NULL, NULL) == size);  // Nothing was changed.
    CHECK(tenon_dialect_by_extension(doc, "no extension") == NULL);
    CHECK(!tenon_merge(doc, doc, NULL, NULL));
    CHECK(tenon_dump(doc, NULL, NULL, NULL));
    CHECK(tenon_dump_file(doc, copy, &replace, NULL));
    CHECK(tenon_check(doc, NULL, NULL, NULL, NULL, NULL));
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.model_path = path}, &info, NULL));
    tenon_info_free(&info);
    CHECK(tenon_doc_info(doc, NULL, &info, NULL));
    tenon_info_free(&info);
    tenon_info_free(&info);
    tenon_info_free(NULL);
    CHECK(tenon_tree(doc, NULL, NULL, NULL));
    (void)tenon_relate(doc, doc, NULL, 0);
    CHECK(tenon_sidecars(doc, path, NULL, NULL));
    CHECK(tenon_finalize(doc, NULL));
    (void)tenon_recover(doc, NULL, NULL);  // Not every format can.
}

static void use_scene(tenon_scene *scene)
{
    double low[3], high[3];
    const tenon_sink sink = {begin, ignore_bytes, end, NULL};
    const tenon_export_opts to_glb = {.format = "glb"};
    const char *copy = scratch("copy.glb");
    CHECK(tenon_scene_check(scene, NULL));
    CHECK(!tenon_export(scene, NULL, &sink, NULL));  // No format.
    CHECK(tenon_export(scene, &to_glb, &sink, NULL));
    (void)remove(copy);
    CHECK(tenon_export_file(scene, copy, NULL, NULL, NULL));  // The extension is a format.
    CHECK(!tenon_export_file(scene, copy, NULL, NULL, NULL));
    CHECK(!tenon_export_file(scene, scratch("copy"), NULL, NULL, NULL));
    CHECK(!tenon_export_verify(scene, NULL, NULL, NULL, NULL));
    CHECK(tenon_export_verify(scene, &to_glb, NULL, NULL, NULL));
    CHECK(tenon_verify(scene, scene, NULL, NULL, NULL));
    CHECK(tenon_diff(scene, scene, NULL, NULL, NULL, NULL, NULL));
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    CHECK(pose != NULL);
    if (!pose) return;
    (void)tenon_pose_bounds(pose, low, high);
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) tenon_pose_skin(pose, i, 0, NULL, NULL);
    tenon_pose_free(pose);
    CHECK(tenon_edit_space(scene, NULL, NULL));
    CHECK(tenon_edit_keep(scene, NULL, NULL));
    CHECK(tenon_edit_meshes(scene, NULL, NULL));
    CHECK(tenon_edit_clips(scene, NULL, NULL));
    CHECK(tenon_edit_add_clips(scene, NULL, NULL, NULL));
    CHECK(tenon_edit_add_clips(scene, scene, NULL, NULL));
    CHECK(!tenon_edit_space(NULL, NULL, NULL) && !tenon_edit_clips(NULL, NULL, NULL));
    CHECK(!tenon_edit_keep(NULL, NULL, NULL) && !tenon_edit_meshes(NULL, NULL, NULL));
    CHECK(!tenon_edit_add_clips(NULL, NULL, NULL, NULL));
}

TEST(every_model_takes_null_for_what_is_optional)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        tenon_bytes bytes;
        CHECK(tenon_load(models[i], NULL, &bytes, NULL));
        tenon_read_opts opts = {.name = models[i]};
        tenon_doc *doc = tenon_read(bytes.data, bytes.size, &opts, NULL);
        tenon_doc *again = tenon_read_file(models[i], NULL, NULL);
        CHECK(doc != NULL && again != NULL);
        CHECK(tenon_map(bytes.data, bytes.size, &opts, NULL, NULL, NULL));
        CHECK(!tenon_map(bytes.data, 3, NULL, NULL, NULL, NULL));
        CHECK(tenon_read(bytes.data, 3, NULL, NULL) == NULL);
        tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
        CHECK((scene != NULL) == (doc && (doc->format->caps & TENON_TO_SCENE) != 0));
        tenon_traced traced;
        CHECK(doc && !tenon_trace(doc, TENON_NONE, 0, 0, NULL, &traced, NULL));
        tenon_corner corner;
        CHECK(doc && !tenon_trace_back(doc, UINT64_MAX, NULL, &corner, NULL));
        CHECK(tenon_trace_paths(doc, NULL, 0, NULL, NULL) == (scene != NULL));
        CHECK(!tenon_trace_paths(doc, NULL, 1, NULL, NULL));
        CHECK(!tenon_trace_paths(NULL, NULL, 0, NULL, NULL));
        tenon_scene *imported = tenon_import_file(models[i], NULL, NULL, NULL);
        CHECK((imported != NULL) == (scene != NULL));
        tenon_scene_free(imported);
        if (scene) use_scene(scene);
        if (again) use_document(again, models[i]);
        tenon_scene_free(scene);
        tenon_doc_free(doc);
        tenon_doc_free(again);
        tenon_unload(&bytes);
    }
}

TEST(null_can_be_freed_and_cast)
{
    tenon_doc_free(NULL);
    tenon_scene_free(NULL);
    tenon_pose_free(NULL);
    tenon_unload(NULL);
    tenon_batch_free(NULL);
    tenon_bbmat_free(NULL);
    tenon_bmw_sidecar_free(NULL);
    tenon_gpb_properties_free(NULL);
    CHECK(!tenon_as_bbmod(NULL) && !tenon_as_bbanim(NULL) && !tenon_as_gpb(NULL));
    CHECK(!tenon_as_bmw(NULL) && !tenon_as_modeldata(NULL) && !tenon_as_bplx(NULL));
    CHECK(!tenon_as_fbx(NULL) && !tenon_as_gltf(NULL) && !tenon_as_obj(NULL));
    CHECK(tenon_fbx_unit(NULL) == 0);
}

TEST(files_and_texts_take_null_for_what_is_optional)
{
    static const char json[] = "{\"tenon\": 1}";
    char out[64];
    tenon_bytes bytes;
    tenon_file_id id;
    const char *path = scratch("saved");
    (void)remove(path);
    CHECK(tenon_save(path, "x", 1, NULL, NULL));
    CHECK(!tenon_save(path, "x", 1, NULL, NULL));  // It exists.
    CHECK(tenon_load(path, NULL, &bytes, NULL));
    tenon_unload(&bytes);
    CHECK(!tenon_load("/no/such/file", NULL, &bytes, NULL));
    CHECK(!tenon_read_file("/no/such/file", NULL, NULL));
    CHECK(!tenon_import_file("/no/such/file", NULL, NULL, NULL));
    CHECK(tenon_file_identify(NULL, path, &id));
    CHECK(tenon_file_beside(NULL, path, (tenon_str){"a", 1}, out, sizeof out) || !out[0]);
    CHECK(!tenon_build(json, sizeof json - 1, NULL, NULL, NULL, NULL));
    CHECK(!tenon_build_file(json, sizeof json - 1, scratch("built"), NULL, NULL, NULL));
    tenon_batch *batch = tenon_batch_new(NULL, NULL);
    CHECK(batch && tenon_batch_commit(batch, NULL));
    tenon_batch_free(batch);
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    CHECK(scene != NULL);
    tenon_scene_free(scene);
}

TEST(side_files_take_null_for_what_is_optional)
{
    static const char text[] = "material a\n{\n}\n";
    char out[64];
    tenon_bbmat *material = tenon_bbmat_read("{}", 2, NULL, NULL);
    CHECK(material && tenon_bbmat_set_text(material, "a", "b", NULL));
    CHECK(material && tenon_bbmat_set_number(material, "n", 1, NULL));
    CHECK(material && tenon_bbmat_write(material, ignore_bytes, NULL, NULL));
    tenon_bbmat_free(material);
    CHECK(!tenon_bbmat_read("{", 1, NULL, NULL));
    CHECK(!tenon_bbmat_find(NULL, "/no/such/model", (tenon_str){"a", 1}, out, sizeof out));
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_beside("samples/crane.bmw", NULL, NULL);
    CHECK(sidecar && tenon_bmw_sidecar_write(sidecar, ignore_bytes, NULL, NULL));
    tenon_bmw_sidecar_free(sidecar);
    CHECK(!tenon_bmw_sidecar_read("{", 1, NULL, NULL));
    tenon_gpb_properties *file = tenon_gpb_properties_read(text, sizeof text - 1, NULL, NULL);
    CHECK(file != NULL);
    tenon_gpb_properties_free(file);
    CHECK(!tenon_gpb_properties_read("}", 1, NULL, NULL));
    file = tenon_gpb_properties_beside("samples/crane.gpb", "material", NULL, NULL);
    CHECK(file != NULL);
    tenon_gpb_properties_free(file);
}

int main(void)
{
    scratch_begin();
    RUN(every_model_takes_null_for_what_is_optional);
    RUN(null_can_be_freed_and_cast);
    RUN(files_and_texts_take_null_for_what_is_optional);
    RUN(side_files_take_null_for_what_is_optional);
    scratch_end();
    TEST_END();
}
