// puppet_format.h: all that a new format of an engine needs: a mesh, a skin and one clip.
// SPDX-License-Identifier: MIT
//
// Reading, writing, map, dump, build, check, info, tree, recovery and losses follow from what the
// format says about itself here; test_new_format.c uses each of them.

#ifndef TENON_TESTS_PUPPET_FORMAT_H
#define TENON_TESTS_PUPPET_FORMAT_H

#include "core/cursor/span.h"
#include "document/view.h"
#include "exchange/clips/motion.h"
#include "exchange/export_document.h"
#include "exchange/losses.h"
#include "exchange/prepare.h"
#include "exchange/rig.h"
#include "exchange/vertex_codec.h"

// -- The document

typedef struct puppet_bone {
    tenon_str name;
    int32_t parent;
    float rest[10], inverse_bind[16];  // As a frame has it.
} puppet_bone;

typedef struct puppet {
    tenon_doc base;
    uint8_t is_looping;
    uint32_t reserved;
    tenon_str texture, clip_name;
    uint32_t bone_count;
    puppet_bone *bones;
    float rate;                          // Frames per second.
    tenon_span vertices, faces, frames;  // From each bone to the model, for each frame.
} puppet;

// -- What its bytes are

static const tenon_element puppet_vertex_elements[] = {{"position", TENON_TYPE_F32, 3, 0, 0},
                                                       {"normal", TENON_TYPE_F32, 3, 0, 12},
                                                       {"uv", TENON_TYPE_F32, 2, 0, 24},
                                                       {"joints", TENON_TYPE_F32, 4, 0, 32},
                                                       {"weights", TENON_TYPE_F32, 4, 0, 48}};
static const tenon_layout puppet_vertex_layout = {puppet_vertex_elements, 5, 64, NULL, 0, NULL};
static const tenon_element puppet_frame_elements[] = {{"translation", TENON_TYPE_F32, 3, 0, 0},
                                                      {"rotation", TENON_TYPE_F32, 4, 0, 12},
                                                      {"scale", TENON_TYPE_F32, 3, 0, 28}};
static const tenon_layout puppet_frame_layout = {puppet_frame_elements, 3, 40, NULL, 0, NULL};

static void puppet_describe(tn_io *io, void *any)
{
    puppet *doc = any;
    tn_magic(io, "magic", "PUPPET", 6);
    tn_as(io, TN_ROLE_FLAG);
    tn_u8(io, "is_looping", &doc->is_looping);
    tn_as(io, TN_ROLE_RESERVED);
    tn_u32(io, "reserved", &doc->reserved);
    tn_as(io, TN_ROLE_TEXTURE);
    tn_str32(io, "texture", &doc->texture);
    tn_list(io, "bones", &doc->bones, &doc->bone_count, sizeof *doc->bones, 112);
    for (uint32_t i = 0; tn_next(io, i, doc->bone_count); i++) {
        tn_str32(io, "name", &doc->bones[i].name);
        tn_i32(io, "parent", &doc->bones[i].parent);
        tn_f32s(io, "rest", doc->bones[i].rest, 10);
        tn_f32s(io, "inverse_bind", doc->bones[i].inverse_bind, 16);
    }
    tn_counted(io, "vertices", &doc->vertices, &puppet_vertex_layout);
    tn_counted(io, "faces", &doc->faces, &tn_layout_u32x3);
    tn_str32(io, "clip_name", &doc->clip_name);
    tn_f32(io, "rate", &doc->rate);
    tn_counted(io, "frames", &doc->frames, &puppet_frame_layout);
}

// -- What it contains

static uint64_t puppet_frame_count(const puppet *doc)
{
    return doc->bone_count ? doc->frames.count / doc->bone_count : 0;
}

static bool puppet_open(tn_view *view)
{
    const puppet *doc = view->doc;
    view->mesh_count = 1;
    view->node_count = doc->bone_count;
    view->clip_count = doc->frames.count > 0;
    return true;
}

static void puppet_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    puppet *doc = (puppet *)view->doc;
    (void)index;
    mesh->vertex_count = doc->vertices.count;
    mesh->array_count = 1;
    mesh->arrays[0] = (tn_array_view){&doc->vertices, "vertices"};
    mesh->position = &puppet_vertex_elements[0];
    mesh->joints = &puppet_vertex_elements[3];
    mesh->weights = &puppet_vertex_elements[4];
    mesh->joint_count = doc->bone_count;
    mesh->part.indices = &doc->faces;
    mesh->part.path = tn_path("faces");
}

