// obj_parse.h: the parser of OBJ and MTL.
// SPDX-License-Identifier: MIT
//
// Two passes: the first counts everything, so that all memory can be allocated before the second
// parses it. A mapped file can change in between; then statements beyond the counts are skipped. A
// callback receives every fault: an import stops at the first, a check reports all.

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_H

#include "core/memory/arena.h"
#include "core/text/name_tree.h"

#include <tenon/scene.h>

// -- Words (obj_parse_text.c)

typedef struct obj_text {
    const char *data;
    uint64_t size, pos;
    uint64_t line, line_start;  // Number of the current line, from 1; its position.
    uint64_t plain;             // There is no carriage return from `pos` up to here.
} obj_text;

typedef struct obj_word {
    const char *text;
    uint32_t size;
    uint64_t offset, line, column;
} obj_word;

// Start at the beginning of a text, after a byte order mark if there is one.
obj_text obj_text_begin(const char *data, uint64_t size);

// The size of a text without the NUL that ZBrush writes at its end and the line breaks after it.
uint64_t obj_text_size(const char *data, uint64_t size);

// The next word of the statement. Returns false at its end. A backslash at the end of a line
// continues a statement, but not a comment.
bool obj_next_word(obj_text *text, obj_word *word);

// Skip the remaining words of the statement. Returns how many there were.
uint64_t obj_count_words(obj_text *text);

// The remainder of the statement, without blanks around it; it may be empty. If it continues in the
// next line, the pieces are joined in memory of the arena. Returns false without memory.
bool obj_remainder(obj_text *text, tn_arena *arena, tenon_str *rest);

// Skip the remainder of the statement and go to the next line. Returns false after the last line.
bool obj_skip_line(obj_text *text);

// The same, inline for the most frequent case that nothing remains.
static inline bool obj_end_line(obj_text *text)
{
    if (text->pos == text->size || text->data[text->pos] != '\n') return obj_skip_line(text);
    text->line_start = ++text->pos;
    text->line++;
    return true;
}

bool obj_is(const obj_word *word, const char *text);

// The result of parsing a word as a number.
typedef enum obj_number_result {
    OBJ_NUMBER,
    OBJ_NO_NUMBER,
    OBJ_TOO_LARGE,
    OBJ_NOT_FINITE
} obj_number_result;

// Any decimal: 1, +1, .5, 5., 007, 1e-3.
obj_number_result obj_parse_number(const obj_word *word, float *out);

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
    OBJ_DISPLAY,    // Display attributes, and calls of other files.
    OBJ_UNKNOWN,
} obj_key;

obj_key obj_key_of(const obj_word *word);

// If the text continues with one of the most frequent keys (v, vt, vn, f) and a blank, set `key`
// and return its size; else return 0.
static inline uint32_t obj_plain_key(const obj_text *text, obj_key *key)
{
    if (text->size - text->pos < 3) return 0;
    const char *p = text->data + text->pos;
    *key = p[0] == 'f' ? OBJ_F : OBJ_V;
    if (p[1] == ' ') return p[0] == 'f' || p[0] == 'v';
    *key = p[1] == 't' ? OBJ_VT : OBJ_VN;
    return p[2] == ' ' && p[0] == 'v' && (p[1] == 't' || p[1] == 'n') ? 2 : 0;
}

// The first word of the next statement, and its key. Returns false at the end of the line.
static inline bool obj_next_key(obj_text *text, obj_word *word, obj_key *key)
{
    uint32_t size = obj_plain_key(text, key);
    if (size) {
        *word = (obj_word){text->data + text->pos, size, text->pos, text->line,
                           text->pos - text->line_start + 1};
        text->pos += size;
        return true;
    }
    bool is_there = obj_next_word(text, word);
    if (is_there) *key = obj_key_of(word);
    return is_there;
}

// -- Triples (obj_parse.c)

// A set of triples of numbers.
typedef struct obj_triples {
    uint32_t (*items)[3];
    uint64_t room;
    uint32_t count;
    uint32_t *slots;  // Hash table: the index of an item plus one; 0 if free.
    uint64_t slot_count;
} obj_triples;

// Allocate memory. Returns false without memory.
bool obj_triples_begin(obj_triples *triples, uint64_t room, tn_arena *arena);

// The index of a triple, which is added if it is new. If there is no room, the index of the last.
uint32_t obj_triples_add(obj_triples *triples, uint32_t a, uint32_t b, uint32_t c);

// Remove all triples. At most `room` can be added then.
void obj_triples_clear(obj_triples *triples, uint64_t room);

// -- The model (obj_parse.c)

#define OBJ_NOT_SMOOTHED TENON_NONE  // No smoothing statement so far.

typedef struct obj_corner {
    uint32_t v, vt, vn;  // Indices from 0; TENON_NONE if absent.
} obj_corner;

