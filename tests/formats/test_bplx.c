// test_bplx.c: BPLX through the public API: what is in a file, editing it, changing its layout.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "model_help.h"

#include <tenon/bplx.h>

#include <dirent.h>
#include <math.h>

#define FULL   "tests/fixtures/bplx/document_full.bplx"
#define SCRIPT "tests/fixtures/bplx/script_animated.bplx"

// A document that owns its memory: the buffer it was read from is gone.
static tenon_bplx *open_copy(const char *path)
{
    blob file = blob_load(path);
    tenon_error err;
    tenon_doc *doc = tenon_read(file.data, file.size, &(tenon_read_opts){.copy = true}, &err);
    if (file.size) memset(file.data, 0xEE, file.size);
    blob_free(&file);
    if (doc) return tenon_as_bplx(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static float f32_at(const tenon_span *span, uint64_t index)
{
    return wire_f32(span->data + 4 * index);
}

// -- What was read

TEST(a_document_holds_what_the_file_says)
{
    tenon_bplx *doc = open_copy(FULL);
    CHECK(doc->version == 1 && doc->vertex_count == 3 && doc->face_count == 1);
    CHECK(doc->material_count == 2 && doc->padding == 0 && doc->material_list_count == 2);
    const tenon_bplx_material *red = &doc->materials[0], *skin = &doc->materials[1];
    CHECK_STR(red->name.data, "red");
    CHECK(red->diffuse_color[1] == 0.25f && red->specular_color[2] == 0.5f);
    CHECK(red->shininess == 16 && red->emissive_color[2] == 0.0625f && red->transparency == 0.75f);
    CHECK(red->is_textured == 0 && red->texture_path.size == 0 && red->texture_path.data[0] == 0);
    CHECK(skin->is_textured == 1);
    CHECK_STR(skin->texture_path.data, "f.png");
    CHECK(doc->bone_count == 2 && doc->bones[0].parent_index == -1);
    CHECK_STR(doc->bones[1].name.data, "jib");
    CHECK(doc->bones[1].rest_position[2] == 0.25f && doc->bones[1].rest_rotation[1] > 0.7f);
    CHECK(doc->bones[1].rest_scale[2] == 1.5f);
    CHECK(doc->clip_count == 1 && doc->clips[0].animation_length == 1.5f);
    CHECK_STR(doc->clips[0].name.data, "slew");
    tenon_doc_free(&doc->base);
}

TEST(spans_hold_the_bytes_of_the_file)
{
    tenon_bplx *doc = open_copy(FULL);
    CHECK(doc->positions.count == 3 && doc->positions.size == 36);
    CHECK(f32_at(&doc->positions, 3) == 2 && f32_at(&doc->positions, 7) == 1);
    CHECK(doc->normals.count == 3 && f32_at(&doc->normals, 8) == 1);
    CHECK(doc->uvs.count == 3 && doc->uvs.size == 24 && f32_at(&doc->uvs, 2) == 1);
    CHECK(doc->faces.count == 1 && doc->faces.data[4] == 1 && doc->faces.data[8] == 2);
    CHECK(!doc->faces.big_endian && doc->faces.layout->elements[0].type == TENON_TYPE_U32);

    const tenon_span *keys = &doc->clips[0].keyframes;
    static const char *const names[] = {"time", "bone_index", "position", "rotation", "scale"};
    static const uint64_t offsets[] = {0, 4, 8, 20, 36};
    CHECK(keys->count == 3 && keys->layout->stride == 48 && keys->layout->element_count == 5);
    for (int i = 0; i < 5; i++) {
        CHECK_STR(keys->layout->elements[i].name, names[i]);
        CHECK(keys->layout->elements[i].offset == offsets[i]);
    }
    CHECK(f32_at(keys, 24) == 1.5f && keys->data[96 + 4] == 1 && f32_at(keys, 24 + 11) == 2);
    tenon_doc_free(&doc->base);
}

TEST(a_document_borrows_its_input_unless_asked_to_copy)
{
    blob file = blob_load(FULL);
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    CHECK(doc != NULL);
    if (!doc) return;
    CHECK(tenon_as_bplx(doc)->positions.data == file.data + 0x92);
    CHECK(tenon_as_bplx(doc)->clips[0].keyframes.data == file.data + 0x17D);
    tenon_doc_free(doc);
    blob_free(&file);
    CHECK(tenon_as_bplx(NULL) == NULL);
}

TEST(info_says_what_is_in_the_crane)
{
    tenon_error err;
    tenon_info info;
    tenon_doc *doc = tenon_read_file("samples/crane.bplx", NULL, &err);
    CHECK(doc && tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &err));
    if (!doc) return;
    CHECK_STR(info.version, "1");
    CHECK_STR(doc->dialect->name, "document");
    CHECK(info.meshes == 1 && info.vertices == 578 && info.triangles == 348 && info.joints == 19);
    CHECK(info.animations == 2 && info.materials == 6 && info.nodes == TENON_ABSENT);
    CHECK(info.fonts == TENON_ABSENT && info.channels == TENON_ABSENT);
    CHECK(info.clip_count == 2 && info.clips[0].seconds == 2 && info.clips[1].seconds == 1.5);
    CHECK(info.clips[0].frames == 55 && info.clips[1].frames == 31);
    CHECK_STR(info.clips[0].name.data, "travel");
    CHECK_STR(info.clips[1].name.data, "lift");
    CHECK(info.material_count == 6 && info.material_list[2].texture.size == 0);
    CHECK_STR(info.material_list[0].name.data, "paint");
    CHECK_STR(info.material_list[0].texture.data, "crane.png");
    CHECK(info.has_bounds && info.bounds_min[0] == -4.5 && info.bounds_max[0] == 4.5);
    CHECK(info.bounds_min[1] == 0 && info.bounds_min[2] == -1.5);
    tenon_info_free(&info);
    CHECK(tenon_doc_info(doc, NULL, &info, NULL) && !info.has_bounds);
    tenon_info_free(&info);
    tenon_doc_free(doc);
}

TEST(a_flat_model_has_bounds)
{
    tenon_bplx *doc = open_copy(FULL);
    tenon_info info;
    CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.full = true}, &info, NULL) &&
          info.has_bounds);
    CHECK(info.bounds_min[0] == 0 && info.bounds_max[0] == 2 && info.bounds_max[1] == 1);
    CHECK(info.bounds_min[2] == 0 && info.bounds_max[2] == 0);
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
}

