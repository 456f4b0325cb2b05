// gpb_import_material.c: imports the materials of models, with the contents of the .material file.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gpb/gpb_material.h"
#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/math/sort.h"
#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPB_STATEMENTS_MOST 1024  // Of a material and its ancestors; real materials have dozens.
#define GPB_FOLDERS_MOST    16    // In the path of a texture.

// -- Contents of the .material file

enum {
    GPB_DIFFUSE_COLOR,
    GPB_MODULATE_COLOR,
    GPB_MODULATE_ALPHA,
    GPB_SPECULAR_EXPONENT,
    GPB_TEXTURE_REPEAT,
    GPB_TEXTURE_OFFSET,
    GPB_DEFINES,
    GPB_FRAGMENT_SHADER,
    GPB_BLEND,
    GPB_CULL_FACE,
    GPB_PROPERTY_COUNT,
};

static const char *const gpb_property_names[GPB_PROPERTY_COUNT] = {
    [GPB_DIFFUSE_COLOR] = "u_diffuseColor",
    [GPB_MODULATE_COLOR] = "u_modulateColor",
    [GPB_MODULATE_ALPHA] = "u_modulateAlpha",
    [GPB_SPECULAR_EXPONENT] = "u_specularExponent",
    [GPB_TEXTURE_REPEAT] = "u_textureRepeat",
    [GPB_TEXTURE_OFFSET] = "u_textureOffset",
    [GPB_DEFINES] = "defines",
    [GPB_FRAGMENT_SHADER] = "fragmentShader",
    [GPB_BLEND] = "blend",
    [GPB_CULL_FACE] = "cullFace",
};

const gpb_sampler gpb_samplers[GPB_SAMPLER_COUNT] = {
    {"u_diffuseTexture", TENON_SLOT_BASE_COLOR, 0},
    {"u_normalmapTexture", TENON_SLOT_NORMAL, 0},
    {"u_specularTexture", TENON_SLOT_SPECULAR, 0},
    {"u_lightmapTexture", TENON_SLOT_LIGHT_MAP, 1},
};

// The properties of a material, including inherited ones.
typedef struct gpb_inherited_material {
    tenon_str values[GPB_PROPERTY_COUNT];  // Data is NULL if it is not set.
    uint32_t levels[GPB_PROPERTY_COUNT];   // The nesting level of each, plus 1.
    const tenon_gpb_properties *samplers[GPB_SAMPLER_COUNT];
    uint64_t other_samplers;
    uint32_t steps;  // Statements visited.
} gpb_inherited_material;

// A pass overrides its technique, which overrides the material, and a material overrides its base.
static void gpb_import_material_collect_properties(gpb_inherited_material *inherited,
                                                   const tenon_gpb_properties *block,
                                                   uint32_t level)
{
    for (const tenon_gpb_property *p = block->properties; p; p = p->next) {
        if (inherited->steps++ >= GPB_STATEMENTS_MOST) return;
        for (uint32_t i = 0; i < GPB_PROPERTY_COUNT; i++) {
            if (inherited->levels[i] > level || !tn_text_is(p->name, gpb_property_names[i]))
                continue;
            inherited->levels[i] = level + 1;
            inherited->values[i] = p->value;
        }
    }
}

// Relevant blocks are nested at most three deep: technique, pass, sampler or renderState.
static void gpb_import_material_collect_block(gpb_inherited_material *inherited,
                                              const tenon_gpb_properties *block, uint32_t level)
{
    gpb_import_material_collect_properties(inherited, block, level);
    for (const tenon_gpb_properties *b = block->children; b; b = b->next) {
        if (inherited->steps++ >= GPB_STATEMENTS_MOST) return;
        if (tn_text_is(b->type, "sampler")) {
            uint32_t i = 0;
            while (i < GPB_SAMPLER_COUNT && !tn_text_is(b->id, gpb_samplers[i].id)) i++;
            if (i == GPB_SAMPLER_COUNT)
                inherited->other_samplers++;
            else if (!inherited->samplers[i])
                inherited->samplers[i] = b;
        }
        if (tn_text_is(b->type, "renderState"))
            gpb_import_material_collect_properties(inherited, b, level);
        if (level == 0 && tn_text_is(b->type, "technique"))
            gpb_import_material_collect_block(inherited, b, 1);
        if (level == 1 && tn_text_is(b->type, "pass"))
            gpb_import_material_collect_block(inherited, b, 2);
    }
}

