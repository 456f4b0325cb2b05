// fnt_format.c: BMFont text in the table of formats: what fonts of GPB bundles are exported to.
// SPDX-License-Identifier: MIT

#include "formats/formats.h"

const tn_format tn_fnt_format = {
    .face = {.name = "fnt",
             .title = "BMFont text and its pictures",
             .engine = "many engines",
             .extensions = {"fnt"},
             .caps = TENON_CAN_WRITE},
};
