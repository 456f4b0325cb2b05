// cmd_salvage.c: tenon salvage: recover what is intact in a damaged model.
// SPDX-License-Identifier: MIT

#include "commands/salvage_report.h"
#include "convert/convert_output.h"
#include "convert/convert_scene.h"
#include "convert/readback.h"
#include "input/job.h"
#include "options/cli.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <string.h>

typedef struct salvage_opts {
    cli_common common;
    const char *output;
    cli_format to;
    bool force, dry_run;
} salvage_opts;

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

// -- Reading

// All that can be read. A file that does not look like any format is what its name says.
static bool read_what_is_left(salvage *s, tenon_error *err)
{
    const cli_common *common = &s->opts.common;
    progress line;
    tenon_read_opts read = model_read_opts(common, s->job->in);
    read.progress = progress_begin(&line, common, "reading", s->job->in);
    read.partial = read.torn = true;
    s->m.doc = tenon_read(s->m.bytes.data, s->m.bytes.size, &read, &s->fault);
    bool is_unknown = !s->m.doc && !read.format &&
                      (s->fault.code == TENON_ERR_FORMAT || s->fault.code == TENON_ERR_AMBIGUOUS);
    if (is_unknown && (read.format = report_format_of_name(s->job->in)) != NULL)
        s->m.doc = tenon_read(s->m.bytes.data, s->m.bytes.size, &read, &s->fault);
    s->is_disguised = is_unknown && s->m.doc && s->fault.code == TENON_OK;
    progress_end(&line);
    if (!s->m.doc) *err = s->fault;
    return s->m.doc != NULL;
}

// Check a document. False if that could not be done.
static bool judge(const tenon_doc *doc, tenon_check_result *result, tenon_error *err)
{
    tenon_check_opts opts = {.allocator = job_allocator()};
    return tenon_check(doc, &opts, NULL, NULL, result, err);
}

static void note_damage(void *user, const tenon_loss *loss)
{
    bool *is_damaged = user;
    *is_damaged |= loss->is_damage;
}

// Whether there is something in a sound document that cannot be meant, such as a page of noise
// among the vertices. False if that could not be found out.
static bool look_for_noise(const salvage *s, bool *is_noisy, tenon_error *err)
{
    tenon_scene_opts opts = {.allocator = job_allocator(),
                             .files = guard_files(),
                             .salvage = true,
                             .lost = note_damage,
                             .user = is_noisy};
    *is_noisy = false;
    if (!(s->m.doc->format->caps & TENON_TO_SCENE)) return true;
    tenon_scene *scene = tenon_to_scene(s->m.doc, &opts, err);
    bool ok = scene || (err->code != TENON_ERR_MEMORY && err->code != TENON_ERR_IO);
    tenon_scene_free(scene);
    return ok;
}

// What is wrong with a file that could be read.
static bool look_closer(salvage *s, tenon_error *err)
{
    tenon_check_result result;
    if (s->fault.code != TENON_OK) return true;
    if (!judge(s->m.doc, &result, err)) return false;
    s->error_count = result.errors;
    return s->error_count || look_for_noise(s, &s->is_noisy, err);
}

// -- Writing