TEST(nan_alone_gives_no_bounds)
{
    tenon_bplx *doc = open_copy(FULL);
    uint8_t *nan = tenon_doc_alloc(&doc->base, 36);
    if (!nan) abort();
    memset(nan, 0xFF, 36);
    doc->positions.data = nan;
    tenon_info info;
    CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.full = true}, &info, NULL) &&
          !info.has_bounds);
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
}

// -- Editing: exactly the bytes of the field change

typedef struct edit {
    const char *path;
    void (*make)(tenon_bplx *doc);
    uint64_t offset;  // In document_full.bplx.
    const char *bytes;
    uint64_t size;
} edit;

static void set_material_count(tenon_bplx *doc)
{
    doc->material_count = 7;
}

static void set_padding(tenon_bplx *doc)
{
    doc->padding = 0x01020304;
}

static void set_material_name(tenon_bplx *doc)
{
    doc->materials[0].name.data = "RED";
}

static void set_diffuse(tenon_bplx *doc)
{
    doc->materials[1].diffuse_color[1] = -2.0f;
}

static void set_flag(tenon_bplx *doc)
{
    doc->materials[1].is_textured = 0;
}

static void set_texture(tenon_bplx *doc)
{
    doc->materials[1].texture_path = (tenon_str){"g.jpg", 5};
}

static void set_parent(tenon_bplx *doc)
{
    doc->bones[1].parent_index = -2;
}

