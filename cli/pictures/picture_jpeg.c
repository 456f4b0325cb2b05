// picture_jpeg.c: pictures from JPEG files, with libjpeg.
// SPDX-License-Identifier: MIT

#include "pictures/picture_jpeg.h"

#include "report/report.h"

#include <string.h>

bool jpeg_is(const uint8_t *bytes, size_t size)
{
    return size > 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

#ifdef TENON_JPEG

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

#define MEMORY_MOST    ((uint64_t)1 << 29)  // Bytes that libjpeg may have without a budget.
#define MEMORY_BASE    ((uint64_t)1 << 16)  // What it needs for any picture.
#define SCANS_MOST     200  // A small file can ask for very many, each over all pixels.
#define PIXELS_IN_STEP 4    // Of work, in each scan.
#define FILE_MOST      ((size_t)1 << 30)

// Everything that a long jump must not lose.
typedef struct decoder {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct info;
    jmp_buf leave;
    tenon_budget *budget;
    uint64_t taken;    // Bytes that libjpeg may have.
    int counted_scan;  // The last one whose work was counted.
    picture picture;
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

// A file that ends early would go on in gray; so would one whose pixels end before the next marker,
// and 200 bytes of it would be decoded to 64 million pixels.
static void warn(j_common_ptr info, int level)
{
    int code = info->err->msg_code;
    if (level == -1 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) leave(info);
}

static void keep_silent(j_common_ptr info)
{
    (void)info;
}

static void refuse(decoder *d, tenon_code why)
{
    d->why = why;
    leave((j_common_ptr)&d->info);
}

static void count_scans(j_common_ptr info)
{
    decoder *d = info->client_data;
    uint64_t steps = (uint64_t)d->picture.width * d->picture.height / PIXELS_IN_STEP;
    if (d->info.input_scan_number == d->counted_scan) return;
    d->counted_scan = d->info.input_scan_number;
    if (d->counted_scan > SCANS_MOST) leave(info);
    if (!tenon_budget_work(d->budget, steps)) refuse(d, TENON_ERR_LIMIT);
}

// -- Decoding

// The most that libjpeg allocates for this file: some rows of samples between its stages, and all
// coefficients if there is more than one scan.
static uint64_t find_need(struct jpeg_decompress_struct *info)
{
    uint64_t need = MEMORY_BASE, row_size = (uint64_t)info->image_width + 64;
    for (int i = 0; i < info->num_components; i++) {
        const jpeg_component_info *c = &info->comp_info[i];
        uint64_t across = (uint64_t)c->width_in_blocks + (uint64_t)c->h_samp_factor;
        uint64_t down = (uint64_t)c->height_in_blocks + (uint64_t)c->v_samp_factor;
        // The rows of a block with their context, and what they are scaled up to.
        uint64_t row_count = (uint64_t)(10 * c->v_samp_factor + info->max_v_samp_factor);
        need += row_count * row_size;
        if (jpeg_has_multiple_scans(info)) need += across * down * sizeof(JBLOCK);
    }
    return need;
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
    picture *p = &d->picture;
    uint64_t need = find_need(info), most = d->budget ? need : MEMORY_MOST;
    *p = (picture){NULL, info->image_width, info->image_height, 4};
    uint8_t *pixels = picture_alloc(p->width, p->height, d->budget, &d->why);
    if (!pixels) refuse(d, d->why);
    p->pixels = pixels;
    if (!tenon_budget_take(d->budget, need)) refuse(d, TENON_ERR_LIMIT);
    d->taken = need;
    // libjpeg fails if this is not enough, or, if it was built so, goes on in a temporary file.
    info->mem->max_memory_to_use = most < LONG_MAX ? (long)most : LONG_MAX;
    info->out_color_space = JCS_RGB;
    (void)jpeg_start_decompress(info);
    while (info->output_scanline < info->output_height) {
        uint8_t *row = pixels + (size_t)info->output_scanline * p->width * 4;
        JSAMPROW rows[] = {row};
        (void)jpeg_read_scanlines(info, rows, 1);
        widen(row, p->width);
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
    jpeg_mem_src(info, bytes, (unsigned long)size);
    (void)jpeg_read_header(info, TRUE);
    read_pixels(d);
    return true;
}

bool jpeg_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *p,
                 tenon_error *err)
{
    decoder *d = size <= FILE_MOST ? calloc(1, sizeof *d) : NULL;
    tenon_code why = size <= FILE_MOST ? TENON_ERR_MEMORY : TENON_ERR_LIMIT;
    bool ok = false;
    *p = (picture){0};
    if (d) {
        d->budget = budget;
        ok = decode(d, bytes, size);
        why = d->why;
        *p = d->picture;
        jpeg_destroy_decompress(&d->info);
        tenon_budget_give_back(budget, d->taken);
    }
    free(d);
    if (ok) return true;
    picture_free(p, budget);
    *err = report_make(why, "a JPEG picture is broken, too large, or of an unknown kind");
    return false;
}

#else

bool jpeg_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *p,
                 tenon_error *err)
{
    (void)bytes;
    (void)size;
    (void)budget;
    *p = (picture){0};
    *err = report_make(TENON_ERR_UNSUPPORTED, "this tool was built without libjpeg");
    return false;
}

#endif  // TENON_JPEG
