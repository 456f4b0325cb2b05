// test_gpb_sidecar.c: info, trees and fonts of gameplay bundles, and the files beside them.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../faulty_files.h"
#include "../scratch.h"
#include "gpb_help.h"

#include <tenon/files.h>

#include <math.h>

// -- Info

static const char *fact_of(const tenon_info *info, const char *label)
{
    for (uint32_t i = 0; i < info->fact_count; i++)
        if (strcmp(info->facts[i].label, label) == 0) return info->facts[i].text;
    return "";
}

TEST(info_says_what_is_in_a_scene)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_info info;
    CHECK(tenon_doc_info(&doc->base, NULL, &info, NULL));
    CHECK_STR(info.version, "1.5");
    CHECK(info.meshes == 1 && info.vertices == 4 && info.triangles == 2 && info.nodes == 4);
    CHECK(info.joints == 2 && info.animations == 2 && info.channels == 3);
    CHECK(info.fonts == TENON_ABSENT && info.materials == 1 && info.clip_count == 2);
    CHECK_STR(info.clips[0].name.data, "wave");
    CHECK(info.clips[0].seconds == 1 && info.clips[0].channels == 2 && info.clips[0].frames == 2);
    CHECK_STR(info.material_list[0].name.data, "skin");
    CHECK(info.has_bounds && info.bounds_min[0] == -0.25 && info.bounds_max[1] == 1);
    CHECK_STR(fact_of(&info, "scene"),
              "'stage': 3 root nodes, active camera 'eye', ambient 0.125 0 0");
    CHECK_STR(fact_of(&info, "camera"),
              "'eye_Camera' at 'eye': perspective, 45 degrees, from 0.5 to 100");
    CHECK_STR(fact_of(&info, "light"), "'lamp_Light' at 'hand': spot, color 1 0.5 0.25, range 8");
    CHECK_STR(fact_of(&info, "skin"),
              "of 'body' on mesh 'arm_Mesh': 2 joints, starting with 'arm'");
    CHECK_STR(fact_of(&info, "mesh"),
              "'arm_Mesh': 4 vertices of position 3, weights 4, indices 4; 2 triangles in 1 part");
    CHECK_STR(fact_of(&info, "animation"),
              "'wave': 2 channels: hand rotate 0.5 s, arm scale rotate translate 1 s");
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
}

TEST(info_says_what_is_in_a_font)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_font.gpb");
    tenon_info info;
    CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.full = true}, &info, NULL));
    CHECK(info.fonts == 1 && info.font_sizes == 2 && info.meshes == TENON_ABSENT);
    CHECK(info.nodes == TENON_ABSENT && info.animations == TENON_ABSENT && !info.has_bounds);
    CHECK_STR(fact_of(&info, "font"), "'tiny': Tiny Sans, sizes 8, 16 (distance field)");
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
}

typedef struct tree_text {
    const tenon_gpb *doc;
    char text[128];
} tree_text;

static bool add_line(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    tree_text *tree = user;
    size_t used = strlen(tree->text);
    snprintf(tree->text + used, sizeof tree->text - used, "%" PRIu32 " %s\n", depth,
             tenon_gpb_id(tree->doc, node->reference).data);
    return true;
}

TEST(nodes_are_reported_as_a_tree)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tree_text tree = {doc, ""};
    tenon_gpb_each_node(doc, add_line, &tree);
    CHECK_STR(tree.text, "0 eye\n0 arm\n1 hand\n0 body\n");
    tenon_doc_free(&doc->base);
}

static bool stop_at_three(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    (void)node;
    (void)depth;
    return ++*(uint32_t *)user < 3;
}

static bool note_depth(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    uint32_t *reported = user;
    (void)node;
    CHECK(depth == *reported);
    ++*reported;
    return true;
}

