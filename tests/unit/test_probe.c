// test_probe.c: the table of formats, and which of them a file is, by its content.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "core_help.h"
#include "formats/formats.h"

#include <dirent.h>

// -- How a file of each format begins

// clang-format off
static const struct {
    const char *format, *bytes;
    size_t size;
} heads[] = {
    {"bbmod", "BBMOD\0\3\4", 8},
    {"bbanim", "BBANIM\0\3\4", 9},
    {"gpb", "\xABGPB\xBB\r\n\x1A\n\1\5", 11},
    {"bmw", "Beo-Model-Wolf Format Version 1", 32},
    {"modeldata", "\0\0\0\1" "\0\0\0\x24" "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                  "\0\0\0\0\0\0\0\0\0\0\0\0", 44},
    {"bplx", "BPLX", 4},
    {"gltf", "glTF", 4},
    {"obj", "v 1 2 3\n", 8},
    {"fbx", "Kaydara FBX Binary  ", 20},
};
// clang-format on
enum { HEADS = sizeof heads / sizeof heads[0] };

static const char *probed(const void *data, size_t size, const char *name)
{
    tenon_error err = {0};
    const tn_format *format = tn_format_probe(data, size, name, &err);
    CHECK((format != NULL) == (err.code == TENON_OK));
    return format ? format->face.name : tenon_code_word(err.code);
}

TEST(every_format_is_known_by_its_content)
{
    for (int i = 0; i < HEADS; i++) {
        if (!tenon_format_by_name(heads[i].format)) continue;
        CHECK_STR(probed(heads[i].bytes, heads[i].size, NULL), heads[i].format);
        CHECK_STR(probed(heads[i].bytes, heads[i].size / 2, NULL), "format");
    }
    for (uint32_t k = 0; tenon_format_at(k); k++) {  // None is left out above.
        bool known = !(tenon_format_at(k)->caps & TENON_CAN_READ);
        for (int i = 0; i < HEADS; i++)
            known = known || strcmp(heads[i].format, tenon_format_at(k)->name) == 0;
        CHECK(known);
    }
}

TEST(no_format_accepts_the_content_of_another)
{
    const tn_format *format;
    for (uint32_t k = 0; (format = tn_format_at(k)) != NULL; k++) {
        for (int i = 0; i < HEADS; i++) {
            if (!(format->face.caps & TENON_CAN_READ)) continue;
            bool own = strcmp(heads[i].format, format->face.name) == 0;
            int score = tn_format_score(format, (const uint8_t *)heads[i].bytes, heads[i].size);
            CHECK(own ? score > 0 && score <= 100 : score == 0);
        }
    }
}

// -- Fixtures

static size_t load(const char *path, uint8_t *out, size_t room)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (!file) return 0;
    size_t size = fread(out, 1, room, file);
    fclose(file);
    return size;
}

// The fixture belongs to `owner` and to no other.
static void check_fixture(const char *path, const char *owner)
{
    static uint8_t data[1 << 20];
    const tn_format *format;
    size_t size = load(path, data, sizeof data);
    if (strcmp(probed(data, size, NULL), owner) != 0) fprintf(stderr, "in %s:\n", path);
    CHECK_STR(probed(data, size, NULL), owner);
    for (uint32_t i = 0; (format = tn_format_at(i)) != NULL; i++) {
        bool own = strcmp(format->face.name, owner) == 0;
        if (!(format->face.caps & TENON_CAN_READ)) continue;
        CHECK((tn_format_score(format, data, size) > 0) == own);
    }
}

// The name of the format that files of this name have; "format", the error, if there is none.
static const char *owner_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (uint32_t i = 0; dot && tenon_format_at(i); i++)
        for (int k = 0; k < 4 && tenon_format_at(i)->extensions[k]; k++)
            if (strcmp(tenon_format_at(i)->extensions[k], dot + 1) == 0)
                return tenon_format_at(i)->name;
    return "format";
}

static unsigned check_folder(const char *folder)
{
    unsigned checked = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[600];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_fixture(path, owner_of(entry->d_name));
        checked++;
    }
    if (dir) closedir(dir);
    return checked;
}

