// test_obj_export_material.c: the MTL file exported beside an OBJ file, losses, and failures.
// SPDX-License-Identifier: MIT

#include "obj_export_help.h"

// -- Materials

TEST(materials_come_first_and_are_written_like_this)
{
    hand h;
    tenon_material m = plain_material("red paint");
    use_material(&h, begin_corner(&h, "a"), &m);
    m.roughness = 0.5, m.metallic = 1, m.emissive[1] = 2, m.alpha = TENON_BLEND;
    m.base_color[3] = 0.5;
    outputs o = {.count = 0};
    CHECK(export_with(&h.scene, (tenon_export_opts){.name = "my crane"}, &o, NULL));
    CHECK(o.count == 2);
    CHECK_STR(o.files[0].name, "my_crane.mtl");
    CHECK_STR(library(&o), "newmtl red_paint\nKd 1 0.5 0.25\nPr 0.5\nPm 1\nKe 0 2 0\nd 0.5\n"
                           "illum 2\n");
    CHECK(strstr(o.files[1].text, "\nmtllib my_crane.mtl\n"));
    CHECK(strstr(body(&o), "g a_1\nusemtl red_paint\n"));
    free_outputs(&o);
    m.is_classic = true, m.is_unlit = true, m.alpha = TENON_OPAQUE;
    m.specular[2] = 0.125, m.shininess = 20000;
    o = exported(&h.scene);
    CHECK_STR(o.files[0].name, "model.mtl");
    CHECK_STR(library(&o), "newmtl red_paint\nKd 1 0.5 0.25\nKs 0 0 0.125\nNs 1000\nKe 0 2 0\n"
                           "d 1\nillum 0\n");
    CHECK_STR(o.losses, "approximated shininess 1 materials[0]\napproximated names 1 -\n");
    free_outputs(&o);
}

// A part without a material must not be shown with that of the part before it.
TEST(parts_without_material_get_a_white_one)
{
    hand h;
    tenon_material m = plain_material("none");
    use_material(&h, begin_corner(&h, "a"), &m);
    hand_mesh(&h, "n", hand_node(&h, "b", TENON_NONE), corner_positions, 3);
    outputs o = exported(&h.scene);
    CHECK(strstr(library(&o), "\nnewmtl none_2\nKd 1 1 1\nd 1\n"));
    CHECK(strstr(body(&o), "g a_1\nusemtl none\n") && strstr(body(&o), "g b_1\nusemtl none_2\n"));
    free_outputs(&o);
}

TEST(textures_are_named_from_the_output)
{
    hand h;
    tenon_material m = plain_material("m");
    tenon_image images[] = {{.name = {"", 0}, .path = hand_text("skins/a b.png")},
                            {.name = {"", 0}, .path = hand_text("-s.png")},
                            {.name = {"", 0}, .path = hand_text("C:/abs.png")}};
    use_material(&h, begin_corner(&h, "a"), &m);
    h.scene.images = images;
    h.scene.image_count = 3;
    m.textures[TENON_SLOT_BASE_COLOR].image = 0;
    m.textures[TENON_SLOT_NORMAL].image = 1;
    m.textures[TENON_SLOT_METALLIC_ROUGHNESS].image = 2;
    m.textures[TENON_SLOT_EMISSIVE].image = 0;
    m.textures[TENON_SLOT_SPECULAR].image = 0;
    m.normal_scale = 0.5;
    outputs o = exported(&h.scene);
    CHECK(strstr(library(&o), "map_Kd skins/a b.png\nmap_Ks skins/a b.png\nmap_Ke skins/a b.png\n"
                              "map_Bump -bm 0.5 ./-s.png\nmap_Pr -imfchan g C:/abs.png\n"
                              "map_Pm -imfchan b C:/abs.png\n"));
    free_outputs(&o);
    o = (outputs){.count = 0};
    tenon_export_opts opts = {.texture_root = "../models"};
    CHECK(export_with(&h.scene, opts, &o, NULL));
    CHECK(strstr(library(&o), "map_Kd ../models/skins/a b.png\n"));
    CHECK(strstr(library(&o), "map_Bump -bm 0.5 ../models/-s.png\n"));
    CHECK(strstr(library(&o), "map_Pr -imfchan g C:/abs.png\n"));
    free_outputs(&o);
}

