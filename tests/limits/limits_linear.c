// limits_linear.c: ten times as much of anything takes at most twelve times the work.
// SPDX-License-Identifier: MIT
//
// Arguments: a set to be tried alone, `--long` for larger ones and a million of some, `--all` to
// print all numbers.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/files.h>
#include <tenon/scene.h>

#include "../edits.h"
#include "../test.h"
#include "draw_scene.h"
#include "exchange/export_memory.h"
#include "sets_fbx.h"
#include "sets_gltf.h"
#include "sets_other.h"
#include "work.h"

#define TIMES       10
#define WORK_FREE   1500000.0  // Branches that do not count: two milliseconds.
#define MEMORY_FREE (16.0 * 1048576)

// Branches for one step of the library's budget: the budget must count what is done.
#define STEP_BRANCHES 1000.0

// -- Sets

typedef void make_fn(set_text *out, uint32_t n);

typedef struct limits_set {
    const char *name;
    const char *file;  // The name of the model; its extension gives its format.
    make_fn *make;     // NULL: it is that file of the samples,
    const char *side;  // with another one beside it.
    make_fn *make_side;
    uint32_t least;  // How much of it there is at least, and then it is not written; 0: as usual.
} limits_set;

// Polygons of more corners than this are cut up in a simpler way: up to it the time grows with the
// square, but has a bound.
#define POLYGON 17000

