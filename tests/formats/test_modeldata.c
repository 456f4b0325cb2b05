// test_modeldata.c: ModelData through the public API: recognition, what is in a file, editing it,
// changing its dialect and its kind.
// SPDX-License-Identifier: MIT

#include "model_help.h"

#include <tenon/modeldata.h>

#define FOLDER   "tests/fixtures/modeldata/"
#define STATIC   FOLDER "current_full.cem"
#define ANIMATED FOLDER "current_full.cea"

// A document that owns its memory: the buffer it was read from is gone.
static tenon_modeldata *open_as(const char *path, const char *dialect)
{
    blob file = blob_load(path);
    tenon_error err;
    const tenon_read_opts opts = {.copy = true, .format = "modeldata", .dialect = dialect};
    tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
    if (file.size) memset(file.data, 0xEE, file.size);
    blob_free(&file);
    if (doc) return tenon_as_modeldata(doc);
    fprintf(stderr, "%s: %s: %s\n", path, err.path, err.message);
    exit(1);
}

static tenon_modeldata *open_copy(const char *path)
{
    return open_as(path, NULL);
}

static float f32_at(const tenon_span *span, uint64_t index)
{
    const uint8_t *p = span->data + 4 * index;
    uint32_t bits = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

static bool text_is(tenon_str text, const char *want)
{
    return text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
}

// -- Recognition

static const char *format_of(const void *data, size_t size)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(data, size, NULL, &err);
    const char *name = doc ? doc->format->name : tenon_code_word(err.code);
    tenon_doc_free(doc);
    return name;
}

TEST(an_empty_model_is_accepted_only_if_forced)
{
    const uint8_t none[4] = {0}, animated[16] = {0, 0, 0, 4};
    CHECK_STR(format_of(none, sizeof none), "format");
    CHECK_STR(format_of(animated, sizeof animated), "format");
    tenon_error err;
    const tenon_read_opts opts = {.format = "modeldata"};
    tenon_doc *doc = tenon_read(none, sizeof none, &opts, &err);
    CHECK(doc && tenon_as_modeldata(doc)->mesh_count == 0 && !tenon_as_modeldata(doc)->is_animated);
    tenon_doc_free(doc);
    doc = tenon_read(animated, sizeof animated, &opts, &err);
    CHECK(doc && tenon_as_modeldata(doc)->is_animated && tenon_as_modeldata(doc)->model_size == 4);
    tenon_doc_free(doc);
}

// Patterns that are nearly a model: sizes that add up, but not to a possible mesh.
TEST(sums_alone_do_not_make_a_model)
{
    uint8_t file[64] = {0, 0, 0, 1, 0, 0, 0, 56};
    CHECK_STR(format_of(file, sizeof file), "format");  // The mesh takes 36 of its 56 bytes.
    file[11] = 20;                                      // With 20 bytes of vertices it adds up.
    CHECK_STR(format_of(file, sizeof file), "modeldata");
    file[3] = 2;
    CHECK_STR(format_of(file, sizeof file), "format");
    const uint8_t small[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0};
    CHECK_STR(format_of(small, sizeof small), "format");  // Parts smaller than any mesh.
}

