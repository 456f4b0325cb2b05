// bmw_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_BMW_FORMAT_H
#define TN_BMW_FORMAT_H

#include "../formats.h"

#include <tenon/bmw.h>

#define BMW_HEADER "Beo-Model-Wolf Format Version 1"  // Its NUL is in the file, too.

void bmw_describe(tn_io *io, void *doc);

#endif  // TN_BMW_FORMAT_H
