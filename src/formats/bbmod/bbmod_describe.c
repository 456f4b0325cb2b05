// bbmod_describe.c: the bytes of BBMOD models and animations, of every generation.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/layout.h"
#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>

static void bbmod_describe_flag(tn_io *io, const char *name, uint8_t *flag)
{
    tn_as(io, TN_ROLE_FLAG);
    tn_u8(io, name, flag);
}

// -- Vertices

static void bbmod_describe_vertex_format(tn_io *io, tenon_bbmod_vertex_format *f)
{
    tn_enter(io, "vertex_format");
    bbmod_describe_flag(io, "vertices", &f->vertices);
    bbmod_describe_flag(io, "normals", &f->normals);
    bbmod_describe_flag(io, "texture_coords", &f->texture_coords);
    if (tn_has(io, TENON_BBMOD_UV2))
        bbmod_describe_flag(io, "texture_coords2", &f->texture_coords2);
    bbmod_describe_flag(io, "colors", &f->colors);
    bbmod_describe_flag(io, "tangent_w", &f->tangent_w);
    if (tn_has(io, TENON_BBMOD_BONES)) bbmod_describe_flag(io, "bones", &f->bones);
    if (tn_has(io, TENON_BBMOD_IDS)) bbmod_describe_flag(io, "ids", &f->ids);
    tn_leave(io);
}

static const tenon_layout *bbmod_describe_layout(tn_io *io, const tenon_bbmod_vertex_format *f,
                                                 const tenon_span *vertices)
{
    tn_layout_builder b = tn_layout_begin(io, "vertices", vertices, 9);
    if (f->vertices) tn_layout_add(&b, "position", TENON_TYPE_F32, 3, 0);
    if (f->normals) tn_layout_add(&b, "normal", TENON_TYPE_F32, 3, 0);
    if (f->texture_coords) tn_layout_add(&b, "uv1", TENON_TYPE_F32, 2, 0);
    if (f->texture_coords2) tn_layout_add(&b, "uv2", TENON_TYPE_F32, 2, 0);
    if (f->colors) tn_layout_add(&b, "color", TENON_TYPE_U8, 4, 0);
    if (f->tangent_w) tn_layout_add(&b, "tangent_w", TENON_TYPE_F32, 4, 0);
    if (f->bones) tn_layout_add(&b, "bone_indices", TENON_TYPE_F32, 4, 0);
    // bytesize() in the format's document counts 16 bytes for bones: the weights that it lists do
    // not fit.
    if (f->bones && !(io->flags & TENON_BBMOD_NO_WEIGHTS))
        tn_layout_add(&b, "bone_weights", TENON_TYPE_F32, 4, 0);
    if (f->ids) tn_layout_add(&b, "instance_id", TENON_TYPE_F32, 1, 0);
    return tn_layout_end(&b);
}

const tenon_layout *bbmod_vertex_layout(const tenon_bbmod_vertex_format *format, uint32_t flags,
                                        tn_arena *arena, tenon_error *err)
{
    tn_io io;
    tn_io_reader(&io, NULL, 0, arena, err);
    io.flags = flags;
    const tenon_layout *layout = bbmod_describe_layout(&io, format, &(tenon_span){0});
    return io.failed ? NULL : layout;
}

// -- Meshes

// The vertex format that all meshes share in versions that store it once for the model.
typedef struct bbmod_common {
    const tenon_bbmod_vertex_format *format;
    const tenon_layout *layout;  // READ: shared, because there may be many small meshes.
} bbmod_common;

static bbmod_common bbmod_describe_common(tn_io *io, tenon_bbmod *doc)
{
    bbmod_describe_vertex_format(io, &doc->vertex_format);
    bbmod_common common = {.format = &doc->vertex_format};
    if (io->mode == TN_READ)
        common.layout = bbmod_describe_layout(io, &doc->vertex_format, &(tenon_span){0});
    return common;
}

