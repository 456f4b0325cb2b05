// test_gltf_export_files.c: pictures and names of files in glTF; failures; scenes of all kinds.
// SPDX-License-Identifier: MIT
//
// Given a folder, the program writes all its scenes there instead, for a validator to check.

#define _DEFAULT_SOURCE

#include "../scratch.h"
#include "gltf_random.h"
#include "gltf_scenes.h"

#include <tenon/files.h>

#define RANDOM_COUNT 200u  // Scenes.

// -- Pictures

// The pixels of a PNG of two by two pixels that encode_png() made, three bytes each.
static const uint8_t *png_row(const uint8_t *png, int y)
{
    return png + 8 + 25 + 8 + 2 + y * (6 + 6) + 6;
}

TEST(pictures_are_converted_to_side_files)
{
    start(make_pictures);
    CHECK(write_scene(b.scene, "glb", (tenon_export_opts){.pictures.encode_png = encode_png}, &k));
    CHECK(gltf_open_glb(&g, &k));
    // Names that differ only in case are one on many disks.
    CHECK_TEXT("images", "[{\"uri\":\"wall.png\"},{\"uri\":\"Wall_2.png\"}]");
    const kept_file *plain = kept_named(&k, "wall.png"), *turned = kept_named(&k, "Wall_2.png");
    CHECK(plain && turned && k.file_count == 3 && k.files[2].name[0] == '\0');
    static const uint8_t upper[] = {255, 0, 0, 0, 255, 0}, lower[] = {0, 0, 255, 255, 255, 255};
    CHECK(memcmp(png_row(plain->bytes, 0), upper, 6) == 0);
    CHECK(memcmp(png_row(plain->bytes, 1), lower, 6) == 0);
    CHECK(memcmp(png_row(turned->bytes, 0), lower, 6) == 0);
    CHECK(memcmp(png_row(turned->bytes, 1), upper, 6) == 0);
    CHECK(k.loss_count == 0);
    done();
}

TEST(pictures_can_be_in_the_file)
{
    start(make_pictures);
    CHECK(write_scene(b.scene, "glb",
                      (tenon_export_opts){.pictures.encode_png = encode_png, .embed = true}, &k));
    CHECK(gltf_open_glb(&g, &k) && k.file_count == 1);
    CHECK_TEXT("images.0", "{\"name\":\"wall.dds\",\"bufferView\":2,\"mimeType\":\"image/png\"}");
    uint32_t at = number_at(&g, "bufferViews.2.byteOffset");
    CHECK(at % 4 == 0 && memcmp(g.buffer + at, "\x89PNG", 4) == 0);
    CHECK_TEXT("bufferViews.2.target", "");
    CHECK(memcmp(png_row(g.buffer + at, 0), "\xff\0\0\0\xff\0", 6) == 0);
    done();
}

TEST(the_library_encodes_pictures_itself)
{
    start(make_pictures);
    CHECK(write_scene(b.scene, "glb", (tenon_export_opts){.embed = true}, &k));
    CHECK(gltf_open_glb(&g, &k) && k.file_count == 1);
    uint32_t at = number_at(&g, "bufferViews.2.byteOffset");
    CHECK(at % 4 == 0 && memcmp(g.buffer + at, "\x89PNG", 4) == 0);
    CHECK(lost_count(&k, "pictures") == 0);
    done();
}

static bool refuse_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint32_t channels, tenon_write_fn *write, void *write_user)
{
    (void)user, (void)pixels, (void)width, (void)height, (void)channels;
    (void)write, (void)write_user;
    return false;
}

TEST(pictures_that_cannot_be_encoded_are_lost)
{
    start(make_pictures);
    CHECK(write_scene(b.scene, "glb", (tenon_export_opts){.pictures.encode_png = refuse_png}, &k));
    CHECK(gltf_open_glb(&g, &k) && k.file_count == 1);
    CHECK(!look(&g, "images") && !look(&g, "textures"));
    CHECK_TEXT("materials.0", "{\"name\":\"m\",\"pbrMetallicRoughness\":{\"metallicFactor\":0},"
                              "\"extras\":{\"baseColorTexture\":\"sub/wall.dds\","
                              "\"emissiveTexture\":\"Wall.tga\"}}");
    CHECK(lost_count(&k, "pictures") == 2);
    done();
}

