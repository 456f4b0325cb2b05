// fuzz.h: what every fuzzer needs: a way to fail, and chance that is the same for the same input.
// SPDX-License-Identifier: MIT

#ifndef TENON_FUZZ_FUZZ_H
#define TENON_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/scene.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// -- Failing

// `err` may be NULL.
static inline void require(bool holds, const char *what, const tenon_error *err)
{
    if (holds) return;
    fprintf(stderr, "%s: %s: %s\n", what, err ? err->path : "", err ? err->message : "");
    abort();
}

// A fault in the sense of robust_properties.h: NULL is none.
static inline void require_none(const char *fault, const char *what)
{
    if (!fault) return;
    fprintf(stderr, "%s: %s\n", what, fault);
    abort();
}

// Reasons that an input of any kind may give.
static inline bool is_excused(const tenon_error *err)
{
    return err->code == TENON_ERR_LIMIT || err->code == TENON_ERR_MEMORY ||
           err->code == TENON_ERR_UNSUPPORTED;
}

// The only format to fuzz; NULL: whichever an input looks like.
static inline const char *fuzzed_format(void)
{
    return getenv("TENON_FUZZ_FORMAT");
}

// -- Chance

static inline uint64_t hash_of(const uint8_t *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash;
}

// A number below `count`, another one each time.
static inline uint64_t pick(uint64_t *state, uint64_t count)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % count;
}

#endif  // TENON_FUZZ_FUZZ_H