// Names of which one character takes two bytes, of two joints without meshes, and of an animation
// without a skeleton. Their sizes may count bytes or characters, but nothing else.
TEST(names_without_meshes_count_bytes_or_characters)
{
    enum { NAME = 3, JOINT = 136 + NAME, SIZES = 16 + 4, JOINTS = SIZES + 2 * 4 };
    static const char name[NAME + 1] = "\xc3\x9f!";
    uint8_t file[JOINTS + 2 * JOINT] = {[3] = 4, [6] = 1, [7] = 4 + 8 + 2 * JOINT - 256, [19] = 2};
    memset(file + JOINTS, 0xff, 2 * JOINT);  // Not a part of a character.
    for (int i = 0; i < 2; i++) memcpy(file + JOINTS + i * JOINT + 8, name, NAME);
    for (uint8_t first = 0; first < 6; first++)
        for (uint8_t second = 0; second < 6; second++) {
            bool is_one = first + second == 2 * NAME || (first == NAME - 1 && second == NAME - 1);
            file[SIZES + 3] = first, file[SIZES + 7] = second;
            CHECK_STR(format_of(file, sizeof file), is_one ? "modeldata" : "format");
            file[SIZES + 3] += 136, file[SIZES + 7] += 136;  // Of joints, as the document has it.
            CHECK_STR(format_of(file, sizeof file), is_one ? "modeldata" : "format");
        }
    file[SIZES + 3] = file[SIZES + 7] = 135;
    CHECK_STR(format_of(file, sizeof file), "format");
    uint8_t clip[16 + 16 + NAME] = {[11] = 1, [15] = 16 + NAME};
    memcpy(clip + 32, name, NAME);
    for (uint8_t size = 0; size < 6; size++) {
        bool is_one = size == NAME || size == NAME - 1;
        clip[16 + 3] = size;
        CHECK_STR(format_of(clip, sizeof clip), is_one ? "modeldata" : "format");
    }
    clip[32 + 1] = '!';  // This is not UTF-8, so that its characters cannot be counted.
    clip[16 + 3] = NAME - 1;
    CHECK_STR(format_of(clip, sizeof clip), "format");
}

// A file of zeros, however long, is refused quickly.
TEST(zeros_are_refused_at_once)
{
    size_t size = (size_t)64 << 20;
    uint8_t *zeros = calloc(size, 1);
    if (!zeros) return;
    CHECK_STR(format_of(zeros, size), "format");
    memset(zeros + 3, 1, 1);
    CHECK_STR(format_of(zeros, size), "format");
    free(zeros);
}

// The third word of a file with four meshes, and zeros after it, look like an empty animated
// model.
TEST(four_meshes_are_not_an_animated_model)
{
    blob file = {0};
    const uint8_t head[] = {0, 0, 0, 4, 0, 0, 0, 36, 0, 0, 0, 36, 0, 0, 0, 36, 0, 0, 0, 36};
    const uint8_t meshes[4 * 36] = {0};
    blob_add(&file, head, sizeof head);
    blob_add(&file, meshes, sizeof meshes);
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    CHECK(doc && !tenon_as_modeldata(doc)->is_animated && tenon_as_modeldata(doc)->mesh_count == 4);
    tenon_doc_free(doc);
    blob_free(&file);
}

TEST(the_kind_can_be_forced)
{
    blob file = blob_load(STATIC);
    tenon_error err;
    const tenon_read_opts opts = {.format = "modeldata", .dialect = "cea"};
    CHECK(tenon_read(file.data, file.size, &opts, &err) == NULL);
    CHECK(err.code == TENON_ERR_TRUNCATED);
    blob_free(&file);
    tenon_modeldata *doc = open_as(STATIC, "cem");
    CHECK_STR(doc->base.dialect->name, "cem");
    tenon_doc_free(&doc->base);
}

TEST(a_cut_file_is_read_as_what_it_was)
{
    blob file = blob_load(ANIMATED);
    tenon_error err;
    const tenon_read_opts opts = {.format = "modeldata", .partial = true};
    tenon_doc *doc = tenon_read(file.data, file.size - 4, &opts, &err);
    CHECK(doc && err.code == TENON_ERR_TRUNCATED);
    CHECK_STR(err.path, "animations[0]");
    if (!doc) return;
    tenon_modeldata *model = tenon_as_modeldata(doc);
    CHECK(model->is_animated && model->mesh_count == 1 && model->joint_count == 2);
    CHECK(model->animation_count == 0);
    CHECK(tenon_finalize(doc, &err));
    blob whole = blob_written(doc);
    CHECK(maps_whole(&whole));
    tenon_doc_free(doc);
    blob_free(&whole);
    blob_free(&file);
}

// -- What was read

