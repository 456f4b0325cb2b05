// bbmod_export_loss.c: reporting what BBMOD cannot store.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_rig.h"

#include "core/text/text.h"

#include <stdio.h>
#include <string.h>

// Whether the scene was imported from BBMOD.
static bool bbmod_export_loss_is_source(const tenon_scene *scene)
{
    return scene->source && strcmp(scene->source->name, "bbmod") == 0;
}

// -- Materials

static bool bbmod_export_loss_has_texture(const tenon_material *material, tenon_slot slot)
{
    return material->textures[slot].image != TENON_NONE;
}

// Whether a texture has other settings than the first one, which apply to all of them.
static bool bbmod_export_loss_has_odd_mapping(const tenon_material *material)
{
    const tenon_texture *first = NULL;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &material->textures[slot];
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

enum {
    LOSS_METALLIC,
    LOSS_SPECULAR,
    LOSS_EMISSIVE,
    LOSS_STRENGTHS,
    LOSS_PACKED,
    LOSS_DISPLACEMENT,
    LOSS_NORMAL,
    LOSS_ENCODED,
    LOSS_CUTOFF,
    LOSS_MAPPING,
    LOSS_COUNT
};

// Set which losses a material has. If there is a texture, BBMOD ignores colors.
static void bbmod_export_loss_find_losses(const tenon_material *material, bool lost[LOSS_COUNT])
{
    const double *specular = material->specular, *emissive = material->emissive;
    bool has_specular = bbmod_export_loss_has_texture(material, TENON_SLOT_SPECULAR) &&
                        specular[0] == 1 && specular[1] == 1 && specular[2] == 1 &&
                        material->shininess == 1;
    double glow = bbmod_export_loss_has_texture(material, TENON_SLOT_EMISSIVE) ? 1 : 0;
    lost[LOSS_METALLIC] = material->metallic != 0 || material->roughness != 1;
    lost[LOSS_SPECULAR] = material->is_classic && !has_specular;
    lost[LOSS_EMISSIVE] = emissive[0] != glow || emissive[1] != glow || emissive[2] != glow;
    lost[LOSS_STRENGTHS] = tn_has_strengths(material);
    lost[LOSS_PACKED] = bbmod_export_loss_has_texture(material, TENON_SLOT_METALLIC_ROUGHNESS) ||
                        bbmod_export_loss_has_texture(material, TENON_SLOT_OCCLUSION);
    lost[LOSS_DISPLACEMENT] = bbmod_export_loss_has_texture(material, TENON_SLOT_DISPLACEMENT);
    lost[LOSS_NORMAL] = bbmod_export_loss_has_texture(material, TENON_SLOT_NORMAL);
    lost[LOSS_ENCODED] = bbmod_export_loss_has_texture(material, TENON_SLOT_EMISSIVE) ||
                         bbmod_export_loss_has_texture(material, TENON_SLOT_LIGHT_MAP);
    lost[LOSS_CUTOFF] = material->alpha == TENON_MASK &&
                        !(material->alpha_cutoff > 0 && material->alpha_cutoff < 1);
    lost[LOSS_MAPPING] = bbmod_export_loss_has_odd_mapping(material);
}

static const struct {
    tenon_loss_kind kind;
    bool is_known;  // Reported by the import, if the scene comes from BBMOD.
    const char *feature, *why;
} bbmod_losses[LOSS_COUNT] = {
    [LOSS_METALLIC] = {TENON_DROPPED, false, "metallic and roughness",
                       "BBMOD stores them in textures only"},
    [LOSS_SPECULAR] = {TENON_DROPPED, false, "specular colors",
                       "BBMOD stores them in textures only"},
    [LOSS_EMISSIVE] = {TENON_DROPPED, false, "emissive colors",
                       "BBMOD stores them in textures only"},
    [LOSS_STRENGTHS] = {TENON_DROPPED, false, "strength of normals and occlusion",
                        "not supported by BBMOD"},
    [LOSS_PACKED] = {TENON_DROPPED, false, "metallic, roughness and occlusion textures",
                     "BBMOD expects other channels in its packed textures"},
    [LOSS_DISPLACEMENT] = {TENON_DROPPED, false, "displacement textures", "not supported by BBMOD"},
    [LOSS_NORMAL] = {TENON_APPROXIMATED, true, "normal textures",
                     "BBMOD reads their alpha channel as roughness or smoothness"},
    [LOSS_ENCODED] = {TENON_APPROXIMATED, true, "emissive textures and light maps",
                      "BBMOD reads them as RGBM"},
    [LOSS_CUTOFF] = {TENON_APPROXIMATED, false, "alpha cutoff",
                     "BBMOD supports values between 0 and 1"},
    [LOSS_MAPPING] = {TENON_APPROXIMATED, false, "places of textures",
                      "BBMOD uses one offset, scale and wrap mode for all textures of a material, "
                      "no rotation, and the second texture coordinates only for light maps"},
};

static void bbmod_export_loss_report_materials(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    tn_tally lost[LOSS_COUNT] = {{0}};
    for (uint32_t i = 0; i < scene->material_count; i++) {
        bool losses[LOSS_COUNT];
        bbmod_export_loss_find_losses(&scene->materials[i], losses);
        for (int k = 0; k < LOSS_COUNT; k++) tn_tally_at(&lost[k], losses[k], "materials", i);
    }
    for (int k = 0; k < LOSS_COUNT && !export->opts->without_materials; k++)
        if (!bbmod_losses[k].is_known || !bbmod_export_loss_is_source(scene))
            tn_export_report_tally(export, &lost[k], bbmod_losses[k].kind, bbmod_losses[k].feature,
                                   bbmod_losses[k].why);
    if (export->opts->without_materials) {
        tn_export_report(export, TENON_DROPPED, "materials", scene->material_count, "materials[0]",
                         "material files were not requested; only the names are kept");
    } else {
        tn_export_report_tally(export, &tallies->values, TENON_DROPPED, "values of materials",
                               "too many for one material file");
        tn_export_report_picture_names(export);
    }
    tn_export_report_tally(export, &tallies->material_names, TENON_APPROXIMATED,
                           "names of materials", "changed to be unique and valid as file names");
    tn_export_report(export, TENON_MADE_UP, "materials", exporter->default_material != TENON_NONE,
                     NULL, "added 'DefaultMaterial', because every mesh needs a material");
}

// -- Meshes

static void bbmod_export_loss_report_meshes(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    tn_export_report_tally(export, &tallies->empty, TENON_DROPPED, "primitives", "empty");
    tn_export_report_tally(export, &tallies->leftover, TENON_DROPPED, "vertices",
                           "left over after the last complete triangle or line");
    tn_export_report_tally(export, &tallies->colors, TENON_APPROXIMATED, "vertex colors",
                           "rounded to 8 bits per channel");
    tn_tally uvs = {0}, colors = {0}, unused = {0}, names = {0};
    bool *is_used = tn_export_alloc(export, scene->mesh_count, sizeof *is_used);
    if (!is_used) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        is_used[node->mesh] = true;
        // The importer names a mesh after its node.
        tenon_str name = scene->meshes[node->mesh].name;
        bool is_lost = name.size > 0 && !tn_text_equal(name, node->name);
        tn_tally_at(&names, is_lost, "meshes", node->mesh);
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        tn_tally_at(&unused, !is_used[i], "meshes", i);
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            for (int set = 2; set < TENON_UV_SETS; set++)
                tn_tally_at(&uvs, p->uvs[set] != NULL, "meshes", i);
            tn_tally_at(&colors, p->colors[1] != NULL, "meshes", i);
        }
    }
    tn_export_report_tally(export, &unused, TENON_DROPPED, "meshes", "not used by any node");
    tn_export_report_tally(export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "BBMOD supports two sets");
    tn_export_report_tally(export, &colors, TENON_DROPPED, "further vertex colors",
                           "BBMOD supports one set");
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of meshes",
                           "BBMOD stores names for nodes only");
}

