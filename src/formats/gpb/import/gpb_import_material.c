// gpb_import_material.c: imports the materials of models, with the contents of the .material file.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/math/sort.h"
#include "core/text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPB_STATEMENTS_MOST 1024  // Of a material and its ancestors; real materials have dozens.
#define GPB_FOLDERS_MOST    16    // In the path of a texture.

// -- Contents of the .material file

// The first ones are numbers, which are also parameters of materials in dialect "document".
enum {
    GPB_DIFFUSE_COLOR,
    GPB_MODULATE_COLOR,
    GPB_MODULATE_ALPHA,
    GPB_SPECULAR_EXPONENT,
    GPB_TEXTURE_REPEAT,
    GPB_TEXTURE_OFFSET,
    GPB_NUMBERS_COUNT,
    GPB_DEFINES = GPB_NUMBERS_COUNT,
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
static void gpb_collect_properties(gpb_inherited_material *inherited,
                                   const tenon_gpb_properties *block, uint32_t level)
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
static void gpb_collect_block(gpb_inherited_material *inherited, const tenon_gpb_properties *block,
                              uint32_t level)
{
    gpb_collect_properties(inherited, block, level);
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
        if (tn_text_is(b->type, "renderState")) gpb_collect_properties(inherited, b, level);
        if (level == 0 && tn_text_is(b->type, "technique")) gpb_collect_block(inherited, b, 1);
        if (level == 1 && tn_text_is(b->type, "pass")) gpb_collect_block(inherited, b, 2);
    }
}

// -- Values

// Parse numbers separated by commas, also in spellings that JSON does not have: "+1", ".5", "1.",
// "1.0f". Returns how many there are, at most four.
static uint32_t gpb_parse_numbers(tenon_str text, double out[4])
{
    uint32_t count = 0;
    while (text.data && count < 4) {
        char spelled[64];
        tenon_str part = tn_text_cut(&text, ',');
        while (part.size && memchr(" \t\r", part.data[0], 3)) part.data++, part.size--;
        while (part.size && memchr(" \t\r", part.data[part.size - 1], 3)) part.size--;
        if (part.size && part.data[part.size - 1] == 'f') part.size--;
        if (part.size + 2 > sizeof spelled ||
            !tn_f64_parse(spelled, tn_number_spell(part.data, part.size, spelled), &out[count]))
            return count;
        count++;
    }
    return count;
}

// Set a property of the engine's shaders, if it has the right number of values. `place` is scale
// and offset of textures.
static bool gpb_set_numbers(uint32_t property, const double v[4], uint64_t count, tenon_material *m,
                            double place[4])
{
    bool is_color = count == 3 || count == 4;
    if (property == GPB_DIFFUSE_COLOR && is_color) {
        memcpy(m->base_color, v, (size_t)count * sizeof *v);
    } else if (property == GPB_MODULATE_COLOR && is_color) {
        for (uint64_t i = 0; i < count; i++) m->base_color[i] *= v[i];
    } else if (property == GPB_MODULATE_ALPHA && count == 1) {
        m->base_color[3] *= v[0];
    } else if (property == GPB_SPECULAR_EXPONENT && count == 1) {
        // The engine's highlights have the color of the light.
        m->specular[0] = m->specular[1] = m->specular[2] = 1;
        m->shininess = v[0];
    } else if ((property == GPB_TEXTURE_REPEAT || property == GPB_TEXTURE_OFFSET) && count == 2) {
        memcpy(place + (property == GPB_TEXTURE_REPEAT ? 0 : 2), v, 2 * sizeof *v);
    } else {
        return false;
    }
    m->is_classic = true;
    return true;
}

// V points up in the engine and down in a scene.
static void gpb_place_texture(tenon_texture *t, const double place[4])
{
    memcpy(t->scale, place, sizeof t->scale);
    t->offset[0] = place[2];
    t->offset[1] = 1 - place[1] - place[3];
}

static bool gpb_has_word(tenon_str text, const char *word)
{
    size_t size = strlen(word);
    for (uint32_t i = 0; text.data && i + size <= text.size; i++)
        if (memcmp(text.data + i, word, size) == 0) return true;
    return false;
}

// -- Textures

