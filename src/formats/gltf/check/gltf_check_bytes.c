// gltf_check_bytes.c: buffers, views and accessors: their ranges, alignment and values, and whether
// they have one purpose each that matches 'target'.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define BLOCK ((uint64_t)4096)  // Components that are decoded at once.

// -- Buffers and views

bool gltf_check_uri(gltf_checker *checker, const tn_json_value *uri)
{
    if (tn_json_tree_kind_of(uri) != TN_TREE_STRING) return false;
    tenon_str text = {uri->text, uri->size};
    bool is_data = gltf_import_is_data_uri(text), is_url = gltf_import_is_url(text);
    if (is_data && !checker->importer.is_text)
        gltf_check_found(checker, "uri", uri, "a data URI takes more space than the binary chunk");
    if (is_url)
        gltf_check_found(checker, "uri", uri, "it is a URL: its content is not checked");
    else if (!is_data && uri->size &&
             (uri->text[0] == '/' || memchr(uri->text, '?', uri->size) ||
              memchr(uri->text, '#', uri->size)))
        gltf_check_found(checker, "uri", uri, "it is not a relative path");
    return is_url;
}

// Whether the object has a view, and that is missing or bad.
static bool gltf_check_bytes_has_bad_view(const gltf_checker *checker, const tn_json_value *object)
{
    const tn_json_value *value = tn_json_tree_get(object, "bufferView");
    uint32_t view = tn_json_tree_u32(value, TENON_NONE);
    return value && (view >= gltf_import_count(&checker->importer, LIST_BUFFER_VIEWS) ||
                     checker->is_bad_view[view]);
}

// -- Numbers

bool gltf_check_has_numbers(const gltf_elements *e)
{
    bool has_base = e->bytes.data || (e->bytes.stride == 0 && e->sparse_count);
    bool has_sparse = !e->sparse_count || (e->sparse_indices.data && e->sparse_values.data);
    return has_base && has_sparse;
}

uint64_t gltf_check_decode_block(gltf_checker *checker, const gltf_elements *e, uint64_t first,
                                 const float **values)
{
    if (!gltf_check_has_numbers(e)) return 0;
    if (e->sparse_count) {
        if (first) return 0;
        float *all = gltf_import_scratch(&checker->importer, e->count * e->width, sizeof *all);
        if (all) gltf_import_decode_floats(&checker->importer, e, all, e->width);
        *values = all;
        return checker->builder.failed ? 0 : e->count;
    }
    gltf_elements some = *e;
    some.count = BLOCK / e->width < e->count - first ? BLOCK / e->width : e->count - first;
    some.bytes.data += first * e->bytes.stride;
    gltf_import_decode_floats(&checker->importer, &some, checker->block, e->width);
    *values = checker->block;
    return checker->builder.failed ? 0 : some.count;
}

bool gltf_check_open_used(gltf_checker *checker, const char *rule, const tn_json_value *value,
                          gltf_elements *e)
{
    uint32_t index = tn_json_tree_u32(value, TENON_NONE);
    if (index >= gltf_import_count(&checker->importer, LIST_ACCESSORS)) return false;
    if (checker->has_unknown_type[index])
        gltf_check_found(checker, rule, value, "accessor %" PRIu32 " has an unknown type", index);
    return !checker->is_bad_accessor[index] &&
           gltf_import_open_accessor(&checker->importer, index, GLTF_ANY_SHAPE, e);
}

bool gltf_check_is_first_examination(gltf_checker *checker, const tn_json_value *accessor,
                                     gltf_examination look)
{
    uint8_t *examined = &checker->examined[tn_json_tree_u32(accessor, 0)];
    bool is_first = !(*examined & look);
    *examined |= (uint8_t)look;
    return is_first;
}

