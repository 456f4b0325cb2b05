// mutator.c: how libFuzzer changes an input that is a model: half of the time by its own changes of
// bytes, else changes of fields, or of the tree of an FBX file.
// SPDX-License-Identifier: MIT

#include "fuzz.h"
#include "mutate.h"
#include "mutate_fbx.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    const char *format = fuzzed_format();
    uint64_t chance = seed;
    size_t changed = 0;
    // What fits only the tree would be wasted on most inputs of several formats.
    bool is_fbx = format && strcmp(format, "fbx") == 0;
    if (is_fbx && pick(&chance, 4)) changed = mutate_fbx(data, size, max_size, &chance);
    if (!changed && pick(&chance, 2)) changed = mutate_model(data, size, max_size, format, &chance);
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
