// gpu.c: a scene as buffers that a graphics card draws.
// SPDX-License-Identifier: MIT

#include <tenon/gpu.h>

#include "core/math/math.h"
#include "core/memory/budget.h"
#include "exchange/prepare.h"
#include "scene/edit/editor.h"
#include "scene/pose/pose.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VERTICES_MOST  65535u  // With indices of 2 bytes: the last value may restart a strip.
#define INFLUENCES_MAX 8
#define STRIDE_MOST    65536u

struct tenon_gpu_owner {
    tn_arena arena;
};

// The influences of a vertex, from the heaviest on.
typedef struct influences {
    uint16_t joints[INFLUENCES_MAX];  // Of the mesh that is made, not of the skin.
    float weights[INFLUENCES_MAX];
} influences;

typedef struct gpu_maker {
    const tenon_scene *scene;  // With all streams that the attributes need.
    const tn_export *export;   // Its memory is freed at the end.
    const tenon_attribute *attributes;
    uint32_t attribute_count;
    uint32_t influence_count;  // Of a vertex, at most.
    uint32_t matrices_most, vertices_most;
    tenon_buffers *out;
    tn_arena *arena;  // Of `out`.
    uint32_t mesh_room, draw_room;
    uint32_t *vertex_of;  // For each vertex of the primitive: its number in the new mesh,
    uint32_t *matrix_of;  // and for each joint of the skin: its number there.
    uint32_t *vertices;   // The vertices and joints of the new mesh.
    uint16_t *joints;
    uint32_t *indices;
} gpu_maker;

// -- The layout

static uint32_t gpu_number_size(tenon_number type)
{
    static const uint8_t sizes[] = {
        [TENON_NUMBER_F32] = 4,     [TENON_NUMBER_U8] = 1,       [TENON_NUMBER_U16] = 2,
        [TENON_NUMBER_U8_NORM] = 1, [TENON_NUMBER_U16_NORM] = 2, [TENON_NUMBER_I8_NORM] = 1,
        [TENON_NUMBER_I16_NORM] = 2};
    return (size_t)type < sizeof sizes ? sizes[type] : 0;
}

static uint32_t gpu_most_sets(tenon_stream stream)
{
    static const uint8_t sets[] = {[TENON_STREAM_POSITION] = 1,
                                   [TENON_STREAM_NORMAL] = 1,
                                   [TENON_STREAM_TANGENT] = 1,
                                   [TENON_STREAM_UV] = TENON_UV_SETS,
                                   [TENON_STREAM_COLOR] = TENON_COLOR_SETS,
                                   [TENON_STREAM_JOINTS] = INFLUENCES_MAX / 4,
                                   [TENON_STREAM_WEIGHTS] = INFLUENCES_MAX / 4};
    return (size_t)stream < sizeof sets ? sets[stream] : 0;
}

