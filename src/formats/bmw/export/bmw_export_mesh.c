// bmw_export_mesh.c: which parts of a scene become which mesh of BMW, the bytes of these meshes,
// and the textures of materials.
// SPDX-License-Identifier: MIT
//
// The engine has a fault: it adds the weights of vertex i of all earlier meshes to vertex i of a
// mesh. So parts with the same texture become one mesh, and every mesh starts with padding vertices
// for all earlier ones. Small meshes come first, which needs the least padding.

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "scene/model/space.h"
#include "scene/pose/pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PADDING_SHARE 8       // Padding may be 8 times the vertices of the model,
#define PADDING_FREE  65536u  // or this many vertices.
#define WHITE_SIZE    21

// -- Bones

// Bones are those of the rig, then the static bone, then nodes that become bones without weights:
// joints and nodes with channels. Descendants of the latter are not bones: import creates such
// nodes for every bone.
static bool bmw_export_plan_bones(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    bool *is_unweighted =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_unweighted);
    exporter->unweighted =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *exporter->unweighted);
    if (!exporter->unweighted || !is_unweighted) return false;

    // The engine does not draw vertices without bones, so static parts need a bone, too.
    bool is_for_engine = exporter->is_animated && !exporter->keeps_tree;
    exporter->static_bone = TENON_NONE;
    for (uint32_t i = 0; i < exporter->part_count && is_for_engine; i++) {
        const tn_part *part = bmw_export_part_at(exporter, i);
        if (!part->is_skinned && part->bone == TENON_NONE)
            exporter->static_bone = exporter->rig.bone_count;
    }

    for (uint32_t i = 0; i < scene->node_count; i++) is_unweighted[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->animation_count && exporter->is_animated; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_unweighted[scene->animations[i].channels[k].node] = true;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
        is_unweighted[exporter->rig.bones[i].node] = false;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (is_unweighted[i] && i != exporter->model && scene->nodes[i].mesh == TENON_NONE)
            exporter->unweighted[exporter->unweighted_count++] = i;

    exporter->bone_count = exporter->rig.bone_count + (exporter->static_bone != TENON_NONE) +
                           exporter->unweighted_count;
    // An animation without bones crashes the engine.
    exporter->is_animated = exporter->is_animated && exporter->bone_count > 0;
    return bmw_export_assign_bone_ids(exporter);
}

// The bones and weights of a vertex. Returns how many there are.
static uint32_t bmw_export_vertex_bones(const bmw_exporter *exporter, const tn_part *part,
                                        uint32_t vertex, uint32_t bones[TN_INFLUENCES],
                                        float weights[TN_INFLUENCES])
{
    uint32_t count = 0;
    if (!part->is_skinned && part->bone == TENON_NONE) {
        bones[0] = exporter->static_bone;
        weights[0] = 1;
        return exporter->static_bone != TENON_NONE;
    }
    (void)tn_part_influences(part, vertex, bones, weights);
    while (count < TN_INFLUENCES && weights[count] > 0) count++;
    return count;
}

// -- Groups

static uint32_t bmw_export_part_texture(const bmw_exporter *exporter, uint32_t part)
{
    return bmw_export_plan_of(exporter, exporter->rig.parts[part].p)->texture_id;
}

static bool bmw_export_is_texture_before(const void *context, uint32_t a, uint32_t b)
{
    return bmw_export_part_texture(context, a) < bmw_export_part_texture(context, b);
}

static bool bmw_export_is_smaller(const void *context, uint32_t a, uint32_t b)
{
    const bmw_group *groups = context;
    return groups[a].vertex_count < groups[b].vertex_count;
}

