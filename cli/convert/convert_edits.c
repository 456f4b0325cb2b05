// convert_edits.c: what the options of tenon convert change in a scene.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"

#include "convert/convert_document.h"
#include "import/import_scene.h"
#include "report/progress.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define EVENT_RATE 60.0  // Frames a second, of events, without '--rate'.
#define TEXT_SIZE  256

bool convert_edits_scene(const convert_opts *o)
{
    bool says_source = o->source_scale > 0 || o->source_up || o->source_hand;
    bool says_result = o->scale > 0 || o->up || o->hand;
    bool keeps = o->nodes.count || o->clips_from.count || o->drop;
    bool makes = o->normals || o->tangents || o->flip_normals || o->flip_u || o->flip_v ||
                 o->reverse_winding || o->max_weights || o->pre_transform || o->join;
    bool marks = o->events.count || o->loops.count || o->holds.count;
    return says_source || says_result || keeps || makes || marks || o->clips.count;
}

// -- Events

typedef struct event_words {
    char clip[TEXT_SIZE], name[TEXT_SIZE];
} event_words;

// CLIP:FRAME:NAME; the clip may have colons in it. False if it is something else.
static bool read_event(const char *text, double rate, event_words *words, tenon_new_event *event)
{
    const char *last = strrchr(text, ':'), *middle = last;
    while (middle && middle > text && middle[-1] != ':') middle--;
    if (!last || middle <= text + 1) return false;
    double frame;
    bool is_number = cli_read_decimal(middle, (size_t)(last - middle), &frame);
    size_t clip_size = (size_t)(middle - 1 - text);
    if (!is_number || clip_size >= TEXT_SIZE || strlen(last + 1) >= TEXT_SIZE || !last[1])
        return false;
    memcpy(words->clip, text, clip_size);
    words->clip[clip_size] = '\0';
    memcpy(words->name, last + 1, strlen(last + 1) + 1);
    *event = (tenon_new_event){words->clip, frame / rate, words->name};
    return true;
}

const char *convert_invalid_event(const convert_opts *opts)
{
    event_words words;
    tenon_new_event event;
    for (uint32_t i = 0; i < opts->events.count; i++)
        if (!read_event(opts->events.values[i], EVENT_RATE, &words, &event))
            return opts->events.values[i];
    return NULL;
}

// -- Hands

static bool is_left_handed(const tenon_format *format)
{
    return (format->caps & TENON_LEFT_HANDED) != 0;
}

// Whether the option asks for the other hand than the format has.
static bool is_other_hand(uint32_t hand, const tenon_format *format)
{
    return hand != HAND_OWN && (hand == HAND_LEFT) != is_left_handed(format);
}

// -- Reshaping

// Everything that the options of the library point to.
typedef struct wishes {
    tenon_reshape_opts opts;
    event_words words[CLI_LIST_MOST];
    tenon_new_event events[CLI_LIST_MOST];
    tenon_pair shapes[CLI_LIST_MOST];
} wishes;

static void make_wishes(wishes *w, const convert_opts *o, const tenon_format *from,
                        const tenon_format *to)
{
    bool is_posed = strcmp(to->name, "obj") == 0;
    double rate = o->rate > 0 ? o->rate : EVENT_RATE;
    for (uint32_t i = 0; i < o->events.count; i++)
        (void)read_event(o->events.values[i], rate, &w->words[i], &w->events[i]);
    w->opts = (tenon_reshape_opts){
        .source_scale = o->source_scale,
        .source_is_z_up = o->source_up == AXIS_Z,
        .source_z_has_turned = is_left_handed(from),
        .source_is_mirrored = is_other_hand(o->source_hand, from),
        .nodes = o->nodes.values,
        .node_count = o->nodes.count,
        .clips = o->clips.values,
        .clip_count = is_posed ? 0 : o->clips.count,
        .drop = o->drop,
        .flip_normals = o->flip_normals,
        .flip_u = o->flip_u,
        .flip_v = o->flip_v,
        .reverse_winding = o->reverse_winding,
        .normals = (tenon_make)o->normals,
        .tangents = (tenon_make)o->tangents,
        .max_influences = (uint32_t)o->max_weights,
        .pre_transform = o->pre_transform,
        .join = o->join,
        .events = w->events,
        .event_count = o->events.count,
        .loops = o->loops.values,
        .loop_count = o->loops.count,
        .holds = o->holds.values,
        .hold_count = o->holds.count,
        .scale = o->scale,
        .to_z_up = o->up == AXIS_Z,
        .z_will_turn = is_left_handed(to),
        .mirror = is_other_hand(o->hand, to),
    };
}

