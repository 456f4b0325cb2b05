// gltf_check_meshes.c: materials, and primitives: their attributes, indices and morph targets.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNIT_SLACK 0.0067  // Error of the length of 8-bit normals.

enum { SETS_MOST = 64 };  // Of texture coordinates, one bit each.

// -- What materials need

// All textures of a material and its extensions. The depth is limited by the tables, not the file.
static void gltf_check_meshes_add_textures(const gltf_member *type, const tn_json_value *object,
                                           gltf_needs *needs)
{
    const tn_json_value *extensions = tn_json_tree_get(object, "extensions");
    for (const gltf_member *spec = type + 1; spec->key; spec++) {
        const tn_json_value *value = spec->object ? tn_json_tree_get(object, spec->key) : NULL;
        if (tn_json_tree_kind_of(value) != TN_TREE_OBJECT) continue;
        if (spec->kind == KIND_OBJECT)
            gltf_check_meshes_add_textures(gltf_schema_find(spec->object), value, needs);
        if (spec->kind != KIND_TEXTURE) continue;
        const tn_json_value *transform = gltf_extension_of(value, "KHR_texture_transform");
        uint64_t set = tn_json_tree_u64(tn_json_tree_get(value, "texCoord"), 0);
        set = tn_json_tree_u64(tn_json_tree_get(transform, "texCoord"), set);
        if (set < SETS_MOST)
            needs->sets |= UINT64_C(1) << set;
        else
            needs->far_set = set < TENON_NONE ? (uint32_t)set : TENON_NONE - 1;
    }
    if (tn_json_tree_kind_of(extensions) != TN_TREE_OBJECT) return;
    for (uint32_t i = 0; i < extensions->size; i++) {
        const tn_json_value *extension = tn_json_tree_at(extensions, i);
        tenon_str key = {extension->key, extension->key_size};
        const gltf_member *found;
        if (gltf_schema_find_extension(key, type, &found) == GLTF_EXTENSION_FITS)
            gltf_check_meshes_add_textures(found, extension, needs);
    }
}

// -- Materials

// Textures that are combined with the normal texture should use the same coordinates.
static void gltf_check_meshes_same_set(gltf_checker *checker, const tn_json_value *material,
                                       const tn_json_value *texture)
{
    const tn_json_value *normal = tn_json_tree_get(material, "normalTexture");
    if (texture && normal &&
        tn_json_tree_u32(tn_json_tree_get(texture, "texCoord"), 0) !=
            tn_json_tree_u32(tn_json_tree_get(normal, "texCoord"), 0))
        gltf_check_found(checker, "implausible", texture,
                         "it does not use the same texture coordinates as the normal texture");
}

