// edit_join_meshes.c: primitives that are drawn alike, and meshes that move alike, made one.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// -- Primitives of one mesh

// What two primitives must have in common to become one.
typedef struct likeness {
    uint32_t material, mode, streams, influence_count;
    uint32_t alone;  // Number of one that cannot be joined, plus one.
} likeness;

static uint32_t streams_of(const tenon_primitive *p)
{
    uint32_t bits = (p->normals ? 1u : 0u) | (p->tangents ? 2u : 0u);
    for (int k = 0; k < TENON_UV_SETS; k++) bits |= p->uvs[k] ? 4u << k : 0u;
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        bits |= p->colors[k] ? 4u << (TENON_UV_SETS + k) : 0u;
    return bits;
}

static likeness likeness_of(const tenon_primitive *p, uint32_t number)
{
    bool is_list = p->mode == TENON_POINTS || p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    return (likeness){p->material, (uint32_t)p->mode, streams_of(p), p->influence_count,
                      is_list ? 0 : number + 1};
}

// Whether two primitives are parts of the same vertices.
static bool share_vertices(const tenon_primitive *a, const tenon_primitive *b)
{
    if (a->vertex_count != b->vertex_count || a->positions != b->positions) return false;
    if (a->normals != b->normals || a->tangents != b->tangents) return false;
    if (a->joints != b->joints || a->weights != b->weights) return false;
    return memcmp(a->uvs, b->uvs, sizeof a->uvs) == 0 &&
           memcmp(a->colors, b->colors, sizeof a->colors) == 0;
}

// Primitives that become one: numbers of `from`, each leading to the next.
typedef struct chain {
    const tenon_primitive *from;
    const uint32_t *next;
    uint32_t first;
    uint64_t vertex_count, corner_count;
    bool has_indices;
} chain;

static uint32_t corners_of(const tenon_primitive *p)
{
    return p->indices ? p->index_count : p->vertex_count;
}

static bool is_repeated(const chain *c, uint32_t previous, uint32_t at)
{
    return previous != TENON_NONE && share_vertices(&c->from[previous], &c->from[at]);
}

static void measure(chain *c)
{
    for (uint32_t at = c->first, previous = TENON_NONE; at != TENON_NONE;
         previous = at, at = c->next[at]) {
        bool is_known = is_repeated(c, previous, at);
        c->vertex_count += is_known ? 0 : c->from[at].vertex_count;
        c->corner_count += corners_of(&c->from[at]);
        c->has_indices = c->has_indices || is_known || c->from[at].indices;
    }
}

// Append a stream of a primitive; `at` counts vertices.
static void append(void *to, const void *from, uint64_t at, uint64_t count, size_t size)
{
    if (from && count) memcpy((char *)to + at * size, from, (size_t)count * size);
}

static void append_vertices(tenon_primitive *to, const tenon_primitive *p, uint64_t at)
{
    uint64_t n = p->vertex_count;
    append(to->positions, p->positions, at, n, 3 * sizeof(float));
    append(to->normals, p->normals, at, n, 3 * sizeof(float));
    append(to->tangents, p->tangents, at, n, 4 * sizeof(float));
    for (int k = 0; k < TENON_UV_SETS; k++) append(to->uvs[k], p->uvs[k], at, n, 2 * sizeof(float));
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        append(to->colors[k], p->colors[k], at, n, 4 * sizeof(float));
    append(to->joints, p->joints, at, n, p->influence_count * sizeof *p->joints);
    append(to->weights, p->weights, at, n, p->influence_count * sizeof *p->weights);
}

static float *floats(tn_editor *r, const float *like, uint64_t count, uint32_t each)
{
    return like ? tn_edit_array(r, count, each * sizeof(float)) : NULL;
}