// -- Nodes

static void bbmod_export_loss_report_scales(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_source_node *sources = exporter->sources;
    tn_tally nodes = {0}, uneven = {0}, channels = {0};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_scaled =
            !bbmod_rig_is_identity(&sources[i].stretch.matrix) ||
            (parent != TENON_NONE && !bbmod_rig_is_identity(&sources[parent].stretch.matrix));
        tn_tally_at(&nodes, is_scaled, "nodes", i);
        tn_tally_at(&uneven, sources[i].is_uneven, "nodes", i);
    }
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            bool is_scale = scene->animations[a].channels[i].target == TENON_SCALE;
            tn_tally_at(&channels, is_scale, "animations", a);
        }
    tn_export_report_tally(
        export, &nodes, TENON_APPROXIMATED, "scales of nodes",
        "applied to vertices and node positions, because BBMOD does not support scale");
    tn_export_report_tally(export, &channels, TENON_DROPPED, "scale channels",
                           "not supported by BBMOD");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "scale animation", uneven.count,
                          uneven.path,
                          "BBMOD cannot animate scale; the scale of the rest pose is used");
    const tn_tally *bakes = &exporter->tallies.bakes;
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "scales of bones", bakes->count,
                          bakes->path,
                          "the bones of a vertex have different scales; the mean was used");
}

