// io.h: the cursor with which every binary structure is described, once.
// SPDX-License-Identifier: MIT
//
// A description is a function that names the fields of a structure in file order:
//
//     static void bplx_describe_bone(tn_io *io, tenon_bplx_bone *bone)
//     {
//         tn_str32(io, "name", &bone->name);
//         tn_i32(io, "parent_index", &bone->parent_index);
//         tn_f32s(io, "rest_position", bone->rest_position, 3);
//     }
//
// In READ mode the calls fill the structure, in WRITE mode they only look at it. Errors are
// sticky: after the first one every call is a no-op that leaves its target zeroed, so a
// description needs no error checks and must not assume that a value was read.

#ifndef TN_CORE_CURSOR_IO_H
#define TN_CORE_CURSOR_IO_H

#include "core/memory/arena.h"
#include "core/text/error.h"

#define TN_DEPTH_MAX  256  // Frames of a path; nodes nested deeper are refused.
#define TN_INLINE_MAX 32   // Numbers in an array that lives inside a structure.

typedef enum tn_mode { TN_READ, TN_WRITE } tn_mode;

typedef struct tn_io tn_io;

// One level of the path: a structure, or a list and the item that is being described.
typedef struct tn_frame {
    const char *name;
    uint32_t index;   // TENON_NONE: a structure, or a list between its items.
    uint32_t *count;  // Of a list; reduced to its complete items in a partial document.
    uint32_t stated;  // That count, as the file has it.
    bool holds;       // Records of the item that is being described were read.
} tn_frame;

// A list or an array that a fault has cut short.
typedef struct tn_cut {
    struct tn_cut *next;
    tenon_cut face;
} tn_cut;

// The role of a field in its structure.
typedef enum tn_role {
    TN_ROLE_VALUE,
    TN_ROLE_CONSTANT,  // Always the same bytes, given in `text`: a magic.
    TN_ROLE_COUNT,     // The number of items in front of a list.
    TN_ROLE_NEEDED,    // Records whose bytes the description reads.
    // Given with tn_as(), for rules that hold for all fields of a role.
    TN_ROLE_FLAG,      // 0 or 1.
    TN_ROLE_RESERVED,  // 0.
    TN_ROLE_TEXTURE,   // The path of a texture.
    TN_ROLE_JUDGED,    // A rule of the format judges it; those for all fields do not.
} tn_role;

// One field, as sources deliver and observers see it.
typedef struct tn_field {
    const char *name;  // "" for the only field of a list's item.
    tenon_type type;
    tn_role role;
    bool big_endian;  // Order of `bytes`.
    uint64_t offset;
    uint64_t size;         // Bytes in the file.
    uint64_t count;        // Numbers, or records.
    const uint8_t *bytes;  // `size` of them. NULL if the source keeps none.
    tenon_str text;        // The content, if the type is text,
    bool is_json;          // which may be JSON.
    const tenon_layout *layout;
    tenon_part_kind kind;
} tn_field;

// -- Observing
// An observer may end the work with tn_fail(), but does not move the cursor.

// Events that change the path. Their frame is on top of io->frames.
typedef enum tn_step {
    TN_STRUCT_BEGIN,
    TN_STRUCT_END,
    TN_LIST_BEGIN,
    TN_ITEM_BEGIN,
    TN_ITEM_END,
    TN_LIST_END,
} tn_step;

typedef struct tn_observer {
    void (*field)(struct tn_observer *self, tn_io *io, const tn_field *field);
    void (*step)(struct tn_observer *self, tn_io *io, tn_step step);  // May be NULL.
    struct tn_observer *next;
} tn_observer;

// -- Where READ gets its bytes

// How the number of items of a list is known.
typedef enum tn_list_kind {
    TN_COUNT_STORED,    // A u32 in front of the items.
    TN_COUNT_KNOWN,     // Another field holds it.
    TN_COUNT_INFERRED,  // Found out while reading.
} tn_list_kind;

