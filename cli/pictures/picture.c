// picture.c: pictures to and from PNG files, with libpng.
// SPDX-License-Identifier: MIT

#include "pictures/picture.h"

#include "pictures/picture_jpeg.h"
#include "pictures/picture_webp.h"
#include "report/report.h"

#include <tenon/render.h>

#ifdef TENON_PNG

#include <png.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS_MOST    ((uint64_t)1 << 26)  // Without a budget: 8192 by 8192.
#define CHANNELS       4
#define PIXELS_DECODED 4  // Per step of work,
#define PIXELS_ENCODED 1  // since deflating takes longer than inflating.

// -- Pixels

uint8_t *picture_alloc(uint32_t width, uint32_t height, tenon_budget *budget, tenon_code *why)
{
    uint64_t count = (uint64_t)width * height;
    uint64_t most = budget && budget->memory.limit ? SIZE_MAX / CHANNELS : PIXELS_MOST;
    *why = count == 0 ? TENON_ERR_VALUE : TENON_ERR_LIMIT;
    if (count == 0 || count > most) return NULL;
    uint64_t size = count * CHANNELS;
    if (!tenon_budget_take(budget, size)) return NULL;
    bool is_allowed = tenon_budget_work(budget, count / PIXELS_DECODED);
    uint8_t *pixels = is_allowed ? malloc((size_t)size) : NULL;
    if (is_allowed) *why = pixels ? TENON_OK : TENON_ERR_MEMORY;
    if (!pixels) tenon_budget_give_back(budget, size);
    return pixels;
}

void picture_free(picture *image, tenon_budget *budget)
{
    if (image->pixels)
        tenon_budget_give_back(budget, (uint64_t)image->width * image->height * CHANNELS);
    free((uint8_t *)image->pixels);
    *image = (picture){0};
}

// -- Callbacks for libpng, which by default would print, and end the program

// A file being read or written. Everything that must survive a long jump is here.
typedef struct png_job {
    tenon_budget *budget;
    tenon_code why;  // Why it failed; TENON_OK: it did not.
    const uint8_t *bytes;
    size_t left;
    picture picture;  // What is read.
    tenon_write_fn *write;
    void *user;
} png_job;

// The header of a block that libpng allocates.
typedef union png_block {
    size_t size;
    max_align_t alignment;
} png_block;

static png_voidp picture_take_block(png_structp png, png_alloc_size_t size)
{
    png_job *job = png_get_mem_ptr(png);
    if (size > SIZE_MAX - sizeof(png_block) || !tenon_budget_take(job->budget, size)) {
        job->why = TENON_ERR_LIMIT;
        return NULL;
    }
    png_block *block = malloc(sizeof *block + size);
    if (!block) {
        tenon_budget_give_back(job->budget, size);
        job->why = TENON_ERR_MEMORY;
        return NULL;
    }
    block->size = size;
    return block + 1;
}

static void picture_free_block(png_structp png, png_voidp memory)
{
    png_job *job = png_get_mem_ptr(png);
    png_block *block = (png_block *)memory - 1;
    tenon_budget_give_back(job->budget, block->size);
    free(block);
}

static void picture_fail(png_structp png, png_const_charp message)
{
    png_job *job = png_get_error_ptr(png);
    (void)message;
    if (job->why == TENON_OK) job->why = TENON_ERR_VALUE;
    longjmp(png_jmpbuf(png), 1);
}

static void picture_ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void picture_put_bytes(png_structp png, png_bytep bytes, size_t size)
{
    png_job *job = png_get_io_ptr(png);
    if (job->write(job->user, bytes, size)) return;
    job->why = TENON_ERR_IO;
    png_error(png, "stopped");
}

static void picture_flush(png_structp png)
{
    (void)png;
}

static void picture_get_bytes(png_structp png, png_bytep bytes, size_t size)
{
    png_job *job = png_get_io_ptr(png);
    if (size > job->left) png_error(png, "truncated");
    memcpy(bytes, job->bytes, size);
    job->bytes += size;
    job->left -= size;
}

