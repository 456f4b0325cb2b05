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

static void find_row(import_node *n, const struct aiNode *top, uint32_t parent)
{
    const struct aiNode *node = top;
    n->top = top;
    n->parent = parent;
    n->geometric = mat4_identity;
    for (; is_in_row(node); node = node->mChildren[0]) {
        if (!is_geometric(node)) continue;
        mat4 matrix = mat4_of(&node->mTransformation);
        n->geometric = mat4_mul(&n->geometric, &matrix);
    }
    n->real = n->end = node;
    while (n->end->mNumChildren == 1 && is_geometric(n->end->mChildren[0]))
        n->end = n->end->mChildren[0];
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
        find_row(&m->nodes[m->node_count], next.node, next.parent);
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

static mat4 rest_matrix(const import_node *n)
{
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
        mat4 matrix = import_local(m, i, rest_matrix(n));
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