static void bbmod_export_loss_report_nodes(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    tn_tally joints = {0};
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const bbmod_source_node *source = &exporter->sources[i];
        bool is_lost = exporter->scene->nodes[i].is_joint && !source->is_left_out &&
                       source->bone == TENON_NONE;
        tn_tally_at(&joints, is_lost, "nodes", i);
    }
    tn_export_report_tally(export, &joints, TENON_DROPPED, "joints",
                           "stored as ordinary nodes, because they do not move any vertex");
    tn_export_report_tally(export, &tallies->scaling, TENON_DROPPED, "nodes",
                           "invisible nodes with animated scale, which BBMOD does not support");
    tn_export_report_tally(
        export, &tallies->spare, TENON_DROPPED, "nodes",
        "invisible nodes, removed because the engine animates at most 128 nodes");
    tn_export_report(export, TENON_MADE_UP, "nodes", exporter->added_count, NULL,
                     "added as a common root, or where skins have different bind poses for a node");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "depth of nodes", tallies->too_deep.count,
                          tallies->too_deep.path,
                          "nested too deep; moved to a node higher in the tree");
    if (exporter->node_count > BBMOD_ENGINE_MOST && exporter->bone_count)
        tn_export_report(export, TENON_APPROXIMATED, "nodes",
                         exporter->node_count - BBMOD_ENGINE_MOST, NULL,
                         "all are stored, but the engine animates at most 128 in parent space");
    bbmod_export_loss_report_scales(exporter);
}

// -- Skins

