// edit_join_meshes.c: primitives that are drawn alike, and meshes that move alike, made one.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// -- Primitives of one mesh

// What two primitives must have in common to become one.
typedef struct join_key {
    uint32_t material, mode, streams, influence_count;
    uint32_t alone;  // Number of one that cannot be joined, plus one.
} join_key;

static uint32_t streams_of(const tenon_primitive *p)
{
    uint32_t bits = (p->normals ? 1u : 0u) | (p->tangents ? 2u : 0u);
    for (int k = 0; k < TENON_UV_SETS; k++) bits |= p->uvs[k] ? 4u << k : 0u;
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        bits |= p->colors[k] ? 4u << (TENON_UV_SETS + k) : 0u;
    return bits;
}

static join_key join_key_of(const tenon_primitive *p, uint32_t number)
{
    bool is_list = p->mode == TENON_POINTS || p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    return (join_key){p->material, (uint32_t)p->mode, streams_of(p), p->influence_count,
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
typedef struct primitive_chain {
    const tenon_primitive *from;
    const uint32_t *next;
    uint32_t first;
    uint64_t vertex_count, corner_count;
    bool has_indices;
} primitive_chain;

static uint32_t corners_of(const tenon_primitive *p)
{
    return p->indices ? p->index_count : p->vertex_count;
}

static bool is_repeated(const primitive_chain *chain, uint32_t previous, uint32_t at)
{
    return previous != TENON_NONE && share_vertices(&chain->from[previous], &chain->from[at]);
}

static void measure(primitive_chain *chain)
{
    for (uint32_t at = chain->first, previous = TENON_NONE; at != TENON_NONE;
         previous = at, at = chain->next[at]) {
        bool is_known = is_repeated(chain, previous, at);
        chain->vertex_count += is_known ? 0 : chain->from[at].vertex_count;
        chain->corner_count += corners_of(&chain->from[at]);
        chain->has_indices = chain->has_indices || is_known || chain->from[at].indices;
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

static float *floats(tn_editor *editor, const float *like, uint64_t count, uint32_t each)
{
    return like ? tn_edit_array(editor, count, each * sizeof(float)) : NULL;
}

// Room for all streams that `like` has.
static tenon_primitive make_room(tn_editor *editor, const tenon_primitive *like,
                                 const primitive_chain *chain)
{
    tenon_primitive out = *like;
    uint64_t n = chain->vertex_count;
    if (n >= TENON_NONE || chain->corner_count >= TENON_NONE)
        tn_edit_fail(editor, TENON_ERR_LIMIT, "a joined mesh would have too many vertices");
    out.vertex_count = (uint32_t)n;
    out.positions = tn_edit_array(editor, n, 3 * sizeof(float));
    out.normals = floats(editor, like->normals, n, 3);
    out.tangents = floats(editor, like->tangents, n, 4);
    for (int k = 0; k < TENON_UV_SETS; k++) out.uvs[k] = floats(editor, like->uvs[k], n, 2);
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        out.colors[k] = floats(editor, like->colors[k], n, 4);
    out.joints = NULL, out.weights = NULL;
    if (out.influence_count) {
        out.joints = tn_edit_array(editor, n, out.influence_count * sizeof *out.joints);
        out.weights = tn_edit_array(editor, n, out.influence_count * sizeof *out.weights);
    }
    out.indices =
        chain->has_indices ? tn_edit_array(editor, chain->corner_count, sizeof *out.indices) : NULL;
    out.index_count = 0;
    out.polygon_count = 0;
    out.polygon_sizes = NULL;
    return out;
}

static tenon_primitive join_chain(tn_editor *editor, primitive_chain *chain)
{
    measure(chain);
    tenon_primitive out = make_room(editor, &chain->from[chain->first], chain);
    uint64_t start = 0, end = 0;
    for (uint32_t at = chain->first, previous = TENON_NONE; at != TENON_NONE && !editor->failed;
         previous = at, at = chain->next[at]) {
        const tenon_primitive *p = &chain->from[at];
        if (!is_repeated(chain, previous, at)) {
            start = end;
            append_vertices(&out, p, start);
            end += p->vertex_count;
        }
        for (uint32_t i = 0; chain->has_indices && i < corners_of(p); i++)
            out.indices[out.index_count++] = (uint32_t)start + (p->indices ? p->indices[i] : i);
    }
    return out;
}

// Lists that end early would run into the next one.
static void end_at_whole_piece(tn_editor *editor, tenon_primitive *p)
{
    tenon_primitive before = *p;
    uint32_t size = p->mode == TENON_TRIANGLES ? 3 : p->mode == TENON_LINES ? 2 : 1;
    if (p->mode > TENON_TRIANGLES)
        (void)tn_edit_expect(editor, tn_list_triangles(&before, editor->arena, p));
    else if (p->indices)
        p->index_count -= p->index_count % size;
    else
        p->vertex_count -= p->vertex_count % size;
}

// Strips and fans become lists, so that they can be joined.
static void join_primitives(tn_editor *editor, tenon_mesh *mesh)
{
    uint32_t count = mesh->primitive_count, kept = 0;
    if (count < 2) return;
    tn_mark mark = tn_arena_mark(&editor->scratch);
    join_key *keys = tn_edit_scratch(editor, count, sizeof *keys);
    uint32_t *first = tn_edit_scratch(editor, count, sizeof *first);
    uint32_t *next = tn_edit_scratch(editor, count, sizeof *next);
    uint32_t *last = tn_edit_scratch(editor, count, sizeof *last);
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        tenon_primitive *p = &mesh->primitives[i];
        if (p->mode != TENON_LINE_LOOP && p->mode != TENON_LINE_STRIP)
            end_at_whole_piece(editor, p);
        keys[i] = join_key_of(p, i);
    }
    tn_sameness how = {1, {{keys, sizeof *keys / sizeof(uint32_t)}}, false};
    if (!editor->failed)
        (void)tn_edit_expect(editor,
                             tn_find_same(&how, count, &editor->scratch, &editor->pulse, first));
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        next[i] = TENON_NONE;
        if (first[i] != i) next[last[first[i]]] = i;
        last[first[i]] = i;
    }
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        primitive_chain chain = {.from = mesh->primitives, .next = next, .first = i};
        if (first[i] != i) continue;
        // What is written is not behind what is read: chains start at their first one.
        mesh->primitives[kept++] =
            next[i] == TENON_NONE ? mesh->primitives[i] : join_chain(editor, &chain);
    }
    if (!editor->failed) mesh->primitive_count = kept;
    tn_arena_rewind(&editor->scratch, mark);
}

// -- Meshes that move alike

// Nodes whose meshes become one: those below one moving node, or of one skin.
typedef struct mesh_groups {
    tn_editor *editor;
    tn_baker baker;
    uint32_t *animated_ancestors;  // Of each node: itself or the next above it that moves.
    uint32_t *group_of;            // Of each node: its number; TENON_NONE: its mesh stays alone.
    uint32_t *first, *next;        // Nodes of each group, and the next of the same.
    uint32_t *sizes;               // How many they are.
    uint32_t count;                // Skins, nodes, and one for what never moves.
    tenon_mesh *meshes;
    uint32_t *origins;
    uint32_t mesh_count;
} mesh_groups;

static void find_animated_ancestors(mesh_groups *groups)
{
    const tenon_scene *scene = groups->editor->scene;
    bool *is_animated = tn_animated_nodes(groups->editor);
    groups->animated_ancestors =
        tn_edit_scratch(groups->editor, scene->node_count, sizeof *groups->animated_ancestors);
    for (uint32_t i = 0; i < scene->node_count && !groups->editor->failed; i++) {
        uint32_t parent = scene->nodes[i].parent;
        groups->animated_ancestors[i] = is_animated[i]         ? i
                                        : parent == TENON_NONE ? TENON_NONE
                                                               : groups->animated_ancestors[parent];
    }
}

// Meshes with extras stay what they are: whom would those belong to?
static bool *find_meshes_with_extras(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *has_extras = tn_edit_scratch(editor, scene->mesh_count, sizeof *has_extras);
    for (uint32_t i = 0; i < scene->extra_count && has_extras; i++) {
        const tenon_extra *e = &scene->extras[i];
        if (e->of == TENON_EXTRA_OF_MESH && e->index < scene->mesh_count)
            has_extras[e->index] = true;
    }
    return has_extras;
}

static void find_groups(mesh_groups *groups)
{
    tn_editor *editor = groups->editor;
    const tenon_scene *scene = editor->scene;
    uint64_t count = (uint64_t)scene->skin_count + scene->node_count + 1;
    if (count >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many nodes");
    groups->count = (uint32_t)count;
    groups->group_of = tn_edit_scratch(editor, scene->node_count, sizeof *groups->group_of);
    groups->next = tn_edit_scratch(editor, scene->node_count, sizeof *groups->next);
    groups->first = tn_edit_scratch(editor, count, sizeof *groups->first);
    groups->sizes = tn_edit_scratch(editor, count, sizeof *groups->sizes);
    bool *has_extras = find_meshes_with_extras(editor);
    if (editor->failed) return;
    for (uint32_t i = 0; i < groups->count; i++) groups->first[i] = TENON_NONE;
    for (uint32_t i = scene->node_count; i-- > 0;) {
        const tenon_node *n = &scene->nodes[i];
        groups->group_of[i] = TENON_NONE;
        if (n->mesh == TENON_NONE || has_extras[n->mesh]) continue;
        uint32_t ancestor = groups->animated_ancestors[i] == TENON_NONE
                                ? scene->node_count
                                : groups->animated_ancestors[i];
        uint32_t group = n->skin != TENON_NONE ? n->skin : scene->skin_count + ancestor;
        groups->group_of[i] = group;
        groups->next[i] = groups->first[group];
        groups->first[group] = i;
        groups->sizes[group]++;
    }
}

// The scene with all that moves at the origin: then a node is where it is against its mover.
static tenon_scene *copy_without_animated_transforms(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *is_animated = tn_animated_nodes(editor);
    tenon_scene *copy = tn_edit_scratch(editor, 1, sizeof *copy);
    tenon_node *nodes = tn_edit_scratch(editor, scene->node_count, sizeof *nodes);
    if (editor->failed) return NULL;
    *copy = *scene;
    copy->nodes = nodes;
    if (scene->node_count) memcpy(nodes, scene->nodes, scene->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (!is_animated[i]) continue;
        nodes[i] = (tenon_node){.name = nodes[i].name,
                                .parent = TENON_NONE,
                                .rotation = {0, 0, 0, 1},
                                .scale = {1, 1, 1},
                                .mesh = nodes[i].mesh,
                                .skin = nodes[i].skin,
                                .camera = TENON_NONE,
                                .light = TENON_NONE};
    }
    return copy;
}

static bool is_at_origin(const mesh_groups *groups, uint32_t node)
{
    static const tn_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const double *m = tenon_pose_global(groups->baker.pose, node);
    for (int i = 0; i < 16; i++)
        if (m[i] != identity.m[i]) return false;
    return true;
}

// The node that is to have the mesh of a group: one of the group that is where the mover is, or the
// mover, or a new one below it.
static uint32_t find_target_node(mesh_groups *groups, uint32_t group)
{
    tenon_scene *scene = groups->editor->scene;
    uint32_t first = groups->first[group], ancestor = groups->animated_ancestors[first];
    if (scene->nodes[first].skin != TENON_NONE) return first;
    for (uint32_t i = first; i != TENON_NONE; i = groups->next[i])
        if (is_at_origin(groups, i)) return i;
    if (ancestor != TENON_NONE && scene->nodes[ancestor].mesh == TENON_NONE) return ancestor;
    return tn_append_node(groups->editor, scene->nodes[first].name, ancestor);
}

// The primitives of all meshes of a group, one behind the other.
static tenon_mesh collect_primitives(mesh_groups *groups, uint32_t group)
{
    const tenon_scene *scene = groups->editor->scene;
    tenon_mesh out = scene->meshes[scene->nodes[groups->first[group]].mesh];
    uint64_t count = 0;
    uint32_t at = 0;
    for (uint32_t i = groups->first[group]; i != TENON_NONE; i = groups->next[i])
        count += scene->meshes[scene->nodes[i].mesh].primitive_count;
    if (count >= TENON_NONE)
        tn_edit_fail(groups->editor, TENON_ERR_LIMIT, "a mesh has too many parts");
    out.primitives = tn_edit_array(groups->editor, count, sizeof *out.primitives);
    out.primitive_count = (uint32_t)count;
    for (uint32_t i = groups->first[group]; i != TENON_NONE && !groups->editor->failed;
         i = groups->next[i]) {
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[i].mesh];
        if (scene->nodes[i].skin == TENON_NONE)
            tn_bake_primitives(&groups->baker, i, out.primitives + at);
        else if (mesh->primitive_count)
            memcpy(out.primitives + at, mesh->primitives,
                   mesh->primitive_count * sizeof *mesh->primitives);
        at += mesh->primitive_count;
    }
    return out;
}

static void join_group(mesh_groups *groups, uint32_t group)
{
    tenon_scene *scene = groups->editor->scene;
    uint32_t first = groups->first[group], skin = scene->nodes[first].skin;
    uint32_t target = find_target_node(groups, group);
    if (target == TENON_NONE) return;
    groups->origins[groups->mesh_count] = scene->nodes[first].mesh;
    groups->meshes[groups->mesh_count] = collect_primitives(groups, group);
    for (uint32_t i = first; i != TENON_NONE; i = groups->next[i])
        scene->nodes[i].mesh = scene->nodes[i].skin = TENON_NONE;
    scene->nodes[target].mesh = groups->mesh_count++;
    scene->nodes[target].skin = skin;
}

static void join_meshes(tn_editor *editor)
{
    mesh_groups groups = {.editor = editor};
    tenon_scene *scene = editor->scene;
    find_animated_ancestors(&groups);
    if (!editor->failed) find_groups(&groups);
    tenon_scene *copy = editor->failed ? NULL : copy_without_animated_transforms(editor);
    if (!copy) return;
    uint64_t room = (uint64_t)scene->mesh_count + scene->node_count;
    groups.meshes = tn_edit_array(editor, room, sizeof *groups.meshes);
    groups.origins = tn_edit_scratch(editor, room, sizeof *groups.origins);
    tn_bake_begin(&groups.baker, editor, copy);
    for (; groups.mesh_count < scene->mesh_count && !editor->failed; groups.mesh_count++) {
        groups.meshes[groups.mesh_count] = scene->meshes[groups.mesh_count];
        groups.origins[groups.mesh_count] = groups.mesh_count;
    }
    for (uint32_t i = 0; i < groups.count && !editor->failed; i++)
        if (groups.sizes[i] > 1) join_group(&groups, i);
    tn_bake_end(&groups.baker);
    if (!editor->failed)
        tn_replace_meshes(editor, groups.meshes, groups.origins, groups.mesh_count);
    if (!editor->failed) tn_drop_unused(editor);
}

void tn_edit_join_meshes(tn_editor *editor)
{
    join_meshes(editor);
    for (uint32_t i = 0; i < editor->scene->mesh_count && !editor->failed; i++)
        join_primitives(editor, &editor->scene->meshes[i]);
}
