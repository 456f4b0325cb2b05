// gpb_describe_objects.c: the bytes of meshes, animations and fonts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/layout.h"
#include "core/cursor/span.h"

#include <inttypes.h>

// -- Meshes

const char *gpb_describe_usage_name(uint32_t usage)
{
    static const char *const names[] = {
        "unknown",   "position",  "normal",    "color",     "tangent",   "binormal",
        "weights",   "indices",   "texcoord0", "texcoord1", "texcoord2", "texcoord3",
        "texcoord4", "texcoord5", "texcoord6", "texcoord7",
    };
    return names[usage < sizeof names / sizeof names[0] ? usage : 0];
}

void gpb_describe_bounds(tn_io *io, tenon_gpb_bounds *bounds)
{
    tn_enter(io, "bounds");
    tn_f32s(io, "min", bounds->min, 3);
    tn_f32s(io, "max", bounds->max, 3);
    tn_f32s(io, "center", bounds->center, 3);
    tn_f32(io, "radius", &bounds->radius);
    tn_leave(io);
}

void gpb_describe_part(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_part *part = object;
    gpb_describe_entry(io, plan, TENON_GPB_PART, &part->entry);
    tn_u32(io, "primitive_type", &part->primitive_type);
    tn_u32(io, "index_format", &part->index_format);
    tn_u32(io, "index_size", &part->index_size);
    const tenon_layout *layout = part->index_format == 0x1401   ? &tn_layout_u8
                                 : part->index_format == 0x1403 ? &tn_layout_u16
                                                                : &tn_layout_u32;
    tn_sized_records(io, "indices", &part->indices, part->index_size, layout, &part->leftover);
}

void gpb_describe_mesh(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_mesh *mesh = object;
    tn_list(io, "elements", &mesh->elements, &mesh->element_count, sizeof *mesh->elements, 8);
    for (uint32_t i = 0; tn_next(io, i, mesh->element_count); i++) {
        tn_u32(io, "usage", &mesh->elements[i].usage);
        tn_u32(io, "size", &mesh->elements[i].size);
    }
    tn_u32(io, "vertex_size", &mesh->vertex_size);
    tn_layout_builder b = tn_layout_begin(io, "vertices", &mesh->vertices, mesh->element_count);
    for (uint32_t i = 0; i < mesh->element_count; i++)
        tn_layout_add(&b, gpb_describe_usage_name(mesh->elements[i].usage), TENON_TYPE_F32,
                      mesh->elements[i].size, 0);
    tn_sized_records(io, "vertices", &mesh->vertices, mesh->vertex_size, tn_layout_end(&b),
                     &mesh->leftover);
    gpb_describe_bounds(io, &mesh->bounds);
    tn_list(io, "parts", &mesh->parts, &mesh->part_count, sizeof *mesh->parts, 12);
    for (uint32_t i = 0; tn_next(io, i, mesh->part_count); i++)
        gpb_describe_part(io, plan, &mesh->parts[i]);
}

// -- Animations

void gpb_describe_channel(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_channel *c = object;
    gpb_describe_entry(io, plan, TENON_GPB_CHANNEL, &c->entry);
    tn_str32(io, "target_id", &c->target_id);
    tn_u32(io, "target_attribute", &c->target_attribute);
    // Version 1.0 changed milliseconds from floats to integers. The last key, which is the largest,
    // shows the type: half a millisecond as a float would be twelve days as an integer.
    const uint8_t *count =
        gpb_describe_reads_file(io) && !io->failed ? tn_peek(io, io->pos, 4) : NULL;
    const uint8_t *last =
        count ? tn_peek(io, io->pos + 4 * (uint64_t)tn_load32(count, false), 4) : NULL;
    uint32_t bits = last && last != count ? tn_load32(last, false) : 0;
    bool is_float = (io->flags & TENON_GPB_FLOAT_TIMES) != 0;
    if (bits != 0 && tn_has(io, TENON_GPB_FLOAT_TIMES) != (bits >= 0x3f000000u)) tn_doubt(io);
    tn_counted(io, "key_times", &c->key_times, is_float ? &tn_layout_f32 : &tn_layout_u32);
    tn_counted(io, "values", &c->values, &tn_layout_f32);
    tn_counted(io, "tangents_in", &c->tangents_in, &tn_layout_f32);
    tn_counted(io, "tangents_out", &c->tangents_out, &tn_layout_f32);
    tn_counted(io, "interpolations", &c->interpolations, &tn_layout_u32);
}

