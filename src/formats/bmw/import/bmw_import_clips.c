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

static double bmw_rate_of(bmw_importer *s, const bmw_source *source)
{
    bool is_lost = (source->doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) != 0;
    if (source->animation->rate && !is_lost) return source->animation->rate;
    if (s->flaws.rates.count++ == 0)
        (void)snprintf(s->flaws.rates.path, sizeof s->flaws.rates.path, "%s", source->path);
    return s->b->opts->rate > 0 ? s->b->opts->rate : DEFAULT_RATE;
}

// Find the nodes that the bones of another file's animation move.
static bool bmw_match_nodes(bmw_importer *s, const bmw_source *source, uint32_t *node_ids)
{
    tenon_error err;
    uint32_t unmatched;
    if (!tenon_bmw_match(s->doc, source->doc, source->animation, node_ids, &unmatched, &err))
        return tn_scene_fail(s->b, err.code, NULL, "%s", err.message);
    tn_tally *flaw = &s->flaws.by_number;
    if (unmatched && flaw->count == 0)
        (void)snprintf(flaw->path, sizeof flaw->path, "%s", source->path);
    flaw->count += unmatched;
    return true;
}

static void bmw_bone_flaw(const bmw_source *source, tn_tally *flaw, uint32_t bone)
{
    if (flaw->count++ == 0)
        (void)snprintf(flaw->path, sizeof flaw->path, "%s.bones[%" PRIu32 "]", source->path, bone);
}

// Find the node of every bone. If several bones move the same node, the last one is used, as in the
// engine.
static void bmw_resolve_bones(bmw_importer *s, bmw_source *source, uint32_t *last_bone)
{
    const tenon_bmw_animation *a = source->animation;
    source->branches = tn_scene_array(s->b, a->bone_count, sizeof *source->branches);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < a->bone_count; i++) source->branches[i] = a->bones[i].node_id;
    if (source->doc != s->doc && !bmw_match_nodes(s, source, source->branches)) return;
    for (uint32_t i = 0; i < a->bone_count; i++) {
        const bmw_branch *branch = bmw_branch_of(s, source->branches[i]);
        bool moves = branch && a->bones[i].frames.count > 0;
        if (!moves) bmw_bone_flaw(source, &s->flaws.absent_bones, i);
        source->branches[i] = moves ? (uint32_t)(branch - s->branches) : TENON_NONE;
        if (moves) last_bone[source->branches[i]] = i;
    }
    for (uint32_t i = 0; i < a->bone_count; i++) {
        uint32_t branch = source->branches[i];
        if (branch == TENON_NONE || last_bone[branch] == i) continue;
        bmw_bone_flaw(source, &s->flaws.repeated_bones, i);
        source->branches[i] = TENON_NONE;
    }
}

static void bmw_fill_source(bmw_importer *s, bmw_source *source, uint32_t *last_bone)
{
    const tenon_bmw_animation *a = source->animation;
    source->rate = bmw_rate_of(s, source);
    for (uint32_t i = 0; i < a->bone_count; i++)
        if (a->bones[i].frames.count > source->frame_count)
            source->frame_count = a->bones[i].frames.count;
    bmw_resolve_bones(s, source, last_bone);
}

// -- Files of clips

static void bmw_report_clip(bmw_importer *s, uint32_t clip, const char *why)
{
    char path[64];
    (void)snprintf(path, sizeof path, "clips[%" PRIu32 "]", clip);
    tn_scene_report(s->b, TENON_DROPPED, "clips", 1, path, why);
}

// Use the first animation of a clip's file.
static void bmw_take_other(bmw_importer *s, uint32_t clip, tenon_doc *other, bmw_source *source)
{
    tenon_str file = s->sidecar->clips[clip].file;
    char shown[24];
    source->doc = tenon_as_bmw(other);
    if (source->doc->animation_count == 0) {
        bmw_report_clip(s, clip, "its file has no animation");
        source->doc = NULL;
        return;
    }
    source->animation = &source->doc->animations[0];
    tn_text_clean(file.data, file.size, shown, sizeof shown);
    (void)snprintf(source->path, sizeof source->path, "%s:animations[0]", shown);
}

