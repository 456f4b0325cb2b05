// convert_font.c: fonts of GPB bundles as pictures and BMFont text.
// SPDX-License-Identifier: MIT

#include "convert/convert_font.h"

#include "convert/convert_output.h"

#include "input/job.h"
#include "pictures/picture.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/gpb.h>

#define PATH_SIZE 4096

typedef struct export
{
    tenon_gpb *doc;
    const convert_job *job;
    const convert_plan *plan;
    const convert_opts *opts;
    tenon_batch *batch;
    uint64_t size;
    tenon_error *err;
}
export;

// One size of one font.
typedef struct face {
    const tenon_gpb_font *font;
    uint32_t index;
    char fnt[PATH_SIZE], png[PATH_SIZE];
} face;

// -- Names

// How many of the sizes before number `index` are as large, so that names can differ.
static uint32_t equals_before(const tenon_gpb_font *font, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < index; i++) count += font->sizes[i].size == font->sizes[index].size;
    return count;
}

// "out/arial.fnt", "out/arial-16.fnt", "out/arial-16-2.fnt"
static bool name_file(const export *e, const face *f, const char *extension, char *out)
{
    const char *path = e->job->out, *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path), size;
    uint32_t again = equals_before(f->font, f->index);
    if (f->font->size_count == 1)
        size = snprintf(out, PATH_SIZE, "%.*s.%s", stem, path, extension);
    else if (again == 0)
        size = snprintf(out, PATH_SIZE, "%.*s-%u.%s", stem, path,
                        (unsigned)f->font->sizes[f->index].size, extension);
    else
        size = snprintf(out, PATH_SIZE, "%.*s-%u-%u.%s", stem, path,
                        (unsigned)f->font->sizes[f->index].size, (unsigned)again + 1, extension);
    if (size >= 0 && size < PATH_SIZE) return true;
    *e->err = report_make(TENON_ERR_UNSUPPORTED, "the name of the output is too long");
    return false;
}

// -- Contents

typedef struct text {
    char *data;
    size_t size;
} text;

static bool append(void *user, const void *bytes, size_t size)
{
    text *t = user;
    char *longer = realloc(t->data, t->size + size);
    if (!longer) return false;
    t->data = longer;
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
    return true;
}

static bool save(export *e, const char *path, const void *bytes, size_t size)
{
    e->size += size;
    if (e->opts->dry_run) return true;
    tenon_write_opts write = {.force = e->opts->force,
                              .inputs = e->plan->inputs,
                              .input_count = e->plan->input_count,
                              .files = guard_output_files(),
                              .batch = e->batch};
    return tenon_save(path, bytes, size, &write, e->err);
}

static bool may_write(const export *e, const char *path)
{
    return convert_may_write(e->plan, e->opts, path, e->err) &&
           convert_claim(e->plan, e->opts, e->job, path, e->err);
}

static bool save_picture(export *e, const face *f)
{
    const tenon_gpb_font_size *size = &f->font->sizes[f->index];
    picture p = {size->texels.data, size->width, size->height, 1};
    text t = {0};
    if ((uint64_t)p.width * p.height > size->texels.size) {
        *e->err = report_make(TENON_ERR_VALUE, "the texture of size %u has too few texels",
                              (unsigned)size->size);
        return false;
    }
    bool ok = png_encode(&p, job_budget(), append, &t, e->err) && save(e, f->png, t.data, t.size);
    free(t.data);
    return ok;
}

// The picture first, so that the text never names one that is not there.
static bool save_face(export *e, const face *f)
{
    const char *slash = strrchr(f->png, '/');
    text t = {0};
    bool ok =
        save_picture(e, f) &&
        tenon_gpb_write_fnt(f->font, f->index, slash ? slash + 1 : f->png, append, &t, e->err);
    ok = ok && save(e, f->fnt, t.data, t.size);
    free(t.data);
    return ok;
}

// -- All sizes

static const tenon_gpb_font *only_font(const export *e)
{
    const tenon_gpb_font *font = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; e->doc && i < e->doc->block_count; i++) {
        if (e->doc->blocks[i].kind != TENON_GPB_FONT) continue;
        font = &e->doc->blocks[i].body.font;
        count++;
    }
    if (count == 1 && font->size_count) return font;
    *e->err = report_make(TENON_ERR_UNSUPPORTED, "%s",
                          count == 1  ? "the font has no sizes: it holds an outline font"
                          : count > 1 ? "the file holds several fonts"
                                      : "only a font bundle (gpb) becomes a .fnt file");
    return NULL;
}

uint64_t convert_font(tenon_doc *doc, const convert_job *job, const convert_plan *plan,
                      const convert_opts *opts, tenon_batch *batch, tenon_error *err)
{
    export e = {.doc = tenon_as_gpb(doc),
                .job = job,
                .plan = plan,
                .opts = opts,
                .batch = batch,
                .err = err};
    const tenon_gpb_font *font = only_font(&e);
    bool ok = font != NULL;
    if (ok && strcmp(job->out, "-") == 0) {
        *err = report_make(TENON_ERR_UNSUPPORTED,
                           "a font becomes several files, which cannot go through a pipe");
        ok = false;
    }
    face f = {.font = font};
    // All names first: either everything may be written or nothing is.
    for (f.index = 0; ok && f.index < font->size_count; f.index++)
        ok = name_file(&e, &f, "fnt", f.fnt) && name_file(&e, &f, "png", f.png) &&
             may_write(&e, f.fnt) && may_write(&e, f.png);
    for (f.index = 0; ok && f.index < font->size_count; f.index++)
        ok =
            name_file(&e, &f, "fnt", f.fnt) && name_file(&e, &f, "png", f.png) && save_face(&e, &f);
    return ok ? e.size : 0;
}

bool convert_is_font(tenon_doc *doc)
{
    const tenon_gpb *gpb = tenon_as_gpb(doc);
    uint32_t count = 0;
    for (uint32_t i = 0; gpb && i < gpb->block_count; i++)
        count += gpb->blocks[i].kind == TENON_GPB_FONT;
    return count > 0 && count == gpb->block_count;
}
