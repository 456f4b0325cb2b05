// picture_none.c: what the tool says about pictures where it was built without libpng.
// SPDX-License-Identifier: MIT

#include "picture.h"

#ifndef TENON_PNG

#include "report.h"

bool png_encode(const picture *p, png_file *file, tenon_error *err)
{
    (void)p;
    *file = (png_file){0};
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libpng");
    return false;
}

void png_file_free(png_file *file)
{
    (void)file;
}

bool picture_decode(const uint8_t *bytes, size_t size, picture *p, tenon_error *err)
{
    (void)bytes;
    (void)size;
    *p = (picture){0};
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libpng");
    return false;
}

void picture_free(picture *p)
{
    (void)p;
}

#endif  // TENON_PNG
