// modeldata_recover.c: completes a ModelData file that could be read only in part.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"
#include "formats/modeldata/modeldata_order.h"

// -- Meshes

// The indices are the last array of a mesh: if there are any, the vertices are complete.
static bool modeldata_recover_is_empty(const tenon_modeldata_mesh *m)
{
    return m->arrays[TENON_MODELDATA_INDICES].count == 0 ||
           m->arrays[TENON_MODELDATA_VERTICES].count == 0;
}

// If reading did not reach the material, its values are zero, which would be black: use defaults.
static void modeldata_recover_material(tenon_modeldata_mesh *m)
{
    bool is_there = m->material.maps[TENON_MODELDATA_MAP_COUNT - 1].data &&
                    (m->material.tiling != 0 || m->material.default_tiling);
    if (!m->material_size || is_there) return;
    m->material = (tenon_modeldata_material){.default_diffuse_color = 1,
                                             .default_glow_color = 1,
                                             .default_displacement_factor = 1,
                                             .default_tiling = 1,
                                             .default_shininess = 1,
                                             .default_shine_damping = 1};
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++) m->material.maps[i] = (tenon_str){"", 0};
}

static void modeldata_recover_meshes(tenon_modeldata *doc, const tn_change *change)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh mesh = doc->meshes[i];
        if (modeldata_recover_is_empty(&mesh)) continue;
        modeldata_recover_material(&mesh);
        if (!mesh.size_factor) mesh.size_factor = 1;
        if (!mesh.collision_shape.data) mesh.collision_shape = (tenon_str){"", 0};
        doc->meshes[kept++] = mesh;
    }
    tn_change_report(change, TENON_DROPPED, "meshes", doc->mesh_count - kept,
                     "they have no triangles left");
    doc->mesh_count = kept;
}

// -- Joints and animations

// A joint whose parent was not read becomes a root.
static bool modeldata_recover_joints(tenon_modeldata *doc, const tn_change *change)
{
    uint32_t *memory = tn_arena_alloc(change->arena, doc->joint_count, MODELDATA_ORDER_SHARE, NULL);
    if (!memory) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    modeldata_order joints = modeldata_order_joints_by_index(doc, memory);
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (modeldata_order_find_index(&joints, doc->joints[i].parent_index) == TENON_NONE)
            doc->joints[i].parent_index = -1;
    return true;
}

static void modeldata_recover_animations(tenon_modeldata *doc, const tn_change *change)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const tenon_modeldata_animation *a = &doc->animations[i];
        bool has_keys = a->position_list_count || a->rotation_list_count || a->scale_list_count;
        if (has_keys && a->name.data) doc->animations[kept++] = *a;
    }
    tn_change_report(change, TENON_DROPPED, "animations", doc->animation_count - kept,
                     "they have no keys left");
    doc->animation_count = kept;
}

// -- Leftover bytes

// They are parts of meshes that could not be read. A model with many of them would not be
// recognized as ModelData.
static void modeldata_recover_leftovers(tenon_modeldata *doc, const tn_change *change)
{
    if (!change->is_cut) return;
    uint64_t size = doc->model_leftover.size;
    doc->model_leftover = (tenon_span){0};
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        size += doc->meshes[i].leftover.size;
        doc->meshes[i].leftover = (tenon_span){0};
    }
    tn_change_report(change, TENON_DROPPED, "bytes", size,
                     "they are parts of meshes that could not be read");
}

bool modeldata_recover(void *any, const tn_change *change)
{
    tenon_modeldata *doc = any;
    if (!modeldata_remove_outliers(doc, change)) return false;
    modeldata_recover_leftovers(doc, change);
    modeldata_recover_meshes(doc, change);
    if (!modeldata_recover_joints(doc, change)) return false;
    modeldata_recover_animations(doc, change);
    return true;
}
