// tenon.h: read, write, check, map and convert the models of five game engines.
// SPDX-License-Identifier: MIT
//
// Quick tour:
//
//     tenon_error err;
//     tenon_doc *doc = tenon_read_file("crane.bplx", NULL, &err);
//     if (!doc) { fprintf(stderr, "%s: %s\n", err.path, err.message); return 1; }
//
//     tenon_bplx *model = tenon_as_bplx(doc);     // NULL if it is another format.
//     if (model) printf("%u vertices\n", model->vertex_count);
//
//     tenon_write_file(doc, "copy.bplx", NULL, &err);   // The same bytes again.
//     tenon_doc_free(doc);
//
// A document holds the content of one file without loss, in the terms of its format. It owns all
// memory that is reachable from it, except the input it was read from, which it borrows. The
// library keeps no global state, never prints, never exits, and reads neither locale nor
// environment: any number of threads may work at once, one document each.
//
// Initialize every options struct with `= {0}`; every zero means the default written beside the
// field. Options and results that callers own have room for more, so that a program works with
// later versions of the library without being compiled again.
//
// NULL options mean all defaults, a NULL error means that the reason is not needed, and NULL
// `files` or a NULL allocator mean those of the system. What NULL means for other pointers is
// written at the function; where nothing is written, the pointer must be valid. `user` is only
// handed to the callbacks.

#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <tenon/base.h>

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

// The version of the library that is linked, as "0.1.0".
TENON_API const char *tenon_version(void);

// -- Formats

// What the library can do with a format.
enum {
    TENON_CAN_READ = 1 << 0,
    TENON_CAN_WRITE = 1 << 1,
    TENON_IS_EXACT = 1 << 2,      // Files are written back byte for byte.
    TENON_HAS_MAGIC = 1 << 3,     // Recognized by its first bytes.
    TENON_CAN_CHECK = 1 << 4,     // It has rules.
    TENON_TO_SCENE = 1 << 5,      // It can be converted to other formats.
    TENON_FROM_SCENE = 1 << 6,    // Other formats can be converted to it.
    TENON_CAN_CHANGE = 1 << 7,    // tenon_change() converts between its dialects.
    TENON_LEFT_HANDED = 1 << 8,   // Left-handed space: Z is mirrored on import and export.
    TENON_SHOWS_FRAMES = 1 << 9,  // Its engine shows frames of clips and nothing between them.
};

// One way in which the files of a format differ.
typedef struct tenon_dialect {
    const char *name;     // As in `--as script`.
    const char *summary;  // One line.
    uint32_t flags;       // Of the format's own header, for example TENON_BPLX_MATERIALS.
    bool last_resort;     // Tried only when no other dialect fits.
} tenon_dialect;

// A rule that `tenon_check` applies.
typedef enum tenon_severity { TENON_INFO, TENON_WARNING, TENON_ERROR } tenon_severity;

typedef struct tenon_rule {
    const char *id;  // Stable, for example "bplx/index-range".
    tenon_severity severity;
    const char *summary;  // What the rule requires, one line.
    const char *fix;      // How to fix it; NULL if there is no simple fix.
    const char *profile;  // The engine whose limit it is; NULL: it applies to every file.
} tenon_rule;

typedef struct tenon_format {
    const char *name;               // As in `--from bplx`.
    const char *title;              // As shown to people.
    const char *engine;             // The engine that uses it.
    const char *extensions[4];      // Without the dot, NULL at the end.
    uint32_t caps;                  // TENON_CAN_READ and so on.
    const tenon_dialect *dialects;  // The first is written unless another is asked for; where their
    uint32_t dialect_count;         // names are the extensions, the name of the file decides.
    const tenon_rule *rules;
    uint32_t rule_count;
} tenon_format;

// The formats, in the order of the table, and NULL past the last one.
TENON_API const tenon_format *tenon_format_at(uint32_t index);

// The format of that name, or NULL.
TENON_API const tenon_format *tenon_format_by_name(const char *name);

// The dialect of that name, or NULL.
TENON_API const tenon_dialect *tenon_dialect_by_name(const tenon_format *format, const char *name);