TEST(reporting_nodes_stops_on_request_and_at_the_depth_limit)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    uint32_t reported = 0;
    tenon_gpb_each_node(doc, stop_at_three, &reported);
    CHECK(reported == 3);
    static tenon_gpb_node chain[300];  // Deeper than any file.
    for (uint32_t i = 0; i + 1 < 300; i++) {
        chain[i].child_count = 1;
        chain[i].children = &chain[i + 1];
    }
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    scene->nodes = chain;
    scene->node_count = 1;
    reported = 0;
    tenon_gpb_each_node(doc, note_depth, &reported);
    CHECK(reported == 256);
    tenon_doc_free(&doc->base);
    doc = gpb_open_copy(GPB_FOLDER "1_5_font.gpb");
    reported = 0;
    tenon_gpb_each_node(doc, note_depth, &reported);
    CHECK(reported == 0 && tenon_gpb_id(doc, TENON_NONE).size == 0);
    CHECK(tenon_gpb_id(doc, doc->reference_count).size == 0);
    tenon_doc_free(&doc->base);
}

TEST(info_names_unnamed_objects_by_their_place)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    tenon_info info;
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    scene->nodes[3].camera = scene->nodes[4].camera;
    scene->active_camera.size = 0;
    CHECK(tenon_doc_info(&doc->base, NULL, &info, NULL));
    CHECK_STR(fact_of(&info, "camera"), "at 'plan': perspective, 60 degrees, from 0.5 to 100");
    CHECK_STR(fact_of(&info, "scene"),
              "'scène': 9 root nodes, no active camera, ambient 0.25 0.25 0.25");
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
}

// -- Fonts

TEST(a_font_has_a_fnt_file)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_font.gpb");
    tenon_gpb_font *font = &doc->blocks[0].body.font;
    tenon_error err;
    blob text = {0};
    CHECK(tenon_gpb_write_fnt(font, 1, "tiny \"16\".png", blob_add, &text, &err));
    blob_add(&text, "", 1);
    CHECK_STR((const char *)text.data,
              "info face=\"Tiny Sans\" size=16 bold=0 italic=0 charset=\"\" unicode=1 stretchH=100 "
              "smooth=1 aa=1 padding=0,0,0,0 spacing=0,0 outline=0\n"
              "common lineHeight=16 base=16 scaleW=4 scaleH=2 pages=1 packed=0 alphaChnl=0 "
              "redChnl=0 greenChnl=0 blueChnl=0\n"
              "page id=0 file=\"tiny '16'.png\"\n"
              "distanceField fieldType=sdf distanceRange=16\n"
              "chars count=2\n"
              "char id=65 x=0 y=0 width=3 height=2 xoffset=1 yoffset=0 xadvance=5 page=0 chnl=15\n"
              "char id=66 x=0 y=0 width=4 height=2 xoffset=-1 yoffset=0 xadvance=4 page=0 "
              "chnl=15\n");
    CHECK(!tenon_gpb_write_fnt(font, 2, "x", blob_add, &text, &err));
    font->sizes[0].width = 5;
    CHECK(!tenon_gpb_write_fnt(font, 0, "x", blob_add, &text, &err));
    CHECK_STR(err.message, "the size is 5 x 2, but there are 8 texels");
    blob_free(&text);
    tenon_doc_free(&doc->base);
}

static bool refuse_bytes(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return false;
}

TEST(glyphs_without_a_place_in_the_texture_are_at_its_edge)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_2_font.gpb");
    tenon_gpb_font *font = &doc->blocks[0].body.font;
    tenon_gpb_font_size *size = &font->sizes[0];
    const float nowhere[4] = {NAN, -1.0e30f, 1.0e30f, INFINITY};
    wire_copy(gpb_own_bytes(doc, &size->glyphs) + 8, nowhere, 4, 4);
    tenon_gpb_glyph glyph = tenon_gpb_glyph_at(size, 0);
    CHECK(glyph.x == 0 && glyph.y == 0 && glyph.width == 4 && glyph.height == 2);
    CHECK(glyph.advance == 3 && glyph.bearing_x == 0);
    tenon_error err;
    CHECK(!tenon_gpb_write_fnt(font, 0, "x.png", refuse_bytes, NULL, &err));
    CHECK(err.code == TENON_ERR_IO);
    tenon_doc_free(&doc->base);
}

// -- Property files

static const char materials[] = "// Made by hand.\n"
                                "material base\n"
                                "{\n"
                                "    u_worldViewProjectionMatrix = WORLD_VIEW_PROJECTION_MATRIX\n"
                                "    sampler u_diffuseTexture\n"
                                "    {\n"
                                "        path = res/png/base.png\n"
                                "        mipmap = true\n"
                                "    }\n"
                                "    sampler u_normalMap { path = res/png/bumps.png }\n"
                                "    renderState {\r\n"
                                "        cullFace = true // both sides?\r\n"
                                "    }\r\n"
                                "}\n"
                                "\n"
                                "material skin : base\n"
                                "{\n"
                                "    technique {\n"
                                "        pass 0 {\n"
                                "            defines SKINNING;SKINNING_JOINT_COUNT 2\n"
                                "            sampler u_diffuseTexture { path = skin.png }\n"
                                "        }\n"
                                "    }\n"
                                "}\n";

