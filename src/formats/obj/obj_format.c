// obj_format.c: Wavefront OBJ in the table of formats, what is in a file, and the files beside it.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include "core/math/bounds.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <string.h>

#define INFO_MEMORY   ((uint64_t)64 << 20)
#define INFO_FACTOR   64
#define SIDECARS_MOST 64

// -- Info

static void obj_info_count(tn_info_builder *informer, const char *label, uint64_t count)
{
    if (count) tn_info_add(informer, label, "%" PRIu64, count);
}

static void obj_info(tn_info_builder *informer, const void *any)
{
    const tenon_obj *doc = any;
    tenon_info *info = informer->info;
    tn_arena arena =
        tn_arena_make(&informer->arena->allocator, INFO_MEMORY + INFO_FACTOR * doc->text.size);
    obj_parser parser = {.arena = &arena};
    obj_model model;
    bool *is_seen = NULL;  // For each object.
    if (obj_parse(&parser, doc->text, &model))
        is_seen = tn_arena_alloc(&arena, model.objects.count, sizeof *is_seen, NULL);
    if (!is_seen) {
        informer->failed = true;
        tn_arena_free(&arena);
        return;
    }
    memcpy(info->version, "3.0", 4);  // Of the format: files do not contain a version.
    info->meshes = info->triangles = 0;
    info->vertices = model.position_count;
    info->materials = model.materials.count;
    uint64_t counts[TENON_TRIANGLES + 1] = {0};
    for (uint32_t i = 0; i < model.part_count; i++) {
        const obj_part *part = &model.parts[i];
        counts[part->mode] += part->element_count;
        if (part->mode == TENON_TRIANGLES) info->triangles += part->index_count / 3;
        info->meshes += !is_seen[part->object];
        is_seen[part->object] = true;
    }
    info->nodes = info->meshes;
    if (informer->full && model.position_count) {
        tn_bounds bounds = tn_bounds_empty();
        for (size_t i = 0; i < model.position_count; i++)
            tn_bounds_add_f32(&bounds, model.positions + 3 * i);
        info->has_bounds = true;
        memcpy(info->bounds_min, bounds.min, sizeof bounds.min);
        memcpy(info->bounds_max, bounds.max, sizeof bounds.max);
    }
    info->material_list =
        tn_info_alloc(informer, model.materials.count, sizeof *info->material_list);
    for (uint32_t i = 0; i < model.materials.count && !informer->failed; i++) {
        tenon_str name = tn_info_copy(informer, model.materials.items[i].name);
        if (informer->failed) break;
        info->material_list[i] = (tenon_material_info){name, {"", 0}};
        info->material_count = i + 1;
    }
    obj_info_count(informer, "faces", counts[TENON_TRIANGLES]);
    obj_info_count(informer, "lines", counts[TENON_LINES]);
    obj_info_count(informer, "points", counts[TENON_POINTS]);
    obj_info_count(informer, "texture coordinates", model.uv_count);
    obj_info_count(informer, "normals", model.normal_count);
    if (model.colors) tn_info_add(informer, "vertex colors", "yes");
    obj_info_count(informer, "groups inside objects", model.lost[OBJ_LOST_GROUPS].count);
    obj_info_count(informer, "curves and surfaces", model.lost[OBJ_LOST_FREE_FORM].count);
    obj_info_count(informer, "unknown statements", model.lost[OBJ_LOST_UNKNOWN].count);
    for (uint32_t i = 0; i < model.libraries.count && i < 16; i++)
        tn_info_add(informer, "material library", "%s",
                    tn_show(model.libraries.items[i].name, 128).text);
    tn_arena_free(&arena);
}

// -- Sidecars

static bool obj_report_sidecar(tenon_sidecar_fn *fn, void *user, tenon_str name)
{
    char text[TN_PATH_SIZE];
    if (name.size == 0 || name.size >= sizeof text || memchr(name.data, 0, name.size)) return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    fn(user, text);
    return true;
}

// Go to the next line of the text that names libraries. Returns false if there is none, or if
// there is no memory, which sets *ok to false.
static bool obj_next_library(obj_text *text, tn_arena *arena, tenon_str *line, bool *ok)
{
    obj_word word;
    obj_key key;
    do {
        if (!obj_next_key(text, &word, &key) || key != OBJ_MTLLIB) continue;
        *ok = obj_remainder(text, arena, line);
        return *ok;
    } while (obj_end_line(text));
    return false;
}

