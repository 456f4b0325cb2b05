// io.c: the cursor with which every binary structure is described, once.
// SPDX-License-Identifier: MIT

#include "core/cursor/io.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROGRESS_STEP ((uint64_t)4 << 20)  // Bytes between two calls of the progress callback.

void tn_io_reader(tn_io *io, const void *data, uint64_t size, tn_arena *arena, tenon_error *err)
{
    *io = (tn_io){.mode = TN_READ,
                  .src = data ? data : (const void *)"",
                  .end = size,
                  .total = size,
                  .source = &tn_file_source,
                  .arena = arena,
                  .max_depth = TN_DEPTH_MAX,
                  .err = err};
}

void tn_io_writer(tn_io *io, tenon_write_fn *write, void *user, tenon_error *err)
{
    *io = (tn_io){.mode = TN_WRITE,
                  .write = write,
                  .write_user = user,
                  .end = UINT64_MAX,
                  .max_depth = TN_DEPTH_MAX,
                  .err = err};
}

bool tn_has(tn_io *io, uint32_t flag)
{
    io->asked |= flag;
    return (io->flags & flag) != 0;
}

void tn_doubt(tn_io *io)
{
    if (io->doubts < UINT32_MAX) io->doubts++;
}

void tn_here(tn_io *io, uint32_t index)
{
    if (io->failed || !io->places || index >= io->places->count) return;
    uint64_t *offset = &io->places->offsets[index];
    if (*offset == TENON_ABSENT) *offset = io->pos;
}

// -- Failing

void tn_io_path(const tn_io *io, const char *name, char *out, size_t out_size)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i <= io->depth && n < out_size; i++) {
        const tn_frame f =
            i < io->depth ? io->frames[i] : (tn_frame){.name = name, .index = TENON_NONE};
        if (!f.name[0]) continue;
        const char *dot = n && f.name[0] != '[' ? "." : "";
        int w = f.index == TENON_NONE
                    ? snprintf(out + n, out_size - n, "%s%s", dot, f.name)
                    : snprintf(out + n, out_size - n, "%s%s[%" PRIu32 "]", dot, f.name, f.index);
        n += w > 0 ? (size_t)w : 0;
    }
}

const char *tn_io_title(const tn_io *io, const char *name)
{
    return name[0] || io->depth == 0 ? name : io->frames[io->depth - 1].name;
}

void tn_fail(tn_io *io, tenon_code code, uint64_t offset, const char *name, const char *fmt, ...)
{
    if (io->failed || (io->is_looking && code == TENON_ERR_VALUE)) return;
    io->failed = true;
    io->role = TN_ROLE_VALUE;
    *io->err = (tenon_error){.code = code, .offset = offset};
    va_list args;
    va_start(args, fmt);
    vsnprintf(io->err->message, sizeof io->err->message, fmt, args);
    va_end(args);
    tn_io_path(io, name, io->err->path, sizeof io->err->path);
    if (io->partial && io->mode == TN_READ) tn_cut_lists(io);
}

// Add a note that names the integer, read recently, that is the source of `count`.
static void io_explain(tn_io *io, uint64_t count)
{
    for (uint32_t i = 0; i < 8 && i < io->recent_count; i++) {
        const tn_recent *r = &io->recent[(io->recent_count - 1 - i) % 8];
        if (r->value != count) continue;
        snprintf(io->err->note, sizeof io->err->note, "%s is %" PRIu64 " (at 0x%06" PRIx64 ")",
                 r->name, r->value, r->offset);
        return;
    }
}

// Whether the size of the field depends on a number that was read. Numbers and magics have fixed
// sizes; text may store its size.
static bool io_is_sized_elsewhere(const tn_field *field)
{
    return field->type == TENON_TYPE_RECORDS || field->type == TENON_TYPE_BYTES ||
           (field->type == TENON_TYPE_STR && field->role != TN_ROLE_CONSTANT);
}

uint64_t tn_explained(uint64_t bytes, uint64_t kept, uint64_t wanted)
{
    return kept ? bytes / (wanted / kept) : 0;
}

