// test_modeldata_cut.c: ModelData files that end too early, read as what they were: what remains
// of them can be used like any document.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../robust_properties.h"
#include "model_help.h"

#include <tenon/modeldata.h>

#include <dirent.h>

#define FOLDER "tests/fixtures/modeldata"

// -- Texts

static uint32_t null_texts(const tenon_str *texts, uint32_t count)
{
    uint32_t nulls = 0;
    for (uint32_t i = 0; i < count; i++) nulls += texts[i].data == NULL;
    return nulls;
}

// How many texts of the document are NULL, which none may be.
static uint32_t nulls_in(const tenon_modeldata *doc)
{
    uint32_t nulls = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        nulls += null_texts(doc->meshes[i].material.maps, TENON_MODELDATA_MAP_COUNT) +
                 null_texts(&doc->meshes[i].collision_shape, 1);
    for (uint32_t i = 0; i < doc->joint_count; i++) nulls += null_texts(&doc->joints[i].name, 1);
    for (uint32_t i = 0; i < doc->animation_count; i++)
        nulls += null_texts(&doc->animations[i].name, 1);
    return nulls;
}

// -- Cutting

// What is whole of a cut file can be written, and that can be read.
static const char *fault_in_rest(const void *data, size_t size, const char *dialect)
{
    tenon_error err;
    tenon_read_opts opts = {.format = "modeldata", .dialect = dialect, .partial = true};
    tenon_doc *doc = tenon_read(data, size, &opts, &err), *again = NULL;
    blob file = {0};
    const char *fault = NULL;
    if (!doc)
        fault = "nothing is left";
    else if (nulls_in(tenon_as_modeldata(doc)))
        fault = "a text is NULL";
    else if (!tenon_finalize(doc, &err) || tenon_write(doc, blob_add, &file, &err) == TENON_ABSENT)
        fault = "what is left cannot be written";
    if (!fault) {
        opts = (tenon_read_opts){.format = "modeldata", .dialect = doc->dialect->name};
        again = tenon_read(file.data, file.size, &opts, &err);
        fault = again ? NULL : "what is left cannot be read";
    }
    tenon_doc_free(again);
    tenon_doc_free(doc);
    blob_free(&file);
    return fault;
}

static void check_cut(const char *name, const void *data, size_t size, const char *dialect)
{
    const tenon_read_opts opts = {.format = "modeldata", .dialect = dialect};
    const char *fault = fault_in_reading(data, size, &opts, false);
    if (!fault) fault = fault_in_salvage(data, size, &opts);
    if (!fault) fault = fault_in_rest(data, size, dialect);
    if (!fault) return;
    fprintf(stderr, "%s cut to %zu bytes, as %s: %s\n", name, size, dialect ? dialect : "it is",
            fault);
    test_failures++;
}

// Sizes that are right already are not changed by computing them.
static void check_whole(const blob *file, const char *name)
{
    const tenon_read_opts opts = {.format = "modeldata"};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, NULL);
    CHECK(doc && tenon_finalize(doc, NULL));
    blob again = doc ? blob_written(doc) : (blob){0};
    if (!blob_same(&again, file)) fprintf(stderr, "%s differs when finalized\n", name);
    CHECK(blob_same(&again, file));
    tenon_doc_free(doc);
    blob_free(&again);
}

static void check_cuts(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, FOLDER "/%s", name);
    blob file = blob_load(path);
    for (size_t size = 0; size <= file.size; size++) {
        check_cut(name, file.data, size, NULL);
        check_cut(name, file.data, size, "cea");
        check_cut(name, file.data, size, "cem");
    }
    check_whole(&file, name);
    blob_free(&file);
}

TEST(a_file_cut_anywhere_can_be_used)
{
    unsigned checked = 0;
    DIR *folder = opendir(FOLDER);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        check_cuts(entry->d_name);
        checked++;
    }
    if (folder) closedir(folder);
    CHECK(checked >= 30);
}

// "No joint is a root" was reported at a count that the file did not reach.
TEST(a_finding_is_never_after_the_end_of_what_was_read)
{
    static const uint8_t head[] = {0, 0, 0, 4, 1, 0xE7, 5, 0x12, 0, 0, 0, 0xEE, 0, 0};
    for (size_t size = 0; size <= sizeof head; size++) {
        check_cut("a head", head, size, "cea");
        check_cut("a head", head, size, NULL);
    }
}

int main(void)
{
    RUN(a_file_cut_anywhere_can_be_used);
    RUN(a_finding_is_never_after_the_end_of_what_was_read);
    TEST_END();
}