static void gltf_check_meshes_materials(gltf_checker *checker)
{
    static const char *const alone[] = {"KHR_materials_unlit",
                                        "KHR_materials_pbrSpecularGlossiness"};
    const gltf_member *type = gltf_schema_find("material");
    uint32_t count = gltf_import_count(&checker->importer, LIST_MATERIALS);
    checker->needs = gltf_import_scratch(&checker->importer, count, sizeof *checker->needs);
    for (uint32_t i = 0; checker->needs && i < count && !checker->check->failed; i++) {
        const tn_json_value *material = gltf_import_item(&checker->importer, LIST_MATERIALS, i);
        const tn_json_value *extensions = tn_json_tree_get(material, "extensions");
        const tn_json_value *cutoff = tn_json_tree_get(material, "alphaCutoff");
        const tn_json_value *strength =
            tn_json_tree_get(extensions, "KHR_materials_emissive_strength");
        const tn_json_value *dispersion = tn_json_tree_get(extensions, "KHR_materials_dispersion");
        const tn_json_value *volume = tn_json_tree_get(extensions, "KHR_materials_volume");
        const tn_json_value *anisotropy = tn_json_tree_get(extensions, "KHR_materials_anisotropy");
        const tn_json_value *clearcoat = tn_json_tree_get(extensions, "KHR_materials_clearcoat");
        double light[3] = {0, 0, 0};
        if (cutoff && !tn_json_tree_is(tn_json_tree_get(material, "alphaMode"), "MASK"))
            gltf_check_found(checker, "no-effect", cutoff,
                             "a cutoff has an effect only with the alpha mode 'MASK'");
        (void)tn_json_tree_f64s(tn_json_tree_get(material, "emissiveFactor"), light, 3);
        if (strength && light[0] == 0 && light[1] == 0 && light[2] == 0)
            gltf_check_found(checker, "no-effect", strength, "the emissive factor is 0");
        if (dispersion && !volume)
            gltf_check_found(checker, "no-effect", dispersion,
                             "it has no effect without KHR_materials_volume");
        if (volume && !tn_json_tree_get(extensions, "KHR_materials_transmission") &&
            !tn_json_tree_get(extensions, "KHR_materials_diffuse_transmission"))
            gltf_check_found(checker, "no-effect", volume,
                             "it has no effect without KHR_materials_transmission");
        if (volume && tn_json_tree_bool(tn_json_tree_get(material, "doubleSided"), false))
            gltf_check_found(checker, "implausible", volume,
                             "a material with a volume cannot be double-sided");
        for (size_t k = 0; k < sizeof alone / sizeof alone[0]; k++) {
            const tn_json_value *extension = tn_json_tree_get(extensions, alone[k]);
            if (extension && tn_json_tree_count(extensions) > 1)
                gltf_check_found(
                    checker, "implausible", extension,
                    "the material has other extensions that are not compatible with this one");
        }
        gltf_check_meshes_same_set(checker, material,
                                   tn_json_tree_get(anisotropy, "anisotropyTexture"));
        gltf_check_meshes_same_set(checker, material,
                                   tn_json_tree_get(clearcoat, "clearcoatNormalTexture"));
        checker->needs[i].far_set = TENON_NONE;
        gltf_check_meshes_add_textures(type, material, &checker->needs[i]);
        // Tangents can be computed from a normal texture.
        checker->needs[i].needs_tangents =
            anisotropy && !tn_json_tree_get(material, "normalTexture");
    }
}

// -- Materials of primitives

static void gltf_check_meshes_need_set(gltf_checker *checker, const tn_json_value *primitive,
                                       uint32_t set)
{
    char key[24];
    (void)snprintf(key, sizeof key, "TEXCOORD_%" PRIu32, set);
    if (!tn_json_tree_get(tn_json_tree_get(primitive, "attributes"), key))
        gltf_check_found(checker, "attribute", tn_json_tree_get(primitive, "material"),
                         "a texture of the material needs %s", key);
}

// -- Attributes

enum { I8 = 1, U8 = 2, I16 = 4, U16 = 8, F32 = 64 };  // Component types, as bits.
enum { ALL = I8 | U8 | I16 | U16 | F32 };

typedef struct gltf_semantic {
    const char *name;
    bool is_set;                // A number follows the name.
    uint32_t least, most;       // Components of an element.
    uint32_t types, quantized;  // The second only with KHR_mesh_quantization.
    bool is_normalized;         // Integers must be normalized.
} gltf_semantic;

static const gltf_semantic semantics[] = {
    {"POSITION", false, 3, 3, F32, ALL, false},
    {"NORMAL", false, 3, 3, F32, I8 | I16, true},
    {"TANGENT", false, 4, 4, F32, I8 | I16, true},
    {"TEXCOORD_", true, 2, 2, F32 | U8 | U16, ALL, false},
    {"COLOR_", true, 3, 4, F32 | U8 | U16, 0, true},
    {"JOINTS_", true, 4, 4, U8 | U16, 0, false},
    {"WEIGHTS_", true, 4, 4, F32 | U8 | U16, 0, true},
};

static const gltf_semantic *gltf_check_meshes_find_semantic(const tn_json_value *member)
{
    for (size_t i = 0; i < sizeof semantics / sizeof semantics[0]; i++) {
        size_t size = strlen(semantics[i].name), left = member->key_size - size;
        if (member->key_size < size || memcmp(member->key, semantics[i].name, size) != 0) continue;
        if (!semantics[i].is_set && left == 0) return &semantics[i];
        if (!semantics[i].is_set || left == 0) continue;
        // The rest of the name is a number: 0, or one that does not start with 0.
        const char *number = member->key + size;
        bool is_number = left == 1 || number[0] != '0';
        for (size_t k = 0; k < left; k++)
            is_number = is_number && number[k] >= '0' && number[k] <= '9';
        if (is_number) return &semantics[i];
    }
    return NULL;
}

