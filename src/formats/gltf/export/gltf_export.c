// gltf_export.c: the export of a scene to glTF 2.0: the plan, losses, GLB, and .gltf with its .bin.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "formats/gltf/gltf_format.h"

#include <stdio.h>
#include <string.h>

// -- Shared

void *gltf_export_alloc(gltf_exporter *exporter, uint64_t count, size_t size)
{
    void *memory = exporter->failed ? NULL : tn_export_alloc(exporter->export, count, size);
    if (!memory) exporter->failed = true;
    return memory;
}

uint32_t *gltf_export_alloc_indices(gltf_exporter *exporter, uint64_t count)
{
    uint32_t *indices = gltf_export_alloc(exporter, count, sizeof *indices);
    for (uint64_t i = 0; indices && i < count; i++) indices[i] = TENON_NONE;
    return indices;
}

uint32_t gltf_export_grow(gltf_exporter *exporter, void **items, uint32_t *count, uint32_t *room,
                          size_t size)
{
    if (exporter->failed) return TENON_NONE;
    if (*count == *room) {
        uint64_t larger = *room ? 2 * (uint64_t)*room : 64;
        if (larger >= TENON_NONE) {
            exporter->failed =
                !tn_error(exporter->export->err, TENON_ERR_LIMIT, "the scene has too many objects");
            return TENON_NONE;
        }
        void *memory = gltf_export_alloc(exporter, larger, size);
        if (!memory) return TENON_NONE;
        if (*count) memcpy(memory, *items, *count * size);
        *items = memory;
        *room = (uint32_t)larger;
    }
    return (*count)++;
}

uint64_t gltf_export_clamp(double *values, uint32_t count, double low, double high)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] >= low && values[i] <= high) continue;
        values[i] = values[i] > high ? high : low;
        wrong++;
    }
    return wrong;
}

// -- Arrays that are already in the plan

typedef struct gltf_planned_item {
    tn_named named;   // `key`, or the content.
    uint64_t key[4];  // Two addresses, two counts and the tag.
    uint32_t value;
} gltf_planned_item;

static uint32_t *gltf_export_find_or_add(gltf_exporter *exporter, tn_name_tree *tree, tenon_str key,
                                         bool is_copied)
{
    gltf_planned_item *item = key.size ? (gltf_planned_item *)tn_name_find(tree, key) : NULL;
    if (item) return &item->value;
    item = gltf_export_alloc(exporter, 1, sizeof *item);
    if (!item) return NULL;
    item->value = TENON_NONE;
    if (is_copied) {
        memcpy(item->key, key.data, sizeof item->key);
        key.data = (const char *)item->key;
    }
    item->named.name = key;
    if (key.size) (void)tn_name_enter(tree, &item->named);
    return &item->value;
}

uint32_t *gltf_export_find_planned(gltf_exporter *exporter, uint32_t tag, const void *a,
                                   const void *b, uint32_t count, uint32_t each)
{
    const uint64_t key[4] = {(uintptr_t)a, (uintptr_t)b, (uint64_t)count << 32 | each, tag};
    return gltf_export_find_or_add(exporter, &exporter->by_address,
                                   (tenon_str){(const char *)key, sizeof key}, true);
}

// Content of 4 GiB or more is never found.
uint32_t *gltf_export_find_planned_bytes(gltf_exporter *exporter, uint32_t tag, const void *bytes,
                                         uint64_t size)
{
    tenon_str key = {bytes, size > UINT32_MAX ? 0 : (uint32_t)size};
    return gltf_export_find_or_add(exporter, &exporter->by_content[tag], key, false);
}

