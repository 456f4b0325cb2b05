// robust_sidecars.c: sidecars, and all other functions besides reading, writing and
// scenes: while memory runs out and files fail, at every place.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "robust.h"

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/bplx.h>
#include <tenon/fbx.h>
#include <tenon/gltf.h>
#include <tenon/gpb.h>
#include <tenon/modeldata.h>
#include <tenon/obj.h>
#include <tenon/scene.h>

#include "callbacks.h"
#include "faulty_files.h"
#include "robust_faults.h"
#include "scratch.h"

#define SAMPLES TENON_SOURCE_DIR "/samples/"

static const faulty_files *faulty_now;  // NULL: the system's files.

static tenon_read_opts read_opts(robust_memory *memory)
{
    return (tenon_read_opts){.allocator = robust_allocator(memory),
                             .files = faulty_now ? &faulty_now->files : NULL};
}

static tenon_doc *read_sample(const char *path, robust_memory *memory)
{
    tenon_read_opts opts = {0};
    if (memory) opts.allocator = robust_allocator(memory);
    tenon_doc *doc = tenon_read_file(path, &opts, NULL);
    if (!doc) exit(1);
    return doc;
}

// -- Material files of BBMOD

static bool edit_material(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    static const char text[] =
        "{\"__MaterialName\": \"a\", \"__Textures\": {\"BaseOpacity\": \"b\"}}";
    (void)file;
    tenon_read_opts opts = read_opts(memory);
    tenon_bbmat *material = tenon_bbmat_read(text, sizeof text - 1, &opts, err);
    bool ok = material && tenon_bbmat_set_text(material, "__Textures.BaseOpacity", "c.png", err) &&
              tenon_bbmat_set_number(material, "AlphaTest", 0.5, err) &&
              tenon_bbmat_write(material, ignore_bytes, NULL, err);
    if (ok) CHECK(tenon_bbmat_get(material, "__Textures.BaseOpacity").size == 5);
    tenon_bbmat_free(material);
    return ok;
}

// -- The sidecar of BMW

static bool edit_sidecar(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_read_opts opts = read_opts(memory);
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_beside(SAMPLES "crane.bmw", &opts, err);
    bool ok = sidecar != NULL;
    if (ok) {
        tenon_bmw_clip *clips =
            tenon_bmw_sidecar_alloc(sidecar, (sidecar->clip_count + 1) * sizeof *clips);
        if (!clips) err->code = TENON_ERR_MEMORY, err->message[0] = '!';
        if (clips) clips[0] = (tenon_bmw_clip){.name = {"new", 3}, .loop = true};
        for (uint32_t i = 0; clips && i < sidecar->clip_count; i++)
            clips[i + 1] = sidecar->clips[i], (void)tenon_bmw_clip_animation(sidecar, i);
        ok = clips != NULL;
        if (ok) sidecar->clips = clips, sidecar->clip_count++;
    }
    ok = ok && tenon_bmw_sidecar_write(sidecar, ignore_bytes, NULL, err);
    tenon_bmw_sidecar_free(sidecar);
    return ok;
}

static bool read_sidecar(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    static const char text[] = "{\"defaultAnim\": \"a\", \"clips\": []}";
    char name[16];
    (void)file;
    CHECK(tenon_bmw_texture_name((tenon_str){"a.png", 5}, name, sizeof name) == 5);
    tenon_read_opts opts = read_opts(memory);
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read(text, sizeof text - 1, &opts, err);
    tenon_bmw_sidecar_free(sidecar);
    return sidecar != NULL;
}

// Its allocator cannot be chosen.
TEST(bones_are_matched)
{
    tenon_doc *doc = read_sample(SAMPLES "crane.bmw", NULL);
    const tenon_bmw *model = tenon_as_bmw(doc);
    uint32_t unmatched = 1;
    CHECK(tenon_bmw_match(model, model, &model->animations[0], NULL, &unmatched, NULL));
    CHECK(unmatched == 0);
    tenon_doc_free(doc);
    tenon_doc *own = read_sample(SAMPLES "crane.bbmod", NULL);
    tenon_doc *clip = read_sample(SAMPLES "crane_lift.bbanim", NULL);
    CHECK(tenon_bbanim_fits(tenon_as_bbanim(clip), tenon_as_bbmod(own)));
    tenon_doc_free(clip);
    tenon_doc_free(own);
}

