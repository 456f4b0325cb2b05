// obj_check.c: the rules of OBJ, and the checks of the text, its libraries and their textures.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include "core/text/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define CHECK_MEMORY ((uint64_t)64 << 20)
#define CHECK_FACTOR 64

const tenon_rule obj_rules[OBJ_RULE_COUNT] = {
    {"obj/syntax", TENON_ERROR, "statements have the required numbers", NULL, NULL},
    {"obj/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"obj/index-range", TENON_ERROR,
     "face indices refer to vertices, texture coordinates and normals that exist",
     "remove the face, or add the missing data", NULL},
    {"obj/face-size", TENON_WARNING,
     "faces have at least three corners, lines at least two, points at least one",
     "remove the statement: other programs skip it or fail", NULL},
    {"obj/face-corners", TENON_WARNING, "a face uses each vertex once", NULL, NULL},
    {"obj/face-mixed", TENON_WARNING,
     "all corners of a face have a normal, or none has; the same for texture coordinates", NULL,
     NULL},
    {"obj/face-crossing", TENON_WARNING, "edges of a face do not cross each other",
     "export triangles", NULL},
    {"obj/numbers", TENON_WARNING, "statements do not have too many numbers", NULL, NULL},
    {"obj/statement", TENON_WARNING, "statements are known", NULL, NULL},
    {"obj/free-form", TENON_INFO, "shapes are polygons, lines and points", "export polygons", NULL},
    {"obj/normal-zero", TENON_WARNING, "normals do not have length 0", NULL, NULL},
    {"obj/normal-missing", TENON_WARNING, "faces refer to normals only if the file has normals",
     "add the normals, or remove their indices from the faces", NULL},
    {"obj/color-range", TENON_WARNING, "vertex colors are between 0 and 1",
     "divide the colors by 255 if their range is 0 to 255", NULL},
    {"obj/empty", TENON_WARNING, "the file has faces, lines or points", NULL, NULL},
    {"obj/text-utf8", TENON_WARNING, "names are UTF-8", NULL, NULL},
    {"obj/library-path", TENON_ERROR,
     "a material library is in the folder of the model or in a subfolder",
     "put it next to the model and use its name without a folder", NULL},
    {"obj/library-missing", TENON_WARNING, "every material library exists", NULL, NULL},
    {"obj/library-value", TENON_WARNING,
     "the statements of a material library have the required numbers", NULL, NULL},
    {"obj/material-undefined", TENON_WARNING, "every material is defined in a library", NULL, NULL},
    {"obj/material-twice", TENON_WARNING, "libraries define each material once",
     "remove the second: some programs use it, others use the first", NULL},
    {"obj/texture-path", TENON_WARNING, "a texture is in the folder of the model or in a subfolder",
     "put the texture next to the model and use its name without a folder", NULL},
    {"obj/texture-missing", TENON_WARNING, "every texture file exists", NULL, NULL},
};

// -- Findings

typedef struct obj_checker {
    tn_check *check;
    const tenon_obj *doc;
    tn_arena *arena;  // For temporary memory.
    obj_model model;
    uint32_t *last;  // For each vertex, the last polygon that used it. NULL before the first one.
    uint32_t polygons;  // Number of polygons so far.
    obj_library_reader libraries;
} obj_checker;

// Report a finding in a line of the text, at the byte `offset` of the text, which is set because
// the map of the file has only one field.
TN_PRINTF(5, 6)
static void obj_check_found(obj_checker *checker, const char *rule, uint64_t line, uint64_t offset,
                            const char *fmt, ...)
{
    const tn_found_item *before = checker->check->found;
    char message[192];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    tn_found(checker->check, rule, tn_path("line:%" PRIu64, line), "%s", message);
    if (checker->check->found != before) checker->check->found->offset = offset;
}

// Report a finding about a name. One that continues in the next line is not part of the text: it
// is reported at line 1.
static void obj_check_found_in_name(obj_checker *checker, const char *rule, tenon_str name,
                                    const char *what)
{
    const char *text = checker->doc->text.data;
    bool is_there = name.data >= text && name.data < text + checker->doc->text.size;
    uint64_t offset = is_there ? (uint64_t)(name.data - text) : 0, line = 1;
    // If the finding will not be shown, its line is not needed.
    uint32_t number = tn_rule_named(checker->check, rule);
    bool is_shown = checker->check->totals[number] < checker->check->max_per_rule;
    for (uint64_t i = 0; is_shown && i < offset; i++)
        line += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    obj_check_found(checker, rule, line, offset, "'%s' %s", tn_show(name, 96).text, what);
}

static bool obj_check_found_fault(void *user, obj_fault fault, const obj_word *at, const char *key,
                                  const char *message)
{
    static const char *const rules[] = {[OBJ_FAULT_SYNTAX] = "syntax",
                                        [OBJ_FAULT_NOT_FINITE] = "not-finite",
                                        [OBJ_FAULT_INDEX] = "index-range"};
    obj_check_found(user, rules[fault], at->line, at->offset, "'%s': %s", key, message);
    return true;
}