// Check the attributes, and find what follows from them.
static bool gpu_plan_layout(gpu_maker *maker, const tenon_prepare_opts *opts, uint32_t *needs,
                            tenon_error *err)
{
    static const tenon_attribute usual[] = {
        {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 3, offsetof(tenon_vertex, position)},
        {TENON_STREAM_NORMAL, 0, TENON_NUMBER_F32, 3, offsetof(tenon_vertex, normal)},
        {TENON_STREAM_TANGENT, 0, TENON_NUMBER_F32, 4, offsetof(tenon_vertex, tangent)},
        {TENON_STREAM_UV, 0, TENON_NUMBER_F32, 2, offsetof(tenon_vertex, uv)},
        {TENON_STREAM_COLOR, 0, TENON_NUMBER_U8_NORM, 4, offsetof(tenon_vertex, color)},
        {TENON_STREAM_JOINTS, 0, TENON_NUMBER_U8, 4, offsetof(tenon_vertex, joints)},
        {TENON_STREAM_WEIGHTS, 0, TENON_NUMBER_U8_NORM, 4, offsetof(tenon_vertex, weights)},
    };
    maker->attributes = opts->attributes ? opts->attributes : usual;
    maker->attribute_count =
        opts->attributes ? opts->attribute_count : (uint32_t)(sizeof usual / sizeof usual[0]);
    uint32_t stride = opts->stride, joint_limit = UINT16_MAX + 1;
    *needs = TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES;
    for (uint32_t i = 0; i < maker->attribute_count; i++) {
        const tenon_attribute *a = &maker->attributes[i];
        uint32_t size = a->count * gpu_number_size(a->type);
        bool is_whole = a->type == TENON_NUMBER_U8 || a->type == TENON_NUMBER_U16;
        if (size == 0 || a->count > 4 || a->set >= gpu_most_sets(a->stream) ||
            (a->stream == TENON_STREAM_JOINTS ? !is_whole && a->type != TENON_NUMBER_F32
                                              : is_whole))
            return tn_error(err, TENON_ERR_VALUE, "attribute %u is not possible", (unsigned)i);
        if (a->offset > STRIDE_MOST || (opts->stride && a->offset + size > opts->stride))
            return tn_error(err, TENON_ERR_VALUE, "attribute %u is outside of the vertex",
                            (unsigned)i);
        if (!opts->stride && a->offset + size > stride) stride = a->offset + size;
        if (a->stream == TENON_STREAM_NORMAL) *needs |= TN_NEEDS_NORMALS;
        if (a->stream == TENON_STREAM_TANGENT) *needs |= TN_NEEDS_TANGENTS;
        if (a->stream != TENON_STREAM_JOINTS) continue;
        uint32_t count = 4 * a->set + a->count;
        if (count > maker->influence_count) maker->influence_count = count;
        if (a->type == TENON_NUMBER_U8) joint_limit = UINT8_MAX + 1;
    }
    if (stride == 0 || stride > STRIDE_MOST)
        return tn_error(err, TENON_ERR_VALUE, "a vertex has 1 to %u bytes", STRIDE_MOST);
    maker->out->stride = stride;
    maker->matrices_most =
        opts->max_matrices && opts->max_matrices < joint_limit ? opts->max_matrices : joint_limit;
    if (maker->matrices_most < 3 * maker->influence_count)
        return tn_error(err, TENON_ERR_VALUE,
                        "with %u influences of a vertex, a triangle can need %u matrices",
                        (unsigned)maker->influence_count, 3 * (unsigned)maker->influence_count);
    if (opts->index_size != 0 && opts->index_size != 2 && opts->index_size != 4)
        return tn_error(err, TENON_ERR_VALUE, "indices have 2 or 4 bytes");
    maker->vertices_most = opts->index_size == 2 ? VERTICES_MOST : UINT32_MAX;
    return true;
}

// -- Vertices

// Round weights so that they still add up to 1: what is missing goes to the heaviest.
static void gpu_store_weights(const float *weights, uint32_t count, double one, float *out)
{
    double left = one;
    uint32_t heaviest = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (float)floor((double)weights[i] * one + 0.5);
        left -= (double)out[i];
        if (weights[i] > weights[heaviest]) heaviest = i;
    }
    out[heaviest] += (float)left;
}

