// test_export_refused.c: a scene with pictures written in every format to a sink that refuses one
// call after the other, with encoders and decoders that fail.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "export_help.h"

#include "../scratch.h"

static const char *const formats[] = {"bbmod", "gpb",  "bmw", "cea", "cem",
                                      "bplx",  "gltf", "glb", "obj"};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

// -- A sink and a caller

typedef struct output {
    uint32_t calls, refused;  // Which call of the sink is refused, from 1; 0: none.
    uint32_t files, losses;
    bool png_fails, decode_fails;
    uint32_t width, height;  // Of the decoder's result.
} output;

static bool is_taken(output *o)
{
    return ++o->calls != o->refused;
}

static bool begin_file(void *user, const char *name)
{
    (void)name;
    return is_taken(user);
}

static bool write_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return is_taken(user);
}

static bool end_file(void *user)
{
    output *o = user;
    o->files++;
    return is_taken(o);
}

static void count_loss(void *user, const tenon_loss *loss)
{
    output *o = user;
    o->losses += strcmp(loss->feature, "textures") == 0 || strcmp(loss->feature, "pictures") == 0;
}

static bool encode(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                   uint32_t channels, tenon_write_fn *write, void *write_user)
{
    output *o = user;
    CHECK(pixels && width && height && (channels == 3 || channels == 4));
    return !o->png_fails && write(write_user, "PNG", 3);
}

static bool decode(void *user, const uint8_t *bytes, uint64_t size, tenon_pixels_fn *take,
                   void *take_user)
{
    static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 128};
    output *o = user;
    CHECK(bytes && size);
    return !o->decode_fails && take(take_user, pixels, o->width, o->height);
}

static bool write_to(const tenon_scene *scene, const char *format, output *o, tenon_error *err)
{
    tenon_sink sink = {begin_file, write_bytes, end_file, o};
    tenon_export_opts opts = {.format = format,
                              .copy_textures = true,
                              .pictures = {o, encode, decode},
                              .events = {.user = o, .on_loss = count_loss}};
    *err = (tenon_error){.code = TENON_OK};
    return tenon_export(scene, &opts, &sink, err);
}

// -- A scene with a picture of each kind, in the file

static const uint8_t png[] = "\x89PNG\r\n\x1a\n rest";
static const uint8_t tga[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 1, 2, 3};
static const uint8_t cut_tga[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 9, 0, 24, 0, 1};

typedef struct album {
    stage s;
    tenon_material material;
    tenon_image images[3];
} album;

static void album_begin(album *a)
{
    stage_begin(&a->s);
    uint32_t node = hand_node(&a->s.h, "card", TENON_NONE);
    stage_triangle(&a->s, "card", node)->material = 0;
    plain_material(&a->material, "print");
    a->images[0] = (tenon_image){hand_text("one"), {"", 0}, png, sizeof png - 1, false, false, 0};
    a->images[1] = (tenon_image){hand_text("two"), {"", 0}, tga, sizeof tga, true, false, 0};
    a->images[2] =
        (tenon_image){hand_text("three"), {"", 0}, cut_tga, sizeof cut_tga, false, false, 0};
    a->material.textures[TENON_SLOT_BASE_COLOR].image = 0;
    a->material.textures[TENON_SLOT_NORMAL].image = 1;
    a->s.h.scene.materials = &a->material;
    a->s.h.scene.material_count = 1;
    a->s.h.scene.images = a->images;
    a->s.h.scene.image_count = 3;
}

// -- Refusals

TEST(every_call_of_a_sink_may_be_refused)
{
    album a;
    album_begin(&a);
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        bool is_written = false;
        uint32_t refusals = 0;
        for (uint32_t at = 1; !is_written; at += 1 + at / 64, refusals++) {
            tenon_error err;
            output o = {.refused = at, .width = 2, .height = 1};
            is_written = write_to(&a.s.h.scene, formats[f], &o, &err);
            CHECK(is_written == (o.calls < at));
            CHECK(is_written || (err.code == TENON_ERR_IO && err.message[0]));
            CHECK(is_written || o.calls == at);
        }
        if (refusals < 4) fprintf(stderr, "%s: %u calls\n", formats[f], (unsigned)refusals);
        CHECK(refusals >= 4);
    }
    stage_end(&a.s);
}

