// crc32.h: the checksum of PNG files (CRC-32).
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_COMPRESS_CRC32_H
#define TN_CORE_COMPRESS_CRC32_H

#include <stdint.h>

#include "core/math/floating_point.h"

// The checksum of data whose first part has the checksum `before`; 0 if this is the first part.
uint32_t tn_crc32(uint32_t before, const uint8_t *data, uint64_t size);

#endif  // TN_CORE_COMPRESS_CRC32_H