static tenon_str text_of(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

static bool add_sampler(void *user, const tenon_gpb_properties *block)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 128 - used, "%s=%s\n", block->id.data,
             tenon_gpb_property_value(block, "path").data);
    return true;
}

TEST(property_files_are_read_with_their_inheritance)
{
    tenon_error err;
    tenon_gpb_properties *file =
        tenon_gpb_properties_read(materials, strlen(materials), NULL, &err);
    CHECK(file != NULL);
    if (!file) return;
    const tenon_gpb_properties *base = tenon_gpb_properties_find(file, "material", text_of("base"));
    const tenon_gpb_properties *skin = tenon_gpb_properties_find(file, "material", text_of("skin"));
    CHECK(base && skin && skin->base == base && base->base == NULL && skin->line == 16);
    CHECK(gpb_text_is(tenon_gpb_property_value(skin, "u_worldViewProjectionMatrix"),
                      "WORLD_VIEW_PROJECTION_MATRIX"));
    CHECK(tenon_gpb_property_value(skin, "nothing").data == NULL);
    const tenon_gpb_properties *pass = tenon_gpb_properties_find(skin, "pass", text_of("0"));
    CHECK(pass && gpb_text_is(tenon_gpb_property_value(pass, "defines"),
                              "SKINNING;SKINNING_JOINT_COUNT 2"));
    const tenon_gpb_properties *state = tenon_gpb_properties_find(base, "renderState", text_of(""));
    CHECK(state && gpb_text_is(tenon_gpb_property_value(state, "cullFace"), "true"));
    char samplers[128] = "";
    tenon_gpb_properties_each(skin, "sampler", add_sampler, samplers);
    CHECK_STR(samplers, "u_diffuseTexture=skin.png\nu_normalMap=res/png/bumps.png\n");
    tenon_gpb_properties_free(file);
}

static void check_syntax(const char *text, uint64_t line, const char *message)
{
    tenon_error err;
    tenon_gpb_properties *file = tenon_gpb_properties_read(text, strlen(text), NULL, &err);
    CHECK(file == NULL && err.code == TENON_ERR_VALUE && err.line == line);
    CHECK_STR(err.message, message);
    tenon_gpb_properties_free(file);
}

TEST(what_is_not_a_property_file_is_refused)
{
    check_syntax("a\n{\n b {\n}\n", 1, "the block has no '}'");
    check_syntax("a\n{\n}\n}\n", 4, "'}' without a '{'");
    char deep[300] = "";
    for (int i = 0; i < 70; i++) strcat(deep, "a{\n");
    check_syntax(deep, 64, "blocks are nested too deeply");
    tenon_gpb_properties *file = tenon_gpb_properties_read("a:b{}b:a{}", 10, NULL, NULL);
    CHECK(file && tenon_gpb_property_value(file->children, "x").data == NULL);  // A circle.
    tenon_gpb_properties_free(file);
    file = tenon_gpb_properties_read("", 0, NULL, NULL);
    CHECK(file && !file->children && !file->properties);
    tenon_gpb_properties_free(file);
}

static bool count_block(void *user, const tenon_gpb_properties *block)
{
    (void)block;
    ++*(uint32_t *)user;
    return true;
}

// Every block of the heir would be compared with every block of its base.
TEST(endless_materials_take_few_steps)
{
    static const char heir[] = "material a : b {\n", base[] = "}\nmaterial b {\n";
    static const char sampler[] = "sampler s {}\n";
    size_t each = 50000 * (sizeof sampler - 1), size = 0;
    char *text = malloc(2 * each + 64);
    if (!text) abort();
    for (int half = 0; half < 2; half++) {
        const char *head = half ? base : heir;
        memcpy(text + size, head, strlen(head));
        size += strlen(head);
        for (uint32_t i = 0; i < 50000; i++, size += sizeof sampler - 1)
            memcpy(text + size, sampler, sizeof sampler - 1);
    }
    text[size++] = '}';
    tenon_gpb_properties *file = tenon_gpb_properties_read(text, size, NULL, NULL);
    uint32_t reported = 0;
    CHECK(file != NULL);
    if (file) tenon_gpb_properties_each(file->children, "sampler", count_block, &reported);
    CHECK(reported > 1000 && reported < 10000);
    tenon_gpb_properties_free(file);
    free(text);
}

