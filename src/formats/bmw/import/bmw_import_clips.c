// bmw_import_clips.c: the clips of a BMW model: those of its sidecar, and animations without one.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/files/file.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILES_MOST   64  // Files of clips that are read.
#define DEFAULT_RATE 60.0

// -- Animations

static double bmw_rate_of(bmw_importer *importer, const bmw_source *source)
{
    bool is_lost = (source->doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) != 0;
    if (source->animation->rate && !is_lost) return source->animation->rate;
    if (importer->tallies.missing_rates.count++ == 0)
        (void)snprintf(importer->tallies.missing_rates.path,
                       sizeof importer->tallies.missing_rates.path, "%s", source->path);
    return importer->builder->opts->rate > 0 ? importer->builder->opts->rate : DEFAULT_RATE;
}

// Find the nodes that the bones of another file's animation move.
static bool bmw_match_nodes(bmw_importer *importer, const bmw_source *source, uint32_t *node_ids)
{
    tenon_error err;
    uint32_t unmatched;
    if (!tenon_bmw_match(importer->doc, source->doc, source->animation, node_ids, &unmatched, &err))
        return tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    tn_tally *tally = &importer->tallies.matched_by_id;
    if (unmatched && tally->count == 0)
        (void)snprintf(tally->path, sizeof tally->path, "%s", source->path);
    tally->count += unmatched;
    return true;
}

static void bmw_tally_bone(const bmw_source *source, tn_tally *tally, uint32_t bone)
{
    if (tally->count++ == 0)
        (void)snprintf(tally->path, sizeof tally->path, "%s.bones[%" PRIu32 "]", source->path,
                       bone);
}

// Find the node of every bone. If several bones move the same node, the last one is used, as in the
// engine.
static void bmw_resolve_bones(bmw_importer *importer, bmw_source *source, uint32_t *last_bone)
{
    const tenon_bmw_animation *a = source->animation;
    source->file_nodes =
        tn_scene_array(importer->builder, a->bone_count, sizeof *source->file_nodes);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < a->bone_count; i++) source->file_nodes[i] = a->bones[i].node_id;
    if (source->doc != importer->doc && !bmw_match_nodes(importer, source, source->file_nodes))
        return;
    for (uint32_t i = 0; i < a->bone_count; i++) {
        const bmw_file_node *file_node = bmw_file_node_of(importer, source->file_nodes[i]);
        bool moves = file_node && a->bones[i].frames.count > 0;
        if (!moves) bmw_tally_bone(source, &importer->tallies.bones_without_node, i);
        source->file_nodes[i] = moves ? (uint32_t)(file_node - importer->file_nodes) : TENON_NONE;
        if (moves) last_bone[source->file_nodes[i]] = i;
    }
    for (uint32_t i = 0; i < a->bone_count; i++) {
        uint32_t file_node = source->file_nodes[i];
        if (file_node == TENON_NONE || last_bone[file_node] == i) continue;
        bmw_tally_bone(source, &importer->tallies.repeated_bones, i);
        source->file_nodes[i] = TENON_NONE;
    }
}

static void bmw_fill_source(bmw_importer *importer, bmw_source *source, uint32_t *last_bone)
{
    const tenon_bmw_animation *a = source->animation;
    source->rate = bmw_rate_of(importer, source);
    for (uint32_t i = 0; i < a->bone_count; i++)
        if (a->bones[i].frames.count > source->frame_count)
            source->frame_count = a->bones[i].frames.count;
    bmw_resolve_bones(importer, source, last_bone);
}

// -- Files of clips

static void bmw_report_clip(bmw_importer *importer, uint32_t clip, const char *why)
{
    char path[64];
    (void)snprintf(path, sizeof path, "clips[%" PRIu32 "]", clip);
    tn_scene_report(importer->builder, TENON_DROPPED, "clips", 1, path, why);
}

// Use the first animation of a clip's file.
static void bmw_use_other(bmw_importer *importer, uint32_t clip, tenon_doc *other,
                          bmw_source *source)
{
    tenon_str file = importer->sidecar->clips[clip].file;
    char shown[24];
    source->doc = tenon_as_bmw(other);
    if (source->doc->animation_count == 0) {
        bmw_report_clip(importer, clip, "its file has no animation");
        source->doc = NULL;
        return;
    }
    source->animation = &source->doc->animations[0];
    tn_text_clean(file.data, file.size, shown, sizeof shown);
    (void)snprintf(source->path, sizeof source->path, "%s:animations[0]", shown);
}

