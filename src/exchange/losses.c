// losses.c: what a format cannot hold of a scene, computed from a table of its limits.
// SPDX-License-Identifier: MIT

#include "exchange/losses.h"

#include "core/text/text.h"

#include <stdio.h>

static const struct {
    const char *name, *why;
    tenon_loss_kind kind;
} losses_usual[TN_FEATURE_COUNT] = {
    [TN_HAS_TANGENTS] = {"tangents", NULL, TENON_DROPPED},
    [TN_HAS_UV_SETS] = {"further texture coordinates", NULL, TENON_DROPPED},
    [TN_HAS_COLOR_SETS] = {"vertex colors", NULL, TENON_DROPPED},
    [TN_HAS_WEIGHTS] = {"skin weights", NULL, TENON_DROPPED},
    [TN_HAS_UNUSED_MESHES] = {"meshes", "not used by any node", TENON_DROPPED},
    [TN_HAS_SHARED_MESHES] = {"shared meshes", "copied for each node", TENON_APPROXIMATED},
    [TN_HAS_MORPHS] = {"morph targets", NULL, TENON_DROPPED},
    [TN_HAS_MESH_NAMES] = {"names of meshes", "replaced by the names of the nodes", TENON_DROPPED},
    [TN_HAS_METAL] = {"metal and roughness", NULL, TENON_DROPPED},
    [TN_HAS_BASE_ALPHA] = {"alpha of base colors", NULL, TENON_DROPPED},
    [TN_HAS_DOUBLE_SIDES] = {"double-sided materials", NULL, TENON_DROPPED},
    [TN_HAS_UNLIT] = {"unlit materials", NULL, TENON_DROPPED},
    [TN_HAS_STRENGTHS] = {"strengths of textures", NULL, TENON_DROPPED},
    [TN_HAS_TEXTURES] = {"textures", NULL, TENON_DROPPED},
    [TN_HAS_TEXTURE_WRAPS] = {"edges of textures", NULL, TENON_DROPPED},
    [TN_HAS_SKINS] = {"skins", NULL, TENON_DROPPED},
    [TN_HAS_ANIMATIONS] = {"animations", NULL, TENON_DROPPED},
    [TN_HAS_CAMERAS] = {"cameras", NULL, TENON_DROPPED},
    [TN_HAS_LIGHTS] = {"lights", NULL, TENON_DROPPED},
    [TN_HAS_EXTRAS] = {"extras", NULL, TENON_DROPPED},
    [TN_HAS_SKIN_ROOTS] = {"roots of skins", NULL, TENON_DROPPED},
    [TN_HAS_SCALE_CHANNELS] = {"scale channels", NULL, TENON_DROPPED},
    [TN_HAS_EVENTS] = {"events", NULL, TENON_DROPPED},
    [TN_HAS_SCENE_NAME] = {"name of the scene", NULL, TENON_DROPPED},
};

// -- Meshes

// Whether a primitive has more of a feature than fits.
static bool losses_has_more(const tenon_primitive *p, const tn_limit *limit)
{
    if (limit->feature == TN_HAS_TANGENTS) return p->tangents != NULL;
    if (limit->feature == TN_HAS_WEIGHTS) return p->influence_count > 0;
    bool of_uvs = limit->feature == TN_HAS_UV_SETS;
    for (uint32_t set = limit->most; set < (of_uvs ? TENON_UV_SETS : TENON_COLOR_SETS); set++)
        if (of_uvs ? p->uvs[set] : p->colors[set]) return true;
    return false;
}

static void losses_count_meshes(const tn_export *export, const tn_limit *limit, tn_tally *lost)
{
    const tenon_scene *scene = export->scene;
    uint32_t *uses = tn_export_alloc(export, scene->mesh_count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) uses[scene->nodes[i].mesh]++;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        tn_tally_at(lost, limit->feature == TN_HAS_UNUSED_MESHES ? uses[i] == 0 : uses[i] > 1,
                    "meshes", i);
}

static void losses_count_mesh_names(const tenon_scene *scene, tn_tally *lost)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        tenon_str name = scene->meshes[node->mesh].name;
        tn_tally_at(lost, name.size && !tn_text_equal(name, node->name), "meshes", node->mesh);
    }
}

// -- Materials

static bool losses_is_in_material(const tenon_material *material, const tn_limit *limit)
{
    if (limit->feature == TN_MATERIALS_IF) return limit->is_lost(material);
    if (limit->feature == TN_HAS_METAL) return !material->is_classic;
    if (limit->feature == TN_HAS_BASE_ALPHA) return material->base_color[3] != 1;
    if (limit->feature == TN_HAS_DOUBLE_SIDES) return material->double_sided;
    if (limit->feature == TN_HAS_UNLIT) return material->is_unlit;
    if (limit->feature == TN_HAS_STRENGTHS)
        return material->normal_scale != 1 || material->occlusion_strength != 1;
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &material->textures[slot];
        bool is_bit = (limit->most & TN_SLOT_BIT(slot)) != 0;
        bool is_plain = t->wrap[0] == TENON_REPEAT && t->wrap[1] == TENON_REPEAT;
        if (t->image == TENON_NONE) continue;
        if (limit->feature == TN_HAS_TEXTURES ? !is_bit : is_bit && !is_plain) return true;
    }
    return false;
}

