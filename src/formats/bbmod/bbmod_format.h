// bbmod_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_BBMOD_FORMAT_H
#define TN_BBMOD_FORMAT_H

#include "../formats.h"

#include <tenon/bbmod.h>

void bbmod_describe(tn_io *io, void *doc);

#endif  // TN_BBMOD_FORMAT_H
