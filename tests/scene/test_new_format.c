// test_new_format.c: what a new format gets from the description of itself.
// SPDX-License-Identifier: MIT

#include "document/doc_map.h"
#include "document/text_twin.h"
#include "exchange/export_memory.h"
#include "exchange/scene_import.h"
#include "loss_help.h"
#include "puppet_format.h"

static tn_memory_folder folder;  // With the crane as a puppet.
static made exported;            // What that lost.

static tenon_doc *read_puppet(const uint8_t *data, tn_observer *observers)
{
    static const tenon_read_opts opts;
    return tn_doc_open(&puppet_format, data, folder.first->size, NULL, &opts, observers,
                       &exported.err);
}

static const tn_format *find_puppet(const char *name)
{
    return strcmp(name, "puppet") == 0 ? &puppet_format : NULL;
}

TEST(a_scene_becomes_a_puppet_and_moves_as_before)
{
    static const tenon_allocator usual;
    const tenon_export_opts opts = {.events = {.user = &exported, .on_loss = note_loss}};
    tenon_verify_result result = {0};
    tenon_scene *scene = tenon_import_file("samples/crane.glb", NULL, NULL, NULL);
    if (!scene) exit(1);
    scene->animation_count = 1;
    folder.allocator = &usual;
    tenon_sink sink = tn_memory_sink(&folder);
    CHECK(tn_export_scene(&puppet_format, NULL, scene, &opts, &sink, &exported.err));
    CHECK(lost(&exported, TENON_DROPPED, "vertex colors") > 0);
    tenon_doc *doc = read_puppet(folder.first->data, NULL);
    tenon_scene *back = tn_import(doc, &(tenon_scene_opts){0}, &exported.err);
    CHECK(back && tenon_verify(scene, back, NULL, &result, NULL));
    CHECK(result.verdict < TENON_DIFFERENT && result.clip_count == 1);
    CHECK(result.matched == 1 && result.largest < 0.01);  // Frames are linear, in the model.
    tenon_scene_free(back);
    tenon_doc_free(doc);
    tenon_scene_free(scene);
}

TEST(it_is_mapped_written_dumped_and_built_byte_for_byte)
{
    static const tenon_read_opts opts;
    map_walk walk = {0};
    tn_mapper mapper;
    tn_mapper_init(&mapper, map_walk_part, &walk);
    tenon_doc *doc = read_puppet(folder.first->data, &mapper.observer);
    blob file = {folder.first->data, folder.first->size, 0}, text = {0}, built = {0};
    blob written = blob_written(doc);
    CHECK(!walk.has_gap && walk.end == file.size && blob_same(&written, &file));
    CHECK(tn_doc_dump(doc, blob_add, &text, &exported.err));
    CHECK(tn_doc_build((char *)text.data, text.size, find_puppet, &opts, blob_add, &built,
                       &exported.err));
    CHECK(blob_same(&built, &file));
    tenon_doc_free(doc);
    blob_free(&written), blob_free(&text), blob_free(&built);
}

static bool count_node(void *user, const tenon_tree_node *node)
{
    *(uint32_t *)user += strcmp(node->kind, "bone") == 0;
    return true;
}

TEST(it_is_summarized_checked_and_recovered)
{
    tenon_doc *doc = read_puppet(folder.first->data, NULL);
    puppet *p = (puppet *)doc;
    tenon_info info;
    tenon_check_result result = {0};
    uint32_t nodes = 0;
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, NULL));
    CHECK(info.triangles == p->faces.count && info.clip_count == 1 && info.has_bounds);
    tenon_info_free(&info);
    CHECK(tenon_tree(doc, count_node, &nodes, NULL));
    CHECK(nodes == p->bone_count && nodes > 0);
    CHECK(tenon_check(doc, NULL, NULL, NULL, &result, NULL) &&
          result.errors + result.warnings == 0);
    p->is_looping = 2, p->reserved = 1, p->texture = (tenon_str){"../\xff", 4};
    memset((uint8_t *)p->faces.data, 0xff, 4);
    memset((uint8_t *)p->vertices.data + 64, 0xff, 4);
    CHECK(tenon_check(doc, NULL, NULL, NULL, &result, NULL));
    CHECK(result.errors == 2 && result.warnings == 4);
    CHECK(tenon_recover(
        doc, &(tenon_change_opts){.events = {.user = &exported, .on_loss = note_loss}}, NULL));
    CHECK(lost(&exported, TENON_DROPPED, "triangles") > 0);
    CHECK(tenon_check(doc, NULL, NULL, NULL, &result, NULL) && result.errors == 0);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(a_scene_becomes_a_puppet_and_moves_as_before);
    RUN(it_is_mapped_written_dumped_and_built_byte_for_byte);
    RUN(it_is_summarized_checked_and_recovered);
    tn_memory_free(&folder);
    TEST_END();
}