TEST(a_static_document_holds_what_the_file_says)
{
    tenon_modeldata *doc = open_copy(STATIC);
    const tenon_modeldata_mesh *m = &doc->meshes[0];
    static const uint64_t counts[] = {3, 3, 3, 3, 0, 0, 3};
    static const uint32_t sizes[] = {36, 24, 36, 36, 0, 0, 12};
    CHECK(!doc->is_animated && doc->mesh_count == 1 && doc->mesh_sizes[0] == 292);
    for (int i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) {
        CHECK(m->arrays[i].count == counts[i] && m->array_sizes[i] == sizes[i]);
        CHECK(m->arrays[i].big_endian);
    }
    CHECK(f32_at(&m->arrays[TENON_MODELDATA_VERTICES], 3) == 2);
    CHECK(m->material_size == 103 && m->size_factor == 1);
    CHECK(m->material.default_tiling == 0 && m->material.tiling == 2);
    CHECK(m->material.diffuse_color[1] == 0.25f && m->material.glow_color[2] == 0.5f);
    CHECK(m->material.shininess == 0.75f && m->material.shine_damping == 16);
    CHECK(text_is(m->material.maps[TENON_MODELDATA_DIFFUSE_MAP], "d.png"));
    CHECK(text_is(m->material.maps[TENON_MODELDATA_AMBIENT_OCCLUSION_MAP], "ao.png"));
    CHECK(text_is(m->material.maps[TENON_MODELDATA_GLOW_MAP], "g.png"));
    CHECK(text_is(m->collision_shape, "box/1/2/1"));
    tenon_doc_free(&doc->base);
}

TEST(an_animated_document_holds_what_the_file_says)
{
    tenon_modeldata *doc = open_copy(ANIMATED);
    CHECK(doc->is_animated == 1 && doc->joint_count == 2 && doc->animation_count == 1);
    const tenon_modeldata_joint *jib = &doc->joints[1];
    CHECK(jib->index == 1 && jib->parent_index == 0 && text_is(jib->name, "jib"));
    CHECK(jib->inverse_bind_matrix[7] == -2 && jib->bind_local_pose[7] == 2);
    CHECK(doc->joints[0].parent_index == -1 && doc->joint_sizes[0] == 4);
    const tenon_modeldata_animation *a = &doc->animations[0];
    CHECK(text_is(a->name, "slew") && a->position_list_count == 2 && a->scale_list_count == 2);
    CHECK(a->positions[0].keys.count == 2 && a->positions[1].keys.count == 0);
    CHECK(f32_at(&a->positions[0].keys, 4) == 36 && f32_at(&a->positions[0].keys, 6) == 0.5f);
    CHECK(a->rotations[1].keys.layout->stride == 20 && f32_at(&a->rotations[1].keys, 5) == 12);
    CHECK(a->scales[1].keys.count == 1 && f32_at(&a->scales[1].keys, 1) == 1);
    CHECK(doc->meshes[0].arrays[TENON_MODELDATA_JOINT_IDS].data[16 + 3] == 1);
    tenon_doc_free(&doc->base);
}

TEST(what_is_absent_is_empty_and_not_null)
{
    tenon_modeldata *doc = open_copy(FOLDER "current_minimal.cem");
    CHECK_STR(doc->meshes[0].collision_shape.data, "");
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++)
        CHECK_STR(doc->meshes[0].material.maps[i].data, "");
    tenon_doc_free(&doc->base);
}

TEST(leftovers_are_kept)
{
    tenon_modeldata *doc = open_copy(FOLDER "current_leftovers.cea");
    CHECK(doc->meshes[0].material.leftover.size == 2 && doc->meshes[1].leftover.size == 1);
    CHECK(doc->skeleton_leftover.size == 5 && doc->animations[0].leftover.size == 1);
    tenon_doc_free(&doc->base);
    doc = open_copy(FOLDER "current_odd_arrays.cem");
    CHECK(doc->meshes[0].array_leftovers[TENON_MODELDATA_VERTICES].size == 4);
    CHECK(doc->meshes[0].array_leftovers[TENON_MODELDATA_INDICES].size == 1);
    tenon_doc_free(&doc->base);
}