// -- Property files and fonts of GPB

static bool visit_block(void *user, const tenon_gpb_properties *block)
{
    (void)tenon_gpb_property_value(block, "path");
    ++*(int *)user;
    return true;
}

static bool read_properties(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    int count = 0;
    (void)file;
    tenon_read_opts opts = read_opts(memory);
    tenon_gpb_properties *all =
        tenon_gpb_properties_beside(SAMPLES "crane.gpb", "material", &opts, err);
    if (!all) return false;
    CHECK(!tenon_gpb_properties_find(all, "material", (tenon_str){"none", 4}));
    for (tenon_gpb_properties *m = all->children; m; m = m->next)
        tenon_gpb_properties_each(m, "sampler", visit_block, &count);
    tenon_gpb_properties_free(all);
    CHECK(count > 0);
    return true;
}

static bool parse_properties(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    static const char text[] = "material a { u = 1 }\nmaterial b : a { technique { v = 2 } }\n";
    (void)file;
    tenon_read_opts opts = read_opts(memory);
    tenon_gpb_properties *all = tenon_gpb_properties_read(text, sizeof text - 1, &opts, err);
    tenon_gpb_properties_free(all);
    return all != NULL;
}

static bool visit_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    (void)user;
    (void)node;
    (void)depth;
    return true;
}

TEST(fonts_and_nodes_of_bundles_are_listed)
{
    tenon_doc *doc = read_sample(TENON_SOURCE_DIR "/tests/fixtures/gpb/1_5_font.gpb", NULL);
    const tenon_gpb *bundle = tenon_as_gpb(doc);
    const tenon_gpb_font *font = &bundle->blocks[0].body.font;
    CHECK(bundle->blocks[0].kind == TENON_GPB_FONT);
    CHECK(tenon_gpb_write_fnt(font, 0, "a.png", ignore_bytes, NULL, NULL));
    (void)tenon_gpb_glyph_at(&font->sizes[0], 0);
    (void)tenon_gpb_id(bundle, 0);
    tenon_gpb_each_node(bundle, visit_node, NULL);
    tenon_doc_free(doc);
}

// -- Models with the files beside them

static const char *const samples[] = {"crane.bbmod", "crane.gpb", "crane.bmw", "crane.cem",
                                      "crane.bplx",  "crane.glb", "crane.cea"};
static uint32_t sample_index;

static const char *sample_path(void)
{
    static char path[256];
    snprintf(path, sizeof path, SAMPLES "%s", samples[sample_index]);
    return path;
}

// The document's memory is what runs out, once it is read and full.
static tenon_doc *read_full(robust_memory *memory)
{
    robust_memory kept = robust_disarm(memory);
    tenon_doc *doc = read_sample(sample_path(), memory);
    memory->fail_at = 1;
    memory->for_ever = true;
    while (tenon_doc_alloc(doc, 16)) {
    }
    robust_arm(memory, kept);
    return doc;
}

static bool info_sidecars(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_info info;
    tenon_doc *doc = read_full(memory);
    const tenon_info_opts opts = {.model_path = sample_path(),
                                  .files = faulty_now ? &faulty_now->files : NULL};
    bool ok = tenon_doc_info(doc, &opts, &info, err);
    if (ok) tenon_info_free(&info);
    ok = ok && tenon_tree(doc, ignore_node, NULL, err);
    bool are_told = tenon_sidecars(doc, sample_path(), ignore_name, NULL);
    if (ok && !are_told) *err = (tenon_error){.code = TENON_ERR_MEMORY, .message = "sides"};
    tenon_doc_free(doc);
    return ok && are_told;
}

static bool check_beside(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_check_opts opts = {.allocator = robust_allocator(memory),
                             .model_path = sample_path(),
                             .files = faulty_now ? &faulty_now->files : NULL};
    tenon_doc *doc = read_sample(sample_path(), NULL);
    bool ok = tenon_check(doc, &opts, NULL, NULL, NULL, err);
    tenon_doc_free(doc);
    return ok;
}

