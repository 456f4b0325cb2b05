// modeldata_import.c: imports a ModelData.
// SPDX-License-Identifier: MIT
//
// Axes and winding are the same as in a scene. Texture coordinates start at the bottom left.

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "exchange/vertex_codec.h"
#include "scene/model/origin.h"
#include "scene/model/scene_finish.h"
#include "scene/pose/pose.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK           256   // Vertices decoded at once.
#define USUAL_RATE      24    // Ticks per second, if the options do not say.
#define ROW_TOLERANCE   1e-6  // How far the last row of a matrix may be from 0 0 0 1.
#define SCALE_TOLERANCE 5e-7  // How far from 1 the scale of a rotation matrix is due to rounding.
#define KEY_TOLERANCE   1e-5  // How far the scale of a key may be from 1.

enum {
    NAME_SIZE = 32,     // Bytes of a synthesized name, with its terminator.
    SKIN_MOST = 65535,  // Joints of a skin.
    NO_SLOT = 65535,    // Not a joint of the skin.
    SLOT_COUNT = 1024,  // Indices in the table `skin_slots`; larger ones are searched.
};

typedef struct modeldata_importer {
    tn_scene_builder *builder;
    const tenon_modeldata *doc;
    uint64_t synthesized_names;
    tn_tally elements, points, weights;  // What meshes lose.
    uint32_t *materials;                 // Of each mesh.
    modeldata_order by_index;            // Joints.
    uint32_t *nodes;                     // Of each joint.
    uint32_t skin;                       // With all joints; TENON_NONE if there are none.
    uint16_t *skin_slots;  // For each stored index of a joint, its position in the skin.
} modeldata_importer;

// `name`, or, if that is empty, a synthesized name, which is written to `name_buffer`.
static tenon_str modeldata_import_name_of(modeldata_importer *importer, tenon_str name,
                                          const char *word, uint32_t number,
                                          char name_buffer[NAME_SIZE])
{
    if (name.size) return name;
    int size = snprintf(name_buffer, NAME_SIZE, "%s_%u", word, number);
    importer->synthesized_names++;
    return (tenon_str){name_buffer, (uint32_t)size};
}

// -- Materials

// A material with the engine's defaults filled in.
typedef struct modeldata_full_material {
    float diffuse_color[3], glow_color[3];
    float displacement_factor, tiling, shininess, shine_damping;
    const tenon_str *maps;  // NULL if there are none.
} modeldata_full_material;

static modeldata_full_material modeldata_import_full_material_of(const tenon_modeldata *doc,
                                                                 uint32_t mesh)
{
    const tenon_modeldata_material *m = &doc->meshes[mesh].material;
    bool has_material = doc->meshes[mesh].material_size != 0;
    modeldata_full_material full = {.maps = has_material ? m->maps : NULL};
    // In the order of modeldata_values().
    float *targets[MODELDATA_VALUE_COUNT] = {full.diffuse_color,        full.glow_color,
                                             &full.displacement_factor, &full.tiling,
                                             &full.shininess,           &full.shine_damping};
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_values(m, values);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++) {
        bool is_usual = !has_material || modeldata_is_default(doc, &values[i]);
        for (uint32_t k = 0; k < values[i].count; k++)
            targets[i][k] = is_usual ? values[i].usual : values[i].v[k];
    }
    return full;
}

// Any total order in which only equal materials are neither before nor after each other.
static bool modeldata_import_before(const void *context, uint32_t mesh_a, uint32_t mesh_b)
{
    modeldata_full_material a = modeldata_import_full_material_of(context, mesh_a);
    modeldata_full_material b = modeldata_import_full_material_of(context, mesh_b);
    int order = memcmp(&a, &b, offsetof(modeldata_full_material, maps));
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && order == 0; i++) {
        tenon_str none = {"", 0};
        order = tn_text_order(a.maps ? a.maps[i] : none, b.maps ? b.maps[i] : none);
    }
    return order < 0;
}

