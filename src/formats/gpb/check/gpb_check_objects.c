// gpb_check_objects.c: checks meshes, animations and fonts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "core/math/sort.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>

#define GPB_POSITION       1
#define GPB_USAGE_MOST     15
#define GPB_BOUNDS_SLACK   1e-3   // Relative to the size of the box.
#define GPB_TIME_MOST      1.0e9  // Milliseconds, twelve days.
#define GPB_ROTATION_SLACK 1e-2
#define GPB_UV_SLACK       1e-4f

// -- Meshes

// The bounds of skinned meshes include all poses, so only those of other meshes can be checked.
static void gpb_check_objects_bounds(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    const tenon_gpb_bounds *bounds = &mesh->bounds;
    if (mesh->vertices.count == 0 || checker->uses[block] & GPB_USED_BY_SKIN) return;
    const tenon_element *position = tn_layout_find(mesh->vertices.layout, "position");
    if (!position || position->count != 3) return;
    tn_bounds box = tn_bounds_empty();
    double far_square = 0, size = 0;
    const uint8_t *p = mesh->vertices.data + position->offset;
    for (uint64_t v = 0; v < mesh->vertices.count; v++, p += mesh->vertices.layout->stride) {
        double square = 0, point[3];
        for (uint32_t k = 0; k < 3; k++) {
            point[k] = tn_load_f32(p + 4 * k, false);
            double d = point[k] - bounds->center[k];
            square += d * d;
        }
        tn_bounds_add(&box, point);
        if (square > far_square) far_square = square;
    }
    for (uint32_t k = 0; k < 3; k++) size += box.max[k] - box.min[k];
    if (!(size < INFINITY)) return;  // The rule for finite numbers reports this.
    double slack = GPB_BOUNDS_SLACK * size + 1e-6;
    bool is_box = true;
    for (uint32_t k = 0; k < 3; k++)
        is_box = is_box && fabs(bounds->min[k] - box.min[k]) <= slack &&
                 fabs(bounds->max[k] - box.max[k]) <= slack;
    if (!is_box)
        tn_found(checker->check, "bounds", tn_path("blocks[%" PRIu32 "].mesh.bounds", block),
                 "the box is not the bounding box of the %" PRIu64 " vertices",
                 mesh->vertices.count);
    else if (!(sqrt(far_square) <= bounds->radius + slack))
        tn_found(checker->check, "bounds", tn_path("blocks[%" PRIu32 "].mesh.bounds.radius", block),
                 "a vertex is %s from the center, outside the radius of %s",
                 gpb_check_number(sqrt(far_square)).text, gpb_check_number(bounds->radius).text);
}

void gpb_check_mesh(const gpb_checker *checker, uint32_t block)
{
    tn_check *check = checker->check;
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    uint32_t seen = 0;
    bool has_position = false;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        const tenon_gpb_element *e = &mesh->elements[i];
        tn_path_text path = tn_path("blocks[%" PRIu32 "].mesh.elements[%" PRIu32 "]", block, i);
        bool is_known = e->usage >= 1 && e->usage <= GPB_USAGE_MOST;
        has_position = has_position || (e->usage == GPB_POSITION && e->size == 3);
        if (!is_known)
            tn_found(check, "element", path, "usage %" PRIu32 " does not exist", e->usage);
        else if (seen & 1u << e->usage)
            tn_found(check, "element", path, "usage %" PRIu32 " occurs twice", e->usage);
        else if (e->size < 1 || e->size > 4)
            tn_found(check, "element", path, "the element has %" PRIu32 " floats, expected 1 to 4",
                     e->size);
        if (is_known) seen |= 1u << e->usage;
    }
    if (!has_position)
        tn_found(check, "no-position", tn_path("blocks[%" PRIu32 "].mesh.elements", block),
                 "none of the %" PRIu32 " elements is a position of 3 floats", mesh->element_count);
    if (mesh->leftover.size)
        tn_found(check, "vertex-size", tn_path("blocks[%" PRIu32 "].mesh.vertex_size", block),
                 "%" PRIu32 " bytes are not a multiple of the vertex size, %" PRIu64 " bytes",
                 mesh->vertex_size, mesh->vertices.layout->stride);
    tenon_str id = gpb_index_id_of(checker->doc, checker->doc->blocks[block].reference);
    if (!checker->uses[block])
        tn_found(check, "mesh-unused", tn_path("blocks[%" PRIu32 "].mesh", block),
                 "no node uses '%s'", gpb_check_show(id).text);
    gpb_check_objects_bounds(checker, block);
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const tenon_gpb_part *part = &mesh->parts[i];
        tn_path_text at = tn_path("blocks[%" PRIu32 "].mesh.parts[%" PRIu32 "]", block, i);
        uint32_t type = part->primitive_type, corners = type == 4 ? 3 : type == 1 ? 2 : 1;
        if (type > 5 || type == 2)
            tn_found(check, "primitive-type", tn_path("%s.primitive_type", at.text),
                     "primitive type %" PRIu32 " does not exist", type);
        if (part->indices.count % corners)
            tn_found(check, "primitive-count", tn_path("%s.primitive_type", at.text),
                     "%" PRIu64 " indices are not a multiple of %" PRIu32, part->indices.count,
                     corners);
        if (part->index_format != 0x1401 && part->index_format != 0x1403 &&
            part->index_format != 0x1405) {
            tn_found(check, "index-format", tn_path("%s.index_format", at.text),
                     "0x%04" PRIx32 " is neither 0x1401, 0x1403 nor 0x1405", part->index_format);
            continue;
        }
        if (part->leftover.size)
            tn_found(check, "index-size", tn_path("%s.index_size", at.text),
                     "%" PRIu32 " bytes are not a multiple of %" PRIu64, part->index_size,
                     part->indices.layout->stride);
        tn_check_indices(check, tn_path("%s.indices", at.text).text, &part->indices,
                         mesh->vertices.count);
    }
}

