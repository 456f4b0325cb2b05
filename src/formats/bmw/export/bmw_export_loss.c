// bmw_export_loss.c: reports what BMW cannot store of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include "formats/bmw/check/bmw_check.h"

#include "core/text/text.h"
#include "exchange/clips/motion.h"

#include <stdio.h>

// -- Materials

static bool bmw_is_tinted(const tenon_material *material)
{
    return material->base_color[0] != 1 || material->base_color[1] != 1 ||
           material->base_color[2] != 1;
}

static bool bmw_has_alpha(const tenon_material *material)
{
    return material->base_color[3] != 1;
}

// Import turns a .png into a mask with the usual cutoff, so that one is kept.
static bool bmw_has_other_alpha(const tenon_material *material)
{
    bool has_texture = material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    if (material->alpha == TENON_OPAQUE) return false;
    return material->alpha == TENON_BLEND || !has_texture || material->alpha_cutoff != 0.5;
}

static bool bmw_is_lit_otherwise(const tenon_material *material)
{
    return material->metallic != 0 || material->roughness != 1 || material->is_classic;
}

static bool bmw_glows(const tenon_material *material)
{
    return material->emissive[0] != 0 || material->emissive[1] != 0 || material->emissive[2] != 0;
}

static bool bmw_has_more_textures(const tenon_material *material)
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (slot != TENON_SLOT_BASE_COLOR && material->textures[slot].image != TENON_NONE)
            return true;
    return false;
}

static const tenon_texture *bmw_written_texture(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    return t->image == TENON_NONE ? NULL : t;
}

static bool bmw_is_moved(const tenon_material *material)
{
    const tenon_texture *t = bmw_written_texture(material);
    return t && (t->rotation != 0 || t->offset[0] != 0 || t->offset[1] != 0 || t->scale[0] != 1 ||
                 t->scale[1] != 1);
}

static bool bmw_is_wrapped(const tenon_material *material)
{
    const tenon_texture *t = bmw_written_texture(material);
    return t && (t->wrap[0] != TENON_REPEAT || t->wrap[1] != TENON_REPEAT);
}

static bool bmw_has_a_name(const tenon_material *material)
{
    return material->name.size > 0;
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const tenon_material *material);
} bmw_material_losses[] = {
    {TENON_DROPPED, "names of materials", "BMW stores only the texture path", bmw_has_a_name},
    {TENON_APPROXIMATED, "base colors", "multiplied into the vertex colors", bmw_is_tinted},
    {TENON_DROPPED, "alpha of base colors", "the engine uses only the transparency of the texture",
     bmw_has_alpha},
    {TENON_APPROXIMATED, "alpha modes", "the engine blends only textures whose name contains .png",
     bmw_has_other_alpha},
    {TENON_DROPPED, "metalness and shine", "BMW stores only a texture", bmw_is_lit_otherwise},
    {TENON_DROPPED, "unlit materials", "the engine lights all materials", tn_is_unlit},
    {TENON_DROPPED, "emissive colors", "BMW stores only a texture", bmw_glows},
    {TENON_DROPPED, "double-sided materials", "not supported by BMW", tn_is_double_sided},
    {TENON_DROPPED, "further textures", "BMW supports one texture per mesh", bmw_has_more_textures},
    {TENON_APPROXIMATED, "transforms of textures", "applied to the texture coordinates",
     bmw_is_moved},
    {TENON_DROPPED, "edges of textures", "the engine always repeats textures", bmw_is_wrapped},
};

static void bmw_report_materials(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    for (size_t row = 0; row < sizeof bmw_material_losses / sizeof bmw_material_losses[0]; row++) {
        uint64_t count = 0;
        char path[32] = "";
        for (uint32_t i = 0; i < scene->material_count; i++) {
            if (!bmw_material_losses[row].test(&scene->materials[i])) continue;
            if (count++ == 0) (void)snprintf(path, sizeof path, "materials[%u]", (unsigned)i);
        }
        tn_export_report(export, bmw_material_losses[row].kind, bmw_material_losses[row].feature,
                         count, path, bmw_material_losses[row].why);
    }
}

// -- Meshes

static bool bmw_has_tangents(const bmw_exporter *exporter, const tenon_primitive *p)
{
    (void)exporter;
    return p->tangents != NULL;
}

