// gltf_import_draco.c: meshes compressed by Draco (KHR_draco_mesh_compression), which a function of
// the caller decodes: all of them at once, since it may have to start a program.
// SPDX-License-Identifier: MIT
//
// Accessors without a buffer view get what is decoded. If they have one, the file has the numbers
// uncompressed, too, and these are used.

#include "core/text/text.h"
#include "formats/gltf/import/gltf_import.h"

enum { ATTRIBUTES_MOST = 64 };

// An accessor whose numbers are to be decoded.
static void gltf_import_draco_part(gltf_importer *importer, const tn_json_value *index, uint32_t id,
                                   tenon_draco_mesh *mesh)
{
    uint32_t accessor = gltf_import_index_at(importer, index, LIST_ACCESSORS);
    if (accessor == TENON_NONE || importer->draco[accessor].data) return;
    const tn_json_value *node = gltf_import_item(importer, LIST_ACCESSORS, accessor);
    if (tn_json_tree_get(node, "bufferView")) return;
    gltf_elements e;
    if (!gltf_import_open_accessor(importer, accessor, GLTF_ANY_SHAPE, &e)) return;
    if (e.width != e.rows || e.sparse_count) {
        gltf_import_fail(importer, TENON_ERR_VALUE, node,
                         "a compressed accessor must not be a matrix or sparse");
        return;
    }
    uint32_t size = e.width * e.component_size;
    uint8_t *out = gltf_import_scratch(importer, e.count, size);
    if (!out) return;
    importer->draco[accessor] = (gltf_range){out, e.count * size, size};
    mesh->parts[mesh->part_count++] = (tenon_draco_part){.id = id,
                                                         .component_type = e.component_type,
                                                         .width = e.width,
                                                         .count = (uint32_t)e.count,
                                                         .out = out,
                                                         .size = e.count * size};
}

// Find what a primitive needs decoded. Returns false if that is nothing.
static bool gltf_import_draco_primitive(gltf_importer *importer, const tn_json_value *primitive,
                                        tenon_draco_mesh *mesh)
{
    const tn_json_value *draco =
        gltf_import_extension(importer, primitive, "KHR_draco_mesh_compression");
    const tn_json_value *ids = gltf_import_object(importer, draco, "attributes");
    const tn_json_value *attributes = gltf_import_object(importer, primitive, "attributes");
    uint32_t view = gltf_import_index(importer, draco, "bufferView", LIST_BUFFER_VIEWS);
    gltf_range bytes;
    *mesh = (tenon_draco_mesh){0};
    if (importer->builder->failed || !draco) return false;
    if (view == TENON_NONE || !ids || ids->size > ATTRIBUTES_MOST)
        return gltf_import_fail(importer, TENON_ERR_VALUE, draco,
                                "Draco needs 'bufferView' and 'attributes', of which at most %d",
                                ATTRIBUTES_MOST);
    mesh->parts = gltf_import_scratch(importer, (uint64_t)ids->size + 1, sizeof *mesh->parts);
    if (!mesh->parts || !gltf_import_view_bytes(importer, view, &bytes)) return false;
    mesh->data = bytes.data;
    mesh->size = bytes.size;
    const tn_json_value *indices = tn_json_tree_get(primitive, "indices");
    if (indices) gltf_import_draco_part(importer, indices, TENON_NONE, mesh);
    for (uint32_t i = 0; i < ids->size && !importer->builder->failed; i++) {
        const tn_json_value *id = tn_json_tree_at(ids, i);
        uint32_t number = tn_json_tree_u32(id, TENON_NONE), k = 0;
        // The attribute of the primitive with the same key.
        while (k < tn_json_tree_count(attributes)) {
            const tn_json_value *member = tn_json_tree_at(attributes, k);
            if (tn_text_equal((tenon_str){member->key, member->key_size},
                              (tenon_str){id->key, id->key_size}))
                break;
            k++;
        }
        if (number == TENON_NONE || k == tn_json_tree_count(attributes))
            return gltf_import_fail(importer, TENON_ERR_VALUE, id,
                                    "it names no attribute of the primitive");
        gltf_import_draco_part(importer, tn_json_tree_at(attributes, k), number, mesh);
    }
    return mesh->part_count > 0 && mesh->data;
}

void gltf_import_draco(gltf_importer *importer)
{
    static const char name[] = "KHR_draco_mesh_compression";
    const tn_scene_builder *builder = importer->builder;
    uint64_t most = 0;
    uint32_t count = 0;
    if (!builder->opts->decode_draco ||
        !gltf_import_lists_extension(importer, "extensionsUsed",
                                     (tenon_str){name, sizeof name - 1}))
        return;
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_MESHES); i++)
        most += tn_json_tree_count(
            tn_json_tree_get(gltf_import_item(importer, LIST_MESHES, i), "primitives"));
    tenon_draco_mesh *meshes = gltf_import_scratch(importer, most, sizeof *meshes);
    importer->draco = gltf_import_scratch_for(importer, LIST_ACCESSORS, sizeof *importer->draco);
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_MESHES) && !builder->failed; i++) {
        const tn_json_value *primitives =
            gltf_import_array(importer, gltf_import_item(importer, LIST_MESHES, i), "primitives");
        for (uint32_t k = 0; k < tn_json_tree_count(primitives) && !builder->failed; k++) {
            const tn_json_value *primitive = tn_json_tree_at(primitives, k);
            count += gltf_import_draco_primitive(importer, primitive, &meshes[count]);
            (void)gltf_recover_skip_damaged(importer, "parts of meshes", primitive);
        }
    }
    if (builder->failed || !count) return;
    if (!builder->opts->decode_draco(builder->opts->draco_user, meshes, count, builder->err))
        importer->builder->failed = true;
}
