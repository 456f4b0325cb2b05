// obj_export_loss.c: reports what OBJ cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"
#include "scene/model/pieces.h"

#include <stdio.h>
#include <string.h>

// -- Materials

static bool has_alpha_mode(const tenon_material *m)
{
    bool has_texture = m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    return m->alpha == TENON_MASK || (m->alpha == TENON_BLEND && has_texture);
}

static bool is_too_shiny(const tenon_material *m)
{
    return m->is_classic && m->shininess > 1000;
}

static bool has_occlusion(const tenon_material *m)
{
    return m->textures[TENON_SLOT_OCCLUSION].image != TENON_NONE;
}

static bool has_light_map(const tenon_material *m)
{
    return m->textures[TENON_SLOT_LIGHT_MAP].image != TENON_NONE;
}

static bool any_texture(const tenon_material *m, bool (*test)(const tenon_texture *t))
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (m->textures[slot].image != TENON_NONE && test(&m->textures[slot])) return true;
    return false;
}

static bool is_rotated(const tenon_texture *t)
{
    return t->rotation != 0;
}

static bool has_unsupported_wrap(const tenon_texture *t)
{
    return t->wrap[0] != t->wrap[1] || t->wrap[0] == TENON_MIRROR;
}

static bool has_rotated_texture(const tenon_material *m)
{
    return any_texture(m, is_rotated);
}

static bool has_other_wrap(const tenon_material *m)
{
    return any_texture(m, has_unsupported_wrap);
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const tenon_material *m);
} material_losses[] = {
    {TENON_DROPPED, "double-sided materials", "OBJ cannot store which sides are visible",
     tn_is_double_sided},
    {TENON_APPROXIMATED, "alpha of textures", "OBJ stores only one alpha for the whole material",
     has_alpha_mode},
    {TENON_APPROXIMATED, "shininess", "clamped to 1000, the maximum in OBJ", is_too_shiny},
    {TENON_DROPPED, "occlusion textures", "not supported by OBJ", has_occlusion},
    {TENON_DROPPED, "light maps", "not supported by OBJ", has_light_map},
    {TENON_DROPPED, "rotations of textures", "OBJ supports only scale and offset of textures",
     has_rotated_texture},
    {TENON_APPROXIMATED, "edges of textures",
     "OBJ supports only repeat or clamp, the same in both directions", has_other_wrap},
};

static void report_materials(const tn_export *export)
{
    const tenon_scene *s = export->scene;
    for (size_t row = 0; row < sizeof material_losses / sizeof material_losses[0]; row++) {
        uint64_t count = 0;
        char path[64] = "";
        for (uint32_t i = 0; i < s->material_count; i++) {
            if (!material_losses[row].test(&s->materials[i])) continue;
            if (count++ == 0) (void)snprintf(path, sizeof path, "materials[%u]", (unsigned)i);
        }
        tn_export_report(export, material_losses[row].kind, material_losses[row].feature, count,
                         path, material_losses[row].why);
    }
}

// -- Meshes

static bool has_tangents(const tenon_scene *s, const tenon_primitive *p)
{
    (void)s;
    return p->tangents != NULL;
}

// Texture coordinates other than those that are written.
static bool has_more_uvs(const tenon_scene *s, const tenon_primitive *p)
{
    (void)s;
    uint32_t sets = 0;
    for (uint32_t set = 0; set < TENON_UV_SETS; set++) sets += p->uvs[set] != NULL;
    return sets > (p->mode == TENON_POINTS ? 0 : 1);
}

// A texture that uses other texture coordinates than those that are written.
static bool has_other_uvs(const tenon_scene *s, const tenon_primitive *p)
{
    uint32_t written = obj_uv_set(s, p);
    if (p->material == TENON_NONE || written == TENON_NONE) return false;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &s->materials[p->material].textures[slot];
        if (t->image != TENON_NONE && t->uv_set != written) return true;
    }
    return false;
}

static bool has_flat_normals(const tenon_scene *s, const tenon_primitive *p)
{
    (void)s;
    return p->normals && tn_piece_size(p->mode) < 3;
}

static bool has_more_colors(const tenon_scene *s, const tenon_primitive *p)
{
    (void)s;
    return p->colors[1] != NULL;
}

static bool has_color_alpha(const tenon_scene *s, const tenon_primitive *p)
{
    (void)s;
    for (uint64_t i = 0; p->colors[0] && i < p->vertex_count; i++)
        if (p->colors[0][4 * i + 3] != 1) return true;
    return false;
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const tenon_scene *s, const tenon_primitive *p);
} primitive_losses[] = {
    {TENON_DROPPED, "tangents", "not supported by OBJ", has_tangents},
    {TENON_DROPPED, "further texture coordinates", "OBJ supports one set, for lines and triangles",
     has_more_uvs},
    {TENON_APPROXIMATED, "textures", "they use the texture coordinates of another texture",
     has_other_uvs},
    {TENON_DROPPED, "normals of points and lines", "OBJ supports normals only for triangles",
     has_flat_normals},
    {TENON_DROPPED, "further vertex colors", "OBJ supports only one set", has_more_colors},
    {TENON_DROPPED, "alpha of vertex colors", "OBJ stores only red, green and blue",
     has_color_alpha},
};

