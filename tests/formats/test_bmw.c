// test_bmw.c: BMW through the public API: every layout, both matrix orders, edits, real files.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../real_files.h"
#include "../robust_properties.h"
#include "model_help.h"

#include <dirent.h>

#include <tenon/bmw.h>

#define FOLDER "tests/fixtures/bmw/"
#define FULL   FOLDER "R4_full.bmw"

// A document that owns its memory: the buffer it was read from is gone.
static tenon_bmw *open_copy(const char *path, const char *dialect)
{
    blob file = blob_load(path);
    tenon_error err;
    const tenon_read_opts opts = {.copy = true, .format = "bmw", .dialect = dialect};
    tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
    if (file.size) memset(file.data, 0xEE, file.size);
    blob_free(&file);
    if (doc) return tenon_as_bmw(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static float f32_at(const tenon_span *span, uint64_t index)
{
    return wire_f32(span->data + 4 * index);
}

static uint32_t u32_at(const tenon_span *span, uint64_t index)
{
    return wire_u32(span->data + 4 * index);
}

// -- What was read

TEST(a_document_holds_what_the_file_says)
{
    tenon_bmw *doc = open_copy(FULL, NULL);
    CHECK(doc->material_count == 2 && doc->materials[0].texture_count == 0);
    CHECK(doc->materials[1].texture_count == 2);
    CHECK_STR(doc->materials[1].textures[1].data, "maps\\cloth.jpg");
    CHECK(doc->animation_count == 2 && doc->animations[0].duration == 1);
    CHECK(doc->animations[0].rate == 24 && doc->animations[0].bone_count == 2);
    const tenon_bmw_bone *bone = &doc->animations[0].bones[1];
    CHECK(bone->node_id == 2 && bone->frames.count == 2 && bone->frame_count == 0);
    CHECK(f32_at(&bone->frames, 12) == 3 && f32_at(&bone->frames, 16 + 12) == 0);
    CHECK(doc->root.child_count == 2 && doc->root.children[0].node_id == 1);
    CHECK(doc->root.children[0].transform[13] == -1.5f);
    CHECK(doc->root.children[0].children[0].node_id == 2);
    CHECK(u32_at(&doc->root.children[0].children[0].meshes, 0) == 1);
    CHECK(doc->name_count == 4 && doc->names[3].node_id == 3);
    CHECK_STR(doc->names[3].name.data, "lamp");
    CHECK(!doc->is_row_major && !doc->is_order_assumed);
    tenon_doc_free(&doc->base);
}

TEST(spans_hold_the_bytes_of_the_file)
{
    tenon_bmw *doc = open_copy(FULL, NULL);
    const tenon_bmw_mesh *mesh = &doc->meshes[0];
    CHECK(doc->mesh_count == 2 && mesh->vertices.count == 3 && mesh->vertices.size == 144);
    CHECK(f32_at(&mesh->vertices, 12) == 2 && u32_at(&mesh->vertices, 12 + 4) == 255);
    CHECK_STR(mesh->vertices.layout->elements[3].name, "normal");
    CHECK(mesh->faces.count == 1 && u32_at(&mesh->faces, 2) == 2);
    const tenon_span *weights = &mesh->weighted_vertices;
    CHECK(weights->count == 2 && weights->size == 16 + 24);
    CHECK(u32_at(weights, 4) == 1 && u32_at(weights, 5) == 2);  // Vertex 1, two influences.
    CHECK(u32_at(weights, 8) == 2 && f32_at(weights, 9) == 0.75f);
    CHECK(doc->meshes[1].faces.count == 0 && doc->meshes[1].weighted_vertices.count == 0);
    tenon_doc_free(&doc->base);
}

// Up to the first '_' the name of a fixture is its layout.
static void layout_of(const char *name, char *out, size_t out_size)
{
    snprintf(out, out_size, "%.*s", (int)strcspn(name, "_"), name);
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// What the name of a fixture says about its matrices: "rows", "columns", or "" if nothing.
static const char *order_of(const char *name)
{
    if (strstr(name, "_row.")) return "rows";
    if (strstr(name, "_column.")) return "columns";
    if (!strstr(name, "_full.")) return "";
    return strncmp(name, "R4", 2) == 0 || strncmp(name, "R3", 2) == 0 || name[0] == 'd' ? "columns"
                                                                                        : "rows";
}

static void check_fixture(const char *name)
{
    char path[512], layout[32];
    snprintf(path, sizeof path, FOLDER "%s", name);
    layout_of(name, layout, sizeof layout);
    tenon_bmw *doc = open_copy(path, NULL);
    const char *order = order_of(name);
    CHECK_STR(doc->base.dialect->name, layout);
    CHECK(doc->base.also == NULL);
    if (*order) CHECK_STR(doc->is_row_major ? "rows" : "columns", order);
    if (*order) CHECK(!doc->is_order_assumed);
    if (strstr(name, "_turned.")) CHECK(doc->is_order_assumed);
    tenon_doc_free(&doc->base);
    blob file = blob_load(path);
    const tenon_read_opts opts = {0};
    const char *fault = fault_in_reading(file.data, file.size, &opts, true);
    CHECK_STR(fault ? fault : "", "");
    blob_free(&file);
}

TEST(every_fixture_is_of_the_layout_and_order_in_its_name)
{
    DIR *folder = opendir(FOLDER);
    unsigned count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!ends_with(entry->d_name, ".bmw")) continue;
        check_fixture(entry->d_name);
        count++;
    }
    if (folder) closedir(folder);
    CHECK(count >= 30);
}

// The format's document does not say what ends the header. Every converter writes a NUL.
TEST(what_ends_the_header_is_found_and_kept)
{
    static const struct {
        const char *name, *end;
        size_t size;
    } ends[] = {
        {"", "\0", 1},
        {"-bare", "", 0},
        {"-newline", "\n", 1},
        {"-newline-nul", "\n", 2},
        {"-nul-newline", "\0\n", 2},
        {"-crlf", "\r\n", 2},
        {"-crlf-nul", "\r\n", 3},
    };
    static const char *const layouts[] = {"R2", "document"};
    const size_t header = strlen("Beo-Model-Wolf Format Version 1");
    for (size_t i = 0; i < 2 * sizeof ends / sizeof ends[0]; i++) {
        const char *layout = layouts[i % 2], *end = ends[i / 2].end;
        char path[128], name[64];
        snprintf(path, sizeof path, FOLDER "%s_full.bmw", layout);
        snprintf(name, sizeof name, "%s%s", layout, ends[i / 2].name);
        blob usual = blob_load(path), file = {0};
        blob_add(&file, usual.data, header);
        blob_add(&file, end, ends[i / 2].size);
        blob_add(&file, usual.data + header + 1, usual.size - header - 1);
        const char *fault = fault_in_reading(file.data, file.size, &(tenon_read_opts){0}, true);
        CHECK_STR(fault ? fault : "", "");
        tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
        CHECK(doc && !doc->also);
        if (doc) CHECK_STR(doc->dialect->name, name);
        if (doc)
            CHECK(tenon_as_bmw(doc)->material_count == 2 && tenon_as_bmw(doc)->mesh_count == 2);
        tenon_doc_free(doc);
        blob_free(&usual);
        blob_free(&file);
    }
}

// The same model in every layout: matrices are compared by their mathematical elements.
static float element(const tenon_bmw *doc, const float m[16], int row, int column)
{
    return m[doc->is_row_major ? 4 * row + column : 4 * column + row];
}

TEST(all_layouts_hold_the_same)
{
    static const char *const names[] = {
        "R4_full",      "R4_row",   "R3_full", "R3_row",    "R2_full", "R2_column", "document_full",
        "document_row", "R2a_full", "R1_full", "R1_column", "R0_full", "R0_column"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, FOLDER "%s.bmw", names[i]);
        tenon_bmw *doc = open_copy(path, NULL);
        const tenon_bmw_node *hip = &doc->root.children[0];
        CHECK(element(doc, hip->transform, 0, 3) == 3 && element(doc, hip->transform, 1, 0) == 2);
        CHECK(doc->mesh_count == 2 && f32_at(&doc->meshes[0].vertices, 12) == 2);
        if (doc->base.dialect->flags & TENON_BMW_ANIMATIONS) {
            const tenon_span *frames = &doc->animations[0].bones[0].frames;
            CHECK(doc->animation_count == 2 && frames->count == 2);
            CHECK(f32_at(frames, 16 + (doc->is_row_major ? 3 : 12)) == 3);
        }
        tenon_doc_free(&doc->base);
    }
}

