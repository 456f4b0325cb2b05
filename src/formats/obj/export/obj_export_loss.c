// obj_export_loss.c: reports what OBJ cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/text/tally.h"
#include "core/text/text.h"
#include "scene/model/pieces.h"

#include <stdio.h>

// -- Materials

static void obj_export_loss_report_materials(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    tn_tally sides = {0}, alpha = {0}, shininess = {0}, occlusion = {0}, light_maps = {0};
    tn_tally rotations = {0}, wraps = {0};
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const tenon_material *m = &scene->materials[i];
        bool has_texture = m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
        bool has_rotation = false, has_other_wrap = false;
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            const tenon_texture *t = &m->textures[slot];
            if (t->image == TENON_NONE) continue;
            if (t->rotation != 0) has_rotation = true;
            if (t->wrap[0] != t->wrap[1] || t->wrap[0] == TENON_MIRROR) has_other_wrap = true;
        }
        tn_tally_at(&sides, tn_is_double_sided(m), "materials", i);
        tn_tally_at(&alpha, m->alpha == TENON_MASK || (m->alpha == TENON_BLEND && has_texture),
                    "materials", i);
        tn_tally_at(&shininess, m->is_classic && m->shininess > 1000, "materials", i);
        tn_tally_at(&occlusion, m->textures[TENON_SLOT_OCCLUSION].image != TENON_NONE, "materials",
                    i);
        tn_tally_at(&light_maps, m->textures[TENON_SLOT_LIGHT_MAP].image != TENON_NONE, "materials",
                    i);
        tn_tally_at(&rotations, has_rotation, "materials", i);
        tn_tally_at(&wraps, has_other_wrap, "materials", i);
    }
    tn_export_report_tally(export, &sides, TENON_DROPPED, "double-sided materials",
                           "OBJ cannot store which sides are visible");
    tn_export_report_tally(export, &alpha, TENON_APPROXIMATED, "alpha of textures",
                           "OBJ stores only one alpha for the whole material");
    tn_export_report_tally(export, &shininess, TENON_APPROXIMATED, "shininess",
                           "clamped to 1000, the maximum in OBJ");
    tn_export_report_tally(export, &occlusion, TENON_DROPPED, "occlusion textures",
                           "not supported by OBJ");
    tn_export_report_tally(export, &light_maps, TENON_DROPPED, "light maps",
                           "not supported by OBJ");
    tn_export_report_tally(export, &rotations, TENON_DROPPED, "rotations of textures",
                           "OBJ supports only scale and offset of textures");
    tn_export_report_tally(export, &wraps, TENON_APPROXIMATED, "edges of textures",
                           "OBJ supports only repeat or clamp, the same in both directions");
}

// -- Meshes

// Whether a texture uses other texture coordinates than those that are written.
static bool obj_export_loss_has_other_uvs(const tenon_scene *scene, const tenon_primitive *p)
{
    uint32_t written = obj_export_uv_set(scene, p);
    if (p->material == TENON_NONE || written == TENON_NONE) return false;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &scene->materials[p->material].textures[slot];
        if (t->image != TENON_NONE && t->uv_set != written) return true;
    }
    return false;
}

static void obj_export_loss_report_primitives(const tn_export *export)
{
    static const char list[] = "primitives";
    const tenon_scene *scene = export->scene;
    tn_tally tangents = {0}, uvs = {0}, textures = {0}, normals = {0}, colors = {0}, alpha = {0};
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            uint32_t sets = 0;
            for (uint32_t set = 0; set < TENON_UV_SETS; set++) sets += p->uvs[set] != NULL;
            bool has_alpha = false;
            for (uint64_t v = 0; p->colors[0] && v < p->vertex_count && !has_alpha; v++)
                has_alpha = p->colors[0][4 * v + 3] != 1;
            tn_tally_in(&tangents, p->tangents != NULL, "meshes", i, list, k);
            tn_tally_in(&uvs, sets > (p->mode == TENON_POINTS ? 0 : 1), "meshes", i, list, k);
            tn_tally_in(&textures, obj_export_loss_has_other_uvs(scene, p), "meshes", i, list, k);
            tn_tally_in(&normals, p->normals && tn_piece_size(p->mode) < 3, "meshes", i, list, k);
            tn_tally_in(&colors, p->colors[1] != NULL, "meshes", i, list, k);
            tn_tally_in(&alpha, has_alpha, "meshes", i, list, k);
        }
    tn_export_report_tally(export, &tangents, TENON_DROPPED, "tangents", "not supported by OBJ");
    tn_export_report_tally(export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "OBJ supports one set, for lines and triangles");
    tn_export_report_tally(export, &textures, TENON_APPROXIMATED, "textures",
                           "they use the texture coordinates of another texture");
    tn_export_report_tally(export, &normals, TENON_DROPPED, "normals of points and lines",
                           "OBJ supports normals only for triangles");
    tn_export_report_tally(export, &colors, TENON_DROPPED, "further vertex colors",
                           "OBJ supports only one set");
    tn_export_report_tally(export, &alpha, TENON_DROPPED, "alpha of vertex colors",
                           "OBJ stores only red, green and blue");
}

