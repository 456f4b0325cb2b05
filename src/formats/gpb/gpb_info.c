// gpb_info.c: the info of a gameplay bundle: counts, lists and facts; its nodes in file order; and
// the metrics of its fonts, also as text in the format of BMFont.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "core/math/math.h"
#include "core/text/name_tree.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Texts

// "1 part", "2 parts".
static tn_shown gpb_count_of(uint64_t count, const char *one)
{
    tn_shown word;
    snprintf(word.text, sizeof word.text, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
    return word;
}

static tn_shown gpb_name_of(const tenon_gpb *doc, uint32_t reference)
{
    return tn_show(gpb_id_of(doc, reference), 64);
}

// "'eye_Camera' at 'eye'", or only "at 'eye'": an encoder leaves out names that are taken.
static tn_text_list gpb_place_of(const tenon_gpb *doc, uint32_t reference,
                                 const tenon_gpb_node *node)
{
    tn_text_list line = {.size = 0};
    const char *quote = reference == TENON_NONE ? "" : "'";
    tn_text_list_add(&line, "%s%.63s%s%sat '%.63s'", quote, gpb_name_of(doc, reference).text, quote,
                     *quote ? " " : "", gpb_name_of(doc, node->reference).text);
    return line;
}

// -- Counts and clips

static uint64_t gpb_triangle_count(const tenon_gpb_mesh *mesh)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        uint64_t indices = mesh->parts[i].indices.count;
        if (mesh->parts[i].primitive_type == 4) count += indices / 3;
        if (mesh->parts[i].primitive_type == 5 && indices > 2) count += indices - 2;
    }
    return mesh->part_count ? count : mesh->vertices.count / 3;
}

// The bounds of the stored boxes of all meshes, transformed by their nodes.
static void gpb_info_bounds(tn_info_builder *builder, const gpb_index *index)
{
    tenon_info *info = builder->info;
    const gpb_tree *tree = &index->tree;
    tn_mat4 *world = tn_info_alloc(builder, tree->count, sizeof *world);
    if (!world) return;
    tn_bounds bounds = tn_bounds_empty();
    for (uint32_t i = 0; i < tree->count; i++) {
        const gpb_tree_node *tree_node = &tree->nodes[i];
        tn_mat4 local = tn_mat4_from_columns(tree_node->node->transform);
        world[i] = tree_node->parent == TENON_NONE ? local
                                                   : tn_mat4_mul(&world[tree_node->parent], &local);
        const tenon_gpb_mesh *mesh = gpb_find_mesh(index, tree_node->node->model.mesh);
        for (uint32_t corner = 0; mesh && corner < 8; corner++) {
            const float *min = mesh->bounds.min, *max = mesh->bounds.max;
            tn_vec3 p = tn_mat4_point(&world[i], (tn_vec3){corner & 1 ? max[0] : min[0],
                                                           corner & 2 ? max[1] : min[1],
                                                           corner & 4 ? max[2] : min[2]});
            tn_bounds_add(&bounds, (const double[3]){p.x, p.y, p.z});
        }
    }
    info->has_bounds = true;
    for (int k = 0; k < 3; k++) {
        info->bounds_min[k] = bounds.min[k];
        info->bounds_max[k] = bounds.max[k];
        info->has_bounds = info->has_bounds && isfinite(bounds.min[k]) && isfinite(bounds.max[k]);
    }
}

// Returns whether the type of key times was assumed, because the file gives no evidence.
static bool gpb_info_list_clips(tn_info_builder *builder, const tenon_gpb *doc)
{
    tenon_info *info = builder->info;
    uint64_t all_keys = 0, evidence = 0;
    if (info->animations == TENON_ABSENT || info->animations > UINT32_MAX) return false;
    info->clips = tn_info_alloc(builder, info->animations, sizeof *info->clips);
    for (uint32_t b = 0; info->clips && b < doc->block_count; b++) {
        tenon_gpb_animations all = gpb_animations_of(&doc->blocks[b]);
        for (uint32_t i = 0; i < all.animation_count; i++) {
            const tenon_gpb_animation *animation = &all.animations[i];
            double last = 0;
            uint64_t keys = 0;
            for (uint32_t k = 0; k < animation->channel_count; k++) {
                const tenon_gpb_channel *channel = &animation->channels[k];
                uint64_t count = channel->key_times.count;
                double time = count ? gpb_key_time(channel, count - 1) : 0;
                if (time > last) last = time;
                if (count > keys) keys = count;
                all_keys += count;
                evidence += time != 0;
            }
            info->clips[info->clip_count++] =
                (tenon_clip_info){.name = animation->id,
                                  .seconds = last / 1000,
                                  .channels = animation->channel_count,
                                  .frames = keys};
        }
    }
    return doc->version[1] == 0 && all_keys && !evidence;
}

