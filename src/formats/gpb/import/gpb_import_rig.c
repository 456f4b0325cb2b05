// gpb_import_rig.c: plans the nodes of the scene and where its skeletons are.
// SPDX-License-Identifier: MIT
//
// The engine transforms a skinned vertex by its joints and their ancestors, and then by the node of
// the mesh and its ancestors. A scene ignores the node of the mesh. So if that node is not always
// at the origin, the skeleton has to be below it: the joints themselves if nothing else needs them
// at their place, otherwise copies.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <string.h>

#define GPB_MANY (TENON_NONE - 1)

// Facts about the nodes of the tree.
typedef struct gpb_forest {
    gpb_importer *s;
    const gpb_leaf *leaves;
    uint32_t *tops;     // The root of its tree.
    uint32_t *hangs;    // The nearest, itself or above, with a transform; or TENON_NONE.
    bool *holds;        // It or a descendant has a mesh, a camera or a light.
    uint32_t *bundles;  // The topmost of its ancestors that hold nothing; or TENON_NONE.
    uint32_t *users;    // For a root: where skins need its joints, or GPB_MANY.
    uint32_t *copies;   // Its newest copy; TENON_NONE if there is none.
    uint32_t *places;   // The node that copy is below.
    bool *is_hung;      // It was moved to where a skin needs it.
} gpb_forest;

// -- Facts about the nodes

static bool gpb_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++)
        if (m[i] != (i % 5 == 0)) return false;
    return true;
}

static void gpb_look_down(gpb_forest *f, uint32_t i)
{
    const gpb_leaf *leaf = &f->leaves[i];
    uint32_t parent = leaf->parent;
    bool is_root = parent == TENON_NONE;
    bool stays = gpb_is_identity(leaf->node->transform) && !f->s->is_moved[i];
    f->tops[i] = is_root ? i : f->tops[parent];
    f->hangs[i] = !stays ? i : is_root ? TENON_NONE : f->hangs[parent];
    f->bundles[i] = f->holds[i] ? TENON_NONE : is_root || f->holds[parent] ? i : f->bundles[parent];
    f->users[i] = f->copies[i] = TENON_NONE;
}

static bool gpb_forest_make(gpb_forest *f)
{
    tn_scene_builder *b = f->s->b;
    uint32_t count = f->s->index.tree.count;
    uint32_t **arrays[] = {&f->tops, &f->hangs, &f->bundles, &f->users, &f->copies, &f->places};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = tn_scene_array(b, count, sizeof **arrays[i]);
    f->holds = tn_scene_array(b, count, sizeof *f->holds);
    f->is_hung = tn_scene_array(b, count, sizeof *f->is_hung);
    if (b->failed) return false;
    for (uint32_t i = count; i-- > 0;) {
        const tenon_gpb_node *node = f->leaves[i].node;
        if (gpb_has_model(f->s->doc->base.dialect->flags, &node->model) ||
            node->camera.camera_type || node->light.light_type)
            f->holds[i] = true;
        if (f->holds[i] && f->leaves[i].parent != TENON_NONE) f->holds[f->leaves[i].parent] = true;
    }
    for (uint32_t i = 0; i < count; i++) gpb_look_down(f, i);
    return true;
}

// -- Skins

// Whether a node has a mesh that its skin can move.
static bool gpb_can_be_skinned(gpb_importer *s, uint32_t leaf)
{
    const tenon_gpb_model *model = &s->index.tree.leaves[leaf].node->model;
    if (!gpb_has_model(s->doc->base.dialect->flags, model) || !model->has_skin) return false;
    const tenon_gpb_mesh *mesh = gpb_find_mesh(&s->index, model->mesh);
    if (!mesh) return false;
    if (model->skin.joint_count && gpb_has_influences(mesh)) return true;
    if (gpb_tally_first(&s->losses.unskinned, 1))
        s->losses.unskinned.path = gpb_import_path(s, leaf, tn_path("model.skin"));
    return false;
}

static void gpb_find_joints(gpb_importer *s, gpb_rig *rig)
{
    const tenon_gpb_skin *skin = &s->index.tree.leaves[rig->leaf].node->model.skin;
    rig->joints = tn_scene_array(s->b, skin->joint_count, sizeof *rig->joints);
    for (uint32_t i = 0; i < skin->joint_count && !s->b->failed; i++) {
        rig->joints[i] = gpb_find_node(&s->index, gpb_xref_id(s->doc, skin->joints[i]));
        if (rig->joints[i] == TENON_NONE && gpb_tally_first(&s->losses.joints, 1))
            s->losses.joints.path =
                gpb_import_path(s, rig->leaf, tn_path("model.skin.joints[%" PRIu32 "]", i));
    }
}

