// test_shared_pictures.c: a picture of several images is read, converted and written once.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "export_help.h"

#include "../scratch.h"

#include <tenon/files.h>

static const char *const formats[] = {"bbmod", "gpb", "bmw", "cem", "bplx", "gltf", "glb", "obj"};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

static const uint8_t tga[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 1, 2, 3};
static const uint8_t cut_tga[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 9, 0, 24, 0, 1};
static const uint8_t png[] = "\x89PNG\r\n\x1a\n rest";

// -- Files that are counted

static tenon_files counted;
static uint32_t opened;
static bool has_no_ids;

static int count_open(void *user, const char *path, tenon_file *file)
{
    opened++;
    return tenon_system_files()->open(user, path, file);
}

static int look(void *user, const char *path, tenon_file_info *info)
{
    int error = tenon_system_files()->look(user, path, info);
    if (has_no_ids) info->id = (tenon_file_id){0, 0};
    return error;
}

// -- An output

typedef struct output {
    char name[128];  // Of the last picture,
    uint32_t pictures, encoded, decoded, losses;
    uint8_t bytes[1 << 16];  // All files but pictures.
    size_t size;
    bool is_picture;
} output;

static bool begin_file(void *user, const char *name)
{
    output *o = user;
    const char *dot = strrchr(name, '.');
    o->is_picture = dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".dds") == 0);
    o->is_picture |= dot && strcmp(dot, ".tga") == 0;  // In OBJ, if it has no file.
    o->pictures += o->is_picture;
    if (o->is_picture) (void)snprintf(o->name, sizeof o->name, "%s", name);
    return true;
}

static bool write_bytes(void *user, const void *bytes, size_t size)
{
    output *o = user;
    if (o->is_picture || size > sizeof o->bytes - o->size) return o->is_picture;
    memcpy(o->bytes + o->size, bytes, size);
    o->size += size;
    return true;
}

static bool end_file(void *user)
{
    (void)user;
    return true;
}

static void count_loss(void *user, const tenon_loss *loss)
{
    output *o = user;
    bool is_picture = strcmp(loss->feature, "textures") == 0;
    is_picture |= strcmp(loss->feature, "pictures") == 0;
    if (is_picture && loss->kind == TENON_DROPPED) o->losses += (uint32_t)loss->count;
}

static bool encode(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                   uint32_t channels, tenon_write_fn *write, void *write_user)
{
    ((output *)user)->encoded++;
    (void)pixels, (void)width, (void)height, (void)channels;
    return write(write_user, "PNG", 3);
}

static bool decode(void *user, const uint8_t *bytes, uint64_t size, tenon_pixels_fn *take,
                   void *take_user)
{
    static const uint8_t pixels[4];
    ((output *)user)->decoded++;
    (void)bytes, (void)size;
    return take(take_user, pixels, 1, 1);
}

// How often a text is in the files.
static uint32_t count_text(const output *o, const char *text)
{
    size_t size = strlen(text);
    uint32_t count = 0;
    for (size_t i = 0; size && i + size <= o->size; i++)
        count += memcmp(o->bytes + i, text, size) == 0;
    return count;
}

// -- A scene of four cards, each with its material and its image

enum { CARDS = 4 };

typedef struct album {
    stage s;
    tenon_material materials[CARDS];
    tenon_image images[CARDS];
} album;

static void album_begin(album *a)
{
    static const char *const names[CARDS] = {"one", "two", "three", "four"};
    stage_begin(&a->s);
    for (uint32_t i = 0; i < CARDS; i++) {
        uint32_t node = hand_node(&a->s.h, names[i], TENON_NONE);
        stage_triangle(&a->s, names[i], node)->material = i;
        plain_material(&a->materials[i], names[i]);
        a->materials[i].textures[TENON_SLOT_BASE_COLOR].image = i;
        a->images[i] = (tenon_image){.name = hand_text(names[i]), .path = {"", 0}};
    }
    a->s.h.scene.materials = a->materials;
    a->s.h.scene.images = a->images;
    a->s.h.scene.material_count = a->s.h.scene.image_count = CARDS;
}

