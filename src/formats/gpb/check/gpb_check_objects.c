// gpb_check_objects.c: checks nodes with their parts, meshes, animations and fonts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "core/math/math.h"
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
static void gpb_check_bounds(const gpb_checker *checker, uint32_t block)
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
        tn_found(checker->check, "bounds", tn_path("blocks[%u].mesh.bounds", block),
                 "the box is not the bounding box of the %" PRIu64 " vertices",
                 mesh->vertices.count);
    else if (!(sqrt(far_square) <= bounds->radius + slack))
        tn_found(checker->check, "bounds", tn_path("blocks[%u].mesh.bounds.radius", block),
                 "a vertex is %s from the center, outside the radius of %s",
                 gpb_show_number(sqrt(far_square)).text, gpb_show_number(bounds->radius).text);
}

void gpb_check_mesh(const gpb_checker *checker, uint32_t block)
{
    tn_check *check = checker->check;
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    uint32_t seen = 0;
    bool has_position = false;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        const tenon_gpb_element *e = &mesh->elements[i];
        tn_path_text path = tn_path("blocks[%u].mesh.elements[%u]", block, i);
        bool is_known = e->usage >= 1 && e->usage <= GPB_USAGE_MOST;
        has_position = has_position || (e->usage == GPB_POSITION && e->size == 3);
        if (!is_known)
            tn_found(check, "element", path, "usage %u does not exist", e->usage);
        else if (seen & 1u << e->usage)
            tn_found(check, "element", path, "usage %u occurs twice", e->usage);
        else if (e->size < 1 || e->size > 4)
            tn_found(check, "element", path, "the element has %u floats, expected 1 to 4", e->size);
        if (is_known) seen |= 1u << e->usage;
    }
    if (!has_position)
        tn_found(check, "no-position", tn_path("blocks[%u].mesh.elements", block),
                 "none of the %u elements is a position of 3 floats", mesh->element_count);
    if (mesh->leftover.size)
        tn_found(check, "vertex-size", tn_path("blocks[%u].mesh.vertex_size", block),
                 "%u bytes are not a multiple of the vertex size, %" PRIu64 " bytes",
                 mesh->vertex_size, mesh->vertices.layout->stride);
    tenon_str id = gpb_id_of(checker->doc, checker->doc->blocks[block].reference);
    if (!checker->uses[block])
        tn_found(check, "mesh-unused", tn_path("blocks[%u].mesh", block), "no node uses '%s'",
                 tn_show(id, 48).text);
    gpb_check_bounds(checker, block);
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const tenon_gpb_part *part = &mesh->parts[i];
        tn_path_text at = tn_path("blocks[%u].mesh.parts[%u]", block, i);
        uint32_t type = part->primitive_type, corners = type == 4 ? 3 : type == 1 ? 2 : 1;
        if (type > 5 || type == 2)
            tn_found(check, "primitive-type", tn_path("%s.primitive_type", at.text),
                     "primitive type %u does not exist", type);
        if (part->indices.count % corners)
            tn_found(check, "primitive-count", tn_path("%s.primitive_type", at.text),
                     "%" PRIu64 " indices are not a multiple of %u", part->indices.count, corners);
        uint32_t format = part->index_format;
        if (format != 0x1401 && format != 0x1403 && format != 0x1405) {
            tn_found(check, "index-format", tn_path("%s.index_format", at.text),
                     "0x%04x is neither 0x1401, 0x1403 nor 0x1405", format);
            continue;
        }
        if (part->leftover.size)
            tn_found(check, "index-size", tn_path("%s.index_size", at.text),
                     "%u bytes are not a multiple of %" PRIu64, part->index_size,
                     part->indices.layout->stride);
        tn_check_indices(check, tn_path("%s.indices", at.text).text, &part->indices,
                         mesh->vertices.count);
    }
}

// -- Animations

