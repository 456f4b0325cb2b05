// bmw_export.c: exports a scene as a BMW document with its sidecar.
// SPDX-License-Identifier: MIT
//
// The engine ignores the transforms of nodes; only frames move meshes. So all nodes are children of
// the root: first the bones, whose ids must be low, then one for each mesh. Transforms that no clip
// changes are applied to the vertices. A file in the layout of the format's own text has the nodes
// of the scene instead: see bmw_export_tree.c.

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/prepare.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- Bones

static tn_mat4 bmw_export_global_of(const bmw_exporter *exporter, uint32_t node)
{
    tn_mat4 global;
    memcpy(global.m, tenon_pose_global(exporter->pose, node), sizeof global.m);
    return global;
}

uint32_t bmw_export_bone_node(const bmw_exporter *exporter, uint32_t bone)
{
    if (bone < exporter->rig.bone_count) return exporter->rig.bones[bone].node;
    if (bone == exporter->static_bone) return TENON_NONE;
    return exporter->unweighted[bone - (exporter->bone_count - exporter->unweighted_count)];
}

tn_mat4 bmw_export_bone_transform(const bmw_exporter *exporter, uint32_t bone)
{
    uint32_t node = bmw_export_bone_node(exporter, bone);
    if (node == TENON_NONE) return tn_mat4_identity();
    tn_mat4 global = bmw_export_global_of(exporter, node);
    return tn_mat4_mul(&exporter->to_model, &global);
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
        tn_mat4 global = bmw_export_global_of(exporter, 0);
        if (tn_mat4_affine_inverse(&global, &exporter->to_model)) exporter->model = 0;
    }
    return bmw_export_plan_tree(exporter);
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

void bmw_export_set_transform(bmw_exporter *exporter, tenon_bmw_node *node, uint32_t id,
                              const tn_mat4 *matrix)
{
    node->node_id = id;
    tn_mat4_to_columns(matrix, node->transform);
    bmw_export_finite(exporter, node->transform, 16);
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

// One texture for each mesh, as the engine needs it, or none at all.
static bool bmw_export_materials(bmw_exporter *exporter)
{
    bool has_textures = false;
    for (uint32_t i = 0; i < exporter->group_count; i++)
        has_textures = has_textures || exporter->groups[i].material->texture.size;
    if (!has_textures) return true;
    tenon_bmw_material *materials =
        tn_export_alloc(&exporter->export, exporter->group_count, sizeof *materials);
    tenon_str *textures =
        tn_export_alloc(&exporter->export, exporter->group_count, sizeof *textures);
    if (!materials || !textures) return false;
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        textures[i] = exporter->groups[i].material->texture;
        materials[i] = (tenon_bmw_material){1, &textures[i]};
    }
    exporter->doc->materials = materials;
    exporter->doc->material_count = exporter->group_count;
    return true;
}

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
              bmw_export_plan_motion(&exporter) && bmw_export_materials(&exporter) &&
              bmw_export_animation(&exporter) && bmw_export_meshes(&exporter) &&
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