static void bbmod_export_loss_report_skins(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_tally skinned = {0}, unused = {0}, names = {0}, roots = {0};
    bool *is_used = tn_export_alloc(export, scene->skin_count, sizeof *is_used);
    if (!is_used) return;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        if (!part->is_skinned) continue;
        is_used[scene->nodes[part->node].skin] = true;
        tn_tally_at(&skinned, 1, "meshes", part->mesh);
    }
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        tn_tally_at(&unused, !is_used[i], "skins", i);
        tn_tally_at(&names, is_used[i] && scene->skins[i].name.size, "skins", i);
        tn_tally_at(&roots, is_used[i] && scene->skins[i].root != TENON_NONE, "skins", i);
    }
    if (!bbmod_export_loss_is_source(scene))
        tn_export_report_tally(export, &skinned, TENON_APPROXIMATED, "dual-quaternion skinning",
                               "the engine blends dual quaternions, other formats blend matrices");
    tn_export_report_tally(export, &unused, TENON_DROPPED, "skins", "they do not move any vertex");
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of skins", "not stored in BBMOD");
    tn_export_report_tally(export, &roots, TENON_DROPPED, "roots of skins",
                           "not supported by BBMOD");
    if (scene->skin_count > 1)
        tn_export_report(export, TENON_APPROXIMATED, "skins", scene->skin_count - 1, "skins[1]",
                         "merged into one skeleton, the only one that BBMOD supports");
    if (exporter->bone_count > BBMOD_ENGINE_MOST)
        tn_export_report(export, TENON_APPROXIMATED, "bones",
                         exporter->bone_count - BBMOD_ENGINE_MOST, NULL,
                         "all are stored, but the engine supports at most 128");
    char path[64] = "";
    uint64_t crowded = tn_rig_crowded(export, &exporter->rig, path, sizeof path);
    tn_export_approximate(export, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "BBMOD supports four per vertex; the largest are kept");
}

// -- Animations

static void bbmod_export_loss_report_clips(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    tn_export_report_tally(export, &tallies->durations, TENON_APPROXIMATED, "durations",
                           "rounded to a whole number of frames");
    tn_export_report_tally(export, &tallies->clip_names, TENON_APPROXIMATED, "names of animations",
                           "changed to be unique and valid as file names");
    const char *rates = NULL;
    if (tallies->rates.count)
        rates = tn_rate_text(export, "sampled at", tallies->lowest_rate, tallies->highest_rate);
    if (rates)
        tn_export_approximate_by(export, tallies->rate_error, "motion between frames",
                                 tallies->rates.count, tallies->rates.path, rates);
    uint8_t spaces = bbanim_export_choose_spaces(exporter);
    if (spaces == TENON_BBANIM_BONE) {
        tn_tally missing = {0};
        bool *moves = tn_moving_nodes(export);
        for (uint32_t i = 0; moves && i < scene->node_count; i++)
            tn_tally_at(&missing, moves[i] && exporter->sources[i].bone == TENON_NONE, "nodes", i);
        tn_export_approximate(export, TN_MEASURE_REMAINDER, "motion of nodes", missing.count,
                              missing.path, "frames in bone space contain bones only");
    }
    if (spaces == (export->opts->spaces ? export->opts->spaces : TENON_BBANIM_PARENT)) return;
    tn_export_report(
        export, TENON_DEFAULTED, "spaces", scene->animation_count, "animations[0]",
        spaces != TENON_BBANIM_PARENT
            ? "set to world and bone, because the engine animates at most 128 nodes in parent space"
            : "set to parent, the only space in this version or for a model without bones");
}

void bbmod_export_report_losses(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    bbmod_export_loss_report_nodes(exporter);
    bbmod_export_loss_report_meshes(exporter);
    bbmod_export_loss_report_skins(exporter);
    bbmod_export_loss_report_materials(exporter);
    bbmod_export_loss_report_clips(exporter);
    tn_export_report(export, TENON_DROPPED, "cameras", scene->camera_count, "cameras[0]",
                     "not supported by BBMOD");
    tn_export_report(export, TENON_DROPPED, "lights", scene->light_count, "lights[0]",
                     "not supported by BBMOD");
    tn_export_report(export, TENON_DROPPED, "name of the scene", scene->name.size > 0, NULL,
                     "BBMOD stores names for nodes only");
    uint64_t extra_count = 0;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        bool is_kept = extra->of == TENON_EXTRA_OF_MATERIAL && extra->name.size > 6 &&
                       memcmp(extra->name.data, "bbmat.", 6) == 0;
        extra_count += !is_kept;
    }
    tn_export_report(export, TENON_DROPPED, "extras", extra_count, NULL, "not supported by BBMOD");
}