static void gpb_check_values(tn_check *check, const tenon_gpb_channel *channel, const char *path)
{
    gpb_attribute attribute = gpb_attribute_of(channel->target_attribute);
    if (!attribute.name) {
        tn_found(check, "attribute", tn_path("%s.target_attribute", path),
                 "attribute %u does not exist", channel->target_attribute);
        return;
    }
    if (channel->target_attribute == 0)
        tn_found(check, "attribute-skipped", tn_path("%s.target_attribute", path),
                 "the engine does not play attribute 0");
    uint64_t needed = channel->key_times.count * attribute.size;
    tn_tally bad = {0};
    if (channel->values.count != needed) {
        tn_found(check, "key-values", tn_path("%s.values", path),
                 "%" PRIu64 " keys of %u numbers need %" PRIu64 " numbers, but there are %" PRIu64,
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
        tn_tally_path(&bad, 1, "%s.values[%" PRIu64 "]", path, at);
    }
    tn_found_tally(check, "key-rotation", &bad,
                   "%" PRIu64 " rotations do not have length 1, this is the first", bad.count);
}

static bool gpb_channel_before(const void *context, uint32_t a, uint32_t b)
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
                 "the animation '%s' has no channels", tn_show(animation->id, 48).text);
    for (uint32_t i = 0; i < count; i++) {
        const tenon_gpb_channel *channel = &animation->channels[i];
        const tenon_span *curves = &channel->interpolations;
        tn_path_text at = tn_path("%s.channels[%u]", path, i);
        if (gpb_find_node(&checker->index, channel->target_id) == TENON_NONE)
            tn_found(check, "animation-target", tn_path("%s.target_id", at.text),
                     "the node '%s' does not exist", tn_show(channel->target_id, 48).text);
        // Report the first key time that is wrong.
        double last = -INFINITY;
        for (uint64_t k = 0; k < channel->key_times.count; k++) {
            double time = gpb_key_time(channel, k);
            if (!isfinite(time)) continue;  // The rule for finite numbers reports this.
            if (!(time > last)) {
                tn_found(check, "key-order", tn_path("%s.key_times[%" PRIu64 "]", at.text, k),
                         "key %" PRIu64 " of %" PRIu64 " is not later than the key before it", k,
                         channel->key_times.count);
                break;
            }
            if (time > GPB_TIME_MOST) {
                tn_found(check, "key-time", tn_path("%s.key_times[%" PRIu64 "]", at.text, k),
                         "a key is at %s milliseconds", gpb_show_number(time).text);
                break;
            }
            last = time;
        }
        gpb_check_values(check, channel, at.text);
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
    uint32_t *order = tn_check_alloc(check, count, 2 * sizeof *order);
    uint64_t repeated = 0;
    if (check->failed) return;
    tn_sort_all(order, count, gpb_channel_before, animation->channels);
    for (uint32_t i = 1; i < count; i++)
        repeated += !gpb_channel_before(animation->channels, order[i - 1], order[i]);
    if (repeated)
        tn_found(check, "animation-takes", tn_path("%s", path),
                 "%" PRIu64 " of %u channels have the same target as another channel", repeated,
                 count);
}

// -- Fonts

void gpb_check_font(const gpb_checker *checker, uint32_t block)
{
    tn_check *check = checker->check;
    const tenon_gpb_font *font = &checker->doc->blocks[block].body.font;
    bool has_format = gpb_has(checker->doc, TENON_GPB_FONT_FORMAT);
    tn_path_text path = tn_path("blocks[%u].font", block);
    if (font->family.size == 0)
        tn_found(check, "font-family", tn_path("%s.family", path.text), "the family name is empty");
    if (font->style != 0 && font->style != 1 && font->style != 2 && font->style != 4)
        tn_found(check, "font-style", tn_path("%s.style", path.text), "style %u does not exist",
                 font->style);
    if (font->size_count == 0 && !font->unicode)
        tn_found(check, "font-empty", tn_path("%s.sizes", path.text), "there are no sizes");
    for (uint32_t s = 0; s < font->size_count; s++) {
        const tenon_gpb_font_size *size = &font->sizes[s];
        const tenon_span *glyphs = &size->glyphs;
        tn_path_text at = tn_path("%s.sizes[%u]", path.text, s);
        uint64_t needed = (uint64_t)size->width * size->height;
        tn_tally outside = {0};
        if (glyphs->count == 0)
            tn_found(check, "glyphs-empty", tn_path("%s.glyphs", at.text), "there are no glyphs");
        for (uint64_t i = 0; i < glyphs->count; i++) {
            float v[4];
            tn_span_f32(glyphs, tn_layout_find(glyphs->layout, "uv"), i, 1, v);
            bool is_inside = v[0] <= v[2] && v[1] <= v[3];
            for (uint32_t k = 0; k < 4; k++)
                is_inside = is_inside && v[k] >= -GPB_UV_SLACK && v[k] <= 1 + GPB_UV_SLACK;
            // The rule for finite numbers reports the others.
            if (!is_inside && tn_all_finite(v, 4))
                tn_tally_path(&outside, 1, "%s.glyphs[%" PRIu64 "]", at.text, i);
        }
        tn_found_tally(check, "glyph-uv", &outside,
                       "%" PRIu64 " of %" PRIu64
                       " glyphs are outside the texture, this is the first",
                       outside.count, glyphs->count);
        if (size->texels.count != needed)
            tn_found(check, "texel-count", tn_path("%s.texels", at.text),
                     "%u times %u is %" PRIu64 ", but there are %" PRIu64 " texels", size->width,
                     size->height, needed, size->texels.count);
        if (has_format && size->format > 1)
            tn_found(check, "font-format", tn_path("%s.format", at.text),
                     "format %u does not exist", size->format);
        if (!has_format && gpb_looks_like_distance_field(size))
            tn_found(
                check, "distance-field", tn_path("%s.texels", at.text),
                "the texture is a distance field, but this version has no field for the format");
    }
}

