// match.h: what tenon_diff() and tenon_verify() share to find out what is the same in two scenes.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_MATCH_H
#define TN_SCENE_COMPARE_MATCH_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"

#include <tenon/scene.h>

// -- Memory, progress, errors

typedef struct tn_match_context {
    tn_arena arena;
    tn_pulse pulse;
    tenon_error *err;  // May be NULL.
    bool failed;
} tn_match_context;

// Zeroed memory. Returns NULL, and sets `failed`, if there is not enough.
void *tn_match_alloc(tn_match_context *context, uint64_t count, size_t size);

// Fail as cancelled. Returns false.
bool tn_match_cancel(tn_match_context *context);

// Whether a loop goes on with an item that takes that many steps. If not, it fails as cancelled.
static inline bool tn_match_goes_on(tn_match_context *context, uint32_t steps)
{
    if (context->failed) return false;
    return tn_goes_on(&context->pulse, steps) || tn_match_cancel(context);
}

// -- Objects

// The lists of a scene whose objects have names.
typedef enum tn_object_list {
    TN_NODES,
    TN_MESHES,
    TN_SKINS,
    TN_MATERIALS,
    TN_IMAGES,
    TN_ANIMATIONS,
    TN_CAMERAS,
    TN_LIGHTS,
    TN_OBJECT_LIST_COUNT,
} tn_object_list;

tenon_str tn_object_name(const tenon_scene *scene, tn_object_list list, uint32_t index);

// The file name without folders and extension, or the name if the image has no file.
tenon_str tn_image_stem(const tenon_image *image);

// Which object of a list of one scene is which of the other.
typedef struct tn_pairing {
    uint32_t count[2];
    uint32_t *partners[2];  // Of each object of A that of B, and of B that of A; TENON_NONE: none.
} tn_pairing;

// Lists of that many objects, none of which has a partner yet.
bool tn_pairing_begin(tn_match_context *context, tn_pairing *pairing, uint32_t a_count,
                      uint32_t b_count);

void tn_pair(tn_pairing *pairing, uint32_t a, uint32_t b);

// Numbers for texts or keys: equal ones get the same number.
typedef struct tn_ids {
    uint32_t *of[2];  // Of each object of A and B the number of its text or key, or TENON_NONE.
    uint32_t count;   // Of different numbers.
    tn_name_tree tree;
    struct tn_id *items;  // By number.
} tn_ids;

// Room for one text or key of each object.
bool tn_ids_begin(tn_match_context *context, tn_ids *ids, const tn_pairing *pairing);
uint32_t tn_id_of_text(tn_ids *ids, tenon_str text);
uint32_t tn_id_of_key(tn_ids *ids, uint64_t key);

// Pair objects that have the same number and no partner yet, in order.
bool tn_pair_ids(tn_match_context *context, tn_pairing *pairing, const tn_ids *ids);

// Pair the remaining objects in order. `a_ids`: only those of A whose number in it is TENON_NONE;
// it may be NULL.
void tn_pair_in_order(tn_pairing *pairing, const uint32_t *a_ids);

// -- Names

// Which names are the same, from the strictest rule to the most tolerant.
typedef enum tn_name_rule {
    TN_NAME_EXACT,
    TN_NAME_STEM,  // Without the prefix before the last '|': some exporters put the armature there.
    TN_NAME_FOLDED,  // The same in lower case (ASCII).
    TN_NAME_RULE_COUNT,
} tn_name_rule;

// Number the objects that have no partner: the same number for names that are the same by that
// rule, TENON_NONE for empty ones.
bool tn_number_names(tn_match_context *context, const tenon_scene *const scenes[2],
                     tn_object_list list, tn_name_rule rule, const tn_pairing *pairing,
                     tn_ids *names);

// The clip with that name by the strictest rule that finds one, or TENON_NONE.
uint32_t tn_find_clip(const tenon_scene *scene, const char *name);

// The same for names that TN_NAME_FOLDED makes equal, and rarely for others.
uint64_t tn_name_hash(tenon_str name);

#endif  // TN_SCENE_COMPARE_MATCH_H
