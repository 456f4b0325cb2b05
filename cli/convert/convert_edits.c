// convert_edits.c: edits of a document or a scene that the options of tenon convert ask for.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"

#include "import/import_scene.h"
#include "input/job.h"
#include "input/scene_load.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/edit.h>
#include <tenon/modeldata.h>

#define EVENT_RATE 60.0  // Frames per second of events, without '--rate'.
#define TEXT_SIZE  256

// -- Collision shapes

// Read MESH=SHAPE. MESH is a number or "all", which is TENON_NONE. False if it is something else.
static bool convert_edits_read_shape(const char *text, uint32_t *mesh, const char **shape)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return false;
    *shape = equals + 1;
    *mesh = TENON_NONE;
    if (strncmp(text, "all=", 4) == 0) return true;
    uint64_t value = 0;
    for (const char *digit = text; digit < equals; digit++) {
        if (*digit < '0' || *digit > '9') return false;
        value = value * 10 + (uint64_t)(*digit - '0');
        if (value >= TENON_NONE) return false;
    }
    *mesh = (uint32_t)value;
    return true;
}

const char *convert_invalid_shape(const convert_opts *opts)
{
    uint32_t mesh;
    const char *shape;
    for (uint32_t i = 0; i < opts->shapes.count; i++)
        if (!convert_edits_read_shape(opts->shapes.values[i], &mesh, &shape))
            return opts->shapes.values[i];
    return NULL;
}

bool convert_edit_document(convert_job *job)
{
    const convert_opts *opts = job->opts;
    if (!opts->clear_shape && opts->shapes.count == 0) return true;
    tenon_modeldata *modeldata = tenon_as_modeldata(job->input.doc);
    if (!modeldata) {
        job->err = report_make(TENON_ERR_UNSUPPORTED, "%s has no collision shapes; ModelData has",
                               job->input.doc->format->name);
        return false;
    }
    job->is_changed = true;
    if (opts->clear_shape && !tenon_modeldata_set_shape(modeldata, TENON_NONE, NULL, &job->err))
        return false;
    for (uint32_t i = 0; i < opts->shapes.count; i++) {
        uint32_t mesh = TENON_NONE;
        const char *shape = "";
        (void)convert_edits_read_shape(opts->shapes.values[i], &mesh, &shape);
        if (mesh != TENON_NONE && mesh >= modeldata->mesh_count) {
            job->err =
                report_make(TENON_ERR_UNSUPPORTED, "there is no mesh %u for '--set-shape', only %u",
                            (unsigned)mesh, (unsigned)modeldata->mesh_count);
            return false;
        }
        if (!tenon_modeldata_set_shape(modeldata, mesh, shape, &job->err)) return false;
    }
    return true;
}

// -- Events

typedef struct event_text {
    char clip[TEXT_SIZE], name[TEXT_SIZE];
} event_text;

// Read CLIP:FRAME:NAME; the clip may have colons in it. False if it is something else.
static bool convert_edits_read_event(const char *text, double rate, event_text *parts,
                                     tenon_new_event *event)
{
    const char *last = strrchr(text, ':'), *middle = last;
    while (middle && middle > text && middle[-1] != ':') middle--;
    if (!last || middle <= text + 1) return false;
    double frame;
    bool is_number = cli_read_decimal(middle, (size_t)(last - middle), &frame);
    size_t clip_size = (size_t)(middle - 1 - text);
    if (!is_number || clip_size >= TEXT_SIZE || strlen(last + 1) >= TEXT_SIZE || !last[1])
        return false;
    memcpy(parts->clip, text, clip_size);
    parts->clip[clip_size] = '\0';
    memcpy(parts->name, last + 1, strlen(last + 1) + 1);
    *event = (tenon_new_event){parts->clip, frame / rate, parts->name};
    return true;
}

const char *convert_invalid_event(const convert_opts *opts)
{
    event_text parts;
    tenon_new_event event;
    for (uint32_t i = 0; i < opts->events.count; i++)
        if (!convert_edits_read_event(opts->events.values[i], EVENT_RATE, &parts, &event))
            return opts->events.values[i];
    return NULL;
}

// -- Morph targets

// Read NAME=WEIGHT; the name, which is copied, may have equals signs in it. False if it is
// something else.
static bool convert_edits_read_morph(const char *text, char name[TEXT_SIZE],
                                     tenon_new_weight *weight)
{
    const char *equals = strrchr(text, '=');
    size_t size = equals ? (size_t)(equals - text) : 0;
    if (size == 0 || size >= TEXT_SIZE) return false;
    bool is_negative = equals[1] == '-';
    const char *digits = equals + 1 + is_negative;
    double value;
    if (!cli_read_decimal(digits, strlen(digits), &value)) return false;
    memcpy(name, text, size);
    name[size] = '\0';
    *weight = (tenon_new_weight){name, is_negative ? -value : value};
    return true;
}