// `common` is NULL if the mesh has its own format.
static void bbmod_describe_vertices(tn_io *io, const bbmod_common *common, tenon_bbmod_mesh *mesh)
{
    const tenon_layout *layout = common ? common->layout : NULL;
    if (common && io->mode == TN_READ) {
        mesh->vertex_format = *common->format;
        mesh->primitive_type = TENON_BBMOD_TRIANGLES;
    }
    if (!layout)
        layout = bbmod_describe_layout(io, common ? common->format : &mesh->vertex_format,
                                       &mesh->vertices);
    if (layout->element_count) {
        tn_counted(io, "vertices", &mesh->vertices, layout);
        // Asked only if there are vertices: without any, these dialects do not differ.
        if (mesh->vertex_format.bones && mesh->vertices.count)
            (void)tn_has(io, TENON_BBMOD_NO_WEIGHTS);
        return;
    }
    // Without attributes vertices have no bytes, so the count must not become that of a span.
    if (io->mode == TN_READ)
        mesh->vertices = (tenon_span){.layout = layout};
    else if (mesh->vertices.count)
        tn_fail(io, TENON_ERR_VALUE, io->pos, "vertices",
                "'vertices' has %" PRIu64 " items, but the vertex format has no attributes",
                mesh->vertices.count);
    tn_enter(io, "vertices");
    tn_u32(io, "count", &mesh->bare_vertex_count);
    tn_leave(io);
    if (mesh->bare_vertex_count) tn_doubt(io);
}

static void bbmod_describe_mesh(tn_io *io, const bbmod_common *common, tenon_bbmod_mesh *mesh)
{
    tn_u32(io, "material_index", &mesh->material_index);
    if (tn_has(io, TENON_BBMOD_BOUNDS)) {
        tn_f32s(io, "bbox_min", mesh->bbox_min, 3);
        tn_f32s(io, "bbox_max", mesh->bbox_max, 3);
    }
    if (common) {
        bbmod_describe_vertices(io, common, mesh);
        return;
    }
    bbmod_describe_vertex_format(io, &mesh->vertex_format);
    // The format's document does not give the width of this constant.
    if (!tn_has(io, TENON_BBMOD_BYTE_PRIMITIVE)) {
        tn_u32(io, "primitive_type", &mesh->primitive_type);
    } else {
        uint8_t type = (uint8_t)mesh->primitive_type;
        if (io->mode == TN_WRITE && mesh->primitive_type > UINT8_MAX)
            tn_fail(io, TENON_ERR_VALUE, io->pos, "primitive_type",
                    "'primitive_type' is %u, but this dialect stores it in one byte",
                    mesh->primitive_type);
        tn_u8(io, "primitive_type", &type);
        if (io->mode == TN_READ) mesh->primitive_type = type;
    }
    if (!bbmod_vertices_primitive(mesh->primitive_type)) tn_doubt(io);
    bbmod_describe_vertices(io, NULL, mesh);
}

// -- Version 0: a single mesh

static void bbmod_describe_v0(tn_io *io, tenon_bbmod *doc)
{
    tn_u8(io, "version_major", &doc->version_major);
    bbmod_common common = bbmod_describe_common(io, doc);
    if (io->mode == TN_READ) doc->mesh_count = 1;
    if (doc->mesh_count != 1)
        tn_fail(io, TENON_ERR_VALUE, io->pos, "meshes",
                "version 0 must have exactly one mesh, not %u", (unsigned)doc->mesh_count);
    tn_items(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes, 4);
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++)
        bbmod_describe_vertices(io, &common, &doc->meshes[i]);
}

// -- Version 1: nodes that hold meshes, and a tree of bones

static void bbmod_describe_v1_node(tn_io *io, const bbmod_common *common, tenon_bbmod_v1_node *node)
{
    tn_strz(io, "name", &node->name);
    tn_list(io, "meshes", &node->meshes, &node->mesh_count, sizeof *node->meshes, 8);
    for (uint32_t i = 0; tn_next(io, i, node->mesh_count); i++)
        bbmod_describe_mesh(io, common, &node->meshes[i]);
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children, 9);
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        bbmod_describe_v1_node(io, common, &node->children[i]);
}

