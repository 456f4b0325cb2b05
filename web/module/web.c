// web.c: the exports of the module: options, one call at a time, and its result.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((import_module("tenon"), import_name("progress"))) extern int32_t host_progress(
    double done, double total);

web_call web;

// -- Costs

tenon_allocator web_allocator(void)
{
    return (tenon_allocator){.budget = &web.budget};
}

static void web_set_limits(void)
{
    const tenon_budget usual = tenon_budget_for(web.input_size);
    const web_options *opts = &web.options;
    web.budget.memory.limit =
        opts->max_memory > 0 ? (uint64_t)opts->max_memory : usual.memory.limit;
    web.budget.output.limit =
        opts->max_output > 0 ? (uint64_t)opts->max_output : usual.output.limit;
    web.budget.work.limit = opts->max_work > 0 ? (uint64_t)opts->max_work : usual.work.limit;
}

void web_add_input(uint64_t number, uint64_t size)
{
    for (size_t i = 0; i < web.opened_count; i++)
        if (web.opened[i] == number) return;
    if (web.opened_count == web.opened_room) {
        size_t room = 2 * web.opened_room + 16;
        uint64_t *longer = realloc(web.opened, room * sizeof *longer);
        if (!longer) return;
        web.opened = longer;
        web.opened_room = room;
    }
    web.opened[web.opened_count++] = number;
    web.input_size += size;
    web_set_limits();
}

// -- Progress and failure

static bool web_progress(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    return host_progress((double)done, (double)total) != 0;
}

tenon_events web_events(void)
{
    return (tenon_events){.on_progress = web_progress, .on_loss = web_add_loss};
}

bool web_fail(tenon_code code, const char *message)
{
    web.err = (tenon_error){.code = code, .offset = TENON_ABSENT};
    (void)snprintf(web.err.message, sizeof web.err.message, "%s", message);
    return false;
}

bool web_bytes_add(void *user, const void *bytes, size_t size)
{
    web_bytes *out = user;
    if (out->is_skipped) return true;
    if (size > out->room - out->size) {
        size_t room = 2 * (out->size + size);
        uint8_t *grown = room > size ? realloc(out->data, room) : NULL;
        if (!grown) return false;
        out->data = grown;
        out->room = room;
    }
    if (size) memcpy(out->data + out->size, bytes, size);
    out->size += size;
    return true;
}

// -- Options

#define FIELD(field)                         \
    {                                        \
#field, offsetof(web_options, field) \
    }

typedef struct web_option {
    const char *name;
    size_t field;
} web_option;

static const web_option texts[] = {
    FIELD(model),   FIELD(other), FIELD(from),  FIELD(from_dialect), FIELD(output),
    FIELD(to),      FIELD(as),    FIELD(clip),  FIELD(textures),     FIELD(grouping),
    FIELD(profile), FIELD(units), FIELD(style),
};

static const web_option numbers[] = {
    FIELD(seconds),
    FIELD(tolerance),
    FIELD(rate),
    FIELD(scale),
    FIELD(samples),
    FIELD(first),
    FIELD(end),
    FIELD(max_per_rule),
    FIELD(max_memory),
    FIELD(max_output),
    FIELD(max_work),
    FIELD(node),
    FIELD(primitive),
    FIELD(triangle),
    FIELD(offset),
    FIELD(width),
    FIELD(height),
    FIELD(azimuth),
    FIELD(elevation),
    {"red", offsetof(web_options, background)},
    {"green", offsetof(web_options, background) + sizeof(double)},
    {"blue", offsetof(web_options, background) + 2 * sizeof(double)},
    {"alpha", offsetof(web_options, background) + 3 * sizeof(double)},
};

static const web_option flags[] = {
    FIELD(full),           FIELD(cells),   FIELD(verify),           FIELD(rest),
    FIELD(strict),         FIELD(lead_in), FIELD(quantize),         FIELD(without_materials),
    FIELD(without_prefix), FIELD(bones),   FIELD(without_textures),
};

static void *web_find_option(const web_option *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return (char *)&web.options + list[i].field;
    return NULL;
}

// -- Exports

WEB_EXPORT("allocate") void *web_allocate(size_t size);
WEB_EXPORT("release") void web_release(void *memory);
WEB_EXPORT("begin") void web_begin(void);
WEB_EXPORT("text") int32_t web_text(const char *name, const char *value);
WEB_EXPORT("number") int32_t web_number(const char *name, double value);
WEB_EXPORT("flag") int32_t web_flag(const char *name);
WEB_EXPORT("call") int32_t web_run(const char *name);
WEB_EXPORT("result") const char *web_result(void);
WEB_EXPORT("result_size") size_t web_result_size(void);
WEB_EXPORT("end") void web_end(void);

// Memory for texts of the host; NULL if out of memory.
void *web_allocate(size_t size)
{
    return malloc(size ? size : 1);
}

void web_release(void *memory)
{
    free(memory);
}

// A call is begin, its options, call, the result, and end, which frees everything.
void web_begin(void)
{
    web = (web_call){.err = {.offset = TENON_ABSENT}};
    web_set_limits();
}

int32_t web_text(const char *name, const char *value)
{
    const char **field = web_find_option(texts, sizeof texts / sizeof texts[0], name);
    if (field) *field = value;
    return field != NULL;
}

int32_t web_number(const char *name, double value)
{
    double *field = web_find_option(numbers, sizeof numbers / sizeof numbers[0], name);
    if (field) *field = value;
    return field != NULL;
}

int32_t web_flag(const char *name)
{
    bool *field = web_find_option(flags, sizeof flags / sizeof flags[0], name);
    if (field) *field = true;
    return field != NULL;
}

// The result is an object; with "error" in it if this returns 0.
int32_t web_run(const char *name)
{
    static const struct {
        const char *name;
        bool (*run)(void);
    } commands[] = {
        {"info", web_info},       {"check", web_check},     {"map", web_map},
        {"tree", web_tree},       {"trace", web_trace},     {"diff", web_diff},
        {"convert", web_convert}, {"verify", web_verify},   {"salvage", web_salvage},
        {"render", web_render},   {"formats", web_formats}, {"trace_back", web_trace_back}};
    bool ok = false, is_known = false;
    web_set_limits();
    web_json_begin(&web.json, NULL, '{');
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        is_known = true;
        ok = commands[i].run();
    }
    if (!is_known) (void)web_fail(TENON_ERR_UNSUPPORTED, "there is no such command");
    if (!ok) web_json_error(&web.json, &web.err);
    web_json_end(&web.json, '}');
    return ok;
}

// NULL if out of memory.
const char *web_result(void)
{
    return web.json.failed || web.losses.failed || web.files.failed ? NULL : web.json.text;
}

size_t web_result_size(void)
{
    return web.json.size;
}

void web_end(void)
{
    web_json_free(&web.json);
    web_json_free(&web.losses);
    web_json_free(&web.files);
    free(web.opened);
    web = (web_call){0};
}
