// modeldata_export_loss.c: reports what ModelData cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Whether an import would synthesize this name.
static bool modeldata_export_loss_is_synthesized_name(tenon_str name, const char *word,
                                                      uint32_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%s_%" PRIu32, word, number);
    return name.size == 0 || tn_text_is(name, text);
}

// -- Materials

enum {
    MODELDATA_LOST_ALPHA_MODE,
    MODELDATA_LOST_BASE_ALPHA,
    MODELDATA_LOST_METAL,
    MODELDATA_LOST_SPECULAR,
    MODELDATA_LOST_DOUBLE_SIDED,
    MODELDATA_LOST_UNLIT,
    MODELDATA_LOST_STRENGTH,
    MODELDATA_LOST_TEXTURE,
    MODELDATA_LOST_TRANSFORM,
    MODELDATA_LOST_WRAP,
    MODELDATA_LOSS_COUNT,
};

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} modeldata_material_losses[MODELDATA_LOSS_COUNT] = {
    [MODELDATA_LOST_ALPHA_MODE] = {TENON_APPROXIMATED, "alpha modes",
                                   "the engine cuts off alpha below 0.5 of a diffuse map; "
                                   "everything else is opaque"},
    [MODELDATA_LOST_BASE_ALPHA] = {TENON_DROPPED, "alpha of base colors",
                                   "the engine uses only the alpha of diffuse maps"},
    [MODELDATA_LOST_METAL] = {TENON_DROPPED, "metal and roughness",
                              "ModelData stores shininess and damping instead; the defaults were "
                              "written"},
    [MODELDATA_LOST_SPECULAR] = {TENON_APPROXIMATED, "specular colors", "converted to gray"},
    [MODELDATA_LOST_DOUBLE_SIDED] = {TENON_DROPPED, "double-sided materials",
                                     "the engine draws front sides only"},
    [MODELDATA_LOST_UNLIT] = {TENON_DROPPED, "unlit materials", "the engine lights all materials"},
    [MODELDATA_LOST_STRENGTH] = {TENON_DROPPED, "strengths of textures",
                                 "not supported by ModelData"},
    [MODELDATA_LOST_TEXTURE] = {TENON_DROPPED, "textures",
                                "ModelData stores only base color, normal, specular, displacement, "
                                "occlusion and emissive textures"},
    [MODELDATA_LOST_TRANSFORM] = {TENON_APPROXIMATED, "places of textures",
                                  "all textures of a material use the texture coordinates of the "
                                  "first one"},
    [MODELDATA_LOST_WRAP] = {TENON_DROPPED, "edges of textures",
                             "the engine always repeats textures"},
};

static void modeldata_export_loss_find_material_losses(const tenon_material *m,
                                                       bool is_lost[MODELDATA_LOSS_COUNT])
{
    const tenon_texture *first = modeldata_export_first_texture(m);
    // With a diffuse map, the engine does not draw where alpha is less than 0.5.
    bool has_diffuse_map = m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    is_lost[MODELDATA_LOST_ALPHA_MODE] = has_diffuse_map
                                             ? m->alpha != TENON_MASK || m->alpha_cutoff != 0.5
                                             : m->alpha != TENON_OPAQUE;
    is_lost[MODELDATA_LOST_BASE_ALPHA] = m->base_color[3] != 1;
    is_lost[MODELDATA_LOST_METAL] = !m->is_classic;
    is_lost[MODELDATA_LOST_SPECULAR] =
        m->is_classic && (m->specular[0] != m->specular[1] || m->specular[1] != m->specular[2]);
    is_lost[MODELDATA_LOST_DOUBLE_SIDED] = tn_is_double_sided(m);
    is_lost[MODELDATA_LOST_UNLIT] = tn_is_unlit(m);
    is_lost[MODELDATA_LOST_STRENGTH] = tn_has_strengths(m);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        if (t->image == TENON_NONE) continue;
        if (t->wrap[0] != TENON_REPEAT || t->wrap[1] != TENON_REPEAT)
            is_lost[MODELDATA_LOST_WRAP] = true;
        if (!modeldata_export_has_map((tenon_slot)slot))
            is_lost[MODELDATA_LOST_TEXTURE] = true;
        else if (t->uv_set != first->uv_set || t->rotation != first->rotation ||
                 memcmp(t->offset, first->offset, sizeof t->offset) != 0 ||
                 memcmp(t->scale, first->scale, sizeof t->scale) != 0)
            is_lost[MODELDATA_LOST_TRANSFORM] = true;
    }
}

