// gltf_schema.h: the tables of the specification: which members objects have, of which types and in
// which ranges.
// SPDX-License-Identifier: MIT

#ifndef TN_GLTF_SCHEMA_H
#define TN_GLTF_SCHEMA_H

#include "gltf_read.h"

typedef enum gltf_kind {
    KIND_TEXT,
    KIND_NUMBER,
    KIND_WHOLE,
    KIND_FLAG,
    KIND_CHOICE,   // A number out of `choices`.
    KIND_WORD,     // A text out of `words`.
    KIND_INDEX,    // Into `list`.
    KIND_INDICES,  // Several, none twice.
    KIND_SOURCES,  // An object whose members are indices into `list`, whatever they are called.
    KIND_NUMBERS,  // From `least` to `most` of them.
    KIND_TEXTS,
    KIND_OBJECT,   // As `object` says.
    KIND_OBJECTS,  // An array of such.
    KIND_SOURCE_LIST,
} gltf_kind;

// Flags: it must be there; it must be more than `low`.
enum { NEEDED = 1, ABOVE = 2 };

// A member; the last one of a table has no key.
typedef struct gltf_member {
    const char *key;
    gltf_kind kind;
    uint32_t flags;
    gltf_list list;
    uint32_t least, most;  // Items.
    double low, high;      // Of each number; both 0: anything.
    const uint32_t *choices;
    const char *const *words;
    const struct gltf_member *object;
} gltf_member;

// Of the top object.
extern const gltf_member gltf_root_members[];

// Those of an extension in an object whose own members are `place`; NULL if it is not known, or has
// no business there, which sets *is_misplaced.
const gltf_member *gltf_extension_members(const tn_node *extension, const gltf_member *place,
                                          bool *is_misplaced);

#endif  // TN_GLTF_SCHEMA_H
