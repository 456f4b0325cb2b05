// test_wide.c: both builds of the loops give the results of one number at a time, bit for bit.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core/cursor/wide.h"

#include "math_help.h"

#include <string.h>

#define MOST   200  // More than two blocks of anything.
#define ROUNDS 400

static const char no_wide[] = "this machine has no vectors of 32 bytes";

// What is tested: one build after the other.
static const tn_loops *loops;

static uint32_t random_u32(void)
{
    return (uint32_t)(random_unit() * 4294967296.0);
}

// -- Words

static void check_words(const uint8_t *words, uint64_t count)
{
    uint8_t swapped[4 * MOST];
    uint32_t top = 0;
    loops->swap(swapped, words, count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t little = tn_load32(words + 4 * i, false), word;
        memcpy(&word, words + 4 * i, sizeof word);
        CHECK(tn_load32(swapped + 4 * i, true) == little);
        top = word > top ? word : top;
    }
    CHECK(loops->top(words, count) == top);
    loops->swap(swapped, swapped, count);
    CHECK(memcmp(swapped, words, 4 * (size_t)count) == 0);
}

TEST(words_are_swapped_and_compared)
{
    uint8_t words[4 * MOST + 1];
    for (size_t i = 0; i < sizeof words; i++) words[i] = (uint8_t)random_u32();
    for (uint64_t count = 0; count <= MOST; count++) check_words(words + count % 2, count);
}

TEST(one_word_among_many_is_found)
{
    uint8_t words[4 * MOST] = {0};
    uint32_t masks[MOST], all[MOST];
    const uint32_t odd = 0xff800001u, mask = 0x7f800000u, near = 0x7f000000u;
    for (uint32_t i = 0; i < MOST; i++) masks[i] = i % 3 ? mask : 0, all[i] = mask;
    for (uint32_t count = 0; count <= MOST; count += 13)
        for (uint32_t at = 0; at < count; at++) {
            memcpy(words + 4 * at, &near, sizeof near);
            CHECK(loops->none_has_all(words, count, mask));
            memcpy(words + 4 * at, &odd, sizeof odd);
            CHECK(!loops->none_has_all(words, count, mask));
            CHECK(loops->none_matches(words, count, masks, all) == (at % 3 == 0));
            CHECK(loops->none_has_all(words, at, mask));
            memset(words + 4 * at, 0, 4);
        }
}

// -- Lengths and sums

TEST(one_vector_that_is_too_long_is_found)
{
    float v[4 * MOST];
    for (uint32_t each = 3; each <= 4; each++) {
        for (uint32_t i = 0; i < each * MOST; i++) v[i] = i % each == i / each % each ? 1 : 0;
        for (uint32_t count = 1; count <= MOST; count += 11) {
            CHECK(loops->are_units(v, count, each));
            for (uint32_t at = 0; at < count; at++) {
                float *one = v + each * at + at % each;
                const float odd[] = {1 + 2.4e-7f, 1 - 2.4e-7f, 0, NAN, HUGE_VALF};
                for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
                    *one = odd[i];
                    CHECK(!loops->are_units(v, count, each));
                }
                *one = 1;
            }
        }
    }
    CHECK(loops->are_units(v, 0, 3));
}

TEST(one_influence_that_is_odd_is_found)
{
    uint16_t joints[4 * MOST];
    float weights[4 * MOST];
    const struct {
        uint16_t joint;
        float weight;
    } odd[] = {{7, 0.25f}, {1, 0}, {1, -0.25f}, {1, NAN}, {1, HUGE_VALF}, {1, 0.2501f}, {0, -0.0f}};
    for (uint32_t i = 0; i < 4 * MOST; i++) joints[i] = (uint16_t)(i % 7), weights[i] = 0.25f;
    for (uint32_t count = 1; count <= MOST; count += 11) {
        CHECK(loops->are_influences(joints, weights, count, 7));
        for (uint32_t at = 0; at < 4 * count; at++) {
            for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
                joints[at] = odd[i].joint, weights[at] = odd[i].weight;
                CHECK(!loops->are_influences(joints, weights, count, 7));
            }
            joints[at] = (uint16_t)(at % 7), weights[at] = 0.25f;
        }
    }
    const uint16_t few_joints[] = {3, 0, 0, 0};
    const float few_weights[] = {1, 0, 0, 0};
    CHECK(loops->are_influences(few_joints, few_weights, 1, 4));
}

