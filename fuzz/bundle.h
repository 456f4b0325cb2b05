// bundle.h: inputs that are several files: a model and the files beside it.
// SPDX-License-Identifier: MIT
//
// Each file follows a line "@@EXTENSION"; the first is the model. The line break in front of a mark
// belongs to the mark. What does not start with a mark is a model alone. tools/fuzz.py makes such
// inputs.

#ifndef TENON_FUZZ_BUNDLE_H
#define TENON_FUZZ_BUNDLE_H

#include "fuzz.h"

#define BUNDLE_FILES_MOST     24
#define BUNDLE_EXTENSION_SIZE 12

typedef struct bundle_file {
    char extension[BUNDLE_EXTENSION_SIZE];  // Without the dot; "" if it has none.
    size_t offset, size;                    // In the input.
} bundle_file;

typedef struct bundle {
    bundle_file files[BUNDLE_FILES_MOST];
    uint32_t count;  // At least 1.
} bundle;

static inline bool bundle_is_mark(const uint8_t *data, size_t size, size_t at)
{
    return size - at >= 2 && data[at] == '@' && data[at + 1] == '@' &&
           (at == 0 || data[at - 1] == '\n');
}

static inline bundle bundle_split(const uint8_t *data, size_t size)
{
    bundle b = {.count = 1};
    b.files[0].size = size;
    if (!bundle_is_mark(data, size, 0)) return b;
    b.count = 0;
    for (size_t at = 0; at < size && b.count < BUNDLE_FILES_MOST;) {
        bundle_file *f = &b.files[b.count++];
        *f = (bundle_file){0};
        at += 2;
        for (size_t i = 0; at < size && data[at] != '\n'; at++)
            if (i + 1 < sizeof f->extension && data[at] > ' ' && data[at] != '/')
                f->extension[i++] = (char)data[at];
        at += at < size;
        f->offset = at;
        while (at < size && !bundle_is_mark(data, size, at)) at++;
        f->size = at - f->offset;
        if (at < size && f->size) f->size--;
    }
    return b;
}

#endif  // TENON_FUZZ_BUNDLE_H
