// test_gpb.c: gameplay bundles through the public API: every layout, edits, offsets, real files.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../robust_properties.h"
#include "gpb_help.h"

#include <dirent.h>

// -- What was read

TEST(a_document_holds_what_the_file_says)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    CHECK(doc->version[0] == 1 && doc->version[1] == 5 && doc->reference_count == 9);
    CHECK(doc->block_count == 3 && doc->mesh_count == 1 && doc->object_count == 2);
    CHECK(doc->blocks[0].counts == TENON_GPB_COUNTS_MESHES);
    CHECK(doc->blocks[1].counts == TENON_GPB_COUNTS_OBJECTS && doc->end_counts == 0);
    CHECK(gpb_text_is(tenon_gpb_id(doc, doc->blocks[0].reference), "arm_Mesh"));
    const tenon_gpb_scene *scene = &doc->blocks[1].body.scene;
    CHECK(scene->node_count == 3 && scene->ambient_color[0] == 0.125f);
    CHECK_STR(scene->active_camera.data, "#eye");
    const tenon_gpb_node *eye = &scene->nodes[0], *arm = &scene->nodes[1], *body = &scene->nodes[2];
    CHECK(gpb_text_is(tenon_gpb_id(doc, eye->reference), "eye") && eye->transform[14] == 5);
    CHECK(gpb_text_is(tenon_gpb_id(doc, eye->camera.reference), "eye_Camera"));
    CHECK(eye->camera.camera_type == 1 && eye->camera.field_of_view == 45);
    CHECK(eye->light.light_type == 0 && eye->light.reference == TENON_NONE);
    CHECK(arm->node_type == 2 && arm->child_count == 1 && arm->parent_id.size == 0);
    CHECK_STR(arm->children[0].parent_id.data, "arm");
    CHECK(arm->children[0].light.light_type == 3 && arm->children[0].light.outer_angle == 0.5f);
    CHECK_STR(body->model.mesh.data, "#arm_Mesh");
    CHECK(body->model.has_skin == 1 && body->model.skin.joint_count == 2);
    CHECK_STR(body->model.skin.joints[1].data, "#hand");
    CHECK(body->model.skin.bind_poses.count == 2 && body->model.skin.bind_pose_count == 32);
    CHECK(body->model.material_count == 1);
    CHECK_STR(body->model.materials[0].name.data, "skin");
    tenon_doc_free(&doc->base);
}

TEST(spans_hold_the_bytes_of_the_file)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    const tenon_gpb_mesh *mesh = &doc->blocks[0].body.mesh;
    CHECK(mesh->element_count == 3 && mesh->elements[2].usage == 7 && mesh->elements[2].size == 4);
    CHECK(mesh->vertices.count == 4 && mesh->vertices.layout->stride == 44);
    CHECK_STR(mesh->vertices.layout->elements[1].name, "weights");
    CHECK(gpb_f32_at(&mesh->vertices, 0) == -0.25f && gpb_f32_at(&mesh->vertices, 11) == 0.25f);
    CHECK(mesh->part_count == 1 && mesh->parts[0].indices.count == 6);
    CHECK(mesh->parts[0].index_format == 0x1403 && mesh->parts[0].indices.data[2] == 1);
    const tenon_gpb_animations *all = &doc->blocks[2].body.animations;
    CHECK(all->animation_count == 2 && all->animations[0].channel_count == 2);
    CHECK_STR(all->animations[1].id.data, "reach");
    const tenon_gpb_channel *channel = &all->animations[0].channels[1];
    CHECK_STR(channel->target_id.data, "arm");
    CHECK(channel->target_attribute == 17 && channel->values.count == 20);
    CHECK(channel->key_times.count == 2 && gpb_u32_at(&channel->key_times, 1) == 1000);
    CHECK(channel->interpolations.count == 1 && channel->tangents_in.count == 0);
    tenon_doc_free(&doc->base);
}