// Sort the groups by size, and add padding, unless it would be too much.
static bool bmw_export_add_padding(bmw_exporter *exporter)
{
    uint32_t count = exporter->group_count;
    uint32_t *order = tn_export_alloc(&exporter->export, count, sizeof *order);
    uint32_t *spare = tn_export_alloc(&exporter->export, count, sizeof *spare);
    bmw_group *sorted = tn_export_alloc(&exporter->export, count, sizeof *sorted);
    if (!order || !spare || !sorted) return false;
    uint64_t total = 0, padding = 0, before = 0;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, bmw_export_is_smaller, exporter->groups);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = exporter->groups[order[i]];
        padding += total;
        total += sorted[i].vertex_count;
    }
    exporter->groups = sorted;
    if (padding > PADDING_SHARE * total && padding > PADDING_FREE) {
        exporter->counts.mixed_meshes = count - 1;
        return true;
    }
    exporter->counts.padding = padding;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i].padding = before;
        before += sorted[i].vertex_count;
        sorted[i].vertex_count = before;
    }
    return true;
}

bool bmw_export_plan_groups(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint32_t most = exporter->rig.part_count;
    bool *has_faces = tn_export_alloc(&exporter->export, scene->node_count, sizeof *has_faces);
    exporter->order = tn_export_alloc(&exporter->export, most, sizeof *exporter->order);
    exporter->groups = tn_export_alloc(&exporter->export, most, sizeof *exporter->groups);
    uint32_t *spare = tn_export_alloc(&exporter->export, most, sizeof *spare);
    if (!has_faces || !exporter->order || !exporter->groups || !spare) return false;

    // Parts without faces are left out: they crash the engine.
    for (uint32_t i = 0; i < most; i++) {
        if (exporter->rig.parts[i].p->index_count < 3) continue;
        exporter->order[exporter->part_count++] = i;
        has_faces[exporter->rig.parts[i].node] = true;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        exporter->counts.nodes_without_faces += scene->nodes[i].mesh != TENON_NONE && !has_faces[i];
    if (!bmw_export_plan_bones(exporter)) return false;

    bool is_for_engine = exporter->is_animated && !exporter->keeps_tree;
    if (is_for_engine)
        tn_sort(exporter->order, spare, exporter->part_count, bmw_export_is_texture_before,
                exporter);
    for (uint32_t i = 0; i < exporter->part_count; i++) {
        const tn_part *part = bmw_export_part_at(exporter, i);
        bool joins = i > 0 && is_for_engine &&
                     bmw_export_part_texture(exporter, exporter->order[i]) ==
                         bmw_export_part_texture(exporter, exporter->order[i - 1]);
        if (!joins)
            exporter->groups[exporter->group_count++] =
                (bmw_group){.first = i, .material = bmw_export_plan_of(exporter, part->p)};
        bmw_group *group = &exporter->groups[exporter->group_count - 1];
        group->count++;
        group->vertex_count += part->p->vertex_count;
        group->index_count += part->p->index_count;
        bool is_moved = exporter->keeps_tree ? part->bone != TENON_NONE : exporter->is_animated;
        group->is_weighted = group->is_weighted || is_moved || part->is_skinned;
        exporter->counts.merged_parts += group->count == 2 ? 2 : group->count > 2;
    }
    if (is_for_engine && !bmw_export_add_padding(exporter)) return false;
    for (uint32_t i = 0; i < exporter->group_count; i++)
        if (exporter->groups[i].vertex_count > UINT32_MAX ||
            exporter->groups[i].index_count > UINT32_MAX)
            return tn_error(exporter->export.err, TENON_ERR_LIMIT, "a mesh has too many vertices");
    exporter->bounds =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->bounds);
    if (!exporter->bounds) return false;
    for (uint32_t i = 0; i < exporter->bone_count; i++) exporter->bounds[i] = tn_bounds_empty();
    for (uint32_t i = 0; i < exporter->part_count && exporter->is_animated; i++) {
        const tn_part *part = bmw_export_part_at(exporter, i);
        for (uint32_t v = 0; v < part->p->vertex_count; v++) {
            uint32_t bones[TN_INFLUENCES];
            float weights[TN_INFLUENCES];
            uint32_t count = bmw_export_vertex_bones(exporter, part, v, bones, weights);
            for (uint32_t k = 0; k < count; k++)
                tn_bounds_add_f32(&exporter->bounds[bones[k]], part->p->positions + 3 * (size_t)v);
        }
    }
    return true;
}

