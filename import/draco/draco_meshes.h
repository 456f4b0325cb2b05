// draco_meshes.h: decode meshes that are compressed by Draco, with libdraco.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_DRACO_MESHES_H
#define TENON_IMPORT_DRACO_MESHES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// What was asked for of a mesh, as in tenon_draco_part; `out` gets the numbers.
typedef struct draco_part {
    unsigned id, component_type, width, count;
    unsigned char *out;
    size_t size;
} draco_part;

// Decode a mesh. False, with the reason in `why`, if it is damaged or lacks a part.
bool draco_decode(const unsigned char *data, size_t size, draco_part *parts, unsigned part_count,
                  const char **why);

// Decode all meshes of a message, as cli/import/import_protocol.h describes it, and send the
// result. Returns the exit status.
int draco_run(const unsigned char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif  // TENON_IMPORT_DRACO_MESHES_H
