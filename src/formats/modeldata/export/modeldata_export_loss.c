// modeldata_export_loss.c: what a ModelData cannot hold of a scene.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Whether an import would synthesize this name.
static bool modeldata_is_synthesized_name(tenon_str name, const char *word, uint32_t number)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%s_%" PRIu32, word, number);
    return name.size == 0 ||
           (name.size == (uint32_t)size && memcmp(name.data, text, name.size) == 0);
}

// -- Materials

static bool modeldata_has_diffuse_map(const tenon_material *m)
{
    return m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
}

// With a diffuse map, the engine does not draw where alpha is less than 0.5.
static bool modeldata_has_other_alpha(const tenon_material *m)
{
    if (!modeldata_has_diffuse_map(m)) return m->alpha != TENON_OPAQUE;
    return m->alpha != TENON_MASK || m->alpha_cutoff != 0.5;
}

static bool modeldata_has_base_alpha(const tenon_material *m)
{
    return m->base_color[3] != 1;
}

static bool modeldata_is_metallic(const tenon_material *m)
{
    return !m->is_classic;
}

static bool modeldata_has_colored_light(const tenon_material *m)
{
    return m->is_classic && (m->specular[0] != m->specular[1] || m->specular[1] != m->specular[2]);
}

static bool modeldata_has_other_maps(const tenon_material *m)
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (m->textures[slot].image != TENON_NONE && !modeldata_has_map((tenon_slot)slot))
            return true;
    return false;
}

static bool modeldata_has_same_transform(const tenon_texture *a, const tenon_texture *b)
{
    return a->uv_set == b->uv_set && a->rotation == b->rotation &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
           memcmp(a->scale, b->scale, sizeof a->scale) == 0;
}

static bool modeldata_has_other_transforms(const tenon_material *m)
{
    const tenon_texture *first = modeldata_first_texture(m);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        if (t->image == TENON_NONE || !modeldata_has_map((tenon_slot)slot)) continue;
        if (!modeldata_has_same_transform(t, first)) return true;
    }
    return false;
}

static bool modeldata_has_other_wrap(const tenon_material *m)
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        bool repeats = t->wrap[0] == TENON_REPEAT && t->wrap[1] == TENON_REPEAT;
        if (t->image != TENON_NONE && !repeats) return true;
    }
    return false;
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const tenon_material *m);
} modeldata_material_losses[] = {
    {TENON_APPROXIMATED, "alpha modes",
     "the engine cuts off alpha below 0.5 of a diffuse map; everything else is opaque",
     modeldata_has_other_alpha},
    {TENON_DROPPED, "alpha of base colors", "the engine uses only the alpha of diffuse maps",
     modeldata_has_base_alpha},
    {TENON_DROPPED, "metal and roughness",
     "ModelData stores shininess and damping instead; the defaults were written",
     modeldata_is_metallic},
    {TENON_APPROXIMATED, "specular colors", "converted to gray", modeldata_has_colored_light},
    {TENON_DROPPED, "double-sided materials", "the engine draws front sides only",
     tn_is_double_sided},
    {TENON_DROPPED, "unlit materials", "the engine lights all materials", tn_is_unlit},
    {TENON_DROPPED, "strengths of textures", "not supported by ModelData", tn_has_strengths},
    {TENON_DROPPED, "textures",
     "ModelData stores only base color, normal, specular, displacement, occlusion and emissive "
     "textures",
     modeldata_has_other_maps},
    {TENON_APPROXIMATED, "places of textures",
     "all textures of a material use the texture coordinates of the first one",
     modeldata_has_other_transforms},
    {TENON_DROPPED, "edges of textures", "the engine always repeats textures",
     modeldata_has_other_wrap},
};

static void modeldata_report_material_values(const modeldata_exporter *exporter)
{
    size_t rows = sizeof modeldata_material_losses / sizeof modeldata_material_losses[0];
    for (size_t row = 0; row < rows; row++) {
        tn_tally note = {0};
        for (uint32_t i = 0; i < exporter->scene->material_count; i++)
            tn_tally_at(&note,
                        exporter->material_plans[i].is_used &&
                            modeldata_material_losses[row].test(&exporter->scene->materials[i]),
                        "materials", i);
        tn_export_report_tally(&exporter->export, &note, modeldata_material_losses[row].kind,
                               modeldata_material_losses[row].feature,
                               modeldata_material_losses[row].why);
    }
}

