// fuzz_mtl.c: whatever a material library beside a model contains, the model is checked, becomes a
// valid scene, and is written, within the limit of memory.
// SPDX-License-Identifier: MIT
//
// The input is the library. The model beside it is a triangle with the first material in it.

#include <errno.h>

#include <tenon/files.h>

#include "fuzz.h"

#define SCENE_MEMORY ((uint64_t)32 << 20)
#define LIBRARY      "m.mtl"

// -- One file

typedef struct library {
    const uint8_t *data;
    size_t size, at;
} library;

static bool is_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, LIBRARY) == 0;
}

static int open_library(void *user, const char *path, tenon_file *file)
{
    if (!is_library(path)) return ENOENT;
    ((library *)user)->at = 0;
    *file = 1;
    return 0;
}

static int stat_library(void *user, tenon_file file, tenon_file_info *info)
{
    (void)file;
    *info = (tenon_file_info){.kind = TENON_FILE_REGULAR, .size = ((library *)user)->size};
    return 0;
}

static int look_at(void *user, const char *path, tenon_file_info *info)
{
    return is_library(path) ? stat_library(user, 1, info) : ENOENT;
}

static int read_library(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    library *l = user;
    (void)file;
    *got = size < l->size - l->at ? size : l->size - l->at;
    if (*got) memcpy(dst, l->data + l->at, *got);
    l->at += *got;
    return 0;
}

static int map_nothing(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user, (void)file, (void)size, (void)memory;
    return ENOSYS;
}

static int close_library(void *user, tenon_file file)
{
    (void)user, (void)file;
    return 0;
}

static int resolve_nothing(void *user, const char *path, char *out, size_t out_size)
{
    (void)user, (void)path, (void)out, (void)out_size;
    return ENOSYS;
}

// -- The model

// The first material of the library, with what follows its name cut off.
static int first_name(const uint8_t *data, size_t size, const char **name)
{
    static const char word[] = "newmtl ";
    const size_t word_size = sizeof word - 1, most = 64;
    for (size_t i = 0; i + word_size < size; i++) {
        if (memcmp(data + i, word, word_size) != 0) continue;
        size_t start = i + word_size, end = start;
        while (end < size && end - start < most && data[end] >= ' ') end++;
        *name = (const char *)data + start;
        return (int)(end - start);
    }
    *name = "none";
    return 4;
}

static tenon_doc *make_model(const uint8_t *data, size_t size)
{
    char text[256];
    const char *name;
    int name_size = first_name(data, size, &name);
    tenon_read_opts opts = {.format = "obj", .copy = true};
    tenon_error err;
    int used = snprintf(text, sizeof text,
                        "mtllib " LIBRARY "\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
                        "usemtl %.*s\nf 1/1 2/2 3/3\n",
                        name_size, name);
    tenon_doc *doc = tenon_read(text, (size_t)used, &opts, &err);
    require(doc != NULL, "a model", &err);
    return doc;
}

// -- What is done with it

static void write_as(const tenon_scene *scene, const char *format)
{
    uint64_t size = 0;
    tenon_error err;
    tenon_export_opts opts = {.format = format, .name = "x"};
    const tenon_sink sink = counting_sink(&size);
    bool ok = tenon_export(scene, &opts, &sink, &err);
    require(ok || err.code == TENON_ERR_LIMIT || err.code == TENON_ERR_MEMORY, format, &err);
    require(!ok || size > 0, "a file was written", &err);
}

static void follow_finding(void *user, const tenon_finding *f)
{
    (void)user;
    require(f->message[0] && f->rule, "a finding says what and why", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    library l = {.data = data, .size = size};
    tenon_files files = *tenon_system_files();
    files.user = &l;
    files.open = open_library;
    files.stat = stat_library;
    files.look = look_at;
    files.read = read_library;
    files.map = map_nothing;
    files.close = close_library;
    files.resolve = resolve_nothing;
    tenon_error err;
    tenon_check_opts check = {.model_path = "m.obj", .files = &files};
    tenon_scene_opts opts = {.model_path = "m.obj", .files = &files, .max_memory = SCENE_MEMORY};
    tenon_doc *doc = make_model(data, size);
    require(tenon_check(doc, &check, follow_finding, NULL, NULL, &err), "a check", &err);
    tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
    tenon_doc_free(doc);
    require(scene || err.code == TENON_ERR_LIMIT, "a scene, or a limit", &err);
    if (!scene) return 0;
    require(tenon_scene_check(scene, &err), "the scene holds", &err);
    write_as(scene, "glb");
    write_as(scene, "obj");
    tenon_scene_free(scene);
    return 0;
}
