// bmw_import_clips.c: the clips of a BMW model: those of its sidecar, and animations without one.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"

#include <stdio.h>

#define FILES_MOST   64  // Files of clips that are read.
#define DEFAULT_RATE 60.0

// -- Files of clips

static void bmw_import_report_clip(bmw_importer *importer, uint32_t clip, const char *why)
{
    char path[64];
    (void)snprintf(path, sizeof path, "clips[%u]", clip);
    tn_scene_report(importer->builder, TENON_DROPPED, "clips", 1, path, why);
}

// Use the first animation of a clip's file.
static void bmw_import_clip_file(bmw_importer *importer, uint32_t clip, bmw_source *source)
{
    tn_scene_builder *builder = importer->builder;
    tenon_str file = importer->sidecar->clips[clip].file;
    char place[TN_PATH_SIZE], shown[24];
    if (importer->clip_doc_count >= FILES_MOST) {
        bmw_import_report_clip(importer, clip, "Tenon reads at most 64 clip files");
        return;
    }
    tenon_error err = {0};
    const tn_search search = {
        importer->files, builder->opts->model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, file);
    if (err.code != TENON_OK) {
        tn_scene_fail(builder, err.code, NULL, "%s", err.message);
        return;
    }
    if (found != TN_PLACE_FOUND) {
        bmw_import_report_clip(importer, clip,
                               found == TN_PLACE_MISSING
                                   ? "its file was not found next to the model"
                                   : "its file is outside the model's folder");
        return;
    }
    const tenon_read_opts opts = {.allocator = builder->opts->allocator,
                                  .files = importer->files,
                                  .beside = builder->opts->model_path};
    tenon_doc *doc = tn_doc_open_file(&tn_bmw_format, place, &opts, &err);
    if (!doc) {
        if (tn_is_outage(&err))
            tn_scene_fail(builder, err.code, NULL, "%s", err.message);
        else
            bmw_import_report_clip(importer, clip, err.message);
        return;
    }
    importer->clip_docs[importer->clip_doc_count++] = doc;
    const tenon_bmw *other = tenon_as_bmw(doc);
    if (other->animation_count == 0) {
        bmw_import_report_clip(importer, clip, "its file has no animation");
        return;
    }
    source->doc = other;
    source->animation = &other->animations[0];
    tn_text_clean(file.data, file.size, shown, sizeof shown);
    (void)snprintf(source->path, sizeof source->path, "%s:animations[0]", shown);
}

static void bmw_import_clips_list_sources(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw_sidecar *sidecar = importer->sidecar;
    uint32_t clip_count = sidecar ? sidecar->clip_count : 0, own = importer->doc->animation_count;
    uint32_t file_count = 0, at = 0;
    for (uint32_t i = 0; i < clip_count; i++) file_count += sidecar->clips[i].file.size > 0;
    uint64_t count = (uint64_t)file_count + own;
    uint32_t *last_bone = tn_scene_array(builder, importer->file_node_count, sizeof *last_bone);
    importer->clip_docs = tn_scene_array(builder, FILES_MOST, sizeof *importer->clip_docs);
    importer->sources = tn_scene_array(builder, count, sizeof *importer->sources);
    if (builder->failed) return;
    importer->source_count = file_count + own;
    for (uint32_t i = 0; i < clip_count && !builder->failed; i++)
        if (sidecar->clips[i].file.size)
            bmw_import_clip_file(importer, i, &importer->sources[at++]);
    for (uint32_t i = 0; i < own && !builder->failed; i++) {
        bmw_source *source = &importer->sources[at++];
        source->doc = importer->doc;
        source->animation = &importer->doc->animations[i];
        (void)snprintf(source->path, sizeof source->path, "animations[%u]", i);
    }
    for (uint32_t i = 0; i < importer->source_count && !builder->failed; i++)
        if (importer->sources[i].doc) {
            // Find the rate of an animation, and the node that each bone moves. If several bones
            // move the same node, the last one is used, as in the engine.
            bmw_source *source = &importer->sources[i];
            bmw_tallies *tallies = &importer->tallies;
            const tenon_bmw_animation *animation = source->animation;
            uint32_t bone_count = animation->bone_count;
            bool has_rate = !(source->doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED);
            source->rate = builder->opts->rate > 0 ? builder->opts->rate : DEFAULT_RATE;
            if (has_rate && animation->rate)
                source->rate = animation->rate;
            else
                tn_tally_path(&tallies->missing_rates, 1, "%s", source->path);

            source->file_nodes = tn_scene_array(builder, bone_count, sizeof *source->file_nodes);
            if (builder->failed) continue;
            for (uint32_t k = 0; k < bone_count; k++)
                source->file_nodes[k] = animation->bones[k].node_id;
            if (source->doc != importer->doc) {
                tenon_error err;
                uint32_t unmatched;
                if (!tenon_bmw_match(importer->doc, source->doc, animation, source->file_nodes,
                                     &unmatched, &err)) {
                    tn_scene_fail(builder, err.code, NULL, "%s", err.message);
                    continue;
                }
                tn_tally_path(&tallies->matched_by_id, unmatched, "%s", source->path);
            }
            for (uint32_t k = 0; k < bone_count; k++) {
                const bmw_file_node *file_node =
                    bmw_import_file_node_of(importer, source->file_nodes[k]);
                uint64_t frame_count = animation->bones[k].frames.count;
                if (frame_count > source->frame_count) source->frame_count = frame_count;
                source->file_nodes[k] = TENON_NONE;
                if (file_node && frame_count > 0) {
                    source->file_nodes[k] = (uint32_t)(file_node - importer->file_nodes);
                    last_bone[source->file_nodes[k]] = k;
                } else {
                    tn_tally_path(&tallies->bones_without_node, 1, "%s.bones[%u]", source->path, k);
                }
            }
            for (uint32_t k = 0; k < bone_count; k++) {
                uint32_t file_node = source->file_nodes[k];
                if (file_node == TENON_NONE || last_bone[file_node] == k) continue;
                tn_tally_path(&tallies->repeated_bones, 1, "%s.bones[%u]", source->path, k);
                source->file_nodes[k] = TENON_NONE;
            }
        }
}