static void set_rotation(tenon_bplx *doc)
{
    doc->bones[0].rest_rotation[3] = 0.5f;
}

static void set_bone_name(tenon_bplx *doc)
{
    doc->bones[0].name = (tenon_str){"m\0st", 4};
}

static void set_length(tenon_bplx *doc)
{
    doc->clips[0].animation_length = 3.0f;
}

// Spans point into the input and are constant: to change one, allocate new bytes.
static uint8_t *own_bytes(tenon_bplx *doc, tenon_span *span)
{
    uint8_t *bytes = tenon_doc_alloc(&doc->base, (size_t)span->size);
    if (!bytes) abort();
    span->data = memcpy(bytes, span->data, (size_t)span->size);
    return bytes;
}

static void set_normal(tenon_bplx *doc)
{
    own_bytes(doc, &doc->normals)[12] = 0xAA;
}

static void set_face(tenon_bplx *doc)
{
    own_bytes(doc, &doc->faces)[8] = 9;
}

static void set_key(tenon_bplx *doc)
{
    own_bytes(doc, &doc->clips[0].keyframes)[48 + 4] = 0xBB;
}

static const edit edits[] = {
    {"material_count", set_material_count, 0x10, "\7\0\0\0", 4},
    {"padding", set_padding, 0x14, "\4\3\2\1", 4},
    {"materials[0].name", set_material_name, 0x1C, "\3\0\0\0RED", 7},
    {"materials[1].diffuse_color", set_diffuse, 0x5C,
     "\x00\x00\x80\x3F\x00\x00\x00\xC0\x00\x00\x80\x3F", 12},
    {"materials[1].is_textured", set_flag, 0x88, "\0", 1},
    {"materials[1].texture_path", set_texture, 0x89, "\5\0\0\0g.jpg", 9},
    {"normals[1]", set_normal, 0xC2, "\xAA\0\0\0\0\0\0\0\0\0\x80\x3F", 12},
    {"faces[0]", set_face, 0xF2, "\0\0\0\0\1\0\0\0\x09\0\0\0", 12},
    {"bones[0].name", set_bone_name, 0x102, "\4\0\0\0m\0st", 8},
    {"bones[0].rest_rotation", set_rotation, 0x11A, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x3F", 16},
    {"bones[1].parent_index", set_parent, 0x13D, "\xFE\xFF\xFF\xFF", 4},
    {"clips[0].animation_length", set_length, 0x175, "\0\0\x40\x40", 4},
    {"clips[0].keyframes[1].bone_index", set_key, 0x1B1, "\xBB\0\0\0", 4},
};

TEST(an_edit_changes_the_bytes_of_its_field_and_no_others)
{
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const edit *e = &edits[i];
        blob want = blob_load(FULL);
        CHECK(memcmp(want.data + e->offset, e->bytes, (size_t)e->size) != 0);
        memcpy(want.data + e->offset, e->bytes, (size_t)e->size);
        tenon_bplx *doc = open_copy(FULL);
        e->make(doc);
        uint64_t offset = 0, size = 0;
        CHECK(tenon_locate(&doc->base, e->path, &offset, &size));
        CHECK(offset == e->offset && size == e->size);
        blob got = blob_written(&doc->base);
        CHECK(blob_same(&got, &want));
        tenon_doc_free(&doc->base);
        blob_free(&got);
        blob_free(&want);
    }
}

TEST(text_of_another_length_moves_what_follows)
{
    blob before = blob_load(FULL);
    tenon_bplx *doc = open_copy(FULL);
    doc->bones[0].name = (tenon_str){"mainmast", 8};
    blob after = blob_written(&doc->base);
    CHECK(after.size == before.size + 4);
    CHECK(memcmp(after.data, before.data, 0x102) == 0);
    CHECK(memcmp(after.data + 0x102, "\x08\0\0\0mainmast", 12) == 0);
    CHECK(memcmp(after.data + 0x10E, before.data + 0x10A, before.size - 0x10A) == 0);
    CHECK(maps_whole(&after));
    tenon_doc_free(&doc->base);
    blob_free(&after);
    blob_free(&before);
}