// Meshes that no node, or that several nodes use.
static void obj_export_loss_report_mesh_uses(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    tn_tally unused = {0}, shared = {0};
    uint32_t *uses = tn_export_alloc(export, scene->mesh_count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) uses[scene->nodes[i].mesh]++;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        tn_tally_at(&unused, uses[i] == 0, "meshes", i);
        tn_tally_at(&shared, uses[i] > 1, "meshes", i);
    }
    tn_export_report_tally(export, &unused, TENON_DROPPED, "meshes", "not used by a node");
    tn_export_report_tally(export, &shared, TENON_APPROXIMATED, "shared meshes",
                           "copied for each node");
}

// -- The scene

static void obj_export_loss_report_dropped(const tn_export *export, const char *list,
                                           uint64_t count, const char *why)
{
    char path[32];
    (void)snprintf(path, sizeof path, "%s[0]", list);
    tn_export_report(export, TENON_DROPPED, list, count, path, why);
}

void obj_export_report_losses(const obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    tn_tally nodes = {0}, mesh_names = {0};
    bool needs_material = false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        const tenon_mesh *mesh = node->mesh == TENON_NONE ? NULL : &scene->meshes[node->mesh];
        // The transform of a node with a skinned mesh is ignored.
        bool is_kept =
            mesh && node->parent == TENON_NONE && (node->skin != TENON_NONE || tn_is_unmoved(node));
        tn_tally_at(&nodes, !is_kept, "nodes", i);
        if (!mesh) continue;
        // Objects have the names of nodes. The name of a mesh is used only if its node has none.
        bool is_renamed =
            node->name.size && mesh->name.size && !tn_text_equal(mesh->name, node->name);
        tn_tally_at(&mesh_names, is_renamed, "meshes", node->mesh);
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            if (mesh->primitives[k].material == TENON_NONE) needs_material = true;
    }
    tn_export_report_tally(export, &nodes, TENON_DROPPED, "nodes",
                           "OBJ has no hierarchy: transforms are applied to the vertices");
    obj_export_loss_report_mesh_uses(export);
    obj_export_loss_report_primitives(export);
    tn_export_report(export, TENON_DROPPED, "flat triangles", exporter->flat_count, NULL,
                     "two of their corners use the same vertex");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite_count, NULL,
                     "too large: set to 0");
    obj_export_loss_report_materials(export);
    // Without `usemtl`, a primitive would get the material of the previous one.
    tn_export_report(export, TENON_MADE_UP, "materials", exporter->library && needs_material, NULL,
                     "added a default material to meshes without one");
    tn_export_report_picture_names(export);
    tn_export_report(export, TENON_DROPPED, "name of the scene", scene->name.size > 0, NULL,
                     "not supported by OBJ");
    obj_export_loss_report_dropped(export, "skins", scene->skin_count,
                                   "OBJ has no skins: vertices are written in the current pose");
    obj_export_loss_report_dropped(export, "animations", scene->animation_count,
                                   "OBJ stores only one pose");
    obj_export_loss_report_dropped(export, "cameras", scene->camera_count, "not supported by OBJ");
    obj_export_loss_report_dropped(export, "lights", scene->light_count, "not supported by OBJ");
    obj_export_loss_report_dropped(export, "extras", scene->extra_count, "not supported by OBJ");
    tn_export_report_tally(export, &mesh_names, TENON_DROPPED, "names of meshes",
                           "replaced by the names of the nodes");
    tn_export_report(export, TENON_APPROXIMATED, "names", exporter->renamed_count, NULL,
                     "changed: each must be one word, and unique");
}
