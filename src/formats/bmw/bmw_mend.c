// bmw_mend.c: a BMW file of which only the beginning could be read, made whole.
// SPDX-License-Identifier: MIT

#include "bmw_format.h"

#include "../../core/span.h"
#include "../mending.h"

#include <string.h>

// -- Meshes

// Whether something can be seen of a mesh: vertices without faces are nothing where faces exist.
static bool bmw_is_hollow(const tenon_bmw *doc, const tenon_bmw_mesh *mesh)
{
    bool has_faces = doc->base.dialect->flags & TENON_BMW_FACES;
    return has_faces ? mesh->faces.count == 0 : mesh->vertices.count < 3;
}

// Only the last mesh can be unfinished.
static void bmw_mend_meshes(tenon_bmw *doc, const tn_change *change)
{
    tenon_bmw_mesh *last = doc->mesh_count ? &doc->meshes[doc->mesh_count - 1] : NULL;
    if (!last) return;
    if (!(doc->base.dialect->flags & TENON_BMW_FACES)) {
        last->vertices.count -= last->vertices.count % 3;
        last->vertices.size = last->vertices.count * last->vertices.layout->stride;
    }
    if (!bmw_is_hollow(doc, last)) return;
    tn_lose(change, TENON_DROPPED, "meshes", 1, "the file ends before its faces");
    doc->mesh_count--;
}

// -- Nodes

static void bmw_mark_shown(const tenon_bmw *doc, const tenon_bmw_node *node, bool *is_shown)
{
    tn_mark_shown(&node->meshes, is_shown, doc->mesh_count);
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_mark_shown(doc, &node->children[i], is_shown);
}

// A root that was not reached has no place, so it gets the usual one.
static void bmw_mend_root(tenon_bmw *doc, const tn_change *change)
{
    static const float nowhere[16];
    if (memcmp(doc->root.transform, nowhere, sizeof nowhere) != 0) return;
    for (int i = 0; i < 4; i++) doc->root.transform[5 * i] = 1;
    tn_lose(change, TENON_MADE_UP, "nodes", 1, "the file ends before its root, which has no place");
}

static bool bmw_show_all(tenon_bmw *doc, const tn_change *change)
{
    bool *is_shown = tn_arena_alloc(change->arena, doc->mesh_count, sizeof *is_shown, NULL);
    if (!is_shown) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    bmw_mark_shown(doc, &doc->root, is_shown);
    return tn_hang_on_root(change, &doc->root.meshes, is_shown, doc->mesh_count);
}

// -- Animations

// Only the last bone can have too few frames.
static void bmw_mend_animation(const tenon_bmw *doc, tenon_bmw_animation *a,
                               const tn_change *change)
{
    uint32_t flags = doc->base.dialect->flags;
    tenon_bmw_bone *last = a->bone_count ? &a->bones[a->bone_count - 1] : NULL;
    if (!last) return;
    if (flags & TENON_BMW_FRAMES_INFERRED) {
        last->frame_count = (uint32_t)last->frames.count;
        return;
    }
    uint64_t wanted = (uint64_t)a->duration + (flags & TENON_BMW_FRAMES_LITERAL ? 0 : 1);
    if (last->frames.count == wanted) return;
    tn_lose(change, TENON_DROPPED, "bones of an animation", 1, "not all of its frames are there");
    a->bone_count--;
}

bool bmw_mend(void *any, const tn_change *change)
{
    tenon_bmw *doc = any;
    bmw_mend_meshes(doc, change);
    bmw_mend_root(doc, change);
    for (uint32_t i = 0; i < doc->animation_count; i++)
        bmw_mend_animation(doc, &doc->animations[i], change);
    return !change->is_cut || bmw_show_all(doc, change);
}
