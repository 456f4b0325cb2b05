// progress.c: progress of long operations, on a terminal.
// SPDX-License-Identifier: MIT

#include "report/progress.h"

#include "input/job.h"
#include "report/clean.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN_FROM   ((uint64_t)64 << 20)
#define MIB          ((uint64_t)1 << 20)
#define NAME_COLUMNS 40

static bool progress_step(void *user, uint64_t done, uint64_t total)
{
    progress *p = user;
    if (job_is_late()) return false;
    if (!p->is_wanted) return true;
    bool is_open = total == TENON_ABSENT;
    if ((is_open ? done : total) < SHOWN_FROM) return true;
    uint64_t mark = is_open ? done / MIB : done / (total / 100);
    if (p->is_shown && mark == p->mark) return true;
    p->is_shown = true;
    p->mark = mark;
    char name[256];
    clean_text(report_name(p->file), strlen(report_name(p->file)), name, sizeof name, NULL);
    out(stderr, "\r%s %.*s: %" PRIu64 "%s", p->verb, (int)clean_fit(name, NAME_COLUMNS), name, mark,
        is_open ? " MiB" : "%");
    (void)fflush(stderr);
    return true;
}

tenon_events progress_begin(progress *p, const cli_common *opts, const char *verb, const char *file)
{
    *p = (progress){.verb = verb, .file = file};
    p->is_wanted = !opts->quiet && !out_is_captured() && out_is_terminal(stderr);
    if (!p->is_wanted && !(opts->batch.timeout > 0)) return (tenon_events){0};
    return (tenon_events){.user = p, .on_progress = progress_step};
}

static void progress_pass_loss(void *user, const tenon_loss *loss)
{
    const progress *p = user;
    p->inner.on_loss(p->inner.user, loss);
}

tenon_events progress_begin_with_losses(progress *p, const cli_common *opts, const char *verb,
                                        const char *file, const tenon_events *losses)
{
    tenon_events events = progress_begin(p, opts, verb, file);
    if (!losses->on_loss) return events;
    if (!events.on_progress) return (tenon_events){losses->user, .on_loss = losses->on_loss};
    p->inner = *losses;
    events.on_loss = progress_pass_loss;
    return events;
}

void progress_end(progress *p)
{
    if (p->is_shown) out(stderr, "\r\033[K");
    p->is_shown = false;
}
