// robust_scenes.c: scenes imported, edited, posed, compared and exported while memory runs out,
// files fail and users cancel: at every place, once and for ever.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "edits.h"
#include "robust.h"

#include <tenon/scene.h>

#include "callbacks.h"
#include "faulty_files.h"
#include "robust_faults.h"
#include "scratch.h"

// -- What work is done on

static uint32_t export_index;  // Index into the names below: what is written now.
static const char *const exports[] = {"bbmod", "gpb",  "bmw", "cea", "cem",
                                      "bplx",  "gltf", "glb", "obj"};
#define EXPORT_COUNT (sizeof exports / sizeof exports[0])

// A scene in which every list and string needs an allocation from here on.
static tenon_scene *scene_of(const robust_file *file, robust_memory *memory)
{
    tenon_scene_opts opts = {.model_path = file->path};
    if (memory) opts.allocator = robust_allocator(memory);
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, NULL) : NULL;
    tenon_doc_free(doc);
    return scene;
}

static tenon_export_opts export_opts(const robust_file *file, robust_memory *memory)
{
    return (tenon_export_opts){.allocator = robust_allocator(memory),
                               .format = exports[export_index],
                               .model_path = file->path,
                               .copy_textures = true,
                               .events.on_loss = ignore_loss};
}

// -- Memory

static bool make_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene_opts opts = {.allocator = robust_allocator(memory), .model_path = file->path};
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    tenon_scene *scene = tenon_to_scene(doc, &opts, err);
    tenon_doc_free(doc);
    bool ok = scene && tenon_scene_check(scene, err);
    tenon_scene_free(scene);
    return ok;
}

static bool make_another(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_scene_opts opts = {.allocator = robust_allocator(memory)};
    tenon_scene *scene = tenon_scene_new(&opts, err);
    bool ok = scene && tenon_scene_alloc(scene, 1 << 20);
    if (scene && !ok) err->code = TENON_ERR_MEMORY, err->message[0] = '!';
    tenon_scene_free(scene);
    return ok;
}

static void pose_all(tenon_pose *pose, const tenon_scene *scene)
{
    double min[3], max[3];
    float palette[16 * 256];
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        tenon_pose_set(pose, i, 0.5);
        (void)tenon_pose_clip_bounds(pose, i, min, max);
    }
    (void)tenon_pose_bounds(pose, min, max);
    if (scene->node_count) (void)tenon_pose_global(pose, 0);
    if (scene->skin_count && scene->skins[0].joint_count <= 256)
        tenon_pose_palette(pose, 0, palette);
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) tenon_pose_skin(pose, i, 0, NULL, NULL);
}

static bool pose_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_allocator allocator = robust_allocator(memory);
    tenon_pose *pose = tenon_pose_new(scene, &allocator, err);
    if (pose) pose_all(pose, scene);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    return pose != NULL;
}

static const edits all_changes = {
    .source.scale = 2,
    .source.turns = -1,
    .source.mirror = true,
    .meshes.normals = TENON_MAKE_FLAT,
    .meshes.tangents = TENON_MAKE_SMOOTH,
    .meshes.max_influences = 1,
    .meshes.join = TENON_JOIN_MATERIALS | TENON_JOIN_MESHES | TENON_JOIN_NODES,
    .space.turns = 1,
    .space.mirror = true,
    .events.on_loss = ignore_loss,
};

static const edits plain_changes = {
    .keep.drop = TENON_DROP_SKINS | TENON_DROP_MORE_UVS | TENON_DROP_CAMERAS | TENON_DROP_LIGHTS,
    .meshes.pre_transform = true,
    .meshes.flip_normals = true,
    .meshes.flip_v = true,
    .meshes.reverse_winding = true,
    .space.scale = 3,
    .events.on_loss = ignore_loss,
};

static bool reshape_with(const robust_file *file, const edits *opts, robust_memory *memory,
                         tenon_error *err)
{
    robust_memory kept = robust_disarm(memory);
    tenon_scene *scene = scene_of(file, memory);
    memory->fail_at = 1;
    memory->for_ever = true;
    while (tenon_scene_alloc(scene, 16)) {
    }
    robust_arm(memory, kept);
    bool ok = edit_scene(scene, opts, err) && tenon_scene_check(scene, err);
    tenon_scene_free(scene);
    return ok;
}

static bool reshape_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    return reshape_with(file, &all_changes, memory, err);
}

