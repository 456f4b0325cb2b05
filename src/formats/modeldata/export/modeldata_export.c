// modeldata_export.c: exports a scene to ModelData or AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// The format has no nodes: static transforms are applied to the vertices, and what moves is bound
// to joints. Every animation has three lists for each joint. If a list has no keys, and before its
// first key, the engine does not change the joint. So all lists with keys start at time 0.

#include "formats/modeldata/export/modeldata_export.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/clips/motion.h"
#include "exchange/prepare.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TILING_TOLERANCE 1e-6
#define USUAL_RATE       24  // Ticks per second, if the options do not say.

// -- Materials

// Extras of materials that have a field in the file.
enum {
    MODELDATA_EXTRA_ALPHA,
    MODELDATA_EXTRA_REFLECTION,
    MODELDATA_EXTRA_DISPLACEMENT,
    MODELDATA_EXTRA_TILING,
    MODELDATA_EXTRA_COUNT,
};

static const char *const modeldata_extra_names[MODELDATA_EXTRA_COUNT] = {
    "alpha_map", "reflection_map", "displacement_factor", "tiling"};

// The text of an extra of a material; empty if there is none.
static tenon_str modeldata_export_extra_text(const modeldata_exporter *exporter, uint32_t material,
                                             size_t which)
{
    const tenon_extra *extra =
        exporter->material_extras[MODELDATA_EXTRA_COUNT * (size_t)material + which];
    return extra ? extra->value : (tenon_str){"", 0};
}

const tenon_texture *modeldata_export_first_texture(const tenon_material *m)
{
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++) {
        if (modeldata_maps[i].slot == TENON_SLOT_COUNT) continue;
        const tenon_texture *t = &m->textures[modeldata_maps[i].slot];
        if (t->image != TENON_NONE) return t;
    }
    return NULL;
}

static void modeldata_export_set_numbers(modeldata_exporter *exporter, uint32_t index,
                                         modeldata_material_plan *plan)
{
    tenon_modeldata_material *to = &plan->material;
    const tenon_material *m = &exporter->scene->materials[index];
    float diffuse[3], glow[3], shininess = 0.2f, damping = 10, factor;
    for (int k = 0; k < 3; k++) {
        diffuse[k] = tn_narrow(m->base_color[k], &exporter->not_finite);
        glow[k] = tn_narrow(m->emissive[k], &exporter->not_finite);
    }
    // Metallic materials have no specular color and shininess.
    if (m->is_classic) {
        shininess = tn_narrow((m->specular[0] + m->specular[1] + m->specular[2]) / 3,
                              &exporter->not_finite);
        damping = tn_narrow(m->shininess, &exporter->not_finite);
    }
    tenon_str text = modeldata_export_extra_text(exporter, index, MODELDATA_EXTRA_DISPLACEMENT);
    bool is_known = text.size && tn_f32_parse(text.data, text.size, &factor);
    if (!is_known) factor = 0.001f;

    // The engine multiplies both coordinates, which start at the bottom, by the same number. Other
    // transforms are applied to the coordinates.
    const tenon_texture *t = modeldata_export_first_texture(m);
    text = modeldata_export_extra_text(exporter, index, MODELDATA_EXTRA_TILING);
    float tiling;
    // Materials without a texture keep their tiling in an extra.
    if (t || !text.size || !tn_f32_parse(text.data, text.size, &tiling)) tiling = 1;
    if (t) plan->uv_set = t->uv_set < TENON_UV_SETS ? t->uv_set : 0;
    bool is_tiled =
        t && t->rotation == 0 && t->scale[0] == t->scale[1] &&
        fabs(t->offset[0]) <= TILING_TOLERANCE &&
        fabs(t->offset[1] - (1 - t->scale[0])) <= TILING_TOLERANCE * (1 + fabs(t->scale[0]));
    if (is_tiled) {
        tiling = tn_narrow(t->scale[0], &exporter->not_finite);
    } else if (t) {
        plan->has_transform = true;
        (void)tn_texture_rows(t, plan->uv_rows);
    }

    // If a value is the engine's default, the flag is set and the engine's placeholder stored. The
    // format's document does not define the defaults, so its dialect stores all values.
    const float *from[MODELDATA_VALUE_COUNT] = {diffuse, glow,       &factor,
                                                &tiling, &shininess, &damping};
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_values(to, values);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++) {
        const modeldata_value *value = &values[i];
        bool is_usual = !exporter->is_document;
        for (uint32_t k = 0; k < value->count; k++)
            is_usual = is_usual && from[i][k] == value->usual;
        for (uint32_t k = 0; k < value->count; k++)
            value->v[k] = is_usual ? value->placeholder : from[i][k];
        *value->flag = is_usual;
    }
    if (!m->is_classic) to->default_shininess = to->default_shine_damping = 1;
    if (!is_known) to->default_displacement_factor = 1;
}

