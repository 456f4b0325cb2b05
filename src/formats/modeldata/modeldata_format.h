// modeldata_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_MODELDATA_FORMAT_H
#define TN_MODELDATA_FORMAT_H

#include "../formats.h"

#include <tenon/modeldata.h>

void modeldata_describe(tn_io *io, void *doc);

#endif  // TN_MODELDATA_FORMAT_H
