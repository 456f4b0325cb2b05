// picture_jpeg.h: pictures from JPEG files.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PICTURE_JPEG_H
#define TENON_CLI_PICTURE_JPEG_H

#include "pictures/picture.h"

// Whether these are the bytes of a JPEG file, by their start.
bool jpeg_is(const uint8_t *bytes, size_t size);

// picture_decode() for such a file. Without a budget libjpeg may have 512 MiB.
bool jpeg_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                 tenon_error *err);

#endif  // TENON_CLI_PICTURE_JPEG_H