TEST(every_fixture_is_accepted_by_its_format_alone)
{
    unsigned checked = 0;
    for (uint32_t i = 0; tenon_format_at(i); i++) {
        char folder[100];
        snprintf(folder, sizeof folder, "tests/fixtures/%s", tenon_format_at(i)->name);
        checked += check_folder(folder);
    }
    CHECK(checked >= 12);
    check_fixture("samples/crane.bplx", "bplx");
    check_fixture("samples/crane_script.bplx", "bplx");
}

// -- Unknown

TEST(nothing_is_not_a_model)
{
    tenon_error err;
    CHECK(tn_format_probe(NULL, 0, "x.bplx", &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_FORMAT, 0, "", "the file is empty", "");
    CHECK(tn_format_probe(NULL, 0, NULL, NULL) == NULL);
}

TEST(the_error_for_an_unknown_file_lists_all_formats)
{
    char message[256] = "this is not a model in a known format (";
    for (uint32_t i = 0; tenon_format_at(i); i++) {
        size_t n = strlen(message);
        if (!(tenon_format_at(i)->caps & TENON_CAN_READ)) continue;
        snprintf(message + n, sizeof message - n, "%s%s", i ? ", " : "", tenon_format_at(i)->name);
    }
    size_t n = strlen(message);
    snprintf(message + n, sizeof message - n, ")");
    tenon_error err;
    CHECK(tn_format_probe((const uint8_t *)"RIFF....", 8, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_FORMAT, 0, "", message, "");
}

TEST(other_files_are_not_models)
{
    static const char *const paths[] = {"samples/crane.png",     "samples/truth.json",
                                        "samples/README.md",     "src/api/api.c",
                                        "include/tenon/tenon.h", "tests/unit/test_probe.c"};
    static uint8_t data[1 << 20];
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        size_t size = load(paths[i], data, sizeof data);
        CHECK(size > 0);
        CHECK_STR(probed(data, size, NULL), "format");
    }
}

// A fixed sequence that looks random.
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

// How many of `count` inputs are taken for a model. Where `sparse` is set, most bytes are 0 and the
// others small, like the counts and sizes in real files.
static unsigned count_taken(unsigned count, bool sparse)
{
    static uint64_t words[4096 / 8 + 1];
    uint64_t state = 0x9E3779B97F4A7C15;
    unsigned taken = 0;
    for (unsigned i = 0; i < count; i++) {
        size_t size = (size_t)(next_random(&state) % 4097);
        for (size_t k = 0; k <= size / 8; k++) {
            uint64_t word = next_random(&state);
            if (sparse) word &= next_random(&state) & 0x0F0F0F0F0F0F0F0F & next_random(&state);
            wire_copy(&words[k], &word, 1, sizeof word);
        }
        const tn_format *format;
        for (uint32_t f = 0; (format = tn_format_at(f)) != NULL; f++)
            taken += tn_format_score(format, (const uint8_t *)words, size) > 0;
    }
    return taken;
}

TEST(noise_is_never_taken_for_a_model)
{
    CHECK(count_taken(100000, false) == 0);
}

TEST(noise_of_small_numbers_is_never_taken_for_a_model)
{
    CHECK(count_taken(20000, true) == 0);
}

TEST(one_byte_over_and_over_is_not_a_model)
{
    static uint8_t data[4096];
    for (unsigned value = 0; value < 256; value++) {
        memset(data, (int)value, sizeof data);
        for (size_t size = 1; size <= sizeof data; size = size < 64 ? size + 1 : size * 2)
            CHECK_STR(probed(data, size, NULL), "format");
    }
}

// -- Hints and force

TEST(the_extension_is_only_a_hint)
{
    for (int i = 0; i < HEADS; i++) {
        if (!tenon_format_by_name(heads[i].format)) continue;
        static const char *const names[] = {"x.bplx", "x.GPB", "x.cem", "x.bmw", "x.bbmod",   "x",
                                            ".",      "",      "x.",    "bplx",  "x.bplx.txt"};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            CHECK_STR(probed(heads[i].bytes, heads[i].size, names[k]), heads[i].format);
    }
    CHECK_STR(probed("nothing we know", 15, "x.bplx"), "format");
}

TEST(a_forced_format_is_believed)
{
    tenon_error err;
    const tenon_read_opts opts = {.format = "bplx", .name = "x.gpb"};
    CHECK(tenon_read("nothing we know", 15, &opts, &err) == NULL);
    CHECK(err.code == TENON_ERR_FORMAT && err.offset == 0);
    CHECK_STR(err.path, "magic");
    CHECK_STR(err.message, "the file does not start with the magic bytes of this format");
}

TEST(a_format_that_does_not_exist_cannot_be_forced)
{
    tenon_error err;
    const tenon_read_opts opts = {.format = "blend"};
    CHECK(tenon_read("BPLX", 4, &opts, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_UNSUPPORTED, TENON_ABSENT, "", "there is no format 'blend'", "");
}

// -- The table

static bool is_word(const char *text)
{
    if (!text || !*text) return false;
    for (const char *p = text; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_'))
            return false;
    return true;
}

TEST(every_format_says_what_it_is)
{
    for (uint32_t i = 0; tenon_format_at(i); i++) {
        const tenon_format *f = tenon_format_at(i);
        CHECK(is_word(f->name) && f->title[0] && f->engine[0] && is_word(f->extensions[0]));
        CHECK(f->extensions[3] == NULL);
        CHECK(tenon_format_by_name(f->name) == f && &tn_format_at(i)->face == f);
        CHECK((f->rule_count > 0) == ((f->caps & TENON_CAN_CHECK) != 0));
        CHECK(f->dialect_count > 0 || !(f->caps & TENON_IS_EXACT));
        for (uint32_t k = 0; k < f->dialect_count; k++) {
            CHECK(f->dialects[k].name[0] && f->dialects[k].summary[0]);
            CHECK(tenon_dialect_by_name(f, f->dialects[k].name) == &f->dialects[k]);
        }
        CHECK(tenon_dialect_by_name(f, "no such dialect") == NULL);
    }
    CHECK(tenon_format_by_name("no such format") == NULL);
    CHECK(tenon_format_at(UINT32_MAX) == NULL && tn_format_at(UINT32_MAX) == NULL);
}

TEST(every_rule_has_a_unique_id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; tenon_rule_at(i); i++, count++) {
        const tenon_rule *rule = tenon_rule_at(i);
        const char *slash = strchr(rule->id, '/');
        CHECK(slash && is_word(slash + 1) && rule->summary[0]);
        for (uint32_t k = 0; k < i; k++) CHECK(strcmp(rule->id, tenon_rule_at(k)->id) != 0);
    }
    uint32_t total = tn_common_rule_count;
    for (uint32_t i = 0; tenon_format_at(i); i++) total += tenon_format_at(i)->rule_count;
    CHECK(count == total && tenon_rule_at(UINT32_MAX) == NULL);
}

TEST(every_code_and_loss_has_a_word)
{
    CHECK_STR(tenon_code_word(TENON_OK), "ok");
    CHECK_STR(tenon_code_word(TENON_ERR_TRUNCATED), "truncated");
    CHECK_STR(tenon_code_word(TENON_ERR_IO), "io");
    CHECK_STR(tenon_code_word((tenon_code)99), "unknown");
    CHECK_STR(tenon_loss_word(TENON_DROPPED), "dropped");
    CHECK_STR(tenon_loss_word(TENON_SYNTHESIZED), "synthesized");
    CHECK_STR(tenon_loss_word((tenon_loss_kind)99), "unknown");
}

int main(void)
{
    RUN(every_format_is_known_by_its_content);
    RUN(no_format_accepts_the_content_of_another);
    RUN(every_fixture_is_accepted_by_its_format_alone);
    RUN(nothing_is_not_a_model);
    RUN(the_error_for_an_unknown_file_lists_all_formats);
    RUN(other_files_are_not_models);
    RUN(noise_is_never_taken_for_a_model);
    RUN(noise_of_small_numbers_is_never_taken_for_a_model);
    RUN(one_byte_over_and_over_is_not_a_model);
    RUN(the_extension_is_only_a_hint);
    RUN(a_forced_format_is_believed);
    RUN(a_format_that_does_not_exist_cannot_be_forced);
    RUN(every_format_says_what_it_is);
    RUN(every_rule_has_a_unique_id);
    RUN(every_code_and_loss_has_a_word);
    TEST_END();
}