// -- Beside the bundle

static const char clips[] =
    "animation wave\n{\n    frameCount = 100\n"
    "    clip greet { begin = 0\n end = 50\n repeatCount = INDEFINITE\n speed = 1.5 }\n"
    "    clip beyond\n    {\n        begin = 90\n        end = 101\n    }\n"
    "}\n";

static void save(const char *name, const char *text)
{
    tenon_error err;
    tenon_write_opts opts = {.force = true};
    CHECK(tenon_save(scratch(name), text, strlen(text), &opts, &err));
}

static void note_side(void *user, const char *name)
{
    strcat(user, name);
    strcat(user, " ");
}

typedef struct rule_log {
    char text[512];
} rule_log;

static void note_finding(void *user, const tenon_finding *finding)
{
    rule_log *log = user;
    if (strncmp(finding->rule->id, "gpb/", 4) != 0) return;
    strncat(log->text, finding->rule->id + 4, sizeof log->text - strlen(log->text) - 1);
    strncat(log->text, " ", sizeof log->text - strlen(log->text) - 1);
}

static void check_rules(tenon_gpb *doc, const char *path, const char *want)
{
    rule_log log = {""};
    tenon_check_opts opts = {.model_path = path};
    CHECK(tenon_check(&doc->base, &opts, note_finding, &log, NULL, NULL));
    CHECK_STR(log.text, want);
}

TEST(files_beside_a_bundle_are_found_shown_and_checked)
{
    char path[600], names[128] = "";
    scratch_begin();
    snprintf(path, sizeof path, "%s", scratch("model.gpb"));
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_info info;
    tenon_error err;
    tenon_sidecars(&doc->base, path, note_side, names);
    CHECK_STR(names, "model.material model.animation ");
    check_rules(doc, path, "material-file ");

    save("model.material", materials);
    save("model.animation", clips);
    check_rules(doc, path, "texture-missing texture-missing clip ");
    save("skin.png", "");
    save("bumps.png", "");  // Its folders start elsewhere.
    check_rules(doc, path, "clip ");
    CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.model_path = path}, &info, &err));
    CHECK_STR(info.material_list[0].texture.data, "skin.png");
    CHECK_STR(fact_of(&info, "material"),
              "'skin', a 'base', sets u_diffuseTexture (skin.png), u_normalMap "
              "(res/png/bumps.png), u_worldViewProjectionMatrix");
    CHECK_STR(fact_of(&info, "clip range"),
              "'greet': frames 0 to 50 of 100, repeated INDEFINITE, speed 1.5");
    CHECK(info.clip_count == 4 && info.clips[2].seconds == 0.5 && info.clips[2].frames == 50);
    CHECK_STR(info.clips[2].name.data, "greet");

    save("model.material", "material other {}\n");
    save("model.animation", "animation {\n");
    check_rules(doc, path, "material-missing side-syntax ");
    tenon_info_free(&info);
    CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.model_path = path}, &info, &err));
    CHECK_STR(fact_of(&info, "material"), "'skin' is not in the .material file");
    CHECK_STR(fact_of(&info, "animation"),
              "'wave': 2 channels: hand rotate 0.5 s, arm scale rotate "
              "translate 1 s");
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
    scratch_end();
}

