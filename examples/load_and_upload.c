// load_and_upload.c: load a model and let the graphics card play a clip of it, with OpenGL and SDL.
// SPDX-License-Identifier: MIT
//
// Run: load_and_upload samples/crane.bbmod travel

#include "gl_model.h"

#include <SDL.h>

#include <stdio.h>

// In every frame the card gets only matrices.
static void draw_frame(const gl_model *model, const tenon_buffers *buffers, const tenon_pose *pose,
                       const float center[3], float scale)
{
    float matrices[16 * GL_MODEL_MATRICES];
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(model->program);
    glUniform3fv(glGetUniformLocation(model->program, "center"), 1, center);
    glUniform1f(glGetUniformLocation(model->program, "scale"), scale);
    for (uint32_t i = 0; i < buffers->draw_count; i++) {
        uint32_t number = buffers->draws[i].mesh;
        const tenon_gpu_mesh *mesh = &buffers->meshes[number];
        tenon_draw_matrices(buffers, i, pose, matrices);
        glUniformMatrix4fv(glGetUniformLocation(model->program, "matrices"),
                           (GLsizei)mesh->matrix_count, GL_FALSE, matrices);
        glBindBuffer(GL_ARRAY_BUFFER, model->vertices[number]);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, model->indices[number]);
        for (GLuint k = 0; k < 5; k++) {
            glVertexAttribPointer(k, gl_model_inputs[k].count, gl_model_inputs[k].type,
                                  gl_model_inputs[k].is_normalized, (GLsizei)buffers->stride,
                                  (const void *)gl_model_inputs[k].offset);
            glEnableVertexAttribArray(k);
        }
        glDrawElements(GL_TRIANGLES, (GLsizei)mesh->index_count,
                       mesh->index_size == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT, NULL);
    }
}

int main(int argc, char **argv)
{
    tenon_error err;
    static gl_model model;
    if (argc != 3) return fprintf(stderr, "usage: load_and_upload MODEL CLIP\n"), 2;
    tenon_scene *scene = tenon_import_file(argv[1], NULL, NULL, &err);
    tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, &err) : NULL;
    const tenon_prepare_opts opts = {.max_matrices = GL_MODEL_MATRICES};
    tenon_buffers *buffers = pose ? tenon_prepare(scene, &opts, &err) : NULL;
    if (!buffers) return fprintf(stderr, "%s: %s\n", argv[1], err.message), 1;
    uint32_t clip = tenon_find_animation(scene, argv[2]);  // TENON_NONE is the rest pose.
    double duration = clip == TENON_NONE ? 0 : scene->animations[clip].duration;
    double min[3] = {-1, -1, -1}, max[3] = {1, 1, 1}, largest = 1e-9;
    if (clip == TENON_NONE) tenon_pose_bounds(pose, min, max);
    if (clip != TENON_NONE) tenon_pose_clip_bounds(pose, clip, min, max);
    for (int i = 0; i < 3; i++) largest = max[i] - min[i] > largest ? max[i] - min[i] : largest;
    const float center[3] = {(float)(min[0] + max[0]) / 2, (float)(min[1] + max[1]) / 2,
                             (float)(min[2] + max[2]) / 2};
    SDL_Init(SDL_INIT_VIDEO);
    SDL_Window *window = SDL_CreateWindow(argv[1], 0, 0, 512, 512, SDL_WINDOW_OPENGL);
    bool ok = window && SDL_GL_CreateContext(window) && gl_model_upload(&model, buffers);
    if (!ok) fprintf(stderr, "OpenGL cannot show the model: %s\n", SDL_GetError());
    for (double seconds = 0; ok && seconds <= duration && !SDL_QuitRequested();
         seconds += 1 / 30.0) {
        tenon_pose_set(pose, clip, seconds);
        draw_frame(&model, buffers, pose, center, (float)(1.9 / largest));
        SDL_GL_SwapWindow(window);
    }
    SDL_Quit();
    tenon_buffers_free(buffers);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    return ok ? 0 : 1;
}
