// gpb_info_facts.c: facts about scenes, cameras, lights, skins, meshes, animations and fonts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_attribute.h"
#include "formats/gpb/gpb_facts.h"
#include "formats/gpb/gpb_format.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- Texts

gpb_short_text gpb_info_text_of(tenon_str text)
{
    gpb_short_text word;
    tn_text_clean(text.data, text.size, word.text, sizeof word.text);
    return word;
}

gpb_short_text gpb_info_number_of(float v)
{
    gpb_short_text word;
    tn_f32_text(v, word.text);
    return word;
}

gpb_short_text gpb_info_count_of(uint64_t count, const char *one)
{
    gpb_short_text word;
    snprintf(word.text, sizeof word.text, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
    return word;
}

static gpb_short_text gpb_info_facts_name_of(const tenon_gpb *doc, uint32_t reference)
{
    return gpb_info_text_of(gpb_index_id_of(doc, reference));
}

// "'eye_Camera' at 'eye'", or only "at 'eye'": an encoder leaves out names that are taken.
static gpb_text_list gpb_info_facts_place_of(const tenon_gpb *doc, uint32_t reference,
                                             const tenon_gpb_node *node)
{
    gpb_text_list line;
    const char *quote = reference == TENON_NONE ? "" : "'";
    snprintf(line.text, sizeof line.text, "%s%s%s%sat '%s'", quote,
             gpb_info_facts_name_of(doc, reference).text, quote, *quote ? " " : "",
             gpb_info_facts_name_of(doc, node->reference).text);
    return line;
}

bool gpb_info_append(gpb_text_list *line, const char *text)
{
    static const char more[] = ", ...";
    size_t used = strlen(line->text), size = strlen(text);
    bool fits = used + size + 2 + sizeof more <= sizeof line->text;
    if (used) memcpy(line->text + used, ", ", 3), used += 2;
    if (fits)
        memcpy(line->text + used, text, size + 1);
    else
        memcpy(line->text + used, "...", 4);
    return fits;
}

// -- Nodes

static void gpb_info_facts_report_scene(tn_info_builder *builder, const tenon_gpb *doc,
                                        const tenon_gpb_block *block)
{
    const tenon_gpb_scene *scene = &block->body.scene;
    const float *c = scene->ambient_color;
    bool has_camera = scene->active_camera.size > 0;
    tn_info_add(builder, "scene", "'%s': %s, %s%s%s, ambient %s %s %s",
                gpb_info_facts_name_of(doc, block->reference).text,
                gpb_info_count_of(scene->node_count, "root node").text,
                has_camera ? "active camera '" : "no active camera",
                has_camera ? gpb_info_text_of(gpb_index_xref_id(doc, scene->active_camera)).text
                           : "",
                has_camera ? "'" : "", gpb_info_number_of(c[0]).text, gpb_info_number_of(c[1]).text,
                gpb_info_number_of(c[2]).text);
}

static void gpb_info_facts_report_node(tn_info_builder *builder, const tenon_gpb *doc,
                                       const tenon_gpb_node *node)
{
    static const char *const light_kinds[] = {"no light", "directional", "point", "spot"};
    const tenon_gpb_camera *camera = &node->camera;
    const tenon_gpb_light *light = &node->light;
    const tenon_gpb_skin *skin = &node->model.skin;
    gpb_text_list lens = {"of unknown type"};
    if (camera->camera_type == 1)
        snprintf(lens.text, sizeof lens.text, "perspective, %s degrees",
                 gpb_info_number_of(camera->field_of_view).text);
    if (camera->camera_type == 2)
        snprintf(lens.text, sizeof lens.text, "orthographic, %s wide, %s high",
                 gpb_info_number_of(camera->magnification[0]).text,
                 gpb_info_number_of(camera->magnification[1]).text);
    if (camera->camera_type)
        tn_info_add(builder, "camera", "%s: %s, from %s to %s",
                    gpb_info_facts_place_of(doc, camera->reference, node).text, lens.text,
                    gpb_info_number_of(camera->near_plane).text,
                    gpb_info_number_of(camera->far_plane).text);
    bool reaches = (light->light_type == 2 || light->light_type == 3) &&
                   !(doc->base.dialect->flags & TENON_GPB_LIGHT_ATTENUATION);
    if (light->light_type)
        tn_info_add(builder, "light", "%s: %s, color %s %s %s%s%s",
                    gpb_info_facts_place_of(doc, light->reference, node).text,
                    light->light_type < 4 ? light_kinds[light->light_type] : "of unknown type",
                    gpb_info_number_of(light->color[0]).text,
                    gpb_info_number_of(light->color[1]).text,
                    gpb_info_number_of(light->color[2]).text, reaches ? ", range " : "",
                    reaches ? gpb_info_number_of(light->range).text : "");
    if (!gpb_has_model(doc->base.dialect->flags, &node->model) || !node->model.has_skin) return;
    tenon_str first =
        skin->joint_count ? gpb_index_xref_id(doc, skin->joints[0]) : (tenon_str){"", 0};
    tn_info_add(builder, "skin", "of '%s' on mesh '%s': %s, starting with '%s'",
                gpb_info_facts_name_of(doc, node->reference).text,
                gpb_info_text_of(gpb_index_xref_id(doc, node->model.mesh)).text,
                gpb_info_count_of(skin->joint_count, "joint").text, gpb_info_text_of(first).text);
}

// -- Meshes

static void gpb_info_facts_report_mesh(tn_info_builder *builder, const tenon_gpb *doc,
                                       const tenon_gpb_block *block)
{
    const tenon_gpb_mesh *mesh = &block->body.mesh;
    gpb_text_list elements = {""};
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        gpb_short_text element;
        snprintf(element.text, sizeof element.text, "%s %" PRIu32,
                 gpb_describe_usage_name(mesh->elements[i].usage), mesh->elements[i].size);
        if (!gpb_info_append(&elements, element.text)) break;
    }
    tn_info_add(builder, "mesh", "'%s': %" PRIu64 " %s of %s; %s in %s",
                gpb_info_facts_name_of(doc, block->reference).text, mesh->vertices.count,
                mesh->vertices.count == 1 ? "vertex" : "vertices", elements.text,
                gpb_info_count_of(gpb_info_triangle_count(mesh), "triangle").text,
                gpb_info_count_of(mesh->part_count, "part").text);
}