void tn_fail_truncated(tn_io *io, const tn_field *field, uint64_t size, uint64_t left)
{
    if (io->failed) return;
    bool is_counted = io_is_sized_elsewhere(field) || field->type == TENON_TYPE_STR32;
    if (is_counted && size != TENON_ABSENT) io->explained = tn_explained(left, left, size);
    const char *title = tn_io_title(io, field->name);
    if (size == TENON_ABSENT)
        tn_fail(io, TENON_ERR_TRUNCATED, field->offset, field->name,
                "'%s' needs more than the %" PRIu64 " bytes left", title, left);
    else
        tn_fail(io, TENON_ERR_TRUNCATED, field->offset, field->name,
                "'%s' needs %" PRIu64 " bytes, only %" PRIu64 " left", title, size, left);
    if (io_is_sized_elsewhere(field)) io_explain(io, field->count);
}

// The only function that hands out bytes of a file; the only one that takes them in is take(), in
// io_file.c.
static void io_put(tn_io *io, const void *bytes, uint64_t size)
{
    if (io->failed || size == 0) return;
    if (io->write && !io->write(io->write_user, bytes, (size_t)size)) {
        tn_fail(io, TENON_ERR_IO, io->pos, "", "the output could not be written");
        return;
    }
    io->pos += size;
}

// -- Observing

void tn_observe(tn_io *io, const tn_field *field)
{
    tn_field shown;
    bool has_role = io->role != TN_ROLE_VALUE && field->role == TN_ROLE_VALUE;
    if (has_role && io->observers) {
        shown = *field;
        shown.role = io->role;
        field = &shown;
    }
    if (has_role) io->role = TN_ROLE_VALUE;
    for (tn_observer *o = io->observers; o && !io->failed; o = o->next) o->field(o, io, field);
}

static void io_announce(tn_io *io, tn_step step)
{
    if (io->failed) return;
    if (io->mode == TN_READ && io->source->step) io->source->step(io, step);
    for (tn_observer *o = io->observers; o && !io->failed; o = o->next)
        if (o->step) o->step(o, io, step);
}

static void io_tell_progress(tn_io *io)
{
    if (!io->events.on_progress || io->pos < io->progress_next || io->failed) return;
    io->progress_next = io->pos + PROGRESS_STEP;
    if (!io->events.on_progress(io->events.user, io->pos, io->total))
        tn_fail(io, TENON_ERR_CANCELLED, io->pos, "", "cancelled");
}

// -- Structure

static void io_push(tn_io *io, const char *name, uint32_t *count)
{
    if (io->failed) return;
    if (io->depth >= io->max_depth) {
        tn_fail(io, TENON_ERR_LIMIT, io->pos, name, "'%s' is nested deeper than %" PRIu32, name,
                io->max_depth);
        return;
    }
    io->frames[io->depth++] = (tn_frame){.name = name, .index = TENON_NONE, .count = count};
}

void tn_enter(tn_io *io, const char *name)
{
    io_push(io, name, NULL);
    io_announce(io, TN_STRUCT_BEGIN);
}

void tn_leave(tn_io *io)
{
    if (io->failed) return;
    io_announce(io, TN_STRUCT_END);
    io->depth--;
}

bool tn_next(tn_io *io, uint32_t index, uint32_t count)
{
    if (io->failed) return false;
    tn_frame *top = &io->frames[io->depth - 1];
    if (index > 0) io_announce(io, TN_ITEM_END);
    if (index < count) {
        top->index = index;
        top->holds = false;
        io_tell_progress(io);
        io_announce(io, TN_ITEM_BEGIN);
        return !io->failed;
    }
    top->index = TENON_NONE;
    io_announce(io, TN_LIST_END);
    io->depth--;
    return false;
}

void *tn_io_alloc(tn_io *io, const char *name, uint64_t count, size_t size)
{
    if (io->failed) return NULL;
    tn_refusal why;
    const char *title = tn_io_title(io, name);
    void *memory = tn_arena_alloc(io->arena, count, size, &why);
    if (why == TN_OVER_LIMIT)
        tn_fail(io, TENON_ERR_LIMIT, io->pos, name,
                "'%s' would exceed the memory limit of %" PRIu64 " bytes", title, io->arena->limit);
    if (why == TN_OUT_OF_MEMORY)
        tn_fail(io, TENON_ERR_MEMORY, io->pos, name, "out of memory for '%s'", title);
    return memory;
}

// Set the caller's pointer, whatever it points to.
static void io_set_pointer(void *address, void *value)
{
    memcpy(address, &value, sizeof value);
}

