// gltf_meshopt.h: decompress what EXT_meshopt_compression and KHR_meshopt_compression compress.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_IMPORT_GLTF_MESHOPT_H
#define TN_FORMATS_GLTF_IMPORT_GLTF_MESHOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gltf_meshopt_mode {
    GLTF_MESHOPT_ATTRIBUTES,
    GLTF_MESHOPT_TRIANGLES,
    GLTF_MESHOPT_INDICES,
} gltf_meshopt_mode;

typedef enum gltf_meshopt_filter {
    GLTF_MESHOPT_NONE,
    GLTF_MESHOPT_OCTAHEDRAL,
    GLTF_MESHOPT_QUATERNION,
    GLTF_MESHOPT_EXPONENTIAL,
    GLTF_MESHOPT_COLOR,
} gltf_meshopt_filter;

// Whether `count` elements of `stride` bytes can be in `size` bytes at all, and mode and filter
// allow that stride. To be asked before anything is allocated.
bool gltf_meshopt_fits(gltf_meshopt_mode mode, gltf_meshopt_filter filter, uint64_t count,
                       uint32_t stride, uint64_t size);

// Decompress all elements, `count` times `stride` bytes. False if the data is damaged.
bool gltf_meshopt_decode(gltf_meshopt_mode mode, gltf_meshopt_filter filter, uint64_t count,
                         uint32_t stride, const uint8_t *data, uint64_t size, uint8_t *out);

#endif  // TN_FORMATS_GLTF_IMPORT_GLTF_MESHOPT_H
