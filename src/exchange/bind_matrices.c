// bind_matrices.c: inverse bind matrices of several skins, those that are almost the same made one.
// SPDX-License-Identifier: MIT

#include "exchange/bind_matrices.h"

#include "core/math/sort.h"

#include <math.h>
#include <stdio.h>

#define SLACK      1e-6  // A share: of the size of a matrix, and of how far bones are from origins.
#define KNOWN_MOST 64u   // Matrices of a node that others are compared with: keeps time linear.

typedef struct sharer {
    const tn_export *e;
    uint64_t count;
    uint32_t *nodes, *skins;  // Of each joint.
    const float **binds;
    double reach;  // The longest translation.
    uint64_t merged;
    uint32_t first;  // The skin of the first one that was.
} sharer;

static bool is_near(const sharer *s, const float *a, const float *b)
{
    double size = 0;
    for (int k = 0; k < 11; k++)
        if (k % 4 < 3 && fabs((double)a[k]) > size) size = fabs((double)a[k]);
    for (int k = 0; k < 16; k++) {
        double slack = SLACK * (k % 4 == 3 ? 0 : k < 12 ? size : s->reach);
        if (!(fabs((double)a[k] - (double)b[k]) <= slack)) return false;
    }
    return true;
}

// A zero of either sign is the same.
static bool is_changed(const float *a, const float *b)
{
    for (int k = 0; k < 16; k++)
        if (a[k] != b[k]) return true;
    return false;
}

static bool list_joints(sharer *s)
{
    const tenon_scene *scene = s->e->scene;
    for (uint32_t i = 0; i < scene->skin_count; i++) s->count += scene->skins[i].joint_count;
    if (s->count >= TENON_NONE)
        return tn_error(s->e->err, TENON_ERR_LIMIT, "the skins have too many joints");
    s->nodes = tn_export_alloc(s->e, s->count, sizeof *s->nodes);
    s->skins = tn_export_alloc(s->e, s->count, sizeof *s->skins);
    s->binds = tn_export_alloc(s->e, s->count, sizeof *s->binds);
    if (!s->nodes || !s->skins || !s->binds) return false;
    uint64_t at = 0;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++, at++) {
            const float *bind = scene->skins[i].inverse_binds + 16 * (size_t)k;
            s->nodes[at] = scene->skins[i].joints[k];
            s->skins[at] = i;
            s->binds[at] = bind;
            for (int axis = 12; axis < 15; axis++)
                if (fabs((double)bind[axis]) > s->reach) s->reach = fabs((double)bind[axis]);
        }
    return true;
}

// Joints order[first] to order[end - 1] have one node, the oldest first.
static void share_node(sharer *s, const uint32_t *order, uint32_t first, uint32_t end)
{
    const float *known[KNOWN_MOST];
    uint32_t known_count = 0;
    for (uint32_t i = first; i < end; i++) {
        const float **bind = &s->binds[order[i]];
        uint32_t k = 0;
        while (k < known_count && !is_near(s, known[k], *bind)) k++;
        if (k == known_count) {
            if (known_count < KNOWN_MOST) known[known_count++] = *bind;
            continue;
        }
        bool is_other = is_changed(known[k], *bind);
        if (is_other && s->merged++ == 0) s->first = s->skins[order[i]];
        *bind = known[k];
    }
}

static bool before_by_node(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *nodes = context;
    return nodes[a] < nodes[b];
}

const float **tn_shared_bind_matrices(const tn_export *e)
{
    sharer s = {.e = e};
    if (!list_joints(&s)) return NULL;
    uint32_t *order = tn_export_alloc(e, 2 * s.count, sizeof *order), count = (uint32_t)s.count;
    if (!order) return NULL;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, order + count, count, before_by_node, s.nodes);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && s.nodes[order[end]] == s.nodes[order[first]];) end++;
        share_node(&s, order, first, end);
    }
    char path[32];
    (void)snprintf(path, sizeof path, "skins[%u]", (unsigned)s.first);
    tn_export_approximate(e, TN_MEASURE_REMAINDER, "inverse bind matrices", s.merged, path,
                          "those of one node that are almost the same are one");
    return s.binds;
}