static void bbmod_describe_v1_bone(tn_io *io, tenon_bbmod_v1_bone *bone)
{
    tn_strz(io, "name", &bone->name);
    tn_as(io, TN_ROLE_JUDGED);
    tn_f32(io, "index", &bone->index);
    tn_f32s(io, "transform", bone->transform, 16);
    tn_f32s(io, "offset", bone->offset, 16);
    tn_list(io, "children", &bone->children, &bone->child_count, sizeof *bone->children, 137);
    for (uint32_t i = 0; tn_next(io, i, bone->child_count); i++)
        bbmod_describe_v1_bone(io, &bone->children[i]);
}

// 1 if the translation of `m` is in the last column, -1 if it is in the last row, 0 if unknown.
static int bbmod_describe_translation_vote(const float m[16])
{
    double right = fabs(m[3]) + fabs(m[7]) + fabs(m[11]);
    double below = fabs(m[12]) + fabs(m[13]) + fabs(m[14]);
    return (right > 0 && below == 0) - (below > 0 && right == 0);
}

static int bbmod_describe_bone_votes(const tenon_bbmod_v1_bone *bone)
{
    int votes = bbmod_describe_translation_vote(bone->transform) +
                bbmod_describe_translation_vote(bone->offset);
    for (uint32_t i = 0; i < bone->child_count; i++)
        votes += bbmod_describe_bone_votes(&bone->children[i]);
    return votes;
}

// Releases up to 2.2.1 stored transposed matrices under the same version number. If no translation
// shows which it is, files without material names are from these releases.
static uint64_t bbmod_describe_infer_column_vectors(tn_io *io, const void *any)
{
    const tenon_bbmod *doc = any;
    int votes = bbmod_describe_translation_vote(doc->inverse_transform);
    if (doc->v1_bone_count) votes += bbmod_describe_bone_votes(&doc->v1_skeleton);
    if (votes != 0) return votes > 0;
    return doc->material_count > 0 && !(io->flags & TENON_BBMOD_NAMES);
}

static void bbmod_describe_v1(tn_io *io, tenon_bbmod *doc)
{
    bbmod_common common = bbmod_describe_common(io, doc);
    tn_f32s(io, "inverse_transform", doc->inverse_transform, 16);
    tn_enter(io, "root");
    bbmod_describe_v1_node(io, &common, &doc->v1_root);
    tn_leave(io);
    if (!tn_has(io, TENON_BBMOD_NO_BONE_COUNT)) tn_u32(io, "bone_count", &doc->v1_bone_count);
    if (doc->v1_bone_count) {
        tn_enter(io, "skeleton");
        bbmod_describe_v1_bone(io, &doc->v1_skeleton);
        tn_leave(io);
    }
    tn_u32(io, "material_count", &doc->material_count);
    // Asked only if there are materials: without any, "1a" and "1b" do not differ.
    if (doc->material_count && tn_has(io, TENON_BBMOD_NAMES)) {
        tn_items(io, "material_names", &doc->material_names, &doc->material_count,
                 sizeof *doc->material_names, 1);
        for (uint32_t i = 0; tn_next(io, i, doc->material_count); i++)
            tn_strz(io, "", &doc->material_names[i]);
    }
    tn_inferred_u32(io, "column_vectors", &doc->column_vectors, bbmod_describe_infer_column_vectors,
                    doc);
}

// -- Versions 2 and 3

static const tenon_element bbmod_bone_elements[] = {
    {"index", TENON_TYPE_F32, 1, 0, 0},
    {"offset", TENON_TYPE_F32, 8, 0, 4},
};
const tenon_layout bbmod_bone_layout = {bbmod_bone_elements, 2, 36, NULL, 0, NULL};