TEST(early_files_have_their_own_layout)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_0_bare_float_root_attenuation_scene.gpb");
    CHECK(doc->block_count == 4 && doc->object_count == 3);
    const tenon_gpb_animations *first = &doc->blocks[2].body.animations;
    CHECK(first->animation_count == 1 && first->animations[0].channel_count == 2);
    CHECK_STR(first->animations[0].id.data, "wave");
    const tenon_span *times = &first->animations[0].channels[0].key_times;
    CHECK(times->layout->elements[0].type == TENON_TYPE_F32 && gpb_f32_at(times, 1) == 500);
    const tenon_gpb_scene *scene = &doc->blocks[1].body.scene;
    CHECK_STR(scene->nodes[2].model.skin.root_joint.data, "arm");
    CHECK(scene->nodes[1].children[0].light.attenuation[2] == 0.125f);
    CHECK(scene->nodes[1].children[0].light.falloff_exponent == 2);
    tenon_doc_free(&doc->base);
}

// Times that are all 0 could be either: info says which was assumed.
TEST(what_is_assumed_about_key_times_is_reported)
{
    static const char *const files[][2] = {{"1_0_scene", "integers"},
                                           {"1_0_float_scene", "floats"}};
    for (size_t f = 0; f < 2; f++)
        for (int are_zero = 0; are_zero < 2; are_zero++) {
            char path[64], want[64];
            tenon_info info;
            tenon_error err;
            snprintf(path, sizeof path, GPB_FOLDER "%s.gpb", files[f][0]);
            snprintf(want, sizeof want, "assumed to be %s, since all of them are 0", files[f][1]);
            tenon_gpb *doc = gpb_open_copy(path);
            for (uint32_t b = 0; b < doc->block_count; b++) {
                const tenon_gpb_animations *all = &doc->blocks[b].body.animations;
                if (doc->blocks[b].kind != TENON_GPB_ANIMATIONS) continue;
                for (uint32_t i = 0; i < all->animation_count; i++)
                    for (uint32_t k = 0; k < all->animations[i].channel_count; k++) {
                        tenon_span *times = &all->animations[i].channels[k].key_times;
                        void *zeros = tenon_doc_alloc(&doc->base, (size_t)times->size);
                        memset(zeros, 0, (size_t)times->size);
                        if (are_zero) times->data = zeros;
                    }
            }
            bool is_reported = false;
            CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.full = true}, &info, &err));
            for (uint32_t i = 0; i < info.fact_count; i++)
                if (strcmp(info.facts[i].label, "key times") == 0)
                    is_reported = strcmp(info.facts[i].text, want) == 0;
            CHECK(is_reported == are_zero);
            tenon_info_free(&info);
            tenon_doc_free(&doc->base);
        }
}

TEST(the_literal_text_has_materials_and_shaders)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "document_scene.gpb");
    CHECK_STR(doc->base.dialect->name, "document");
    CHECK(doc->object_count == 4 && doc->block_count == 4);
    const tenon_gpb_model *model = &gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[2].model;
    CHECK(model->material_count == 1 && model->materials[0].parameter_count == 1);
    const tenon_gpb_parameter *tint = &model->materials[0].parameters[0];
    CHECK_STR(tint->name.data, "u_tint");
    CHECK(tint->value.count == 3 && gpb_f32_at(&tint->value, 1) == 0.5f && tint->type == 3);
    CHECK_STR(model->materials[0].effect.data, "#glow");
    CHECK(model->skin.bounds.radius == 0);
    const tenon_gpb_block *effect = gpb_block(doc, TENON_GPB_EFFECT);
    CHECK(gpb_text_is(tenon_gpb_id(doc, effect->reference), "glow"));
    CHECK_STR(effect->body.effect.fragment_shader.data, "#version 100");
    tenon_doc_free(&doc->base);
}

