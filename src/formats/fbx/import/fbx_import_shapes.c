// fbx_import_shapes.c: blend shapes: channels with one target, or several at rising percentages.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_mesh.h"
#include "formats/fbx/import/fbx_import_old.h"

#include "core/text/text.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

// -- Finding them

static bool fbx_import_shapes_add(fbx_importer *importer, fbx_geometry *geometry, uint32_t *room,
                                  const fbx_shape *shape)
{
    if (!fbx_import_grow(importer, (void **)&geometry->shapes, geometry->shape_count, room,
                         sizeof *geometry->shapes))
        return false;
    geometry->shapes[geometry->shape_count++] = *shape;
    return true;
}

// The targets of a channel. Blender stores a factor for each point of the shape where others store
// the percentage at which the shape is complete.
static bool fbx_import_shapes_channel(fbx_importer *importer, fbx_geometry *geometry,
                                      uint32_t object, uint32_t index, uint32_t *room)
{
    const fbx_object *channel = &importer->objects[object];
    fbx_links links = fbx_import_children(importer, object);
    const tenon_fbx_node *percent = fbx_child(channel->node, "DeformPercent");
    uint64_t full_count = 0;
    uint32_t first = geometry->shape_count;
    const double *fulls =
        fbx_import_f64s(importer, fbx_child(channel->node, "FullWeights"), &full_count);
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        uint32_t child = importer->links[links.items[i]].child;
        const fbx_object *target = &importer->objects[child];
        if (target->kind != FBX_GEOMETRY) continue;
        uint32_t k = geometry->shape_count - first;
        const fbx_shape shape = {.object = child,
                                 .node = target->node,
                                 .channel = index,
                                 .full = k < full_count ? fbx_import_finite(fulls[k]) : 100,
                                 .name = target->name.size ? target->name : channel->name};
        if (!fbx_import_shapes_add(importer, geometry, room, &shape)) return false;
    }
    if (importer->builder->failed) return false;
    uint32_t count = geometry->shape_count - first;
    fbx_shape *only = count ? &geometry->shapes[first] : NULL;
    if (count == 1) {
        // In a file of one shape, the channel has its name.
        if (channel->name.size) only->name = channel->name;
        uint64_t point_count = fbx_number_count(fbx_child(only->node, "Indexes"));
        only->is_per_point = full_count > 1 && full_count == point_count;
        if (only->is_per_point) only->factors = fulls;
        if (only->is_per_point || only->full == 0) only->full = 100;
    }
    geometry->channels[index] = (fbx_channel){
        .object = object,
        .property = {"DeformPercent", 13},
        .percent = fbx_import_property_number(channel, "DeformPercent", fbx_number(percent, 0, 0)),
        .first_shape = first,
        .shape_count = count};
    return true;
}

// A property of a model or a geometry, which may be the percentage of a shape.
typedef struct shape_property {
    tn_named named;
    double percent;
    uint32_t object;
} shape_property;

