// import_nodes.c: nodes: joins Assimp's helper nodes, and converts how FBX nodes inherit scales.
// SPDX-License-Identifier: MIT
//
// Assimp makes several nodes of one FBX node that has pivots or pre- and post-rotations:
// "hip_$AssimpFbx$_Translation", "hip_$AssimpFbx$_PreRotation", and so on, down to "hip". Nodes
// whose part begins with "Geometric" move only the mesh: their inverses follow after "hip".

#include "import.h"

#include <stdlib.h>
#include <string.h>

// -- Helper nodes

const char *import_helper_part(const struct aiNode *node)
{
    const char *mark = strstr(node->mName.data, IMPORT_HELPER_MARK);
    return mark ? mark + strlen(IMPORT_HELPER_MARK) : NULL;
}

static bool import_nodes_is_geometric(const struct aiNode *node)
{
    const char *part = import_helper_part(node);
    return part && strncmp(part, "Geometric", strlen("Geometric")) == 0;
}

// The node that begins with the helper `top`.
static import_node import_nodes_join_helpers(const assimp_importer *importer,
                                             const struct aiNode *top, uint32_t parent)
{
    const struct aiNode *real = top;
    while (import_helper_part(real) && real->mNumChildren == 1) real = real->mChildren[0];
    const fbx_model *model = fbx_model_named(&importer->fbx, real->mName.data);
    import_node joined = {.top = top, .real = real, .end = real, .parent = parent};
    joined.inherit = model ? model->inherit : FBX_SCALES_FIRST;
    joined.geometric = mat4_identity;
    for (const struct aiNode *node = top; node != real; node = node->mChildren[0]) {
        if (!import_nodes_is_geometric(node)) continue;
        mat4 matrix = mat4_of(&node->mTransformation);
        // Assimp uses the node's order of axes; the format says X, Y, Z.
        if (model && strcmp(import_helper_part(node), "GeometricRotation") == 0) {
            trs parts = {{0, 0, 0}, quat_of_degrees(model->geometric_rotation), {1, 1, 1}};
            matrix = mat4_of_trs(&parts);
        }
        joined.geometric = mat4_mul(&joined.geometric, &matrix);
    }
    while (joined.end->mNumChildren == 1 && import_nodes_is_geometric(joined.end->mChildren[0]))
        joined.end = joined.end->mChildren[0];
    return joined;
}

mat4 import_rest_transform(const assimp_importer *importer, uint32_t index)
{
    const import_node *joined = &importer->nodes[index];
    mat4 product = mat4_identity;
    for (const struct aiNode *node = joined->top;; node = node->mChildren[0]) {
        mat4 matrix = mat4_of(&node->mTransformation);
        if (!import_nodes_is_geometric(node)) product = mat4_mul(&product, &matrix);
        if (node == joined->real) return product;
    }
}

// -- Inherited scales
//
// Usually, a node's world transform is that of its parent times its local one. FBX has two more
// ways, which apply all rotations before all scales; one of them, for skeletons of Maya, leaves the
// parent's scale out.

// A node's world transform, with rotation and scale apart.
typedef struct world_transform {
    mat4 world;
    quat turn;
    mat4 stretch;  // `turn` times this is the upper 3x3 of `world`.
    vec3 scale;    // Of the local transform.
} world_transform;

bool import_inherits(const assimp_importer *importer, uint32_t node)
{
    const import_node *joined = &importer->nodes[node];
    return joined->inherit != FBX_SCALES_FIRST && joined->parent != TENON_NONE;
}

static mat4 import_nodes_rotation_matrix(quat rotation)
{
    trs parts = {{0, 0, 0}, rotation, {1, 1, 1}};
    return mat4_of_trs(&parts);
}

static mat4 import_nodes_scale_matrix(vec3 scale)
{
    trs parts = {{0, 0, 0}, quat_identity, scale};
    return mat4_of_trs(&parts);
}

