// modeldata_export_loss.c: reports what ModelData cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/text/text.h"
#include "exchange/losses.h"
#include "scene/model/scene_build.h"

#include <stdio.h>
#include <string.h>

// Whether an import would synthesize this name.
static bool modeldata_export_is_synthesized_name(tenon_str name, const char *word, uint32_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%s_%u", word, number);
    return name.size == 0 || tn_text_is(name, text);
}

// -- Materials

static bool modeldata_export_has_other_alpha(const tenon_material *material)
{
    // With a diffuse map, the engine does not draw where alpha is less than 0.5.
    if (material->textures[TENON_SLOT_BASE_COLOR].image == TENON_NONE)
        return material->alpha != TENON_OPAQUE;
    return material->alpha != TENON_MASK || material->alpha_cutoff != 0.5;
}

static bool modeldata_export_has_colored_specular(const tenon_material *material)
{
    const double *specular = material->specular;
    return material->is_classic && (specular[0] != specular[1] || specular[1] != specular[2]);
}

// Slots that have a map, as in modeldata_export_first_texture().
enum {
    MODELDATA_SLOTS = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR) | TN_SLOT_BIT(TENON_SLOT_NORMAL) |
                      TN_SLOT_BIT(TENON_SLOT_SPECULAR) | TN_SLOT_BIT(TENON_SLOT_DISPLACEMENT) |
                      TN_SLOT_BIT(TENON_SLOT_OCCLUSION) | TN_SLOT_BIT(TENON_SLOT_EMISSIVE),
};

static bool modeldata_export_has_other_places(const tenon_material *material)
{
    const tenon_texture *first = modeldata_export_first_texture(material);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &material->textures[slot];
        if (t->image == TENON_NONE || !(MODELDATA_SLOTS & TN_SLOT_BIT(slot))) continue;
        if (t->uv_set != first->uv_set || t->rotation != first->rotation ||
            memcmp(t->offset, first->offset, sizeof t->offset) != 0 ||
            memcmp(t->scale, first->scale, sizeof t->scale) != 0)
            return true;
    }
    return false;
}

// -- Limits

static const tn_limit modeldata_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_SHARED_MESHES},
    {.feature = TN_HAS_UV_SETS, .most = 1, .why = "ModelData supports one set"},
    {.feature = TN_HAS_COLOR_SETS},
    {.is_lost = modeldata_export_has_other_alpha,
     .name = "alpha modes",
     .kind = TENON_APPROXIMATED,
     .why = "the engine cuts off alpha below 0.5 of a diffuse map; everything else is opaque"},
    {.feature = TN_HAS_BASE_ALPHA, .why = "the engine uses only the alpha of diffuse maps"},
    {.feature = TN_HAS_METAL,
     .why = "ModelData stores shininess and damping instead; the defaults were written"},
    {.is_lost = modeldata_export_has_colored_specular,
     .name = "specular colors",
     .kind = TENON_APPROXIMATED,
     .why = "converted to gray"},
    {.feature = TN_HAS_DOUBLE_SIDES, .why = "the engine draws front sides only"},
    {.feature = TN_HAS_UNLIT, .why = "the engine lights all materials"},
    {.feature = TN_HAS_STRENGTHS},
    {.feature = TN_HAS_TEXTURES,
     .most = MODELDATA_SLOTS,
     .why = "ModelData stores only base color, normal, specular, displacement, occlusion and "
            "emissive textures"},
    {.is_lost = modeldata_export_has_other_places,
     .name = "places of textures",
     .kind = TENON_APPROXIMATED,
     .why = "all textures of a material use the texture coordinates of the first one"},
    {.feature = TN_HAS_TEXTURE_WRAPS,
     .most = TN_ALL_SLOTS,
     .why = "the engine always repeats textures"},
    {.feature = TN_HAS_EVENTS},
    {.feature = TN_HAS_SCENE_NAME},
    {.feature = TN_HAS_PICTURE_NAMES},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
};

static const tn_limit modeldata_static_limits[] = {
    {.feature = TN_HAS_SKINS,
     .why = "not supported by static models; vertices are in the rest pose"},
    {.feature = TN_HAS_ANIMATIONS, .why = "not supported by static models"},
};

static const tn_limit modeldata_animated_limits[] = {
    {.feature = TN_HAS_SKINS,
     .most = 1,
     .kind = TENON_APPROXIMATED,
     .why = "merged into one skeleton, the only one that ModelData supports"},
    {.feature = TN_HAS_SKIN_ROOTS},
};