TEST(info_says_what_is_in_the_crane)
{
    tenon_info info;
    tenon_doc *doc = tenon_read_file("samples/crane.cea", NULL, NULL);
    CHECK(doc && tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, NULL));
    if (!doc) return;
    CHECK(info.meshes == 17 && info.vertices == 578 && info.triangles == 348 && info.joints == 19);
    CHECK(info.animations == 2 && info.materials == 17 && info.fact_count == 6 + 9);
    CHECK(info.clip_count == 2 && info.clips[0].seconds < 0 && info.clips[0].channels == 12);
    CHECK_STR(info.clips[1].name.data, "lift");
    CHECK_STR(info.material_list[0].texture.data, "crane.png");
    CHECK(info.has_bounds && info.bounds_min[1] == 0 && info.material_count == 17);
    CHECK_STR(info.version, "cea");
    CHECK_STR(info.facts[1].text, "48 ticks with 58 keys, 36 ticks with 35 keys");
    CHECK_STR(info.facts[4].text, "mesh 1: diffuse_color 0.25 0.27 0.3, glow_color 0 0 0, "
                                  "shininess 0.6, shine_damping 48, others default");
    CHECK_STR(info.facts[11].text, "and of 9 more");
    tenon_info_free(&info);
    tenon_doc_free(doc);
    tenon_modeldata *model = open_copy(STATIC);
    CHECK(tenon_doc_info(&model->base, NULL, &info, NULL) && !info.has_bounds);
    CHECK_STR(info.facts[3].text,
              "mesh 0: diffuse_color 0.5 0.25 0.125, glow_color 0 0 0.5, "
              "displacement_factor 0.01, tiling 2, shininess 0.75, shine_damping 16");
    CHECK_STR(info.facts[4].text, "1 box");
    tenon_info_free(&info);
    tenon_doc_free(&model->base);
}

// -- Editing: exactly the bytes of the field change

typedef struct edit {
    const char *file;
    const char *path;
    void (*make)(tenon_modeldata *doc);
    const char *bytes;
    uint64_t size;
} edit;

// Spans point into the input and are constant: to change one, allocate new bytes.
static uint8_t *own_bytes(tenon_modeldata *doc, tenon_span *span)
{
    uint8_t *bytes = tenon_doc_alloc(&doc->base, (size_t)span->size);
    if (!bytes) abort();
    span->data = memcpy(bytes, span->data, (size_t)span->size);
    return bytes;
}

static void set_vertex(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_VERTICES])[12] = 0xAA;
}

static void set_uv(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_TEXTURE_COORDINATES])[8] = 0xA1;
}

static void set_normal(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_NORMALS])[24] = 0xA2;
}

static void set_tangent(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_TANGENTS])[0] = 0xA3;
}

static void set_joint_id(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_JOINT_IDS])[16] = 0xA4;
}

static void set_weight(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_WEIGHTS])[32] = 0xA5;
}

static void set_index(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->meshes[0].arrays[TENON_MODELDATA_INDICES])[11] = 9;
}

static void set_flag(tenon_modeldata *doc)
{
    doc->meshes[0].material.default_tiling = 1;
}

static void set_color(tenon_modeldata *doc)
{
    doc->meshes[0].material.glow_color[0] = -2;
}

static void set_map(tenon_modeldata *doc)
{
    doc->meshes[0].material.maps[TENON_MODELDATA_GLOW_MAP] = (tenon_str){"x.jpg", 5};
}

static void set_damping(tenon_modeldata *doc)
{
    doc->meshes[0].material.shine_damping = 1;
}

static void set_shape_text(tenon_modeldata *doc)
{
    doc->meshes[0].collision_shape = (tenon_str){"box/4/5/6", 9};
}

static void set_joint_index(tenon_modeldata *doc)
{
    doc->joints[1].index = -2;
}

static void set_parent(tenon_modeldata *doc)
{
    doc->joints[0].parent_index = 1;
}

