// bmw_import.c: imports a BMW file and its sidecar into a scene.
// SPDX-License-Identifier: MIT
//
// A frame is a skinning matrix that includes all parents, and no bind pose is stored. So all joints
// are children of one node, and the inverse bind matrices are the identity.

#include "formats/bmw/import/bmw_import.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tenon_str bmw_import_format(bmw_importer *importer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = size < 0 ? NULL : tn_scene_array(importer->builder, (uint64_t)size + 1, 1);
    if (!text) return (tenon_str){"", 0};
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)size + 1, fmt, args);
    va_end(args);
    return (tenon_str){text, (uint32_t)size};
}

// -- The sidecar

// Report that the sidecar, or the value at `field` of it, cannot be used. `line` may be 0.
static void bmw_import_report_sidecar(const bmw_importer *importer, const char *field,
                                      uint64_t line, uint64_t column, const char *message)
{
    char name[BMW_NAME_SIZE], shown[BMW_NAME_SIZE], path[BMW_NAME_SIZE + 160];
    char why[sizeof((tenon_error *)0)->message + 64];
    if (!bmw_sidecar_name_of(importer->builder->opts->model_path, name, sizeof name)) return;
    tn_text_clean(name, strlen(name), shown, sizeof shown);
    (void)snprintf(path, sizeof path, "%s%s%s", shown, *field ? ":" : "", field);
    if (line)
        (void)snprintf(why, sizeof why, "line %" PRIu64 ", column %" PRIu64 ": %s", line, column,
                       message);
    else
        (void)snprintf(why, sizeof why, "%s", message);
    tn_scene_report(importer->builder, TENON_DROPPED, *field ? "value of the sidecar" : "sidecar",
                    1, path, why);
}

// Faults in the sidecar are reported, but the model is imported.
static void bmw_import_sidecar(bmw_importer *importer)
{
    tenon_error err;
    const tenon_read_opts opts = {.allocator = importer->builder->opts->allocator,
                                  .files = importer->files};
    if (!importer->builder->opts->model_path) return;
    importer->sidecar = tenon_bmw_sidecar_beside(importer->builder->opts->model_path, &opts, &err);
    if (tn_is_outage(&err))
        tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    else if (err.code != TENON_OK)
        bmw_import_report_sidecar(importer, "", err.line, err.column, err.message);
    if (!importer->sidecar) return;
    for (uint32_t i = 0; i < importer->sidecar->listed_fault_count; i++) {
        const tenon_bmw_sidecar_fault *fault = &importer->sidecar->faults[i];
        bmw_import_report_sidecar(importer, fault->path.data, fault->line, fault->column,
                                  fault->message.data);
    }
    tn_scene_report(importer->builder, TENON_DROPPED, "values of the sidecar",
                    importer->sidecar->fault_count - importer->sidecar->listed_fault_count, NULL,
                    "more values that cannot be used");
}

// -- Losses

