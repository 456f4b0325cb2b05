// fuzz_read.c: what is accepted is written back unchanged, mapped without a gap, found by its
// paths, checked, and changed to every dialect; what is refused has a reason and a place.
// SPDX-License-Identifier: MIT
//
// Options vary with a hash of the input, so that the bytes of an input are those of a file. With
// TENON_FUZZ_FORMAT=bmw in the environment every input is read as a BMW file.

#include "../tests/robust_properties.h"
#include "fuzz.h"

#define MEMORY_LIMIT   ((uint64_t)64 << 20)
#define DIALECT_MEMORY ((uint64_t)1 << 20)  // Synthesized parts can be many, and all are written.
#define LOCATED_COUNT  2                    // Paths searched for in each input.
#define TWIN_SHARE     8                    // One input of so many is also dumped and built,
#define SALVAGE_SHARE  2                    // and one of so many salvaged.

// -- Finding fields by their paths

typedef struct wanted_part {
    uint64_t index;  // Which part it is.
    uint64_t seen;
    char path[160];
    uint64_t offset;
    bool found;
} wanted_part;

static bool take_path(void *user, const tenon_part *part)
{
    wanted_part *w = user;
    if (w->seen++ != w->index) return true;
    snprintf(w->path, sizeof w->path, "%s", part->path);
    return false;
}

// The first part of that path, should it occur twice.
static bool take_place(void *user, const tenon_part *part)
{
    wanted_part *w = user;
    if (strcmp(part->path, w->path) != 0) return true;
    w->offset = part->offset;
    w->found = true;
    return false;
}

static bool count_part(void *user, const tenon_part *part)
{
    (void)part;
    ++*(uint64_t *)user;
    return true;
}

static void locate_some(const tenon_doc *doc, const uint8_t *data, size_t size,
                        const tenon_read_opts *opts, uint64_t *chance)
{
    uint64_t part_count = 0, offset, field_size;
    tenon_map(data, size, opts, count_part, &part_count, NULL);
    for (int i = 0; part_count && i < LOCATED_COUNT; i++) {
        wanted_part w = {.index = pick(chance, part_count)};
        tenon_map(data, size, opts, take_path, &w, NULL);
        // Paths of deep trees are cut, and then do not identify a part.
        if (strlen(w.path) + 1 >= sizeof w.path || !w.path[0]) continue;
        tenon_map(data, size, opts, take_place, &w, NULL);
        require(w.found, "a part is reported again", NULL);
        require(tenon_locate(doc, w.path, &offset, &field_size), "a part is located", NULL);
        require(offset == w.offset, "a part is located where the map has it", NULL);
    }
    tenon_locate(doc, "no[1].such", &offset, &field_size);
}

// -- Dialects

// What was written in a dialect can be read in it.
static void read_back(const tenon_doc *doc)
{
    growing_bytes g = {0};
    tenon_error err;
    if (tenon_write(doc, append_bytes, &g, &err) != TENON_ABSENT) {
        tenon_read_opts opts = {.format = doc->format->name, .dialect = doc->dialect->name};
        tenon_doc *again = tenon_read(g.data ? (const void *)g.data : "", g.size, &opts, &err);
        require_none(again ? NULL : err.message, "a changed document is read again");
        require_none(fault_in_writing(again, g.data, g.size), "a changed document");
        tenon_doc_free(again);
    }
    free(g.data);
}

static void change_dialects(const uint8_t *data, size_t size)
{
    tenon_read_opts opts = {.max_memory = DIALECT_MEMORY + 16 * (uint64_t)size,
                            .format = fuzzed_format()};
    tenon_error err;
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    if (!doc) return;
    // To every dialect, and back to the first; after a failure the document can only be freed.
    const tenon_dialect *first = doc->dialect;
    bool usable = true;
    for (uint32_t i = 0; i <= doc->format->dialect_count && usable; i++) {
        bool is_last = i == doc->format->dialect_count;
        tenon_change_opts to = {.dialect = is_last ? first->name : doc->format->dialects[i].name};
        if (tenon_change(doc, &to, &err))
            read_back(doc);
        else
            usable = err.code == TENON_ERR_UNSUPPORTED;
    }
    tenon_doc_free(doc);
}

