// obj_info.c: what is in an OBJ file.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_parse.h"
#include "formats/obj/obj_format.h"

#include "core/text/text.h"

#include <string.h>

#define INFO_MEMORY ((uint64_t)64 << 20)
#define INFO_FACTOR 64

// Invalid statements are skipped. Checks report them.
static bool obj_ignore(void *user, obj_fault fault, const obj_word *at, const char *key,
                       const char *message)
{
    (void)user;
    (void)fault;
    (void)at;
    (void)key;
    (void)message;
    return true;
}

// -- Counts

static uint64_t obj_count_meshes(tn_info_builder *informer, const obj_model *m, tn_arena *arena)
{
    uint64_t count = 0;
    bool *is_seen = tn_arena_alloc(arena, m->objects.count, sizeof *is_seen, NULL);
    informer->failed = informer->failed || !is_seen;
    for (uint32_t i = 0; is_seen && i < m->part_count; i++) {
        count += !is_seen[m->parts[i].object];
        is_seen[m->parts[i].object] = true;
    }
    return count;
}

static uint64_t obj_count_triangles(const obj_model *m)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < m->part_count; i++)
        if (m->parts[i].mode == TENON_TRIANGLES) count += m->parts[i].index_count / 3;
    return count;
}

static void obj_info_bounds(tenon_info *info, const obj_model *m)
{
    for (size_t i = 0; i < m->position_count; i++)
        for (size_t k = 0; k < 3; k++) {
            double value = m->positions[3 * i + k];
            if (i == 0 || value < info->bounds_min[k]) info->bounds_min[k] = value;
            if (i == 0 || value > info->bounds_max[k]) info->bounds_max[k] = value;
        }
    info->has_bounds = m->position_count > 0;
}

static void obj_info_materials(tn_info_builder *informer, const obj_model *m)
{
    tenon_info *info = informer->info;
    uint32_t count = m->materials.count;
    info->material_list = tn_info_alloc(informer, count, sizeof *info->material_list);
    for (uint32_t i = 0; i < count && !informer->failed; i++) {
        tenon_str name = m->materials.items[i];
        char *copy = tn_info_alloc(informer, (uint64_t)name.size + 1, 1);
        if (!copy) return;
        memcpy(copy, name.data, name.size);
        info->material_list[i] = (tenon_material_info){{copy, name.size}, {"", 0}};
        info->material_count = i + 1;
    }
}

// -- Facts

static void obj_info_count(tn_info_builder *informer, const char *label, uint64_t count)
{
    if (count) tn_info_add(informer, label, "%llu", (unsigned long long)count);
}

static void obj_info_elements(tn_info_builder *informer, const obj_model *m)
{
    uint64_t counts[TENON_TRIANGLES + 1] = {0};
    for (uint32_t i = 0; i < m->part_count; i++)
        counts[m->parts[i].mode] += m->parts[i].element_count;
    obj_info_count(informer, "faces", counts[TENON_TRIANGLES]);
    obj_info_count(informer, "lines", counts[TENON_LINES]);
    obj_info_count(informer, "points", counts[TENON_POINTS]);
    obj_info_count(informer, "texture coordinates", m->uv_count);
    obj_info_count(informer, "normals", m->normal_count);
    if (m->colors) tn_info_add(informer, "vertex colors", "yes");
    obj_info_count(informer, "groups inside objects", m->lost[OBJ_LOST_GROUPS].count);
    obj_info_count(informer, "curves and surfaces", m->lost[OBJ_LOST_FREE_FORM].count);
    obj_info_count(informer, "unknown statements", m->lost[OBJ_LOST_UNKNOWN].count);
}

static void obj_info_libraries(tn_info_builder *informer, const obj_model *m)
{
    for (uint32_t i = 0; i < m->libraries.count && i < 16; i++) {
        char shown[128];
        tn_text_clean(m->libraries.items[i].data, m->libraries.items[i].size, shown, sizeof shown);
        tn_info_add(informer, "material library", "%s", shown);
    }
}

void obj_info(tn_info_builder *informer, const void *any)
{
    const tenon_obj *doc = any;
    tenon_info *info = informer->info;
    tn_arena arena =
        tn_arena_make(&informer->arena->allocator, INFO_MEMORY + INFO_FACTOR * doc->text.size);
    obj_parser parser = {.arena = &arena, .on_fault = obj_ignore};
    obj_model m;
    if (obj_parse(&parser, doc->text, &m)) {
        memcpy(info->version, "3.0", 4);  // Of the format: files do not contain a version.
        info->meshes = info->nodes = obj_count_meshes(informer, &m, &arena);
        info->vertices = m.position_count;
        info->triangles = obj_count_triangles(&m);
        info->materials = m.materials.count;
        if (informer->full) obj_info_bounds(info, &m);
        obj_info_materials(informer, &m);
        obj_info_elements(informer, &m);
        obj_info_libraries(informer, &m);
    } else {
        informer->failed = true;
    }
    tn_arena_free(&arena);
}
