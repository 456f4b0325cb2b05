// test_gpb_import.c: the import of gameplay bundles: nodes, meshes and materials; and real files.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../real_files.h"
#include "../scratch.h"
#include "gpb_direct.h"
#include "gpb_import_help.h"
#include "hand_scene.h"

// -- The crane

TEST(the_crane_is_all_there)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy("samples/crane.gpb");
    tenon_scene *s = scene_of(doc, "samples/crane.gpb", &lost);
    CHECK(s->node_count == 22 && s->mesh_count == 1 && s->skin_count == 1);
    CHECK(text_is(s->name, "__SCENE__"));
    CHECK(s->skins[0].joint_count == 19 && s->skins[0].root == s->skins[0].joints[0]);
    for (uint32_t i = 0; i < 19; i++) CHECK(s->nodes[s->skins[0].joints[i]].is_joint);
    const tenon_node *body = &s->nodes[node_named(s, "body")];
    CHECK(body->mesh == 0 && body->skin == 0 && !body->is_joint);
    CHECK(s->meshes[0].primitive_count == 6 && text_is(s->meshes[0].name, "crane"));
    CHECK(s->nodes[node_named(s, "eye")].camera == 0 && s->nodes[node_named(s, "sun")].light == 0);
    CHECK(close_to(s->cameras[0].field_of_view, 40 * 3.14159265358979 / 180, 1e-12));
    CHECK(s->cameras[0].aspect_ratio == 1.5 && s->cameras[0].far_plane == 100);
    CHECK(close_to(s->cameras[0].near_plane, 0.1, 1e-8) && !s->cameras[0].is_orthographic);
    CHECK(s->lights[0].kind == TENON_DIRECTIONAL_LIGHT &&
          close_to(s->lights[0].color[2], 0.95, 1e-7));
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_SCENE, 0, "ambient_color"), "0.2/0.2/0.2");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_SCENE, 0, "active_camera"), "eye");
    CHECK(s->animation_count == 2 && text_is(s->animations[0].name, "travel"));
    CHECK(s->animations[0].duration == 2 && s->animations[1].duration == 1.5);
    CHECK(lost.kinds == 1 && lost_count(&lost, "shaders") == 6);
    done(s, doc);
}

TEST(the_crane_has_its_materials)
{
    tenon_gpb *doc = gpb_open_copy("samples/crane.gpb");
    tenon_scene *s = scene_of(doc, "samples/crane.gpb", NULL);
    CHECK(s->material_count == 6 && s->image_count == 1);
    const tenon_material *paint = &s->materials[0], *glass = material_named(s, "glass");
    CHECK(text_is(paint->name, "paint") && paint->is_classic && paint->shininess == 20);
    CHECK(paint->base_color[0] == 1 && paint->alpha == TENON_OPAQUE && !paint->double_sided);
    CHECK(paint->textures[TENON_SLOT_BASE_COLOR].image == 0 &&
          text_is(s->images[0].path, "crane.png"));
    CHECK(paint->textures[TENON_SLOT_BASE_COLOR].wrap[0] == TENON_REPEAT);
    CHECK(glass && glass->alpha == TENON_BLEND && glass->base_color[3] == 0.5);
    CHECK(glass && close_to(glass->base_color[1], 0.65, 1e-15) && !glass->double_sided);
    CHECK(glass && glass->textures[TENON_SLOT_BASE_COLOR].image == TENON_NONE);
    done(s, doc);
}

TEST(without_its_file_a_material_is_a_name)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy("samples/crane.gpb");
    tenon_scene *s = scene_of(doc, NULL, &lost);
    CHECK(s->material_count == 6 && s->image_count == 0 && !s->materials[0].is_classic);
    CHECK(lost_count(&lost, "materials") == 6);
    CHECK_STR(lost_path(&lost, "materials"), "blocks[1].scene.nodes[1].model.materials[0]");
    done(s, doc);
}

// -- Property files

