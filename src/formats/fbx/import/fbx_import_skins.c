// fbx_import_skins.c: skins of geometries: which bones move their points.
// SPDX-License-Identifier: MIT
//
// A cluster has a matrix from the mesh to the bone when it was bound, and that of the bone to the
// world. So the product is the place of the mesh then.

#include "formats/fbx/import/fbx_import_mesh.h"

#include "core/math/sort.h"
#include "core/text/text.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

#define JOINTS_MOST 65535

// A cluster and its points.
typedef struct skin_cluster {
    uint32_t object;
    uint32_t skin;   // The deformer.
    uint32_t model;  // The bone.
    const int32_t *points;
    const double *weights;
    uint64_t count;
} skin_cluster;

// -- Matrices

// A matrix of the file, in meters.
static bool fbx_import_skins_matrix(fbx_importer *importer, const tenon_fbx_node *node,
                                    tn_mat4 *out)
{
    uint64_t count = 0;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    const double *numbers = node ? fbx_import_f64s(importer, node, &count) : NULL;
    bool is_valid = numbers && count >= 16;
    for (int i = 0; i < 16 && is_valid; i++) {
        out->m[i] = numbers[i];
        is_valid = numbers[i] - numbers[i] == 0;
    }
    tn_arena_rewind(&importer->scratch, mark);
    if (!is_valid) return false;
    for (int i = 12; i < 15; i++) out->m[i] *= importer->unit;
    if (importer->is_mirrored) *out = tn_mirror_mat4(out);
    return true;
}

// From the axes of scenes to those of the file.
static tn_mat4 fbx_import_skins_to_file(const fbx_importer *importer)
{
    const tn_trs back = {{0, 0, 0}, tn_quat_conjugate(importer->turn), {1, 1, 1}};
    return tn_mat4_from_trs(&back);
}

// -- Clusters

// Append the clusters of a deformer to `count` that are there. Returns the new count.
static uint32_t fbx_import_skins_find_clusters(fbx_importer *importer, uint32_t skin,
                                               uint32_t model, skin_cluster *clusters,
                                               uint32_t count)
{
    fbx_links links = fbx_import_children(importer, skin);
    for (uint32_t i = 0; i < links.count && count < JOINTS_MOST; i++) {
        uint32_t object = importer->links[links.items[i]].child;
        if (importer->objects[object].kind != FBX_DEFORMER) continue;
        uint32_t bone = fbx_import_child_of(importer, object, FBX_MODEL);
        if (bone == TENON_NONE) continue;
        skin_cluster *cluster = &clusters[count++];
        const tenon_fbx_node *node = importer->objects[object].node;
        uint64_t weight_count = 0;
        *cluster =
            (skin_cluster){.object = object, .skin = skin, .model = importer->objects[bone].index};
        cluster->points = fbx_import_i32s(importer, fbx_child(node, "Indexes"), &cluster->count);
        cluster->weights = fbx_import_f64s(importer, fbx_child(node, "Weights"), &weight_count);
        if (importer->builder->failed) return 0;
        if (weight_count < cluster->count) cluster->count = weight_count;
        tenon_str mode = fbx_text(fbx_child(node, "Mode"), 0);
        bool is_plain = !mode.size || tn_text_is(mode, "Normalize") || tn_text_is(mode, "Total1") ||
                        tn_text_is(mode, "TotalOne");
        fbx_import_count(importer, FBX_UNREAD_CLUSTER_MODES, !is_plain,
                         importer->models[model].object);
    }
    return count;
}

// Sort the weights by point.
static bool fbx_import_skins_sort(fbx_importer *importer, const skin_cluster *clusters,
                                  uint32_t cluster_count, uint32_t point_count, fbx_influences *out)
{
    uint64_t total = 0, shared = 0;
    uint32_t *skins = fbx_import_alloc(importer, point_count, sizeof *skins);
    out->starts = fbx_import_alloc(importer, (uint64_t)point_count + 2, sizeof *out->starts);
    if (importer->builder->failed) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < cluster_count; c++)
            for (uint64_t i = 0; i < clusters[c].count; i++) {
                double weight = clusters[c].weights[i];
                uint32_t point = (uint32_t)clusters[c].points[i];
                if (point >= point_count || !(weight > 0 && weight < 1e30)) continue;
                if (pass == 0) {
                    // The first skin of the point, plus one.
                    if (!skins[point]) skins[point] = clusters[c].skin + 1;
                    shared += skins[point] != clusters[c].skin + 1;
                    out->starts[point + 2]++;
                    total++;
                    continue;
                }
                uint32_t at = out->starts[point + 1]++;
                out->joints[at] = (uint16_t)c;
                out->weights[at] = (float)weight;
            }
        if (pass) break;
        fbx_import_count(importer, FBX_UNREAD_SKINS, shared > 0, clusters[0].skin);
        if (total > UINT32_MAX / 2)
            return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "too many weights");
        for (uint32_t i = 2; i < point_count + 2; i++) out->starts[i] += out->starts[i - 1];
        out->joints = fbx_import_alloc(importer, total, sizeof *out->joints);
        out->weights = fbx_import_alloc(importer, total, sizeof *out->weights);
        if (importer->builder->failed) return false;
    }
    return tn_goes_on(&importer->builder->pulse, (uint32_t)(total / 8));
}