static void bmw_read_other(bmw_importer *s, uint32_t clip, const char *place, bmw_source *source)
{
    tenon_error err;
    const tenon_read_opts opts = {
        .allocator = s->b->opts->allocator, .files = s->files, .beside = s->b->opts->model_path};
    tenon_doc *other = tn_doc_open_file(&tn_bmw_format, place, &opts, &err);
    if (!other && tn_is_outage(&err)) {
        tn_scene_fail(s->b, err.code, NULL, "%s", err.message);
    } else if (!other) {
        bmw_report_clip(s, clip, err.message);
    } else {
        s->others[s->other_count++] = other;
        bmw_take_other(s, clip, other, source);
    }
}

static void bmw_load_other(bmw_importer *s, uint32_t clip, bmw_source *source)
{
    char place[TN_PATH_SIZE];
    if (s->other_count >= FILES_MOST) {
        bmw_report_clip(s, clip, "Tenon reads at most 64 clip files");
        return;
    }
    tenon_error err = {0};
    const tn_search search = {s->files, s->b->opts->model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_look_for(&search, s->sidecar->clips[clip].file);
    if (err.code != TENON_OK) {
        tn_scene_fail(s->b, err.code, NULL, "%s", err.message);
        return;
    }
    switch (found) {
    case TN_PLACE_FOUND:
        bmw_read_other(s, clip, place, source);
        break;
    case TN_PLACE_MISSING:
        bmw_report_clip(s, clip, "its file was not found next to the model");
        break;
    case TN_PLACE_OUTSIDE:
        bmw_report_clip(s, clip, "its file is outside the model's folder");
        break;
    }
}

static uint32_t bmw_count_files(const bmw_importer *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; s->sidecar && i < s->sidecar->clip_count; i++)
        count += s->sidecar->clips[i].file.size > 0;
    return count;
}

static void bmw_list_sources(bmw_importer *s, uint32_t file_count)
{
    uint32_t own = s->doc->animation_count, at = 0;
    uint32_t *last_bone = tn_scene_array(s->b, s->branch_count, sizeof *last_bone);
    s->others = tn_scene_array(s->b, FILES_MOST, sizeof *s->others);
    s->sources = tn_scene_array(s->b, (uint64_t)file_count + own, sizeof *s->sources);
    if (s->b->failed) return;
    s->source_count = file_count + own;
    for (uint32_t i = 0; file_count && i < s->sidecar->clip_count && !s->b->failed; i++)
        if (s->sidecar->clips[i].file.size) bmw_load_other(s, i, &s->sources[at++]);
    for (uint32_t i = 0; i < own && !s->b->failed; i++, at++) {
        s->sources[at].doc = s->doc;
        s->sources[at].animation = &s->doc->animations[i];
        (void)snprintf(s->sources[at].path, sizeof s->sources[at].path, "animations[%" PRIu32 "]",
                       i);
    }
    for (uint32_t i = 0; i < s->source_count && !s->b->failed; i++)
        if (s->sources[i].doc) bmw_fill_source(s, &s->sources[i], last_bone);
}

// -- Clips of the sidecar

static double bmw_clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

// The name of clips without a name, the same in all formats.
static tenon_str bmw_unnamed(bmw_importer *s, uint32_t index)
{
    if (index == 0) return (tenon_str){"animation", 9};
    return bmw_import_format(s, "animation_%" PRIu32, index + 1);
}

static bmw_play *bmw_add_play(bmw_importer *s, tenon_str name, bmw_source *source)
{
    bmw_play *play = &s->plays[s->play_count++];
    *play = (bmw_play){.name = name, .source = source, .end = (double)source->frame_count - 1};
    source->is_played = true;
    return play;
}

// Limit a clip to its ticks, which are clamped to the animation.
static void bmw_cut_play(bmw_importer *s, bmw_play *play, uint32_t index)
{
    const tenon_bmw_clip *clip = &s->sidecar->clips[index];
    play->start = bmw_clamp(clip->start, 0, play->end);
    play->end = bmw_clamp(clip->end, play->start, play->end);
    tn_tally_at(&s->flaws.ranges, play->start != clip->start || play->end != clip->end, "clips",
                index);
}

