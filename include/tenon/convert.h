// convert.h: convert a file to another format, or to another dialect of its own.
// SPDX-License-Identifier: MIT
//
// Quick tour:
//
//     tenon_error err;
//     tenon_convert_opts opts = {.verify = true, .events.on_loss = print_loss};
//     if (!tenon_convert_file("hero.gpb", "hero.glb", &opts, NULL, &err)) ...
//
// This is what `tenon convert` does with one file: the same options give the same bytes. A model
// stays in its format if that is the format of the output, and is copied with its sidecars;
// otherwise, a new model is made from its scene, with sidecars of its own. All files get their
// names together, when nothing can fail any more. No input is ever replaced by an output.

#ifndef TENON_CONVERT_H
#define TENON_CONVERT_H

#include <tenon/files.h>
#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where a new model gets its pictures.
typedef enum tenon_textures {
    TENON_TEXTURES_AUTO,   // In the file for GLB, else as TENON_TEXTURES_REFER.
    TENON_TEXTURES_REFER,  // Pictures stay where they are, and paths lead to them.
    TENON_TEXTURES_COPY,   // Files beside the output, converted to what the engine reads.
    TENON_TEXTURES_EMBED,  // In the file, if the format supports it.
} tenon_textures;

// Lengths of a file that states its unit (FBX).
typedef enum tenon_units {
    TENON_UNITS_AUTO,  // The file's numbers for BBMOD and BMW, as the engines' converters do; else
                       // meters.
    TENON_UNITS_KEEP,  // The file's numbers.
    TENON_UNITS_METERS,
} tenon_units;

// The model on its way from the input to the output.
typedef struct tenon_conversion {
    tenon_doc *doc;                // What was read.
    tenon_scene *scene;            // Of the input. NULL: `doc` is written without verifying it.
    tenon_export_opts *exporting;  // How the new model is written; NULL: `doc` is written, and
                                   // changes of `scene` have no effect.
    const tenon_scene *after;      // With `verify`, the scene of a document that was changed.
    double unit;                   // Meters of the file's unit; 0: unknown.
    bool is_changed;               // `doc` is not what was read: `edit` has to set it.
    uint64_t reserved[8];          // Zeros: room for what later versions add.
} tenon_conversion;

// What was made.
typedef struct tenon_convert_result {
    const tenon_format *format;    // Of the output.
    const tenon_dialect *dialect;  // Of a document that was written; NULL: of a new model.
    uint64_t size;                 // Bytes of the main file.
    uint64_t loss_count;           // Losses in which something was dropped or approximated.
    bool is_changed;               // The main file differs from the input.
    bool is_written;               // Not if it was a dry run, or an input changed in place by
                                   // nothing.
    bool is_verified;              // `verified` is known.
    tenon_verify_result verified;
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_convert_result;

typedef struct tenon_convert_opts {
    tenon_allocator allocator;  // Of everything, here and in the options below.
    tenon_events events;  // The same: progress, losses, and files before they get their names.

    tenon_read_opts reading;      // The input. `format` and so on, as for tenon_read_file().
    tenon_scene_opts importing;   // Its scene. `companions` replace the animations beside a BBMOD
                                  // model.
    tenon_export_opts exporting;  // The output. `format` NULL: that of the extension, or of the
                                  // input if there is none; `dialect` NULL: that of the extension,
                                  // or of the input, or the one its engine reads today. `files`,
                                  // `model_path`, `embed`, `copy_textures` and `verify` are not
                                  // used: see below.
    tenon_write_opts writing;     // Files.
    tenon_change_opts changing;   // A document that stays in its format.

    bool makes_new_model;     // Even if the format stays the same.
    tenon_textures textures;  // Of a new model.
    tenon_units units;        // Of a new model.
    double scale;             // Multiply all lengths of a new model; 0: 1.
    bool keep_lead_in;        // Of clips of FBX: keep the time before their first key, which is cut
                              // otherwise.

    bool verify;                  // Compare the result with the input.
    tenon_verify_opts verifying;  // How. Poses that the output cannot hold are left out.
    bool accept_losses;           // Write the result whatever the comparison finds; otherwise only
                                  // if that is TENON_VERIFIED.
    bool strict;                  // Write nothing if something would be dropped or approximated.

    // Sidecars to write instead of those beside the input, by their names there; NULL: none.
    const struct tenon_memory *sidecars;

    // Where the files go instead, when all is decided; the path of the output is then a name only,
    // and a document has no sidecars. NULL: to files.
    const tenon_sink *sink;

    // Called before the output is made; return false, with `err` set, to stop. NULL: nothing to do.
    bool (*edit)(void *user, tenon_conversion *conversion, tenon_error *err);
    // Called when the result is known, before any file gets its name; return false, with `err` set,
    // to write nothing. NULL: `accept_losses` decides, which is not used otherwise.
    bool (*accept)(void *user, const tenon_conversion *conversion,
                   const tenon_convert_result *result, tenon_error *err);
    void *user;  // Of both.

    const tenon_executor *executor;  // Also of the options above. NULL: one thread does everything.
    uint64_t reserved[7];            // Zeros: room for what later versions add.
} tenon_convert_opts;

// Convert a file. `result` may be NULL. On failure no file is written, and an existing one is
// unchanged.
TENON_API bool tenon_convert_file(const char *in, const char *out, const tenon_convert_opts *opts,
                                  tenon_convert_result *result, tenon_error *err);

// Convert a document, which may be changed by this and can then only be freed. `reading` is not
// used; `importing.model_path` is the file it was read from, for its sidecars (NULL: it has none).
TENON_API bool tenon_convert(tenon_doc *doc, const char *out, const tenon_convert_opts *opts,
                             tenon_convert_result *result, tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_CONVERT_H