static bool obj_sidecars(const void *any, tenon_str stem, tenon_sidecar_fn *fn, void *user)
{
    const tenon_obj *doc = any;
    tn_arena arena = tn_arena_make(&doc->base.owner->arena.allocator, INFO_MEMORY);
    obj_text text = obj_text_begin(doc->text.data, doc->text.size);
    obj_word word;
    tenon_str line;
    uint32_t reported = 0;
    bool ok = true;
    (void)stem;
    while (reported < SIDECARS_MOST && obj_next_library(&text, &arena, &line, &ok)) {
        // A line can name one file, whose name may contain blanks, or several files.
        uint32_t in_line = obj_report_sidecar(fn, user, line);
        obj_text names = obj_text_begin(line.data, line.size);
        while (obj_next_word(&names, &word) && word.size < line.size && in_line < SIDECARS_MOST)
            in_line += obj_report_sidecar(fn, user, (tenon_str){word.text, word.size});
        reported += in_line;
    }
    tn_arena_free(&arena);
    return ok;
}

// Adds textures to the list of materials.
typedef struct obj_texture_finder {
    tn_info_builder *informer;
    tn_name_list names;  // Of materials.
} obj_texture_finder;

static bool obj_add_texture(void *user, uint32_t index, const obj_material *material, bool is_first)
{
    obj_texture_finder *finder = user;
    tenon_material_info *info = &finder->informer->info->material_list[index];
    tenon_str path = material->maps[OBJ_MAP_DIFFUSE].path;
    (void)is_first;
    if (path.size == 0 || info->texture.size) return true;
    info->texture = tn_info_copy(finder->informer, path);
    return !finder->informer->failed;
}

static void obj_add_missing_library(void *user, obj_library_fault fault, tenon_str name,
                                    uint64_t line)
{
    obj_texture_finder *finder = user;
    if (line || fault == OBJ_LIBRARY_UNDEFINED) return;
    tn_info_add(finder->informer, "missing library", "%s", tn_show(name, 128).text);
}

static bool obj_info_sidecars(tn_info_builder *builder, const void *any, const char *model_path,
                              const struct tenon_files *files, tenon_error *err)
{
    const tenon_obj *doc = any;
    tenon_info *info = builder->info;
    tn_arena arena = tn_arena_make(&builder->arena->allocator,
                                   INFO_MEMORY + INFO_FACTOR * (uint64_t)doc->text.size);
    obj_texture_finder finder = {.informer = builder};
    tenon_error why;
    tn_error(&why, TENON_ERR_MEMORY, "out of memory");
    obj_library_reader libraries = {
        .model_path = model_path,
        .files = files,
        .arena = &arena,
        .materials = &finder.names,
        .is_defined = tn_arena_alloc(&arena, info->material_count, sizeof(bool), NULL),
        .on_material = obj_add_texture,
        .on_fault = obj_add_missing_library,
        .user = &finder,
        .err = &why};
    // The names of materials, and the lines that name libraries.
    tn_name_list lines;
    obj_text text = obj_text_begin(doc->text.data, doc->text.size);
    tenon_str line;
    bool ok = libraries.is_defined &&
              tn_name_list_begin(&finder.names, info->material_count, &arena, "names", NULL) &&
              tn_name_list_begin(&lines, SIDECARS_MOST, &arena, "names", NULL);
    for (uint32_t i = 0; ok && i < info->material_count; i++)
        (void)tn_name_list_add(&finder.names, info->material_list[i].name);
    while (ok && lines.count < SIDECARS_MOST && obj_next_library(&text, &arena, &line, &ok))
        if (line.size) (void)tn_name_list_add(&lines, line);
    ok = ok && obj_read_libraries(&libraries, &lines) && !builder->failed;
    tn_arena_free(&arena);
    if (!ok && err) *err = why;
    return ok;
}

// -- The format

static const tenon_dialect obj_dialects[] = {
    {"text", "the text as it is", 0, false},
};

const tn_format tn_obj_format = {
    .face = {.name = "obj",
             .title = "Wavefront OBJ",
             .engine = "all engines",
             .extensions = {"obj"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHECK |
                     TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = obj_dialects,
             .dialect_count = sizeof obj_dialects / sizeof obj_dialects[0],
             .rules = obj_rules,
             .rule_count = OBJ_RULE_COUNT},
    .doc_size = sizeof(tenon_obj),
    .probe = obj_probe,
    .describe = obj_describe,
    .check = obj_check,
    .info = obj_info,
    .info_sidecars = obj_info_sidecars,
    .sides = obj_sidecars,
    .finalize = obj_finalize,
    .import = obj_import,
    .still = "which OBJ cannot hold",
    .export = obj_export,
    .holds_morphs = true,  // In the pose that it writes.
};

tenon_obj *tenon_as_obj(tenon_doc *doc)
{
    return doc && doc->format == &tn_obj_format.face ? (tenon_obj *)doc : NULL;
}
