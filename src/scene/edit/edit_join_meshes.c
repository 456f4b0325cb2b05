// edit_join_meshes.c: join primitives of one material and meshes that move together.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// -- Primitives of one mesh

// Primitives are joined if these are equal.
typedef struct join_key {
    uint32_t material, mode, streams, influence_count;
    uint32_t has_morphs;
    uint32_t single;  // 1 + the number of a primitive that cannot be joined; else 0.
} join_key;

static join_key edit_join_meshes_key_of(const tenon_primitive *p, uint32_t number)
{
    bool is_list = p->mode == TENON_POINTS || p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    uint32_t streams = (p->normals ? 1u : 0u) | (p->tangents ? 2u : 0u);
    for (int k = 0; k < TENON_UV_SETS; k++) streams |= p->uvs[k] ? 4u << k : 0u;
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        streams |= p->colors[k] ? 4u << (TENON_UV_SETS + k) : 0u;
    return (join_key){p->material,        (uint32_t)p->mode,  streams,
                      p->influence_count, p->morph_count > 0, is_list ? 0 : number + 1};
}

static uint32_t edit_join_meshes_corner_count_of(const tenon_primitive *p)
{
    return p->indices ? p->index_count : p->vertex_count;
}

// Whether two primitives use the same vertices. `a` may be NULL.
static bool edit_join_meshes_share_vertices(const tenon_primitive *a, const tenon_primitive *b)
{
    if (!a) return false;
    if (a->vertex_count != b->vertex_count || a->positions != b->positions) return false;
    if (a->normals != b->normals || a->tangents != b->tangents) return false;
    if (a->joints != b->joints || a->weights != b->weights) return false;
    if (a->morph_count || b->morph_count) return false;
    return memcmp(a->uvs, b->uvs, sizeof a->uvs) == 0 &&
           memcmp(a->colors, b->colors, sizeof a->colors) == 0;
}

static float *edit_join_meshes_allocate_like(tn_editor *editor, const float *like, uint64_t count,
                                             uint32_t each)
{
    return like ? tn_edit_array(editor, count, each * sizeof(float)) : NULL;
}

// Copy a stream to vertex `at` of another one.
static void edit_join_meshes_append(void *to, const void *from, uint64_t at, uint64_t count,
                                    size_t size)
{
    if (from && count) memcpy((char *)to + at * size, from, (size_t)count * size);
}

static void edit_join_meshes_append_vertices(tenon_primitive *to, const tenon_primitive *p,
                                             uint64_t at)
{
    uint64_t n = p->vertex_count;
    edit_join_meshes_append(to->positions, p->positions, at, n, 3 * sizeof(float));
    edit_join_meshes_append(to->normals, p->normals, at, n, 3 * sizeof(float));
    edit_join_meshes_append(to->tangents, p->tangents, at, n, 4 * sizeof(float));
    for (int k = 0; k < TENON_UV_SETS; k++)
        edit_join_meshes_append(to->uvs[k], p->uvs[k], at, n, 2 * sizeof(float));
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        edit_join_meshes_append(to->colors[k], p->colors[k], at, n, 4 * sizeof(float));
    edit_join_meshes_append(to->joints, p->joints, at, n, p->influence_count * sizeof *p->joints);
    edit_join_meshes_append(to->weights, p->weights, at, n,
                            p->influence_count * sizeof *p->weights);
    for (uint32_t k = 0; k < p->morph_count; k++) {
        const tenon_morph *from = &p->morphs[k];
        edit_join_meshes_append(to->morphs[k].positions, from->positions, at, n, 3 * sizeof(float));
        edit_join_meshes_append(to->morphs[k].normals, from->normals, at, n, 3 * sizeof(float));
        edit_join_meshes_append(to->morphs[k].tangents, from->tangents, at, n, 3 * sizeof(float));
    }
}

// Offsets for the vertices of a chain: a morph target has the streams that it has in any of them.
static tenon_morph *edit_join_meshes_allocate_morphs(tn_editor *editor,
                                                     const tenon_primitive *primitives,
                                                     const uint32_t *next, uint32_t first,
                                                     uint64_t count)
{
    uint32_t morph_count = primitives[first].morph_count;
    tenon_morph *morphs = tn_edit_array(editor, morph_count, sizeof *morphs);
    for (uint32_t at = first; at != TENON_NONE && !editor->failed; at = next[at])
        for (uint32_t k = 0; k < morph_count; k++) {
            const tenon_morph *like = &primitives[at].morphs[k];
            tenon_morph *to = &morphs[k];
            if (!to->positions)
                to->positions = edit_join_meshes_allocate_like(editor, like->positions, count, 3);
            if (!to->normals)
                to->normals = edit_join_meshes_allocate_like(editor, like->normals, count, 3);
            if (!to->tangents)
                to->tangents = edit_join_meshes_allocate_like(editor, like->tangents, count, 3);
        }
    return morphs;
}

