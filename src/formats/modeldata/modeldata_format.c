// modeldata_format.c: ModelData in the table of formats: recognizing it, and what is in a file.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/view.h"

#include <inttypes.h>
#include <stdio.h>

#define CLIPS_MAX  8  // Animations whose length is shown.
#define VALUES_MAX 8  // Materials whose values are shown.

// -- Meshes

static void modeldata_info_report_meshes(tn_info_builder *informer, const tenon_modeldata *doc)
{
    tn_text_list arrays = {.size = 0}, maps = {.size = 0}, shapes = {.size = 0};
    uint32_t shape_counts[MODELDATA_SHAPE_UNKNOWN + 1] = {0}, absent = 0, material_count = 0;
    for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < doc->mesh_count; i++) count += doc->meshes[i].arrays[k].count > 0;
        if (count && count == doc->mesh_count)
            tn_text_list_add(&arrays, "%s", modeldata_arrays[k].name);
        else if (count)
            tn_text_list_add(&arrays, "%s (in %u of %u)", modeldata_arrays[k].name, count,
                             doc->mesh_count);
    }
    if (arrays.size) tn_info_add(informer, "arrays", "%s", arrays.text);

    // The diffuse map is in the list of materials.
    for (int map = TENON_MODELDATA_DIFFUSE_MAP + 1; map < TENON_MODELDATA_MAP_COUNT; map++) {
        uint32_t count = 0;
        char shown[48] = "";
        for (uint32_t i = 0; i < doc->mesh_count; i++) {
            tenon_str name = doc->meshes[i].material.maps[map];
            if (name.size && count++ == 0) tn_text_clean(name.data, name.size, shown, sizeof shown);
        }
        if (count)
            tn_text_list_add(&maps, "%s %s%s", modeldata_maps[map].name, shown,
                             count > 1 ? " and others" : "");
    }
    if (maps.size) tn_info_add(informer, "other maps", "%s", maps.text);

    // Values that differ from the engine's defaults.
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        modeldata_value values[MODELDATA_VALUE_COUNT];
        tn_text_list line = {.size = 0};
        uint32_t defaults = 0;
        if (!doc->meshes[i].material_size || material_count++ >= VALUES_MAX) continue;
        modeldata_values(&doc->meshes[i].material, values);
        for (int k = 0; k < MODELDATA_VALUE_COUNT; k++) {
            char numbers[3 * (TN_NUMBER_MAX + 1)];
            size_t size = 0;
            for (uint32_t n = 0; n < values[k].count; n++) {
                numbers[size++] = ' ';
                size += tn_f32_text(values[k].v[n], numbers + size);
            }
            bool is_default = modeldata_is_default(doc, &values[k]);
            defaults += is_default;
            if (!is_default) tn_text_list_add(&line, "%s%s", values[k].name, numbers);
        }
        if (defaults) tn_text_list_add(&line, "%s", line.size ? "others default" : "all default");
        tn_info_add(informer, "values", "mesh %u: %s", i, line.text);
    }
    if (material_count > VALUES_MAX)
        tn_info_add(informer, "values", "and of %u more", material_count - VALUES_MAX);

    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_str shape = doc->meshes[i].collision_shape;
        absent += !shape.size;
        if (shape.size) shape_counts[modeldata_parse_shape(shape).kind]++;
    }
    for (int kind = 0; kind <= MODELDATA_SHAPE_UNKNOWN; kind++)
        if (shape_counts[kind])
            tn_text_list_add(&shapes, "%u %s", shape_counts[kind],
                             modeldata_shape_word((modeldata_shape_kind)kind));
    if (absent) tn_text_list_add(&shapes, "%u not set (convex)", absent);
    if (shapes.size) tn_info_add(informer, "shapes", "%s", shapes.text);
}

// -- Animations

typedef struct modeldata_extent {
    float ticks;        // Time of the last key.
    uint64_t channels;  // Lists that have keys.
    uint64_t keys;
} modeldata_extent;

