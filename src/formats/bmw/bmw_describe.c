// bmw_describe.c: the bytes of a BMW file in all layouts.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/cursor/span.h"

#include <string.h>

#define HEADER_FLAGS                                                                 \
    (TENON_BMW_HEADER_BARE | TENON_BMW_HEADER_NEWLINE | TENON_BMW_HEADER_NUL_FIRST | \
     TENON_BMW_HEADER_RETURN)

static const tenon_element bmw_vertex_elements[] = {
    {"position", TENON_TYPE_F32, 3, 0, 0},
    {"color", TENON_TYPE_I32, 4, 0, 12},
    {"uv", TENON_TYPE_F32, 2, 0, 28},
    {"normal", TENON_TYPE_F32, 3, 0, 36},
};
const tenon_layout bmw_vertex_layout = {bmw_vertex_elements, 4, 48, NULL, 0, NULL};

static const tenon_element bmw_influence_elements[] = {
    {"node_id", TENON_TYPE_U32, 1, 0, 0},
    {"weight", TENON_TYPE_F32, 1, 0, 4},
};
static const tenon_layout bmw_influence_layout = {bmw_influence_elements, 2, 8, NULL, 0, NULL};

static const tenon_element bmw_weighted_elements[] = {
    {"vertex_id", TENON_TYPE_U32, 1, 0, 0},
    {"influence_count", TENON_TYPE_U32, 1, 0, 4},
};
const tenon_layout bmw_weighted_layout = {bmw_weighted_elements, 2, 8,
                                          &bmw_influence_layout, 1, "influences"};

static const tenon_element bmw_matrix_element = {"", TENON_TYPE_F32, 16, 0, 0};
const tenon_layout bmw_matrix_layout = {&bmw_matrix_element, 1, 64, NULL, 0, NULL};

bool bmw_describe_ends_affine(const uint8_t *matrix)
{
    for (uint32_t i = 12; i < 16; i++)
        if (tn_load_f32(matrix + 4 * i, false) != (i == 15 ? 1.0f : 0.0f)) return false;
    return true;
}

// R2a stores the lower halves of two doubles as duration and rate, which are zeros. So frames are
// counted as long as the last row of a row-major matrix is 0, 0, 0, 1.
static uint64_t bmw_describe_count_frames(tn_io *io, const void *subject)
{
    (void)subject;
    uint64_t count = 0;
    for (const uint8_t *m; (m = tn_peek(io, io->pos + 64 * count, 64)) != NULL; count++)
        if (!bmw_describe_ends_affine(m)) break;
    return count;
}

static void bmw_describe_animation(tn_io *io, tenon_bmw_animation *animation)
{
    tn_u32(io, "duration", &animation->duration);
    tn_u32(io, "rate", &animation->rate);
    tn_list(io, "bones", &animation->bones, &animation->bone_count, sizeof *animation->bones, 4);
    for (uint32_t i = 0; tn_next(io, i, animation->bone_count); i++) {
        tenon_bmw_bone *bone = &animation->bones[i];
        uint64_t frame_count = animation->duration;
        tn_u32(io, "node_id", &bone->node_id);
        if (tn_has(io, TENON_BMW_FRAMES_INFERRED)) {
            tn_inferred_u32(io, "frame_count", &bone->frame_count, bmw_describe_count_frames, NULL);
            frame_count = bone->frame_count;
        } else if (!tn_has(io, TENON_BMW_FRAMES_LITERAL)) {
            frame_count++;  // Ticks 0 to duration; the format's own text omits this.
        }
        tn_as(io, TN_ROLE_JUDGED);  // By its own rules: the first frame may be NaNs.
        tn_records(io, "frames", &bone->frames, frame_count, &bmw_matrix_layout);
    }
}

static void bmw_describe_animations(tn_io *io, tenon_bmw *doc)
{
    tn_list(io, "animations", &doc->animations, &doc->animation_count, sizeof *doc->animations, 12);
    for (uint32_t i = 0; tn_next(io, i, doc->animation_count); i++)
        bmw_describe_animation(io, &doc->animations[i]);
}

// The fewest bytes of a mesh and of a node. io->flags are read without tn_has(), which records
// their use: this bound rejects nothing that the items themselves would not.
static uint64_t bmw_describe_mesh_min(const tn_io *io)
{
    return 4u + (io->flags & TENON_BMW_WEIGHTS ? 4u : 0u) + (io->flags & TENON_BMW_FACES ? 4u : 0u);
}

