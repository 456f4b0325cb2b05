// drawing.h: pictures of models: load one, draw it, write the pixels as a PNG file.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_DRAWING_H
#define TENON_CLI_DRAWING_H

#include "input/scene_load.h"
#include "pictures/label.h"

#include <tenon/gpb.h>
#include <tenon/render.h>

// How models are drawn. The same for all pictures of a command.
typedef struct drawing_opts {
    uint32_t width, height;
    double azimuth, elevation;  // In radians.
    double background[4];
    tenon_style style;
    uint32_t flags;
    bool without_textures;
    bool is_z_up;       // The model, whose file does not say it.
    const char *model;  // The model of an animation; NULL: one beside it.
    const char *clip;   // NULL: the rest pose, or with `at` the only clip.
    const char *at;     // Seconds; NULL: the start of the clip.
} drawing_opts;

// A model that is drawn. Zeroed is empty.
typedef struct drawing {
    const char *file;
    const cli_common *common;
    loaded_scene loaded;  // Has no scene if it is a font, or if the caller has the scene.
    const tenon_gpb_font_size *font;  // NULL: it is a scene.
    char *model_path;                 // The model of an animation; NULL: it is `file` itself.
    bool is_left_handed;              // The file.
    const tenon_scene *scene;         // NULL: it is a font.
    tenon_renderer *renderer;
    tenon_pose *pose;
    uint32_t clip;    // TENON_NONE: the rest pose.
    double seconds;   // In the clip.
    tenon_view view;  // Shows all of the clip.
    uint32_t losses;  // Textures that cannot be drawn.
} drawing;

// Load a model and its textures, and find the clip and the view. What cannot be drawn is reported
// unless `common->quiet` or `json` is set. False, with `err` set, on failure; drawing_end() in any
// case.
bool drawing_begin(drawing *d, const cli_common *common, const char *file, const drawing_opts *opts,
                   tenon_error *err);

// The same for a scene that is loaded already, and stays the caller's.
bool drawing_begin_scene(drawing *d, const cli_common *common, const char *file,
                         const tenon_scene *scene, const drawing_opts *opts, tenon_error *err);

// Draw into `width` times `height` pixels of 4 bytes. If only the back of triangles would be seen,
// which some materials hide, that is drawn.
bool drawing_draw(drawing *d, const drawing_opts *opts, uint8_t *pixels, tenon_error *err);

void drawing_end(drawing *d);

// Write a picture to a file, completely or not at all; to standard output if the path is "-". Files
// that the job has read are never replaced. `batch` is as in tenon_write_opts. *size grows by the
// bytes of the file. The allocator of `png` is the job's. If `err` is of the kind IO or EXISTS, it
// is about the path.
bool drawing_write(const tenon_png *png, const char *path, bool force, tenon_batch *batch,
                   uint64_t *size, tenon_error *err);

// The same for a picture; its pixels are used for it.
bool drawing_write_canvas(const canvas *drawn, const char *path, bool force, uint64_t *size,
                          tenon_error *err);

// Room for pixels of 4 bytes, charged to the job; NULL, with `err` set, if there is none.
uint8_t *pixels_alloc(uint32_t width, uint32_t height, tenon_error *err);

void pixels_free(uint8_t *pixels, uint32_t width, uint32_t height);

#endif  // TENON_CLI_DRAWING_H