static modeldata_extent modeldata_info_extent_of(const tenon_modeldata_animation *a)
{
    modeldata_extent extent = {0};
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++)
        for (uint32_t i = 0; i < *kinds[k].count; i++) {
            const tenon_span *keys = &(*kinds[k].lists)[i].keys;
            if (!keys->count) continue;
            float time = tn_load_f32(tn_span_record(keys, keys->count - 1), keys->big_endian);
            if (time > extent.ticks) extent.ticks = time;
            extent.channels++;
            extent.keys += keys->count;
        }
    return extent;
}

// -- Views

// The joints of a document, and its meshes that have a material.
typedef struct modeldata_view_index {
    modeldata_order joints;
    uint32_t *material_meshes;
    char (*material_names)[24];
} modeldata_view_index;

static bool modeldata_info_open(tn_view *view)
{
    const tenon_modeldata *doc = view->doc;
    modeldata_view_index *index = tn_arena_alloc(view->arena, 1, sizeof *index, NULL);
    uint32_t *order = tn_arena_alloc(view->arena, doc->joint_count, MODELDATA_ORDER_SHARE, NULL);
    uint32_t *meshes = tn_arena_alloc(view->arena, doc->mesh_count, sizeof *meshes, NULL);
    char(*names)[24] = tn_arena_alloc(view->arena, doc->mesh_count, sizeof *names, NULL);
    if (!index || !order || !meshes || !names) return false;
    *index = (modeldata_view_index){modeldata_sort_joints(doc, order), meshes, names};
    view->index = index;
    view->mesh_count = doc->mesh_count;
    view->node_count = doc->joint_count;
    view->clip_count = doc->animation_count;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (doc->meshes[i].material_size) meshes[view->material_count++] = i;
    return true;
}

static void modeldata_info_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    tenon_modeldata_mesh *m = &((const tenon_modeldata *)view->doc)->meshes[index];
    mesh->path = tn_path("meshes[%u]", index);
    mesh->vertex_count = m->arrays[TENON_MODELDATA_VERTICES].count;
    mesh->position = &tn_layout_f32x3.elements[0];
    mesh->part.path = tn_path("meshes[%u].indices", index);
    mesh->part.indices = &m->arrays[TENON_MODELDATA_INDICES];
    for (int k = TENON_MODELDATA_VERTICES; k < TENON_MODELDATA_INDICES; k++)
        mesh->arrays[mesh->array_count++] =
            (tn_array_view){&m->arrays[k], modeldata_arrays[k].name};
}

// Joints refer to parents by the stored index, not by their position in the list.
static void modeldata_info_view_node(const tn_view *view, uint32_t index, tenon_tree_node *node,
                                     uint32_t *parent)
{
    const tenon_modeldata_joint *joint = &((const tenon_modeldata *)view->doc)->joints[index];
    const modeldata_view_index *found = view->index;
    node->name = joint->name;
    node->kind = "joint";
    *parent = joint->parent_index == -1 ? TENON_NONE
                                        : modeldata_find_joint(&found->joints, joint->parent_index);
}

// Seconds are unknown, because the file does not store the length of a tick.
static void modeldata_info_view_clip(const tn_view *view, uint32_t index, tenon_clip_info *clip)
{
    const tenon_modeldata_animation *a = &((const tenon_modeldata *)view->doc)->animations[index];
    *clip = (tenon_clip_info){.name = a->name,
                              .seconds = -1,
                              .channels = modeldata_info_extent_of(a).channels,
                              .frames = TENON_ABSENT};
}

// Materials have no names: use the number of their mesh.
static void modeldata_info_view_material(const tn_view *view, uint32_t index,
                                         tenon_material_info *material)
{
    const modeldata_view_index *found = view->index;
    uint32_t mesh = found->material_meshes[index];
    char *name = found->material_names[index];
    int size = snprintf(name, sizeof found->material_names[index], "of mesh %u", mesh);
    material->name = (tenon_str){name, (uint32_t)size};
    material->texture = ((const tenon_modeldata *)view->doc)
                            ->meshes[mesh]
                            .material.maps[TENON_MODELDATA_DIFFUSE_MAP];
}

const tn_views modeldata_views = {
    .open = modeldata_info_open,
    .mesh = modeldata_info_view_mesh,
    .node = modeldata_info_view_node,
    .clip = modeldata_info_view_clip,
    .material = modeldata_info_view_material,
};