// -- Dual quaternions

static void random_rows(float *rows)
{
    for (int i = 0; i < 8 * TN_LANES; i++) rows[i] = (float)random_in(-3, 3);
}

TEST(dual_quaternions_are_decomposed)
{
    float rows[8 * TN_LANES], t[3 * TN_LANES], r[4 * TN_LANES];
    for (int round = 0; round < ROUNDS; round++) {
        random_rows(rows);
        CHECK(loops->split_duals(rows, t, r));
        for (int i = 0; i < TN_LANES; i++) {
            const float *v = rows + 8 * i;
            tn_dquat q = tn_dquat_normalise((tn_dquat){{v[0], v[1], v[2], v[3]},  //
                                                       {v[4], v[5], v[6], v[7]}});
            tn_vec3 moved = tn_dquat_translation(q);
            CHECK(t[3 * i] == (float)moved.x && t[3 * i + 1] == (float)moved.y);
            CHECK(t[3 * i + 2] == (float)-moved.z && r[4 * i] == (float)-q.real.x);
            CHECK(r[4 * i + 1] == (float)-q.real.y && r[4 * i + 2] == (float)q.real.z);
            CHECK(r[4 * i + 3] == (float)q.real.w);
        }
    }
}

TEST(a_dual_quaternion_without_a_length_is_found)
{
    float rows[8 * TN_LANES], t[3 * TN_LANES], r[4 * TN_LANES];
    const float odd[] = {0, NAN, -NAN, HUGE_VALF, -HUGE_VALF};
    for (int at = 0; at < TN_LANES; at++)
        for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
            random_rows(rows);
            for (int i = 0; i < 4; i++) rows[8 * at + i] = odd[k];
            CHECK(!loops->split_duals(rows, t, r));
        }
}

// -- Matrices

// Rotated, scaled and moved, as floats.
static void random_matrix(float *matrix)
{
    double x = random_in(0.1, 5), y = random_in(0.1, 5), z = random_in(0.1, 5);
    const tn_trs trs = {random_vec3(100), random_quat(), {x, y, z}};
    tn_mat4 m = tn_mat4_from_trs(&trs);
    tn_mat4_to_columns(&m, matrix);
}

static void check_parts(const float *matrix, const tn_affine_parts *parts, int lane)
{
    tn_mat4 m = tn_mat4_from_columns(matrix);
    tn_trs want;
    CHECK(tn_mat4_decompose(&m, &want) == 0);
    const float *q = parts->rotations + 4 * lane, *scale = parts->scales + 3 * lane;
    double dot = q[0] * want.rotation.x + q[1] * want.rotation.y + q[2] * want.rotation.z +
                 q[3] * want.rotation.w;
    double sign = dot < 0 ? -1 : 1;
    CHECK(fabs(sign * q[0] - want.rotation.x) < 1e-7 && fabs(sign * q[1] - want.rotation.y) < 1e-7);
    CHECK(fabs(sign * q[2] - want.rotation.z) < 1e-7 && fabs(sign * q[3] - want.rotation.w) < 1e-7);
    CHECK(scale[0] == (float)want.scale.x && scale[1] == (float)want.scale.y);
    CHECK(scale[2] == (float)want.scale.z);
    CHECK(parts->shear[lane] < TN_HARDLY_SHEARED && fabs(parts->volume[lane] - 1) < 1e-9);
}

