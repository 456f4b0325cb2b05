// bmw_format.c: BMW in the table of formats; what is in a file and its sidecar.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"
#include "formats/bmw/export/bmw_export.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/text/text.h"
#include "document/document.h"
#include "document/view.h"

#include <tenon/files.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXTURES_SHOWN 100  // Of those that are listed as facts.

uint64_t bmw_info_count_nodes(const tenon_bmw_node *node)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        count += bmw_info_count_nodes(&node->children[i]);
    return count;
}

uint64_t bmw_info_frame_count(const tenon_bmw_animation *animation)
{
    return animation->bone_count ? animation->bones[0].frames.count : 0;
}

// -- Views

static bool bmw_info_open(tn_view *view)
{
    const tenon_bmw *doc = view->doc;
    view->mesh_count = doc->mesh_count;
    view->clip_count = doc->animation_count;
    view->material_count = doc->material_count;
    return true;
}

// As stored: the engine ignores node transforms.
static void bmw_info_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    const tenon_bmw *doc = view->doc;
    tenon_bmw_mesh *m = &doc->meshes[index];
    mesh->path = tn_path("meshes[%u]", index);
    mesh->vertex_count = m->vertices.count;
    mesh->array_count = 1;
    mesh->arrays[0] = (tn_array_view){&m->vertices, "vertices"};
    mesh->position = &bmw_vertex_layout.elements[0];
    mesh->part.path = tn_path("meshes[%u].faces", index);
    if (doc->base.dialect->flags & TENON_BMW_FACES) mesh->part.indices = &m->faces;
}

static void bmw_info_view_clip(const tn_view *view, uint32_t index, tenon_clip_info *clip)
{
    const tenon_bmw *doc = view->doc;
    const tenon_bmw_animation *animation = &doc->animations[index];
    bool is_lost = (doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) != 0;
    bool is_timed = !is_lost && animation->rate > 0;
    *clip =
        (tenon_clip_info){.name = {"", 0},
                          .seconds = is_timed ? (double)animation->duration / animation->rate : -1,
                          .channels = animation->bone_count,
                          .frames = bmw_info_frame_count(animation)};
}

// With its first texture. Further textures are listed as facts.
static void bmw_info_view_material(const tn_view *view, uint32_t index, tenon_material_info *info)
{
    const tenon_bmw_material *material = &((const tenon_bmw *)view->doc)->materials[index];
    info->name = info->texture = (tenon_str){"", 0};
    if (material->texture_count) info->texture = material->textures[0];
}

const tn_views bmw_views = {
    .open = bmw_info_open,
    .mesh = bmw_info_view_mesh,
    .clip = bmw_info_view_clip,
    .material = bmw_info_view_material,
};

// -- Facts

static void bmw_info(tn_info_builder *builder, const void *any)
{
    const tenon_bmw *doc = any;
    tenon_info *info = builder->info;
    uint32_t flags = doc->base.dialect->flags;
    memcpy(info->version, "1", 2);
    info->nodes = bmw_info_count_nodes(&doc->root);
    if (!(flags & TENON_BMW_FACES)) info->triangles = 0;  // None are stored.

    // All textures of a material but the first.
    uint64_t shown = 0, more = 0;
    for (uint32_t i = 0; i < doc->material_count; i++) {
        const tenon_bmw_material *material = &doc->materials[i];
        for (uint32_t k = 1; k < material->texture_count; k++) {
            char name[200];
            if (shown == TEXTURES_SHOWN) {
                more += material->texture_count - k;
                break;
            }
            shown++;
            tn_text_clean(material->textures[k].data, material->textures[k].size, name,
                          sizeof name);
            tn_info_add(builder, "texture", "%s, number %u of material %u", name, k, i);
        }
    }
    if (more) tn_info_add(builder, "texture", "%" PRIu64 " more", more);

    const char *how = "detected";
    if (doc->is_order_assumed) how = "assumed, cannot be detected";
    if (flags & TENON_BMW_FRAMES_INFERRED) how = "from the frame count";
    if (flags & TENON_BMW_ORDER_FORCED) how = "as requested";
    tn_info_add(builder, "matrices", "%s (%s)", doc->is_row_major ? "row-major" : "column-major",
                how);

    uint64_t weighted = 0, skinned = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        weighted += doc->meshes[i].weighted_vertices.count;
        skinned += doc->meshes[i].weighted_vertices.count > 0;
    }
    if (weighted)
        tn_info_add(builder, "weights", "%" PRIu64 " %s in %" PRIu64 " of %u meshes", weighted,
                    weighted == 1 ? "vertex" : "vertices", skinned, doc->mesh_count);
    if (flags & TENON_BMW_FRAMES_INFERRED)
        tn_info_add(builder, "durations",
                    "not stored; durations come from the frame count, the rate is unknown");
    if (flags & TENON_BMW_NAMES)
        tn_info_add(builder, "names", "%u for %" PRIu64 " %s", doc->name_count, info->nodes,
                    info->nodes == 1 ? "node" : "nodes");
}