TEST(the_order_can_be_forced_and_nothing_else_changes)
{
    blob before = blob_load(FULL);
    tenon_bmw *doc = open_copy(FULL, "R4-row");
    CHECK(doc->is_row_major && !doc->is_order_assumed);
    CHECK_STR(doc->base.dialect->name, "R4-row");
    blob after = blob_written(&doc->base);
    CHECK(blob_same(&before, &after));
    tenon_doc_free(&doc->base);
    doc = open_copy(FOLDER "R2_turned.bmw", "R2-column");
    CHECK(!doc->is_row_major && !doc->is_order_assumed);
    tenon_doc_free(&doc->base);
    doc = open_copy(FOLDER "R2_turned.bmw", "R2");  // A vote, although the layout is forced.
    CHECK(doc->is_row_major && doc->is_order_assumed);
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

static const char *fact_of(const tenon_info *info, const char *label)
{
    for (uint32_t i = 0; i < info->fact_count; i++)
        if (strcmp(info->facts[i].label, label) == 0) return info->facts[i].text;
    return "";
}

TEST(info_says_what_is_in_the_crane)
{
    tenon_error err;
    tenon_info info;
    tenon_doc *doc = tenon_read_file("samples/crane.bmw", NULL, &err);
    CHECK(doc && tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &err));
    if (!doc) return;
    CHECK_STR(info.version, "1");
    CHECK_STR(doc->dialect->name, "R4");
    CHECK(info.meshes == 1 && info.vertices == 578 && info.triangles == 348 && info.nodes == 21);
    CHECK(info.animations == 1 && info.materials == 1 && info.joints == TENON_ABSENT);
    CHECK(info.clip_count == 1 && info.clips[0].seconds == 3.65);
    CHECK(info.clips[0].channels == 19 && info.clips[0].frames == 74);
    CHECK(info.material_count == 1);
    CHECK_STR(info.material_list[0].texture.data, "crane.png");
    CHECK_STR(fact_of(&info, "matrices"), "column-major (detected)");
    CHECK_STR(fact_of(&info, "names"), "21 for 21 nodes");
    CHECK(info.has_bounds && info.bounds_min[0] == -4.5 && info.bounds_max[0] == 4.5);
    tenon_info_free(&info);
    tenon_doc_free(doc);
}