#define MATERIALS                                                                                \
    "material base : wood\n{\n u_diffuseColor = 1, 0, 0, 1\n u_specularExponent = 4\n"           \
    " technique\n {\n  pass\n  {\n   fragmentShader = res/shaders/textured-unlit.frag\n"         \
    "   u_diffuseColor = 0.5, .25, +1, 1.\n   defines = BUMPED;TEXTURE_DISCARD_ALPHA\n  }\n }\n" \
    " sampler u_diffuseTexture\n {\n  path = res/png/wood.png\n  wrapS = CLAMP\n }\n}\n"         \
    "material wood : base\n{\n u_modulateAlpha = 0.5\n}\n"                                       \
    "material skin : base\n{\n u_diffuseColor = 0, 0, 0, 0\n u_modulateColor = 0.5, 1, 1\n"      \
    " u_textureRepeat = 2, 3\n u_textureOffset = 0.25, 0.5\n renderState\n {\n  blend = true\n"  \
    "  cullFace = true\n }\n sampler u_normalmapTexture\n {\n  path = elsewhere/n.png\n }\n"     \
    " sampler u_sky\n {\n  path = sky.png\n }\n sampler u_lightmapTexture\n {\n  path = @sun\n"  \
    " }\n}\n"

TEST(what_a_material_inherits_counts)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    scratch_save("arm.material", MATERIALS, sizeof MATERIALS - 1);
    CHECK(scratch_make_folder("png"));
    scratch_save("png/wood.png", "", 0);
    tenon_scene *s = scene_of(doc, scratch("arm.gpb"), &lost);
    CHECK(s->material_count == 1);
    const tenon_material *m = &s->materials[0];
    // The pass of the base overrides the heir's value for the whole material.
    CHECK(m->base_color[0] == 0.25 && m->base_color[1] == 0.25 && m->base_color[2] == 1);
    // "base" and "wood" inherit from each other.
    CHECK(m->base_color[3] == 0.5 && m->shininess == 4 && m->is_unlit);
    CHECK(m->specular[0] == 1 && m->specular[1] == 1 && m->specular[2] == 1);
    CHECK(m->alpha == TENON_BLEND && !m->double_sided);
    const tenon_texture *base = &m->textures[TENON_SLOT_BASE_COLOR];
    // The engine's folder "res" is above the model's own.
    CHECK(base->image != TENON_NONE && text_is(s->images[base->image].path, "png/wood.png"));
    CHECK(base->wrap[0] == TENON_CLAMP && base->wrap[1] == TENON_REPEAT);
    // v = 1 is the top in the file: 1 * 3 + 0.5 there is 0 * 3 - 2.5 = 1 - 3.5 here.
    CHECK(base->scale[0] == 2 && base->scale[1] == 3);
    CHECK(base->offset[0] == 0.25 && base->offset[1] == -2.5);
    const tenon_texture *bumps = &m->textures[TENON_SLOT_NORMAL];
    CHECK(bumps->image != TENON_NONE && text_is(s->images[bumps->image].path, "elsewhere/n.png"));
    CHECK(m->textures[TENON_SLOT_LIGHT_MAP].image == TENON_NONE);
    CHECK(lost_count(&lost, "textures") == 1 && lost_count(&lost, "shaders") == 1);
    CHECK(lost_total(&lost, "textures") == 2);
    done(s, doc);
}

// The format's document has them in the bundle; textures are still in the file beside it.
TEST(parameters_in_a_bundle_are_read_like_a_property_file)
{
    static const struct {
        const char *name;
        uint32_t count;
        float numbers[4];
    } says[] = {{"u_diffuseColor", 4, {0.5f, 0.25f, 1, 0.5f}},
                {"u_modulateAlpha", 1, {0.5f}},
                {"u_modulateColor", 3, {0.5f, 1, 0.75f}},
                {"u_specularExponent", 1, {4}},
                {"u_textureRepeat", 2, {2, 3}},
                {"u_textureOffset", 2, {0.25f, 0.5f}}};
    static const char file[] = "material skin\n{\n sampler u_diffuseTexture\n"
                               " {\n  path = wood.png\n }\n}\n";
    tenon_gpb_parameter parameters[6];
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "document_scene.gpb");
    tenon_gpb_material *from = gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[2].model.materials;
    for (uint32_t i = 0; i < 6; i++) {
        parameters[i] = from->parameters[0];
        parameters[i].name = hand_text(says[i].name);
        parameters[i].type = says[i].count;
        own_span(doc, &parameters[i].value, says[i].numbers, says[i].count);
    }
    from->name = hand_text("skin");
    from->entry = 0;
    from->parameters = parameters;
    from->parameter_count = 6;
    scratch_save("arm.material", file, sizeof file - 1);
    tenon_scene *s = scene_of(doc, scratch("arm.gpb"), &lost);
    remove(scratch("arm.material"));
    const tenon_material *m = &s->materials[0];
    CHECK(m->base_color[0] == 0.25 && m->base_color[1] == 0.25 && m->base_color[2] == 0.75);
    CHECK(m->base_color[3] == 0.25 && m->shininess == 4 && m->is_classic);
    CHECK(m->specular[0] == 1 && m->specular[1] == 1 && m->specular[2] == 1);
    const tenon_texture *base = &m->textures[TENON_SLOT_BASE_COLOR];
    CHECK(base->image != TENON_NONE && base->scale[0] == 2 && base->scale[1] == 3);
    CHECK(base->offset[0] == 0.25 && base->offset[1] == -2.5);
    CHECK(lost_count(&lost, "material parameters") == 0);
    done(s, doc);
}

