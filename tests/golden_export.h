// golden_export.h: the scenes of all our files, exported to a format.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GOLDEN_EXPORT_H
#define TENON_TESTS_GOLDEN_EXPORT_H

#include "golden_scene.h"

#define GOLDEN_SCENES_MOST 512

typedef struct golden_scenes {
    tenon_scene *scenes[GOLDEN_SCENES_MOST];
    char paths[GOLDEN_SCENES_MOST][512];
    uint64_t hashes[GOLDEN_SCENES_MOST];
    size_t count;
} golden_scenes;

static inline void golden_add_scene(golden_scenes *all, const golden_file *file)
{
    golden_text text = {0};
    tenon_doc *doc = golden_read(file);
    tenon_scene *scene = doc ? golden_say_scene_of(&text, doc, file->path, false) : NULL;
    uint64_t hash = golden_hash(text.data, text.size);
    bool is_new = scene && all->count < GOLDEN_SCENES_MOST;
    for (size_t i = 0; i < all->count; i++) is_new = is_new && all->hashes[i] != hash;
    if (is_new) {
        snprintf(all->paths[all->count], sizeof all->paths[0], "%s", file->path);
        all->hashes[all->count] = hash;
        all->scenes[all->count++] = scene;
    } else {
        tenon_scene_free(scene);
    }
    tenon_doc_free(doc);
    free(text.data);
}

// The scenes of all fixtures and samples; equal ones once.
static inline golden_scenes *golden_all_scenes(void)
{
    golden_scenes *all = calloc(1, sizeof *all);
    if (!all) exit(1);
    for (uint32_t i = 0; tenon_format_at(i); i++) {
        golden_files *files = golden_collect(tenon_format_at(i)->name);
        for (size_t k = 0; k < files->count; k++) golden_add_scene(all, &files->items[k]);
        golden_free_files(files);
    }
    CHECK(all->count > 100);
    return all;
}

static inline void golden_free_scenes(golden_scenes *all)
{
    for (size_t i = 0; i < all->count; i++) tenon_scene_free(all->scenes[i]);
    free(all);
}

// -- Exports

typedef struct golden_sink {
    golden_text *text, file;
    char name[256];
} golden_sink;

static inline bool golden_sink_begin(void *user, const char *name)
{
    golden_sink *sink = user;
    snprintf(sink->name, sizeof sink->name, "%s", name);
    sink->file.size = 0;
    return true;
}

static inline bool golden_sink_write(void *user, const void *bytes, size_t size)
{
    golden_sink *sink = user;
    return append_bytes(&sink->file, bytes, size);
}

static inline bool golden_sink_end(void *user)
{
    golden_sink *sink = user;
    golden_say(sink->text, "  file '%s' %zu bytes", sink->name, sink->file.size);
    golden_say_hash(sink->text, golden_hash(sink->file.data, sink->file.size));
    golden_say(sink->text, "\n");
    return true;
}

// A tenon_png_fn whose files are the sizes followed by the pixels.
static inline bool golden_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                              uint32_t channels, tenon_write_fn *write, void *write_user)
{
    char head[64];
    (void)user;
    int size = snprintf(head, sizeof head, "%" PRIu32 "x%" PRIu32 "x%" PRIu32 ":", width, height,
                        channels);
    return write(write_user, head, (size_t)size) &&
           write(write_user, pixels, (size_t)width * height * channels);
}

// A tenon_decode_fn that uses the bytes of a file as pixels.
static inline bool golden_decode(void *user, const uint8_t *bytes, uint64_t size,
                                 tenon_pixels_fn *take, void *take_user)
{
    uint8_t pixels[4 * 8 * 4];
    (void)user;
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = bytes[i * 7 % size];
    return take(take_user, pixels, 8, 4);
}

static inline void golden_tell_export(golden_book *book, const char *path, const tenon_scene *scene,
                                      tenon_export_opts opts)
{
    golden_text files = {0}, losses = {0};
    tenon_error err;
    golden_sink sink = {.text = &files};
    opts.events.on_loss = golden_say_loss;
    opts.events.user = &losses;
    bool ok = tenon_export(
        scene, &opts, &(tenon_sink){golden_sink_begin, golden_sink_write, golden_sink_end, &sink},
        &err);
    if (!ok) golden_say_error(&files, &err);
    free(sink.file.data);
    golden_add(book, "  files", path, &files);
    golden_add(book, "  losses", path, &losses);
}