// The numbers of an attribute of a vertex, before they are stored.
static void gpu_load(const tenon_attribute *a, const tenon_primitive *p, uint32_t vertex,
                     const influences *influence, double out[4])
{
    const float *from = NULL;
    uint32_t each = 3, first = 4 * a->set;
    double rest[4] = {0, 0, 0, 0};
    switch (a->stream) {
    case TENON_STREAM_POSITION:
        from = p->positions;
        rest[3] = 1;
        break;
    case TENON_STREAM_NORMAL:
        from = p->normals;
        break;
    case TENON_STREAM_TANGENT:
        from = p->tangents;
        each = 4;
        rest[0] = rest[3] = 1;
        break;
    case TENON_STREAM_UV:
        from = p->uvs[a->set];
        each = 2;
        break;
    case TENON_STREAM_COLOR:
        from = p->colors[a->set];
        each = 4;
        rest[0] = rest[1] = rest[2] = rest[3] = 1;
        break;
    case TENON_STREAM_JOINTS:
        for (uint32_t i = 0; i < 4; i++) out[i] = influence->joints[first + i];
        return;
    case TENON_STREAM_WEIGHTS:
        for (uint32_t i = 0; i < 4; i++) out[i] = (double)influence->weights[first + i];
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = from && i < each ? (double)from[(size_t)vertex * each + i] : rest[i];
}

static void gpu_store(const tenon_attribute *a, const double values[4], uint8_t *out)
{
    for (uint32_t i = 0; i < a->count; i++) {
        double v = values[i];
        float single = tn_to_float(v);
        bool is_signed = a->type == TENON_NUMBER_I8_NORM || a->type == TENON_NUMBER_I16_NORM;
        double scale = a->type == TENON_NUMBER_U8_NORM    ? UINT8_MAX
                       : a->type == TENON_NUMBER_U16_NORM ? UINT16_MAX
                       : a->type == TENON_NUMBER_I8_NORM  ? INT8_MAX
                       : a->type == TENON_NUMBER_I16_NORM ? INT16_MAX
                                                          : 1;
        if (scale > 1) v = fmin(fmax(v, is_signed ? -1 : 0), 1) * scale;
        int32_t whole = (int32_t)floor(fmin(v, UINT16_MAX) + 0.5);
        uint16_t wide = (uint16_t)whole;
        if (a->type == TENON_NUMBER_F32)
            memcpy(out + 4 * (size_t)i, &single, 4);
        else if (gpu_number_size(a->type) == 2)
            memcpy(out + 2 * (size_t)i, &wide, 2);
        else
            out[i] = (uint8_t)whole;
    }
}

// The influences of a vertex, as numbers of matrices of the new mesh.
static void gpu_find_influences(const gpu_maker *maker, const tenon_primitive *p, uint32_t vertex,
                                bool is_skinned, influences *out)
{
    *out = (influences){.weights = {1}};
    if (!is_skinned) return;
    const uint16_t *joints = p->joints + (size_t)vertex * p->influence_count;
    const float *weights = p->weights + (size_t)vertex * p->influence_count;
    uint32_t used = 0;
    out->weights[0] = 0;
    for (uint32_t i = 0; i < p->influence_count && used < maker->influence_count; i++) {
        if (!(weights[i] > 0)) continue;
        out->joints[used] = (uint16_t)maker->matrix_of[joints[i]];
        out->weights[used++] = weights[i];
    }
}

static void gpu_write_vertex(const gpu_maker *maker, const tenon_primitive *p, uint32_t vertex,
                             bool is_skinned, uint8_t *out)
{
    influences influence;
    gpu_find_influences(maker, p, vertex, is_skinned, &influence);
    for (uint32_t i = 0; i < maker->attribute_count; i++) {
        const tenon_attribute *a = &maker->attributes[i];
        influences rounded = influence;
        double values[4];
        double one = a->type == TENON_NUMBER_U8_NORM    ? UINT8_MAX
                     : a->type == TENON_NUMBER_U16_NORM ? UINT16_MAX
                                                        : 0;
        if (a->stream == TENON_STREAM_WEIGHTS && one > 0) {
            gpu_store_weights(influence.weights, INFLUENCES_MAX, one, rounded.weights);
            for (int k = 0; k < INFLUENCES_MAX; k++) rounded.weights[k] /= (float)one;
        }
        gpu_load(a, p, vertex, &rounded, values);
        gpu_store(a, values, out + a->offset);
    }
}

// -- Meshes

// Append an item to a list of the buffers, which has room for `*room`.
static bool gpu_grow(const gpu_maker *maker, void **items, uint32_t count, uint32_t *room,
                     size_t size)
{
    if (count < *room) return true;
    uint64_t larger = *room ? 2 * (uint64_t)*room : 16;
    void *memory =
        tn_arena_alloc_or_fail(maker->arena, larger, size, "the buffers", maker->export->err);
    if (!memory || larger > UINT32_MAX) return false;
    if (count) memcpy(memory, *items, count * size);
    *items = memory;
    *room = (uint32_t)larger;
    return true;
}

// The offsets of the vertices that were collected, of 3 numbers each.
static bool gpu_pick_offsets(const gpu_maker *maker, const float *offsets, uint32_t count,
                             const float **picked)
{
    if (!offsets) return true;
    float *out = tn_arena_alloc_or_fail(maker->arena, count, 3 * sizeof *out, "the morph targets",
                                        maker->export->err);
    *picked = out;
    for (uint32_t i = 0; out && i < count; i++)
        memcpy(out + 3 * (size_t)i, offsets + 3 * (size_t)maker->vertices[i], 3 * sizeof *out);
    return out && tn_export_goes_on(maker->export, count);
}

static bool gpu_add_morphs(const gpu_maker *maker, const tenon_primitive *p, tenon_gpu_mesh *mesh)
{
    if (p->morph_count == 0) return true;
    uint32_t count = mesh->vertex_count;
    tenon_gpu_morph *morphs = tn_arena_alloc_or_fail(maker->arena, p->morph_count, sizeof *morphs,
                                                     "the morph targets", maker->export->err);
    mesh->morphs = morphs;
    mesh->morph_count = p->morph_count;
    for (uint32_t i = 0; morphs && i < p->morph_count; i++)
        if (!gpu_pick_offsets(maker, p->morphs[i].positions, count, &morphs[i].positions) ||
            !gpu_pick_offsets(maker, p->morphs[i].normals, count, &morphs[i].normals) ||
            !gpu_pick_offsets(maker, p->morphs[i].tangents, count, &morphs[i].tangents))
            return false;
    return morphs != NULL;
}

// Add a mesh of `index_count` indices and `vertex_count` vertices that were collected.
static bool gpu_add_mesh(gpu_maker *maker, const tenon_gpu_mesh *origin, const tenon_primitive *p,
                         bool is_skinned)
{
    tenon_buffers *out = maker->out;
    tenon_error *err = maker->export->err;
    tenon_gpu_mesh mesh = *origin;
    if (mesh.index_count == 0) return true;
    bool is_short = mesh.vertex_count <= VERTICES_MOST && mesh.index_size != 4;
    mesh.index_size = is_short ? 2 : 4;
    uint8_t *vertices =
        tn_arena_alloc_or_fail(maker->arena, mesh.vertex_count, out->stride, "the vertices", err);
    uint8_t *indices =
        tn_arena_alloc_or_fail(maker->arena, mesh.index_count, mesh.index_size, "the indices", err);
    uint16_t *joints = tn_arena_alloc_or_fail(maker->arena, mesh.matrix_count, sizeof *joints,
                                              "the matrices", err);
    if (!vertices || !indices || !joints ||
        !gpu_grow(maker, (void **)(void *)&out->meshes, out->mesh_count, &maker->mesh_room,
                  sizeof *out->meshes))
        return false;
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        const float *position = p->positions + 3 * (size_t)maker->vertices[i];
        for (int k = 0; k < 3; k++) {
            if (i == 0 || position[k] < mesh.min[k]) mesh.min[k] = position[k];
            if (i == 0 || position[k] > mesh.max[k]) mesh.max[k] = position[k];
        }
        if (!tn_export_goes_on(maker->export, maker->attribute_count)) return false;
        gpu_write_vertex(maker, p, maker->vertices[i], is_skinned,
                         vertices + (size_t)i * out->stride);
    }
    for (uint32_t i = 0; i < mesh.index_count; i++) {
        uint16_t narrow = (uint16_t)maker->indices[i];
        if (is_short)
            memcpy(indices + 2 * (size_t)i, &narrow, 2);
        else
            memcpy(indices + 4 * (size_t)i, &maker->indices[i], 4);
    }
    memcpy(joints, maker->joints, mesh.matrix_count * sizeof *joints);
    if (!gpu_add_morphs(maker, p, &mesh)) return false;
    mesh.vertices = vertices;
    mesh.indices = indices;
    mesh.joints = is_skinned ? joints : NULL;
    if (mesh.matrix_count > out->matrix_count) out->matrix_count = mesh.matrix_count;
    if (mesh.morph_count > out->morph_count) out->morph_count = mesh.morph_count;
    out->meshes[out->mesh_count++] = mesh;
    return true;
}