TEST(what_no_reader_would_accept_is_not_written)
{
    tenon_bplx *doc = open_copy(FULL);
    tenon_error err;
    doc->version = 2;
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT);
    CHECK(err.code == TENON_ERR_VERSION && err.offset == 4);
    CHECK_STR(err.path, "version");
    doc->version = 1;
    doc->vertex_count = 4;
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT);
    CHECK(err.code == TENON_ERR_VALUE && err.offset == 0x92);
    CHECK_STR(err.path, "positions");
    CHECK_STR(err.message, "'positions' has 3 items, its count says 4");
    CHECK(tenon_finalize(&doc->base, &err) && doc->vertex_count == 3);
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == 525);
    doc->uvs.count = 2;
    doc->uvs.size = 16;
    CHECK(tenon_finalize(&doc->base, &err));  // Which of the three is right cannot be known.
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT);
    CHECK_STR(err.message, "'uvs' has 2 items, its count says 3");
    tenon_doc_free(&doc->base);
}

// -- Adding

// Make room for `more` records after the existing ones.
static uint8_t *grow(tenon_bplx *doc, tenon_span *span, uint64_t more)
{
    uint64_t added = more * span->layout->stride;
    uint8_t *bytes = tenon_doc_alloc(&doc->base, (size_t)(span->size + added));
    if (!bytes) abort();
    memcpy(bytes, span->data, (size_t)span->size);
    uint8_t *fresh = bytes + span->size;
    span->data = bytes;
    span->size += added;
    span->count += more;
    return fresh;
}

TEST(vertices_and_faces_can_be_added)
{
    tenon_bplx *doc = open_copy(SCRIPT);
    static const float corner[3] = {2, 1, 0};
    static const uint32_t face[3] = {1, 3, 2};
    wire_copy(grow(doc, &doc->positions, 1), corner, 3, 4);
    memcpy(grow(doc, &doc->normals, 1), doc->normals.data, 12);
    grow(doc, &doc->uvs, 1);
    wire_copy(grow(doc, &doc->faces, 1), face, 3, 4);
    tenon_error err;
    CHECK(tenon_finalize(&doc->base, &err));
    CHECK(doc->vertex_count == 4 && doc->face_count == 2);
    blob file = blob_written(&doc->base), before = blob_load(SCRIPT);
    CHECK(file.size == before.size + 12 + 12 + 8 + 12);
    tenon_doc_free(&doc->base);

    tenon_doc *again = tenon_read(file.data, file.size, NULL, &err);
    CHECK(again != NULL);
    if (!again) return;
    const tenon_bplx *read = tenon_as_bplx(again);
    CHECK(read->vertex_count == 4 && f32_at(&read->positions, 10) == 1);
    CHECK(read->face_count == 2 && read->faces.data[16] == 3);
    CHECK(read->bone_count == 2 && read->clips[0].keyframes.count == 3);
    tenon_doc_free(again);
    blob_free(&file);
    blob_free(&before);
}

TEST(a_bone_and_a_keyframe_can_be_added)
{
    tenon_bplx *doc = open_copy(SCRIPT);
    tenon_bplx_bone *bones = tenon_doc_alloc(&doc->base, 3 * sizeof *bones);
    if (!bones) abort();
    memcpy(bones, doc->bones, 2 * sizeof *bones);
    bones[2] = (tenon_bplx_bone){.name = {"hook", 4},
                                 .parent_index = 1,
                                 .rest_rotation = {0, 0, 0, 1},
                                 .rest_scale = {1, 1, 1}};
    doc->bones = bones;
    doc->bone_count = 3;
    uint8_t *key = grow(doc, &doc->clips[0].keyframes, 1);
    memcpy(key, doc->clips[0].keyframes.data, 48);
    key[4] = 2;
    tenon_error err;
    tenon_check_result result;
    CHECK(tenon_finalize(&doc->base, &err));
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &result, &err));
    CHECK(result.errors == 0 && result.warnings == 0);
    blob file = blob_written(&doc->base);
    CHECK(file.size == 403 + 52 + 48 && maps_whole(&file));
    tenon_doc_free(&doc->base);
    tenon_doc *again = tenon_read(file.data, file.size, NULL, &err);
    CHECK(again && tenon_as_bplx(again)->bone_count == 3);
    if (again) CHECK_STR(tenon_as_bplx(again)->bones[2].name.data, "hook");
    tenon_doc_free(again);
    blob_free(&file);
}