// Names that pictures of fixtures, which do not exist, may have.
static inline void golden_rename_pictures(tenon_scene *scene, size_t index)
{
    static const char *const names[] = {
        "a.jpg",   "b.JPEG",   "c.dds", "in/d.tga", "e f.png", "g.jpeg", "h.JPG", "../i.png",
        "j.png/k", "l{m}.png", ".png",  "n.webp",   "o.PNG",   "@p.png", "q",     "r.bmp",
    };
    size_t count = sizeof names / sizeof names[0];
    for (uint32_t i = 0; i < scene->image_count; i++) {
        const char *name = names[(5 * index + i) % count];
        scene->images[i].path = (tenon_str){name, (uint32_t)strlen(name)};
    }
}

// A scene in other dialects and with more of the options, as one hash.
static inline void golden_tell_more_exports(golden_book *book, const char *path,
                                            const tenon_scene *scene, const tenon_format *format,
                                            size_t index)
{
    golden_book *whole = golden_begin();
    for (size_t i = index; i < index + 2; i++) {
        tenon_export_opts opts = {
            .format = format->name,
            .dialect = format->dialects[(5 * i + 2) % format->dialect_count].name,
            .name = i % 2 ? "a b" : NULL,
            .texture_root = i % 3 == 0 ? "up/.." : NULL,
            .model_path = i % 4 ? path : NULL,
            .embed = i % 3 == 2,
            .copy_textures = i % 2 == 0,
            .without_materials = i % 5 == 3,
            .without_prefix = i % 3 == 1,
            .tolerance = i % 4 == 2   ? 0.05
                         : i % 4 == 3 ? 1e-5
                                      : 0,
            .rate = i % 3 == 2   ? 60
                    : i % 7 == 3 ? 7
                                 : 0,
            .spaces = (uint32_t)i % 8,
            .grouping = i % 2 ? TENON_GROUP_NODES : TENON_GROUP_CLIPS,
            .pictures.encode_png = i % 3 ? golden_png : NULL,
            .pictures.decode = i % 5 ? golden_decode : NULL,
            .clip = scene->animation_count ? scene->animations[scene->animation_count - 1].name.data
                                           : NULL,
            .seconds = (double)(i % 4) / 3};
        golden_tell_export(whole, path, scene, opts);
    }
    golden_say_bytes(&book->text, "more", &whole->text);
    if (golden_is_loud) fprintf(stderr, "%.*s", (int)whole->text.size, (char *)whole->text.data);
    free(whole->text.data);
    free(whole);
}

// Every scene in the format's usual dialect; and in another one, with other options, which change
// from scene to scene.
static inline void golden_tell_exports(const char *format)
{
    char name[64];
    golden_book *book = golden_begin();
    golden_scenes *all = golden_all_scenes();
    const tenon_format *face = tenon_format_by_name(format);
    for (size_t i = 0; i < all->count; i++) {
        tenon_export_opts opts = {.format = format, .model_path = all->paths[i]};
        golden_say(&book->text, "== %s\n", all->paths[i]);
        golden_tell_export(book, all->paths[i], all->scenes[i], opts);
        opts.dialect = face->dialects[(i + 1) % face->dialect_count].name;
        opts.embed = i % 2 != 0;
        opts.copy_textures = i % 3 == 0;
        opts.pictures.encode_png = golden_png;
        opts.pictures.decode = golden_decode;
        opts.grouping = i % 3 == 1 ? TENON_GROUP_NODES : TENON_GROUP_CLIPS;
        opts.rate = i % 4 == 1 ? 12.5 : 0;
        opts.name = "other";
        opts.without_prefix = i % 5 == 1;
        opts.texture_root = i % 7 == 1 ? "../from" : NULL;
        opts.seconds = 0.3;
        if (all->scenes[i]->animation_count) opts.clip = all->scenes[i]->animations[0].name.data;
        if (strncmp(all->paths[i], "tests/", 6) == 0) golden_rename_pictures(all->scenes[i], i);
        golden_say(&book->text, "as %s\n", opts.dialect);
        golden_tell_export(book, all->paths[i], all->scenes[i], opts);
        golden_tell_more_exports(book, all->paths[i], all->scenes[i], face, i);
    }
    snprintf(name, sizeof name, "to_%s", format);
    golden_compare(book, name);
    golden_free_scenes(all);
}

#endif  // TENON_TESTS_GOLDEN_EXPORT_H