static bool flatten_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    return reshape_with(file, &plain_changes, memory, err);
}

static bool verify_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_verify_opts opts = {.allocator = robust_allocator(memory)};
    tenon_verify_result result;
    bool ok = tenon_verify(scene, scene, &opts, &result, err);
    tenon_scene_free(scene);
    return ok;
}

static bool diff_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL), *other = scene_of(file, NULL);
    tenon_diff_opts opts = {.allocator = robust_allocator(memory)};
    uint64_t count;
    (void)edit_scene(other, &plain_changes, NULL);
    bool ok = tenon_diff(scene, other, &opts, ignore_difference, NULL, &count, err);
    tenon_scene_free(scene);
    tenon_scene_free(other);
    return ok;
}

// What a format cannot hold at all is not a failure of memory.
static bool export_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_export_opts opts = export_opts(file, memory);
    bool ok = tenon_export(scene, &opts, &ignoring_sink, err) || err->code == TENON_ERR_UNSUPPORTED;
    tenon_scene_free(scene);
    return ok;
}

static bool export_its_files(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    faulty_files quick;  // Without waiting for the disk.
    faulty_begin(&quick);
    tenon_export_opts opts = export_opts(file, memory);
    tenon_write_opts write = {.force = true, .files = &quick.files};
    bool ok = tenon_export_file(scene, scratch("out"), &opts, &write, err) ||
              err->code == TENON_ERR_UNSUPPORTED;
    tenon_scene_free(scene);
    scratch_clear_but(".tenon-");  // Existing files need less to write.
    return ok;
}

static bool prove_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_export_opts opts = export_opts(file, memory);
    tenon_verify_opts verify = {.allocator = robust_allocator(memory)};
    tenon_verify_result result;
    bool ok = tenon_export_verify(scene, &opts, &verify, &result, err) ||
              err->code == TENON_ERR_UNSUPPORTED;
    tenon_scene_free(scene);
    return ok;
}

static const robust_task tasks[] = {
    {"making a scene", make_it}, {"making an empty scene", make_another},
    {"posing", pose_it},         {"editing", reshape_it},
    {"flattening", flatten_it},  {"verifying", verify_it},
    {"comparing", diff_it}};

static const robust_task export_tasks[] = {
    {"exporting", export_it}, {"exporting to files", export_its_files}, {"proving", prove_it}};

// What cannot be imported at all has separate tests.
static bool has_scene(const robust_file *file)
{
    tenon_scene *scene = file->format->caps & TENON_TO_SCENE ? scene_of(file, NULL) : NULL;
    tenon_scene_free(scene);
    return scene != NULL;
}

static void starve_scenes(const robust_file *file)
{
    if (!has_scene(file)) return;
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) robust_starve(file, &tasks[i]);
}

TEST(memory_can_run_out_while_scenes_are_worked_on)
{
    robust_each(starve_scenes);
}

// Every file is written in every format when there is time, else in one that changes each time.
static void starve_exports(const robust_file *file)
{
    static uint32_t turn;
    if (!has_scene(file)) return;
    for (export_index = 0; export_index < EXPORT_COUNT; export_index++) {
        if (!robust_is_long && export_index != turn % EXPORT_COUNT) continue;
        for (size_t i = 0; i < sizeof export_tasks / sizeof export_tasks[0]; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s as %s", export_tasks[i].name, exports[export_index]);
            robust_starve(file, &(robust_task){name, export_tasks[i].run});
        }
    }
    turn++;
}

TEST(memory_can_run_out_while_scenes_are_written)
{
    scratch_begin();
    robust_each(starve_exports);
    CHECK(scratch_count(".tenon-") == 0);
    scratch_end();
}

// -- Files

// The files afterwards: the same names with the same sizes as before.
static unsigned count_files(void)
{
    return scratch_count("");
}

static const char *export_faulty(const robust_file *file, const tenon_scene *scene,
                                 faulty_files *faulty)
{
    robust_memory memory = {0};
    tenon_error err;
    tenon_export_opts opts = export_opts(file, &memory);
    tenon_write_opts write = {.files = &faulty->files};
    opts.files = &faulty->files;
    unsigned before = count_files();
    bool ok = tenon_export_file(scene, scratch("out"), &opts, &write, &err);
    if (faulty->open_count || faulty->map_count) return "a file stays open";
    if (scratch_count(".tenon-") > faulty->failed_removes) return "a temporary file stays";
    bool is_known = ok || err.code == TENON_ERR_IO || err.code == TENON_ERR_UNSUPPORTED;
    if (!is_known || (!ok && !err.message[0])) return "the error is not that of a file";
    if (!ok && faulty->failed_removes == 0 && count_files() != before) return "a file stays";
    return fault_in_memory(&memory);
}

