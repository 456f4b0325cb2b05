// bplx_export.c: export a scene as BPLX: one mesh in the rest pose, and bones that do not move it.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/clips/motion.h"
#include "exchange/export_document.h"
#include "exchange/losses.h"
#include "exchange/prepare.h"
#include "exchange/rig.h"
#include "scene/model/space.h"
#include "scene/pose/pose.h"

#include <string.h>

#define NEEDS (TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES | TN_NEEDS_NORMALS | TN_NEEDS_UVS)

typedef struct bplx_exporter {
    tn_export export;  // With the scene as it was prepared.
    const tenon_scene *scene;
    tenon_bplx *doc;
    tenon_pose *pose;  // At rest.
    tn_rig rig;
    bool *is_used;         // Of each material.
    bool is_blank;         // Some part has no material.
    uint32_t *node_bones;  // Of each node; TENON_NONE: not a bone.
    uint32_t *bone_nodes;  // Of each bone.
    uint64_t not_finite;
    uint64_t reversed;  // Normals that were reversed.
    tn_tally empty, sheared, curves;
} bplx_exporter;

// -- Materials

static bool bplx_export_has_glowing_texture(const tenon_material *material)
{
    return material->textures[TENON_SLOT_EMISSIVE].image != TENON_NONE;
}

// Used materials come first, since readers use the first one for everything.
static bool bplx_export_materials(bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tenon_bplx *doc = exporter->doc;
    uint32_t count = exporter->scene->material_count;
    uint64_t *clamped = &exporter->not_finite;
    exporter->is_used = tn_export_alloc(export, count, sizeof *exporter->is_used);
    if (!exporter->is_used) return false;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tenon_primitive *p = exporter->rig.parts[i].p;
        if (p->index_count && p->material == TENON_NONE) exporter->is_blank = true;
        if (p->index_count && p->material != TENON_NONE) exporter->is_used[p->material] = true;
    }
    doc->material_count = count;
    if (!(doc->base.dialect->flags & TENON_BPLX_MATERIALS)) return true;
    doc->materials = tn_export_alloc(export, count, sizeof *doc->materials);
    if (!doc->materials) return false;
    for (uint32_t n = 0; n < 2 * count; n++) {
        uint32_t i = n % count;
        if (exporter->is_used[i] != (n < count)) continue;
        const tenon_material *from = &exporter->scene->materials[i];
        tenon_bplx_material *to = &doc->materials[doc->material_list_count++];
        uint32_t image = from->textures[TENON_SLOT_BASE_COLOR].image;
        const char *path =
            image == TENON_NONE ? "" : tn_export_picture(export, image, TN_PICTURE_AS_COMMON);
        if (!path) return false;
        // Only its bright places glow. Without the texture, everything would.
        bool has_glow = bplx_export_has_glowing_texture(from);
        *to = (tenon_bplx_material){.name = from->name, .shininess = 1};
        for (int k = 0; k < 3; k++) {
            to->diffuse_color[k] = tn_narrow(from->base_color[k], clamped);
            if (!has_glow) to->emissive_color[k] = tn_narrow(from->emissive[k], clamped);
            // Only classic materials have a specular color.
            if (from->is_classic) to->specular_color[k] = tn_narrow(from->specular[k], clamped);
        }
        if (from->is_classic) to->shininess = tn_narrow(from->shininess, clamped);
        to->transparency = tn_narrow(from->base_color[3], clamped);  // It is the opacity.
        to->texture_path = (tenon_str){path, (uint32_t)strlen(path)};
        to->is_textured = to->texture_path.size > 0;
    }
    return true;
}

// -- The mesh

