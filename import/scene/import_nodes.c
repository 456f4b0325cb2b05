// import_nodes.c: nodes: rows of helper nodes become one node each.
// SPDX-License-Identifier: MIT
//
// Assimp makes several nodes of one FBX node that has pivots or rotations before and after its own:
// "hip_$AssimpFbx$_Translation", "hip_$AssimpFbx$_PreRotation", and so on, down to "hip". Nodes
// whose part begins with "Geometric" move the mesh only: behind "hip" are their inverses.

#include "import.h"

#include <stdlib.h>
#include <string.h>

static const char helper_mark[] = "_$AssimpFbx$_";

// -- Rows of helpers

const char *import_helper_part(const struct aiNode *node)
{
    const char *mark = strstr(node->mName.data, helper_mark);
    return mark ? mark + sizeof helper_mark - 1 : NULL;
}

static bool is_geometric(const struct aiNode *node)
{
    const char *part = import_helper_part(node);
    return part && strncmp(part, "Geometric", strlen("Geometric")) == 0;
}

static bool is_in_row(const struct aiNode *node)
{
    return import_helper_part(node) && node->mNumChildren == 1;
}

// Assimp turns around the axes in the node's own order, which is not meant.
static mat4 geometric_part(const struct aiNode *node, const fbx_model *model)
{
    if (!model || strcmp(import_helper_part(node), "GeometricRotation") != 0)
        return mat4_of(&node->mTransformation);
    trs turn = {{0, 0, 0}, quat_of_degrees(model->geometric_rotation), {1, 1, 1}};
    return mat4_of_trs(&turn);
}

static import_node find_row(const assimp_importer *importer, const struct aiNode *top,
                            uint32_t parent)
{
    const struct aiNode *real = top;
    while (is_in_row(real)) real = real->mChildren[0];
    const fbx_model *model = fbx_model_named(&importer->fbx, real->mName.data);
    import_node n = {.top = top, .real = real, .end = real, .parent = parent};
    n.inherit = model ? model->inherit : FBX_SCALES_FIRST;
    n.geometric = mat4_identity;
    for (const struct aiNode *node = top; node != real; node = node->mChildren[0]) {
        if (!is_geometric(node)) continue;
        mat4 matrix = geometric_part(node, model);
        n.geometric = mat4_mul(&n.geometric, &matrix);
    }
    while (n.end->mNumChildren == 1 && is_geometric(n.end->mChildren[0]))
        n.end = n.end->mChildren[0];
    return n;
}

// -- All of them, parents first

// A node that waits for its turn.
typedef struct pending_node {
    const struct aiNode *node;
    uint32_t parent;
} pending_node;

typedef struct node_stack {
    pending_node *items;
    size_t count, room;
} node_stack;

static void *grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room) return items;
    size_t more = *room ? 2 * *room : 64;
    char *longer = import_alloc(more, size);
    if (count) memcpy(longer, items, count * size);
    free(items);
    *room = more;
    return longer;
}

static void push(node_stack *stack, const struct aiNode *node, uint32_t parent)
{
    stack->items = grow(stack->items, stack->count, &stack->room, sizeof *stack->items);
    stack->items[stack->count++] = (pending_node){node, parent};
}

static void push_children(node_stack *stack, const struct aiNode *node, uint32_t parent)
{
    // The first child is on top.
    for (unsigned i = node->mNumChildren; i-- > 0;) push(stack, node->mChildren[i], parent);
}

static const char *name_of(const assimp_importer *importer, uint32_t node)
{
    return importer->nodes[node].real->mName.data;
}

static const assimp_importer *sorting;  // qsort() has no place for it; the program has one thread.

static int by_name(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = strcmp(name_of(sorting, i), name_of(sorting, j));
    return order ? order : i < j ? -1 : i > j;
}