// One primitive from a chain of them: `first`, then next[first] and so on.
static tenon_primitive edit_join_meshes_chain(tn_editor *editor, const tenon_primitive *primitives,
                                              const uint32_t *next, uint32_t first)
{
    uint64_t vertex_count = 0, corner_count = 0;
    bool has_indices = false;
    const tenon_primitive *previous = NULL;
    for (uint32_t at = first; at != TENON_NONE; at = next[at]) {
        const tenon_primitive *p = &primitives[at];
        bool is_shared = edit_join_meshes_share_vertices(previous, p);
        vertex_count += is_shared ? 0 : p->vertex_count;
        corner_count += edit_join_meshes_corner_count_of(p);
        has_indices = has_indices || is_shared || p->indices;
        previous = p;
    }
    if (vertex_count >= TENON_NONE || corner_count >= TENON_NONE)
        tn_edit_fail(editor, TENON_ERR_LIMIT, "a joined mesh would have too many vertices");
    const tenon_primitive *like = &primitives[first];
    tenon_primitive out = *like;
    out.vertex_count = (uint32_t)vertex_count;
    out.positions = tn_edit_array(editor, vertex_count, 3 * sizeof(float));
    out.normals = edit_join_meshes_allocate_like(editor, like->normals, vertex_count, 3);
    out.tangents = edit_join_meshes_allocate_like(editor, like->tangents, vertex_count, 4);
    for (int k = 0; k < TENON_UV_SETS; k++)
        out.uvs[k] = edit_join_meshes_allocate_like(editor, like->uvs[k], vertex_count, 2);
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        out.colors[k] = edit_join_meshes_allocate_like(editor, like->colors[k], vertex_count, 4);
    out.joints = NULL, out.weights = NULL;
    if (out.influence_count) {
        out.joints = tn_edit_array(editor, vertex_count, out.influence_count * sizeof *out.joints);
        out.weights =
            tn_edit_array(editor, vertex_count, out.influence_count * sizeof *out.weights);
    }
    if (out.morph_count)
        out.morphs =
            edit_join_meshes_allocate_morphs(editor, primitives, next, first, vertex_count);
    out.indices = has_indices ? tn_edit_array(editor, corner_count, sizeof *out.indices) : NULL;
    out.index_count = 0;
    out.polygon_count = 0;
    out.polygon_sizes = NULL;
    uint64_t start = 0, end = 0;
    previous = NULL;
    for (uint32_t at = first; at != TENON_NONE && !editor->failed; at = next[at]) {
        const tenon_primitive *p = &primitives[at];
        if (!edit_join_meshes_share_vertices(previous, p)) {
            start = end;
            edit_join_meshes_append_vertices(&out, p, start);
            end += p->vertex_count;
        }
        for (uint32_t i = 0; has_indices && i < edit_join_meshes_corner_count_of(p); i++)
            out.indices[out.index_count++] = (uint32_t)start + (p->indices ? p->indices[i] : i);
        previous = p;
    }
    return out;
}

// Strips and fans become lists, so that they can be joined. The vertices after the last whole piece
// of a list would become part of the next list: they are left out.
static void edit_join_meshes_make_joinable(tn_editor *editor, tenon_primitive *p)
{
    tenon_primitive before = *p;
    uint32_t size = p->mode == TENON_TRIANGLES ? 3 : p->mode == TENON_LINES ? 2 : 1;
    if (p->mode == TENON_LINE_LOOP || p->mode == TENON_LINE_STRIP) return;
    if (p->mode > TENON_TRIANGLES)
        (void)tn_edit_expect(editor, tn_list_triangles(&before, editor->arena, p));
    else if (p->indices)
        p->index_count -= p->index_count % size;
    else
        p->vertex_count -= p->vertex_count % size;
}