static void gltf_check_meshes_format(gltf_checker *checker, const gltf_semantic *s,
                                     const tn_json_value *member, const gltf_elements *e)
{
    uint32_t bit = 1u << (e->component_type - 5120);
    bool is_quantized = checker->is_quantized;
    bool is_type = (s->types & bit) || (is_quantized && (s->quantized & bit));
    bool is_wide = e->width >= s->least && e->width <= s->most && e->rows == e->width;
    bool is_whole = bit != F32, must_be = s->is_normalized || (s->least == 2 && !is_quantized);
    bool is_joint = s->name[0] == 'J';
    if (!is_type || !is_wide || (is_whole && must_be && !e->is_normalized) ||
        (is_joint && e->is_normalized))
        gltf_check_found(checker, "attribute", member,
                         "the attribute does not allow an accessor of this type");
    if (s->name[0] == 'P' &&
        (!tn_json_tree_get(e->node, "min") || !tn_json_tree_get(e->node, "max")))
        gltf_check_found(checker, "bounds", member, "positions need 'min' and 'max'");
    uint32_t index = gltf_index_of(e->node, "bufferView");
    const tn_json_value *view = gltf_import_item(&checker->importer, LIST_BUFFER_VIEWS, index);
    uint64_t offset = tn_json_tree_u64(tn_json_tree_get(e->node, "byteOffset"), 0);
    uint64_t view_offset = tn_json_tree_u64(tn_json_tree_get(view, "byteOffset"), 0);
    if (e->bytes.stride % 4)
        gltf_check_found(checker, "alignment", member, "vertices are %" PRIu64 " bytes apart",
                         e->bytes.stride);
    else if (e->bytes.stride && (offset % 4 || view_offset % 4))
        gltf_check_found(checker, "alignment", member,
                         "the vertices do not start at a multiple of 4 bytes");
}

// -- Values

// The largest value of an accessor of integers.
static uint32_t gltf_check_meshes_max_value(gltf_checker *checker, const tn_json_value *accessor,
                                            const gltf_elements *e)
{
    uint32_t *top = &checker->max_value[tn_json_tree_u32(accessor, 0)];
    if (!gltf_check_has_numbers(e) ||
        !gltf_check_is_first_examination(checker, accessor, GLTF_EXAMINED_MAXIMUM))
        return *top;
    tenon_span whole;
    if (gltf_import_is_packed_integers(e, &whole)) return *top = tn_span_top(&whole);
    tn_mark mark = tn_arena_mark(&checker->importer.scratch);
    uint64_t count = e->count * e->width;
    uint32_t *values = gltf_import_scratch(&checker->importer, count, sizeof *values);
    if (values) gltf_import_decode_integers(&checker->importer, e, values, e->width);
    for (uint64_t i = 0; !checker->builder.failed && i < count; i++)
        if (values[i] > *top) *top = values[i];
    tn_arena_rewind(&checker->importer.scratch, mark);
    return *top;
}

// -- Primitives