static void gpb_list_rigs(gpb_importer *s)
{
    uint32_t count = s->index.tree.count;
    s->rig_of = tn_scene_array(s->b, count, sizeof *s->rig_of);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < count; i++)
        s->rig_of[i] = gpb_can_be_skinned(s, i) ? s->rig_count++ : TENON_NONE;
    s->rigs = tn_scene_array(s->b, s->rig_count, sizeof *s->rigs);
    for (uint32_t i = 0; i < count && !s->b->failed; i++) {
        if (s->rig_of[i] == TENON_NONE) continue;
        gpb_rig *rig = &s->rigs[s->rig_of[i]];
        rig->leaf = i;
        gpb_find_joints(s, rig);
    }
}

// Find out where each skin needs the trees of its joints.
static void gpb_find_users(gpb_forest *f)
{
    gpb_importer *s = f->s;
    bool *is_used = tn_scene_array(s->b, s->index.tree.count, sizeof *is_used);
    for (uint32_t i = 0; i < s->rig_count && !s->b->failed; i++) {
        gpb_rig *rig = &s->rigs[i];
        uint32_t count = f->leaves[rig->leaf].node->model.skin.joint_count;
        rig->hang = f->hangs[rig->leaf];
        for (uint32_t k = 0; k < count; k++) {
            if (rig->joints[k] == TENON_NONE) continue;
            uint32_t top = f->tops[rig->joints[k]];
            if (is_used[top] && f->users[top] != rig->hang) f->users[top] = GPB_MANY;
            if (!is_used[top]) f->users[top] = rig->hang;
            is_used[top] = true;
        }
    }
}

// -- Moving and copying joints

static uint32_t gpb_add_slot(gpb_importer *s, uint32_t leaf, uint32_t parent)
{
    if (s->slot_count == s->slot_room) {
        uint64_t room = 2 * (uint64_t)s->slot_room + 16;
        gpb_slot *larger = tn_scene_array(s->b, room, sizeof *larger);
        if (!larger) return TENON_NONE;
        if (s->slot_count) memcpy(larger, s->slots, s->slot_count * sizeof *larger);
        s->slots = larger;
        s->slot_room = room < GPB_MANY ? (uint32_t)room : GPB_MANY;
    }
    uint32_t slot = s->slot_count++;
    s->slots[slot] = (gpb_slot){.leaf = leaf, .parent = parent, .next_copy = TENON_NONE};
    return slot;
}

// The copy of a node, with its ancestors, below the node `hang`.
static uint32_t gpb_copy_leaf(gpb_forest *f, uint32_t leaf, uint32_t hang)
{
    gpb_importer *s = f->s;
    uint32_t child = TENON_NONE;  // The next node is the parent of this one.
    uint32_t result = TENON_NONE;
    for (uint32_t at = leaf; !s->b->failed; at = f->leaves[at].parent) {
        bool is_there = at != TENON_NONE && f->copies[at] != TENON_NONE && f->places[at] == hang;
        uint32_t slot = at == TENON_NONE ? hang
                        : is_there       ? f->copies[at]
                                         : gpb_add_slot(s, at, TENON_NONE);
        if (s->b->failed) break;
        if (child != TENON_NONE) s->slots[child].parent = slot;
        if (result == TENON_NONE) result = slot;
        if (at == TENON_NONE || is_there) break;
        s->slots[slot].next_copy = s->slots[at].next_copy;
        s->slots[at].next_copy = slot;
        f->copies[at] = slot;
        f->places[at] = hang;
        child = slot;
        if (gpb_tally_first(&s->losses.copied, 1))
            s->losses.copied.path = gpb_import_path(s, at, tn_path("%s", ""));
    }
    return result;
}

