// gltf_check_uses.c: whether accessors and buffer views have one purpose each, and match 'target'.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include <inttypes.h>

enum { TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };

typedef enum gltf_use {
    USE_NONE,
    USE_VERTICES,
    USE_INDICES,
    USE_BINDS,
    USE_PICTURE,
    USE_OTHER,  // Of a view with sparse or animation data.
    USE_TIMES,
    USE_VALUES,
} gltf_use;

static const char *const use_words[] = {
    [USE_VERTICES] = "vertices", [USE_INDICES] = "indices",  [USE_BINDS] = "inverse bind matrices",
    [USE_PICTURE] = "a picture", [USE_OTHER] = "other data", [USE_TIMES] = "key times",
    [USE_VALUES] = "key values",
};

// -- Views

// `place` is the value that refers to the view.
static void gltf_check_use_view(gltf_checker *checker, const tn_json_value *place, uint32_t view,
                                gltf_use use)
{
    const tn_json_value *node = gltf_import_item(&checker->importer, GLTF_LIST_BUFFER_VIEWS, view);
    uint32_t target = tn_json_tree_u32(tn_json_tree_get(node, "target"), 0), wanted = 0;
    if (use > USE_OTHER) use = USE_OTHER;
    if (!node) return;
    if (use == USE_VERTICES) wanted = TARGET_VERTICES;
    if (use == USE_INDICES) wanted = TARGET_INDICES;
    if (target && target != wanted)
        gltf_check_found(checker, GLTF_RULE_USE, place,
                         "it contains %s in view %" PRIu32 ", whose 'target' is %" PRIu32,
                         use_words[use], view, target);
    else if (use != USE_VERTICES && tn_json_tree_get(node, "byteStride"))
        gltf_check_found(checker, GLTF_RULE_USE, place,
                         "it contains %s in view %" PRIu32
                         ", but only vertex data may have a 'byteStride'",
                         use_words[use], view);
    uint8_t before = checker->use_of_view[view];
    if (before && before != use)
        gltf_check_found(checker, GLTF_RULE_USE, place,
                         "it contains %s in view %" PRIu32 ", where other accessors contain %s",
                         use_words[use], view, use_words[before]);
    checker->use_of_view[view] = (uint8_t)use;
}

static void gltf_check_use_view_of(gltf_checker *checker, const tn_json_value *object, gltf_use use)
{
    const tn_json_value *value = tn_json_tree_get(object, "bufferView");
    if (value) gltf_check_use_view(checker, value, tn_json_tree_u32(value, TENON_NONE), use);
}

// -- Accessors

// `value` is the index of the accessor.
static void gltf_check_use_accessor(gltf_checker *checker, const tn_json_value *value, gltf_use use)
{
    uint32_t index = tn_json_tree_u32(value, TENON_NONE);
    const tn_json_value *accessor =
        gltf_import_item(&checker->importer, GLTF_LIST_ACCESSORS, index);
    if (!accessor) return;
    uint8_t before = checker->use_of_accessor[index];
    if (before && before != use)
        gltf_check_found(checker, GLTF_RULE_USE, value,
                         "accessor %" PRIu32 " contains %s here, and %s elsewhere", index,
                         use_words[use], use_words[before]);
    else if (!before && tn_json_tree_get(accessor, "bufferView"))
        gltf_check_use_view(checker, value,
                            tn_json_tree_u32(tn_json_tree_get(accessor, "bufferView"), TENON_NONE),
                            use);
    checker->use_of_accessor[index] = (uint8_t)use;
}

static void gltf_check_use_streams(gltf_checker *checker, const tn_json_value *attributes)
{
    if (tn_json_tree_kind_of(attributes) != TN_TREE_OBJECT) return;
    for (uint32_t i = 0; i < attributes->size; i++)
        gltf_check_use_accessor(checker, tn_json_tree_at(attributes, i), USE_VERTICES);
}

// -- Everything

void gltf_check_uses(gltf_checker *checker)
{
    gltf_importer *importer = &checker->importer;
    checker->use_of_view =
        gltf_import_scratch(importer, gltf_import_count(importer, GLTF_LIST_BUFFER_VIEWS), 1);
    checker->use_of_accessor =
        gltf_import_scratch(importer, gltf_import_count(importer, GLTF_LIST_ACCESSORS), 1);
    if (checker->builder.failed) return;
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_BUFFER_VIEWS); i++) {
        const tn_json_value *view = gltf_import_item(importer, GLTF_LIST_BUFFER_VIEWS, i);
        const tn_json_value *value = tn_json_tree_get(view, "byteStride");
        uint64_t stride = tn_json_tree_u64(value, 0);
        uint64_t size = tn_json_tree_u64(tn_json_tree_get(view, "byteLength"), TENON_ABSENT);
        if (!value) continue;
        if (stride % 4)
            gltf_check_found(checker, GLTF_RULE_ALIGNMENT, value,
                             "%" PRIu64 " is not a multiple of 4", stride);
        if (stride > size)
            gltf_check_found(checker, GLTF_RULE_VALUE, value,
                             "the stride is %" PRIu64 " bytes, but the view has only %" PRIu64,
                             stride, size);
        if (tn_json_tree_u32(tn_json_tree_get(view, "target"), 0) == TARGET_INDICES)
            gltf_check_found(checker, GLTF_RULE_USE, value,
                             "only vertex data may have a 'byteStride'");
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_MESHES); i++) {
        const tn_json_value *mesh = gltf_import_item(importer, GLTF_LIST_MESHES, i);
        const tn_json_value *primitives = tn_json_tree_get(mesh, "primitives");
        for (uint32_t k = 0; k < tn_json_tree_count(primitives); k++) {
            const tn_json_value *primitive = tn_json_tree_at(primitives, k);
            const tn_json_value *targets = tn_json_tree_get(primitive, "targets");
            gltf_check_use_streams(checker, tn_json_tree_get(primitive, "attributes"));
            for (uint32_t j = 0; j < tn_json_tree_count(targets); j++)
                gltf_check_use_streams(checker, tn_json_tree_at(targets, j));
            gltf_check_use_accessor(checker, tn_json_tree_get(primitive, "indices"), USE_INDICES);
        }
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_SKINS); i++) {
        const tn_json_value *skin = gltf_import_item(importer, GLTF_LIST_SKINS, i);
        gltf_check_use_accessor(checker, tn_json_tree_get(skin, "inverseBindMatrices"), USE_BINDS);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_ANIMATIONS); i++) {
        const tn_json_value *animation = gltf_import_item(importer, GLTF_LIST_ANIMATIONS, i);
        const tn_json_value *samplers = tn_json_tree_get(animation, "samplers");
        for (uint32_t k = 0; k < tn_json_tree_count(samplers); k++) {
            const tn_json_value *sampler = tn_json_tree_at(samplers, k);
            gltf_check_use_accessor(checker, tn_json_tree_get(sampler, "input"), USE_TIMES);
            gltf_check_use_accessor(checker, tn_json_tree_get(sampler, "output"), USE_VALUES);
        }
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_ACCESSORS); i++) {
        const tn_json_value *accessor = gltf_import_item(importer, GLTF_LIST_ACCESSORS, i);
        const tn_json_value *sparse = tn_json_tree_get(accessor, "sparse");
        gltf_check_use_view_of(checker, tn_json_tree_get(sparse, "indices"), USE_OTHER);
        gltf_check_use_view_of(checker, tn_json_tree_get(sparse, "values"), USE_OTHER);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_IMAGES); i++)
        gltf_check_use_view_of(checker, gltf_import_item(importer, GLTF_LIST_IMAGES, i),
                               USE_PICTURE);
}
