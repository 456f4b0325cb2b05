// bbmod_format.c: BBMOD in the table of formats.
// SPDX-License-Identifier: MIT

#include "bbmod_format.h"

#include <stdio.h>
#include <string.h>

static const tenon_dialect bbmod_dialects[] = {
    {"3.4", "BBMOD 3.12.0 and later", 0, false},
};

static int bbmod_probe(const uint8_t *data, uint64_t size)
{
    return size >= 8 && memcmp(data, "BBMOD\0\3\4", 8) == 0 ? 100 : 0;
}

static void bbmod_info(tn_informer *informer, const void *any)
{
    const tenon_bbmod *doc = any;
    tenon_info *info = informer->info;
    snprintf(info->version, sizeof info->version, "%u.%u", doc->version_major, doc->version_minor);
    info->meshes = doc->mesh_count;
    info->vertices = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) info->vertices += doc->meshes[i].vertices.count;
    info->nodes = doc->node_count;
    info->joints = doc->bones.count;
    info->materials = doc->material_count;
}

const tn_format tn_bbmod_format = {
    .face = {.name = "bbmod",
             .title = "BBMOD model",
             .engine = "BBMOD for GameMaker",
             .extensions = {"bbmod"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_HAS_MAGIC,
             .dialects = bbmod_dialects,
             .dialect_count = sizeof bbmod_dialects / sizeof bbmod_dialects[0]},
    .doc_size = sizeof(tenon_bbmod),
    .probe = bbmod_probe,
    .describe = bbmod_describe,
    .info = bbmod_info,
};

tenon_bbmod *tenon_as_bbmod(tenon_doc *doc)
{
    return doc && doc->format == &tn_bbmod_format.face ? (tenon_bbmod *)doc : NULL;
}
