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
    trs turn = {{0, 0, 0}, quat_of_degrees(model->geometric_turn), {1, 1, 1}};
    return mat4_of_trs(&turn);
}

static import_node find_row(const import *m, const struct aiNode *top, uint32_t parent)
{
    const struct aiNode *real = top;
    while (is_in_row(real)) real = real->mChildren[0];
    const fbx_model *model = fbx_model_named(&m->fbx, real->mName.data);
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
typedef struct waiting {
    const struct aiNode *node;
    uint32_t parent;
} waiting;

typedef struct stack {
    waiting *items;
    size_t count, room;
} stack;

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

static void push(stack *s, const struct aiNode *node, uint32_t parent)
{
    s->items = grow(s->items, s->count, &s->room, sizeof *s->items);
    s->items[s->count++] = (waiting){node, parent};
}

static void push_children(stack *s, const struct aiNode *node, uint32_t parent)
{
    // The first child is on top.
    for (unsigned i = node->mNumChildren; i-- > 0;) push(s, node->mChildren[i], parent);
}

static const char *name_of(const import *m, uint32_t node)
{
    return m->nodes[node].real->mName.data;
}

static const import *sorting;  // qsort() has no place for it; the program has one thread.

static int by_name(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = strcmp(name_of(sorting, i), name_of(sorting, j));
    return order ? order : i < j ? -1 : i > j;
}

static void sort_names(import *m)
{
    uint32_t twins = 0;
    m->by_name = import_alloc(m->node_count, sizeof *m->by_name);
    for (uint32_t i = 0; i < m->node_count; i++) m->by_name[i] = i;
    sorting = m;
    qsort(m->by_name, m->node_count, sizeof *m->by_name, by_name);
    for (uint32_t i = 1; i < m->node_count; i++)
        twins += strcmp(name_of(m, m->by_name[i - 1]), name_of(m, m->by_name[i])) == 0;
    bool matters = m->from->mNumAnimations > 0;
    for (unsigned i = 0; i < m->from->mNumMeshes; i++)
        matters |= m->from->mMeshes[i]->mNumBones > 0;
    if (matters)
        import_lose(m, TENON_APPROXIMATED, "nodes with one name",
                    "bones and channels name the first of them", twins, NULL);
}

void import_find_nodes(import *m)
{
    stack s = {0};
    size_t room = 0;
    if (m->root_is_idle)
        push_children(&s, m->from->mRootNode, TENON_NONE);
    else
        push(&s, m->from->mRootNode, TENON_NONE);
    while (s.count > 0) {
        waiting next = s.items[--s.count];
        m->nodes = grow(m->nodes, m->node_count, &room, sizeof *m->nodes);
        m->nodes[m->node_count] = find_row(m, next.node, next.parent);
        push_children(&s, m->nodes[m->node_count].end, m->node_count);
        m->node_count++;
    }
    free(s.items);
    sort_names(m);
}

uint32_t import_node_named(const import *m, const char *name)
{
    uint32_t low = 0, high = m->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(name_of(m, m->by_name[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < m->node_count && strcmp(name_of(m, m->by_name[low]), name) == 0;
    return is_there ? m->by_name[low] : TENON_NONE;
}

// -- As nodes of the scene

mat4 import_rest(const import *m, uint32_t index)
{
    const import_node *n = &m->nodes[index];
    mat4 product = mat4_identity;
    for (const struct aiNode *node = n->top;; node = node->mChildren[0]) {
        mat4 matrix = mat4_of(&node->mTransformation);
        if (!is_geometric(node)) product = mat4_mul(&product, &matrix);
        if (node == n->real) return product;
    }
}

tenon_str import_name(import *m, const char *name)
{
    const char *helper = strstr(name, helper_mark), *twin = strstr(name, FBX_TWIN_MARK);
    const char *end = twin && (!helper || twin < helper) ? twin : helper;
    return import_text(m, name, end ? (size_t)(end - name) : strlen(name));
}

static mat4 rest_of(const void *user, uint32_t node)
{
    return import_rest(user, node);
}

static mat4 inherited_rest(const import *m, uint32_t node)
{
    return import_inherits(m, node) ? import_inherited(m, node, rest_of, m) : import_rest(m, node);
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

void import_make_nodes(import *m)
{
    m->to->node_count = m->node_count;
    m->to->nodes = import_keep(m, m->node_count, sizeof *m->to->nodes);
    for (uint32_t i = 0; i < m->node_count; i++) {
        const import_node *n = &m->nodes[i];
        tenon_node *to = &m->to->nodes[i];
        mat4 matrix = import_local(m, i, inherited_rest(m, i));
        *to = (tenon_node){.name = import_name(m, n->real->mName.data),
                           .parent = n->parent,
                           .mesh = TENON_NONE,
                           .skin = TENON_NONE,
                           .camera = m->camera_of[i],
                           .light = m->light_of[i],
                           .is_joint = n->is_joint};
        set_transform(to, &matrix);
    }
}
