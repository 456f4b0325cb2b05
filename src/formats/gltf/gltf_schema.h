// gltf_schema.h: the tables of the specification: which members objects have, of which types and in
// which ranges.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_GLTF_SCHEMA_H
#define TN_FORMATS_GLTF_GLTF_SCHEMA_H

#include "formats/gltf/import/gltf_import.h"

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
    KIND_NUMBERS,    // From `least` to `most` of them.
    KIND_TEXTS,
    KIND_OBJECT,   // With the members `object`.
    KIND_OBJECTS,  // An array of such objects.
    KIND_INDEX_MAPS,
} gltf_kind;

// Flags: the member is required; it is greater than `low`; it may also be 0.
enum { NEEDED = 1, ABOVE = 2, OR_ZERO = 4 };

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

// Of the root, and of other objects that rules or extensions refer to.
extern const gltf_member gltf_root_members[], gltf_accessor_members[], gltf_material_members[];
extern const gltf_member gltf_node_members[], gltf_sparse_indices_members[];
extern const gltf_member gltf_primitive_members[], gltf_target_members[], gltf_texture_members[];

// Of texture infos.
extern const gltf_member gltf_texture_info_members[], gltf_normal_info_members[];
extern const gltf_member gltf_occlusion_info_members[];

typedef enum gltf_extension_place {
    GLTF_EXTENSION_UNKNOWN,
    GLTF_EXTENSION_MISPLACED,  // It is known, but not allowed on such objects.
    GLTF_EXTENSION_FITS,
} gltf_extension_place;

// Find the extension `name` for an object whose members are `place`. *members gets the members of
// the extension; NULL if it is unknown or not allowed on such objects.
gltf_extension_place gltf_schema_find_extension(const char *name, size_t size,
                                                const gltf_member *place,
                                                const gltf_member **members);

#endif  // TN_FORMATS_GLTF_GLTF_SCHEMA_H