// Up to version 7.1 shapes may be inside of the geometry. Their percentages are properties of the
// model or, in version 7, of the geometry, which have their names. Before version 6 models have
// channels instead of properties.
static bool fbx_import_shapes_inside(fbx_importer *importer, fbx_geometry *geometry, uint32_t *room,
                                     uint32_t *channel_room)
{
    const tenon_fbx_node *node = importer->objects[geometry->object].node;
    uint32_t model = fbx_import_parent_of(importer, geometry->object, FBX_MODEL);
    if (model == TENON_NONE || !fbx_child(node, "Shape")) return true;
    const uint32_t owners[] = {model, geometry->object};
    tn_name_tree names = {0};
    for (int k = 0; k < (importer->is_old ? 1 : 2); k++) {
        const tenon_fbx_node *list = importer->objects[owners[k]].properties;
        bool has_channels = importer->is_old && !list;
        if (has_channels) list = importer->objects[owners[k]].node;
        uint32_t count = list ? list->child_count : 0;
        shape_property *properties = fbx_import_alloc(importer, count, sizeof *properties);
        if (!properties) return false;
        for (uint32_t i = 0; i < count; i++) {
            const tenon_fbx_node *property = &list->children[i], *value = property;
            tenon_str name = fbx_text(property, 0);
            if (has_channels && !fbx_is_named(property, "Channel")) continue;
            if (has_channels) name = fbx_import_old_property(property);
            if (has_channels) value = fbx_child(property, "Default");
            double percent = fbx_number(value, has_channels ? 0 : fbx_property_start(value), 0);
            properties[i] = (shape_property){
                .named.name = name, .percent = fbx_import_finite(percent), .object = owners[k]};
            (void)tn_name_enter(&names, &properties[i].named);
        }
    }
    for (uint32_t i = 0; i < node->child_count; i++) {
        const tenon_fbx_node *child = &node->children[i];
        if (!fbx_is_named(child, "Shape")) continue;
        tenon_str name = fbx_text(child, 0);
        const fbx_shape shape = {.object = TENON_NONE,
                                 .node = child,
                                 .channel = geometry->channel_count,
                                 .full = 100,
                                 .name = fbx_import_text(importer, name)};
        const shape_property *found = (const shape_property *)tn_name_find(&names, name);
        const fbx_channel channel = {.object = found ? found->object : model,
                                     .property = name,
                                     .percent = found ? found->percent : 0,
                                     .first_shape = geometry->shape_count,
                                     .shape_count = 1};
        if (!fbx_import_shapes_add(importer, geometry, room, &shape) ||
            !fbx_import_grow(importer, (void **)&geometry->channels, geometry->channel_count,
                             channel_room, sizeof *geometry->channels))
            return false;
        geometry->channels[geometry->channel_count++] = channel;
    }
    return true;
}

bool fbx_import_find_shapes(fbx_importer *importer, fbx_geometry *geometry)
{
    fbx_links deformers = fbx_import_children(importer, geometry->object);
    uint32_t room = 0, channel_room = 0;
    if (!fbx_import_shapes_inside(importer, geometry, &room, &channel_room)) return false;
    for (uint32_t i = 0; i < deformers.count && !importer->builder->failed; i++) {
        uint32_t deformer = importer->links[deformers.items[i]].child;
        if (importer->objects[deformer].kind != FBX_DEFORMER ||
            !tn_text_is(importer->objects[deformer].type, "BlendShape"))
            continue;
        fbx_links channels = fbx_import_children(importer, deformer);
        for (uint32_t k = 0; k < channels.count; k++) {
            uint32_t channel = importer->links[channels.items[k]].child;
            if (importer->objects[channel].kind != FBX_DEFORMER) continue;
            if (!fbx_import_grow(importer, (void **)&geometry->channels, geometry->channel_count,
                                 &channel_room, sizeof *geometry->channels) ||
                !fbx_import_shapes_channel(importer, geometry, channel, geometry->channel_count++,
                                           &room))
                return false;
        }
    }
    return !importer->builder->failed;
}

// -- Offsets

// Vectors of points, times the factor of each.
static float *fbx_import_shapes_spread(const fbx_mesh *mesh, const fbx_shape *shape,
                                       const int32_t *points, uint64_t count, const double *vectors,
                                       double unit)
{
    float *out = fbx_import_alloc(mesh->importer, mesh->point_count, 3 * sizeof *out);
    for (uint64_t i = 0; out && i < count; i++) {
        uint32_t point = (uint32_t)points[i];
        if (point >= mesh->point_count) continue;
        double factor = shape->is_per_point ? unit * shape->factors[i] / 100 : unit;
        const double *v = vectors + 3 * i;
        tn_vec3 offset = {v[0] * factor, v[1] * factor, v[2] * factor};
        offset = tn_mat4_vector(&mesh->geometric, offset);
        float *to = out + 3 * (size_t)point;
        to[0] = tn_to_float(offset.x), to[1] = tn_to_float(offset.y);
        to[2] = tn_to_float(offset.z);
    }
    if (out && mesh->importer->is_mirrored) tn_mirror_floats(out, mesh->point_count, 3);
    return out;
}

