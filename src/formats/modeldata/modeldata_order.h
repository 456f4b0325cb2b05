// modeldata_order.h: joints and animations sorted by index or name, for searching.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_MODELDATA_ORDER_H
#define TN_FORMATS_MODELDATA_MODELDATA_ORDER_H

#include <tenon/modeldata.h>

// Indices of joints or animations, sorted; equal ones are in file order. The caller provides the
// memory: MODELDATA_ORDER_SHARE bytes for each item.
typedef struct modeldata_order {
    const tenon_modeldata *doc;
    uint32_t *items;
    uint32_t count;
    bool is_by_index;     // Sorted by the index of joints, else by name.
    bool has_animations;  // Else joints.
} modeldata_order;

#define MODELDATA_ORDER_SHARE (2 * sizeof(uint32_t))  // Bytes of memory for each item.

modeldata_order modeldata_order_joints_by_index(const tenon_modeldata *doc, uint32_t *memory);
modeldata_order modeldata_order_joints_by_name(const tenon_modeldata *doc, uint32_t *memory);
modeldata_order modeldata_order_animations_by_name(const tenon_modeldata *doc, uint32_t *memory);

// The first joint with this index, or the first item with this name, or TENON_NONE.
uint32_t modeldata_order_find_index(const modeldata_order *by_index, int64_t index);
uint32_t modeldata_order_find_name(const modeldata_order *by_name, tenon_str name);

#endif  // TN_FORMATS_MODELDATA_MODELDATA_ORDER_H
