// wide_loops.h: the loops that wide.c builds twice, under different names for different machines.
// SPDX-License-Identifier: MIT
//
// BUILT comes before each function, NAMED() around its name; IN_TWO_STEPS says how to swap bytes,
// FOUR_ROWS, ADD_ROWS(), MOVE_BY_ROWS() and SQUARE_OF() how to compute with rows and positions.

// -- Words

BUILT uint32_t NAMED(load_word)(const uint8_t *words, uint64_t i)
{
    uint32_t word;
    memcpy(&word, words + 4 * i, sizeof word);
    return word;
}

BUILT uint32_t NAMED(turn_round)(uint32_t v)
{
    return v << 24 | (v & 0xff00u) << 8 | (v >> 8 & 0xff00u) | v >> 24;
}

// Through a separate block, since `to` may be `from`.
#define SWAP_BLOCK 64

BUILT void NAMED(swap_rest)(uint8_t *to, const uint8_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word = NAMED(turn_round)(NAMED(load_word)(from, i));
        memcpy(to + 4 * i, &word, sizeof word);
    }
}

BUILT void NAMED(swap)(uint8_t *to, const uint8_t *from, uint64_t count)
{
    for (; count >= SWAP_BLOCK; count -= SWAP_BLOCK, to += 4 * SWAP_BLOCK, from += 4 * SWAP_BLOCK) {
        uint32_t v[SWAP_BLOCK];
        memcpy(v, from, sizeof v);
        if (!IN_TWO_STEPS) {
            for (int i = 0; i < SWAP_BLOCK; i++) v[i] = NAMED(turn_round)(v[i]);
        } else {
            for (int i = 0; i < SWAP_BLOCK; i++)
                v[i] = (v[i] & 0x00FF00FFu) << 8 | (v[i] >> 8 & 0x00FF00FFu);
            for (int i = 0; i < SWAP_BLOCK; i++) v[i] = v[i] << 16 | v[i] >> 16;
        }
        memcpy(to, v, sizeof v);
    }
    NAMED(swap_rest)(to, from, count);
}

BUILT uint32_t NAMED(top)(const uint8_t *words, uint64_t count)
{
    uint32_t top = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word = NAMED(load_word)(words, i);
        top = word > top ? word : top;
    }
    return top;
}

// All bits set if all those of `mask` are in word `i`.
BUILT uint32_t NAMED(has_all)(const uint8_t *words, uint64_t i, uint32_t mask)
{
    return (NAMED(load_word)(words, i) & mask) == mask ? UINT32_MAX : 0;
}

// Both halves at once, here and below: half as many iterations of a short loop.
BUILT bool NAMED(none_has_all)(const uint8_t *words, uint64_t count, uint32_t mask)
{
    uint64_t half = count / 2;
    uint32_t any = 0;
    for (uint64_t i = 0; i < half; i++)
        any |= NAMED(has_all)(words, i, mask) | NAMED(has_all)(words, half + i, mask);
    if (count % 2) any |= NAMED(has_all)(words, count - 1, mask);
    return any == 0;
}

BUILT uint32_t NAMED(matches)(const uint8_t *words, uint32_t i, const uint32_t *masks,
                              const uint32_t *all)
{
    return (NAMED(load_word)(words, i) & masks[i]) == all[i] ? UINT32_MAX : 0;
}

BUILT bool NAMED(none_matches)(const uint8_t *words, uint32_t count, const uint32_t *masks,
                               const uint32_t *all)
{
    uint32_t half = count / 2, any = 0;
    for (uint32_t i = 0; i < half; i++)
        any |= NAMED(matches)(words, i, masks, all) | NAMED(matches)(words, half + i, masks, all);
    if (count % 2) any |= NAMED(matches)(words, count - 1, masks, all);
    return any == 0;
}

// -- Lengths and sums
//
// Differences are kept in blocks of floats, since compilers vectorize comparisons of floats but not
// of doubles.

#define OFF_BLOCK 64

BUILT uint32_t NAMED(any_beyond)(const float *off, uint64_t count, float most)
{
    uint32_t odd = 0;
    for (uint64_t i = 0; i < count; i++) odd |= off[i] < most ? 0 : 1;
    for (uint64_t i = 0; i < count; i++) odd |= off[i] > -most ? 0 : 1;
    return odd;
}