static void check_order_fact(const char *path, const char *dialect, const char *fact)
{
    tenon_bmw *doc = open_copy(path, dialect);
    tenon_info info;
    CHECK(tenon_doc_info(&doc->base, NULL, &info, NULL));
    CHECK_STR(fact_of(&info, "matrices"), fact);
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
}

TEST(info_says_the_order_of_matrices_and_how_it_was_found)
{
    check_order_fact(FOLDER "R3_row.bmw", NULL, "row-major (detected)");
    check_order_fact(FOLDER "R3_row.bmw", "R3-column", "column-major (as requested)");
    check_order_fact(FOLDER "R1_turned.bmw", NULL, "row-major (assumed, cannot be detected)");
    check_order_fact(FOLDER "R4_turned.bmw", NULL, "column-major (assumed, cannot be detected)");
    check_order_fact(FOLDER "R2a_full.bmw", NULL, "row-major (from the frame count)");
}

// -- Editing: exactly the bytes of the field change

typedef struct edit {
    const char *path;
    void (*make)(tenon_bmw *doc);
} edit;

// Spans point into the input and are constant: to change one, allocate new bytes.
static uint8_t *own_bytes(tenon_bmw *doc, tenon_span *span)
{
    uint8_t *bytes = tenon_doc_alloc(&doc->base, (size_t)span->size);
    if (!bytes) abort();
    span->data = memcpy(bytes, span->data, (size_t)span->size);
    return bytes;
}