// Number the joints of a vertex that are not yet numbered; count them only if `adds` is false.
static uint32_t gpu_collect_joints(gpu_maker *maker, const tenon_primitive *p, uint32_t vertex,
                                   uint32_t used, bool adds)
{
    uint32_t added = 0;
    for (uint32_t i = 0, kept = 0; i < p->influence_count && kept < maker->influence_count; i++) {
        size_t at = (size_t)vertex * p->influence_count + i;
        uint16_t joint = p->joints[at];
        if (!(p->weights[at] > 0)) continue;
        kept++;
        if (maker->matrix_of[joint] != TENON_NONE) continue;
        if (adds) {
            maker->matrix_of[joint] = used + added;
            maker->joints[used + added] = joint;
        }
        added++;
    }
    return added;
}

// Collect triangles until vertices or matrices are too many, then begin another mesh.
static bool gpu_split(gpu_maker *maker, uint32_t mesh, uint32_t primitive, bool is_skinned,
                      uint32_t joint_count, uint32_t index_size)
{
    const tenon_primitive *p = &maker->scene->meshes[mesh].primitives[primitive];
    const tn_export *export = maker->export;
    const tenon_gpu_mesh empty = {.mesh = mesh,
                                  .primitive = primitive,
                                  .material = p->material,
                                  .matrix_count = is_skinned ? 0 : 1,
                                  .index_size = index_size};
    tenon_gpu_mesh now = empty;
    maker->vertex_of = tn_export_alloc(export, p->vertex_count, sizeof *maker->vertex_of);
    maker->vertices = tn_export_alloc(export, p->vertex_count, sizeof *maker->vertices);
    maker->indices = tn_export_alloc(export, p->index_count, sizeof *maker->indices);
    maker->matrix_of = tn_export_alloc(export, joint_count, sizeof *maker->matrix_of);
    maker->joints = tn_export_alloc(export, (uint64_t)joint_count + 1, sizeof *maker->joints);
    if (!maker->vertex_of || !maker->vertices || !maker->indices || !maker->matrix_of ||
        !maker->joints)
        return false;
    memset(maker->vertex_of, 0xff, p->vertex_count * sizeof *maker->vertex_of);
    memset(maker->matrix_of, 0xff, joint_count * sizeof *maker->matrix_of);
    for (uint32_t i = 0; i < p->index_count; i += 3) {
        uint32_t new_vertices = 0, new_joints = 0;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = p->indices[i + k];
            if (maker->vertex_of[vertex] != TENON_NONE) continue;
            new_vertices++;
            if (is_skinned) new_joints += gpu_collect_joints(maker, p, vertex, 0, false);
        }
        if (now.vertex_count > maker->vertices_most - new_vertices ||
            now.matrix_count + new_joints > maker->matrices_most) {
            if (!gpu_add_mesh(maker, &now, p, is_skinned)) return false;
            for (uint32_t k = 0; k < now.vertex_count; k++)
                maker->vertex_of[maker->vertices[k]] = TENON_NONE;
            for (uint32_t k = 0; is_skinned && k < now.matrix_count; k++)
                maker->matrix_of[maker->joints[k]] = TENON_NONE;
            now = empty;
        }
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = p->indices[i + k];
            if (maker->vertex_of[vertex] == TENON_NONE) {
                if (is_skinned)
                    now.matrix_count +=
                        gpu_collect_joints(maker, p, vertex, now.matrix_count, true);
                maker->vertices[now.vertex_count] = vertex;
                maker->vertex_of[vertex] = now.vertex_count++;
            }
            maker->indices[now.index_count++] = maker->vertex_of[vertex];
        }
    }
    return gpu_add_mesh(maker, &now, p, is_skinned);
}

