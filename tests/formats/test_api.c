// test_api.c: the contract of every call of the public header, shown with a BPLX file.
// SPDX-License-Identifier: MIT

#include <math.h>

#include <tenon/bplx.h>
#include <tenon/files.h>
#include <tenon/gpb.h>

#include "../poke.h"
#include "../robust_properties.h"
#include "../test.h"

#define FULL "tests/fixtures/bplx/document_full.bplx"

static uint8_t file[1024];
static size_t file_size;

// Bytes that a test may change.
static void load_file(void)
{
    tenon_bytes bytes;
    if (!tenon_load(FULL, NULL, &bytes, NULL) || bytes.size > sizeof file) {
        fprintf(stderr, "%s cannot be read; run this in the root folder of the project\n", FULL);
        exit(1);
    }
    file_size = bytes.size;
    memcpy(file, bytes.data, bytes.size);
    tenon_unload(&bytes);
}

static tenon_doc *read_file(void)
{
    tenon_doc *doc = tenon_read(file, file_size, NULL, NULL);
    if (!doc) exit(1);
    return doc;
}

// -- The tables

TEST(the_version_is_that_of_the_header)
{
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", TENON_VERSION_MAJOR, TENON_VERSION_MINOR,
             TENON_VERSION_PATCH);
    CHECK_STR(tenon_version(), want);
}

TEST(formats_are_found_by_name)
{
    uint32_t count = 0;
    for (const tenon_format *f; (f = tenon_format_at(count)) != NULL; count++) {
        CHECK(tenon_format_by_name(f->name) == f);
        CHECK(f->title[0] && f->engine[0] && f->extensions[0]);
        CHECK(f->dialect_count > 0 || !(f->caps & TENON_IS_EXACT));
        for (uint32_t i = 0; i < f->dialect_count; i++) {
            CHECK(tenon_dialect_by_name(f, f->dialects[i].name) == &f->dialects[i]);
            CHECK(f->dialects[i].summary[0]);
        }
        CHECK((f->rule_count > 0) == ((f->caps & TENON_CAN_CHECK) != 0));
    }
    CHECK(count >= 5);
    CHECK(tenon_format_at(UINT32_MAX) == NULL);
    CHECK(tenon_format_by_name("nothing") == NULL);
    CHECK(tenon_dialect_by_name(tenon_format_at(0), "nothing") == NULL);
}

TEST(rules_have_unique_ids)
{
    uint32_t count = 0;
    for (const tenon_rule *r; (r = tenon_rule_at(count)) != NULL; count++) {
        CHECK(strchr(r->id, '/') && r->summary[0]);
        CHECK(!r->fix || r->fix[0]);
        for (uint32_t i = 0; i < count; i++) CHECK(strcmp(tenon_rule_at(i)->id, r->id) != 0);
    }
    CHECK(count > 20);
    CHECK(tenon_rule_at(UINT32_MAX) == NULL);
}

TEST(codes_and_types_have_words)
{
    for (int a = TENON_OK; a <= TENON_ERR_IO; a++) {
        CHECK(tenon_code_word((tenon_code)a)[0]);
        for (int b = TENON_OK; b < a; b++)
            CHECK(strcmp(tenon_code_word((tenon_code)a), tenon_code_word((tenon_code)b)) != 0);
    }
    CHECK_STR(tenon_code_word(TENON_ERR_TRUNCATED), "truncated");
    CHECK_STR(tenon_code_word((tenon_code)999), "unknown");
    CHECK_STR(tenon_type_word(TENON_TYPE_F32), "f32");
    CHECK_STR(tenon_type_word((tenon_type)999), "unknown");
    CHECK(tenon_type_size(TENON_TYPE_F64) == 8 && tenon_type_size(TENON_TYPE_STR) == 1);
}

// -- Reading

