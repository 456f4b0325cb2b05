// test_not_finite.c: `check` finds every number of a file that is not finite.
// SPDX-License-Identifier: MIT

#include "gpb_help.h"

#include <math.h>

#define NUMBERS_MOST 4000
#define PATH_MOST    192

// The places of all numbers of a file that may be not finite; of arrays those of the last record.
typedef struct number_list {
    char paths[NUMBERS_MOST][PATH_MOST];
    uint64_t offsets[NUMBERS_MOST];
    bool big_endian[NUMBERS_MOST];
    uint32_t count;
} number_list;

static void add_numbers(number_list *list, const tenon_part *part, const char *path,
                        uint64_t offset, uint64_t count)
{
    for (uint64_t i = 0; i < count && list->count < NUMBERS_MOST; i++) {
        snprintf(list->paths[list->count], PATH_MOST, "%s", path);
        list->big_endian[list->count] = part->big_endian;
        list->offsets[list->count++] = offset + 4 * i;
    }
}

static bool note_part(void *user, const tenon_part *part)
{
    number_list *list = user;
    tenon_cell cell;
    if (part->kind != TENON_PART_FIELD) return true;
    if (part->type == TENON_TYPE_F32)
        add_numbers(list, part, part->path, part->offset, part->count);
    for (uint64_t i = 0; part->type == TENON_TYPE_RECORDS && part->count &&
                         tenon_part_cell(part, part->count - 1, i, &cell);
         i++)
        if (cell.type == TENON_TYPE_F32)
            add_numbers(list, part, cell.path, cell.offset, cell.count);
    return true;
}

static void note_finding(void *user, const tenon_finding *finding)
{
    if (strstr(finding->rule->id, "finite") || finding->severity == TENON_ERROR)
        *(bool *)user = true;
}

// No rule is about the materials of ModelData, nor about the first frame of BMW: the engine begins
// with the second.
static bool is_checked(const char *path)
{
    return !strstr(path, ".material.") && !strstr(path, ".frames[0]");
}

static void spoil_each_number(const char *path)
{
    static number_list list;
    blob file = blob_load(path);
    uint32_t spoiled = 0;
    list.count = 0;
    CHECK(tenon_map(file.data, file.size, NULL, note_part, &list, NULL));
    for (uint32_t i = 0; i < list.count; i++) {
        uint8_t *place = file.data + list.offsets[i], kept[4];
        bool is_found = false;
        memcpy(kept, place, 4);
        memcpy(place, list.big_endian[i] ? "\x7f\xc0\0\0" : "\0\0\xc0\x7f", 4);
        tenon_doc *doc =
            is_checked(list.paths[i]) ? tenon_read(file.data, file.size, NULL, NULL) : NULL;
        if (doc) CHECK(tenon_check(doc, NULL, note_finding, &is_found, NULL, NULL));
        if (doc && !is_found) {
            fprintf(stderr, "%s: %s is not finite, which nothing says\n", path, list.paths[i]);
            test_failures++;
        }
        spoiled += doc != NULL;
        tenon_doc_free(doc);
        memcpy(place, kept, 4);
    }
    CHECK(spoiled > 0);
    blob_free(&file);
}

TEST(every_number_that_is_not_finite_is_found)
{
    static const char *const paths[] = {
        "bbanim/2_wave.bbanim",      "bbanim/3.4_spaces_7.bbanim",
        "bbmod/1a_skinned.bbmod",    "bbmod/1b_skinned.bbmod",
        "bbmod/2_skinned.bbmod",     "bbmod/3.4_full.bbmod",
        "bbmod/3.4_skinned.bbmod",   "bmw/R2_full.bmw",
        "bmw/R4_full.bmw",           "bplx/document_full.bplx",
        "bplx/script_animated.bplx", "gpb/1_0_attenuation_scene.gpb",
        "gpb/1_5_scene.gpb",         "modeldata/current_full.cea",
        "modeldata/current_full.cem"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "tests/fixtures/%s", paths[i]);
        spoil_each_number(path);
    }
}

static void note_deep_finding(void *user, const tenon_finding *finding)
{
    if (strcmp(finding->rule->id, "gpb/not-finite") != 0) return;
    CHECK(finding->offset != TENON_ABSENT);
    CHECK(strlen(finding->path) > 140 && finding->path[strlen(finding->path) - 1] == ']');
    *(bool *)user = true;
}

// The path of the field is too long: that of the innermost node that fits is reported.
TEST(a_number_deep_in_a_tree_has_a_place)
{
    static tenon_gpb_node nodes[20];
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    bool is_found = false;
    for (int i = 0; i < 20; i++) {
        nodes[i] = (tenon_gpb_node){.reference = TENON_NONE, .node_type = 1};
        if (i < 19) nodes[i].child_count = 1, nodes[i].children = &nodes[i + 1];
    }
    nodes[19].transform[5] = NAN;
    scene->nodes = nodes;
    scene->node_count = 1;
    CHECK(tenon_check(&doc->base, NULL, note_deep_finding, &is_found, NULL, NULL) && is_found);
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(every_number_that_is_not_finite_is_found);
    RUN(a_number_deep_in_a_tree_has_a_place);
    TEST_END();
}
