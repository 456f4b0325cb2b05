// bmw_export_loss.c: reports what BMW cannot store of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include "formats/bmw/check/bmw_check.h"

#include "core/text/tally.h"
#include "core/text/text.h"
#include "exchange/clips/motion.h"
#include "exchange/losses.h"

#include <stdio.h>

static const tn_limit bmw_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_SHARED_MESHES},
    {.feature = TN_HAS_MESH_NAMES},
    {.feature = TN_HAS_TANGENTS},
    {.feature = TN_HAS_COLOR_SETS, .most = 1, .why = "BMW supports one set"},
    {.feature = TN_HAS_BASE_ALPHA, .why = "the engine uses only the transparency of the texture"},
    {.feature = TN_HAS_DOUBLE_SIDES},
    {.feature = TN_HAS_UNLIT, .why = "the engine lights all materials"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR),
     .name = "further textures",
     .why = "BMW supports one texture per mesh"},
    {.feature = TN_HAS_TEXTURE_WRAPS,
     .most = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR),
     .why = "the engine always repeats textures"},
    {.feature = TN_HAS_SKINS,
     .kind = TENON_APPROXIMATED,
     .why = "merged into one without bind poses, which are part of the frames"},
    {.feature = TN_HAS_EVENTS},
    {.feature = TN_HAS_SCENE_NAME,
     .kind = TENON_APPROXIMATED,
     .name = "name",
     .why = "stored as the root's name, unless a node has the same name"},
    {.feature = TN_HAS_PICTURE_NAMES},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
};

// -- Materials and meshes

static void bmw_export_loss_report_materials(const tn_export *export)
{
    tn_tally names = {0}, colors = {0}, modes = {0}, lights = {0}, emissive = {0}, transforms = {0};
    for (uint32_t i = 0; i < export->scene->material_count; i++) {
        const tenon_material *material = &export->scene->materials[i];
        const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
        const double *base = material->base_color, *light = material->emissive;
        bool has_texture = t->image != TENON_NONE;
        // Import turns a .png into a mask with the usual cutoff.
        bool is_png = has_texture && material->alpha == TENON_MASK && material->alpha_cutoff == 0.5;
        bool is_moved = t->rotation != 0 || t->offset[0] != 0 || t->offset[1] != 0 ||
                        t->scale[0] != 1 || t->scale[1] != 1;
        bool is_lit = material->metallic != 0 || material->roughness != 1 || material->is_classic;
        tn_tally_at(&names, material->name.size > 0, "materials", i);
        tn_tally_at(&colors, base[0] != 1 || base[1] != 1 || base[2] != 1, "materials", i);
        tn_tally_at(&modes, material->alpha != TENON_OPAQUE && !is_png, "materials", i);
        tn_tally_at(&lights, is_lit, "materials", i);
        tn_tally_at(&emissive, light[0] != 0 || light[1] != 0 || light[2] != 0, "materials", i);
        tn_tally_at(&transforms, has_texture && is_moved, "materials", i);
    }
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of materials",
                           "BMW stores only the texture path");
    tn_export_report_tally(export, &colors, TENON_APPROXIMATED, "base colors",
                           "multiplied into the vertex colors");
    tn_export_report_tally(export, &modes, TENON_APPROXIMATED, "alpha modes",
                           "the engine blends only textures whose name contains .png");
    tn_export_report_tally(export, &lights, TENON_DROPPED, "metalness and shine",
                           "BMW stores only a texture");
    tn_export_report_tally(export, &emissive, TENON_DROPPED, "emissive colors",
                           "BMW stores only a texture");
    tn_export_report_tally(export, &transforms, TENON_APPROXIMATED, "transforms of textures",
                           "applied to the texture coordinates");
}

