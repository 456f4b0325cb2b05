// read_from_zip.c: read a model with its sidecars from an archive, without unpacking it.
// SPDX-License-Identifier: MIT
//
// Usage: read_from_zip ARCHIVE.zip PATH, where PATH is that of the model in the archive.

#include "zip_files.h"

#include <tenon/scene.h>

#include <stdio.h>

// What the archive does not support.
static int refuse_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user, (void)file, (void)size, (void)memory;
    return ENOSYS;  // Tenon then reads the file.
}

static int refuse_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user, (void)path, (void)out, (void)out_size;
    return ENOSYS;  // There are no links.
}

static int close_file(void *user, tenon_file file)
{
    (void)user, (void)file;
    return 0;
}

// The names of the files in "folder/": among them are the clips of a BBMOD model.
static int list_folder(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    zip_archive *zip = user;
    if (strncmp(folder, "./", 2) == 0) folder += 2;
    size_t size = strlen(folder);
    for (size_t i = 0; i < zip->count; i++) {
        const char *path = zip->files[i].path;
        bool is_in = strncmp(path, folder, size) == 0 && !strchr(path + size, '/');
        if (is_in && !take(take_user, path + size)) break;
    }
    return 0;
}

static tenon_scene *import(zip_archive *zip, const char *path, tenon_error *err)
{
    // Nothing is written, so that all operations that write may stay those of the system.
    tenon_files files = *tenon_system_files();
    files.user = zip;
    files.open = zip_open_file, files.open_inside = NULL, files.close = close_file;
    files.stat = zip_stat, files.look = zip_look, files.read = zip_read, files.list = list_folder;
    files.map = refuse_map, files.resolve = refuse_resolve;
    const tenon_read_opts read = {.files = &files};
    const tenon_scene_opts meaning = {.files = &files};
    return tenon_import_file(path, &read, &meaning, err);
}

int main(int argc, char **argv)
{
    static zip_archive zip;
    tenon_bytes bytes;
    tenon_error err;
    if (argc != 3) return fprintf(stderr, "usage: read_from_zip ARCHIVE.zip PATH\n"), 2;
    if (!tenon_load(argv[1], NULL, &bytes, &err)) return fprintf(stderr, "%s\n", err.message), 1;
    bool is_zip = zip_open(&zip, bytes.data, bytes.size);
    tenon_scene *scene = is_zip ? import(&zip, argv[2], &err) : NULL;
    tenon_unload(&bytes);  // A scene borrows nothing.
    if (!scene) {
        const char *why = is_zip ? err.message : "not an archive of stored files";
        return fprintf(stderr, "%s: %s\n", argv[1], why), 1;
    }
    printf("%u meshes, %u pictures\n", scene->mesh_count, scene->image_count);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        printf("clip %s\n", scene->animations[i].name.data);
    tenon_scene_free(scene);
    return 0;
}