// All parts in the rest pose.
static bool bplx_export_mesh(bplx_exporter *exporter)
{
    static const tenon_texture none = {.scale = {1, 1}};
    tenon_bplx *doc = exporter->doc;
    uint64_t *clamped = &exporter->not_finite;
    tenon_primitive mesh;
    if (!tn_rig_merge(&exporter->export, &exporter->rig, false, "BPLX", &mesh)) return false;
    float *positions = mesh.positions, *normals = mesh.normals, *uvs_out = mesh.uvs[0];
    uint32_t *corners = mesh.indices;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        const tenon_primitive *p = part->p;
        tn_tally_at(&exporter->empty, p->index_count == 0, "meshes", part->mesh);
        if (p->index_count == 0) continue;
        tenon_pose_skin(exporter->pose, part->node, part->primitive, positions, normals);
        for (size_t v = 0; v < p->vertex_count; v++, positions += 3, normals += 3) {
            for (int k = 0; k < 3; k++) positions[k] = tn_narrow((double)positions[k], clamped);
            // Where a mesh is scaled to zero, normals point up.
            if (normals[0] == 0 && normals[1] == 0 && normals[2] == 0) normals[1] = 1;
        }
        const tenon_texture *t = &none;
        if (p->material != TENON_NONE)
            t = &exporter->scene->materials[p->material].textures[TENON_SLOT_BASE_COLOR];
        if (t->image == TENON_NONE) t = &none;
        const float *uvs = t->uv_set < TENON_UV_SETS ? p->uvs[t->uv_set] : NULL;
        if (!uvs) uvs = p->uvs[0];
        double sine = tn_sin(t->rotation), cosine = tn_cos(t->rotation);
        for (size_t v = 0; v < p->vertex_count && tn_export_goes_on(&exporter->export, 1); v++) {
            double x = t->scale[0] * (double)uvs[2 * v], y = t->scale[1] * (double)uvs[2 * v + 1];
            uvs_out[2 * v] = tn_narrow(cosine * x + sine * y + t->offset[0], clamped);
            uvs_out[2 * v + 1] = tn_narrow(1 - (cosine * y - sine * x + t->offset[1]),
                                           clamped);  // V starts at the bottom.
        }
        bool is_mirrored = tn_pose_mirrors(exporter->pose, part->node);
        for (uint32_t k = 0; is_mirrored && k + 2 < p->index_count; k += 3)
            tn_reverse_triangle(corners + k);
        uvs_out += 2 * (size_t)p->vertex_count;
        corners += p->index_count;
    }
    // Readers derive the winding from the normals. If most faces point away from their normals,
    // reverse the normals: otherwise readers would turn the mesh inside out.
    tn_turns turns = bplx_turns(&mesh);
    if (turns.against > turns.with) {
        exporter->reversed = mesh.vertex_count;
        for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; i++)
            mesh.normals[i] = -mesh.normals[i];
    }
    doc->positions = tn_span_of(mesh.positions, mesh.vertex_count, &tn_layout_f32x3);
    doc->normals = tn_span_of(mesh.normals, mesh.vertex_count, &tn_layout_f32x3);
    doc->uvs = tn_span_of(mesh.uvs[0], mesh.vertex_count, &tn_layout_f32x2);
    doc->faces = tn_span_of(mesh.indices, mesh.index_count / 3, &tn_layout_u32x3);
    return true;
}

// -- Bones

// Joints, nodes that clips move, and all nodes above them.
static bool bplx_export_bones(bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    tenon_bplx *doc = exporter->doc;
    uint32_t count = scene->node_count;
    tn_motion rest = {.scene = scene, .animation = TENON_NONE};
    rest.channels = tn_export_alloc(export, 3 * (uint64_t)count, sizeof *rest.channels);
    bool *is_bone = tn_export_alloc(export, count, sizeof *is_bone);
    exporter->node_bones = tn_export_alloc(export, count, sizeof *exporter->node_bones);
    exporter->bone_nodes = tn_export_alloc(export, count, sizeof *exporter->bone_nodes);
    if (!rest.channels || !is_bone || !exporter->node_bones || !exporter->bone_nodes) return false;
    for (uint32_t i = 0; i < count; i++) is_bone[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            is_bone[scene->skins[i].joints[k]] = true;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_bone[scene->animations[i].channels[k].node] = true;
    for (uint32_t i = count; i-- > 0;)
        if (is_bone[i] && scene->nodes[i].parent != TENON_NONE)
            is_bone[scene->nodes[i].parent] = true;
    for (uint32_t i = 0; i < count; i++) {
        exporter->node_bones[i] = is_bone[i] ? doc->bone_count : TENON_NONE;
        if (is_bone[i]) exporter->bone_nodes[doc->bone_count++] = i;
    }
    if (doc->bone_count > INT32_MAX)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                        "the scene has too many bones for BPLX");
    doc->bones = tn_export_alloc(export, doc->bone_count, sizeof *doc->bones);
    if (!doc->bones) return false;
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        uint32_t node = exporter->bone_nodes[i], parent = scene->nodes[node].parent;
        tenon_bplx_bone *bone = &doc->bones[i];
        tn_trs local = tn_motion_local(&rest, node, 0), ignored;
        if (scene->nodes[node].has_matrix) {
            tn_mat4 matrix;
            memcpy(matrix.m, scene->nodes[node].matrix, sizeof matrix.m);
            uint32_t flags = tn_mat4_decompose(&matrix, &ignored);
            tn_tally_at(&exporter->sheared, (flags & TN_TRS_SHEARED) != 0, "nodes", node);
        }
        tn_trs_to_floats(&local, bone->rest_position, bone->rest_rotation, bone->rest_scale,
                         &exporter->not_finite);
        bone->name = scene->nodes[node].name;
        bone->parent_index = parent == TENON_NONE ? -1 : (int32_t)exporter->node_bones[parent];
    }
    return true;
}

