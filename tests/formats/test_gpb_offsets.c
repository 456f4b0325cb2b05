// test_gpb_offsets.c: gameplay bundles that were changed: offsets, counts and parents follow.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../real_files.h"
#include "../robust_properties.h"
#include "gpb_help.h"

// -- Finalising

static void check_kept(const char *path)
{
    tenon_error err;
    blob before = blob_load(path);
    tenon_gpb *doc = gpb_open_copy(path);
    CHECK(tenon_finalize(&doc->base, &err));
    blob after = blob_written(&doc->base);
    if (!blob_same(&before, &after)) fprintf(stderr, "%s\n", path);
    CHECK(blob_same(&before, &after));
    blob_free(&after);
    tenon_doc_free(&doc->base);
    blob_free(&before);
}

TEST(an_unchanged_document_is_final)
{
    DIR *folder = opendir(GPB_FOLDER);
    CHECK(folder != NULL);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, GPB_FOLDER "%s", entry->d_name);
        check_kept(path);
    }
    if (folder) closedir(folder);
}

static uint32_t find_reference(const tenon_gpb *doc, const char *id)
{
    for (uint32_t i = 0; i < doc->reference_count; i++)
        if (gpb_text_is(doc->references[i].id, id)) return i;
    return TENON_NONE;
}

TEST(offsets_follow_what_they_point_to)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_error err;
    doc->references[find_reference(doc, "arm")].id = (tenon_str){"arm_of_the_crane", 16};
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    scene->nodes[1].parent_id = (tenon_str){"nobody", 6};
    CHECK(tenon_finalize(&doc->base, &err));
    blob file = blob_written(&doc->base), again;
    CHECK(maps_whole(&file));
    tenon_doc_free(&doc->base);
    doc = gpb_reopen(&file, NULL);
    scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    CHECK(gpb_text_is(tenon_gpb_id(doc, scene->nodes[1].reference), "arm_of_the_crane"));
    CHECK(
        gpb_text_is(tenon_gpb_id(doc, scene->nodes[1].children[0].light.reference), "lamp_Light"));
    CHECK(gpb_text_is(tenon_gpb_id(doc, scene->nodes[0].camera.reference), "eye_Camera"));
    for (uint32_t i = 0; i < doc->block_count; i++) CHECK(doc->blocks[i].gap.size == 0);
    again = blob_written(&doc->base);
    CHECK(maps_whole(&again));
    blob_free(&again);
    tenon_doc_free(&doc->base);
}

TEST(stale_sizes_are_refused_until_they_are_final)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_mesh *mesh = &gpb_block(doc, TENON_GPB_MESH)->body.mesh;
    tenon_error err;
    mesh->vertices.count = 3;
    mesh->vertices.size = 3 * 44;
    mesh->parts[0].indices.count = 3;
    mesh->parts[0].indices.size = 6;
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT && err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, "blocks[0].mesh.vertices");
    CHECK(tenon_finalize(&doc->base, &err));
    CHECK(mesh->vertex_size == 132 && mesh->parts[0].index_size == 6);
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    doc = gpb_reopen(&file, NULL);
    CHECK(gpb_block(doc, TENON_GPB_MESH)->body.mesh.vertices.count == 3);
    CHECK(doc->block_count == 3);
    tenon_doc_free(&doc->base);
}

static void check_refused(tenon_gpb *doc, const char *path, const char *message)
{
    tenon_error err;
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT && err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, path);
    CHECK_STR(err.message, message);
    CHECK(!tenon_finalize(&doc->base, &err));
    tenon_doc_free(&doc->base);
}

TEST(lists_without_a_count_have_one_item)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_0_bare_scene.gpb");
    gpb_block(doc, TENON_GPB_ANIMATIONS)->body.animations.animation_count = 0;
    check_refused(doc, "blocks[2].animations.animations",
                  "'animations' has 0 items, but this dialect allows one");
    doc = gpb_open_copy(GPB_FOLDER "1_2_font.gpb");
    gpb_block(doc, TENON_GPB_FONT)->body.font.size_count = 2;
    check_refused(doc, "blocks[0].font.sizes", "'sizes' has 2 items, but this dialect allows one");
}

TEST(a_node_can_be_added)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_error err;
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    tenon_gpb_node *nodes = tenon_doc_alloc(&doc->base, 4 * sizeof *nodes);
    tenon_gpb_reference *references =
        tenon_doc_alloc(&doc->base, (doc->reference_count + 1) * sizeof *references);
    if (!nodes || !references) abort();
    memcpy(nodes, scene->nodes, 3 * sizeof *nodes);
    memcpy(references, doc->references, doc->reference_count * sizeof *references);
    references[doc->reference_count] = (tenon_gpb_reference){{"tail", 4}, TENON_GPB_NODE, 0};
    nodes[3] = nodes[0];
    nodes[3].reference = doc->reference_count++;
    nodes[3].camera = (tenon_gpb_camera){.reference = TENON_NONE};
    scene->nodes = nodes;
    scene->node_count = 4;
    doc->references = references;
    CHECK(tenon_finalize(&doc->base, &err));
    tenon_check_result result;
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &result, &err));
    CHECK(result.errors == 0 && result.warnings == 0);
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    doc = gpb_reopen(&file, NULL);
    scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    CHECK(scene->node_count == 4);
    CHECK(gpb_text_is(tenon_gpb_id(doc, scene->nodes[3].reference), "tail"));
    tenon_doc_free(&doc->base);
}