static void name_images(album *a, const char *const paths[CARDS])
{
    for (uint32_t i = 0; i < CARDS; i++)
        a->images[i].path = (tenon_str){paths[i], (uint32_t)strlen(paths[i])};
}

static void fill_images(album *a, const uint8_t *bytes, uint64_t size)
{
    for (uint32_t i = 0; i < CARDS; i++) {
        a->images[i].data = bytes;
        a->images[i].size = size;
    }
}

static tenon_export_opts options_for(const char *format, output *o)
{
    static char model[512];
    bool is_glb = strcmp(format, "glb") == 0;
    (void)snprintf(model, sizeof model, "%s", scratch("model.x"));
    *o = (output){.pictures = 0};
    opened = 0;
    return (tenon_export_opts){.format = format,
                               .name = "out",
                               .model_path = model,
                               .texture_root = "../in",
                               .files = &counted,
                               .copy_textures = !is_glb,
                               .embed = is_glb,
                               .pictures = {o, encode, decode},
                               .events = {.user = o, .on_loss = count_loss}};
}

static output *export_album(const album *a, const char *format)
{
    static output o;
    tenon_sink sink = {begin_file, write_bytes, end_file, &o};
    tenon_error err;
    tenon_export_opts opts = options_for(format, &o);
    if (!tenon_export(&a->s.h.scene, &opts, &sink, &err)) {
        fprintf(stderr, "%s: %s\n", format, err.message);
        CHECK(false);
    }
    return &o;
}

// One file that all materials use; in a .glb, one part of the buffer.
static void check_one(const output *o, const char *format, uint32_t encoded)
{
    bool is_glb = strcmp(format, "glb") == 0;
    uint32_t pictures = is_glb ? 0 : 1;
    CHECK(o->pictures == pictures && o->losses == 0);
    CHECK(strcmp(format, "bmw") == 0 || o->encoded == encoded);
    uint32_t named = is_glb ? count_text(o, "\"mimeType\"") : count_text(o, o->name);
    if (named < CARDS)
        fprintf(stderr, "%s: '%s' is there %u times\n", format, o->name, (unsigned)named);
    CHECK(named >= CARDS);
    if (is_glb) CHECK(count_text(o, "PNG") == 1);
}

// -- Tests

TEST(spellings_of_one_file_give_one_picture)
{
    album a;
    album_begin(&a);
    name_images(&a, (const char *const[]){"in/a.tga", "./in/a.tga", "in//a.tga", "in/./a.tga"});
    for (int k = 0; k < 2; k++) {
        has_no_ids = k == 1;
        for (size_t f = 0; f < FORMAT_COUNT; f++) {
            check_one(export_album(&a, formats[f]), formats[f], 1);
            CHECK(opened == 1);
        }
    }
    has_no_ids = false;
    stage_end(&a.s);
}

#if !defined(_WIN32) && !defined(__wasi__)
TEST(links_to_one_file_give_one_picture)
{
    char target[512];
    album a;
    album_begin(&a);
    (void)snprintf(target, sizeof target, "%s", scratch("in/a.tga"));
    CHECK(link(target, scratch("in/b.tga")) == 0 && symlink("in/a.tga", scratch("c.tga")) == 0);
    name_images(&a, (const char *const[]){"in/a.tga", "in/b.tga", "c.tga", "./c.tga"});
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        check_one(export_album(&a, formats[f]), formats[f], 1);
        CHECK(opened == 1);
    }
    stage_end(&a.s);
}
#endif