static bool understand_beside(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_doc *doc = read_sample(sample_path(), NULL);
    tenon_doc *clip = read_sample(SAMPLES "crane_lift.bbanim", NULL);
    tenon_companion companion = {clip, "lift"};
    bool has_clip = tenon_as_bbmod(doc) && tenon_as_bbanim(clip);
    tenon_scene_opts opts = {.allocator = robust_allocator(memory),
                             .model_path = sample_path(),
                             .companions = &companion,
                             .companion_count = has_clip,
                             .files = faulty_now ? &faulty_now->files : NULL};
    tenon_scene *scene = tenon_to_scene(doc, &opts, err);
    tenon_scene_free(scene);
    tenon_doc_free(clip);
    tenon_doc_free(doc);
    return scene != NULL;
}

static bool import_beside(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    const tenon_files *files = faulty_now ? &faulty_now->files : NULL;
    tenon_allocator allocator = robust_allocator(memory);
    tenon_read_opts read = {.allocator = allocator, .files = files};
    tenon_scene_opts opts = {.allocator = allocator};
    tenon_scene *scene = tenon_import_file(sample_path(), &read, &opts, err);
    bool ok = scene != NULL;
    tenon_scene_free(scene);
    return ok && tenon_bbanim_find(files, sample_path(), &allocator, ignore_name, NULL, err);
}

// -- Changing documents

static bool merge_them(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_doc *into = read_full(memory);
    tenon_doc *other = read_sample(sample_path(), NULL);
    bool ok = tenon_merge(into, other, NULL, err) || err->code == TENON_ERR_UNSUPPORTED;
    if (ok && err->code == TENON_OK) ok = tenon_finalize(into, err);
    tenon_doc_free(into);
    tenon_doc_free(other);
    return ok;
}

static bool shape_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    (void)file;
    tenon_doc *doc = read_full(memory);
    tenon_modeldata *model = tenon_as_modeldata(doc);
    bool ok = !model || tenon_modeldata_set_shape(model, 0, "box/1/2/3", err);
    tenon_doc_free(doc);
    return ok;
}

// -- Bytes of files

static bool load_and_save(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_bytes bytes;
    tenon_read_opts opts = read_opts(memory);
    tenon_write_opts write = {.force = true, .files = opts.files};
    if (!tenon_load(file->path, &opts, &bytes, err)) return false;
    bool ok = tenon_save(scratch("saved"), bytes.data, bytes.size, &write, err);
    tenon_unload(&bytes);
    return ok;
}

static bool load_a_stream(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_bytes bytes;
    tenon_file stream;
    tenon_read_opts opts = read_opts(memory);
    const tenon_files *files = opts.files ? opts.files : tenon_system_files();
    if (files->open(files->user, file->path, &stream) != 0) {
        *err = (tenon_error){.code = TENON_ERR_IO, .system = EIO, .message = "open"};
        return false;
    }
    bool ok = tenon_load_stream(stream, "stream", &opts, &bytes, err);
    if (ok) tenon_unload(&bytes);
    (void)files->close(files->user, stream);
    return ok;
}

// Three files that appear together, one of them made of text, one of a dump.
static bool save_together(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts read = read_opts(memory);
    tenon_batch *batch = tenon_batch_new(&read.allocator, err);
    tenon_write_opts write = {.force = true, .files = read.files, .batch = batch};
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    growing_bytes json = {0};
    bool ok = batch && tenon_dump(doc, append_bytes, &json, NULL) &&
              tenon_save(scratch("one"), "1", 1, &write, err) &&
              tenon_dump_file(doc, scratch("two"), &write, err) &&
              tenon_build_file((const char *)json.data, json.size, scratch("three"), &read, &write,
                               err) &&
              tenon_write_file(doc, scratch("four"), &write, err) && tenon_batch_commit(batch, err);
    tenon_batch_free(batch);
    tenon_doc_free(doc);
    free(json.data);
    return ok;
}

// -- All of it

static const robust_task once_tasks[] = {{"editing a material", edit_material},
                                         {"editing a sidecar", edit_sidecar},
                                         {"reading a sidecar", read_sidecar},
                                         {"reading properties", read_properties},
                                         {"parsing properties", parse_properties}};