// A material that inherits from itself is visited once.
static gpb_inherited_material gpb_import_collect_material(const tenon_gpb_properties *material)
{
    gpb_inherited_material inherited = {.steps = 0};
    const tenon_gpb_properties *seen[GPB_BLOCK_DEPTH];
    for (uint32_t count = 0; material && count < GPB_BLOCK_DEPTH; material = material->base) {
        for (uint32_t i = 0; i < count; i++)
            if (seen[i] == material) return inherited;
        seen[count++] = material;
        gpb_import_material_collect_block(&inherited, material, 0);
    }
    return inherited;
}

// -- Values

static bool gpb_import_material_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// One number, also in spellings that JSON does not have: "+1", ".5", "1.", "1.0f".
static bool gpb_import_material_parse_number(const char *text, size_t size, double *out)
{
    char spelled[64];
    size_t used = 0;
    while (size && gpb_import_material_is_space(text[0])) text++, size--;
    while (size && gpb_import_material_is_space(text[size - 1])) size--;
    if (size && text[size - 1] == 'f') size--;
    if (size && text[size - 1] == '.') size--;
    if (size && text[0] == '-') spelled[used++] = '-';
    if (size && (text[0] == '-' || text[0] == '+')) text++, size--;
    while (size > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') text++, size--;
    if (size && text[0] == '.') spelled[used++] = '0';
    if (size == 0 || size > sizeof spelled - used) return false;
    memcpy(spelled + used, text, size);
    return tn_f64_parse(spelled, used + size, out);
}

// Parse numbers separated by commas. Returns how many there are, at most four.
static uint32_t gpb_import_material_parse_numbers(tenon_str text, double out[4])
{
    uint32_t count = 0;
    const char *at = text.data, *end = at ? at + text.size : NULL;
    while (at && count < 4) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!gpb_import_material_parse_number(at, (size_t)((comma ? comma : end) - at),
                                              &out[count]))
            return count;
        count++;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static bool gpb_import_material_has_word(tenon_str text, const char *word)
{
    size_t size = strlen(word);
    for (uint32_t i = 0; text.data && i + size <= text.size; i++)
        if (memcmp(text.data + i, word, size) == 0) return true;
    return false;
}

// -- Textures

// Paths start at the engine's resource folder, which contains the model's folder. So a texture is
// also searched for without its first folders.
static tenon_str gpb_import_material_find_texture(const gpb_importer *importer, tenon_str path)
{
    char place[TN_PATH_SIZE];
    tenon_error err = {0};
    const char *model_path = importer->builder->opts->model_path;
    const tn_search search = {importer->files, model_path, place, sizeof place, &err, NULL};
    tenon_str remainder = path;
    for (uint32_t i = 0; i < GPB_FOLDERS_MOST && remainder.size; i++) {
        bool is_found = model_path && tn_find_sidecar(&search, remainder) == TN_PLACE_FOUND;
        if (err.code != TENON_OK) {
            tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
            return path;
        }
        if (is_found) return remainder;
        const char *slash = memchr(remainder.data, '/', remainder.size);
        if (!slash) return path;
        remainder.size -= (uint32_t)(slash - remainder.data) + 1;
        remainder.data = slash + 1;
    }
    return path;
}

// The first value of that name in the sampler and its ancestors.
static tenon_str gpb_import_material_sampler_value(gpb_inherited_material *inherited,
                                                   const tenon_gpb_properties *sampler,
                                                   const char *name)
{
    for (uint32_t i = 0; sampler && i < GPB_BLOCK_DEPTH; i++, sampler = sampler->base)
        for (const tenon_gpb_property *p = sampler->properties; p; p = p->next) {
            if (inherited->steps++ >= 2 * GPB_STATEMENTS_MOST) return (tenon_str){NULL, 0};
            if (tn_text_is(p->name, name)) return p->value;
        }
    return (tenon_str){NULL, 0};
}

static tenon_wrap gpb_import_material_wrap_of(tenon_str word)
{
    if (tn_text_is(word, "CLAMP") || tn_text_is(word, "CLAMP_TO_EDGE")) return TENON_CLAMP;
    return tn_text_is(word, "MIRROR") || tn_text_is(word, "MIRRORED_REPEAT") ? TENON_MIRROR
                                                                             : TENON_REPEAT;
}

static void gpb_import_material_texture(gpb_importer *importer, gpb_inherited_material *inherited,
                                        uint32_t sampler, uint32_t material)
{
    const tenon_gpb_properties *block = inherited->samplers[sampler];
    tenon_str path = gpb_import_material_sampler_value(inherited, block, "path");
    tenon_slot slot = gpb_samplers[sampler].slot;
    if (path.size == 0) return;
    if (path.data[0] == '@') {
        tn_tally_path(&importer->losses.aliases, 1, "line %" PRIu32 " of the .material file",
                      block->line);
        return;
    }
    tn_set_texture(importer->builder, material, slot,
                   gpb_import_material_find_texture(importer, path));
    if (importer->builder->failed) return;
    tenon_texture *t = &importer->builder->scene->materials[material].textures[slot];
    t->uv_set = gpb_samplers[sampler].uv_set;
    t->wrap[0] =
        gpb_import_material_wrap_of(gpb_import_material_sampler_value(inherited, block, "wrapS"));
    t->wrap[1] =
        gpb_import_material_wrap_of(gpb_import_material_sampler_value(inherited, block, "wrapT"));
    // V points up in the engine and down in a scene.
    double repeat[4], offset[4];
    if (gpb_import_material_parse_numbers(inherited->values[GPB_TEXTURE_REPEAT], repeat) != 2)
        repeat[0] = repeat[1] = 1;
    if (gpb_import_material_parse_numbers(inherited->values[GPB_TEXTURE_OFFSET], offset) != 2)
        offset[0] = offset[1] = 0;
    memcpy(t->scale, repeat, sizeof t->scale);
    t->offset[0] = offset[0];
    t->offset[1] = 1 - repeat[1] - offset[1];
}

// -- Materials

static void gpb_import_set_material(gpb_importer *importer, const tenon_gpb_properties *block,
                                    uint32_t index)
{
    gpb_inherited_material inherited = gpb_import_collect_material(block);
    const tenon_str *values = inherited.values;
    tenon_material *material = &importer->builder->scene->materials[index];
    double v[4];
    material->is_classic = true;
    uint32_t count = gpb_import_material_parse_numbers(values[GPB_DIFFUSE_COLOR], v);
    if (count >= 3) memcpy(material->base_color, v, count * sizeof *v);
    if (gpb_import_material_parse_numbers(values[GPB_MODULATE_COLOR], v) >= 3)
        for (int k = 0; k < 3; k++) material->base_color[k] *= v[k];
    if (gpb_import_material_parse_numbers(values[GPB_MODULATE_ALPHA], v) == 1)
        material->base_color[3] *= v[0];
    if (gpb_import_material_parse_numbers(values[GPB_SPECULAR_EXPONENT], v) == 1) {
        // The engine's highlights have the color of the light.
        material->specular[0] = material->specular[1] = material->specular[2] = 1;
        material->shininess = v[0];
    }
    material->double_sided = !tn_text_is(values[GPB_CULL_FACE], "true");
    material->is_unlit = gpb_import_material_has_word(values[GPB_FRAGMENT_SHADER], "unlit");
    if (gpb_import_material_has_word(values[GPB_DEFINES], "TEXTURE_DISCARD_ALPHA"))
        material->alpha = TENON_MASK;
    if (tn_text_is(values[GPB_BLEND], "true")) material->alpha = TENON_BLEND;
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT && !importer->builder->failed; i++)
        if (inherited.samplers[i]) gpb_import_material_texture(importer, &inherited, i, index);
    bool has_shader = values[GPB_FRAGMENT_SHADER].data != NULL;
    tn_tally_path(&importer->losses.shaders, has_shader, "line %" PRIu32 " of the .material file",
                  block->line);
    tn_tally_path(&importer->losses.samplers, inherited.other_samplers,
                  "line %" PRIu32 " of the .material file", block->line);
}