static void bmw_read_other(bmw_importer *importer, uint32_t clip, const char *place,
                           bmw_source *source)
{
    tenon_error err;
    const tenon_read_opts opts = {.allocator = importer->builder->opts->allocator,
                                  .files = importer->files,
                                  .beside = importer->builder->opts->model_path};
    tenon_doc *other = tn_doc_open_file(&tn_bmw_format, place, &opts, &err);
    if (!other && tn_is_outage(&err)) {
        tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    } else if (!other) {
        bmw_report_clip(importer, clip, err.message);
    } else {
        importer->clip_docs[importer->clip_doc_count++] = other;
        bmw_use_other(importer, clip, other, source);
    }
}

static void bmw_load_other(bmw_importer *importer, uint32_t clip, bmw_source *source)
{
    char place[TN_PATH_SIZE];
    if (importer->clip_doc_count >= FILES_MOST) {
        bmw_report_clip(importer, clip, "Tenon reads at most 64 clip files");
        return;
    }
    tenon_error err = {0};
    const tn_search search = {
        importer->files, importer->builder->opts->model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_find_file(&search, importer->sidecar->clips[clip].file);
    if (err.code != TENON_OK) {
        tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
        return;
    }
    switch (found) {
    case TN_PLACE_FOUND:
        bmw_read_other(importer, clip, place, source);
        break;
    case TN_PLACE_MISSING:
        bmw_report_clip(importer, clip, "its file was not found next to the model");
        break;
    case TN_PLACE_OUTSIDE:
        bmw_report_clip(importer, clip, "its file is outside the model's folder");
        break;
    }
}

static uint32_t bmw_count_files(const bmw_importer *importer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; importer->sidecar && i < importer->sidecar->clip_count; i++)
        count += importer->sidecar->clips[i].file.size > 0;
    return count;
}

static void bmw_list_sources(bmw_importer *importer, uint32_t file_count)
{
    uint32_t own = importer->doc->animation_count, at = 0;
    uint32_t *last_bone =
        tn_scene_array(importer->builder, importer->file_node_count, sizeof *last_bone);
    importer->clip_docs =
        tn_scene_array(importer->builder, FILES_MOST, sizeof *importer->clip_docs);
    importer->sources =
        tn_scene_array(importer->builder, (uint64_t)file_count + own, sizeof *importer->sources);
    if (importer->builder->failed) return;
    importer->source_count = file_count + own;
    for (uint32_t i = 0;
         file_count && i < importer->sidecar->clip_count && !importer->builder->failed; i++)
        if (importer->sidecar->clips[i].file.size)
            bmw_load_other(importer, i, &importer->sources[at++]);
    for (uint32_t i = 0; i < own && !importer->builder->failed; i++, at++) {
        importer->sources[at].doc = importer->doc;
        importer->sources[at].animation = &importer->doc->animations[i];
        (void)snprintf(importer->sources[at].path, sizeof importer->sources[at].path,
                       "animations[%" PRIu32 "]", i);
    }
    for (uint32_t i = 0; i < importer->source_count && !importer->builder->failed; i++)
        if (importer->sources[i].doc) bmw_fill_source(importer, &importer->sources[i], last_bone);
}

// -- Clips of the sidecar

static double bmw_clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

// The name of clips without a name, the same in all formats.
static tenon_str bmw_default_name(bmw_importer *importer, uint32_t index)
{
    if (index == 0) return (tenon_str){"animation", 9};
    return bmw_import_format(importer, "animation_%" PRIu32, index + 1);
}

static bmw_played_clip *bmw_add_played_clip(bmw_importer *importer, tenon_str name,
                                            bmw_source *source)
{
    bmw_played_clip *played = &importer->clips[importer->clip_count++];
    *played =
        (bmw_played_clip){.name = name, .source = source, .end = (double)source->frame_count - 1};
    source->is_played = true;
    return played;
}

// Limit a clip to its ticks, which are clamped to the animation.
static void bmw_clamp_range(bmw_importer *importer, bmw_played_clip *played, uint32_t index)
{
    const tenon_bmw_clip *clip = &importer->sidecar->clips[index];
    played->start = bmw_clamp(clip->start, 0, played->end);
    played->end = bmw_clamp(clip->end, played->start, played->end);
    tn_tally_at(&importer->tallies.bad_ranges,
                played->start != clip->start || played->end != clip->end, "clips", index);
}