static void modeldata_info(tn_info_builder *informer, const void *any)
{
    static const char *const units[TENON_MODELDATA_SIZE_UNIT_COUNT] = {
        NULL,
        "numbers",
        "vertices and indices",
        "vertices, joint ids, weights and indices",
        "vertices and triangles",
        "vertices, joint ids, weights and triangles"};
    const tenon_modeldata *doc = any;
    tenon_info *info = informer->info;
    snprintf(info->version, sizeof info->version, "%s", doc->is_animated ? "cea" : "cem");
    info->joints = doc->joint_count;
    tn_info_add(informer, "kind", "%s",
                doc->is_animated ? "AnimatedModelData (.cea)" : "ModelData (.cem)");
    tn_text_list lengths = {.size = 0};
    for (uint32_t i = 0; i < doc->animation_count && i < CLIPS_MAX; i++) {
        modeldata_extent extent = modeldata_info_extent_of(&doc->animations[i]);
        tn_text_list_add(&lengths, "%s ticks with %" PRIu64 " keys", tn_show_f32(extent.ticks).text,
                         extent.keys);
    }
    if (doc->animation_count > CLIPS_MAX)
        tn_text_list_add(&lengths, "and %u more", doc->animation_count - CLIPS_MAX);
    if (lengths.size) tn_info_add(informer, "lengths", "%s", lengths.text);
    modeldata_info_report_meshes(informer, doc);
    uint32_t root = 0;
    while (root < doc->joint_count && doc->joints[root].parent_index != -1) root++;
    if (root < doc->joint_count) {
        tn_shown name = tn_show(doc->joints[root].name, 64);
        tn_info_add(informer, "root", "%s", name.text[0] ? name.text : "(no name)");
    }
    const char *how = doc->is_order_assumed ? "assumed, cannot be detected" : "detected";
    if (doc->base.dialect->flags & TENON_MODELDATA_ORDER_FORCED) how = "as requested";
    if (doc->joint_count)
        tn_info_add(informer, "matrices", "%s (%s)",
                    doc->is_column_major ? "column-major" : "row-major", how);
    // Those that differ from the engine's.
    uint32_t unit = TENON_MODELDATA_BYTES, omitting = 0, angles = 0;
    uint64_t influences = 16, tangent = 12;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_modeldata_mesh *m = &doc->meshes[i];
        if (!unit) unit = m->size_unit;
        omitting += m->material.omits_defaults != 0;
        const tenon_span *ids = &m->arrays[TENON_MODELDATA_JOINT_IDS];
        const tenon_span *tangents = &m->arrays[TENON_MODELDATA_TANGENTS];
        if (ids->count && ids->layout->stride != 16) influences = ids->layout->stride;
        if (tangents->count) tangent = tangents->layout->stride;
    }
    for (uint32_t i = 0; i < doc->animation_count; i++)
        angles += doc->animations[i].rotation_size == 3;
    if (unit) tn_info_add(informer, "sizes", "of arrays count %s, not bytes", units[unit]);
    if (omitting)
        tn_info_add(informer, "defaults", "values whose flag is set are omitted from %u material%s",
                    omitting, omitting == 1 ? "" : "s");
    if (influences != 16)
        tn_info_add(informer, "influences", "%" PRIu64 " per vertex", influences / 4);
    if (tangent != 12) tn_info_add(informer, "tangents", "%" PRIu64 " numbers each", tangent / 4);
    if (angles)
        tn_info_add(informer, "rotations", "of three numbers, %s",
                    modeldata_angles_text(modeldata_angles_are_degrees(doc)));
}

enum {
    DOCUMENT = TENON_MODELDATA_DOCUMENT,
    ORDERED = TENON_MODELDATA_ORDER_FORCED,
    COLUMNS = TENON_MODELDATA_COLUMN_MAJOR,
};

