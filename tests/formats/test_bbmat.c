// test_bbmat.c: material files of BBMOD: read, changed, written, found and shown.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "model_help.h"

#include "../scratch.h"

#include <tenon/bbmod.h>
#include <tenon/files.h>

static const char steel[] = "{\n"
                            "    \"__MaterialName\": \"BBMOD_MATERIAL_DEFAULT\",\n"
                            "    \"Unknown\": [1, 2.50, {\"deep\": null}],\n"
                            "    \"BaseOpacityMultiplier\": {\"Red\": 128, \"Alpha\": 0.5},\n"
                            "    \"TextureScale\": {\"X\": 2.0, \"Y\": 4.0},\n"
                            "    \"__Textures\": {\n"
                            "        \"NormalRoughness\": \".\\\\steel_nr.png\",\n"
                            "        \"BaseOpacity\": {\"Path\": \"steel.png\", \"SHA1\": \"\"}\n"
                            "    }\n"
                            "}\n";

static tenon_bbmat *open_steel(void)
{
    tenon_error err;
    tenon_bbmat *material = tenon_bbmat_read(steel, sizeof steel - 1, NULL, &err);
    if (material) return material;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

static blob text_of(const tenon_bbmat *material)
{
    blob text = {0};
    CHECK(tenon_bbmat_write(material, blob_add, &text, NULL));
    blob_add(&text, "", 1);
    return text;
}

static bool str_is(tenon_str text, const char *expected)
{
    return text.data && text.size == strlen(expected) &&
           memcmp(text.data, expected, text.size) == 0;
}

TEST(a_material_is_read)
{
    tenon_bbmat *material = open_steel();
    CHECK(str_is(material->material_name, "BBMOD_MATERIAL_DEFAULT"));
    CHECK(material->base_opacity_multiplier[0] == 128);
    CHECK(material->base_opacity_multiplier[1] == 255);
    CHECK(material->base_opacity_multiplier[3] == 0.5);
    CHECK(material->texture_offset[0] == 0 && material->texture_scale[1] == 4);
    CHECK(material->texture_count == 2);
    CHECK(str_is(material->textures[0].slot, "NormalRoughness"));
    CHECK(str_is(material->textures[0].path, ".\\steel_nr.png"));
    CHECK(str_is(material->textures[1].path, "steel.png"));
    CHECK(str_is(tenon_bbmat_get(material, "TextureScale.X"), "2.0"));
    CHECK(tenon_bbmat_get(material, "TextureScale.Z").data == NULL);
    CHECK(tenon_bbmat_get(material, "__Textures").data == NULL);
    CHECK(tenon_bbmat_get(material, "No.Such.Key").data == NULL);
    tenon_bbmat_free(material);
}

TEST(a_material_is_written_back_byte_for_byte)
{
    tenon_bbmat *material = open_steel();
    blob text = text_of(material);
    CHECK_STR((const char *)text.data, steel);
    blob_free(&text);
    tenon_bbmat_free(material);
}

TEST(a_change_leaves_the_rest_as_it_was)
{
    tenon_error err;
    tenon_bbmat *material = open_steel();
    CHECK(tenon_bbmat_set_text(material, "__Textures.NormalRoughness", "new.png", &err));
    CHECK(tenon_bbmat_set_number(material, "BaseOpacityMultiplier.Alpha", 0.25, &err));
    CHECK(material->base_opacity_multiplier[3] == 0.25);
    CHECK(str_is(material->textures[0].path, "new.png"));
    blob text = text_of(material);
    char *expected = malloc(sizeof steel);
    memcpy(expected, steel, sizeof steel);
    char *at = strstr(expected, ".\\\\steel_nr.png");
    memcpy(at, "new.png", 7);
    memmove(at + 7, at + 15, strlen(at + 15) + 1);
    at = strstr(expected, "0.5}");
    memmove(at + 5, at + 4, strlen(at + 4) + 1);
    memcpy(at, "0.25}", 5);
    CHECK_STR((const char *)text.data, expected);
    free(expected);
    blob_free(&text);
    CHECK(!tenon_bbmat_set_text(material, "Nothing.Here", "x", &err));
    CHECK(err.code == TENON_ERR_VALUE);
    tenon_bbmat_free(material);
}

TEST(what_is_not_a_material_is_refused)
{
    static const struct {
        const char *text, *message;
        uint64_t line;
    } cases[] = {
        {"[]", "a material must be an object, not an array", 1},
        {"{\n\"a\": 1,\n\"a\": 2}", NULL, 3},
        {"{\"a\": }", NULL, 1},
        {"", NULL, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_error err;
        CHECK(!tenon_bbmat_read(cases[i].text, strlen(cases[i].text), NULL, &err));
        CHECK(err.code == TENON_ERR_VALUE && err.line == cases[i].line);
        if (cases[i].message) CHECK_STR(err.message, cases[i].message);
    }
    CHECK(!tenon_bbmat_read(steel, sizeof steel - 1, &(tenon_read_opts){.max_memory = 100}, NULL));
}

// -- Beside a model

static const char *save(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch(name);
    tenon_error err;
    CHECK(tenon_save(path, bytes, size, NULL, &err));
    return path;
}

typedef struct reported {
    char rules[256];
} reported;

static void note_finding(void *user, const tenon_finding *finding)
{
    reported *t = user;
    size_t size = strlen(t->rules);
    snprintf(t->rules + size, sizeof t->rules - size, "%s@%s ", finding->rule->id, finding->path);
}

TEST(material_files_are_found_shown_and_checked)
{
    blob model = blob_load("tests/fixtures/bbmod/3.4_full.bbmod");
    char out[4200];
    tenon_error err;
    tenon_info info;
    reported t = {{0}};
    save("paint.bbmat", "{]", 2);
    save("car_steel.bbmat", steel, sizeof steel - 1);
    save("steel.bbmat", "{}", 2);
    const char *path = save("car.bbmod", model.data, model.size);
    CHECK(tenon_bbmat_find(NULL, path, (tenon_str){"steel", 5}, out, sizeof out));
    CHECK(strstr(out, "car_steel.bbmat") != NULL);
    CHECK(tenon_bbmat_find(NULL, path, (tenon_str){"paint", 5}, out, sizeof out));
    CHECK(!tenon_bbmat_find(NULL, path, (tenon_str){"none", 4}, out, sizeof out));
    CHECK(!tenon_bbmat_find(NULL, path, (tenon_str){"../paint", 8}, out, sizeof out));

    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.model_path = path}, &info, &err));
    CHECK(str_is(info.material_list[1].texture, "steel.png"));
    CHECK(info.material_list[0].texture.size == 0);
    CHECK(strstr(info.facts[info.fact_count - 2].text, "paint.bbmat: unreadable, line 1: ") ==
          info.facts[info.fact_count - 2].text);
    CHECK_STR(info.facts[info.fact_count - 1].text,
              "car_steel.bbmat: BBMOD_MATERIAL_DEFAULT, textures: 2");
    tenon_info_free(&info);
    CHECK(tenon_check(doc, &(tenon_check_opts){.model_path = path}, note_finding, &t, NULL, &err));
    CHECK_STR(t.rules, "bbmod/material-file@material_names[0] "
                       "bbmod/texture-missing@material_names[1] "
                       "bbmod/texture-missing@material_names[1] ");
    tenon_doc_free(doc);
    blob_free(&model);
}