static void set_joint_name(tenon_modeldata *doc)
{
    doc->joints[0].name = (tenon_str){"m\0st", 4};
}

static void set_matrix(tenon_modeldata *doc)
{
    doc->joints[1].bind_local_pose[15] = 2;
}

static void set_animation_name(tenon_modeldata *doc)
{
    doc->animations[0].name = (tenon_str){"wels", 4};
}

static void set_position(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->animations[0].positions[0].keys)[16] = 0xBA;
}

static void set_key(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->animations[0].rotations[1].keys)[20] = 0xBB;
}

static void set_scale(tenon_modeldata *doc)
{
    own_bytes(doc, &doc->animations[0].scales[1].keys)[4] = 0xCC;
}

static const edit edits[] = {
    {STATIC, "meshes[0].vertices[1]", set_vertex, "\xAA\0\0\0\0\0\0\0\0\0\0\0", 12},
    {STATIC, "meshes[0].texture_coordinates[1]", set_uv, "\xA1\x80\0\0\0\0\0\0", 8},
    {STATIC, "meshes[0].normals[2]", set_normal, "\xA2\0\0\0\0\0\0\0\x3F\x80\0\0", 12},
    {STATIC, "meshes[0].tangents[0]", set_tangent, "\xA3\x80\0\0\0\0\0\0\0\0\0\0", 12},
    {ANIMATED, "meshes[0].joint_ids[1]", set_joint_id, "\xA4\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0", 16},
    {ANIMATED, "meshes[0].weights[2]", set_weight, "\xA5\x80\0\0\x3F\x40\0\0\0\0\0\0\0\0\0\0", 16},
    {STATIC, "meshes[0].indices[2]", set_index, "\0\0\0\x09", 4},
    {STATIC, "meshes[0].material.default_tiling", set_flag, "\1", 1},
    {STATIC, "meshes[0].material.glow_color", set_color, "\xC0\0\0\0\0\0\0\0\x3F\0\0\0", 12},
    {STATIC, "meshes[0].material.glow_map", set_map, "x.jpg", 5},
    {STATIC, "meshes[0].material.shine_damping", set_damping, "\x3F\x80\0\0", 4},
    {STATIC, "meshes[0].collision_shape", set_shape_text, "box/4/5/6", 9},
    {ANIMATED, "joints[1].index", set_joint_index, "\xFF\xFF\xFF\xFE", 4},
    {ANIMATED, "joints[0].parent_index", set_parent, "\0\0\0\1", 4},
    {ANIMATED, "joints[0].name", set_joint_name, "m\0st", 4},
    {ANIMATED, "joints[1].bind_local_pose", set_matrix,
     "\x3F\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x3F\x80\0\0\0\0\0\0\x40\0\0\0"
     "\0\0\0\0\0\0\0\0\x3F\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\0\0",
     64},
    {ANIMATED, "animations[0].name", set_animation_name, "wels", 4},
    {ANIMATED, "animations[0].positions[0][1].time", set_position, "\xBA\x10\0\0", 4},
    {ANIMATED, "animations[0].rotations[1][1].time", set_key, "\xBB\x40\0\0", 4},
    {ANIMATED, "animations[0].scales[1][0].vec", set_scale, "\xCC\x80\0\0\x3F\x80\0\0\x3F\x80\0\0",
     12},
};

TEST(an_edit_changes_the_bytes_of_its_field_and_no_others)
{
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const edit *e = &edits[i];
        uint64_t offset = 0, size = 0;
        tenon_modeldata *doc = open_copy(e->file);
        e->make(doc);
        CHECK(tenon_locate(&doc->base, e->path, &offset, &size) && size == e->size);
        blob want = blob_load(e->file), got = blob_written(&doc->base);
        CHECK(memcmp(want.data + offset, e->bytes, (size_t)e->size) != 0);
        memcpy(want.data + offset, e->bytes, (size_t)e->size);
        CHECK(blob_same(&got, &want));
        tenon_doc_free(&doc->base);
        blob_free(&got);
        blob_free(&want);
    }
}