TEST(nodes_outside_of_scenes_are_blocks)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_2_bare_nodes.gpb");
    CHECK(doc->block_count == 2 && doc->object_count == 2 && doc->mesh_count == 0);
    CHECK(doc->blocks[0].kind == TENON_GPB_NODE && doc->blocks[0].counts == 3);
    CHECK(gpb_text_is(tenon_gpb_id(doc, doc->blocks[0].reference), "a"));
    CHECK(doc->blocks[0].body.node.child_count == 1);
    CHECK(gpb_text_is(tenon_gpb_id(doc, doc->blocks[1].body.node.reference), "c"));
    tenon_doc_free(&doc->base);
    doc = gpb_open_copy(GPB_FOLDER "1_5_false_node.gpb");
    CHECK(doc->block_count == 1 && doc->blocks[0].gap.size == 14);
    tenon_doc_free(&doc->base);
}

TEST(unexplained_bytes_are_kept)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_gaps.gpb");
    CHECK(doc->block_count == 2 && doc->blocks[0].gap.size == 4 && doc->blocks[1].gap.size == 3);
    CHECK(memcmp(doc->blocks[0].gap.data, "lead", 4) == 0 && doc->base.trailing.size == 4);
    tenon_doc_free(&doc->base);
}

TEST(counts_of_nothing_are_recognized)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_meshes_only.gpb");
    CHECK(doc->end_counts == TENON_GPB_COUNTS_OBJECTS && doc->object_count == 0);
    tenon_doc_free(&doc->base);
    doc = gpb_open_copy(GPB_FOLDER "1_5_no_objects.gpb");
    CHECK(doc->end_counts == 3 && doc->block_count == 0);
    tenon_doc_free(&doc->base);
    doc = gpb_open_copy(GPB_FOLDER "1_2_minimal.gpb");
    CHECK(doc->end_counts == 0 && doc->reference_count == 0);
    tenon_doc_free(&doc->base);
}

TEST(fonts_of_every_version_are_read)
{
    static const char *const names[] = {"1_0", "1_1", "1_2",         "1_3",
                                        "1_4", "1_5", "1_5_unicode", "document"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, GPB_FOLDER "%s_font.gpb", names[i]);
        tenon_gpb *doc = gpb_open_copy(path);
        const tenon_gpb_font *font = &gpb_block(doc, TENON_GPB_FONT)->body.font;
        uint32_t flags = doc->base.dialect->flags;
        bool has_sizes = (flags & TENON_GPB_FONT_SIZES) != 0;
        CHECK_STR(font->family.data, "Tiny Sans");
        CHECK(font->size_count == (has_sizes ? 2u : 1u) && font->sizes[0].size == 8);
        CHECK(font->sizes[0].glyphs.count == 2 && font->sizes[0].texels.count == 8);
        tenon_gpb_glyph glyph = tenon_gpb_glyph_at(&font->sizes[0], 0);
        bool has_advance = (flags & TENON_GPB_FONT_ADVANCE) != 0;
        CHECK(glyph.code == 65 && glyph.width == 3 && glyph.height == 2);
        CHECK(glyph.bearing_x == (has_advance ? 1 : 0) && glyph.advance == (has_advance ? 5u : 3u));
        tenon_doc_free(&doc->base);
    }
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_unicode_face.gpb");
    const tenon_gpb_font *font = &doc->blocks[0].body.font;
    CHECK(font->unicode == 1 && font->face_sizes.count == 2 && font->face.count == 12);
    tenon_doc_free(&doc->base);
}

// -- Dialects

// The dialect that the name of a fixture begins with: "1_0_bare_float_scene" is "1.0-bare-float".
static bool name_begins_with(const char *name, const char *dialect)
{
    for (; *dialect; name++, dialect++)
        if (*name != *dialect && !(*name == '_' && (*dialect == '.' || *dialect == '-')))
            return false;
    return *name == '_';
}