TEST(valid_pictures_are_copied_and_flipped_by_their_textures)
{
    static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 7};
    start(make_pictures);
    for (int i = 0; i < 2; i++) {
        b.scene->images[i].data = jpeg;
        b.scene->images[i].size = sizeof jpeg;
    }
    tenon_texture *t = &b.scene->materials[0].textures[TENON_SLOT_EMISSIVE];
    t->offset[1] = 0.25, t->scale[1] = 2, t->rotation = 0.5;
    CHECK(write_scene(b.scene, "glb", (tenon_export_opts){0}, &k));
    CHECK(gltf_open_glb(&g, &k));
    CHECK_TEXT("images", "[{\"uri\":\"wall.jpg\"},{\"uri\":\"Wall_2.jpg\"}]");
    const kept_file *f = kept_named(&k, "Wall_2.jpg");
    CHECK(f && f->size == sizeof jpeg && memcmp(f->bytes, jpeg, sizeof jpeg) == 0);
    // v becomes 1 - v after everything else.
    CHECK_TEXT("materials.0.emissiveTexture.extensions.KHR_texture_transform",
               "{\"offset\":[0,0.75],\"rotation\":-0.5,\"scale\":[1,-2]}");
    CHECK_TEXT("materials.0.pbrMetallicRoughness.baseColorTexture", "{\"index\":0}");
    done();
}

// A scene with a triangle whose material names the picture at `path`.
static void start_with_picture(const char *path)
{
    start(make_pictures);
    tenon_image *image = &b.scene->images[0];
    *image = (tenon_image){.name = str(""), .path = str(path)};
    b.scene->materials[0].textures[TENON_SLOT_EMISSIVE].image = TENON_NONE;
}

static void save(const char *name, const void *bytes, size_t size)
{
    CHECK(tenon_save(scratch(name), bytes, size, &(tenon_write_opts){.force = true}, NULL));
}

// Export with the model in the scratch folder; `expected` is the first image.
static void check_picture(const char *path, bool embed, const char *expected, uint64_t lost)
{
    start_with_picture(path);
    tenon_export_opts opts = {.pictures.encode_png = encode_png,
                              .embed = embed,
                              .model_path = scratch("m.gpb"),
                              .texture_root = "../m/"};
    CHECK(write_scene(b.scene, "glb", opts, &k));
    CHECK(gltf_open_glb(&g, &k));
    CHECK_TEXT("images.0", expected);
    CHECK(lost_count(&k, "pictures") == lost);
    done();
}

TEST(pictures_beside_the_model_are_named_loaded_or_lost)
{
    uint64_t size;
    const uint8_t *bytes = tga_bytes(&size);
    save("there.png", "\x89PNG\r\n\x1a\n", 8);
    save("wall.tga", bytes, (size_t)size);
    save("wrong.dds", "\xff\xd8\xff\xe0", 4);
    save("cut.tga", bytes, 20);
    save("odd.xyz", "what is this?", 13);
    check_picture("there.png", false, "{\"uri\":\"../m/there.png\"}", 0);
    check_picture("there.png", true,
                  "{\"name\":\"there.png\",\"bufferView\":2,\"mimeType\":\"image/png\"}", 0);
    check_picture("gone.PNG", false, "", 1);
    check_picture("gone.jpeg", true, "", 1);
    check_picture("gone.tga", false, "", 1);
    check_picture("../out.png", false, "", 1);
    check_picture("../out.tga", true, "", 1);
    check_picture("/etc/x y.png", false, "", 1);
    check_picture("C:/art/x.png", true, "", 1);
    check_picture("wall.tga", false, "{\"uri\":\"wall.png\"}", 0);
    check_picture("wall.tga", true,
                  "{\"name\":\"wall.tga\",\"bufferView\":2,\"mimeType\":\"image/png\"}", 0);
    check_picture("wrong.dds", false, "{\"uri\":\"wrong.jpg\"}", 0);
    check_picture("cut.tga", false, "", 1);
    check_picture("odd.xyz", true, "", 1);
    check_picture("", false, "", 1);
}

