// bbmod_export_loss.c: reporting what BBMOD cannot store.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_rig.h"

#include <stdio.h>
#include <string.h>

// -- Materials

static bool bbmod_has_texture(const tenon_material *m, tenon_slot slot)
{
    return m->textures[slot].image != TENON_NONE;
}

static bool bbmod_is_metal(const tenon_material *m)
{
    return m->metallic != 0 || m->roughness != 1;
}

// With a texture, BBMOD ignores the values.
static bool bbmod_is_glossy(const tenon_material *m)
{
    if (!m->is_classic) return false;
    return !bbmod_has_texture(m, TENON_SLOT_SPECULAR) || m->specular[0] != 1 ||
           m->specular[1] != 1 || m->specular[2] != 1 || m->shininess != 1;
}

static bool bbmod_has_emissive_color(const tenon_material *m)
{
    double expected = bbmod_has_texture(m, TENON_SLOT_EMISSIVE) ? 1 : 0;
    return m->emissive[0] != expected || m->emissive[1] != expected || m->emissive[2] != expected;
}

static bool bbmod_has_packed(const tenon_material *m)
{
    return bbmod_has_texture(m, TENON_SLOT_METALLIC_ROUGHNESS) ||
           bbmod_has_texture(m, TENON_SLOT_OCCLUSION);
}

static bool bbmod_has_displacement(const tenon_material *m)
{
    return bbmod_has_texture(m, TENON_SLOT_DISPLACEMENT);
}

static bool bbmod_has_normal(const tenon_material *m)
{
    return bbmod_has_texture(m, TENON_SLOT_NORMAL);
}

static bool bbmod_has_encoded(const tenon_material *m)
{
    return bbmod_has_texture(m, TENON_SLOT_EMISSIVE) || bbmod_has_texture(m, TENON_SLOT_LIGHT_MAP);
}

static bool bbmod_has_odd_cutoff(const tenon_material *m)
{
    return m->alpha == TENON_MASK && !(m->alpha_cutoff > 0 && m->alpha_cutoff < 1);
}

// Whether a texture has other settings than the first one, which apply to all of them.
static bool bbmod_has_odd_mapping(const tenon_material *m)
{
    const tenon_texture *first = NULL;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        bool is_light_map = slot == TENON_SLOT_LIGHT_MAP;
        if (t->image == TENON_NONE) continue;
        if (t->rotation != 0 || t->uv_set != is_light_map) return true;
        if (t->wrap[0] != t->wrap[1] || t->wrap[0] == TENON_MIRROR) return true;
        if (!first && !is_light_map) first = t;
        bool is_plain =
            t->offset[0] == 0 && t->offset[1] == 0 && t->scale[0] == 1 && t->scale[1] == 1;
        if (is_light_map && !is_plain) return true;
        if (first && (memcmp(t->wrap, first->wrap, sizeof t->wrap) != 0)) return true;
        if (!is_light_map && (memcmp(t->offset, first->offset, sizeof t->offset) != 0 ||
                              memcmp(t->scale, first->scale, sizeof t->scale) != 0))
            return true;
    }
    return false;
}

// A loss that is counted for each material.
typedef struct bbmod_material_loss {
    tenon_loss_kind kind;
    bool is_known;  // Reported by the import, if the scene comes from BBMOD.
    const char *feature, *why;
    bool (*test)(const tenon_material *m);
} bbmod_material_loss;

static const bbmod_material_loss bbmod_material_losses[] = {
    {TENON_DROPPED, false, "metallic and roughness", "BBMOD stores them in textures only",
     bbmod_is_metal},
    {TENON_DROPPED, false, "specular colors", "BBMOD stores them in textures only",
     bbmod_is_glossy},
    {TENON_DROPPED, false, "emissive colors", "BBMOD stores them in textures only",
     bbmod_has_emissive_color},
    {TENON_DROPPED, false, "strength of normals and occlusion", "not supported by BBMOD",
     tn_has_strengths},
    {TENON_DROPPED, false, "metallic, roughness and occlusion textures",
     "BBMOD expects other channels in its packed textures", bbmod_has_packed},
    {TENON_DROPPED, false, "displacement textures", "not supported by BBMOD",
     bbmod_has_displacement},
    {TENON_APPROXIMATED, true, "normal textures",
     "BBMOD reads their alpha channel as roughness or smoothness", bbmod_has_normal},
    {TENON_APPROXIMATED, true, "emissive textures and light maps", "BBMOD reads them as RGBM",
     bbmod_has_encoded},
    {TENON_APPROXIMATED, false, "alpha cutoff", "BBMOD supports values between 0 and 1",
     bbmod_has_odd_cutoff},
    {TENON_APPROXIMATED, false, "places of textures",
     "BBMOD uses one offset, scale and wrap mode for all textures of a material, no rotation, and "
     "the second texture coordinates only for light maps",
     bbmod_has_odd_mapping},
};

