// modeldata_order.c: finds joints by their stored index.
// SPDX-License-Identifier: MIT
//
// Sorting takes n log n steps for every file. A hash table could be attacked with equal hashes.

#include "formats/modeldata/modeldata_format.h"

#include "core/math/sort.h"

static bool modeldata_order_is_lower(const void *doc, uint32_t a, uint32_t b)
{
    const tenon_modeldata_joint *joints = ((const tenon_modeldata *)doc)->joints;
    return joints[a].index < joints[b].index;
}

modeldata_order modeldata_order_make(const tenon_modeldata *doc, uint32_t *memory)
{
    modeldata_order order = {doc, memory, doc->joint_count};
    for (uint32_t i = 0; i < order.count; i++) order.items[i] = i;
    tn_sort(order.items, order.items + order.count, order.count, modeldata_order_is_lower, doc);
    return order;
}

uint32_t modeldata_order_find_index(const modeldata_order *by_index, int64_t index)
{
    uint32_t low = 0, high = by_index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_index->doc->joints[by_index->items[middle]].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == by_index->count) return TENON_NONE;
    uint32_t joint = by_index->items[low];
    return by_index->doc->joints[joint].index == index ? joint : TENON_NONE;
}
