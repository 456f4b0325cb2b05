// limits_refused.c: small files that would become very large are refused in time.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <tenon/scene.h>

#include "../robust.h"
#include "sets_gltf.h"

#define MEBI        ((uint64_t)1 << 20)
#define EXPORT_MOST (16 * MEBI)

static robust_memory memory;

// -- Doing it

static tenon_scene *understand(const set_text *file, tenon_error *err)
{
    tenon_read_opts read_opts = {.allocator = robust_allocator(&memory)};
    tenon_scene_opts opts = {.allocator = robust_allocator(&memory)};
    memory = (robust_memory){0};
    tenon_doc *doc = tenon_read(file->data, file->size, &read_opts, err);
    CHECK(doc);
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, err) : NULL;
    tenon_doc_free(doc);
    return scene;
}

// The main file of an export is collected, the others are not.
typedef struct main_file {
    growing_bytes bytes;
    bool is_other;
} main_file;

static bool begin_file(void *user, const char *name)
{
    ((main_file *)user)->is_other = name[0] != '\0';
    return true;
}

static bool write_file(void *user, const void *bytes, size_t size)
{
    main_file *file = user;
    return file->is_other || append_bytes(&file->bytes, bytes, size);
}

static bool end_file(void *user)
{
    (void)user;
    return true;
}

static bool export_scene(const tenon_scene *scene, const char *format, main_file *file,
                         tenon_error *err)
{
    const tenon_sink sink = {begin_file, write_file, end_file, file};
    tenon_export_opts opts = {
        .allocator = robust_allocator(&memory), .format = format, .max_memory = EXPORT_MOST};
    return tenon_export(scene, &opts, &sink, err);
}

// -- Files

// Accessors that all use the same mebibyte; each mesh has its own.
static void make_accessors(set_text *out, uint32_t n)
{
    set_text t = {0}, bin = {0};
    for (uint32_t i = 0; i < MEBI / 4; i++) set_put_f32(&bin, (float)(i % 977));
    gltf_begin(&t);
    gltf_list(&t, "meshes", n, "{\"primitives\":[{\"attributes\":{\"POSITION\":%u}}]}");
    gltf_list(&t, "nodes", n, "{\"mesh\":%u}");
    gltf_list(&t, "accessors", n,
              "{\"name\":\"%u\",\"bufferView\":0,\"componentType\":5126,\"count\":87381,"
              "\"type\":\"VEC3\"}");
    set_put(&t, ",\"buffers\":[{\"byteLength\":1048576}],\"bufferViews\":[{\"buffer\":0,"
                "\"byteLength\":1048576}],\"scenes\":[{\"nodes\":[0");
    for (uint32_t i = 1; i < n; i++) set_put(&t, ",%u", (unsigned)i);
    set_put(&t, "]}]}");
    set_put_glb(out, &t, &bin);
}

// An accessor without a buffer has zeros, as many as its count.
static void make_zeros(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH);
    set_put(out, ",\"accessors\":[{\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"}]}",
            (unsigned)n);
}

// -- Tests

static void is_refused(void (*make)(set_text *out, uint32_t n), uint32_t n)
{
    set_text file = {0};
    tenon_error err = {.code = TENON_OK};
    make(&file, n);
    tenon_scene *scene = understand(&file, &err);
    uint64_t limit = 64 * MEBI + 64 * (uint64_t)file.size;
    CHECK(!scene && err.code == TENON_ERR_LIMIT);
    CHECK(memory.peak <= robust_memory_most(limit) && memory.live == 0);
    printf("# %zu KiB would be more than %llu MiB: at most %llu MiB\n", file.size >> 10,
           (unsigned long long)(limit >> 20), (unsigned long long)(memory.peak >> 20));
    tenon_scene_free(scene);
    free(file.data);
}

TEST(accessors_of_the_same_bytes_are_refused_when_they_become_too_large)
{
    is_refused(make_accessors, 2000);
}

TEST(zeros_without_bytes_are_refused_when_they_become_too_large)
{
    is_refused(make_zeros, 0x7fffffff);
    is_refused(make_zeros, 1u << 28);
}

// Formats without instances write each of them.
TEST(instances_are_refused_where_they_become_too_large)
{
    static const char *const formats[] = {"bplx", "cem", "bmw"};
    set_text file = {0};
    tenon_error err = {.code = TENON_OK};
    make_gltf_children(&file, 200000);
    tenon_scene *scene = understand(&file, &err);
    CHECK(scene);
    for (size_t i = 0; scene && i < sizeof formats / sizeof formats[0]; i++) {
        uint64_t live = memory.live;
        memory.peak = live;
        main_file made = {0};
        bool ok = export_scene(scene, formats[i], &made, &err);
        CHECK(!ok && err.code == TENON_ERR_LIMIT);
        free(made.bytes.data);
        CHECK(memory.live == live && memory.peak - live <= 4 * robust_memory_most(EXPORT_MOST));
        printf("# %s: refused after %llu MiB: %s\n", formats[i],
               (unsigned long long)((memory.peak - live) >> 20), err.message);
    }
    tenon_scene_free(scene);
    free(file.data);
}

// What readers would refuse is not written.
TEST(chains_of_nodes_that_no_reader_accepts_are_not_written)
{
    static const char *const formats[] = {"bbmod", "gpb", "bmw"};
    set_text file = {0};
    tenon_error err = {.code = TENON_OK};
    make_gltf_chain(&file, 300);
    tenon_scene *scene = understand(&file, &err);
    CHECK(scene && scene->node_count == 300);
    for (size_t i = 0; scene && i < sizeof formats / sizeof formats[0]; i++) {
        main_file made = {0};
        bool ok = export_scene(scene, formats[i], &made, &err);
        bool is_refused = !ok && err.code == TENON_ERR_LIMIT;
        tenon_doc *doc = ok ? tenon_read(made.bytes.data, made.bytes.size, NULL, &err) : NULL;
        CHECK(is_refused || doc);
        printf("# %s: %s\n", formats[i], doc ? "written in fewer nodes" : err.message);
        tenon_doc_free(doc);
        free(made.bytes.data);
    }
    tenon_scene_free(scene);
    free(file.data);
}

// Lists and objects in the text, nested deeper than allowed.
TEST(deep_texts_are_refused)
{
    void (*const makes[])(set_text * out, uint32_t n) = {make_gltf_deep, make_gltf_deep_objects};
    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
        set_text file = {0};
        tenon_error err = {.code = TENON_OK};
        tenon_read_opts opts = {.allocator = robust_allocator(&memory), .format = "gltf"};
        tenon_scene_opts scene_opts = {.allocator = robust_allocator(&memory)};
        memory = (robust_memory){0};
        makes[i](&file, 1000000);
        tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
        tenon_scene *scene = doc ? tenon_to_scene(doc, &scene_opts, &err) : NULL;
        CHECK(!scene && (err.code == TENON_ERR_LIMIT || err.code == TENON_ERR_VALUE));
        CHECK(memory.peak < file.size + MEBI);
        printf("# %llu KiB: %s\n", (unsigned long long)(memory.peak >> 10), err.message);
        tenon_scene_free(scene);
        tenon_doc_free(doc);
        free(file.data);
    }
}

static void run_all(void)
{
    RUN(accessors_of_the_same_bytes_are_refused_when_they_become_too_large);
    RUN(zeros_without_bytes_are_refused_when_they_become_too_large);
    RUN(instances_are_refused_where_they_become_too_large);
    RUN(chains_of_nodes_that_no_reader_accepts_are_not_written);
    RUN(deep_texts_are_refused);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
