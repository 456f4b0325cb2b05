// bmw_matrix_order.c: whether the matrices of a BMW file are row-major or column-major.
// SPDX-License-Identifier: MIT
//
// The order changed, but not the header, and old converters stayed in use. An affine matrix has its
// translation in the last column and zeros in the last row, so most matrices show their order.

#include "formats/bmw/bmw_format.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"

#include <math.h>

#define ZERO          1e-5f  // Tolerance for zeros in the last row.
#define SHEAR         4e-6   // Cosine between columns. Rounding gives up to 1e-6 in known files.
#define ORDERS_ENOUGH 64     // No known file mixes the two orders.

typedef struct bmw_order_counts {
    uint32_t rows, columns;
} bmw_order_counts;

static bool bmw_matrix_order_is_set(float v)
{
    return v > ZERO || v < -ZERO;
}

bmw_hint bmw_matrix_hint(const float m[16])
{
    bool right = bmw_matrix_order_is_set(m[3]) || bmw_matrix_order_is_set(m[7]) ||
                 bmw_matrix_order_is_set(m[11]);
    bool bottom = bmw_matrix_order_is_set(m[12]) || bmw_matrix_order_is_set(m[13]) ||
                  bmw_matrix_order_is_set(m[14]);
    if (right == bottom) return BMW_NO_HINT;
    return right ? BMW_HINT_ROWS : BMW_HINT_COLUMNS;
}

bool bmw_matrix_is_symmetric(const float m[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = row + 1; column < 4; column++)
            if (m[4 * row + column] != m[4 * column + row]) return false;
    return true;
}

bool bmw_matrix_is_sheared(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m);
    for (size_t i = 0; i < 3; i++) {
        tn_vec3 a = tn_mat3_column(&upper, i), b = tn_mat3_column(&upper, (i + 1) % 3);
        if (fabs(tn_vec3_dot(a, b)) > SHEAR * tn_vec3_length(a) * tn_vec3_length(b)) return true;
    }
    return false;
}

bool bmw_matrix_load_lanes(const tenon_span *frames, bool is_row_major, uint64_t end, float *out)
{
    if (end < TN_LANES || end > frames->count) return false;
    tn_copy_numbers(out, frames->data + 64 * (end - TN_LANES), 16 * TN_LANES, 4,
                    frames->big_endian);
    for (int i = 0; i < TN_LANES && is_row_major; i++) {
        tn_mat4 m = tn_mat4_from_rows(out + 16 * i);
        tn_mat4_to_columns(&m, out + 16 * i);
    }
    return true;
}

// Count the order of one more matrix; false if there are enough.
static bool bmw_matrix_order_count(bmw_order_counts *counts, const float m[16])
{
    bmw_hint hint = bmw_matrix_hint(m);
    counts->rows += hint == BMW_HINT_ROWS;
    counts->columns += hint == BMW_HINT_COLUMNS;
    return counts->rows + counts->columns < ORDERS_ENOUGH;
}

static bool bmw_matrix_order_count_nodes(bmw_order_counts *counts, const tenon_bmw_node *node)
{
    if (!bmw_matrix_order_count(counts, node->transform)) return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!bmw_matrix_order_count_nodes(counts, &node->children[i])) return false;
    return true;
}

void bmw_matrix_find_order(tenon_bmw *doc)
{
    uint32_t flags = doc->base.dialect->flags;
    bmw_order_counts counts = {0};
    doc->is_row_major = (flags & TENON_BMW_ROW_MAJOR) != 0;
    doc->is_order_assumed = false;
    // Frames that were counted by their last row are row-major.
    if (flags & (TENON_BMW_ORDER_FORCED | TENON_BMW_FRAMES_INFERRED)) return;
    bool needs_more = bmw_matrix_order_count_nodes(&counts, &doc->root);
    for (uint32_t a = 0; a < doc->animation_count && needs_more; a++)
        for (uint32_t b = 0; b < doc->animations[a].bone_count && needs_more; b++) {
            const tenon_span *frames = &doc->animations[a].bones[b].frames;
            if (!frames->data) continue;  // Built from text: the order is not used.
            for (uint64_t i = 0; i < frames->count && needs_more; i++) {
                float m[16];
                tn_copy_numbers(m, frames->data + 64 * i, 16, 4, frames->big_endian);
                needs_more = bmw_matrix_order_count(&counts, m);
            }
        }
    doc->is_order_assumed = counts.rows == counts.columns;
    if (!doc->is_order_assumed) doc->is_row_major = counts.rows > counts.columns;
}

// -- Transposing

static bool bmw_matrix_order_transpose(float m[16])
{
    bool differs = false;
    for (int row = 0; row < 4; row++)
        for (int column = row + 1; column < 4; column++) {
            float *a = &m[4 * row + column], *b = &m[4 * column + row], old = *a;
            differs = differs || old != *b;
            *a = *b;
            *b = old;
        }
    return differs;
}

uint64_t bmw_matrix_transpose_nodes(tenon_bmw_node *node)
{
    uint64_t count = bmw_matrix_order_transpose(node->transform);
    for (uint32_t i = 0; i < node->child_count; i++)
        count += bmw_matrix_transpose_nodes(&node->children[i]);
    return count;
}

bool bmw_matrix_transpose_all(tenon_bmw *doc, const tn_change *change)
{
    uint64_t count = 0;
    for (uint32_t a = 0; a < doc->animation_count; a++)
        for (uint32_t b = 0; b < doc->animations[a].bone_count; b++) {
            tenon_span *frames = &doc->animations[a].bones[b].frames;
            uint8_t *bytes = tn_arena_alloc_or_fail(change->arena, frames->size, 1,
                                                    "the transposed matrices", change->err);
            if (!bytes) return false;
            for (uint64_t i = 0; i < frames->count; i++) {
                float m[16];
                tn_copy_numbers(m, frames->data + 64 * i, 16, 4, false);
                count += bmw_matrix_order_transpose(m);
                tn_copy_numbers(bytes + 64 * i, m, 16, 4, false);
            }
            frames->data = bytes;
        }
    count += bmw_matrix_transpose_nodes(&doc->root);
    doc->is_row_major = !doc->is_row_major;
    if (doc->is_order_assumed)
        tn_change_report(
            change, TENON_DEFAULTED, "matrix order", count,
            "cannot be detected without a translation; the usual order of the layout was used");
    return true;
}