static void edit_join_meshes_primitives(tn_editor *editor, tenon_mesh *mesh)
{
    uint32_t count = mesh->primitive_count, kept = 0;
    if (count < 2) return;
    tn_mark mark = tn_arena_mark(&editor->scratch);
    join_key *keys = tn_edit_scratch(editor, count, sizeof *keys);
    uint32_t *first = tn_edit_scratch(editor, count, sizeof *first);
    uint32_t *next = tn_edit_scratch(editor, count, sizeof *next);
    uint32_t *last = tn_edit_scratch(editor, count, sizeof *last);
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        edit_join_meshes_make_joinable(editor, &mesh->primitives[i]);
        keys[i] = edit_join_meshes_key_of(&mesh->primitives[i], i);
    }
    tn_key_layout layout = {1, &(tn_stream){keys, sizeof *keys / sizeof(uint32_t)}, false};
    if (!editor->failed)
        (void)tn_edit_expect(
            editor, tn_find_equal(&layout, count, &editor->scratch, &editor->pulse, first));
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        next[i] = TENON_NONE;
        if (first[i] != i) next[last[first[i]]] = i;
        last[first[i]] = i;
    }
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        if (first[i] != i) continue;
        // `kept` is at most `i`: chains start at their first primitive.
        mesh->primitives[kept++] = next[i] == TENON_NONE
                                       ? mesh->primitives[i]
                                       : edit_join_meshes_chain(editor, mesh->primitives, next, i);
    }
    if (!editor->failed) mesh->primitive_count = kept;
    tn_arena_rewind(&editor->scratch, mark);
}

// -- Meshes that move together

// Groups of nodes whose meshes become one: those below one animated node, or those of one skin.
typedef struct mesh_groups {
    bool *is_animated;  // Of each node.
    uint32_t
        *animated_ancestors;  // Of each node: itself or the nearest above it; TENON_NONE if none.
    uint32_t *first, *next;   // First node of each group, next node of the same group.
    uint32_t *sizes;          // Number of nodes of each group.
    uint32_t count;           // Skins, nodes, and one for what is never moved.
} mesh_groups;

static void edit_join_meshes_find_groups(tn_editor *editor, mesh_groups *groups)
{
    const tenon_scene *scene = editor->scene;
    uint64_t count = (uint64_t)scene->skin_count + scene->node_count + 1;
    if (count >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many nodes");
    groups->count = (uint32_t)count;
    groups->is_animated = tn_animated_nodes(editor);
    groups->animated_ancestors =
        tn_edit_scratch(editor, scene->node_count, sizeof *groups->animated_ancestors);
    groups->next = tn_edit_scratch(editor, scene->node_count, sizeof *groups->next);
    groups->first = tn_edit_scratch(editor, count, sizeof *groups->first);
    groups->sizes = tn_edit_scratch(editor, count, sizeof *groups->sizes);
    bool *has_extras = tn_edit_scratch(editor, scene->mesh_count, sizeof *has_extras);
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        uint32_t inherited = parent == TENON_NONE ? TENON_NONE : groups->animated_ancestors[parent];
        groups->animated_ancestors[i] = groups->is_animated[i] ? i : inherited;
    }
    // Extras and morph targets belong to one mesh, so a mesh that has some is not joined.
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *e = &scene->extras[i];
        if (e->of == TENON_EXTRA_OF_MESH && e->index < scene->mesh_count)
            has_extras[e->index] = true;
    }
    for (uint32_t i = 0; i < groups->count; i++) groups->first[i] = TENON_NONE;
    for (uint32_t i = scene->node_count; i-- > 0;) {
        const tenon_node *n = &scene->nodes[i];
        if (n->mesh == TENON_NONE || has_extras[n->mesh] || tn_morph_count(scene, i)) continue;
        uint32_t ancestor = groups->animated_ancestors[i];
        uint32_t group = n->skin;
        if (group == TENON_NONE)
            group = scene->skin_count + (ancestor == TENON_NONE ? scene->node_count : ancestor);
        groups->next[i] = groups->first[group];
        groups->first[group] = i;
        groups->sizes[group]++;
    }
}

// A copy of the scene in which animated nodes are roots at the origin. Its global matrices are then
// relative to the nearest animated node.
static tenon_scene *edit_join_meshes_copy_without_animated_transforms(tn_editor *editor,
                                                                      const bool *is_animated)
{
    const tenon_scene *scene = editor->scene;
    tenon_scene *copy = tn_edit_scratch(editor, 1, sizeof *copy);
    tenon_node *nodes = tn_edit_scratch(editor, scene->node_count, sizeof *nodes);
    if (editor->failed) return NULL;
    *copy = *scene;
    copy->nodes = nodes;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        nodes[i] = *n;
        if (!is_animated[i]) continue;
        nodes[i] = tn_empty_node(n->name, TENON_NONE);
        nodes[i].mesh = n->mesh, nodes[i].skin = n->skin;
    }
    return copy;
}

