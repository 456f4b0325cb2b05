// fbx_import_layers.c: the points, polygons and layers of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_mesh.h"

#include "core/text/text.h"

#include <string.h>

#define COUNT_MOST (UINT32_MAX / 4)

// -- Layers

// What the words of a file mean by the counts, if the word is not known.
static fbx_mapping fbx_import_layers_guess(const fbx_mesh *mesh, uint64_t count, bool *by_polygon)
{
    if (count == mesh->corner_count) return FBX_BY_CORNER;
    if (count == mesh->point_count) return FBX_BY_POINT;
    *by_polygon = count == mesh->polygon_count;
    if (*by_polygon) return FBX_BY_CORNER;
    return count == 1 ? FBX_BY_ALL : FBX_ABSENT;
}

static fbx_mapping fbx_import_layers_mapping(const fbx_mesh *mesh, tenon_str word, uint64_t count,
                                             bool *by_polygon)
{
    *by_polygon = tn_text_is(word, "ByPolygon");
    if (tn_text_is(word, "ByPolygonVertex") || *by_polygon) return FBX_BY_CORNER;
    if (tn_text_is(word, "ByVertice") || tn_text_is(word, "ByVertex") ||
        tn_text_is(word, "ByControlPoint"))
        return FBX_BY_POINT;
    if (tn_text_is(word, "AllSame")) return FBX_BY_ALL;
    if (tn_text_is(word, "ByEdge")) return FBX_ABSENT;
    return fbx_import_layers_guess(mesh, count, by_polygon);
}

// Numbers by polygon become an index by corner.
static bool fbx_import_layers_spread(fbx_mesh *mesh, fbx_layer *layer)
{
    int32_t *indices = fbx_import_alloc(mesh->importer, mesh->corner_count, sizeof *indices);
    if (!indices) return false;
    for (uint32_t p = 0; p < mesh->polygon_count; p++) {
        uint32_t at = p < layer->index_count || !layer->index_count ? p : layer->index_count - 1;
        int32_t index = layer->index_count ? layer->indices[at] : (int32_t)p;
        for (uint32_t c = mesh->starts[p]; c < mesh->starts[p + 1]; c++) indices[c] = index;
    }
    layer->indices = indices;
    layer->index_count = mesh->corner_count;
    return true;
}

// How many entries a mapping needs.
static uint32_t fbx_import_layers_needed(const fbx_mesh *mesh, fbx_mapping mapping, bool by_polygon)
{
    if (by_polygon) return mesh->polygon_count;
    if (mapping == FBX_BY_CORNER) return mesh->corner_count;
    return mapping == FBX_BY_POINT ? mesh->point_count : 1;
}

// Read a layer; one that does not fit is left out, and reported.
static bool fbx_import_layer(fbx_mesh *mesh, const tenon_fbx_node *element, const char *data,
                             const char *index, uint32_t width, fbx_layer *layer)
{
    fbx_importer *importer = mesh->importer;
    uint64_t count = 0, index_count = 0;
    bool by_polygon = false;
    const float *values = fbx_import_f32s(importer, fbx_child(element, data), &count);
    bool is_direct = fbx_text_is(fbx_child(element, "ReferenceInformationType"), 0, "Direct");
    const int32_t *indices = fbx_import_i32s(importer, fbx_child(element, index), &index_count);
    if (importer->builder->failed) return false;
    *layer = (fbx_layer){.values = values, .width = width, .indices = indices};
    bool is_usable = count >= width && count / width < COUNT_MOST && index_count < COUNT_MOST;
    layer->count = is_usable ? (uint32_t)(count / width) : 0;
    layer->index_count = is_usable ? (uint32_t)index_count : 0;
    tenon_str word = fbx_text(fbx_child(element, "MappingInformationType"), 0);
    uint32_t entry_count = layer->index_count ? layer->index_count : layer->count;
    layer->mapping = fbx_import_layers_mapping(mesh, word, entry_count, &by_polygon);
    // Some files call a layer direct and have an index all the same: it counts if it is needed.
    if (is_direct && layer->count >= fbx_import_layers_needed(mesh, layer->mapping, by_polygon))
        layer->index_count = 0, entry_count = layer->count;
    if (!layer->index_count) layer->indices = NULL;
    // Some old writers say polygons for corners.
    if (entry_count == mesh->corner_count && entry_count > mesh->polygon_count) by_polygon = false;
    if (!is_usable) layer->mapping = FBX_ABSENT;
    bool is_lost = layer->mapping == FBX_ABSENT && mesh->corner_count;
    fbx_import_count(importer, FBX_UNREAD_LAYERS, is_lost, mesh->object);
    if (layer->mapping == FBX_ABSENT || !by_polygon) return true;
    return fbx_import_layers_spread(mesh, layer);
}

