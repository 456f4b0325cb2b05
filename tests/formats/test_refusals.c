// test_refusals.c: one invalid item among many is refused, whichever item it is.
// SPDX-License-Identifier: MIT

#include "model_help.h"

#include <tenon/bmw.h>
#include <tenon/modeldata.h>

#include <math.h>

static bool ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

// -- Sidecars of BMW

TEST(a_clip_of_a_sidecar_must_be_finite)
{
    static const char text[] = "{\"clips\": [{\"name\": \"a\", \"start\": 0, \"end\": 1},"
                               " {\"name\": \"b\", \"start\": 1, \"end\": 2}, {\"name\": \"c\", "
                               "\"start\": 2, \"end\": 3}]}";
    for (uint32_t i = 0; i < 3; i++)
        for (int is_end = 0; is_end < 2; is_end++) {
            tenon_error err;
            tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read(text, strlen(text), NULL, &err);
            CHECK(sidecar && sidecar->clip_count == 3);
            if (!sidecar) return;
            *(is_end ? &sidecar->clips[i].end : &sidecar->clips[i].start) = NAN;
            CHECK(!tenon_bmw_sidecar_write(sidecar, ignore_bytes, NULL, &err));
            CHECK(err.code == TENON_ERR_VALUE);
            CHECK_STR(err.message, is_end ? "'end' is not finite" : "'start' is not finite");
            tenon_bmw_sidecar_free(sidecar);
        }
}

// -- Names of ModelData, whose characters some dialects count

// The text number `index` of the document that a dialect counts; NULL past the last one.
static tenon_str *counted_text(tenon_modeldata *doc, uint32_t index)
{
    if (index < doc->joint_count) return &doc->joints[index].name;
    index -= doc->joint_count;
    for (uint32_t i = 0; i < doc->mesh_count; i++, index -= TENON_MODELDATA_MAP_COUNT)
        if (index < TENON_MODELDATA_MAP_COUNT)
            return doc->meshes[i].material_size ? &doc->meshes[i].material.maps[index] : NULL;
    return NULL;
}

// How many texts there are in a file, each of which is refused by a change of dialect or, where
// the file has the dialect already, by finalizing.
static uint32_t refused_texts(const char *path, const char *dialect)
{
    for (uint32_t count = 0;; count++) {
        tenon_error err;
        tenon_change_opts opts = {.dialect = dialect};
        tenon_doc *doc = tenon_read_file(path, NULL, &err);
        tenon_str *text = doc ? counted_text(tenon_as_modeldata(doc), count) : NULL;
        if (text) {
            *text = (tenon_str){"a\xff", 2};
            CHECK(!(dialect ? tenon_change(doc, &opts, &err) : tenon_finalize(doc, &err)));
            CHECK(err.code == TENON_ERR_UNSUPPORTED);
            CHECK(strstr(err.message, "cannot count the characters of 'a?', which is not UTF-8"));
        }
        tenon_doc_free(doc);
        if (!text) return count;
    }
}

TEST(characters_that_cannot_be_counted_are_refused)
{
    CHECK(refused_texts("tests/fixtures/modeldata/current_full.cea", "characters") > 2);
    CHECK(refused_texts("tests/fixtures/modeldata/characters_full.cea", NULL) > 2);
}

// -- Vertices of ModelData with other than four influences

TEST(sizes_may_count_bytes_or_numbers)
{
    tenon_doc *doc =
        tenon_read_file("tests/fixtures/modeldata/document_influences.cea", NULL, NULL);
    tenon_modeldata *model = tenon_as_modeldata(doc);
    CHECK(model && model->mesh_count > 0);
    if (!model) return;
    const tenon_span *weights = &model->meshes[0].arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t stride = weights->layout->stride, count = weights->count;
    CHECK(stride != 16);
    for (uint32_t i = 0; i < model->mesh_count; i++)
        model->meshes[i].size_unit = TENON_MODELDATA_NUMBERS;
    CHECK(tenon_finalize(doc, NULL));
    blob bytes = blob_written(doc);
    tenon_read_opts opts = {.format = "modeldata", .dialect = doc->dialect->name};
    tenon_doc *again = tenon_read(bytes.data, bytes.size, &opts, NULL);
    CHECK(again);
    if (again) {
        weights = &tenon_as_modeldata(again)->meshes[0].arrays[TENON_MODELDATA_WEIGHTS];
        CHECK(tenon_as_modeldata(again)->meshes[0].size_unit == TENON_MODELDATA_NUMBERS);
        CHECK(weights->layout->stride == stride && weights->count == count);
    }
    tenon_doc_free(again);
    tenon_doc_free(doc);
    blob_free(&bytes);
}

// -- Meshes of ModelData that are not merged

static void count_meshes(void *user, const tenon_loss *loss)
{
    if (strcmp(loss->feature, "meshes") == 0) *(uint64_t *)user += loss->count;
}

TEST(every_mesh_that_is_left_out_is_reported)
{
    const char *path = "tests/fixtures/modeldata/current_full.cea";
    tenon_doc *into = tenon_read_file(path, NULL, NULL), *from = tenon_read_file(path, NULL, NULL);
    tenon_modeldata *model = tenon_as_modeldata(from);
    uint64_t reported = 0;
    CHECK(into && model && model->mesh_count > 0);
    if (!into || !model) return;
    uint32_t had = model->mesh_count;
    tenon_modeldata_mesh *meshes = tenon_doc_alloc(from, (had + 3) * sizeof *meshes);
    CHECK(meshes);
    for (uint32_t i = 0; meshes && i < had + 3; i++) meshes[i] = model->meshes[i % had];
    model->meshes = meshes;
    model->mesh_count = had + 3;
    tenon_merge_opts opts = {.events = {.user = &reported, .on_loss = count_meshes}};
    CHECK(tenon_merge(into, from, &opts, NULL));
    CHECK(reported == 3);
    tenon_doc_free(into);
    tenon_doc_free(from);
}

int main(void)
{
    RUN(a_clip_of_a_sidecar_must_be_finite);
    RUN(characters_that_cannot_be_counted_are_refused);
    RUN(sizes_may_count_bytes_or_numbers);
    RUN(every_mesh_that_is_left_out_is_reported);
    TEST_END();
}
