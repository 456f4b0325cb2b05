// bmw_export.c: exports a scene as a BMW document with its sidecar, and reports what BMW cannot
// store.
// SPDX-License-Identifier: MIT
//
// The engine ignores the transforms of nodes; only frames move meshes. So all nodes are children of
// the root: first the bones, whose ids must be low, then one for each mesh. Transforms that no clip
// changes are applied to the vertices.
//
// A file in the layout of the format's own text has the nodes of the scene instead, with their
// transforms, below a root with the identity. Ids count up in file order, parents first. A node can
// have several bind poses, but only one id: the bones for its other bind poses are the root's last
// children.

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"
#include "core/text/tally.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/clips/motion.h"
#include "exchange/losses.h"
#include "exchange/prepare.h"
#include "formats/bmw/check/bmw_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MOST 200  // Reading fails at a depth of 256, lists included.

// -- Bones

uint32_t bmw_export_bone_node(const bmw_exporter *exporter, uint32_t bone)
{
    if (bone < exporter->rig.bone_count) return exporter->rig.bones[bone].node;
    if (bone == exporter->static_bone) return TENON_NONE;
    return exporter->unweighted[bone - (exporter->bone_count - exporter->unweighted_count)];
}

static tn_mat4 bmw_export_bone_transform(const bmw_exporter *exporter, uint32_t bone)
{
    uint32_t node = bmw_export_bone_node(exporter, bone);
    if (node == TENON_NONE) return tn_mat4_identity();
    return tn_mat4_mul(&exporter->to_model, &exporter->pose->globals[node]);
}

tn_mat4 bmw_export_bone_matrix(const bmw_exporter *exporter, uint32_t bone)
{
    tn_mat4 transform = bmw_export_bone_transform(exporter, bone);
    bool has_bind = bone < exporter->rig.bone_count;
    return has_bind ? tn_mat4_mul(&transform, &exporter->rig.bones[bone].inverse_bind) : transform;
}

void bmw_export_finite(bmw_exporter *exporter, float *numbers, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        float v = numbers[i];
        if (v - v == 0) continue;
        numbers[i] = v > 0 ? FLT_MAX : v < 0 ? -FLT_MAX : 0;
        exporter->counts.not_finite++;
    }
}

static void bmw_export_set_transform(bmw_exporter *exporter, tenon_bmw_node *node, uint32_t id,
                                     const tn_mat4 *matrix)
{
    node->node_id = id;
    tn_mat4_to_columns(matrix, node->transform);
    bmw_export_finite(exporter, node->transform, 16);
}

// -- The tree

// The parent of a node in the file; the scene's node count if that is the root.
static uint32_t bmw_export_parent(const bmw_exporter *exporter, uint32_t node)
{
    uint32_t parent = exporter->export.scene->nodes[node].parent;
    return parent == TENON_NONE || parent == exporter->model ? exporter->export.scene->node_count
                                                             : parent;
}

bool bmw_export_assign_bone_ids(bmw_exporter *exporter)
{
    uint32_t count = exporter->export.scene->node_count, next = BMW_TOP_ID + 1;
    bool *is_taken = tn_export_alloc(&exporter->export, count, sizeof *is_taken);
    exporter->bone_ids =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->bone_ids);
    if (!is_taken || !exporter->bone_ids) return false;
    if (exporter->keeps_tree) next += count - (exporter->model != TENON_NONE);
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        uint32_t node = bmw_export_bone_node(exporter, i);
        bool is_free = exporter->keeps_tree && node != TENON_NONE && !is_taken[node];
        exporter->bone_ids[i] = is_free ? exporter->tree_ids[node] : next++;
        if (is_free) is_taken[node] = true;
        if (exporter->keeps_tree && !is_free) exporter->extra_count++;
    }
    return true;
}

