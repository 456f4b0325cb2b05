// gltf_check.h: the rules for glTF, and what the sources that apply them share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_CHECK_GLTF_CHECK_H
#define TN_FORMATS_GLTF_CHECK_GLTF_CHECK_H

#include "document/findings.h"
#include "formats/gltf/import/gltf_import.h"

enum { RULE_COUNT = 38 };

extern const tenon_rule gltf_rules[RULE_COUNT];

// -- The specification, in gltf_schema.c

typedef enum gltf_kind {
    KIND_TEXT,
    KIND_POINTER,  // A text that is a JSON pointer (RFC 6901).
    KIND_NUMBER,
    KIND_INTEGER,
    KIND_FLAG,
    KIND_CHOICE,     // A number out of `choices`.
    KIND_WORD,       // A text out of `words`. "EXTENSION:word" needs the extension to be used.
    KIND_INDEX,      // Into `list`.
    KIND_INDICES,    // Several, none twice.
    KIND_INDEX_MAP,  // An object with any keys, whose values are indices into `list`.
    KIND_INDEX_MAPS,
    KIND_NUMBERS,
    KIND_TEXTS,
    KIND_OBJECT,   // With the members of `object`.
    KIND_OBJECTS,  // An array of such objects.
    KIND_TEXTURE,  // Such an object that refers to a texture.
} gltf_kind;

// Flags: the member is required; it is greater than `low`; it may also be 0. Of an object: it may
// have a name.
enum { NEEDED = 1, ABOVE = 2, OR_ZERO = 4, NAMED = 8 };

// A row of the table: a member; or without a key, the object that has the members up to the next
// row without a key.
typedef struct gltf_member {
    const char *key;
    gltf_kind kind;
    uint32_t flags;
    gltf_list list;
    uint32_t count;    // Items of an array; 0: at least 1.
    uint32_t most;     // Items of an array; 0: any number.
    double low, high;  // Of each number; both 0: anything.
    const uint32_t *choices;
    const char *const *words;
    const char *object;
} gltf_member;

// The row of an object, which exists.
const gltf_member *gltf_schema_find(const char *object);

typedef enum gltf_extension_place {
    GLTF_EXTENSION_UNKNOWN,
    GLTF_EXTENSION_MISPLACED,  // It is known, but not allowed on such objects.
    GLTF_EXTENSION_FITS,
} gltf_extension_place;

// Find the row of an extension of an object. *extension is NULL if it does not fit.
gltf_extension_place gltf_schema_find_extension(tenon_str name, const gltf_member *object,
                                                const gltf_member **extension);

// -- What the rules share

// The attributes that a material needs.
typedef struct gltf_needs {
    uint64_t sets;        // Sets of texture coordinates, one bit each.
    uint32_t far_set;     // A set that has no bit; TENON_NONE: none.
    bool needs_tangents;  // It needs tangents.
} gltf_needs;

typedef struct gltf_checker {
    tn_check *check;
    gltf_importer importer;    // Its failures become findings.
    uint64_t errors;           // Findings that are errors.
    uint64_t choices;          // Findings of "choice".
    tn_scene_builder builder;  // Of a scene that is not used.
    tenon_error err;
    uint32_t *last_array, array_count;  // For each node or variant: the last array that lists it.
    bool *is_bad_buffer, *is_bad_view, *is_bad_accessor;  // Reported, and not examined further.
    bool *has_unknown_type;                               // For each accessor: its type is unknown.
    uint8_t *examined;       // For each accessor: bits of gltf_examination.
    uint32_t *max_value;     // For each accessor with GLTF_EXAMINED_MAXIMUM: its largest value.
    float *block;            // See gltf_check_decode_block().
    uint32_t *user_of_view;  // For each view: the last vertex accessor in it, plus 1.
    uint8_t *use_of_accessor, *use_of_view;  // A gltf_use; 0: not used.
    bool is_quantized;                       // KHR_mesh_quantization is used.
    uint32_t *max_joint;  // For each mesh: its largest joint plus 1; 0: it has no joints.
    gltf_needs *needs;    // For each material.
} gltf_checker;

// Report that the value `node` breaks a rule.
void gltf_check_found(gltf_checker *checker, const char *rule, const tn_json_value *node,
                      const char *fmt, ...) TN_PRINTF(4, 5);

// If the importer failed, report its error for the rule and clear it. Returns whether it failed.
bool gltf_check_report_failure(gltf_checker *checker, const char *rule);

// Clear a failure of the importer that is reported elsewhere, unless memory ran out.
void gltf_check_clear_failure(gltf_checker *checker);

// Whether the enumerated values of an object of that type are valid. Values of a wrong type are
// ignored.
bool gltf_check_has_listed_values(const gltf_checker *checker, const char *object,
                                  const tn_json_value *value);

// Report a URI that is not a relative path. Returns whether it is a URL, which is not fetched.
bool gltf_check_uri(gltf_checker *checker, const tn_json_value *uri);

// Examinations of an accessor's values. Each is done once, even if the accessor is used often.
typedef enum gltf_examination {
    GLTF_EXAMINED_UNITS = 1,
    GLTF_EXAMINED_COLORS = 2,
    GLTF_EXAMINED_MAXIMUM = 4,
    GLTF_EXAMINED_WEIGHTS = 8,
    GLTF_EXAMINED_BINDS = 16,
    GLTF_EXAMINED_TIMES = 32,
    GLTF_EXAMINED_ROTATIONS = 64,
} gltf_examination;

// Whether this is the first such examination of the accessor; `accessor` is its index.
bool gltf_check_is_first_examination(gltf_checker *checker, const tn_json_value *accessor,
                                     gltf_examination look);

// Open the accessor whose index is `value`. Returns false if it does not exist or is bad; if its
// type is unknown, that is reported for `rule`.
bool gltf_check_open_used(gltf_checker *checker, const char *rule, const tn_json_value *value,
                          gltf_elements *e);

// Whether the values of an accessor are in the file, and its buffers are available.
bool gltf_check_has_numbers(const gltf_elements *e);

// A block of elements from `first` on, which is valid until the next call; of a sparse accessor all
// elements. Returns the number of elements; 0 at the end, or if they are not available.
uint64_t gltf_check_decode_block(gltf_checker *checker, const gltf_elements *e, uint64_t first,
                                 const float **values);

// -- Parts, each in its own file

void gltf_check_values(gltf_checker *checker);  // By the table of the specification.
void gltf_check_bytes(gltf_checker *checker);   // Buffers, views, accessors.
void gltf_check_images(gltf_checker *checker);
void gltf_check_meshes(gltf_checker *checker);   // And materials.
void gltf_check_objects(gltf_checker *checker);  // Nodes, skins, cameras, animations.

// The joints and weights of a primitive: gltf_check_objects.c
void gltf_check_weights(gltf_checker *checker, const tn_json_value *attributes, uint64_t vertices);

#endif  // TN_FORMATS_GLTF_CHECK_GLTF_CHECK_H