static void sort_names(assimp_importer *importer)
{
    uint32_t twins = 0;
    importer->by_name = import_alloc(importer->node_count, sizeof *importer->by_name);
    for (uint32_t i = 0; i < importer->node_count; i++) importer->by_name[i] = i;
    sorting = importer;
    qsort(importer->by_name, importer->node_count, sizeof *importer->by_name, by_name);
    for (uint32_t i = 1; i < importer->node_count; i++)
        twins += strcmp(name_of(importer, importer->by_name[i - 1]),
                        name_of(importer, importer->by_name[i])) == 0;
    bool matters = importer->assimp->mNumAnimations > 0;
    for (unsigned i = 0; i < importer->assimp->mNumMeshes; i++)
        matters |= importer->assimp->mMeshes[i]->mNumBones > 0;
    if (matters)
        import_report_loss(importer, TENON_APPROXIMATED, "nodes with one name",
                           "bones and channels name the first of them", twins, NULL);
}

void import_find_nodes(assimp_importer *importer)
{
    node_stack stack = {0};
    size_t room = 0;
    if (importer->root_is_idle)
        push_children(&stack, importer->assimp->mRootNode, TENON_NONE);
    else
        push(&stack, importer->assimp->mRootNode, TENON_NONE);
    while (stack.count > 0) {
        pending_node next = stack.items[--stack.count];
        importer->nodes =
            grow(importer->nodes, importer->node_count, &room, sizeof *importer->nodes);
        importer->nodes[importer->node_count] = find_row(importer, next.node, next.parent);
        push_children(&stack, importer->nodes[importer->node_count].end, importer->node_count);
        importer->node_count++;
    }
    free(stack.items);
    sort_names(importer);
}

uint32_t import_node_named(const assimp_importer *importer, const char *name)
{
    uint32_t low = 0, high = importer->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(name_of(importer, importer->by_name[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there =
        low < importer->node_count && strcmp(name_of(importer, importer->by_name[low]), name) == 0;
    return is_there ? importer->by_name[low] : TENON_NONE;
}

// -- As nodes of the scene

mat4 import_rest_transform(const assimp_importer *importer, uint32_t index)
{
    const import_node *n = &importer->nodes[index];
    mat4 product = mat4_identity;
    for (const struct aiNode *node = n->top;; node = node->mChildren[0]) {
        mat4 matrix = mat4_of(&node->mTransformation);
        if (!is_geometric(node)) product = mat4_mul(&product, &matrix);
        if (node == n->real) return product;
    }
}

tenon_str import_name(assimp_importer *importer, const char *name)
{
    const char *helper = strstr(name, helper_mark), *twin = strstr(name, FBX_DUPLICATE_MARK);
    const char *end = twin && (!helper || twin < helper) ? twin : helper;
    return import_text(importer, name, end ? (size_t)(end - name) : strlen(name));
}

static mat4 rest_of(const void *user, uint32_t node)
{
    return import_rest_transform(user, node);
}

static mat4 inherited_rest(const assimp_importer *importer, uint32_t node)
{
    return import_inherits(importer, node) ? import_inherited(importer, node, rest_of, importer)
                                           : import_rest_transform(importer, node);
}

static void set_transform(tenon_node *to, const mat4 *matrix)
{
    trs t;
    to->has_matrix = !mat4_decompose(matrix, &t);
    memcpy(to->matrix, to->has_matrix ? matrix->m : mat4_identity.m, sizeof to->matrix);
    memcpy(to->translation, &t.translation, sizeof to->translation);
    memcpy(to->rotation, &t.rotation, sizeof to->rotation);
    memcpy(to->scale, &t.scale, sizeof to->scale);
}

void import_nodes(assimp_importer *importer)
{
    importer->scene->node_count = importer->node_count;
    importer->scene->nodes =
        import_scene_alloc(importer, importer->node_count, sizeof *importer->scene->nodes);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        const import_node *n = &importer->nodes[i];
        tenon_node *to = &importer->scene->nodes[i];
        mat4 matrix = import_local(importer, i, inherited_rest(importer, i));
        *to = (tenon_node){.name = import_name(importer, n->real->mName.data),
                           .parent = n->parent,
                           .mesh = TENON_NONE,
                           .skin = TENON_NONE,
                           .camera = importer->camera_of[i],
                           .light = importer->light_of[i],
                           .is_joint = n->is_joint};
        set_transform(to, &matrix);
    }
}