// -- Materials

static void gpb_info_list_object(tn_info_builder *builder, const tenon_gpb *doc,
                                 const tenon_gpb_material *material)
{
    tn_text_list line = {.most = GPB_LIST_MOST};
    tenon_str name = material->entry ? gpb_id_of(doc, material->entry - 1) : (tenon_str){"", 0};
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < material->parameter_count; i++) {
        const tenon_gpb_parameter *p = &material->parameters[i];
        char text[160];
        int size = snprintf(text, sizeof text, "%s", tn_show(p->name, 64).text);
        for (uint64_t k = 0; k < p->value.count && k < 4; k++)
            size += snprintf(text + size, sizeof text - (size_t)size, " %s",
                             tn_show_f32(tn_load_f32(p->value.data + 4 * k, false)).text);
        goes_on = tn_text_list_add(&line, "%s", text);
    }
    bool has_effect = material->effect.size > 0;
    tn_info_add(builder, "parameters", "'%s': %s%s%s%s", tn_show(name, 64).text,
                line.text[0] ? line.text : "no parameters", has_effect ? "; effect '" : "",
                tn_show(material->effect, 64).text, has_effect ? "'" : "");
    tenon_info *info = builder->info;
    info->material_list[info->material_count++] = (tenon_material_info){name, {"", 0}};
}

// In dialect "document", models contain materials, not only their names: list each.
static void gpb_info_list_objects(tn_info_builder *builder, const tenon_gpb *doc,
                                  const gpb_tree *tree)
{
    tenon_info *info = builder->info;
    uint64_t count = 0;
    for (uint32_t i = 0; i < tree->count; i++) count += tree->nodes[i].node->model.material_count;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        if (block->kind == TENON_GPB_MODEL) count += block->body.model.material_count;
        count += block->kind == TENON_GPB_MATERIAL;
    }
    if (count == 0 || count > UINT32_MAX) return;
    info->material_list = tn_info_alloc(builder, count, sizeof *info->material_list);
    if (builder->failed) return;
    for (uint32_t i = 0; i < tree->count; i++) {
        const tenon_gpb_model *model = &tree->nodes[i].node->model;
        for (uint32_t k = 0; k < model->material_count; k++)
            gpb_info_list_object(builder, doc, &model->materials[k]);
    }
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        bool is_model = block->kind == TENON_GPB_MODEL;
        if (block->kind == TENON_GPB_MATERIAL)
            gpb_info_list_object(builder, doc, &block->body.material);
        for (uint32_t k = 0; is_model && k < block->body.model.material_count; k++)
            gpb_info_list_object(builder, doc, &block->body.model.materials[k]);
    }
    info->materials = info->material_count;
}

// List every name once, in the order of first use.
static void gpb_info_list_materials(tn_info_builder *builder, const gpb_tree *tree)
{
    tenon_info *info = builder->info;
    uint64_t uses = 0;
    for (uint32_t i = 0; i < tree->count; i++) uses += tree->nodes[i].node->model.material_count;
    if (uses == 0 || uses > UINT32_MAX) return;
    tenon_material_info *list = tn_info_alloc(builder, uses, sizeof *list);
    tn_name_list names;
    if (!tn_name_list_begin(&names, (uint32_t)uses, builder->arena, "names", NULL))
        builder->failed = true;
    if (builder->failed) return;
    for (uint32_t i = 0; i < tree->count; i++) {
        const tenon_gpb_model *model = &tree->nodes[i].node->model;
        for (uint32_t k = 0; k < model->material_count; k++)
            if (model->materials[k].name.size) tn_name_list_add(&names, model->materials[k].name);
    }
    for (; info->material_count < names.count; info->material_count++)
        list[info->material_count] =
            (tenon_material_info){names.items[info->material_count].name, {"", 0}};
    info->material_list = list;
    info->materials = info->material_count;
}