static const tenon_dialect *dialect_of(const char *name)
{
    const tenon_format *format = tenon_format_by_name("gpb");
    const tenon_dialect *best = NULL;
    for (uint32_t i = 0; i < format->dialect_count; i++) {
        const tenon_dialect *d = &format->dialects[i];
        bool is_longer = !best || strlen(d->name) > strlen(best->name);
        if (is_longer && name_begins_with(name, d->name)) best = d;
    }
    return best;
}

static void check_fixture(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, GPB_FOLDER "%s", name);
    tenon_gpb *doc = gpb_open_copy(path);
    const tenon_dialect *want = dialect_of(name);
    CHECK_STR(doc->base.dialect->name, want ? want->name : "");
    CHECK(doc->base.also == NULL);
    tenon_doc_free(&doc->base);
    blob file = blob_load(path);
    const tenon_read_opts opts = {0};
    const char *fault = fault_in_reading(file.data, file.size, &opts, true);
    CHECK_STR(fault ? fault : "", "");
    blob_free(&file);
}

TEST(every_fixture_is_of_the_dialect_in_its_name)
{
    DIR *folder = opendir(GPB_FOLDER);
    unsigned count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        check_fixture(entry->d_name);
        count++;
    }
    if (folder) closedir(folder);
    CHECK(count >= 30);
}

TEST(a_dialect_can_be_forced)
{
    blob file = blob_load(GPB_FOLDER "1_0_float_scene.gpb");
    tenon_error err;
    tenon_doc *doc = tenon_read(file.data, file.size,
                                &(tenon_read_opts){.dialect = "1.0", .format = "gpb"}, &err);
    CHECK(doc != NULL);  // Only the unit of the times differs.
    if (doc) {
        blob again = blob_written(doc);
        CHECK(blob_same(&file, &again));
        blob_free(&again);
    }
    tenon_doc_free(doc);
    doc = tenon_read(file.data, file.size, &(tenon_read_opts){.dialect = "1.0-root"}, &err);
    CHECK(doc == NULL);
    blob_free(&file);
}

// A skin with one joint of "1.0-root" whose bytes are also a skin of "1.0", with no joint but one
// number for it, and 16 materials; the name of the last one takes the count of materials.
TEST(a_skin_whose_counts_do_not_fit_is_doubted)
{
    static const uint8_t pose[64] = {[60] = 4};
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_0_root_scene.gpb");
    tenon_gpb_model *model = &gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[2].model;
    model->skin.root_joint = model->skin.joints[0] = (tenon_str){"", 0};
    model->skin.joint_count = 1;
    model->skin.bind_pose_count = 16;
    model->skin.bind_poses.count = 1;
    model->skin.bind_poses.size = sizeof pose;
    model->skin.bind_poses.data = pose;
    model->material_count = 0;
    CHECK(tenon_finalize(&doc->base, NULL));
    blob file = blob_written(&doc->base);
    tenon_doc_free(&doc->base);
    tenon_doc *other = tenon_read(file.data, file.size, &(tenon_read_opts){.dialect = "1.0"}, NULL);
    CHECK(other != NULL);
    tenon_doc_free(other);
    doc = gpb_reopen(&file, NULL);
    CHECK_STR(doc->base.dialect->name, "1.0-root");
    tenon_doc_free(&doc->base);
}

// -- What is refused

static tenon_error refusal(const void *data, size_t size)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(data, size, NULL, &err);
    CHECK(doc == NULL);
    tenon_doc_free(doc);
    return err;
}

