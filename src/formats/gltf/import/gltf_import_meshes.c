// gltf_import_meshes.c: meshes, and the streams of their primitives.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "scene/model/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SETS_MOST = 16 };  // Of four influences each.

// Accessors of a primitive by semantic; TENON_NONE: it has none.
typedef struct gltf_attributes {
    uint32_t positions, normals, tangents;
    uint32_t uvs[TENON_UV_SETS], colors[TENON_COLOR_SETS], joints[SETS_MOST], weights[SETS_MOST];
} gltf_attributes;

// An accessor that several primitives share is decoded once for each purpose.
typedef enum gltf_purpose { POSITIONS, NORMALS, TANGENTS, UVS, COLORS, PURPOSE_COUNT } gltf_purpose;

typedef struct gltf_decoded {
    float *streams[PURPOSE_COUNT];
} gltf_decoded;

// -- Names

// The number of a set if the key is `word` and a number; else TENON_NONE.
static uint32_t gltf_import_meshes_set_number(const tn_json_value *member, const char *word)
{
    size_t size = strlen(word);
    uint32_t number = 0;
    if (!member->key || member->key_size <= size || member->key_size > size + 4) return TENON_NONE;
    if (memcmp(member->key, word, size) != 0) return TENON_NONE;
    for (uint32_t i = (uint32_t)size; i < member->key_size; i++) {
        char c = member->key[i];
        if (c < '0' || c > '9') return TENON_NONE;
        number = 10 * number + (uint32_t)(c - '0');
    }
    return number;
}

// The field for an attribute; NULL if scenes do not have it.
static uint32_t *gltf_import_meshes_field_of(gltf_attributes *a, const tn_json_value *member)
{
    if (gltf_import_has_key(member, "POSITION")) return &a->positions;
    if (gltf_import_has_key(member, "NORMAL")) return &a->normals;
    if (gltf_import_has_key(member, "TANGENT")) return &a->tangents;
    const struct {
        const char *word;
        uint32_t *places, count;
    } sets[] = {{"TEXCOORD_", a->uvs, TENON_UV_SETS},
                {"COLOR_", a->colors, TENON_COLOR_SETS},
                {"JOINTS_", a->joints, SETS_MOST},
                {"WEIGHTS_", a->weights, SETS_MOST}};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        uint32_t number = gltf_import_meshes_set_number(member, sets[i].word);
        if (number < sets[i].count) return &sets[i].places[number];
    }
    return NULL;
}

bool gltf_import_has_attribute(const tn_json_value *member)
{
    gltf_attributes any;
    return gltf_import_meshes_field_of(&any, member) != NULL;
}

// -- Streams

// Open the accessor of an attribute. Fails unless it has one element for each vertex.
static bool gltf_import_meshes_open_stream(gltf_importer *importer, const tenon_primitive *p,
                                           uint32_t accessor, gltf_shape shape, gltf_elements *e)
{
    if (!gltf_import_open_accessor(importer, accessor, shape, e)) return false;
    if (e->count == p->vertex_count) return true;
    return gltf_import_fail(importer, TENON_ERR_VALUE, tn_json_tree_get(e->node, "count"),
                            "%" PRIu64 " elements, but there are %" PRIu32 " vertices", e->count,
                            p->vertex_count);
}

static float *gltf_import_meshes_stream(gltf_importer *importer, const tenon_primitive *p,
                                        uint32_t accessor, gltf_purpose purpose)
{
    static const gltf_shape shapes[] = {GLTF_VEC3, GLTF_VEC3, GLTF_VEC4, GLTF_VEC2, GLTF_VEC3_OR_4};
    static const uint32_t widths[] = {3, 3, 4, 2, 4};
    gltf_elements e;
    if (accessor == TENON_NONE || importer->builder->failed) return NULL;
    if (!gltf_import_meshes_open_stream(importer, p, accessor, shapes[purpose], &e)) return NULL;
    float **known = &importer->decoded[accessor].streams[purpose];
    if (*known) return *known;
    float *stream = tn_scene_floats(importer->builder, e.count, widths[purpose]);
    if (!stream) return NULL;
    for (uint64_t i = 0; purpose == COLORS && i < e.count; i++) stream[4 * i + 3] = 1;
    gltf_import_decode_floats(importer, &e, stream, widths[purpose]);
    return *known = stream;
}