// -- Options

// The document has its own copy: the input may be freed.
static void read_copy(const uint8_t *data, size_t size, bool accepted)
{
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT, .format = fuzzed_format(), .copy = true};
    uint8_t *input = malloc(size + 1);
    if (!input) return;
    memcpy(input, data, size);
    tenon_doc *doc = tenon_read(input, size, &opts, NULL);
    memset(input, 0xdd, size);
    free(input);
    require((doc != NULL) == accepted, "a copy is read like the input", NULL);
    if (doc) require_none(fault_in_writing(doc, data, size), "a copy");
    tenon_doc_free(doc);
}

// Read as another format, as another dialect, with another name, or nested less deeply.
static void read_forced(const uint8_t *data, size_t size, uint64_t *chance)
{
    static const char *const names[] = {NULL, "a.bplx", "b.cem", "c.GPB", "d", "e.bmw", ""};
    uint32_t format_count = 0;
    while (tenon_format_at(format_count)) format_count++;
    const tenon_format *format = tenon_format_at((uint32_t)pick(chance, format_count));
    if (fuzzed_format()) format = tenon_format_by_name(fuzzed_format());
    uint64_t dialect = pick(chance, format->dialect_count + 1);
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT,
                            .max_depth = (uint32_t)pick(chance, 20),
                            .name = names[pick(chance, sizeof names / sizeof names[0])]};
    bool can_read = (format->caps & TENON_CAN_READ) != 0;
    if (can_read && (pick(chance, 2) || fuzzed_format())) opts.format = format->name;
    if (opts.format && dialect < format->dialect_count)
        opts.dialect = format->dialects[dialect].name;
    require_none(fault_in_reading(data, size, &opts, false), "with other options");
}

typedef struct faults {
    uint64_t left;  // Calls until one fails.
} faults;

static void *fail_late(void *user, size_t size)
{
    faults *f = user;
    return f->left-- ? malloc(size) : NULL;
}

static void just_free(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static bool cancel_late(void *user, uint64_t done, uint64_t total)
{
    faults *f = user;
    require(done <= total, "progress stays below its total", NULL);
    return f->left-- != 0;
}

// Memory runs out, or the user cancels.
static void read_broken_off(const uint8_t *data, size_t size, uint64_t *chance)
{
    faults memory = {pick(chance, 40)}, patience = {pick(chance, 40)};
    tenon_error err;
    tenon_read_opts opts = {.allocator = {.alloc = fail_late, .free = just_free, .user = &memory},
                            .events = {.user = &patience, .on_progress = cancel_late},
                            .format = fuzzed_format(),
                            .partial = pick(chance, 2) != 0};
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    if (doc) tenon_check(doc, NULL, NULL, NULL, NULL, &err);
    tenon_doc_free(doc);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t chance = hash_of(data, size);
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT, .format = fuzzed_format()};
    uint64_t start = fuzz_work;
    require_none(fault_in_reading(data, size, &opts, pick(&chance, TWIN_SHARE) == 0), "as it is");
    require_little_work(start, size, "reading, writing, mapping and checking");
    if (pick(&chance, SALVAGE_SHARE) == 0) {
        start = fuzz_work;
        require_none(fault_in_salvage(data, size, &opts), "salvaged");
        require_little_work(start, size, "salvaging");
    }
    tenon_doc *doc = tenon_read(data, size, &opts, NULL);
    bool accepted = doc != NULL;
    if (doc) {
        start = fuzz_work;
        locate_some(doc, data, size, &opts, &chance);
        require_little_work(start, size, "finding fields by their paths");
        start = fuzz_work;
        change_dialects(data, size);
        require_little_work(start, size, "changing to every dialect");
    }
    tenon_doc_free(doc);
    read_copy(data, size, accepted);
    start = fuzz_work;
    read_forced(data, size, &chance);
    require_little_work(start, size, "reading with other options");
    read_broken_off(data, size, &chance);
    return 0;
}
