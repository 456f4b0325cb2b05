// obj_format.c: Wavefront OBJ in the table of formats.
// SPDX-License-Identifier: MIT

#include "../formats.h"
#include "obj_write.h"

const tn_format tn_obj_format = {
    .face = {.name = "obj",
             .title = "Wavefront OBJ",
             .engine = "all engines",
             .extensions = {"obj"},
             .caps = TENON_CAN_WRITE | TENON_FROM_SCENE},
    .export = obj_export,
};
