// obj_parse.h: the parts of the reader of OBJ and MTL.
// SPDX-License-Identifier: MIT
//
// The text is walked twice: the first time everything is counted, so that the second time, when it
// is understood, all memory is there. A mapped file can change in between; then what has not been
// counted is left out, since there is no place for it. What is wrong goes to a function of the
// caller's, so that a scene ends with the first fault and a check finds all.

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_H

#include "core/memory/arena.h"

#include <tenon/scene.h>

// -- Words (obj_parse_text.c)

typedef struct obj_text {
    const char *data;
    uint64_t size, pos;
    uint64_t line, line_start;  // From 1; where it starts.
    uint64_t plain;             // From `pos` up to here there is no carriage return.
} obj_text;

typedef struct obj_word {
    const char *text;
    uint32_t size;
    uint64_t offset, line, column;
} obj_word;

// At the start of a text, behind a byte order mark if there is one.
obj_text obj_text_begin(const char *data, uint64_t size);

// The bytes of a text without the NUL at its end that ZBrush writes, and the line breaks after it.
uint64_t obj_text_size(const char *data, uint64_t size);

// The next word of the statement; false at its end. Statements go on behind a backslash at the end
// of a line, comments do not.
bool obj_next_word(obj_text *t, obj_word *word);

// Leave out all words that are left of the statement; returns how many there were.
uint64_t obj_count_words(obj_text *t);

// What is left of the statement, without blanks around it; empty if there is nothing. Where it goes
// on in the next line the pieces are put together in memory of the arena. False: there is none.
bool obj_rest(obj_text *t, tn_arena *arena, tenon_str *rest);

// Leave out what is left of the statement. False: this was the last line.
bool obj_leave_line(obj_text *t);

// The same, without a call where nothing is left, as is so behind nearly all statements.
static inline bool obj_end_line(obj_text *t)
{
    if (t->pos == t->size || t->data[t->pos] != '\n') return obj_leave_line(t);
    t->line_start = ++t->pos;
    t->line++;
    return true;
}

bool obj_is(const obj_word *word, const char *text);

// How a word reads as a number.
typedef enum obj_reading { OBJ_NUMBER, OBJ_NO_NUMBER, OBJ_TOO_LARGE, OBJ_NOT_FINITE } obj_reading;

// Any decimal: 1, +1, .5, 5., 007, 1e-3.
obj_reading obj_parse_number(const obj_word *word, float *out);

// The next word of the statement as a number; false at its end. *word is set where *how is not
// OBJ_NUMBER.
bool obj_next_number(obj_text *t, obj_word *word, float *out, obj_reading *how);

// -- Statements (obj_parse_text.c)

typedef enum obj_key {
    OBJ_V,
    OBJ_VT,
    OBJ_VN,
    OBJ_F,
    OBJ_L,
    OBJ_P,
    OBJ_O,
    OBJ_G,
    OBJ_S,
    OBJ_USEMTL,
    OBJ_MTLLIB,
    OBJ_FREE_FORM,  // Curves and surfaces.
    OBJ_DISPLAY,    // How it is to be shown, and calls of other files.
    OBJ_UNKNOWN,
} obj_key;

obj_key obj_key_of(const obj_word *word);

// The size of a key that is at the very position and followed by a blank, if it is one of those
// that nearly all statements of nearly all files have; 0: it is something else.
static inline uint32_t obj_plain_key(const obj_text *t, obj_key *key)
{
    if (t->size - t->pos < 3) return 0;
    const char *p = t->data + t->pos;
    *key = p[0] == 'f' ? OBJ_F : OBJ_V;
    if (p[1] == ' ') return p[0] == 'f' || p[0] == 'v';
    *key = p[1] == 't' ? OBJ_VT : OBJ_VN;
    return p[2] == ' ' && p[0] == 'v' && (p[1] == 't' || p[1] == 'n') ? 2 : 0;
}

// The first word of the next statement of the line, and what it is; false: the line is at its end.
static inline bool obj_next_key(obj_text *t, obj_word *word, obj_key *key)
{
    uint32_t size = obj_plain_key(t, key);
    if (size) {
        *word = (obj_word){t->data + t->pos, size, t->pos, t->line, t->pos - t->line_start + 1};
        t->pos += size;
        return true;
    }
    bool is_there = obj_next_word(t, word);
    if (is_there) *key = obj_key_of(word);
    return is_there;
}

// -- Names (obj_parse_names.c)

// Texts, each once.
typedef struct obj_strings {
    tenon_str *items;
    uint64_t *hashes;
    uint32_t count, room;
    uint32_t *slots;  // By hash: the index of an item plus one.
    uint64_t slot_count;
} obj_strings;

// Make room for `room` texts; false: there is no memory.
bool obj_strings_begin(obj_strings *strings, uint32_t room, tn_arena *arena);

// The index of a text, which is added if it is new; if there is no room, that of the last one.
uint32_t obj_strings_add(obj_strings *strings, tenon_str text);

// The same, but it must be there: TENON_NONE if it is not.
uint32_t obj_strings_find(const obj_strings *strings, tenon_str text);

// Numbers in threes, each three once; what is found by them is their index.
typedef struct obj_triples {
    uint32_t (*items)[3];
    uint64_t room;
    uint32_t count;
    uint32_t *slots;
    uint64_t slot_count;
} obj_triples;

