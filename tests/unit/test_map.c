// test_map.c: every byte of a file is in one part, parts are split into cells, cells become text.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core_help.h"

// -- Maps as text, one line each

typedef struct map_text {
    const void *file;     // What is mapped; NULL: do not compare.
    uint64_t stop_after;  // Parts; 0: never.
    uint64_t parts;
    uint64_t end;
    size_t size;
    char text[4096];
} map_text;

static bool add_part(void *user, const tenon_part *part)
{
    static const char *const kinds[] = {"", "inferred ", "kept ", "rest "};
    map_text *m = user;
    int size = snprintf(m->text + m->size, sizeof m->text - m->size,
                        "%" PRIu64 "+%" PRIu64 " %s%s %s\n", part->offset, part->size,
                        kinds[part->kind], tenon_type_word(part->type), part->path);
    if (size > 0 && (size_t)size < sizeof m->text - m->size) m->size += (size_t)size;
    CHECK(part->offset == m->end && part->bytes != NULL);
    if (m->file)
        CHECK(memcmp(part->bytes, (const char *)m->file + part->offset, (size_t)part->size) == 0);
    if (part->kind == TENON_PART_REMAINDER) CHECK(part->count == part->size);
    m->end = part->offset + part->size;
    return ++m->parts != m->stop_after;
}

// The smallest BPLX file with a vertex, in the script layout.
static const char file[] = "BPLX\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                           "xxxxyyyyzzzzXXXXYYYYZZZZuuuuvvvv\0\0\0\0\0\0\0\0";
enum { FILE_SIZE = sizeof file - 1 };

#define HEAD                                                                      \
    "0+4 str magic\n4+4 u32 version\n8+4 u32 vertex_count\n12+4 u32 face_count\n" \
    "16+4 u32 material_count\n20+4 u32 padding\n"

TEST(a_map_has_every_byte_once)
{
    map_text m = {.file = file};
    tenon_error err;
    CHECK(tenon_map(file, FILE_SIZE, NULL, add_part, &m, &err));
    CHECK(err.code == TENON_OK && m.end == FILE_SIZE);
    CHECK_STR(m.text, HEAD "24+12 records positions\n36+12 records normals\n48+8 records uvs\n"
                           "56+0 records faces\n56+4 u32 bones.count\n60+4 u32 clips.count\n");
}

TEST(a_broken_file_is_mapped_up_to_the_fault_then_the_remainder)
{
    map_text m = {.file = file};
    tenon_error err;
    const tenon_read_opts opts = {.dialect = "script"};
    CHECK(!tenon_map(file, 40, &opts, add_part, &m, &err));
    CHECK(err.code == TENON_ERR_TRUNCATED && err.offset == 36 && m.end == 40);
    CHECK_STR(m.text, HEAD "24+12 records positions\n36+0 records normals\n36+4 rest bytes \n");
}

TEST(every_truncation_is_mapped_without_gap_or_overlap)
{
    for (size_t size = 0; size < FILE_SIZE; size++) {
        map_text m = {.file = file};
        tenon_error err;
        uint8_t *cut = malloc(size + 1);
        if (!cut) abort();
        memcpy(cut, file, size);
        CHECK(!tenon_map(cut, size, NULL, add_part, &m, &err));
        CHECK(err.code != TENON_OK && m.end == size);  // add_part() has checked the remainder.
        free(cut);
    }
}

TEST(an_unknown_file_is_all_remainder)
{
    map_text m = {0};
    tenon_error err;
    CHECK(!tenon_map("what is this", 12, NULL, add_part, &m, &err));
    CHECK(err.code == TENON_ERR_FORMAT);
    CHECK_STR(m.text, "0+12 rest bytes \n");
    m = (map_text){0};
    CHECK(!tenon_map(NULL, 0, NULL, add_part, &m, &err));
    CHECK(m.parts == 0);
}

TEST(a_callback_can_end_the_map)
{
    for (uint64_t stop = 1; stop <= 12; stop++) {
        map_text m = {.stop_after = stop};
        tenon_error err;
        CHECK(!tenon_map(file, FILE_SIZE, NULL, add_part, &m, &err));
        CHECK(m.parts == stop && err.code == TENON_ERR_CANCELLED);
        CHECK_STR(err.message, "stopped");
    }
    tenon_map(file, FILE_SIZE, NULL, add_part, &(map_text){0}, NULL);  // The error is not needed.
}

TEST(bytes_after_the_end_are_a_kept_part)
{
    char longer[FILE_SIZE + 3];
    memcpy(longer, file, FILE_SIZE);
    memcpy(longer + FILE_SIZE, "end", 3);
    map_text m = {0};
    const tenon_read_opts opts = {.dialect = "script"};
    CHECK(tenon_map(longer, sizeof longer, &opts, add_part, &m, NULL));
    CHECK(strstr(m.text, "60+4 u32 clips.count\n64+3 kept bytes trailing\n") != NULL);
}

// -- Cells

static const tenon_element elements[] = {
    {"position", TENON_TYPE_F32, 3, 0, 0},
    {"bones", TENON_TYPE_U16, 2, 2, 12},
};
static const tenon_layout layout = {elements, 2, 20, NULL, 0, NULL};