static void modeldata_import_number_extra(tn_scene_builder *builder, uint32_t material,
                                          const char *name, float value)
{
    char text[TN_NUMBER_MAX];
    uint32_t size = (uint32_t)tn_f32_text(value, text);
    tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, material, name, (tenon_str){text, size});
}

static uint32_t modeldata_import_add_material(modeldata_importer *importer, uint32_t mesh,
                                              uint32_t number)
{
    tn_scene_builder *builder = importer->builder;
    const modeldata_full_material full = modeldata_import_full_material_of(importer->doc, mesh);
    char name_buffer[NAME_SIZE];
    uint32_t index =
        tn_add_material(builder, modeldata_import_name_of(importer, (tenon_str){"", 0}, "material",
                                                          number, name_buffer));
    bool has_texture = false;
    if (builder->failed) return index;
    tenon_material *material = &builder->scene->materials[index];
    material->is_classic = true;
    for (int k = 0; k < 3; k++) {
        material->base_color[k] = (double)full.diffuse_color[k];
        material->emissive[k] = (double)full.glow_color[k];
        material->specular[k] = (double)full.shininess;
    }
    // The shader clamps it to at least 1.
    material->shininess = full.shine_damping < 1 ? 1 : (double)full.shine_damping;
    // The engine does not draw where the alpha of the diffuse map is less than 0.5.
    if (full.maps && full.maps[TENON_MODELDATA_DIFFUSE_MAP].size) material->alpha = TENON_MASK;
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && full.maps; i++) {
        if (!full.maps[i].size) continue;
        if (modeldata_maps[i].slot == TENON_SLOT_COUNT) {
            tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, index, modeldata_maps[i].name,
                         full.maps[i]);
            continue;
        }
        // The engine multiplies the coordinates by `tiling`, then flips v. In the scene v is
        // already flipped.
        tn_set_texture(builder, index, modeldata_maps[i].slot, full.maps[i]);
        if (builder->failed) return index;
        tenon_texture *t = &material->textures[modeldata_maps[i].slot];
        t->scale[0] = t->scale[1] = (double)full.tiling;
        t->offset[1] = 1 - (double)full.tiling;
        has_texture = true;
    }
    if (full.displacement_factor != 0.001f)
        modeldata_import_number_extra(builder, index, "displacement_factor",
                                      full.displacement_factor);
    // With a texture, it is in the transform of the texture.
    if (full.tiling != 1 && !has_texture)
        modeldata_import_number_extra(builder, index, "tiling", full.tiling);
    return index;
}

// Every mesh has a separate material. Equal materials become one.
static void modeldata_import_materials(modeldata_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata *doc = importer->doc;
    uint32_t count = doc->mesh_count, number = 0;
    uint32_t *equals = tn_scene_array(builder, count, sizeof *equals);
    uint32_t *order = tn_scene_array(builder, count, 2 * sizeof *order);
    tn_tally missing = {0};
    if (builder->failed) return;
    // For each mesh, the first mesh with an equal material, which may be itself.
    tn_sort_all(order, count, modeldata_import_before, doc);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || modeldata_import_before(doc, order[i - 1], order[i]);
        equals[order[i]] = is_new ? order[i] : equals[order[i - 1]];
    }
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        tn_tally_at(&missing, !doc->meshes[i].material_size, "meshes", i);
        // An earlier mesh has its material by now.
        equals[i] = equals[i] == i ? modeldata_import_add_material(importer, i, number++)
                                   : equals[equals[i]];
    }
    importer->materials = equals;
    tn_tally_report(builder, &missing, TENON_DEFAULTED, "materials",
                    "a mesh without a material uses the engine's defaults");
}

// -- Joints: nodes and a skin

static bool modeldata_import_has_other_row(const tenon_modeldata *doc, const float stored[16])
{
    float m[16];
    modeldata_to_rows(doc, stored, m);
    for (int k = 0; k < 4; k++)
        if (!(fabs((double)m[12 + k] - (k == 3)) <= ROW_TOLERANCE)) return true;
    return false;
}