// An encoder that fails ends the export, as a full disk does.
TEST(an_encoder_that_fails_is_an_error)
{
    album a;
    album_begin(&a);
    uint32_t failures = 0;
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        tenon_error err;
        output o = {.png_fails = true, .width = 2, .height = 1};
        bool is_written = write_to(&a.s.h.scene, formats[f], &o, &err);
        CHECK(is_written || (err.code == TENON_ERR_IO && err.message[0]));
        failures += !is_written;
    }
    CHECK(failures >= 4);  // BMW uses DDS, and some formats cannot hold pictures.
    stage_end(&a.s);
}

// What cannot be decoded, or is too large or empty, is a loss, and the rest is written.
TEST(a_decoder_that_fails_costs_the_picture)
{
    static const struct {
        bool fails;
        uint32_t width, height;
    } cases[] = {{true, 1, 1}, {false, 0, 1}, {false, 1, 0}, {false, 1u << 31, 1u << 31}};
    album a;
    album_begin(&a);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_error err;
        output good = {.width = 2, .height = 1}, o = {.decode_fails = cases[i].fails,
                                                      .width = cases[i].width,
                                                      .height = cases[i].height};
        CHECK(write_to(&a.s.h.scene, "bmw", &good, &err));
        CHECK(write_to(&a.s.h.scene, "bmw", &o, &err));
        CHECK(o.losses > good.losses && o.files == good.files - 1);
    }
    stage_end(&a.s);
}

// A picture that ends before its pixels do is lost, in every format.
TEST(a_picture_that_is_cut_is_lost)
{
    album a;
    album_begin(&a);
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        tenon_error err;
        output whole = {.width = 2, .height = 1}, cut = whole;
        a.material.textures[TENON_SLOT_BASE_COLOR].image = 1;
        CHECK(write_to(&a.s.h.scene, formats[f], &whole, &err));
        a.material.textures[TENON_SLOT_BASE_COLOR].image = 2;
        CHECK(write_to(&a.s.h.scene, formats[f], &cut, &err));
        CHECK(cut.losses >= whole.losses && cut.files <= whole.files);
    }
    stage_end(&a.s);
}

// -- Pictures in files

// How many files are written with a picture beside the model, if the output is in a folder from
// which `texture_root` leads back to the model's.
static uint32_t files_with_picture(const album *a, const char *format, const char *texture_root,
                                   bool copy_textures)
{
    output o = {.width = 2, .height = 1};
    tenon_error err;
    tenon_sink sink = {begin_file, write_bytes, end_file, &o};
    tenon_export_opts opts = {.format = format,
                              .copy_textures = copy_textures,
                              .model_path = scratch("m.obj"),
                              .texture_root = texture_root,
                              .pictures = {&o, encode, decode},
                              .events.user = &o};
    CHECK(tenon_export(&a->s.h.scene, &opts, &sink, &err));
    return o.files;
}

// A file is not copied to itself; but what Beowolf loads has to be made even beside the model.
TEST(a_picture_is_copied_only_where_it_is_missing)
{
    static const char *const with_pictures[] = {"bbmod", "gpb", "bmw", "cea", "cem", "bplx", "obj"};
    album a;
    album_begin(&a);
    scratch_begin();
    scratch_save("paint.png", png, sizeof png - 1);
    a.images[0] = (tenon_image){.name = {"", 0}, .path = hand_text("paint.png")};
    a.s.h.scene.image_count = 1;
    a.material.textures[TENON_SLOT_NORMAL].image = TENON_NONE;
    for (size_t f = 0; f < sizeof with_pictures / sizeof with_pictures[0]; f++) {
        const char *format = with_pictures[f];
        bool is_made = strcmp(format, "bmw") == 0;
        uint32_t plain = files_with_picture(&a, format, "", false);
        CHECK(files_with_picture(&a, format, "../other/", false) == plain);
        CHECK(files_with_picture(&a, format, "../other/", true) == plain + 1);
        CHECK(files_with_picture(&a, format, "", true) == plain + is_made);
    }
    scratch_end();
    stage_end(&a.s);
}

int main(void)
{
    RUN(every_call_of_a_sink_may_be_refused);
    RUN(an_encoder_that_fails_is_an_error);
    RUN(a_decoder_that_fails_costs_the_picture);
    RUN(a_picture_that_is_cut_is_lost);
    RUN(a_picture_is_copied_only_where_it_is_missing);
    TEST_END();
}