// In the order of trials. The last six are used only on request.
static const tenon_dialect modeldata_dialects[] = {
    {"current", "as the engine writes and reads it, .cem or .cea", 0, false},
    {"legacy", "engine 1.1.0 and 1.1.1: sizes of materials and shapes are four times too large",
     TENON_MODELDATA_LEGACY, false},
    {"characters", "sizes of names count characters, as the engine writes names that are not ASCII",
     TENON_MODELDATA_CHARACTERS, false},
    {"legacy-characters", "legacy and characters combined",
     TENON_MODELDATA_LEGACY | TENON_MODELDATA_CHARACTERS, false},
    {"document", "exactly as documented: sizes of joints instead of sizes of names",
     DOCUMENT | TENON_MODELDATA_JOINT_SIZES, false},
    {"document-names", "document, with the sizes of names before the joints", DOCUMENT, false},
    {"document-characters", "document, with sizes of names that count characters",
     DOCUMENT | TENON_MODELDATA_JOINT_SIZES | TENON_MODELDATA_CHARACTERS, false},
    {"document-names-characters", "document-names, with sizes of names that count characters",
     DOCUMENT | TENON_MODELDATA_CHARACTERS, false},
    {"cem", "current, as ModelData: meshes only", TENON_MODELDATA_STATIC, false},
    {"cea", "current, as AnimatedModelData: with a skeleton and animations",
     TENON_MODELDATA_ANIMATED, false},
    {"current-row", "current, always read as row-major", ORDERED, false},
    {"current-column", "current, always read as column-major", ORDERED | COLUMNS, false},
    {"document-row", "document, always read as row-major",
     DOCUMENT | TENON_MODELDATA_JOINT_SIZES | ORDERED, false},
    {"document-column", "document, always read as column-major",
     DOCUMENT | TENON_MODELDATA_JOINT_SIZES | ORDERED | COLUMNS, false},
};

// -- Recognition
//
// There is no magic number, but nearly every part has a size, and the sizes must add up. The first
// mesh is tested before the sizes of all meshes, so that most other files are rejected quickly.

// The sum of `count` sizes at `p`. TENON_ABSENT if one is less than `least`, or if the sum is
// greater than `most`.
static uint64_t modeldata_add_up(const uint8_t *p, uint64_t count, uint64_t least, uint64_t most)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size = tn_load32(p + 4 * i, true);
        if (size < least || size > most - total) return TENON_ABSENT;
        total += size;
    }
    return total;
}

// Whether a part of a file can be what it is tested for. Empty parts prove nothing.
typedef enum modeldata_likeness {
    MODELDATA_UNLIKE,
    MODELDATA_EMPTY,
    MODELDATA_LIKE
} modeldata_likeness;

// Whether the `left` bytes at `p` start with a ModelData of `size` bytes.
static modeldata_likeness modeldata_is_model(const uint8_t *p, uint64_t left, uint64_t size)
{
    if (left < 4 || size < MODELDATA_MODEL_MIN) return MODELDATA_UNLIKE;
    uint64_t count = tn_load32(p, true);
    if (count == 0) return size == MODELDATA_MODEL_MIN ? MODELDATA_EMPTY : MODELDATA_UNLIKE;
    uint64_t head = 4 + 4 * count;
    if (head > left || left - head < MODELDATA_MESH_MIN || head > size) return MODELDATA_UNLIKE;
    uint64_t first = tn_load32(p + 4, true);
    if (first < MODELDATA_MESH_MIN) return MODELDATA_UNLIKE;
    // The nine sizes of the first mesh fill it, in some dialect; and all meshes fill the model.
    const uint8_t *mesh = p + head;
    uint64_t arrays = modeldata_add_up(mesh, TENON_MODELDATA_ARRAY_COUNT, 0, UINT64_MAX);
    uint64_t material = tn_load32(mesh + 28, true), shape = tn_load32(mesh + 32, true);
    uint64_t room = first - MODELDATA_MESH_MIN;
    uint32_t sizes[TENON_MODELDATA_ARRAY_COUNT];
    for (int i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) sizes[i] = tn_load32(mesh + 4 * i, true);
    bool fills_mesh =
        arrays + material + shape == room ||
        (material + shape <= room &&
         modeldata_describe_find_unit(sizes, room - material - shape)) ||
        (material % 4 == 0 && shape % 4 == 0 && arrays + material / 4 + shape / 4 == room);
    bool fills = modeldata_add_up(p + 4, count, MODELDATA_MESH_MIN, size - head) == size - head;
    return fills_mesh && fills ? MODELDATA_LIKE : MODELDATA_UNLIKE;
}

