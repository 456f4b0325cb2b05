// test_bbmod_export_material.c: materials exported beside BBMOD models, and found again.
// SPDX-License-Identifier: MIT

#include "bbmod_export_help.h"

// -- Files

// A triangle for each of some materials, which the test then changes.
static void make_painted(const char *const *names, uint32_t count)
{
    start(NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mesh = add_triangle(&b, "tri", (float)i, TN_WITH_UV0);
        b.scene->meshes[mesh].primitives->material = tn_add_material(&b, str(names[i]));
        add_mesh_node(&b, "tri", TENON_NONE, mesh);
    }
}

static tenon_material *make_paint(void)
{
    static const char *const names[] = {"paint"};
    make_painted(names, 1);
    return b.scene->materials;
}

// The material of a file that was written, to be freed.
static tenon_bbmat *made_material(const char *name)
{
    tenon_error err;
    const kept_file *file = kept_named(&k, name);
    tenon_bbmat *m = file ? tenon_bbmat_read(file->bytes, file->size, NULL, &err) : NULL;
    CHECK(m != NULL);
    return m;
}

static bool value_is(const tenon_bbmat *m, const char *path, const char *want)
{
    tenon_str got = tenon_bbmat_get(m, path);
    bool is_same = got.data && got.size == strlen(want) && memcmp(got.data, want, got.size) == 0;
    if (!is_same) fprintf(stderr, "%s is '%.*s'\n", path, (int)got.size, got.data ? got.data : "");
    return is_same;
}

static bool is_unsaid(const tenon_bbmat *m, const char *path)
{
    return tenon_bbmat_get(m, path).data == NULL;
}

// -- Values

TEST(a_plain_material_has_what_engines_need)
{
    make_paint();
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmat *m = made_material("box_paint.bbmat");
    CHECK(value_is(m, "__MaterialName", "BBMOD_MATERIAL_DEFAULT"));
    CHECK(value_is(m, "RenderQueue", "Default"));
    CHECK(value_is(m, "BaseOpacityMultiplier.Red", "255"));
    CHECK(value_is(m, "BaseOpacityMultiplier.Alpha", "1"));
    CHECK(value_is(m, "Repeat", "false"));
    CHECK(is_unsaid(m, "Culling") && is_unsaid(m, "AlphaTest") && is_unsaid(m, "AlphaBlend"));
    CHECK(is_unsaid(m, "TextureOffset.X") && m->texture_count == 0);
    tenon_bbmat_free(m);
    done();
}

TEST(colors_are_srgb)
{
    static const double color[4] = {0.21586050011389926, 0, 1, 0.25};  // 128, 0, 255.
    tenon_material *paint = make_paint();
    memcpy(paint->base_color, color, sizeof color);
    paint->double_sided = true;
    paint->is_unlit = true;
    paint->alpha = TENON_MASK;
    paint->alpha_cutoff = 0.75;
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmat *m = made_material("box_paint.bbmat");
    CHECK(value_is(m, "BaseOpacityMultiplier.Red", "128"));
    CHECK(value_is(m, "BaseOpacityMultiplier.Green", "0"));
    CHECK(value_is(m, "BaseOpacityMultiplier.Blue", "255"));
    CHECK(value_is(m, "BaseOpacityMultiplier.Alpha", "0.25"));
    CHECK(value_is(m, "Culling", "cull_noculling") && value_is(m, "AlphaTest", "0.75"));
    CHECK(value_is(m, "__MaterialName", "BBMOD_MATERIAL_DEFAULT_UNLIT"));
    tenon_bbmat_free(m);
    done();
}

TEST(textures_have_their_slots)
{
    tenon_material *paint = make_paint();
    tn_set_texture(&b, 0, TENON_SLOT_BASE_COLOR, str("wall.png"));
    tn_set_texture(&b, 0, TENON_SLOT_NORMAL, str("bumps.png"));
    tn_set_texture(&b, 0, TENON_SLOT_EMISSIVE, str("glow.png"));
    tn_set_texture(&b, 0, TENON_SLOT_OCCLUSION, str("dark.png"));
    paint->emissive[0] = paint->emissive[1] = paint->emissive[2] = 1;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        paint->textures[slot].offset[1] = 0.5;
        paint->textures[slot].scale[0] = 2;
    }
    paint->alpha = TENON_BLEND;
    CHECK(make_bbmod((tenon_export_opts){.texture_root = "../skins"}));
    tenon_bbmat *m = made_material("box_paint.bbmat");
    CHECK(m->texture_count == 3);
    CHECK(value_is(m, "__Textures.BaseOpacity", "../skins/wall.png"));
    CHECK(value_is(m, "__Textures.NormalRoughness", "../skins/bumps.png"));
    CHECK(value_is(m, "__Textures.Emissive", "../skins/glow.png"));
    CHECK(value_is(m, "TextureOffset.Y", "0.5") && value_is(m, "TextureScale.X", "2"));
    CHECK(value_is(m, "Repeat", "true") && value_is(m, "AlphaBlend", "true"));
    CHECK(reported(TENON_DROPPED, "metallic, roughness and occlusion textures")->count == 1);
    CHECK(reported(TENON_APPROXIMATED, "normal textures")->count == 1);
    CHECK(reported(TENON_APPROXIMATED, "emissive textures and light maps")->count == 1);
    CHECK(!reported(TENON_DROPPED, "emissive colors"));
    CHECK(!reported(TENON_APPROXIMATED, "places of textures"));
    tenon_bbmat_free(m);
    done();
}

