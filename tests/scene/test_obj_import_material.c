// test_obj_import_material.c: the MTL files beside an OBJ file.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../scratch.h"
#include "obj_import_help.h"

// A triangle of material "m" whose library holds `mtl`.
static made with_library(const char *mtl)
{
    static const char text[] = "mtllib a.mtl\no a\n" TRIANGLE "usemtl m\nf 1 2 3\n";
    scratch_save("a.mtl", mtl, strlen(mtl));
    return read_bytes(text, strlen(text), (tenon_scene_opts){.model_path = scratch("a.obj")});
}

static const tenon_material *material(const made *m)
{
    CHECK(m->scene && m->scene->material_count == 1);
    if (!m->scene || m->scene->material_count == 0) exit(1);
    return &m->scene->materials[0];
}

static const char *path_of(const made *m, tenon_slot slot)
{
    uint32_t image = material(m)->textures[slot].image;
    return image == TENON_NONE ? "" : m->scene->images[image].path.data;
}

// -- Numbers

TEST(classic_materials_have_specular_colors)
{
    made m = with_library("newmtl m\nKd 1 .5 0.25\nKs 0.5\nNs 20\nKe 0 2 0\nd 0.5\nKa 0 0 0\n"
                          "illum 2\n");
    const tenon_material *a = material(&m);
    CHECK_STR(a->name.data, "m");
    CHECK(a->is_classic && !a->is_unlit && a->shininess == 20 && a->alpha == TENON_BLEND);
    CHECK(a->base_color[0] == 1 && a->base_color[1] == 0.5 && a->base_color[2] == 0.25);
    CHECK(a->base_color[3] == 0.5 && a->emissive[1] == 2);
    for (int k = 0; k < 3; k++) CHECK(a->specular[k] == 0.5);
    CHECK(m.loss_count == 0);
    free_made(&m);
}

TEST(metallic_materials_have_roughness)
{
    made m = with_library("newmtl m\r\nPr 0.25\r\nPm 1\r\nTr 0.25\r\nillum 0\r\n");
    const tenon_material *a = material(&m);
    CHECK(!a->is_classic && a->is_unlit && a->roughness == 0.25 && a->metallic == 1);
    CHECK(a->base_color[3] == 0.75 && a->base_color[0] == 1 && m.loss_count == 0);
    free_made(&m);
}

TEST(opacity_has_many_spellings)
{
    static const struct {
        const char *text;
        double opacity;
    } rows[] = {
        {"d 0.25", 0.25},        {"d -halo 0.25", 0.25}, {"Tr 0.25", 0.75}, {"Tr 0.25\nd 0.5", 0.5},
        {"d 0.5\nTr 0.25", 0.5}, {"D .125", 0.125},      {"d 1", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "newmtl m\n%s\n", rows[i].text);
        made m = with_library(text);
        CHECK(near(material(&m)->base_color[3], rows[i].opacity));
        CHECK((material(&m)->alpha == TENON_BLEND) == (rows[i].opacity < 1));
        free_made(&m);
    }
}

TEST(what_scenes_do_not_have_is_reported)
{
    made m = with_library("# Head\nnewmtl m\nKa 0.2 0.2 0.2\nNi 1.45\nTf 1 1 1\nKs 1 1 1\nPr 0.5\n"
                          "newmtl other\nKd 1 0 0\n");
    CHECK(lost(&m, TENON_DROPPED, "ambient colors") == 1);
    CHECK(lost(&m, TENON_DROPPED, "properties of materials") == 2);
    CHECK(lost(&m, TENON_DROPPED, "specular colors") == 1);
    CHECK(lost(&m, TENON_DROPPED, "materials") == 1);
    CHECK_STR(lost_at(&m, "properties of materials"), "a.mtl:4");
    CHECK_STR(lost_at(&m, "materials"), "a.mtl:8");
    free_made(&m);
}

TEST(values_that_cannot_be_read_are_reported_and_left_out)
{
    made m = with_library("newmtl m\nKd red\nKs 1 2\nNs\nKe spectral a.rfl\nmap_Kd\nd x\nPr nan\n"
                          "Pm 0.5\n");
    CHECK(lost(&m, TENON_DEFAULTED, "materials") == 7);
    CHECK_STR(lost_at(&m, "materials"), "a.mtl:2");
    CHECK(material(&m)->base_color[0] == 1 && material(&m)->metallic == 0.5);
    free_made(&m);
}