// -- Losses

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} loss_texts[LOST_COUNT] = {
    [LOST_PARTS] = {TENON_DROPPED, "parts of meshes", "they have nothing to draw"},
    [LOST_VERTICES] = {TENON_DROPPED, "vertices",
                       "left over: too few for another line or triangle"},
    [LOST_MESHES] = {TENON_DROPPED, "meshes", "they are empty or not used by a node"},
    [LOST_WEIGHTS] = {TENON_DROPPED, "weights", "the node of the mesh has no skin"},
    [LOST_COLORS] = {TENON_APPROXIMATED, "vertex colors", "clamped to 0 to 1"},
    [LOST_COLOR_SETS] = {TENON_DROPPED, "second vertex colors",
                         "there is no first set of vertex colors"},
    [LOST_UV_GAPS] = {TENON_SYNTHESIZED, "texture coordinates",
                      "a copy of another set: sets must be numbered without gaps"},
    [LOST_TANGENTS] = {TENON_SYNTHESIZED, "tangents", "needed by a normal texture"},
    [LOST_PLACES] = {TENON_APPROXIMATED, "places of skinned meshes",
                     "moved to the scene root: skinned meshes ignore their node's transform"},
    [LOST_SHEAR] = {TENON_SYNTHESIZED, "nodes", "a sheared transform is split into two nodes"},
    [LOST_PROJECTION] = {TENON_APPROXIMATED, "matrices of nodes", "the last row was not 0 0 0 1"},
    [LOST_ROOTS] = {TENON_SYNTHESIZED, "nodes", "the joints of a skin need a common root"},
    [LOST_JOINT_COPIES] = {TENON_SYNTHESIZED, "nodes",
                           "copies of joints that occur twice in a skin, which is not allowed"},
    [LOST_SKELETONS] = {TENON_DROPPED, "roots of skins", "they are not an ancestor of all joints"},
    [LOST_BINDS] = {TENON_APPROXIMATED, "inverse bind matrices", "the last row was not 0 0 0 1"},
    [LOST_SKINS] = {TENON_DROPPED, "skins", "not used by a mesh"},
    [LOST_MATERIALS] = {TENON_DROPPED, "materials", "not used by a mesh"},
    [LOST_NUMBERS] = {TENON_APPROXIMATED, "materials", "a value was outside its range"},
    [LOST_HIGHLIGHTS] = {TENON_DROPPED, "specular colors and shininess",
                         "not supported by glTF materials: stored in extras"},
    [LOST_SLOTS] = {TENON_DROPPED, "specular, displacement and light map textures",
                    "not supported by glTF materials: stored in extras"},
    [LOST_TEXTURES] = {TENON_DROPPED, "textures",
                       "the mesh does not have their texture coordinates"},
    [LOST_NORMAL_TEXTURES] = {TENON_DROPPED, "normal textures",
                              "the mesh has no normals or no faces"},
    [LOST_PICTURES_MISSING] = {TENON_DROPPED, "pictures",
                               "the files do not exist: the paths are stored in extras"},
    [LOST_PICTURES_OUTSIDE] =
        {TENON_DROPPED, "pictures",
         "the files are outside the model's folder: the paths are stored in extras"},
    [LOST_PICTURES_UNLOADED] = {TENON_APPROXIMATED, "pictures",
                                "the files could not be loaded: only the paths are written"},
    [LOST_PICTURES_UNAVAILABLE] = {TENON_DROPPED, "pictures",
                                   "the files could not be loaded, and glTF allows only PNG and "
                                   "JPEG: the paths are stored in extras"},
    [LOST_PICTURES_BROKEN] = {TENON_DROPPED, "pictures", "they are damaged or of an unknown type"},
    [LOST_PICTURES_UNCONVERTED] = {TENON_DROPPED, "pictures",
                                   "they need conversion to PNG, which is not available here"},
    [LOST_ANIMATIONS] = {TENON_DROPPED, "animations", "they do not move anything"},
    [LOST_CAMERAS] = {TENON_DROPPED, "cameras", "not used by a node"},
    [LOST_CAMERA_NUMBERS] = {TENON_DEFAULTED, "cameras", "a value was outside its range"},
    [LOST_LIGHTS] = {TENON_DROPPED, "lights", "not used by a node"},
    [LOST_LIGHT_NUMBERS] = {TENON_DEFAULTED, "lights", "a value was outside its range"},
    [LOST_EXTRAS] = {TENON_DROPPED, "extras",
                     "their object is not written, or another value has the same name"},
    [LOST_INSTANCES] = {TENON_DROPPED, "EXT_mesh_gpu_instancing",
                        "each instance is a node, since nodes were edited"},
    [LOST_LOOKS] = {TENON_DROPPED, "extensions of materials",
                    "they do not apply to materials that were edited"},
};

// -- Text

static bool gltf_export_or_measure(void *user, const void *bytes, size_t size)
{
    gltf_exporter *exporter = user;
    exporter->text_size += size;
    return exporter->is_measured_only || tn_export_write(exporter->export, bytes, size);
}

// Write the text, or measure it. Returns its size; 0 if that failed.
static uint64_t gltf_export_write_text(gltf_exporter *exporter, bool is_measured_only)
{
    exporter->text_size = 0;
    exporter->is_measured_only = is_measured_only;
    tn_json_writer_begin_compact(&exporter->json, gltf_export_or_measure, exporter);
    gltf_export_document(exporter);
    if (tn_json_writer_end(&exporter->json)) return exporter->text_size;
    exporter->failed = true;
    return 0;
}

// -- Containers