// -- Influences

static void gltf_import_meshes_influences(gltf_importer *importer, tenon_primitive *p,
                                          const gltf_attributes *a, const tn_json_value *attributes)
{
    const tn_scene_builder *builder = importer->builder;
    uint32_t sets = 0;
    while (sets < SETS_MOST && a->joints[sets] != TENON_NONE) sets++;
    for (uint32_t i = 0; i < SETS_MOST && !builder->failed; i++)
        if ((i < sets) != (a->weights[i] != TENON_NONE) ||
            (i < sets) != (a->joints[i] != TENON_NONE))
            gltf_import_fail(importer, TENON_ERR_VALUE, attributes,
                             "JOINTS and WEIGHTS must be in pairs, numbered without gaps");
    if (builder->failed || !sets) return;
    uint32_t each = 4 * sets;
    p->influence_count = each;
    p->joints = tn_scene_array(importer->builder, p->vertex_count, each * sizeof *p->joints);
    p->weights = tn_scene_floats(importer->builder, p->vertex_count, each);
    for (uint32_t i = 0; i < sets && !builder->failed; i++) {
        gltf_elements e;
        if (gltf_import_meshes_open_stream(importer, p, a->joints[i], GLTF_VEC4, &e))
            gltf_import_decode_joints(importer, &e, p->joints + 4 * (size_t)i, each);
        if (!builder->failed &&
            gltf_import_meshes_open_stream(importer, p, a->weights[i], GLTF_VEC4, &e))
            gltf_import_decode_floats(importer, &e, p->weights + 4 * (size_t)i, each);
    }
}

// -- Primitives

// The place of an accessor in the binary chunk of a GLB file; none if it is elsewhere.
static tn_origin_array gltf_import_meshes_origin(gltf_importer *importer, const gltf_elements *e)
{
    tn_origin_array array = {.base = "chunks[1]", .size = e->component_size * e->width};
    const tenon_gltf *doc = importer->doc;
    if (doc->chunk_count < 2 || !e->bytes.data) return array;
    const tenon_span *data = &doc->chunks[1].data;
    uintptr_t start = (uintptr_t)data->data, at = (uintptr_t)e->bytes.data;
    if (at < start || at - start >= data->size) return array;
    uint32_t view = gltf_import_index(importer, e->node, "bufferView", LIST_BUFFER_VIEWS);
    (void)snprintf(array.path, sizeof array.path, "bufferViews[%u]", view);
    array.first = 8 + (at - start);  // After the length and type of the chunk.
    array.stride = (uint32_t)e->bytes.stride;
    return array;
}

// Where all attributes of a primitive are.
static void gltf_import_meshes_origins(gltf_importer *importer, const tn_json_value *attributes,
                                       tn_origin *origin)
{
    gltf_elements e;
    uint32_t count = tn_json_tree_count(attributes);
    if (!importer->builder->origins) return;
    for (uint32_t i = 0; i < count && i < TN_ORIGIN_STREAMS; i++) {
        const tn_json_value *member = tn_json_tree_at(attributes, i);
        uint32_t index = gltf_import_index_at(importer, member, LIST_ACCESSORS);
        if (gltf_import_open_accessor(importer, index, GLTF_ANY_SHAPE, &e))
            origin->streams[i] = gltf_import_meshes_origin(importer, &e);
    }
}