// The position in the skin of the joint with the stored index `id`, or NO_SLOT.
static uint16_t modeldata_import_skin_slot(const modeldata_importer *importer, uint32_t id)
{
    uint32_t joint = modeldata_find_joint(&importer->by_index, (int32_t)id);
    return joint < SKIN_MOST ? (uint16_t)joint : NO_SLOT;
}

static void modeldata_import_add_joints(modeldata_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata *doc = importer->doc;
    uint32_t count = doc->joint_count;
    tn_tally missing = {0}, doubles = {0}, rows = {0};
    if (count == 0 || builder->failed) return;
    uint32_t *memory = tn_scene_array(builder, count, MODELDATA_ORDER_SHARE);
    uint32_t *parents = tn_scene_array(builder, count, sizeof *parents);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    importer->nodes = tn_scene_array(builder, count, sizeof *importer->nodes);
    if (builder->failed) return;
    importer->by_index = modeldata_sort_joints(doc, memory);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t joint = importer->by_index.items[i], before = importer->by_index.items[i - 1];
        tn_tally_at(&doubles, doc->joints[joint].index == doc->joints[before].index, "joints",
                    joint);
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t parent = doc->joints[i].parent_index;
        parents[i] = parent == -1 ? TENON_NONE : modeldata_find_joint(&importer->by_index, parent);
        tn_tally_at(&missing, parent != -1 && parents[i] == TENON_NONE, "joints", i);
    }
    tn_tally_report(builder, &doubles, TENON_APPROXIMATED, "indices of joints",
                    "used by several joints; references use another joint");
    tn_tally_report(builder, &missing, TENON_DROPPED, "parents", "no joint has this index");
    tn_scene_report(builder, TENON_DROPPED, "parents",
                    tn_order_parents(builder, parents, count, order), NULL,
                    "the joints are their own ancestors");
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        const tenon_modeldata_joint *joint = &doc->joints[order[i]];
        uint32_t parent = parents[order[i]];
        char name_buffer[NAME_SIZE];
        tenon_str name =
            modeldata_import_name_of(importer, joint->name, "joint", order[i], name_buffer);
        uint32_t index =
            tn_add_node(builder, name, parent < count ? importer->nodes[parent] : TENON_NONE);
        importer->nodes[order[i]] = index;
        if (builder->failed) return;
        bool is_other[] = {modeldata_import_has_other_row(doc, joint->bind_local_pose),
                           modeldata_import_has_other_row(doc, joint->inverse_bind_matrix)};
        tn_tally_at(&rows, (uint64_t)is_other[0] + is_other[1], "joints", order[i]);
        tn_mat4 pose = modeldata_affine(doc, joint->bind_local_pose);
        tn_set_matrix(builder, index, pose.m);
        tenon_node *node = &builder->scene->nodes[index];
        node->is_joint = true;
        // Most poses have no scale, but rounded numbers.
        for (int k = 0; k < 3; k++)
            if (fabs(node->scale[k] - 1) <= SCALE_TOLERANCE) node->scale[k] = 1;
    }
    tn_tally_report(builder, &rows, TENON_APPROXIMATED, "matrices of joints",
                    "the last row was replaced by 0 0 0 1");
    tn_scene_report(
        builder, TENON_DEFAULTED, "matrix order",
        doc->is_order_assumed && modeldata_order_matters(doc), "joints[0]",
        "cannot be detected without a translation; the usual order of the dialect was used");
    // One skin for all meshes, with the joints in file order.
    uint32_t slot_count = count < SKIN_MOST ? count : SKIN_MOST;
    tn_scene_report(builder, TENON_DROPPED, "joints of a skin", count - slot_count, NULL,
                    "a skin supports at most 65535");
    if (builder->failed) return;
    importer->skin = tn_add_skin(builder, (tenon_str){"skeleton", 8}, slot_count);
    importer->skin_slots = tn_scene_array(builder, SLOT_COUNT, sizeof *importer->skin_slots);
    if (builder->failed) return;
    for (uint32_t i = 0; i < SLOT_COUNT; i++)
        importer->skin_slots[i] = modeldata_import_skin_slot(importer, i);
    const tenon_skin *skin = &builder->scene->skins[importer->skin];
    for (uint32_t i = 0; i < slot_count; i++) {
        float *bind = skin->inverse_binds + 16 * (size_t)i;
        skin->joints[i] = importer->nodes[i];
        modeldata_to_rows(doc, doc->joints[i].inverse_bind_matrix, bind);
        tn_stored_transpose(bind);
    }
}