TEST(a_material_can_be_removed)
{
    tenon_bplx *doc = open_copy(FULL);
    tenon_error err;
    doc->materials++;
    doc->material_list_count = 1;
    CHECK(tenon_finalize(&doc->base, &err) && doc->material_count == 1);
    blob before = blob_load(FULL), after = blob_written(&doc->base);
    CHECK(after.size == before.size - 56);
    CHECK(memcmp(after.data + 0x1C, before.data + 0x54, before.size - 0x54) == 0);
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

// -- Changing the dialect

typedef struct loss_log {
    unsigned calls;
    tenon_loss last;
} loss_log;

static void note_loss(void *user, const tenon_loss *loss)
{
    loss_log *log = user;
    log->calls++;
    log->last = *loss;
}

static loss_log change(tenon_bplx *doc, const char *dialect)
{
    loss_log log = {0};
    tenon_error err;
    const tenon_change_opts opts = {.dialect = dialect,
                                    .events = {.user = &log, .on_loss = note_loss}};
    CHECK(tenon_change(&doc->base, &opts, &err));
    CHECK_STR(doc->base.dialect->name, dialect);
    return log;
}

TEST(the_script_layout_drops_the_materials)
{
    tenon_bplx *doc = open_copy(FULL);
    loss_log log = change(doc, "script");
    CHECK(log.calls == 1 && log.last.kind == TENON_DROPPED && log.last.count == 2);
    CHECK_STR(log.last.feature, "materials");
    CHECK_STR(log.last.why, "not supported by the dialect 'script'");
    blob before = blob_load(FULL), after = blob_written(&doc->base);
    CHECK(after.size == before.size - (0x92 - 0x18));
    CHECK(memcmp(after.data, before.data, 0x18) == 0);
    CHECK(memcmp(after.data + 0x18, before.data + 0x92, before.size - 0x92) == 0);
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

TEST(the_document_layout_synthesizes_materials)
{
    tenon_bplx *doc = open_copy(SCRIPT);
    loss_log log = change(doc, "document");
    CHECK(log.calls == 1 && log.last.kind == TENON_SYNTHESIZED && log.last.count == 1);
    CHECK_STR(log.last.feature, "materials");
    CHECK(doc->material_list_count == 1 && doc->materials[0].transparency == 1);
    blob before = blob_load(SCRIPT), after = blob_written(&doc->base);
    CHECK(after.size == before.size + 4 + 53 + 8);  // A count, and a material called "material".
    CHECK(memcmp(after.data + 0x18 + 65, before.data + 0x18, before.size - 0x18) == 0);
    tenon_doc *again = tenon_read(after.data, after.size, NULL, NULL);
    CHECK(again != NULL);
    if (again) CHECK_STR(again->dialect->name, "document");
    tenon_doc_free(again);

    log = change(doc, "script");  // And back: the same file as before.
    CHECK(log.calls == 1 && log.last.kind == TENON_DROPPED);
    blob_free(&after);
    after = blob_written(&doc->base);
    CHECK(blob_same(&before, &after));
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

TEST(no_change_is_no_loss_and_no_dialect_is_an_error)
{
    tenon_bplx *doc = open_copy(FULL);
    loss_log log = change(doc, "document");
    CHECK(log.calls == 0);
    tenon_error err;
    CHECK(tenon_change(&doc->base, &(tenon_change_opts){.refresh = true}, &err));
    CHECK(doc->material_list_count == 2);
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.dialect = "glossy"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "bplx has no dialect 'glossy'");
    CHECK(tenon_change(&doc->base, &(tenon_change_opts){.dialect = "script"}, NULL));
    tenon_doc_free(&doc->base);
}

TEST(more_materials_than_memory_allows_are_not_synthesized)
{
    tenon_bplx *doc = open_copy(SCRIPT);
    tenon_error err;
    doc->material_count = UINT32_MAX;
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.dialect = "document"}, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK(strstr(err.message, "the materials would exceed the memory limit of ") == err.message);
    tenon_doc_free(&doc->base);
}

// -- Rules

// The text of all broken files that are written as text.
static blob load_broken(void)
{
    blob all = {0};
    DIR *folder = opendir("tests/bad");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char path[400];
        snprintf(path, sizeof path, "tests/bad/%s", entry->d_name);
        blob one = blob_load(path);
        blob_add(&all, one.data, one.size);
        blob_free(&one);
    }
    if (folder) closedir(folder);
    blob_add(&all, "", 1);
    return all;
}

