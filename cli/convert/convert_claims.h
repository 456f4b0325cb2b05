// convert_claims.h: whose each file of a run is, so that no output replaces a file of another.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_CLAIMS_H
#define TENON_CLI_CONVERT_CLAIMS_H

#include <tenon/tenon.h>

#include <stdbool.h>
#include <stdint.h>

#define CLAIM_REPORT UINT32_MAX  // The owner of the report; others are numbers of jobs.

typedef struct claim {
    char *place;   // The path behind all links.
    uint64_t key;  // The same for all names that could lead to that place.
    uint32_t owner;
    bool is_reserved;  // For an output or the report, which is not written yet.
    bool is_output;    // It was reserved.
} claim;

// Zero is empty.
typedef struct claims {
    claim *list;
    uint32_t count, room;
} claims;

// Reserve the place of an output, or of the report, which comes last. If it is taken, *other is
// whose it is, else NULL, and *is_by_case says whether it is by a name that differs from this one
// in case, where that does not count. False: out of memory.
bool claims_reserve(claims *all, const char *path, uint32_t owner, const claim **other,
                    bool *is_by_case);

// A file is about to get its name: false, with `err` set, if its place is another's, or that of
// another file of the same output.
bool claims_take(claims *all, const char *path, uint32_t owner, tenon_error *err);

// A file that is there already belongs to the output. Several may have it, but none replaces it.
bool claims_share(claims *all, const char *path, uint32_t owner, tenon_error *err);

// Nothing of this owner was written after all.
void claims_release(claims *all, uint32_t owner);

bool claims_has(const claims *all, const char *path);

void claims_free(claims *all);

#endif  // TENON_CLI_CONVERT_CLAIMS_H