TEST(textures_outside_the_folder_are_reported)
{
    static const char outside[] = "{\"__Textures\": {\"BaseOpacity\": \"../paint.png\"}}";
    blob model = blob_load("tests/fixtures/bbmod/3.4_static.bbmod");
    tenon_error err;
    reported t = {{0}};
    save("box_paint.bbmat", outside, sizeof outside - 1);
    const char *path = save("box.bbmod", model.data, model.size);
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    CHECK(tenon_check(doc, &(tenon_check_opts){.model_path = path}, note_finding, &t, NULL, &err));
    CHECK_STR(t.rules, "bbmod/texture-path@material_names[0] ");
    tenon_doc_free(doc);
    blob_free(&model);
}

TEST(a_path_with_a_key_that_is_too_long_leads_nowhere)
{
    char path[200];
    tenon_error err;
    tenon_bbmat *material = tenon_bbmat_read(steel, sizeof steel - 1, NULL, &err);
    memset(path, 'x', sizeof path - 3);
    memcpy(path + sizeof path - 3, ".y", 3);
    CHECK(tenon_bbmat_get(material, path).data == NULL);
    CHECK(!tenon_bbmat_set_text(material, path, "z", &err) && err.code == TENON_ERR_VALUE);
    tenon_bbmat_free(material);
}

int main(void)
{
    scratch_begin();
    RUN(a_material_is_read);
    RUN(a_material_is_written_back_byte_for_byte);
    RUN(a_change_leaves_the_rest_as_it_was);
    RUN(what_is_not_a_material_is_refused);
    RUN(a_path_with_a_key_that_is_too_long_leads_nowhere);
    RUN(material_files_are_found_shown_and_checked);
    RUN(textures_outside_the_folder_are_reported);
    scratch_end();
    TEST_END();
}
