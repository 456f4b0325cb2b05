// fuzz_api.c: all functions for a document and its scene besides reading, writing and mapping:
// inspecting, checking for every engine, merging, editing, comparing.
// SPDX-License-Identifier: MIT
//
// Options vary with a hash of the input. With TENON_FUZZ_FORMAT=bmw in the environment every input
// is read as a BMW file.

#include <tenon/files.h>
#include <tenon/places.h>

#include "../tests/api_walk.h"
#include "../tests/edits.h"
#include "fuzz.h"

#define MEMORY_LIMIT ((uint64_t)16 << 20)
#define PATIENCE     2000  // Calls of the progress callback: clips of hours take hours to compare.

static bool be_patient(void *user, uint64_t done, uint64_t total)
{
    require(done <= total, "progress stays below its total", NULL);
    return (*(uint64_t *)user)-- != 0;
}

static bool is_forgiven(const tenon_error *err)
{
    return is_excused(err) || err->code == TENON_ERR_CANCELLED;
}

static tenon_doc *read_again(const uint8_t *data, size_t size, bool partial)
{
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT,
                            .format = fuzzed_format(),
                            .partial = partial,
                            .incomplete = partial};
    return tenon_read(data, size, &opts, NULL);
}

// -- Looking into a document

static bool follow_node(void *user, const tenon_tree_node *node)
{
    require(node->kind && node->what && (node->name.data || !node->name.size), "a node", NULL);
    return ++*(uint64_t *)user < 1000;
}

static void follow_side(void *user, const char *name)
{
    require(name[0] != 0, "a side file has a name", NULL);
    ++*(uint64_t *)user;
}

static void look_into(tenon_doc *doc)
{
    tenon_error err;
    tenon_info info;
    uint64_t count = 0;
    for (int full = 0; full < 2; full++) {
        bool ok = tenon_doc_info(doc, &(tenon_info_opts){.full = full}, &info, &err);
        require(ok || is_excused(&err), "information", &err);
        require(info.version[sizeof info.version - 1] == 0, "a version ends", NULL);
        if (ok) tenon_info_free(&info);
    }
    (void)tenon_tree(doc, follow_node, &count, &err);
    (void)tenon_sidecars(doc, "folder/model.x", follow_side, &count);
}

// -- Checking it

static void follow_finding(void *user, const tenon_finding *f)
{
    require(f->rule && f->path && f->message[0], "a finding says what and where", NULL);
    require(f->offset == TENON_ABSENT || f->offset <= *(uint64_t *)user, "an offset", NULL);
}

static void check_for_engines(const tenon_doc *doc, const tenon_doc *model, uint64_t size)
{
    const char *profile;
    tenon_error err;
    for (uint32_t i = 0; (profile = tenon_profile_at(i)); i++) {
        tenon_check_opts opts = {.profile = profile, .model = model, .max_per_rule = 3};
        bool ok = tenon_check(doc, &opts, follow_finding, &size, NULL, &err);
        require(ok || is_excused(&err), "a check", &err);
    }
}

// -- Two documents

static void merge(const uint8_t *data, size_t size)
{
    tenon_doc *into = read_again(data, size, false), *other = read_again(data, size, false);
    tenon_error err;
    char text[256];
    if (into && other) {
        (void)tenon_relate(into, other, text, sizeof text);
        if (tenon_merge(into, other, NULL, &err)) look_into(into);
    }
    tenon_doc_free(into);
    tenon_doc_free(other);
}

// -- Scenes

static tenon_scene *scene_of(const tenon_doc *doc, bool salvage)
{
    tenon_error err;
    tenon_scene_opts opts = {.max_memory = MEMORY_LIMIT, .salvage = salvage};
    tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
    require(scene || err.message[0], "a reason", &err);
    if (scene) require(tenon_scene_check(scene, &err), "the scene holds", &err);
    return scene;
}

static void count_loss(void *user, const tenon_loss *loss)
{
    require(loss->feature[0] && loss->why[0] && loss->count > 0, "a loss says what and why", NULL);
    ++*(uint64_t *)user;
}

static bool reshape(tenon_scene *scene, uint64_t *chance)
{
    static const char *const all[] = {"*"};
    tenon_error err;
    uint64_t losses = 0;
    edits opts = {
        .source.turns = -(int)pick(chance, 2),
        .source.mirror = pick(chance, 2),
        .keep.drop = pick(chance, 2) ? (uint32_t)pick(chance, 1 << 11) : 0,
        .meshes.flip_v = pick(chance, 2),
        .meshes.reverse_winding = pick(chance, 2),
        .meshes.normals = (tenon_make)pick(chance, 4),
        .meshes.tangents = (tenon_make)pick(chance, 4),
        .meshes.max_influences = (uint32_t)pick(chance, 6),
        .meshes.pre_transform = pick(chance, 8) == 0,
        .meshes.join = (uint32_t)pick(chance, 8),
        .clips.loops = all,
        .clips.loop_count = 1,
        .space.scale = pick(chance, 2) ? 0.01 : 0,
        .space.turns = (int)pick(chance, 2),
        .space.mirror = pick(chance, 2),
        .events = {.user = &losses, .on_loss = count_loss},
    };
    bool ok = edit_scene(scene, &opts, &err);
    require(ok || is_excused(&err) || err.code == TENON_ERR_VALUE, "editing", &err);
    if (ok) require(tenon_scene_check(scene, &err), "the edited scene holds", &err);
    return ok;
}