static const tenon_element bbmod_matrix_bone_elements[] = {
    {"index", TENON_TYPE_F32, 1, 0, 0},
    {"offset", TENON_TYPE_F32, 16, 0, 4},
};
const tenon_layout bbmod_matrix_bone_layout = {bbmod_matrix_bone_elements, 2, 68, NULL, 0, NULL};

static const tenon_element bbmod_bare_bone_element = {"", TENON_TYPE_F32, 8, 0, 0};
const tenon_layout bbmod_bare_bone_layout = {&bbmod_bare_bone_element, 1, 32, NULL, 0, NULL};

static void bbmod_describe_node(tn_io *io, tenon_bbmod_node *node)
{
    tn_strz(io, "name", &node->name);
    tn_as(io, TN_ROLE_JUDGED);
    if (tn_has(io, TENON_BBMOD_TEXT_INDEX))
        tn_strz(io, "index", &node->index_text);
    else
        tn_f32(io, "index", &node->index);
    bbmod_describe_flag(io, "is_bone", &node->is_bone);
    if (node->is_bone > 1) tn_doubt(io);
    tn_f32s(io, "transform", node->transform, tn_has(io, TENON_BBMOD_MATRICES) ? 16 : 8);
    tn_counted(io, "meshes", &node->meshes, &tn_layout_u32);
    uint64_t least = tn_has(io, TENON_BBMOD_TEXT_INDEX) ? 43 : 46;  // Bytes of a node.
    if (tn_has(io, TENON_BBMOD_MATRICES)) least = 78;
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children, least);
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        bbmod_describe_node(io, &node->children[i]);
}

// -- Models

static void bbmod_describe_v2(tn_io *io, tenon_bbmod *doc)
{
    bool has_formats = tn_has(io, TENON_BBMOD_MESH_FORMATS);
    bbmod_common common = {0};
    if (!has_formats) common = bbmod_describe_common(io, doc);
    uint64_t least = 8;  // Bytes of a mesh.
    if (tn_has(io, TENON_BBMOD_BOUNDS)) least += 24;
    if (has_formats) {
        least += tn_has(io, TENON_BBMOD_UV2) ? 8 : 7;
        least += io->flags & TENON_BBMOD_BYTE_PRIMITIVE ? 1 : 4;
    }
    tn_list(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes, least);
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++)
        bbmod_describe_mesh(io, has_formats ? NULL : &common, &doc->meshes[i]);
    bool has_matrices = tn_has(io, TENON_BBMOD_MATRICES);
    if (has_matrices) tn_f32s(io, "inverse_transform", doc->inverse_transform, 16);
    tn_u32(io, "node_count", &doc->node_count);
    tn_enter(io, "root");
    bbmod_describe_node(io, &doc->root);
    tn_leave(io);
    bool is_bare = io->flags & TENON_BBMOD_BARE_OFFSETS;
    tn_counted(io, "bones", &doc->bones,
               is_bare        ? &bbmod_bare_bone_layout
               : has_matrices ? &bbmod_matrix_bone_layout
                              : &bbmod_bone_layout);
    if (doc->bones.count) (void)tn_has(io, TENON_BBMOD_BARE_OFFSETS);
    tn_list(io, "material_names", &doc->material_names, &doc->material_count,
            sizeof *doc->material_names, 1);
    for (uint32_t i = 0; tn_next(io, i, doc->material_count); i++)
        tn_strz(io, "", &doc->material_names[i]);
}

void bbmod_describe(tn_io *io, void *any)
{
    tenon_bbmod *doc = any;
    if (!tn_has(io, TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)) {
        bbmod_describe_v0(io, doc);
    } else {
        bool is_upper = tn_has(io, TENON_BBMOD_UPPER);
        tn_magic(io, "magic", is_upper ? "BBMOD" : "bbmod", 6);
        tn_u8(io, "version_major", &doc->version_major);
        if (is_upper) tn_u8(io, "version_minor", &doc->version_minor);
        if (tn_has(io, TENON_BBMOD_NESTED))
            bbmod_describe_v1(io, doc);
        else
            bbmod_describe_v2(io, doc);
    }
    if (io->mode == TN_READ) doc->is_cut = io->failed;
}

