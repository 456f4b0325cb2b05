// obj_read_library.c: the MTL files that an OBJ file names, found beside it and read.
// SPDX-License-Identifier: MIT

#include "obj_read_look.h"

#include "../../core/file.h"

#include <string.h>

#define LIBRARIES_MOST 64  // Files that are looked for.

// -- Where they are

typedef struct finder {
    obj_looks *looks;
    const tenon_files *files;
    const char *model_path;
    uint32_t left;  // Files that may still be looked for.
    char path[TN_PATH_SIZE];
} finder;

static bool is_there(finder *f, tenon_str name)
{
    tenon_file_info info;
    return tenon_file_beside(f->files, f->model_path, name, f->path, sizeof f->path) &&
           f->files->look(f->files->user, f->path, &info) == 0 && info.kind == TENON_FILE_REGULAR &&
           info.size < UINT32_MAX;
}

// -- What they say

static void take_look(void *user, const obj_look *look)
{
    obj_looks *looks = user;
    uint32_t material = obj_strings_find(&looks->s->m.materials, look->name);
    if (material == TENON_NONE) {
        obj_look_lose(looks, OBJ_LOOK_UNUSED, look->line, look->name);
        return;
    }
    if (looks->is_defined[material]) return;
    looks->is_defined[material] = true;
    obj_set_look(looks, looks->s->materials[material], look);
}

static void take_fault(void *user, obj_mtl_fault fault, const obj_word *at)
{
    static const obj_look_loss losses[] = {[OBJ_MTL_VALUE] = OBJ_LOOK_VALUE,
                                           [OBJ_MTL_PROPERTY] = OBJ_LOOK_PROPERTY,
                                           [OBJ_MTL_OPTION] = OBJ_LOOK_OPTION};
    obj_look_lose(user, losses[fault], at->line, (tenon_str){"", 0});
}

static void read_library(finder *f, tenon_str name)
{
    obj_looks *looks = f->looks;
    tn_builder *b = looks->s->b;
    tenon_read_opts opts = {.allocator = b->opts->allocator, .files = f->files};
    tenon_bytes bytes;
    tenon_error err = {0};
    if (!tenon_load(f->path, &opts, &bytes, &err)) {
        if (err.code == TENON_ERR_MEMORY) obj_scene_out_of_memory(looks->s);
        obj_look_lose(looks, OBJ_LOOK_UNREADABLE, 0, name);
        return;
    }
    uint32_t folder = name.size;
    while (folder && name.data[folder - 1] != '/' && name.data[folder - 1] != '\\') folder--;
    looks->folder = (tenon_str){name.data, folder};
    looks->library = f->path + tn_path_folder_size(f->path);
    obj_mtl_reader reader = {looks->s->arena, take_look, take_fault, looks};
    if (!obj_read_mtl(&reader, (tenon_str){bytes.data, (uint32_t)bytes.size}))
        obj_scene_out_of_memory(looks->s);
    looks->library = NULL;
    tenon_unload(&bytes);
}

// -- All of them

// One name; false: it is not there.
static bool try_library(finder *f, tenon_str name)
{
    if (f->left == 0 || !is_there(f, name)) return false;
    f->left--;
    read_library(f, name);
    return true;
}

// A line names one file with blanks in its name, or several.
static void take_line(finder *f, tenon_str names)
{
    if (try_library(f, names)) return;
    obj_text t = obj_text_begin(names.data, names.size);
    obj_word word;
    while (obj_next_word(&t, &word) && !f->looks->s->b->failed) {
        tenon_str name = {word.text, word.size};
        bool is_known = f->left && try_library(f, name);
        if (is_known) continue;
        obj_look_lose(f->looks, f->left ? OBJ_LOOK_MISSING : OBJ_LOOK_TOO_MANY, 0, name);
        if (f->left) f->left--;
    }
}

static void take_lines(obj_looks *looks)
{
    const obj_strings *lines = &looks->s->m.libraries;
    const tenon_scene_opts *opts = looks->s->b->opts;
    if (!opts->model_path) {
        for (uint32_t i = 0; i < lines->count; i++)
            obj_look_lose(looks, OBJ_LOOK_NO_FOLDER, 0, lines->items[i]);
        return;
    }
    finder *f = obj_scene_alloc(looks->s, 1, sizeof *f);
    if (!f) return;
    *f = (finder){.looks = looks,
                  .files = opts->files ? opts->files : tenon_system_files(),
                  .model_path = opts->model_path,
                  .left = LIBRARIES_MOST};
    for (uint32_t i = 0; i < lines->count && !looks->s->b->failed; i++)
        take_line(f, lines->items[i]);
}

void obj_add_materials(obj_scene *s)
{
    uint32_t count = s->m.materials.count;
    obj_looks *looks = obj_scene_alloc(s, 1, sizeof *looks);
    s->materials = obj_scene_alloc(s, count, sizeof *s->materials);
    bool *is_defined = obj_scene_alloc(s, count, sizeof *is_defined);
    if (s->b->failed) return;
    *looks = (obj_looks){.s = s, .is_defined = is_defined};
    for (uint32_t i = 0; i < count && !s->b->failed; i++)
        s->materials[i] = tn_add_material(s->b, s->m.materials.items[i]);
    if (!s->b->failed) take_lines(looks);
    for (uint32_t i = 0; i < count && !s->b->failed; i++)
        if (!is_defined[i]) obj_look_lose(looks, OBJ_LOOK_UNDEFINED, 0, s->m.materials.items[i]);
    if (!s->b->failed) obj_look_tell(looks);
}
