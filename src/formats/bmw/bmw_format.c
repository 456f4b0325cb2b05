// bmw_format.c: BMW in the table of formats.
// SPDX-License-Identifier: MIT

#include "bmw_format.h"

#include <string.h>

static const tenon_dialect bmw_dialects[] = {
    {"R4", "textures, animations, meshes, nodes, names",
     TENON_BMW_NAMES | TENON_BMW_ANIMATIONS_FIRST, false},
    {"R3", "R4 without names", TENON_BMW_ANIMATIONS_FIRST, false},
    {"R2", "R3 with the animations last", 0, false},
    {"R2a", "R2 with its durations lost", TENON_BMW_FRAMES_INFERRED, true},
};

static int bmw_probe(const uint8_t *data, uint64_t size)
{
    return size >= sizeof BMW_HEADER && memcmp(data, BMW_HEADER, sizeof BMW_HEADER) == 0 ? 100 : 0;
}

static uint64_t bmw_count_nodes(const tenon_bmw_node *node)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < node->child_count; i++) count += bmw_count_nodes(&node->children[i]);
    return count;
}

static void bmw_info(tn_informer *informer, const void *any)
{
    const tenon_bmw *doc = any;
    tenon_info *info = informer->info;
    memcpy(info->version, "1", 2);
    info->meshes = doc->mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        info->vertices += doc->meshes[i].vertices.count;
        info->triangles += doc->meshes[i].faces.count;
    }
    info->nodes = bmw_count_nodes(&doc->root);
    info->animations = doc->animation_count;
    info->materials = doc->material_count;
}

const tn_format tn_bmw_format = {
    .face = {.name = "bmw",
             .title = "Beo-Model-Wolf model",
             .engine = "Beowolf",
             .extensions = {"bmw"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_HAS_MAGIC,
             .dialects = bmw_dialects,
             .dialect_count = sizeof bmw_dialects / sizeof bmw_dialects[0]},
    .doc_size = sizeof(tenon_bmw),
    .probe = bmw_probe,
    .describe = bmw_describe,
    .info = bmw_info,
};

tenon_bmw *tenon_as_bmw(tenon_doc *doc)
{
    return doc && doc->format == &tn_bmw_format.face ? (tenon_bmw *)doc : NULL;
}