static const robust_task sample_tasks[] = {{"looking beside", info_sidecars},
                                           {"checking beside", check_beside},
                                           {"understanding", understand_beside},
                                           {"importing", import_beside},
                                           {"merging", merge_them},
                                           {"shaping", shape_it}};

static const robust_task file_tasks[] = {{"loading and saving", load_and_save},
                                         {"loading a stream", load_a_stream},
                                         {"saving together", save_together}};

#define COUNT(list) (sizeof list / sizeof list[0])

static const robust_file nothing = {.path = "a text"};

TEST(memory_can_run_out_beside_models)
{
    for (size_t i = 0; i < COUNT(once_tasks); i++) robust_starve(&nothing, &once_tasks[i]);
    for (sample_index = 0; sample_index < COUNT(samples); sample_index++) {
        robust_file file = {.size = 0};
        snprintf(file.path, sizeof file.path, "%s", sample_path());
        for (size_t i = 0; i < COUNT(sample_tasks); i++) robust_starve(&file, &sample_tasks[i]);
    }
}

static void starve_files(const robust_file *file)
{
    for (size_t i = 0; i < COUNT(file_tasks); i++) robust_starve(file, &file_tasks[i]);
}

TEST(memory_can_run_out_while_files_are_moved)
{
    faulty_files quick;  // Without waiting for the disk.
    faulty_begin(&quick);
    faulty_now = &quick;
    scratch_begin();
    robust_each(starve_files);
    CHECK(scratch_count(".tenon-") == 0);
    scratch_end();
    faulty_now = NULL;
}

// -- Files fail

// Functions that only test whether a file exists may take a failure for a no.
static bool is_survivable(const faulty_files *faulty)
{
    const char *only = faulty->only;
    return strcmp(only, "look") == 0 || strcmp(only, "resolve") == 0 || strcmp(only, "map") == 0 ||
           strcmp(only, "close") == 0 || strcmp(only, "sync_name") == 0 ||
           strcmp(only, "copy_mode") == 0 || strcmp(only, "remove") == 0 ||
           strcmp(only, "list") == 0;
}

static const char *try_faulty(const robust_file *file, robust_work *run, faulty_files *faulty)
{
    robust_memory memory = {0};
    tenon_error err = {.code = TENON_OK};
    scratch_begin();
    faulty_now = faulty;
    bool ok = run(file, &memory, &err);
    faulty_now = NULL;
    unsigned left = scratch_count(".tenon-"), named = scratch_count("o");
    scratch_end();
    if (faulty->open_count || faulty->map_count) return "a file stays open";
    if (left > faulty->failed_removes) return "a temporary file stays";
    if (faulty->failed_calls == 0) return ok ? NULL : "it fails, though nothing made it fail";
    if (ok) return is_survivable(faulty) ? NULL : "it succeeds, though a file failed";
    if (err.code != TENON_ERR_IO || !err.message[0]) return "the error is not that of a file";
    if (run == save_together && named != 0 && named != 3) return "some of several files are there";
    return fault_in_memory(&memory);
}

static void fail_one(const robust_file *file, const robust_task *task, const char *only)
{
    bool is_over = false;
    for (unsigned at = 1; !is_over; at++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            faulty_files faulty;
            faulty_begin(&faulty);
            faulty.fail_at = at;
            faulty.for_ever = for_ever;
            faulty.only = only;
            const char *fault = try_faulty(file, task->run, &faulty);
            if (fault)
                robust_broken(file, fault, "%s, %s %u failing%s", task->name, only, at,
                              for_ever ? " for ever" : "");
            is_over = faulty.failed_calls == 0;
        }
}

static void fail_all(const robust_file *file, const robust_task *task)
{
    static const char *const operations[] = {
        "open", "stat",      "look",  "read",   "create", "lock",    "write", "copy_mode",
        "sync", "sync_name", "close", "rename", "remove", "resolve", "list",  "open_inside"};
    for (size_t i = 0; i < COUNT(operations); i++) fail_one(file, task, operations[i]);
}

TEST(files_can_fail_beside_models)
{
    for (sample_index = 0; sample_index < COUNT(samples); sample_index++) {
        robust_file file = {.size = 0};
        snprintf(file.path, sizeof file.path, "%s", sample_path());
        for (size_t i = 0; i < 4; i++) fail_all(&file, &sample_tasks[i]);
    }
}