typedef struct tn_source {
    // Deliver the bytes of `field` and move on: sets bytes, size and, for text, text. On failure
    // returns false; bytes and size are then what a partial document may keep of it.
    bool (*take)(tn_io *io, tn_field *field);
    // Like take(), for whatever is left of the current window; size 0 if nothing is.
    bool (*rest)(tn_io *io, tn_field *field);
    // The count before the array on top of the path; TENON_ABSENT if the array itself holds it.
    bool (*count)(tn_io *io, uint64_t *count);
    // The number of items in the list on top of the path. *count is the value known so far.
    bool (*list)(tn_io *io, tn_list_kind kind, uint32_t *count);
    // The value of a field without bytes; false if it has to be inferred.
    bool (*given)(tn_io *io, const tn_field *field, uint64_t *value);
    void (*step)(tn_io *io, tn_step step);
} tn_source;

extern const tn_source tn_file_source;

// Show `field` to the observers.
void tn_observe(tn_io *io, const tn_field *field);

// The field that holds the number of items of the list on top of the path.
void tn_count_field(tn_io *io, uint32_t *count);

// -- The cursor

typedef struct tn_recent {
    const char *name;
    uint64_t offset, value;
} tn_recent;

// Offsets of the objects that a file points to, recorded by tn_here().
typedef struct tn_places {
    uint64_t *offsets;  // Of object number `index`; TENON_ABSENT until it is reached.
    uint32_t count;
} tn_places;

// The total size of records with tails, which is found only by visiting all of them.
typedef struct tn_extent {
    uint64_t pos, count, size;
    uint32_t stride, tail_stride, count_at;  // Of the layout; a stride of 0: unknown.
    uint32_t big_endian;
} tn_extent;

struct tn_io {
    tn_mode mode;
    bool failed;
    bool big_endian;
    bool partial;        // On failure reduce the lists on the path to their complete items,
    bool keeps_parts;    // or to those that are usable in part.
    bool skip_text;      // A trial: text is measured, not copied.
    bool is_looking;     // WRITE: only for observers, so stale counts and sizes are no errors.
    tn_role role;        // Of the next field, see tn_as().
    uint32_t max_depth;  // At most TN_DEPTH_MAX.
    uint32_t depth;
    uint32_t flags;      // Of the dialect.
    uint32_t asked;      // Those of them that the description has looked at.
    uint32_t doubts;     // See tn_doubt().
    uint64_t pos;        // In the file that is read or written.
    uint64_t explained;  // READ: bytes after `pos` that could belong to the array with the fault.
    uint64_t end;        // READ: one past the last byte of the current window.
    uint64_t total;      // READ: bytes of the whole input; TENON_ABSENT: not known.
    const uint8_t *src;  // READ from a file: its bytes.
    const tn_source *source;  // READ.
    void *source_state;
    tenon_write_fn *write;  // WRITE: takes the bytes; NULL to measure.
    void *write_user;
    tn_places *places;   // WRITE: filled by tn_here(); NULL: not needed.
    tn_extent *extents;  // READ: results of earlier trials; NULL: none.
    uint32_t extent_count;
    tn_arena *arena;         // READ: owns everything allocated.
    tn_cut *cuts;            // READ, partial: the latest first.
    uint32_t kept_depth;     // Lists above this depth are not cut: see tn_recover().
    tenon_error recovered;   // The first fault that was recovered from; code TENON_OK: none.
    tn_observer *observers;  // NULL: none.
    tenon_events events;
    uint64_t progress_next;  // Position of the next call.
    tenon_error *err;        // Never NULL.
    uint32_t recent_count;
    tn_recent recent[8];  // Integers read last, to explain a failure with.
    tn_frame frames[TN_DEPTH_MAX];
};

// A cursor at the start of `size` bytes, reading into `arena`. The caller sets other fields that
// are not zero.
void tn_io_reader(tn_io *io, const void *data, uint64_t size, tn_arena *arena, tenon_error *err);