// -- Meshes

static void modeldata_import_mesh(modeldata_importer *importer, uint32_t i)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata_mesh *from = &importer->doc->meshes[i];
    const tenon_span *arrays = from->arrays, *ids = &arrays[TENON_MODELDATA_JOINT_IDS];
    char name_buffer[NAME_SIZE];
    tenon_str name = modeldata_import_name_of(importer, (tenon_str){"", 0}, "mesh", i, name_buffer);
    uint32_t mesh = tn_add_mesh(builder, name, 1), node = tn_add_node(builder, name, TENON_NONE);
    if (from->collision_shape.size)
        tn_add_extra(builder, TENON_EXTRA_OF_MESH, mesh, "collision_shape", from->collision_shape);
    if (builder->failed) return;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    const tn_vertices vertices = {
        .count = arrays[TENON_MODELDATA_VERTICES].count,
        .is_v_up = true,
        .streams = {[TN_POSITION] = tn_find_stream(&arrays[TENON_MODELDATA_VERTICES], ""),
                    [TN_NORMAL] = tn_find_stream(&arrays[TENON_MODELDATA_NORMALS], ""),
                    [TN_TANGENT] = tn_find_stream(&arrays[TENON_MODELDATA_TANGENTS], ""),
                    [TN_UV0] = tn_find_stream(&arrays[TENON_MODELDATA_TEXTURE_COORDINATES], "")}};
    bool is_skinned =
        importer->skin != TENON_NONE && ids->count && arrays[TENON_MODELDATA_WEIGHTS].count;
    // Tangents without a sign get 1, as the engine's bitangent is normal x tangent.
    tn_import_vertices(builder, &vertices, arrays[TENON_MODELDATA_INDICES].count,
                       is_skinned ? TN_WITH_SKIN : 0, p);
    if (p->joints && ids->layout->stride > 16) {
        p->influence_count = MODELDATA_INFLUENCES_MOST;
        uint64_t count = (uint64_t)p->influence_count * p->vertex_count;
        p->joints = tn_scene_array(builder, count, sizeof *p->joints);
        p->weights = tn_scene_floats(builder, count, 1);
    }
    if (builder->failed) return;
    const tenon_span *indices = &arrays[TENON_MODELDATA_INDICES];
    tn_copy_numbers(p->indices, indices->data, p->index_count, 4, indices->big_endian);
    static const char *const beside[] = {"texture_coordinates", "normals", "tangents",
                                         "joint_ids",           "weights", NULL};
    tn_origin origin = {.beside = beside};
    (void)snprintf(origin.part, TN_ORIGIN_PATH, "meshes[%u]", i);
    (void)snprintf(origin.corners.path, TN_ORIGIN_PATH, "meshes[%u].indices", i);
    (void)snprintf(origin.vertices.path, TN_ORIGIN_PATH, "meshes[%u].vertices", i);
    tn_add_origin(builder, p, &origin);
    if (p->joints) {
        // Vertices that are only in one of the two arrays get no influences.
        const tenon_span *weights = &arrays[TENON_MODELDATA_WEIGHTS];
        uint64_t each = ids->layout->stride / 4, common = p->vertex_count;
        if (ids->count < common) common = ids->count;
        if (weights->count < common) common = weights->count;
        uint32_t id_block[MODELDATA_INFLUENCES_MOST * BLOCK];
        float weight_block[MODELDATA_INFLUENCES_MOST * BLOCK];
        for (uint64_t at = 0; at < common; at += BLOCK) {
            uint64_t n = common - at < BLOCK ? common - at : BLOCK;
            tn_copy_numbers(id_block, tn_span_record(ids, at), each * n, 4, ids->big_endian);
            tn_copy_numbers(weight_block, tn_span_record(weights, at), each * n, 4,
                            weights->big_endian);
            for (uint64_t k = 0; k < each * n; k++) {
                uint32_t id = id_block[k];
                uint64_t to = p->influence_count * (at + k / each) + k % each;
                p->joints[to] = id < SLOT_COUNT ? importer->skin_slots[id]
                                                : modeldata_import_skin_slot(importer, id);
                p->weights[to] = weight_block[k];
            }
        }
    }
    p->material = importer->materials[i];
    // Without indices the triangles are unknown.
    if (!p->indices && p->vertex_count) p->mode = TENON_POINTS;
    builder->scene->nodes[node].mesh = mesh;
    if (p->joints) builder->scene->nodes[node].skin = importer->skin;

    for (int k = 0; k < TENON_MODELDATA_INDICES; k++) {
        uint64_t count = arrays[k].count, wanted = p->vertex_count;
        if (!count || count == wanted) continue;
        uint64_t least = count < wanted ? count : wanted;
        tn_tally_in(&importer->elements, count + wanted - 2 * least, "meshes", i,
                    modeldata_arrays[k].name, (uint32_t)least);
    }
    bool has_weights = ids->count || arrays[TENON_MODELDATA_WEIGHTS].count;
    tn_tally_at(&importer->weights, has_weights && !p->joints, "meshes", i);
    tn_tally_at(&importer->points, p->mode == TENON_POINTS, "meshes", i);
}