TEST(matrices_are_decomposed)
{
    float matrices[16 * TN_LANES];
    tn_affine_parts parts;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TN_LANES; i++) random_matrix(matrices + 16 * i);
        CHECK(loops->are_affine(matrices, 1e-12, 0));
        loops->split_affine(matrices, &parts);
        for (int i = 0; i < TN_LANES; i++) check_parts(matrices + 16 * i, &parts, i);
    }
}

// One number at a time.
static float moved_row(const double *palette, const uint16_t *joints, const float *weights,
                       uint32_t each, const float *p, int row)
{
    double m[12] = {0};
    for (uint32_t k = 0; k < each; k++)
        for (int i = 0; weights[k] != 0 && i < 12; i++)
            m[i] += (double)weights[k] * palette[12 * joints[k] + i];
    return (float)(m[row] * (double)p[0] + m[3 + row] * (double)p[1] + m[6 + row] * (double)p[2] +
                   m[9 + row]);
}

TEST(vertices_are_skinned)
{
    enum { JOINTS = 7, VERTICES = 9, EACH = 5 };
    double palette[12 * JOINTS + 12] = {0};
    uint16_t joints[VERTICES * EACH];
    float weights[VERTICES * EACH], positions[3 * VERTICES], moved[3 * VERTICES + 1];
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t each = 1; each <= EACH; each++) {
            // A joint that is not finite moves only those vertices that have a weight for it.
            for (int i = 0; i < 12 * JOINTS; i++) palette[i] = 1e3 * random_unit() - 500;
            palette[12 * 3 + 5] = round % 2 ? HUGE_VAL : 1;
            for (uint32_t i = 0; i < VERTICES * each; i++) {
                joints[i] = (uint16_t)(random_u32() % JOINTS);
                weights[i] = random_u32() % 3 && joints[i] != 3 ? (float)random_unit() : 0.0F;
            }
            // Neighbors that move alike, or that differ in one number only.
            for (uint32_t v = 1; v < VERTICES; v++) {
                if (random_u32() % 4 == 0) continue;
                memcpy(joints + v * each, joints + (v - 1) * each, each * sizeof *joints);
                memcpy(weights + v * each, weights + (v - 1) * each, each * sizeof *weights);
                uint32_t k = random_u32() % each;
                if (random_u32() % 4 == 0) weights[v * each + k] *= 0.5F;
                if (random_u32() % 4 == 0 && joints[v * each + k] != 3) joints[v * each + k] = 1;
            }
            for (int i = 0; i < 3 * VERTICES; i++) positions[i] = (float)(random_unit() - 0.5);
            moved[3 * VERTICES] = 17;
            loops->skin(palette, joints, weights, each, positions, VERTICES, moved);
            for (int i = 0; i < 3 * VERTICES; i++) {
                size_t at = (size_t)(i / 3) * each;
                CHECK(moved[i] == moved_row(palette, joints + at, weights + at, each,
                                            positions + i / 3 * 3, i % 3));
            }
            CHECK(moved[3 * VERTICES] == 17);
        }
}

TEST(distances_are_squared)
{
    enum { POINTS = 13, PAIRS = 29 };
    float a[3 * POINTS + 1], b[3 * POINTS + 1];
    uint32_t pairs[2 * PAIRS];
    double squares[PAIRS + 1];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i <= 3 * POINTS; i++) {
            a[i] = (float)(random_unit() - 0.5);
            b[i] = random_u32() % 8 ? (float)(random_unit() - 0.5) : HUGE_VALF;
        }
        for (int i = 0; i < 2 * PAIRS; i++) pairs[i] = random_u32() % POINTS;
        squares[PAIRS] = 17;
        loops->squares(a, b, pairs, PAIRS, squares);
        for (int i = 0; i < PAIRS; i++) {
            const float *p = a + 3 * (size_t)pairs[2 * i], *q = b + 3 * (size_t)pairs[2 * i + 1];
            double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1];
            double z = (double)p[2] - (double)q[2];
            CHECK(squares[i] == x * x + y * y + z * z);
        }
        CHECK(squares[PAIRS] == 17);
    }
}