static world_transform import_nodes_inherit_transform(const world_transform *parent,
                                                      const mat4 *local, fbx_inherit inherit)
{
    trs parts, all;
    world_transform node = {.world = mat4_mul(&parent->world, local)};
    vec3 above = parent->scale;
    bool is_separate = mat4_decompose(local, &parts) && inherit != FBX_SCALES_FIRST;
    if (is_separate && above.x * above.y * above.z != 0) {
        mat4 inverse = import_nodes_scale_matrix((vec3){1 / above.x, 1 / above.y, 1 / above.z});
        mat4 stretch =
            inherit == FBX_SCALES_LAST ? parent->stretch : mat4_mul(&parent->stretch, &inverse);
        mat4 turn = import_nodes_rotation_matrix(quat_mul(parent->turn, parts.rotation));
        mat4 scale = import_nodes_scale_matrix(parts.scale);
        node.world = mat4_mul(&turn, &stretch);
        node.world = mat4_mul(&node.world, &scale);
        vec3 place = mat4_point(&parent->world, parts.translation);
        node.world.m[12] = place.x, node.world.m[13] = place.y, node.world.m[14] = place.z;
    }
    (void)mat4_decompose(&node.world, &all);
    node.turn = is_separate ? quat_mul(parent->turn, parts.rotation) : all.rotation;
    node.scale = parts.scale;
    mat4 back = import_nodes_rotation_matrix(quat_inverse(node.turn));
    node.stretch = mat4_mul(&back, &node.world);
    node.stretch.m[12] = node.stretch.m[13] = node.stretch.m[14] = 0;
    return node;
}

mat4 import_inherited(const assimp_importer *importer, uint32_t node, import_local_fn *local,
                      const void *user)
{
    const world_transform identity = {mat4_identity, quat_identity, mat4_identity, {1, 1, 1}};
    const import_node *nodes = importer->nodes;
    uint32_t depth = 0;
    for (uint32_t i = node; i != TENON_NONE; i = nodes[i].parent) depth++;
    uint32_t *path = import_alloc(depth, sizeof *path);
    for (uint32_t i = node, at = depth; i != TENON_NONE; i = nodes[i].parent) path[--at] = i;
    world_transform current = identity, parent = identity;
    for (uint32_t i = 0; i < depth; i++) {
        mat4 matrix = local(user, path[i]);
        parent = current;
        current = import_nodes_inherit_transform(&parent, &matrix, nodes[path[i]].inherit);
    }
    free(path);
    mat4 back;
    if (!mat4_invert(&parent.world, &back)) return local(user, node);
    return mat4_mul(&back, &current.world);
}

// -- Finding nodes

typedef struct pending_node {
    const struct aiNode *node;
    uint32_t parent;
} pending_node;

typedef struct node_stack {
    pending_node *items;
    size_t count, room;
} node_stack;

// The first node is on top.
static void import_push_nodes(node_stack *stack, struct aiNode *const *nodes, unsigned count,
                              uint32_t parent)
{
    for (unsigned i = count; i-- > 0;) {
        stack->items = import_grow(stack->items, stack->count, &stack->room, sizeof *stack->items);
        stack->items[stack->count++] = (pending_node){nodes[i], parent};
    }
}

static const char *import_nodes_name_of(const assimp_importer *importer, uint32_t node)
{
    return importer->nodes[node].real->mName.data;
}

static const assimp_importer *sorting;  // For qsort(), which has no context; there is one thread.

static int import_nodes_compare_names(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = strcmp(import_nodes_name_of(sorting, i), import_nodes_name_of(sorting, j));
    return order ? order : i < j ? -1 : i > j;
}