static bool bmw_export_tree(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint32_t count = scene->node_count, at = 0, extra = 0, named = 0;
    uint64_t all = (uint64_t)count + exporter->extra_count;
    tenon_bmw_node *nodes = tn_export_alloc(&exporter->export, all, sizeof *nodes);
    tenon_bmw_name *names = tn_export_alloc(&exporter->export, count, sizeof *names);
    uint32_t *child_counts =
        tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *child_counts);
    uint32_t *firsts = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *firsts);
    uint32_t *filled = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *filled);
    uint32_t *starts = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *starts);
    uint32_t *listed = tn_export_alloc(&exporter->export, count, sizeof *listed);
    uint8_t *meshes = tn_export_alloc(&exporter->export, exporter->group_count, 4);
    if (!nodes || !names || !child_counts || !firsts || !filled || !starts || !listed || !meshes)
        return false;
    // The lists of meshes of all nodes, one after the other: node i's is from starts[i] on.
    for (uint32_t i = 0; i < exporter->group_count; i++)
        starts[bmw_export_part_at(exporter, exporter->groups[i].first)->node + 1]++;
    for (uint32_t i = 0; i < count; i++) starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        uint32_t node = bmw_export_part_at(exporter, exporter->groups[i].first)->node;
        tn_copy_numbers(meshes + 4 * (size_t)(starts[node] + listed[node]++), &i, 1, 4, false);
    }
    for (uint32_t i = 0; i < count; i++)
        child_counts[bmw_export_parent(exporter, i)] += i != exporter->model;
    for (uint32_t i = 0; i <= count; i++) {
        firsts[i] = at;
        at += child_counts[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i == exporter->model) continue;
        uint32_t parent = bmw_export_parent(exporter, i), mesh_count = starts[i + 1] - starts[i];
        tenon_bmw_node *node = &nodes[firsts[parent] + filled[parent]++];
        // With the rotation as it is: tn_node_local() would normalize it again.
        const tenon_node *from = &scene->nodes[i];
        const double *t = from->translation, *r = from->rotation, *s = from->scale;
        const tn_trs trs = {{t[0], t[1], t[2]}, {r[0], r[1], r[2], r[3]}, {s[0], s[1], s[2]}};
        tn_mat4 local = tn_mat4_from_trs(&trs);
        if (from->has_matrix) memcpy(local.m, from->matrix, sizeof local.m);
        bmw_export_set_transform(exporter, node, exporter->tree_ids[i], &local);
        node->children = nodes + firsts[i];
        node->child_count = child_counts[i];
        node->meshes = (tenon_span){meshes + 4 * (size_t)starts[i], 4 * (uint64_t)mesh_count,
                                    mesh_count, &tn_layout_u32, false};
        if (from->name.size) names[named++] = (tenon_bmw_name){exporter->tree_ids[i], from->name};
    }
    // The root's children are the last of the list, so the additional bones follow them.
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        if (exporter->bone_ids[i] <= count - (exporter->model != TENON_NONE)) continue;
        tn_mat4 transform = bmw_export_bone_transform(exporter, i);
        bmw_export_set_transform(exporter, &nodes[firsts[count] + child_counts[count] + extra++],
                                 exporter->bone_ids[i], &transform);
    }
    tn_mat4 identity = tn_mat4_identity();
    bmw_export_set_transform(exporter, &exporter->doc->root, BMW_TOP_ID, &identity);
    exporter->doc->root.children = nodes + firsts[count];
    exporter->doc->root.child_count = child_counts[count] + extra;
    exporter->doc->names = names;
    exporter->doc->name_count = named;
    return true;
}

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

// -- Losses of materials and meshes

