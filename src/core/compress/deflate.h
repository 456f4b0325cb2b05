// deflate.h: compress into zlib streams (RFC 1950 and 1951), always to the same bytes.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_COMPRESS_DEFLATE_H
#define TN_CORE_COMPRESS_DEFLATE_H

#include <tenon/tenon.h>

// Compress `size` bytes into one zlib stream, which is handed to `write` in pieces. How matches are
// searched is fixed, so that the same data always gives the same stream. Takes about 0.4 MB of
// memory.
//
// False, with `err` set, if out of memory, if `write` returns false, or if the budget of the
// allocator is exceeded.
bool tn_deflate(const uint8_t *data, uint64_t size, const tenon_allocator *allocator,
                tenon_write_fn *write, void *user, tenon_error *err);

#endif  // TN_CORE_COMPRESS_DEFLATE_H
