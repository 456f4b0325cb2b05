// verify_unit.c: the unit and axes of a model that does not state them.
// SPDX-License-Identifier: MIT
//
// Programs write OBJ in the unit they work in, while FBX states its unit. If both are the same
// model, the unit in which their bounds match is the unit of the OBJ file.

#include "commands/verify_unit.h"

#include "input/job.h"
#include "input/scene_load.h"

#include <math.h>
#include <string.h>
#include <tenon/edit.h>

#define NEAR \
    1e-3  // Largest distance between bounds of the same model, as a fraction of the diagonal.

typedef struct pose_bounds {
    double min[3], max[3];
    bool exists;
} pose_bounds;

static bool verify_unit_find_bounds(const tenon_scene *scene, uint32_t clip, double seconds,
                                    pose_bounds *bounds, tenon_error *err)
{
    const tenon_allocator allocator = job_allocator();
    tenon_pose *pose = tenon_pose_new(scene, &allocator, err);
    if (!pose) return false;
    tenon_pose_set(pose, clip, seconds);
    bounds->exists = tenon_pose_bounds(pose, bounds->min, bounds->max);
    tenon_pose_free(pose);
    return true;
}

// The bounds in meters, Y up: Z becomes Y, and Y becomes -Z.
static pose_bounds verify_unit_bounds_in(const pose_bounds *bounds, const verify_unit *unit)
{
    pose_bounds converted = *bounds;
    if (unit->is_z_up) {
        converted.min[1] = bounds->min[2];
        converted.max[1] = bounds->max[2];
        converted.min[2] = -bounds->max[1];
        converted.max[2] = -bounds->min[1];
    }
    for (int k = 0; k < 3; k++) {
        converted.min[k] *= unit->scale;
        converted.max[k] *= unit->scale;
    }
    return converted;
}

static bool verify_unit_is_near(const pose_bounds *a, const pose_bounds *b)
{
    double square = 0, apart = 0;
    for (int k = 0; k < 3; k++) {
        double side = a->max[k] - a->min[k];
        square += side * side;
        apart = fmax(apart, fmax(fabs(a->min[k] - b->min[k]), fabs(a->max[k] - b->max[k])));
    }
    return apart <= NEAR * sqrt(square);
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
    pose_bounds bounds_a, bounds_b;
    *unit = (verify_unit){0};
    if (!verify_unit_find_bounds(a, scene_find_clip(a, clip), seconds, &bounds_a, err))
        return false;
    if (!verify_unit_find_bounds(b, TENON_NONE, 0, &bounds_b, err)) return false;
    if (!bounds_a.exists || !bounds_b.exists) return true;
    for (size_t i = 0; i < 2 * sizeof units / sizeof units[0]; i++) {
        verify_unit candidate = units[i / 2];
        candidate.is_z_up = i % 2;
        pose_bounds taken = verify_unit_bounds_in(&bounds_b, &candidate);
        if (!verify_unit_is_near(&bounds_a, &taken)) continue;
        if (i > 0) *unit = candidate;
        return true;
    }
    unit->is_unknown = true;
    return true;
}

bool verify_take_unit(tenon_scene *scene, const verify_unit *unit, tenon_error *err)
{
    if (!(unit->scale > 0) && !unit->is_z_up) return true;
    const tenon_edit_space_opts opts = {.scale = unit->scale, .turns = unit->is_z_up ? -1 : 0};
    return tenon_edit_space(scene, &opts, err);
}