// Writes one mesh.
typedef struct bmw_mesh_writer {
    bmw_exporter *exporter;
    const bmw_group *group;
    const tn_part *part;
    float *positions, *normals;           // Of the part, as they are stored.
    bool is_mirrored;                     // Its faces must be reversed.
    uint8_t *vertices, *faces, *weights;  // The next bytes to write.
    uint32_t vertex_id;                   // Of the next vertex.
    uint64_t weighted_count;
} bmw_mesh_writer;

// -- Positions

// Vertices that frames or nodes of the tree move are stored unchanged. All others are stored in the
// rest pose.
static bool bmw_export_compute_vertices(bmw_mesh_writer *writer)
{
    bmw_exporter *exporter = writer->exporter;
    const tn_part *part = writer->part;
    uint32_t count = part->p->vertex_count;
    bool is_moved = exporter->is_animated && (part->is_skinned || part->bone != TENON_NONE);
    writer->positions = part->p->positions;
    writer->normals = part->p->normals;
    writer->is_mirrored = false;
    if (is_moved || (exporter->keeps_tree && !part->is_skinned)) return true;
    writer->positions = tn_export_alloc(&exporter->export, count, 3 * sizeof(float));
    writer->normals = tn_export_alloc(&exporter->export, count, 3 * sizeof(float));
    if (!writer->positions || !writer->normals) return false;
    tenon_pose_skin(exporter->pose, part->node, part->primitive, writer->positions,
                    writer->normals);
    if (exporter->model != TENON_NONE) {
        const tn_mat4 *to_model = &exporter->to_model;
        uint64_t *clamped = &exporter->counts.not_finite;
        tn_mat4 from_model = tn_mat4_identity();
        (void)tn_mat4_affine_inverse(to_model, &from_model);
        tn_mat4 for_normals = tn_mat4_transpose(&from_model);
        for (uint32_t i = 0; i < count; i++) {
            float *p = writer->positions + 3 * (size_t)i, *n = writer->normals + 3 * (size_t)i;
            tn_vec3_to_floats(tn_mat4_point(to_model, tn_vec3_from_floats(p)), p, clamped);
            tn_vec3 normal = tn_mat4_vector(&for_normals, tn_vec3_from_floats(n));
            tn_vec3_to_floats(tn_vec3_normalise(normal), n, clamped);
        }
    }
    bmw_export_finite(exporter, writer->positions, 3 * (uint64_t)count);
    bmw_export_finite(exporter, writer->normals, 3 * (uint64_t)count);
    if (part->is_skinned) return true;
    tn_mat4 in_model = tn_mat4_mul(&exporter->to_model, &exporter->pose->globals[part->node]);
    writer->is_mirrored = tn_mat4_determinant(&in_model) < 0;
    return true;
}

// -- Vertices

static void bmw_export_mesh_u32(uint8_t **to, uint32_t value)
{
    tn_copy_numbers(*to, &value, 1, 4, false);
    *to += 4;
}

// The engine uses up to four weights per vertex. The format's own text allows any number.
static void bmw_export_mesh_weights(bmw_mesh_writer *writer, uint32_t vertex)
{
    const bmw_exporter *exporter = writer->exporter;
    const tn_part *part = writer->part;
    uint32_t bones[TN_INFLUENCES], count = 0;
    float largest[TN_INFLUENCES];
    bool keeps_all = exporter->keeps_tree && part->is_skinned;
    size_t all = keeps_all ? part->p->influence_count
                           : bmw_export_vertex_bones(exporter, part, vertex, bones, largest);
    size_t first = keeps_all ? all * vertex : 0;
    const float *weights = keeps_all ? part->p->weights : largest;
    for (size_t i = first; i < first + all; i++) count += weights[i] > 0;
    if (count == 0) return;
    writer->weighted_count++;
    bmw_export_mesh_u32(&writer->weights, writer->vertex_id);
    bmw_export_mesh_u32(&writer->weights, count);
    for (size_t i = first; i < first + all; i++) {
        if (!(weights[i] > 0)) continue;
        uint32_t bone = keeps_all ? part->bones[part->p->joints[i]] : bones[i];
        bmw_export_mesh_u32(&writer->weights, exporter->bone_ids[bone]);
        tn_copy_numbers(writer->weights, &weights[i], 1, 4, false);
        writer->weights += 4;
    }
}