TEST(a_block_can_be_removed)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_error err;
    uint32_t reference = doc->blocks[2].reference;
    doc->block_count = 2;
    CHECK(tenon_finalize(&doc->base, &err));
    CHECK(doc->object_count == 1 && doc->references[reference].offset == 0);
    doc->blocks[1].counts |= doc->blocks[0].counts;  // The count in front of the mesh stays.
    doc->blocks++;
    doc->block_count = 1;
    CHECK(tenon_finalize(&doc->base, &err));
    CHECK(doc->blocks[0].counts == 3 && doc->mesh_count == 0 && doc->object_count == 1);
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    doc = gpb_reopen(&file, NULL);
    CHECK(doc->block_count == 1 && doc->blocks[0].counts == 3 && doc->blocks[0].gap.size == 0);
    tenon_doc_free(&doc->base);
}

TEST(references_that_lead_nowhere_stay_until_something_moves)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_references.gpb");
    tenon_error err;
    uint32_t beyond = find_reference(doc, "beyond"), again = find_reference(doc, "again");
    uint32_t mesh = find_reference(doc, "m");
    CHECK(doc->references[beyond].offset == 5000);
    CHECK(tenon_finalize(&doc->base, &err) && doc->references[beyond].offset == 5000);
    doc->references[beyond].id = (tenon_str){"far beyond", 10};
    CHECK(tenon_finalize(&doc->base, &err) && doc->references[beyond].offset == 0);
    CHECK(doc->references[again].offset == doc->references[mesh].offset);
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    doc = gpb_reopen(&file, NULL);
    tenon_doc_free(&doc->base);
}

TEST(measuring_changes_nothing)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_node node = gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[1];
    tenon_gpb_reference first = doc->references[0];
    tenon_gpb_block block = doc->blocks[2];
    CHECK(tenon_write(&doc->base, NULL, NULL, NULL) != TENON_ABSENT);
    CHECK(memcmp(&node, &gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[1], sizeof node) == 0);
    CHECK(memcmp(&first, &doc->references[0], sizeof first) == 0);
    CHECK(memcmp(&block, &doc->blocks[2], sizeof block) == 0);
    tenon_doc_free(&doc->base);
}

// -- Refreshing

static bool refresh(tenon_gpb *doc)
{
    tenon_error err;
    bool ok = tenon_change(&doc->base, &(tenon_change_opts){.refresh = true}, &err);
    if (!ok) fprintf(stderr, "%s\n", err.message);
    return ok;
}

TEST(refreshing_gives_nodes_the_names_of_their_parents)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_2_third_party.gpb");
    CHECK(refresh(doc));
    const tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    CHECK(scene->nodes[0].parent_id.size == 0);
    CHECK_STR(scene->nodes[0].children[0].parent_id.data, "root");
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    doc = gpb_reopen(&file, NULL);
    CHECK(doc->block_count == 2 && doc->blocks[1].gap.size == 0);
    CHECK(gpb_text_is(tenon_gpb_id(doc, doc->blocks[1].reference), "m"));
    tenon_doc_free(&doc->base);
}

TEST(refreshing_marks_references_that_lead_nowhere)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_references.gpb");
    uint32_t what = find_reference(doc, "what"), place = doc->references[what].offset;
    tenon_check_result before, after;
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &before, NULL));
    CHECK(refresh(doc));
    CHECK(doc->references[find_reference(doc, "middle")].offset == 0);
    CHECK(doc->references[find_reference(doc, "sun")].offset == 0);
    CHECK(doc->references[what].offset == place);  // Of an unknown type.
    CHECK(doc->references[find_reference(doc, "again")].offset ==
          doc->references[find_reference(doc, "m")].offset);
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &after, NULL));
    CHECK(before.errors == 5 && after.errors == 1);  // An id is still empty.
    tenon_doc_free(&doc->base);
}

// -- Real files

static void check_real_file(const char *path)
{
    blob file = blob_load(path);
    const tenon_read_opts opts = {0};
    const char *fault = fault_in_reading(file.data, file.size, &opts, true);
    tenon_gpb *doc = gpb_open_copy(path);
    CHECK(doc->base.also == NULL && doc->base.trailing.size == 0);
    for (uint32_t i = 0; i < doc->block_count; i++) CHECK(doc->blocks[i].gap.size == 0);
    CHECK(refresh(doc));
    blob after = blob_written(&doc->base);
    if (!fault && !blob_same(&file, &after)) fault = "refreshing changes it";
    if (fault) fprintf(stderr, "%s: ", path);
    CHECK_STR(fault ? fault : "", "");
    tenon_doc_free(&doc->base);
    blob_free(&after);
    blob_free(&file);
}

TEST(files_of_the_official_encoder_are_rewritten_byte_for_byte)
{
    real_files_each("gpb", ".gpb", check_real_file);
}

int main(void)
{
    RUN(an_unchanged_document_is_final);
    RUN(offsets_follow_what_they_point_to);
    RUN(stale_sizes_are_refused_until_they_are_final);
    RUN(a_node_can_be_added);
    RUN(a_block_can_be_removed);
    RUN(references_that_lead_nowhere_stay_until_something_moves);
    RUN(measuring_changes_nothing);
    RUN(refreshing_gives_nodes_the_names_of_their_parents);
    RUN(refreshing_marks_references_that_lead_nowhere);
    RUN(lists_without_a_count_have_one_item);
    RUN(files_of_the_official_encoder_are_rewritten_byte_for_byte);
    REAL_FILES_END();
}
