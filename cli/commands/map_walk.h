// map_walk.h: inside a part of a map: its records, and the numbers in them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_MAP_WALK_H
#define TENON_CLI_MAP_WALK_H

#include <tenon/tenon.h>

// One record of a part.
typedef struct map_record {
    uint64_t index;
    uint64_t offset;      // From the start of the part.
    uint64_t size;        // With the tail records that follow it.
    uint64_t tail_count;  // How many do.
} map_record;

// The first record and the one after; false if there is none.
bool map_record_first(const tenon_part *part, map_record *record);
bool map_record_next(const tenon_part *part, map_record *record);

// The record of that number, and the one that holds the byte `at` from the start of the part.
bool map_record_at(const tenon_part *part, uint64_t index, map_record *record);
bool map_record_holding(const tenon_part *part, uint64_t at, map_record *record);

// Called for each cell, that is one row of one element, as a separate part. Returns false to stop.
typedef bool map_cell_fn(void *user, const tenon_part *cell);

// Visit the cells of a record, then those of its tail; false if `fn` stopped it.
bool map_each_cell(const tenon_part *part, const map_record *record, map_cell_fn *fn, void *user);

#endif  // TENON_CLI_MAP_WALK_H
