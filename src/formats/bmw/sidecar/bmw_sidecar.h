// bmw_sidecar.h: shared by the sources that read and write the sidecar.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_SIDECAR_BMW_SIDECAR_H
#define TN_FORMATS_BMW_SIDECAR_BMW_SIDECAR_H

#include "formats/bmw/bmw_format.h"

#include "core/json/json_tree.h"

struct tenon_bmw_sidecar_owner {
    tn_arena arena;
    tenon_bmw_sidecar sidecar;
    tn_json_tree tree;  // The text, with unknown keys.
};

// The type of a value.
typedef enum bmw_value_type {
    BMW_STRING,     // tenon_str
    BMW_NUMBER,     // double
    BMW_VECTOR,     // double[3]; in the text, a string of three numbers.
    BMW_BOOL,       // bool
    BMW_CLIPS,      // A list of clips.
    BMW_OVERRIDES,  // A list of textures.
} bmw_value_type;

// A key that the engine reads, and the field for its value.
typedef struct bmw_key {
    const char *name;
    bmw_value_type type;
    size_t offset;  // In tenon_bmw_sidecar or tenon_bmw_clip; 0 for a single tenon_str.
} bmw_key;

#define BMW_SIDECAR_KEYS 7
#define BMW_CLIP_KEYS    6

extern const bmw_key bmw_sidecar_keys[BMW_SIDECAR_KEYS];
extern const bmw_key bmw_clip_keys[BMW_CLIP_KEYS];
extern const bmw_key bmw_override_key;

// The values of an empty sidecar.
extern const tenon_bmw_sidecar bmw_default_sidecar;

// Whether the clip has ticks or a file; if not, the text is faulty.
bool bmw_sidecar_clip_plays(const tenon_bmw_clip *clip);

#endif  // TN_FORMATS_BMW_SIDECAR_BMW_SIDECAR_H