TEST(options_and_errors_may_be_null)
{
    tenon_doc *doc = tenon_read(file, file_size, NULL, NULL);
    CHECK(doc && doc->source_size == file_size);
    CHECK_STR(doc->format->name, "bplx");
    CHECK_STR(doc->dialect->name, "document");
    CHECK(tenon_as_bplx(doc) != NULL && tenon_as_gpb(doc) == NULL);
    CHECK(tenon_write(doc, NULL, NULL, NULL) == file_size);
    CHECK(tenon_finalize(doc, NULL));
    CHECK(tenon_check(doc, NULL, NULL, NULL, NULL, NULL));
    tenon_doc_free(doc);
    tenon_doc_free(NULL);
    CHECK(tenon_as_bplx(NULL) == NULL);
    CHECK(tenon_read(file, 10, NULL, NULL) == NULL);
    CHECK(tenon_read_file("no/such/file", NULL, NULL) == NULL);
}

TEST(what_is_not_a_model_is_refused_at_its_start)
{
    static const char text[] = "{\"this\": \"is text\"}";
    tenon_error err;
    CHECK(tenon_read(text, sizeof text, NULL, &err) == NULL);
    CHECK(err.code == TENON_ERR_FORMAT && err.offset == 0);
    CHECK(strstr(err.message, "bplx") != NULL);
    CHECK(tenon_read(NULL, 0, NULL, &err) == NULL);
    CHECK(err.code == TENON_ERR_FORMAT && err.offset == 0);
    CHECK_STR(err.message, "the file is empty");
}

