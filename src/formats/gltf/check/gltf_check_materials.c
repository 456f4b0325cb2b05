// gltf_check_materials.c: materials: their extensions, and the attributes that they need.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include <inttypes.h>
#include <stdio.h>

enum { SETS_MOST = 64 };  // Of texture coordinates, one bit each.

// -- Needs

// All textures of a material and its extensions. The depth is limited by the tables, not the file.
static void gltf_check_materials_add_textures(const gltf_member *type, const tn_json_value *object,
                                              gltf_needs *needs)
{
    const tn_json_value *extensions = tn_json_tree_get(object, "extensions");
    for (const gltf_member *spec = type + 1; spec->key; spec++) {
        const tn_json_value *value = spec->object ? tn_json_tree_get(object, spec->key) : NULL;
        if (tn_json_tree_kind_of(value) != TN_TREE_OBJECT) continue;
        if (spec->kind == KIND_OBJECT)
            gltf_check_materials_add_textures(gltf_schema_find(spec->object), value, needs);
        if (spec->kind != KIND_TEXTURE) continue;
        const tn_json_value *transform =
            tn_json_tree_get(tn_json_tree_get(value, "extensions"), "KHR_texture_transform");
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
        const gltf_member *found;
        if (gltf_schema_find_extension(extension->key, extension->key_size, type, &found) ==
            GLTF_EXTENSION_FITS)
            gltf_check_materials_add_textures(found, extension, needs);
    }
}

// -- Materials

// Textures that are combined with the normal texture should use the same coordinates.
static void gltf_check_materials_same_set(gltf_checker *checker, const tn_json_value *material,
                                          const tn_json_value *texture)
{
    const tn_json_value *normal = tn_json_tree_get(material, "normalTexture");
    if (texture && normal &&
        tn_json_tree_u32(tn_json_tree_get(texture, "texCoord"), 0) !=
            tn_json_tree_u32(tn_json_tree_get(normal, "texCoord"), 0))
        gltf_check_found(checker, GLTF_RULE_IMPLAUSIBLE, texture,
                         "it does not use the same texture coordinates as the normal texture");
}

void gltf_check_materials(gltf_checker *checker)
{
    static const char *const alone[] = {"KHR_materials_unlit",
                                        "KHR_materials_pbrSpecularGlossiness"};
    const gltf_member *type = gltf_schema_find("material");
    uint32_t count = gltf_import_count(&checker->importer, GLTF_LIST_MATERIALS);
    checker->needs = gltf_import_scratch(&checker->importer, count, sizeof *checker->needs);
    for (uint32_t i = 0; checker->needs && i < count && !checker->check->failed; i++) {
        const tn_json_value *material =
            gltf_import_item(&checker->importer, GLTF_LIST_MATERIALS, i);
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
            gltf_check_found(checker, GLTF_RULE_NO_EFFECT, cutoff,
                             "a cutoff has an effect only with the alpha mode 'MASK'");
        (void)tn_json_tree_f64s(tn_json_tree_get(material, "emissiveFactor"), light, 3);
        if (strength && light[0] == 0 && light[1] == 0 && light[2] == 0)
            gltf_check_found(checker, GLTF_RULE_NO_EFFECT, strength, "the emissive factor is 0");
        if (dispersion && !volume)
            gltf_check_found(checker, GLTF_RULE_NO_EFFECT, dispersion,
                             "it has no effect without KHR_materials_volume");
        if (volume && !tn_json_tree_get(extensions, "KHR_materials_transmission") &&
            !tn_json_tree_get(extensions, "KHR_materials_diffuse_transmission"))
            gltf_check_found(checker, GLTF_RULE_NO_EFFECT, volume,
                             "it has no effect without KHR_materials_transmission");
        if (volume && tn_json_tree_bool(tn_json_tree_get(material, "doubleSided"), false))
            gltf_check_found(checker, GLTF_RULE_IMPLAUSIBLE, volume,
                             "a material with a volume cannot be double-sided");
        for (size_t k = 0; k < sizeof alone / sizeof alone[0]; k++) {
            const tn_json_value *extension = tn_json_tree_get(extensions, alone[k]);
            if (extension && tn_json_tree_count(extensions) > 1)
                gltf_check_found(
                    checker, GLTF_RULE_IMPLAUSIBLE, extension,
                    "the material has other extensions that are not compatible with this one");
        }
        gltf_check_materials_same_set(checker, material,
                                      tn_json_tree_get(anisotropy, "anisotropyTexture"));
        gltf_check_materials_same_set(checker, material,
                                      tn_json_tree_get(clearcoat, "clearcoatNormalTexture"));
        checker->needs[i].far_set = TENON_NONE;
        gltf_check_materials_add_textures(type, material, &checker->needs[i]);
        // Tangents can be computed from a normal texture.
        checker->needs[i].needs_tangents =
            anisotropy && !tn_json_tree_get(material, "normalTexture");
    }
}

// -- Primitives

static void gltf_check_materials_need_set(gltf_checker *checker, const tn_json_value *primitive,
                                          uint32_t set)
{
    char key[24];
    (void)snprintf(key, sizeof key, "TEXCOORD_%" PRIu32, set);
    if (!tn_json_tree_get(tn_json_tree_get(primitive, "attributes"), key))
        gltf_check_found(checker, GLTF_RULE_ATTRIBUTE, tn_json_tree_get(primitive, "material"),
                         "a texture of the material needs %s", key);
}

void gltf_check_material_of(gltf_checker *checker, const tn_json_value *primitive)
{
    const tn_json_value *material = tn_json_tree_get(primitive, "material");
    uint32_t index = tn_json_tree_u32(material, TENON_NONE);
    if (index >= gltf_import_count(&checker->importer, GLTF_LIST_MATERIALS)) return;
    const gltf_needs *needs = &checker->needs[index];
    for (uint32_t set = 0; set < SETS_MOST && needs->sets >> set; set++)
        if (needs->sets >> set & 1) gltf_check_materials_need_set(checker, primitive, set);
    if (needs->far_set != TENON_NONE)
        gltf_check_materials_need_set(checker, primitive, needs->far_set);
    if (needs->needs_tangents &&
        !tn_json_tree_get(tn_json_tree_get(primitive, "attributes"), "TANGENT"))
        gltf_check_found(checker, GLTF_RULE_ATTRIBUTE, material,
                         "KHR_materials_anisotropy needs TANGENT or a normal texture");
}
