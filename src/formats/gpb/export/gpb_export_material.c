// gpb_export_material.c: plans which materials a bundle needs, and their names.
// SPDX-License-Identifier: MIT
//
// A material names its shaders, which depend on the mesh: with or without skin, colors and light. A
// material of the scene that is used with different shaders becomes several materials.

#include "formats/gpb/export/gpb_export.h"

#include "core/text/text.h"
#include "scene/model/pieces.h"

#include <string.h>

#define GPB_NAME_MOST 1000  // Bytes.

// -- Shaders

static uint32_t gpb_export_material_shader_flags_of(const gpb_exporter *exporter, uint32_t node,
                                                    const tenon_primitive *p)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    const tenon_material *material =
        p->material == TENON_NONE ? NULL : &exporter->scene->materials[p->material];
    uint32_t usages = exporter->meshes[n->mesh].usages, flags = 0;
    if (exporter->export->opts->without_materials) return 0;
    bool is_textured = material && material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    bool is_bumped = material && material->textures[TENON_SLOT_NORMAL].image != TENON_NONE &&
                     is_textured && p->uvs[0];
    bool is_lit = (!material || !material->is_unlit) && (p->normals || tn_piece_size(p->mode) == 3);
    if (n->skin != TENON_NONE) flags |= GPB_WITH_SKIN;
    if (p->colors[0] && !is_textured) flags |= GPB_WITH_COLORS;
    if (is_lit && usages & 1u << GPB_USE_NORMAL) flags |= GPB_WITH_LIGHT;
    if (is_bumped && flags & GPB_WITH_LIGHT && usages & 1u << GPB_USE_TANGENT)
        flags |= GPB_WITH_NORMAL_MAP;
    return flags;
}

static uint32_t *gpb_export_material_variant_of(const gpb_exporter *exporter, uint32_t node,
                                                const tenon_primitive *p)
{
    uint32_t material = p->material == TENON_NONE ? exporter->scene->material_count : p->material;
    return &exporter->variants[GPB_SHADER_COUNT * (size_t)material +
                               gpb_export_material_shader_flags_of(exporter, node, p)];
}

const gpb_material_plan *gpb_export_find_material(const gpb_exporter *exporter, uint32_t node,
                                                  const tenon_primitive *p)
{
    uint32_t variant = *gpb_export_material_variant_of(exporter, node, p);
    return variant ? &exporter->materials[variant - 1] : NULL;
}

static void gpb_export_plan_material(gpb_exporter *exporter, uint32_t node,
                                     const tenon_primitive *p)
{
    uint32_t *variant = gpb_export_material_variant_of(exporter, node, p),
             skin = exporter->scene->nodes[node].skin;
    bool is_nameless = p->material == TENON_NONE && exporter->export->opts->without_materials;
    if (is_nameless) return;
    if (*variant == 0) {
        exporter->materials[exporter->material_count] = (gpb_material_plan){
            .source = p->material,
            .shader_flags = gpb_export_material_shader_flags_of(exporter, node, p)};
        *variant = ++exporter->material_count;
    }
    gpb_material_plan *plan = &exporter->materials[*variant - 1];
    uint32_t joints = skin == TENON_NONE ? 0 : exporter->scene->skins[skin].joint_count;
    if (joints > plan->joints) plan->joints = joints;
}

// -- Names

// A name in the .material file must be one word.
static tenon_str gpb_export_material_clean_name(gpb_exporter *exporter, tenon_str name,
                                                const char *suffix)
{
    char *text = gpb_export_alloc(exporter, (uint64_t)name.size + 1, 1);
    uint32_t size = name.size < GPB_NAME_MOST ? name.size : GPB_NAME_MOST;
    if (!text) return (tenon_str){"", 0};
    while (size < name.size && size && ((uint8_t)name.data[size] & 0xc0) == 0x80) size--;
    for (uint32_t i = 0; i < size; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (uint8_t)c >= 0x80;
        bool is_plain = is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        text[i] = is_plain ? c : '_';
    }
    if (size == 0) return gpb_export_text(exporter, (tenon_str){"unnamed", 7}, suffix);
    return gpb_export_text(exporter, (tenon_str){text, size}, suffix);
}

static void gpb_export_name_materials(gpb_exporter *exporter, bool *is_seen)
{
    const tenon_scene *scene = exporter->scene;
    tenon_str *names = gpb_export_alloc(exporter, exporter->material_count, sizeof *names);
    uint64_t changed;
    for (uint32_t i = 0; i < exporter->material_count && !exporter->failed; i++) {
        const gpb_material_plan *plan = &exporter->materials[i];
        bool has_source = plan->source != TENON_NONE;
        uint32_t source = has_source ? plan->source : scene->material_count;
        tenon_str name = has_source ? scene->materials[source].name : (tenon_str){"", 0};
        const char *suffix = !is_seen[source]                     ? ""
                             : plan->shader_flags & GPB_WITH_SKIN ? "_skinned"
                                                                  : "_rigid";
        names[i] = gpb_export_material_clean_name(exporter, name, suffix);
        gpb_export_count_loss(exporter, GPB_LOSS_VARIANTS, is_seen[source] && has_source,
                              "materials", source);
        is_seen[source] = true;
    }
    if (exporter->failed ||
        !tn_unique_names(exporter->export, names, exporter->material_count, "unnamed", &changed))
        exporter->failed = true;
    for (uint32_t i = 0; i < exporter->material_count && !exporter->failed; i++)
        exporter->materials[i].name = names[i];
}

// Count names that the importer cannot restore.
static void gpb_export_count_material_losses(gpb_exporter *exporter, bool *is_seen)
{
    memset(is_seen, 0, ((size_t)exporter->scene->material_count + 1) * sizeof *is_seen);
    for (uint32_t i = 0; i < exporter->material_count; i++) {
        uint32_t source = exporter->materials[i].source;
        if (source == TENON_NONE) {
            gpb_export_count_loss(exporter, GPB_LOSS_NO_MATERIAL, 1, "meshes", 0);
            continue;
        }
        bool is_same =
            tn_text_equal(exporter->materials[i].name, exporter->scene->materials[source].name);
        if (!is_seen[source])
            gpb_export_count_loss(exporter, GPB_LOSS_MATERIAL_NAMES, !is_same, "materials", source);
        is_seen[source] = true;
    }
    bool has_no_file = exporter->export->opts->without_materials;
    for (uint32_t i = 0; i < exporter->scene->material_count; i++) {
        gpb_export_count_loss(exporter, GPB_LOSS_MATERIALS, !is_seen[i], "materials", i);
        gpb_export_count_loss(exporter, GPB_LOSS_NO_FILE, is_seen[i] && has_no_file, "materials",
                              i);
    }
}

void gpb_export_plan_materials(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint64_t count = (uint64_t)scene->material_count + 1;
    exporter->variants =
        gpb_export_alloc(exporter, GPB_SHADER_COUNT * count, sizeof *exporter->variants);
    exporter->materials =
        gpb_export_alloc(exporter, GPB_SHADER_COUNT * count, sizeof *exporter->materials);
    bool *is_seen = gpb_export_alloc(exporter, count, sizeof *is_seen);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        const gpb_mesh_plan *plan = &exporter->meshes[mesh];
        for (uint32_t k = 0; k < plan->part_count; k++)
            gpb_export_plan_material(exporter, i, &scene->meshes[mesh].primitives[plan->parts[k]]);
    }
    gpb_export_name_materials(exporter, is_seen);
    if (!exporter->failed) gpb_export_count_material_losses(exporter, is_seen);
}