static void modeldata_export_loss_report_materials(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tn_tally unused = {0}, names = {0}, moved = {0}, sets = {0}, lost[MODELDATA_LOSS_COUNT] = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < exporter->scene->material_count; i++) {
        const tenon_material *material = &exporter->scene->materials[i];
        const modeldata_material_plan *plan = &exporter->material_plans[i];
        bool is_lost[MODELDATA_LOSS_COUNT] = {false};
        tn_tally_at(&unused, !plan->is_used, "materials", i);
        if (!plan->is_used) continue;
        bool has_name =
            !modeldata_export_loss_is_synthesized_name(material->name, "material", number++);
        tn_tally_at(&names, has_name, "materials", i);
        tn_tally_at(&moved, plan->has_transform, "materials", i);
        tn_tally_at(&sets, plan->uv_set != 0, "materials", i);
        modeldata_export_loss_find_material_losses(material, is_lost);
        for (int k = 0; k < MODELDATA_LOSS_COUNT; k++)
            tn_tally_at(&lost[k], is_lost[k], "materials", i);
    }
    tn_export_report_tally(export, &unused, TENON_DROPPED, "materials", "not used by any mesh");
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of materials",
                           "not supported by ModelData");
    tn_export_report_tally(export, &moved, TENON_APPROXIMATED, "transforms of textures",
                           "applied to the texture coordinates");
    tn_export_report_tally(export, &sets, TENON_APPROXIMATED, "sets of texture coordinates",
                           "only the set that the textures use is kept");
    for (int k = 0; k < MODELDATA_LOSS_COUNT; k++)
        tn_export_report_tally(export, &lost[k], modeldata_material_losses[k].kind,
                               modeldata_material_losses[k].feature,
                               modeldata_material_losses[k].why);
}

// -- Meshes

// Meshes that no node, or that several nodes use.
static void modeldata_export_loss_report_mesh_uses(const modeldata_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    tn_tally unused = {0}, shared = {0};
    uint32_t *uses = tn_export_alloc(&exporter->export, scene->mesh_count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) uses[scene->nodes[i].mesh]++;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        tn_tally_at(&unused, uses[i] == 0, "meshes", i);
        tn_tally_at(&shared, uses[i] > 1, "meshes", i);
    }
    tn_export_report_tally(&exporter->export, &unused, TENON_DROPPED, "meshes",
                           "not used by any node");
    tn_export_report_tally(&exporter->export, &shared, TENON_APPROXIMATED, "shared meshes",
                           "copied for each node");
}

