// verdict.c: the outcome of comparing two models, for people and for programs.
// SPDX-License-Identifier: MIT

#include "report/verdict.h"

#include "report/output.h"

#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void verdict_append(char *out, const char *fmt, ...) OUT_PRINTF(2, 3);
static void verdict_append(char *out, const char *fmt, ...)
{
    va_list args;
    size_t used = strlen(out);
    va_start(args, fmt);
    (void)vsnprintf(out + used, VERDICT_SIZE - used, fmt, args);
    va_end(args);
}

static const char *verdict_clip_word(uint32_t count)
{
    return count == 1 ? "clip" : "clips";
}

// "BBMOD" for "bbmod".
static void verdict_append_format(char *out, const char *name)
{
    bool is_gltf = strcmp(name, "gltf") == 0, is_modeldata = strcmp(name, "modeldata") == 0;
    if (is_gltf || is_modeldata) {
        verdict_append(out, is_gltf ? "glTF" : "ModelData");
        return;
    }
    for (; *name; name++)
        verdict_append(out, "%c", *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
}

static void verdict_append_differences(char *out, const tenon_verify_result *result)
{
    static const char missing[] = "of the first model missing", extra[] = "added";
    const struct {
        uint32_t count;
        const char *one, *many, *change;
    } rows[] = {
        {result->missing_meshes, "mesh", "meshes", missing},
        {result->missing_clips, "clip", "clips", missing},
        {result->missing_nodes, "node", "nodes", missing},
        {result->missing_lines, "line", "lines", missing},
        {result->missing_points, "point", "points", missing},
        {result->extra_clips, "clip", "clips", extra},
        {result->extra_lines, "line", "lines", extra},
        {result->extra_points, "point", "points", extra},
    };
    const char *separator = "";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].count == 0) continue;
        verdict_append(out, "%s%" PRIu32 " %s %s", separator, rows[i].count,
                       rows[i].count == 1 ? rows[i].one : rows[i].many, rows[i].change);
        separator = ", ";
    }
    if (result->reversed > 0)
        verdict_append(out, "%s%.3g %% of the triangles inside out", separator,
                       100 * result->reversed);
    else if (!*separator)
        verdict_append(out, "the surface differs by %.2g %% of its area", 100 * result->surface);
}

void verdict_omissions(const tenon_scene *scene, char out[VERDICT_SIZE])
{
    out[0] = '\0';
    for (uint32_t i = 0; scene && i < scene->omission_count; i++)
        verdict_append(out, "%s%s (%" PRIu64 ")", i ? ", " : "", scene->omissions[i].feature.data,
                       scene->omissions[i].count);
}

static void verdict_append_verified(char *out, const tenon_verify_result *result,
                                    const verdict_scope *scope)
{
    if (scope->still_clips) {
        verdict_append(out, "verified at rest: at most %.2g; not compared: %" PRIu32 " %s, %s",
                       result->largest, scope->still_clips, verdict_clip_word(scope->still_clips),
                       scope->still);
        return;
    }
    verdict_append(out, "verified: at most %.2g of the diagonal off, ", result->largest);
    if (scope->clip)
        verdict_append(out, "at %.6g s of '%s'", scope->seconds, scope->clip);
    else
        verdict_append(out, "at rest");
    if (result->clip_count && !scope->clip)
        verdict_append(out, " and in %s%" PRIu32 " %s", result->at_frames ? "the frames of " : "",
                       result->clip_count, verdict_clip_word(result->clip_count));
    verdict_append(out, ", by %s", tenon_verify_mode(result));
    if (result->at_frames)
        verdict_append(out, "; between frames the engine shows the previous one, up to %.2g off",
                       result->between_frames);
}

void verdict_sentence(const tenon_verify_result *result, const verdict_scope *scope,
                      const tenon_scene *a, const tenon_scene *b, char out[VERDICT_SIZE])
{
    out[0] = '\0';
    switch (result->verdict) {
    case TENON_VERIFIED:
        verdict_append_verified(out, result, scope);
        return;
    case TENON_BEYOND_TOLERANCE:
        if (result->largest <= DBL_MAX)
            verdict_append(out, "not within tolerance: %.2g of the diagonal", result->largest);
        else
            verdict_append(out, "not within tolerance: there is nothing to compare with");
        if (!scope->cause) return;
        verdict_append(out, " (%s, which ", scope->cause);
        verdict_append_format(out, scope->format);
        verdict_append(out, " cannot hold)");
        return;
    case TENON_DIFFERENT:
        verdict_append(out, "different: ");
        verdict_append_differences(out, result);
        return;
    case TENON_NOT_VERIFIED: {
        char lacks_a[VERDICT_SIZE], lacks_b[VERDICT_SIZE];
        verdict_omissions(a, lacks_a);
        verdict_omissions(b, lacks_b);
        if (strcmp(lacks_a, lacks_b) == 0) lacks_b[0] = '\0';
        verdict_append(out, "not verified: not read: %s%s%s", lacks_a,
                       *lacks_a && *lacks_b ? ", " : "", lacks_b);
        if (scope->tolerance > 0 && result->largest > scope->tolerance &&
            result->largest <= DBL_MAX)
            verdict_append(out, "; the remainder is up to %.2g of the diagonal off",
                           result->largest);
        return;
    }
    }
}

void verdict_json(json_out *json, const tenon_verify_result *result, const verdict_scope *scope)
{
    json_text(json, "verdict", tenon_verdict_word(result->verdict));
    json_text(json, "scope", scope->clip ? "pose" : scope->at_rest ? "rest" : "all");
    json_number(json, "largest", result->largest);
    json_number(json, "rms", result->rms);
    json_number(json, "diagonal", result->diagonal);
    json_text(json, "mode", tenon_verify_mode(result));
    json_number(json, "matched", result->matched);
    json_number(json, "reversed", result->reversed);
    json_number(json, "surface", result->surface);
    json_uint(json, "clips", result->clip_count);
    json_uint(json, "missing_clips", result->missing_clips);
    json_uint(json, "extra_clips", result->extra_clips);
    json_uint(json, "missing_meshes", result->missing_meshes);
    if (result->by_node) json_uint(json, "missing_nodes", result->missing_nodes);
    if (result->missing_lines + result->extra_lines) {
        json_uint(json, "missing_lines", result->missing_lines);
        json_uint(json, "extra_lines", result->extra_lines);
    }
    if (result->missing_points + result->extra_points) {
        json_uint(json, "missing_points", result->missing_points);
        json_uint(json, "extra_points", result->extra_points);
    }
    if (result->at_frames) json_number(json, "between_frames", result->between_frames);
    if (scope->cause) json_text(json, "cause", scope->cause);
    if (scope->still_clips) {
        char text[VERDICT_SIZE] = "";
        verdict_append(text, "%" PRIu32 " %s, %s", scope->still_clips,
                       verdict_clip_word(scope->still_clips), scope->still);
        json_begin(json, "not_compared", '[');
        json_text(json, NULL, text);
        json_end(json, ']');
    }
}
