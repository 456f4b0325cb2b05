// convert_one.c: the work of tenon convert on one file.
// SPDX-License-Identifier: MIT

#include "convert/convert_one.h"

#include "convert/convert_edits.h"
#include "convert/convert_font.h"
#include "convert/convert_output.h"
#include "convert/convert_scene.h"
#include "convert/convert_sidecars.h"
#include "input/job.h"
#include "input/model.h"
#include "input/scene_load.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEM_SIZE 256

typedef struct conversion {
    const convert_opts *opts;
    const convert_plan *plan;
    const convert_job *job;
    model m;
    model *merged;               // What is added to it.
    merged_materials materials;  // Of all of them.
    scene_conversion scene;
    cli_list animation;    // The input, if it is converted together with its model.
    tenon_batch *batch;    // What is written gets its names at the end.
    json_out *json;        // The file's object in the report; NULL if none is wanted.
    const char *at_fault;  // The file that an error is about,
    const char *losing;    // and the one that loses something.
    uint64_t loss_count;
    uint64_t size;    // Bytes of the output.
    bool is_changed;  // The output differs from the input.
    bool is_written;
} conversion;

// -- Changing

static void tell_loss(void *user, const tenon_loss *loss)
{
    conversion *c = user;
    const cli_common *opts = &c->opts->common;
    // What is made up or by default was not there before, so that nothing is lost.
    bool is_loss = loss->kind == TENON_DROPPED || loss->kind == TENON_APPROXIMATED;
    c->loss_count += is_loss;
    if (c->json) {
        json_begin(c->json, NULL, '{');
        json_text(c->json, "kind", report_loss_word(loss->kind));
        json_text(c->json, "feature", loss->feature);
        json_uint(c->json, "count", loss->count);
        if (loss->path) json_text(c->json, "path", loss->path);
        json_text(c->json, "why", loss->why);
        if (loss->error > 0) json_number(c->json, "error", loss->error);
        json_end(c->json, '}');
    }
    bool is_wanted = c->opts->strict ? is_loss : !opts->quiet;
    if (is_wanted && !opts->json) report_loss(c->losing, loss);
}

// The dialect asked for: by name, or by the extension of the output. NULL: none.
static const char *wanted_dialect(const conversion *c)
{
    if (c->opts->to.dialect) return c->opts->to.dialect->name;
    if (c->opts->as) return c->opts->as;
    const tenon_dialect *named = tenon_dialect_by_extension(c->m.doc, c->job->out);
    // A file that had a wrong name before may keep it.
    bool is_old = named == tenon_dialect_by_extension(c->m.doc, c->job->in);
    return named && !is_old ? named->name : NULL;
}

// What has to be done to get from the input's format to the output's.
typedef enum kind { SAME_FORMAT, TO_FONT, TO_SCENE } kind;

static kind kind_of(const conversion *c)
{
    const tenon_format *from = c->m.doc->format, *to = c->plan->to ? c->plan->to : from;
    if (strcmp(to->name, "fnt") == 0) return TO_FONT;
    if (to != from || c->m.format) return TO_SCENE;
    // Documents that cannot be changed are written anew, from what they mean.
    const char *dialect = wanted_dialect(c);
    bool is_other = dialect && strcmp(dialect, c->m.doc->dialect->name) != 0;
    bool is_new = c->opts->textures == TEXTURES_EMBED || convert_edits_scene(c->opts) ||
                  (is_other && !(from->caps & TENON_CAN_CHANGE));
    return is_new && from->caps & TENON_FROM_SCENE ? TO_SCENE : SAME_FORMAT;
}

// "run" of "models/run.cea"; cut if it does not fit.
static void path_stem(const char *path, char *out, size_t out_size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t size = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    if (size >= out_size) size = out_size - 1;
    memcpy(out, name, size);
    out[size] = '\0';
}