static void io_begin_list(tn_io *io, tn_list_kind kind, const char *name, void *items,
                          uint32_t *count, size_t item_size, uint64_t wire_min)
{
    uint64_t at = io->pos;
    if (io->mode == TN_WRITE) {
        io_push(io, name, NULL);
        io_announce(io, TN_LIST_BEGIN);
        if (kind == TN_COUNT_STORED) tn_count_field(io, count);
        return;
    }
    uint32_t stated = kind == TN_COUNT_STORED ? 0 : *count;
    *count = 0;
    io_set_pointer(items, NULL);
    io_push(io, name, count);
    io_announce(io, TN_LIST_BEGIN);
    if (io->failed || !io->source->list(io, kind, &stated)) return;
    io->frames[io->depth - 1].stated = stated;
    uint64_t room = wire_min ? (io->end - io->pos) / wire_min : UINT32_MAX;
    if (stated > room && !io->partial) {
        tn_fail(io, TENON_ERR_TRUNCATED, at, "",
                "'%s' says %" PRIu32 " items, the file has room for %" PRIu64, name, stated, room);
        return;
    }
    // A partial document keeps the complete records before the first incomplete one.
    if (stated > room) stated = (uint32_t)room + 1;
    void *memory = tn_io_alloc(io, "", stated, item_size);
    if (io->failed) return;
    io_set_pointer(items, memory);
    *count = stated;
}

void tn_list(tn_io *io, const char *name, void *items, uint32_t *count, size_t item_size,
             uint64_t wire_min)
{
    io_begin_list(io, TN_COUNT_STORED, name, items, count, item_size, wire_min);
}

void tn_items(tn_io *io, const char *name, void *items, uint32_t *count, size_t item_size,
              uint64_t wire_min)
{
    io_begin_list(io, TN_COUNT_KNOWN, name, items, count, item_size, wire_min);
}

void tn_inferred_items(tn_io *io, const char *name, void *items, uint32_t *count, size_t item_size,
                       uint64_t wire_min)
{
    io_begin_list(io, TN_COUNT_INFERRED, name, items, count, item_size, wire_min);
}

// -- Numbers

static void io_remember(tn_io *io, const tn_field *field, uint64_t value)
{
    io->recent[io->recent_count++ % 8] = (tn_recent){field->name, field->offset, value};
}

// The numbers of a field between the file and `native`, which is in the host's order.
static void io_transfer(tn_io *io, tn_field field, void *native)
{
    uint32_t width = tenon_type_size(field.type);
    uint64_t count = field.count;
    uint8_t wire[8 * TN_INLINE_MAX];
    field.offset = io->pos;
    field.size = width * count;
    field.big_endian = io->big_endian;
    if (io->mode == TN_WRITE) {
        if (io->failed) return;
        tn_copy_numbers(wire, native, count, width, io->big_endian);
        field.bytes = wire;
        io_put(io, wire, field.size);
        tn_observe(io, &field);
        return;
    }
    if (io->failed || !io->source->take(io, &field)) {
        memset(native, 0, (size_t)(width * count));
        return;
    }
    tn_copy_numbers(native, field.bytes, count, width, io->big_endian);
    if (field.type == TENON_TYPE_U32 && count == 1)
        io_remember(io, &field, tn_load32(field.bytes, io->big_endian));
    if (field.type == TENON_TYPE_U64 && count == 1)
        io_remember(io, &field, tn_load64(field.bytes, io->big_endian));
    tn_observe(io, &field);
}

static void io_numbers(tn_io *io, const char *name, tenon_type type, void *native, uint32_t count)
{
    io_transfer(io, (tn_field){.name = name, .type = type, .count = count}, native);
}

void tn_count_field(tn_io *io, uint32_t *count)
{
    io_transfer(
        io, (tn_field){.name = "count", .type = TENON_TYPE_U32, .role = TN_ROLE_COUNT, .count = 1},
        count);
}

void tn_u8(tn_io *io, const char *name, uint8_t *v)
{
    io_numbers(io, name, TENON_TYPE_U8, v, 1);
}

void tn_u16(tn_io *io, const char *name, uint16_t *v)
{
    io_numbers(io, name, TENON_TYPE_U16, v, 1);
}