static bool put(void *user, const void *bytes, size_t size)
{
    (void)user;
    out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool write_document(salvage *s, tenon_error *err)
{
    tenon_write_opts write = {.force = s->opts.force,
                              .inputs = s->plan.inputs,
                              .input_count = s->plan.input_count,
                              .files = guard_output_files()};
    s->to = s->m.doc->format;
    s->dialect = s->m.doc->dialect->name;
    s->size = tenon_write(s->m.doc, NULL, NULL, err);
    if (s->size == TENON_ABSENT) return false;
    if (!convert_may_write(&s->plan, &s->opts, s->job->out, err)) return false;
    if (s->opts.dry_run) return true;
    if (is_stdout(s->job->out))
        return tenon_write(s->m.doc, put, NULL, err) != TENON_ABSENT || out_failed();
    return tenon_write_file(s->m.doc, s->job->out, &write, err);
}

static bool write_scene(salvage *s, tenon_error *err)
{
    const tenon_format *from = s->m.doc->format;
    const uint64_t none = 0;
    s->to = s->plan.to ? s->plan.to : from;
    if (!(from->caps & TENON_TO_SCENE) || !(s->to->caps & TENON_FROM_SCENE)) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "nothing is left of it that %s can store",
                           s->to->name);
        return false;
    }
    // What it was before: a reader of version 1.2 does not know 1.5.
    bool is_same = s->to == from && !s->opts.to.dialect;
    if (is_same) s->opts.as = s->m.doc->dialect->name;
    tenon_batch *batch = tenon_batch_new(NULL, err);
    scene_conversion c = {.opts = &s->opts,
                          .plan = &s->plan,
                          .job = s->job,
                          .batch = batch,
                          .model = &s->m,
                          .lost = salvage_lose,
                          .user = s,
                          .loss_count = &none};
    bool ok = batch && convert_scene(&c, err) && tenon_batch_commit(batch, err);
    tenon_batch_free(batch);
    s->size = c.size;
    scene_conversion_free(&c);
    return ok;
}

static bool has_any(uint64_t count)
{
    return count != TENON_ABSENT && count > 0;
}

// Whether a document is sound, and there is something in it that anybody could see.
static bool is_worth_writing(tenon_doc *doc, bool *is_worth, tenon_error *err)
{
    tenon_info info;
    tenon_check_result result;
    if (!judge(doc, &result, err) || !tenon_doc_info(doc, true, &info, err)) return false;
    bool has_nodes = info.nodes != TENON_ABSENT && info.nodes > 1;
    *is_worth =
        result.errors == 0 && (has_any(info.triangles) || has_any(info.animations) ||
                               has_any(info.frames) || has_any(info.font_sizes) || has_nodes);
    return true;
}

// A document that is whole again is written as it is, in its own words; one with errors or noise
// still in it, or one that is to be another format, from what it means.
static bool write_what_is_left(salvage *s, tenon_error *err)
{
    tenon_change_opts change = {.lost = salvage_lose, .user = s};
    bool is_sound = s->fault.code == TENON_OK && s->error_count == 0 && !s->is_noisy;
    bool is_whole = is_sound && !s->is_disguised, is_noisy = false;
    bool is_mended = is_whole || tenon_mend(s->m.doc, &change, err);
    if (!is_mended && err->code != TENON_ERR_UNSUPPORTED) return false;
    bool is_same = !s->plan.to || (s->plan.to == s->m.doc->format && !s->opts.to.dialect);
    bool is_worth = false;
    if (is_same && is_mended && !s->is_disguised && !is_worth_writing(s->m.doc, &is_worth, err))
        return false;
    if (is_worth && !is_whole && !look_for_noise(s, &is_noisy, err)) return false;
    is_worth = is_worth && !is_noisy;
    if (is_worth && !readback_doc(s->m.doc, s->job->out, &s->opts.common, &is_worth, err))
        return false;
    return is_worth ? write_document(s, err) : write_scene(s, err);
}

// -- What has become of it

// What was written, read again. A pipe cannot be, so that what was read has to do.
static bool look_at_result(salvage *s, tenon_error *err)
{
    if (s->opts.dry_run || is_stdout(s->job->out))
        return tenon_doc_info(s->m.doc, true, &s->info, err);
    tenon_read_opts read = {
        .allocator = job_allocator(), .map = true, .format = s->to->name, .files = guard_files()};
    tenon_doc *doc = tenon_read_file(s->job->out, &read, err);
    if (!doc) return false;
    bool ok = tenon_doc_info(doc, true, &s->info, err);
    tenon_doc_free(doc);
    return ok;
}

// -- The command

static int fail(const salvage *s, const char *file, const tenon_error *err)
{
    if (!s->opts.common.json) {
        if (s->m.doc && !s->opts.common.quiet) salvage_tell_fault(s, stderr);
        return report_error(file, err);
    }
    salvage_tell_json(s, err);
    return report_status(err);
}