// The first input becomes the owner of all, so it may take as much memory as all of them would.
static cli_common merging_opts(const conversion *c)
{
    const tenon_files *files = guard_files();
    cli_common opts = c->opts->common;
    if (opts.max_memory || c->plan->merged_count == 0) return opts;
    uint64_t size = 0;
    for (uint32_t i = 0; i <= c->plan->merged_count; i++) {
        tenon_file_info info;
        const char *file = i ? c->plan->merged[i - 1] : c->job->in;
        if (files->look(files->user, file, &info) == 0) size += info.size;
    }
    opts.max_memory = ((uint64_t)4 << 20) + 16 * size;
    return opts;
}

// Files beside a model that was merged into another stay where they are.
typedef struct left_sides {
    const char *model;
    bool has_materials;  // Its .material file is taken along.
    uint64_t count;
    char first[256];
} left_sides;

static void count_side(void *user, const char *name)
{
    left_sides *left = user;
    char path[4096];
    tenon_file_info info;
    const tenon_files *files = guard_files();
    tenon_str text = {name, (uint32_t)strlen(name)};
    if (!tenon_file_beside(files, left->model, text, path, sizeof path)) return;
    if (files->look(files->user, path, &info) != 0) return;
    const char *dot = strrchr(name, '.');
    if (left->has_materials && dot && strcmp(dot, ".material") == 0) return;
    if (left->count++ == 0) (void)snprintf(left->first, sizeof left->first, "%s", name);
}

static bool tell_left_sides(conversion *c, const model *m, bool has_materials, tenon_error *err)
{
    left_sides left = {.model = m->file, .has_materials = has_materials};
    if (strcmp(m->file, "-") != 0 && !tenon_sides(m->doc, m->file, count_side, &left)) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    if (left.count)
        tell_loss(c, &(tenon_loss){
                         .kind = TENON_DROPPED,
                         .feature = "side files",
                         .why = "of other inputs only material files that can be read come along",
                         .count = left.count,
                         .path = left.first});
    return true;
}

// A new format takes the materials of the first input only: those of others stay behind.
static bool merge_materials(conversion *c, const model *m, tenon_error *err)
{
    uint64_t renamed = 0;
    bool is_added = false, can_take = kind_of(c) == SAME_FORMAT && strcmp(c->job->out, "-") != 0;
    if (can_take && !materials_add(&c->materials, m, &is_added, &renamed, err)) return false;
    if (renamed)
        tell_loss(c, &(tenon_loss){.kind = TENON_APPROXIMATED,
                                   .feature = "names of materials",
                                   .why = "other ones have them, so a number is appended",
                                   .count = renamed});
    return m == &c->m || tell_left_sides(c, m, is_added, err);
}

// Add the other inputs of --merge to the first.
static bool merge(conversion *c, tenon_error *err)
{
    uint32_t count = c->plan->merged_count;
    if (count == 0) return true;
    c->merged = calloc(count, sizeof *c->merged);
    if (!c->merged) *err = report_make(TENON_ERR_MEMORY, "out of memory");
    bool ok = c->merged != NULL && merge_materials(c, &c->m, err);
    for (uint32_t i = 0; i < count && ok; i++) {
        char stem[STEM_SIZE];
        path_stem(c->plan->merged[i], stem, sizeof stem);
        tenon_merge_opts opts = {.name = stem, .lost = tell_loss, .user = c};
        c->at_fault = c->losing = c->plan->merged[i];
        ok = model_read(&c->merged[i], &c->opts->common, c->at_fault, err) &&
             merge_materials(c, &c->merged[i], err) &&
             tenon_merge(c->m.doc, c->merged[i].doc, &opts, err);
    }
    if (ok) c->at_fault = c->losing = c->job->in;
    c->is_changed = true;
    return ok;
}