// Check the size and the types of 'min' or 'max'.
static void gltf_check_bytes_limits(gltf_checker *checker, const gltf_elements *e, const char *key)
{
    static const double lows[] = {INT8_MIN, 0, INT16_MIN, 0, 0, 0};
    static const double highs[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX, 0, UINT32_MAX};
    const tn_json_value *stated = tn_json_tree_get(e->node, key);
    if (tn_json_tree_kind_of(stated) != TN_TREE_ARRAY) return;
    if (stated->size != e->width)
        gltf_check_found(checker, "size", stated,
                         "'%s' has %" PRIu32 " items, but an element has %" PRIu32 " components",
                         key, stated->size, e->width);
    for (uint32_t k = 0; e->component_type != GLTF_F32 && k < stated->size && k < 16; k++) {
        double value = tn_json_tree_f64(tn_json_tree_at(stated, k), 0);
        uint32_t type = e->component_type - GLTF_I8;
        if (value != floor(value))
            gltf_check_found(checker, "type", tn_json_tree_at(stated, k),
                             "it must be a whole number, like the data of the accessor");
        else if (value < lows[type] || value > highs[type])
            gltf_check_found(checker, "value", tn_json_tree_at(stated, k),
                             "it does not fit into %" PRIu32 " bytes", e->component_size);
    }
}

// Compare 'min' or 'max' with the data, as floats.
static void gltf_check_bytes_bound(gltf_checker *checker, const gltf_elements *e, const char *key,
                                   const float *found)
{
    const tn_json_value *stated = tn_json_tree_get(e->node, key);
    if (tn_json_tree_kind_of(stated) != TN_TREE_ARRAY || stated->size != e->width) return;
    for (uint32_t k = 0; k < e->width; k++) {
        const tn_json_value *value = tn_json_tree_at(stated, k);
        if (tn_to_float(tn_json_tree_f64(value, 0)) == found[k]) continue;
        gltf_check_found(checker, "bounds", value,
                         "number %" PRIu32 " of '%s' does not match the data", k, key);
    }
}

// Check that values are finite and match 'min' and 'max', which are not normalized.
static void gltf_check_bytes_numbers(gltf_checker *checker, const gltf_elements *e)
{
    tenon_span packed;
    bool is_bounded = tn_json_tree_get(e->node, "min") || tn_json_tree_get(e->node, "max");
    if (!is_bounded && gltf_import_is_packed_integers(e, &packed)) return;  // Integers are finite.
    tn_mark mark = tn_arena_mark(&checker->importer.scratch);
    gltf_elements raw = *e;
    raw.is_normalized = false;
    float low[16], high[16];
    const float *values;
    uint64_t at = 0, bad = 0;
    for (uint64_t count; (count = gltf_check_decode_block(checker, &raw, at, &values)) > 0;) {
        uint64_t value_count = count * e->width;
        bool is_finite = tn_all_finite(values, value_count);
        for (uint64_t i = 0; !is_finite && i < value_count; i++)
            bad += !(values[i] - values[i] == 0);
        for (uint32_t k = 0; is_bounded && k < e->width; k++) {
            float least = at ? low[k] : values[k], most = at ? high[k] : values[k];
            for (uint64_t i = k; i < value_count; i += e->width) {
                least = values[i] < least ? values[i] : least;
                most = values[i] > most ? values[i] : most;
            }
            low[k] = least;
            high[k] = most;
        }
        at += count;
        if (at == e->count) break;
    }
    tn_arena_rewind(&checker->importer.scratch, mark);
    if (at < e->count) return;
    if (bad)
        gltf_check_found(checker, "not-finite", e->node,
                         "%" PRIu64 " of its numbers are not finite", bad);
    if (bad || !is_bounded) return;
    gltf_check_bytes_bound(checker, e, "min", low);
    gltf_check_bytes_bound(checker, e, "max", high);
}

// -- Accessors

// Check that data starts at a multiple of its component size, in its view and in the buffer.
static void gltf_check_bytes_start(gltf_checker *checker, const tn_json_value *numbers,
                                   uint32_t size)
{
    uint32_t index = gltf_index_of(numbers, "bufferView");
    const tn_json_value *view = gltf_import_item(&checker->importer, LIST_BUFFER_VIEWS, index);
    uint64_t own = tn_json_tree_u64(tn_json_tree_get(numbers, "byteOffset"), 0);
    uint64_t outer = tn_json_tree_u64(tn_json_tree_get(view, "byteOffset"), 0);
    if (view && (own % size || (own + outer) % size))
        gltf_check_found(checker, "alignment", numbers,
                         "it starts at %" PRIu64 " and its view at %" PRIu64
                         ", but its components have %" PRIu32 " bytes",
                         own, outer, size);
}