// The node that gets the mesh of a group: a node of the group that is where the animated ancestor
// is, or that ancestor, or a new node below it.
static uint32_t edit_join_meshes_find_target_node(tn_editor *editor, const mesh_groups *groups,
                                                  const tenon_pose *pose, uint32_t group)
{
    const tenon_scene *scene = editor->scene;
    uint32_t first = groups->first[group], ancestor = groups->animated_ancestors[first];
    if (scene->nodes[first].skin != TENON_NONE) return first;
    for (uint32_t i = first; i != TENON_NONE; i = groups->next[i])
        if (tn_is_at_origin(pose, i)) return i;
    if (ancestor != TENON_NONE && scene->nodes[ancestor].mesh == TENON_NONE) return ancestor;
    return tn_append_node(editor, scene->nodes[first].name, ancestor);
}

// A mesh with the primitives of all meshes of a group.
static tenon_mesh edit_join_meshes_collect_primitives(tn_editor *editor, const mesh_groups *groups,
                                                      const tenon_pose *pose, uint32_t group)
{
    const tenon_scene *scene = editor->scene;
    tenon_mesh out = scene->meshes[scene->nodes[groups->first[group]].mesh];
    uint64_t count = 0;
    uint32_t at = 0;
    for (uint32_t i = groups->first[group]; i != TENON_NONE; i = groups->next[i])
        count += scene->meshes[scene->nodes[i].mesh].primitive_count;
    if (count >= TENON_NONE)
        tn_edit_fail(editor, TENON_ERR_LIMIT, "a joined mesh would have too many parts");
    out.primitives = tn_edit_array(editor, count, sizeof *out.primitives);
    out.primitive_count = (uint32_t)count;
    for (uint32_t i = groups->first[group]; i != TENON_NONE && !editor->failed;
         i = groups->next[i]) {
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[i].mesh];
        if (scene->nodes[i].skin == TENON_NONE)
            tn_bake_primitives(editor, pose, i, out.primitives + at);
        else if (mesh->primitive_count)
            memcpy(out.primitives + at, mesh->primitives,
                   mesh->primitive_count * sizeof *mesh->primitives);
        at += mesh->primitive_count;
    }
    return out;
}

static void edit_join_meshes_join_meshes(tn_editor *editor)
{
    mesh_groups groups = {0};
    tenon_scene *scene = editor->scene;
    edit_join_meshes_find_groups(editor, &groups);
    tenon_scene *copy =
        editor->failed
            ? NULL
            : edit_join_meshes_copy_without_animated_transforms(editor, groups.is_animated);
    if (!copy) return;
    uint64_t room = (uint64_t)scene->mesh_count + scene->node_count;
    tenon_mesh *meshes = tn_edit_array(editor, room, sizeof *meshes);
    uint32_t *origins = tn_edit_scratch(editor, room, sizeof *origins);
    tenon_pose *pose = tn_edit_pose(editor, copy);
    uint32_t mesh_count = 0;
    for (; mesh_count < scene->mesh_count && !editor->failed; mesh_count++) {
        meshes[mesh_count] = scene->meshes[mesh_count];
        origins[mesh_count] = mesh_count;
    }
    for (uint32_t i = 0; i < groups.count && !editor->failed; i++) {
        if (groups.sizes[i] < 2) continue;
        uint32_t first = groups.first[i], skin = scene->nodes[first].skin;
        uint32_t target = edit_join_meshes_find_target_node(editor, &groups, pose, i);
        if (target == TENON_NONE) continue;
        origins[mesh_count] = scene->nodes[first].mesh;
        meshes[mesh_count] = edit_join_meshes_collect_primitives(editor, &groups, pose, i);
        for (uint32_t node = first; node != TENON_NONE; node = groups.next[node])
            scene->nodes[node].mesh = scene->nodes[node].skin = TENON_NONE;
        scene->nodes[target].mesh = mesh_count++;
        scene->nodes[target].skin = skin;
    }
    tenon_pose_free(pose);
    if (!editor->failed) tn_replace_meshes(editor, meshes, origins, mesh_count);
    if (!editor->failed) tn_drop_unused(editor);
}

void tn_edit_join_meshes(tn_editor *editor)
{
    edit_join_meshes_join_meshes(editor);
    for (uint32_t i = 0; i < editor->scene->mesh_count && !editor->failed; i++)
        edit_join_meshes_primitives(editor, &editor->scene->meshes[i]);
}