// What would end a word or a line, in the name of the output, from which the library's is made; and
// what looks like it, but does not.
TEST(what_ends_a_word_becomes_an_underscore)
{
    static const struct {
        const char *text;
        bool stays;
    } pieces[] = {{" ", false},
                  {"#", false},
                  {"\\", false},
                  {"/", false},
                  {"\t", false},
                  {"\x7f", false},
                  {"\xff", false},
                  {"\xc2\x85", false},
                  {"\xc2\xa0", false},
                  {"\xc3\xa0", true},
                  {"\xe1\x9a\x80", false},
                  {"\xe1\x9a\x81", true},
                  {"\xe2\x80\x80", false},
                  {"\xe2\x80\x8a", false},
                  {"\xe2\x80\x8b", true},
                  {"\xe2\x80\xa8", false},
                  {"\xe2\x80\xa9", false},
                  {"\xe2\x80\xaf", false},
                  {"\xe2\x81\x9f", false},
                  {"\xe3\x80\x80", false},
                  {"\xe3\x80\x81", true},
                  {"\xf0\x9f\xaa\x9c", true}};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        hand h;
        char name[16], want[32];
        tenon_material m = plain_material("m");
        outputs o = {.count = 0};
        use_material(&h, begin_corner(&h, "a"), &m);
        snprintf(name, sizeof name, "a%sb", pieces[i].text);
        snprintf(want, sizeof want, "a%sb.mtl", pieces[i].stays ? pieces[i].text : "_");
        tenon_export_opts opts = {.name = name};
        CHECK(export_with(&h.scene, opts, &o, NULL));
        CHECK_STR(o.files[0].name, want);
        free_outputs(&o);
    }
}

// A path may have spaces, since it ends with its line; control characters it may not.
TEST(paths_of_textures_stay_on_their_line)
{
    hand h;
    tenon_material m = plain_material("m");
    tenon_image image = {.name = {"", 0}, .path = hand_text("a\n\xc2\x85 \xc3\xa9\x7f.png")};
    use_material(&h, begin_corner(&h, "a"), &m);
    h.scene.images = &image;
    h.scene.image_count = 1;
    m.textures[TENON_SLOT_BASE_COLOR].image = 0;
    outputs o = exported(&h.scene);
    CHECK(strstr(library(&o), "map_Kd a__ \xc3\xa9_.png\n"));
    free_outputs(&o);
}

// The scene samples at offset + scale * uv, from the top; OBJ at s * vt + o, from the last row of
// the file. For uv = (0.25, 0.5) that is (1, 1.125) from the top, which is -0.125 from below.
TEST(the_transform_of_a_texture_is_flipped_with_v)
{
    static float uvs[] = {0.25f, 0.5f, 0.25f, 0.5f, 0.25f, 0.5f};
    hand h;
    tenon_material m = plain_material("m");
    tenon_image image = {.name = {"", 0}, .path = hand_text("f.png")};
    tenon_primitive *p = begin_corner(&h, "a");
    p->uvs[0] = uvs;
    use_material(&h, p, &m);
    h.scene.images = &image;
    h.scene.image_count = 1;
    m.textures[0] = (tenon_texture){
        .scale = {2, 2}, .offset = {0.5, 0.125}, .wrap = {TENON_CLAMP, TENON_CLAMP}};
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "vt 0.25 0.5\n"));
    CHECK(strstr(library(&o), "map_Kd -s 2 2 1 -o 0.5 -1.125 0 -clamp on f.png\n"));
    CHECK(2 * 0.5 - 1.125 == 1 - (0.125 + 2 * 0.5));
    free_outputs(&o);

    // The rows of the picture go up: the point is 1.125 from the last row.
    image.flip_y = true;
    uvs[1] = 0.25f;
    o = exported(&h.scene);
    CHECK(strstr(body(&o), "vt 0.25 0.25\n"));
    CHECK(strstr(library(&o), "map_Kd -s 2 2 1 -o 0.5 0.125 0 -clamp on f.png\n"));
    free_outputs(&o);

    // The same if the transform flips it: v' = 1 - v.
    image.flip_y = false;
    m.textures[0] = (tenon_texture){.scale = {1, -1}, .offset = {0, 1}};
    o = exported(&h.scene);
    CHECK(strstr(body(&o), "vt 0.25 0.25\n") && strstr(library(&o), "map_Kd f.png\n"));
    free_outputs(&o);

    // A second picture whose rows go down is flipped by its transform.
    image.flip_y = true;
    tenon_image both[2] = {image, {.name = {"", 0}, .path = hand_text("n.png")}};
    h.scene.images = both;
    h.scene.image_count = 2;
    m.textures[0] = (tenon_texture){.scale = {1, 1}};
    m.textures[TENON_SLOT_NORMAL] = (tenon_texture){.image = 1, .scale = {1, 1}};
    o = exported(&h.scene);
    CHECK(strstr(library(&o), "map_Kd f.png\nmap_Bump -s 1 -1 1 -o 0 1 0 n.png\n"));
    free_outputs(&o);
}