// -- All features

static tn_tally losses_count(const tn_export *export, const tn_limit *limit)
{
    const tenon_scene *scene = export->scene;
    tn_tally lost = {0};
    const uint32_t list_sizes[TN_FEATURE_COUNT] = {
        [TN_HAS_SKINS] = scene->skin_count,     [TN_HAS_ANIMATIONS] = scene->animation_count,
        [TN_HAS_CAMERAS] = scene->camera_count, [TN_HAS_LIGHTS] = scene->light_count,
        [TN_HAS_EXTRAS] = scene->extra_count,
    };
    switch (limit->feature) {
    case TN_HAS_TANGENTS:
    case TN_HAS_UV_SETS:
    case TN_HAS_COLOR_SETS:
    case TN_HAS_WEIGHTS:
        for (uint32_t i = 0; i < scene->mesh_count; i++)
            for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
                tn_tally_in(&lost, losses_has_more(&scene->meshes[i].primitives[k], limit),
                            "meshes", i, "primitives", k);
        break;
    case TN_HAS_UNUSED_MESHES:
    case TN_HAS_SHARED_MESHES:
        losses_count_meshes(export, limit, &lost);
        break;
    case TN_HAS_MORPHS:
        for (uint32_t i = 0; i < scene->mesh_count; i++)
            tn_tally_at(&lost, scene->meshes[i].morph_count, "meshes", i);
        break;
    case TN_HAS_MESH_NAMES:
        losses_count_mesh_names(scene, &lost);
        break;
    case TN_MATERIALS_IF:
    case TN_HAS_METAL:
    case TN_HAS_BASE_ALPHA:
    case TN_HAS_DOUBLE_SIDES:
    case TN_HAS_UNLIT:
    case TN_HAS_STRENGTHS:
    case TN_HAS_TEXTURES:
    case TN_HAS_TEXTURE_WRAPS:
        for (uint32_t i = 0; i < scene->material_count; i++)
            tn_tally_at(&lost, losses_is_in_material(&scene->materials[i], limit), "materials", i);
        break;
    case TN_HAS_SKINS:
    case TN_HAS_ANIMATIONS:
    case TN_HAS_CAMERAS:
    case TN_HAS_LIGHTS:
    case TN_HAS_EXTRAS:
        if (list_sizes[limit->feature] > limit->most)
            tn_tally_at(&lost, list_sizes[limit->feature] - limit->most,
                        losses_usual[limit->feature].name, limit->most);
        break;
    case TN_HAS_SKIN_ROOTS:
        for (uint32_t i = 0; i < scene->skin_count; i++)
            tn_tally_at(&lost, scene->skins[i].root != TENON_NONE, "skins", i);
        break;
    case TN_HAS_SCALE_CHANNELS:
        for (uint32_t i = 0; i < scene->animation_count; i++)
            for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
                tn_tally_at(&lost, scene->animations[i].channels[k].target == TENON_SCALE,
                            "animations", i);
        break;
    case TN_HAS_EVENTS:
        for (uint32_t i = 0; i < scene->animation_count; i++)
            tn_tally_at(&lost, scene->animations[i].event_count, "animations", i);
        break;
    case TN_HAS_SCENE_NAME:
        lost.count = scene->name.size > 0;
        break;
    case TN_HAS_PICTURE_NAMES:
    case TN_FEATURE_COUNT:
        break;
    }
    return lost;
}

void tn_report_limits(const tn_export *export, const char *title, const tn_limit *limits,
                      size_t limit_count)
{
    char unsupported[64];
    (void)snprintf(unsupported, sizeof unsupported, "not supported by %s", title);
    for (size_t i = 0; i < limit_count; i++) {
        const tn_limit *limit = &limits[i];
        if (limit->feature == TN_HAS_PICTURE_NAMES) {
            tn_export_report_picture_names(export);
            continue;
        }
        tn_tally lost = losses_count(export, limit);
        const char *name = limit->name ? limit->name : losses_usual[limit->feature].name;
        const char *why = limit->why ? limit->why : losses_usual[limit->feature].why;
        if (limit->feature == TN_HAS_COLOR_SETS && limit->most && !limit->name)
            name = "further vertex colors";
        tenon_loss_kind kind = limit->kind ? limit->kind : losses_usual[limit->feature].kind;
        tn_export_report(export, kind, name, lost.count, lost.path[0] ? lost.path : NULL,
                         why ? why : unsupported);
    }
}
