// render.h: pictures of scenes, drawn without a graphics card, the same on every machine.
// SPDX-License-Identifier: MIT
//
// Quick tour:
//
//     tenon_renderer *renderer = tenon_renderer_new(scene, NULL, &err);   // Loads the textures.
//     tenon_render_opts opts = {.width = 512, .height = 512};
//     opts.view = tenon_view_clip(pose, clip, 0.6, 0.3, 1);               // Fills the picture.
//     tenon_pose_set(pose, clip, seconds);
//     tenon_render(renderer, pose, &opts, pixels, &err);                  // 512 * 512 * 4 bytes.
//     tenon_png png = {.width = 512, .height = 512, .channels = 4, .pixels = pixels};
//     tenon_write_png(&png, write, user, &err);
//     tenon_renderer_free(renderer);
//
// Light comes from the sky, and from a sun above the left shoulder of the viewer, so that every
// side of a model can be seen; lights and cameras of the scene are not used. All computing is in
// linear light. The same scene and options give the same bytes on every machine.

#ifndef TENON_RENDER_H
#define TENON_RENDER_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// -- Where a scene is seen from

// A place and a direction. Zeroed: from the front, above and to the right, so that the pose fills
// the picture.
typedef struct tenon_view {
    double eye[3];
    double target[3];      // The middle of the picture.
    double up[3];          // Upwards in the picture, not exactly; zeros: +Y.
    double field_of_view;  // From bottom to top, in radians; 0: parallel lines stay parallel,
    double height;         // and this much is seen at the target.
} tenon_view;

// The view in which a box just fits into the picture, of which `aspect` is width / height. It is
// seen from `azimuth` radians to the right of the front, +Z, and `elevation` radians above.
// Without `min` and `max`, or if they are no box, that is the origin.
TENON_API tenon_view tenon_view_box(const double min[3], const double max[3], double azimuth,
                                    double elevation, double aspect);

// The view in which a whole clip fits into the picture, so that its frames do not jump; the rest
// pose if `animation` is TENON_NONE. Of a scene without vertices: its nodes. The clip must exist.
// This moves the pose.
TENON_API tenon_view tenon_view_clip(tenon_pose *pose, uint32_t animation, double azimuth,
                                     double elevation, double aspect);

// Where a point of the scene is in a picture: pixels from its left and upper edge. False if it is
// not in front of the viewer, or if the view is not one that tenon_render() accepts.
TENON_API bool tenon_view_project(const tenon_view *view, uint32_t width, uint32_t height,
                                  const float point[3], double at[2]);

// -- Drawing

// What the colors of surfaces mean.
typedef enum tenon_style {
    TENON_STYLE_SHADED,     // Materials in the light.
    TENON_STYLE_NORMALS,    // Directions of the surface: x, y, z as red, green, blue.
    TENON_STYLE_UV,         // Squares: a sixteenth of the first texture coordinates.
    TENON_STYLE_COLORS,     // Vertex colors alone, without light; white where there are none.
    TENON_STYLE_WIREFRAME,  // Edges of triangles, with hidden ones removed.
} tenon_style;

// What is drawn in addition, and how; bits.
enum {
    TENON_RENDER_BONES = 1 << 0,       // Joints and the lines between them, in front of all.
    TENON_RENDER_EDGES = 1 << 1,       // Edges of triangles, over the surfaces.
    TENON_RENDER_FLAT = 1 << 2,        // Every triangle has one direction.
    TENON_RENDER_BOTH_SIDES = 1 << 3,  // Draw the back of materials that have none.
    TENON_RENDER_UNTEXTURED = 1 << 4,  // Without textures.
};

typedef struct tenon_render_opts {
    uint32_t width, height;  // Pixels (512).
    tenon_view view;
    tenon_style style;
    uint32_t flags;
    uint32_t samples;           // Of a pixel, for smooth edges: 1, 2, 4 or 8 (8).
    double background[4];       // Red, green, blue, alpha from 0 to 1, as in a PNG file. Zeros:
                                // transparent.
    tenon_allocator allocator;  // For this picture: about 100 bytes per pixel of a part of it, at
                                // most 26 MiB.
    tenon_events events;        // Progress.
    uint64_t reserved[8];       // Zeros: room for what later versions add.
} tenon_render_opts;

typedef struct tenon_renderer_opts {
    tenon_allocator allocator;
    tenon_events events;              // Losses: textures that cannot be drawn.
    const char *model_path;           // The model's file, to load pictures beside it; NULL: do not.
    const struct tenon_files *files;  // NULL: the system's.
    // Only `decode` is used, for pictures that are not PNG, DDS or TGA.
    tenon_pictures pictures;
    uint32_t texture_size;  // Larger ones are made smaller than that (2048).
    bool without_textures;  // Do not load any.
    uint64_t reserved[8];   // Zeros: room for what later versions add.
} tenon_renderer_opts;

// What is kept between the pictures of a scene: textures, and room for its vertices.
typedef struct tenon_renderer tenon_renderer;

// Load the textures of a scene, which must outlive the renderer and must not change. A texture that
// cannot be loaded is a loss, not a failure. Returns NULL on failure; free the result with
// tenon_renderer_free().
TENON_API tenon_renderer *tenon_renderer_new(const tenon_scene *scene,
                                             const tenon_renderer_opts *opts, tenon_error *err);

// Free a renderer. Does nothing for NULL.
TENON_API void tenon_renderer_free(tenon_renderer *renderer);

// Draw a pose of the renderer's scene: 4 bytes for each pixel, red, green, blue, alpha, rows from
// the top, without gaps. `opts` may be NULL. Returns false on failure, with pixels undefined.
TENON_API bool tenon_render(tenon_renderer *renderer, const tenon_pose *pose,
                            const tenon_render_opts *opts, uint8_t *pixels, tenon_error *err);

// -- Where two models differ

typedef struct tenon_distance_opts {
    tenon_allocator allocator;
    tenon_events events;          // Progress.
    const char *a_clip, *b_clip;  // Clips to pose the scenes with; NULL: the rest pose.
    double seconds;               // In the clips.
    double most;                  // Larger distances have the last color (the largest one).
    uint64_t reserved[8];         // Zeros: room for what later versions add.
} tenon_distance_opts;

// The triangles of both scenes, posed, in one scene to be drawn: the color of each vertex shows how
// far it is from the surface of the other scene. *largest, which may be NULL, is the largest of
// these distances; those without limit, as if the other has no triangles, do not count. `opts` may
// be NULL. Returns NULL on failure; free the result with tenon_scene_free().
TENON_API tenon_scene *tenon_distance_scene(const tenon_scene *a, const tenon_scene *b,
                                            const tenon_distance_opts *opts, double *largest,
                                            tenon_error *err);

// The color of a distance, as a fraction of the largest, as in a PNG file: red, green, blue. From
// gray through yellow and red to purple.
TENON_API void tenon_distance_color(double share, uint8_t color[3]);

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

// Reduce `count` pixels of 4 bytes, in place, to 3 bytes if none is transparent, as tenon_render()
// leaves them on an opaque background. Returns the bytes of a pixel, which are the channels of a
// tenon_png; 4 for NULL.
TENON_API uint32_t tenon_drop_alpha(uint8_t *pixels, uint64_t count);

// Write a PNG file. The same pixels always give the same bytes. Memory of about twice the pixels is
// needed. Returns false if there are no pixels, if `write` or `frame` stop, or on failure.
TENON_API bool tenon_write_png(const tenon_png *png, tenon_write_fn *write, void *user,
                               tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_RENDER_H