// A document that was changed, against its file.
static bool prove_change(conversion *c, tenon_error *err)
{
    loaded_scene before, after;
    const scene_load_opts wants = {.animations = &c->opts->animations};
    const char *at_fault;
    scene_conversion *s = &c->scene;
    if (!c->opts->verify) return true;
    if (!c->is_changed) {
        s->is_proven = true;
        s->proof = (tenon_verify_result){.verdict = TENON_VERIFIED, .matched = 1};
        (void)snprintf(s->sentence, sizeof s->sentence, "verified: the output has the same bytes");
        return true;
    }
    const char *why = c->plan->merged_count          ? "several inputs are merged"
                      : strcmp(c->job->in, "-") == 0 ? "standard input cannot be read twice"
                      : c->m.doc->format->caps & TENON_TO_SCENE ? NULL
                                                                : "there is nothing to pose";
    if (why) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "'--verify' is not possible here: %s", why);
        return false;
    }
    model m = {0};
    before = (loaded_scene){0};
    if (!model_read(&m, &c->opts->common, c->job->in, err)) return false;
    bool is_loaded = scene_from_model(&before, &c->opts->common, &m, &wants, &at_fault, err);
    if (!is_loaded) {
        scene_unload(&before);
        model_free(&m);
        return false;
    }
    const tenon_doc *doc = c->m.doc;
    tenon_verify_opts verify = {.allocator = job_allocator(), .tolerance = c->opts->tolerance};
    bool ok = scene_from_model(&after, &c->opts->common, &c->m, &wants, &at_fault, err);
    if (ok && before.scene->animation_count && !after.scene->animation_count) {
        s->scope.still = tenon_still(doc->format, doc->dialect);
        s->scope.at_rest = verify.rest_only = s->scope.still != NULL;
        s->scope.still_clips = s->scope.still ? before.scene->animation_count : 0;
    }
    ok = ok && tenon_verify(before.scene, after.scene, &verify, &s->proof, err);
    s->is_proven = ok;
    if (ok) {
        verdict_sentence(&s->proof, &s->scope, before.scene, after.scene, s->sentence);
        ok = convert_accept_proof(s, c->opts, err);
    }
    scene_unload(&after);
    scene_unload(&before);
    model_free(&m);
    return ok;
}

static bool change(conversion *c, tenon_error *err)
{
    tenon_doc *doc = c->m.doc;
    const tenon_dialect *before = doc->dialect;
    const char *dialect = wanted_dialect(c);
    const model *given = c->opts->loaded_model;
    tenon_change_opts changes = {.dialect = dialect,
                                 .lost = tell_loss,
                                 .user = c,
                                 .rate = c->opts->rate,
                                 .spaces = c->opts->space_bits,
                                 .model = given ? given->doc : NULL,
                                 .refresh = c->opts->refresh};
    if (!tenon_change(doc, &changes, err)) return false;
    bool is_other = doc->dialect != before;
    if (c->opts->rate > 0 && !is_other && !c->opts->common.quiet && !c->opts->common.json)
        report_note(c->job->in, "'--rate' has no effect: nothing is sampled anew");
    c->is_changed |= is_other || c->opts->refresh || c->opts->space_bits;
    if (!prove_change(c, err)) return false;
    return convert_allow_losses(c->opts, c->loss_count, err);
}

// -- Writing

