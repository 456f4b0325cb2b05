// modeldata_format.c: ModelData in the table of formats, and how it is recognized without a magic
// number.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <string.h>

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
static uint64_t modeldata_format_add_up(const uint8_t *p, uint64_t count, uint64_t least,
                                        uint64_t most)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size = tn_load32(p + 4 * i, true);
        if (size < least || size > most - total) return TENON_ABSENT;
        total += size;
    }
    return total;
}

// Whether the nine sizes at `p` fill a mesh of `size` bytes, in any dialect.
static bool modeldata_format_is_mesh(const uint8_t *p, uint64_t size)
{
    uint64_t arrays = modeldata_format_add_up(p, TENON_MODELDATA_ARRAY_COUNT, 0, UINT64_MAX);
    uint64_t material = tn_load32(p + 28, true), shape = tn_load32(p + 32, true);
    uint64_t left = size - MODELDATA_MESH_MIN;
    if (arrays + material + shape == left) return true;
    uint32_t sizes[TENON_MODELDATA_ARRAY_COUNT];
    for (int i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) sizes[i] = tn_load32(p + 4 * i, true);
    if (material + shape <= left && modeldata_describe_find_unit(sizes, left - material - shape))
        return true;
    return material % 4 == 0 && shape % 4 == 0 && arrays + material / 4 + shape / 4 == left;
}

// Whether a part of a file can be what it is tested for. Empty parts prove nothing.
typedef enum modeldata_likeness {
    MODELDATA_UNLIKE,
    MODELDATA_EMPTY,
    MODELDATA_LIKE
} modeldata_likeness;

// Whether the `left` bytes at `p` start with a ModelData of `size` bytes.
static modeldata_likeness modeldata_format_is_model(const uint8_t *p, uint64_t left, uint64_t size)
{
    if (left < 4 || size < MODELDATA_MODEL_MIN) return MODELDATA_UNLIKE;
    uint64_t count = tn_load32(p, true);
    if (count == 0) return size == MODELDATA_MODEL_MIN ? MODELDATA_EMPTY : MODELDATA_UNLIKE;
    uint64_t head = 4 + 4 * count;
    if (head > left || left - head < MODELDATA_MESH_MIN || head > size) return MODELDATA_UNLIKE;
    uint64_t first = tn_load32(p + 4, true);
    if (first < MODELDATA_MESH_MIN || !modeldata_format_is_mesh(p + head, first))
        return MODELDATA_UNLIKE;
    bool fills =
        modeldata_format_add_up(p + 4, count, MODELDATA_MESH_MIN, size - head) == size - head;
    return fills ? MODELDATA_LIKE : MODELDATA_UNLIKE;
}