TEST(pictures_without_a_file_get_one)
{
    static const uint8_t png[] = "\x89PNG...", tga[] = "\0\0\2...";
    hand h;
    tenon_material m = plain_material("m");
    tenon_image images[] = {
        {.name = hand_text("paint"), .path = {"", 0}, .data = png, .size = sizeof png},
        {.name = hand_text("paint"), .path = {"", 0}, .data = tga, .size = sizeof tga}};
    use_material(&h, begin_corner(&h, "a"), &m);
    h.scene.images = images;
    h.scene.image_count = 2;
    m.textures[TENON_SLOT_BASE_COLOR].image = 0;
    m.textures[TENON_SLOT_EMISSIVE].image = 1;
    outputs o = exported(&h.scene);
    CHECK(o.count == 4);
    CHECK_STR(o.files[0].name, "model_paint.png");
    CHECK(o.files[0].size == sizeof png && memcmp(o.files[0].text, png, sizeof png) == 0);
    CHECK_STR(o.files[1].name, "model_paint.tga");
    CHECK(strstr(library(&o), "map_Kd model_paint.png\nmap_Ke model_paint.tga\n"));
    CHECK_STR(o.losses, "");
    free_outputs(&o);
}

TEST(texture_coordinates_are_those_of_the_texture)
{
    static float others[] = {0.5f, 0, 0.5f, 0, 0.5f, 0};
    hand h;
    tenon_material m = plain_material("m");
    tenon_image image = {.name = {"", 0}, .path = hand_text("f.png")};
    tenon_primitive *p = begin_corner(&h, "a");
    p->uvs[2] = others;
    use_material(&h, p, &m);
    h.scene.images = &image;
    h.scene.image_count = 1;
    m.textures[0] = (tenon_texture){.uv_set = 2, .scale = {1, 1}};
    m.textures[TENON_SLOT_EMISSIVE] = (tenon_texture){.uv_set = 0, .scale = {1, 1}};
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "vt 0.5 1\nvt 0.5 1\nvt 0.5 1\n"));
    CHECK_STR(o.losses, "dropped further texture coordinates 1 meshes[0].primitives[0]\n"
                        "approximated textures 1 meshes[0].primitives[0]\n");
    free_outputs(&o);
}

// -- The odd cases

TEST(an_empty_scene_is_a_comment)
{
    hand h;
    hand_begin(&h);
    outputs o = exported(&h.scene);
    CHECK(o.count == 1);
    CHECK_STR(o.files[0].text, "# Written by Tenon. Metres, Y is up, front faces "
                               "counter-clockwise.\n# There is nothing to see in this scene.\n");
    free_outputs(&o);
    hand_mesh(&h, "m", hand_node(&h, "a", TENON_NONE), NULL, 0);
    o = exported(&h.scene);
    CHECK_STR(body(&o), "o a\ng a_1\n");
    free_outputs(&o);
}

// A number that a pose makes too large cannot be written.
TEST(every_number_is_finite)
{
    hand h;
    begin_corner(&h, "a");
    h.nodes[0].scale[0] = 1e300;
    outputs o = exported(&h.scene);
    parsed p = parse(o.files[0].text);
    CHECK(p.v_count == 3 && p.v[3] == 0 && strstr(o.losses, "approximated numbers 1 -\n"));
    free_parsed(&p);
    free_outputs(&o);
}