// -- Animations
//
// List number i belongs to the joint of index i. In the engine, a joint with keys has scale 1: its
// pose is computed from positions and rotations only, and lists of scales are ignored.

typedef struct modeldata_clip_importer {
    modeldata_importer *importer;
    double rate;
    bool has_scales;   // Scale keys have an effect, as in the format's document.
    bool are_degrees;  // Unit of rotations of three numbers.
    uint64_t angles;   // Animations with rotations of three numbers.
    tn_tally orphans, disorders, early, late, scales;
    // The current animation:
    uint32_t index;
    const tenon_modeldata_animation *from;
    tenon_channel *next;
} modeldata_clip_importer;

// An invalid time becomes infinity: the key is sorted to the end and dropped when the scene is
// finished.
static float modeldata_import_seconds(const modeldata_clip_importer *clip, float ticks)
{
    double seconds = (double)ticks / clip->rate;
    return fabs(seconds) <= (double)FLT_MAX ? (float)seconds : INFINITY;
}

static void modeldata_import_fill_channel(modeldata_clip_importer *clip, const tenon_span *keys,
                                          const char *list, uint32_t index, tenon_channel *c)
{
    tn_scene_builder *builder = clip->importer->builder;
    bool is_angles = c->target == TENON_ROTATION && keys->layout == &modeldata_vector_keys;
    tn_channel_alloc(builder, c, keys->count);
    if (builder->failed) return;
    for (uint64_t i = 0; i < keys->count; i++)
        c->times[i] = modeldata_import_seconds(clip, tn_load_f32(tn_span_record(keys, i), true));
    for (uint64_t i = 0; i < keys->count && is_angles; i++) {
        float angles[3];
        tn_span_vec3(keys, &keys->layout->elements[1], i, angles);
        modeldata_quaternion(angles, clip->are_degrees, c->values + 4 * i);
    }
    if (!is_angles) tn_span_f32(keys, &keys->layout->elements[1], 0, keys->count, c->values);

    bool was_mixed = tn_channel_sort(builder, c);
    if (builder->failed) return;
    uint32_t count = c->key_count, each = c->target == TENON_ROTATION ? 4 : 3;
    tn_tally_in(&clip->disorders, was_mixed, "animations", clip->index, list, index);
    tn_tally_in(&clip->late, c->times[0] > 0, "animations", clip->index, list, index);

    // Keys before time 0 are replaced by one key at 0.
    uint32_t early = 0;
    while (early < count && c->times[early] < 0) early++;
    tn_tally_in(&clip->early, early, "animations", clip->index, list, index);
    if (early == 0) return;
    uint32_t first = early;
    if (early == count || c->times[early] > 0) {
        double value[4];
        tn_channel_sample(c, 0, value);
        c->times[--first] = 0;
        for (uint32_t k = 0; k < each; k++) c->values[(size_t)first * each + k] = (float)value[k];
    }
    c->times += first;
    c->values += (size_t)first * each;
    c->key_count -= first;
}

