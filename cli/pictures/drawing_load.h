// drawing_load.h: what is drawn of a file: its scene, an animation with its model, or a font.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_DRAWING_LOAD_H
#define TENON_CLI_DRAWING_LOAD_H

#include "pictures/drawing.h"

// Load a file into `d->loaded`, or set `d->font`. An animation of BBMOD is loaded with the model of
// the options, or one beside it; other files get the model of the options with their clips.
// `d->clip` is the clip of the animation. False, with `err` set, on failure.
bool drawing_load(drawing *d, const drawing_opts *opts, tenon_error *err);

// The picture of the glyphs of a font, in the middle, as large as it can be.
void drawing_put_font(const tenon_gpb_font_size *font, const drawing_opts *opts, uint8_t *pixels);

#endif  // TENON_CLI_DRAWING_LOAD_H
