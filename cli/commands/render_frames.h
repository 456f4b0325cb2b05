// render_frames.h: animations: all around a model, or a clip as it is played.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_RENDER_FRAMES_H
#define TENON_CLI_RENDER_FRAMES_H

#include "commands/render_opts.h"

// The frames of an animation of a model, drawn one after the other into the same pixels.
typedef struct frames {
    drawing *d;
    const drawing_opts *opts;
    uint8_t *pixels;
    uint32_t channels;   // Bytes of a pixel: 3, or 4 if the background is transparent.
    uint32_t count, ms;  // How many there are, and how long each is shown.
    uint32_t turns;      // They go around the model in so many steps; 0: they play the clip.
    double distance;     // Of the eye, so that the model keeps its size.
    tenon_error err;     // Why a frame could not be drawn.
} frames;

// Plan the frames that the options ask for; `count` stays 0 if they do not. False, with `err` set,
// if there would be too many.
bool frames_plan(frames *f, drawing *d, const render_opts *opts, uint8_t *pixels, tenon_error *err);

// Draw a frame. For tenon_png: `user` is the frames; NULL, with `err` of them set, on failure.
const uint8_t *frames_draw(void *user, uint32_t index);

#endif  // TENON_CLI_RENDER_FRAMES_H