// -- Imported files

void convert_report_unused(const convert_opts *opts, const char *file, const loaded_scene *s)
{
    if (opts->common.quiet || opts->common.json) return;
    if (opts->keep_lead_in && !(s && s->is_imported) && !opts->clips_from.count)
        report_note(file, "'--keep-lead-in' has no effect: clips of this format are never cut");
    if (opts->units != UNITS_AUTO && !(s && s->unit > 0))
        report_note(file, "'--units' has no effect: the file does not say its unit");
}

// How much larger a scene in meters becomes in the unit that is wanted.
static double choose_unit(const loaded_scene *s, const convert_opts *opts, const tenon_format *to,
                          tenon_loss_fn *lost, void *user)
{
    if (!(s->unit > 0) || s->unit == 1) return 1;
    bool is_engines = strcmp(to->name, "bbmod") == 0 || strcmp(to->name, "bmw") == 0;
    bool keeps = opts->units == UNITS_KEEP || (opts->units == UNITS_AUTO && is_engines);
    char why[160];
    if (keeps)
        (void)snprintf(why, sizeof why,
                       "the file's own numbers are kept (1 unit = %.6g m), as the engine's "
                       "converter does: '--units meters' converts them",
                       s->unit);
    else
        (void)snprintf(why, sizeof why,
                       "lengths are converted to meters (1 unit = %.6g m): '--units keep' keeps "
                       "the file's own numbers",
                       s->unit);
    tenon_loss loss = {.kind = TENON_DEFAULTED, .feature = "unit", .why = why, .count = 1};
    if (opts->units == UNITS_AUTO) lost(user, &loss);
    return keeps ? 1 / s->unit : 1;
}

// Add the clips of the files that '--clips-from' names, in their order.
static bool add_clips(tenon_scene *scene, const convert_opts *opts, bool cuts_lead_in,
                      tenon_loss_fn *lost, void *user, const char **at_fault, tenon_error *err)
{
    cli_common plain = opts->common;
    plain.from = (cli_format){0};  // It says what the input is.
    for (uint32_t i = 0; i < opts->clips_from.count; i++) {
        const char *file = opts->clips_from.values[i];
        loaded_scene clips = {0};
        bool ok = scene_load(&clips, &plain, file, err);
        if (ok && clips.is_imported && cuts_lead_in)
            ok = import_start_at_first_key(clips.scene, lost, user, err);
        if (!ok) *at_fault = file;
        const tenon_reshape_opts adds = {.clips_from = clips.scene, .lost = lost, .user = user};
        ok = ok && tenon_reshape(scene, &adds, err);
        scene_unload(&clips);
        if (!ok) return false;
    }
    return true;
}

bool convert_edit_scene(loaded_scene *s, const convert_opts *opts, const tenon_format *from,
                        const tenon_format *to, tenon_loss_fn *lost, void *user,
                        const char **at_fault, tenon_error *err)
{
    tenon_scene *scene = s->scene;
    // The time of a pose is one of the file's own timeline, as `tenon verify` has it.
    bool cuts_lead_in = !opts->keep_lead_in && strcmp(to->name, "obj") != 0;
    convert_report_unused(opts, *at_fault, s);
    if (s->is_imported && cuts_lead_in && !import_start_at_first_key(scene, lost, user, err))
        return false;
    double larger = choose_unit(s, opts, to, lost, user);
    if (!convert_edits_scene(opts) && opts->shapes.count == 0 && larger == 1) return true;
    wishes *w = calloc(1, sizeof *w);
    if (!w) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    make_wishes(w, opts, from, to);
    w->opts.scale = larger * (opts->scale > 0 ? opts->scale : 1);
    for (uint32_t i = 0; i < opts->shapes.count; i++)
        if (!convert_scene_shape(opts, i, scene, &w->shapes[i])) {
            *err = report_make(TENON_ERR_UNSUPPORTED, "there is no mesh for '--set-shape %s'",
                               opts->shapes.values[i]);
            free(w);
            return false;
        }
    w->opts.shapes = w->shapes;
    w->opts.shape_count = opts->shapes.count;
    w->opts.lost = lost;
    w->opts.user = user;
    bool ok = add_clips(scene, opts, cuts_lead_in, lost, user, at_fault, err) &&
              tenon_reshape(scene, &w->opts, err);
    free(w);
    return ok;
}
