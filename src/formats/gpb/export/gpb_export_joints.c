// gpb_export_joints.c: the joints of skins, each with one inverse bind matrix.
// SPDX-License-Identifier: MIT
//
// The engine stores the inverse bind matrix in the joint. If skins have different matrices for a
// node, or one skin contains a node twice, an additional joint below the node gets the other
// matrix.

#include "formats/gpb/export/gpb_export.h"

#include "core/math/sort.h"
#include "exchange/bind_matrices.h"

// Joint number `index` of a skin.
typedef struct gpb_bind {
    uint32_t skin, index, node;
    const float *matrix;
} gpb_bind;

static int gpb_compare_matrices(const float *a, const float *b)
{
    for (int i = 0; i < 16; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool gpb_bind_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_bind *x = &((const gpb_bind *)context)[a], *y = &((const gpb_bind *)context)[b];
    if (x->node != y->node) return x->node < y->node;
    return gpb_compare_matrices(x->matrix, y->matrix) < 0;
}

static void gpb_list_skin(gpb_exporter *exporter, uint32_t skin, const float *const *shared,
                          gpb_bind *binds)
{
    const tenon_skin *from = &exporter->scene->skins[skin];
    for (uint32_t k = 0; k < from->joint_count; k++)
        binds[k] = (gpb_bind){skin, k, from->joints[k], shared[k]};
}

// All joints of all skins in use, in the order of the skins. Returns how many.
static uint32_t gpb_list_binds(gpb_exporter *exporter, gpb_bind **binds)
{
    const tenon_scene *scene = exporter->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        uint32_t skin = scene->nodes[i].skin;
        if (!gpb_is_skinned(exporter, i) || exporter->joints[skin]) continue;
        exporter->joints[skin] = gpb_export_alloc(exporter, scene->skins[skin].joint_count,
                                                  sizeof *exporter->joints[skin]);
        count += scene->skins[skin].joint_count;
    }
    if (count >= TENON_NONE)
        exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many joints");
    *binds = gpb_export_alloc(exporter, count, sizeof **binds);
    const float **shared = exporter->failed ? NULL : tn_shared_bind_matrices(exporter->export);
    exporter->failed = exporter->failed || !shared;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < scene->skin_count && !exporter->failed;
         shared += scene->skins[i++].joint_count) {
        if (!exporter->joints[i]) continue;
        gpb_list_skin(exporter, i, shared, *binds + listed);
        listed += scene->skins[i].joint_count;
    }
    return listed;
}

// Add a joint for a different inverse bind matrix of a node.
static uint32_t gpb_plan_bind_joint(gpb_exporter *exporter, uint32_t node)
{
    gpb_node_plan twin = {.origin = node,
                          .name = gpb_export_text(exporter, exporter->nodes[node].name, "_bind"),
                          .parent = node,
                          .local = tn_mat4_identity(),
                          .is_joint = true,
                          .source = TENON_NONE,
                          .mesh_node = TENON_NONE};
    gpb_count_loss(exporter, GPB_LOSS_BIND_JOINTS, 1, "nodes", node);
    return gpb_plan_node(exporter, &twin);
}

// Binds sorted[first] to sorted[end - 1] are of one node. The node itself gets the matrix of the
// first skin.
static void gpb_share_node(gpb_exporter *exporter, const gpb_bind *binds, const uint32_t *sorted,
                           uint32_t first, uint32_t end)
{
    uint32_t earliest = sorted[first], made = TENON_NONE;
    for (uint32_t i = first; i < end; i++)
        if (sorted[i] < earliest) earliest = sorted[i];
    for (uint32_t i = first; i < end && !exporter->failed; i++) {
        const gpb_bind *bind = &binds[sorted[i]];
        bool is_same = i > first && !gpb_bind_before(binds, sorted[i - 1], sorted[i]);
        bool is_main = gpb_compare_matrices(bind->matrix, binds[earliest].matrix) == 0;
        if (!is_same) made = is_main ? bind->node : gpb_plan_bind_joint(exporter, bind->node);
        exporter->joints[bind->skin][bind->index] = made;
    }
}

void gpb_plan_joints(gpb_exporter *exporter)
{
    gpb_bind *binds;
    exporter->joints =
        gpb_export_alloc(exporter, exporter->scene->skin_count, sizeof *exporter->joints);
    uint32_t count = gpb_list_binds(exporter, &binds);
    uint32_t *sorted = gpb_export_alloc(exporter, count, sizeof *sorted);
    uint32_t *spare = gpb_export_alloc(exporter, count, sizeof *spare);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, spare, count, gpb_bind_before, binds);
    for (uint32_t first = 0, end; first < count && !exporter->failed; first = end) {
        for (end = first + 1; end < count && binds[sorted[end]].node == binds[sorted[first]].node;)
            end++;
        gpb_share_node(exporter, binds, sorted, first, end);
    }
}