// -- Keyframes: versions 1 and 2

static const tenon_element bbanim_position_elements[] = {
    {"time", TENON_TYPE_F64, 1, 0, 0},
    {"position", TENON_TYPE_F32, 3, 0, 8},
};
const tenon_layout bbanim_position_layout = {bbanim_position_elements, 2, 20, NULL, 0, NULL};

static const tenon_element bbanim_rotation_elements[] = {
    {"time", TENON_TYPE_F64, 1, 0, 0},
    {"rotation", TENON_TYPE_F32, 4, 0, 8},
};
const tenon_layout bbanim_rotation_layout = {bbanim_rotation_elements, 2, 24, NULL, 0, NULL};

// -- Baked frames: version 3

// `list_size` is the number of frames in one record: 1 except in dialect "repeated".
static void bbanim_describe_add_space(tn_layout_builder *b, const char *name, uint32_t count,
                                      uint64_t list_size)
{
    uint64_t rows = count * list_size;
    if (rows > UINT32_MAX)
        tn_fail(b->io, TENON_ERR_VALUE, b->io->pos, b->name,
                "'%s' would need %" PRIu64 " rows, more than Tenon can address", name, rows);
    else if (rows)
        tn_layout_add(b, name, TENON_TYPE_F32, 8, (uint32_t)rows);
}

// The format's document tests `Spaces & SPACE_WORLD == 1`, which is never true for spaces other
// than the first; the intention is `!= 0`.
uint8_t bbanim_describe_stored_spaces(uint32_t flags, uint8_t spaces)
{
    bool is_literal = (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_SPACES);
    return is_literal ? spaces & TENON_BBANIM_PARENT : spaces;
}

static const tenon_layout *bbanim_describe_frame_layout(tn_io *io, const tenon_bbanim *doc)
{
    tn_layout_builder b = tn_layout_begin(io, "frames", &doc->frames, 3);
    uint64_t list_size = tn_has(io, TENON_BBANIM_REPEATED) ? doc->frame_count : 1;
    uint8_t stored = bbanim_describe_stored_spaces(io->flags, doc->spaces);
    // Asked only if there are other spaces: in parent space alone, these dialects do not differ.
    if (doc->spaces & (TENON_BBANIM_WORLD | TENON_BBANIM_BONE))
        (void)tn_has(io, TENON_BBANIM_DOCUMENT | TENON_BBANIM_ALL_SPACES);
    if (stored & TENON_BBANIM_PARENT)
        bbanim_describe_add_space(&b, "parent", doc->model_node_count, list_size);
    if (stored & TENON_BBANIM_WORLD)
        bbanim_describe_add_space(&b, "world", doc->model_node_count, list_size);
    if (stored & TENON_BBANIM_BONE)
        bbanim_describe_add_space(&b, "bone", doc->model_bone_count, list_size);
    return tn_layout_end(&b);
}

const tenon_layout *bbanim_layout_of_frames(uint8_t spaces, uint32_t node_count,
                                            uint32_t bone_count, tn_arena *arena, tenon_error *err)
{
    tn_io io;
    tenon_bbanim doc = {
        .spaces = spaces, .model_node_count = node_count, .model_bone_count = bone_count};
    tn_io_reader(&io, NULL, 0, arena, err);
    const tenon_layout *layout = bbanim_describe_frame_layout(&io, &doc);
    return io.failed ? NULL : layout;
}