TEST(foreign_and_damaged_files_have_different_errors)
{
    static const char fork[] = "\xabGPB\xbb\r\n\x1b\n\x09\x01\0\0\0\0";
    static const char crlf[] = "\xabGPB\xbb\r\r\n\x1a\r\n\1\5\0\0\0\0";
    static const char lf[] = "\xabGPB\xbb\n\x1a\n\1\5\0\0\0\0";
    static const char sjis[] = "\xef\xbd\xabGPB\xef\xbd\xbb\r\n\x1a\r\n\1\2\0\0\0\0";
    static const char latin[] = "\xc2\xabGPB\xc2\xbb\r\n\x1a\n\1\2\0\0\0\0";
    tenon_error err = refusal(fork, sizeof fork - 1);
    CHECK(err.code == TENON_ERR_FORMAT && err.offset == 0 && strstr(err.message, "GPBX"));
    CHECK_STR(err.path, "magic");
    err = refusal(crlf, sizeof crlf - 1);
    CHECK(err.code == TENON_ERR_FORMAT && strstr(err.message, "as if the bundle were text"));
    err = refusal(lf, sizeof lf - 1);
    CHECK(err.code == TENON_ERR_FORMAT && strstr(err.message, "as if the bundle were text"));
    err = refusal(sjis, sizeof sjis - 1);
    CHECK(err.code == TENON_ERR_FORMAT && strstr(err.message, "as if the bundle were text"));
    err = refusal(latin, sizeof latin - 1);
    CHECK(err.code == TENON_ERR_FORMAT && strstr(err.message, "as if the bundle were text"));
}

// Looking ahead for the parts of a node stops at the end of the file.
TEST(bytes_after_the_end_of_a_cut_file_do_not_matter)
{
    static const tenon_read_opts opts = {
        .format = "gpb", .dialect = "document-nothing", .partial = true, .incomplete = true};
    blob file = blob_load(GPB_FOLDER "document_nothing_scene.gpb");
    blob other = blob_load(GPB_FOLDER "document_nothing_scene.gpb");
    for (size_t size = file.size; size-- > 0;) {
        tenon_error err, other_err;
        other.data[size] = 0xFF;
        tenon_doc *doc = tenon_read(file.data, size, &opts, &err);
        tenon_doc *other_doc = tenon_read(other.data, size, &opts, &other_err);
        CHECK(!doc == !other_doc && err.code == other_err.code && err.offset == other_err.offset);
        CHECK_STR(err.path, other_err.path);
        CHECK_STR(err.message, other_err.message);
        tenon_doc_free(doc);
        tenon_doc_free(other_doc);
    }
    blob_free(&file);
    blob_free(&other);
}

TEST(counts_of_64_bits_and_other_versions_are_refused)
{
    static const char wide[] =
        "\xabGPB\xbb\r\n\x1a\n\1\1\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0node\2\0\0\0\0\0\0\0";
    static const char later[] = "\xabGPB\xbb\r\n\x1a\n\1\6\0\0\0\0";
    tenon_error err = refusal(wide, sizeof wide - 1);
    CHECK(err.code == TENON_ERR_FORMAT && err.offset == 11 && strstr(err.message, "64 bits"));
    CHECK_STR(err.path, "references");
    err = refusal(later, sizeof later - 1);
    CHECK(err.code == TENON_ERR_VERSION && err.offset == 9);
    CHECK_STR(err.path, "version");
    CHECK_STR(err.message, "unknown version 1.6: known are 1.0 to 1.5");
}

TEST(objects_must_not_overlap_or_be_after_the_end)
{
    blob file = blob_load(GPB_SCENE);
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    uint64_t scene, animations, at, size;
    uint32_t offset;
    char path[64];
    CHECK(tenon_locate(&doc->base, "blocks[1].scene", &scene, NULL));
    CHECK(tenon_locate(&doc->base, "blocks[2].animations", &animations, NULL));
    snprintf(path, sizeof path, "references[%" PRIu32 "].offset", doc->blocks[2].reference);
    CHECK(tenon_locate(&doc->base, path, &at, &size) && size == 4);
    offset = (uint32_t)animations - 1;
    wire_put_u32(file.data + at, offset);
    tenon_error err = refusal(file.data, file.size);
    CHECK(err.code == TENON_ERR_VALUE && err.offset == animations - 1);
    CHECK(strstr(err.message, "inside an object that ends at") != NULL);
    offset = (uint32_t)file.size;
    wire_put_u32(file.data + at, offset);
    err = refusal(file.data, file.size);
    CHECK(err.code == TENON_ERR_TRUNCATED && err.offset == at);
    CHECK_STR(err.path, path);
    tenon_doc_free(&doc->base);
    blob_free(&file);
}