// Move or copy a joint to where its skin needs it. Returns its planned node.
static uint32_t gpb_hang_joint(gpb_forest *f, uint32_t joint, uint32_t hang)
{
    gpb_importer *s = f->s;
    uint32_t bundle = f->bundles[joint];
    if (hang == TENON_NONE) return joint;
    if (f->users[f->tops[joint]] != hang || bundle == TENON_NONE)
        return gpb_copy_leaf(f, joint, hang);
    if (f->is_hung[bundle]) return joint;
    uint32_t parent = f->leaves[bundle].parent;
    uint32_t place = parent == TENON_NONE ? hang : gpb_copy_leaf(f, parent, hang);
    f->is_hung[bundle] = true;
    if (s->b->failed) return joint;
    s->slots[bundle].parent = place;
    if (gpb_tally_first(&s->losses.moved, 1))
        s->losses.moved.path = gpb_import_path(s, bundle, tn_path("%s", ""));
    return joint;
}

static bool gpb_hang_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_rig *rigs = context;
    return rigs[a].hang < rigs[b].hang;
}

// The planned node above all joints of a skin; TENON_NONE if there is none.
static uint32_t gpb_find_root(const gpb_forest *f, const gpb_rig *rig, uint32_t count)
{
    const gpb_slot *slots = f->s->slots;
    uint32_t top = TENON_NONE, at = TENON_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (rig->joints[i] == TENON_NONE) return TENON_NONE;
        at = rig->joints[i];
        uint32_t other = f->tops[slots[at].leaf];
        if (i && other != top) return TENON_NONE;
        top = other;
    }
    while (slots[at].parent != TENON_NONE && slots[at].parent != rig->hang) at = slots[at].parent;
    return at;
}

// Skins that need joints at the same place are handled in sequence, so that they use the same
// copies.
static void gpb_hang_all(gpb_forest *f)
{
    gpb_importer *s = f->s;
    uint32_t *sorted = tn_scene_array(s->b, s->rig_count, sizeof *sorted);
    uint32_t *spare = tn_scene_array(s->b, s->rig_count, sizeof *spare);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->rig_count; i++) sorted[i] = i;
    tn_sort(sorted, spare, s->rig_count, gpb_hang_before, s->rigs);
    for (uint32_t i = 0; i < s->rig_count && !s->b->failed; i++) {
        gpb_rig *rig = &s->rigs[sorted[i]];
        uint32_t count = f->leaves[rig->leaf].node->model.skin.joint_count;
        for (uint32_t k = 0; k < count && !s->b->failed; k++)
            if (rig->joints[k] != TENON_NONE)
                rig->joints[k] = gpb_hang_joint(f, rig->joints[k], rig->hang);
        if (!s->b->failed) rig->root = gpb_find_root(f, rig, count);
    }
}

void gpb_plan_slots(gpb_importer *s)
{
    gpb_forest f = {.s = s, .leaves = s->index.tree.leaves};
    if (s->b->failed || !gpb_forest_make(&f)) return;
    for (uint32_t i = 0; i < s->index.tree.count && !s->b->failed; i++)
        gpb_add_slot(s, i, f.leaves[i].parent);
    gpb_list_rigs(s);
    if (!s->b->failed) gpb_find_users(&f);
    if (!s->b->failed) gpb_hang_all(&f);
}

// -- Nodes

// The engine mirrors along Z. This matters only if a channel moves one component.
static void gpb_mirror_as_engine(tn_trs *trs)
{
    if (!(trs->scale.x < 0)) return;
    trs->rotation = tn_quat_mul(trs->rotation, (tn_quat){0, 1, 0, 0});
    trs->scale.x = -trs->scale.x;
    trs->scale.z = -trs->scale.z;
}

// Animated nodes have translation, rotation and scale, as in the engine.
static void gpb_split_matrix(gpb_importer *s, uint32_t leaf, tenon_node *n)
{
    tn_mat4 m;
    tn_trs trs;
    memcpy(m.m, n->matrix, sizeof m.m);
    (void)tn_mat4_decompose(&m, &trs);
    gpb_mirror_as_engine(&trs);
    memcpy(n->translation, &trs.translation, sizeof n->translation);
    memcpy(n->rotation, &trs.rotation, sizeof n->rotation);
    memcpy(n->scale, &trs.scale, sizeof n->scale);
    if (n->has_matrix && gpb_tally_first(&s->losses.sheared, 1))
        s->losses.sheared.path = gpb_import_path(s, leaf, tn_path("transform"));
    n->has_matrix = false;
}

