// bmw_import.c: imports a BMW file and its sidecar into a scene.
// SPDX-License-Identifier: MIT
//
// A frame is a skinning matrix that includes all parents, and no bind pose is stored. So all joints
// are children of one node, and the inverse bind matrices are the identity.

#include "formats/bmw/import/bmw_import.h"

#include "core/files/file.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tenon_str bmw_import_format(bmw_importer *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = size < 0 ? NULL : tn_scene_array(s->b, (uint64_t)size + 1, 1);
    if (!text) return (tenon_str){"", 0};
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)size + 1, fmt, args);
    va_end(args);
    return (tenon_str){text, (uint32_t)size};
}

// -- The sidecar

// Report that the sidecar, or the value at `field` of it, cannot be used. `line` may be 0.
static void bmw_report_sidecar(const bmw_importer *s, const char *field, uint64_t line,
                               uint64_t column, const char *message)
{
    char name[BMW_NAME_SIZE], shown[BMW_NAME_SIZE], path[BMW_NAME_SIZE + 160];
    char why[sizeof((tenon_error *)0)->message + 64];
    if (!bmw_sidecar_name_of(s->b->opts->model_path, name, sizeof name)) return;
    tn_text_clean(name, strlen(name), shown, sizeof shown);
    (void)snprintf(path, sizeof path, "%s%s%s", shown, *field ? ":" : "", field);
    if (line)
        (void)snprintf(why, sizeof why, "line %" PRIu64 ", column %" PRIu64 ": %s", line, column,
                       message);
    else
        (void)snprintf(why, sizeof why, "%s", message);
    tn_scene_report(s->b, TENON_DROPPED, *field ? "value of the sidecar" : "sidecar", 1, path, why);
}

// Faults in the sidecar are reported, but the model is imported.
static void bmw_read_sidecar(bmw_importer *s)
{
    tenon_error err;
    const tenon_read_opts opts = {.allocator = s->b->opts->allocator, .files = s->files};
    if (!s->b->opts->model_path) return;
    s->sidecar = tenon_bmw_sidecar_beside(s->b->opts->model_path, &opts, &err);
    if (tn_is_outage(&err))
        tn_scene_fail(s->b, err.code, NULL, "%s", err.message);
    else if (err.code != TENON_OK)
        bmw_report_sidecar(s, "", err.line, err.column, err.message);
    if (!s->sidecar) return;
    for (uint32_t i = 0; i < s->sidecar->listed_fault_count; i++) {
        const tenon_bmw_sidecar_fault *fault = &s->sidecar->faults[i];
        bmw_report_sidecar(s, fault->path.data, fault->line, fault->column, fault->message.data);
    }
    tn_scene_report(s->b, TENON_DROPPED, "values of the sidecar",
                    s->sidecar->fault_count - s->sidecar->listed_fault_count, NULL,
                    "more values that cannot be used");
}

// -- Losses

static void bmw_report_nodes(const bmw_importer *s)
{
    const tn_scene_builder *b = s->b;
    const bmw_flaws *f = &s->flaws;
    tn_tally_report(b, &f->names, TENON_MADE_UP, "names", "nodes without a name were numbered");
    tn_tally_report(b, &f->transforms, TENON_APPROXIMATED, "transforms of nodes",
                    "replaced by the identity, because a number was not finite");
    tn_tally_report(b, &f->meshes, TENON_DROPPED, "meshes", "not used by any node");
    tn_tally_report(b, &f->hollow, TENON_DROPPED, "meshes", "empty");
    tn_tally_report(b, &f->references, TENON_DROPPED, "meshes of nodes",
                    "repeated in the node, or the mesh does not exist");
    if (s->is_turned && s->doc->is_order_assumed)
        tn_scene_report(
            b, TENON_DEFAULTED, "matrix order", 1, "root",
            "cannot be detected without a translation; the usual order of the layout was used");
}

static void bmw_report_meshes(const bmw_importer *s)
{
    const tn_scene_builder *b = s->b;
    const bmw_flaws *f = &s->flaws;
    tn_tally_report(b, &f->faces, TENON_APPROXIMATED, "meshes",
                    "imported as points, because they have no faces");
    tn_tally_report(b, &f->absent_vertices, TENON_DROPPED, "weights",
                    "their vertices do not exist");
    tn_tally_report(b, &f->absent_nodes, TENON_DROPPED, "weights", "their nodes do not exist");
    tn_tally_report(b, &f->odd_weights, TENON_DROPPED, "weights", "negative or NaN");
    tn_tally_report(b, &f->crowded, TENON_DROPPED, "weights",
                    "more than 64 per vertex, or more than 65535 joints");
    tn_tally_report(
        b, &f->still, TENON_MADE_UP, "weights",
        "added for vertices without weights in a mesh with weights, so that they do not move");
    tn_tally_report(b, &f->colors, TENON_APPROXIMATED, "vertex colors",
                    "only the lowest 8 bits of values above 255 are used, as in the engine");
    tn_tally_report(b, &f->alphas, TENON_DROPPED, "vertex alpha",
                    "the engine uses only the transparency of the texture");
}