static bool bmw_has_more_uvs(const bmw_exporter *exporter, const tenon_primitive *p)
{
    uint32_t written = bmw_material_plan_of(exporter, p)->uv_set;
    for (uint32_t i = 0; i < TENON_UV_SETS; i++)
        if (i != written && p->uvs[i]) return true;
    return false;
}

static bool bmw_has_more_colors(const bmw_exporter *exporter, const tenon_primitive *p)
{
    (void)exporter;
    return p->colors[1] != NULL;
}

static bool bmw_has_no_uvs(const bmw_exporter *exporter, const tenon_primitive *p)
{
    return p->index_count && !p->uvs[bmw_material_plan_of(exporter, p)->uv_set];
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const bmw_exporter *exporter, const tenon_primitive *p);
} bmw_primitive_losses[] = {
    {TENON_DROPPED, "tangents", "not supported by BMW", bmw_has_tangents},
    {TENON_DROPPED, "further texture coordinates", "BMW supports one set", bmw_has_more_uvs},
    {TENON_DROPPED, "further vertex colors", "BMW supports one set", bmw_has_more_colors},
    {TENON_DEFAULTED, "texture coordinates", "set to 0, because BMW requires them", bmw_has_no_uvs},
};

static void bmw_report_primitives(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    for (size_t row = 0; row < sizeof bmw_primitive_losses / sizeof bmw_primitive_losses[0];
         row++) {
        uint64_t count = 0;
        char path[64] = "";
        for (uint32_t i = 0; i < scene->mesh_count; i++)
            for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
                if (!bmw_primitive_losses[row].test(exporter, &scene->meshes[i].primitives[k]))
                    continue;
                if (count++ == 0)
                    (void)snprintf(path, sizeof path, "meshes[%u].primitives[%u]", (unsigned)i,
                                   (unsigned)k);
            }
        tn_export_report(&exporter->export, bmw_primitive_losses[row].kind,
                         bmw_primitive_losses[row].feature, count, path,
                         bmw_primitive_losses[row].why);
    }
}

static void bmw_report_meshes(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const bmw_counts *counts = &exporter->counts;
    tn_export_report(export, TENON_DROPPED, "meshes", counts->nodes_without_faces, NULL,
                     "without faces they would crash the engine");
    tn_export_report(
        export, TENON_APPROXIMATED, "meshes", counts->merged_parts, NULL,
        "joined by texture, because the engine confuses the weights of several meshes");
    tn_export_report(export, TENON_MADE_UP, "vertices", counts->padding, NULL,
                     "invisible padding before a mesh, so that the engine does not confuse its "
                     "weights with other meshes");
    tn_export_report(export, TENON_APPROXIMATED, "weights", counts->mixed_meshes, NULL,
                     "the engine confuses the weights of several meshes; separating them would "
                     "need too many vertices");
    tn_export_report(export, TENON_APPROXIMATED, "vertex colors", counts->colors, NULL,
                     "rounded to 8 bits per channel");
    tn_export_report(
        export, TENON_APPROXIMATED, "textures", counts->not_dds, NULL,
        "changed to .dds, which the engine opens; copying textures would create that file");
    tn_export_report(
        export, TENON_MADE_UP, "textures", counts->untextured_meshes, NULL,
        "a white texture for meshes without one, because textures are matched to meshes by number");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", counts->not_finite, NULL,
                     "values too large for a float were clamped");
}

// -- Nodes

typedef struct bmw_node_losses {
    uint64_t gone, flat, baked, binds;
    char first_gone[32], first_flat[32], first_baked[32];
} bmw_node_losses;

static void bmw_tally_loss(uint64_t *count, char path[32], uint32_t node)
{
    if ((*count)++ == 0) (void)snprintf(path, 32, "nodes[%u]", (unsigned)node);
}

