// renderer.h: what the sources of the renderer share.
// SPDX-License-Identifier: MIT
//
// A picture is drawn in bands of rows. Every pixel of a band has some samples, each with a color
// and a depth; a triangle covers samples, and is shaded once for each pixel of which it covers
// some. Coordinates on the screen are integers, so that of two triangles with a common edge exactly
// one covers a sample on it.

#ifndef TN_SCENE_RENDER_RENDERER_H
#define TN_SCENE_RENDER_RENDERER_H

#include <tenon/render.h>

#include "core/math/bounds.h"
#include "core/math/math.h"
#include "core/memory/arena.h"
#include "core/memory/pulse.h"

#define TN_SAMPLES_MOST 8
#define TN_SUBPIXELS    256  // Steps of the integer coordinates in a pixel.
#define TN_LEVELS_MOST  16

// -- Colors

typedef struct tn_color_tables {
    float linear[256];       // Of the bytes of pictures, which are in the curve of sRGB.
    float quarters[256];     // A quarter of that.
    uint8_t encoded[65536];  // The other way, of 16 bits.
} tn_color_tables;

void tn_color_tables_fill(tn_color_tables *tables);

// -- Textures

// A picture in several sizes, each half of the one before.
typedef struct tn_texture {
    uint32_t level_count;  // 0: there is no picture.
    uint32_t widths[TN_LEVELS_MOST], heights[TN_LEVELS_MOST];
    uint8_t *levels[TN_LEVELS_MOST];  // Four bytes for each pixel.
} tn_texture;

// Load those that materials use. Those that cannot be loaded stay empty, and are reported. False
// on failure.
bool tn_textures_load(struct tenon_renderer *renderer, const tenon_renderer_opts *opts,
                      tenon_error *err);

// The color at a place, in linear light; `level` is the binary logarithm of how many pixels of the
// texture one of the picture covers.
void tn_texture_sample(const tn_texture *texture, const tn_color_tables *tables,
                       const tenon_wrap wrap[2], const float uv[2], float level, float out[4]);

// -- Materials

typedef struct tn_paint_texture {
    const tn_texture *texture;  // NULL: none.
    uint32_t uv_set;
    float matrix[6];  // u' = m[0] u + m[1] v + m[2], and so on.
    tenon_wrap wrap[2];
} tn_paint_texture;

typedef struct tn_paint {
    float base[4], emissive[3];
    float metallic, roughness;
    tenon_alpha alpha;
    float cutoff;
    bool is_double_sided, is_unlit;
    tn_paint_texture color, glow;
} tn_paint;

// -- The renderer

// A vertex on the screen.
typedef struct tn_screen_vertex {
    int32_t x, y;      // In parts of a pixel.
    float depth;       // Larger is nearer.
    float w;           // 1 / distance, or 1 if lines stay parallel.
    uint32_t outside;  // Of which sides of the picture; see render_draw.c.
} tn_screen_vertex;

struct tenon_renderer {
    tn_arena arena;  // Owns the renderer, too.
    const tenon_scene *scene;
    tn_color_tables tables;
    tn_texture *textures;  // Of each image.
    tn_paint *paints;      // Of each material, and one more for none.
    // Room for the largest primitive.
    float *positions, *normals;
    tn_screen_vertex *vertices;
    uint32_t *order, *spare;  // Of blended triangles,
    float *keys;              // and what they are sorted by.
};

// -- Canvas

// Most pixels have one color, or none: what is not needed is neither written nor read.
enum {
    TN_PIXEL_EMPTY,  // The background; its samples are not set.
    TN_PIXEL_EVEN,   // All samples have the color of the first, and depths.
    TN_PIXEL_MIXED,
};

// Where the samples of a pixel are, from its middle, and their sums and numbers for each mask.
typedef struct tn_sample_grid {
    int32_t x[TN_SAMPLES_MOST], y[TN_SAMPLES_MOST];  // 0 if there are fewer.
    int16_t x_sums[1 << TN_SAMPLES_MOST], y_sums[1 << TN_SAMPLES_MOST];
    uint8_t counts[1 << TN_SAMPLES_MOST];
} tn_sample_grid;

// For 1, 2, 4 or 8 samples.
void tn_sample_grid_fill(tn_sample_grid *grid, uint32_t count);

typedef struct tn_shade tn_shade;
typedef struct tn_canvas tn_canvas;
typedef void tn_raster_fn(const tn_canvas *canvas, const tn_screen_vertex corners[3],
                          const tn_shade *shade);

struct tn_canvas {
    uint32_t width, height;       // Of the picture.
    uint32_t first_row, row_end;  // Of the band.
    uint32_t samples;
    tn_sample_grid grid;
    uint64_t *colors;  // Of each sample: 16 bits each for red, green, blue, alpha, in linear light,
                       // multiplied by alpha.
    float *depths;
    uint8_t *states;      // Of each pixel.
    uint64_t background;  // The color of a sample.
    tn_raster_fn *raster;
    tn_pulse *pulse;
};

