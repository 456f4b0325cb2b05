// test_gpb_export_material.c: materials exported as the .material file beside a gameplay bundle.
// SPDX-License-Identifier: MIT

#include "gpb_export_help.h"

static float uvs[6] = {0, 0, 1, 0, 0, 1};
static float colors[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};

// A stage whose one mesh has one material, which the test changes.
typedef struct easel {
    stage s;
    tenon_material materials[4];
    tenon_image images[4];
    tenon_primitive *p;
} easel;

static tenon_material plain_material(const char *name)
{
    tenon_material m = {.name = hand_text(name),
                        .base_color = {1, 1, 1, 1},
                        .roughness = 1,
                        .normal_scale = 1,
                        .occlusion_strength = 1,
                        .alpha_cutoff = 0.5,
                        .is_classic = true,
                        .shininess = 1};
    for (int i = 0; i < TENON_SLOT_COUNT; i++)
        m.textures[i] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    return m;
}

static void begin(easel *e)
{
    static const char *const paths[] = {"paint.png", "bumps.png", "shine.png", "light.png"};
    stage_begin(&e->s);
    e->materials[0] = plain_material("paint");
    e->s.h.scene.materials = e->materials;
    e->s.h.scene.material_count = 1;
    for (int i = 0; i < 4; i++)
        e->images[i] = (tenon_image){.name = {"", 0}, .path = hand_text(paths[i])};
    e->s.h.scene.images = e->images;
    e->s.h.scene.image_count = 4;
    e->p = hand_mesh(&e->s.h, "mesh", hand_node(&e->s.h, "node", AT_TOP), triangle, 3);
    e->p->material = 0;
}

static void finish(bundle *b, easel *e)
{
    bundle_free(b);
    stage_end(&e->s);
}

// The text of the .material file; "" if there is none.
static const char *text_of(const bundle *b)
{
    static char text[1 << 16];
    const tn_memory_file *file = tn_memory_find(&b->folder, "model.material");
    size_t size = file && file->size < sizeof text ? file->size : 0;
    if (size) memcpy(text, file->data, size);
    text[size] = '\0';
    return text;
}

static bool says(const bundle *b, const char *words)
{
    bool is_there = strstr(text_of(b), words) != NULL;
    if (!is_there) fprintf(stderr, "no \"%s\" in:\n%s", words, text_of(b));
    return is_there;
}

TEST(a_colored_material_is_written_for_the_engine)
{
    easel e;
    bundle b;
    begin(&e);
    e.materials[0].base_color[1] = 0.25;
    write_stage(&b, &e.s);
    CHECK_STR(text_of(&b),
              "material paint\n"
              "{\n"
              "    u_worldViewProjectionMatrix = WORLD_VIEW_PROJECTION_MATRIX\n"
              "    u_inverseTransposeWorldViewMatrix = INVERSE_TRANSPOSE_WORLD_VIEW_MATRIX\n"
              "    u_ambientColor = SCENE_AMBIENT_COLOR\n"
              "    u_directionalLightColor[0] = 1, 1, 1\n"
              "    u_directionalLightDirection[0] = 0, 0, -1\n"
              "    u_diffuseColor = 1, 0.25, 1, 1\n"
              "    renderState\n"
              "    {\n"
              "        cullFace = true\n"
              "        depthTest = true\n"
              "    }\n"
              "    technique\n"
              "    {\n"
              "        pass\n"
              "        {\n"
              "            vertexShader = res/shaders/colored.vert\n"
              "            fragmentShader = res/shaders/colored.frag\n"
              "            defines = DIRECTIONAL_LIGHT_COUNT 1\n"
              "        }\n"
              "    }\n"
              "}\n");
    CHECK(b.folder.first && strcmp(b.folder.first->name, "model.material") == 0);
    const tenon_gpb_model *model = &gpb_node_named(b.doc, "node").node->model;
    CHECK(model->material_count == 1 && text_is(model->materials[0].name, "paint"));
    CHECK(material_named(b.scene, "paint")->base_color[1] == 0.25);
    finish(&b, &e);
}

