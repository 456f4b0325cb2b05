// bplx_export_loss.c: what a BPLX model cannot hold of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/text/text.h"

#include <string.h>

// The name that import gives to the mesh and its node.
static bool bplx_export_loss_is_usual_name(tenon_str name)
{
    return tn_text_is(name, "mesh");
}

// -- Materials

static bool bplx_export_loss_is_metal(const tenon_material *material)
{
    return !material->is_classic;
}

static bool bplx_export_loss_has_other_alpha(const tenon_material *material)
{
    return material->alpha != (material->base_color[3] < 1 ? TENON_BLEND : TENON_OPAQUE);
}

static bool bplx_export_loss_has_more_textures(const tenon_material *material)
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (slot != TENON_SLOT_BASE_COLOR && material->textures[slot].image != TENON_NONE)
            return true;
    return false;
}

static bool bplx_export_loss_is_transformed(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    if (t->image == TENON_NONE) return false;
    return t->rotation != 0 || t->offset[0] != 0 || t->offset[1] != 0 || t->scale[0] != 1 ||
           t->scale[1] != 1 || t->uv_set != 0;
}

static bool bplx_export_loss_is_wrapped(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    return t->image != TENON_NONE && (t->wrap[0] != TENON_REPEAT || t->wrap[1] != TENON_REPEAT);
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const tenon_material *material);
} bplx_material_losses[] = {
    {TENON_DROPPED, "metal and roughness", "BPLX stores a specular color and shininess instead",
     bplx_export_loss_is_metal},
    {TENON_APPROXIMATED, "alpha modes", "BPLX stores only one opacity per material",
     bplx_export_loss_has_other_alpha},
    {TENON_DROPPED, "double-sided materials", "not supported by BPLX", tn_is_double_sided},
    {TENON_DROPPED, "unlit materials", "not supported by BPLX", tn_is_unlit},
    {TENON_DROPPED, "strengths of textures", "not supported by BPLX", tn_has_strengths},
    {TENON_DROPPED, "further textures", "BPLX supports one texture per material",
     bplx_export_loss_has_more_textures},
    {TENON_APPROXIMATED, "transforms of textures", "applied to the texture coordinates",
     bplx_export_loss_is_transformed},
    {TENON_DROPPED, "edges of textures", "not supported by BPLX", bplx_export_loss_is_wrapped},
};

static void bplx_export_loss_report_material_values(const bplx_exporter *exporter)
{
    size_t rows = sizeof bplx_material_losses / sizeof bplx_material_losses[0];
    for (size_t row = 0; row < rows; row++) {
        tn_tally note = {0};
        for (uint32_t i = 0; i < exporter->scene->material_count; i++)
            tn_tally_at(&note, bplx_material_losses[row].test(&exporter->scene->materials[i]),
                        "materials", i);
        tn_export_report_tally(&exporter->export, &note, bplx_material_losses[row].kind,
                               bplx_material_losses[row].feature, bplx_material_losses[row].why);
    }
}

static void bplx_export_loss_report_materials(const bplx_exporter *exporter)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < exporter->scene->material_count; i++) used += exporter->is_used[i];
    if (!(exporter->doc->base.dialect->flags & TENON_BPLX_MATERIALS)) {
        tn_export_report(&exporter->export, TENON_DROPPED, "materials",
                         exporter->scene->material_count, "materials[0]",
                         "not supported by the dialect 'script'");
        return;
    }
    bool is_mixed =
        used > 1 || (used && exporter->is_blank) || (!used && exporter->scene->material_count);
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "materials",
                     is_mixed ? exporter->scene->material_count : 0, "materials[0]",
                     "BPLX does not assign materials to faces; readers use the first for all");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "materials",
                     is_mixed ? 0 : exporter->scene->material_count - used, NULL,
                     "not used by any face; readers use only the first");
    bplx_export_loss_report_material_values(exporter);
}

// -- The mesh

static void bplx_export_loss_report_streams(const bplx_exporter *exporter)
{
    tn_tally tangents = {0}, uvs = {0}, colors = {0}, weights = {0};
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        const tenon_primitive *p = part->p;
        uint32_t more = 0;
        for (uint32_t set = 1; set < TENON_UV_SETS; set++) more += p->uvs[set] != NULL;
        tn_tally_at(&tangents, p->tangents != NULL, "meshes", part->mesh);
        tn_tally_at(&uvs, more != 0, "meshes", part->mesh);
        tn_tally_at(&colors, p->colors[0] || p->colors[1], "meshes", part->mesh);
        tn_tally_at(&weights, p->influence_count != 0, "meshes", part->mesh);
    }
    tn_export_report_tally(&exporter->export, &tangents, TENON_DROPPED, "tangents",
                           "not supported by BPLX");
    tn_export_report_tally(&exporter->export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "BPLX supports one set");
    tn_export_report_tally(&exporter->export, &colors, TENON_DROPPED, "vertex colors",
                           "not supported by BPLX");
    tn_export_report_tally(&exporter->export, &weights, TENON_DROPPED, "skin weights",
                           "not supported by BPLX: bones do not move vertices");
}

static bool bplx_export_loss_skin_moves(const tenon_skin *skin, const bool *moves)
{
    for (uint32_t i = 0; i < skin->joint_count; i++)
        if (moves[skin->joints[i]]) return true;
    return false;
}