static void set_texture(tenon_bmw *doc)
{
    doc->materials[1].textures[0] = (tenon_str){"SKIN.dds", 8};
}

static void set_rate(tenon_bmw *doc)
{
    doc->animations[1].rate = 0x01020304;
}

static void set_bone(tenon_bmw *doc)
{
    doc->animations[0].bones[1].node_id = 77;
}

static void set_frame(tenon_bmw *doc)
{
    own_bytes(doc, &doc->animations[0].bones[0].frames)[64 + 5] = 0xAA;
}

static void set_vertex(tenon_bmw *doc)
{
    own_bytes(doc, &doc->meshes[0].vertices)[48 + 16] = 7;
}

static void set_weight(tenon_bmw *doc)
{
    own_bytes(doc, &doc->meshes[0].weighted_vertices)[16 + 1] = 9;
}

static void set_influence(tenon_bmw *doc)
{
    own_bytes(doc, &doc->meshes[0].weighted_vertices)[16 + 8 + 8 + 4] = 1;  // The second weight.
}

static void set_face(tenon_bmw *doc)
{
    own_bytes(doc, &doc->meshes[0].faces)[4] = 2;
}

static void set_node_id(tenon_bmw *doc)
{
    doc->root.children[1].node_id = 9;
}

static void set_transform(tenon_bmw *doc)
{
    doc->root.children[0].children[0].transform[5] = -0.5f;
}

static void set_mesh_index(tenon_bmw *doc)
{
    own_bytes(doc, &doc->root.meshes)[0] = 1;
}

static void set_name_id(tenon_bmw *doc)
{
    doc->names[0].node_id = 3;
}

static void set_name(tenon_bmw *doc)
{
    doc->names[2].name = (tenon_str){"KNIE", 4};
}

static const edit edits[] = {
    {"materials[1].textures[0]", set_texture},
    {"animations[1].rate", set_rate},
    {"animations[0].bones[1].node_id", set_bone},
    {"animations[0].bones[0].frames[1]", set_frame},
    {"meshes[0].weighted_vertices[1]", set_weight},
    {"meshes[0].weighted_vertices", set_influence},
    {"meshes[0].vertices[1].color", set_vertex},
    {"meshes[0].faces[0]", set_face},
    {"root.children[1].node_id", set_node_id},
    {"root.children[0].children[0].transform", set_transform},
    {"root.meshes", set_mesh_index},
    {"names[0].node_id", set_name_id},
    {"names[2].name", set_name},
};

static void check_edit(const edit *e)
{
    blob before = blob_load(FULL);
    tenon_bmw *doc = open_copy(FULL, NULL);
    e->make(doc);
    uint64_t offset = 0, size = 0, changed = 0;
    CHECK(tenon_locate(&doc->base, e->path, &offset, &size) && size > 0);
    blob after = blob_written(&doc->base);
    CHECK(after.size == before.size);
    for (size_t i = 0; i < before.size && i < after.size; i++) {
        if (before.data[i] == after.data[i]) continue;
        changed++;
        CHECK(i >= offset && i < offset + size);
    }
    CHECK(changed > 0);
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

TEST(an_edit_changes_the_bytes_of_its_field_and_no_others)
{
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) check_edit(&edits[i]);
}

