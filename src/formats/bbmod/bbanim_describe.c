// bbanim_describe.c: the bytes of a BBMOD animation, of every generation.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/layout.h"
#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>

// -- Keyframes: versions 1 and 2

static const tenon_element bbanim_position_elements[] = {
    {"time", TENON_TYPE_F64, 1, 0, 0},
    {"position", TENON_TYPE_F32, 3, 0, 8},
};
const tenon_layout bbanim_position_layout = {bbanim_position_elements, 2, 20, NULL, 0, NULL};

static const tenon_element bbanim_rotation_elements[] = {
    {"time", TENON_TYPE_F64, 1, 0, 0},
    {"rotation", TENON_TYPE_F32, 4, 0, 8},
};
const tenon_layout bbanim_rotation_layout = {bbanim_rotation_elements, 2, 24, NULL, 0, NULL};

// -- Baked frames: version 3

// `list_size` is the number of frames in one record: 1 except in dialect "repeated".
static void bbanim_describe_add_space(tn_layout_builder *b, const char *name, uint32_t count,
                                      uint64_t list_size)
{
    uint64_t rows = count * list_size;
    if (rows > UINT32_MAX)
        tn_fail(b->io, TENON_ERR_VALUE, b->io->pos, b->name,
                "'%s' would need %" PRIu64 " rows, more than Tenon can address", name, rows);
    else if (rows)
        tn_layout_add(b, name, TENON_TYPE_F32, 8, (uint32_t)rows);
}

// The format's document tests `Spaces & SPACE_WORLD == 1`, which is never true for spaces other
// than the first; the intention is `!= 0`.
uint8_t bbanim_describe_stored_spaces(uint32_t flags, uint8_t spaces)
{
    bool is_literal = (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_SPACES);
    return is_literal ? spaces & TENON_BBANIM_PARENT : spaces;
}

static const tenon_layout *bbanim_describe_frame_layout(tn_io *io, const tenon_bbanim *doc)
{
    tn_layout_builder b = tn_layout_begin(io, "frames", &doc->frames, 3);
    uint64_t list_size = tn_has(io, TENON_BBANIM_REPEATED) ? doc->frame_count : 1;
    uint8_t stored = bbanim_describe_stored_spaces(io->flags, doc->spaces);
    // Asked only if there are other spaces: in parent space alone, these dialects do not differ.
    if (doc->spaces & (TENON_BBANIM_WORLD | TENON_BBANIM_BONE))
        (void)tn_has(io, TENON_BBANIM_DOCUMENT | TENON_BBANIM_ALL_SPACES);
    if (stored & TENON_BBANIM_PARENT)
        bbanim_describe_add_space(&b, "parent", doc->model_node_count, list_size);
    if (stored & TENON_BBANIM_WORLD)
        bbanim_describe_add_space(&b, "world", doc->model_node_count, list_size);
    if (stored & TENON_BBANIM_BONE)
        bbanim_describe_add_space(&b, "bone", doc->model_bone_count, list_size);
    return tn_layout_end(&b);
}

const tenon_layout *bbanim_layout_of_frames(uint8_t spaces, uint32_t node_count,
                                            uint32_t bone_count, tn_arena *arena, tn_refusal *why)
{
    tn_io io;
    tenon_error err;
    tenon_bbanim doc = {
        .spaces = spaces, .model_node_count = node_count, .model_bone_count = bone_count};
    tn_io_reader(&io, NULL, 0, arena, &err);
    const tenon_layout *layout = bbanim_describe_frame_layout(&io, &doc);
    if (!io.failed) return layout;
    *why = err.code == TENON_ERR_LIMIT ? TN_OVER_LIMIT : TN_OUT_OF_MEMORY;
    return NULL;
}

