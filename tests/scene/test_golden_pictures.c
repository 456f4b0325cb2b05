// test_golden_pictures.c: pictures of our models are the same as before, on every machine.
// SPDX-License-Identifier: MIT

#include "../golden.h"

#include <tenon/render.h>

#define WIDTH  72
#define HEIGHT 56

static uint8_t pixels[4 * WIDTH * HEIGHT];

static void say_picture(golden_text *text, tenon_renderer *renderer, const tenon_pose *pose,
                        const char *name, const tenon_render_opts *opts)
{
    tenon_error err;
    golden_say(text, "%s", name);
    if (tenon_render(renderer, pose, opts, pixels, &err))
        golden_say_hash(text, golden_hash(pixels, sizeof pixels));
    else
        golden_say_error(text, &err);
    golden_say(text, "\n");
}

// Each style and each flag once, at rest and in the middle of a clip, from all sides.
static void say_pictures(golden_book *book, const char *path)
{
    static const char *const styles[] = {"shaded", "normals", "uv", "colors", "wireframe"};
    tenon_error err;
    double min[3], max[3];
    golden_text text = {0};
    tenon_scene *scene = tenon_import_file(path, NULL, NULL, &err);
    const tenon_renderer_opts loading = {.model_path = path};
    tenon_renderer *renderer = tenon_renderer_new(scene, &loading, &err);
    tenon_pose *pose = tenon_pose_new(scene, NULL, &err);
    CHECK(scene && renderer && pose);
    golden_say(&book->text, "== %s\n", path);
    bool has_bounds = tenon_pose_bounds(pose, min, max);
    for (uint32_t i = 0; i < 10; i++) {
        char name[64];
        tenon_render_opts opts = {.width = WIDTH,
                                  .height = HEIGHT,
                                  .style = (tenon_style)(i % 5),
                                  .flags = i < 5 ? 0 : 1u << (i - 5),
                                  .samples = 1u << (3 - i % 4),
                                  .background = {0.9, 0.92, 0.95, i % 3 ? 1 : 0}};
        if (has_bounds)
            opts.view = tenon_view_box(min, max, i * 0.7, i * 0.11 - 0.3, (double)WIDTH / HEIGHT);
        bool is_posed = i % 2 && scene->animation_count > 0;
        tenon_pose_set(pose, is_posed ? 0 : TENON_NONE,
                       is_posed ? scene->animations[0].duration * 0.4 : 0);
        (void)snprintf(name, sizeof name, "%s %" PRIu32, styles[opts.style], opts.flags);
        say_picture(&text, renderer, pose, name, &opts);
    }
    golden_add(book, "pictures", path, &text);
    tenon_pose_free(pose);
    tenon_renderer_free(renderer);
    tenon_scene_free(scene);
}

TEST(pictures_of_our_models)
{
    static const char *const paths[] = {
        "samples/crane.glb",
        "samples/crane.gpb",
        "samples/crane.cea",
        "samples/crane.bbmod",
        "samples/crane.bmw",
        "samples/crane.bplx",
        "samples/crane.fbx",
        "tests/fixtures/gltf/materials.gltf",
        "tests/fixtures/gltf/mirrored.glb",
        "tests/fixtures/gltf/modes.glb",
        "tests/fixtures/gltf/morphs.glb",
        "tests/fixtures/gltf/skinned.glb",
    };
    golden_book *book = golden_begin();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) say_pictures(book, paths[i]);
    golden_compare(book, "pictures");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(pictures_of_our_models);
    TEST_END();
}