// Make the meshes of all nodes, each once with a skin and once without, and what is drawn.
static bool gpu_make(gpu_maker *maker, uint32_t index_size)
{
    const tenon_scene *scene = maker->scene;
    const tn_export *export = maker->export;
    uint32_t(*first_of)[2] = tn_export_alloc(export, scene->mesh_count, sizeof *first_of);
    uint32_t(*end_of)[2] = tn_export_alloc(export, scene->mesh_count, sizeof *end_of);
    if (!first_of || !end_of) return false;
    memset(first_of, 0xff, scene->mesh_count * sizeof *first_of);
    for (uint32_t n = 0; n < scene->node_count; n++) {
        const tenon_node *node = &scene->nodes[n];
        if (node->mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[node->mesh];
        bool has_skin = node->skin != TENON_NONE;
        if (has_skin && maker->influence_count == 0)
            return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                            "the vertices have no joints, which the mesh '%.80s' needs",
                            mesh->name.data);
        uint32_t *first = &first_of[node->mesh][has_skin], *end = &end_of[node->mesh][has_skin];
        if (*first == TENON_NONE) {
            *first = maker->out->mesh_count;
            for (uint32_t i = 0; i < mesh->primitive_count; i++) {
                bool is_skinned = has_skin && mesh->primitives[i].influence_count > 0;
                uint32_t joint_count = is_skinned ? scene->skins[node->skin].joint_count : 0;
                tn_mark mark = tn_arena_mark(export->arena);
                if (!gpu_split(maker, node->mesh, i, is_skinned, joint_count, index_size))
                    return false;
                tn_arena_rewind(export->arena, mark);
            }
            *end = maker->out->mesh_count;
        }
        for (uint32_t i = *first; i < *end; i++) {
            tenon_buffers *out = maker->out;
            if (!gpu_grow(maker, (void **)(void *)&out->draws, out->draw_count, &maker->draw_room,
                          sizeof *out->draws))
                return false;
            out->draws[out->draw_count++] =
                (tenon_draw){i, n, out->meshes[i].joints ? node->skin : TENON_NONE};
        }
    }
    return true;
}