// Faces are checked while the file is parsed. Only faces whose edges may cross are kept until all
// vertices are known: to allocate memory for all faces would take longer than to check them.
static bool obj_check_element(void *user, const obj_model *model, const obj_element *element)
{
    obj_checker *checker = user;
    const obj_corner *corners = model->corners + element->first;
    uint32_t count = element->count;
    if (model->parts[element->part].mode != TENON_TRIANGLES) return false;
    bool is_repeated = corners[0].v == corners[1].v || corners[1].v == corners[2].v ||
                       corners[2].v == corners[0].v;
    if (count > 3 && !checker->last) {
        checker->last =
            tn_arena_alloc(checker->arena, model->position_count, sizeof *checker->last, NULL);
        checker->check->failed = checker->check->failed || !checker->last;
    }
    checker->polygons += count > 3;
    // `last` makes this linear in the number of corners.
    for (uint32_t i = 0; count > 3 && checker->last && i < count; i++) {
        uint32_t *last = &checker->last[corners[i].v];
        is_repeated = is_repeated || *last == checker->polygons;
        *last = checker->polygons;
    }
    if (is_repeated)
        obj_check_found(checker, "face-corners", element->line, element->offset,
                        "the face uses a vertex twice");
    bool has_uv = corners[0].vt != TENON_NONE, has_normal = corners[0].vn != TENON_NONE;
    bool is_mixed = false;
    for (uint32_t i = 1; i < count && !is_mixed; i++)
        is_mixed =
            has_uv != (corners[i].vt != TENON_NONE) || has_normal != (corners[i].vn != TENON_NONE);
    if (is_mixed)
        obj_check_found(checker, "face-mixed", element->line, element->offset,
                        "some corners have normals or texture coordinates, others do not");
    return count > 3;
}

static void obj_check_crossings(obj_checker *checker)
{
    tn_clipper clipper;
    uint64_t largest = 0, corner_count = 0;
    tn_pulse pulse = {.events = &checker->check->opts->events,
                      .budget = checker->check->opts->allocator.budget,
                      .done = checker->check->done,
                      .total = checker->check->total};
    for (uint32_t i = 0; i < checker->model.element_count; i++)
        if (checker->model.elements[i].count > largest) largest = checker->model.elements[i].count;
    for (uint32_t i = 0; i < checker->model.part_count; i++)
        corner_count += checker->model.parts[i].corner_count;
    if (!tn_clipper_begin(&clipper, largest, corner_count, checker->arena, &pulse)) {
        checker->check->failed = true;
        return;
    }
    for (uint32_t i = 0; i < checker->model.element_count; i++) {
        const obj_element *face = &checker->model.elements[i];
        const tn_outline outline =
            obj_outline(&checker->model, checker->model.corners + face->first, face->count);
        if (tn_triangulate(&clipper, &outline, NULL) == TN_CROSSING)
            obj_check_found(checker, "face-crossing", face->line, face->offset,
                            "edges of the face cross: its triangles are a guess");
    }
    checker->check->cancelled = checker->check->cancelled || pulse.stopped;
}

// -- Libraries and textures

static tn_path_text obj_check_library_path(const obj_checker *checker, uint64_t line)
{
    return tn_path("%.100s:%" PRIu64, checker->libraries.file, line);
}

static bool obj_check_material(void *user, uint32_t index, const obj_material *material,
                               bool is_first)
{
    obj_checker *checker = user;
    tn_check *check = checker->check;
    (void)index;
    if (!is_first) {
        tn_found(check, "material-twice", obj_check_library_path(checker, material->line),
                 "'%s' is already defined", tn_show(material->name, 64).text);
        return true;
    }
    for (int i = 0; i < OBJ_MAP_COUNT; i++) {
        const obj_map *map = &material->maps[i];
        if (map->path.size == 0) continue;
        tn_shown shown = tn_show(map->path, 96);
        tn_place place = tn_check_look(check, map->path);
        if (place == TN_PLACE_OUTSIDE)
            tn_found(check, "texture-path", obj_check_library_path(checker, map->line),
                     "'%s' is outside the model's folder", shown.text);
        else if (place == TN_PLACE_MISSING)
            tn_found(check, "texture-missing", obj_check_library_path(checker, map->line),
                     "'%s' does not exist", shown.text);
    }
    return !check->failed;
}