static void gpb_add_node(gpb_importer *s, gpb_slot *slot)
{
    const tenon_gpb_node *node = s->index.tree.leaves[slot->leaf].node;
    uint32_t parent = slot->parent == TENON_NONE ? TENON_NONE : s->slots[slot->parent].node;
    double matrix[16];
    for (int i = 0; i < 16; i++) matrix[i] = node->transform[i];
    slot->node = tn_add_node(s->b, gpb_id_of(s->doc, node->reference), parent);
    if (s->b->failed) return;
    tn_set_matrix(s->b, slot->node, matrix);
    tenon_node *made = &s->b->scene->nodes[slot->node];
    made->is_joint = node->node_type == 2;
    if (s->is_moved[slot->leaf]) gpb_split_matrix(s, slot->leaf, made);
}

// Link the planned nodes to trees. Returns the first root.
static uint32_t gpb_link_slots(gpb_importer *s)
{
    uint32_t root = TENON_NONE;
    for (uint32_t i = 0; i < s->slot_count; i++) s->slots[i].first_child = TENON_NONE;
    for (uint32_t i = s->slot_count; i-- > 0;) {
        uint32_t parent = s->slots[i].parent;
        uint32_t *first = parent == TENON_NONE ? &root : &s->slots[parent].first_child;
        s->slots[i].next_sibling = *first;
        *first = i;
    }
    return root;
}

void gpb_add_slots(gpb_importer *s)
{
    if (s->b->failed) return;
    uint32_t at = gpb_link_slots(s);
    while (at != TENON_NONE && !s->b->failed) {
        gpb_add_node(s, &s->slots[at]);
        if (s->slots[at].first_child != TENON_NONE) {
            at = s->slots[at].first_child;
            continue;
        }
        while (s->slots[at].next_sibling == TENON_NONE && s->slots[at].parent != TENON_NONE)
            at = s->slots[at].parent;
        at = s->slots[at].next_sibling;
    }
}

// -- Skins

// Inverse bind matrices include the bind shape.
static void gpb_set_binds(gpb_importer *s, const gpb_rig *rig, tenon_skin *out)
{
    const tenon_gpb_skin *skin = &s->index.tree.leaves[rig->leaf].node->model.skin;
    tn_mat4 shape = tn_mat4_from_columns(skin->bind_shape);
    bool is_plain = gpb_is_identity(skin->bind_shape);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        float *bind = out->inverse_binds + 16 * (size_t)i;
        if (i < skin->bind_poses.count)
            tn_copy_numbers(bind, tn_span_record(&skin->bind_poses, i), 16, 4, false);
        else if (gpb_tally_first(&s->losses.binds, 1))
            s->losses.binds.path = gpb_import_path(s, rig->leaf, tn_path("model.skin.bind_poses"));
        if (is_plain) continue;
        tn_mat4 pose = tn_mat4_from_columns(bind);
        tn_mat4 whole = tn_mat4_mul(&pose, &shape);
        tn_mat4_to_columns(&whole, bind);
    }
}

// Add a joint that does not exist in the bundle.
static uint32_t gpb_export_joint(gpb_importer *s, const gpb_rig *rig, tenon_str xref)
{
    uint32_t parent = rig->hang == TENON_NONE ? TENON_NONE : s->slots[rig->hang].node;
    return tn_add_node(s->b, gpb_xref_id(s->doc, xref), parent);
}

static void gpb_add_skin(gpb_importer *s, const gpb_rig *rig)
{
    const tenon_gpb_node *node = s->index.tree.leaves[rig->leaf].node;
    const tenon_gpb_skin *from = &node->model.skin;
    uint32_t made = tn_add_skin(s->b, gpb_id_of(s->doc, node->reference), from->joint_count);
    if (s->b->failed) return;
    tenon_skin *skin = &s->b->scene->skins[made];
    for (uint32_t i = 0; i < from->joint_count && !s->b->failed; i++) {
        skin->joints[i] = rig->joints[i] == TENON_NONE ? gpb_export_joint(s, rig, from->joints[i])
                                                       : s->slots[rig->joints[i]].node;
        if (!s->b->failed) s->b->scene->nodes[skin->joints[i]].is_joint = true;
    }
    if (s->b->failed) return;
    gpb_set_binds(s, rig, skin);
    skin->root = rig->root == TENON_NONE ? TENON_NONE : s->slots[rig->root].node;
    s->b->scene->nodes[s->slots[rig->leaf].node].skin = made;
}

void gpb_add_skins(gpb_importer *s)
{
    for (uint32_t i = 0; i < s->rig_count && !s->b->failed; i++) gpb_add_skin(s, &s->rigs[i]);
}
