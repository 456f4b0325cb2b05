// play_clip.c: load a model of any format and play one of its clips, as an engine would.
// SPDX-License-Identifier: MIT
//
// Run: play_clip samples/crane.bbmod travel

#include <tenon/scene.h>

#include <stdio.h>
#include <stdlib.h>

#define FRAMES 6

// Room for the vertices of the largest primitive. It is allocated before the first frame.
static float *new_vertices(const tenon_scene *scene)
{
    uint32_t most = 1;
    for (uint32_t m = 0; m < scene->mesh_count; m++)
        for (uint32_t p = 0; p < scene->meshes[m].primitive_count; p++)
            if (scene->meshes[m].primitives[p].vertex_count > most)
                most = scene->meshes[m].primitives[p].vertex_count;
    return malloc(3 * sizeof(float) * (size_t)most);
}

// A frame: pose the skeleton, then move the vertices of every node that has a mesh. Instead of
// printing, an engine hands them to the graphics card; to let the card move them, see
// load_and_upload.c.
static void draw_frame(const tenon_scene *scene, tenon_pose *pose, uint32_t clip, double seconds,
                       float *positions, float *normals)
{
    tenon_pose_set(pose, clip, seconds);
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            tenon_pose_skin(pose, n, p, positions, normals);
            printf("%5.2f s  %.*s: %u vertices, the first at %6.3f %6.3f %6.3f\n", seconds,
                   (int)mesh->name.size, mesh->name.data, mesh->primitives[p].vertex_count,
                   positions[0], positions[1], positions[2]);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return fprintf(stderr, "usage: play_clip MODEL CLIP\n"), 2;
    tenon_error err;
    // With the files beside the model: materials, sidecars, and the clips of a BBMOD model.
    tenon_scene *scene = tenon_import_file(argv[1], NULL, NULL, &err);
    tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, &err) : NULL;
    if (!pose) return fprintf(stderr, "%s: %s\n", argv[1], err.message), 1;
    float *positions = new_vertices(scene), *normals = new_vertices(scene);
    uint32_t clip = tenon_find_animation(scene, argv[2]);  // TENON_NONE is the rest pose.
    double duration = clip == TENON_NONE ? 0 : scene->animations[clip].duration;
    bool ok = positions && normals;
    for (int frame = 0; ok && frame < FRAMES; frame++)
        draw_frame(scene, pose, clip, duration * frame / (FRAMES - 1), positions, normals);
    free(positions);
    free(normals);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    return ok ? 0 : 1;
}
