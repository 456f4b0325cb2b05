// obj_sidecar.c: the files beside an OBJ file, and what `info` shows of them.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_library.h"
#include "formats/obj/import/obj_parse_mtl.h"
#include "formats/obj/obj_format.h"

#include "core/text/text.h"
#include "document/document.h"

#include <string.h>

#define SIDES_MOST  64
#define SIDE_MEMORY ((uint64_t)64 << 20)
#define SIDE_FACTOR 64

// -- List of sidecars

static bool obj_report_side(tenon_side_fn *fn, void *user, tenon_str name)
{
    char text[TN_PATH_SIZE];
    if (name.size == 0 || name.size >= sizeof text || memchr(name.data, 0, name.size)) return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    fn(user, text);
    return true;
}

// A line can name one file, whose name may contain blanks, or several files.
static uint32_t obj_report_line(tenon_str line, tenon_side_fn *fn, void *user)
{
    obj_text t = obj_text_begin(line.data, line.size);
    obj_word word;
    uint32_t told = obj_report_side(fn, user, line);
    while (obj_next_word(&t, &word) && word.size < line.size && told < SIDES_MOST)
        told += obj_report_side(fn, user, (tenon_str){word.text, word.size});
    return told;
}

bool obj_sidecars(const void *any, tenon_str stem, tenon_side_fn *fn, void *user)
{
    const tenon_obj *doc = any;
    tn_arena arena = tn_arena_make(&doc->base.owner->arena.allocator, SIDE_MEMORY);
    obj_text t = obj_text_begin(doc->text.data, doc->text.size);
    obj_word word;
    obj_key key;
    tenon_str line;
    uint32_t told = 0;
    bool ok = true;
    (void)stem;
    do {
        if (!obj_next_key(&t, &word, &key) || key != OBJ_MTLLIB) continue;
        ok = obj_remainder(&t, &arena, &line);
        if (ok) told += obj_report_line(line, fn, user);
    } while (ok && obj_end_line(&t) && told < SIDES_MOST);
    tn_arena_free(&arena);
    return ok;
}

// -- Textures

typedef struct obj_textures {
    tn_info_builder informer;
    tn_arena *arena;
    obj_strings names;  // Of materials.
    const obj_library *library;
} obj_textures;

static void obj_take_texture(void *user, const obj_material *look)
{
    obj_textures *t = user;
    uint32_t material = obj_strings_find(&t->names, look->name);
    tenon_str path;
    if (material == TENON_NONE || look->maps[OBJ_MAP_DIFFUSE].path.size == 0) return;
    if (t->informer.info->material_list[material].texture.size) return;
    if (!obj_path_from_model(t->library->folder, look->maps[OBJ_MAP_DIFFUSE].path, t->arena,
                             &path)) {
        t->informer.failed = true;
        return;
    }
    char *copy = tn_info_alloc(&t->informer, (uint64_t)path.size + 1, 1);
    if (!copy) return;
    memcpy(copy, path.data, path.size);
    t->informer.info->material_list[material].texture = (tenon_str){copy, path.size};
}

static void obj_ignore_fault(void *user, obj_mtl_fault fault, const obj_word *at)
{
    (void)user;
    (void)fault;
    (void)at;
}

static bool obj_take_textures(void *user, const obj_library *library)
{
    obj_textures *t = user;
    const obj_mtl_parser parser = {t->arena, obj_take_texture, obj_ignore_fault, t};
    t->library = library;
    return obj_parse_mtl(&parser, library->text) && !t->informer.failed;
}

static void obj_report_missing(void *user, obj_missing why, tenon_str name)
{
    obj_textures *t = user;
    char shown[128];
    tn_text_clean(name.data, name.size, shown, sizeof shown);
    (void)why;
    tn_info_add(&t->informer, "missing library", "%s", shown);
}

// Collect the lines that name libraries.
static bool obj_list_libraries(const tenon_obj *doc, tn_arena *arena, obj_strings *lines)
{
    obj_text t = obj_text_begin(doc->text.data, doc->text.size);
    obj_word word;
    obj_key key;
    tenon_str line;
    if (!obj_strings_begin(lines, SIDES_MOST, arena)) return false;
    do {
        if (!obj_next_key(&t, &word, &key) || key != OBJ_MTLLIB) continue;
        if (!obj_remainder(&t, arena, &line)) return false;
        if (line.size) (void)obj_strings_add(lines, line);
    } while (obj_end_line(&t) && lines->count < SIDES_MOST);
    return true;
}

static bool obj_parse_textures(obj_textures *t, const tenon_obj *doc, const char *model_path,
                               const tenon_files *files, tenon_error *err)
{
    obj_strings lines;
    const tenon_info *info = t->informer.info;
    const obj_library_search walk = {.model_path = model_path,
                                     .files = files,
                                     .allocator = t->arena->allocator,
                                     .found = obj_take_textures,
                                     .missing = obj_report_missing,
                                     .user = t,
                                     .err = err};
    tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (!obj_strings_begin(&t->names, info->material_count, t->arena)) return false;
    for (uint32_t i = 0; i < info->material_count; i++)
        (void)obj_strings_add(&t->names, info->material_list[i].name);
    return obj_list_libraries(doc, t->arena, &lines) && obj_search_libraries(&walk, &lines) &&
           !t->informer.failed;
}

bool obj_info_sidecars(tenon_doc *any, const char *model_path, const struct tenon_files *files,
                       tenon_info *info, tenon_error *err)
{
    const tenon_obj *doc = (const tenon_obj *)any;
    tn_arena arena = tn_arena_make(&any->owner->arena.allocator,
                                   SIDE_MEMORY + SIDE_FACTOR * (uint64_t)doc->text.size);
    obj_textures t = {.informer = {.info = info, .arena = &any->owner->arena}, .arena = &arena};
    tenon_error why;
    bool ok = obj_parse_textures(&t, doc, model_path, files, &why);
    tn_arena_free(&arena);
    if (!ok && err) *err = why;
    return ok;
}