// -- Facts

static void gpb_info_report_block(tn_info_builder *builder, const tenon_gpb *doc,
                                  const tenon_gpb_block *block)
{
    tn_shown name = gpb_name_of(doc, block->reference);
    tn_text_list items = {.most = GPB_LIST_MOST};
    if (block->kind == TENON_GPB_SCENE) {
        const tenon_gpb_scene *scene = &block->body.scene;
        const float *c = scene->ambient_color;
        bool has_camera = scene->active_camera.size > 0;
        tn_info_add(builder, "scene", "'%s': %s, %s%s%s, ambient %s %s %s", name.text,
                    gpb_count_of(scene->node_count, "root node").text,
                    has_camera ? "active camera '" : "no active camera",
                    has_camera ? tn_show(gpb_xref_id(doc, scene->active_camera), 64).text : "",
                    has_camera ? "'" : "", tn_show_f32(c[0]).text, tn_show_f32(c[1]).text,
                    tn_show_f32(c[2]).text);
    }
    if (block->kind == TENON_GPB_FONT) {
        const tenon_gpb_font *font = &block->body.font;
        for (uint32_t i = 0; i < font->size_count; i++) {
            const char *how = font->sizes[i].format == 1 ? " (distance field)" : "";
            if (!tn_text_list_add(&items, "%u%s", font->sizes[i].size, how)) break;
        }
        tn_info_add(builder, "font", "'%s': %s, %s %s", name.text, tn_show(font->family, 64).text,
                    font->unicode ? "an outline font is embedded" : "sizes", items.text);
    }
    if (block->kind == TENON_GPB_MESH) {
        const tenon_gpb_mesh *mesh = &block->body.mesh;
        for (uint32_t i = 0; i < mesh->element_count; i++) {
            const tenon_gpb_element *e = &mesh->elements[i];
            if (!tn_text_list_add(&items, "%s %u", gpb_usage_name(e->usage), e->size)) break;
        }
        tn_info_add(builder, "mesh", "'%s': %" PRIu64 " %s of %s; %s in %s", name.text,
                    mesh->vertices.count, mesh->vertices.count == 1 ? "vertex" : "vertices",
                    items.text, gpb_count_of(gpb_triangle_count(mesh), "triangle").text,
                    gpb_count_of(mesh->part_count, "part").text);
    }
}

static void gpb_info_report_parts(tn_info_builder *builder, const tenon_gpb *doc,
                                  const tenon_gpb_node *node)
{
    static const char *const light_kinds[] = {"no light", "directional", "point", "spot"};
    const tenon_gpb_camera *camera = &node->camera;
    const tenon_gpb_light *light = &node->light;
    const tenon_gpb_skin *skin = &node->model.skin;
    char lens[96] = "of unknown type";
    if (camera->camera_type == 1)
        snprintf(lens, sizeof lens, "perspective, %.31s degrees",
                 tn_show_f32(camera->field_of_view).text);
    if (camera->camera_type == 2)
        snprintf(lens, sizeof lens, "orthographic, %.31s wide, %.31s high",
                 tn_show_f32(camera->magnification[0]).text,
                 tn_show_f32(camera->magnification[1]).text);
    if (camera->camera_type)
        tn_info_add(builder, "camera", "%s: %s, from %s to %s",
                    gpb_place_of(doc, camera->reference, node).text, lens,
                    tn_show_f32(camera->near_plane).text, tn_show_f32(camera->far_plane).text);
    bool reaches = (light->light_type == 2 || light->light_type == 3) &&
                   !gpb_has(doc, TENON_GPB_LIGHT_ATTENUATION);
    if (light->light_type)
        tn_info_add(builder, "light", "%s: %s, color %s %s %s%s%s",
                    gpb_place_of(doc, light->reference, node).text,
                    light->light_type < 4 ? light_kinds[light->light_type] : "of unknown type",
                    tn_show_f32(light->color[0]).text, tn_show_f32(light->color[1]).text,
                    tn_show_f32(light->color[2]).text, reaches ? ", range " : "",
                    reaches ? tn_show_f32(light->range).text : "");
    if (!gpb_has_model(doc->base.dialect->flags, &node->model) || !node->model.has_skin) return;
    tenon_str first = skin->joint_count ? gpb_xref_id(doc, skin->joints[0]) : (tenon_str){"", 0};
    tn_info_add(builder, "skin", "of '%s' on mesh '%s': %s, starting with '%s'",
                gpb_name_of(doc, node->reference).text,
                tn_show(gpb_xref_id(doc, node->model.mesh), 64).text,
                gpb_count_of(skin->joint_count, "joint").text, tn_show(first, 64).text);
}