const char *convert_invalid_morph(const convert_opts *opts)
{
    char name[TEXT_SIZE];
    tenon_new_weight weight;
    for (uint32_t i = 0; i < opts->morphs.count; i++)
        if (!convert_edits_read_morph(opts->morphs.values[i], name, &weight))
            return opts->morphs.values[i];
    return NULL;
}

// -- Scenes

bool convert_edits_scene(const convert_opts *opts)
{
    return opts->source_scale > 0 || opts->source_up || opts->source_hand || opts->scale > 0 ||
           opts->up || opts->hand || opts->nodes.count || opts->clips_from.count || opts->drop ||
           opts->lod || opts->normals || opts->tangents || opts->flip_normals || opts->flip_u ||
           opts->flip_v || opts->reverse_winding || opts->max_weights || opts->pre_transform ||
           opts->join || opts->morphs.count || opts->events.count || opts->loops.count ||
           opts->holds.count || opts->clips.count;
}

void convert_report_unused(const convert_job *job)
{
    const convert_opts *opts = job->opts;
    if (opts->common.quiet || opts->common.json) return;
    if (opts->keep_lead_in && !job->is_imported && !opts->clips_from.count)
        report_note(job->source->file,
                    "'--keep-lead-in' has no effect: clips of this format are never cut");
    if (opts->units != TENON_UNITS_AUTO && !(job->unit > 0))
        report_note(job->source->file, "'--units' has no effect: the file does not say its unit");
}

static bool convert_edits_has_clip(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (strcmp(scene->animations[i].name.data, name) == 0) return true;
    return false;
}

// Some programs write FBX files with one take each, all of the same name: then a take gets the name
// of its file.
static bool convert_edits_name_take(convert_job *job, tenon_scene *clips, const char *file)
{
    if (clips->animation_count != 1 ||
        !convert_edits_has_clip(job->scene, clips->animations[0].name.data))
        return true;
    const char *base = path_base_name(file), *end = strrchr(base, '.');
    size_t size = end && end != base ? (size_t)(end - base) : strlen(base);
    char *name = tenon_scene_alloc(clips, size + 1);
    if (!name) return job_out_of_memory(&job->err);
    memcpy(name, base, size);
    if (strcmp(name, clips->animations[0].name.data) == 0) return true;
    const tenon_loss loss = {.kind = TENON_APPROXIMATED,
                             .feature = "names of clips",
                             .why = "another clip has the same name: named after the file",
                             .count = 1,
                             .path = name};
    clips->animations[0].name = (tenon_str){name, (uint32_t)size};
    if (job->events.on_loss) job->events.on_loss(job->events.user, &loss);
    return true;
}

// Add the clips of the files that '--clips-from' names, in their order.
static bool convert_edits_add_clips(convert_job *job, bool cuts_lead_in)
{
    const convert_opts *opts = job->opts;
    cli_common reading = opts->common;
    reading.from = (cli_format){0};  // It says what the input is.
    for (uint32_t i = 0; i < opts->clips_from.count; i++) {
        const char *file = opts->clips_from.values[i];
        loaded_scene clips = {0};
        bool ok = scene_load(&clips, &reading, file, &job->err);
        if (ok && clips.is_imported && cuts_lead_in)
            ok = import_start_at_first_key(clips.scene, &job->events, &job->err);
        if (ok && clips.is_imported) ok = convert_edits_name_take(job, clips.scene, file);
        if (!ok) job->at_fault = file;
        ok = ok && tenon_edit_add_clips(job->scene, clips.scene, &job->events, &job->err);
        scene_unload(&clips);
        if (!ok) return false;
    }
    return true;
}

static bool convert_edits_is_left_handed(const tenon_format *format)
{
    return (format->caps & TENON_LEFT_HANDED) != 0;
}

// Whether an option asks for the other handedness than the format has.
static bool convert_edits_is_other_hand(uint32_t hand, const tenon_format *format)
{
    return hand != HAND_OWN && (hand == HAND_LEFT) != convert_edits_is_left_handed(format);
}

// The texts and lists that the options of edits point to.
typedef struct edit_lists {
    event_text texts[CLI_LIST_MOST];
    tenon_new_event events[CLI_LIST_MOST];
    tenon_new_shape shapes[CLI_LIST_MOST];
    char morphs[CLI_LIST_MOST][TEXT_SIZE];
    tenon_new_weight weights[CLI_LIST_MOST];
} edit_lists;