TEST(durations_follow_the_frames)
{
    tenon_bmw *doc = open_copy(FULL, NULL);
    tenon_bmw_animation *animation = &doc->animations[0];
    tenon_error err;
    for (uint32_t b = 0; b < animation->bone_count; b++) {
        animation->bones[b].frames.count = 1;
        animation->bones[b].frames.size = 64;
    }
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT);
    CHECK_STR(err.message, "'frames' has 1 items, its count says 2");
    CHECK_STR(err.path, "animations[0].bones[0].frames");
    CHECK(tenon_finalize(&doc->base, &err) && animation->duration == 0);
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) != TENON_ABSENT);
    tenon_doc_free(&doc->base);
}

// -- Broken

TEST(an_error_says_what_and_where)
{
    blob file = blob_load(FULL);
    tenon_error err;
    CHECK(tenon_read(file.data, file.size - 3, NULL, &err) == NULL);
    CHECK(err.code == TENON_ERR_TRUNCATED);
    CHECK_STR(err.path, "names[3].name");
    CHECK_STR(err.message, "'name' has no end: none of the 2 bytes left is 0");
    CHECK_STR(err.note, "read as dialect 'R4', which got furthest");
    blob_free(&file);
}

TEST(a_partial_document_keeps_what_is_whole)
{
    blob file = blob_load(FULL);
    tenon_error err;
    const tenon_read_opts opts = {.partial = true};
    tenon_doc *doc = tenon_read(file.data, file.size - 3, &opts, &err);
    CHECK(doc != NULL && err.code == TENON_ERR_TRUNCATED);
    CHECK_STR(err.path, "names[3].name");
    if (!doc) return;
    CHECK(tenon_as_bmw(doc)->name_count == 3 && tenon_as_bmw(doc)->mesh_count == 2);
    CHECK(!tenon_as_bmw(doc)->is_order_assumed);
    tenon_doc_free(doc);
    blob_free(&file);
}

// -- Deep trees

static void note_place(void *user, const tenon_finding *finding)
{
    if (strcmp(finding->rule->id, "bmw/node-id-order") == 0) *(tenon_finding *)user = *finding;
}

// The path of a node that is too deep is that of an ancestor, and has an offset.
TEST(a_finding_deep_in_the_tree_has_a_place)
{
    enum { DEPTH = 40 };
    tenon_bmw *doc = open_copy(FOLDER "R4_empty.bmw", NULL);
    tenon_bmw_node *nodes = tenon_doc_alloc(&doc->base, DEPTH * sizeof *nodes), *at = &doc->root;
    if (!nodes) abort();
    for (uint32_t i = 0; i < DEPTH; i++, at = at->children) {
        nodes[i] = doc->root;
        nodes[i].node_id = i + 1 < DEPTH ? i + 1 : 7;
        nodes[i].child_count = 0;
        at->children = &nodes[i];
        at->child_count = 1;
    }
    tenon_finding finding = {0};
    CHECK(tenon_check(&doc->base, NULL, note_place, &finding, NULL, NULL));
    CHECK(finding.rule != NULL && finding.offset > 500 && finding.offset < 0xFFFF);
    tenon_doc_free(&doc->base);
}

static void note_text(void *user, const tenon_finding *finding)
{
    if (strcmp(finding->rule->id, "bmw/text-utf8") == 0 &&
        strcmp(finding->path, "names[0].name") == 0)
        *(bool *)user = true;
}

TEST(a_stale_duration_hides_no_finding)
{
    tenon_doc *doc = tenon_read_file(FULL, NULL, NULL);
    tenon_bmw *bmw = tenon_as_bmw(doc);
    bool is_found = false;
    CHECK(bmw && bmw->animation_count && bmw->name_count);
    if (!bmw) return;
    bmw->animations[0].duration++;
    bmw->names[0].name = (tenon_str){"\xff", 1};
    CHECK(tenon_check(doc, NULL, note_text, &is_found, NULL, NULL) && is_found);
    tenon_doc_free(doc);
}

// -- Real files

static uint64_t live_bytes, peak_bytes;

static void *count_alloc(void *user, size_t size)
{
    (void)user;
    live_bytes += size;
    if (live_bytes > peak_bytes) peak_bytes = live_bytes;
    return malloc(size);
}