TEST(new_files_have_names_that_every_system_accepts)
{
    static const char *const names[][2] = {
        {"a?b:c.tga", "a_b_c.png"},       {".hidden.tga", "_hidden.png"},
        {"con.tga", "con_.png"},          {"LPT1.tga", "LPT1_.png"},
        {"dots...tga", "dots._.png"},     {"model.glb.dds", "model.glb.png"},
        {"\xc3\xa9.tga", "\xc3\xa9.png"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        start_with_picture(names[i][0]);
        b.scene->images[0].data = tga_bytes(&b.scene->images[0].size);
        CHECK(write_scene(b.scene, "glb", (tenon_export_opts){.pictures.encode_png = encode_png},
                          &k));
        CHECK_STR(k.files[0].name, names[i][1]);
        done();
    }
}

TEST(new_files_do_not_take_names_that_are_in_use)
{
    start(make_pictures);
    tn_set_texture(&b, 0, TENON_SLOT_OCCLUSION, str("wall.PNG"));
    CHECK(write_scene(b.scene, "gltf", (tenon_export_opts){.pictures.encode_png = encode_png}, &k));
    CHECK(kept_named(&k, "wall_2.png") && kept_named(&k, "Wall_3.png"));
    CHECK(gltf_parse(&g, k.files[3].bytes, k.files[3].size));
    CHECK_TEXT("images.2", "{\"uri\":\"wall.PNG\"}");
    done();
}

// -- What goes wrong

TEST(a_glb_of_more_than_4_gib_is_refused)
{
    start(make_pictures);
    // Only its first bytes are ever read.
    b.scene->images[0].data = (const uint8_t *)"\x89PNG\r\n\x1a\n";
    b.scene->images[0].size = (uint64_t)5 << 30;
    CHECK(!write_scene(b.scene, "glb",
                       (tenon_export_opts){.pictures.encode_png = encode_png, .embed = true}, &k));
    CHECK(k.err.code == TENON_ERR_LIMIT && k.file_count == 0);
    done();
}

TEST(a_sink_that_refuses_stops_everything)
{
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        start(all_scenes[i].make);
        bool ok = false;
        for (long calls = 1; !ok && calls < 100; calls++) {
            kept_free(&k);
            k.calls_left = calls;
            ok = write_scene(b.scene, "gltf",
                             (tenon_export_opts){.pictures.encode_png = encode_png}, &k);
            CHECK(ok || k.err.code == TENON_ERR_IO);
            CHECK(ok == (k.calls_left > 0));
        }
        CHECK(ok);
        done();
    }
}

typedef struct meagre {
    uint64_t calls, refused;
    int64_t live;
} meagre;

static void *meagre_alloc(void *user, size_t size)
{
    meagre *m = user;
    if (++m->calls == m->refused) return NULL;
    m->live++;
    return malloc(size);
}

static void meagre_free(void *user, void *memory, size_t size)
{
    (void)size;
    ((meagre *)user)->live--;
    free(memory);
}

TEST(every_allocation_may_fail)
{
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        start(all_scenes[i].make);
        bool ok = false;
        for (uint64_t refused = 1; !ok; refused++) {
            meagre m = {.refused = refused};
            kept_free(&k);
            tenon_export_opts opts = {.pictures.encode_png = encode_png,
                                      .embed = refused % 2,
                                      .allocator = {meagre_alloc, meagre_free, &m}};
            ok = write_scene(b.scene, "glb", opts, &k);
            CHECK(ok || k.err.code == TENON_ERR_MEMORY);
            CHECK(m.live == 0);
        }
        done();
    }
}

static bool stop_soon(void *user, uint64_t at, uint64_t total)
{
    CHECK(at <= total);
    return ++*(int *)user < 2;
}

static void check_cancelled(int *steps)
{
    tenon_sink sink = {kept_begin, kept_write, kept_end, &k};
    tenon_export_opts opts = {.format = "glb", .events = {.user = steps, .on_progress = stop_soon}};
    CHECK(!tenon_export(b.scene, &opts, &sink, &k.err));
    CHECK(k.err.code == TENON_ERR_CANCELLED && *steps == 2);
}

TEST(writing_can_be_cancelled)
{
    int steps = 0;
    start(NULL);
    uint32_t mesh = tn_add_mesh(&b, str("m"), 1);
    tn_primitive_alloc(&b, b.scene->meshes[mesh].primitives, 30000, 0, 0);
    add_mesh_node(&b, "m", TENON_NONE, mesh);
    check_cancelled(&steps);
    done();
}