// -- Sidecar

static void bmw_info_add_vector(tn_info_builder *builder, const char *label, const double v[3],
                                const double usual[3])
{
    if (v[0] == usual[0] && v[1] == usual[1] && v[2] == usual[2]) return;
    tn_info_add(builder, label, "%s %s %s", tn_show_f64(v[0]).text, tn_show_f64(v[1]).text,
                tn_show_f64(v[2]).text);
}

static void bmw_info_add_text(tn_info_builder *builder, const char *label, tenon_str text)
{
    char shown[200];
    tn_text_clean(text.data, text.size, shown, sizeof shown);
    tn_info_add(builder, label, "%s", shown);
}

static bool bmw_info_sidecars(tn_info_builder *builder, const void *any, const char *model_path,
                              const struct tenon_files *files, tenon_error *err)
{
    tenon_error why;
    const tenon_read_opts opts = {.allocator = builder->arena->allocator, .files = files};
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_beside(model_path, &opts, &why);
    if (!sidecar && tn_is_outage(&why)) {
        if (err) *err = why;
        return false;
    }
    if (!sidecar && why.line)
        tn_info_add(builder, "sidecar", "line %" PRIu64 ", column %" PRIu64 ": %s", why.line,
                    why.column, why.message);
    else if (!sidecar && why.code != TENON_OK)
        tn_info_add(builder, "sidecar", "%s", why.message);
    if (!sidecar) return !builder->failed || tn_error(err, TENON_ERR_MEMORY, "out of memory");

    // List the clips instead of the animations, which have no names.
    const tenon_bmw *doc = any;
    tenon_clip_info *clips = tn_info_alloc(builder, sidecar->clip_count, sizeof *clips);
    uint32_t count = 0;
    for (uint32_t i = 0; clips && i < sidecar->clip_count; i++) {
        const tenon_bmw_clip *from = &sidecar->clips[i];
        if (!bmw_sidecar_clip_plays(from)) continue;  // Listed as a fault.
        tenon_clip_info *clip = &clips[count++];
        *clip = (tenon_clip_info){.name = tn_info_copy(builder, from->name),
                                  .seconds = -1,
                                  .channels = TENON_ABSENT,
                                  .frames = TENON_ABSENT,
                                  .has_flags = true,
                                  .loop = from->loop,
                                  .hold = from->hold};
        // The files of clips are not read here; a range is always in the first animation.
        if (from->file.size || doc->animation_count == 0) continue;
        const tenon_bmw_animation *animation = &doc->animations[0];
        bool is_lost = doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED;
        double ticks = from->end - from->start;
        clip->channels = animation->bone_count;
        if (!(ticks >= 0)) continue;
        if (ticks < (double)UINT32_MAX) clip->frames = (uint64_t)ticks + 1;
        if (!is_lost && animation->rate) clip->seconds = ticks / animation->rate;
    }
    if (count) builder->info->clips = clips, builder->info->clip_count = count;
    if (sidecar->clip_count) bmw_info_add_text(builder, "first clip", sidecar->default_anim);
    if (sidecar->rotation != 0) {
        const double *axis = sidecar->rotation_angle;
        tn_info_add(builder, "rotation", "%s degrees about %s %s %s",
                    tn_show_f64(sidecar->rotation).text, tn_show_f64(axis[0]).text,
                    tn_show_f64(axis[1]).text, tn_show_f64(axis[2]).text);
    }
    bmw_info_add_vector(builder, "scale", sidecar->scale, bmw_default_sidecar.scale);
    bmw_info_add_vector(builder, "translation", sidecar->translation,
                        bmw_default_sidecar.translation);
    for (uint32_t i = 0; i < sidecar->texture_override_count; i++)
        if (sidecar->texture_overrides[i].data)
            bmw_info_add_text(builder, "override", sidecar->texture_overrides[i]);
    for (uint32_t i = 0; i < sidecar->ignored_count; i++)
        bmw_info_add_text(builder, "ignored key", sidecar->ignored[i]);
    for (uint32_t i = 0; i < sidecar->listed_fault_count; i++) {
        const tenon_bmw_sidecar_fault *fault = &sidecar->faults[i];
        tn_info_add(builder, "sidecar", "line %" PRIu64 ", column %" PRIu64 ": %s: %s", fault->line,
                    fault->column, fault->path.data, fault->message.data);
    }
    if (sidecar->fault_count > sidecar->listed_fault_count)
        tn_info_add(builder, "sidecar", "%" PRIu64 " more values cannot be used",
                    sidecar->fault_count - sidecar->listed_fault_count);
    tenon_bmw_sidecar_free(sidecar);
    return !builder->failed || tn_error(err, TENON_ERR_MEMORY, "out of memory");
}

