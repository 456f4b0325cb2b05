// core_help.h: what the tests of the core share: cursors, a watched allocator, an observer.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_CORE_HELP_H
#define TENON_TESTS_CORE_HELP_H

#include "../test.h"
#include "../wire.h"
#include "core/cursor/io.h"

#include <inttypes.h>
#include <stdlib.h>

// All parts of an error.
#define CHECK_ERROR(err, want_code, want_offset, want_path, want_message, want_note) \
    do {                                                                             \
        CHECK((err).code == (want_code));                                            \
        CHECK((err).offset == (want_offset));                                        \
        CHECK_STR((err).path, want_path);                                            \
        CHECK_STR((err).message, want_message);                                      \
        CHECK_STR((err).note, want_note);                                            \
    } while (0)

// -- An allocator that keeps books

typedef struct meter {
    uint64_t calls;        // Allocations requested, including those refused.
    uint64_t live_blocks;  // Not freed yet.
    uint64_t live_bytes;
    uint64_t largest;      // Largest request.
    uint64_t fail_at;      // Refuse this call, counted from 1; 0: none.
    bool fail_ever_after;  // And all that follow.
    bool wrong_size;       // A block was freed with another size than it was allocated with.
} meter;

// In front of every block; as large as the strictest alignment.
typedef union meter_head {
    size_t size;
    max_align_t align_;
} meter_head;

static inline void *meter_alloc(void *user, size_t size)
{
    meter *m = user;
    m->calls++;
    if (size > m->largest) m->largest = size;
    if (m->fail_at && (m->calls == m->fail_at || (m->fail_ever_after && m->calls > m->fail_at)))
        return NULL;
    if (size > SIZE_MAX - sizeof(meter_head)) return NULL;
    meter_head *head = malloc(sizeof *head + size);
    if (!head) return NULL;
    head->size = size;
    m->live_blocks++;
    m->live_bytes += size;
    return memset(head + 1, 0xA5, size);  // Code that relies on zeros must write them.
}

static inline void meter_free(void *user, void *memory, size_t size)
{
    meter *m = user;
    meter_head *head = (meter_head *)memory - 1;
    if (head->size != size) m->wrong_size = true;
    m->live_blocks--;
    m->live_bytes -= head->size;
    free(head);
}

static inline tenon_allocator metered(meter *m)
{
    return (tenon_allocator){.alloc = meter_alloc, .free = meter_free, .user = m};
}

// -- Cursors

// READ from a separate copy, which ends where its block ends, so that a sanitizer notices a read
// beyond the end.
typedef struct reading {
    tn_io io;
    tn_arena arena;
    meter meter;
    tenon_error err;
    uint8_t *data;
} reading;

static inline void reading_begin(reading *r, const void *data, size_t size)
{
    *r = (reading){0};
    tenon_allocator allocator = metered(&r->meter);
    r->arena = tn_arena_make(&allocator, 1 << 20);
    r->data = malloc(size ? size : 1);
    if (!r->data) abort();
    if (size) memcpy(r->data, data, size);
    tn_io_reader(&r->io, r->data, size, &r->arena, &r->err);
}

static inline void reading_end(reading *r)
{
    tn_arena_free(&r->arena);
    CHECK(r->meter.live_blocks == 0 && !r->meter.wrong_size);
    free(r->data);
}

// WRITE to a buffer.
typedef struct writing {
    tn_io io;
    tenon_error err;
    size_t size;
    uint8_t bytes[4096];
} writing;

static inline bool writing_take(void *user, const void *bytes, size_t size)
{
    writing *w = user;
    if (size > sizeof w->bytes - w->size) return false;
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
    return true;
}

static inline void writing_begin(writing *w)
{
    w->err = (tenon_error){0};
    w->size = 0;
    tn_io_writer(&w->io, writing_take, w, &w->err);
}

// Whether exactly these bytes were written, and the cursor counted them.
static inline bool wrote(const writing *w, const void *bytes, size_t size)
{
    return !w->io.failed && w->size == size && w->io.pos == size &&
           memcmp(w->bytes, bytes, size) == 0;
}

// -- An observer that writes down what it sees

// "0+4 u32 version; 4+0 inferred u32 kind; [bones" and so on.
typedef struct trace {
    tn_observer observer;
    bool with_steps;
    uint32_t field_count;
    uint32_t stop_at;  // Fail at this field, counted from 1; 0: never.
    size_t size;
    char text[4096];
} trace;

static inline void trace_add(trace *t, const char *a, const char *b)
{
    int size = snprintf(t->text + t->size, sizeof t->text - t->size, "%s%s", a, b);
    if (size > 0 && (size_t)size < sizeof t->text - t->size) t->size += (size_t)size;
}

static inline void trace_field(tn_observer *self, tn_io *io, const tn_field *field)
{
    static const char *const kinds[] = {"", "inferred ", "kept ", "rest "};
    trace *t = (trace *)self;
    char path[200], line[320];
    tn_io_path(io, field->name, path, sizeof path);
    snprintf(line, sizeof line, "%" PRIu64 "+%" PRIu64 " %s%s %s; ", field->offset, field->size,
             kinds[field->kind], tenon_type_word(field->type), path);
    trace_add(t, line, "");
    if (++t->field_count == t->stop_at)
        tn_fail(io, TENON_ERR_CANCELLED, field->offset, field->name, "enough");
}

static inline void trace_step(tn_observer *self, tn_io *io, tn_step step)
{
    static const char *const marks[] = {"{", "}", "[", "(", ")", "]"};
    trace *t = (trace *)self;
    CHECK(io->depth > 0);
    if (t->with_steps) trace_add(t, marks[step], io->depth ? io->frames[io->depth - 1].name : "");
    if (t->with_steps) trace_add(t, " ", "");
}

static inline void trace_begin(trace *t, tn_io *io)
{
    *t = (trace){.observer = {.field = trace_field, .step = trace_step, .next = io->observers}};
    io->observers = &t->observer;
}

#endif  // TENON_TESTS_CORE_HELP_H