// The first value of that name in the sampler and its ancestors.
static tenon_str gpb_sampler_value(gpb_inherited_material *inherited,
                                   const tenon_gpb_properties *sampler, const char *name)
{
    for (uint32_t i = 0; sampler && i < GPB_BLOCK_DEPTH; i++, sampler = sampler->base)
        for (const tenon_gpb_property *p = sampler->properties; p; p = p->next) {
            if (inherited->steps++ >= 2 * GPB_STATEMENTS_MOST) return (tenon_str){NULL, 0};
            if (tn_text_is(p->name, name)) return p->value;
        }
    return (tenon_str){NULL, 0};
}

static tenon_wrap gpb_wrap_of(tenon_str word)
{
    if (tn_text_is(word, "CLAMP") || tn_text_is(word, "CLAMP_TO_EDGE")) return TENON_CLAMP;
    return tn_text_is(word, "MIRROR") || tn_text_is(word, "MIRRORED_REPEAT") ? TENON_MIRROR
                                                                             : TENON_REPEAT;
}

static void gpb_import_texture(gpb_importer *importer, gpb_inherited_material *inherited,
                               uint32_t sampler, const double place[4], uint32_t material)
{
    const tenon_gpb_properties *block = inherited->samplers[sampler];
    tenon_str path = gpb_sampler_value(inherited, block, "path");
    tenon_slot slot = gpb_samplers[sampler].slot;
    if (path.size == 0) return;
    if (path.data[0] == '@') {
        tn_tally_path(&importer->lost.aliases, 1, "line %u of the .material file", block->line);
        return;
    }
    // Paths start at the engine's resource folder, which contains the model's folder. So a texture
    // is also searched for without its first folders.
    char found[TN_PATH_SIZE];
    tenon_error err = {0};
    const char *model_path = importer->builder->opts->model_path;
    const tn_search search = {importer->files, model_path, found, sizeof found, &err, NULL};
    tenon_str remainder = path;
    for (uint32_t i = 0; i < GPB_FOLDERS_MOST && remainder.size; i++) {
        bool is_found = model_path && tn_find_sidecar(&search, remainder) == TN_PLACE_FOUND;
        if (err.code != TENON_OK) {
            tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
            return;
        }
        if (is_found) path = remainder;
        if (is_found) break;
        (void)tn_text_cut(&remainder, '/');
    }
    tn_set_texture(importer->builder, material, slot, path);
    if (importer->builder->failed) return;
    tenon_texture *t = &importer->builder->scene->materials[material].textures[slot];
    t->uv_set = gpb_samplers[sampler].uv_set;
    t->wrap[0] = gpb_wrap_of(gpb_sampler_value(inherited, block, "wrapS"));
    t->wrap[1] = gpb_wrap_of(gpb_sampler_value(inherited, block, "wrapT"));
    gpb_place_texture(t, place);
}

static void gpb_set_material(gpb_importer *importer, const tenon_gpb_properties *block,
                             uint32_t index)
{
    // A material that inherits from itself is visited once.
    gpb_inherited_material inherited = {.steps = 0};
    const tenon_gpb_properties *seen[GPB_BLOCK_DEPTH];
    const tenon_gpb_properties *at = block;
    bool is_new = true;
    for (uint32_t count = 0; at && count < GPB_BLOCK_DEPTH; at = at->base) {
        for (uint32_t i = 0; i < count; i++) is_new = is_new && seen[i] != at;
        if (!is_new) break;
        seen[count++] = at;
        gpb_collect_block(&inherited, at, 0);
    }
    const tenon_str *values = inherited.values;
    tenon_material *material = &importer->builder->scene->materials[index];
    double v[4] = {0}, place[4] = {1, 1, 0, 0};
    material->is_classic = true;
    for (uint32_t i = 0; i < GPB_NUMBERS_COUNT; i++) {
        uint32_t count = gpb_parse_numbers(values[i], v);
        if (i == GPB_MODULATE_COLOR && count > 3) count = 3;  // Alpha is separate.
        (void)gpb_set_numbers(i, v, count, material, place);
    }
    material->double_sided = !tn_text_is(values[GPB_CULL_FACE], "true");
    material->is_unlit = gpb_has_word(values[GPB_FRAGMENT_SHADER], "unlit");
    if (gpb_has_word(values[GPB_DEFINES], "TEXTURE_DISCARD_ALPHA")) material->alpha = TENON_MASK;
    if (tn_text_is(values[GPB_BLEND], "true")) material->alpha = TENON_BLEND;
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT && !importer->builder->failed; i++)
        if (inherited.samplers[i]) gpb_import_texture(importer, &inherited, i, place, index);
    bool has_shader = values[GPB_FRAGMENT_SHADER].data != NULL;
    tn_tally_path(&importer->lost.shaders, has_shader, "line %u of the .material file",
                  block->line);
    tn_tally_path(&importer->lost.samplers, inherited.other_samplers,
                  "line %u of the .material file", block->line);
}