TEST(stale_sizes_are_refused_until_finalized)
{
    tenon_modeldata *doc = open_copy(ANIMATED);
    tenon_error err;
    blob before = blob_load(ANIMATED);
    doc->joints[0].name = (tenon_str){"mainmast", 8};
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT && err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, "joints[0].name");
    doc->meshes[0].material.maps[TENON_MODELDATA_NORMAL_MAP] = (tenon_str){"n.png", 5};
    doc->animations[0].position_list_count = 1;
    CHECK(tenon_finalize(&doc->base, &err));
    CHECK(doc->joint_sizes[0] == 8 && doc->meshes[0].material.map_sizes[1] == 5);
    blob after = blob_written(&doc->base);
    CHECK(after.size == before.size + 4 + 5 - 4 && maps_whole(&after));
    tenon_doc_free(&doc->base);
    blob_free(&after);
    blob_free(&before);
}

TEST(a_material_can_be_added_and_removed)
{
    tenon_modeldata *doc = open_copy(FOLDER "current_minimal.cem");
    doc->meshes[0].material_size = 1;  // Whatever it is: there is one now.
    CHECK(tenon_finalize(&doc->base, NULL) && doc->meshes[0].material_size == 62);
    doc->meshes[0].material_size = 0;
    CHECK(tenon_finalize(&doc->base, NULL));
    blob before = blob_load(FOLDER "current_minimal.cem"), after = blob_written(&doc->base);
    CHECK(blob_same(&before, &after));
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

TEST(a_name_too_long_for_its_size_is_refused)
{
    static char name[INT16_MAX + 2];
    tenon_modeldata *doc = open_copy(STATIC);
    tenon_error err;
    memset(name, 'x', sizeof name - 1);
    doc->meshes[0].material.maps[0] = (tenon_str){name, INT16_MAX + 1};
    CHECK(!tenon_finalize(&doc->base, &err) && err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "the name of a texture has the size 32768, the limit is 32767");
    // A change reports it before anything is changed.
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.dialect = "cea"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED && !doc->is_animated);
    tenon_doc_free(&doc->base);
}

// -- Dialects

typedef struct loss_log {
    uint32_t calls;
    char text[400];
} loss_log;

static void note_loss(void *user, const tenon_loss *loss)
{
    loss_log *log = user;
    size_t used = strlen(log->text);
    log->calls++;
    snprintf(log->text + used, sizeof log->text - used, "%s%s %s %u", used ? "; " : "",
             tenon_loss_word(loss->kind), loss->feature, (unsigned)loss->count);
}

// `path` in another dialect, and the losses.
static blob changed(const char *path, const char *dialect, loss_log *log)
{
    tenon_modeldata *doc = open_copy(path);
    tenon_error err;
    *log = (loss_log){0};
    const tenon_change_opts opts = {.dialect = dialect, .events = {log, .on_loss = note_loss}};
    CHECK(tenon_change(&doc->base, &opts, &err));
    CHECK_STR(doc->base.dialect->name, dialect);
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    return file;
}

static void check_changed(const char *from, const char *dialect, const char *to)
{
    loss_log log;
    blob got = changed(from, dialect, &log), want = blob_load(to);
    CHECK(blob_same(&got, &want));
    CHECK_STR(log.text, "");
    blob_free(&got);
    blob_free(&want);
}

