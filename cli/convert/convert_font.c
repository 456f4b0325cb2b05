// convert_font.c: fonts of GPB bundles as pictures and BMFont text.
// SPDX-License-Identifier: MIT

#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "input/job.h"
#include "pictures/picture.h"
#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/gpb.h>

// "out/arial.fnt", "out/arial-16.fnt", "out/arial-16-2.fnt"
static bool convert_font_name_file(convert_job *job, const tenon_gpb_font *font, uint32_t index,
                                   const char *extension, char path[PATH_SIZE])
{
    const char *out = job->out, *slash = strrchr(out, '/');
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
    job->err = report_make(TENON_ERR_UNSUPPORTED, "the name of the output is too long");
    return false;
}

// Write the picture of one size into the batch, or its text, which names the picture.
static bool convert_font_save(convert_job *job, const tenon_gpb_font *font, uint32_t index,
                              const char *path, const char *picture_name)
{
    const tenon_gpb_font_size *size = &font->sizes[index];
    picture glyphs = {size->texels.data, size->width, size->height, 1};
    char *bytes = NULL;
    size_t byte_count = 0;
    FILE *to = out_to_memory(&bytes, &byte_count);
    if (!to) return job_out_of_memory(&job->err);
    bool ok = picture_name
                  ? tenon_gpb_write_fnt(font, index, picture_name, out_to_stream, to, &job->err)
                  : png_encode(&glyphs, job_budget(), out_to_stream, to, &job->err);
    if (!out_memory_end(to, &bytes, &byte_count) && ok) ok = job_out_of_memory(&job->err);
    job->size += byte_count;
    const tenon_write_opts write = convert_write_opts(job->plan, job->batch);
    ok = ok && (job->opts->dry_run || tenon_save(path, bytes, byte_count, &write, &job->err));
    free(bytes);
    return ok;
}

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

static bool convert_font_files(convert_job *job)
{
    char fnt[PATH_SIZE], png[PATH_SIZE];
    const tenon_gpb_font *font = convert_find_only_font(job->input.doc, &job->err);
    if (!font) return false;
    if (path_is_stream(job->out)) {
        job->err = report_make(TENON_ERR_UNSUPPORTED,
                               "a font becomes several files, which cannot go through a pipe");
        return false;
    }
    // All names first: either everything may be written or nothing is.
    for (uint32_t i = 0; i < font->size_count; i++)
        if (!convert_font_name_file(job, font, i, "fnt", fnt) ||
            !convert_font_name_file(job, font, i, "png", png) ||
            !convert_may_write(job->plan, fnt, &job->err) || !convert_claim(job, fnt) ||
            !convert_may_write(job->plan, png, &job->err) || !convert_claim(job, png))
            return false;
    for (uint32_t i = 0; i < font->size_count; i++) {
        const tenon_gpb_font_size *size = &font->sizes[i];
        if ((uint64_t)size->width * size->height > size->texels.size) {
            job->err = report_make(TENON_ERR_VALUE, "the texture of size %u has too few texels",
                                   (unsigned)size->size);
            return false;
        }
        // The picture comes first, so that the text never names a missing one.
        if (!convert_font_name_file(job, font, i, "fnt", fnt) ||
            !convert_font_name_file(job, font, i, "png", png) ||
            !convert_font_save(job, font, i, png, NULL) ||
            !convert_font_save(job, font, i, fnt, path_base_name(png)))
            return false;
    }
    return true;
}

bool convert_font(convert_job *job)
{
    job->at_fault = path_is_stream(job->out) ? "<stdout>" : job->out;
    bool ok = convert_font_files(job);
    job->is_written = ok && !job->opts->dry_run;
    return ok;
}

bool convert_is_font(tenon_doc *doc)
{
    const tenon_gpb *gpb = tenon_as_gpb(doc);
    uint32_t count = 0;
    for (uint32_t i = 0; gpb && i < gpb->block_count; i++)
        count += gpb->blocks[i].kind == TENON_GPB_FONT;
    return count > 0 && count == gpb->block_count;
}