// Material number `index` of a node of the tree.
typedef struct gpb_use {
    uint32_t node_index, index;
    const tenon_gpb_material *material;
} gpb_use;

// All of them, for sorting.
typedef struct gpb_uses {
    const gpb_use *list;
    const tenon_gpb *doc;
} gpb_uses;

// -- Parameters of dialect "document"

// Store a parameter that a scene cannot represent as an extra.
static void gpb_import_material_keep_parameter(gpb_importer *importer, const tenon_gpb_parameter *p,
                                               uint32_t material)
{
    uint64_t count = p->value.count, room = 16 + (count + 1) * (TN_NUMBER_MAX + 1);
    uint64_t name_room = sizeof GPB_PARAMETER_PREFIX + (uint64_t)p->name.size;
    char *text = tn_scene_array(importer->builder, room, 1),
         *name = tn_scene_array(importer->builder, name_room, 1);
    if (importer->builder->failed) return;
    size_t used = (size_t)snprintf(text, room, "%" PRIu32 ":", p->type);
    for (uint64_t i = 0; i < count; i++) {
        if (i) text[used++] = '/';
        used += tn_f32_text(tn_load_f32(p->value.data + 4 * i, false), text + used);
    }
    memcpy(name, GPB_PARAMETER_PREFIX, sizeof GPB_PARAMETER_PREFIX - 1);
    memcpy(name + sizeof GPB_PARAMETER_PREFIX - 1, p->name.data, p->name.size);
    tn_add_extra(importer->builder, TENON_EXTRA_OF_MATERIAL, material, name,
                 (tenon_str){text, (uint32_t)used});
}