// -- Nodes

#define GPB_MATRIX_SLACK    1e-5f
#define GPB_INFLUENCES_MOST 4  // Used by the engine's shaders.
#define GPB_WEIGHT_SLACK    0.01
#define GPB_BLOCK           128  // Vertices checked at once.
// Every device has 128 uniform vectors for vertices. A joint needs three, and the engine's shaders
// need some for matrices, lights and textures.
#define GPB_UNIFORMS       128
#define GPB_OTHER_UNIFORMS 16

static void gpb_check_camera(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_camera *camera = &checker->index.tree.nodes[node_index].node->camera;
    if (camera->camera_type > 2)
        gpb_check_found(checker, node_index, "camera-type", "camera.camera_type",
                        "camera type %u does not exist", camera->camera_type);
    if (camera->reference == TENON_NONE)
        gpb_check_found(checker, node_index, "camera-unnamed", "camera",
                        "the camera is not in the reference table");
    float near = camera->near_plane, far = camera->far_plane, view = camera->field_of_view;
    const float *size = camera->magnification;
    // The rule for finite numbers reports others.
    if (!tn_all_finite((const float[]){near, far, view, size[0], size[1]}, 5)) return;
    if (far <= near)
        gpb_check_found(checker, node_index, "camera-values", "camera.far_plane",
                        "the far plane is not farther away than the near plane");
    else if (camera->camera_type == 1 && near <= 0)
        gpb_check_found(checker, node_index, "camera-values", "camera.near_plane",
                        "the near plane is not in front of the camera");
    else if (camera->camera_type == 1 && (view <= 0 || view >= 180))
        gpb_check_found(checker, node_index, "camera-values", "camera.field_of_view",
                        "the field of view is not between 0 and 180 degrees");
    else if (camera->camera_type == 2 && (size[0] <= 0 || size[1] <= 0))
        gpb_check_found(checker, node_index, "camera-values", "camera.magnification",
                        "the view of the camera has a width or height of 0");
}

static void gpb_check_light(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_light *light = &checker->index.tree.nodes[node_index].node->light;
    bool has_attenuation = gpb_has(checker->doc, TENON_GPB_LIGHT_ATTENUATION);
    bool is_spot = light->light_type == 3;
    if (light->light_type > 3)
        gpb_check_found(checker, node_index, "light-type", "light.light_type",
                        "light type %u does not exist", light->light_type);
    if (light->reference == TENON_NONE)
        gpb_check_found(checker, node_index, "camera-unnamed", "light",
                        "the light is not in the reference table");
    float range = light->range, inner = light->inner_angle, outer = light->outer_angle;
    // The rule for finite numbers reports others.
    if (has_attenuation || !tn_all_finite((const float[]){range, inner, outer}, 3)) return;
    if ((light->light_type == 2 || is_spot) && range <= 0)
        gpb_check_found(checker, node_index, "light-values", "light.range",
                        "the range is not greater than 0");
    if (is_spot && (inner < 0 || outer > (float)(TN_PI / 2)))
        gpb_check_found(checker, node_index, "light-values", "light.inner_angle",
                        "the cone angles are not between 0 and 90 degrees");
    else if (is_spot && inner > outer)
        gpb_check_found(checker, node_index, "light-values", "light.inner_angle",
                        "the inner angle is larger than the outer angle");
}

// -- Influences