// The Python packer made each of these in both dialects.
TEST(dialects_are_repaired_and_written)
{
    check_changed(FOLDER "characters_full.cea", "characters", FOLDER "characters_full.cea");
    check_changed(FOLDER "legacy-characters_map.cem", "characters", FOLDER "characters_map.cem");
    check_changed(FOLDER "characters_map.cem", "legacy-characters",
                  FOLDER "legacy-characters_map.cem");
    check_changed(STATIC, "cem", STATIC);
    check_changed(STATIC, "document", STATIC);
    check_changed(ANIMATED, "cea", ANIMATED);
    static const char *const there_and_back[][2] = {
        {"legacy_both.cem", "legacy"},
        {"legacy_material.cea", "legacy"},
        {"characters_map.cem", "characters"},
        {"characters_full.cea", "characters"},
        {"document_full.cea", "document"},
        {"document_utf8.cea", "document"},
        {"legacy-characters_map.cem", "legacy-characters"},
    };
    for (size_t i = 0; i < sizeof there_and_back / sizeof there_and_back[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, FOLDER "%s", there_and_back[i][0]);
        blob before = blob_load(path);
        tenon_modeldata *doc = open_copy(path);
        tenon_change_opts opts = {.dialect = "current"};
        CHECK(tenon_change(&doc->base, &opts, NULL));
        blob current = blob_written(&doc->base);
        CHECK(!blob_same(&current, &before));
        tenon_doc *again = tenon_read(current.data, current.size, NULL, NULL);
        CHECK(again && !again->also);
        if (again) CHECK_STR(again->dialect->name, "current");
        opts.dialect = there_and_back[i][1];
        CHECK(again && tenon_change(again, &opts, NULL));
        blob after = blob_written(again);
        CHECK(blob_same(&after, &before));
        tenon_doc_free(again);
        tenon_doc_free(&doc->base);
        blob_free(&after);
        blob_free(&current);
        blob_free(&before);
    }
}

TEST(a_change_drops_leftovers_and_says_so)
{
    loss_log log;
    blob file = changed(FOLDER "current_leftovers.cea", "document", &log);
    CHECK_STR(log.text, "dropped leftover bytes 9");
    blob_free(&file);
    file = changed(FOLDER "current_odd_arrays.cem", "cem", &log);
    CHECK_STR(log.text, "dropped leftover bytes 13");
    CHECK(maps_whole(&file));
    blob_free(&file);
}

TEST(a_static_model_loses_what_moves)
{
    loss_log log;
    blob file = changed(ANIMATED, "cem", &log);
    CHECK_STR(log.text, "dropped skins 1; dropped joints 2; dropped animations 1");
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    CHECK(doc && !tenon_as_modeldata(doc)->is_animated);
    if (doc) CHECK(tenon_as_modeldata(doc)->meshes[0].arrays[TENON_MODELDATA_WEIGHTS].count == 0);
    tenon_doc_free(doc);
    blob_free(&file);
}

// What no joint moves stays where it is.
TEST(a_static_model_keeps_vertices_without_weights)
{
    tenon_modeldata *doc = open_copy(ANIMATED);
    const tenon_span *vertices = &doc->meshes[0].arrays[TENON_MODELDATA_VERTICES];
    tenon_span *weights = &doc->meshes[0].arrays[TENON_MODELDATA_WEIGHTS];
    uint8_t *changed = tenon_doc_alloc(&doc->base, (size_t)weights->size), before[12];
    if (!changed) abort();
    memcpy(before, vertices->data + 12, 12);
    CHECK(memcmp(before, (uint8_t[12]){0}, 12) != 0);
    weights->data = memcpy(changed, weights->data, (size_t)weights->size);
    size_t each = (size_t)weights->layout->stride;
    memset(changed + each, 0, each);  // Those of the second vertex.
    CHECK(tenon_change(&doc->base, &(tenon_change_opts){.dialect = "cem"}, NULL));
    CHECK(memcmp(vertices->data + 12, before, 12) == 0);
    tenon_doc_free(&doc->base);
}

TEST(an_animated_model_gets_a_root_joint)
{
    loss_log log;
    blob file = changed(STATIC, "cea", &log);
    CHECK_STR(log.text, "synthesized skeleton 1");
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    CHECK(doc != NULL);
    if (!doc) return;
    tenon_modeldata *model = tenon_as_modeldata(doc);
    const tenon_span *weights = &model->meshes[0].arrays[TENON_MODELDATA_WEIGHTS];
    CHECK(model->joint_count == 1 && model->joints[0].bind_local_pose[10] == 1);
    CHECK(weights->count == 3 && f32_at(weights, 4) == 1 && f32_at(weights, 5) == 0);
    tenon_check_result result;
    const tenon_check_opts check = {.profile = "coreengine"};
    CHECK(tenon_check(doc, &check, NULL, NULL, &result, NULL) && result.errors == 0);
    tenon_doc_free(doc);
    blob_free(&file);
}

