// modeldata_order.c: joints and animations sorted by index or name, for searching.
// SPDX-License-Identifier: MIT
//
// Sorting takes n log n steps for every file. A hash table could be attacked with equal hashes.

#include "formats/modeldata/modeldata_format.h"

#include "core/math/sort.h"
#include "core/text/text.h"

static tenon_str modeldata_order_item_name(const modeldata_order *order, uint32_t item)
{
    const tenon_modeldata *doc = order->doc;
    return order->kind == MODELDATA_ANIMATIONS_BY_NAME ? doc->animations[item].name
                                                       : doc->joints[item].name;
}

// -- Sorting

static bool modeldata_order_item_before(const void *context, uint32_t a, uint32_t b)
{
    const modeldata_order *order = context;
    if (order->kind == MODELDATA_JOINTS_BY_INDEX)
        return order->doc->joints[a].index < order->doc->joints[b].index;
    return tn_text_order(modeldata_order_item_name(order, a), modeldata_order_item_name(order, b)) <
           0;
}

modeldata_order modeldata_order_make(const tenon_modeldata *doc, modeldata_order_kind kind,
                                     uint32_t *memory)
{
    modeldata_order order = {doc, memory, doc->joint_count, kind};
    if (kind == MODELDATA_ANIMATIONS_BY_NAME) order.count = doc->animation_count;
    for (uint32_t i = 0; i < order.count; i++) order.items[i] = i;
    tn_sort(order.items, order.items + order.count, order.count, modeldata_order_item_before,
            &order);
    return order;
}

// -- Searching

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

uint32_t modeldata_order_find_name(const modeldata_order *by_name, tenon_str name)
{
    uint32_t low = 0, high = by_name->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tn_text_order(modeldata_order_item_name(by_name, by_name->items[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == by_name->count) return TENON_NONE;
    uint32_t item = by_name->items[low];
    return tn_text_equal(modeldata_order_item_name(by_name, item), name) ? item : TENON_NONE;
}
