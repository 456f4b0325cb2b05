// test_golden_scenes.c: our scenes are changed and compared with the same results as before.
// SPDX-License-Identifier: MIT

#include "../edits.h"
#include "../golden_export.h"

// -- Changed

static void say_reshaped(golden_text *text, const char *path, const char *name, edits opts)
{
    tenon_error err;
    golden_text whole = {0};
    tenon_read_opts read = {.name = path};
    tenon_doc *doc = tenon_read_file(path, &read, &err);
    tenon_scene *scene = doc ? golden_say_scene_of(&whole, doc, path, false) : NULL;
    CHECK(scene);
    tenon_doc_free(doc);
    whole.size = 0;
    if (!scene) return;
    opts.events.on_loss = golden_say_loss;
    opts.events.user = text;
    golden_say(text, "%s:\n", name);
    if (edit_scene(scene, &opts, &err)) {
        CHECK(tenon_scene_check(scene, &err));
        golden_say_scene(&whole, scene);
        uint32_t primitives = 0, vertices = 0, channels = 0;
        for (uint32_t i = 0; i < scene->mesh_count; i++) {
            primitives += scene->meshes[i].primitive_count;
            for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
                vertices += scene->meshes[i].primitives[k].vertex_count;
        }
        for (uint32_t i = 0; i < scene->animation_count; i++)
            channels += scene->animations[i].channel_count;
        golden_say(text,
                   "  %" PRIu32 " nodes, %" PRIu32 " primitives, %" PRIu32 " vertices, %" PRIu32
                   " channels",
                   scene->node_count, primitives, vertices, channels);
        golden_say_hash(text, golden_hash(whole.data, whole.size));
        golden_say(text, "\n");
    } else {
        golden_say_error(text, &err);
    }
    free(whole.data);
    tenon_scene_free(scene);
}

static const struct {
    const char *name;
    edits opts;
} changes[] = {
    {"bare", {.keep.drop = TENON_DROP_NORMALS | TENON_DROP_COLORS | TENON_DROP_TEXTURES}},
    {"rigid", {.keep.drop = TENON_DROP_SKINS | TENON_DROP_MORE_UVS | TENON_DROP_CAMERAS}},
    {"plain", {.keep.drop = TENON_DROP_ANIMATIONS | TENON_DROP_MATERIALS | TENON_DROP_LIGHTS}},
    {"flipped",
     {.meshes = {.flip_normals = true, .flip_u = true, .flip_v = true, .reverse_winding = true}}},
    {"flat",
     {.meshes = {.normals = TENON_MAKE_FLAT, .tangents = TENON_MAKE_FLAT, .max_influences = 1}}},
    {"smooth",
     {.meshes = {.normals = TENON_MAKE_SMOOTH,
                 .tangents = TENON_MAKE_MISSING,
                 .max_influences = 2}}},
    {"one piece",
     {.meshes = {.pre_transform = true, .join = TENON_JOIN_MESHES | TENON_JOIN_MATERIALS}}},
    {"joined",
     {.meshes.join = TENON_JOIN_MATERIALS | TENON_JOIN_MESHES | TENON_JOIN_NODES,
      .space.scale = 0.25}},
    {"from elsewhere", {.source = {.scale = 0.01, .turns = -1, .mirror = true}, .space.turns = 1}},
    {"for elsewhere", {.space = {.mirror = true, .turns = 1, .scale = 100}}},
};

TEST(scenes_that_are_changed)
{
    golden_book *book = golden_begin();
    golden_scenes *all = golden_all_scenes();
    for (size_t i = 0; i < all->count; i++) {
        golden_say(&book->text, "== %s\n", all->paths[i]);
        for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
            golden_text text = {0};
            say_reshaped(&text, all->paths[i], changes[k].name, changes[k].opts);
            golden_add(book, changes[k].name, all->paths[i], &text);
        }
    }
    golden_compare(book, "reshaped");
    golden_free_scenes(all);
}

// -- Compared

typedef struct differences {
    golden_text *text, rest;
    int shown;
} differences;

static void say_difference(void *user, const tenon_difference *d)
{
    differences *all = user;
    golden_text *text = all->shown++ < 6 ? all->text : &all->rest;
    golden_say(text, "  %s %s: '%.60s' '%.60s'", d->kind, d->path, d->a, d->b);
    if (d->amount >= 0) golden_say(text, " by %.3g", d->amount);
    if (d->more) golden_say(text, " (%" PRIu64 " more)", d->more);
    golden_say(text, "\n");
}

static void say_compared(golden_text *text, const tenon_scene *a, const tenon_scene *b)
{
    uint64_t count = 0;
    differences all = {.text = text};
    tenon_verify_result r = {0};
    CHECK(tenon_diff(a, b, NULL, say_difference, &all, &count, NULL));
    golden_say(text, "  %" PRIu64 " differences", count);
    if (all.rest.size) golden_say_hash(text, golden_hash(all.rest.data, all.rest.size));
    golden_say(text, "\n");
    free(all.rest.data);
    CHECK(tenon_verify(a, b, NULL, &r, NULL));
    golden_say(text,
               "  largest %.4g rms %.4g matched %.4g reversed %.4g%s, %" PRIu32
               " clips, missing %" PRIu32 " %" PRIu32 ", extra %" PRIu32,
               r.largest, r.rms, r.matched, r.reversed, r.by_surface ? " by surface" : "",
               r.clip_count, r.missing_clips, r.missing_meshes, r.extra_clips);
    if (r.by_node) golden_say(text, ", by node, missing %" PRIu32, r.missing_nodes);
    golden_say(text, "\n");
    golden_say(text, "  worst in '%s' at %.4g: bone '%s' mesh '%s' %.4g %.4g %.4g\n", r.clip,
               r.seconds, r.bone, r.mesh, r.where[0], r.where[1], r.where[2]);
}

TEST(scenes_that_are_compared)
{
    golden_book *book = golden_begin();
    golden_scenes *all = golden_all_scenes();
    for (size_t i = 0; i < all->count; i++) {
        golden_text text = {0};
        size_t next = (i + 1) % all->count;
        golden_say(&book->text, "== %s\n", all->paths[i]);
        golden_say(&text, "and %s\n", all->paths[next]);
        say_compared(&text, all->scenes[i], all->scenes[next]);
        golden_add(book, "compared", all->paths[i], &text);
    }
    golden_compare(book, "compared");
    golden_free_scenes(all);
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(scenes_that_are_changed);
    RUN(scenes_that_are_compared);
    TEST_END();
}