BUILT bool NAMED(are_units)(const float *values, uint64_t count, uint32_t each)
{
    uint32_t odd = 0;
    for (uint64_t at = 0; at < count; at += OFF_BLOCK) {
        float off[OFF_BLOCK];
        uint64_t now = count - at < OFF_BLOCK ? count - at : OFF_BLOCK;
        const float *v = values + each * at;
        for (uint64_t i = 0; i < now && each == 3; i++) {
            double x = v[3 * i], y = v[3 * i + 1], z = v[3 * i + 2];
            off[i] = (float)(x * x + y * y + z * z - 1);
        }
        for (uint64_t i = 0; i < now && each == 4; i++) {
            double x = v[4 * i], y = v[4 * i + 1], z = v[4 * i + 2], w = v[4 * i + 3];
            off[i] = (float)(x * x + y * y + z * z + w * w - 1);
        }
        odd |= NAMED(any_beyond)(off, now, 1.9e-7f);
    }
    return !odd;
}

BUILT bool NAMED(are_influences)(const uint16_t *joints, const float *weights, uint64_t count,
                                 uint32_t joint_count)
{
    uint32_t odd = 0;
    for (uint64_t i = 0; i < 4 * count; i++) {
        uint32_t bits, joint = joints[i];
        memcpy(&bits, &weights[i], sizeof bits);
        uint32_t is_good = (bits - 1 < 0x7f7fffffu) & (joint < joint_count);
        odd |= 1 ^ (is_good | ((bits | joint) == 0));  // Positive and finite, or 0.
    }
    for (uint64_t at = 0; at < count; at += OFF_BLOCK) {
        float off[OFF_BLOCK];
        uint64_t now = count - at < OFF_BLOCK ? count - at : OFF_BLOCK;
        const float *w = weights + 4 * at;
        for (uint64_t i = 0; i < now; i++)
            off[i] = (float)((double)w[4 * i] + w[4 * i + 1] + w[4 * i + 2] + w[4 * i + 3] - 1);
        odd |= NAMED(any_beyond)(off, now, 0.95e-7f);
    }
    return !odd;
}