// -- Clips

typedef struct bplx_key {
    double seconds;
    float time;  // As stored in the file.
    uint32_t bone;
} bplx_key;

static bool bplx_export_is_earlier(const void *keys, uint32_t a, uint32_t b)
{
    return ((const bplx_key *)keys)[a].time < ((const bplx_key *)keys)[b].time;
}

static bool bplx_export_clip(bplx_exporter *exporter, uint32_t index, tenon_bplx_clip *clip)
{
    const tn_export *export = &exporter->export;
    const tenon_animation *from = &exporter->scene->animations[index];
    uint64_t stride = bplx_keyframe_layout.stride, count = 0;
    uint32_t bone_count = exporter->doc->bone_count, at = 0;
    tn_motion motion = {0};
    tn_times *times = tn_export_alloc(export, bone_count, sizeof *times);
    if (!times || !tn_motion_make(export, index, &motion)) return false;
    for (uint32_t i = 0; i < bone_count; i++) {
        uint32_t node = exporter->bone_nodes[i];
        if (!tn_motion_moves(&motion, node)) continue;
        if (!tn_motion_times(export, &motion, node, TN_MOVES_ALL, 0, &times[i])) return false;
        count += times[i].count;
    }
    if (count > UINT32_MAX)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED, "a clip has too many keys for BPLX");
    bplx_key *keys = tn_export_alloc(export, count, sizeof *keys);
    uint32_t *order = tn_export_alloc(export, 2 * count, sizeof *order);
    // Of each bone, the rotation of its last key: of q and -q the one nearer to it is stored, so
    // that readers interpolate the shorter way.
    tn_quat *turns = tn_export_alloc(export, bone_count, sizeof *turns);
    if (!keys || !order || !turns) return false;
    for (uint32_t i = 0; i < bone_count; i++) {
        float last = -1;
        for (uint32_t k = 0; k < times[i].count; k++, at++) {
            float time = tn_narrow(times[i].at[k], &exporter->not_finite);
            if (time <= last) time = tn_float_after(last);
            keys[at] = (bplx_key){times[i].at[k], time, i};
            order[at] = at;
            last = time;
        }
    }
    // By time; equal times by bone.
    tn_sort(order, order + count, (uint32_t)count, bplx_export_is_earlier, keys);
    // The arena of the export is rewound after the clip, that of the document is not.
    uint8_t *bytes = tn_arena_alloc_or_fail(&exporter->doc->base.owner->arena, count,
                                            (size_t)stride, "the model", export->err);
    if (!bytes) return false;
    for (uint32_t i = 0; i < count; i++) {
        const bplx_key *key = &keys[order[i]];
        uint8_t *out = bytes + stride * i;
        float numbers[10];
        tn_trs local = tn_motion_local(&motion, exporter->bone_nodes[key->bone], key->seconds);
        turns[key->bone] = local.rotation = tn_quat_nearer(local.rotation, turns[key->bone]);
        tn_trs_to_floats(&local, numbers, numbers + 3, numbers + 7, &exporter->not_finite);
        tn_copy_numbers(out, &key->time, 1, 4, false);
        tn_copy_numbers(out + 4, &key->bone, 1, 4, false);
        tn_copy_numbers(out + 8, numbers, 10, 4, false);
    }
    for (uint32_t i = 0; i < from->channel_count; i++)
        tn_tally_at(&exporter->curves,
                    from->channels[i].curve != TENON_LINEAR && from->channels[i].key_count > 1,
                    "animations", index);
    clip->name = from->name;
    clip->animation_length = tn_narrow(from->duration, &exporter->not_finite);
    clip->keyframes = (tenon_span){bytes, stride * count, count, &bplx_keyframe_layout, false};
    return true;
}