static void import_nodes_index_names(assimp_importer *importer)
{
    uint32_t count = importer->node_count, duplicates = 0;
    uint32_t *by_name = importer->by_name = import_alloc(count, sizeof *by_name);
    for (uint32_t i = 0; i < count; i++) by_name[i] = i;
    sorting = importer;
    qsort(by_name, count, sizeof *by_name, import_nodes_compare_names);
    for (uint32_t i = 1; i < count; i++)
        duplicates += strcmp(import_nodes_name_of(importer, by_name[i - 1]),
                             import_nodes_name_of(importer, by_name[i])) == 0;
    bool matters = importer->assimp->mNumAnimations > 0;
    for (unsigned i = 0; i < importer->assimp->mNumMeshes; i++)
        matters |= importer->assimp->mMeshes[i]->mNumBones > 0;
    if (matters)
        import_report_loss(importer, TENON_APPROXIMATED, "nodes with one name",
                           "bones and channels use the first node of that name", duplicates, NULL);
}

void import_find_nodes(assimp_importer *importer)
{
    struct aiNode *const root = importer->assimp->mRootNode;
    node_stack stack = {0};
    size_t room = 0;
    if (importer->root_is_idle)
        import_push_nodes(&stack, root->mChildren, root->mNumChildren, TENON_NONE);
    else
        import_push_nodes(&stack, &root, 1, TENON_NONE);
    while (stack.count > 0) {
        pending_node next = stack.items[--stack.count];
        uint32_t index = importer->node_count;
        importer->nodes = import_grow(importer->nodes, index, &room, sizeof *importer->nodes);
        importer->nodes[index] = import_nodes_join_helpers(importer, next.node, next.parent);
        importer->node_count++;
        const struct aiNode *end = importer->nodes[index].end;
        import_push_nodes(&stack, end->mChildren, end->mNumChildren, index);
    }
    free(stack.items);
    import_nodes_index_names(importer);
}

uint32_t import_node_named(const assimp_importer *importer, const char *name)
{
    uint32_t low = 0, high = importer->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(import_nodes_name_of(importer, importer->by_name[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < importer->node_count &&
                    strcmp(import_nodes_name_of(importer, importer->by_name[low]), name) == 0;
    return is_found ? importer->by_name[low] : TENON_NONE;
}

// -- Nodes of the scene

tenon_str import_name(assimp_importer *importer, const char *name)
{
    const char *helper = strstr(name, IMPORT_HELPER_MARK);
    const char *duplicate = strstr(name, FBX_DUPLICATE_MARK);
    const char *end = duplicate && (!helper || duplicate < helper) ? duplicate : helper;
    return import_text(importer, name, end ? (size_t)(end - name) : strlen(name));
}

static mat4 import_nodes_rest_transform(const void *user, uint32_t node)
{
    return import_rest_transform(user, node);
}

void import_nodes(assimp_importer *importer)
{
    tenon_scene *scene = importer->scene;
    scene->node_count = importer->node_count;
    scene->nodes = import_scene_alloc(importer, importer->node_count, sizeof *scene->nodes);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        mat4 matrix = import_inherits(importer, i)
                          ? import_inherited(importer, i, import_nodes_rest_transform, importer)
                          : import_rest_transform(importer, i);
        matrix = import_local(importer, i, matrix);
        trs parts;
        bool has_matrix = !mat4_decompose(&matrix, &parts);
        tenon_node *to = &scene->nodes[i];
        *to = (tenon_node){.name = import_name(importer, import_nodes_name_of(importer, i)),
                           .parent = importer->nodes[i].parent,
                           .mesh = TENON_NONE,
                           .skin = TENON_NONE,
                           .camera = importer->camera_of[i],
                           .light = importer->light_of[i],
                           .has_matrix = has_matrix};
        memcpy(to->matrix, has_matrix ? matrix.m : mat4_identity.m, sizeof to->matrix);
        memcpy(to->translation, &parts.translation, sizeof to->translation);
        memcpy(to->rotation, &parts.rotation, sizeof to->rotation);
        memcpy(to->scale, &parts.scale, sizeof to->scale);
    }
}