enum {
    OLDEST = 0,
    FACED = TENON_BMW_FACES,
    ANIMATED = FACED | TENON_BMW_NODE_IDS | TENON_BMW_WEIGHTS | TENON_BMW_ANIMATIONS,
    REORDERED = ANIMATED | TENON_BMW_ANIMATIONS_FIRST,
    NAMED = REORDERED | TENON_BMW_NAMES,
    LITERAL = ANIMATED | TENON_BMW_FRAMES_LITERAL,
    ROWS = TENON_BMW_ROW_MAJOR,
    FORCED = TENON_BMW_ORDER_FORCED,
    BARE = TENON_BMW_HEADER_BARE,
    NEWLINE = TENON_BMW_HEADER_NEWLINE,
    NUL_NEWLINE = NEWLINE | TENON_BMW_HEADER_NUL_FIRST,
    RETURN = NEWLINE | TENON_BMW_HEADER_RETURN,
};

// In the order of trials, newest first. The format's own text does not say what ends the header, so
// other endings are tried if no layout with a NUL fits. The dialects at the end are never tried,
// only requested: they set the matrix order instead of detecting it.
static const tenon_dialect bmw_dialects[] = {
    {"R4", "textures, animations, meshes, nodes, names", NAMED, false},
    {"R3", "R4 without names", REORDERED, false},
    {"R2", "R3 with the animations last", ANIMATED | ROWS, false},
    {"document", "R2 with the number of matrices per bone that the document gives", LITERAL, false},
    {"R1", "R2 without animations, weights and node ids", FACED | ROWS, false},
    {"R0", "R1 without faces", OLDEST | ROWS, false},
    {"R2a", "R2 with its durations lost", ANIMATED | ROWS | TENON_BMW_FRAMES_INFERRED, true},
    {"R2-bare", "R2, header without the NUL", ANIMATED | ROWS | BARE, true},
    {"R2-newline", "R2, a newline instead of the NUL", ANIMATED | ROWS | BARE | NEWLINE, true},
    {"R2-newline-nul", "R2, a newline before the NUL", ANIMATED | ROWS | NEWLINE, true},
    {"R2-nul-newline", "R2, a newline after the NUL", ANIMATED | ROWS | NUL_NEWLINE, true},
    {"R2-crlf", "R2, CR and LF instead of the NUL", ANIMATED | ROWS | BARE | RETURN, true},
    {"R2-crlf-nul", "R2, CR and LF before the NUL", ANIMATED | ROWS | RETURN, true},
    {"document-bare", "document, header without the NUL", LITERAL | BARE, true},
    {"document-newline", "document, a newline instead of the NUL", LITERAL | BARE | NEWLINE, true},
    {"document-newline-nul", "document, a newline before the NUL", LITERAL | NEWLINE, true},
    {"document-nul-newline", "document, a newline after the NUL", LITERAL | NUL_NEWLINE, true},
    {"document-crlf", "document, CR and LF instead of the NUL", LITERAL | BARE | RETURN, true},
    {"document-crlf-nul", "document, CR and LF before the NUL", LITERAL | RETURN, true},
    {"R4-column", "R4, always read as column-major", NAMED | FORCED, false},
    {"R4-row", "R4, always read as row-major", NAMED | ROWS | FORCED, false},
    {"R3-column", "R3, always read as column-major", REORDERED | FORCED, false},
    {"R3-row", "R3, always read as row-major", REORDERED | ROWS | FORCED, false},
    {"R2-column", "R2, always read as column-major", ANIMATED | FORCED, false},
    {"R2-row", "R2, always read as row-major", ANIMATED | ROWS | FORCED, false},
    {"document-column", "document, always read as column-major", LITERAL | FORCED, false},
    {"document-row", "document, always read as row-major", LITERAL | ROWS | FORCED, false},
    {"R1-column", "R1, always read as column-major", FACED | FORCED, false},
    {"R1-row", "R1, always read as row-major", FACED | ROWS | FORCED, false},
    {"R0-column", "R0, always read as column-major", OLDEST | FORCED, false},
    {"R0-row", "R0, always read as row-major", OLDEST | ROWS | FORCED, false},
};