static int salvage_file(salvage *s)
{
    tenon_error err = {0};
    if (!read_what_is_left(s, &err)) return fail(s, s->job->in, &err);
    bool ok = look_closer(s, &err) && write_what_is_left(s, &err);
    if (s->has_no_memory) return report_no_memory();
    if (!ok) return fail(s, err.code == TENON_ERR_EXISTS ? s->job->out : s->job->in, &err);
    s->is_written = !s->opts.dry_run;
    if (!salvage_locate(s, &err)) return fail(s, s->job->in, &err);
    if (!look_at_result(s, &err)) return fail(s, s->job->out, &err);
    if (s->opts.common.json)
        salvage_tell_json(s, &(tenon_error){0});
    else if (!s->opts.common.quiet)
        salvage_tell(s, is_stdout(s->job->out) ? stderr : stdout);
    return CLI_OK;
}

static int run(const cli_command *self, char **args)
{
    salvage_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    salvage s = {.opts = {.common = opts.common,
                          .output = opts.output,
                          .to = opts.to,
                          .force = opts.force,
                          .dry_run = opts.dry_run,
                          .salvage = true}};
    if (opts.common.json && opts.common.operand_count == 2 && is_stdout(opts.common.operands[1]))
        return report_usage(self, "'--json' cannot be used with the output '-'");
    tenon_error err;
    const char *in = opts.common.operands[0];
    // Before the plan, which would complain about an output of a format that is only imported.
    if (!model_load_exact(&s.m, &opts.common, in, "'salvage' cannot recover", &err))
        return report_unreadable(&opts.common, in, &err);
    status = convert_plan_make(&s.plan, self, &s.opts);
    if (status == CLI_GO_ON && s.plan.job_count != 1)
        status = report_usage(self, "expected one input file");
    if (status == CLI_GO_ON) {
        s.job = s.plan.jobs;
        status = salvage_file(&s);
    }
    salvage_free(&s);
    return status;
}

#define ANSWER(field) offsetof(salvage_opts, field)

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file to write, or a folder",
     .answer = ANSWER(output)},
    {.long_name = "to",
     .kind = CLI_FORMAT,
     .metavar = "FORMAT[:DIALECT]",
     .help = "the format to write, if the name of the output does not say it",
     .answer = ANSWER(to)},
    {.long_name = "force",
     .kind = CLI_FLAG,
     .help = "replace an existing output",
     .answer = ANSWER(force)},
    {.long_name = "dry-run",
     .kind = CLI_FLAG,
     .help = "write nothing; only report what could be recovered",
     .answer = ANSWER(dry_run)},
    {0},
};

static const cli_example examples[] = {
    {"tenon salvage broken.gpb whole.gpb", "recover what is intact, in the same format"},
    {"tenon salvage broken.bbmod seen.glb", "recover it as glTF, to look at it"},
    {"tenon salvage --dry-run broken.cea x.cea", "show what would be kept and lost"},
    {"tenon salvage --from modeldata lost+found/17 hero.cea", "a file without an extension"},
    {0},
};

const cli_command cmd_salvage = {
    .name = "salvage",
    .alias = "recover",
    .summary = "recover what is intact in a damaged model",
    .usage = {"[OPTION]... IN OUT", "[OPTION]... IN -o OUT"},
    .details = "If the file is cut short, recovers everything before the cut; if a part is "
               "damaged and the format says where the next part begins, everything but that part. "
               "Arrays keep the records that are intact, meshes the triangles whose corners are "
               "plausible. Missing data that the format requires is synthesized. If nothing else "
               "has to change, the file keeps its layout; otherwise it is rebuilt from its "
               "contents. The report says where the error is, and what was cut, lost, synthesized "
               "and kept. '-' is standard input or output.",
    .options = options,
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {"something was recovered and written", "nothing could be recovered",
                 "the command line is invalid, or the output exists or is the input"},
    .operands_min = 1,
    .operands_max = 2,
    .operand = "IN",
    .run = run,
};
