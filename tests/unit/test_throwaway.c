// test_throwaway.c: a format of five fields, and what happens when one line of it is changed.
// SPDX-License-Identifier: MIT
//
// Reading, writing, measuring, mapping, locating, dumping and building all follow the description,
// so a change of one line has to appear in all of them at once, and no other code has to change.

#include "core/cursor/build.h"
#include "core/cursor/span.h"
#include "core_help.h"
#include "document/doc_map.h"
#include "document/text_twin.h"

typedef struct toy {
    tenon_doc base;
    uint16_t version;
    uint32_t color;
    float tint;
    uint8_t alpha;
    tenon_str name;
    tenon_span points;
} toy;

// The values of the one line that changes.
typedef enum change { AS_IT_WAS, RENAMED, RETYPED, REMOVED, INSERTED, REORDERED, CHANGES } change;
static change current;

static void toy_describe_the_line(tn_io *io, toy *doc)
{
    if (current == REORDERED) tn_str32(io, "name", &doc->name);
    if (current == RENAMED) tn_u32(io, "paint", &doc->color);
    if (current == RETYPED) tn_f32(io, "color", &doc->tint);
    if (current == INSERTED) tn_u8(io, "alpha", &doc->alpha);
    if (current == AS_IT_WAS || current == INSERTED || current == REORDERED)
        tn_u32(io, "color", &doc->color);
}

static void toy_describe(tn_io *io, void *any)
{
    toy *doc = any;
    tn_magic(io, "magic", "TOY", 3);
    tn_u16(io, "version", &doc->version);
    toy_describe_the_line(io, doc);
    if (current != REORDERED) tn_str32(io, "name", &doc->name);
    tn_counted(io, "points", &doc->points, &tn_layout_u16);
}

static int toy_probe(const uint8_t *data, uint64_t size)
{
    return size >= 3 && memcmp(data, "TOY", 3) == 0 ? 100 : 0;
}

static const tenon_dialect toy_dialects[] = {{"only", "", 0, false}};

static const tn_format toy_format = {
    .face = {.name = "toy",
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT,
             .dialects = toy_dialects,
             .dialect_count = 1},
    .doc_size = sizeof(toy),
    .probe = toy_probe,
    .describe = toy_describe,
};

// -- How each change writes the same document

typedef struct expectation {
    const char *bytes;
    size_t size;
    const char *map;
    const char *dump;  // After the names of format and dialect; " as ', without white space.
} expectation;

#define COLOR  "\x11\x22\x33\x44"
#define NAME   "\2\0\0\0ab"
#define POINTS "\2\0\0\0ppqq"

#define MAP_HEAD "0+3 str magic, 3+2 u16 version, "

static const expectation expectations[CHANGES] = {
    [AS_IT_WAS] = {"TOY\7\0" COLOR NAME POINTS, 23,
                   MAP_HEAD "5+4 u32 color, 9+6 str32 name, "
                            "15+4 u32 points.count, 19+4 records points, ",
                   "'version':7,'color':1144201745,'name':'ab','points':[28784,29041]}"},
    [RENAMED] = {"TOY\7\0" COLOR NAME POINTS, 23,
                 MAP_HEAD "5+4 u32 paint, 9+6 str32 name, "
                          "15+4 u32 points.count, 19+4 records points, ",
                 "'version':7,'paint':1144201745,'name':'ab','points':[28784,29041]}"},
    [RETYPED] = {"TOY\7\0\0\0\0\x3F" NAME POINTS, 23,
                 MAP_HEAD "5+4 f32 color, 9+6 str32 name, "
                          "15+4 u32 points.count, 19+4 records points, ",
                 "'version':7,'color':0.5,'name':'ab','points':[28784,29041]}"},
    [REMOVED] = {"TOY\7\0" NAME POINTS, 19,
                 MAP_HEAD "5+6 str32 name, 11+4 u32 points.count, 15+4 records points, ",
                 "'version':7,'name':'ab','points':[28784,29041]}"},
    [INSERTED] = {"TOY\7\0\x09" COLOR NAME POINTS, 24,
                  MAP_HEAD "5+1 u8 alpha, 6+4 u32 color, 10+6 str32 name, "
                           "16+4 u32 points.count, 20+4 records points, ",
                  "'version':7,'alpha':9,'color':1144201745,'name':'ab','points':[28784,29041]}"},
    [REORDERED] = {"TOY\7\0" NAME COLOR POINTS, 23,
                   MAP_HEAD "5+6 str32 name, 11+4 u32 color, "
                            "15+4 u32 points.count, 19+4 records points, ",
                   "'version':7,'name':'ab','color':1144201745,'points':[28784,29041]}"},
};

// -- Each use of the description

static const tenon_read_opts no_opts;

static toy *read_toy(const void *data, size_t size, tn_observer *observers, tenon_error *err)
{
    *err = (tenon_error){0};
    tenon_doc *doc = tn_doc_new(&toy_format, &no_opts, size, err);
    if (doc && tn_doc_read(doc, data, size, &no_opts, observers, err)) return (toy *)doc;
    tenon_doc_free(doc);
    return NULL;
}

static void check_reading(const toy *doc)
{
    CHECK(doc->version == 7 && doc->name.size == 2 && memcmp(doc->name.data, "ab", 3) == 0);
    CHECK(doc->points.count == 2 && memcmp(doc->points.data, "ppqq", 4) == 0);
    bool has_color = current != RETYPED && current != REMOVED;
    CHECK(doc->color == (has_color ? 0x44332211u : 0));
    CHECK(doc->tint == (current == RETYPED ? 0.5f : 0.0f));
    CHECK(doc->alpha == (current == INSERTED ? 9 : 0));
}

