// bind_matrices.c: share nearly equal inverse bind matrices of several skins.
// SPDX-License-Identifier: MIT

#include "exchange/bind_matrices.h"

#include "core/math/sort.h"
#include "scene/model/scene_finish.h"

#include <math.h>

#define TOLERANCE  1e-6  // Relative to the size of a matrix, or to the longest translation.
#define KNOWN_MOST 64u   // Matrices of a node that others are compared with: keeps time linear.

// `longest` is the longest translation of all matrices.
static bool bind_matrices_is_near(const float *a, const float *b, double longest)
{
    double size = 0;
    for (int k = 0; k < 11; k++)
        if (k % 4 < 3 && fabs((double)a[k]) > size) size = fabs((double)a[k]);
    for (int k = 0; k < 16; k++) {
        double tolerance = TOLERANCE * (k % 4 == 3 ? 0 : k < 12 ? size : longest);
        if (!(fabs((double)a[k] - (double)b[k]) <= tolerance)) return false;
    }
    return true;
}

// 0 and -0 are equal.
static bool bind_matrices_is_equal(const float *a, const float *b)
{
    for (int k = 0; k < 16; k++)
        if (a[k] != b[k]) return false;
    return true;
}

static bool bind_matrices_before_by_node(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *nodes = context;
    return nodes[a] < nodes[b];
}

const float **tn_shared_bind_matrices(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    uint64_t total = 0;
    for (uint32_t i = 0; i < scene->skin_count; i++) total += scene->skins[i].joint_count;
    if (total >= TENON_NONE) {
        (void)tn_error(export->err, TENON_ERR_LIMIT, "the skins have too many joints");
        return NULL;
    }
    uint32_t count = (uint32_t)total, at = 0;
    uint32_t *nodes = tn_export_alloc(export, total, sizeof *nodes);
    uint32_t *skins = tn_export_alloc(export, total, sizeof *skins);
    const float **binds = tn_export_alloc(export, total, sizeof *binds);
    uint32_t *order = tn_export_alloc(export, 2 * total, sizeof *order);
    if (!nodes || !skins || !binds || !order) return NULL;
    double longest = 0;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++, at++) {
            const float *bind = scene->skins[i].inverse_binds + 16 * (size_t)k;
            nodes[at] = scene->skins[i].joints[k];
            skins[at] = i;
            binds[at] = bind;
            order[at] = at;
            for (int axis = 12; axis < 15; axis++)
                if (fabs((double)bind[axis]) > longest) longest = fabs((double)bind[axis]);
        }
    // Sorting is stable: the joints of a node stay in the order of the skins.
    tn_sort(order, order + count, count, bind_matrices_before_by_node, nodes);
    tn_tally changed = {0};
    const float *known[KNOWN_MOST];  // Different matrices of the node.
    uint32_t known_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float **bind = &binds[order[i]];
        if (i > 0 && nodes[order[i]] != nodes[order[i - 1]]) known_count = 0;
        uint32_t k = 0;
        while (k < known_count && !bind_matrices_is_near(known[k], *bind, longest)) k++;
        if (k == known_count) {
            if (known_count < KNOWN_MOST) known[known_count++] = *bind;
            continue;
        }
        tn_tally_at(&changed, !bind_matrices_is_equal(known[k], *bind), "skins", skins[order[i]]);
        *bind = known[k];
    }
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "inverse bind matrices", changed.count,
                          changed.path, "nearly equal matrices of a node are shared");
    return binds;
}