static void gltf_import_meshes_primitive(gltf_importer *importer, const tn_json_value *primitive,
                                         tenon_primitive *p)
{
    const tn_scene_builder *builder = importer->builder;
    const tn_json_value *attributes = gltf_import_object(importer, primitive, "attributes");
    uint64_t mode = gltf_import_integer(importer, primitive, "mode", TENON_TRIANGLES);
    gltf_attributes a;
    memset(&a, 0xff, sizeof a);  // All of them TENON_NONE.
    for (uint32_t i = 0; i < tn_json_tree_count(attributes) && !builder->failed; i++) {
        const tn_json_value *member = tn_json_tree_at(attributes, i);
        uint32_t *place = gltf_import_meshes_field_of(&a, member);
        uint32_t index = gltf_import_index_at(importer, member, LIST_ACCESSORS);
        if (place)
            *place = index;
        else
            gltf_import_count_loss(importer, GLTF_UNREAD_STREAMS, 1, member);
    }
    p->material = gltf_import_index(importer, primitive, "material", LIST_MATERIALS);
    if (builder->failed) return;
    if (!attributes || mode > TENON_TRIANGLE_FAN) {
        gltf_import_fail(importer, TENON_ERR_VALUE, primitive,
                         "a primitive needs 'attributes', and a 'mode' from 0 to 6");
        return;
    }
    p->mode = (tenon_mode)mode;
    if (a.positions == TENON_NONE) {
        gltf_import_count_loss(importer, GLTF_UNREAD_PARTS, 1, primitive);
        return;
    }
    gltf_elements e;
    if (!gltf_import_open_accessor(importer, a.positions, GLTF_VEC3, &e)) return;
    p->vertex_count = (uint32_t)e.count;
    tn_origin origin = {.vertices = gltf_import_meshes_origin(importer, &e)};
    p->positions = gltf_import_meshes_stream(importer, p, a.positions, POSITIONS);
    p->normals = gltf_import_meshes_stream(importer, p, a.normals, NORMALS);
    p->tangents = gltf_import_meshes_stream(importer, p, a.tangents, TANGENTS);
    for (int k = 0; k < TENON_UV_SETS; k++)
        p->uvs[k] = gltf_import_meshes_stream(importer, p, a.uvs[k], UVS);
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        p->colors[k] = gltf_import_meshes_stream(importer, p, a.colors[k], COLORS);
    if (!builder->failed) gltf_import_meshes_influences(importer, p, &a, attributes);
    if (builder->failed) return;
    uint32_t indices = gltf_import_index(importer, primitive, "indices", LIST_ACCESSORS);
    if (indices != TENON_NONE && gltf_import_open_accessor(importer, indices, GLTF_SCALAR, &e)) {
        p->indices = tn_scene_array(importer->builder, e.count, sizeof *p->indices);
        if (!p->indices) return;
        p->index_count = (uint32_t)e.count;
        gltf_import_decode_integers(importer, &e, p->indices, 1);
        origin.corners = gltf_import_meshes_origin(importer, &e);
    }
    gltf_import_meshes_origins(importer, attributes, &origin);
    if (builder->origins) gltf_import_pointer(primitive, origin.part, sizeof origin.part);
    tn_add_origin(importer->builder, p, &origin);
}

// -- Morph targets

static void gltf_import_meshes_targets(gltf_importer *importer, const tn_json_value *primitive,
                                       uint32_t mesh, uint32_t index)
{
    const tn_json_value *targets = gltf_import_array(importer, primitive, "targets");
    uint32_t count = tn_json_tree_count(targets);
    tenon_primitive *p = &importer->builder->scene->meshes[mesh].primitives[index];
    if (importer->builder->failed || !count || !p->vertex_count) return;
    tenon_morph *morphs = tn_primitive_morphs(importer->builder, mesh, index);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *target = tn_json_tree_at(targets, i);
        if (tn_json_tree_kind_of(target) != TN_TREE_OBJECT)
            gltf_import_fail(importer, TENON_ERR_VALUE, target, "a target must be an object");
        for (uint32_t k = 0; k < tn_json_tree_count(target) && !importer->builder->failed; k++) {
            const tn_json_value *member = tn_json_tree_at(target, k);
            uint32_t accessor = gltf_import_index_at(importer, member, LIST_ACCESSORS);
            float **place = gltf_import_has_key(member, "POSITION")  ? &morphs[i].positions
                            : gltf_import_has_key(member, "NORMAL")  ? &morphs[i].normals
                            : gltf_import_has_key(member, "TANGENT") ? &morphs[i].tangents
                                                                     : NULL;
            // Offsets are not directions: all of them are kept like positions.
            if (place)
                *place = gltf_import_meshes_stream(importer, p, accessor, POSITIONS);
            else
                gltf_import_count_loss(importer, GLTF_UNREAD_STREAMS, 1, member);
        }
    }
}

