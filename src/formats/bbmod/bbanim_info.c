// bbanim_info.c: information about an animation.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void bbanim_info_report_spaces(tn_info_builder *builder, const tenon_bbanim *doc)
{
    static const char *const words[] = {"parent", "world", "bone"};
    bbmod_line line = {0};
    for (uint32_t i = 0; i < 3; i++)
        if (doc->spaces & 1u << i) bbmod_info_line_add(&line, words[i], strlen(words[i]));
    tn_info_add(builder, "spaces", "%s", line.size ? line.text : "none");
}

static void bbanim_info_report_events(tn_info_builder *builder, const tenon_bbanim *doc)
{
    bbmod_line line = {0};
    for (uint32_t i = 0; i < doc->event_count && !line.is_full; i++) {
        char name[64], frame[TN_NUMBER_MAX], word[128];
        tn_text_clean(doc->events[i].name.data, doc->events[i].name.size, name, sizeof name);
        tn_f64_text(doc->events[i].frame, frame);
        int size = snprintf(word, sizeof word, "'%s' at %s", name, frame);
        bbmod_info_line_add(&line, word, size > 0 ? (size_t)size : 0);
    }
    if (doc->event_count)
        tn_info_add(builder, "events", "%" PRIu32 ": %s", doc->event_count, line.text);
    else if (bbanim_has(doc, TENON_BBANIM_EVENTS))
        tn_info_add(builder, "events", "0");
}

static void bbanim_info_report_model(tn_info_builder *builder, const tenon_bbanim *doc)
{
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool has_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    if (has_nodes && !has_keys)
        tn_info_add(builder, "model", "%" PRIu32 " nodes, %" PRIu32 " bones", doc->model_node_count,
                    doc->model_bone_count);
    else if (has_nodes)
        tn_info_add(builder, "model", "%" PRIu32 " nodes", doc->model_node_count);
    else
        tn_info_add(builder, "model", "%" PRIu32 " bones", doc->model_bone_count);
}

// Negative if the file has no valid rate.
static double bbanim_info_seconds(const tenon_bbanim *doc)
{
    double seconds = doc->duration / doc->tics_per_second;
    return doc->tics_per_second > 0 && seconds >= 0 && seconds < HUGE_VAL ? seconds : -1;
}

void bbanim_info(tn_info_builder *builder, const void *any)
{
    const tenon_bbanim *doc = any;
    tenon_info *info = builder->info;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    snprintf(info->version, sizeof info->version, has_keys ? "%u" : "%u.%u",
             (unsigned)doc->version_major, (unsigned)doc->version_minor);
    if (!has_keys || bbanim_has(doc, TENON_BBANIM_NODES)) info->nodes = doc->model_node_count;
    if (!has_keys || !bbanim_has(doc, TENON_BBANIM_NODES)) info->joints = doc->model_bone_count;
    info->animations = 1;
    if (has_keys) info->channels = doc->channel_count;
    if (!has_keys) info->frames = doc->frames.count;
    char rate[TN_NUMBER_MAX];
    tn_f64_text(doc->tics_per_second, rate);
    tn_info_add(builder, "rate", "%s %s per second", rate, has_keys ? "tics" : "frames");
    bbanim_info_report_model(builder, doc);
    if (!has_keys) bbanim_info_report_spaces(builder, doc);
    bbanim_info_report_events(builder, doc);
    info->clips = tn_info_alloc(builder, 1, sizeof *info->clips);
    if (!info->clips) return;
    info->clip_count = 1;
    info->clips[0] = (tenon_clip_info){.name = {"", 0},
                                       .seconds = bbanim_info_seconds(doc),
                                       .channels = info->channels,
                                       .frames = info->frames};
}