static const limits_set sets[] = {
    {"chains of nodes", "m.glb", make_gltf_chains, NULL, NULL, 0},
    {"one chain of nodes", "m.glb", make_gltf_chain, NULL, NULL, 0},
    {"children of one node", "m.glb", make_gltf_children, NULL, NULL, 0},
    {"equal names", "m.glb", make_gltf_same_names, NULL, NULL, 0},
    {"names that are nearly equal", "m.glb", make_gltf_near_names, NULL, NULL, 0},
    {"names of one hash", "m.glb", make_gltf_flood_names, NULL, NULL, 0},
    {"stretched instances", "m.glb", make_gltf_stretched, NULL, NULL, 0},
    {"primitives", "m.glb", make_gltf_primitives, NULL, NULL, 0},
    {"triangles in one point", "m.glb", make_gltf_same_places, NULL, NULL, 0},
    {"triangles on a line", "m.glb", make_gltf_line, NULL, NULL, 0},
    {"triangles in a heap", "m.glb", make_gltf_heap, NULL, NULL, 0},
    {"vertices at powers of two", "m.glb", make_gltf_powers, NULL, NULL, 0},
    {"channels of one key", "m.glb", make_gltf_channels, NULL, NULL, 0},
    {"clips of one key", "m.glb", make_gltf_clips, NULL, NULL, 0},
    {"clips of one name", "m.glb", make_gltf_same_clips, NULL, NULL, 0},
    {"clips of one hash", "m.glb", make_gltf_flood_clips, NULL, NULL, 0},
    {"keys at one time", "m.glb", make_gltf_same_times, NULL, NULL, 0},
    {"keys in reverse", "m.glb", make_gltf_times_back, NULL, NULL, 0},
    {"keys close together", "m.glb", make_gltf_near_times, NULL, NULL, 0},
    {"views of the same bytes", "m.glb", make_gltf_views, NULL, NULL, 0},
    {"a sparse accessor", "m.glb", make_gltf_sparse, NULL, NULL, 0},
    {"buffers in the text", "m.gltf", make_gltf_data_uris, NULL, NULL, 0},
    {"pictures", "m.glb", make_gltf_images, NULL, NULL, 0},
    {"pictures of the same bytes", "m.glb", make_gltf_one_picture, NULL, NULL, 0},
    {"pictures of one hash", "m.glb", make_gltf_flood, NULL, NULL, 0},
    {"empty lists", "m.gltf", make_gltf_empty_lists, NULL, NULL, 0},
    {"escapes", "m.gltf", make_gltf_escapes, NULL, NULL, 0},
    {"equal keys of an object", "m.gltf", make_gltf_same_keys, NULL, NULL, 0},
    {"blanks", "m.gltf", make_gltf_blanks, NULL, NULL, 0},
    {"digits", "m.gltf", make_gltf_digits, NULL, NULL, 0},
    {"deep lists", "m.gltf", make_gltf_deep, NULL, NULL, 0},
    {"deep objects", "m.gltf", make_gltf_deep_objects, NULL, NULL, 0},
    {"many deep lists", "m.gltf", make_gltf_deep_lists, NULL, NULL, 0},
    {"extensions", "m.gltf", make_gltf_extensions, NULL, NULL, 0},
    {"groups", "m.obj", make_obj_groups, NULL, NULL, 0},
    {"copied extensions", "m.gltf", make_gltf_copies, NULL, NULL, 0},
    {"two groups in turn", "m.obj", make_obj_same_groups, NULL, NULL, 0},
    {"switches of materials", "m.obj", make_obj_switches, "side.mtl", make_small_mtl, 0},
    {"materials", "m.obj", make_obj_materials, "side.mtl", make_mtl, 0},
    {"materials of one name", "m.obj", make_obj_switches, "side.mtl", make_same_mtl, 0},
    {"one library many times", "m.obj", make_obj_libraries, "side.mtl", make_small_mtl, 0},
    {"objects", "m.obj", make_obj_objects, NULL, NULL, 0},
    {"smoothing groups", "m.obj", make_obj_smoothing, NULL, NULL, 0},
    {"a polygon like a comb", "m.obj", make_obj_comb, NULL, NULL, POLYGON},
    {"a polygon like a bay", "m.obj", make_obj_bay, NULL, NULL, POLYGON},
    {"a polygon in one point", "m.obj", make_obj_point, NULL, NULL, POLYGON},
    {"a polygon on a line", "m.obj", make_obj_line, NULL, NULL, POLYGON},
    {"a polygon that crosses itself", "m.obj", make_obj_zigzag, NULL, NULL, POLYGON},
    {"triangles around one vertex", "m.obj", make_obj_fan, NULL, NULL, 0},
    {"blank lines", "m.obj", make_obj_blank_lines, NULL, NULL, 0},
    {"one long line", "m.obj", make_obj_long_line, NULL, NULL, 0},
    {"wrong lines", "m.obj", make_obj_wrong_lines, NULL, NULL, 0},
    {"references of one name", "m.gpb", make_gpb_references, NULL, NULL, 0},
    {"references of one hash", "m.gpb", make_gpb_flood, NULL, NULL, 0},
    {"references to one place", "m.gpb", make_gpb_one_place, NULL, NULL, 0},
    {"a chain of inheritance", "crane.gpb", NULL, "crane.material", make_material_chain, 0},
    {"a circle of inheritance", "crane.gpb", NULL, "crane.material", make_material_circle, 0},
    {"deep properties", "crane.gpb", NULL, "crane.material", make_material_deep, 0},
    {"equal properties", "crane.gpb", NULL, "crane.material", make_material_same, 0},
    {"a chain of models", "m.fbx", make_fbx_chain, NULL, NULL, 0},
    {"a chain of scales", "m.fbx", make_fbx_scale_chain, NULL, NULL, 0},
    {"children of a model", "m.fbx", make_fbx_children, NULL, NULL, 0},
    {"classes of objects", "m.fbx", make_fbx_classes, NULL, NULL, 0},
    {"kinds of one class", "m.fbx", make_fbx_kinds, NULL, NULL, 0},
    {"properties of an object", "m.fbx", make_fbx_properties, NULL, NULL, 0},
    {"properties of a template", "m.fbx", make_fbx_defaults, NULL, NULL, 0},
    {"links to nothing", "m.fbx", make_fbx_wrong_links, NULL, NULL, 0},
    {"materials with textures", "m.fbx", make_fbx_materials, NULL, NULL, 0},
    {"materials with one texture", "m.fbx", make_fbx_texture_properties, NULL, NULL, 0},
    {"materials with one layered texture", "m.fbx", make_fbx_texture_layers, NULL, NULL, 0},
    {"textures of one video", "m.fbx", make_fbx_videos, NULL, NULL, 0},
    {"models with bones inside", "m.fbx", make_fbx_inside, NULL, NULL, 0},
    {"comments in a list", "m.fbx", make_fbx_comments, NULL, NULL, 0},
    {"layers of a mesh", "m.fbx", make_fbx_layers, NULL, NULL, 0},
    {"smooth polygons", "m.fbx", make_fbx_smooth_polygons, NULL, NULL, 0},
    {"smooth edges", "m.fbx", make_fbx_smooth_edges, NULL, NULL, 0},
    {"nodes of one geometry", "m.fbx", make_fbx_instances, NULL, NULL, 0},
    {"nodes of one skin", "m.fbx", make_fbx_skin_instances, NULL, NULL, 0},
    {"clusters", "m.fbx", make_fbx_clusters, NULL, NULL, 0},
    {"shapes of a model", "m.fbx", make_fbx_old_shapes, NULL, NULL, 0},
    {"takes", "m.fbx", make_fbx_takes, NULL, NULL, 0},
    {"curves", "m.fbx", make_fbx_curves, NULL, NULL, 0},
    {"properties that move", "m.fbx", make_fbx_one_animated, NULL, NULL, 0},
    {"layers of a take", "m.fbx", make_fbx_anim_layers, NULL, NULL, 0},
    {"cubic keys", "m.fbx", make_fbx_keys, NULL, NULL, 0},
    {"words of nodes", "m.fbx", make_fbx_words, NULL, NULL, 0},
    {"numbers of an array", "m.fbx", make_fbx_numbers, NULL, NULL, 0},
    {"clips of a sidecar", "crane.bmw", NULL, "crane.json", make_sidecar, 0},
};

