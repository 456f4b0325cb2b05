// bmw_import_mesh.c: the meshes of BMW with their weights, and their textures as materials. Mesh i
// has texture i, counted over all materials. The file has no other properties of materials.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "core/text/text.h"
#include "exchange/vertex_codec.h"
#include "scene/model/origin.h"
#include "scene/model/space.h"

#include <stdio.h>
#include <string.h>

#define INFLUENCES_MOST 64u  // Per vertex; known files have up to 11.

// Whether the weight of an influence, which is a node id and a weight, is positive and finite.
static inline bool bmw_import_weights_is_valid(const uint8_t *influence)
{
    return tn_load32(influence + 4, false) - 1 < 0x7f7fffffu;
}

// The node of an influence; NULL if it does not exist or the weight is not valid.
static inline bmw_file_node *bmw_import_weights_node(const bmw_importer *importer,
                                                     const uint8_t *influence)
{
    if (!bmw_import_weights_is_valid(influence)) return NULL;
    return bmw_import_file_node_of(importer, tn_load32(influence, false));
}

// Whether four influences are valid and for the nodes of `last`, four other ones; NULL: there are
// none. This is a fast path for nearly all vertices.
static inline bool bmw_import_weights_repeat(const uint8_t *influences, const uint8_t *last)
{
    if (!last) return false;
    for (size_t i = 0; i < 32; i += 8)
        if (!bmw_import_weights_is_valid(influences + i) ||
            tn_load32(influences + i, false) != tn_load32(last + i, false))
            return false;
    return true;
}

void bmw_import_mark_weights(bmw_importer *importer)
{
    bmw_tallies *tallies = &importer->tallies;
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->doc->mesh_count; i++) {
        bmw_imported_mesh *mesh = &importer->meshes[i];
        if (mesh->file_node == TENON_NONE) continue;
        const tenon_span *span = &importer->doc->meshes[i].weighted_vertices;
        uint64_t vertex_count = importer->doc->meshes[i].vertices.count, least = 0;
        const uint8_t *next = span->data, *last = NULL;
        bool has_four_at_most = true;
        for (uint32_t v = 0; v < span->count; v++) {
            const uint8_t *influence = next + 8;
            uint32_t vertex = tn_load32(next, false), count = tn_load32(next + 4, false), valid = 0;
            next = influence + 8 * (size_t)count;
            has_four_at_most &= vertex >= least && count <= 4;
            least = (uint64_t)vertex + 1;
            if (vertex >= vertex_count) {
                tn_tally_in(&tallies->weights_without_vertex, count, "meshes", i,
                            "weighted_vertices", v);
                continue;
            }
            if (count == 4 && bmw_import_weights_repeat(influence, last)) continue;
            for (; influence < next; influence += 8) {
                bmw_file_node *file_node = bmw_import_weights_node(importer, influence);
                if (file_node) {
                    file_node->is_weighted = mesh->is_skinned = true;
                    valid++;
                    continue;
                }
                bool is_valid = bmw_import_weights_is_valid(influence);
                tn_tally_in(is_valid ? &tallies->weights_without_node : &tallies->invalid_weights,
                            tn_load_f32(influence + 4, false) != 0, "meshes", i,
                            "weighted_vertices", v);
            }
            if (count == 4 && valid == 4) last = next - 32;
        }
        mesh->has_four_at_most = has_four_at_most;
    }
}