// Whether the joints of a skeleton have names with as many characters as the `count` sizes say.
// `fixed` is what the sizes count in addition to the characters.
static bool modeldata_has_characters(const uint8_t *p, uint64_t size, uint64_t count,
                                     uint64_t fixed)
{
    uint64_t at = 4 + 4 * count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t characters = tn_load32(p + 4 + 4 * i, true);
        if (characters < fixed || size - at < MODELDATA_JOINT_MIN) return false;
        uint64_t most = size - at - MODELDATA_JOINT_MIN;
        uint64_t bytes =
            modeldata_describe_bytes_of_characters(p + at + 8, most, characters - fixed);
        if (bytes == TENON_ABSENT) return false;
        at += MODELDATA_JOINT_MIN + bytes;
    }
    return at == size;
}

// Whether the `size` bytes at `p` are a skeleton with sizes of names or, as in the format's
// document, of joints, in bytes or characters.
static modeldata_likeness modeldata_is_skeleton(const uint8_t *p, uint64_t size)
{
    if (size == 0) return MODELDATA_EMPTY;
    if (size < 4) return MODELDATA_UNLIKE;
    uint64_t count = tn_load32(p, true);
    if (count > (size - 4) / (4 + MODELDATA_JOINT_MIN)) return MODELDATA_UNLIKE;
    uint64_t left = size - 4 - 4 * count;
    if (!count) return left ? MODELDATA_UNLIKE : MODELDATA_EMPTY;
    uint64_t sizes = modeldata_add_up(p + 4, count, 0, left);
    bool fills = sizes == left || sizes == left - MODELDATA_JOINT_MIN * count ||
                 modeldata_has_characters(p, size, count, 0) ||
                 modeldata_has_characters(p, size, count, MODELDATA_JOINT_MIN);
    return fills ? MODELDATA_LIKE : MODELDATA_UNLIKE;
}

// Whether the `size` bytes at `p` are an animation. The size of its name is in bytes or characters,
// and rotations have three or four numbers.
static modeldata_likeness modeldata_is_animation(const uint8_t *p, uint64_t size)
{
    uint64_t list_count = 0, keys[3] = {0}, at = MODELDATA_ANIMATION_MIN;
    if (size < MODELDATA_ANIMATION_MIN) return MODELDATA_UNLIKE;
    if (size == MODELDATA_ANIMATION_MIN) return MODELDATA_EMPTY;
    for (int kind = 0; kind < 3; kind++) list_count += tn_load32(p + 4 + 4 * kind, true);
    if (list_count > (size - at) / 4) return MODELDATA_UNLIKE;
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t i = tn_load32(p + 4 + 4 * kind, true); i > 0; i--, at += 4)
            keys[kind] += tn_load32(p + at, true);
    uint64_t characters = tn_load32(p, true);
    uint64_t bytes = modeldata_describe_bytes_of_characters(p + at, size - at, characters);
    for (int numbers = 3; numbers <= 4; numbers++) {
        uint64_t rest = at + 16 * (keys[0] + keys[2]) + 4 * (uint64_t)(numbers + 1) * keys[1];
        if (rest + characters == size || (bytes != TENON_ABSENT && rest + bytes == size))
            return MODELDATA_LIKE;
    }
    return MODELDATA_UNLIKE;
}

// Whether an AnimatedModelData with the sizes at the beginning of `data` ends where the file does.
static bool modeldata_fills_animated(const uint8_t *data, uint64_t size)
{
    if (size < 12) return false;
    uint64_t model = tn_load32(data, true), skeleton = tn_load32(data + 4, true);
    uint64_t count = tn_load32(data + 8, true);
    if (count > (size - 12) / (4 + MODELDATA_ANIMATION_MIN)) return false;
    uint64_t left = size - 12 - 4 * count;
    if (model > left || skeleton > left - model) return false;
    left -= model + skeleton;
    return modeldata_add_up(data + 12, count, MODELDATA_ANIMATION_MIN, left) == left;
}

