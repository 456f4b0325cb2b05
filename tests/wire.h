// wire.h: numbers as most files store them, little-endian, whatever the machine's order is.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_WIRE_H
#define TENON_TESTS_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Copy numbers of `width` bytes from the machine's order to the file's, or back.
static inline void wire_copy(void *dst, const void *src, size_t count, size_t width)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    for (size_t i = 0; i < count * width; i++) {
        size_t at = i % width;
        size_t from = first ? i : i - at + (width - 1 - at);
        ((uint8_t *)dst)[i] = ((const uint8_t *)src)[from];
    }
}

static inline uint32_t wire_u32(const void *bytes)
{
    uint32_t value;
    wire_copy(&value, bytes, 1, sizeof value);
    return value;
}

static inline float wire_f32(const void *bytes)
{
    float value;
    wire_copy(&value, bytes, 1, sizeof value);
    return value;
}

static inline double wire_f64(const void *bytes)
{
    double value;
    wire_copy(&value, bytes, 1, sizeof value);
    return value;
}

static inline void wire_put_u32(void *bytes, uint32_t value)
{
    wire_copy(bytes, &value, 1, sizeof value);
}

#endif  // TENON_TESTS_WIRE_H
