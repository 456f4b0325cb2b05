// fuzz_beside.c: a model together with the files beside it: sidecars, materials, material
// libraries, buffers, clips and pictures. Whatever is in them, the model is inspected, checked,
// becomes a valid scene, and is written.
// SPDX-License-Identifier: MIT
//
// An input is a bundle of files. Names in the model need not be right: see memory_files.h. Some
// inputs have one operation fail.

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/gpb.h>

#include "bundle.h"
#include "memory_files.h"

#define MEMORY_LIMIT ((uint64_t)16 << 20)
#define TOLERANCE    1e-2
#define SIDES_MOST   100000  // That a model of a few kilobytes can name.
#define FAULTS_MOST  40

static memory_files folder;

// -- Names

typedef struct names {
    const char *model_path;
    uint64_t count;
} names;

static void follow_side(void *user, const char *name)
{
    names *n = user;
    char path[600];
    require(name[0] != 0, "a side file has a name", NULL);
    require(++n->count < SIDES_MOST, "a small model names few files", NULL);
    tenon_str text = {name, (uint32_t)strlen(name)};
    if (n->count < 100 && tenon_file_beside(&folder.files, n->model_path, text, path, sizeof path))
        require(!strstr(path, "/../") && strncmp(path, "../", 3) != 0, "it is in the folder", NULL);
}

static void follow_clip(void *user, const char *name)
{
    names *n = user;
    tenon_str clip = tenon_bbanim_clip(n->model_path, name);
    require(clip.data && clip.size <= strlen(name), "a clip has a name", NULL);
    n->count++;
}

// -- The files of single formats

static void read_sides(const char *model_path, uint64_t size)
{
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT, .files = &folder.files};
    names n = {.model_path = model_path};
    char path[600];
    uint64_t start = fuzz_work;
    tenon_bmw_sidecar_free(tenon_bmw_sidecar_beside(model_path, &opts, NULL));
    tenon_gpb_properties_free(tenon_gpb_properties_beside(model_path, "material", &opts, NULL));
    (void)tenon_bbmat_find(&folder.files, model_path, (tenon_str){"paint", 5}, path, sizeof path);
    (void)tenon_bbanim_find(&folder.files, model_path, NULL, follow_clip, &n, NULL);
    require_little_work(start, size, "reading the files beside a model");
}

// Which of the clips fit the model, and what is reported about each of them.
static void relate_clips(tenon_doc *doc, const bundle *b, const uint8_t *data)
{
    const tenon_bbmod *model = tenon_as_bbmod(doc);
    char text[256];
    for (uint32_t i = 1; model && i < b->count; i++) {
        tenon_read_opts opts = {.max_memory = MEMORY_LIMIT, .format = "bbanim"};
        tenon_doc *clip = tenon_read(data + b->files[i].offset, b->files[i].size, &opts, NULL);
        if (!clip) continue;
        (void)tenon_bbanim_fits(tenon_as_bbanim(clip), model);
        (void)tenon_relate(doc, clip, text, sizeof text);
        (void)tenon_relate(clip, doc, text, sizeof text);
        tenon_check_opts check = {.model = doc};
        (void)tenon_check(clip, &check, NULL, NULL, NULL, NULL);
        tenon_doc_free(clip);
    }
}

// -- The model with them

static void follow_finding(void *user, const tenon_finding *f)
{
    (void)user;
    require(f->rule && f->path && f->message[0], "a finding says what and where", NULL);
}

static void follow_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    require(loss->feature[0] && loss->why[0] && loss->count > 0, "a loss says what and why", NULL);
}

static void look_into(tenon_doc *doc, const char *model_path, uint64_t size)
{
    tenon_error err;
    tenon_info info;
    names n = {.model_path = model_path};
    uint64_t start = fuzz_work;
    (void)tenon_sidecars(doc, model_path, follow_side, &n);
    require_little_work(start, size, "listing the files beside a model");
    start = fuzz_work;
    const tenon_info_opts wants = {.full = true, .model_path = model_path, .files = &folder.files};
    bool has_info = tenon_doc_info(doc, &wants, &info, &err);
    require(has_info || is_excused(&err) || err.code == TENON_ERR_IO, "information", &err);
    for (uint32_t i = 0; has_info && i < info.fact_count; i++)
        require(info.facts[i].label && info.facts[i].text, "a fact has a label and a text", NULL);
    if (has_info) tenon_info_free(&info);
    require_little_work(start, size, "information");
    start = fuzz_work;
    tenon_check_opts check = {.model_path = model_path, .files = &folder.files};
    bool ok = tenon_check(doc, &check, follow_finding, NULL, NULL, &err);
    require(ok || is_excused(&err) || err.code == TENON_ERR_IO, "a check", &err);
    require_little_work(start, size, "checking");
}