static void gltf_check_bytes_accessor(gltf_checker *checker, uint32_t index)
{
    gltf_elements e;
    const tn_json_value *accessor = gltf_import_item(&checker->importer, LIST_ACCESSORS, index);
    const tn_json_value *offset = tn_json_tree_get(accessor, "byteOffset");
    const tn_json_value *view = tn_json_tree_get(accessor, "bufferView");
    const tn_json_value *sparse = tn_json_tree_get(accessor, "sparse");
    const tn_json_value *indices = tn_json_tree_get(sparse, "indices");
    const tn_json_value *values = tn_json_tree_get(sparse, "values");
    checker->is_bad_accessor[index] = true;
    if (offset && !view) gltf_check_found(checker, "missing", offset, "'bufferView' is missing");
    if (gltf_check_bytes_has_bad_view(checker, accessor) ||
        gltf_check_bytes_has_bad_view(checker, indices) ||
        gltf_check_bytes_has_bad_view(checker, values))
        return;
    // Values that are not valid are already reported.
    checker->has_unknown_type[index] = !gltf_check_has_listed_values(checker, "accessor", accessor);
    if (checker->has_unknown_type[index] ||
        !gltf_check_has_listed_values(checker, "sparseIndices", indices))
        return;
    if (!gltf_import_open_accessor(&checker->importer, index, GLTF_ANY_SHAPE, &e)) {
        gltf_check_report_failure(checker, "bytes");
        return;
    }
    gltf_check_bytes_limits(checker, &e, "min");
    gltf_check_bytes_limits(checker, &e, "max");
    if (e.is_normalized && e.component_type >= GLTF_U32)
        gltf_check_found(checker, "value", e.node,
                         "only 8-bit and 16-bit integers can be normalized");
    gltf_check_bytes_start(checker, accessor, e.component_size);
    if (e.sparse_count) {
        gltf_check_bytes_start(checker, indices, e.sparse_index_size);
        gltf_check_bytes_start(checker, values, e.component_size);
    }
    if (view && e.bytes.stride % e.component_size)
        gltf_check_found(checker, "alignment", accessor,
                         "its elements are %" PRIu64
                         " bytes apart, but its components have %" PRIu32 " bytes",
                         e.bytes.stride, e.component_size);
    gltf_check_bytes_numbers(checker, &e);
    checker->is_bad_accessor[index] = gltf_check_report_failure(checker, "bytes");
}

// -- Purposes

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

// `place` is the value that refers to the view.
static void gltf_check_bytes_use_view(gltf_checker *checker, const tn_json_value *place,
                                      uint32_t view, gltf_use use)
{
    const tn_json_value *node = gltf_import_item(&checker->importer, LIST_BUFFER_VIEWS, view);
    uint32_t target = tn_json_tree_u32(tn_json_tree_get(node, "target"), 0), wanted = 0;
    if (use > USE_OTHER) use = USE_OTHER;
    if (!node) return;
    if (use == USE_VERTICES) wanted = GLTF_TARGET_VERTICES;
    if (use == USE_INDICES) wanted = GLTF_TARGET_INDICES;
    if (target && target != wanted)
        gltf_check_found(checker, "use", place,
                         "it contains %s in view %" PRIu32 ", whose 'target' is %" PRIu32,
                         use_words[use], view, target);
    else if (use != USE_VERTICES && tn_json_tree_get(node, "byteStride"))
        gltf_check_found(checker, "use", place,
                         "it contains %s in view %" PRIu32
                         ", but only vertex data may have a 'byteStride'",
                         use_words[use], view);
    uint8_t before = checker->use_of_view[view];
    if (before && before != use)
        gltf_check_found(checker, "use", place,
                         "it contains %s in view %" PRIu32 ", where other accessors contain %s",
                         use_words[use], view, use_words[before]);
    checker->use_of_view[view] = (uint8_t)use;
}

static void gltf_check_bytes_use_view_of(gltf_checker *checker, const tn_json_value *object,
                                         gltf_use use)
{
    const tn_json_value *value = tn_json_tree_get(object, "bufferView");
    if (value) gltf_check_bytes_use_view(checker, value, tn_json_tree_u32(value, TENON_NONE), use);
}