// -- Materials and meshes

static void modeldata_export_report_surfaces(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_tally unused = {0}, names = {0}, moved = {0}, sets = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const modeldata_material_plan *plan = &exporter->material_plans[i];
        tn_tally_at(&unused, !plan->is_used, "materials", i);
        if (!plan->is_used) continue;
        tenon_str name = scene->materials[i].name;
        tn_tally_at(&names, !modeldata_export_is_synthesized_name(name, "material", number++),
                    "materials", i);
        tn_tally_at(&moved, plan->has_transform, "materials", i);
        tn_tally_at(&sets, plan->uv_set != 0, "materials", i);
    }
    tn_export_report_tally(export, &unused, TENON_DROPPED, "materials", "not used by any mesh");
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of materials",
                           "not supported by ModelData");
    tn_export_report_tally(export, &moved, TENON_APPROXIMATED, "transforms of textures",
                           "applied to the texture coordinates");
    tn_export_report_tally(export, &sets, TENON_APPROXIMATED, "sets of texture coordinates",
                           "only the set that the textures use is kept");

    tn_tally mesh_names = {0}, split = {0}, weights = {0};
    number = 0;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        tn_tally_at(&weights, part->p->influence_count && !part->is_skinned, "meshes", part->mesh);
        if (part->p->index_count == 0) continue;
        tenon_str name = scene->meshes[part->mesh].name;
        tn_tally_at(&mesh_names, !modeldata_export_is_synthesized_name(name, "mesh", number++),
                    "meshes", part->mesh);
        tn_tally_at(&split, part->primitive > 0, "meshes", part->mesh);
    }
    tn_export_report_tally(export, &mesh_names, TENON_DROPPED, "names of meshes",
                           "not supported by ModelData");
    tn_export_report_tally(export, &split, TENON_APPROXIMATED, "parts of meshes",
                           "split into separate meshes");
    tn_export_report_tally(export, &exporter->empty_parts, TENON_DROPPED, "parts of meshes",
                           "empty");
    tn_export_report_tally(export, &weights, TENON_DROPPED, "weights",
                           "the node with the mesh has no skin");
    tn_export_report_tally(export, &exporter->tangent_signs, TENON_APPROXIMATED,
                           "sides of tangents",
                           "the engine always computes the bitangent as normal x tangent");
    tn_export_report_tally(export, &exporter->bad_shapes, TENON_DROPPED, "collision shapes",
                           "the engine cannot parse them");
    tn_export_report_tally(export, &exporter->moved_shapes, TENON_APPROXIMATED, "collision shapes",
                           "kept unchanged, although their meshes were moved or scaled");
}

// -- Motion