static void bmw_export_report_meshes(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const bmw_counts *counts = &exporter->counts;
    tn_tally more_uvs = {0}, no_uvs = {0};
    for (uint32_t i = 0; i < export->scene->mesh_count; i++)
        for (uint32_t k = 0; k < export->scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &export->scene->meshes[i].primitives[k];
            uint32_t uv_set = bmw_export_plan_of(exporter, p)->uv_set;
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

// -- Losses of nodes

static void bmw_export_report_nodes(const bmw_exporter *exporter)
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

// -- Losses of clips

static void bmw_export_report_clips(const bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = export->scene;
    uint64_t keys = 0, stretched = 0;
    if (!exporter->is_animated) {
        tn_limit clips = {
            .feature = TN_HAS_ANIMATIONS,
            .why = "they do not move anything visible, or the layout does not support animations"};
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
    if (!exporter->counts.is_wrong_between) return;
    const char *why = tn_rate_text(
        export, "the engine does not interpolate between frames:", exporter->rate, exporter->rate);
    if (why)
        tn_export_approximate(export, TN_MEASURE_BETWEEN_FRAMES, "motion between frames", 1, NULL,
                              why);
}

static bool bmw_export_report_losses(const bmw_exporter *exporter)
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
    bmw_export_report_nodes(exporter);
    bmw_export_report_meshes(exporter);
    tn_tally names = {0}, colors = {0}, modes = {0}, lights = {0}, emissive = {0}, transforms = {0};
    for (uint32_t i = 0; i < export->scene->material_count; i++) {
        const tenon_material *material = &export->scene->materials[i];
        const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
        const double *base = material->base_color, *light = material->emissive;
        bool has_texture = t->image != TENON_NONE;
        // Import turns a .png into a mask with the usual cutoff.
        bool is_png = has_texture && material->alpha == TENON_MASK && material->alpha_cutoff == 0.5;
        double rows[2][3];
        bool is_lit = material->metallic != 0 || material->roughness != 1 || material->is_classic;
        tn_tally_at(&names, material->name.size > 0, "materials", i);
        tn_tally_at(&colors, base[0] != 1 || base[1] != 1 || base[2] != 1, "materials", i);
        tn_tally_at(&modes, material->alpha != TENON_OPAQUE && !is_png, "materials", i);
        tn_tally_at(&lights, is_lit, "materials", i);
        tn_tally_at(&emissive, light[0] != 0 || light[1] != 0 || light[2] != 0, "materials", i);
        tn_tally_at(&transforms, has_texture && tn_texture_rows(t, rows), "materials", i);
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
    bmw_export_report_clips(exporter);
    tn_report_limits(export, "BMW", bmw_limits, sizeof bmw_limits / sizeof *bmw_limits);
    tn_export_report(export, TENON_DROPPED, "extras", extras, NULL,
                     "BMW supports only \"loop\", \"hold\" and \"defaultAnim\"");
    return export->err->code == TENON_OK;
}

// -- The model's node

// Whether node 0 is like the node that import adds for a sidecar: the only root, named "model".
// Skinned meshes may be other roots, as in glTF: their node's transform is ignored.
static bool bmw_export_is_model(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    if (scene->node_count == 0 || exporter->is_moving[0]) return false;
    for (uint32_t i = 1; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_top = parent == TENON_NONE;
        if (is_top ? scene->nodes[i].skin == TENON_NONE
                   : parent != 0 && scene->nodes[parent].parent == TENON_NONE)
            return false;
    }
    const tenon_node *top = &scene->nodes[0];
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            if (scene->skins[i].joints[k] == 0) return false;
    return tn_text_equal(top->name, (tenon_str){"model", 5}) && !top->has_matrix &&
           top->mesh == TENON_NONE && top->camera == TENON_NONE && top->light == TENON_NONE;
}

// -- Rig

static bool bmw_export_plan_rig(bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = export->scene;
    exporter->is_moving = tn_moving_nodes(export);
    if (!exporter->is_moving) return false;
    // A model is animated if clips move a mesh or a joint, or if it has animations and a skin.
    bool supports_clips = !export->dialect || (export->dialect->flags & TENON_BMW_ANIMATIONS);
    for (uint32_t i = 0; i < scene->node_count && supports_clips && scene->animation_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        bool is_used = node->mesh != TENON_NONE || node->is_joint;
        if (is_used && (exporter->is_moving[i] || node->skin != TENON_NONE))
            exporter->is_animated = true;
    }
    tn_rigid rigid = exporter->is_animated ? TN_RIGID_MOVING : TN_RIGID_WITHOUT_BONES;
    if (!tn_rig_make(export, rigid, false, &exporter->rig)) return false;
    exporter->pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;

    double min[3] = {0}, max[3] = {0}, square = 0;
    (void)tenon_pose_bounds(exporter->pose, min, max);
    for (int i = 0; i < 3; i++) square += (max[i] - min[i]) * (max[i] - min[i]);
    exporter->diagonal = square > 0 && square < HUGE_VAL ? sqrt(square) : 1;

    exporter->model = TENON_NONE;
    exporter->to_model = tn_mat4_identity();
    if (bmw_export_is_model(exporter)) {
        if (tn_mat4_affine_inverse(&exporter->pose->globals[0], &exporter->to_model))
            exporter->model = 0;
    }

    // Whether the tree is kept, and with which ids.
    uint32_t count = scene->node_count;
    uint32_t *depths = tn_export_alloc(export, (uint64_t)count + 1, sizeof *depths);
    uint32_t *sizes = tn_export_alloc(export, (uint64_t)count + 1, sizeof *sizes);
    uint32_t *next = tn_export_alloc(export, (uint64_t)count + 1, sizeof *next);
    exporter->tree_ids = tn_export_alloc(export, count, sizeof *exporter->tree_ids);
    if (!depths || !sizes || !next || !exporter->tree_ids) return false;
    exporter->keeps_tree = bmw_export_is_literal(exporter);
    for (uint32_t i = 0; i < count; i++) {
        depths[i] = depths[bmw_export_parent(exporter, i)] + 1;
        if (i != exporter->model && depths[i] > DEPTH_MOST) exporter->keeps_tree = false;
    }
    // Parents come before their children.
    for (uint32_t i = count; i-- > 0;)
        if (i != exporter->model) sizes[bmw_export_parent(exporter, i)] += ++sizes[i];
    next[count] = BMW_TOP_ID + 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i == exporter->model) continue;
        uint32_t *id = &next[bmw_export_parent(exporter, i)];
        exporter->tree_ids[i] = *id;
        next[i] = *id + 1;
        *id += sizes[i];
    }
    return true;
}

// -- Nodes and names

// The name of a mesh: that of the node of all its parts, of its mesh or of its material.
static tenon_str bmw_export_group_name(const bmw_exporter *exporter, const bmw_group *group)
{
    const tenon_scene *scene = exporter->export.scene;
    const tn_part *first = bmw_export_part_at(exporter, group->first);
    tenon_str name = scene->nodes[first->node].name;
    for (uint32_t i = 1; i < group->count; i++)
        if (bmw_export_part_at(exporter, group->first + i)->node != first->node)
            name = (tenon_str){"", 0};
    if (name.size == 0 && group->count == 1) name = scene->meshes[first->mesh].name;
    if (name.size == 0 && first->p->material != TENON_NONE)
        name = scene->materials[first->p->material].name;
    return name.size ? name : (tenon_str){"mesh", 4};
}

// All nodes are children of the root: first the bones, then one for each mesh. The meshes are
// reversed, because the engine draws the last node first. If names are equal, bones keep theirs.
static bool bmw_export_nodes(bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tenon_bmw *doc = exporter->doc;
    tn_mat4 identity = tn_mat4_identity();
    uint32_t bone_count = exporter->bone_count, count = bone_count + exporter->group_count;
    tenon_bmw_node *nodes = tn_export_alloc(export, count, sizeof *nodes);
    uint8_t *meshes = tn_export_alloc(export, exporter->group_count, 4);
    tenon_str *texts = tn_export_alloc(export, (uint64_t)count + 1, sizeof *texts);
    tenon_bmw_name *names = tn_export_alloc(export, (uint64_t)count + 1, sizeof *names);
    if (!nodes || !meshes || !texts || !names) return false;
    // The transforms of bones with weights are not used, but they show the matrix order.
    for (uint32_t i = 0; i < bone_count; i++) {
        uint32_t node = bmw_export_bone_node(exporter, i);
        tn_mat4 transform = bmw_export_bone_transform(exporter, i);
        bmw_export_set_transform(exporter, &nodes[i], exporter->bone_ids[i], &transform);
        texts[i] = node == TENON_NONE ? (tenon_str){"still", 5} : export->scene->nodes[node].name;
    }
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        tenon_bmw_node *node = &nodes[bone_count + i];
        uint32_t mesh = exporter->group_count - 1 - i;
        bmw_export_set_transform(exporter, node, 1 + bone_count + i, &identity);
        tn_copy_numbers(meshes + 4 * (size_t)i, &mesh, 1, 4, false);
        node->meshes = (tenon_span){meshes + 4 * (size_t)i, 4, 1, &tn_layout_u32, false};
        texts[bone_count + i] = bmw_export_group_name(exporter, &exporter->groups[mesh]);
    }
    bmw_export_set_transform(exporter, &doc->root, BMW_TOP_ID, &identity);
    doc->root.children = nodes;
    doc->root.child_count = count;
    texts[count] = export->scene->name.size ? export->scene->name : (tenon_str){"root", 4};
    if (!tn_unique_names(export, texts, count + 1, "bone", &exporter->counts.renamed)) return false;
    names[0] = (tenon_bmw_name){BMW_TOP_ID, texts[count]};
    for (uint32_t i = 0; i < count; i++) names[i + 1] = (tenon_bmw_name){i + 1, texts[i]};
    doc->names = names;
    doc->name_count = count + 1;
    return true;
}