static void modeldata_import_channels(modeldata_clip_importer *clip, tenon_target target,
                                      const modeldata_lists *kind)
{
    const modeldata_importer *importer = clip->importer;
    tn_scene_builder *builder = importer->builder;
    for (uint32_t i = 0; i < *kind->count && !builder->failed; i++) {
        const tenon_span *keys = &(*kind->lists)[i].keys;
        if (!keys->count) continue;
        uint32_t joint = modeldata_find_joint(&importer->by_index, i);
        tn_tally_in(&clip->orphans, joint == TENON_NONE, "animations", clip->index, kind->name, i);
        if (joint == TENON_NONE) continue;
        const tenon_node *node = &builder->scene->nodes[importer->nodes[joint]];
        bool has_positions =
            i < clip->from->position_list_count && clip->from->positions[i].keys.count;
        bool is_scaled = node->has_matrix;
        for (int k = 0; k < 3; k++)
            is_scaled = is_scaled || !(fabs(node->scale[k] - 1) <= KEY_TOLERANCE);
        // The engine resets the scale of the rest pose while the joint has keys.
        bool is_first = target == TENON_TRANSLATION || !has_positions;
        if (is_first && is_scaled && !clip->has_scales) {
            tenon_channel *c = clip->next++;
            *c = (tenon_channel){.node = importer->nodes[joint], .target = TENON_SCALE};
            tn_channel_alloc(builder, c, 1);
            for (int k = 0; k < 3 && !builder->failed; k++) c->values[k] = 1;
        }
        tenon_channel *c = clip->next++;
        *c = (tenon_channel){.node = importer->nodes[joint], .target = target};
        modeldata_import_fill_channel(clip, keys, kind->name, i, c);
    }
}

static void modeldata_import_animation(modeldata_clip_importer *clip, uint32_t i)
{
    tn_scene_builder *builder = clip->importer->builder;
    const tenon_modeldata_animation *a = clip->from =
        &clip->importer->doc->animations[clip->index = i];
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    // For each list of positions or rotations, a scale channel may be added. The end is the last
    // key of any list, even of lists without effect.
    uint64_t channel_most = 0;
    double end = 0;
    for (int kind = 0; kind < MODELDATA_LIST_KINDS; kind++)
        for (uint32_t k = 0; k < *kinds[kind].count; k++) {
            const tenon_span *keys = &(*kinds[kind].lists)[k].keys;
            if (!keys->count) continue;
            channel_most += kind == TENON_SCALE ? 1 : 2;
            const uint8_t *last = tn_span_record(keys, keys->count - 1);
            double seconds =
                (double)modeldata_import_seconds(clip, tn_load_f32(last, keys->big_endian));
            if (seconds > end && seconds < INFINITY) end = seconds;
        }
    if (channel_most >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "animations", "an animation has too many lists");
    char name_buffer[NAME_SIZE];
    tenon_str name =
        modeldata_import_name_of(clip->importer, a->name, "animation", i + 1, name_buffer);
    // The usual name of a clip without a name.
    if (a->name.size == 0 && i == 0) name = (tenon_str){"animation", 9};
    uint32_t index = tn_add_animation(builder, name, (uint32_t)channel_most);
    if (builder->failed) return;
    tenon_animation *animation = &builder->scene->animations[index];
    clip->next = animation->channels;
    modeldata_import_channels(clip, TENON_TRANSLATION, &kinds[TENON_TRANSLATION]);
    modeldata_import_channels(clip, TENON_ROTATION, &kinds[TENON_ROTATION]);
    if (clip->has_scales) {
        modeldata_import_channels(clip, TENON_SCALE, &kinds[TENON_SCALE]);
    } else {
        for (uint32_t k = 0; k < a->scale_list_count; k++) {
            const tenon_span *keys = &a->scales[k].keys;
            uint64_t scaled = 0;
            for (uint64_t n = 0; n < keys->count; n++) {
                float v[3];
                tn_span_vec3(keys, &keys->layout->elements[1], n, v);
                bool is_one = true;
                for (int m = 0; m < 3; m++)
                    is_one = is_one && fabs((double)v[m] - 1) <= KEY_TOLERANCE;
                scaled += !is_one;
            }
            tn_tally_in(&clip->scales, scaled, "animations", clip->index, "scales", k);
        }
    }
    clip->angles += a->rotation_size == 3;
    animation->channel_count = (uint32_t)(clip->next - animation->channels);
    animation->duration = end;
}

