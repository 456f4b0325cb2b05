// fbx_models.c: the nodes of FBX files, which the format calls models: how they turn and inherit.
// SPDX-License-Identifier: MIT

#include "fbx_models.h"

#include "../scene/import.h"

#include <stdlib.h>
#include <string.h>

#define ORDER_MOST 5  // The last order of the three axes; there is one more, that is none.

// -- Properties

// What models have that do not say it themselves.
static const fbx_node *model_template(const fbx_tree *tree)
{
    const fbx_node *all = fbx_child(&tree->root, "Definitions");
    for (const fbx_node *n = all ? all->child : NULL; n; n = n->next)
        if (fbx_is_named(n, "ObjectType") && fbx_text_is(n, 0, "Model"))
            return fbx_child(n, "PropertyTemplate");
    return NULL;
}

static int64_t setting(const fbx_node *model, const fbx_node *defaults, const char *name)
{
    int64_t value;
    if (fbx_integer(fbx_property(model, name), 4, &value)) return value;
    return fbx_integer(fbx_property(defaults, name), 4, &value) ? value : 0;
}

// -- Rotations

// The rotations before and behind a node's own, and the order of its axes, count only where the
// file says so; Assimp takes them always.
static void drop_unused_rotations(fbx_node *model, const fbx_node *defaults, fbx_facts *facts)
{
    bool counts = setting(model, defaults, "RotationActive") &&
                  !setting(model, defaults, "RotationSpaceForLimitOnly");
    bool is_spheric = setting(model, defaults, "RotationOrder") > ORDER_MOST;
    if (!counts || is_spheric) fbx_drop_property(model, "RotationOrder");
    if (counts) {
        facts->spheric_count += is_spheric;
        return;
    }
    fbx_drop_property(model, "PreRotation");
    fbx_drop_property(model, "PostRotation");
}

// -- What Assimp does not tell

static fbx_model facts_of(const fbx_node *model, const fbx_node *defaults)
{
    const fbx_node *turn = fbx_property(model, "GeometricRotation");
    int64_t inherit = setting(model, defaults, "InheritType");
    fbx_model f = {.inherit = FBX_SCALES_FIRST};
    if (inherit == FBX_SCALES_LAST || inherit == FBX_SCALES_NOT_PARENTS)
        f.inherit = (fbx_inherit)inherit;
    for (uint32_t i = 0; i < 3; i++)
        if (fbx_number(turn, 4 + i, &f.geometric_turn[i]))
            f.geometric_turn[i] = finite_or(f.geometric_turn[i], 0);
    return f;
}

static int compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t shared = a_size < b_size ? a_size : b_size;
    int order = shared ? memcmp(a, b, shared) : 0;
    return order ? order : a_size < b_size ? -1 : a_size > b_size;
}

static int by_name(const void *a, const void *b)
{
    const fbx_model *x = a, *y = b;
    return compare(x->name, x->name_size, y->name, y->name_size);
}

const fbx_model *fbx_model_named(const fbx_facts *facts, const char *name)
{
    const fbx_model key = {.name = name, .name_size = strlen(name)};
    if (!facts->model_count) return NULL;
    return bsearch(&key, facts->models, facts->model_count, sizeof key, by_name);
}

// -- All of them

static bool has_faces(const fbx_graph *graph, const fbx_node *geometry)
{
    const fbx_node *faces = fbx_child(geometry, "PolygonVertexIndex");
    double *corners;
    size_t count;
    if (!fbx_text_is(geometry, 2, "Mesh") || !faces) return false;
    if (!fbx_numbers(graph->tree, faces, &corners, &count)) return false;
    free(corners);
    return count > 0;
}

// Which objects are models that a mesh with a face belongs to. A mesh may belong to many models,
// whose links follow each other.
static bool *find_meshes(const fbx_graph *graph)
{
    bool *has_mesh = import_alloc(graph->object_count, sizeof *has_mesh);
    bool is_mesh = false;
    for (size_t i = 0; i < graph->link_count; i++) {
        const fbx_link *l = &graph->links[i];
        if (!fbx_is_class(graph, l->child, "Geometry")) continue;
        if (i == 0 || graph->links[i - 1].child != l->child)
            is_mesh = has_faces(graph, fbx_find_object(graph, l->child));
        if (is_mesh && fbx_is_class(graph, l->parent, "Model"))
            has_mesh[fbx_object_index(graph, l->parent)] = true;
    }
    return has_mesh;
}

void fbx_rewrite_models(const fbx_graph *graph, fbx_facts *facts)
{
    const fbx_node *objects = graph->objects;
    const fbx_node *defaults = model_template(graph->tree);
    uint32_t count = 0;
    for (const fbx_node *n = objects->child; n; n = n->next) count += fbx_is_named(n, "Model");
    facts->models = import_alloc(count, sizeof *facts->models);
    bool *has_mesh = find_meshes(graph);
    for (fbx_node *n = objects->child; n; n = n->next) {
        if (!fbx_is_named(n, "Model")) continue;
        drop_unused_rotations(n, defaults, facts);
        fbx_model f = facts_of(n, defaults);
        int64_t id;
        // Of two objects with one number, the links are those of one of them.
        if (fbx_integer(n, 0, &id) && fbx_find_object(graph, id) == n)
            f.has_mesh = has_mesh[fbx_object_index(graph, id)];
        if (fbx_object_name(n, &f.name, &f.name_size)) facts->models[facts->model_count++] = f;
    }
    free(has_mesh);
    qsort(facts->models, facts->model_count, sizeof *facts->models, by_name);
}
