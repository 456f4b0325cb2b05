// model_help.h: what the tests of the formats share: files in memory, through the public API alone.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_MODEL_HELP_H
#define TENON_TESTS_MODEL_HELP_H

#include "../test.h"
#include "../wire.h"

#include <tenon/tenon.h>

#include <inttypes.h>
#include <stdlib.h>

// Bytes of a file, or of what was written.
typedef struct blob {
    uint8_t *data;
    size_t size, room;
} blob;

// A tenon_write_fn whose user is a blob.
static inline bool blob_add(void *user, const void *bytes, size_t size)
{
    blob *b = user;
    if (size > b->room - b->size) {
        b->room = 2 * b->size + size;
        b->data = realloc(b->data, b->room);
        if (!b->data) abort();
    }
    if (size) memcpy(b->data + b->size, bytes, size);
    b->size += size;
    return true;
}

static inline void blob_free(blob *b)
{
    free(b->data);
    *b = (blob){0};
}

static inline blob blob_load(const char *path)
{
    blob b = {0};
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        test_failures++;
        return b;
    }
    for (size_t size; (size = fread(chunk, 1, sizeof chunk, file)) > 0;) blob_add(&b, chunk, size);
    fclose(file);
    return b;
}

static inline bool blob_same(const blob *a, const blob *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

// The file of `doc`, which must be writable.
static inline blob blob_written(const tenon_doc *doc)
{
    blob b = {0};
    tenon_error err;
    uint64_t size = tenon_write(doc, blob_add, &b, &err);
    if (size != b.size || size != tenon_write(doc, NULL, NULL, &err)) {
        fprintf(stderr, "written %" PRIu64 " bytes: %s: %s\n", size, err.path, err.message);
        test_failures++;
    }
    return b;
}

// -- Maps

typedef struct map_walk {
    uint64_t end;
    uint64_t parts;
    bool has_gap;  // Or an overlap.
} map_walk;

static inline bool map_walk_part(void *user, const tenon_part *part)
{
    map_walk *walk = user;
    if (part->offset != walk->end) walk->has_gap = true;
    if (part->kind != TENON_PART_INFERRED) walk->end = part->offset + part->size;
    walk->parts++;
    return true;
}

// Whether the parts of the file follow each other from its first byte to its last.
static inline bool maps_whole(const blob *file)
{
    map_walk walk = {0};
    tenon_error err;
    bool read = tenon_map(file->data, file->size, NULL, map_walk_part, &walk, &err);
    return read && !walk.has_gap && walk.end == file->size && walk.parts > 0;
}

#endif  // TENON_TESTS_MODEL_HELP_H