TEST(distances_after_moves_are_squared)
{
    enum { COUNT = 21, STRIDE = COUNT + TN_LANES };
    float a[3 * STRIDE], b[3 * STRIDE];
    double matrices[2][12], squares[COUNT + TN_LANES];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 24; i++) matrices[i / 12][i % 12] = random_unit() - 0.5;
        for (int i = 0; i < 3 * STRIDE; i++) {
            a[i] = (float)(random_unit() - 0.5);
            b[i] = random_u32() % 8 ? (float)(random_unit() - 0.5) : HUGE_VALF;
        }
        loops->moved_squares(matrices[0], matrices[1], a, b, STRIDE, COUNT, squares);
        for (int i = 0; i < COUNT; i++) {
            double apart[3], square;
            for (int row = 0; row < 3; row++) {
                const double *m = matrices[0] + row, *n = matrices[1] + row;
                float p = (float)(m[0] * (double)a[i] + m[3] * (double)a[STRIDE + i] +
                                  m[6] * (double)a[2 * STRIDE + i] + m[9]);
                float q = (float)(n[0] * (double)b[i] + n[3] * (double)b[STRIDE + i] +
                                  n[6] * (double)b[2 * STRIDE + i] + n[9]);
                apart[row] = (double)p - (double)q;
            }
            square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
            CHECK(squares[i] == square || (isnan(squares[i]) && isnan(square)));
        }
    }
}

TEST(distances_from_boxes_are_squared)
{
    tn_boxes boxes;
    double squares[TN_BOXES];
    for (int round = 0; round < ROUNDS; round++) {
        double point[3];
        for (int i = 0; i < 3 * TN_BOXES; i++) {
            double u = random_unit(), v = random_unit();
            bool is_none = i % TN_BOXES == round % TN_BOXES;
            boxes.min[i / TN_BOXES][i % TN_BOXES] = is_none ? HUGE_VALF : (float)fmin(u, v);
            boxes.max[i / TN_BOXES][i % TN_BOXES] = is_none ? -HUGE_VALF : (float)fmax(u, v);
        }
        for (int k = 0; k < 3; k++) point[k] = 2 * random_unit() - 0.5;
        loops->box_squares(&boxes, point, squares);
        for (int i = 0; i < TN_BOXES; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                double out = fmax(0, fmax((double)boxes.min[k][i] - point[k],
                                          point[k] - (double)boxes.max[k][i]));
                sum += out * out;
            }
            CHECK(squares[i] == sum);
        }
    }
}

// Half turns can have the largest component at any of four places.
TEST(half_turns_are_decomposed)
{
    float matrices[16 * TN_LANES] = {0};
    tn_affine_parts parts;
    for (int i = 0; i < TN_LANES; i++) {
        float *m = matrices + 16 * i;
        int axis = i % 4;
        for (int k = 0; k < 3; k++) m[5 * k] = axis == 3 || axis == k ? 1 : -1;
        m[15] = 1;
    }
    loops->split_affine(matrices, &parts);
    for (int i = 0; i < TN_LANES; i++)
        for (int k = 0; k < 4; k++)
            CHECK(fabsf(parts.rotations[4 * i + k]) == (k == i % 4 ? 1.0F : 0.0F));
}