// Whole numbers of polygons, one each.
static const int32_t *fbx_import_polygon_layer(fbx_mesh *mesh, const tenon_fbx_node *element,
                                               const char *data, uint32_t *count)
{
    uint64_t number_count = 0;
    const int32_t *numbers =
        fbx_import_i32s(mesh->importer, fbx_child(element, data), &number_count);
    bool by_polygon = false;
    if (mesh->importer->builder->failed || !number_count || number_count > COUNT_MOST) return NULL;
    tenon_str word = fbx_text(fbx_child(element, "MappingInformationType"), 0);
    *count = (uint32_t)number_count;
    fbx_mapping mapping = fbx_import_layers_mapping(mesh, word, number_count, &by_polygon);
    if (mapping == FBX_BY_ALL) *count = 1;
    return by_polygon || mapping == FBX_BY_ALL ? numbers : NULL;
}

// How many entries of a layer are above 0 or, with `zeros`, are 0.
static uint64_t fbx_import_layers_count(fbx_importer *importer, const tenon_fbx_node *element,
                                        const char *data, bool zeros)
{
    uint64_t count = 0, found = 0;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    const float *numbers = fbx_import_f32s(importer, fbx_child(element, data), &count);
    for (uint64_t i = 0; i < count; i++) found += zeros ? numbers[i] == 0 : numbers[i] > 0;
    tn_arena_rewind(&importer->scratch, mark);
    return found;
}

// What a scene does not have of a mesh.
static void fbx_import_layers_report(fbx_mesh *mesh, const tenon_fbx_node *element)
{
    fbx_importer *importer = mesh->importer;
    static const char *const creases[][2] = {{"LayerElementEdgeCrease", "EdgeCrease"},
                                             {"LayerElementVertexCrease", "VertexCrease"}};
    for (int i = 0; i < 2; i++)
        if (fbx_is_named(element, creases[i][0]))
            fbx_import_count(importer, FBX_UNREAD_CREASES,
                             fbx_import_layers_count(importer, element, creases[i][1], false),
                             mesh->object);
    if (fbx_is_named(element, "LayerElementVisibility"))
        fbx_import_count(importer, FBX_UNREAD_HIDDEN_EDGES,
                         fbx_import_layers_count(importer, element, "Visibility", true),
                         mesh->object);
}

// Before version 6 there are lists instead of layers.
static void fbx_import_old_layers(fbx_mesh *mesh)
{
    const tenon_fbx_node *node = mesh->node, *uvs = fbx_child(node, "GeometryUVInfo");
    uint64_t count = 0;
    if (!mesh->normals.mapping && fbx_child(node, "Normals"))
        (void)fbx_import_layer(mesh, node, "Normals", "NormalsIndex", 3, &mesh->normals);
    if (!mesh->materials && fbx_child(node, "Materials")) {
        const int32_t *materials =
            fbx_import_i32s(mesh->importer, fbx_child(node, "Materials"), &count);
        if (materials && count && count < COUNT_MOST) {
            mesh->materials = materials;
            bool is_same = fbx_text_is(fbx_child(node, "MaterialAssignation"), 0, "AllSame");
            mesh->material_count = is_same ? 1 : (uint32_t)count;
        }
    }
    if (uvs && !mesh->uvs[0].mapping && !mesh->importer->builder->failed)
        (void)fbx_import_layer(mesh, uvs, "TextureUV", "TextureUVVerticeIndex", 2, &mesh->uvs[0]);
}

