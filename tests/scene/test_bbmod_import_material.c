// test_bbmod_import_material.c: the material files beside a BBMOD model, as materials of a scene.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "bbmod_import_help.h"

#include "../scratch.h"

#include <tenon/files.h>

static const char paint[] =
    "{\"__MaterialName\": \"BBMOD_MATERIAL_DEFAULT_UNLIT\", \"RenderQueue\": \"Default\",\n"
    " \"Shaders\": {\"Forward\": \"BBMOD_SHADER\", \"Odd\": [1]}, \"Culling\": "
    "\"cull_noculling\",\n"
    " \"BaseOpacityMultiplier\": {\"Red\": 255.0, \"Green\": 0, \"Blue\": 188, \"Alpha\": 0.5},\n"
    " \"TextureOffset\": {\"X\": 0.25, \"Y\": 0.5}, \"TextureScale\": {\"X\": 2, \"Y\": 4},\n"
    " \"AlphaTest\": 0.75, \"Repeat\": true, \"ZWrite\": false, \"Anisotropy\": 16,\n"
    " \"__Textures\": {\"BaseOpacity\": \"skins\\\\red.png\", \"NormalSmoothness\": \"n.png\",\n"
    "  \"Lightmap\": {\"Path\": \"light.png\", \"SHA1\": \"00\"}, \"Emissive\": \"e.png\",\n"
    "  \"MetallicAO\": {\"Path\": \"m.png\", \"SHA1\": \"11\"}, \"Subsurface\": \"\"}}\n";

static tenon_str extra_of(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->extra_count; i++)
        if (is_named(scene->extras[i].name, name)) return scene->extras[i].value;
    return (tenon_str){"(none)", 6};
}

static bool has_texture(const bbmod_made *m, tenon_slot slot, const char *path)
{
    uint32_t image = m->scene->materials[0].textures[slot].image;
    if (image == TENON_NONE) return path == NULL;
    return path && is_named(m->scene->images[image].path, path);
}

static void save(const char *path, const char *text)
{
    tenon_error err;
    tenon_write_opts opts = {.force = true};
    CHECK(tenon_save(path, text, strlen(text), &opts, &err));
}

static void check_paint(const bbmod_made *m)
{
    const tenon_material *paint_made = &m->scene->materials[0];
    const tenon_texture *base = &paint_made->textures[TENON_SLOT_BASE_COLOR];
    CHECK(near(paint_made->base_color[0], 1) && near(paint_made->base_color[1], 0));
    CHECK(near(paint_made->base_color[2], 0.5028865) && near(paint_made->base_color[3], 0.5));
    CHECK(paint_made->double_sided && paint_made->is_unlit);
    CHECK(paint_made->alpha == TENON_MASK && near(paint_made->alpha_cutoff, 0.75));
    CHECK(near(base->offset[0], 0.25) && near(base->scale[1], 4) && base->wrap[0] == TENON_REPEAT);
    CHECK(has_texture(m, TENON_SLOT_BASE_COLOR, "skins/red.png"));
    CHECK(has_texture(m, TENON_SLOT_NORMAL, "n.png"));
    CHECK(has_texture(m, TENON_SLOT_EMISSIVE, "e.png") && near(paint_made->emissive[0], 1));
    CHECK(has_texture(m, TENON_SLOT_LIGHT_MAP, "light.png"));
    CHECK(paint_made->textures[TENON_SLOT_LIGHT_MAP].uv_set == 1 && base->uv_set == 0);
    CHECK(has_texture(m, TENON_SLOT_METALLIC_ROUGHNESS, NULL));
}

TEST(material_files_beside_the_model_are_used)
{
    bbmod_made m = open_model(MODELS "3.4_static.bbmod");
    save(scratch("paint.bbmat"), paint);
    make_with(&m, (tenon_scene_opts){.model_path = scratch("plane.bbmod")});
    CHECK(m.scene != NULL);
    check_paint(&m);
    CHECK(is_named(extra_of(m.scene, "bbmat.RenderQueue"), "(none)"));  // It is the usual one.
    CHECK(is_named(extra_of(m.scene, "bbmat.Shaders.Forward"), "BBMOD_SHADER"));
    CHECK(is_named(extra_of(m.scene, "bbmat.ZWrite"), "false"));
    CHECK(is_named(extra_of(m.scene, "bbmat.Anisotropy"), "16"));
    CHECK(is_named(extra_of(m.scene, "bbmat.__Textures.MetallicAO"), "m.png"));
    CHECK(is_named(extra_of(m.scene, "bbmat.AlphaTest"), "(none)"));
    CHECK(lost(&m.losses, TENON_DROPPED, "textures", "material_names[0]") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "values of materials", "material_names[0]") == 1);
    CHECK(lost(&m.losses, TENON_APPROXIMATED, "normal textures", "material_names[0]") == 1);
    // Without the path there is no search.
    make(&m);
    CHECK(m.scene->image_count == 0 && near(m.scene->materials[0].base_color[1], 1));
    made_free(&m);
}

TEST(a_broken_material_file_costs_that_material_only)
{
    static const char *const texts[] = {
        "{", "[1]", "{\"__Textures\": 7, \"Culling\": {}}",
        "{\"__Textures\": {\"BaseOpacity\": 3}}",
        "{\"BaseOpacityMultiplier\": {\"Red\": -5, \"Blue\": 1e300}}"};
    for (int i = 0; i < 5; i++) {
        bbmod_made m = open_model(MODELS "3.4_static.bbmod");
        save(scratch("plane_paint.bbmat"), texts[i]);
        make_with(&m, (tenon_scene_opts){.model_path = scratch("plane.bbmod")});
        CHECK(m.scene && m.scene->material_count == 1);
        CHECK(lost(&m.losses, TENON_DROPPED, "materials", "material_names[0]") == (i < 2));
        made_free(&m);
    }
}

int main(void)
{
    scratch_begin();
    RUN(material_files_beside_the_model_are_used);
    RUN(a_broken_material_file_costs_that_material_only);
    scratch_end();
    TEST_END();
}
