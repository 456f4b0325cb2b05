// test_golden_random.c: what becomes of random scenes in every format, and when they are changed
// and compared, is what it was before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"
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

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(random_scenes);
    TEST_END();
}
