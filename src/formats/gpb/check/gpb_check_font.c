// gpb_check_font.c: checks fonts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"

#include "core/cursor/span.h"

#include <inttypes.h>

#define GPB_UV_SLACK 1e-4f

static void gpb_check_font_glyphs(const gpb_checker *checker, const tenon_gpb_font_size *size,
                                  const char *path)
{
    const tenon_element *uv = tn_layout_find(size->glyphs.layout, "uv");
    uint64_t outside = 0, first = 0;
    if (size->glyphs.count == 0)
        tn_found(checker->check, GPB_GLYPHS_EMPTY, tn_path("%s.glyphs", path),
                 "there are no glyphs");
    for (uint64_t i = 0; i < size->glyphs.count; i++) {
        float v[4];
        bool is_inside = true;
        tn_span_f32(&size->glyphs, uv, i, 1, v);
        for (uint32_t k = 0; k < 4; k++)
            is_inside = is_inside && v[k] >= -GPB_UV_SLACK && v[k] <= 1 + GPB_UV_SLACK;
        if (is_inside && v[0] <= v[2] && v[1] <= v[3]) continue;
        if (!tn_all_finite(v, 4)) continue;  // The rule for finite numbers reports this.
        if (outside++ == 0) first = i;
    }
    if (outside)
        tn_found(checker->check, GPB_GLYPH_UV, tn_path("%s.glyphs[%" PRIu64 "]", path, first),
                 "%" PRIu64 " of %" PRIu64 " glyphs are outside the texture, this is the first",
                 outside, size->glyphs.count);
}

static void gpb_check_font_size(const gpb_checker *checker, const tenon_gpb_font_size *size,
                                const char *path)
{
    uint64_t needed = (uint64_t)size->width * size->height;
    bool has_format = (checker->doc->base.dialect->flags & TENON_GPB_FONT_FORMAT) != 0;
    gpb_check_font_glyphs(checker, size, path);
    if (size->texels.count != needed)
        tn_found(checker->check, GPB_TEXEL_COUNT, tn_path("%s.texels", path),
                 "%" PRIu32 " times %" PRIu32 " is %" PRIu64 ", but there are %" PRIu64 " texels",
                 size->width, size->height, needed, size->texels.count);
    if (has_format && size->format > 1)
        tn_found(checker->check, GPB_FONT_FORMAT, tn_path("%s.format", path),
                 "format %" PRIu32 " does not exist", size->format);
    if (!has_format && gpb_dialects_looks_like_distance_field(size))
        tn_found(checker->check, GPB_DISTANCE_FIELD, tn_path("%s.texels", path),
                 "the texture is a distance field, but this version has no field for the format");
}

void gpb_check_font(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_font *font = &checker->doc->blocks[block].body.font;
    tn_path_text path = tn_path("blocks[%" PRIu32 "].font", block);
    if (font->family.size == 0)
        tn_found(checker->check, GPB_FONT_FAMILY, tn_path("%s.family", path.text),
                 "the family name is empty");
    if (font->style != 0 && font->style != 1 && font->style != 2 && font->style != 4)
        tn_found(checker->check, GPB_FONT_STYLE, tn_path("%s.style", path.text),
                 "style %" PRIu32 " does not exist", font->style);
    if (font->size_count == 0 && !font->unicode)
        tn_found(checker->check, GPB_FONT_EMPTY, tn_path("%s.sizes", path.text),
                 "there are no sizes");
    for (uint32_t i = 0; i < font->size_count; i++)
        gpb_check_font_size(checker, &font->sizes[i],
                            tn_path("%s.sizes[%" PRIu32 "]", path.text, i).text);
}
