// formats.c: the table of formats, and which of them a file is.
// SPDX-License-Identifier: MIT

#include "formats/formats.h"

#include "core/text/text.h"

#include <stdio.h>
#include <string.h>

// To add a format, add a folder for it and one line here.
static const tn_format *const formats[] = {
    &tn_bbmod_format, &tn_bbanim_format, &tn_gpb_format, &tn_bmw_format, &tn_modeldata_format,
    &tn_bplx_format,  &tn_gltf_format,   &tn_obj_format, &tn_fbx_format, &tn_fnt_format,
};

#define FORMAT_COUNT ((uint32_t)(sizeof formats / sizeof formats[0]))

const tn_format *tn_format_at(uint32_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

const tn_format *tn_format_by_name(const char *name)
{
    for (uint32_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i]->face.name, name) == 0) return formats[i];
    return NULL;
}

const char *tenon_loss_word(tenon_loss_kind kind)
{
    static const char *const words[] = {"dropped", "approximated", "defaulted", "synthesized"};
    return (size_t)kind < sizeof words / sizeof words[0] ? words[kind] : "unknown";
}

// -- What users see

const tenon_format *tenon_format_at(uint32_t index)
{
    return index < FORMAT_COUNT ? &formats[index]->face : NULL;
}

const tenon_format *tenon_format_by_name(const char *name)
{
    const tn_format *format = tn_format_by_name(name);
    return format ? &format->face : NULL;
}

const char *tenon_why_no_motion(const tenon_format *format, const tenon_dialect *dialect)
{
    for (uint32_t i = 0; i < FORMAT_COUNT; i++) {
        const tn_format *own = formats[i];
        if (&own->face != format) continue;
        uint32_t flags = (dialect ? dialect : format->dialects)->flags;
        bool is_still = (flags & own->still_with) == own->still_with;
        return is_still && !(flags & own->still_without) ? own->still : NULL;
    }
    return NULL;
}

const tenon_rule *tenon_rule_at(uint32_t index)
{
    if (index < tn_common_rule_count) return &tn_common_rules[index];
    index -= tn_common_rule_count;
    for (uint32_t i = 0; i < FORMAT_COUNT; i++) {
        if (index < formats[i]->face.rule_count) return &formats[i]->face.rules[index];
        index -= formats[i]->face.rule_count;
    }
    return NULL;
}

// -- Probing

static bool has_extension(const tenon_format *format, const char *name)
{
    const char *dot = name ? strrchr(name, '.') : NULL;
    for (uint32_t i = 0; dot && i < 4 && format->extensions[i]; i++)
        if (tn_same_word(format->extensions[i], dot + 1)) return true;
    return false;
}

// "bplx, gpb and bmw": the formats that score `score`, or all of them if that is 0.
static void list_names(const int *scores, int score, char *out, size_t out_size)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < FORMAT_COUNT && n < out_size; i++) {
        if (score ? scores[i] != score : !(formats[i]->face.caps & TENON_CAN_READ)) continue;
        int w = snprintf(out + n, out_size - n, "%s%s", n ? ", " : "", formats[i]->face.name);
        n += w > 0 ? (size_t)w : 0;
    }
}

// Probe the formats that have a magic, or those that have none; returns the best score.
static int score_all(const uint8_t *data, uint64_t size, bool has_magic, int *scores)
{
    int best = 0;
    for (uint32_t i = 0; i < FORMAT_COUNT; i++) {
        uint32_t caps = formats[i]->face.caps;
        if (!(caps & TENON_CAN_READ) || ((caps & TENON_HAS_MAGIC) != 0) != has_magic) continue;
        scores[i] = tn_format_score(formats[i], data, size);
        if (scores[i] > best) best = scores[i];
    }
    return best;
}

const tn_format *tn_format_probe(const uint8_t *data, uint64_t size, const char *name,
                                 tenon_error *err)
{
    int scores[FORMAT_COUNT] = {0};
    int best = score_all(data, size, true, scores);
    // What starts with a magic need not be looked at as something that has none.
    if (best < 100) {
        int others = score_all(data, size, false, scores);
        if (others > best) best = others;
    }
    const tn_format *first = NULL, *named = NULL;
    uint32_t ties = 0;
    for (uint32_t i = 0; i < FORMAT_COUNT; i++) {
        if (best == 0 || scores[i] != best) continue;
        if (ties++ == 0) first = formats[i];
        if (has_extension(&formats[i]->face, name)) named = formats[i];
    }
    // What could be anything, such as a text of comments, needs its name as well.
    if (ties == 1 && best > 1) return first;
    if (named) return named;
    if (ties == 1) best = 0;

    char names[128];
    list_names(scores, best, names, sizeof names);
    if (size == 0)
        tn_error(err, TENON_ERR_FORMAT, "the file is empty");
    else if (best == 0)
        tn_error(err, TENON_ERR_FORMAT, "this is not a model in a known format (%s)", names);
    else
        tn_error(err, TENON_ERR_AMBIGUOUS, "this could be any of %s", names);
    if (err) err->offset = 0;
    return NULL;
}