// Meshes that clips move in the scene, but not in the file.
static void bplx_export_loss_report_motion(const bplx_exporter *exporter)
{
    tn_tally still = {0};
    bool *moves = tn_moving_nodes(&exporter->export);
    bool *skin_moves =
        tn_export_alloc(&exporter->export, exporter->scene->skin_count, sizeof *skin_moves);
    if (!moves || !skin_moves) return;
    for (uint32_t i = 0; i < exporter->scene->skin_count; i++)
        skin_moves[i] = bplx_export_loss_skin_moves(&exporter->scene->skins[i], moves);
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        uint32_t skin = exporter->scene->nodes[part->node].skin;
        tn_tally_at(&still, part->is_skinned ? skin_moves[skin] : moves[part->node], "meshes",
                    part->mesh);
    }
    tn_export_approximate(&exporter->export, TN_MEASURE_REMAINDER, "motion of meshes", still.count,
                          still.path, "bones do not move the mesh, which stays in the rest pose");
}

static void bplx_export_loss_report_mesh(const bplx_exporter *exporter)
{
    uint64_t parts = exporter->rig.part_count - exporter->empty.count;
    tn_tally names = {0}, unseen = {0};
    bool *is_seen =
        tn_export_alloc(&exporter->export, exporter->scene->mesh_count, sizeof *is_seen);
    if (!is_seen) return;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        if (exporter->scene->nodes[i].mesh != TENON_NONE)
            is_seen[exporter->scene->nodes[i].mesh] = true;
    for (uint32_t i = 0; i < exporter->scene->mesh_count; i++) {
        tn_tally_at(&unseen, !is_seen[i], "meshes", i);
        tenon_str name = exporter->scene->meshes[i].name;
        tn_tally_at(&names, is_seen[i] && name.size && !bplx_export_loss_is_usual_name(name),
                    "meshes", i);
    }
    tn_export_report_tally(&exporter->export, &unseen, TENON_DROPPED, "meshes",
                           "not used by any node");
    tn_export_report_tally(&exporter->export, &names, TENON_DROPPED, "names of meshes",
                           "not supported by BPLX");
    tn_export_report_tally(&exporter->export, &exporter->empty, TENON_DROPPED, "parts of meshes",
                           "empty");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "meshes", parts > 1 ? parts : 0,
                     "meshes[0]", "merged into one");
    tn_export_report(&exporter->export, TENON_MADE_UP, "meshes", parts == 0, NULL,
                     "BPLX requires one; an empty mesh was added");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "normals", exporter->reversed, NULL,
                     "most faces point away from their normals, and readers would flip the faces");
    bplx_export_loss_report_streams(exporter);
}

// -- Nodes

// Import creates one node for the mesh, without a transform.
static void bplx_export_loss_report_nodes(const bplx_exporter *exporter)
{
    tn_tally lost = {0}, promoted = {0};
    bool is_back = false;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        if (exporter->node_bones[i] != TENON_NONE) {
            tn_tally_at(&promoted, !node->is_joint, "nodes", i);
            continue;
        }
        bool is_usual = !is_back && node->mesh != TENON_NONE &&
                        bplx_export_loss_is_usual_name(node->name) && node->parent == TENON_NONE &&
                        tn_is_unmoved(node);
        is_back = is_back || is_usual;
        tn_tally_at(&lost, !is_usual, "nodes", i);
    }
    tn_export_report_tally(&exporter->export, &lost, TENON_DROPPED, "nodes",
                           "BPLX stores only bones; other transforms were applied to the vertices");
    tn_export_report_tally(&exporter->export, &promoted, TENON_APPROXIMATED, "nodes",
                           "converted to bones");
    tn_export_report_tally(&exporter->export, &exporter->sheared, TENON_APPROXIMATED, "shear",
                           "BPLX bones do not support shear");
}

// -- Everything else

static void bplx_export_loss_report_others(const bplx_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    bool has_block = (exporter->doc->base.dialect->flags & TENON_BPLX_MATERIALS) != 0;
    tn_export_report(
        &exporter->export, TENON_DEFAULTED, "layout", has_block && !exporter->export.dialect, NULL,
        "written as documented, but the published reader reads only the dialect 'script'");
    tn_tally events = {0};
    for (uint32_t i = 0; i < scene->animation_count; i++)
        tn_tally_at(&events, scene->animations[i].event_count, "animations", i);
    tn_export_report(&exporter->export, TENON_DROPPED, "skins", scene->skin_count, "skins[0]",
                     "not supported by BPLX; vertices are in the rest pose");
    tn_export_report_tally(&exporter->export, &exporter->curves, TENON_APPROXIMATED, "curves",
                           "converted to linear interpolation");
    tn_export_report_tally(&exporter->export, &events, TENON_DROPPED, "events",
                           "not supported by BPLX");
    tn_export_report(&exporter->export, TENON_DROPPED, "name of the scene", scene->name.size > 0,
                     NULL, "not supported by BPLX");
    if (exporter->doc->base.dialect->flags & TENON_BPLX_MATERIALS)
        tn_export_report_picture_names(&exporter->export);
    tn_export_report(&exporter->export, TENON_DROPPED, "cameras", scene->camera_count, "cameras[0]",
                     "not supported by BPLX");
    tn_export_report(&exporter->export, TENON_DROPPED, "lights", scene->light_count, "lights[0]",
                     "not supported by BPLX");
    tn_export_report(&exporter->export, TENON_DROPPED, "extras", scene->extra_count, NULL,
                     "not supported by BPLX");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "numbers", exporter->not_finite, NULL,
                     "values too large for a float were clamped");
}

void bplx_export_report_losses(const bplx_exporter *exporter)
{
    bplx_export_loss_report_nodes(exporter);
    bplx_export_loss_report_mesh(exporter);
    bplx_export_loss_report_motion(exporter);
    bplx_export_loss_report_materials(exporter);
    bplx_export_loss_report_others(exporter);
}