void tn_i16(tn_io *io, const char *name, int16_t *v)
{
    io_numbers(io, name, TENON_TYPE_I16, v, 1);
}

void tn_u32(tn_io *io, const char *name, uint32_t *v)
{
    io_numbers(io, name, TENON_TYPE_U32, v, 1);
}

void tn_i32(tn_io *io, const char *name, int32_t *v)
{
    io_numbers(io, name, TENON_TYPE_I32, v, 1);
}

void tn_i64(tn_io *io, const char *name, int64_t *v)
{
    io_numbers(io, name, TENON_TYPE_I64, v, 1);
}

void tn_u64(tn_io *io, const char *name, uint64_t *v)
{
    io_numbers(io, name, TENON_TYPE_U64, v, 1);
}

void tn_f32(tn_io *io, const char *name, float *v)
{
    io_numbers(io, name, TENON_TYPE_F32, v, 1);
}

void tn_f64(tn_io *io, const char *name, double *v)
{
    io_numbers(io, name, TENON_TYPE_F64, v, 1);
}

void tn_u8s(tn_io *io, const char *name, uint8_t *v, uint32_t count)
{
    io_numbers(io, name, TENON_TYPE_U8, v, count);
}

void tn_i16s(tn_io *io, const char *name, int16_t *v, uint32_t count)
{
    io_numbers(io, name, TENON_TYPE_I16, v, count);
}

void tn_f32s(tn_io *io, const char *name, float *v, uint32_t count)
{
    io_numbers(io, name, TENON_TYPE_F32, v, count);
}

void tn_magic(tn_io *io, const char *name, const void *magic, uint32_t size)
{
    tn_field field = {.name = name,
                      .type = TENON_TYPE_STR,
                      .role = TN_ROLE_CONSTANT,
                      .offset = io->pos,
                      .size = size,
                      .count = size,
                      .text = {magic, size}};
    if (io->failed) return;
    if (io->mode == TN_WRITE) {
        io_put(io, magic, size);
    } else if (!io->source->take(io, &field)) {
        return;
    } else if (memcmp(field.text.data, magic, size) != 0) {
        tn_fail(io, TENON_ERR_FORMAT, field.offset, name,
                "the file does not start with the magic bytes of this format");
    }
    tn_observe(io, &field);
}

void tn_u32_array(tn_io *io, const char *name, uint32_t **v, uint64_t count)
{
    tn_field field = {.name = name,
                      .type = TENON_TYPE_RECORDS,
                      .role = TN_ROLE_NEEDED,
                      .offset = io->pos,
                      .count = count,
                      .layout = &tn_layout_u32,
                      .big_endian = io->big_endian};
    if (io->mode == TN_READ) {
        *v = NULL;
        if (io->failed || !io->source->take(io, &field)) return;
        *v = tn_io_alloc(io, name, count, 4);
        if (!*v) return;
        tn_copy_numbers(*v, field.bytes, count, 4, io->big_endian);
    } else if (io->is_looking) {
        return;  // A stale count may say more than there are.
    } else {
        for (uint64_t i = 0; i < count && !io->failed; i++) {
            uint8_t wire[4];
            tn_copy_numbers(wire, *v + i, 1, 4, io->big_endian);
            io_put(io, wire, 4);
        }
        field.size = 4 * count;
        field.bytes = (const uint8_t *)*v;
        field.big_endian = tn_host_is_big();
    }
    if (!io->failed) tn_observe(io, &field);
}

// -- Text

static void io_read_text(tn_io *io, tn_field *field, tenon_str *v, bool is_borrowed)
{
    *v = (tenon_str){"", 0};
    if (io->failed || !io->source->take(io, field)) return;
    if (io->skip_text || is_borrowed) {
        *v = field->text;
    } else {
        char *copy = tn_io_alloc(io, field->name, (uint64_t)field->text.size + 1, 1);
        if (!copy) return;
        memcpy(copy, field->text.data, field->text.size);
        *v = (tenon_str){copy, field->text.size};
    }
    tn_observe(io, field);
}

