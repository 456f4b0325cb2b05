// convert_font.c: fonts of GPB bundles as pictures and BMFont text.
// SPDX-License-Identifier: MIT

#include "convert/convert_font.h"

#include "convert/convert_output.h"

#include "input/job.h"
#include "input/paths.h"
#include "pictures/picture.h"
#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/gpb.h>

typedef struct font_export {
    const convert_job *job;
    convert_plan *plan;
    const convert_opts *opts;
    tenon_batch *batch;
    uint64_t size;
    tenon_error *err;
} font_export;

// -- Names

// "out/arial.fnt", "out/arial-16.fnt", "out/arial-16-2.fnt"
static bool convert_font_name_file(const font_export *export, const tenon_gpb_font *font,
                                   uint32_t index, const char *extension, char path[PATH_SIZE])
{
    const char *out = export->job->out, *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash : out, '.');
    int stem = dot ? (int)(dot - out) : (int)strlen(out), used;
    unsigned points = (unsigned)font->sizes[index].size, same_before = 0;
    for (uint32_t i = 0; i < index; i++) same_before += font->sizes[i].size == points;
    if (font->size_count == 1)
        used = snprintf(path, PATH_SIZE, "%.*s.%s", stem, out, extension);
    else if (same_before == 0)
        used = snprintf(path, PATH_SIZE, "%.*s-%u.%s", stem, out, points, extension);
    else
        used = snprintf(path, PATH_SIZE, "%.*s-%u-%u.%s", stem, out, points, same_before + 1,
                        extension);
    if (used >= 0 && used < PATH_SIZE) return true;
    *export->err = report_make(TENON_ERR_UNSUPPORTED, "the name of the output is too long");
    return false;
}

static bool convert_font_may_write(const font_export *export, const char *path)
{
    return convert_may_write(export->plan, path, export->err) &&
           convert_claim(export->plan, export->job, path, export->err);
}

// -- Contents

// Write the picture of one size into the batch, or its text, which names the picture.
static bool convert_font_save(font_export *export, const tenon_gpb_font *font, uint32_t index,
                              const char *path, const char *picture_name)
{
    const tenon_gpb_font_size *size = &font->sizes[index];
    picture glyphs = {size->texels.data, size->width, size->height, 1};
    char *bytes = NULL;
    size_t byte_count = 0;
    FILE *to = out_to_memory(&bytes, &byte_count);
    if (!to) return job_out_of_memory(export->err);
    bool ok = picture_name
                  ? tenon_gpb_write_fnt(font, index, picture_name, out_to_stream, to, export->err)
                  : png_encode(&glyphs, job_budget(), out_to_stream, to, export->err);
    if (!out_memory_end(to, &bytes, &byte_count) && ok) ok = job_out_of_memory(export->err);
    export->size += byte_count;
    const tenon_write_opts write = convert_write_opts(export->plan, export->batch);
    ok = ok && (export->opts->dry_run || tenon_save(path, bytes, byte_count, &write, export->err));
    free(bytes);
    return ok;
}

// -- All sizes

static const tenon_gpb_font *convert_find_only_font(tenon_doc *doc, tenon_error *err)
{
    const tenon_gpb *gpb = tenon_as_gpb(doc);
    const tenon_gpb_font *font = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; gpb && i < gpb->block_count; i++) {
        if (gpb->blocks[i].kind != TENON_GPB_FONT) continue;
        font = &gpb->blocks[i].body.font;
        count++;
    }
    if (count == 1 && font->size_count) return font;
    *err = report_make(TENON_ERR_UNSUPPORTED, "%s",
                       count == 1  ? "the font has no sizes: it holds an outline font"
                       : count > 1 ? "the file holds several fonts"
                                   : "only a font bundle (gpb) becomes a .fnt file");
    return NULL;
}

uint64_t convert_font(tenon_doc *doc, const convert_job *job, convert_plan *plan,
                      const convert_opts *opts, tenon_batch *batch, tenon_error *err)
{
    font_export export = {.job = job, .plan = plan, .opts = opts, .batch = batch, .err = err};
    char fnt[PATH_SIZE], png[PATH_SIZE];
    const tenon_gpb_font *font = convert_find_only_font(doc, err);
    if (!font) return 0;
    if (path_is_stream(job->out)) {
        *err = report_make(TENON_ERR_UNSUPPORTED,
                           "a font becomes several files, which cannot go through a pipe");
        return 0;
    }
    // All names first: either everything may be written or nothing is.
    for (uint32_t i = 0; i < font->size_count; i++)
        if (!convert_font_name_file(&export, font, i, "fnt", fnt) ||
            !convert_font_name_file(&export, font, i, "png", png) ||
            !convert_font_may_write(&export, fnt) || !convert_font_may_write(&export, png))
            return 0;
    for (uint32_t i = 0; i < font->size_count; i++) {
        const tenon_gpb_font_size *size = &font->sizes[i];
        if ((uint64_t)size->width * size->height > size->texels.size) {
            *err = report_make(TENON_ERR_VALUE, "the texture of size %u has too few texels",
                               (unsigned)size->size);
            return 0;
        }
        // The picture comes first, so that the text never names a missing one.
        if (!convert_font_name_file(&export, font, i, "fnt", fnt) ||
            !convert_font_name_file(&export, font, i, "png", png) ||
            !convert_font_save(&export, font, i, png, NULL) ||
            !convert_font_save(&export, font, i, fnt, path_base_name(png)))
            return 0;
    }
    return export.size;
}

bool convert_is_font(tenon_doc *doc)
{
    const tenon_gpb *gpb = tenon_as_gpb(doc);
    uint32_t count = 0;
    for (uint32_t i = 0; gpb && i < gpb->block_count; i++)
        count += gpb->blocks[i].kind == TENON_GPB_FONT;
    return count > 0 && count == gpb->block_count;
}
