// bundle_mutator.c: how libFuzzer changes an input of several files: the model by its fields, the
// others by their bytes.
// SPDX-License-Identifier: MIT

#include "bundle.h"
#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const char *format_of(const char *extension)
{
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
        for (int k = 0; k < 4 && format->extensions[k]; k++)
            if (strcmp(format->extensions[k], extension) == 0) return format->name;
    return NULL;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t chance = seed;
    bundle b = bundle_split(data, size);
    const bundle_file *f = &b.files[pick(&chance, 2) ? 0 : pick(&chance, b.count)];
    size_t room = max_size - size + f->size, rest = size - f->offset - f->size;
    uint8_t *copy = pick(&chance, 8) ? malloc(room + 1) : NULL;
    if (!copy || size > max_size) {
        free(copy);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(copy, data + f->offset, f->size);
    size_t changed = 0;
    if (f->size && pick(&chance, 2))
        changed = mutate_model(copy, f->size, room, format_of(f->extension), &chance);
    if (!changed && room) changed = LLVMFuzzerMutate(copy, f->size, room);
    memmove(data + f->offset + changed, data + f->offset + f->size, rest);
    memcpy(data + f->offset, copy, changed);
    free(copy);
    return f->offset + changed + rest;
}
