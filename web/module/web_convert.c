// web_convert.c: converts a model.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <string.h>
#include <tenon/convert.h>

// -- What is reported

void web_add_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    web_json *json = &web.losses;
    web_json_begin(json, NULL, '{');
    web_json_text(json, "kind", tenon_loss_word(loss->kind));
    web_json_text(json, "feature", loss->feature);
    web_json_uint(json, "count", loss->count);
    if (loss->path) web_json_text(json, "path", loss->path);
    web_json_text(json, "why", loss->why);
    if (loss->error > 0) web_json_number(json, "error", loss->error);
    web_json_end(json, '}');
}

bool web_add_file(void *user, const tenon_written_file *file)
{
    (void)user;
    if (!file->is_unchanged) web_json_text(&web.files, NULL, file->path);
    return !web.files.failed;
}

// -- Options

// The index of a word in a list; 0 for NULL. TENON_NONE, with web.err set, if it is not in it.
static uint32_t web_find_word(const char *word, const char *const *words, uint32_t count)
{
    if (!word) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) return i;
    (void)web_fail(TENON_ERR_UNSUPPORTED, "an option has a value that is not known");
    return TENON_NONE;
}

static bool web_convert_opts_take(tenon_convert_opts *opts)
{
    static const char *const textures[] = {
        [TENON_TEXTURES_AUTO] = "auto",
        [TENON_TEXTURES_REFER] = "keep",
        [TENON_TEXTURES_COPY] = "copy",
        [TENON_TEXTURES_EMBED] = "embed",
    };
    static const char *const units[] = {
        [TENON_UNITS_AUTO] = "auto", [TENON_UNITS_KEEP] = "keep", [TENON_UNITS_METERS] = "meters"};
    static const char *const groupings[] = {
        [TENON_GROUP_CLIPS] = "clips",
        [TENON_GROUP_NODES] = "nodes",
        [TENON_GROUP_ENCODER] = "encoder",
    };
    const web_options *given = &web.options;
    uint32_t texture = web_find_word(given->textures, textures, 4),
             unit = web_find_word(given->units, units, 3),
             grouping = web_find_word(given->grouping, groupings, 3);
    if (texture == TENON_NONE || unit == TENON_NONE || grouping == TENON_NONE) return false;
    *opts = (tenon_convert_opts){
        .allocator = web_allocator(),
        .events = web_events(),
        .reading = web_read_opts(),
        .importing.rate = given->rate,
        .exporting = {.format = given->to,
                      .dialect = given->as,
                      .without_materials = given->without_materials,
                      .without_prefix = given->without_prefix,
                      .quantize = given->quantize,
                      .tolerance = given->tolerance,
                      .rate = given->rate,
                      .grouping = (tenon_grouping)grouping,
                      .clip = given->clip,
                      .seconds = given->seconds},
        // A model that keeps its name takes the place of its file: the host has both.
        .writing = {.force = true, .in_place = strcmp(given->model, given->output) == 0},
        .changing.rate = given->rate,
        .textures = (tenon_textures)texture,
        .units = (tenon_units)unit,
        .scale = given->scale,
        .keep_lead_in = given->lead_in,
        .verify = given->verify,
        .verifying.tolerance = given->tolerance > 0 ? given->tolerance : 1e-4,
        .accept_losses = true,
        .strict = given->strict,
    };
    opts->makes_new_model = opts->textures == TENON_TEXTURES_EMBED || given->quantize;
    opts->events.on_file = web_add_file;
    return true;
}

// -- The command

bool web_convert(void)
{
    tenon_convert_opts opts;
    tenon_convert_result result = {0};
    const web_options *given = &web.options;
    web_json *json = &web.json;
    bool ok = web_convert_opts_take(&opts) &&
              tenon_convert_file(given->model, given->output, &opts, &result, &web.err);
    if (ok) web_json_text(json, "format", result.format->name);
    if (ok && result.dialect) web_json_text(json, "dialect", result.dialect->name);
    if (ok && result.is_verified) {
        const tenon_dialect *dialect =
            given->as ? tenon_dialect_by_name(result.format, given->as) : NULL;
        bool is_still = tenon_why_no_motion(result.format, dialect) != NULL;
        web_json_begin(json, "verify", '{');
        web_json_text(json, "scope", given->clip ? "pose" : is_still ? "rest" : "all");
        web_put_verdict(json, &result.verified);
        web_json_end(json, '}');
    }
    web_json_list(json, "losses", &web.losses);
    web_json_list(json, "files", &web.files);
    return ok;
}