static void bmw_import_report(const bmw_importer *importer)
{
    const bmw_tallies *all = &importer->tallies;
    const struct {
        const tn_tally *tally;
        tenon_loss_kind kind;
        const char *feature, *why;
    } losses[] = {
        {&all->unnamed_nodes, TENON_SYNTHESIZED, "names", "nodes without a name were numbered"},
        {&all->bad_transforms, TENON_APPROXIMATED, "transforms of nodes",
         "replaced by the identity, because a number was not finite"},
        {&all->unused_meshes, TENON_DROPPED, "meshes", "not used by any node"},
        {&all->empty_meshes, TENON_DROPPED, "meshes", "empty"},
        {&all->bad_references, TENON_DROPPED, "meshes of nodes",
         "repeated in the node, or the mesh does not exist"},
        {&all->matrix_order, TENON_DEFAULTED, "matrix order",
         "cannot be detected without a translation; the usual order of the layout was used"},
        {&all->meshes_without_faces, TENON_APPROXIMATED, "meshes",
         "imported as points, because they have no faces"},
        {&all->weights_without_vertex, TENON_DROPPED, "weights", "their vertices do not exist"},
        {&all->weights_without_node, TENON_DROPPED, "weights", "their nodes do not exist"},
        {&all->invalid_weights, TENON_DROPPED, "weights", "negative or NaN"},
        {&all->excess_weights, TENON_DROPPED, "weights",
         "more than 64 per vertex, or more than 65535 joints"},
        {&all->unweighted, TENON_SYNTHESIZED, "weights",
         "added for vertices without weights in a mesh with weights, so that they do not move"},
        {&all->large_colors, TENON_APPROXIMATED, "vertex colors",
         "only the lowest 8 bits of values above 255 are used, as in the engine"},
        {&all->ignored_alphas, TENON_DROPPED, "vertex alpha",
         "the engine uses only the transparency of the texture"},
        {&all->excess_textures, TENON_DROPPED, "textures",
         "not used: each mesh uses the texture with the same index, and there are more textures "
         "than meshes"},
        {&all->untextured_meshes, TENON_SYNTHESIZED, "materials",
         "a plain material for meshes without a texture"},
        {&all->masked_meshes, TENON_APPROXIMATED, "transparency",
         "imported as an alpha mask; the engine blends textures that were .png files"},
        {&all->unnamed_animations, TENON_SYNTHESIZED, "names of clips",
         "animations without a clip were numbered"},
        {&all->nameless_clips, TENON_SYNTHESIZED, "names of clips",
         "clips without a name were numbered"},
        {&all->held_ticks, TENON_APPROXIMATED, "durations",
         "one tick shorter: the clip ends at the last frame instead of showing it for one more "
         "tick"},
        {&all->empty_animations, TENON_DROPPED, "animations", "they do not move anything"},
        {&all->replaced_clips, TENON_DROPPED, "clips",
         "replaced by a later clip with the same name"},
        {&all->bad_ranges, TENON_APPROXIMATED, "clips",
         "they start or end outside the animation, or end before they start"},
        {&all->matched_by_id, TENON_DEFAULTED, "bones of clips",
         "not found by name; matched by number"},
        {&all->missing_rates, TENON_DEFAULTED, "rates",
         "not stored in the file; set to 60 ticks per second or the given rate"},
        {&all->bones_without_node, TENON_DROPPED, "bones",
         "their nodes do not exist, or they have no frames"},
        {&all->repeated_bones, TENON_DROPPED, "bones",
         "another bone of the same animation moves the same node"},
        {&all->frames_not_finite, TENON_APPROXIMATED, "frames",
         "invalid matrices were replaced by the next valid one"},
        {&all->frames_not_affine, TENON_APPROXIMATED, "frames",
         "the last row of the matrix was replaced by 0 0 0 1"},
        {&all->close_frames, TENON_DROPPED, "frames", "the times are equal or not finite"},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        tn_tally_report(importer->builder, losses[i].tally, losses[i].kind, losses[i].feature,
                        losses[i].why);
    uint64_t joints = 0, sheared = 0;
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        joints += importer->file_nodes[i].joint != TENON_NONE;
        sheared += importer->file_nodes[i].shear_node != TENON_NONE;
    }
    tn_scene_report(importer->builder, TENON_APPROXIMATED, "joints", joints, NULL,
                    "all joints are below the root, because frames include their parents and the "
                    "file has no bind pose");
    tn_scene_report(importer->builder, TENON_SYNTHESIZED, "nodes", sheared, NULL,
                    "sheared joints need two nodes and keys without interpolation");
    tn_scene_report(importer->builder, TENON_APPROXIMATED, "times between frames",
                    sheared < joints ? importer->clip_count : 0, "animations[0]",
                    "interpolated; the engine does not interpolate between frames");
}

// -- The importer

void bmw_import(tn_scene_builder *builder, const void *doc)
{
    bmw_importer importer = {.builder = builder,
                             .doc = doc,
                             .files =
                                 builder->opts->files ? builder->opts->files : tenon_system_files(),
                             .model = TENON_NONE,
                             .skeleton = TENON_NONE,
                             .skin = TENON_NONE};
    bmw_import_sidecar(&importer);
    bmw_import_list_nodes(&importer);
    bmw_import_list_clips(&importer);
    bmw_import_mark_weights(&importer);
    bmw_import_mark_motion(&importer);
    bmw_import_joints(&importer);
    bmw_import_set_rest_pose(&importer);
    bmw_import_materials(&importer);
    bmw_import_meshes(&importer);
    bmw_import_tree(&importer);
    bmw_import_animations(&importer);
    if (importer.is_order_visible && importer.doc->is_order_assumed)
        tn_tally_path(&importer.tallies.matrix_order, 1, "root");
    if (!builder->failed) bmw_import_report(&importer);
    for (uint32_t i = 0; i < importer.clip_doc_count; i++) tn_doc_free(importer.clip_docs[i]);
    tenon_bmw_sidecar_free(importer.sidecar);
}