// -- Animations

static void gpb_info_facts_report_animation(tn_info_builder *builder,
                                            const tenon_gpb_animation *animation)
{
    gpb_text_list moved = {""};
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_gpb_channel *channel = &animation->channels[i];
        gpb_attribute attribute = gpb_check_attribute_of(channel->target_attribute);
        uint64_t count = channel->key_times.count;
        double seconds = count ? gpb_check_key_time(channel, count - 1) / 1000 : 0;
        char text[160];
        snprintf(text, sizeof text, "%s %s %s s", gpb_info_text_of(channel->target_id).text,
                 attribute.name ? attribute.name : "unknown",
                 gpb_info_number_of((float)seconds).text);
        if (!gpb_info_append(&moved, text)) break;
    }
    tn_info_add(builder, "animation", "'%s': %s: %s", gpb_info_text_of(animation->id).text,
                gpb_info_count_of(animation->channel_count, "channel").text, moved.text);
}

static void gpb_info_facts_animations(tn_info_builder *builder, const tenon_gpb_block *block)
{
    const tenon_gpb_animations *all = &block->body.animations;
    uint32_t of_nodes = 0;
    for (uint32_t i = 0; i < all->animation_count; i++) {
        const tenon_gpb_animation *a = &all->animations[i];
        uint32_t k = 0;
        while (k < a->channel_count && gpb_index_is_named_like(a->id, a->channels[k].target_id))
            k++;
        of_nodes += k > 0 && k == a->channel_count;
    }
    if (of_nodes > 1)
        tn_info_add(builder, "animations",
                    "%" PRIu32 " of %" PRIu32
                    " have the name of the node that they move: a conversion merges those of equal "
                    "length into one clip",
                    of_nodes, all->animation_count);
    for (uint32_t i = 0; i < all->animation_count; i++)
        if (all->animations[i].channel_count)
            gpb_info_facts_report_animation(builder, &all->animations[i]);
}

// -- Fonts

static void gpb_info_facts_report_font(tn_info_builder *builder, const tenon_gpb *doc,
                                       const tenon_gpb_block *block)
{
    const tenon_gpb_font *font = &block->body.font;
    gpb_text_list sizes = {""};
    for (uint32_t i = 0; i < font->size_count; i++) {
        gpb_short_text size;
        snprintf(size.text, sizeof size.text, "%" PRIu32 "%s", font->sizes[i].size,
                 font->sizes[i].format == 1 ? " (distance field)" : "");
        if (!gpb_info_append(&sizes, size.text)) break;
    }
    tn_info_add(builder, "font", "'%s': %s, %s %s",
                gpb_info_facts_name_of(doc, block->reference).text,
                gpb_info_text_of(font->family).text,
                font->unicode ? "an outline font is embedded" : "sizes", sizes.text);
}

// -- All facts

// Report what was assumed because the file gives no evidence.
static void gpb_info_facts_report_assumptions(tn_info_builder *builder, const tenon_gpb *doc)
{
    uint64_t keys = 0, evidence = 0;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_animations *all = &doc->blocks[b].body.animations;
        if (doc->blocks[b].kind != TENON_GPB_ANIMATIONS) continue;
        for (uint32_t i = 0; i < all->animation_count; i++)
            for (uint32_t k = 0; k < all->animations[i].channel_count; k++) {
                const tenon_gpb_channel *channel = &all->animations[i].channels[k];
                uint64_t count = channel->key_times.count;
                keys += count;
                evidence += count && gpb_check_key_time(channel, count - 1) != 0;
            }
    }
    bool is_float = (doc->base.dialect->flags & TENON_GPB_FLOAT_TIMES) != 0;
    if (doc->version[1] == 0 && keys && !evidence)
        tn_info_add(builder, "key times", "assumed to be %s, since all of them are 0",
                    is_float ? "floats" : "integers");
}

void gpb_info_report_facts(tn_info_builder *builder, const gpb_index *index)
{
    const tenon_gpb *doc = index->doc;
    gpb_info_facts_report_assumptions(builder, doc);
    for (uint32_t b = 0; b < doc->block_count; b++) {
        if (doc->blocks[b].kind == TENON_GPB_SCENE)
            gpb_info_facts_report_scene(builder, doc, &doc->blocks[b]);
        if (doc->blocks[b].kind == TENON_GPB_FONT)
            gpb_info_facts_report_font(builder, doc, &doc->blocks[b]);
    }
    for (uint32_t i = 0; i < index->tree.count; i++)
        gpb_info_facts_report_node(builder, doc, index->tree.nodes[i].node);
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        if (block->kind == TENON_GPB_MESH) gpb_info_facts_report_mesh(builder, doc, block);
        if (block->kind == TENON_GPB_ANIMATIONS) gpb_info_facts_animations(builder, block);
        if (block->kind == TENON_GPB_ANIMATION)
            gpb_info_facts_report_animation(builder, &block->body.animation);
    }
}
