// fuzz_files.c: models that are read from files and written to files, in a folder in memory: all or
// nothing is written, whichever call fails, and no file is left open or over.
// SPDX-License-Identifier: MIT
//
// Which call fails depends on a hash of the input. With TENON_FUZZ_FORMAT=bmw in the environment
// every input is read as a BMW file.

#include "memory_files.h"

#define MEMORY_LIMIT ((uint64_t)16 << 20)
#define TOLERANCE    1e-2
#define MODEL        "m.x"
#define FAULTS_MOST  60  // The call that fails is one of the first so many.

static memory_files folder;

// -- What is in the folder

static bool has_bytes(const char *name, const void *bytes, size_t size)
{
    uint32_t file = memory_find_exactly(&folder, name);
    return file != TENON_NONE && folder.all[file].size == size &&
           (!size || memcmp(folder.all[file].data, bytes, size) == 0);
}

// After a call that may have failed: the model is there, and `count` files in all; a failure leaves
// no file, unless it could not even be removed.
static void require_order(bool ok, uint32_t count, const char *what, const tenon_error *err)
{
    require(ok || err->message[0], what, err);
    require(folder.open_count == 0, "no file is left open", err);
    require(ok || folder.has_failed_to_remove || memory_count(&folder) <= count,
            "what fails leaves no file", err);
    for (uint32_t i = 0; i < folder.file_count && !folder.has_failed_to_remove; i++)
        require(!strstr(folder.all[i].name, ".tenon-"), "no temporary file is left", err);
}

// -- Reading and writing documents

static void use_streams(const uint8_t *data, size_t size)
{
    tenon_read_opts opts = {.files = &folder.files};
    tenon_error err;
    tenon_bytes bytes;
    tenon_file file;
    tenon_file_id id;
    if (tenon_load(MODEL, &opts, &bytes, &err)) {
        require(bytes.size == size && (!size || memcmp(bytes.data, data, size) == 0),
                "what is loaded is what the file has", &err);
        tenon_unload(&bytes);
    }
    if (folder.files.open(&folder, MODEL, &file) == 0) {
        if (tenon_load_stream(file, MODEL, &opts, &bytes, &err)) {
            require(bytes.size == size, "a stream is loaded to its end", &err);
            tenon_unload(&bytes);
        }
        (void)folder.files.close(&folder, file);
    }
    (void)tenon_file_identify(&folder.files, MODEL, &id);
    uint32_t count = memory_count(&folder);
    tenon_write_opts write = {.files = &folder.files};
    bool ok = tenon_save("saved", data, size, &write, &err);
    require_order(ok, count, "saving", &err);
    require(!ok || has_bytes("saved", data, size), "what is saved is there", &err);
}

static void use_document(const tenon_doc *doc, const uint8_t *data, size_t size)
{
    tenon_error err;
    tenon_write_opts write = {.files = &folder.files};
    tenon_read_opts read = {.max_memory = MEMORY_LIMIT};
    uint32_t count = memory_count(&folder);
    bool ok = tenon_write_file(doc, "copy.x", &write, &err);
    require_order(ok, count, "writing a copy", &err);
    require(!ok || has_bytes("copy.x", data, size), "a copy has the same bytes", &err);
    require(!tenon_write_file(doc, MODEL, &write, &err), "the input is not replaced", &err);
    count = memory_count(&folder);
    ok = tenon_dump_file(doc, "m.json", &write, &err);
    require_order(ok, count, "dumping", &err);
    uint32_t dump = memory_find_exactly(&folder, "m.json");
    if (!ok || dump == TENON_NONE) return;
    count = memory_count(&folder);
    const memory_file *json = &folder.all[dump];
    ok = tenon_build_file((const char *)json->data, json->size, "built.x", &read, &write, &err);
    require_order(ok, count, "building", &err);
    require(!ok || has_bytes("built.x", data, size), "what is built has the same bytes", &err);
}