static void modeldata_report_materials(const modeldata_exporter *exporter)
{
    tn_tally unused = {0}, names = {0}, moved = {0}, sets = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < exporter->scene->material_count; i++) {
        const modeldata_material_plan *material = &exporter->material_plans[i];
        tn_tally_at(&unused, !material->is_used, "materials", i);
        if (!material->is_used) continue;
        tenon_str name = exporter->scene->materials[i].name;
        tn_tally_at(&names, !modeldata_is_synthesized_name(name, "material", number++), "materials",
                    i);
        tn_tally_at(&moved, material->has_transform, "materials", i);
        tn_tally_at(&sets, material->uv_set != 0, "materials", i);
    }
    tn_export_report_tally(&exporter->export, &unused, TENON_DROPPED, "materials",
                           "not used by any mesh");
    tn_export_report_tally(&exporter->export, &names, TENON_DROPPED, "names of materials",
                           "not supported by ModelData");
    tn_export_report_tally(&exporter->export, &moved, TENON_APPROXIMATED, "transforms of textures",
                           "applied to the texture coordinates");
    tn_export_report_tally(&exporter->export, &sets, TENON_APPROXIMATED,
                           "sets of texture coordinates",
                           "only the set that the textures use is kept");
    modeldata_report_material_values(exporter);
}

// -- Meshes

static void modeldata_report_streams(const modeldata_exporter *exporter)
{
    tn_tally uvs = {0}, colors = {0}, weights = {0};
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        const tenon_primitive *p = part->p;
        uint32_t more = 0;
        for (uint32_t set = 1; set < TENON_UV_SETS; set++) more += p->uvs[set] != NULL;
        tn_tally_at(&uvs, more != 0, "meshes", part->mesh);
        tn_tally_at(&colors, p->colors[0] || p->colors[1], "meshes", part->mesh);
        tn_tally_at(&weights, p->influence_count && !part->is_skinned, "meshes", part->mesh);
    }
    tn_export_report_tally(&exporter->export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "ModelData supports one set");
    tn_export_report_tally(&exporter->export, &colors, TENON_DROPPED, "vertex colors",
                           "not supported by ModelData");
    tn_export_report_tally(&exporter->export, &weights, TENON_DROPPED, "weights",
                           "the node with the mesh has no skin");
    tn_export_report_tally(&exporter->export, &exporter->tangent_signs, TENON_APPROXIMATED,
                           "sides of tangents",
                           "the engine always computes the bitangent as normal x tangent");
}

// Meshes that no node, or that several nodes use.
static void modeldata_report_mesh_uses(const modeldata_exporter *exporter)
{
    tn_tally unused_meshes = {0}, shared = {0};
    uint32_t *uses = tn_export_alloc(&exporter->export, exporter->scene->mesh_count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        if (exporter->scene->nodes[i].mesh != TENON_NONE) uses[exporter->scene->nodes[i].mesh]++;
    for (uint32_t i = 0; i < exporter->scene->mesh_count; i++) {
        tn_tally_at(&unused_meshes, uses[i] == 0, "meshes", i);
        tn_tally_at(&shared, uses[i] > 1, "meshes", i);
    }
    tn_export_report_tally(&exporter->export, &unused_meshes, TENON_DROPPED, "meshes",
                           "not used by any node");
    tn_export_report_tally(&exporter->export, &shared, TENON_APPROXIMATED, "shared meshes",
                           "copied for each node");
}

static void modeldata_report_meshes(const modeldata_exporter *exporter)
{
    tn_tally names = {0}, split = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        if (part->p->index_count == 0) continue;
        tenon_str name = exporter->scene->meshes[part->mesh].name;
        tn_tally_at(&names, !modeldata_is_synthesized_name(name, "mesh", number++), "meshes",
                    part->mesh);
        tn_tally_at(&split, part->primitive > 0, "meshes", part->mesh);
    }
    tn_export_report_tally(&exporter->export, &names, TENON_DROPPED, "names of meshes",
                           "not supported by ModelData");
    tn_export_report_tally(&exporter->export, &split, TENON_APPROXIMATED, "parts of meshes",
                           "split into separate meshes");
    tn_export_report_tally(&exporter->export, &exporter->empty_parts, TENON_DROPPED,
                           "parts of meshes", "empty");
    modeldata_report_mesh_uses(exporter);
    modeldata_report_streams(exporter);
    tn_export_report_tally(&exporter->export, &exporter->bad_shapes, TENON_DROPPED,
                           "collision shapes", "the engine cannot parse them");
    tn_export_report_tally(&exporter->export, &exporter->moved_shapes, TENON_APPROXIMATED,
                           "collision shapes",
                           "kept unchanged, although their meshes were moved or scaled");
}

// -- Nodes