// Set a parameter of the engine's shaders, if it has the right number of values. `place` is scale
// and offset of textures.
static bool gpb_import_material_set_parameter(const tenon_gpb_parameter *p, tenon_material *m,
                                              double place[4])
{
    uint64_t count = p->value.count;
    double v[4] = {0};
    for (uint64_t i = 0; i < count && i < 4; i++) {
        v[i] = tn_load_f32(p->value.data + 4 * i, false);
        if (!isfinite(v[i])) return false;
    }
    if (tn_text_is(p->name, gpb_property_names[GPB_DIFFUSE_COLOR]) && (count == 3 || count == 4)) {
        memcpy(m->base_color, v, (size_t)count * sizeof *v);
    } else if (tn_text_is(p->name, gpb_property_names[GPB_MODULATE_COLOR]) &&
               (count == 3 || count == 4)) {
        for (uint64_t i = 0; i < count; i++) m->base_color[i] *= v[i];
    } else if (tn_text_is(p->name, gpb_property_names[GPB_MODULATE_ALPHA]) && count == 1) {
        m->base_color[3] *= v[0];
    } else if (tn_text_is(p->name, gpb_property_names[GPB_SPECULAR_EXPONENT]) && count == 1) {
        m->specular[0] = m->specular[1] = m->specular[2] = 1;
        m->shininess = v[0];
    } else if (tn_text_is(p->name, gpb_property_names[GPB_TEXTURE_REPEAT]) && count == 2) {
        place[0] = v[0], place[1] = v[1];
    } else if (tn_text_is(p->name, gpb_property_names[GPB_TEXTURE_OFFSET]) && count == 2) {
        place[2] = v[0], place[3] = v[1];
    } else {
        return false;
    }
    m->is_classic = true;
    return true;
}

static void gpb_import_material_set_parameters(gpb_importer *importer, const gpb_use *use,
                                               uint32_t material)
{
    const tenon_gpb_material *from = use->material;
    tenon_material *m = &importer->builder->scene->materials[material];
    double place[4] = {1, 1, 0, 0};
    bool is_placed = false;
    for (uint32_t i = 0; i < from->parameter_count && !importer->builder->failed; i++) {
        const tenon_gpb_parameter *p = &from->parameters[i];
        if (!gpb_import_material_set_parameter(p, m, place)) {
            gpb_import_material_keep_parameter(importer, p, material);
            m = &importer->builder->scene->materials[material];
            continue;
        }
        is_placed = is_placed || tn_text_is(p->name, gpb_property_names[GPB_TEXTURE_REPEAT]) ||
                    tn_text_is(p->name, gpb_property_names[GPB_TEXTURE_OFFSET]);
        if (p->type != p->value.count)
            gpb_import_tally_node(importer, &importer->losses.parameter_types, use->node_index,
                                  "model.materials[%" PRIu32 "]", use->index);
    }
    bool has_texture = m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    if (is_placed && !has_texture)
        gpb_import_tally_node(importer, &importer->losses.parameter_values, use->node_index,
                              "model.materials[%" PRIu32 "]", use->index);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT && is_placed; i++) {
        tenon_texture *t = &m->textures[gpb_samplers[i].slot];
        if (t->image == TENON_NONE) continue;
        t->scale[0] = place[0], t->scale[1] = place[1];
        t->offset[0] = place[2], t->offset[1] = 1 - place[1] - place[3];
    }
}