// -- Keys

static void gpb_check_objects_values(tn_check *check, const tenon_gpb_channel *channel,
                                     const char *path)
{
    gpb_attribute attribute = gpb_index_attribute_of(channel->target_attribute);
    if (!attribute.name) {
        tn_found(check, "attribute", tn_path("%s.target_attribute", path),
                 "attribute %" PRIu32 " does not exist", channel->target_attribute);
        return;
    }
    if (channel->target_attribute == 0)
        tn_found(check, "attribute-skipped", tn_path("%s.target_attribute", path),
                 "the engine does not play attribute 0");
    uint64_t needed = channel->key_times.count * attribute.size, bad = 0, first = 0;
    if (channel->values.count != needed) {
        tn_found(check, "key-values", tn_path("%s.values", path),
                 "%" PRIu64 " keys of %" PRIu32 " numbers need %" PRIu64
                 " numbers, but there are %" PRIu64,
                 channel->key_times.count, attribute.size, needed, channel->values.count);
        return;
    }
    if (attribute.rotation == TENON_NONE) return;
    for (uint64_t at = attribute.rotation; at < needed; at += attribute.size) {
        double square = 0;
        for (uint32_t i = 0; i < 4; i++) {
            double v = tn_load_f32(channel->values.data + 4 * (at + i), false);
            square += v * v;
        }
        if (!(square < INFINITY) || fabs(square - 1) <= 2 * GPB_ROTATION_SLACK) continue;
        if (bad++ == 0) first = at;
    }
    if (bad)
        tn_found(check, "key-rotation", tn_path("%s.values[%" PRIu64 "]", path, first),
                 "%" PRIu64 " rotations do not have length 1, this is the first", bad);
}

// -- Animations

static bool gpb_check_objects_channel_order(const void *context, uint32_t a, uint32_t b)
{
    const tenon_gpb_channel *channels = context;
    int order = tn_text_order(channels[a].target_id, channels[b].target_id);
    return order ? order < 0 : channels[a].target_attribute < channels[b].target_attribute;
}

