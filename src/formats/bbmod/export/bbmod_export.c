// bbmod_export.c: exporting a scene as a BBMOD model with animations and material files.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"

#include "document/document.h"
#include "exchange/prepare.h"

#include <stdio.h>

bool bbmod_has_bones(const tn_part *part)
{
    return part->is_skinned || part->bone != TENON_NONE;
}

static bool bbmod_has_skinned(const tenon_scene *s)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *node = &s->nodes[i];
        if (node->mesh == TENON_NONE || node->skin == TENON_NONE) continue;
        for (uint32_t k = 0; k < s->meshes[node->mesh].primitive_count; k++)
            if (s->meshes[node->mesh].primitives[k].influence_count) return true;
    }
    return false;
}

// In versions with one vertex format for all, either all meshes have bones or none. Before version
// 3 nodes do not transform meshes, so animated meshes need bones.
static tn_rigid bbmod_choose_rigid(const bbmod_exporter *w)
{
    uint32_t flags = w->e->dialect ? w->e->dialect->flags : w->doc->base.dialect->flags;
    bool is_free = (flags & (TENON_BBMOD_MESH_FORMATS | TENON_BBMOD_NO_BONE_COUNT)) ||
                   !(flags & TENON_BBMOD_BONES);
    bool is_stiff = (flags & TENON_BBMOD_MATRICES) && w->s->animation_count;
    if (is_free || !(is_stiff || bbmod_has_skinned(w->s))) return TN_RIGID_WITHOUT_BONES;
    return TN_RIGID_ALL;
}

// All joints of skins become bones. If these are too many for the engine, only those with weights.
static bool bbmod_find_bones(bbmod_exporter *w)
{
    if (!tn_rig_make(w->e, w->rigid, true, &w->rig)) return false;
    if (w->rig.bone_count <= BBMOD_ENGINE_MOST) return true;
    return tn_rig_make(w->e, w->rigid, false, &w->rig);
}

// Version 1 animates bones only, so every animated node becomes a bone.
static bool bbmod_add_moving(bbmod_exporter *w)
{
    uint32_t count = w->rig.bone_count;
    bool *moves = tn_moving_nodes(w->e);
    tn_bone *bones = tn_export_alloc(w->e, (uint64_t)count + w->s->node_count, sizeof *bones);
    if (!moves || !bones) return false;
    for (uint32_t i = 0; i < count; i++) {
        bones[i] = w->rig.bones[i];
        moves[bones[i].node] = false;
    }
    for (uint32_t i = 0; i < w->s->node_count; i++)
        if (moves[i]) bones[count++] = (tn_bone){.node = i, .inverse_bind = tn_mat4_identity()};
    w->rig.bones = bones;
    w->rig.bone_count = count;
    return true;
}

static bool bbmod_export_rig(bbmod_exporter *w)
{
    bool is_v1 = w->e->dialect && (w->e->dialect->flags & TENON_BBMOD_NESTED);
    w->rigid = bbmod_choose_rigid(w);
    if (!bbmod_find_bones(w)) return false;
    return !is_v1 || w->rigid == TN_RIGID_WITHOUT_BONES || bbmod_add_moving(w);
}

// Whether some part has no material.
static bool bbmod_needs_material(const bbmod_exporter *w)
{
    for (uint32_t i = 0; i < w->rig.part_count; i++)
        if (w->rig.parts[i].p->material == TENON_NONE) return true;
    return false;
}

// Version 0 is recognized by its vertices, so it needs some.
static bool bbmod_is_known(const bbmod_exporter *w)
{
    const tenon_dialect *dialect = w->e->dialect;
    bool is_v0 = dialect && !(dialect->flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER));
    for (uint32_t i = 0; is_v0 && i < w->doc->mesh_count; i++)
        if (w->doc->meshes[i].primitive_type == TENON_BBMOD_TRIANGLES) return true;
    return !is_v0 ||
           tn_error(w->e->err, TENON_ERR_UNSUPPORTED,
                    "version 0 of BBMOD stores one mesh, but the scene has no visible triangles");
}

static bool bbmod_export_model(bbmod_exporter *w)
{
    if (!bbmod_export_rig(w) || !bbmod_export_bodies(w) || !bbmod_export_bones(w)) return false;
    w->default_material = bbmod_needs_material(w) ? w->s->material_count : TENON_NONE;
    return bbmod_leave_out(w) && bbmod_export_limbs(w) && bbmod_export_meshes(w) &&
           bbmod_is_known(w) && bbmod_fill_tree(w) && bbmod_export_materials(w);
}

// The dialects of the document cannot store everything that poses need, so the error is measured.
static void bbmod_take_loss(void *user, const tenon_loss *loss)
{
    const tn_export *e = user;
    if (e->dialect->flags & TENON_BBMOD_DOCUMENT)
        tn_export_approximate(e, TN_MEASURE_REMAINDER, loss->feature, loss->count, loss->path,
                              loss->why);
    else
        tn_export_report(e, loss->kind, loss->feature, loss->count, loss->path, loss->why);
}

// The document has the newest dialect and is downgraded.
bool bbmod_put_doc(const bbmod_exporter *w, const char *name, tenon_doc *doc,
                   const tenon_dialect *dialect)
{
    const tn_export *e = w->e;
    tenon_change_opts opts = {.dialect = dialect->name,
                              .lost = bbmod_take_loss,
                              .user = (void *)e,
                              .model = name[0] ? &w->doc->base : NULL};
    if (dialect != doc->dialect && !tn_doc_change(doc, &opts, e->err)) return false;
    return tn_export_put_doc(e, name, doc);
}

static bool bbmod_spaces_are_known(const tn_export *e)
{
    uint32_t known = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    return !(e->opts->spaces & ~known) ||
           tn_error(e->err, TENON_ERR_UNSUPPORTED,
                    "the spaces must be a combination of 1, 2 and 4");
}

bool bbmod_export(const tn_export *e)
{
    if (!bbmod_spaces_are_known(e)) return false;
    const tenon_scene *scene = tn_prepare(e, TN_NEEDS_NORMALS | TN_NEEDS_TANGENTS);
    if (!scene) return false;
    tn_export with = *e;
    with.scene = scene;
    bbmod_exporter w = {.e = &with, .s = scene};
    w.doc = tn_export_doc(&with, &tn_bbmod_format, bbmod_newest_dialect());
    if (!w.doc || !bbmod_export_model(&w) || !bbanim_export_clips(&w)) return false;
    bbmod_report_losses(&w);
    return bbmod_put_doc(&w, "", &w.doc->base, e->dialect ? e->dialect : w.doc->base.dialect);
}