static void bbmod_report_materials(const bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    bool is_own = scene->source && strcmp(scene->source->name, "bbmod") == 0;
    size_t row_count = sizeof bbmod_material_losses / sizeof bbmod_material_losses[0];
    for (size_t row = 0; row < row_count; row++) {
        const bbmod_material_loss *loss = &bbmod_material_losses[row];
        tn_tally tally = {0};
        if (is_own && loss->is_known) continue;
        for (uint32_t i = 0; i < scene->material_count; i++)
            tn_tally_at(&tally, loss->test(&scene->materials[i]), "materials", i);
        tn_export_report_tally(exporter->export, &tally, loss->kind, loss->feature, loss->why);
    }
    tn_export_report_tally(exporter->export, &exporter->tallies.values, TENON_DROPPED,
                           "values of materials", "too many for one material file");
}

static void bbmod_report_material_files(const bbmod_exporter *exporter)
{
    if (exporter->export->opts->without_materials)
        tn_export_report(exporter->export, TENON_DROPPED, "materials",
                         exporter->scene->material_count, "materials[0]",
                         "material files were not requested; only the names are kept");
    else
        bbmod_report_materials(exporter);
    if (!exporter->export->opts->without_materials)
        tn_export_report_picture_names(exporter->export);
    tn_export_report_tally(exporter->export, &exporter->tallies.material_names, TENON_APPROXIMATED,
                           "names of materials", "changed to be unique and valid as file names");
    tn_export_report(exporter->export, TENON_MADE_UP, "materials",
                     exporter->default_material != TENON_NONE, NULL,
                     "added 'DefaultMaterial', because every mesh needs a material");
}

// -- Meshes

static void bbmod_report_streams(const bbmod_exporter *exporter)
{
    tn_tally uvs = {0}, colors = {0}, unseen = {0};
    const tenon_scene *scene = exporter->scene;
    bool *is_shown = tn_export_alloc(exporter->export, scene->mesh_count, sizeof *is_shown);
    if (!is_shown) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) is_shown[scene->nodes[i].mesh] = true;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        tn_tally_at(&unseen, !is_shown[i], "meshes", i);
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            for (int set = 2; set < TENON_UV_SETS; set++)
                tn_tally_at(&uvs, p->uvs[set] != NULL, "meshes", i);
            tn_tally_at(&colors, p->colors[1] != NULL, "meshes", i);
        }
    }
    tn_export_report_tally(exporter->export, &unseen, TENON_DROPPED, "meshes",
                           "not used by any node");
    tn_export_report_tally(exporter->export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "BBMOD supports two sets");
    tn_export_report_tally(exporter->export, &colors, TENON_DROPPED, "further vertex colors",
                           "BBMOD supports one set");
}

// The importer names a mesh after its node.
static void bbmod_report_mesh_names(const bbmod_exporter *exporter)
{
    tn_tally tally = {0};
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        tenon_str name = exporter->scene->meshes[node->mesh].name;
        bool is_same = name.size == node->name.size &&
                       (name.size == 0 || memcmp(name.data, node->name.data, name.size) == 0);
        tn_tally_at(&tally, !is_same && name.size > 0, "meshes", node->mesh);
    }
    tn_export_report_tally(exporter->export, &tally, TENON_DROPPED, "names of meshes",
                           "BBMOD stores names for nodes only");
}

static void bbmod_report_meshes(const bbmod_exporter *exporter)
{
    tn_export_report_tally(exporter->export, &exporter->tallies.empty, TENON_DROPPED, "primitives",
                           "empty");
    tn_export_report_tally(exporter->export, &exporter->tallies.leftover, TENON_DROPPED, "vertices",
                           "left over after the last complete triangle or line");
    tn_export_report_tally(exporter->export, &exporter->tallies.colors, TENON_APPROXIMATED,
                           "vertex colors", "rounded to 8 bits per channel");
    bbmod_report_streams(exporter);
    bbmod_report_mesh_names(exporter);
}

// -- Nodes