static bool bmw_format_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    char header[BMW_HEADER_MOST];
    uint32_t header_size = bmw_describe_header(dialect->flags, header);
    bool starts = size >= header_size && memcmp(data, header, header_size) == 0;
    return starts && !(dialect->flags & TENON_BMW_ORDER_FORCED);
}

static bool bmw_format_sidecars(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user)
{
    char name[BMW_NAME_SIZE];
    (void)doc;
    if (bmw_sidecar_name(stem, name, sizeof name)) fn(user, name);
    return true;
}

static tn_siblings bmw_format_report_node(tn_walk *walk, const void *context, const void *opaque,
                                          uint32_t depth)
{
    const bmw_sorted *names = context;
    const tenon_bmw_node *node = opaque;
    char what[32] = "";
    uint32_t at = bmw_names_find(names, (tenon_bmw_name){.node_id = node->node_id});
    tenon_str name = at == TENON_NONE ? (tenon_str){"", 0} : names->names[at].name;
    if (node->meshes.count)
        (void)snprintf(what, sizeof what, "%" PRIu64 " mesh%s", node->meshes.count,
                       node->meshes.count == 1 ? "" : "es");
    tn_walk_report(walk, name, depth, "node", what);
    return (tn_siblings){node->children, node->child_count};
}

static void bmw_format_tree(tn_walk *walk, const void *opaque)
{
    const tenon_bmw *doc = opaque;
    uint32_t *room = tn_arena_alloc(walk->arena, doc->name_count, 2 * sizeof *room, NULL);
    bmw_sorted names = bmw_names_sort(doc->names, doc->name_count, false, room);
    walk->failed = !room;
    if (room)
        tn_walk_nested(walk, &names, (tn_siblings){&doc->root, 1}, sizeof doc->root,
                       bmw_format_report_node);
}

const tn_format tn_bmw_format = {
    .face = {.name = "bmw",
             .title = "Beo-Model-Wolf model",
             .engine = "Beowolf",
             .extensions = {"bmw"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_HAS_MAGIC | TENON_CAN_CHECK | TENON_TO_SCENE | TENON_FROM_SCENE |
                     TENON_SHOWS_FRAMES,
             .dialects = bmw_dialects,
             .dialect_count = sizeof bmw_dialects / sizeof bmw_dialects[0],
             .rules = bmw_rules,
             .rule_count = BMW_RULE_COUNT},
    .doc_size = sizeof(tenon_bmw),
    .magic = BMW_HEADER,  // Trials find its line end and NUL.
    .fits = bmw_format_fits,
    .describe = bmw_describe,
    .check = bmw_check,
    .views = &bmw_views,
    .info = bmw_info,
    .finalize = bmw_finalize,
    .recover = bmw_recover,
    .change = bmw_change,
    .relate = bmw_names_relate,
    .info_sidecars = bmw_info_sidecars,
    .tree = bmw_format_tree,
    .import = bmw_import,
    .still = "which layouts before R2 cannot hold",
    .still_without = TENON_BMW_ANIMATIONS,
    .export = bmw_export,
    .sides = bmw_format_sidecars,
};

tenon_bmw *tenon_as_bmw(tenon_doc *doc)
{
    return doc && doc->format == &tn_bmw_format.face ? (tenon_bmw *)doc : NULL;
}