// -- Editing: exactly the bytes of the field change

typedef struct edit {
    const char *file, *path;
    void (*make)(tenon_gpb *doc);
} edit;

static tenon_gpb_node *node_at(tenon_gpb *doc, uint32_t index)
{
    return &gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[index];
}

static void set_version(tenon_gpb *doc)
{
    doc->version[1] = 4;
}

static void set_id(tenon_gpb *doc)
{
    doc->references[1].id.data = "ARM";
}

static void set_type(tenon_gpb *doc)
{
    doc->references[2].type = 77;
}

static void set_offset(tenon_gpb *doc)
{
    doc->references[3].offset = 0x01020304;
}

static void set_count(tenon_gpb *doc)
{
    doc->mesh_count = 9;
}

static void set_bounds(tenon_gpb *doc)
{
    gpb_block(doc, TENON_GPB_MESH)->body.mesh.bounds.max[1] = 7;
}

static void set_vertex(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &gpb_block(doc, TENON_GPB_MESH)->body.mesh.vertices)[44 + 13] = 0xAA;
}

static void set_part(tenon_gpb *doc)
{
    gpb_block(doc, TENON_GPB_MESH)->body.mesh.parts[0].primitive_type = 5;
}

static void set_index(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &gpb_block(doc, TENON_GPB_MESH)->body.mesh.parts[0].indices)[4] = 3;
}

static void set_node_type(tenon_gpb *doc)
{
    node_at(doc, 1)->node_type = 1;
}

static void set_transform(tenon_gpb *doc)
{
    node_at(doc, 1)->children[0].transform[13] = -2;
}

static void set_parent(tenon_gpb *doc)
{
    node_at(doc, 1)->children[0].parent_id.data = "ARM";
}

static void set_camera(tenon_gpb *doc)
{
    node_at(doc, 0)->camera.field_of_view = 60;
}

static void set_light(tenon_gpb *doc)
{
    node_at(doc, 1)->children[0].light.color[2] = 1;
}

static void set_bind_shape(tenon_gpb *doc)
{
    node_at(doc, 2)->model.skin.bind_shape[0] = 2;
}

static void set_joint(tenon_gpb *doc)
{
    node_at(doc, 2)->model.skin.joints[0].data = "#ARM";
}

static void set_bind_pose(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &node_at(doc, 2)->model.skin.bind_poses)[64] = 1;
}

static void set_material(tenon_gpb *doc)
{
    node_at(doc, 2)->model.materials[0].name.data = "HIDE";
}

static void set_ambient(tenon_gpb *doc)
{
    gpb_block(doc, TENON_GPB_SCENE)->body.scene.ambient_color[1] = 1;
}

static tenon_gpb_animation *animation_at(tenon_gpb *doc, uint32_t index)
{
    return &gpb_block(doc, TENON_GPB_ANIMATIONS)->body.animations.animations[index];
}

static void set_animation(tenon_gpb *doc)
{
    animation_at(doc, 0)->id.data = "WAVE";
}

static void set_target(tenon_gpb *doc)
{
    animation_at(doc, 1)->channels[0].target_id.data = "HAND";
}

static void set_attribute(tenon_gpb *doc)
{
    animation_at(doc, 1)->channels[0].target_attribute = 1;
}

static void set_time(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &animation_at(doc, 0)->channels[1].key_times)[4] = 0xFF;
}

static void set_value(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &animation_at(doc, 0)->channels[0].values)[16] = 5;
}

static void set_family(tenon_gpb *doc)
{
    doc->blocks[0].body.font.family.data = "tiny sans";
}

static void set_font_size(tenon_gpb *doc)
{
    doc->blocks[0].body.font.sizes[1].size = 17;
}

