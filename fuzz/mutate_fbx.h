// mutate_fbx.h: changes an FBX file as a tree: its nodes, values, connections and arrays.
// SPDX-License-Identifier: MIT

#ifndef TENON_FUZZ_MUTATE_FBX_H
#define TENON_FUZZ_MUTATE_FBX_H

#include <stddef.h>
#include <stdint.h>

// Change one or a few things in the FBX file of `size` bytes at `data`, which has room for
// `max_size`. The result is a file of the same encoding with right offsets, so that what it says
// about objects is what is fuzzed. Returns the new size; 0 if the file cannot be read, has nothing
// to change, or the result needs more room.
size_t mutate_fbx(uint8_t *data, size_t size, size_t max_size, uint64_t *chance);

#endif  // TENON_FUZZ_MUTATE_FBX_H
