// render_sheet.c: many models in one picture, with their names.
// SPDX-License-Identifier: MIT

#include "commands/render_opts.h"
#include "input/job.h"
#include "pictures/label.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#define GAP         8    // Pixels around each model and its name.
#define LARGE_CELL  400  // From that width on, names are twice as large.
#define SIDE_MOST   32768
#define REASON_SIZE 256

static const uint8_t ink[4] = {40, 44, 52, 255}, paper[4] = {226, 229, 233, 255};
static const uint8_t alarm[4] = {176, 38, 28, 255}, nothing[4] = {0, 0, 0, 0};

typedef struct sheet {
    const render_opts *opts;
    canvas picture;
    uint8_t *cell;  // The pixels of one model.
    uint32_t columns, rows, scale;
    uint32_t step_x, step_y;  // From one model to the next.
} sheet;

// As square as it can be.
static void render_sheet_plan(sheet *s, uint32_t count)
{
    const drawing_opts *drawn = &s->opts->drawing;
    s->scale = drawn->width >= LARGE_CELL ? 2 : 1;
    s->step_x = drawn->width + GAP;
    s->step_y = drawn->height + GAP + LABEL_ROWS * s->scale + GAP / 2;
    s->columns = 1;
    while ((uint64_t)s->columns * s->step_x * s->columns < (uint64_t)count * s->step_y &&
           s->columns < count)
        s->columns++;
    // A little wider, if then no place is left empty.
    for (uint32_t wider = s->columns; wider <= s->columns * 3 / 2 + 1; wider++) {
        if (count % wider != 0) continue;
        s->columns = wider;
        break;
    }
    s->rows = (count + s->columns - 1) / s->columns;
    uint64_t width = (uint64_t)s->columns * s->step_x + GAP;
    uint64_t height = (uint64_t)s->rows * s->step_y + GAP;
    s->picture.width = width <= SIDE_MOST ? (uint32_t)width : 0;
    s->picture.height = height <= SIDE_MOST ? (uint32_t)height : 0;
}

// What went wrong, instead of a model, in lines that fit.
static void render_sheet_put_fault(const sheet *s, int64_t x, int64_t y, const char *message)
{
    const drawing_opts *drawn = &s->opts->drawing;
    const canvas *to = &s->picture;
    uint32_t width = drawn->width > 2 * GAP ? drawn->width - 2 * GAP : 0;
    int64_t at = y + GAP;
    canvas_fill(to, x, y, drawn->width, drawn->height, paper);
    canvas_fill(to, x, y, drawn->width, 2, alarm);
    char line[REASON_SIZE] = "";
    while (*message && at + LABEL_ROWS * s->scale < y + drawn->height) {
        // Words as long as they fit; at least one.
        size_t taken = 0;
        for (size_t end = 0; message[end] && end < REASON_SIZE - 1;) {
            end += strspn(message + end, " ");
            end += strcspn(message + end, " ");
            if (end >= REASON_SIZE) break;
            (void)snprintf(line, sizeof line, "%.*s", (int)end, message);
            if (taken && label_width(line, s->scale) > width) break;
            taken = end;
        }
        if (taken == 0) taken = strlen(message);
        (void)snprintf(line, sizeof line, "%.*s", (int)taken, message);
        label_draw(to, x + GAP, at, width, line, s->scale, alarm);
        message += taken + strspn(message + taken, " ");
        at += LABEL_ROWS * s->scale;
    }
}