static void puppet_view_node(const tn_view *view, uint32_t index, tenon_tree_node *node,
                             uint32_t *parent)
{
    const puppet *doc = view->doc;
    node->name = doc->bones[index].name;
    node->kind = "bone";
    *parent = (uint32_t)doc->bones[index].parent;
}

static void puppet_view_clip(const tn_view *view, uint32_t index, tenon_clip_info *clip)
{
    const puppet *doc = view->doc;
    (void)index;
    *clip = (tenon_clip_info){.name = doc->clip_name,
                              .seconds = (double)(puppet_frame_count(doc) - 1) / (double)doc->rate,
                              .channels = doc->bone_count,
                              .frames = puppet_frame_count(doc)};
}

static const tn_views puppet_views = {.open = puppet_open,
                                      .mesh = puppet_view_mesh,
                                      .node = puppet_view_node,
                                      .clip = puppet_view_clip};

// -- Its rules

static const tenon_rule puppet_rules[] = {
    {"puppet/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"puppet/text-utf8", TENON_WARNING, "texts are UTF-8", NULL, NULL},
    {"puppet/flag", TENON_WARNING, "a flag is 0 or 1", NULL, NULL},
    {"puppet/padding", TENON_WARNING, "reserved words are 0", NULL, NULL},
    {"puppet/texture-path", TENON_WARNING, "the texture is in the model's folder", NULL, NULL},
    {"puppet/index-range", TENON_ERROR, "faces refer to vertices that exist", NULL, NULL},
};

// -- Import

static tn_vertices puppet_streams(const tenon_span *vertices)
{
    return (tn_vertices){.count = vertices->count,
                         .has_skin_joints = true,
                         .streams = {[TN_POSITION] = tn_find_stream(vertices, "position"),
                                     [TN_NORMAL] = tn_find_stream(vertices, "normal"),
                                     [TN_WEIGHTS] = tn_find_stream(vertices, "weights"),
                                     [TN_JOINTS] = tn_find_stream(vertices, "joints"),
                                     [TN_UV0] = tn_find_stream(vertices, "uv")}};
}

static void puppet_import_bones(tn_scene_builder *builder, const puppet *doc, tenon_skin *skin)
{
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        const puppet_bone *bone = &doc->bones[i];
        skin->joints[i] = tn_add_node(builder, bone->name, TENON_NONE);
        tn_set_trs_floats(builder, skin->joints[i], bone->rest, bone->rest + 3, bone->rest + 7);
        memcpy(skin->inverse_binds + 16 * (size_t)i, bone->inverse_bind, 64);
    }
}

static void puppet_import_clip(tn_scene_builder *builder, const puppet *doc, const tenon_skin *skin)
{
    uint64_t count = puppet_frame_count(doc);
    uint32_t clip = tn_add_animation(builder, doc->clip_name, 3 * doc->bone_count);
    for (uint32_t i = 0; !builder->failed && i < doc->bone_count; i++) {
        tenon_channel *channels = builder->scene->animations[clip].channels + 3 * (size_t)i;
        tn_channels_alloc(builder, channels, skin->joints[i], count);
        for (size_t k = 0; k < count && !builder->failed; k++) {
            float frame[10];
            tn_copy_numbers(frame, tn_span_record(&doc->frames, k * doc->bone_count + i), 10, 4,
                            false);
            tn_channels_set(channels, k, (float)k / doc->rate, frame);
        }
    }
}

static void puppet_import(tn_scene_builder *builder, const void *any)
{
    const puppet *doc = any;
    const tenon_str name = {"puppet", 6};
    uint32_t material = tn_add_material(builder, name), mesh = tn_add_mesh(builder, name, 1);
    uint32_t skin = tn_add_skin(builder, name, doc->bone_count);
    uint32_t node = tn_add_node(builder, name, TENON_NONE);
    if (builder->failed) return;
    tn_set_texture(builder, material, TENON_SLOT_BASE_COLOR, doc->texture);
    builder->scene->nodes[node].mesh = mesh;
    builder->scene->nodes[node].skin = skin;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    tn_vertices from = puppet_streams(&doc->vertices);
    tn_import_vertices(builder, &from, 3 * doc->faces.count, TN_WITH_SKIN, p);
    if (builder->failed) return;
    p->material = material;
    if (p->index_count) tn_copy_numbers(p->indices, doc->faces.data, p->index_count, 4, false);
    puppet_import_bones(builder, doc, &builder->scene->skins[skin]);
    if (doc->frames.count) puppet_import_clip(builder, doc, &builder->scene->skins[skin]);
}