static void gpb_describe_channels(tn_io *io, gpb_plan *plan, tenon_gpb_animation *animation)
{
    tn_list(io, "channels", &animation->channels, &animation->channel_count,
            sizeof *animation->channels, 28);
    for (uint32_t i = 0; tn_next(io, i, animation->channel_count); i++)
        gpb_describe_channel(io, plan, &animation->channels[i]);
}

void gpb_describe_animation(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_animation *animation = object;
    gpb_describe_entry(io, plan, TENON_GPB_ANIMATION, &animation->entry);
    tn_str32(io, "id", &animation->id);
    gpb_describe_channels(io, plan, animation);
}

// A list without a count, in versions that allow only one item.
static void gpb_describe_one(tn_io *io, const char *name, uint32_t *count)
{
    if (io->mode == TN_READ)
        *count = 1;
    else if (*count != 1)
        tn_fail(io, TENON_ERR_VALUE, io->pos, name,
                "'%s' has %" PRIu32 " items, but this dialect allows one", name, *count);
}

void gpb_describe_animations(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_animations *all = object;
    if (tn_has(io, TENON_GPB_BARE_ANIMATIONS)) {
        gpb_describe_one(io, "animations", &all->animation_count);
        tn_items(io, "animations", &all->animations, &all->animation_count, sizeof *all->animations,
                 4);
        for (uint32_t i = 0; tn_next(io, i, all->animation_count); i++)
            gpb_describe_channels(io, plan, &all->animations[i]);
        return;
    }
    tn_list(io, "animations", &all->animations, &all->animation_count, sizeof *all->animations, 8);
    for (uint32_t i = 0; tn_next(io, i, all->animation_count); i++)
        gpb_describe_animation(io, plan, &all->animations[i]);
}

// -- Fonts

static const tenon_element gpb_glyph_elements[] = {
    {"code", TENON_TYPE_U32, 1, 0, 0},
    {"width", TENON_TYPE_U32, 1, 0, 4},
    {"uv", TENON_TYPE_F32, 4, 0, 8},
};
const tenon_layout gpb_glyph_layout = {gpb_glyph_elements, 3, 24, NULL, 0, NULL};

static const tenon_element gpb_glyph_elements_1_5[] = {
    {"code", TENON_TYPE_U32, 1, 0, 0},      {"width", TENON_TYPE_U32, 1, 0, 4},
    {"bearing_x", TENON_TYPE_I32, 1, 0, 8}, {"advance", TENON_TYPE_U32, 1, 0, 12},
    {"uv", TENON_TYPE_F32, 4, 0, 16},
};
const tenon_layout gpb_glyph_layout_1_5 = {gpb_glyph_elements_1_5, 5, 32, NULL, 0, NULL};

void gpb_describe_font(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_font *font = object;
    (void)plan;
    tn_str32(io, "family", &font->family);
    tn_u32(io, "style", &font->style);
    if (tn_has(io, TENON_GPB_FONT_UNICODE)) {
        tn_u32(io, "unicode", &font->unicode);
        if (font->unicode) {
            tn_counted(io, "face_sizes", &font->face_sizes, &tn_layout_u32);
            tn_counted(io, "face", &font->face, &tn_layout_u8);
            return;
        }
    }
    if (tn_has(io, TENON_GPB_FONT_SIZES)) {
        tn_list(io, "sizes", &font->sizes, &font->size_count, sizeof *font->sizes, 24);
    } else {
        gpb_describe_one(io, "sizes", &font->size_count);
        tn_items(io, "sizes", &font->sizes, &font->size_count, sizeof *font->sizes, 24);
    }
    for (uint32_t i = 0; tn_next(io, i, font->size_count); i++) {
        tenon_gpb_font_size *size = &font->sizes[i];
        bool has_advance = tn_has(io, TENON_GPB_FONT_ADVANCE);
        tn_u32(io, "size", &size->size);
        tn_str32(io, "charset", &size->charset);
        tn_counted(io, "glyphs", &size->glyphs,
                   has_advance ? &gpb_glyph_layout_1_5 : &gpb_glyph_layout);
        tn_u32(io, "width", &size->width);
        tn_u32(io, "height", &size->height);
        tn_counted(io, "texels", &size->texels, &tn_layout_u8);
        if (!tn_has(io, TENON_GPB_FONT_FORMAT)) continue;
        tn_u32(io, "format", &size->format);
        if (io->keeps_parts && io->failed) size->format = TENON_NONE;  // gpb_recover() guesses it.
    }
}
