// gpb_dialects_font.c: fonts for another dialect: their sizes, their glyphs, their format.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include "core/cursor/span.h"

#include <string.h>

// -- Glyphs

// A glyph starts with code and width and ends with its place in the texture. Version 1.5 has
// metrics between them.
static bool gpb_dialects_font_change_glyphs(tenon_gpb_font_size *size, uint32_t from,
                                            const tn_change *change, uint64_t *lost)
{
    bool gains = gpb_dialects_gains(from, change, TENON_GPB_FONT_ADVANCE);
    if (!gains && !gpb_dialects_loses(from, change, TENON_GPB_FONT_ADVANCE)) return true;
    const tenon_layout *layout = gains ? &gpb_glyph_layout_1_5 : &gpb_glyph_layout;
    tenon_span glyphs = {.count = size->glyphs.count, .layout = layout};
    uint8_t *to = tn_arena_alloc_or_fail(change->arena, glyphs.count, (size_t)layout->stride,
                                         "glyphs", change->err);
    if (!to) return false;
    glyphs.data = to;
    glyphs.size = glyphs.count * layout->stride;
    for (uint64_t i = 0; i < glyphs.count; i++, to += layout->stride) {
        const uint8_t *old = tn_span_record(&size->glyphs, i);
        memcpy(to, old, 8);
        if (gains) {
            memcpy(to + 12, old + 4, 4);  // The advance is the width.
            memcpy(to + 16, old + 8, 16);
        } else {
            memcpy(to + 8, old + 16, 16);
            *lost += tn_load32(old + 8, false) != 0 || memcmp(old + 4, old + 12, 4) != 0;
        }
    }
    *lost += gains ? glyphs.count : 0;
    size->glyphs = glyphs;
    return true;
}

// -- Format

// In a bitmap, nearly all texels are empty or full. A distance field has many values between. Late
// encoders of 1.2 wrote distance fields, although the version has no field for the format.
bool gpb_dialects_looks_like_distance_field(const tenon_gpb_font_size *size)
{
    uint64_t between = 0;
    for (uint64_t i = 0; i < size->texels.size; i++)
        between += size->texels.data[i] > 16 && size->texels.data[i] < 240;
    return between * 20 > size->texels.size * 3;
}

// -- Sizes

// Versions before 1.4 have one size. Keep the largest, because it can be scaled down.
static bool gpb_dialects_font_keep_one_size(tenon_gpb_font *font, const tn_change *change)
{
    if (font->size_count == 0) {
        bool has_advance = (change->to->flags & TENON_GPB_FONT_ADVANCE) != 0;
        font->sizes = tn_arena_alloc_or_fail(change->arena, 1, sizeof *font->sizes, "font sizes",
                                             change->err);
        if (!font->sizes) return false;
        font->sizes[0] = (tenon_gpb_font_size){.charset = {"", 0},
                                               .glyphs.layout = has_advance ? &gpb_glyph_layout_1_5
                                                                            : &gpb_glyph_layout,
                                               .texels.layout = &tn_layout_u8};
        font->size_count = 1;
        tn_change_report(change, TENON_MADE_UP, "font sizes", 1,
                         "this version needs one, and the font has none");
        return true;
    }
    uint32_t best = 0;
    for (uint32_t i = 1; i < font->size_count; i++)
        if (font->sizes[i].size > font->sizes[best].size) best = i;
    tn_change_report(change, TENON_DROPPED, "font sizes", font->size_count - 1,
                     "versions before 1.4 have one size for each font: the largest is kept");
    font->sizes = &font->sizes[best];
    font->size_count = 1;
    return true;
}

// -- All changes

static void gpb_dialects_change_font_format(tenon_gpb_font *font, uint32_t from,
                                            const tn_change *change)
{
    uint64_t fields = 0, guessed = 0;
    for (uint32_t i = 0; i < font->size_count; i++) {
        fields += font->sizes[i].format != 0;
        if (!gpb_dialects_gains(from, change, TENON_GPB_FONT_FORMAT)) continue;
        font->sizes[i].format = gpb_dialects_looks_like_distance_field(&font->sizes[i]);
        guessed += font->sizes[i].format;
    }
    if (gpb_dialects_loses(from, change, TENON_GPB_FONT_FORMAT))
        tn_change_report(change, TENON_DROPPED, "font formats", fields,
                         "versions before 1.3 cannot mark a font as a distance field");
    if (!gpb_dialects_gains(from, change, TENON_GPB_FONT_FORMAT)) return;
    tn_change_report(change, TENON_MADE_UP, "font formats", guessed,
                     "guessed from the texture, which is a distance field");
    tn_change_report(change, TENON_DEFAULTED, "font formats", font->size_count - guessed,
                     "a font without a format is a bitmap");
}

bool gpb_change_font(tenon_gpb_font *font, uint32_t from, const tn_change *change)
{
    uint64_t metrics = 0;
    if (gpb_dialects_loses(from, change, TENON_GPB_FONT_UNICODE))
        tn_change_report(change, TENON_DROPPED, "outline fonts", font->unicode != 0,
                         "only the dialect of a fork has fonts with outlines");
    font->unicode = 0;
    bool has_sizes = (change->to->flags & TENON_GPB_FONT_SIZES) != 0;
    if (!has_sizes && !gpb_dialects_font_keep_one_size(font, change)) return false;
    for (uint32_t i = 0; i < font->size_count; i++)
        if (!gpb_dialects_font_change_glyphs(&font->sizes[i], from, change, &metrics)) return false;
    if (gpb_dialects_gains(from, change, TENON_GPB_FONT_ADVANCE))
        tn_change_report(change, TENON_DEFAULTED, "glyph metrics", metrics,
                         "set to bearing 0 and the width of the glyph as advance");
    else
        tn_change_report(change, TENON_DROPPED, "glyph metrics", metrics,
                         "versions before 1.5 have no bearing and no advance");
    gpb_dialects_change_font_format(font, from, change);
    return true;
}