void tn_canvas_clear(tn_canvas *canvas, const double background[4], const tn_color_tables *tables);

// The pixels of the band as bytes.
void tn_canvas_resolve(const tn_canvas *canvas, const tn_color_tables *tables, uint8_t *pixels);

// -- Triangles

// The light, in the space of the scene.
typedef struct tn_light {
    float eye[3];
    float forward[3];
    bool is_parallel;
    float sun[3];  // The direction to it.
} tn_light;

// What a triangle looks like: what shading needs for each of its corners.
struct tn_shade {
    const tn_paint *paint;
    const tn_color_tables *tables;
    const tn_light *light;
    tenon_style style;
    bool is_textured;
    bool has_colors;  // Else they are 1.
    bool is_front;    // The front is seen.
    bool writes_depth, writes_color;
    bool is_plain;  // The color of `plain` alone.
    float plain[4];
    float positions[3][3], normals[3][3], colors[3][4];
    float uvs[2][3][2];  // For the color, for the glow.
};

// What is shaded: a place in a triangle.
typedef struct tn_fragment {
    float parts[3];        // How much of each corner.
    float uv_steps[2][4];  // How the texture coordinates change to the right and downwards.
} tn_fragment;

// The color of a fragment in linear light, with alpha.
void tn_shade_fragment(const tn_shade *shade, const tn_fragment *fragment, float color[4]);

// Twice the area of a triangle on the screen, negative if its front is seen: rows go downwards.
int64_t tn_screen_area(const tn_screen_vertex *a, const tn_screen_vertex *b,
                       const tn_screen_vertex *c);

// Draw a triangle whose area is positive; others are not drawn. The functions for any machine and
// for those with AVX2 (else NULL) give the same samples.
tn_raster_fn *tn_plain_raster(void);
tn_raster_fn *tn_wide_raster(void);

// -- Cameras

typedef struct tn_camera {
    tn_vec3 eye, right, up, forward;
    bool is_parallel;
    double scale;  // Pixels for a length of 1 at distance 1, or at any.
    double near;   // What is nearer is not seen.
    double middle[2];
} tn_camera;

// False, with `err` set, if the view has no direction or is not finite.
bool tn_camera_make(tn_camera *camera, const tenon_view *view, uint32_t width, uint32_t height,
                    tenon_error *err);

// Widen the bounds by where the nodes of a pose are.
void tn_bounds_add_nodes(tn_bounds *bounds, const tenon_pose *pose);

#define TN_FARTHEST \
    (1 << 19)  // Pixels from the middle of the picture; what goes beyond is clipped.

// A vertex as the camera sees it, before it is divided by `w`.
typedef struct tn_eye_vertex {
    double x, y;      // In pixels from the middle of the picture, times `w`.
    double w, depth;  // The distance; `w` is 1 if lines stay parallel.
} tn_eye_vertex;

tn_eye_vertex tn_to_eye(const tn_camera *camera, const float position[3]);

// Of what is in front of the camera and not beyond TN_FARTHEST.
tn_screen_vertex tn_to_screen(const tn_camera *camera, const tn_eye_vertex *v);

// -- Drawing a scene

// A primitive of a node.
typedef struct tn_item {
    uint32_t node, primitive;
    bool is_blended;
    bool is_measured;     // These are known:
    int32_t top, bottom;  // the rows that it covers,
    float nearness;       // and the depth of its middle.
} tn_item;

typedef struct tn_drawing {
    tenon_renderer *renderer;
    const tenon_pose *pose;
    const tenon_render_opts *opts;
    const tn_camera *camera;
    tn_light light;
    tn_canvas canvas;
    tn_item *items;
    uint32_t item_count;
    uint32_t *order, *spare;  // Of the blended items.
    bool *is_bone;            // Of each node.
} tn_drawing;

// Draw everything that is in the band. False if it was stopped.
bool tn_draw_band(tn_drawing *drawing);

// -- Lines and points

typedef struct tn_thin {
    float color[3];    // In linear light.
    float width;       // Pixels.
    bool bias;         // A little nearer than it is, so that it can be seen on a surface.
    bool is_in_front;  // Of everything.
} tn_thin;

void tn_draw_line(const tn_drawing *drawing, const float from[3], const float to[3],
                  const tn_thin *thin);
void tn_draw_point(const tn_drawing *drawing, const float at[3], const tn_thin *thin);

// The bones of `is_bone`, in front of everything.
void tn_draw_bones(const tn_drawing *drawing);

#endif  // TN_SCENE_RENDER_RENDERER_H