static void fail_files(const robust_file *file)
{
    static uint32_t turn;
    if (turn++ % 8 && !robust_is_long) return;
    for (size_t i = 0; i < COUNT(file_tasks); i++) fail_all(file, &file_tasks[i]);
}

TEST(files_can_fail_while_they_are_moved)
{
    robust_each(fail_files);
}

// -- What cannot fail

// Standard input is a number, a handle or a pointer; standard C cannot compare files.
static void check_system(void)
{
    tenon_file_id id;
    bool is_known = tenon_file_identify(NULL, SAMPLES "crane.bplx", &id);
#if defined(__wasi__)
    CHECK(!is_known && tenon_stdin() != 0);
#elif defined(_WIN32)
    CHECK(is_known && tenon_stdin() != 0);
#else
    CHECK(is_known && tenon_stdin() == 0);
#endif
}

TEST(tables_and_words_are_there)
{
    char text[64], path[256];
    uint8_t number[4] = {1};
    tenon_doc *doc = read_sample(SAMPLES "crane.bplx", NULL);
    tenon_doc *glb = read_sample(SAMPLES "crane.glb", NULL);
    CHECK(tenon_version() && tenon_code_word(TENON_OK) && tenon_type_word(TENON_TYPE_U8));
    CHECK(tenon_type_size(TENON_TYPE_U32) == 4 && tenon_loss_word(TENON_DROPPED));
    CHECK(tenon_slot_word(TENON_SLOT_NORMAL) && tenon_rule_at(0) && tenon_profile_at(0));
    CHECK(tenon_verify_mode(&(tenon_verify_result){0}));
    CHECK(tenon_verdict_word(TENON_VERIFIED) &&
          tenon_why_no_motion(tenon_format_by_name("obj"), NULL));
    CHECK(!tenon_why_no_motion(tenon_format_by_name("gltf"), NULL));
    CHECK(tenon_number_text(TENON_TYPE_U32, number, false, 0, text, sizeof text) == 1);
    CHECK(tenon_dialect_by_name(doc->format, "script"));
    CHECK(!tenon_dialect_by_extension(doc, "a.bplx"));
    CHECK(tenon_locate(doc, "vertex_count", NULL, NULL));
    CHECK(tenon_as_bplx(doc) && !tenon_as_obj(doc) && tenon_as_gltf(glb));
    CHECK(!tenon_as_fbx(doc) && tenon_fbx_unit(tenon_as_fbx(doc)) == 0);
    CHECK(tenon_gltf_json(tenon_as_gltf(glb), NULL).size > 0);
    CHECK(!tenon_relate(doc, glb, text, sizeof text));
    CHECK(tenon_file_beside(NULL, SAMPLES "crane.bplx", (tenon_str){"a", 1}, path, sizeof path));
    CHECK(!tenon_bbmat_find(NULL, SAMPLES "crane.bplx", (tenon_str){"a", 1}, path, sizeof path));
    CHECK(tenon_bbanim_clip("a.bbmod", "a_b.bbanim").size == 1);
    check_system();
    tenon_doc_free(glb);
    tenon_doc_free(doc);
}

static bool take_a_cell(void *user, const tenon_part *part)
{
    tenon_cell cell;
    if (part->type == TENON_TYPE_RECORDS && part->count && part->layout && !part->layout->tail)
        *(bool *)user |= tenon_part_cell(part, 0, 0, &cell);
    return true;
}

TEST(records_have_cells)
{
    bool has_cells = false;
    size_t size;
    uint8_t *data = robust_load(SAMPLES "crane.bplx", &size);
    CHECK(tenon_map(data, size, NULL, take_a_cell, &has_cells, NULL));
    CHECK(has_cells);
    free(data);
}

static void run_all(void)
{
    RUN(tables_and_words_are_there);
    RUN(records_have_cells);
    RUN(bones_are_matched);
    RUN(fonts_and_nodes_of_bundles_are_listed);
    RUN(memory_can_run_out_beside_models);
    RUN(memory_can_run_out_while_files_are_moved);
    RUN(files_can_fail_beside_models);
    RUN(files_can_fail_while_they_are_moved);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