// Sort sets by the numbers of their elements; `names` may be NULL.
static void fbx_import_layers_sort(fbx_layer *sets, tenon_str *names, int64_t *numbers,
                                   uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && numbers[k] < numbers[k - 1]; k--) {
            fbx_layer set = sets[k];
            int64_t number = numbers[k];
            sets[k] = sets[k - 1], sets[k - 1] = set;
            numbers[k] = numbers[k - 1], numbers[k - 1] = number;
            if (!names) continue;
            tenon_str name = names[k];
            names[k] = names[k - 1], names[k - 1] = name;
        }
}

// Before version 7 each property of a material may have coordinates: "LayerElementEmissiveUV".
static bool fbx_import_layers_is_uv(const tenon_fbx_node *element)
{
    static const tenon_str start = {"LayerElement", 12};
    tenon_str name = element->name;
    return name.size >= start.size + 2 && memcmp(name.data, start.data, start.size) == 0 &&
           memcmp(name.data + name.size - 2, "UV", 2) == 0;
}

bool fbx_import_read_layers(fbx_mesh *mesh)
{
    fbx_importer *importer = mesh->importer;
    const tenon_fbx_node *node = mesh->node;
    uint32_t uv_count = 0, color_count = 0;
    int64_t uv_numbers[TENON_UV_SETS] = {0}, color_numbers[TENON_COLOR_SETS] = {0};
    for (uint32_t i = 0; i < node->child_count && !importer->builder->failed; i++) {
        const tenon_fbx_node *element = &node->children[i];
        int64_t number = fbx_int(element, 0, i);
        if (fbx_is_named(element, "LayerElementNormal") && !mesh->normals.mapping)
            (void)fbx_import_layer(mesh, element, "Normals", "NormalsIndex", 3, &mesh->normals);
        if (fbx_is_named(element, "LayerElementTangent") && !mesh->tangents.mapping) {
            (void)fbx_import_layer(mesh, element, "Tangents", "TangentsIndex", 3, &mesh->tangents);
            if (fbx_child(element, "TangentsW") && !importer->builder->failed)
                (void)fbx_import_layer(mesh, element, "TangentsW", "TangentsIndex", 1,
                                       &mesh->signs);
        }
        if (fbx_is_named(element, "LayerElementBinormal") && !mesh->binormals.mapping)
            (void)fbx_import_layer(mesh, element, "Binormals", "BinormalsIndex", 3,
                                   &mesh->binormals);
        if (fbx_import_layers_is_uv(element)) {
            fbx_import_count(importer, FBX_UNREAD_UV_SETS, uv_count >= TENON_UV_SETS, mesh->object);
            if (uv_count < TENON_UV_SETS &&
                fbx_import_layer(mesh, element, "UV", "UVIndex", 2, &mesh->uvs[uv_count]) &&
                mesh->uvs[uv_count].mapping) {
                uv_numbers[uv_count] = number;
                mesh->uv_names[uv_count++] = fbx_text(fbx_child(element, "Name"), 0);
            }
        }
        if (fbx_is_named(element, "LayerElementColor")) {
            fbx_import_count(importer, FBX_UNREAD_COLOR_SETS, color_count >= TENON_COLOR_SETS,
                             mesh->object);
            if (color_count < TENON_COLOR_SETS &&
                fbx_import_layer(mesh, element, "Colors", "ColorIndex", 4,
                                 &mesh->colors[color_count]) &&
                mesh->colors[color_count].mapping)
                color_numbers[color_count++] = number;
        }
        if (fbx_is_named(element, "LayerElementMaterial") && !mesh->materials)
            mesh->materials =
                fbx_import_polygon_layer(mesh, element, "Materials", &mesh->material_count);
        if (fbx_is_named(element, "LayerElementHole") && !mesh->holes)
            mesh->holes = fbx_import_polygon_layer(mesh, element, "Hole", &mesh->hole_count);
        if (!importer->builder->failed) fbx_import_layers_report(mesh, element);
    }
    fbx_import_layers_sort(mesh->uvs, mesh->uv_names, uv_numbers, uv_count);
    fbx_import_layers_sort(mesh->colors, NULL, color_numbers, color_count);
    if (importer->is_old && !importer->builder->failed) fbx_import_old_layers(mesh);
    return !importer->builder->failed && fbx_import_smooth(mesh);
}

