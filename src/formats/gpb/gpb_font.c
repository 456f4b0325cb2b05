// gpb_font.c: the metrics of fonts, and their text in the format of BMFont.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GPB_FIELD_RANGE 16  // Range of a distance field's values, in texels.

// The nearest texel, clamped to the texture.
static uint32_t gpb_texel(float share, uint32_t size)
{
    double place = floor((double)share * size + 0.5);
    return place > 0 ? place < size ? (uint32_t)place : size : 0;
}

tenon_gpb_glyph tenon_gpb_glyph_at(const tenon_gpb_font_size *size, uint64_t index)
{
    const uint8_t *p = tn_span_record(&size->glyphs, index);
    bool has_advance = size->glyphs.layout->element_count == 5;
    float uv[4];
    tn_copy_numbers(uv, p + (has_advance ? 16 : 8), 4, 4, false);
    tenon_gpb_glyph glyph = {.code = tn_load32(p, false),
                             .x = gpb_texel(uv[0], size->width),
                             .y = gpb_texel(uv[1], size->height),
                             .advance = tn_load32(p + (has_advance ? 12 : 4), false)};
    uint32_t right = gpb_texel(uv[2], size->width), bottom = gpb_texel(uv[3], size->height);
    glyph.width = right > glyph.x ? right - glyph.x : 0;
    glyph.height = bottom > glyph.y ? bottom - glyph.y : 0;
    if (has_advance) glyph.bearing_x = (int32_t)tn_load32(p + 8, false);
    return glyph;
}

// -- BMFont

typedef struct gpb_fnt {
    tenon_write_fn *write;
    void *user;
    bool failed;
} gpb_fnt;

static void gpb_fnt_line(gpb_fnt *fnt, const char *fmt, ...) TN_PRINTF(2, 3);

static void gpb_fnt_line(gpb_fnt *fnt, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(text, sizeof text - 1, fmt, args);
    va_end(args);
    if (size < 0) size = 0;
    if ((size_t)size > sizeof text - 2) size = (int)sizeof text - 2;
    text[size++] = '\n';
    if (!fnt->failed && !fnt->write(fnt->user, text, (size_t)size)) fnt->failed = true;
}

// Quotation marks in a quoted text are replaced.
static void gpb_fnt_name(const char *data, size_t size, char *out, size_t out_size)
{
    tn_text_clean(data, size, out, out_size);
    for (char *c = out; *c; c++)
        if (*c == '"') *c = '\'';
}

bool tenon_gpb_write_fnt(const tenon_gpb_font *font, uint32_t index, const char *picture,
                         tenon_write_fn *write, void *user, tenon_error *err)
{
    tn_error_clear(err);
    if (index >= font->size_count)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "the font has %u sizes", font->size_count);
    const tenon_gpb_font_size *size = &font->sizes[index];
    if (size->texels.count != (uint64_t)size->width * size->height)
        return tn_error(err, TENON_ERR_VALUE,
                        "the size is %u x %u, but there are %" PRIu64 " texels", size->width,
                        size->height, size->texels.count);
    gpb_fnt fnt = {.write = write, .user = user};
    char family[128], file[256];
    gpb_fnt_name(font->family.data, font->family.size, family, sizeof family);
    gpb_fnt_name(picture, strlen(picture), file, sizeof file);
    gpb_fnt_line(&fnt,
                 "info face=\"%s\" size=%u bold=%d italic=%d charset=\"\" unicode=1 "
                 "stretchH=100 smooth=1 aa=1 padding=0,0,0,0 spacing=0,0 outline=0",
                 family, size->size, font->style == 1 || font->style == 4,
                 font->style == 2 || font->style == 4);
    gpb_fnt_line(&fnt,
                 "common lineHeight=%u base=%u scaleW=%u scaleH=%u pages=1 packed=0 "
                 "alphaChnl=0 redChnl=0 greenChnl=0 blueChnl=0",
                 size->size, size->size, size->width, size->height);
    gpb_fnt_line(&fnt, "page id=0 file=\"%s\"", file);
    if (size->format == 1)
        gpb_fnt_line(&fnt, "distanceField fieldType=sdf distanceRange=%d", GPB_FIELD_RANGE);
    gpb_fnt_line(&fnt, "chars count=%" PRIu64, size->glyphs.count);
    for (uint64_t i = 0; i < size->glyphs.count && !fnt.failed; i++) {
        tenon_gpb_glyph g = tenon_gpb_glyph_at(size, i);
        gpb_fnt_line(&fnt,
                     "char id=%u x=%u y=%u width=%u height=%u xoffset=%d yoffset=0 "
                     "xadvance=%u page=0 chnl=15",
                     g.code, g.x, g.y, g.width, g.height, g.bearing_x, g.advance);
    }
    return !fnt.failed || tn_error(err, TENON_ERR_IO, "the output could not be written");
}