static bool modeldata_export_materials(modeldata_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    exporter->material_plans =
        tn_export_alloc(export, scene->material_count, sizeof *exporter->material_plans);
    exporter->shapes = tn_export_alloc(export, scene->mesh_count, sizeof *exporter->shapes);
    exporter->material_extras =
        tn_export_alloc(export, MODELDATA_EXTRA_COUNT * (uint64_t)scene->material_count,
                        sizeof *exporter->material_extras);
    if (!exporter->material_plans || !exporter->shapes || !exporter->material_extras) return false;
    // The first extra of each kind is used for a field of the file.
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i], **field = NULL;
        if (extra->of == TENON_EXTRA_OF_MESH && tn_text_is(extra->name, "collision_shape"))
            field = &exporter->shapes[extra->index];
        for (size_t k = 0; k < MODELDATA_EXTRA_COUNT && extra->of == TENON_EXTRA_OF_MATERIAL; k++)
            if (tn_text_is(extra->name, modeldata_extra_names[k]))
                field =
                    &exporter->material_extras[MODELDATA_EXTRA_COUNT * (size_t)extra->index + k];
        if (field && !*field)
            *field = extra;
        else
            exporter->other_extras++;
    }
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tenon_primitive *p = exporter->rig.parts[i].p;
        if (p->material == TENON_NONE || p->index_count == 0) continue;
        modeldata_material_plan *plan = &exporter->material_plans[p->material];
        if (plan->is_used) continue;
        plan->is_used = true;
        modeldata_export_set_numbers(exporter, p->material, plan);
        // Maps without a slot are stored as extras, with a path relative to the output.
        tenon_str *maps = plan->material.maps;
        const tenon_material *m = &exporter->scene->materials[p->material];
        for (int k = 0; k < TENON_MODELDATA_MAP_COUNT; k++) {
            bool has_slot = modeldata_maps[k].slot != TENON_SLOT_COUNT;
            uint32_t image = has_slot ? m->textures[modeldata_maps[k].slot].image : TENON_NONE;
            maps[k] = (tenon_str){"", 0};
            if (image == TENON_NONE) continue;
            const char *path = tn_export_picture(export, image, TN_PICTURE_AS_COMMON);
            if (!path) return false;
            maps[k] = (tenon_str){path, (uint32_t)strlen(path)};
        }
        static const int kept[] = {[MODELDATA_EXTRA_ALPHA] = TENON_MODELDATA_ALPHA_MAP,
                                   [MODELDATA_EXTRA_REFLECTION] = TENON_MODELDATA_REFLECTION_MAP};
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
            tenon_str path = modeldata_export_extra_text(exporter, p->material, k);
            const char *text = tn_export_path(export, path);
            if (!text) return false;
            maps[kept[k]] = (tenon_str){text, (uint32_t)strlen(text)};
        }
    }
    return true;
}

// -- Meshes

// The part of the scene that a mesh is exported from.
typedef struct modeldata_source {
    modeldata_exporter *exporter;
    const tn_part *part;
    const modeldata_part_plan *plan;
    const modeldata_material_plan *material;  // NULL if it has no material.
    const tn_affine *palette;                 // Of its skin, if vertices are moved by their joints.
    const float *uvs;
} modeldata_source;