static uint64_t bmw_describe_node_min(const tn_io *io)
{
    return io->flags & TENON_BMW_NODE_IDS ? 76 : 72;
}

static void bmw_describe_mesh(tn_io *io, tenon_bmw_mesh *mesh, bool is_last,
                              bmw_failed_searches *failed)
{
    bool has_weights = tn_has(io, TENON_BMW_WEIGHTS), has_faces = tn_has(io, TENON_BMW_FACES);
    bool can_go_on = io->keeps_parts && has_faces;
    if (can_go_on && has_weights && bmw_describe_skip_damaged_weights(io, mesh, failed))
        has_weights = false;
    if (has_weights)
        tn_counted(io, "weighted_vertices", &mesh->weighted_vertices, &bmw_weighted_layout);
    tn_counted(io, "vertices", &mesh->vertices, &bmw_vertex_layout);
    if (can_go_on && bmw_describe_read_damaged_faces(io, mesh, is_last, failed)) return;
    if (has_faces) tn_counted(io, "faces", &mesh->faces, &tn_layout_u32x3);
}

static void bmw_describe_node(tn_io *io, tenon_bmw_node *node)
{
    if (tn_has(io, TENON_BMW_NODE_IDS)) tn_u32(io, "node_id", &node->node_id);
    tn_f32s(io, "transform", node->transform, 16);
    tn_counted(io, "meshes", &node->meshes, &tn_layout_u32);
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children,
            bmw_describe_node_min(io));
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        bmw_describe_node(io, &node->children[i]);
}

uint32_t bmw_describe_header(uint32_t flags, char out[BMW_HEADER_MOST])
{
    uint32_t size = sizeof BMW_HEADER - 1;
    bool has_nul = !(flags & TENON_BMW_HEADER_BARE), nul_first = flags & TENON_BMW_HEADER_NUL_FIRST;
    memcpy(out, BMW_HEADER, size);
    if (has_nul && nul_first) out[size++] = '\0';
    if (flags & TENON_BMW_HEADER_RETURN) out[size++] = '\r';
    if (flags & TENON_BMW_HEADER_NEWLINE) out[size++] = '\n';
    if (has_nul && !nul_first) out[size++] = '\0';
    return size;
}

void bmw_describe(tn_io *io, void *any)
{
    tenon_bmw *doc = any;
    char header[BMW_HEADER_MOST];
    // Every converter ends the header with a NUL.
    if (tn_has(io, HEADER_FLAGS)) tn_doubt(io);
    tn_magic(io, "header", header, bmw_describe_header(io->flags, header));
    tn_list(io, "materials", &doc->materials, &doc->material_count, sizeof *doc->materials, 4);
    for (uint32_t i = 0; tn_next(io, i, doc->material_count); i++) {
        tenon_bmw_material *material = &doc->materials[i];
        tn_list(io, "textures", &material->textures, &material->texture_count,
                sizeof *material->textures, 1);
        for (uint32_t k = 0; tn_next(io, k, material->texture_count); k++)
            tn_strz(io, "", &material->textures[k]);
    }

    bool has_animations = tn_has(io, TENON_BMW_ANIMATIONS);
    bool animations_first = has_animations && tn_has(io, TENON_BMW_ANIMATIONS_FIRST);
    if (animations_first) bmw_describe_animations(io, doc);
    bmw_failed_searches failed = {0};
    tn_list(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes,
            bmw_describe_mesh_min(io));
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++)
        bmw_describe_mesh(io, &doc->meshes[i], i + 1 == doc->mesh_count, &failed);
    tn_enter(io, "root");
    bmw_describe_node(io, &doc->root);
    tn_leave(io);
    // An empty R2 file can be read as R3, with the first number of a matrix as an id.
    if (tn_has(io, TENON_BMW_NODE_IDS) && doc->root.node_id != 0) tn_doubt(io);
    if (has_animations && !animations_first) bmw_describe_animations(io, doc);
    if (tn_has(io, TENON_BMW_NAMES)) {
        tn_list(io, "names", &doc->names, &doc->name_count, sizeof *doc->names, 5);
        for (uint32_t i = 0; tn_next(io, i, doc->name_count); i++) {
            tn_u32(io, "node_id", &doc->names[i].node_id);
            tn_strz(io, "name", &doc->names[i].name);
        }
    }

    // Trials need only the structure.
    if (io->mode == TN_READ && !io->skip_text) bmw_matrix_find_order(doc);
}