static bool modeldata_is_plain(const tenon_node *node)
{
    tn_mat4 local = modeldata_local_of(node), identity = tn_mat4_identity();
    return node->parent == TENON_NONE && memcmp(&local, &identity, sizeof local) == 0;
}

// Nodes that are not joints. Importing the file creates a node for each mesh, so a node with one
// mesh and no transform is not lost.
static void modeldata_report_lost_nodes(const modeldata_exporter *exporter)
{
    tn_tally lost = {0}, names = {0};
    uint32_t number = 0, part = 0;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        uint32_t first = number, count = 0;
        for (; part < exporter->rig.part_count && exporter->rig.parts[part].node == i; part++)
            count += exporter->rig.parts[part].p->index_count > 0;
        number += count;
        if (exporter->node_plans && exporter->node_plans[i].joint != TENON_NONE) continue;
        bool is_imported = count == 1 && modeldata_is_plain(node);
        tn_tally_at(&lost, !is_imported, "nodes", i);
        tn_tally_at(&names,
                    is_imported && !modeldata_is_synthesized_name(node->name, "mesh", first),
                    "nodes", i);
    }
    tn_export_report_tally(
        &exporter->export, &lost, TENON_DROPPED, "nodes",
        "ModelData stores only joints; other transforms were applied to the vertices");
    tn_export_report_tally(&exporter->export, &names, TENON_DROPPED, "names of nodes",
                           "ModelData stores names for joints only");
}

static void modeldata_report_scales(const modeldata_exporter *exporter)
{
    tn_tally scales = {0}, uneven = {0}, channels = {0};
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const modeldata_node_plan *plan = &exporter->node_plans[i];
        bool is_one = plan->scale.x == 1 && plan->scale.y == 1 && plan->scale.z == 1;
        tn_tally_at(&scales, plan->is_keyed && !is_one, "nodes", i);
        tn_tally_at(&uneven, plan->scale_varies, "nodes", i);
    }
    for (uint32_t a = 0; a < exporter->scene->animation_count; a++)
        for (uint32_t i = 0; i < exporter->scene->animations[a].channel_count; i++) {
            const tenon_channel *c = &exporter->scene->animations[a].channels[i];
            tn_tally_at(&channels, c->target == TENON_SCALE, "animations", a);
        }
    tn_export_report_tally(
        &exporter->export, &scales, TENON_APPROXIMATED, "scales of joints",
        "applied to children and vertices, because the engine does not scale joints");
    tn_export_report_tally(&exporter->export, &channels, TENON_DROPPED, "scale channels",
                           "the engine ignores scale keys");
    tn_export_approximate(&exporter->export, TN_MEASURE_REMAINDER, "scale animation", uneven.count,
                          uneven.path,
                          "the engine cannot animate scale; joints have a constant scale");
}

static void modeldata_report_joints(const modeldata_exporter *exporter)
{
    tn_tally promoted = {0}, dropped = {0}, rigid = {0};
    uint32_t count = exporter->joint_count - exporter->first_joint;
    uint64_t synthesized = 0;
    for (uint32_t i = exporter->first_joint; i < exporter->joint_count; i++) {
        uint32_t node = exporter->joints[i].node;
        synthesized += node == TENON_NONE;
        if (node != TENON_NONE)
            tn_tally_at(&promoted, !exporter->scene->nodes[node].is_joint, "nodes", node);
    }
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        tn_tally_at(&dropped,
                    exporter->scene->nodes[i].is_joint &&
                        exporter->node_plans[i].joint == TENON_NONE,
                    "nodes", i);
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        tn_tally_at(&rigid, !exporter->rig.parts[i].is_skinned, "meshes",
                    exporter->rig.parts[i].mesh);
    tn_export_report_tally(&exporter->export, &rigid, TENON_APPROXIMATED, "rigid meshes",
                           "bound to joints, like all meshes");
    tn_export_report(&exporter->export, TENON_MADE_UP, "joints", synthesized, NULL,
                     "added as a common root, or where skins or scales need a separate joint");
    tn_export_report_tally(&exporter->export, &promoted, TENON_APPROXIMATED, "nodes",
                           "converted to joints");
    tn_export_report_tally(&exporter->export, &dropped, TENON_DROPPED, "joints",
                           "the engine supports 50; unused joints were removed");
    if (count > MODELDATA_ENGINE_MOST && !exporter->is_document)
        tn_export_report(&exporter->export, TENON_APPROXIMATED, "joints",
                         count - MODELDATA_ENGINE_MOST, NULL,
                         "all are stored, but the engine supports at most 50");
    if (!exporter->is_document) modeldata_report_scales(exporter);
}

