// export_document.h: how formats that have documents write a scene: they fill a document.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_EXPORT_DOCUMENT_H
#define TN_EXCHANGE_EXPORT_DOCUMENT_H

#include "document/format.h"
#include "exchange/export.h"

// As tenon_export() and tenon_export_file(), in the given format; `dialect` may be NULL, nothing
// else.
bool tn_export_scene(const tn_format *format, const tenon_dialect *dialect,
                     const tenon_scene *scene, const tenon_export_opts *opts,
                     const tenon_sink *sink, tenon_error *err);
bool tn_export_scene_files(const tn_format *format, const tenon_dialect *dialect,
                           const tenon_scene *scene, const char *path,
                           const tenon_export_opts *opts, const tenon_write_opts *write_opts,
                           tenon_error *err);

// An empty document of a dialect; it, and what its fields point to, may be in the export's memory.
// It can be changed with tenon_change(), but not freed. NULL, with the error set, without memory.
void *tn_export_doc(const tn_export *export, const tn_format *format, const tenon_dialect *dialect);

// Recompute the derived fields of such a document and write it as the file `name`; "" is the main
// one.
bool tn_export_put_doc(const tn_export *export, const char *name, void *doc);

// Free what the documents and the motions of an export own; for the caller that began the export.
void tn_export_free_docs(const tn_export *export);

// Write a side file of bytes.
bool tn_export_put_bytes(const tn_export *export, const char *name, const void *bytes, size_t size);

// -- Names

// A name of a side file: `stem`, usually the output's name, as it is; `rest` without what file
// systems do not like; and an extension: "crane", "_lift", ".bbanim". Names that this export has
// used already (letter case does not count) get a number. NULL, with the error set, without memory.
const char *tn_export_name(const tn_export *export, tenon_str stem, tenon_str rest,
                           const char *end);

// The name of the output without extension.
tenon_str tn_export_stem(const tn_export *export);

// That and "_", to go in front of names of side files; its data is NULL without memory.
tenon_str tn_export_prefix(const tn_export *export);

// Make `count` texts all different and not empty: what is empty becomes `word`, what is repeated
// gets a number ("arm", "arm_2"). False, with the error set, without memory; else *changed gets how
// many were changed.
bool tn_unique_names(const tn_export *export, tenon_str *names, uint32_t count, const char *word,
                     uint64_t *changed);

// -- Pictures

typedef enum tn_picture_wish {
    TN_PICTURE_AS_COMMON,  // A PNG or JPEG; others become PNG.
    TN_PICTURE_AS_PNG,     // A PNG; a JPEG that cannot be converted stays as it is.
    TN_PICTURE_AS_DDS,     // As Beowolf wants it: uncompressed, rows from the bottom up.
} tn_picture_wish;

// A picture that one or more images of the scene show.
typedef struct tn_shared_picture {
    tn_named named;  // Private.
    tenon_file_id id;
    uint32_t first;     // The image that it was found for.
    const char *name;   // Of the file that was written for it; NULL: none was.
    const char *fault;  // Why there is none.
} tn_shared_picture;

// The picture of an image, so that it is read, converted and written once however many images have
// it: the same bytes, or the same file, whatever its spelling, with rows in the same order. `path`
// and `id` say which file it is, if the image has no bytes. NULL, with the error set, if there is
// no memory or a limit was reached.
tn_shared_picture *tn_export_share_picture(const tn_export *export, uint32_t image,
                                           const char *path, tenon_file_id id);

// Whether a path ends as those of JPEG files do.
bool tn_is_jpeg_name(const char *path);

// The path to write for a picture of the scene, relative to the output, with '/'. Its file is
// written with the export if it has to be: pictures that only the scene has, and, with
// opts->copy_textures, all. One that cannot be had or converted is told as a loss, and its path
// stays as it is; "" if it has none. May be called again for the same picture, but not between the
// begin and the end of a file. NULL, with the error set, if writing failed.
const char *tn_export_picture(const tn_export *export, uint32_t image, tn_picture_wish wish);

#endif  // TN_EXCHANGE_EXPORT_DOCUMENT_H