static void bmw_export_loss_report_meshes(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const bmw_counts *counts = &exporter->counts;
    tn_tally more_uvs = {0}, no_uvs = {0};
    for (uint32_t i = 0; i < export->scene->mesh_count; i++)
        for (uint32_t k = 0; k < export->scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &export->scene->meshes[i].primitives[k];
            uint32_t uv_set = bmw_export_material_plan_of(exporter, p)->uv_set;
            bool has_more_uvs = false;
            for (uint32_t set = 0; set < TENON_UV_SETS; set++)
                has_more_uvs = has_more_uvs || (set != uv_set && p->uvs[set]);
            tn_tally_in(&more_uvs, has_more_uvs, "meshes", i, "primitives", k);
            tn_tally_in(&no_uvs, p->index_count && !p->uvs[uv_set], "meshes", i, "primitives", k);
        }
    tn_export_report_tally(export, &more_uvs, TENON_DROPPED, "further texture coordinates",
                           "BMW supports one set");
    tn_export_report_tally(export, &no_uvs, TENON_DEFAULTED, "texture coordinates",
                           "set to 0, because BMW requires them");
    tn_export_report(export, TENON_DROPPED, "meshes", counts->nodes_without_faces, NULL,
                     "without faces they would crash the engine");
    tn_export_report(
        export, TENON_APPROXIMATED, "meshes", counts->merged_parts, NULL,
        "joined by texture, because the engine mixes up the weights of different meshes");
    tn_export_report(export, TENON_SYNTHESIZED, "vertices", counts->padding, NULL,
                     "invisible padding before a mesh, so that the engine does not confuse its "
                     "weights with other meshes");
    tn_export_report(export, TENON_APPROXIMATED, "weights", counts->mixed_meshes, NULL,
                     "the engine mixes up the weights of different meshes; separating them would "
                     "need too many vertices");
    tn_export_report(export, TENON_APPROXIMATED, "vertex colors", counts->colors, NULL,
                     "rounded to 8 bits per channel");
    tn_export_report(
        export, TENON_APPROXIMATED, "textures", counts->not_dds, NULL,
        "changed to .dds, which the engine opens; copying textures would create that file");
    tn_export_report(
        export, TENON_SYNTHESIZED, "textures", counts->untextured_meshes, NULL,
        "a white texture for meshes without one, because textures are matched to meshes by number");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", counts->not_finite, NULL,
                     "values too large for a float were clamped");
}

// -- Nodes

static void bmw_export_loss_report_nodes(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = export->scene;
    tn_tally unused = {0}, parents = {0}, transforms = {0};
    bool *is_bone = tn_export_alloc(export, scene->node_count, sizeof *is_bone);
    bool *has_mesh = tn_export_alloc(export, scene->node_count, sizeof *has_mesh);
    if (!is_bone || !has_mesh) return;
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        uint32_t node = bmw_export_bone_node(exporter, i);
        if (node != TENON_NONE) is_bone[node] = true;
    }
    for (uint32_t i = 0; i < scene->node_count && !exporter->keeps_tree; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (i == exporter->model) continue;
        bool shows = node->mesh != TENON_NONE, is_used = shows || is_bone[i];
        bool is_below = node->parent != TENON_NONE && node->parent != exporter->model;
        bool is_applied = shows && !is_bone[i] && node->skin == TENON_NONE;
        tn_tally_at(&unused, !is_used, "nodes", i);
        tn_tally_at(&parents, is_used && is_below, "nodes", i);
        tn_tally_at(&transforms, is_applied && !tn_is_unmoved(node), "nodes", i);
    }
    tn_export_report_tally(export, &unused, TENON_DROPPED, "nodes",
                           "unused: they have no mesh, are not joints and are not animated");
    tn_export_report(export, TENON_SYNTHESIZED, "nodes", 1, NULL, "added as a common root");
    tn_export_report(export, TENON_SYNTHESIZED, "nodes", exporter->extra_count, NULL,
                     "a joint with several bind poses needs a node for each");
    tn_export_report_tally(
        export, &parents, TENON_APPROXIMATED, "parents of nodes",
        "all nodes are below the root, because frames include the transforms of parents");
    tn_export_report_tally(export, &transforms, TENON_APPROXIMATED, "transforms of nodes",
                           "applied to the vertices, because the engine ignores node transforms");
    tn_export_report(export, TENON_APPROXIMATED, "names", exporter->counts.renamed, NULL,
                     "every node needs a different name");

    uint64_t split = 0;  // Parts of one node that became several meshes.
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        uint32_t node = bmw_export_part_at(exporter, exporter->groups[i].first)->node;
        split += has_mesh[node];
        has_mesh[node] = true;
    }
    tn_export_report(export, TENON_APPROXIMATED, "parts of meshes", split, NULL,
                     "split into one mesh per texture");
    uint64_t weighted = exporter->bone_count - exporter->unweighted_count;
    uint64_t most = BMW_SHADER_NODES - 1;
    tn_export_report(export, TENON_APPROXIMATED, "bones", weighted > most ? weighted - most : 0,
                     NULL, "the engine supports 128 and ignores the others");
    char path[64] = "";
    uint64_t crowded = tn_rig_crowded(export, &exporter->rig, path, sizeof path);
    tn_export_approximate(export, TN_MEASURE_INFLUENCES, "weights",
                          exporter->keeps_tree ? 0 : crowded, path,
                          "BMW supports four per vertex; the largest are kept and normalized");
}

