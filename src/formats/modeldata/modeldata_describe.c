// modeldata_describe.c: the bytes of a ModelData or AnimatedModelData file.
// SPDX-License-Identifier: MIT

#include "modeldata_format.h"

#include "../../core/span.h"

static const char *const modeldata_map_names[TENON_MODELDATA_MAPS] = {
    "diffuse_map",           "normal_map", "specular_map",   "displacement_map",
    "ambient_occlusion_map", "alpha_map",  "reflection_map", "glow_map",
};

static const tenon_element modeldata_vector_key[] = {
    {"time", TENON_TYPE_F32, 1, 0, 0},
    {"vec", TENON_TYPE_F32, 3, 0, 4},
};
static const tenon_layout modeldata_vector_keys = {modeldata_vector_key, 2, 16, NULL, 0, NULL};

static const tenon_element modeldata_rotation_key[] = {
    {"time", TENON_TYPE_F32, 1, 0, 0},
    {"vec", TENON_TYPE_F32, 4, 0, 4},
};
static const tenon_layout modeldata_rotation_keys = {modeldata_rotation_key, 2, 20, NULL, 0, NULL};

// An array that fills `size` bytes.
static void modeldata_array(tn_io *io, const char *name, tenon_span *v, uint32_t size,
                            const tenon_layout *layout)
{
    if (!io->failed && size % layout->stride != 0)
        tn_fail(io, TENON_ERR_VALUE, io->pos, name,
                "'%s' has %u bytes, which is not a multiple of %u", name, (unsigned)size,
                (unsigned)layout->stride);
    tn_records(io, name, v, size / layout->stride, layout);
}

static void modeldata_describe_material(tn_io *io, tenon_modeldata_material *m, uint64_t size)
{
    tn_enter(io, "material");
    tn_window window = tn_window_begin(io, "material", size);
    tn_u8(io, "default_diffuse_color", &m->default_diffuse_color);
    tn_u8(io, "default_glow_color", &m->default_glow_color);
    tn_i16s(io, "map_sizes", m->map_sizes, TENON_MODELDATA_MAPS);
    tn_u8(io, "default_displacement_factor", &m->default_displacement_factor);
    tn_u8(io, "default_tiling", &m->default_tiling);
    tn_u8(io, "default_shininess", &m->default_shininess);
    tn_u8(io, "default_shine_damping", &m->default_shine_damping);
    tn_f32s(io, "diffuse_color", m->diffuse_color, 3);
    tn_f32s(io, "glow_color", m->glow_color, 3);
    for (uint32_t i = 0; i < TENON_MODELDATA_MAPS; i++)
        tn_str(io, modeldata_map_names[i], &m->maps[i], (uint16_t)m->map_sizes[i]);
    tn_f32(io, "displacement_factor", &m->displacement_factor);
    tn_f32(io, "tiling", &m->tiling);
    tn_f32(io, "shininess", &m->shininess);
    tn_f32(io, "shine_damping", &m->shine_damping);
    tn_window_end(io, &window, &m->leftover);
    tn_leave(io);
}

// The first two releases stored the last two sizes four times too large. The mesh's own size, which
// is the window, was right.
static uint64_t modeldata_infer_factor(tn_io *io, const void *subject)
{
    const tenon_modeldata_mesh *m = subject;
    uint64_t arrays = (uint64_t)m->vertices_size + m->texture_coordinates_size + m->normals_size +
                      m->tangents_size + m->joint_ids_size + m->weights_size + m->indices_size;
    uint64_t last = (uint64_t)m->material_size + m->collision_shape_size;
    uint64_t left = io->end - io->pos;
    bool divisible = m->material_size % 4 == 0 && m->collision_shape_size % 4 == 0;
    return arrays + last != left && divisible && arrays + last / 4 == left ? 4 : 1;
}

static void modeldata_describe_mesh(tn_io *io, tenon_modeldata_mesh *m, uint64_t size)
{
    tn_window window = tn_window_begin(io, "mesh", size);
    tn_u32(io, "vertices_size", &m->vertices_size);
    tn_u32(io, "texture_coordinates_size", &m->texture_coordinates_size);
    tn_u32(io, "normals_size", &m->normals_size);
    tn_u32(io, "tangents_size", &m->tangents_size);
    tn_u32(io, "joint_ids_size", &m->joint_ids_size);
    tn_u32(io, "weights_size", &m->weights_size);
    tn_u32(io, "indices_size", &m->indices_size);
    tn_u32(io, "material_size", &m->material_size);
    tn_u32(io, "collision_shape_size", &m->collision_shape_size);
    tn_inferred_u32(io, "size_factor", &m->size_factor, modeldata_infer_factor, m);
    uint32_t factor = m->size_factor ? m->size_factor : 1;

    modeldata_array(io, "vertices", &m->vertices, m->vertices_size, &tn_layout_f32x3);
    modeldata_array(io, "texture_coordinates", &m->texture_coordinates, m->texture_coordinates_size,
                    &tn_layout_f32x2);
    modeldata_array(io, "normals", &m->normals, m->normals_size, &tn_layout_f32x3);
    modeldata_array(io, "tangents", &m->tangents, m->tangents_size, &tn_layout_f32x3);
    modeldata_array(io, "joint_ids", &m->joint_ids, m->joint_ids_size, &tn_layout_u32x4);
    modeldata_array(io, "weights", &m->weights, m->weights_size, &tn_layout_f32x4);
    modeldata_array(io, "indices", &m->indices, m->indices_size, &tn_layout_u32);
    if (m->material_size) modeldata_describe_material(io, &m->material, m->material_size / factor);
    if (m->collision_shape_size)
        tn_str(io, "collision_shape", &m->collision_shape, m->collision_shape_size / factor);
    tn_window_end(io, &window, &m->leftover);
}