static void gpb_info_report_animations(tn_info_builder *builder, const tenon_gpb_block *block)
{
    tenon_gpb_animations all = gpb_animations_of(block);
    uint32_t of_nodes = 0;
    for (uint32_t i = 0; i < all.animation_count; i++) {
        const tenon_gpb_animation *a = &all.animations[i];
        uint32_t k = 0;
        while (k < a->channel_count && gpb_is_named_like(a->id, a->channels[k].target_id)) k++;
        of_nodes += k > 0 && k == a->channel_count;
    }
    if (of_nodes > 1)
        tn_info_add(builder, "animations",
                    "%u of %u have the name of the node that they move: a conversion merges those "
                    "of equal length into one clip",
                    of_nodes, all.animation_count);
    for (uint32_t i = 0; i < all.animation_count; i++) {
        const tenon_gpb_animation *animation = &all.animations[i];
        tn_text_list moved = {.most = GPB_LIST_MOST};
        if (!animation->channel_count && block->kind == TENON_GPB_ANIMATIONS) continue;
        for (uint32_t k = 0; k < animation->channel_count; k++) {
            const tenon_gpb_channel *channel = &animation->channels[k];
            gpb_attribute attribute = gpb_attribute_of(channel->target_attribute);
            uint64_t count = channel->key_times.count;
            double seconds = count ? gpb_key_time(channel, count - 1) / 1000 : 0;
            if (!tn_text_list_add(&moved, "%.63s %s %.31s s", tn_show(channel->target_id, 64).text,
                                  attribute.name ? attribute.name : "unknown",
                                  tn_show_f32((float)seconds).text))
                break;
        }
        tn_info_add(builder, "animation", "'%s': %s: %s", tn_show(animation->id, 64).text,
                    gpb_count_of(animation->channel_count, "channel").text, moved.text);
    }
}

void gpb_info(tn_info_builder *builder, const void *any)
{
    const tenon_gpb *doc = any;
    tenon_info *info = builder->info;
    gpb_index index;
    snprintf(info->version, sizeof info->version, "%u.%u", doc->version[0], doc->version[1]);
    if (!gpb_index_make(&index, doc, builder->arena, NULL)) {
        builder->failed = true;
        return;
    }
    info->meshes = info->vertices = info->triangles = info->joints = 0;
    info->animations = info->channels = info->fonts = info->font_sizes = 0;
    info->nodes = index.tree.count;
    for (uint32_t i = 0; i < index.tree.count; i++)
        info->joints += index.tree.nodes[i].node->node_type == 2;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        tenon_gpb_animations all = gpb_animations_of(block);
        info->animations += all.animation_count;
        info->channels += block->kind == TENON_GPB_CHANNEL;
        for (uint32_t i = 0; i < all.animation_count; i++)
            info->channels += all.animations[i].channel_count;
        if (block->kind == TENON_GPB_MESH) {
            info->meshes++;
            info->vertices += block->body.mesh.vertices.count;
            info->triangles += gpb_triangle_count(&block->body.mesh);
        }
        if (block->kind == TENON_GPB_FONT) {
            info->fonts++;
            info->font_sizes += block->body.font.size_count;
        }
    }
    bool has_scene = info->fonts == 0 || info->nodes || info->meshes || info->animations;
    if (info->fonts == 0) info->fonts = info->font_sizes = TENON_ABSENT;
    if (!has_scene) {
        info->meshes = info->vertices = info->triangles = info->nodes = TENON_ABSENT;
        info->joints = info->animations = info->channels = TENON_ABSENT;
    }
    gpb_info_bounds(builder, &index);
    bool is_assumed = gpb_info_list_clips(builder, doc);
    if (gpb_has(doc, TENON_GPB_DOCUMENT))
        gpb_info_list_objects(builder, doc, &index.tree);
    else
        gpb_info_list_materials(builder, &index.tree);
    if (is_assumed)
        tn_info_add(builder, "key times", "assumed to be %s, since all of them are 0",
                    gpb_has(doc, TENON_GPB_FLOAT_TIMES) ? "floats" : "integers");
    for (uint32_t b = 0; b < doc->block_count; b++)
        if (doc->blocks[b].kind != TENON_GPB_MESH)
            gpb_info_report_block(builder, doc, &doc->blocks[b]);
    for (uint32_t i = 0; i < index.tree.count; i++)
        gpb_info_report_parts(builder, doc, index.tree.nodes[i].node);
    for (uint32_t b = 0; b < doc->block_count; b++) {
        if (doc->blocks[b].kind == TENON_GPB_MESH)
            gpb_info_report_block(builder, doc, &doc->blocks[b]);
        gpb_info_report_animations(builder, &doc->blocks[b]);
    }
}

