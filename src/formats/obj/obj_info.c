// obj_info.c: what is in an OBJ file.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_parse.h"
#include "formats/obj/obj_format.h"

#include "core/math/bounds.h"
#include "core/text/text.h"

#include <string.h>

#define INFO_MEMORY ((uint64_t)64 << 20)
#define INFO_FACTOR 64

// Invalid statements are skipped. Checks report them.
static bool obj_info_ignore(void *user, obj_fault fault, const obj_word *at, const char *key,
                            const char *message)
{
    (void)user;
    (void)fault;
    (void)at;
    (void)key;
    (void)message;
    return true;
}

static void obj_info_count(tn_info_builder *informer, const char *label, uint64_t count)
{
    if (count) tn_info_add(informer, label, "%llu", (unsigned long long)count);
}

static void obj_info_fill(tn_info_builder *informer, const obj_model *model, tn_arena *arena)
{
    tenon_info *info = informer->info;
    memcpy(info->version, "3.0", 4);  // Of the format: files do not contain a version.
    info->meshes = info->triangles = 0;
    info->vertices = model->position_count;
    info->materials = model->materials.count;
    uint64_t counts[TENON_TRIANGLES + 1] = {0};
    bool *is_seen = tn_arena_alloc(arena, model->objects.count, sizeof *is_seen, NULL);
    if (!is_seen) informer->failed = true;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const obj_part *part = &model->parts[i];
        counts[part->mode] += part->element_count;
        if (part->mode == TENON_TRIANGLES) info->triangles += part->index_count / 3;
        if (!is_seen) continue;
        info->meshes += !is_seen[part->object];
        is_seen[part->object] = true;
    }
    info->nodes = info->meshes;
    if (informer->full && model->position_count) {
        tn_bounds bounds = tn_bounds_empty();
        for (size_t i = 0; i < model->position_count; i++)
            tn_bounds_add_f32(&bounds, model->positions + 3 * i);
        info->has_bounds = true;
        memcpy(info->bounds_min, bounds.min, sizeof bounds.min);
        memcpy(info->bounds_max, bounds.max, sizeof bounds.max);
    }
    info->material_list =
        tn_info_alloc(informer, model->materials.count, sizeof *info->material_list);
    for (uint32_t i = 0; i < model->materials.count && !informer->failed; i++) {
        tenon_str name = model->materials.items[i].name;
        char *copy = tn_info_alloc(informer, (uint64_t)name.size + 1, 1);
        if (!copy) break;
        memcpy(copy, name.data, name.size);
        info->material_list[i] = (tenon_material_info){{copy, name.size}, {"", 0}};
        info->material_count = i + 1;
    }
    obj_info_count(informer, "faces", counts[TENON_TRIANGLES]);
    obj_info_count(informer, "lines", counts[TENON_LINES]);
    obj_info_count(informer, "points", counts[TENON_POINTS]);
    obj_info_count(informer, "texture coordinates", model->uv_count);
    obj_info_count(informer, "normals", model->normal_count);
    if (model->colors) tn_info_add(informer, "vertex colors", "yes");
    obj_info_count(informer, "groups inside objects", model->lost[OBJ_LOST_GROUPS].count);
    obj_info_count(informer, "curves and surfaces", model->lost[OBJ_LOST_FREE_FORM].count);
    obj_info_count(informer, "unknown statements", model->lost[OBJ_LOST_UNKNOWN].count);
    for (uint32_t i = 0; i < model->libraries.count && i < 16; i++) {
        tenon_str library = model->libraries.items[i].name;
        char shown[128];
        tn_text_clean(library.data, library.size, shown, sizeof shown);
        tn_info_add(informer, "material library", "%s", shown);
    }
}

void obj_info(tn_info_builder *informer, const void *any)
{
    const tenon_obj *doc = any;
    tn_arena arena =
        tn_arena_make(&informer->arena->allocator, INFO_MEMORY + INFO_FACTOR * doc->text.size);
    obj_parser parser = {.arena = &arena, .on_fault = obj_info_ignore};
    obj_model model;
    if (obj_parse(&parser, doc->text, &model))
        obj_info_fill(informer, &model, &arena);
    else
        informer->failed = true;
    tn_arena_free(&arena);
}