// What a material sets: the heir's value hides that of its base; no line exceeds its limit.
TEST(info_says_what_materials_set)
{
    char path[600], many[2000] = "material skin\n{\n";
    for (int i = 0; i < 90; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "u_number%d = 1\n", i);
    strcat(many, "sampler u_last\n{\npath = late.png\n}\n}\n");
    const struct {
        const char *text, *fact;
    } cases[] = {
        {"material skin\n{\n}\n", "'skin' sets nothing"},
        {"material base\n{\nu_a = 1\nu_b = 1\n}\nmaterial skin : base\n{\nu_a = 2\n}\n",
         "'skin', a 'base', sets u_a, u_b"},
        {"material skin\n{\ndefines = A\nsampler u_t\n{\n}\n}\n", "'skin' sets u_t"},
        {many, "'skin' sets u_last (late.png), u_number0, u_number1"},
    };
    scratch_begin();
    snprintf(path, sizeof path, "%s", scratch("model.gpb"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
        tenon_info info;
        tenon_error err;
        save("model.material", cases[i].text);
        CHECK(tenon_doc_info(&doc->base, &(tenon_info_opts){.model_path = path}, &info, &err));
        const char *fact = fact_of(&info, "material");
        bool is_right = strncmp(fact, cases[i].fact, strlen(cases[i].fact)) == 0;
        if (!is_right) fprintf(stderr, "got %s\n", fact);
        CHECK(is_right && (i == 3 || strlen(fact) == strlen(cases[i].fact)));
        tenon_info_free(&info);
        tenon_doc_free(&doc->base);
    }
    scratch_end();
}

// Clips without a frame count have no length; those that go backwards have no frames either.
TEST(info_has_what_is_known_about_clips)
{
    scratch_begin();
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_info info;
    tenon_error err;
    save("model.animation", "animation wave\n{\nclip a\n{\nbegin = 5\nend = 1\n}\n"
                            "clip b\n{\nbegin = 0\nend = 9\n}\nother c\n{\n}\n"
                            "clip d\n{\nbegin = x\n}\n}\n");
    CHECK(tenon_doc_info(&doc->base, NULL, &info, &err));
    uint32_t own = info.clip_count;
    tenon_info_free(&info);
    const tenon_info_opts beside = {.model_path = scratch("model.gpb")};
    CHECK(tenon_doc_info(&doc->base, &beside, &info, &err));
    CHECK(info.clip_count == own + 3);
    const tenon_clip_info *added = info.clips + own;
    CHECK_STR(added[0].name.data, "a");
    CHECK(added[0].seconds < 0 && added[0].frames == TENON_ABSENT);
    CHECK(added[1].seconds < 0 && added[1].frames == 9);
    CHECK(added[2].seconds < 0 && added[2].frames == TENON_ABSENT);
    tenon_info_free(&info);
    tenon_doc_free(&doc->base);
    scratch_end();
}

// Clips that end where their animation does, or do not, and animations of one frame.
TEST(ranges_of_clips_are_checked_to_the_frame)
{
    static const struct {
        const char *frames, *begin, *end, *want;
    } cases[] = {
        {"1", "0", "1", ""},       {"0", "0", "0", "clip "},   {"10", "0", "10", ""},
        {"10", "9", "10", ""},     {"10", "0", "11", "clip "}, {"10", "5", "5", "clip "},
        {"10", "5", "4", "clip "}, {"10", "-1", "4", "clip "}, {"0.5", "0", "0.5", ""},
        {"x", "0", "1", "clip "},
    };
    char path[600], text[256];
    scratch_begin();
    snprintf(path, sizeof path, "%s", scratch("model.gpb"));
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    save("model.material", materials);
    save("skin.png", "");
    save("bumps.png", "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text,
                 "animation wave\n{\nframeCount = %s\nclip a\n{\nbegin = %s\nend = %s\n}\n}\n",
                 cases[i].frames, cases[i].begin, cases[i].end);
        save("model.animation", text);
        check_rules(doc, path, cases[i].want);
    }
    tenon_doc_free(&doc->base);
    scratch_end();
}

// Wherever a bundle names another: in nodes, in their descendants, and in other objects.
// Each is reported once; those in other folders are not beside it.
TEST(bundles_that_a_bundle_names_are_beside_it)
{
    char names[128] = "";
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "document_scene.gpb");
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    scene->nodes[0].model.mesh = text_of("parts.gpb#lid");
    scene->nodes[1].model.mesh = text_of("../far.gpb#lid");
    scene->nodes[1].children[0].model.mesh = text_of("parts.gpb#box");
    scene->nodes[2].model.mesh = text_of("#here");
    scene->nodes[2].model.skin.joints[1] = text_of("rig.gpb#hand");
    scene->nodes[2].model.materials[0].effect = text_of("looks.gpb#glow");
    scene->active_camera = text_of("eyes.gpb#eye");
    tenon_sidecars(&doc->base, "model.gpb", note_side, names);
    CHECK_STR(names, "model.material model.animation parts.gpb rig.gpb looks.gpb eyes.gpb ");
    tenon_doc_free(&doc->base);
}