// Nodes whose local transform changes because scale is applied to vertices and positions.
static void bbmod_report_scales(const bbmod_exporter *exporter)
{
    tn_tally nodes = {0}, uneven = {0}, channels = {0};
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        uint32_t parent = exporter->scene->nodes[i].parent;
        bool is_scaled =
            !bbmod_is_identity(&exporter->sources[i].stretch.matrix) ||
            (parent != TENON_NONE && !bbmod_is_identity(&exporter->sources[parent].stretch.matrix));
        tn_tally_at(&nodes, is_scaled, "nodes", i);
        tn_tally_at(&uneven, exporter->sources[i].is_uneven, "nodes", i);
    }
    for (uint32_t a = 0; a < exporter->scene->animation_count; a++)
        for (uint32_t i = 0; i < exporter->scene->animations[a].channel_count; i++)
            tn_tally_at(&channels, exporter->scene->animations[a].channels[i].target == TENON_SCALE,
                        "animations", a);
    tn_export_report_tally(
        exporter->export, &nodes, TENON_APPROXIMATED, "scales of nodes",
        "applied to vertices and node positions, because BBMOD does not support scale");
    tn_export_report_tally(exporter->export, &channels, TENON_DROPPED, "scale channels",
                           "not supported by BBMOD");
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "scale animation", uneven.count,
                          uneven.path,
                          "BBMOD cannot animate scale; the scale of the rest pose is used");
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "scales of bones",
                          exporter->tallies.bakes.count, exporter->tallies.bakes.path,
                          "the bones of a vertex have different scales; the mean was used");
}

static void bbmod_report_nodes(const bbmod_exporter *exporter)
{
    tn_tally joints = {0};
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const bbmod_source_node *source = &exporter->sources[i];
        tn_tally_at(&joints,
                    exporter->scene->nodes[i].is_joint && !source->is_left_out &&
                        source->bone == TENON_NONE,
                    "nodes", i);
    }
    tn_export_report_tally(exporter->export, &joints, TENON_DROPPED, "joints",
                           "stored as ordinary nodes, because they do not move any vertex");
    tn_export_report_tally(exporter->export, &exporter->tallies.scaling, TENON_DROPPED, "nodes",
                           "invisible nodes with animated scale, which BBMOD does not support");
    tn_export_report_tally(
        exporter->export, &exporter->tallies.spare, TENON_DROPPED, "nodes",
        "invisible nodes, removed because the engine animates at most 128 nodes");
    tn_export_report(exporter->export, TENON_MADE_UP, "nodes", exporter->added_count, NULL,
                     "added as a common root, or where skins have different bind poses for a node");
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "depth of nodes",
                          exporter->tallies.too_deep.count, exporter->tallies.too_deep.path,
                          "nested too deep; moved to a node higher in the tree");
    if (exporter->node_count > BBMOD_ENGINE_MOST && exporter->bone_count)
        tn_export_report(exporter->export, TENON_APPROXIMATED, "nodes",
                         exporter->node_count - BBMOD_ENGINE_MOST, NULL,
                         "all are stored, but the engine animates at most 128 in parent space");
    bbmod_report_scales(exporter);
}

// -- Skins

static void bbmod_report_idle_skins(const bbmod_exporter *exporter)
{
    tn_tally idle = {0}, names = {0}, roots = {0};
    const tenon_scene *scene = exporter->scene;
    bool *is_used = tn_export_alloc(exporter->export, scene->skin_count, sizeof *is_used);
    if (!is_used) return;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        if (exporter->rig.parts[i].is_skinned)
            is_used[scene->nodes[exporter->rig.parts[i].node].skin] = true;
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        tn_tally_at(&idle, !is_used[i], "skins", i);
        tn_tally_at(&names, is_used[i] && scene->skins[i].name.size, "skins", i);
        tn_tally_at(&roots, is_used[i] && scene->skins[i].root != TENON_NONE, "skins", i);
    }
    tn_export_report_tally(exporter->export, &idle, TENON_DROPPED, "skins",
                           "they do not move any vertex");
    tn_export_report_tally(exporter->export, &names, TENON_DROPPED, "names of skins",
                           "not stored in BBMOD");
    tn_export_report_tally(exporter->export, &roots, TENON_DROPPED, "roots of skins",
                           "not supported by BBMOD");
}

