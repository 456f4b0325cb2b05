// gpb_attribute.h: what the channels of animations move.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_ATTRIBUTE_H
#define TN_FORMATS_GPB_GPB_ATTRIBUTE_H

#include <tenon/gpb.h>

typedef struct gpb_attribute {
    const char *name;   // "rotate", or NULL if there is no such attribute.
    uint32_t size;      // Floats of a key.
    uint32_t rotation;  // Where a quaternion starts in them; TENON_NONE if there is none.
} gpb_attribute;

gpb_attribute gpb_attribute_of(uint32_t target_attribute);

// The time of a key in milliseconds, whatever type it is stored as.
double gpb_key_time(const tenon_gpb_channel *channel, uint64_t key);

#endif  // TN_FORMATS_GPB_GPB_ATTRIBUTE_H
