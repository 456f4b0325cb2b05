// modeldata_order.c: joints and animations sorted by index or name, for searching.
// SPDX-License-Identifier: MIT
//
// Sorting takes n log n steps for every file. A hash table could be attacked with equal hashes.

#include "formats/modeldata/modeldata_order.h"

#include "core/math/sort.h"
#include "core/text/text.h"

#include <string.h>

typedef tenon_str modeldata_name_fn(const tenon_modeldata *doc, uint32_t item);

static tenon_str modeldata_joint_name(const tenon_modeldata *doc, uint32_t item)
{
    return doc->joints[item].name;
}

static tenon_str modeldata_animation_name(const tenon_modeldata *doc, uint32_t item)
{
    return doc->animations[item].name;
}

static bool modeldata_index_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_modeldata *doc = context;
    return doc->joints[a].index < doc->joints[b].index;
}

static bool modeldata_joint_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_modeldata *doc = context;
    return tn_text_order(doc->joints[a].name, doc->joints[b].name) < 0;
}

static bool modeldata_animation_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_modeldata *doc = context;
    return tn_text_order(doc->animations[a].name, doc->animations[b].name) < 0;
}

// -- Sorting

static modeldata_order modeldata_sort(const tenon_modeldata *doc, uint32_t count, uint32_t *memory,
                                      tn_before_fn *before)
{
    modeldata_order order = {doc, memory, count};
    for (uint32_t i = 0; i < count; i++) order.items[i] = i;
    tn_sort(order.items, memory + count, count, before, doc);
    return order;
}

modeldata_order modeldata_joints_by_index(const tenon_modeldata *doc, uint32_t *memory)
{
    return modeldata_sort(doc, doc->joint_count, memory, modeldata_index_before);
}

modeldata_order modeldata_joints_by_name(const tenon_modeldata *doc, uint32_t *memory)
{
    return modeldata_sort(doc, doc->joint_count, memory, modeldata_joint_before);
}

modeldata_order modeldata_animations_by_name(const tenon_modeldata *doc, uint32_t *memory)
{
    return modeldata_sort(doc, doc->animation_count, memory, modeldata_animation_before);
}

// -- Searching

uint32_t modeldata_find_index(const modeldata_order *by_index, int64_t index)
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

static uint32_t modeldata_find_name(const modeldata_order *by_name, modeldata_name_fn *name_of,
                                    tenon_str name)
{
    uint32_t low = 0, high = by_name->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tn_text_order(name_of(by_name->doc, by_name->items[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == by_name->count) return TENON_NONE;
    uint32_t item = by_name->items[low];
    return tn_text_order(name_of(by_name->doc, item), name) == 0 ? item : TENON_NONE;
}

uint32_t modeldata_find_joint(const modeldata_order *by_name, tenon_str name)
{
    return modeldata_find_name(by_name, modeldata_joint_name, name);
}

uint32_t modeldata_find_animation(const modeldata_order *by_name, tenon_str name)
{
    return modeldata_find_name(by_name, modeldata_animation_name, name);
}
