// bbmod_outliers.c: removing implausible numbers from the meshes of a damaged BBMOD file.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "document/outliers.h"

#include <inttypes.h>
#include <stdio.h>

// State of filtering all meshes of a document.
typedef struct bbmod_outlier_filter {
    const tn_change *change;
    uint64_t bone_count;      // 0: bone indices of vertices are not checked.
    uint32_t material_count;  // 0: material indices are not checked.
    double limit;
    tn_magnitudes sizes;
    tn_mesh_outliers outliers;
    tn_filtered materials;
    char path[128];  // Of the list of meshes; shared, because nodes may be nested deeply.
} bbmod_outlier_filter;

typedef bool bbmod_mesh_fn(bbmod_outlier_filter *filter, tenon_bbmod_mesh *meshes, uint32_t i);

// -- Meshes

static bool bbmod_outliers_measure_mesh(bbmod_outlier_filter *filter, tenon_bbmod_mesh *meshes,
                                        uint32_t i)
{
    const tenon_element *position = bbmod_vertices_element(&meshes[i].vertices, "position");
    if (position) tn_add_positions(&filter->sizes, &meshes[i].vertices, position);
    return true;
}

// A material index that is too large is damaged; the original is unknown.
static void bbmod_outliers_filter_material(bbmod_outlier_filter *filter, tenon_bbmod_mesh *meshes,
                                           uint32_t i)
{
    if (!filter->material_count || meshes[i].material_index < filter->material_count) return;
    meshes[i].material_index = 0;
    tn_count_filtered(&filter->materials, filter->path, i);
}

static bool bbmod_outliers_filter_mesh(bbmod_outlier_filter *filter, tenon_bbmod_mesh *meshes,
                                       uint32_t i)
{
    tenon_span *vertices = &meshes[i].vertices;
    const tenon_element *position = bbmod_vertices_element(vertices, "position");
    tn_path_text at = tn_path("%s[%" PRIu32 "].vertices", filter->path, i);
    tn_outliers outliers = {0};
    bbmod_outliers_filter_material(filter, meshes, i);
    if (position && !tn_find_outliers(filter->change, vertices, position, filter->limit, &outliers))
        return false;
    if (meshes[i].primitive_type == TENON_BBMOD_TRIANGLES &&
        !tn_drop_corners(filter->change, vertices, &outliers, at.text, &filter->outliers.triangles))
        return false;
    return tn_hide_outliers(filter->change, vertices, position, &outliers) &&
           tn_clear_numbers(filter->change, vertices, at.text, &filter->outliers.numbers) &&
           (!filter->bone_count ||
            tn_filter_influences(filter->change, vertices,
                                 bbmod_vertices_element(vertices, "bone_indices"),
                                 bbmod_vertices_element(vertices, "bone_weights"),
                                 filter->bone_count, at.text, &filter->outliers.weights));
}

// -- All meshes

// The first `size` bytes of the path are the path of the node.
static bool bbmod_outliers_visit_nested(bbmod_outlier_filter *filter, tenon_bbmod_v1_node *node,
                                        size_t size, bbmod_mesh_fn *fn)
{
    snprintf(filter->path + size, sizeof filter->path - size, ".meshes");
    for (uint32_t i = 0; i < node->mesh_count; i++)
        if (!fn(filter, node->meshes, i)) return false;
    for (uint32_t i = 0; i < node->child_count; i++) {
        int more =
            snprintf(filter->path + size, sizeof filter->path - size, ".children[%" PRIu32 "]", i);
        bool fits = more > 0 && (size_t)more < sizeof filter->path - size;
        if (!bbmod_outliers_visit_nested(filter, &node->children[i],
                                         fits ? size + (size_t)more : size, fn))
            return false;
    }
    return true;
}

static bool bbmod_outliers_visit_meshes(bbmod_outlier_filter *filter, tenon_bbmod *doc,
                                        bbmod_mesh_fn *fn)
{
    bool is_nested = doc->base.dialect->flags & TENON_BBMOD_NESTED;
    int size = snprintf(filter->path, sizeof filter->path, is_nested ? "root" : "meshes");
    if (is_nested) return bbmod_outliers_visit_nested(filter, &doc->v1_root, (size_t)size, fn);
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!fn(filter, doc->meshes, i)) return false;
    return true;
}

// If the file is cut, bones and materials may be missing, so indices are not checked.
bool bbmod_remove_outliers(tenon_bbmod *doc, const tn_change *change)
{
    bbmod_outlier_filter filter = {.change = change};
    bool is_nested = doc->base.dialect->flags & TENON_BBMOD_NESTED;
    if (!change->is_cut) {
        filter.bone_count = is_nested ? doc->v1_bone_count : doc->bones.count;
        filter.material_count = doc->material_count;
    }
    bool ok = bbmod_outliers_visit_meshes(&filter, doc, bbmod_outliers_measure_mesh);
    filter.limit = tn_usual_limit(&filter.sizes);
    ok = ok && bbmod_outliers_visit_meshes(&filter, doc, bbmod_outliers_filter_mesh);
    tn_report_mesh_outliers(change, &filter.outliers);
    tn_report_filtered(change, &filter.materials, TENON_DEFAULTED, "materials of meshes",
                       "the material does not exist; the first one is used");
    return ok;
}