static void bmw_export_vertex(bmw_mesh_writer *writer, uint32_t vertex)
{
    bmw_exporter *exporter = writer->exporter;
    const tenon_primitive *p = writer->part->p;
    const bmw_material_plan *plan = bmw_export_plan_of(exporter, p);

    // The color of the material is multiplied into that of the vertex.
    uint32_t color[4] = {255, 255, 255, 255};
    bool is_exact = true;
    for (uint32_t k = 0; k < 4; k++) {
        double value = p->colors[0] ? p->colors[0][4 * (size_t)vertex + k] : 1;
        if (k < 3) value *= plan->color[k];
        value = value < 0 ? 0 : value > 1 ? 1 : value;
        color[k] = k < 3 ? tn_srgb_byte(exporter->levels, value) : (uint32_t)(255 * value + 0.5);
        double stored = k < 3 ? (double)exporter->levels[color[k]] : color[k] / 255.0;
        is_exact = is_exact && fabs(stored - value) < 1e-6;
    }
    if (writer->vertex_id >= writer->group->padding) exporter->counts.colors += !is_exact;

    const float *from = p->uvs[plan->uv_set];
    float uv[2] = {0, 0};
    if (from) {
        const double *a = plan->uv_rows[0], *b = plan->uv_rows[1];
        double u = from[2 * (size_t)vertex], v = from[2 * (size_t)vertex + 1];
        uv[0] = tn_to_float(plan->has_transform ? a[0] * u + a[1] * v + a[2] : u);
        uv[1] = tn_to_float(1 - (plan->has_transform ? b[0] * u + b[1] * v + b[2] : v));
    }
    bmw_export_finite(exporter, uv, 2);

    uint8_t *to = writer->vertices;
    tn_copy_numbers(to, writer->positions + 3 * (size_t)vertex, 3, 4, false);
    tn_copy_numbers(to + 12, color, 4, 4, false);
    tn_copy_numbers(to + 28, uv, 2, 4, false);
    tn_copy_numbers(to + 36, writer->normals + 3 * (size_t)vertex, 3, 4, false);
    writer->vertices += BMW_VERTEX_SIZE;
    if (writer->group->is_weighted) bmw_export_mesh_weights(writer, vertex);
    writer->vertex_id++;
}

// -- Meshes

