// fbx_import_mesh.h: a mesh of the file, decoded.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MESH_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MESH_H

#include "formats/fbx/import/fbx_import.h"
#include "scene/surface/polygon.h"

// What the entries of a layer belong to.
typedef enum fbx_mapping { FBX_ABSENT, FBX_BY_CORNER, FBX_BY_POINT, FBX_BY_ALL } fbx_mapping;

// Numbers for corners or points, with an index or without.
typedef struct fbx_layer {
    fbx_mapping mapping;
    const float *values;
    uint32_t width;          // Numbers of an entry.
    uint32_t count;          // Entries.
    const int32_t *indices;  // NULL: entries are in the order of corners or points.
    uint32_t index_count;
} fbx_layer;

typedef struct fbx_mesh {
    fbx_importer *importer;
    const tenon_fbx_node *node;
    uint32_t object;
    uint32_t point_count;
    double *points;    // 3 each, as in the file.
    float *positions;  // 3 each, in meters, after the geometric transform.
    uint32_t corner_count, polygon_count;
    uint32_t *corners;  // Points.
    uint32_t *starts;   // Of each polygon in `corners`, and the end of the last one.
    fbx_layer normals, tangents, signs, binormals;
    fbx_layer uvs[TENON_UV_SETS], colors[TENON_COLOR_SETS];
    const int32_t *materials;  // Slots of polygons; NULL: all have slot 0.
    tenon_str uv_names[TENON_UV_SETS];
    const int32_t *holes;                 // Not 0: polygons that are not drawn; NULL: none.
    uint32_t material_count, hole_count;  // Of those lists.
    bool is_reversed;                     // Polygons are inside out as they are stored.
    tn_mat4 geometric;
} fbx_mesh;

// Decode a geometry. False if the import failed.
bool fbx_import_read_mesh(fbx_importer *importer, const fbx_geometry *geometry, fbx_mesh *mesh);
bool fbx_import_read_layers(fbx_mesh *mesh);

// Compute the normals of a mesh without any from its smoothing, if it has that. False if the import
// failed.
bool fbx_import_smooth(fbx_mesh *mesh);

// The entry of a layer for a corner of a point; TENON_NONE: it has none.
static inline uint32_t fbx_layer_entry(const fbx_layer *layer, uint32_t corner, uint32_t point)
{
    uint32_t i = layer->mapping == FBX_BY_CORNER ? corner : 0;
    if (layer->mapping == FBX_BY_POINT) i = point;
    if (layer->indices) {
        if (i >= layer->index_count) i = layer->index_count - 1;
        int32_t index = layer->indices[i];
        if (index < 0) return TENON_NONE;
        i = (uint32_t)index;
    }
    return i < layer->count ? i : layer->count - 1;
}

// -- Skins (fbx_import_skins.c)

// The influences of a geometry's points.
typedef struct fbx_influences {
    uint32_t skin;     // Of the scene; TENON_NONE: none.
    uint32_t most;     // Of one point, a multiple of 4.
    uint32_t *starts;  // Of each point, in the lists, and the end of the last one.
    uint16_t *joints;
    float *weights;
    tn_mat4 bind;  // Of the mesh, in the world.
    bool has_bind;
    // If several models show the geometry: the joints and what is above them, parents first.
    struct fbx_bone *bones;
    uint32_t bone_count;
    uint32_t *joint_bones;  // Of each joint of the skin.
} fbx_influences;

// Add the skin of a geometry. False if the import failed.
bool fbx_import_skin(fbx_importer *importer, const fbx_geometry *geometry, uint32_t point_count,
                     uint32_t model, fbx_influences *influences);

// The skin for one of several models that show the geometry. If the model has moved since the mesh
// was bound, or moves in a clip, its joints are copies, below the model.
uint32_t fbx_import_skin_instance(fbx_importer *importer, fbx_influences *influences,
                                  uint32_t model);

// -- Blend shapes (fbx_import_shapes.c)

// Find the blend shapes of a geometry. False if the import failed.
bool fbx_import_find_shapes(fbx_importer *importer, fbx_geometry *geometry);

// The offsets of all points of a mesh, in meters; `normals` may become NULL. False if the import
// failed.
bool fbx_import_shape_offsets(const fbx_mesh *mesh, const fbx_shape *shape, float **offsets,
                              float **normals);

// The weights of the shapes of a channel at a percentage; `out` has one for each of them.
void fbx_import_shape_weights(const fbx_geometry *geometry, uint32_t channel, double percent,
                              double *out);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MESH_H
