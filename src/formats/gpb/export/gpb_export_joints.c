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

static void gpb_list_skin(gpb_exporter *m, uint32_t skin, const float *const *shared,
                          gpb_bind *binds)
{
    const tenon_skin *from = &m->scene->skins[skin];
    for (uint32_t k = 0; k < from->joint_count; k++)
        binds[k] = (gpb_bind){skin, k, from->joints[k], shared[k]};
}

// All joints of all skins in use, in the order of the skins. Returns how many.
static uint32_t gpb_list_binds(gpb_exporter *m, gpb_bind **binds)
{
    const tenon_scene *s = m->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->node_count && !m->failed; i++) {
        uint32_t skin = s->nodes[i].skin;
        if (!gpb_is_skinned(m, i) || m->joints[skin]) continue;
        m->joints[skin] = gpb_export_alloc(m, s->skins[skin].joint_count, sizeof *m->joints[skin]);
        count += s->skins[skin].joint_count;
    }
    if (count >= TENON_NONE) m->failed = !tn_error(m->e->err, TENON_ERR_LIMIT, "too many joints");
    *binds = gpb_export_alloc(m, count, sizeof **binds);
    const float **shared = m->failed ? NULL : tn_shared_bind_matrices(m->e);
    m->failed = m->failed || !shared;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < s->skin_count && !m->failed; shared += s->skins[i++].joint_count) {
        if (!m->joints[i]) continue;
        gpb_list_skin(m, i, shared, *binds + listed);
        listed += s->skins[i].joint_count;
    }
    return listed;
}

// Add a joint for a different inverse bind matrix of a node.
static uint32_t gpb_add_twin(gpb_exporter *m, uint32_t node)
{
    gpb_made_node twin = {.origin = node,
                          .name = gpb_export_text(m, m->nodes[node].name, "_bind"),
                          .parent = node,
                          .local = tn_mat4_identity(),
                          .is_joint = true,
                          .source = TENON_NONE,
                          .shows = TENON_NONE};
    gpb_export_lose(m, GPB_LOST_TWINS, 1, "nodes", node);
    return gpb_add_made_node(m, &twin);
}

// Binds sorted[first] to sorted[end - 1] are of one node. The node itself gets the matrix of the
// first skin.
static void gpb_share_node(gpb_exporter *m, const gpb_bind *binds, const uint32_t *sorted,
                           uint32_t first, uint32_t end)
{
    uint32_t earliest = sorted[first], made = TENON_NONE;
    for (uint32_t i = first; i < end; i++)
        if (sorted[i] < earliest) earliest = sorted[i];
    for (uint32_t i = first; i < end && !m->failed; i++) {
        const gpb_bind *bind = &binds[sorted[i]];
        bool is_same = i > first && !gpb_bind_before(binds, sorted[i - 1], sorted[i]);
        bool is_main = gpb_compare_matrices(bind->matrix, binds[earliest].matrix) == 0;
        if (!is_same) made = is_main ? bind->node : gpb_add_twin(m, bind->node);
        m->joints[bind->skin][bind->index] = made;
    }
}

void gpb_choose_joints(gpb_exporter *m)
{
    gpb_bind *binds;
    m->joints = gpb_export_alloc(m, m->scene->skin_count, sizeof *m->joints);
    uint32_t count = gpb_list_binds(m, &binds);
    uint32_t *sorted = gpb_export_alloc(m, count, sizeof *sorted);
    uint32_t *spare = gpb_export_alloc(m, count, sizeof *spare);
    if (m->failed) return;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, spare, count, gpb_bind_before, binds);
    for (uint32_t first = 0, end; first < count && !m->failed; first = end) {
        for (end = first + 1; end < count && binds[sorted[end]].node == binds[sorted[first]].node;)
            end++;
        gpb_share_node(m, binds, sorted, first, end);
    }
}