// Where the file stores a vertex, with its normal and tangent.
static void modeldata_export_vertex(const modeldata_source *source, uint32_t vertex,
                                    float position[3], float normal[3], float tangent[3])
{
    const tenon_primitive *p = source->part->p;
    const float *at = p->positions + 3 * (size_t)vertex, *up = p->normals + 3 * (size_t)vertex;
    const float *along = p->tangents + 4 * (size_t)vertex;
    tn_mat4 matrix = source->plan->matrix;
    if (source->plan->placement == MODELDATA_UNMOVED) {
        memcpy(position, at, 3 * sizeof *at);
        memcpy(normal, up, 3 * sizeof *up);
        memcpy(tangent, along, 3 * sizeof *along);
        return;
    }
    if (source->plan->placement == MODELDATA_BY_POSE) {
        size_t first = (size_t)vertex * p->influence_count;
        matrix = (tn_mat4){{[15] = 1}};
        for (uint32_t i = 0; i < p->influence_count; i++) {
            double weight = (double)p->weights[first + i];
            if (weight == 0) continue;
            const tn_affine *joint = &source->palette[p->joints[first + i]];
            for (uint32_t k = 0; k < 12; k++) matrix.m[k + k / 3] += weight * joint->m[k];
        }
    }
    uint64_t *clamped = &source->exporter->not_finite;
    tn_vec3_to_floats(tn_mat4_point(&matrix, tn_vec3_from_floats(at)), position, clamped);

    // If the matrix is singular and gives no direction, the normal is not changed.
    tn_mat3 upper = tn_mat4_upper(&matrix), cofactors = tn_mat3_cofactors(&upper);
    tn_mat4 turn = tn_mat4_from_mat3(&cofactors, (tn_vec3){0, 0, 0});
    tn_vec3 n = tn_vec3_from_floats(up), sum = tn_mat4_vector(&turn, n);
    if (tn_mat3_determinant(&upper) < 0) sum = tn_vec3_scale(sum, -1);
    sum = tn_vec3_normalise(sum);
    if (tn_vec3_dot(sum, sum) > 0) n = sum;
    tn_vec3_to_floats(n, normal, clamped);

    // The tangent is made perpendicular to the normal again.
    tn_vec3 t = tn_vec3_normalise(tn_mat4_vector(&matrix, tn_vec3_from_floats(along)));
    t = tn_vec3_normalise(tn_vec3_sub(t, tn_vec3_scale(n, tn_vec3_dot(n, t))));
    if (tn_vec3_dot(t, t) > 0)
        tn_vec3_to_floats(t, tangent, clamped);
    else
        tn_any_tangent(normal, tangent);
}

