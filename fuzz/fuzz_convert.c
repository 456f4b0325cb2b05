// fuzz_convert.c: every scene can be written in every format, or is refused with a reason; what was
// written is read again, gives a valid scene, and has the same bytes when written twice.
// SPDX-License-Identifier: MIT
//
// With TENON_FUZZ_FORMAT=bmw in the environment every input is read as a BMW file, and with
// TENON_FUZZ_TO=gpb only GPB is written.

#include "exchange/export_memory.h"
#include "fuzz.h"

#define SCENE_MEMORY ((uint64_t)16 << 20)
#define WRITE_MEMORY ((uint64_t)8 << 20)  // A clip of hours in a few bytes would take minutes.

#define TOLERANCE 1e-2  // Curves sampled finely take a thousand times as long.

// -- Writing

static const tenon_allocator plain;

static void count_loss(void *user, const tenon_loss *loss)
{
    require(loss->feature[0] && loss->why[0] && loss->count > 0, "a loss says what and why", NULL);
    ++*(uint64_t *)user;
}

static bool write_to(tn_memory_folder *folder, const tenon_scene *scene, const char *format,
                     bool quantize, uint64_t *losses)
{
    tenon_sink sink = tn_memory_sink(folder);
    tenon_error err = {0};
    tenon_export_opts opts = {.format = format,
                              .max_memory = WRITE_MEMORY,
                              .name = "x",
                              .tolerance = TOLERANCE,
                              .quantize = quantize,
                              .events = {.user = losses, .on_loss = losses ? count_loss : NULL}};
    bool ok = tenon_export(scene, &opts, &sink, &err);
    // Numbers that the format cannot hold are a reason as well.
    bool is_refused = (is_excused(&err) || err.code == TENON_ERR_VALUE) && err.message[0];
    require(ok || is_refused, format, &err);
    return ok;
}

static bool is_same(const tn_memory_folder *a, const tn_memory_folder *b)
{
    const tn_memory_file *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (strcmp(x->name, y->name) != 0 || x->size != y->size ||
            (x->size && memcmp(x->data, y->data, x->size) != 0))
            return false;
    return !x && !y;
}

// -- Reading it again

static void read_main(tn_memory_folder *folder, const tenon_format *format)
{
    const tn_memory_file *file = tn_memory_find(folder, "");
    tenon_error err = {0};
    require(file != NULL, "the main file is written", NULL);
    tenon_read_opts opts = {.format = format->name};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
    require(doc || is_excused(&err), "what was written is read again", &err);
    if (!doc) return;
    char path[32];
    (void)snprintf(path, sizeof path, "x.%s", format->extensions[0]);
    tenon_files files = tn_memory_files(folder);
    tenon_scene_opts scene_opts = {.max_memory = WRITE_MEMORY, .model_path = path, .files = &files};
    tenon_scene *scene = tenon_to_scene(doc, &scene_opts, &err);
    require(scene || is_excused(&err), "what was written is understood", &err);
    if (scene) require(tenon_scene_check(scene, &err), "the scene again holds", &err);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

static void convert(const tenon_scene *scene, const tenon_format *format, bool quantize)
{
    tn_memory_folder first = {.allocator = &plain}, second = {.allocator = &plain};
    if (write_to(&first, scene, format->name, quantize, NULL)) {
        uint64_t losses = 0;
        // Reporting losses measures them, which takes more memory.
        if (write_to(&second, scene, format->name, quantize, &losses))
            require(is_same(&first, &second), "the same scene gives the same bytes", NULL);
        read_main(&first, format);
    }
    tn_memory_free(&first);
    tn_memory_free(&second);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *only = getenv("TENON_FUZZ_TO");
    tenon_read_opts opts = {.max_memory = SCENE_MEMORY, .format = fuzzed_format()};
    tenon_doc *doc = tenon_read(data, size, &opts, NULL);
    if (!doc) return 0;
    tenon_scene_opts scene_opts = {.max_memory = SCENE_MEMORY};
    tenon_scene *scene = tenon_to_scene(doc, &scene_opts, NULL);
    tenon_doc_free(doc);
    if (!scene) return 0;
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
        if (format->caps & TENON_FROM_SCENE && (!only || strcmp(only, format->name) == 0))
            convert(scene, format, false);
    if (!only || strcmp(only, "gltf") == 0) convert(scene, tenon_format_by_name("gltf"), true);
    tenon_scene_free(scene);
    return 0;
}