#define SET_COUNT (sizeof sets / sizeof sets[0])

// Clips, nodes and keys: each format stores them differently, so that these are written in all of
// them.
static const limits_set moving_sets[] = {
    {"clips of some nodes", "m.glb", make_gltf_clips_of_nodes, NULL, NULL, 0},
    {"clips of shared keys", "m.glb", make_gltf_clips_of_keys, NULL, NULL, 0},
    {"clips of a chain", "m.glb", make_gltf_clips_of_chains, NULL, NULL, 0},
    {"chains that move", "m.glb", make_gltf_moving_chains, NULL, NULL, 0},
};

#define MOVING_COUNT (sizeof moving_sets / sizeof moving_sets[0])

// As many clips as nodes. Some formats store all nodes for each clip, which is not tried.
static const limits_set square_set = {
    "clips of one of many nodes", "m.glb", make_gltf_clips_and_nodes, NULL, NULL, 0};
static const char formats_of_squares[] = "bbmod bmw cea";

// Of these there are a million, with `--long`.
static const char *const millions[] = {"one chain of nodes",
                                       "children of one node",
                                       "equal names",
                                       "triangles in one point",
                                       "objects",
                                       "references of one name"};

#define MILLION       1000000
#define MILLION_COUNT (sizeof millions / sizeof millions[0])

// What is done with a set: it is read and inspected; it is also written in a third of the formats;
// it is written in all of them, and what was written is inspected as well.
typedef enum extent { LOOK, WRITE, READ_AGAIN } extent;

// -- One run: a set of one size

#define RESULTS_MOST 160

typedef struct result {
    char name[24];
    uint64_t work, peak;
    uint64_t steps;  // As the library counts the work.
    bool ok;
    char why[96];  // Not.
} result;

typedef struct run {
    tn_memory_folder folder;  // Files beside the model.
    tenon_files files;
    const char *path;
    const void *data;
    size_t size;
    tenon_doc *doc;
    tenon_scene *scene, *other;  // `other` is the one that this one was written from.
    work_memory memory;
    tenon_error err;
    result results[RESULTS_MOST];
    uint32_t result_count;
} run;

typedef bool work_fn(run *r);

static void measure(run *r, const char *prefix, const char *name, work_fn *fn)
{
    if (r->result_count == RESULTS_MOST) abort();
    result *out = &r->results[r->result_count++];
    uint64_t before = work_done, live = r->memory.live, steps = r->memory.budget.work.used;
    r->memory.peak = live;
    r->err = (tenon_error){.code = TENON_OK};
    out->ok = fn(r);
    out->work = work_done - before;
    out->peak = r->memory.peak - live;
    out->steps = r->memory.budget.work.used - steps;
    CHECK(r->memory.live == r->memory.budget.memory.used);
    snprintf(out->name, sizeof out->name, "%s%s%s", prefix, *prefix ? " " : "", name);
    snprintf(out->why, sizeof out->why, "%.95s", out->ok ? "" : r->err.message);
}

static tenon_read_opts read_opts(run *r)
{
    return (tenon_read_opts){
        .allocator = work_allocator(&r->memory), .name = r->path, .files = &r->files};
}

static bool read_doc(run *r)
{
    tenon_read_opts opts = read_opts(r);
    r->doc = tenon_read(r->data, r->size, &opts, &r->err);
    return r->doc != NULL;
}