TEST(the_same_bytes_give_one_picture)
{
    uint8_t copy[sizeof tga];
    album a;
    album_begin(&a);
    fill_images(&a, tga, sizeof tga);
    memcpy(copy, tga, sizeof tga);
    a.images[3].data = copy;
    for (size_t f = 0; f < FORMAT_COUNT; f++)
        check_one(export_album(&a, formats[f]), formats[f], 1);
    fill_images(&a, png, sizeof png - 1);
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        const output *o = export_album(&a, formats[f]);
        check_one(o, formats[f], 0);
        CHECK(o->decoded == (strcmp(formats[f], "bmw") == 0));
    }
    stage_end(&a.s);
}

// Rows from the top and rows from the bottom are two pictures; so are other bytes.
TEST(what_differs_is_not_shared)
{
    uint8_t other[sizeof tga];
    album a;
    album_begin(&a);
    memcpy(other, tga, sizeof tga);
    other[sizeof tga - 1]++;
    fill_images(&a, tga, sizeof tga);
    a.images[1].flip_y = true;
    a.images[2].data = other;
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        const output *o = export_album(&a, formats[f]);
        CHECK(o->pictures == (strcmp(formats[f], "glb") == 0 ? 0 : 3));
        CHECK(strcmp(formats[f], "bmw") == 0 || o->encoded == 3);
    }
    name_images(&a, (const char *const[]){"in/a.tga", "in/a.tga", "in/other.tga", "./in/a.tga"});
    fill_images(&a, NULL, 0);
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        const output *o = export_album(&a, formats[f]);
        CHECK(o->pictures == (strcmp(formats[f], "glb") == 0 ? 0 : 3) && opened == 3);
    }
    stage_end(&a.s);
}

// It is tried once, and the loss of each image is reported.
TEST(a_broken_picture_is_lost_for_every_image)
{
    album a;
    album_begin(&a);
    name_images(&a,
                (const char *const[]){"in/cut.tga", "./in/cut.tga", "in//cut.tga", "in/no.tga"});
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        const output *o = export_album(&a, formats[f]);
        CHECK(o->pictures == 0 && o->encoded == 0 && o->losses == CARDS && opened == 1);
    }
    stage_end(&a.s);
}

// Only shapes and poses are compared.
TEST(a_proof_needs_no_pictures)
{
    static output o;
    album a;
    album_begin(&a);
    name_images(&a, (const char *const[]){"in/a.tga", "", "", "in/other.tga"});
    a.images[1].data = tga;
    a.images[1].size = sizeof tga;
    a.images[2].data = png;
    a.images[2].size = sizeof png - 1;
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        tenon_export_opts opts = options_for(formats[f], &o);
        tenon_verify_result result;
        tenon_error err;
        CHECK(tenon_export_verify(&a.s.h.scene, &opts, NULL, &result, &err));
        CHECK(result.verdict == TENON_VERIFIED && o.losses == 0);
        CHECK(o.encoded == 0 && o.decoded == 0 && opened == 0);
    }
    stage_end(&a.s);
}

static void save(const char *name, const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(scratch(name), "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

int main(void)
{
    uint8_t other[sizeof tga] = {0};
    scratch_begin();
    CHECK(mkdir_open(scratch("in")) == 0);
    memcpy(other, tga, sizeof tga);
    other[sizeof tga - 1]++;
    save("in/a.tga", tga, sizeof tga);
    save("in/other.tga", other, sizeof other);
    save("in/cut.tga", cut_tga, sizeof cut_tga);
    counted = *tenon_system_files();
    counted.open = count_open;
    counted.open_inside = NULL;
    counted.look = look;
    RUN(spellings_of_one_file_give_one_picture);
#if !defined(_WIN32) && !defined(__wasi__)
    RUN(links_to_one_file_give_one_picture);
#endif
    RUN(the_same_bytes_give_one_picture);
    RUN(what_differs_is_not_shared);
    RUN(a_broken_picture_is_lost_for_every_image);
    RUN(a_proof_needs_no_pictures);
    scratch_end();
    TEST_END();
}
