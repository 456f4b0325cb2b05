// meshopt.h: decompress what EXT_meshopt_compression and KHR_meshopt_compression compress.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_COMPRESS_MESHOPT_H
#define TN_CORE_COMPRESS_MESHOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tn_meshopt_mode {
    TN_MESHOPT_ATTRIBUTES,
    TN_MESHOPT_TRIANGLES,
    TN_MESHOPT_INDICES,
} tn_meshopt_mode;

typedef enum tn_meshopt_filter {
    TN_MESHOPT_NONE,
    TN_MESHOPT_OCTAHEDRAL,
    TN_MESHOPT_QUATERNION,
    TN_MESHOPT_EXPONENTIAL,
    TN_MESHOPT_COLOR,
} tn_meshopt_filter;

// Whether `count` elements of `stride` bytes can be in `size` bytes at all, and mode and filter
// allow that stride. To be asked before anything is allocated.
bool tn_meshopt_fits(tn_meshopt_mode mode, tn_meshopt_filter filter, uint64_t count,
                     uint32_t stride, uint64_t size);

// Decompress all elements, `count` times `stride` bytes. False if the data is damaged.
bool tn_meshopt_decode(tn_meshopt_mode mode, tn_meshopt_filter filter, uint64_t count,
                       uint32_t stride, const uint8_t *data, uint64_t size, uint8_t *out);

#endif  // TN_CORE_COMPRESS_MESHOPT_H