// Two files get their names together, or neither does.
static void use_batch(const tenon_doc *doc, bool is_given_up)
{
    tenon_error err;
    tenon_batch *batch = tenon_batch_new(NULL, &err);
    require(batch != NULL, "a batch", &err);
    uint32_t count = memory_count(&folder);
    tenon_write_opts write = {.files = &folder.files, .batch = batch};
    bool ok = tenon_save("first", "1", 1, &write, &err) &&
              tenon_write_file(doc, "second.x", &write, &err);
    require(memory_find_exactly(&folder, "first") == TENON_NONE, "it has no name yet", NULL);
    if (ok && is_given_up)
        (void)snprintf(err.message, sizeof err.message, "given up"), ok = false;
    else if (ok)
        ok = tenon_batch_commit(batch, &err);
    tenon_batch_free(batch);
    require_order(ok, count, "a batch", &err);
}

// -- Scenes

static void use_scene(uint64_t *chance)
{
    tenon_error err;
    tenon_read_opts read = {
        .max_memory = MEMORY_LIMIT, .format = fuzzed_format(), .files = &folder.files};
    tenon_scene_opts opts = {.max_memory = MEMORY_LIMIT, .files = &folder.files};
    tenon_scene *scene = tenon_import_file(MODEL, &read, &opts, &err);
    require(scene || err.message[0], "a reason", &err);
    require(folder.open_count == 0, "no file is left open", &err);
    if (!scene) return;
    require(tenon_scene_check(scene, &err), "the scene holds", &err);
    uint32_t format_count = 0, count = memory_count(&folder);
    while (tenon_format_at(format_count)) format_count++;
    const tenon_format *format = tenon_format_at((uint32_t)pick(chance, format_count));
    char path[64];
    (void)snprintf(path, sizeof path, "out.%s", format->extensions[0]);
    tenon_export_opts to = {.format = format->name,
                            .max_memory = MEMORY_LIMIT,
                            .tolerance = TOLERANCE,
                            .model_path = pick(chance, 2) ? MODEL : NULL,
                            .files = &folder.files,
                            .embed = pick(chance, 2),
                            .copy_textures = pick(chance, 2),
                            .dry_run = pick(chance, 8) == 0};
    tenon_write_opts write = {.files = &folder.files};
    bool ok = tenon_export_file(scene, path, &to, &write, &err);
    require_order(ok, count, format->name, &err);
    require(!to.dry_run || memory_count(&folder) == count, "a dry run writes nothing", &err);
    if (ok && !to.dry_run) {
        tenon_doc *doc = tenon_read_file(path, &read, &err);
        tenon_doc_free(doc);
        require(memory_find_exactly(&folder, path) != TENON_NONE, "it is written", &err);
    }
    tenon_scene_free(scene);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t chance = hash_of(data, size);
    tenon_error err;
    memory_begin(&folder);
    memory_add(&folder, MODEL, data, size);
    folder.calls = 0;
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT,
                            .format = fuzzed_format(),
                            .name = MODEL,
                            .files = &folder.files};
    tenon_doc *memory = tenon_read(data, size, &opts, NULL);
    tenon_doc *doc = tenon_read_file(MODEL, &opts, &err);
    require((doc != NULL) == (memory != NULL), "a file is read as its bytes are", &err);
    tenon_doc_free(memory);
    if (pick(&chance, 2)) folder.fail_at = folder.calls + 1 + pick(&chance, FAULTS_MOST);
    switch (pick(&chance, 4)) {
    case 0:
        use_streams(data, size);
        break;
    case 1:
        if (doc) use_document(doc, data, size);
        break;
    case 2:
        if (doc) use_batch(doc, pick(&chance, 3) == 0);
        break;
    default:
        use_scene(&chance);
    }
    tenon_doc_free(doc);
    require(has_bytes(MODEL, data, size), "the model is as it was", NULL);
    memory_end(&folder);
    return 0;
}
