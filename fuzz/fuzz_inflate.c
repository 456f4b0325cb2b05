// fuzz_inflate.c: any bytes are decompressed without harm, as a plain decoder does it.
// SPDX-License-Identifier: MIT
//
// The first two bytes are the size of the data, the others the stream.

#include "core/compress/inflate.h"

#include "../tests/plain_inflate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    uint64_t expanded = data[0] | (uint64_t)data[1] << 8, offset;
    // Blocks of just the right size, so that a sanitizer sees everything outside of them.
    uint8_t *in = malloc(size - 2 + !(size - 2)), *out = malloc(expanded + !expanded);
    uint8_t *plain = malloc(expanded + !expanded);
    if (!in || !out || !plain) abort();
    memcpy(in, data + 2, size - 2);
    const char *fault = tn_inflate(in, size - 2, out, expanded, &offset);
    bool ok = plain_inflate(in, size - 2, plain, expanded);
    if (ok != !fault || offset > size - 2) abort();
    if (ok && memcmp(out, plain, expanded) != 0) abort();
    if (ok && !tn_inflate_can_fill(size - 2, expanded)) abort();
    free(in);
    free(out);
    free(plain);
    return 0;
}
