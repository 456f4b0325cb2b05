// bmw_sidecar.h: what the sources about the sidecar share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_SIDECAR_BMW_SIDECAR_H
#define TN_FORMATS_BMW_SIDECAR_BMW_SIDECAR_H

#include "formats/bmw/bmw_format.h"

#include "core/json/json_tree.h"

struct tenon_bmw_sidecar_owner {
    tenon_bmw_sidecar sidecar;
    tn_arena arena;
    tn_json_tree tree;  // The text, in which keys that mean nothing to us stay where they are.
};

// What the value of a key is.
typedef enum bmw_value {
    BMW_STRING,     // tenon_str
    BMW_NUMBER,     // double
    BMW_VECTOR,     // double[3], in the text a string of three numbers.
    BMW_BOOL,       // bool
    BMW_CLIPS,      // A list of clips.
    BMW_OVERRIDES,  // A list of textures.
} bmw_value;

// A key that the engine reads, and where its value goes.
typedef struct bmw_key {
    const char *name;
    bmw_value value;
    size_t offset;  // In tenon_bmw_sidecar, tenon_bmw_clip, or a tenon_str alone.
} bmw_key;

#define BMW_SIDECAR_KEYS 7
#define BMW_CLIP_KEYS    6

extern const bmw_key bmw_sidecar_keys[BMW_SIDECAR_KEYS];
extern const bmw_key bmw_clip_keys[BMW_CLIP_KEYS];
extern const bmw_key bmw_override_key;

// What a sidecar says that says nothing.
extern const tenon_bmw_sidecar bmw_default_sidecar;

// Whether the clip has something to play; if not, the text has a fault in it.
bool bmw_clip_plays(const tenon_bmw_clip *clip);

// Whether `node` is a value that a key of that kind can have.
bool bmw_is_usable(const tn_json_value *node, bmw_value value);

// Three numbers with spaces between them. Like C++, and unlike JSON, ".5", "5." and "+5" are fine.
bool bmw_parse_vector(const char *text, size_t size, double out[3]);

#endif  // TN_FORMATS_BMW_SIDECAR_BMW_SIDECAR_H
