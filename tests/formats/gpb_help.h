// gpb_help.h: what the tests of gameplay bundles share.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GPB_HELP_H
#define TENON_TESTS_GPB_HELP_H

#include "model_help.h"

#include <tenon/gpb.h>

#define GPB_FOLDER "tests/fixtures/gpb/"
#define GPB_SCENE  GPB_FOLDER "1_5_scene.gpb"

// A document that owns its memory: the buffer it was read from is gone.
static inline tenon_gpb *gpb_open_copy(const char *path)
{
    blob file = blob_load(path);
    tenon_error err;
    tenon_doc *doc = tenon_read(file.data, file.size, &(tenon_read_opts){.copy = true}, &err);
    if (file.size) memset(file.data, 0xEE, file.size);
    blob_free(&file);
    if (doc && tenon_as_gpb(doc)) return tenon_as_gpb(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

// The bytes as a document again, which owns a copy of them; they are freed.
static inline tenon_gpb *gpb_reopen(blob *file, const char *dialect)
{
    tenon_error err;
    tenon_read_opts opts = {.copy = true, .format = "gpb", .dialect = dialect};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
    blob_free(file);
    if (doc) return tenon_as_gpb(doc);
    fprintf(stderr, "what was written cannot be read: %s: %s\n", err.path, err.message);
    exit(1);
}

// The first block of that kind.
static inline tenon_gpb_block *gpb_block(const tenon_gpb *doc, uint32_t kind)
{
    for (uint32_t i = 0; i < doc->block_count; i++)
        if (doc->blocks[i].kind == kind) return &doc->blocks[i];
    fprintf(stderr, "there is no block of kind %" PRIu32 "\n", kind);
    exit(1);
}

static inline bool gpb_text_is(tenon_str text, const char *want)
{
    return text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
}

// Spans point into the input and are constant: to change one, allocate new bytes.
static inline uint8_t *gpb_own_bytes(tenon_gpb *doc, tenon_span *span)
{
    uint8_t *bytes = tenon_doc_alloc(&doc->base, (size_t)span->size);
    if (!bytes) abort();
    span->data = memcpy(bytes, span->data, (size_t)span->size);
    return bytes;
}

static inline float gpb_f32_at(const tenon_span *span, uint64_t index)
{
    return wire_f32(span->data + 4 * index);
}

static inline uint32_t gpb_u32_at(const tenon_span *span, uint64_t index)
{
    return wire_u32(span->data + 4 * index);
}

#endif  // TENON_TESTS_GPB_HELP_H
