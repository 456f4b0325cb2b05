// gltf_extensions.h: numbers of glTF, the extensions that Tenon knows, and where JSON has indices.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GLTF_GLTF_EXTENSIONS_H
#define TN_FORMATS_GLTF_GLTF_EXTENSIONS_H

#include "core/json/json_tree.h"

// 'componentType' of accessors and 'target' of buffer views.
enum {
    GLTF_I8 = 5120,
    GLTF_U8 = 5121,
    GLTF_I16 = 5122,
    GLTF_U16 = 5123,
    GLTF_U32 = 5125,
    GLTF_F32 = 5126,
    GLTF_TARGET_VERTICES = 34962,
    GLTF_TARGET_INDICES = 34963,
};

// The arrays of objects in the root of the JSON.
typedef enum gltf_list {
    LIST_ACCESSORS,
    LIST_ANIMATIONS,
    LIST_BUFFER_VIEWS,
    LIST_BUFFERS,
    LIST_CAMERAS,
    LIST_IMAGES,
    LIST_MATERIALS,
    LIST_MESHES,
    LIST_NODES,
    LIST_SAMPLERS,
    LIST_SCENES,
    LIST_SKINS,
    LIST_TEXTURES,
    LIST_LIGHTS,  // From here on, of extensions.
    LIST_VARIANTS,
    LIST_COUNT,
} gltf_list;

extern const char *const gltf_list_keys[LIST_COUNT];

// What an extension is to the import, and to an export of what is kept of it.
enum {
    GLTF_IS_READ = 1 << 0,       // The import reads it.
    GLTF_IS_LOOK = 1 << 1,       // Shapes and motion do not depend on it.
    GLTF_IS_WRITTEN = 1 << 2,    // The export writes it from the scene.
    GLTF_IS_PACKING = 1 << 3,    // How data is stored: what is written is not stored so.
    GLTF_IS_OF_SHAPES = 1 << 4,  // It no longer fits if shapes have changed.
    GLTF_IS_MARK = 1 << 5,       // It is only listed: no object has it.
    GLTF_IS_OPAQUE = 1 << 6,     // Which of its numbers are indices is not known here.
};

typedef struct gltf_extension {
    const char *name;  // With '*' at the end: all names that begin so.
    uint32_t flags;    // Without IS_READ and IS_LOOK: shapes or motion depend on what is not read.
    const char *why;   // What is not read of it; NULL: all of it.
} gltf_extension;

// The row of an extension, or NULL if it is unknown.
const gltf_extension *gltf_extension_find(tenon_str name);

// The index that is a member of an object; TENON_NONE: there is none.
uint32_t gltf_index_of(const tn_json_value *object, const char *key);

// The extension of an object, or NULL.
tn_json_value *gltf_extension_of(const tn_json_value *object, const char *name);

// Extensions by which textures have pictures of other types, best first.
typedef struct gltf_picture_extension {
    const char *name, *mime, *suffix;
} gltf_picture_extension;

enum { GLTF_PICTURE_EXTENSIONS = 3 };
extern const gltf_picture_extension gltf_picture_extensions[GLTF_PICTURE_EXTENSIONS];

// The extension that a value is part of: the closest member of an object 'extensions' above it, or
// the value itself. NULL: there is none close enough for a reference.
const tn_json_value *gltf_extension_around(const tn_json_value *value);

// The list that a number is an index into, as far as is known; LIST_COUNT: none. `extension` is
// what gltf_extension_around() returns.
gltf_list gltf_extension_reference(const tn_json_value *value, const tn_json_value *extension);

#endif  // TN_FORMATS_GLTF_GLTF_EXTENSIONS_H
