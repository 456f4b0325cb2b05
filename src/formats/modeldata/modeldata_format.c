// modeldata_format.c: ModelData in the table of formats.
// SPDX-License-Identifier: MIT

#include "modeldata_format.h"

#include "../../core/span.h"

static const tenon_dialect modeldata_dialects[] = {
    {"cea", "AnimatedModelData: model, skeleton, animations", TENON_MODELDATA_ANIMATED, false},
    {"cem", "ModelData: meshes only", 0, false},
};

// Whether `head` bytes, of which the last four at `count_at` count the sizes that follow, plus what
// the sizes say, make up the file. There is no magic, so this equation has to do.
static bool modeldata_adds_up(const uint8_t *data, uint64_t size, uint64_t head)
{
    if (size < head) return false;
    uint64_t count = tn_load32(data + head - 4, true);
    if (count > (size - head) / 4) return false;
    uint64_t total = head + 4 * count;
    for (uint64_t i = 0; i < (head - 4) / 4; i++) total += tn_load32(data + 4 * i, true);
    for (uint64_t i = 0; i < count && total <= size; i++)
        total += tn_load32(data + head + 4 * i, true);
    return total == size;
}

static bool modeldata_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    return modeldata_adds_up(data, size, dialect->flags & TENON_MODELDATA_ANIMATED ? 12 : 4);
}

static int modeldata_probe(const uint8_t *data, uint64_t size)
{
    // An empty model is four zero bytes, which could be anything.
    if (size < 40) return 0;
    return modeldata_adds_up(data, size, 4) || modeldata_adds_up(data, size, 12) ? 60 : 0;
}

static void modeldata_info(tn_informer *informer, const void *any)
{
    const tenon_modeldata *doc = any;
    tenon_info *info = informer->info;
    info->meshes = doc->mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        info->vertices += doc->meshes[i].vertices.count;
        info->triangles += doc->meshes[i].indices.count / 3;
    }
    if (doc->base.dialect->flags & TENON_MODELDATA_ANIMATED) {
        info->joints = doc->joint_count;
        info->animations = doc->animation_count;
    }
}

const tn_format tn_modeldata_format = {
    .face = {.name = "modeldata",
             .title = "ModelData",
             .engine = "CoreEngine",
             .extensions = {"cem", "cea"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT,
             .dialects = modeldata_dialects,
             .dialect_count = sizeof modeldata_dialects / sizeof modeldata_dialects[0]},
    .doc_size = sizeof(tenon_modeldata),
    .big_endian = true,
    .probe = modeldata_probe,
    .fits = modeldata_fits,
    .describe = modeldata_describe,
    .info = modeldata_info,
};

tenon_modeldata *tenon_as_modeldata(tenon_doc *doc)
{
    return doc && doc->format == &tn_modeldata_format.face ? (tenon_modeldata *)doc : NULL;
}
