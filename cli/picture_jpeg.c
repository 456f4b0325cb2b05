// picture_jpeg.c: pictures from JPEG files, with libjpeg.
// SPDX-License-Identifier: MIT

#include "picture_jpeg.h"

#include "report.h"

#include <string.h>

bool jpeg_is(const uint8_t *bytes, size_t size)
{
    return size > 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

#ifdef TENON_JPEG

#include <setjmp.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

#define PIXELS_MOST ((uint64_t)1 << 26)
#define MEMORY_MOST ((long)1 << 29)  // Bytes that libjpeg may have; the rest would go to a file.
#define SCANS_MOST  200              // A small file can ask for very many, each over all pixels.
#define FILE_MOST   ((size_t)1 << 30)

// Everything that a long jump must not lose.
typedef struct decoder {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct info;
    jmp_buf leave;
    uint8_t *pixels;
    tenon_code why;  // TENON_OK: nothing is wrong.
} decoder;

// -- What libjpeg calls. It would print, and end the program.

static void leave(j_common_ptr info)
{
    decoder *d = info->client_data;
    bool is_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
    if (d->why == TENON_OK) d->why = is_memory ? TENON_ERR_MEMORY : TENON_ERR_VALUE;
    longjmp(d->leave, 1);
}

// A file that ends early goes on in grey, which nobody has painted; so does one whose pixels end
// before the next marker, and 200 bytes of it would be decoded to 64 million pixels.
static void warn(j_common_ptr info, int level)
{
    int code = info->err->msg_code;
    if (level == -1 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) leave(info);
}

static void keep_silent(j_common_ptr info)
{
    (void)info;
}

static void count_scans(j_common_ptr info)
{
    const decoder *d = info->client_data;
    if (d->info.input_scan_number > SCANS_MOST) leave(info);
}

// -- Decoding

static void refuse(decoder *d, tenon_code why)
{
    d->why = why;
    leave((j_common_ptr)&d->info);
}

// Three bytes a pixel become four, from the end on, in place.
static void widen(uint8_t *row, uint32_t width)
{
    for (uint32_t x = width; x-- > 0;) {
        const uint8_t rgb[3] = {row[3 * (size_t)x], row[3 * (size_t)x + 1], row[3 * (size_t)x + 2]};
        memcpy(row + 4 * (size_t)x, rgb, sizeof rgb);
        row[4 * (size_t)x + 3] = 255;
    }
}

static void read_pixels(decoder *d)
{
    struct jpeg_decompress_struct *info = &d->info;
    uint64_t count = (uint64_t)info->image_width * info->image_height;
    if (count == 0 || count > PIXELS_MOST) refuse(d, TENON_ERR_LIMIT);
    info->out_color_space = JCS_RGB;
    d->pixels = malloc((size_t)count * 4);
    if (!d->pixels) refuse(d, TENON_ERR_MEMORY);
    (void)jpeg_start_decompress(info);
    while (info->output_scanline < info->output_height) {
        uint8_t *row = d->pixels + (size_t)info->output_scanline * info->image_width * 4;
        JSAMPROW rows[] = {row};
        (void)jpeg_read_scanlines(info, rows, 1);
        widen(row, info->image_width);
    }
    (void)jpeg_finish_decompress(info);
}

static bool decode(decoder *d, const uint8_t *bytes, size_t size)
{
    struct jpeg_decompress_struct *info = &d->info;
    info->err = jpeg_std_error(&d->errors);
    d->errors.error_exit = leave;
    d->errors.emit_message = warn;
    d->errors.output_message = keep_silent;
    info->client_data = d;
    if (setjmp(d->leave)) return false;
    jpeg_create_decompress(info);
    d->progress.progress_monitor = count_scans;
    info->progress = &d->progress;
    info->mem->max_memory_to_use = MEMORY_MOST;
    jpeg_mem_src(info, bytes, (unsigned long)size);
    (void)jpeg_read_header(info, TRUE);
    read_pixels(d);
    return true;
}

bool jpeg_decode(const uint8_t *bytes, size_t size, picture *p, tenon_error *err)
{
    decoder *d = size <= FILE_MOST ? calloc(1, sizeof *d) : NULL;
    *p = (picture){0};
    bool ok = d && decode(d, bytes, size);
    tenon_code why = d ? d->why : size <= FILE_MOST ? TENON_ERR_MEMORY : TENON_ERR_LIMIT;
    if (ok)
        *p = (picture){d->pixels, d->info.image_width, d->info.image_height, 4};
    else
        *err = report_make(why, "a JPEG picture is broken, too large, or of a kind not known");
    if (d) jpeg_destroy_decompress(&d->info);
    if (d && !ok) free(d->pixels);
    free(d);
    return ok;
}

#else

bool jpeg_decode(const uint8_t *bytes, size_t size, picture *p, tenon_error *err)
{
    (void)bytes;
    (void)size;
    *p = (picture){0};
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libjpeg");
    return false;
}

#endif  // TENON_JPEG