// -- The sidecar

static bool bmw_export_sidecar(bmw_exporter *exporter, const char *name)
{
    const tn_export *export = &exporter->export;
    bool has_clips = exporter->doc->animation_count > 0, ok = true;
    if (!has_clips && exporter->model == TENON_NONE) return true;
    const tenon_read_opts opts = {.allocator = export->opts->allocator,
                                  .max_memory = export->arena->limit};
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read("{}\n", 3, &opts, export->err);
    if (!sidecar) return false;
    if (has_clips) {
        uint32_t count = exporter->clip_count;
        sidecar->clips = tenon_bmw_sidecar_alloc(sidecar, count * sizeof *sidecar->clips);
        if (!sidecar->clips)
            ok = tn_error(export->err, TENON_ERR_MEMORY, "out of memory for the sidecar");
        sidecar->clip_count = ok ? count : 0;
        sidecar->default_anim = exporter->default_anim;
        for (uint32_t i = 0; i < sidecar->clip_count; i++) {
            const bmw_clip_plan *clip = &exporter->clips[i];
            sidecar->clips[i] = (tenon_bmw_clip){.name = clip->name,
                                                 .has_range = true,
                                                 .start = clip->start,
                                                 .end = clip->end,
                                                 .loop = clip->loop,
                                                 .hold = clip->hold,
                                                 .has_loop = clip->has_loop,
                                                 .has_hold = clip->has_hold};
        }
    }
    if (exporter->model != TENON_NONE) {
        const tenon_node *node = &export->scene->nodes[exporter->model];
        tn_vec3 axis = {node->rotation[0], node->rotation[1], node->rotation[2]};
        double sine = tn_vec3_length(axis);
        memcpy(sidecar->translation, node->translation, sizeof sidecar->translation);
        memcpy(sidecar->scale, node->scale, sizeof sidecar->scale);
        if (sine > 0) {
            axis = tn_vec3_scale(axis, 1 / sine);
            sidecar->rotation = tn_degrees(2 * tn_atan2(sine, node->rotation[3]));
            memcpy(sidecar->rotation_angle, &axis, sizeof sidecar->rotation_angle);
        }
    }
    ok = ok && tn_export_begin(export, name) &&
         tenon_bmw_sidecar_write(sidecar, export->sink->write, export->sink->user, export->err) &&
         tn_export_end(export);
    tenon_bmw_sidecar_free(sidecar);
    return ok;
}