// -- Tree

typedef struct gpb_visitor {
    tenon_gpb_node_fn *fn;
    void *user;
} gpb_visitor;

static tn_siblings gpb_visit_node(tn_walk *walk, const void *context, const void *opaque,
                                  uint32_t depth)
{
    const gpb_visitor *visitor = context;
    const tenon_gpb_node *node = opaque;
    walk->stopped = !visitor->fn(visitor->user, node, depth);
    return (tn_siblings){node->children, node->child_count};
}

void tenon_gpb_each_node(const tenon_gpb *doc, tenon_gpb_node_fn *fn, void *user)
{
    const gpb_visitor visitor = {fn, user};
    tn_walk walk = {.stopped = false};
    for (uint32_t i = 0; i < doc->block_count && !walk.stopped; i++) {
        const tenon_gpb_block *block = &doc->blocks[i];
        tn_siblings roots = {NULL, 0};
        if (block->kind == TENON_GPB_SCENE)
            roots = (tn_siblings){block->body.scene.nodes, block->body.scene.node_count};
        if (block->kind == TENON_GPB_NODE) roots = (tn_siblings){&block->body.node, 1};
        tn_walk_nested(&walk, &visitor, roots, sizeof(tenon_gpb_node), gpb_visit_node);
    }
}

typedef struct gpb_tree_walk {
    const tenon_gpb *doc;
    tn_walk *walk;
} gpb_tree_walk;

static bool gpb_info_report_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    static const char *const camera_kinds[] = {NULL, "perspective camera", "orthographic camera"};
    static const char *const light_kinds[] = {NULL, "directional light", "point light",
                                              "spot light"};
    const gpb_tree_walk *context = user;
    tn_text_list what = {.size = 0};
    if (node->camera.camera_type - 1u < 2)
        tn_text_list_add(&what, "%s", camera_kinds[node->camera.camera_type]);
    if (node->light.light_type - 1u < 3)
        tn_text_list_add(&what, "%s", light_kinds[node->light.light_type]);
    if (gpb_has_model(context->doc->base.dialect->flags, &node->model))
        tn_text_list_add(&what, "%s", node->model.has_skin ? "skinned mesh" : "mesh");
    return tn_walk_report(context->walk, gpb_id_of(context->doc, node->reference), depth,
                          node->node_type == 2 ? "joint" : "node", what.text);
}

void gpb_report_tree(tn_walk *walk, const void *opaque)
{
    gpb_tree_walk context = {.doc = opaque, .walk = walk};
    tenon_gpb_each_node(opaque, gpb_info_report_node, &context);
}

#define GPB_FIELD_RANGE 16  // Range of a distance field's values, in texels.

// The nearest texel, clamped to the texture.
static uint32_t gpb_texel(float share, uint32_t size)
{
    double place = floor((double)share * size + 0.5);
    return place > 0 ? place < size ? (uint32_t)place : size : 0;
}