// Names are in extras, by a convention of Blender and others.
static void gltf_import_meshes_morphs(gltf_importer *importer, const tn_json_value *from,
                                      const tn_json_value *primitives, uint32_t mesh)
{
    const tn_json_value *weights = gltf_import_array(importer, from, "weights");
    const tn_json_value *names = tn_json_tree_get(tn_json_tree_get(from, "extras"), "targetNames");
    uint32_t count = 0;
    for (uint32_t k = 0; k < tn_json_tree_count(primitives); k++) {
        const tn_json_value *targets = tn_json_tree_get(tn_json_tree_at(primitives, k), "targets");
        if (tn_json_tree_count(targets) > count) count = tn_json_tree_count(targets);
    }
    if (!count) return;
    tn_mesh_alloc_morphs(importer->builder, mesh, count);
    if (importer->builder->failed) return;
    tenon_mesh *m = &importer->builder->scene->meshes[mesh];
    for (uint32_t i = 0; i < count; i++) {
        if (tn_json_tree_kind_of(names) == TN_TREE_ARRAY && i < tn_json_tree_count(names))
            m->morph_names[i] =
                tn_scene_text(importer->builder, gltf_import_text_of(tn_json_tree_at(names, i)));
        if (i < tn_json_tree_count(weights))
            m->morph_weights[i] = tn_json_tree_f64(tn_json_tree_at(weights, i), 0);
    }
    for (uint32_t k = 0; k < m->primitive_count && !importer->builder->failed; k++) {
        const tn_json_value *primitive = tn_json_tree_at(primitives, k);
        gltf_import_meshes_targets(importer, primitive, mesh, k);
        (void)gltf_recover_skip_damaged(importer, "morph targets", primitive);
    }
}

// -- Meshes

static void gltf_import_meshes_mesh(gltf_importer *importer, uint32_t i)
{
    tn_scene_builder *builder = importer->builder;
    static const char *const known[] = {"targetNames", NULL};
    const tn_json_value *mesh = gltf_import_item(importer, LIST_MESHES, i);
    const tn_json_value *primitives = gltf_import_array(importer, mesh, "primitives");
    uint32_t count = tn_json_tree_count(primitives);
    if (!builder->failed && count == 0)
        gltf_import_fail(importer, TENON_ERR_VALUE, mesh, "a mesh needs 'primitives'");
    uint32_t index = tn_add_mesh(builder, gltf_import_text(importer, mesh, "name"), count);
    if (builder->failed) return;
    importer->mesh_of[i] = index;
    builder->scene->meshes[index].origin = i + 1;
    for (uint32_t k = 0; k < count && !builder->failed; k++) {
        const tn_json_value *primitive = tn_json_tree_at(primitives, k);
        tenon_primitive *p = &builder->scene->meshes[index].primitives[k];
        gltf_import_meshes_primitive(importer, primitive, p);
        // A lost primitive has no vertices.
        if (gltf_recover_skip_damaged(importer, "parts of meshes", primitive))
            *p = (tenon_primitive){.mode = TENON_TRIANGLES, .material = TENON_NONE};
        p->origin = importer->primitive_number + k + 1;
    }
    if (!builder->failed) gltf_import_meshes_morphs(importer, mesh, primitives, index);
    gltf_import_extras(importer, mesh, TENON_EXTRA_OF_MESH, index, known);
}

void gltf_import_meshes(gltf_importer *importer)
{
    importer->decoded =
        gltf_import_scratch_for(importer, LIST_ACCESSORS, sizeof *importer->decoded);
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_MESHES) && !importer->builder->failed;
         i++) {
        const tn_json_value *mesh = gltf_import_item(importer, LIST_MESHES, i);
        uint32_t added = importer->builder->scene->mesh_count;
        if (importer->mesh_of[i] == TENON_NONE)
            gltf_import_count_loss(importer, GLTF_UNREAD_MESHES, 1, mesh);
        else
            gltf_import_meshes_mesh(importer, i);
        importer->primitive_number += tn_json_tree_count(tn_json_tree_get(mesh, "primitives"));
        if (gltf_recover_skip_damaged(importer, "meshes", mesh) &&
            importer->builder->scene->mesh_count == added)
            importer->mesh_of[i] = TENON_NONE;
    }
}
