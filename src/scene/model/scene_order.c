// scene_order.c: order objects so that parents come before their children.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_build.h"

enum { NEW, ON_PATH, DONE };

uint32_t tn_order_parents(tn_scene_builder *builder, uint32_t *parents, uint32_t count,
                          uint32_t *order)
{
    uint8_t *states = tn_scene_array(builder, count, sizeof *states);
    uint32_t *path = tn_scene_array(builder, count, sizeof *path);
    uint32_t placed = 0, cut = 0;
    if (builder->failed) return 0;
    for (uint32_t i = 0; i < count; i++) {
        // Up to the first that is placed, then down again.
        uint32_t length = 0, at = i;
        while (at < count && states[at] == NEW) {
            states[at] = ON_PATH;
            path[length++] = at;
            at = parents[at];
        }
        if (at < count && states[at] == ON_PATH) {
            parents[path[length - 1]] = TENON_NONE;
            cut++;
        }
        while (length > 0) {
            states[path[--length]] = DONE;
            order[placed++] = path[length];
        }
    }
    return cut;
}