// Room for all streams that `like` has.
static tenon_primitive make_room(tn_editor *r, const tenon_primitive *like, const chain *c)
{
    tenon_primitive out = *like;
    uint64_t n = c->vertex_count;
    if (n >= TENON_NONE || c->corner_count >= TENON_NONE)
        tn_edit_fail(r, TENON_ERR_LIMIT, "a joined mesh would have too many vertices");
    out.vertex_count = (uint32_t)n;
    out.positions = tn_edit_array(r, n, 3 * sizeof(float));
    out.normals = floats(r, like->normals, n, 3);
    out.tangents = floats(r, like->tangents, n, 4);
    for (int k = 0; k < TENON_UV_SETS; k++) out.uvs[k] = floats(r, like->uvs[k], n, 2);
    for (int k = 0; k < TENON_COLOR_SETS; k++) out.colors[k] = floats(r, like->colors[k], n, 4);
    out.joints = NULL, out.weights = NULL;
    if (out.influence_count) {
        out.joints = tn_edit_array(r, n, out.influence_count * sizeof *out.joints);
        out.weights = tn_edit_array(r, n, out.influence_count * sizeof *out.weights);
    }
    out.indices = c->has_indices ? tn_edit_array(r, c->corner_count, sizeof *out.indices) : NULL;
    out.index_count = 0;
    out.polygon_count = 0;
    out.polygon_sizes = NULL;
    return out;
}

static tenon_primitive join_chain(tn_editor *r, chain *c)
{
    measure(c);
    tenon_primitive out = make_room(r, &c->from[c->first], c);
    uint64_t start = 0, end = 0;
    for (uint32_t at = c->first, previous = TENON_NONE; at != TENON_NONE && !r->failed;
         previous = at, at = c->next[at]) {
        const tenon_primitive *p = &c->from[at];
        if (!is_repeated(c, previous, at)) {
            start = end;
            append_vertices(&out, p, start);
            end += p->vertex_count;
        }
        for (uint32_t i = 0; c->has_indices && i < corners_of(p); i++)
            out.indices[out.index_count++] = (uint32_t)start + (p->indices ? p->indices[i] : i);
    }
    return out;
}

// Lists that end early would run into the next one.
static void make_whole(tn_editor *r, tenon_primitive *p)
{
    tenon_primitive before = *p;
    uint32_t size = p->mode == TENON_TRIANGLES ? 3 : p->mode == TENON_LINES ? 2 : 1;
    if (p->mode > TENON_TRIANGLES)
        (void)tn_edit_expect(r, tn_list_triangles(&before, r->arena, p));
    else if (p->indices)
        p->index_count -= p->index_count % size;
    else
        p->vertex_count -= p->vertex_count % size;
}

// Strips and fans become lists, so that they can be joined.
static void join_primitives(tn_editor *r, tenon_mesh *mesh)
{
    uint32_t count = mesh->primitive_count, kept = 0;
    if (count < 2) return;
    tn_mark mark = tn_arena_mark(&r->work);
    likeness *likenesses = tn_edit_room(r, count, sizeof *likenesses);
    uint32_t *first = tn_edit_room(r, count, sizeof *first);
    uint32_t *next = tn_edit_room(r, count, sizeof *next);
    uint32_t *last = tn_edit_room(r, count, sizeof *last);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        tenon_primitive *p = &mesh->primitives[i];
        if (p->mode != TENON_LINE_LOOP && p->mode != TENON_LINE_STRIP) make_whole(r, p);
        likenesses[i] = likeness_of(p, i);
    }
    tn_sameness how = {1, {{likenesses, sizeof *likenesses / sizeof(uint32_t)}}, false};
    if (!r->failed) (void)tn_edit_expect(r, tn_find_same(&how, count, &r->work, &r->pulse, first));
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        next[i] = TENON_NONE;
        if (first[i] != i) next[last[first[i]]] = i;
        last[first[i]] = i;
    }
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        chain c = {.from = mesh->primitives, .next = next, .first = i};
        if (first[i] != i) continue;
        // What is written is not behind what is read: chains start at their first one.
        mesh->primitives[kept++] = next[i] == TENON_NONE ? mesh->primitives[i] : join_chain(r, &c);
    }
    if (!r->failed) mesh->primitive_count = kept;
    tn_arena_rewind(&r->work, mark);
}

// -- Meshes that move alike