// -- Clips

// The name of clips without a name, the same in all formats.
static tenon_str bmw_import_clips_default_name(bmw_importer *importer, uint32_t index)
{
    if (index == 0) return (tenon_str){"animation", 9};
    return bmw_import_format(importer, "animation_%u", index + 1);
}

static bmw_played_clip *bmw_import_played_clip(bmw_importer *importer, tenon_str name,
                                               bmw_source *source)
{
    bmw_played_clip *played = &importer->clips[importer->clip_count++];
    *played =
        (bmw_played_clip){.name = name, .source = source, .end = (double)source->frame_count - 1};
    source->is_played = true;
    return played;
}

static void bmw_import_clip(bmw_importer *importer, uint32_t index, uint32_t source)
{
    const tenon_bmw_clip *clip = &importer->sidecar->clips[index];
    bool has_file = clip->file.size > 0, exists = source < importer->source_count;
    if (!bmw_sidecar_clip_plays(clip)) {
        bmw_import_report_clip(importer, index, "the sidecar gives neither ticks nor a file");
        return;
    }
    if (exists && !importer->sources[source].doc && has_file) return;  // Reported already.
    if (!exists || importer->sources[source].frame_count == 0) {
        bmw_import_report_clip(importer, index, "its animation does not exist or is empty");
        return;
    }
    bool is_named = clip->name.size > 0;
    tenon_str name = is_named ? clip->name : bmw_import_clips_default_name(importer, index);
    tn_tally_at(&importer->tallies.nameless_clips, !is_named, "clips", index);
    bmw_played_clip *played = bmw_import_played_clip(importer, name, &importer->sources[source]);
    played->clip = clip;
    if (is_named && tn_text_equal(name, importer->sidecar->default_anim))
        importer->default_clip = played;
    if (has_file) return;
    double last = played->end;
    played->start = clip->start < 0 ? 0 : clip->start > last ? last : clip->start;
    played->end = clip->end < played->start ? played->start : clip->end > last ? last : clip->end;
    tn_tally_at(&importer->tallies.bad_ranges,
                played->start != clip->start || played->end != clip->end, "clips", index);
}

void bmw_import_list_clips(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw_sidecar *sidecar = importer->sidecar;
    if (builder->failed) return;
    uint32_t clip_count = sidecar ? sidecar->clip_count : 0, own = importer->doc->animation_count;
    bmw_import_clips_list_sources(importer);
    importer->clips = tn_scene_array(builder, (uint64_t)clip_count + own, sizeof *importer->clips);
    tenon_bmw_name *names = tn_scene_array(builder, clip_count, sizeof *names);
    uint32_t *room = tn_scene_array(builder, clip_count, 2 * sizeof *room);
    bool *is_replaced = tn_scene_array(builder, clip_count, sizeof *is_replaced);
    if (builder->failed) return;

    // Of clips with the same name only the last is used.
    uint32_t named = 0, files_before = 0;
    for (uint32_t i = 0; i < clip_count; i++)
        if (sidecar->clips[i].name.size && bmw_sidecar_clip_plays(&sidecar->clips[i]))
            names[named++] = (tenon_bmw_name){i, sidecar->clips[i].name};
    bmw_sorted sorted = bmw_names_sort(names, named, true, room);
    for (uint32_t i = 1; i < named; i++) {
        uint32_t before = names[sorted.order[i - 1]].node_id;
        is_replaced[before] = bmw_names_is_repeated(&sorted, i);
        tn_tally_at(&importer->tallies.replaced_clips, is_replaced[before], "clips", before);
    }
    for (uint32_t i = 0; i < clip_count && !builder->failed; i++) {
        // The index is that of tenon_bmw_clip_animation(), or of the clip's own file.
        if (!is_replaced[i]) bmw_import_clip(importer, i, files_before);
        files_before += sidecar->clips[i].file.size > 0;
    }
    // The engine cannot play animations without a clip, but they are in the file.
    bool is_literal = importer->doc->base.dialect->flags & TENON_BMW_FRAMES_LITERAL;
    for (uint32_t i = 0; i < own && !builder->failed; i++) {
        bmw_source *source = &importer->sources[importer->source_count - own + i];
        if (source->is_played) continue;
        bool is_empty = source->frame_count == 0;
        tn_tally_at(&importer->tallies.empty_animations, is_empty, "animations", i);
        tn_tally_at(&importer->tallies.unnamed_animations, !is_empty, "animations", i);
        tn_tally_at(&importer->tallies.held_ticks, is_literal && !is_empty, "animations", i);
        if (!is_empty)
            bmw_import_played_clip(importer, bmw_import_clips_default_name(importer, i), source);
    }
}