void gpb_check_animation(const gpb_checker *checker, const tenon_gpb_animation *animation,
                         const char *path)
{
    tn_check *check = checker->check;
    uint32_t count = animation->channel_count;
    if (count == 0)
        tn_found(check, "animation-empty", tn_path("%s", path),
                 "the animation '%s' has no channels", gpb_check_show(animation->id).text);
    for (uint32_t i = 0; i < count; i++) {
        const tenon_gpb_channel *channel = &animation->channels[i];
        const tenon_span *curves = &channel->interpolations;
        tn_path_text at = tn_path("%s.channels[%" PRIu32 "]", path, i);
        if (gpb_index_find_node(&checker->index, channel->target_id) == TENON_NONE)
            tn_found(check, "animation-target", tn_path("%s.target_id", at.text),
                     "the node '%s' does not exist", gpb_check_show(channel->target_id).text);
        // Report the first key time that is wrong.
        double last = -INFINITY;
        for (uint64_t k = 0; k < channel->key_times.count; k++) {
            double time = gpb_index_key_time(channel, k);
            if (!isfinite(time)) continue;  // The rule for finite numbers reports this.
            if (!(time > last)) {
                tn_found(check, "key-order", tn_path("%s.key_times[%" PRIu64 "]", at.text, k),
                         "key %" PRIu64 " of %" PRIu64 " is not later than the key before it", k,
                         channel->key_times.count);
                break;
            }
            if (time > GPB_TIME_MOST) {
                tn_found(check, "key-time", tn_path("%s.key_times[%" PRIu64 "]", at.text, k),
                         "a key is at %s milliseconds", gpb_check_number(time).text);
                break;
            }
            last = time;
        }
        gpb_check_objects_values(check, channel, at.text);
        if (curves->count != 1 && curves->count != channel->key_times.count)
            tn_found(check, "interpolation-count", tn_path("%s.interpolations", at.text),
                     "%" PRIu64 " interpolations for %" PRIu64 " keys", curves->count,
                     channel->key_times.count);
        bool is_curved = channel->tangents_in.count || channel->tangents_out.count;
        for (uint64_t k = 0; k < curves->count && !is_curved; k++)
            is_curved = tn_span_u32(curves, k) != 1;
        if (is_curved)
            tn_found(check, "interpolation", tn_path("%s.interpolations", at.text),
                     "the channel has curves, which the engine reads but does not play");
    }
    // The encoder writes all takes of a source into one animation, which then moves the same target
    // several times.
    uint32_t *order = tn_check_alloc(check, count, sizeof *order);
    uint32_t *spare = tn_check_alloc(check, count, sizeof *spare);
    uint64_t repeated = 0;
    if (check->failed) return;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, gpb_check_objects_channel_order, animation->channels);
    for (uint32_t i = 1; i < count; i++)
        repeated += !gpb_check_objects_channel_order(animation->channels, order[i - 1], order[i]);
    if (repeated)
        tn_found(check, "animation-takes", tn_path("%s", path),
                 "%" PRIu64 " of %" PRIu32 " channels have the same target as another channel",
                 repeated, count);
}

// -- Fonts

void gpb_check_font(const gpb_checker *checker, uint32_t block)
{
    tn_check *check = checker->check;
    const tenon_gpb_font *font = &checker->doc->blocks[block].body.font;
    bool has_format = (checker->doc->base.dialect->flags & TENON_GPB_FONT_FORMAT) != 0;
    tn_path_text path = tn_path("blocks[%" PRIu32 "].font", block);
    if (font->family.size == 0)
        tn_found(check, "font-family", tn_path("%s.family", path.text), "the family name is empty");
    if (font->style != 0 && font->style != 1 && font->style != 2 && font->style != 4)
        tn_found(check, "font-style", tn_path("%s.style", path.text),
                 "style %" PRIu32 " does not exist", font->style);
    if (font->size_count == 0 && !font->unicode)
        tn_found(check, "font-empty", tn_path("%s.sizes", path.text), "there are no sizes");
    for (uint32_t s = 0; s < font->size_count; s++) {
        const tenon_gpb_font_size *size = &font->sizes[s];
        const tenon_span *glyphs = &size->glyphs;
        tn_path_text at = tn_path("%s.sizes[%" PRIu32 "]", path.text, s);
        uint64_t needed = (uint64_t)size->width * size->height, outside = 0, first = 0;
        if (glyphs->count == 0)
            tn_found(check, "glyphs-empty", tn_path("%s.glyphs", at.text), "there are no glyphs");
        for (uint64_t i = 0; i < glyphs->count; i++) {
            float v[4];
            tn_span_f32(glyphs, tn_layout_find(glyphs->layout, "uv"), i, 1, v);
            bool is_inside = v[0] <= v[2] && v[1] <= v[3];
            for (uint32_t k = 0; k < 4; k++)
                is_inside = is_inside && v[k] >= -GPB_UV_SLACK && v[k] <= 1 + GPB_UV_SLACK;
            // The rule for finite numbers reports the others.
            if (!is_inside && tn_all_finite(v, 4) && outside++ == 0) first = i;
        }
        if (outside)
            tn_found(check, "glyph-uv", tn_path("%s.glyphs[%" PRIu64 "]", at.text, first),
                     "%" PRIu64 " of %" PRIu64 " glyphs are outside the texture, this is the first",
                     outside, glyphs->count);
        if (size->texels.count != needed)
            tn_found(check, "texel-count", tn_path("%s.texels", at.text),
                     "%" PRIu32 " times %" PRIu32 " is %" PRIu64 ", but there are %" PRIu64
                     " texels",
                     size->width, size->height, needed, size->texels.count);
        if (has_format && size->format > 1)
            tn_found(check, "font-format", tn_path("%s.format", at.text),
                     "format %" PRIu32 " does not exist", size->format);
        if (!has_format && gpb_dialects_looks_like_distance_field(size))
            tn_found(
                check, "distance-field", tn_path("%s.texels", at.text),
                "the texture is a distance field, but this version has no field for the format");
    }
}
