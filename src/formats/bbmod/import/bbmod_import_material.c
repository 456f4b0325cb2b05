// bbmod_import_material.c: the materials of a BBMOD model and their sidecar files.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/files/file.h"
#include "core/json/json_tree.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "scene/model/space.h"

#include <stdio.h>
#include <string.h>

#define EXTRAS_MOST  256  // Values of one material file that are kept; real files have about 40.
#define CULL_NOTHING 0    // GameMaker's cull_noculling.

typedef struct bbmod_material_tallies {
    tn_tally unused, files, textures, alphas, encoded, values;
} bbmod_material_tallies;

// A material file and the material it belongs to.
typedef struct bbmod_material {
    bbmod_importer *importer;
    uint32_t source;  // In the document.
    uint32_t index;   // In the scene.
    const tenon_bbmat *file;
    tenon_str folder;  // From the model to the file, "" or with a slash at the end.
    uint32_t extra_count;
    bbmod_material_tallies *tallies;
} bbmod_material;

static void bbmod_import_tally_material(const bbmod_material *material, tn_tally *tally)
{
    tn_tally_path(tally, 1, "material_names[%u]", (unsigned)material->source);
}

// -- Looking up

// Booleans are stored as booleans or numbers.
static bool bbmod_material_is_true(const bbmod_material *material, const char *key)
{
    const tn_json_value *node = tn_json_tree_get(bbmod_bbmat_root(material->file), key);
    return tn_json_tree_bool(node, false) || tn_json_tree_f64(node, 0) != 0;
}

static tenon_str bbmod_material_key(const tn_json_value *member)
{
    return (tenon_str){member->key, member->key_size};
}

// The name of a material; "" if it has none.
static tenon_str bbmod_material_name(const tenon_bbmod *doc, uint32_t index)
{
    bool has_name = doc->material_names && index < doc->material_count;
    return has_name ? doc->material_names[index] : (tenon_str){"", 0};
}

// -- Textures

const bbmod_slot_use bbmod_slot_uses[BBMOD_SLOT_USES] = {
    {"BaseOpacity", TENON_SLOT_BASE_COLOR, false, false},
    {"NormalRoughness", TENON_SLOT_NORMAL, true, false},
    [BBMOD_SMOOTH_NORMALS] = {"NormalSmoothness", TENON_SLOT_NORMAL, true, false},
    {"SpecularColor", TENON_SLOT_SPECULAR, false, false},
    {"Emissive", TENON_SLOT_EMISSIVE, false, true},
    {"Lightmap", TENON_SLOT_LIGHT_MAP, false, true},
};

// NULL for textures that scenes do not support: metalness, for example, is in another channel.
static const bbmod_slot_use *bbmod_material_find_use(tenon_str slot)
{
    for (size_t i = 0; i < BBMOD_SLOT_USES; i++)
        if (tn_text_is(slot, bbmod_slot_uses[i].name)) return &bbmod_slot_uses[i];
    return NULL;
}

// `path` is relative to the material file.
static void bbmod_material_set_texture(const bbmod_material *material, const bbmod_slot_use *use,
                                       tenon_str path)
{
    tn_scene_builder *builder = material->importer->builder;
    path = tn_text_join(material->importer->scratch, material->folder, path, "the scene",
                        builder->err);
    builder->failed = builder->failed || !path.data;
    tn_set_texture(builder, material->index, use->slot, path);
    if (builder->failed) return;
    tenon_material *out = &builder->scene->materials[material->index];
    tenon_texture *texture = &out->textures[use->slot];
    bool is_light_map = use->slot == TENON_SLOT_LIGHT_MAP;
    bool repeats = bbmod_material_is_true(material, "Repeat");
    texture->wrap[0] = texture->wrap[1] = repeats ? TENON_REPEAT : TENON_CLAMP;
    texture->uv_set = is_light_map;
    for (int k = 0; k < 2 && !is_light_map; k++) {
        texture->offset[k] = material->file->texture_offset[k];
        texture->scale[k] = material->file->texture_scale[k];
    }
    for (int k = 0; k < 3 && use->slot == TENON_SLOT_EMISSIVE; k++) out->emissive[k] = 1;
    for (int k = 0; k < 3 && use->slot == TENON_SLOT_SPECULAR; k++) out->specular[k] = 1;
    if (use->slot == TENON_SLOT_SPECULAR) out->is_classic = true;
    if (use->has_alpha) bbmod_import_tally_material(material, &material->tallies->alphas);
    if (use->is_encoded) bbmod_import_tally_material(material, &material->tallies->encoded);
}

// -- Extras