TEST(losses_are_reported)
{
    static float tangents[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    hand h;
    tenon_material m = plain_material("m");
    tenon_image image = {.name = {"", 0}, .path = hand_text("f.png")};
    tenon_camera camera = {.name = hand_text("c"), .field_of_view = 1};
    tenon_light light = {.name = hand_text("l")};
    tenon_extra extra = {TENON_EXTRA_OF_MESH, 0, hand_text("k"), hand_text("v")};
    tenon_primitive *p = begin_corner(&h, "a");
    p->tangents = tangents;
    use_material(&h, p, &m);
    m.double_sided = true, m.alpha = TENON_MASK;
    m.textures[TENON_SLOT_OCCLUSION] =
        (tenon_texture){.scale = {1, 1}, .rotation = 1, .wrap = {TENON_MIRROR, TENON_REPEAT}};
    m.textures[TENON_SLOT_LIGHT_MAP] = (tenon_texture){.scale = {1, 1}};
    h.scene.images = &image, h.scene.image_count = 1;
    h.scene.cameras = &camera, h.scene.camera_count = 1;
    h.scene.lights = &light, h.scene.light_count = 1;
    h.scene.extras = &extra, h.scene.extra_count = 1;
    hand_mesh(&h, "unseen", 0, corner_positions, 3)->mode = TENON_LINES;
    h.primitives[1].normals = corner_normals;
    h.nodes[0].mesh = 0;
    outputs o = exported(&h.scene);
    CHECK_STR(o.losses, "dropped normals of points and lines 1 meshes[1].primitives[0]\n"
                        "approximated alpha of textures 1 materials[0]\n"
                        "dropped rotations of textures 1 materials[0]\n"
                        "approximated edges of textures 1 materials[0]\n"
                        "dropped meshes 1 meshes[1]\n"
                        "dropped tangents 1 meshes[0].primitives[0]\n"
                        "dropped double-sided materials 1 materials[0]\n"
                        "dropped occlusion textures 1 materials[0]\n"
                        "dropped light maps 1 materials[0]\n"
                        "dropped cameras 1 cameras[0]\n"
                        "dropped lights 1 lights[0]\n"
                        "dropped extras 1 extras[0]\n");
    free_outputs(&o);
}

// -- Faults

static void begin_faulty(hand *h, tenon_material *m, tenon_image *image)
{
    static const uint8_t png[] = "\x89PNG";
    *m = plain_material("m");
    *image = (tenon_image){.name = hand_text("i"), .path = {"", 0}, .data = png, .size = 4};
    use_material(h, begin_corner(h, "a"), m);
    h->scene.images = image, h->scene.image_count = 1;
    m->textures[0].image = 0;
}

TEST(a_sink_may_refuse_every_call)
{
    hand h;
    tenon_material m;
    tenon_image image;
    begin_faulty(&h, &m, &image);
    outputs whole = exported(&h.scene);
    CHECK(whole.calls == 9);  // Three files of one piece each.
    for (uint32_t call = 1; call <= whole.calls; call++) {
        outputs o = {.refused = call};
        tenon_error err;
        CHECK(!export_with(&h.scene, (tenon_export_opts){0}, &o, &err));
        CHECK(err.code == TENON_ERR_IO && o.calls == call && o.losses[0] == '\0');
        free_outputs(&o);
    }
    free_outputs(&whole);
}

TEST(memory_may_run_out_at_any_time)
{
    hand h;
    tenon_material m;
    tenon_image image;
    begin_faulty(&h, &m, &image);
    bool ok = false;
    for (uint64_t call = 1; !ok && call < 100; call++) {
        hand_memory memory = {.refused = call};
        tenon_export_opts opts = {.allocator = hand_allocator(&memory)};
        outputs o = {.count = 0};
        tenon_error err;
        ok = export_with(&h.scene, opts, &o, &err);
        CHECK(ok || err.code == TENON_ERR_MEMORY);
        CHECK(memory.live == 0);
        free_outputs(&o);
    }
    CHECK(ok);
}

static bool stop(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    CHECK(done <= total);
    return false;
}

TEST(work_can_be_cancelled)
{
    hand h;
    begin_corner(&h, "a");
    tenon_error err;
    outputs o = {.count = 0};
    tenon_export_opts opts = {.events = {.user = NULL, .on_progress = stop}};
    CHECK(!export_with(&h.scene, opts, &o, &err) && err.code == TENON_ERR_CANCELLED);
    free_outputs(&o);
}

int main(void)
{
    RUN(materials_come_first_and_are_written_like_this);
    RUN(parts_without_material_get_a_white_one);
    RUN(textures_are_named_from_the_output);
    RUN(what_ends_a_word_becomes_an_underscore);
    RUN(paths_of_textures_stay_on_their_line);
    RUN(the_transform_of_a_texture_is_flipped_with_v);
    RUN(pictures_without_a_file_get_one);
    RUN(texture_coordinates_are_those_of_the_texture);
    RUN(an_empty_scene_is_a_comment);
    RUN(every_number_is_finite);
    RUN(losses_are_reported);
    RUN(a_sink_may_refuse_every_call);
    RUN(memory_may_run_out_at_any_time);
    RUN(work_can_be_cancelled);
    TEST_END();
}
