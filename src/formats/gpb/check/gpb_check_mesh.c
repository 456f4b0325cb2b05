// gpb_check_mesh.c: checks meshes and their parts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"

#include <inttypes.h>
#include <math.h>

#define GPB_POSITION     1
#define GPB_USAGE_MOST   15
#define GPB_BOUNDS_SLACK 1e-3  // Relative to the size of the box.

// -- Vertices

static void gpb_check_mesh_elements(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    uint32_t seen = 0;
    bool has_position = false;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        const tenon_gpb_element *e = &mesh->elements[i];
        tn_path_text path = tn_path("blocks[%" PRIu32 "].mesh.elements[%" PRIu32 "]", block, i);
        bool is_known = e->usage >= 1 && e->usage <= GPB_USAGE_MOST;
        has_position = has_position || (e->usage == GPB_POSITION && e->size == 3);
        if (!is_known)
            tn_found(checker->check, GPB_ELEMENT, path, "usage %" PRIu32 " does not exist",
                     e->usage);
        else if (seen & 1u << e->usage)
            tn_found(checker->check, GPB_ELEMENT, path, "usage %" PRIu32 " occurs twice", e->usage);
        else if (e->size < 1 || e->size > 4)
            tn_found(checker->check, GPB_ELEMENT, path,
                     "the element has %" PRIu32 " floats, expected 1 to 4", e->size);
        if (is_known) seen |= 1u << e->usage;
    }
    if (!has_position)
        tn_found(checker->check, GPB_NO_POSITION,
                 tn_path("blocks[%" PRIu32 "].mesh.elements", block),
                 "none of the %" PRIu32 " elements is a position of 3 floats", mesh->element_count);
}

// The bounds of all positions, and their largest distance from the center of the stored sphere.
typedef struct gpb_extent {
    tn_bounds box;
    double far_square;
} gpb_extent;

static void gpb_check_mesh_measure(const tenon_gpb_mesh *mesh, uint64_t offset, gpb_extent *extent)
{
    const uint8_t *p = mesh->vertices.data + offset;
    *extent = (gpb_extent){tn_bounds_empty(), 0};
    for (uint64_t v = 0; v < mesh->vertices.count; v++, p += mesh->vertices.layout->stride) {
        double square = 0, position[3];
        for (uint32_t k = 0; k < 3; k++) {
            position[k] = tn_load_f32(p + 4 * k, false);
            double d = position[k] - mesh->bounds.center[k];
            square += d * d;
        }
        tn_bounds_add(&extent->box, position);
        if (square > extent->far_square) extent->far_square = square;
    }
}

static bool gpb_check_mesh_box_differs(const tenon_gpb_bounds *bounds, const gpb_extent *extent,
                                       double slack)
{
    for (uint32_t k = 0; k < 3; k++)
        if (!(fabs(bounds->min[k] - extent->box.min[k]) <= slack) ||
            !(fabs(bounds->max[k] - extent->box.max[k]) <= slack))
            return true;
    return false;
}

// The bounds of skinned meshes include all poses, so only those of other meshes can be checked.
static void gpb_check_mesh_bounds(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    const tenon_gpb_bounds *bounds = &mesh->bounds;
    uint64_t offset = 0;
    uint32_t i = 0;
    for (; i < mesh->element_count && mesh->elements[i].usage != GPB_POSITION; i++)
        offset += 4 * (uint64_t)mesh->elements[i].size;
    bool has_position = i < mesh->element_count && mesh->elements[i].size == 3;
    if (!has_position || mesh->vertices.count == 0 || checker->uses[block] & GPB_USED_BY_SKIN)
        return;
    gpb_extent extent;
    gpb_check_mesh_measure(mesh, offset, &extent);
    double size = 0;
    for (uint32_t k = 0; k < 3; k++) size += extent.box.max[k] - extent.box.min[k];
    if (!(size < INFINITY)) return;  // The rule for finite numbers reports this.
    double slack = GPB_BOUNDS_SLACK * size + 1e-6;
    if (gpb_check_mesh_box_differs(bounds, &extent, slack))
        tn_found(checker->check, GPB_BOUNDS, tn_path("blocks[%" PRIu32 "].mesh.bounds", block),
                 "the box is not the bounding box of the %" PRIu64 " vertices",
                 mesh->vertices.count);
    else if (!(sqrt(extent.far_square) <= bounds->radius + slack))
        tn_found(
            checker->check, GPB_BOUNDS, tn_path("blocks[%" PRIu32 "].mesh.bounds.radius", block),
            "a vertex is %s from the center, outside the radius of %s",
            gpb_check_number(sqrt(extent.far_square)).text, gpb_check_number(bounds->radius).text);
}

// -- Parts

static void gpb_check_mesh_indices(const gpb_checker *checker, uint32_t block, uint32_t index)
{
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    const tenon_gpb_part *part = &mesh->parts[index];
    tn_path_text path = tn_path("blocks[%" PRIu32 "].mesh.parts[%" PRIu32 "]", block, index);
    if (part->index_format != 0x1401 && part->index_format != 0x1403 &&
        part->index_format != 0x1405) {
        tn_found(checker->check, GPB_INDEX_FORMAT, tn_path("%s.index_format", path.text),
                 "0x%04" PRIx32 " is neither 0x1401, 0x1403 nor 0x1405", part->index_format);
        return;
    }
    if (part->leftover.size)
        tn_found(checker->check, GPB_INDEX_SIZE, tn_path("%s.index_size", path.text),
                 "%" PRIu32 " bytes are not a multiple of %" PRIu64, part->index_size,
                 part->indices.layout->stride);
    tn_check_indices(checker->check, tn_path("%s.indices", path.text).text, &part->indices,
                     mesh->vertices.count);
}

static void gpb_check_mesh_part(const gpb_checker *checker, uint32_t block, uint32_t index)
{
    const tenon_gpb_part *part = &checker->doc->blocks[block].body.mesh.parts[index];
    tn_path_text path =
        tn_path("blocks[%" PRIu32 "].mesh.parts[%" PRIu32 "].primitive_type", block, index);
    uint32_t type = part->primitive_type;
    if (type > 5 || type == 2)
        tn_found(checker->check, GPB_PRIMITIVE_TYPE, path,
                 "primitive type %" PRIu32 " does not exist", type);
    uint32_t corners = type == 4 ? 3 : type == 1 ? 2 : 1;
    if (part->indices.count % corners)
        tn_found(checker->check, GPB_PRIMITIVE_COUNT, path,
                 "%" PRIu64 " indices are not a multiple of %" PRIu32, part->indices.count,
                 corners);
    gpb_check_mesh_indices(checker, block, index);
}

void gpb_check_mesh(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    gpb_check_mesh_elements(checker, block);
    if (mesh->leftover.size)
        tn_found(checker->check, GPB_VERTEX_SIZE,
                 tn_path("blocks[%" PRIu32 "].mesh.vertex_size", block),
                 "%" PRIu32 " bytes are not a multiple of the vertex size, %" PRIu64 " bytes",
                 mesh->vertex_size, mesh->vertices.layout->stride);
    if (!checker->uses[block])
        tn_found(
            checker->check, GPB_MESH_UNUSED, tn_path("blocks[%" PRIu32 "].mesh", block),
            "no node uses '%s'",
            gpb_check_show(gpb_index_id_of(checker->doc, checker->doc->blocks[block].reference))
                .text);
    gpb_check_mesh_bounds(checker, block);
    for (uint32_t i = 0; i < mesh->part_count; i++) gpb_check_mesh_part(checker, block, i);
}