// Nodes whose meshes become one: those below one moving node, or of one skin.
typedef struct groups {
    tn_editor *r;
    tn_baker baker;
    uint32_t *movers;        // Of each node: itself or the next above it that moves.
    uint32_t *group_of;      // Of each node: its number; TENON_NONE: its mesh stays alone.
    uint32_t *first, *next;  // Nodes of each group, and the next of the same.
    uint32_t *sizes;         // How many they are.
    uint32_t count;          // Skins, nodes, and one for what never moves.
    tenon_mesh *meshes;
    uint32_t *origins;
    uint32_t mesh_count;
} groups;

static void find_movers(groups *g)
{
    const tenon_scene *s = g->r->scene;
    bool *moves = tn_animated_nodes(g->r);
    g->movers = tn_edit_room(g->r, s->node_count, sizeof *g->movers);
    for (uint32_t i = 0; i < s->node_count && !g->r->failed; i++) {
        uint32_t parent = s->nodes[i].parent;
        g->movers[i] = moves[i] ? i : parent == TENON_NONE ? TENON_NONE : g->movers[parent];
    }
}

// Meshes with extras stay what they are: whom would those belong to?
static bool *find_marked(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *marked = tn_edit_room(r, s->mesh_count, sizeof *marked);
    for (uint32_t i = 0; i < s->extra_count && marked; i++) {
        const tenon_extra *e = &s->extras[i];
        if (e->of == TENON_EXTRA_OF_MESH && e->index < s->mesh_count) marked[e->index] = true;
    }
    return marked;
}

static void find_groups(groups *g)
{
    tn_editor *r = g->r;
    const tenon_scene *s = r->scene;
    uint64_t count = (uint64_t)s->skin_count + s->node_count + 1;
    if (count >= TENON_NONE) tn_edit_fail(r, TENON_ERR_LIMIT, "there are too many nodes");
    g->count = (uint32_t)count;
    g->group_of = tn_edit_room(r, s->node_count, sizeof *g->group_of);
    g->next = tn_edit_room(r, s->node_count, sizeof *g->next);
    g->first = tn_edit_room(r, count, sizeof *g->first);
    g->sizes = tn_edit_room(r, count, sizeof *g->sizes);
    bool *marked = find_marked(r);
    if (r->failed) return;
    for (uint32_t i = 0; i < g->count; i++) g->first[i] = TENON_NONE;
    for (uint32_t i = s->node_count; i-- > 0;) {
        const tenon_node *n = &s->nodes[i];
        g->group_of[i] = TENON_NONE;
        if (n->mesh == TENON_NONE || marked[n->mesh]) continue;
        uint32_t mover = g->movers[i] == TENON_NONE ? s->node_count : g->movers[i];
        uint32_t group = n->skin != TENON_NONE ? n->skin : s->skin_count + mover;
        g->group_of[i] = group;
        g->next[i] = g->first[group];
        g->first[group] = i;
        g->sizes[group]++;
    }
}

// The scene with all that moves at the origin: then a node is where it is against its mover.
static tenon_scene *stand_still(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *moves = tn_animated_nodes(r);
    tenon_scene *still = tn_edit_room(r, 1, sizeof *still);
    tenon_node *nodes = tn_edit_room(r, s->node_count, sizeof *nodes);
    if (r->failed) return NULL;
    *still = *s;
    still->nodes = nodes;
    if (s->node_count) memcpy(nodes, s->nodes, s->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (!moves[i]) continue;
        nodes[i] = (tenon_node){.name = nodes[i].name,
                                .parent = TENON_NONE,
                                .rotation = {0, 0, 0, 1},
                                .scale = {1, 1, 1},
                                .mesh = nodes[i].mesh,
                                .skin = nodes[i].skin,
                                .camera = TENON_NONE,
                                .light = TENON_NONE};
    }
    return still;
}

static bool is_at_origin(const groups *g, uint32_t node)
{
    static const tn_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const double *m = tenon_pose_global(g->baker.pose, node);
    for (int i = 0; i < 16; i++)
        if (m[i] != identity.m[i]) return false;
    return true;
}