static void gltf_check_meshes_attribute(gltf_checker *checker, const tn_json_value *member,
                                        uint32_t mesh, uint64_t *vertices)
{
    const gltf_semantic *s = gltf_check_meshes_find_semantic(member);
    gltf_elements e;
    if (!s && !(member->key_size && member->key[0] == '_'))
        gltf_check_found(checker, "attribute", member, "an attribute of that name does not exist");
    if (s && s->name[0] == 'J' && checker->max_joint[mesh] == 0) checker->max_joint[mesh] = 1;
    if (!gltf_check_open_used(checker, "attribute", member, &e)) return;
    if (*vertices != TENON_ABSENT && *vertices != e.count)
        gltf_check_found(checker, "attribute", member,
                         "%" PRIu64
                         " elements, but other attributes of the primitive have %" PRIu64,
                         e.count, *vertices);
    *vertices = e.count;
    // A view with several vertex accessors needs 'byteStride'.
    uint32_t accessor = tn_json_tree_u32(member, 0);
    uint32_t index = gltf_index_of(e.node, "bufferView");
    const tn_json_value *view = gltf_import_item(&checker->importer, LIST_BUFFER_VIEWS, index);
    if (view) {
        uint32_t *user = &checker->user_of_view[index];
        if (*user && *user != accessor + 1 && !tn_json_tree_get(view, "byteStride"))
            gltf_check_found(checker, "attribute", member,
                             "accessors %" PRIu32 " and %" PRIu32
                             " share a view without 'byteStride'",
                             *user - 1, accessor);
        *user = accessor + 1;
    }
    if (!s) return;
    uint64_t before = checker->errors;
    gltf_check_meshes_format(checker, s, member, &e);
    if (checker->errors != before) return;
    bool is_direction = s->name[0] == 'N' || strcmp(s->name, "TANGENT") == 0;
    bool is_color = s->name[0] == 'C';
    gltf_examination look = is_color ? GLTF_EXAMINED_COLORS : GLTF_EXAMINED_UNITS;
    if ((is_color || is_direction) && gltf_check_is_first_examination(checker, member, look)) {
        tn_mark mark = tn_arena_mark(&checker->importer.scratch);
        const float *v;
        uint64_t bad = 0;
        for (uint64_t at = 0, n; (n = gltf_check_decode_block(checker, &e, at, &v)) > 0; at += n) {
            for (uint64_t i = 0; is_color && i < n * e.width; i++) bad += !(v[i] >= 0 && v[i] <= 1);
            for (uint64_t i = 0; is_direction && i < n; i++, v += e.width) {
                double square = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
                bool is_sided = e.width == 3 || v[3] == 1 || v[3] == -1;
                bad += !(fabs(sqrt(square) - 1) <= UNIT_SLACK) || !is_sided;
            }
        }
        tn_arena_rewind(&checker->importer.scratch, mark);
        if (bad && is_color)
            gltf_check_found(checker, "value", member,
                             "%" PRIu64 " color components are not between 0 and 1", bad);
        else if (bad)
            gltf_check_found(checker, "unit", member,
                             "%" PRIu64 " of %" PRIu64 " do not have length 1", bad, e.count);
    }
    if (s->name[0] != 'J') return;
    uint32_t top = gltf_check_meshes_max_value(checker, member, &e);
    if (top + 1 > checker->max_joint[mesh]) checker->max_joint[mesh] = top + 1;
}

// Sets are numbered from 0 on without gaps, and there are as many of joints as of weights.
static void gltf_check_meshes_sets(gltf_checker *checker, const tn_json_value *attributes)
{
    enum {
        KINDS = sizeof semantics / sizeof semantics[0],
        JOINTS = KINDS - 2,
        WEIGHTS = KINDS - 1
    };
    uint32_t counts[KINDS] = {0}, ends[KINDS] = {0};
    for (uint32_t i = 0; i < attributes->size; i++) {
        const tn_json_value *member = tn_json_tree_at(attributes, i);
        const gltf_semantic *s = gltf_check_meshes_find_semantic(member);
        uint32_t set = 0;
        if (!s || !s->is_set) continue;
        for (size_t k = strlen(s->name); k < member->key_size && set < UINT16_MAX; k++)
            set = 10 * set + (uint32_t)(member->key[k] - '0');
        counts[s - semantics]++;
        if (set >= ends[s - semantics]) ends[s - semantics] = set + 1;
    }
    for (int i = 0; i < KINDS; i++)
        if (counts[i] != ends[i])
            gltf_check_found(checker, "attribute", attributes,
                             "%" PRIu32 " attributes '%s' are not numbered from 0 to %" PRIu32,
                             counts[i], semantics[i].name, counts[i] - 1);
    if (counts[JOINTS] != counts[WEIGHTS])
        gltf_check_found(checker, "attribute", attributes,
                         "there are %" PRIu32 " sets of joints, but %" PRIu32 " of weights",
                         counts[JOINTS], counts[WEIGHTS]);
}

