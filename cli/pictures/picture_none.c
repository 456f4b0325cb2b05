// picture_none.c: errors about pictures if the tool was built without libpng.
// SPDX-License-Identifier: MIT

#include "pictures/picture.h"

#ifndef TENON_PNG

#include "report/report.h"

bool png_encode(const picture *image, tenon_budget *budget, tenon_write_fn *write, void *user,
                tenon_error *err)
{
    (void)image;
    (void)budget;
    (void)write;
    (void)user;
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libpng");
    return false;
}

bool picture_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                    tenon_error *err)
{
    (void)bytes;
    (void)size;
    (void)budget;
    *image = (picture){0};
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libpng");
    return false;
}

void picture_free(picture *image, tenon_budget *budget)
{
    (void)image;
    (void)budget;
}

#endif  // TENON_PNG