static const char *fail_at(const robust_file *file, const tenon_scene *scene, unsigned at,
                           bool for_ever, bool *is_over)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.fail_at = at;
    faulty.for_ever = for_ever;
    scratch_begin();
    const char *fault = export_faulty(file, scene, &faulty);
    scratch_end();
    *is_over = faulty.failed_calls == 0;
    return fault;
}

static void fail_exports(const robust_file *file)
{
    static uint32_t turn;
    tenon_scene *scene = has_scene(file) ? scene_of(file, NULL) : NULL;
    export_index = turn++ % EXPORT_COUNT;
    for (int for_ever = 0; scene && for_ever < 2; for_ever++) {
        bool is_over = false;
        for (unsigned at = 1; !is_over; at++) {
            const char *fault = fail_at(file, scene, at, for_ever, &is_over);
            if (fault)
                robust_broken(file, fault, "to %s, operation %u failing%s", exports[export_index],
                              at, for_ever ? " for ever" : "");
        }
    }
    tenon_scene_free(scene);
}

TEST(file_operations_can_fail_while_scenes_are_written)
{
    robust_each(fail_exports);
}

// -- Users

static bool make_long(const robust_file *file, tenon_events events, robust_memory *memory,
                      tenon_error *err)
{
    tenon_scene_opts opts = {.allocator = robust_allocator(memory), .events = events};
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    opts.model_path = file->path;
    tenon_scene *scene = tenon_to_scene(doc, &opts, err);
    tenon_doc_free(doc);
    tenon_scene_free(scene);
    return scene != NULL;
}

static bool reshape_long(const robust_file *file, tenon_events events, robust_memory *memory,
                         tenon_error *err)
{
    tenon_scene *scene = scene_of(file, memory);
    edits opts = all_changes;
    opts.events = events;
    bool ok = edit_scene(scene, &opts, err);
    tenon_scene_free(scene);
    return ok;
}

static bool verify_long(const robust_file *file, tenon_events events, robust_memory *memory,
                        tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_verify_opts opts = {.allocator = robust_allocator(memory), .events = events};
    tenon_verify_result result;
    bool ok = tenon_verify(scene, scene, &opts, &result, err);
    tenon_scene_free(scene);
    return ok;
}

static bool diff_long(const robust_file *file, tenon_events events, robust_memory *memory,
                      tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_diff_opts opts = {.allocator = robust_allocator(memory), .events = events};
    uint64_t count;
    bool ok = tenon_diff(scene, scene, &opts, NULL, NULL, &count, err);
    tenon_scene_free(scene);
    return ok;
}

static bool export_long(const robust_file *file, tenon_events events, robust_memory *memory,
                        tenon_error *err)
{
    tenon_scene *scene = scene_of(file, NULL);
    tenon_export_opts opts = export_opts(file, memory);
    opts.events = events;
    bool ok = tenon_export(scene, &opts, &ignoring_sink, err) || err->code == TENON_ERR_UNSUPPORTED;
    tenon_scene_free(scene);
    return ok;
}

static const robust_long_task long_tasks[] = {{"making a scene", make_long},
                                              {"editing", reshape_long},
                                              {"verifying", verify_long},
                                              {"comparing", diff_long},
                                              {"exporting", export_long}};

static void cancel_scenes(const robust_file *file)
{
    static uint32_t turn;
    export_index = turn++ % EXPORT_COUNT;
    if (!has_scene(file) || (file->size > robust_exhaustive() && !robust_is_long)) return;
    for (size_t i = 0; i < sizeof long_tasks / sizeof long_tasks[0]; i++)
        robust_cancel(file, &long_tasks[i]);
}

TEST(work_on_scenes_can_be_cancelled_anywhere)
{
    robust_each(cancel_scenes);
}

static void run_all(void)
{
    RUN(memory_can_run_out_while_scenes_are_worked_on);
    RUN(memory_can_run_out_while_scenes_are_written);
    RUN(file_operations_can_fail_while_scenes_are_written);
    RUN(work_on_scenes_can_be_cancelled_anywhere);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