static void count_free(void *user, void *memory, size_t size)
{
    (void)user;
    live_bytes -= size;
    free(memory);
}

static void add_u32s(blob *file, const uint32_t *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[4];
        wire_put_u32(bytes, v[i]);
        blob_add(file, bytes, sizeof bytes);
    }
}

// As many frames and bones as the longest known animation.
static blob long_animation(uint32_t frame_count, uint32_t bone_count)
{
    enum { ONE = 0x3F800000 };
    static const uint32_t matrix[16] = {ONE, 0, 0, 0, 0, ONE, 0, 0, 0, 0, ONE, 0, 0, 0, 0, ONE};
    blob file = {0};
    blob_add(&file, "Beo-Model-Wolf Format Version 1", 32);
    add_u32s(&file, (uint32_t[]){0, 1, frame_count - 1, 60, bone_count}, 5);
    for (uint32_t b = 0; b < bone_count; b++) {
        add_u32s(&file, &(uint32_t){0}, 1);
        for (uint32_t i = 0; i < frame_count; i++) add_u32s(&file, matrix, 16);
    }
    add_u32s(&file, (uint32_t[]){0, 0}, 2);  // No meshes; node 0.
    add_u32s(&file, matrix, 16);
    add_u32s(&file, (uint32_t[]){0, 0, 0}, 3);  // No meshes, children and names.
    return file;
}

TEST(frames_take_no_memory)
{
    blob file = long_animation(1102, 39);
    tenon_error err;
    const tenon_read_opts opts = {.allocator = {count_alloc, count_free, NULL}};
    live_bytes = peak_bytes = 0;
    tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
    CHECK(doc && tenon_as_bmw(doc)->animations[0].bones[38].frames.count == 1102);
    CHECK(file.size > 2700000 && peak_bytes < 16384);
    tenon_doc_free(doc);
    CHECK(live_bytes == 0);
    blob_free(&file);
}

static void check_real_file(const char *path)
{
    blob file = blob_load(path);
    const tenon_read_opts opts = {.allocator = {count_alloc, count_free, NULL}};
    const char *fault = fault_in_reading(file.data, file.size, &opts, true);
    if (fault) fprintf(stderr, "%s: %s\n", path, fault);
    CHECK(fault == NULL);
    live_bytes = peak_bytes = 0;
    tenon_doc *doc = tenon_read(file.data, file.size, &opts, NULL);
    if (strstr(path, "mybomber")) CHECK(peak_bytes < (uint64_t)1 << 20);
    tenon_check_result result = {0};
    CHECK(doc && tenon_check(doc, NULL, NULL, NULL, &result, NULL) && result.errors == 0);
    CHECK(doc && doc->also == NULL);
    tenon_doc_free(doc);
    blob_free(&file);
}

TEST(every_real_file_is_written_back_and_has_no_error)
{
    real_files_each("bmw", ".bmw", check_real_file);
}

int main(void)
{
    RUN(a_document_holds_what_the_file_says);
    RUN(spans_hold_the_bytes_of_the_file);
    RUN(every_fixture_is_of_the_layout_and_order_in_its_name);
    RUN(what_ends_the_header_is_found_and_kept);
    RUN(all_layouts_hold_the_same);
    RUN(the_order_can_be_forced_and_nothing_else_changes);
    RUN(info_says_what_is_in_the_crane);
    RUN(info_says_the_order_of_matrices_and_how_it_was_found);
    RUN(an_edit_changes_the_bytes_of_its_field_and_no_others);
    RUN(durations_follow_the_frames);
    RUN(an_error_says_what_and_where);
    RUN(a_partial_document_keeps_what_is_whole);
    RUN(a_finding_deep_in_the_tree_has_a_place);
    RUN(a_stale_duration_hides_no_finding);
    RUN(frames_take_no_memory);
    RUN(every_real_file_is_written_back_and_has_no_error);
    REAL_FILES_END();
}
