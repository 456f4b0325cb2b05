// salvage_report.c: what tenon salvage found, kept and lost, and its report.
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

static char *salvage_report_copy_text(const char *text)
{
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

void recovery_add_loss(void *user, const tenon_loss *loss)
{
    model_recovery *recovery = user;
    if (recovery->loss_count == recovery->loss_room) {
        uint32_t room = recovery->loss_room ? 2 * recovery->loss_room : 16;
        recovery_loss *grown = realloc(recovery->losses, room * sizeof *grown);
        recovery->has_no_memory |= !grown;
        if (!grown) return;
        recovery->losses = grown;
        recovery->loss_room = room;
    }
    recovery_loss *own = &recovery->losses[recovery->loss_count++];
    *own = (recovery_loss){.kind = loss->kind,
                           .feature = loss->feature,
                           .why = salvage_report_copy_text(loss->why),
                           .path = salvage_report_copy_text(loss->path),
                           .count = loss->count,
                           .offset = loss->offset};
    recovery->has_no_memory |= !own->why || (loss->path && !own->path);
}

// Give the losses that are in a part their offset.
static bool salvage_report_locate_in_part(void *user, const tenon_part *part)
{
    model_recovery *recovery = user;
    for (uint32_t i = 0; i < recovery->loss_count; i++) {
        recovery_loss *loss = &recovery->losses[i];
        if (loss->offset || !loss->path) continue;
        size_t size = strlen(loss->path), part_size = strlen(part->path);
        bool contains_part =
            strncmp(part->path, loss->path, size) == 0 &&
            (part->path[size] == '\0' || part->path[size] == '.' || part->path[size] == '[');
        bool is_record = !contains_part && part->layout &&
                         strncmp(loss->path, part->path, part_size) == 0 &&
                         loss->path[part_size] == '[';
        map_record record;
        if (contains_part)
            loss->offset = part->offset;
        else if (is_record &&
                 map_record_at(part, strtoull(loss->path + part_size + 1, NULL, 10), &record))
            loss->offset = part->offset + record.offset;
    }
    return true;
}

bool recovery_locate_losses(model_recovery *recovery, tenon_error *err)
{
    tenon_read_opts read = {.allocator = job_allocator(),
                            .format = recovery->job.input.doc->format->name,
                            .dialect = recovery->job.input.doc->dialect->name};
    // The error that ended reading also ends the map.
    return tenon_map(recovery->job.input.bytes.data, recovery->job.input.bytes.size, &read,
                     salvage_report_locate_in_part, recovery, err) ||
           err->code != TENON_ERR_MEMORY;
}

void recovery_free(model_recovery *recovery)
{
    for (uint32_t i = 0; i < recovery->loss_count; i++) {
        free(recovery->losses[i].why);
        free(recovery->losses[i].path);
    }
    free(recovery->losses);
    convert_job_free(&recovery->job);
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

static kept_things salvage_report_count_kept(const model_recovery *recovery)
{
    const tenon_info *info = &recovery->info;
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

static void salvage_report_put_label(FILE *to, const char *label)
{
    out(to, "  %-*s ", LABEL_COLUMNS, label);
}

// Where cuts are printed, and how many there are.
typedef struct cut_list {
    FILE *to;
    uint32_t count;
} cut_list;

static void salvage_report_put_cut(void *user, const tenon_cut *cut)
{
    cut_list *list = user;
    if (list->count++ >= CUTS_SHOWN) return;
    salvage_report_put_label(list->to, "cut");
    out_clean(list->to, cut->path);
    out(list->to, ": %" PRIu64 " of %" PRIu64 ", up to 0x%06" PRIx64 "\n", cut->kept, cut->stated,
        cut->offset);
}

void recovery_print_fault(const model_recovery *recovery, FILE *to)
{
    cut_list cuts = {.to = to};
    const tenon_error *fault = &recovery->fault;
    out_color(to, OUT_STRONG);
    out_clean(to, report_name(recovery->job.in));
    out_color(to, OUT_PLAIN);
    out(to, ": %s:%s, %zu bytes\n", recovery->job.input.doc->format->name,
        recovery->job.input.doc->dialect->name, recovery->job.input.bytes.size);
    if (fault->code == TENON_OK) {
        salvage_report_put_label(to, "found");
        if (recovery->error_count)
            out_count(to, recovery->error_count, "error");
        else
            out(to, recovery->has_outliers       ? "implausible numbers"
                    : recovery->is_known_by_name ? "a format that only the file name shows"
                                                 : "no error");
    } else {
        salvage_report_put_label(to, "fault");
        if (fault->offset != TENON_ABSENT) out(to, "at 0x%06" PRIx64 ", ", fault->offset);
        if (fault->path[0]) out_clean(to, fault->path);
        out(to, "%s", fault->path[0] ? ": " : "");
        out_clean(to, fault->message);
    }
    out(to, "\n");
    tenon_cuts(recovery->job.input.doc, salvage_report_put_cut, &cuts);
    if (cuts.count <= CUTS_SHOWN) return;
    salvage_report_put_label(to, "cut");
    out(to, "and %u more\n", (unsigned)(cuts.count - CUTS_SHOWN));
}

void recovery_print(const model_recovery *recovery, FILE *to)
{
    recovery_print_fault(recovery, to);
    for (uint32_t i = 0; i < recovery->loss_count; i++) {
        const recovery_loss *loss = &recovery->losses[i];
        salvage_report_put_label(to, report_loss_word(loss->kind));
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
    kept_things kept = salvage_report_count_kept(recovery);
    bool is_first = true;
    salvage_report_put_label(to, "kept");
    for (size_t i = 0; i < KEPT_THINGS; i++) {
        const kept_thing *thing = &kept.list[i];
        if (!thing->one || thing->count == TENON_ABSENT || thing->count == 0) continue;
        out(to, "%s%" PRIu64 " %s", is_first ? "" : ", ", thing->count,
            thing->count == 1 ? thing->one : thing->many);
        is_first = false;
    }
    out(to, is_first ? "nothing\n" : "\n");
    salvage_report_put_label(to, recovery->job.is_written ? "wrote" : "would write");
    out_clean(to, path_is_stream(recovery->job.out) ? "<stdout>" : recovery->job.out);
    out(to, " as %s", recovery->job.to->name);
    if (recovery->dialect) out(to, ":%s", recovery->dialect);
    out(to, ", %" PRIu64 " bytes\n", recovery->job.size);
}

// -- For programs

static void salvage_report_json_cut(void *user, const tenon_cut *cut)
{
    json_out *json = user;
    json_begin(json, NULL, '{');
    json_text(json, "path", cut->path);
    json_uint(json, "offset", cut->offset);
    json_uint(json, "kept", cut->kept);
    json_uint(json, "stated", cut->stated);
    json_end(json, '}');
}

void recovery_print_json(const model_recovery *recovery, const tenon_error *err)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "file", recovery->job.in);
    json_text(&json, "output", recovery->job.out);
    if (recovery->fault.code != TENON_OK) {
        json_begin(&json, "fault", '{');
        report_error_member(&json, &recovery->fault);
        json_end(&json, '}');
    }
    if (recovery->job.input.doc) {
        json_uint(&json, "errors", recovery->error_count);
        json_begin(&json, "cuts", '[');
        tenon_cuts(recovery->job.input.doc, salvage_report_json_cut, &json);
        json_end(&json, ']');
        json_begin(&json, "losses", '[');
        for (uint32_t i = 0; i < recovery->loss_count; i++) {
            const recovery_loss *loss = &recovery->losses[i];
            json_begin(&json, NULL, '{');
            json_text(&json, "kind", report_loss_word(loss->kind));
            json_text(&json, "feature", loss->feature);
            json_uint(&json, "count", loss->count);
            if (loss->path) json_text(&json, "path", loss->path);
            if (loss->offset) json_uint(&json, "offset", loss->offset);
            json_text(&json, "why", loss->why ? loss->why : "");
            json_end(&json, '}');
        }
        json_end(&json, ']');
    }
    if (err->code != TENON_OK) {
        report_error_member(&json, err);
    } else {
        kept_things kept = salvage_report_count_kept(recovery);
        json_begin(&json, "kept", '{');
        for (size_t i = 0; i < KEPT_THINGS; i++)
            if (kept.list[i].count != TENON_ABSENT)
                json_uint(&json, kept.list[i].many, kept.list[i].count);
        json_end(&json, '}');
        json_text(&json, "format", recovery->job.to->name);
        if (recovery->dialect) json_text(&json, "dialect", recovery->dialect);
        json_uint(&json, "size", recovery->job.size);
    }
    json_bool(&json, "written", recovery->job.is_written);
    json_end(&json, '}');
    json_line(&json);
}