TEST(what_the_reader_understands_of_a_material_comes_back)
{
    easel e;
    bundle b;
    begin(&e);
    tenon_material *m = &e.materials[0];
    e.p->uvs[0] = e.p->uvs[1] = uvs;
    m->base_color[0] = 0.5, m->base_color[3] = 0.25;
    m->double_sided = true;
    m->alpha = TENON_BLEND;
    m->specular[0] = m->specular[1] = m->specular[2] = 1;
    m->shininess = 40;
    const tenon_slot slots[] = {TENON_SLOT_BASE_COLOR, TENON_SLOT_NORMAL, TENON_SLOT_SPECULAR,
                                TENON_SLOT_LIGHT_MAP};
    for (uint32_t i = 0; i < 4; i++)
        m->textures[slots[i]] = (tenon_texture){.image = i,
                                                .uv_set = i == 3,
                                                .scale = {2, 3},
                                                .offset = {0.5, -0.25},
                                                .wrap = {TENON_CLAMP, TENON_REPEAT}};
    write_stage(&b, &e.s);
    CHECK(says(&b, "path = bumps.png") && says(&b, "wrapS = CLAMP\n        wrapT = REPEAT"));
    CHECK(says(&b, "u_textureRepeat = 2, 3") && says(&b, "u_textureOffset = 0.5, -1.75"));
    CHECK(says(&b, "defines = DIRECTIONAL_LIGHT_COUNT 1;SPECULAR;BUMPED;LIGHTMAP;MODULATE_COLOR;"
                   "MODULATE_ALPHA;TEXTURE_REPEAT;TEXTURE_OFFSET\n"));
    CHECK(says(&b, "textured.frag") && says(&b, "blend = true") && says(&b, "cullFace = false"));
    const tenon_material *back = material_named(b.scene, "paint");
    CHECK(back && back->base_color[0] == 0.5 && back->base_color[3] == 0.25);
    CHECK(back && back->alpha == TENON_BLEND && back->double_sided && back->shininess == 40);
    for (uint32_t i = 0; back && i < 4; i++) {
        const tenon_texture *t = &back->textures[slots[i]];
        CHECK(t->image != TENON_NONE && t->uv_set == (i == 3) && t->scale[1] == 3);
        CHECK(t->offset[1] == -0.25 && t->wrap[0] == TENON_CLAMP && t->wrap[1] == TENON_REPEAT);
    }
    // A normal map needs tangents.
    CHECK(lost_count(&b.lost, "tangents") == 3 && b.scene->meshes[0].primitives[0].tangents);
    CHECK(lost_count(&b.lost, "textures") == 0 && lost_count(&b.lost, "specular colors") == 0);
    finish(&b, &e);
}

TEST(what_materials_cannot_hold_is_reported)
{
    easel e;
    bundle b;
    begin(&e);
    tenon_material *m = &e.materials[0];
    e.p->uvs[0] = uvs;
    m->is_classic = false;
    m->emissive[2] = 1;
    m->alpha = TENON_MASK;
    m->alpha_cutoff = 0.75;
    m->normal_scale = 2;
    m->textures[TENON_SLOT_BASE_COLOR].image = 0;
    m->textures[TENON_SLOT_BASE_COLOR].rotation = 1;
    m->textures[TENON_SLOT_NORMAL].image = 1;
    m->textures[TENON_SLOT_NORMAL].uv_set = 1;
    m->textures[TENON_SLOT_NORMAL].wrap[0] = TENON_MIRROR;
    m->textures[TENON_SLOT_EMISSIVE].image = 2;
    m->textures[TENON_SLOT_OCCLUSION].image = 3;
    write_stage(&b, &e.s);
    static const char *const features[] = {"metal and roughness", "emissive colors",
                                           "alpha cutoffs",       "strengths of textures",
                                           "places of textures",  "edges of textures"};
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        CHECK(lost_count(&b.lost, features[i]) > 0);
        CHECK_STR(lost_path(&b.lost, features[i]), "materials[0]");
    }
    CHECK(lost_total(&b.lost, "textures") == 3);
    CHECK(says(&b, "TEXTURE_DISCARD_ALPHA"));
    finish(&b, &e);
}

TEST(unlit_materials_have_no_lights)
{
    easel e;
    bundle b;
    begin(&e);
    e.materials[0].is_unlit = true;
    write_stage(&b, &e.s);
    CHECK(!strstr(text_of(&b), "LIGHT") && !strstr(text_of(&b), "defines"));
    CHECK(lost_count(&b.lost, "unlit materials") == 1);
    CHECK(!b.scene->meshes[0].primitives[0].normals);
    finish(&b, &e);
}