static bool bmw_report_nodes(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    bmw_node_losses losses = {0};
    bool *is_bone = tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_bone);
    if (!is_bone) return false;
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        uint32_t node = bmw_bone_node(exporter, i);
        if (node != TENON_NONE) is_bone[node] = true;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        bool has_mesh = node->mesh != TENON_NONE;
        if (i == exporter->model || exporter->keeps_tree) continue;
        if (!is_bone[i] && !has_mesh) bmw_tally_loss(&losses.gone, losses.first_gone, i);
        bool is_below = node->parent != TENON_NONE && node->parent != exporter->model;
        if ((is_bone[i] || has_mesh) && is_below)
            bmw_tally_loss(&losses.flat, losses.first_flat, i);
        if (has_mesh && !is_bone[i] && node->skin == TENON_NONE && !tn_is_unmoved(node))
            bmw_tally_loss(&losses.baked, losses.first_baked, i);
    }
    tn_export_report(&exporter->export, TENON_DROPPED, "nodes", losses.gone, losses.first_gone,
                     "unused: they have no mesh, are not joints and are not animated");
    tn_export_report(&exporter->export, TENON_MADE_UP, "nodes", 1, NULL, "added as a common root");
    tn_export_report(&exporter->export, TENON_MADE_UP, "nodes", exporter->extra_count, NULL,
                     "a joint with several bind poses needs a node for each");
    tn_export_report(
        &exporter->export, TENON_APPROXIMATED, "parents of nodes", losses.flat, losses.first_flat,
        "all nodes are below the root, because frames include the transforms of parents");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "transforms of nodes", losses.baked,
                     losses.first_baked,
                     "applied to the vertices, because the engine ignores node transforms");
    return true;
}

static void bmw_report_bones(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    uint64_t weighted = exporter->bone_count - exporter->unweighted_count,
             most = BMW_SHADER_NODES - 1;
    uint64_t beyond = weighted > most ? weighted - most : 0;
    char path[64] = "";
    uint64_t crowded = tn_rig_crowded(export, &exporter->rig, path, sizeof path);
    tn_export_approximate(export, TN_MEASURE_INFLUENCES, "weights",
                          exporter->keeps_tree ? 0 : crowded, path,
                          "BMW supports four per vertex; the largest are kept and normalized");
    tn_export_report(export, TENON_APPROXIMATED, "bones", beyond, NULL,
                     "the engine supports 128 and ignores the others");
    tn_export_report(export, TENON_APPROXIMATED, "skins", export->scene->skin_count, "skins[0]",
                     "merged into one without bind poses, which are part of the frames");
    tn_export_report(export, TENON_APPROXIMATED, "names", exporter->counts.renamed, NULL,
                     "every node needs a different name");
}

// Parts of one node that became several meshes.
static bool bmw_report_parts(const bmw_exporter *exporter)
{
    uint64_t split = 0;
    bool *is_seen =
        tn_export_alloc(&exporter->export, exporter->export.scene->node_count, sizeof *is_seen);
    if (!is_seen) return false;
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        uint32_t node = exporter->rig.parts[exporter->order[exporter->groups[i].first]].node;
        split += is_seen[node];
        is_seen[node] = true;
    }
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "parts of meshes", split, NULL,
                     "split into one mesh per texture");
    return true;
}

// Meshes that no node or several nodes use.
static bool bmw_report_uses(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint64_t unseen = 0, shared = 0, named = 0;
    uint32_t *uses = tn_export_alloc(&exporter->export, scene->mesh_count, sizeof *uses);
    if (!uses) return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        uses[mesh]++;
        named += !tn_text_equal(scene->meshes[mesh].name, scene->nodes[i].name);
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        unseen += uses[i] == 0;
        shared += uses[i] > 1;
    }
    tn_export_report(&exporter->export, TENON_DROPPED, "meshes", unseen, NULL,
                     "not used by any node");
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "shared meshes", shared, NULL,
                     "copied for each node");
    tn_export_report(&exporter->export, TENON_DROPPED, "names of meshes", named, NULL,
                     "replaced by the name of the node");
    return true;
}

// -- Clips

// The engine loops only clips that the sidecar marks, and the scene does not mark these.
static void bmw_report_loops(const bmw_exporter *exporter)
{
    if (exporter->counts.probable_loops == 0) return;
    tenon_str clip = exporter->clips[exporter->first_loop].name;
    char name[64], path[32], why[224];
    tn_text_clean(clip.data, clip.size, name, sizeof name);
    (void)snprintf(path, sizeof path, "animations[%u]", (unsigned)exporter->first_loop);
    (void)snprintf(why, sizeof why,
                   "clip '%s' ends as it begins and is probably a loop: use '--loop %s'", name,
                   name);
    tn_export_report(&exporter->export, TENON_DEFAULTED, "loops", exporter->counts.probable_loops,
                     path, why);
}