// -- Losses

static bool bplx_export_has_other_alpha(const tenon_material *material)
{
    return material->alpha != (material->base_color[3] < 1 ? TENON_BLEND : TENON_OPAQUE);
}

static bool bplx_export_is_transformed(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    double rows[2][3];
    return t->image != TENON_NONE && (tn_texture_rows(t, rows) || t->uv_set != 0);
}

static const tn_limit bplx_material_limits[] = {
    {.feature = TN_HAS_METAL, .why = "BPLX stores a specular color and shininess instead"},
    {.is_lost = bplx_export_has_other_alpha,
     .name = "alpha modes",
     .kind = TENON_APPROXIMATED,
     .why = "BPLX stores only one opacity per material"},
    {.is_lost = bplx_export_is_transformed,
     .name = "transforms of textures",
     .kind = TENON_APPROXIMATED,
     .why = "applied to the texture coordinates"},
    {.feature = TN_HAS_DOUBLE_SIDES},
    {.feature = TN_HAS_UNLIT},
    {.feature = TN_HAS_STRENGTHS},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR),
     .name = "further textures",
     .why = "BPLX supports one texture per material"},
    {.is_lost = bplx_export_has_glowing_texture,
     .name = "emissive colors",
     .kind = TENON_DROPPED,
     .why = "without their textures, all of the surface would glow"},
    {.feature = TN_HAS_TEXTURE_WRAPS, .most = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR)},
    {.feature = TN_HAS_PICTURE_NAMES},
};

static const tn_limit bplx_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_TANGENTS},
    {.feature = TN_HAS_UV_SETS, .most = 1, .why = "BPLX supports one set"},
    {.feature = TN_HAS_COLOR_SETS},
    {.feature = TN_HAS_WEIGHTS, .why = "not supported by BPLX: bones do not move vertices"},
    {.feature = TN_HAS_SKINS, .why = "not supported by BPLX; vertices are in the rest pose"},
    {.feature = TN_HAS_EVENTS},
    {.feature = TN_HAS_SCENE_NAME},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
    {.feature = TN_HAS_EXTRAS},
};

