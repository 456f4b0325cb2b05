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

static tn_mat4 bmw_global_of(const bmw_exporter *m, uint32_t node)
{
    tn_mat4 global;
    memcpy(global.m, tenon_pose_global(m->pose, node), sizeof global.m);
    return global;
}

uint32_t bmw_bone_node(const bmw_exporter *m, uint32_t bone)
{
    if (bone < m->rig.bone_count) return m->rig.bones[bone].node;
    return bone == m->still ? TENON_NONE : m->loose[bone - (m->bone_count - m->loose_count)];
}

tn_mat4 bmw_bone_place(const bmw_exporter *m, uint32_t bone)
{
    uint32_t node = bmw_bone_node(m, bone);
    if (node == TENON_NONE) return tn_mat4_identity();
    tn_mat4 global = bmw_global_of(m, node);
    return tn_mat4_mul(&m->to_model, &global);
}

tn_mat4 bmw_bone_matrix(const bmw_exporter *m, uint32_t bone)
{
    tn_mat4 place = bmw_bone_place(m, bone);
    bool has_bind = bone < m->rig.bone_count;
    return has_bind ? tn_mat4_mul(&place, &m->rig.bones[bone].inverse_bind) : place;
}

void bmw_export_finite(bmw_exporter *m, float *numbers, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        float v = numbers[i];
        if (v - v == 0) continue;
        numbers[i] = v > 0 ? FLT_MAX : v < 0 ? -FLT_MAX : 0;
        m->counts.not_finite++;
    }
}

// -- The model's node

// Whether node 0 is like the node that import adds for a sidecar: the only root, named "model".
// Skinned meshes may be other roots, as in glTF: their node's transform is ignored.
static bool bmw_is_model(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    if (s->node_count == 0 || m->moves[0]) return false;
    for (uint32_t i = 1; i < s->node_count; i++) {
        uint32_t parent = s->nodes[i].parent;
        bool is_top = parent == TENON_NONE;
        if (is_top ? s->nodes[i].skin == TENON_NONE
                   : parent != 0 && s->nodes[parent].parent == TENON_NONE)
            return false;
    }
    const tenon_node *top = &s->nodes[0];
    for (uint32_t i = 0; i < s->skin_count; i++)
        for (uint32_t k = 0; k < s->skins[i].joint_count; k++)
            if (s->skins[i].joints[k] == 0) return false;
    return tn_text_equal(top->name, (tenon_str){"model", 5}) && !top->has_matrix &&
           top->mesh == TENON_NONE && top->camera == TENON_NONE && top->light == TENON_NONE;
}

static void bmw_find_model(bmw_exporter *m)
{
    m->model = TENON_NONE;
    m->to_model = tn_mat4_identity();
    if (!bmw_is_model(m)) return;
    tn_mat4 global = bmw_global_of(m, 0);
    if (tn_mat4_affine_inverse(&global, &m->to_model)) m->model = 0;
}

// -- Rig

static void bmw_measure(bmw_exporter *m)
{
    double min[3] = {0}, max[3] = {0}, square = 0;
    (void)tenon_pose_bounds(m->pose, min, max);
    for (int i = 0; i < 3; i++) square += (max[i] - min[i]) * (max[i] - min[i]);
    m->diagonal = square > 0 && square < HUGE_VAL ? sqrt(square) : 1;
}

// A model is animated if clips move a mesh or a joint, or if it has animations and a skin.
static bool bmw_has_motion(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    const tenon_dialect *dialect = m->e.dialect;
    bool holds_clips = !dialect || (dialect->flags & TENON_BMW_ANIMATIONS);
    if (!holds_clips || s->animation_count == 0) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        bool is_shown = s->nodes[i].mesh != TENON_NONE || s->nodes[i].is_joint;
        if (is_shown && (m->moves[i] || s->nodes[i].skin != TENON_NONE)) return true;
    }
    return false;
}

static bool bmw_export_rig(bmw_exporter *m)
{
    m->moves = tn_moving_nodes(&m->e);
    if (!m->moves) return false;
    m->is_animated = bmw_has_motion(m);
    tn_rigid rigid = m->is_animated ? TN_RIGID_MOVING : TN_RIGID_WITHOUT_BONES;
    if (!tn_rig_make(&m->e, rigid, false, &m->rig)) return false;
    m->pose = tenon_pose_new(m->e.scene, &m->e.opts->allocator, m->e.err);
    if (!m->pose) return false;
    bmw_measure(m);
    bmw_find_model(m);
    return bmw_plan_tree(m);
}

// -- Nodes and names

// The name of a mesh: that of the node of all its parts, of its mesh or of its material.
static tenon_str bmw_group_name(const bmw_exporter *m, const bmw_group *group)
{
    const tenon_scene *s = m->e.scene;
    const tn_part *first = &m->rig.parts[m->order[group->first]];
    tenon_str name = s->nodes[first->node].name;
    for (uint32_t i = 1; i < group->count; i++)
        if (m->rig.parts[m->order[group->first + i]].node != first->node) name = (tenon_str){"", 0};
    if (name.size == 0 && group->count == 1) name = s->meshes[first->mesh].name;
    if (name.size == 0 && first->p->material != TENON_NONE)
        name = s->materials[first->p->material].name;
    return name.size ? name : (tenon_str){"mesh", 4};
}