// Make room for `room` threes; false: there is no memory.
bool obj_triples_begin(obj_triples *triples, uint64_t room, tn_arena *arena);

// Forget them all; no more than `room` follow.
void obj_triples_clear(obj_triples *triples, uint64_t room);

// Likewise.
uint32_t obj_triples_add(obj_triples *triples, uint32_t a, uint32_t b, uint32_t c);

// -- The model (obj_parse.c)

#define OBJ_NOT_SMOOTHED TENON_NONE  // The file has said nothing about smoothing so far.

typedef struct obj_corner {
    uint32_t v, vt, vn;  // From 0; TENON_NONE: it has none.
} obj_corner;

// A face, a polyline, or some points.
typedef struct obj_element {
    uint32_t first, count;  // Corners.
    uint32_t part;
    uint32_t smoothing;  // The group; 0: off.
    uint32_t line, offset;
} obj_element;

// Elements of one object, one material and one kind: a primitive.
typedef struct obj_part {
    uint32_t object, material;  // Material: TENON_NONE if it has none.
    tenon_mode mode;            // Triangles, lines or points.
    uint32_t element_count;
    uint32_t corner_count;
    uint64_t index_count;
    uint32_t with_uv, with_normal;  // Corners that have one.
    bool is_smoothed;               // The file says how to make normals.
} obj_part;

// What is left out, or changed.
typedef enum obj_loss {
    OBJ_LOST_FREE_FORM,
    OBJ_LOST_DISPLAY,
    OBJ_LOST_UNKNOWN,
    OBJ_LOST_SHORT,     // Faces of one or two corners, lines of one.
    OBJ_LOST_WEIGHT,    // The fourth coordinate.
    OBJ_LOST_DEPTH,     // The third texture coordinate.
    OBJ_LOST_NUMBERS,   // More of them than a statement has.
    OBJ_LOST_NORMALS,   // Of corners, in a file that has none.
    OBJ_LOST_GROUPS,    // Inside objects.
    OBJ_LOST_CROSSING,  // Polygons that cross themselves.
    OBJ_LOST_FANS,      // Polygons that would take too long.
    OBJ_LOST_COUNT,
} obj_loss;

typedef struct obj_flaw {
    uint64_t count;
    uint64_t line, offset;  // Of the first.
} obj_flaw;

typedef struct obj_model {
    uint32_t position_count, uv_count, normal_count;
    float *positions;  // 3 each.
    float *colors;     // 3 each, NaN where there is none; NULL: there are none at all.
    float *uvs;        // 2 each, V goes up.
    float *normals;    // 3 each.
    float *made;       // Further normals, which the file does not have.
    uint32_t element_count, corner_count, part_count;
    uint64_t element_room, corner_room;
    obj_element *elements;
    obj_corner *corners;
    obj_part *parts;
    obj_strings objects;    // Their names.
    obj_strings materials;  // Likewise, as `usemtl` names them.
    obj_strings libraries;  // What follows each `mtllib`.
    uint32_t unnamed;       // The object of elements in front of the first name; TENON_NONE.
    bool has_objects;       // Objects are from `o`, else from `g`.
    obj_flaw lost[OBJ_LOST_COUNT];
} obj_model;

// -- Plain statements (obj_parse_plain.c)

// All numbers of the statement, if all are plain and there are from `least`, which is not 0, up to
// `most` of them. Returns how many; 0: this is not so, and nothing has been taken.
uint32_t obj_plain_numbers(obj_text *t, uint32_t least, uint32_t most, float *out);

// Add the next corners of the statement to the model, as long as they are plain, name what it has
// and find room.
void obj_plain_corners(obj_text *t, obj_model *m);

// Leave out all words behind the first one of a statement. Returns how many there were;
// TENON_ABSENT: it is not plain, and nothing has been left out.
uint64_t obj_plain_words(obj_text *t);

// -- Reading (obj_parse.c)

// What can be wrong with a statement.
typedef enum obj_fault {
    OBJ_FAULT_SYNTAX,
    OBJ_FAULT_NOT_FINITE,
    OBJ_FAULT_INDEX,  // It names what does not exist.
} obj_fault;

// Told what is wrong with the word `at` of statement `key`. Returns whether to go on, without the
// statement.
typedef bool obj_fault_fn(void *user, obj_fault fault, const obj_word *at, const char *key,
                          const char *message);

// Told of each element when it has been read. Returns whether the model keeps it.
typedef bool obj_element_fn(void *user, const obj_model *model, const obj_element *element);

typedef struct obj_parser {
    tn_arena *arena;  // For everything in the model.
    obj_fault_fn *wrong;
    obj_element_fn *judge;  // NULL: the model keeps all elements.
    void *user;             // For `wrong` and `judge`.
    tenon_progress progress;
    // What became of it.
    bool stopped;        // `wrong` said so.
    bool cancelled;      // The progress callback did.
    tn_refusal refusal;  // There was no memory.
} obj_parser;

// Read a text. False: it did not come to its end, and the model must not be used.
bool obj_read(obj_parser *r, tenon_str text, obj_model *model);

void obj_report_loss(obj_model *model, obj_loss loss, uint64_t line, uint64_t offset);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_H