// Each list of three short indices is padded. A sanitizer sees padding that leaves the buffer.
TEST(padding_after_a_failure_stays_in_the_buffer)
{
    enum { PRIMITIVES = 40000 };
    int steps = 1;
    start(NULL);
    uint32_t mesh = tn_add_mesh(&b, str("m"), PRIMITIVES);
    for (uint32_t i = 0; i < PRIMITIVES; i++)
        tn_primitive_alloc(&b, &b.scene->meshes[mesh].primitives[i], 3, 3, 0);
    add_mesh_node(&b, "m", TENON_NONE, mesh);
    check_cancelled(&steps);
    done();
}

TEST(absurd_scenes_are_written)
{
    for (uint32_t seed = 0; seed < RANDOM_COUNT; seed++) {
        start(NULL);
        make_random(&b, seed, false);
        make_glb(b.scene, &k, &g);
        done();
    }
}

// -- For others to judge

// The position of every drawn vertex at some moment: clip, seconds, mesh, primitive, coordinates.
static void expect_moment(FILE *file, tenon_pose *pose, uint32_t clip, double seconds)
{
    const tenon_scene *s = b.scene;
    float points[3 * 16];
    tenon_pose_set(pose, clip, seconds);
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &s->meshes[s->nodes[i].mesh];
        fprintf(file, "%d %.9g %.*s\n", (int)clip, seconds, (int)mesh->name.size, mesh->name.data);
        for (uint32_t part = 0; part < mesh->primitive_count; part++) {
            tenon_pose_skin(pose, i, part, points, NULL);
            for (uint32_t n = 0; n < 3 * mesh->primitives[part].vertex_count; n++)
                fprintf(file, " %.9g", (double)points[n]);
            fprintf(file, "\n");
        }
    }
}

static void write_expected(const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.expected", folder, name);
    FILE *file = fopen(path, "w");
    tenon_pose *pose = tenon_pose_new(b.scene, NULL, NULL);
    CHECK(file && pose);
    if (!file || !pose) return;
    expect_moment(file, pose, TENON_NONE, 0);
    for (uint32_t clip = 0; clip < b.scene->animation_count; clip++)
        for (int i = 0; i <= 5; i++) expect_moment(file, pose, clip, i * 0.1875);
    tenon_pose_free(pose);
    CHECK(fclose(file) == 0);
}

static void write_file(const char *folder, const char *name, const char *format, bool embed)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, format);
    tenon_export_opts opts = {.format = format, .pictures.encode_png = encode_png, .embed = embed};
    CHECK(tenon_export_file(b.scene, path, &opts, &(tenon_write_opts){.force = true}, &k.err));
}

static int write_all(const char *folder)
{
    char name[64];
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        start(all_scenes[i].make);
        write_file(folder, all_scenes[i].name, "glb", false);
        write_file(folder, all_scenes[i].name, "gltf", false);
        snprintf(name, sizeof name, "%s_embedded", all_scenes[i].name);
        write_file(folder, name, "glb", true);
        scene_end(&b);
    }
    for (uint32_t seed = 0; seed < RANDOM_COUNT; seed++) {
        bool is_sane = seed % 2;
        start(NULL);
        make_random(&b, seed, is_sane);
        snprintf(name, sizeof name, "random_%u", (unsigned)seed);
        write_file(folder, name, "glb", is_sane);
        if (is_sane) write_expected(folder, name);
        scene_end(&b);
    }
    return test_failures != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) return write_all(argv[1]);
    scratch_begin();
    RUN(pictures_are_converted_to_side_files);
    RUN(pictures_can_be_in_the_file);
    RUN(the_library_encodes_pictures_itself);
    RUN(pictures_that_cannot_be_encoded_are_lost);
    RUN(valid_pictures_are_copied_and_flipped_by_their_textures);
    RUN(pictures_beside_the_model_are_named_loaded_or_lost);
    RUN(new_files_have_names_that_every_system_accepts);
    RUN(new_files_do_not_take_names_that_are_in_use);
    RUN(a_glb_of_more_than_4_gib_is_refused);
    RUN(a_sink_that_refuses_stops_everything);
    RUN(every_allocation_may_fail);
    RUN(writing_can_be_cancelled);
    RUN(padding_after_a_failure_stays_in_the_buffer);
    RUN(absurd_scenes_are_written);
    scratch_end();
    TEST_END();
}