// Copy the scene with as many influences as the vertices have room for.
static bool gpu_limit_influences(const gpu_maker *maker, const tenon_scene *scene,
                                 tenon_scene *limited)
{
    const tn_export *export = maker->export;
    uint32_t most = maker->influence_count;
    tenon_loss loss = {.kind = TENON_APPROXIMATED,
                       .feature = "influences",
                       .why = "each vertex keeps only the heaviest"};
    *limited = *scene;
    for (uint32_t m = 0; most && m < scene->mesh_count; m++) {
        for (uint32_t k = 0; k < scene->meshes[m].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[m].primitives[k];
            for (uint32_t v = 0; v < p->vertex_count && p->influence_count > most; v++) {
                uint32_t count = 0;
                for (uint32_t i = 0; i < p->influence_count; i++)
                    count += p->weights[(size_t)v * p->influence_count + i] > 0;
                loss.count += count > most;
            }
        }
    }
    if (!loss.count) return true;
    if (!tn_limit_influences(scene, most, export->arena, limited, &loss.error, export->err))
        return false;
    if (export->opts->events.on_loss)
        export->opts->events.on_loss(export->opts->events.user, &loss);
    return true;
}

// -- Public

tenon_buffers *tenon_prepare(const tenon_scene *scene, const tenon_prepare_opts *opts,
                             tenon_error *err)
{
    static const tenon_prepare_opts no_opts;
    tenon_error ignored;
    if (!err) err = &ignored;
    if (!opts) opts = &no_opts;
    tn_error_clear(err);
    if (!scene) {
        (void)tn_error(err, TENON_ERR_VALUE, "there is no scene");
        return NULL;
    }
    tn_arena arena =
        tn_arena_make(&opts->allocator, opts->max_memory ? opts->max_memory : UINT64_MAX);
    tn_arena scratch = tn_arena_make(&opts->allocator, UINT64_MAX);
    struct tenon_gpu_owner *owner =
        tn_arena_alloc_or_fail(&arena, 1, sizeof *owner, "buffers", err);
    tenon_buffers *out = tn_arena_alloc_or_fail(&arena, 1, sizeof *out, "buffers", err);
    const tenon_export_opts export_opts = {.allocator = opts->allocator, .events = opts->events};
    tn_export_state state = {.pulse = {.events = &opts->events, .budget = opts->allocator.budget}};
    tenon_scene still;
    tn_export export = {
        .scene = &still, .opts = &export_opts, .arena = &scratch, .err = err, .state = &state};
    gpu_maker maker = {.export = &export, .out = out, .arena = &arena};
    uint32_t needs;
    bool ok = owner && out && tenon_scene_check(scene, err) &&
              gpu_plan_layout(&maker, opts, &needs, err) &&
              gpu_limit_influences(&maker, scene, &still);
    still.animation_count = 0;
    maker.scene = ok ? tn_prepare(&export, needs) : NULL;
    ok = maker.scene && gpu_make(&maker, opts->index_size);
    tn_arena_free(&scratch);
    tn_pulse_end(&state.pulse);
    ok = tn_budget_settle(opts->allocator.budget, ok, err);
    if (ok) {
        owner->arena = arena;
        out->owner = owner;
        return out;
    }
    tn_arena_free(&arena);
    return NULL;
}

