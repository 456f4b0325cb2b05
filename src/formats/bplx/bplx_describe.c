// bplx_describe.c: the bytes of a BPLX file.
// SPDX-License-Identifier: MIT
//
// The format's document has a materials block between header and vertices. The scripts that write
// BPLX omit it, and the one that reads BPLX does not expect it.

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"

static const tenon_element bplx_keyframe_elements[] = {
    {"time", TENON_TYPE_F32, 1, 0, 0},     {"bone_index", TENON_TYPE_U32, 1, 0, 4},
    {"position", TENON_TYPE_F32, 3, 0, 8}, {"rotation", TENON_TYPE_F32, 4, 0, 20},
    {"scale", TENON_TYPE_F32, 3, 0, 36},
};
const tenon_layout bplx_keyframe_layout = {bplx_keyframe_elements, 5, 48, NULL, 0, NULL};

void bplx_describe(tn_io *io, void *any)
{
    tenon_bplx *doc = any;
    tn_magic(io, "magic", "BPLX", 4);
    tn_u32(io, "version", &doc->version);
    if (!io->failed && doc->version != 1)
        tn_fail(io, TENON_ERR_VERSION, 4, "version", "version %u is unknown, expected 1",
                doc->version);
    tn_u32(io, "vertex_count", &doc->vertex_count);
    tn_u32(io, "face_count", &doc->face_count);
    tn_u32(io, "material_count", &doc->material_count);
    tn_as(io, TN_ROLE_RESERVED);
    tn_u32(io, "padding", &doc->padding);
    if (tn_has(io, TENON_BPLX_MATERIALS)) {
        tn_list(io, "materials", &doc->materials, &doc->material_list_count, sizeof *doc->materials,
                io->flags & TENON_BPLX_SHORT ? 49 : 53);
        for (uint32_t i = 0; tn_next(io, i, doc->material_list_count); i++) {
            tenon_bplx_material *material = &doc->materials[i];
            tn_str32(io, "name", &material->name);
            tn_f32s(io, "diffuse_color", material->diffuse_color, 3);
            tn_f32s(io, "specular_color", material->specular_color, 3);
            tn_f32(io, "shininess", &material->shininess);
            tn_f32s(io, "emissive_color", material->emissive_color, 3);
            tn_f32(io, "transparency", &material->transparency);
            tn_as(io, TN_ROLE_FLAG);
            tn_u8(io, "is_textured", &material->is_textured);
            // The format's document can be read so that only a textured material has a path.
            bool is_short =
                !io->failed && material->is_textured == 0 && tn_has(io, TENON_BPLX_SHORT);
            if (!is_short) {
                tn_as(io, TN_ROLE_TEXTURE);
                tn_str32(io, "texture_path", &material->texture_path);
            } else if (io->mode == TN_READ) {
                material->texture_path = (tenon_str){"", 0};
            } else if (material->texture_path.size) {
                tn_fail(io, TENON_ERR_VALUE, io->pos, "texture_path",
                        "in this dialect a material that is not textured cannot have a path");
            }
        }
    }
    tn_records(io, "positions", &doc->positions, doc->vertex_count, &tn_layout_f32x3);
    tn_records(io, "normals", &doc->normals, doc->vertex_count, &tn_layout_f32x3);
    tn_records(io, "uvs", &doc->uvs, doc->vertex_count, &tn_layout_f32x2);
    tn_records(io, "faces", &doc->faces, doc->face_count, &tn_layout_u32x3);

    tn_list(io, "bones", &doc->bones, &doc->bone_count, sizeof *doc->bones, 48);
    for (uint32_t i = 0; tn_next(io, i, doc->bone_count); i++) {
        tenon_bplx_bone *bone = &doc->bones[i];
        tn_str32(io, "name", &bone->name);
        tn_i32(io, "parent_index", &bone->parent_index);
        tn_f32s(io, "rest_position", bone->rest_position, 3);
        tn_f32s(io, "rest_rotation", bone->rest_rotation, 4);
        tn_f32s(io, "rest_scale", bone->rest_scale, 3);
    }

    tn_list(io, "clips", &doc->clips, &doc->clip_count, sizeof *doc->clips, 12);
    for (uint32_t i = 0; tn_next(io, i, doc->clip_count); i++) {
        tn_str32(io, "name", &doc->clips[i].name);
        tn_as(io, TN_ROLE_JUDGED);
        tn_f32(io, "animation_length", &doc->clips[i].animation_length);
        tn_counted(io, "keyframes", &doc->clips[i].keyframes, &bplx_keyframe_layout);
    }
}
