// modeldata_export_loss.c: what a ModelData cannot hold of a scene.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Whether an import would synthesize this name.
static bool modeldata_is_made_up(tenon_str name, const char *word, uint32_t number)
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

static bool modeldata_is_metal(const tenon_material *m)
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

static bool modeldata_lies_like(const tenon_texture *a, const tenon_texture *b)
{
    return a->uv_set == b->uv_set && a->rotation == b->rotation &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
           memcmp(a->scale, b->scale, sizeof a->scale) == 0;
}

static bool modeldata_lies_otherwise(const tenon_material *m)
{
    const tenon_texture *first = modeldata_first_texture(m);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        if (t->image == TENON_NONE || !modeldata_has_map((tenon_slot)slot)) continue;
        if (!modeldata_lies_like(t, first)) return true;
    }
    return false;
}

static bool modeldata_is_wrapped(const tenon_material *m)
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
     modeldata_is_metal},
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
     modeldata_lies_otherwise},
    {TENON_DROPPED, "edges of textures", "the engine always repeats textures",
     modeldata_is_wrapped},
};

static void modeldata_report_material_values(const modeldata_exporter *w)
{
    size_t rows = sizeof modeldata_material_losses / sizeof modeldata_material_losses[0];
    for (size_t row = 0; row < rows; row++) {
        tn_tally note = {0};
        for (uint32_t i = 0; i < w->s->material_count; i++)
            tn_tally_at(&note,
                        w->paints[i].is_made &&
                            modeldata_material_losses[row].test(&w->s->materials[i]),
                        "materials", i);
        tn_export_report_tally(&w->e, &note, modeldata_material_losses[row].kind,
                               modeldata_material_losses[row].feature,
                               modeldata_material_losses[row].why);
    }
}

static void modeldata_report_materials(const modeldata_exporter *w)
{
    tn_tally unused = {0}, names = {0}, moved = {0}, sets = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < w->s->material_count; i++) {
        const modeldata_material_plan *paint = &w->paints[i];
        tn_tally_at(&unused, !paint->is_made, "materials", i);
        if (!paint->is_made) continue;
        tenon_str name = w->s->materials[i].name;
        tn_tally_at(&names, !modeldata_is_made_up(name, "material", number++), "materials", i);
        tn_tally_at(&moved, paint->has_transform, "materials", i);
        tn_tally_at(&sets, paint->uv_set != 0, "materials", i);
    }
    tn_export_report_tally(&w->e, &unused, TENON_DROPPED, "materials", "not used by any mesh");
    tn_export_report_tally(&w->e, &names, TENON_DROPPED, "names of materials",
                           "not supported by ModelData");
    tn_export_report_tally(&w->e, &moved, TENON_APPROXIMATED, "transforms of textures",
                           "applied to the texture coordinates");
    tn_export_report_tally(&w->e, &sets, TENON_APPROXIMATED, "sets of texture coordinates",
                           "only the set that the textures use is kept");
    modeldata_report_material_values(w);
}

// -- Meshes

static void modeldata_report_streams(const modeldata_exporter *w)
{
    tn_tally uvs = {0}, colors = {0}, weights = {0};
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        const tenon_primitive *p = part->p;
        uint32_t more = 0;
        for (uint32_t set = 1; set < TENON_UV_SETS; set++) more += p->uvs[set] != NULL;
        tn_tally_at(&uvs, more != 0, "meshes", part->mesh);
        tn_tally_at(&colors, p->colors[0] || p->colors[1], "meshes", part->mesh);
        tn_tally_at(&weights, p->influence_count && !part->is_skinned, "meshes", part->mesh);
    }
    tn_export_report_tally(&w->e, &uvs, TENON_DROPPED, "further texture coordinates",
                           "ModelData supports one set");
    tn_export_report_tally(&w->e, &colors, TENON_DROPPED, "vertex colors",
                           "not supported by ModelData");
    tn_export_report_tally(&w->e, &weights, TENON_DROPPED, "weights",
                           "the node with the mesh has no skin");
    tn_export_report_tally(&w->e, &w->sides, TENON_APPROXIMATED, "sides of tangents",
                           "the engine always computes the bitangent as normal x tangent");
}

// Meshes that no node, or that several nodes use.
static void modeldata_report_uses(const modeldata_exporter *w)
{
    tn_tally unseen = {0}, shared = {0};
    uint32_t *uses = tn_export_alloc(&w->e, w->s->mesh_count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < w->s->node_count; i++)
        if (w->s->nodes[i].mesh != TENON_NONE) uses[w->s->nodes[i].mesh]++;
    for (uint32_t i = 0; i < w->s->mesh_count; i++) {
        tn_tally_at(&unseen, uses[i] == 0, "meshes", i);
        tn_tally_at(&shared, uses[i] > 1, "meshes", i);
    }
    tn_export_report_tally(&w->e, &unseen, TENON_DROPPED, "meshes", "not used by any node");
    tn_export_report_tally(&w->e, &shared, TENON_APPROXIMATED, "shared meshes",
                           "copied for each node");
}