// Why clips never move the meshes of a file of that dialect (NULL: the default one), as the end of
// a sentence about clips: "which OBJ cannot hold". Returns NULL if they do.
TENON_API const char *tenon_why_no_motion(const tenon_format *format, const tenon_dialect *dialect);

// The rule number `index` of all rules, those common to every format first; NULL past the last.
TENON_API const tenon_rule *tenon_rule_at(uint32_t index);

// The engines whose limits can be checked, and NULL past the last one.
TENON_API const char *tenon_profile_at(uint32_t index);

// -- Documents

// The head that the document of every format starts with (see bplx.h and its siblings).
typedef struct tenon_doc {
    const tenon_format *format;
    const tenon_dialect *dialect;  // Which layout the file has and is written in.
    const tenon_dialect *also;     // Another one that fits just as well; NULL if there is none.
    tenon_span trailing;           // Bytes after the end of the model, kept as they are.
    uint64_t source_size;          // Bytes of the input; 0 if it was made in memory.
    struct tenon_owner *owner;     // Private.
} tenon_doc;

// Read a model from memory; the format is found from the content.
//
// The document borrows `data`, which must outlive it, unless `opts->copy` is set. Returns NULL on
// failure (with `opts->partial`, what could be read, and `err->code` is set); free the result with
// tenon_doc_free().
TENON_API tenon_doc *tenon_read(const void *data, size_t size, const tenon_read_opts *opts,
                                tenon_error *err);

// Read a model from a file; the document owns the bytes. Folders and devices are refused. Failure
// is reported as by tenon_read().
TENON_API tenon_doc *tenon_read_file(const char *path, const tenon_read_opts *opts,
                                     tenon_error *err);

// Free a document and everything it owns. Does nothing for NULL.
TENON_API void tenon_doc_free(tenon_doc *doc);

// A list or an array of which a partial document has fewer items than the file stated.
typedef struct tenon_cut {
    const char *path;       // "meshes", or "meshes[2].vertices"
    uint64_t offset;        // The first byte that could not be used.
    uint64_t kept, stated;  // Items that were read, and the number stated in the file.
} tenon_cut;

typedef void tenon_cut_fn(void *user, const tenon_cut *cut);

// Report what is missing in a document that was read with `partial`, in file order, to `fn`, which
// may be NULL.
TENON_API void tenon_cuts(const tenon_doc *doc, tenon_cut_fn *fn, void *user);

// Zeroed memory that lives as long as the document; NULL if out of memory.
TENON_API void *tenon_doc_alloc(tenon_doc *doc, size_t size);

// Where the field at `path` ("faces[3]", "bones[0].name") is written: its offset and size in the
// file that tenon_write() makes of `doc`; both may be NULL. Returns false if there is no such
// field.
TENON_API bool tenon_locate(const tenon_doc *doc, const char *path, uint64_t *offset,
                            uint64_t *size);

// -- Numbers in arrays

// The array at `path` ("positions", "meshes[2].vertices"). Returns false if there is none. It stays
// valid until the document is changed or freed.
TENON_API bool tenon_doc_span(const tenon_doc *doc, const char *path, tenon_span *span);

// The element of that name; "" is the only one of a plain array. Returns NULL if there is none.
TENON_API const tenon_element *tenon_span_element(const tenon_span *span, const char *name);

// Decode an element of `count` records from `first` on. Each record gives `rows` times `count`
// numbers, as tenon_span_element() says; integers are not scaled. Returns false, with nothing
// decoded, if there is no such element or record, or if the records have tails. `out` may be NULL
// to get only the result.
TENON_API bool tenon_span_f32(const tenon_span *span, const char *element, uint64_t first,
                              uint64_t count, float *out);

// The same as integers. Numbers that no uint32_t can hold, such as -1 and 0.5, also give false.
TENON_API bool tenon_span_u32(const tenon_span *span, const char *element, uint64_t first,
                              uint64_t count, uint32_t *out);

// The reverse: change an element of some records of `span`, which is a member of `doc`. The array
// is copied, since it may be the file itself; the copy lives as long as the document. Returns
// false, with nothing changed, if there is no such element or record, if a number does not fit its
// type, or if out of memory.
TENON_API bool tenon_span_set_f32(tenon_doc *doc, tenon_span *span, const char *element,
                                  uint64_t first, uint64_t count, const float *values);