// Material number `index` of a node of the tree.
typedef struct gpb_use {
    uint32_t node_index, index;
    const tenon_gpb_material *material;
    tenon_str name;
} gpb_use;

static void gpb_set_parameters(gpb_importer *importer, const gpb_use *use, uint32_t material)
{
    const tenon_gpb_material *from = use->material;
    tenon_material *m = &importer->builder->scene->materials[material];
    double place[4] = {1, 1, 0, 0};
    bool is_placed = false;
    for (uint32_t i = 0; i < from->parameter_count && !importer->builder->failed; i++) {
        const tenon_gpb_parameter *p = &from->parameters[i];
        uint32_t property = 0;
        while (property < GPB_NUMBERS_COUNT && !tn_text_is(p->name, gpb_property_names[property]))
            property++;
        double v[4] = {0};
        bool is_finite = true;
        for (uint64_t k = 0; k < p->value.count && k < 4; k++) {
            v[k] = tn_load_f32(p->value.data + 4 * k, false);
            is_finite = is_finite && isfinite(v[k]);
        }
        if (!is_finite || !gpb_set_numbers(property, v, p->value.count, m, place)) {
            // Store a parameter that a scene cannot represent as an extra.
            uint64_t count = p->value.count, room = 16 + (count + 1) * (TN_NUMBER_MAX + 1);
            tn_scene_builder *builder = importer->builder;
            const tenon_str prefix = {GPB_PARAMETER_PREFIX, sizeof GPB_PARAMETER_PREFIX - 1};
            tenon_str name =
                tn_text_join(builder->arena, prefix, p->name, "the scene", builder->err);
            char *text = tn_scene_array(builder, room, 1);
            builder->failed = !name.data || !text;
            if (builder->failed) return;
            size_t used = (size_t)snprintf(text, (size_t)room, "%u:", p->type);
            for (uint64_t k = 0; k < count; k++) {
                if (k) text[used++] = '/';
                used += tn_f32_text(tn_load_f32(p->value.data + 4 * k, false), text + used);
            }
            tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, material, name.data,
                         (tenon_str){text, (uint32_t)used});
            continue;
        }
        is_placed = is_placed || property == GPB_TEXTURE_REPEAT || property == GPB_TEXTURE_OFFSET;
        if (p->type != p->value.count)
            gpb_tally_node(importer, &importer->lost.parameter_types, use->node_index,
                           "model.materials[%u]", use->index);
    }
    if (!is_placed) return;
    if (m->textures[TENON_SLOT_BASE_COLOR].image == TENON_NONE)
        gpb_tally_node(importer, &importer->lost.parameter_values, use->node_index,
                       "model.materials[%u]", use->index);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        tenon_texture *t = &m->textures[gpb_samplers[i].slot];
        if (t->image != TENON_NONE) gpb_place_texture(t, place);
    }
}

// -- Materials

static void gpb_import_add_material(gpb_importer *importer, const gpb_use *use,
                                    const gpb_directory *known, uint32_t *index)
{
    tn_scene_builder *builder = importer->builder;
    bool is_document = gpb_has(importer->doc, TENON_GPB_DOCUMENT);
    if (use->name.size == 0 && !is_document) return;
    *index = tn_add_material(builder, use->name);
    if (builder->failed) return;
    uint32_t found = TENON_NONE;
    if (known && use->name.size) found = tn_name_list_find(&known->ids, use->name);
    if (found != TENON_NONE) gpb_set_material(importer, known->blocks[found], *index);
    if (!is_document) {
        tn_tally *loss = known ? &importer->lost.absent_materials : &importer->lost.materials;
        if (found == TENON_NONE)
            gpb_tally_node(importer, loss, use->node_index, "model.materials[%u]", use->index);
        return;
    }
    gpb_set_parameters(importer, use, *index);
    tenon_str effect_name = use->material->effect;
    if (builder->failed || effect_name.size == 0) return;
    uint32_t block = gpb_find_block(&importer->index, effect_name, TENON_GPB_EFFECT);
    if (block == TENON_NONE) {
        gpb_tally_node(importer, &importer->lost.effect_names, use->node_index,
                       "model.materials[%u].effect", use->index);
        return;
    }
    const tenon_gpb_effect *effect = &importer->doc->blocks[block].body.effect;
    importer->is_effect_used[block] = true;
    tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, *index, GPB_EXTRA_VERTEX_SHADER,
                 effect->vertex_shader);
    tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, *index, GPB_EXTRA_FRAGMENT_SHADER,
                 effect->fragment_shader);
}