// Whether the value is part of the scene's material, so it need not be kept as an extra.
static bool bbmod_material_is_taken(const tn_json_value *member)
{
    static const char *const keys[] = {"BaseOpacityMultiplier",
                                       "TextureOffset",
                                       "TextureScale",
                                       "Culling",
                                       "AlphaTest",
                                       "AlphaBlend",
                                       "Repeat"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (tn_text_is(bbmod_material_key(member), keys[i])) return true;
    return false;
}

// "bbmat.RenderQueue", "bbmat.Shaders.Forward". `outer` may be NULL.
static void bbmod_material_extra(bbmod_material *material, const tn_json_value *outer,
                                 const tn_json_value *node)
{
    char name[160];
    int size = outer ? snprintf(name, sizeof name, "bbmat.%.*s.%.*s", (int)outer->key_size,
                                outer->key, (int)node->key_size, node->key)
                     : snprintf(name, sizeof name, "bbmat.%.*s", (int)node->key_size, node->key);
    bool fits = size > 0 && (size_t)size < sizeof name && material->extra_count < EXTRAS_MOST;
    tn_json_tree_kind kind = tn_json_tree_kind_of(node);
    if (!fits || kind == TN_TREE_ARRAY || kind == TN_TREE_OBJECT) {
        bbmod_import_tally_material(material, &material->tallies->values);
        return;
    }
    // Default values that every writer stores are not worth an extra.
    tenon_str key = bbmod_material_key(node), text = {node->text, node->size};
    bool is_usual =
        (tn_text_is(key, "__MaterialName") && tn_text_is(text, "BBMOD_MATERIAL_DEFAULT")) ||
        (tn_text_is(key, "RenderQueue") && tn_text_is(text, "Default"));
    if (!outer && is_usual) return;
    material->extra_count++;
    tn_add_extra(material->importer->builder, TENON_EXTRA_OF_MATERIAL, material->index, name, text);
}

// -- Files

// Running out of memory fails the import; any other error is a fault of the file.
static void bbmod_material_reject_file(const bbmod_material *material, const tenon_error *why)
{
    if (tn_is_outage(why))
        tn_scene_fail(material->importer->builder, why->code, NULL, "%s", why->message);
    bbmod_import_tally_material(material, &material->tallies->files);
}

static void bbmod_import_load_material(bbmod_material *material)
{
    bbmod_importer *importer = material->importer;
    const tenon_scene_opts *opts = importer->builder->opts;
    const tenon_read_opts read_opts = {.allocator = opts->allocator,
                                       .files = opts->files,
                                       .beside = opts->model_path,
                                       .max_memory = importer->scratch->limit};
    char path[TN_PATH_SIZE];
    tenon_error why = {0};
    tenon_str name = bbmod_material_name(importer->doc, material->source);
    const tn_search search = {opts->files, opts->model_path, path, sizeof path, &why, NULL};
    bool is_there = bbmod_sidecar_find_bbmat(&search, name);
    if (why.code != TENON_OK) bbmod_material_reject_file(material, &why);
    if (!is_there) return;
    // The name of a material may contain a folder. The model's folder is "./" if it has none.
    size_t start = tn_path_folder_size(opts->model_path);
    const char *folder = path + (start ? start : 2);
    material->folder = (tenon_str){folder, (uint32_t)tn_path_folder_size(folder)};
    tenon_bbmat *file = bbmod_sidecar_load_bbmat(&read_opts, path, &why);
    if (!file) {
        bbmod_material_reject_file(material, &why);
        return;
    }
    tn_mark mark = tn_arena_mark(importer->scratch);
    material->file = file;
    static const char unlit[] = "UNLIT";
    const tn_json_value *root = bbmod_bbmat_root(material->file);
    const double *color = material->file->base_opacity_multiplier;
    tenon_str base = material->file->material_name;
    tenon_material *out = &material->importer->builder->scene->materials[material->index];
    for (int k = 0; k < 3; k++) out->base_color[k] = tn_linear_from_srgb(color[k] / 255);
    out->base_color[3] = color[3];
    // Enumerations are numbers, or the names of GameMaker's constants.
    const tn_json_value *culling = tn_json_tree_get(root, "Culling");
    out->double_sided =
        tn_json_tree_is(culling, "cull_noculling") || tn_json_tree_u32(culling, 1) == CULL_NOTHING;
    for (uint32_t i = 0; i + strlen(unlit) <= base.size; i++)
        if (memcmp(base.data + i, unlit, strlen(unlit)) == 0) out->is_unlit = true;
    // Without blending, the engine discards pixels whose alpha is below `AlphaTest`. The default,
    // 1, is opaque for textures without holes.
    double cutoff = tn_json_tree_f64(tn_json_tree_get(root, "AlphaTest"), 1);
    if (bbmod_material_is_true(material, "AlphaBlend")) {
        out->alpha = TENON_BLEND;
    } else if (cutoff > 0 && cutoff < 1) {
        out->alpha = TENON_MASK;
        out->alpha_cutoff = cutoff;
    }
    for (uint32_t i = 0; i < file->texture_count && !importer->builder->failed; i++) {
        const bbmod_slot_use *use = bbmod_material_find_use(file->textures[i].slot);
        tenon_str texture = file->textures[i].path;
        if (texture.size && use) bbmod_material_set_texture(material, use, texture);
        if (texture.size && !use)
            bbmod_import_tally_material(material, &material->tallies->textures);
    }
    for (uint32_t i = 0; i < tn_json_tree_count(root) && !importer->builder->failed; i++) {
        const tn_json_value *member = tn_json_tree_at(root, i);
        if (bbmod_material_is_taken(member)) continue;
        if (tn_json_tree_kind_of(member) != TN_TREE_OBJECT) {
            bbmod_material_extra(material, NULL, member);
            continue;
        }
        bool is_textures = tn_text_is(bbmod_material_key(member), "__Textures");
        for (uint32_t k = 0; k < tn_json_tree_count(member) && !importer->builder->failed; k++) {
            const tn_json_value *inner = tn_json_tree_at(member, k);
            if (is_textures && bbmod_material_find_use(bbmod_material_key(inner))) continue;
            const tn_json_value *texture = is_textures ? tn_json_tree_get(inner, "Path") : NULL;
            tn_json_value plain = texture ? *texture : *inner;
            plain.key = inner->key;
            plain.key_size = inner->key_size;
            bbmod_material_extra(material, member, &plain);
        }
    }
    tn_arena_rewind(importer->scratch, mark);
    tenon_bbmat_free(file);
}

// -- All materials

static uint32_t bbmod_import_material_of(const bbmod_importer *importer, uint32_t mesh)
{
    return importer->view.meshes[mesh].mesh->material_index;
}

static bool bbmod_import_has_lower_material(const void *importer, uint32_t a, uint32_t b)
{
    return bbmod_import_material_of(importer, a) < bbmod_import_material_of(importer, b);
}

// Meshes are sorted by material. That needs no list of materials, which could be huge: some
// versions store only their number.
void bbmod_import_materials(bbmod_importer *importer)
{
    const tenon_bbmod *doc = importer->doc;
    tn_scene_builder *builder = importer->builder;
    bbmod_mesh_plan *mesh_plans = importer->mesh_plans;
    uint32_t *meshes = bbmod_import_scratch(importer, importer->view.mesh_count, sizeof *meshes);
    uint32_t *spare = bbmod_import_scratch(importer, importer->view.mesh_count, sizeof *spare);
    if (builder->failed) return;
    uint32_t count = 0, next = 0;  // `next` is the material after the last one that is used.
    for (uint32_t i = 0; i < importer->view.mesh_count; i++) {
        bool has_material = bbmod_import_material_of(importer, i) < doc->material_count;
        mesh_plans[i].material = TENON_NONE;
        if (mesh_plans[i].is_shown && has_material) meshes[count++] = i;
    }
    tn_sort(meshes, spare, count, bbmod_import_has_lower_material, importer);
    bbmod_material_tallies tallies = {0};
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        uint32_t source = bbmod_import_material_of(importer, meshes[i]);
        if (i == 0 || source != bbmod_import_material_of(importer, meshes[i - 1])) {
            tn_tally_path(&tallies.unused, source - next, "material_names[%u]", (unsigned)next);
            char number[24];
            tenon_str name = bbmod_material_name(doc, source);
            if (!doc->material_names) {
                int size = snprintf(number, sizeof number, "material_%u", (unsigned)source);
                name = (tenon_str){number, (uint32_t)size};
            }
            bbmod_material material = {.importer = importer, .source = source, .tallies = &tallies};
            material.index = tn_add_material(builder, name);
            if (builder->opts->model_path && !builder->failed)
                bbmod_import_load_material(&material);
            next = source + 1;
        }
        mesh_plans[meshes[i]].material = builder->scene->material_count - 1;
    }
    if (builder->failed) return;
    tn_tally_path(&tallies.unused, doc->material_count - next, "material_names[%u]",
                  (unsigned)next);
    tn_tally_report(builder, &tallies.unused, TENON_DROPPED, "materials", "not used by any mesh");
    tn_scene_report(builder, TENON_SYNTHESIZED, "names of materials",
                    doc->material_names ? 0 : builder->scene->material_count, "material_count",
                    "this version does not store material names");
    tn_tally_report(builder, &tallies.files, TENON_DROPPED, "materials",
                    "the material files cannot be read");
    tn_tally_report(builder, &tallies.textures, TENON_DROPPED, "textures",
                    "not supported by scenes; their paths are kept as extras");
    tn_tally_report(builder, &tallies.alphas, TENON_APPROXIMATED, "normal textures",
                    "the roughness or smoothness in their alpha channel is ignored");
    tn_tally_report(builder, &tallies.encoded, TENON_APPROXIMATED,
                    "emissive textures and light maps", "stored as RGBM, but read as plain colors");
    tn_tally_report(builder, &tallies.values, TENON_DROPPED, "values of materials",
                    "nested too deep, too long or too many to keep as extras");
}