// -- Polygons

// Polygons end with a corner that is stored as its complement. Those with a corner that does not
// exist are left out.
static bool fbx_import_layers_polygons(fbx_mesh *mesh)
{
    fbx_importer *importer = mesh->importer;
    uint64_t count = 0;
    const int32_t *indices =
        fbx_import_i32s(importer, fbx_child(mesh->node, "PolygonVertexIndex"), &count);
    if (importer->builder->failed) return false;
    if (count > COUNT_MOST)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "a mesh is too large");
    uint32_t polygon_count = 0;
    for (uint64_t i = 0; i < count; i++) polygon_count += indices[i] < 0;
    polygon_count += count && indices[count - 1] >= 0;
    mesh->corners = fbx_import_alloc(importer, count, sizeof *mesh->corners);
    mesh->starts = fbx_import_alloc(importer, (uint64_t)polygon_count + 1, sizeof *mesh->starts);
    if (importer->builder->failed) return false;
    for (uint64_t i = 0; i < count; i++) {
        bool is_end = indices[i] < 0 || i + 1 == count;
        // What does not exist stays, so that layers keep their places; see below.
        mesh->corners[i] = (uint32_t)(indices[i] < 0 ? ~indices[i] : indices[i]);
        if (is_end) mesh->starts[++mesh->polygon_count] = (uint32_t)i + 1;
    }
    mesh->corner_count = (uint32_t)count;
    return tn_goes_on(&importer->builder->pulse, (uint32_t)(count / 16));
}

// Lines through several points, which end as polygons do, become polygons of two corners.
static bool fbx_import_layers_lines(fbx_mesh *mesh)
{
    fbx_importer *importer = mesh->importer;
    uint64_t count = 0;
    const int32_t *indices =
        fbx_import_i32s(importer, fbx_child(mesh->node, "PointsIndex"), &count);
    if (importer->builder->failed) return false;
    if (count > COUNT_MOST)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "a line is too long");
    mesh->corners = fbx_import_alloc(importer, 2 * count, sizeof *mesh->corners);
    mesh->starts = fbx_import_alloc(importer, count + 1, sizeof *mesh->starts);
    if (importer->builder->failed) return false;
    for (uint64_t i = 0; i + 1 < count; i++) {
        if (indices[i] < 0) continue;
        mesh->corners[mesh->corner_count++] = (uint32_t)indices[i];
        mesh->corners[mesh->corner_count++] =
            (uint32_t)(indices[i + 1] < 0 ? ~indices[i + 1] : indices[i + 1]);
        mesh->starts[++mesh->polygon_count] = mesh->corner_count;
    }
    return tn_goes_on(&importer->builder->pulse, (uint32_t)(count / 16));
}

bool fbx_import_read_mesh(fbx_importer *importer, const fbx_geometry *geometry, fbx_mesh *mesh)
{
    const tenon_fbx_node *node = importer->objects[geometry->object].node;
    bool is_line = tn_text_is(importer->objects[geometry->object].type, "Line");
    uint64_t count = 0;
    *mesh = (fbx_mesh){.importer = importer, .node = node, .object = geometry->object};
    mesh->points =
        fbx_import_f64s(importer, fbx_child(node, is_line ? "Points" : "Vertices"), &count);
    if (importer->builder->failed) return false;
    if (count / 3 > COUNT_MOST)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "a mesh is too large");
    mesh->point_count = (uint32_t)(count / 3);
    if (is_line) return fbx_import_layers_lines(mesh);
    return fbx_import_layers_polygons(mesh) && fbx_import_read_layers(mesh);
}