static void ignore_finding(void *user, const tenon_finding *finding)
{
    (void)user, (void)finding;
}

static bool check_doc(run *r)
{
    tenon_check_opts opts = {
        .allocator = work_allocator(&r->memory), .model_path = r->path, .files = &r->files};
    return r->doc && tenon_check(r->doc, &opts, ignore_finding, NULL, NULL, &r->err);
}

static bool inform(run *r)
{
    tenon_info info;
    const tenon_info_opts opts = {.full = true, .model_path = r->path, .files = &r->files};
    if (!r->doc || !tenon_doc_info(r->doc, &opts, &info, &r->err)) return false;
    tenon_info_free(&info);
    return true;
}

static bool ignore_part(void *user, const tenon_part *part)
{
    (void)user, (void)part;
    return true;
}

static bool map_bytes(run *r)
{
    tenon_read_opts opts = read_opts(r);
    return tenon_map(r->data, r->size, &opts, ignore_part, NULL, &r->err);
}

static bool ignore_node(void *user, const tenon_tree_node *node)
{
    (void)user, (void)node;
    return true;
}

static bool tell_tree(run *r)
{
    return r->doc && tenon_tree(r->doc, ignore_node, NULL, &r->err);
}

static bool ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static bool dump_doc(run *r)
{
    return r->doc && tenon_dump(r->doc, ignore_bytes, NULL, &r->err);
}

static bool make_scene(run *r)
{
    tenon_scene_opts opts = {
        .allocator = work_allocator(&r->memory), .model_path = r->path, .files = &r->files};
    if (r->doc) r->scene = tenon_to_scene(r->doc, &opts, &r->err);
    return r->scene != NULL;
}

// Three quarters of the file are left; of an OBJ file, whole lines.
static size_t size_left(const run *r)
{
    const char *text = r->data;
    size_t size = r->size / 4 * 3;
    bool has_lines = r->doc && strcmp(r->doc->format->name, "obj") == 0;
    while (has_lines && size > 0 && text[size - 1] != '\n') size--;
    return size;
}

static bool salvage(run *r)
{
    tenon_read_opts opts = read_opts(r);
    tenon_change_opts change = {0};
    opts.partial = opts.incomplete = true;
    if (r->doc) opts.format = r->doc->format->name;
    tenon_doc *doc = tenon_read(r->data, size_left(r), &opts, &r->err);
    tenon_scene_opts scene_opts = {
        .allocator = work_allocator(&r->memory), .files = &r->files, .salvage = true};
    bool can_mend = doc && !strstr("gltf obj", doc->format->name);
    bool ok = doc && (!can_mend || tenon_recover(doc, &change, &r->err));
    tenon_scene *scene = ok ? tenon_to_scene(doc, &scene_opts, &r->err) : NULL;
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    return scene != NULL;
}

static bool verify_scenes(run *r)
{
    tenon_verify_opts opts = {.allocator = work_allocator(&r->memory)};
    tenon_verify_result ignored;
    const tenon_scene *other = r->other ? r->other : r->scene;
    return r->scene && tenon_verify(other, r->scene, &opts, &ignored, &r->err);
}

// With the clips in the opposite order.
static bool verify_back(run *r)
{
    tenon_verify_opts opts = {.allocator = work_allocator(&r->memory)};
    tenon_verify_result ignored;
    if (!r->scene) return false;
    tenon_scene turned = *r->scene;
    uint32_t count = turned.animation_count;
    turned.animations = calloc(count + 1, sizeof *turned.animations);
    if (!turned.animations) abort();
    for (uint32_t i = 0; i < count; i++) turned.animations[i] = r->scene->animations[count - 1 - i];
    bool ok = tenon_verify(&turned, r->scene, &opts, &ignored, &r->err);
    free(turned.animations);
    return ok;
}

static bool compare_scenes(run *r)
{
    tenon_diff_opts opts = {.allocator = work_allocator(&r->memory)};
    uint64_t count;
    const tenon_scene *other = r->other ? r->other : r->scene;
    return r->scene && tenon_diff(other, r->scene, &opts, NULL, NULL, &count, &r->err);
}

static bool reshape_scene(run *r)
{
    edits opts = {.meshes.normals = TENON_MAKE_SMOOTH,
                  .meshes.tangents = TENON_MAKE_SMOOTH,
                  .space.turns = 1,
                  .space.mirror = true};
    return r->scene && edit_scene(r->scene, &opts, &r->err);
}