// -- The document

bool bmw_export(const tn_export *export)
{
    bmw_exporter exporter = {.export = *export};
    exporter.export.scene =
        tn_prepare(export, TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES | TN_NEEDS_NORMALS);
    if (!exporter.export.scene) return false;
    tenon_bmw *doc =
        tn_export_doc(&exporter.export, &tn_bmw_format, &tn_bmw_format.face.dialects[0]);
    exporter.doc = doc;
    // Named first, because the engine opens no other name.
    const char *sidecar =
        tn_export_name(export, tn_export_stem(export), (tenon_str){"", 0}, ".json");
    // The document is built in the newest layout, and converted to the requested one.
    tenon_change_opts opts = {.dialect = export->dialect ? export->dialect->name : NULL,
                              .events = export->opts->events,
                              .rate = export->opts->rate};
    bool ok = doc && sidecar && bmw_export_plan_rig(&exporter) &&
              bmw_export_plan_materials(&exporter) && bmw_export_plan_groups(&exporter) &&
              bmw_export_plan_motion(&exporter) && bmw_export_animation(&exporter) &&
              bmw_export_meshes(&exporter) &&
              (exporter.keeps_tree ? bmw_export_tree(&exporter) : bmw_export_nodes(&exporter)) &&
              tn_doc_change(&doc->base, &opts, export->err) &&
              bmw_export_sidecar(&exporter, sidecar) && bmw_export_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    if (!ok) return false;
    // Without animations, a file in the layout of the format's own text is read as R2, whose
    // matrices are row-major if no translation shows their order.
    bool is_forced = doc->base.dialect->flags & TENON_BMW_ORDER_FORCED;
    if (exporter.keeps_tree && doc->animation_count == 0 && !is_forced) {
        bmw_matrix_find_order(doc);
        if (doc->is_order_assumed) (void)bmw_matrix_transpose_nodes(&doc->root);
        if (doc->is_order_assumed) doc->is_row_major = true;
    }
    return tn_export_put_doc(export, "", doc);
}