// Each mesh is examined once, even if several skins use it.
static const gpb_influences *gpb_examine_influences(const gpb_checker *checker, uint32_t block)
{
    gpb_influences *known = &checker->influences[block];
    const tenon_span *vertices = &checker->doc->blocks[block].body.mesh.vertices;
    const tenon_element *found;
    tenon_element weights = {0}, joints = {0};
    if (known->is_known) return known;
    if (vertices->layout && (found = tn_layout_find(vertices->layout, "weights"))) weights = *found;
    if (vertices->layout && (found = tn_layout_find(vertices->layout, "indices"))) joints = *found;
    *known = (gpb_influences){.is_known = true,
                              .has_both = weights.count && joints.count,
                              .top_index = -1,
                              .invalid_vertex = TENON_ABSENT};
    if (!known->has_both) return known;
    if (weights.count > GPB_INFLUENCES_MOST) weights.count = GPB_INFLUENCES_MOST;
    if (joints.count > GPB_INFLUENCES_MOST) joints.count = GPB_INFLUENCES_MOST;
    for (uint64_t at = 0; at < vertices->count; at += GPB_BLOCK) {
        uint64_t left = vertices->count - at, count = left < GPB_BLOCK ? left : GPB_BLOCK;
        float numbers[4 * GPB_BLOCK];
        // Most blocks have no problem and no larger joint index.
        bool is_plain = weights.count == 4 && joints.count == 4;
        if (is_plain) {
            tn_span_f32(vertices, &joints, at, count, numbers);
            is_plain = tn_joints_are_plain(numbers, 4 * count, (float)known->top_index);
        }
        if (is_plain) {
            tn_span_f32(vertices, &weights, at, count, numbers);
            is_plain = tn_weights_are_plain(numbers, count);
        }
        for (uint64_t v = at; v < at + count && !is_plain; v++) {
            const uint8_t *p = tn_span_record(vertices, v);
            double sum = 0;
            for (uint32_t i = 0; i < weights.count; i++) {
                float weight = tn_load_f32(p + weights.offset + 4 * i, false);
                sum += weight;
                if (i >= joints.count || !(weight != 0)) continue;
                float index = tn_load_f32(p + joints.offset + 4 * i, false);
                if (!(index >= 0) || index != floor(index)) {
                    if (known->invalid_vertex == TENON_ABSENT) known->invalid_vertex = v;
                } else if (index > known->top_index) {
                    known->top_index = index;
                    known->top_vertex = v;
                }
            }
            // The rule for finite numbers reports sums that are not finite.
            if (!isfinite(sum) || fabs(sum - 1) <= GPB_WEIGHT_SLACK) continue;
            if (known->wrong_sum_count++ > 0) continue;
            known->wrong_sum_vertex = v;
            known->wrong_sum = sum;
        }
    }
    return known;
}

static void gpb_check_influences(const gpb_checker *checker, uint32_t node_index, uint32_t block)
{
    tn_check *check = checker->check;
    const tenon_gpb_skin *skin = &checker->index.tree.nodes[node_index].node->model.skin;
    const gpb_influences *known = gpb_examine_influences(checker, block);
    tn_path_text vertices = tn_path("blocks[%u].mesh.vertices", block);
    if (!known->has_both) {
        gpb_check_found(checker, node_index, "skin-attributes", "model.skin",
                        "the vertices of the mesh have no weights or no joint indices");
        return;
    }
    if (known->invalid_vertex != TENON_ABSENT)
        tn_found(check, "bone-index",
                 tn_path("%s[%" PRIu64 "]", vertices.text, known->invalid_vertex),
                 "a joint index is negative or not a whole number");
    if (skin->joint_count && known->top_index >= skin->joint_count)
        tn_found(check, "bone-index", tn_path("%s[%" PRIu64 "]", vertices.text, known->top_vertex),
                 "a joint index is %s, but the skin has %u joints",
                 gpb_show_number(known->top_index).text, skin->joint_count);
    if (known->wrong_sum_count)
        tn_found(check, "weight-sum",
                 tn_path("%s[%" PRIu64 "]", vertices.text, known->wrong_sum_vertex),
                 "the weights of %" PRIu64 " vertices do not sum to 1; the sum of the first is %s",
                 known->wrong_sum_count, gpb_show_number(known->wrong_sum).text);
}

