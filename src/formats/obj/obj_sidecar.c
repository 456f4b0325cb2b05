// obj_sidecar.c: the files beside an OBJ file, and what `info` shows of them.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_library.h"
#include "formats/obj/import/obj_parse_mtl.h"
#include "formats/obj/obj_format.h"

#include "core/text/text.h"
#include "document/document.h"

#include <string.h>

#define SIDECARS_MOST  64
#define SIDECAR_MEMORY ((uint64_t)64 << 20)
#define SIDECAR_FACTOR 64

// -- List of sidecars

static bool obj_report_sidecar(tenon_side_fn *fn, void *user, tenon_str name)
{
    char text[TN_PATH_SIZE];
    if (name.size == 0 || name.size >= sizeof text || memchr(name.data, 0, name.size)) return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    fn(user, text);
    return true;
}

bool obj_sidecars(const void *any, tenon_str stem, tenon_side_fn *fn, void *user)
{
    const tenon_obj *doc = any;
    tn_arena arena = tn_arena_make(&doc->base.owner->arena.allocator, SIDECAR_MEMORY);
    obj_text text = obj_parse_text_begin(doc->text.data, doc->text.size);
    obj_word word;
    obj_key key;
    tenon_str line;
    uint32_t reported = 0;
    bool ok = true;
    (void)stem;
    do {
        if (!obj_parse_next_key(&text, &word, &key) || key != OBJ_MTLLIB) continue;
        ok = obj_remainder(&text, &arena, &line);
        if (!ok) break;
        // A line can name one file, whose name may contain blanks, or several files.
        uint32_t in_line = obj_report_sidecar(fn, user, line);
        obj_text names = obj_parse_text_begin(line.data, line.size);
        while (obj_parse_next_word(&names, &word) && word.size < line.size &&
               in_line < SIDECARS_MOST)
            in_line += obj_report_sidecar(fn, user, (tenon_str){word.text, word.size});
        reported += in_line;
    } while (obj_parse_end_line(&text) && reported < SIDECARS_MOST);
    tn_arena_free(&arena);
    return ok;
}

// -- Textures

// Adds textures to the list of materials.
typedef struct obj_texture_finder {
    tn_info_builder informer;
    tn_arena *arena;
    obj_names names;  // Of materials.
    const obj_library *library;
} obj_texture_finder;

static void obj_sidecar_add_texture(void *user, const obj_material *material)
{
    obj_texture_finder *finder = user;
    uint32_t index = obj_parse_names_find(&finder->names, material->name);
    tenon_str path = material->maps[OBJ_MAP_DIFFUSE].path;
    if (index == TENON_NONE || path.size == 0) return;
    tenon_material_info *info = &finder->informer.info->material_list[index];
    if (info->texture.size) return;
    if (!obj_library_path_from_model(finder->library->folder, path, finder->arena, &path)) {
        finder->informer.failed = true;
        return;
    }
    char *copy = tn_info_alloc(&finder->informer, (uint64_t)path.size + 1, 1);
    if (!copy) return;
    memcpy(copy, path.data, path.size);
    info->texture = (tenon_str){copy, path.size};
}

static void obj_sidecar_ignore_fault(void *user, obj_mtl_fault fault, const obj_word *at)
{
    (void)user;
    (void)fault;
    (void)at;
}

static bool obj_sidecar_add_textures(void *user, const obj_library *library)
{
    obj_texture_finder *finder = user;
    const obj_mtl_parser parser = {finder->arena, obj_sidecar_add_texture, obj_sidecar_ignore_fault,
                                   finder};
    finder->library = library;
    return obj_parse_mtl(&parser, library->text) && !finder->informer.failed;
}

static void obj_sidecar_report_missing(void *user, obj_missing why, tenon_str name)
{
    obj_texture_finder *finder = user;
    char shown[128];
    tn_text_clean(name.data, name.size, shown, sizeof shown);
    (void)why;
    tn_info_add(&finder->informer, "missing library", "%s", shown);
}

bool obj_info_sidecars(tenon_doc *any, const char *model_path, const struct tenon_files *files,
                       tenon_info *info, tenon_error *err)
{
    const tenon_obj *doc = (const tenon_obj *)any;
    tn_arena arena = tn_arena_make(&any->owner->arena.allocator,
                                   SIDECAR_MEMORY + SIDECAR_FACTOR * (uint64_t)doc->text.size);
    obj_texture_finder finder = {.informer = {.info = info, .arena = &any->owner->arena},
                                 .arena = &arena};
    tenon_error why;
    tn_error(&why, TENON_ERR_MEMORY, "out of memory");
    const obj_library_search search = {.model_path = model_path,
                                       .files = files,
                                       .allocator = arena.allocator,
                                       .found = obj_sidecar_add_textures,
                                       .missing = obj_sidecar_report_missing,
                                       .user = &finder,
                                       .err = &why};
    // The names of materials, and the lines that name libraries.
    obj_names lines;
    obj_text text = obj_parse_text_begin(doc->text.data, doc->text.size);
    obj_word word;
    obj_key key;
    tenon_str line;
    bool ok = obj_parse_names_begin(&finder.names, info->material_count, &arena) &&
              obj_parse_names_begin(&lines, SIDECARS_MOST, &arena);
    for (uint32_t i = 0; ok && i < info->material_count; i++)
        (void)obj_parse_names_add(&finder.names, info->material_list[i].name);
    while (ok && lines.count < SIDECARS_MOST) {
        if (obj_parse_next_key(&text, &word, &key) && key == OBJ_MTLLIB) {
            ok = obj_remainder(&text, &arena, &line);
            if (ok && line.size) (void)obj_parse_names_add(&lines, line);
        }
        if (!ok || !obj_parse_end_line(&text)) break;
    }
    ok = ok && obj_library_search_libraries(&search, &lines) && !finder.informer.failed;
    tn_arena_free(&arena);
    if (!ok && err) *err = why;
    return ok;
}
