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

#define MEMORY_MOST    ((uint64_t)1 << 29)  // Bytes that libjpeg may allocate without a budget.
#define MEMORY_BASE    ((uint64_t)1 << 16)  // Bytes that it needs for any picture.
#define SCANS_MOST     200  // A small file can ask for very many, each over all pixels.
#define PIXELS_IN_STEP 4    // Of work, in each scan.
#define FILE_MOST      ((size_t)1 << 30)

// Everything that must survive a long jump.
typedef struct jpeg_decoder {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct info;
    jmp_buf leave;
    tenon_budget *budget;
    uint64_t taken;    // Bytes that libjpeg may allocate.
    int counted_scan;  // The last scan whose work was counted.
    picture picture;
    tenon_code why;  // Why it failed; TENON_OK: it did not.
} jpeg_decoder;

// -- Callbacks for libjpeg, which by default would print, and end the program

static void picture_jpeg_leave(j_common_ptr info)
{
    jpeg_decoder *decoder = info->client_data;
    bool is_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
    if (decoder->why == TENON_OK) decoder->why = is_memory ? TENON_ERR_MEMORY : TENON_ERR_VALUE;
    longjmp(decoder->leave, 1);
}

// libjpeg would fill up a truncated file with gray, and one whose pixels end before the next
// marker: 200 bytes could become 64 million pixels.
static void picture_jpeg_warn(j_common_ptr info, int level)
{
    int code = info->err->msg_code;
    if (level == -1 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) picture_jpeg_leave(info);
}

static void picture_jpeg_keep_silent(j_common_ptr info)
{
    (void)info;
}

static void picture_jpeg_refuse(jpeg_decoder *decoder, tenon_code why)
{
    decoder->why = why;
    picture_jpeg_leave((j_common_ptr)&decoder->info);
}

static void picture_jpeg_count_scans(j_common_ptr info)
{
    jpeg_decoder *decoder = info->client_data;
    uint64_t steps = (uint64_t)decoder->picture.width * decoder->picture.height / PIXELS_IN_STEP;
    if (decoder->info.input_scan_number == decoder->counted_scan) return;
    decoder->counted_scan = decoder->info.input_scan_number;
    if (decoder->counted_scan > SCANS_MOST) picture_jpeg_leave(info);
    if (!tenon_budget_work(decoder->budget, steps)) picture_jpeg_refuse(decoder, TENON_ERR_LIMIT);
}

// -- Decoding

// The most that libjpeg allocates for this file: some rows of samples between its stages, and all
// coefficients if there is more than one scan.
static uint64_t picture_jpeg_find_need(struct jpeg_decompress_struct *info)
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

// Expand three bytes per pixel to four, in place, from the end.
static void picture_jpeg_widen(uint8_t *row, uint32_t width)
{
    for (uint32_t x = width; x-- > 0;) {
        const uint8_t rgb[3] = {row[3 * (size_t)x], row[3 * (size_t)x + 1], row[3 * (size_t)x + 2]};
        memcpy(row + 4 * (size_t)x, rgb, sizeof rgb);
        row[4 * (size_t)x + 3] = 255;
    }
}

static void picture_jpeg_read_pixels(jpeg_decoder *decoder)
{
    struct jpeg_decompress_struct *info = &decoder->info;
    picture *image = &decoder->picture;
    uint64_t need = picture_jpeg_find_need(info), most = decoder->budget ? need : MEMORY_MOST;
    *image = (picture){NULL, info->image_width, info->image_height, 4};
    uint8_t *pixels = picture_alloc(image->width, image->height, decoder->budget, &decoder->why);
    if (!pixels) picture_jpeg_refuse(decoder, decoder->why);
    image->pixels = pixels;
    if (!tenon_budget_take(decoder->budget, need)) picture_jpeg_refuse(decoder, TENON_ERR_LIMIT);
    decoder->taken = need;
    // If this is not enough, libjpeg fails, or continues in a temporary file if it was built so.
    info->mem->max_memory_to_use = most < LONG_MAX ? (long)most : LONG_MAX;
    info->out_color_space = JCS_RGB;
    (void)jpeg_start_decompress(info);
    while (info->output_scanline < info->output_height) {
        uint8_t *row = pixels + (size_t)info->output_scanline * image->width * 4;
        JSAMPROW rows[] = {row};
        (void)jpeg_read_scanlines(info, rows, 1);
        picture_jpeg_widen(row, image->width);
    }
    (void)jpeg_finish_decompress(info);
}

static bool picture_jpeg_decode(jpeg_decoder *decoder, const uint8_t *bytes, size_t size)
{
    struct jpeg_decompress_struct *info = &decoder->info;
    info->err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = picture_jpeg_leave;
    decoder->errors.emit_message = picture_jpeg_warn;
    decoder->errors.output_message = picture_jpeg_keep_silent;
    info->client_data = decoder;
    if (setjmp(decoder->leave)) return false;
    jpeg_create_decompress(info);
    decoder->progress.progress_monitor = picture_jpeg_count_scans;
    info->progress = &decoder->progress;
    jpeg_mem_src(info, bytes, (unsigned long)size);
    (void)jpeg_read_header(info, TRUE);
    picture_jpeg_read_pixels(decoder);
    return true;
}

bool jpeg_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                 tenon_error *err)
{
    jpeg_decoder *decoder = size <= FILE_MOST ? calloc(1, sizeof *decoder) : NULL;
    tenon_code why = size <= FILE_MOST ? TENON_ERR_MEMORY : TENON_ERR_LIMIT;
    bool ok = false;
    *image = (picture){0};
    if (decoder) {
        decoder->budget = budget;
        ok = picture_jpeg_decode(decoder, bytes, size);
        why = decoder->why;
        *image = decoder->picture;
        jpeg_destroy_decompress(&decoder->info);
        tenon_budget_give_back(budget, decoder->taken);
    }
    free(decoder);
    if (ok) return true;
    picture_free(image, budget);
    *err = report_make(why, "a JPEG picture is broken, too large, or of an unknown kind");
    return false;
}

#else

bool jpeg_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                 tenon_error *err)
{
    (void)bytes;
    (void)size;
    (void)budget;
    *image = (picture){0};
    *err = report_make(TENON_ERR_IO, "a JPEG picture has to be converted, which needs libjpeg: "
                                     "this tool was built without it");
    (void)snprintf(err->note, sizeof err->note, "'--textures refer' leaves pictures as they are");
    return false;
}

#endif  // TENON_JPEG
