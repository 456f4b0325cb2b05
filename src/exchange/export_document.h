// export_document.h: how formats that have documents write a scene: they fill a document.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_EXPORT_DOCUMENT_H
#define TN_EXCHANGE_EXPORT_DOCUMENT_H

#include "document/format.h"
#include "exchange/export.h"
#include "scene/pictures/pixels.h"

// As tenon_export() and tenon_export_file(), in the given format. Only `dialect` may be NULL.
bool tn_export_scene(const tn_format *format, const tenon_dialect *dialect,
                     const tenon_scene *scene, const tenon_export_opts *opts,
                     const tenon_sink *sink, tenon_error *err);
bool tn_export_scene_files(const tn_format *format, const tenon_dialect *dialect,
                           const tenon_scene *scene, const char *path,
                           const tenon_export_opts *opts, const tenon_write_opts *write_opts,
                           tenon_error *err);

// An empty document of a dialect. It belongs to the export: it can be changed with tenon_change(),
// but must not be freed, and its fields may point to memory of the export. NULL, with the error
// set, if out of memory.
void *tn_export_doc(const tn_export *export, const tn_format *format, const tenon_dialect *dialect);

// Recompute the derived fields of such a document and write it as the file `name`; "" is the main
// file.
bool tn_export_put_doc(const tn_export *export, const char *name, void *doc);

// Free what the documents and the clips of an export own, at its end.
void tn_export_free_docs(const tn_export *export);

// Write a picture beside the model.
bool tn_export_put_picture(const tn_export *export, const char *name, const void *bytes,
                           size_t size);

// -- Names

// A text made of two, with a terminator. Without data, with the error set, if out of memory.
tenon_str tn_export_join(const tn_export *export, tenon_str start, const char *end);

// A name for a sidecar: `stem`, usually the output's name, as it is; `rest` as tn_safe_text() makes
// it; and an extension: "crane", "_lift", ".bbanim". Names that this export has used already get a
// number; letter case is ignored. NULL, with the error set, if out of memory.
const char *tn_export_name(const tn_export *export, tenon_str stem, tenon_str rest,
                           const char *end);

// The name of the output without extension.
tenon_str tn_export_stem(const tn_export *export);

// The same with "_" at the end, a prefix for names of sidecars. Its data is NULL if out of memory.
tenon_str tn_export_prefix(const tn_export *export);

// Make `count` names unique and not empty: an empty name becomes `word`, a repeated one gets a
// number
// ("arm", "arm_2"). `*changed` is how many were changed. False, with the error set, if out of
// memory.
bool tn_unique_names(const tn_export *export, tenon_str *names, uint32_t count, const char *word,
                     uint64_t *changed);

// -- Pictures

// The kind of file that a format needs for a picture.
typedef enum tn_picture_target {
    TN_PICTURE_AS_COMMON,  // A PNG or JPEG; others become PNG.
    TN_PICTURE_AS_PNG,     // A PNG; a JPEG that cannot be converted stays as it is.
    TN_PICTURE_AS_DDS,     // As Beowolf wants it: uncompressed, rows from the bottom up.
} tn_picture_target;

// A picture that one or more images of the scene show.
typedef struct tn_shared_picture {
    tn_named named;  // Private.
    tenon_file_id id;
    uint32_t first;     // The first image that has it.
    const char *name;   // Of the file that was written for it; NULL: none was.
    const char *fault;  // Why no file was written.
} tn_shared_picture;

// The picture of an image. Images share a picture, which is then read, converted and written once,
// if they have the same bytes or the same file under any path, with rows in the same order. `path`
// and `id` are those of the file, if the image has no bytes. NULL, with the error set, if out of
// memory or if a limit was reached.
tn_shared_picture *tn_export_share_picture(const tn_export *export, uint32_t image,
                                           const char *path, tenon_file_id id);

// The path of a file that stays where it is, relative to the output; terminated. NULL, with the
// error set, if out of memory.
const char *tn_export_path(const tn_export *export, tenon_str path);

// Encode a picture as PNG: with the encoder of the caller, if there is one. False if that fails;
// the error is set if memory ran out or a limit was reached.
bool tn_export_encode_png(const tn_export *export, const tn_pixels *pixels, tenon_write_fn *write,
                          void *user);

// Whether a path has the extension of JPEG files.
bool tn_is_jpeg_name(const char *path);

// The path to store for a picture of the scene, relative to the output, with '/'. Pictures whose
// bytes are in the scene are written to files, and all pictures are with opts->copy_textures. A
// picture that is missing or cannot be converted is reported as a loss and keeps its path; "" if it
// has none. May be called again for the same picture, but not between the begin and the end of a
// file. NULL, with the error set, if writing failed.
const char *tn_export_picture(const tn_export *export, uint32_t image, tn_picture_target target);

#endif  // TN_EXCHANGE_EXPORT_DOCUMENT_H
