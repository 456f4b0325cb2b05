// salvage_report.c: what tenon salvage found, kept and lost, and how it tells that.
// SPDX-License-Identifier: MIT

#include "commands/salvage_report.h"

#include "commands/map_walk.h"
#include "input/job.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 12
#define CUTS_SHOWN    6

// -- Losses

static char *copy_text(const char *text)
{
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

void salvage_lose(void *user, const tenon_loss *loss)
{
    salvage *s = user;
    if (s->loss_count == s->loss_room) {
        uint32_t room = s->loss_room ? 2 * s->loss_room : 16;
        salvage_loss *grown = realloc(s->losses, room * sizeof *grown);
        s->has_no_memory |= !grown;
        if (!grown) return;
        s->losses = grown;
        s->loss_room = room;
    }
    salvage_loss *own = &s->losses[s->loss_count++];
    *own = (salvage_loss){.kind = loss->kind,
                          .feature = loss->feature,
                          .why = copy_text(loss->why),
                          .path = copy_text(loss->path),
                          .count = loss->count,
                          .offset = loss->offset};
    s->has_no_memory |= !own->why || (loss->path && !own->path);
}

// Whether `path` is that of a part, or of what the part is in.
static bool leads_to(const char *path, const char *part)
{
    size_t size = strlen(path);
    return strncmp(part, path, size) == 0 &&
           (part[size] == '\0' || part[size] == '.' || part[size] == '[');
}

// How far behind the start of a part that what a path leads to is; TENON_ABSENT if it is elsewhere.
static uint64_t find_in_part(const char *path, const tenon_part *part)
{
    map_record record;
    size_t size = strlen(part->path);
    if (leads_to(path, part->path)) return 0;
    bool is_record = part->layout && strncmp(path, part->path, size) == 0 && path[size] == '[';
    uint64_t index = is_record ? strtoull(path + size + 1, NULL, 10) : TENON_ABSENT;
    return is_record && map_record_at(part, index, &record) ? record.offset : TENON_ABSENT;
}

static bool note_part(void *user, const tenon_part *part)
{
    salvage *s = user;
    for (uint32_t i = 0; i < s->loss_count; i++) {
        salvage_loss *loss = &s->losses[i];
        if (loss->offset || !loss->path) continue;
        uint64_t inside = find_in_part(loss->path, part);
        if (inside != TENON_ABSENT) loss->offset = part->offset + inside;
    }
    return true;
}

bool salvage_locate(salvage *s, tenon_error *err)
{
    tenon_read_opts read = {.allocator = job_allocator(),
                            .format = s->m.doc->format->name,
                            .dialect = s->m.doc->dialect->name};
    // What is broken ends the map as well.
    return tenon_map(s->m.bytes.data, s->m.bytes.size, &read, note_part, s, err) ||
           err->code != TENON_ERR_MEMORY;
}

void salvage_free(salvage *s)
{
    for (uint32_t i = 0; i < s->loss_count; i++) {
        free(s->losses[i].why);
        free(s->losses[i].path);
    }
    free(s->losses);
    model_free(&s->m);
    convert_plan_free(&s->plan);
}

// -- What was kept

#define KEPT_THINGS 8

typedef struct kept_thing {
    const char *one;   // NULL: only for programs.
    const char *many;  // Also what programs call it.
    uint64_t count;
} kept_thing;

typedef struct kept_things {
    kept_thing list[KEPT_THINGS];
} kept_things;

static kept_things count_kept(const salvage *s)
{
    const tenon_info *info = &s->info;
    return (kept_things){{{"mesh", "meshes", info->meshes},
                          {NULL, "vertices", info->vertices},
                          {"triangle", "triangles", info->triangles},
                          {"node", "nodes", info->nodes},
                          {"animation", "animations", info->animations},
                          {"material", "materials", info->materials},
                          {"frame", "frames", info->frames},
                          {"font", "fonts", info->fonts}}};
}

// -- For people

static void put_label(FILE *to, const char *label)
{
    out(to, "  %-*s ", LABEL_COLUMNS, label);
}

static void put_fault(const salvage *s, FILE *to)
{
    const tenon_error *fault = &s->fault;
    if (fault->code == TENON_OK) {
        put_label(to, "found");
        if (s->error_count)
            out_count(to, s->error_count, "error");
        else
            out(to, s->is_noisy       ? "implausible numbers"
                    : s->is_disguised ? "a format that only the file name shows"
                                      : "no error");
        out(to, "\n");
        return;
    }
    put_label(to, "fault");
    if (fault->offset != TENON_ABSENT) out(to, "at 0x%06" PRIx64 ", ", fault->offset);
    if (fault->path[0]) out_clean(to, fault->path);
    out(to, "%s", fault->path[0] ? ": " : "");
    out_clean(to, fault->message);
    out(to, "\n");
}

// Where the cuts go, and how many there were.
typedef struct cut_list {
    FILE *to;
    uint32_t count;
} cut_list;

static void put_cut(void *user, const tenon_cut *cut)
{
    cut_list *list = user;
    if (list->count++ >= CUTS_SHOWN) return;
    put_label(list->to, "cut");
    out_clean(list->to, cut->path);
    out(list->to, ": %" PRIu64 " of %" PRIu64 ", up to 0x%06" PRIx64 "\n", cut->kept, cut->stated,
        cut->offset);
}

void salvage_tell_fault(const salvage *s, FILE *to)
{
    cut_list cuts = {.to = to};
    out_color(to, OUT_STRONG);
    out_clean(to, report_name(s->job->in));
    out_color(to, OUT_PLAIN);
    out(to, ": %s:%s, %zu bytes\n", s->m.doc->format->name, s->m.doc->dialect->name,
        s->m.bytes.size);
    put_fault(s, to);
    tenon_cuts(s->m.doc, put_cut, &cuts);
    if (cuts.count <= CUTS_SHOWN) return;
    put_label(to, "cut");
    out(to, "and %u more\n", (unsigned)(cuts.count - CUTS_SHOWN));
}

static void put_kept(const salvage *s, FILE *to)
{
    kept_things kept = count_kept(s);
    bool is_first = true;
    put_label(to, "kept");
    for (size_t i = 0; i < KEPT_THINGS; i++) {
        const kept_thing *thing = &kept.list[i];
        if (!thing->one || thing->count == TENON_ABSENT || thing->count == 0) continue;
        out(to, "%s%" PRIu64 " %s", is_first ? "" : ", ", thing->count,
            thing->count == 1 ? thing->one : thing->many);
        is_first = false;
    }
    out(to, is_first ? "nothing\n" : "\n");
}

static void put_losses(const salvage *s, FILE *to)
{
    for (uint32_t i = 0; i < s->loss_count; i++) {
        const salvage_loss *loss = &s->losses[i];
        put_label(to, report_loss_word(loss->kind));
        out_clean(to, loss->feature);
        out(to, " (%" PRIu64 ")", loss->count);
        if (loss->path) {
            out(to, "; first: ");
            out_clean(to, loss->path);
            if (loss->offset) out(to, " at 0x%06" PRIx64, loss->offset);
        }
        out(to, ":\n");
        out_spaces(to, LABEL_COLUMNS + 3);
        out_clean(to, loss->why ? loss->why : "");
        out(to, "\n");
    }
}

void salvage_tell(const salvage *s, FILE *to)
{
    salvage_tell_fault(s, to);
    put_losses(s, to);
    put_kept(s, to);
    put_label(to, s->is_written ? "wrote" : "would write");
    out_clean(to, strcmp(s->job->out, "-") == 0 ? "<stdout>" : s->job->out);
    out(to, " as %s", s->to->name);
    if (s->dialect) out(to, ":%s", s->dialect);
    out(to, ", %" PRIu64 " bytes\n", s->size);
}

// -- For programs

static void json_cut(void *user, const tenon_cut *cut)
{
    json_out *json = user;
    json_begin(json, NULL, '{');
    json_text(json, "path", cut->path);
    json_uint(json, "offset", cut->offset);
    json_uint(json, "kept", cut->kept);
    json_uint(json, "stated", cut->stated);
    json_end(json, '}');
}

static void json_losses(const salvage *s, json_out *json)
{
    json_begin(json, "losses", '[');
    for (uint32_t i = 0; i < s->loss_count; i++) {
        const salvage_loss *loss = &s->losses[i];
        json_begin(json, NULL, '{');
        json_text(json, "kind", report_loss_word(loss->kind));
        json_text(json, "feature", loss->feature);
        json_uint(json, "count", loss->count);
        if (loss->path) json_text(json, "path", loss->path);
        if (loss->offset) json_uint(json, "offset", loss->offset);
        json_text(json, "why", loss->why ? loss->why : "");
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void json_kept(const salvage *s, json_out *json)
{
    kept_things kept = count_kept(s);
    json_begin(json, "kept", '{');
    for (size_t i = 0; i < KEPT_THINGS; i++)
        if (kept.list[i].count != TENON_ABSENT)
            json_uint(json, kept.list[i].many, kept.list[i].count);
    json_end(json, '}');
}

void salvage_tell_json(const salvage *s, const tenon_error *err)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "file", s->job->in);
    json_text(&json, "output", s->job->out);
    if (s->fault.code != TENON_OK) {
        json_begin(&json, "fault", '{');
        report_error_member(&json, &s->fault);
        json_end(&json, '}');
    }
    if (s->m.doc) {
        json_uint(&json, "errors", s->error_count);
        json_begin(&json, "cuts", '[');
        tenon_cuts(s->m.doc, json_cut, &json);
        json_end(&json, ']');
        json_losses(s, &json);
    }
    if (err->code != TENON_OK) {
        report_error_member(&json, err);
    } else {
        json_kept(s, &json);
        json_text(&json, "format", s->to->name);
        if (s->dialect) json_text(&json, "dialect", s->dialect);
        json_uint(&json, "size", s->size);
    }
    json_bool(&json, "written", s->is_written);
    json_end(&json, '}');
    json_line(&json);
}
