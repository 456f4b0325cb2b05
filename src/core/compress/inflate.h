// inflate.h: decompress zlib streams (RFC 1950 and 1951) into memory.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_COMPRESS_INFLATE_H
#define TN_CORE_COMPRESS_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

// Whether a zlib stream of `size` bytes can be `expanded` bytes of data. Check it before allocating
// them: nothing is compressed to less than one byte in 1032.
bool tn_inflate_can_fill(uint64_t size, uint64_t expanded);

// Decompress the zlib stream at the start of `src` into `dst`, which it must fill exactly, and
// compare its checksum. Bytes after the stream are ignored. Allocates nothing.
//
// Returns NULL, or what is wrong as the end of a message: "ends early". *offset, which may be NULL,
// gets the number of bytes of `src` that were read.
const char *tn_inflate(const uint8_t *src, uint64_t src_size, uint8_t *dst, uint64_t dst_size,
                       uint64_t *offset);

// The checksum of zlib streams (Adler-32).
uint32_t tn_adler32(const uint8_t *data, uint64_t size);

#endif  // TN_CORE_COMPRESS_INFLATE_H