// Joints, their scales, what moves vertices by them, and animations.
static void modeldata_export_report_motion(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_tally promoted = {0}, dropped = {0}, rigid = {0}, scales = {0}, varying = {0};
    uint32_t count = exporter->joint_count - exporter->first_joint;
    uint64_t synthesized = 0;
    for (uint32_t i = exporter->first_joint; i < exporter->joint_count; i++) {
        uint32_t node = exporter->joints[i].node;
        synthesized += node == TENON_NONE;
        if (node != TENON_NONE) tn_tally_at(&promoted, !scene->nodes[node].is_joint, "nodes", node);
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const modeldata_node_plan *plan = &exporter->node_plans[i];
        bool is_one = plan->scale.x == 1 && plan->scale.y == 1 && plan->scale.z == 1;
        tn_tally_at(&dropped, scene->nodes[i].is_joint && plan->joint == TENON_NONE, "nodes", i);
        tn_tally_at(&scales, plan->is_keyed && !is_one, "nodes", i);
        tn_tally_at(&varying, plan->scale_varies, "nodes", i);
    }
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        tn_tally_at(&rigid, !exporter->rig.parts[i].is_skinned, "meshes",
                    exporter->rig.parts[i].mesh);
    tn_export_report_tally(export, &rigid, TENON_APPROXIMATED, "rigid meshes",
                           "bound to joints, like all meshes");
    tn_export_report(export, TENON_SYNTHESIZED, "joints", synthesized, NULL,
                     "added as a common root, or where skins or scales need a separate joint");
    tn_export_report_tally(export, &promoted, TENON_APPROXIMATED, "nodes", "converted to joints");
    tn_export_report_tally(export, &dropped, TENON_DROPPED, "joints",
                           "the engine supports 50; unused joints were removed");
    if (!exporter->is_document) {
        tn_export_report(export, TENON_APPROXIMATED, "joints",
                         count > MODELDATA_ENGINE_MOST ? count - MODELDATA_ENGINE_MOST : 0, NULL,
                         "all are stored, but the engine supports at most 50");
        tn_export_report_tally(
            export, &scales, TENON_APPROXIMATED, "scales of joints",
            "applied to children and vertices, because the engine does not scale joints");
        tn_limit keys = {.feature = TN_HAS_SCALE_CHANNELS, .why = "the engine ignores scale keys"};
        tn_report_limits(export, "ModelData", &keys, 1);
        tn_export_approximate(export, TN_MEASURE_REMAINDER, "scale animation", varying.count,
                              varying.path,
                              "the engine cannot animate scale; joints have a constant scale");
    }
    tenon_str name = scene->skin_count ? scene->skins[0].name : (tenon_str){"", 0};
    tn_export_report(export, TENON_DROPPED, "names of skins",
                     name.size && !tn_text_is(name, "skeleton"), "skins[0]",
                     "not supported by ModelData");
    char path[64] = "";
    uint64_t crowded = tn_rig_crowded(export, &exporter->rig, path, sizeof path);
    tn_export_approximate(export, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "the engine supports four per vertex; the largest are kept");

    tn_tally channels = {0};
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *c = &scene->animations[a].channels[i];
            bool is_supported = c->target != TENON_SCALE || exporter->is_document;
            tn_tally_at(&channels, is_supported && !exporter->node_plans[c->node].is_keyed,
                        "animations", a);
        }
    tn_export_report_tally(export, &channels, TENON_DROPPED, "channels",
                           "they do not move anything visible");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "curves", exporter->curves.count,
                          exporter->curves.path, "converted to linear interpolation");
    tn_export_report(export, TENON_APPROXIMATED, "names of animations", exporter->clip_names, NULL,
                     "changed to be unique");
    bool is_given = export->opts->rate > 0;
    tn_export_report(export, TENON_DROPPED, "rate", is_given && scene->animation_count, NULL,
                     "ModelData does not store the length of a tick");
    tn_export_report(export, TENON_DEFAULTED, "rate", is_given ? 0 : scene->animation_count, NULL,
                     "24 ticks per second, which the file does not store: play it at speed 24, or "
                     "use '--rate 1' for seconds");
}

void modeldata_export_report_losses(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tn_rig *rig = &exporter->rig;
    // Nodes that are not joints. Importing the file creates a node for each mesh, so a node with
    // one mesh and no transform is not lost.
    tn_tally lost = {0}, names = {0};
    uint32_t number = 0, part = 0;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        uint32_t first = number, count = 0;
        for (; part < rig->part_count && rig->parts[part].node == i; part++)
            count += rig->parts[part].p->index_count > 0;
        number += count;
        if (exporter->node_plans && exporter->node_plans[i].joint != TENON_NONE) continue;
        tn_mat4 local = tn_node_local(node), identity = tn_mat4_identity();
        bool is_imported = count == 1 && node->parent == TENON_NONE &&
                           memcmp(&local, &identity, sizeof local) == 0;
        tn_tally_at(&lost, !is_imported, "nodes", i);
        bool has_name = !modeldata_export_is_synthesized_name(node->name, "mesh", first);
        tn_tally_at(&names, is_imported && has_name, "nodes", i);
    }
    tn_export_report_tally(
        export, &lost, TENON_DROPPED, "nodes",
        "ModelData stores only joints; other transforms were applied to the vertices");
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of nodes",
                           "ModelData stores names for joints only");
    modeldata_export_report_surfaces(exporter);
    if (exporter->doc->is_animated) {
        modeldata_export_report_motion(exporter);
        tn_report_limits(export, "ModelData", modeldata_animated_limits,
                         sizeof modeldata_animated_limits / sizeof *modeldata_animated_limits);
    } else {
        tn_report_limits(export, "ModelData", modeldata_static_limits,
                         sizeof modeldata_static_limits / sizeof *modeldata_static_limits);
    }
    tn_report_limits(export, "ModelData", modeldata_limits,
                     sizeof modeldata_limits / sizeof *modeldata_limits);
    tn_export_report(export, TENON_DROPPED, "extras", exporter->other_extras, NULL,
                     "not supported by ModelData");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite, NULL,
                     "values too large for a float were clamped");
}
