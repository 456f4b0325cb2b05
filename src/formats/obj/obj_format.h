// obj_format.h: declarations that the files of this format share: the parser of OBJ and MTL, the
// materials of libraries, the importer, and the functions in the table of formats.
// SPDX-License-Identifier: MIT
//
// The parser makes two passes: the first counts everything, so that all memory can be allocated
// before the second parses it. A mapped file can change in between; then statements beyond the
// counts are skipped. A callback receives every fault: an import stops at the first, a check
// reports all.

#ifndef TN_FORMATS_OBJ_OBJ_FORMAT_H
#define TN_FORMATS_OBJ_OBJ_FORMAT_H

#include "core/files/file.h"
#include "core/memory/arena.h"
#include "core/text/name_tree.h"
#include "formats/formats.h"
#include "scene/model/scene_build.h"
#include "scene/surface/polygon.h"

#include <tenon/obj.h>

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

// -- Materials of libraries (obj_import_material.c)

// Numeric properties of a material.
typedef enum obj_property {
    OBJ_DIFFUSE,
    OBJ_SPECULAR,
    OBJ_EMISSIVE,
    OBJ_AMBIENT,
    OBJ_SHININESS,
    OBJ_OPACITY,
    OBJ_TRANSPARENCY,
    OBJ_ROUGHNESS,
    OBJ_METALLIC,
    OBJ_ILLUMINATION,
    OBJ_PROPERTY_COUNT,
} obj_property;

typedef enum obj_map_use {
    OBJ_MAP_DIFFUSE,
    OBJ_MAP_SPECULAR,
    OBJ_MAP_EMISSIVE,
    OBJ_MAP_NORMAL,
    OBJ_MAP_DISPLACEMENT,
    OBJ_MAP_ALPHA,
    OBJ_MAP_ROUGHNESS,
    OBJ_MAP_METALLIC,
    OBJ_MAP_AMBIENT,
    OBJ_MAP_COUNT,
} obj_map_use;

typedef struct obj_map {
    tenon_str path;             // Relative to the model; empty if there is no map.
    float offset[2], scale[2];  // V goes up.
    float bump;                 // Strength.
    bool is_clamped;
    char channel;  // Of the image; 0 if not specified.
    uint64_t line;
} obj_map;

typedef struct obj_material {
    tenon_str name;
    uint64_t line;
    float values[OBJ_PROPERTY_COUNT][3];
    bool is_set[OBJ_PROPERTY_COUNT];
    obj_map maps[OBJ_MAP_COUNT];
} obj_material;

typedef enum obj_library_fault {
    // Of libraries, which are not read:
    OBJ_LIBRARY_NO_FOLDER,  // The folder of the model is unknown.
    OBJ_LIBRARY_OUTSIDE,    // Outside the folder of the model.
    OBJ_LIBRARY_MISSING,
    OBJ_LIBRARY_UNREADABLE,
    OBJ_LIBRARY_TOO_MANY,
    // Of a material that the model uses:
    OBJ_LIBRARY_UNDEFINED,
    // Of a line of a library:
    OBJ_LIBRARY_UNUSED,    // A material that the model does not use.
    OBJ_LIBRARY_VALUE,     // A value is invalid.
    OBJ_LIBRARY_PROPERTY,  // A property that scenes do not support.
    OBJ_LIBRARY_OPTION,    // An option of a texture that scenes do not support.
    OBJ_LIBRARY_FAULT_COUNT,
} obj_library_fault;

typedef struct obj_library_reader {
    const char *model_path;
    const tenon_files *files;  // If NULL, those of the system.
    tn_arena *arena;
    const tn_name_list *materials;  // That the model uses.
    bool *is_defined;               // For each of them; false at first.
    // Called for every material in a library that the model uses, which has that index. `is_first`
    // is false if it is already defined. Returns whether to continue.
    bool (*on_material)(void *user, uint32_t index, const obj_material *material, bool is_first);
    // `name` is that of the library or the material, or the first word of the line. `line` is 0 if
    // it is not a fault of a line.
    void (*on_fault)(void *user, obj_library_fault fault, tenon_str name, uint64_t line);
    void *user;
    tenon_error *err;  // Set on failure.
    // The current library:
    const char *file;  // Its name, without folder.
    tenon_str folder;  // Relative to the model, with a slash at the end.
    obj_text text;
    obj_material material;
    bool is_open;   // There was a `newmtl`.
    uint32_t left;  // Files that may still be searched.
    bool stopped;
} obj_library_reader;

// Read the libraries that the `mtllib` lines name, up to a limit. Returns false, with `err` set, if
// the system fails to read one, there is no memory, or `on_material` returns false, which means the
// same.
bool obj_read_libraries(obj_library_reader *reader, const tn_name_list *lines);

// -- The importer (obj_import.c)

static inline tn_outline obj_outline(const obj_model *model, const obj_corner *corners,
                                     uint32_t count)
{
    return (tn_outline){model->positions, &corners[0].v, sizeof *corners / sizeof(uint32_t), count};
}

// Invalid statements that were skipped to recover a damaged file.
typedef struct obj_damage {
    uint64_t count;
    uint64_t line, offset;  // Of the first.
    char why[160];          // Of the first.
} obj_damage;

typedef struct obj_importer {
    tn_scene_builder *builder;
    const tenon_obj *doc;
    tn_arena *arena;  // For temporary memory.
    obj_model model;
    uint32_t *materials;        // For each material of the model, the material of the scene.
    uint32_t *order;            // Elements, sorted by part.
    uint32_t *starts;           // Of each part, in `order`.
    obj_triples vertices;       // Of the current part.
    uint32_t *triangles;        // Of the current polygon.
    uint32_t *corner_vertices;  // For each corner of the current part, its vertex.
    tn_clipper clipper;
    uint64_t missing_uvs;
    obj_damage bad_vertices;    // Statements that begin with 'v'.
    obj_damage bad_statements;  // All other statements.
} obj_importer;

// Temporary memory. On failure returns NULL, and the builder fails.
void *obj_alloc(obj_importer *importer, uint64_t count, size_t size);

// -- Materials (obj_import_material.c)

// Add the materials that the file uses, as its libraries define them.
void obj_import_materials(obj_importer *importer);

// -- The format

int obj_probe(const uint8_t *data, uint64_t size);
void obj_describe(tn_io *io, void *doc);
bool obj_finalize(void *doc, tn_arena *arena, tenon_error *err);

enum { OBJ_RULE_COUNT = 22 };
extern const tenon_rule obj_rules[OBJ_RULE_COUNT];
void obj_check(tn_check *check, const void *doc);

void obj_import(tn_scene_builder *builder, const void *doc);
bool obj_export(const struct tn_export *export);

#endif  // TN_FORMATS_OBJ_OBJ_FORMAT_H
