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
    KIND_WHOLE,
    KIND_FLAG,
    KIND_CHOICE,   // A number out of `choices`.
    KIND_WORD,     // A text out of `words`. "EXTENSION:word" counts where the extension is used.
    KIND_INDEX,    // Into `list`.
    KIND_INDICES,  // Several, none twice.
    KIND_SOURCES,  // An object whose members are indices into `list`, whatever they are called.
    KIND_NUMBERS,  // From `least` to `most` of them.
    KIND_TEXTS,
    KIND_OBJECT,   // As `object` says.
    KIND_OBJECTS,  // An array of such.
    KIND_SOURCE_LIST,
} gltf_kind;

// Flags: it must be there; it must be more than `low`; it may be 0 as well.
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

// Of the top object, and of others that rules or extensions need.
extern const gltf_member gltf_root_members[], gltf_accessor_members[], gltf_material_members[];
extern const gltf_member gltf_node_members[], gltf_sparse_indices_members[];
extern const gltf_member gltf_primitive_members[], gltf_target_members[], gltf_texture_members[];

// Of what names a texture.
extern const gltf_member gltf_texture_info_members[], gltf_normal_info_members[];
extern const gltf_member gltf_occlusion_info_members[];

typedef enum gltf_extension_place {
    GLTF_EXTENSION_UNKNOWN,
    GLTF_EXTENSION_MISPLACED,  // It is known, but not for such objects.
    GLTF_EXTENSION_FITS,
} gltf_extension_place;

// Look up an extension of an object whose own members are `place`. *members are those of the
// extension; NULL unless it fits.
gltf_extension_place gltf_find_extension(const char *name, size_t size, const gltf_member *place,
                                         const gltf_member **members);

#endif  // TN_FORMATS_GLTF_GLTF_SCHEMA_H