// Whether curves move the mesh, but not the bone.
static bool fbx_import_skins_moves_alone(const fbx_importer *importer, uint32_t model,
                                         uint32_t bone)
{
    const fbx_model *models = importer->models;
    for (; model != TENON_NONE && models[model].moves; model = models[model].parent) {
        if (!models[model].has_curves) continue;
        uint32_t above = bone;
        // Parents come before children.
        while (above != TENON_NONE && above > model) above = models[above].parent;
        if (above != model) return true;
    }
    return false;
}

// Whether a link of a geometry is to a skin.
static bool fbx_import_skins_is_skin(const fbx_importer *importer, uint32_t link)
{
    const fbx_object *child = &importer->objects[importer->links[link].child];
    return child->kind == FBX_DEFORMER && tn_text_is(child->type, "Skin");
}

// The clusters of all skins. False if the import failed.
static bool fbx_import_skins_gather(fbx_importer *importer, const fbx_geometry *geometry,
                                    uint32_t model, skin_cluster **clusters, uint32_t *count)
{
    fbx_links deformers = fbx_import_children(importer, geometry->object);
    uint64_t most = 0, dual_count = 0;
    *count = 0;
    for (uint32_t i = 0; i < deformers.count; i++)
        if (fbx_import_skins_is_skin(importer, deformers.items[i]))
            most += fbx_import_children(importer, importer->links[deformers.items[i]].child).count;
    *clusters = fbx_import_alloc(importer, most, sizeof **clusters);
    for (uint32_t i = 0; i < deformers.count && !importer->builder->failed; i++) {
        uint32_t skin = importer->links[deformers.items[i]].child;
        if (!fbx_import_skins_is_skin(importer, deformers.items[i])) continue;
        uint32_t before = *count;
        *count = fbx_import_skins_find_clusters(importer, skin, model, *clusters, before);
        tenon_str type = fbx_text(fbx_child(importer->objects[skin].node, "SkinningType"), 0);
        bool is_dual = tn_text_is(type, "DualQuaternion") || tn_text_is(type, "Blend");
        dual_count += *count > before && is_dual;
    }
    fbx_import_count(importer, FBX_UNREAD_DUAL_QUATERNIONS, dual_count,
                     importer->models[model].object);
    return !importer->builder->failed;
}

bool fbx_import_skin(fbx_importer *importer, const fbx_geometry *geometry, uint32_t point_count,
                     uint32_t model, fbx_influences *out)
{
    tn_scene_builder *builder = importer->builder;
    *out = (fbx_influences){.skin = TENON_NONE};
    skin_cluster *clusters;
    uint32_t count;
    if (!fbx_import_skins_gather(importer, geometry, model, &clusters, &count)) return false;
    if (count == 0) return true;
    if (!fbx_import_skins_sort(importer, clusters, count, point_count, out)) return false;
    tenon_str name = importer->objects[clusters[0].skin].name;
    if (!name.size) name = importer->objects[importer->models[model].object].name;
    out->skin = tn_add_skin(builder, name, count);
    if (builder->failed) return false;
    tenon_skin *skin = &builder->scene->skins[out->skin];
    const tn_mat4 *rests = fbx_import_rests(importer);
    if (!rests) return false;
    tn_mat4 to_file = fbx_import_skins_to_file(importer);
    tn_mat4 mesh_rest = tn_mat4_mul(&to_file, &rests[importer->models[model].scaled]);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        const tenon_fbx_node *node = importer->objects[clusters[i].object].node;
        uint32_t joint = importer->models[clusters[i].model].scaled;
        tn_mat4 bind, place;
        skin->joints[i] = joint;
        builder->scene->nodes[joint].is_joint = true;
        bool has_bind = fbx_import_skins_matrix(importer, fbx_child(node, "Transform"), &bind);
        bool has_place =
            fbx_import_skins_matrix(importer, fbx_child(node, "TransformLink"), &place);
        if (has_bind && has_place && !out->has_bind) {
            out->has_bind = true;
            out->bind = tn_mat4_mul(&place, &bind);
        }
        if (!has_bind) {
            // The mesh was bound where it is at rest.
            tn_mat4 rest = has_place ? place : tn_mat4_mul(&to_file, &rests[joint]), inverse;
            fbx_import_count(importer, FBX_UNREAD_UNBOUND, 1, clusters[i].object);
            bind = mesh_rest;
            if (tn_mat4_affine_inverse(&rest, &inverse)) bind = tn_mat4_mul(&inverse, &mesh_rest);
        }
        tn_mat4_to_columns(&bind, skin->inverse_binds + 16 * (size_t)i);
    }
    bool is_alone = geometry->user_count == 1 && !importer->has_own_skins &&
                    fbx_import_skins_moves_alone(importer, model, clusters[0].model);
    fbx_import_count(importer, FBX_UNREAD_MOVED_SKINS, is_alone, importer->models[model].object);
    return !builder->failed;
}

