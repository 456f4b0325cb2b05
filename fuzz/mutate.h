// mutate.h: changes a model where it matters: its counts, offsets, sizes, texts and list elements.
// SPDX-License-Identifier: MIT

#ifndef TENON_FUZZ_MUTATE_H
#define TENON_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

// Change one thing in the model of `size` bytes at `data`, which has room for `max_size`. The map
// of the model finds the fields. Without `format` the content decides. Returns the new size; 0 if
// the map has nothing to change, or the change needs more room.
size_t mutate_model(uint8_t *data, size_t size, size_t max_size, const char *format,
                    uint64_t *chance);

#endif  // TENON_FUZZ_MUTATE_H