// The converter writes frames while frame < duration, so a fraction counts as a frame if the file
// is long enough.
static uint64_t bbanim_describe_infer_frames(tn_io *io, const void *any)
{
    const tenon_bbanim *doc = any;
    uint8_t stored = bbanim_describe_stored_spaces(io->flags, doc->spaces);
    uint64_t size = bbanim_frame_size(stored, doc->model_node_count, doc->model_bone_count);
    if (size == 0) return 0;
    double most = doc->duration > 0 ? ceil(doc->duration) : 0;
    // Not asked if there is one frame: then these dialects do not differ.
    if (most != 1 && tn_has(io, TENON_BBANIM_DOCUMENT) && !tn_has(io, TENON_BBANIM_ALL_FRAMES))
        return 1;
    if (most >= UINT32_MAX) return UINT32_MAX;
    bool fits = most <= (double)((io->end - io->pos) / size);
    return (uint64_t)(fits ? most : floor(doc->duration));
}

static uint64_t bbanim_describe_infer_events(tn_io *io, const void *any)
{
    (void)any;
    uint64_t left = io->end - io->pos;
    const uint8_t *rest = tn_peek(io, io->pos, left);
    return rest && bbanim_is_event_block(rest, left);
}

// -- Animations

static void bbanim_describe_baked(tn_io *io, tenon_bbanim *doc)
{
    tn_u8(io, "spaces", &doc->spaces);
    tn_as(io, TN_ROLE_JUDGED);
    tn_f64(io, "duration", &doc->duration);
    tn_as(io, TN_ROLE_JUDGED);
    tn_f64(io, "tics_per_second", &doc->tics_per_second);
    tn_u32(io, "model_node_count", &doc->model_node_count);
    tn_u32(io, "model_bone_count", &doc->model_bone_count);
    tn_inferred_u32(io, "frame_count", &doc->frame_count, bbanim_describe_infer_frames, doc);
    const tenon_layout *layout = bbanim_describe_frame_layout(io, doc);
    // A converter that was given an unknown space stores a duration, but no frames.
    if (layout->stride) tn_records(io, "frames", &doc->frames, doc->frame_count, layout);
    bool has_events = tn_has(io, TENON_BBANIM_EVENTS);
    if (!has_events) {
        tn_inferred_u32(io, "has_events", &doc->has_events, bbanim_describe_infer_events, doc);
        has_events = doc->has_events != 0;
    }
    if (!has_events) return;
    tn_list(io, "events", &doc->events, &doc->event_count, sizeof *doc->events, 9);
    for (uint32_t i = 0; tn_next(io, i, doc->event_count); i++) {
        tn_as(io, TN_ROLE_JUDGED);
        tn_f64(io, "frame", &doc->events[i].frame);
        tn_strz(io, "name", &doc->events[i].name);
    }
}

void bbanim_describe(tn_io *io, void *any)
{
    tenon_bbanim *doc = any;
    tn_magic(io, "magic", tn_has(io, TENON_BBANIM_LOWER) ? "bbanim" : "BBANIM", 7);
    tn_u8(io, "version_major", &doc->version_major);
    if (tn_has(io, TENON_BBANIM_MINOR)) tn_u8(io, "version_minor", &doc->version_minor);
    if (tn_has(io, TENON_BBANIM_KEYFRAMES)) {
        tn_as(io, TN_ROLE_JUDGED);
        tn_f64(io, "duration", &doc->duration);
        tn_as(io, TN_ROLE_JUDGED);
        tn_f64(io, "tics_per_second", &doc->tics_per_second);
        if (tn_has(io, TENON_BBANIM_NODES))
            tn_u32(io, "model_node_count", &doc->model_node_count);
        else
            tn_u32(io, "model_bone_count", &doc->model_bone_count);
        tn_list(io, "channels", &doc->channels, &doc->channel_count, sizeof *doc->channels, 12);
        for (uint32_t i = 0; tn_next(io, i, doc->channel_count); i++) {
            tenon_bbanim_channel *channel = &doc->channels[i];
            tn_as(io, TN_ROLE_JUDGED);
            tn_f32(io, "index", &channel->index);
            tn_counted(io, "positions", &channel->positions, &bbanim_position_layout);
            tn_counted(io, "rotations", &channel->rotations, &bbanim_rotation_layout);
        }
    } else
        bbanim_describe_baked(io, doc);
    if (io->mode == TN_READ) doc->is_cut = io->failed;
}