static bool modeldata_export_arrays(const modeldata_source *source, tenon_modeldata_mesh *mesh)
{
    modeldata_exporter *exporter = source->exporter;
    const tn_part *part = source->part;
    const tenon_primitive *p = part->p;
    const modeldata_material_plan *material = source->material;
    const uint32_t *joints = exporter->bone_joints[source->plan->bone_set];
    uint32_t array_count =
        exporter->doc->is_animated ? TENON_MODELDATA_INDICES : TENON_MODELDATA_JOINT_IDS;
    uint8_t *bytes[TENON_MODELDATA_ARRAY_COUNT] = {NULL};
    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) {
        const tenon_layout *layout = modeldata_arrays[i].layout;
        bool is_indices = i == TENON_MODELDATA_INDICES;
        uint32_t count = is_indices ? p->index_count : p->vertex_count;
        if (i >= array_count && !is_indices) continue;
        bytes[i] = tn_export_alloc(&exporter->export, count, (size_t)layout->stride);
        if (!bytes[i]) return false;
        mesh->arrays[i] = (tenon_span){bytes[i], layout->stride * count, count, layout, true};
    }
    for (uint32_t vertex = 0; vertex < p->vertex_count; vertex++) {
        float out[TENON_MODELDATA_INDICES][TN_INFLUENCES];
        if (!tn_export_goes_on(&exporter->export, array_count)) return false;
        modeldata_export_vertex(source, vertex, out[TENON_MODELDATA_VERTICES],
                                out[TENON_MODELDATA_NORMALS], out[TENON_MODELDATA_TANGENTS]);
        const float *uv = source->uvs + 2 * (size_t)vertex;
        double u = (double)uv[0], v = (double)uv[1];
        if (material && material->has_transform) {
            const double *row = material->uv_rows[0];
            u = row[0] * (double)uv[0] + row[1] * (double)uv[1] + row[2];
            row = material->uv_rows[1];
            v = row[0] * (double)uv[0] + row[1] * (double)uv[1] + row[2];
        }
        // V starts at the bottom in ModelData.
        out[TENON_MODELDATA_TEXTURE_COORDINATES][0] = tn_narrow(u, &exporter->not_finite);
        out[TENON_MODELDATA_TEXTURE_COORDINATES][1] = tn_narrow(1 - v, &exporter->not_finite);
        if (exporter->doc->is_animated) {
            uint32_t bones[TN_INFLUENCES], ids[TN_INFLUENCES] = {0};
            float *weights = out[TENON_MODELDATA_WEIGHTS];
            (void)tn_part_influences(part, vertex, bones, weights);
            for (uint32_t i = 0; i < TN_INFLUENCES && part->is_skinned; i++)
                if (weights[i] > 0) ids[i] = joints[bones[i]] - exporter->first_joint;
            if (!part->is_skinned) {
                weights[0] = 1;
                ids[0] = source->plan->joint - exporter->first_joint;
            }
            memcpy(out[TENON_MODELDATA_JOINT_IDS], ids, sizeof ids);
        }
        for (uint32_t i = 0; i < array_count; i++) {
            uint64_t stride = modeldata_arrays[i].layout->stride;
            tn_copy_numbers(bytes[i] + stride * vertex, out[i], stride / 4, 4, true);
        }
    }
    bool is_reversed = source->plan->is_mirrored;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        if (!tn_export_goes_on(&exporter->export, 1)) return false;
        uint32_t corners[3] = {p->indices[i], p->indices[i + 1 + is_reversed],
                               p->indices[i + 2 - is_reversed]};
        tn_copy_numbers(bytes[TENON_MODELDATA_INDICES] + 4 * (size_t)i, corners, 3, 4, true);
    }
    return true;
}

// One mesh for each visible primitive of the scene.
static bool modeldata_export_meshes(modeldata_exporter *exporter)
{
    tenon_modeldata *doc = exporter->doc;
    doc->meshes = tn_export_alloc(&exporter->export, exporter->rig.part_count, sizeof *doc->meshes);
    if (!doc->meshes) return false;
    for (uint32_t n = 0; n < exporter->rig.part_count; n++) {
        const tn_part *part = &exporter->rig.parts[n];
        tenon_modeldata_mesh *mesh = &doc->meshes[doc->mesh_count];
        bool is_empty = part->p->index_count == 0;
        tn_tally_at(&exporter->empty_parts, is_empty, "meshes", part->mesh);
        if (is_empty) continue;
        const tenon_primitive *p = part->p;
        modeldata_source source = {
            .exporter = exporter, .part = part, .plan = &exporter->part_plans[n]};
        if (p->material != TENON_NONE) source.material = &exporter->material_plans[p->material];
        uint32_t set = source.material ? source.material->uv_set : 0;
        source.uvs = p->uvs[set] ? p->uvs[set] : p->uvs[0];
        if (source.plan->placement == MODELDATA_BY_POSE)
            source.palette = exporter->pose->palette +
                             exporter->pose->skin_starts[exporter->scene->nodes[part->node].skin];
        mesh->size_factor = exporter->doc->base.dialect->flags & TENON_MODELDATA_LEGACY ? 4 : 1;
        mesh->material_size =
            source.material != NULL;  // Not 0; tn_doc_finalize() sets the real size.
        for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++)
            mesh->material.maps[i] = (tenon_str){"", 0};
        if (source.material) mesh->material = source.material->material;
        mesh->collision_shape = (tenon_str){"", 0};
        if (exporter->shapes[part->mesh]) {
            // The engine throws if it cannot parse a shape. The format's document allows any text.
            tenon_str text = exporter->shapes[part->mesh]->value;
            modeldata_shape shape = modeldata_parse_shape(text);
            bool is_bad = shape.fault && !exporter->is_document;
            tn_mat4 identity = tn_mat4_identity();
            bool is_moved = source.plan->placement == MODELDATA_BY_MATRIX &&
                            memcmp(&source.plan->matrix, &identity, sizeof identity) != 0;
            bool has_sizes = shape.kind != MODELDATA_SHAPE_CONVEX &&
                             shape.kind != MODELDATA_SHAPE_TRIANGLES &&
                             shape.kind != MODELDATA_SHAPE_UNKNOWN;
            tn_tally_at(&exporter->bad_shapes, is_bad, "meshes", part->mesh);
            tn_tally_at(&exporter->moved_shapes, !is_bad && is_moved && has_sizes, "meshes",
                        part->mesh);
            if (!is_bad) mesh->collision_shape = text;
        }
        // ModelData does not store the sign of the bitangent: it is always normal x tangent.
        // Mirroring reverses it.
        uint64_t other_signs = 0;
        float usual_sign = source.plan->is_mirrored ? -1 : 1;
        for (size_t i = 0; i < p->vertex_count; i++)
            other_signs += p->tangents[4 * i + 3] != usual_sign;
        tn_tally_at(&exporter->tangent_signs, other_signs, "meshes", part->mesh);
        if (!modeldata_export_arrays(&source, mesh)) return false;
        doc->mesh_count++;
    }
    return true;
}