// -- Instances

// A node that is copied.
typedef struct fbx_bone {
    uint32_t node;
    uint32_t parent;  // A bone; TENON_NONE: none.
    uint32_t copy;    // Of the last instance.
} fbx_bone;

static bool fbx_import_skins_node_before(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return a < b;
}

// Find the joints of a skin and what is above them, which are all nodes of models.
static bool fbx_import_skins_find_bones(fbx_importer *importer, fbx_influences *out)
{
    const tenon_scene *scene = importer->builder->scene;
    const tenon_skin *skin = &scene->skins[out->skin];
    uint32_t *nodes = NULL, count = 0, room = 0;
    if (!importer->bone_of)
        importer->bone_of =
            tn_scene_array(importer->builder, importer->rest_count, sizeof *importer->bone_of);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < skin->joint_count; i++)
        for (uint32_t node = skin->joints[i]; node != TENON_NONE && !importer->bone_of[node];
             node = scene->nodes[node].parent) {
            if (!fbx_import_grow(importer, (void **)&nodes, count, &room, sizeof *nodes))
                return false;
            importer->bone_of[node] = 1;
            nodes[count++] = node;
        }
    uint32_t *spare = fbx_import_alloc(importer, count, sizeof *spare);
    out->bones = fbx_import_alloc(importer, count, sizeof *out->bones);
    out->joint_bones = fbx_import_alloc(importer, skin->joint_count, sizeof *out->joint_bones);
    if (importer->builder->failed) return false;
    tn_sort(nodes, spare, count, fbx_import_skins_node_before, NULL);
    out->bone_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = scene->nodes[nodes[i]].parent;
        importer->bone_of[nodes[i]] = i + 1;
        out->bones[i] = (fbx_bone){.node = nodes[i], .parent = TENON_NONE};
        if (parent != TENON_NONE) out->bones[i].parent = importer->bone_of[parent] - 1;
    }
    for (uint32_t i = 0; i < skin->joint_count; i++)
        out->joint_bones[i] = importer->bone_of[skin->joints[i]] - 1;
    for (uint32_t i = 0; i < count; i++) importer->bone_of[nodes[i]] = 0;
    return true;
}

uint32_t fbx_import_skin_instance(fbx_importer *importer, fbx_influences *influences,
                                  uint32_t model)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t at = importer->models[model].scaled;
    const tn_mat4 *rests = fbx_import_rests(importer);
    tn_mat4 to_file = fbx_import_skins_to_file(importer), inverse, moved;
    if (!rests || !influences->has_bind || !tn_mat4_affine_inverse(&influences->bind, &inverse))
        return influences->skin;
    // The place when it was bound is in the axes of the file.
    inverse = tn_mat4_mul(&inverse, &to_file);
    moved = tn_mat4_mul(&rests[at], &inverse);
    double off = 0;
    tn_mat4 identity = tn_mat4_identity();
    for (int i = 0; i < 16; i++) off = fmax(off, fabs(moved.m[i] - identity.m[i]));
    if (off < 1e-5 && !importer->models[model].moves) return influences->skin;
    if (!influences->bones && !fbx_import_skins_find_bones(importer, influences)) return TENON_NONE;
    uint32_t root = tn_add_node(builder, (tenon_str){"", 0}, at);
    if (builder->failed) return TENON_NONE;
    tn_set_matrix(builder, root, inverse.m);
    for (uint32_t i = 0; i < influences->bone_count && !builder->failed; i++) {
        fbx_bone *bone = &influences->bones[i];
        uint32_t parent = bone->parent == TENON_NONE ? root : influences->bones[bone->parent].copy;
        bone->copy = tn_add_node(builder, builder->scene->nodes[bone->node].name, parent);
        if (builder->failed) return TENON_NONE;
        tenon_node *to = &builder->scene->nodes[bone->copy];
        const tenon_node *from = &builder->scene->nodes[bone->node];
        memcpy(to->translation, from->translation, sizeof to->translation);
        memcpy(to->rotation, from->rotation, sizeof to->rotation);
        memcpy(to->scale, from->scale, sizeof to->scale);
        to->is_joint = from->is_joint;
        if (!fbx_import_grow_in(importer, builder->arena, (void **)&importer->copies,
                                importer->copy_count, &importer->copy_room,
                                sizeof *importer->copies))
            return TENON_NONE;
        importer->copies[importer->copy_count++] = (fbx_copy){bone->node, bone->copy};
    }
    const tenon_skin *from = &builder->scene->skins[influences->skin];
    uint32_t count = from->joint_count;
    uint32_t skin = tn_add_skin(builder, from->name, count);
    if (builder->failed) return TENON_NONE;
    from = &builder->scene->skins[influences->skin];
    tenon_skin *to = &builder->scene->skins[skin];
    for (uint32_t i = 0; i < count; i++)
        to->joints[i] = influences->bones[influences->joint_bones[i]].copy;
    memcpy(to->inverse_binds, from->inverse_binds, 16 * sizeof(float) * (size_t)count);
    return skin;
}