static void check_writing(const toy *doc, const expectation *want)
{
    writing w;
    writing_begin(&w);
    CHECK(tn_doc_write(&doc->base, &w.io, NULL) == want->size);
    CHECK(wrote(&w, want->bytes, want->size));
    tn_io_writer(&w.io, NULL, NULL, &w.err);
    CHECK(tn_doc_write(&doc->base, &w.io, NULL) == want->size);
}

typedef struct map_text {
    const toy *doc;  // Every part is also looked for in it.
    uint64_t end;
    char text[1024];
} map_text;

static bool add_part(void *user, const tenon_part *part)
{
    map_text *m = user;
    char line[128];
    snprintf(line, sizeof line, "%" PRIu64 "+%" PRIu64 " %s %s, ", part->offset, part->size,
             tenon_type_word(part->type), part->path);
    if (strlen(m->text) + strlen(line) < sizeof m->text)
        memcpy(m->text + strlen(m->text), line, strlen(line) + 1);
    CHECK(part->kind == TENON_PART_FIELD && part->offset == m->end);
    m->end += part->size;

    uint64_t offset = 99, size = 99;
    CHECK(tenon_locate(&m->doc->base, part->path, &offset, &size));
    CHECK(offset == part->offset && size == part->size);
    return true;
}

static void check_map_and_places(const toy *doc, const expectation *want)
{
    map_text m = {.doc = doc};
    tn_mapper mapper;
    tenon_error err;
    tn_mapper_init(&mapper, add_part, &m);
    toy *again = read_toy(want->bytes, want->size, &mapper.observer, &err);
    CHECK(again != NULL && m.end == want->size);
    CHECK_STR(m.text, want->map);
    if (again) tenon_doc_free(&again->base);
}

// Make the text of a dump easy to compare.
static void flatten(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' && *from != '\n') *to++ = *from == '"' ? '\'' : *from;
    *to = '\0';
}

static void check_dump_and_build(const toy *doc, const expectation *want)
{
    writing text, file;
    tn_text_builder builder;
    const char *format, *dialect;
    toy blank = {0};
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    writing_begin(&text);
    CHECK(tn_doc_dump(&doc->base, writing_take, &text, &text.err));
    writing_begin(&file);
    CHECK(tn_text_builder_begin(&builder, (const char *)text.bytes, text.size, &arena, &format,
                                &dialect, &file.err));
    tn_text_builder_io(&builder, &file.io, writing_take, &file, &file.err);
    toy_describe(&file.io, &blank);
    CHECK(tn_text_builder_end(&builder, &file.io));
    CHECK(file.size == want->size && memcmp(file.bytes, want->bytes, want->size) == 0);
    // The description may ask how much it took, but only the new file has the bytes.
    CHECK(blank.points.count == 2 && blank.points.size == 4 && !blank.points.data);

    text.bytes[text.size] = '\0';
    char *fields = strstr((char *)text.bytes, "\"version\"");
    CHECK(fields != NULL);
    if (fields) flatten(fields);
    CHECK_STR(fields ? fields : "", want->dump);
    tn_arena_free(&arena);
}

// A file that ends anywhere inside is refused at a field that the map knows.
static void check_truncations(const expectation *want)
{
    for (size_t size = 0; size < want->size; size++) {
        tenon_error err;
        uint8_t *cut = malloc(size + 1);
        if (!cut) abort();
        memcpy(cut, want->bytes, size);
        CHECK(read_toy(cut, size, NULL, &err) == NULL);
        char entry[200];
        snprintf(entry, sizeof entry, " %s, ", err.path);
        CHECK(err.code == TENON_ERR_TRUNCATED && strstr(want->map, entry) != NULL);
        free(cut);
    }
}

TEST(one_line_changes_everything_together)
{
    for (current = AS_IT_WAS; current < CHANGES; current++) {
        const expectation *want = &expectations[current];
        tenon_error err;
        toy *doc = read_toy(want->bytes, want->size, NULL, &err);
        CHECK(doc != NULL);
        if (!doc) continue;
        check_reading(doc);
        check_writing(doc, want);
        check_map_and_places(doc, want);
        check_dump_and_build(doc, want);
        check_truncations(want);
        tenon_doc_free(&doc->base);
    }
}

TEST(a_file_of_one_description_is_not_one_of_another)
{
    for (current = AS_IT_WAS; current < CHANGES; current++) {
        for (int other = 0; other < CHANGES; other++) {
            const expectation *have = &expectations[other], *want = &expectations[current];
            tenon_error err;
            toy *doc = read_toy(have->bytes, have->size, NULL, &err);
            bool same_shape =
                have->size == want->size && (current == REORDERED) == (other == REORDERED);
            CHECK((doc != NULL) == same_shape);
            if (doc) tenon_doc_free(&doc->base);
        }
    }
}

TEST(a_document_in_memory_follows_the_change)
{
    // The same document, written by each description in turn.
    toy *doc = (toy *)tn_doc_new(&toy_format, &no_opts, 0, &(tenon_error){0});
    CHECK(doc != NULL);
    if (!doc) return;
    doc->base.dialect = &toy_dialects[0];
    doc->version = 7;
    doc->color = 0x44332211;
    doc->tint = 0.5f;
    doc->alpha = 9;
    doc->name = (tenon_str){"ab", 2};
    doc->points = (tenon_span){(const uint8_t *)"ppqq", 4, 2, &tn_layout_u16, false};
    for (current = AS_IT_WAS; current < CHANGES; current++)
        check_writing(doc, &expectations[current]);
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(one_line_changes_everything_together);
    RUN(a_file_of_one_description_is_not_one_of_another);
    RUN(a_document_in_memory_follows_the_change);
    TEST_END();
}
