// gpb_format.c: the gameplay bundle in the table of formats.
// SPDX-License-Identifier: MIT

#include "gpb_format.h"

#include "../../core/span.h"

#include <stdio.h>
#include <string.h>

static const tenon_dialect gpb_dialects[] = {
    {"1.5", "glyphs have bearing and advance",
     TENON_GPB_FONT_FORMAT | TENON_GPB_FONT_SIZES | TENON_GPB_FONT_ADVANCE, false},
    {"1.4", "fonts hold several sizes", TENON_GPB_FONT_FORMAT | TENON_GPB_FONT_SIZES, false},
    {"1.3", "fonts say their format", TENON_GPB_FONT_FORMAT, false},
    {"1.2", "nodes name their parent", 0, false},
};

static int gpb_probe(const uint8_t *data, uint64_t size)
{
    return size >= 11 && memcmp(data, GPB_MAGIC, 9) == 0 ? 100 : 0;
}

static bool gpb_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    char version[16];
    if (size < 11) return false;
    snprintf(version, sizeof version, "%u.%u", data[9], data[10]);
    return strcmp(version, dialect->name) == 0;
}

static void gpb_count_node(const tenon_gpb_node *node, tenon_info *info)
{
    info->nodes++;
    if (node->node_type == 2) info->joints++;
    for (uint32_t i = 0; i < node->child_count; i++) gpb_count_node(&node->children[i], info);
}

static void gpb_count_block(const tenon_gpb_block *block, tenon_info *info)
{
    const tenon_gpb_mesh *mesh = &block->body.mesh;
    const tenon_gpb_scene *scene = &block->body.scene;
    switch (block->kind) {
    case TENON_GPB_MESH:
        info->meshes++;
        info->vertices += mesh->vertices.count;
        break;
    case TENON_GPB_SCENE:
        for (uint32_t i = 0; i < scene->node_count; i++) gpb_count_node(&scene->nodes[i], info);
        break;
    case TENON_GPB_ANIMATIONS:
        info->animations += block->body.animations.animation_count;
        for (uint32_t i = 0; i < block->body.animations.animation_count; i++)
            info->channels += block->body.animations.animations[i].channel_count;
        break;
    case TENON_GPB_FONT:
        info->fonts++;
        info->font_sizes += block->body.font.size_count;
        break;
    default:
        break;
    }
}

static void gpb_info(tn_informer *informer, const void *any)
{
    const tenon_gpb *doc = any;
    tenon_info *info = informer->info;
    snprintf(info->version, sizeof info->version, "%u.%u", doc->version[0], doc->version[1]);
    info->meshes = info->vertices = info->nodes = info->joints = info->animations = 0;
    info->channels = info->fonts = info->font_sizes = 0;
    for (uint32_t i = 0; i < doc->block_count; i++) gpb_count_block(&doc->blocks[i], info);
}

const tn_format tn_gpb_format = {
    .face = {.name = "gpb",
             .title = "gameplay bundle",
             .engine = "gameplay3d",
             .extensions = {"gpb"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_HAS_MAGIC,
             .dialects = gpb_dialects,
             .dialect_count = sizeof gpb_dialects / sizeof gpb_dialects[0]},
    .doc_size = sizeof(tenon_gpb),
    .probe = gpb_probe,
    .fits = gpb_fits,
    .describe = gpb_describe,
    .info = gpb_info,
};

tenon_gpb *tenon_as_gpb(tenon_doc *doc)
{
    return doc && doc->format == &tn_gpb_format.face ? (tenon_gpb *)doc : NULL;
}
