// picture.c: pictures to and from PNG files, with libpng.
// SPDX-License-Identifier: MIT

#include "picture.h"

#ifdef TENON_PNG

#include "picture_jpeg.h"
#include "report.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static void append(png_structp png, png_bytep bytes, size_t size)
{
    png_file *file = png_get_io_ptr(png);
    uint8_t *longer = realloc(file->data, file->size + size);
    if (!longer) png_error(png, "out of memory");
    file->data = longer;
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
}

static void flush(png_structp png)
{
    (void)png;
}

// libpng would print; what is wrong is told by the caller.
static void fail(png_structp png, png_const_charp message)
{
    (void)message;
    longjmp(png_jmpbuf(png), 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static int color_type(uint32_t channels)
{
    if (channels == 1) return PNG_COLOR_TYPE_GRAY;
    return channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA;
}

// libpng leaves by a long jump when something fails: nothing here has to be freed then.
static bool encode(png_structp png, png_infop info, const picture *p, png_file *file)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, file, append, flush);
    png_set_IHDR(png, info, p->width, p->height, 8, color_type(p->channels), PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < p->height; y++)
        png_write_row(png, p->pixels + (size_t)y * p->width * p->channels);
    png_write_end(png, info);
    return true;
}

bool png_encode(const picture *p, png_file *file, tenon_error *err)
{
    *file = (png_file){0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool ok = info && p->width && p->height && encode(png, info, p, file);
    png_destroy_write_struct(&png, &info);
    if (ok) return true;
    png_file_free(file);
    *err = report_make(p->width && p->height ? TENON_ERR_MEMORY : TENON_ERR_VALUE,
                       "a picture of %u by %u pixels cannot be written", (unsigned)p->width,
                       (unsigned)p->height);
    return false;
}

void png_file_free(png_file *file)
{
    free(file->data);
    *file = (png_file){0};
}

// -- Decoding

#define PIXELS_MOST ((uint64_t)1 << 26)

// libpng says only in words that memory ran out: "out of memory", "insufficient memory".
static tenon_error explain(const png_image *image, bool has_pixels)
{
    bool is_memory = !has_pixels || strstr(image->message, "memory");
    return report_make(is_memory ? TENON_ERR_MEMORY : TENON_ERR_VALUE, "a picture: %s",
                       has_pixels ? image->message : "out of memory");
}

bool picture_decode(const uint8_t *bytes, size_t size, picture *p, tenon_error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (jpeg_is(bytes, size)) return jpeg_decode(bytes, size, p, err);
    *p = (picture){0};
    bool has_begun = png_image_begin_read_from_memory(&image, bytes, size);
    image.format = PNG_FORMAT_RGBA;
    uint64_t count = (uint64_t)image.width * image.height;
    bool is_sane = has_begun && count && count <= PIXELS_MOST;
    uint8_t *pixels = is_sane ? malloc((size_t)count * 4) : NULL;
    bool ok = pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL);
    if (!ok) *err = explain(&image, pixels || !is_sane);
    png_image_free(&image);
    if (!ok) {
        free(pixels);
        return false;
    }
    *p = (picture){pixels, image.width, image.height, 4};
    return true;
}

void picture_free(picture *p)
{
    free((uint8_t *)p->pixels);
    *p = (picture){0};
}

#endif  // TENON_PNG