static void obj_check_library_fault(void *user, obj_library_fault fault, tenon_str name,
                                    uint64_t line)
{
    static const struct {
        const char *rule;
        const char *what;
    } rows[OBJ_LIBRARY_FAULT_COUNT] = {
        [OBJ_LIBRARY_NO_FOLDER] = {"library-missing",
                                   "cannot be opened: the folder of the model is unknown"},
        [OBJ_LIBRARY_OUTSIDE] = {"library-path", "is outside the model's folder"},
        [OBJ_LIBRARY_MISSING] = {"library-missing", "does not exist"},
        [OBJ_LIBRARY_UNREADABLE] = {"library-missing", "cannot be read"},
        [OBJ_LIBRARY_TOO_MANY] = {"library-missing", "is not read: there are too many libraries"},
        [OBJ_LIBRARY_UNDEFINED] = {"material-undefined",
                                   "is a material that is not defined in a library"},
    };
    obj_checker *checker = user;
    if (line == 0) obj_check_found_in_name(checker, rows[fault].rule, name, rows[fault].what);
    if (fault != OBJ_LIBRARY_VALUE) return;  // Other lines are valid.
    tn_found(checker->check, "library-value", obj_check_library_path(checker, line),
             "the values after '%s' cannot be read", tn_show(name, 48).text);
}

void obj_check(tn_check *check, const void *any)
{
    static const struct {
        obj_loss loss;
        const char *rule;
        const char *what;
    } skipped[] = {
        {OBJ_LOST_SHORT, "face-size", "faces and lines have too few corners"},
        {OBJ_LOST_NUMBERS, "numbers", "statements have too many numbers"},
        {OBJ_LOST_NORMALS, "normal-missing", "corners refer to normals, but the file has none"},
        {OBJ_LOST_UNKNOWN, "statement", "statements are unknown"},
        {OBJ_LOST_FREE_FORM, "free-form", "statements define curves and surfaces"},
    };
    const tenon_obj *doc = any;
    tn_arena arena = tn_arena_make(&check->opts->allocator,
                                   CHECK_MEMORY + CHECK_FACTOR * (uint64_t)doc->text.size);
    obj_checker checker = {.check = check, .doc = doc, .arena = &arena};
    const obj_model *model = &checker.model;
    obj_parser parser = {.arena = &arena,
                         .on_fault = obj_check_found_fault,
                         .on_element = obj_check_element,
                         .user = &checker,
                         .events = check->opts->events};
    if (!obj_parse(&parser, doc->text, &checker.model)) {
        *(parser.cancelled ? &check->cancelled : &check->failed) = true;
        tn_arena_free(&arena);
        return;
    }
    // What the parser skipped: the number and the first of each kind.
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++) {
        const obj_loss_tally *tally = &model->lost[skipped[i].loss];
        if (tally->count)
            obj_check_found(&checker, skipped[i].rule, tally->line, tally->offset,
                            "%" PRIu64 " %s, this is the first", tally->count, skipped[i].what);
    }
    if (model->part_count == 0)
        tn_found(check, "empty", tn_path("text"), "there are no faces, lines or points");
    obj_check_crossings(&checker);
    uint64_t zero = 0, beyond = 0;
    for (size_t i = 0; i < model->normal_count; i++) {
        const float *n = model->normals + 3 * i;
        zero += n[0] == 0 && n[1] == 0 && n[2] == 0;
    }
    for (size_t i = 0; model->colors && i < 3 * (size_t)model->position_count; i++)
        beyond += model->colors[i] < 0 || model->colors[i] > 1;
    if (zero)
        tn_found(check, "normal-zero", tn_path("text"), "%" PRIu64 " of %u normals have length 0",
                 zero, (unsigned)model->normal_count);
    if (beyond)
        tn_found(check, "color-range", tn_path("text"),
                 "%" PRIu64 " color values are not between 0 and 1", beyond);
    for (int k = 0; k < 2; k++) {
        const tn_name_list *names = k ? &model->materials : &model->objects;
        for (uint32_t i = 0; i < names->count; i++)
            if (!tn_utf8_valid(names->items[i].name.data, names->items[i].name.size))
                obj_check_found_in_name(&checker, "text-utf8", names->items[i].name,
                                        k ? "is the name of a material, but not UTF-8"
                                          : "is the name of an object, but not UTF-8");
    }
    if (check->opts->model_path) {
        const tn_name_list *materials = &checker.model.materials;
        tenon_error why = {.code = TENON_ERR_MEMORY, .message = "out of memory while checking"};
        checker.libraries = (obj_library_reader){
            .model_path = checker.check->opts->model_path,
            .files = checker.check->opts->files,
            .arena = checker.arena,
            .materials = materials,
            .is_defined = tn_arena_alloc(checker.arena, materials->count, sizeof(bool), NULL),
            .on_material = obj_check_material,
            .on_fault = obj_check_library_fault,
            .user = &checker,
            .err = &why};
        if (!checker.libraries.is_defined ||
            !obj_read_libraries(&checker.libraries, &checker.model.libraries))
            tn_check_fail(checker.check, &why);
    }
    tn_arena_free(&arena);
}