TEST(a_broken_property_file_costs_only_its_values)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    scratch_save("arm.material", "material a\n}\n", 13);
    tenon_scene *s = scene_of(doc, scratch("arm.gpb"), &lost);
    CHECK(s->material_count == 1 && lost_count(&lost, "property files") == 1);
    CHECK_STR(lost_path(&lost, "property files"), "line 2 of the .material file");
    remove(scratch("arm.material"));
    done(s, doc);
}

// A scene of the arm whose material has only this.
static tenon_scene *scene_with_material(const char *body, tenon_gpb **doc)
{
    char text[512];
    int size = snprintf(text, sizeof text, "material skin\n{\n%s\n}\n", body);
    *doc = gpb_open_copy(GPB_SCENE);
    scratch_save("arm.material", text, (size_t)size);
    tenon_scene *s = scene_of(*doc, scratch("arm.gpb"), NULL);
    remove(scratch("arm.material"));
    CHECK(s->material_count == 1);
    return s;
}

// What C reads as a number, and what it does not: then it is ignored.
TEST(numbers_are_spelled_in_many_ways)
{
    static const struct {
        const char *text;
        double want;
    } cases[] = {{"0.5", 0.5},
                 {"0.5f", 0.5},
                 {" .5 ", 0.5},
                 {"+0.5", 0.5},
                 {"2.", 2},
                 {"2.f", 2},
                 {"-.5", -0.5},
                 {"-2", -2},
                 {"007", 7},
                 {"00.5", 0.5},
                 {"5e-1", 0.5},
                 {"", 0},
                 {"\t0.5\t", 0.5},
                 {"-", 0},
                 {"f", 0},
                 {".", 0},
                 {"half", 0},
                 {"0x1", 0},
                 {"0.50000000000000000000000000000000000000000000000000000000000000001", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[200];
        tenon_gpb *doc;
        snprintf(body, sizeof body,
                 "u_textureOffset = %s, 0\nsampler u_diffuseTexture\n{\npath = a.png\n}",
                 cases[i].text);
        tenon_scene *s = scene_with_material(body, &doc);
        double got = s->materials[0].textures[TENON_SLOT_BASE_COLOR].offset[0];
        if (got != cases[i].want) fprintf(stderr, "'%s' is %g\n", cases[i].text, got);
        CHECK(got == cases[i].want);
        done(s, doc);
    }
}

TEST(lists_of_numbers_have_their_size)
{
    static const struct {
        const char *text;
        double want[4];
    } cases[] = {{"0.5, 0.25, 0", {0.5, 0.25, 0, 1}},
                 {"0.5,0.25,0,0.5", {0.5, 0.25, 0, 0.5}},
                 {"0.5,0.25,0,0.5,9", {0.5, 0.25, 0, 0.5}},
                 {"0.5, 0.25", {1, 1, 1, 1}},
                 {"0.5, red, 0", {1, 1, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[96];
        tenon_gpb *doc;
        snprintf(body, sizeof body, "u_diffuseColor = %s", cases[i].text);
        tenon_scene *s = scene_with_material(body, &doc);
        CHECK(memcmp(s->materials[0].base_color, cases[i].want, sizeof cases[i].want) == 0);
        done(s, doc);
    }
}

TEST(words_for_wrapping_are_those_of_the_engine)
{
    static const struct {
        const char *word;
        tenon_wrap want;
    } cases[] = {{"REPEAT", TENON_REPEAT},          {"CLAMP", TENON_CLAMP},
                 {"CLAMP_TO_EDGE", TENON_CLAMP},    {"MIRROR", TENON_MIRROR},
                 {"MIRRORED_REPEAT", TENON_MIRROR}, {"clamp", TENON_REPEAT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[160];
        tenon_gpb *doc;
        snprintf(body, sizeof body, "sampler u_diffuseTexture\n{\npath = a/b/c.png\nwrapT = %s\n}",
                 cases[i].word);
        tenon_scene *s = scene_with_material(body, &doc);
        const tenon_texture *t = &s->materials[0].textures[TENON_SLOT_BASE_COLOR];
        CHECK(t->wrap[0] == TENON_REPEAT && t->wrap[1] == cases[i].want);
        CHECK(text_is(s->images[t->image].path, "a/b/c.png"));  // It does not exist.
        done(s, doc);
    }
    tenon_gpb *doc;
    tenon_scene *s = scene_with_material("sampler u_diffuseTexture\n{\nwrapS = CLAMP\n}", &doc);
    CHECK(s->image_count == 0);  // It has no path.
    done(s, doc);
}

// -- Nodes, cameras, lights

TEST(every_kind_of_camera_and_light_is_there)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    tenon_scene *s = scene_of(doc, NULL, NULL);
    CHECK(s->light_count == 3 && s->lights[0].kind == TENON_DIRECTIONAL_LIGHT);
    CHECK(s->lights[1].kind == TENON_POINT_LIGHT && s->lights[1].range == 3);
    CHECK(s->lights[2].kind == TENON_SPOT_LIGHT && s->lights[2].range == 4);
    CHECK(s->lights[2].inner_angle == 0.125 && s->lights[2].outer_angle == 0.25);
    CHECK(s->camera_count == 2 && s->cameras[0].is_orthographic);
    CHECK(s->cameras[0].half_width == 4 && s->cameras[0].half_height == 3);
    CHECK(close_to(s->cameras[1].field_of_view, 3.14159265358979 / 3, 1e-12));
    CHECK(s->cameras[1].name.size == 0 && text_is(s->cameras[0].name, "plan_Camera"));
    done(s, doc);
}

TEST(what_encoders_forgot_is_reported)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    tenon_gpb_node *nodes = gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes;
    nodes[3].camera.magnification[1] = 0;
    nodes[0].light.color[0] = 4;
    tenon_scene *s = scene_of(doc, NULL, &lost);
    CHECK(close_to(s->cameras[0].half_height, 4 / 1.5, 1e-12) && lost_count(&lost, "cameras") == 1);
    CHECK(s->lights[0].intensity == 4 && s->lights[0].color[0] == 1);
    CHECK(s->lights[0].color[1] == 0.25);
    done(s, doc);
    // Attenuation 1 + d²/8 is a hundred at the square root of 99 * 8; half a degree is the whole
    // cone.
    lost = (losses){0};
    doc = gpb_open_copy(GPB_FOLDER "1_0_attenuation_scene.gpb");
    s = scene_of(doc, NULL, &lost);
    CHECK(close_to(s->lights[0].range, sqrt(792), 1e-9) && lost_count(&lost, "lights") == 1);
    CHECK(close_to(s->lights[0].outer_angle, 0.25 * 3.14159265358979 / 180, 1e-12));
    done(s, doc);
}

TEST(fonts_have_no_scene)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_font.gpb");
    tenon_error err;
    CHECK(tenon_to_scene(&doc->base, NULL, &err) == NULL && err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "a font bundle does not contain a scene");
    tenon_doc_free(&doc->base);
}

TEST(meshes_without_nodes_are_shown)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_meshes_only.gpb");
    tenon_scene *s = scene_of(doc, NULL, &lost);
    CHECK(s->node_count == 1 && s->nodes[0].mesh == 0 && text_is(s->nodes[0].name, "m"));
    const tenon_primitive *p = &s->meshes[0].primitives[0];
    CHECK(p->vertex_count == 1 && p->positions[2] == 3 && !p->indices);
    CHECK(p->mode == TENON_TRIANGLES && lost_count(&lost, "nodes") == 1);
    done(s, doc);
    doc = gpb_open_copy(GPB_FOLDER "1_2_bare_nodes.gpb");
    s = scene_of(doc, NULL, NULL);
    CHECK(s->node_count == 3 && s->nodes[node_named(s, "b")].parent == node_named(s, "a"));
    done(s, doc);
}

