// test_observers.c: observers see every field once and in order; progress is reported and can
// cancel.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core_help.h"

// -- A document with every kind of field

typedef struct bone {
    tenon_str name;
    float length;
} bone;

typedef struct document {
    uint16_t version;
    uint8_t flag;
    uint32_t bone_count;
    bone *bones;
    uint32_t guess;
    uint32_t *sizes;
    tenon_span keys, leftover;
} document;

static uint64_t infer_guess(tn_io *io, const void *subject)
{
    (void)io;
    (void)subject;
    return 0x01020304;
}

static void describe_document(tn_io *io, document *d)
{
    tn_magic(io, "magic", "DOC", 3);
    tn_u16(io, "version", &d->version);
    tn_enter(io, "options");
    tn_u8(io, "flag", &d->flag);
    tn_leave(io);
    tn_list(io, "bones", &d->bones, &d->bone_count, sizeof *d->bones, 5);
    for (uint32_t i = 0; tn_next(io, i, d->bone_count); i++) {
        tn_strz(io, "name", &d->bones[i].name);
        tn_f32(io, "length", &d->bones[i].length);
    }
    tn_inferred_u32(io, "guess", &d->guess, infer_guess, NULL);
    tn_u32_array(io, "sizes", &d->sizes, 1);
    tn_window window = tn_window_begin(io, "part", 7);
    tn_records(io, "keys", &d->keys, 2, &tn_layout_u16);
    tn_window_end(io, &window, &d->leftover);
}

static const char file[] = "DOC\1\0\1\2\0\0\0a\0....bc\0....\5\0\0\0kkkkxyz";
enum { FILE_SIZE = sizeof file - 1, FIELD_COUNT = 12 };

static const char seen[] =
    "0+3 str magic; 3+2 u16 version; {options 5+1 u8 options.flag; }options "
    "[bones 6+4 u32 bones.count; (bones 10+2 strz bones[0].name; 12+4 f32 bones[0].length; )bones "
    "(bones 16+3 strz bones[1].name; 19+4 f32 bones[1].length; )bones ]bones "
    "23+0 inferred u32 guess; 23+4 records sizes; 27+4 records keys; 31+3 kept bytes leftover; ";

TEST(every_field_is_seen_once_and_in_order_reading_and_writing)
{
    reading r;
    writing w;
    trace t;
    document d;
    reading_begin(&r, file, FILE_SIZE);
    trace_begin(&t, &r.io);
    t.with_steps = true;
    describe_document(&r.io, &d);
    CHECK(!r.io.failed && r.io.pos == FILE_SIZE && t.field_count == FIELD_COUNT);
    CHECK_STR(t.text, seen);

    writing_begin(&w);
    trace_begin(&t, &w.io);
    t.with_steps = true;
    describe_document(&w.io, &d);
    CHECK(wrote(&w, file, FILE_SIZE) && t.field_count == FIELD_COUNT);
    CHECK_STR(t.text, seen);

    tn_io_writer(&w.io, NULL, NULL, &w.err);  // Measuring is writing without an output.
    trace_begin(&t, &w.io);
    t.with_steps = true;
    describe_document(&w.io, &d);
    CHECK_STR(t.text, seen);
    reading_end(&r);
}

// Puts together what the fields show, which must be the file again.
typedef struct collector {
    tn_observer observer;
    size_t size;
    uint8_t bytes[FILE_SIZE];
} collector;

static void collect(tn_observer *self, tn_io *io, const tn_field *field)
{
    collector *c = (collector *)self;
    const void *bytes = field->bytes ? (const void *)field->bytes : field->text.data;
    bool is_text = field->type == TENON_TYPE_STR || field->type == TENON_TYPE_STRZ;
    CHECK(is_text ? field->text.data != NULL : field->bytes != NULL);
    CHECK(field->offset == c->size && field->size <= FILE_SIZE - c->size);
    if (field->kind == TENON_PART_INFERRED) {
        CHECK(tn_load32(field->bytes, field->big_endian) == 0x01020304);
        return;
    }
    if (field->name[0] == 's') CHECK(tn_load32(field->bytes, field->big_endian) == 5);
    CHECK(io->big_endian == field->big_endian || field->name[0] == 's');
    if (field->name[0] == 's')
        wire_put_u32(c->bytes + c->size, tn_load32(field->bytes, field->big_endian));
    else
        memcpy(c->bytes + c->size, bytes, (size_t)field->size);
    c->size += (size_t)field->size;
}