static void report_primitives(const tn_export *export)
{
    const tenon_scene *s = export->scene;
    for (size_t row = 0; row < sizeof primitive_losses / sizeof primitive_losses[0]; row++) {
        uint64_t count = 0;
        char path[64] = "";
        for (uint32_t i = 0; i < s->mesh_count; i++)
            for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
                if (!primitive_losses[row].test(s, &s->meshes[i].primitives[k])) continue;
                if (count++ == 0)
                    (void)snprintf(path, sizeof path, "meshes[%u].primitives[%u]", (unsigned)i,
                                   (unsigned)k);
            }
        tn_export_report(export, primitive_losses[row].kind, primitive_losses[row].feature, count,
                         path, primitive_losses[row].why);
    }
}

// Meshes that no node, or that several nodes use.
static void report_uses(const tn_export *export)
{
    const tenon_scene *s = export->scene;
    uint64_t unused = 0, shared = 0;
    char first_unused[32] = "", first_shared[32] = "";
    uint32_t *uses = tn_export_alloc(export, s->mesh_count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < s->node_count; i++)
        if (s->nodes[i].mesh != TENON_NONE) uses[s->nodes[i].mesh]++;
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        if (uses[i] == 0 && unused++ == 0)
            (void)snprintf(first_unused, sizeof first_unused, "meshes[%u]", (unsigned)i);
        if (uses[i] > 1 && shared++ == 0)
            (void)snprintf(first_shared, sizeof first_shared, "meshes[%u]", (unsigned)i);
    }
    tn_export_report(export, TENON_DROPPED, "meshes", unused, first_unused, "not used by a node");
    tn_export_report(export, TENON_APPROXIMATED, "shared meshes", shared, first_shared,
                     "copied for each node");
}

// Without `usemtl`, a primitive would get the material of the previous one.
static void report_default_material(const obj_exporter *exporter)
{
    const tenon_scene *s = exporter->export->scene;
    bool is_used = false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_mesh *mesh =
            s->nodes[i].mesh == TENON_NONE ? NULL : &s->meshes[s->nodes[i].mesh];
        for (uint32_t k = 0; mesh && k < mesh->primitive_count; k++)
            is_used = is_used || mesh->primitives[k].material == TENON_NONE;
    }
    tn_export_report(exporter->export, TENON_MADE_UP, "materials", exporter->library && is_used,
                     NULL, "added a default material to meshes without one");
}

// -- Nodes and the whole scene

static void report_nodes(const tn_export *export)
{
    uint64_t count = 0;
    char path[32] = "";
    for (uint32_t i = 0; i < export->scene->node_count; i++) {
        const tenon_node *node = &export->scene->nodes[i];
        bool is_root = node->mesh != TENON_NONE && node->parent == TENON_NONE;
        // The transform of a node with a skinned mesh is ignored.
        if (is_root && (node->skin != TENON_NONE || tn_is_unmoved(node))) continue;
        if (count++ == 0) (void)snprintf(path, sizeof path, "nodes[%u]", (unsigned)i);
    }
    tn_export_report(export, TENON_DROPPED, "nodes", count, path,
                     "OBJ has no hierarchy: transforms are applied to the vertices");
}

// Objects have the names of nodes. The name of a mesh is used only if its node has none.
static void report_mesh_names(const tn_export *export)
{
    uint64_t count = 0;
    char path[32] = "";
    for (uint32_t i = 0; i < export->scene->node_count; i++) {
        const tenon_node *node = &export->scene->nodes[i];
        if (node->mesh == TENON_NONE || node->name.size == 0) continue;
        tenon_str name = export->scene->meshes[node->mesh].name;
        bool is_same =
            name.size == node->name.size && memcmp(name.data, node->name.data, name.size) == 0;
        if (name.size == 0 || is_same) continue;
        if (count++ == 0) (void)snprintf(path, sizeof path, "meshes[%u]", (unsigned)node->mesh);
    }
    tn_export_report(export, TENON_DROPPED, "names of meshes", count, path,
                     "replaced by the names of the nodes");
}

static void report_dropped(const tn_export *export, const char *list, uint64_t count,
                           const char *why)
{
    char path[32];
    (void)snprintf(path, sizeof path, "%s[0]", list);
    tn_export_report(export, TENON_DROPPED, list, count, path, why);
}

void obj_report_losses(const obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    report_nodes(export);
    report_uses(export);
    report_primitives(export);
    tn_export_report(export, TENON_DROPPED, "flat triangles", exporter->flat_count, NULL,
                     "two of their corners use the same vertex");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite_count, NULL,
                     "too large: set to 0");
    report_materials(export);
    report_default_material(exporter);
    tn_export_report_picture_names(export);
    tn_export_report(export, TENON_DROPPED, "name of the scene", export->scene->name.size > 0, NULL,
                     "not supported by OBJ");
    report_dropped(export, "skins", export->scene->skin_count,
                   "OBJ has no skins: vertices are written in the current pose");
    report_dropped(export, "animations", export->scene->animation_count,
                   "OBJ stores only one pose");
    report_dropped(export, "cameras", export->scene->camera_count, "not supported by OBJ");
    report_dropped(export, "lights", export->scene->light_count, "not supported by OBJ");
    report_dropped(export, "extras", export->scene->extra_count, "not supported by OBJ");
    report_mesh_names(export);
    tn_export_report(export, TENON_APPROXIMATED, "names", exporter->renamed_count, NULL,
                     "changed: each must be one word, and unique");
}