static bool bmw_export_mesh(bmw_exporter *exporter, const bmw_group *group, tenon_bmw_mesh *mesh)
{
    uint64_t vertices = group->vertex_count, influences = TN_INFLUENCES;
    for (uint32_t i = 0; i < group->count && exporter->keeps_tree; i++) {
        uint64_t own = bmw_export_part_at(exporter, group->first + i)->p->influence_count;
        if (own > influences) influences = own;
    }
    uint64_t weighted = group->is_weighted ? vertices : 0, weight_size = 8 + 8 * influences;
    uint8_t *vertex_bytes = tn_export_alloc(&exporter->export, vertices, BMW_VERTEX_SIZE);
    uint8_t *face_bytes = tn_export_alloc(&exporter->export, group->index_count / 3, 12);
    uint8_t *weight_bytes = tn_export_alloc(&exporter->export, weighted, (size_t)weight_size);
    if (!vertex_bytes || !face_bytes || !weight_bytes) return false;
    bmw_mesh_writer writer = {.exporter = exporter,
                              .group = group,
                              .vertices = vertex_bytes,
                              .faces = face_bytes,
                              .weights = weight_bytes};
    for (uint32_t i = 0; i < group->count; i++) {
        writer.part = bmw_export_part_at(exporter, group->first + i);
        const tenon_primitive *p = writer.part->p;
        tn_mark mark = tn_arena_mark(exporter->export.arena);
        if (!bmw_export_compute_vertices(&writer)) return false;
        // The padding is copies of the first vertex, which change neither bounds nor bones.
        while (writer.vertex_id < group->padding) bmw_export_vertex(&writer, 0);
        uint32_t base = writer.vertex_id;
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            if (!tn_export_goes_on(&exporter->export, 1)) return false;
            bmw_export_vertex(&writer, v);
        }
        for (uint32_t k = 0; k + 3 <= p->index_count; k += 3) {
            bmw_export_mesh_u32(&writer.faces, base + p->indices[k]);
            bmw_export_mesh_u32(&writer.faces, base + p->indices[k + (writer.is_mirrored ? 2 : 1)]);
            bmw_export_mesh_u32(&writer.faces, base + p->indices[k + (writer.is_mirrored ? 1 : 2)]);
        }
        tn_arena_rewind(exporter->export.arena, mark);
    }
    mesh->vertices =
        (tenon_span){vertex_bytes, vertices * BMW_VERTEX_SIZE, vertices, &bmw_vertex_layout, false};
    uint64_t face_size = (uint64_t)(writer.faces - face_bytes);
    mesh->faces = (tenon_span){face_bytes, face_size, face_size / 12, &tn_layout_u32x3, false};
    mesh->weighted_vertices = (tenon_span){weight_bytes, (uint64_t)(writer.weights - weight_bytes),
                                           writer.weighted_count, &bmw_weighted_layout, false};
    return true;
}

// All meshes; and one texture for each of them, as the engine needs it, or none at all.
bool bmw_export_meshes(bmw_exporter *exporter)
{
    tenon_bmw *doc = exporter->doc;
    uint32_t count = exporter->group_count;
    bool has_textures = false;
    doc->meshes = tn_export_alloc(&exporter->export, count, sizeof *doc->meshes);
    doc->materials = tn_export_alloc(&exporter->export, count, sizeof *doc->materials);
    tenon_str *textures = tn_export_alloc(&exporter->export, count, sizeof *textures);
    if (!doc->meshes || !doc->materials || !textures) return false;
    doc->mesh_count = count;
    // The engine does not convert colors, so they are sRGB.
    tn_srgb_levels(exporter->levels);
    tenon_pose_set(exporter->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (!bmw_export_mesh(exporter, &exporter->groups[i], &doc->meshes[i])) return false;
        textures[i] = exporter->groups[i].material->texture;
        doc->materials[i] = (tenon_bmw_material){1, &textures[i]};
        has_textures = has_textures || textures[i].size;
    }
    doc->material_count = has_textures ? count : 0;
    return true;
}

// The engine always opens a .dds file. It blends a texture whose path contains .png, so transparent
// materials need such a path, and opaque ones must not have one.

// One white pixel: a TGA, uncompressed, 24 bits.
static const uint8_t bmw_white[WHITE_SIZE] = {
    [2] = 2, [12] = 1, [14] = 1, [16] = 24, [18] = 255, [19] = 255, [20] = 255};

// The index of the extension; the size if there is none.
static size_t bmw_export_stem_size(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = size; i-- > 0 && path[i] != '/';)
        if (path[i] == '.') return i;
    return size;
}