static void gpb_import_material_set_effect(gpb_importer *importer, const gpb_use *use,
                                           uint32_t material)
{
    if (use->material->effect.size == 0) return;
    uint32_t block =
        gpb_index_find_block(&importer->index, use->material->effect, TENON_GPB_EFFECT);
    if (block == TENON_NONE) {
        gpb_import_tally_node(importer, &importer->losses.effect_names, use->node_index,
                              "model.materials[%" PRIu32 "].effect", use->index);
        return;
    }
    const tenon_gpb_effect *effect = &importer->doc->blocks[block].body.effect;
    importer->is_effect_used[block] = true;
    tn_add_extra(importer->builder, TENON_EXTRA_OF_MATERIAL, material, GPB_EXTRA_VERTEX_SHADER,
                 effect->vertex_shader);
    tn_add_extra(importer->builder, TENON_EXTRA_OF_MATERIAL, material, GPB_EXTRA_FRAGMENT_SHADER,
                 effect->fragment_shader);
}

// -- Materials in use

// In dialect "document", the name of a material is in the reference table.
static tenon_str gpb_import_material_name_of(const tenon_gpb *doc,
                                             const tenon_gpb_material *material)
{
    return material->entry ? gpb_index_id_of(doc, material->entry - 1) : material->name;
}

static void gpb_import_add_material(gpb_importer *importer, const gpb_use *use,
                                    const gpb_directory *known, uint32_t *index)
{
    tenon_str name = gpb_import_material_name_of(importer->doc, use->material);
    bool is_document = (importer->doc->base.dialect->flags & TENON_GPB_DOCUMENT) != 0;
    if (name.size == 0 && !is_document) return;
    *index = tn_add_material(importer->builder, name);
    if (importer->builder->failed) return;
    uint32_t found = known && name.size ? gpb_properties_directory_find(known, name) : TENON_NONE;
    if (found != TENON_NONE) gpb_import_set_material(importer, known->blocks[found], *index);
    if (is_document) {
        gpb_import_material_set_parameters(importer, use, *index);
        if (!importer->builder->failed) gpb_import_material_set_effect(importer, use, *index);
    }
    if (found != TENON_NONE || is_document) return;
    tn_tally *loss = known ? &importer->losses.absent_materials : &importer->losses.materials;
    gpb_import_tally_node(importer, loss, use->node_index, "model.materials[%" PRIu32 "]",
                          use->index);
}

// Compare two materials without their names.
static int gpb_import_material_compare_contents(const tenon_gpb_material *a,
                                                const tenon_gpb_material *b)
{
    if (a->parameter_count != b->parameter_count)
        return a->parameter_count < b->parameter_count ? -1 : 1;
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        const tenon_gpb_parameter *p = &a->parameters[i], *q = &b->parameters[i];
        int order = tn_text_order(p->name, q->name);
        if (order) return order;
        if (p->type != q->type) return p->type < q->type ? -1 : 1;
        if (p->value.size != q->value.size) return p->value.size < q->value.size ? -1 : 1;
        order = p->value.size ? memcmp(p->value.data, q->value.data, (size_t)p->value.size) : 0;
        if (order) return order;
    }
    return tn_text_order(a->effect, b->effect);
}