static bool gltf_export_words(gltf_exporter *exporter, const uint32_t *numbers, uint32_t count)
{
    uint8_t bytes[20];
    for (uint32_t i = 0; i < 4 * count; i++) bytes[i] = (uint8_t)(numbers[i / 4] >> (8 * (i % 4)));
    return tn_export_write(exporter->export, bytes, 4 * (size_t)count);
}

static bool gltf_export_glb(gltf_exporter *exporter)
{
    enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
    uint64_t text_size = gltf_export_write_text(exporter, true),
             padded = (text_size + 3) & ~(uint64_t)3;
    uint64_t total = 12 + 8 + padded + (exporter->buffer_size ? 8 + exporter->buffer_size : 0);
    if (exporter->failed) return false;
    if (total > UINT32_MAX)
        return tn_error(
            exporter->export->err, TENON_ERR_LIMIT,
            "a GLB file has at most 4 GiB, but this one would have %llu bytes; write .gltf",
            (unsigned long long)total);
    const uint32_t head[] = {MAGIC, 2, (uint32_t)total, (uint32_t)padded, JSON_CHUNK};
    if (!tn_export_begin(exporter->export, "") || !gltf_export_words(exporter, head, 5))
        return false;
    if (!gltf_export_write_text(exporter, false)) return false;
    if (!tn_export_write(exporter->export, "   ", (size_t)(padded - text_size))) return false;
    if (exporter->buffer_size) {
        const uint32_t chunk[] = {(uint32_t)exporter->buffer_size, BINARY_CHUNK};
        if (!gltf_export_words(exporter, chunk, 2) || !gltf_export_buffer_bytes(exporter))
            return false;
    }
    return tn_export_end(exporter->export);
}

static bool gltf_export_pair(gltf_exporter *exporter)
{
    if (exporter->buffer_size) {
        const char *stem = exporter->export->opts->name ? exporter->export->opts->name : "model";
        size_t room = strlen(stem) + sizeof ".bin";
        char *name = gltf_export_alloc(exporter, room, 1);
        if (!name) return false;
        (void)snprintf(name, room, "%s.bin", stem);
        exporter->buffer_uri =
            gltf_export_uri_of(exporter, (tenon_str){name, (uint32_t)strlen(name)}, true);
        if (!exporter->buffer_uri || !tn_export_begin(exporter->export, name)) return false;
        if (!gltf_export_buffer_bytes(exporter) || !tn_export_end(exporter->export)) return false;
    }
    if (!tn_export_begin(exporter->export, "") || !gltf_export_write_text(exporter, false))
        return false;
    return tn_export_write(exporter->export, "\n", 1) && tn_export_end(exporter->export);
}

bool gltf_export(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    gltf_exporter *exporter = tn_export_alloc(export, 1, sizeof *exporter);
    if (!exporter) return false;
    exporter->export = export;
    exporter->scene = scene;
    for (int i = 0; i < GLTF_STREAM_COUNT; i++) exporter->first_of[i] = TENON_NONE;
    if (!gltf_export_begin_keeping(exporter)) return false;
    scene = exporter->scene;
    export = exporter->export;
    exporter->plain_mesh_of = gltf_export_alloc_indices(exporter, scene->mesh_count);
    exporter->skinned_mesh_of = gltf_export_alloc_indices(exporter, scene->mesh_count);
    exporter->material_of = gltf_export_alloc_indices(exporter, scene->material_count);
    gltf_export_plan_quantization(exporter);
    gltf_export_plan_extras(exporter);
    gltf_export_plan_cameras(exporter);
    gltf_export_plan_nodes(exporter);
    gltf_export_report_unused_meshes(exporter);
    gltf_export_plan_animations(exporter);
    // From here on, files are written: pictures beside the output.
    if (!exporter->failed) gltf_export_plan_images(exporter);
    gltf_export_plan_materials(exporter);
    if (!exporter->failed) gltf_export_add_tangents(exporter);
    if (!exporter->failed) gltf_export_place_streams(exporter);
    gltf_export_plan_kept(exporter);
    if (!exporter->failed) gltf_export_plan_extensions(exporter);
    bool is_written = false;
    if (!exporter->failed) {
        for (int i = 0; i < LOST_COUNT; i++)
            tn_export_report_tally(export, &exporter->losses[i], loss_texts[i].kind,
                                   loss_texts[i].feature, loss_texts[i].why);
        if (exporter->places) gltf_export_report_quantization(exporter);
        bool is_text = export->dialect && (export->dialect->flags & TENON_GLTF_TEXT);
        is_written = is_text ? gltf_export_pair(exporter) : gltf_export_glb(exporter);
    }
    gltf_export_free_images(exporter);
    return is_written;
}
