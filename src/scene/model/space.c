// space.c: convert left-handed spaces to that of scenes, and sRGB colors to linear ones.
// SPDX-License-Identifier: MIT

#include "scene/model/space.h"

// -- Handedness

// What leads from Z or to Z changes its sign; from Z to Z, twice.
tn_mat4 tn_mirror_mat4(const tn_mat4 *m)
{
    tn_mat4 out = *m;
    static const int changed[] = {2, 6, 8, 9, 11, 14};
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
        out.m[changed[i]] = 0 - out.m[changed[i]];
    return out;
}

void tn_mirror_floats(float *values, uint64_t count, uint32_t each)
{
    for (uint64_t i = 0; i < count; i++, values += each)
        for (uint32_t k = 2; k < each; k++) values[k] = 0 - values[k];
}

// -- Colors

// The fifth root of what is between 0 and 1, by Newton's method: from above, so it only gets less.
static double space_fifth_root(double value)
{
    double root = 1;
    for (int i = 0; i < 64; i++) {
        double fourth = root * root * root * root;
        double next = root - (root * fourth - value) / (5 * fourth);
        if (!(next < root)) break;
        root = next;
    }
    return root;
}

double tn_linear_from_srgb(double value)
{
    if (!(value > 0 && value < 1)) return value;
    if (value <= 0.04045) return value / 12.92;
    double base = (value + 0.055) / 1.055, root = space_fifth_root(base);
    return base * base * root * root;  // To the power of 2.4.
}

void tn_srgb_levels(float levels[256])
{
    for (int i = 0; i < 256; i++) levels[i] = (float)tn_linear_from_srgb(i / 255.0);
}

uint8_t tn_srgb_byte(const float levels[256], double linear)
{
    uint8_t low = 0, high = 255;
    while (high - low > 1) {
        uint8_t middle = (uint8_t)((low + high) / 2);
        if (levels[middle] <= linear)
            low = middle;
        else
            high = middle;
    }
    return linear - levels[low] <= levels[high] - linear ? low : high;
}