// Write the file of an image and use its path, with another extension if the engine would blend it
// wrongly.
static bool bmw_export_set_texture(bmw_exporter *exporter, bmw_material_plan *plan, uint32_t image,
                                   bool is_transparent)
{
    const char *path = tn_export_picture(&exporter->export, image, TN_PICTURE_AS_DDS);
    if (!path) return false;
    size_t stem = bmw_export_stem_size(path);
    bool is_blended = strstr(path, ".png") && !strstr(path, ".jpg");
    exporter->counts.not_dds += *path && !tn_same_word(path + stem, ".dds");
    if (*path && is_blended != is_transparent) {
        char *renamed = tn_export_alloc(&exporter->export, stem + 5, 1);
        if (!renamed) return false;
        memcpy(renamed, path, stem);
        memcpy(renamed + stem, is_transparent ? ".png" : ".dds", 5);
        path = renamed;
    }
    plan->texture = (tenon_str){path, (uint32_t)strlen(path)};
    if (plan->texture.size) plan->texture_id = 2 * image + is_transparent;
    return true;
}

const bmw_material_plan *bmw_export_plan_of(const bmw_exporter *exporter, const tenon_primitive *p)
{
    uint32_t count = exporter->export.scene->material_count;
    return &exporter->material_plans[p->material == TENON_NONE ? count : p->material];
}

bool bmw_export_plan_materials(bmw_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *from = export->scene;
    uint32_t count = from->material_count, part_count = exporter->rig.part_count;
    uint32_t white = from->image_count;
    exporter->material_plans =
        tn_export_alloc(export, (uint64_t)count + 1, sizeof *exporter->material_plans);
    // Add a white image to the scene.
    tenon_scene *scene = tn_export_alloc(export, 1, sizeof *scene);
    tenon_image *images = tn_export_alloc(export, (uint64_t)white + 1, sizeof *images);
    tenon_str stem = tn_export_stem(export);
    size_t size = (size_t)stem.size + sizeof "_white";
    char *name = tn_export_alloc(export, size, 1);
    if (!exporter->material_plans || !scene || !images || !name) return false;
    bool is_prefixed = !export->opts->without_prefix;
    (void)snprintf(name, size, "%s%s", is_prefixed ? stem.data : "",
                   is_prefixed ? "_white" : "white");
    *scene = *from;
    if (white) memcpy(images, from->images, white * sizeof *images);
    images[white] = (tenon_image){.name = {name, (uint32_t)strlen(name)},
                                  .path = {"", 0},
                                  .data = bmw_white,
                                  .size = sizeof bmw_white};
    scene->images = images;
    scene->image_count = white + 1;
    exporter->export.scene = scene;
    for (uint32_t i = 0; i <= count; i++)
        exporter->material_plans[i] =
            (bmw_material_plan){.texture = {"", 0}, .texture_id = TENON_NONE, .color = {1, 1, 1}};
    for (uint32_t i = 0; i < count; i++) {
        bmw_material_plan *plan = &exporter->material_plans[i];
        const tenon_material *material = &scene->materials[i];
        const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
        for (int k = 0; k < 3; k++) plan->color[k] = material->base_color[k];
        if (t->image == TENON_NONE) continue;
        plan->uv_set = t->uv_set < TENON_UV_SETS ? t->uv_set : 0;
        // Scale, then rotation, then offset. v is flipped when it is written.
        plan->has_transform = tn_texture_rows(t, plan->uv_rows);
        if (!bmw_export_set_texture(exporter, plan, t->image, material->alpha != TENON_OPAQUE))
            return false;
    }

    // Mesh i has texture i, so meshes without a texture get a white one, if others have one.
    uint64_t textured = 0;
    for (uint32_t i = 0; i < part_count; i++)
        textured += bmw_export_plan_of(exporter, exporter->rig.parts[i].p)->texture.size > 0;
    if (textured == 0 || textured == part_count) return true;
    for (uint32_t i = 0; i <= count; i++) {
        bmw_material_plan *plan = &exporter->material_plans[i];
        if (plan->texture.size == 0 && !bmw_export_set_texture(exporter, plan, white, false))
            return false;
    }
    exporter->counts.untextured_meshes = part_count - textured;
    return true;
}