static void modeldata_describe_model(tn_io *io, tenon_modeldata *doc)
{
    tn_u32(io, "mesh_count", &doc->mesh_count);
    tn_u32_array(io, "mesh_sizes", &doc->mesh_sizes, doc->mesh_count);
    tn_items(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes, 36);
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++)
        modeldata_describe_mesh(io, &doc->meshes[i], doc->mesh_sizes[i]);
}

static void modeldata_describe_skeleton(tn_io *io, tenon_modeldata *doc)
{
    tn_u32(io, "joint_count", &doc->joint_count);
    tn_u32_array(io, "joint_name_sizes", &doc->joint_name_sizes, doc->joint_count);
    tn_items(io, "joints", &doc->joints, &doc->joint_count, sizeof *doc->joints, 136);
    for (uint32_t i = 0; tn_next(io, i, doc->joint_count); i++) {
        tenon_modeldata_joint *joint = &doc->joints[i];
        tn_i32(io, "index", &joint->index);
        tn_i32(io, "parent_index", &joint->parent_index);
        tn_str(io, "name", &joint->name, doc->joint_name_sizes[i]);
        tn_f32s(io, "inverse_bind_matrix", joint->inverse_bind_matrix, 16);
        tn_f32s(io, "bind_local_pose", joint->bind_local_pose, 16);
    }
}

static void modeldata_describe_keys(tn_io *io, const char *name, tenon_modeldata_keys **lists,
                                    uint32_t *count, const uint32_t *key_counts,
                                    const tenon_layout *layout)
{
    tn_items(io, name, lists, count, sizeof **lists, 0);
    for (uint32_t i = 0; tn_next(io, i, *count); i++)
        tn_records(io, "", &(*lists)[i].keys, key_counts[i], layout);
}

static void modeldata_describe_animation(tn_io *io, tenon_modeldata_animation *a, uint64_t size)
{
    tn_window window = tn_window_begin(io, "animation", size);
    tn_u32(io, "name_size", &a->name_size);
    tn_u32(io, "position_list_count", &a->position_list_count);
    tn_u32(io, "rotation_list_count", &a->rotation_list_count);
    tn_u32(io, "scale_list_count", &a->scale_list_count);
    tn_u32_array(io, "position_key_counts", &a->position_key_counts, a->position_list_count);
    tn_u32_array(io, "rotation_key_counts", &a->rotation_key_counts, a->rotation_list_count);
    tn_u32_array(io, "scale_key_counts", &a->scale_key_counts, a->scale_list_count);
    tn_str(io, "name", &a->name, a->name_size);
    modeldata_describe_keys(io, "positions", &a->positions, &a->position_list_count,
                            a->position_key_counts, &modeldata_vector_keys);
    modeldata_describe_keys(io, "rotations", &a->rotations, &a->rotation_list_count,
                            a->rotation_key_counts, &modeldata_rotation_keys);
    modeldata_describe_keys(io, "scales", &a->scales, &a->scale_list_count, a->scale_key_counts,
                            &modeldata_vector_keys);
    tn_window_end(io, &window, &a->leftover);
}

static void modeldata_describe_animated(tn_io *io, tenon_modeldata *doc)
{
    tn_u32(io, "model_size", &doc->model_size);
    tn_u32(io, "skeleton_size", &doc->skeleton_size);
    tn_u32(io, "animation_count", &doc->animation_count);
    tn_u32_array(io, "animation_sizes", &doc->animation_sizes, doc->animation_count);

    tn_window model = tn_window_begin(io, "model", doc->model_size);
    modeldata_describe_model(io, doc);
    tn_window_end(io, &model, &doc->model_leftover);

    if (doc->skeleton_size) {
        tn_window skeleton = tn_window_begin(io, "skeleton", doc->skeleton_size);
        modeldata_describe_skeleton(io, doc);
        tn_window_end(io, &skeleton, &doc->skeleton_leftover);
    }
    tn_items(io, "animations", &doc->animations, &doc->animation_count, sizeof *doc->animations,
             16);
    for (uint32_t i = 0; tn_next(io, i, doc->animation_count); i++)
        modeldata_describe_animation(io, &doc->animations[i], doc->animation_sizes[i]);
}

void modeldata_describe(tn_io *io, void *any)
{
    tenon_modeldata *doc = any;
    if (tn_has(io, TENON_MODELDATA_ANIMATED))
        modeldata_describe_animated(io, doc);
    else
        modeldata_describe_model(io, doc);
}