// -- Meshes

TEST(parts_have_the_vertices_they_use)
{
    static const tenon_mode modes[6] = {TENON_TRIANGLES,  TENON_TRIANGLES,      TENON_LINES,
                                        TENON_LINE_STRIP, TENON_TRIANGLE_STRIP, TENON_POINTS};
    static const uint32_t counts[6] = {3, 3, 4, 4, 3, 1};
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    tenon_scene *s = scene_of(doc, NULL, NULL);
    const tenon_mesh *mesh = &s->meshes[0];
    CHECK(mesh->primitive_count == 6);
    for (uint32_t i = 0; i < 6; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        char name[3] = {'m', (char)('0' + i), 0};
        CHECK(p->mode == modes[i] && p->index_count == counts[i]);
        CHECK(p->vertex_count == (i == 5 ? 1 : 3));
        CHECK(p->material != TENON_NONE && text_is(s->materials[p->material].name, name));
    }
    // The point is the third vertex of the mesh and the only one of its part.
    CHECK(mesh->primitives[5].indices[0] == 0);
    CHECK(memcmp(mesh->primitives[5].positions, mesh->primitives[0].positions + 6, 12) == 0);
    done(s, doc);
}

// Vertices of all elements that there are, two of them, as the first mesh of a bundle.
static void set_vertices(tenon_gpb *doc, const uint32_t (*elements)[2], uint32_t count,
                         const float *numbers)
{
    tenon_gpb_mesh *mesh = &gpb_block(doc, TENON_GPB_MESH)->body.mesh;
    static tenon_element described[16];
    static tenon_layout layout;
    mesh->elements = tenon_doc_alloc(&doc->base, count * sizeof *mesh->elements);
    if (!mesh->elements) abort();
    layout = (tenon_layout){.elements = described, .element_count = count};
    for (uint32_t i = 0; i < count; i++) {
        mesh->elements[i] = (tenon_gpb_element){elements[i][0], elements[i][1]};
        described[i] = (tenon_element){"", TENON_TYPE_F32, elements[i][1], 0, layout.stride};
        layout.stride += 4 * (uint64_t)elements[i][1];
    }
    mesh->element_count = count;
    mesh->part_count = 0;
    uint8_t *bytes = tenon_doc_alloc(&doc->base, 2 * (size_t)layout.stride);
    if (!bytes) abort();
    wire_copy(bytes, numbers, 2 * (size_t)layout.stride / 4, 4);
    mesh->vertices = (tenon_span){bytes, 2 * layout.stride, 2, &layout, false};
}