// The bits of a number. The highest is 1 if it is below 0.
BUILT uint64_t NAMED(bits_of)(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

// -- Dual quaternions

// In the highest bit: 0 if tn_is_length(), else 1. No bits of a length are 0, or those of infinity
// or more. Without comparisons, which would prevent vectorization.
BUILT uint64_t NAMED(is_no_length)(double v)
{
    uint64_t bits = NAMED(bits_of)(v);
    return (bits - 1) | (0x7fefffffffffffffu - bits);
}

BUILT bool NAMED(split_duals)(const float *restrict rows, float *restrict translations,
                              float *restrict rotations)
{
    uint64_t odd = 0;
    for (int i = 0; i < TN_LANES; i++) {
        const float *row = rows + 8 * i;
        float *t = translations + 3 * i, *r = rotations + 4 * i;
        tn_dquat q = {{row[0], row[1], row[2], row[3]}, {row[4], row[5], row[6], row[7]}};
        double length = tn_quat_length(q.real);
        odd |= NAMED(is_no_length)(length);
        q = tn_dquat_by_length(q, length);
        tn_vec3 moved = tn_dquat_translation(q);
        t[0] = (float)moved.x, t[1] = (float)moved.y, t[2] = (float)(0 - moved.z);
        r[0] = (float)(0 - q.real.x), r[1] = (float)(0 - q.real.y);
        r[2] = (float)q.real.z, r[3] = (float)q.real.w;
    }
    return odd >> 63 == 0;
}

// -- Matrices
//
// One loop for each step, since all steps in one would need more registers than there are.

// The upper three numbers of the first three columns.
BUILT void NAMED(find_columns)(const float *restrict matrices, tn_lanes *restrict c)
{
    for (int i = 0; i < TN_LANES; i++) {
        const float *m = matrices + 16 * i;
        c[0][i] = m[0], c[1][i] = m[1], c[2][i] = m[2];
        c[3][i] = m[4], c[4][i] = m[5], c[5][i] = m[6];
        c[6][i] = m[8], c[7][i] = m[9], c[8][i] = m[10];
    }
}

BUILT void NAMED(find_directions)(const tn_lanes *restrict c, tn_lanes *restrict d)
{
    for (int k = 0; k < 9; k += 3)
        for (int i = 0; i < TN_LANES; i++) {
            double x = c[k][i], y = c[k + 1][i], z = c[k + 2][i];
            double length = sqrt(x * x + y * y + z * z);
            d[k][i] = x / length, d[k + 1][i] = y / length, d[k + 2][i] = z / length;
        }
}

// The rotation nearest to the directions d is d (d^T d)^(-1/2). With e the cosines between them,
// small and with zeros in the diagonal, the root is 1 - e/2 + 3/8 e^2 - ...; what is cut off is of
// the third order. `root` gets its diagonal, then xy, xz, yz.
BUILT void NAMED(find_root)(const tn_lanes *restrict d, tn_lanes *restrict root,
                            double *restrict shear)
{
    for (int i = 0; i < TN_LANES; i++) {
        double xy = d[0][i] * d[3][i] + d[1][i] * d[4][i] + d[2][i] * d[5][i];
        double xz = d[0][i] * d[6][i] + d[1][i] * d[7][i] + d[2][i] * d[8][i];
        double yz = d[3][i] * d[6][i] + d[4][i] * d[7][i] + d[5][i] * d[8][i];
        double xy2 = xy * xy, xz2 = xz * xz, yz2 = yz * yz;
        shear[i] = xy2 + xz2 + yz2;
        root[0][i] = 1 + 0.375 * (xy2 + xz2);
        root[1][i] = 1 + 0.375 * (xy2 + yz2);
        root[2][i] = 1 + 0.375 * (xz2 + yz2);
        root[3][i] = 0.375 * (xz * yz) - 0.5 * xy;
        root[4][i] = 0.375 * (xy * yz) - 0.5 * xz;
        root[5][i] = 0.375 * (xy * xz) - 0.5 * yz;
    }
}

// A column of d times the root.
BUILT void NAMED(turn_column)(const tn_lanes *restrict d, const double *restrict x,
                              const double *restrict y, const double *restrict z,
                              tn_lanes *restrict r)
{
    for (int i = 0; i < TN_LANES; i++) {
        r[0][i] = d[0][i] * x[i] + d[3][i] * y[i] + d[6][i] * z[i];
        r[1][i] = d[1][i] * x[i] + d[4][i] * y[i] + d[7][i] * z[i];
        r[2][i] = d[2][i] * x[i] + d[5][i] * y[i] + d[8][i] * z[i];
    }
}

// How long the columns are along those of the rotation.
BUILT void NAMED(find_scales)(const tn_lanes *restrict c, const tn_lanes *restrict r,
                              float *restrict out)
{
    for (int i = 0; i < TN_LANES; i++) {
        out[3 * i] = (float)(r[0][i] * c[0][i] + r[1][i] * c[1][i] + r[2][i] * c[2][i]);
        out[3 * i + 1] = (float)(r[3][i] * c[3][i] + r[4][i] * c[4][i] + r[5][i] * c[5][i]);
        out[3 * i + 2] = (float)(r[6][i] * c[6][i] + r[7][i] * c[7][i] + r[8][i] * c[8][i]);
    }
}

// `a` if `v` is below 0, else `b`. `?:` would prevent vectorization.
BUILT double NAMED(choose)(double v, double a, double b)
{
    uint64_t mask = 0 - (NAMED(bits_of)(v) >> 63);
    uint64_t bits = (NAMED(bits_of)(a) & mask) | (NAMED(bits_of)(b) & ~mask);
    double chosen;
    memcpy(&chosen, &bits, sizeof chosen);
    return chosen;
}

// As tn_quat_from_mat3(): from the largest component of four, here the larger one of x and y or of
// z and w.
BUILT void NAMED(find_turns)(const tn_lanes *restrict m, float *restrict out)
{
    for (int i = 0; i < TN_LANES; i++) {
        double x4 = 1 + m[0][i] - m[4][i] - m[8][i], y4 = 1 + m[4][i] - m[0][i] - m[8][i];
        double z4 = 1 + m[8][i] - m[0][i] - m[4][i], w4 = 1 + (m[0][i] + m[4][i] + m[8][i]);
        double yz = m[5][i] + m[7][i], zx = m[6][i] + m[2][i], xy = m[1][i] + m[3][i];
        double xw = m[5][i] - m[7][i], yw = m[6][i] - m[2][i], zw = m[1][i] - m[3][i];
        double x_or_y = x4 - y4, z_or_w = z4 - w4;
        double either = NAMED(choose)(x_or_y, y4, x4) - NAMED(choose)(z_or_w, w4, z4);
        double x =
            NAMED(choose)(either, NAMED(choose)(z_or_w, xw, zx), NAMED(choose)(x_or_y, xy, x4));
        double y =
            NAMED(choose)(either, NAMED(choose)(z_or_w, yw, yz), NAMED(choose)(x_or_y, y4, xy));
        double z =
            NAMED(choose)(either, NAMED(choose)(z_or_w, zw, z4), NAMED(choose)(x_or_y, yz, zx));
        double w =
            NAMED(choose)(either, NAMED(choose)(z_or_w, w4, zw), NAMED(choose)(x_or_y, yw, xw));
        double length = sqrt(x * x + y * y + z * z + w * w);
        float *q = out + 4 * i;
        q[0] = (float)(x / length), q[1] = (float)(y / length);
        q[2] = (float)(z / length), q[3] = (float)(w / length);
    }
}

BUILT void NAMED(find_volumes)(const tn_lanes *restrict r, double *restrict volume)
{
    for (int i = 0; i < TN_LANES; i++) {
        double x = r[4][i] * r[8][i] - r[5][i] * r[7][i], y = r[5][i] * r[6][i] - r[3][i] * r[8][i];
        double z = r[3][i] * r[7][i] - r[4][i] * r[6][i];
        volume[i] = r[0][i] * x + r[1][i] * y + r[2][i] * z;
    }
}

BUILT void NAMED(split_affine)(const float *matrices, tn_affine_parts *parts)
{
    tn_lanes columns[9], directions[9], root[6], rotation[9];
    const tn_lanes *c = (const tn_lanes *)columns, *d = (const tn_lanes *)directions;
    const tn_lanes *r = (const tn_lanes *)rotation;
    NAMED(find_columns)(matrices, columns);
    NAMED(find_directions)(c, directions);
    NAMED(find_root)(d, root, parts->shear);
    NAMED(turn_column)(d, root[0], root[3], root[4], rotation);
    NAMED(turn_column)(d, root[3], root[1], root[5], rotation + 3);
    NAMED(turn_column)(d, root[4], root[5], root[2], rotation + 6);
    NAMED(find_scales)(c, r, parts->scales);
    NAMED(find_turns)(r, parts->rotations);
    NAMED(find_volumes)(r, parts->volume);
}

BUILT tn_vec3 NAMED(column)(const float *m)
{
    return (tn_vec3){m[0], m[1], m[2]};
}

// How far a last row is from 0 0 0 1, squared.
BUILT double NAMED(off_affine)(const float *m)
{
    double x = m[3], y = m[7], z = m[11], w = (double)m[15] - 1;
    return x * x + y * y + z * z + w * w;
}

BUILT bool NAMED(are_affine)(const float *matrices, double shear_most, double off_most)
{
    uint64_t any = 0;
    for (int i = 0; i < TN_LANES; i++) {
        const float *m = matrices + 16 * i;
        tn_vec3 x = NAMED(column)(m), y = NAMED(column)(m + 4), z = NAMED(column)(m + 8);
        tn_vec3 t = NAMED(column)(m + 12);
        double xx = tn_vec3_dot(x, x), yy = tn_vec3_dot(y, y), zz = tn_vec3_dot(z, z);
        double xy = tn_vec3_dot(x, y), xz = tn_vec3_dot(x, z), yz = tn_vec3_dot(y, z);
        double off = NAMED(off_affine)(m), sum = xx + yy + zz + off + tn_vec3_dot(t, t);
        any |= NAMED(bits_of)(shear_most * (xx * yy) - xy * xy);
        any |= NAMED(bits_of)(shear_most * (xx * zz) - xz * xz);
        any |= NAMED(bits_of)(shear_most * (yy * zz) - yz * yz);
        any |= NAMED(bits_of)(off_most - off);
        // A sum of squares of floats is below infinity, if they all are.
        any |= NAMED(bits_of)(sum) | (0x7fefffffffffffffu - NAMED(bits_of)(sum));
    }
    return any >> 63 == 0;
}

// -- Skins

// Whether the same four joints move a vertex as the one before it, by the same weights.
BUILT bool NAMED(moves_alike)(const uint16_t *joints, const float *weights)
{
    return memcmp(joints, joints - 4, 4 * sizeof *joints) == 0 &&
           memcmp(weights, weights - 4, 4 * sizeof *weights) == 0;
}

// Four rows at a time: the fourth belongs to the next column, and is not used. Neighbors most often
// have the same matrix.
BUILT void NAMED(skin)(const double *palette, const uint16_t *joints, const float *weights,
                       uint32_t each, const float *positions, uint64_t count, float *moved)
{
    for (uint64_t i = 0, end = 0; i < count; i = end) {
        FOUR_ROWS a = {0}, b = {0}, c = {0}, d = {0};
        for (uint32_t k = 0; k < each; k++) {
            const double *m = palette + 12 * (size_t)joints[k];
            double weight = (double)weights[k];
            if (weight == 0) continue;
            ADD_ROWS(a, m, weight);
            ADD_ROWS(b, m + 3, weight);
            ADD_ROWS(c, m + 6, weight);
            ADD_ROWS(d, m + 9, weight);
        }
        end = i + 1;
        if (each == 4)
            while (end < count &&
                   NAMED(moves_alike)(joints + 4 * (end - i), weights + 4 * (end - i)))
                end++;
        joints += each * (end - i);
        weights += each * (end - i);
        // All but the last position may spoil the number that follows.
        for (uint64_t v = i; v + (end == count) < end; v++, positions += 3, moved += 3)
            MOVE_BY_ROWS(4, moved, a, b, c, d, positions);
        if (end == count) MOVE_BY_ROWS(3, moved, a, b, c, d, positions);
    }
}

// -- Distances

BUILT void NAMED(squares)(const float *a, const float *b, const uint32_t *pairs, uint64_t count,
                          double *squares)
{
    for (uint64_t i = 0; i < count; i++, pairs += 2)
        SQUARE_OF(squares[i], a + 3 * (size_t)pairs[0], b + 3 * (size_t)pairs[1]);
}

BUILT void NAMED(move_lanes)(const double *m, const float *positions, uint64_t stride,
                             float moved[3 * TN_LANES])
{
    const float *x = positions, *y = x + stride, *z = y + stride;
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < TN_LANES; i++)
            moved[TN_LANES * row + i] = (float)(m[row] * (double)x[i] + m[3 + row] * (double)y[i] +
                                                m[6 + row] * (double)z[i] + m[9 + row]);
}

