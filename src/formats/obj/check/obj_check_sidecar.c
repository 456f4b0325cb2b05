// obj_check_sidecar.c: checks the material libraries and textures that an OBJ file names.
// SPDX-License-Identifier: MIT

#include "formats/obj/check/obj_check.h"
#include "formats/obj/import/obj_library.h"
#include "formats/obj/import/obj_parse_mtl.h"

#include "core/text/text.h"

typedef struct obj_library_checker {
    obj_checker *checker;
    const obj_library *library;  // The current library.
    bool *is_defined;            // For each material of the model.
} obj_library_checker;

static tn_path_text obj_check_sidecar_library_path(const obj_library_checker *libraries,
                                                   uint64_t line)
{
    return tn_path("%.100s:%llu", libraries->library->file, (unsigned long long)line);
}

// -- Textures

static void obj_check_sidecar_texture(obj_library_checker *libraries, const obj_map *map)
{
    tn_check *check = libraries->checker->check;
    char shown[96];
    tenon_str path;
    if (!obj_library_path_from_model(libraries->library->folder, map->path,
                                     libraries->checker->arena, &path)) {
        check->failed = true;
        return;
    }
    tn_text_clean(path.data, path.size, shown, sizeof shown);
    tn_place place = tn_check_look(check, path);
    if (place == TN_PLACE_OUTSIDE)
        tn_found(check, OBJ_RULE_TEXTURE_PATH, obj_check_sidecar_library_path(libraries, map->line),
                 "'%s' is outside the model's folder", shown);
    else if (place == TN_PLACE_MISSING)
        tn_found(check, OBJ_RULE_TEXTURE_MISSING,
                 obj_check_sidecar_library_path(libraries, map->line), "'%s' does not exist",
                 shown);
}

// -- Libraries

static void obj_check_sidecar_mtl_material(void *user, const obj_material *material)
{
    obj_library_checker *libraries = user;
    uint32_t index = obj_parse_strings_find(&libraries->checker->model.materials, material->name);
    char shown[64];
    if (index == TENON_NONE) return;
    tn_text_clean(material->name.data, material->name.size, shown, sizeof shown);
    if (libraries->is_defined[index]) {
        tn_found(libraries->checker->check, OBJ_RULE_MATERIAL_TWICE,
                 obj_check_sidecar_library_path(libraries, material->line),
                 "'%s' is already defined", shown);
        return;
    }
    libraries->is_defined[index] = true;
    for (int i = 0; i < OBJ_MAP_COUNT; i++)
        if (material->maps[i].path.size) obj_check_sidecar_texture(libraries, &material->maps[i]);
}

static void obj_check_sidecar_found_in_mtl(void *user, obj_mtl_fault fault, const obj_word *at)
{
    obj_library_checker *libraries = user;
    char shown[48];
    if (fault != OBJ_MTL_VALUE) return;  // Valid, but not supported in scenes.
    tn_text_clean(at->text, at->size, shown, sizeof shown);
    tn_found(libraries->checker->check, OBJ_RULE_LIBRARY_VALUE,
             obj_check_sidecar_library_path(libraries, at->line),
             "the values after '%s' cannot be read", shown);
}

static bool obj_check_sidecar_library(void *user, const obj_library *library)
{
    obj_library_checker *libraries = user;
    const obj_mtl_parser parser = {libraries->checker->arena, obj_check_sidecar_mtl_material,
                                   obj_check_sidecar_found_in_mtl, libraries};
    libraries->library = library;
    return obj_parse_mtl(&parser, library->text) && !libraries->checker->check->failed;
}

static void obj_check_sidecar_found_missing(void *user, obj_missing why, tenon_str name)
{
    static const char *const reasons[] = {
        [OBJ_NO_FOLDER] = "cannot be opened: the folder of the model is unknown",
        [OBJ_OUTSIDE] = "is outside the model's folder",
        [OBJ_NOT_THERE] = "does not exist",
        [OBJ_UNREADABLE] = "cannot be read",
        [OBJ_TOO_MANY] = "is not read: there are too many libraries"};
    const obj_library_checker *libraries = user;
    uint32_t rule = why == OBJ_OUTSIDE ? OBJ_RULE_LIBRARY_PATH : OBJ_RULE_LIBRARY_MISSING;
    obj_check_found_name(libraries->checker, rule, name, "%s", reasons[why]);
}

void obj_check_libraries(obj_checker *checker)
{
    uint32_t count = checker->model.materials.count;
    obj_library_checker libraries = {
        .checker = checker,
        .is_defined = tn_arena_alloc(checker->arena, count, sizeof *libraries.is_defined, NULL)};
    tenon_error why = {.code = TENON_ERR_MEMORY, .message = "out of memory while checking"};
    const obj_library_search search = {.model_path = checker->check->opts->model_path,
                                       .files = checker->check->opts->files,
                                       .allocator = checker->check->opts->allocator,
                                       .found = obj_check_sidecar_library,
                                       .missing = obj_check_sidecar_found_missing,
                                       .user = &libraries,
                                       .err = &why};
    if (!libraries.is_defined ||
        !obj_library_search_libraries(&search, &checker->model.libraries)) {
        tn_check_fail(checker->check, &why);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!libraries.is_defined[i])
            obj_check_found_name(checker, OBJ_RULE_MATERIAL_UNDEFINED,
                                 checker->model.materials.items[i],
                                 "is a material that is not defined in a library");
}