static bool flatten_scene(run *r)
{
    edits opts = {.meshes.normals = TENON_MAKE_FLAT,
                  .meshes.pre_transform = true,
                  .meshes.join = TENON_JOIN_MESHES | TENON_JOIN_MATERIALS};
    return r->scene && edit_scene(r->scene, &opts, &r->err);
}

static bool draw(run *r)
{
    return r->scene && draw_scene(r->scene, work_allocator(&r->memory), &r->err);
}

// The clips of the scene that this one was written from.
static bool take_clips(run *r)
{
    edits opts = {.clips_from = r->other};
    return r->scene && edit_scene(r->scene, &opts, &r->err);
}

static void look_at_doc(run *r, const char *prefix)
{
    measure(r, prefix, "read", read_doc);
    measure(r, prefix, "check", check_doc);
    measure(r, prefix, "info", inform);
    measure(r, prefix, "tree", tell_tree);
    measure(r, prefix, "map", map_bytes);
    measure(r, prefix, "dump", dump_doc);
    measure(r, prefix, "salvage", salvage);
    measure(r, prefix, "scene", make_scene);
    measure(r, prefix, "verify", verify_scenes);
    measure(r, prefix, "diff", compare_scenes);
    measure(r, prefix, "draw", draw);
}

// -- Other formats

static const char *export_format;
static tn_memory_folder export_folder;

static void ignore_loss(void *user, const tenon_loss *loss)
{
    (void)user, (void)loss;
}

static bool export_scene(run *r)
{
    tenon_sink sink = tn_memory_sink(&export_folder);
    tenon_export_opts opts = {.allocator = work_allocator(&r->memory),
                              .format = export_format,
                              .name = "m",
                              .model_path = r->path,
                              .files = &r->files,
                              .events.on_loss = ignore_loss};
    return r->scene && tenon_export(r->scene, &opts, &sink, &r->err);
}

// Write a scene in a format, and inspect the result.
static void try_format(run *r, const char *format, extent how_far)
{
    static const tenon_allocator usual;
    char path[32];
    export_format = format;
    export_folder = (tn_memory_folder){.allocator = &usual};
    measure(r, "to", format, export_scene);
    const tn_memory_file *file = tn_memory_find(&export_folder, "");
    static run inner;
    snprintf(path, sizeof path, "m.%s", format);
    inner = (run){.folder = export_folder,
                  .path = path,
                  .data = file && r->results[r->result_count - 1].ok ? file->data : (uint8_t *)"",
                  .size = file && r->results[r->result_count - 1].ok ? file->size : 0,
                  .other = r->scene};
    inner.files = tn_memory_files(&inner.folder);
    if (how_far == READ_AGAIN) look_at_doc(&inner, format);
    if (how_far == READ_AGAIN) measure(&inner, format, "clips", take_clips);
    tenon_scene_free(inner.scene);
    tenon_doc_free(inner.doc);
    tn_memory_free(&export_folder);
    for (uint32_t i = 0; i < inner.result_count; i++)
        r->results[r->result_count++] = inner.results[i];
}

static void put_side(run *r, const char *name, const set_text *text)
{
    tenon_sink sink = tn_memory_sink(&r->folder);
    if (!sink.begin(sink.user, name) || !sink.write(sink.user, text->data, text->size)) abort();
}

static void load_sample(const char *file, set_text *out)
{
    char path[256];
    tenon_bytes bytes;
    snprintf(path, sizeof path, "samples/%s", file);
    if (!tenon_load(path, NULL, &bytes, NULL)) abort();
    set_put_bytes(out, bytes.data, bytes.size);
    tenon_unload(&bytes);
}

static bool takes_all_formats;
static const char *left_out = "";  // Formats.