static void modeldata_report_meshes(const modeldata_exporter *w)
{
    tn_tally names = {0}, split = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        if (part->p->index_count == 0) continue;
        tenon_str name = w->s->meshes[part->mesh].name;
        tn_tally_at(&names, !modeldata_is_made_up(name, "mesh", number++), "meshes", part->mesh);
        tn_tally_at(&split, part->primitive > 0, "meshes", part->mesh);
    }
    tn_export_report_tally(&w->e, &names, TENON_DROPPED, "names of meshes",
                           "not supported by ModelData");
    tn_export_report_tally(&w->e, &split, TENON_APPROXIMATED, "parts of meshes",
                           "split into separate meshes");
    tn_export_report_tally(&w->e, &w->hollow, TENON_DROPPED, "parts of meshes", "empty");
    modeldata_report_uses(w);
    modeldata_report_streams(w);
    tn_export_report_tally(&w->e, &w->bad_shapes, TENON_DROPPED, "collision shapes",
                           "the engine cannot parse them");
    tn_export_report_tally(&w->e, &w->moved_shapes, TENON_APPROXIMATED, "collision shapes",
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
static void modeldata_report_lost_nodes(const modeldata_exporter *w)
{
    tn_tally lost = {0}, names = {0};
    uint32_t number = 0, part = 0;
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        const tenon_node *node = &w->s->nodes[i];
        uint32_t first = number, count = 0;
        for (; part < w->rig.part_count && w->rig.parts[part].node == i; part++)
            count += w->rig.parts[part].p->index_count > 0;
        number += count;
        if (w->limbs && w->limbs[i].joint != TENON_NONE) continue;
        bool is_back = count == 1 && modeldata_is_plain(node);
        tn_tally_at(&lost, !is_back, "nodes", i);
        tn_tally_at(&names, is_back && !modeldata_is_made_up(node->name, "mesh", first), "nodes",
                    i);
    }
    tn_export_report_tally(
        &w->e, &lost, TENON_DROPPED, "nodes",
        "ModelData stores only joints; other transforms were applied to the vertices");
    tn_export_report_tally(&w->e, &names, TENON_DROPPED, "names of nodes",
                           "ModelData stores names for joints only");
}

static void modeldata_report_scales(const modeldata_exporter *w)
{
    tn_tally scales = {0}, uneven = {0}, channels = {0};
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        const modeldata_node_plan *limb = &w->limbs[i];
        bool is_one = limb->scale.x == 1 && limb->scale.y == 1 && limb->scale.z == 1;
        tn_tally_at(&scales, limb->is_played && !is_one, "nodes", i);
        tn_tally_at(&uneven, limb->is_uneven, "nodes", i);
    }
    for (uint32_t a = 0; a < w->s->animation_count; a++)
        for (uint32_t i = 0; i < w->s->animations[a].channel_count; i++) {
            const tenon_channel *c = &w->s->animations[a].channels[i];
            tn_tally_at(&channels, c->target == TENON_SCALE, "animations", a);
        }
    tn_export_report_tally(
        &w->e, &scales, TENON_APPROXIMATED, "scales of joints",
        "applied to children and vertices, because the engine does not scale joints");
    tn_export_report_tally(&w->e, &channels, TENON_DROPPED, "scale channels",
                           "the engine ignores scale keys");
    tn_export_approximate(&w->e, TN_MEASURE_REMAINDER, "scale animation", uneven.count, uneven.path,
                          "the engine cannot animate scale; joints have a constant scale");
}

static void modeldata_report_joints(const modeldata_exporter *w)
{
    tn_tally promoted = {0}, dropped = {0}, rigid = {0};
    uint32_t count = w->joint_count - w->first_joint;
    uint64_t made = 0;
    for (uint32_t i = w->first_joint; i < w->joint_count; i++) {
        uint32_t node = w->joints[i].node;
        made += node == TENON_NONE;
        if (node != TENON_NONE) tn_tally_at(&promoted, !w->s->nodes[node].is_joint, "nodes", node);
    }
    for (uint32_t i = 0; i < w->s->node_count; i++)
        tn_tally_at(&dropped, w->s->nodes[i].is_joint && w->limbs[i].joint == TENON_NONE, "nodes",
                    i);
    for (uint32_t i = 0; i < w->rig.part_count; i++)
        tn_tally_at(&rigid, !w->rig.parts[i].is_skinned, "meshes", w->rig.parts[i].mesh);
    tn_export_report_tally(&w->e, &rigid, TENON_APPROXIMATED, "rigid meshes",
                           "bound to joints, like all meshes");
    tn_export_report(&w->e, TENON_MADE_UP, "joints", made, NULL,
                     "added as a common root, or where skins or scales need a separate joint");
    tn_export_report_tally(&w->e, &promoted, TENON_APPROXIMATED, "nodes", "converted to joints");
    tn_export_report_tally(&w->e, &dropped, TENON_DROPPED, "joints",
                           "the engine supports 50; unused joints were removed");
    if (count > MODELDATA_ENGINE_MOST && !w->is_document)
        tn_export_report(&w->e, TENON_APPROXIMATED, "joints", count - MODELDATA_ENGINE_MOST, NULL,
                         "all are stored, but the engine supports at most 50");
    if (!w->is_document) modeldata_report_scales(w);
}

