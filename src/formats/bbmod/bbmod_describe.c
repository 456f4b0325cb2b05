// bbmod_describe.c: the bytes of a BBMOD file, version 3.4.
// SPDX-License-Identifier: MIT

#include "bbmod_format.h"

#include "../../core/layout.h"
#include "../../core/span.h"

static const tenon_element bbmod_bone_elements[] = {
    {"index", TENON_TYPE_F32, 1, 0, 0},
    {"offset", TENON_TYPE_F32, 8, 0, 4},
};
static const tenon_layout bbmod_bone_layout = {bbmod_bone_elements, 2, 36, NULL, 0, NULL};

static void bbmod_describe_vertex_format(tn_io *io, tenon_bbmod_vertex_format *f)
{
    tn_enter(io, "vertex_format");
    tn_u8(io, "vertices", &f->vertices);
    tn_u8(io, "normals", &f->normals);
    tn_u8(io, "texture_coords", &f->texture_coords);
    tn_u8(io, "texture_coords2", &f->texture_coords2);
    tn_u8(io, "colors", &f->colors);
    tn_u8(io, "tangent_w", &f->tangent_w);
    tn_u8(io, "bones", &f->bones);
    tn_u8(io, "ids", &f->ids);
    tn_leave(io);
}

// How the vertices of `mesh` lie in the file.
static const tenon_layout *bbmod_layout(tn_io *io, const tenon_bbmod_mesh *mesh)
{
    const tenon_bbmod_vertex_format *f = &mesh->vertex_format;
    tn_layout_builder b = tn_layout_begin(io, "vertices", &mesh->vertices, 9);
    if (f->vertices) tn_layout_add(&b, "position", TENON_TYPE_F32, 3, 0);
    if (f->normals) tn_layout_add(&b, "normal", TENON_TYPE_F32, 3, 0);
    if (f->texture_coords) tn_layout_add(&b, "uv1", TENON_TYPE_F32, 2, 0);
    if (f->texture_coords2) tn_layout_add(&b, "uv2", TENON_TYPE_F32, 2, 0);
    if (f->colors) tn_layout_add(&b, "color", TENON_TYPE_U8, 4, 0);
    if (f->tangent_w) tn_layout_add(&b, "tangent_w", TENON_TYPE_F32, 4, 0);
    if (f->bones) tn_layout_add(&b, "bone_indices", TENON_TYPE_F32, 4, 0);
    if (f->bones) tn_layout_add(&b, "bone_weights", TENON_TYPE_F32, 4, 0);
    if (f->ids) tn_layout_add(&b, "instance_id", TENON_TYPE_F32, 1, 0);
    return tn_layout_end(&b);
}

static void bbmod_describe_mesh(tn_io *io, tenon_bbmod_mesh *mesh)
{
    tn_u32(io, "material_index", &mesh->material_index);
    tn_f32s(io, "bbox_min", mesh->bbox_min, 3);
    tn_f32s(io, "bbox_max", mesh->bbox_max, 3);
    bbmod_describe_vertex_format(io, &mesh->vertex_format);
    tn_u32(io, "primitive_type", &mesh->primitive_type);
    tn_counted(io, "vertices", &mesh->vertices, bbmod_layout(io, mesh));
}

static void bbmod_describe_node(tn_io *io, tenon_bbmod_node *node)
{
    tn_strz(io, "name", &node->name);
    tn_f32(io, "index", &node->index);
    tn_u8(io, "is_bone", &node->is_bone);
    tn_f32s(io, "transform", node->transform, 8);
    tn_counted(io, "meshes", &node->meshes, &tn_layout_u32);
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children, 46);
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        bbmod_describe_node(io, &node->children[i]);
}

void bbmod_describe(tn_io *io, void *any)
{
    tenon_bbmod *doc = any;
    tn_magic(io, "magic", "BBMOD", 6);
    tn_u8(io, "version_major", &doc->version_major);
    tn_u8(io, "version_minor", &doc->version_minor);

    tn_list(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes, 44);
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++)
        bbmod_describe_mesh(io, &doc->meshes[i]);

    tn_u32(io, "node_count", &doc->node_count);
    tn_enter(io, "root");
    bbmod_describe_node(io, &doc->root);
    tn_leave(io);

    tn_counted(io, "bones", &doc->bones, &bbmod_bone_layout);

    tn_list(io, "material_names", &doc->material_names, &doc->material_count,
            sizeof *doc->material_names, 1);
    for (uint32_t i = 0; tn_next(io, i, doc->material_count); i++)
        tn_strz(io, "", &doc->material_names[i]);
}