TEST(vertices_have_any_elements_in_any_order)
{
    static const uint32_t elements[][2] = {{15, 2}, {3, 3},  {5, 3}, {9, 1}, {4, 3}, {8, 2},
                                           {2, 3},  {77, 1}, {1, 2}, {8, 2}, {6, 4}};
    static const float numbers[2][26] = {
        {0.5f, 0.25f, 1, 0.5f, 0, 0, 1, 0, 0.75f, 1, 0, 0, 0.125f, 0.25f, 0, 0, 1, 9, 4, 5, 8, 8},
        {0, 1, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 9, 6, 7, 8, 8},
    };
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    set_vertices(doc, elements, 11, numbers[0]);
    tenon_scene *s = scene_of(doc, NULL, &lost);
    const tenon_primitive *p = &s->meshes[0].primitives[0];
    CHECK(p->vertex_count == 2 && !p->indices && p->influence_count == 0);
    CHECK(p->positions[0] == 4 && p->positions[1] == 5 && p->positions[2] == 0);
    CHECK(p->positions[3] == 6 && p->positions[4] == 7);
    CHECK(p->normals[2] == 1 && p->tangents[0] == 1);
    // Z × X is Y: the first binormal has that sign, the second the other.
    CHECK(p->tangents[3] == 1 && p->tangents[7] == -1);
    CHECK(p->uvs[0][0] == 0.125f && p->uvs[0][1] == 0.75f && p->uvs[0][3] == 0);
    CHECK(p->uvs[1][0] == 0.75f && p->uvs[1][1] == 1);
    CHECK(p->uvs[7][0] == 0.5f && p->uvs[7][1] == 0.75f && !p->uvs[2]);
    CHECK(p->colors[0][1] == 0.5f && p->colors[0][3] == 1);
    CHECK(lost_count(&lost, "vertex elements") == 2);
    done(s, doc);
}