TEST(matrices_that_are_odd_are_found)
{
    float matrices[16 * TN_LANES];
    tn_affine_parts parts;
    for (int at = 0; at < TN_LANES; at++) {
        for (int i = 0; i < TN_LANES; i++) random_matrix(matrices + 16 * i);
        float *m = matrices + 16 * at, kept[16];
        memcpy(kept, m, sizeof kept);
        for (int k = 0; k < 16; k++) {
            const float odd[] = {NAN, -NAN, HUGE_VALF, -HUGE_VALF};
            for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
                m[k] = odd[i];
                CHECK(!loops->are_affine(matrices, 1e-12, 1e-12));
            }
            memcpy(m, kept, sizeof kept);
        }
        m[7] = 2e-6f;  // No last row.
        CHECK(!loops->are_affine(matrices, 1e-12, 1e-12) &&
              loops->are_affine(matrices, 1e-12, 5e-12));
        memcpy(m, kept, sizeof kept);
        for (int k = 0; k < 3; k++) m[k] += m[4 + k] * 0.01f;  // Sheared.
        loops->split_affine(matrices, &parts);
        CHECK(!loops->are_affine(matrices, 1e-12, 0) && !(parts.shear[at] <= TN_HARDLY_SHEARED));
        memcpy(m, kept, sizeof kept);
        for (int k = 0; k < 3; k++) m[k] = -m[k];  // Mirrored.
        loops->split_affine(matrices, &parts);
        CHECK(fabs(parts.volume[at] + 1) < 1e-9);
        memset(m, 0, 12 * sizeof *m);  // Flat.
        loops->split_affine(matrices, &parts);
        CHECK(!(parts.volume[at] > 0.5));
    }
}

// -- Both

TEST(both_builds_give_the_same_bits)
{
    const tn_loops *plain = tn_plain_loops(), *wide = tn_wide_loops();
    float rows[8 * TN_LANES], t[2][3 * TN_LANES], r[2][4 * TN_LANES], matrices[16 * TN_LANES];
    tn_affine_parts parts[2];
    memset(parts, 0, sizeof parts);
    for (int round = 0; round < ROUNDS; round++) {
        random_rows(rows);
        CHECK(plain->split_duals(rows, t[0], r[0]) && wide->split_duals(rows, t[1], r[1]));
        CHECK(memcmp(t[0], t[1], sizeof t[0]) == 0 && memcmp(r[0], r[1], sizeof r[0]) == 0);
        for (int i = 0; i < TN_LANES; i++) random_matrix(matrices + 16 * i);
        if (round % 2)  // Any numbers at all.
            for (int i = 0; i < 16 * TN_LANES; i++) matrices[i] = (float)random_in(-9, 9);
        plain->split_affine(matrices, &parts[0]);
        wide->split_affine(matrices, &parts[1]);
        CHECK(memcmp(&parts[0], &parts[1], sizeof parts[0]) == 0);
        double most = random_in(0, 1);
        CHECK(plain->are_affine(matrices, most, most) == wide->are_affine(matrices, most, most));
    }
}

static void run_all(const tn_loops *build)
{
    loops = build;
    RUN_SEEDED(words_are_swapped_and_compared);
    RUN_SEEDED(one_word_among_many_is_found);
    RUN_SEEDED(one_vector_that_is_too_long_is_found);
    RUN_SEEDED(one_influence_that_is_odd_is_found);
    RUN_SEEDED(dual_quaternions_are_decomposed);
    RUN_SEEDED(a_dual_quaternion_without_a_length_is_found);
    RUN_SEEDED(matrices_are_decomposed);
    RUN_SEEDED(half_turns_are_decomposed);
    RUN_SEEDED(vertices_are_skinned);
    RUN_SEEDED(distances_are_squared);
    RUN_SEEDED(distances_after_moves_are_squared);
    RUN_SEEDED(distances_from_boxes_are_squared);
    RUN_SEEDED(matrices_that_are_odd_are_found);
}

int main(void)
{
    run_all(tn_plain_loops());
    if (tn_wide_loops()) {
        run_all(tn_wide_loops());
        RUN_SEEDED(both_builds_give_the_same_bits);
    } else {
        SKIP(both_builds_give_the_same_bits, no_wide);
    }
    CHECK(tn_loops_here() == (tn_wide_loops() ? tn_wide_loops() : tn_plain_loops()));
    TEST_END();
}
