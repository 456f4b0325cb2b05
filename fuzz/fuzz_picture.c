// fuzz_picture.c: pictures: PNG, DDS and TGA as the library decodes them, PNG and JPEG as the tool
// does. What is decoded is encoded and decoded again without a change, and a model with the picture
// is written in formats that need it in another form.
// SPDX-License-Identifier: MIT

#include "../cli/pictures/picture.h"
#include "../tests/limits/work_memory.h"
#include "exchange/export_memory.h"
#include "fuzz.h"
#include "scene/pictures/pixels.h"

#define PIXELS_MOST     ((uint64_t)1 << 26)  // Of any picture that is decoded.
#define MEMORY_PER_BYTE 256                  // Packed TGA: 128 pixels in two bytes.
#define PNG_PER_BYTE    (1040 * 34)          // Deflated 1032 times, and eight pixels in a byte.
#define ENCODED_MOST    ((uint64_t)1 << 16)  // Pixels of those that are encoded again.

static const tenon_allocator plain;

static void require_reason(const tenon_error *err)
{
    require(err->code != TENON_OK && err->message[0], "a refusal says why", err);
}

// -- Encoding and decoding

static void encode_again(const picture *p)
{
    tn_memory_folder folder = {.allocator = &plain};
    tenon_sink sink = tn_memory_sink(&folder);
    tenon_budget budget = {0};
    picture again;
    tenon_error err = {0};
    require(sink.begin(sink.user, "png"), "a file in memory", NULL);
    require(png_encode(p, &budget, sink.write, sink.user, &err) && sink.end(sink.user),
            "what was decoded is encoded", &err);
    const tn_memory_file *file = tn_memory_find(&folder, "png");
    require(picture_decode(file->data, file->size, &budget, &again, &err), "and decoded again",
            &err);
    require(again.width == p->width && again.height == p->height, "with the same size", NULL);
    for (uint64_t i = 0; i < (uint64_t)p->width * p->height; i++) {
        require(memcmp(again.pixels + 4 * i, p->pixels + p->channels * i, 3) == 0,
                "and the same colors", NULL);
        uint8_t alpha = p->channels == 4 ? p->pixels[4 * i + 3] : 255;
        require(again.pixels[4 * i + 3] == alpha, "and the same alpha", NULL);
    }
    picture_free(&again, &budget);
    require(budget.memory.used == 0, "all memory is given back", NULL);
    tn_memory_free(&folder);
}

static bool decode_in_library(const uint8_t *data, size_t size)
{
    work_memory memory = {0};
    tenon_allocator allocator = work_allocator(&memory);
    tn_pixels pixels;
    tenon_error err = {0};
    uint64_t start = fuzz_work;
    bool ok = tn_pixels_decode(data, size, &allocator, &pixels, &err);
    bool is_png = tn_picture_kind(data, size) == TN_PICTURE_PNG;
    require(memory.peak <= (is_png ? PNG_PER_BYTE : MEMORY_PER_BYTE) * (uint64_t)size,
            "memory is justified by the file", &err);
    if (ok) {
        uint64_t count = (uint64_t)pixels.width * pixels.height;
        require(count > 0 && count <= PIXELS_MOST, "a size that is allowed", &err);
        tn_pixels_flip(&pixels);
        picture p = {pixels.data, pixels.width, pixels.height, pixels.channels};
        if (count <= ENCODED_MOST) encode_again(&p);
        tn_pixels_free(&pixels);
    } else {
        require_reason(&err);
    }
    require(memory.live == 0, "all memory is freed", NULL);
    if (!is_png) require_little_work(start, size, "decoding a picture");
    return ok;
}

static bool decode_in_tool(const uint8_t *data, size_t size)
{
    tenon_budget budget = {0};
    picture p;
    tenon_error err = {0};
    if (!picture_decode(data, size, &budget, &p, &err)) {
        require_reason(&err);
        require(budget.memory.used == 0, "all memory is given back", NULL);
        return false;
    }
    uint64_t count = (uint64_t)p.width * p.height;
    require(count > 0 && count <= PIXELS_MOST && p.channels == 4, "a size that is allowed", NULL);
    bool is_small = count <= ENCODED_MOST;
    if (is_small) encode_again(&p);
    picture_free(&p, &budget);
    require(budget.memory.used == 0, "all memory is given back", NULL);
    return is_small;
}

// -- Writing a model that has the picture

static bool encode_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint32_t channels, tenon_write_fn *write, void *write_user)
{
    picture p = {pixels, width, height, channels};
    tenon_error err;
    (void)user;
    return png_encode(&p, NULL, write, write_user, &err);
}

