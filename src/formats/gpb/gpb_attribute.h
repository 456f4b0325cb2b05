// gpb_attribute.h: the attributes that channels of animations move.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_ATTRIBUTE_H
#define TN_FORMATS_GPB_GPB_ATTRIBUTE_H

#include <tenon/gpb.h>

typedef struct gpb_attribute {
    const char *name;   // Such as "rotate"; NULL if the attribute does not exist.
    uint32_t size;      // Floats in a key.
    uint32_t rotation;  // Where a quaternion starts in a key, or TENON_NONE.
} gpb_attribute;

gpb_attribute gpb_check_attribute_of(uint32_t target_attribute);

// The time of a key in milliseconds, of either type.
double gpb_check_key_time(const tenon_gpb_channel *channel, uint64_t key);

#endif  // TN_FORMATS_GPB_GPB_ATTRIBUTE_H