static void bmw_report_materials(const bmw_importer *s)
{
    const tn_scene_builder *b = s->b;
    const bmw_flaws *f = &s->flaws;
    tn_tally_report(b, &f->textures, TENON_DROPPED, "textures",
                    "more textures than meshes; mesh i uses texture i");
    tn_tally_report(b, &f->untextured, TENON_MADE_UP, "materials",
                    "a plain material for meshes without a texture");
    tn_tally_report(b, &f->masks, TENON_APPROXIMATED, "transparency",
                    "imported as an alpha mask; the engine blends textures that were .png files");
}

static void bmw_report_clips(const bmw_importer *s)
{
    const tn_scene_builder *b = s->b;
    const bmw_flaws *f = &s->flaws;
    tn_tally_report(b, &f->clip_names, TENON_MADE_UP, "names of clips",
                    "animations without a clip were numbered");
    tn_tally_report(b, &f->nameless_clips, TENON_MADE_UP, "names of clips",
                    "clips without a name were numbered");
    tn_tally_report(b, &f->held_ticks, TENON_APPROXIMATED, "durations",
                    "one tick shorter: the clip ends at the last frame instead of showing it for "
                    "one more tick");
    tn_tally_report(b, &f->empty, TENON_DROPPED, "animations", "they do not move anything");
    tn_tally_report(b, &f->hidden_clips, TENON_DROPPED, "clips",
                    "replaced by a later clip with the same name");
    tn_tally_report(b, &f->ranges, TENON_APPROXIMATED, "clips",
                    "they start or end outside the animation, or end before they start");
    tn_tally_report(b, &f->by_number, TENON_DEFAULTED, "bones of clips",
                    "not found by name; matched by number");
    tn_tally_report(b, &f->rates, TENON_DEFAULTED, "rates",
                    "not stored in the file; set to 60 ticks per second or the given rate");
    tn_tally_report(b, &f->absent_bones, TENON_DROPPED, "bones",
                    "their nodes do not exist, or they have no frames");
    tn_tally_report(b, &f->repeated_bones, TENON_DROPPED, "bones",
                    "another bone of the same animation moves the same node");
    tn_tally_report(b, &f->not_finite, TENON_APPROXIMATED, "frames",
                    "invalid matrices were replaced by the next valid one");
    tn_tally_report(b, &f->not_affine, TENON_APPROXIMATED, "frames",
                    "the last row of the matrix was replaced by 0 0 0 1");
    tn_tally_report(b, &f->close_frames, TENON_DROPPED, "frames",
                    "the times are equal or not finite");
}

static void bmw_report_joints(const bmw_importer *s)
{
    uint64_t joints = 0, sheared = 0;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        joints += s->branches[i].joint != TENON_NONE;
        sheared += s->branches[i].outer != TENON_NONE;
    }
    tn_scene_report(s->b, TENON_APPROXIMATED, "joints", joints, NULL,
                    "all joints are below the root, because frames include their parents and the "
                    "file has no bind pose");
    tn_scene_report(s->b, TENON_MADE_UP, "nodes", sheared, NULL,
                    "sheared joints need two nodes and keys without interpolation");
    tn_scene_report(s->b, TENON_APPROXIMATED, "times between frames",
                    sheared < joints ? s->play_count : 0, "animations[0]",
                    "interpolated; the engine does not interpolate between frames");
}

static void bmw_report(const bmw_importer *s)
{
    if (s->b->failed) return;
    bmw_report_nodes(s);
    bmw_report_meshes(s);
    bmw_report_materials(s);
    bmw_report_clips(s);
    bmw_report_joints(s);
}

// -- The importer

void bmw_import(tn_scene_builder *b, const void *doc)
{
    bmw_importer s = {.b = b,
                      .doc = doc,
                      .files = b->opts->files ? b->opts->files : tenon_system_files(),
                      .model = TENON_NONE,
                      .skeleton = TENON_NONE,
                      .skin = TENON_NONE};
    bmw_read_sidecar(&s);
    bmw_list_nodes(&s);
    bmw_list_clips(&s);
    bmw_mark_weights(&s);
    bmw_mark_motion(&s);
    bmw_add_joints(&s);
    bmw_rest_joints(&s);
    bmw_add_materials(&s);
    bmw_add_meshes(&s);
    bmw_add_tree(&s);
    bmw_add_animations(&s);
    bmw_report(&s);
    bmw_free_clips(&s);
    tenon_bmw_sidecar_free(s.sidecar);
}
