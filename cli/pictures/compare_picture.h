// compare_picture.h: two models side by side, and how far they are apart.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_COMPARE_PICTURE_H
#define TENON_CLI_COMPARE_PICTURE_H

#include "pictures/drawing.h"
#include "pictures/label.h"

// What a comparison shows.
typedef struct compare_result {
    double largest;   // The largest distance of a vertex to the other surface, in meters,
    double diagonal;  // and the diagonal of the box of both.
} compare_result;

// Draw two models that drawing_begin() has prepared, in one view: A, B, and the triangles of both
// with the distances as colors and a scale. `picture` gets the pixels, which are freed with
// pixels_free(). False, with `err` set, on failure.
bool compare_draw(drawing *a, drawing *b, const drawing_opts *opts, canvas *picture,
                  compare_result *result, tenon_error *err);

#endif  // TENON_CLI_COMPARE_PICTURE_H