static void write_as(const tenon_scene *scene, const char *format, const char *model_path,
                     uint64_t *chance)
{
    uint64_t written = 0;
    tenon_error err;
    tenon_export_opts opts = {.format = format,
                              .name = "x",
                              .max_memory = MEMORY_LIMIT,
                              .tolerance = TOLERANCE,
                              .model_path = model_path,
                              .files = &folder.files,
                              .embed = pick(chance, 2),
                              .copy_textures = pick(chance, 2),
                              .events.on_loss = follow_loss};
    const tenon_sink sink = counting_sink(&written);
    bool ok = tenon_export(scene, &opts, &sink, &err);
    require(ok || err.message[0], format, &err);
    require(ok || is_excused(&err) || err.code == TENON_ERR_VALUE || err.code == TENON_ERR_IO,
            format, &err);
}

static void use_scene(tenon_scene *scene, const tenon_error *why, const char *model_path,
                      uint64_t *chance)
{
    static const char *const formats[] = {"gltf", "obj", "gpb", "bbmod", "bmw"};
    tenon_error err;
    require(scene || why->message[0], "a reason", why);
    if (!scene) return;
    require(tenon_scene_check(scene, &err), "the scene holds", &err);
    write_as(scene, formats[pick(chance, sizeof formats / sizeof formats[0])], model_path, chance);
    tenon_scene_free(scene);
}

// -- One input

// "m.json"; clips and further files of a kind have a number.
static void add_files(const bundle *b, const uint8_t *data, char *model_path, size_t path_size)
{
    char name[64];
    for (uint32_t i = 0; i < b->count; i++) {
        const bundle_file *f = &b->files[i];
        const char *extension = f->extension[0] ? f->extension : "x";
        (void)snprintf(name, sizeof name, "m.%s", extension);
        if (i &&
            (memory_find_exactly(&folder, name) != TENON_NONE || strcmp(extension, "bbanim") == 0))
            (void)snprintf(name, sizeof name, "m_%u.%s", (unsigned)i, extension);
        if (i == 0) (void)snprintf(model_path, path_size, "%s", name);
        memory_add(&folder, name, data + f->offset, f->size);
    }
    folder.is_by_extension = true;
    folder.calls = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char model_path[64];
    tenon_error err;
    uint64_t chance = hash_of(data, size);
    bundle b = bundle_split(data, size);
    memory_begin(&folder);
    add_files(&b, data, model_path, sizeof model_path);
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT,
                            .name = model_path,
                            .files = &folder.files,
                            .partial = pick(&chance, 4) == 0};
    tenon_doc *doc = tenon_read(data + b.files[0].offset, b.files[0].size, &opts, &err);
    if (pick(&chance, 4) == 0) folder.fail_at = 1 + pick(&chance, FAULTS_MOST);
    if (doc) {
        read_sides(model_path, size);
        look_into(doc, model_path, size);
        relate_clips(doc, &b, data);
        tenon_scene_opts to_scene = {.max_memory = MEMORY_LIMIT,
                                     .model_path = model_path,
                                     .files = &folder.files,
                                     .salvage = opts.partial,
                                     .events.on_loss = follow_loss};
        uint64_t start = fuzz_work;
        tenon_scene *scene = tenon_to_scene(doc, &to_scene, &err);
        require_little_work(start, size, "making a scene");
        use_scene(scene, &err, model_path, &chance);
        start = fuzz_work;
        scene = tenon_import_file(model_path, &opts, &to_scene, &err);
        require_little_work(start, size, "importing a file");
        use_scene(scene, &err, model_path, &chance);
    }
    tenon_doc_free(doc);
    memory_end(&folder);
    return 0;
}