// A cursor that writes to `write`, or measures if that is NULL.
void tn_io_writer(tn_io *io, tenon_write_fn *write, void *user, tenon_error *err);

// Whether the dialect has `flag`, noting that it was asked.
bool tn_has(tn_io *io, uint32_t flag);

// Note that a value is implausible but valid. If two dialects fit a file, the one with fewer doubts
// is chosen.
void tn_doubt(tn_io *io);

// Object number `index`, to which other parts of the file point, starts here. For descriptions of
// files with offsets, which are found by measuring.
void tn_here(tn_io *io, uint32_t index);

// Fail at the field `name` that starts at `offset`; later failures are ignored.
void tn_fail(tn_io *io, tenon_code code, uint64_t offset, const char *name, const char *fmt, ...)
    TN_PRINTF(5, 6);

// Fail because `field` needs `size` bytes (TENON_ABSENT: unknown) and `left` are there.
void tn_fail_truncated(tn_io *io, const tn_field *field, uint64_t size, uint64_t left);

// How many of the last `bytes` plausibly belong to the array if they are `kept` of the `wanted`
// items: most in a file that is cut; few if the count was wrong.
uint64_t tn_explained(uint64_t bytes, uint64_t kept, uint64_t wanted);

// The path of the field `name` at the cursor's place.
void tn_io_path(const tn_io *io, const char *name, char *out, size_t out_size);

// What messages call the field `name`. A field without a name is called after its list.
const char *tn_io_title(const tn_io *io, const char *name);

// -- Structure

void tn_enter(tn_io *io, const char *name);
void tn_leave(tn_io *io);

// The count and the storage of a list, whose items are then described one by one:
//
//     tn_list(io, "bones", &doc->bones, &doc->bone_count, sizeof *doc->bones, 48);
//     for (uint32_t i = 0; tn_next(io, i, doc->bone_count); i++)
//         bplx_describe_bone(io, &doc->bones[i]);
//
// `items` is the address of the pointer to the items. `wire_min` is the fewest bytes that one item
// takes in the file, so that a count the file cannot hold is refused before memory is asked for.
void tn_list(tn_io *io, const char *name, void *items, uint32_t *count, size_t item_size,
             uint64_t wire_min);

// The same for a list whose count another field holds, or that is inferred.
void tn_items(tn_io *io, const char *name, void *items, uint32_t *count, size_t item_size,
              uint64_t wire_min);
void tn_inferred_items(tn_io *io, const char *name, void *items, uint32_t *count, size_t item_size,
                       uint64_t wire_min);

// Move on to item `index`, or out of the list. Must be called until it returns false.
bool tn_next(tn_io *io, uint32_t index, uint32_t count);

// A part of the file whose size is stored elsewhere. Reading cannot leave it, and what is left of
// it at the end goes into `leftover`; NULL: nothing may be left. Writing fails if the part turns
// out to have another size, which means that the size is stale.
typedef struct tn_window {
    const char *name;
    uint64_t start, size, outer_end;
} tn_window;

tn_window tn_window_begin(tn_io *io, const char *name, uint64_t size);
void tn_window_end(tn_io *io, const tn_window *window, tenon_span *leftover);

// -- Faults that need not end the reading

// Let reading continue after a fault in what begins here: tn_recover(), called at its end, clears
// the fault and returns whether there was one. What was read of it may be incomplete.
uint32_t tn_recoverable(tn_io *io);
bool tn_recover(tn_io *io, uint32_t outer);

// Reduce every list on the path of a fault to the items that are kept. For tn_fail().
void tn_cut_lists(tn_io *io);

// Part of what is being described is usable, even if the remainder is not.
void tn_hold(tn_io *io);

// Note that only `kept` of the `stated` items of `name` are readable.
void tn_cut_at(tn_io *io, const char *name, uint64_t kept, uint64_t stated);