static void gpb_check_model(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
    uint32_t block = gpb_find_mesh_block(&checker->index, model->mesh);
    if (block == TENON_NONE)
        gpb_check_missing(checker, gpb_node_path(&checker->index, node_index, "model.mesh"),
                          model->mesh, TENON_GPB_MESH);
    if (model->has_skin) {
        tn_check *check = checker->check;
        const tenon_gpb_skin *skin = &model->skin;
        uint64_t needed = 16 * (uint64_t)skin->joint_count;
        uint64_t vectors = 3 * (uint64_t)skin->joint_count;
        if (skin->joint_count == 0)
            gpb_check_found(checker, node_index, "skin-empty", "model.skin.joints",
                            "the skin has no joints");
        if (skin->bind_pose_count != needed)
            gpb_check_found(checker, node_index, "bind-pose-count", "model.skin.bind_pose_count",
                            "%u joints need %" PRIu64 " numbers, but there are %u",
                            skin->joint_count, needed, skin->bind_pose_count);
        if (vectors > GPB_UNIFORMS - GPB_OTHER_UNIFORMS)
            gpb_check_found(checker, node_index, "engine-palette", "model.skin.joints",
                            "%u joints need %" PRIu64
                            " uniform vectors, but some devices have only %d",
                            skin->joint_count, vectors, GPB_UNIFORMS);
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            const gpb_index *index = &checker->index;
            uint32_t joint = gpb_find_node(index, gpb_xref_id(index->doc, skin->joints[i]));
            if (joint != TENON_NONE && index->tree.nodes[joint].node->node_type != 1) continue;
            tn_path_text path =
                gpb_node_path(index, node_index, tn_path("model.skin.joints[%u]", i).text);
            if (joint == TENON_NONE)
                gpb_check_missing(checker, path, skin->joints[i], TENON_GPB_NODE);
            else
                tn_found(check, "joint-type", path, "'%s' is a node, not a joint",
                         tn_show(skin->joints[i], 48).text);
        }
    }
    if (model->has_skin && block != TENON_NONE) gpb_check_influences(checker, node_index, block);
    for (uint32_t i = 0; i < model->material_count; i++)
        if (model->materials[i].effect.size)
            gpb_check_effect(checker,
                             gpb_node_path(&checker->index, node_index,
                                           tn_path("model.materials[%u].effect", i).text),
                             model->materials[i].effect);
    if (block == TENON_NONE || model->material_count == 0) return;  // Old encoders wrote none.
    uint32_t parts = checker->doc->blocks[block].body.mesh.part_count;
    if (model->material_count != parts)
        gpb_check_found(checker, node_index, "material-count", "model.materials",
                        "the model has %u materials, but its mesh has %u parts",
                        model->material_count, parts);
}

// What is wrong with the matrix of a node; NULL if nothing is.
static const char *gpb_matrix_fault(const float *m)
{
    if (!tn_all_finite(m, 16)) return NULL;  // The rule for finite numbers reports this.
    tn_mat4 matrix = tn_mat4_from_columns(m);
    tn_trs trs;
    uint32_t flags = tn_mat4_decompose(&matrix, &trs);
    bool is_affine = fabsf(m[3]) <= GPB_MATRIX_SLACK && fabsf(m[7]) <= GPB_MATRIX_SLACK &&
                     fabsf(m[11]) <= GPB_MATRIX_SLACK && fabsf(m[15] - 1) <= GPB_MATRIX_SLACK;
    if (!is_affine) return "the last row of the matrix is not 0, 0, 0, 1";
    if (flags & TN_TRS_DEGENERATE) return "the matrix has a scale of 0";
    if (flags & TN_TRS_SHEARED) return "the matrix has shear";
    return flags & TN_TRS_MIRRORED ? "the matrix mirrors the node" : NULL;
}

void gpb_check_node(const gpb_checker *checker, uint32_t node_index)
{
    uint32_t flags = checker->doc->base.dialect->flags;
    const gpb_tree_node *nodes = checker->index.tree.nodes, *at = &nodes[node_index];
    const tenon_gpb_node *node = at->node;
    if (node->reference == TENON_NONE)
        gpb_check_found(checker, node_index, "node-unnamed", "",
                        "the node is not in the reference table");
    if (node->node_type != 1 && node->node_type != 2)
        gpb_check_found(checker, node_index, "node-type", "node_type",
                        "node type %u does not exist", node->node_type);
    const char *fault = gpb_matrix_fault(node->transform);
    if (fault) gpb_check_found(checker, node_index, "node-matrix", "transform", "%s", fault);
    bool is_root = at->parent == TENON_NONE;
    tenon_str parent =
        gpb_id_of(checker->doc, is_root ? TENON_NONE : nodes[at->parent].node->reference);
    if (flags & TENON_GPB_PARENT_ID && !tn_text_equal(parent, node->parent_id))
        gpb_check_found(checker, node_index, "parent-id", "parent_id",
                        "the node names '%s' as its parent, but its parent is '%s'",
                        tn_show(node->parent_id, 48).text, tn_show(parent, 48).text);
    if (node->camera.camera_type) gpb_check_camera(checker, node_index);
    if (node->light.light_type) gpb_check_light(checker, node_index);
    const tenon_str *mesh = &node->model.mesh;
    if (gpb_has_model(flags, &node->model))
        gpb_check_model(checker, node_index);
    else if (mesh->size > 1 || (mesh->size == 1 && mesh->data[0] != '#'))
        gpb_check_found(checker, node_index, "model-name", "model.mesh",
                        "'%s' does not start with '#'", tn_show(*mesh, 48).text);
}
