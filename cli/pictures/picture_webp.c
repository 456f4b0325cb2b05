// picture_webp.c: pictures from WebP files, with libwebp.
// SPDX-License-Identifier: MIT

#include "pictures/picture_webp.h"

#include "report/report.h"

#include <string.h>

bool webp_is(const uint8_t *bytes, size_t size)
{
    return size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0;
}

#ifdef TENON_WEBP

#include <webp/decode.h>

#define CHANNELS   4
#define OWN_PIXELS ((uint64_t)8)        // Bytes that libwebp allocates for each pixel, at most,
#define OWN_BASE   ((uint64_t)1 << 22)  // and for any picture.

bool webp_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                 tenon_error *err)
{
    int width = 0, height = 0;
    tenon_code why = TENON_ERR_VALUE;
    *image = (picture){0};
    bool ok = WebPGetInfo(bytes, size, &width, &height) && width > 0 && height > 0;
    uint64_t own = OWN_BASE + OWN_PIXELS * (uint64_t)(ok ? width : 0) * (uint64_t)height;
    if (ok && !tenon_budget_take(budget, own)) {
        ok = false;
        own = 0;
        why = TENON_ERR_LIMIT;
    } else if (!ok) {
        own = 0;
    }
    uint8_t *pixels = ok ? picture_alloc((uint32_t)width, (uint32_t)height, budget, &why) : NULL;
    if (pixels) {
        *image = (picture){.width = (uint32_t)width,
                           .height = (uint32_t)height,
                           .channels = CHANNELS,
                           .pixels = pixels};
        size_t row = (size_t)width * CHANNELS;
        ok = WebPDecodeRGBAInto(bytes, size, pixels, row * (size_t)height, (int)row) != NULL;
        if (!ok) why = TENON_ERR_VALUE;
    }
    tenon_budget_give_back(budget, own);
    if (ok && pixels) return true;
    picture_free(image, budget);
    *err = report_make(why, "a WebP picture is broken, animated or too large");
    return false;
}

#else

bool webp_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                 tenon_error *err)
{
    (void)bytes;
    (void)size;
    (void)budget;
    *image = (picture){0};
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libwebp");
    return false;
}

#endif  // TENON_WEBP
