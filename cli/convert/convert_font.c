// convert_font.c: fonts of GPB bundles as pictures and BMFont text.
// SPDX-License-Identifier: MIT

#include "convert/convert_font.h"

#include "convert/convert_output.h"

#include "input/job.h"
#include "input/paths.h"
#include "pictures/picture.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/gpb.h>

typedef struct font_export {
    const convert_job *job;
    const convert_plan *plan;
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
    return convert_may_write(export->plan, export->opts, path, export->err) &&
           convert_claim(export->plan, export->opts, export->job, path, export->err);
}

// -- Contents

typedef struct font_bytes {
    char *data;
    size_t size;
} font_bytes;

static bool convert_font_append(void *user, const void *data, size_t size)
{
    font_bytes *bytes = user;
    char *longer = realloc(bytes->data, bytes->size + size);
    if (!longer) return false;
    bytes->data = longer;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

static bool convert_font_save(font_export *export, const char *path, const font_bytes *bytes)
{
    export->size += bytes->size;
    if (export->opts->dry_run) return true;
    tenon_write_opts write = convert_write_opts(export->plan, export->opts);
    write.batch = export->batch;
    return tenon_save(path, bytes->data, bytes->size, &write, export->err);
}

// Write one size of a font. The picture comes first, so that the text never names a missing one.
static bool convert_font_save_size(font_export *export, const tenon_gpb_font *font, uint32_t index,
                                   const char *fnt_path, const char *png_path)
{
    const tenon_gpb_font_size *size = &font->sizes[index];
    picture glyphs = {size->texels.data, size->width, size->height, 1};
    if ((uint64_t)glyphs.width * glyphs.height > size->texels.size) {
        *export->err = report_make(TENON_ERR_VALUE, "the texture of size %u has too few texels",
                                   (unsigned)size->size);
        return false;
    }
    font_bytes png = {0}, fnt = {0};
    bool ok = png_encode(&glyphs, job_budget(), convert_font_append, &png, export->err) &&
              convert_font_save(export, png_path, &png) &&
              tenon_gpb_write_fnt(font, index, path_base_name(png_path), convert_font_append, &fnt,
                                  export->err) &&
              convert_font_save(export, fnt_path, &fnt);
    free(png.data);
    free(fnt.data);
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

uint64_t convert_font(tenon_doc *doc, const convert_job *job, const convert_plan *plan,
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
    for (uint32_t i = 0; i < font->size_count; i++)
        if (!convert_font_name_file(&export, font, i, "fnt", fnt) ||
            !convert_font_name_file(&export, font, i, "png", png) ||
            !convert_font_save_size(&export, font, i, fnt, png))
            return 0;
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