static void set_glyph(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &doc->blocks[0].body.font.sizes[0].glyphs)[32 + 8] = 7;
}

static void set_texel(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &doc->blocks[0].body.font.sizes[1].texels)[5] = 1;
}

static void set_font_format(tenon_gpb *doc)
{
    doc->blocks[0].body.font.sizes[0].format = 1;
}

static void set_parameter(tenon_gpb *doc)
{
    node_at(doc, 2)->model.materials[0].parameters[0].type = 9;
}

static void set_shader(tenon_gpb *doc)
{
    gpb_block(doc, TENON_GPB_EFFECT)->body.effect.vertex_shader.data = "VOID MAIN() {}";
}

// The weights become a color, so the layout of the vertices has to change as well.
static void set_element(tenon_gpb *doc)
{
    static const tenon_element elements[] = {{"position", TENON_TYPE_F32, 3, 0, 0},
                                             {"color", TENON_TYPE_F32, 4, 0, 12},
                                             {"indices", TENON_TYPE_F32, 4, 0, 28}};
    static const tenon_layout layout = {elements, 3, 44, NULL, 0, NULL};
    tenon_gpb_mesh *mesh = &gpb_block(doc, TENON_GPB_MESH)->body.mesh;
    mesh->elements[1].usage = 3;
    CHECK(tenon_write(&doc->base, NULL, NULL, NULL) == TENON_ABSENT);
    mesh->vertices.layout = &layout;
}

static void set_magnification(tenon_gpb *doc)
{
    node_at(doc, 3)->camera.magnification[1] = 7;
}

static void set_attenuation(tenon_gpb *doc)
{
    node_at(doc, 1)->children[0].light.attenuation[2] = 3;
}

static void set_root(tenon_gpb *doc)
{
    node_at(doc, 2)->model.skin.root_joint.data = "ARM";
}

static void set_tangent(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &animation_at(doc, 0)->channels[2].tangents_in)[4] = 9;
}

static void set_interpolation(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &animation_at(doc, 0)->channels[2].interpolations)[4] = 4;
}

static void set_face(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &doc->blocks[0].body.font.face)[3] = 99;
}

static void set_gap(tenon_gpb *doc)
{
    gpb_own_bytes(doc, &doc->blocks[0].gap)[2] = 'x';
}