static bool convert_edits_fill_lists(edit_lists *lists, const convert_opts *opts,
                                     const tenon_scene *scene, tenon_error *err)
{
    double rate = opts->rate > 0 ? opts->rate : EVENT_RATE;
    for (uint32_t i = 0; i < opts->events.count; i++)
        (void)convert_edits_read_event(opts->events.values[i], rate, &lists->texts[i],
                                       &lists->events[i]);
    for (uint32_t i = 0; i < opts->morphs.count; i++)
        (void)convert_edits_read_morph(opts->morphs.values[i], lists->morphs[i],
                                       &lists->weights[i]);
    for (uint32_t i = 0; i < opts->shapes.count; i++) {
        uint32_t mesh = TENON_NONE;
        tenon_new_shape *shape = &lists->shapes[i];
        (void)convert_edits_read_shape(opts->shapes.values[i], &mesh, &shape->shape);
        if (mesh == TENON_NONE) continue;  // All meshes: the name stays NULL.
        if (mesh >= scene->mesh_count) {
            *err = report_make(TENON_ERR_UNSUPPORTED, "there is no mesh for '--set-shape %s'",
                               opts->shapes.values[i]);
            return false;
        }
        shape->mesh = scene->meshes[mesh].name.data;
    }
    return true;
}

bool convert_edit_scene(convert_job *job)
{
    const convert_opts *opts = job->opts;
    const tenon_format *from = job->source->doc->format, *to = job->to;
    tenon_scene *scene = job->scene;
    // A pose is at a time of the file's own timeline, as in `tenon verify`.
    bool is_posed = strcmp(to->name, "obj") == 0;
    bool cuts_lead_in = !opts->keep_lead_in && !is_posed;
    convert_report_unused(job);
    if (!convert_edits_scene(opts) && opts->shapes.count == 0) return true;
    edit_lists *lists = calloc(1, sizeof *lists);
    if (!lists) return job_out_of_memory(&job->err);
    // Z of left-handed files is mirrored on import and export, so that turns are reversed.
    bool is_left = convert_edits_is_left_handed(from),
         will_be_left = convert_edits_is_left_handed(to);
    bool is_other_hand = convert_edits_is_other_hand(opts->hand, to);
    const tenon_edit_space_opts source = {
        .events = job->events,
        .scale = opts->source_scale,
        .turns = opts->source_up != AXIS_Z ? 0
                 : is_left                 ? 1
                                           : -1,
        .mirror = convert_edits_is_other_hand(opts->source_hand, from),
    };
    const tenon_edit_keep_opts keep = {
        .events = job->events,
        .nodes = opts->nodes.values,
        .node_count = opts->nodes.count,
        .clips = opts->clips.values,
        .clip_count = is_posed ? 0 : opts->clips.count,
        .drop = opts->drop,
        .lod = opts->lod,
    };
    const tenon_edit_mesh_opts meshes = {
        .events = job->events,
        .weights = lists->weights,
        .weight_count = opts->morphs.count,
        .flip_normals = opts->flip_normals,
        .flip_u = opts->flip_u,
        .flip_v = opts->flip_v,
        .reverse_winding = opts->reverse_winding,
        .normals = (tenon_make)opts->normals,
        .tangents = (tenon_make)opts->tangents,
        .max_influences = (uint32_t)opts->max_weights,
        .pre_transform = opts->pre_transform,
        .join = opts->join,
        .shapes = lists->shapes,
        .shape_count = opts->shapes.count,
    };
    const tenon_edit_clip_opts clips = {
        .events = job->events,
        .new_events = lists->events,
        .new_event_count = opts->events.count,
        .loops = opts->loops.values,
        .loop_count = opts->loops.count,
        .holds = opts->holds.values,
        .hold_count = opts->holds.count,
    };
    const tenon_edit_space_opts result = {
        .events = job->events,
        .turns = opts->up != AXIS_Z              ? 0
                 : is_other_hand != will_be_left ? -1
                                                 : 1,
        .mirror = is_other_hand,
    };
    tenon_error *err = &job->err;
    bool ok = convert_edits_fill_lists(lists, opts, scene, err) &&
              convert_edits_add_clips(job, cuts_lead_in) && tenon_edit_space(scene, &source, err) &&
              tenon_edit_keep(scene, &keep, err) && tenon_edit_meshes(scene, &meshes, err) &&
              tenon_edit_clips(scene, &clips, err) && tenon_edit_space(scene, &result, err);
    free(lists);
    return ok;
}