static int render_sheet_put_model(const sheet *s, const char *file, const char *name,
                                  uint32_t index)
{
    const render_opts *opts = s->opts;
    const drawing_opts *drawn = &opts->drawing;
    int64_t x = GAP + (int64_t)(index % s->columns) * s->step_x;
    int64_t y = GAP + (int64_t)(index / s->columns) * s->step_y;
    drawing d;
    tenon_error err;
    bool ok = drawing_begin(&d, &opts->common, file, drawn, &err) &&
              drawing_draw(&d, drawn, s->cell, &err);
    drawing_end(&d);
    if (ok)
        canvas_copy(&s->picture, x, y, &(canvas){s->cell, drawn->width, drawn->height});
    else
        render_sheet_put_fault(s, x, y, err.message);
    int64_t below = y + drawn->height + GAP / 2;
    uint32_t width = label_width(name, s->scale);
    int64_t left = width < drawn->width ? x + (drawn->width - width) / 2 : x;
    label_draw(&s->picture, left, below, drawn->width, name, s->scale, ok ? ink : alarm);
    if (!ok) return report_unreadable(&opts->common, file, &err);
    if (!opts->common.json) return CLI_OK;
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "file", file);
    json_uint(&json, "x", (uint64_t)x);
    json_uint(&json, "y", (uint64_t)y);
    json_end(&json, '}');
    json_line(&json);
    return CLI_OK;
}

static int render_sheet_write(const sheet *s, uint32_t drawn_count)
{
    const render_opts *opts = s->opts;
    uint64_t size = 0;
    tenon_error err;
    if (!drawing_write_canvas(&s->picture, opts->output, opts->force, &size, &err))
        return report_unreadable(&opts->common, opts->output, &err);
    if (opts->common.json) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "picture", opts->output);
        json_uint(&json, "width", s->picture.width);
        json_uint(&json, "height", s->picture.height);
        json_uint(&json, "size", size);
        json_uint(&json, "models", drawn_count);
        json_end(&json, '}');
        json_line(&json);
    } else if (!opts->common.quiet) {
        FILE *to = path_is_stream(opts->output) ? stderr : stdout;
        out_clean(to, opts->output);
        out(to, ": wrote ");
        out_count(to, drawn_count, "model");
        out(to, ", %u x %u pixels, %" PRIu64 " bytes\n", (unsigned)s->picture.width,
            (unsigned)s->picture.height, size);
    }
    return CLI_OK;
}

int render_sheet(const render_opts *opts, const inputs *sources, summary *totals)
{
    const drawing_opts *drawn = &opts->drawing;
    sheet s = {.opts = opts};
    tenon_error err =
        report_make(TENON_ERR_LIMIT,
                    "%u models of %u x %u pixels are more than a "
                    "picture can hold; '--size' makes them smaller",
                    (unsigned)sources->count, (unsigned)drawn->width, (unsigned)drawn->height);
    int worst = totals->failed ? CLI_SYSTEM : CLI_OK;
    // The sheet counts for a job of all models.
    job_begin(&opts->common);
    render_sheet_plan(&s, sources->count);
    uint32_t width = s.picture.width, height = s.picture.height;
    if (width && height) s.picture.pixels = pixels_alloc(width, height, &err);
    if (s.picture.pixels) s.cell = pixels_alloc(drawn->width, drawn->height, &err);
    if (s.cell) {
        double alpha = drawn->background[3];
        canvas_fill(&s.picture, 0, 0, width, height, alpha > 0 ? paper : nothing);
        for (uint32_t i = 0; i < sources->count && !out_failed(); i++) {
            const char *file = sources->files[i];
            const input_place *place = &sources->places[i];
            const char *name = place->is_found ? file + place->name_at : path_base_name(file);
            int status = render_sheet_put_model(&s, file, name, i);
            if (status > worst) worst = status;
            if (status == CLI_OK)
                totals->done++;
            else
                summary_fail(totals, report_name(file), "no picture");
        }
        int status = render_sheet_write(&s, totals->done);
        if (status > worst) worst = status;
    } else {
        worst = report_unreadable(&opts->common, opts->output, &err);
    }
    job_report(&opts->common, opts->output);
    pixels_free(s.cell, drawn->width, drawn->height);
    pixels_free(s.picture.pixels, width, height);
    return summary_end(totals, &opts->common, "drawn", sources->are_many, worst);
}
