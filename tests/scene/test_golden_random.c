// test_golden_random.c: what becomes of random scenes in every format, and when they are changed
// and compared, is what it was before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"
#include "../golden_file.h"
#include "gltf_random.h"

#define SEEDS 16

static void count_difference(void *user, const tenon_difference *d)
{
    golden_say(user, "  %s %s %s %s %.3g\n", d->kind, d->path, d->a, d->b, d->amount);
}

static void say_joined(golden_text *text, tenon_scene *scene, const tenon_scene *before,
                       uint32_t seed)
{
    golden_text whole = {0};
    uint64_t count = 0;
    tenon_error err;
    tenon_verify_result result = {0};
    tenon_reshape_opts opts = {.lost = golden_say_loss,
                               .user = text,
                               .drop = 1u << seed % 11,
                               .normals = (tenon_make)(seed % 4),
                               .tangents = (tenon_make)(seed / 4 % 4),
                               .max_influences = seed % 5,
                               .pre_transform = seed % 6 == 5,
                               .join = seed % 8};
    golden_say(text, "changed\n");
    if (!tenon_reshape(scene, &opts, &err)) {
        golden_say_error(text, &err);
        return;
    }
    golden_say_scene(&whole, scene);
    CHECK(tenon_diff(before, scene, NULL, count_difference, &whole, &count, NULL));
    CHECK(tenon_verify(before, scene, NULL, &result, NULL));
    golden_say(&whole, "%.4g %.4g %.4g %.4g %s %s", result.largest, result.rms, result.matched,
               result.reversed, result.bone, result.mesh);
    golden_say(text, "  %" PRIu32 " nodes, %" PRIu32 " meshes, %" PRIu64 " differences",
               scene->node_count, scene->mesh_count, count);
    golden_say_hash(text, golden_hash(whole.data, whole.size));
    golden_say(text, "\n");
    if (golden_is_loud) fprintf(stderr, "%.*s", (int)whole.size, (char *)whole.data);
    free(whole.data);
}

TEST(random_scenes)
{
    golden_book *book = golden_begin();
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_builder b, changed;
        golden_text text = {0};
        golden_say(&book->text, "== %" PRIu32 "\n", seed);
        scene_begin(&b);
        scene_begin(&changed);
        make_random(&b, seed, true);
        make_random(&changed, seed, true);
        golden_rename_pictures(b.scene, seed);
        for (uint32_t i = 0; tenon_format_at(i); i++) {
            const tenon_format *format = tenon_format_at(i);
            tenon_export_opts opts = {.format = format->name, .embed = seed % 2 != 0};
            if (!(format->caps & TENON_FROM_SCENE)) continue;
            golden_say(&book->text, "%s\n", format->name);
            golden_tell_export(book, "another", b.scene, opts);
        }
        say_joined(&text, changed.scene, b.scene, seed);
        golden_add(book, "changed", "another", &text);
        scene_end(&b);
        scene_end(&changed);
    }
    golden_compare(book, "random");
}

// -- Files of random scenes

// What make_random() leaves out: events of clips, and names with values of all kinds of objects.
static void add_more(tn_builder *b, uint32_t seed)
{
    static const char *const names[] = {"type", "u_color", "collision_shape", "a b", "unit"};
    static const char *const values[] = {"", "1", "0.5 2 -3", "x", "box/1/2/1", "\xc3\xa9\"\n"};
    chance c = {seed + 1000, true};
    tenon_scene *s = b->scene;
    const uint32_t counts[] = {1, s->node_count, s->mesh_count, s->material_count,
                               s->animation_count};
    for (uint32_t i = 0; i < s->animation_count; i++) {
        tenon_animation *a = &s->animations[i];
        a->event_count = below(&c, 4);
        a->events = tn_scene_array(b, a->event_count, sizeof *a->events);
        for (uint32_t k = 0; k < a->event_count; k++) {
            a->events[k].time = a->duration * k / 3;
            random_name(&c, &a->events[k].name);
        }
    }
    for (uint32_t count = below(&c, 8); count > 0; count--) {
        uint32_t of = below(&c, sizeof counts / sizeof counts[0]);
        if (counts[of] == 0) continue;
        tn_add_extra(b, (tenon_extra_of)of, below(&c, counts[of]), names[below(&c, 5)],
                     str(values[below(&c, 6)]));
    }
}

// The main file of an export, as one that is read; `data` is NULL if there is none.
static golden_file export_random(const tenon_scene *scene, const tenon_format *format,
                                 uint32_t seed)
{
    golden_file file = {.format = format};
    kept k = {.calls_left = -1};
    tenon_export_opts opts = {.format = format->name,
                              .dialect = format->dialects[seed % format->dialect_count].name,
                              .animation = TENON_NONE,
                              .embed = seed % 2 != 0,
                              .without_materials = seed % 5 == 0,
                              .grouping = seed % 3 ? TENON_GROUP_CLIPS : TENON_GROUP_NODES,
                              .rate = seed % 4 == 1 ? 24 : 0,
                              .spaces = seed % 8};
    tenon_sink sink = {kept_begin, kept_write, kept_end, &k};
    bool ok = tenon_export(scene, &opts, &sink, NULL);
    for (int i = 0; ok && i < k.file_count; i++) {
        const char *name = k.files[i].name;
        snprintf(file.path, sizeof file.path, "nowhere/%s", name);
        tenon_doc *doc =
            tenon_read(k.files[i].bytes, k.files[i].size, &(tenon_read_opts){.name = name}, NULL);
        if (doc && doc->format == format && !file.data) {
            file.data = k.files[i].bytes;
            file.size = k.files[i].size;
            k.files[i].bytes = NULL;
        }
        tenon_doc_free(doc);
    }
    snprintf(file.path, sizeof file.path, "nowhere/random.%s", format->name);
    kept_free(&k);
    return file;
}

// Everything the library says of the files, as one hash for each.
TEST(files_of_random_scenes)
{
    golden_book *book = golden_begin(), *whole = golden_begin();
    golden_file last[16] = {{.data = NULL}};
    static const uint8_t seeds[] = {0, 12, 13, 15, 19, 40, 41};
    for (size_t n = 0; n < sizeof seeds / sizeof seeds[0]; n++) {
        uint32_t seed = seeds[n];
        tn_builder b;
        golden_say(&book->text, "== %" PRIu32 "\n", seed);
        scene_begin(&b);
        make_random(&b, seed + 100, seed % 4 != 3);
        // Scenes of many things, of which some have the same name.
        for (uint32_t k = 1; seed >= 40 && k < 6; k++) make_random(&b, 10 * seed + k, true);
        add_more(&b, seed);
        for (uint32_t i = 0; tenon_format_at(i); i++) {
            if (!(tenon_format_at(i)->caps & TENON_FROM_SCENE)) continue;
            golden_file file = export_random(b.scene, tenon_format_at(i), seed);
            if (!file.data) continue;
            file.name = "another";
            file.is_large = seed >= 40;
            if (!last[i].data) last[i] = file;
            whole->text.size = 0;
            golden_tell_file(whole, &file, &last[i]);
            golden_say(&book->text, "%s", file.format->name);
            golden_say_bytes(&book->text, "", &whole->text);
            if (golden_is_loud)
                fprintf(stderr, "%.*s", (int)whole->text.size, (char *)whole->text.data);
            if (last[i].data != file.data) free(last[i].data);
            last[i] = file;
        }
        scene_end(&b);
    }
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) free(last[i].data);
    free(whole->text.data);
    free(whole);
    golden_compare(book, "random_files");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(random_scenes);
    RUN(files_of_random_scenes);
    TEST_END();
}