// Whether the file can hold `v` in a field of that type.
static bool io_text_fits(tn_io *io, const tn_field *field, const tenon_str *v, uint64_t size)
{
    if (field->type == TENON_TYPE_STR && v->size != size) {
        tn_fail(io, TENON_ERR_VALUE, io->pos, field->name,
                "'%s' has %" PRIu32 " bytes, its size says %" PRIu64, tn_io_title(io, field->name),
                v->size, size);
    } else if (field->type == TENON_TYPE_STRZ && v->size && memchr(v->data, 0, v->size)) {
        tn_fail(io, TENON_ERR_VALUE, io->pos, field->name,
                "'%s' holds a NUL byte, which would end it", tn_io_title(io, field->name));
    }
    return !io->failed;
}

static void io_write_text(tn_io *io, tn_field *field, const tenon_str *v, uint64_t size)
{
    if (io->failed || !io_text_fits(io, field, v, size)) return;
    uint8_t prefix[4];
    tn_copy_numbers(prefix, &v->size, 1, 4, io->big_endian);
    if (field->type == TENON_TYPE_STR32) io_put(io, prefix, 4);
    io_put(io, v->data, v->size);
    if (field->type == TENON_TYPE_STRZ) io_put(io, "", 1);
    field->text = *v;
    field->size = io->pos - field->offset;
    if (!io->failed) tn_observe(io, field);
}

static void io_describe_text(tn_io *io, const char *name, tenon_type type, tenon_str *v,
                             uint64_t size, bool is_borrowed)
{
    tn_field field = {.name = name, .type = type, .offset = io->pos, .size = size, .count = size};
    if (io->mode == TN_WRITE)
        io_write_text(io, &field, v, size);
    else
        io_read_text(io, &field, v, is_borrowed);
}

void tn_str(tn_io *io, const char *name, tenon_str *v, uint64_t size)
{
    io_describe_text(io, name, TENON_TYPE_STR, v, size, false);
}

void tn_json_str(tn_io *io, const char *name, tenon_str *v, uint64_t size)
{
    tn_field field = {.name = name,
                      .type = TENON_TYPE_STR,
                      .offset = io->pos,
                      .size = size,
                      .count = size,
                      .is_json = true};
    if (io->mode == TN_WRITE)
        io_write_text(io, &field, v, size);
    else
        io_read_text(io, &field, v, false);
}

void tn_borrowed_str(tn_io *io, const char *name, tenon_str *v, uint64_t size)
{
    io_describe_text(io, name, TENON_TYPE_STR, v, size, true);
}

void tn_str32(tn_io *io, const char *name, tenon_str *v)
{
    io_describe_text(io, name, TENON_TYPE_STR32, v, 0, false);
}

void tn_strz(tn_io *io, const char *name, tenon_str *v)
{
    io_describe_text(io, name, TENON_TYPE_STRZ, v, 0, false);
}

// -- Large arrays

// Whether `v` can be written as `field`. An empty span needs no layout.
static bool io_span_fits(tn_io *io, const tn_field *field, const tenon_span *v)
{
    const char *title = tn_io_title(io, field->name);
    uint64_t need = v->layout
                        ? tn_layout_measure(v->layout, v->data, v->size, v->count, v->big_endian)
                        : v->count;
    if (v->count != field->count)
        tn_fail(io, TENON_ERR_VALUE, io->pos, field->name,
                "'%s' has %" PRIu64 " items, its count says %" PRIu64, title, v->count,
                field->count);
    else if ((v->layout || v->count) && !tn_layout_equal(v->layout, field->layout))
        tn_fail(io, TENON_ERR_VALUE, io->pos, field->name,
                "the layout of '%s' does not match its format", title);
    else if (v->size && v->big_endian != io->big_endian)
        tn_fail(io, TENON_ERR_VALUE, io->pos, field->name,
                "'%s' does not have the byte order of its format", title);
    else if (need != v->size)
        tn_fail(io, TENON_ERR_VALUE, io->pos, field->name,
                "'%s' has %" PRIu64 " bytes, which its %" PRIu64 " items do not fill", title,
                v->size, v->count);
    // Looking leaves out an array that contradicts itself.
    bool is_whole = need == v->size && (v->layout || !field->layout || !v->count);
    return !io->failed && (!io->is_looking || is_whole);
}

static void io_write_span(tn_io *io, tn_field *field, const tenon_span *v)
{
    if (io->is_looking) {
        field->count = v->count;
        field->big_endian = v->big_endian;
        if (v->layout) field->layout = v->layout;
    }
    bool fits = !io->failed && io_span_fits(io, field, v);
    if (!fits) io->role = TN_ROLE_VALUE;
    if (!fits) return;
    field->size = v->size;
    field->bytes = v->data;
    io_put(io, v->data, v->size);
    if (!io->failed) tn_observe(io, field);
}

