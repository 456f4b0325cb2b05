// build_model.c: build an animated model in code and write it for an engine.
// SPDX-License-Identifier: MIT
//
// Run: build_model windmill.bbmod

#include <tenon/scene.h>

#include <math.h>
#include <stdio.h>

// A box from the origin up, in the space of its node.
static uint32_t add_box(tenon_scene *scene, const char *name, double width, double height,
                        uint32_t material)
{
    uint32_t mesh = tenon_scene_add_mesh(scene, name);
    tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, 8, 36, 0);
    static const uint32_t corners[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    if (!p) return TENON_NONE;
    for (int i = 0; i < 8; i++) {
        p->positions[3 * i] = (float)(i & 1 ? width : -width) / 2;
        p->positions[3 * i + 1] = i & 2 ? (float)height : 0;
        p->positions[3 * i + 2] = (float)(i & 4 ? width : -width) / 2;
    }
    for (int i = 0; i < 36; i++) p->indices[i] = corners[i];
    p->material = material;
    return mesh;
}

static uint32_t add_node(tenon_scene *scene, const char *name, uint32_t parent, uint32_t mesh)
{
    uint32_t node = tenon_scene_add_node(scene, name, parent);
    if (node != TENON_NONE) scene->nodes[node].mesh = mesh;
    return node;
}

static void build_windmill(tenon_scene *scene)
{
    uint32_t wood = tenon_scene_add_material(scene, "wood");
    uint32_t tower = add_node(scene, "tower", TENON_NONE, add_box(scene, "tower", 1, 4, wood));
    uint32_t hub = add_node(scene, "hub", tower, TENON_NONE);
    uint32_t blade = add_box(scene, "blade", 0.2, 2, wood);
    for (int i = 0; i < 4 && hub != TENON_NONE; i++) {
        uint32_t node = add_node(scene, "blade", hub, blade);
        if (node == TENON_NONE) return;
        double half = 0.7853981633974483 * i;  // Half of i quarters of a turn around Z.
        scene->nodes[node].rotation[2] = sin(half);
        scene->nodes[node].rotation[3] = cos(half);
    }
    uint32_t turn = tenon_scene_add_animation(scene, "turn");
    tenon_channel *keys =
        tenon_scene_add_channel(scene, turn, hub, TENON_ROTATION, TENON_LINEAR, 5);
    for (int i = 0; keys && i < 5; i++) {
        keys->times[i] = (float)i;
        keys->values[4 * i + 2] = sinf(0.78539816f * (float)i);
        keys->values[4 * i + 3] = cosf(0.78539816f * (float)i);
    }
    if (hub != TENON_NONE) scene->nodes[hub].translation[1] = 4;
}

int main(int argc, char **argv)
{
    tenon_error err;
    if (argc != 2) return fprintf(stderr, "usage: build_model OUT.bbmod\n"), 2;
    tenon_scene *scene = tenon_scene_new(NULL, &err);
    if (scene) build_windmill(scene);
    // What went wrong while building is reported here, once.
    bool ok = scene && tenon_scene_finish(scene, NULL, &err) &&
              tenon_export_file(scene, argv[1], NULL, &(tenon_write_opts){.force = true}, &err);
    if (!ok) fprintf(stderr, "%s: %s\n", argv[1], err.message);
    if (ok) printf("%s: %u nodes, %u clip\n", argv[1], scene->node_count, scene->animation_count);
    tenon_scene_free(scene);
    return ok ? 0 : 1;
}
