// mutator.c: how libFuzzer changes an input that is a model: half of the time by its own changes of
// bytes, else changes of fields.
// SPDX-License-Identifier: MIT

#include "fuzz.h"
#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t chance = seed;
    size_t changed = 0;
    if (pick(&chance, 2)) changed = mutate_model(data, size, max_size, fuzzed_format(), &chance);
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