tenon_gpb_glyph tenon_gpb_glyph_at(const tenon_gpb_font_size *size, uint64_t index)
{
    const uint8_t *p = tn_span_record(&size->glyphs, index);
    bool has_advance = size->glyphs.layout->element_count == 5;
    float uv[4];
    tn_copy_numbers(uv, p + (has_advance ? 16 : 8), 4, 4, false);
    tenon_gpb_glyph glyph = {.code = tn_load32(p, false),
                             .x = gpb_texel(uv[0], size->width),
                             .y = gpb_texel(uv[1], size->height),
                             .advance = tn_load32(p + (has_advance ? 12 : 4), false)};
    uint32_t right = gpb_texel(uv[2], size->width), bottom = gpb_texel(uv[3], size->height);
    glyph.width = right > glyph.x ? right - glyph.x : 0;
    glyph.height = bottom > glyph.y ? bottom - glyph.y : 0;
    if (has_advance) glyph.bearing_x = (int32_t)tn_load32(p + 8, false);
    return glyph;
}

// -- BMFont

typedef struct gpb_fnt {
    tenon_write_fn *write;
    void *user;
    bool failed;
} gpb_fnt;

TN_PRINTF(2, 3)
static void gpb_fnt_line(gpb_fnt *fnt, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(text, sizeof text - 1, fmt, args);
    va_end(args);
    if (size < 0) size = 0;
    if ((size_t)size > sizeof text - 2) size = (int)sizeof text - 2;
    text[size++] = '\n';
    if (!fnt->failed && !fnt->write(fnt->user, text, (size_t)size)) fnt->failed = true;
}

// Quotation marks in a quoted text are replaced.
static void gpb_fnt_name(const char *data, size_t size, char *out, size_t out_size)
{
    tn_text_clean(data, size, out, out_size);
    for (char *c = out; *c; c++)
        if (*c == '"') *c = '\'';
}

bool tenon_gpb_write_fnt(const tenon_gpb_font *font, uint32_t index, const char *picture,
                         tenon_write_fn *write, void *user, tenon_error *err)
{
    tn_error_clear(err);
    if (index >= font->size_count)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "the font has %u sizes", font->size_count);
    const tenon_gpb_font_size *size = &font->sizes[index];
    if (size->texels.count != (uint64_t)size->width * size->height)
        return tn_error(err, TENON_ERR_VALUE,
                        "the size is %u x %u, but there are %" PRIu64 " texels", size->width,
                        size->height, size->texels.count);
    gpb_fnt fnt = {.write = write, .user = user};
    char family[128], file[256];
    gpb_fnt_name(font->family.data, font->family.size, family, sizeof family);
    gpb_fnt_name(picture, strlen(picture), file, sizeof file);
    gpb_fnt_line(&fnt,
                 "info face=\"%s\" size=%u bold=%d italic=%d charset=\"\" unicode=1 "
                 "stretchH=100 smooth=1 aa=1 padding=0,0,0,0 spacing=0,0 outline=0",
                 family, size->size, font->style == 1 || font->style == 4,
                 font->style == 2 || font->style == 4);
    gpb_fnt_line(&fnt,
                 "common lineHeight=%u base=%u scaleW=%u scaleH=%u pages=1 packed=0 "
                 "alphaChnl=0 redChnl=0 greenChnl=0 blueChnl=0",
                 size->size, size->size, size->width, size->height);
    gpb_fnt_line(&fnt, "page id=0 file=\"%s\"", file);
    if (size->format == 1)
        gpb_fnt_line(&fnt, "distanceField fieldType=sdf distanceRange=%d", GPB_FIELD_RANGE);
    gpb_fnt_line(&fnt, "chars count=%" PRIu64, size->glyphs.count);
    for (uint64_t i = 0; i < size->glyphs.count && !fnt.failed; i++) {
        tenon_gpb_glyph g = tenon_gpb_glyph_at(size, i);
        gpb_fnt_line(&fnt,
                     "char id=%u x=%u y=%u width=%u height=%u xoffset=%d yoffset=0 "
                     "xadvance=%u page=0 chnl=15",
                     g.code, g.x, g.y, g.width, g.height, g.bearing_x, g.advance);
    }
    return !fnt.failed || tn_error(err, TENON_ERR_IO, "the output could not be written");
}