// -- Animations

// Seconds are floats, so ticks are rarely exact integers: values close to an integer are rounded.
static float modeldata_export_ticks(const modeldata_exporter *exporter, double seconds)
{
    double ticks = seconds * exporter->rate, whole = floor(ticks + 0.5);
    if (fabs(ticks - whole) <= ticks * 0x1p-23) ticks = whole;
    return ticks < (double)FLT_MAX ? (float)ticks : FLT_MAX;
}

// Fill the list of a joint with keys relative to its parent, if a channel of the clip moves it. A
// key is added at the start, and, if `end` is not NULL, at that tick.
static bool modeldata_export_list(modeldata_exporter *exporter, const tn_motion *motion,
                                  uint32_t node, tenon_target target, const float *end,
                                  tenon_modeldata_keys *list)
{
    bool is_rotation = target == TENON_ROTATION;
    const tenon_layout *layout = is_rotation ? &modeldata_rotation_keys : &modeldata_vector_keys;
    const tn_trs *frame = &exporter->node_plans[node].frame;
    tn_times times;
    if (!motion->channels[3 * (size_t)node + (size_t)target]) return true;
    if (!tn_motion_times(&exporter->export, motion, node, 1u << target, 0, &times)) return false;
    uint8_t *bytes = tn_doc_alloc(&exporter->doc->base, (uint64_t)times.count + 2,
                                  (size_t)layout->stride, exporter->export.err);
    if (!bytes) return false;
    float last_time = 0;
    tn_quat last_rotation = {0};
    uint64_t count = 0;
    for (uint64_t i = 0; i < (uint64_t)times.count + 2; i++) {
        bool is_start = i == 0, is_end = i > times.count;
        double seconds = times.at[is_start ? 0 : is_end ? times.count - 1 : i - 1];
        float time = modeldata_export_ticks(exporter, seconds), key[5];
        if (is_start ? !(time > 0) : is_end && !end) continue;
        if (is_start) time = 0;
        if (is_end) time = *end;
        if (count && time <= last_time) time = tn_float_after(last_time);
        key[0] = last_time = time;
        tn_trs local = tn_motion_local(motion, node, seconds);
        tn_vec3 vector = local.scale;
        if (is_rotation) {
            // The interpolation from the previous key is the shorter one.
            tn_quat q = tn_quat_mul(frame->rotation, local.rotation);
            last_rotation = q = tn_quat_nearer(q, last_rotation);
            const double v[4] = {q.x, q.y, q.z, q.w};
            for (int k = 0; k < 4; k++) key[1 + k] = (float)v[k];
        } else {
            if (target == TENON_TRANSLATION) {
                vector = tn_vec3_scale(local.translation, frame->scale.x);
                vector = tn_vec3_add(frame->translation, tn_quat_rotate(frame->rotation, vector));
            }
            tn_vec3_to_floats(vector, key + 1, &exporter->not_finite);
        }
        tn_copy_numbers(bytes + layout->stride * count++, key, layout->stride / 4, 4, true);
    }
    list->keys = (tenon_span){bytes, layout->stride * count, count, layout, true};
    return true;
}

