// import_png.c: pixels as the bytes of a PNG file.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <png.h>
#include <stdlib.h>

uint8_t *import_png(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                    size_t *size)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = width,
                       .height = height,
                       .format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB};
    png_alloc_size_t room = 0;
    if (!png_image_write_to_memory(&image, NULL, &room, 0, pixels, 0, NULL)) return NULL;
    uint8_t *file = import_alloc(room, 1);
    if (!png_image_write_to_memory(&image, file, &room, 0, pixels, 0, NULL)) {
        free(file);
        return NULL;
    }
    *size = room;
    return file;
}