static bool put(void *user, const void *bytes, size_t size)
{
    (void)user;
    out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool write_to_stdout(const conversion *c, tenon_error *err)
{
    // Why printing failed is said at the end, once for all.
    return tenon_write(c->m.doc, put, NULL, err) != TENON_ABSENT || out_failed();
}

static bool write_to_file(const conversion *c, tenon_error *err)
{
    progress line;
    tenon_write_opts opts = {
        .progress = progress_begin(&line, &c->opts->common, "writing", c->job->out),
        .force = c->opts->force || c->opts->in_place,
        .in_place = c->opts->in_place,
        .inputs = c->plan->inputs,
        .input_count = c->plan->input_count,
        .files = guard_output_files(),
        .batch = c->batch,
    };
    bool ok = tenon_write_file(c->m.doc, c->job->out, &opts, err);
    progress_end(&line);
    return ok;
}

static bool write_font(conversion *c, tenon_error *err)
{
    c->size = convert_font(c->m.doc, c->job, c->plan, c->opts, c->batch, err);
    c->is_written = c->size && !c->opts->dry_run;
    return c->size != 0;
}

static bool write_output(conversion *c, tenon_error *err)
{
    c->size = tenon_write(c->m.doc, NULL, NULL, err);
    if (c->size == TENON_ABSENT) return false;
    if (!convert_claim(c->plan, c->opts, c->job, c->job->out, err)) return false;
    // What would be the same bytes keeps its date.
    if (c->opts->in_place && !c->is_changed) return true;
    if (!convert_may_write(c->plan, c->opts, c->job->out, err)) return false;
    if (c->opts->dry_run) return true;
    c->is_written = strcmp(c->job->out, "-") == 0 ? write_to_stdout(c, err) : write_to_file(c, err);
    return c->is_written;
}

// Nothing can be written because of the input or of what is asked for.
static bool refuse(conversion *c, tenon_error *err, const char *why)
{
    c->at_fault = c->job->in;
    *err = report_make(TENON_ERR_UNSUPPORTED, "%s", why);
    return false;
}

static bool write_scene(conversion *c, tenon_error *err)
{
    const tenon_format *from = c->m.doc->format, *to = c->plan->to ? c->plan->to : from;
    const model *source = &c->m;
    const cli_list *animations = &c->opts->animations;
    char why[256];
    if (c->opts->in_place)
        return refuse(c, err,
                      "'--in-place' cannot do this, which makes a new model; give it a name");
    if (c->m.format && !c->plan->to) {
        import_refuse_writing(c->m.format, why, sizeof why);
        (void)refuse(c, err, why);
        (void)snprintf(err->note, sizeof err->note, "'--to FORMAT' says what to write");
        return false;
    }
    if (strcmp(from->name, "bbanim") == 0) {
        // The model with this one clip.
        source = c->opts->loaded_model;
        if (!source || strcmp(source->doc->format->name, "bbmod") != 0)
            return refuse(c, err,
                          "an animation needs its model: name the .bbmod file with '--model'");
        if (strcmp(c->job->in, "-") == 0)
            return refuse(c, err, "an animation of a model cannot be read from a pipe");
        from = source->doc->format;
        c->animation = (cli_list){.values = {c->job->in}, .count = 1};
        animations = &c->animation;
    }
    if (!(from->caps & TENON_TO_SCENE) || !(to->caps & TENON_FROM_SCENE)) {
        bool is_read = from->caps & TENON_TO_SCENE;
        (void)snprintf(why, sizeof why, "%s cannot be converted to %s: %s %s", from->name, to->name,
                       is_read ? to->name : from->name,
                       is_read ? "cannot be written" : "holds no scene");
        return refuse(c, err, why);
    }
    scene_conversion *s = &c->scene;
    *s = (scene_conversion){.opts = c->opts,
                            .plan = c->plan,
                            .job = c->job,
                            .batch = c->batch,
                            .model = source,
                            .animations = animations,
                            .lost = tell_loss,
                            .user = c,
                            .loss_count = &c->loss_count};
    bool ok = convert_scene(s, err);
    c->at_fault = s->at_fault;
    c->size = s->size;
    c->is_written = ok && !c->opts->dry_run;
    return ok;
}

// Side files first, so that the model never lacks what belongs to it.
static bool write_with_sides(conversion *c, tenon_error *err)
{
    sidecar_list sides;
    if (c->opts->textures == TEXTURES_COPY && !c->opts->common.quiet && !c->opts->common.json)
        report_note(c->job->in, "'--textures copy' has no effect within a format");
    convert_report_unused(c->opts, c->job->in, NULL);
    bool ok = sidecars_find(&sides, c->m.doc, &c->materials, c->job, c->plan, c->opts, err);
    if (ok && !c->opts->dry_run) ok = sidecars_copy(&sides, c->plan, c->opts, c->batch, err);
    ok = ok && write_output(c, err);
    sidecars_free(&sides);
    return ok;
}

// All files get their names when all of them are complete.
static bool write_all(conversion *c, tenon_error *err)
{
    c->batch = tenon_batch_new(NULL, err);
    if (!c->batch) return false;
    kind wanted = kind_of(c);
    bool ok = wanted == TO_FONT    ? write_font(c, err)
              : wanted == TO_SCENE ? write_scene(c, err)
                                   : write_with_sides(c, err);
    ok = ok && tenon_batch_commit(c->batch, err);
    c->is_written = ok && c->is_written;
    tenon_batch_free(c->batch);
    if (!ok) convert_release_claims(c->plan, c->job);
    return ok;
}

// -- Telling

// "crane.glb: wrote out/crane.gpb as gpb, 42824 bytes", "crane.glb: wrote out/crane.png"
static void list_file(const conversion *c, FILE *to, const char *path, bool is_main)
{
    const tenon_format *format = c->plan->to ? c->plan->to : c->m.doc->format;
    out_clean(to, report_name(c->job->in));
    out(to, c->opts->dry_run ? ": would write " : ": wrote ");
    out_clean(to, strcmp(path, "-") == 0 ? "<stdout>" : path);
    if (is_main) out(to, " as %s", format->name);
    if (is_main && kind_of(c) == SAME_FORMAT) out(to, ":%s", c->m.doc->dialect->name);
    if (is_main && kind_of(c) != TO_FONT) out(to, ", %" PRIu64 " bytes", c->size);
    out(to, "\n");
}

// All files that were written, or would be: each in a line on standard error, or the main one with
// the others below it on standard output.
static void tell_outcome(const conversion *c)
{
    const convert_opts *opts = c->opts;
    const file_list *files = c->plan->written_files;
    const char *main_file = c->job->out;
    bool to_stdout = strcmp(main_file, "-") == 0;
    bool is_told = opts->common.json || (opts->report && strcmp(opts->report, "-") == 0);
    bool is_wanted = opts->dry_run || opts->common.verbose || (!opts->common.quiet && !to_stdout);
    FILE *to = opts->dry_run ? stdout : stderr;
    if (is_told || !is_wanted) return;
    if (opts->in_place && !c->is_changed) {
        if (!opts->dry_run && !opts->common.verbose) return;
        out_clean(to, report_name(c->job->in));
        out(to, ": is %s:%s already\n", c->m.doc->format->name, c->m.doc->dialect->name);
        return;
    }
    // A font of several sizes is in files that are named after these.
    if (kind_of(c) == TO_FONT && files->count > 2) main_file = files->names[0];
    if (opts->dry_run || to_stdout) list_file(c, to, main_file, true);
    for (uint32_t i = 0; i < files->count; i++) {
        const char *file = files->names[i];
        bool is_main = strcmp(file, main_file) == 0;
        if (!opts->dry_run) {
            list_file(c, to, file, is_main);
        } else if (!is_main) {
            out(to, "  and ");
            out_clean(to, file);
            out(to, "\n");
        }
    }
}

// What comparing the result with the source has shown.
static void print_proof(const conversion *c)
{
    const scene_conversion *s = &c->scene;
    bool is_wanted = !c->opts->common.quiet || s->proof.verdict != TENON_VERIFIED;
    if (!s->is_proven || !is_wanted || c->opts->common.json) return;
    out_flush();
    out_color(stderr, OUT_STRONG);
    out_clean(stderr, report_name(c->job->in));
    out_color(stderr, OUT_PLAIN);
    out(stderr, ": ");
    out_clean(stderr, s->sentence);
    out(stderr, "\n");
    if (s->is_refused) out(stderr, "  help: nothing was written; '--accept-losses' writes it\n");
}

static void json_files(const conversion *c, const char *key, char *const *files, uint32_t count)
{
    if (count == 0) return;
    json_begin(c->json, key, '[');
    for (uint32_t i = 0; i < count; i++) json_text(c->json, NULL, files[i]);
    json_end(c->json, ']');
}

static void end_record(const conversion *c, const tenon_error *err, const char *skipped)
{
    if (!c->json) return;
    json_end(c->json, ']');
    if (skipped) {
        json_text(c->json, "skipped", skipped);
    } else if (err->code != TENON_OK) {
        report_error_member(c->json, err);
    } else {
        bool is_same = kind_of(c) == SAME_FORMAT;
        const tenon_format *to = c->plan->to ? c->plan->to : c->m.doc->format;
        json_text(c->json, "format", to->name);
        if (is_same) json_text(c->json, "dialect", c->m.doc->dialect->name);
        json_uint(c->json, "size", c->size);
        json_files(c, "files", c->plan->written_files->names, c->plan->written_files->count);
        json_files(c, "stale", c->scene.stale.names, c->scene.stale.count);
    }
    if (c->scene.is_proven) {
        json_begin(c->json, "verify", '{');
        verdict_json(c->json, &c->scene.proof, &c->scene.scope);
        json_end(c->json, '}');
    }
    json_bool(c->json, "written", c->is_written);
    json_end(c->json, '}');
}

static void begin_record(const conversion *c)
{
    if (!c->json) return;
    json_begin(c->json, NULL, '{');
    json_text(c->json, "file", c->job->in);
    json_text(c->json, "output", c->job->out);
    json_begin(c->json, "losses", '[');
}

// -- One file

// Why a file that was found in a folder does not count, though nothing is wrong with it; or NULL.
static const char *find_reason_to_skip(const conversion *c)
{
    bool is_font = convert_is_font(c->m.doc);
    if (kind_of(c) == TO_SCENE && is_font) return "not a model: a font bundle";
    if (kind_of(c) == TO_FONT && !is_font) return "not a font bundle";
    return NULL;
}

// Whether another file of the folders has the same output.
static bool is_beaten(const convert_job *job, tenon_error *err)
{
    if (!job->conflicting_input) return false;
    *err = report_make(TENON_ERR_EXISTS, "would become '%.120s', as does '%.120s'", job->out,
                       job->conflicting_input);
    (void)snprintf(err->note, sizeof err->note, "convert it into another folder");
    return true;
}

// What is wrong with reading is the input's fault, with writing the output's.
static int work(conversion *c, convert_result *result)
{
    tenon_error err = {0};
    c->at_fault = c->losing = c->job->in;
    file_list_free(c->plan->written_files);
    begin_record(c);
    cli_common reading = merging_opts(c);
    bool ok = !is_beaten(c->job, &err) && model_read(&c->m, &reading, c->job->in, &err);
    result->skipped = ok && c->job->is_from_folder ? find_reason_to_skip(c) : NULL;
    ok = ok && (result->skipped || merge(c, &err));
    if (ok && !result->skipped && kind_of(c) == SAME_FORMAT)
        ok = convert_edit_document(c->m.doc, c->opts, &c->is_changed, &err) && change(c, &err);
    if (ok && !result->skipped) {
        c->at_fault = strcmp(c->job->out, "-") == 0 ? "<stdout>" : c->job->out;
        ok = write_all(c, &err);
    }
    job_report(&c->opts->common, c->job->in);
    if (ok || c->scene.is_refused) print_proof(c);
    if (ok && !result->skipped) tell_outcome(c);
    end_record(c, &err, result->skipped);
    result->err = err;
    // What was merged into the first lives in the others.
    model_free(&c->m);
    for (uint32_t i = 0; c->merged && i < c->plan->merged_count; i++) model_free(&c->merged[i]);
    free(c->merged);
    materials_free(&c->materials);
    scene_conversion_free(&c->scene);
    if (ok) return CLI_OK;
    if (c->opts->common.json || c->scene.is_refused) return report_status(&err);
    return report_unreadable(&c->opts->common, c->at_fault, &err);
}

int convert_one(const convert_opts *opts, const convert_plan *plan, const convert_job *job,
                json_out *json, convert_result *result)
{
    *result = (convert_result){0};
    job_begin(&opts->common);
    return work(&(conversion){.opts = opts, .plan = plan, .job = job, .json = json}, result);
}
