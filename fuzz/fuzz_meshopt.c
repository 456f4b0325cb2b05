// fuzz_meshopt.c: compressed buffer views of glTF are decompressed without harm.
// SPDX-License-Identifier: MIT
//
// The first five bytes are the mode, the filter, a quarter of the size of an element, and the
// number of elements; the others are the data.

#include "core/compress/meshopt.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 5 };
    if (size < HEAD) return 0;
    tn_meshopt_mode mode = (tn_meshopt_mode)(data[0] % 3);
    tn_meshopt_filter filter = (tn_meshopt_filter)(data[1] % 5);
    uint32_t stride = mode == TN_MESHOPT_ATTRIBUTES ? 4u * data[2] : data[2];
    uint64_t count = data[3] | (uint64_t)data[4] << 8, left = size - HEAD;
    if (!tn_meshopt_fits(mode, filter, count, stride, left)) return 0;
    // Blocks of just the right size, so that a sanitizer sees everything outside of them.
    uint8_t *in = malloc(left + !left), *out = malloc(count * stride + 1);
    uint8_t *again = malloc(count * stride + 1);
    if (!in || !out || !again) abort();
    memcpy(in, data + HEAD, left);
    memset(out, 0, count * stride);
    memset(again, 0xff, count * stride);
    // All bytes are written, and they depend on the data alone.
    bool ok = tn_meshopt_decode(mode, filter, count, stride, in, left, out);
    if (ok != tn_meshopt_decode(mode, filter, count, stride, in, left, again)) abort();
    if (ok && memcmp(out, again, count * stride) != 0) abort();
    free(in);
    free(out);
    free(again);
    return 0;
}