static void modeldata_report_skins(const modeldata_exporter *exporter)
{
    char path[64] = "";
    const tenon_scene *s = exporter->scene;
    if (s->skin_count > 1)
        tn_export_report(&exporter->export, TENON_APPROXIMATED, "skins", s->skin_count - 1,
                         "skins[1]",
                         "merged into one skeleton, the only one that ModelData supports");
    tenon_str name = s->skin_count ? s->skins[0].name : (tenon_str){"", 0};
    bool is_usual = tn_text_is(name, "skeleton");
    tn_export_report(&exporter->export, TENON_DROPPED, "names of skins", name.size && !is_usual,
                     "skins[0]", "not supported by ModelData");
    tn_tally roots = {0};
    for (uint32_t i = 0; i < s->skin_count; i++)
        tn_tally_at(&roots, s->skins[i].root != TENON_NONE, "skins", i);
    tn_export_report_tally(&exporter->export, &roots, TENON_DROPPED, "roots of skins",
                           "not supported by ModelData");
    uint64_t crowded = tn_rig_crowded(&exporter->export, &exporter->rig, path, sizeof path);
    tn_export_approximate(&exporter->export, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "the engine supports four per vertex; the largest are kept");
}

// -- Animations

static void modeldata_report_clips(const modeldata_exporter *exporter)
{
    tn_tally channels = {0};
    for (uint32_t a = 0; a < exporter->scene->animation_count; a++)
        for (uint32_t i = 0; i < exporter->scene->animations[a].channel_count; i++) {
            const tenon_channel *c = &exporter->scene->animations[a].channels[i];
            bool is_wanted = c->target != TENON_SCALE || exporter->is_document;
            bool is_lost = is_wanted && !exporter->node_plans[c->node].is_keyed;
            tn_tally_at(&channels, is_lost, "animations", a);
        }
    tn_export_report_tally(&exporter->export, &channels, TENON_DROPPED, "channels",
                           "they do not move anything visible");
    tn_export_approximate(&exporter->export, TN_MEASURE_REMAINDER, "curves", exporter->curves.count,
                          exporter->curves.path, "converted to linear interpolation");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "names of animations",
                     exporter->clip_names, NULL, "changed to be unique");
    bool is_given = exporter->export.opts->rate > 0;
    tn_export_report(&exporter->export, TENON_DROPPED, "rate",
                     is_given && exporter->scene->animation_count, NULL,
                     "ModelData does not store the length of a tick");
    tn_export_report(&exporter->export, TENON_DEFAULTED, "rate",
                     is_given ? 0 : exporter->scene->animation_count, NULL,
                     "24 ticks per second, which the file does not store: play it at speed 24, or "
                     "use '--rate 1' for seconds");
}

static void modeldata_report_scene(const modeldata_exporter *exporter)
{
    tn_tally events = {0};
    const tenon_scene *s = exporter->scene;
    for (uint32_t i = 0; i < s->animation_count; i++)
        tn_tally_at(&events, s->animations[i].event_count, "animations", i);
    tn_export_report_tally(&exporter->export, &events, TENON_DROPPED, "events",
                           "not supported by ModelData");
    tn_export_report(&exporter->export, TENON_DROPPED, "name of the scene", s->name.size > 0, NULL,
                     "not supported by ModelData");
    tn_export_report_picture_names(&exporter->export);
    tn_export_report(&exporter->export, TENON_DROPPED, "cameras", s->camera_count, "cameras[0]",
                     "not supported by ModelData");
    tn_export_report(&exporter->export, TENON_DROPPED, "lights", s->light_count, "lights[0]",
                     "not supported by ModelData");
    tn_export_report(&exporter->export, TENON_DROPPED, "extras", exporter->other_extras, NULL,
                     "not supported by ModelData");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "numbers", exporter->not_finite, NULL,
                     "values too large for a float were clamped");
}

void modeldata_report_losses(const modeldata_exporter *exporter)
{
    modeldata_report_lost_nodes(exporter);
    modeldata_report_meshes(exporter);
    modeldata_report_materials(exporter);
    if (exporter->doc->is_animated) {
        modeldata_report_joints(exporter);
        modeldata_report_skins(exporter);
        modeldata_report_clips(exporter);
    } else {
        tn_export_report(&exporter->export, TENON_DROPPED, "skins", exporter->scene->skin_count,
                         "skins[0]",
                         "not supported by static models; vertices are in the rest pose");
        tn_export_report(&exporter->export, TENON_DROPPED, "animations",
                         exporter->scene->animation_count, "animations[0]",
                         "not supported by static models");
    }
    modeldata_report_scene(exporter);
}