// -- Textures

// A scene has both in one picture: a picture for both is used, or the right channel of one.
TEST(roughness_and_metal_need_one_picture)
{
    static const struct {
        const char *maps;
        bool is_taken;
        double metallic, roughness;
    } cases[] = {{"map_Pr a.png\nmap_Pm a.png\n", true, 1, 1},
                 {"map_Pr a.png\nmap_Pm b.png\n", false, 0, 1},
                 {"map_Pr a.png\nmap_Pm abc.png\n", false, 0, 1},
                 {"map_Pr -imfchan g a.png\n", true, 0, 1},
                 {"map_Pr -imfchan r a.png\n", false, 0, 1},
                 {"map_Pm -imfchan b a.png\n", true, 1, 1},
                 {"map_Pm -imfchan r a.png\n", false, 0, 1},
                 {"Pr 0.25\nPm 0.5\nmap_Pr a.png\nmap_Pm a.png\n", true, 0.5, 0.25}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char mtl[128];
        snprintf(mtl, sizeof mtl, "newmtl m\n%s", cases[i].maps);
        made m = with_library(mtl);
        const tenon_material *a = material(&m);
        uint32_t image = a->textures[TENON_SLOT_METALLIC_ROUGHNESS].image;
        CHECK((image != TENON_NONE) == cases[i].is_taken);
        CHECK((lost(&m, TENON_DROPPED, "textures") == 0) == cases[i].is_taken);
        if (cases[i].is_taken) CHECK(a->metallic == cases[i].metallic);
        if (cases[i].is_taken) CHECK(a->roughness == cases[i].roughness);
        CHECK(!a->is_classic);
        free_made(&m);
    }
}

