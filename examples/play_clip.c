// play_clip.c: load a model of any format and play one of its clips, as an engine would.
// SPDX-License-Identifier: MIT
//
// Run: play_clip samples/crane.bbmod travel

#include <tenon/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 6

// One primitive of one node: what an engine draws with one call.
typedef struct drawing {
    uint32_t node, primitive, vertex_count;
    float *positions, *normals;  // Filled for each frame.
} drawing;

static uint32_t find_clip(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (strcmp(scene->animations[i].name.data, name) == 0) return i;
    return TENON_NONE;  // That is the rest pose.
}

// All memory is allocated before the first frame.
static drawing *prepare(const tenon_scene *scene, uint32_t *count)
{
    drawing *list = NULL;
    *count = 0;
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            uint32_t vertices = mesh->primitives[p].vertex_count;
            drawing *longer = realloc(list, (*count + 1) * sizeof *list);
            if (!longer) exit(1);
            list = longer;
            list[*count] = (drawing){n, p, vertices, malloc(12 * (size_t)vertices + 1),
                                     malloc(12 * (size_t)vertices + 1)};
            if (!list[*count].positions || !list[*count].normals) exit(1);
            ++*count;
        }
    }
    return list;
}

// A frame: pose the skeleton, then move the vertices. An engine that skins on the graphics card
// uses tenon_pose_palette() instead and leaves the vertices alone.
static void draw_frame(tenon_pose *pose, uint32_t clip, double seconds, const drawing *list,
                       uint32_t count)
{
    double min[3], max[3];
    tenon_pose_set(pose, clip, seconds);
    for (uint32_t i = 0; i < count; i++)
        tenon_pose_skin(pose, list[i].node, list[i].primitive, list[i].positions, list[i].normals);
    if (!tenon_pose_bounds(pose, min, max)) return;
    printf("%5.2f s  %6.3f %6.3f %6.3f  to  %6.3f %6.3f %6.3f\n", seconds, min[0], min[1], min[2],
           max[0], max[1], max[2]);
}

static void play(const tenon_scene *scene, uint32_t clip, tenon_pose *pose)
{
    uint32_t count;
    drawing *list = prepare(scene, &count);
    double duration = clip == TENON_NONE ? 0 : scene->animations[clip].duration;
    for (int frame = 0; frame < FRAMES; frame++)
        draw_frame(pose, clip, duration * frame / (FRAMES - 1), list, count);
    for (uint32_t i = 0; i < count; i++) {
        free(list[i].positions);
        free(list[i].normals);
    }
    free(list);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: play_clip MODEL CLIP\n");
        return 2;
    }
    tenon_error err;
    // With the files beside the model: materials, sidecars, and the clips of a BBMOD model.
    tenon_scene *scene = tenon_import_file(argv[1], NULL, NULL, &err);
    tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, &err) : NULL;
    if (pose)
        play(scene, find_clip(scene, argv[2]), pose);
    else
        fprintf(stderr, "%s: %s\n", argv[1], err.message);
    bool ok = pose != NULL;
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    return ok ? 0 : 1;
}