TENON_API bool tenon_span_set_u32(tenon_doc *doc, tenon_span *span, const char *element,
                                  uint64_t first, uint64_t count, const uint32_t *values);

// -- Writing

// Takes the bytes of a file in order; return false to stop.
typedef bool tenon_write_fn(void *user, const void *bytes, size_t size);

// Which file something came from, so that no input is overwritten by mistake.
typedef struct tenon_file_id {
    uint64_t device, inode;
} tenon_file_id;

// Options for writing to files.
typedef struct tenon_write_opts {
    tenon_events events;          // Progress.
    bool force;                   // Replace an existing file; follow a link, which stays.
    bool in_place;                // Replace even a file that is one of `inputs`.
    const tenon_file_id *inputs;  // Files that must not be replaced (the document's own).
    uint32_t input_count;
    const struct tenon_files *files;  // NULL: the system's.
    struct tenon_batch *batch;        // The batch it is renamed with; NULL: at once.
    uint64_t reserved[8];             // Zeros: room for what later versions add.
} tenon_write_opts;

// Hand the bytes of the document's file to `write`, which may be NULL to measure only. Returns the
// number of bytes, which may be 0, or TENON_ABSENT on failure. An unchanged document gives the
// bytes it was read from. Counts and sizes that no longer match are an error (see
// tenon_finalize()).
TENON_API uint64_t tenon_write(const tenon_doc *doc, tenon_write_fn *write, void *user,
                               tenon_error *err);

// Write to a file: completely or not at all. The bytes go to a locked temporary file beside `path`,
// which is renamed when everything is on the disk. Temporary files of crashed writers are removed.
TENON_API bool tenon_write_file(const tenon_doc *doc, const char *path,
                                const tenon_write_opts *opts, tenon_error *err);

// Recompute every derived field of a document that was changed: counts, sizes, offsets.
TENON_API bool tenon_finalize(tenon_doc *doc, tenon_error *err);

// -- Changing a document within its format

typedef struct tenon_change_opts {
    const char *dialect;     // The new dialect; NULL: keep the current one.
    tenon_events events;     // Losses.
    double rate;             // Frames per second, where something has to be sampled (the format's).
    uint32_t spaces;         // Which spaces an animation stores; 0: keep the current ones.
    const tenon_doc *model;  // The model that an animation belongs to; NULL: unknown.
    bool refresh;            // Recompute offsets, bounds and names of parents.
    uint64_t reserved[8];    // Zeros: room for what later versions add.
} tenon_change_opts;

// Change `doc` as the options say; NULL changes nothing. On failure it may be partly changed: free
// it.
TENON_API bool tenon_change(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err);

// The dialect that a file called `name` should have by its extension. NULL if the extension does
// not determine one, or `doc` has it already.
TENON_API const tenon_dialect *tenon_dialect_by_extension(const tenon_doc *doc, const char *name);

// Complete a document that was read from a damaged file with `partial` and `incomplete`, so that it
// can be written: missing parts that are needed are synthesized, and triangles, weights and keys
// with implausible numbers are removed. Each is reported. Of the options, only `events` are used.
TENON_API bool tenon_recover(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err);

