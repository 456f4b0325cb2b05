// render_opts.h: the options of tenon render, and what its files share.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_RENDER_OPTS_H
#define TENON_CLI_RENDER_OPTS_H

#include "input/inputs.h"
#include "options/cli.h"
#include "pictures/drawing.h"

typedef struct render_opts {
    cli_common common;
    const char *output;  // NULL: draw in the terminal.
    const char *size, *view, *background;
    uint32_t source_up;  // An index into the choices.
    bool wireframe, normals, uv, colors;
    bool edges, bones, both_sides;
    bool force;
    bool sheet, compare;
    uint64_t turntable;    // Frames; 0: no turntable.
    const char *play;      // The clip to play.
    double rate;           // Frames per second; 0: not given.
    drawing_opts drawing;  // What the options above mean.
} render_opts;

extern const cli_option render_options[];

// Draw all models into one picture with their names. Returns the exit status.
int render_sheet(const render_opts *opts, const inputs *sources, summary *totals);

// Fill in `drawing`. Returns CLI_GO_ON, or CLI_USAGE after a mistake was reported.
int render_opts_finish(render_opts *opts, const cli_command *self);

#endif  // TENON_CLI_RENDER_OPTS_H