// The largest number of influences of a vertex, repeated ones included, rounded up to a multiple
// of 4.
static uint32_t bmw_import_most_influences(bmw_importer *importer, uint32_t mesh)
{
    const tenon_bmw_mesh *from = &importer->doc->meshes[mesh];
    tn_scene_builder *builder = importer->builder;
    tn_mark mark = tn_arena_mark(builder->arena);
    uint32_t *counts = tn_scene_array(builder, from->vertices.count, sizeof *counts), most = 4;
    if (builder->failed) return 0;
    const uint8_t *p = from->weighted_vertices.data;
    for (uint64_t i = 0; i < from->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        const uint8_t *end = p + 8 + 8 * (size_t)count;
        for (p += 8; p < end && vertex < from->vertices.count; p += 8)
            counts[vertex] += bmw_import_weights_node(importer, p) != NULL;
        if (vertex < from->vertices.count && counts[vertex] > most) most = counts[vertex];
        p = end;
    }
    tn_arena_rewind(builder->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

static void bmw_import_weights(bmw_importer *importer, uint32_t mesh, tenon_primitive *p)
{
    const tenon_span *span = &importer->doc->meshes[mesh].weighted_vertices;
    tn_scene_builder *builder = importer->builder;
    bool has_four_at_most = importer->meshes[mesh].has_four_at_most;
    uint32_t each = has_four_at_most ? 4 : bmw_import_most_influences(importer, mesh);
    if (builder->failed) return;
    p->joints = tn_scene_array(builder, p->vertex_count, each * sizeof *p->joints);
    p->weights = tn_scene_floats(builder, p->vertex_count, each);
    if (builder->failed) return;
    p->influence_count = each;

    const uint8_t *next = span->data, *last = NULL;
    uint16_t last_joints[4] = {0};
    uint64_t complete = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        const uint8_t *influence = next + 8;
        uint32_t vertex = tn_load32(next, false), count = tn_load32(next + 4, false), used = 0;
        next = influence + 8 * (size_t)count;
        if (vertex >= p->vertex_count) continue;
        uint16_t *joints = p->joints + (size_t)vertex * each;
        float *weights = p->weights + (size_t)vertex * each;
        if (count == 4 && bmw_import_weights_repeat(influence, last)) {
            memcpy(joints, last_joints, sizeof last_joints);
            for (size_t k = 0; k < 4; k++) weights[k] = tn_load_f32(influence + 8 * k + 4, false);
            complete++;
            continue;
        }
        while (used < each && weights[used] != 0) used++;
        for (; influence < next; influence += 8) {
            const bmw_file_node *file_node = bmw_import_weights_node(importer, influence);
            if (!file_node) continue;
            // The slot of the same joint, else a free one, else that of the smallest weight.
            float weight = tn_load_f32(influence + 4, false);
            uint32_t joint = file_node->skin_joint, at = 0;
            while (at < used && joints[at] != joint) at++;
            if (at < each && joint != TENON_NONE) {
                used += at == used;
                joints[at] = (uint16_t)joint;
                weights[at] += weight;
                continue;
            }
            tn_tally_in(&importer->tallies.excess_weights, 1, "meshes", mesh, "weighted_vertices",
                        i);
            at = 0;
            for (uint32_t k = 1; k < each; k++)
                if (weights[k] < weights[at]) at = k;
            if (joint == TENON_NONE || weight <= weights[at]) continue;
            joints[at] = (uint16_t)joint;
            weights[at] = weight;
        }
        complete += has_four_at_most && used > 0;  // So no vertex is listed twice.
        if (has_four_at_most && used == 4) {
            last = next - 32;
            memcpy(last_joints, joints, sizeof last_joints);
        }
    }

    if (complete == p->vertex_count) return;

    // Attach vertices without weights to the static joint. The engine would not draw them.
    for (uint32_t i = 0; i < p->vertex_count && !builder->failed; i++) {
        size_t first = (size_t)i * each;
        if (p->weights[first] > 0) continue;
        tn_tally_in(&importer->tallies.unweighted, 1, "meshes", mesh, "vertices", i);
        p->joints[first] = (uint16_t)bmw_import_static_joint(importer);
        p->weights[first] = 1;
    }
}

// Offsets in a vertex.
enum { COLOR = 12, UV = 28 };

// The converter writes the integer 1 if a mesh has no normals, which is tiny as a float.
#define NO_NORMAL 1e-30

// -- Textures

// Find a texture file. `out` gets its path relative to the model's folder.
static bool bmw_import_find_texture(const bmw_importer *importer, tenon_str name, char *out,
                                    size_t out_size)
{
    char place[TN_PATH_SIZE];
    const char *model_path = importer->builder->opts->model_path;
    if (!model_path) return false;
    tenon_error err = {0};
    const tn_search search = {importer->files, model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, name);
    if (err.code != TENON_OK) tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    if (found != TN_PLACE_FOUND) return false;
    // The place of a file next to a model without a folder in its path starts with "./".
    size_t folder = tn_path_folder_size(model_path), size = strlen(place);
    if (folder == 0) folder = 2;
    if (size <= folder || size - folder >= out_size) return false;
    memcpy(out, place + folder, size - folder + 1);
    return true;
}

// The path of a texture, terminated. The engine opens a .dds file instead of a .png or .jpg. If
// there is none, use the latter.
static tenon_str bmw_import_texture_path(const bmw_importer *importer, tenon_str texture, char *out,
                                         size_t out_size)
{
    char name[TN_PATH_SIZE];
    size_t size = tenon_bmw_texture_name(texture, name, sizeof name);
    tenon_str wanted = size ? (tenon_str){name, (uint32_t)size} : texture;
    if (bmw_import_find_texture(importer, wanted, out, out_size) ||
        bmw_import_find_texture(importer, texture, out, out_size))
        return (tenon_str){out, (uint32_t)strlen(out)};
    if (wanted.size >= out_size) return (tenon_str){"", 0};
    memcpy(out, wanted.data, wanted.size);
    out[wanted.size] = '\0';
    return (tenon_str){out, wanted.size};
}

// -- Materials

// The material of a mesh with that texture. `materials` has 1 + the scene material of each image,
// opaque and masked; 0: none yet.
static uint32_t bmw_import_mesh_add_material(bmw_importer *importer, uint32_t mesh,
                                             tenon_str texture, tenon_str path, uint32_t *materials)
{
    tn_scene_builder *builder = importer->builder;
    bool is_dds = path.size >= 4 && tn_same_word(path.data + path.size - 4, ".dds");
    bool is_masked = false;
    for (uint32_t i = 0; i + 4 <= texture.size; i++)
        is_masked = is_masked || memcmp(texture.data + i, ".png", 4) == 0;
    tn_tally_at(&importer->tallies.masked_meshes, is_masked, "meshes", mesh);
    uint32_t image = tn_add_image(builder, path);
    if (builder->failed) return TENON_NONE;
    // The engine passes the rows of a DDS file to OpenGL unchanged, whose first row is the bottom.
    builder->scene->images[image].flip_y = is_dds;
    uint32_t *known = &materials[2 * (size_t)image + is_masked];
    if (*known) return *known - 1;
    // Its name is that of the file without folder and extension.
    uint32_t start = 0, end = path.size;
    for (uint32_t i = 0; i < path.size; i++)
        if (path.data[i] == '/' || path.data[i] == '\\') start = i + 1;
    for (uint32_t i = start + 1; i < path.size; i++)
        if (path.data[i] == '.') end = i;
    uint32_t index = tn_add_material(builder, (tenon_str){path.data + start, end - start});
    if (builder->failed) return TENON_NONE;
    tenon_material *material = &builder->scene->materials[index];
    if (is_masked) material->alpha = TENON_MASK;
    material->textures[TENON_SLOT_BASE_COLOR].image = image;
    *known = 1 + index;
    return index;
}

void bmw_import_materials(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw *doc = importer->doc;
    const tenon_bmw_sidecar *sidecar = importer->sidecar;
    tenon_str *textures = tn_scene_array(builder, doc->mesh_count, sizeof *textures);
    uint32_t *materials = tn_scene_array(builder, doc->mesh_count, 2 * sizeof *materials);
    if (builder->failed) return;
    uint64_t used = 0;
    for (uint32_t i = 0; i < doc->material_count; i++)
        for (uint32_t k = 0; k < doc->materials[i].texture_count; k++, used++)
            if (used < doc->mesh_count)
                textures[used] = doc->materials[i].textures[k];
            else
                tn_tally_in(&importer->tallies.excess_textures, 1, "materials", i, "textures", k);
    for (uint32_t i = 0; sidecar && i < sidecar->texture_override_count; i++)
        if (i < doc->mesh_count && sidecar->texture_overrides[i].data)
            textures[i] = sidecar->texture_overrides[i];

    uint32_t untextured = TENON_NONE;
    for (uint32_t i = 0; i < doc->mesh_count && !builder->failed; i++) {
        char buffer[TN_PATH_SIZE];
        tenon_str path = {"", 0};
        if (importer->meshes[i].file_node == TENON_NONE) continue;
        if (textures[i].size)
            path = bmw_import_texture_path(importer, textures[i], buffer, sizeof buffer);
        if (path.size) {
            importer->meshes[i].material =
                bmw_import_mesh_add_material(importer, i, textures[i], path, materials);
            continue;
        }
        tn_tally_at(&importer->tallies.untextured_meshes, 1, "meshes", i);
        if (untextured == TENON_NONE)
            untextured = tn_add_material(builder, (tenon_str){"untextured", 10});
        importer->meshes[i].material = untextured;
    }
}

// -- Meshes

static void bmw_import_mesh_origin(tn_scene_builder *builder, const tenon_bmw_mesh *from,
                                   uint32_t index, const tenon_primitive *p)
{
    tn_origin origin = {.corners.per_record = 3};
    (void)snprintf(origin.part, TN_ORIGIN_PATH, "meshes[%u]", index);
    (void)snprintf(origin.corners.path, TN_ORIGIN_PATH, "meshes[%u].faces", index);
    (void)snprintf(origin.vertices.path, TN_ORIGIN_PATH, "meshes[%u].vertices", index);
    (void)snprintf(origin.influences, TN_ORIGIN_PATH, "meshes[%u].weighted_vertices", index);
    // Records of weights have a vertex and a count before them.
    const tenon_span *weights = &from->weighted_vertices;
    uint32_t *items = tn_scene_array(builder, weights->count, sizeof *items);
    const uint8_t *next = weights->data;
    for (uint32_t i = 0; items && i < weights->count; i++) {
        items[i] = tn_load32(next, false);
        next += 8 + 8 * (size_t)tn_load32(next + 4, false);
    }
    origin.influence_items = items;
    origin.influence_count = items ? (uint32_t)weights->count : 0;
    tn_add_origin(builder, p, &origin);
}

void bmw_import_meshes(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    // The engine does not convert colors, so they are sRGB.
    tn_srgb_levels(importer->levels);
    for (uint32_t index = 0; index < importer->doc->mesh_count && !builder->failed; index++) {
        const tenon_bmw_mesh *from = &importer->doc->meshes[index];
        bmw_imported_mesh *mesh = &importer->meshes[index];
        if (mesh->file_node == TENON_NONE) continue;
        // The name of the first node that uses the mesh, with a number if that node has several.
        const bmw_file_node *file_node = &importer->file_nodes[mesh->file_node];
        tenon_str name = file_node->name;
        if (file_node->node->meshes.count > 1)
            name = bmw_import_format(importer, "%.*s_%u", (int)name.size, name.data, index);
        uint32_t added = tn_add_mesh(builder, name, 1);
        if (builder->failed) return;
        tenon_primitive *p = builder->scene->meshes[added].primitives;
        // Colors that are all white, and coordinates for a texture that does not exist, are left
        // out.
        static const uint8_t white[16] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0};
        const tenon_material *material = &builder->scene->materials[mesh->material];
        bool has_uvs = material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
        bool has_colors = false;
        for (uint64_t i = 0; i < from->vertices.count && !(has_uvs && has_colors); i++) {
            const uint8_t *v = from->vertices.data + BMW_VERTEX_SIZE * i;
            has_uvs =
                has_uvs || tn_load_f32(v + UV, false) != 0 || tn_load_f32(v + UV + 4, false) != 0;
            has_colors = has_colors || memcmp(v + COLOR, white, sizeof white) != 0;
        }
        uint32_t with =
            TN_WITH_NORMALS | (has_uvs ? TN_WITH_UV0 : 0u) | (has_colors ? TN_WITH_COLOR : 0u);
        tn_vertices vertices = {
            .count = from->vertices.count,
            .is_v_up = true,
            .streams = {[TN_POSITION] = tn_find_stream(&from->vertices, "position"),
                        [TN_NORMAL] = tn_find_stream(&from->vertices, "normal")}};
        if (with & TN_WITH_UV0) vertices.streams[TN_UV0] = tn_find_stream(&from->vertices, "uv");
        tn_import_vertices(builder, &vertices, 3 * from->faces.count, with, p);
        if (builder->failed) return;
        mesh->mesh = added;
        p->material = mesh->material;
        bool are_units = tn_loops_here()->are_units(p->normals, p->vertex_count, 3);
        for (uint32_t i = 0; i < p->vertex_count && !are_units; i++) {
            float *n = p->normals + 3 * (size_t)i;
            double square = (double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2];
            if (square < NO_NORMAL * NO_NORMAL) n[0] = n[1] = n[2] = 0;
        }
        for (uint32_t i = 0; p->colors[0] && i < p->vertex_count; i++) {
            const uint8_t *v = from->vertices.data + BMW_VERTEX_SIZE * (uint64_t)i;
            float *color = p->colors[0] + 4 * (size_t)i;
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t value = tn_load32(v + COLOR + 4 * k, false);
                tn_tally_in(&importer->tallies.large_colors, value > 255, "meshes", index,
                            "vertices", i);
                color[k] = k < 3 ? importer->levels[value & 255] : (float)(value & 255) / 255;
            }
            if (material->alpha == TENON_OPAQUE || color[3] == 1) continue;
            tn_tally_in(&importer->tallies.ignored_alphas, 1, "meshes", index, "vertices", i);
            color[3] = 1;
        }
        tn_copy_numbers(p->indices, from->faces.data, p->index_count, 4, false);
        if (builder->origins) bmw_import_mesh_origin(builder, from, index, p);
        if (!p->indices) p->mode = TENON_POINTS;
        tn_tally_at(&importer->tallies.meshes_without_faces, !p->indices, "meshes", index);
        if (mesh->is_skinned && importer->skin != TENON_NONE)
            bmw_import_weights(importer, index, p);
    }
}
