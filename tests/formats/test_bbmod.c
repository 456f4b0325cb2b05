// test_bbmod.c: BBMOD models and animations through the public API: what is in them, editing them,
// rules that need more than the file, and real files.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../real_files.h"
#include "model_help.h"

#include <tenon/bbmod.h>
#include <tenon/files.h>

#include <dirent.h>

#define MODELS     "tests/fixtures/bbmod/"
#define ANIMATIONS "tests/fixtures/bbanim/"

// A document that owns its memory: the buffer it was read from is gone.
static tenon_doc *open_copy(const char *path)
{
    blob file = blob_load(path);
    tenon_error err;
    tenon_doc *doc = tenon_read(file.data, file.size, &(tenon_read_opts){.copy = true}, &err);
    if (file.size) memset(file.data, 0xEE, file.size);
    blob_free(&file);
    if (doc) return doc;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

// -- What was read

TEST(a_model_holds_what_the_file_says)
{
    tenon_bbmod *doc = tenon_as_bbmod(open_copy(MODELS "3.4_full.bbmod"));
    CHECK(doc->version_major == 3 && doc->version_minor == 4 && doc->mesh_count == 1);
    const tenon_bbmod_mesh *mesh = &doc->meshes[0];
    CHECK(mesh->primitive_type == TENON_BBMOD_TRIANGLES && mesh->bbox_max[0] == 2);
    CHECK(mesh->vertices.count == 3 && mesh->vertices.layout->stride == 96);
    CHECK(mesh->vertices.layout->element_count == 9);
    CHECK(doc->node_count == 2 && doc->root.child_count == 1 && doc->root.meshes.count == 1);
    CHECK_STR(doc->root.children[0].name.data, "bone");
    CHECK(doc->root.children[0].is_bone == 1 && doc->bones.count == 1);
    CHECK(doc->material_count == 2);
    CHECK_STR(doc->material_names[1].data, "steel");
    tenon_doc_free(&doc->base);
}

TEST(the_variants_of_version_1_are_recognized)
{
    static const struct {
        const char *path, *dialect;
        uint32_t column_vectors;
    } cases[] = {
        {MODELS "1a_skinned.bbmod", "1a", 1},
        {MODELS "1b_skinned.bbmod", "1b", 0},
        {MODELS "1b_unnamed.bbmod", "1b", 1},
        {MODELS "1a-boneless_static.bbmod", "1a-boneless", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_bbmod *doc = tenon_as_bbmod(open_copy(cases[i].path));
        CHECK_STR(doc->base.dialect->name, cases[i].dialect);
        CHECK(doc->column_vectors == cases[i].column_vectors && !doc->base.also);
        tenon_doc_free(&doc->base);
    }
}

TEST(an_animation_holds_what_the_file_says)
{
    tenon_bbanim *doc = tenon_as_bbanim(open_copy(ANIMATIONS "3.4_spaces_7.bbanim"));
    CHECK(doc->spaces == 7 && doc->duration == 2 && doc->tics_per_second == 10);
    CHECK(doc->model_node_count == 5 && doc->model_bone_count == 2);
    CHECK(doc->frame_count == 2 && doc->frames.count == 2 && doc->frames.layout->stride == 384);
    const tenon_element *bone = &doc->frames.layout->elements[2];
    CHECK_STR(bone->name, "bone");
    CHECK(bone->rows == 2 && bone->count == 8 && bone->offset == 320);
    tenon_doc_free(&doc->base);
    doc = tenon_as_bbanim(open_copy(ANIMATIONS "2_root.bbanim"));
    CHECK(doc->channel_count == 3 && doc->channels[2].index == 2);
    CHECK(doc->channels[1].positions.count == 2 && doc->channels[1].rotations.count == 3);
    tenon_doc_free(&doc->base);
    doc = tenon_as_bbanim(open_copy(ANIMATIONS "3.2_events.bbanim"));
    CHECK(doc->has_events == 1 && doc->event_count == 2 && doc->events[1].frame == 1);
    CHECK_STR(doc->events[0].name.data, "start");
    tenon_doc_free(&doc->base);
}

// -- Editing: one value in every kind of object

typedef struct edit {
    const char *file, *path;
    void (*make)(tenon_doc *doc);
} edit;

// Spans point into the input and are constant: to change one, allocate new bytes.
static void flip(tenon_doc *doc, tenon_span *span, uint64_t at)
{
    uint8_t *bytes = tenon_doc_alloc(doc, (size_t)span->size);
    if (!bytes) abort();
    memcpy(bytes, span->data, (size_t)span->size);
    bytes[at] ^= 0x41;
    span->data = bytes;
}

static void set_version(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->version_minor = 3;
}

static void set_material_index(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->meshes[0].material_index = 1;
}

static void set_box(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->meshes[0].bbox_max[1] = 42;
}

static void set_flag(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->meshes[0].vertex_format.normals = 7;
}

static void set_primitive(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->meshes[0].primitive_type = TENON_BBMOD_TRIANGLE_FAN;
}

static void set_weight(tenon_doc *doc)
{
    tenon_bbmod *model = tenon_as_bbmod(doc);
    flip(doc, &model->meshes[0].vertices, 96 + 76 + 3);
}

static void set_node_name(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->root.name = (tenon_str){"ROOT", 4};
}

static void set_node_index(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->root.children[0].index = 9;
}

static void set_is_bone(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->root.is_bone = 1;
}

static void set_transform(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->root.transform[7] = 0.5f;
}

static void set_reference(tenon_doc *doc)
{
    flip(doc, &tenon_as_bbmod(doc)->root.meshes, 0);
}

static void set_node_count(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->node_count = 77;
}

static void set_offset(tenon_doc *doc)
{
    flip(doc, &tenon_as_bbmod(doc)->bones, 10);
}

static void set_material_name(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->material_names[1] = (tenon_str){"brass", 5};
}

static void set_common_flag(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->vertex_format.normals = 3;
}

static void set_inverse(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->inverse_transform[12] = 3;
}

static void set_v0_vertex(tenon_doc *doc)
{
    flip(doc, &tenon_as_bbmod(doc)->meshes[0].vertices, 5);
}

static void set_v1_name(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->v1_root.children[0].name = (tenon_str){"BODY", 4};
}

static void set_v1_mesh(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->v1_root.children[0].meshes[0].material_index = 5;
}

static void set_v1_bone(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->v1_skeleton.children[0].index = 7;
}

static void set_v1_offset(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->v1_skeleton.children[0].offset[3] = 7;
}

static void set_v1_materials(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->material_count = 9;
}

static void set_index_text(tenon_doc *doc)
{
    tenon_as_bbmod(doc)->root.index_text = (tenon_str){"7", 1};
}

static void set_spaces(tenon_doc *doc)
{
    tenon_as_bbanim(doc)->spaces |= 8;
}

static void set_duration(tenon_doc *doc)
{
    tenon_as_bbanim(doc)->duration = 1.5;
}

static void set_rate(tenon_doc *doc)
{
    tenon_as_bbanim(doc)->tics_per_second = 24;
}

static void set_frame(tenon_doc *doc)
{
    flip(doc, &tenon_as_bbanim(doc)->frames, 384 + 320 + 32 + 3);
}

static void set_event_frame(tenon_doc *doc)
{
    tenon_as_bbanim(doc)->events[1].frame = 0.25;
}

static void set_event_name(tenon_doc *doc)
{
    tenon_as_bbanim(doc)->events[0].name = (tenon_str){"START", 5};
}

static void set_channel(tenon_doc *doc)
{
    tenon_as_bbanim(doc)->channels[1].index = 4;
}

static void set_position_key(tenon_doc *doc)
{
    flip(doc, &tenon_as_bbanim(doc)->channels[1].positions, 20 + 6);
}

static void set_rotation_key(tenon_doc *doc)
{
    flip(doc, &tenon_as_bbanim(doc)->channels[0].rotations, 24 + 8);
}

static const edit edits[] = {
    {MODELS "3.4_full.bbmod", "version_minor", set_version},
    {MODELS "3.4_full.bbmod", "meshes[0].material_index", set_material_index},
    {MODELS "3.4_full.bbmod", "meshes[0].bbox_max", set_box},
    {MODELS "3.4_full.bbmod", "meshes[0].vertex_format.normals", set_flag},
    {MODELS "3.4_full.bbmod", "meshes[0].primitive_type", set_primitive},
    {MODELS "3.4_full.bbmod", "meshes[0].vertices[1].bone_weights", set_weight},
    {MODELS "3.4_full.bbmod", "node_count", set_node_count},
    {MODELS "3.4_full.bbmod", "root.name", set_node_name},
    {MODELS "3.4_full.bbmod", "root.children[0].index", set_node_index},
    {MODELS "3.4_full.bbmod", "root.is_bone", set_is_bone},
    {MODELS "3.4_full.bbmod", "root.transform", set_transform},
    {MODELS "3.4_full.bbmod", "root.meshes[0]", set_reference},
    {MODELS "3.4_full.bbmod", "bones[0].offset", set_offset},
    {MODELS "3.4_full.bbmod", "material_names[1]", set_material_name},
    {MODELS "3.0_full.bbmod", "vertex_format.normals", set_common_flag},
    {MODELS "3.1_full.bbmod", "meshes[0].bbox_max", set_box},
    {MODELS "2_skinned.bbmod", "inverse_transform", set_inverse},
    {MODELS "2_skinned.bbmod", "root.transform", set_transform},
    {MODELS "2_skinned.bbmod", "bones[0].offset", set_offset},
    {MODELS "1a_skinned.bbmod", "inverse_transform", set_inverse},
    {MODELS "1a_skinned.bbmod", "root.children[0].name", set_v1_name},
    {MODELS "1a_skinned.bbmod", "root.children[0].meshes[0].material_index", set_v1_mesh},
    {MODELS "1a_skinned.bbmod", "skeleton.children[0].index", set_v1_bone},
    {MODELS "1a_skinned.bbmod", "skeleton.children[0].offset", set_v1_offset},
    {MODELS "1a_skinned.bbmod", "material_count", set_v1_materials},
    {MODELS "0_full.bbmod", "meshes[0].vertices[0].position", set_v0_vertex},
    {MODELS "document_skinned.bbmod", "root.index", set_index_text},
    {MODELS "document_skinned.bbmod", "bones[0]", set_offset},
    {ANIMATIONS "3.4_spaces_7.bbanim", "spaces", set_spaces},
    {ANIMATIONS "3.4_spaces_7.bbanim", "duration", set_duration},
    {ANIMATIONS "3.4_spaces_7.bbanim", "tics_per_second", set_rate},
    {ANIMATIONS "3.4_spaces_7.bbanim", "frames[1].bone[1]", set_frame},
    {ANIMATIONS "3.4_events.bbanim", "events[1].frame", set_event_frame},
    {ANIMATIONS "3.4_events.bbanim", "events[0].name", set_event_name},
    {ANIMATIONS "3.2_events.bbanim", "events[0].name", set_event_name},
    {ANIMATIONS "2_root.bbanim", "channels[1].index", set_channel},
    {ANIMATIONS "2_root.bbanim", "channels[1].positions[1].time", set_position_key},
    {ANIMATIONS "2_root.bbanim", "channels[0].rotations[1].rotation", set_rotation_key},
    {ANIMATIONS "1_wave.bbanim", "channels[1].index", set_channel},
};

TEST(an_edit_changes_the_bytes_of_its_field_and_no_others)
{
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        blob before = blob_load(edits[i].file);
        tenon_doc *doc = open_copy(edits[i].file);
        uint64_t offset = 0, size = 0;
        edits[i].make(doc);
        CHECK(tenon_locate(doc, edits[i].path, &offset, &size) && size > 0);
        blob after = blob_written(doc);
        int failures = test_failures;
        CHECK(after.size == before.size && offset + size <= after.size);
        CHECK(memcmp(after.data + offset, before.data + offset, (size_t)size) != 0);
        memcpy(after.data + offset, before.data + offset, (size_t)size);
        CHECK(blob_same(&before, &after));
        if (failures != test_failures) fprintf(stderr, "%s: %s\n", edits[i].file, edits[i].path);
        tenon_doc_free(doc);
        blob_free(&before);
        blob_free(&after);
    }
}

TEST(what_does_not_fit_its_format_is_not_written)
{
    tenon_error err;
    tenon_bbmod *model = tenon_as_bbmod(open_copy(MODELS "3.4_full.bbmod"));
    model->meshes[0].vertex_format.normals = 0;
    CHECK(tenon_write(&model->base, NULL, NULL, &err) == TENON_ABSENT &&
          err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, "meshes[0].vertices");
    tenon_doc_free(&model->base);
    // Vertices without an attribute are a count, not records of zero bytes.
    model = tenon_as_bbmod(open_copy(MODELS "3.4_bare_vertices.bbmod"));
    CHECK(model->meshes[0].bare_vertex_count == UINT32_MAX && model->meshes[0].vertices.count == 0);
    model->meshes[0].vertices.count = 1;
    CHECK(tenon_write(&model->base, NULL, NULL, &err) == TENON_ABSENT &&
          err.code == TENON_ERR_VALUE);
    CHECK_STR(err.message, "'vertices' has 1 items, but the vertex format has no attributes");
    tenon_doc_free(&model->base);
    model = tenon_as_bbmod(open_copy(MODELS "document-byte_skinned.bbmod"));
    model->meshes[0].primitive_type = 256;
    CHECK(tenon_write(&model->base, NULL, NULL, &err) == TENON_ABSENT &&
          err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, "meshes[0].primitive_type");
    tenon_doc_free(&model->base);
    tenon_bbanim *animation = tenon_as_bbanim(open_copy(ANIMATIONS "3.4_spaces_7.bbanim"));
    animation->spaces = 1;
    CHECK(tenon_write(&animation->base, NULL, NULL, &err) == TENON_ABSENT);
    CHECK_STR(err.path, "frames");
    tenon_doc_free(&animation->base);
}

// -- Rules that need more than the file

typedef struct found {
    char rules[256];
    char message[192];  // Of the last one.
} found;

static void note_finding(void *user, const tenon_finding *finding)
{
    found *f = user;
    size_t size = strlen(f->rules);
    snprintf(f->rules + size, sizeof f->rules - size, "%s%s", size ? " " : "", finding->rule->id);
    snprintf(f->message, sizeof f->message, "%s", finding->message);
    CHECK(finding->offset != TENON_ABSENT);
}

static found check_with(tenon_doc *doc, tenon_check_opts opts)
{
    found f = {{0}, {0}};
    tenon_error err;
    CHECK(tenon_check(doc, &opts, note_finding, &f, NULL, &err));
    return f;
}

TEST(an_animation_is_checked_against_its_model)
{
    tenon_doc *model = open_copy(MODELS "3.4_skinned.bbmod");
    tenon_doc *other = open_copy(MODELS "3.4_full.bbmod");
    tenon_doc *animation = open_copy(ANIMATIONS "3.4_spaces_7.bbanim");
    CHECK_STR(check_with(animation, (tenon_check_opts){.model = model}).rules, "");
    found f = check_with(animation, (tenon_check_opts){.model = other});
    CHECK_STR(f.rules, "bbanim/model-nodes bbanim/model-bones");
    CHECK_STR(f.message, "the animation is for 2 bones, but the model has 1");
    set_frame(animation);
    f = check_with(animation, (tenon_check_opts){.model = model});
    CHECK(strstr(f.rules, "bbanim/spaces-differ") != NULL);
    tenon_doc_free(model);
    tenon_doc_free(other);
    tenon_doc_free(animation);
}

// Each count that does not fit is reported by its own rule, and by no other.
TEST(each_count_is_compared_with_that_of_the_model)
{
    tenon_doc *model = open_copy(MODELS "2_skinned.bbmod");
    tenon_bbanim *of_nodes = tenon_as_bbanim(open_copy(ANIMATIONS "2_wave.bbanim"));
    tenon_bbanim *of_bones = tenon_as_bbanim(open_copy(ANIMATIONS "1_wave.bbanim"));
    tenon_check_opts opts = {.model = model};
    CHECK_STR(check_with(&of_nodes->base, opts).rules, "");
    CHECK_STR(check_with(&of_bones->base, opts).rules, "");
    of_nodes->model_node_count = 6;
    of_bones->model_bone_count = 3;
    CHECK_STR(check_with(&of_nodes->base, opts).rules, "bbanim/model-nodes");
    CHECK_STR(check_with(&of_bones->base, opts).rules, "bbanim/model-bones");
    // A count of all ones is a number like any other.
    of_nodes->model_node_count = of_bones->model_bone_count = UINT32_MAX;
    CHECK(!tenon_bbanim_fits(of_nodes, tenon_as_bbmod(model)));
    CHECK(!tenon_bbanim_fits(of_bones, tenon_as_bbmod(model)));
    CHECK_STR(check_with(&of_nodes->base, opts).rules, "bbanim/model-nodes");
    CHECK_STR(check_with(&of_bones->base, opts).rules, "bbanim/model-bones");
    tenon_doc_free(&of_bones->base);
    tenon_doc_free(&of_nodes->base);
    tenon_doc_free(model);
}

TEST(each_limit_of_the_engine_has_its_own_rule)
{
    tenon_bbanim *doc = tenon_as_bbanim(open_copy(ANIMATIONS "3.4_empty.bbanim"));
    tenon_check_opts opts = {.profile = "bbmod"};
    doc->spaces = 0;
    doc->frames = (tenon_span){0};
    doc->model_node_count = doc->model_bone_count = 128;
    CHECK_STR(check_with(&doc->base, opts).rules, "");
    doc->model_node_count = 129;
    CHECK_STR(check_with(&doc->base, opts).rules, "bbanim/node-limit");
    doc->model_node_count = 128;
    doc->model_bone_count = 129;
    CHECK_STR(check_with(&doc->base, opts).rules, "bbanim/bone-limit");
    tenon_doc_free(&doc->base);
}

TEST(the_limits_of_the_engine_are_checked_on_demand)
{
    static const struct {
        const char *path, *rules;
    } cases[] = {
        {MODELS "3.4_static.bbmod", ""},
        {MODELS "2_skinned.bbmod", "bbmod/version"},
        {MODELS "0_full.bbmod", "bbmod/version"},
        {MODELS "document_static.bbmod", "bbmod/version"},
        {ANIMATIONS "2_wave.bbanim", "bbanim/version"},
        {ANIMATIONS "3.4_spaces_1.bbanim", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_doc *doc = open_copy(cases[i].path);
        CHECK_STR(check_with(doc, (tenon_check_opts){.profile = "bbmod"}).rules, cases[i].rules);
        tenon_doc_free(doc);
    }
    tenon_bbanim *animation = tenon_as_bbanim(open_copy(ANIMATIONS "3.4_spaces_0.bbanim"));
    animation->model_node_count = animation->model_bone_count = 129;
    found f = check_with(&animation->base, (tenon_check_opts){.profile = "bbmod"});
    CHECK_STR(f.rules, "bbanim/spaces-none bbanim/node-limit bbanim/bone-limit");
    CHECK_STR(f.message, "129 bones, but the runtime supports at most 128");
    tenon_doc_free(&animation->base);
}

TEST(the_crane_and_its_clips_belong_together)
{
    static const char *const clips[] = {"samples/crane_travel.bbanim", "samples/crane_lift.bbanim"};
    tenon_doc *model = open_copy("samples/crane.bbmod");
    tenon_check_opts opts = {
        .model = model, .profile = "bbmod", .model_path = "samples/crane.bbmod"};
    CHECK_STR(check_with(model, opts).rules, "");
    for (size_t i = 0; i < 2; i++) {
        tenon_doc *clip = open_copy(clips[i]);
        CHECK_STR(check_with(clip, opts).rules, "");
        tenon_doc_free(clip);
    }
    tenon_doc_free(model);
}

// 129 nodes, of which all but the root are bones.
static void grow_bones(tenon_bbmod *doc)
{
    uint32_t count = 129;
    tenon_bbmod_node *children = tenon_doc_alloc(&doc->base, count * sizeof *children);
    uint8_t *entries = tenon_doc_alloc(&doc->base, 36 * (size_t)count);
    if (!children || !entries) abort();
    for (uint32_t i = 0; i < count; i++) {
        float index = (float)i;
        children[i] = doc->root.children[0];
        children[i].index = index;
        memcpy(entries + 36 * i, doc->bones.data, 36);
        wire_copy(entries + 36 * i, &index, 1, 4);
    }
    doc->root.children = children;
    doc->root.child_count = count;
    doc->root.index = (float)count;
    doc->node_count = count + 1;
    doc->bones.data = entries;
    doc->bones.count = count;
    doc->bones.size = 36 * (uint64_t)count;
}

TEST(too_many_bones_and_nodes_are_reported)
{
    tenon_bbmod *doc = tenon_as_bbmod(open_copy(MODELS "3.4_full.bbmod"));
    grow_bones(doc);
    CHECK_STR(check_with(&doc->base, (tenon_check_opts){0}).rules, "");
    CHECK_STR(check_with(&doc->base, (tenon_check_opts){.profile = "bbmod"}).rules,
              "bbmod/node-limit bbmod/bone-limit");
    tenon_doc_free(&doc->base);
}

static void note_text(void *user, const tenon_finding *finding)
{
    if (strcmp(finding->rule->id, "bbmod/text-utf8") == 0) *(tenon_finding *)user = *finding;
}

// The path of a field that is too deep is that of an ancestor, and has an offset.
TEST(a_finding_deep_in_the_tree_has_a_place)
{
    enum { DEPTH = 40 };
    tenon_bbmod *doc = tenon_as_bbmod(open_copy(MODELS "3.4_full.bbmod"));
    tenon_bbmod_node *nodes = tenon_doc_alloc(&doc->base, DEPTH * sizeof *nodes), *at = &doc->root;
    if (!nodes) abort();
    for (uint32_t i = 0; i < DEPTH; i++, at = at->children) {
        nodes[i] = doc->root;
        nodes[i].child_count = 0;
        at->children = &nodes[i];
        at->child_count = 1;
    }
    at->name = (tenon_str){"\xff", 1};
    tenon_finding finding = {0};
    CHECK(tenon_check(&doc->base, NULL, note_text, &finding, NULL, NULL));
    CHECK(finding.rule != NULL && finding.offset > 500 && finding.offset < 0xFFFF);
    tenon_doc_free(&doc->base);
}

// -- What belongs together

TEST(a_model_and_an_animation_say_whether_they_fit)
{
    static const struct {
        const char *model, *animation, *text;
    } cases[] = {
        {MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_spaces_1.bbanim",
         "the animation fits the model: 5 nodes, 2 bones"},
        {MODELS "3.4_full.bbmod", ANIMATIONS "3.4_spaces_1.bbanim",
         "the animation does not fit the model: it is for 5 nodes, but the model has 2"},
        {MODELS "1b_skinned.bbmod", ANIMATIONS "1_wave.bbanim",
         "the animation fits the model: 5 nodes, 2 bones"},
        {MODELS "3.4_skinned.bbmod", ANIMATIONS "2_wave.bbanim",
         "the animation fits the model: 5 nodes, 2 bones; but no engine version reads both files"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[160];
        tenon_doc *a = open_copy(cases[i].model), *b = open_copy(cases[i].animation);
        CHECK(tenon_relate(a, b, text, sizeof text));
        CHECK_STR(text, cases[i].text);
        CHECK(tenon_relate(b, a, text, sizeof text));
        CHECK_STR(text, cases[i].text);
        CHECK(!tenon_relate(a, a, text, sizeof text));
        tenon_doc_free(a);
        tenon_doc_free(b);
    }
}

static void note_side(void *user, const char *name)
{
    char *names = user;
    size_t size = strlen(names);
    snprintf(names + size, 256 - size, "%s ", name);
}

TEST(materials_may_be_beside_a_model)
{
    char names[256] = "";
    tenon_doc *doc = open_copy(MODELS "3.4_full.bbmod");
    tenon_sidecars(doc, "models/car.bbmod", note_side, names);
    CHECK_STR(names, "car_paint.bbmat paint.bbmat car_steel.bbmat steel.bbmat ");
    tenon_doc_free(doc);
}

static const char *fact_of(const tenon_info *info, const char *label)
{
    for (uint32_t i = 0; i < info->fact_count; i++)
        if (strcmp(info->facts[i].label, label) == 0) return info->facts[i].text;
    return "";
}

TEST(info_has_the_facts_of_this_format)
{
    tenon_info info;
    tenon_doc *doc = open_copy(MODELS "3.4_primitives.bbmod");
    CHECK(tenon_doc_info(doc, NULL, &info, NULL));
    CHECK_STR(fact_of(&info, "primitives"),
              "points, lines, line strip, triangle strip, triangle fan");
    CHECK_STR(fact_of(&info, "attributes"), "position");
    CHECK(info.has_bounds && info.bounds_max[0] == 3 && info.triangles == 4);
    tenon_info_free(&info);
    tenon_doc_free(doc);
    doc = open_copy(MODELS "3.4_skinned.bbmod");
    CHECK(tenon_doc_info(doc, NULL, &info, NULL));
    CHECK_STR(fact_of(&info, "bones"), "upper, lower");
    tenon_info_free(&info);
    tenon_doc_free(doc);
    doc = open_copy(ANIMATIONS "3.4_events.bbanim");
    CHECK(tenon_doc_info(doc, NULL, &info, NULL));
    CHECK_STR(fact_of(&info, "spaces"), "parent");
    CHECK_STR(fact_of(&info, "rate"), "10 frames per second");
    CHECK_STR(fact_of(&info, "events"), "3: 'start' at 0, 'half' at 1, '' at 0.5");
    CHECK(info.clip_count == 1 && info.clips[0].seconds == 0.2 && info.clips[0].frames == 2);
    tenon_info_free(&info);
    tenon_doc_free(doc);
}

// -- Every file

static void check_file(const char *path)
{
    tenon_error err = {0};
    blob file = blob_load(path), text = {0}, built = {0};
    tenon_doc *doc = open_copy(path);
    int failures = test_failures;
    blob again = blob_written(doc);
    CHECK(blob_same(&file, &again));
    CHECK(maps_whole(&file));
    CHECK(tenon_dump(doc, blob_add, &text, &err));
    CHECK(tenon_build((const char *)text.data, text.size, NULL, blob_add, &built, &err));
    CHECK(blob_same(&file, &built));
    CHECK(tenon_finalize(doc, &err));
    blob final = blob_written(doc);
    CHECK(final.size == file.size);
    if (failures != test_failures) fprintf(stderr, "%s: %s\n", path, err.message);
    tenon_doc_free(doc);
    blob_free(&file);
    blob_free(&again);
    blob_free(&text);
    blob_free(&built);
    blob_free(&final);
}

static unsigned check_folder(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[600];
        if (!strstr(entry->d_name, ".bbmod") && !strstr(entry->d_name, ".bbanim")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(path);
        count++;
    }
    if (dir) closedir(dir);
    return count;
}

TEST(every_fixture_is_kept_in_every_test)
{
    CHECK(check_folder(MODELS) >= 20);
    CHECK(check_folder(ANIMATIONS) >= 20);
}

TEST(every_real_file_is_kept_in_every_test)
{
    real_files_each("bbmod", ".bbmod", check_file);
    real_files_each("bbmod", ".bbanim", check_file);
}

int main(void)
{
    RUN(a_model_holds_what_the_file_says);
    RUN(the_variants_of_version_1_are_recognized);
    RUN(an_animation_holds_what_the_file_says);
    RUN(an_edit_changes_the_bytes_of_its_field_and_no_others);
    RUN(what_does_not_fit_its_format_is_not_written);
    RUN(an_animation_is_checked_against_its_model);
    RUN(each_count_is_compared_with_that_of_the_model);
    RUN(each_limit_of_the_engine_has_its_own_rule);
    RUN(the_limits_of_the_engine_are_checked_on_demand);
    RUN(too_many_bones_and_nodes_are_reported);
    RUN(a_finding_deep_in_the_tree_has_a_place);
    RUN(the_crane_and_its_clips_belong_together);
    RUN(a_model_and_an_animation_say_whether_they_fit);
    RUN(materials_may_be_beside_a_model);
    RUN(info_has_the_facts_of_this_format);
    RUN(every_fixture_is_kept_in_every_test);
    RUN(every_real_file_is_kept_in_every_test);
    REAL_FILES_END();
}