// An attribute of a morph target: differences to that of the primitive.
static void gltf_check_meshes_difference(gltf_checker *checker, const tn_json_value *member,
                                         const tn_json_value *attributes, uint64_t vertices)
{
    const gltf_semantic *s = gltf_check_meshes_find_semantic(member);
    gltf_elements e;
    if (s && (s->name[0] == 'J' || s->name[0] == 'W')) s = NULL;
    if (!s && !(member->key_size && member->key[0] == '_'))
        gltf_check_found(checker, "attribute", member,
                         "this attribute is not allowed in morph targets");
    const uint32_t most = 256;  // More are not checked, since all are compared with all.
    bool is_found = tn_json_tree_count(attributes) > most;
    for (uint32_t i = 0; !is_found && i < tn_json_tree_count(attributes); i++) {
        const tn_json_value *other = tn_json_tree_at(attributes, i);
        is_found = other->key_size == member->key_size &&
                   memcmp(other->key, member->key, member->key_size) == 0;
    }
    if (!is_found)
        gltf_check_found(checker, "attribute", member,
                         "the primitive does not have this attribute");
    if (!s || !gltf_check_open_used(checker, "attribute", member, &e)) return;
    if (e.count != vertices)
        gltf_check_found(checker, "attribute", member,
                         "%" PRIu64 " elements, but there are %" PRIu64 " vertices", e.count,
                         vertices);
    gltf_semantic difference = *s;
    if (s->least == 4 && s->most == 4) difference.least = difference.most = 3;
    if (s->is_set) difference.types = ALL;
    gltf_check_meshes_format(checker, &difference, member, &e);
}

static void gltf_check_meshes_primitive(gltf_checker *checker, const tn_json_value *primitive,
                                        uint32_t mesh)
{
    static const struct {
        const char *name;
        uint32_t least, step;
    } modes[] = {{"points", 1, 1},        {"lines", 2, 2},     {"a line loop", 2, 1},
                 {"a line strip", 2, 1},  {"triangles", 3, 3}, {"a triangle strip", 3, 1},
                 {"a triangle fan", 3, 1}};
    const tn_json_value *attributes = tn_json_tree_get(primitive, "attributes");
    const tn_json_value *indices = tn_json_tree_get(primitive, "indices");
    uint64_t vertices = TENON_ABSENT;
    if (tn_json_tree_kind_of(attributes) != TN_TREE_OBJECT) return;
    const tn_json_value *material = tn_json_tree_get(primitive, "material");
    uint32_t index = tn_json_tree_u32(material, TENON_NONE);
    static const gltf_needs nothing = {.far_set = TENON_NONE};
    bool has_material = index < gltf_import_count(&checker->importer, LIST_MATERIALS);
    const gltf_needs *needs = has_material ? &checker->needs[index] : &nothing;
    for (uint32_t set = 0; set < SETS_MOST && needs->sets >> set; set++)
        if (needs->sets >> set & 1) gltf_check_meshes_need_set(checker, primitive, set);
    if (needs->far_set != TENON_NONE)
        gltf_check_meshes_need_set(checker, primitive, needs->far_set);
    if (needs->needs_tangents && !tn_json_tree_get(attributes, "TANGENT"))
        gltf_check_found(checker, "attribute", material,
                         "KHR_materials_anisotropy needs TANGENT or a normal texture");
    // A primitive has at most one material for each variant.
    const tn_json_value *extensions = tn_json_tree_get(primitive, "extensions");
    const tn_json_value *extension = tn_json_tree_get(extensions, "KHR_materials_variants");
    const tn_json_value *mappings = tn_json_tree_get(extension, "mappings");
    uint32_t variant_count = gltf_import_count(&checker->importer, LIST_VARIANTS);
    checker->array_count++;
    for (uint32_t i = 0; i < tn_json_tree_count(mappings); i++) {
        const tn_json_value *variants = tn_json_tree_get(tn_json_tree_at(mappings, i), "variants");
        for (uint32_t k = 0; k < tn_json_tree_count(variants); k++) {
            uint32_t variant = tn_json_tree_u32(tn_json_tree_at(variants, k), TENON_NONE);
            if (variant >= variant_count) continue;
            if (checker->last_array[variant] == checker->array_count)
                gltf_check_found(checker, "duplicate", tn_json_tree_at(variants, k),
                                 "the primitive already has a material for variant %" PRIu32,
                                 variant);
            checker->last_array[variant] = checker->array_count;
        }
    }
    gltf_check_meshes_sets(checker, attributes);
    for (uint32_t i = 0; i < attributes->size && !checker->builder.failed; i++)
        gltf_check_meshes_attribute(checker, tn_json_tree_at(attributes, i), mesh, &vertices);
    if (checker->builder.failed || vertices == TENON_ABSENT) return;
    gltf_check_weights(checker, attributes, vertices);
    const tn_json_value *targets = tn_json_tree_get(primitive, "targets");
    for (uint32_t i = 0; i < tn_json_tree_count(targets); i++) {
        const tn_json_value *target = tn_json_tree_at(targets, i);
        if (tn_json_tree_kind_of(target) != TN_TREE_OBJECT) continue;
        for (uint32_t k = 0; k < target->size && !checker->builder.failed; k++)
            gltf_check_meshes_difference(checker, tn_json_tree_at(target, k), attributes, vertices);
    }
    // The number of vertices or indices must fit the mode.
    uint32_t mode = tn_json_tree_u32(tn_json_tree_get(primitive, "mode"), 4);
    const tn_json_value *accessor =
        gltf_import_item(&checker->importer, LIST_ACCESSORS, tn_json_tree_u32(indices, TENON_NONE));
    uint64_t count = indices ? tn_json_tree_u64(tn_json_tree_get(accessor, "count"), 0) : vertices;
    if (mode < sizeof modes / sizeof modes[0] && count &&
        (count < modes[mode].least || count % modes[mode].step))
        gltf_check_found(checker, "implausible", primitive, "%s cannot have %" PRIu64 " %s",
                         modes[mode].name, count, indices ? "indices" : "vertices");
    gltf_elements e;
    if (!indices || checker->builder.failed ||
        !gltf_check_open_used(checker, "attribute", indices, &e))
        return;
    bool is_whole =
        e.component_type == GLTF_U8 || e.component_type == GLTF_U16 || e.component_type == GLTF_U32;
    if (!is_whole || e.width != 1 || e.is_normalized) {
        gltf_check_found(checker, "attribute", indices, "indices must be unsigned integers");
        return;
    }
    uint32_t top = gltf_check_meshes_max_value(checker, indices, &e);
    uint64_t restart = e.component_size == 4 ? UINT32_MAX : (1u << 8 * e.component_size) - 1;
    if (!checker->builder.failed && (top >= vertices || top == restart))
        gltf_check_found(checker, "index-range", indices,
                         "index %" PRIu32 ", but there are %" PRIu64 " vertices", top, vertices);
}

