// obj_export_loss.c: reports what OBJ cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/text/tally.h"
#include "core/text/text.h"
#include "exchange/losses.h"
#include "scene/model/pieces.h"

static const tn_limit obj_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_SHARED_MESHES},
    {.feature = TN_HAS_TANGENTS},
    {.feature = TN_HAS_COLOR_SETS, .most = 1, .why = "OBJ supports only one set"},
    {.feature = TN_HAS_DOUBLE_SIDES, .why = "OBJ cannot store which sides are visible"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~TN_SLOT_BIT(TENON_SLOT_OCCLUSION),
     .name = "occlusion textures"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~TN_SLOT_BIT(TENON_SLOT_LIGHT_MAP),
     .name = "light maps"},
    {.feature = TN_HAS_PICTURE_NAMES},
    {.feature = TN_HAS_SCENE_NAME},
    {.feature = TN_HAS_SKINS, .why = "OBJ has no skins: vertices are written in the current pose"},
    {.feature = TN_HAS_ANIMATIONS, .why = "OBJ stores only one pose"},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
    {.feature = TN_HAS_EXTRAS},
};

static void obj_export_loss_report_materials(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    tn_tally alpha = {0}, shininess = {0}, rotations = {0}, wraps = {0};
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
        tn_tally_at(&alpha, m->alpha == TENON_MASK || (m->alpha == TENON_BLEND && has_texture),
                    "materials", i);
        tn_tally_at(&shininess, m->is_classic && m->shininess > 1000, "materials", i);
        tn_tally_at(&rotations, has_rotation, "materials", i);
        tn_tally_at(&wraps, has_other_wrap, "materials", i);
    }
    tn_export_report_tally(export, &alpha, TENON_APPROXIMATED, "alpha of textures",
                           "OBJ stores only one alpha for the whole material");
    tn_export_report_tally(export, &shininess, TENON_APPROXIMATED, "shininess",
                           "clamped to 1000, the maximum in OBJ");
    tn_export_report_tally(export, &rotations, TENON_DROPPED, "rotations of textures",
                           "OBJ supports only scale and offset of textures");
    tn_export_report_tally(export, &wraps, TENON_APPROXIMATED, "edges of textures",
                           "OBJ supports only repeat or clamp, the same in both directions");
}

static void obj_export_loss_report_primitives(const tn_export *export)
{
    static const char list[] = "primitives";
    const tenon_scene *scene = export->scene;
    tn_tally uvs = {0}, textures = {0}, normals = {0}, alpha = {0};
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            uint32_t sets = 0;
            for (uint32_t set = 0; set < TENON_UV_SETS; set++) sets += p->uvs[set] != NULL;
            bool has_alpha = false;
            for (uint64_t v = 0; p->colors[0] && v < p->vertex_count && !has_alpha; v++)
                has_alpha = p->colors[0][4 * v + 3] != 1;
            // A texture uses other texture coordinates than those that are written.
            bool has_other_uvs = false;
            uint32_t written = obj_export_uv_set(scene, p);
            bool is_textured = p->material != TENON_NONE && written != TENON_NONE;
            for (int slot = 0; is_textured && slot < TENON_SLOT_COUNT && !has_other_uvs; slot++) {
                const tenon_texture *t = &scene->materials[p->material].textures[slot];
                has_other_uvs = t->image != TENON_NONE && t->uv_set != written;
            }
            tn_tally_in(&uvs, sets > (p->mode == TENON_POINTS ? 0 : 1), "meshes", i, list, k);
            tn_tally_in(&textures, has_other_uvs, "meshes", i, list, k);
            tn_tally_in(&normals, p->normals && tn_piece_size(p->mode) < 3, "meshes", i, list, k);
            tn_tally_in(&alpha, has_alpha, "meshes", i, list, k);
        }
    tn_export_report_tally(export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "OBJ supports one set, for lines and triangles");
    tn_export_report_tally(export, &textures, TENON_APPROXIMATED, "textures",
                           "they use the texture coordinates of another texture");
    tn_export_report_tally(export, &normals, TENON_DROPPED, "normals of points and lines",
                           "OBJ supports normals only for triangles");
    tn_export_report_tally(export, &alpha, TENON_DROPPED, "alpha of vertex colors",
                           "OBJ stores only red, green and blue");
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
    obj_export_loss_report_primitives(export);
    tn_export_report(export, TENON_DROPPED, "flat triangles", exporter->flat_count, NULL,
                     "two of their corners use the same vertex");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite_count, NULL,
                     "too large: set to 0");
    obj_export_loss_report_materials(export);
    // Without `usemtl`, a primitive would get the material of the previous one.
    tn_export_report(export, TENON_MADE_UP, "materials", exporter->library && needs_material, NULL,
                     "added a default material to meshes without one");
    tn_report_limits(export, "OBJ", obj_limits, sizeof obj_limits / sizeof *obj_limits);
    tn_export_report_tally(export, &mesh_names, TENON_DROPPED, "names of meshes",
                           "replaced by the names of the nodes");
    tn_export_report(export, TENON_APPROXIMATED, "names", exporter->renamed_count, NULL,
                     "changed: each must be one word, and unique");
}