static void modeldata_export_loss_report_meshes(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tn_tally names = {0}, split = {0}, uvs = {0}, colors = {0}, weights = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        const tenon_primitive *p = part->p;
        bool has_more_uvs = false;
        for (uint32_t set = 1; set < TENON_UV_SETS; set++)
            has_more_uvs = has_more_uvs || p->uvs[set];
        tn_tally_at(&uvs, has_more_uvs, "meshes", part->mesh);
        tn_tally_at(&colors, p->colors[0] || p->colors[1], "meshes", part->mesh);
        tn_tally_at(&weights, p->influence_count && !part->is_skinned, "meshes", part->mesh);
        if (p->index_count == 0) continue;
        tenon_str name = exporter->scene->meshes[part->mesh].name;
        tn_tally_at(&names, !modeldata_export_loss_is_synthesized_name(name, "mesh", number++),
                    "meshes", part->mesh);
        tn_tally_at(&split, part->primitive > 0, "meshes", part->mesh);
    }
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of meshes",
                           "not supported by ModelData");
    tn_export_report_tally(export, &split, TENON_APPROXIMATED, "parts of meshes",
                           "split into separate meshes");
    tn_export_report_tally(export, &exporter->empty_parts, TENON_DROPPED, "parts of meshes",
                           "empty");
    modeldata_export_loss_report_mesh_uses(exporter);
    tn_export_report_tally(export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "ModelData supports one set");
    tn_export_report_tally(export, &colors, TENON_DROPPED, "vertex colors",
                           "not supported by ModelData");
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

// -- Nodes

// Nodes that are not joints. Importing the file creates a node for each mesh, so a node with one
// mesh and no transform is not lost.
static void modeldata_export_loss_report_nodes(const modeldata_exporter *exporter)
{
    const tn_rig *rig = &exporter->rig;
    tn_tally lost = {0}, names = {0};
    uint32_t number = 0, part = 0;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        uint32_t first = number, count = 0;
        for (; part < rig->part_count && rig->parts[part].node == i; part++)
            count += rig->parts[part].p->index_count > 0;
        number += count;
        if (exporter->node_plans && exporter->node_plans[i].joint != TENON_NONE) continue;
        tn_mat4 local = modeldata_export_local_of(node), identity = tn_mat4_identity();
        bool is_imported = count == 1 && node->parent == TENON_NONE &&
                           memcmp(&local, &identity, sizeof local) == 0;
        tn_tally_at(&lost, !is_imported, "nodes", i);
        bool has_name = !modeldata_export_loss_is_synthesized_name(node->name, "mesh", first);
        tn_tally_at(&names, is_imported && has_name, "nodes", i);
    }
    tn_export_report_tally(
        &exporter->export, &lost, TENON_DROPPED, "nodes",
        "ModelData stores only joints; other transforms were applied to the vertices");
    tn_export_report_tally(&exporter->export, &names, TENON_DROPPED, "names of nodes",
                           "ModelData stores names for joints only");
}

static void modeldata_export_loss_report_joints(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_tally promoted = {0}, dropped = {0}, rigid = {0};
    uint32_t count = exporter->joint_count - exporter->first_joint;
    uint64_t synthesized = 0;
    for (uint32_t i = exporter->first_joint; i < exporter->joint_count; i++) {
        uint32_t node = exporter->joints[i].node;
        synthesized += node == TENON_NONE;
        if (node != TENON_NONE) tn_tally_at(&promoted, !scene->nodes[node].is_joint, "nodes", node);
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        tn_tally_at(&dropped,
                    scene->nodes[i].is_joint && exporter->node_plans[i].joint == TENON_NONE,
                    "nodes", i);
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        tn_tally_at(&rigid, !exporter->rig.parts[i].is_skinned, "meshes",
                    exporter->rig.parts[i].mesh);
    tn_export_report_tally(export, &rigid, TENON_APPROXIMATED, "rigid meshes",
                           "bound to joints, like all meshes");
    tn_export_report(export, TENON_MADE_UP, "joints", synthesized, NULL,
                     "added as a common root, or where skins or scales need a separate joint");
    tn_export_report_tally(export, &promoted, TENON_APPROXIMATED, "nodes", "converted to joints");
    tn_export_report_tally(export, &dropped, TENON_DROPPED, "joints",
                           "the engine supports 50; unused joints were removed");
    if (count > MODELDATA_ENGINE_MOST && !exporter->is_document)
        tn_export_report(export, TENON_APPROXIMATED, "joints", count - MODELDATA_ENGINE_MOST, NULL,
                         "all are stored, but the engine supports at most 50");
}

static void modeldata_export_loss_report_scales(const modeldata_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    tn_tally scales = {0}, varying = {0}, channels = {0};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const modeldata_node_plan *plan = &exporter->node_plans[i];
        bool is_one = plan->scale.x == 1 && plan->scale.y == 1 && plan->scale.z == 1;
        tn_tally_at(&scales, plan->is_keyed && !is_one, "nodes", i);
        tn_tally_at(&varying, plan->scale_varies, "nodes", i);
    }
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++)
            tn_tally_at(&channels, scene->animations[a].channels[i].target == TENON_SCALE,
                        "animations", a);
    tn_export_report_tally(
        &exporter->export, &scales, TENON_APPROXIMATED, "scales of joints",
        "applied to children and vertices, because the engine does not scale joints");
    tn_export_report_tally(&exporter->export, &channels, TENON_DROPPED, "scale channels",
                           "the engine ignores scale keys");
    tn_export_approximate(&exporter->export, TN_MEASURE_REMAINDER, "scale animation", varying.count,
                          varying.path,
                          "the engine cannot animate scale; joints have a constant scale");
}