void tenon_buffers_free(tenon_buffers *buffers)
{
    if (!buffers) return;
    tn_arena arena = buffers->owner->arena;  // It owns the buffers, too.
    tn_arena_free(&arena);
}

void tenon_draw_matrices(const tenon_buffers *buffers, uint32_t draw, const tenon_pose *pose,
                         float *matrices)
{
    if (!buffers || draw >= buffers->draw_count || !pose || !matrices) return;
    const tenon_draw *d = &buffers->draws[draw];
    const tenon_gpu_mesh *mesh = &buffers->meshes[d->mesh];
    if (d->skin == TENON_NONE) {
        tn_mat4_to_columns(&pose->globals[d->node], matrices);
        return;
    }
    const tn_affine *palette = pose->palette + pose->skin_starts[d->skin];
    for (uint32_t i = 0; i < mesh->matrix_count; i++, matrices += 16)
        for (uint32_t column = 0; column < 4; column++) {
            for (uint32_t row = 0; row < 3; row++)
                matrices[4 * column + row] = (float)palette[mesh->joints[i]].m[3 * column + row];
            matrices[4 * column + 3] = column == 3;
        }
}

void tenon_draw_weights(const tenon_buffers *buffers, uint32_t draw, const tenon_pose *pose,
                        float *weights)
{
    if (!buffers || draw >= buffers->draw_count || !pose || !weights) return;
    const tenon_draw *d = &buffers->draws[draw];
    const double *values = pose->weights + pose->weight_starts[d->node];
    for (uint32_t i = 0; i < buffers->meshes[d->mesh].morph_count; i++)
        weights[i] = tn_to_float(values[i]);
}

bool tenon_pose_is_mirrored(const tenon_pose *pose, uint32_t node)
{
    return pose && node < pose->scene->node_count && tn_pose_mirrors(pose, node);
}