// A face, a polyline, or a list of points.
typedef struct obj_element {
    uint32_t first, count;  // Corners.
    uint32_t part;
    uint32_t smoothing;  // The group; 0 if off; OBJ_NOT_SMOOTHED.
    uint32_t line, offset;
} obj_element;

// Elements with the same object, material and mode: they become a primitive.
typedef struct obj_part {
    uint32_t object, material;  // `material` is TENON_NONE if it has none.
    tenon_mode mode;            // Triangles, lines or points.
    uint32_t element_count;
    uint32_t corner_count;
    uint64_t index_count;
    uint32_t with_uv, with_normal;  // Corners that have one.
    bool is_smoothed;               // Some of its elements have a smoothing group.
} obj_part;

// What is dropped or changed.
typedef enum obj_loss {
    OBJ_LOST_FREE_FORM,  // This and the next two in the order of the keys.
    OBJ_LOST_DISPLAY,
    OBJ_LOST_UNKNOWN,
    OBJ_LOST_SHORT,     // Faces of one or two corners, lines of one.
    OBJ_LOST_WEIGHT,    // The fourth coordinate.
    OBJ_LOST_DEPTH,     // The third texture coordinate.
    OBJ_LOST_NUMBERS,   // More numbers than a statement has.
    OBJ_LOST_NORMALS,   // Indices of normals, in a file without normals.
    OBJ_LOST_GROUPS,    // Inside objects.
    OBJ_LOST_CROSSING,  // Polygons that cross themselves.
    OBJ_LOST_FANS,      // Polygons that are too large to triangulate correctly.
    OBJ_LOST_COUNT,
} obj_loss;

typedef struct obj_loss_tally {
    uint64_t count;
    uint64_t line, offset;  // Of the first.
} obj_loss_tally;

typedef struct obj_model {
    uint32_t position_count, uv_count, normal_count;
    float *positions;         // 3 each.
    float *colors;            // 3 each, NaN if a vertex has none; NULL if no vertex has a color.
    float *uvs;               // 2 each, V goes up.
    float *normals;           // 3 each.
    float *computed_normals;  // Computed normals, with indices from normal_count on.
    uint32_t element_count, corner_count, part_count;
    uint64_t element_room, corner_room;
    obj_element *elements;
    obj_corner *corners;
    obj_part *parts;
    tn_name_list objects;    // Names.
    tn_name_list materials;  // Names in `usemtl`.
    tn_name_list libraries;  // The text after each `mtllib`.
    uint32_t unnamed;        // The object of elements before the first name; TENON_NONE if none.
    bool has_objects;        // Objects come from `o`, else from `g`.
    obj_loss_tally lost[OBJ_LOST_COUNT];
} obj_model;

// -- Plain statements (obj_parse_text.c)

// All numbers of the statement, if all are plain, at least `least` (not 0) and at most `most`.
// Returns how many there are. Else returns 0 and does not change the position.
uint32_t obj_plain_numbers(obj_text *text, uint32_t least, uint32_t most, float *out);

// Add the next corners of the statement to the model, as long as they are plain, their indices are
// in range, and there is room.
void obj_plain_corners(obj_text *text, obj_model *model);

// Skip all words after the key of a statement. Returns how many there were. If the statement is not
// plain, returns TENON_ABSENT and does not change the position.
uint64_t obj_plain_words(obj_text *text);

// -- Reading (obj_parse.c)

// What can be wrong with a statement.
typedef enum obj_fault {
    OBJ_FAULT_SYNTAX,
    OBJ_FAULT_NOT_FINITE,
    OBJ_FAULT_INDEX,  // Out of range.
} obj_fault;

// Called for each fault, which is at the word `at` of the statement `key`. Returns whether to skip
// the statement and continue.
typedef bool obj_fault_fn(void *user, obj_fault fault, const obj_word *at, const char *key,
                          const char *message);

// Called after each element was parsed. Returns whether the model keeps it.
typedef bool obj_element_fn(void *user, const obj_model *model, const obj_element *element);

typedef struct obj_parser {
    tn_arena *arena;             // For everything in the model.
    obj_fault_fn *on_fault;      // If NULL, invalid statements are skipped.
    obj_element_fn *on_element;  // If NULL, the model keeps all elements.
    void *user;                  // For `on_fault` and `on_element`.
    tenon_events events;
    // Why parsing failed:
    bool stopped;        // `on_fault` returned false, or there was no memory.
    bool cancelled;      // The progress callback returned false.
    tn_refusal refusal;  // Why there was no memory.
} obj_parser;

// Parse a text. On failure returns false, and the model must not be used.
bool obj_parse(obj_parser *parser, tenon_str text, obj_model *model);

void obj_report_loss(obj_model *model, obj_loss loss, uint64_t line, uint64_t offset);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_H