TEST(every_rule_has_a_file_that_breaks_it)
{
    static const char *const words[] = {"info", "warning", "error"};
    blob broken = load_broken();
    const tenon_format *format = tenon_format_by_name("bplx");
    CHECK(format->rule_count > 0);
    for (uint32_t i = 0; i < format->rule_count; i++) {
        const tenon_rule *rule = &format->rules[i];
        char wanted[100];
        snprintf(wanted, sizeof wanted, "finding: %s %s ", words[rule->severity], rule->id);
        bool found = strstr((const char *)broken.data, wanted) != NULL;
        if (!found) fprintf(stderr, "no file of tests/bad breaks %s\n", rule->id);
        CHECK(found);
    }
    blob_free(&broken);
}

static void note_bone_scale(void *user, const tenon_finding *finding)
{
    if (strcmp(finding->path, "bones[1].rest_scale") == 0 &&
        strcmp(finding->rule->id, "bplx/not-finite") == 0)
        *(bool *)user = true;
}

TEST(a_stale_count_hides_no_finding)
{
    tenon_doc *doc = tenon_read_file(FULL, NULL, NULL);
    tenon_bplx *bplx = tenon_as_bplx(doc);
    CHECK(bplx && bplx->bone_count == 2);
    if (!bplx) return;
    for (int step = 0; step < 4; step++) {
        bool is_found = false;
        if (step == 1) bplx->vertex_count++;
        // Arrays that contradict themselves are not looked at.
        if (step == 2) bplx->uvs.size--;
        if (step == 3) bplx->uvs = (tenon_span){.data = bplx->uvs.data, .size = 3, .count = 3};
        bplx->bones[1].rest_scale[0] = NAN;
        CHECK(tenon_check(doc, NULL, note_bone_scale, &is_found, NULL, NULL) && is_found);
    }
    tenon_doc_free(doc);
}

// -- Broken

TEST(an_error_says_what_and_where)
{
    blob file = blob_load(FULL);
    tenon_error err;
    CHECK(tenon_read(file.data, 0xA0, NULL, &err) == NULL);
    CHECK(err.code == TENON_ERR_TRUNCATED && err.offset == 0x92);
    CHECK_STR(err.path, "positions");
    CHECK_STR(err.message, "'positions' needs 36 bytes, only 14 left");
    CHECK_STR(err.note, "vertex_count is 3 (at 0x000008)");
    blob_free(&file);
}

