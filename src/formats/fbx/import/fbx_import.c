// fbx_import.c: imports an FBX file: its settings, then its parts; what the scene does not have.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import.h"
#include "formats/fbx/import/fbx_import_old.h"

#include "core/text/text.h"
#include "scene/pictures/pixels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Memory and numbers

void *fbx_import_alloc(fbx_importer *importer, uint64_t count, size_t size)
{
    return tn_scene_alloc(importer->builder, &importer->scratch, count, size);
}

bool fbx_import_grow_in(fbx_importer *importer, tn_arena *arena, void **items, uint32_t count,
                        uint32_t *room, size_t size)
{
    if (count < *room) return !importer->builder->failed;
    if (count >= UINT32_MAX / 4)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "a list is too long");
    uint32_t wanted = count ? 2 * count : 16;
    void *longer = tn_scene_alloc(importer->builder, arena, wanted, size);
    if (!longer) return false;
    if (count) memcpy(longer, *items, count * size);
    *items = longer;
    *room = wanted;
    return true;
}

bool fbx_import_grow(fbx_importer *importer, void **items, uint32_t count, uint32_t *room,
                     size_t size)
{
    return fbx_import_grow_in(importer, &importer->scratch, items, count, room, size);
}

// Numbers that could not be decoded have set the error.
static void *fbx_import_keep(fbx_importer *importer, void *numbers)
{
    if (!numbers) importer->builder->failed = true;
    return numbers;
}

double *fbx_import_f64s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count)
{
    *count = 0;
    if (importer->builder->failed) return NULL;
    return fbx_import_keep(
        importer, fbx_f64s(importer->doc, node, &importer->scratch, count, importer->builder->err));
}

float *fbx_import_f32s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count)
{
    *count = 0;
    if (importer->builder->failed) return NULL;
    return fbx_import_keep(
        importer, fbx_f32s(importer->doc, node, &importer->scratch, count, importer->builder->err));
}

int32_t *fbx_import_i32s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count)
{
    *count = 0;
    if (importer->builder->failed) return NULL;
    return fbx_import_keep(
        importer, fbx_i32s(importer->doc, node, &importer->scratch, count, importer->builder->err));
}

int64_t *fbx_import_i64s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count)
{
    *count = 0;
    if (importer->builder->failed) return NULL;
    return fbx_import_keep(
        importer, fbx_i64s(importer->doc, node, &importer->scratch, count, importer->builder->err));
}

// -- Losses

void fbx_import_count(fbx_importer *importer, fbx_unread what, uint64_t count, uint32_t object)
{
    tn_tally *tally = &importer->unread[what];
    if (count == 0) return;
    if (tally->count == 0 && object != TENON_NONE)
        (void)tn_text_clean(importer->objects[object].name.data,
                            importer->objects[object].name.size, tally->path, sizeof tally->path);
    tally->count += count;
}