// Skinning shaders do not show a rigid mesh, nor the other way round.
TEST(a_material_that_is_used_in_two_ways_becomes_two)
{
    limb l = {0};
    easel e;
    bundle b;
    begin(&e);
    l.joints[0] = hand_node(&e.s.h, "bone", AT_TOP);
    stage_skin(&e.s, &l, "skinned", hand_node(&e.s.h, "body", AT_TOP), 1)->material = 0;
    e.p->colors[0] = colors;
    write_stage(&b, &e.s);
    const tenon_gpb_model *rigid = &gpb_node_named(b.doc, "node").node->model;
    const tenon_gpb_model *body = &gpb_node_named(b.doc, "body").node->model;
    CHECK(text_is(rigid->materials[0].name, "paint"));
    CHECK(text_is(body->materials[0].name, "paint_skinned"));
    CHECK(says(&b, "SKINNING;SKINNING_JOINT_COUNT 1\n") && says(&b, "MATRIX_PALETTE"));
    CHECK(says(&b, "DIRECTIONAL_LIGHT_COUNT 1;VERTEX_COLOR\n"));
    CHECK(lost_count(&b.lost, "materials") == 1 && is_same_pose(&b));
    finish(&b, &e);
}

TEST(what_has_no_material_gets_one)
{
    easel e;
    bundle b;
    begin(&e);
    e.p->material = TENON_NONE;
    write_stage(&b, &e.s);
    CHECK(says(&b, "material unnamed\n") && says(&b, "u_diffuseColor = 1, 1, 1, 1\n"));
    CHECK(lost_total(&b.lost, "materials") == 2);  // One is synthesized, one is not used.
    finish(&b, &e);
}

TEST(names_of_materials_are_words)
{
    easel e;
    bundle b;
    begin(&e);
    e.materials[0].name = hand_text("a {b}: c/d#\xc3\xa9.001");
    e.materials[1] = plain_material("a__b___c_d_\xc3\xa9.001");
    e.s.h.scene.material_count = 2;
    hand_mesh(&e.s.h, "m", hand_node(&e.s.h, "n", AT_TOP), triangle, 3)->material = 1;
    write_stage(&b, &e.s);
    CHECK(says(&b, "material a__b___c_d_\xc3\xa9.001\n"));
    CHECK(says(&b, "material a__b___c_d_\xc3\xa9.001_2\n"));
    CHECK(lost_count(&b.lost, "names of materials") == 2 && b.scene->material_count == 2);
    finish(&b, &e);
}

// Names end between characters: one of two bytes has its second at the limit.
TEST(names_that_are_too_long_end_with_a_whole_character)
{
    easel e;
    bundle b;
    begin(&e);
    char name[1100], want[1200];
    memset(name, 'a', sizeof name);
    memcpy(name + 999, "\xc3\xa9", 2);
    e.materials[0].name = (tenon_str){name, sizeof name};
    write_stage(&b, &e.s);
    snprintf(want, sizeof want, "material %.999s\n", name);
    CHECK(says(&b, want));
    finish(&b, &e);
}

TEST(paths_that_would_break_the_text_are_left_out)
{
    static const char *const paths[] = {"a\nb.png", "{.png", "@alias.png", "a // b.png", "x}.png"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        easel e;
        bundle b;
        begin(&e);
        e.p->uvs[0] = uvs;
        e.images[0].path = hand_text(paths[i]);
        e.materials[0].textures[TENON_SLOT_BASE_COLOR].image = 0;
        write_stage(&b, &e.s);
        CHECK(!strstr(text_of(&b), "sampler") && lost_count(&b.lost, "textures") > 0);
        CHECK(material_named(b.scene, "paint") != NULL);
        finish(&b, &e);
    }
}

TEST(no_material_file_is_written_if_turned_off)
{
    easel e;
    bundle b;
    begin(&e);
    hand_mesh(&e.s.h, "m", hand_node(&e.s.h, "n", AT_TOP), triangle, 3);
    write_with(&b, &e.s.h.scene, (tenon_export_opts){.without_materials = true});
    CHECK(b.is_written && !tn_memory_find(&b.folder, "model.material"));
    const tenon_gpb_model *model = &gpb_node_named(b.doc, "node").node->model;
    CHECK(model->material_count == 1 && text_is(model->materials[0].name, "paint"));
    CHECK(gpb_node_named(b.doc, "n").node->model.material_count == 0);
    CHECK(lost_count(&b.lost, "contents of materials") == 1);
    finish(&b, &e);
}

int main(void)
{
    RUN(a_colored_material_is_written_for_the_engine);
    RUN(what_the_reader_understands_of_a_material_comes_back);
    RUN(what_materials_cannot_hold_is_reported);
    RUN(unlit_materials_have_no_lights);
    RUN(a_material_that_is_used_in_two_ways_becomes_two);
    RUN(what_has_no_material_gets_one);
    RUN(names_of_materials_are_words);
    RUN(names_that_are_too_long_end_with_a_whole_character);
    RUN(paths_that_would_break_the_text_are_left_out);
    RUN(no_material_file_is_written_if_turned_off);
    TEST_END();
}
