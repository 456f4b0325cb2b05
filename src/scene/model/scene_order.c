// scene_order.c: parents before children, whatever the order of the file.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_build.h"

enum { NEW, ON_THE_WAY, DONE };

uint32_t tn_order_parents(tn_scene_builder *b, uint32_t *parents, uint32_t count, uint32_t *order)
{
    uint8_t *states = tn_scene_array(b, count, sizeof *states);
    uint32_t *way = tn_scene_array(b, count, sizeof *way);
    uint32_t placed = 0, cut = 0;
    if (b->failed) return 0;
    for (uint32_t i = 0; i < count; i++) {
        // Up to the first that is placed, then down again.
        uint32_t length = 0, at = i;
        while (at < count && states[at] == NEW) {
            states[at] = ON_THE_WAY;
            way[length++] = at;
            at = parents[at];
        }
        if (at < count && states[at] == ON_THE_WAY) {
            parents[way[length - 1]] = TENON_NONE;
            cut++;
        }
        while (length > 0) {
            states[way[--length]] = DONE;
            order[placed++] = way[length];
        }
    }
    return cut;
}
