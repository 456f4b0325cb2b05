// verify_unit.c: the unit and the axes of a model that does not say them.
// SPDX-License-Identifier: MIT
//
// Programs write OBJ in the unit they work in, while FBX says its unit. Both are the same model,
// and a box that fits in exactly one of a few units says which one it is.

#include "commands/verify_unit.h"

#include "input/job.h"

#include <math.h>
#include <string.h>

#define NEAR 1e-3  // Of the diagonal: how far boxes of the same model are apart at most.

typedef struct box {
    double min[3], max[3];
    bool exists;
} box;

static bool find_box(const tenon_scene *scene, uint32_t clip, double seconds, box *b,
                     tenon_error *err)
{
    const tenon_allocator allocator = job_allocator();
    tenon_pose *pose = tenon_pose_new(scene, &allocator, err);
    if (!pose) return false;
    tenon_pose_set(pose, clip, seconds);
    b->exists = tenon_pose_bounds(pose, b->min, b->max);
    tenon_pose_free(pose);
    return true;
}

// The box in meters, Y up: what was Z is Y, and what was Y is -Z.
static box box_in(const box *b, const verify_unit *unit)
{
    box r = *b;
    if (unit->is_z_up) {
        r.min[1] = b->min[2];
        r.max[1] = b->max[2];
        r.min[2] = -b->max[1];
        r.max[2] = -b->min[1];
    }
    for (int k = 0; k < 3; k++) {
        r.min[k] *= unit->scale;
        r.max[k] *= unit->scale;
    }
    return r;
}

static bool is_near(const box *a, const box *b)
{
    double square = 0, apart = 0;
    for (int k = 0; k < 3; k++) {
        double side = a->max[k] - a->min[k];
        square += side * side;
        apart = fmax(apart, fmax(fabs(a->min[k] - b->min[k]), fabs(a->max[k] - b->max[k])));
    }
    return apart <= NEAR * sqrt(square);
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

// As tenon_verify() does, letter case and what is before the last '|' do not count.
static uint32_t find_clip(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; name && i < scene->animation_count; i++) {
        const char *own = scene->animations[i].name.data, *bar = strrchr(own, '|'), *asked = name;
        if (bar && !strchr(name, '|')) own = bar + 1;
        while (*own && lower(*own) == lower(*asked)) own++, asked++;
        if (!*own && !*asked) return i;
    }
    return TENON_NONE;
}

bool verify_find_unit(const tenon_scene *a, const char *clip, double seconds, const tenon_scene *b,
                      verify_unit *unit, tenon_error *err)
{
    static const verify_unit units[] = {
        {1, false, false, "meters"},          {0.01, false, false, "centimeters"},
        {0.001, false, false, "millimeters"}, {0.0254, false, false, "inches"},
        {0.3048, false, false, "feet"},       {0.1, false, false, "decimeters"},
        {0.9144, false, false, "yards"},
    };
    box box_a, box_b;
    *unit = (verify_unit){0};
    if (!find_box(a, find_clip(a, clip), seconds, &box_a, err)) return false;
    if (!find_box(b, TENON_NONE, 0, &box_b, err)) return false;
    if (!box_a.exists || !box_b.exists) return true;
    for (size_t i = 0; i < 2 * sizeof units / sizeof units[0]; i++) {
        verify_unit candidate = units[i / 2];
        candidate.is_z_up = i % 2;
        box taken = box_in(&box_b, &candidate);
        if (!is_near(&box_a, &taken)) continue;
        if (i > 0) *unit = candidate;
        return true;
    }
    unit->is_unknown = true;
    return true;
}

bool verify_take_unit(tenon_scene *scene, const verify_unit *unit, tenon_error *err)
{
    if (!(unit->scale > 0) && !unit->is_z_up) return true;
    tenon_reshape_opts opts = {.source_scale = unit->scale, .source_is_z_up = unit->is_z_up};
    return tenon_reshape(scene, &opts, err);
}