// Black and white are what programs without ambient color write.
TEST(ambient_colors_are_reported_unless_they_are_a_default)
{
    static const struct {
        const char *line;
        uint64_t want;
    } cases[] = {{"Ka 0 0 0\n", 0}, {"Ka 1 1 1\n", 0}, {"Ka 0.5 0.5 0.5\n", 1},
                 {"Ka 0 0 1\n", 1}, {"Ka 0 1 1\n", 1}, {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char mtl[64];
        snprintf(mtl, sizeof mtl, "newmtl m\nKd 1 0 0\n%s", cases[i].line);
        made m = with_library(mtl);
        CHECK(lost(&m, TENON_DROPPED, "ambient colors") == cases[i].want);
        free_made(&m);
    }
}

TEST(textures_go_to_their_slots)
{
    made m = with_library("newmtl m\nmap_Kd a b.png\nmap_Ks s\\s.png\nmap_Ke e.png\n"
                          "map_Bump -bm 0.5 n.png\ndisp h.png\nmap_Pr -imfchan g r.png\n"
                          "map_Pm -imfchan b r.png\nmap_Ka a b.png\n");
    CHECK_STR(path_of(&m, TENON_SLOT_BASE_COLOR), "a b.png");
    CHECK_STR(path_of(&m, TENON_SLOT_SPECULAR), "s/s.png");
    CHECK_STR(path_of(&m, TENON_SLOT_EMISSIVE), "e.png");
    CHECK_STR(path_of(&m, TENON_SLOT_NORMAL), "n.png");
    CHECK_STR(path_of(&m, TENON_SLOT_DISPLACEMENT), "h.png");
    CHECK_STR(path_of(&m, TENON_SLOT_METALLIC_ROUGHNESS), "r.png");
    const tenon_material *a = material(&m);
    CHECK(a->normal_scale == 0.5 && a->metallic == 1 && a->roughness == 1);
    CHECK(a->emissive[0] == 1 && lost(&m, TENON_DROPPED, "textures") == 0);
    free_made(&m);
}

TEST(every_word_for_a_normal_map_is_known)
{
    static const char *const words[] = {"map_Bump", "map_bump", "bump", "norm", "map_Norm"};
    for (int i = 0; i < 5; i++) {
        char text[100];
        snprintf(text, sizeof text, "newmtl m\n%s n.png\n", words[i]);
        made m = with_library(text);
        CHECK_STR(path_of(&m, TENON_SLOT_NORMAL), "n.png");
        free_made(&m);
    }
}

// Half of the picture's height, from a quarter on: from the top, that ends at a quarter.
TEST(textures_are_scaled_and_moved)
{
    made m =
        with_library("newmtl m\nmap_Kd -s 2 0.5 1 -o 0.125 0.25 -clamp on -blendu off a.png\n");
    const tenon_texture *t = &material(&m)->textures[TENON_SLOT_BASE_COLOR];
    CHECK(t->scale[0] == 2 && t->scale[1] == 0.5 && t->offset[0] == 0.125);
    CHECK(near(t->offset[1], 1 - 0.5 - 0.25));
    CHECK(t->wrap[0] == TENON_CLAMP && t->wrap[1] == TENON_CLAMP && m.loss_count == 0);
    CHECK_STR(path_of(&m, TENON_SLOT_BASE_COLOR), "a.png");
    free_made(&m);
    m = with_library("newmtl m\nmap_Kd -mm 0 1 -t 1 1 1 -o 1 -s 3 9.png\n");
    t = &material(&m)->textures[TENON_SLOT_BASE_COLOR];
    CHECK(t->scale[0] == 3 && t->scale[1] == 1 && t->offset[0] == 1 && t->offset[1] == 0);
    CHECK_STR(path_of(&m, TENON_SLOT_BASE_COLOR), "9.png");
    CHECK(lost(&m, TENON_DROPPED, "options of textures") == 2);
    free_made(&m);
}

TEST(an_option_without_a_path_is_at_fault)
{
    static const char *const lines[] = {"map_Kd -s 1 1 1", "map_Kd -clamp", "map_Kd -bm", "map_Kd",
                                        "map_Kd -s 1 1 1 -o"};
    for (int i = 0; i < 5; i++) {
        char text[100];
        snprintf(text, sizeof text, "newmtl m\n%s\n", lines[i]);
        made m = with_library(text);
        CHECK_STR(path_of(&m, TENON_SLOT_BASE_COLOR), "");
        CHECK(lost(&m, TENON_DEFAULTED, "materials") == 1);
        free_made(&m);
    }
}

TEST(alpha_is_in_the_picture_of_the_color)
{
    made m = with_library("newmtl m\nmap_Kd a.png\nmap_d a.png\n");
    CHECK(material(&m)->alpha == TENON_BLEND && m.loss_count == 0);
    free_made(&m);
    m = with_library("newmtl m\nmap_Kd a.png\nmap_d b.png\nmap_Pr r.png\nmap_Ka c.png\n");
    CHECK(material(&m)->alpha == TENON_OPAQUE && lost(&m, TENON_DROPPED, "textures") == 3);
    CHECK_STR(path_of(&m, TENON_SLOT_METALLIC_ROUGHNESS), "");
    free_made(&m);
}

// -- Libraries

static made with_line(const char *line)
{
    char text[300];
    snprintf(text, sizeof text, "%s\n" TRIANGLE "usemtl m\nf 1 2 3\n", line);
    return read_bytes(text, strlen(text), (tenon_scene_opts){.model_path = scratch("a.obj")});
}

TEST(libraries_are_found_in_the_folder_of_the_model)
{
    static const char red[] = "newmtl m\nKd 1 0 0\nmap_Kd t.png\n";
    scratch_save("two words.mtl", red, strlen(red));
    CHECK(scratch_make_folder("sub"));
    scratch_save("sub/c.mtl", red, strlen(red));
    static const struct {
        const char *line, *texture;
    } rows[] = {{"mtllib two words.mtl", "t.png"},
                {"mtllib sub/c.mtl", "sub/t.png"},
                {"mtllib sub\\c.mtl", "sub/t.png"},
                {"mtllib none.mtl sub/c.mtl", "sub/t.png"},
                {"mtllib none.mtl\nmtllib sub/c.mtl", "sub/t.png"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m = with_line(rows[i].line);
        CHECK(material(&m)->base_color[1] == 0);
        CHECK_STR(path_of(&m, TENON_SLOT_BASE_COLOR), rows[i].texture);
        CHECK(lost(&m, TENON_DROPPED, "material libraries") == (i >= 3));
        free_made(&m);
    }
}

TEST(the_first_of_two_materials_counts)
{
    made m = with_library("newmtl m\nKd 1 0 0\nnewmtl m\nKd 0 1 0\n");
    CHECK(material(&m)->base_color[0] == 1 && material(&m)->base_color[1] == 0);
    free_made(&m);
}

TEST(a_missing_library_is_reported_and_names_stay)
{
    static const char *const lines[] = {"mtllib none.mtl", "mtllib ../a.mtl", "mtllib /etc/passwd",
                                        "mtllib sub", "mtllib C:\\a.mtl"};
    for (int i = 0; i < 5; i++) {
        made m = with_line(lines[i]);
        CHECK_STR(material(&m)->name.data, "m");
        CHECK(lost(&m, TENON_DROPPED, "material libraries") == 1);
        CHECK(lost(&m, TENON_DEFAULTED, "materials") == 1);
        CHECK_STR(lost_at(&m, "material libraries"), lines[i] + strlen("mtllib "));
        free_made(&m);
    }
    // No other file may be read.
    made m = read_obj("mtllib a.mtl\n" TRIANGLE "usemtl m\nf 1 2 3\n");
    CHECK(lost(&m, TENON_DROPPED, "material libraries") == 1);
    free_made(&m);
}

TEST(only_so_many_libraries_are_looked_for)
{
    char text[4000] = "mtllib";
    for (int i = 0; i < 100; i++) snprintf(text + strlen(text), 20, " x%d.mtl", i);
    strcat(text, " a.mtl\n" TRIANGLE "usemtl m\nf 1 2 3\n");
    made m = read_bytes(text, strlen(text), (tenon_scene_opts){.model_path = scratch("a.obj")});
    CHECK(lost(&m, TENON_DROPPED, "material libraries") == 101);
    free_made(&m);
}

// Whatever a library contains, the model is read.
TEST(no_library_prevents_reading_the_model)
{
    static const char text[] = "newmtl m\nKd 1 0 0\nmap_Kd -s 1 2 \\\n3 a.png\nKs 1\nnewmtl\nd\n";
    char copy[sizeof text];
    for (size_t size = 0; size < sizeof text; size++) {
        memcpy(copy, text, size);
        copy[size] = '\0';
        made m = with_library(copy);
        CHECK(m.scene != NULL);
        free_made(&m);
    }
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        static const char bytes[] = "\n\\#- 9\xFF";
        for (size_t k = 0; k < sizeof bytes - 1; k++) {
            memcpy(copy, text, sizeof text);
            copy[i] = bytes[k];
            made m = with_library(copy);
            CHECK(m.scene != NULL);
            free_made(&m);
        }
    }
}

// -- Info

static void note_side(void *user, const char *name)
{
    strcat(user, name);
    strcat(user, "|");
}

TEST(libraries_are_sidecars)
{
    static const char text[] =
        "mtllib a.mtl\n" TRIANGLE "mtllib two \\\nwords.mtl\nmtllib\nf 1 2 3\n";
    char names[200] = "";
    tenon_doc *doc = tenon_read(text, strlen(text), NULL, NULL);
    CHECK(doc != NULL);
    if (!doc) return;
    tenon_sidecars(doc, "x.obj", note_side, names);
    CHECK_STR(names, "a.mtl|two words.mtl|two|words.mtl|");
    tenon_doc_free(doc);
}

TEST(info_counts_and_finds_textures)
{
    static const char text[] = "mtllib a.mtl none.mtl\n" SQUARE "v 2 3 4\no a\nusemtl m\n"
                               "f 1 2 3 4\nusemtl n\nf 1 2 3\no b\nl 1 2\nf 1 2 9\n";
    static const char mtl[] = "newmtl m\nmap_Kd -s 2 2 2 m.png\n";
    tenon_info info;
    tenon_doc *doc = tenon_read(text, strlen(text), NULL, NULL);
    CHECK(doc && tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, NULL));
    if (!doc) return;
    scratch_save("a.mtl", mtl, strlen(mtl));
    CHECK(info.meshes == 2 && info.vertices == 5 && info.triangles == 3 && info.materials == 2);
    CHECK(info.has_bounds && info.bounds_max[0] == 2 && info.bounds_max[2] == 4);
    CHECK(info.bounds_min[1] == 0 && info.material_count == 2);
    tenon_info_free(&info);
    const tenon_info_opts beside = {.model_path = scratch("a.obj")};
    CHECK(tenon_doc_info(doc, &beside, &info, NULL));
    CHECK_STR(info.material_list[0].name.data, "m");
    CHECK_STR(info.material_list[0].texture.data, "m.png");
    CHECK(info.material_list[1].texture.size == 0);
    bool is_told = false;
    for (uint32_t i = 0; i < info.fact_count; i++)
        is_told = is_told || strcmp(info.facts[i].text, "none.mtl") == 0;
    CHECK(is_told);
    tenon_info_free(&info);
    tenon_doc_free(doc);
}

