// convert_claims.h: which job each file belongs to, so that no job replaces a file of another.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_CLAIMS_H
#define TENON_CLI_CONVERT_CLAIMS_H

#include <tenon/tenon.h>

#include <stdbool.h>
#include <stdint.h>

#define CLAIM_REPORT    UINT32_MAX        // The owner of the report; others are numbers of jobs.
#define CLAIM_ELSEWHERE (UINT32_MAX - 1)  // Of what another shard writes.

typedef struct claim {
    char *path;     // With all links resolved.
    uint64_t hash;  // Equal for all names that could lead to the same file.
    uint32_t next;  // One more than the index of the next claim in its chain; 0: it is the last.
    uint32_t next_of_owner;  // The same, in the chain of its owner.
    uint32_t owner;          // Number of the job, or CLAIM_REPORT.
    bool is_reserved;        // For an output or the report, not written yet.
    bool is_output;          // It was reserved.
} claim;

// Zero is empty.
typedef struct claims {
    claim *list;
    uint32_t count, room;
    uint32_t *chains;     // As many as there is room: claims by their hash,
    uint32_t *owners;     // and by their owner.
    char *folder;         // The folder of the path that was resolved last,
    char *place;          // and where it is;
    uint32_t places;      // how many there were.
    uint32_t renumbered;  // Reservations before this index have new owners.
} claims;

// What claims_reserve() found.
typedef struct claim_conflict {
    uint64_t stamp;      // Of the file, if it is wanted: see platform_look(); 0: not known.
    const claim *other;  // The claim that has the path already; NULL: none.
    bool is_by_case;     // The two names differ only in case.
    bool is_outside;     // A link leads out of the folder in which all outputs have to be.
} claim_conflict;

// Reserve the path of an output, or of the report, which comes last. Paths in `folder` have to be
// there also when links are followed, and names in it must differ in more than case; NULL: any
// path, and only where the file system ignores case. False: out of memory.
bool claims_reserve(claims *all, const char *path, const char *folder, uint32_t owner,
                    bool wants_stamp, claim_conflict *conflict);

// Claim a file that is about to be written. False, with `err` set, if another owner or another file
// of the same output has it. If it `shares` the file, which exists already, other owners may do
// that as well, but none may replace it.
bool claims_take(claims *all, const char *path, uint32_t owner, bool shares, tenon_error *err);

// Whether another owner has the path.
bool claims_is_taken(claims *all, const char *path, uint32_t owner);

// Change the owner of a reservation; called once for each owner, in their order.
void claims_renumber(claims *all, uint32_t owner, uint32_t new_owner);

// Release the claims of an owner that wrote nothing. Its reservations stay.
void claims_release(claims *all, uint32_t owner);

bool claims_has(claims *all, const char *path);

void claims_free(claims *all);

#endif  // TENON_CLI_CONVERT_CLAIMS_H