// Order by contents, then by name. Materials without a name are last.
static bool gpb_import_material_use_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_uses *uses = context;
    const tenon_gpb_material *x = uses->list[a].material, *y = uses->list[b].material;
    tenon_str x_name = gpb_import_material_name_of(uses->doc, x),
              y_name = gpb_import_material_name_of(uses->doc, y);
    int order = gpb_import_material_compare_contents(x, y);
    if (order) return order < 0;
    if (!x_name.size != !y_name.size) return x_name.size > 0;
    return tn_text_order(x_name, y_name) < 0;
}

// Whether two neighbors in this order are the same material. Ids are unique, so of equal materials
// of several models only one has a name.
static bool gpb_import_is_same_material(const gpb_uses *uses, uint32_t a, uint32_t b)
{
    const tenon_gpb_material *x = uses->list[a].material, *y = uses->list[b].material;
    tenon_str x_name = gpb_import_material_name_of(uses->doc, x),
              y_name = gpb_import_material_name_of(uses->doc, y);
    if (gpb_import_material_compare_contents(x, y) != 0) return false;
    bool is_empty = x->parameter_count == 0 && x->effect.size == 0;
    return tn_text_equal(x_name, y_name) || (y_name.size == 0 && !is_empty);
}

// List the materials that parts of meshes use, in the order of the nodes. Further materials of a
// model are not used.
static uint32_t gpb_import_material_list_uses(gpb_importer *importer, gpb_use *uses)
{
    uint32_t count = 0;
    for (uint32_t node_index = 0; node_index < importer->index.tree.count; node_index++) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[node_index].node->model;
        const tenon_gpb_mesh *mesh = gpb_has_model(importer->doc->base.dialect->flags, model)
                                         ? gpb_index_find_mesh(&importer->index, model->mesh)
                                         : NULL;
        uint32_t parts = !mesh ? 0 : mesh->part_count ? mesh->part_count : 1;
        if (uses) importer->first_material[node_index] = count;
        for (uint32_t i = 0; i < parts && i < model->material_count; i++, count++)
            if (uses) uses[count] = (gpb_use){node_index, i, &model->materials[i]};
    }
    if (uses) importer->first_material[importer->index.tree.count] = count;
    return count;
}

// Materials with the same name are one material, and so are materials of dialect "document" with
// the same contents.
static void gpb_import_merge_materials(gpb_importer *importer, const gpb_use *list, uint32_t count,
                                       const gpb_directory *known)
{
    const gpb_uses uses = {list, importer->doc};
    uint32_t *sorted = tn_scene_array(importer->builder, count, sizeof *sorted);
    uint32_t *firsts = tn_scene_array(importer->builder, count, sizeof *firsts);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, firsts, count, gpb_import_material_use_before, &uses);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || !gpb_import_is_same_material(&uses, sorted[i - 1], sorted[i]);
        firsts[sorted[i]] = is_new ? sorted[i] : firsts[sorted[i - 1]];
    }
    for (uint32_t i = 0; i < count; i++) importer->materials[i] = TENON_NONE;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        uint32_t first = firsts[i];
        if (importer->materials[first] == TENON_NONE)
            gpb_import_add_material(importer, &list[first], known, &importer->materials[first]);
        importer->materials[i] = importer->materials[first];
    }
}

void gpb_import_materials(gpb_importer *importer)
{
    importer->first_material =
        tn_scene_array(importer->builder, (uint64_t)importer->index.tree.count + 1,
                       sizeof *importer->first_material);
    importer->is_effect_used = tn_scene_array(importer->builder, importer->doc->block_count,
                                              sizeof *importer->is_effect_used);
    if (importer->builder->failed) return;
    uint32_t count = gpb_import_material_list_uses(importer, NULL);
    importer->materials = tn_scene_array(importer->builder, count, sizeof *importer->materials);
    gpb_use *uses = tn_scene_array(importer->builder, count, sizeof *uses);
    if (importer->builder->failed) return;
    gpb_import_material_list_uses(importer, uses);
    tenon_gpb_properties *file = count ? gpb_import_open_sidecar(importer, "material") : NULL;
    gpb_directory known;
    if (file && !gpb_properties_directory_make(&known, file, "material", importer->builder->arena,
                                               importer->builder->err))
        importer->builder->failed = true;
    if (!importer->builder->failed)
        gpb_import_merge_materials(importer, uses, count, file ? &known : NULL);
    tenon_gpb_properties_free(file);
}