static void modeldata_export_loss_report_skins(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    char path[64] = "";
    if (scene->skin_count > 1)
        tn_export_report(export, TENON_APPROXIMATED, "skins", scene->skin_count - 1, "skins[1]",
                         "merged into one skeleton, the only one that ModelData supports");
    tenon_str name = scene->skin_count ? scene->skins[0].name : (tenon_str){"", 0};
    bool is_usual = tn_text_is(name, "skeleton");
    tn_export_report(export, TENON_DROPPED, "names of skins", name.size && !is_usual, "skins[0]",
                     "not supported by ModelData");
    tn_tally roots = {0};
    for (uint32_t i = 0; i < scene->skin_count; i++)
        tn_tally_at(&roots, scene->skins[i].root != TENON_NONE, "skins", i);
    tn_export_report_tally(export, &roots, TENON_DROPPED, "roots of skins",
                           "not supported by ModelData");
    uint64_t crowded = tn_rig_crowded(export, &exporter->rig, path, sizeof path);
    tn_export_approximate(export, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "the engine supports four per vertex; the largest are kept");
}

// -- Animations

static void modeldata_export_loss_report_clips(const modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
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
    const tenon_scene *scene = exporter->scene;
    tn_tally events = {0};
    modeldata_export_loss_report_nodes(exporter);
    modeldata_export_loss_report_meshes(exporter);
    modeldata_export_loss_report_materials(exporter);
    if (exporter->doc->is_animated) {
        modeldata_export_loss_report_joints(exporter);
        if (!exporter->is_document) modeldata_export_loss_report_scales(exporter);
        modeldata_export_loss_report_skins(exporter);
        modeldata_export_loss_report_clips(exporter);
    } else {
        tn_export_report(export, TENON_DROPPED, "skins", scene->skin_count, "skins[0]",
                         "not supported by static models; vertices are in the rest pose");
        tn_export_report(export, TENON_DROPPED, "animations", scene->animation_count,
                         "animations[0]", "not supported by static models");
    }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        tn_tally_at(&events, scene->animations[i].event_count, "animations", i);
    tn_export_report_tally(export, &events, TENON_DROPPED, "events", "not supported by ModelData");
    tn_export_report(export, TENON_DROPPED, "name of the scene", scene->name.size > 0, NULL,
                     "not supported by ModelData");
    tn_export_report_picture_names(export);
    tn_export_report(export, TENON_DROPPED, "cameras", scene->camera_count, "cameras[0]",
                     "not supported by ModelData");
    tn_export_report(export, TENON_DROPPED, "lights", scene->light_count, "lights[0]",
                     "not supported by ModelData");
    tn_export_report(export, TENON_DROPPED, "extras", exporter->other_extras, NULL,
                     "not supported by ModelData");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite, NULL,
                     "values too large for a float were clamped");
}