static bool modeldata_export_animation(modeldata_exporter *exporter, uint32_t index,
                                       tenon_modeldata_animation *a)
{
    const tenon_animation *from = &exporter->scene->animations[index];
    uint32_t count = exporter->doc->joint_count;
    tn_motion motion = {0};
    if (!(from->duration * exporter->rate < (double)FLT_MAX / 2))
        return tn_error(exporter->export.err, TENON_ERR_UNSUPPORTED,
                        "an animation is too long for ModelData");
    tenon_modeldata_keys *lists = tn_doc_alloc(&exporter->doc->base, 3 * (uint64_t)count,
                                               sizeof *lists, exporter->export.err);
    if (!lists || !tn_motion_make(&exporter->export, index, &motion)) return false;
    a->positions = lists;
    a->rotations = lists + count;
    a->scales = lists + 2 * (size_t)count;
    a->position_list_count = a->rotation_list_count = a->scale_list_count = count;
    float end = modeldata_export_ticks(exporter, from->duration);
    for (uint32_t i = 0; i < from->channel_count; i++) {
        const tenon_channel *c = &from->channels[i];
        bool is_curved = c->curve != TENON_LINEAR && c->key_count > 1 &&
                         (c->target != TENON_SCALE || exporter->is_document);
        tn_tally_at(&exporter->curves, is_curved && exporter->node_plans[c->node].is_keyed,
                    "animations", index);
    }

    int last_target = exporter->is_document ? TENON_SCALE : TENON_ROTATION;
    float last_tick = 0;  // Of all lists.
    for (uint32_t i = exporter->first_joint; i < exporter->joint_count; i++) {
        uint32_t node = exporter->joints[i].node;
        if (node == TENON_NONE || !exporter->node_plans[node].is_keyed) continue;
        for (int target = TENON_TRANSLATION; target <= last_target; target++) {
            const tenon_channel *c = motion.channels[3 * (size_t)node + (size_t)target];
            float last =
                c ? modeldata_export_ticks(exporter, (double)c->times[c->key_count - 1]) : 0;
            if (last > last_tick) last_tick = last;
        }
    }
    bool is_short = last_tick < end, is_moving = false;  // The first list gets a key at the end.
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = exporter->joints[exporter->first_joint + i].node;
        if (node == TENON_NONE || !exporter->node_plans[node].is_keyed) continue;
        for (int target = TENON_TRANSLATION; target <= last_target; target++) {
            tenon_modeldata_keys *list = &lists[(size_t)count * (size_t)target + i];
            if (!modeldata_export_list(exporter, &motion, node, (tenon_target)target,
                                       is_short && !is_moving ? &end : NULL, list))
                return false;
            is_moving = is_moving || list->keys.count;
        }
    }
    if (is_moving || !(end > 0)) return true;

    // Two keys without effect keep the duration of an animation in which nothing moves: scales,
    // which the engine ignores, or, in the format's document, the rest position of the first joint.
    float keys[8] = {0, 1, 1, 1, end, 1, 1, 1};
    const tn_mat4 *local = &exporter->joints[exporter->first_joint].local;
    for (int i = 0; i < 3 && exporter->is_document; i++)
        keys[1 + i] = keys[5 + i] = tn_narrow(local->m[12 + i], &exporter->not_finite);
    uint8_t *bytes = tn_doc_alloc(&exporter->doc->base, 1, sizeof keys, exporter->export.err);
    if (!bytes) return false;
    tn_copy_numbers(bytes, keys, 8, 4, true);
    tenon_modeldata_keys *list = exporter->is_document ? &a->positions[0] : &a->scales[0];
    list->keys = (tenon_span){bytes, sizeof keys, 2, &modeldata_vector_keys, true};
    return true;
}