TEST(fields_show_the_bytes_of_the_file)
{
    reading r;
    writing w;
    document d;
    collector c = {.observer = {.field = collect}};
    reading_begin(&r, file, FILE_SIZE);
    r.io.observers = &c.observer;
    describe_document(&r.io, &d);
    CHECK(!r.io.failed && c.size == FILE_SIZE && memcmp(c.bytes, file, FILE_SIZE) == 0);

    c.size = 0;
    writing_begin(&w);
    w.io.observers = &c.observer;
    describe_document(&w.io, &d);
    CHECK(!w.io.failed && c.size == FILE_SIZE && memcmp(c.bytes, file, FILE_SIZE) == 0);
    reading_end(&r);
}

TEST(several_observers_see_the_same)
{
    reading r;
    trace a, b;
    document d;
    reading_begin(&r, file, FILE_SIZE);
    trace_begin(&a, &r.io);
    trace_begin(&b, &r.io);
    describe_document(&r.io, &d);
    CHECK(a.field_count == FIELD_COUNT);
    CHECK_STR(a.text, b.text);
    reading_end(&r);
}

TEST(an_observer_can_end_the_reading_at_every_field)
{
    for (uint32_t stop = 1; stop <= FIELD_COUNT; stop++) {
        reading r;
        trace before, stopping;
        document d;
        reading_begin(&r, file, FILE_SIZE);
        trace_begin(&before, &r.io);
        trace_begin(&stopping, &r.io);  // The first observer is called first.
        stopping.stop_at = stop;
        describe_document(&r.io, &d);
        CHECK(r.io.failed && r.err.code == TENON_ERR_CANCELLED);
        CHECK_STR(r.err.message, "enough");
        CHECK(stopping.field_count == stop && before.field_count == stop - 1);
        reading_end(&r);
    }
}

TEST(an_observer_can_end_the_writing)
{
    for (uint32_t stop = 1; stop <= FIELD_COUNT; stop++) {
        reading r;
        writing w;
        trace t;
        document d;
        reading_begin(&r, file, FILE_SIZE);
        describe_document(&r.io, &d);
        writing_begin(&w);
        trace_begin(&t, &w.io);
        t.stop_at = stop;
        describe_document(&w.io, &d);
        CHECK(w.err.code == TENON_ERR_CANCELLED && t.field_count == stop);
        CHECK(memcmp(w.bytes, file, w.size) == 0);
        reading_end(&r);
    }
}

TEST(an_observer_need_not_care_about_steps)
{
    reading r;
    trace t;
    document d;
    reading_begin(&r, file, FILE_SIZE);
    trace_begin(&t, &r.io);
    t.observer.step = NULL;
    describe_document(&r.io, &d);
    CHECK(!r.io.failed && t.field_count == FIELD_COUNT);
    reading_end(&r);
}

TEST(nothing_is_seen_after_a_failure)
{
    for (size_t size = 0; size < FILE_SIZE; size++) {
        reading r;
        trace t;
        document d;
        reading_begin(&r, file, size);
        trace_begin(&t, &r.io);
        describe_document(&r.io, &d);
        CHECK(r.io.failed && t.field_count < FIELD_COUNT);
        CHECK(strncmp(t.text, "0+3 str magic; 3+2 u16 version; 5+1 u8 options.flag; ", t.size) ==
                  0 ||
              t.field_count > 3);
        reading_end(&r);
    }
}

// -- Places

