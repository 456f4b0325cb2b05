// obj_check_sidecar.c: checks the material libraries and textures that an OBJ file names.
// SPDX-License-Identifier: MIT

#include "formats/obj/check/obj_check.h"
#include "formats/obj/import/obj_library.h"
#include "formats/obj/import/obj_parse_mtl.h"

#include "core/text/text.h"

typedef struct obj_sidecar {
    obj_checker *c;
    const obj_library *library;  // The current library.
    bool *is_defined;            // For each material of the model.
} obj_sidecar;

static tn_path_text obj_place(const obj_sidecar *side, uint64_t line)
{
    return tn_path("%.100s:%llu", side->library->file, (unsigned long long)line);
}

// -- Textures

static void obj_check_texture(obj_sidecar *side, const obj_map *map)
{
    tn_check *check = side->c->check;
    char shown[96];
    tenon_str path;
    if (!obj_from_model(side->library->folder, map->path, side->c->arena, &path)) {
        check->failed = true;
        return;
    }
    tn_text_clean(path.data, path.size, shown, sizeof shown);
    tn_place place = tn_check_look(check, path);
    if (place == TN_PLACE_OUTSIDE)
        tn_found(check, OBJ_RULE_TEXTURE_PATH, obj_place(side, map->line),
                 "'%s' is outside the model's folder", shown);
    else if (place == TN_PLACE_MISSING)
        tn_found(check, OBJ_RULE_TEXTURE_MISSING, obj_place(side, map->line), "'%s' does not exist",
                 shown);
}

// -- Libraries

static void obj_check_look(void *user, const obj_look *look)
{
    obj_sidecar *side = user;
    uint32_t material = obj_strings_find(&side->c->m.materials, look->name);
    char shown[64];
    if (material == TENON_NONE) return;
    tn_text_clean(look->name.data, look->name.size, shown, sizeof shown);
    if (side->is_defined[material]) {
        tn_found(side->c->check, OBJ_RULE_MATERIAL_TWICE, obj_place(side, look->line),
                 "'%s' is already defined", shown);
        return;
    }
    side->is_defined[material] = true;
    for (int i = 0; i < OBJ_MAP_COUNT; i++)
        if (look->maps[i].path.size) obj_check_texture(side, &look->maps[i]);
}

static void obj_found_in_mtl(void *user, obj_mtl_fault fault, const obj_word *at)
{
    obj_sidecar *side = user;
    char shown[48];
    if (fault != OBJ_MTL_VALUE) return;  // Valid, but not supported in scenes.
    tn_text_clean(at->text, at->size, shown, sizeof shown);
    tn_found(side->c->check, OBJ_RULE_LIBRARY_VALUE, obj_place(side, at->line),
             "the values after '%s' cannot be read", shown);
}

static bool obj_check_library(void *user, const obj_library *library)
{
    obj_sidecar *side = user;
    const obj_mtl_parser reader = {side->c->arena, obj_check_look, obj_found_in_mtl, side};
    side->library = library;
    return obj_parse_mtl(&reader, library->text) && !side->c->check->failed;
}

static void obj_found_missing(void *user, obj_missing why, tenon_str name)
{
    static const char *const reasons[] = {
        [OBJ_NO_FOLDER] = "cannot be opened: the folder of the model is unknown",
        [OBJ_OUTSIDE] = "is outside the model's folder",
        [OBJ_NOT_THERE] = "does not exist",
        [OBJ_UNREADABLE] = "cannot be read",
        [OBJ_TOO_MANY] = "is not read: there are too many libraries"};
    const obj_sidecar *side = user;
    uint32_t rule = why == OBJ_OUTSIDE ? OBJ_RULE_LIBRARY_PATH : OBJ_RULE_LIBRARY_MISSING;
    obj_found_name(side->c, rule, name, "%s", reasons[why]);
}

void obj_check_libraries(obj_checker *c)
{
    uint32_t count = c->m.materials.count;
    obj_sidecar side = {
        .c = c, .is_defined = tn_arena_alloc(c->arena, count, sizeof *side.is_defined, NULL)};
    tenon_error why = {.code = TENON_ERR_MEMORY, .message = "out of memory while checking"};
    const obj_library_walk walk = {.model_path = c->check->opts->model_path,
                                   .files = c->check->opts->files,
                                   .allocator = c->check->opts->allocator,
                                   .found = obj_check_library,
                                   .missing = obj_found_missing,
                                   .user = &side,
                                   .err = &why};
    if (!side.is_defined || !obj_walk_libraries(&walk, &c->m.libraries)) {
        tn_check_fail(c->check, &why);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!side.is_defined[i])
            obj_found_name(c, OBJ_RULE_MATERIAL_UNDEFINED, c->m.materials.items[i],
                           "is a material that is not defined in a library");
}