// The converter writes frames while frame < duration, so a fraction counts as a frame if the file
// is long enough.
static uint64_t bbanim_describe_infer_frames(tn_io *io, const void *any)
{
    const tenon_bbanim *doc = any;
    uint8_t stored = bbanim_describe_stored_spaces(io->flags, doc->spaces);
    uint64_t size = bbanim_frame_size(stored, doc->model_node_count, doc->model_bone_count);
    if (size == 0) return 0;
    double most = doc->duration > 0 ? ceil(doc->duration) : 0;
    // Not asked if there is one frame: then these dialects do not differ.
    if (most != 1 && tn_has(io, TENON_BBANIM_DOCUMENT) && !tn_has(io, TENON_BBANIM_ALL_FRAMES))
        return 1;
    if (most >= UINT32_MAX) return UINT32_MAX;
    bool fits = most <= (double)((io->end - io->pos) / size);
    return (uint64_t)(fits ? most : floor(doc->duration));
}

static uint64_t bbanim_describe_infer_events(tn_io *io, const void *any)
{
    (void)any;
    uint64_t left = io->end - io->pos;
    const uint8_t *rest = tn_peek(io, io->pos, left);
    return rest && bbanim_is_event_block(rest, left);
}

// -- Animations

static void bbanim_describe_keyframes(tn_io *io, tenon_bbanim *doc)
{
    tn_as(io, TN_ROLE_JUDGED);
    tn_f64(io, "duration", &doc->duration);
    tn_as(io, TN_ROLE_JUDGED);
    tn_f64(io, "tics_per_second", &doc->tics_per_second);
    if (tn_has(io, TENON_BBANIM_NODES))
        tn_u32(io, "model_node_count", &doc->model_node_count);
    else
        tn_u32(io, "model_bone_count", &doc->model_bone_count);
    tn_list(io, "channels", &doc->channels, &doc->channel_count, sizeof *doc->channels, 12);
    for (uint32_t i = 0; tn_next(io, i, doc->channel_count); i++) {
        tenon_bbanim_channel *channel = &doc->channels[i];
        tn_as(io, TN_ROLE_JUDGED);
        tn_f32(io, "index", &channel->index);
        tn_counted(io, "positions", &channel->positions, &bbanim_position_layout);
        tn_counted(io, "rotations", &channel->rotations, &bbanim_rotation_layout);
    }
}

static void bbanim_describe_baked(tn_io *io, tenon_bbanim *doc)
{
    tn_u8(io, "spaces", &doc->spaces);
    tn_as(io, TN_ROLE_JUDGED);
    tn_f64(io, "duration", &doc->duration);
    tn_as(io, TN_ROLE_JUDGED);
    tn_f64(io, "tics_per_second", &doc->tics_per_second);
    tn_u32(io, "model_node_count", &doc->model_node_count);
    tn_u32(io, "model_bone_count", &doc->model_bone_count);
    tn_inferred_u32(io, "frame_count", &doc->frame_count, bbanim_describe_infer_frames, doc);
    const tenon_layout *layout = bbanim_describe_frame_layout(io, doc);
    // A converter that was given an unknown space stores a duration, but no frames.
    if (layout->stride) tn_records(io, "frames", &doc->frames, doc->frame_count, layout);
    bool has_events = tn_has(io, TENON_BBANIM_EVENTS);
    if (!has_events) {
        tn_inferred_u32(io, "has_events", &doc->has_events, bbanim_describe_infer_events, doc);
        has_events = doc->has_events != 0;
    }
    if (!has_events) return;
    tn_list(io, "events", &doc->events, &doc->event_count, sizeof *doc->events, 9);
    for (uint32_t i = 0; tn_next(io, i, doc->event_count); i++) {
        tn_as(io, TN_ROLE_JUDGED);
        tn_f64(io, "frame", &doc->events[i].frame);
        tn_strz(io, "name", &doc->events[i].name);
    }
}

void bbanim_describe(tn_io *io, void *any)
{
    tenon_bbanim *doc = any;
    tn_magic(io, "magic", tn_has(io, TENON_BBANIM_LOWER) ? "bbanim" : "BBANIM", 7);
    tn_u8(io, "version_major", &doc->version_major);
    if (tn_has(io, TENON_BBANIM_MINOR)) tn_u8(io, "version_minor", &doc->version_minor);
    if (tn_has(io, TENON_BBANIM_KEYFRAMES))
        bbanim_describe_keyframes(io, doc);
    else
        bbanim_describe_baked(io, doc);
    if (io->mode == TN_READ) doc->is_cut = io->failed;
}
