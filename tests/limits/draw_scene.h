// draw_scene.h: a small picture of a scene.
// SPDX-License-Identifier: MIT

#ifndef TENON_LIMITS_DRAW_SCENE_H
#define TENON_LIMITS_DRAW_SCENE_H

#include <tenon/render.h>
#include <tenon/scene.h>

// The pixels are as many whatever the size of the scene, and few.
static bool draw_scene(const tenon_scene *scene, tenon_allocator allocator, tenon_error *err)
{
    enum { SIDE = 32 };
    static uint8_t pixels[4 * SIDE * SIDE];
    const tenon_renderer_opts opts = {.allocator = allocator, .without_textures = true};
    const tenon_render_opts drawing = {.allocator = allocator, .width = SIDE, .height = SIDE};
    tenon_renderer *renderer = tenon_renderer_new(scene, &opts, err);
    tenon_pose *pose = renderer ? tenon_pose_new(scene, &allocator, err) : NULL;
    bool ok = pose && tenon_render(renderer, pose, &drawing, pixels, err);
    tenon_pose_free(pose);
    tenon_renderer_free(renderer);
    return ok;
}

#endif  // TENON_LIMITS_DRAW_SCENE_H