static bool modeldata_export_animations(modeldata_exporter *exporter)
{
    tenon_modeldata *doc = exporter->doc;
    const tn_export *export = &exporter->export;
    uint32_t count = exporter->scene->animation_count;
    doc->animations = tn_export_alloc(export, count, sizeof *doc->animations);
    tenon_str *names = tn_export_alloc(export, count, sizeof *names);
    if (!doc->animations || !names) return false;
    for (uint32_t i = 0; i < count; i++) names[i] = exporter->scene->animations[i].name;
    if (!tn_unique_names(export, names, count, "animation", &exporter->clip_names)) return false;
    for (uint32_t i = 0; i < count; i++) {
        tn_mark mark = tn_arena_mark(export->arena);  // Keys are in the memory of the document.
        doc->animations[i].name = names[i];
        if (!modeldata_export_animation(exporter, i, &doc->animations[i])) return false;
        tn_arena_rewind(export->arena, mark);
        doc->animation_count = i + 1;
    }
    return true;
}

// -- The document

static bool modeldata_export_fill_document(modeldata_exporter *exporter, const tn_export *export)
{
    const tenon_dialect *dialect =
        export->dialect ? export->dialect : tn_modeldata_format.face.dialects;
    const tenon_scene *scene = tn_prepare(export, TN_NEEDS_ALL);
    if (!scene) return false;
    *exporter = (modeldata_exporter){
        .export = *export,
        .scene = scene,
        .rate = export->opts->rate,
        .is_document = (dialect->flags & TENON_MODELDATA_DOCUMENT) != 0,
    };
    exporter->export.scene = scene;
    if (!(exporter->rate > 0 && exporter->rate <= DBL_MAX)) exporter->rate = USUAL_RATE;
    tenon_modeldata *doc = exporter->doc =
        tn_export_doc(&exporter->export, &tn_modeldata_format, dialect);
    if (!doc) return false;
    // As the dialect says; else scenes with skins or animations are animated.
    if (dialect->flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED))
        doc->is_animated = (dialect->flags & TENON_MODELDATA_ANIMATED) != 0;
    else
        doc->is_animated = export->scene->skin_count > 0 || export->scene->animation_count > 0;
    doc->is_column_major = (dialect->flags & TENON_MODELDATA_COLUMN_MAJOR) != 0;
    doc->model_size = MODELDATA_MODEL_MIN;  // There is a model, even without meshes.
    exporter->pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;

    if (doc->is_animated) {
        if (!modeldata_export_plan_nodes(exporter) || !modeldata_export_joints(exporter))
            return false;
    } else {  // All meshes are in the rest pose.
        tn_rig *rig = &exporter->rig;
        if (!tn_rig_make(&exporter->export, TN_RIGID_WITHOUT_BONES, false, rig)) return false;
        exporter->part_plans =
            tn_export_alloc(&exporter->export, rig->part_count, sizeof *exporter->part_plans);
        if (!exporter->part_plans) return false;
        for (uint32_t i = 0; i < rig->part_count; i++) {
            const tn_part *part = &rig->parts[i];
            modeldata_part_plan *plan = &exporter->part_plans[i];
            plan->placement = part->is_skinned ? MODELDATA_BY_POSE : MODELDATA_BY_MATRIX;
            plan->is_mirrored = tn_pose_mirrors(exporter->pose, part->node);
            plan->matrix = exporter->pose->globals[part->node];
        }
    }
    if (!modeldata_export_materials(exporter) || !modeldata_export_meshes(exporter)) return false;
    return doc->is_animated ? modeldata_export_animations(exporter)
                            : modeldata_has_meshes(doc, export->err);
}

bool modeldata_export(const tn_export *export)
{
    modeldata_exporter exporter = {0};
    bool ok = modeldata_export_fill_document(&exporter, export) &&
              tn_export_put_doc(&exporter.export, "", exporter.doc);
    if (ok) modeldata_export_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    return ok && export->err->code == TENON_OK;
}
