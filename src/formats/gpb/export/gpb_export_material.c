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

// -- Shader features

static bool gpb_has_texture(const tenon_material *material, tenon_slot slot)
{
    return material && material->textures[slot].image != TENON_NONE;
}

static uint32_t gpb_ways_of(const gpb_exporter *m, uint32_t node, const tenon_primitive *p)
{
    const tenon_node *n = &m->scene->nodes[node];
    const tenon_material *from =
        p->material == TENON_NONE ? NULL : &m->scene->materials[p->material];
    uint32_t usages = m->meshes[n->mesh].usages, ways = 0;
    bool has_faces = tn_piece_size(p->mode) == 3;
    bool is_textured = gpb_has_texture(from, TENON_SLOT_BASE_COLOR);
    if (m->e->opts->without_materials) return 0;
    if (n->skin != TENON_NONE) ways |= GPB_WITH_SKIN;
    if (p->colors[0] && !is_textured) ways |= GPB_WITH_COLORS;
    bool is_lit = (!from || !from->is_unlit) && (p->normals || has_faces);
    if (is_lit && usages & 1u << GPB_USE_NORMAL) ways |= GPB_WITH_LIGHT;
    bool is_bumped = gpb_has_texture(from, TENON_SLOT_NORMAL) && is_textured && p->uvs[0];
    if (is_bumped && ways & GPB_WITH_LIGHT && usages & 1u << GPB_USE_TANGENT)
        ways |= GPB_WITH_BUMPS;
    return ways;
}

static uint32_t *gpb_variant_of(const gpb_exporter *m, uint32_t node, const tenon_primitive *p)
{
    uint32_t material = p->material == TENON_NONE ? m->scene->material_count : p->material;
    return &m->variants[GPB_WAYS * (size_t)material + gpb_ways_of(m, node, p)];
}

tenon_str gpb_material_name(const gpb_exporter *m, uint32_t node, const tenon_primitive *p)
{
    uint32_t variant = *gpb_variant_of(m, node, p);
    return variant ? m->materials[variant - 1].name : (tenon_str){"", 0};
}

uint32_t gpb_material_source(const gpb_exporter *m, uint32_t node, const tenon_primitive *p)
{
    uint32_t variant = *gpb_variant_of(m, node, p);
    return variant ? m->materials[variant - 1].source : TENON_NONE;
}

// -- Materials in use

static void gpb_use_material(gpb_exporter *m, uint32_t node, const tenon_primitive *p)
{
    uint32_t *variant = gpb_variant_of(m, node, p), skin = m->scene->nodes[node].skin;
    bool is_nameless = p->material == TENON_NONE && m->e->opts->without_materials;
    if (is_nameless) return;
    if (*variant == 0) {
        m->materials[m->material_count] =
            (gpb_made_material){.source = p->material, .ways = gpb_ways_of(m, node, p)};
        *variant = ++m->material_count;
    }
    gpb_made_material *made = &m->materials[*variant - 1];
    uint32_t joints = skin == TENON_NONE ? 0 : m->scene->skins[skin].joint_count;
    if (joints > made->joints) made->joints = joints;
}

static void gpb_use_materials(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t mesh = s->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        for (uint32_t k = 0; k < m->meshes[mesh].part_count; k++)
            gpb_use_material(m, i, &s->meshes[mesh].primitives[m->meshes[mesh].parts[k]]);
    }
}

// -- Names

static bool gpb_is_plain(char c)
{
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
           (uint8_t)c >= 0x80;
}

// A name in the .material file must be one word.
static tenon_str gpb_clean_name(gpb_exporter *m, tenon_str name, const char *end)
{
    char *text = gpb_export_alloc(m, (uint64_t)name.size + 1, 1);
    uint32_t size = name.size < GPB_NAME_MOST ? name.size : GPB_NAME_MOST;
    if (!text) return (tenon_str){"", 0};
    while (size < name.size && size && ((uint8_t)name.data[size] & 0xc0) == 0x80) size--;
    for (uint32_t i = 0; i < size; i++) text[i] = gpb_is_plain(name.data[i]) ? name.data[i] : '_';
    if (size == 0) return gpb_export_text(m, (tenon_str){"unnamed", 7}, end);
    return gpb_export_text(m, (tenon_str){text, size}, end);
}

static void gpb_name_materials(gpb_exporter *m, bool *is_seen)
{
    const tenon_scene *s = m->scene;
    tenon_str *names = gpb_export_alloc(m, m->material_count, sizeof *names);
    uint64_t changed;
    for (uint32_t i = 0; i < m->material_count && !m->failed; i++) {
        const gpb_made_material *made = &m->materials[i];
        uint32_t source = made->source == TENON_NONE ? s->material_count : made->source;
        tenon_str name =
            made->source == TENON_NONE ? (tenon_str){"", 0} : s->materials[made->source].name;
        const char *end = !is_seen[source]             ? ""
                          : made->ways & GPB_WITH_SKIN ? "_skinned"
                                                       : "_rigid";
        names[i] = gpb_clean_name(m, name, end);
        bool is_variant = is_seen[source] && made->source != TENON_NONE;
        gpb_export_lose(m, GPB_LOST_VARIANTS, is_variant, "materials", source);
        is_seen[source] = true;
    }
    if (m->failed || !tn_unique_names(m->e, names, m->material_count, "unnamed", &changed))
        m->failed = true;
    for (uint32_t i = 0; i < m->material_count && !m->failed; i++) m->materials[i].name = names[i];
}

// Count names that the importer cannot restore.
static void gpb_count_names(gpb_exporter *m, bool *is_seen)
{
    memset(is_seen, 0, ((size_t)m->scene->material_count + 1) * sizeof *is_seen);
    for (uint32_t i = 0; i < m->material_count; i++) {
        uint32_t source = m->materials[i].source;
        if (source == TENON_NONE) {
            gpb_export_lose(m, GPB_LOST_NO_MATERIAL, 1, "meshes", 0);
            continue;
        }
        bool is_same = tn_text_equal(m->materials[i].name, m->scene->materials[source].name);
        if (!is_seen[source])
            gpb_export_lose(m, GPB_LOST_MATERIAL_NAMES, !is_same, "materials", source);
        is_seen[source] = true;
    }
    for (uint32_t i = 0; i < m->scene->material_count; i++) {
        gpb_export_lose(m, GPB_LOST_MATERIALS, !is_seen[i], "materials", i);
        gpb_export_lose(m, GPB_LOST_NO_FILE, is_seen[i] && m->e->opts->without_materials,
                        "materials", i);
    }
}

void gpb_choose_materials(gpb_exporter *m)
{
    uint64_t count = (uint64_t)m->scene->material_count + 1;
    m->variants = gpb_export_alloc(m, GPB_WAYS * count, sizeof *m->variants);
    m->materials = gpb_export_alloc(m, GPB_WAYS * count, sizeof *m->materials);
    bool *is_seen = gpb_export_alloc(m, count, sizeof *is_seen);
    if (m->failed) return;
    gpb_use_materials(m);
    gpb_name_materials(m, is_seen);
    if (!m->failed) gpb_count_names(m, is_seen);
}