// Names without an extension, of nothing else, and with no room for another.
TEST(odd_names_of_bundles_have_sidecars_or_none)
{
    static char path[700];
    char names[128] = "";
    tenon_error err;
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_sidecars(&doc->base, "a/model", note_side, names);
    tenon_sidecars(&doc->base, ".hidden", note_side, names);
    CHECK_STR(names, "model.material model.animation .hidden.material .hidden.animation ");
    names[0] = '\0';
    memset(path, 'a', sizeof path - 1);
    tenon_sidecars(&doc->base, path, note_side, names);
    CHECK_STR(names, "");
    CHECK(!tenon_gpb_properties_beside(path, "material", NULL, &err) && err.code == TENON_OK);
    CHECK(!tenon_gpb_properties_beside(".hidden", "material", NULL, NULL));
    faulty_files faulty;  // A folder that cannot be listed.
    faulty_begin(&faulty);
    faulty.fail_at = 1;
    faulty.for_ever = true;
    tenon_read_opts opts = {.files = &faulty.files};
    CHECK(!tenon_gpb_properties_beside("a.gpb", "material", &opts, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == faulty.error);
    CHECK(!tenon_gpb_properties_beside("a.gpb", "material", &opts, NULL));
    tenon_doc_free(&doc->base);
}

// -- Limits of the engine

typedef struct severity_log {
    uint32_t version_errors, version_warnings, palette_warnings;
} severity_log;

static void note_limit(void *user, const tenon_finding *finding)
{
    severity_log *log = user;
    log->version_errors += strcmp(finding->rule->id, "gpb/engine-version") == 0;
    log->version_warnings += strcmp(finding->rule->id, "gpb/old-version") == 0;
    log->palette_warnings += strcmp(finding->rule->id, "gpb/engine-palette") == 0;
}

static severity_log limits_of(const tenon_gpb *doc, const char *profile)
{
    severity_log log = {0};
    tenon_check_opts opts = {.profile = profile};
    CHECK(tenon_check(&doc->base, &opts, note_limit, &log, NULL, NULL));
    return log;
}

TEST(limits_of_the_engine_are_reported_with_its_profile)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_1_scene.gpb");
    tenon_gpb_skin *skin = &gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[2].model.skin;
    tenon_str joints[40];
    for (int i = 0; i < 40; i++) joints[i] = skin->joints[i % 2];
    skin->joints = joints;
    skin->joint_count = 37;  // 111 vectors of 128, of which the engine needs some.
    severity_log plain = limits_of(doc, NULL), strict = limits_of(doc, "gameplay");
    CHECK(plain.version_warnings == 1 && plain.version_errors == 0 && plain.palette_warnings == 0);
    CHECK(strict.version_warnings == 0 && strict.version_errors == 1);
    CHECK(strict.palette_warnings == 0);
    skin->joint_count = 38;
    CHECK(limits_of(doc, "gameplay").palette_warnings == 1);
    CHECK(limits_of(doc, "bbmod").palette_warnings == 0);
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(limits_of_the_engine_are_reported_with_its_profile);
    RUN(info_says_what_is_in_a_scene);
    RUN(info_says_what_is_in_a_font);
    RUN(nodes_are_reported_as_a_tree);
    RUN(reporting_nodes_stops_on_request_and_at_the_depth_limit);
    RUN(info_names_unnamed_objects_by_their_place);
    RUN(a_font_has_a_fnt_file);
    RUN(glyphs_without_a_place_in_the_texture_are_at_its_edge);
    RUN(property_files_are_read_with_their_inheritance);
    RUN(what_is_not_a_property_file_is_refused);
    RUN(endless_materials_take_few_steps);
    RUN(files_beside_a_bundle_are_found_shown_and_checked);
    RUN(info_says_what_materials_set);
    RUN(info_has_what_is_known_about_clips);
    RUN(ranges_of_clips_are_checked_to_the_frame);
    RUN(bundles_that_a_bundle_names_are_beside_it);
    RUN(odd_names_of_bundles_have_sidecars_or_none);
    TEST_END();
}
