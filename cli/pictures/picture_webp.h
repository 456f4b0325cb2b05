// picture_webp.h: pictures from WebP files.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PICTURE_WEBP_H
#define TENON_CLI_PICTURE_WEBP_H

#include "pictures/picture.h"

// Whether these are the bytes of a WebP file, by their start.
bool webp_is(const uint8_t *bytes, size_t size);

// picture_decode() for such a file.
bool webp_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                 tenon_error *err);

#endif  // TENON_CLI_PICTURE_WEBP_H