void gltf_check_meshes(gltf_checker *checker)
{
    gltf_check_meshes_materials(checker);
    uint32_t count = gltf_import_count(&checker->importer, LIST_MESHES);
    checker->max_joint = gltf_import_scratch(&checker->importer, count, sizeof *checker->max_joint);
    checker->user_of_view = gltf_import_scratch_for(&checker->importer, LIST_BUFFER_VIEWS,
                                                    sizeof *checker->user_of_view);
    for (uint32_t i = 0; i < count && !checker->builder.failed; i++) {
        const tn_json_value *mesh = gltf_import_item(&checker->importer, LIST_MESHES, i);
        const tn_json_value *primitives = tn_json_tree_get(mesh, "primitives");
        // All primitives have the same number of morph targets, and the mesh has as many weights.
        const tn_json_value *weights = tn_json_tree_get(mesh, "weights");
        uint32_t targets =
            tn_json_tree_count(tn_json_tree_get(tn_json_tree_at(primitives, 0), "targets"));
        for (uint32_t k = 1; k < tn_json_tree_count(primitives); k++) {
            const tn_json_value *primitive = tn_json_tree_at(primitives, k);
            if (tn_json_tree_count(tn_json_tree_get(primitive, "targets")) != targets)
                gltf_check_found(checker, "size", primitive,
                                 "the first primitive has %" PRIu32 " morph targets", targets);
        }
        if (weights && tn_json_tree_count(weights) != targets)
            gltf_check_found(checker, "size", weights, "there are %" PRIu32 " morph targets",
                             targets);
        for (uint32_t k = 0; k < tn_json_tree_count(primitives) && !checker->builder.failed; k++)
            gltf_check_meshes_primitive(checker, tn_json_tree_at(primitives, k), i);
    }
}
