// scene_find.c: the public functions that find objects of a scene by name.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "scene/model/scene_build.h"

#include <string.h>

// The first of `count` objects of `stride` bytes that starts with that name.
static uint32_t scene_find(const void *objects, uint32_t count, size_t stride, const char *name)
{
    if (!name) return TENON_NONE;
    const tenon_str wanted = {name, (uint32_t)strlen(name)};
    for (uint32_t i = 0; i < count; i++) {
        tenon_str found;
        memcpy(&found, (const char *)objects + i * stride, sizeof found);
        if (tn_text_equal(found, wanted)) return i;
    }
    return TENON_NONE;
}

uint32_t tenon_find_node(const tenon_scene *scene, const char *name)
{
    return scene ? scene_find(scene->nodes, scene->node_count, sizeof(tenon_node), name)
                 : TENON_NONE;
}

uint32_t tenon_find_mesh(const tenon_scene *scene, const char *name)
{
    return scene ? scene_find(scene->meshes, scene->mesh_count, sizeof(tenon_mesh), name)
                 : TENON_NONE;
}

uint32_t tenon_find_material(const tenon_scene *scene, const char *name)
{
    return scene ? scene_find(scene->materials, scene->material_count, sizeof(tenon_material), name)
                 : TENON_NONE;
}

uint32_t tenon_find_animation(const tenon_scene *scene, const char *name)
{
    return scene ? scene_find(scene->animations, scene->animation_count, sizeof(tenon_animation),
                              name)
                 : TENON_NONE;
}

const char *tenon_find_extra(const tenon_scene *scene, tenon_extra_of of, uint32_t index,
                             const char *name)
{
    for (uint32_t i = 0; scene && name && i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        if (extra->of == of && extra->index == index && strcmp(extra->name.data, name) == 0)
            return extra->value.data;
    }
    return NULL;
}