// Compare two materials without their names.
static int gpb_compare_materials(const tenon_gpb_material *a, const tenon_gpb_material *b)
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
static bool gpb_use_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_use *x = &((const gpb_use *)context)[a], *y = &((const gpb_use *)context)[b];
    int order = gpb_compare_materials(x->material, y->material);
    if (order) return order < 0;
    if (!x->name.size != !y->name.size) return x->name.size > 0;
    return tn_text_order(x->name, y->name) < 0;
}

// List the materials that parts of meshes use, in the order of the nodes. Further materials of a
// model are not used.
static uint32_t gpb_list_uses(gpb_importer *importer, gpb_use *uses)
{
    uint32_t count = 0;
    for (uint32_t node_index = 0; node_index < importer->index.tree.count; node_index++) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[node_index].node->model;
        const tenon_gpb_mesh *mesh = gpb_find_mesh(&importer->index, model->mesh);
        uint32_t parts = !mesh ? 0 : mesh->part_count ? mesh->part_count : 1;
        if (uses) importer->first_material[node_index] = count;
        for (uint32_t i = 0; i < parts && i < model->material_count; i++, count++)
            if (uses) {
                // In dialect "document", the name of a material is in the reference table.
                const tenon_gpb_material *m = &model->materials[i];
                uses[count] = (gpb_use){
                    node_index, i, m, m->entry ? gpb_id_of(importer->doc, m->entry - 1) : m->name};
            }
    }
    if (uses) importer->first_material[importer->index.tree.count] = count;
    return count;
}

void gpb_import_materials(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    importer->first_material = tn_scene_array(builder, (uint64_t)importer->index.tree.count + 1,
                                              sizeof *importer->first_material);
    importer->is_effect_used =
        tn_scene_array(builder, importer->doc->block_count, sizeof *importer->is_effect_used);
    if (builder->failed) return;
    uint32_t count = gpb_list_uses(importer, NULL);
    importer->materials = tn_scene_array(builder, count, sizeof *importer->materials);
    gpb_use *uses = tn_scene_array(builder, count, sizeof *uses);
    uint32_t *sorted = tn_scene_array(builder, count, 2 * sizeof *sorted);
    uint32_t *firsts = tn_scene_array(builder, count, sizeof *firsts);
    if (builder->failed) return;
    gpb_list_uses(importer, uses);
    tn_sort_all(sorted, count, gpb_use_before, uses);
    // Materials with the same name are one material, and so are materials of dialect "document"
    // with the same contents. Ids are unique, so of equal materials of several models only one has
    // a name.
    for (uint32_t i = 0; i < count; i++) {
        const gpb_use *use = &uses[sorted[i]], *last = i ? &uses[sorted[i - 1]] : NULL;
        const tenon_gpb_material *m = use->material;
        bool is_empty = m->parameter_count == 0 && m->effect.size == 0;
        bool is_same = last && gpb_compare_materials(last->material, m) == 0 &&
                       (tn_text_equal(last->name, use->name) || (use->name.size == 0 && !is_empty));
        firsts[sorted[i]] = is_same ? firsts[sorted[i - 1]] : sorted[i];
        importer->materials[i] = TENON_NONE;
    }
    tenon_gpb_properties *file = count ? gpb_open_sidecar(importer, "material") : NULL;
    gpb_directory known;
    if (file && !gpb_directory_make(&known, file, "material", builder->arena, builder->err))
        builder->failed = true;
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        uint32_t *first = &importer->materials[firsts[i]];
        if (*first == TENON_NONE)
            gpb_import_add_material(importer, &uses[firsts[i]], file ? &known : NULL, first);
        importer->materials[i] = *first;
    }
    tenon_gpb_properties_free(file);
}