TEST(nodes_share_a_mesh_if_their_materials_are_the_same)
{
    tenon_gpb *doc = gpb_open_copy(GPB_FOLDER "1_5_branches.gpb");
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    tenon_gpb_material other[6];
    for (uint32_t i = 0; i < 3; i++) scene->nodes[i].model = scene->nodes[8].model;
    memcpy(other, scene->nodes[8].model.materials, sizeof other);
    other[5].name = (tenon_str){"gold", 4};
    scene->nodes[1].model.materials = other;
    scene->nodes[2].model.material_count = 1;
    tenon_scene *s = scene_of(doc, NULL, NULL);
    CHECK(s->mesh_count == 3 && s->nodes[0].mesh == s->nodes[8].mesh);
    CHECK(s->nodes[1].mesh != s->nodes[0].mesh && s->nodes[2].mesh != s->nodes[0].mesh);
    const tenon_primitive *gilded = &s->meshes[s->nodes[1].mesh].primitives[5];
    CHECK(text_is(s->materials[gilded->material].name, "gold"));
    CHECK(s->meshes[s->nodes[2].mesh].primitives[1].material == TENON_NONE);
    done(s, doc);
}

// -- Files

static double compare_file(const tenon_gpb *doc, const char *path)
{
    static direct d;
    double most = 0;
    tenon_error err;
    direct_begin(&d, doc);
    tenon_scene *s = scene_of(doc, path, NULL);
    tenon_pose *pose = tenon_pose_new(s, NULL, &err);
    if (!pose) abort();
    most = direct_compare(&d, s, pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < s->animation_count; i++) {
        const tenon_channel *c = &s->animations[i].channels[0];
        uint32_t step = c->key_count / 5 + 1;
        for (uint32_t k = 0; k < c->key_count; k += step)
            most = fmax(most, direct_compare(&d, s, pose, i, c->times[k]));
    }
    tenon_pose_free(pose);
    tenon_scene_free(s);
    return most;
}

TEST(the_crane_is_where_the_document_says)
{
    tenon_gpb *doc = gpb_open_copy("samples/crane.gpb");
    double most = compare_file(doc, "samples/crane.gpb");
    if (!(most <= 1e-6)) fprintf(stderr, "off by %g of the diagonal\n", most);
    CHECK(most <= 1e-6);
    tenon_doc_free(&doc->base);
}

static double most_off;  // Of all real files, in diagonals.
static unsigned scenes;  // Those that are not fonts.

static void check_real_file(const char *path)
{
    tenon_gpb *doc = gpb_open_copy(path);
    bool is_font = doc->block_count && doc->blocks[0].kind == TENON_GPB_FONT;
    double off = is_font ? 0 : compare_file(doc, path);
    if (!(off <= 1e-5)) fprintf(stderr, "%s: off by %g of the diagonal\n", path, off);
    CHECK(off <= 1e-5);
    if (off > most_off) most_off = off;
    scenes += !is_font;
    tenon_doc_free(&doc->base);
}

TEST(every_real_scene_is_where_the_document_says)
{
    real_files_each("gpb", ".gpb", check_real_file);
    CHECK(scenes > 0 || !real_files());
    printf("# %u real scenes, off by at most %.1e of the diagonal\n", scenes, most_off);
}

int main(void)
{
    scratch_begin();
    RUN(the_crane_is_all_there);
    RUN(the_crane_has_its_materials);
    RUN(without_its_file_a_material_is_a_name);
    RUN(what_a_material_inherits_counts);
    RUN(parameters_in_a_bundle_are_read_like_a_property_file);
    RUN(a_broken_property_file_costs_only_its_values);
    RUN(numbers_are_spelled_in_many_ways);
    RUN(lists_of_numbers_have_their_size);
    RUN(words_for_wrapping_are_those_of_the_engine);
    RUN(every_kind_of_camera_and_light_is_there);
    RUN(what_encoders_forgot_is_reported);
    RUN(fonts_have_no_scene);
    RUN(meshes_without_nodes_are_shown);
    RUN(parts_have_the_vertices_they_use);
    RUN(vertices_have_any_elements_in_any_order);
    RUN(nodes_share_a_mesh_if_their_materials_are_the_same);
    RUN(the_crane_is_where_the_document_says);
    RUN(every_real_scene_is_where_the_document_says);
    scratch_end();
    REAL_FILES_END();
}