tenon_str fbx_import_text(fbx_importer *importer, tenon_str text)
{
    // The characters from 0x80 to 0x9f; others are those of Unicode.
    static const uint16_t special[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    if (tn_utf8_valid(text.data, text.size) || text.size > UINT32_MAX / 4) return text;
    char *out = fbx_import_alloc(importer, 4 * (uint64_t)text.size, 1);
    uint32_t size = 0;
    for (uint32_t i = 0; out && i < text.size; i++) {
        uint8_t c = (uint8_t)text.data[i];
        size += (uint32_t)tn_utf8_put(c >= 0x80 && c < 0xa0 ? special[c - 0x80] : c, out + size);
    }
    fbx_import_count(importer, FBX_UNREAD_ENCODINGS, 1, TENON_NONE);
    return (tenon_str){out ? out : "", size};
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} fbx_import_losses[FBX_UNREAD_COUNT] = {
    [FBX_UNREAD_CURVES] = {TENON_DROPPED, "NURBS curves", "only polygons are read"},
    [FBX_UNREAD_SURFACES] = {TENON_DROPPED, "NURBS surfaces", "only polygons are read"},
    [FBX_UNREAD_GEOMETRY] = {TENON_DROPPED, "geometry", "only polygons are read"},
    [FBX_UNREAD_SUBDIVISION] = {TENON_DROPPED, "subdivision", "the coarse mesh is read"},
    [FBX_UNREAD_CACHES] = {TENON_DROPPED, "geometry caches", "the stored mesh is read"},
    [FBX_UNREAD_CONSTRAINTS] = {TENON_DROPPED, "constraints",
                                "only the curves of the nodes are read"},
    [FBX_UNREAD_DUAL_QUATERNIONS] = {TENON_APPROXIMATED, "dual quaternion skinning",
                                     "it becomes linear skinning"},
    [FBX_UNREAD_CLUSTER_MODES] = {TENON_APPROXIMATED, "additive skin clusters",
                                  "their weights are normalized"},
    [FBX_UNREAD_SKINS] = {TENON_APPROXIMATED, "skins",
                          "several move the same points: their weights are added"},
    [FBX_UNREAD_MOVED_SKINS] = {TENON_DROPPED, "motion of skinned meshes",
                                "only that of their joints is read"},
    [FBX_UNREAD_VISIBILITY] = {TENON_DROPPED, "animations of visibility",
                               "nodes are always visible"},
    [FBX_UNREAD_SPHERIC] = {TENON_APPROXIMATED, "spheric rotation order",
                            "the order is XYZ instead"},
    [FBX_UNREAD_HIDDEN] = {TENON_APPROXIMATED, "hidden nodes", "they become visible"},
    [FBX_UNREAD_LEVELS] = {TENON_APPROXIMATED, "levels of detail",
                           "all of them are visible; the extra 'lod' is their number"},
    [FBX_UNREAD_HOLES] = {TENON_DROPPED, "faces", "the file says that they are holes"},
    [FBX_UNREAD_CREASES] = {TENON_DROPPED, "creases", "only subdivision shows them"},
    [FBX_UNREAD_HIDDEN_EDGES] = {TENON_DROPPED, "hidden edges", "all edges of polygons are alike"},
    [FBX_UNREAD_SMOOTHING] = {TENON_SYNTHESIZED, "normals",
                              "computed from the smoothing of polygons or edges"},
    [FBX_UNREAD_TAKES] = {TENON_DROPPED, "takes without motion", "they have no curves"},
    [FBX_UNREAD_CURVES_BROKEN] = {TENON_DROPPED, "animation curves",
                                  "their arrays do not fit together"},
    [FBX_UNREAD_CURVES_TWICE] = {TENON_DROPPED, "animation curves",
                                 "another one moves the same axis"},
    [FBX_UNREAD_PROPERTIES] = {TENON_DROPPED, "animations of properties",
                               "only transforms and blend shapes are animated"},
    [FBX_UNREAD_LINKS] = {TENON_DROPPED, "connections", "they name objects that do not exist"},
    [FBX_UNREAD_CYCLES] = {TENON_DROPPED, "connections", "a node is its own ancestor"},
    [FBX_UNREAD_IDS] = {TENON_DROPPED, "connections", "several objects have the same id"},
    [FBX_UNREAD_FACES] = {TENON_DROPPED, "faces", "they name vertices that do not exist"},
    [FBX_UNREAD_LAYERS] = {TENON_DROPPED, "layers of meshes",
                           "their mapping does not fit the mesh"},
    [FBX_UNREAD_UV_SETS] = {TENON_DROPPED, "texture coordinates", "a scene holds 8 sets"},
    [FBX_UNREAD_COLOR_SETS] = {TENON_DROPPED, "vertex colors", "a scene holds 2 sets"},
    [FBX_UNREAD_TEXTURES] =
        {TENON_DROPPED, "textures",
         "materials have no slot for them, or they cannot be joined: named in extras"},
    [FBX_UNREAD_TEXTURE_LAYERS] = {TENON_DROPPED, "layers of textures",
                                   "only the one at the bottom is shown: others named in extras"},
    [FBX_UNREAD_TEXTURE_TURNS] = {TENON_DROPPED, "rotations of textures",
                                  "out of the picture's plane"},
    [FBX_UNREAD_JOINED] = {TENON_SYNTHESIZED, "pictures",
                           "two are joined in one: metalness and roughness, or color and opacity"},
    [FBX_UNREAD_TEXTURE_SETS] = {TENON_APPROXIMATED, "texture coordinates of textures",
                                 "meshes have the set of that name at different places"},
    [FBX_UNREAD_LIGHTS] = {TENON_DROPPED, "lights", "area and volume lights are not supported"},
    [FBX_UNREAD_BUMPS] = {TENON_APPROXIMATED, "bump textures", "used as normal textures"},
    [FBX_UNREAD_CROSSING] = {TENON_APPROXIMATED, "polygons",
                             "their edges cross: the triangles are a guess"},
    [FBX_UNREAD_FANS] = {TENON_APPROXIMATED, "polygons",
                         "too many corners: split into triangle fans"},
    [FBX_UNREAD_UNBOUND] = {TENON_SYNTHESIZED, "bind poses",
                            "some are missing or have no inverse: the rest pose is used"},
    [FBX_UNREAD_MOVED_TAKES] = {TENON_APPROXIMATED, "clips",
                                "they begin before 0 and are moved to 0"},
    [FBX_UNREAD_ENCODINGS] = {TENON_APPROXIMATED, "names", "not UTF-8: read as Windows-1252"},
    [FBX_UNREAD_ROUGH_CLIPS] = {TENON_APPROXIMATED, "animations",
                                "they would need too many keys: some are left out"},
};

static void fbx_import_report(const fbx_importer *importer)
{
    for (int i = 0; i < FBX_UNREAD_COUNT; i++) {
        const tn_tally *tally = &importer->unread[i];
        if (i < FBX_UNREAD_OMISSIONS)
            tn_scene_omit(importer->builder, fbx_import_losses[i].feature, tally->count,
                          tally->path, fbx_import_losses[i].why);
        else
            tn_scene_report(importer->builder, fbx_import_losses[i].kind,
                            fbx_import_losses[i].feature, tally->count, tally->path,
                            fbx_import_losses[i].why);
    }
}

// -- Settings

// Set a row of the matrix from the file's axes to those of scenes.
static bool fbx_import_set_axis(tn_mat3 *axes, int row, double axis, double sign)
{
    if (axis != 0 && axis != 1 && axis != 2) return false;
    for (int column = 0; column < 3; column++)
        axes->m[3 * column + row] = column == (int)axis ? (sign < 0 ? -1 : 1) : 0;
    return true;
}

static void fbx_import_axes(fbx_importer *importer, const tenon_fbx_node *settings)
{
    tn_mat3 axes = tn_mat3_identity();
    bool is_valid = fbx_import_set_axis(&axes, 0, fbx_property_number(settings, "CoordAxis", 0),
                                        fbx_property_number(settings, "CoordAxisSign", 1)) &&
                    fbx_import_set_axis(&axes, 1, fbx_property_number(settings, "UpAxis", 1),
                                        fbx_property_number(settings, "UpAxisSign", 1)) &&
                    fbx_import_set_axis(&axes, 2, fbx_property_number(settings, "FrontAxis", 2),
                                        fbx_property_number(settings, "FrontAxisSign", 1));
    double hand = tn_mat3_determinant(&axes);
    importer->turn = tn_quat_identity();
    if (!is_valid || hand == 0) {
        tn_scene_report(importer->builder, TENON_DEFAULTED, "axes", 1, NULL,
                        "invalid in the file: Y is up");
        return;
    }
    // In a left-handed file Z is reversed in everything, and then turned like the others.
    importer->is_mirrored = hand < 0;
    for (int row = 0; row < 3 && hand < 0; row++) axes.m[6 + row] = -axes.m[6 + row];
    importer->turn = tn_quat_from_mat3(&axes);
}

static bool fbx_import_contains(tenon_str text, const char *word)
{
    size_t size = strlen(word);
    for (uint32_t k = 0; k + size <= text.size; k++)
        if (memcmp(text.data + k, word, size) == 0) return true;
    return false;
}

// Which program wrote the file.
static void fbx_import_program(fbx_importer *importer)
{
    const tenon_fbx_node *root = &importer->doc->root;
    const tenon_fbx_node *header = fbx_child(root, "FBXHeaderExtension");
    const tenon_fbx_node *properties = fbx_properties(fbx_child(header, "SceneInfo"));
    const tenon_fbx_node *name = fbx_property(properties, "Original|ApplicationName");
    tenon_str program = fbx_text(name, fbx_property_start(name));
    // Converters keep the name of the program, but not all of its habits.
    importer->is_blender =
        fbx_import_contains(fbx_text(fbx_child(root, "Creator"), 0), "Blender") ||
        fbx_import_contains(fbx_text(fbx_child(header, "Creator"), 0), "Blender");
    importer->has_own_skins = fbx_import_contains(program, "3ds Max") ||
                              fbx_import_contains(program, "3ds max") ||
                              fbx_import_contains(program, "MotionBuilder");
}

double tenon_fbx_unit(const tenon_fbx *doc)
{
    if (!doc) return 0;
    double centimeters =
        fbx_property_number(fbx_properties(fbx_settings(doc)), "UnitScaleFactor", 1);
    return centimeters > 1e-30 && centimeters < 1e30 ? centimeters / 100 : 0.01;
}

static void fbx_import_settings(fbx_importer *importer)
{
    importer->unit = tenon_fbx_unit(importer->doc);
    fbx_import_program(importer);
    importer->tick_rate = fbx_tick_rate(importer->doc);
    fbx_import_axes(importer, fbx_properties(fbx_settings(importer->doc)));
}

// -- The scene

static void fbx_import_scene(fbx_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    fbx_import_settings(importer);
    bool ok = importer->is_old ? fbx_import_old_objects(importer) : fbx_import_objects(importer);
    if (!ok || !fbx_import_index_links(importer) || !fbx_import_models(importer) ||
        !fbx_import_clips(importer) || !fbx_import_nodes(importer))
        return;
    fbx_import_materials(importer);
    if (builder->failed || !fbx_import_geometries(importer)) return;
    fbx_import_meshes(importer);
    if (!builder->failed) fbx_import_attributes(importer);
    if (!builder->failed) fbx_import_extras(importer);
    if (!builder->failed) fbx_import_animations(importer);
    if (!builder->failed) fbx_import_omissions(importer);
    if (!builder->failed) fbx_import_report(importer);
}

void fbx_import(tn_scene_builder *builder, const void *doc)
{
    fbx_importer importer = {
        .builder = builder,
        .doc = doc,
        .scratch = tn_arena_make(&builder->opts->allocator, builder->arena->limit),
        .pixels_left = TN_PIXELS_MOST,
    };
    importer.version = importer.doc->version;
    importer.is_old = importer.version && importer.version < 7000;
    fbx_import_scene(&importer);
    tn_arena_free(&importer.scratch);
}