TEST(starts_of_objects_are_noted_on_request)
{
    writing w;
    uint64_t offsets[] = {TENON_ABSENT, TENON_ABSENT, TENON_ABSENT};
    tn_places places = {offsets, 3};
    uint8_t v = 1;
    writing_begin(&w);
    tn_here(&w.io, 0);  // Not requested yet.
    w.io.places = &places;
    tn_u8(&w.io, "v", &v);
    tn_here(&w.io, 1);
    tn_u8(&w.io, "v", &v);
    tn_here(&w.io, 1);  // Where it starts is where it was met first.
    tn_here(&w.io, 3);
    tn_here(&w.io, TENON_NONE);
    tn_fail(&w.io, TENON_ERR_VALUE, 0, "", "no");
    tn_here(&w.io, 2);
    CHECK(offsets[0] == TENON_ABSENT && offsets[1] == 1 && offsets[2] == TENON_ABSENT);
}

// -- Progress

typedef struct listener {
    uint32_t calls;
    uint32_t cancel_at;  // 0: never.
    uint64_t last, total;
    bool went_back, changed_total;
} listener;

static bool listen(void *user, uint64_t done, uint64_t total)
{
    listener *l = user;
    if (l->calls && done < l->last) l->went_back = true;
    if (l->calls && total != l->total) l->changed_total = true;
    l->last = done;
    l->total = total;
    return ++l->calls != l->cancel_at;
}

enum { MIB = 1 << 20, BLOCKS = 12 };

// Blocks of 1 MiB, each in a separate window.
static void describe_blocks(tn_io *io, uint32_t *count, tenon_span **blocks)
{
    tn_items(io, "blocks", blocks, count, sizeof **blocks, MIB);
    for (uint32_t i = 0; tn_next(io, i, *count); i++) {
        tn_window window = tn_window_begin(io, "block", MIB);
        tn_bytes(io, "", &(*blocks)[i], MIB);
        tn_window_end(io, &window, NULL);
    }
}

static void read_blocks(reading *r, listener *l)
{
    static uint8_t zeros[(size_t)BLOCKS * MIB];
    uint32_t count = BLOCKS;
    tenon_span *blocks;
    reading_begin(r, zeros, sizeof zeros);
    r->io.events = (tenon_events){.user = l, .on_progress = listen};
    describe_blocks(&r->io, &count, &blocks);
}

TEST(progress_is_reported_regularly_and_with_the_total_size)
{
    reading r;
    listener l = {0};
    read_blocks(&r, &l);
    CHECK(!r.io.failed);
    CHECK(l.calls >= 3 && l.calls <= 5);  // About every 4 MiB.
    CHECK(!l.went_back && l.last <= l.total);
    CHECK(!l.changed_total && l.total == (uint64_t)BLOCKS * MIB);
    reading_end(&r);
}

TEST(progress_can_cancel_at_every_call)
{
    for (uint32_t cancel = 1; cancel <= 3; cancel++) {
        reading r;
        listener l = {.cancel_at = cancel};
        read_blocks(&r, &l);
        CHECK(r.io.failed && l.calls == cancel);
        CHECK(r.err.code == TENON_ERR_CANCELLED && r.err.offset == l.last);
        CHECK_STR(r.err.message, "cancelled");
        reading_end(&r);
    }
}

TEST(a_small_file_is_reported_once)
{
    reading r;
    document d;
    listener l = {0};
    reading_begin(&r, file, FILE_SIZE);
    r.io.events = (tenon_events){.user = &l, .on_progress = listen};
    describe_document(&r.io, &d);
    CHECK(!r.io.failed && l.calls == 1);
    reading_end(&r);
}

int main(void)
{
    RUN(every_field_is_seen_once_and_in_order_reading_and_writing);
    RUN(fields_show_the_bytes_of_the_file);
    RUN(several_observers_see_the_same);
    RUN(an_observer_can_end_the_reading_at_every_field);
    RUN(an_observer_can_end_the_writing);
    RUN(an_observer_need_not_care_about_steps);
    RUN(nothing_is_seen_after_a_failure);
    RUN(starts_of_objects_are_noted_on_request);
    RUN(progress_is_reported_regularly_and_with_the_total_size);
    RUN(progress_can_cancel_at_every_call);
    RUN(a_small_file_is_reported_once);
    TEST_END();
}