// All operations with a set of size `n`.
static void run_set(const limits_set *set, uint32_t n, extent how_far, run *r)
{
    static const char *const formats[] = {"bbmod", "gpb", "glb", "obj",
                                          "bmw",   "cea", "cem", "bplx"};
    static const size_t format_counts[] = {[LOOK] = 0, [WRITE] = 4, [READ_AGAIN] = 8};
    static const tenon_allocator usual;
    set_text model = {0}, side = {0};
    *r = (run){.folder = {.allocator = &usual}, .path = set->file};
    r->files = tn_memory_files(&r->folder);
    if (set->make)
        set->make(&model, n);
    else
        load_sample(set->file, &model);
    if (set->make_side) set->make_side(&side, n);
    if (set->side) put_side(r, set->side, &side);
    r->data = model.data;
    r->size = model.size;
    look_at_doc(r, "");
    measure(r, "", "verify back", verify_back);
    // Every third format, in turn, unless there is time for all.
    size_t step = takes_all_formats ? 1 : 3;
    size_t first = takes_all_formats ? 0 : (size_t)(set - sets) % 3;
    for (size_t i = first; i < format_counts[how_far]; i += step)
        if (!strstr(left_out, formats[i])) try_format(r, formats[i], how_far);
    measure(r, "", "reshape", reshape_scene);
    measure(r, "", "flatten", flatten_scene);
    tenon_scene_free(r->scene);
    tenon_doc_free(r->doc);
    tn_memory_free(&r->folder);
    free(model.data);
    free(side.data);
}

// -- Comparing

static bool prints_all;

// How many times the work is allowed: what sorting takes. That is 12 for 100,000 items.
static double times_most(uint32_t n)
{
    return TIMES * log((double)TIMES * n) / log((double)n);
}

// A bounded cost may grow up to its bound, and a small file may be refused where a large one is
// not: that is why some work and memory are free.
static void judge(const limits_set *set, uint32_t n, const result *small, const result *large)
{
    double most = times_most(n), times = (double)large->work / ((double)small->work + 1);
    if (prints_all)
        printf("# %-30s %-14s %11" PRIu64 " %12" PRIu64 " x %5.1f, %8" PRIu64 " KiB %s %s\n",
               set->name, large->name, small->work, large->work, times, large->peak >> 10,
               large->ok ? "" : "refused:", large->why);
    if ((double)large->work > STEP_BRANCHES * (double)large->steps + WORK_FREE) {
        fprintf(stderr, "%s: %s: %" PRIu64 " branches are counted as %" PRIu64 " steps\n",
                set->name, large->name, large->work, large->steps);
        test_failures++;
    }
    bool is_linear = (double)large->work <= most * (double)small->work + WORK_FREE;
    bool is_small = (double)large->peak <= 2 * most * (double)small->peak + MEMORY_FREE;
    if (is_linear && is_small) return;
    fprintf(stderr, "%s: %s: %.1f times the work, %" PRIu64 " to %" PRIu64 " KiB of memory\n",
            set->name, large->name, times, small->peak >> 10, large->peak >> 10);
    test_failures++;
}

static uint32_t size_of_small = 300;  // More than nodes may be nested.
static const char *only;

static void try_set(const limits_set *set, uint32_t n, extent how_far)
{
    static run small, large;
    if (only && !strstr(set->name, only)) return;
    run_set(set, n, how_far, &small);
    run_set(set, n * TIMES, how_far, &large);
    for (uint32_t k = 0; k < large.result_count; k++)
        judge(set, n, &small.results[k], &large.results[k]);
}

TEST(work_grows_linearly_with_the_input)
{
    for (size_t i = 0; i < SET_COUNT; i++) {
        bool is_large = size_of_small < sets[i].least;
        try_set(&sets[i], is_large ? sets[i].least : size_of_small,
                sets[i].least ? LOOK : READ_AGAIN);
    }
}

TEST(clips_take_the_work_of_what_they_move)
{
    bool takes_all_else = takes_all_formats;
    takes_all_formats = true;
    for (size_t i = 0; i < MOVING_COUNT; i++) try_set(&moving_sets[i], size_of_small, READ_AGAIN);
    left_out = formats_of_squares;
    try_set(&square_set, size_of_small, READ_AGAIN);
    left_out = "";
    takes_all_formats = takes_all_else;
}

TEST(a_million_of_anything_takes_proportional_work)
{
    uint32_t found = 0;
    for (size_t i = 0; i < SET_COUNT; i++)
        for (size_t k = 0; k < MILLION_COUNT; k++) {
            if (strcmp(sets[i].name, millions[k]) != 0) continue;
            found++;
            try_set(&sets[i], MILLION / TIMES, WRITE);
        }
    CHECK(found == MILLION_COUNT);
}

// -- Keys that many channels share
//
// A small file can have as many keys as nodes times samples. Each is read once where a scene is
// checked, but the frame rate that fits them is found from some of them.