static void modeldata_report_skins(const modeldata_exporter *w)
{
    char path[64] = "";
    const tenon_scene *s = w->s;
    if (s->skin_count > 1)
        tn_export_report(&w->e, TENON_APPROXIMATED, "skins", s->skin_count - 1, "skins[1]",
                         "merged into one skeleton, the only one that ModelData supports");
    tenon_str name = s->skin_count ? s->skins[0].name : (tenon_str){"", 0};
    bool is_usual = tn_text_is(name, "skeleton");
    tn_export_report(&w->e, TENON_DROPPED, "names of skins", name.size && !is_usual, "skins[0]",
                     "not supported by ModelData");
    tn_tally roots = {0};
    for (uint32_t i = 0; i < s->skin_count; i++)
        tn_tally_at(&roots, s->skins[i].root != TENON_NONE, "skins", i);
    tn_export_report_tally(&w->e, &roots, TENON_DROPPED, "roots of skins",
                           "not supported by ModelData");
    uint64_t crowded = tn_rig_crowded(&w->e, &w->rig, path, sizeof path);
    tn_export_approximate(&w->e, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "the engine supports four per vertex; the largest are kept");
}

// -- Animations

static void modeldata_report_clips(const modeldata_exporter *w)
{
    tn_tally channels = {0};
    for (uint32_t a = 0; a < w->s->animation_count; a++)
        for (uint32_t i = 0; i < w->s->animations[a].channel_count; i++) {
            const tenon_channel *c = &w->s->animations[a].channels[i];
            bool is_wanted = c->target != TENON_SCALE || w->is_document;
            bool is_lost = is_wanted && !w->limbs[c->node].is_played;
            tn_tally_at(&channels, is_lost, "animations", a);
        }
    tn_export_report_tally(&w->e, &channels, TENON_DROPPED, "channels",
                           "they do not move anything visible");
    tn_export_approximate(&w->e, TN_MEASURE_REMAINDER, "curves", w->curves.count, w->curves.path,
                          "converted to linear interpolation");
    tn_export_report(&w->e, TENON_APPROXIMATED, "names of animations", w->clip_names, NULL,
                     "changed to be unique");
    bool is_told = w->e.opts->rate > 0;
    tn_export_report(&w->e, TENON_DROPPED, "rate", is_told && w->s->animation_count, NULL,
                     "ModelData does not store the length of a tick");
    tn_export_report(&w->e, TENON_DEFAULTED, "rate", is_told ? 0 : w->s->animation_count, NULL,
                     "24 ticks per second, which the file does not store: play it at speed 24, or "
                     "use '--rate 1' for seconds");
}

static void modeldata_report_rest(const modeldata_exporter *w)
{
    tn_tally events = {0};
    const tenon_scene *s = w->s;
    for (uint32_t i = 0; i < s->animation_count; i++)
        tn_tally_at(&events, s->animations[i].event_count, "animations", i);
    tn_export_report_tally(&w->e, &events, TENON_DROPPED, "events", "not supported by ModelData");
    tn_export_report(&w->e, TENON_DROPPED, "name of the scene", s->name.size > 0, NULL,
                     "not supported by ModelData");
    tn_export_report_picture_names(&w->e);
    tn_export_report(&w->e, TENON_DROPPED, "cameras", s->camera_count, "cameras[0]",
                     "not supported by ModelData");
    tn_export_report(&w->e, TENON_DROPPED, "lights", s->light_count, "lights[0]",
                     "not supported by ModelData");
    tn_export_report(&w->e, TENON_DROPPED, "extras", w->other_extras, NULL,
                     "not supported by ModelData");
    tn_export_report(&w->e, TENON_APPROXIMATED, "numbers", w->not_finite, NULL,
                     "values too large for a float were clamped");
}

void modeldata_report_losses(const modeldata_exporter *w)
{
    modeldata_report_lost_nodes(w);
    modeldata_report_meshes(w);
    modeldata_report_materials(w);
    if (w->doc->is_animated) {
        modeldata_report_joints(w);
        modeldata_report_skins(w);
        modeldata_report_clips(w);
    } else {
        tn_export_report(&w->e, TENON_DROPPED, "skins", w->s->skin_count, "skins[0]",
                         "not supported by static models; vertices are in the rest pose");
        tn_export_report(&w->e, TENON_DROPPED, "animations", w->s->animation_count, "animations[0]",
                         "not supported by static models");
    }
    modeldata_report_rest(w);
}