BUILT void NAMED(moved_squares)(const double *a_matrix, const double *b_matrix, const float *a,
                                const float *b, uint64_t stride, uint64_t count, double *squares)
{
    for (uint64_t at = 0; at < count; at += TN_LANES) {
        float p[3 * TN_LANES], q[3 * TN_LANES];
        NAMED(move_lanes)(a_matrix, a + at, stride, p);
        NAMED(move_lanes)(b_matrix, b + at, stride, q);
        for (int i = 0; i < TN_LANES; i++) {
            double u = (double)p[i] - (double)q[i];
            double v = (double)p[TN_LANES + i] - (double)q[TN_LANES + i];
            double w = (double)p[2 * TN_LANES + i] - (double)q[2 * TN_LANES + i];
            squares[at + (uint64_t)i] = u * u + v * v + w * w;
        }
    }
}

// On each axis, a point is below a box, or above it, or neither. Twice the larger one of a number
// and 0 is the number plus its absolute value, exactly.
BUILT void NAMED(box_squares)(const tn_boxes *boxes, const double point[3],
                              double squares[TN_BOXES])
{
    for (int i = 0; i < TN_BOXES; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            double below = (double)boxes->min[k][i] - point[k];
            double above = point[k] - (double)boxes->max[k][i];
            double twice = (below + fabs(below)) + (above + fabs(above));
            sum += twice * twice;
        }
        squares[i] = 0.25 * sum;
    }
}

static const tn_loops NAMED(tn_loops) = {
    NAMED(swap),         NAMED(top),          NAMED(none_has_all),
    NAMED(none_matches), NAMED(are_units),    NAMED(are_influences),
    NAMED(split_duals),  NAMED(split_affine), NAMED(are_affine),
    NAMED(skin),         NAMED(squares),      NAMED(moved_squares),
    NAMED(box_squares)};