// -- The document

void modeldata_import(tn_scene_builder *builder, const void *opaque)
{
    const tenon_modeldata *doc = opaque;
    modeldata_importer importer = {.builder = builder, .doc = doc, .skin = TENON_NONE};
    modeldata_import_materials(&importer);
    if (doc->is_animated) modeldata_import_add_joints(&importer);
    for (uint32_t i = 0; i < doc->mesh_count && !builder->failed; i++)
        modeldata_import_mesh(&importer, i);
    tn_tally_report(builder, &importer.elements, TENON_APPROXIMATED, "vertices",
                    "the arrays have different numbers of elements");
    tn_tally_report(builder, &importer.points, TENON_APPROXIMATED, "meshes",
                    "imported as points, because the mesh has no indices");
    tn_tally_report(builder, &importer.weights, TENON_DROPPED, "weights",
                    "incomplete: joint ids, weights and joints are all required");
    if (doc->is_animated) {
        modeldata_clip_importer clip = {.importer = &importer, .rate = builder->opts->rate};
        clip.has_scales = (doc->base.dialect->flags & TENON_MODELDATA_DOCUMENT) != 0;
        clip.are_degrees = modeldata_angles_are_degrees(doc);
        bool is_given = clip.rate > 0 && clip.rate <= DBL_MAX;
        if (!is_given) clip.rate = USUAL_RATE;
        for (uint32_t i = 0; i < doc->animation_count && !builder->failed; i++)
            modeldata_import_animation(&clip, i);
        if (builder->failed) return;
        tn_tally_report(builder, &clip.scales, TENON_DROPPED, "scale keys",
                        "the engine ignores them");
        tn_tally_report(builder, &clip.orphans, TENON_DROPPED, "lists of keys",
                        "no joint has this index");
        tn_tally_report(builder, &clip.disorders, TENON_APPROXIMATED, "lists of keys",
                        "sorted by time");
        tn_tally_report(builder, &clip.early, TENON_DROPPED, "keys",
                        "before the start of the animation; replaced by one key at the start");
        tn_tally_report(builder, &clip.late, TENON_APPROXIMATED, "lists of keys",
                        "the first key is used from the start; in the engine the joint keeps its "
                        "previous pose until then");
        tn_scene_report(builder, TENON_DEFAULTED, "rotations of three numbers", clip.angles, NULL,
                        modeldata_angles_text(clip.are_degrees));
        if (!is_given)
            tn_scene_report(builder, TENON_DEFAULTED, "rate", doc->animation_count, NULL,
                            "not stored in the file; assumed 24 ticks per second");
    }
    if (builder->failed) return;
    tn_scene_report(builder, TENON_SYNTHESIZED, "names", importer.synthesized_names, NULL,
                    "not stored in the file; numbered instead");
    tn_scene_report(builder, TENON_DROPPED, "leftover bytes", modeldata_count_leftovers(doc), NULL,
                    "they do not belong to any field");
}
