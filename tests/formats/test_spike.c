// test_spike.c: the most difficult real files: read, rewritten, mapped, edited, and compared with
// what an independent parser found in them.
// SPDX-License-Identifier: MIT
//
// The files are not part of the project: TENON_CORPUS names their folder. Skipped without it.

#include "../real_files.h"
#include "model_help.h"

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/gpb.h>
#include <tenon/modeldata.h>

// -- What is known about a file: one line of facts.jsonl

typedef struct fact {
    char file[160], format[32], version[16], dialect[16];
    const char *line;
} fact;

// The text of a member such as "file": "bmw/x.bmw"; "" if there is none.
static void find_text(const char *line, const char *key, char *out, size_t out_size)
{
    char pattern[40];
    snprintf(pattern, sizeof pattern, "\"%s\": \"", key);
    const char *at = strstr(line, pattern);
    size_t size = 0;
    if (at) at += strlen(pattern);
    if (at) size = strcspn(at, "\"");
    if (size >= out_size) size = out_size - 1;
    if (at) memcpy(out, at, size);
    out[size] = '\0';
}

static uint64_t find_number(const char *line, const char *key)
{
    char pattern[40];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(line, pattern);
    return at ? strtoull(at + strlen(pattern), NULL, 10) : TENON_ABSENT;
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(text, *list) == 0) return true;
    return false;
}

// Whether the file is of a generation that these tests are about.
static bool is_wanted(const fact *f)
{
    static const char *const gpb[] = {"1.2", "1.3", "1.4", "1.5", NULL};
    static const char *const bmw[] = {"R4", "R3", "R2", "R2a", NULL};
    if (strcmp(f->format, "bbmod") == 0) return strcmp(f->version, "3.4") == 0;
    if (strcmp(f->format, "gpb") == 0) return is_one_of(f->version, gpb);
    if (strcmp(f->format, "bmw") == 0) return is_one_of(f->dialect, bmw);
    return strcmp(f->format, "modeldata") == 0;
}

// -- One edit for each format, and the path of the field it changes

static uint8_t *own_bytes(tenon_doc *doc, const void *bytes, uint64_t size)
{
    uint8_t *copy = tenon_doc_alloc(doc, (size_t)size);
    if (!copy) abort();
    return memcpy(copy, bytes, (size_t)size);
}

static const char *edit_bbmod(tenon_bbmod *model)
{
    model->meshes[0].bbox_max[1] += 42;
    return "meshes[0].bbox_max";
}

static const char *edit_gpb(tenon_gpb *bundle)
{
    tenon_str *id = &bundle->references[0].id;
    uint8_t *copy = own_bytes(&bundle->base, id->data, id->size);
    copy[0] ^= 1;
    id->data = (const char *)copy;
    return "references[0].id";
}

static const char *edit_bmw(tenon_bmw *model)
{
    model->root.transform[5] += 42;
    return "root.transform";
}

static const char *edit_modeldata(tenon_modeldata *model)
{
    model->meshes[0].material.tiling += 42;
    return "meshes[0].material.tiling";
}

static const char *edit(tenon_doc *doc)
{
    if (tenon_as_bbmod(doc)) return edit_bbmod(tenon_as_bbmod(doc));
    if (tenon_as_gpb(doc)) return edit_gpb(tenon_as_gpb(doc));
    if (tenon_as_bmw(doc)) return edit_bmw(tenon_as_bmw(doc));
    return edit_modeldata(tenon_as_modeldata(doc));
}

// -- What each file must go through

static void check_counts(tenon_doc *doc, const fact *f)
{
    tenon_info info;
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, NULL));
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {{"meshes", info.meshes},       {"vertices", info.vertices},
                  {"triangles", info.triangles}, {"nodes", info.nodes},
                  {"joints", info.joints},       {"animations", info.animations},
                  {"channels", info.channels},   {"materials", info.materials},
                  {"fonts", info.fonts},         {"font_sizes", info.font_sizes}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t known = find_number(f->line, counts[i].key);
        if (known != TENON_ABSENT && counts[i].count != TENON_ABSENT)
            CHECK(known == counts[i].count);
    }
    CHECK_STR(doc->format->name, f->format);
    if (f->version[0] && info.version[0]) CHECK_STR(info.version, f->version);
    if (f->dialect[0]) CHECK_STR(doc->dialect->name, f->dialect);
    tenon_info_free(&info);
}

// Only the bytes of the edited field differ, and some of them do.
static void check_edit(tenon_doc *doc, const blob *before)
{
    uint64_t offset = 0, size = 0;
    const char *path = edit(doc);
    CHECK(tenon_locate(doc, path, &offset, &size) && size > 0);
    blob after = blob_written(doc);
    CHECK(after.size == before->size && offset + size <= after.size);
    if (after.size == before->size && offset + size <= after.size) {
        CHECK(memcmp(after.data, before->data, (size_t)offset) == 0);
        CHECK(memcmp(after.data + offset, before->data + offset, (size_t)size) != 0);
        CHECK(memcmp(after.data + offset + size, before->data + offset + size,
                     after.size - (size_t)(offset + size)) == 0);
    }
    CHECK(maps_whole(&after));
    blob_free(&after);
}

static void check_file(const char *corpus, const fact *f)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", corpus, f->file);
    int failures = test_failures;
    tenon_error err;
    blob file = blob_load(path);
    CHECK(maps_whole(&file));
    blob gone = {0};  // A copy to read from, which is freed before the document is used.
    blob_add(&gone, file.data, file.size);
    tenon_doc *doc = tenon_read(gone.data, gone.size, &(tenon_read_opts){.copy = true}, &err);
    blob_free(&gone);
    CHECK(doc != NULL);
    if (doc) {
        blob again = blob_written(doc);
        CHECK(blob_same(&file, &again));
        blob_free(&again);
        check_counts(doc, f);
        CHECK(tenon_finalize(doc, &err));  // What is right already is not changed.
        check_edit(doc, &file);
    }
    if (failures != test_failures) fprintf(stderr, "in %s: %s\n", path, doc ? "" : err.message);
    tenon_doc_free(doc);
    blob_free(&file);
}

static blob facts;

static void check_format(const char *format, unsigned at_least)
{
    unsigned checked = 0;
    for (char *line = (char *)facts.data; *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        fact f = {.line = line};
        find_text(line, "file", f.file, sizeof f.file);
        find_text(line, "format", f.format, sizeof f.format);
        find_text(line, "version", f.version, sizeof f.version);
        find_text(line, "dialect", f.dialect, sizeof f.dialect);
        if (strcmp(f.format, format) == 0 && is_wanted(&f)) {
            check_file(real_files(), &f);
            checked++;
        }
        if (end) *end = '\n';
        line = end ? end + 1 : line + strlen(line);
    }
    CHECK(checked >= at_least);
}

TEST(bbmod_3_4)
{
    check_format("bbmod", 14);
}

TEST(gpb_1_2_to_1_5)
{
    check_format("gpb", 35);
}

TEST(bmw_r4_to_r2a)
{
    check_format("bmw", 20);
}

TEST(modeldata_static_and_animated)
{
    check_format("modeldata", 2);
}

int main(void)
{
    if (!real_files()) REAL_FILES_END();
    char path[600];
    snprintf(path, sizeof path, "%s/facts.jsonl", real_files());
    facts = blob_load(path);
    blob_add(&facts, "", 1);
    RUN(bbmod_3_4);
    RUN(gpb_1_2_to_1_5);
    RUN(bmw_r4_to_r2a);
    RUN(modeldata_static_and_animated);
    blob_free(&facts);
    TEST_END();
}