typedef struct tenon_merge_opts {
    const char *name;      // For added objects whose name is taken; NULL: a number is appended.
    tenon_events events;   // Losses: what is not added.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_merge_opts;

// Add to `into` what is in `other`, a document of the same format: objects of a GPB bundle with
// names that stay unique, animations of a ModelData file with the same skeleton. Formats that hold
// one model only refuse it.
//
// This may change `other`, which must not be freed before `into`. On failure both may be partly
// changed: free them, `into` first.
TENON_API bool tenon_merge(tenon_doc *into, tenon_doc *other, const tenon_merge_opts *opts,
                           tenon_error *err);

// -- Mapping

// What a part of a map is.
typedef enum tenon_part_kind {
    TENON_PART_FIELD,      // A field of the format.
    TENON_PART_INFERRED,   // A value without bytes that was inferred while reading.
    TENON_PART_KEPT,       // Bytes that are not part of a field and are kept.
    TENON_PART_REMAINDER,  // Bytes after a fault, which were not read.
} tenon_part_kind;

// One part of a file. All pointers are valid during the call only.
typedef struct tenon_part {
    tenon_part_kind kind;
    uint64_t offset, size;  // Where it is in the file.
    const char *path;       // "meshes[2].vertices"
    tenon_type type;
    uint64_t count;              // Numbers, or records.
    const uint8_t *bytes;        // `size` of them, in the file's order; an inferred value as well.
    tenon_str text;              // The content, if the type is text.
    const tenon_layout *layout;  // Of records, else NULL.
    bool big_endian;
} tenon_part;

typedef bool tenon_part_fn(void *user, const tenon_part *part);  // Return false to stop.

// Report every part of a file to `fn`, in file order, without gap or overlap. For a damaged file
// these are all parts up to the fault, then the remainder; returns false with the reason in `err`.
// `fn` may be NULL to get only the result.
TENON_API bool tenon_map(const void *data, size_t size, const tenon_read_opts *opts,
                         tenon_part_fn *fn, void *user, tenon_error *err);

// One number, or one text, inside a part.
typedef struct tenon_cell {
    uint64_t offset, size;
    char path[192];  // "meshes[2].vertices[7].position"
    tenon_type type;
    uint32_t count;  // Numbers in it.
    const uint8_t *bytes;
} tenon_cell;

// Split records into their elements: cell number `index` of record `record`. Returns false past the
// last element. Only for parts of type RECORDS whose layout has no tail.
TENON_API bool tenon_part_cell(const tenon_part *part, uint64_t record, uint64_t index,
                               tenon_cell *cell);

// The value of number `index` of `bytes` as text, the shortest that reads back the same; returns
// its length. 32 bytes are always enough.
TENON_API size_t tenon_number_text(tenon_type type, const uint8_t *bytes, bool big_endian,
                                   uint64_t index, char *out, size_t out_size);

// -- The text twin

// Hand the document to `write` as JSON, laid out for people and for git: every field in file order,
// arrays as numbers, binary data as hexadecimal digits. tenon_build() turns it back into the same
// file, byte for byte. `write` may be NULL to get only the result.
TENON_API bool tenon_dump(const tenon_doc *doc, tenon_write_fn *write, void *user,
                          tenon_error *err);

// The same, to a file.
TENON_API bool tenon_dump_file(const tenon_doc *doc, const char *path, const tenon_write_opts *opts,
                               tenon_error *err);

// Turn a dump, which may have been edited, into a file and hand its bytes to `write`. Counts before
// lists follow the lists. Members that are missing, unknown, misplaced or out of range are an error
// with line and column. Of the options, only allocator, max_memory and events are used. `write`
// may be NULL to get only the result.
//
// The bytes are not checked to be a valid model: read them to know.
TENON_API bool tenon_build(const char *json, size_t size, const tenon_read_opts *opts,
                           tenon_write_fn *write, void *user, tenon_error *err);

// The same, to a file. The result must be readable as a model: if not, nothing is written and `err`
// has the reason.
TENON_API bool tenon_build_file(const char *json, size_t size, const char *path,
                                const tenon_read_opts *opts, const tenon_write_opts *write_opts,
                                tenon_error *err);

// -- Checking

// Something that breaks a rule. All pointers are valid during the call only.
typedef struct tenon_finding {
    const tenon_rule *rule;
    tenon_severity severity;
    const char *path;
    uint64_t offset;  // TENON_ABSENT if it has no single place.
    const char *message;
    const char *fix;  // NULL if there is none.
    uint64_t more;    // On the last reported finding of a rule: how many more there are.
} tenon_finding;

typedef void tenon_finding_fn(void *user, const tenon_finding *finding);

typedef struct tenon_check_opts {
    tenon_allocator allocator;
    tenon_events events;     // Progress.
    uint32_t max_per_rule;   // Findings reported for each rule (20).
    const char *profile;     // Also check the limits of this engine; NULL: only the rules for every
                             // file.
    const tenon_doc *model;  // The model that an animation belongs to; NULL: unknown.
    const char *model_path;  // The model's file, to look beside it for files it names; NULL: do not
                             // look.
    const struct tenon_files *files;  // NULL: the system's.
    uint64_t reserved[8];             // Zeros: room for what later versions add.
} tenon_check_opts;

// The number of all findings, including those not reported.
typedef struct tenon_check_result {
    uint64_t errors, warnings, infos;
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_check_result;

// Apply every rule of the format to a document. Returns false only if the check could not be
// completed. Findings are reported to `found`, in file order, and counted in `result`. Both may be
// NULL.
TENON_API bool tenon_check(const tenon_doc *doc, const tenon_check_opts *opts,
                           tenon_finding_fn *found, void *user, tenon_check_result *result,
                           tenon_error *err);

// -- What is in it

typedef struct tenon_clip_info {
    tenon_str name;
    double seconds;     // Negative if the format does not store it.
    uint64_t channels;  // TENON_ABSENT if it does not apply, here and below.
    uint64_t frames;
    bool has_flags;   // The model stores whether the clip repeats (`loop`) or keeps its last pose
    bool loop, hold;  // (`hold`).
} tenon_clip_info;

typedef struct tenon_material_info {
    tenon_str name;
    tenon_str texture;  // As the file names it; size 0 if it names none.
} tenon_material_info;

typedef struct tenon_fact {
    const char *label;  // "vertex format"
    const char *text;   // "position, normal, uv1"
} tenon_fact;

// Counts as stored in the file.
typedef struct tenon_info {
    char version[16];
    uint64_t meshes, vertices, triangles, nodes, joints, animations, channels, frames, materials,
        fonts, font_sizes;
    bool has_bounds;
    double bounds_min[3], bounds_max[3];
    uint32_t clip_count;
    tenon_clip_info *clips;
    uint32_t material_count;
    tenon_material_info *material_list;
    uint32_t fact_count;
    tenon_fact *facts;               // Further facts, in the terms of the format.
    struct tenon_info_owner *owner;  // Private.
    uint64_t reserved[8];            // Zeros: room for what later versions add.
} tenon_info;

typedef struct tenon_info_opts {
    bool full;  // Also compute what requires visiting every vertex, such as missing bounds.
    const char *model_path;           // Also look at the sidecars of this model: textures, clips,
    const struct tenon_files *files;  // and what is wrong with them. NULL: do not.
    uint64_t reserved[8];             // Zeros: room for what later versions add.
} tenon_info_opts;

// Summarize a document, which must outlive the info. Free the info with tenon_info_free(), unless
// this returns false: it is out of memory.
TENON_API bool tenon_doc_info(const tenon_doc *doc, const tenon_info_opts *opts, tenon_info *info,
                              tenon_error *err);

// Free the lists of an info. Does nothing for NULL and for a zeroed info.
TENON_API void tenon_info_free(tenon_info *info);

// One node, joint or bone of a model, in the terms of its format.
typedef struct tenon_tree_node {
    tenon_str name;
    uint32_t depth;    // 0 for a root.
    const char *kind;  // "node", "joint", "bone".
    const char *what;  // What it carries, such as "camera, 2 meshes"; "" if nothing.
} tenon_tree_node;

typedef bool tenon_tree_fn(void *user, const tenon_tree_node *node);  // Return false to stop.

// Report every node of a model to `fn`, which may be NULL, each after its parent and before its
// parent's next child. Returns false if out of memory.
TENON_API bool tenon_tree(const tenon_doc *doc, tenon_tree_fn *fn, void *user, tenon_error *err);

// Whether two files belong together, such as a model and its animation, in one line of text.
// Returns false, with an empty text, if there is nothing to say about the two. `text` may be NULL
// if `text_size` is 0.
TENON_API bool tenon_relate(const tenon_doc *a, const tenon_doc *b, char *text, size_t text_size);

typedef void tenon_sidecar_fn(void *user, const char *name);

// Report the names of possible sidecars of a model at `model_path`, such as materials, relative to
// its folder. They need not exist; tenon_file_beside() finds them. The order does not depend on the
// path, so that they can be renamed together with the model. `fn` may be NULL. Returns false if out
// of memory; some are then missing.
TENON_API bool tenon_sidecars(const tenon_doc *doc, const char *model_path, tenon_sidecar_fn *fn,
                              void *user);

#ifdef __cplusplus
}
#endif
#endif  // TENON_TENON_H
