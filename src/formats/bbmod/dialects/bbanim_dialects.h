// bbanim_dialects.h: changing the dialect or spaces of an animation.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_DIALECTS_BBANIM_DIALECTS_H
#define TN_FORMATS_BBMOD_DIALECTS_BBANIM_DIALECTS_H

#include "formats/bbmod/bbmod_rig.h"
#include "formats/formats.h"

typedef struct bbanim_converter {
    const tn_change *change;
    tenon_bbanim next;  // The changed document.
    bbmod_rig rig;      // Of the model, if `has_rig`.
    bool has_rig;
    bool failed;  // change->err says why.
} bbanim_converter;

// `count` zeroed objects. NULL, and the change fails, if there is no memory for `what`.
void *bbanim_dialects_converter_alloc(bbanim_converter *converter, uint64_t count, size_t size,
                                      const char *what);

// Fail if the model was not given. `why` is the operation that needs it.
bool bbanim_dialects_needs_model(bbanim_converter *converter, const char *why);

// Convert the frames of `next` to the spaces `wanted`, in bbanim_spaces.c.
void bbanim_spaces_respace(bbanim_converter *converter, uint8_t wanted);

// Convert keyframes to frames, and frames to keyframes, in bbanim_keys.c.
void bbanim_keys_bake(bbanim_converter *converter, double rate);
void bbanim_keys_unbake(bbanim_converter *converter);

// Convert channels of nodes to channels of bones, or the reverse.
void bbanim_keys_rekey(bbanim_converter *converter);

// -- Frames

// The rows of frame `frame` in one space; NULL if it is not stored.
const uint8_t *bbanim_spaces_rows(const tenon_bbanim *doc, const char *space, uint64_t frame);

// The transform of every joint in the model, from the first space that is stored: parent, world,
// bone. Returns how many joints the frame does not contain; they stay in the rest pose.
uint32_t bbanim_spaces_worlds(const tenon_bbanim *doc, const bbmod_rig *rig, uint64_t frame,
                              tn_dquat *worlds);

// Allocate zeroed frames with these spaces.
bool bbanim_spaces_new_frames(bbanim_converter *converter, uint8_t spaces, uint64_t count,
                              tenon_span *frames, uint8_t **bytes);

#endif  // TN_FORMATS_BBMOD_DIALECTS_BBANIM_DIALECTS_H
