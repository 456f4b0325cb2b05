// bplx_export_loss.c: what a BPLX model cannot hold of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/text/text.h"
#include "exchange/losses.h"

// The name that import gives to the mesh and its node.
static bool bplx_export_loss_is_usual_name(tenon_str name)
{
    return tn_text_is(name, "mesh");
}

// -- Materials

static bool bplx_export_loss_has_other_alpha(const tenon_material *material)
{
    return material->alpha != (material->base_color[3] < 1 ? TENON_BLEND : TENON_OPAQUE);
}

static bool bplx_export_loss_is_transformed(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    if (t->image == TENON_NONE) return false;
    return t->rotation != 0 || t->offset[0] != 0 || t->offset[1] != 0 || t->scale[0] != 1 ||
           t->scale[1] != 1 || t->uv_set != 0;
}

static const tn_limit bplx_material_limits[] = {
    {.feature = TN_HAS_METAL, .why = "BPLX stores a specular color and shininess instead"},
    {.is_lost = bplx_export_loss_has_other_alpha,
     .name = "alpha modes",
     .kind = TENON_APPROXIMATED,
     .why = "BPLX stores only one opacity per material"},
    {.is_lost = bplx_export_loss_is_transformed,
     .name = "transforms of textures",
     .kind = TENON_APPROXIMATED,
     .why = "applied to the texture coordinates"},
    {.feature = TN_HAS_DOUBLE_SIDES},
    {.feature = TN_HAS_UNLIT},
    {.feature = TN_HAS_STRENGTHS},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR),
     .name = "further textures",
     .why = "BPLX supports one texture per material"},
    {.feature = TN_HAS_TEXTURE_WRAPS, .most = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR)},
    {.feature = TN_HAS_PICTURE_NAMES},
};

static const tn_limit bplx_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_TANGENTS},
    {.feature = TN_HAS_UV_SETS, .most = 1, .why = "BPLX supports one set"},
    {.feature = TN_HAS_COLOR_SETS},
    {.feature = TN_HAS_WEIGHTS, .why = "not supported by BPLX: bones do not move vertices"},
    {.feature = TN_HAS_SKINS, .why = "not supported by BPLX; vertices are in the rest pose"},
    {.feature = TN_HAS_EVENTS},
    {.feature = TN_HAS_SCENE_NAME},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
    {.feature = TN_HAS_EXTRAS},
};

static void bplx_export_loss_report_materials(const bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    uint32_t count = exporter->scene->material_count, used = 0;
    for (uint32_t i = 0; i < count; i++) used += exporter->is_used[i];
    if (!(exporter->doc->base.dialect->flags & TENON_BPLX_MATERIALS)) {
        tn_export_report(export, TENON_DROPPED, "materials", count, "materials[0]",
                         "not supported by the dialect 'script'");
        return;
    }
    bool is_mixed = used > 1 || (used && exporter->is_blank) || (!used && count);
    tn_export_report(export, TENON_APPROXIMATED, "materials", is_mixed ? count : 0, "materials[0]",
                     "BPLX does not assign materials to faces; readers use the first for all");
    tn_export_report(export, TENON_APPROXIMATED, "materials", is_mixed ? 0 : count - used, NULL,
                     "not used by any face; readers use only the first");
    tn_report_limits(export, "BPLX", bplx_material_limits,
                     sizeof bplx_material_limits / sizeof *bplx_material_limits);
}

// -- Meshes and nodes

static void bplx_export_loss_report_meshes(const bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    uint64_t parts = exporter->rig.part_count - exporter->empty.count;
    tn_tally names = {0}, still = {0};
    bool *is_seen = tn_export_alloc(export, scene->mesh_count, sizeof *is_seen);
    bool *moves = tn_moving_nodes(export);
    bool *skin_moves = tn_export_alloc(export, scene->skin_count, sizeof *skin_moves);
    if (!is_seen || !moves || !skin_moves) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) is_seen[scene->nodes[i].mesh] = true;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        tenon_str name = scene->meshes[i].name;
        tn_tally_at(&names, is_seen[i] && name.size && !bplx_export_loss_is_usual_name(name),
                    "meshes", i);
    }
    // Meshes that clips move in the scene, but not in the file.
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            skin_moves[i] = skin_moves[i] || moves[scene->skins[i].joints[k]];
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        uint32_t skin = scene->nodes[part->node].skin;
        tn_tally_at(&still, part->is_skinned ? skin_moves[skin] : moves[part->node], "meshes",
                    part->mesh);
    }
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of meshes",
                           "not supported by BPLX");
    tn_export_report_tally(export, &exporter->empty, TENON_DROPPED, "parts of meshes", "empty");
    tn_export_report(export, TENON_APPROXIMATED, "meshes", parts > 1 ? parts : 0, "meshes[0]",
                     "merged into one");
    tn_export_report(export, TENON_MADE_UP, "meshes", parts == 0, NULL,
                     "BPLX requires one; an empty mesh was added");
    tn_export_report(export, TENON_APPROXIMATED, "normals", exporter->reversed, NULL,
                     "most faces point away from their normals, and readers would flip the faces");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "motion of meshes", still.count, still.path,
                          "bones do not move the mesh, which stays in the rest pose");
}

void bplx_export_report_losses(const bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tn_tally lost = {0}, promoted = {0};
    bool is_back = false;  // Import creates one node for the mesh, without a transform.
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        bool is_bone = exporter->node_bones[i] != TENON_NONE;
        bool is_usual = !is_bone && !is_back && node->mesh != TENON_NONE &&
                        bplx_export_loss_is_usual_name(node->name) && node->parent == TENON_NONE &&
                        tn_is_unmoved(node);
        is_back = is_back || is_usual;
        tn_tally_at(&promoted, is_bone && !node->is_joint, "nodes", i);
        tn_tally_at(&lost, !is_bone && !is_usual, "nodes", i);
    }
    tn_export_report_tally(export, &lost, TENON_DROPPED, "nodes",
                           "BPLX stores only bones; other transforms were applied to the vertices");
    tn_export_report_tally(export, &promoted, TENON_APPROXIMATED, "nodes", "converted to bones");
    tn_export_report_tally(export, &exporter->sheared, TENON_APPROXIMATED, "shear",
                           "BPLX bones do not support shear");
    bplx_export_loss_report_meshes(exporter);
    bplx_export_loss_report_materials(exporter);
    bool has_block = (exporter->doc->base.dialect->flags & TENON_BPLX_MATERIALS) != 0;
    tn_export_report(
        export, TENON_DEFAULTED, "layout", has_block && !export->dialect, NULL,
        "written as documented, but the published reader reads only the dialect 'script'");
    tn_export_report_tally(export, &exporter->curves, TENON_APPROXIMATED, "curves",
                           "converted to linear interpolation");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite, NULL,
                     "values too large for a float were clamped");
    tn_report_limits(export, "BPLX", bplx_limits, sizeof bplx_limits / sizeof *bplx_limits);
}
