// fuzz.h: what every fuzzer needs: a way to fail, a limit of work, and random numbers that are the
// same for the same input.
// SPDX-License-Identifier: MIT

#ifndef TENON_FUZZ_FUZZ_H
#define TENON_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/scene.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The only format to fuzz; NULL: whichever an input looks like.
static inline const char *fuzzed_format(void)
{
    return getenv("TENON_FUZZ_FORMAT");
}

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

// -- Work
//
// Branches that one step with an input may take: reading it, checking it, importing it. The
// fixtures, the samples and real models take a twentieth of that at most.

#define WORK_BASE     ((uint64_t)1 << 24)
#define WORK_PER_BYTE ((uint64_t)1 << 12)

extern uint64_t fuzz_work;  // Branches so far.

// `start` is what fuzz_work was before the step, `size` that of the input.
static inline void require_little_work(uint64_t start, uint64_t size, const char *what)
{
    uint64_t done = fuzz_work - start, most = WORK_BASE + WORK_PER_BYTE * size;
    if (done <= most) return;
    fprintf(stderr, "%s: %llu branches for %llu bytes, more than %llu\n", what,
            (unsigned long long)done, (unsigned long long)size, (unsigned long long)most);
    abort();
}

// -- A sink that counts

static inline bool count_begin(void *user, const char *name)
{
    (void)user;
    return name != NULL;
}

static inline bool count_bytes(void *user, const void *bytes, size_t size)
{
    *(uint64_t *)user += size;
    return bytes || !size;
}

static inline bool count_end(void *user)
{
    (void)user;
    return true;
}

// Adds the bytes of all files of an export to *size.
static inline tenon_sink counting_sink(uint64_t *size)
{
    return (tenon_sink){count_begin, count_bytes, count_end, size};
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