TEST(specular_textures_contain_smoothness)
{
    tenon_material *paint = make_paint();
    tn_set_texture(&b, 0, TENON_SLOT_SPECULAR, str("shine.png"));
    tn_set_texture(&b, 0, TENON_SLOT_NORMAL, str("bumps.png"));
    tn_set_texture(&b, 0, TENON_SLOT_LIGHT_MAP, str("light.png"));
    paint->is_classic = true;
    paint->specular[0] = paint->specular[1] = paint->specular[2] = 1;
    paint->textures[TENON_SLOT_LIGHT_MAP].uv_set = 1;
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmat *m = made_material("box_paint.bbmat");
    CHECK(value_is(m, "__Textures.SpecularColor", "shine.png"));
    CHECK(value_is(m, "__Textures.NormalSmoothness", "bumps.png"));
    CHECK(value_is(m, "__Textures.Lightmap", "light.png"));
    CHECK(value_is(m, "__MaterialName", "BBMOD_MATERIAL_DEFAULT_LIGHTMAP"));
    CHECK(!reported(TENON_DROPPED, "specular colors"));
    CHECK(!reported(TENON_APPROXIMATED, "places of textures"));
    tenon_bbmat_free(m);
    done();
}

// Each value that BBMOD cannot hold, and the loss that is reported.
TEST(every_loss_is_reported)
{
    static const struct {
        size_t offset;
        double value;
        tenon_loss_kind kind;
        const char *feature;
    } rows[] = {
        {offsetof(tenon_material, metallic), 1, TENON_DROPPED, "metallic and roughness"},
        {offsetof(tenon_material, roughness), 0.5, TENON_DROPPED, "metallic and roughness"},
        {offsetof(tenon_material, emissive), 0.5, TENON_DROPPED, "emissive colors"},
        {offsetof(tenon_material, normal_scale), 2, TENON_DROPPED,
         "strength of normals and occlusion"},
        {offsetof(tenon_material, occlusion_strength), 0.5, TENON_DROPPED,
         "strength of normals and occlusion"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tenon_material *paint = make_paint();
        CHECK(make_bbmod((tenon_export_opts){0}));
        CHECK(!reported(rows[i].kind, rows[i].feature));
        memcpy((char *)paint + rows[i].offset, &rows[i].value, sizeof rows[i].value);
        CHECK(make_bbmod((tenon_export_opts){0}));
        CHECK(reported(rows[i].kind, rows[i].feature));
        done();
    }
}

TEST(texture_transforms_that_cannot_be_held_are_reported)
{
    for (int i = 0; i < 6; i++) {
        tenon_material *paint = make_paint();
        tn_set_texture(&b, 0, TENON_SLOT_BASE_COLOR, str("wall.png"));
        tn_set_texture(&b, 0, TENON_SLOT_NORMAL, str("bumps.png"));
        tenon_texture *t = &paint->textures[TENON_SLOT_NORMAL];
        if (i == 1) t->rotation = 1;
        if (i == 2) t->uv_set = 1;
        if (i == 3) t->offset[0] = 1;
        if (i == 4) t->wrap[0] = t->wrap[1] = TENON_CLAMP;
        if (i == 5) t->wrap[1] = TENON_MIRROR;
        CHECK(make_bbmod((tenon_export_opts){0}));
        CHECK((reported(TENON_APPROXIMATED, "places of textures") != NULL) == (i > 0));
        done();
    }
}

// -- Extras

TEST(what_only_material_files_have_comes_back)
{
    make_paint();
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.__MaterialName", str("MY_MATERIAL"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.RenderQueue", str("Late"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.MipBias", str("-1.50"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.ZWrite", str("false"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.Shaders.Forward", str("MY_SHADER"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.Shaders.Shadows", str("undefined"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, "bbmat.__Textures.MetallicAO", str("ma.png"));
    CHECK(make_bbmod((tenon_export_opts){.texture_root = "../"}));
    tenon_bbmat *m = made_material("box_paint.bbmat");
    CHECK(value_is(m, "__MaterialName", "MY_MATERIAL") && value_is(m, "RenderQueue", "Late"));
    CHECK(value_is(m, "MipBias", "-1.50") && value_is(m, "ZWrite", "false"));
    CHECK(value_is(m, "Shaders.Forward", "MY_SHADER"));
    CHECK(value_is(m, "Shaders.Shadows", "undefined"));
    CHECK(value_is(m, "__Textures.MetallicAO", "../ma.png"));
    CHECK(!reported(TENON_DROPPED, "extras"));
    tenon_bbmat_free(m);
    done();
}

// A file must not have a key twice, whatever a scene contains.
TEST(extras_cannot_break_a_file)
{
    static const char *const names[] = {
        "bbmat.Repeat", "bbmat.A", "bbmat.A", "bbmat.A.B", "bbmat.C.D",
        "bbmat.C.D",    "bbmat.C", "bbmat.",  "bbmat..",   "bbmat.__Textures.BaseOpacity",
        "other"};
    make_paint();
    tn_set_texture(&b, 0, TENON_SLOT_BASE_COLOR, str("wall.png"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, names[i], str("\"\\\n"));
    for (int i = 0; i < 400; i++) {
        char name[32];
        snprintf(name, sizeof name, "bbmat.number%d", i);
        tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, 0, name, str("1e5"));
    }
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmat *m = made_material("box_paint.bbmat");
    CHECK(value_is(m, "A", "\"\\\n") && value_is(m, "C.D", "\"\\\n"));
    CHECK(value_is(m, "Repeat", "true") && value_is(m, "number100", "1e5"));
    CHECK(value_is(m, "__Textures.BaseOpacity", "wall.png"));
    CHECK(reported(TENON_DROPPED, "values of materials")->count > 0);
    CHECK(reported(TENON_DROPPED, "extras")->count == 2);
    tenon_bbmat_free(m);
    done();
}

// -- Names

// The engine looks for MODEL_MATERIAL.bbmat: names must be valid file names.
TEST(names_and_files_agree)
{
    static const char *const names[] = {"paint", "Paint", "a/b", "", "paint"};
    static const char *const files[] = {"box_paint.bbmat", "box_Paint_2.bbmat", "box_a_b.bbmat",
                                        "box_Material.bbmat", "box_paint_3.bbmat"};
    make_painted(names, 5);
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    for (uint32_t i = 0; i < 5; i++) {
        char file[64];
        snprintf(file, sizeof file, "box_%s.bbmat", model->material_names[i].data);
        CHECK_STR(file, files[i]);
        CHECK(kept_named(&k, file) && model->meshes[i].material_index == i);
    }
    CHECK(reported(TENON_APPROXIMATED, "names of materials")->count == 4);
    tenon_doc_free(&model->base);
    done();
}

TEST(files_can_be_left_out_or_be_without_the_prefix)
{
    static const char *const names[] = {"paint", "paint"};
    make_painted(names, 2);
    CHECK(make_bbmod((tenon_export_opts){.without_materials = true}));
    tenon_bbmod *model = made_model();
    CHECK(k.file_count == 1);
    CHECK_STR(model->material_names[1].data, "paint_2");
    CHECK(reported(TENON_DROPPED, "materials")->count == 2);
    tenon_doc_free(&model->base);
    CHECK(make_bbmod((tenon_export_opts){.without_prefix = true}));
    CHECK(kept_named(&k, "paint.bbmat") && kept_named(&k, "paint_2.bbmat"));
    done();
}

TEST(meshes_without_a_material_get_one)
{
    static const char *const names[] = {"DefaultMaterial", "paint"};
    make_painted(names, 2);
    b.scene->meshes[1].primitives->material = TENON_NONE;
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    CHECK(model->material_count == 3 && model->meshes[1].material_index == 2);
    CHECK_STR(model->material_names[2].data, "DefaultMaterial_2");
    CHECK(k.file_count == 3);
    CHECK(reported(TENON_SYNTHESIZED, "materials")->count == 1);
    CHECK(errors_in("", NULL) == 0);
    tenon_doc_free(&model->base);
    done();
}

int main(void)
{
    RUN(a_plain_material_has_what_engines_need);
    RUN(colors_are_srgb);
    RUN(textures_have_their_slots);
    RUN(specular_textures_contain_smoothness);
    RUN(every_loss_is_reported);
    RUN(texture_transforms_that_cannot_be_held_are_reported);
    RUN(what_only_material_files_have_comes_back);
    RUN(extras_cannot_break_a_file);
    RUN(names_and_files_agree);
    RUN(files_can_be_left_out_or_be_without_the_prefix);
    RUN(meshes_without_a_material_get_one);
    TEST_END();
}