// -- Clips

static void bmw_export_loss_report_clips(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = export->scene;
    uint64_t keys = 0, stretched = 0;
    if (!exporter->is_animated) {
        tn_limit clips = {.feature = TN_HAS_ANIMATIONS,
                          .why = "they do not move anything visible, or the layout does not "
                                 "support animations"};
        tn_report_limits(export, "BMW", &clips, 1);
        return;
    }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        keys += scene->animations[i].channel_count;
    for (uint32_t i = 0; i < exporter->clip_count; i++) {
        const bmw_clip_plan *clip = &exporter->clips[i];
        double length = (clip->end - clip->start) / (double)exporter->rate;
        if (clip->animation == TENON_NONE) continue;
        stretched += length - scene->animations[clip->animation].duration > 1e-6;
    }
    tn_export_report(export, TENON_APPROXIMATED, "keys", keys, "animations[0]",
                     "replaced by one frame per tick that includes the transforms of parents");
    tn_export_report(export, TENON_SYNTHESIZED, "clips",
                     exporter->clips[exporter->clip_count - 1].animation == TENON_NONE, NULL,
                     "a clip with the rest pose was added, because the engine always plays a clip");
    tn_export_report(export, TENON_APPROXIMATED, "names of clips", exporter->counts.clip_names,
                     NULL, "every clip needs a different name");
    // The engine loops only clips that the sidecar marks, and the scene does not mark these.
    tenon_str loop = exporter->clips[exporter->first_loop].name;
    char name[64], path[32], advice[224];
    tn_text_clean(loop.data, loop.size, name, sizeof name);
    (void)snprintf(path, sizeof path, "animations[%u]", (unsigned)exporter->first_loop);
    (void)snprintf(advice, sizeof advice,
                   "clip '%s' ends as it begins and is probably a loop: use '--loop %s'", name,
                   name);
    tn_export_report(export, TENON_DEFAULTED, "loops", exporter->counts.probable_loops, path,
                     advice);
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

bool bmw_export_report_losses(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = export->scene;
    uint64_t extras = 0;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        bool is_default =
            extra->of == TENON_EXTRA_OF_SCENE && tn_text_is(extra->name, "defaultAnim");
        bool is_kept = is_default
                           ? tn_text_equal(extra->value, exporter->default_anim)
                           : extra->of == TENON_EXTRA_OF_ANIMATION && bmw_export_is_flag(extra);
        extras += !exporter->is_animated || !is_kept;
    }
    bmw_export_loss_report_nodes(exporter);
    bmw_export_loss_report_meshes(exporter);
    bmw_export_loss_report_materials(export);
    bmw_export_loss_report_clips(exporter);
    tn_report_limits(export, "BMW", bmw_limits, sizeof bmw_limits / sizeof *bmw_limits);
    tn_export_report(export, TENON_DROPPED, "extras", extras, NULL,
                     "BMW supports only \"loop\", \"hold\" and \"defaultAnim\"");
    return export->err->code == TENON_OK;
}