// The node that is to have the mesh of a group: one of the group that is where the mover is, or the
// mover, or a new one below it.
static uint32_t find_holder(groups *g, uint32_t group)
{
    tenon_scene *s = g->r->scene;
    uint32_t first = g->first[group], mover = g->movers[first];
    if (s->nodes[first].skin != TENON_NONE) return first;
    for (uint32_t i = first; i != TENON_NONE; i = g->next[i])
        if (is_at_origin(g, i)) return i;
    if (mover != TENON_NONE && s->nodes[mover].mesh == TENON_NONE) return mover;
    return tn_append_node(g->r, s->nodes[first].name, mover);
}

// The primitives of all meshes of a group, one behind the other.
static tenon_mesh collect(groups *g, uint32_t group)
{
    const tenon_scene *s = g->r->scene;
    tenon_mesh out = s->meshes[s->nodes[g->first[group]].mesh];
    uint64_t count = 0;
    uint32_t at = 0;
    for (uint32_t i = g->first[group]; i != TENON_NONE; i = g->next[i])
        count += s->meshes[s->nodes[i].mesh].primitive_count;
    if (count >= TENON_NONE) tn_edit_fail(g->r, TENON_ERR_LIMIT, "a mesh has too many parts");
    out.primitives = tn_edit_array(g->r, count, sizeof *out.primitives);
    out.primitive_count = (uint32_t)count;
    for (uint32_t i = g->first[group]; i != TENON_NONE && !g->r->failed; i = g->next[i]) {
        const tenon_mesh *mesh = &s->meshes[s->nodes[i].mesh];
        if (s->nodes[i].skin == TENON_NONE)
            tn_bake_primitives(&g->baker, i, out.primitives + at);
        else if (mesh->primitive_count)
            memcpy(out.primitives + at, mesh->primitives,
                   mesh->primitive_count * sizeof *mesh->primitives);
        at += mesh->primitive_count;
    }
    return out;
}

static void join_group(groups *g, uint32_t group)
{
    tenon_scene *s = g->r->scene;
    uint32_t first = g->first[group], skin = s->nodes[first].skin;
    uint32_t holder = find_holder(g, group);
    if (holder == TENON_NONE) return;
    g->origins[g->mesh_count] = s->nodes[first].mesh;
    g->meshes[g->mesh_count] = collect(g, group);
    for (uint32_t i = first; i != TENON_NONE; i = g->next[i])
        s->nodes[i].mesh = s->nodes[i].skin = TENON_NONE;
    s->nodes[holder].mesh = g->mesh_count++;
    s->nodes[holder].skin = skin;
}

static void join_alike(tn_editor *r)
{
    groups g = {.r = r};
    tenon_scene *s = r->scene;
    find_movers(&g);
    if (!r->failed) find_groups(&g);
    tenon_scene *still = r->failed ? NULL : stand_still(r);
    if (!still) return;
    uint64_t room = (uint64_t)s->mesh_count + s->node_count;
    g.meshes = tn_edit_array(r, room, sizeof *g.meshes);
    g.origins = tn_edit_room(r, room, sizeof *g.origins);
    tn_bake_begin(&g.baker, r, still);
    for (; g.mesh_count < s->mesh_count && !r->failed; g.mesh_count++) {
        g.meshes[g.mesh_count] = s->meshes[g.mesh_count];
        g.origins[g.mesh_count] = g.mesh_count;
    }
    for (uint32_t i = 0; i < g.count && !r->failed; i++)
        if (g.sizes[i] > 1) join_group(&g, i);
    tn_bake_end(&g.baker);
    if (!r->failed) tn_replace_meshes(r, g.meshes, g.origins, g.mesh_count);
    if (!r->failed) tn_drop_unused(r);
}

void tn_edit_join_meshes(tn_editor *r)
{
    join_alike(r);
    for (uint32_t i = 0; i < r->scene->mesh_count && !r->failed; i++)
        join_primitives(r, &r->scene->meshes[i]);
}