static bool decode_picture(void *user, const uint8_t *bytes, uint64_t size, tenon_pixels_fn *take,
                           void *take_user)
{
    picture p;
    tenon_error err;
    (void)user;
    if (!picture_decode(bytes, (size_t)size, NULL, &p, &err)) return false;
    bool ok = take(take_user, p.pixels, p.width, p.height);
    picture_free(&p, NULL);
    return ok;
}

// A triangle whose material has the picture.
static tenon_scene *make_scene(const uint8_t *data, size_t size, bool flip_y)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uvs[] = {0, 0, 1, 0, 0, 1};
    tenon_error err;
    tenon_scene *scene = tenon_scene_new(NULL, &err);
    require(scene != NULL, "a scene", &err);
    scene->nodes = tenon_scene_alloc(scene, sizeof *scene->nodes);
    scene->meshes = tenon_scene_alloc(scene, sizeof *scene->meshes);
    scene->materials = tenon_scene_alloc(scene, sizeof *scene->materials);
    scene->images = tenon_scene_alloc(scene, sizeof *scene->images);
    tenon_primitive *p = tenon_scene_alloc(scene, sizeof *p);
    require(scene->nodes && scene->meshes && scene->materials && scene->images && p, "memory",
            NULL);
    scene->node_count = scene->mesh_count = scene->material_count = scene->image_count = 1;
    scene->name = (tenon_str){"", 0};
    scene->nodes[0] = (tenon_node){.name = {"n", 1},
                                   .parent = TENON_NONE,
                                   .rotation = {0, 0, 0, 1},
                                   .scale = {1, 1, 1},
                                   .skin = TENON_NONE,
                                   .camera = TENON_NONE,
                                   .light = TENON_NONE};
    scene->meshes[0] = (tenon_mesh){.name = {"m", 1}, .primitive_count = 1, .primitives = p};
    *p = (tenon_primitive){.mode = TENON_TRIANGLES,
                           .vertex_count = 3,
                           .positions = (float *)positions,
                           .uvs = {(float *)uvs}};
    tenon_material *material = &scene->materials[0];
    *material = (tenon_material){.name = {"paint", 5},
                                 .base_color = {1, 1, 1, 1},
                                 .roughness = 1,
                                 .normal_scale = 1,
                                 .occlusion_strength = 1};
    for (int i = 0; i < TENON_SLOT_COUNT; i++)
        material->textures[i] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    material->textures[TENON_SLOT_BASE_COLOR].image = 0;
    scene->images[0] = (tenon_image){
        .name = {"picture", 7}, .path = {"", 0}, .data = data, .size = size, .flip_y = flip_y};
    require(tenon_scene_check(scene, &err), "a scene of our own holds", &err);
    return scene;
}

// Every picture that is written can be decoded.
static void require_pictures(const tn_memory_folder *folder)
{
    for (const tn_memory_file *f = folder->first; f; f = f->next) {
        const char *dot = strrchr(f->name, '.');
        if (!dot) continue;
        picture p;
        tn_pixels pixels;
        tenon_error err = {0};
        if (strcmp(dot, ".png") == 0 || strcmp(dot, ".jpg") == 0) {
            require(picture_decode(f->data, f->size, NULL, &p, &err), "a picture was written",
                    &err);
            picture_free(&p, NULL);
        } else if (strcmp(dot, ".dds") == 0) {
            require(tn_pixels_decode(f->data, f->size, &plain, &pixels, &err),
                    "a DDS picture was written", &err);
            tn_pixels_free(&pixels);
        }
    }
}

static void write_as(const tenon_scene *scene, const char *format, bool embed)
{
    tn_memory_folder folder = {.allocator = &plain};
    tenon_sink sink = tn_memory_sink(&folder);
    tenon_error err;
    tenon_export_opts opts = {.format = format,
                              .name = "x",
                              .embed = embed,
                              .copy_textures = !embed,
                              .pictures.encode_png = encode_png,
                              .pictures.decode = decode_picture};
    bool ok = tenon_export(scene, &opts, &sink, &err);
    require(ok || is_excused(&err), format, &err);
    if (ok) require_pictures(&folder);
    tn_memory_free(&folder);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool is_decoded = decode_in_library(data, size);
    bool is_small = decode_in_tool(data, size);
    if (!is_decoded && !is_small) return 0;
    tenon_scene *scene = make_scene(data, size, hash_of(data, size) & 1);
    write_as(scene, "gltf", true);
    write_as(scene, "gltf", false);
    write_as(scene, "obj", false);
    write_as(scene, "bmw", false);
    tenon_scene_free(scene);
    return 0;
}