// -- Encoding

// On failure libpng jumps back here; nothing has to be freed then.
static bool picture_encode(png_structp png, png_infop info, const picture *image, png_job *job)
{
    const int color_type = image->channels == 1   ? PNG_COLOR_TYPE_GRAY
                           : image->channels == 3 ? PNG_COLOR_TYPE_RGB
                                                  : PNG_COLOR_TYPE_RGBA;
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, job, picture_put_bytes, picture_flush);
    png_set_IHDR(png, info, image->width, image->height, 8, color_type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + (size_t)y * image->width * image->channels);
    png_write_end(png, info);
    return true;
}

bool png_encode(const picture *image, tenon_budget *budget, tenon_write_fn *write, void *user,
                tenon_error *err)
{
    png_job job = {.budget = budget, .write = write, .user = user};
    uint64_t count = (uint64_t)image->width * image->height;
    bool ok = count > 0 && tenon_budget_work(budget, count / PIXELS_ENCODED);
    if (!ok) job.why = count ? TENON_ERR_LIMIT : TENON_ERR_VALUE;
    png_structp png =
        ok ? png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &job, picture_fail, picture_ignore,
                                       &job, picture_take_block, picture_free_block)
           : NULL;
    png_infop info = png ? png_create_info_struct(png) : NULL;
    ok = info && picture_encode(png, info, image, &job);
    png_destroy_write_struct(&png, &info);
    if (!ok)
        *err = report_make(job.why, "a picture of %u by %u pixels cannot be written",
                           (unsigned)image->width, (unsigned)image->height);
    return ok;
}

// -- Decoding

// Chunks that do not affect the pixels are skipped: a few bytes of text can expand to megabytes,
// and there can be many of them.
static bool decode(png_structp png, png_infop info, png_job *job)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, job, picture_get_bytes);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_benign_errors(png, 1);
    png_read_info(png, info);
    picture *image = &job->picture;
    image->width = png_get_image_width(png, info);
    image->height = png_get_image_height(png, info);
    image->channels = CHANNELS;
    uint8_t *pixels = picture_alloc(image->width, image->height, job->budget, &job->why);
    if (!pixels) return false;
    image->pixels = pixels;
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    int pass_count = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t row_size = (size_t)image->width * CHANNELS;
    if (png_get_rowbytes(png, info) != row_size) png_error(png, "not four channels");
    for (int pass = 0; pass < pass_count; pass++)
        for (uint32_t y = 0; y < image->height; y++) png_read_row(png, pixels + y * row_size, NULL);
    return true;
}

bool picture_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                    tenon_error *err)
{
    if (jpeg_is(bytes, size)) return jpeg_decode(bytes, size, budget, image, err);
    if (webp_is(bytes, size)) return webp_decode(bytes, size, budget, image, err);
    png_job job = {.budget = budget, .bytes = bytes, .left = size};
    png_structp png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &job, picture_fail, picture_ignore, &job,
                                 picture_take_block, picture_free_block);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool ok = info && decode(png, info, &job);
    png_destroy_read_struct(&png, &info, NULL);
    *image = job.picture;
    if (ok) return true;
    picture_free(image, budget);
    *err = report_make(job.why, "a PNG picture is broken or too large");
    return false;
}

#else  // The library encodes PNG, and decodes it when this fails.

bool png_encode(const picture *image, tenon_budget *budget, tenon_write_fn *write, void *user,
                tenon_error *err)
{
    const tenon_png png = {.allocator.budget = budget,
                           .width = image->width,
                           .height = image->height,
                           .channels = image->channels,
                           .pixels = image->pixels};
    return tenon_write_png(&png, write, user, err);
}

bool picture_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                    tenon_error *err)
{
    if (jpeg_is(bytes, size)) return jpeg_decode(bytes, size, budget, image, err);
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