static void bmw_report_clips(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = export->scene;
    uint64_t keys = 0, events = 0, stretched = 0;
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        keys += scene->animations[i].channel_count;
        events += scene->animations[i].event_count;
    }
    tn_export_report(export, TENON_DROPPED, "events", events, NULL, "not supported by BMW");
    if (!exporter->is_animated) {
        tn_export_report(
            export, TENON_DROPPED, "animations", scene->animation_count, "animations[0]",
            "they do not move anything visible, or the layout does not support animations");
        return;
    }
    for (uint32_t i = 0; i < exporter->clip_count; i++) {
        const bmw_clip_plan *clip = &exporter->clips[i];
        double length = (clip->end - clip->start) / (double)exporter->rate;
        if (clip->animation == TENON_NONE) continue;
        stretched += length - scene->animations[clip->animation].duration > 1e-6;
    }
    tn_export_report(export, TENON_APPROXIMATED, "keys", keys, "animations[0]",
                     "replaced by one frame per tick that includes the transforms of parents");
    tn_export_report(export, TENON_MADE_UP, "clips",
                     exporter->clips[exporter->clip_count - 1].animation == TENON_NONE, NULL,
                     "a clip with the rest pose was added, because the engine always plays a clip");
    tn_export_report(export, TENON_APPROXIMATED, "names of clips", exporter->counts.clip_names,
                     NULL, "every clip needs a different name");
    bmw_report_loops(exporter);
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "durations", stretched, NULL,
                          "rounded to whole ticks: at least one, or two if the clip is not held");
    tn_export_approximate(export, TN_MEASURE_AT_REST, "rest pose", exporter->counts.is_rest_changed,
                          NULL, "the engine starts with the default clip, not with the rest pose");
    if (exporter->counts.error_between <= tn_motion_tolerance(export) / 2) return;
    const char *why = tn_rate_text(
        export, "the engine does not interpolate between frames:", exporter->rate, exporter->rate);
    if (why)
        tn_export_approximate(export, TN_MEASURE_BETWEEN_FRAMES, "motion between frames", 1, NULL,
                              why);
}

// -- Everything else

static bool bmw_holds_extra(const bmw_exporter *exporter, const tenon_extra *extra)
{
    bool is_scenes = extra->of == TENON_EXTRA_OF_SCENE;
    bool is_clips = extra->of == TENON_EXTRA_OF_ANIMATION;
    if (!exporter->is_animated) return false;
    if (is_scenes && tn_text_equal(extra->name, (tenon_str){"defaultAnim", 11}))
        return tn_text_equal(extra->value, exporter->default_anim);
    return is_clips && bmw_is_flag(extra);
}

static void bmw_report_others(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint64_t extras = 0;
    for (uint32_t i = 0; i < scene->extra_count; i++)
        extras += !bmw_holds_extra(exporter, &scene->extras[i]);
    tn_export_report(&exporter->export, TENON_APPROXIMATED, "name", scene->name.size > 0, NULL,
                     "stored as the root's name, unless a node has the same name");
    tn_export_report_picture_names(&exporter->export);
    tn_export_report(&exporter->export, TENON_DROPPED, "cameras", scene->camera_count, "cameras[0]",
                     "not supported by BMW");
    tn_export_report(&exporter->export, TENON_DROPPED, "lights", scene->light_count, "lights[0]",
                     "not supported by BMW");
    tn_export_report(&exporter->export, TENON_DROPPED, "extras", extras, NULL,
                     "BMW supports only \"loop\", \"hold\" and \"defaultAnim\"");
}

bool bmw_report_losses(const bmw_exporter *exporter)
{
    if (!bmw_report_nodes(exporter) || !bmw_report_uses(exporter) || !bmw_report_parts(exporter))
        return false;
    bmw_report_bones(exporter);
    bmw_report_meshes(exporter);
    bmw_report_primitives(exporter);
    bmw_report_materials(&exporter->export);
    bmw_report_clips(exporter);
    bmw_report_others(exporter);
    return true;
}