static const edit edits[] = {
    {"1_5_scene", "version", set_version},
    {"1_5_scene", "references[1].id", set_id},
    {"1_5_scene", "references[2].type", set_type},
    {"1_5_scene", "references[3].offset", set_offset},
    {"1_5_scene", "blocks[0].mesh_count", set_count},
    {"1_5_scene", "blocks[0].mesh.bounds.max", set_bounds},
    {"1_5_scene", "blocks[0].mesh.vertices[1].weights", set_vertex},
    {"1_5_scene", "blocks[0].mesh.parts[0].primitive_type", set_part},
    {"1_5_scene", "blocks[0].mesh.parts[0].indices[2]", set_index},
    {"1_5_scene", "blocks[1].scene.nodes[1].node_type", set_node_type},
    {"1_5_scene", "blocks[1].scene.nodes[1].children[0].transform", set_transform},
    {"1_5_scene", "blocks[1].scene.nodes[1].children[0].parent_id", set_parent},
    {"1_5_scene", "blocks[1].scene.nodes[0].camera.field_of_view", set_camera},
    {"1_5_scene", "blocks[1].scene.nodes[1].children[0].light.color", set_light},
    {"1_5_scene", "blocks[1].scene.nodes[2].model.skin.bind_shape", set_bind_shape},
    {"1_5_scene", "blocks[1].scene.nodes[2].model.skin.joints[0]", set_joint},
    {"1_5_scene", "blocks[1].scene.nodes[2].model.skin.bind_poses[1]", set_bind_pose},
    {"1_5_scene", "blocks[1].scene.nodes[2].model.materials[0]", set_material},
    {"1_5_scene", "blocks[1].scene.ambient_color", set_ambient},
    {"1_5_scene", "blocks[2].animations.animations[0].id", set_animation},
    {"1_5_scene", "blocks[2].animations.animations[1].channels[0].target_id", set_target},
    {"1_5_scene", "blocks[2].animations.animations[1].channels[0].target_attribute", set_attribute},
    {"1_5_scene", "blocks[2].animations.animations[0].channels[1].key_times[1]", set_time},
    {"1_5_scene", "blocks[2].animations.animations[0].channels[0].values[4]", set_value},
    {"1_5_font", "blocks[0].font.family", set_family},
    {"1_5_font", "blocks[0].font.sizes[1].size", set_font_size},
    {"1_5_font", "blocks[0].font.sizes[0].glyphs[1].bearing_x", set_glyph},
    {"1_5_font", "blocks[0].font.sizes[1].texels[5]", set_texel},
    {"1_5_font", "blocks[0].font.sizes[0].format", set_font_format},
    {"document_scene", "blocks[1].scene.nodes[2].model.materials[0].parameters[0].type",
     set_parameter},
    {"document_scene", "blocks[3].effect.vertex_shader", set_shader},
    {"1_5_scene", "blocks[0].mesh.elements[1].usage", set_element},
    {"1_5_branches", "blocks[2].scene.nodes[3].camera.magnification", set_magnification},
    {"1_5_branches", "blocks[3].animations.animations[0].channels[2].tangents_in[1]", set_tangent},
    {"1_5_branches", "blocks[3].animations.animations[0].channels[2].interpolations[1]",
     set_interpolation},
    {"1_0_attenuation_scene", "blocks[1].scene.nodes[1].children[0].light.attenuation",
     set_attenuation},
    {"1_0_root_scene", "blocks[1].scene.nodes[2].model.skin.root_joint", set_root},
    {"1_5_unicode_face", "blocks[0].font.face[3]", set_face},
    {"1_5_gaps", "blocks[0].gap", set_gap},
};

static void check_edit(const edit *e)
{
    char path[128];
    snprintf(path, sizeof path, GPB_FOLDER "%s.gpb", e->file);
    blob before = blob_load(path);
    tenon_gpb *doc = gpb_open_copy(path);
    e->make(doc);
    uint64_t offset = 0, size = 0, changed = 0;
    CHECK(tenon_locate(&doc->base, e->path, &offset, &size) && size > 0);
    blob after = blob_written(&doc->base);
    CHECK(after.size == before.size);
    for (uint64_t i = 0; i < after.size && after.size == before.size; i++) {
        if (after.data[i] == before.data[i]) continue;
        changed++;
        if (i < offset || i >= offset + size) fprintf(stderr, "%s: byte %" PRIu64 "\n", e->path, i);
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

int main(void)
{
    RUN(a_document_holds_what_the_file_says);
    RUN(spans_hold_the_bytes_of_the_file);
    RUN(early_files_have_their_own_layout);
    RUN(what_is_assumed_about_key_times_is_reported);
    RUN(the_literal_text_has_materials_and_shaders);
    RUN(nodes_outside_of_scenes_are_blocks);
    RUN(unexplained_bytes_are_kept);
    RUN(counts_of_nothing_are_recognized);
    RUN(fonts_of_every_version_are_read);
    RUN(every_fixture_is_of_the_dialect_in_its_name);
    RUN(a_dialect_can_be_forced);
    RUN(a_skin_whose_counts_do_not_fit_is_doubted);
    RUN(foreign_and_damaged_files_have_different_errors);
    RUN(bytes_after_the_end_of_a_cut_file_do_not_matter);
    RUN(counts_of_64_bits_and_other_versions_are_refused);
    RUN(objects_must_not_overlap_or_be_after_the_end);
    RUN(an_edit_changes_the_bytes_of_its_field_and_no_others);
    TEST_END();
}