TEST(records_are_split_into_named_cells)
{
    static const uint8_t bytes[40];
    const tenon_part part = {.offset = 100,
                             .size = 40,
                             .path = "meshes[2].vertices",
                             .type = TENON_TYPE_RECORDS,
                             .count = 2,
                             .bytes = bytes,
                             .layout = &layout};
    tenon_cell cell;
    CHECK(tenon_part_cell(&part, 0, 0, &cell));
    CHECK_STR(cell.path, "meshes[2].vertices[0].position");
    CHECK(cell.offset == 100 && cell.size == 12 && cell.type == TENON_TYPE_F32 && cell.count == 3);
    CHECK(tenon_part_cell(&part, 1, 1, &cell));
    CHECK_STR(cell.path, "meshes[2].vertices[1].bones[0]");
    CHECK(cell.offset == 132 && cell.size == 4 && cell.bytes == bytes + 32);
    CHECK(tenon_part_cell(&part, 1, 2, &cell));
    CHECK_STR(cell.path, "meshes[2].vertices[1].bones[1]");
    CHECK(cell.offset == 136 && cell.count == 2);
    CHECK(!tenon_part_cell(&part, 1, 3, &cell));
    CHECK(!tenon_part_cell(&part, 2, 0, &cell));
    CHECK(!tenon_part_cell(&part, UINT64_MAX, 0, &cell));
    CHECK(!tenon_part_cell(&part, 0, UINT64_MAX, &cell));
}

TEST(what_has_no_name_or_no_layout_has_plain_cells_or_none)
{
    static const uint8_t bytes[24];
    tenon_part part = {.size = 24, .path = "faces", .count = 2, .bytes = bytes};
    tenon_cell cell;
    CHECK(!tenon_part_cell(&part, 0, 0, &cell));
    part.layout = &tn_layout_u32x3;
    CHECK(tenon_part_cell(&part, 1, 0, &cell));
    CHECK_STR(cell.path, "faces[1]");
    CHECK(!tenon_part_cell(&part, 1, 1, &cell));
    const tenon_layout with_tail = {elements, 2, 20, &tn_layout_u8, 0, "tail"};
    part.layout = &with_tail;
    CHECK(!tenon_part_cell(&part, 0, 0, &cell));
}

// -- Numbers as text

static void check_text(tenon_type type, const char *bytes, bool big, uint64_t index,
                       const char *want)
{
    char text[32];
    size_t size = tenon_number_text(type, (const uint8_t *)bytes, big, index, text, sizeof text);
    CHECK_STR(text, want);
    CHECK(size == strlen(want));
}

TEST(numbers_become_text)
{
    check_text(TENON_TYPE_U8, "\xFF", false, 0, "255");
    check_text(TENON_TYPE_U8, "\1\2\3", false, 2, "3");
    check_text(TENON_TYPE_I16, "\xFE\xFF", false, 0, "-2");
    check_text(TENON_TYPE_I16, "\x80\0", true, 0, "-32768");
    check_text(TENON_TYPE_U16, "\xFE\xFF\x01\x02", false, 0, "65534");
    check_text(TENON_TYPE_U16, "\xFE\xFF\x01\x02", true, 1, "258");
    check_text(TENON_TYPE_I32, "\xFF\xFF\xFF\xFF", true, 0, "-1");
    check_text(TENON_TYPE_U32, "\xFF\xFF\xFF\xFF", true, 0, "4294967295");
    check_text(TENON_TYPE_U32, "\1\0\0\0\2\0\0\0", false, 1, "2");
    check_text(TENON_TYPE_F32, "\0\0\xC0\x3F", false, 0, "1.5");
    check_text(TENON_TYPE_F32, "\x3D\xCC\xCC\xCD", true, 0, "0.1");
    check_text(TENON_TYPE_I64, "\x80\0\0\0\0\0\0\0", true, 0, "-9223372036854775808");
    check_text(TENON_TYPE_U64, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", false, 0,
               "18446744073709551615");
    check_text(TENON_TYPE_F64, "\x3F\xB9\x99\x99\x99\x99\x99\x9A", true, 0, "0.1");
    check_text(TENON_TYPE_BYTES, "\x80", true, 0, "128");
}

TEST(text_of_a_number_is_cut_to_its_room)
{
    char text[4] = "xxx";
    CHECK(tenon_number_text(TENON_TYPE_U32, (const uint8_t *)"\0\1\0\0", false, 0, text, 3) == 2);
    CHECK_STR(text, "25");
    CHECK(tenon_number_text(TENON_TYPE_U32, (const uint8_t *)"\0\1\0\0", false, 0, text, 0) == 0);
    CHECK_STR(text, "25");
}

int main(void)
{
    RUN(a_map_has_every_byte_once);
    RUN(a_broken_file_is_mapped_up_to_the_fault_then_the_remainder);
    RUN(every_truncation_is_mapped_without_gap_or_overlap);
    RUN(an_unknown_file_is_all_remainder);
    RUN(a_callback_can_end_the_map);
    RUN(bytes_after_the_end_are_a_kept_part);
    RUN(records_are_split_into_named_cells);
    RUN(what_has_no_name_or_no_layout_has_plain_cells_or_none);
    RUN(numbers_become_text);
    RUN(text_of_a_number_is_cut_to_its_room);
    TEST_END();
}