static void bbmod_report_skins(const bbmod_exporter *exporter)
{
    tn_tally skinned = {0};
    char path[64] = "";
    bool is_own = exporter->scene->source && strcmp(exporter->scene->source->name, "bbmod") == 0;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        tn_tally_at(&skinned, exporter->rig.parts[i].is_skinned, "meshes",
                    exporter->rig.parts[i].mesh);
    if (!is_own)
        tn_export_report_tally(exporter->export, &skinned, TENON_APPROXIMATED,
                               "dual-quaternion skinning",
                               "the engine blends dual quaternions, other formats blend matrices");
    bbmod_report_idle_skins(exporter);
    if (exporter->scene->skin_count > 1)
        tn_export_report(exporter->export, TENON_APPROXIMATED, "skins",
                         exporter->scene->skin_count - 1, "skins[1]",
                         "merged into one skeleton, the only one that BBMOD supports");
    if (exporter->bone_count > BBMOD_ENGINE_MOST)
        tn_export_report(exporter->export, TENON_APPROXIMATED, "bones",
                         exporter->bone_count - BBMOD_ENGINE_MOST, NULL,
                         "all are stored, but the engine supports at most 128");
    uint64_t crowded = tn_rig_crowded(exporter->export, &exporter->rig, path, sizeof path);
    tn_export_approximate(exporter->export, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "BBMOD supports four per vertex; the largest are kept");
}

// -- Animations and the scene

// Frames in bone space contain bones only.
static void bbmod_report_missing(const bbmod_exporter *exporter)
{
    tn_tally tally = {0};
    bool *moves = tn_moving_nodes(exporter->export);
    for (uint32_t i = 0; moves && i < exporter->scene->node_count; i++)
        tn_tally_at(&tally, moves[i] && exporter->sources[i].bone == TENON_NONE, "nodes", i);
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "motion of nodes", tally.count,
                          tally.path, "frames in bone space contain bones only");
}

static void bbmod_report_spaces(const bbmod_exporter *exporter)
{
    uint32_t asked =
        exporter->export->opts->spaces ? exporter->export->opts->spaces : TENON_BBANIM_PARENT;
    uint8_t spaces = bbanim_choose_spaces(exporter);
    if (spaces == TENON_BBANIM_BONE) bbmod_report_missing(exporter);
    if (spaces == asked) return;
    bool is_crowded = spaces != TENON_BBANIM_PARENT;
    tn_export_report(
        exporter->export, TENON_DEFAULTED, "spaces", exporter->scene->animation_count,
        "animations[0]",
        is_crowded
            ? "set to world and bone, because the engine animates at most 128 nodes in parent space"
            : "set to parent, the only space in this version or for a model without bones");
}

static void bbmod_report_rates(const bbmod_exporter *exporter)
{
    const bbmod_export_tallies *tallies = &exporter->tallies;
    if (tallies->rates.count == 0) return;
    const char *why =
        tn_rate_text(exporter->export, "sampled at", tallies->lowest_rate, tallies->highest_rate);
    if (why)
        tn_export_approximate_by(exporter->export, tallies->rate_error, "motion between frames",
                                 tallies->rates.count, tallies->rates.path, why);
}

static void bbmod_report_clips(const bbmod_exporter *exporter)
{
    tn_export_report_tally(exporter->export, &exporter->tallies.durations, TENON_APPROXIMATED,
                           "durations", "rounded to a whole number of frames");
    tn_export_report_tally(exporter->export, &exporter->tallies.clip_names, TENON_APPROXIMATED,
                           "names of animations", "changed to be unique and valid as file names");
    bbmod_report_rates(exporter);
    bbmod_report_spaces(exporter);
}

static void bbmod_report_extras(const bbmod_exporter *exporter)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < exporter->scene->extra_count; i++) {
        const tenon_extra *extra = &exporter->scene->extras[i];
        bool is_ours = extra->of == TENON_EXTRA_OF_MATERIAL && extra->name.size > 6 &&
                       memcmp(extra->name.data, "bbmat.", 6) == 0;
        count += !is_ours;
    }
    tn_export_report(exporter->export, TENON_DROPPED, "extras", count, NULL,
                     "not supported by BBMOD");
}

void bbmod_report_losses(const bbmod_exporter *exporter)
{
    bbmod_report_nodes(exporter);
    bbmod_report_meshes(exporter);
    bbmod_report_skins(exporter);
    bbmod_report_material_files(exporter);
    bbmod_report_clips(exporter);
    tn_export_report(exporter->export, TENON_DROPPED, "cameras", exporter->scene->camera_count,
                     "cameras[0]", "not supported by BBMOD");
    tn_export_report(exporter->export, TENON_DROPPED, "lights", exporter->scene->light_count,
                     "lights[0]", "not supported by BBMOD");
    tn_export_report(exporter->export, TENON_DROPPED, "name of the scene",
                     exporter->scene->name.size > 0, NULL, "BBMOD stores names for nodes only");
    bbmod_report_extras(exporter);
}