static void compare(const tenon_scene *a, const tenon_scene *b, bool are_equal)
{
    tenon_error err;
    tenon_verify_result result;
    uint64_t patience = PATIENCE, count = 0;
    tenon_events events = {.user = &patience, .on_progress = be_patient};
    tenon_verify_opts verify = {.events = events, .samples = 1};
    bool ok = tenon_verify(a, b, &verify, &result, &err);
    require(ok || is_forgiven(&err), "verifying", &err);
    require(!ok || tenon_verdict_word(result.verdict)[0], "a verdict has a word", NULL);
    require(!ok || tenon_verify_mode(&result)[0], "so has how it was measured", NULL);
    require(!ok || !are_equal || !(result.largest > 0), "a scene is not where it is", NULL);
    tenon_diff_opts diff = {.events = events};
    ok = tenon_diff(a, b, &diff, NULL, NULL, &count, &err);
    require(ok || is_forgiven(&err), "a difference", &err);
    require(!ok || !are_equal || !count, "a scene does not differ from itself", NULL);
}

// Written to memory, read again and compared.
static void prove_export(const tenon_scene *scene, uint64_t *chance)
{
    tenon_error err;
    tenon_verify_result result;
    uint64_t patience = PATIENCE;
    uint32_t format_count = 0;
    while (tenon_format_at(format_count)) format_count++;
    const tenon_format *format = tenon_format_at((uint32_t)pick(chance, format_count));
    if (!(format->caps & TENON_FROM_SCENE)) return;
    tenon_export_opts opts = {.format = format->name,
                              .name = "x",
                              .max_memory = MEMORY_LIMIT / 2,
                              .tolerance = 1e-2,
                              .events = {.user = &patience, .on_progress = be_patient}};
    tenon_verify_opts verify = {.events = {.user = &patience, .on_progress = be_patient},
                                .samples = 1};
    bool ok = tenon_export_verify(scene, &opts, &verify, &result, &err);
    require(ok || is_forgiven(&err) || err.code == TENON_ERR_VALUE, format->name, &err);
}

static void use_as_programs_do(const tenon_scene *scene)
{
    tenon_error err;
    const tenon_allocator allocator = {0};
    const char *formats[] = {"obj", "bplx", "glb"};
    bool ok = walk_building(scene, &allocator, &err) || is_excused(&err);
    require(ok || err.code == TENON_ERR_VALUE, "building", &err);
    require(walk_buffers(scene, &allocator, &err) || err.message[0], "buffers", &err);
    require(walk_pictures(scene, &allocator, &err) || err.message[0], "pictures", &err);
    require(walk_distances(scene, &allocator, &err) || err.message[0], "distances", &err);
    (void)walk_memory(scene, &allocator, formats[scene->node_count % 3], &err);
}

static void use_scenes(const tenon_doc *doc, bool partial, uint64_t *chance)
{
    tenon_scene *a = scene_of(doc, partial), *b = scene_of(doc, partial);
    if (a && b) {
        compare(a, b, true);
        for (uint32_t i = 0; i < TENON_SLOT_COUNT; i++)
            require(tenon_slot_word((tenon_slot)i)[0] != 0, "a slot has a word", NULL);
        if (pick(chance, 4) == 0) prove_export(a, chance);
        if (pick(chance, 2)) use_as_programs_do(a);
        if (reshape(b, chance)) compare(a, b, false);
    }
    tenon_scene_free(a);
    tenon_scene_free(b);
}

// In memory, to another format and within its own.
static void convert(const uint8_t *data, size_t size, uint64_t *chance)
{
    tenon_error err = {0};
    tenon_budget budget = tenon_budget_for(size);
    const tenon_allocator allocator = {.budget = &budget};
    const char *formats[] = {"obj", "bplx", "glb"};
    budget.work.limit = (uint64_t)1 << 22;
    bool ok = walk_converting(data, size, &allocator, formats[pick(chance, 3)], &err);
    require(ok || err.message[0], "a conversion that fails says why", NULL);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t chance = hash_of(data, size);
    bool partial = pick(&chance, 3) == 0;
    tenon_error err;
    tenon_doc *doc = read_again(data, size, partial);
    if (!doc) return 0;
    look_into(doc);
    check_for_engines(doc, pick(&chance, 2) ? doc : NULL, size);
    use_scenes(doc, partial, &chance);
    tenon_traced traced;
    (void)tenon_trace(doc, (uint32_t)pick(&chance, 4), 0, pick(&chance, 8), NULL, &traced, &err);
    tenon_corner corner;
    (void)tenon_trace_back(doc, pick(&chance, 4096), NULL, &corner, &err);
    tenon_traced_part part = {.path = traced.triangle.path, .offset = pick(&chance, size)};
    (void)tenon_trace_paths(doc, &part, 1, NULL, &err);
    if (!partial) require(walk_arrays(doc, data, size, &err), "arrays", &err);
    tenon_doc_free(doc);
    if (!partial) merge(data, size);
    if (!partial) convert(data, size, &chance);
    return 0;
}