static void bmw_add_clip(bmw_importer *importer, uint32_t index, uint32_t source)
{
    const tenon_bmw_clip *clip = &importer->sidecar->clips[index];
    bool has_file = clip->file.size > 0, exists = source < importer->source_count;
    if (!bmw_clip_plays(clip)) {
        bmw_report_clip(importer, index, "the sidecar gives neither ticks nor a file");
        return;
    }
    if (exists && !importer->sources[source].doc && has_file) return;  // Reported already.
    if (!exists || importer->sources[source].frame_count == 0) {
        bmw_report_clip(importer, index, "its animation does not exist or is empty");
        return;
    }
    bool is_named = clip->name.size > 0;
    tenon_str name = is_named ? clip->name : bmw_default_name(importer, index);
    if (!is_named) tn_tally_at(&importer->tallies.nameless_clips, 1, "clips", index);
    bmw_played_clip *played = bmw_add_played_clip(importer, name, &importer->sources[source]);
    played->clip = clip;
    if (!has_file) bmw_clamp_range(importer, played, index);
    if (is_named && tn_text_equal(name, importer->sidecar->default_anim))
        importer->default_clip = played;
}

static bool bmw_clip_is_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_bmw_clip *clips = context;
    return tn_text_order(clips[a].name, clips[b].name) < 0;
}

// Of clips with the same name only the last is used. Returns which clips are not used.
static bool *bmw_find_replaced(bmw_importer *importer)
{
    const tenon_bmw_clip *clips = importer->sidecar->clips;
    uint32_t count = importer->sidecar->clip_count, named = 0;
    uint32_t *order = tn_scene_array(importer->builder, count, sizeof *order);
    uint32_t *spare = tn_scene_array(importer->builder, count, sizeof *spare);
    bool *is_replaced = tn_scene_array(importer->builder, count, sizeof *is_replaced);
    if (importer->builder->failed) return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (clips[i].name.size && bmw_clip_plays(&clips[i])) order[named++] = i;
    tn_sort(order, spare, named, bmw_clip_is_before, clips);
    for (uint32_t i = 0; i + 1 < named; i++) {
        uint32_t index = order[i];
        is_replaced[index] = tn_text_equal(clips[index].name, clips[order[i + 1]].name);
        tn_tally_at(&importer->tallies.replaced_clips, is_replaced[index], "clips", index);
    }
    return is_replaced;
}

static void bmw_list_sidecar_clips(bmw_importer *importer)
{
    bool *is_replaced = bmw_find_replaced(importer);
    uint32_t files_before = 0;
    for (uint32_t i = 0; i < importer->sidecar->clip_count && !importer->builder->failed; i++) {
        // The index is that of tenon_bmw_clip_animation(), or of the clip's own file.
        if (!is_replaced[i]) bmw_add_clip(importer, i, files_before);
        files_before += importer->sidecar->clips[i].file.size > 0;
    }
}

// -- All clips

void bmw_list_clips(bmw_importer *importer)
{
    if (importer->builder->failed) return;
    uint32_t clip_count = importer->sidecar ? importer->sidecar->clip_count : 0,
             own = importer->doc->animation_count;
    bmw_list_sources(importer, bmw_count_files(importer));
    importer->clips =
        tn_scene_array(importer->builder, (uint64_t)clip_count + own, sizeof *importer->clips);
    if (importer->builder->failed) return;
    if (clip_count) bmw_list_sidecar_clips(importer);
    // The engine cannot play animations without a clip, but they are in the file.
    for (uint32_t i = 0; i < own && !importer->builder->failed; i++) {
        bmw_source *source = &importer->sources[importer->source_count - own + i];
        if (source->is_played) continue;
        bool is_empty = source->frame_count == 0;
        tn_tally_at(is_empty ? &importer->tallies.empty_animations
                             : &importer->tallies.unnamed_animations,
                    1, "animations", i);
        if (is_empty) continue;
        bool is_literal = importer->doc->base.dialect->flags & TENON_BMW_FRAMES_LITERAL;
        tn_tally_at(&importer->tallies.held_ticks, is_literal, "animations", i);
        bmw_add_played_clip(importer, bmw_default_name(importer, i), source);
    }
}

void bmw_free_clips(bmw_importer *importer)
{
    for (uint32_t i = 0; i < importer->clip_doc_count; i++) tn_doc_free(importer->clip_docs[i]);
}