TEST(a_partial_document_can_be_completed)
{
    // Cut in the second keyframe: what is left of the clip is not a clip.
    blob file = blob_load(FULL);
    tenon_error err;
    const tenon_read_opts opts = {.partial = true};
    tenon_doc *doc = tenon_read(file.data, 0x17D + 60, &opts, &err);
    CHECK(doc != NULL && err.code == TENON_ERR_TRUNCATED);
    CHECK_STR(err.path, "clips[0].keyframes");
    if (!doc) return;
    CHECK(tenon_as_bplx(doc)->bone_count == 2 && tenon_as_bplx(doc)->clip_count == 0);
    CHECK(tenon_finalize(doc, &err));
    blob whole = blob_written(doc);
    CHECK(whole.size == 0x16D && maps_whole(&whole));
    tenon_doc_free(doc);

    doc = tenon_read(file.data, 0x92 + 30, &opts, &err);  // In the third position.
    CHECK(doc != NULL && err.code == TENON_ERR_TRUNCATED);
    if (doc) CHECK(tenon_as_bplx(doc)->positions.count == 2 && tenon_as_bplx(doc)->bone_count == 0);
    tenon_doc_free(doc);
    blob_free(&whole);
    blob_free(&file);
}

// One clip of the script layout is also one bone and one clip of the document's layout.
TEST(a_file_that_fits_both_layouts_says_so)
{
    uint8_t file[24 + 4 + 4 + 108] = "BPLX\1";
    file[28] = 1;            // script: no bones, one clip; document: no materials, one bone
    file[40] = 2;            // script: two keyframes; document: inside the bone's position
    file[32 + 48] = 1;       // document: one clip,
    file[32 + 48 + 4] = 44;  // whose name is 44 bytes long
    tenon_error err;
    tenon_doc *doc = tenon_read(file, sizeof file, NULL, &err);
    CHECK(doc && doc->also);
    if (!doc) return;
    CHECK_STR(doc->dialect->name, "document");
    CHECK_STR(doc->also->name, "script");
    CHECK(tenon_as_bplx(doc)->bone_count == 1 && tenon_as_bplx(doc)->clips[0].name.size == 44);
    tenon_doc_free(doc);
    doc = tenon_read(file, sizeof file, &(tenon_read_opts){.dialect = "script"}, &err);
    CHECK(doc && !doc->also && tenon_as_bplx(doc)->clips[0].keyframes.count == 2);
    tenon_doc_free(doc);
}

static bool note_step(void *user, uint64_t done, uint64_t total)
{
    uint64_t *last = user;
    CHECK(done >= last[0] && done <= total);
    last[0] = done;
    last[1] = total;
    return true;
}

// Nearly all of the file is arrays.
TEST(progress_of_a_check_counts_its_arrays)
{
    uint64_t last[2] = {0, 0};
    tenon_error err;
    tenon_doc *doc = tenon_read_file("samples/crane.bplx", NULL, &err);
    tenon_check_opts opts = {.events = {.user = last, .on_progress = note_step}};
    CHECK(doc && tenon_check(doc, &opts, NULL, NULL, NULL, &err));
    CHECK(last[1] > 0 && last[0] > last[1] / 2);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(progress_of_a_check_counts_its_arrays);
    RUN(a_document_holds_what_the_file_says);
    RUN(spans_hold_the_bytes_of_the_file);
    RUN(a_document_borrows_its_input_unless_asked_to_copy);
    RUN(info_says_what_is_in_the_crane);
    RUN(a_flat_model_has_bounds);
    RUN(nan_alone_gives_no_bounds);
    RUN(an_edit_changes_the_bytes_of_its_field_and_no_others);
    RUN(text_of_another_length_moves_what_follows);
    RUN(what_no_reader_would_accept_is_not_written);
    RUN(vertices_and_faces_can_be_added);
    RUN(a_bone_and_a_keyframe_can_be_added);
    RUN(a_material_can_be_removed);
    RUN(the_script_layout_drops_the_materials);
    RUN(the_document_layout_synthesizes_materials);
    RUN(no_change_is_no_loss_and_no_dialect_is_an_error);
    RUN(more_materials_than_memory_allows_are_not_synthesized);
    RUN(every_rule_has_a_file_that_breaks_it);
    RUN(a_stale_count_hides_no_finding);
    RUN(an_error_says_what_and_where);
    RUN(a_partial_document_can_be_completed);
    RUN(a_file_that_fits_both_layouts_says_so);
    TEST_END();
}