// -- Export

static const tn_limit puppet_limits[] = {
    {.feature = TN_HAS_TANGENTS},
    {.feature = TN_HAS_COLOR_SETS, .why = "the engine has none"},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS}};

static const tn_format puppet_format;

static bool puppet_export_mesh(const tn_export *export, const tn_rig *rig, puppet *doc)
{
    tenon_primitive mesh;
    if (!tn_rig_merge(export, rig, true, "Puppet", &mesh)) return false;
    uint8_t *vertices = tn_export_alloc(export, mesh.vertex_count, 64);
    if (!vertices) return false;
    doc->vertices = tn_span_of(vertices, mesh.vertex_count, &puppet_vertex_layout);
    doc->faces = tn_span_of(mesh.indices, mesh.index_count / 3, &tn_layout_u32x3);
    tn_vertices to = puppet_streams(&doc->vertices);
    tn_pack_vertices(&to, &mesh, vertices);
    return true;
}

static void puppet_store(const tenon_pose *pose, const tn_bone *bone, float frame[10])
{
    tn_trs trs;
    (void)tn_split_matrix(tenon_pose_global(pose, bone->node), &trs);
    tn_trs_to_floats(&trs, frame, frame + 3, frame + 7, NULL);
}

static bool puppet_export_bones(const tn_export *export, const tn_rig *rig, puppet *doc)
{
    const tenon_scene *scene = export->scene;
    tenon_pose *pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    uint64_t count = rig->bone_count;
    uint64_t frames = scene->animation_count ? tn_frame_count(scene->animations->duration, 30) : 0;
    float *keys = tn_export_alloc(export, frames * count, 40);
    doc->bones = tn_export_alloc(export, count, sizeof *doc->bones);
    doc->rate = 30;
    if (frames) doc->clip_name = scene->animations->name;
    bool ok = pose && keys && doc->bones;
    for (uint32_t i = 0; ok && i < count; i++) {
        puppet_bone *bone = &doc->bones[doc->bone_count++];
        *bone = (puppet_bone){.name = scene->nodes[rig->bones[i].node].name, .parent = -1};
        puppet_store(pose, &rig->bones[i], bone->rest);
        for (int k = 0; k < 16; k++) bone->inverse_bind[k] = (float)rig->bones[i].inverse_bind.m[k];
    }
    for (uint64_t i = 0; ok && i < frames * count; i++) {
        if (i % count == 0) tenon_pose_set(pose, 0, (double)(i / count) / 30);
        puppet_store(pose, &rig->bones[i % count], keys + 10 * i);
    }
    if (ok) doc->frames = tn_span_of(keys, frames * count, &puppet_frame_layout);
    tenon_pose_free(pose);
    return ok;
}

static bool puppet_export(const tn_export *given)
{
    tn_export export = *given;
    tn_rig rig;
    puppet *doc = NULL;
    export.scene = tn_prepare(given, TN_NEEDS_ALL & ~(uint32_t)TN_NEEDS_TANGENTS);
    if (export.scene) doc = tn_export_doc(&export, &puppet_format, puppet_format.face.dialects);
    if (!doc || !tn_rig_make(&export, TN_RIGID_ALL, false, &rig) ||
        !puppet_export_mesh(&export, &rig, doc) || !puppet_export_bones(&export, &rig, doc) ||
        !tn_export_put_doc(&export, "", doc))
        return false;
    tn_report_limits(&export, "Puppet", puppet_limits,
                     sizeof puppet_limits / sizeof *puppet_limits);
    return export.err->code == TENON_OK;
}

// -- The format

static const tenon_dialect puppet_dialects[] = {{"only", "", 0, false}};

static const tn_format puppet_format = {
    .face = {.name = "puppet",
             .title = "Puppet",
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHECK |
                     TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = puppet_dialects,
             .dialect_count = 1,
             .rules = puppet_rules,
             .rule_count = sizeof puppet_rules / sizeof *puppet_rules},
    .doc_size = sizeof(puppet),
    .magic = "PUPPET",
    .describe = puppet_describe,
    .views = &puppet_views,
    .recover = tn_view_recover,
    .import = puppet_import,
    .export = puppet_export,
};

#endif  // TENON_TESTS_PUPPET_FORMAT_H