bool fbx_import_shape_offsets(const fbx_mesh *mesh, const fbx_shape *shape, float **offsets,
                              float **normals)
{
    fbx_importer *importer = mesh->importer;
    uint64_t count = 0, vector_count = 0, normal_count = 0;
    const int32_t *points = fbx_import_i32s(importer, fbx_child(shape->node, "Indexes"), &count);
    const double *vectors =
        fbx_import_f64s(importer, fbx_child(shape->node, "Vertices"), &vector_count);
    const double *turns =
        fbx_import_f64s(importer, fbx_child(shape->node, "Normals"), &normal_count);
    if (importer->builder->failed) return false;
    if (vector_count / 3 < count) count = vector_count / 3;
    *offsets = fbx_import_shapes_spread(mesh, shape, points, count, vectors, importer->unit);
    *normals = NULL;
    if (normal_count / 3 >= count && count && mesh->normals.mapping)
        *normals = fbx_import_shapes_spread(mesh, shape, points, count, turns, 1);
    return !importer->builder->failed && tn_goes_on(&importer->builder->pulse, (uint32_t)count);
}

// -- Weights

void fbx_import_shape_weights(const fbx_geometry *geometry, uint32_t index, double percent,
                              double *out)
{
    const fbx_channel *channel = &geometry->channels[index];
    const fbx_shape *shapes = geometry->shapes + channel->first_shape;
    // Between 0, where no shape shows, and the nearest targets on the side of the percentage: one
    // beyond it and one before it; without one beyond, the last two.
    double side = percent < 0 ? -1 : 1;
    uint32_t after = TENON_NONE, before = TENON_NONE, last = TENON_NONE, nearest = TENON_NONE;
    for (uint32_t i = 0; i < channel->shape_count; i++) {
        double full = side * shapes[i].full, at = side * percent;
        out[i] = 0;
        if (full <= 0) {
            if (nearest == TENON_NONE || full > side * shapes[nearest].full) nearest = i;
            continue;
        }
        if (full >= at && (after == TENON_NONE || full < side * shapes[after].full)) after = i;
        if (full < at && (before == TENON_NONE || full > side * shapes[before].full)) before = i;
    }
    if (after == TENON_NONE && before != TENON_NONE) {
        after = before;
        before = TENON_NONE;
        for (uint32_t i = 0; i < channel->shape_count; i++) {
            double full = side * shapes[i].full;
            bool is_inner = full > 0 && full < side * shapes[after].full;
            if (is_inner && (last == TENON_NONE || full > side * shapes[last].full)) last = i;
        }
        before = last;
    }
    if (after == TENON_NONE) {
        if (nearest != TENON_NONE && shapes[nearest].full != 0)
            out[nearest] = percent / shapes[nearest].full;
        return;
    }
    double from = before == TENON_NONE ? 0 : shapes[before].full, to = shapes[after].full;
    out[after] = (percent - from) / (to - from);
    if (before != TENON_NONE) out[before] = (to - percent) / (to - from);
}

// -- Geometries

bool fbx_import_geometries(fbx_importer *importer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->object_count; i++)
        count += importer->objects[i].kind == FBX_GEOMETRY;
    importer->geometries = fbx_import_alloc(importer, count, sizeof *importer->geometries);
    for (uint32_t i = 0; i < importer->object_count && !importer->builder->failed; i++) {
        fbx_object *object = &importer->objects[i];
        bool is_mesh = tn_text_is(object->type, "Mesh") || tn_text_is(object->type, "Line");
        if (object->kind != FBX_GEOMETRY || !is_mesh) continue;
        object->index = importer->geometry_count;
        fbx_geometry *geometry = &importer->geometries[importer->geometry_count++];
        *geometry = (fbx_geometry){.object = i};
        if (!fbx_import_find_shapes(importer, geometry)) return false;
    }
    return !importer->builder->failed;
}
