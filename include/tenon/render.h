// render.h: pictures, the same on every machine.
// SPDX-License-Identifier: MIT

#ifndef TENON_RENDER_H
#define TENON_RENDER_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// -- Writing pictures

// A picture, or the frames of an animation (APNG), to be written as a PNG file.
typedef struct tenon_png {
    tenon_allocator allocator;
    uint32_t width, height;
    uint32_t channels;      // Bytes of a pixel: 1 for gray, 3 for colors, 4 with alpha.
    const uint8_t *pixels;  // Rows from the top, without gaps.
    // An animation: gives the pixels of each frame in turn, valid until the next call, or NULL to
    // stop. NULL: one picture, `pixels`.
    const uint8_t *(*frame)(void *user, uint32_t index);
    void *user;
    uint32_t frame_count;
    uint32_t frame_ms;     // How long each is shown, in milliseconds (100).
    uint32_t plays;        // How often it is played; 0: for ever.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_png;

// Write a PNG file. The same pixels always give the same bytes. Memory of about twice the pixels is
// needed. Returns false if there are no pixels, if `write` or `frame` stop, or on failure.
TENON_API bool tenon_write_png(const tenon_png *png, tenon_write_fn *write, void *user,
                               tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_RENDER_H