TEST(formats_and_dialects_can_be_forced)
{
    tenon_error err;
    CHECK(!tenon_read(file, file_size, &(tenon_read_opts){.format = "nothing"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "there is no format 'nothing'");
    CHECK(!tenon_read(file, file_size, &(tenon_read_opts){.format = "gpb"}, &err));
    CHECK(blames_input(err.code));
    CHECK(!tenon_read(file, file_size, &(tenon_read_opts){.dialect = "nothing"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "bplx has no dialect 'nothing'");
    CHECK(!tenon_read(file, file_size, &(tenon_read_opts){.dialect = "script"}, &err));
    CHECK(blames_input(err.code));
    tenon_doc *doc = tenon_read(file, file_size, &(tenon_read_opts){.dialect = "document"}, &err);
    CHECK(doc && err.code == TENON_OK);
    tenon_doc_free(doc);
}

TEST(a_partial_document_comes_with_its_error)
{
    tenon_error err;
    tenon_read_opts opts = {.partial = true};
    tenon_doc *doc = tenon_read(file, file_size - 100, &opts, &err);
    CHECK(err.code == TENON_ERR_TRUNCATED);
    CHECK(doc != NULL);
    if (doc) CHECK(tenon_as_bplx(doc)->bone_count == 2 && tenon_as_bplx(doc)->faces.count == 1);
    tenon_doc_free(doc);
}

TEST(memory_of_a_document_is_zeroed_and_limited)
{
    tenon_read_opts opts = {.max_memory = 4096};
    tenon_doc *doc = tenon_read(file, file_size, &opts, NULL);
    CHECK(doc != NULL);
    const uint8_t *memory = tenon_doc_alloc(doc, 100);
    for (int i = 0; i < 100; i++) CHECK(memory[i] == 0);
    CHECK(tenon_doc_alloc(doc, 4096) == NULL);
    CHECK(tenon_doc_alloc(doc, SIZE_MAX) == NULL);
    tenon_doc_free(doc);
}

// -- Writing

static bool refuse_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return --*(int *)user > 0;
}

TEST(writing_can_be_stopped)
{
    tenon_doc *doc = read_file();
    for (int patience = 1; patience < 10; patience++) {
        tenon_error err;
        int left = patience;
        CHECK(tenon_write(doc, refuse_bytes, &left, &err) == TENON_ABSENT);
        CHECK(err.code == TENON_ERR_IO && left == 0);
    }
    tenon_doc_free(doc);
}

TEST(stale_counts_are_refused_and_can_be_finalized)
{
    tenon_doc *doc = read_file();
    tenon_bplx *model = tenon_as_bplx(doc);
    tenon_error err;
    model->vertex_count++;
    CHECK(tenon_write(doc, NULL, NULL, &err) == TENON_ABSENT);
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, "positions");
    CHECK(tenon_finalize(doc, &err));
    CHECK(fault_in_writing(doc, file, file_size) == NULL);
    tenon_doc_free(doc);
}

static void count_loss(void *user, const tenon_loss *loss)
{
    CHECK_STR(loss->feature, "materials");
    CHECK(loss->why[0] && tenon_loss_word(loss->kind)[0]);
    *(uint64_t *)user += loss->count;
}

TEST(dialects_change_and_losses_are_reported)
{
    tenon_doc *doc = read_file();
    uint64_t lost = 0;
    tenon_error err;
    CHECK(!tenon_change(doc, &(tenon_change_opts){.dialect = "nothing"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    tenon_change_opts opts = {.dialect = "document",
                              .events = {.user = &lost, .on_loss = count_loss}};
    CHECK(tenon_change(doc, &opts, &err) && lost == 0);
    CHECK(fault_in_writing(doc, file, file_size) == NULL);
    opts.dialect = "script";
    CHECK(tenon_change(doc, &opts, &err) && lost == 2);
    CHECK_STR(doc->dialect->name, "script");
    uint64_t size = tenon_write(doc, NULL, NULL, &err);
    CHECK(size > 0 && size < file_size);
    tenon_doc_free(doc);
}

// -- Finding and changing fields

TEST(fields_are_located)
{
    tenon_doc *doc = read_file();
    uint64_t offset, size;
    CHECK(tenon_locate(doc, "version", &offset, &size) && offset == 4 && size == 4);
    CHECK(tenon_locate(doc, "materials[1].name", &offset, &size) && size == 8);
    CHECK(memcmp(file + offset, "\4\0\0\0skin", 8) == 0);
    CHECK(tenon_locate(doc, "faces[0]", &offset, &size) && size == 12);
    CHECK(tenon_locate(doc, "clips[0].keyframes[2].scale", &offset, &size) && size == 12);
    CHECK(offset == file_size - 12);
    CHECK(tenon_locate(doc, "bones[1]", NULL, NULL));
    CHECK(!tenon_locate(doc, "bones[2]", &offset, &size));
    CHECK(!tenon_locate(doc, "faces[1]", &offset, &size));
    CHECK(!tenon_locate(doc, "versions", &offset, &size));
    tenon_doc_free(doc);
}

TEST(numbers_are_poked_by_path)
{
    CHECK(peek(file, file_size, "vertex_count") == 3);
    CHECK(peek(file, file_size, "faces[0][2]") == 2);
    CHECK(peek(file, file_size, "materials[1].name") == 4);
    CHECK(peek(file, file_size, "bones[0].rest_scale[2]") == 0x3f800000);
    CHECK(peek(file, file_size, "no.such") == UINT64_MAX);
    CHECK(peek(file, file_size, "bones[0].rest_scale[3]") == UINT64_MAX);

    CHECK(poke(file, file_size, "bones[1].parent_index", (uint64_t)-2));
    CHECK(poke_f32(file, file_size, "clips[0].keyframes[1].rotation[3]", NAN));
    CHECK(!poke(file, file_size, "clips[0].keyframes[3].rotation", 0));
    tenon_doc *doc = read_file();
    CHECK(tenon_as_bplx(doc)->bones[1].parent_index == -2);
    tenon_doc_free(doc);

    // What is before a fault can be poked, what is after it cannot.
    CHECK(poke(file, file_size, "vertex_count", UINT32_MAX));
    CHECK(!poke(file, file_size, "faces[0][0]", 9));
    CHECK(poke(file, file_size, "vertex_count", 3));
    CHECK(poke(file, file_size, "faces[0][0]", 9));
    load_file();
}

// -- Mapping

typedef struct stopping {
    int left;
    bool saw_rest;
} stopping;

static bool stop_late(void *user, const tenon_part *part)
{
    stopping *s = user;
    if (part->kind == TENON_PART_REMAINDER) s->saw_rest = true;
    return --s->left > 0;
}

TEST(mapping_can_be_stopped_anywhere)
{
    for (int patience = 1; patience < 20; patience++) {
        stopping s = {.left = patience};
        tenon_error err;
        CHECK(!tenon_map(file, file_size, NULL, stop_late, &s, &err));
        CHECK(err.code == TENON_ERR_CANCELLED);
        CHECK(s.left == 0 && !s.saw_rest);
    }
}

static bool split_keyframes(void *user, const tenon_part *part)
{
    tenon_cell cell;
    char text[32];
    if (strcmp(part->path, "clips[0].keyframes") != 0) return true;
    CHECK(part->count == 3 && part->layout);
    CHECK(tenon_part_cell(part, 1, 1, &cell));
    CHECK_STR(cell.path, "clips[0].keyframes[1].bone_index");
    CHECK(cell.offset == part->offset + 48 + 4 && cell.size == 4 && cell.count == 1);
    CHECK(tenon_number_text(cell.type, cell.bytes, part->big_endian, 0, text, sizeof text) == 1);
    CHECK_STR(text, "1");
    CHECK(tenon_part_cell(part, 2, 4, &cell) && cell.count == 3);
    CHECK(!tenon_part_cell(part, 2, 5, &cell));
    CHECK(!tenon_part_cell(part, 3, 0, &cell));
    *(bool *)user = true;
    return true;
}

TEST(records_are_split_into_cells)
{
    bool seen = false;
    CHECK(tenon_map(file, file_size, NULL, split_keyframes, &seen, NULL));
    CHECK(seen);
}

TEST(number_text_is_cut_to_its_room)
{
    static const uint8_t bytes[] = {0x39, 0x30, 0, 0};
    char text[4] = "xyz";
    CHECK(tenon_number_text(TENON_TYPE_U32, bytes, false, 0, text, 0) == 0);
    CHECK_STR(text, "xyz");
    CHECK(tenon_number_text(TENON_TYPE_U32, bytes, false, 0, text, sizeof text) == 3);
    CHECK_STR(text, "123");
}

// -- Checking and looking

typedef struct counted {
    uint64_t reported, more;
} counted;

static void count_finding(void *user, const tenon_finding *finding)
{
    counted *c = user;
    c->reported++;
    c->more += finding->more;
}

TEST(findings_of_a_rule_are_limited_but_counted)
{
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "clips[0].keyframes[%d].bone_index", i);
        CHECK(poke(file, file_size, path, 1000));
    }
    tenon_doc *doc = read_file();
    tenon_check_opts opts = {.max_per_rule = 1};
    tenon_check_result result;
    counted c = {0};
    CHECK(tenon_check(doc, &opts, count_finding, &c, &result, NULL));
    CHECK(result.errors == 3);
    CHECK(c.reported + c.more == result.errors + result.warnings + result.infos && c.more >= 2);
    CHECK(!tenon_check(doc, &(tenon_check_opts){.profile = "nothing"}, NULL, NULL, NULL, NULL));
    tenon_doc_free(doc);
    load_file();
}

TEST(what_does_not_apply_is_absent)
{
    tenon_doc *doc = read_file();
    tenon_info info;
    CHECK(tenon_doc_info(doc, NULL, &info, NULL));
    CHECK(info.vertices == 3 && info.triangles == 1 && info.fonts == TENON_ABSENT);
    CHECK(!info.has_bounds && info.clip_count == 1 && info.material_count == 2);
    tenon_info_free(&info);
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, NULL));
    CHECK(info.has_bounds && info.bounds_max[0] == 2);
    tenon_info_free(&info);
    tenon_doc_free(doc);
}

int main(void)
{
    load_file();
    RUN(the_version_is_that_of_the_header);
    RUN(formats_are_found_by_name);
    RUN(rules_have_unique_ids);
    RUN(codes_and_types_have_words);
    RUN(options_and_errors_may_be_null);
    RUN(what_is_not_a_model_is_refused_at_its_start);
    RUN(formats_and_dialects_can_be_forced);
    RUN(a_partial_document_comes_with_its_error);
    RUN(memory_of_a_document_is_zeroed_and_limited);
    RUN(writing_can_be_stopped);
    RUN(stale_counts_are_refused_and_can_be_finalized);
    RUN(dialects_change_and_losses_are_reported);
    RUN(fields_are_located);
    RUN(numbers_are_poked_by_path);
    RUN(mapping_can_be_stopped_anywhere);
    RUN(records_are_split_into_cells);
    RUN(number_text_is_cut_to_its_room);
    RUN(findings_of_a_rule_are_limited_but_counted);
    RUN(what_does_not_apply_is_absent);
    TEST_END();
}