static void io_read_span(tn_io *io, tn_field *field, tenon_span *v,
                         bool (*get)(tn_io *io, tn_field *field))
{
    *v = (tenon_span){.layout = field->layout, .big_endian = io->big_endian};
    if (io->failed) return;
    bool whole = get(io, field);
    if (!whole && !field->bytes) return;
    v->data = field->bytes;
    v->size = field->size;
    v->count = field->count;
    if (!whole) return;
    if (field->count) tn_hold(io);
    io_tell_progress(io);
    if (field->size || field->kind == TENON_PART_FIELD) tn_observe(io, field);
}

static void io_span(tn_io *io, tn_field field, tenon_span *v)
{
    field.offset = io->pos;
    field.big_endian = io->big_endian;
    if (io->mode == TN_WRITE)
        io_write_span(io, &field, v);
    else
        io_read_span(io, &field, v, io->source->take);
}

void tn_records(tn_io *io, const char *name, tenon_span *v, uint64_t count,
                const tenon_layout *layout)
{
    io_span(io,
            (tn_field){.name = name, .type = TENON_TYPE_RECORDS, .count = count, .layout = layout},
            v);
}

void tn_counted(tn_io *io, const char *name, tenon_span *v, const tenon_layout *layout)
{
    uint64_t count = v->count;
    io_push(io, name, NULL);
    if (io->failed) {
        tn_records(io, name, v, 0, layout);
        return;
    }
    if (io->mode == TN_READ) {
        count = 0;
        io->source->count(io, &count);
    } else if (count <= UINT32_MAX) {
        tn_count_field(io, &(uint32_t){(uint32_t)count});
    } else {
        tn_fail(io, TENON_ERR_LIMIT, io->pos, "",
                "'%s' has %" PRIu64 " items, more than fit into 32 bits", name, count);
    }
    if (!io->failed) io->depth--;
    tn_records(io, name, v, count, layout);
}

void tn_sized_records(tn_io *io, const char *name, tenon_span *v, uint64_t size,
                      const tenon_layout *layout, tenon_span *leftover)
{
    uint64_t count = layout->stride ? size / layout->stride : 0;
    uint64_t rest = size - count * layout->stride;
    tn_records(io, name, v, count, layout);
    if (rest || (io->mode == TN_WRITE && leftover->size)) tn_bytes(io, "leftover", leftover, rest);
}

void tn_bytes(tn_io *io, const char *name, tenon_span *v, uint64_t size)
{
    io_span(io, (tn_field){.name = name, .type = TENON_TYPE_BYTES, .size = size, .count = size}, v);
}

void tn_rest(tn_io *io, const char *name, tenon_span *v)
{
    tn_field field = {.name = name, .offset = io->pos, .kind = TENON_PART_KEPT};
    if (io->mode == TN_READ) {
        io_read_span(io, &field, v, io->source->rest);
        return;
    }
    field.count = v->size;
    if (v->size) io_write_span(io, &field, v);
}

// -- Fields without bytes

void tn_inferred_u32(tn_io *io, const char *name, uint32_t *v, tn_infer_fn *infer,
                     const void *subject)
{
    tn_field field = {.name = name,
                      .type = TENON_TYPE_U32,
                      .offset = io->pos,
                      .count = 1,
                      .kind = TENON_PART_INFERRED,
                      .big_endian = io->big_endian};
    if (io->mode == TN_READ) {
        uint64_t value = 0;
        if (!io->failed && !io->source->given(io, &field, &value) && !io->failed)
            value = infer(io, subject);
        *v = io->failed ? 0 : (uint32_t)value;
        if (!io->failed) io_remember(io, &field, *v);
    }
    uint8_t wire[4];
    tn_copy_numbers(wire, v, 1, 4, io->big_endian);
    field.bytes = wire;
    if (!io->failed) tn_observe(io, &field);
}

const uint8_t *tn_peek(const tn_io *io, uint64_t offset, uint64_t size)
{
    if (offset > io->end || size > io->end - offset) return NULL;
    return io->src + offset;
}