// The list of files beside a model needs memory: it is complete, or the error says so.
TEST(memory_may_run_out_while_textures_are_found)
{
    static const char text[] = "mtllib a.mtl none.mtl\nmtllib two words.mtl\n" SQUARE
                               "usemtl m\nf 1 2 3 4\nusemtl n\nf 1 2 3\n";
    static const char mtl[] = "Kd 1 1 1\nnewmtl m\nmap_Kd m.png\nnewmtl m\nmap_Kd again.png\n"
                              "newmtl other\nmap_Kd o.png\nnewmtl n\nKd 1 x 1\n";
    bool is_told = false;
    scratch_save("a.mtl", mtl, strlen(mtl));
    const tenon_info_opts beside = {.model_path = scratch("a.obj")};
    for (uint64_t at = 1; !is_told && at < 1000; at++) {
        poor p = {.fail_at = 0};
        tenon_error err = {.code = TENON_OK};
        tenon_info info;
        char names[200] = "";
        tenon_read_opts opts = {.allocator = {poor_alloc, poor_free, &p}};
        tenon_doc *doc = tenon_read(text, strlen(text), &opts, &err);
        CHECK(doc);
        p.fail_at = p.calls + at;
        is_told = tenon_doc_info(doc, &beside, &info, &err);
        CHECK(is_told || err.code == TENON_ERR_MEMORY);
        p.fail_at = is_told ? 0 : p.calls + 1;
        bool are_sides = tenon_sidecars(doc, "a.obj", note_side, names);
        CHECK(are_sides || p.fail_at);
        if (is_told) CHECK_STR(info.material_list[0].texture.data, "m.png");
        if (is_told) CHECK(info.material_list[1].texture.size == 0);
        if (is_told) tenon_info_free(&info);
        tenon_doc_free(doc);
        CHECK(p.live == 0);
    }
    CHECK(is_told);
}

int main(void)
{
    scratch_begin();
    RUN(classic_materials_have_specular_colors);
    RUN(metallic_materials_have_roughness);
    RUN(opacity_has_many_spellings);
    RUN(what_scenes_do_not_have_is_reported);
    RUN(values_that_cannot_be_read_are_reported_and_left_out);
    RUN(roughness_and_metal_need_one_picture);
    RUN(ambient_colors_are_reported_unless_they_are_a_default);
    RUN(textures_go_to_their_slots);
    RUN(every_word_for_a_normal_map_is_known);
    RUN(textures_are_scaled_and_moved);
    RUN(an_option_without_a_path_is_at_fault);
    RUN(alpha_is_in_the_picture_of_the_color);
    RUN(libraries_are_found_in_the_folder_of_the_model);
    RUN(the_first_of_two_materials_counts);
    RUN(a_missing_library_is_reported_and_names_stay);
    RUN(only_so_many_libraries_are_looked_for);
    RUN(no_library_prevents_reading_the_model);
    RUN(libraries_are_sidecars);
    RUN(info_counts_and_finds_textures);
    RUN(memory_may_run_out_while_textures_are_found);
    scratch_end();
    TEST_END();
}