static void bplx_export_report_losses(const bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_tally lost = {0}, promoted = {0};
    bool is_back = false;  // Import creates one node for the mesh, without a transform.
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        bool is_bone = exporter->node_bones[i] != TENON_NONE;
        bool is_usual = !is_bone && !is_back && node->mesh != TENON_NONE &&
                        tn_text_is(node->name, "mesh") && node->parent == TENON_NONE &&
                        tn_is_unmoved(node);
        is_back = is_back || is_usual;
        tn_tally_at(&promoted, is_bone && !node->is_joint, "nodes", i);
        tn_tally_at(&lost, !is_bone && !is_usual, "nodes", i);
    }
    tn_export_report_tally(export, &lost, TENON_DROPPED, "nodes",
                           "BPLX stores only bones; other transforms were applied to the vertices");
    tn_export_report_tally(export, &promoted, TENON_APPROXIMATED, "nodes", "converted to bones");
    tn_export_report_tally(export, &exporter->sheared, TENON_APPROXIMATED, "shear",
                           "BPLX bones do not support shear");
    uint64_t parts = exporter->rig.part_count - exporter->empty.count;
    // Import gives the name "mesh" to the mesh and its node.
    tn_tally names = {0}, still = {0};
    bool *is_seen = tn_export_alloc(export, scene->mesh_count, sizeof *is_seen);
    bool *moves = tn_moving_nodes(export);
    bool *skin_moves = tn_export_alloc(export, scene->skin_count, sizeof *skin_moves);
    if (!is_seen || !moves || !skin_moves) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE) is_seen[scene->nodes[i].mesh] = true;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        tenon_str name = scene->meshes[i].name;
        tn_tally_at(&names, is_seen[i] && name.size && !tn_text_is(name, "mesh"), "meshes", i);
    }
    // Meshes that clips move in the scene, but not in the file.
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            skin_moves[i] = skin_moves[i] || moves[scene->skins[i].joints[k]];
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        uint32_t skin = scene->nodes[part->node].skin;
        tn_tally_at(&still, part->is_skinned ? skin_moves[skin] : moves[part->node], "meshes",
                    part->mesh);
    }
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of meshes",
                           "not supported by BPLX");
    tn_export_report_tally(export, &exporter->empty, TENON_DROPPED, "parts of meshes", "empty");
    tn_export_report(export, TENON_APPROXIMATED, "meshes", parts > 1 ? parts : 0, "meshes[0]",
                     "merged into one");
    tn_export_report(export, TENON_SYNTHESIZED, "meshes", parts == 0, NULL,
                     "BPLX requires one; an empty mesh was added");
    tn_export_report(export, TENON_APPROXIMATED, "normals", exporter->reversed, NULL,
                     "most faces point away from their normals, and readers would flip the faces");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "motion of meshes", still.count, still.path,
                          "bones do not move the mesh, which stays in the rest pose");

    uint32_t count = scene->material_count, used = 0;
    for (uint32_t i = 0; i < count; i++) used += exporter->is_used[i];
    if (exporter->doc->base.dialect->flags & TENON_BPLX_MATERIALS) {
        bool is_mixed = used > 1 || (used && exporter->is_blank) || (!used && count);
        tn_export_report(export, TENON_APPROXIMATED, "materials", is_mixed ? count : 0,
                         "materials[0]",
                         "BPLX does not assign materials to faces; readers use the first for all");
        tn_export_report(export, TENON_APPROXIMATED, "materials", is_mixed ? 0 : count - used, NULL,
                         "not used by any face; readers use only the first");
        tn_report_limits(export, "BPLX", bplx_material_limits,
                         sizeof bplx_material_limits / sizeof *bplx_material_limits);
        tn_export_report(
            export, TENON_DEFAULTED, "layout", !export->dialect, NULL,
            "written as documented, but the published reader reads only the dialect 'script'");
    } else {
        tn_export_report(export, TENON_DROPPED, "materials", count, "materials[0]",
                         "not supported by the dialect 'script'");
    }
    tn_export_report_tally(export, &exporter->curves, TENON_APPROXIMATED, "curves",
                           "converted to linear interpolation");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite, NULL,
                     "values too large for a float were clamped");
    tn_report_limits(export, "BPLX", bplx_limits, sizeof bplx_limits / sizeof *bplx_limits);
}

bool bplx_export(const tn_export *export)
{
    const tenon_dialect *dialect = export->dialect ? export->dialect : tn_bplx_format.face.dialects;
    bplx_exporter exporter = {.export = *export, .scene = tn_prepare(export, NEEDS)};
    exporter.export.scene = exporter.scene;
    if (exporter.scene) exporter.doc = tn_export_doc(&exporter.export, &tn_bplx_format, dialect);
    if (!exporter.doc) return false;
    exporter.doc->version = 1;
    exporter.pose = tenon_pose_new(exporter.scene, &export->opts->allocator, export->err);
    uint32_t clip_count = exporter.scene->animation_count;
    exporter.doc->clips = tn_export_alloc(export, clip_count, sizeof *exporter.doc->clips);
    bool ok = exporter.pose && exporter.doc->clips &&
              tn_rig_make(&exporter.export, TN_RIGID_WITHOUT_BONES, true, &exporter.rig) &&
              bplx_export_materials(&exporter) && bplx_export_mesh(&exporter) &&
              bplx_export_bones(&exporter);
    for (uint32_t i = 0; i < clip_count && ok; i++) {
        tn_mark mark =
            tn_arena_mark(export->arena);  // Temporary memory of a clip is freed after it.
        ok = bplx_export_clip(&exporter, i, &exporter.doc->clips[i]);
        tn_arena_rewind(export->arena, mark);
        exporter.doc->clip_count = i + 1;
    }
    ok = ok && tn_export_put_doc(&exporter.export, "", exporter.doc);
    if (ok) bplx_export_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    return ok && export->err->code == TENON_OK;
}