static bool ignore_begin(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static bool ignore_end(void *user)
{
    (void)user;
    return true;
}

// The work of writing a scene in which each node rotates in the same way, with keys between frames.
static uint64_t work_of_turning(uint32_t node_count, uint32_t key_count)
{
    static float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    tenon_primitive primitive = {
        .mode = TENON_TRIANGLES, .material = TENON_NONE, .vertex_count = 3, .positions = triangle};
    tenon_mesh mesh = {{"m", 1}, 1, &primitive};
    tenon_node *nodes = calloc(node_count, sizeof *nodes);
    tenon_channel *channels = calloc(node_count, sizeof *channels);
    float *times = calloc(key_count, sizeof *times), *values = calloc(key_count, 4 * sizeof *times);
    tenon_scene *owner = tenon_scene_new(NULL, NULL);
    if (!nodes || !channels || !times || !values || !owner) exit(1);
    for (uint32_t i = 0; i < key_count; i++) {
        times[i] = 0.2f * (float)i / (float)key_count;
        values[4 * i + i % 4] = 1;
    }
    for (uint32_t i = 0; i < node_count; i++) {
        nodes[i] = (tenon_node){.name = {"n", 1},
                                .parent = TENON_NONE,
                                .rotation = {0, 0, 0, 1},
                                .scale = {1, 1, 1},
                                .mesh = 0,
                                .skin = TENON_NONE,
                                .camera = TENON_NONE,
                                .light = TENON_NONE};
        channels[i] = (tenon_channel){.node = i,
                                      .target = TENON_ROTATION,
                                      .key_count = key_count,
                                      .times = times,
                                      .values = values};
    }
    tenon_animation clip = {
        .name = {"c", 1}, .duration = 0.2, .channel_count = node_count, .channels = channels};
    tenon_scene scene = {.name = {"", 0},
                         .node_count = node_count,
                         .nodes = nodes,
                         .mesh_count = 1,
                         .meshes = &mesh,
                         .animation_count = 1,
                         .animations = &clip,
                         .owner = owner->owner};
    tenon_sink sink = {ignore_begin, ignore_bytes, ignore_end, NULL};
    tenon_error err;
    uint64_t before = work_done;
    CHECK(tenon_export(&scene, &(tenon_export_opts){.format = "bmw"}, &sink, &err));
    uint64_t work = work_done - before;
    tenon_scene_free(owner);
    free(nodes), free(channels), free(times), free(values);
    return work;
}

TEST(ten_times_the_keys_are_not_all_sampled)
{
    uint64_t few = work_of_turning(300, 1000), many = work_of_turning(300, 10000);
    if (prints_all) printf("# %" PRIu64 " to %" PRIu64 "\n", few, many);
    CHECK(many < 6 * few);
}

// Each key between the same two frames costs one sample, not three, at each of the rates tried.
TEST(keys_between_two_frames_share_them)
{
    uint64_t few = work_of_turning(100, 100), many = work_of_turning(100, 1000);
    if (prints_all) printf("# %" PRIu64 " to %" PRIu64 "\n", few, many);
    CHECK(many - few < 100 * 900 * (uint64_t)600);
}

static uint64_t fnv_1a(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash & ((UINT64_C(1) << 47) - 1);
}

TEST(names_that_should_share_a_hash_do)
{
    char name[FLOOD_SIZE + 1], last[FLOOD_SIZE + 1];
    uint64_t hash = fnv_1a(set_flood_name(0, name));
    for (uint32_t i = 1; i < 10 * 1500; i++) {
        memcpy(last, name, sizeof last);
        CHECK(fnv_1a(set_flood_name(i, name)) == hash && strcmp(name, last) != 0);
    }
}

// The count itself: a library that is not compiled for it would count nothing.
TEST(work_is_counted)
{
    uint64_t before = work_done;
    CHECK(!tenon_read("x", 1, NULL, NULL));
    CHECK(work_done > before);
}

int main(int argc, char **argv)
{
    bool is_long = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--long") == 0)
            is_long = takes_all_formats = true, size_of_small = 1500;
        else if (strcmp(argv[i], "--all") == 0)
            prints_all = true;
        else
            only = argv[i];
    RUN(work_is_counted);
    RUN(names_that_should_share_a_hash_do);
    RUN(ten_times_the_keys_are_not_all_sampled);
    RUN(keys_between_two_frames_share_them);
    RUN(work_grows_linearly_with_the_input);
    RUN(clips_take_the_work_of_what_they_move);
    if (is_long) RUN(a_million_of_anything_takes_proportional_work);
    TEST_END();
}