TEST(names_that_are_not_utf8_have_no_count_of_characters)
{
    tenon_modeldata *doc = open_copy(FOLDER "current_latin1.cea");
    tenon_error err;
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.dialect = "characters"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "cannot count the characters of 'Fu?', which is not UTF-8");
    blob before = blob_load(FOLDER "current_latin1.cea"), after = blob_written(&doc->base);
    CHECK(blob_same(&before, &after));
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

TEST(a_count_of_characters_can_be_stale)
{
    tenon_modeldata *doc = open_copy(FOLDER "characters_full.cea");
    tenon_error err;
    doc->joints[0].name = (tenon_str){"ab", 2};  // Two characters, as before.
    doc->skeleton_size -= 4;
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) != TENON_ABSENT);
    doc->joints[0].name = (tenon_str){"abc", 3};
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT && err.code == TENON_ERR_VALUE);
    CHECK_STR(err.message, "'name' does not have the 2 characters that its size says");
    CHECK(tenon_finalize(&doc->base, NULL) && doc->joint_sizes[0] == 3);
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) != TENON_ABSENT);
    tenon_doc_free(&doc->base);
}

TEST(a_dump_cannot_contradict_its_dialect)
{
    tenon_modeldata *doc = open_as(FOLDER "current_no_skeleton.cea", "cea");
    tenon_error err;
    blob text = {0}, built = {0};
    CHECK(tenon_dump(&doc->base, blob_add, &text, &err));
    CHECK(tenon_build((char *)text.data, text.size, NULL, blob_add, &built, &err));
    blob_add(&text, "", 1);
    char *dialect = strstr((char *)text.data, "\"cea\"");
    CHECK(dialect != NULL);
    if (dialect) memcpy(dialect, "\"cem\"", 5);
    CHECK(!tenon_build((char *)text.data, text.size - 1, NULL, NULL, NULL, &err));
    CHECK(err.code == TENON_ERR_VALUE && err.line > 1);
    CHECK_STR(err.message, "'is_animated' is 1, which this dialect does not allow");
    tenon_doc_free(&doc->base);
    blob_free(&text);
    blob_free(&built);
}

int main(void)
{
    RUN(an_empty_model_is_accepted_only_if_forced);
    RUN(sums_alone_do_not_make_a_model);
    RUN(names_without_meshes_count_bytes_or_characters);
    RUN(zeros_are_refused_at_once);
    RUN(four_meshes_are_not_an_animated_model);
    RUN(the_kind_can_be_forced);
    RUN(a_cut_file_is_read_as_what_it_was);
    RUN(a_static_document_holds_what_the_file_says);
    RUN(an_animated_document_holds_what_the_file_says);
    RUN(what_is_absent_is_empty_and_not_null);
    RUN(leftovers_are_kept);
    RUN(info_says_what_is_in_the_crane);
    RUN(an_edit_changes_the_bytes_of_its_field_and_no_others);
    RUN(stale_sizes_are_refused_until_finalized);
    RUN(a_material_can_be_added_and_removed);
    RUN(a_name_too_long_for_its_size_is_refused);
    RUN(dialects_are_repaired_and_written);
    RUN(a_change_drops_leftovers_and_says_so);
    RUN(a_static_model_loses_what_moves);
    RUN(a_static_model_keeps_vertices_without_weights);
    RUN(an_animated_model_gets_a_root_joint);
    RUN(names_that_are_not_utf8_have_no_count_of_characters);
    RUN(a_count_of_characters_can_be_stale);
    RUN(a_dump_cannot_contradict_its_dialect);
    TEST_END();
}