// Bones come first, so that they keep their names if meshes have the same. The meshes are reversed,
// because the engine draws the last node first. The root has the first id, but the last name.
static bool bmw_export_names(bmw_exporter *m)
{
    uint32_t count = 1 + m->bone_count + m->group_count, at = 0;
    tenon_str *names = tn_export_alloc(&m->e, count, sizeof *names);
    tenon_bmw_name *made = tn_export_alloc(&m->e, count, sizeof *made);
    if (!names || !made) return false;
    for (uint32_t i = 0; i < m->bone_count; i++) {
        uint32_t node = bmw_bone_node(m, i);
        bool is_still = node == TENON_NONE;
        names[at++] = is_still ? (tenon_str){"still", 5} : m->e.scene->nodes[node].name;
    }
    for (uint32_t i = m->group_count; i-- > 0;) names[at++] = bmw_group_name(m, &m->groups[i]);
    names[at] = m->e.scene->name.size ? m->e.scene->name : (tenon_str){"root", 4};
    if (!tn_unique_names(&m->e, names, count, "bone", &m->counts.renamed)) return false;
    made[0] = (tenon_bmw_name){BMW_TOP_ID, names[count - 1]};
    for (uint32_t i = 1; i < count; i++) made[i] = (tenon_bmw_name){i, names[i - 1]};
    m->doc->names = made;
    m->doc->name_count = count;
    return true;
}

void bmw_set_transform(bmw_exporter *m, tenon_bmw_node *node, uint32_t id, const tn_mat4 *matrix)
{
    node->node_id = id;
    tn_mat4_to_columns(matrix, node->transform);
    bmw_export_finite(m, node->transform, 16);
}

static bool bmw_export_nodes(bmw_exporter *m)
{
    tn_mat4 identity = tn_mat4_identity();
    uint32_t count = m->bone_count + m->group_count;
    tenon_bmw_node *nodes = tn_export_alloc(&m->e, count, sizeof *nodes);
    uint8_t *meshes = tn_export_alloc(&m->e, m->group_count, 4);
    if (!nodes || !meshes) return false;
    bmw_set_transform(m, &m->doc->root, BMW_TOP_ID, &identity);
    m->doc->root.children = nodes;
    m->doc->root.child_count = count;
    // The transforms of bones with weights are not used, but they show the matrix order.
    for (uint32_t i = 0; i < m->bone_count; i++) {
        tn_mat4 place = bmw_bone_place(m, i);
        bmw_set_transform(m, &nodes[i], m->bone_ids[i], &place);
    }
    for (uint32_t i = 0; i < m->group_count; i++) {
        tenon_bmw_node *node = &nodes[m->bone_count + i];
        uint32_t mesh = m->group_count - 1 - i;
        bmw_set_transform(m, node, 1 + m->bone_count + i, &identity);
        tn_copy_numbers(meshes + 4 * (size_t)i, &mesh, 1, 4, false);
        node->meshes = (tenon_span){meshes + 4 * (size_t)i, 4, 1, &tn_layout_u32, false};
    }
    return bmw_export_names(m);
}

// -- The document

// One texture for each mesh, as the engine needs it, or none at all.
static bool bmw_export_materials(bmw_exporter *m)
{
    bool has_textures = false;
    for (uint32_t i = 0; i < m->group_count; i++)
        has_textures = has_textures || m->groups[i].paint->texture.size;
    if (!has_textures) return true;
    tenon_bmw_material *made = tn_export_alloc(&m->e, m->group_count, sizeof *made);
    tenon_str *textures = tn_export_alloc(&m->e, m->group_count, sizeof *textures);
    if (!made || !textures) return false;
    for (uint32_t i = 0; i < m->group_count; i++) {
        textures[i] = m->groups[i].paint->texture;
        made[i] = (tenon_bmw_material){1, &textures[i]};
    }
    m->doc->materials = made;
    m->doc->material_count = m->group_count;
    return true;
}

// Older layouts are converted from the newest one.
static bool bmw_export_older(bmw_exporter *m)
{
    const tn_export *e = &m->e;
    tenon_change_opts opts = {.dialect = e->dialect ? e->dialect->name : NULL,
                              .lost = e->opts->lost,
                              .user = e->opts->user,
                              .rate = e->opts->rate};
    return tn_doc_change(&m->doc->base, &opts, e->err);
}

// Without animations, a file in the layout of the format's own text is read as R2, whose matrices
// are row-major if no translation shows their order.
static void bmw_expect_rows(bmw_exporter *m)
{
    bool is_forced = m->doc->base.dialect->flags & TENON_BMW_ORDER_FORCED;
    if (!m->keeps_tree || m->doc->animation_count || is_forced) return;
    bmw_find_order(m->doc);
    if (!m->doc->is_order_assumed) return;
    (void)bmw_turn_nodes(&m->doc->root);
    m->doc->is_row_major = true;
}

static bool bmw_fill(bmw_exporter *m)
{
    return bmw_export_rig(m) && bmw_export_paints(m) && bmw_export_groups(m) &&
           bmw_plan_motion(m) && bmw_export_materials(m) && bmw_export_animation(m) &&
           bmw_export_meshes(m) && (m->keeps_tree ? bmw_export_tree(m) : bmw_export_nodes(m)) &&
           bmw_export_older(m);
}

bool bmw_export(const tn_export *e)
{
    bmw_exporter m = {.e = *e};
    m.e.scene = tn_prepare(e, TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES | TN_NEEDS_NORMALS);
    if (!m.e.scene) return false;
    m.doc = tn_export_doc(&m.e, &tn_bmw_format, &tn_bmw_format.face.dialects[0]);
    // Named first, because the engine opens no other name.
    const char *side = tn_export_name(e, tn_export_stem(e), (tenon_str){"", 0}, ".json");
    bool ok = m.doc && side && bmw_fill(&m) && bmw_put_sidecar(&m, side) && bmw_report_making(&m);
    if (ok) bmw_expect_rows(&m);
    tenon_pose_free(m.pose);
    return ok && tn_export_put_doc(e, "", m.doc);
}