// `value` is the index of the accessor.
static void gltf_check_bytes_use_accessor(gltf_checker *checker, const tn_json_value *value,
                                          gltf_use use)
{
    uint32_t index = tn_json_tree_u32(value, TENON_NONE);
    const tn_json_value *accessor = gltf_import_item(&checker->importer, LIST_ACCESSORS, index);
    if (!accessor) return;
    uint8_t before = checker->use_of_accessor[index];
    if (before && before != use)
        gltf_check_found(checker, "use", value,
                         "accessor %" PRIu32 " contains %s here, and %s elsewhere", index,
                         use_words[use], use_words[before]);
    else if (!before && tn_json_tree_get(accessor, "bufferView"))
        gltf_check_bytes_use_view(checker, value, gltf_index_of(accessor, "bufferView"), use);
    checker->use_of_accessor[index] = (uint8_t)use;
}

static void gltf_check_bytes_use_streams(gltf_checker *checker, const tn_json_value *attributes)
{
    if (tn_json_tree_kind_of(attributes) != TN_TREE_OBJECT) return;
    for (uint32_t i = 0; i < attributes->size; i++)
        gltf_check_bytes_use_accessor(checker, tn_json_tree_at(attributes, i), USE_VERTICES);
}

static void gltf_check_bytes_uses(gltf_checker *checker)
{
    gltf_importer *importer = &checker->importer;
    checker->use_of_view = gltf_import_scratch_for(importer, LIST_BUFFER_VIEWS, 1);
    checker->use_of_accessor = gltf_import_scratch_for(importer, LIST_ACCESSORS, 1);
    if (checker->builder.failed) return;
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_BUFFER_VIEWS); i++) {
        const tn_json_value *view = gltf_import_item(importer, LIST_BUFFER_VIEWS, i);
        const tn_json_value *value = tn_json_tree_get(view, "byteStride");
        uint64_t stride = tn_json_tree_u64(value, 0);
        uint64_t size = tn_json_tree_u64(tn_json_tree_get(view, "byteLength"), TENON_ABSENT);
        if (!value) continue;
        if (stride % 4)
            gltf_check_found(checker, "alignment", value, "%" PRIu64 " is not a multiple of 4",
                             stride);
        if (stride > size)
            gltf_check_found(checker, "value", value,
                             "the stride is %" PRIu64 " bytes, but the view has only %" PRIu64,
                             stride, size);
        if (tn_json_tree_u32(tn_json_tree_get(view, "target"), 0) == GLTF_TARGET_INDICES)
            gltf_check_found(checker, "use", value, "only vertex data may have a 'byteStride'");
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_MESHES); i++) {
        const tn_json_value *mesh = gltf_import_item(importer, LIST_MESHES, i);
        const tn_json_value *primitives = tn_json_tree_get(mesh, "primitives");
        for (uint32_t k = 0; k < tn_json_tree_count(primitives); k++) {
            const tn_json_value *primitive = tn_json_tree_at(primitives, k);
            const tn_json_value *targets = tn_json_tree_get(primitive, "targets");
            gltf_check_bytes_use_streams(checker, tn_json_tree_get(primitive, "attributes"));
            for (uint32_t j = 0; j < tn_json_tree_count(targets); j++)
                gltf_check_bytes_use_streams(checker, tn_json_tree_at(targets, j));
            gltf_check_bytes_use_accessor(checker, tn_json_tree_get(primitive, "indices"),
                                          USE_INDICES);
        }
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_SKINS); i++) {
        const tn_json_value *skin = gltf_import_item(importer, LIST_SKINS, i);
        gltf_check_bytes_use_accessor(checker, tn_json_tree_get(skin, "inverseBindMatrices"),
                                      USE_BINDS);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ANIMATIONS); i++) {
        const tn_json_value *animation = gltf_import_item(importer, LIST_ANIMATIONS, i);
        const tn_json_value *samplers = tn_json_tree_get(animation, "samplers");
        for (uint32_t k = 0; k < tn_json_tree_count(samplers); k++) {
            const tn_json_value *sampler = tn_json_tree_at(samplers, k);
            gltf_check_bytes_use_accessor(checker, tn_json_tree_get(sampler, "input"), USE_TIMES);
            gltf_check_bytes_use_accessor(checker, tn_json_tree_get(sampler, "output"), USE_VALUES);
        }
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ACCESSORS); i++) {
        const tn_json_value *accessor = gltf_import_item(importer, LIST_ACCESSORS, i);
        const tn_json_value *sparse = tn_json_tree_get(accessor, "sparse");
        gltf_check_bytes_use_view_of(checker, tn_json_tree_get(sparse, "indices"), USE_OTHER);
        gltf_check_bytes_use_view_of(checker, tn_json_tree_get(sparse, "values"), USE_OTHER);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_IMAGES); i++)
        gltf_check_bytes_use_view_of(checker, gltf_import_item(importer, LIST_IMAGES, i),
                                     USE_PICTURE);
}