// Whether the joints of a skeleton have names with as many characters as the `count` sizes say.
// `fixed` is what the sizes count in addition to the characters.
static bool modeldata_format_has_characters(const uint8_t *p, uint64_t size, uint64_t count,
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
static modeldata_likeness modeldata_format_is_skeleton(const uint8_t *p, uint64_t size)
{
    if (size == 0) return MODELDATA_EMPTY;
    if (size < 4) return MODELDATA_UNLIKE;
    uint64_t count = tn_load32(p, true);
    if (count > (size - 4) / (4 + MODELDATA_JOINT_MIN)) return MODELDATA_UNLIKE;
    uint64_t left = size - 4 - 4 * count;
    if (!count) return left ? MODELDATA_UNLIKE : MODELDATA_EMPTY;
    uint64_t sizes = modeldata_format_add_up(p + 4, count, 0, left);
    bool fills = sizes == left || sizes == left - MODELDATA_JOINT_MIN * count ||
                 modeldata_format_has_characters(p, size, count, 0) ||
                 modeldata_format_has_characters(p, size, count, MODELDATA_JOINT_MIN);
    return fills ? MODELDATA_LIKE : MODELDATA_UNLIKE;
}

// Whether the `size` bytes at `p` are an animation. The size of its name is in bytes or characters,
// and rotations have three or four numbers.
static modeldata_likeness modeldata_format_is_animation(const uint8_t *p, uint64_t size)
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
static bool modeldata_format_fills_animated(const uint8_t *data, uint64_t size)
{
    if (size < 12) return false;
    uint64_t model = tn_load32(data, true), skeleton = tn_load32(data + 4, true);
    uint64_t count = tn_load32(data + 8, true);
    if (count > (size - 12) / (4 + MODELDATA_ANIMATION_MIN)) return false;
    uint64_t left = size - 12 - 4 * count;
    if (model > left || skeleton > left - model) return false;
    left -= model + skeleton;
    return modeldata_format_add_up(data + 12, count, MODELDATA_ANIMATION_MIN, left) == left;
}

// Tests the model at the beginning of an AnimatedModelData. If that is empty, tests the skeleton,
// and if that is empty too, the first animation.
static bool modeldata_format_is_animated(const uint8_t *data, uint64_t size, bool is_whole)
{
    if (size < 12) return false;
    uint64_t model = tn_load32(data, true), skeleton = tn_load32(data + 4, true);
    uint64_t count = tn_load32(data + 8, true);
    if (count > (size - 12) / 4) return false;
    uint64_t head = 12 + 4 * count, left = size - head;
    modeldata_likeness likeness =
        model ? modeldata_format_is_model(data + head, left, model) : MODELDATA_EMPTY;
    if (likeness != MODELDATA_EMPTY || !is_whole) return likeness == MODELDATA_LIKE;
    if (skeleton > left - model) return false;
    likeness = modeldata_format_is_skeleton(data + head + model, skeleton);
    if (likeness != MODELDATA_EMPTY || !count) return likeness == MODELDATA_LIKE;
    uint64_t first = tn_load32(data + 12, true);
    if (first > left - model - skeleton) return false;
    return modeldata_format_is_animation(data + head + model + skeleton, first) == MODELDATA_LIKE;
}

// An empty model is a few zero bytes, which is not enough to recognize it.
static int modeldata_format_probe(const uint8_t *data, uint64_t size)
{
    bool is_static = modeldata_format_is_model(data, size, size) == MODELDATA_LIKE;
    bool is_animated = !is_static && modeldata_format_is_animated(data, size, true) &&
                       modeldata_format_fills_animated(data, size);
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
        bool fills_static =
            modeldata_format_add_up(data + 4, count, MODELDATA_MESH_MIN, left) == left;
        if (fills_static) return false;
    }
    return modeldata_format_fills_animated(data, size) ||
           modeldata_format_is_animated(data, size, false);
}

// `cem`, `cea` and the dialects with a matrix order are used only on request: the file's kind and
// matrix order are detected in all dialects.
static bool modeldata_format_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    (void)data;
    (void)size;
    return !(dialect->flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED | ORDERED));
}

// -- Names of files

static const tenon_dialect *modeldata_format_dialect_by_extension(const void *opaque,
                                                                  const char *extension)
{
    const tenon_modeldata *doc = opaque;
    bool is_cem = tn_same_word(extension, "cem"), is_cea = tn_same_word(extension, "cea");
    if (!(doc->is_animated ? is_cem : is_cea)) return NULL;
    return tenon_dialect_by_name(doc->base.format, is_cem ? "cem" : "cea");
}

static const char *modeldata_format_still(const tenon_dialect *dialect)
{
    return dialect->flags & TENON_MODELDATA_STATIC ? "which a .cem file cannot hold" : NULL;
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
    .probe = modeldata_format_probe,
    .fits = modeldata_format_fits,
    .describe = modeldata_describe,
    .check = modeldata_check,
    .views = &modeldata_views,
    .info = modeldata_info,
    .finalize = modeldata_dialects_finalize,
    .recover = modeldata_recover,
    .change = modeldata_change,
    .dialect_by_extension = modeldata_format_dialect_by_extension,
    .merge = modeldata_edit_merge,
    .import = modeldata_import,
    .still = modeldata_format_still,
    .export = modeldata_export,
};

tenon_modeldata *tenon_as_modeldata(tenon_doc *doc)
{
    return doc && doc->format == &tn_modeldata_format.face ? (tenon_modeldata *)doc : NULL;
}