// The same for the contents of a window, after which reading continues at its end.
bool tn_window_recover(tn_io *io, const tn_window *window, uint32_t outer);

// -- Numbers

// The role of the field that is described next; of records, not of the number before them.
static inline void tn_as(tn_io *io, tn_role role)
{
    io->role = role;
}

void tn_magic(tn_io *io, const char *name, const void *magic, uint32_t size);
void tn_u8(tn_io *io, const char *name, uint8_t *v);
void tn_u16(tn_io *io, const char *name, uint16_t *v);
void tn_i16(tn_io *io, const char *name, int16_t *v);
void tn_u32(tn_io *io, const char *name, uint32_t *v);
void tn_i32(tn_io *io, const char *name, int32_t *v);
void tn_i64(tn_io *io, const char *name, int64_t *v);
void tn_u64(tn_io *io, const char *name, uint64_t *v);
void tn_f32(tn_io *io, const char *name, float *v);
void tn_f64(tn_io *io, const char *name, double *v);

// Arrays that live inside a structure, at most TN_INLINE_MAX numbers.
void tn_u8s(tn_io *io, const char *name, uint8_t *v, uint32_t count);
void tn_i16s(tn_io *io, const char *name, int16_t *v, uint32_t count);
void tn_f32s(tn_io *io, const char *name, float *v, uint32_t count);

// Numbers that the description itself needs, such as the sizes of parts: decoded into the arena.
void tn_u32_array(tn_io *io, const char *name, uint32_t **v, uint64_t count);

// -- Text

void tn_str(tn_io *io, const char *name, tenon_str *v, uint64_t size);  // Size stored elsewhere.
void tn_json_str(tn_io *io, const char *name, tenon_str *v, uint64_t size);  // And it is JSON.
void tn_str32(tn_io *io, const char *name, tenon_str *v);                    // After a u32 size.
void tn_strz(tn_io *io, const char *name, tenon_str *v);                     // Up to a NUL.

// Like tn_str(), but the text stays where it was read from: it is borrowed, as spans are, and no
// NUL follows it. For files that consist of text: a copy would cost as much as everything else.
void tn_borrowed_str(tn_io *io, const char *name, tenon_str *v, uint64_t size);

// -- Large arrays, not copied

// `count` records; the layout must live as long as the document.
void tn_records(tn_io *io, const char *name, tenon_span *v, uint64_t count,
                const tenon_layout *layout);

// Records after a u32 with their number: v->count.
void tn_counted(tn_io *io, const char *name, tenon_span *v, const tenon_layout *layout);

// Records that fill `size` bytes; bytes that are too few for another record go into `leftover`.
void tn_sized_records(tn_io *io, const char *name, tenon_span *v, uint64_t size,
                      const tenon_layout *layout, tenon_span *leftover);

// `size` bytes of unknown content.
void tn_bytes(tn_io *io, const char *name, tenon_span *v, uint64_t size);

// Everything left in the window; not a field at all if nothing is left.
void tn_rest(tn_io *io, const char *name, tenon_span *v);

// -- Fields without bytes

// A value that is found while reading. It is shown, kept for writing, and restored when a file is
// built from text. `infer` is the only kind of function that may look ahead, with tn_peek(); it may
// also fail.
typedef uint64_t tn_infer_fn(tn_io *io, const void *subject);

void tn_inferred_u32(tn_io *io, const char *name, uint32_t *v, tn_infer_fn *infer,
                     const void *subject);

// `size` bytes at `offset` of the input, or NULL if they are not all in the current window.
const uint8_t *tn_peek(const tn_io *io, uint64_t offset, uint64_t size);

// -- Memory

// `count` zeroed objects from the arena; fails the cursor if there is no memory for `name`.
void *tn_io_alloc(tn_io *io, const char *name, uint64_t count, size_t size);

#endif  // TN_CORE_CURSOR_IO_H