// -- Everything

void gltf_check_bytes(gltf_checker *checker)
{
    gltf_importer *importer = &checker->importer;
    uint32_t count = gltf_import_count(importer, LIST_ACCESSORS);
    checker->is_bad_buffer =
        gltf_import_scratch_for(importer, LIST_BUFFERS, sizeof *checker->is_bad_buffer);
    checker->is_bad_view =
        gltf_import_scratch_for(importer, LIST_BUFFER_VIEWS, sizeof *checker->is_bad_view);
    checker->is_bad_accessor =
        gltf_import_scratch(importer, count, sizeof *checker->is_bad_accessor);
    checker->has_unknown_type =
        gltf_import_scratch(importer, count, sizeof *checker->has_unknown_type);
    checker->examined = gltf_import_scratch(importer, count, sizeof *checker->examined);
    checker->max_value = gltf_import_scratch(importer, count, sizeof *checker->max_value);
    checker->block = gltf_import_scratch(importer, BLOCK, sizeof *checker->block);
    if (checker->builder.failed) return;
    static const char *const types[] = {"data:application/octet-stream",
                                        "data:application/gltf-buffer"};
    uint32_t buffers = gltf_import_count(importer, LIST_BUFFERS);
    for (uint32_t i = 0; i < buffers && !checker->check->failed; i++) {
        const tn_json_value *buffer = gltf_import_item(importer, LIST_BUFFERS, i);
        const tn_json_value *uri = tn_json_tree_get(buffer, "uri");
        bool is_elsewhere = gltf_check_uri(checker, uri);
        if (!uri && (importer->is_text || i > 0)) {
            gltf_check_found(checker, "placeholder", buffer,
                             "it has no 'uri': its data is not checked");
            is_elsewhere = true;
        }
        if (tn_json_tree_kind_of(uri) == TN_TREE_STRING &&
            gltf_import_is_data_uri((tenon_str){uri->text, uri->size})) {
            char shown[40] = "";
            size_t size = 0;
            while (size + 1 < sizeof shown && size < uri->size && uri->text[size] != ';' &&
                   uri->text[size] != ',')
                size++;
            tn_text_clean(uri->text, size, shown, sizeof shown);
            if (!tn_same_word(shown, types[0]) && !tn_same_word(shown, types[1]))
                gltf_check_found(checker, "value", uri, "it must start like '%s', not '%s'",
                                 types[0], shown);
        }
        if (!is_elsewhere) (void)gltf_import_load_buffer(importer, i);
        if (!gltf_check_report_failure(checker, "bytes") && !is_elsewhere) continue;
        // Without its data, views and accessors are still checked against its size.
        uint64_t size = tn_json_tree_u64(tn_json_tree_get(buffer, "byteLength"), 0);
        checker->is_bad_buffer[i] = size == 0;
        if (size == 0) continue;
        tenon_unload(&importer->buffers[i].file);
        importer->buffers[i] = (gltf_buffer){.is_loaded = true, .size = size};
    }
    uint32_t views = gltf_import_count(importer, LIST_BUFFER_VIEWS);
    for (uint32_t i = 0; i < views && !checker->check->failed; i++) {
        const tn_json_value *view = gltf_import_item(importer, LIST_BUFFER_VIEWS, i);
        uint32_t buffer = gltf_index_of(view, "buffer");
        gltf_range range;
        checker->is_bad_view[i] = true;
        if (buffer >= gltf_import_count(importer, LIST_BUFFERS) || checker->is_bad_buffer[buffer])
            continue;
        (void)gltf_import_view_bytes(importer, i, &range);
        checker->is_bad_view[i] = gltf_check_report_failure(checker, "bytes");
    }
    for (uint32_t i = 0; i < count && !checker->check->failed && !checker->builder.failed; i++)
        gltf_check_bytes_accessor(checker, i);
    if (!checker->builder.failed) gltf_check_bytes_uses(checker);
}