// Tests the model at the beginning of an AnimatedModelData. If that is empty, tests the skeleton,
// and if that is empty too, the first animation.
static bool modeldata_is_animated(const uint8_t *data, uint64_t size, bool is_whole)
{
    if (size < 12) return false;
    uint64_t model = tn_load32(data, true), skeleton = tn_load32(data + 4, true);
    uint64_t count = tn_load32(data + 8, true);
    if (count > (size - 12) / 4) return false;
    uint64_t head = 12 + 4 * count, left = size - head;
    modeldata_likeness likeness =
        model ? modeldata_is_model(data + head, left, model) : MODELDATA_EMPTY;
    if (likeness != MODELDATA_EMPTY || !is_whole) return likeness == MODELDATA_LIKE;
    if (skeleton > left - model) return false;
    likeness = modeldata_is_skeleton(data + head + model, skeleton);
    if (likeness != MODELDATA_EMPTY || !count) return likeness == MODELDATA_LIKE;
    uint64_t first = tn_load32(data + 12, true);
    if (first > left - model - skeleton) return false;
    return modeldata_is_animation(data + head + model + skeleton, first) == MODELDATA_LIKE;
}

// An empty model is a few zero bytes, which is not enough to recognize it.
static int modeldata_probe(const uint8_t *data, uint64_t size)
{
    bool is_static = modeldata_is_model(data, size, size) == MODELDATA_LIKE;
    bool is_animated = !is_static && modeldata_is_animated(data, size, true) &&
                       modeldata_fills_animated(data, size);
    return is_static || is_animated ? 60 : 0;
}

// Both kinds cannot fill the same file: read as sizes of meshes, the sizes of an animated model
// exceed the file. If neither does, the file is truncated, and only its beginning can be tested.
bool modeldata_looks_animated(const uint8_t *data, uint64_t size)
{
    if (size < 4) return false;
    uint64_t count = tn_load32(data, true);
    if (count <= (size - 4) / (4 + MODELDATA_MESH_MIN)) {
        uint64_t left = size - 4 - 4 * count;
        bool fills_static = modeldata_add_up(data + 4, count, MODELDATA_MESH_MIN, left) == left;
        if (fills_static) return false;
    }
    return modeldata_fills_animated(data, size) || modeldata_is_animated(data, size, false);
}

// `cem`, `cea` and the dialects with a matrix order are used only on request: the file's kind and
// matrix order are detected in all dialects.
static bool modeldata_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    (void)data;
    (void)size;
    return !(dialect->flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED | ORDERED));
}

// -- Names of files

static const tenon_dialect *modeldata_dialect_by_extension(const void *opaque,
                                                           const char *extension)
{
    const tenon_modeldata *doc = opaque;
    bool is_cem = tn_same_word(extension, "cem"), is_cea = tn_same_word(extension, "cea");
    if (!(doc->is_animated ? is_cem : is_cea)) return NULL;
    return tenon_dialect_by_name(doc->base.format, is_cem ? "cem" : "cea");
}

const tn_format tn_modeldata_format = {
    .face = {.name = "modeldata",
             .title = "ModelData",
             .engine = "CoreEngine",
             .extensions = {"cem", "cea"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_CAN_CHECK | TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = modeldata_dialects,
             .dialect_count = sizeof modeldata_dialects / sizeof modeldata_dialects[0],
             .rules = modeldata_rules,
             .rule_count = MODELDATA_RULE_COUNT},
    .doc_size = sizeof(tenon_modeldata),
    .big_endian = true,
    .probe = modeldata_probe,
    .fits = modeldata_fits,
    .describe = modeldata_describe,
    .check = modeldata_check,
    .views = &modeldata_views,
    .info = modeldata_info,
    .finalize = modeldata_finalize,
    .recover = modeldata_recover,
    .change = modeldata_change,
    .dialect_by_extension = modeldata_dialect_by_extension,
    .merge = modeldata_edit_merge,
    .import = modeldata_import,
    .still = "which a .cem file cannot hold",
    .still_with = TENON_MODELDATA_STATIC,
    .export = modeldata_export,
};

tenon_modeldata *tenon_as_modeldata(tenon_doc *doc)
{
    return doc && doc->format == &tn_modeldata_format.face ? (tenon_modeldata *)doc : NULL;
}