static void bmw_add_clip(bmw_importer *s, uint32_t index, uint32_t source)
{
    const tenon_bmw_clip *clip = &s->sidecar->clips[index];
    bool has_file = clip->file.size > 0, exists = source < s->source_count;
    if (!bmw_clip_plays(clip)) {
        bmw_report_clip(s, index, "the sidecar gives neither ticks nor a file");
        return;
    }
    if (exists && !s->sources[source].doc && has_file) return;  // Reported already.
    if (!exists || s->sources[source].frame_count == 0) {
        bmw_report_clip(s, index, "its animation does not exist or is empty");
        return;
    }
    bool is_named = clip->name.size > 0;
    tenon_str name = is_named ? clip->name : bmw_unnamed(s, index);
    if (!is_named) tn_tally_at(&s->flaws.nameless_clips, 1, "clips", index);
    bmw_play *play = bmw_add_play(s, name, &s->sources[source]);
    play->clip = clip;
    if (!has_file) bmw_cut_play(s, play, index);
    if (is_named && tn_text_equal(name, s->sidecar->default_anim)) s->first_play = play;
}

static bool bmw_clip_is_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_bmw_clip *clips = context;
    return tn_text_order(clips[a].name, clips[b].name) < 0;
}

// Of clips with the same name only the last is used. Returns which clips are not used.
static bool *bmw_find_hidden(bmw_importer *s)
{
    const tenon_bmw_clip *clips = s->sidecar->clips;
    uint32_t count = s->sidecar->clip_count, named = 0;
    uint32_t *order = tn_scene_array(s->b, count, sizeof *order);
    uint32_t *spare = tn_scene_array(s->b, count, sizeof *spare);
    bool *is_hidden = tn_scene_array(s->b, count, sizeof *is_hidden);
    if (s->b->failed) return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (clips[i].name.size && bmw_clip_plays(&clips[i])) order[named++] = i;
    tn_sort(order, spare, named, bmw_clip_is_before, clips);
    for (uint32_t i = 0; i + 1 < named; i++) {
        uint32_t index = order[i];
        is_hidden[index] = tn_text_equal(clips[index].name, clips[order[i + 1]].name);
        tn_tally_at(&s->flaws.hidden_clips, is_hidden[index], "clips", index);
    }
    return is_hidden;
}

static void bmw_list_plays(bmw_importer *s)
{
    bool *is_hidden = bmw_find_hidden(s);
    uint32_t files_before = 0;
    for (uint32_t i = 0; i < s->sidecar->clip_count && !s->b->failed; i++) {
        // The index is that of tenon_bmw_clip_animation(), or of the clip's own file.
        if (!is_hidden[i]) bmw_add_clip(s, i, files_before);
        files_before += s->sidecar->clips[i].file.size > 0;
    }
}

// -- All clips

void bmw_list_clips(bmw_importer *s)
{
    if (s->b->failed) return;
    uint32_t clip_count = s->sidecar ? s->sidecar->clip_count : 0, own = s->doc->animation_count;
    bmw_list_sources(s, bmw_count_files(s));
    s->plays = tn_scene_array(s->b, (uint64_t)clip_count + own, sizeof *s->plays);
    if (s->b->failed) return;
    if (clip_count) bmw_list_plays(s);
    // The engine cannot play animations without a clip, but they are in the file.
    for (uint32_t i = 0; i < own && !s->b->failed; i++) {
        bmw_source *source = &s->sources[s->source_count - own + i];
        if (source->is_played) continue;
        bool is_empty = source->frame_count == 0;
        tn_tally_at(is_empty ? &s->flaws.empty : &s->flaws.clip_names, 1, "animations", i);
        if (is_empty) continue;
        bool is_literal = s->doc->base.dialect->flags & TENON_BMW_FRAMES_LITERAL;
        tn_tally_at(&s->flaws.held_ticks, is_literal, "animations", i);
        bmw_add_play(s, bmw_unnamed(s, i), source);
    }
}

void bmw_free_clips(bmw_importer *s)
{
    for (uint32_t i = 0; i < s->other_count; i++) tn_doc_free(s->others[i]);
}
